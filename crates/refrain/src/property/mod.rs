//! What the code that `#[refrain::test]` writes needs. None of it is meant to be called by hand.

#[cfg(not(refrain))]
mod check;

use std::fmt::Debug;

#[cfg(not(refrain))]
pub use check::check;

pub use crate::symbolic::variant;
use crate::{Bounded, Symbolic};

/// The arguments of a call, as Rust.
#[derive(Default)]
pub struct Call {
    arguments: Vec<(&'static str, String)>,
}

impl Call {
    pub fn argument<T: Symbolic>(&mut self, name: &'static str, value: &T) {
        self.push(name, |out| value.expression(out));
    }

    pub fn bounded_argument<T: Bounded>(&mut self, name: &'static str, value: &T) {
        self.push(name, |out| value.expression(out));
    }

    fn push(&mut self, name: &'static str, write: impl FnOnce(&mut String)) {
        let mut expression = String::new();
        write(&mut expression);
        self.arguments.push((name, expression));
    }

    /// A line for each argument, for the tool to read.
    pub fn print(&self) {
        for (name, expression) in &self.arguments {
            println!("{name}\t{expression}");
        }
    }
}

/// What a property can return.
pub trait Outcome {
    fn check(self);
}

impl Outcome for () {
    fn check(self) {}
}

impl<T, E: Debug> Outcome for Result<T, E> {
    #[track_caller]
    fn check(self) {
        if let Err(error) = self {
            panic!("the property returned an error: {error:?}");
        }
    }
}
