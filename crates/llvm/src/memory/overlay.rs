//! The symbolic side of an object: for each byte whether its contents are in the buffer or in a term.
//!
//! A cell refers to a byte *of a stored term*, not to an extract of it: loading what was stored gives back the same
//! term without building anything. After a write at a symbolic offset an array term lies below (`base`), and the
//! cells say which bytes have been written over it since.

use refrain_term::{OneArena, Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

const BLOCK: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    /// In the base array if there is one, in the buffer otherwise.
    Below,
    /// In the buffer, though there is a base.
    Buffer,
    /// Byte `index` of a term.
    Part { term: Term, index: u16 },
}

#[derive(Clone)]
pub(super) struct Block {
    cells: [Cell; BLOCK],
    /// How many are not [`Cell::Below`].
    set: u32,
}

/// Small objects have all their cells, large ones blocks of cells where there are any.
#[derive(Clone)]
enum Cells {
    Small(Box<[Cell]>),
    Blocks(BTreeMap<u64, Rc<Block>>),
}

#[derive(Clone)]
pub(super) struct Overlay {
    pub base: Option<Term>,
    size: u64,
    /// How many cells are not [`Cell::Below`].
    set: u64,
    cells: Cells,
    /// That of all terms in it.
    pub arena: OneArena,
}

impl Overlay {
    pub fn new(size: u64) -> Overlay {
        let cells = if size <= BLOCK as u64 {
            Cells::Small(vec![Cell::Below; size as usize].into())
        } else {
            Cells::Blocks(BTreeMap::new())
        };
        Overlay {
            base: None,
            size,
            set: 0,
            cells,
            arena: OneArena::new(),
        }
    }

    /// Everything lies in this array.
    pub fn over(terms: &Terms, size: u64, base: Term) -> Overlay {
        let overlay = Overlay {
            base: Some(base),
            ..Overlay::new(size)
        };
        overlay.arena.check(terms);
        overlay
    }

    /// Whether every byte is in the buffer.
    pub fn is_plain(&self) -> bool {
        self.base.is_none() && self.set == 0
    }

    pub fn get(&self, offset: u64) -> Cell {
        match self.window(offset) {
            (start, Some(cells)) => cells[(offset - start) as usize],
            (_, None) => Cell::Below,
        }
    }

    fn plain(&self, cell: Cell) -> bool {
        match cell {
            Cell::Below => self.base.is_none(),
            Cell::Buffer => true,
            Cell::Part { .. } => false,
        }
    }

    /// The cells around an offset and where they start. Without cells there, the window is a block of its own.
    fn window(&self, offset: u64) -> (u64, Option<&[Cell]>) {
        match &self.cells {
            Cells::Small(cells) => (0, Some(cells)),
            Cells::Blocks(blocks) => {
                let block = offset / BLOCK as u64;
                let cells = blocks.get(&block).map(|block| &block.cells[..]);
                (block * BLOCK as u64, cells)
            }
        }
    }

    fn window_end(&self, start: u64) -> u64 {
        match &self.cells {
            Cells::Small(cells) => cells.len() as u64,
            Cells::Blocks(_) => start + BLOCK as u64,
        }
    }

    /// The first byte of a range that is not in the buffer.
    pub fn first_symbolic(&self, from: u64, to: u64) -> Option<u64> {
        let mut at = from;
        while at < to {
            let (start, cells) = self.window(at);
            let end = self.window_end(start).min(to);
            match cells {
                Some(cells) => {
                    let cells = &cells[(at - start) as usize..(end - start) as usize];
                    if let Some(i) = cells.iter().position(|&cell| !self.plain(cell)) {
                        return Some(at + i as u64);
                    }
                    at = end;
                }
                None if self.base.is_some() => return Some(at),
                None => at = self.next_block(end).min(to),
            }
        }
        None
    }

    /// The start of the first block with cells from `at` on.
    fn next_block(&self, at: u64) -> u64 {
        match &self.cells {
            Cells::Small(_) => u64::MAX,
            Cells::Blocks(blocks) => match blocks.range(at / BLOCK as u64..).next() {
                Some((&block, _)) => block * BLOCK as u64,
                None => u64::MAX,
            },
        }
    }

    /// Bytes around `at` that are in the buffer, inside `low..high`, if `at` is. Not always the longest such run:
    /// looking at many cells costs more than it brings. Where there are none, it goes on.
    pub fn run(&self, at: u64, low: u64, high: u64) -> Option<(u64, u64)> {
        const FAR: u64 = 64;
        if !self.plain(self.get(at)) {
            return None;
        }
        let mut to = at + 1;
        let mut left = FAR;
        while to < high && left > 0 {
            let (start, cells) = self.window(to);
            let end = self.window_end(start).min(high);
            let Some(cells) = cells else {
                if self.base.is_some() {
                    break;
                }
                to = end;
                continue;
            };
            let end = end.min(to + left);
            let cells = &cells[(to - start) as usize..(end - start) as usize];
            if let Some(i) = cells.iter().position(|&cell| !self.plain(cell)) {
                to += i as u64;
                break;
            }
            left -= end - to;
            to = end;
        }
        let mut from = at;
        let mut left = FAR;
        while from > low && left > 0 {
            let (start, cells) = self.window(from - 1);
            let begin = start.max(low);
            let Some(cells) = cells else {
                if self.base.is_some() {
                    break;
                }
                from = begin;
                continue;
            };
            let begin = begin.max(from.saturating_sub(left));
            let cells = &cells[(begin - start) as usize..(from - start) as usize];
            if let Some(i) = cells.iter().rposition(|&cell| !self.plain(cell)) {
                from = begin + i as u64 + 1;
                break;
            }
            left -= from - begin;
            from = begin;
        }
        Some((from, to))
    }

    /// The cells of a range that are set, in order.
    pub fn for_each_set(&self, from: u64, to: u64, mut visit: impl FnMut(u64, Cell)) {
        let mut at = from;
        while at < to {
            let (start, cells) = self.window(at);
            let end = self.window_end(start).min(to);
            match cells {
                Some(cells) => {
                    for offset in at..end {
                        let cell = cells[(offset - start) as usize];
                        if cell != Cell::Below {
                            visit(offset, cell);
                        }
                    }
                    at = end;
                }
                None => at = self.next_block(end).min(to),
            }
        }
    }

    /// Each cell of the range becomes `cell(offset)`.
    fn assign(&mut self, from: u64, to: u64, cell: impl Fn(u64) -> Cell) {
        fn put(cells: &mut [Cell], first: u64, cell: impl Fn(u64) -> Cell) -> (u32, u32) {
            let (mut before, mut after) = (0, 0);
            for (i, slot) in cells.iter_mut().enumerate() {
                let cell = cell(first + i as u64);
                before += (*slot != Cell::Below) as u32;
                after += (cell != Cell::Below) as u32;
                *slot = cell;
            }
            (before, after)
        }
        match &mut self.cells {
            Cells::Small(cells) => {
                let (before, after) = put(&mut cells[from as usize..to as usize], from, &cell);
                self.set = self.set - before as u64 + after as u64;
            }
            Cells::Blocks(blocks) => {
                let mut at = from;
                while at < to {
                    let number = at / BLOCK as u64;
                    let start = number * BLOCK as u64;
                    let end = to.min(start + BLOCK as u64);
                    let block = blocks.entry(number).or_insert_with(|| {
                        Rc::new(Block {
                            cells: [Cell::Below; BLOCK],
                            set: 0,
                        })
                    });
                    let block = Rc::make_mut(block);
                    let range = (at - start) as usize..(end - start) as usize;
                    let (before, after) = put(&mut block.cells[range], at, &cell);
                    block.set = block.set - before + after;
                    self.set = self.set - before as u64 + after as u64;
                    if block.set == 0 {
                        blocks.remove(&number);
                    }
                    at = end;
                }
            }
        }
    }

    /// The bytes of a term from `from` on, the first of them being its byte `index`.
    pub fn set_parts(&mut self, from: u64, bytes: u64, term: Term, index: u16) {
        self.assign(from, from + bytes, |offset| Cell::Part {
            term,
            index: index + (offset - from) as u16,
        });
    }

    /// The same one-byte term all over a range.
    pub fn set_all(&mut self, from: u64, to: u64, term: Term) {
        self.assign(from, to, |_| Cell::Part { term, index: 0 });
    }

    /// The bytes of a range are in the buffer from now on.
    pub fn set_buffer(&mut self, from: u64, to: u64) {
        if from == 0 && to == self.size {
            *self = Overlay::new(self.size);
            return;
        }
        if self.base.is_some() {
            self.assign(from, to, |_| Cell::Buffer);
            self.drop_covered_base();
            return;
        }
        // Blocks that do not exist stay so.
        let mut at = from;
        while at < to {
            let (start, cells) = self.window(at);
            let exists = cells.is_some();
            let end = self.window_end(start).min(to);
            if exists {
                self.assign(at, end, |_| Cell::Below);
                at = end;
            } else {
                at = self.next_block(end).min(to);
            }
        }
    }

    /// An array of which nothing is left to see is gone.
    pub fn drop_covered_base(&mut self) {
        if self.base.is_none() || self.set != self.size {
            return;
        }
        let mut parts = Vec::new();
        self.for_each_set(0, self.size, |offset, cell| {
            if let Cell::Part { term, index } = cell {
                parts.push((offset, term, index));
            }
        });
        *self = Overlay {
            arena: self.arena.clone(),
            ..Overlay::new(self.size)
        };
        for (offset, term, index) in parts {
            self.set_parts(offset, 1, term, index);
        }
    }
}
