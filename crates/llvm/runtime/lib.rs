//! The C library a program under test runs on, compiled to bitcode and
//! interpreted like the program itself.
//!
//! Bytes may be symbolic when this code runs, so it is written for a machine
//! that forks at branches: one comparison and one branch a byte, no word
//! tricks, no table indexed by data where a range comparison does.  It is
//! written for a linker that knows only C names: raw pointers throughout,
//! nothing that could panic or format, so nothing of `core` stays behind as an
//! undefined symbol.  What needs the outside world is left to the machine; see
//! `native`.
//!
//! `no_builtins` keeps the optimiser from recognising the loop in `strlen` and
//! replacing it by a call of `strlen`.
//!
//! A program may define a function of the same name as one here, and only its
//! own calls are meant to reach it.  So no function here calls another by its
//! exported name: one that is used inside is `inline(always)`.

#![no_std]
#![no_builtins]
#![allow(
    non_upper_case_globals,
    non_camel_case_types,
    non_snake_case,
    // Every function here is C in Rust's clothes: a safety section or a block
    // for each dereference would say nothing.
    unsafe_op_in_unsafe_fn,
    // `inline` on an exported function says nothing to other crates, which is
    // all the warning is about; the optimiser here heeds it.
    unused_attributes,
    clippy::missing_safety_doc,
    clippy::upper_case_acronyms,
    clippy::too_many_arguments
)]

mod argp;
mod ctype;
mod delivery;
mod directory;
mod env;
mod errno;
mod exit;
mod fenv;
mod fnmatch;
mod fortify;
mod fts;
mod getopt;
mod glob;
mod iconv;
mod list;
mod locale;
mod math;
mod messages;
mod misc;
mod mounts;
mod native;
mod network;
mod obstack;
mod processor;
mod random;
mod regex;
mod scan;
mod schedule;
mod search;
mod signal;
mod sort;
mod stdio;
mod stdlib;
mod string;
mod strptime;
mod thread;
mod thread_names;
mod time;
mod users;
mod utf8;
mod vector;
mod walk;
mod wide;
mod wide_numbers;
mod wide_strings;
mod wordexp;
