//! Is the file a sound LMDB file? Asked before LMDB touches it.
//!
//! LMDB believes its pages: a flipped bit in a page number or an offset makes it read or write outside of the file, and
//! the process dies. Records have checksums of their own, but the tree that leads to them has none. So a file that may
//! have been changed by anything but LMDB is walked here first, with ordinary reads and every number checked: both meta
//! pages, all trees, the order of all keys, the list of free pages, and that every page of the file is used exactly
//! once. What passes cannot lead LMDB astray; what the records say is left to their checksums.
//!
//! The walk sees one state of the file, that of a read transaction which the caller holds open: its pages do not change
//! under us, whoever else writes.

use std::cmp::Ordering;
use std::fs::File;
use std::rc::Rc;

use crate::layout::{
    BIG_DATA, BRANCH, Counts, Fault, LEAF, META_PAGES, Meta, NO_ROOT, Node, OVERFLOW, PAGE_HEAD,
    SUB_TREE, TREE_BYTES, Tree, check_head, damaged, ensure, newest_meta, node_count, read_at,
    u16_at, u32_at, u64_at,
};

/// Whether LMDB may open the file at all: its meta pages make sense.
pub(crate) fn check_metas(file: &File) -> Result<(), Fault> {
    newest_meta(file).map(|_| ())
}

/// Walks everything that is reachable from this meta page, of whose state the caller holds a read transaction. Returns
/// the number of pages of the file.
pub(crate) fn check_all(file: &File, meta: &Meta) -> Result<u64, Fault> {
    let transaction = meta.transaction;
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
        tree.check_depth()?;
        if tree.root != NO_ROOT {
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
        check_head(number, page)?;
        let (flags, upper) = (u16_at(page, 10), u16_at(page, 14) as usize);
        self.spans.clear();
        for index in 0..node_count(page) {
            let bytes = Node::at(page, index)?.bytes(flags);
            let at = u16_at(page, PAGE_HEAD + 2 * index) as usize;
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
                true => Some(Rc::from(Node::at(page, node + 1)?.key)),
                false => visit.high.clone(),
            };
            check_order(kind, visit, low.as_deref(), high.as_deref())?;
            open.push(Visit {
                page: Node::at(page, node)?.child(),
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
            let key = Node::at(page, node)?.key;
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
        let node = Node::at(page, node)?;
        match (node.flags, kind) {
            (0, Kind::Free { .. }) => self.free_pages(kind, node.key, node.data()?),
            (0, Kind::Table) => Ok(()),
            (BIG_DATA, Kind::Free { .. } | Kind::Table) => {
                let (first, bytes) = (node.overflow_page()?, node.data_bytes);
                counts.overflow += self.overflow(first, bytes)?;
                if let Kind::Free { .. } = kind {
                    let mut list = vec![0; bytes];
                    let offset = first * self.page_bytes as u64 + PAGE_HEAD as u64;
                    read_at(self.file, &mut list, offset)?;
                    self.free_pages(kind, node.key, &list)?;
                }
                Ok(())
            }
            (SUB_TREE, Kind::Main) if node.data_bytes == TREE_BYTES => {
                subtrees.push(Tree::read(node.data()?));
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
