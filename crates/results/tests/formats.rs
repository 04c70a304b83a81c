//! Tests as files: what is written reads back, and what is no test is an error.

use refrain_results::{Fault, Input, KTest, Outcome, Place, Source, Test};

fn input(name: &str, bytes: &[u8]) -> Input {
    Input {
        name: name.into(),
        bytes: bytes.to_vec(),
    }
}

fn samples() -> Vec<Test> {
    let place = Place {
        function: "f".into(),
        file: "dir/a.c".into(),
        line: 3,
        column: 5,
    };
    vec![
        Test::default(),
        Test {
            number: 1,
            inputs: vec![
                input("x", &[10, 0, 0, 0]),
                input("ü \"\\\n\u{1}", b"\xff\xfe\0"),
                input("", b""),
                input("c", &[0x80]),
                input("s", &[0xff, 0x7f]),
                input("l", &i64::MIN.to_le_bytes()),
            ],
            args: vec![b"prog.c".to_vec(), b"\xff\"".to_vec(), Vec::new()],
            outcome: Outcome::Exit { status: -3 },
            stdout: b"caf\xc3\xa9 \x7f\x00\n".to_vec(),
            stderr: b"\xc3(\x80".to_vec(),
            instructions: u64::MAX,
            decisions: vec![0, 1, u64::MAX],
            new_coverage: true,
        },
        Test {
            number: u32::MAX,
            outcome: Outcome::Error(Fault {
                error: "out-of-bounds read".into(),
                message: "of \"x\"".into(),
                place: Some(place.clone()),
                stack: vec![
                    place,
                    Place {
                        function: "main".into(),
                        ..Place::default()
                    },
                ],
                details: vec!["object: a, 4 bytes".into()],
                related: vec![(
                    "freed here".into(),
                    Place {
                        function: "g".into(),
                        file: "b.c".into(),
                        line: 2,
                        column: 1,
                    },
                )],
            }),
            ..Test::default()
        },
        Test {
            number: 7,
            outcome: Outcome::Unfinished {
                why: "1000 instructions".into(),
            },
            ..Test::default()
        },
    ]
}

#[test]
fn a_test_reads_back_from_json() {
    for test in samples() {
        let json = test.to_json();
        assert_eq!(
            Test::from_json(json.as_bytes()).as_ref(),
            Ok(&test),
            "{json}"
        );
    }
}

#[test]
fn json_is_what_others_expect() {
    let json = samples()[1].to_json();
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["inputs"][0]["bytes"], "0a000000");
    assert_eq!(value["inputs"][0]["number"], 10);
    assert_eq!(value["inputs"][1]["number"], serde_json::Value::Null);
    assert_eq!(value["inputs"][1]["text"], r"\xff\xfe\x00");
    assert_eq!(value["inputs"][3]["number"], -128);
    assert_eq!(value["inputs"][4]["number"], 32767);
    assert_eq!(value["inputs"][5]["number"], i64::MIN);
    assert_eq!(value["outcome"]["kind"], "exit");
    assert_eq!(value["stdout"], "café \u{7f}\u{0}\n");
    assert_eq!(value["stderr"], r"\xc3(\x80");
    assert_eq!(value["stderr_hex"], "c32880");
    let json = samples()[2].to_json();
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["outcome"]["stack"][0], "f at dir/a.c:3:5");
    assert_eq!(value["outcome"]["line"], 3);
}

#[test]
fn truncated_json_is_an_error() {
    for test in samples() {
        let json = test.to_json();
        for len in 0..json.trim_end().len() {
            assert!(Test::from_json(&json.as_bytes()[..len]).is_err());
        }
    }
}

#[test]
fn json_of_something_else_is_an_error() {
    for json in [
        "[]",
        "{}",
        r#"{"test":-1,"outcome":{"kind":"exit","status":0}}"#,
        r#"{"test":1,"outcome":{"kind":"exit","status":4294967296}}"#,
        r#"{"test":1,"outcome":{"kind":"vanished"}}"#,
        r#"{"test":1,"outcome":{"kind":"exit","status":0},"inputs":[{"name":"x","bytes":"0"}]}"#,
        r#"{"test":1,"outcome":{"kind":"exit","status":0},"inputs":[{"bytes":"00"}]}"#,
        r#"{"test":1,"outcome":{"kind":"exit","status":0},"decisions":["x"]}"#,
    ] {
        assert!(Test::from_json(json.as_bytes()).is_err(), "{json}");
    }
}

/// Byte for byte what KLEE's `kTest_toFile` writes.
#[test]
fn ktest_files_are_klees() {
    let test = Test {
        inputs: vec![input("x", &[1, 2])],
        args: vec![b"p".to_vec()],
        ..Test::default()
    };
    let mut expected = b"KTEST".to_vec();
    for part in [
        &3_u32.to_be_bytes()[..],
        &1_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
        b"p",
        &0_u32.to_be_bytes(),
        &0_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
        b"x",
        &2_u32.to_be_bytes(),
        &[1, 2],
    ] {
        expected.extend_from_slice(part);
    }
    assert_eq!(test.to_ktest(), expected);
}

#[test]
fn ktest_files_read_back_and_truncated_ones_do_not() {
    for test in samples() {
        let bytes = test.to_ktest();
        let read = KTest::decode(&bytes).expect("it was written by us");
        assert_eq!((&read.objects, &read.args), (&test.inputs, &test.args));
        assert_eq!(read.encode(), bytes);
        for len in 0..bytes.len() {
            assert!(KTest::decode(&bytes[..len]).is_err(), "{len}");
        }
        assert!(KTest::decode(&[&bytes[..], b"x"].concat()).is_err());
    }
}

#[test]
fn older_ktest_files_are_read() {
    let mut bytes = b"BOUT\n".to_vec();
    for number in [1_u32, 0, 1] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(*b"\0\0\0\x01x\0\0\0\x01z");
    let read = KTest::decode(&bytes).expect("version 1");
    assert_eq!(read.objects, [input("x", b"z")]);
}

/// A file that claims four thousand million of everything costs nothing, and any byte may be wrong.
#[test]
fn hostile_ktest_files_are_errors() {
    let mut claims = b"KTEST\0\0\0\x03".to_vec();
    claims.extend([0xff; 4]);
    assert!(KTest::decode(&claims).is_err());
    let bytes = samples()[1].to_ktest();
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            // Either is fine; a panic is not.
            let _ = KTest::decode(&changed);
        }
    }
    for version in [0_u32, 4, u32::MAX] {
        let mut changed = bytes.clone();
        changed[5..9].copy_from_slice(&version.to_be_bytes());
        assert!(KTest::decode(&changed).is_err());
    }
}

#[test]
fn hashes_of_sources_are_those_of_fnv() {
    assert_eq!(Source::hash_of(b""), "cbf29ce484222325");
    assert_eq!(Source::hash_of(b"a"), "af63dc4c8601ec8c");
}
