//! Enumeration: a slice with few inputs is decided by trying all their values.
//!
//! Products, remainders and table look-ups of a few bytes make circuits that a SAT engine may never get through, while
//! evaluating them under all values takes microseconds to seconds. The values of inputs are those that atoms about them
//! alone leave (`domain`). They are tried one input after the other, all assignments side by side: as soon as all inputs
//! of an atom have a value, those assignments that it excludes are gone. So the digits of a number, each of which a few
//! bytes decide, are never more than these numbers. What depends on one byte alone is looked up (`functions`).
//!
//! What takes no longer than a conflict of the engine is tried at once, unless there are so many atoms that looking at
//! them takes longer: the engine has seen all but the last of them. Otherwise the engine goes first, with about as much
//! time as the enumeration may take.

mod domain;
mod functions;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use refrain_path::repair::Repair;
use refrain_path::simplify::tables::set_input;
use refrain_path::{AtomId, InputId, Kind, Limits, Path};
use refrain_term::value::mask;
use refrain_term::{Batch, Bits, Op, Term, Terms, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::{Component, Engine};
use super::partial::PartialSolutions;
use domain::{Domain, domains};
use functions::Function;
pub(super) use functions::FunctionTables;

/// Evaluations of words that are too many.
const MOST_EVALUATIONS: u64 = 1 << 32;

/// What takes fewer is done as soon as functions of inputs are found.
const WORTH_TABLES: u64 = 1 << 16;

/// As how many evaluations it counts to look up a value.
const LOOK_UP: u64 = 4;

/// About as many evaluations of words as a conflict of the engine takes, and for each gate.
const EVALUATIONS_PER_CONFLICT: u64 = 1 << 16;
const EVALUATIONS_PER_GATE: u64 = 1 << 4;

/// How many assignments are evaluated at once, and how many evaluations that may take: limits are looked at in between.
const LANES: u64 = 1 << 16;
const EVALUATIONS_AT_ONCE: u64 = 1 << 24;

/// How many assignments are kept for the next input.
const MOST_KEPT: usize = 1 << 20;

/// Among more assignments at once none are chosen as partial solutions.
const MOST_NOTED: u64 = 1 << 12;

/// More inputs are not looked at closer.
const MOST_INPUTS: usize = 16;

/// Of more atoms the values are not tried first.
const FEW_ATOMS: usize = 256;

/// Inputs that get their values together, and the atoms of which no other input is open then.
#[derive(Clone)]
struct Stage {
    domain: Domain,
    /// By their places in the component.
    atoms: Vec<usize>,
    /// Their terms, in which symbols stand for functions.
    roots: Vec<Term>,
    /// These functions, by their places.
    functions: Vec<usize>,
    /// How many evaluations an assignment takes, with that of the inputs that have their values.
    evaluations: u64,
}

impl Stage {
    /// Symbols stand for these functions from here on.
    fn look_up(&mut self, terms: &mut Terms, functions: &[Function]) {
        self.evaluations -= all_evaluations(terms, &self.roots);
        self.roots = functions::replaced(terms, functions, &self.roots);
        self.functions = functions::mentioned(terms, functions, &self.roots);
        let looked_up = LOOK_UP * self.functions.len() as u64;
        self.evaluations += all_evaluations(terms, &self.roots) + looked_up;
    }
}

/// What there is to enumerate.
pub(super) struct Enumeration {
    stages: Vec<Stage>,
    functions: Vec<Function>,
    /// About how many gates the circuits of all atoms have.
    gates: u64,
    /// How many evaluations it takes at most, if not too many.
    evaluations: Option<u64>,
}

/// What came of trying values.
enum Tried {
    Solution(Vec<(InputId, u64)>),
    /// The atoms that exclude all assignments.
    Core(Vec<AtomId>),
    /// There are too many.
    Abandoned,
}

impl Enumeration {
    /// Whether a component has few inputs, and all of them are words.
    pub fn is_possible(path: &Path, component: &Component) -> bool {
        let inputs = &component.inputs;
        let is_word = |&input: &InputId| path.atoms.inputs.place(input).word_bits().is_some();
        (1..=MOST_INPUTS).contains(&inputs.len()) && inputs.iter().all(is_word)
    }

    /// Whether a look at all atoms is quick.
    pub fn is_quick(component: &Component) -> bool {
        component.atoms.len() <= FEW_ATOMS
    }

    /// How to try the values of a component's inputs, if that is possible.
    pub fn of(terms: &mut Terms, path: &mut Path, component: &Component) -> Option<Enumeration> {
        let domains = domains(terms, path, component)?;
        let roots: Vec<Term> = { component.atoms.iter() }
            .map(|&atom| path.atoms.get(atom).term)
            .collect();
        let mut stages = stages(terms, path, component, domains);
        let mut functions = Vec::new();
        let mut evaluations = most_evaluations(&stages);
        if evaluations.is_none_or(|count| count > WORTH_TABLES) {
            functions = functions::functions_in(terms, path, &roots);
        }
        if !functions.is_empty() {
            let mut looked_up = stages.clone();
            for stage in &mut looked_up {
                stage.look_up(terms, &functions);
            }
            let tables: u64 = functions.iter().map(|function| function.evaluations).sum();
            let all = most_evaluations(&looked_up).and_then(|count| count.checked_add(tables));
            if all.is_some_and(|all| evaluations.is_none_or(|count| all < count)) {
                (stages, evaluations) = (looked_up, all);
            } else {
                functions.clear();
            }
        }
        let all = reachable(terms, &roots);
        Some(Enumeration {
            gates: all.iter().map(|&term| gates(terms, term)).sum(),
            evaluations: evaluations.filter(|&count| count <= MOST_EVALUATIONS),
            stages,
            functions,
        })
    }

    /// How many evaluations take about as long as so many conflicts of the engine.
    pub fn worth(&self, conflicts: u64) -> u64 {
        let evaluations = EVALUATIONS_PER_CONFLICT + EVALUATIONS_PER_GATE * self.gates;
        evaluations.saturating_mul(conflicts)
    }

    /// How many conflicts of the engine take as long as trying everything, if that is to be thought of.
    pub fn conflicts(&self) -> Option<u64> {
        Some(self.evaluations?.div_ceil(self.worth(1)))
    }

    /// Tries all values, with no more than so many evaluations.
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        mut evaluations: u64,
        tables: &mut FunctionTables,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Tried {
        let mut looked_up: Vec<Rc<[u64]>> = Vec::new();
        for function in &self.functions {
            if !tables.has(function) {
                match evaluations.checked_sub(function.evaluations) {
                    Some(left) if limits.exceeded().is_none() => evaluations = left,
                    _ => return Tried::Abandoned,
                }
            }
            looked_up.push(tables.of(terms, path, function));
        }
        let mut assignments = Assignments::one();
        let mut core: FxHashSet<usize> = FxHashSet::default();
        for (place, stage) in self.stages.iter().enumerate() {
            let is_last = place + 1 == self.stages.len();
            core.extend(&stage.domain.bounds);
            let Some(total) = (assignments.count as u64).checked_mul(stage.domain.size) else {
                return Tried::Abandoned;
            };
            let cost = total.checked_mul(stage.evaluations);
            let left = cost.and_then(|cost| evaluations.checked_sub(cost));
            let Some(left) = left else {
                return Tried::Abandoned;
            };
            evaluations = left;
            let mut kept = Assignments::none(&assignments, &stage.domain);
            let most = (EVALUATIONS_AT_ONCE / stage.evaluations.max(1)).clamp(1, LANES);
            for start in (0..total).step_by(most as usize) {
                if limits.exceeded().is_some() {
                    return Tried::Abandoned;
                }
                let lanes = start..total.min(start + most);
                let count = (lanes.end - lanes.start) as usize;
                let columns = assignments.extended(&stage.domain, lanes);
                let mut batch = Batch::new(count, Arc::clone(path.model.assignment()));
                for (input, column) in &columns {
                    set_input(&mut batch, terms, path.atoms.inputs.get(*input), column);
                }
                for &place in &stage.functions {
                    let (function, table) = (&self.functions[place], &looked_up[place]);
                    let inputs = { columns.iter() }
                        .find(|(input, _)| *input == function.input)
                        .expect("its input has a value");
                    function.set(&mut batch, terms, table, &inputs.1);
                }
                let truths = batch.eval(terms, &stage.roots);
                path.work.note(Kind::Batch, 1);
                path.work.note(Kind::Column, count * stage.roots.len());
                if total <= MOST_NOTED && partial.tried.wants_more() {
                    partial.tried.note(path, &columns, &truths);
                }
                let holds = excluding(stage, &truths, count, &mut core);
                if is_last && let Some(lane) = holds.first() {
                    let words = columns.iter().map(|(input, column)| (*input, column[lane]));
                    return Tried::Solution(words.collect());
                }
                kept.add(&columns, &holds);
                if kept.count > MOST_KEPT {
                    return Tried::Abandoned;
                }
            }
            assignments = kept;
            if assignments.count == 0 {
                break;
            }
        }
        let mut places: Vec<usize> = core.into_iter().collect();
        places.sort_unstable();
        Tried::Core(places.iter().map(|&place| component.atoms[place]).collect())
    }
}

/// Which assignments all atoms of a stage let stand. The atoms that are enough to exclude the others, each time the one
/// that excludes the most, are added to a core.
fn excluding(stage: &Stage, truths: &[Bits], count: usize, core: &mut FxHashSet<usize>) -> Bits {
    let mut all = Bits::ones(count);
    truths.iter().for_each(|truth| all.intersect(truth));
    let goal = all.count();
    let mut left = Bits::ones(count);
    while left.count() > goal {
        let remaining = |place: &usize| {
            let mut kept = left.clone();
            kept.intersect(&truths[*place]);
            kept.count()
        };
        let best = (0..truths.len()).min_by_key(remaining).expect("an atom");
        left.intersect(&truths[best]);
        core.insert(stage.atoms[best]);
    }
    all
}

/// Assignments to some inputs, side by side.
struct Assignments {
    count: usize,
    columns: Vec<(InputId, Vec<u64>)>,
}

impl Assignments {
    /// The one that assigns nothing.
    fn one() -> Assignments {
        Assignments {
            count: 1,
            columns: Vec::new(),
        }
    }

    /// None, of the inputs of some and of a domain.
    fn none(before: &Assignments, domain: &Domain) -> Assignments {
        let before = before.columns.iter().map(|(input, _)| *input);
        let inputs = before.chain(domain.inputs.iter().map(|&(input, ..)| input));
        Assignments {
            count: 0,
            columns: inputs.map(|input| (input, Vec::new())).collect(),
        }
    }

    /// Some of these assignments, each with every value of a domain.
    fn extended(&self, domain: &Domain, lanes: std::ops::Range<u64>) -> Vec<(InputId, Vec<u64>)> {
        let count = (lanes.end - lanes.start) as usize;
        // Which assignment lanes extend, and with which values, a run of lanes at a time.
        let mut runs: Vec<(usize, std::ops::Range<u64>)> = Vec::new();
        let mut lane = lanes.start;
        while lane < lanes.end {
            let first = lane % domain.size;
            let last = domain.size.min(first + lanes.end - lane);
            runs.push(((lane / domain.size) as usize, first..last));
            lane += last - first;
        }
        let mut columns: Vec<(InputId, Vec<u64>)> = Vec::new();
        for (input, before) in &self.columns {
            let mut column = Vec::with_capacity(count);
            for (place, run) in &runs {
                let len = column.len() + (run.end - run.start) as usize;
                column.resize(len, before[*place]);
            }
            columns.push((*input, column));
        }
        let mut values = Vec::with_capacity(count);
        for (_, run) in &runs {
            domain.add_values(run.clone(), &mut values);
        }
        for &(input, low, width) in &domain.inputs {
            let part = values.iter().map(|value| value >> low & mask(width));
            columns.push((input, part.collect()));
        }
        columns
    }

    fn add(&mut self, columns: &[(InputId, Vec<u64>)], which: &Bits) {
        let lanes: Vec<usize> = which.iter().collect();
        self.count += lanes.len();
        for ((_, kept), (_, column)) in self.columns.iter_mut().zip(columns) {
            kept.extend(lanes.iter().map(|&lane| column[lane]));
        }
    }
}

/// The order in which inputs get their values: few values first, and those that leave atoms without open inputs.
fn stages(terms: &Terms, path: &Path, component: &Component, domains: Vec<Domain>) -> Vec<Stage> {
    let mut waiting = Waiting::new(path, component, &domains);
    let mut open: Vec<(usize, Domain)> = domains.into_iter().enumerate().collect();
    let mut inputs = 0;
    let mut stages = Vec::new();
    while !open.is_empty() {
        // Each atom is taken to leave one assignment in eight.
        let bits = |domain: &Domain| i64::from(u64::BITS - domain.size.leading_zeros());
        let key = |(place, domain): &(usize, Domain)| bits(domain) - 3 * waiting.only_for(*place);
        let best = (0..open.len()).min_by_key(|&place| key(&open[place]));
        let (place, domain) = open.remove(best.expect("a domain is left"));
        let atoms = waiting.take(place);
        inputs += domain.inputs.len() as u64;
        let roots: Vec<Term> = { atoms.iter() }
            .map(|&place| path.atoms.get(component.atoms[place]).term)
            .collect();
        stages.push(Stage {
            domain,
            evaluations: inputs + all_evaluations(terms, &roots),
            atoms,
            roots,
            functions: Vec::new(),
        });
    }
    stages
}

/// Atoms, by the domains that they wait for: a bit for each. There are no more of these than inputs.
struct Waiting {
    groups: BTreeMap<u32, Vec<usize>>,
}

impl Waiting {
    fn new(path: &Path, component: &Component, domains: &[Domain]) -> Waiting {
        let places = domains.iter().enumerate();
        let of_input: FxHashMap<InputId, u32> = places
            .flat_map(|(place, domain)| {
                domain
                    .inputs
                    .iter()
                    .map(move |(input, ..)| (*input, 1 << place))
            })
            .collect();
        let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, &atom) in component.atoms.iter().enumerate() {
            let inputs = path.atoms.get(atom).inputs.iter();
            let domains = inputs.fold(0, |all, input| all | of_input[input]);
            groups.entry(domains).or_default().push(place);
        }
        Waiting { groups }
    }

    /// How many atoms wait for nothing but a domain.
    fn only_for(&self, domain: usize) -> i64 {
        let groups = self.groups.iter();
        let only = groups.filter(|(domains, _)| **domains & !(1 << domain) == 0);
        only.map(|(_, atoms)| atoms.len() as i64).sum()
    }

    /// A domain has its values: takes the atoms that wait for no other, in order.
    fn take(&mut self, domain: usize) -> Vec<usize> {
        let mut ready = Vec::new();
        let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (domains, mut atoms) in std::mem::take(&mut self.groups) {
            match domains & !(1 << domain) {
                0 => ready.append(&mut atoms),
                others => groups.entry(others).or_default().append(&mut atoms),
            }
        }
        self.groups = groups;
        ready.sort_unstable();
        ready
    }
}

/// How many evaluations all stages take where none excludes an assignment, if that is a number.
fn most_evaluations(stages: &[Stage]) -> Option<u64> {
    let mut assignments = 1u64;
    let mut sum = 0u64;
    for stage in stages {
        assignments = assignments.checked_mul(stage.domain.size)?;
        sum = sum.checked_add(assignments.checked_mul(stage.evaluations)?)?;
    }
    Some(sum)
}

/// How many evaluations some formulas take.
pub(super) fn all_evaluations(terms: &Terms, roots: &[Term]) -> u64 {
    let all = reachable(terms, roots);
    all.iter().map(|&term| evaluations(terms, term)).sum()
}

/// As how many evaluations of a word one of a term counts. What the processor has no words for takes much longer.
fn evaluations(terms: &Terms, term: Term) -> u64 {
    let width = |term: Term| terms.sort(term).width().unwrap_or(1);
    let own = terms.args(term).iter().map(|&arg| width(arg));
    let widest = own.chain([width(term)]).max().unwrap_or(1);
    // Of pairs of words there are as many as of one.
    let words = u64::from(widest).div_ceil(64) / 2;
    match terms.op(term) {
        Op::Float { .. } if matches!(widest, 32 | 64) => 1 << 3,
        Op::Float { .. } => 1 << 10,
        Op::BvMul | Op::BvUdiv | Op::BvUrem if widest > 64 => (words * words) << 6,
        _ if widest > 64 => words << 6,
        _ => 1,
    }
}

/// About how many gates the circuit of a term has, without those of what it is made of.
fn gates(terms: &Terms, term: Term) -> u64 {
    let width = terms.sort(term).width().map_or(1, u64::from);
    match terms.op(term) {
        Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::Float { .. } => width * width,
        _ => width,
    }
}

impl Engine {
    /// Tries all values, with no more than so many evaluations. `None` if there are too many, or a limit was reached.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn enumerate(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        enumeration: &Enumeration,
        evaluations: u64,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Option<Repair> {
        let tables = &mut self.tables;
        let tried = enumeration.run(terms, path, component, evaluations, tables, partial, limits);
        let found = match tried {
            Tried::Abandoned => return None,
            Tried::Core(core) => Repair::Impossible(core),
            Tried::Solution(words) => {
                for (input, word) in words {
                    path.model.set_word(&path.atoms.inputs, input, word);
                }
                self.in_doubt = true;
                self.verified(terms, path, component)
            }
        };
        self.stats.enumerated += 1;
        Some(found)
    }
}
