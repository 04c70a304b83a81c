//! The switches that a command was given, as words that are kept with its results and given again.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// Each with its value, if it takes one. A switch that was given several times is there as often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(Vec<(String, Option<String>)>);

impl Given {
    /// What a command was given, by the project's file or on the command line.
    pub fn of(command: &Command, matches: &ArgMatches) -> Given {
        let mut given = Vec::new();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let is_known = matches.try_contains_id(id).is_ok();
            let Some(name) = argument.get_long().filter(|_| is_known) else {
                continue;
            };
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            if !argument.get_action().takes_values() {
                given.push((name.to_string(), None));
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                given.push((name.to_string(), Some(value.to_string_lossy().into_owned())));
            }
        }
        Given(given)
    }

    /// What [`words`](Given::words) wrote.
    pub fn read(words: &[String]) -> Given {
        let switch = |word: &String| {
            let word = word.trim_start_matches("--");
            match word.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (word.to_string(), None),
            }
        };
        Given(words.iter().map(switch).collect())
    }

    pub fn words(&self) -> Vec<String> {
        let word = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        };
        self.0.iter().map(word).collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| given == name)
    }

    /// The value of a switch, as it was last given.
    pub fn value(&self, name: &str) -> Option<&str> {
        let given = self.0.iter().rev().find(|(given, _)| given == name)?;
        given.1.as_deref()
    }

    pub fn without(mut self, names: &[&str]) -> Given {
        self.0.retain(|(name, _)| !names.contains(&name.as_str()));
        self
    }

    /// With what was given later, which wins.
    pub fn and_then(mut self, later: Given) -> Given {
        self.0.retain(|(name, _)| !later.has(name));
        self.0.extend(later.0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_and_later_ones_win() {
        let words = [
            "--cflags=-DA=1 -I x",
            "--cflags=-O2",
            "--max-time=3",
            "--complete",
        ];
        let words = words.map(String::from);
        let given = Given::read(&words);
        assert_eq!(given.words(), words);
        let later = Given::read(&["--cflags=-O1".into(), "--jobs=2".into()]);
        let both = ["--max-time=3", "--complete", "--cflags=-O1", "--jobs=2"];
        assert_eq!(given.and_then(later).words(), both);
    }
}
