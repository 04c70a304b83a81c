//! Where the bytes of inputs come from: the engine, when the tool runs the program; random numbers or given bytes
//! otherwise.
//!
//! Both know two things: an input of some numbers that can be any (`fill`), and a number of which only some values
//! are valid (`choose`). Everything that is symbolic is made of these.

#[cfg(not(refrain))]
mod native;
#[cfg(not(refrain))]
mod random;
#[cfg(refrain)]
mod tool;

#[cfg(not(refrain))]
pub use native::with_inputs;
#[cfg(not(refrain))]
pub(crate) use native::{Case, State, assume, choose, fill, made, within};
#[cfg(not(refrain))]
pub(crate) use random::Random;
#[cfg(refrain)]
pub use tool::with_inputs;
#[cfg(refrain)]
pub(crate) use tool::{assume, choose, fill};
