//! Nothing to test.
