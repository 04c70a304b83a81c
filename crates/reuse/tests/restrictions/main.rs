//! Atoms as sets of values: the rules and examples of paper 2, and exactness against the evaluator.

mod common;
mod exactness;
mod paper;
mod reduction;
mod sets;
mod subjects;
