//! Quick tests: known solutions of related sets, tried before anybody is asked (paper 4, algorithm 2).
//!
//! Every set of atoms that was answered, and every prefix of it or branch off it that a partial solution satisfies, is
//! an *entry* with up to K_s solutions, the first that were found. A set tries the solutions of its own prefixes: they
//! are the closest to its own.
//!
//! A solution that fails an atom of a prefix is of no use to any set that begins with that prefix. So solutions are
//! tried along the path: an entry inherits those of the prefix before it that satisfy the atom it has more, each
//! solution is tried once on each entry, on that one atom, and a set is satisfied by whatever its entry has.

mod lanes;
mod truth;

use std::hash::{Hash, Hasher};

use refrain_term::Terms;
use rustc_hash::{FxHashMap, FxHasher};

use lanes::Lanes;
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::model::Model;
use refrain_path::partial_solution::PartialSolution;
use refrain_path::solution::{Renumbering, Solution, SolutionId, Solutions};
use truth::{Truth, extended};

pub use truth::first_satisfying;

/// An entry inherits as many solutions as it may keep, and no fewer than this.
const LEAST_INHERITED: usize = 8;

/// What solutions are about, and where they are.
pub struct Setting<'a> {
    pub terms: &'a mut Terms,
    pub atoms: &'a mut AtomTable,
    pub solutions: &'a mut Solutions,
    /// Has values for what solutions say nothing about.
    pub model: &'a mut Model,
}

#[derive(Default)]
pub struct QuickTests {
    by_key: FxHashMap<u128, EntryId>,
    entries: Vec<Entry>,
    /// Partial solutions by a hash of their values: each is kept once.
    partial: FxHashMap<u64, SolutionId>,
    truth: Truth,
    /// How long the lists of all entries are.
    listed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct EntryId(u32);

/// What is known of a set.
#[derive(Default)]
struct Entry {
    solutions: Vec<SolutionId>,
    /// How many of them are its own: the others are inherited.
    kept: u32,
    /// The prefixes it was reached from, each with how many of their solutions have been tried.
    reached_from: Vec<(EntryId, u32)>,
}

/// What trying solutions came to.
#[derive(Default)]
pub struct Tried {
    pub solution: Option<SolutionId>,
    /// Its place among those that were tried last.
    pub place: usize,
    /// How many there were to be tried, and on how many single atoms solutions were tried.
    pub candidates: usize,
    pub evaluated: u64,
}

/// A set that partial solutions have shown to be satisfiable: a prefix of a path, or a branch off it.
pub struct Satisfiable {
    pub key: u128,
    pub solution: SolutionId,
    /// How many atoms of the path are in it, and the negation of the next one.
    pub branch: Option<(usize, AtomId)>,
}

impl QuickTests {
    /// Keeps a solution for the set with this key, up to a limit. (Solutions are evaluated before they are believed: a
    /// key is enough.)
    pub fn add(&mut self, key: u128, solution: SolutionId, limit: usize) {
        let entry = self.entry(key);
        self.keep(entry, solution, limit);
    }

    /// How many solutions the set with this key has of its own.
    pub fn kept(&self, key: u128) -> usize {
        let entry = self.by_key.get(&key);
        entry.map_or(0, |&entry| self.get(entry).kept as usize)
    }

    /// Forgets the solutions that are not kept, and the entries that have none left. What was tried stays tried.
    pub fn retain(&mut self, solutions: &Renumbering) {
        let is_kept = |id: &SolutionId| solutions.of(*id).is_some();
        let mut next = (0..).map(EntryId);
        let renumbered: Vec<Option<EntryId>> = { self.entries.iter() }
            .map(|entry| entry.solutions.iter().any(is_kept).then(|| next.next())?)
            .collect();
        let renumber = |entry: EntryId| renumbered[entry.0 as usize];
        let left = |entry: EntryId, tried: u32| {
            let tried = self.get(entry).solutions.iter().take(tried as usize);
            tried.filter(|id| is_kept(id)).count() as u32
        };
        let retained = |entry: &Entry| {
            let before = entry.solutions.iter();
            let solutions: Vec<SolutionId> = before.filter_map(|&id| solutions.of(id)).collect();
            let forgotten = entry.solutions.len() - solutions.len();
            let reached_from = entry.reached_from.iter();
            Entry {
                kept: entry.kept.saturating_sub(forgotten as u32),
                reached_from: reached_from
                    .filter_map(|&(from, tried)| Some((renumber(from)?, left(from, tried))))
                    .collect(),
                solutions,
            }
        };
        let entries = self.entries.iter().zip(&renumbered);
        let entries = entries.filter(|(_, id)| id.is_some());
        let entries: Vec<Entry> = entries.map(|(entry, _)| retained(entry)).collect();
        let by_key = self.by_key.iter();
        let by_key = by_key.filter_map(|(&key, &entry)| Some((key, renumber(entry)?)));
        self.by_key = by_key.collect();
        let lengths = |entry: &Entry| entry.solutions.len() + entry.reached_from.len();
        self.listed = entries.iter().map(lengths).sum();
        self.entries = entries;
        let partial = self.partial.iter();
        let partial = partial.filter_map(|(&hash, &id)| Some((hash, solutions.of(id)?)));
        self.partial = partial.collect();
        self.truth = Truth::default();
    }

    /// About how many bytes all of it takes.
    pub fn bytes(&self) -> usize {
        self.by_key.capacity() * (size_of::<(u128, EntryId)>() + 1)
            + self.entries.capacity() * size_of::<Entry>()
            + self.listed * size_of::<(EntryId, u32)>()
            + self.partial.capacity() * (size_of::<(u64, SolutionId)>() + 1)
            + self.truth.bytes()
    }

    /// A known solution that satisfies these atoms, which are in the order of the path.
    pub fn find(&mut self, setting: &mut Setting<'_>, path: &[AtomId], limit: usize) -> Tried {
        let mut tried = Tried::default();
        let (mut key, mut before) = (0u128, None);
        for &atom in path {
            key = key.wrapping_add(setting.atoms.get(atom).hash);
            let has_any = before.is_some_and(|before| !self.get(before).solutions.is_empty());
            let entry = match self.by_key.get(&key) {
                Some(&entry) => Some(entry),
                None if has_any => Some(self.entry(key)),
                None => None,
            };
            (tried.candidates, tried.place) = (0, 0);
            if let (Some(before), Some(entry)) = (before, entry) {
                self.inherit(setting, before, entry, atom, limit, &mut tried);
            }
            before = entry;
        }
        let solutions = before.map_or(&[][..], |entry| &self.get(entry).solutions);
        tried.candidates = tried.candidates.max(solutions.len());
        tried.solution = solutions.first().copied();
        tried
    }

    /// Keeps partial solutions for the prefixes of a path, and the branches off it, that they satisfy; which of these
    /// had no solution before.
    pub fn keep_partial(
        &mut self,
        setting: &mut Setting<'_>,
        path: &[AtomId],
        found: &[PartialSolution],
        limit: usize,
    ) -> Vec<Satisfiable> {
        let inputs = setting.atoms.inputs_of(path);
        let model = setting.model.assignment();
        let lanes = Lanes::new(setting.terms, &setting.atoms.inputs, model, inputs, found);
        let reached = lanes.reach(
            setting.terms,
            setting.atoms,
            &mut self.truth,
            setting.model,
            path,
        );
        let furthest = reached.iter().copied().max().unwrap_or(0);
        let prefixes = self.prefixes(setting, &path[..furthest], limit);
        let mut open: Vec<usize> = (0..prefixes.len().min(path.len() - 1)).collect();
        let mut branches: FxHashMap<usize, Set> = FxHashMap::default();
        let mut satisfiable = Vec::new();
        for (lane, &reached) in reached.iter().enumerate() {
            open.retain(|&place| self.has_room(prefixes[place].entry, limit));
            let branch = path.get(reached).map(|&atom| {
                *branches.entry(reached).or_insert_with(|| {
                    let negation = setting.atoms.negation(setting.terms, atom);
                    let before = reached.checked_sub(1).map_or(0, |last| prefixes[last].key);
                    let key = before.wrapping_add(setting.atoms.get(negation).hash);
                    let entry = self.entry(key);
                    let branch = Some((reached, negation));
                    Set { key, entry, branch }
                })
            });
            let branch = branch.filter(|branch| self.has_room(branch.entry, limit));
            let among = open.partition_point(|&place| place < reached);
            if branch.is_none() && among == 0 {
                continue;
            }
            let solution = self.partial(setting.solutions, lanes.solution(lane));
            let sets = open[..among].iter().map(|&place| prefixes[place]);
            for Set { key, entry, branch } in sets.chain(branch) {
                if self.get(entry).solutions.is_empty() {
                    satisfiable.push(Satisfiable {
                        key,
                        solution,
                        branch,
                    });
                }
                self.keep(entry, solution, limit);
            }
            // It is not kept for the path itself, which has been answered, but may serve those that go on from there.
            if let (true, Some(end)) = (reached == path.len(), prefixes.last()) {
                self.pass_on(end.entry, solution, limit);
            }
        }
        // All of these have been tried along the path.
        for pair in prefixes.windows(2) {
            let count = self.get(pair[0].entry).solutions.len();
            self.note_tried(pair[0].entry, pair[1].entry, count);
        }
        satisfiable
    }

    /// The entries of all prefixes of a path, itself among them, each with what it inherits.
    fn prefixes(&mut self, setting: &mut Setting<'_>, path: &[AtomId], limit: usize) -> Vec<Set> {
        let mut prefixes: Vec<Set> = Vec::with_capacity(path.len());
        let mut key = 0u128;
        for &atom in path {
            key = key.wrapping_add(setting.atoms.get(atom).hash);
            let entry = self.entry(key);
            if let Some(before) = prefixes.last() {
                let mut tried = Tried::default();
                self.inherit(setting, before.entry, entry, atom, limit, &mut tried);
            }
            let branch = None;
            prefixes.push(Set { key, entry, branch });
        }
        prefixes
    }

    /// Tries those solutions of a prefix that have not been tried on the set that has an atom more.
    fn inherit(
        &mut self,
        setting: &mut Setting<'_>,
        prefix: EntryId,
        entry: EntryId,
        atom: AtomId,
        limit: usize,
        tried: &mut Tried,
    ) {
        let reached_from = self.get(entry).reached_from.iter();
        let mut so_far = reached_from.filter(|(from, _)| *from == prefix);
        let so_far = so_far.next().map_or(0, |(_, tried)| *tried as usize);
        let candidates = &self.get(prefix).solutions[so_far..];
        if candidates.is_empty() || !self.may_inherit(entry, limit) {
            return;
        }
        let candidates = candidates.to_vec();
        let known: Vec<&Solution> = { candidates.iter() }
            .map(|&id| setting.solutions.get(id))
            .collect();
        let model = setting.model.assignment();
        let holding = self
            .truth
            .of(setting.terms, setting.atoms, model, &known, atom);
        let inputs = &setting.atoms.get(atom).inputs;
        tried.candidates = candidates.len();
        tried.place = holding.first().unwrap_or(0);
        tried.evaluated += candidates.len() as u64;
        for place in holding.iter() {
            let mut solution = candidates[place];
            let given = setting.solutions.get(solution);
            // What it says nothing about was as in the model, and stays so.
            if let Some(extended) = extended(&setting.atoms.inputs, model, given, inputs) {
                solution = match setting.solutions.is_partial(solution) {
                    true => setting.solutions.add_partial(extended),
                    false => setting.solutions.add(extended),
                };
            }
            self.pass_on(entry, solution, limit);
        }
        self.note_tried(prefix, entry, so_far + candidates.len());
    }

    fn note_tried(&mut self, prefix: EntryId, entry: EntryId, count: usize) {
        let reached_from = &mut self.entries[entry.0 as usize].reached_from;
        match reached_from.iter_mut().find(|(from, _)| *from == prefix) {
            Some((_, tried)) => *tried = count as u32,
            None => {
                reached_from.push((prefix, count as u32));
                self.listed += 1;
            }
        }
    }

    fn get(&self, entry: EntryId) -> &Entry {
        &self.entries[entry.0 as usize]
    }

    fn entry(&mut self, key: u128) -> EntryId {
        *self.by_key.entry(key).or_insert_with(|| {
            self.entries.push(Entry::default());
            EntryId(self.entries.len() as u32 - 1)
        })
    }

    fn has_room(&self, entry: EntryId, limit: usize) -> bool {
        (self.get(entry).kept as usize) < limit
    }

    fn may_inherit(&self, entry: EntryId, limit: usize) -> bool {
        let Entry {
            solutions, kept, ..
        } = self.get(entry);
        solutions.len() - (*kept as usize) < limit.max(LEAST_INHERITED)
    }

    /// Keeps a solution as the entry's own.
    fn keep(&mut self, entry: EntryId, solution: SolutionId, limit: usize) {
        if self.has_room(entry, limit) {
            let entry = &mut self.entries[entry.0 as usize];
            if !entry.solutions.contains(&solution) {
                entry.solutions.push(solution);
                entry.kept += 1;
                self.listed += 1;
            }
        }
    }

    /// Lets an entry inherit a solution.
    fn pass_on(&mut self, entry: EntryId, solution: SolutionId, limit: usize) {
        if self.may_inherit(entry, limit) {
            let entry = &mut self.entries[entry.0 as usize];
            if !entry.solutions.contains(&solution) {
                entry.solutions.push(solution);
                self.listed += 1;
            }
        }
    }

    /// A partial solution, which is kept once.
    fn partial(&mut self, solutions: &mut Solutions, solution: Solution) -> SolutionId {
        let mut hasher = FxHasher::default();
        solution.words.hash(&mut hasher);
        let known = self.partial.entry(hasher.finish());
        let known = *known.or_insert_with(|| solutions.add_partial(solution.clone()));
        match *solutions.get(known) == solution {
            true => known,
            false => solutions.add_partial(solution),
        }
    }
}

/// A prefix of a path, or a branch off it.
#[derive(Clone, Copy)]
struct Set {
    key: u128,
    entry: EntryId,
    branch: Option<(usize, AtomId)>,
}
