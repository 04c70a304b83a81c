//! Real solvers: answers, models, cores, and the stack.

use super::*;

pub fn named(name: &str) -> Box<dyn Solver> {
    select::from_spec(name, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

pub fn holds_in_model(outcome: &Outcome, terms: &Terms, formulas: &[Term]) {
    let model = outcome.model().expect("sat");
    for &formula in formulas {
        assert_eq!(
            eval(terms, formula, model),
            Value::Bool(true),
            "{formula:?} in {model:?}"
        );
    }
}

pub type Problem = (&'static str, bool, fn(&mut Terms) -> Vec<Term>);

pub const PROBLEMS: &[Problem] = &[
    ("nothing", true, |_| vec![]),
    ("false", false, |_| vec![Term::FALSE]),
    ("a symbol", true, |t| vec![t.var("and", Sort::Bool)]),
    ("odd names, the same at two sorts", true, |t| {
        let (p, x, one) = (
            t.var("|a \\ b|", Sort::Bool),
            t.var("|a \\ b|", BYTE),
            t.bv(8, 1),
        );
        let is_one = t.eq(x, one);
        vec![p, is_one]
    }),
    ("a factor", true, |t| {
        let (x, y) = (t.var("x", Sort::BitVec(16)), t.var("y", Sort::BitVec(16)));
        let (product, bound, n) = (t.bv_mul(x, y), t.bv(16, 256), t.bv(16, 24_613));
        let (small_x, small_y, factored) =
            (t.bv_ult(x, bound), t.bv_ult(y, bound), t.eq(product, n));
        let one = t.bv(16, 1);
        let (above_x, above_y) = (t.bv_ult(one, x), t.bv_ult(one, y));
        vec![small_x, small_y, factored, above_x, above_y]
    }),
    ("no square is 3 modulo 4", false, |t| {
        let x = t.var("x", BYTE);
        let (square, three) = (t.bv_mul(x, x), t.bv(8, 3));
        let low = t.bv_and(square, three);
        vec![t.eq(low, three)]
    }),
    ("division by zero", true, |t| {
        let (x, y, ones) = (t.var("x", BYTE), t.var("y", BYTE), t.bv(8, 255));
        let (quotient, rest) = (t.bv_udiv(x, y), t.bv_urem(x, y));
        let (all, same, above) = (t.eq(quotient, ones), t.eq(rest, x), t.bv_ult(y, x));
        vec![all, same, above]
    }),
    ("all operators", true, |t| {
        let (x, y) = (t.var("x", BYTE), t.var("y", BYTE));
        let (shl, lshr, ashr) = (t.bv_shl(x, y), t.bv_lshr(x, y), t.bv_ashr(x, y));
        let (or, xor, not) = (t.bv_or(shl, lshr), t.bv_xor(ashr, y), t.bv_not(x));
        let sum = t.bv_sum(&[or, xor, not, x, y]);
        let wide = t.sign_extend(sum, 9);
        let part = t.extract(wide, 12, 3);
        let (joined, signed) = (t.concat(part, sum), t.bv_slt(x, y));
        let zero = t.bv(18, 0);
        let chosen = t.ite(signed, joined, zero);
        let different = t.distinct(&[chosen, zero]);
        vec![different]
    }),
    ("wide", true, |t| {
        let (x, y) = (t.var("x", Sort::BitVec(129)), t.var("y", Sort::BitVec(129)));
        let (sum, one) = (t.bv_add(x, y), t.bv(129, 1));
        let (wraps, odd) = (t.bv_ult(sum, x), t.extract(x, 0, 0));
        let bit = t.extract(one, 0, 0);
        let is_odd = t.eq(odd, bit);
        vec![wraps, is_odd]
    }),
    ("array cells", true, |t| {
        let (a, i, j) = (t.var("a", BYTES), t.var("i", BYTE), t.var("j", BYTE));
        let (at_i, at_j) = (t.select(a, i), t.select(a, j));
        let (less, index) = (t.bv_ult(at_i, at_j), t.bv_add(i, j));
        let at_sum = t.select(a, index);
        let same = t.eq(at_sum, i);
        vec![less, same]
    }),
    ("equal indices, different cells", false, |t| {
        let (a, i, j) = (t.var("a", BYTES), t.var("i", BYTE), t.var("j", BYTE));
        let (at_i, at_j, same) = (t.select(a, i), t.select(a, j), t.eq(i, j));
        let different = t.distinct(&[at_i, at_j]);
        vec![same, different]
    }),
    ("equal arrays", true, |t| {
        let (a, b, i, j) = (
            t.var("a", BYTES),
            t.var("b", BYTES),
            t.var("i", BYTE),
            t.var("j", BYTE),
        );
        let (stored_a, stored_b) = (t.store(a, i, j), t.store(b, j, i));
        let (same, different) = (t.eq(stored_a, stored_b), t.distinct(&[a, b]));
        vec![same, different]
    }),
    ("functions", true, |t| {
        let f = t.func("f", &[BYTE, Sort::Bool], BYTE);
        let p = t.func("f", &[BYTE], Sort::Bool);
        let (x, yes) = (t.var("x", BYTE), t.var("yes", Sort::Bool));
        let once = t.apply(f, &[x, yes]);
        let twice = t.apply(f, &[once, Term::TRUE]);
        let (back, holds, moved) = (t.eq(twice, x), t.apply(p, &[once]), t.distinct(&[once, x]));
        let not_x = t.apply(p, &[x]);
        let not_x = t.not(not_x);
        vec![back, holds, moved, not_x]
    }),
    ("a function of equals", false, |t| {
        let f = t.func("f", &[BYTE], BYTE);
        let (x, y) = (t.var("x", BYTE), t.var("y", BYTE));
        let (of_x, of_y, same) = (t.apply(f, &[x]), t.apply(f, &[y]), t.eq(x, y));
        let different = t.distinct(&[of_x, of_y]);
        vec![same, different]
    }),
    ("deep sharing", true, |t| {
        // Printed without names, this would have billions of nodes.
        let (x, y, five) = (t.var("x", BYTE), t.var("y", BYTE), t.bv(8, 5));
        let mut term = x;
        for _ in 0..30 {
            let (product, negated) = (t.bv_mul(term, y), t.bv_not(term));
            let either = t.bv_xor(product, negated);
            term = t.bv_udiv(either, product);
        }
        vec![t.distinct(&[term, five])]
    }),
    ("a table", true, |t| {
        let (zero, i, n) = (t.bv(8, 0), t.var("i", BYTE), t.bv(8, 200));
        let zeros = t.const_array(8, zero);
        let cells = (0..150)
            .map(|k| (Bv::new(8, k), Bv::new(8, k * k + 56)))
            .collect();
        let table = t.table(zeros, cells);
        let read = t.select(table, i);
        vec![t.eq(read, n)]
    }),
    ("not in the table", false, |t| {
        let (zero, i, n) = (t.bv(8, 0), t.var("i", BYTE), t.bv(8, 201));
        let zeros = t.const_array(8, zero);
        let cells = (0..150)
            .map(|k| (Bv::new(8, k), Bv::new(8, 2 * k)))
            .collect();
        let table = t.table(zeros, cells);
        let read = t.select(table, i);
        vec![t.eq(read, n)]
    }),
];

pub const EQUAL_TO_A_CONSTANT_ARRAY: Problem = ("a constant array", true, |t| {
    let (a, zero, i, j) = (
        t.var("a", BYTES),
        t.bv(8, 0),
        t.var("i", BYTE),
        t.var("j", BYTE),
    );
    let zeros = t.const_array(8, zero);
    let stored = t.store(zeros, i, j);
    let (same, different) = (t.eq(a, stored), t.distinct(&[a, zeros]));
    vec![same, different]
});

/// Checks a problem as assertions, then the same as assumptions.
pub fn solve(solver: &mut dyn Solver, &(name, satisfiable, problem): &Problem) {
    let mut terms = Terms::new();
    let formulas = problem(&mut terms);
    let expected = if satisfiable {
        Verdict::Sat
    } else {
        Verdict::Unsat
    };
    for &formula in &formulas {
        solver.assert(&mut terms, formula);
    }
    let outcome = ask(solver, &mut terms, &[]);
    assert_eq!(outcome.verdict(), expected, "{} on {name}", solver.name());
    if satisfiable {
        holds_in_model(&outcome, &terms, &formulas);
    }
    solver.reset();
    let outcome = ask(solver, &mut terms, &formulas);
    assert_eq!(
        outcome.verdict(),
        expected,
        "{} on {name}, assumed",
        solver.name()
    );
    if satisfiable {
        holds_in_model(&outcome, &terms, &formulas);
    } else {
        let core = core(outcome);
        assert!(
            core.iter().all(|term| formulas.contains(term)),
            "{} on {name}: {core:?}",
            solver.name()
        );
        assert_eq!(
            ask(solver, &mut terms, &core).verdict(),
            Verdict::Unsat,
            "{} on the core of {name}",
            solver.name()
        );
    }
}

#[test]
fn problems_are_decided() {
    for name in REAL {
        for problem in PROBLEMS {
            solve(named(name).as_mut(), problem);
        }
    }
}

#[test]
fn constant_arrays_are_decided_or_declined() {
    for name in ["z3", "cvc5"] {
        solve(named(name).as_mut(), &EQUAL_TO_A_CONSTANT_ARRAY);
    }
    let mut terms = Terms::new();
    let formulas = (EQUAL_TO_A_CONSTANT_ARRAY.2)(&mut terms);
    let verdict = ask(named("yices").as_mut(), &mut terms, &formulas).verdict();
    let declined = Reason::Incomplete("yices: it knows no constant arrays".to_owned());
    assert_eq!(verdict, Verdict::Unknown(declined));
}

#[test]
fn cores_leave_out_what_is_not_needed() {
    for name in ["z3", "yices"] {
        let mut terms = Terms::new();
        let mut solver = named(name);
        let unrelated: Vec<Term> = (0..10)
            .map(|n| terms.var(&format!("p{n}"), Sort::Bool))
            .collect();
        let negated = terms.not(unrelated[3]);
        let (five, six) = (x_is(&mut terms, 5), x_is(&mut terms, 6));
        let mut assumptions = unrelated.clone();
        assumptions.extend([five, six]);
        let outcome = ask(solver.as_mut(), &mut terms, &assumptions);
        // Nothing is asserted: the core is the whole conflict.
        let formulas = outcome
            .conflict()
            .and_then(|conflict| conflict.formulas.clone());
        let mut needed = core(outcome);
        assert_eq!(formulas.as_ref(), Some(&needed), "{name}");
        needed.sort_unstable();
        let mut expected = vec![five, six];
        expected.sort_unstable();
        assert_eq!(needed, expected, "{name}");

        solver.assert(&mut terms, unrelated[3]);
        let outcome = ask(solver.as_mut(), &mut terms, &[five, negated]);
        assert_eq!(core(outcome), [negated], "{name}");

        solver.assert(&mut terms, negated);
        assert_eq!(
            core(ask(solver.as_mut(), &mut terms, &[five])),
            [],
            "{name}"
        );
    }
}

#[test]
fn the_stack_is_followed() {
    for name in REAL {
        let mut terms = Terms::new();
        let mut solver = named(name);
        let f = terms.func("f", &[BYTE], BYTE);
        let x = terms.var("x", BYTE);
        let (five, six, nine) = (x_is(&mut terms, 5), x_is(&mut terms, 6), terms.bv(8, 9));
        let of_x = terms.apply(f, &[x]);
        let is_nine = terms.eq(of_x, nine);
        let small = terms.bv_ult(x, nine);

        solver.assert(&mut terms, small);
        solver.push();
        solver.assert(&mut terms, five);
        assert_eq!(
            ask(solver.as_mut(), &mut terms, &[]).verdict(),
            Verdict::Sat,
            "{name}"
        );
        solver.push();
        solver.assert(&mut terms, six);
        assert_eq!(
            ask(solver.as_mut(), &mut terms, &[is_nine]).verdict(),
            Verdict::Unsat,
            "{name}"
        );
        solver.pop(1);
        // The function was declared on a level that is gone.
        let outcome = ask(solver.as_mut(), &mut terms, &[is_nine]);
        assert_eq!(outcome.verdict(), Verdict::Sat, "{name}");
        holds_in_model(&outcome, &terms, &[small, five, is_nine]);
        solver.assert(&mut terms, is_nine);
        solver.pop(1);
        solver.push();
        solver.assert(&mut terms, six);
        solver.assert(&mut terms, is_nine);
        let outcome = ask(solver.as_mut(), &mut terms, &[]);
        assert_eq!(outcome.verdict(), Verdict::Sat, "{name}");
        holds_in_model(&outcome, &terms, &[small, six, is_nine]);
        let not_small = terms.not(small);
        solver.pop(1);
        assert_eq!(
            ask(solver.as_mut(), &mut terms, &[not_small]).verdict(),
            Verdict::Unsat,
            "{name}"
        );
        solver.reset();
        let outcome = ask(solver.as_mut(), &mut terms, &[not_small]);
        assert_eq!(outcome.verdict(), Verdict::Sat, "{name}");
        holds_in_model(&outcome, &terms, &[not_small]);
    }
}

/// After a reset, terms may be of another arena: the same ids say something else there.
#[test]
fn another_arena_is_no_reason_to_believe_that_nothing_has_changed() {
    for name in REAL {
        let mut solver = named(name);
        let mut ids = Vec::new();
        for (bound, expected) in [(10, Verdict::Unsat), (12, Verdict::Sat)] {
            solver.reset();
            let mut terms = Terms::new();
            let (x, below, above) = (terms.var("x", BYTE), terms.bv(8, bound), terms.bv(8, 9));
            let formulas = [terms.bv_ult(x, below), terms.bv_ult(above, x)];
            ids.push(formulas.map(|formula| formula.index()));
            for &formula in &formulas {
                solver.assert(&mut terms, formula);
            }
            let outcome = ask(solver.as_mut(), &mut terms, &[]);
            assert_eq!(outcome.verdict(), expected, "{name}");
            if expected == Verdict::Sat {
                holds_in_model(&outcome, &terms, &formulas);
            }
        }
        assert_eq!(ids[0], ids[1]);
    }
}

/// Numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A formula over `x` and `y`, of 4 bits each.
fn random_formula(terms: &mut Terms, numbers: &mut Numbers) -> Term {
    let mut pool = vec![
        terms.var("x", Sort::BitVec(4)),
        terms.var("y", Sort::BitVec(4)),
    ];
    pool.push(terms.bv(4, numbers.0 % 16));
    for _ in 0..6 {
        let mut pick = || pool[numbers.below(pool.len() as u64) as usize];
        let (a, b) = (pick(), pick());
        let next = match numbers.below(8) {
            0 => terms.bv_add(a, b),
            1 => terms.bv_mul(a, b),
            2 => terms.bv_udiv(a, b),
            3 => terms.bv_urem(a, b),
            4 => terms.bv_shl(a, b),
            5 => terms.bv_ashr(a, b),
            6 => terms.bv_xor(a, b),
            _ => {
                let less = terms.bv_slt(a, b);
                terms.ite(less, a, b)
            }
        };
        pool.push(next);
    }
    let (a, b) = (pool[pool.len() - 1], pool[pool.len() - 2]);
    match numbers.below(3) {
        0 => terms.eq(a, b),
        1 => terms.bv_ult(a, b),
        _ => terms.bv_slt(a, b),
    }
}

/// A walk up and down the stack, each answer held against trying all values.
#[test]
fn a_random_walk_agrees_with_enumeration() {
    for name in REAL {
        let mut terms = Terms::new();
        let mut solver = named(name);
        let mut numbers = Numbers(0x5eed_1234_abcd_0001);
        let mut stack: Vec<Vec<Term>> = vec![vec![]];
        let mut decided = [0, 0];
        for step in 0..150 {
            match numbers.below(4) {
                0 => {
                    solver.push();
                    stack.push(vec![]);
                }
                1 if stack.len() > 1 => {
                    let levels = 1 + numbers.below(stack.len() as u64 - 1) as usize;
                    solver.pop(levels);
                    stack.truncate(stack.len() - levels);
                }
                2 if stack.len() > 1 => {
                    let formula = random_formula(&mut terms, &mut numbers);
                    solver.assert(&mut terms, formula);
                    stack.last_mut().expect("a level").push(formula);
                }
                _ => {}
            }
            let assumptions: Vec<Term> = (0..numbers.below(3))
                .map(|_| random_formula(&mut terms, &mut numbers))
                .collect();
            let formulas: Vec<Term> = stack
                .iter()
                .flatten()
                .chain(&assumptions)
                .copied()
                .collect();
            let satisfiable = can_hold(&mut terms, &formulas);
            decided[usize::from(satisfiable)] += 1;
            let expected = if satisfiable {
                Verdict::Sat
            } else {
                Verdict::Unsat
            };
            let outcome = ask(solver.as_mut(), &mut terms, &assumptions);
            assert_eq!(outcome.verdict(), expected, "{name} at step {step}");
            if satisfiable {
                holds_in_model(&outcome, &terms, &formulas);
            } else {
                let needed: Vec<Term> = stack
                    .iter()
                    .flatten()
                    .copied()
                    .chain(core(outcome))
                    .collect();
                assert!(
                    !can_hold(&mut terms, &needed),
                    "{name}: a core that can hold, at step {step}"
                );
            }
        }
        assert!(
            decided.iter().all(|&count| count > 15),
            "both answers must occur: {decided:?}"
        );
    }
}

fn can_hold(terms: &mut Terms, formulas: &[Term]) -> bool {
    let (x, y) = (
        terms.var("x", Sort::BitVec(4)),
        terms.var("y", Sort::BitVec(4)),
    );
    let id = |term| refrain_term::free_vars(terms, term)[0];
    let (x, y) = (id(x), id(y));
    (0..256).any(|values| {
        let mut assignment = refrain_term::Assignment::new();
        assignment.set(x, Bv::new(4, values & 15));
        assignment.set(y, Bv::new(4, values >> 4));
        formulas
            .iter()
            .all(|&formula| eval(terms, formula, &assignment) == Value::Bool(true))
    })
}

#[test]
fn what_was_sent_can_be_run_again() {
    let folder = Folder::new();
    let path = folder.file("replay.smt2");
    let options = Options {
        tee: Some(path.clone()),
        ..Options::default()
    };
    let mut solver = select::from_spec("z3", &options).expect("z3 is there");
    let mut terms = Terms::new();
    assert_eq!(
        check_one(solver.as_mut(), &mut terms, &enough()),
        Verdict::Sat
    );
    let six = x_is(&mut terms, 6);
    assert_eq!(
        ask(solver.as_mut(), &mut terms, &[six]).verdict(),
        Verdict::Unsat
    );
    drop(solver);
    assert!(
        fs::read_to_string(&path)
            .expect("the replay file")
            .contains("; v0 is \"x\"")
    );
    assert_eq!(answers_of_z3(&path), ["sat", "unsat"]);
}

fn answers_of_z3(path: &Path) -> Vec<String> {
    let output = Command::new("z3").arg(path).output().expect("z3 runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter(|line| line.ends_with("sat"))
        .map(str::to_owned)
        .collect()
}
