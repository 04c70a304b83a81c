//! Every instruction and intrinsic on its own, at many widths, against native code: on numbers, on symbolic input,
//! and on a mixture of the two.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "instructions/arithmetic.rs"]
mod arithmetic;
#[path = "instructions/floats.rs"]
mod floats;
#[path = "instructions/harness.rs"]
mod harness;
#[path = "instructions/processor.rs"]
mod processor;
#[path = "instructions/shapes.rs"]
mod shapes;
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

#[test]
fn memory() {
    check("memory", &shapes::memory(), 8, 4);
}

#[test]
fn control() {
    check("control", &shapes::control(), 10, 5);
}

/// In rounds of 80; `REFRAIN_INSTRUCTIONS_ROUNDS` says how many.
#[test]
fn random_functions() {
    for round in 0..refrain_testing::count("REFRAIN_INSTRUCTIONS_ROUNDS", 1, 30) {
        let cases = shapes::random_functions(80 * round as usize, 80);
        check("random functions", &cases, 4, 6 + round);
    }
}

#[test]
fn floats() {
    check("floats", &floats::floats(), 24, 7);
}

#[test]
fn processor_intrinsics() {
    check("processor intrinsics", &processor::intrinsics(), 6, 101);
}

#[test]
fn inline_assembly() {
    check("inline assembly", &processor::inline_assembly(), 6, 102);
}
