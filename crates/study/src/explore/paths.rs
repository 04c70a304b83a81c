//! Which paths a run found, from its tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Paths by what was decided on them and how they ended, and how often each was found: once, if all is well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths(BTreeMap<String, u64>);

impl Paths {
    /// Reads all tests of an output folder.
    pub fn read(out: &Path) -> Result<Paths, String> {
        let told = |error: std::io::Error| format!("{}: {error}", out.display());
        let mut paths = Paths::default();
        for entry in fs::read_dir(out).map_err(told)? {
            let path = entry.map_err(told)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("test") && name.ends_with(".json") {
                let text = fs::read_to_string(&path).map_err(told)?;
                let test = serde_json::from_str(&text);
                let test: Value = test.map_err(|error| format!("{name}: {error}"))?;
                paths.note(&test);
            }
        }
        Ok(paths)
    }

    fn note(&mut self, test: &Value) {
        let outcome = &test["outcome"];
        let detail = ["status", "error", "line"].map(|name| outcome[name].to_string());
        let path = format!(
            "{} {} {}",
            test["decisions"],
            outcome["kind"],
            detail.join(" ")
        );
        *self.0.entry(path).or_insert(0) += 1;
    }

    /// What tells these from those expected; `None` if nothing does.
    pub fn difference(&self, expected: &Paths) -> Option<String> {
        let lacks = |one: &Paths, other: &Paths| {
            let missing = one
                .0
                .iter()
                .filter(|(path, _)| !other.0.contains_key(*path));
            missing.map(|(path, _)| path.clone()).collect::<Vec<_>>()
        };
        let (missing, surplus) = (lacks(expected, self), lacks(self, expected));
        let twice = self.0.values().filter(|&&times| times > 1).count();
        if missing.is_empty() && surplus.is_empty() && twice == 0 {
            return None;
        }
        let mut text = format!(
            "{} paths missing, {} surplus, {twice} found twice",
            missing.len(),
            surplus.len()
        );
        if let Some(example) = missing.first().or(surplus.first()) {
            text += &format!(", such as {example}");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(tests: &[(&[u64], &str)]) -> Paths {
        let mut paths = Paths::default();
        for (decisions, kind) in tests {
            paths.note(&json!({ "decisions": decisions, "outcome": { "kind": kind } }));
        }
        paths
    }

    #[test]
    fn paths_are_the_same_in_any_order() {
        let one = paths(&[(&[0, 1], "exit"), (&[1], "error")]);
        let other = paths(&[(&[1], "error"), (&[0, 1], "exit")]);
        assert_eq!(one.difference(&other), None);
    }

    #[test]
    fn what_differs_is_told() {
        let one = paths(&[(&[0, 1], "exit"), (&[1], "error")]);
        let other = paths(&[(&[0, 1], "exit"), (&[1], "exit")]);
        let told = one.difference(&other).expect("one ends otherwise");
        assert!(
            told.starts_with("1 paths missing, 1 surplus, 0 found twice"),
            "{told}"
        );
        let twice = paths(&[(&[1], "exit"), (&[1], "exit")]);
        assert!(twice.difference(&paths(&[(&[1], "exit")])).is_some());
    }
}
