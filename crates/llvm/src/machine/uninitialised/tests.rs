//! Terms with markers, split and compared with all their values.

use refrain_term::{Assignment, Bv, Evaluator, Op, Sort};
use refrain_testing::Random;

use super::*;

const WIDTH: u32 = 3;

struct World {
    terms: Terms,
    random: Random,
    input: Term,
    markers: Vec<Term>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut terms = Terms::new();
        let sort = Sort::BitVec(WIDTH);
        World {
            input: terms.var("x", sort),
            markers: (0..2)
                .map(|index| terms.var(&format!("(uninitialised {index})"), sort))
                .collect(),
            terms,
            random: Random::new(seed),
        }
    }

    /// A random word; of bits that are calculated one by one, if `is_plain`.
    fn word(&mut self, depth: u32, is_plain: bool) -> Term {
        if depth == 0 {
            return match self.random.below(4) {
                0 => self.input,
                1 => {
                    let value = self.random.below(1 << WIDTH);
                    self.terms.bv(WIDTH, value)
                }
                marker => self.markers[marker as usize - 2],
            };
        }
        let a = self.word(depth - 1, is_plain);
        let b = self.word(depth - 1, is_plain);
        let few = if is_plain { 5 } else { 14 };
        match self.random.below(few) {
            0 => self.terms.bv_and(a, b),
            1 => self.terms.bv_or(a, b),
            2 => self.terms.bv_xor(a, b),
            3 => self.terms.bv_not(a),
            4 => {
                let (high, low) = (self.terms.extract(a, 1, 0), self.terms.extract(b, 2, 2));
                self.terms.concat(high, low)
            }
            5 => self.terms.bv_add(a, b),
            6 => self.terms.bv_sub(a, b),
            7 => self.terms.bv_mul(a, b),
            8 => self.terms.bv_shl(a, b),
            9 => self.terms.bv_lshr(a, b),
            10 => self.terms.bv_ashr(a, b),
            11 => self.terms.bv_udiv(a, b),
            12 => {
                let condition = self.condition(depth - 1);
                self.terms.ite(condition, a, b)
            }
            _ => {
                let low = self.terms.extract(a, 1, 0);
                let zero = self.terms.bv(8, 0);
                let array = self.terms.const_array(2, zero);
                let byte = self.terms.zero_extend(b, 8 - WIDTH);
                let array = self.terms.store(array, low, byte);
                let index = self.terms.extract(b, 2, 1);
                let read = self.terms.select(array, index);
                self.terms.extract(read, WIDTH - 1, 0)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Term {
        let (a, b) = (self.word(depth, false), self.word(depth, false));
        match self.random.below(4) {
            0 => self.terms.eq(a, b),
            1 => self.terms.bv_ult(a, b),
            2 => self.terms.bv_slt(a, b),
            _ => {
                let (first, second) = (self.terms.bv_ult(a, b), self.terms.eq(a, b));
                self.terms.and2(first, second)
            }
        }
    }

    fn at(&self, term: Term, values: [u64; 3]) -> u64 {
        let mut assignment = Assignment::new();
        for (&variable, value) in [self.input].iter().chain(&self.markers).zip(values) {
            if let Op::Var(id) = self.terms.op(variable) {
                assignment.set(id, Bv::new(WIDTH, value));
            }
        }
        let value = Evaluator::new().value(&self.terms, &assignment, term);
        let word = value.as_bv().and_then(Bv::small);
        word.unwrap_or_else(|| u64::from(value.as_bool().expect("a word or a condition")))
    }

    /// For each input: the bits that the markers decide, and those that the split says they do.
    fn compare(&mut self, term: Term) -> Vec<(u64, u64)> {
        let Some(split) = Splits::default().of(&mut self.terms, term) else {
            return Vec::new();
        };
        let all = 0..1u64 << WIDTH;
        let mut compared = Vec::new();
        for x in all.clone() {
            let value = self.at(term, [x, 0, 0]);
            // Neither depends on markers any more.
            assert_eq!(self.at(split.value, [x, 5, 3]), value);
            let said = self.at(split.undefined, [x, 3, 6]);
            let others = all
                .clone()
                .flat_map(|a| all.clone().map(move |b| [x, a, b]));
            let differing = others.fold(0, |bits, values| bits | (self.at(term, values) ^ value));
            compared.push((differing, said));
        }
        compared
    }
}

#[test]
fn no_bit_that_markers_decide_is_missed() {
    let mut world = World::new(1);
    let (mut exact, mut all) = (0, 0);
    for round in 0..refrain_testing::effort(400, 10_000) {
        let term = match round % 2 {
            0 => world.word(1 + round % 3, false),
            _ => world.condition(round % 3),
        };
        for (differing, said) in world.compare(term) {
            assert_eq!(differing & !said, 0, "a bit of {term:?}");
            exact += u32::from(differing == said);
            all += 1;
        }
    }
    assert!(exact > all / 2, "{exact} of {all}");
}

/// Of bits that are calculated one by one, each from different bytes, what is said is exactly so.
#[test]
fn bits_are_told_exactly() {
    let mut world = World::new(2);
    let mut compared = 0;
    while compared < 2000 {
        let term = world.word(1, true);
        for (differing, said) in world.compare(term) {
            assert_eq!(differing, said, "{term:?}");
            compared += 1;
        }
    }
}
