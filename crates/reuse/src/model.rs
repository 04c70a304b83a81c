//! The model at hand: one assignment, kept from check to check and changed as little as answers need.

use std::sync::Arc;

use refrain_term::{Assignment, Evaluator, Term, Terms};

use crate::atoms::{AtomId, AtomTable};
use crate::inputs::{Family, InputId, InputTable, Place};
use crate::solution::{Datum, Read, Solution, read, write_datum, write_word};

#[derive(Default)]
pub struct Model {
    assignment: Arc<Assignment>,
    /// By input: its value, if that is a word.
    words: Vec<u64>,
    /// By input: when its value last changed.
    changed: Vec<u32>,
    /// How often values have changed.
    changes: u32,
    evaluator: Evaluator,
    /// By atom: what is known of its truth.
    seen: Vec<Seen>,
}

/// What is known of the truth of an atom.
#[derive(Clone, Default)]
enum Seen {
    #[default]
    Nothing,
    /// Of one that depends on a single byte: for which of its values it has been evaluated, and where it held.
    Bytes(Box<[Word256; 2]>),
    /// Of any other: whether it held when values had changed so often.
    Last { holds: bool, changes: u32 },
}

type Word256 = [u64; 4];

impl Model {
    pub fn assignment(&self) -> &Arc<Assignment> {
        &self.assignment
    }

    /// Whether an atom holds. One that depends on a single byte is evaluated once for each value of that; any other when one of its inputs has
    /// changed.
    #[inline]
    pub fn satisfies(&mut self, terms: &Terms, atoms: &AtomTable, id: AtomId) -> bool {
        let atom = atoms.get(id);
        if self.seen.len() <= id.index() {
            self.seen.resize(atoms.len(), Seen::Nothing);
        }
        self.mirror(&atoms.inputs);
        match (atom.byte, &self.seen[id.index()]) {
            (Some(byte), Seen::Bytes(known)) => {
                let (at, bit) = place_of(self.words[byte.index()]);
                if known[0][at] & bit != 0 {
                    return known[1][at] & bit != 0;
                }
            }
            (None, &Seen::Last { holds, changes }) => {
                let is_old = |input: &InputId| self.changed[input.index()] <= changes;
                if atom.inputs.iter().all(is_old) {
                    return holds;
                }
            }
            _ => {}
        }
        let holds = self.evaluate(terms, atom.term);
        self.note(id, atom.byte, holds);
        holds
    }

    fn note(&mut self, id: AtomId, byte: Option<InputId>, holds: bool) {
        let seen = &mut self.seen[id.index()];
        let Some(byte) = byte else {
            let changes = self.changes;
            *seen = Seen::Last { holds, changes };
            return;
        };
        if !matches!(seen, Seen::Bytes(_)) {
            *seen = Seen::Bytes(Box::default());
        }
        if let Seen::Bytes(known) = seen {
            let (at, bit) = place_of(self.words[byte.index()]);
            known[0][at] |= bit;
            if holds {
                known[1][at] |= bit;
            }
        }
    }

    fn evaluate(&mut self, terms: &Terms, formula: Term) -> bool {
        self.evaluator.bool(terms, &self.assignment, formula)
    }

    /// Takes the values of those inputs over that are wanted. What has that value already costs next to nothing.
    pub fn adopt(
        &mut self,
        inputs: &InputTable,
        solution: &Solution,
        wanted: impl Fn(InputId) -> bool,
    ) {
        self.mirror(inputs);
        let mut changed = false;
        let now = self.changes + 1;
        for &(id, word) in &solution.words {
            if self.words[id.index()] != word && wanted(id) {
                self.words[id.index()] = word;
                self.note_change(inputs, id, now);
                write_word(inputs.place(id), Arc::make_mut(&mut self.assignment), word);
                changed = true;
            }
        }
        for (id, datum) in &solution.others {
            if wanted(*id) && !holds_already(inputs.place(*id), &self.assignment, datum) {
                let assignment = Arc::make_mut(&mut self.assignment);
                write_datum(inputs.place(*id), assignment, datum);
                self.note_change(inputs, *id, now);
                self.mirror_family(inputs, *id, now);
                changed = true;
            }
        }
        if changed {
            self.changes = now;
            self.evaluator.forget();
        }
    }

    /// A cell that changes changes its array.
    fn note_change(&mut self, inputs: &InputTable, id: InputId, now: u32) {
        self.changed[id.index()] = now;
        if let Some(family) = inputs.family_of(id)
            && let Some(whole) = inputs.family(family).whole
        {
            self.changed[whole.index()] = now;
        }
    }

    /// Reads the words of inputs that are new.
    #[inline]
    fn mirror(&mut self, inputs: &InputTable) {
        if self.words.len() < inputs.len() {
            self.read_new(inputs);
        }
    }

    fn read_new(&mut self, inputs: &InputTable) {
        self.changed.resize(inputs.len(), 0);
        for id in self.words.len() as u32..inputs.len() as u32 {
            let word = self.read_word(inputs, InputId(id));
            self.words.push(word);
        }
    }

    /// Reads the cells of an array again that was set as a whole.
    fn mirror_family(&mut self, inputs: &InputTable, id: InputId, now: u32) {
        let Some(family) = inputs.family_of(id) else {
            return;
        };
        let Family { whole, cells, .. } = inputs.family(family);
        if *whole == Some(id) {
            for &cell in cells {
                self.words[cell.index()] = self.read_word(inputs, cell);
                self.changed[cell.index()] = now;
            }
        }
    }

    fn read_word(&self, inputs: &InputTable, id: InputId) -> u64 {
        let place = inputs.place(id);
        match place.is_word().then(|| read(place, &self.assignment)) {
            Some(Read::Word(word)) => word,
            _ => 0,
        }
    }
}

fn place_of(byte: u64) -> (usize, u64) {
    ((byte / 64) as usize & 3, 1 << (byte % 64))
}

/// Whether a symbol has a value already.
fn holds_already(place: &Place, assignment: &Assignment, datum: &Datum) -> bool {
    match (place, datum) {
        (Place::Value { var, .. }, Datum::Value(value)) => assignment.get(*var) == Some(value),
        _ => false,
    }
}
