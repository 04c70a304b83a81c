//! A table for the terminal.

use std::fmt::Write as _;

use super::{Count, Coverage, Totals};

/// A line for each file, and one for all.
pub fn table(coverage: &Coverage) -> String {
    let mut rows: Vec<(String, Totals)> = coverage
        .files
        .iter()
        .map(|file| (visible(&file.name), file.totals()))
        .collect();
    rows.push(("total".into(), coverage.totals()));
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = widest.unwrap_or(0).max("file".len());
    let mut text = format!(
        "{:width$}  {:>18}  {:>18}  {:>18}\n",
        "file", "lines", "branches", "functions"
    );
    for (name, totals) in rows {
        let cells = [totals.lines, totals.branches, totals.functions].map(cell);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:width$}  {}", cells.join("  "));
    }
    text
}

fn cell(count: Count) -> String {
    let parts = format!("{}/{}", count.covered, count.total);
    match count.percent() {
        Some(percent) => format!("{parts:>11} {percent:>5.1}%"),
        None => format!("{parts:>11}      -"),
    }
}

/// A name cannot move the cursor.
fn visible(name: &str) -> String {
    name.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn every_file_has_a_line() {
        let expected = "\
file                  lines            branches           functions
src/a.c          3/4  75.0%          3/4  75.0%          1/2  50.0%
b<&>.h           1/1 100.0%          0/0      -          0/0      -
total            4/5  80.0%          3/4  75.0%          1/2  50.0%
";
        assert_eq!(table(&small()), expected);
    }

    #[test]
    fn names_cannot_write_to_the_terminal() {
        let mut coverage = small();
        coverage.files[0].name = "\u{1b}[2J\n.c".into();
        assert!(table(&coverage).contains("\n?[2J?.c"));
    }
}
