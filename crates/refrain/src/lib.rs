//! Properties of Rust code, for all inputs.
//!
//! A property is a test with parameters. `cargo refrain test` explores it: the parameters are symbolic, every path
//! that some input takes is followed, and a failure comes with the input that leads to it. `cargo test` runs the same
//! function on random inputs, so that a project with properties needs nothing but this crate.
//!
//! ```
//! #[derive(Clone, Copy, refrain::Symbolic)]
//! enum Shape {
//!     Square(u8),
//!     Rectangle { width: u8, height: u8 },
//! }
//!
//! fn area(shape: Shape) -> u16 {
//!     match shape {
//!         Shape::Square(side) => u16::from(side) * u16::from(side),
//!         Shape::Rectangle { width, height } => u16::from(width) * u16::from(height),
//!     }
//! }
//!
//! #[refrain::test]
//! fn areas_are_small(shape: Shape) {
//!     assert!(area(shape) <= 255 * 255);
//! }
//! # fn main() { assert_eq!(area(Shape::Square(3)), area(Shape::Rectangle { width: 9, height: 1 })); }
//! ```
//!
//! Which of the two it is, the compiler is told by `--cfg refrain`, which the tool sets; nothing else of a project
//! differs. The crate knows the engine by the names of its two functions (in `source/tool.rs`), and nothing else of
//! it.

mod entry;
mod name;
#[doc(hidden)]
pub mod property;
mod source;
mod symbolic;

pub use name::Name;
pub use refrain_macros::{Symbolic, test};
pub use source::with_inputs;
pub use symbolic::{Bounded, Symbolic, ascii};

/// Any value of the type.
pub fn any<T: Symbolic>() -> T {
    any_named("any")
}

/// Any value of the type, under a name that reports show.
pub fn any_named<T: Symbolic>(name: &str) -> T {
    T::symbolic(&Name::new(name))
}

/// Any value of which the condition holds.
pub fn any_where<T: Symbolic>(condition: impl FnOnce(&T) -> bool) -> T {
    let value = any();
    assume(condition(&value));
    value
}

/// Any vector of at most `MOST` elements.
pub fn any_vec<T: Symbolic, const MOST: usize>() -> Vec<T> {
    Vec::bounded(&Name::new("any"), MOST)
}

/// Any text of at most `MOST` characters.
pub fn any_string<const MOST: usize>() -> String {
    String::bounded(&Name::new("any"), MOST)
}

/// Any text of at most `MOST` ASCII characters. It has far fewer paths than one of arbitrary characters.
pub fn any_ascii<const MOST: usize>() -> String {
    ascii(&Name::new("any"), MOST)
}

/// Leaves out all inputs for which the condition does not hold.
pub fn assume(condition: bool) {
    source::assume(condition);
}
