//! The page of the tests: what each runs, and what only it runs.

use std::fmt::Write as _;

use super::super::{Coverage, TestRun};
use super::escape::escape;
use super::{page, page_name};

pub fn page(coverage: &Coverage) -> String {
    let mut body = format!(
        "<p><a href=\"index.html\">Coverage of <code>{}</code></a></p>\n<h1>Tests</h1>\n<table class=\"tests\">\n<thead><tr><th class=\"number\">Test</th><th>How it ends</th><th class=\"number\">Lines</th><th class=\"number\">Branches</th><th class=\"number\">Functions</th><th>Lines that only it runs</th></tr></thead>\n<tbody>\n",
        escape(&coverage.name)
    );
    for test in &coverage.tests {
        // Writing to a string does not fail.
        let _ = writeln!(
            body,
            "<tr id=\"test-{0}\"><td class=\"number\">{0}</td><td>{1}</td><td class=\"number\">{2}</td><td class=\"number\">{3}</td><td class=\"number\">{4}</td><td>{5}</td></tr>",
            test.number,
            escape(&test.outcome),
            test.lines.len(),
            test.branches,
            test.functions,
            only(coverage, test),
        );
    }
    body.push_str("</tbody>\n</table>\n");
    page::page(&format!("Tests of {}", coverage.name), &body)
}

fn only(coverage: &Coverage, test: &TestRun) -> String {
    let mut text = String::new();
    for (file, lines) in coverage.only_in(test) {
        let Some(known) = coverage.files.get(file) else {
            continue;
        };
        let address = page_name(file, &known.name);
        let ranges = ranges(&lines).into_iter().map(|(first, last)| {
            let name = match first == last {
                true => first.to_string(),
                false => format!("{first}–{last}"),
            };
            format!("<a href=\"{address}#L{first}\">{name}</a>")
        });
        let ranges: Vec<String> = ranges.collect();
        let _ = write!(
            text,
            "<div>{}: {}</div>",
            escape(&known.name),
            ranges.join(", ")
        );
    }
    text
}

/// Lines that follow each other, as the first and the last of them.
fn ranges(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if line == last.saturating_add(1) => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn every_test_says_what_only_it_runs() {
        let text = page(&small());
        let first = "<tr id=\"test-1\"><td class=\"number\">1</td><td>exit with 0</td><td class=\"number\">4</td><td class=\"number\">3</td><td class=\"number\">1</td><td><div>src/a.c: <a href=\"file-1-a.c.html#L4\">4</a></div></td></tr>";
        assert!(text.contains(first), "{text}");
        let second = "<td>panic: &lt;b&gt;</td><td class=\"number\">3</td><td class=\"number\">1</td><td class=\"number\">1</td><td></td></tr>";
        assert!(text.contains(second), "{text}");
    }

    #[test]
    fn lines_in_a_row_are_one_range() {
        assert_eq!(ranges(&[1, 2, 3, 5, 8, 9]), [(1, 3), (5, 5), (8, 9)]);
        assert_eq!(ranges(&[]), []);
    }
}
