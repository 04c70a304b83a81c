//! What is left of a study: its tables, every raw number, and what went wrong.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::{Result, at};
use crate::lab::Record;
use crate::table::Table;

pub struct Report {
    /// How the study was set up, for whoever reads the numbers later.
    pub setup: Value,
    pub tables: Vec<Table>,
    pub(crate) records: Vec<Record>,
    /// Runs that failed, or gave other answers than the others.
    pub problems: Vec<String>,
    /// Runs that went well, but warned of something, or left checks open which others decided, or the other way round.
    pub notes: Vec<String>,
}

const TABLES: &str = "tables.md";
const NUMBERS: &str = "measurements.csv";
const OBJECTS: &str = "measurements.json";

impl Report {
    /// Makes sure, before anything is measured, that a report can be written to a folder.
    pub fn prepare(folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        for name in [TABLES, NUMBERS, OBJECTS] {
            let path = folder.join(name);
            fs::write(&path, "").map_err(at(&path))?;
        }
        Ok(())
    }

    /// Writes the tables as Markdown, and the numbers of all runs as CSV and JSON.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let texts = [
            (TABLES, self.markdown()),
            (NUMBERS, self.csv()),
            (OBJECTS, format!("{:#}\n", self.json())),
        ];
        for (name, text) in texts {
            let path = folder.join(name);
            fs::write(&path, text).map_err(at(&path))?;
        }
        Ok(())
    }

    fn markdown(&self) -> String {
        let tables: Vec<String> = self.tables.iter().map(Table::markdown).collect();
        let mut text = format!("# {}\n\n{}", TITLE, tables.join("\n"));
        for (title, lines) in [("Problems", &self.problems), ("Notes", &self.notes)] {
            if !lines.is_empty() {
                text += &format!("\n## {title}\n\n* {}\n", lines.join("\n* "));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let record =
            |record: &Record| -> Map<String, Value> { columns(record).into_iter().collect() };
        json!({
            "setup": self.setup,
            "measurements": self.records.iter().map(record).collect::<Vec<_>>(),
            "problems": self.problems,
            "notes": self.notes,
        })
    }

    /// A line a run; of a run that failed, only what was run.
    fn csv(&self) -> String {
        let rows: Vec<Vec<(String, Value)>> = self.records.iter().map(columns).collect();
        // Runs that failed have fewer columns than others.
        let widest = rows.iter().max_by_key(|row| row.len());
        let names: Vec<&str> = { widest.into_iter().flatten() }
            .map(|(name, _)| name.as_str())
            .collect();
        let mut text = names.join(",") + "\n";
        for row in &rows {
            let cell = |name: &&str| {
                let found = row.iter().find(|(column, _)| column == name);
                found.map_or(String::new(), |(_, value)| field(value))
            };
            let cells: Vec<String> = names.iter().map(cell).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

const TITLE: &str = "Reuse, approach by approach";

fn columns(record: &Record) -> Vec<(String, Value)> {
    let outcome = match &record.outcome {
        Ok(_) => "ok",
        Err(failure) => failure,
    };
    let what = [
        ("experiment", json!(record.experiment)),
        ("script", json!(record.script)),
        ("reuse", json!(record.reuse)),
        ("without", json!(record.without)),
        ("store", json!(record.store)),
        ("edit", json!(record.edit)),
        ("round", json!(record.round + 1)),
        ("outcome", json!(outcome)),
    ];
    let mut columns: Vec<(String, Value)> =
        what.map(|(name, value)| (name.to_owned(), value)).into();
    if let Ok(measured) = &record.outcome {
        columns.extend(measured.columns());
    }
    columns
}

/// A value as CSV has it.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Measurement;

    fn report() -> Report {
        let record = |outcome| Record {
            experiment: "presets",
            script: "a, \"b\"".to_owned(),
            reuse: "full".to_owned(),
            without: String::new(),
            store: String::new(),
            edit: None,
            round: 0,
            outcome,
        };
        Report {
            setup: json!({ "rounds": 1 }),
            tables: vec![Table::new("A table", &["x"])],
            records: vec![
                record(Err("exit status 2".to_owned())),
                record(Ok(Measurement {
                    checks: 7,
                    ..Measurement::default()
                })),
            ],
            problems: vec!["presets: it failed".to_owned()],
            notes: Vec::new(),
        }
    }

    #[test]
    fn every_line_has_all_columns() {
        let csv = report().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("presets,\"a, \"\"b\"\"\",full,,,,1,exit status 2,,"));
        assert!(lines[2].starts_with("presets,\"a, \"\"b\"\"\",full,,,,1,ok,7,"));
        // The comma within the name counts once more.
        let commas = |line: &str| line.matches(',').count();
        assert_eq!(commas(lines[1]), commas(lines[0]) + 1);
        assert_eq!(commas(lines[2]), commas(lines[0]) + 1);
    }

    #[test]
    fn problems_are_in_every_form() {
        assert!(
            report()
                .markdown()
                .contains("## Problems\n\n* presets: it failed\n")
        );
        assert_eq!(report().json()["problems"][0], "presets: it failed");
    }
}
