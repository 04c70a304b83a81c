//! Which files are the program's own, rather than of the system it is compiled on.

use std::path::Path;

use refrain_machine::is_system_file;
use refrain_results::Run;

/// Chooses among the files that code comes from.
pub struct Own {
    all: bool,
    /// What the user has named is the program's own wherever it is.
    named: Vec<String>,
}

impl Own {
    pub fn new(run: &Run, all: bool) -> Own {
        let sources = run.sources.iter();
        let named = sources.map(|source| real(&source.path.to_string_lossy()));
        Own {
            all,
            named: named.collect(),
        }
    }

    pub fn contains(&self, path: &str) -> bool {
        let path = real(path);
        self.all || !is_system_file(&path) || self.named.contains(&path)
    }
}

/// The one name of a file, if it is there. Compilers find headers by ways such as `/usr/bin/../lib`.
pub fn real(path: &str) -> String {
    let real = Path::new(path).canonicalize();
    real.map_or(path.into(), |real| real.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_results::Source;

    #[test]
    fn the_system_is_told_from_the_program() {
        let run = Run {
            sources: vec![Source {
                path: "/usr/include/mine.h".into(),
                ..Source::default()
            }],
            ..Run::default()
        };
        let own = Own::new(&run, false);
        for path in [
            "/home/me/a.c",
            "a.rs",
            "/usr/include/mine.h",
            "/usr/src/a.c",
        ] {
            assert!(own.contains(path), "{path}");
        }
        let system = [
            "/usr/include/stdio.h",
            "/usr/lib/gcc/x86_64-linux-gnu/12/../c++/12/vector",
            "/usr/lib64/clang/x.h",
            "/rustc/5980/library/core/src/num.rs",
            "/rust/deps/hashbrown-0.15.2/src/map.rs",
            "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/lib.rs",
        ];
        let all = Own::new(&run, true);
        for path in system {
            assert!(!own.contains(path), "{path}");
            assert!(all.contains(path), "{path}");
        }
    }
}
