//! Reads of constant tables against brute force: large ones, of which whole blocks are encoded, with writes over them.

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Query, Solver, Verdict};
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value};
use refrain_testing::{Random, effort};

/// A table of many cells, and a question about what two indices find there.
struct Question {
    terms: Terms,
    indices: [Term; 2],
    formula: Term,
}

impl Question {
    fn new(random: &mut Random) -> Question {
        let mut terms = Terms::new();
        let bits = 4 + random.below(10) as u32;
        let all = 1u64 << bits;
        let indices = ["i", "j"].map(|name| terms.var(name, Sort::BitVec(bits)));
        let filled = terms.bv(8, random.below(256) as u64);
        let base = terms.const_array(bits, filled);
        let cells = (0..random.below(all as usize + all as usize / 2))
            .map(|_| {
                let at = Bv::new(bits, random.next() % all);
                (at, Bv::new(8, random.next() % 256))
            })
            .collect();
        let mut array = terms.table(base, cells);
        if random.below(3) == 0 {
            let (at, value) = (indices[random.below(2)], random.next() % 256);
            let value = terms.bv(8, value);
            array = terms.store(array, at, value);
        }
        let [x, y] = indices.map(|index| terms.select(array, index));
        let wanted = terms.bv(8, random.next() % 256);
        let sum = terms.bv_add(x, y);
        let formula = match random.below(4) {
            0 => terms.eq(x, wanted),
            1 => terms.eq(sum, wanted),
            2 => terms.bv_ult(x, y),
            _ => {
                let offset = terms.bv(bits, random.next() % all);
                let next = terms.bv_add(indices[0], offset);
                let other = terms.select(array, next);
                let both = terms.bv_and(x, other);
                terms.eq(both, wanted)
            }
        };
        // Only a part of the indices, so that some have no answer.
        let low = terms.bv(bits, random.next() % all);
        let some = terms.bv_ult(indices[0], low);
        let last = terms.bv(bits, random.next() % all.min(16));
        let few = terms.bv_ult(indices[1], last);
        let formula = terms.and(&[formula, some, few]);
        Question {
            terms,
            indices,
            formula,
        }
    }

    fn holds(&self, evaluator: &mut Evaluator, values: [u64; 2]) -> bool {
        let mut assignment = Assignment::new();
        for (index, value) in self.indices.into_iter().zip(values) {
            let Op::Var(var) = self.terms.op(index) else {
                unreachable!("a symbol")
            };
            assignment.set(var, Value::Bv(Bv::new(self.terms.width(index), value)));
        }
        evaluator.forget();
        evaluator.bool(&self.terms, &assignment, self.formula)
    }

    fn has_an_answer(&self) -> bool {
        let mut evaluator = Evaluator::new();
        let all = 1u64 << self.terms.width(self.indices[0]);
        (0..all.min(16)).any(|j| (0..all).any(|i| self.holds(&mut evaluator, [i, j])))
    }
}

#[test]
fn reads_of_tables_agree_with_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..effort(40, 4_000) {
        let mut question = Question::new(&mut Random::new(seed));
        let expected = question.has_an_answer();
        for table_lemmas in [0, 4] {
            let mut solver = Native::with_tuning(Tuning {
                values: false,
                enumerate: false,
                table_lemmas,
                ..Tuning::default()
            });
            solver.assert(&mut question.terms, question.formula);
            let limits = Limits::default();
            let outcome = solver.check(&mut question.terms, &Query::new(&[], &limits));
            let found = match outcome.result {
                CheckResult::Sat(model) => {
                    let value = refrain_term::eval(&question.terms, question.formula, &model);
                    assert_eq!(value, Value::Bool(true), "seed {seed}");
                    true
                }
                CheckResult::Unsat(_) => false,
                CheckResult::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
            };
            assert_eq!(found, expected, "seed {seed}, {table_lemmas} lemmas");
        }
        match expected {
            true => sat += 1,
            false => unsat += 1,
        }
    }
    assert!(sat > 8 && unsat > 4, "{sat} and {unsat}");
}

/// Tables of few cells in a wide space: whole blocks have none, more than there is time to look at one by one.
#[test]
fn places_without_cells_are_refuted_at_once() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..effort(60, 4_000) {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let width = 13 + random.below(52) as u32;
        let last = u64::MAX >> (64 - width);
        let rest = random.below(8) as u64;
        let filled = terms.bv(8, rest);
        let base = terms.const_array(width, filled);
        let cells: Vec<(u64, u64)> = (0..1 + random.below(40))
            .map(|_| {
                // Some of them side by side.
                let at = random.next() >> random.below(64) & last;
                (at, random.below(16) as u64)
            })
            .collect();
        let pairs = { cells.iter() }.map(|&(at, value)| (Bv::new(width, at), Bv::new(8, value)));
        let table = terms.table(base, pairs.collect());
        let index = terms.var("i", Sort::BitVec(width));
        let offset = terms.bv(width, random.next() & last);
        let place = terms.bv_add(index, offset);
        let read = terms.select(table, place);
        let wanted = random.below(20) as u64;
        let value = terms.bv(8, wanted);
        let found = terms.eq(read, value);
        // What is written later counts.
        let is_last = |place: usize| {
            cells[place + 1..]
                .iter()
                .all(|(at, _)| *at != cells[place].0)
        };
        let mut left = (0..cells.len()).filter(|&place| is_last(place));
        let expected = wanted == rest || left.any(|place| cells[place].1 == wanted);
        for table_lemmas in [0, 4] {
            let mut solver = Native::with_tuning(Tuning {
                values: false,
                enumerate: false,
                table_lemmas,
                ..Tuning::default()
            });
            solver.assert(&mut terms, found);
            let outcome = solver.check(&mut terms, &Query::new(&[], &Limits::default()));
            let verdict = outcome.verdict();
            let answer = if expected {
                Verdict::Sat
            } else {
                Verdict::Unsat
            };
            assert_eq!(verdict, answer, "seed {seed}, {table_lemmas} lemmas");
        }
        match expected {
            true => sat += 1,
            false => unsat += 1,
        }
    }
    assert!(sat > 12 && unsat > 12, "{sat} and {unsat}");
}
