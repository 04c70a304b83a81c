//! A log: a file that only grows, by whole blocks. Numbers have their lowest byte first.
//!
//! | head | |
//! |---|---|
//! | 0..8 | `RMEMOLOG` |
//! | 8..12 | the log's number, which is also its name |
//! | 12..16 | the number of its run |
//! | 16..20 | 1: it is a whole tree, and takes the place of all logs of smaller numbers; else 0 |
//! | 20..28 | the checksum (XXH3, 64 bits) of the header |
//! | 28..36 | the checksum of bytes 0 to 28 |
//!
//! | block | |
//! |---|---|
//! | 0..4 | `FE 'M' 'B' 01` |
//! | 4..8 | the length of what follows the frame |
//! | 8..12 | its length when it is decompressed (LZ4) |
//! | 12..20 | its checksum, with the checksum of the block before, or of the head, as the seed |
//! | 20..28 | the checksum of bytes 0 to 20 |
//! | 28.. | columns, compressed |
//!
//! As checksums are chained, no block can be missing, doubled or elsewhere unnoticed. A process that is killed leaves
//! all blocks whole but perhaps the last one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::MemoError;
use crate::seal::LogEnd;

const MAGIC: [u8; 8] = *b"RMEMOLOG";
const HEAD: usize = 36;
const BLOCK_MAGIC: [u8; 4] = [0xfe, b'M', b'B', 1];
const FRAME: usize = 28;

/// LZ4 cannot compress better than this.
const BEST_RATIO: u64 = 256;

/// What a log says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub number: u32,
    pub run: u32,
    pub is_whole: bool,
    /// The checksum of the header.
    pub header: u64,
}

impl Head {
    fn encode(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.number.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.run.to_le_bytes());
        bytes[16] = u8::from(self.is_whole);
        bytes[20..28].copy_from_slice(&self.header.to_le_bytes());
        let checksum = xxh3_64(&bytes[..28]);
        bytes[28..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// How a log without blocks ends.
    pub fn end(&self) -> LogEnd {
        LogEnd {
            number: self.number,
            size: HEAD as u64,
            chain: u64_at(&self.encode(), 28),
        }
    }

    fn decode(bytes: &[u8; HEAD]) -> Option<Head> {
        let head = Head {
            number: u32_at(bytes, 8),
            run: u32_at(bytes, 12),
            is_whole: bytes[16] == 1,
            header: u64_at(bytes, 20),
        };
        // There is one way to write it.
        (head.encode() == *bytes).then_some(head)
    }
}

pub(crate) fn path_of(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("{number:04}.log"))
}

/// The numbers of all logs of a directory, in order.
pub(crate) fn numbers(directory: &Path) -> Result<Vec<u32>, MemoError> {
    let mut numbers = Vec::new();
    let entries = std::fs::read_dir(directory).map_err(MemoError::io(directory))?;
    for entry in entries {
        let name = entry.map_err(MemoError::io(directory))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".log"));
        let number = number.and_then(|number| number.parse().ok());
        numbers.extend(number.filter(|&number| name == *path_of("".as_ref(), number)));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Appends blocks to a new file.
pub(crate) struct LogFile {
    file: File,
    end: LogEnd,
    block: Vec<u8>,
}

impl LogFile {
    /// The path must not be there yet.
    pub fn create(path: &Path, head: &Head) -> io::Result<LogFile> {
        let mut file = File::create_new(path)?;
        file.write_all(&head.encode())?;
        Ok(LogFile {
            file,
            end: head.end(),
            block: Vec::new(),
        })
    }

    pub fn append(&mut self, raw: &[u8]) -> io::Result<()> {
        let too_large = || io::Error::other("a block of more than 4 GiB");
        let most = lz4_flex::block::get_maximum_output_size(raw.len());
        self.block.resize(FRAME + most, 0);
        let (frame, payload) = self.block.split_at_mut(FRAME);
        let len = lz4_flex::block::compress_into(raw, payload).map_err(io::Error::other)?;
        let checksum = xxh3_64_with_seed(&payload[..len], self.end.chain);
        let raw_len = u32::try_from(raw.len()).map_err(|_| too_large())?;
        let packed_len = u32::try_from(len).map_err(|_| too_large())?;
        frame[..4].copy_from_slice(&BLOCK_MAGIC);
        frame[4..8].copy_from_slice(&packed_len.to_le_bytes());
        frame[8..12].copy_from_slice(&raw_len.to_le_bytes());
        frame[12..20].copy_from_slice(&checksum.to_le_bytes());
        let frame_checksum = xxh3_64(&frame[..20]);
        frame[20..].copy_from_slice(&frame_checksum.to_le_bytes());
        self.end.chain = checksum;
        self.end.size += (FRAME + len) as u64;
        self.file.write_all(&self.block[..FRAME + len])
    }

    /// How it ends, as far as everything could be written.
    pub fn end(&self) -> LogEnd {
        self.end
    }

    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

struct Frame {
    len: u64,
    raw_len: u64,
    checksum: u64,
}

impl Frame {
    fn decode(bytes: &[u8]) -> Option<Frame> {
        let bytes: &[u8; FRAME] = bytes.try_into().ok()?;
        let is_whole = bytes[..4] == BLOCK_MAGIC && u64_at(bytes, 20) == xxh3_64(&bytes[..20]);
        is_whole.then(|| Frame {
            len: u32_at(bytes, 4).into(),
            raw_len: u32_at(bytes, 8).into(),
            checksum: u64_at(bytes, 12),
        })
    }
}

/// What is wrong with the rest of a log.
#[derive(Debug)]
pub(crate) enum Flaw {
    Io(io::Error),
    /// Nothing whole comes after it.
    Torn,
    Damaged(&'static str),
}

impl From<io::Error> for Flaw {
    fn from(error: io::Error) -> Flaw {
        Flaw::Io(error)
    }
}

/// Reads a log block by block.
pub(crate) struct LogReader {
    file: File,
    pub head: Head,
    size: u64,
    /// Where the next block starts.
    pub offset: u64,
    chain: u64,
    payload: Vec<u8>,
    raw: Vec<u8>,
}

impl LogReader {
    pub fn open(path: &Path) -> Result<LogReader, Flaw> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        if size < HEAD as u64 {
            return Err(Flaw::Torn);
        }
        let mut bytes = [0; HEAD];
        file.read_exact(&mut bytes)?;
        let damaged = Flaw::Damaged("this is no head of a log");
        Ok(LogReader {
            file,
            head: Head::decode(&bytes).ok_or(damaged)?,
            size,
            offset: HEAD as u64,
            chain: u64_at(&bytes, 28),
            payload: Vec::new(),
            raw: Vec::new(),
        })
    }

    /// The next block, decompressed; none at the end.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Flaw> {
        let left = self.size - self.offset;
        if left == 0 {
            return Ok(None);
        }
        if left < FRAME as u64 {
            return Err(Flaw::Torn);
        }
        let mut frame = [0; FRAME];
        self.file.read_exact(&mut frame)?;
        let Some(frame) = Frame::decode(&frame) else {
            return Err(self.flaw_at(self.offset + 1, "there is no block")?);
        };
        let after = left - FRAME as u64;
        if frame.len > after {
            return Err(Flaw::Torn);
        }
        if frame.raw_len > frame.len * BEST_RATIO {
            return Err(Flaw::Damaged("a block is larger than it can be"));
        }
        self.payload.resize(frame.len as usize, 0);
        self.file.read_exact(&mut self.payload)?;
        let end = self.offset + FRAME as u64 + frame.len;
        if xxh3_64_with_seed(&self.payload, self.chain) != frame.checksum {
            return Err(self.flaw_at(end, "the checksum of a block does not match")?);
        }
        self.raw.resize(frame.raw_len as usize, 0);
        let len = lz4_flex::block::decompress_into(&self.payload, &mut self.raw);
        if len.ok() != Some(self.raw.len()) {
            return Err(Flaw::Damaged("a block cannot be decompressed"));
        }
        self.chain = frame.checksum;
        self.offset = end;
        Ok(Some(&self.raw))
    }

    /// Something is wrong in front of `from`: in the last block, or in one that others follow.
    fn flaw_at(&mut self, from: u64, what: &'static str) -> io::Result<Flaw> {
        let mut rest = Vec::new();
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_to_end(&mut rest)?;
        let mut frames = rest.windows(FRAME);
        let is_last =
            !frames.any(|bytes| bytes[0] == BLOCK_MAGIC[0] && Frame::decode(bytes).is_some());
        Ok(match is_last {
            true => Flaw::Torn,
            false => Flaw::Damaged(what),
        })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// How it ends, as far as it was read.
    pub fn end(&self) -> LogEnd {
        LogEnd {
            number: self.head.number,
            size: self.offset,
            chain: self.chain,
        }
    }
}

/// Cuts the torn tail of a log off; a torn head is written anew.
pub(crate) fn mend(path: &Path, head: &Head, offset: u64) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    file.set_len(offset)?;
    if offset < HEAD as u64 {
        file.set_len(0)?;
        file.write_all(&head.encode())?;
    }
    Ok(())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + 4].iter().rev();
    bytes.fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at + 4)) << 32 | u64::from(u32_at(bytes, at))
}
