//! What gives a tree its meaning: entry, inputs, arithmetic, checks, library, versions; whatever the caller says. A
//! text file of keys and values with a checksum; every log names it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::MemoError;

const FILE: &str = "header";
const FORMAT: &str = "refrain memo tree ";
const VERSION: &str = "1";

/// Keys and their values. Trees of different headers have nothing in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header(pub BTreeMap<String, String>);

impl Header {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Names the header in logs.
    pub(crate) fn checksum(&self) -> u64 {
        xxh3_64(self.body().as_bytes())
    }

    fn body(&self) -> String {
        let mut text = format!("{FORMAT}{VERSION}\n");
        for (key, value) in &self.0 {
            text += &format!("{}={}\n", escaped(key), escaped(value));
        }
        text
    }

    fn text(&self) -> String {
        format!("{}checksum {:016x}\n", self.body(), self.checksum())
    }

    pub(crate) fn read(directory: &Path) -> Result<Header, MemoError> {
        let path = directory.join(FILE);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(MemoError::Missing {
                    path: directory.to_path_buf(),
                });
            }
            read => read.map_err(MemoError::io(&path))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let first = text.lines().next().unwrap_or_default();
        if let Some(found) = first.strip_prefix(FORMAT)
            && found != VERSION
        {
            let found = found.to_string();
            return Err(MemoError::Version { path, found });
        }
        let lines = text.lines().filter_map(|line| line.split_once('='));
        let header = Header(
            lines
                .map(|(key, value)| (unescaped(key), unescaped(value)))
                .collect(),
        );
        // There is one way to write it.
        if header.text().as_bytes() != bytes {
            return Err(MemoError::Damaged {
                path,
                offset: 0,
                what: "the header is not what was written",
            });
        }
        Ok(header)
    }

    /// There is a header or there is none, whenever the process ends.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), MemoError> {
        let hidden = directory.join(format!(".{FILE}.{}", std::process::id()));
        let path = directory.join(FILE);
        if path.exists() {
            return Err(MemoError::Exists {
                path: directory.to_path_buf(),
            });
        }
        let mut file = fs::File::create(&hidden).map_err(MemoError::io(&hidden))?;
        file.write_all(self.text().as_bytes())
            .and_then(|()| fs::rename(&hidden, &path))
            .map_err(MemoError::io(&path))
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped += "\\\\",
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '=' => escaped += "\\e",
            c => escaped.push(c),
        }
    }
    escaped
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('e') => '=',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_keys_and_values_read_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pairs = [
            ("a=b", "c\nd\\n\r="),
            ("", ""),
            ("entry", "main"),
            ("é", "=\\"),
        ];
        let header = Header(pairs.map(|(k, v)| (k.into(), v.into())).into());
        header.write(folder.path()).expect("a header");
        assert_eq!(Header::read(folder.path()).expect("a header"), header);
        let again = header.write(folder.path());
        assert!(matches!(again, Err(MemoError::Exists { .. })));
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let header = Header([("entry".into(), "main".into())].into());
        header.write(folder.path()).expect("a header");
        let path = folder.path().join(FILE);
        let bytes = fs::read(&path).expect("a file");
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, changed).expect("a file");
            assert!(Header::read(folder.path()).is_err(), "bit {bit}");
        }
    }
}
