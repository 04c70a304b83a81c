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

macro_rules! program {
    ($folder:literal, $name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../examples/", $folder, $name, ".c")),
        )
    };
}

macro_rules! example {
    ($name:literal) => {
        program!("explore/", $name)
    };
}

macro_rules! numeric {
    ($($name:literal),*) => {
        &[$(program!("study/numeric/", $name)),*]
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

/// Numeric formulas on symbolic floats; `numeric` names them all.
const NUMERIC: &[(&str, &str)] = numeric![
    "quadratic",
    "square_root",
    "cube_root",
    "bisection",
    "secant",
    "bessel",
    "sine",
    "exponential",
    "lagrange",
    "table",
    "horner",
    "simpson",
    "welford",
    "median",
    "regression",
    "solve",
    "fraction",
    "divisor",
    "hypotenuse",
    "error_function",
    "gamma",
    "smoothstep",
    "circle",
    "slabs",
    "inside",
    "kepler",
    "pid"
];

/// What stands for all of `NUMERIC`.
const GROUP: &str = "numeric";

impl Program {
    fn example(&(name, text): &(&str, &'static str)) -> Program {
        Program {
            name: name.to_owned(),
            source: Source::Text(text),
        }
    }

    /// The programs that a word stands for: a group of examples, an example, or else a file.
    pub fn all_named(text: &str) -> Vec<Program> {
        match text {
            GROUP => NUMERIC.iter().map(Program::example).collect(),
            name => vec![Program::named(name)],
        }
    }

    /// An example by its name, or else a file.
    pub(crate) fn named(text: &str) -> Program {
        let known = EXAMPLES.iter().chain(SPECIAL).chain(NUMERIC);
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

    #[test]
    fn a_group_is_every_program_of_its_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/study/numeric");
        let files = std::fs::read_dir(folder).expect("it is in the repository");
        let names = files.map(|file| file.expect("a readable folder").path());
        let mut there: Vec<PathBuf> = names
            .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
            .collect();
        there.sort();
        let mut known: Vec<PathBuf> = Program::all_named(GROUP)
            .into_iter()
            .map(|program| Path::new(folder).join(program.name).with_extension("c"))
            .collect();
        known.sort();
        assert_eq!(known, there);
        assert_eq!(Program::all_named("pid").len(), 1);
    }
}
