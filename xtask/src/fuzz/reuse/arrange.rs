//! Command lines of the solver under test: which presets and which layers it has, and a rotation over them.

use crate::random::Rng;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// How one process is started.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrangement {
    preset: String,
    without: Vec<String>,
    recheck: bool,
    store: Store,
}

/// Where answers are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Store {
    /// With those of the episode.
    Shared,
    Nowhere,
    /// The command knows no store.
    Unknown,
}

impl Arrangement {
    /// The options in words; `directory` is where store and statistics are.
    pub fn options(&self, directory: &Path) -> Vec<String> {
        let mut words = vec!["--reuse".to_string(), self.preset.clone()];
        for layer in &self.without {
            words.extend(["--without".to_string(), layer.clone()]);
        }
        if self.recheck {
            words.push("--recheck".to_string());
        }
        let place = match self.store {
            Store::Shared => Some(directory.join("store").display().to_string()),
            Store::Nowhere => Some("none".to_string()),
            Store::Unknown => None,
        };
        words.extend(
            place
                .into_iter()
                .flat_map(|place| ["--store".to_string(), place]),
        );
        words
    }

    /// What its statistics are counted under.
    pub fn group(&self) -> String {
        match self.without.as_slice() {
            [] => self.preset.clone(),
            [gates] if gates == "gates" => format!("{}, no gates", self.preset),
            _ => format!("{}, fewer layers", self.preset),
        }
    }
}

/// What the solver under test can be told.
pub struct Variety {
    presets: Vec<Preset>,
    store: bool,
}

struct Preset {
    name: String,
    /// What `--without` takes with it.
    layers: Vec<String>,
    /// `--store` takes a place with it.
    keeps: bool,
}

/// Nothing can be kept here, which costs a warning; where a store has no effect it is refused.
const NO_PLACE: &str = "/dev/null/store";

impl Variety {
    /// Reads the command's help, and tries every word of it that may be a preset or a layer.
    pub fn of(command: &[String], wanted: &[String]) -> Result<Variety> {
        let help = help(command)?;
        let store = help.contains("--store");
        let accepts = |options: &[&str]| {
            let nowhere: &[&str] = if store { &["--store", "none"] } else { &[] };
            accepts(command, &[options, nowhere].concat())
        };
        let mut presets = words_about(&help, "--reuse");
        presets.retain(|word| accepts(&["--reuse", word]));
        if !wanted.is_empty() {
            if let Some(unknown) = wanted.iter().find(|word| !accepts(&["--reuse", word])) {
                bail!("there is no preset {unknown}");
            }
            presets = wanted.to_vec();
        }
        if presets.is_empty() {
            bail!("the command under test has no --reuse");
        }
        let mut layers = words_about(&help, "--without");
        layers.retain(|word| accepts(&["--without", word]));
        let presets = presets.into_iter().map(|name| {
            let has = |layer: &&String| accepts(&["--reuse", &name, "--without", layer]);
            Preset {
                layers: layers.iter().filter(has).cloned().collect(),
                keeps: store && self::accepts(command, &["--reuse", &name, "--store", NO_PLACE]),
                name,
            }
        });
        Ok(Variety {
            presets: presets.collect(),
            store,
        })
    }

    pub fn describe(&self) -> String {
        let describe = |preset: &Preset| {
            let mut text = preset.name.clone();
            if !preset.layers.is_empty() {
                text += &format!(" (--without {})", preset.layers.join(", "));
            }
            if preset.keeps {
                text += " with a store";
            }
            text
        };
        let presets: Vec<String> = self.presets.iter().map(describe).collect();
        format!("presets {}", presets.join("; "))
    }

    /// `full` half of the time; without gates most of the time, so that every layer is tried.
    pub fn draw(&self, rng: &mut Rng) -> Arrangement {
        let full = self.presets.iter().find(|preset| preset.name == "full");
        let preset = match full {
            Some(full) if rng.percent(45) => full,
            _ => rng.pick(&self.presets),
        };
        let mut without: Vec<String> = Vec::new();
        let gates = preset.layers.iter().find(|layer| *layer == "gates");
        without.extend(gates.filter(|_| rng.percent(80)).cloned());
        if !preset.layers.is_empty() && rng.percent(25) {
            for _ in 0..rng.between(1, 3) {
                let layer = rng.pick(&preset.layers);
                if !without.contains(layer) {
                    without.push(layer.clone());
                }
            }
        }
        // Answers are kept by canonical form.
        let keeps = preset.keeps && without.iter().all(|layer| layer != "canonize");
        Arrangement {
            preset: preset.name.clone(),
            without,
            recheck: rng.percent(75),
            store: match self.store {
                true if keeps && rng.percent(90) => Store::Shared,
                true => Store::Nowhere,
                false => Store::Unknown,
            },
        }
    }

    pub fn has_store(&self) -> bool {
        self.store
    }
}

fn help(command: &[String]) -> Result<String> {
    let output = prepared(command)?
        .arg("--help")
        .output()
        .with_context(|| format!("cannot start {}", command.join(" ")))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn prepared(command: &[String]) -> Result<Command> {
    let (program, arguments) = command.split_first().context("an empty command")?;
    let mut prepared = Command::new(program);
    prepared.args(arguments).stdin(Stdio::null());
    Ok(prepared)
}

/// Does a session with these options end well when nothing is asked?
fn accepts(command: &[String], options: &[&str]) -> bool {
    prepared(command)
        .and_then(|mut command| Ok(command.args(options).output()?))
        .is_ok_and(|output| output.status.success())
}

/// The words of the help on one option: from the line that begins with it up to the next option.
pub(super) fn words_about(help: &str, option: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut inside = false;
    for line in help.lines() {
        let line = line.trim();
        if line.starts_with('-') {
            inside = line.split_whitespace().next() == Some(option);
            continue;
        }
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
        if inside {
            let line = line.split(|c: char| !is_name(c));
            words.extend(line.filter(|word| word.len() > 2).map(str::to_string));
        }
    }
    words.sort();
    words.dedup();
    words
}
