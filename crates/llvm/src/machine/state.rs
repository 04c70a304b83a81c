//! A state: everything that one path has changed.

use std::collections::BTreeMap;
use std::rc::Rc;

use refrain_machine::PathInputs;
use refrain_term::{OneArena, Term};

use super::facts::Facts;
use super::loops::Unrolled;
use crate::memory::{Memory, Site, Value};
use crate::native::format::{self, Spec};
use crate::native::threads::Parked;

/// A register that holds no term. A term that is constant never stands in a register, so its id is free to say so.
pub const CONCRETE: Term = Term::TRUE;

/// A function that is being executed. Its registers are a window of the state's.
#[derive(Clone, Debug)]
pub struct Frame {
    pub function: u32,
    /// The next instruction; while it calls, the call.
    pub pc: u32,
    /// Where its registers start.
    pub base: u32,
    /// Where in the caller's window the result goes.
    pub dst: u32,
    /// How many words of a result the caller takes, and the bits of one if it is a single integer: a callee of
    /// another type may have more.
    pub results: u32,
    pub result_bits: u32,
    /// How many objects were on the stack when it was entered.
    pub objects: u32,
    /// Some register may hold a term. While it is false, the terms of the window are not looked at, and mean nothing.
    pub symbolic: bool,
    /// Who called: code, or the machine itself.
    pub then: Then,
    /// The area with the variadic arguments, if there are any.
    pub variadic: u64,
}

/// What happens when a function returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// The caller goes on behind its call.
    Continue,
    /// The caller repeats its instruction with the result as one more answer.
    Answer(Vec<u64>),
    /// The program has ended with the result as its status.
    Exit,
    /// The program has ended well, whatever the result is.
    Finish,
    /// The next of the functions to be called at start.
    Start,
}

/// What the program wrote, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub descriptor: i32,
    pub bytes: Vec<Value>,
}

/// A number that was printed while it was symbolic. How long its text is depends on its value; in the output, a
/// variable that stands for nothing else holds its place as if it were one byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    pub(crate) spec: Spec,
    pub(crate) bits: u32,
    pub(crate) value: Term,
}

/// A place that `longjmp` returns to.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    pub depth: u32,
    pub pc: u32,
    pub dst: u32,
    pub function: u32,
}

/// The functions that a thread executes, innermost last, and all that belongs to them.
#[derive(Clone, Default)]
pub struct Stack {
    registers: Vec<u64>,
    terms: Vec<Term>,
    pub(super) frames: Vec<Frame>,
    objects: Vec<u64>,
    landed: (u64, u32),
    jumps: Vec<Jump>,
    unrolled: Vec<Unrolled>,
}

pub struct State {
    pub memory: Memory,
    pub(crate) registers: Vec<u64>,
    pub(crate) terms: Vec<Term>,
    pub(crate) frames: Vec<Frame>,
    /// The objects of the stack, innermost last.
    pub(crate) objects: Vec<u64>,
    /// Answers that the instruction at hand has had so far.
    pub(crate) answers: Vec<u64>,
    pub(crate) asked: usize,
    /// The answers belong to an instruction that is to be repeated.
    pub(crate) keep_answers: bool,
    pub(crate) landed: (u64, u32),
    pub(crate) jumps: Vec<Jump>,
    /// Threads that do not run, by their names in the C library.
    pub(crate) parked: BTreeMap<u64, Rc<Parked>>,
    pub inputs: PathInputs,
    /// What happened that cannot happen.
    pub(crate) internal: Option<String>,
    pub output: Vec<Rc<Output>>,
    /// How many bytes that is.
    pub(crate) output_len: u64,
    pub instructions: u64,
    /// How often input decided that loops go on, of those that the path is in, and of some that it has left.
    pub(super) unrolled: Vec<Unrolled>,
    /// What the platform keeps for the program.
    pub(crate) world: crate::native::World,
    /// Functions to be called, last first, with `main` at the bottom; with `argc` and `argv`, or words of their own.
    pub(crate) start: Vec<(u32, Option<Vec<u64>>)>,
    /// What the last of them is called with, word by word, where it is not `main`.
    pub(crate) parameters: Option<Rc<Vec<Value>>>,
    /// What variables in the output stand for.
    pub(crate) printed: Rc<BTreeMap<Term, Printed>>,
    /// What its decisions say of single terms.
    pub(crate) facts: Facts,
    /// That of all terms in it.
    pub(crate) arena: OneArena,
}

impl State {
    pub(crate) fn top(&self) -> &Frame {
        self.frames.last().expect("a running state has a frame")
    }

    pub(crate) fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running state has a frame")
    }

    /// Where execution is.
    pub fn site(&self) -> Site {
        self.frames.last().map_or(Site::default(), |frame| Site {
            function: frame.function,
            pc: frame.pc,
        })
    }

    /// Where execution is in each function that is being executed, innermost first.
    pub fn stack(&self) -> impl Iterator<Item = Site> {
        self.frames.iter().rev().map(|frame| Site {
            function: frame.function,
            pc: frame.pc,
        })
    }

    #[inline]
    pub(crate) fn get(&self, register: u32) -> Value {
        let frame = self.top();
        let at = (frame.base + register) as usize;
        if frame.symbolic && self.terms[at] != CONCRETE {
            return Value::Symbolic(self.terms[at]);
        }
        Value::Concrete(self.registers[at])
    }

    #[inline]
    pub(crate) fn set(&mut self, register: u32, value: Value) {
        let frame = self.frames.last_mut().expect("a running state has a frame");
        let at = (frame.base + register) as usize;
        match value {
            Value::Concrete(value) => {
                self.registers[at] = value;
                if frame.symbolic {
                    self.terms[at] = CONCRETE;
                }
            }
            Value::Symbolic(term) => {
                self.make_symbolic();
                self.terms[at] = term;
                // A stale number in a register would be read where its term is overlooked: make it show.
                self.registers[at] = 0;
            }
        }
    }

    /// From here on the frame's terms mean something.
    pub(crate) fn make_symbolic(&mut self) {
        let len = self.registers.len();
        let frame = self.frames.last_mut().expect("a running state has a frame");
        if !frame.symbolic {
            frame.symbolic = true;
            let base = frame.base as usize;
            self.terms.resize(len, CONCRETE);
            self.terms[base..len].fill(CONCRETE);
        }
    }

    /// What was written to a descriptor, where symbolic bytes and numbers have the values that are told.
    pub fn written(&self, descriptor: i32, mut evaluate: impl FnMut(Term) -> u64) -> Vec<u8> {
        let mut text = Vec::new();
        let pieces = self.output.iter();
        for piece in pieces.filter(|piece| piece.descriptor == descriptor) {
            for &byte in &piece.bytes {
                match byte {
                    Value::Concrete(byte) => text.push(byte as u8),
                    Value::Symbolic(term) => match self.printed.get(&term) {
                        Some(number) => {
                            let value = evaluate(number.value);
                            text.extend(format::integer(&number.spec, number.bits, value));
                        }
                        None => text.push(evaluate(term) as u8),
                    },
                }
            }
        }
        text
    }

    /// Takes the running thread's stack away; nothing runs until there is another one.
    pub(crate) fn take_stack(&mut self) -> Stack {
        Stack {
            registers: std::mem::take(&mut self.registers),
            terms: std::mem::take(&mut self.terms),
            frames: std::mem::take(&mut self.frames),
            objects: std::mem::take(&mut self.objects),
            landed: std::mem::take(&mut self.landed),
            jumps: std::mem::take(&mut self.jumps),
            unrolled: std::mem::take(&mut self.unrolled),
        }
    }

    pub(crate) fn put_stack(&mut self, stack: Stack) {
        self.registers = stack.registers;
        self.terms = stack.terms;
        self.frames = stack.frames;
        self.objects = stack.objects;
        self.landed = stack.landed;
        self.jumps = stack.jumps;
        self.unrolled = stack.unrolled;
    }

    /// The functions that all threads execute.
    pub(super) fn all_frames(&self) -> impl Iterator<Item = &Frame> {
        let others = self.parked.values().flat_map(|parked| &parked.stack.frames);
        self.frames.iter().chain(others)
    }

    /// About how many bytes this state alone holds.
    pub(crate) fn weight(&self) -> usize {
        let output: usize = self.output.len() * size_of::<Output>();
        size_of::<State>()
            + 8 * self.registers.capacity()
            + 4 * self.terms.capacity()
            + size_of::<Frame>() * self.frames.capacity()
            + 8 * self.objects.capacity()
            + output
            + self.memory.own_bytes() as usize
    }

    pub(crate) fn fork(&mut self) -> State {
        State {
            memory: self.memory.fork(),
            registers: self.registers.clone(),
            terms: self.terms.clone(),
            frames: self.frames.clone(),
            objects: self.objects.clone(),
            answers: self.answers.clone(),
            asked: 0,
            keep_answers: false,
            landed: self.landed,
            jumps: self.jumps.clone(),
            parked: self.parked.clone(),
            inputs: self.inputs.clone(),
            internal: self.internal.clone(),
            output: self.output.clone(),
            output_len: self.output_len,
            instructions: self.instructions,
            unrolled: self.unrolled.clone(),
            world: self.world.clone(),
            start: self.start.clone(),
            parameters: self.parameters.clone(),
            printed: self.printed.clone(),
            facts: self.facts.clone(),
            arena: self.arena.clone(),
        }
    }
}
