//! Partial solutions as entries of the cache: for which sets they are kept, how many, and which questions they answer.

use std::cell::RefCell;
use std::rc::Rc;

use refrain_path::PartialSolution;
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::model::Model;
use refrain_path::solution::{Solution, Solutions};
use refrain_reuse::quick::{QuickTests, Satisfiable, Setting};
use refrain_reuse::{AnsweredBy, Chain, Layers};
use refrain_solver::native::Native;
use refrain_solver::{Limits, Outcome, Query, Solver, Stats, Verdict};
use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms};

/// Two signed bytes.
struct World {
    terms: Terms,
    x: Term,
    y: Term,
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let (x, y) = (
            terms.var("x", Sort::BitVec(8)),
            terms.var("y", Sort::BitVec(8)),
        );
        World { terms, x, y }
    }

    fn at_least(&mut self, value: Term, bound: u64) -> Term {
        let bound = self.terms.bv(8, bound);
        let below = self.terms.bv_slt(value, bound);
        self.terms.not(below)
    }

    fn not(&mut self, term: Term) -> Term {
        self.terms.not(term)
    }

    fn sum(&mut self) -> Term {
        self.terms.bv_add(self.x, self.y)
    }

    fn assignment(&self, (x, y): (u64, u64)) -> Assignment {
        let mut assignment = Assignment::new();
        for (symbol, value) in [(self.x, x), (self.y, y)] {
            let Op::Var(var) = self.terms.op(symbol) else {
                unreachable!("a symbol")
            };
            assignment.set(var, Bv::new(8, value));
        }
        assignment
    }
}

/// The cache by itself.
#[derive(Default)]
struct Cache {
    atoms: AtomTable,
    solutions: Solutions,
    model: Model,
    quick: QuickTests,
}

impl Cache {
    fn path(&mut self, world: &World, formulas: &[Term]) -> Vec<AtomId> {
        let formulas = formulas.iter();
        formulas
            .map(|&formula| self.atoms.id(&world.terms, formula))
            .collect()
    }

    fn key(&mut self, world: &World, formulas: &[Term]) -> u128 {
        let path = self.path(world, formulas);
        self.atoms.key(path)
    }

    /// Keeps the solution that answered a set.
    fn answer(&mut self, world: &World, formulas: &[Term], values: (u64, u64), ks: usize) {
        let path = self.path(world, formulas);
        let inputs = self.atoms.inputs_of(&path);
        let solution = Solution::of(&self.atoms.inputs, &world.assignment(values), inputs);
        let id = self.solutions.add(solution);
        let key = self.atoms.key(path);
        self.quick.add(key, id, ks);
    }

    fn keep_partial(
        &mut self,
        world: &mut World,
        formulas: &[Term],
        found: &[(u64, u64)],
        ks: usize,
    ) -> Vec<Satisfiable> {
        let path = self.path(world, formulas);
        let found: Vec<PartialSolution> = { found.iter() }
            .map(|&values| world.assignment(values).into())
            .collect();
        let mut setting = Setting {
            terms: &mut world.terms,
            atoms: &mut self.atoms,
            solutions: &mut self.solutions,
            model: &mut self.model,
        };
        self.quick.keep_partial(&mut setting, &path, &found, ks)
    }

    /// Whether a known solution satisfies a set.
    fn finds(&mut self, world: &mut World, formulas: &[Term], ks: usize) -> bool {
        let path = self.path(world, formulas);
        let mut setting = Setting {
            terms: &mut world.terms,
            atoms: &mut self.atoms,
            solutions: &mut self.solutions,
            model: &mut self.model,
        };
        self.quick.find(&mut setting, &path, ks).solution.is_some()
    }

    fn kept(&mut self, world: &World, formulas: &[Term]) -> usize {
        let key = self.key(world, formulas);
        self.quick.kept(key)
    }
}

/// "Partial Solution Based Constraint Solving Cache" (FSE 2024), section 2.3: the cache after the second constraint.
#[test]
fn the_cache_of_the_paper_after_the_second_constraint() {
    let mut world = World::new();
    let (sum, two) = (world.sum(), world.terms.bv(8, 2));
    let double = world.terms.bv_mul(two, world.y);
    let left = world.terms.bv_sub(double, world.x);
    let (a, b) = (world.at_least(sum, 10), world.at_least(left, 5));
    let (not_a, not_b) = (world.not(a), world.not(b));
    let mut cache = Cache::default();
    cache.answer(&world, &[a], (10, 0), 50);
    cache.answer(&world, &[a, b], (26, 17), 50);
    let partial = [(4, 64), (0, 0), (58, 81)];
    let new = cache.keep_partial(&mut world, &[a, b], &partial, 50);
    assert_eq!(cache.kept(&world, &[a]), 2);
    assert_eq!(cache.kept(&world, &[not_a]), 2);
    assert_eq!(cache.kept(&world, &[a, b]), 1);
    assert_eq!(cache.kept(&world, &[a, not_b]), 0);
    let not_a_key = cache.key(&world, &[not_a]);
    let new: Vec<u128> = new.iter().map(|set| set.key).collect();
    assert_eq!(new, [not_a_key], "what was satisfiable before is not new");
}

/// The same, in front of a solver that finds what the paper's finds: section 3.1.
#[test]
fn a_partial_solution_serves_a_prefix_and_a_branch_and_what_goes_on_from_there() {
    let mut world = World::new();
    let sum = world.sum();
    let large = world.at_least(sum, 6);
    let y = world.y;
    let (above, positive) = (world.at_least(y, 4), world.at_least(y, 1));
    let (small, not_above) = (world.not(large), world.not(above));
    let mut cache = Cache::default();
    cache.keep_partial(&mut world, &[small, above], &[(1, 2)], 50);
    assert_eq!(cache.kept(&world, &[small]), 1);
    assert_eq!(cache.kept(&world, &[small, not_above]), 1);
    assert_eq!(cache.kept(&world, &[small, above]), 0);
    assert!(cache.finds(&mut world, &[small, not_above, positive], 50));
    let not_positive = world.not(positive);
    assert!(!cache.finds(&mut world, &[small, not_above, not_positive], 50));
}

/// The entries that section 2.3 lists for a path of three.
#[test]
fn a_path_of_three_has_two_prefixes_and_three_branches() {
    let mut world = World::new();
    let (x, y) = (world.x, world.y);
    let sum = world.sum();
    let (a, b, c) = (
        world.at_least(x, 10),
        world.at_least(y, 10),
        world.at_least(sum, 30),
    );
    let (not_a, not_b, not_c) = (world.not(a), world.not(b), world.not(c));
    let mut cache = Cache::default();
    let partial = [(0, 0), (10, 0), (10, 10), (20, 20)];
    let new = cache.keep_partial(&mut world, &[a, b, c], &partial, 50);
    let sets = [
        (vec![a], 3),
        (vec![a, b], 2),
        (vec![not_a], 1),
        (vec![a, not_b], 1),
        (vec![a, b, not_c], 1),
        (vec![a, b, c], 0),
    ];
    for (set, count) in &sets {
        assert_eq!(cache.kept(&world, set), *count);
    }
    let mut new: Vec<u128> = new.iter().map(|set| set.key).collect();
    let mut expected: Vec<u128> = { sets[..5].iter() }
        .map(|(set, _)| cache.key(&world, set))
        .collect();
    new.sort_unstable();
    expected.sort_unstable();
    assert_eq!(new, expected);
}

#[test]
fn the_same_partial_solution_is_kept_once() {
    let mut world = World::new();
    let (x, sum) = (world.x, world.sum());
    let (a, b) = (world.at_least(x, 10), world.at_least(sum, 30));
    let mut cache = Cache::default();
    for _ in 0..3 {
        cache.keep_partial(&mut world, &[a, b], &[(11, 2), (12, 2), (11, 2)], 50);
    }
    assert_eq!(cache.kept(&world, &[a]), 2);
}

/// What a solution says nothing about is as in the model at hand when it is tried, and stays so.
#[test]
fn what_a_solution_leaves_open_is_settled_when_it_is_tried() {
    let mut world = World::new();
    let (x, y) = (world.x, world.y);
    let (a, b) = (world.at_least(x, 10), world.at_least(y, 20));
    let mut cache = Cache::default();
    cache.answer(&world, &[a], (10, 0), 50);
    let model = world.assignment((0, 30));
    cache.model.replace(&model.into());
    assert!(cache.finds(&mut world, &[a, b], 50));
    let other = world.assignment((0, 0));
    cache.model.replace(&other.into());
    let sum = world.sum();
    let c = world.at_least(sum, 40);
    assert!(cache.finds(&mut world, &[a, b, c], 50), "10 and 30");
    let not_c = world.not(c);
    assert!(!cache.finds(&mut world, &[a, b, not_c], 50));
}

/// What a solver below the chain was asked for.
#[derive(Default)]
struct Below {
    calls: usize,
    limits: Vec<usize>,
}

/// A solver that says it went through `(0, 100)`, `(1, 100)`, … on its way, as many as it was asked for.
struct Scripted {
    native: Native,
    below: Rc<RefCell<Below>>,
    partial: Vec<Assignment>,
}

impl Solver for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn push(&mut self) {
        self.native.push();
    }

    fn pop(&mut self, levels: usize) {
        self.native.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.native.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let mut below = self.below.borrow_mut();
        below.calls += 1;
        let limit = query.wants.partial_solutions;
        below.limits.push(limit);
        let mut outcome = self.native.check(terms, query);
        outcome.partial_solutions = { self.partial.iter().take(limit) }
            .map(|partial| partial.clone().into())
            .collect();
        outcome
    }

    fn reset(&mut self) {
        self.native.reset();
    }

    fn stats(&self) -> Stats {
        self.native.stats()
    }
}

fn scripted(world: &World, partial: &[(u64, u64)]) -> (Box<Scripted>, Rc<RefCell<Below>>) {
    let below = Rc::new(RefCell::new(Below::default()));
    let partial = partial.iter();
    let solver = Scripted {
        native: Native::new(),
        below: below.clone(),
        partial: partial.map(|&values| world.assignment(values)).collect(),
    };
    (Box::new(solver), below)
}

fn ask(chain: &mut Chain, world: &mut World, formulas: &[Term]) -> Verdict {
    chain.push();
    for &formula in formulas {
        chain.assert(&mut world.terms, formula);
    }
    let limits = Limits::default();
    let outcome = chain.check(&mut world.terms, &Query::new(&[], &limits));
    chain.pop(1);
    outcome.verdict()
}

/// Asks about each value of a byte behind a constraint that one call with many partial solutions was about; how often
/// the solver is asked.
fn calls(kp: usize, ks: usize) -> (usize, Vec<usize>) {
    let mut world = World::new();
    let partial: Vec<(u64, u64)> = (0..80).map(|x| (x, 100)).collect();
    let (solver, below) = scripted(&world, &partial);
    let mut layers = Layers::preset("pscache").expect("a preset");
    layers.fix_counts(Some(kp), Some(ks)).expect("it has both");
    let mut chain = Chain::new(solver, layers);
    let (x, sum) = (world.x, world.sum());
    let (bound, seven) = (world.terms.bv(8, 100), world.terms.bv(8, 7));
    let small = world.terms.bv_ult(x, bound);
    let tied = world.terms.eq(sum, seven);
    // No partial solution satisfies both.
    let path = [small, tied];
    assert_eq!(ask(&mut chain, &mut world, &path), Verdict::Sat);
    let first = below.borrow().calls;
    for value in 0..80 {
        let value = world.terms.bv(8, value);
        let is_value = world.terms.eq(x, value);
        assert_eq!(
            ask(&mut chain, &mut world, &[small, is_value]),
            Verdict::Sat
        );
    }
    let below = below.borrow();
    (below.calls - first, below.limits.clone())
}

#[test]
fn as_many_are_collected_and_kept_as_asked_for() {
    for kp in [1, 10, 50] {
        for ks in [1, 10, 50] {
            let (calls, limits) = calls(kp, ks);
            assert!(limits.iter().all(|&limit| limit == kp), "{limits:?}");
            // Each that is kept for the prefix saves a call; a call keeps what it finds for its own set, no prefix.
            assert_eq!(calls, 80 - kp.min(ks), "{kp}, {ks}");
        }
    }
}

/// A set that is no prefix of anything, but a subset of what a partial solution satisfies.
#[test]
fn a_subset_of_what_a_partial_solution_satisfies_is_satisfiable() {
    for preset in ["pscache", "full"] {
        let mut world = World::new();
        let (solver, below) = scripted(&world, &[(50, 60)]);
        let mut layers = Layers::preset(preset).expect("a preset");
        layers.without("model");
        let mut chain = Chain::new(solver, layers);
        let (x, y) = (world.x, world.y);
        let sum = world.sum();
        let (a, b) = (world.at_least(x, 40), world.at_least(y, 55));
        let bound = world.terms.bv(8, 110);
        let tied = world.terms.eq(sum, bound);
        let not_tied = world.not(tied);
        // The partial solution has the sum 110: it satisfies the first two and leaves before the third.
        assert_eq!(ask(&mut chain, &mut world, &[a, b, not_tied]), Verdict::Sat);
        let before = below.borrow().calls;
        let supersets = chain.chain_stats().answered_by(AnsweredBy::Superset);
        assert_eq!(ask(&mut chain, &mut world, &[b, tied]), Verdict::Sat);
        assert_eq!(below.borrow().calls, before, "{preset}");
        let stats = chain.chain_stats();
        assert_eq!(
            stats.answered_by(AnsweredBy::Superset),
            supersets + 1,
            "{preset}"
        );
    }
}
