//! All paths of the programs of `tests/programs/paths`: each is found exactly once, none is invented, each ends as it
//! does natively.
//!
//! What the paths are says an oracle that shares nothing with what it checks: the native program, run on every input
//! there is, with its trace of basic blocks. Inputs with the same trace and the same end are one path.
//!
//! `REFRAIN_PATHS=all` runs all programs in all configurations. `REFRAIN_PATHS_ONLY=NAME` keeps to the programs whose
//! name contains it.

mod bitcode;
mod corpus;
mod domain;
mod explored;
mod oracle;
mod parallel;
mod plan;
mod subjects;
#[path = "../../../explore/tests/support/tree.rs"]
mod tree;
mod trees;
mod verdict;

use std::fmt::Write as _;

use plan::Extent;

/// The oracle counts what the programs declare.
#[test]
fn the_oracle_counts_the_declared_paths() {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for subject in subjects::all() {
        let (program, oracle) = (&subject.program, &subject.oracle);
        let _ = writeln!(
            table,
            "{:32} {:5} inputs {:4} paths{}",
            program.name,
            program.domain.size(),
            oracle.classes.len(),
            if program.finer { ", finer" } else { "" }
        );
        if oracle.classes.len() != program.paths {
            wrong.push(format!(
                "{}: {} paths are declared, there are {}:\n{}",
                program.name,
                program.paths,
                oracle.classes.len(),
                oracle.describe(&program.domain)
            ));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The corpus is what its description says.
#[test]
fn the_corpus_is_all_there() {
    let programs = corpus::all();
    let written_in = |ending: &str| programs.iter().filter(|p| p.name.ends_with(ending)).count();
    assert!(written_in(".c") >= 68, "C");
    assert!(written_in(".cpp") >= 7, "C++");
    assert!(written_in(".rs") >= 7, "Rust");
    assert!(programs.iter().filter(|p| p.finer).count() <= 8);
    for program in &programs {
        let size = program.domain.size();
        assert!((16..=4096).contains(&size), "{}: {size}", program.name);
    }
}

/// Every path of every program once, in the configurations of the plan.
#[test]
fn every_path_is_found_once() {
    let extent = match std::env::var("REFRAIN_PATHS") {
        Ok(value) if value == "all" => Extent::Everything,
        _ => Extent::Ordinary,
    };
    let subjects = subjects::all();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let built = parallel::map(subjects, |subject| {
        bitcode::build(&subject.program, folder.path())
    });
    let mut work = Vec::new();
    for (index, (subject, files)) in subjects.iter().zip(&built).enumerate() {
        for configuration in plan::of(index, subjects.len(), extent) {
            work.push((subject, files, configuration));
        }
    }
    let problems: Vec<String> = parallel::map(&work, |(subject, files, configuration)| {
        let found = explored::run(files, configuration);
        let problems = match &found {
            Ok(found) => verdict::problems(&subject.program, &subject.oracle, found),
            Err(error) => vec![error.clone()],
        };
        problems
            .into_iter()
            .map(|problem| format!("{} {configuration}: {problem}", subject.program.name))
            .collect::<Vec<String>>()
    })
    .into_iter()
    .flatten()
    .collect();
    const SHOWN: usize = 60;
    assert!(
        problems.is_empty(),
        "{} problems in {} runs:\n{}",
        problems.len(),
        work.len(),
        problems[..problems.len().min(SHOWN)].join("\n")
    );
}
