//! Results that no program of good manners leaves behind.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use refrain_machine::{Access, ErrorKind, Fault, InputValue, Object, ObjectKind, Place};
use refrain_report::Results;
use refrain_results::{Boundary, Cause, Outcome, Run, Test};

/// Everything that some format has a special meaning for, or none at all.
pub const ODD: &str = "a\"b'c<d>&e\u{0}\u{1}\u{1b}[0m\u{7f}\u{85}\r\n\t]]>*/ //\\ ??/ \u{fffe}\u{ffff}é\u{1f600}%s{}#\u{2028}";

pub fn empty() -> Results {
    Results {
        run: Run {
            version: "0.1.0".into(),
            program: "/home/me/work/program.c".into(),
            entry: "main".into(),
            arithmetic: "machine".into(),
            ..Run::default()
        },
        tests: Vec::new(),
        stats: None,
        left: None,
        damage: Vec::new(),
        torn_tail: None,
        created: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        root: "/home/me/work".into(),
    }
}

pub fn place(function: &str, file: &str, line: u32, column: u32) -> Place {
    Place {
        function: function.into(),
        file: file.into(),
        line,
        column,
    }
}

pub fn input(name: &str, bytes: &[u8]) -> InputValue {
    InputValue::object(name, bytes)
}

pub fn failed(number: u32, fault: Fault) -> Test {
    Test {
        number,
        outcome: Outcome::Error(fault),
        ..Test::default()
    }
}

/// All of them at once.
pub fn odd() -> Results {
    let mut results = empty();
    results.run.program = PathBuf::from(format!("/home/me/work/{ODD}.c"));
    results.run.version = ODD.into();
    results.run.cflags = vec![ODD.into()];
    results.stats = Some(serde_json::json!({ "time": { "total": -1.0 } }));
    results.left = Some(vec![Boundary {
        cause: Cause::Unsupported(ODD.into()),
        paths: 3,
        places: vec![ODD.into()],
    }]);
    results.damage = vec![ODD.into()];
    let everything: Vec<u8> = (0..=255).collect();
    let somewhere = place(ODD, ODD, u32::MAX, u32::MAX);
    let tests = [
        Test::default(),
        Test {
            inputs: vec![
                input(ODD, &everything),
                input("", &[]),
                input("nondet_int", b"abc"),
            ],
            args: vec![everything.clone(), Vec::new(), ODD.into()],
            stdout: everything.clone(),
            stderr: ODD.into(),
            ..Test::default()
        },
        failed(0, Fault::new(ErrorKind::Panic, "")),
        failed(
            0,
            Fault {
                kind: ErrorKind::UseAfterFree,
                message: ODD.into(),
                stack: vec![
                    somewhere.clone(),
                    Place::default(),
                    place("f", "/elsewhere/x.c", 3, 0),
                ],
                object: Some(Object {
                    name: ODD.into(),
                    kind: ObjectKind::Heap,
                    size: u64::MAX,
                    offset: i64::MIN,
                    allocated_at: vec![somewhere],
                    freed_at: vec![Place::default()],
                }),
                access: Some(Access {
                    address: u64::MAX,
                    bytes: u64::MAX,
                }),
                notes: vec![ODD.into()],
            },
        ),
        Test {
            outcome: Outcome::Unfinished(Cause::Undecided(ODD.into())),
            ..Test::default()
        },
    ];
    let numbered = (1..)
        .zip(tests)
        .map(|(number, test)| Test { number, ..test });
    results.tests = numbered.collect();
    results
}

/// Runs a program on some files; what it says if it is not content.
pub fn must_pass(command: &mut Command) {
    let output = command.output().expect("it is installed");
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}\n{said}");
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}
