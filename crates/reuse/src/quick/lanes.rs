//! Assignments that a search went through, side by side: how far each gets along the path that was searched.
//!
//! Most of them differ from the model at hand in a few inputs. An atom is looked at only in the lanes in which one of
//! its inputs differs; in all others it is what it is in the model.

use std::sync::Arc;

use refrain_term::{Assignment, Batch, Bits, Term, Terms};

use super::truth::{Truth, contains, set_words, side_by_side, word_in};
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::inputs::{InputId, InputTable};
use refrain_path::model::Model;
use refrain_path::partial_solution::PartialSolution;
use refrain_path::solution::Solution;

/// How many atoms are evaluated together.
const AT_ONCE: usize = 8;

pub enum Lanes {
    Words(Columns),
    /// Of inputs that are not all words.
    Others(Vec<Solution>),
}

impl Lanes {
    /// The values that these inputs, ascending, have in each of them; what they say nothing about is as in the model.
    pub fn new(
        terms: &Terms,
        table: &InputTable,
        model: &Assignment,
        inputs: Vec<InputId>,
        found: &[PartialSolution],
    ) -> Lanes {
        if inputs.iter().all(|&id| table.place(id).is_word()) {
            return Lanes::Words(Columns::new(table, model, inputs, found));
        }
        let solution = |found: &PartialSolution| {
            let assignment = found.assignment(terms);
            Solution::of(table, &assignment, inputs.iter().copied())
        };
        Lanes::Others(found.iter().map(solution).collect())
    }

    pub fn solution(&self, lane: usize) -> Solution {
        match self {
            Lanes::Words(columns) => columns.solution(lane),
            Lanes::Others(solutions) => solutions[lane].clone(),
        }
    }

    /// By lane: how many of the first atoms of a path hold.
    pub fn reach(
        &self,
        terms: &Terms,
        table: &AtomTable,
        truth: &mut Truth,
        model: &mut Model,
        path: &[AtomId],
    ) -> Vec<usize> {
        match self {
            Lanes::Words(columns) => columns.reach(terms, table, truth, model, path),
            Lanes::Others(solutions) => {
                let solutions: Vec<&Solution> = solutions.iter().collect();
                let batch = side_by_side(&table.inputs, model.assignment(), &solutions, |_| true);
                reach(terms, table, batch, path)
            }
        }
    }
}

/// How many of the first atoms of a path hold in each lane.
fn reach(terms: &Terms, table: &AtomTable, mut batch: Batch, path: &[AtomId]) -> Vec<usize> {
    let mut reached = Reached::new(batch.len(), path.len());
    let mut place = 0;
    for atoms in path.chunks(AT_ONCE) {
        let formulas: Vec<Term> = atoms.iter().map(|&atom| table.get(atom).term).collect();
        for bits in batch.eval(terms, &formulas) {
            let failing = bits.words().iter().map(|word| !word);
            reached.fail(place, failing);
            place += 1;
        }
        if reached.is_over() {
            break;
        }
    }
    reached.places
}

/// How far lanes have got.
struct Reached {
    places: Vec<usize>,
    /// The lanes that have not failed yet, 64 a word.
    alive: Vec<u64>,
}

impl Reached {
    fn new(lanes: usize, end: usize) -> Reached {
        Reached {
            places: vec![end; lanes],
            alive: Bits::ones(lanes).words().to_vec(),
        }
    }

    /// Lanes fail at a place.
    fn fail(&mut self, place: usize, failing: impl IntoIterator<Item = u64>) {
        for (at, failing) in failing.into_iter().enumerate() {
            let mut now = failing & self.alive[at];
            self.alive[at] &= !failing;
            while now != 0 {
                self.places[64 * at + now.trailing_zeros() as usize] = place;
                now &= now - 1;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.alive.iter().all(|&word| word == 0)
    }
}

/// Which column is at which place of a partial solution.
type Place = (usize, usize);

/// Words side by side.
pub struct Columns {
    lanes: usize,
    inputs: Vec<InputId>,
    /// By input: its word in each lane.
    words: Vec<Vec<u64>>,
    /// By input: the lanes in which it differs from the model at hand, 64 a word.
    differing: Vec<Vec<u64>>,
}

impl Columns {
    fn new(
        table: &InputTable,
        model: &Assignment,
        inputs: Vec<InputId>,
        found: &[PartialSolution],
    ) -> Columns {
        let lanes = found.len();
        let words_of = |assignment: &Assignment| -> Vec<u64> {
            let words = inputs.iter().map(|&id| word_in(table, assignment, id));
            words.map(|word| word.unwrap_or(0)).collect()
        };
        let model = words_of(model);
        let mut words: Vec<Vec<u64>> = { model.iter() }.map(|&word| vec![word; lanes]).collect();
        let mut differing = vec![vec![0; lanes.div_ceil(64)]; inputs.len()];
        // Many have the same inputs, and change the same assignment.
        let mut base: Option<(&Arc<Assignment>, Vec<u64>)> = None;
        let mut layout: Option<(&Arc<[Term]>, Vec<Place>)> = None;
        for (lane, found) in found.iter().enumerate() {
            let mut set = |column: usize, word: u64| {
                words[column][lane] = word;
                let bit = 1 << (lane % 64);
                match word != model[column] {
                    true => differing[column][lane / 64] |= bit,
                    false => differing[column][lane / 64] &= !bit,
                }
            };
            if let Some(own) = found.base() {
                if !base
                    .as_ref()
                    .is_some_and(|(last, _)| Arc::ptr_eq(last, own))
                {
                    base = Some((own, words_of(own)));
                }
                let base = base.iter().flat_map(|(_, words)| words).enumerate();
                base.for_each(|(column, &word)| set(column, word));
            }
            let own = found.inputs();
            if !layout
                .as_ref()
                .is_some_and(|(last, _)| Arc::ptr_eq(last, own))
            {
                let column = |(place, &input): (usize, &Term)| {
                    let id = table.find_term(input)?;
                    Some((inputs.binary_search(&id).ok()?, place))
                };
                let columns = own.iter().enumerate().filter_map(column);
                layout = Some((own, columns.collect()));
            }
            for &(column, place) in layout.iter().flat_map(|(_, columns)| columns) {
                set(column, found.words()[place]);
            }
        }
        Columns {
            lanes,
            inputs,
            words,
            differing,
        }
    }

    fn solution(&self, lane: usize) -> Solution {
        let values = self.inputs.iter().zip(&self.words);
        Solution {
            words: values.map(|(&id, column)| (id, column[lane])).collect(),
            others: Box::default(),
        }
    }

    fn column(&self, id: InputId) -> usize {
        self.inputs
            .binary_search(&id)
            .expect("an input of the path")
    }

    fn reach(
        &self,
        terms: &Terms,
        table: &AtomTable,
        truth: &mut Truth,
        model: &mut Model,
        path: &[AtomId],
    ) -> Vec<usize> {
        let mut reached = Reached::new(self.lanes, path.len());
        let mut batch = None;
        let mut evaluated: Vec<(usize, Bits)> = Vec::new();
        for (place, &atom) in path.iter().enumerate() {
            let open = self.differing(table, atom, &reached.alive);
            // Where it is as in the model.
            let mut failing = match model.satisfies(terms, table, atom) {
                true => vec![0; open.len()],
                false => open.iter().map(|word| !word).collect(),
            };
            if open.iter().any(|&word| word != 0) {
                match table.get(atom).byte {
                    Some(input) => {
                        let holding = truth.byte_set(terms, table, atom, input);
                        let column = &self.words[self.column(input)];
                        for_each(&open, |lane| {
                            let fails = !contains(holding, column[lane]);
                            failing[lane / 64] |= u64::from(fails) << (lane % 64);
                        });
                    }
                    None => {
                        let known = evaluated.iter().position(|(at, _)| *at == place);
                        let known = known.unwrap_or_else(|| {
                            let batch = batch.get_or_insert_with(|| {
                                self.batch(&table.inputs, model.assignment())
                            });
                            evaluated = self.ahead(terms, table, batch, path, place, &reached);
                            0
                        });
                        let holding = evaluated[known].1.words().iter();
                        for ((failing, open), holding) in failing.iter_mut().zip(&open).zip(holding)
                        {
                            *failing |= open & !holding;
                        }
                    }
                }
            }
            reached.fail(place, failing);
            if reached.is_over() {
                break;
            }
        }
        reached.places
    }

    /// Of these lanes, those in which an input of an atom differs from the model.
    fn differing(&self, table: &AtomTable, atom: AtomId, alive: &[u64]) -> Vec<u64> {
        let mut open = vec![0; alive.len()];
        for &id in &table.get(atom).inputs {
            let differing = &self.differing[self.column(id)];
            for (open, differs) in open.iter_mut().zip(differing) {
                *open |= differs;
            }
        }
        for (open, alive) in open.iter_mut().zip(alive) {
            *open &= alive;
        }
        open
    }

    /// Evaluates an atom of the path in all lanes, and some of those that come next.
    fn ahead(
        &self,
        terms: &Terms,
        table: &AtomTable,
        batch: &mut Batch,
        path: &[AtomId],
        place: usize,
        reached: &Reached,
    ) -> Vec<(usize, Bits)> {
        let is_open = |&atom: &AtomId| {
            let open = self.differing(table, atom, &reached.alive);
            table.get(atom).byte.is_none() && open.iter().any(|&word| word != 0)
        };
        let next = path.iter().enumerate().skip(place);
        let next = next.filter(|(_, atom)| is_open(atom)).take(AT_ONCE);
        let (places, formulas): (Vec<usize>, Vec<Term>) = next
            .map(|(place, &atom)| (place, table.get(atom).term))
            .unzip();
        let bits = batch.eval(terms, &formulas);
        places.into_iter().zip(bits).collect()
    }

    /// All lanes; what is the same in each is as in the model.
    fn batch(&self, table: &InputTable, base: &Arc<Assignment>) -> Batch {
        let mut batch = Batch::new(self.lanes, base.clone());
        for (place, &id) in self.inputs.iter().enumerate() {
            if self.differing[place].iter().any(|&word| word != 0) {
                set_words(&mut batch, table.place(id), self.words[place].clone());
            }
        }
        batch
    }
}

/// Calls with the number of each bit that is set.
fn for_each(words: &[u64], mut call: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            call(64 * at + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}
