//! `refrain study`: tables, plots and files, and what happens if a run fails or lies.

#[path = "../common/mod.rs"]
mod common;
mod explore;
mod papers;
mod scripts;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::file;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn said(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).expect("text")
}

/// The lines of the table with this title.
fn table<'a>(output: &'a str, title: &str) -> Vec<&'a str> {
    let after = output.lines().skip_while(|line| *line != title).skip(2);
    let lines: Vec<&str> = after.take_while(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "no table {title:?} in\n{output}");
    lines
}

/// The figures of the row that begins with these words.
fn row(table: &[&str], begin: &str) -> Vec<String> {
    let found = table.iter().find_map(|line| line.strip_prefix(begin));
    let found = found.unwrap_or_else(|| panic!("no row {begin:?} in {table:?}"));
    found.split_whitespace().map(str::to_owned).collect()
}

/// A program in place of this one: it passes its arguments on, but for what a preset adds to its script.
fn impostor(name: &str, body: &str) -> PathBuf {
    let script = format!("#!/bin/sh\nREFRAIN='{}'\n{body}\n", common::REFRAIN);
    let path = file(name, script.as_bytes());
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&path, mode).expect("the test's own file");
    path
}
