//! Intrinsics: the functions whose names start with `llvm.`.

use super::shape::{Class, Leaf, Shape};
use super::{Address, Lowered, Lowerer};
use crate::code::{Arg, ArgClass, Calculation, CallSite, MathFn, Op, Slow, Src, mask};
use crate::ir::{BinaryOp, Call, LocalId, Operand};
use crate::ops::IntOp;

impl Lowerer<'_> {
    pub(super) fn intrinsic(
        &mut self,
        result: Option<LocalId>,
        name: &str,
        call: &Call,
    ) -> Lowered<()> {
        let base = base_name(name);
        if call.args.len() < least_arguments(base) {
            return Err(format!("the intrinsic {name} without its arguments"));
        }
        match base.strip_prefix("experimental.constrained.") {
            Some(operation) => self.constrained(result, operation, call)?,
            None => self.known_intrinsic(result, name, base, &call.args)?,
        }
        // A module may declare an intrinsic with any type.
        if let Some(local) = result
            && let Some(words) = &self.places[local.0 as usize]
            && words.len() != self.shape(self.type_of(local))?.words as usize
        {
            self.places[local.0 as usize] = None;
            return Err(format!("the intrinsic {name} of another type"));
        }
        Ok(())
    }

    pub(super) fn known_intrinsic(
        &mut self,
        result: Option<LocalId>,
        name: &str,
        base: &str,
        args: &[Operand],
    ) -> Lowered<()> {
        match base {
            "dbg"
            | "lifetime"
            | "invariant"
            | "assume"
            | "donothing"
            | "prefetch"
            | "var.annotation"
            | "sideeffect"
            | "experimental.noalias"
            | "va_end"
            | "pseudoprobe"
            | "fake.use"
            | "clear_cache"
            | "x86.sse2.pause"
            | "x86.sse2.mfence"
            | "x86.sse2.lfence"
            | "x86.sse.sfence"
            | "instrprof"
            | "codeview.annotation"
            | "aarch64.isb"
            | "stackprotector" => self.undefined(result),
            "expect"
            | "annotation"
            | "ssa.copy"
            | "launder"
            | "strip"
            | "ptr.annotation"
            | "threadlocal.address"
            | "arithmetic.fence"
            | "preserve" => {
                let words = self.words(args[0])?;
                self.alias(result, words);
                Ok(())
            }
            "memcpy" | "memmove" | "memset" => self.native(base, None, &args[..3]),
            "trap" | "ubsantrap" | "debugtrap" => self.native("__refrain_trap", None, &[]),
            "objectsize" => {
                let minimum = self.word(args[1])? == Src::Const(1);
                let bits = self.result_bits(result)?;
                self.alias(
                    result,
                    vec![Src::Const(if minimum { 0 } else { mask(bits) })],
                );
                Ok(())
            }
            "is.constant"
            | "returnaddress"
            | "addressofreturnaddress"
            | "read_register"
            | "readcyclecounter" => self.undefined(result),
            "get.rounding"
            | "flt.rounds"
            | "allow.runtime.check"
            | "allow.ubsan.check"
            | "type.test" => {
                self.alias(result, vec![Src::Const(1)]);
                Ok(())
            }
            "frameaddress" => {
                let level = self.word(args[0])?;
                let dst = self.result(result)?;
                self.slow(Slow::FrameAddress { dst, level });
                Ok(())
            }
            "stacksave" => {
                let dst = self.result(result)?;
                self.slow(Slow::StackSave { dst });
                Ok(())
            }
            "stackrestore" => {
                let a = self.word(args[0])?;
                self.slow(Slow::StackRestore { a });
                Ok(())
            }
            "va_start" => {
                let list = self.word(args[0])?;
                self.slow(Slow::VaStart { list });
                Ok(())
            }
            "va_copy" => {
                // The list is 24 bytes.
                let words = [self.word(args[0])?, self.word(args[1])?, Src::Const(24)];
                self.native_words("memcpy", None, &words)
            }
            "eh.typeid.for" => {
                let Operand::Const(id) = args[0] else {
                    return Err("a type that is no constant".into());
                };
                let address = self.constants.word(id)?;
                let number = self.linked.type_number(address);
                self.alias(result, vec![Src::Const(u64::from(number))]);
                Ok(())
            }
            "ptrmask" => {
                let (a, b) = (self.word(args[0])?, self.word(args[1])?);
                let dst = self.result(result)?;
                self.int(IntOp::And, 64, dst, &[a, b]);
                Ok(())
            }
            "load.relative" => {
                let words = [self.word(args[0])?, self.index_word(args[1])?];
                self.native_words("__refrain_load_relative", result, &words)
            }
            "fmuladd" => {
                let product = self.float_lanes(result, args)?;
                for (format, dst, lanes) in product {
                    let words = format.bits().div_ceil(64);
                    let between = self.new_slots(words);
                    self.float_binary(
                        BinaryOp::FMul,
                        format,
                        between,
                        lanes[0].clone(),
                        lanes[1].clone(),
                    );
                    let between = (between..between + words).map(Src::Reg).collect();
                    self.float_binary(BinaryOp::FAdd, format, dst, between, lanes[2].clone());
                }
                Ok(())
            }
            "fptosi.sat" | "fptoui.sat" => self.saturating(result, args[0], base == "fptosi.sat"),
            "masked.load" | "masked.gather" => {
                self.masked_load(result, args, base == "masked.gather")
            }
            "masked.store" | "masked.scatter" => self.masked_store(args, base == "masked.scatter"),
            _ => {
                if let Some(rest) = name.strip_prefix("llvm.x86.")
                    && let Some(lowered) = self.processor(result, rest, args)
                {
                    return lowered;
                }
                if let Some(rest) = name.strip_prefix("llvm.vector.reduce.") {
                    return self.reduce(result, rest.split('.').next().unwrap_or_default(), args);
                }
                if let Some(op) = IntOp::of_intrinsic(base) {
                    return self.integer(result, op, &args[..op.operands()]);
                }
                if let Some(function) = math_function(base) {
                    return self.math(result, function, args);
                }
                Err(format!("the intrinsic {name}"))
            }
        }
    }

    fn undefined(&mut self, result: Option<LocalId>) -> Lowered<()> {
        if let Some(local) = result {
            let words = self.shape(self.type_of(local))?.words;
            self.alias(result, vec![Src::Const(0); words as usize]);
        }
        Ok(())
    }

    fn result_bits(&self, result: Option<LocalId>) -> Lowered<u32> {
        let local = result.ok_or("an intrinsic without its result")?;
        Ok(self.scalar(self.type_of(local))?.bits)
    }

    /// Calls a function of the machine's own.
    fn native(&mut self, name: &str, result: Option<LocalId>, args: &[Operand]) -> Lowered<()> {
        let mut words = Vec::new();
        for &arg in args {
            words.push(self.word(arg)?);
        }
        self.native_words(name, result, &words)
    }

    fn native_words(&mut self, name: &str, result: Option<LocalId>, words: &[Src]) -> Lowered<()> {
        let function = self
            .linked
            .find(name)
            .ok_or_else(|| format!("no function {name}"))?;
        let args: Vec<Arg> = words
            .iter()
            .map(|&word| Arg {
                words: vec![word],
                class: ArgClass::Int(64),
                layout: Vec::new(),
            })
            .collect();
        let dst = match result {
            Some(_) => self.result(result)?,
            None => 0,
        };
        let index = self.code.calls.len() as u32;
        self.code.calls.push(CallSite {
            fixed: args.len(),
            args,
            variadic: false,
            results: u32::from(result.is_some()),
            result: None,
            is_ignored: false,
        });
        self.emit(Op::CallNative, 0, dst, function, index);
        Ok(())
    }

    /// An operation on integers, lane by lane.
    fn integer(&mut self, result: Option<LocalId>, op: IntOp, args: &[Operand]) -> Lowered<()> {
        let mut lanes = Vec::new();
        let mut shape = None;
        for &arg in args {
            let (arg_shape, words) = self.lanes(arg)?;
            shape.get_or_insert(arg_shape);
            lanes.push(words);
        }
        let shape = shape.ok_or("an intrinsic without arguments")?;
        let Some(local) = result else { return Ok(()) };
        let to = self.shape(self.type_of(local))?;
        let overflows = op.overflow_of().is_some();
        let compares = matches!(op, IntOp::UCmp | IntOp::SCmp);
        let count = shape.leaves.len();
        let is_like = |leaf: &Leaf, words: &Vec<Src>| words.len() == leaf.words() as usize;
        let fits = lanes.iter().all(|words| {
            words.len() == count
                && shape
                    .leaves
                    .iter()
                    .zip(words)
                    .all(|(leaf, words)| is_like(leaf, words))
        }) && to.leaves.len() == if overflows { 2 * count } else { count }
            && shape.leaves.iter().zip(&to.leaves).all(|(from, to)| {
                from.class == Class::Int
                    && op.has_width(from.bits)
                    && if compares {
                        to.bits <= 64
                    } else {
                        to.bits == from.bits
                    }
            });
        if !fits {
            return Err("an intrinsic of another type".into());
        }
        let dst = self.result(result)?;
        for lane in 0..count {
            let leaf = shape.leaves[lane];
            let args: Vec<Vec<Src>> = lanes.iter().map(|words| words[lane].clone()).collect();
            if overflows && count > 1 {
                // A vector of values, then a vector of bits.
                let words = leaf.words();
                let pair = self.new_slots(words + 1);
                self.wide_int(op, leaf.bits, pair, args);
                for word in 0..words {
                    self.set(dst + to.leaves[lane].word + word, Src::Reg(pair + word));
                }
                self.set(dst + to.leaves[count + lane].word, Src::Reg(pair + words));
            } else if compares {
                // -1, 0 or 1 in a type that need not be the operands'.
                let (place, bits) = (dst + to.leaves[lane].word, to.leaves[lane].bits);
                if leaf.bits == 1 {
                    // One bit has no room for three values, but its difference is the order; a set bit is -1 where it
                    // is signed.
                    let (first, second) = if op == IntOp::UCmp { (0, 1) } else { (1, 0) };
                    self.int(IntOp::Sub, bits, place, &[args[first][0], args[second][0]]);
                    continue;
                }
                let wide = self.new_slots(leaf.words());
                self.wide_int(op, leaf.bits, wide, args);
                if bits < leaf.bits {
                    self.emit(Op::Trunc, bits as u16, place, wide, 0);
                } else {
                    self.emit(Op::SExtN, leaf.bits as u16, place, wide, bits);
                }
            } else {
                self.wide_int(op, leaf.bits, dst + to.leaves[lane].word, args);
            }
        }
        Ok(())
    }

    /// The float lanes of all arguments: format, destination, words of each argument.
    #[allow(clippy::type_complexity)]
    fn float_lanes(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
    ) -> Lowered<Vec<(crate::code::Format, u32, Vec<Vec<Src>>)>> {
        let mut lanes = Vec::new();
        let mut shape = None;
        for &arg in args {
            let (arg_shape, words) = self.lanes(arg)?;
            shape.get_or_insert(arg_shape);
            lanes.push(words);
        }
        let shape = shape.ok_or("an intrinsic without arguments")?;
        let Some(local) = result else {
            return Ok(Vec::new());
        };
        let to = self.shape(self.type_of(local))?;
        // A class of floats is a bit, whatever they are.
        let fits = |(from, to): (&Leaf, &Leaf)| to.words() >= from.words() || to.bits == 1;
        if to.leaves.len() != shape.leaves.len() || !shape.leaves.iter().zip(&to.leaves).all(fits) {
            return Err("a float operation of another type".into());
        }
        let dst = self.result(result)?;
        let mut found = Vec::new();
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            let Class::Float(format) = leaf.class else {
                return Err("a float operation on integers".into());
            };
            // An argument of one lane (an exponent) goes with all.
            let lane_of = |words: &Vec<Vec<Src>>| words.get(lane).or(words.last()).cloned();
            let words: Option<Vec<Vec<Src>>> = lanes.iter().map(lane_of).collect();
            let words = words.ok_or("a float operation on nothing")?;
            found.push((format, dst + to.leaves[lane].word, words));
        }
        Ok(found)
    }

    fn math(&mut self, result: Option<LocalId>, name: MathFn, args: &[Operand]) -> Lowered<()> {
        for (format, dst, args) in self.float_lanes(result, args)? {
            let floats = args.iter().take(name.floats()).cloned();
            let operands = floats.map(|words| (format, words)).collect();
            self.checked(
                Calculation::Math(name),
                operands,
                format,
                dst,
                |lowerer, dst| {
                    lowerer.slow(Slow::FloatMath {
                        name,
                        format,
                        dst,
                        args,
                    });
                },
            );
        }
        Ok(())
    }

    fn saturating(&mut self, result: Option<LocalId>, value: Operand, signed: bool) -> Lowered<()> {
        let (shape, lanes) = self.lanes(value)?;
        let Some(local) = result else { return Ok(()) };
        let to = self.shape(self.type_of(local))?;
        let dst = self.result(result)?;
        for ((from, leaf), a) in shape.leaves.iter().zip(&to.leaves).zip(lanes) {
            let Class::Float(format) = from.class else {
                continue;
            };
            self.slow(Slow::FloatToInt {
                from: format,
                to: leaf.bits,
                signed,
                saturating: true,
                dst: dst + leaf.word,
                a,
            });
        }
        Ok(())
    }

    fn reduce(&mut self, result: Option<LocalId>, name: &str, args: &[Operand]) -> Lowered<()> {
        let vector = *args.last().ok_or("a reduction of nothing")?;
        let (shape, lanes) = self.lanes(vector)?;
        let dst = self.result(result)?;
        let leaf = shape
            .leaves
            .first()
            .copied()
            .ok_or("a reduction of nothing")?;
        if leaf.bits > 64 {
            return Err("a reduction of wide integers".into());
        }
        if self.result_bits(result)? != leaf.bits {
            return Err("a reduction to another type".into());
        }
        let mut lanes = lanes.into_iter().map(|words| words[0]);
        // Float sums start from a value given.
        let first = match args {
            [start, _] => Some(self.word(*start)?),
            _ => lanes.next(),
        };
        let mut sum = first.ok_or("a reduction of nothing")?;
        for lane in lanes {
            let next = self.new_slots(1);
            let op = match name {
                "smax" => Some(IntOp::SMax),
                "smin" => Some(IntOp::SMin),
                "umax" => Some(IntOp::UMax),
                "umin" => Some(IntOp::UMin),
                "add" => Some(IntOp::Add),
                "mul" => Some(IntOp::Mul),
                "and" => Some(IntOp::And),
                "or" => Some(IntOp::Or),
                "xor" => Some(IntOp::Xor),
                _ => None,
            };
            match (op, name, leaf.class) {
                (Some(op), ..) => self.int(op, leaf.bits, next, &[sum, lane]),
                (_, "fadd", Class::Float(format)) => {
                    self.float_binary(BinaryOp::FAdd, format, next, vec![sum], vec![lane]);
                }
                (_, "fmul", Class::Float(format)) => {
                    self.float_binary(BinaryOp::FMul, format, next, vec![sum], vec![lane]);
                }
                (_, "fmax" | "fmin" | "fmaximum" | "fminimum", Class::Float(format)) => {
                    let name = match name {
                        "fmax" => MathFn::MaxNum,
                        "fmin" => MathFn::MinNum,
                        "fmaximum" => MathFn::Maximum,
                        _ => MathFn::Minimum,
                    };
                    let args = vec![vec![sum], vec![lane]];
                    self.slow(Slow::FloatMath {
                        name,
                        format,
                        dst: next,
                        args,
                    });
                }
                _ => return Err(format!("the intrinsic llvm.vector.reduce.{name}")),
            }
            sum = Src::Reg(next);
        }
        self.set(dst, sum);
        Ok(())
    }

    /// Loads only the lanes that the mask has.
    fn masked_load(
        &mut self,
        result: Option<LocalId>,
        args: &[Operand],
        gather: bool,
    ) -> Lowered<()> {
        let Some(local) = result else { return Ok(()) };
        let shape = self.shape(self.type_of(local))?;
        let pointers = self.words(args[0])?;
        // Newer forms carry the alignment as an attribute.
        let (mask, through) = if args.len() > 3 {
            (args[2], args[3])
        } else {
            (args[1], args[2])
        };
        let (mask, through) = (self.words(mask)?, self.words(through)?);
        let count = shape.leaves.len();
        let fits = through.len() == shape.words as usize
            && pointers.len() >= if gather { count } else { 1 };
        if !fits || mask.len() != count || shape.packed {
            return Err("a masked load of another type".into());
        }
        let dst = self.result(result)?;
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            for word in leaf.word..leaf.word + leaf.words() {
                self.set(dst + word, through[word as usize]);
            }
            let address = Address {
                base: if gather { pointers[lane] } else { pointers[0] },
                index: None,
                offset: if gather { 0 } else { leaf.offset as i64 },
            };
            let skip = self.skip_unless(mask[lane]);
            let scalar = Shape::integer(leaf.bits);
            self.load_shape(&scalar, address, dst + leaf.word);
            self.code.instrs[skip].dst = self.pc();
            self.block_constants.clear();
        }
        Ok(())
    }

    fn masked_store(&mut self, args: &[Operand], scatter: bool) -> Lowered<()> {
        let (shape, lanes) = self.lanes(args[0])?;
        let pointers = self.words(args[1])?;
        let mask = if args.len() > 3 { args[3] } else { args[2] };
        let mask = self.words(mask)?;
        let count = shape.leaves.len();
        if pointers.len() < if scatter { count } else { 1 } || mask.len() != count || shape.packed {
            return Err("a masked store of another type".into());
        }
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            let address = Address {
                base: if scatter { pointers[lane] } else { pointers[0] },
                index: None,
                offset: if scatter { 0 } else { leaf.offset as i64 },
            };
            let skip = self.skip_unless(mask[lane]);
            self.store_shape(&Shape::integer(leaf.bits), address, &lanes[lane]);
            self.code.instrs[skip].dst = self.pc();
            self.block_constants.clear();
        }
        Ok(())
    }

    fn skip_unless(&mut self, condition: Src) -> usize {
        let condition = self.reg(condition);
        // What is set behind the branch is not set for those that skip it.
        self.block_constants.clear();
        self.emit(Op::BrUnless, 0, 0, condition, 0)
    }
}

/// The name without `llvm.` and without the types at its end.
fn base_name(name: &str) -> &str {
    let rest = name.strip_prefix("llvm.").unwrap_or(name);
    for family in [
        "dbg",
        "lifetime",
        "invariant",
        "experimental.noalias",
        "instrprof",
        "preserve",
        "launder",
        "strip",
        "expect",
    ] {
        if rest == family
            || rest
                .strip_prefix(family)
                .is_some_and(|rest| rest.starts_with('.'))
        {
            return family;
        }
    }
    let mut end = rest.len();
    while let Some(dot) = rest[..end].rfind('.') {
        let part = &rest[dot + 1..end];
        let is_type = part.starts_with(|c: char| "ifvpnsb".contains(c))
            && (part.contains(|c: char| c.is_ascii_digit())
                || part.starts_with("s_")
                || part.starts_with("sl_"))
            && !matches!(part, "sse2" | "sse" | "f16c");
        if !is_type && part != "inline" && part != "ppcf128" {
            break;
        }
        end = dot;
    }
    &rest[..end]
}

/// How many arguments an intrinsic has at least.
pub(super) fn least_arguments(base: &str) -> usize {
    match base {
        "expect"
        | "annotation"
        | "ssa.copy"
        | "launder"
        | "strip"
        | "ptr.annotation"
        | "threadlocal.address"
        | "arithmetic.fence"
        | "preserve"
        | "frameaddress"
        | "stackrestore"
        | "va_start"
        | "eh.typeid.for"
        | "fptosi.sat"
        | "fptoui.sat" => 1,
        "objectsize" | "va_copy" | "ptrmask" | "load.relative" | "is.fpclass" => 2,
        "memcpy" | "memmove" | "memset" | "fmuladd" | "masked.load" | "masked.gather"
        | "masked.store" | "masked.scatter" => 3,
        _ => IntOp::of_intrinsic(base).map_or(0, IntOp::operands),
    }
}

pub(super) fn math_function(base: &str) -> Option<MathFn> {
    use MathFn::*;
    Some(match base {
        "sqrt" => Sqrt,
        "sin" => Sin,
        "cos" => Cos,
        "tan" => Tan,
        "asin" => Asin,
        "acos" => Acos,
        "atan" => Atan,
        "atan2" => Atan2,
        "sinh" => Sinh,
        "cosh" => Cosh,
        "tanh" => Tanh,
        "pow" => Pow,
        "powi" => Powi,
        "exp" => Exp,
        "exp2" => Exp2,
        "exp10" => Exp10,
        "log" => Log,
        "log2" => Log2,
        "log10" => Log10,
        "fma" => Fma,
        "fabs" => FAbs,
        "minnum" | "minimumnum" => MinNum,
        "maxnum" | "maximumnum" => MaxNum,
        "minimum" => Minimum,
        "maximum" => Maximum,
        "copysign" => CopySign,
        "floor" => Floor,
        "ceil" => Ceil,
        "trunc" => Trunc,
        "rint" | "nearbyint" => Rint,
        "round" => Round,
        "roundeven" => RoundEven,
        "ldexp" => LdExp,
        "is.fpclass" => IsFpClass,
        _ => return None,
    })
}
