//! Reduction, against recomputation.

use refrain_path::restriction::Restriction;
use refrain_path::values::ValueSet;
use refrain_reuse::normal::normal_form;
use refrain_reuse::reduce::{Reduction, implying, reduce};
use refrain_term::{Assignment, Sort, Term, Terms, Value, eval};

use super::common::{Random, World, var_id};
use super::sets::{random_piece, random_set, random_value};

/// Random conjunctions against the definition: intersections from scratch.
#[test]
fn reductions_leave_what_the_atoms_leave() {
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
    let (mut conflicts, mut reductions) = (0, 0);
    for _ in 0..6_000 {
        let stack: Vec<Restriction> = (0..random.below(12))
            .map(|_| {
                let subject = random.pick(&subjects);
                let values = random_piece(&mut random, terms.sort(subject));
                let values = match random.below(3) {
                    0 => values,
                    _ => values.complement(),
                };
                Restriction { subject, values }
            })
            .collect();
        match reduce(&stack) {
            Reduction::Conflict(core) => {
                conflicts += 1;
                check_conflict(&stack, &core, &terms);
            }
            Reduction::Reduced(merged) => {
                reductions += 1;
                let kept: Vec<usize> = merged.iter().flat_map(|m| m.kept.clone()).collect();
                for &subject in &subjects {
                    let everywhere: Vec<usize> = (0..stack.len()).collect();
                    let all = left(&stack, &everywhere, subject, terms.sort(subject));
                    assert_eq!(left(&stack, &kept, subject, terms.sort(subject)), all);
                    match merged.iter().find(|m| m.restriction.subject == subject) {
                        Some(merged) => assert_eq!(merged.restriction.values, all),
                        None => assert!(all.is_full()),
                    }
                }
                check_kept(&stack, &kept, &terms);
            }
        }
    }
    assert!(conflicts > 1_000 && reductions > 1_000);
}

/// A conflict is one, and none of it can be left out.
fn check_conflict(stack: &[Restriction], core: &[usize], terms: &Terms) {
    let subject = stack[core[0]].subject;
    let sort = terms.sort(subject);
    assert!(left(stack, core, subject, sort).is_empty());
    for leave_out in core {
        let others: Vec<usize> = core.iter().copied().filter(|i| i != leave_out).collect();
        assert!(!left(stack, &others, subject, sort).is_empty());
    }
}

/// Nothing of what is kept can be left out.
fn check_kept(stack: &[Restriction], kept: &[usize], terms: &Terms) {
    for leave_out in kept {
        let subject = stack[*leave_out].subject;
        let others: Vec<usize> = kept.iter().copied().filter(|i| i != leave_out).collect();
        let sort = terms.sort(subject);
        assert_ne!(
            left(stack, kept, subject, sort),
            left(stack, &others, subject, sort)
        );
    }
}

/// What sets imply together is found, by as few of them as are needed.
#[test]
fn sets_imply_what_their_intersection_implies() {
    let mut random = Random(77);
    let mut found = [0; 4];
    for _ in 0..4_000 {
        let sort = random.pick(&[Sort::Int, Sort::BitVec(4), Sort::BitVec(16)]);
        let sets: Vec<ValueSet> = (0..random.below(5))
            .map(|_| random_piece(&mut random, sort).complement())
            .collect();
        let target = random_piece(&mut random, sort).complement();
        let all = ValueSet::all(sort).expect("a sort that has sets");
        let common = |places: &[usize]| {
            let places = places.iter();
            places.fold(all.clone(), |set, &place| set.intersection(&sets[place]))
        };
        let everywhere: Vec<usize> = (0..sets.len()).collect();
        match implying(sets.iter(), &target) {
            None => assert!(sets.is_empty() || !common(&everywhere).is_subset_of(&target)),
            Some(places) => {
                found[places.len().min(3)] += 1;
                assert!(common(&places).is_subset_of(&target));
                for leave_out in &places {
                    let others = places.iter().copied().filter(|place| place != leave_out);
                    let others: Vec<usize> = others.collect();
                    assert!(others.is_empty() || !common(&others).is_subset_of(&target));
                }
            }
        }
    }
    assert!(found[1] > 100 && found[2] > 10, "{found:?}");
}

/// Negation is its own inverse, and mirrors values.
#[test]
fn negated_sets_have_the_negated_values() {
    let mut random = Random(5);
    for sort in [
        Sort::Int,
        Sort::Real,
        Sort::BitVec(4),
        Sort::BitVec(16),
        Sort::Bool,
    ] {
        for _ in 0..300 {
            let set = random_set(&mut random, sort);
            let negated = set.negated();
            assert_eq!(negated.negated(), set);
            for _ in 0..20 {
                let value = random_value(&mut random, sort);
                let opposite = match &value {
                    Value::Bool(value) => Value::Bool(!value),
                    Value::Bv(value) => Value::Bv(value.neg()),
                    Value::Int(value) => Value::Int(-value),
                    Value::Real(value) => Value::Real(-value),
                    Value::Array(_) => unreachable!("no set of arrays"),
                };
                assert_eq!(negated.contains(&value), set.contains(&opposite));
            }
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
