//! What atoms are about.

use refrain_reuse::reduce::{Reduction, reduce};
use refrain_term::{Bv, Sort, Term, Value, print};

use super::common::World;

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
    assert_eq!(reduce([&no]), Reduction::Conflict(vec![0]));
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
