//! Other solvers' command lines: under the name of z3, yices-smt2 or bitwuzla, `refrain` is what tools that look for
//! that name expect, and `refrain smt` takes the switches that z3 is started with.
//!
//! Switches that change no answer (verbosity, seeds, strategies) are accepted and mean nothing here.

use std::ffi::OsString;
use std::path::Path;

use refrain_smtlib::z3::is_parameter;

/// What another solver says of itself: tools look for its name and compare the number.
const Z3_VERSION: &str = "Z3 version 4.13.0 - 64 bit";
const YICES_VERSION: &str = "Yices 2.6.5";
const BITWUZLA_VERSION: &str = "0.9.1";

/// What a command line of another solver means here.
#[derive(Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The command line of `refrain`.
    Arguments(Vec<OsString>),
    /// Text to be printed, and nothing else.
    Say(String),
}

/// The command line as `refrain` has it, whatever name it was started under.
pub fn arguments(given: Vec<OsString>) -> Result<Meaning, String> {
    let name = given.first().map(|first| Path::new(first).file_name());
    let name = name.flatten().and_then(|name| name.to_str());
    let translate = match name {
        Some("z3") => z3,
        Some("yices-smt2" | "yices_smt2") => yices,
        Some("bitwuzla") => bitwuzla,
        _ => return Ok(Meaning::Arguments(within_smt(given)?)),
    };
    translate(&given[1..])
}

/// `refrain smt` with switches of z3 among its own.
fn within_smt(mut given: Vec<OsString>) -> Result<Vec<OsString>, String> {
    if given.get(1).is_none_or(|command| command != "smt") {
        return Ok(given);
    }
    let own = given.split_off(2);
    for argument in own {
        match argument.to_str().map(z3_switch).transpose()?.flatten() {
            Some(meant) => given.extend(meant),
            None => given.push(argument),
        }
    }
    Ok(given)
}

fn smt(arguments: Vec<OsString>) -> Meaning {
    let mut all: Vec<OsString> = vec!["refrain".into(), "smt".into()];
    all.extend(arguments);
    Meaning::Arguments(all)
}

fn said(version: &str) -> Meaning {
    Meaning::Say(format!("{version} (refrain {})", env!("CARGO_PKG_VERSION")))
}

fn help(name: &str) -> Meaning {
    Meaning::Say(format!(
        "refrain under the name of {name}, with its usual switches; `refrain smt --help` tells all others"
    ))
}

fn z3(given: &[OsString]) -> Result<Meaning, String> {
    let mut meant = Vec::new();
    for argument in given {
        let text = argument.to_str().unwrap_or_default();
        match text {
            "-version" | "--version" => return Ok(said(Z3_VERSION)),
            "-h" | "-?" | "-help" | "--help" => return Ok(help("z3")),
            _ => match z3_switch(text)? {
                Some(switch) => meant.extend(switch),
                None if text.starts_with('-') => {
                    return Err(format!("z3's switch {text} is not known here"));
                }
                None => meant.push(argument.clone()),
            },
        }
    }
    Ok(smt(meant))
}

/// What a switch of z3 means; `None` if it is none.
fn z3_switch(text: &str) -> Result<Option<Vec<OsString>>, String> {
    // Both spellings of a switch: one dash or two.
    let short = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
    let nothing = Ok(Some(Vec::new()));
    match (short, short.and_then(|short| short.split_once(':'))) {
        (Some("in" | "smt2" | "st" | "nw" | "model"), _) => nothing,
        (_, Some(("T", seconds))) => {
            let seconds = number(text, seconds)?;
            Ok(Some(switch("--total-time", seconds)))
        }
        (_, Some(("t", milliseconds))) => {
            let seconds = number(text, milliseconds)? / 1e3;
            Ok(Some(switch("--max-time", seconds)))
        }
        (_, Some(("v" | "memory", level))) => {
            number(text, level)?;
            nothing
        }
        (None, _) => match text.split_once('=') {
            // A script may have such a name.
            Some((name, value)) if !Path::new(text).exists() => z3_parameter(name, value).map(Some),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Parameters of z3 that mean something here, or nothing for answers.
fn z3_parameter(name: &str, value: &str) -> Result<Vec<OsString>, String> {
    match name {
        "timeout" => Ok(switch("--max-time", number(name, value)? / 1e3)),
        "model_validate" if value == "true" => Ok(vec!["--check-models".into()]),
        _ if is_parameter(name) => Ok(Vec::new()),
        _ => Err(format!("z3's parameter '{name}' is not known here")),
    }
}

/// What a switch of a solver means that has its switches as most programs do.
#[derive(Clone, Copy)]
enum Switch {
    Version(&'static str),
    Help,
    /// Nothing for answers.
    Nothing,
    /// Nothing, and neither does the value that follows.
    NothingWithValue,
    CheckModels,
    /// How long everything may take, in so many units a second.
    Total(f64),
    /// How long each check may take.
    Check(f64),
}

type Switches = &'static [(&'static [&'static str], Switch)];

const YICES: Switches = &[
    (&["--version", "-V"], Switch::Version(YICES_VERSION)),
    (&["--help", "-h"], Switch::Help),
    (
        &["--incremental", "--interactive", "--smt2-model-format"],
        Switch::Nothing,
    ),
    (&["--mcsat", "--stats", "-s"], Switch::Nothing),
    (
        &["--verbosity", "-v", "--delegate"],
        Switch::NothingWithValue,
    ),
    (&["--timeout", "-t"], Switch::Total(1.0)),
];

const BITWUZLA: Switches = &[
    (&["--version"], Switch::Version(BITWUZLA_VERSION)),
    (&["--help", "-h"], Switch::Help),
    (
        &["-m", "--produce-models", "--no-produce-models", "-v"],
        Switch::Nothing,
    ),
    // Of earlier versions, as yosys-smtbmc starts it.
    (&["--smt2", "-i", "--incremental"], Switch::Nothing),
    (
        &["--produce-unsat-cores", "--produce-unsat-assumptions"],
        Switch::Nothing,
    ),
    (
        &[
            "--lang",
            "--verbosity",
            "--sat-solver",
            "-S",
            "--seed",
            "-s",
        ],
        Switch::NothingWithValue,
    ),
    (
        &[
            "--bv-solver",
            "--rewrite-level",
            "-rwl",
            "--bv-output-format",
        ],
        Switch::NothingWithValue,
    ),
    (&["--nthreads", "-j"], Switch::NothingWithValue),
    (&["--check-model"], Switch::CheckModels),
    (&["--time-limit", "-t"], Switch::Total(1e3)),
    (&["--time-limit-per", "-T"], Switch::Check(1e3)),
];

fn yices(given: &[OsString]) -> Result<Meaning, String> {
    by_switches("yices-smt2", YICES, given)
}

fn bitwuzla(given: &[OsString]) -> Result<Meaning, String> {
    by_switches("bitwuzla", BITWUZLA, given)
}

fn by_switches(solver: &str, known: Switches, given: &[OsString]) -> Result<Meaning, String> {
    let mut meant = Vec::new();
    let mut rest = given.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if !text.starts_with('-') {
            meant.push(argument.clone());
            continue;
        }
        let (name, value) = text
            .split_once('=')
            .map_or((text, None), |(name, value)| (name, Some(value)));
        let found = known.iter().find(|(names, _)| names.contains(&name));
        let (_, found) =
            found.ok_or_else(|| format!("{solver}'s switch {name} is not known here"))?;
        let mut value = || value.or_else(|| rest.next()?.to_str()).unwrap_or_default();
        match *found {
            Switch::Version(version) => return Ok(said(version)),
            Switch::Help => return Ok(help(solver)),
            Switch::Nothing => {}
            Switch::NothingWithValue => {
                value();
            }
            Switch::CheckModels => meant.push("--check-models".into()),
            Switch::Total(unit) => {
                meant.extend(switch("--total-time", number(name, value())? / unit))
            }
            Switch::Check(unit) => {
                meant.extend(switch("--max-time", number(name, value())? / unit))
            }
        }
    }
    Ok(smt(meant))
}

fn switch(name: &str, seconds: f64) -> Vec<OsString> {
    vec![name.into(), seconds.to_string().into()]
}

fn number(name: &str, value: &str) -> Result<f64, String> {
    let whole: Result<u32, _> = value.parse();
    whole
        .map(f64::from)
        .map_err(|_| format!("{name} takes a number, not '{value}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(given: &[&str]) -> Result<String, String> {
        let given = given.iter().map(OsString::from).collect();
        arguments(given).map(|meaning| match meaning {
            Meaning::Say(text) => text,
            Meaning::Arguments(all) => {
                let all: Vec<&str> = all.iter().filter_map(|one| one.to_str()).collect();
                all.join(" ")
            }
        })
    }

    #[test]
    fn z3_as_tools_start_it() {
        let cases = [
            (&["/usr/bin/z3", "-in", "-smt2"][..], "refrain smt"),
            (
                &["z3", "-T:10", "a.smt2"],
                "refrain smt --total-time 10 a.smt2",
            ),
            (
                &["z3", "-t:500", "-v:2", "-in"],
                "refrain smt --max-time 0.5",
            ),
            (
                &["z3", "timeout=2000", "smt.random_seed=3", "model=true", "x"],
                "refrain smt --max-time 2 x",
            ),
            (
                &["refrain", "smt", "-in", "--reuse", "full"],
                "refrain smt --reuse full",
            ),
            (&["refrain", "run", "a=b"], "refrain run a=b"),
        ];
        for (given, expected) in cases {
            assert_eq!(meaning(given).as_deref(), Ok(expected), "{given:?}");
        }
        assert!(meaning(&["z3", "-version"]).is_ok_and(|text| text.starts_with("Z3 version 4.")));
        for wrong in [&["z3", "foo=1"][..], &["z3", "-T:x"], &["z3", "-nonsense"]] {
            assert!(meaning(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn yices_and_bitwuzla_as_tools_start_them() {
        let cases = [
            (&["yices-smt2", "--incremental"][..], "refrain smt"),
            (
                &["yices-smt2", "--timeout=3", "a"],
                "refrain smt --total-time 3 a",
            ),
            (
                &["yices-smt2", "-t", "3", "-v", "2", "a"],
                "refrain smt --total-time 3 a",
            ),
            (
                &["bitwuzla", "-T", "1500", "--lang", "smt2", "a"],
                "refrain smt --max-time 1.5 a",
            ),
            (&["bitwuzla", "--smt2", "-i"], "refrain smt"),
            (
                &["bitwuzla", "--time-limit=1000", "-m"],
                "refrain smt --total-time 1",
            ),
        ];
        for (given, expected) in cases {
            assert_eq!(meaning(given).as_deref(), Ok(expected), "{given:?}");
        }
        assert!(meaning(&["yices-smt2", "--nonsense"]).is_err());
        assert!(meaning(&["bitwuzla", "--version"]).is_ok_and(|text| text.starts_with("0.")));
    }
}
