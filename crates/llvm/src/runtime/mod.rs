//! What programs need that is not in their bitcode, as bitcode.

pub mod library;
