//! The first page: how much of every file, and how the exploration went.

use std::fmt::Write as _;

use super::super::{Coverage, plot};
use super::escape::escape;
use super::{page, page_name};

pub fn page(coverage: &Coverage) -> String {
    let mut body = format!(
        "<h1>Coverage of <code>{}</code></h1>\n<p><a href=\"tests.html\">{} test{}</a></p>\n",
        escape(&coverage.name),
        coverage.tests.len(),
        if coverage.tests.len() == 1 { "" } else { "s" }
    );
    body.push_str(&page::tiles(coverage.totals()));
    body.push_str(
        "<table class=\"files\">\n<thead><tr><th>File</th><th colspan=\"3\">Lines</th><th colspan=\"3\">Branches</th><th colspan=\"3\">Functions</th></tr></thead>\n<tbody>\n",
    );
    for (number, file) in coverage.files.iter().enumerate() {
        let totals = file.totals();
        // Writing to a string does not fail.
        let _ = writeln!(
            body,
            "<tr><td><a href=\"{}\">{}</a></td>{}{}{}</tr>",
            page_name(number, &file.name),
            escape(&file.name),
            page::cells(totals.lines),
            page::cells(totals.branches),
            page::cells(totals.functions),
        );
    }
    body.push_str("</tbody>\n</table>\n");
    if !coverage.timeline.is_empty() {
        let _ = write!(
            body,
            "<h2>The exploration</h2>\n<p class=\"dim\">What was covered while the program was explored: basic blocks and outcomes of branches, also those of headers and standard libraries; and how many paths came to an end.</p>\n<div class=\"plots\">\n<figure><figcaption>Covered</figcaption>\n{}</figure>\n<figure><figcaption>Paths</figcaption>\n{}</figure>\n</div>\n",
            plot::coverage(&coverage.timeline),
            plot::paths(&coverage.timeline),
        );
    }
    page::page(&format!("Coverage of {}", coverage.name), &body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn files_have_their_numbers() {
        let text = page(&small());
        assert!(text.contains("<h1>Coverage of <code>a&amp;b</code></h1>"));
        assert!(text.contains("<a href=\"file-2-b___.h.html\">b&lt;&amp;&gt;.h</a>"));
        let lines = "<td class=\"number\">75.0%</td><td class=\"number dim\">3/4</td>";
        assert!(text.contains(lines), "{text}");
        assert!(text.contains("<div class=\"value\">80.0%</div>"), "{text}");
        assert_eq!(text.matches("<svg").count(), 2);
        let without = Coverage {
            timeline: Vec::new(),
            ..small()
        };
        assert!(!page(&without).contains("<svg"));
    }
}
