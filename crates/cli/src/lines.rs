//! Lines with a name in front of each, one below the other.

use std::fmt::Write as _;

#[derive(Default)]
pub struct Lines(String);

impl Lines {
    pub fn add(&mut self, name: &str, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{name:>10}: {text}");
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}
