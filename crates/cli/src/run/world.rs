//! The switches that make parts of a program's world symbolic: arguments, standard input, files, environment. And
//! KLEE's spelling of them, after the program.

use clap::Args;
use refrain_machine::{Argument, Bytes, Contents, Named, World};

use crate::given::Given;

/// More arguments are not to be had.
const MOST_ARGUMENTS: u32 = 255;
/// An argument, or a variable of the environment, is no longer.
const MOST_ARGUMENT_BYTES: u32 = 4096;
/// A file, or standard input, has no more symbolic bytes.
const MOST_BYTES: u32 = 1 << 20;
/// So many lengths are as many paths.
const MOST_LENGTHS: u32 = 4096;
/// A, B, … Z
const MOST_FILES: u32 = 26;

/// What of a whole program's world is symbolic.
#[derive(Args, Clone, Default)]
pub struct SymbolicWorld {
    /// Between MIN and MAX symbolic arguments of at most LEN bytes each, in front of those that are given
    #[arg(
        long,
        value_names = ["MIN", "MAX", "LEN"],
        num_args = 3,
        help_heading = WHOLE_PROGRAMS
    )]
    sym_args: Vec<String>,

    /// One symbolic argument of at most LEN bytes; may be repeated. Among the program's arguments, @sym:LEN is one
    #[arg(long, value_name = "LEN", help_heading = WHOLE_PROGRAMS)]
    sym_arg: Vec<String>,

    /// Standard input is so many symbolic bytes; 0..16: of any length from 0 to 16
    #[arg(long, value_name = "SIZE", help_heading = WHOLE_PROGRAMS)]
    sym_stdin: Option<String>,

    /// N files of symbolic contents, named A, B, …; SIZE may be 0..16, here and below
    #[arg(
        long,
        value_names = ["N", "SIZE"],
        num_args = 2,
        help_heading = WHOLE_PROGRAMS
    )]
    sym_files: Vec<String>,

    /// A file of symbolic contents; may be repeated
    #[arg(long, value_name = "NAME=SIZE", help_heading = WHOLE_PROGRAMS)]
    sym_file: Vec<String>,

    /// A variable of the environment with a symbolic value of at most LEN bytes; may be repeated
    #[arg(long, value_name = "NAME=LEN", help_heading = WHOLE_PROGRAMS)]
    sym_env: Vec<String>,

    /// Take --sym-args, --sym-arg, --sym-files and --sym-stdin among the program's arguments at their places, as KLEE
    /// does
    #[arg(long, help_heading = WHOLE_PROGRAMS)]
    posix_runtime: bool,
}

const WHOLE_PROGRAMS: &str = "Whole programs";

impl SymbolicWorld {
    /// The world of a program that was named so and given these words. `given` has the switches in their order.
    pub fn world(&self, name: &[u8], words: &[Vec<u8>], given: &Given) -> Result<World, String> {
        let mut world = World::default();
        world.args.push(Argument::Given(name.into()));
        for (switch, values) in given.each() {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            match (switch, &values[..]) {
                ("sym-arg", [length]) => world.args.push(one_argument(length)?),
                ("sym-args", values) => world.args.push(several_arguments(values)?),
                _ => {}
            }
        }
        if let Some(size) = &self.sym_stdin {
            world.stdin = Some(contents("--sym-stdin", size)?);
        }
        for words in self.sym_files.chunks(2) {
            if let [count, size] = words {
                add_files(&mut world, count, size)?;
            }
        }
        for text in &self.sym_file {
            let (name, size) = named("--sym-file", text)?;
            if name.is_empty() || name.ends_with('/') || name.contains('\0') {
                return Err(format!("--sym-file {text}: {name:?} is no name of a file"));
            }
            let contents = contents("--sym-file", size)?;
            add_file(&mut world, name, contents)?;
        }
        for text in &self.sym_env {
            let (name, length) = named("--sym-env", text)?;
            if name.is_empty() || name.contains('\0') {
                return Err(format!(
                    "--sym-env {text}: {name:?} is no name of a variable"
                ));
            }
            if world
                .environment
                .iter()
                .any(|known| known.name.0 == name.as_bytes())
            {
                return Err(format!(
                    "--sym-env {text}: there is a variable {name} already"
                ));
            }
            let most = length_of("--sym-env", length)?;
            world.environment.push(Named {
                name: name.into(),
                contents: Contents::Symbolic { least: most, most },
            });
        }
        match self.posix_runtime {
            true => {
                posix_words(&mut world, words)?;
            }
            false => {
                for word in words {
                    world.args.push(given_word(word)?);
                }
            }
        }
        Ok(world)
    }

    /// How many system calls may fail, if that is said in KLEE's words.
    pub fn max_fail(&self, words: &[Vec<u8>]) -> Result<Option<u32>, String> {
        match self.posix_runtime {
            true => posix_max_fail(words),
            false => Ok(None),
        }
    }

    /// What is probably not meant.
    pub fn hint(&self, words: &[Vec<u8>]) -> Option<String> {
        let mut words = words.iter().map(|word| String::from_utf8_lossy(word));
        let word = words.find(|word| !self.posix_runtime && posix_switch(word).is_some())?;
        Some(format!(
            "{word} behind the program is an argument of the program: put it in front of the program, or give \
             --posix-runtime to have it mean what it means to KLEE"
        ))
    }
}

/// A word of the command line; `@sym:4` at its end is four symbolic bytes.
fn given_word(word: &[u8]) -> Result<Argument, String> {
    const MARK: &[u8] = b"@sym:";
    let at = word.windows(MARK.len()).rposition(|part| part == MARK);
    let Some((given, length)) = at.map(|at| (&word[..at], &word[at + MARK.len()..])) else {
        return Ok(Argument::Given(word.into()));
    };
    match str::from_utf8(length) {
        Ok(length) if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(Argument::Symbolic {
                given: given.into(),
                bytes: length_of("@sym", length)?,
            })
        }
        _ => Ok(Argument::Given(word.into())),
    }
}

/// A switch of KLEE's POSIX runtime, and how many words follow it.
fn posix_switch(word: &str) -> Option<(&'static str, usize)> {
    let name = word.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    Some(match name {
        "sym-args" => ("sym-args", 3),
        "sym-arg" => ("sym-arg", 1),
        "sym-files" => ("sym-files", 2),
        "sym-stdin" => ("sym-stdin", 1),
        "sym-stdout" => ("sym-stdout", 0),
        "save-all-writes" => ("save-all-writes", 0),
        "max-fail" => ("max-fail", 1),
        "fd-fail" => ("fd-fail", 0),
        _ => return None,
    })
}

/// How many system calls may fail, if words of KLEE's POSIX runtime say.
pub fn posix_max_fail(words: &[Vec<u8>]) -> Result<Option<u32>, String> {
    posix_words(&mut World::default(), words)
}

/// Words that KLEE's POSIX runtime would be given. How many system calls may fail, if they say.
fn posix_words(world: &mut World, words: &[Vec<u8>]) -> Result<Option<u32>, String> {
    let mut failures = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = String::from_utf8_lossy(word);
        let Some((switch, count)) = posix_switch(&text) else {
            world.args.push(Argument::Given(word.as_slice().into()));
            continue;
        };
        let values: Vec<String> = { words.by_ref().take(count) }
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        if values.len() < count {
            return Err(format!("{text} needs {count} numbers behind it"));
        }
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        match (switch, &values[..]) {
            ("sym-args", values) => world.args.push(several_arguments(values)?),
            ("sym-arg", [length]) => world.args.push(one_argument(length)?),
            ("sym-files", [files, size]) => add_files(world, files, size)?,
            ("sym-stdin", [size]) => world.stdin = Some(contents("--sym-stdin", size)?),
            // Output is kept in any case.
            ("sym-stdout" | "save-all-writes", _) => {}
            ("max-fail", [most]) => failures = Some(number("--max-fail", most, u32::MAX)?),
            // One of them.
            _ => failures = Some(1),
        }
    }
    Ok(failures)
}

fn one_argument(length: &str) -> Result<Argument, String> {
    Ok(Argument::Symbolic {
        given: Bytes::default(),
        bytes: length_of("--sym-arg", length)?,
    })
}

fn several_arguments(words: &[&str]) -> Result<Argument, String> {
    const SWITCH: &str = "--sym-args";
    let &[least, most, length] = words else {
        return Err(format!("{SWITCH} takes MIN MAX LEN"));
    };
    let (least, most) = (
        number(SWITCH, least, MOST_ARGUMENTS)?,
        number(SWITCH, most, MOST_ARGUMENTS)?,
    );
    if least > most {
        return Err(format!(
            "{SWITCH} {}: MIN is more than MAX",
            words.join(" ")
        ));
    }
    Ok(Argument::Several {
        least,
        most,
        bytes: length_of(SWITCH, length)?,
    })
}

fn add_files(world: &mut World, count: &str, size: &str) -> Result<(), String> {
    const SWITCH: &str = "--sym-files";
    let count = number(SWITCH, count, MOST_FILES)?;
    let contents = contents(SWITCH, size)?;
    for letter in ('A'..='Z').take(count as usize) {
        add_file(world, &letter.to_string(), contents.clone())?;
    }
    Ok(())
}

fn add_file(world: &mut World, name: &str, contents: Contents) -> Result<(), String> {
    if { world.files.iter() }.any(|file| file.name.0 == name.as_bytes()) {
        return Err(format!("there are two symbolic files {name}"));
    }
    world.files.push(Named {
        name: name.into(),
        contents,
    });
    Ok(())
}

fn length_of(switch: &str, text: &str) -> Result<u32, String> {
    number(switch, text, MOST_ARGUMENT_BYTES)
}

fn number(switch: &str, text: &str, most: u32) -> Result<u32, String> {
    match text.parse::<u64>() {
        Ok(number) if number <= u64::from(most) => Ok(number as u32),
        Ok(_) => Err(format!("{switch} {text}: at most {most}")),
        Err(_) => Err(format!("{switch}: {text:?} is no number")),
    }
}

/// `16`, or `0..16`: any length from 0 to 16.
fn contents(switch: &str, text: &str) -> Result<Contents, String> {
    let Some((least, most)) = text.split_once("..") else {
        let size = number(switch, text, MOST_BYTES)?;
        return Ok(Contents::Symbolic {
            least: size,
            most: size,
        });
    };
    let (least, most) = (
        number(switch, least, MOST_BYTES)?,
        number(switch, most, MOST_BYTES)?,
    );
    if least > most {
        return Err(format!(
            "{switch} {text}: the first length is more than the last"
        ));
    }
    if most - least > MOST_LENGTHS {
        return Err(format!("{switch} {text}: at most {MOST_LENGTHS} lengths"));
    }
    Ok(Contents::Symbolic { least, most })
}

fn named<'t>(switch: &str, text: &'t str) -> Result<(&'t str, &'t str), String> {
    text.rsplit_once('=')
        .ok_or_else(|| format!("{switch} {text}: expected NAME=SIZE"))
}
