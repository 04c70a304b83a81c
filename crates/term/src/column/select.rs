//! Reads from arrays: the lanes of a block on their way down the writes.

use rustc_hash::FxHashMap;

use crate::{Bv, Op};

use super::Leaf;
use super::block::{Block, Column};
use super::words::{Word, Words, by_width};

/// The cells of a table of at most 64 bits, ready for many reads.
pub(super) enum Lookup {
    Dense(Vec<Option<u64>>),
    Sparse(FxHashMap<u64, u64>),
    /// Too wide: to be looked up in the arena.
    Wide,
}

impl Lookup {
    fn new(cells: &[(Bv, Bv)]) -> Lookup {
        let small = |(index, element): &(Bv, Bv)| Some((index.small()?, element.small()?));
        let Some(cells) = cells.iter().map(small).collect::<Option<Vec<(u64, u64)>>>() else {
            return Lookup::Wide;
        };
        match cells.last() {
            Some(&(last, _)) if last < 64 + 4 * cells.len() as u64 => {
                let mut dense = vec![None; last as usize + 1];
                for (index, element) in cells {
                    dense[index as usize] = Some(element);
                }
                Lookup::Dense(dense)
            }
            _ => Lookup::Sparse(cells.into_iter().collect()),
        }
    }

    #[inline]
    fn get(&self, index: u64) -> Option<u64> {
        match self {
            Lookup::Dense(cells) => cells.get(usize::try_from(index).ok()?).copied().flatten(),
            Lookup::Sparse(cells) => cells.get(&index).copied(),
            Lookup::Wide => unreachable!("looked up in the arena"),
        }
    }
}

impl Block<'_> {
    /// Reads. As long as all lanes go the same way they go together; then each lane finds its own.
    pub(super) fn select(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let [array, index] = *plan.operands(place) else {
            unreachable!("two operands")
        };
        let (mut array, index) = (array as usize, index as usize);
        loop {
            let operands = plan.operands(array);
            match self.terms.op(plan.nodes[array].term) {
                Op::ConstArray => return self.copy(operands[0] as usize),
                Op::Store if self.is_uniform(index) && self.is_uniform(operands[1] as usize) => {
                    if self.bv(index, 0) == self.bv(operands[1] as usize, 0) {
                        return self.copy(operands[2] as usize);
                    }
                    array = operands[0] as usize;
                }
                Op::Table(id) if self.is_uniform(index) => {
                    if let Some(cell) = self.terms.cell(id, &self.bv(index, 0)) {
                        return match cell.small() {
                            Some(value) => Column::Uniform(value),
                            None => Column::Wide(vec![cell.clone()]),
                        };
                    }
                    array = operands[0] as usize;
                }
                Op::Ite => match self.uniform(operands[0] as usize) {
                    Some(condition) => {
                        array = operands[if condition != 0 { 1 } else { 2 }] as usize
                    }
                    None => break,
                },
                Op::Var(var) if self.is_uniform(index) => {
                    let leaf = Leaf::Cell(var, self.bv(index, 0).into_owned());
                    let sort = self.terms.sort(plan.nodes[place].term);
                    return Column::Leaf(self.batch.leaf(leaf, sort));
                }
                _ => break,
            }
        }
        self.select_each(place, array, index)
    }

    /// A read in which lanes part: groups of lanes go down together until they have found their elements.
    fn select_each(&mut self, place: usize, array: usize, index: usize) -> Column {
        let plan = self.plan;
        let element = self.width(place);
        let mut found = if element <= 64 {
            Found::Small(self.buffer())
        } else {
            Found::Wide(vec![Bv::zero(element); self.len])
        };
        // The index in each lane, if it has at most 64 bits.
        let words: Option<Vec<u64>> = (self.width(index) <= 64).then(|| {
            let mut words = self.buffer();
            by_width!(self.width(index), W => {
                let column = self.small::<W>(index);
                for (lane, word) in words.iter_mut().enumerate() {
                    *word = column.get(lane).word();
                }
            });
            words
        });
        let mut groups: Vec<(usize, Vec<u32>)> = vec![(array, (0..self.len as u32).collect())];
        while let Some((array, mut lanes)) = groups.pop() {
            if lanes.is_empty() {
                continue;
            }
            let operands = plan.operands(array);
            match self.terms.op(plan.nodes[array].term) {
                Op::Store => {
                    let [below, written, value] =
                        [operands[0], operands[1], operands[2]].map(|p| p as usize);
                    let hits = match &words {
                        Some(words) => by_width!(self.width(index), W => {
                            let written = self.small::<W>(written);
                            take_if(&mut lanes, |lane| words[lane] == written.get(lane).word())
                        }),
                        None => take_if(&mut lanes, |lane| {
                            self.bv(index, lane) == self.bv(written, lane)
                        }),
                    };
                    self.put(&mut found, &hits, value);
                    groups.push((below, lanes));
                }
                Op::Table(id) => {
                    let tables = &mut self.batch.tables;
                    tables
                        .entry(id)
                        .or_insert_with(|| Lookup::new(self.terms.cells(id)));
                    let lookup = &self.batch.tables[&id];
                    lanes.retain(|&lane| {
                        let lane = lane as usize;
                        match (lookup, &words, &mut found) {
                            (Lookup::Wide, ..) | (_, None, _) | (.., Found::Wide(_)) => {
                                let cell = self.terms.cell(id, &self.bv(index, lane));
                                cell.map(|cell| found.put(lane, cell)).is_none()
                            }
                            (lookup, Some(words), Found::Small(out)) => {
                                let cell = lookup.get(words[lane]);
                                cell.map(|cell| out[lane] = cell).is_none()
                            }
                        }
                    });
                    groups.push((operands[0] as usize, lanes));
                }
                Op::Ite => {
                    let condition = self.small::<u8>(operands[0] as usize);
                    let (then, other) = lanes
                        .iter()
                        .partition(|&&lane| condition.get(lane as usize) != 0);
                    groups.push((operands[1] as usize, then));
                    groups.push((operands[2] as usize, other));
                }
                Op::ConstArray => {
                    self.put(&mut found, &lanes, operands[0] as usize);
                }
                Op::Var(var) => {
                    let set = self.batch.set_cells(var);
                    let shared = self.batch.shared_array(var);
                    for lane in lanes {
                        let lane = lane as usize;
                        let at = self.start + lane;
                        match (&words, &mut found) {
                            (Some(words), Found::Small(out)) if !set.contains(&words[lane]) => {
                                out[lane] = match shared {
                                    Some(array) => array.map_or(0, |array| array.word(words[lane])),
                                    None => self.batch.cell_word(var, words[lane], at),
                                }
                            }
                            _ => {
                                let index = self.bv(index, lane);
                                found.put(lane, &self.batch.cell(var, &index, at, element));
                            }
                        }
                    }
                }
                op => unreachable!("{op:?} is no array"),
            }
        }
        if let Some(words) = words {
            self.pool.give(Words::W64(words));
        }
        match found {
            Found::Wide(values) => Column::Wide(values),
            Found::Small(values) => {
                let mut column = self.pool.take_for(element, self.len);
                column.copy_from(&values);
                self.pool.give(Words::W64(values));
                Column::Small(column)
            }
        }
    }

    /// These lanes have found what they read: it is in another column.
    fn put(&self, found: &mut Found, lanes: &[u32], from: usize) {
        match found {
            Found::Small(out) => by_width!(self.width(from), W => {
                let column = self.small::<W>(from);
                for &lane in lanes {
                    out[lane as usize] = column.get(lane as usize).word();
                }
            }),
            Found::Wide(out) => {
                for &lane in lanes {
                    out[lane as usize] = self.bv(from, lane as usize).into_owned();
                }
            }
        }
    }
}

/// Takes out the lanes for which this holds.
fn take_if(lanes: &mut Vec<u32>, holds: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut taken = Vec::new();
    lanes.retain(|&lane| {
        let holds = holds(lane as usize);
        if holds {
            taken.push(lane);
        }
        !holds
    });
    taken
}

/// What a read has found in each lane.
enum Found {
    Small(Vec<u64>),
    Wide(Vec<Bv>),
}

impl Found {
    fn put(&mut self, lane: usize, value: &Bv) {
        match self {
            Found::Small(out) => out[lane] = value.small().expect("at most 64 bits"),
            Found::Wide(out) => out[lane] = value.clone(),
        }
    }
}
