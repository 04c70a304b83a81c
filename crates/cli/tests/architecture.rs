//! ARCHITECTURE.md is true where it can be checked: the table of crates against Cargo's own account of them. Links of
//! all prose lead somewhere, and every page of the guide is in its contents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

type Crates = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a row of the table says of a crate.
struct Row {
    depends_on: BTreeSet<String>,
    must_not_know: BTreeSet<String>,
}

/// The table of ARCHITECTURE.md, by crate.
fn table() -> BTreeMap<String, Row> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let mut lines = text.lines().map(str::trim);
    assert!(
        lines.any(|line| line == "| crate | depends on | must not know |"),
        "ARCHITECTURE.md has no table with the columns crate, depends on, must not know"
    );
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let mut table = BTreeMap::new();
    for line in rows {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, depends_on, must_not_know] = cells[..] else {
            panic!(
                "a row of ARCHITECTURE.md's table has {} cells: {line}",
                cells.len()
            );
        };
        let row = Row {
            depends_on: names(depends_on),
            must_not_know: names(must_not_know),
        };
        let twice = table.insert(plain(name), row);
        assert!(twice.is_none(), "ARCHITECTURE.md has two rows for {name}");
    }
    table
}

/// Names between commas; `-` stands for none.
fn names(cell: &str) -> BTreeSet<String> {
    let names = cell.split(',').map(plain);
    names.filter(|name| name != "-").collect()
}

fn plain(name: &str) -> String {
    name.trim().trim_matches('`').to_string()
}

/// The crates of the workspace, each with those of the workspace that it depends on other than in tests.
fn workspace() -> Crates {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let folders: BTreeMap<&str, String> = packages
        .iter()
        .map(|package| (text(&package["name"]), folder(package)))
        .collect();
    let crates = packages.iter().map(|package| {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let normal = dependencies
            .iter()
            .filter(|dependency| dependency["kind"].is_null());
        let own = normal.filter_map(|dependency| folders.get(text(&dependency["name"])));
        (folder(package), own.cloned().collect())
    });
    crates.collect()
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().expect("text")
}

/// A crate by the name it has in the table: that of its folder.
fn folder(package: &serde_json::Value) -> String {
    let manifest = Path::new(text(&package["manifest_path"]));
    let folder = manifest.parent().and_then(Path::file_name);
    folder.expect("a folder").to_string_lossy().into_owned()
}

/// A chain of dependencies from one crate to another, if there is one.
fn chain(crates: &Crates, from: &str, to: &str) -> Option<Vec<String>> {
    let mut reached = BTreeSet::from([from.to_string()]);
    let mut chains = vec![vec![from.to_string()]];
    while let Some(chain) = chains.pop() {
        let last = chain.last().expect("a chain has a crate");
        if last == to {
            return Some(chain);
        }
        for next in &crates[last] {
            if reached.insert(next.clone()) {
                chains.push([&chain[..], std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

fn list(names: &BTreeSet<String>) -> String {
    match names.is_empty() {
        true => "-".to_string(),
        false => names.iter().cloned().collect::<Vec<_>>().join(", "),
    }
}

/// Where the table and the workspace disagree, a line each.
fn disagreements(table: &BTreeMap<String, Row>, crates: &Crates) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in table.keys().filter(|name| !crates.contains_key(*name)) {
        wrong.push(format!(
            "{name} has a row, but is no crate of the workspace"
        ));
    }
    for (name, dependencies) in crates {
        let Some(row) = table.get(name) else {
            wrong.push(format!(
                "{name} has no row; it depends on: {}",
                list(dependencies)
            ));
            continue;
        };
        if row.depends_on != *dependencies {
            let (said, is) = (list(&row.depends_on), list(dependencies));
            wrong.push(format!("{name} depends on: {is}; its row says: {said}"));
        }
        for unknown in &row.must_not_know {
            if !crates.contains_key(unknown) {
                wrong.push(format!(
                    "{name} must not know {unknown}, which is no crate of the workspace"
                ));
            } else if let Some(chain) = chain(crates, name, unknown) {
                wrong.push(format!(
                    "{name} must not know {unknown}, but does: {}",
                    chain.join(" -> ")
                ));
            }
        }
    }
    wrong
}

#[test]
fn crates_depend_on_what_the_map_says() {
    let wrong = disagreements(&table(), &workspace());
    assert!(
        wrong.is_empty(),
        "ARCHITECTURE.md and the workspace disagree; change the one that is wrong:\n  {}",
        wrong.join("\n  ")
    );
}

#[test]
fn a_crate_that_knows_too_much_is_told_with_the_way_there() {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| name.to_string())
            .collect::<BTreeSet<_>>()
    };
    let crates = Crates::from([
        ("a".to_string(), set(&["b"])),
        ("b".to_string(), set(&["c"])),
        ("c".to_string(), set(&[])),
        ("d".to_string(), set(&[])),
    ]);
    let row = |on: &[&str], not: &[&str]| Row {
        depends_on: set(on),
        must_not_know: set(not),
    };
    let table = BTreeMap::from([
        ("a".to_string(), row(&["b"], &["c"])),
        ("b".to_string(), row(&[], &["d"])),
        ("c".to_string(), row(&[], &["x"])),
        ("e".to_string(), row(&[], &[])),
    ]);
    assert_eq!(
        disagreements(&table, &crates),
        [
            "e has a row, but is no crate of the workspace",
            "a must not know c, but does: a -> b -> c",
            "b depends on: c; its row says: -",
            "c must not know x, which is no crate of the workspace",
            "d has no row; it depends on: -",
        ]
    );
}

/// All prose of the repository that has links.
fn pages() -> Vec<PathBuf> {
    let mut pages = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .map(|name| root().join(name))
    .to_vec();
    pages.extend(guide());
    pages
}

/// The pages of the guide, its table of contents among them.
fn guide() -> Vec<PathBuf> {
    let folder = root().join("docs/src");
    let entries = std::fs::read_dir(&folder)
        .expect("docs/src")
        .map(|entry| entry.expect("an entry").path());
    entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// Text without blocks of code, which may have brackets of their own.
fn prose(text: &str) -> String {
    let mut code = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    lines.map(|line| format!("{line}\n")).collect()
}

/// Where the links of a page lead, without those to other sites.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let targets = prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target);
    targets
        .filter(|target| !target.contains("://"))
        .map(str::to_string)
        .collect()
}

/// The anchors of a page: its headings as mdBook and GitHub write them.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_what_is_there() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            let there = match anchor {
                "" => target.exists(),
                anchor => target.is_file() && anchors(&read(&target)).contains(anchor),
            };
            if !there {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(
        dead.is_empty(),
        "links that lead nowhere:\n  {}",
        dead.join("\n  ")
    );
}

#[test]
fn every_page_of_the_guide_is_in_its_contents() {
    let contents = root().join("docs/src/SUMMARY.md");
    let listed: BTreeSet<String> = links(&read(&contents)).into_iter().collect();
    let name = |page: PathBuf| {
        page.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    let missing = guide()
        .into_iter()
        .map(name)
        .filter(|name| name != "SUMMARY.md" && !listed.contains(name));
    let missing: Vec<String> = missing.collect();
    assert!(
        missing.is_empty(),
        "not in docs/src/SUMMARY.md: {}",
        missing.join(", ")
    );
}

#[test]
fn prose_is_within_120_columns() {
    let mut long = Vec::new();
    for page in pages() {
        let text = prose(&read(&page));
        let lines = text.lines().filter(|line| !line.starts_with('|'));
        for line in lines.filter(|line| line.chars().count() > 120) {
            let start: String = line.chars().take(60).collect();
            long.push(format!("{}: {start}…", page.display()));
        }
    }
    assert!(long.is_empty(), "lines too long:\n  {}", long.join("\n  "));
}
