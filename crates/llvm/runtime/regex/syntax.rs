//! The bits of `regex.h`: syntax, errors, flags, and kinds of anchors.

pub const BACKSLASH_ESCAPE_IN_LISTS: u64 = 1;
pub const BK_PLUS_QM: u64 = 1 << 1;
pub const CHAR_CLASSES: u64 = 1 << 2;
pub const CONTEXT_INDEP_ANCHORS: u64 = 1 << 3;
pub const CONTEXT_INDEP_OPS: u64 = 1 << 4;
pub const CONTEXT_INVALID_OPS: u64 = 1 << 5;
pub const DOT_NEWLINE: u64 = 1 << 6;
pub const DOT_NOT_NULL: u64 = 1 << 7;
pub const HAT_LISTS_NOT_NEWLINE: u64 = 1 << 8;
pub const INTERVALS: u64 = 1 << 9;
pub const LIMITED_OPS: u64 = 1 << 10;
pub const NEWLINE_ALT: u64 = 1 << 11;
pub const NO_BK_BRACES: u64 = 1 << 12;
pub const NO_BK_PARENS: u64 = 1 << 13;
pub const NO_BK_REFS: u64 = 1 << 14;
pub const NO_BK_VBAR: u64 = 1 << 15;
pub const NO_EMPTY_RANGES: u64 = 1 << 16;
pub const UNMATCHED_RIGHT_PAREN_ORD: u64 = 1 << 17;
pub const NO_GNU_OPS: u64 = 1 << 19;
pub const INVALID_INTERVAL_ORD: u64 = 1 << 21;
pub const ICASE: u64 = 1 << 22;
pub const CARET_ANCHORS_HERE: u64 = 1 << 23;
pub const CONTEXT_INVALID_DUP: u64 = 1 << 24;
pub const NO_SUB: u64 = 1 << 25;

const COMMON: u64 = CHAR_CLASSES | DOT_NEWLINE | DOT_NOT_NULL | INTERVALS | NO_EMPTY_RANGES;
pub const BASIC: u64 = COMMON | BK_PLUS_QM | CONTEXT_INVALID_DUP;
pub const EXTENDED: u64 = COMMON
    | CONTEXT_INDEP_ANCHORS
    | CONTEXT_INDEP_OPS
    | NO_BK_BRACES
    | NO_BK_PARENS
    | NO_BK_VBAR
    | CONTEXT_INVALID_OPS
    | UNMATCHED_RIGHT_PAREN_ORD;

pub const NOMATCH: i32 = 1;
pub const BADPAT: i32 = 2;
pub const ECOLLATE: i32 = 3;
pub const ECTYPE: i32 = 4;
pub const EESCAPE: i32 = 5;
pub const ESUBREG: i32 = 6;
pub const EBRACK: i32 = 7;
pub const EPAREN: i32 = 8;
pub const EBRACE: i32 = 9;
pub const BADBR: i32 = 10;
pub const ERANGE: i32 = 11;
pub const ESPACE: i32 = 12;
pub const BADRPT: i32 = 13;
pub const ESIZE: i32 = 15;
pub const ERPAREN: i32 = 16;

/// The flags of `regcomp`.
pub const REG_EXTENDED: i32 = 1;
pub const REG_ICASE: i32 = 2;
pub const REG_NEWLINE: i32 = 4;
pub const REG_NOSUB: i32 = 8;
/// The flags of `regexec`.
pub const REG_NOTBOL: i32 = 1;
pub const REG_NOTEOL: i32 = 2;
pub const REG_STARTEND: i32 = 4;

/// Anchors. An edge of a word is one of two others.
pub const LINE_FIRST: u8 = 0;
pub const LINE_LAST: u8 = 1;
pub const BUFFER_FIRST: u8 = 2;
pub const BUFFER_LAST: u8 = 3;
pub const WORD_FIRST: u8 = 4;
pub const WORD_LAST: u8 = 5;
pub const INSIDE_WORD: u8 = 6;
pub const OUTSIDE_WORD: u8 = 7;
pub const WORD_EDGE: u8 = 8;
pub const NOT_WORD_EDGE: u8 = 9;
