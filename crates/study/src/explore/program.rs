//! The programs that are explored: the examples that come with Refrain, or files.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Program {
    /// What tables call it.
    pub name: String,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// C, to be written to a file first.
    Text(&'static str),
    File(PathBuf),
}

macro_rules! example {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../examples/explore/", $name, ".c")),
        )
    };
}

const EXAMPLES: &[(&str, &str)] = &[
    example!("triangle"),
    example!("regex"),
    example!("packet"),
    example!("image"),
    example!("checksum"),
    example!("expression"),
    example!("bytecode"),
];

/// Only of use where many paths, or much memory, are what is measured.
const SPECIAL: &[(&str, &str)] = &[example!("many"), example!("memory")];

impl Program {
    fn example(&(name, text): &(&str, &'static str)) -> Program {
        Program {
            name: name.to_owned(),
            source: Source::Text(text),
        }
    }

    /// An example by its name, or else a file.
    pub fn named(text: &str) -> Program {
        let known = EXAMPLES.iter().chain(SPECIAL);
        let mut known = known.filter(|(name, _)| *name == text);
        known.next().map_or_else(
            || {
                let path = Path::new(text);
                let name = path.file_stem().unwrap_or(path.as_os_str());
                Program {
                    name: name.to_string_lossy().into_owned(),
                    source: Source::File(path.to_path_buf()),
                }
            },
            Program::example,
        )
    }
}

pub fn examples() -> Vec<Program> {
    EXAMPLES.iter().map(Program::example).collect()
}

/// One with more than a hundred thousand paths.
pub fn many() -> Program {
    Program::named("many")
}

/// One whose states together need gigabytes.
pub fn memory() -> Program {
    Program::named("memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_examples_and_all_else_is_a_file() {
        let example = Program::named("regex");
        assert!(matches!(example.source, Source::Text(text) if text.contains("match_star")));
        let file = Program::named("a/regex.c");
        assert_eq!(file.name, "regex");
        assert!(matches!(file.source, Source::File(path) if path == Path::new("a/regex.c")));
        assert!(matches!(memory().source, Source::Text(_)));
    }
}
