//! Solvers that lie, each in one way: the fuzzer must notice. z3, which must be on the PATH, is its oracle.

use crate::fuzz::ast::{Op, Sort, T, bv, float, int, op, symbol};
use crate::fuzz::examine::{Jury, examine};
use crate::fuzz::oracle::Peer;
use crate::fuzz::script::{Command, Probe, Script};
use crate::fuzz::session::{Kind, Session, Tested};
use crate::fuzz::tally::Tally;
use crate::fuzz::theory::Theory;
use std::time::Duration;

/// A solver that always says the same.
struct Liar {
    answer: &'static str,
    model: &'static str,
    core: &'static str,
}

impl Liar {
    fn start(&self) -> Session {
        let answers = [
            ("(check-sat", self.answer),
            ("(get-model", self.model),
            ("(get-unsat-core", self.core),
            ("(echo", "done"),
        ];
        let cases: String = answers
            .iter()
            .map(|(command, words)| format!("'{command}'*) echo '{words}';; "))
            .collect();
        let program = format!("while read -r line; do case \"$line\" in {cases}esac; done");
        let tested = Tested {
            command: vec!["sh".to_string(), "-c".to_string(), program],
            plain: false,
            limit: Duration::from_secs(20),
        };
        Session::start(&tested).expect("there is a shell")
    }

    /// What the fuzzer makes of its answer about these assertions over x and y.
    fn caught(&self, theory: Theory, assertions: Vec<T>) -> Option<Kind> {
        let sort = theory.number_sort().unwrap_or(Sort::Bv(8));
        self.caught_in(theory, sort, assertions)
    }

    fn caught_over(&self, floats: Sort, assertions: Vec<T>) -> Option<Kind> {
        self.caught_in(Theory::Fp, floats, assertions)
    }

    fn caught_in(&self, theory: Theory, sort: Sort, assertions: Vec<T>) -> Option<Kind> {
        let declare = ["x", "y"].map(|name| Command::Declare {
            name: name.to_string(),
            parameters: Vec::new(),
            result: sort,
        });
        let assert = assertions
            .into_iter()
            .enumerate()
            .map(|(place, term)| Command::Assert {
                term,
                name: Some(format!("n{place}")),
            });
        let check = Command::Check {
            assuming: None,
            probe: Probe::Model,
        };
        let script = Script {
            theory,
            logic: "ALL",
            unsat_cores: true,
            global_declarations: false,
            commands: declare.into_iter().chain(assert).chain([check]).collect(),
        };
        let mut jury = Jury::new(&[Peer::Z3]);
        let finding = examine(&script, &mut self.start(), &mut jury, &mut Tally::default());
        finding.expect("z3 is there").map(|finding| finding.kind)
    }
}

fn says_sat(model: &'static str) -> Liar {
    Liar {
        answer: "sat",
        model,
        core: "()",
    }
}

fn says_unsat(core: &'static str) -> Liar {
    Liar {
        answer: "unsat",
        model: "()",
        core,
    }
}

fn more_than_three(x: &T) -> T {
    op(Op::Gt, [x.clone(), int(3)])
}

#[test]
fn lies_about_integers_are_noticed() {
    let theory = Theory::Lia;
    let x = symbol("x", Sort::Int);
    let large = more_than_three(&x);
    let small = op(Op::Lt, [x.clone(), int(2)]);
    let both = vec![large.clone(), small.clone()];

    let honest = says_sat("((define-fun x () Int 4) (define-fun y () Int (- 1)))");
    assert_eq!(honest.caught(theory, vec![large.clone()]), None);
    assert_eq!(honest.caught(theory, both.clone()), Some(Kind::Model));
    assert_eq!(
        says_sat("()").caught(theory, vec![large.clone()]),
        Some(Kind::Model)
    );
    let unsat = says_unsat("(n0 n1)");
    assert_eq!(unsat.caught(theory, both.clone()), None);
    assert_eq!(
        says_unsat("(n0)").caught(theory, vec![large]),
        Some(Kind::Answer)
    );
    assert_eq!(
        says_unsat("(n1)").caught(theory, both.clone()),
        Some(Kind::Core)
    );
    assert_eq!(says_unsat("(n7)").caught(theory, both), Some(Kind::Core));
}

#[test]
fn division_by_zero_must_be_a_function() {
    let divide = |name: &str, dividend: i32| {
        let quotient = op(Op::Div, [int(dividend), int(0)]);
        op(Op::Eq, [symbol(name, Sort::Int), quotient])
    };
    let solver = says_sat("((define-fun x () Int 4) (define-fun y () Int 5))");
    let alike = vec![divide("x", 1), divide("y", 1)];
    assert_eq!(solver.caught(Theory::Lia, alike), Some(Kind::Model));
    let apart = vec![divide("x", 1), divide("y", 2)];
    assert_eq!(solver.caught(Theory::Lia, apart), None);
}

#[test]
fn lies_about_bit_vectors_are_noticed() {
    let x = symbol("x", Sort::Bv(8));
    let large = vec![op(Op::BvUgt, [x, bv(3, 8)])];
    let model = |value: &str| {
        format!("((define-fun x () (_ BitVec 8) {value}) (define-fun y () (_ BitVec 8) #x00))")
    };
    let honest = says_sat(model("#x04").leak());
    assert_eq!(honest.caught(Theory::Bv, large.clone()), None);
    let wrong = says_sat(model("#x03").leak());
    assert_eq!(wrong.caught(Theory::Bv, large.clone()), Some(Kind::Model));
    let unsat = says_unsat("(n0)");
    assert_eq!(unsat.caught(Theory::Bv, large), Some(Kind::Answer));
}

#[test]
fn lies_about_floats_are_noticed() {
    // Of odd formats no oracle is asked: the evaluator judges.
    for (exponent, significand) in [(5, 11), (3, 4)] {
        let sort = Sort::Float(exponent, significand);
        let x = symbol("x", sort);
        let zero = float(0, exponent, significand);
        let positive = op(Op::FpGt, [x.clone(), zero.clone()]);
        let negative = op(Op::FpLt, [x, zero]);
        let both = vec![positive.clone(), negative];
        let model = |name: &str| {
            let value = format!("(_ {name} {exponent} {significand})");
            format!("((define-fun x () {sort} {value}) (define-fun y () {sort} {value}))")
        };
        let honest = says_sat(model("+oo").leak());
        assert_eq!(honest.caught_over(sort, vec![positive.clone()]), None);
        let wrong = says_sat(model("NaN").leak());
        let found = wrong.caught_over(sort, vec![positive.clone()]);
        assert_eq!(found, Some(Kind::Model));
        let unsat = says_unsat("(n0 n1)");
        assert_eq!(unsat.caught_over(sort, both.clone()), None);
        let found = says_unsat("(n0)").caught_over(sort, vec![positive]);
        assert_eq!(found, Some(Kind::Answer));
        let found = says_unsat("(n1)").caught_over(sort, both);
        assert_eq!(found, Some(Kind::Core));
    }
}
