//! Tests as files: what is written reads back, and what is no test is an error.

use refrain_machine::{Access, ErrorKind, Fault, InputValue, Object, ObjectKind, Place, Role};
use refrain_results::{Boundary, Cause, KTest, Outcome, Source, Test};

fn input(name: &str, bytes: &[u8]) -> InputValue {
    InputValue::object(name, bytes)
}

fn samples() -> Vec<Test> {
    let place = Place {
        function: "f".into(),
        file: "dir/a.c".into(),
        line: 3,
        column: 5,
    };
    let nowhere = Place {
        function: "main".into(),
        ..Place::default()
    };
    let mut samples = vec![
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
                InputValue {
                    role: Role::Parameter,
                    element_bits: 13,
                    ..input("wide", &[0xff, 0x1f, 1, 0])
                },
            ],
            args: vec![b"prog.c".to_vec(), b"\xff\"".to_vec(), Vec::new()],
            outcome: Outcome::exit(-3),
            stdout: b"caf\xc3\xa9 \x7f\x00\n".to_vec(),
            stderr: b"\xc3(\x80".to_vec(),
            instructions: u64::MAX,
            decisions: vec![0, 1, u64::MAX],
            new_coverage: true,
        },
        Test {
            number: u32::MAX,
            outcome: Outcome::Error(Fault {
                kind: ErrorKind::UseAfterFree,
                message: "of \"x\"".into(),
                stack: vec![nowhere.clone(), place.clone(), nowhere.clone()],
                object: Some(Object {
                    name: "a \"b\"".into(),
                    kind: ObjectKind::Heap,
                    size: u64::MAX,
                    offset: -1,
                    allocated_at: vec![place.clone()],
                    freed_at: vec![nowhere, place],
                }),
                access: Some(Access {
                    address: u64::MAX,
                    bytes: 4,
                }),
                notes: vec!["over the integers".into()],
            }),
            ..Test::default()
        },
        Test {
            number: 5,
            outcome: Outcome::Exit {
                status: i32::MIN,
                depends_on_input: true,
            },
            ..Test::default()
        },
    ];
    let errors = ErrorKind::ALL
        .iter()
        .map(|&kind| Outcome::Error(Fault::new(kind, "")));
    let unfinished = causes().into_iter().map(Outcome::Unfinished);
    samples.extend(
        (10..)
            .zip(errors.chain(unfinished))
            .map(|(number, outcome)| Test {
                number,
                outcome,
                ..Test::default()
            }),
    );
    samples
}

fn causes() -> Vec<Cause> {
    vec![
        Cause::Instructions,
        Cause::Depth,
        Cause::Unroll,
        Cause::Memory,
        Cause::Time,
        Cause::Paths,
        Cause::Interrupted,
        Cause::ForkingOff,
        Cause::Forks,
        Cause::OtherValues,
        Cause::Undecided("timeout".into()),
        Cause::Unsupported("a call of \"f\" at a.c:3".into()),
        Cause::Inexpressible("a shift".into()),
        Cause::Internal("no frame".into()),
        Cause::NotRecorded,
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
    let outcome = &value["outcome"];
    assert_eq!(outcome["error"], "use after free");
    // The innermost place that has source.
    assert_eq!(outcome["line"], 3);
    assert_eq!(outcome["function"], "f");
    assert_eq!(outcome["stack"][1]["file"], "dir/a.c");
    assert_eq!(outcome["object"]["kind"], "heap");
    let value = |index: usize| -> serde_json::Value {
        serde_json::from_str(&samples()[index].to_json()).expect("JSON")
    };
    assert_eq!(value(1)["inputs"][6]["element_bits"], 13);
    assert_eq!(value(1)["inputs"][6]["role"], "parameter");
    assert_eq!(
        value(1)["inputs"][0]["element_bits"],
        serde_json::Value::Null
    );
    assert_eq!(value(3)["outcome"]["status_depends_on_input"], true);
    let plain = value(0)["outcome"].to_string();
    assert_eq!(plain, r#"{"kind":"exit","status":0}"#);
}

/// What stands in `boundary.json`, for programs and for people.
#[test]
fn a_boundary_reads_back() {
    for cause in causes() {
        let boundary = Boundary {
            cause: cause.clone(),
            paths: 3,
            places: vec!["0 1 =5".into()],
        };
        let json = serde_json::to_value(&boundary).expect("JSON");
        assert_eq!(json["why"], cause.to_string());
        let read: Boundary = serde_json::from_value(json).expect("a boundary");
        assert_eq!(read, boundary);
    }
    let json = serde_json::to_string(&Cause::Undecided("timeout".into())).expect("JSON");
    assert_eq!(json, r#"{"kind":"undecided","what":"timeout"}"#);
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
        r#"{"test":1,"outcome":{"kind":"exit","status":0,"status_depends_on_input":1}}"#,
        r#"{"test":1,"outcome":{"kind":"error","message":""}}"#,
        r#"{"test":1,"outcome":{"kind":"error","error":"trap","stack":["f at a.c:3:5"]}}"#,
        r#"{"test":1,"outcome":{"kind":"unfinished","why":"the time was up"}}"#,
    ] {
        assert!(Test::from_json(json.as_bytes()).is_err(), "{json}");
    }
    let unknown = r#"{"test":1,"outcome":{"kind":"error","error":"bad luck"}}"#;
    let error = Test::from_json(unknown.as_bytes()).expect_err("no such kind");
    assert_eq!(error, "there is no kind of error called \"bad luck\"");
    for wrong in [
        r#""role":"witness""#,
        r#""element_bits":0"#,
        r#""element_bits":4294967295"#,
        r#""element_bits":17"#,
    ] {
        let json = format!(
            r#"{{"test":1,"outcome":{{"kind":"exit","status":0}},"inputs":[{{"name":"x","bytes":"0000",{wrong}}}]}}"#
        );
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
        let names = |inputs: &[InputValue]| -> Vec<(String, Vec<u8>)> {
            let inputs = inputs.iter();
            inputs
                .map(|input| (input.name.clone(), input.bytes.clone()))
                .collect()
        };
        assert_eq!(names(&read.objects), names(&test.inputs));
        assert_eq!(read.args, test.args);
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
