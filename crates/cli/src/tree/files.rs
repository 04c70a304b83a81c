//! Trees divided, united and written anew.

use std::path::{Path, PathBuf};

use refrain_memo::{Edge, MemoError, Tree, merge as unite};
use refrain_results::OutputDirectory;
use serde_json::{Value, json};

use super::{Format, TREE, bytes_of, failed, open, path_of};
use crate::report::print;

pub fn split(directory: &Path, parts: u32, format: Format) -> Result<u8, String> {
    let (tree, status) = open(directory)?;
    let parts = tree.split(parts as usize, |edge| tree.below(edge).is_open());
    let ways: Vec<Vec<Vec<u32>>> = parts
        .iter()
        .map(|edges| edges.iter().map(|&edge| way(&tree, edge)).collect())
        .collect();
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
            .map(|(part, number)| text(part, number))
            .collect(),
    };
    print(text.as_bytes())?;
    Ok(status)
}

/// The answers that lead to the end of an edge.
fn way(tree: &Tree, edge: Edge) -> Vec<u32> {
    let edges = tree.path_to(edge).into_iter().skip(1);
    edges.map(Edge::alternative).collect()
}

fn text(part: &[Vec<u32>], number: usize) -> String {
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
    let directory = OutputDirectory::create(to).map_err(|error| error.to_string())?;
    unite(&to.join(TREE), &trees).map_err(failed)?;
    // All are of one program, which is found by any of their runs.
    let first = OutputDirectory::open(&directories[0]);
    if let Ok(run) = first.and_then(|first| first.read_run()) {
        let written = directory.write_run(&run);
        written.map_err(|error| error.to_string())?;
    }
    print(format!("{} trees in {} bytes\n", trees.len(), bytes_of(to)).as_bytes())?;
    Ok(status)
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
