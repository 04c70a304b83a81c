//! A test: inputs that lead down one path, and what the path does.

use refrain_machine::{Fault, InputValue, Role};

use crate::Cause;

/// One path of a program, by an input that takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    pub number: u32,
    /// In the order in which the program makes them.
    pub inputs: Vec<InputValue>,
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

impl Test {
    /// `test000003`
    pub fn name(&self) -> String {
        test_name(self.number)
    }

    /// The system call that fails in the test though nothing is wrong with it, if one does (`--max-fail`): nothing that
    /// a native program can be made to see.
    pub fn failing_call(&self) -> Option<&str> {
        let fails = |input: &&InputValue| {
            input.role == Role::Failure && input.bytes.iter().any(|&byte| byte != 0)
        };
        let input = self.inputs.iter().find(fails)?;
        Some(input.name.trim_start_matches("fail "))
    }
}

/// What a test of this number is called: `test000003`.
pub fn test_name(number: u32) -> String {
    format!("test{number:06}")
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The program ended itself.
    Exit {
        /// That of the test's input.
        status: i32,
        /// Other inputs of the same path end with another one.
        depends_on_input: bool,
    },
    /// Something is wrong with the program.
    Error(Fault),
    /// The path was not followed to its end.
    Unfinished(Cause),
}

impl Outcome {
    /// An exit with the same status for every input of the path.
    pub fn exit(status: i32) -> Outcome {
        Outcome::Exit {
            status,
            depends_on_input: false,
        }
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome::exit(0)
    }
}
