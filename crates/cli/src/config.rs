//! `refrain.toml`: the switches that a project usually wants. The command line wins.
//!
//! A table for each command, with its long switches as keys: `[run]`, `max-time = 60`, `cflags = "-Iinclude"`, `check
//! = ["overflow"]`. It is looked for in the current directory and those above it. Paths in it are meant from where it
//! is.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::{Table, Value};

use crate::given::takes_several;

const NAME: &str = "refrain.toml";

/// The arguments of the process with those of the project's file put in, if there is one.
pub fn arguments(command: &Command, given: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let Ok(matches) = command.clone().try_get_matches_from(&given) else {
        // Whoever parses them next says what is wrong.
        return Ok(given);
    };
    let named = matches.get_one::<PathBuf>("config");
    let Some(file) = find(named.map(PathBuf::as_path))? else {
        return Ok(given);
    };
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(given);
    };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let table: Table = text
        .parse()
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let switches = switches(command, &table, name, matches, &file)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    // The command's name is the first word that is no switch, nor the value of one.
    let is_value = |at: usize| given[at - 1] == "--log" || given[at - 1] == "--config";
    let at = (1..given.len()).find(|&at| given[at] == name && !is_value(at));
    let mut arguments = given.clone();
    if let Some(at) = at {
        arguments.splice(at + 1..at + 1, switches);
    }
    Ok(arguments)
}

/// Whether there is a file that nobody has named.
pub fn is_found() -> bool {
    !matches!(find(None), Ok(None))
}

/// The file that is named, or the nearest one.
fn find(named: Option<&Path>) -> Result<Option<PathBuf>, String> {
    match named {
        Some(path) if path == Path::new("none") => Ok(None),
        Some(path) if path.is_file() => Ok(Some(path.to_path_buf())),
        Some(path) => Err(format!("there is no {}", path.display())),
        None => {
            let here = std::env::current_dir().unwrap_or_default();
            let mut folders = here.ancestors().map(|folder| folder.join(NAME));
            Ok(folders.find(|file| file.is_file()))
        }
    }
}

/// What a file says about a command, as arguments, but for what was given.
fn switches(
    command: &Command,
    table: &Table,
    name: &str,
    given: &ArgMatches,
    file: &Path,
) -> Result<Vec<OsString>, String> {
    for (key, value) in table {
        if command.find_subcommand(key).is_none() {
            return Err(format!(
                "there is no command {key}; `refrain --help` lists them"
            ));
        }
        if !value.is_table() {
            return Err(format!("[{key}] is to be a table of switches"));
        }
    }
    // To watch a program is to run it again and again.
    let section = match name {
        "watch" if !table.contains_key(name) => "run",
        name => name,
    };
    let Some(Value::Table(wanted)) = table.get(section) else {
        return Ok(Vec::new());
    };
    let command = command.find_subcommand(name).ok_or("no such command")?;
    let is_given =
        |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let mut switches = Vec::new();
    for (key, value) in wanted {
        let mut known = command.get_arguments();
        let arg = known
            .find(|arg| arg.get_long() == Some(key))
            .ok_or_else(|| {
                format!("[{name}] has no switch {key}; `refrain {name} --help` lists them")
            })?;
        // Either of two may say that they exclude each other.
        let excludes = |one: &Arg, other: &Arg| {
            let excluded = command.get_arg_conflicts_with(one);
            excluded.iter().any(|arg| arg.get_id() == other.get_id())
        };
        let mut others = command.get_arguments().filter(|other| is_given(other));
        if is_given(arg) || others.any(|other| excludes(arg, other) || excludes(other, arg)) {
            continue;
        }
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let base = file.parent().filter(|_| is_path);
        switches
            .extend(written(key, value, arg, base).map_err(|error| format!("[{name}] {error}"))?);
    }
    Ok(switches)
}

/// One entry as arguments.
fn written(
    key: &str,
    value: &Value,
    arg: &Arg,
    base: Option<&Path>,
) -> Result<Vec<OsString>, String> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => Err(format!("{key}: not a value for a switch")),
    };
    let one = |value: &Value| {
        let text = text(value)?;
        let text = match base {
            Some(base) if text != "none" => base.join(text).into_os_string(),
            _ => text.into(),
        };
        let mut switch = OsString::from(format!("--{key}="));
        switch.push(text);
        Ok(switch)
    };
    if takes_several(arg) {
        // `sym-args = [0, 2, 4]`, `"0 2 4"`, or an array of these.
        let is_one = |value: &Value| !matches!(value, Value::Array(_) | Value::String(_));
        let list = match value {
            Value::Array(values) if !values.iter().any(is_one) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let mut words = Vec::new();
        for value in list {
            words.push(format!("--{key}").into());
            let texts = match value {
                Value::String(text) => text.split_whitespace().map(String::from).collect(),
                Value::Array(values) => values.iter().map(text).collect::<Result<Vec<_>, _>>()?,
                value => vec![text(value)?],
            };
            words.extend(texts.into_iter().map(OsString::from));
        }
        return Ok(words);
    }
    match value {
        Value::Boolean(true) if is_flag => Ok(vec![format!("--{key}").into()]),
        Value::Boolean(false) if is_flag => Ok(Vec::new()),
        _ if is_flag => Err(format!("{key} is to be true or false")),
        Value::Array(values) => values.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}
