//! The model at hand: one assignment, kept from check to check and changed as little as answers need.

use std::sync::Arc;

use refrain_term::{Assignment, Evaluator, Rational, Term, Terms, Value};

use crate::atoms::{AtomId, AtomTable};
use crate::inputs::{Family, InputId, InputTable, Place};
use crate::solution::{Datum, Read, Solution, read, write_datum, write_word};
use crate::values::bytes::ByteSet;

#[derive(Default)]
pub struct Model {
    assignment: Arc<Assignment>,
    /// By input: what is known of its value.
    values: Vec<InputValue>,
    /// Counts the changes of values. Whatever is noted with the number of a change was found out after it.
    changes: u64,
    /// The change that replaced the assignment as a whole. Values that were read before it have to be read again.
    replaced: u64,
    evaluator: Evaluator,
    /// By atom: what is known of its truth.
    seen: Vec<Seen>,
}

/// What is known of the value of an input.
#[derive(Clone, Copy)]
struct InputValue {
    /// The value, if that is a word.
    word: u64,
    /// When the value last changed.
    changed: u64,
    /// When it was last compared with that in the assignment.
    read: u64,
}

/// What is known of the truth of an atom.
#[derive(Clone, Default)]
enum Seen {
    #[default]
    Nothing,
    /// Of one that depends on a single byte: for which of its values it has been evaluated, and where it held.
    Bytes(Box<SeenBytes>),
    /// Of any other: when it was last evaluated, and whether it held then.
    Held(u64),
    Failed(u64),
}

#[derive(Clone)]
struct SeenBytes {
    evaluated: ByteSet,
    held: ByteSet,
}

impl Model {
    pub fn assignment(&self) -> &Arc<Assignment> {
        &self.assignment
    }

    /// Makes this the assignment; whether it is another one. The values of inputs are read when somebody asks for
    /// them, so that this costs nothing for all those that the path does not depend on.
    pub fn replace(&mut self, assignment: &Arc<Assignment>) -> bool {
        if Arc::ptr_eq(&self.assignment, assignment) {
            return false;
        }
        self.assignment = assignment.clone();
        self.note_replaced();
        true
    }

    /// Whether an atom holds. One that depends on a single byte is evaluated once for each value of that; any other
    /// when one of its inputs has changed.
    #[inline]
    pub fn satisfies(&mut self, terms: &Terms, atoms: &AtomTable, id: AtomId) -> bool {
        let atom = atoms.get(id);
        if self.seen.len() <= id.index() {
            self.seen.resize(atoms.len(), Seen::Nothing);
        }
        self.cover(&atoms.inputs);
        if let Some(byte) = atom.byte {
            let word = self.word(&atoms.inputs, byte);
            if let Seen::Bytes(known) = &self.seen[id.index()]
                && known.evaluated.contains(word)
            {
                return known.held.contains(word);
            }
            let holds = self.evaluate(terms, atom.term);
            self.note_byte(id, word, holds);
            return holds;
        }
        // All of them: what is noted of the atom is about values that have been read.
        let mut changed = 0;
        for &input in &atom.inputs {
            changed = changed.max(self.read(&atoms.inputs, input).changed);
        }
        match self.seen[id.index()] {
            Seen::Held(when) if changed <= when => return true,
            Seen::Failed(when) if changed <= when => return false,
            _ => {}
        }
        let holds = self.evaluate(terms, atom.term);
        self.seen[id.index()] = match holds {
            true => Seen::Held(self.changes),
            false => Seen::Failed(self.changes),
        };
        holds
    }

    fn note_byte(&mut self, id: AtomId, byte: u64, holds: bool) {
        let seen = &mut self.seen[id.index()];
        if !matches!(seen, Seen::Bytes(_)) {
            *seen = Seen::Bytes(Box::new(SeenBytes {
                evaluated: ByteSet::NONE,
                held: ByteSet::NONE,
            }));
        }
        if let Seen::Bytes(known) = seen {
            known.evaluated.insert(byte);
            if holds {
                known.held.insert(byte);
            }
        }
    }

    /// Whether a formula holds, as the plain evaluator says.
    pub fn evaluate(&mut self, terms: &Terms, formula: Term) -> bool {
        self.evaluator.bool(terms, &self.assignment, formula)
    }

    /// The value of a term under the assignment.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Value {
        self.evaluator.value(terms, &self.assignment, term)
    }

    /// How many times values have changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// When the assignment was last replaced as a whole, in changes.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// When one of these inputs last changed.
    #[inline]
    pub fn last_change(&mut self, inputs: &InputTable, of: &[InputId]) -> u64 {
        self.cover(inputs);
        let changed = |&id: &InputId| self.read(inputs, id).changed;
        of.iter().map(changed).max().unwrap_or(0)
    }

    /// The value of an integer or real input.
    pub fn number(&self, inputs: &InputTable, id: InputId) -> &Rational {
        let number = match inputs.place(id) {
            Place::Value { var, .. } => self.assignment.get(*var).and_then(Value::as_number),
            _ => None,
        };
        number.unwrap_or(&Rational::ZERO)
    }

    /// Gives an input of up to 64 bits a value.
    pub fn set_word(&mut self, inputs: &InputTable, id: InputId, word: u64) {
        let words = Box::new([(id, word)]);
        let others = Box::default();
        self.adopt(inputs, &Solution { words, others }, |_| true);
    }

    /// Gives any other input a value.
    pub fn set_datum(&mut self, inputs: &InputTable, id: InputId, datum: Datum) {
        let (words, others) = (Box::default(), Box::new([(id, datum)]));
        self.adopt(inputs, &Solution { words, others }, |_| true);
    }

    pub fn set_number(&mut self, inputs: &InputTable, id: InputId, number: Rational) {
        let Place::Value { sort, .. } = *inputs.place(id) else {
            unreachable!("a number symbol")
        };
        self.set_datum(inputs, id, Datum::Value(Value::number(sort, number)));
    }

    /// Gives symbols their values that facts define. Atoms depend on them only where a fact was once an input.
    pub fn define(&mut self, give: impl FnOnce(&mut Assignment)) {
        give(Arc::make_mut(&mut self.assignment));
        self.note_replaced();
    }

    /// Everything may have changed: values are compared when somebody asks for them.
    fn note_replaced(&mut self) {
        self.changes += 1;
        self.replaced = self.changes;
        self.evaluator.forget();
    }

    /// Takes the values of those inputs over that are wanted. What has that value already costs next to nothing.
    pub fn adopt(
        &mut self,
        inputs: &InputTable,
        solution: &Solution,
        wanted: impl Fn(InputId) -> bool,
    ) {
        self.cover(inputs);
        let before = self.changes;
        for &(id, word) in &solution.words {
            if self.word(inputs, id) != word && wanted(id) {
                self.changes = before + 1;
                self.values[id.index()].word = word;
                self.note_change(inputs, id);
                write_word(inputs.place(id), Arc::make_mut(&mut self.assignment), word);
            }
        }
        for (id, datum) in &solution.others {
            if wanted(*id) && !holds_already(inputs.place(*id), &self.assignment, datum) {
                self.changes = before + 1;
                let assignment = Arc::make_mut(&mut self.assignment);
                write_datum(inputs.place(*id), assignment, datum);
                self.note_change(inputs, *id);
                self.read_family(inputs, *id);
            }
        }
        if self.changes != before {
            self.evaluator.forget();
        }
    }

    /// A cell that changes changes its array.
    fn note_change(&mut self, inputs: &InputTable, id: InputId) {
        self.values[id.index()].changed = self.changes;
        if let Some(family) = inputs.family_of(id)
            && let Some(whole) = inputs.family(family).whole
        {
            self.values[whole.index()].changed = self.changes;
        }
    }

    /// The value of an input of up to 64 bits.
    #[inline]
    pub fn word(&mut self, inputs: &InputTable, id: InputId) -> u64 {
        self.cover(inputs);
        self.read(inputs, id).word
    }

    /// What is known of an input, once its value is that of the assignment.
    #[inline]
    fn read(&mut self, inputs: &InputTable, id: InputId) -> InputValue {
        let value = self.values[id.index()];
        if value.read >= self.replaced {
            return value;
        }
        self.read_again(inputs, id)
    }

    fn read_again(&mut self, inputs: &InputTable, id: InputId) -> InputValue {
        let word = self.word_of(inputs, id);
        let value = &mut self.values[id.index()];
        // What is no word is not compared.
        if word.is_none_or(|word| word != value.word) {
            value.changed = self.changes;
        }
        value.word = word.unwrap_or(0);
        value.read = self.changes;
        *value
    }

    /// Reads the values of inputs that are new.
    #[inline]
    fn cover(&mut self, inputs: &InputTable) {
        if self.values.len() < inputs.len() {
            self.read_new(inputs);
        }
    }

    fn read_new(&mut self, inputs: &InputTable) {
        for id in self.values.len() as u32..inputs.len() as u32 {
            let word = self.word_of(inputs, InputId(id)).unwrap_or(0);
            self.values.push(InputValue {
                word,
                changed: 0,
                read: self.changes,
            });
        }
    }

    /// Reads the cells of an array again that was set as a whole.
    fn read_family(&mut self, inputs: &InputTable, id: InputId) {
        let Some(family) = inputs.family_of(id) else {
            return;
        };
        let Family { whole, cells, .. } = inputs.family(family);
        if *whole == Some(id) {
            for &cell in cells {
                self.values[cell.index()] = InputValue {
                    word: self.word_of(inputs, cell).unwrap_or(0),
                    changed: self.changes,
                    read: self.changes,
                };
            }
        }
    }

    /// The value of an input in the assignment, if that is a word.
    fn word_of(&self, inputs: &InputTable, id: InputId) -> Option<u64> {
        let place = inputs.place(id);
        match place.is_word().then(|| read(place, &self.assignment)) {
            Some(Read::Word(word)) => Some(word),
            _ => None,
        }
    }
}

/// Whether a symbol has a value already.
fn holds_already(place: &Place, assignment: &Assignment, datum: &Datum) -> bool {
    match (place, datum) {
        (Place::Value { var, .. }, Datum::Value(value)) => assignment.get(*var) == Some(value),
        _ => false,
    }
}
