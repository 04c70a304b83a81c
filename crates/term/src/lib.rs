//! Terms: the language that machines, caches and solvers share.
//!
//! A [`Terms`] arena interns every term once and rewrites as it builds; a [`Term`] is a small copyable id into it.
//! Terms are of sort Bool, bit-vectors ([`Bv`]), arrays of them ([`ArrayValue`]), or numbers, Int and Real
//! ([`Rational`]). Floats are bit-vectors ([`float`]). This crate evaluates terms ([`eval`](mod@eval) under one assignment, [`column`](mod@column) under
//! many at once), finds what they depend on ([`support`]), substitutes in them ([`subst`]) and prints them
//! ([`print`](mod@print)).
//!
//! It knows nothing of solvers or files. Every walk over terms is iterative: path conditions are deep.

mod arena;
mod assigned;
pub mod assignment;
mod bits;
mod build;
pub mod column;
mod dense;
mod epoch;
pub mod eval;
pub mod float;
pub mod number;
mod possible;
pub mod print;
mod sort;
pub mod subst;
pub mod support;
pub mod value;

pub use arena::{
    Cells, ConstId, FuncDecl, FuncId, NumberId, Op, TableId, Term, Terms, VarDecl, VarId,
};
pub use assignment::{ArrayValue, Assignment, FuncValue, Value};
pub use bits::Bits;
pub use build::RingForm;
pub use column::Batch;
pub use epoch::{Epoch, Kept, OneArena};
pub use eval::{Evaluator, eval};
pub use float::{FloatOp, Format, Function, Rounding};
pub use number::Rational;
pub use possible::Known;
pub use print::{
    declarations, print, print_model, print_value, print_value_of, quote_symbol, write_number,
};
pub use sort::{Coded, Sort};
pub use subst::{Substitution, substitute};
pub use support::{Input, Inputs, Support, free_funcs, free_symbols, free_vars, reachable};
pub use value::Bv;
