//! The rules and examples of GreenTrie (ISSTA 2015), sections 2 and 4.

use refrain_path::restriction::Restriction;
use refrain_path::values::ValueSet;
use refrain_reuse::normal::normal_form;
use refrain_reuse::reduce::{Reduction, reduce};
use refrain_term::{Rational, Sort, Term, Value};

use super::common::World;

/// The implication rules: `P + n op 0` implies `P + n' op' 0` if `n` and `n'` are in this relation, and only then. In
/// R6 and R8 the paper asks for different constants: with equal ones the two atoms are the same, which is R2 for
/// every operator.
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
