//! What all pages have in common.

use super::super::{Count, Totals};
use super::escape::escape;

const STYLE: &str = include_str!("style.css");

/// A whole page. The title is plain text, the body is markup.
pub fn page(title: &str, body: &str) -> String {
    // Should anything slip through, the browser still loads and runs nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// Lines, branches and functions as large numbers with bars.
pub fn tiles(totals: Totals) -> String {
    let counts = [
        ("lines", totals.lines),
        ("branches", totals.branches),
        ("functions", totals.functions),
    ];
    let tiles = counts.map(|(name, count)| {
        format!(
            "<div class=\"tile\" id=\"{name}\"><div class=\"label\">{name}</div><div class=\"value\">{}</div>{}<div class=\"of\">{} of {}</div></div>\n",
            percent(count),
            bar(count),
            count.covered,
            count.total
        )
    });
    format!("<div class=\"tiles\">\n{}</div>\n", tiles.concat())
}

/// Three cells of a table.
pub fn cells(count: Count) -> String {
    format!(
        "<td>{}</td><td class=\"number\">{}</td><td class=\"number dim\">{}/{}</td>",
        bar(count),
        percent(count),
        count.covered,
        count.total
    )
}

fn percent(count: Count) -> String {
    count
        .percent()
        .map_or("–".into(), |percent| format!("{percent:.1}%"))
}

fn bar(count: Count) -> String {
    let percent = count.percent().unwrap_or(0.0);
    let class = match percent {
        90.0.. => "good",
        60.0.. => "half",
        _ => "bad",
    };
    format!("<div class=\"bar\"><div class=\"{class}\" style=\"width:{percent:.1}%\"></div></div>")
}
