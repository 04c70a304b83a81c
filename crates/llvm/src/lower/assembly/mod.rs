//! Inline assembly: what real programs have of it, instruction by instruction.
//!
//! The text is cut into instructions of the x86-64, each of which becomes register code. An operand of the statement is
//! a register of 64 bits, or memory that a pointer leads to; registers that the text names stand for themselves. The
//! table of instructions is `execute`. What it does not have ends the path with the whole text.

mod calculate;
mod text;

use std::collections::BTreeMap;

use self::text::{Constraints, immediate_of, instructions, register, split_suffix};
use super::shape::Shape;
use super::{Address, Lowered, Lowerer};
use crate::code::{Op, Src, mask};
use crate::ir::{InlineAsm, LocalId, Operand};
use crate::ops::IntOp;

/// Where a value is.
#[derive(Clone, PartialEq)]
enum Place {
    /// A register by its 64-bit name without `r`, or an operand by its number.
    Register(String),
    /// An operand in memory, by its address.
    Memory(Src),
    Immediate(u64),
}

/// One operand of an instruction.
#[derive(Clone)]
struct Given {
    place: Place,
    bits: Option<u32>,
}

/// The flags that an instruction leaves, where they are known.
#[derive(Clone, Copy, Default)]
struct Flags {
    carry: Option<Src>,
    zero: Option<Src>,
    sign: Option<Src>,
    overflow: Option<Src>,
}

#[derive(Default)]
struct Registers {
    /// All 64 bits of each.
    values: BTreeMap<String, Src>,
    /// What the operands of the statement are, and of how many bits.
    operands: Vec<(Place, u32)>,
    flags: Flags,
}

impl Lowerer<'_> {
    pub(in crate::lower) fn inline_asm(
        &mut self,
        result: Option<LocalId>,
        asm: &InlineAsm,
        args: &[Operand],
    ) -> Lowered<()> {
        let unknown = || format!("inline assembly \"{}\"", asm.text.trim());
        let constraints = Constraints::read(&asm.constraints).ok_or_else(unknown)?;
        let mut registers = Registers::default();
        let shape = match result {
            Some(local) => Some(self.shape(self.type_of(local))?),
            None => None,
        };
        let mut leaves = shape.iter().flat_map(|shape| &shape.leaves);
        let mut next_arg = args.iter();
        for (index, output) in constraints.outputs.iter().enumerate() {
            if output.is_memory {
                let address = *next_arg.next().ok_or_else(unknown)?;
                let address = self.word(address)?;
                registers.operands.push((Place::Memory(address), 0));
            } else {
                let bits = leaves.next().map_or(64, |leaf| leaf.bits);
                registers
                    .operands
                    .push((Place::Register(output.register(index)), bits));
            }
        }
        // Whole values for outputs that are tied to inputs: these may be wider than a register.
        let mut tied = BTreeMap::new();
        for (index, input) in constraints.inputs.iter().enumerate() {
            let arg = *next_arg.next().ok_or_else(unknown)?;
            let number = constraints.outputs.len() + index;
            let words = self.words(arg)?;
            let bits = self
                .operand_shape(arg)?
                .leaves
                .first()
                .map_or(64, |leaf| leaf.bits);
            let Some(&first) = words.first() else {
                return Err(unknown());
            };
            if input.is_memory {
                registers.operands.push((Place::Memory(first), 0));
                continue;
            }
            let place = match input.tied {
                Some(output) => {
                    tied.insert(output, words.clone());
                    let place = registers.operands.get(output).ok_or_else(unknown)?;
                    place.0.clone()
                }
                None => match first {
                    Src::Const(value) if input.is_immediate => Place::Immediate(value),
                    _ => Place::Register(input.register(number)),
                },
            };
            if let Place::Register(name) = &place {
                registers.values.insert(name.clone(), first);
            }
            registers.operands.push((place, bits));
        }
        let instructions = instructions(&asm.text, asm.is_intel);
        let is_empty = instructions.is_empty();
        for instruction in instructions {
            self.execute(&mut registers, &instruction, asm.is_intel)
                .ok_or_else(unknown)?;
        }
        let Some(shape) = shape else { return Ok(()) };
        let mut words = Vec::new();
        let outputs = constraints.outputs.iter().enumerate();
        let mut outputs = outputs.filter(|(_, output)| !output.is_memory);
        for leaf in &shape.leaves {
            let Some((index, output)) = outputs.next() else {
                return Err(unknown());
            };
            let count = leaf.words() as usize;
            if is_empty {
                // Nothing happens: an output that is tied to an input is that, any other is arbitrary.
                let whole = tied.get(&index).filter(|words| words.len() == count);
                words.extend(whole.cloned().unwrap_or(vec![Src::Const(0); count]));
            } else if let Some(condition) = &output.condition {
                let flag = self.condition(&registers.flags, condition);
                words.push(flag.ok_or_else(unknown)?);
            } else {
                let name = output.register(index);
                let value = registers.values.get(&name).copied();
                if count != 1 {
                    return Err(unknown());
                }
                words.push(self.cut(value.unwrap_or(Src::Const(0)), leaf.bits));
            }
        }
        if words.len() != shape.words as usize {
            return Err(unknown());
        }
        self.alias(result, words);
        Ok(())
    }

    /// One instruction. `None`: it is not known.
    fn execute(&mut self, registers: &mut Registers, text: &str, is_intel: bool) -> Option<()> {
        let (name, rest) = match text.split_once(char::is_whitespace) {
            Some((name, rest)) => (name, rest.trim()),
            None => (text, ""),
        };
        let mut given = Vec::new();
        for part in rest
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            given.push(registers.operand(part, is_intel)?);
        }
        if is_intel {
            given.reverse();
        }
        let (name, suffix) = split_suffix(name, is_intel)?;
        let bits = suffix
            .or_else(|| given.iter().rev().find_map(|given| given.bits))
            .unwrap_or(64);
        if ![8, 16, 32, 64].contains(&bits) {
            return None;
        }
        let last = given.last().cloned();
        let read = |lowerer: &mut Self, registers: &Registers, index: usize| {
            let given = given.get(index)?;
            Some(lowerer.read(registers, given, bits))
        };
        match (name, given.len()) {
            ("nop" | "pause" | "mfence" | "lfence" | "sfence" | "cld", _) => {}
            // A processor that says of itself that it has nothing special, and no clock.
            ("cpuid", 0) => registers.clear(&["ax", "bx", "cx", "dx"]),
            ("rdtsc" | "xgetbv", 0) => registers.clear(&["ax", "dx"]),
            ("rdtscp", 0) => registers.clear(&["ax", "cx", "dx"]),
            ("mov" | "movabs", 2) => {
                let value = read(self, registers, 0)?;
                self.write(registers, last.as_ref()?, bits, value);
            }
            ("xchg", 2) => {
                let (a, b) = (read(self, registers, 0)?, read(self, registers, 1)?);
                self.write(registers, &given[0], bits, b);
                self.write(registers, &given[1], bits, a);
            }
            ("add" | "adc" | "sub" | "sbb" | "cmp" | "xadd", 2) => {
                let (b, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                let subtracts = matches!(name, "sub" | "sbb" | "cmp");
                let carry = match name {
                    "adc" | "sbb" => registers.flags.carry?,
                    _ => Src::Const(0),
                };
                let (sum, flags) = self.carried(bits, a, b, carry, subtracts);
                registers.flags = flags;
                if name == "xadd" {
                    self.write(registers, &given[0], bits, a);
                }
                if name != "cmp" {
                    self.write(registers, &given[1], bits, sum);
                }
            }
            ("and" | "or" | "xor" | "test", 2) => {
                let op = match name {
                    "or" => IntOp::Or,
                    "xor" => IntOp::Xor,
                    _ => IntOp::And,
                };
                // A register that is cleared need not have a value.
                let value = if name == "xor" && given[0].place == given[1].place {
                    Src::Const(0)
                } else {
                    let (b, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                    self.two(op, bits, a, b)
                };
                registers.flags = self.plain_flags(bits, value);
                registers.flags.carry = Some(Src::Const(0));
                registers.flags.overflow = Some(Src::Const(0));
                if name != "test" {
                    self.write(registers, &given[1], bits, value);
                }
            }
            ("not", 1) => {
                let a = read(self, registers, 0)?;
                let value = self.two(IntOp::Xor, bits, a, Src::Const(mask(bits)));
                self.write(registers, &given[0], bits, value);
            }
            ("neg", 1) => {
                let a = read(self, registers, 0)?;
                let (value, flags) = self.carried(bits, Src::Const(0), a, Src::Const(0), true);
                registers.flags = flags;
                self.write(registers, &given[0], bits, value);
            }
            ("inc" | "dec", 1) => {
                let a = read(self, registers, 0)?;
                let (value, flags) =
                    self.carried(bits, a, Src::Const(1), Src::Const(0), name == "dec");
                registers.flags = Flags {
                    carry: registers.flags.carry,
                    ..flags
                };
                self.write(registers, &given[0], bits, value);
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", 1 | 2) => {
                let count = match given.len() {
                    1 => Src::Const(1),
                    _ => self.read(registers, &given[0], 8),
                };
                let a = self.read(registers, last.as_ref()?, bits);
                let most = if bits == 64 { 63 } else { 31 };
                let count = self.two(IntOp::And, 8, count, Src::Const(most));
                let value = match name {
                    "rol" => self.three(IntOp::FShl, bits, a, a, count),
                    "ror" => self.three(IntOp::FShr, bits, a, a, count),
                    "shr" => self.two(IntOp::LShr, bits, a, count),
                    "sar" => self.two(IntOp::AShr, bits, a, count),
                    _ => self.two(IntOp::Shl, bits, a, count),
                };
                registers.flags = Flags::default();
                self.write(registers, last.as_ref()?, bits, value);
            }
            ("shld" | "shrd", 3) if bits >= 32 => {
                let count = self.read(registers, &given[0], 8);
                let (from, to) = (read(self, registers, 1)?, read(self, registers, 2)?);
                let count = self.two(IntOp::And, 8, count, Src::Const(u64::from(bits - 1)));
                let value = match name {
                    "shld" => self.three(IntOp::FShl, bits, to, from, count),
                    _ => self.three(IntOp::FShr, bits, from, to, count),
                };
                registers.flags = Flags::default();
                self.write(registers, &given[2], bits, value);
            }
            ("bswap", 1) if bits >= 32 => {
                let a = read(self, registers, 0)?;
                let value = self.one(IntOp::BSwap, bits, a);
                self.write(registers, &given[0], bits, value);
            }
            ("bsf" | "bsr" | "tzcnt" | "lzcnt" | "popcnt", 2) if bits >= 16 => {
                let a = read(self, registers, 0)?;
                let value = self.scan(registers, name, bits, a, &given[1]);
                self.write(registers, &given[1], bits, value);
            }
            ("bt" | "bts" | "btr" | "btc", 2) if !matches!(given[1].place, Place::Memory(_)) => {
                let (at, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                let at = self.two(IntOp::And, bits, at, Src::Const(u64::from(bits - 1)));
                let shifted = self.two(IntOp::LShr, bits, a, at);
                let carry = self.cut(shifted, 1);
                let bit = self.two(IntOp::Shl, bits, Src::Const(1), at);
                let value = match name {
                    "bts" => self.two(IntOp::Or, bits, a, bit),
                    "btc" => self.two(IntOp::Xor, bits, a, bit),
                    _ => {
                        let others = self.two(IntOp::Xor, bits, bit, Src::Const(mask(bits)));
                        self.two(IntOp::And, bits, a, others)
                    }
                };
                registers.flags = Flags {
                    carry: Some(carry),
                    ..Flags::default()
                };
                if name != "bt" {
                    self.write(registers, &given[1], bits, value);
                }
            }
            ("mul" | "imul", 1) if bits >= 16 => {
                let a = read(self, registers, 0)?;
                let b = self.cut(registers.get("ax")?, bits);
                let (low, high) = self.product(bits, a, b, name == "imul");
                registers.flags = Flags::default();
                self.write(registers, &Given::register("ax"), bits, low);
                self.write(registers, &Given::register("dx"), bits, high);
            }
            ("imul", 2) => {
                let (b, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                let value = self.two(IntOp::Mul, bits, a, b);
                registers.flags = Flags::default();
                self.write(registers, &given[1], bits, value);
            }
            ("imul", 3) => {
                let (b, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                let value = self.two(IntOp::Mul, bits, a, b);
                registers.flags = Flags::default();
                self.write(registers, &given[2], bits, value);
            }
            ("mulx", 3) if bits >= 32 => {
                let a = read(self, registers, 0)?;
                let b = self.cut(registers.get("dx")?, bits);
                let (low, high) = self.product(bits, a, b, false);
                self.write(registers, &given[1], bits, low);
                self.write(registers, &given[2], bits, high);
            }
            ("div" | "idiv", 1) if bits >= 16 => {
                let divisor = read(self, registers, 0)?;
                self.divide(registers, bits, divisor, name == "idiv")?;
            }
            ("cltd" | "cdq", 0) => self.spread_sign(registers, 32)?,
            ("cqto" | "cqo", 0) => self.spread_sign(registers, 64)?,
            ("cmpxchg", 2) => {
                let (new, old) = (read(self, registers, 0)?, read(self, registers, 1)?);
                let expected = self.cut(registers.get("ax")?, bits);
                let (_, flags) = self.carried(bits, expected, old, Src::Const(0), true);
                registers.flags = flags;
                let is_same = flags.zero?;
                let stored = self.selected(is_same, new, old);
                self.write(registers, &given[1], bits, stored);
                self.write(registers, &Given::register("ax"), bits, old);
            }
            _ => {
                if let Some(condition) = name.strip_prefix("set")
                    && given.len() == 1
                {
                    let value = self.condition(&registers.flags, condition)?;
                    self.write(registers, &given[0], 8, value);
                } else if let Some(condition) = name.strip_prefix("cmov")
                    && given.len() == 2
                {
                    let is_set = self.condition(&registers.flags, condition)?;
                    let (b, a) = (read(self, registers, 0)?, read(self, registers, 1)?);
                    let value = self.selected(is_set, b, a);
                    self.write(registers, &given[1], bits, value);
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    // Values.

    fn one(&mut self, op: IntOp, bits: u32, a: Src) -> Src {
        let dst = self.new_slots(1);
        self.int(op, bits, dst, &[a]);
        Src::Reg(dst)
    }

    pub(in crate::lower) fn two(&mut self, op: IntOp, bits: u32, a: Src, b: Src) -> Src {
        let dst = self.new_slots(1 + u32::from(op.overflow_of().is_some()));
        self.int(op, bits, dst, &[a, b]);
        Src::Reg(dst)
    }

    fn three(&mut self, op: IntOp, bits: u32, a: Src, b: Src, c: Src) -> Src {
        let dst = self.new_slots(1);
        self.int(op, bits, dst, &[a, b, c]);
        Src::Reg(dst)
    }

    pub(in crate::lower) fn selected(&mut self, condition: Src, then: Src, other: Src) -> Src {
        let dst = self.new_slots(1);
        self.choose(dst, condition, then, other);
        Src::Reg(dst)
    }

    /// The low bits of a value.
    pub(in crate::lower) fn cut(&mut self, value: Src, bits: u32) -> Src {
        match value {
            _ if bits >= 64 => value,
            Src::Const(value) => Src::Const(value & mask(bits)),
            Src::Reg(register) => {
                let dst = self.new_slots(1);
                self.emit(Op::Trunc, bits as u16, dst, register, 0);
                Src::Reg(dst)
            }
        }
    }

    /// A value of some bits, with its sign, as one of more.
    pub(in crate::lower) fn widened(&mut self, value: Src, from: u32, to: u32) -> Src {
        let dst = self.new_slots(1);
        let value = self.reg(value);
        self.emit(Op::SExtN, from as u16, dst, value, to);
        Src::Reg(dst)
    }

    fn read(&mut self, registers: &Registers, given: &Given, bits: u32) -> Src {
        match &given.place {
            Place::Immediate(value) => Src::Const(value & mask(bits)),
            Place::Register(name) => {
                let value = registers.get(name).unwrap_or(Src::Const(0));
                self.cut(value, bits)
            }
            Place::Memory(address) => {
                let dst = self.new_slots(1);
                let address = Address {
                    base: *address,
                    index: None,
                    offset: 0,
                };
                self.load_shape(&Shape::integer(bits), address, dst);
                Src::Reg(dst)
            }
        }
    }

    fn write(&mut self, registers: &mut Registers, given: &Given, bits: u32, value: Src) {
        match &given.place {
            Place::Immediate(_) => {}
            Place::Memory(address) => {
                let address = Address {
                    base: *address,
                    index: None,
                    offset: 0,
                };
                self.store_shape(&Shape::integer(bits), address, &[value]);
            }
            Place::Register(name) => {
                // Of 8 and 16 bits, the others stay; of 32, they are cleared.
                let whole = if bits >= 32 {
                    value
                } else {
                    let old = registers.get(name).unwrap_or(Src::Const(0));
                    let kept = self.two(IntOp::And, 64, old, Src::Const(!mask(bits)));
                    self.two(IntOp::Or, 64, kept, value)
                };
                registers.values.insert(name.clone(), whole);
            }
        }
    }
}

impl Given {
    fn register(name: &str) -> Given {
        Given {
            place: Place::Register(name.into()),
            bits: None,
        }
    }
}

impl Registers {
    fn get(&self, name: &str) -> Option<Src> {
        self.values.get(name).copied()
    }

    fn clear(&mut self, names: &[&str]) {
        for name in names {
            self.values.insert(name.to_string(), Src::Const(0));
        }
        self.flags = Flags::default();
    }

    fn operand(&self, text: &str, is_intel: bool) -> Option<Given> {
        // "$0" and "${0:k}" are the statement's; "$$7" is a number.
        let number = |digits: &str| self.operands.get(digits.parse::<usize>().ok()?).cloned();
        if let Some(inner) = text
            .strip_prefix("${")
            .and_then(|rest| rest.strip_suffix('}'))
        {
            let (digits, modifier) = inner.split_once(':').unwrap_or((inner, ""));
            let (place, bits) = number(digits)?;
            let bits = match modifier {
                "q" | "r" => 64,
                "k" | "e" => 32,
                "w" | "x" => 16,
                "b" | "l" => 8,
                "" | "c" | "P" => bits,
                _ => return None,
            };
            return Some(Given {
                place,
                bits: (bits > 0).then_some(bits),
            });
        }
        if let Some(immediate) = text.strip_prefix("$$") {
            return immediate_of(immediate);
        }
        if let Some(digits) = text.strip_prefix('$') {
            let (place, bits) = number(digits)?;
            return Some(Given {
                bits: (bits > 0 && !matches!(place, Place::Immediate(_))).then_some(bits),
                place,
            });
        }
        let name = match text.strip_prefix('%') {
            Some(name) => name,
            None if is_intel => text,
            None => return None,
        };
        match register(name) {
            Some((name, bits)) => Some(Given {
                place: Place::Register(name),
                bits: Some(bits),
            }),
            None if is_intel => immediate_of(text),
            None => None,
        }
    }
}
