//! Rows of one committed state, looked up with ordinary reads.
//!
//! LMDB reads through a map of the file, and believes what it finds: a file that somebody cuts short while it is open
//! kills the process (`SIGBUS`), one that is overwritten may do anything. Lookups are most of what is done with a
//! store, so they do without: a page is copied out of the file, and every number in it is checked before it is
//! followed. That costs a system call for each page of a state; the first ones that are read are kept.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex};

use crate::layout::{
    BIG_DATA, BRANCH, Fault, LEAF, Meta, NO_ROOT, Node, OVERFLOW, PAGE_HEAD, SUB_TREE, TREE_BYTES,
    Tree, check_head, damaged, ensure, node_count, read_at, u16_at, u32_at, u64_at,
};
use crate::lock;
use crate::queue::MAX_ENTRY;
use crate::view::{NAMES, Row, Rows, TableName, View};

/// No record is longer: an entry with its lengths and its checksum.
const MAX_RECORD: usize = MAX_ENTRY + 64;

/// Pages of one state that are kept. Those of the upper levels, which every lookup needs, come first.
const MOST_KEPT: usize = 2048;

/// Where the tables of one state begin.
#[derive(Debug)]
pub(crate) struct Roots {
    pub meta: Meta,
    tables: [Tree; NAMES.len()],
    kept: Kept,
}

/// Pages of trees as they were read, by number, their heads checked.
///
/// Pages never change as long as their state is intact. One that was read later is no page of it, but then the state
/// is overtaken for good, and nothing that is read of it counts any more.
#[derive(Debug, Default)]
struct Kept(Mutex<HashMap<u64, Page>>);

type Page = Arc<[u8]>;

/// One state of a file.
pub(crate) struct Reader<'f> {
    pub file: &'f File,
    pub roots: Arc<Roots>,
}

impl Roots {
    /// Those of the state that this meta page describes. `None`: it has not all tables.
    pub fn read(file: &File, meta: Meta) -> Result<Option<Roots>, Fault> {
        let kept = Kept::default();
        let pages = Pages {
            file,
            meta: &meta,
            kept: &kept,
        };
        let mut tables = Vec::with_capacity(NAMES.len());
        for name in NAMES {
            let mut cursor = pages.seek(&meta.main, name.as_bytes())?;
            match cursor.leaf_node()? {
                Some(node) if node.key == name.as_bytes() => {
                    ensure(
                        node.flags == SUB_TREE && node.data_bytes == TREE_BYTES,
                        || format!("{name} is no table"),
                    )?;
                    let tree = Tree::read(node.data()?);
                    tree.check_depth()?;
                    tables.push(tree);
                }
                _ => return Ok(None),
            }
        }
        let tables = tables.try_into().ok();
        Ok(tables.map(|tables| Roots { meta, tables, kept }))
    }

    pub fn entries(&self, table: TableName) -> u64 {
        self.table(table).counts.entries
    }

    /// Bytes of all pages that hold something.
    pub fn used_bytes(&self) -> u64 {
        let pages = |tree: &Tree| {
            let counts = tree.counts;
            [counts.branches, counts.leaves, counts.overflow]
                .into_iter()
                .fold(0, u64::saturating_add)
        };
        let pages = self.tables.iter().map(pages).fold(0, u64::saturating_add);
        pages.saturating_mul(self.meta.page_bytes as u64)
    }

    fn table(&self, table: TableName) -> &Tree {
        &self.tables[table as usize]
    }
}

impl Reader<'_> {
    fn pages(&self) -> Pages<'_> {
        Pages {
            file: self.file,
            meta: &self.roots.meta,
            kept: &self.roots.kept,
        }
    }
}

impl Kept {
    fn get(&self, number: u64) -> Option<Page> {
        lock(&self.0).get(&number).map(Arc::clone)
    }

    fn keep(&self, number: u64, page: &Page) {
        let mut pages = lock(&self.0);
        if pages.len() < MOST_KEPT {
            pages.insert(number, Arc::clone(page));
        }
    }
}

impl View for Reader<'_> {
    type Error = Fault;

    fn get(&self, table: TableName, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let mut cursor = self.pages().seek(self.roots.table(table), key)?;
        match cursor.leaf_node()? {
            Some(node) if node.key == key => {
                let pages = self.pages();
                pages.data(&node).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn rows(&self, table: TableName, from: &[u8]) -> Result<Rows<'_, Fault>, Fault> {
        let cursor = self.pages().seek(self.roots.table(table), from)?;
        Ok(Box::new(cursor))
    }
}

#[derive(Clone, Copy)]
struct Pages<'r> {
    file: &'r File,
    meta: &'r Meta,
    kept: &'r Kept,
}

impl<'r> Pages<'r> {
    fn page(&self, number: u64) -> Result<Page, Fault> {
        if let Some(page) = self.kept.get(number) {
            return Ok(page);
        }
        ensure(number <= self.meta.last_page, || {
            format!("page {number} is out of bounds")
        })?;
        let mut page = vec![0; self.meta.page_bytes];
        read_at(self.file, &mut page, number * self.meta.page_bytes as u64)?;
        check_head(number, &page)?;
        let page = Page::from(page);
        self.kept.keep(number, &page);
        Ok(page)
    }

    /// A cursor before the first row whose key is not less than this.
    fn seek(self, tree: &Tree, key: &[u8]) -> Result<Cursor<'r>, Fault> {
        let mut cursor = Cursor {
            pages: self,
            depth: tree.depth as usize,
            path: Vec::with_capacity(tree.depth as usize),
            last: None,
        };
        if tree.root != NO_ROOT {
            cursor.descend(tree.root, Some(key))?;
        }
        Ok(cursor)
    }

    /// The data of a node of a leaf.
    fn data(&self, node: &Node) -> Result<Vec<u8>, Fault> {
        match node.flags {
            0 => node.data().map(<[u8]>::to_vec),
            BIG_DATA => self.overflow(node.overflow_page()?, node.data_bytes),
            flags => damaged(format!("a node with flags {flags}")),
        }
    }

    fn overflow(&self, first: u64, bytes: usize) -> Result<Vec<u8>, Fault> {
        let wrong = || format!("page {first} is no overflow page");
        let needed = (PAGE_HEAD + bytes).div_ceil(self.meta.page_bytes) as u64;
        let behind = self.meta.last_page.checked_sub(first).map(|more| more + 1);
        ensure(
            bytes <= MAX_RECORD && behind.is_some_and(|behind| needed <= behind),
            wrong,
        )?;
        let mut data = vec![0; PAGE_HEAD + bytes];
        read_at(self.file, &mut data, first * self.meta.page_bytes as u64)?;
        ensure(
            u64_at(&data, 0) == first
                && u16_at(&data, 10) == OVERFLOW
                && u64::from(u32_at(&data, 12)) >= needed,
            wrong,
        )?;
        data.drain(..PAGE_HEAD);
        Ok(data)
    }
}

/// Goes through the rows of a table in the order of their keys.
struct Cursor<'r> {
    pages: Pages<'r>,
    depth: usize,
    /// From the root to a leaf: pages, and the node of each that is next (in branches: that was last).
    path: Vec<(Page, usize)>,
    /// The key before. Keys ascend, so no file can make this go on for ever.
    last: Option<Vec<u8>>,
}

impl Cursor<'_> {
    /// From this page down to a leaf: to where `key` would be, or to the first one.
    fn descend(&mut self, root: u64, key: Option<&[u8]>) -> Result<(), Fault> {
        let mut number = root;
        loop {
            let page = self.pages.page(number)?;
            let is_leaf = self.path.len() + 1 == self.depth;
            let expected = if is_leaf { LEAF } else { BRANCH };
            ensure(u16_at(&page, 10) == expected, || {
                format!("page {number} is at the wrong depth")
            })?;
            let count = node_count(&page);
            let index = match key {
                None => 0,
                Some(key) if is_leaf => {
                    first_where(0, count, |at| Ok(Node::at(&page, at)?.key >= key))?
                }
                // The first key of a branch stands for all that is smaller.
                Some(key) => first_where(1, count, |at| Ok(Node::at(&page, at)?.key > key))? - 1,
            };
            if !is_leaf {
                number = Node::at(&page, index)?.child();
            }
            self.path.push((page, index));
            if is_leaf {
                return Ok(());
            }
        }
    }

    /// The node of the next row, on whichever leaf it is.
    fn leaf_node(&mut self) -> Result<Option<Node<'_>>, Fault> {
        loop {
            let Some((leaf, index)) = self.path.last() else {
                return Ok(None);
            };
            if *index < node_count(leaf) {
                break;
            }
            self.path.pop();
            self.next_leaf()?;
        }
        let Some((leaf, index)) = self.path.last() else {
            return Ok(None);
        };
        Node::at(leaf, *index).map(Some)
    }

    /// On to the leaf behind the one that was taken off the path, if there is one.
    fn next_leaf(&mut self) -> Result<(), Fault> {
        while let Some((branch, index)) = self.path.last_mut() {
            *index += 1;
            if *index < node_count(branch) {
                let child = Node::at(branch, *index)?.child();
                return self.descend(child, None);
            }
            self.path.pop();
        }
        Ok(())
    }

    fn next_row(&mut self) -> Result<Option<Row>, Fault> {
        let pages = self.pages;
        let Some(node) = self.leaf_node()? else {
            return Ok(None);
        };
        let (key, data) = (node.key.to_vec(), pages.data(&node)?);
        ensure(self.last.as_ref().is_none_or(|last| *last < key), || {
            "keys out of order".into()
        })?;
        if let Some((_, index)) = self.path.last_mut() {
            *index += 1;
        }
        self.last = Some(key.clone());
        Ok(Some((key, data)))
    }
}

impl Iterator for Cursor<'_> {
    type Item = Result<Row, Fault>;

    /// Ends after the first fault.
    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row();
        if row.is_err() {
            self.path.clear();
        }
        row.transpose()
    }
}

/// The first number from `low` on, below `high`, for which something holds that holds for all behind it; or `high`.
fn first_where(
    low: usize,
    high: usize,
    holds: impl Fn(usize) -> Result<bool, Fault>,
) -> Result<usize, Fault> {
    let (mut low, mut high) = (low, high.max(low));
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}
