//! `tests.pack`: all tests of a run in one file, which only grows.
//!
//! A file for each test costs more than exploring its path does: a directory entry, an inode, and a block for a few
//! hundred bytes. So the tests of a run are entries of one file, one after the other, in the order in which they were
//! found. An entry is a frame of 32 bytes and the test as JSON ([`Test::to_json`]); numbers have their lowest byte
//! first:
//!
//! | bytes | |
//! |---|---|
//! | 0..4 | `FE 'R' 'T' 01`: an entry starts here, version 1 of the format |
//! | 4..8 | the test's number |
//! | 8..16 | the length of the JSON |
//! | 16..24 | the checksum (XXH3, 64 bits) of the JSON |
//! | 24..32 | the checksum of bytes 0 to 24 |
//! | 32.. | the JSON |
//!
//! What follows from it:
//!
//! * A process that is killed leaves all entries whole but perhaps the last one, whose *torn tail* the reader ignores.
//!   The same holds for a disk that becomes full, and for whoever reads while a run still writes.
//! * The frame has a checksum of its own: if only the JSON is damaged, its length still holds, and the next entry is
//!   where it was. Where no frame is, the reader looks for the next one behind the last that it has seen: no text
//!   contains the byte FE, so no test can be taken for a frame.
//! * There is neither a head nor an index: files put one behind the other are a pack again. The reader finds all
//!   entries by going from frame to frame, and reads a test when it is asked for.
//! * Nothing is allocated by a length that reaches beyond the end of the file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::{ReadError, Test, test_name};

/// The name of the file in an output directory.
pub const PACK: &str = "tests.pack";

const MAGIC: [u8; 4] = [0xfe, b'R', b'T', 1];
const FRAME: usize = 32;

/// Appends a test. `json` is room to work in.
pub(crate) fn append(pack: &mut Vec<u8>, json: &mut String, test: &Test) {
    json.clear();
    test.encode_json(json);
    pack.extend(frame(test.number, json.as_bytes()));
    pack.extend_from_slice(json.as_bytes());
}

fn frame(number: u32, json: &[u8]) -> [u8; FRAME] {
    let mut frame = [0; FRAME];
    frame[..4].copy_from_slice(&MAGIC);
    frame[4..8].copy_from_slice(&number.to_le_bytes());
    frame[8..16].copy_from_slice(&(json.len() as u64).to_le_bytes());
    frame[16..24].copy_from_slice(&xxh3_64(json).to_le_bytes());
    let checksum = xxh3_64(&frame[..24]);
    frame[24..].copy_from_slice(&checksum.to_le_bytes());
    frame
}

/// Where a test is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u32,
    /// Of the JSON.
    start: u64,
    len: u64,
    checksum: u64,
}

impl Entry {
    /// What a whole frame that starts at `at` says.
    fn parse(frame: &[u8], at: u64) -> Option<Entry> {
        let frame: &[u8; FRAME] = frame.try_into().ok()?;
        let number = |range: std::ops::Range<usize>| {
            let bytes = frame[range].iter().rev();
            bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let is_whole = frame[..4] == MAGIC && number(24..32) == xxh3_64(&frame[..24]);
        is_whole.then(|| Entry {
            number: number(4..8) as u32,
            start: at + FRAME as u64,
            len: number(8..16),
            checksum: number(16..24),
        })
    }
}

/// The tests of a run, to be read in any order and by several threads.
#[derive(Debug)]
pub struct TestPack {
    path: PathBuf,
    /// Missing if nothing was written at all.
    file: Option<File>,
    /// By number.
    entries: Vec<Entry>,
    torn: Option<u64>,
    damaged: Vec<(u64, u64)>,
}

impl TestPack {
    /// Finds all tests of a file. One that is not there has none.
    pub fn open(path: &Path) -> Result<TestPack, ReadError> {
        let mut pack = TestPack {
            path: path.to_path_buf(),
            file: None,
            entries: Vec::new(),
            torn: None,
            damaged: Vec::new(),
        };
        let unreadable = |source| ReadError::Read {
            path: path.to_path_buf(),
            source,
        };
        match File::open(path) {
            Ok(file) => {
                pack.scan(&file).map_err(unreadable)?;
                pack.file = Some(file);
                Ok(pack)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(pack),
            Err(source) => Err(unreadable(source)),
        }
    }

    fn scan(&mut self, file: &File) -> io::Result<()> {
        let mut window = Window::new(file)?;
        let mut at = 0;
        // Where a frame may be that the length of the entry before reaches over.
        let mut unsure = 0;
        while at < window.size {
            let left = window.size - at;
            let entry = match left < FRAME as u64 {
                true => None,
                false => Entry::parse(window.bytes(at, FRAME)?, at),
            };
            if let Some(entry) = entry
                && entry.len <= left - FRAME as u64
            {
                self.entries.push(entry);
                unsure = entry.start;
                at = entry.start + entry.len;
                continue;
            }
            let next = window.next_frame(entry.map_or(unsure, |entry| entry.start))?;
            let is_torn = left < FRAME as u64 || entry.is_some();
            if next == window.size && is_torn {
                self.torn = Some(left);
            } else if next > at {
                self.damaged.push((at, next - at));
            }
            // Otherwise bytes are missing in the entry before, which shows when it is read.
            at = next;
            unsure = next;
        }
        self.entries.sort_by_key(|entry| entry.number);
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of the tests, in order.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.entries.iter().map(|entry| entry.number).collect();
        numbers.dedup();
        numbers
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The test of a number. Of entries that share one, as in files put together, any that is whole.
    pub fn read(&self, number: u32) -> Result<Test, ReadError> {
        let first = self.entries.partition_point(|entry| entry.number < number);
        let entries = self.entries[first..].iter();
        let mut found = Err(ReadError::NoTest {
            path: self.path.clone(),
            number,
        });
        for entry in entries.take_while(|entry| entry.number == number) {
            found = self.read_entry(entry);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Whether there is a test of a number, as it was written.
    pub fn has(&self, number: u32) -> bool {
        self.bytes_of(number).is_some()
    }

    /// The JSON of a test, if it is as it was written.
    fn bytes_of(&self, number: u32) -> Option<Vec<u8>> {
        let first = self.entries.partition_point(|entry| entry.number < number);
        let entries = self.entries[first..].iter();
        let mut entries = entries.take_while(|entry| entry.number == number);
        entries.find_map(|entry| self.bytes(entry).ok())
    }

    /// A pack of the tests of these numbers, each once.
    pub(crate) fn copy(&self, numbers: &BTreeSet<u32>, to: &mut impl Write) -> io::Result<()> {
        for &number in numbers {
            if let Some(json) = self.bytes_of(number) {
                to.write_all(&frame(number, &json))?;
                to.write_all(&json)?;
            }
        }
        Ok(())
    }

    fn read_entry(&self, entry: &Entry) -> Result<Test, ReadError> {
        let damaged = |reason: String| ReadError::Test {
            name: test_name(entry.number),
            path: self.path.clone(),
            reason,
        };
        let json = self.bytes(entry).map_err(damaged)?;
        let test = Test::from_json(&json).map_err(damaged)?;
        if test.number != entry.number {
            let reason = format!("it says that it is {}", test.name());
            return Err(damaged(reason));
        }
        Ok(test)
    }

    fn bytes(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        // The file was as long as that when it was scanned.
        let mut json = vec![0; entry.len as usize];
        let read = match &self.file {
            Some(file) => file.read_exact_at(&mut json, entry.start),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        read.map_err(|error| error.to_string())?;
        match xxh3_64(&json) == entry.checksum {
            true => Ok(json),
            false => Err("it is damaged: its checksum does not match".into()),
        }
    }

    /// The last entry is not whole: the run was killed while it wrote it, or is still writing. In words.
    pub fn torn_tail(&self) -> Option<String> {
        let torn = self.torn?;
        Some(format!(
            "{} ends within a test ({torn} bytes): the run was killed, or still goes on",
            self.path.display()
        ))
    }

    /// Parts of the file that are no tests, in words.
    pub fn damage(&self) -> Vec<String> {
        let parts = self.damaged.iter();
        parts
            .map(|(at, len)| {
                format!(
                    "{} is damaged: {len} bytes from byte {at} are no test",
                    self.path.display()
                )
            })
            .collect()
    }
}

/// A part of a file that moves forward over it.
struct Window<'a> {
    file: &'a File,
    size: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    const SIZE: u64 = 1 << 17;

    fn new(file: &'a File) -> io::Result<Window<'a>> {
        Ok(Window {
            file,
            size: file.metadata()?.len(),
            start: 0,
            bytes: Vec::new(),
        })
    }

    /// Some bytes of the file, which has so many.
    fn bytes(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let end = self.start + self.bytes.len() as u64;
        if at < self.start || at + len as u64 > end {
            let size = Window::SIZE.min(self.size - at).max(len as u64);
            self.bytes.resize(size as usize, 0);
            self.start = at;
            // A file that shrinks while it is read is an error.
            self.file.read_exact_at(&mut self.bytes, at)?;
        }
        let offset = (at - self.start) as usize;
        Ok(&self.bytes[offset..offset + len])
    }

    /// Where the next whole frame starts, or the end of the file.
    fn next_frame(&mut self, mut at: u64) -> io::Result<u64> {
        while self.size - at >= FRAME as u64 {
            let len = Window::SIZE.min(self.size - at);
            let bytes = self.bytes(at, len as usize)?;
            let frames = bytes.windows(FRAME).enumerate();
            let mut frames = frames.filter(|(_, frame)| frame[0] == MAGIC[0]);
            if let Some((offset, _)) = frames.find(|(_, frame)| Entry::parse(frame, 0).is_some()) {
                return Ok(at + offset as u64);
            }
            // A frame may start within the last bytes.
            at += len - (FRAME as u64 - 1);
        }
        Ok(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(bytes: &[u8]) -> TestPack {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(PACK);
        std::fs::write(&path, bytes).expect("a file");
        TestPack::open(&path).expect("it can be read")
    }

    fn frame(number: u32, len: u64, checksum: u64) -> Vec<u8> {
        let mut frame = MAGIC.to_vec();
        frame.extend(number.to_le_bytes());
        frame.extend(len.to_le_bytes());
        frame.extend(checksum.to_le_bytes());
        frame.extend(xxh3_64(&frame).to_le_bytes());
        frame
    }

    fn entry(number: u32, json: &str) -> Vec<u8> {
        let frame = frame(number, json.len() as u64, xxh3_64(json.as_bytes()));
        [&frame[..], json.as_bytes()].concat()
    }

    #[test]
    fn an_entry_is_as_it_is_documented() {
        let test = Test {
            number: 7,
            ..Test::default()
        };
        let (mut pack, mut json) = (b"before".to_vec(), "something".to_string());
        append(&mut pack, &mut json, &test);
        assert_eq!(pack, [b"before", &entry(7, &test.to_json())[..]].concat());
    }

    /// A length that was claimed rightly, as far as checksums tell, and is no length of anything.
    #[test]
    fn no_length_is_believed() {
        for len in [1, 1 << 31, 1 << 40, u64::MAX - 31, u64::MAX] {
            let pack = opened(&frame(1, len, 0));
            assert!(pack.is_empty() && pack.torn_tail().is_some(), "{len}");
        }
    }

    /// Whole entries that hold something else than they should.
    #[test]
    fn an_entry_that_is_no_test_is_told() {
        let said = |bytes: &[u8]| opened(bytes).read(1).expect_err("no test").to_string();
        assert!(said(&entry(1, "{")).contains("test000001 of "));
        let other = Test::default().to_json();
        assert!(said(&entry(1, &other)).ends_with("it says that it is test000000"));
        let unknown = r#"{"test":1,"outcome":{"kind":"error","error":"bad luck"}}"#;
        assert!(said(&entry(1, unknown)).ends_with("no kind of error called \"bad luck\""));
        let damaged = [&frame(1, 2, 0)[..], b"{}"].concat();
        assert!(said(&damaged).ends_with("its checksum does not match"));
    }

    /// What is no pack at all.
    #[test]
    fn a_file_of_something_else_is_damage() {
        for bytes in [
            &b"{ \"test\": 1 }                       "[..],
            &[0xfe; 500_000],
        ] {
            let pack = opened(bytes);
            assert!(pack.is_empty() && pack.damage().len() == 1);
        }
    }
}
