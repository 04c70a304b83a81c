//! What an experiment has to say: tables, plots and sentences in their order, as Markdown and as HTML.

use crate::error::Result;
use crate::table::Table;

use super::plot::Plot;

#[derive(Clone, Debug)]
pub enum Block {
    Heading(String),
    /// A sentence, or some.
    Text(String),
    /// What a paper claims, and whether it is so here.
    Finding {
        claim: String,
        holds: bool,
        why: String,
    },
    Table(Table),
    Plot(Plot),
}

/// The blocks of a study.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub blocks: Vec<Block>,
    /// What cannot be right.
    pub problems: Vec<String>,
}

impl Page {
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    pub fn finding(&mut self, claim: &str, holds: bool, why: impl Into<String>) {
        self.blocks.push(Block::Finding {
            claim: claim.to_owned(),
            holds,
            why: why.into(),
        });
    }

    /// One without rows says nothing.
    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    /// One without anything to be seen says nothing.
    pub fn plot(&mut self, plot: Plot) {
        if !plot.is_empty() {
            self.blocks.push(Block::Plot(plot));
        }
    }

    /// Tables and nothing else.
    pub fn of(tables: Vec<Table>) -> Page {
        Page {
            blocks: tables.into_iter().map(Block::Table).collect(),
            problems: Vec::new(),
        }
    }

    /// As Markdown; plots are files beside it, which are returned by name.
    pub fn markdown(&self) -> Result<(String, Vec<(String, String)>)> {
        let mut text = String::new();
        let mut plots = Vec::new();
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => text += &format!("# {heading}\n"),
                Block::Text(words) => text += &format!("{words}\n"),
                Block::Finding { claim, holds, why } => {
                    text += &format!("* **{}**: {claim}. {why}\n", verdict(*holds));
                }
                Block::Table(table) => text += &table.markdown(),
                Block::Plot(plot) => {
                    let file = format!("{:02}-{}.svg", plots.len() + 1, file_name(&plot.title));
                    text += &format!("![{}]({file})\n", plot.title.replace(['[', ']'], ""));
                    plots.push((file, plot.svg()?));
                }
            }
        }
        Ok((text, plots))
    }
}

/// What is said of a finding.
pub fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "does not hold here" }
}

fn file_name(title: &str) -> String {
    let letters = title.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    let name: String = letters.collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::plot::Kind;

    #[test]
    fn a_plot_is_a_file_beside_the_text() {
        let mut page = Page::default();
        page.heading("Reuse");
        page.finding("It helps", false, "Not here.");
        page.table(Table::new("Nothing", &["x"]));
        page.plot(Plot {
            title: "Paths, over time (5K)".to_owned(),
            x: "s".to_owned(),
            y: "paths".to_owned(),
            kind: Kind::Lines(vec![("full".to_owned(), vec![(0.0, 1.0)])]),
        });
        let (text, plots) = page.markdown().expect("drawn");
        assert!(text.contains("# Reuse\n\n* **does not hold here**: It helps. Not here.\n"));
        assert!(!text.contains("Nothing"));
        assert!(text.contains("(01-paths-over-time-5k.svg)"));
        assert_eq!(plots.len(), 1);
    }
}
