//! Random formulas against all their inputs: what is refuted has no model, and enough is refuted for that to mean
//! something.

use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms, Value, eval, reachable};

use super::context::Context;
use super::functions::Functions;
use super::refute;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick(&mut self, pool: &[Term]) -> Term {
        pool[self.below(pool.len() as u64) as usize]
    }
}

/// A term of the pool's width, from terms of it.
fn grow(terms: &mut Terms, random: &mut Random, pool: &[Term], width: u32) -> Term {
    let (a, b) = (random.pick(pool), random.pick(pool));
    let constant = terms.bv(width, random.below(1 << width));
    let divisor = terms.bv(width, 1 + random.below((1 << width) - 1));
    match random.below(18) {
        0 | 1 => terms.bv_add(a, b),
        2 => terms.bv_mul(a, b),
        3 => terms.bv_mul(a, constant),
        4 | 5 => terms.bv_udiv(a, divisor),
        6 | 7 => terms.bv_urem(a, divisor),
        8 => terms.bv_xor(a, b),
        9 => terms.bv_and(a, constant),
        10 => terms.bv_or(a, b),
        11 => terms.bv_not(a),
        12 => {
            let low = random.below(u64::from(width)) as u32;
            let part = terms.extract(a, width - 1, low);
            match random.below(2) {
                0 => terms.zero_extend(part, low),
                _ => terms.sign_extend(part, low),
            }
        }
        13 => {
            let at = 1 + random.below(u64::from(width) - 1) as u32;
            let (high, low) = (
                terms.extract(a, width - 1 - at, 0),
                terms.extract(b, at - 1, 0),
            );
            terms.concat(high, low)
        }
        14 => terms.bv_sub(a, b),
        15 => {
            let zero = terms.bv(width, 0);
            let nothing = terms.const_array(width, zero);
            // Linear over GF(2) or over the integers, or neither.
            let entry = |at: u64| match constant.index() % 3 {
                0 => at ^ at << 1 ^ at >> 2,
                1 => at.wrapping_mul(3) + 1,
                _ => at * at,
            };
            let cell = |at| {
                (
                    Bv::new(width, at),
                    Bv::new(width, entry(at) & ((1 << width) - 1)),
                )
            };
            let table = terms.table(nothing, (0..1 << width).map(cell).collect());
            terms.select(table, a)
        }
        16 => {
            let condition = terms.bv_ult(a, constant);
            terms.ite(condition, b, a)
        }
        _ => {
            let low = random.below(u64::from(width)) as u32;
            let bit = terms.extract(a, low, low);
            let one = terms.bv(1, 1);
            let condition = terms.eq(one, bit);
            let zero = terms.bv(width, 0);
            terms.ite(condition, constant, zero)
        }
    }
}

fn compare(terms: &mut Terms, random: &mut Random, a: Term, b: Term) -> Term {
    let atom = match random.below(4) {
        0 | 1 => terms.eq(a, b),
        2 => terms.bv_ult(a, b),
        _ => terms.bv_slt(a, b),
    };
    match random.below(2) {
        0 => atom,
        _ => terms.not(atom),
    }
}

/// The values of formulas for all values of two symbols.
fn have_model(terms: &Terms, formulas: &[Term], symbols: &[Term], width: u32) -> bool {
    let bits = width * symbols.len() as u32;
    (0..1u64 << bits).any(|values| {
        let mut assignment = Assignment::new();
        for (place, &symbol) in symbols.iter().enumerate() {
            let Op::Var(var) = terms.op(symbol) else {
                unreachable!("a symbol")
            };
            let value = values >> (place as u32 * width) & ((1 << width) - 1);
            assignment.set(var, Value::Bv(Bv::new(width, value)));
        }
        let holds = |&formula: &Term| eval(terms, formula, &assignment) == Value::Bool(true);
        formulas.iter().all(holds)
    })
}

#[test]
fn what_is_refuted_has_no_model() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut refuted = 0;
    for round in 0..refrain_testing::count("REFRAIN_FORMS", 6000, 120_000) {
        let width = 3 + round as u32 % 3;
        let mut terms = Terms::new();
        let symbols: Vec<Term> = ["x", "y"]
            .map(|name| terms.var(name, Sort::BitVec(width)))
            .to_vec();
        let mut pool = symbols.clone();
        for _ in 0..3 + random.below(8) {
            let grown = grow(&mut terms, &mut random, &pool, width);
            pool.push(grown);
        }
        let mut formulas = Vec::new();
        for _ in 0..1 + random.below(3) {
            let bound = terms.bv(width, random.below(1 << width));
            let other = match random.below(2) {
                0 => random.pick(&pool),
                _ => bound,
            };
            let term = random.pick(&pool);
            formulas.push(compare(&mut terms, &mut random, term, other));
        }
        formulas.retain(|&formula| formula != Term::TRUE && formula != Term::FALSE);
        let Some(core) = refute(&mut terms, &formulas) else {
            continue;
        };
        refuted += 1;
        assert!(core.iter().all(|&place| place < formulas.len()));
        let core: Vec<Term> = core.iter().map(|&place| formulas[place]).collect();
        assert!(
            !have_model(&terms, &core, &symbols, width),
            "round {round}: a model of what was refuted"
        );
    }
    assert!(refuted > 200, "only {refuted} were refuted");
}

/// The digits of a number by remainders, put together again, are the number.
#[test]
fn digits_read_back() {
    for width in [16, 32, 64] {
        let mut terms = Terms::new();
        let number = terms.var("n", Sort::BitVec(width));
        let (ten, zero) = (terms.bv(width, 10), terms.bv(width, 0));
        let (mut rest, mut digits) = (number, Vec::new());
        for _ in 0..20 {
            digits.push(terms.bv_urem(rest, ten));
            rest = terms.bv_udiv(rest, ten);
        }
        let back = digits.iter().rev().fold(zero, |back, &digit| {
            let shifted = terms.bv_mul(back, ten);
            terms.bv_add(shifted, digit)
        });
        let same = terms.eq(back, number);
        let differs = terms.not(same);
        assert!(differs == Term::FALSE || refute(&mut terms, &[differs]).is_some());
    }
}

/// A checksum bit by bit, and by a table of the low four bits.
#[test]
fn checksums_are_linear() {
    let mut terms = Terms::new();
    let byte = terms.var("b", Sort::BitVec(8));
    let other = terms.var("c", Sort::BitVec(8));
    let start = terms.bv_xor(byte, other);
    let polynomial = 0x8cu64;
    let step = |crc: u64| crc >> 1 ^ if crc & 1 == 1 { polynomial } else { 0 };
    let mut slow = start;
    let (one, zero) = (terms.bv(1, 1), terms.bv(8, 0));
    for _ in 0..8 {
        let low = terms.extract(slow, 0, 0);
        let is_odd = terms.eq(one, low);
        let constant = terms.bv(8, polynomial);
        let mask = terms.ite(is_odd, constant, zero);
        let shift = terms.bv(8, 1);
        let shifted = terms.bv_lshr(slow, shift);
        slow = terms.bv_xor(shifted, mask);
    }
    let mut quick = start;
    let nothing = terms.const_array(4, zero);
    let entry = |at: u64| {
        (
            Bv::new(4, at),
            Bv::new(8, (0..4).fold(at, |crc, _| step(crc))),
        )
    };
    let table = terms.table(nothing, (0..16).map(entry).collect());
    for _ in 0..2 {
        let low = terms.extract(quick, 3, 0);
        let cell = terms.select(table, low);
        let shift = terms.bv(8, 4);
        let shifted = terms.bv_lshr(quick, shift);
        quick = terms.bv_xor(shifted, cell);
    }
    let same = terms.eq(slow, quick);
    let differs = terms.not(same);
    assert!(refute(&mut terms, &[differs]).is_some());
    // As rewriting has it, where what differs is not zero, and no bound may hide that it is.
    let difference = terms.bv_xor(slow, quick);
    let same = terms.eq(difference, zero);
    let differs = terms.not(same);
    assert!(refute(&mut terms, &[differs]).is_some());
}

/// All values of a long function are computed side by side, without terms for each of them.
#[test]
fn a_long_function_of_a_byte_is_a_column() {
    const ROUNDS: u64 = 2_000;
    let factor = |round: u64| 0x9e37_79b9_7f4a_7c15 ^ round << 8;
    let mut terms = Terms::new();
    let byte = terms.var("x", Sort::BitVec(8));
    let mut hash = terms.zero_extend(byte, 56);
    for round in 0..ROUNDS {
        let factor = terms.bv(64, factor(round));
        let product = terms.bv_mul(hash, factor);
        let high = terms.extract(product, 63, 32);
        let high = terms.zero_extend(high, 32);
        hash = terms.bv_xor(product, high);
    }
    let most = terms.bv(8, 99);
    let formulas = [terms.bv_ule(byte, most)];
    let mut context = Context::new(&terms, &formulas);
    let size = reachable(&terms, &[hash]).len();
    context.note(&terms, byte);
    let before = terms.len();
    let column = Functions::default().column(&mut terms, &mut context, hash, byte);
    let expected: Vec<u64> = (0..100)
        .map(|byte| {
            (0..ROUNDS).fold(byte, |hash, round| {
                let product = u64::wrapping_mul(hash, factor(round));
                product ^ product >> 32
            })
        })
        .collect();
    assert_eq!(column.as_deref(), Some(&expected[..]));
    assert!(
        terms.len() - before <= size + 1,
        "{} terms",
        terms.len() - before
    );
}
