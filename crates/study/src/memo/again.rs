//! The second run of the examples: unchanged, and after an edit of one line.

use std::fs;

use crate::error::{Result, at};
use crate::explore::bench::{Bench, Start, Subject, Trial};
use crate::explore::exploration::Exploration;
use crate::explore::program::{Program, Source};
use crate::figures::{FAILED, NOTHING};
use crate::table::Table;

use super::comparison::{ALIKE, ends};

const EXPERIMENT: &str = "again";

/// An example, with bounds for which there is something to do and an end to it.
struct Example {
    name: &'static str,
    options: &'static str,
    edits: &'static [Edit],
}

/// One line that becomes another.
struct Edit {
    what: &'static str,
    from: &'static str,
    to: &'static str,
}

const EXAMPLES: [Example; 5] = [
    Example {
        name: "packet",
        options: "--max-depth 44",
        edits: &[
            Edit {
                what: "the last return",
                from: "return state.names > 2 ? 7 : 0;",
                to: "return state.names > 3 ? 7 : 0;",
            },
            Edit {
                what: "a check of options",
                from: "if (at[0] == 3 && at[1] == 3)",
                to: "if (at[0] == 3 && at[1] == 3 && end - at > 2)",
            },
            Edit {
                what: "the first check",
                from: "header > FIXED + MOST",
                to: "header >= FIXED + MOST",
            },
        ],
    },
    Example {
        name: "image",
        options: "--max-depth 50",
        edits: &[
            Edit {
                what: "the last return",
                from: "return image.frames ? 0 : 5;",
                to: "return image.frames > 1 ? 0 : 5;",
            },
            Edit {
                what: "frames of a palette",
                from: "image->frames += 2;",
                to: "image->frames += 3;",
            },
            Edit {
                what: "the first check",
                from: "at[2] != 'M'",
                to: "at[2] != 'N'",
            },
        ],
    },
    Example {
        name: "checksum",
        options: "",
        edits: &[
            Edit {
                what: "a case of the last switch",
                from: "return amount % 97 == 1 ? 0 : 4;",
                to: "return amount % 97 == 2 ? 0 : 4;",
            },
            Edit {
                what: "the first sum",
                from: "two % 255 == at[1]",
                to: "two % 254 == at[1]",
            },
        ],
    },
    Example {
        name: "expression",
        options: "--cflags=-DSIZE=7",
        edits: &[
            Edit {
                what: "the last return",
                from: "return value == 42 ? 0 : 2;",
                to: "return value == 43 ? 0 : 2;",
            },
            Edit {
                what: "the check of an index",
                from: "index * index > 64",
                to: "index * index > 49",
            },
        ],
    },
    Example {
        name: "regex",
        options: "--cflags=-DSIZE=8",
        edits: &[
            Edit {
                what: "the end of a pattern",
                from: "return *text == '\\0';",
                to: "return *text == '!';",
            },
            Edit {
                what: "the first check",
                from: "if (re[0] == '^')",
                to: "if (re[0] == '!')",
            },
        ],
    },
];

/// A version of an example.
struct Version {
    what: &'static str,
    subject: Subject,
}

pub fn measure(bench: &mut Bench, rounds: u32) -> Result<()> {
    let mut table = Table::new(
        "The second run",
        &[
            "program",
            "second version",
            ">paths",
            ">kept",
            ">instructions",
            ">again",
            ">calls",
            ">again",
            ">s",
            ">again",
            ">times",
        ],
    );
    table.remark(
        "Each second version is explored from nothing, and again from the tree of the first; seconds are those of the \
         whole process, compiling included.",
    );
    for example in &EXAMPLES {
        let versions = example.versions(bench)?;
        let mut firsts = Vec::new();
        for version in &versions {
            firsts.push(example.run(bench, version, rounds, None)?);
        }
        for (version, whole) in versions.iter().zip(&firsts) {
            let again = match &firsts[0] {
                Some(first) => example.run(bench, version, rounds, Some(first))?,
                None => None,
            };
            if let (Some(whole), Some(again)) = (whole, &again)
                && ends(whole) != ends(again)
            {
                bench.problem(format!(
                    "{EXPERIMENT}: {}, {}: other paths than from nothing",
                    example.name, version.what
                ));
            }
            let name = [example.name, version.what].map(str::to_owned);
            let figures = figures(whole.as_ref(), again.as_ref());
            table.row(name.into_iter().chain(figures));
        }
    }
    bench.publish(table)
}

impl Example {
    /// The example as it is, and with each edit.
    fn versions(&self, bench: &mut Bench) -> Result<Vec<Version>> {
        let program = Program::named(self.name);
        let Source::Text(text) = program.source else {
            unreachable!("examples are part of this program");
        };
        let mut subjects = bench.subjects(std::slice::from_ref(&program))?;
        let mut versions = vec![Version {
            what: "unchanged",
            subject: subjects.remove(0),
        }];
        let own = &versions[0].subject.path;
        let mut edited = Vec::new();
        for (number, edit) in self.edits.iter().enumerate() {
            // In a folder of its own: it has the same name.
            let folder = own.with_extension(number.to_string());
            fs::create_dir_all(&folder).map_err(at(&folder))?;
            let path = folder.join(own.file_name().unwrap_or_default());
            fs::write(&path, text.replace(edit.from, edit.to)).map_err(at(&path))?;
            let name = self.name.to_owned();
            edited.push(Version {
                what: edit.what,
                subject: Subject { name, path },
            });
        }
        versions.extend(edited);
        Ok(versions)
    }

    /// The best of some rounds, from nothing or from the tree of a first run; nothing if one failed.
    fn run(
        &self,
        bench: &mut Bench,
        version: &Version,
        rounds: u32,
        first: Option<&Exploration>,
    ) -> Result<Option<Exploration>> {
        let start = first.map_or(Start::Nothing, Start::Version);
        let from = if first.is_some() { "again" } else { "whole" };
        let variant = format!("{}, {from}", version.what);
        let mut best: Option<Exploration> = None;
        for round in 0..rounds {
            let trial = Trial {
                experiment: EXPERIMENT,
                variant: &variant,
                options: format!("{ALIKE} {}", self.options),
                variables: &[],
                round,
            };
            let Some(run) = bench.measure_from(&version.subject, &trial, start)? else {
                return Ok(None);
            };
            if best.as_ref().is_none_or(|best| run.wall < best.wall) {
                best = Some(run);
            }
        }
        Ok(best)
    }
}

fn figures(whole: Option<&Exploration>, again: Option<&Exploration>) -> [String; 9] {
    let (Some(whole), Some(again)) = (whole, again) else {
        let mut failed = [FAILED; 9].map(str::to_owned);
        failed[8] = NOTHING.to_owned();
        return failed;
    };
    [
        again.paths().to_string(),
        again.kept.to_string(),
        whole.instructions.to_string(),
        again.instructions.to_string(),
        whole.calls.to_string(),
        again.calls.to_string(),
        format!("{:.2}", whole.wall),
        format!("{:.2}", again.wall),
        format!("{:.1}", whole.wall / again.wall.max(1e-9)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_is_of_one_place() {
        for example in &EXAMPLES {
            let Source::Text(text) = Program::named(example.name).source else {
                panic!("{} is not an example", example.name);
            };
            for edit in example.edits {
                assert_eq!(text.matches(edit.from).count(), 1, "{}", edit.from);
            }
        }
    }
}
