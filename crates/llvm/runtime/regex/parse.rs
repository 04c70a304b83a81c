//! A pattern as a tree, by the syntax bits of the GNU C library, whose parser's
//! decisions these are: what is an operator where, and which error is reported.

use super::sets::{Set, class_named};
use super::syntax::*;
use crate::list::List;

pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A byte of the set `left`.
    Bytes,
    /// `left`, then `right`; either may be missing.
    Sequence,
    /// `left` or `right`; either may be missing.
    Choice,
    /// `left`, from `low` to `high` times; `high` is `NONE` without a bound.
    Repeat,
    /// The group `low`, around `left`, which may be missing.
    Group,
    /// What the group `low` matched.
    Again,
    /// An empty place, by the kind `low`.
    Anchor,
}

#[derive(Clone, Copy)]
pub struct Tree {
    pub kind: Kind,
    pub left: u32,
    pub right: u32,
    pub low: u32,
    pub high: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    End,
    Byte,
    Choice,
    BackReference,
    Anchor,
    Word,
    NotWord,
    Space,
    NotSpace,
    Open,
    Close,
    Star,
    Plus,
    Question,
    OpenInterval,
    CloseInterval,
    Bracket,
    Period,
    /// A backslash with nothing behind it.
    Backslash,
}

/// What a bracket is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    End,
    Byte,
    Range,
    Close,
    Hat,
    Collating,
    Equivalence,
    Class,
}

pub struct Parser {
    pattern: *const u8,
    len: usize,
    at: usize,
    syntax: u64,
    translate: *const u8,
    token: Token,
    /// The byte, anchor or number of the token.
    value: u8,
    token_len: usize,
    pub trees: List<Tree>,
    pub sets: List<Set>,
    pub groups: u32,
    /// Groups that are closed, of the first nine.
    completed: u32,
    pub has_back_references: bool,
    pub error: i32,
}

impl Parser {
    pub unsafe fn new(pattern: *const u8, len: usize, syntax: u64, translate: *const u8) -> Parser {
        Parser {
            pattern,
            len,
            at: 0,
            syntax,
            translate,
            token: Token::End,
            value: 0,
            token_len: 0,
            trees: List::new(),
            sets: List::new(),
            groups: 0,
            completed: 0,
            has_back_references: false,
            error: 0,
        }
    }

    /// The root, or `NONE` if the pattern is empty or wrong: see `error`.
    pub unsafe fn parse(&mut self) -> u32 {
        self.fetch(self.syntax | CARET_ANCHORS_HERE);
        self.alternatives(0)
    }

    unsafe fn fail(&mut self, error: i32) -> u32 {
        if self.error == 0 {
            self.error = error;
        }
        NONE
    }

    unsafe fn add(&mut self, kind: Kind, left: u32, right: u32, low: u32, high: u32) -> u32 {
        let tree = Tree {
            kind,
            left,
            right,
            low,
            high,
        };
        if !self.trees.push(tree) {
            return self.fail(ESPACE);
        }
        self.trees.len() as u32 - 1
    }

    unsafe fn add_set(&mut self, set: Set) -> u32 {
        if !self.sets.push(set) {
            return self.fail(ESPACE);
        }
        let index = self.sets.len() as u32 - 1;
        self.add(Kind::Bytes, index, NONE, 0, 0)
    }

    #[inline(always)]
    unsafe fn raw(&self, at: usize) -> u8 {
        *self.pattern.add(at)
    }

    /// A byte of the pattern as it is compared with the text.
    unsafe fn byte(&self, at: usize) -> u8 {
        let mut byte = self.raw(at);
        if !self.translate.is_null() {
            byte = *self.translate.add(byte as usize);
        }
        if self.syntax & ICASE != 0 {
            byte = super::sets::upper(byte);
        }
        byte
    }

    unsafe fn has(&self, bits: u64) -> bool {
        self.syntax & bits != 0
    }

    unsafe fn fetch(&mut self, syntax: u64) {
        let (token, value, len) = self.peek(self.at, syntax);
        self.token = token;
        self.value = value;
        self.token_len = len;
        self.at += len;
    }

    /// The token at a place: its kind, its value and how many bytes it has.
    unsafe fn peek(&self, at: usize, syntax: u64) -> (Token, u8, usize) {
        if at >= self.len {
            return (Token::End, 0, 0);
        }
        let has = |bits: u64| syntax & bits != 0;
        let c = self.byte(at);
        if c == b'\\' {
            if at + 1 >= self.len {
                return (Token::Backslash, c, 1);
            }
            let c = self.raw(at + 1);
            let gnu = !has(NO_GNU_OPS);
            let (token, value) = match c {
                b'|' if !has(LIMITED_OPS) && !has(NO_BK_VBAR) => (Token::Choice, c),
                b'1'..=b'9' if !has(NO_BK_REFS) => (Token::BackReference, c - b'1'),
                b'<' if gnu => (Token::Anchor, WORD_FIRST),
                b'>' if gnu => (Token::Anchor, WORD_LAST),
                b'b' if gnu => (Token::Anchor, WORD_EDGE),
                b'B' if gnu => (Token::Anchor, NOT_WORD_EDGE),
                b'`' if gnu => (Token::Anchor, BUFFER_FIRST),
                b'\'' if gnu => (Token::Anchor, BUFFER_LAST),
                b'w' if gnu => (Token::Word, c),
                b'W' if gnu => (Token::NotWord, c),
                b's' if gnu => (Token::Space, c),
                b'S' if gnu => (Token::NotSpace, c),
                b'(' if !has(NO_BK_PARENS) => (Token::Open, c),
                b')' if !has(NO_BK_PARENS) => (Token::Close, c),
                b'+' if !has(LIMITED_OPS) && has(BK_PLUS_QM) => (Token::Plus, c),
                b'?' if !has(LIMITED_OPS) && has(BK_PLUS_QM) => (Token::Question, c),
                b'{' if has(INTERVALS) && !has(NO_BK_BRACES) => (Token::OpenInterval, c),
                b'}' if has(INTERVALS) && !has(NO_BK_BRACES) => (Token::CloseInterval, c),
                _ => (Token::Byte, c),
            };
            return (token, value, 2);
        }
        let token = match c {
            b'\n' if has(NEWLINE_ALT) => Token::Choice,
            b'|' if !has(LIMITED_OPS) && has(NO_BK_VBAR) => Token::Choice,
            b'*' => Token::Star,
            b'+' if !has(LIMITED_OPS) && !has(BK_PLUS_QM) => Token::Plus,
            b'?' if !has(LIMITED_OPS) && !has(BK_PLUS_QM) => Token::Question,
            b'{' if has(INTERVALS) && has(NO_BK_BRACES) => Token::OpenInterval,
            b'}' if has(INTERVALS) && has(NO_BK_BRACES) => Token::CloseInterval,
            b'(' if has(NO_BK_PARENS) => Token::Open,
            b')' if has(NO_BK_PARENS) => Token::Close,
            b'[' => Token::Bracket,
            b'.' => Token::Period,
            b'^' => {
                let anchors = has(CONTEXT_INDEP_ANCHORS | CARET_ANCHORS_HERE)
                    || at == 0
                    || (has(NEWLINE_ALT) && self.byte(at - 1) == b'\n');
                return if anchors {
                    (Token::Anchor, LINE_FIRST, 1)
                } else {
                    (Token::Byte, c, 1)
                };
            }
            b'$' => {
                let anchors = has(CONTEXT_INDEP_ANCHORS) || at + 1 == self.len || {
                    let (next, _, _) = self.peek(at + 1, syntax);
                    next == Token::Choice || next == Token::Close
                };
                return if anchors {
                    (Token::Anchor, LINE_LAST, 1)
                } else {
                    (Token::Byte, c, 1)
                };
            }
            _ => Token::Byte,
        };
        (token, c, 1)
    }

    fn ends_branch(&self, depth: u32) -> bool {
        self.token == Token::Choice
            || self.token == Token::End
            || (depth > 0 && self.token == Token::Close)
    }

    unsafe fn alternatives(&mut self, depth: u32) -> u32 {
        let before = self.completed;
        let mut tree = self.branch(depth);
        while self.error == 0 && self.token == Token::Choice {
            self.fetch(self.syntax | CARET_ANCHORS_HERE);
            let mut other = NONE;
            if !self.ends_branch(depth) {
                // Another alternative may refer to what is before all of them.
                let after = self.completed;
                self.completed = before;
                other = self.branch(depth);
                self.completed |= after;
            }
            if self.error == 0 {
                tree = self.choice(tree, other);
            }
        }
        tree
    }

    /// One of two bytes is a byte of one set: which of the two it was decides nothing.
    unsafe fn choice(&mut self, one: u32, other: u32) -> u32 {
        if one != NONE && other != NONE {
            let (a, b) = (self.trees.get(one as usize), self.trees.get(other as usize));
            if a.kind == Kind::Bytes && b.kind == Kind::Bytes {
                let mut set = self.sets.get(a.left as usize);
                set.union(self.sets.get(b.left as usize));
                return self.add_set(set);
            }
        }
        self.add(Kind::Choice, one, other, 0, 0)
    }

    unsafe fn branch(&mut self, depth: u32) -> u32 {
        let mut tree = self.expression(depth);
        while self.error == 0 && !self.ends_branch(depth) {
            let next = self.expression(depth);
            if self.error != 0 {
                break;
            }
            tree = if tree == NONE {
                next
            } else if next == NONE {
                tree
            } else {
                self.add(Kind::Sequence, tree, next, 0, 0)
            };
        }
        tree
    }

    unsafe fn expression(&mut self, depth: u32) -> u32 {
        // Deep enough for every pattern somebody wrote.
        const DEEPEST: u32 = 1000;
        if depth > DEEPEST {
            return self.fail(ESPACE);
        }
        let mut tree;
        match self.token {
            Token::Open => tree = self.group(depth + 1),
            Token::Bracket => tree = self.bracket(),
            Token::BackReference => {
                if self.completed & 1 << self.value == 0 {
                    return self.fail(ESUBREG);
                }
                self.has_back_references = true;
                tree = self.add(Kind::Again, NONE, NONE, self.value as u32 + 1, 0);
            }
            Token::OpenInterval | Token::Star | Token::Plus | Token::Question => {
                if self.token == Token::OpenInterval && self.has(CONTEXT_INVALID_DUP) {
                    return self.fail(BADRPT);
                }
                if self.has(CONTEXT_INVALID_OPS) && !self.has(CONTEXT_INVALID_DUP) {
                    return self.fail(BADRPT);
                }
                if self.has(CONTEXT_INDEP_OPS) {
                    self.fetch(self.syntax);
                    return self.expression(depth + 1);
                }
                tree = self.single(self.value);
            }
            Token::Close => {
                if !self.has(UNMATCHED_RIGHT_PAREN_ORD) {
                    return self.fail(ERPAREN);
                }
                tree = self.single(self.value);
            }
            Token::Byte | Token::CloseInterval => tree = self.single(self.value),
            Token::Anchor => {
                tree = self.anchor(self.value);
                // Nothing repeats an anchor.
                self.fetch(self.syntax);
                return tree;
            }
            Token::Period => {
                let mut set = Set::FULL;
                if !self.has(DOT_NEWLINE) {
                    set.remove(b'\n');
                }
                if self.has(DOT_NOT_NULL) {
                    set.remove(0);
                }
                tree = self.add_set(set);
            }
            Token::Word | Token::NotWord => {
                tree = self.add_set(Set::WORD.complement_if(self.token == Token::NotWord));
            }
            Token::Space | Token::NotSpace => {
                tree = self.add_set(Set::SPACE.complement_if(self.token == Token::NotSpace));
            }
            Token::Choice | Token::End => return NONE,
            Token::Backslash => return self.fail(EESCAPE),
        }
        if self.error != 0 {
            return NONE;
        }
        self.fetch(self.syntax);
        while matches!(
            self.token,
            Token::Star | Token::Plus | Token::Question | Token::OpenInterval
        ) {
            tree = self.repetition(tree);
            if self.error != 0 {
                return NONE;
            }
            let again = self.token == Token::Star || self.token == Token::OpenInterval;
            if again && self.has(CONTEXT_INVALID_DUP) {
                return self.fail(BADRPT);
            }
        }
        tree
    }

    unsafe fn single(&mut self, byte: u8) -> u32 {
        let mut set = Set::EMPTY;
        set.insert(byte);
        self.add_set(set)
    }

    unsafe fn anchor(&mut self, kind: u8) -> u32 {
        let pair = match kind {
            WORD_EDGE => (WORD_FIRST, WORD_LAST),
            NOT_WORD_EDGE => (INSIDE_WORD, OUTSIDE_WORD),
            _ => return self.add(Kind::Anchor, NONE, NONE, kind as u32, 0),
        };
        let first = self.add(Kind::Anchor, NONE, NONE, pair.0 as u32, 0);
        let second = self.add(Kind::Anchor, NONE, NONE, pair.1 as u32, 0);
        self.add(Kind::Choice, first, second, 0, 0)
    }

    unsafe fn group(&mut self, depth: u32) -> u32 {
        let number = self.groups;
        self.groups += 1;
        self.fetch(self.syntax | CARET_ANCHORS_HERE);
        let mut tree = NONE;
        if self.token != Token::Close {
            tree = self.alternatives(depth);
            if self.error == 0 && self.token != Token::Close {
                return self.fail(EPAREN);
            }
            if self.error != 0 {
                return NONE;
            }
        }
        if number < 9 {
            self.completed |= 1 << number;
        }
        self.add(Kind::Group, tree, NONE, number + 1, 0)
    }

    unsafe fn repetition(&mut self, tree: u32) -> u32 {
        let (low, high) = match self.token {
            Token::Plus => (1, NONE),
            Token::Question => (0, 1),
            Token::Star => (0, NONE),
            _ => {
                let (at, value, len) = (self.at, self.value, self.token_len);
                match self.interval() {
                    Ok(bounds) => bounds,
                    Err(0) => {
                        // It is no interval, and stands for itself.
                        self.at = at;
                        self.value = value;
                        self.token_len = len;
                        self.token = Token::Byte;
                        return tree;
                    }
                    Err(error) => return self.fail(error),
                }
            }
        };
        self.fetch(self.syntax);
        if tree == NONE || (low, high) == (0, 0) {
            return NONE;
        }
        self.add(Kind::Repeat, tree, NONE, low, high)
    }

    /// The bounds between braces. `Err(0)`: they are none, and need not be.
    unsafe fn interval(&mut self) -> Result<(u32, u32), i32> {
        const MOST: i64 = 0x7fff;
        let mut low = self.number();
        let mut high = -2;
        if low == -1 {
            if self.token == Token::Byte && self.value == b',' {
                low = 0;
            } else {
                return Err(BADBR);
            }
        }
        if low != -2 {
            if self.token == Token::CloseInterval {
                high = low;
            } else if self.token == Token::Byte && self.value == b',' {
                high = self.number();
            }
        }
        if low == -2 || high == -2 {
            if self.has(INVALID_INTERVAL_ORD) {
                return Err(0);
            }
            return Err(if self.token == Token::End {
                EBRACE
            } else {
                BADBR
            });
        }
        if (high != -1 && low > high) || self.token != Token::CloseInterval {
            return Err(BADBR);
        }
        if (if high == -1 { low } else { high }) > MOST {
            return Err(ESIZE);
        }
        Ok((low as u32, if high == -1 { NONE } else { high as u32 }))
    }

    /// A number up to a comma or the closing brace: -1 if there is none, -2 if it is something else.
    unsafe fn number(&mut self) -> i64 {
        let mut number = -1;
        loop {
            self.fetch(self.syntax);
            let c = self.value;
            if self.token == Token::End {
                return -2;
            }
            if self.token == Token::CloseInterval || c == b',' {
                return number;
            }
            let is_digit = self.token == Token::Byte && c.is_ascii_digit();
            number = if !is_digit || number == -2 {
                -2
            } else if number == -1 {
                (c - b'0') as i64
            } else {
                let next = number * 10 + (c - b'0') as i64;
                if next > 0x8000 { 0x8000 } else { next }
            };
        }
    }

    // Brackets.

    unsafe fn item(&mut self) -> (Item, u8, usize) {
        if self.at >= self.len {
            return (Item::End, 0, 0);
        }
        let c = self.byte(self.at);
        if c == b'\\' && self.has(BACKSLASH_ESCAPE_IN_LISTS) && self.at + 1 < self.len {
            self.at += 1;
            return (Item::Byte, self.byte(self.at), 1);
        }
        if c == b'[' {
            let next = if self.at + 1 < self.len {
                self.byte(self.at + 1)
            } else {
                0
            };
            return match next {
                b'.' => (Item::Collating, next, 2),
                b'=' => (Item::Equivalence, next, 2),
                b':' if self.has(CHAR_CLASSES) => (Item::Class, next, 2),
                _ => (Item::Byte, c, 1),
            };
        }
        let item = match c {
            b'-' => {
                // Three of them are one that stands for itself.
                let three = self.at + 2 < self.len
                    && self.byte(self.at + 1) == b'-'
                    && self.byte(self.at + 2) == b'-';
                if three {
                    self.at += 2;
                    Item::Byte
                } else {
                    Item::Range
                }
            }
            b']' => Item::Close,
            b'^' => Item::Hat,
            _ => Item::Byte,
        };
        (item, c, 1)
    }

    unsafe fn bracket(&mut self) -> u32 {
        let mut set = Set::EMPTY;
        let mut token = self.item();
        if token.0 == Item::End {
            return self.fail(BADPAT);
        }
        let mut negated = false;
        if token.0 == Item::Hat {
            negated = true;
            if self.has(HAT_LISTS_NOT_NEWLINE) {
                set.insert(b'\n');
            }
            self.at += token.2;
            token = self.item();
            if token.0 == Item::End {
                return self.fail(BADPAT);
            }
        }
        if token.0 == Item::Close {
            token.0 = Item::Byte;
        }
        let mut first = true;
        loop {
            let start = self.element(&mut set, token, first);
            if self.error != 0 {
                return NONE;
            }
            first = false;
            token = self.item();
            if let Element::Byte(_) | Element::Symbol = start
                && token.0 == Item::Range
            {
                let hyphen = token;
                let place = self.at;
                self.at += hyphen.2;
                let next = self.item();
                if next.0 == Item::End {
                    return self.fail(EBRACK);
                }
                if next.0 == Item::Close {
                    // The last one stands for itself.
                    self.at = place;
                    token = (Item::Byte, hyphen.1, hyphen.2);
                } else {
                    let end = self.element(&mut set, next, true);
                    if self.error != 0 {
                        return NONE;
                    }
                    let (Element::Byte(low), Element::Byte(high)) = (start, end) else {
                        return self.fail(if let Element::Class = end {
                            ERANGE
                        } else {
                            ECOLLATE
                        });
                    };
                    if low > high && self.has(NO_EMPTY_RANGES) {
                        return self.fail(ERANGE);
                    }
                    set.insert_range(low, high);
                    token = self.item();
                    if token.0 == Item::End {
                        return self.fail(EBRACK);
                    }
                    if token.0 == Item::Close {
                        break;
                    }
                    continue;
                }
            }
            match start {
                Element::Byte(byte) => set.insert(byte),
                Element::Symbol => return self.fail(ECOLLATE),
                Element::Class => {}
            }
            if token.0 == Item::End {
                return self.fail(EBRACK);
            }
            if token.0 == Item::Close {
                break;
            }
        }
        // The closing bracket.
        self.at += 1;
        self.add_set(set.complement_if(negated))
    }

    /// Reads one element, a class into the set itself.
    unsafe fn element(&mut self, set: *mut Set, token: (Item, u8, usize), hyphen: bool) -> Element {
        self.at += token.2;
        match token.0 {
            Item::Collating | Item::Equivalence | Item::Class => {
                let mut name = [0u8; 33];
                let text = (&raw mut name).cast::<u8>();
                let Some(len) = self.symbol(token, text) else {
                    self.fail(EBRACK);
                    return Element::Class;
                };
                if token.0 == Item::Class {
                    match class_named(text, len, self.has(ICASE)) {
                        Some(class) => (*set).union(class),
                        None => {
                            self.fail(ECTYPE);
                        }
                    }
                    return Element::Class;
                }
                if len != 1 {
                    if token.0 == Item::Equivalence {
                        self.fail(ECOLLATE);
                    }
                    return Element::Symbol;
                }
                if token.0 == Item::Equivalence {
                    (*set).insert(*text);
                    return Element::Class;
                }
                Element::Byte(*text)
            }
            Item::Range if !hyphen => {
                let (next, _, _) = self.item();
                if next != Item::Close {
                    self.fail(ERANGE);
                }
                Element::Byte(token.1)
            }
            _ => Element::Byte(token.1),
        }
    }

    /// The name between `[.`, `[=` or `[:` and its counterpart.
    unsafe fn symbol(&mut self, token: (Item, u8, usize), to: *mut u8) -> Option<usize> {
        let mut len = 0;
        loop {
            if len >= 32 || self.at >= self.len {
                return None;
            }
            let c = if token.0 == Item::Class {
                self.raw(self.at)
            } else {
                self.byte(self.at)
            };
            self.at += 1;
            if self.at >= self.len {
                return None;
            }
            if c == token.1 && self.byte(self.at) == b']' {
                self.at += 1;
                return Some(len);
            }
            *to.add(len) = c;
            len += 1;
        }
    }
}

#[derive(Clone, Copy)]
enum Element {
    Byte(u8),
    /// The name of more than one character.
    Symbol,
    /// What is in the set already.
    Class,
}
