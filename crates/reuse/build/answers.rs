/// The crates that turn a query into a key, an answer into a value, or one into the other.
pub const CRATES: [&str; 5] = ["path", "reuse", "sat", "solver", "term"];
