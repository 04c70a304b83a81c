//! Intrinsics of the x86 processor: one row for each, by its name behind `llvm.x86.`.
//!
//! Vectors are worked on lane by lane. What takes a loop to say is a function of the runtime (`runtime/processor.rs`).

use super::shape::{Class, Shape};
use super::{Lowered, Lowerer};
use crate::code::{Arg, ArgClass, CallSite, Op, Slow, Src, mask};
use crate::ir::{LocalId, Operand};
use crate::ops::IntOp;

/// The lanes of an argument, of at most 64 bits each.
struct Lanes {
    bits: u32,
    values: Vec<Src>,
}

impl Lowerer<'_> {
    /// An intrinsic by its name without `llvm.x86.`. `None`: there is no such row.
    pub(super) fn processor(
        &mut self,
        result: Option<LocalId>,
        name: &str,
        args: &[Operand],
    ) -> Option<Lowered<()>> {
        // AVX2 does the same to wider vectors, or to their halves.
        let family = ["sse2.", "ssse3.", "sse41.", "sse42.", "avx2.", "sse."];
        let short = family.iter().find_map(|prefix| name.strip_prefix(prefix));
        let short = short.unwrap_or(name);
        let plain = short.strip_suffix(".128").unwrap_or(short);
        if let Some(rest) = plain.strip_prefix("pcmp")
            && let Some(what) = StringComparison::named(rest)
        {
            return Some(self.compare_strings(result, what, args));
        }
        let lowered = match plain {
            "addcarry.32" | "addcarry.64" => self.add_carry(result, args, false),
            "subborrow.32" | "subborrow.64" => self.add_carry(result, args, true),
            // There is no clock, and nothing special.
            "rdtsc" | "rdtscp" | "xgetbv" => self.zeros(result),
            "pmovmskb" | "movmsk.ps" | "movmsk.pd" | "avx.movmsk.ps.256" | "avx.movmsk.pd.256" => {
                self.sign_bits(result, args)
            }
            "psad.bw" => self.differences(result, args),
            "pmadd.wd" => self.add_products(result, args, [true, true]),
            "pmadd.ub.sw" => self.add_products(result, args, [false, true]),
            "pmulh.w" => self.high_products(result, args, true),
            "pmulhu.w" => self.high_products(result, args, false),
            "pmul.hr.sw" => self.rounded_products(result, args),
            "packsswb" | "packssdw" => self.pack(result, args, true),
            "packuswb" | "packusdw" => self.pack(result, args, false),
            "psll.w" | "psll.d" | "psll.q" => self.shift(result, args, IntOp::Shl, false),
            "psrl.w" | "psrl.d" | "psrl.q" => self.shift(result, args, IntOp::LShr, false),
            "psra.w" | "psra.d" => self.shift(result, args, IntOp::AShr, false),
            "pslli.w" | "pslli.d" | "pslli.q" => self.shift(result, args, IntOp::Shl, true),
            "psrli.w" | "psrli.d" | "psrli.q" => self.shift(result, args, IntOp::LShr, true),
            "psrai.w" | "psrai.d" => self.shift(result, args, IntOp::AShr, true),
            "pshuf.b" => self.shuffle_bytes(result, args),
            "phadd.w" | "phadd.d" => self.neighbours(result, args, IntOp::Add),
            "phsub.w" | "phsub.d" => self.neighbours(result, args, IntOp::Sub),
            "psign.b" | "psign.w" | "psign.d" => self.signs(result, args),
            "ptestz" | "ptestc" | "ptestnzc" => self.test_bits(result, args, plain),
            "crc32.32.8" | "crc32.64.8" => self.checksum(result, args, 8),
            "crc32.32.16" => self.checksum(result, args, 16),
            "crc32.32.32" => self.checksum(result, args, 32),
            "crc32.64.64" => self.checksum(result, args, 64),
            "pclmulqdq" => self.multiply_without_carry(result, args),
            "bmi.pdep.32" | "bmi.pdep.64" => self.by_runtime(result, "__refrain_pdep", args),
            "bmi.pext.32" | "bmi.pext.64" => self.by_runtime(result, "__refrain_pext", args),
            "bmi.bzhi.32" | "bmi.bzhi.64" => self.clear_high(result, args),
            "bmi.bextr.32" | "bmi.bextr.64" => self.extract_field(result, args),
            _ => return None,
        };
        Some(lowered)
    }

    fn lanes_of(&mut self, args: &[Operand], index: usize) -> Lowered<Lanes> {
        let arg = *args.get(index).ok_or(OTHER_TYPE)?;
        let (shape, lanes) = self.lanes(arg)?;
        let bits = shape.leaves.first().map_or(0, |leaf| leaf.bits);
        let is_plain = |leaf: &super::shape::Leaf| {
            leaf.bits == bits && matches!(leaf.class, Class::Int | Class::Float(_))
        };
        if bits == 0 || bits > 64 || shape.packed || !shape.leaves.iter().all(is_plain) {
            return Err(OTHER_TYPE.into());
        }
        let values = lanes.into_iter().map(|words| words[0]).collect();
        Ok(Lanes { bits, values })
    }

    /// Two arguments of one type.
    fn two_lanes(&mut self, args: &[Operand], bits: &[u32]) -> Lowered<(Lanes, Lanes)> {
        let (a, b) = (self.lanes_of(args, 0)?, self.lanes_of(args, 1)?);
        if a.bits != b.bits || a.values.len() != b.values.len() || !bits.contains(&a.bits) {
            return Err(OTHER_TYPE.into());
        }
        Ok((a, b))
    }

    fn result_shape(&self, result: Option<LocalId>) -> Lowered<Shape> {
        let local = result.ok_or("an intrinsic without its result")?;
        self.shape(self.type_of(local))
    }

    /// The lanes of the result, of so many bits each.
    fn give(&mut self, result: Option<LocalId>, bits: u32, values: Vec<Src>) -> Lowered<()> {
        let shape = self.result_shape(result)?;
        let fits = shape.leaves.len() == values.len()
            && !shape.packed
            && shape.leaves.iter().all(|leaf| leaf.bits == bits);
        if !fits {
            return Err(OTHER_TYPE.into());
        }
        self.alias(result, values);
        Ok(())
    }

    fn zeros(&mut self, result: Option<LocalId>) -> Lowered<()> {
        let words = self.result_shape(result)?.words;
        self.alias(result, vec![Src::Const(0); words as usize]);
        Ok(())
    }

    fn add_carry(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
        subtracts: bool,
    ) -> Lowered<()> {
        let carry = self.lanes_of(args, 0)?;
        let (a, b) = self.two_lanes(args.get(1..).unwrap_or_default(), &[32, 64])?;
        if a.values.len() != 1 || carry.values.len() != 1 {
            return Err(OTHER_TYPE.into());
        }
        let carry = self.two(IntOp::Ne, carry.bits, carry.values[0], Src::Const(0));
        let (sum, out) = self.sum_with_carry(a.bits, a.values[0], b.values[0], carry, subtracts);
        let shape = self.result_shape(result)?;
        match shape.leaves[..] {
            [first, second] if first.bits == 8 && second.bits == a.bits => {
                self.alias(result, vec![out, sum]);
                Ok(())
            }
            _ => Err(OTHER_TYPE.into()),
        }
    }

    /// The top bit of every lane, side by side.
    fn sign_bits(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let vector = self.lanes_of(args, 0)?;
        let shape = self.result_shape(result)?;
        if vector.values.len() > 32 || shape.leaves.len() != 1 || shape.leaves[0].bits != 32 {
            return Err(OTHER_TYPE.into());
        }
        let mut from = Vec::new();
        for value in vector.values {
            let last = Src::Const(u64::from(vector.bits - 1));
            from.push((self.two(IntOp::LShr, vector.bits, value, last), 1));
        }
        if from.len() < 32 {
            from.push((Src::Const(0), 32 - from.len() as u32));
        }
        let dst = self.result(result)?;
        self.slow(Slow::Repack {
            from,
            to: vec![(dst, 32)],
        });
        Ok(())
    }

    /// Sums of differences of bytes, eight by eight.
    fn differences(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[8])?;
        let mut sums = Vec::new();
        for (a, b) in a.values.chunks(8).zip(b.values.chunks(8)) {
            let mut sum = Src::Const(0);
            for (&a, &b) in a.iter().zip(b) {
                let more = self.two(IntOp::USubSat, 8, a, b);
                let less = self.two(IntOp::USubSat, 8, b, a);
                let difference = self.two(IntOp::Or, 8, more, less);
                sum = self.two(IntOp::Add, 64, sum, difference);
            }
            sums.push(sum);
        }
        self.give(result, 64, sums)
    }

    /// A lane in twice its bits, with or without its sign.
    fn doubled(&mut self, value: Src, bits: u32, is_signed: bool) -> Src {
        if is_signed {
            self.widened(value, bits, 2 * bits)
        } else {
            value
        }
    }

    fn add_products(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
        signed: [bool; 2],
    ) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[8, 16])?;
        let (bits, double) = (a.bits, 2 * a.bits);
        let mut sums = Vec::new();
        for (a, b) in a.values.chunks(2).zip(b.values.chunks(2)) {
            let mut products = [Src::Const(0); 2];
            for (product, (&a, &b)) in products.iter_mut().zip(a.iter().zip(b)) {
                let a = self.doubled(a, bits, signed[0]);
                let b = self.doubled(b, bits, signed[1]);
                *product = self.two(IntOp::Mul, double, a, b);
            }
            // Of bytes the sum stays within its bits.
            let op = if bits == 8 {
                IntOp::SAddSat
            } else {
                IntOp::Add
            };
            sums.push(self.two(op, double, products[0], products[1]));
        }
        self.give(result, double, sums)
    }

    fn high_products(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
        is_signed: bool,
    ) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[16])?;
        let mut highs = Vec::new();
        for (&a, &b) in a.values.iter().zip(&b.values) {
            let (a, b) = (
                self.doubled(a, 16, is_signed),
                self.doubled(b, 16, is_signed),
            );
            let product = self.two(IntOp::Mul, 32, a, b);
            highs.push(self.two(IntOp::LShr, 32, product, Src::Const(16)));
        }
        self.give(result, 16, highs)
    }

    fn rounded_products(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[16])?;
        let mut rounded = Vec::new();
        for (&a, &b) in a.values.iter().zip(&b.values) {
            let (a, b) = (self.widened(a, 16, 32), self.widened(b, 16, 32));
            let product = self.two(IntOp::Mul, 32, a, b);
            let shifted = self.two(IntOp::AShr, 32, product, Src::Const(14));
            let sum = self.two(IntOp::Add, 32, shifted, Src::Const(1));
            let half = self.two(IntOp::LShr, 32, sum, Src::Const(1));
            rounded.push(self.cut(half, 16));
        }
        self.give(result, 16, rounded)
    }

    /// Both vectors in half the bits, each lane as near as it gets; in parts of 128 bits.
    fn pack(&mut self, result: Option<LocalId>, args: &[Operand], to_signed: bool) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[16, 32])?;
        let (bits, half) = (a.bits, a.bits / 2);
        let (low, high) = if to_signed {
            (mask(bits) & !mask(half - 1), mask(half - 1))
        } else {
            (0, mask(half))
        };
        let per_part = 128 / bits as usize;
        let mut packed = Vec::new();
        for (a, b) in a.values.chunks(per_part).zip(b.values.chunks(per_part)) {
            for &value in a.iter().chain(b) {
                let value = self.two(IntOp::SMax, bits, value, Src::Const(low));
                let value = self.two(IntOp::SMin, bits, value, Src::Const(high));
                packed.push(self.cut(value, half));
            }
        }
        self.give(result, half, packed)
    }

    /// Shifts all lanes by one count; too far, nothing is left but the sign.
    fn shift(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
        op: IntOp,
        by_number: bool,
    ) -> Lowered<()> {
        let a = self.lanes_of(args, 0)?;
        let count = self.lanes_of(args, 1)?;
        let width = if by_number { 32 } else { 64 };
        // The low 64 bits of the second vector, whatever its lanes are.
        let mut by = Src::Const(0);
        for (index, &lane) in count.values.iter().enumerate() {
            let place = index as u32 * count.bits;
            if place >= width {
                break;
            }
            let lane = self.two(IntOp::Shl, 64, lane, Src::Const(u64::from(place)));
            by = self.two(IntOp::Or, 64, by, lane);
        }
        let most = if op == IntOp::AShr {
            a.bits - 1
        } else {
            a.bits
        };
        let by = self.two(IntOp::UMin, 64, by, Src::Const(u64::from(most)));
        let mut shifted = Vec::new();
        for &value in &a.values {
            // Twice as wide, so that a count of all bits is no special one.
            shifted.push(if a.bits < 64 {
                let value = match op {
                    IntOp::AShr => self.widened(value, a.bits, 64),
                    _ => value,
                };
                let value = self.two(op, 64, value, by);
                self.cut(value, a.bits)
            } else {
                self.two(op, 64, value, by)
            });
        }
        self.give(result, a.bits, shifted)
    }

    /// Every byte is the one of its part of 16 that its index names, or 0 if the index is negative.
    fn shuffle_bytes(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, by) = self.two_lanes(args, &[8])?;
        let mut bytes = Vec::new();
        for (part, indices) in a.values.chunks(16).zip(by.values.chunks(16)) {
            for &index in indices {
                bytes.push(match index {
                    Src::Const(index) if index & 0x80 != 0 => Src::Const(0),
                    Src::Const(index) => part[index as usize & 15],
                    Src::Reg(_) => self.picked(part, index),
                });
            }
        }
        self.give(result, 8, bytes)
    }

    fn picked(&mut self, part: &[Src], index: Src) -> Src {
        // Bit by bit of the index, half of what is left goes.
        let mut left = part.to_vec();
        for bit in 0..4 {
            let moved = self.two(IntOp::LShr, 8, index, Src::Const(bit));
            let is_set = self.cut(moved, 1);
            let pairs: Vec<(Src, Src)> = left.chunks(2).map(|pair| (pair[0], pair[1])).collect();
            left = pairs
                .into_iter()
                .map(|(even, odd)| self.selected(is_set, odd, even))
                .collect();
        }
        let is_negative = self.two(IntOp::Slt, 8, index, Src::Const(0));
        self.selected(is_negative, Src::Const(0), left[0])
    }

    fn neighbours(&mut self, result: Option<LocalId>, args: &[Operand], op: IntOp) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[16, 32])?;
        let per_part = 128 / a.bits as usize;
        let mut sums = Vec::new();
        for (first, second) in a.values.chunks(per_part).zip(b.values.chunks(per_part)) {
            let pairs: Vec<Src> = first.iter().chain(second).copied().collect();
            for pair in pairs.chunks(2) {
                sums.push(self.two(op, a.bits, pair[0], pair[1]));
            }
        }
        self.give(result, a.bits, sums)
    }

    fn signs(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[8, 16, 32])?;
        let bits = a.bits;
        let mut signed = Vec::new();
        for (&a, &b) in a.values.iter().zip(&b.values) {
            let negative = self.two(IntOp::Sub, bits, Src::Const(0), a);
            let is_less = self.two(IntOp::Slt, bits, b, Src::Const(0));
            let is_zero = self.two(IntOp::Eq, bits, b, Src::Const(0));
            let value = self.selected(is_less, negative, a);
            signed.push(self.selected(is_zero, Src::Const(0), value));
        }
        self.give(result, bits, signed)
    }

    fn test_bits(&mut self, result: Option<LocalId>, args: &[Operand], name: &str) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[64])?;
        let (mut common, mut missing) = (Src::Const(0), Src::Const(0));
        for (&a, &b) in a.values.iter().zip(&b.values) {
            let both = self.two(IntOp::And, 64, a, b);
            common = self.two(IntOp::Or, 64, common, both);
            let not = self.two(IntOp::Xor, 64, a, Src::Const(u64::MAX));
            let rest = self.two(IntOp::And, 64, not, b);
            missing = self.two(IntOp::Or, 64, missing, rest);
        }
        let bit = match name {
            "ptestz" => self.two(IntOp::Eq, 64, common, Src::Const(0)),
            "ptestc" => self.two(IntOp::Eq, 64, missing, Src::Const(0)),
            _ => {
                let a = self.two(IntOp::Ne, 64, common, Src::Const(0));
                let b = self.two(IntOp::Ne, 64, missing, Src::Const(0));
                self.two(IntOp::And, 1, a, b)
            }
        };
        self.give(result, 32, vec![bit])
    }

    fn checksum(&mut self, result: Option<LocalId>, args: &[Operand], bits: u64) -> Lowered<()> {
        let (crc, value) = (self.lanes_of(args, 0)?, self.lanes_of(args, 1)?);
        let words = vec![crc.values[0], value.values[0], Src::Const(bits)];
        let sum = self.call_runtime("__refrain_crc32", words)?;
        self.give(result, crc.bits, vec![sum])
    }

    fn multiply_without_carry(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[64])?;
        let Src::Const(which) = self.lanes_of(args, 2)?.values[0] else {
            return Err(OTHER_TYPE.into());
        };
        let (a, b) = (
            a.values[which as usize & 1],
            b.values[which as usize >> 4 & 1],
        );
        let mut halves = Vec::new();
        for high in 0..2 {
            halves.push(self.call_runtime("__refrain_clmul", vec![a, b, Src::Const(high)])?);
        }
        self.give(result, 64, halves)
    }

    fn by_runtime(&mut self, result: Option<LocalId>, name: &str, args: &[Operand]) -> Lowered<()> {
        let (a, b) = self.two_lanes(args, &[32, 64])?;
        let value = self.call_runtime(name, vec![a.values[0], b.values[0]])?;
        let value = self.cut(value, a.bits);
        self.give(result, a.bits, vec![value])
    }

    /// The bits below an index, of which the low byte counts.
    fn clear_high(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, by) = self.two_lanes(args, &[32, 64])?;
        let bits = a.bits;
        let count = self.two(IntOp::And, bits, by.values[0], Src::Const(0xff));
        let kept = self.low_ones(bits, count);
        let value = self.two(IntOp::And, bits, a.values[0], kept);
        self.give(result, bits, vec![value])
    }

    /// A start and a length, a byte each, in the second argument.
    fn extract_field(&mut self, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let (a, by) = self.two_lanes(args, &[32, 64])?;
        let bits = a.bits;
        let start = self.two(IntOp::And, bits, by.values[0], Src::Const(0xff));
        let len = self.two(IntOp::LShr, bits, by.values[0], Src::Const(8));
        let len = self.two(IntOp::And, bits, len, Src::Const(0xff));
        let kept = self.low_ones(bits, len);
        let moved = self.two(IntOp::LShr, bits, a.values[0], start);
        let value = self.two(IntOp::And, bits, moved, kept);
        self.give(result, bits, vec![value])
    }

    /// So many ones, all of them for any count that is too large.
    fn low_ones(&mut self, bits: u32, count: Src) -> Src {
        let ones = Src::Const(mask(bits));
        let above = self.two(IntOp::Shl, bits, ones, count);
        self.two(IntOp::Xor, bits, above, ones)
    }

    fn compare_strings(
        &mut self,
        result: Option<LocalId>,
        what: StringComparison,
        args: &[Operand],
    ) -> Lowered<()> {
        let (a, b) = if what.has_lens { (0, 2) } else { (0, 1) };
        let strings = (self.lanes_of(args, a)?, self.lanes_of(args, b)?);
        if strings.0.bits != 8 || strings.0.values.len() != 16 || strings.1.values.len() != 16 {
            return Err(OTHER_TYPE.into());
        }
        let mode = self
            .lanes_of(args, if what.has_lens { 4 } else { 2 })?
            .values[0];
        let mut words = Vec::new();
        for (string, len) in [(strings.0, a + 1), (strings.1, b + 1)] {
            let dst = self.new_slots(2);
            let from = string.values.into_iter().map(|value| (value, 8)).collect();
            self.slow(Slow::Repack {
                from,
                to: vec![(dst, 64), (dst + 1, 64)],
            });
            words.extend([Src::Reg(dst), Src::Reg(dst + 1)]);
            words.push(match what.has_lens {
                true => self.lanes_of(args, len)?.values[0],
                false => Src::Const(0),
            });
        }
        words.extend([mode, Src::Const(what.has_lens.into())]);
        if !what.is_mask {
            words.push(Src::Const(what.number));
            let value = self.call_runtime("__refrain_pcmpstr", words)?;
            return self.give(result, 32, vec![value]);
        }
        let mut bytes = Vec::new();
        for half in [6, 7] {
            let mut words = words.clone();
            words.push(Src::Const(half));
            let word = self.call_runtime("__refrain_pcmpstr", words)?;
            for byte in 0..8 {
                let moved = self.two(IntOp::LShr, 64, word, Src::Const(8 * byte));
                bytes.push(self.cut(moved, 8));
            }
        }
        self.give(result, 8, bytes)
    }

    /// Calls a function of the runtime on words, for a word.
    fn call_runtime(&mut self, name: &str, words: Vec<Src>) -> Lowered<Src> {
        let function = self
            .linked
            .find(name)
            .ok_or_else(|| format!("no function {name}"))?;
        let dst = self.new_slots(1);
        let args = words.into_iter().map(|word| Arg {
            words: vec![word],
            class: ArgClass::Int(64),
            layout: Vec::new(),
        });
        let args: Vec<Arg> = args.collect();
        let index = self.code.calls.len() as u32;
        self.code.calls.push(CallSite {
            fixed: args.len(),
            args,
            variadic: false,
            results: 1,
            result: Some(ArgClass::Int(64)),
            is_ignored: false,
        });
        self.calls = true;
        self.code.sites.push((self.pc(), self.index));
        self.emit(Op::Call, 0, dst, function, index);
        Ok(Src::Reg(dst))
    }
}

const OTHER_TYPE: &str = "an intrinsic of another type";

/// Which of the comparisons of strings, and what of its result.
#[derive(Clone, Copy)]
struct StringComparison {
    has_lens: bool,
    is_mask: bool,
    number: u64,
}

impl StringComparison {
    fn named(name: &str) -> Option<StringComparison> {
        let (has_lens, rest) = match name.strip_prefix("estr") {
            Some(rest) => (true, rest),
            None => (false, name.strip_prefix("istr")?),
        };
        let number = match rest {
            "i128" | "m128" => 0,
            "ia128" => 1,
            "ic128" => 2,
            "io128" => 3,
            "is128" => 4,
            "iz128" => 5,
            _ => return None,
        };
        Some(StringComparison {
            has_lens,
            is_mask: rest == "m128",
            number,
        })
    }
}
