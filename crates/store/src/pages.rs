//! Is the file a sound LMDB file? Asked before LMDB touches it.
//!
//! LMDB believes its pages: a flipped bit in a page number or an offset makes it read or write outside of the file, and
//! the process dies. Records have checksums of their own, but the tree that leads to them has none. So a file that may
//! have been changed by anything but LMDB is walked here first, with ordinary reads and every number checked: both meta
//! pages, all trees, the order of all keys, the list of free pages, and that every page of the file is used exactly
//! once. What passes cannot lead LMDB astray; what the records say is left to their checksums.
//!
//! The walk sees one state of the file, that of a read transaction which the caller holds open: its pages do not change
//! under us, whoever else writes. The layout is that of LMDB 0.9, data version 1, with 64-bit page numbers.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::rc::Rc;

const MAGIC: u32 = 0xBEEF_C0DE;
const DATA_VERSION: u32 = 1;
const PAGE_HEAD: usize = 16;
const META_BYTES: usize = PAGE_HEAD + 136;
const TREE_BYTES: usize = 48;
const NODE_HEAD: usize = 8;
const META_PAGES: u64 = 2;

const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const META: u16 = 0x08;
const BIG_DATA: u16 = 0x01;
const SUB_TREE: u16 = 0x02;
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

fn damaged<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(what.into()))
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { damaged(what()) }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_ne_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(number)
}

/// What LMDB keeps about one tree.
#[derive(Clone, Copy, Debug)]
struct Tree {
    pad: u32,
    flags: u16,
    depth: u16,
    counts: Counts,
    root: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    branches: u64,
    leaves: u64,
    overflow: u64,
    entries: u64,
}

impl Tree {
    fn read(bytes: &[u8]) -> Tree {
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
}

#[derive(Clone, Debug)]
struct Meta {
    page_bytes: usize,
    last_page: u64,
    transaction: u64,
    free: Tree,
    main: Tree,
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
}

fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
    }
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
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

/// The meta pages, read at a moment when nobody else was writing them.
fn settled_metas(file: &File) -> Result<Option<[Meta; 2]>, Fault> {
    const ATTEMPTS: usize = 5;
    for _ in 1..ATTEMPTS {
        match metas(file) {
            Err(Fault::Damaged(_)) => std::thread::sleep(std::time::Duration::from_millis(2)),
            done => return done,
        }
    }
    metas(file)
}

/// Whether LMDB may open the file at all: its meta pages make sense.
pub(crate) fn check_metas(file: &File) -> Result<(), Fault> {
    settled_metas(file).map(|_| ())
}

/// Walks everything that is reachable in the state after `transaction`, of which the caller holds a read transaction.
/// Returns the number of pages of the file.
pub(crate) fn check_all(file: &File, transaction: u64) -> Result<u64, Fault> {
    let meta = match settled_metas(file)? {
        Some(metas) => metas
            .into_iter()
            .find(|meta| meta.transaction == transaction)
            .ok_or(Fault::Overtaken)?,
        None => return damaged("the file is empty"),
    };
    let mut walk = Walk {
        file,
        page_bytes: meta.page_bytes,
        last_page: meta.last_page,
        seen: vec![0; (meta.last_page / 64 + 1) as usize],
        pages: 0,
        spans: Vec::new(),
    };
    for page in 0..META_PAGES {
        walk.take(page)?;
    }
    walk.tree(&meta.free, Kind::Free { transaction })?;
    walk.tree(&meta.main, Kind::Main)?;
    ensure(walk.pages == meta.last_page + 1, || {
        format!("{} of {} pages", walk.pages, meta.last_page + 1)
    })?;
    Ok(walk.pages)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Transaction → pages that it freed.
    Free {
        transaction: u64,
    },
    /// Name → tree.
    Main,
    Table,
}

impl Kind {
    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Kind::Free { .. } if a.len() == 8 && b.len() == 8 => u64_at(a, 0).cmp(&u64_at(b, 0)),
            _ => a.cmp(b),
        }
    }
}

type Bound = Option<Rc<[u8]>>;

/// A page still to be looked at, and the keys that it must lie between.
struct Visit {
    page: u64,
    level: u16,
    low: Bound,
    high: Bound,
}

struct Walk<'a> {
    file: &'a File,
    page_bytes: usize,
    last_page: u64,
    seen: Vec<u64>,
    pages: u64,
    /// Where the nodes of a page lie; kept to spare allocations.
    spans: Vec<(usize, usize)>,
}

impl Walk<'_> {
    /// Marks a page as used. Each is used once.
    fn take(&mut self, page: u64) -> Result<(), Fault> {
        ensure(page <= self.last_page, || {
            format!("page {page} is out of bounds")
        })?;
        let (word, bit) = ((page / 64) as usize, 1 << (page % 64));
        ensure(self.seen[word] & bit == 0, || {
            format!("page {page} is used twice")
        })?;
        self.seen[word] |= bit;
        self.pages += 1;
        Ok(())
    }

    fn read(&self, page: u64, buffer: &mut [u8]) -> Result<(), Fault> {
        Ok(read_at(self.file, buffer, page * self.page_bytes as u64)?)
    }

    fn tree(&mut self, tree: &Tree, kind: Kind) -> Result<(), Fault> {
        let mut counts = Counts::default();
        let mut subtrees = Vec::new();
        if tree.root == u64::MAX {
            ensure(tree.depth == 0, || "an empty tree with a depth".into())?;
        } else {
            ensure((1..=32).contains(&tree.depth), || {
                format!("a tree of depth {}", tree.depth)
            })?;
            let mut open = vec![Visit {
                page: tree.root,
                level: 1,
                low: None,
                high: None,
            }];
            let mut page = vec![0; self.page_bytes];
            while let Some(visit) = open.pop() {
                self.take(visit.page)?;
                self.read(visit.page, &mut page)?;
                self.nodes(visit.page, &page)?;
                if visit.level < tree.depth {
                    counts.branches += 1;
                    self.branch(&page, &visit, kind, &mut open)?;
                } else {
                    counts.leaves += 1;
                    self.leaf(&page, &visit, kind, &mut counts, &mut subtrees)?;
                }
            }
        }
        ensure(counts == tree.counts, || "a tree is miscounted".into())?;
        for subtree in subtrees {
            ensure(subtree.flags == 0 && subtree.pad == 0, || {
                "a table with unknown flags".into()
            })?;
            self.tree(&subtree, Kind::Table)?;
        }
        Ok(())
    }

    /// Header and nodes of a page of a tree: within the page, side by side, filling it from `upper` to its end.
    fn nodes(&mut self, number: u64, page: &[u8]) -> Result<(), Fault> {
        let wrong = |what: &str| format!("page {number}: {what}");
        let flags = u16_at(page, 10);
        let (lower, upper) = (u16_at(page, 12) as usize, u16_at(page, 14) as usize);
        ensure(u64_at(page, 0) == number, || wrong("has another number"))?;
        ensure(flags == BRANCH || flags == LEAF, || wrong("unknown kind"))?;
        ensure(
            PAGE_HEAD < lower && lower <= upper && upper <= self.page_bytes && lower % 2 == 0,
            || wrong("bounds"),
        )?;
        self.spans.clear();
        for node in 0..node_count(page) {
            let at = u16_at(page, PAGE_HEAD + 2 * node) as usize;
            ensure(at >= upper && at + NODE_HEAD <= self.page_bytes, || {
                wrong("a node is out of bounds")
            })?;
            let bytes = node_bytes(page, at, flags);
            self.spans.push((at, bytes.next_multiple_of(2)));
        }
        self.spans.sort_unstable();
        let mut end = upper;
        for &(at, bytes) in &self.spans {
            ensure(at == end, || wrong("nodes overlap or leave a hole"))?;
            end = at + bytes;
        }
        ensure(end == self.page_bytes, || wrong("nodes do not fill it"))
    }

    fn branch(
        &self,
        page: &[u8],
        visit: &Visit,
        kind: Kind,
        open: &mut Vec<Visit>,
    ) -> Result<(), Fault> {
        let count = node_count(page);
        ensure(u16_at(page, 10) == BRANCH && count > 1, || {
            format!("page {} is no branch", visit.page)
        })?;
        // The first key of a branch stands for all that is smaller.
        let mut low = visit.low.clone();
        for node in 0..count {
            let high: Bound = match node + 1 < count {
                true => Some(Rc::from(node_key(page, node + 1))),
                false => visit.high.clone(),
            };
            check_order(kind, visit, low.as_deref(), high.as_deref())?;
            open.push(Visit {
                page: node_child(page, node),
                level: visit.level + 1,
                low: low.clone(),
                high: high.clone(),
            });
            low = high;
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        page: &[u8],
        visit: &Visit,
        kind: Kind,
        counts: &mut Counts,
        subtrees: &mut Vec<Tree>,
    ) -> Result<(), Fault> {
        ensure(u16_at(page, 10) == LEAF, || {
            format!("page {} is no leaf", visit.page)
        })?;
        let count = node_count(page);
        counts.entries += count as u64;
        let mut before = visit.low.as_deref();
        for node in 0..count {
            let key = node_key(page, node);
            let follows = match (node, before) {
                (_, None) => true,
                // The bound from above is the least key that may be here.
                (0, Some(low)) => kind.compare(low, key) != Ordering::Greater,
                (_, Some(before)) => kind.compare(before, key) == Ordering::Less,
            };
            ensure(follows && !key.is_empty(), || {
                format!("page {}: keys out of order", visit.page)
            })?;
            before = Some(key);
            self.datum(page, node, kind, counts, subtrees)?;
        }
        check_order(kind, visit, before, visit.high.as_deref())
    }

    fn datum(
        &mut self,
        page: &[u8],
        node: usize,
        kind: Kind,
        counts: &mut Counts,
        subtrees: &mut Vec<Tree>,
    ) -> Result<(), Fault> {
        let at = node_at(page, node);
        let bytes = node_data_bytes(page, at);
        let start = at + NODE_HEAD + u16_at(page, at + 6) as usize;
        match (u16_at(page, at + 4), kind) {
            (0, Kind::Free { .. }) => {
                let list = page[start..start + bytes].to_vec();
                self.free_pages(kind, node_key(page, node), &list)
            }
            (0, Kind::Table) => Ok(()),
            (BIG_DATA, Kind::Free { .. } | Kind::Table) => {
                let first = u64_at(page, start);
                counts.overflow += self.overflow(first, bytes)?;
                if let Kind::Free { .. } = kind {
                    let mut list = vec![0; bytes];
                    let offset = first * self.page_bytes as u64 + PAGE_HEAD as u64;
                    read_at(self.file, &mut list, offset)?;
                    self.free_pages(kind, node_key(page, node), &list)?;
                }
                Ok(())
            }
            (SUB_TREE, Kind::Main) if bytes == TREE_BYTES => {
                subtrees.push(Tree::read(&page[start..]));
                Ok(())
            }
            (flags, _) => damaged(format!("a node with flags {flags}")),
        }
    }

    /// Data of `bytes` bytes on pages of its own, of which only the head is read. Returns their number: data that
    /// shrinks keeps its pages.
    fn overflow(&mut self, first: u64, bytes: usize) -> Result<u64, Fault> {
        ensure(first <= self.last_page, || {
            format!("overflow page {first} is out of bounds")
        })?;
        let mut head = [0; PAGE_HEAD];
        self.read(first, &mut head)?;
        let needed = (PAGE_HEAD + bytes).div_ceil(self.page_bytes) as u64;
        let count = u64::from(u32_at(&head, 12));
        ensure(
            u64_at(&head, 0) == first
                && u16_at(&head, 10) == OVERFLOW
                && (needed..=self.last_page + 1 - first).contains(&count),
            || format!("page {first} is no overflow page"),
        )?;
        let mut last = [0];
        let end = (first * self.page_bytes as u64) + (PAGE_HEAD + bytes) as u64 - 1;
        read_at(self.file, &mut last, end)?;
        for page in first..first + count {
            self.take(page)?;
        }
        Ok(count)
    }

    /// A list of free pages: its length, then page numbers, descending.
    fn free_pages(&mut self, kind: Kind, key: &[u8], list: &[u8]) -> Result<(), Fault> {
        let Kind::Free { transaction } = kind else {
            return Ok(());
        };
        ensure(
            key.len() == 8 && (1..=transaction).contains(&u64_at(key, 0)),
            || "free pages of an unknown transaction".into(),
        )?;
        ensure(list.len() >= 8 && list.len().is_multiple_of(8), || {
            "a list of free pages is cut".into()
        })?;
        let count = u64_at(list, 0);
        ensure(count < (list.len() / 8) as u64, || {
            "a list of free pages is too long".into()
        })?;
        let mut before = u64::MAX;
        for at in 1..=count as usize {
            let page = u64_at(list, 8 * at);
            ensure(page < before, || "free pages out of order".into())?;
            self.take(page)?;
            before = page;
        }
        Ok(())
    }
}

fn check_order(
    kind: Kind,
    visit: &Visit,
    low: Option<&[u8]>,
    high: Option<&[u8]>,
) -> Result<(), Fault> {
    let in_order = match (low, high) {
        (Some(low), Some(high)) => kind.compare(low, high) == Ordering::Less,
        _ => true,
    };
    ensure(in_order, || {
        format!("page {}: keys out of order", visit.page)
    })
}

fn node_count(page: &[u8]) -> usize {
    (u16_at(page, 12) as usize - PAGE_HEAD) / 2
}

fn node_at(page: &[u8], node: usize) -> usize {
    u16_at(page, PAGE_HEAD + 2 * node) as usize
}

fn node_key(page: &[u8], node: usize) -> &[u8] {
    let at = node_at(page, node);
    &page[at + NODE_HEAD..at + NODE_HEAD + u16_at(page, at + 6) as usize]
}

/// The two halves of a number, as they lie in memory.
fn node_data_bytes(page: &[u8], at: usize) -> usize {
    let (first, second) = (u16_at(page, at) as usize, u16_at(page, at + 2) as usize);
    if cfg!(target_endian = "little") {
        first | second << 16
    } else {
        second | first << 16
    }
}

fn node_child(page: &[u8], node: usize) -> u64 {
    let at = node_at(page, node);
    node_data_bytes(page, at) as u64 | u64::from(u16_at(page, at + 4)) << 32
}

/// Length of a node within its page.
fn node_bytes(page: &[u8], at: usize, page_flags: u16) -> usize {
    let key = u16_at(page, at + 6) as usize;
    let data = match (page_flags, u16_at(page, at + 4) & BIG_DATA) {
        (BRANCH, _) => 0,
        (_, BIG_DATA) => 8,
        _ => node_data_bytes(page, at),
    };
    NODE_HEAD + key + data
}
