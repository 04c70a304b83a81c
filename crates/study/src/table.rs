//! Tables: aligned text for a terminal, and Markdown.

use std::fmt::{self, Write};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    Left,
    Right,
}

/// Rows under a title, and what must be said about them.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    remarks: Vec<String>,
}

impl Table {
    /// A table without rows. A column is aligned to the right if its name begins with `>`.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Table {
        let column = |name: &&str| match name.strip_prefix('>') {
            Some(name) => (name.to_owned(), Align::Right),
            None => ((*name).to_owned(), Align::Left),
        };
        Table {
            title: title.into(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds a row; cells it lacks are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Adds a line that stands below the table.
    pub fn remark(&mut self, line: impl Into<String>) {
        self.remarks.push(line.into());
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn columns(&self) -> &[(String, Align)] {
        &self.columns
    }

    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n|", self.title);
        let escape = |cell: &str| cell.replace('|', "\\|");
        for (name, _) in &self.columns {
            let _ = write!(text, " {} |", escape(name));
        }
        text.push_str("\n|");
        for (_, align) in &self.columns {
            text.push_str(match align {
                Align::Left => "---|",
                Align::Right => "---:|",
            });
        }
        for row in &self.rows {
            text.push_str("\n|");
            for cell in row {
                let _ = write!(text, " {} |", escape(cell));
            }
        }
        text.push('\n');
        for remark in &self.remarks {
            let _ = write!(text, "\n{remark}\n");
        }
        text
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |place: usize| {
            let cells = self.rows.iter().map(|row| &row[place]);
            let all = cells.chain([&self.columns[place].0]);
            all.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &String>| {
            let mut line = String::new();
            for ((cell, (_, align)), &width) in cells.zip(&self.columns).zip(&widths) {
                let _ = match align {
                    Align::Left => write!(line, "{cell:width$}  "),
                    Align::Right => write!(line, "{cell:>width$}  "),
                };
            }
            line.trim_end().to_owned()
        };
        writeln!(out, "{}\n", self.title)?;
        let names = line(&mut self.columns.iter().map(|(name, _)| name));
        let rule: usize = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        writeln!(out, "{names}\n{}", "-".repeat(rule))?;
        for row in &self.rows {
            writeln!(out, "{}", line(&mut row.iter()))?;
        }
        for remark in &self.remarks {
            writeln!(out, "{remark}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let mut table = Table::new("Two presets", &["preset", ">calls"]);
        table.row(["full".to_owned(), "7".to_owned()]);
        table.row(["a|b".to_owned(), "1000000".to_owned()]);
        table.remark("That is all.");
        table
    }

    #[test]
    fn text_is_aligned() {
        let expected = "Two presets\n\npreset    calls\n---------------\nfull          7\na|b     1000000\nThat is all.\n";
        assert_eq!(example().to_string(), expected);
    }

    #[test]
    fn markdown_says_the_same() {
        let expected = "## Two presets\n\n| preset | calls |\n|---|---:|\n| full | 7 |\n| a\\|b | 1000000 |\n\nThat is all.\n";
        assert_eq!(example().markdown(), expected);
    }
}
