//! Repair by shifting one number: for a violated linear atom, another value of one of its inputs, all others staying
//! as they are.
//!
//! Every linear atom leaves one of its inputs a half-line, a point, or all but a point, once the others have values.
//! Those of the atoms that hold now, and of the violated one, are intersected; the closest value in the rest is a
//! repair. Most branches on numbers are decided here, without the simplex. Atoms about the input alone that leave it
//! nothing are a conflict.

use refrain_term::{Op, Rational, Sort, Term, Terms};

use super::inputs::{InputId, InputTable};
use super::partial::set_number;
use super::{Native, Repair};
use crate::Limits;

/// A comparison of a sum of inputs with a number, or its negation.
pub struct Linear {
    terms: Box<[(InputId, Rational)]>,
    number: Rational,
    relation: Relation,
    integer: bool,
}

/// How the sum relates to the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
    Different,
}

impl Linear {
    /// What an atom says, if it compares a sum of number symbols with a number.
    pub fn of(terms: &Terms, inputs: &InputTable, atom: Term) -> Option<Linear> {
        let (positive, comparison) = match terms.op(atom) {
            Op::Not => (false, terms.arg(atom, 0)),
            _ => (true, atom),
        };
        let (sum, number, relation) = match (terms.op(comparison), positive) {
            (Op::Le, true) => (0, 1, Relation::AtMost),
            (Op::Le, false) => (0, 1, Relation::Above),
            (Op::Lt, true) => (0, 1, Relation::Below),
            (Op::Lt, false) => (0, 1, Relation::AtLeast),
            (Op::Eq, true) => (1, 0, Relation::Equal),
            (Op::Eq, false) => (1, 0, Relation::Different),
            _ => return None,
        };
        let sum = terms.arg(comparison, sum);
        let number = terms.number_value(terms.arg(comparison, number))?;
        let (constant, addends) = terms.linear_form(sum);
        let mut parts = Vec::with_capacity(addends.len());
        for (addend, coefficient) in addends {
            parts.push((inputs.find_symbol(addend)?, coefficient));
        }
        Some(Linear {
            terms: parts.into(),
            number: number - &constant,
            relation,
            integer: terms.sort(sum) == Sort::Int,
        })
    }

    fn sum(&self, inputs: &InputTable) -> Rational {
        let mut sum = Rational::ZERO;
        for (input, coefficient) in &self.terms {
            sum.add_mul(coefficient, &inputs.info(*input).number);
        }
        sum
    }

    fn allows(&self, sum: &Rational) -> bool {
        let order = sum.cmp(&self.number);
        match self.relation {
            Relation::AtMost => order.is_le(),
            Relation::Below => order.is_lt(),
            Relation::AtLeast => order.is_ge(),
            Relation::Above => order.is_gt(),
            Relation::Equal => order.is_eq(),
            Relation::Different => order.is_ne(),
        }
    }

    pub fn holds(&self, inputs: &InputTable) -> bool {
        self.allows(&self.sum(inputs))
    }

    /// Leaves a room for one input what the atom does, the others having the values they have.
    fn restrict(&self, room: &mut Room, input: InputId, inputs: &InputTable, place: u32) {
        let own = self.terms.iter().find(|(other, _)| *other == input);
        let coefficient = &own.expect("it depends on the input").1;
        let mut rest = self.sum(inputs);
        rest.add_mul(&-coefficient, &inputs.info(input).number);
        room.restrict(self, coefficient, &rest, place);
    }
}

/// An end of what is left of a line, whether it belongs to it, and the atom that says so.
struct End {
    value: Rational,
    open: bool,
    place: u32,
}

/// The values that atoms leave one input.
#[derive(Default)]
struct Room {
    lower: Option<End>,
    upper: Option<End>,
    holes: Vec<Rational>,
}

impl Room {
    fn raise(&mut self, value: Rational, open: bool, place: u32) {
        let is_higher = |end: &End| value > end.value || value == end.value && open && !end.open;
        if self.lower.as_ref().is_none_or(is_higher) {
            self.lower = Some(End { value, open, place });
        }
    }

    fn reduce(&mut self, value: Rational, open: bool, place: u32) {
        let is_lower = |end: &End| value < end.value || value == end.value && open && !end.open;
        if self.upper.as_ref().is_none_or(is_lower) {
            self.upper = Some(End { value, open, place });
        }
    }

    fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                lower.value > upper.value
                    || lower.value == upper.value && (lower.open || upper.open)
            }
            _ => false,
        }
    }

    fn contains(&self, value: &Rational) -> bool {
        let above = self
            .lower
            .as_ref()
            .is_none_or(|end| *value > end.value || *value == end.value && !end.open);
        let below = self
            .upper
            .as_ref()
            .is_none_or(|end| *value < end.value || *value == end.value && !end.open);
        above && below && !self.holes.contains(value)
    }

    /// Adds what an atom leaves an input with this coefficient, where the rest of the sum has a value.
    fn restrict(&mut self, atom: &Linear, coefficient: &Rational, rest: &Rational, place: u32) {
        let point = &(&atom.number - rest) / coefficient;
        let rising = coefficient.is_positive();
        let (mut upwards, mut downwards) = (None, None);
        match atom.relation {
            Relation::Different => {
                self.holes.push(point);
                return;
            }
            Relation::Equal => (upwards, downwards) = (Some(false), Some(false)),
            Relation::AtMost if rising => downwards = Some(false),
            Relation::AtMost => upwards = Some(false),
            Relation::Below if rising => downwards = Some(true),
            Relation::Below => upwards = Some(true),
            Relation::AtLeast if rising => upwards = Some(false),
            Relation::AtLeast => downwards = Some(false),
            Relation::Above if rising => upwards = Some(true),
            Relation::Above => downwards = Some(true),
        }
        if let Some(open) = upwards {
            let (value, open) = match (atom.integer, open) {
                (true, false) => (point.ceil(), false),
                (true, true) => (&point.floor() + &Rational::ONE, false),
                (false, open) => (point.clone(), open),
            };
            self.raise(value, open, place);
        }
        if let Some(open) = downwards {
            let (value, open) = match (atom.integer, open) {
                (true, false) => (point.floor(), false),
                (true, true) => (&point.ceil() - &Rational::ONE, false),
                (false, open) => (point, open),
            };
            self.reduce(value, open, place);
        }
    }

    /// The value closest to `wish`, or one not far from it.
    fn closest(&self, wish: &Rational, integer: bool) -> Option<Rational> {
        if self.contains(wish) {
            return Some(wish.clone());
        }
        let outside = |end: &Option<End>, beyond: fn(&Rational, &Rational) -> bool| {
            end.as_ref()
                .is_some_and(|end| beyond(wish, &end.value) || *wish == end.value && end.open)
        };
        let step = match (integer, &self.lower, &self.upper) {
            (false, Some(lower), Some(upper)) => {
                let steps = Rational::from(self.holes.len() as i64 + 2);
                (&(&upper.value - &lower.value) / &steps).min(Rational::ONE)
            }
            _ => Rational::ONE,
        };
        let start = if outside(&self.lower, |a, b| a < b) {
            self.lower.as_ref().map(|end| end.value.clone())?
        } else if outside(&self.upper, |a, b| a > b) {
            self.upper.as_ref().map(|end| end.value.clone())?
        } else {
            wish.clone()
        };
        // Of so many steps up and down, each hole can spoil one.
        let mut offset = Rational::ZERO;
        for _ in 0..=self.holes.len() + 1 {
            for candidate in [&start + &offset, &start - &offset] {
                if self.contains(&candidate) {
                    return Some(candidate);
                }
            }
            offset += &step;
        }
        None
    }
}

/// How many inputs of a violated atom are tried.
const MAX_INPUTS: usize = 6;

/// How many shifts of a violated atom are noted as partial solutions.
const NOTED_SHIFTS: usize = 4;

impl Native {
    /// Repairs the violated linear atom at `seed` by shifting one of its inputs, or shows that this cannot be.
    /// `None`: neither.
    pub(super) fn repair_by_shift(
        &mut self,
        terms: &Terms,
        seed: u32,
        limits: &Limits,
    ) -> Option<Repair> {
        self.atoms.at(seed).linear.as_ref()?;
        self.note_shifts(terms, seed);
        let linear = self.atoms.at(seed).linear.as_ref()?;
        let mut inputs: Vec<InputId> = linear.terms.iter().map(|(input, _)| *input).collect();
        inputs.sort_by_key(|&input| self.atoms.occurrences(input).len());
        for &input in inputs.iter().take(MAX_INPUTS) {
            if let Some(reason) = limits.exceeded() {
                return Some(Repair::Gave(reason));
            }
            let (room, others) = self.room(terms, seed, input);
            if room.is_empty() {
                if let Some(core) = self.core_of_room(&room) {
                    self.core = core;
                    return Some(Repair::Impossible);
                }
                continue;
            }
            let before = self.inputs.info(input).number.clone();
            let integer = self.inputs.info(input).integer;
            let Some(value) = room.closest(&before, integer) else {
                continue;
            };
            self.set_number(terms, input, value);
            if others.iter().all(|&place| self.holds(terms, place)) {
                return Some(Repair::Done);
            }
            self.set_number(terms, input, before);
        }
        None
    }

    /// Notes the model, and what it would be with one input of a violated atom shifted so that the atom holds.
    fn note_shifts(&mut self, terms: &Terms, seed: u32) {
        let (Some(partial), Some(linear)) = (&mut self.partial, &self.atoms.at(seed).linear) else {
            return;
        };
        let component = self.finder.find(&self.atoms, &self.inputs, seed);
        partial.begin_component();
        let mut note = |number: &dyn Fn(Term) -> Option<Rational>| {
            let (inputs, literals) = (&self.inputs, &self.blaster.literals);
            partial.note(terms, inputs, literals, &component, |_| None, number);
        };
        note(&|_| None);
        for (input, _) in linear.terms.iter().take(NOTED_SHIFTS) {
            let info = self.inputs.info(*input);
            let mut room = Room::default();
            linear.restrict(&mut room, *input, &self.inputs, seed);
            if let Some(value) = room.closest(&info.number, info.integer) {
                let shifted = info.term();
                note(&|term| (Some(term) == shifted).then(|| value.clone()));
            }
        }
    }

    /// What the violated atom, and the linear ones that hold now, leave an input; and the other atoms that hold now.
    fn room(&mut self, terms: &Terms, seed: u32, input: InputId) -> (Room, Vec<u32>) {
        let mut room = Room::default();
        let mut others = Vec::new();
        for index in 0..self.atoms.occurrences(input).len() {
            let place = self.atoms.occurrences(input)[index];
            let Some(linear) = &self.atoms.at(place).linear else {
                if place == seed || self.holds(terms, place) {
                    others.push(place);
                }
                continue;
            };
            if place == seed || linear.terms.len() == 1 || linear.holds(&self.inputs) {
                linear.restrict(&mut room, input, &self.inputs, place);
            }
        }
        (room, others)
    }

    /// The sources of the two ends of an empty room, if both are about the input alone.
    fn core_of_room(&self, room: &Room) -> Option<Vec<u32>> {
        let mut core = Vec::new();
        for end in [room.lower.as_ref()?, room.upper.as_ref()?] {
            let atom = self.atoms.at(end.place);
            if atom.linear.as_ref()?.terms.len() > 1 {
                return None;
            }
            core.push(self.atoms.active()[end.place as usize].source);
        }
        core.sort_unstable();
        core.dedup();
        Some(core)
    }

    /// Changes a number in the model.
    pub(super) fn set_number(&mut self, terms: &Terms, input: InputId, number: Rational) {
        let info = self.inputs.info_mut(input);
        let term = info.term().expect("a number symbol");
        info.number = number.clone();
        set_number(self.model.change(), terms, term, number);
        self.evaluator.forget();
    }
}
