//! What an input is called in reports: the parameter, and the way to the part of it, as one would write it in Rust.

/// The name of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The name of a whole value.
    pub fn new(name: &str) -> Name {
        Name(name.to_string())
    }

    /// Of a field of the value: `point.x`.
    pub fn field(&self, field: &str) -> Name {
        Name([&self.0, ".", field].concat())
    }

    /// Of an element of the value: `points[3]`.
    pub fn at(&self, index: usize) -> Name {
        Name([&self.0, "[", &index.to_string(), "]"].concat())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
