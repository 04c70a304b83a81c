//! Answers by implication across names: what is known of a set holds of every set that it is renamed to.
//!
//! The L-Trie (`ltrie`) compares atoms about the same named things. Here sets are compared as GreenTrie does after
//! renaming (ISSTA 2015, section 7.3), but the renaming is looked for: the canonical names of a set say nothing about
//! those of a subset of it. A query is unsatisfiable if the atoms of a core, renamed in some way, are implied by its
//! own. It is satisfiable if its atoms, renamed in some way, are implied by those of a set with a solution.
//!
//! * `patterns`: atoms without names, so that atoms about the same *kind* of thing are found;
//! * `embed`: the search for a renaming, within a budget;
//! * this file: the sets, and which of them a query is held against.
//!
//! Nothing that is found here is an answer yet. Whoever asks renames the core, term by term, and compares what comes
//! out with the atoms asked about ([`rename`]), or evaluates the solution: patterns and symmetries go by hashes.

mod embed;
mod patterns;

use std::rc::Rc;

use refrain_term::{Input, Substitution, Term, Terms};
use rustc_hash::FxHashSet;

use crate::canon::Canonizer;
use crate::lasting::{IndexKey, RENAMED_CORES, RENAMED_SOLUTIONS, index_key};
pub use embed::Renaming;
use embed::embed;
use patterns::{Member, PatternId, Patterns};
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::inputs::InputId;
use refrain_path::solution::{Renumbering, Solution, SolutionId};

/// Larger sets are not compared.
const MOST_ATOMS: usize = 64;

/// How many sets a look-up is held against, and how many comparisons of atoms it may take.
const MOST_SETS: u32 = 256;
const MOST_COMPARISONS: u32 = 4_096;

/// So many sets wait for the next look-up; of more the oldest are forgotten.
const MOST_WAITING: usize = 4_096;

/// Under how many of its patterns a solution is listed in a store, and a core looked for.
const LISTED: usize = 2;
const LOOKED_FOR: usize = 8;

/// What sets are read by.
pub struct Reading<'a> {
    pub terms: &'a Terms,
    pub atoms: &'a AtomTable,
    pub canonizer: &'a mut Canonizer,
}

/// A set that has been answered. All of its atoms are known.
struct Answered {
    atoms: Box<[AtomId]>,
    /// None for a core.
    solution: Option<SolutionId>,
}

/// A set without names.
struct Nameless {
    answered: Answered,
    members: Box<[Rc<Member>]>,
    /// A bit for each of its patterns; others may have the same.
    bits: u64,
}

/// Sets that have been answered, to be found under other names.
#[derive(Default)]
pub struct Renamed {
    patterns: Patterns,
    /// Not read yet: as long as nobody looks anything up, nothing is done for them.
    waiting: Vec<Answered>,
    sets: Vec<Nameless>,
    /// The keys of all sets, and whether they are cores.
    keys: FxHashSet<(u128, bool)>,
    /// By pattern: the cores of whose patterns it says most.
    cores: Vec<Vec<u32>>,
    /// By pattern: all sets with solutions that have it.
    solved: Vec<Vec<u32>>,
    /// How many atoms the sets have, those that wait among them.
    atoms: usize,
    visits: u64,
    comparisons: u64,
}

/// About what an atom of a set takes: itself, without its name, and where the set is listed.
const ATOM_BYTES: usize = size_of::<(AtomId, Rc<Member>, u32)>();

impl Renamed {
    /// Keeps the cores that are kept and the sets whose solutions are, and gives back what the others take. All wait
    /// again.
    pub fn retain(
        &mut self,
        atoms: &AtomTable,
        is_core_kept: impl Fn(&[AtomId]) -> bool,
        solutions: &Renumbering,
    ) {
        let before = std::mem::take(self);
        (self.visits, self.comparisons) = (before.visits, before.comparisons);
        let read = before.sets.into_iter().map(|set| set.answered);
        for Answered {
            atoms: set,
            solution,
        } in read.chain(before.waiting)
        {
            match solution.map(|before| solutions.of(before)) {
                None if is_core_kept(&set) => self.add(atoms, &set, None),
                Some(Some(solution)) => self.add(atoms, &set, Some(solution)),
                _ => {}
            }
        }
    }

    /// About how many bytes all of it takes.
    pub fn bytes(&self) -> usize {
        self.patterns.bytes()
            + self.keys.capacity() * (size_of::<(u128, bool)>() + 1)
            + self.waiting.capacity() * size_of::<Answered>()
            + self.sets.capacity() * size_of::<Nameless>()
            + self.atoms * ATOM_BYTES
    }

    /// Remembers that known atoms cannot hold together.
    pub fn add_core(&mut self, atoms: &AtomTable, core: &[AtomId]) {
        self.add(atoms, core, None);
    }

    /// Remembers that known atoms have a solution.
    pub fn add_solved(&mut self, atoms: &AtomTable, set: &[AtomId], solution: SolutionId) {
        self.add(atoms, set, Some(solution));
    }

    fn add(&mut self, atoms: &AtomTable, set: &[AtomId], solution: Option<SolutionId>) {
        let key = (atoms.key(set.iter().copied()), solution.is_none());
        if set.is_empty() || set.len() > MOST_ATOMS || !self.keys.insert(key) {
            return;
        }
        if self.waiting.len() >= MOST_WAITING {
            let oldest = self.waiting.drain(..MOST_WAITING / 2);
            self.atoms -= oldest.map(|set| set.atoms.len()).sum::<usize>();
        }
        self.atoms += set.len();
        self.waiting.push(Answered {
            atoms: set.into(),
            solution,
        });
    }

    /// How many sets look-ups have looked at, and how many pairs of atoms have been compared.
    pub fn effort(&self) -> (u64, u64) {
        (self.visits, self.comparisons)
    }

    /// A core that some atoms of a query imply if it is renamed, as far as patterns tell: the core, and for each of its
    /// inputs the one of the query.
    pub fn find_core(
        &mut self,
        reading: &mut Reading,
        query: &[AtomId],
    ) -> Option<(Box<[AtomId]>, Renaming)> {
        self.read_waiting(reading);
        let (members, _) = self.members(reading, query)?;
        let bits = bits(&members);
        let mut candidates = Vec::new();
        for pattern in self.patterns_of(&members) {
            let cores = self.cores.get(pattern as usize).into_iter().flatten();
            candidates.extend(cores.rev());
        }
        let (at, renaming) = self.first(&candidates, |patterns, set, budget| {
            match set.bits & !bits {
                0 => embed(patterns, &set.members, &members, budget),
                _ => None,
            }
        })?;
        Some((self.sets[at].answered.atoms.clone(), renaming))
    }

    /// A solution of a set that implies all atoms of a query if these are renamed, as far as patterns tell; and for each
    /// input of the query the one of the set.
    pub fn find_solution(
        &mut self,
        reading: &mut Reading,
        query: &[AtomId],
    ) -> Option<(SolutionId, Renaming)> {
        self.read_waiting(reading);
        let (members, is_whole) = self.members(reading, query)?;
        if !is_whole {
            return None;
        }
        let bits = bits(&members);
        let count = |pattern: PatternId| self.solved.get(pattern as usize).map_or(0, Vec::len);
        let rarest = members.iter().map(|member| member.pattern);
        let rarest = rarest.min_by_key(|&pattern| count(pattern))?;
        let candidates = self.solved.get(rarest as usize)?;
        let candidates: Vec<u32> = candidates.iter().rev().copied().collect();
        let (at, renaming) = self.first(&candidates, |patterns, set, budget| {
            match bits & !set.bits {
                0 => embed(patterns, &members, &set.members, budget),
                _ => None,
            }
        })?;
        Some((self.sets[at].answered.solution?, renaming))
    }

    /// The first of some sets that fits, by its place.
    fn first(
        &mut self,
        candidates: &[u32],
        fits: impl Fn(&Patterns, &Nameless, &mut u32) -> Option<Renaming>,
    ) -> Option<(usize, Renaming)> {
        let mut budget = MOST_COMPARISONS;
        let mut found = None;
        for &at in candidates.iter().take(MOST_SETS as usize) {
            self.visits += 1;
            if let Some(renaming) = fits(&self.patterns, &self.sets[at as usize], &mut budget) {
                found = Some((at as usize, renaming));
                break;
            }
            if budget == 0 {
                break;
            }
        }
        self.comparisons += u64::from(MOST_COMPARISONS - budget);
        found
    }

    fn read_waiting(&mut self, reading: &mut Reading) {
        for answered in std::mem::take(&mut self.waiting) {
            let Some((members, is_whole)) = self.members(reading, &answered.atoms) else {
                continue;
            };
            let patterns = self.patterns_of(&members);
            let at = self.sets.len() as u32;
            match answered.solution {
                // Of a core all atoms are needed.
                None if !is_whole => continue,
                None => list(&mut self.cores, &patterns[..1], at),
                Some(_) => list(&mut self.solved, &patterns, at),
            }
            self.sets.push(Nameless {
                answered,
                bits: bits(&members),
                members,
            });
        }
    }

    /// Known atoms without names, and whether all of them can be had so. `None` if none can, or they are too many.
    fn members(
        &mut self,
        reading: &mut Reading,
        set: &[AtomId],
    ) -> Option<(Box<[Rc<Member>]>, bool)> {
        if set.len() > MOST_ATOMS {
            return None;
        }
        let Reading {
            terms,
            atoms,
            canonizer,
        } = reading;
        let members = set.iter();
        let members =
            members.filter_map(|&atom| self.patterns.member(terms, atoms, canonizer, atom));
        let members: Box<[Rc<Member>]> = members.collect();
        let is_whole = members.len() == set.len();
        (!members.is_empty()).then_some((members, is_whole))
    }

    /// The patterns of members, each once, those first that say most.
    fn patterns_of(&self, members: &[Rc<Member>]) -> Vec<PatternId> {
        let mut patterns: Vec<PatternId> = members.iter().map(|member| member.pattern).collect();
        patterns.sort_unstable_by_key(|&pattern| {
            let known = self.patterns.get(pattern);
            (std::cmp::Reverse(known.size), known.hash, pattern)
        });
        patterns.dedup();
        patterns
    }

    /// What a core is listed under in a store.
    pub fn under_core(&mut self, reading: &mut Reading, core: &[AtomId]) -> Option<IndexKey> {
        let (members, is_whole) = self.members(reading, core)?;
        let most = *self.patterns_of(&members).first()?;
        is_whole.then(|| index_key(RENAMED_CORES, self.patterns.get(most).hash))
    }

    /// What a solution of a set is listed under in a store.
    pub fn under_solution(&mut self, reading: &mut Reading, set: &[AtomId]) -> Vec<IndexKey> {
        let Some((members, _)) = self.members(reading, set) else {
            return Vec::new();
        };
        self.solution_keys(&members, LISTED)
    }

    /// What answers that a query may follow from are listed under in a store.
    pub fn under_query(&mut self, reading: &mut Reading, query: &[AtomId]) -> Vec<IndexKey> {
        let Some((members, is_whole)) = self.members(reading, query) else {
            return Vec::new();
        };
        let patterns = self.patterns_of(&members).into_iter().take(LOOKED_FOR);
        let mut keys: Vec<IndexKey> = patterns
            .map(|pattern| index_key(RENAMED_CORES, self.patterns.get(pattern).hash))
            .collect();
        if is_whole {
            keys.extend(self.solution_keys(&members, 1));
        }
        keys
    }

    /// All patterns together, and some of those that say most.
    fn solution_keys(&self, members: &[Rc<Member>], patterns: usize) -> Vec<IndexKey> {
        let hashes = members
            .iter()
            .map(|member| self.patterns.get(member.pattern).hash);
        let together = hashes.fold(0u64, |sum, hash| sum.wrapping_add(hash.rotate_left(7)));
        let single = self.patterns_of(members).into_iter().take(patterns);
        let single = single.map(|pattern| self.patterns.get(pattern).hash);
        let keys = [together].into_iter().chain(single);
        keys.map(|hash| index_key(RENAMED_SOLUTIONS, hash))
            .collect()
    }
}

fn bits(members: &[Rc<Member>]) -> u64 {
    let bits = members.iter().map(|member| 1 << (member.pattern % 64));
    bits.fold(0, |all, bit: u64| all | bit)
}

fn list(lists: &mut Vec<Vec<u32>>, patterns: &[PatternId], set: u32) {
    for &pattern in patterns {
        if lists.len() <= pattern as usize {
            lists.resize(pattern as usize + 1, Vec::new());
        }
        lists[pattern as usize].push(set);
    }
}

/// Atoms with other inputs in place of theirs, each once. If atoms cannot hold together, neither can what they are
/// renamed to, whatever the renaming. `None` if an input has no other, or an atom becomes true or false.
pub fn rename(
    terms: &mut Terms,
    atoms: &mut AtomTable,
    set: &[AtomId],
    renaming: &Renaming,
) -> Option<Vec<AtomId>> {
    let inputs = atoms.inputs_of(set).into_iter();
    let inputs: Vec<(InputId, Input)> = inputs.map(|id| (id, atoms.inputs.get(id))).collect();
    let is_whole = |array: Term| {
        inputs
            .iter()
            .any(|&(_, input)| input == Input::Array(array))
    };
    let mut replaced: Vec<(Term, Term)> = Vec::with_capacity(inputs.len());
    for &(id, input) in &inputs {
        // A cell is an input like others only if nothing uses its array as a whole: otherwise it goes with its array.
        if matches!(input, Input::Cell(_)) && input.array(terms).is_some_and(is_whole) {
            continue;
        }
        let &(_, other) = renaming.iter().find(|&&(from, _)| from == id)?;
        let (from, to) = (term(input)?, term(atoms.inputs.get(other))?);
        if terms.sort(from) != terms.sort(to) {
            return None;
        }
        replaced.push((from, to));
    }
    let mut substitution = Substitution::new(replaced);
    let mut renamed = Vec::with_capacity(set.len());
    for &atom in set {
        let term = substitution.apply(terms, atoms.get(atom).term);
        if terms.is_value(term) {
            return None;
        }
        renamed.push(atoms.id(terms, term));
    }
    renamed.sort_unstable();
    renamed.dedup();
    Some(renamed)
}

fn term(input: Input) -> Option<Term> {
    match input {
        Input::Symbol(term) | Input::Array(term) | Input::Cell(term) => Some(term),
        Input::Func(_) => None,
    }
}

/// The values that a solution has for inputs that others stand for: each first input gets the value of its second.
pub fn rename_solution(solution: &Solution, renaming: &Renaming) -> Solution {
    let (mut words, mut others) = (Vec::new(), Vec::new());
    for &(input, other) in renaming {
        if let Some(&(_, word)) = solution.words.iter().find(|&&(id, _)| id == other) {
            words.push((input, word));
        }
        if let Some((_, datum)) = solution.others.iter().find(|&&(id, _)| id == other) {
            others.push((input, datum.clone()));
        }
    }
    Solution {
        words: words.into(),
        others: others.into(),
    }
}
