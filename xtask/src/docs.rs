//! `cargo xtask docs`: builds the guide, and follows every link between the project's own pages.

use crate::workspace::{self, run};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pages outside the guide.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];

pub fn test(mdbook: &Path) -> Result<()> {
    let root = workspace::root();
    let guide = root.join("docs/src");
    let mut pages: Vec<PathBuf> = PAGES.iter().map(|page| root.join(page)).collect();
    pages.extend(pages_in(&guide)?);
    let mut broken = Vec::new();
    let mut links = 0;
    for page in &pages {
        let text = read(page)?;
        for link in links_of(&text) {
            links += 1;
            // Whoever reads the guide as a book has nothing else of the repository.
            let within = page.starts_with(&guide).then_some(guide.as_path());
            if let Err(why) = follow(page, &text, &link.target, within) {
                broken.push(format!("{}:{}: {why}", page.display(), link.line));
            }
        }
    }
    let summary = guide.join("SUMMARY.md");
    let listed: BTreeSet<String> = links_of(&read(&summary)?)
        .into_iter()
        .map(|link| link.target)
        .collect();
    for page in pages_in(&guide)? {
        let name = page.strip_prefix(&guide).unwrap_or(&page).display();
        if page != summary && !listed.contains(&name.to_string()) {
            broken.push(format!("{}: not in the summary", page.display()));
        }
    }
    if !broken.is_empty() {
        bail!("broken links:\n{}", broken.join("\n"));
    }
    println!("{links} links in {} pages", pages.len());
    let book = workspace::target().join("book");
    run(Command::new(mdbook)
        .arg("build")
        .arg(root.join("docs"))
        .arg("--dest-dir")
        .arg(&book)
        .stdin(Stdio::null()))
}

fn read(page: &Path) -> Result<String> {
    std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))
}

fn pages_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut pages = Vec::new();
    for entry in entries {
        let path = entry.context("cannot list a folder")?.path();
        if path.is_dir() {
            pages.extend(pages_in(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

#[derive(Debug, PartialEq)]
struct Link {
    line: usize,
    target: String,
}

/// The inline links of a page. What is code is no link.
fn links_of(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, content) in prose(text) {
        let pieces = content.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut rest = pieces.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else {
                break;
            };
            links.push(Link {
                line,
                target: target.split(' ').next().unwrap_or_default().to_string(),
            });
            rest = after;
        }
    }
    links
}

/// The lines outside of code blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Whether a link leads somewhere, within a folder if there is one to stay in.
fn follow(page: &Path, text: &str, target: &str, within: Option<&Path>) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let place = page.parent().unwrap_or(Path::new(".")).join(file);
    if !file.is_empty() {
        let place = place
            .canonicalize()
            .map_err(|_| format!("there is no {file}"))?;
        let inside = |folder: &Path| folder.canonicalize().is_ok_and(|f| place.starts_with(f));
        if !within.is_none_or(inside) {
            return Err(format!("{file} is not part of the guide"));
        }
    }
    if anchor.is_empty() {
        return Ok(());
    }
    let other = match file.is_empty() {
        true => text.to_string(),
        false => std::fs::read_to_string(&place).map_err(|error| error.to_string())?,
    };
    let is_there = prose(&other)
        .filter_map(|(_, line)| line.strip_prefix('#'))
        .any(|heading| anchor_of(heading.trim_start_matches('#')) == anchor);
    match is_there {
        true => Ok(()),
        false => Err(format!("no heading for {target}")),
    }
}

/// What a heading is called in links.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_are_found_in_prose_alone() {
    let text = "# A b\n[one](x.md) `[code](y.md)` and [two](z.md#part \"title\")\n```\n[in code](w.md)\n```\n[three](#a-b)\n";
    let found: Vec<(usize, String)> = links_of(text)
        .into_iter()
        .map(|link| (link.line, link.target))
        .collect();
    let expected = [(2, "x.md"), (2, "z.md#part"), (6, "#a-b")];
    assert_eq!(
        found,
        expected.map(|(line, target)| (line, target.to_string()))
    );
    let page = Path::new("page.md");
    assert_eq!(follow(page, text, "#a-b", None), Ok(()));
    assert!(follow(page, text, "#in-code", None).is_err());
    assert!(follow(page, text, "nowhere.md", None).is_err());
    assert_eq!(follow(page, text, "https://example.org", None), Ok(()));
}

#[test]
fn links_stay_in_the_guide() {
    let guide = workspace::root().join("docs/src");
    let page = guide.join("SUMMARY.md");
    let outside = |within| follow(&page, "", "../book.toml", within);
    assert_eq!(outside(None), Ok(()));
    assert!(outside(Some(guide.as_path())).is_err());
}
