//! A pattern's tree as an automaton: nodes that take a byte or none.

use super::parse::{Kind, NONE, Parser, Tree};
use super::sets::{Set, upper};
use super::syntax::{ESPACE, ICASE};
use crate::list::List;
use core::ptr::null;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A byte of the set `value`.
    Bytes,
    /// On to `next`, or else to `other`.
    Split,
    Open,
    Close,
    Anchor,
    /// What the group `value` matched.
    Again,
    End,
}

#[derive(Clone, Copy)]
pub struct Node {
    pub op: Op,
    /// Of a group's end: the group may be missing. Of a split: it repeats, and `value` counts such splits.
    pub is_optional: bool,
    pub value: u32,
    pub next: u32,
    pub other: u32,
}

/// Which copy of a tree is generated. Groups under a repetition are optional in the tree itself, and not in copies of
/// it: so the GNU C library has it, and it decides what groups say that matched nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instance {
    Original,
    Duplicate,
    /// The original, or a copy, that is optional.
    Optional,
    OptionalDuplicate,
}

impl Instance {
    fn is_optional(self) -> bool {
        self == Instance::Optional || self == Instance::OptionalDuplicate
    }

    fn inner(self) -> Instance {
        match self {
            Instance::Original | Instance::Optional => Instance::Original,
            Instance::Duplicate | Instance::OptionalDuplicate => Instance::Duplicate,
        }
    }

    /// What is optional of a repetition in this copy.
    fn optional(self, is_repeated_before: bool) -> Instance {
        match self {
            Instance::Original if is_repeated_before => Instance::OptionalDuplicate,
            Instance::Original => Instance::Optional,
            _ => Instance::Duplicate,
        }
    }
}

/// More nodes than a pattern may have.
const MOST: usize = 1 << 18;

pub struct Program {
    pub nodes: List<Node>,
    pub sets: List<Set>,
    /// The same sets as ranges of bytes: those of set `n` are from `first_range[n]` to `first_range[n + 1]`.
    pub ranges: List<(u8, u8)>,
    pub first_range: List<u32>,
    pub start: u32,
    pub groups: u32,
    pub loops: u32,
    pub has_back_references: bool,
    pub ignores_case: bool,
    pub translate: *const u8,
    /// The bytes that a match can start with, unless it can be empty.
    pub first: Set,
    pub can_be_empty: bool,
}

impl Program {
    /// Compiles a pattern; the error, or 0.
    pub unsafe fn compile(
        &mut self,
        pattern: *const u8,
        len: usize,
        syntax: u64,
        translate: *const u8,
    ) -> i32 {
        let mut parser = Parser::new(pattern, len, syntax, translate);
        let root = parser.parse();
        self.groups = parser.groups;
        self.has_back_references = parser.has_back_references;
        self.ignores_case = syntax & ICASE != 0;
        self.translate = translate;
        let mut error = parser.error;
        if error == 0 {
            let end = self.add(Op::End, 0, NONE, NONE);
            self.start = self.generate(&parser.trees, root, end, Instance::Original);
            let prepared = self.nodes.len() < MOST && self.prepare(&parser.sets);
            if !prepared {
                error = ESPACE;
            }
        }
        parser.trees.release();
        parser.sets.release();
        error
    }

    pub const fn new() -> Program {
        Program {
            nodes: List::new(),
            sets: List::new(),
            ranges: List::new(),
            first_range: List::new(),
            start: 0,
            groups: 0,
            loops: 0,
            has_back_references: false,
            ignores_case: false,
            translate: null(),
            first: Set::EMPTY,
            can_be_empty: false,
        }
    }

    pub unsafe fn release(&mut self) {
        self.nodes.release();
        self.sets.release();
        self.ranges.release();
        self.first_range.release();
    }

    /// A byte of the text as it is compared.
    pub unsafe fn folded(&self, byte: u8) -> u8 {
        let byte = self.translated(byte);
        if self.ignores_case { upper(byte) } else { byte }
    }

    pub unsafe fn translated(&self, byte: u8) -> u8 {
        if self.translate.is_null() {
            byte
        } else {
            *self.translate.add(byte as usize)
        }
    }

    unsafe fn add(&mut self, op: Op, value: u32, next: u32, other: u32) -> u32 {
        let node = Node {
            op,
            is_optional: false,
            value,
            next,
            other,
        };
        // What has become too large is found at the end.
        if self.nodes.len() < MOST && self.nodes.push(node) {
            self.nodes.len() as u32 - 1
        } else {
            0
        }
    }

    /// The first node of a tree that leads on to `next`.
    unsafe fn generate(&mut self, trees: &List<Tree>, tree: u32, next: u32, copy: Instance) -> u32 {
        if tree == NONE || self.nodes.len() >= MOST {
            return next;
        }
        let this = trees.get(tree as usize);
        let inner = copy.inner();
        match this.kind {
            Kind::Bytes => self.add(Op::Bytes, this.left, next, NONE),
            Kind::Anchor => self.add(Op::Anchor, this.low, next, NONE),
            Kind::Again => self.add(Op::Again, this.low, next, NONE),
            Kind::Sequence => {
                let second = self.generate(trees, this.right, next, inner);
                self.generate(trees, this.left, second, inner)
            }
            Kind::Choice => {
                let second = self.generate(trees, this.right, next, inner);
                let first = self.generate(trees, this.left, next, inner);
                self.add(Op::Split, 0, first, second)
            }
            Kind::Group => {
                let close = self.add(Op::Close, this.low, next, NONE);
                (*self.nodes.at(close as usize)).is_optional = copy.is_optional();
                let body = self.generate(trees, this.left, close, inner);
                self.add(Op::Open, this.low, body, NONE)
            }
            Kind::Repeat => self.repeat(trees, this, next, inner),
        }
    }

    /// `x{2,}` is `xxx*`, and `x{2,4}` is `xx((x|)x|)`.
    unsafe fn repeat(&mut self, trees: &List<Tree>, this: Tree, next: u32, copy: Instance) -> u32 {
        let mut at = next;
        let optional = copy.optional(this.low > 0);
        if this.high == NONE {
            let split = self.add(Op::Split, self.loops, NONE, next);
            (*self.nodes.at(split as usize)).is_optional = true;
            self.loops += 1;
            let body = self.generate(trees, this.left, split, optional);
            (*self.nodes.at(split as usize)).next = body;
            at = split;
        } else if this.high > this.low {
            at = self.options(trees, this.left, this.high - this.low, next, optional);
        }
        let mut count = this.low;
        while count > 0 && self.nodes.len() < MOST {
            let copy = if count == 1 {
                copy
            } else {
                Instance::Duplicate
            };
            at = self.generate(trees, this.left, at, copy);
            count -= 1;
        }
        at
    }

    /// Up to `count` times: all that is before the last is optional within it.
    unsafe fn options(
        &mut self,
        trees: &List<Tree>,
        tree: u32,
        count: u32,
        next: u32,
        first: Instance,
    ) -> u32 {
        let (mut left, mut inner_next) = (count, next);
        // Every level has its own last one, and leaves to where all of it does not exist.
        let mut levels: List<(u32, u32)> = List::new();
        while left > 0 && self.nodes.len() < MOST {
            let copy = if left == 1 {
                first
            } else {
                Instance::Duplicate
            };
            let last = self.generate(trees, tree, inner_next, copy);
            if !levels.push((last, inner_next)) {
                break;
            }
            inner_next = last;
            left -= 1;
        }
        let mut at = NONE;
        while levels.len() > 0 {
            let (last, skip) = levels.pop();
            let body = if at == NONE { last } else { at };
            at = self.add(Op::Split, 0, body, skip);
        }
        levels.release();
        at
    }

    /// What searching needs besides the nodes.
    unsafe fn prepare(&mut self, sets: &List<Set>) -> bool {
        let mut index = 0;
        while index < sets.len() {
            let given = sets.get(index);
            let set = given.before(|byte| self.folded(byte));
            let whole = self.sets.push(set) && self.first_range.push(self.ranges.len() as u32);
            if !whole || !self.add_ranges(set) {
                return false;
            }
            index += 1;
        }
        self.first_range.push(self.ranges.len() as u32) && self.find_first()
    }

    unsafe fn add_ranges(&mut self, set: Set) -> bool {
        let mut low = 0u32;
        while low < 256 {
            if !set.contains(low as u8) {
                low += 1;
                continue;
            }
            let mut high = low;
            while high < 255 && set.contains(high as u8 + 1) {
                high += 1;
            }
            if !self.ranges.push((low as u8, high as u8)) {
                return false;
            }
            low = high + 1;
        }
        true
    }

    /// Whatever a match can start with, its anchors aside.
    unsafe fn find_first(&mut self) -> bool {
        let mut seen: List<bool> = List::new();
        let mut waiting: List<u32> = List::new();
        let mut index = 0;
        let mut whole = true;
        while index < self.nodes.len() {
            whole &= seen.push(false);
            index += 1;
        }
        whole = whole && waiting.push(self.start);
        while whole && waiting.len() > 0 {
            let at = waiting.pop() as usize;
            if *seen.at(at) {
                continue;
            }
            *seen.at(at) = true;
            let node = self.nodes.get(at);
            match node.op {
                Op::Bytes => {
                    let set = self.sets.get(node.value as usize);
                    self.first.union(set);
                }
                Op::End | Op::Again => self.can_be_empty = true,
                Op::Split => whole = waiting.push(node.next) && waiting.push(node.other),
                _ => whole = waiting.push(node.next),
            }
        }
        seen.release();
        waiting.release();
        whole
    }
}
