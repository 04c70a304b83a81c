//! Whole programs with symbolic arguments, standard input, files and environment: every behaviour that the native program
//! has on any input of the world is found, and every test is one of the native program.

#[path = "../common/mod.rs"]
mod common;
mod continued;
mod enumerated;
mod fuzzed;
mod klee;
mod piped;
mod programs;
mod refused;
mod replayed;
mod reported;
mod scene;
mod seeded;
mod staged;
mod written;
