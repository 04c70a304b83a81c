//! `--arithmetic integers`: conditions on machine integers as conditions on mathematical ones.
//!
//! The machine builds bit-vector terms over the elements of its inputs. Here they become terms over integers, each
//! within the bounds of the bytes it stands for (`segments`). The value of a bit-vector is its signed one. Additions,
//! subtractions and multiplications, shifts to the left among them, *do not overflow*; what takes bits apart,
//! truncation, extension, masks, shifts to the right, unsigned comparison, is exact, by `div` and `mod` where the
//! intervals of the operands do not show that nothing happens (`arithmetic`). Sums of less than 32 bits are truncated
//! ones. What has no such form is [`Inexpressible`], with its reason.
//!
//! Terms come as the arena has rewritten them, modulo their width. What it cannot tell apart is not told apart here:
//! `x << 8` and `(x & 0xffffff) << 8` are one term, and become `256 x`; constants have been added with their
//! overflow.
//!
//! Boolean structure is kept: the negation of a condition becomes the negation of what the condition becomes, so that
//! every assignment of the integers takes exactly one branch of a program, whatever overflows.
//!
//! * `inputs`: which bits of which input a variable is;
//! * `uses`: which bytes are one integer, by how the first condition that has them uses them;
//! * `segments`: the integers, for good; `settled`: the same for all workers of a run;
//! * `values`: integers and bytes, in both directions;
//! * `translate`: the walk over terms; `numbers` and `compare`: what it makes of a number and of a condition;
//! * `concat`, `bitwise`, `tables`: a family of operators each;
//! * `facts`: comparisons of whole numbers, which come byte by byte.
//!
//! This crate knows terms and which inputs a machine has declared. It does not know search, solvers, or any particular
//! machine.

mod arithmetic;
mod bits;
mod bitwise;
mod compare;
mod concat;
mod constants;
mod facts;
mod inexpressible;
mod inputs;
mod interval;
mod numbers;
mod segments;
mod settled;
mod tables;
mod translate;
mod uses;
mod values;

pub use inexpressible::Inexpressible;

use refrain_machine::{InputId, InputTable};
use refrain_term::{Assignment, Bv, Input, OneArena, Rational, Sort, Support, Term, Terms};

use arithmetic::Arithmetic;
use bits::Bits;
use inputs::Inputs;
use segments::Segments;
pub use settled::Settled;
use translate::Translations;
use uses::Uses;

/// The translation of the terms of one arena. What it has decided about inputs holds for all paths of a run, also for
/// other workers and after all terms were forgotten ([`Settled`]).
///
/// Inputs are [noted](Integers::note_inputs) before the first condition that has them.
#[derive(Default)]
pub struct Integers {
    translations: Translations,
    arithmetic: Arithmetic,
    inputs: Inputs,
    segments: Segments,
    uses: Uses,
    support: Support,
    arena: OneArena,
}

impl Integers {
    pub fn new() -> Integers {
        Integers::default()
    }

    /// A translation that takes over what is settled about inputs, and settles more for the others.
    pub fn with(settled: Settled) -> Integers {
        Integers {
            segments: Segments::new(settled),
            ..Integers::default()
        }
    }

    /// Takes over the inputs that the table of this arena has declared since the last call. Costs nothing if there are
    /// none. The bytes of an input can be one integer, together; a variable that no table had declared when it was
    /// first met, and an element of another width, is one by itself.
    pub fn note_inputs(&mut self, terms: &Terms, table: &InputTable) {
        self.inputs.note(terms, table);
    }

    /// Decides which integers stand for a declared input before any condition uses it: one if it has the size of a
    /// number, else one for each element. Then [`Integers::to_integers`] knows it.
    pub fn settle_input(&mut self, terms: &mut Terms, table: &InputTable, id: InputId) {
        self.note_inputs(terms, table);
        let elements = table.elements(id).iter();
        let elements: Vec<Bits> = elements
            .filter_map(|&element| self.inputs.bits_of(terms, element))
            .collect();
        let joined = elements.iter().copied().map(Some);
        let joined = joined.reduce(|lower, upper| upper?.above(lower?)).flatten();
        let settled = match joined {
            Some(number) if matches!(number.bytes(), 2 | 4 | 8) => vec![number],
            _ => elements,
        };
        for bits in settled {
            self.segments.settle(terms, &self.inputs, bits, true);
        }
    }

    /// A condition over integers. The [bounds](Integers::bounds) of its variables belong on the path before it.
    pub fn condition(&mut self, terms: &mut Terms, condition: Term) -> Result<Term, Inexpressible> {
        self.translate(terms, condition);
        self.translations.condition(condition)
    }

    /// A number over integers: its signed value, or 1 and 0 for a condition.
    ///
    /// It may be one that the machine would have wrapped: [`Integers::word`] is what the machine has.
    pub fn number(&mut self, terms: &mut Terms, term: Term) -> Result<Term, Inexpressible> {
        self.translate(terms, term);
        if terms.sort(term) == Sort::Bool {
            let condition = self.translations.condition(term)?;
            let (one, zero) = (terms.int(1), terms.int(0));
            return Ok(terms.ite(condition, one, zero));
        }
        Ok(self.signed(terms, term)?.term)
    }

    /// That a term has a value, as the machine knows it: that its number has these low bits. It is what fixes a term
    /// to the [word](Integers::word) that its number evaluates to, even where that has overflowed.
    pub fn equals(
        &mut self,
        terms: &mut Terms,
        term: Term,
        value: u64,
    ) -> Result<Term, Inexpressible> {
        self.translate(terms, term);
        let Sort::BitVec(width) = terms.sort(term) else {
            let condition = self.translations.condition(term)?;
            return Ok(match value & 1 {
                1 => condition,
                _ => terms.not(condition),
            });
        };
        let number = self.translations.number(term)?;
        let value = constants::unsigned(&Bv::new(width, value));
        Ok(self.has_low_bits(terms, number, width, &value))
    }

    /// The bounds of the variables that a translated term has: two atoms for each of them, which say nothing about
    /// any other. They belong on every path that the term is on.
    pub fn bounds(&mut self, terms: &Terms, translated: Term) -> Vec<Term> {
        let inputs = self.support.inputs(terms, translated);
        let segments = inputs.iter().filter_map(|&input| match input {
            Input::Symbol(var) => self.segments.of_var(var),
            _ => None,
        });
        segments.flat_map(|segment| segment.bounds).collect()
    }

    /// The machine's variables, as far as they have been met, under an assignment of the integers. An integer beyond
    /// its bounds is wrapped.
    pub fn to_words(&self, terms: &Terms, integers: &Assignment) -> Assignment {
        values::words(terms, &self.inputs, &self.segments, integers)
    }

    /// The integers that have been met under an assignment of the machine's variables: the way back from
    /// [`Integers::to_words`].
    pub fn to_integers(&self, terms: &Terms, words: &Assignment) -> Assignment {
        values::integers(terms, &self.inputs, &self.segments, words)
    }

    /// Whether every integer of an assignment is within its bounds, so that bytes can be it.
    pub fn is_within_bounds(&self, terms: &Terms, integers: &Assignment) -> bool {
        values::are_within_bounds(terms, &self.segments, integers)
    }

    /// The machine's word, of at most 64 bits, for an integer: two's complement, wrapped.
    pub fn word(value: &Rational, width: u32) -> u64 {
        constants::wrapped(value, width.min(64))
    }
}
