//! Proofs that SMT-LIB scripts are unsatisfiable, for the checker of `refrain-proof`.
//!
//! [`prove`] starts from what the checker itself makes of a script: its terms, its encoding, its rules. It looks for a
//! refutation with the SAT engine; where a model of the clauses is none of the theories, instances of rules that exclude
//! it are added (`theory`, `arrays`, `simplex`), as in lazy SMT. Of what the engine learned, the part that leads to the
//! contradiction becomes a derivation with hints (`trim`). Simplifications and caches of whoever answered the script have
//! no part in it.

mod arrays;
mod equations;
mod search;
mod simplex;
mod theory;
mod trim;

pub use search::{Limits, NotProved, Proof, prove};
