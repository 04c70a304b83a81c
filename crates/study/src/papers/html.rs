//! A page that is one file: tables that can be sorted, and plots.

use std::fmt::Write;

use crate::error::Result;
use crate::table::{Align, Table};

use super::page::{Block, Page, verdict};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The document. `setup` says how it was made, line by line.
pub fn document(title: &str, setup: &[(String, String)], page: &Page) -> Result<String> {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(title)
    );
    html.push_str("<dl class=\"setup\">\n");
    for (name, value) in setup {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    html.push_str("</dl>\n");
    contents(&mut html, page);
    let mut headings = 0;
    for block in &page.blocks {
        match block {
            Block::Heading(text) => {
                headings += 1;
                let _ = writeln!(html, "<h2 id=\"part{headings}\">{}</h2>", escape(text));
            }
            Block::Text(text) => {
                let _ = writeln!(html, "<p>{}</p>", escape(text));
            }
            Block::Finding { claim, holds, why } => {
                let class = if *holds { "holds" } else { "fails" };
                let _ = writeln!(
                    html,
                    "<p class=\"finding {class}\"><b>{}</b> {}. {}</p>",
                    verdict(*holds),
                    escape(claim),
                    escape(why)
                );
            }
            Block::Table(table) => write_table(&mut html, table),
            Block::Plot(plot) => {
                let svg = plot.svg()?;
                let _ = writeln!(
                    html,
                    "<figure role=\"img\" aria-label=\"{}\">\n{svg}</figure>",
                    escape(&plot.title)
                );
            }
        }
    }
    let _ = write!(html, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(html)
}

fn contents(html: &mut String, page: &Page) {
    html.push_str("<nav>\n");
    let headings = page.blocks.iter().filter_map(|block| match block {
        Block::Heading(text) => Some(text),
        _ => None,
    });
    for (number, text) in headings.enumerate() {
        let _ = writeln!(html, "<a href=\"#part{}\">{}</a>", number + 1, escape(text));
    }
    html.push_str("</nav>\n");
}

fn write_table(html: &mut String, table: &Table) {
    let _ = write!(
        html,
        "<h3>{}</h3>\n<div class=\"wide\"><table>\n<thead><tr>",
        escape(table.title())
    );
    for (name, align) in table.columns() {
        let _ = write!(html, "<th{}>{}</th>", class(*align), escape(name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in table.rows() {
        html.push_str("<tr>");
        for (cell, (_, align)) in row.iter().zip(table.columns()) {
            let _ = write!(html, "<td{}>{}</td>", class(*align), escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    for remark in table.remarks() {
        let _ = writeln!(html, "<p class=\"remark\">{}</p>", escape(remark));
    }
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_is_text() {
        let mut page = Page::default();
        page.heading("<script>");
        let mut table = Table::new("a & b", &["x", ">y"]);
        table.row(["\"<b>\"".to_owned(), "1".to_owned()]);
        page.table(table);
        let html = document("T", &[("seed".to_owned(), "1".to_owned())], &page).expect("drawn");
        assert!(html.contains("<h2 id=\"part1\">&lt;script&gt;</h2>"));
        assert!(html.contains("<td>&quot;&lt;b&gt;&quot;</td><td class=\"number\">1</td>"));
        assert!(html.contains("<dt>seed</dt><dd>1</dd>"));
    }
}
