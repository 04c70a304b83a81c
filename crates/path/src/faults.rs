//! Planted faults: whatever is wrong in what proposes a model, no model leaves the path that does not satisfy every
//! assertion as it was asked.

use std::sync::Arc;

use refrain_term::{Assignment, Input, Sort, Term, Terms};

use crate::inputs::InputId;
use crate::path::{Following, Path};
use crate::repair::tried::Tried;
use crate::repair::{Effort, Repair};
use crate::{Limits, Slice};

/// A path with one assertion, on a level of its own.
struct Scene {
    terms: Terms,
    path: Path,
    x: Term,
    asked: Term,
}

impl Scene {
    /// The assertion is that a word of so many bits is 5.
    fn new(width: u32) -> Scene {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::BitVec(width));
        let five = terms.bv(width, 5);
        let asked = terms.eq(x, five);
        let mut path = Path::new(Following {
            simplify: true,
            slices: true,
        });
        path.push();
        path.assert(&terms, asked);
        Scene {
            terms,
            path,
            x,
            asked,
        }
    }

    fn is_seven(&mut self) -> Term {
        let seven = self.terms.bv(self.terms.width(self.x), 7);
        self.terms.eq(self.x, seven)
    }

    fn follow(&mut self) {
        let limits = Limits::default();
        self.path
            .follow(&mut self.terms, &[], &limits)
            .expect("there are no limits");
        self.path.follow_slices();
        self.path.begin_repairs();
    }

    fn repair(&mut self) -> Option<Repair> {
        let (mut tried, limits) = (Tried::new(0), Limits::default());
        self.path
            .repair(&mut self.terms, 0, Effort::FULL, &mut tried, &limits)
    }

    fn set(&mut self, value: u64) {
        let Path { model, atoms, .. } = &mut self.path;
        model.set_word(&atoms.inputs, InputId(0), value);
    }

    fn value(&mut self) -> u64 {
        let Path { model, atoms, .. } = &mut self.path;
        model.word(&atoms.inputs, InputId(0))
    }

    /// Nothing but the assertion as it was asked is in the way of the model, and after that nothing is believed of it.
    fn is_refused(&mut self) {
        self.path.note_satisfied();
        assert_eq!(self.path.certified(&self.terms).err(), Some(self.asked));
        assert_eq!(self.path.satisfied, 0);
    }

    fn is_certified(&mut self) {
        self.path.note_satisfied();
        assert!(self.path.certified(&self.terms).is_ok());
    }
}

/// Of words whose atoms are looked up by value, and of those whose atoms are evaluated.
const WIDTHS: [u32; 2] = [8, 32];

#[test]
fn a_repair_with_a_wrong_value_is_taken_back() {
    for width in WIDTHS {
        let mut scene = Scene::new(width);
        scene.follow();
        let atom = scene.path.at(0);
        scene.path.atoms.know(&mut scene.terms, &[atom]);
        let right = scene.path.atoms.restriction(atom).clone();
        let is_seven = scene.is_seven();
        let Path { atoms, .. } = &mut scene.path;
        let seven = atoms.id(&scene.terms, is_seven);
        atoms.know(&mut scene.terms, &[seven]);
        let wrong = atoms.restriction(seven).clone();
        scene.path.atoms.restrict_wrongly(scene.asked, wrong);
        let repair = scene.repair();
        assert!(repair.is_none(), "{repair:?}");
        assert_eq!(scene.value(), 0, "as it was");
        scene.path.atoms.restrict_wrongly(scene.asked, right);
        assert!(matches!(scene.repair(), Some(Repair::Done)));
        scene.is_certified();
        assert_eq!(scene.value(), 5);
    }
}

#[test]
fn a_repair_that_says_it_is_done_is_not_believed() {
    for width in WIDTHS {
        let mut scene = Scene::new(width);
        scene.follow();
        scene.set(7);
        scene.is_refused();
        scene.set(5);
        scene.is_certified();
        // What has held once is looked at again when its inputs change.
        scene.set(7);
        scene.is_refused();
        scene.set(5);
        scene.is_certified();
        let other = Arc::new(Assignment::new());
        scene.path.suggest(&scene.terms, &other);
        scene.is_refused();
    }
}

#[test]
fn what_a_wrong_rewrite_makes_of_an_assertion_is_not_what_is_certified() {
    for width in WIDTHS {
        let mut scene = Scene::new(width);
        let is_seven = scene.is_seven();
        scene.path.atoms.rewrite_wrongly(scene.asked, is_seven);
        scene.follow();
        assert!(matches!(scene.repair(), Some(Repair::Done)));
        assert!(scene.path.violated(&scene.terms).is_empty());
        assert_eq!(scene.value(), 7);
        scene.is_refused();
        // The rewritten atom and the assertion have to hold.
        scene.set(5);
        assert_eq!(scene.path.violated(&scene.terms), [0]);
    }
}

#[test]
fn an_assertion_that_is_rewritten_away_is_evaluated_all_the_same() {
    for width in WIDTHS {
        let mut scene = Scene::new(width);
        scene.path.atoms.rewrite_wrongly(scene.asked, Term::TRUE);
        scene.follow();
        assert!(scene.path.places(Slice::All).is_empty());
        scene.is_refused();
        let input = scene
            .path
            .atoms
            .inputs
            .id(&scene.terms, Input::Symbol(scene.x));
        assert_eq!(input, InputId(0));
        scene.set(5);
        scene.is_certified();
        scene.set(7);
        scene.is_refused();
    }
}
