//! Inputs as a fuzzer's corpus: the bytes of each test in a file named by their hash, those that end in an error
//! below `crashes/`.

use refrain_machine::{InputValue, Role};
use refrain_results::{Outcome, hex};
use sha2::{Digest, Sha256};

use crate::{Results, Tree};

pub fn corpus(results: &Results) -> Tree {
    let files = results.tests.iter().map(|test| {
        // Lengths show in what is as long.
        let is_content = |input: &&InputValue| !matches!(input.role, Role::Length | Role::Count);
        let inputs = test.inputs.iter().filter(is_content);
        let bytes = inputs.flat_map(|input| &input.bytes);
        let bytes: Vec<u8> = bytes.copied().collect();
        let folder = match test.outcome {
            Outcome::Error(_) => "crashes/",
            _ => "",
        };
        (format!("{folder}{}", hex(&Sha256::digest(&bytes))), bytes)
    });
    files.collect()
}
