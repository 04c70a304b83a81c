//! Every format is valid on whatever results there are, and says what is in them.

mod common;

use std::fs;
use std::process::Command;

use common::{empty, failed, fixture, input, must_pass, odd, place};
use refrain_machine::{Access, ErrorKind, Fault, Object, ObjectKind};
use refrain_report::{Output, Results, Tree, corpus, json, junit, sarif, testcomp};
use refrain_results::{Outcome, Test};
use serde_json::Value;

fn samples() -> Vec<Results> {
    let mut unknown = odd();
    unknown.run = refrain_results::Run::default();
    vec![empty(), odd(), unknown]
}

fn sarif_value(results: &Results) -> Value {
    let text = sarif(results).expect("a report");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn sarif_follows_its_schema() {
    let schema = fs::read(fixture("sarif-schema-2.1.0.json")).expect("the schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let validator = jsonschema::draft7::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema");
    for results in samples().iter().chain([&two_overflows()]) {
        let report = sarif_value(results);
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let mut wrong = sarif_value(&empty());
    wrong["runs"][0]["results"] = serde_json::json!([{ "level": "error" }]);
    assert!(!validator.is_valid(&wrong));
}

/// Three tests, two sites that differ in their lines only.
fn two_overflows() -> Results {
    let fault = |line| Fault {
        // The innermost function has no source.
        stack: vec![
            place("memcpy", "", 0, 0),
            place("f", "/home/me/work/src/a b.c", line, 5),
            place("main", "/home/me/work/src/main.c", 9, 1),
        ],
        object: Some(Object {
            name: "x".into(),
            kind: ObjectKind::Heap,
            size: 4,
            offset: 4,
            allocated_at: vec![place("main", "/home/me/work/src/main.c", 7, 1)],
            freed_at: Vec::new(),
        }),
        access: Some(Access {
            address: 0,
            bytes: 1,
        }),
        ..Fault::new(ErrorKind::OutOfBoundsWrite, "")
    };
    let mut results = empty();
    results.tests = vec![
        Test {
            inputs: vec![input("n", &[7, 0, 0, 0])],
            ..failed(1, fault(20))
        },
        failed(2, fault(12)),
        failed(3, fault(20)),
        Test {
            number: 4,
            inputs: vec![input("n", &[7, 0, 0, 0])],
            ..Test::default()
        },
    ];
    results
}

#[test]
fn sarif_tells_an_error_once_a_site() {
    let report = sarif_value(&two_overflows());
    let run = &report["runs"][0];
    assert_eq!(
        run["originalUriBaseIds"]["SRCROOT"]["uri"],
        "file:///home/me/work/"
    );
    assert_eq!(
        run["tool"]["driver"]["rules"].as_array().map(Vec::len),
        Some(1)
    );
    let found = run["results"].as_array().expect("results");
    assert_eq!(found.len(), 2);
    let second = &found[1];
    assert_eq!(second["ruleId"], "out-of-bounds-write");
    assert_eq!(second["occurrenceCount"], 2);
    let message = second["message"]["text"].as_str().expect("text");
    let expected =
        "out-of-bounds write\nobject: x, 4 bytes, heap; 0 bytes after the end\nInput: n = 7";
    assert_eq!(message, expected);
    let location = &second["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "src/a%20b.c");
    assert_eq!(
        location["region"],
        serde_json::json!({ "startLine": 20, "startColumn": 5 })
    );
    let flow = &second["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(
        flow[0]["location"]["logicalLocations"][0]["fullyQualifiedName"],
        "main"
    );
    assert_eq!(
        second["stacks"][0]["frames"].as_array().map(Vec::len),
        Some(3)
    );
    let related = &second["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "allocated here");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 7);
}

#[test]
fn a_stack_without_an_end_is_cut() {
    let fault = Fault {
        stack: vec![place("f", "f.c", 1, 1); 10_000],
        ..Fault::new(ErrorKind::StackOverflow, "")
    };
    let mut results = empty();
    results.tests = vec![failed(1, fault)];
    let report = sarif_value(&results);
    let stack = &report["runs"][0]["results"][0]["stacks"][0];
    assert_eq!(stack["frames"].as_array().map(Vec::len), Some(50));
    assert_eq!(
        stack["message"]["text"],
        "Call stack; 9950 outer calls are left out"
    );
    let report = String::from_utf8(junit(&results).expect("a report")).expect("text");
    assert!(report.contains("\n… and 9950 more</failure>"));
}

#[test]
fn fingerprints_stay_when_lines_move_and_the_checkout_does() {
    let prints = |results: &Results| -> Vec<Value> {
        let report = sarif_value(results);
        let found = report["runs"][0]["results"]
            .as_array()
            .expect("results")
            .clone();
        found
            .iter()
            .map(|found| found["partialFingerprints"]["refrainSite/v1"].clone())
            .collect()
    };
    let mut before = two_overflows();
    before.tests.push(failed(
        5,
        Fault {
            stack: vec![place("g", "/home/me/work/src/a:1.rs", 20, 5)],
            ..Fault::new(
                ErrorKind::Panic,
                "/home/me/work/src/a:1.rs:20:5: index 7 is too large",
            )
        },
    ));
    let mut after = before.clone();
    after.root = "/elsewhere".into();
    for test in &mut after.tests {
        if let Outcome::Error(fault) = &mut test.outcome {
            fault.message = fault
                .message
                .replace("/home/me/work", "/elsewhere")
                .replace(":20:", ":23:");
            for place in fault.stack.iter_mut().filter(|place| place.line > 0) {
                place.line += 3;
                place.file = place.file.replace("/home/me/work", "/elsewhere");
            }
        }
    }
    let prints_before = prints(&before);
    assert_eq!(prints_before, prints(&after));
    assert_ne!(prints_before[0], prints_before[1]);
}

#[test]
fn junit_follows_its_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("junit.xml");
    for results in samples().iter().chain([&two_overflows()]) {
        fs::write(&path, junit(results).expect("a report")).expect("a file");
        must_pass(
            Command::new("xmllint")
                .args(["--noout", "--nonet", "--schema"])
                .arg(fixture("junit.xsd"))
                .arg(&path),
        );
    }
    let report = String::from_utf8(junit(&two_overflows()).expect("a report")).expect("text");
    for part in [
        r#"tests="4" failures="3" errors="0" skipped="0""#,
        r#"<testcase classname="program.c" name="test000001 n = 7" file="src/a b.c" line="20">"#,
        r#"<failure message="out-of-bounds write" type="out-of-bounds write">"#,
        "in main at /home/me/work/src/main.c:9:1\ninput: n = 7</failure>",
        r#"<testcase classname="program.c" name="test000004 n = 7"/>"#,
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn testcomp_suites_follow_their_definitions() {
    for results in samples().iter().chain([&two_overflows()]) {
        let folder = tempfile::tempdir().expect("a folder");
        let suite = folder.path().join("suite");
        let tree = testcomp(results).expect("a suite");
        assert_eq!(tree.len(), results.tests.len() + 1);
        Output::Tree(tree.clone())
            .write(&suite)
            .expect("it can be written");
        for name in tree.keys() {
            let definition = match name.as_str() {
                "metadata.xml" => "test-metadata-1.1.dtd",
                _ => "testcase-1.1.dtd",
            };
            let mut command = Command::new("xmllint");
            command
                .args(["--noout", "--nonet", "--dtdvalid"])
                .arg(fixture(definition));
            must_pass(command.arg(suite.join(name)));
        }
    }
    let tree = testcomp(&two_overflows()).expect("a suite");
    let text = |name: &str| String::from_utf8(tree[name].clone()).expect("text");
    assert!(text("test000001.xml").contains(
        "<testcase coversError=\"true\">\n  <input variable=\"n\" type=\"int32_t\">7</input>\n</testcase>"
    ));
    assert!(text("test000004.xml").contains("<testcase>\n"));
    assert!(text("metadata.xml").contains("<creationtime>2023-11-14T22:13:20Z</creationtime>"));
}

#[test]
fn a_corpus_has_every_input_once() {
    let mut results = two_overflows();
    results.tests.push(Test {
        number: 5,
        inputs: vec![input("a", b"AB"), input("b", b"C")],
        ..Test::default()
    });
    let tree = corpus(&results);
    let contents: Vec<(bool, &[u8])> = tree
        .iter()
        .map(|(name, bytes)| (name.starts_with("crashes/"), bytes.as_slice()))
        .collect();
    let seven: &[u8] = &[7, 0, 0, 0];
    assert_eq!(contents.len(), 4);
    for expected in [
        (false, &b"ABC"[..]),
        (false, seven),
        (true, seven),
        (true, b""),
    ] {
        assert!(contents.contains(&expected), "{expected:?}");
    }
}

#[test]
fn the_document_has_everything() {
    for results in &samples() {
        let value: Value = serde_json::from_slice(&json(results).expect("a report")).expect("JSON");
        assert_eq!(
            value["tests"].as_array().map(Vec::len),
            Some(results.tests.len())
        );
    }
    let value: Value =
        serde_json::from_slice(&json(&two_overflows()).expect("a report")).expect("JSON");
    assert_eq!(value["complete"], false);
    assert_eq!(value["errors"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["errors"][1]["times"], 2);
    assert_eq!(value["errors"][1]["place"]["line"], 20);
    assert_eq!(value["errors"][1]["place"]["function"], "f");
    assert_eq!(value["tests"][0]["outcome"]["stack"][2]["function"], "main");
    assert_eq!(value["tests"][0]["outcome"]["line"], 20);
    let value: Value = serde_json::from_slice(&json(&odd()).expect("a report")).expect("JSON");
    assert_eq!(value["left_open"][0]["cause"]["kind"], "unsupported");
    assert_eq!(value["left_open"][0]["why"], common::ODD);
    assert_eq!(value["damage"][0], common::ODD);
}

/// Every kind of error has a rule of its own.
#[test]
fn every_kind_has_its_rule() {
    let mut results = empty();
    let kinds = (1..).zip(ErrorKind::ALL);
    results.tests = kinds
        .map(|(number, &kind)| failed(number, Fault::new(kind, "")))
        .collect();
    let report = sarif_value(&results);
    let rules = report["runs"][0]["tool"]["driver"]["rules"].clone();
    let rules = rules.as_array().expect("a list");
    let ids: std::collections::BTreeSet<&str> = rules
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    assert_eq!(ids.len(), ErrorKind::ALL.len());
    for found in report["runs"][0]["results"].as_array().expect("results") {
        let rule = found["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[rule]["id"], found["ruleId"]);
    }
}

#[test]
fn what_is_written_is_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = Output::Tree(Tree::from([("a/b".into(), b"c".to_vec())]));
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).expect("a folder");
    tree.write(&taken)
        .expect("an empty folder is as good as none");
    assert_eq!(fs::read(taken.join("a/b")).expect("a file"), b"c");
    assert!(tree.write(&taken).is_err());
    assert!(tree.write(&folder.path().join("no/where")).is_err());
    let text = Output::Text(b"text".to_vec());
    assert!(text.write(&taken).is_err());
    let file = folder.path().join("file");
    fs::write(&file, "an older and longer one").expect("a file");
    text.write(&file).expect("it is replaced");
    assert_eq!(fs::read(&file).expect("a file"), b"text");
    tree.write(&folder.path().join("suite.zip"))
        .expect("an archive");
    let names = fs::read_dir(folder.path()).expect("a folder").flatten();
    let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    names.sort();
    assert_eq!(names, ["file", "suite.zip", "taken"]);
}
