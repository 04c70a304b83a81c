//! The native solver against brute force: random incremental stacks over inputs so small that all their values can be
//! enumerated.

use std::sync::Arc;

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Conflict, Limits, Query, Solver};
use refrain_term::{
    Assignment, Batch, Bits, Bv, Evaluator, FuncId, FuncValue, Op, Sort, Term, Terms, Value,
};
use refrain_testing::Random;

const WIDTH: u32 = 3;
const INDEX: u32 = 2;

/// All assignments to two words, a Boolean, two small arrays and a function.
struct World {
    terms: Terms,
    words: Vec<Term>,
    flag: Term,
    arrays: Vec<Term>,
    func: FuncId,
    lanes: Batch,
    count: usize,
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let words: Vec<Term> = ["x", "y"]
            .iter()
            .map(|name| terms.var(name, Sort::BitVec(WIDTH)))
            .collect();
        let flag = terms.var("p", Sort::Bool);
        let sort = Sort::Array {
            index: INDEX,
            element: 1,
        };
        let arrays: Vec<Term> = ["a", "b"]
            .iter()
            .map(|name| terms.var(name, sort))
            .collect();
        let func = terms.func("f", &[Sort::BitVec(1)], Sort::BitVec(1));
        // 3 + 3 + 1 bits of scalars, 4 + 4 cells, 2 values of the function.
        let count: u64 = 1 << 17;
        let functions: Vec<Arc<Assignment>> = (0..4)
            .map(|code: u64| {
                let mut value = FuncValue::new(Value::Bv(Bv::zero(1)));
                for arg in 0..2 {
                    value.set(
                        vec![Value::Bv(Bv::new(1, arg))],
                        Value::Bv(Bv::new(1, code >> arg)),
                    );
                }
                let mut assignment = Assignment::new();
                assignment.set_func(func, value);
                Arc::new(assignment)
            })
            .collect();
        let mut lanes = Batch::from_shared(
            (0..count)
                .map(|code| functions[code as usize & 3].clone())
                .collect(),
        );
        let column = |shift: u64, mask: u64| -> Vec<u64> {
            (0..count).map(|code| code >> shift & mask).collect()
        };
        let var = |term: Term| match terms.op(term) {
            Op::Var(var) => var,
            _ => unreachable!(),
        };
        lanes.set_bv(var(words[0]), column(2, 7));
        lanes.set_bv(var(words[1]), column(5, 7));
        let mut flags = Bits::new(count as usize);
        (0..count).for_each(|code| flags.set(code as usize, code >> 8 & 1 == 1));
        lanes.set_bool(var(flag), &flags);
        for cell in 0..4 {
            lanes.set_cell(var(arrays[0]), Bv::new(INDEX, cell), column(9 + cell, 1));
            lanes.set_cell(var(arrays[1]), Bv::new(INDEX, cell), column(13 + cell, 1));
        }
        World {
            terms,
            words,
            flag,
            arrays,
            func,
            lanes,
            count: count as usize,
        }
    }

    fn word(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 || random.below(5) == 0 {
            return match random.below(4) {
                0 => self.terms.bv(WIDTH, random.below(8) as u64),
                _ => random.pick(&self.words),
            };
        }
        let a = self.word(random, depth - 1);
        let b = self.word(random, depth - 1);
        let terms = &mut self.terms;
        match random.below(14) {
            0 => terms.bv_add(a, b),
            1 => terms.bv_sub(a, b),
            2 => terms.bv_mul(a, b),
            3 => terms.bv_udiv(a, b),
            4 => terms.bv_srem(a, b),
            5 => terms.bv_shl(a, b),
            6 => terms.bv_lshr(a, b),
            7 => terms.bv_and(a, b),
            8 => terms.bv_xor(a, b),
            9 => {
                let (high, low) = (terms.extract(a, 1, 0), terms.extract(b, 2, 2));
                terms.concat(high, low)
            }
            10 => {
                let condition = self.truth(random, depth - 1);
                self.terms.ite(condition, a, b)
            }
            11 => {
                let read = self.bit(random, depth - 1);
                self.terms.zero_extend(read, WIDTH - 1)
            }
            12 => terms.bv_ashr(a, b),
            _ => terms.bv_not(a),
        }
    }

    fn index(&mut self, random: &mut Random, depth: usize) -> Term {
        let word = self.word(random, depth);
        let low = random.below(2) as u32;
        self.terms.extract(word, low + INDEX - 1, low)
    }

    /// A read or an application.
    fn bit(&mut self, random: &mut Random, depth: usize) -> Term {
        let index = self.index(random, depth);
        if random.below(3) == 0 {
            let argument = self.terms.extract(index, 0, 0);
            return self.terms.apply(self.func, &[argument]);
        }
        let array = self.array(random, depth);
        self.terms.select(array, index)
    }

    fn array(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 || random.below(3) == 0 {
            return match random.below(6) {
                0 => {
                    let element = self.terms.bv(1, random.below(2) as u64);
                    self.terms.const_array(INDEX, element)
                }
                1 => {
                    let mut base = random.pick(&self.arrays);
                    if random.below(2) == 0 {
                        let word = self.word(random, 0);
                        let element = self.terms.extract(word, 0, 0);
                        base = self.terms.const_array(INDEX, element);
                    }
                    let cells = (0..random.below(4))
                        .map(|_| {
                            (
                                Bv::new(INDEX, random.below(4) as u64),
                                Bv::new(1, random.below(2) as u64),
                            )
                        })
                        .collect();
                    self.terms.table(base, cells)
                }
                _ => random.pick(&self.arrays),
            };
        }
        let array = self.array(random, depth - 1);
        if random.below(3) == 0 {
            let other = self.array(random, depth - 1);
            let condition = self.truth(random, depth - 1);
            return self.terms.ite(condition, array, other);
        }
        let (index, element) = (self.index(random, depth - 1), self.bit(random, depth - 1));
        self.terms.store(array, index, element)
    }

    fn truth(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 {
            return self.flag;
        }
        match random.below(10) {
            0 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                self.terms.or2(a, b)
            }
            1 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                self.terms.xor(a, b)
            }
            2 => {
                let (a, b) = (self.array(random, depth - 1), self.array(random, depth - 1));
                self.terms.eq(a, b)
            }
            3 => {
                let (a, b) = (self.bit(random, depth - 1), self.bit(random, depth - 1));
                self.terms.eq(a, b)
            }
            4 => {
                let a = self.truth(random, depth - 1);
                self.terms.not(a)
            }
            5 | 6 => {
                let (a, b) = (self.word(random, depth - 1), self.word(random, depth - 1));
                self.terms.bv_ult(a, b)
            }
            7 => {
                let (a, b) = (self.word(random, depth - 1), self.word(random, depth - 1));
                self.terms.bv_slt(a, b)
            }
            _ => {
                let (a, b) = (self.word(random, depth - 1), self.word(random, depth - 1));
                self.terms.eq(a, b)
            }
        }
    }

    fn lanes_of(&mut self, term: Term) -> Bits {
        self.lanes.eval(&self.terms, &[term]).remove(0)
    }
}

/// The lanes in which all of these hold.
fn conjunction<'a>(count: usize, all: impl IntoIterator<Item = &'a Bits>) -> Bits {
    let mut result = Bits::ones(count);
    for bits in all {
        result.intersect(bits);
    }
    result
}

fn run(world: &mut World, seed: u64, tuning: Tuning, rounds: usize) -> (usize, usize) {
    let mut random = Random::new(seed);
    let (mut sat, mut unsat) = (0, 0);
    let mut solver = Native::with_tuning(tuning);
    let mut stack: Vec<Vec<(Term, Bits)>> = vec![Vec::new()];
    for round in 0..rounds {
        match random.below(12) {
            0 | 1 => {
                solver.push();
                stack.push(Vec::new());
            }
            2 if stack.len() > 1 => {
                let levels = 1 + random.below(stack.len() - 1);
                solver.pop(levels);
                stack.truncate(stack.len() - levels);
            }
            3 if random.below(20) == 0 => {
                solver.reset();
                stack = vec![Vec::new()];
            }
            3..=6 => {
                let depth = 1 + random.below(4);
                let term = world.truth(&mut random, depth);
                let lanes = world.lanes_of(term);
                // Contradictions at the base level would end the game; elsewhere a pop takes them back.
                let all = conjunction(
                    world.count,
                    stack.iter().flatten().map(|(_, b)| b).chain([&lanes]),
                );
                if all.count() == 0 && (stack.len() == 1 || random.below(3) > 0) {
                    continue;
                }
                solver.assert(&mut world.terms, term);
                stack.last_mut().expect("a base level").push((term, lanes));
            }
            _ => {
                let assumptions: Vec<(Term, Bits)> = (0..random.below(4))
                    .map(|_| {
                        let term = world.truth(&mut random, 3);
                        (term, world.lanes_of(term))
                    })
                    .collect();
                let terms: Vec<Term> = assumptions.iter().map(|&(term, _)| term).collect();
                let asserted = conjunction(world.count, stack.iter().flatten().map(|(_, b)| b));
                let all = conjunction(
                    world.count,
                    assumptions.iter().map(|(_, b)| b).chain([&asserted]),
                );
                let limits = Limits::default();
                let query = Query::new(&terms, &limits).with_core();
                let outcome = solver.check(&mut world.terms, &query.with_partial_solutions(5));
                let context = || format!("seed {seed}, round {round}, {tuning:?}");
                match outcome.result {
                    CheckResult::Sat(model) => {
                        assert_ne!(all.count(), 0, "false sat: {}", context());
                        sat += 1;
                        let mut evaluator = Evaluator::new();
                        for &(term, _) in stack.iter().flatten().chain(&assumptions) {
                            assert!(
                                evaluator.bool(&world.terms, &model, term),
                                "false model: {}",
                                context()
                            );
                        }
                    }
                    CheckResult::Unsat(Conflict { core, formulas }) => {
                        assert_eq!(all.count(), 0, "false unsat: {}", context());
                        unsat += 1;
                        let in_core = assumptions
                            .iter()
                            .filter(|(term, _)| core.contains(term))
                            .map(|(_, b)| b);
                        assert!(
                            core.iter().all(|term| terms.contains(term)),
                            "foreign core: {}",
                            context()
                        );
                        let rest = conjunction(world.count, in_core.chain([&asserted]));
                        assert_eq!(rest.count(), 0, "false core: {}", context());
                        let formulas = formulas.expect("the native solver can tell");
                        let everything = || stack.iter().flatten().chain(&assumptions);
                        assert!(
                            formulas
                                .iter()
                                .all(|known| everything().any(|(term, _)| term == known)),
                            "foreign conflict: {}",
                            context()
                        );
                        let conflicting = everything()
                            .filter(|(term, _)| formulas.contains(term))
                            .map(|(_, b)| b);
                        let rest = conjunction(world.count, conflicting);
                        assert_eq!(rest.count(), 0, "false conflict: {}", context());
                    }
                    CheckResult::Unknown(reason) => panic!("{reason}: {}", context()),
                }
                for partial in outcome.partial_solutions {
                    for (var, _) in partial.assignment(&world.terms).iter() {
                        let name = &*world.terms.var_decl(var).name;
                        assert!(
                            ["x", "y", "p", "a", "b"].contains(&name),
                            "{name} is no input: {}",
                            context()
                        );
                    }
                }
            }
        }
    }
    (sat, unsat)
}

fn tunings() -> [Tuning; 5] {
    [
        Tuning::default(),
        // All that is few is enumerated.
        Tuning {
            values: false,
            ..Tuning::default()
        },
        // And the others are solved by circuits.
        Tuning {
            values: false,
            enumerate: false,
            epoch_slack: 40,
            ..Tuning::default()
        },
        Tuning {
            slices: false,
            values: false,
            enumerate: false,
            epoch_slack: 40,
            ..Tuning::default()
        },
        Tuning {
            values: false,
            enumerate: false,
            table_lemmas: 0,
            ..Tuning::default()
        },
    ]
}

#[test]
fn agrees_with_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    let mut world = World::new();
    for seed in 1..=seeds() {
        for tuning in tunings() {
            let (s, u) = run(&mut world, seed, tuning, 120);
            sat += s;
            unsat += u;
        }
    }
    assert!(sat > 30 && unsat > 30, "{sat} sat and {unsat} unsat");
}

/// How many stacks to try; `SEEDS=n` sets another number.
fn seeds() -> u64 {
    refrain_testing::count("SEEDS", 2, 40)
}
