//! From items by number to files with their lines, branches and functions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use refrain_llvm::machine::{Item, Outline};
use refrain_report::coverage::{Branch, Coverage, File, Function, TestRun};

use super::own::real;
use super::work::Done;

/// What the tests cover. The program's name and its timeline are not known here.
pub fn gather(outline: &Outline, tests: &[Done]) -> Coverage {
    let mut paths: Vec<String> = outline.files.iter().map(|path| real(path)).collect();
    let places = paths.clone();
    paths.sort();
    paths.dedup();
    let file_of = |file: u32| paths.binary_search(&places[file as usize]).unwrap_or(0);
    // A file may go by several names, and then so do its items.
    let slots = outline
        .items
        .iter()
        .map(|(file, item)| (file_of(*file), item));
    let slots: Vec<(usize, &Item)> = slots.collect();
    let mut hits: BTreeMap<(usize, &Item), u64> = slots.iter().map(|&slot| (slot, 0)).collect();
    let mut runs = Vec::new();
    for test in tests {
        let ran: BTreeSet<(usize, &Item)> = test
            .items
            .iter()
            .map(|&number| slots[number as usize])
            .collect();
        runs.push(run_of(test, &ran));
        for slot in ran {
            *hits.entry(slot).or_default() += 1;
        }
    }
    let mut files: Vec<File> = paths.iter().map(|path| file_at(path)).collect();
    let mut branches: HashMap<(usize, u32, u32, u32), usize> = HashMap::new();
    // In the order of the outline, in which a program comes to them: columns say little of that.
    for slot in slots {
        let Some(tests) = hits.remove(&slot) else {
            continue;
        };
        let (file, item) = slot;
        let found = &mut files[file];
        match item {
            Item::Line(line) => {
                found.lines.insert(*line, tests);
            }
            Item::Outcome {
                line,
                column,
                index,
                ..
            } => {
                let key = (file, *line, *column, *index);
                let branch = *branches.entry(key).or_insert_with(|| {
                    found.branches.push(Branch {
                        line: *line,
                        column: *column,
                        outcomes: Vec::new(),
                    });
                    found.branches.len() - 1
                });
                found.branches[branch].outcomes.push(tests);
            }
            Item::Function { line, name } => found.functions.push(Function {
                name: name.clone(),
                line: *line,
                tests,
            }),
        }
    }
    for file in &mut files {
        file.branches.sort_by_key(|branch| branch.line);
        file.functions
            .sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    }
    Coverage {
        files,
        tests: runs,
        ..Coverage::default()
    }
}

fn run_of(test: &Done, ran: &BTreeSet<(usize, &Item)>) -> TestRun {
    let mut run = TestRun {
        number: test.number,
        outcome: test.outcome.clone(),
        ..TestRun::default()
    };
    for &(file, item) in ran {
        match item {
            Item::Line(line) => run.lines.push((file, *line)),
            Item::Outcome { .. } => run.branches += 1,
            Item::Function { .. } => run.functions += 1,
        }
    }
    run
}

fn file_at(path: &str) -> File {
    let here = std::env::current_dir().ok();
    let name = here.and_then(|here| Some(Path::new(path).strip_prefix(here).ok()?.to_path_buf()));
    File {
        path: path.into(),
        name: name.map_or(path.into(), |name| name.to_string_lossy().into_owned()),
        source: std::fs::read(path)
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        ..File::default()
    }
}
