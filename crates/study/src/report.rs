//! What is left of a study: its tables, every raw number, and what went wrong.

use std::fs::{self, OpenOptions};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::{Result, at};
use crate::papers::{Page, document};

/// Everything that is known of a run, by name.
pub type Row = Vec<(String, Value)>;

pub struct Report {
    /// What the study is about.
    pub title: &'static str,
    /// How the study was set up, for whoever reads the numbers later.
    pub setup: Value,
    /// Tables, and what else there is to be seen.
    pub page: Page,
    /// A row a run.
    pub rows: Vec<Row>,
    /// Runs that failed, or gave other answers than the others.
    pub problems: Vec<String>,
    /// Runs that went well, but warned of something, or left checks open which others decided, or the other way round.
    pub notes: Vec<String>,
}

const TEXT: &str = "report.md";
const PAGE: &str = "report.html";
const NUMBERS: &str = "measurements.csv";
const OBJECTS: &str = "measurements.json";

impl Report {
    /// Makes sure, before anything is measured, that a report can be written to a folder.
    pub fn prepare(folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        for name in [TEXT, PAGE, NUMBERS, OBJECTS] {
            let path = folder.join(name);
            // What an earlier study left there stays until there is something better.
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.map_err(at(&path))?;
        }
        Ok(())
    }

    /// Writes the report as Markdown with its plots, and as one page, and the numbers of all runs as CSV and JSON.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let (text, plots) = self.markdown()?;
        let page = document(self.title, &self.setup_lines(), &self.page)?;
        let texts = [
            (TEXT.to_owned(), text),
            (PAGE.to_owned(), page),
            (NUMBERS.to_owned(), self.csv()),
            (OBJECTS.to_owned(), format!("{:#}\n", self.json())),
        ];
        for (name, text) in texts.into_iter().chain(plots) {
            let path = folder.join(name);
            fs::write(&path, text).map_err(at(&path))?;
        }
        Ok(())
    }

    /// What the setup says, a line a name.
    fn setup_lines(&self) -> Vec<(String, String)> {
        let lines = self.setup.as_object().into_iter().flatten();
        let line = |(name, value): (&String, &Value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (name.clone(), value)
        };
        { lines }
            .filter(|(_, value)| !matches!(value, Value::Null))
            .map(line)
            .collect()
    }

    /// The text, and the plots in it as files.
    fn markdown(&self) -> Result<(String, Vec<(String, String)>)> {
        let (blocks, plots) = self.page.markdown()?;
        let mut text = format!("# {}\n\n", self.title);
        for (name, value) in self.setup_lines() {
            text += &format!("* {name}: {value}\n");
        }
        text += &blocks;
        for (title, lines) in [("Problems", &self.problems), ("Notes", &self.notes)] {
            if !lines.is_empty() {
                text += &format!("\n## {title}\n\n* {}\n", lines.join("\n* "));
            }
        }
        Ok((text, plots))
    }

    fn json(&self) -> Value {
        let object = |row: &Row| -> Map<String, Value> { row.iter().cloned().collect() };
        json!({
            "setup": self.setup,
            "measurements": self.rows.iter().map(object).collect::<Vec<_>>(),
            "problems": self.problems,
            "notes": self.notes,
        })
    }

    /// A line a run; of a run that failed, only what was run.
    fn csv(&self) -> String {
        // Runs that failed have fewer columns than others.
        let widest = self.rows.iter().max_by_key(|row| row.len());
        let names: Vec<&str> = { widest.into_iter().flatten() }
            .map(|(name, _)| name.as_str())
            .collect();
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
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

    fn report() -> Report {
        let row = |outcome: &str, more: &[(&str, u64)]| -> Row {
            let what = [("script", "a, \"b\""), ("outcome", outcome)];
            let what = what.map(|(name, value)| (name.to_owned(), json!(value)));
            let more = more
                .iter()
                .map(|&(name, value)| (name.to_owned(), json!(value)));
            what.into_iter().chain(more).collect()
        };
        Report {
            title: "Runs",
            setup: json!({ "rounds": 1 }),
            page: Page::default(),
            rows: vec![
                row("exit status 2", &[]),
                row("ok", &[("checks", 7), ("calls", 1)]),
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
        assert_eq!(lines[1], "\"a, \"\"b\"\"\",exit status 2,,");
        assert_eq!(lines[2], "\"a, \"\"b\"\"\",ok,7,1");
        assert_eq!(lines[0], "script,outcome,checks,calls");
    }

    #[test]
    fn problems_are_in_every_form() {
        assert!(
            report()
                .markdown()
                .expect("there is no plot")
                .0
                .contains("## Problems\n\n* presets: it failed\n")
        );
        assert_eq!(report().json()["problems"][0], "presets: it failed");
    }
}
