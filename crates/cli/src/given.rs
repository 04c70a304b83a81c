//! The switches that a command was given, as words that are kept with its results and given again.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// Each with its values: none, one, or as many as it takes. A switch that was given several times is there as often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(Vec<(String, Vec<String>)>);

impl Given {
    /// What a command was given, by the project's file or on the command line, in its order.
    pub fn of(command: &Command, matches: &ArgMatches) -> Given {
        let mut given: Vec<(usize, (String, Vec<String>))> = Vec::new();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let is_known = matches.try_contains_id(id).is_ok();
            let Some(name) = argument.get_long().filter(|_| is_known) else {
                continue;
            };
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let mut places = matches.indices_of(id).into_iter().flatten();
            if !argument.get_action().takes_values() {
                let place = places.next().unwrap_or_default();
                given.push((place, (name.to_string(), Vec::new())));
                continue;
            }
            let belong_together = takes_several(argument);
            for values in matches.get_raw_occurrences(id).into_iter().flatten() {
                let values = values.map(|value| value.to_string_lossy().into_owned());
                // What a delimiter has parted are values of their own.
                let values: Vec<(usize, String)> = values
                    .map(|value| (places.next().unwrap_or_default(), value))
                    .collect();
                if belong_together {
                    let place = values.first().map_or(0, |&(place, _)| place);
                    let values = values.into_iter().map(|(_, value)| value).collect();
                    given.push((place, (name.to_string(), values)));
                } else {
                    let one = |(place, value)| (place, (name.to_string(), vec![value]));
                    given.extend(values.into_iter().map(one));
                }
            }
        }
        given.sort_by_key(|&(place, _)| place);
        Given(given.into_iter().map(|(_, switch)| switch).collect())
    }

    /// What [`words`](Given::words) wrote.
    pub fn read(words: &[String]) -> Given {
        let switch = |word: &String| {
            let word = word.trim_start_matches("--");
            let Some(at) = word.find(['=', ' ']) else {
                return (word.to_string(), Vec::new());
            };
            let (name, rest) = word.split_at(at);
            let values = match rest.strip_prefix('=') {
                Some(value) => vec![value.to_string()],
                None => rest.split_whitespace().map(String::from).collect(),
            };
            (name.to_string(), values)
        };
        Given(words.iter().map(switch).collect())
    }

    /// One word for each: `--name`, `--name=value` or `--name value value`.
    pub fn words(&self) -> Vec<String> {
        let word = |(name, values): &(String, Vec<String>)| match &values[..] {
            [] => format!("--{name}"),
            [value] => format!("--{name}={value}"),
            values => format!("--{name} {}", values.join(" ")),
        };
        self.0.iter().map(word).collect()
    }

    /// As they are given to a command.
    pub fn command_line(&self) -> Vec<String> {
        let words = |(name, values): &(String, Vec<String>)| match &values[..] {
            [] => vec![format!("--{name}")],
            [value] => vec![format!("--{name}={value}")],
            values => { [format!("--{name}")].into_iter() }
                .chain(values.iter().cloned())
                .collect(),
        };
        self.0.iter().flat_map(words).collect()
    }

    /// Every switch with its values, in order.
    pub fn each(&self) -> impl Iterator<Item = (&str, &[String])> {
        { self.0.iter() }.map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| given == name)
    }

    /// The value of a switch, as it was last given.
    pub fn value(&self, name: &str) -> Option<&str> {
        let given = self.0.iter().rev().find(|(given, _)| given == name)?;
        given.1.first().map(String::as_str)
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

/// Whether a switch takes several values at once, that belong together.
pub fn takes_several(argument: &Arg) -> bool {
    let count = argument.get_num_args();
    count.is_some_and(|count| count.min_values() > 1)
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
            "--sym-args 0 2 4",
        ];
        let words = words.map(String::from);
        let given = Given::read(&words);
        assert_eq!(given.words(), words);
        let later = Given::read(&["--cflags=-O1".into(), "--jobs=2".into()]);
        let both = [
            "--max-time=3",
            "--complete",
            "--sym-args 0 2 4",
            "--cflags=-O1",
            "--jobs=2",
        ];
        let both = both.map(String::from);
        let given = given.and_then(later);
        assert_eq!(given.words(), both);
        assert_eq!(given.command_line()[2..6], ["--sym-args", "0", "2", "4"]);
    }
}
