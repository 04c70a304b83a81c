//! The LLVM machine: runs C, C++ and Rust programs from their bitcode, on values that may be symbolic.
//!
//! The flow: `bitcode` reads a file into an `ir` module, `link` joins modules by symbol, `lower` turns each
//! function into register code once, and the machine runs that. It knows nothing of search and caches.

pub mod bitcode;
pub mod code;
pub mod fingerprint;
pub mod ir;
pub mod link;
pub mod load;
mod lower;
pub mod machine;
pub mod memory;
pub mod native;
pub mod ops;
pub mod program;
pub mod runtime;
