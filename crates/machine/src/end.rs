//! Every way a path can end.

use std::fmt;

use refrain_term::Term;
use serde::{Deserialize, Serialize};

use crate::{ErrorKind, Place, is_system_file};

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The program ended itself.
    Exit(ExitStatus),
    /// Something is wrong with the program.
    Error(Box<Fault>),
    /// The machine cannot go on; nothing is said about the program.
    Unsupported(Box<Unsupported>),
    /// The path is of no interest: the program said so.
    Silent,
    /// The machine is in a state that it can never be in: a bug of ours. What happened.
    Internal(String),
}

/// The status that a program ended with. Nothing reads it, so that it need not have one value only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    Known(i32),
    /// A bit-vector, of which the system keeps the low 8 bits.
    Symbolic(Term),
}

/// What a machine cannot do.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// What is missing.
    pub what: String,
    /// The name of a function or variable that nobody provides, if that is what is missing.
    pub missing_name: Option<String>,
    /// Innermost first.
    pub stack: Vec<Place>,
}

/// What is missing, and where the program wants it.
impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.what)?;
        match self.stack.iter().find(|place| place.line > 0) {
            Some(place) => write!(formatter, " at {}:{}", place.file, place.line),
            None => Ok(()),
        }
    }
}

/// What is wrong with a program, where, and on which object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: ErrorKind,
    /// In the program's own words, where it has some: the text of an assertion, of a panic.
    #[serde(default)]
    pub message: String,
    /// Innermost first; inlined functions have their own places.
    #[serde(default)]
    pub stack: Vec<Place>,
    #[serde(default)]
    pub object: Option<Object>,
    #[serde(default)]
    pub access: Option<Access>,
    /// What else a reader of the report should know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The bytes that were touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub address: u64,
    pub bytes: u64,
}

/// The object that was missed or misused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    #[serde(default)]
    pub name: String,
    pub kind: ObjectKind,
    pub size: u64,
    /// Where the access starts, counted from the object's start.
    pub offset: i64,
    #[serde(default)]
    pub allocated_at: Vec<Place>,
    #[serde(default)]
    pub freed_at: Vec<Place>,
}

/// What an object is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    Global,
    Stack,
    Heap,
    Function,
    Runtime,
}

impl ObjectKind {
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Global => "global",
            ObjectKind::Stack => "stack",
            ObjectKind::Heap => "heap",
            ObjectKind::Function => "function",
            ObjectKind::Runtime => "runtime",
        }
    }
}

impl Fault {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Fault {
        Fault {
            kind,
            message: message.into(),
            stack: Vec::new(),
            object: None,
            access: None,
            notes: Vec::new(),
        }
    }

    /// Where the program went wrong: the innermost place in its own source. What a library function was told to do is
    /// its caller's mistake, and two callers are two mistakes. Without such a place, the innermost that has a line, or
    /// the innermost.
    pub fn place(&self) -> Option<&Place> {
        let has_line = |place: &&Place| place.line > 0;
        let is_own = |place: &&Place| has_line(place) && !is_system_file(&place.file);
        let own = self.stack.iter().find(is_own);
        own.or_else(|| self.stack.iter().find(has_line))
            .or(self.stack.first())
    }

    /// The object, and by how much it was missed: "a, 4 bytes, heap; 1 byte past the end".
    pub fn object_text(&self) -> Option<String> {
        let object = self.object.as_ref()?;
        let name = match object.name.as_str() {
            "" => String::new(),
            name => format!("{name}, "),
        };
        let bytes = self.access.map_or(0, |access| access.bytes);
        let (size, kind, miss) = (object.size, object.kind.name(), object.miss(bytes));
        Some(format!("{name}{size} bytes, {kind}; {miss}"))
    }

    /// More lines of the report: which object, by how much it was missed, and notes.
    pub fn details(&self) -> Vec<String> {
        let touched = match (self.object_text(), self.access) {
            (Some(object), _) => Some(format!("object: {object}")),
            (None, Some(access)) => Some(format!("address: {:#x}", access.address)),
            (None, None) => None,
        };
        touched.into_iter().chain(self.notes.clone()).collect()
    }

    /// Other places that have to do with it, and what happened there.
    pub fn related(&self) -> Vec<(&'static str, &Place)> {
        let Some(object) = &self.object else {
            return Vec::new();
        };
        let places = [
            ("allocated here", object.allocated_at.first()),
            ("freed here", object.freed_at.first()),
        ];
        let known = places.into_iter();
        known
            .filter_map(|(what, place)| Some((what, place?)))
            .collect()
    }
}

impl Object {
    /// By how much an access of so many bytes misses: before the start or after the end.
    pub fn miss(&self, bytes: u64) -> String {
        let (offset, size) = (i128::from(self.offset), i128::from(self.size));
        let end = offset + i128::from(bytes);
        let count = |n: i128| match n {
            1 => "1 byte".to_string(),
            n => format!("{n} bytes"),
        };
        if offset < 0 {
            format!("{} before the start", count(-offset))
        } else if offset >= size {
            format!("{} after the end", count(offset - size))
        } else if end > size {
            format!("{} past the end", count(end - size))
        } else {
            format!("{} after the start", count(offset))
        }
    }
}
