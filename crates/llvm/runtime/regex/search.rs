//! Finding a match: the leftmost, of those the longest, and of its ways through
//! the automaton the one that the GNU C library takes.
//!
//! Bytes of the text may be symbolic. Which nodes are active after a byte is
//! then a number 0 or 1 for each of them that depends on the text; it is
//! calculated without a branch. Only what the caller is told forks: whether
//! there is a match, where it starts and ends, and which way the groups went.

use super::program::{Op, Program};
use super::sets::Set;
use super::syntax::*;
use crate::list::List;
use crate::native::{__refrain_is_symbolic, free, malloc, memcpy, memset};
use core::ptr::null_mut;

#[derive(Clone, Copy)]
pub struct Text {
    pub bytes: *const u8,
    pub len: usize,
    pub not_bol: bool,
    pub not_eol: bool,
    pub newline_anchor: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: i32,
    pub end: i32,
}

pub const UNSET: Span = Span { start: -1, end: -1 };

pub enum Found {
    No,
    Yes(usize, usize),
    NoMemory,
}

#[inline(always)]
unsafe fn is_symbolic(value: u8) -> bool {
    __refrain_is_symbolic(value as u64) != 0
}

/// Whether a number is 0 whatever the input.
#[inline(always)]
unsafe fn is_zero(value: u8) -> bool {
    !is_symbolic(value) && value == 0
}

#[inline(always)]
fn within(byte: u8, low: u8, high: u8) -> u8 {
    (byte.wrapping_sub(low) <= high.wrapping_sub(low)) as u8
}

pub struct Search<'a> {
    program: &'a Program,
    text: Text,
    /// For each node: whether it is active now and after the next byte, and in which round that was noted.
    now: *mut u8,
    then: *mut u8,
    noted: *mut u32,
    round: u32,
    active: List<u32>,
    following: List<u32>,
    /// For each node: in which walk over empty transitions it was met, and behind which anchors.
    met: *mut u32,
    met_anchors: *mut u32,
    walk: u32,
    waiting: List<(u32, u32, u8)>,
    reached: List<(u32, u8)>,
    /// For each end: whether a match ends there.
    ends: List<u8>,
    /// No anchor is between the last byte and the end.
    ends_plainly: bool,
    failed: bool,
}

impl<'a> Search<'a> {
    pub unsafe fn new(program: &'a Program, text: Text) -> Search<'a> {
        let nodes = program.nodes.len();
        let block = malloc(nodes * 14).cast::<u8>();
        if !block.is_null() {
            memset(block.cast(), 0, nodes * 14);
        }
        let words = block.cast::<u32>();
        Search {
            program,
            text,
            noted: words,
            met: words.wrapping_add(nodes),
            met_anchors: words.wrapping_add(2 * nodes),
            now: block.wrapping_add(12 * nodes),
            then: block.wrapping_add(13 * nodes),
            round: 0,
            active: List::new(),
            following: List::new(),
            walk: 0,
            waiting: List::new(),
            reached: List::new(),
            ends: List::new(),
            ends_plainly: false,
            failed: block.is_null(),
        }
    }

    pub unsafe fn release(&mut self) {
        free(self.noted.cast());
        self.active.release();
        self.following.release();
        self.waiting.release();
        self.reached.release();
        self.ends.release();
    }

    #[inline(always)]
    unsafe fn byte(&self, at: usize) -> u8 {
        *self.text.bytes.add(at)
    }

    /// 1 if a byte is in the set of a node, else 0.
    unsafe fn takes(&self, set: u32, byte: u8) -> u8 {
        if !is_symbolic(byte) {
            return (*self.program.sets.at(set as usize)).contains(byte) as u8;
        }
        let first = self.program.first_range.at(set as usize);
        let (mut index, end) = (*first, *first.add(1));
        let mut taken = 0;
        while index < end {
            let (low, high) = self.program.ranges.get(index as usize);
            taken |= within(byte, low, high);
            index += 1;
        }
        taken
    }

    unsafe fn is_word(&self, at: usize) -> u8 {
        let byte = self.program.translated(self.byte(at));
        let letter = within(byte | 32, b'a', b'z');
        letter | within(byte, b'0', b'9') | (byte == b'_') as u8
    }

    /// 1 if an anchor holds at a place, else 0.
    unsafe fn holds(&self, anchor: u32, at: usize) -> u8 {
        let text = self.text;
        let newline = |at: usize| {
            if text.newline_anchor {
                (self.program.translated(self.byte(at)) == b'\n') as u8
            } else {
                0
            }
        };
        let before = || if at > 0 { self.is_word(at - 1) } else { 0 };
        let behind = || if at < text.len { self.is_word(at) } else { 0 };
        match anchor as u8 {
            LINE_FIRST if at == 0 => !text.not_bol as u8,
            LINE_FIRST => newline(at - 1),
            LINE_LAST if at == text.len => !text.not_eol as u8,
            LINE_LAST => newline(at),
            BUFFER_FIRST => (at == 0) as u8,
            BUFFER_LAST => (at == text.len) as u8,
            WORD_FIRST => (before() ^ 1) & behind(),
            WORD_LAST => before() & (behind() ^ 1),
            INSIDE_WORD => before() & behind(),
            _ => (before() ^ 1) & (behind() ^ 1),
        }
    }

    /// Lists in `reached` the nodes behind empty transitions that take a byte or end, and whether they are reached, if
    /// `from` is.
    unsafe fn follow(&mut self, from: u32, at: usize, active: u8) {
        self.walk += 1;
        self.reached.truncate(0);
        let mut whole = self.waiting.push((from, 0, active));
        while self.waiting.len() > 0 {
            let (index, anchors, active) = self.waiting.pop();
            let (met, with) = (
                self.met.add(index as usize),
                self.met_anchors.add(index as usize),
            );
            // Met before, under no more conditions.
            if *met == self.walk && *with & !anchors == 0 {
                continue;
            }
            *met = self.walk;
            *with = anchors;
            let node = self.program.nodes.get(index as usize);
            match node.op {
                Op::End if self.ends_plainly && anchors != 0 => {}
                Op::Bytes | Op::End | Op::Again => whole &= self.reached.push((index, active)),
                Op::Split => {
                    whole &= self.waiting.push((node.other, anchors, active))
                        && self.waiting.push((node.next, anchors, active));
                }
                Op::Open | Op::Close => whole &= self.waiting.push((node.next, anchors, active)),
                Op::Anchor => {
                    let holds = self.holds(node.value, at);
                    if !is_zero(holds) {
                        let anchors = anchors | 1 << node.value;
                        whole &= self.waiting.push((node.next, anchors, active & holds));
                    }
                }
            }
        }
        self.failed |= !whole;
    }

    /// Makes what `from` leads to active after the next byte.
    unsafe fn activate(&mut self, from: u32, at: usize, active: u8) {
        self.follow(from, at, active);
        let mut index = 0;
        while index < self.reached.len() {
            let (node, active) = self.reached.get(index);
            let (noted, flag) = (self.noted.add(node as usize), self.then.add(node as usize));
            if *noted != self.round {
                *noted = self.round;
                *flag = 0;
                self.failed |= !self.following.push(node);
            }
            *flag |= active;
            index += 1;
        }
    }

    /// What is active after the next byte is active now. Whether a match ends here.
    unsafe fn advance(&mut self) -> u8 {
        (self.now, self.then) = (self.then, self.now);
        self.active.swap(&mut self.following);
        self.following.truncate(0);
        let ended = if *self.noted == self.round {
            *self.now
        } else {
            0
        };
        self.round += 1;
        ended
    }

    unsafe fn begin(&mut self) {
        self.round += 1;
        self.active.truncate(0);
        self.following.truncate(0);
    }

    /// Every active node takes the byte at a place or is not active any more.
    unsafe fn step(&mut self, at: usize) {
        let byte = self.byte(at);
        let mut index = 0;
        while index < self.active.len() {
            let number = self.active.get(index);
            index += 1;
            let node = self.program.nodes.get(number as usize);
            if node.op != Op::Bytes {
                continue;
            }
            let active = *self.now.add(number as usize);
            let taken = active & self.takes(node.value, byte);
            if !is_zero(taken) {
                self.activate(node.next, at + 1, taken);
            }
        }
    }

    /// Whether any match starts between two places: 0 or 1, as the text has it.
    pub unsafe fn any(&mut self, first: usize, last: usize) -> u8 {
        self.begin();
        self.activate(self.program.start, first, 1);
        let mut found = self.advance();
        let mut at = first;
        // The order matters: only a number that is known may be compared.
        while at < self.text.len && (is_symbolic(found) || found != 1) && !self.failed {
            if self.active.len() == 0 && at >= last {
                break;
            }
            self.step(at);
            at += 1;
            if at <= last && self.may_start(at) {
                self.activate(self.program.start, at, 1);
            }
            found |= self.advance();
        }
        found
    }

    /// Whether a match can start with the byte at a place.
    unsafe fn may_start(&self, at: usize) -> bool {
        if self.program.can_be_empty {
            return true;
        }
        if at >= self.text.len {
            return false;
        }
        let byte = self.byte(at);
        is_symbolic(byte) || self.program.first.contains(byte)
    }

    /// Notes for each place whether a match that starts at `start` ends there. Whether there is one.
    unsafe fn matches_from(&mut self, start: usize) -> u8 {
        self.ends.truncate(0);
        self.begin();
        self.activate(self.program.start, start, 1);
        let mut end = self.advance();
        self.failed |= !self.ends.push(end);
        let mut found = end;
        let mut at = start;
        while at < self.text.len && self.active.len() > 0 && !self.failed {
            self.step(at);
            at += 1;
            end = self.advance();
            self.failed |= !self.ends.push(end);
            found |= end;
        }
        found
    }

    /// The match that is found first, going from one place to another, up or down. Its groups are in `spans` from 1 on,
    /// which are left alone where there is no match.
    pub unsafe fn find(&mut self, from: usize, to: usize, spans: *mut Span, count: usize) -> Found {
        let mut at = from;
        loop {
            if self.failed {
                return Found::NoMemory;
            }
            if self.may_start(at) {
                if self.program.has_back_references {
                    if let Some(end) = self.backtrack(at, spans, count) {
                        return Found::Yes(at, end);
                    }
                } else if self.matches_from(at) != 0 {
                    let mut end = self.ends.len();
                    while end > 1 && self.ends.get(end - 1) == 0 {
                        end -= 1;
                    }
                    let end = at + end - 1;
                    let mut index = 1;
                    while index < count {
                        *spans.add(index) = UNSET;
                        index += 1;
                    }
                    if count > 1 && self.program.groups > 0 && !self.failed {
                        self.find_groups(at, end, spans, count);
                    }
                    if self.failed {
                        return Found::NoMemory;
                    }
                    return Found::Yes(at, end);
                }
            }
            if at == to {
                return Found::No;
            }
            if from < to {
                at += 1;
            } else {
                at -= 1;
            }
        }
    }

    // Groups of a match whose start and end are known.

    /// Which nodes lead from each place to the end: then every choice on the way can be the right one.
    unsafe fn find_groups(&mut self, start: usize, end: usize, spans: *mut Span, count: usize) {
        let nodes = self.program.nodes.len();
        let size = (end - start + 1) * nodes;
        let leads = malloc(size).cast::<u8>();
        if leads.is_null() {
            self.failed = true;
            return;
        }
        // The GNU C library ends without an anchor if it can.
        self.ends_plainly = true;
        if !self.fill_leads(start, end, leads) {
            self.ends_plainly = false;
            self.fill_leads(start, end, leads);
        }
        self.take_groups(start, leads, spans, count);
        self.ends_plainly = false;
        free(leads.cast());
    }

    /// Whether any way leads from start to end.
    unsafe fn fill_leads(&mut self, start: usize, end: usize, leads: *mut u8) -> bool {
        let nodes = self.program.nodes.len();
        memset(leads.cast(), 0, (end - start + 1) * nodes);
        // The node that ends is the first of all.
        *leads.add((end - start) * nodes) = 1;
        let mut at = end;
        while at > start {
            at -= 1;
            let byte = self.byte(at);
            let row = leads.add((at - start) * nodes);
            let mut index = 0;
            while index < nodes {
                let node = self.program.nodes.get(index);
                if node.op == Op::Bytes {
                    let taken = self.takes(node.value, byte);
                    if !is_zero(taken) {
                        *row.add(index) = taken & self.leads_on(node.next, at + 1, row.add(nodes));
                    }
                }
                index += 1;
            }
        }
        self.leads_on(self.program.start, start, leads) != 0
    }

    /// 1 if a node leads to the end, by what its row says of those that take a byte.
    unsafe fn leads_on(&mut self, from: u32, at: usize, row: *const u8) -> u8 {
        self.follow(from, at, 1);
        let (mut found, mut index) = (0, 0);
        while index < self.reached.len() {
            let (node, reached) = self.reached.get(index);
            found |= reached & *row.add(node as usize);
            index += 1;
        }
        found
    }

    unsafe fn take_groups(
        &mut self,
        start: usize,
        leads: *const u8,
        spans: *mut Span,
        count: usize,
    ) {
        let nodes = self.program.nodes.len();
        let mut groups = Groups::new(spans, count);
        // The nodes met since the last byte.
        let via = malloc(nodes * 4).cast::<u32>();
        if via.is_null() || groups.accepted.is_null() {
            self.failed = true;
            free(via.cast());
            groups.release();
            return;
        }
        memset(via.cast(), 0, nodes * 4);
        let (mut stretch, mut at, mut index) = (1, start, self.program.start);
        loop {
            let node = self.program.nodes.get(index as usize);
            groups.visit(&node, at);
            match node.op {
                Op::End => break,
                Op::Bytes => {
                    at += 1;
                    stretch += 1;
                    index = node.next;
                    continue;
                }
                Op::Split => {
                    *via.add(index as usize) = stretch;
                    let row = leads.add((at - start) * nodes);
                    let first = self.leads_on(node.next, at, row) != 0;
                    let again = first
                        && *via.add(node.next as usize) == stretch
                        && self.leads_on(node.other, at, row) != 0;
                    index = if first && !again {
                        node.next
                    } else {
                        node.other
                    };
                }
                _ => {
                    *via.add(index as usize) = stretch;
                    index = node.next;
                }
            }
        }
        free(via.cast());
        groups.release();
    }

    // Back references.

    /// Tries all ways from a place, the preferred ones first, and keeps the first of those that lead furthest.
    unsafe fn backtrack(&mut self, start: usize, spans: *mut Span, count: usize) -> Option<usize> {
        let all = self.program.groups as usize + 1;
        let loops = self.program.loops as usize;
        let size = size_of::<Span>();
        // The groups of this way, those that were accepted on it, where its loops were last, and the best.
        let kept = malloc((3 * all) * size + loops * 8).cast::<Span>();
        if kept.is_null() {
            self.failed = true;
            return None;
        }
        let (accepted, best) = (kept.add(all), kept.add(2 * all));
        let last = kept.add(3 * all).cast::<usize>();
        let mut index = 0;
        while index < 3 * all {
            *kept.add(index) = UNSET;
            index += 1;
        }
        index = 0;
        while index < loops {
            *last.add(index) = usize::MAX;
            index += 1;
        }
        let mut groups = Groups {
            spans: kept,
            accepted,
            count: all,
        };
        let saved = 2 * all * size + loops * 8;
        let mut branches: List<Branch> = List::new();
        let mut furthest = None;
        let (mut at, mut index) = (start, self.program.start);
        loop {
            let node = self.program.nodes.get(index as usize);
            groups.visit(&node, at);
            let mut goes_on = true;
            match node.op {
                Op::End => {
                    if furthest.is_none_or(|end| at > end) {
                        furthest = Some(at);
                        memcpy(best.cast(), kept.cast(), all * size);
                    }
                    goes_on = false;
                    if at == self.text.len {
                        break;
                    }
                }
                Op::Bytes => {
                    goes_on = at < self.text.len && self.takes(node.value, self.byte(at)) != 0;
                    at += 1;
                    index = node.next;
                }
                Op::Open | Op::Close => index = node.next,
                Op::Anchor => {
                    goes_on = self.holds(node.value, at) != 0;
                    index = node.next;
                }
                Op::Again => match self.again(*kept.add(node.value as usize), at) {
                    Some(end) => {
                        at = end;
                        index = node.next;
                    }
                    None => goes_on = false,
                },
                Op::Split => {
                    let is_loop = node.is_optional;
                    let looped = last.add(node.value as usize);
                    if is_loop && *looped == at {
                        index = node.other;
                        continue;
                    }
                    if is_loop {
                        *looped = at;
                    }
                    let copy = malloc(saved);
                    let branch = Branch {
                        node: node.other,
                        at,
                        copy: copy.cast(),
                    };
                    if copy.is_null() || !branches.push(branch) {
                        free(copy);
                        self.failed = true;
                        break;
                    }
                    memcpy(copy, kept.cast(), 2 * all * size);
                    memcpy(
                        copy.cast::<u8>().add(2 * all * size).cast(),
                        last.cast(),
                        loops * 8,
                    );
                    index = node.next;
                }
            }
            if goes_on {
                continue;
            }
            if branches.len() == 0 {
                break;
            }
            let branch = branches.pop();
            memcpy(kept.cast(), branch.copy.cast(), 2 * all * size);
            memcpy(
                last.cast(),
                branch.copy.add(2 * all * size).cast(),
                loops * 8,
            );
            free(branch.copy.cast());
            at = branch.at;
            index = branch.node;
        }
        while branches.len() > 0 {
            free(branches.pop().copy.cast());
        }
        branches.release();
        let mut index = 1;
        while furthest.is_some() && index < count {
            *spans.add(index) = if index < all { *best.add(index) } else { UNSET };
            index += 1;
        }
        free(kept.cast());
        furthest
    }

    /// Where the text of a group ends that is there again.
    unsafe fn again(&self, group: Span, at: usize) -> Option<usize> {
        if group.end < 0 {
            return None;
        }
        let len = (group.end - group.start) as usize;
        if len > self.text.len - at {
            return None;
        }
        let mut differs = 0;
        let mut index = 0;
        while index < len {
            let (a, b) = (
                self.byte(group.start as usize + index),
                self.byte(at + index),
            );
            differs |= self.program.folded(a) ^ self.program.folded(b);
            if !is_symbolic(differs) && differs != 0 {
                return None;
            }
            index += 1;
        }
        (differs == 0).then_some(at + len)
    }
}

#[derive(Clone, Copy)]
struct Branch {
    node: u32,
    at: usize,
    copy: *mut u8,
}

/// What groups have matched on a way. An optional group that comes again and matches nothing undoes what happened in
/// it: `accepted` is how things were when a group last matched something.
struct Groups {
    spans: *mut Span,
    accepted: *mut Span,
    count: usize,
}

impl Groups {
    unsafe fn new(spans: *mut Span, count: usize) -> Groups {
        let accepted = malloc(count * size_of::<Span>()).cast::<Span>();
        let mut index = 0;
        while index < count && !accepted.is_null() {
            *accepted.add(index) = UNSET;
            *spans.add(index) = UNSET;
            index += 1;
        }
        Groups {
            spans,
            accepted,
            count,
        }
    }

    unsafe fn release(&mut self) {
        free(self.accepted.cast());
        self.accepted = null_mut();
    }

    unsafe fn visit(&mut self, node: &super::program::Node, at: usize) {
        let group = node.value as usize;
        if !matches!(node.op, Op::Open | Op::Close) || group >= self.count {
            return;
        }
        let span = self.spans.add(group);
        if node.op == Op::Open {
            *span = Span {
                start: at as i32,
                end: -1,
            };
            return;
        }
        let bytes = self.count * size_of::<Span>();
        if ((*span).start as i64) < at as i64 {
            (*span).end = at as i32;
            memcpy(self.accepted.cast(), self.spans.cast(), bytes);
        } else if node.is_optional && (*self.accepted.add(group)).start != -1 {
            memcpy(self.spans.cast(), self.accepted.cast(), bytes);
        } else {
            (*span).end = at as i32;
        }
    }
}

/// The first bytes of matches, as `fastmap` has them.
pub unsafe fn fill_fastmap(program: &Program, map: *mut u8) {
    let all = if program.can_be_empty {
        Set::FULL
    } else {
        program.first
    };
    let mut byte = 0;
    while byte < 256 {
        *map.add(byte) = all.contains(byte as u8) as u8;
        byte += 1;
    }
}
