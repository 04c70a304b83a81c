//! A page for a browser, one file that needs nothing but itself.
//!
//! The tree is in it as bytes (`encode`), the source as the lines around its points (`sources`). The script shows the
//! rows that are in sight and nothing else, so that a tree may be large: `rows.js` reads and orders them, `tree.js` draws
//! them and moves about, `detail.js` explains the chosen one, `main.js` is the legend, the keys and the start.
//!
//! *Invariant:* whatever comes from the program is data: JSON in which nothing ends the element that it is in, and text
//! of elements that the script makes. The policy of the page lets no other script run.

mod encode;
mod sources;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use refrain_memo::Tree;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Class;
use super::program::Program;
use super::rows::Forest;

const BODY: &str = include_str!("body.html");
const SCRIPT: &str = concat!(
    include_str!("rows.js"),
    include_str!("tree.js"),
    include_str!("detail.js"),
    include_str!("main.js"),
);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture::{Known, trees};

    fn data(page: &str) -> Value {
        let data = page.split("id=\"data\">").nth(1).expect("data");
        let data = data.split("</script>").next().expect("an end");
        serde_json::from_str(data).expect("JSON")
    }

    /// The rows of a page, number by number.
    fn numbers(data: &Value) -> Vec<u64> {
        let bytes = BASE64_STANDARD.decode(data["rows"].as_str().expect("text"));
        let mut numbers = vec![0];
        let mut shift = 0;
        for byte in bytes.expect("base64") {
            *numbers.last_mut().expect("one") |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                numbers.push(0);
                shift = 0;
            }
        }
        numbers.pop();
        numbers
    }

    #[test]
    fn rows_are_a_few_numbers() {
        let trees = trees();
        let here = Side {
            name: "here".into(),
            tree: &trees.here,
            program: &Known,
        };
        let data = data(&page("title", &here, None));
        assert_eq!(data["texts"], json!(["ab"]));
        assert_eq!(
            data["entries"][2],
            json!({ "class": 0, "text": "fix", "function": "f()", "point": "2:0", "place": [0, 3] })
        );
        assert_eq!(data["entries"][4]["place"], json!([1, 3]));
        assert_eq!(
            data["files"][0]["pieces"],
            json!([[1, "one\ntwo </script>\nthree"]])
        );
        assert_eq!(
            data["files"][1],
            json!({ "name": "/src/b.c", "pieces": [] })
        );
        let rows: &[&[u64]] = &[
            // A node with four children and two implied choices.
            &[0, 0, 0, 4, 2, 0],
            // A leaf behind edited code, with test 1.
            &[1, 0, 4, 2],
            &[2, 1, 0, 2, 2, 1],
            &[3, 0, 4, 3],
            &[4, 1, 4, 4],
            &[5, 2, 0, 2, 2, 0],
            &[6, 0, 0],
            &[7, 1, 0],
            &[8, 3, 0],
        ];
        assert_eq!(numbers(&data), rows.concat());
    }

    #[test]
    fn a_difference_is_in_the_flags() {
        let trees = trees();
        let here = Side {
            name: "here".into(),
            tree: &trees.here,
            program: &Known,
        };
        let there = Side {
            name: "there".into(),
            tree: &trees.there,
            program: &Known,
        };
        let data = data(&page("title", &here, Some(&there)));
        assert_eq!(data["there"], "there");
        // The root has six children: two edges are of either tree.
        assert_eq!(numbers(&data)[..6], [0, 0, 0, 6, 2, 0]);
        // Edited and changed, test 1, and what it was.
        assert_eq!(numbers(&data)[6..11], [1, 0, 4 | 3, 2, 2]);
        assert_eq!(data["entries"][2]["text"], "1");
    }

    #[test]
    fn nothing_ends_the_data_or_comes_from_elsewhere() {
        let trees = trees();
        let here = Side {
            name: "</script>".into(),
            tree: &trees.here,
            program: &Known,
        };
        let page = page("<!--<script>", &here, None);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<script").count(), 2);
        for outside in ["http:", "https:", " src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
