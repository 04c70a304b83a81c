//! Atoms as sets of values: the rules and examples of paper 2, and exactness against the evaluator.

use refrain_reuse::reduce::{Pushed, Reducer, Reduction, normal_form, reduce};
use refrain_reuse::restriction::{Restriction, Restrictions};
use refrain_reuse::values::ValueSet;
use refrain_term::{
    Assignment, Bv, Op, Rational, Sort, Support, Term, Terms, Value, VarId, eval, print,
};

/// An arena with everything that restrictions are computed from.
#[derive(Default)]
struct World {
    terms: Terms,
    support: Support,
    restrictions: Restrictions,
}

impl World {
    fn of(&mut self, atom: Term) -> Restriction {
        let World {
            terms,
            support,
            restrictions,
        } = self;
        restrictions.of(terms, support, atom).clone()
    }

    fn all(&mut self, atoms: &[Term]) -> Vec<Restriction> {
        atoms.iter().map(|&atom| self.of(atom)).collect()
    }

    fn int(&mut self, name: &str) -> Term {
        self.terms.var(name, Sort::Int)
    }

    /// `sum + constant op 0`, as the paper writes atoms.
    fn paper(&mut self, sum: Term, constant: i64, op: &str) -> Term {
        let terms = &mut self.terms;
        let (constant, zero) = (terms.int(constant), terms.int(0));
        let left = terms.add(sum, constant);
        match op {
            "=" => terms.eq(left, zero),
            "≠" => {
                let equal = terms.eq(left, zero);
                terms.not(equal)
            }
            "≤" => terms.le(left, zero),
            "≥" => terms.ge(left, zero),
            ">" => terms.gt(left, zero),
            "<" => terms.lt(left, zero),
            _ => panic!("no operator: {op}"),
        }
    }

    /// Holds a restriction against the evaluator under one assignment.
    fn check(&mut self, atom: Term, assignment: &Assignment) {
        let Restriction { subject, values } = self.of(atom);
        let truth = eval(&self.terms, atom, assignment) == Value::Bool(true);
        let value = eval(&self.terms, subject, assignment);
        assert_eq!(
            values.contains(&value),
            truth,
            "{} by {} = {value:?} in {values:?}",
            print(&self.terms, atom),
            print(&self.terms, subject),
        );
        assert_eq!(values.complement().contains(&value), !truth);
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn var_id(terms: &Terms, symbol: Term) -> VarId {
    match terms.op(symbol) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}

// ---- paper 2, section 2

/// The implication rules: `P + n op 0` implies `P + n' op' 0` if `n` and `n'` are in this relation, and only then. In R6 and R8 the
/// paper asks for different constants: with equal ones the two atoms are the same, which is R2 for every operator.
#[test]
fn the_rules_of_the_paper_are_inclusions() {
    type Premise = fn(i64, i64) -> bool;
    let rules: [(&str, &str, &str, Premise); 8] = [
        ("R1", "=", "≠", |n, m| n != m),
        ("R2", "=", "=", |n, m| n == m),
        ("R3", "=", "≤", |n, m| n >= m),
        ("R4", "=", "≥", |n, m| n <= m),
        ("R5", "≤", "≠", |n, m| n > m),
        ("R6", "≤", "≤", |n, m| n >= m),
        ("R7", "≥", "≠", |n, m| n < m),
        ("R8", "≥", "≥", |n, m| n <= m),
    ];
    let mut world = World::default();
    let (x, y) = (world.int("x"), world.int("y"));
    let sum = world.terms.add(x, y);
    for (name, from, to, premise) in rules {
        for n in -4..=4 {
            for m in -4..=4 {
                let (a, b) = (world.paper(sum, n, from), world.paper(sum, m, to));
                let (a, b) = (world.of(a), world.of(b));
                assert_eq!(a.implies(&b), premise(n, m), "{name} of {n} and {m}");
            }
        }
    }
}

/// What no rule says is not so: the other pairs of operators imply nothing.
#[test]
fn pairs_without_a_rule_imply_nothing() {
    let mut world = World::default();
    let x = world.int("x");
    for (from, to) in [
        ("≠", "="),
        ("≠", "≤"),
        ("≠", "≥"),
        ("≤", "="),
        ("≤", "≥"),
        ("≥", "="),
        ("≥", "≤"),
    ] {
        for n in -3..=3 {
            for m in -3..=3 {
                let (a, b) = (world.paper(x, n, from), world.paper(x, m, to));
                assert!(
                    !world.of(a).implies(&world.of(b)),
                    "{n} {from} and {m} {to}"
                );
            }
        }
    }
}

#[test]
fn different_prefixes_are_not_compared() {
    let mut world = World::default();
    let (x, y) = (world.int("x"), world.int("y"));
    let (a, b) = (world.paper(x, 0, "="), world.paper(y, 1, "="));
    let (a, b) = (world.of(a), world.of(b));
    assert!(!a.implies(&b) && !a.conflicts_with(&b));
}

/// Section 2: {x≠0, x>-1, x<2} is a logical subset of {x>1, x<2}.
#[test]
fn the_logical_subset_of_the_paper() {
    let mut world = World::default();
    let x = world.int("x");
    let first = [
        world.paper(x, 0, "≠"),
        world.paper(x, 1, ">"),
        world.paper(x, -2, "<"),
    ];
    let second = [world.paper(x, -1, ">"), world.paper(x, -2, "<")];
    let (first, second) = (world.all(&first), world.all(&second));
    let is_logical_subset = |of: &[Restriction], in_: &[Restriction]| {
        of.iter().all(|x| in_.iter().any(|y| y.implies(x)))
    };
    assert!(is_logical_subset(&first, &second));
    assert!(!is_logical_subset(&second, &first));
}

// ---- paper 2, section 4

/// x+y+3≥0 ∧ x+y+5≥0 ∧ x+y-4≤0 ∧ x+y≠0 ∧ x+y+6≠0 ∧ x+y-4≠0 is x+y+3≥0 ∧ x+y-3≤0 ∧ x+y≠0.
#[test]
fn the_reduction_of_the_paper() {
    let mut world = World::default();
    let (x, y) = (world.int("x"), world.int("y"));
    let sum = world.terms.add(x, y);
    let query = [(3, "≥"), (5, "≥"), (-4, "≤"), (0, "≠"), (6, "≠"), (-4, "≠")];
    let atoms = query.map(|(constant, op)| world.paper(sum, constant, op));
    let restrictions = world.all(&atoms);
    let overlap = [0, 1, 2].map(|i| restrictions[i].values.clone());
    let overlap = overlap[0]
        .intersection(&overlap[1])
        .intersection(&overlap[2]);
    for value in -10..10 {
        let inside = overlap.contains(&Value::Int(Rational::from(value)));
        assert_eq!(inside, (-3..=4).contains(&value));
    }
    let Reduction::Reduced(merged) = reduce(&restrictions) else {
        panic!("no conflict")
    };
    let [group] = &merged[..] else {
        panic!("one prefix")
    };
    assert_eq!(group.restriction.subject, sum);
    for value in -10..10 {
        let inside = group
            .restriction
            .values
            .contains(&Value::Int(Rational::from(value)));
        assert_eq!(inside, (-3..=3).contains(&value) && value != 0);
    }
    assert_eq!(group.atoms, [0, 1, 2, 3, 4, 5]);
    assert_eq!(group.kept, [0, 2, 3, 5], "the others are redundant");
    let expected = [
        world.paper(sum, 3, "≥"),
        world.paper(sum, -3, "≤"),
        world.paper(sum, 0, "≠"),
    ];
    assert_eq!(normal_form(&mut world.terms, &group.restriction), expected);
}

#[test]
fn small_examples_of_the_paper() {
    let mut world = World::default();
    let x = world.int("x");
    // x≥0 makes x≠-2 redundant.
    let atoms = [world.paper(x, 0, "≥"), world.paper(x, 2, "≠")];
    let Reduction::Reduced(merged) = reduce(&world.all(&atoms)) else {
        panic!("no conflict")
    };
    assert_eq!(merged[0].kept, [0]);
    // x=0 conflicts with x≥3.
    let atoms = [world.paper(x, 0, "="), world.paper(x, -3, "≥")];
    assert_eq!(reduce(&world.all(&atoms)), Reduction::Conflict(vec![0, 1]));
    // Ends move past exceptional points until nothing is left.
    let atoms = [
        (0, "≥"),
        (-2, "≤"),
        (-1, "≠"),
        (-7, "≠"),
        (0, "≠"),
        (-2, "≠"),
    ];
    let atoms = atoms.map(|(constant, op)| world.paper(x, constant, op));
    assert_eq!(
        reduce(&world.all(&atoms)),
        Reduction::Conflict(vec![0, 1, 2, 4, 5])
    );
}

#[test]
fn normal_forms_of_points_holes_and_everything() {
    let mut world = World::default();
    let x = world.int("x");
    let (low, high) = (world.paper(x, -3, "≤"), world.paper(x, -10, "≥"));
    let outside = world.terms.or2(low, high);
    let cases = [
        (vec![world.paper(x, -3, "=")], vec![world.paper(x, -3, "=")]),
        (vec![outside], vec![outside]),
        (
            vec![world.paper(x, -3, "≥"), world.paper(x, -3, "≤")],
            vec![world.paper(x, -3, "=")],
        ),
    ];
    for (atoms, expected) in cases {
        let Reduction::Reduced(merged) = reduce(&world.all(&atoms)) else {
            panic!("no conflict")
        };
        assert_eq!(
            normal_form(&mut world.terms, &merged[0].restriction),
            expected
        );
    }
    let anything = Restriction {
        subject: x,
        values: ValueSet::all(Sort::Int).expect("integers have sets"),
    };
    assert!(normal_form(&mut world.terms, &anything).is_empty());
    let nothing = Restriction {
        subject: x,
        values: anything.values.complement(),
    };
    assert_eq!(normal_form(&mut world.terms, &nothing), [Term::FALSE]);
}

// ---- subjects

#[test]
fn one_subject_for_all_ways_to_write_a_comparison() {
    let mut world = World::default();
    let terms = &mut world.terms;
    let (x, y) = (
        terms.var("x", Sort::BitVec(32)),
        terms.var("y", Sort::BitVec(32)),
    );
    let [five, nine, zero] = [5, 9, 0].map(|value| terms.bv(32, value));
    let (sum, difference, reverse) = (
        terms.bv_add(x, five),
        terms.bv_sub(x, y),
        terms.bv_sub(y, x),
    );
    let offset = terms.bv_add(reverse, nine);
    let flipped = terms.bv_not(x);
    let wide = terms.zero_extend(x, 16);
    let wide_five = terms.bv(48, 5);
    let wide = terms.bv_add(wide, wide_five);
    let signed = terms.sign_extend(x, 16);
    let signed = terms.bv_add(signed, wide_five);
    let wide_nine = terms.bv(48, 9);
    let about_x = [
        terms.bv_ult(x, nine),
        terms.bv_ult(sum, nine),
        terms.bv_slt(five, sum),
        terms.bv_slt(x, zero),
        terms.eq(sum, zero),
        terms.bv_ult(flipped, nine),
        terms.bv_ult(wide, wide_nine),
        terms.bv_slt(signed, wide_nine),
    ];
    let about_difference = [
        terms.bv_ult(difference, nine),
        terms.bv_ult(reverse, nine),
        terms.bv_slt(offset, five),
    ];
    for atom in about_x {
        assert_eq!(world.of(atom).subject, x, "{}", print(&world.terms, atom));
    }
    let subjects = about_difference.map(|atom| world.of(atom).subject);
    assert_eq!(subjects, [subjects[0]; 3]);
}

#[test]
fn small_inputs_are_subjects_of_whatever_is_said_about_them() {
    let mut world = World::default();
    let terms = &mut world.terms;
    let text = terms.var(
        "text",
        Sort::Array {
            index: 32,
            element: 8,
        },
    );
    let index = terms.bv(32, 3);
    let byte = terms.select(text, index);
    let wide = terms.zero_extend(byte, 24);
    let seven = terms.bv(32, 7);
    let remainder = terms.bv_urem(wide, seven);
    let two = terms.bv(32, 2);
    let odd_one = terms.eq(remainder, two);
    let restriction = world.of(odd_one);
    assert_eq!(restriction.subject, byte);
    assert_eq!(restriction.values.size(), 37);
    for value in 0..256u64 {
        let inside = restriction.values.contains(&Value::Bv(Bv::new(8, value)));
        assert_eq!(inside, value % 7 == 2);
    }
    let flag = world.terms.var("flag", Sort::Bool);
    let not_flag = world.terms.not(flag);
    let (yes, no) = (world.of(flag), world.of(not_flag));
    assert_eq!((yes.subject, no.subject), (flag, flag));
    assert!(yes.conflicts_with(&no));
}

#[test]
fn disjunctions_of_one_subject_are_sets() {
    let mut world = World::default();
    let (x, y) = (world.int("x"), world.int("y"));
    let (low, high) = (world.paper(x, -3, "≤"), world.paper(x, -10, "≥"));
    let either = world.terms.or2(low, high);
    let between = world.paper(x, -5, "=");
    let (either, between) = (world.of(either), world.of(between));
    assert_eq!(either.subject, x);
    assert!(either.conflicts_with(&between));
    let other = world.paper(y, 0, "≥");
    let mixed = world.terms.or2(low, other);
    let restriction = world.of(mixed);
    assert_eq!(restriction.values.sort(), Sort::Bool, "no common subject");
    let negated = world.terms.not(mixed);
    assert!(world.of(negated).conflicts_with(&restriction));
}

#[test]
fn constants_hold_always_or_never() {
    let mut world = World::default();
    assert!(world.of(Term::TRUE).values.is_full());
    assert!(world.of(Term::FALSE).values.is_empty());
    let no = world.of(Term::FALSE);
    assert_eq!(Reducer::new().push(&no), Pushed::Conflict(vec![0]));
}

#[test]
fn deep_atoms_need_no_stack() {
    let mut world = World::default();
    let (x, y) = (world.int("x"), world.int("y"));
    let mut atom = world.paper(x, 0, "≥");
    for i in 0..100_000 {
        let part = world.paper(if i % 2 == 0 { x } else { y }, i, "≤");
        atom = world.terms.and2(atom, part);
        atom = world.terms.not(atom);
    }
    assert_eq!(world.of(atom).values.sort(), Sort::Bool);
}

// ---- exactness

/// Every comparison of `±x + k` with a constant, signed and unsigned, for all values of `x`; one width as tables, one as intervals.
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

// ---- sets

/// A random set of this sort, and values around its corners.
fn random_set(random: &mut Random, sort: Sort) -> ValueSet {
    let mut set = ValueSet::all(sort).expect("a sort that has sets");
    for _ in 0..random.below(6) {
        let other = random_piece(random, sort);
        let other = if random.below(2) == 0 {
            other.complement()
        } else {
            other
        };
        set = if random.below(3) == 0 {
            set.union(&other)
        } else {
            set.intersection(&other)
        };
    }
    set
}

fn random_piece(random: &mut Random, sort: Sort) -> ValueSet {
    match sort {
        Sort::Bool => ValueSet::bool(random.below(2) == 0),
        Sort::BitVec(width) => {
            let (first, last) = (random_value(random, sort), random_value(random, sort));
            let word = |value: Value| value.as_bv().and_then(Bv::small).expect("a word");
            ValueSet::range(width, word(first), word(last))
        }
        _ => {
            let limit = random_value(random, sort);
            let limit = limit.as_number().expect("a number");
            match random.below(3) {
                0 => ValueSet::at_most(sort, limit),
                1 => ValueSet::below(sort, limit),
                _ => ValueSet::point(sort, limit),
            }
        }
    }
}

fn random_value(random: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(random.below(2) == 0),
        Sort::BitVec(width) => Value::Bv(Bv::new(width, random.below(6).wrapping_sub(3))),
        Sort::Int => Value::Int(Rational::from(random.below(12) as i64 - 6)),
        Sort::Real => Value::Real(Rational::new(random.below(24) as i64 - 12, 4)),
        sort => panic!("no sets of {sort}"),
    }
}

#[test]
fn sets_behave_as_sets() {
    let mut random = Random(77);
    let sorts = [
        Sort::Bool,
        Sort::BitVec(3),
        Sort::BitVec(8),
        Sort::BitVec(9),
        Sort::BitVec(64),
        Sort::Int,
        Sort::Real,
    ];
    for round in 0..7000 {
        let sort = sorts[round % sorts.len()];
        let (a, b) = (random_set(&mut random, sort), random_set(&mut random, sort));
        let (both, either) = (a.intersection(&b), a.union(&b));
        for _ in 0..12 {
            let value = random_value(&mut random, sort);
            let (in_a, in_b) = (a.contains(&value), b.contains(&value));
            assert_eq!(both.contains(&value), in_a && in_b);
            assert_eq!(either.contains(&value), in_a || in_b);
            assert_eq!(a.complement().contains(&value), !in_a);
        }
        // One representation: laws are equalities.
        assert_eq!(a.complement().complement(), a);
        assert_eq!(both, b.intersection(&a));
        assert_eq!(
            both.complement(),
            a.complement().union(&b.complement()),
            "{a:?} {b:?}"
        );
        assert_eq!(a.is_subset_of(&b), both == a);
        assert_eq!(a.is_disjoint(&b), both.is_empty());
        assert_eq!(a.is_full(), a.complement().is_empty());
        assert!(both.size() <= a.size() && a.size() <= either.size());
        assert_eq!(a.size() == 0, a.is_empty());
        check_bytes(&a, &b);
    }
}

fn check_bytes(a: &ValueSet, b: &ValueSet) {
    let (mut bytes, mut others) = (Vec::new(), Vec::new());
    a.encode(&mut bytes);
    b.encode(&mut others);
    assert_eq!(a == b, bytes == others);
    let len = bytes.len();
    bytes.extend(&others);
    let mut rest = &bytes[..];
    assert_eq!(ValueSet::decode(&mut rest).as_ref(), Some(a));
    assert_eq!(rest.len(), others.len());
    assert_eq!(ValueSet::decode(&mut rest).as_ref(), Some(b));
    for cut in 0..len {
        assert_eq!(ValueSet::decode(&mut &bytes[..cut]), None);
    }
}

#[test]
fn integers_are_cut_at_integers() {
    let half = Rational::new(5, 2);
    let (two, three) = (Rational::from(2), Rational::from(3));
    assert!(ValueSet::point(Sort::Int, &half).is_empty());
    let at_most_two = ValueSet::at_most(Sort::Int, &two);
    assert_eq!(ValueSet::at_most(Sort::Int, &half), at_most_two);
    assert_eq!(ValueSet::below(Sort::Int, &half), at_most_two);
    assert_eq!(ValueSet::below(Sort::Int, &three), at_most_two);
    let real = ValueSet::below(Sort::Real, &three);
    assert!(real.is_subset_of(&ValueSet::at_most(Sort::Real, &three)));
    assert!(!ValueSet::at_most(Sort::Real, &three).is_subset_of(&real));
}

#[test]
fn numbers_of_any_size_have_bytes() {
    let huge = Rational::parse("123456789012345678901234567890").expect("a numeral");
    for value in [
        huge.clone(),
        -&huge,
        &huge / &Rational::from(7),
        Rational::from(i64::MIN),
        Rational::from(i64::MAX),
        Rational::new(1, i64::MAX),
    ] {
        for sort in [Sort::Int, Sort::Real] {
            let set = ValueSet::at_most(sort, &value);
            check_bytes(&set, &ValueSet::point(sort, &value));
        }
    }
}

#[test]
fn damaged_bytes_are_refused_or_a_set() {
    let mut random = Random(3);
    let sorts = [
        Sort::Bool,
        Sort::BitVec(5),
        Sort::BitVec(20),
        Sort::Int,
        Sort::Real,
    ];
    for round in 0..20_000 {
        let set = random_set(&mut random, sorts[round % sorts.len()]);
        let mut bytes = Vec::new();
        set.encode(&mut bytes);
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.next() as u8;
        if let Some(other) = ValueSet::decode(&mut &bytes[..]) {
            assert_eq!(other.complement().complement(), other);
            assert!(other.is_subset_of(&other));
        }
    }
}

// ---- reduction

/// Random pushes and pops against the definition: intersections from scratch.
#[test]
fn a_reducer_follows_pushes_and_pops() {
    let mut random = Random(41);
    let mut terms = Terms::new();
    let sorts = [
        Sort::Int,
        Sort::Real,
        Sort::BitVec(4),
        Sort::BitVec(16),
        Sort::Bool,
    ];
    let subjects: Vec<Term> = sorts
        .iter()
        .enumerate()
        .map(|(i, &sort)| terms.var(&format!("s{i}"), sort))
        .collect();
    for _ in 0..300 {
        let mut reducer = Reducer::new();
        let mut stack: Vec<Restriction> = Vec::new();
        for _ in 0..40 {
            if random.below(3) == 0 && !stack.is_empty() {
                stack.pop();
                reducer.pop();
            } else {
                let subject = random.pick(&subjects);
                let values = random_piece(&mut random, terms.sort(subject));
                let values = if random.below(3) == 0 {
                    values
                } else {
                    values.complement()
                };
                let restriction = Restriction { subject, values };
                let settled = reducer.settles(&restriction);
                check_push(&stack, &restriction, reducer.push(&restriction), settled);
                stack.push(restriction);
            }
            check_stack(&reducer, &stack, &terms);
        }
    }
}

/// What the restrictions at these places leave a subject.
fn left(stack: &[Restriction], places: &[usize], subject: Term, sort: Sort) -> ValueSet {
    let all = ValueSet::all(sort).expect("a sort that has sets");
    let about = places.iter().map(|&place| &stack[place]);
    about
        .filter(|restriction| restriction.subject == subject)
        .fold(all, |set, restriction| {
            set.intersection(&restriction.values)
        })
}

fn check_push(stack: &[Restriction], new: &Restriction, pushed: Pushed, settled: Option<bool>) {
    let sort = new.values.sort();
    let everywhere: Vec<usize> = (0..stack.len()).collect();
    let before = left(stack, &everywhere, new.subject, sort);
    let after = before.intersection(&new.values);
    let expected = if before == after {
        Some(true)
    } else {
        after.is_empty().then_some(false)
    };
    assert_eq!(settled, expected);
    let Pushed::Conflict(core) = pushed else {
        assert_eq!(pushed == Pushed::Redundant, before == after);
        return;
    };
    assert!(after.is_empty() && !before.is_empty());
    let mut stack = stack.to_vec();
    stack.push(new.clone());
    assert!(left(&stack, &core, new.subject, sort).is_empty());
    for leave_out in &core {
        let others: Vec<usize> = core.iter().copied().filter(|i| i != leave_out).collect();
        assert!(!left(&stack, &others, new.subject, sort).is_empty());
    }
}

fn check_stack(reducer: &Reducer, stack: &[Restriction], terms: &Terms) {
    let everywhere: Vec<usize> = (0..stack.len()).collect();
    let kept = reducer.kept();
    let mut is_conflicting = false;
    for restriction in stack {
        let (subject, sort) = (restriction.subject, terms.sort(restriction.subject));
        let all = left(stack, &everywhere, subject, sort);
        is_conflicting |= all.is_empty();
        assert_eq!(left(stack, &kept, subject, sort), all);
        match reducer.values(subject) {
            Some(values) => assert_eq!(*values, all),
            None => assert!(all.is_full()),
        }
    }
    for leave_out in &kept {
        let subject = stack[*leave_out].subject;
        let others: Vec<usize> = kept.iter().copied().filter(|i| i != leave_out).collect();
        let (with, without) = (&kept, &others);
        let sort = terms.sort(subject);
        assert_ne!(
            left(stack, with, subject, sort),
            left(stack, without, subject, sort)
        );
    }
    assert_eq!(reducer.is_conflicting(), is_conflicting);
}

/// The normal form of a reduced query means what the query means.
#[test]
fn normal_forms_mean_the_same() {
    let mut random = Random(9);
    let mut world = World::default();
    for sort in [
        Sort::Int,
        Sort::Real,
        Sort::BitVec(4),
        Sort::BitVec(10),
        Sort::Bool,
    ] {
        let x = world.terms.var("x", sort);
        let var = var_id(&world.terms, x);
        for _ in 0..300 {
            let values = random_set(&mut random, sort);
            let restriction = Restriction { subject: x, values };
            let atoms = normal_form(&mut world.terms, &restriction);
            let again = world.all(&atoms);
            for _ in 0..20 {
                let value = random_value(&mut random, sort);
                let mut assignment = Assignment::new();
                assignment.set(var, value.clone());
                let holds = atoms
                    .iter()
                    .all(|&atom| eval(&world.terms, atom, &assignment) == Value::Bool(true));
                assert_eq!(holds, restriction.values.contains(&value));
            }
            match reduce(&again) {
                Reduction::Conflict(_) => assert!(restriction.values.is_empty()),
                Reduction::Reduced(merged) => {
                    let same = merged.iter().all(|group| group.restriction == restriction);
                    assert!(same, "{merged:?} from {restriction:?}");
                }
            }
        }
    }
}
