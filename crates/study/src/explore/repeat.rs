//! The same seed twice, and once more in another environment: all tests must be the same, byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::{Result, at};
use crate::figures::FAILED;
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::{Experiment, Options};
use crate::subject::Subject;

const SEARCHES: [&str; 7] = [
    "dfs",
    "bfs",
    "random-state",
    "random-path",
    "cover-new",
    "interleaved",
    "directed --to main",
];

/// Counted, not timed: a limit on time would end two runs at different places.
const MOST_PATHS: u32 = 200;

/// Deep paths tell nothing new, and take long.
const MOST_BRANCHES: u32 = 40;

/// The run that somebody else could have started: who that is must not matter either.
const ELSEWHERE: u32 = 2;
const OTHERS: &[(&str, &str)] = &[(
    "REFRAIN_STUDY_ELSEWHERE",
    "a variable that no other run has",
)];

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    let mut table = Table::new(
        format!("The same seed twice, the first {MOST_PATHS} paths"),
        &[
            "program",
            "mode",
            "search",
            ">files",
            ">differ",
            ">differ elsewhere",
        ],
    );
    for subject in subjects {
        for mode in options.modes.iter().map(|mode| mode.name()) {
            for search in SEARCHES {
                let mut row = vec![subject.name.clone(), mode.to_owned(), search.to_owned()];
                let variant = format!("{mode} {search}");
                let options = format!(
                    "--mode {mode} --search {search} --max-paths {MOST_PATHS} --max-depth {MOST_BRANCHES}"
                );
                let trial = |round| Trial {
                    experiment: Experiment::Repeat.name(),
                    variant: &variant,
                    options: options.clone(),
                    variables: if round == ELSEWHERE { OTHERS } else { &[] },
                    round,
                };
                let mut found = Vec::new();
                for round in 0..=ELSEWHERE {
                    if let Some(run) = bench.measure(subject, &trial(round))? {
                        found.push(files(&run.out)?);
                    }
                }
                let [first, second, elsewhere] = &found[..] else {
                    row.push(FAILED.to_owned());
                    table.row(row);
                    continue;
                };
                row.push(first.len().to_string());
                for (other, how) in [(second, "again"), (elsewhere, "in another environment")] {
                    let differ = differing(first, other);
                    row.push(differ.len().to_string());
                    if let Some(name) = differ.first() {
                        bench.problem(format!(
                            "repeat: {}, {variant}, {how}: {} of {} files differ, the first is {name}",
                            subject.name,
                            differ.len(),
                            first.len()
                        ));
                    }
                }
                table.row(row);
            }
        }
    }
    table.remark("Elsewhere: with one more variable in the environment.");
    bench.publish(table)
}

/// The files that have to be the same: all but those that tell times.
fn files(out: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for (folder, prefix) in [(out.to_path_buf(), ""), (out.join("errors"), "errors/")] {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(at(&folder))? {
            let path = entry.map_err(at(&folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let tells_time = matches!(&*name, "stats.json" | "timeline.csv");
            if path.is_file() && !tells_time {
                let bytes = fs::read(&path).map_err(at(&path))?;
                files.insert(format!("{prefix}{name}"), bytes);
            }
        }
    }
    Ok(files)
}

fn differing<'a>(
    one: &'a BTreeMap<String, Vec<u8>>,
    other: &'a BTreeMap<String, Vec<u8>>,
) -> Vec<&'a str> {
    let names = one
        .keys()
        .chain(other.keys().filter(|name| !one.contains_key(*name)));
    let differ = names.filter(|name| one.get(*name) != other.get(*name));
    differ.map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_differs() {
        let files = |names: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            let owned = names.iter();
            owned
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
                .collect()
        };
        let one = files(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let other = files(&[("a", "1"), ("b", "x"), ("d", "4")]);
        assert_eq!(differing(&one, &other), ["b", "c", "d"]);
        assert!(differing(&one, &one).is_empty());
    }
}
