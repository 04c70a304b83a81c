//! The tracefile of lcov, which `lcov`, `genhtml` and many services read.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Coverage, File};

/// All files, as one test: what counts are of is written nowhere in this format.
pub fn lcov(coverage: &Coverage) -> String {
    let name: String = coverage
        .name
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    let mut text = String::new();
    for file in &coverage.files {
        // Writing to a string does not fail.
        let _ = writeln!(text, "TN:{name}");
        record(&mut text, file);
    }
    text
}

fn record(text: &mut String, file: &File) {
    let totals = file.totals();
    let _ = writeln!(text, "SF:{}", one_line(&file.path));
    let names = function_names(file);
    for (function, name) in file.functions.iter().zip(&names) {
        let _ = writeln!(text, "FN:{},{name}", function.line);
    }
    for (function, name) in file.functions.iter().zip(&names) {
        let _ = writeln!(text, "FNDA:{},{name}", function.tests);
    }
    let _ = writeln!(text, "FNF:{}", totals.functions.total);
    let _ = writeln!(text, "FNH:{}", totals.functions.covered);
    let mut last = 0;
    let mut block = 0;
    for branch in &file.branches {
        block = if branch.line == last { block + 1 } else { 0 };
        last = branch.line;
        for (way, tests) in branch.outcomes.iter().enumerate() {
            let taken = match branch.is_reached() {
                true => tests.to_string(),
                false => "-".into(),
            };
            let _ = writeln!(text, "BRDA:{},{block},{way},{taken}", branch.line);
        }
    }
    let _ = writeln!(text, "BRF:{}", totals.branches.total);
    let _ = writeln!(text, "BRH:{}", totals.branches.covered);
    for (line, tests) in &file.lines {
        let _ = writeln!(text, "DA:{line},{tests}");
    }
    let _ = writeln!(text, "LF:{}", totals.lines.total);
    let _ = writeln!(text, "LH:{}", totals.lines.covered);
    text.push_str("end_of_record\n");
}

/// The format ends a name at a comma, and takes functions of one name for one.
fn function_names(file: &File) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = file.functions.iter().map(|function| {
        let mut name = one_line(&function.name).replace(',', ";");
        if seen.contains(&name) {
            let _ = write!(name, ":{}", function.line);
        }
        seen.insert(name.clone());
        name
    });
    names.collect()
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn every_file_has_a_record() {
        let expected = "\
TN:a_b
SF:/work/src/a.c
FN:1,f(int; char)
FN:9,f(int; char):9
FNDA:2,f(int; char)
FNDA:0,f(int; char):9
FNF:2
FNH:1
BRDA:2,0,0,1
BRDA:2,0,1,2
BRDA:2,1,0,0
BRDA:2,1,1,1
BRF:4
BRH:3
DA:1,2
DA:2,2
DA:3,0
DA:4,1
LF:4
LH:3
end_of_record
TN:a_b
SF:/work/b<&>.h
FNF:0
FNH:0
BRF:0
BRH:0
DA:7,2
LF:1
LH:1
end_of_record
";
        assert_eq!(lcov(&small()), expected);
    }

    #[test]
    fn what_was_never_come_to_is_told_apart() {
        let mut coverage = small();
        coverage.files[0].branches[0].outcomes = vec![0, 0];
        let text = lcov(&coverage);
        assert!(text.contains("BRDA:2,0,0,-\nBRDA:2,0,1,-\n"), "{text}");
    }

    #[test]
    fn a_name_cannot_add_a_line() {
        let mut coverage = small();
        coverage.files[0].path = "/a\nDA:1,1".into();
        assert!(lcov(&coverage).contains("SF:/a?DA:1,1\n"));
    }
}
