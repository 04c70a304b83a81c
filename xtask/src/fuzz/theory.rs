//! What scripts are about: bit-vectors with arrays and functions, numbers of one kind, equality, or floats. A family is what
//! a run asks for; each of its scripts is of one theory, which decides the logic, what oracles are told,
//! and which operators a run must have used.

use super::ast::{EVERY_OPERATOR, Sort};
use super::floats;
use crate::random::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// Bit-vectors, arrays, functions.
    Bv,
    /// Linear integers; in small doses functions over them, and products.
    Lia,
    /// Linear reals.
    Lra,
    /// Differences of integers.
    Idl,
    /// Functions, predicates and equations of integers; in half of the scripts a little arithmetic.
    Uf,
    /// Floats of all formats, with bit-vectors, functions and arrays.
    Fp,
    /// All of these by turns.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theory {
    Bv,
    Lia,
    Idl,
    Lra,
    Uflia,
    Nia,
    Uf,
    Fp,
    /// Bit-vectors, arrays, functions and both kinds of numbers side by side.
    Mixed,
}

impl Family {
    /// The theory of a script. It has a generator of its own: a script of a theory is the same script in
    /// every family.
    pub fn theory(self, seed: u64, index: u64) -> Theory {
        let mut rng = Rng::for_script(seed ^ 0x7468_656f_7279, index);
        let weights = match self {
            Family::Bv => return Theory::Bv,
            Family::Lra => return Theory::Lra,
            Family::Idl => return Theory::Idl,
            Family::Uf => return Theory::Uf,
            Family::Fp => return Theory::Fp,
            Family::Lia => [0, 86, 0, 0, 8, 6, 0, 0],
            Family::All => [26, 22, 12, 18, 4, 2, 4, 12],
        };
        EVERY_THEORY[rng.weighted(&weights)]
    }

    /// The operators that its scripts are made of.
    pub fn operators(self) -> impl Iterator<Item = &'static str> {
        EVERY_OPERATOR
            .iter()
            .copied()
            .filter(move |name| match self {
                Family::All => true,
                Family::Bv => !OF_NUMBERS.contains(name) && !floats::is_of_floats(name),
                Family::Fp => !OF_NUMBERS.contains(name),
                Family::Lia => LOGICAL.contains(name) || OF_NUMBERS.contains(name) && *name != "/",
                Family::Lra => {
                    LOGICAL.contains(name)
                        || OF_NUMBERS.contains(name) && !OF_INTEGERS.contains(name)
                }
                Family::Uf => LOGICAL.contains(name) || OF_SUMS.contains(name),
                Family::Idl => LOGICAL.contains(name) || OF_DIFFERENCES.contains(name),
            })
    }
}

const EVERY_THEORY: [Theory; 8] = [
    Theory::Bv,
    Theory::Lia,
    Theory::Idl,
    Theory::Lra,
    Theory::Uflia,
    Theory::Nia,
    Theory::Uf,
    Theory::Fp,
];
const LOGICAL: &[&str] = &["not", "and", "or", "xor", "=>", "=", "distinct", "ite"];
const OF_NUMBERS: &[&str] = &[
    "+",
    "-",
    "*",
    "div",
    "mod",
    "abs",
    "/",
    "<=",
    "<",
    ">=",
    ">",
    "divisible",
];
const OF_INTEGERS: &[&str] = &["div", "mod", "abs", "divisible"];
const OF_SUMS: &[&str] = &["+", "-", "*", "<=", "<", ">=", ">"];
const OF_DIFFERENCES: &[&str] = &["-", "<=", "<", ">=", ">"];

impl Theory {
    pub fn name(self) -> &'static str {
        match self {
            Theory::Bv => "bv",
            Theory::Lia => "lia",
            Theory::Idl => "idl",
            Theory::Lra => "lra",
            Theory::Uflia => "uflia",
            Theory::Nia => "nia",
            Theory::Uf => "uf",
            Theory::Fp => "fp",
            Theory::Mixed => "mixed",
        }
    }

    /// The sort of its numbers, if it has just one.
    pub fn number_sort(self) -> Option<Sort> {
        match self {
            Theory::Bv | Theory::Fp | Theory::Mixed => None,
            Theory::Lra => Some(Sort::Real),
            _ => Some(Sort::Int),
        }
    }

    /// The logic that fits its scripts.
    pub fn logic(self) -> &'static str {
        match self {
            Theory::Bv => "QF_AUFBV",
            Theory::Lia => "QF_LIA",
            Theory::Idl => "QF_IDL",
            Theory::Lra => "QF_LRA",
            Theory::Uflia | Theory::Uf => "QF_UFLIA",
            Theory::Nia => "QF_NIA",
            Theory::Fp | Theory::Mixed => "ALL",
        }
    }

    /// The logic oracles are told: with functions, which stand for division by zero.
    pub fn oracle_logic(self) -> &'static str {
        match self {
            Theory::Bv => "QF_AUFBV",
            Theory::Lia | Theory::Idl | Theory::Uflia | Theory::Uf => "QF_UFLIA",
            Theory::Lra => "QF_UFLRA",
            Theory::Nia => "QF_UFNIA",
            Theory::Fp | Theory::Mixed => "ALL",
        }
    }

    /// Nobody decides all of it: being late is like `unknown`.
    pub fn is_undecidable(self) -> bool {
        self == Theory::Nia
    }
}
