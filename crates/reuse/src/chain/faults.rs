//! Planted faults: what a wrong answer in memory, or a model that is not what it is taken for, comes to.

use refrain_path::AtomId;
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Limits, Query, Reason, Solver, Verdict};
use refrain_term::{Input, Sort, Term, Terms};

use super::Chain;
use crate::answers::Answer;
use crate::preset::Layers;

/// A chain, and two comparisons of one product that cannot hold together.
struct Scene {
    terms: Terms,
    chain: Chain,
    x: Term,
    is_nine: Term,
    is_even: Term,
}

impl Scene {
    fn new() -> Scene {
        let mut layers = Layers::preset("full").expect("a preset");
        // What is planted is to be looked up.
        layers.without("repair");
        layers.without("gates");
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::BitVec(16));
        let square = terms.bv_mul(x, x);
        let (nine, one, none) = (terms.bv(16, 9), terms.bv(16, 1), terms.bv(16, 0));
        let last = terms.bv_and(x, one);
        Scene {
            is_nine: terms.eq(square, nine),
            is_even: terms.eq(last, none),
            x,
            chain: Chain::new(Box::new(Native::new()), layers),
            terms,
        }
    }

    fn assert(&mut self, formula: Term) {
        self.chain.push();
        self.chain.assert(&mut self.terms, formula);
    }

    fn atom(&mut self, formula: Term) -> AtomId {
        self.chain.path.atoms.id(&self.terms, formula)
    }

    /// Plants that a set of atoms cannot hold because of some.
    fn plant_core(&mut self, set: &[AtomId], core: &[AtomId]) {
        let key = self.chain.path.atoms.key(set.iter().copied());
        let answers = &mut self.chain.memory.answers;
        answers.insert(key, Answer::Unsat(core.into()));
    }

    fn check(&mut self) -> CheckResult {
        let limits = Limits::default();
        let query = Query::new(&[], &limits);
        self.chain.check(&mut self.terms, &query).result
    }

    fn verdict(&mut self) -> Verdict {
        self.check().verdict()
    }
}

#[test]
fn a_model_that_was_repaired_wrongly_is_no_answer() {
    let mut scene = Scene::new();
    scene.assert(scene.is_nine);
    assert_eq!(scene.verdict(), Verdict::Sat);
    let path = &mut scene.chain.path;
    let input = path.atoms.inputs.id(&scene.terms, Input::Symbol(scene.x));
    path.model.set_word(&path.atoms.inputs, input, 4);
    match scene.check() {
        CheckResult::Unknown(Reason::Failed(why)) => {
            assert!(
                why.starts_with("the model found does not satisfy (= "),
                "{why}"
            );
        }
        other => panic!("{:?}", other.verdict()),
    }
    // It is not taken for the model of the path any more.
    assert_eq!(scene.verdict(), Verdict::Sat);
}

#[test]
fn a_core_that_is_not_on_the_path_is_a_miss() {
    let mut scene = Scene::new();
    let (on, off) = (scene.atom(scene.is_nine), scene.atom(scene.is_even));
    scene.plant_core(&[on], &[off]);
    scene.assert(scene.is_nine);
    assert_eq!(scene.verdict(), Verdict::Sat);
    assert_eq!(scene.chain.stats.solver.checks, 1);
}

#[test]
fn a_core_that_no_atom_of_the_path_implies_is_a_miss() {
    let mut scene = Scene::new();
    // Two bounds of one number come to another: the planted core is that of what they are reduced to.
    let terms = &mut scene.terms;
    let square = terms.bv_mul(scene.x, scene.x);
    let [three, four, ten] = [3, 4, 10].map(|bound| terms.bv(16, bound));
    let (least, other) = (terms.bv_ult(three, square), terms.bv_ult(four, square));
    let most = terms.bv_ult(square, ten);
    let (reduced, off) = (terms.and2(other, most), scene.is_even);
    let (reduced, off) = (scene.atom(reduced), scene.atom(off));
    let atoms = &mut scene.chain.path.atoms;
    atoms.know(&mut scene.terms, &[reduced, off]);
    let of = scene
        .chain
        .memory
        .normal
        .of_atom(&mut scene.terms, atoms, reduced);
    scene.plant_core(&[of], &[off]);
    for formula in [least, other, most] {
        scene.assert(formula);
    }
    assert_eq!(scene.verdict(), Verdict::Sat);
    assert_eq!(scene.chain.stats.solver.checks, 1);
}

#[test]
fn a_core_that_can_hold_is_found_out_by_solving_it_again() {
    for is_rechecked in [false, true] {
        let mut scene = Scene::new();
        if is_rechecked {
            scene.chain.check_by(Some(Box::new(Native::new())));
        }
        let atom = scene.atom(scene.is_nine);
        scene.plant_core(&[atom], &[atom]);
        scene.assert(scene.is_nine);
        match (scene.check(), is_rechecked) {
            (CheckResult::Unknown(Reason::Disagreement(both)), true) => {
                assert_eq!(both, "reused answer Unsat, solved again Sat");
            }
            // Nobody has looked: that is what solving again is for.
            (CheckResult::Unsat(_), false) => {}
            (other, _) => panic!("{:?}", other.verdict()),
        }
    }
}
