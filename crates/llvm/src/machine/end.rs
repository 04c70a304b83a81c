//! Every way a path can end.

use crate::memory::{Kind, ObjectInfo};

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The program ended itself, with this status.
    Exit(i32),
    /// Something is wrong with the program.
    Error(Box<Error>),
    /// The machine cannot go on; nothing is said about the program.
    Unsupported(Box<Unsupported>),
    /// The path is of no interest: an assumption cannot hold on it, or the program said so.
    Silent,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// What is missing.
    pub what: String,
    /// The name of a function that nobody provides, if that is what is missing.
    pub missing_function: Option<String>,
    pub trace: Vec<Place>,
}

/// Where execution was, innermost first; inlined functions have their own places.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Place {
    pub function: String,
    pub file: String,
    /// 0 where the program has no debug information.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    OutOfBoundsRead,
    OutOfBoundsWrite,
    UseAfterFree,
    UseAfterReturn,
    NullDereference,
    WildRead,
    WildWrite,
    WriteToReadOnly,
    UninitialisedRead,
    DoubleFree,
    BadFree,
    DivisionByZero,
    DivisionOverflow,
    SignedOverflow,
    Assertion,
    Abort,
    Panic,
    Unreachable,
    NullCall,
    BadCall,
    /// `longjmp` without a place to go.
    BadJump,
    ShiftTooFar,
    UncaughtException,
    BadGoto,
    StackOverflow,
    OutOfMemory,
    Trap,
}

impl ErrorKind {
    pub const ALL: [ErrorKind; 27] = [
        ErrorKind::OutOfBoundsRead,
        ErrorKind::OutOfBoundsWrite,
        ErrorKind::UseAfterFree,
        ErrorKind::UseAfterReturn,
        ErrorKind::NullDereference,
        ErrorKind::WildRead,
        ErrorKind::WildWrite,
        ErrorKind::WriteToReadOnly,
        ErrorKind::UninitialisedRead,
        ErrorKind::DoubleFree,
        ErrorKind::BadFree,
        ErrorKind::DivisionByZero,
        ErrorKind::DivisionOverflow,
        ErrorKind::SignedOverflow,
        ErrorKind::Assertion,
        ErrorKind::Abort,
        ErrorKind::Panic,
        ErrorKind::Unreachable,
        ErrorKind::NullCall,
        ErrorKind::BadCall,
        ErrorKind::BadJump,
        ErrorKind::ShiftTooFar,
        ErrorKind::UncaughtException,
        ErrorKind::BadGoto,
        ErrorKind::StackOverflow,
        ErrorKind::OutOfMemory,
        ErrorKind::Trap,
    ];

    /// The kind that reports name so.
    pub fn named(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Why it is an error, in a line.
    pub fn explanation(self) -> &'static str {
        match self {
            ErrorKind::OutOfBoundsRead => "memory is read that belongs to no part of the object",
            ErrorKind::OutOfBoundsWrite => {
                "memory is written that belongs to no part of the object"
            }
            ErrorKind::UseAfterFree => "the object was freed before",
            ErrorKind::UseAfterReturn => "the function that the object belonged to has returned",
            ErrorKind::NullDereference => "the pointer is null, or a few bytes beside null",
            ErrorKind::WildRead => "the pointer points to no object",
            ErrorKind::WildWrite => "the pointer points to no object",
            ErrorKind::WriteToReadOnly => "the object is a constant",
            ErrorKind::UninitialisedRead => "nothing was written there before it is read",
            ErrorKind::DoubleFree => "the object was freed before",
            ErrorKind::BadFree => {
                "only what malloc, new and the like returned can be freed, by the pointer they returned"
            }
            ErrorKind::DivisionByZero => "the divisor is zero",
            ErrorKind::DivisionOverflow => "the least integer divided by -1 does not fit",
            ErrorKind::SignedOverflow => {
                "the result does not fit, and signed overflow is undefined"
            }
            ErrorKind::Assertion => "a condition that the program relies on does not hold",
            ErrorKind::Abort => "the program ends itself abnormally",
            ErrorKind::Panic => "the program panics",
            ErrorKind::Unreachable => "the compiler was promised that this is never reached",
            ErrorKind::NullCall => "the pointer to the function is null",
            ErrorKind::BadCall => "the pointer points to no function",
            ErrorKind::BadJump => {
                "the function that called setjmp has returned, or none was called"
            }
            ErrorKind::ShiftTooFar => "a shift by as many bits as there are, or more, is undefined",
            ErrorKind::UncaughtException => "no function on the stack catches it",
            ErrorKind::BadGoto => "the address is that of no label of the function",
            ErrorKind::StackOverflow => "the recursion goes deeper than any stack",
            ErrorKind::OutOfMemory => "the program asks for more memory than there is",
            ErrorKind::Trap => "the program runs into an instruction that ends it",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::OutOfBoundsRead => "out-of-bounds read",
            ErrorKind::OutOfBoundsWrite => "out-of-bounds write",
            ErrorKind::UseAfterFree => "use after free",
            ErrorKind::UseAfterReturn => "use after return",
            ErrorKind::NullDereference => "null dereference",
            ErrorKind::WildRead => "wild pointer read",
            ErrorKind::WildWrite => "wild pointer write",
            ErrorKind::WriteToReadOnly => "write to read-only memory",
            ErrorKind::UninitialisedRead => "uninitialised read",
            ErrorKind::DoubleFree => "double free",
            ErrorKind::BadFree => "invalid free",
            ErrorKind::DivisionByZero => "division by zero",
            ErrorKind::DivisionOverflow => "division overflow",
            ErrorKind::SignedOverflow => "signed overflow",
            ErrorKind::Assertion => "assertion failure",
            ErrorKind::Abort => "abort",
            ErrorKind::Panic => "panic",
            ErrorKind::Unreachable => "unreachable code",
            ErrorKind::NullCall => "call of a null function",
            ErrorKind::BadCall => "call of no function",
            ErrorKind::BadJump => "jump to nowhere",
            ErrorKind::ShiftTooFar => "shift too far",
            ErrorKind::UncaughtException => "uncaught exception",
            ErrorKind::BadGoto => "computed goto to no label",
            ErrorKind::StackOverflow => "stack overflow",
            ErrorKind::OutOfMemory => "out of memory",
            ErrorKind::Trap => "trap",
        }
    }
}

/// What went wrong, where, and on which object.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    pub kind: ErrorKind,
    /// In the program's own words, where it has some: the text of an assertion, of a panic.
    pub message: String,
    pub trace: Vec<Place>,
    pub object: Option<Object>,
    /// The address that was touched, and how many bytes.
    pub access: Option<(u64, u64)>,
}

/// The object that was missed or misused.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub name: String,
    pub kind: Kind,
    pub size: u64,
    /// Where the access starts, counted from the object's start.
    pub offset: i64,
    pub allocated_at: Vec<Place>,
    pub freed_at: Vec<Place>,
}

impl Object {
    /// By how much an access of so many bytes misses: before the start (negative) or after the end.
    pub fn miss(&self, bytes: u64) -> String {
        let size = self.size as i64;
        let count = |n: i64| {
            if n == 1 {
                "1 byte".to_string()
            } else {
                format!("{n} bytes")
            }
        };
        if self.offset < 0 {
            format!("{} before the start", count(-self.offset))
        } else if self.offset >= size {
            format!("{} after the end", count(self.offset - size))
        } else if self.offset + bytes as i64 > size {
            format!("{} past the end", count(self.offset + bytes as i64 - size))
        } else {
            format!("{} after the start", count(self.offset))
        }
    }
}

impl From<&ObjectInfo> for Object {
    fn from(info: &ObjectInfo) -> Object {
        Object {
            name: String::new(),
            kind: info.origin.kind,
            size: info.size,
            offset: 0,
            allocated_at: Vec::new(),
            freed_at: Vec::new(),
        }
    }
}
