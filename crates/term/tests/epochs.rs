//! Terms are of one arena, and nothing is taken for a term of another.

use std::collections::HashSet;
use std::thread;

use refrain_term::{Kept, Sort, Term, Terms};

#[test]
fn no_two_arenas_are_the_same() {
    let make = || (0..1000).map(|_| Terms::new().epoch()).collect::<Vec<_>>();
    let workers: Vec<_> = (0..4).map(|_| thread::spawn(make)).collect();
    let epochs = workers
        .into_iter()
        .flat_map(|worker| worker.join().unwrap());
    let names: HashSet<String> = epochs.map(|epoch| format!("{epoch:?}")).collect();
    assert_eq!(names.len(), 4000);
}

#[test]
fn what_is_kept_is_there_for_its_arena_only() {
    let (mut first, mut second) = (Terms::new(), Terms::new());
    let x = first.var("x", Sort::BitVec(8));
    // The same index and the same sort: nothing but the arena tells them apart.
    let y = second.var("y", Sort::BitVec(8));
    assert_eq!((x.index(), first.sort(x)), (y.index(), second.sort(y)));
    let kept = Kept::nothing();
    assert_eq!(kept.get(&first), None);
    kept.set(&first, x);
    assert_eq!((kept.get(&first), kept.get(&second)), (Some(x), None));
    let copy = kept.clone();
    assert_eq!((copy.get(&first), copy.get(&second)), (Some(x), None));
    kept.set(&second, y);
    assert_eq!((kept.get(&first), kept.get(&second)), (None, Some(y)));
    kept.clear();
    assert_eq!((kept.get(&first), kept.get(&second)), (None, None));
}

#[test]
fn truth_is_the_same_everywhere() {
    for _ in 0..2 {
        let mut terms = Terms::new();
        assert_eq!(terms.iter().collect::<Vec<_>>(), [Term::TRUE, Term::FALSE]);
        assert_eq!(terms.not(Term::TRUE), Term::FALSE);
        let x = terms.var("x", Sort::Bool);
        assert_eq!(terms.and2(x, Term::TRUE), x);
    }
}

/// Debug builds notice every use of a term with another arena than its own.
#[cfg(debug_assertions)]
mod noticed {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use refrain_term::{
        Assignment, Batch, Bv, Evaluator, OneArena, Op, Sort, Substitution, Support, Term, Terms,
        VarId,
    };

    /// An arena with a variable of eight bits.
    fn arena() -> (Terms, Term, VarId) {
        let mut terms = Terms::new();
        let term = terms.var("x", Sort::BitVec(8));
        let Op::Var(var) = terms.op(term) else {
            panic!("a variable")
        };
        (terms, term, var)
    }

    fn is_refused<T>(use_it: impl FnOnce() -> T) -> bool {
        catch_unwind(AssertUnwindSafe(use_it)).is_err()
    }

    #[test]
    fn a_term() {
        let ((mut mine, x, _), (_other, stale, var)) = (arena(), arena());
        assert_eq!(x.index(), stale.index());
        assert_ne!(x, stale);
        assert!(is_refused(|| mine.sort(stale)));
        assert!(is_refused(|| mine.op(stale)));
        assert!(is_refused(|| mine.args(stale).len()));
        assert!(is_refused(|| mine.bv_add(x, stale)));
        assert!(is_refused(|| mine.var_decl(var).sort));
        assert!(!is_refused(|| mine.bv_add(x, x)));
    }

    #[test]
    fn a_value() {
        let ((mine, x, own), (_other, _, stale)) = (arena(), arena());
        let mut assignment = Assignment::new();
        assignment.set(stale, Bv::new(8, 1));
        assert!(is_refused(|| Evaluator::new().small(&mine, &assignment, x)));
        assert!(is_refused(|| assignment.set(own, Bv::new(8, 2))));
        // One that is empty is anybody's.
        assert_eq!(Evaluator::new().small(&mine, &Assignment::new(), x), 0);
    }

    #[test]
    fn what_belongs_to_one_arena() {
        let ((mine, x, _), (mut other, y, _)) = (arena(), arena());
        let owner = OneArena::new();
        owner.check(&mine);
        owner.check(&mine);
        let copy = owner.clone();
        assert!(is_refused(|| copy.check(&other)));
        assert!(is_refused(|| owner.check(&other)));

        let nothing = Assignment::new();
        let mut evaluator = Evaluator::new();
        evaluator.small(&mine, &nothing, x);
        assert!(is_refused(|| evaluator.small(&other, &nothing, y)));
        let mut support = Support::new();
        support.inputs(&mine, x);
        assert!(is_refused(|| support.inputs(&other, y)));
        let mut batch = Batch::new(2, nothing);
        batch.values(&mine, x);
        assert!(is_refused(|| batch.values(&other, y)));
        let mut substitution = Substitution::new([(x, x)]);
        let mut mine = mine;
        substitution.apply(&mut mine, x);
        assert!(is_refused(|| substitution.apply(&mut other, y)));
    }
}
