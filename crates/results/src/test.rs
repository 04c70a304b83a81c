//! A test: inputs that lead down one path, and what the path does.

/// One path of a program, by an input that takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    pub number: u32,
    /// In the order in which the program makes them.
    pub inputs: Vec<Input>,
    /// What the program was started with, its own name first.
    pub args: Vec<Vec<u8>>,
    pub outcome: Outcome,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub instructions: u64,
    /// The answers to the questions that were asked on the path.
    pub decisions: Vec<u64>,
    /// It reached code that no test before it reached.
    pub new_coverage: bool,
}

/// A named input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Input {
    /// As a number, if it has the size of one: the first byte is the lowest, and the highest bit is the sign.
    pub fn number(&self) -> Option<i64> {
        let bytes = &self.bytes[..];
        if let Ok(&[byte]) = <&[u8; 1]>::try_from(bytes) {
            return Some(i64::from(byte as i8));
        }
        if let Ok(&bytes) = <&[u8; 2]>::try_from(bytes) {
            return Some(i64::from(i16::from_le_bytes(bytes)));
        }
        if let Ok(&bytes) = <&[u8; 4]>::try_from(bytes) {
            return Some(i64::from(i32::from_le_bytes(bytes)));
        }
        let &bytes = <&[u8; 8]>::try_from(bytes).ok()?;
        Some(i64::from_le_bytes(bytes))
    }
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The program ended itself.
    Exit { status: i32 },
    /// Something is wrong with the program.
    Error(Fault),
    /// The path was left: a limit, or something that the machine cannot do.
    Unfinished { why: String },
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome::Exit { status: 0 }
    }
}

/// What is wrong with a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// The kind, as reports name it: "out-of-bounds read".
    pub error: String,
    pub message: String,
    pub place: Option<Place>,
    /// Innermost first.
    pub stack: Vec<Place>,
    /// More lines of the report: which object, by how much it was missed.
    pub details: Vec<String>,
    /// Other places that have to do with it, and what happened there: "allocated here".
    pub related: Vec<(String, Place)>,
}

/// A line of a program. Line 0: the program does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}
