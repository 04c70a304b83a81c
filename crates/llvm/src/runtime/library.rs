//! The C library under every program.

/// The bitcode of `runtime/`, compiled when this crate is.  A program's own
/// definition of a name goes before the library's.
pub static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.bc"));
