//! A page for a browser, one file that needs nothing but itself.
//!
//! The tree is in it as bytes (`encode`), the source as the lines around its points (`sources`). The script shows the
//! rows that are in sight and nothing else, so that a tree may be large.
//!
//! *Invariant:* whatever comes from the program is data: JSON in which nothing ends the element that it is in, and text
//! of elements that the script makes. The policy of the page lets no other script run.

mod encode;
mod sources;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use refrain_memo::Tree;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::program::Program;
use super::rows::Forest;
use super::Class;

const BODY: &str = include_str!("body.html");
const SCRIPT: &str = include_str!("script.js");
const STYLE: &str = include_str!("style.css");

/// A tree, where it is from, and its program.
pub struct Side<'a> {
    pub name: String,
    pub tree: &'a Tree,
    pub program: &'a dyn Program,
}

/// Rows of a page: browsers cannot scroll much further. What is deeper is shown as a number.
const MOST_ROWS: usize = 1_000_000;

/// The page of a tree, or of a tree against another.
pub fn page(title: &str, here: &Side<'_>, there: Option<&Side<'_>>) -> String {
    let forest = Forest::new(here.tree, there.map(|side| side.tree));
    let rows = forest.rows(MOST_ROWS);
    let there_or_here = there.unwrap_or(here);
    let encoded = encode::encode(&forest, &rows, here, there_or_here);
    let source = |name: &str| {
        let source = here.program.source(name);
        source.or_else(|| there_or_here.program.source(name))
    };
    let files = encoded.files.iter();
    let files: Vec<Value> = files
        .map(|(name, lines)| sources::file(name, source(name), lines))
        .collect();
    let data = json!({
        "title": title,
        "here": here.name,
        "there": there.map(|side| &side.name),
        "classes": Class::ALL.map(Class::name),
        "texts": encoded.texts,
        "entries": encoded.entries,
        "files": files,
        "count": rows.len(),
        "rows": BASE64_STANDARD.encode(&encoded.bytes),
    });
    // Nothing in it can end the element that it is in.
    let data = data.to_string().replace('<', "\\u003c");
    let hash = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    let policy =
        format!("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Memo tree</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{BODY}\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}
