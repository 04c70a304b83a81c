//! What of a tree a run executes again, and what it keeps as it is.
//!
//! Executed again is the way to whatever is open, to whatever a change of the program may have made another (all that is
//! below code that changed), and to paths whose tests are needed again. Of everything else the run only counts what is
//! there: it is kept.

use std::collections::{BTreeMap, BTreeSet};

use refrain_machine::{Cause, CodeUnit, ErrorKind, Part};
use refrain_memo::{Below, Edge, Edges, Ending, Tree, UnitId};
use rustc_hash::FxHashSet;

/// How many places of a cause are listed.
const MOST_LISTED: usize = 1_000;

/// The hash of a block of a function now, if there is one.
pub type CodeHash<'a> = dyn Fn(&str, u32) -> Option<u64> + 'a;

/// What a run is to do with a tree.
pub struct Again<'a> {
    /// Whether it goes on at a boundary. A [`Guide`](super::Guide) can choose.
    pub goes_on: &'a dyn Fn(Edge, &Cause) -> bool,
    /// Only what is open at these edges and below them is this run's to explore. None: all of it.
    pub part: Option<&'a BTreeSet<Edge>>,
    /// What [`Machine::code_hash`](refrain_machine::Machine::code_hash) says of a program that may be another than the
    /// tree's.
    pub hash_now: Option<&'a CodeHash<'a>>,
    /// Whether there is a test of this number.
    pub has_test: &'a dyn Fn(u32) -> bool,
    /// The tests of the run are to reach all code that any path reaches.
    pub covers_by_tests: bool,
    /// Assumptions that no path satisfies are told when all paths are known, by paths that they end.
    pub judges_assumptions: bool,
    /// Code may be on other lines than it was: what is told with its line is told anew.
    pub has_moved: bool,
}

impl Default for Again<'_> {
    /// Goes on wherever the tree is open.
    fn default() -> Self {
        Again {
            goes_on: &|_, _| true,
            part: None,
            hash_now: None,
            has_test: &|_| true,
            covers_by_tests: false,
            judges_assumptions: false,
            has_moved: false,
        }
    }
}

/// What is not executed again.
#[derive(Debug, Default)]
pub struct Kept {
    /// Paths by their ends; those that were cut are among the boundaries too.
    pub exits: u64,
    pub errors: u64,
    pub silent: u64,
    pub cut: u64,
    /// What is not explored: how many places, and some of them.
    pub boundaries: BTreeMap<Cause, (u64, Vec<Edge>)>,
    /// The tests of these paths; of these, those that show an error, and perhaps others.
    pub tests: BTreeSet<u32>,
    pub error_tests: BTreeSet<u32>,
    /// The code that ran.
    pub code: Vec<CodeUnit>,
}

impl Kept {
    pub fn paths(&self) -> u64 {
        self.exits + self.errors + self.silent + self.cut
    }

    fn add_boundary(&mut self, cause: Cause, edge: Edge) {
        let (count, places) = self.boundaries.entry(cause).or_default();
        *count += 1;
        if places.len() < MOST_LISTED {
            places.push(edge);
        }
    }
}

pub(super) struct Plan {
    /// The edges that are executed again: those that lead to something to do.
    pub enabled: Edges,
    /// Of these, where something is to be done: what is known there is not believed, or not enough.
    pub candidates: Edges,
    /// Of these, the ones on which code ran that is another now.
    pub impacted: Edges,
    /// The program may be another than the tree's.
    pub is_regression: bool,
    pub kept: Kept,
}

impl Plan {
    pub fn new(tree: &Tree, again: &Again<'_>) -> Plan {
        let impacted = match again.hash_now {
            // All code is recorded by block.
            Some(hash_now) => tree.impact(|symbol, block| hash_now(symbol, block?)).edges,
            None => tree.no_edges(),
        };
        let mut planner = Planner {
            tree,
            candidates: tree.with_all_below(&impacted),
            lost_tests: BTreeSet::new(),
        };
        planner.add_open(again);
        planner.replace_tests(again.has_moved);
        let ways = tree.enabled(|edge| planner.is_kept(edge));
        let code = match again.covers_by_tests {
            true => planner.cover_by_tests(&ways),
            false => Code::on(tree, &ways),
        };
        let mut kept = planner.kept();
        let code = code.units.into_iter();
        kept.code = code.filter_map(|unit| named(tree, unit)).collect();
        let candidates = planner.candidates;
        Plan {
            enabled: tree.enabled(|edge| tree.is_in(edge, &candidates)),
            candidates,
            impacted,
            is_regression: again.hash_now.is_some(),
            kept,
        }
    }
}

struct Planner<'a> {
    tree: &'a Tree,
    /// What is executed again, up to its end.
    candidates: Edges,
    /// The tests of such paths: whether there is one for the path in the end is not known yet.
    lost_tests: BTreeSet<u32>,
}

impl Planner<'_> {
    /// Whether a path, or a place, stays as it is.
    fn is_kept(&self, edge: Edge) -> bool {
        let has_something = !matches!(
            self.tree.below(edge),
            Below::Node(_) | Below::Infeasible { .. }
        );
        has_something && !self.tree.is_in(edge, &self.candidates)
    }

    /// What is open, and paths of which something is missing.
    fn add_open(&mut self, again: &Again<'_>) {
        let tree = self.tree;
        for edge in tree.every_edge() {
            let is_ours = || {
                let is_there = |part: &BTreeSet<Edge>| {
                    let mut way = tree.path_to(edge).into_iter();
                    way.any(|edge| part.contains(&edge))
                };
                again.part.is_none_or(is_there)
            };
            let goes_on = |cause| (again.goes_on)(edge, &cause) && is_ours();
            let is_open = match tree.below(edge) {
                Below::Open(boundary) if boundary.cause.is_empty() => is_ours(),
                Below::Open(boundary) => goes_on(Cause::of(boundary.cause)),
                Below::Unknown { reason } => goes_on(Cause::Undecided(reason.into())),
                Below::Leaf(leaf) => {
                    leaf.test.is_some_and(|test| !(again.has_test)(test))
                        || match leaf.ending {
                            Ending::Boundary(boundary) => goes_on(Cause::of(boundary.cause)),
                            Ending::Error(text) => {
                                again.judges_assumptions && is_impossible_assumption(text)
                            }
                            Ending::Unsupported(_) => again.has_moved,
                            Ending::Exit(_) | Ending::Silent => false,
                        }
                }
                Below::Node(_) | Below::Infeasible { .. } | Below::Summary(_) => false,
            };
            if is_open {
                tree.add_edge(edge, &mut self.candidates);
            }
        }
    }

    /// One test may stand for several paths that end in the same error. If the one it was made of is executed again, so
    /// is another one, to get a test that stands for them. With all errors anew, one is of each test.
    fn replace_tests(&mut self, all_errors: bool) {
        let tree = self.tree;
        let leaves = || {
            tree.every_edge().filter_map(|edge| match tree.below(edge) {
                Below::Leaf(leaf) => Some((edge, leaf.test?, leaf.ending)),
                _ => None,
            })
        };
        for (edge, test, _) in leaves() {
            if tree.is_in(edge, &self.candidates) {
                self.lost_tests.insert(test);
            }
        }
        let mut replaced = BTreeSet::new();
        for (edge, test, ending) in leaves() {
            let is_told_anew = all_errors && matches!(ending, Ending::Error(_));
            if (is_told_anew || self.lost_tests.contains(&test))
                && !tree.is_in(edge, &self.candidates)
                && replaced.insert(test)
            {
                tree.add_edge(edge, &mut self.candidates);
            }
        }
        self.lost_tests.extend(replaced);
    }

    /// The code that runs on the paths of kept tests. Where a kept path runs more than that, it is executed again, to
    /// get a test: what it runs is to be new then.
    fn cover_by_tests(&mut self, ways: &Edges) -> Code {
        let tree = self.tree;
        let with_test = tree.enabled(|edge| match tree.below(edge) {
            Below::Leaf(leaf) => {
                self.is_kept(edge)
                    && (leaf.test).is_some_and(|test| !self.lost_tests.contains(&test))
            }
            Below::Summary(summary) => self.is_kept(edge) && !summary.tests.is_empty(),
            _ => false,
        });
        // Code on ways to places that nothing ran at is no path's.
        let paths = tree.enabled(|edge| {
            self.is_kept(edge) && matches!(tree.below(edge), Below::Leaf(_) | Below::Summary(_))
        });
        let mut old = Code::on(tree, &with_test);
        let mut covered = old.clone();
        for edge in tree.edges_in(ways) {
            if covered.has(ran(tree, edge)) {
                continue;
            }
            if !tree.is_in(edge, &paths) {
                old.add(ran(tree, edge));
                covered.add(ran(tree, edge));
                continue;
            }
            let end = self.end_below(edge, &paths);
            tree.add_edge(end, &mut self.candidates);
            for edge in tree.path_to(end) {
                covered.add(ran(tree, edge));
            }
        }
        old
    }

    /// The end of a path below an edge, by the edges that lead to such.
    fn end_below(&self, mut edge: Edge, paths: &Edges) -> Edge {
        while let Below::Node(node) = self.tree.below(edge) {
            let mut edges = self.tree.edges(node);
            let next = edges.find(|&edge| self.tree.is_in(edge, paths));
            edge = next.expect("a way to a path leads on");
        }
        edge
    }

    fn kept(&self) -> Kept {
        let tree = self.tree;
        let mut kept = Kept::default();
        for edge in tree.every_edge().filter(|&edge| self.is_kept(edge)) {
            match tree.below(edge) {
                Below::Leaf(leaf) => {
                    let test = leaf.test.filter(|test| !self.lost_tests.contains(test));
                    kept.tests.extend(test);
                    match leaf.ending {
                        Ending::Exit(_) => kept.exits += 1,
                        Ending::Error(_) => {
                            kept.errors += 1;
                            kept.error_tests.extend(test);
                        }
                        Ending::Silent => kept.silent += 1,
                        Ending::Unsupported(what) => {
                            kept.cut += 1;
                            kept.add_boundary(Cause::Unsupported(what.into()), edge);
                        }
                        Ending::Boundary(boundary) => {
                            kept.cut += 1;
                            kept.add_boundary(Cause::of(boundary.cause), edge);
                        }
                    }
                }
                Below::Open(boundary) => kept.add_boundary(Cause::of(boundary.cause), edge),
                Below::Unknown { reason } => {
                    kept.add_boundary(Cause::Undecided(reason.into()), edge);
                }
                Below::Summary(summary) => {
                    kept.exits += summary.counts.exits;
                    kept.errors += summary.counts.errors;
                    kept.silent += summary.counts.silent;
                    kept.cut += summary.counts.unsupported;
                    for _ in 0..summary.counts.unsupported {
                        let what = "what a compressed tree does not name";
                        kept.add_boundary(Cause::Unsupported(what.into()), edge);
                    }
                    kept.tests.extend(summary.tests);
                    kept.error_tests.extend(summary.tests);
                }
                Below::Node(_) | Below::Infeasible { .. } => {}
            }
        }
        kept
    }
}

/// The code that ran on an edge; of a summary, also somewhere below.
fn ran(tree: &Tree, edge: Edge) -> &[UnitId] {
    match tree.below(edge) {
        Below::Node(node) => tree.question(node).ran,
        Below::Leaf(leaf) => leaf.ran,
        Below::Summary(summary) => summary.ran,
        Below::Infeasible { .. } | Below::Open(_) | Below::Unknown { .. } => &[],
    }
}

/// A set of pieces of code, by the sets that it was made of: these are few, and each is in one place.
#[derive(Clone, Default)]
struct Code {
    sets: FxHashSet<*const UnitId>,
    units: FxHashSet<UnitId>,
}

impl Code {
    /// All that ran on some edges.
    fn on(tree: &Tree, edges: &Edges) -> Code {
        let mut code = Code::default();
        for edge in tree.edges_in(edges) {
            code.add(ran(tree, edge));
        }
        code
    }

    fn add(&mut self, ran: &[UnitId]) {
        if !ran.is_empty() && self.sets.insert(ran.as_ptr()) {
            self.units.extend(ran);
        }
    }

    fn has(&self, ran: &[UnitId]) -> bool {
        self.sets.contains(&ran.as_ptr()) || ran.iter().all(|unit| self.units.contains(unit))
    }
}

/// A piece of code as the machine calls it.
pub(super) fn named(tree: &Tree, unit: UnitId) -> Option<CodeUnit> {
    let unit = tree.unit(unit);
    Some(CodeUnit {
        symbol: tree.symbol(unit.symbol).into(),
        block: unit.block?,
        hash: unit.hash,
        part: Part::of_number(unit.part)?,
    })
}

fn is_impossible_assumption(text: &str) -> bool {
    text.starts_with(ErrorKind::ImpossibleAssumption.name())
}
