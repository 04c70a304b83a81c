//! Linear atoms: comparisons of a sum of numbers with a number, and what they leave one of these numbers.
//!
//! Once the others have values, a linear atom leaves one of its inputs a half-line, a point, or all but a point: its
//! *room*.

use refrain_term::{Input, Op, Rational, Sort, Term, Terms};

use crate::inputs::{InputId, InputTable};
use crate::model::Model;

/// A comparison of a sum of inputs with a number, or its negation.
pub struct Linear {
    pub terms: Box<[(InputId, Rational)]>,
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
            parts.push((inputs.find(Input::Symbol(addend))?, coefficient));
        }
        Some(Linear {
            terms: parts.into(),
            number: number - &constant,
            relation,
            integer: terms.sort(sum) == Sort::Int,
        })
    }

    fn sum(&self, inputs: &InputTable, model: &Model) -> Rational {
        let mut sum = Rational::ZERO;
        for (input, coefficient) in &self.terms {
            sum.add_mul(coefficient, model.number(inputs, *input));
        }
        sum
    }

    /// Leaves a room for one input what the atom does, the others having the values they have.
    pub fn restrict(
        &self,
        room: &mut Room,
        input: InputId,
        inputs: &InputTable,
        model: &Model,
        place: u32,
    ) {
        let own = self.terms.iter().find(|(other, _)| *other == input);
        let coefficient = &own.expect("it depends on the input").1;
        let mut rest = self.sum(inputs, model);
        rest.add_mul(&-coefficient, model.number(inputs, input));
        room.restrict(self, coefficient, &rest, place);
    }
}

/// An end of what is left of a line, whether it belongs to it, and the atom that says so.
pub struct End {
    value: Rational,
    open: bool,
    pub place: u32,
}

/// The values that atoms leave one input.
#[derive(Default)]
pub struct Room {
    pub lower: Option<End>,
    pub upper: Option<End>,
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

    pub fn is_empty(&self) -> bool {
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
    pub fn closest(&self, wish: &Rational, integer: bool) -> Option<Rational> {
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
