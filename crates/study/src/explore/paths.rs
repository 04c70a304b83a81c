//! Which paths a run found, from its tests.

use std::collections::BTreeMap;
use std::path::Path;

use refrain_results::{Outcome, PACK, Test, TestPack};

/// Paths by what was decided on them and how they ended, and how often each was found: once, if all is well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths(BTreeMap<String, u64>);

impl Paths {
    /// Reads all tests of an output folder.
    pub fn read(out: &Path) -> Result<Paths, String> {
        let pack = TestPack::open(&out.join(PACK)).map_err(|error| error.to_string())?;
        if let Some(damage) = pack.torn_tail().into_iter().chain(pack.damage()).next() {
            return Err(damage);
        }
        let mut paths = Paths::default();
        for number in pack.numbers() {
            let test = pack.read(number).map_err(|error| error.to_string())?;
            paths.note(&test);
        }
        Ok(paths)
    }

    fn note(&mut self, test: &Test) {
        let outcome = match &test.outcome {
            // Which status a test has then depends on its input, and presets may find different inputs.
            Outcome::Exit {
                depends_on_input: true,
                ..
            } => "exit with a symbolic status".to_string(),
            Outcome::Exit { status, .. } => format!("exit {status}"),
            Outcome::Error(fault) => {
                let line = fault.place().map_or(0, |place| place.line);
                format!("{} in line {line}", fault.kind)
            }
            Outcome::Unfinished(cause) => format!("not finished: {cause}"),
        };
        let path = format!("{:?} {outcome}", test.decisions);
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
    fn paths(tests: &[(&[u64], i32)]) -> Paths {
        let mut paths = Paths::default();
        for (decisions, status) in tests {
            paths.note(&Test {
                decisions: decisions.to_vec(),
                outcome: Outcome::exit(*status),
                ..Test::default()
            });
        }
        paths
    }

    #[test]
    fn paths_are_the_same_in_any_order() {
        let one = paths(&[(&[0, 1], 0), (&[1], 1)]);
        let other = paths(&[(&[1], 1), (&[0, 1], 0)]);
        assert_eq!(one.difference(&other), None);
    }

    #[test]
    fn a_status_that_depends_on_the_input_is_one_end() {
        let path = |status| {
            let mut paths = Paths::default();
            paths.note(&Test {
                decisions: vec![0],
                outcome: Outcome::Exit {
                    status,
                    depends_on_input: true,
                },
                ..Test::default()
            });
            paths
        };
        assert_eq!(path(2).difference(&path(3)), None);
        assert!(path(2).difference(&paths(&[(&[0], 2)])).is_some());
    }

    #[test]
    fn what_differs_is_told() {
        let one = paths(&[(&[0, 1], 0), (&[1], 1)]);
        let other = paths(&[(&[0, 1], 0), (&[1], 0)]);
        let told = one.difference(&other).expect("one ends otherwise");
        assert!(
            told.starts_with("1 paths missing, 1 surplus, 0 found twice"),
            "{told}"
        );
        let twice = paths(&[(&[1], 0), (&[1], 0)]);
        assert!(twice.difference(&paths(&[(&[1], 0)])).is_some());
    }
}
