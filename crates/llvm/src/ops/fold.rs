//! Operations on constants, and on integers that are too wide for a register.
//!
//! Up to 128 bits they are the table's words. What is wider is rare: there the terms do it, which fold on constants,
//! in an arena that is thrown away.

use refrain_term::{Assignment, Bv, Term, Terms, Value, eval};

use super::{ArithmeticError, Cast, IntOp, Operands, Outcome};

/// The widest integers that are calculated as words.
pub const WIDEST_WORD: u32 = 128;

impl IntOp {
    /// The result on numbers of one width, or why there is none. A bit is a number of width 1.
    pub fn fold(self, args: &[Bv]) -> Result<Bv, ArithmeticError> {
        let holds = |condition: IntOp| !condition.calculate(args).is_zero();
        match self
            .errors()
            .iter()
            .find(|&&(condition, _)| holds(condition))
        {
            Some(&(_, error)) => Err(error),
            None => Ok(self.calculate(args)),
        }
    }

    /// The result on words of at most 128 bits, or why there is none.
    pub fn fold_words(self, args: Operands<u128>, width: u32) -> Result<u128, ArithmeticError> {
        let holds = |condition: IntOp| condition.word128(args, width) != 0;
        match self
            .errors()
            .iter()
            .find(|&&(condition, _)| holds(condition))
        {
            Some(&(_, error)) => Err(error),
            None => Ok(self.word128(args, width)),
        }
    }

    fn calculate(self, args: &[Bv]) -> Bv {
        let width = args[0].width();
        if width <= WIDEST_WORD {
            let mut words = [0; 3];
            for (word, arg) in words.iter_mut().zip(args) {
                *word = word_of(arg);
            }
            let result = self.word128(words, width);
            return match self.outcome() {
                Outcome::Word => number_of(result, width),
                Outcome::Bit => number_of(result, 1),
            };
        }
        let mut terms = Terms::new();
        let mut constants = [Term::FALSE; 3];
        for (constant, arg) in constants.iter_mut().zip(args) {
            *constant = terms.constant(arg.clone());
        }
        let result = self.term(&mut terms, constants);
        value_of(&terms, result)
    }
}

impl Cast {
    /// A number in `to` bits.
    pub fn fold(self, a: &Bv, to: u32) -> Bv {
        let from = a.width();
        if from.max(to) <= WIDEST_WORD {
            return number_of(self.word128(word_of(a), from, to), to);
        }
        let mut terms = Terms::new();
        let constant = terms.constant(a.clone());
        let result = self.term(&mut terms, constant, to);
        value_of(&terms, result)
    }
}

/// A number of at most 128 bits.
fn word_of(number: &Bv) -> u128 {
    let words = number.words();
    let high = words.get(1).copied().unwrap_or(0);
    u128::from(high) << 64 | u128::from(words[0])
}

fn number_of(word: u128, width: u32) -> Bv {
    if width <= 64 {
        return Bv::new(width, word as u64);
    }
    Bv::from_words(width, vec![word as u64, (word >> 64) as u64])
}

/// The value of a term on constants.
fn value_of(terms: &Terms, term: Term) -> Bv {
    match eval(terms, term, &Assignment::default()) {
        Value::Bv(value) => value,
        value => Bv::new(1, u64::from(value == Value::Bool(true))),
    }
}
