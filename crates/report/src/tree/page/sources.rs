//! The source that a page has: the lines around its places, and no file that nobody can read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Lines before and after a place.
const AROUND: u32 = 40;

/// A file with the pieces of its text around these lines, each with its first line.
pub fn file(name: &str, text: Option<String>, lines: &BTreeSet<u32>) -> Value {
    let text = text.unwrap_or_default();
    json!({ "name": name, "pieces": pieces(&text, lines.iter().copied()) })
}

/// The lines around these, as pieces without gaps.
fn pieces(text: &str, around: impl Iterator<Item = u32>) -> Vec<(u32, String)> {
    let mut wanted: BTreeSet<u32> = BTreeSet::new();
    for line in around {
        wanted.extend(line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND));
    }
    let mut pieces: Vec<(u32, String)> = Vec::new();
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        if !wanted.contains(&number) {
            continue;
        }
        match pieces.last_mut() {
            Some((_, text)) if number == last + 1 => {
                text.push('\n');
                text.push_str(line);
            }
            _ => pieces.push((number, line.into())),
        }
        last = number;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_in_the_page() {
        let text: String = (1..=500).map(|line| format!("line {line}\n")).collect();
        let found = pieces(&text, [10, 30, 420, 499].into_iter());
        let firsts: Vec<u32> = found.iter().map(|(first, _)| *first).collect();
        assert_eq!(firsts, [1, 380]);
        assert_eq!(found[0].1.lines().count(), 70);
        assert!(found[1].1.starts_with("line 380\n") && found[1].1.ends_with("\nline 500"));
        assert_eq!(pieces("", [3].into_iter()), []);
    }
}
