//! The journal of a study: what was measured is on disk as soon as it is known, so that an interrupted study is resumed.
//!
//! A line is a JSON object: first the setup, then a record for each process. A line that is not whole, as the last one
//! of a study that was killed, does not count.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Result, StudyError, at};

use super::results::Record;

pub const FILE: &str = "journal.jsonl";

pub struct Journal {
    pub records: Vec<Record>,
    /// Experiment, part, key and round of trials that are over.
    done: BTreeSet<(String, String, String, u32)>,
    file: Option<(PathBuf, File)>,
}

impl Journal {
    /// One that is forgotten in the end.
    pub fn in_memory() -> Journal {
        Journal {
            records: Vec::new(),
            done: BTreeSet::new(),
            file: None,
        }
    }

    /// The journal in a folder, which is gone on with if it is of the same setup.
    pub fn open(folder: &Path, setup: &Value) -> Result<Journal> {
        let path = folder.join(FILE);
        let mut journal = Journal::in_memory();
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) if !path.exists() => String::new(),
            Err(source) => return Err(at(&path)(source)),
        };
        let mut whole = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let head = whole.next().map(serde_json::from_str::<Value>);
        let mut kept = format!("{setup}\n");
        match head {
            None => {}
            Some(Ok(head)) if head == *setup => {
                let records =
                    whole.filter_map(|line| Some((line, serde_json::from_str(line).ok()?)));
                for (line, record) in records {
                    kept += line;
                    journal.note(record);
                }
            }
            Some(_) => {
                return Err(StudyError::OtherSetup(path));
            }
        }
        // Without what was not whole; in one go, so that nothing is lost whatever happens.
        let draft = path.with_extension("new");
        fs::write(&draft, kept).map_err(at(&draft))?;
        fs::rename(&draft, &path).map_err(at(&path))?;
        let file = OpenOptions::new().append(true).open(&path);
        journal.file = Some((path.clone(), file.map_err(at(&path))?));
        Ok(journal)
    }

    fn note(&mut self, record: Record) {
        let Record {
            experiment,
            part,
            key,
            round,
            ..
        } = record.clone();
        self.done.insert((experiment, part, key, round));
        self.records.push(record);
    }

    /// Whether a trial was made already.
    pub fn has(&self, experiment: &str, part: &str, key: &str, round: u32) -> bool {
        let place = [experiment, part, key].map(str::to_owned);
        let [experiment, part, key] = place;
        self.done.contains(&(experiment, part, key, round))
    }

    /// Keeps what a trial has come to, all steps at once.
    pub fn keep(&mut self, records: Vec<Record>) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let mut text = String::new();
            for record in &records {
                text += &serde_json::to_string(record).map_err(|error| at(path)(error.into()))?;
                text.push('\n');
            }
            file.write_all(text.as_bytes()).map_err(at(path))?;
        }
        for record in records {
            self.note(record);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(key: &str) -> Record {
        Record {
            experiment: "e".to_owned(),
            part: "p".to_owned(),
            key: key.to_owned(),
            labels: Vec::new(),
            step: "run".to_owned(),
            round: 0,
            is_timed: false,
            outcome: Err("nothing".to_owned()),
        }
    }

    #[test]
    fn what_was_kept_is_there_again_and_half_a_line_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let setup = json!({ "seed": 1 });
        let mut journal = Journal::open(folder.path(), &setup).expect("new");
        journal.keep(vec![record("a"), record("b")]).expect("room");
        drop(journal);
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).expect("there");
        for cut in 0..text.len() {
            fs::write(&path, &text[..cut]).expect("room");
            let journal = Journal::open(folder.path(), &setup).expect("the same setup");
            let whole =
                text[..cut].lines().count() - usize::from(!text[..cut].ends_with('\n') && cut > 0);
            assert_eq!(journal.records.len(), whole.saturating_sub(1), "{cut}");
            assert_eq!(journal.has("e", "p", "a", 0), whole > 1);
        }
        fs::write(&path, &text).expect("room");
        let other = Journal::open(folder.path(), &json!({ "seed": 2 }));
        assert!(matches!(other, Err(StudyError::OtherSetup(_))));
        assert_eq!(fs::read_to_string(&path).expect("untouched"), text);
    }
}
