//! The programs together with what the oracle says about them.

use std::sync::OnceLock;

use crate::corpus::{self, Program};
use crate::oracle::{self, Oracle};
use crate::parallel;

pub struct Subject {
    pub program: Program,
    pub oracle: Oracle,
}

/// The selected programs. The oracle is asked once for all tests.
pub fn all() -> &'static [Subject] {
    static ALL: OnceLock<Vec<Subject>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = oracle::compile_runtime(folder.path());
        let programs = corpus::selected();
        let oracles = parallel::map(&programs, |program| {
            oracle::ask(program, &runtime, folder.path())
                .unwrap_or_else(|error| panic!("{}: {error}", program.name))
        });
        let pairs = programs.into_iter().zip(oracles);
        pairs
            .map(|(program, oracle)| Subject { program, oracle })
            .collect()
    })
}
