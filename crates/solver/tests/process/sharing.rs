//! Names for what several paths share: what is sent, and that the answers stay what they are.

use std::collections::HashSet;

use super::real::{Numbers, PROBLEMS, holds_in_model, named, solve};
use super::*;

fn naming(name: &str) -> Box<dyn Solver> {
    let options = Options {
        name_shared: true,
        ..Options::default()
    };
    select::from_spec(name, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// A solver that says unsat to everything and logs what it reads.
fn listener(folder: &Folder) -> Process {
    let mut solver = script(
        folder,
        "echo \"$line\" >> log; case \"$line\" in *check-sat*) echo unsat;; esac",
    );
    solver.name_shared(true);
    solver
}

/// What was sent after the preamble.
fn sent(folder: &Folder) -> String {
    let log = folder.read("log");
    let lines = log.lines().filter(|line| !line.starts_with("(set-"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Every name is declared or defined on a level in force when it is used, and not a second time while it is.
fn check_names(text: &str) {
    let mut levels: Vec<HashSet<String>> = vec![HashSet::new()];
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        let mut words = line
            .split(|c: char| c.is_whitespace() || "()".contains(c))
            .filter(|word| !word.is_empty());
        let command = words.next().unwrap_or_default();
        let is_name = |word: &&str| {
            word.starts_with(['t', 'v', 'f', 'a'])
                && word.len() > 1
                && word[1..].chars().all(|c| c.is_ascii_digit() || c == '.')
        };
        match command {
            "push" => levels.push(HashSet::new()),
            "pop" => {
                let count: usize = words.next().and_then(|word| word.parse().ok()).expect(line);
                assert!(count < levels.len(), "{line}");
                levels.truncate(levels.len() - count);
            }
            "reset" => levels = vec![HashSet::new()],
            _ => {
                let new = command.starts_with("de").then(|| words.next().expect(line));
                for word in words.filter(is_name) {
                    let known = levels.iter().any(|level| level.contains(word));
                    assert!(known, "{word} is not in force: {line}");
                }
                if let Some(new) = new {
                    let known = levels.iter().any(|level| level.contains(new));
                    assert!(!known, "{new} is in force: {line}");
                    levels.last_mut().expect("a level").insert(new.to_owned());
                }
            }
        }
    }
}

fn long_sum(terms: &mut Terms) -> Term {
    let word = Sort::BitVec(32);
    let (x, y) = (terms.var("x", word), terms.var("y", word));
    let (product, quotient) = (terms.bv_mul(x, y), terms.bv_udiv(x, y));
    terms.bv_xor(product, quotient)
}

/// Both sides of a branch, twice: the condition is defined below the branch, once.
#[test]
fn a_condition_is_defined_below_its_branch() {
    let folder = Folder::new();
    let mut solver = listener(&folder);
    let mut terms = Terms::new();
    let sum = long_sum(&mut terms);
    let bound = terms.bv(32, 100);
    let less = terms.bv_ult(sum, bound);
    let sides = [less, terms.not(less), less, terms.not(less)];
    solver.push();
    for side in sides {
        solver.push();
        solver.assert(&mut terms, side);
        ask(&mut solver, &mut terms, &[]);
        solver.pop(1);
    }
    drop(solver);
    let text = sent(&folder);
    check_names(&text);
    let name = format!("t{}", less.index());
    let expected = format!(
        "(declare-fun v0 () (_ BitVec 32))
(declare-fun v1 () (_ BitVec 32))
(push 1)
(push 1)
(assert (bvult (bvxor (bvmul v1 v0) (bvudiv v0 v1)) #x00000064))
(check-sat)
(pop 1)
(define-fun {name} () Bool (bvult (bvxor (bvmul v1 v0) (bvudiv v0 v1)) #x00000064))
(push 1)
(assert (not {name}))
(check-sat)
(pop 1)
(push 1)
(assert {name})
(check-sat)
(pop 1)
(push 1)
(assert (not {name}))
(check-sat)
"
    );
    assert_eq!(text, expected);
}

/// A name goes with the level it was defined on, and comes again on the level where it is next of use.
#[test]
fn names_go_with_their_levels() {
    let folder = Folder::new();
    let mut solver = listener(&folder);
    let mut terms = Terms::new();
    let sum = long_sum(&mut terms);
    let mut below = |bound| {
        let bound = terms.bv(32, bound);
        terms.bv_ult(sum, bound)
    };
    let conditions = [below(100), below(101), below(102)];
    let mut go = |levels, conditions: &[Term]| {
        solver.pop(levels);
        for &condition in conditions {
            solver.push();
            solver.assert(&mut terms, condition);
            ask(&mut solver, &mut terms, &[]);
        }
    };
    go(0, &conditions);
    go(1, &conditions[2..]);
    go(2, &conditions[2..]);
    go(2, &conditions[1..]);
    drop(solver);
    let text = sent(&folder);
    check_names(&text);
    let name = format!("t{}", sum.index());
    let definition =
        format!("(define-fun {name} () (_ BitVec 32) (bvxor (bvmul v1 v0) (bvudiv v0 v1)))");
    let expected = format!(
        "(declare-fun v0 () (_ BitVec 32))
(declare-fun v1 () (_ BitVec 32))
(push 1)
(assert (bvult (bvxor (bvmul v1 v0) (bvudiv v0 v1)) #x00000064))
(check-sat)
{definition}
(push 1)
(assert (bvult {name} #x00000065))
(check-sat)
(push 1)
(assert (bvult {name} #x00000066))
(check-sat)
(check-sat)
(pop 2)
(push 1)
(assert (bvult {name} #x00000066))
(check-sat)
(pop 2)
{definition}
(push 1)
(assert (bvult {name} #x00000065))
(check-sat)
(push 1)
(assert (bvult {name} #x00000066))
(check-sat)
"
    );
    assert_eq!(text, expected);
}

/// What is short is not worth a name, however often it comes; a term that only comes inside of another is left to
/// that one's name.
#[test]
fn names_are_few() {
    let folder = Folder::new();
    let mut solver = listener(&folder);
    let mut terms = Terms::new();
    let sum = long_sum(&mut terms);
    let (five, bound) = (x_is(&mut terms, 5), terms.bv(32, 9));
    let less = terms.bv_ult(sum, bound);
    for _ in 0..5 {
        solver.push();
        solver.assert(&mut terms, five);
        solver.assert(&mut terms, less);
        ask(&mut solver, &mut terms, &[]);
        solver.pop(1);
        ask(&mut solver, &mut terms, &[five]);
    }
    drop(solver);
    let text = sent(&folder);
    check_names(&text);
    let definitions: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("(define-fun"))
        .collect();
    assert_eq!(definitions.len(), 1, "{text}");
    assert!(definitions[0].starts_with(&format!("(define-fun t{} ", less.index())));
}

#[test]
fn deep_and_wide_terms_are_sent() {
    let folder = Folder::new();
    let mut solver = listener(&folder);
    let mut terms = Terms::new();
    let (mut term, y) = (terms.var("x", BYTE), terms.var("y", BYTE));
    for _ in 0..50_000 {
        let quotient = terms.bv_udiv(term, y);
        term = terms.bv_xor(quotient, y);
    }
    // Each is used twice by the next: written out, this would have no end.
    let mut doubled = term;
    for _ in 0..20_000 {
        let rest = terms.bv_urem(doubled, y);
        doubled = terms.bv_udiv(rest, doubled);
    }
    let formulas = [terms.eq(term, y), terms.eq(doubled, y)];
    for _ in 0..2 {
        for formula in formulas {
            solver.push();
            solver.assert(&mut terms, formula);
            assert_eq!(
                ask(&mut solver, &mut terms, &[formula]).verdict(),
                Verdict::Unsat
            );
        }
        solver.pop(2);
    }
    drop(solver);
    let text = sent(&folder);
    check_names(&text);
    assert!(text.len() < 20_000_000, "{} bytes", text.len());
}

#[test]
fn problems_are_decided_with_names() {
    for name in REAL {
        let mut solver = naming(name);
        for problem in PROBLEMS {
            // Another arena: nothing of the last one may be left.
            solver.reset();
            solve(solver.as_mut(), problem);
        }
    }
    let mut solver = naming("z3,cvc5");
    for problem in PROBLEMS {
        solver.reset();
        solve(solver.as_mut(), problem);
    }
}

#[test]
fn a_portfolio_passes_it_on() {
    let folder = Folder::new();
    let options = Options {
        name_shared: true,
        tee: Some(folder.file("replay.smt2")),
        // The first answers alone: one that loses a race is started again, and told everything again.
        handoff: Duration::from_secs(60),
    };
    let mut solver = select::from_spec("z3,yices", &options).expect("both are there");
    let mut terms = Terms::new();
    let (sum, bound) = (long_sum(&mut terms), terms.bv(32, 100));
    let less = terms.bv_ult(sum, bound);
    for side in [less, terms.not(less), less] {
        solver.push();
        solver.assert(&mut terms, side);
        let outcome = ask(solver.as_mut(), &mut terms, &[]);
        assert_eq!(outcome.verdict(), Verdict::Sat);
        holds_in_model(&outcome, &terms, &[side]);
        solver.pop(1);
    }
    drop(solver);
    let text = folder.read("replay.smt2");
    check_names(&text);
    assert_eq!(text.matches("(define-fun").count(), 1, "{text}");
}

/// Symbols and terms over them, from which formulas are made that share much.
struct Pool {
    words: Vec<Term>,
    arrays: Vec<Term>,
    ints: Vec<Term>,
}

impl Pool {
    fn new(terms: &mut Terms) -> Pool {
        Pool {
            words: ["x", "y", "z"].map(|name| terms.var(name, BYTE)).to_vec(),
            arrays: ["a", "b"].map(|name| terms.var(name, BYTES)).to_vec(),
            ints: ["i", "j", "k"]
                .map(|name| terms.var(name, Sort::Int))
                .to_vec(),
        }
    }

    fn grow(&mut self, terms: &mut Terms, numbers: &mut Numbers) {
        let constant = numbers.below(256);
        let pick =
            |from: &[Term], numbers: &mut Numbers| from[numbers.below(from.len() as u64) as usize];
        let (a, b) = (pick(&self.words, numbers), pick(&self.words, numbers));
        let (i, j) = (pick(&self.ints, numbers), pick(&self.ints, numbers));
        let array = pick(&self.arrays, numbers);
        match numbers.below(10) {
            0 => self.words.push(terms.bv_add(a, b)),
            1 => self.words.push(terms.bv_xor(a, b)),
            2 => {
                let constant = terms.bv(8, constant);
                self.words.push(terms.bv_udiv(a, constant));
            }
            3 => {
                let less = terms.bv_slt(a, b);
                self.words.push(terms.ite(less, a, b));
            }
            4 | 5 => self.words.push(terms.select(array, a)),
            6 => self.arrays.push(terms.store(array, a, b)),
            7 => self.ints.push(terms.add(i, j)),
            8 => {
                let (number, zero) = (terms.int(constant as i64), terms.int(0));
                let moved = terms.add(i, number);
                let positive = terms.lt(zero, moved);
                self.ints.push(terms.ite(positive, moved, j));
            }
            _ => {
                let less = terms.lt(i, j);
                self.words.push(terms.ite(less, a, b));
            }
        }
    }

    fn formula(&self, terms: &mut Terms, numbers: &mut Numbers) -> Term {
        let constant = numbers.below(256);
        let pick =
            |from: &[Term], numbers: &mut Numbers| from[numbers.below(from.len() as u64) as usize];
        let (a, b) = (pick(&self.words, numbers), pick(&self.words, numbers));
        let (i, j) = (pick(&self.ints, numbers), pick(&self.ints, numbers));
        let formula = match numbers.below(5) {
            0 => terms.bv_ult(a, b),
            1 => {
                let constant = terms.bv(8, constant);
                terms.eq(a, constant)
            }
            2 => terms.bv_slt(a, b),
            3 => terms.lt(i, j),
            _ => {
                let constant = terms.int(constant as i64);
                terms.le(i, constant)
            }
        };
        if numbers.below(2) == 0 {
            terms.not(formula)
        } else {
            formula
        }
    }
}

/// Random sessions, which return to earlier formulas often, decided with names, without, and by the native solver.
#[test]
fn names_change_no_answer() {
    for seed in 1..=4 {
        random_session(seed);
    }
}

fn random_session(seed: u64) {
    let folder = Folder::new();
    let options = Options {
        name_shared: true,
        tee: Some(folder.file("replay.smt2")),
        ..Options::default()
    };
    let mut solvers = [
        select::from_spec("z3", &options).expect("z3 is there"),
        named("z3"),
        named("native"),
    ];
    let mut terms = Terms::new();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ seed);
    let mut pool = Pool::new(&mut terms);
    let mut formulas: Vec<Term> = Vec::new();
    let mut stack: Vec<Vec<Term>> = vec![vec![]];
    let mut decided = [0, 0];
    for step in 0..250 {
        pool.grow(&mut terms, &mut numbers);
        if numbers.below(2) == 0 {
            formulas.push(pool.formula(&mut terms, &mut numbers));
        }
        let pick = |terms: &mut Terms, numbers: &mut Numbers| {
            let place = numbers.below(formulas.len().max(1) as u64) as usize;
            let formula = formulas.get(place).copied().unwrap_or(Term::TRUE);
            if numbers.below(3) == 0 {
                terms.not(formula)
            } else {
                formula
            }
        };
        match numbers.below(12) {
            0..=3 => {
                solvers.iter_mut().for_each(|solver| solver.push());
                stack.push(vec![]);
            }
            4..=6 if stack.len() > 1 => {
                let levels = 1 + numbers.below(stack.len() as u64 - 1) as usize;
                solvers.iter_mut().for_each(|solver| solver.pop(levels));
                stack.truncate(stack.len() - levels);
            }
            7 if numbers.below(5) == 0 => {
                solvers.iter_mut().for_each(|solver| solver.reset());
                stack = vec![vec![]];
            }
            _ => {}
        }
        if stack.len() > 1 || numbers.below(20) == 0 {
            let formula = pick(&mut terms, &mut numbers);
            solvers
                .iter_mut()
                .for_each(|solver| solver.assert(&mut terms, formula));
            stack.last_mut().expect("a level").push(formula);
        }
        let assumptions: Vec<Term> = (0..numbers.below(4))
            .map(|_| pick(&mut terms, &mut numbers))
            .collect();
        let asserted: Vec<Term> = stack.iter().flatten().copied().collect();
        let all: Vec<Term> = asserted.iter().chain(&assumptions).copied().collect();
        let [outcome, without, native] = solvers
            .each_mut()
            .map(|solver| ask(solver.as_mut(), &mut terms, &assumptions));
        let verdict = outcome.verdict();
        assert_eq!(verdict, without.verdict(), "seed {seed}, step {step}");
        assert_eq!(verdict, native.verdict(), "seed {seed}, step {step}");
        match outcome.result {
            CheckResult::Sat(_) => {
                decided[0] += 1;
                holds_in_model(&outcome, &terms, &all);
            }
            CheckResult::Unsat(Conflict { core, .. }) => {
                decided[1] += 1;
                assert!(core.iter().all(|term| assumptions.contains(term)));
                let mut fresh = named("native");
                for &formula in asserted.iter().chain(&core) {
                    fresh.assert(&mut terms, formula);
                }
                let again = ask(fresh.as_mut(), &mut terms, &[]).verdict();
                assert_eq!(again, Verdict::Unsat, "a core, seed {seed}, step {step}");
            }
            CheckResult::Unknown(reason) => panic!("seed {seed}, step {step}: {reason}"),
        }
    }
    assert!(decided.iter().all(|&count| count > 30), "{decided:?}");
    drop(solvers);
    let text = folder.read("replay.smt2");
    check_names(&text);
    assert!(text.contains("(define-fun t"), "nothing is named");
}
