//! Nothing: see Cargo.toml, and the properties in `tests`.
