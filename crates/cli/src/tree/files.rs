//! Trees divided, united and written anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use refrain_memo::{Edge, MemoError, Tree, merge as unite};
use refrain_results::{OutputDirectory, PACK, Test, TestPack};
use serde_json::{Value, json};

use super::{Format, TREE, bytes_of, failed, open, path_of};
use crate::report::print;

pub fn split(
    directory: &Path,
    parts: u32,
    out: Option<&Path>,
    format: Format,
) -> Result<u8, String> {
    let (tree, status) = open(directory)?;
    let parts = tree.split(parts as usize, |edge| tree.below(edge).is_open());
    let ways: Vec<Vec<Vec<u32>>> = parts
        .iter()
        .map(|edges| edges.iter().map(|&edge| way(&tree, edge)).collect())
        .collect();
    if let Some(out) = out {
        write_parts(directory, out, &ways)?;
    }
    let text = match format {
        Format::Json => format!(
            "{:#}\n",
            Value::from(
                ways.into_iter()
                    .map(|part| json!(part))
                    .collect::<Vec<Value>>()
            )
        ),
        Format::Text => ways
            .iter()
            .zip(1..)
            .map(|(part, number)| part_text(part, number))
            .collect(),
    };
    print(text.as_bytes())?;
    Ok(status)
}

/// Makes a directory of each part: all of the run's, with what it has to go on with.
fn write_parts(directory: &Path, out: &Path, parts: &[Vec<Vec<u32>>]) -> Result<(), String> {
    let run = OutputDirectory::open(directory).map_err(text)?;
    let (described, tests) = (run.read_run().map_err(text)?, run.tests().map_err(text)?);
    let numbers = tests.numbers().into_iter().collect();
    OutputDirectory::create(out).map_err(text)?;
    for (part, number) in parts.iter().zip(1..) {
        let to = OutputDirectory::create(&out.join(number.to_string())).map_err(text)?;
        refrain_memo::copy(&run.tree(), &to.tree()).map_err(failed)?;
        to.keep_tests(&tests, &numbers).map_err(text)?;
        to.write_part(part).map_err(text)?;
        to.write_run(&described).map_err(text)?;
    }
    Ok(())
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// The answers that lead to the end of an edge.
fn way(tree: &Tree, edge: Edge) -> Vec<u32> {
    let edges = tree.path_to(edge).into_iter().skip(1);
    edges.map(Edge::alternative).collect()
}

fn part_text(part: &[Vec<u32>], number: usize) -> String {
    let mut text = format!("part {number}: {} open\n", part.len());
    for way in part {
        let answers: Vec<String> = way.iter().map(u32::to_string).collect();
        text += &format!(
            "  {}\n",
            if answers.is_empty() {
                "the root".into()
            } else {
                answers.join(" ")
            }
        );
    }
    text
}

pub fn merge(to: &Path, directories: &[PathBuf]) -> Result<u8, String> {
    let mut trees = Vec::new();
    let mut status = 0;
    for directory in directories {
        let (tree, whole) = open(directory)?;
        status = status.max(whole);
        trees.push(tree);
    }
    let trees: Vec<&Tree> = trees.iter().collect();
    let directory = OutputDirectory::create(to).map_err(text)?;
    let mut tests = Tests::of(directories)?;
    unite(&to.join(TREE), &trees, &mut |tree, test| {
        tests.number(tree, test)
    })
    .map_err(failed)?;
    tests.write(&directory)?;
    // All are of one program, which is found by any of their runs.
    let first = OutputDirectory::open(&directories[0]);
    if let Ok(run) = first.and_then(|first| first.read_run()) {
        directory.write_run(&run).map_err(text)?;
    }
    print(format!("{} trees in {} bytes\n", trees.len(), bytes_of(to)).as_bytes())?;
    Ok(status)
}

/// Tests of several directories, with numbers of one.
struct Tests {
    packs: Vec<TestPack>,
    /// What is known to be asked for, by directory and number there.
    numbers: BTreeMap<(usize, u32), u32>,
    next: u32,
}

impl Tests {
    fn of(directories: &[PathBuf]) -> Result<Tests, String> {
        let packs = directories.iter();
        // What is named may be a tree alone: then there are none.
        let packs = packs.map(|directory| TestPack::open(&directory.join(PACK)));
        let packs: Vec<TestPack> = packs.collect::<Result<_, _>>().map_err(text)?;
        let last = packs
            .first()
            .and_then(|pack| pack.numbers().last().copied());
        Ok(Tests {
            packs,
            numbers: BTreeMap::new(),
            next: last.unwrap_or(0) + 1,
        })
    }

    fn number(&mut self, directory: usize, test: u32) -> u32 {
        *self.numbers.entry((directory, test)).or_insert_with(|| {
            if directory == 0 {
                return test;
            }
            self.next += 1;
            self.next - 1
        })
    }

    fn write(&self, to: &OutputDirectory) -> Result<(), String> {
        let writer = to.test_writer().map_err(text)?;
        for (&(directory, test), &number) in &self.numbers {
            // The path of a test that is missing is executed again by whoever goes on.
            let Ok(test) = self.packs[directory].read(test) else {
                continue;
            };
            if !writer.handle().write(Test { number, ..test }) {
                break;
            }
        }
        writer.finish().map_err(text)
    }
}

pub fn rewrite(
    directory: &Path,
    anew: impl Fn(Tree) -> Result<Tree, MemoError>,
) -> Result<u8, String> {
    let (tree, status) = open(directory)?;
    let before = bytes_of(directory);
    anew(tree).map_err(failed)?;
    let path = path_of(directory);
    let now = bytes_of(directory);
    print(format!("{}: {before} bytes before, {now} now\n", path.display()).as_bytes())?;
    Ok(status)
}
