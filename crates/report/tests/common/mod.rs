//! Results that no program of good manners leaves behind.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use refrain_report::Results;
use refrain_results::{Fault, Input, Outcome, Place, Run, Test, Unfinished};

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

pub fn input(name: &str, bytes: &[u8]) -> Input {
    Input {
        name: name.into(),
        bytes: bytes.to_vec(),
    }
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
    results.left = Some(vec![Unfinished {
        why: ODD.into(),
        paths: 3,
        places: vec![ODD.into()],
    }]);
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
        failed(0, Fault::default()),
        failed(
            0,
            Fault {
                error: ODD.into(),
                message: ODD.into(),
                place: Some(somewhere.clone()),
                stack: vec![
                    somewhere,
                    Place::default(),
                    place("f", "/elsewhere/x.c", 3, 0),
                ],
                details: vec![ODD.into()],
                related: Vec::new(),
            },
        ),
        Test {
            outcome: Outcome::Unfinished { why: ODD.into() },
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
