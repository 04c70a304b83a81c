//! Sorts whose elements are integers below the surface: those that a script declares, datatypes, and arrays that are not
//! over bit-vectors alone.
//!
//! An element is an integer that is only ever compared and passed to functions. What arrays and datatypes are is said by
//! functions that no script can name ([`arrays`], [`datatypes`]) and by instances of their axioms ([`axioms`]), which
//! are asserted beside what the script asserts. So solvers below see integers and functions alone.

pub mod arrays;
pub mod axioms;
pub mod datatypes;
mod declare;
pub mod values;
