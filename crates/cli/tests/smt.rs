//! `refrain smt` as its users see it: a process with channels, signals and an exit status.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use common::{REFRAIN, file, run};

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
        command.env("REFRAIN_STORE", "none");
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
        self.signal("-INT");
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
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

/// Zeros and ones with given weighted sums, of which there are most likely none: a known hard kind of integer problem.
fn hard_numbers() -> String {
    let (symbols, sums) = (40, 4);
    let mut state = 1u64;
    let mut weight = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005) + 1;
        state >> 33 & 127
    };
    let mut script = String::new();
    for place in 0..symbols {
        script += &format!("(declare-const b{place} Int)(assert (<= 0 b{place} 1))");
    }
    for _ in 0..sums {
        let weights: Vec<u64> = (0..symbols).map(|_| weight()).collect();
        let addends = weights.iter().enumerate();
        let addends: Vec<String> = addends
            .map(|(place, weight)| format!("(* {weight} b{place})"))
            .collect();
        let half = weights.iter().sum::<u64>() / 2;
        script += &format!("(assert (= (+ {}) {half}))", addends.join(" "));
    }
    script
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
    assert_eq!(talk.ask("(push 1)"), "success");
    assert!(
        talk.ask("(assert (= x #b0))")
            .starts_with("(error \"line 4 column ")
    );
    assert_eq!(talk.ask("(check-sat)"), "unknown");
    assert_eq!(talk.ask("(pop 1)"), "success");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    assert_eq!(talk.ask("(exit)"), "success");
    assert_eq!(talk.wait(), Some(1), "there was an error");
}

/// The model at hand also knows elements of the level that was popped: `k` of two values is none of them.
#[test]
fn values_of_terms_that_are_not_asserted_are_their_own() {
    let mut talk = Talk::start(&[]);
    talk.say("(set-option :produce-models true)(set-logic ALL)(declare-sort S 0)");
    talk.say("(declare-datatypes ((E 0)) (((on) (off))))");
    talk.say("(declare-datatypes ((D 0)) (((i (i0 Int) (i1 Int)) (j (j0 Int) (j1 Bool) (j2 E)) (n) (k (k0 S) (k1 Int)))))");
    talk.say("(declare-const p Bool)(push 1)(declare-const d D)(assert ((_ is i) d))");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    talk.say("(pop 1)(declare-const e E)(assert (match e ((on p) (off false))))");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    let value = talk.ask("(get-value ((k (k0 n) 5)))");
    assert!(value.ends_with(" 5)))"), "{value}");
}

/// The model at hand also knows tags of the datatype before the reset, which had more constructors.
#[test]
fn tags_are_those_of_the_datatype_that_is_declared() {
    let mut talk = Talk::start(&[]);
    talk.say("(set-option :produce-models true)(declare-fun c6 () Int)(declare-fun c7 () Int)");
    talk.say("(assert (or (>= c6 3) (> c7 0)))");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    talk.say("(reset)(set-option :produce-models true)");
    talk.say("(declare-datatypes ((D 0)) (((a)(b)(c))))(declare-fun c7 () D)(declare-fun c8 () D)");
    talk.say("(assert (= c (ite (= a c7) c8 c7)))");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    talk.say("(reset)(set-option :produce-models true)");
    talk.say("(declare-datatypes ((D 0)) (((a (a0 Bool)) (b))))(declare-fun c4 () D)");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    let value = talk.ask("(get-value ((or ((_ is a) c4) ((_ is b) c4))))");
    assert!(value.ends_with(" true))"), "{value}");
}

/// A quantifier that is not expanded is a name to models: they say nothing about it. What is asserted is true.
#[test]
fn models_give_no_values_to_quantifiers_that_are_not_expanded() {
    let mut talk = Talk::start(&[]);
    talk.say("(set-option :produce-models true)(set-option :produce-assignments true)");
    talk.say("(set-logic ALL)(declare-const p Bool)(declare-const y Int)");
    talk.say("(assert (! (exists ((x Int)) (< (* 3 x) y)) :named a))");
    talk.say("(assert (! (or p (! (exists ((x Int)) (< x 3)) :named b)) :named c))");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    for values in [
        "(get-value ((exists ((x Int)) (< x 3))))",
        "(get-value (p (ite (forall ((x Int)) (< x y)) 1 2)))",
        "(eval (exists ((x Int)) (< x 4)))",
    ] {
        let error = talk.ask(values);
        assert!(error.contains("depends on a quantifier"), "{error}");
    }
    let expanded = "(exists ((x Int)) (and (<= 0 x 3) (= x 2)))";
    let value = talk.ask(&format!("(get-value ({expanded}))"));
    assert_eq!(value, format!("(({expanded} true))"));
    assert_eq!(talk.ask("(get-assignment)"), "((a true) (c true))");
}

/// An assumption is one of its check alone, and so is what is not known because of it.
#[test]
fn quantifiers_that_are_assumed_leave_other_checks_alone() {
    let mut talk = Talk::start(&[]);
    talk.say("(set-logic ALL)(declare-const b Bool)(declare-fun p (Int) Bool)");
    let assumed = "(check-sat-assuming ((forall ((x Int)) (p x))))";
    assert_eq!(talk.ask(assumed), "unknown");
    assert_eq!(talk.ask("(check-sat)"), "sat");
    assert_eq!(talk.ask("(check-sat-assuming (b))"), "sat");
    talk.say("(assert (or (not b) (forall ((x Int)) (p x))))(assert (not (p 7)))");
    assert_eq!(talk.ask("(check-sat)"), "unknown");
    assert_eq!(talk.ask(assumed), "unknown");
}

#[test]
fn an_interrupt_ends_the_check_and_not_the_session() {
    for problem in [hard_problem(), hard_numbers()] {
        let mut talk = Talk::start(&["-"]);
        talk.say(&format!("(push){problem}(check-sat)"));
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
}

#[test]
fn an_interrupt_without_a_check_ends_the_process() {
    let mut talk = Talk::start(&[]);
    assert_eq!(talk.ask("(echo \"ready\")"), "ready");
    talk.interrupt();
    assert_eq!(talk.wait(), Some(130));
}

/// A program that never answers, and says in a file which process it is.
fn silent_solver(name: &str) -> (String, std::path::PathBuf) {
    let pid = file(&format!("{name}.pid"), b"");
    let script = format!("echo $$ > {}; exec sleep 1000", pid.display());
    let script = file(&format!("{name}.sh"), script.as_bytes());
    (format!("smtlib:sh {}", script.display()), pid)
}

#[test]
#[cfg(target_os = "linux")]
fn being_terminated_ends_the_solvers_too() {
    let (solver, pid) = silent_solver("terminated");
    let mut talk = Talk::start(&["--solver", &solver, "--reuse", "stack"]);
    // Another check waits behind the one that hangs.
    talk.say("(declare-const p Bool)(push 1)(assert p)(check-sat)(check-sat)");
    let started = Instant::now();
    let pid = loop {
        let pid = fs::read_to_string(&pid).expect("written above");
        if !pid.trim().is_empty() {
            break pid.trim().to_owned();
        }
        assert!(started.elapsed() < PATIENCE, "the solver does not start");
        thread::sleep(Duration::from_millis(5));
    };
    talk.signal("-TERM");
    assert_eq!(talk.wait(), None, "ended by the signal");
    assert!(
        !std::path::Path::new("/proc").join(&pid).exists(),
        "process {pid} is left behind"
    );
}

#[test]
fn no_solver_is_asked_while_an_assertion_is_missing() {
    for reuse in ["full", "stack", "baseline"] {
        let (solver, pid) = silent_solver(&format!("refused-{reuse}"));
        let mut talk = Talk::start(&["--solver", &solver, "--reuse", reuse]);
        let error = talk.ask("(declare-const p Bool)(push)(assert (= p (bvadd p q)))");
        assert!(error.starts_with("(error \"line 1 column "), "{error}");
        assert_eq!(talk.ask("(check-sat)"), "unknown");
        assert_eq!(talk.ask("(check-sat-assuming (p))"), "unknown");
        let reason = talk.ask("(get-info :reason-unknown)");
        let expected = "(:reason-unknown \"incomplete: an assertion was refused: line 1 column ";
        assert!(reason.starts_with(expected), "{reason}");
        let value = talk.ask("(get-value (p))");
        assert!(value.contains("model is not available"), "{value}");
        assert_eq!(talk.end(), Some(1), "there were errors");
        let started = fs::read_to_string(&pid).expect("written above");
        assert_eq!(started, "", "the solver was started with {reuse}");
    }
}

#[test]
fn being_terminated_without_a_check_is_the_end() {
    let mut talk = Talk::start(&[]);
    assert_eq!(talk.ask("(check-sat)"), "sat");
    talk.signal("-TERM");
    assert_eq!(talk.wait(), None, "ended by the signal");
}

#[test]
#[cfg(target_os = "linux")]
fn remarks_that_cannot_be_written_are_dropped() {
    let full = || Stdio::from(fs::File::create("/dev/full").expect("there on Linux"));
    let script = file("remarks.smt2", b"(get-info :no-such-info)(check-sat)");
    let found = Command::new(REFRAIN)
        .env("REFRAIN_STORE", "none")
        .arg("smt")
        .arg(script)
        .stderr(full())
        .output();
    let found = found.expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&found.stdout), "unsupported\nsat\n");
    assert_eq!(found.status.code(), Some(0));
    let found = Command::new(REFRAIN)
        .env("REFRAIN_STORE", "none")
        .args(["smt", "/no/such/file"])
        .stderr(full())
        .status();
    assert_eq!(found.expect("the binary runs").code(), Some(2));
    // Answers are another matter.
    let script = file("answers.smt2", b"(check-sat)");
    let found = Command::new(REFRAIN)
        .env("REFRAIN_STORE", "none")
        .arg("smt")
        .arg(script)
        .stdout(full())
        .output();
    let found = found.expect("the binary runs");
    assert!(String::from_utf8_lossy(&found.stderr).contains("No space left"));
    assert_eq!(found.status.code(), Some(2));
}

#[test]
fn a_session_goes_on_when_nobody_reads_its_remarks() {
    let mut command = Command::new(REFRAIN);
    command.env("REFRAIN_STORE", "none");
    command
        .arg("smt")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    drop(child.stderr.take());
    let mut input = child.stdin.take().expect("piped");
    input
        .write_all(b"(get-info :no-such-info)(get-info :none-either)(check-sat)")
        .expect("the session reads");
    drop(input);
    let found = child.wait_with_output().expect("it ends");
    assert_eq!(
        String::from_utf8_lossy(&found.stdout),
        "unsupported\nunsupported\nsat\n"
    );
}

#[test]
fn time_limits_answer_unknown() {
    for (arguments, option, problem) in [
        (&["--max-time", "0.2"][..], "", hard_problem()),
        (&[][..], "(set-option :timeout 200)", hard_problem()),
        (&["--max-time", "0.2"][..], "", hard_numbers()),
        (&[][..], "(set-option :timeout 200)", hard_numbers()),
    ] {
        let mut talk = Talk::start(arguments);
        let started = Instant::now();
        assert_eq!(
            talk.ask(&format!("{option}(push){problem}(check-sat)")),
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

/// As under z3's `-T:`: whatever is still to be said is not.
#[test]
fn the_time_for_everything_ends_the_session() {
    for arguments in [&["--total-time", "0.2"][..], &["-T:1"][..]] {
        let mut talk = Talk::start(arguments);
        let problem = hard_problem();
        assert_eq!(talk.ask(&format!("{problem}(check-sat)")), "timeout");
        assert_eq!(talk.wait(), Some(0));
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
    let mut followed = COMPRESSED.to_vec();
    followed.extend(b"something else");
    for (name, content) in [
        ("truncated.smt2.zst", &COMPRESSED[..15]),
        ("header.smt2.zst", &COMPRESSED[..5]),
        ("followed.smt2.zst", &followed),
    ] {
        let path = file(name, content);
        let found = run(&["smt", path.to_str().expect("UTF-8")]);
        assert_eq!(found.status.code(), Some(2), "{name}");
        let message = String::from_utf8_lossy(&found.stderr);
        assert!(message.contains("damaged or cut short"), "{message}");
        assert_eq!(found.stdout, b"", "{name}: nothing of it is run");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let cases: [(&[&str], &str); 11] = [
        (
            &["smt", "/no/such/file.smt2"],
            "/no/such/file.smt2: No such file",
        ),
        (&["smt", "/"], "/: "),
        (&["smt", "--solver", "nonsense"], "nonsense"),
        (&["smt", "--max-time", "soon"], "soon"),
        (&["smt", "--max-time=-1"], "-1"),
        (&["smt", "--max-time", "inf"], "not a length of time"),
        (&["smt", "--frobnicate"], "--frobnicate"),
        (&["smt", "--solver", ""], "no solver is named"),
        (&["smt", "--stats", "/"], "/: "),
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
    command.env("REFRAIN_STORE", "none");
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
