//! Every instruction and intrinsic on its own, at many widths, against native code: on numbers, on symbolic input, and on a
//! mixture of the two.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "instructions/arithmetic.rs"]
mod arithmetic;
#[path = "instructions/harness.rs"]
mod harness;
mod support;

use harness::check;

#[test]
fn integers() {
    check("integers", &arithmetic::integers(), 6, 1);
}

#[test]
fn casts() {
    check("casts", &arithmetic::casts(), 5, 2);
}

#[test]
fn vectors() {
    check("vectors", &arithmetic::vectors(), 4, 3);
}
