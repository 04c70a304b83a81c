//! `refrain smt` as its users see it: a process with channels, signals and an exit status.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

const REFRAIN: &str = env!("CARGO_BIN_EXE_refrain");

/// Far longer than anything here takes, and short enough to notice a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session that is talked to a line at a time.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    fn start(arguments: &[&str]) -> Talk {
        let mut command = Command::new(REFRAIN);
        command
            .arg("smt")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            output
                .lines()
                .map_while(Result::ok)
                .all(|line| sender.send(line).is_ok())
        });
        Talk {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    fn say(&mut self, text: &str) {
        let input = self.input.as_mut().expect("not closed yet");
        input.write_all(text.as_bytes()).expect("the session reads");
        input.flush().expect("the session reads");
    }

    fn hear(&self) -> String {
        self.lines
            .recv_timeout(PATIENCE)
            .expect("an answer, in time")
    }

    /// Says something and waits for the answer.
    fn ask(&mut self, text: &str) -> String {
        self.say(text);
        self.hear()
    }

    fn interrupt(&self) {
        let status = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(status.expect("kill runs").success());
    }

    /// Closes the input and waits for the exit status.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.wait()
    }

    fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child to wait for") {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "the session does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(REFRAIN);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// A file in a folder of this test's own.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    fs::write(&path, content).expect("the test's folder can be written");
    path
}

/// A multiplication that no solver inverts soon.
fn hard_problem() -> String {
    let product = "(bvmul ((_ zero_extend 64) x) ((_ zero_extend 64) y))";
    // The square of a prime near 2^61, with factors that are neither one nor the prime.
    format!(
        "(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))\
         (assert (= {product} (_ bv5316911983139663487003542222693990401 128)))\
         (assert (bvugt x (_ bv1 64)))(assert (bvult x y))"
    )
}

#[test]
fn each_answer_comes_before_the_next_question() {
    let mut talk = Talk::start(&[]);
    assert_eq!(talk.ask("(set-option :print-success true)\n"), "success");
    assert_eq!(talk.ask("(set-logic QF_BV)\n"), "success");
    assert_eq!(talk.ask("(declare-const x (_ BitVec 8))"), "success");
    assert_eq!(talk.ask("(assert (= (bvmul x #x03) #x2a))"), "success");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    assert_eq!(talk.ask("(get-value (x))"), "((x #x0e))");
    assert_eq!(talk.ask("(push 1)"), "success");
    // Several at once.
    talk.say("(assert (bvult x #x0e)) (check-sat) (pop 1) (check-sat)\n(get-value ((bvadd x x)))");
    for expected in ["success", "unsat", "success", "sat", "(((bvadd x x) #x1c))"] {
        assert_eq!(talk.hear(), expected);
    }
    // A byte at a time.
    for byte in "(echo \"by bytes\"".chars() {
        talk.say(&byte.to_string());
        thread::sleep(Duration::from_millis(1));
    }
    assert!(
        talk.lines.try_recv().is_err(),
        "nothing is answered before the parenthesis closes"
    );
    assert_eq!(talk.ask(")"), "by bytes");
    assert!(
        talk.ask("(assert (= x #b0))")
            .starts_with("(error \"line 4 column ")
    );
    assert_eq!(talk.ask("(check-sat)"), "sat");
    assert_eq!(talk.ask("(exit)"), "success");
    assert_eq!(talk.wait(), Some(1), "there was an error");
}

#[test]
fn an_interrupt_ends_the_check_and_not_the_session() {
    let mut talk = Talk::start(&["-"]);
    talk.say(&format!("(push){}(check-sat)", hard_problem()));
    thread::sleep(Duration::from_millis(300));
    assert!(talk.lines.try_recv().is_err(), "the problem is hard");
    let started = Instant::now();
    talk.interrupt();
    assert_eq!(talk.hear(), "unknown");
    assert!(started.elapsed() < Duration::from_secs(10), "at once");
    assert_eq!(
        talk.ask("(get-info :reason-unknown)"),
        "(:reason-unknown \"interrupted\")"
    );
    assert_eq!(
        talk.ask("(pop)(declare-const p Bool)(assert p)(check-sat)"),
        "sat"
    );
    assert_eq!(talk.ask("(get-value (p))"), "((p true))");
    assert_eq!(talk.end(), Some(0));
}

#[test]
fn an_interrupt_without_a_check_ends_the_process() {
    let mut talk = Talk::start(&[]);
    assert_eq!(talk.ask("(echo \"ready\")"), "ready");
    talk.interrupt();
    assert_eq!(talk.wait(), Some(130));
}

#[test]
fn time_limits_answer_unknown() {
    for (arguments, option) in [
        (&["--max-time", "0.2"][..], ""),
        (&[][..], "(set-option :timeout 200)"),
    ] {
        let mut talk = Talk::start(arguments);
        let started = Instant::now();
        assert_eq!(
            talk.ask(&format!("{option}(push){}(check-sat)", hard_problem())),
            "unknown"
        );
        assert!(started.elapsed() < Duration::from_secs(10), "in time");
        assert_eq!(
            talk.ask("(get-info :reason-unknown)"),
            "(:reason-unknown \"timeout\")"
        );
        assert_eq!(talk.ask("(pop)(check-sat)"), "sat");
        assert_eq!(talk.end(), Some(0));
    }
}

#[test]
fn statuses_are_compared() {
    let script = file("status.smt2", b"(set-info :status unsat)\n(check-sat)\n");
    let script = script.to_str().expect("a path in UTF-8");
    let found = run(&["smt", script]);
    assert_eq!(found.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&found.stdout), "sat\n");
    assert!(String::from_utf8_lossy(&found.stderr).contains(":status is unsat"));
    assert_eq!(
        run(&["smt", "--no-status-check", script]).status.code(),
        Some(0)
    );
}

#[test]
fn statistics_have_their_keys() {
    let script = file(
        "counted.smt2",
        b"(declare-const p Bool)(check-sat)(assert (and p (not p)))(check-sat)",
    );
    let stats = script.with_file_name("stats.json");
    let (script, path) = (
        script.to_str().expect("UTF-8"),
        stats.to_str().expect("UTF-8"),
    );
    assert_eq!(
        run(&["smt", "--check-models", "--stats", path, script])
            .status
            .code(),
        Some(0)
    );
    let stats: serde_json::Value =
        serde_json::from_slice(&fs::read(&stats).expect("written")).expect("JSON");
    for (key, value) in [
        ("queries/total", 2),
        ("solver/calls", 2),
        ("solver/sat", 1),
        ("solver/unsat", 1),
        ("paths/completed", 0),
    ] {
        assert_eq!(
            stats.pointer(&format!("/{key}")),
            Some(&value.into()),
            "{key}"
        );
    }
    for key in [
        "paths/error",
        "paths/killed",
        "instructions",
        "coverage/blocks",
        "coverage/branches",
        "queries/answered_by/fold",
        "queries/answered_by/model",
        "queries/answered_by/reduce",
        "queries/answered_by/exact",
        "queries/answered_by/subset",
        "queries/answered_by/superset",
        "queries/answered_by/implied_sat",
        "queries/answered_by/implied_unsat",
        "queries/answered_by/quick_test",
        "queries/answered_by/memo",
        "queries/answered_by/solver",
        "solver/unknown",
        "solver/partial_solutions",
        "time/total",
        "time/execute",
        "time/build",
        "time/lookup",
        "time/solve",
        "time/store",
        "memory/peak_bytes",
    ] {
        assert!(
            stats
                .pointer(&format!("/{key}"))
                .is_some_and(serde_json::Value::is_number),
            "{key}"
        );
    }
}

/// "(check-sat)\n" as `zstd` compresses it.
const COMPRESSED: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x61, 0x00, 0x00, b'(', b'c', b'h', b'e', b'c', b'k', b'-',
    b's', b'a', b't', b')', b'\n', 0x9a, 0xd1, 0x00, 0x7b,
];

#[test]
fn compressed_scripts() {
    let path = file("compressed.smt2.zst", COMPRESSED);
    let found = run(&["smt", path.to_str().expect("UTF-8")]);
    assert_eq!(
        String::from_utf8_lossy(&found.stdout),
        "sat\n",
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    assert_eq!(found.status.code(), Some(0));
    let path = file("truncated.smt2.zst", &COMPRESSED[..15]);
    assert_eq!(
        run(&["smt", path.to_str().expect("UTF-8")]).status.code(),
        Some(2)
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let cases: [(&[&str], &str); 8] = [
        (
            &["smt", "/no/such/file.smt2"],
            "/no/such/file.smt2: No such file",
        ),
        (&["smt", "/"], "/: "),
        (&["smt", "--solver", "nonsense"], "nonsense"),
        (&["smt", "--max-time", "soon"], "soon"),
        (&["smt", "--max-time=-1"], "-1"),
        (&["smt", "--frobnicate"], "--frobnicate"),
        (&["nonsense"], "nonsense"),
        (
            &["smt", "--stats", "/no/such/folder/s.json"],
            "/no/such/folder/s.json",
        ),
    ];
    for (arguments, expected) in cases {
        let found = run(arguments);
        let message = String::from_utf8_lossy(&found.stderr);
        assert_eq!(found.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    }
    for (name, content) in [
        ("unclosed.smt2", &b"(check-sat"[..]),
        ("string.smt2", b"(echo \"abc"),
        ("bytes.smt2", b"(assert \xff\xfe)"),
        ("binary.smt2", &[0; 100]),
    ] {
        let path = file(name, content);
        let found = run(&["smt", path.to_str().expect("UTF-8")]);
        assert_eq!(found.status.code(), Some(1), "{name}");
        assert!(
            String::from_utf8_lossy(&found.stdout).starts_with("(error \"line 1 column "),
            "{name}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let script = file(
        "long.smt2",
        "(echo \"a line of text\")\n".repeat(100_000).as_bytes(),
    );
    let mut command = Command::new(REFRAIN);
    command
        .arg("smt")
        .arg(script)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut few = [0; 10];
    child
        .stdout
        .take()
        .expect("piped")
        .read_exact(&mut few)
        .expect("some output");
    let found = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&found.stderr), "");
}

/// The answer to a script, and the most memory it took.
fn answer_and_memory(name: &str, script: &str) -> (String, f64) {
    let script = file(name, script.as_bytes());
    let stats = script.with_extension("json");
    let (script, path) = (
        script.to_str().expect("UTF-8"),
        stats.to_str().expect("UTF-8"),
    );
    let found = run(&["smt", "--stats", path, script]);
    assert_eq!(
        found.status.code(),
        Some(0),
        "{name}: {}",
        String::from_utf8_lossy(&found.stderr)
    );
    let stats: serde_json::Value =
        serde_json::from_slice(&fs::read(&stats).expect("written")).expect("JSON");
    let memory = stats
        .pointer("/memory/peak_bytes")
        .and_then(serde_json::Value::as_f64);
    (
        String::from_utf8_lossy(&found.stdout).into_owned(),
        memory.expect("a number"),
    )
}

#[test]
fn deep_and_long_scripts_take_memory_linear_in_their_size() {
    const HEADER: &str =
        "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(declare-const p Bool)\n";
    let deep = |size: usize| {
        let (open, close) = ("(bvadd x (bvxor y ".repeat(size), "))".repeat(size));
        format!("{HEADER}(assert (= y {open}x{close}))(check-sat)")
    };
    let deep_formula = |size: usize| {
        let (open, close) = ("(and p (or (= x y) ".repeat(size), "))".repeat(size));
        format!("{HEADER}(assert {open}p{close})(check-sat)")
    };
    let long = |size: usize| {
        let assertions: String = (0..size)
            .map(|i| format!("(assert (bvuge x (_ bv{} 32)))\n", i % 1000))
            .collect();
        format!("{HEADER}{assertions}(check-sat)")
    };
    let shapes: [(&str, &dyn Fn(usize) -> String); 3] =
        [("deep", &deep), ("formula", &deep_formula), ("long", &long)];
    for (name, script) in shapes {
        let (size, times) = (250_000, 4);
        let (small_answer, small) = answer_and_memory(&format!("{name}-small.smt2"), &script(size));
        let (answer, large) =
            answer_and_memory(&format!("{name}-large.smt2"), &script(size * times));
        assert_eq!(
            (small_answer.as_str(), answer.as_str()),
            ("sat\n", "sat\n"),
            "{name}"
        );
        let growth = large / small;
        assert!(
            growth < 1.5 * times as f64,
            "{name}: {times} times the size takes {growth:.1} times the memory"
        );
    }
}
