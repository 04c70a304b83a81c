//! Types of which there is any value.
//!
//! A value is made of inputs, each with a name, and every value that is made is a valid one: a `bool` is not 2, a
//! `char` is no surrogate, an enum is one of its variants. What is needed to write a value as Rust is here too, since
//! a failure is reported as a call that one can paste into a test, and `Debug` output is not always Rust, or not
//! there.

mod bounded;
mod composite;
mod scalars;

use crate::Name;
use crate::source;

pub use bounded::{Bounded, ascii};

/// A type of which any value can be had. `#[derive(refrain::Symbolic)]` makes it so for structs and enums of such
/// types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not symbolic",
    note = "a type of your own is with #[derive(refrain::Symbolic)]",
    note = "a String or a Vec says how long it may get: #[refrain(max_len = 4)]"
)]
pub trait Symbolic: Sized {
    /// Any value.
    fn symbolic(name: &Name) -> Self;

    /// The value as a Rust expression.
    fn expression(&self, out: &mut String);

    /// Any so many values. Numbers are one input together.
    fn symbolic_items(name: &Name, count: usize) -> Vec<Self> {
        (0..count)
            .map(|index| Self::symbolic(&name.at(index)))
            .collect()
    }

    /// Any array of values.
    fn symbolic_array<const N: usize>(name: &Name) -> [Self; N] {
        std::array::from_fn(|index| Self::symbolic(&name.at(index)))
    }

    /// Values as a Rust expression for an array.
    fn items_expression(items: &[Self], out: &mut String) {
        list(items, out);
    }
}

/// Values in brackets.
fn list<T: Symbolic>(items: &[T], out: &mut String) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        item.expression(out);
    }
    out.push(']');
}

/// Which one of so many variants.
pub fn variant(name: &Name, count: u32) -> u32 {
    let name = name.field("variant");
    let count = u64::from(count);
    source::choose(
        name.as_str(),
        4,
        |number| number < count,
        |random| random % count,
    ) as u32
}
