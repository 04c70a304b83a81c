//! Scripted solvers that crash, hang, talk nonsense or lie.

use super::*;

#[test]
fn a_crash_is_a_failure_and_the_next_check_starts_again() {
    let folder = Folder::new();
    let mut solver = script(
        &folder,
        "echo \"$line\" >> log; case \"$line\" in *check-sat*)
         if test -e crashed; then echo unsat; else touch crashed; echo 'out of luck' >&2; exit 3; fi;; esac",
    );
    let mut terms = Terms::new();
    let text = failure(check_one(&mut solver, &mut terms, &enough()));
    assert!(text.contains("smtlib:sh"), "{text}");
    assert!(text.contains("exit status: 3"), "{text}");
    assert!(text.contains("out of luck"), "{text}");
    assert_eq!(ask(&mut solver, &mut terms, &[]).verdict(), Verdict::Unsat);
    let asserted = folder
        .read("log")
        .lines()
        .filter(|line| line.starts_with("(assert"))
        .count();
    assert_eq!(asserted, 2, "the stack is sent again");
    assert_eq!(
        (
            solver.stats().checks,
            solver.stats().unknown,
            solver.stats().unsat
        ),
        (2, 1, 1)
    );
}

#[test]
fn a_hang_is_a_timeout_and_nothing_stays_behind() {
    let folder = Folder::new();
    let mut solver = answering(
        &folder,
        "echo $$ > pid; sleep 1000 & echo $! > child; wait",
        "true",
    );
    let mut terms = Terms::new();
    let verdict = check_one(&mut solver, &mut terms, &within(Duration::from_millis(500)));
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    assert!(is_gone(&folder.read("pid")), "the script was killed");
    assert!(
        is_gone(&folder.read("child")),
        "what the script started was killed"
    );
}

#[test]
fn who_asks_to_stop_is_heard() {
    let folder = Folder::new();
    let mut solver = answering(&folder, "sleep 1000", "true");
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits {
        deadline: None,
        stop: Some(Arc::clone(&stop)),
        conflicts: None,
    };
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        check_one(&mut solver, &mut Terms::new(), &limits),
        Verdict::Unknown(Reason::Interrupted)
    );
    stopper.join().expect("it only sleeps");
}

#[test]
fn a_program_that_does_not_read_is_a_timeout() {
    let folder = Folder::new();
    let mut solver = script(&folder, "sleep 1000");
    let mut terms = Terms::new();
    for number in 0..20_000 {
        // More than a pipe holds.
        let symbol = terms.var(&format!("s{number}"), Sort::Bool);
        solver.assert(&mut terms, symbol);
    }
    let verdict = solver
        .check(
            &mut terms,
            &Query::new(&[], &within(Duration::from_millis(500))),
        )
        .verdict();
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
}

#[test]
fn a_process_ends_with_its_owner() {
    let folder = Folder::new();
    let mut solver = answering(&folder, "echo $$ > pid; echo unsat", "true");
    assert_eq!(
        check_one(&mut solver, &mut Terms::new(), &enough()),
        Verdict::Unsat
    );
    drop(solver);
    assert!(is_gone(&folder.read("pid")));
}

#[test]
fn what_is_not_an_answer_is_a_failure() {
    let table = [
        (
            "echo 'Segmentation fault'",
            "answered \"Segmentation\" to check-sat",
        ),
        (
            "echo '(error \"line 3: no (such) thing\")'",
            "answered \"(error \\\"line 3: no (such) thing\\\")\" to check-sat",
        ),
        ("echo unsupported", "answered \"unsupported\" to check-sat"),
        (
            "echo '(never closed'; exit",
            "answered \"(never closed \" to check-sat",
        ),
        ("exit", "it ended (exit status: 0)"),
    ];
    for (check_sat, expected) in table {
        let folder = Folder::new();
        let mut solver = answering(&folder, check_sat, "true");
        let text = failure(check_one(&mut solver, &mut Terms::new(), &enough()));
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn slow_verbose_and_chatty_programs_are_understood() {
    let table = [
        "sleep 0.3; echo unsat",
        "head -c 1000000 /dev/zero >&2; echo unsat",
        "echo success; echo '; a comment'; echo unsat",
    ];
    for check_sat in table {
        let folder = Folder::new();
        let mut solver = answering(&folder, check_sat, "true");
        assert_eq!(
            check_one(&mut solver, &mut Terms::new(), &enough()),
            Verdict::Unsat,
            "{check_sat}"
        );
    }
}

#[test]
fn a_sat_answer_needs_a_true_model() {
    let table = [
        ("echo '((v0 #x05))'", None),
        ("echo '((v0 (_ bv5 8)))'", None),
        (
            "echo '((v0 #x06))'",
            Some("its model does not satisfy formula 1 of 1"),
        ),
        (
            "echo '((v0 #b101))'",
            Some("a value of sort (_ BitVec 8) cannot be read"),
        ),
        ("echo '()'", Some("it answered \"()\" to get-value")),
        ("echo '(error \"no model\")'", Some("to get-value")),
        ("exit 1", Some("exit status: 1")),
    ];
    for (get_value, expected) in table {
        let folder = Folder::new();
        let mut solver = answering(&folder, "echo sat", get_value);
        let verdict = check_one(&mut solver, &mut Terms::new(), &enough());
        match expected {
            None => assert_eq!(verdict, Verdict::Sat, "{get_value}"),
            Some(expected) => {
                let text = failure(verdict);
                assert!(text.contains(expected), "{text}");
            }
        }
    }
}

#[test]
fn arrays_in_an_unknown_form_are_read_cell_by_cell() {
    let folder = Folder::new();
    let get_value = "case \"$line\" in *select*) echo '(((select v0 #x03) #x07) (#x03 #x03))';; \
                     *) echo '((v0 (_ as-array f)))';; esac";
    let mut solver = answering(&folder, "echo sat", get_value);
    let mut terms = Terms::new();
    let (array, index, seven) = (terms.var("a", BYTES), terms.bv(8, 3), terms.bv(8, 7));
    let cell = terms.select(array, index);
    let formula = terms.eq(cell, seven);
    solver.assert(&mut terms, formula);
    let outcome = ask(&mut solver, &mut terms, &[]);
    let model = outcome.model().expect("sat");
    assert_eq!(eval(&terms, cell, model), Value::Bv(Bv::new(8, 7)));
}

#[test]
fn a_program_without_cores_gives_all_assumptions() {
    let folder = Folder::new();
    let mut solver = script(
        &folder,
        "echo \"$line\" >> log; case \"$line\" in *check-sat*) echo unsat;; esac",
    );
    let mut terms = Terms::new();
    let assumptions = [x_is(&mut terms, 5), x_is(&mut terms, 6)];
    assert_eq!(
        core(ask(&mut solver, &mut terms, &assumptions)),
        assumptions
    );
    assert_eq!(core(ask(&mut solver, &mut terms, &[])), []);
    let log = folder.read("log");
    assert!(
        log.ends_with("(check-sat)\n(pop 1)\n(check-sat)\n"),
        "{log}"
    );
}

#[test]
fn deep_terms_are_sent() {
    let folder = Folder::new();
    let mut solver = answering(&folder, "echo unsat", "true");
    let mut terms = Terms::new();
    let (mut term, y) = (terms.var("x", BYTE), terms.var("y", BYTE));
    for _ in 0..50_000 {
        let quotient = terms.bv_udiv(term, y);
        term = terms.bv_xor(quotient, y);
    }
    let formula = terms.eq(term, y);
    solver.assert(&mut terms, formula);
    assert_eq!(ask(&mut solver, &mut terms, &[]).verdict(), Verdict::Unsat);
}

#[test]
fn a_program_that_is_not_there_is_a_failure() {
    let mut solver = Process::new(Backend::command("/no/such/solver", &[]));
    let text = failure(check_one(&mut solver, &mut Terms::new(), &enough()));
    assert!(text.contains("/no/such/solver cannot be started"), "{text}");
}
