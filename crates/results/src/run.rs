//! `run.json`: what was run and how, so that it can be built and run again.

use std::path::PathBuf;

use refrain_machine::{Parameter, Surroundings, World};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::Test;

/// How a program was explored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Refrain's own.
    pub version: String,
    /// Absolute, as are all paths here.
    pub program: PathBuf,
    /// More files of the program.
    pub with: Vec<PathBuf>,
    /// What the program was started with, its own name first.
    pub args: Vec<String>,
    pub cflags: Vec<String>,
    pub rustflags: Vec<String>,
    pub entry: String,
    /// Those of the entry function, where it is not `main`.
    pub parameters: Vec<Parameter>,
    /// What the program was started in, and what of it is symbolic.
    pub world: World,
    /// What a path has read of the standard input that was given with the command: a file of its own.
    #[serde(skip)]
    pub piped: Option<Vec<u8>>,
    pub mode: String,
    pub search: String,
    pub seed: u64,
    pub reuse: String,
    pub solver: String,
    /// `machine` or `integers`.
    pub arithmetic: String,
    /// What was looked for beyond the usual: `overflow`, `uninitialised`.
    pub checks: Vec<String>,
    pub sources: Vec<Source>,
    /// Of all its code, as it was compiled.
    pub digest: String,
    /// Where the command was given, the program as it was named there, and the switches as one word each.
    pub directory: PathBuf,
    pub named: String,
    pub switches: Vec<String>,
}

impl Run {
    /// The concrete world that a test of this run is of.
    pub fn surroundings(&self, test: &Test) -> Surroundings {
        if self.world.args.is_empty() {
            return World::of_test(&test.args, &test.inputs).realise(&test.inputs);
        }
        let mut surroundings = self.world.realise(&test.inputs);
        if let Some(piped) = &self.piped {
            surroundings.stdin.clone_from(piped);
        }
        surroundings
    }

    /// A digest of the modules of a program: 128 bits (XXH3) as hexadecimal.
    pub fn digest_of<'a>(modules: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut hash = Xxh3::new();
        for bytes in modules {
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        format!("{:032x}", hash.digest128())
    }
}

/// A file of the program as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    pub path: PathBuf,
    /// Of its contents, by [`Source::hash_of`].
    pub hash: String,
}

impl Source {
    /// 64 bits (FNV-1a) as hexadecimal: enough to notice that a file was edited.
    pub fn hash_of(contents: &[u8]) -> String {
        let hash = contents
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
        format!("{hash:016x}")
    }
}
