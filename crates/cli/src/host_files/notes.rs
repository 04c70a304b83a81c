//! What a run has found out of the host, in a file of its results: a line for each question, with a hash of the answer.

use std::fs;
use std::io;
use std::path::Path;

use refrain_llvm::native::file_system::{HostEntry, HostKind};
use refrain_results::Source;

/// The name of the file.
pub const NOTES: &str = "host.txt";

/// What was asked, of which path, and a hash of the answer.
pub type Fact = (Question, Vec<u8>, String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    Look,
    List,
    /// Names that a text can be; the path is followed by its shape.
    Fit,
    Read,
}

impl Question {
    const ALL: [(Question, &'static str); 4] = [
        (Question::Look, "look"),
        (Question::List, "list"),
        (Question::Fit, "fit"),
        (Question::Read, "read"),
    ];

    fn word(self) -> &'static str {
        let known = Question::ALL.iter().find(|(question, _)| *question == self);
        known.map_or("", |(_, word)| word)
    }
}

/// Times do not count: to read a file changes one.
pub fn hash_of_entry(entry: &Result<HostEntry, i32>) -> String {
    let text = match entry {
        Err(error) => format!("error {error}"),
        Ok(entry) => {
            let HostEntry {
                kind,
                mode,
                user,
                group,
                size,
                ..
            } = entry;
            let size = if *kind == HostKind::Directory {
                0
            } else {
                *size
            };
            format!("{kind:?} {mode} {user} {group} {size}")
        }
    };
    Source::hash_of(text.as_bytes())
}

pub fn hash_of_names(names: &Result<Vec<Vec<u8>>, i32>) -> String {
    match names {
        Err(error) => Source::hash_of(format!("error {error}").as_bytes()),
        Ok(names) => Source::hash_of(&names.join(&0)),
    }
}

pub fn hash_of_content(content: &Result<Vec<u8>, i32>) -> String {
    match content {
        Err(error) => Source::hash_of(format!("error {error}").as_bytes()),
        Ok(content) => Source::hash_of(content),
    }
}

pub fn line_of(question: Question, path: &[u8], hash: &str) -> String {
    format!("{} {hash} {}\n", question.word(), path.escape_ascii())
}

/// What a run has noted; a line that is not whole was being written when it was killed.
pub fn facts_of(results: &Path) -> Result<Vec<Fact>, String> {
    let file = results.join(NOTES);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    let mut facts = Vec::new();
    for line in text.split_inclusive('\n') {
        let Some(line) = line.strip_suffix('\n') else {
            break;
        };
        let mut words = line.splitn(3, ' ');
        let parts = (words.next(), words.next(), words.next());
        let fact = match parts {
            (Some(word), Some(hash), Some(path)) => {
                let known = Question::ALL.iter().find(|(_, known)| *known == word);
                known.and_then(|(question, _)| Some((*question, unescape(path)?, hash.to_string())))
            }
            _ => None,
        };
        let wrong = || format!("{}: not what a run has noted: {line}", file.display());
        facts.push(fact.ok_or_else(wrong)?);
    }
    Ok(facts)
}

/// What `escape_ascii` made of bytes, back.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other => other,
            },
            byte => byte,
        });
    }
    Some(bytes)
}
