//! The layout of an LMDB file (0.9, data version 1, 64-bit page numbers), for its two readers here: the walk over
//! everything (`pages`) and the lookup of single rows (`reader`).
//!
//! The file is read with ordinary reads, not through LMDB's map of it: whatever somebody does to it meanwhile is an
//! error at worst. Nothing that it says is believed before it is checked.

use std::fs::File;
use std::io;

const MAGIC: u32 = 0xBEEF_C0DE;
const DATA_VERSION: u32 = 1;
pub(crate) const PAGE_HEAD: usize = 16;
const META_BYTES: usize = PAGE_HEAD + 136;
/// Where a meta page says which transaction wrote it.
const TRANSACTION: u64 = PAGE_HEAD as u64 + 128;
pub(crate) const TREE_BYTES: usize = 48;
pub(crate) const NODE_HEAD: usize = 8;
pub(crate) const META_PAGES: u64 = 2;
/// The root of a tree without pages.
pub(crate) const NO_ROOT: u64 = u64::MAX;
/// No tree is deeper: LMDB itself gives up there.
const DEEPEST: u16 = 32;

pub(crate) const BRANCH: u16 = 0x01;
pub(crate) const LEAF: u16 = 0x02;
pub(crate) const OVERFLOW: u16 = 0x04;
const META: u16 = 0x08;
pub(crate) const BIG_DATA: u16 = 0x01;
pub(crate) const SUB_TREE: u16 = 0x02;
const INTEGER_KEY: u16 = 0x08;

/// No file of ours has more pages.
const MOST_PAGES: u64 = 1 << 32;

#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    Damaged(String),
    /// The state that was asked for is gone: others have written since. To be asked again.
    Overtaken,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Fault::Damaged("the file is too short".into()),
            _ => Fault::Io(error),
        }
    }
}

pub(crate) fn damaged<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(what.into()))
}

pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { damaged(what()) }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_ne_bytes(number)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(number)
}

pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::FileExt;
        let (mut buffer, mut offset) = (buffer, offset);
        while !buffer.is_empty() {
            match file.seek_read(buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
            }
        }
        Ok(())
    }
}

/// What LMDB keeps about one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    pub pad: u32,
    pub flags: u16,
    pub depth: u16,
    pub counts: Counts,
    pub root: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub branches: u64,
    pub leaves: u64,
    pub overflow: u64,
    pub entries: u64,
}

impl Tree {
    pub fn read(bytes: &[u8]) -> Tree {
        Tree {
            pad: u32_at(bytes, 0),
            flags: u16_at(bytes, 4),
            depth: u16_at(bytes, 6),
            counts: Counts {
                branches: u64_at(bytes, 8),
                leaves: u64_at(bytes, 16),
                overflow: u64_at(bytes, 24),
                entries: u64_at(bytes, 32),
            },
            root: u64_at(bytes, 40),
        }
    }

    pub fn check_depth(&self) -> Result<(), Fault> {
        let expected = match self.root {
            NO_ROOT => 0..=0,
            _ => 1..=DEEPEST,
        };
        ensure(expected.contains(&self.depth), || {
            format!("a tree of depth {}", self.depth)
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Meta {
    pub page_bytes: usize,
    pub last_page: u64,
    pub transaction: u64,
    pub free: Tree,
    pub main: Tree,
}

impl Meta {
    fn read(file: &File, offset: u64, slot: u64) -> Result<Meta, Fault> {
        let mut page = [0; META_BYTES];
        read_at(file, &mut page, offset)?;
        let meta = &page[PAGE_HEAD..];
        ensure(
            u64_at(&page, 0) == slot && u16_at(&page, 10) == META,
            || format!("page {slot} is no meta page"),
        )?;
        ensure(
            u32_at(meta, 0) == MAGIC && u32_at(meta, 4) == DATA_VERSION,
            || "not an LMDB file of this version".into(),
        )?;
        let free = Tree::read(&meta[24..]);
        let page_bytes = free.pad as usize;
        ensure(
            page_bytes.is_power_of_two() && (512..=32768).contains(&page_bytes),
            || format!("a page size of {page_bytes}"),
        )?;
        ensure(u64_at(meta, 8) == 0 && free.flags == INTEGER_KEY, || {
            "unknown flags".into()
        })?;
        Ok(Meta {
            page_bytes,
            last_page: u64_at(meta, 120),
            transaction: u64_at(meta, 128),
            free,
            main: Tree::read(&meta[72..]),
        })
    }

    /// The transaction whose meta page now lies where this one was (`here`), or where the other one was.
    fn transaction_now(&self, file: &File, here: bool) -> Result<u64, Fault> {
        let slot = match here {
            true => self.transaction % META_PAGES,
            false => (self.transaction + 1) % META_PAGES,
        };
        let mut number = [0; 8];
        let offset = slot * self.page_bytes as u64 + TRANSACTION;
        read_at(file, &mut number, offset)?;
        Ok(u64::from_ne_bytes(number))
    }

    /// Whether nothing has been committed since.
    pub fn is_newest(&self, file: &File) -> Result<bool, Fault> {
        let other = self.transaction_now(file, false)?;
        Ok(other == self.transaction.saturating_sub(1))
    }

    /// Whether what has been read of this state was still that state.
    ///
    /// Transaction `t` overwrites pages that transactions up to `t - 2` have freed: those of states up to `t - 3`. When
    /// it begins, `t - 1` is committed, whose meta page lies where that of `t - 3` was.
    pub fn is_intact(&self, file: &File) -> Result<bool, Fault> {
        Ok(self.transaction_now(file, true)? == self.transaction)
    }
}

/// Both meta pages. `None`: the file is empty, LMDB will begin it anew.
fn metas(file: &File) -> Result<Option<[Meta; 2]>, Fault> {
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    let first = Meta::read(file, 0, 0)?;
    let second = Meta::read(file, first.page_bytes as u64, 1)?;
    for (slot, meta) in [&first, &second].into_iter().enumerate() {
        ensure(meta.page_bytes == first.page_bytes, || {
            "two page sizes".into()
        })?;
        ensure(
            (1..MOST_PAGES).contains(&meta.last_page) && meta.main.flags == 0,
            || format!("meta page {slot} is out of bounds"),
        )?;
    }
    // Transactions write the two in turn, the even ones the first.
    let (even, odd) = (first.transaction, second.transaction);
    ensure(
        (even == 0 && odd == 0) || (even % 2 == 0 && even.abs_diff(odd) == 1),
        || format!("meta pages of transactions {even} and {odd}"),
    )?;
    Ok(Some([first, second]))
}

/// The meta page of the newest state, read at a moment when nobody else was writing it. `None`: the file is empty.
pub(crate) fn newest_meta(file: &File) -> Result<Option<Meta>, Fault> {
    const ATTEMPTS: usize = 5;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(2);
    let mut last = Err(Fault::Overtaken);
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        last = match metas(file) {
            Ok(None) => return Ok(None),
            Ok(Some([even, odd])) => {
                let newest = match odd.transaction > even.transaction {
                    true => odd,
                    false => even,
                };
                // The next transaction writes the other page: as long as it has not, this one was not being written.
                match newest.is_newest(file) {
                    Ok(true) => return Ok(Some(newest)),
                    Ok(false) => Err(Fault::Overtaken),
                    Err(fault) => Err(fault),
                }
            }
            Err(Fault::Damaged(what)) => Err(Fault::Damaged(what)),
            Err(fault) => return Err(fault),
        };
    }
    last
}

/// A node of a page of a tree, within the page.
pub(crate) struct Node<'p> {
    pub flags: u16,
    pub key: &'p [u8],
    /// How long its data are, wherever they lie.
    pub data_bytes: usize,
    /// What follows the key in the page.
    rest: &'p [u8],
}

impl<'p> Node<'p> {
    pub fn at(page: &'p [u8], index: usize) -> Result<Node<'p>, Fault> {
        Node::within(page, index)
            .ok_or_else(|| Fault::Damaged("a node is out of its page's bounds".into()))
    }

    fn within(page: &'p [u8], index: usize) -> Option<Node<'p>> {
        let pointer = page.get(PAGE_HEAD + 2 * index..)?.first_chunk::<2>()?;
        let node = page.get(u16::from_ne_bytes(*pointer) as usize..)?;
        let (head, rest) = node.split_first_chunk::<NODE_HEAD>()?;
        let (key, rest) = rest.split_at_checked(u16_at(head, 6) as usize)?;
        Some(Node {
            flags: u16_at(head, 4),
            key,
            data_bytes: data_bytes(head),
            rest,
        })
    }

    /// The page that a node of a branch leads to.
    pub fn child(&self) -> u64 {
        self.data_bytes as u64 | u64::from(self.flags) << 32
    }

    /// Data that lie in the page.
    pub fn data(&self) -> Result<&'p [u8], Fault> {
        let data = self.rest.get(..self.data_bytes);
        data.ok_or_else(|| Fault::Damaged("data out of their page's bounds".into()))
    }

    /// The first page of data that have pages of their own.
    pub fn overflow_page(&self) -> Result<u64, Fault> {
        match self.rest.first_chunk::<8>() {
            Some(number) => Ok(u64::from_ne_bytes(*number)),
            None => damaged("data out of their page's bounds"),
        }
    }

    /// How long the node is, within a page of this kind.
    pub fn bytes(&self, page_flags: u16) -> usize {
        let data = match (page_flags, self.flags & BIG_DATA) {
            (BRANCH, _) => 0,
            (_, BIG_DATA) => 8,
            _ => self.data_bytes,
        };
        NODE_HEAD + self.key.len() + data
    }
}

/// The two halves of a number, as they lie in memory.
fn data_bytes(head: &[u8; NODE_HEAD]) -> usize {
    let (first, second) = (u16_at(head, 0) as usize, u16_at(head, 2) as usize);
    if cfg!(target_endian = "little") {
        first | second << 16
    } else {
        second | first << 16
    }
}

/// How many nodes a page has whose bounds have been checked.
pub(crate) fn node_count(page: &[u8]) -> usize {
    (u16_at(page, 12) as usize - PAGE_HEAD) / 2
}

/// The header of a page of a tree: the number it should have, a kind we know, bounds within the page.
pub(crate) fn check_head(number: u64, page: &[u8]) -> Result<(), Fault> {
    let wrong = |what: &str| format!("page {number}: {what}");
    let flags = u16_at(page, 10);
    let (lower, upper) = (u16_at(page, 12) as usize, u16_at(page, 14) as usize);
    ensure(u64_at(page, 0) == number, || wrong("has another number"))?;
    ensure(flags == BRANCH || flags == LEAF, || wrong("unknown kind"))?;
    ensure(
        PAGE_HEAD < lower && lower <= upper && upper <= page.len() && lower % 2 == 0,
        || wrong("bounds"),
    )
}
