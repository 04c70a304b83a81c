//! Nothing of its own: the properties in `tests` are of other crates.
