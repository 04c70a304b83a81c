//! A page with the source of a file: what ran, what did not, and which ways branches never went.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::{Branch, Coverage, File};
use super::escape::escape;
use super::page;

pub fn page(coverage: &Coverage, file: &File) -> String {
    let mut body = format!(
        "<p><a href=\"index.html\">Coverage of <code>{}</code></a></p>\n<h1><code>{}</code></h1>\n<p class=\"dim\">{}</p>\n",
        escape(&coverage.name),
        escape(&file.name),
        escape(&file.path)
    );
    body.push_str(&page::tiles(file.totals()));
    functions(&mut body, file);
    body.push_str("<h2>Source</h2>\n");
    if file.source.is_none() {
        body.push_str("<p class=\"note\">The file could not be read: these are the numbers of its lines.</p>\n");
    }
    body.push_str(
        "<table class=\"source\">\n<thead><tr><th class=\"number\">Line</th><th class=\"number\">Tests</th><th>Branches</th><th>Code</th></tr></thead>\n<tbody>\n",
    );
    let mut branches: BTreeMap<u32, Vec<&Branch>> = BTreeMap::new();
    for branch in &file.branches {
        branches.entry(branch.line).or_default().push(branch);
    }
    for (line, code) in lines(file) {
        let branches = branches.get(&line).map_or(&[][..], Vec::as_slice);
        row(&mut body, file, line, code, branches);
    }
    body.push_str("</tbody>\n</table>\n");
    page::page(&file.name, &body)
}

/// The lines of the text, and those beyond it that there is code for.
fn lines(file: &File) -> Vec<(u32, &str)> {
    let text = file.source.as_deref().unwrap_or_default();
    let mut lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
    let last = lines.len() as u32;
    let functions = file.functions.iter().map(|function| function.line);
    let branches = file.branches.iter().map(|branch| branch.line);
    let mut more: Vec<u32> = file.lines.keys().copied().collect();
    more.extend(functions.chain(branches));
    more.retain(|&line| line > last);
    more.sort_unstable();
    more.dedup();
    lines.extend(more.into_iter().map(|line| (line, "")));
    lines
}

fn functions(body: &mut String, file: &File) {
    if file.functions.is_empty() {
        return;
    }
    body.push_str(
        "<details open>\n<summary>Functions</summary>\n<table class=\"functions\">\n<thead><tr><th>Function</th><th class=\"number\">Line</th><th class=\"number\">Tests</th></tr></thead>\n<tbody>\n",
    );
    for function in &file.functions {
        let class = if function.tests > 0 { "run" } else { "missed" };
        let line = match function.line {
            0 => "–".to_string(),
            line => format!("<a href=\"#L{line}\">{line}</a>"),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            body,
            "<tr class=\"{class}\"><td><code>{}</code></td><td class=\"number\">{line}</td><td class=\"number\">{}</td></tr>",
            escape(&function.name),
            function.tests
        );
    }
    body.push_str("</tbody>\n</table>\n</details>\n");
}

fn row(body: &mut String, file: &File, line: u32, code: &str, branches: &[&Branch]) {
    let tests = file.lines.get(&line);
    let is_half = branches.iter().any(|branch| branch.is_half_taken());
    let class = match tests {
        None => "none",
        Some(0) => "missed",
        Some(_) if is_half => "half",
        Some(_) => "run",
    };
    let tests = tests.map_or(String::new(), u64::to_string);
    let _ = writeln!(
        body,
        "<tr class=\"{class}\" id=\"L{line}\"><td class=\"number dim\">{line}</td><td class=\"number\">{tests}</td><td class=\"ways\">{}</td><td class=\"code\">{}</td></tr>",
        ways(branches),
        escape(code)
    );
}

/// How many of their ways the branches of a line go, with which is which to be seen when pointed at.
fn ways(branches: &[&Branch]) -> String {
    if branches.is_empty() {
        return String::new();
    }
    let outcomes = || branches.iter().flat_map(|branch| &branch.outcomes);
    let taken = outcomes().filter(|&&tests| tests > 0).count();
    let all = outcomes().count();
    let details = branches.iter().map(|branch| {
        let ways = branch.outcomes.iter().enumerate().map(|(way, tests)| {
            let tests = match tests {
                0 => "never".to_string(),
                1 => "1 test".to_string(),
                _ => format!("{tests} tests"),
            };
            format!("way {}: {tests}", way + 1)
        });
        let ways: Vec<String> = ways.collect();
        format!("column {}, {}", branch.column, ways.join(", "))
    });
    let details: Vec<String> = details.collect();
    let class = if taken < all { " class=\"open\"" } else { "" };
    format!(
        "<span{class} title=\"{}\">{taken}/{all}</span>",
        escape(&details.join("; "))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn lines_say_what_ran() {
        let coverage = small();
        let text = page(&coverage, &coverage.files[0]);
        let rows = [
            "<tr class=\"run\" id=\"L1\"><td class=\"number dim\">1</td><td class=\"number\">2</td><td class=\"ways\"></td><td class=\"code\">int f(int x) {</td></tr>",
            "<tr class=\"half\" id=\"L2\"><td class=\"number dim\">2</td><td class=\"number\">2</td><td class=\"ways\"><span class=\"open\" title=\"column 8, way 1: 1 test, way 2: 2 tests; column 15, way 1: never, way 2: 1 test\">3/4</span></td><td class=\"code\">\tif (x &lt; 1 &amp;&amp; x &gt; &quot;a&quot;[0])</td></tr>",
            "<tr class=\"missed\" id=\"L3\">",
            "<tr class=\"run\" id=\"L4\">",
            "<tr class=\"none\" id=\"L5\"><td class=\"number dim\">5</td><td class=\"number\"></td><td class=\"ways\"></td><td class=\"code\">}</td></tr>",
            // A function that the text has no line for.
            "<tr class=\"none\" id=\"L9\">",
        ];
        for row in rows {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_has_numbers() {
        let coverage = small();
        let text = page(&coverage, &coverage.files[1]);
        assert!(text.contains("could not be read"));
        assert!(text.contains("<tr class=\"run\" id=\"L7\">"));
    }
}
