//! The programs that experiments are about, by name.

use std::path::Path;

use crate::subject::{Seed, Subject};

macro_rules! program {
    ($folder:literal, $name:literal) => {
        Subject::program(
            $name,
            include_str!(concat!("../../../examples/", $folder, "/", $name, ".c")),
        )
    };
}

macro_rules! programs {
    ($folder:literal: $($name:literal),* $(,)?) => {
        vec![$(program!($folder, $name)),*]
    };
}

/// Of Memoise.
pub fn memoise() -> Vec<Subject> {
    programs!("study/memoise": "bank", "loop2", "brakes", "tcas", "arbiter")
}

/// Of GreenTrie.
pub fn reuse() -> Vec<Subject> {
    programs!("study/reuse": "tritype", "euclid", "tree_map", "bintree", "binomial_heap")
}

/// Of the partial-solution cache, its third experiment.
pub fn cache() -> Vec<Subject> {
    programs!("study/cache":
        "remainder", "bubble_sort", "dijkstra", "nano_xml", "sorted_list", "operations", "sorting", "magic_index",
        "median",
    )
}

/// Formulas on floats.
pub fn numeric() -> Vec<Subject> {
    programs!("study/numeric":
        "quadratic", "square_root", "bisection", "bessel", "lagrange", "horner", "welford", "median", "solve",
        "hypotenuse", "error_function", "gamma", "cube_root", "secant", "sine", "exponential", "table", "simpson",
        "regression", "fraction", "divisor", "smoothstep", "circle", "slabs", "inside", "kepler", "pid",
    )
}

macro_rules! parsers {
    ($($name:literal),* $(,)?) => {
        vec![$(program!("study/parsers", $name).starting_from(Seed {
            file: "valid.json",
            bytes: include_bytes!(concat!("../../../examples/study/parsers/seeds/", $name, "/valid.json")),
        })),*]
    };
}

/// Of multiplex symbolic execution: parsers, each with a valid file to begin with.
pub fn parsers() -> Vec<Subject> {
    parsers!(
        "bmp",
        "pgm",
        "pcx",
        "gif",
        "wav",
        "avi",
        "mp3",
        "class_file"
    )
}

/// The examples for newcomers.
pub fn examples() -> Vec<Subject> {
    programs!("explore": "triangle", "regex", "packet", "image", "checksum", "expression", "bytecode")
}

/// One with more than a hundred thousand paths.
pub fn many() -> Subject {
    program!("explore", "many")
}

/// One whose states together need gigabytes.
pub fn memory() -> Subject {
    program!("explore", "memory")
}

/// What stands for all formulas on floats.
const NUMERIC: &str = "numeric";

/// The programs that a word stands for: a group, an example, or else a file.
pub fn named(word: &str) -> Vec<Subject> {
    if word == NUMERIC {
        return numeric();
    }
    let known = examples()
        .into_iter()
        .chain([many(), memory()])
        .chain(numeric());
    let found = known.into_iter().find(|subject| subject.name == word);
    vec![found.unwrap_or_else(|| Subject::file(Path::new(word)))]
}

/// One of a list. All names are of this file's.
pub fn one(subjects: Vec<Subject>, name: &str) -> Subject {
    let found = subjects.into_iter().find(|subject| subject.name == name);
    found.unwrap_or_else(|| panic!("{name} is not in the catalogue"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_are_examples_and_all_else_is_a_file() {
        let names = |word| -> Vec<String> {
            named(word)
                .into_iter()
                .map(|subject| subject.name)
                .collect()
        };
        assert_eq!(names("regex"), ["regex"]);
        assert!(named("regex")[0].count("match_star(") > 0);
        assert_eq!(names("a/regex.c"), ["regex"]);
        assert_eq!(named("a/regex.c")[0].count("match_star("), 0);
        assert_eq!(names("numeric").len(), numeric().len());
    }

    /// Whatever is in these folders is explored.
    #[test]
    fn every_program_of_a_folder_is_known() {
        let groups = [
            ("reuse", reuse()),
            ("cache", cache()),
            ("numeric", numeric()),
            ("parsers", parsers()),
        ];
        for (folder, subjects) in groups {
            let folder = format!(
                "{}/../../examples/study/{folder}",
                env!("CARGO_MANIFEST_DIR")
            );
            let files = fs::read_dir(&folder).expect("it is in the repository");
            let paths = files.map(|file| file.expect("a readable folder").path());
            let is_program =
                |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "c");
            let mut there: Vec<String> = paths
                .filter(is_program)
                .map(|path| {
                    path.file_stem()
                        .expect("a name")
                        .to_string_lossy()
                        .into_owned()
                })
                .collect();
            let mut known: Vec<String> = subjects.into_iter().map(|subject| subject.name).collect();
            there.sort();
            known.sort();
            assert_eq!(known, there, "{folder}");
        }
    }
}
