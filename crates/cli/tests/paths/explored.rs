//! One run of `refrain run`, and the tests it wrote.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bitcode::Files;
use crate::plan::Configuration;

/// Nothing here takes a tenth of it.
const LIMIT: Duration = Duration::from_secs(180);

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Exit(i32),
    /// The kind of error.
    Error(String),
    Unfinished(String),
}

/// A path's test.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    /// Names and bytes.
    pub inputs: Vec<(String, Vec<u8>)>,
    pub ending: Ending,
}

#[derive(Debug)]
pub struct Explored {
    pub tests: Vec<Test>,
    /// The exit status of the exploring process.
    pub status: Option<i32>,
    /// What it said on standard error.
    pub said: String,
}

pub fn run(files: &Files, configuration: &Configuration) -> Result<Explored, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("out");
    let said = folder.path().join("said");
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command
        .arg("run")
        .args(configuration.arguments())
        .args(["--tests", "all"])
        .arg("--out")
        .arg(&out);
    for file in &files.with {
        command.arg("--with").arg(file);
    }
    command.arg(&files.program);
    let status = finish(command, &said)?;
    let said = fs::read(&said).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let tests = read_tests(&out).map_err(|error| format!("{error}; it said: {said}"))?;
    Ok(Explored {
        tests,
        status: status.code(),
        said,
    })
}

/// Runs to the end, but not for ever.
fn finish(mut command: Command, said: &Path) -> Result<ExitStatus, String> {
    let said = File::create(said).map_err(|error| error.to_string())?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .map_err(|error| error.to_string())?;
    let started = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status),
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no end after {} s", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(3)),
        }
    }
}

/// As any script would: from what `refrain show` prints.
fn read_tests(out: &Path) -> Result<Vec<Test>, String> {
    let shown = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(["show", "--json"])
        .arg(out)
        .output()
        .map_err(|error| error.to_string())?;
    if !shown.status.success() {
        return Err(String::from_utf8_lossy(&shown.stderr).into_owned());
    }
    let values = serde_json::Deserializer::from_slice(&shown.stdout).into_iter();
    let read = |value: serde_json::Result<Value>| {
        let value = value.map_err(|error| error.to_string())?;
        let name = format!("test {}", value["test"]);
        test(&name, &value).ok_or_else(|| format!("{name} is not of the known form: {value}"))
    };
    values.map(read).collect()
}

fn test(name: &str, value: &Value) -> Option<Test> {
    let outcome = &value["outcome"];
    let text = |value: &Value| value.as_str().map(str::to_string);
    let ending = match outcome["kind"].as_str()? {
        "exit" => Ending::Exit(i32::try_from(outcome["status"].as_i64()?).ok()?),
        "error" => Ending::Error(text(&outcome["error"])?),
        "unfinished" => Ending::Unfinished(text(&outcome["why"])?),
        _ => return None,
    };
    let input = |input: &Value| Some((text(&input["name"])?, bytes(input["bytes"].as_str()?)?));
    let inputs: Option<Vec<_>> = value["inputs"].as_array()?.iter().map(input).collect();
    Some(Test {
        name: name.to_string(),
        inputs: inputs?,
        ending,
    })
}

/// The bytes that hexadecimal digits stand for.
fn bytes(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    let pairs = (0..text.len()).step_by(2).map(|at| &text[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect()
}

#[test]
fn tests_are_read() {
    let text = r#"{ "test": 1, "outcome": {"kind":"error","error":"division by zero","message":"","file":"a.c","line":3,"column":5,
        "function":"f","stack":[]}, "inputs": [{"name":"x","bytes":"0a00fF","text":"\n"}], "args": ["a.c"], "stdout": "", "stderr": null,
        "instructions": 12, "decisions": [0,1], "new_coverage": true }"#;
    let value = serde_json::from_str(text).expect("JSON");
    let test = test("test 1", &value).expect("a test");
    assert_eq!(test.ending, Ending::Error("division by zero".to_string()));
    assert_eq!(test.inputs, [("x".to_string(), vec![10, 0, 255])]);
}
