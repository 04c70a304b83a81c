//! The chain: a solver that asks another one only what no earlier answer settles.
//!
//! A check goes down the layers, cheapest first, until one of them knows: an atom that is false; the model of the path so far; and for each slice of the path that
//! the model does not satisfy, what reduction, answers to the same atoms, to other sets of atoms, and known solutions say. What is left
//! goes to the solver, and what it says is remembered. A solution from any layer counts only after the slice has been evaluated under it.

use std::sync::Arc;
use std::time::Instant;

use refrain_solver::{Limits, Reason, Solver, Stats, Verdict};
use refrain_term::{Assignment, Evaluator, Term, Terms};
use rustc_hash::FxHashSet;

use crate::answers::{Answer, Answers, SolutionId, Solutions};
use crate::gate::Gate;
use crate::ltrie::{Atoms, Effort, SatTrie, UnsatTrie};
use crate::path::{AtomId, AtomTable, Follow, Path, Step};
use crate::preset::{Asking, Layers, Slicing, Trie};
use crate::quick::{QuickTests, first_satisfying};
use crate::reduce::{Pushed, Reducer};
use crate::slice::{Partitions, from_scratch};
use crate::solution::Solution;
use crate::stats::{AnsweredBy, ChainStats};

/// How many nodes of a trie a look-up may visit.
const MAX_VISITS: u32 = 1_000;

/// A solver in front of which earlier answers are looked up.
pub struct Chain {
    solver: Box<dyn Solver>,
    layers: Layers,
    assertions: Vec<Term>,
    scopes: Vec<usize>,
    /// How many of the path's sources are surely the assertions of the same places.
    in_line: usize,

    table: AtomTable,
    path: Path,
    marks: Marks,

    /// The current assignment. It satisfies the first `satisfied` atoms of the path.
    model: Arc<Assignment>,
    satisfied: usize,
    evaluator: Evaluator,

    answers: Answers,
    solutions: Solutions,
    quick: QuickTests,
    unsat: UnsatTrie,
    sat: SatTrie,
    set_gate: Gate,
    quick_gate: Gate,

    /// Solves reused answers again.
    checker: Option<Box<dyn Solver>>,
    /// After an unsat check: the sources that cannot hold together.
    core: Vec<u32>,
    partial: Option<usize>,
    partial_solutions: Vec<Assignment>,
    stats: ChainStats,
}

/// What is kept along the path beside its atoms.
struct Marks {
    partitions: Option<Partitions>,
    /// What atoms about the same subject leave it.
    reducer: Option<Reducer>,
    /// The place of the first atom that leaves its subject nothing, and those that are in conflict.
    conflict: Option<(u32, Vec<usize>)>,
    /// Where on the path an atom is false by itself.
    refuted: Option<u32>,
    length: u32,
    /// The shortest that the path has been since the last check.
    shortest: u32,
}

impl Follow for Marks {
    fn put_on(&mut self, terms: &Terms, table: &AtomTable, step: Step) {
        if table.get(step.atom).term == Term::FALSE {
            self.refuted.get_or_insert(self.length);
        }
        if let Some(reducer) = &mut self.reducer
            && let Pushed::Conflict(places) = reducer.push(&table.get(step.atom).restriction)
            && self.conflict.is_none()
        {
            self.conflict = Some((self.length, places));
        }
        if let Some(partitions) = &mut self.partitions {
            partitions.push(terms, table, step.atom);
        }
        self.length += 1;
    }

    fn taken_off(&mut self, _table: &AtomTable, _step: Step) {
        self.length -= 1;
        if let Some(reducer) = &mut self.reducer {
            reducer.pop();
        }
        if self
            .conflict
            .as_ref()
            .is_some_and(|(place, _)| *place == self.length)
        {
            self.conflict = None;
        }
        self.shortest = self.shortest.min(self.length);
        if self.refuted == Some(self.length) {
            self.refuted = None;
        }
        if let Some(partitions) = &mut self.partitions {
            partitions.pop();
        }
    }
}

/// A slice of the path: places, ascending, with its atoms ascending by number and their key.
struct Part {
    places: Vec<u32>,
    atoms: Vec<AtomId>,
    key: u128,
}

/// What a layer knows of a part.
enum Known {
    Sat(SolutionId),
    Unsat(Box<[AtomId]>),
}

impl Chain {
    pub fn new(solver: Box<dyn Solver>, layers: Layers) -> Chain {
        let [set_gate, quick_gate] = [(); 2].map(|()| Gate::new(layers.gates));
        let mut chain = Chain {
            solver,
            marks: Marks {
                partitions: (layers.slicing == Slicing::Incremental).then(Partitions::default),
                reducer: layers.reduce.then(Reducer::default),
                conflict: None,
                refuted: None,
                length: 0,
                shortest: 0,
            },
            layers,
            assertions: Vec::new(),
            scopes: Vec::new(),
            in_line: 0,
            table: AtomTable::default(),
            path: Path::default(),
            model: Arc::default(),
            satisfied: 0,
            evaluator: Evaluator::new(),
            answers: Answers::default(),
            solutions: Solutions::default(),
            quick: QuickTests::default(),
            unsat: UnsatTrie::default(),
            sat: SatTrie::new(),
            set_gate,
            quick_gate,
            checker: None,
            core: Vec::new(),
            partial: None,
            partial_solutions: Vec::new(),
            stats: ChainStats::default(),
        };
        chain.set_partial_limit();
        chain
    }

    /// The solver with these layers in front of it: itself, if there are none.
    /// With a checker, every answer that did not come from the solver is solved again.
    pub fn before(
        solver: Box<dyn Solver>,
        layers: Layers,
        checker: Option<Box<dyn Solver>>,
    ) -> Box<dyn Solver> {
        if Some(&layers) == Layers::preset("stack").as_ref() {
            return solver;
        }
        let mut chain = Chain::new(solver, layers);
        chain.checker = checker;
        Box::new(chain)
    }

    pub fn chain_stats(&self) -> &ChainStats {
        &self.stats
    }

    fn set_partial_limit(&mut self) {
        let limit = self.partial.max(self.layers.partial_solutions);
        self.solver.collect_partial_solutions(limit);
    }

    fn decide(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.core.clear();
        self.partial_solutions.clear();
        self.path.follow(
            terms,
            &mut self.table,
            &self.assertions,
            assumptions,
            self.in_line,
            &mut self.marks,
        );
        self.in_line = self.assertions.len();
        self.satisfied = self.satisfied.min(self.marks.shortest as usize);
        self.marks.shortest = self.marks.length;
        if let Some(place) = self.marks.refuted {
            self.core = vec![self.path.steps()[place as usize].source];
            self.stats.count(AnsweredBy::Fold);
            return Verdict::Unsat;
        }
        if let Some((_, places)) = &self.marks.conflict {
            let steps = self.path.steps();
            self.core = places.iter().map(|&place| steps[place].source).collect();
            self.core.sort_unstable();
            self.core.dedup();
            self.stats.count(AnsweredBy::Reduce);
            return Verdict::Unsat;
        }
        let open = self.open_places(terms);
        if open.is_empty() {
            self.satisfied = self.path.steps().len();
            let by = if self.layers.model {
                AnsweredBy::Model
            } else {
                AnsweredBy::Fold
            };
            self.stats.count(by);
            return Verdict::Sat;
        }
        let parts = self.parts(terms, &open);
        self.settle(terms, parts, assumptions, limits)
    }

    /// The places of atoms that the model at hand does not satisfy; without a model layer, all of them.
    fn open_places(&mut self, terms: &Terms) -> Vec<u32> {
        let count = self.path.steps().len();
        if !self.layers.model {
            return (0..count as u32).collect();
        }
        (self.satisfied as u32..count as u32)
            .filter(|&place| !self.holds(terms, place))
            .collect()
    }

    fn holds(&mut self, terms: &Terms, place: u32) -> bool {
        let atom = self.path.steps()[place as usize].atom;
        let term = self.table.get(atom).term;
        self.evaluator.bool(terms, &self.model, term)
    }

    /// The slices that the open places are in.
    fn parts(&self, terms: &Terms, open: &[u32]) -> Vec<Part> {
        let steps = self.path.steps();
        let places = match (self.layers.slicing, &self.marks.partitions) {
            (Slicing::Off, _) => vec![(0..steps.len() as u32).collect()],
            (Slicing::Incremental, Some(partitions)) => {
                let mut seen = FxHashSet::default();
                let mut groups = Vec::new();
                for &place in open {
                    if seen.contains(&place) {
                        continue;
                    }
                    let mut group = Vec::new();
                    partitions.group(place, &mut group);
                    seen.extend(group.iter().copied());
                    groups.push(group);
                }
                groups
            }
            _ => {
                let atoms: Vec<AtomId> = steps.iter().map(|step| step.atom).collect();
                let mut groups = from_scratch(terms, &self.table, &atoms);
                groups.retain(|group| group.iter().any(|place| open.binary_search(place).is_ok()));
                groups
            }
        };
        places.into_iter().map(|places| self.part(places)).collect()
    }

    fn part(&self, places: Vec<u32>) -> Part {
        let steps = self.path.steps();
        let mut atoms: Vec<AtomId> = places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect();
        atoms.sort_unstable();
        let key = self.table.key(atoms.iter().copied());
        Part { places, atoms, key }
    }

    /// Decides the parts one by one; what no layer knows goes to the solver.
    fn settle(
        &mut self,
        terms: &mut Terms,
        parts: Vec<Part>,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        let mut missed = Vec::new();
        let mut answered = None;
        for part in parts {
            let started = Instant::now();
            let known = self.look_up(terms, &part);
            self.stats.lookup += started.elapsed();
            match known {
                Some((Known::Unsat(core), by)) => {
                    self.blame(&core);
                    self.stats.count(by);
                    return Verdict::Unsat;
                }
                Some((Known::Sat(solution), by)) if self.adopt(terms, &part, solution, by) => {
                    answered = answered.max(Some(by));
                }
                _ => missed.push(part),
            }
        }
        if missed.is_empty() {
            self.satisfied = self.path.steps().len();
            self.stats
                .count(answered.expect("some part was open, and known"));
            return Verdict::Sat;
        }
        self.stats.count(AnsweredBy::Solver);
        match self.layers.asking {
            Asking::Stack => self.ask_all(terms, &missed, assumptions, limits),
            Asking::Scratch => self.ask_each(terms, &missed, limits),
        }
    }

    /// Solves a reused answer again, from scratch: everything if it is sat, its core if it is unsat.
    fn recheck(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        verdict: Verdict,
        limits: &Limits,
    ) -> Verdict {
        let Some(checker) = &mut self.checker else {
            return verdict;
        };
        checker.reset();
        match verdict {
            Verdict::Unsat => {
                for &source in &self.core {
                    checker.assert(terms, self.path.source(source));
                }
            }
            _ => {
                for &formula in self.assertions.iter().chain(assumptions) {
                    checker.assert(terms, formula);
                }
            }
        }
        let again = checker.check(terms, &[], limits);
        match again {
            Verdict::Unknown(_) => verdict,
            again if again == verdict => verdict,
            again => Verdict::Unknown(Reason::Disagreement(format!(
                "reused answer {verdict:?}, solved again {again:?}"
            ))),
        }
    }

    /// What earlier answers say of a part.
    fn look_up(&mut self, terms: &Terms, part: &Part) -> Option<(Known, AnsweredBy)> {
        if self.layers.exact
            && let Some(answer) = self.answers.get(part.key, &part.atoms)
        {
            let known = match answer {
                Answer::Sat(solution) => Known::Sat(*solution),
                Answer::Unsat(core) => Known::Unsat(core.clone()),
            };
            return Some((known, AnsweredBy::Exact));
        }
        if self.layers.trie != Trie::Off && self.set_gate.is_open() {
            let started = Instant::now();
            let found = self.look_up_sets(part);
            let solving = self.stats.mean_solving();
            self.set_gate
                .note(found.is_some(), started.elapsed(), solving);
            if found.is_some() {
                return found;
            }
        }
        let limit = self.layers.quick_test?;
        if !self.quick_gate.is_open() {
            return None;
        }
        let started = Instant::now();
        let atoms = self.ordered(part);
        let candidates = self.quick.candidates(&self.table, &atoms, limit);
        let found = self.test(terms, &atoms, &candidates);
        let solving = self.stats.mean_solving();
        self.quick_gate
            .note(found.is_some(), started.elapsed(), solving);
        Some((Known::Sat(found?), AnsweredBy::QuickTest))
    }

    /// What answers to other sets say of a part.
    fn look_up_sets(&mut self, part: &Part) -> Option<(Known, AnsweredBy)> {
        let effort = Effort {
            implication: self.layers.trie == Trie::Implication,
            visits: MAX_VISITS,
        };
        if let Some(hit) = self
            .unsat
            .find_subset(&self.table, &part.atoms, effort)
            .hit()
        {
            let by = if hit.exact {
                AnsweredBy::Subset
            } else {
                AnsweredBy::ImpliedUnsat
            };
            let core = self.implying(part, &self.unsat.set(hit.entry));
            return Some((Known::Unsat(core.into()), by));
        }
        let hit = self
            .sat
            .find_superset(&self.table, &part.atoms, effort)
            .hit()?;
        let by = if hit.exact {
            AnsweredBy::Superset
        } else {
            AnsweredBy::ImpliedSat
        };
        Some((Known::Sat(SolutionId(hit.solution)), by))
    }

    /// Atoms of a part that imply those of a set, one for each.
    fn implying(&self, part: &Part, set: &[AtomId]) -> Vec<AtomId> {
        let mut found: Vec<AtomId> = set
            .iter()
            .filter_map(|&stored| {
                let implies = |atom: &AtomId| {
                    *atom == stored
                        || self.table.subject(*atom) == self.table.subject(stored)
                            && self.table.implies(*atom, stored)
                };
                let mut atoms = part.atoms.iter().copied();
                atoms.find(implies)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The atoms of a part in the order of the path.
    fn ordered(&self, part: &Part) -> Vec<AtomId> {
        let steps = self.path.steps();
        part.places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect()
    }

    /// The first of some solutions that satisfies all of these atoms.
    fn test(
        &mut self,
        terms: &Terms,
        atoms: &[AtomId],
        candidates: &[SolutionId],
    ) -> Option<SolutionId> {
        let formulas: Vec<Term> = atoms.iter().map(|&a| self.table.get(a).term).collect();
        let solutions: Vec<&Solution> = candidates
            .iter()
            .map(|&id| self.solutions.get(id))
            .collect();
        let inputs = self.table.inputs(atoms);
        let lane = first_satisfying(terms, &self.model, &formulas, &inputs, &solutions)?;
        Some(candidates[lane])
    }

    /// Takes a solution of a part over into the model, and says whether the part holds under it. If not, nothing is known of the model any more.
    fn adopt(&mut self, terms: &Terms, part: &Part, solution: SolutionId, by: AnsweredBy) -> bool {
        let model = Arc::make_mut(&mut self.model);
        // A solution of the same atoms has just the inputs of the part. Others may speak of what is somebody else's here.
        if matches!(by, AnsweredBy::Exact | AnsweredBy::Solver) {
            self.solutions.get(solution).put_all_into(terms, model);
        } else {
            let inputs = self.table.inputs(&part.atoms);
            self.solutions.get(solution).put_into(terms, model, &inputs);
        }
        self.evaluator.forget();
        let holds = part.places.iter().all(|&place| self.holds(terms, place));
        if !holds {
            self.satisfied = 0;
        }
        holds
    }

    /// Notes the sources of some atoms as the core.
    fn blame(&mut self, atoms: &[AtomId]) {
        self.core = self
            .path
            .steps()
            .iter()
            .filter(|step| atoms.contains(&step.atom))
            .map(|step| step.source)
            .collect();
        self.core.dedup();
    }

    /// Asks the solver about everything on the path.
    fn ask_all(
        &mut self,
        terms: &mut Terms,
        missed: &[Part],
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        let started = Instant::now();
        let verdict = self.solver.check(terms, assumptions, limits);
        self.stats.solved(&verdict, started.elapsed());
        match &verdict {
            Verdict::Sat => {
                self.model = Arc::new(self.solver.model(terms));
                self.evaluator.forget();
                self.satisfied = self.path.steps().len();
                for part in missed {
                    self.remember_sat(terms, part);
                }
            }
            Verdict::Unsat => {
                let core = self.core_of_path(terms);
                self.blame(&core);
                self.remember_unsat(missed, &core);
            }
            Verdict::Unknown(_) => {}
        }
        self.collect_partial(terms, missed);
        verdict
    }

    /// Asks the solver about each part, from scratch.
    fn ask_each(&mut self, terms: &mut Terms, missed: &[Part], limits: &Limits) -> Verdict {
        for part in missed {
            self.solver.reset();
            self.set_partial_limit();
            let formulas: Vec<Term> = self
                .ordered(part)
                .iter()
                .map(|&atom| self.table.get(atom).term)
                .collect();
            let wants_core = self.layers.exact || !self.scopes.is_empty();
            if !wants_core {
                for &formula in &formulas {
                    self.solver.assert(terms, formula);
                }
            }
            let assumed = if wants_core { &formulas[..] } else { &[] };
            let started = Instant::now();
            let verdict = self.solver.check(terms, assumed, limits);
            self.stats.solved(&verdict, started.elapsed());
            match &verdict {
                Verdict::Sat => {
                    let solution = self.solver.model(terms);
                    let solution = Solution::of(terms, &solution, self.table.inputs(&part.atoms));
                    let id = self.solutions.add(solution);
                    if !self.adopt(terms, part, id, AnsweredBy::Solver) {
                        let reason = "the solver's model does not satisfy what it was asked";
                        return Verdict::Unknown(Reason::Failed(reason.into()));
                    }
                    self.remember_solution(part, id);
                }
                Verdict::Unsat => {
                    let core = if wants_core {
                        self.core_of_assumptions(terms)
                    } else {
                        part.atoms.clone()
                    };
                    self.blame(&core);
                    self.remember_unsat(std::slice::from_ref(part), &core);
                }
                Verdict::Unknown(_) => {}
            }
            self.collect_partial(terms, std::slice::from_ref(part));
            if verdict != Verdict::Sat {
                return verdict;
            }
        }
        self.satisfied = self.path.steps().len();
        Verdict::Sat
    }

    /// The atoms that cannot hold together, after the solver was asked about the whole path.
    fn core_of_path(&mut self, terms: &mut Terms) -> Vec<AtomId> {
        let Some(sources) = self.solver.conflict(terms) else {
            return self.path.steps().iter().map(|step| step.atom).collect();
        };
        let mut core = Vec::new();
        for source in sources {
            core.extend_from_slice(self.table.conjuncts(terms, source));
        }
        core.sort_unstable();
        core.dedup();
        core
    }

    /// The atoms that cannot hold together, after they were the assumptions.
    fn core_of_assumptions(&mut self, terms: &mut Terms) -> Vec<AtomId> {
        let core = self.solver.core();
        let mut atoms: Vec<AtomId> = core
            .into_iter()
            .map(|term| self.table.id(terms, term))
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Remembers that the model satisfies a part.
    fn remember_sat(&mut self, terms: &Terms, part: &Part) {
        if self.layers.exact {
            let solution = Solution::of(terms, &self.model, self.table.inputs(&part.atoms));
            let id = self.solutions.add(solution);
            self.remember_solution(part, id);
        }
    }

    fn remember_solution(&mut self, part: &Part, solution: SolutionId) {
        if self.layers.exact {
            let answer = Answer::Sat(solution);
            self.answers.insert(part.key, &part.atoms, answer);
        }
        if self.layers.trie != Trie::Off {
            self.sat.insert(&self.table, &part.atoms, solution.0);
        }
        if self.layers.quick_test.is_some() {
            self.quick.add(part.key, solution);
        }
    }

    /// Remembers that some atoms cannot hold together, and that therefore neither can the part they are in.
    fn remember_unsat(&mut self, parts: &[Part], core: &[AtomId]) {
        if !self.layers.exact {
            return;
        }
        let key = self.table.key(core.iter().copied());
        self.answers.insert(key, core, Answer::Unsat(core.into()));
        if self.layers.trie != Trie::Off {
            self.unsat.insert(&self.table, core);
        }
        for part in parts {
            let is_within = core
                .iter()
                .all(|atom| part.atoms.binary_search(atom).is_ok());
            if is_within {
                let answer = Answer::Unsat(core.into());
                self.answers.insert(part.key, &part.atoms, answer);
            }
        }
    }

    /// Takes the partial solutions of the last solve, and keeps them as candidates for the prefixes and off-the-path branches that they satisfy.
    fn collect_partial(&mut self, terms: &mut Terms, parts: &[Part]) {
        if self.partial.max(self.layers.partial_solutions).is_none() {
            return;
        }
        // While nobody tries solutions, there is no use in more of them.
        if self.partial.is_none() && self.quick_gate.is_resting() {
            return;
        }
        let found = self.solver.partial_solutions(terms);
        self.stats.partial_solutions += found.len() as u64;
        if self.layers.partial_solutions.is_some() {
            for part in parts {
                self.keep_partial(terms, part, &found);
            }
        }
        if self.partial.is_some() {
            self.partial_solutions.extend(found);
        }
    }

    fn keep_partial(&mut self, terms: &mut Terms, part: &Part, found: &[Assignment]) {
        let atoms = self.ordered(part);
        let inputs = self.table.inputs(&part.atoms);
        for assignment in found {
            let solution = Solution::of(terms, assignment, inputs.iter().copied());
            let mut evaluator = Evaluator::new();
            let first_false = atoms
                .iter()
                .position(|&atom| !evaluator.bool(terms, assignment, self.table.get(atom).term));
            let reached = first_false.unwrap_or(atoms.len());
            let id = self.solutions.add(solution);
            let mut key = 0u128;
            for &atom in &atoms[..reached] {
                key = key.wrapping_add(self.table.get(atom).hash);
                self.quick.add(key, id);
            }
            if let Some(&off) = atoms.get(reached) {
                let negated = terms.not(self.table.get(off).term);
                let off = self.table.id(terms, negated);
                let key = key.wrapping_add(self.table.get(off).hash);
                self.quick.add(key, id);
            }
        }
    }
}

impl Solver for Chain {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn push(&mut self) {
        self.scopes.push(self.assertions.len());
        if self.layers.asking == Asking::Stack {
            self.solver.push();
        }
    }

    fn pop(&mut self, levels: usize) {
        if levels == 0 {
            return;
        }
        let kept = self.scopes.len().saturating_sub(levels);
        if let Some(&length) = self.scopes.get(kept) {
            self.assertions.truncate(length);
            self.in_line = self.in_line.min(length);
        }
        self.scopes.truncate(kept);
        if self.layers.asking == Asking::Stack {
            self.solver.pop(levels);
        }
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.assertions.push(formula);
        if self.layers.asking == Asking::Stack {
            self.solver.assert(terms, formula);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        let asked = self.stats.solver.checks;
        let mut verdict = self.decide(terms, assumptions, limits);
        if self.stats.solver.checks == asked {
            verdict = self.recheck(terms, assumptions, verdict, limits);
        }
        self.stats.total.record(&verdict);
        verdict
    }

    fn model(&mut self, _terms: &mut Terms) -> Assignment {
        Assignment::clone(&self.model)
    }

    fn core(&mut self) -> Vec<Term> {
        let assumed = self.assertions.len() as u32;
        self.core
            .iter()
            .filter(|&&source| source >= assumed)
            .map(|&source| self.path.source(source))
            .collect()
    }

    fn conflict(&mut self, _terms: &Terms) -> Option<Vec<Term>> {
        Some(
            self.core
                .iter()
                .map(|&source| self.path.source(source))
                .collect(),
        )
    }

    fn collect_partial_solutions(&mut self, limit: Option<usize>) {
        self.partial = limit;
        self.set_partial_limit();
    }

    fn partial_solutions(&mut self, _terms: &mut Terms) -> Vec<Assignment> {
        std::mem::take(&mut self.partial_solutions)
    }

    fn reset(&mut self) {
        self.solver.reset();
        self.assertions.clear();
        self.scopes.clear();
        self.in_line = 0;
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn effort(&self) -> Option<refrain_solver::Effort> {
        Some(self.stats.effort())
    }
}
