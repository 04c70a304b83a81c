//! Repairs by search, for atoms about floats (paper 5, section 3.4, after XSat): atoms become a distance that is zero
//! just where they hold, and that is made smaller step by step.
//!
//! The distance of a comparison is how many floats lie between what it compares, as a logarithm; conjunctions add,
//! disjunctions take the nearest. A step changes one word of the input: by so many neighbours, which are twice as many
//! as long as that helps, to a constant that the atoms mention, or anywhere. The words are what operators take as
//! floats, be they put together from bytes.
//!
//! It shows nothing impossible. How far it goes is counted in evaluations of terms, never in time.

use std::sync::Arc;

use refrain_term::{Assignment, Bv, Evaluator, FloatOp, Format, Op, Sort, Term, Terms, reachable};
use rustc_hash::FxHashSet;

use super::Repair;
use super::tried::Tried;
use crate::atoms::AtomId;
use crate::inputs::{InputId, Place};
use crate::limits::Limits;
use crate::partial_solution::PartialSolution;
use crate::path::Path;
use crate::solution::{Solution, write_word};
use crate::work::Kind;

/// Atoms of more terms than this are not searched.
const MOST_TERMS: usize = 1 << 13;

/// Inputs beyond these are not changed.
const MOST_WORDS: usize = 64;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// About how many evaluations of terms.
    pub terms: usize,
    /// Of how many starts.
    pub starts: usize,
}

impl Steps {
    /// For a moment, before circuits.
    pub const FEW: Steps = Steps {
        terms: 1 << 17,
        starts: 6,
    };

    /// After circuits have given up. A query that may meet few conflicts is one that will be asked again with more: what
    /// is infeasible is not searched for long before its circuits have had their time.
    pub fn after(conflicts: Option<u64>) -> Steps {
        let terms = conflicts.unwrap_or(u64::MAX).saturating_mul(A_CONFLICT);
        Steps {
            terms: terms.min(MOST) as usize,
            starts: 200,
        }
    }
}

/// How many evaluations of terms a conflict stands for, and how many there are at most.
const A_CONFLICT: u64 = 1 << 12;
const MOST: u64 = 1 << 24;

/// A word of the input that moves as one: a float, or an integer.
struct Word {
    /// The inputs it is made of, the lowest bits first.
    parts: Vec<(InputId, u32)>,
    places: Vec<Place>,
    width: u32,
    format: Option<Format>,
    /// Constants that it is compared or calculated with.
    constants: Vec<u64>,
    /// The atoms that depend on it.
    atoms: Vec<usize>,
}

/// What is searched, and where.
struct Search<'a> {
    terms: &'a Terms,
    /// Each with the number of its terms.
    atoms: Vec<(Term, usize)>,
    words: Vec<Word>,
    assignment: Assignment,
    evaluator: Evaluator,
    /// By atom: how far it is from holding.
    distances: Vec<f64>,
    left: usize,
}

impl Path {
    /// Changes the model so that all atoms at these places hold, if a search from it finds how. `None` if it does not,
    /// or if no atom is about floats.
    pub fn repair_by_search(
        &mut self,
        terms: &Terms,
        places: &[u32],
        steps: Steps,
        tried: &mut Tried,
        limits: &Limits,
    ) -> Option<Repair> {
        let atoms: Vec<AtomId> = places.iter().map(|&place| self.at(place)).collect();
        let words = self.words_of(terms, &atoms)?;
        let sized = |&atom: &AtomId| {
            let term = self.atoms.get(atom).term;
            (term, reachable(terms, &[term]).len())
        };
        let mut search = Search {
            terms,
            distances: vec![0.0; atoms.len()],
            atoms: atoms.iter().map(sized).collect(),
            words,
            assignment: (**self.model.assignment()).clone(),
            evaluator: Evaluator::new(),
            left: steps.terms,
        };
        let first: Vec<u64> = search
            .words
            .iter()
            .map(|word| word.read(|input| self.model.word(&self.atoms.inputs, input)))
            .collect();
        let mut random = self.repairs.random.clone();
        let mut found = None;
        for start in 0..steps.starts {
            if search.left == 0 || limits.exceeded().is_some() {
                break;
            }
            let from = match start {
                0 => first.clone(),
                _ => search.anywhere(&mut random, &first),
            };
            let (values, distance) = search.descend(from, &mut random);
            if distance == 0.0 {
                found = Some(values);
                break;
            }
            if tried.wants_more() {
                let solution = search.solution(&values);
                let inputs = solution.words.iter();
                let inputs = inputs.map(|(input, _)| self.atoms.inputs.term(*input));
                if let Some(inputs) = inputs.collect::<Option<Arc<[Term]>>>() {
                    let words = solution.words.iter().map(|(_, word)| *word).collect();
                    let model = self.model.assignment();
                    tried.add(PartialSolution::changed(model, inputs, words));
                }
            }
        }
        self.repairs.random = random;
        self.work
            .note(Kind::Column, (steps.terms - search.left) / 64);
        let solution = search.solution(&found?);
        self.try_values(terms, solution, places)
            .then_some(Repair::Done)
    }

    /// The words that atoms depend on. `None` where none is about floats, or one is
    /// about something else than words.
    fn words_of(&self, terms: &Terms, atoms: &[AtomId]) -> Option<Vec<Word>> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Term> = atoms
            .iter()
            .map(|&atom| self.atoms.get(atom).term)
            .collect();
        let mut words: Vec<Word> = Vec::new();
        let mut constants: Vec<(Option<Format>, Bv)> = Vec::new();
        let mut is_about_floats = false;
        let mut grouped: FxHashSet<InputId> = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > MOST_TERMS {
                return None;
            }
            let args = terms.args(term);
            if let Some((op, format, _)) = terms.float_op(term) {
                is_about_floats = true;
                let operands = &args[usize::from(op.is_rounded())..];
                for &operand in operands.iter().filter(|_| op.takes_floats()) {
                    if let Some(value) = terms.value(operand) {
                        constants.push((Some(format), value.clone()));
                    }
                    let Some(parts) = self.parts_of(terms, operand) else {
                        continue;
                    };
                    if parts.iter().all(|(input, _)| grouped.insert(*input)) {
                        words.push(self.word(parts, Some(format)));
                    }
                }
            } else if matches!(terms.op(term), Op::Eq | Op::BvUlt | Op::BvSlt) {
                let values = args.iter().filter_map(|&arg| terms.value(arg));
                constants.extend(values.map(|value| (None, value.clone())));
            }
            stack.extend_from_slice(args);
        }
        if !is_about_floats {
            return None;
        }
        for &atom in atoms {
            for &input in &self.atoms.get(atom).inputs {
                if grouped.insert(input) {
                    let bits = self.atoms.inputs.place(input).word_bits()?;
                    words.push(self.word(vec![(input, bits)], None));
                }
            }
        }
        if words.len() > MOST_WORDS {
            return None;
        }
        for word in &mut words {
            let fits = |(format, value): &(Option<Format>, Bv)| {
                let fits = value.width() == word.width && *format == word.format;
                fits.then(|| value.small()).flatten()
            };
            word.constants = constants.iter().filter_map(fits).collect();
            word.constants.sort_unstable();
            word.constants.dedup();
            let depends = |&(_, atom): &(usize, &AtomId)| {
                let inputs = &self.atoms.get(*atom).inputs;
                word.parts.iter().any(|(input, _)| inputs.contains(input))
            };
            let depending = atoms.iter().enumerate().filter(depends);
            word.atoms = depending.map(|(index, _)| index).collect();
        }
        Some(words)
    }

    fn word(&self, parts: Vec<(InputId, u32)>, format: Option<Format>) -> Word {
        let places = parts.iter();
        let places = places.map(|&(input, _)| self.atoms.inputs.place(input).clone());
        Word {
            places: places.collect(),
            width: parts.iter().map(|(_, bits)| bits).sum(),
            parts,
            format,
            constants: Vec::new(),
            atoms: Vec::new(),
        }
    }

    /// The inputs that a term puts side by side, the lowest first.
    fn parts_of(&self, terms: &Terms, term: Term) -> Option<Vec<(InputId, u32)>> {
        let Sort::BitVec(width) = terms.sort(term) else {
            return None;
        };
        if width > 64 {
            return None;
        }
        if let Some(input) = self.atoms.inputs.find_term(term) {
            let bits = self.atoms.inputs.place(input).word_bits()?;
            return (bits == width).then(|| vec![(input, bits)]);
        }
        if terms.op(term) != Op::Concat {
            return None;
        }
        let mut parts = self.parts_of(terms, terms.arg(term, 1))?;
        parts.extend(self.parts_of(terms, terms.arg(term, 0))?);
        Some(parts)
    }
}

impl Word {
    /// Its value, by those of its parts.
    fn read(&self, mut part: impl FnMut(InputId) -> u64) -> u64 {
        let mut shift = 0;
        self.parts.iter().fold(0, |word, &(input, bits)| {
            let word = word | part(input) << shift;
            shift += bits;
            word
        })
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// A value so many neighbours away: floats are ordered by their magnitude's bits.
    fn moved(&self, value: u64, by: i64) -> u64 {
        let Some(format) = self.format else {
            return value.wrapping_add(by as u64) & self.mask();
        };
        let place = ordered(format, value).saturating_add(i128::from(by));
        let most = i128::from(self.mask() >> 1);
        let place = place.clamp(-most, most);
        let sign = u64::from(place < 0) << (self.width - 1);
        sign | place.unsigned_abs() as u64
    }
}

/// The place of a float among all others; zeros are in one place.
fn ordered(format: Format, bits: u64) -> i128 {
    let sign = bits >> (format.width() - 1) & 1;
    let magnitude = i128::from(bits & ((1 << (format.width() - 1)) - 1));
    if sign == 1 { -magnitude } else { magnitude }
}

/// What is far, but less than what is NaN.
const NOT_A_NUMBER: f64 = 70.0;

fn logarithm(distance: i128) -> f64 {
    if distance <= 0 {
        0.0
    } else {
        ((distance as f64) + 1.0).log2()
    }
}

impl Search<'_> {
    fn solution(&self, values: &[u64]) -> Solution {
        let mut words = Vec::new();
        for (word, &value) in self.words.iter().zip(values) {
            let mut rest = value;
            for &(input, bits) in &word.parts {
                words.push((input, rest & (u64::MAX >> (64 - bits))));
                rest = if bits < 64 { rest >> bits } else { 0 };
            }
        }
        words.sort_unstable();
        Solution {
            words: words.into(),
            others: Box::default(),
        }
    }

    /// Somewhere to start from: constants, small numbers, and anything.
    fn anywhere(&self, random: &mut fastrand::Rng, first: &[u64]) -> Vec<u64> {
        let mut values = first.to_vec();
        for (word, value) in self.words.iter().zip(&mut values) {
            *value = match (random.u8(0..6), word.format) {
                (0, _) => *value,
                (1 | 2, _) if !word.constants.is_empty() => {
                    let constant = word.constants[random.usize(0..word.constants.len())];
                    word.moved(constant, random.i64(-2..=2))
                }
                (3 | 4, Some(format)) => {
                    // About one: most programs are about numbers of such a size.
                    let bias = (1u64 << (format.exponent - 1)) - 1;
                    let spread = bias.min(12);
                    let exponent = random.u64(bias - spread..=bias + spread);
                    let fraction = random.u64(..) & ((1 << format.fraction()) - 1);
                    let sign = random.u64(0..2) << (format.width() - 1);
                    sign | exponent << format.fraction() | fraction
                }
                _ => random.u64(..) & word.mask(),
            };
        }
        values
    }

    /// Goes from some values to where no step helps, or to where all atoms hold.
    fn descend(&mut self, mut values: Vec<u64>, random: &mut fastrand::Rng) -> (Vec<u64>, f64) {
        for (place, &value) in values.iter().enumerate() {
            self.write(place, value);
        }
        self.evaluator.forget();
        for atom in 0..self.atoms.len() {
            self.distances[atom] = self.of_atom(atom);
        }
        let mut is_stuck = false;
        while self.distance() > 0.0 && !is_stuck && self.left > 0 {
            is_stuck = true;
            let offset = random.usize(0..self.words.len());
            for place in 0..self.words.len() {
                let place = (place + offset) % self.words.len();
                let atoms = &self.words[place].atoms;
                if atoms.iter().all(|&atom| self.distances[atom] == 0.0) {
                    continue;
                }
                is_stuck &= !self.improve(&mut values[place], place, random);
                if self.distance() == 0.0 || self.left == 0 {
                    break;
                }
            }
        }
        (values, self.distance())
    }

    /// Tries other values of one word; whether one helped.
    fn improve(&mut self, value: &mut u64, place: usize, random: &mut fastrand::Rng) -> bool {
        let width = self.words[place].width;
        let mut has_helped = false;
        // Steps of every size, both ways; one that helps is made again, and larger.
        for scale in 0..width - 1 {
            for sign in [1i64, -1] {
                let mut step = sign << scale.min(61);
                while self.try_value(value, place, self.words[place].moved(*value, step)) {
                    has_helped = true;
                    if self.distance() == 0.0 {
                        return true;
                    }
                    step = step.saturating_mul(2);
                }
                if self.left == 0 {
                    return has_helped;
                }
            }
        }
        let mut others = self.words[place].constants.clone();
        others.push(*value ^ 1u64 << (width - 1));
        others.push(random.u64(..) & self.words[place].mask());
        for other in others {
            has_helped |= self.try_value(value, place, other);
        }
        has_helped
    }

    /// Gives a word another value, if that brings the atoms nearer.
    fn try_value(&mut self, value: &mut u64, place: usize, other: u64) -> bool {
        if *value == other || self.left == 0 {
            return false;
        }
        self.write(place, other);
        self.evaluator.forget();
        let atoms = std::mem::take(&mut self.words[place].atoms);
        let before: f64 = atoms.iter().map(|&atom| self.distances[atom]).sum();
        let after: Vec<f64> = atoms.iter().map(|&atom| self.of_atom(atom)).collect();
        let helps = after.iter().sum::<f64>() < before;
        if helps {
            for (&atom, distance) in atoms.iter().zip(after) {
                self.distances[atom] = distance;
            }
            *value = other;
        } else {
            self.write(place, *value);
        }
        self.words[place].atoms = atoms;
        helps
    }

    fn write(&mut self, place: usize, value: u64) {
        let mut rest = value;
        let word = &self.words[place];
        for (&(_, bits), place) in word.parts.iter().zip(&word.places) {
            write_word(
                place,
                &mut self.assignment,
                rest & (u64::MAX >> (64 - bits)),
            );
            rest = if bits < 64 { rest >> bits } else { 0 };
        }
    }

    /// How far the atoms are from holding.
    fn distance(&self) -> f64 {
        self.distances.iter().sum()
    }

    fn of_atom(&mut self, atom: usize) -> f64 {
        let (term, size) = self.atoms[atom];
        self.left = self.left.saturating_sub(size);
        self.of(term, true, 0)
    }

    /// How far a formula is from being what it should be.
    fn of(&mut self, formula: Term, wanted: bool, depth: u32) -> f64 {
        let terms = self.terms;
        if self.evaluator.bool(terms, &self.assignment, formula) == wanted {
            return 0.0;
        }
        let args = terms.args(formula);
        match terms.op(formula) {
            _ if depth > 32 => 1.0,
            Op::Not => self.of(args[0], !wanted, depth + 1),
            Op::And if wanted => args.iter().map(|&arg| self.of(arg, true, depth + 1)).sum(),
            Op::And => {
                let all = args.iter().map(|&arg| self.of(arg, false, depth + 1));
                all.fold(f64::INFINITY, f64::min)
            }
            Op::Ite => {
                let [condition, then, other] = [args[0], args[1], args[2]];
                let first = self.of(condition, true, depth + 1) + self.of(then, wanted, depth + 1);
                let second =
                    self.of(condition, false, depth + 1) + self.of(other, wanted, depth + 1);
                first.min(second)
            }
            Op::Float { op, .. } if matches!(op, FloatOp::Eq | FloatOp::Lt | FloatOp::Le) => {
                let Some((_, format, _)) = terms.float_op(formula) else {
                    return 1.0;
                };
                self.compared(op, format, args[0], args[1], wanted)
            }
            Op::Eq | Op::BvUlt | Op::BvSlt => self.related(formula, wanted),
            _ => 1.0,
        }
    }

    /// How far a comparison of floats is from holding, or from not holding.
    fn compared(&mut self, op: FloatOp, format: Format, a: Term, b: Term, wanted: bool) -> f64 {
        if format.width() > 64 {
            return 1.0;
        }
        let [a, b] = [a, b].map(|term| self.evaluator.small(self.terms, &self.assignment, term));
        let is_nan = |bits: u64| format.is_nan(&Bv::new(format.width(), bits));
        if is_nan(a) || is_nan(b) {
            return NOT_A_NUMBER;
        }
        let apart = ordered(format, a) - ordered(format, b);
        logarithm(match (op, wanted) {
            (FloatOp::Eq, true) => apart.abs(),
            (FloatOp::Eq, false) => 1,
            (FloatOp::Lt, true) => apart + 1,
            (FloatOp::Lt, false) => -apart,
            (_, true) => apart,
            (_, false) => 1 - apart,
        })
    }

    /// How far an equation or an order of bit-vectors is from holding, or from not holding.
    fn related(&mut self, formula: Term, wanted: bool) -> f64 {
        let terms = self.terms;
        let args = terms.args(formula);
        let Sort::BitVec(width) = terms.sort(args[0]) else {
            return 1.0;
        };
        if width > 64 {
            return 1.0;
        }
        let sign = match terms.op(formula) {
            Op::BvSlt => 1u64 << (width - 1),
            _ => 0,
        };
        let [a, b] = [args[0], args[1]]
            .map(|term| i128::from(self.evaluator.small(terms, &self.assignment, term) ^ sign));
        let apart = a - b;
        logarithm(match (terms.op(formula), wanted) {
            (Op::Eq, true) => apart.abs(),
            (Op::Eq, false) => 1,
            (_, true) => apart + 1,
            (_, false) => -apart,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_will_be_asked_again_is_searched_for_less_long() {
        let [few, more, all] = [Some(300), Some(1_200), None].map(|c| Steps::after(c).terms);
        assert!(Steps::FEW.terms < few && few < more && more < all);
        assert_eq!(Steps::after(Some(u64::MAX)).terms, all);
    }
}
