//! Values of any length up to a limit. Every length is a way of its own, so that what is allocated has a known size.

use super::Symbolic;
use super::scalars::escape;
use crate::Name;
use crate::source::choose;

/// A type whose values have any length; there is any value up to one.
///
/// A parameter or a field of such a type says which: `#[refrain(max_len = 4)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length to limit",
    note = "#[refrain(max_len = …)] is for a String or a Vec of symbolic types"
)]
pub trait Bounded: Sized {
    /// Any value of at most so many elements.
    fn bounded(name: &Name, most: usize) -> Self;

    /// The value as a Rust expression.
    fn expression(&self, out: &mut String);
}

/// A length, known on each path.
fn length(name: &Name, most: usize) -> usize {
    let name = name.field("len");
    let most = most as u64;
    let is_valid = |number| number <= most;
    let length = choose(name.as_str(), 4, is_valid, |random| {
        random % most.saturating_add(1)
    });
    let mut known = 0;
    while known < length {
        known += 1;
    }
    known as usize
}

impl<T: Symbolic> Bounded for Vec<T> {
    fn bounded(name: &Name, most: usize) -> Vec<T> {
        let length = length(name, most);
        T::symbolic_items(name, length)
    }

    fn expression(&self, out: &mut String) {
        out.push_str("Vec::from(");
        T::items_expression(self, out);
        out.push(')');
    }
}

impl Bounded for String {
    fn bounded(name: &Name, most: usize) -> String {
        let length = length(name, most);
        (0..length)
            .map(|index| char::symbolic(&name.at(index)))
            .collect()
    }

    fn expression(&self, out: &mut String) {
        out.push_str("String::from(\"");
        for character in self.chars() {
            escape(character, '"', out);
        }
        out.push_str("\")");
    }
}

/// Any text of at most so many ASCII characters.
pub fn ascii(name: &Name, most: usize) -> String {
    let length = length(name, most);
    let mut bytes = u8::symbolic_items(name, length);
    for byte in &mut bytes {
        *byte &= 0x7f;
    }
    // SAFETY: ASCII is UTF-8.
    unsafe { String::from_utf8_unchecked(bytes) }
}
