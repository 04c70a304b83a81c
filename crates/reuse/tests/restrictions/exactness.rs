//! An atom holds just where its subject has one of its values.

use refrain_path::restriction::Restriction;
use refrain_term::{Assignment, Bv, Rational, Sort, Term, Terms, Value};

use super::common::{Random, World, var_id};

/// Every comparison of `±x + k` with a constant, signed and unsigned, for all values of `x`; one width as tables, one
/// as intervals.
#[test]
fn comparisons_of_words_are_exact_around_every_corner() {
    for width in [1, 4, 8, 9] {
        let mut world = World::default();
        let x = world.terms.var("x", Sort::BitVec(width));
        let var = var_id(&world.terms, x);
        let (top, half) = ((1u64 << width) - 1, 1u64 << (width - 1));
        let mut corners = vec![0, 1, 2, half - 1, half, half + 1, top - 1, top];
        corners.iter_mut().for_each(|corner| *corner &= top);
        corners.sort_unstable();
        corners.dedup();
        let mut atoms = Vec::new();
        for &offset in &corners {
            for &constant in &corners {
                atoms.extend(comparisons(&mut world.terms, x, offset, constant));
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        for value in 0..=top {
            let mut assignment = Assignment::new();
            assignment.set(var, Value::Bv(Bv::new(width, value)));
            for &atom in &atoms {
                world.check(atom, &assignment);
            }
        }
    }
}

fn comparisons(terms: &mut Terms, x: Term, offset: u64, constant: u64) -> Vec<Term> {
    let width = terms.width(x);
    let (k, c) = (terms.bv(width, offset), terms.bv(width, constant));
    let mut atoms = Vec::new();
    for term in [terms.bv_add(x, k), terms.bv_sub(k, x), terms.bv_xor(k, x)] {
        let positive = [
            terms.eq(term, c),
            terms.bv_ult(term, c),
            terms.bv_ult(c, term),
            terms.bv_slt(term, c),
            terms.bv_slt(c, term),
        ];
        for atom in positive {
            atoms.extend([atom, terms.not(atom)]);
        }
    }
    atoms
}

/// A random bit-vector term of this width over these symbols.
fn random_word(
    terms: &mut Terms,
    random: &mut Random,
    symbols: &[Term],
    width: u32,
    depth: u32,
) -> Term {
    let fitting: Vec<Term> = symbols
        .iter()
        .copied()
        .filter(|&symbol| terms.width(symbol) == width)
        .collect();
    if depth == 0 || random.below(8) == 0 {
        if !fitting.is_empty() && random.below(4) > 0 {
            return random.pick(&fitting);
        }
        let value = random.next();
        return terms.bv(width, value);
    }
    let operand = |terms: &mut Terms, random: &mut Random, width| {
        random_word(terms, random, symbols, width, depth - 1)
    };
    match random.below(9) {
        0 | 1 => {
            let (a, b) = (operand(terms, random, width), operand(terms, random, width));
            terms.bv_add(a, b)
        }
        2 => {
            let (a, b) = (operand(terms, random, width), operand(terms, random, width));
            terms.bv_sub(a, b)
        }
        3 => {
            let a = operand(terms, random, width);
            terms.bv_not(a)
        }
        4 if width > 1 => {
            let by = 1 + random.below(u64::from(width) - 1) as u32;
            let a = operand(terms, random, width - by);
            if random.below(2) == 0 {
                terms.zero_extend(a, by)
            } else {
                terms.sign_extend(a, by)
            }
        }
        5 => {
            let by = 1 + random.below(6) as u32;
            let a = operand(terms, random, width + by);
            let low = if random.below(2) == 0 { by } else { 0 };
            terms.extract(a, low + width - 1, low)
        }
        6 => {
            let (a, factor) = (operand(terms, random, width), random.next());
            let factor = terms.bv(width, factor);
            terms.bv_mul(a, factor)
        }
        7 if width > 1 => {
            let high = 1 + random.below(u64::from(width) - 1) as u32;
            let value = random.next();
            let constant = terms.bv(high, value);
            let a = operand(terms, random, width - high);
            terms.concat(constant, a)
        }
        _ => {
            let (a, b) = (operand(terms, random, width), operand(terms, random, width));
            terms.bv_and(a, b)
        }
    }
}

fn random_atom(terms: &mut Terms, random: &mut Random, symbols: &[Term], depth: u32) -> Term {
    if depth > 0 && random.below(4) == 0 {
        let parts: Vec<Term> = (0..2 + random.below(3))
            .map(|_| random_atom(terms, random, symbols, depth - 1))
            .collect();
        return match random.below(3) {
            0 => terms.and(&parts),
            1 => terms.or(&parts),
            _ => {
                let and = terms.and(&parts);
                terms.not(and)
            }
        };
    }
    let width = random.pick(&[1, 3, 6, 9, 12, 33, 64]);
    let a = random_word(terms, random, symbols, width, 3);
    let b = if random.below(3) > 0 {
        let value = random.next() >> random.below(56);
        terms.bv(width, value)
    } else {
        random_word(terms, random, symbols, width, 2)
    };
    let (a, b) = if random.below(2) == 0 { (a, b) } else { (b, a) };
    let atom = match random.below(3) {
        0 => terms.eq(a, b),
        1 => terms.bv_ult(a, b),
        _ => terms.bv_slt(a, b),
    };
    if random.below(2) == 0 {
        terms.not(atom)
    } else {
        atom
    }
}

#[test]
fn random_atoms_over_words_are_exact() {
    let mut random = Random(11);
    let (mut sets, mut opaque) = (0, 0);
    for _ in 0..40 {
        let mut world = World::default();
        let symbols: Vec<Term> = [1, 3, 6, 9, 9, 12, 33, 64]
            .iter()
            .enumerate()
            .map(|(i, &width)| world.terms.var(&format!("v{i}"), Sort::BitVec(width)))
            .collect();
        let atoms: Vec<Term> = (0..60)
            .map(|_| random_atom(&mut world.terms, &mut random, &symbols, 2))
            .collect();
        for &atom in &atoms {
            let Restriction { subject, .. } = world.of(atom);
            *(if world.terms.sort(subject) == Sort::Bool {
                &mut opaque
            } else {
                &mut sets
            }) += 1;
        }
        for _ in 0..60 {
            let mut assignment = Assignment::new();
            for &symbol in &symbols {
                let width = world.terms.width(symbol);
                let value = match random.below(4) {
                    0 => random.below(4),
                    1 => random.below(4).wrapping_neg(),
                    2 => (1 << (width - 1)) + random.below(3),
                    _ => random.next() << 8 | random.below(256),
                };
                assignment.set(
                    var_id(&world.terms, symbol),
                    Value::Bv(Bv::new(width, value)),
                );
            }
            for &atom in &atoms {
                world.check(atom, &assignment);
            }
        }
    }
    assert!(sets > 800, "{sets} sets and {opaque} opaque atoms");
}

/// Every value of every single input of up to 9 bits.
#[test]
fn random_atoms_over_one_small_word_are_exact_for_all_values() {
    let mut random = Random(23);
    for round in 0..120 {
        let mut world = World::default();
        let width = random.pick(&[1, 3, 6, 9]);
        let x = world.terms.var("x", Sort::BitVec(width));
        let var = var_id(&world.terms, x);
        let atoms: Vec<Term> = (0..8)
            .map(|_| random_atom(&mut world.terms, &mut random, &[x], round % 3))
            .collect();
        for value in 0..1u64 << width {
            let mut assignment = Assignment::new();
            assignment.set(var, Value::Bv(Bv::new(width, value)));
            for &atom in &atoms {
                world.check(atom, &assignment);
            }
        }
    }
}

#[test]
fn random_atoms_over_numbers_are_exact() {
    let mut random = Random(5);
    for sort in [Sort::Int, Sort::Real] {
        let mut world = World::default();
        let symbols = ["x", "y", "z"].map(|name| world.terms.var(name, sort));
        let number = |random: &mut Random| {
            let whole = Rational::from(random.below(13) as i64 - 6);
            if sort == Sort::Real && random.below(3) == 0 {
                return &whole / &Rational::from(2 + random.below(2) as i64);
            }
            whole
        };
        let atoms: Vec<Term> = (0..300)
            .map(|_| random_number_atom(&mut world.terms, &mut random, sort, &symbols, number))
            .collect();
        for _ in 0..100 {
            let mut assignment = Assignment::new();
            for symbol in symbols {
                let value = number(&mut random);
                assignment.set(var_id(&world.terms, symbol), Value::number(sort, value));
            }
            for &atom in &atoms {
                world.check(atom, &assignment);
            }
        }
    }
}

fn random_number_atom(
    terms: &mut Terms,
    random: &mut Random,
    sort: Sort,
    symbols: &[Term],
    number: impl Fn(&mut Random) -> Rational,
) -> Term {
    let factors: Vec<Rational> = symbols.iter().map(|_| number(random)).collect();
    let addends: Vec<Term> = symbols
        .iter()
        .zip(&factors)
        .map(|(&symbol, factor)| terms.num_scaled(factor, symbol))
        .take(1 + random.below(3) as usize)
        .collect();
    let sum = terms.sum(&addends);
    let parts: Vec<Term> = (0..1 + random.below(3))
        .map(|_| {
            let limit = number(random);
            let limit = terms.number(sort, limit);
            match random.below(4) {
                0 => terms.eq(sum, limit),
                1 => terms.le(sum, limit),
                2 => terms.lt(sum, limit),
                _ => terms.gt(sum, limit),
            }
        })
        .collect();
    let atom = match random.below(2) {
        0 => terms.and(&parts),
        _ => terms.or(&parts),
    };
    if random.below(2) == 0 {
        terms.not(atom)
    } else {
        atom
    }
}
