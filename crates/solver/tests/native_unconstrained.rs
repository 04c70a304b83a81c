//! Elimination of unconstrained terms against brute force: stacks of formulas in which most symbols occur once, over so
//! few bits that all their values can be enumerated. Models, cores and conflicts are those of the formulas as asked.

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Query, Solver};
use refrain_term::{Assignment, Batch, Bits, Bv, Evaluator, Op, Sort, Term, Terms, VarId};
use refrain_testing::Random;

const WIDTH: u32 = 2;
const WORDS: u64 = 7;
const BITS: u64 = WORDS * WIDTH as u64 + 2;

/// Words of two bits, two of them cells of an array, and two truth values; drawn without repetition until all have been
/// drawn.
struct World {
    terms: Terms,
    words: Vec<Term>,
    flags: Vec<Term>,
    bag: Vec<Term>,
    flag_bag: Vec<Term>,
    lanes: Batch,
}

fn symbol(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        _ => unreachable!("a symbol"),
    }
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let array = Sort::Array {
            index: 1,
            element: WIDTH,
        };
        let array = terms.var("a", array);
        let words: Vec<Term> = (0..WORDS)
            .map(|number| match number {
                0 | 1 => {
                    let index = terms.bv(1, number);
                    terms.select(array, index)
                }
                _ => terms.var(&format!("x{number}"), Sort::BitVec(WIDTH)),
            })
            .collect();
        let flags: Vec<Term> = (0..2)
            .map(|number| terms.var(&format!("p{number}"), Sort::Bool))
            .collect();
        let count = 1u64 << BITS;
        let mut lanes = Batch::from_shared(vec![Assignment::new().into(); count as usize]);
        let column = |shift: u64| -> Vec<u64> {
            (0..count)
                .map(|code| code >> shift & ((1 << WIDTH) - 1))
                .collect()
        };
        for (&word, number) in words.iter().zip(0..) {
            let values = column(number * u64::from(WIDTH));
            match terms.op(word) {
                Op::Select => {
                    lanes.set_cell(symbol(&terms, array), Bv::new(1, number), values);
                }
                _ => lanes.set_bv(symbol(&terms, word), values),
            }
        }
        for (&flag, number) in flags.iter().zip(0..) {
            let mut bits = Bits::new(count as usize);
            let place = WORDS * u64::from(WIDTH) + number;
            (0..count).for_each(|code| bits.set(code as usize, code >> place & 1 == 1));
            lanes.set_bool(symbol(&terms, flag), &bits);
        }
        World {
            terms,
            words,
            flags,
            bag: Vec::new(),
            flag_bag: Vec::new(),
            lanes,
        }
    }

    fn draw(bag: &mut Vec<Term>, all: &[Term], random: &mut Random) -> Term {
        if bag.is_empty() {
            bag.extend_from_slice(all);
        }
        bag.swap_remove(random.below(bag.len()))
    }

    fn word(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 || random.below(6) == 0 {
            return match random.below(6) {
                0 => self.terms.bv(WIDTH, random.below(4) as u64),
                _ => Self::draw(&mut self.bag, &self.words, random),
            };
        }
        let a = self.word(random, depth - 1);
        let b = self.word(random, depth - 1);
        let terms = &mut self.terms;
        match random.below(19) {
            0 => terms.bv_add(a, b),
            1 => terms.bv_sub(a, b),
            2..5 => terms.bv_mul(a, b),
            5 => terms.bv_udiv(a, b),
            6 => terms.bv_urem(a, b),
            7 => terms.bv_shl(a, b),
            8 => terms.bv_lshr(a, b),
            9 => terms.bv_ashr(a, b),
            10 => terms.bv_and(a, b),
            11 => terms.bv_or(a, b),
            12 => terms.bv_xor(a, b),
            13 => {
                let (high, low) = (terms.extract(a, 0, 0), terms.extract(b, 1, 1));
                terms.concat(high, low)
            }
            14 => {
                let wide = terms.concat(a, b);
                let other = Self::draw(&mut self.bag, &self.words, random);
                let other = terms.zero_extend(other, WIDTH);
                let product = terms.bv_mul(wide, other);
                terms.extract(product, WIDTH, 1)
            }
            15 => {
                let constant = terms.bv(WIDTH, random.below(4) as u64);
                match random.below(3) {
                    0 => terms.bv_mul(constant, a),
                    1 => terms.bv_udiv(a, constant),
                    _ => terms.bv_urem(a, constant),
                }
            }
            16 => terms.bv_not(a),
            _ => {
                let condition = self.truth(random, depth - 1);
                self.terms.ite(condition, a, b)
            }
        }
    }

    fn truth(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 {
            return Self::draw(&mut self.flag_bag, &self.flags, random);
        }
        match random.below(9) {
            0 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                self.terms.or2(a, b)
            }
            1 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                self.terms.xor(a, b)
            }
            place => {
                let (a, b) = (self.word(random, depth - 1), self.word(random, depth - 1));
                match place {
                    2 | 3 => self.terms.bv_ult(a, b),
                    4 | 5 => self.terms.bv_slt(a, b),
                    _ => self.terms.eq(a, b),
                }
            }
        }
    }

    fn formula(&mut self, random: &mut Random) -> (Term, Bits) {
        let depth = 2 + random.below(3);
        let term = self.truth(random, depth);
        let lanes = self.lanes.eval(&self.terms, &[term]).remove(0);
        (term, lanes)
    }
}

fn conjunction<'a>(all: impl IntoIterator<Item = &'a Bits>) -> Bits {
    let mut result = Bits::ones(1 << BITS);
    for bits in all {
        result.intersect(bits);
    }
    result
}

/// How many checks were sat and unsat, and how many slices had something eliminated.
fn run(seed: u64, tuning: Tuning) -> [u64; 3] {
    let mut random = Random::new(seed);
    let mut world = World::new();
    let mut solver = Native::with_tuning(tuning);
    let mut counts = [0; 3];
    let mut stack: Vec<Vec<(Term, Bits)>> = vec![Vec::new()];
    for round in 0..80 {
        let context = || format!("seed {seed}, round {round}, {tuning:?}");
        match random.below(8) {
            0 | 1 => {
                solver.push();
                stack.push(Vec::new());
            }
            2 | 3 if stack.len() > 1 => {
                solver.pop(stack.len() - 1);
                stack.truncate(1);
            }
            3 => {
                solver.reset();
                stack = vec![Vec::new()];
            }
            2 | 4 => {
                let (term, lanes) = world.formula(&mut random);
                let bits = stack.iter().flatten().map(|(_, bits)| bits);
                if conjunction(bits.chain([&lanes])).count() == 0 && stack.len() == 1 {
                    continue;
                }
                solver.assert(&mut world.terms, term);
                stack.last_mut().expect("a base").push((term, lanes));
            }
            _ => {
                let assumptions: Vec<(Term, Bits)> = (0..random.below(3))
                    .map(|_| world.formula(&mut random))
                    .collect();
                let asked: Vec<Term> = assumptions.iter().map(|&(term, _)| term).collect();
                let everything = || stack.iter().flatten().chain(&assumptions);
                let all = conjunction(everything().map(|(_, bits)| bits));
                let limits = Limits::default();
                let query = Query::new(&asked, &limits).with_core();
                match solver.check(&mut world.terms, &query).result {
                    CheckResult::Sat(model) => {
                        counts[0] += 1;
                        assert_ne!(all.count(), 0, "false sat: {}", context());
                        let mut evaluator = Evaluator::new();
                        for &(term, _) in everything() {
                            let holds = evaluator.bool(&world.terms, &model, term);
                            assert!(holds, "false model: {}", context());
                        }
                        for (var, _) in model.iter() {
                            let name = &world.terms.var_decl(var).name;
                            assert!(!name.starts_with('\\'), "{name} is no input: {}", context());
                        }
                    }
                    CheckResult::Unsat(conflict) => {
                        counts[1] += 1;
                        assert_eq!(all.count(), 0, "false unsat: {}", context());
                        let formulas = conflict.formulas.expect("the native solver can tell");
                        let conflicting = everything().filter(|(term, _)| formulas.contains(term));
                        let rest = conjunction(conflicting.map(|(_, bits)| bits));
                        assert_eq!(rest.count(), 0, "false conflict: {}", context());
                    }
                    CheckResult::Unknown(reason) => panic!("{reason}: {}", context()),
                }
            }
        }
    }
    counts[2] = solver.native_stats().engine.eliminated;
    counts
}

#[test]
fn what_is_eliminated_can_be_anything() {
    let mut totals = [0; 3];
    for seed in 1..=refrain_testing::count("SEEDS", 50, 2000) {
        for slices in [true, false] {
            let tuning = Tuning {
                slices,
                values: false,
                enumerate: false,
                epoch_slack: 40,
                ..Tuning::default()
            };
            let counts = run(seed, tuning);
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += count;
            }
        }
    }
    let [sat, unsat, eliminated] = totals;
    assert!(
        sat > 100 && unsat > 30 && eliminated > 100,
        "{sat} sat, {unsat} unsat, {eliminated} eliminated"
    );
}
