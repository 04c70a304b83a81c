//! Reduction of stacks, against recomputation.

use refrain_reuse::reduce::{Pushed, Reducer, Reduction, normal_form, reduce};
use refrain_reuse::restriction::Restriction;
use refrain_reuse::values::ValueSet;
use refrain_term::{Assignment, Sort, Term, Terms, Value, eval};

use super::common::{Random, World, var_id};
use super::sets::{random_piece, random_set, random_value};

/// Random pushes and pops against the definition: intersections from scratch.
#[test]
fn a_reducer_follows_pushes_and_pops() {
    let mut random = Random::new(41);
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
    let mut random = Random::new(9);
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
