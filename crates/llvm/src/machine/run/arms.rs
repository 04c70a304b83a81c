//! The arms of the main loop, a macro for each family of opcodes.
//!
//! They are macros and not functions because each ends in a jump of the loop: on to another instruction, or out of the
//! loop. `$run` is the loop's [`Run`](super::Run).

/// The loop's body: a match with an arm for each row of the table of opcodes.
macro_rules! execute {
    (($run:ident) $($op:ident = $family:ident($($arg:tt)*);)+) => {
        match $run.i.op {
            $(Op::$op => $family!($run, $($arg)*),)+
        }
    };
}

// How arms end.

/// With the instruction so much further on.
macro_rules! next {
    ($run:ident, $by:literal) => {{
        $run.at.advance($by);
        continue;
    }};
}

/// With the instruction so many bytes behind the first, unless the fuel is used up.
macro_rules! go_to {
    ($run:ident, $bytes:expr) => {{
        $run.at.jump($bytes);
        if $run.at.executed >= $run.limit {
            $run.at.save($run.state);
            return LoopExit::Stop(Stop::OutOfFuel);
        }
        continue;
    }};
}

/// Outside the loop: one of the machine's functions does the instruction.
macro_rules! leave {
    ($run:ident, $function:ident) => {{
        $run.at.save($run.state);
        break $run.machine.$function($run.terms, $run.state, $run.i);
    }};
}

/// The same for functions that take no terms.
macro_rules! leave_with {
    ($run:ident, $function:ident($($arg:expr),*)) => {{
        $run.at.save($run.state);
        break $run.machine.$function($run.state, $($arg),*);
    }};
}

/// Outside the loop, with an error.
macro_rules! fail {
    ($run:ident, $error:ident($($arg:expr),*)) => {{
        $run.at.save($run.state);
        break Err($run.machine.$error($run.state, $($arg),*));
    }};
}

/// At the target of a branch or jump.
macro_rules! take {
    ($run:ident) => {{
        if $run.i.dst & NEVER_TAKEN != 0 {
            leave_with!($run, follow($run.i, true));
        }
        $run.at.executed += u64::from($run.i.x);
        go_to!($run, $run.i.target_bytes())
    }};
}

/// At the target of a branch if a condition holds, else behind the branch.
macro_rules! decide {
    ($run:ident, $condition:expr) => {{
        if $condition {
            take!($run)
        }
        if $run.i.dst & NEVER_FELL_THROUGH != 0 {
            leave_with!($run, follow($run.i, false));
        }
        $run.at.executed += u64::from($run.i.x);
        next!($run, 1)
    }};
}

// What arms are made of.

/// Leaves the loop if one of the registers holds a term.
macro_rules! concrete {
    ($run:ident, $($register:expr),+) => {
        if $($run.at.is_symbolic($register))||+ {
            leave!($run, symbolic)
        }
    };
}

/// The width that words are calculated with.
macro_rules! width {
    ($run:ident, x) => {
        u32::from($run.i.x)
    };
    ($run:ident, any) => {
        64
    };
    ($run:ident, b) => {
        $run.i.b
    };
    ($run:ident, $bits:literal) => {
        $bits
    };
}

/// The value of an operation on numbers; an error leaves the loop.
macro_rules! calculate {
    ($run:ident, $op:ident, $width:tt, one) => {{
        concrete!($run, $run.i.a);
        word64::$op($run.at.get($run.i.a), width!($run, $width))
    }};
    ($run:ident, $op:ident, $width:tt, two) => {{
        concrete!($run, $run.i.a, $run.i.b);
        let (a, b, width) = (
            $run.at.get($run.i.a),
            $run.at.get($run.i.b),
            width!($run, $width),
        );
        if let Some(error) = error64::$op(a, b, width) {
            fail!($run, arithmetic_error(error))
        }
        word64::$op(a, b, width)
    }};
    ($run:ident, $op:ident, $width:tt, three) => {{
        let third = $run.at.more().a;
        concrete!($run, $run.i.a, $run.i.b, third);
        let (a, b, c) = (
            $run.at.get($run.i.a),
            $run.at.get($run.i.b),
            $run.at.get(third),
        );
        word64::$op(a, b, c, width!($run, $width))
    }};
    // Lowering takes no immediate that could be an error, and verification makes sure of it.
    ($run:ident, $op:ident, $width:tt, signed) => {{
        concrete!($run, $run.i.a);
        word64::$op($run.at.get($run.i.a), $run.i.signed(), width!($run, $width))
    }};
    ($run:ident, $op:ident, $width:tt, unsigned) => {{
        concrete!($run, $run.i.a);
        word64::$op(
            $run.at.get($run.i.a),
            u64::from($run.i.b),
            width!($run, $width),
        )
    }};
}

// Moves and calculations.

macro_rules! mov {
    ($run:ident,) => {{
        $run.at.copy($run.i.dst, $run.i.a);
        next!($run, 1)
    }};
}

macro_rules! imm {
    ($run:ident,) => {{
        $run.at.set($run.i.dst, $run.i.wide());
        next!($run, 1)
    }};
}

macro_rules! int {
    ($run:ident, $op:ident, $width:tt, three) => {{
        let value = calculate!($run, $op, $width, three);
        $run.at.set($run.i.dst, u64::from(value));
        next!($run, 2)
    }};
    ($run:ident, $op:ident, $width:tt, $fields:ident) => {{
        let value = calculate!($run, $op, $width, $fields);
        $run.at.set($run.i.dst, u64::from(value));
        next!($run, 1)
    }};
}

macro_rules! overflowing {
    ($run:ident, $op:ident, $overflow:ident) => {{
        concrete!($run, $run.i.a, $run.i.b);
        let (a, b, width) = (
            $run.at.get($run.i.a),
            $run.at.get($run.i.b),
            width!($run, x),
        );
        $run.at.set($run.i.dst, word64::$op(a, b, width));
        $run.at
            .set($run.i.dst + 1, u64::from(word64::$overflow(a, b, width)));
        next!($run, 1)
    }};
}

/// A function of the register `a`.
macro_rules! unary {
    ($run:ident, |$a:ident| $value:expr) => {{
        concrete!($run, $run.i.a);
        let $a = $run.at.get($run.i.a);
        $run.at.set($run.i.dst, $value);
        next!($run, 1)
    }};
}

/// A function of the registers `a` and `b`.
macro_rules! binary {
    ($run:ident, |$a:ident, $b:ident| $value:expr) => {{
        concrete!($run, $run.i.a, $run.i.b);
        let ($a, $b) = ($run.at.get($run.i.a), $run.at.get($run.i.b));
        $run.at.set($run.i.dst, $value);
        next!($run, 1)
    }};
}

macro_rules! truncate {
    ($run:ident,) => {
        unary!($run, |a| Cast::Truncate.word64(a, 64, width!($run, x)))
    };
}

macro_rules! sign_extend {
    ($run:ident, $to:tt) => {
        unary!($run, |a| Cast::SignExtend.word64(
            a,
            width!($run, x),
            width!($run, $to)
        ))
    };
}

macro_rules! lea {
    ($run:ident,) => {
        binary!($run, |a, b| indexed(a, b, $run.i))
    };
}

macro_rules! select {
    ($run:ident,) => {{
        concrete!($run, $run.i.a);
        let other = $run.at.more().a;
        let is_set = $run.at.get($run.i.a) & 1 == 1;
        $run.at
            .copy($run.i.dst, if is_set { $run.i.b } else { other });
        next!($run, 2)
    }};
}

// Control flow.

macro_rules! branch {
    ($run:ident, $op:ident, $width:tt, $fields:ident) => {
        decide!($run, calculate!($run, $op, $width, $fields))
    };
}

macro_rules! branch_if {
    ($run:ident, $value:literal) => {{
        concrete!($run, $run.i.a);
        decide!($run, ($run.at.get($run.i.a) & 1 == 1) == $value)
    }};
}

macro_rules! jump {
    ($run:ident,) => {
        take!($run)
    };
}

macro_rules! switch {
    ($run:ident,) => {{
        concrete!($run, $run.i.a);
        let functions = &$run.machine.covered.functions;
        let table = &functions[$run.at.function as usize].tables[$run.i.b as usize];
        let target = table.target($run.at.get($run.i.a));
        if target & NEVER_REACHED != 0 {
            leave_with!($run, switch_to($run.i, target & !NEVER_REACHED));
        }
        $run.at.executed += u64::from(table.count);
        go_to!($run, target as usize * size_of::<Instr>())
    }};
}

macro_rules! ret {
    ($run:ident,) => {{
        $run.at.executed += u64::from($run.i.b);
        leave!($run, ret)
    }};
}

macro_rules! ret_void {
    ($run:ident,) => {{
        $run.at.executed += u64::from($run.i.x);
        leave!($run, ret)
    }};
}

macro_rules! count {
    ($run:ident,) => {{
        $run.at.executed += u64::from($run.i.a);
        next!($run, 1)
    }};
}

macro_rules! more {
    // Stepped over by the instruction before.
    ($run:ident,) => {
        next!($run, 1)
    };
}

// Memory.

/// Reads or writes so many bits, if that is plain.
macro_rules! access {
    ($run:ident, read 8, $address:expr) => {
        $run.state.memory.read8($address)
    };
    ($run:ident, read 16, $address:expr) => {
        $run.state.memory.read16($address)
    };
    ($run:ident, read 32, $address:expr) => {
        $run.state.memory.read32($address)
    };
    ($run:ident, read 64, $address:expr) => {
        $run.state.memory.read64($address)
    };
    ($run:ident, write 8, $address:expr, $value:expr) => {
        $run.state.memory.write8($address, $value)
    };
    ($run:ident, write 16, $address:expr, $value:expr) => {
        $run.state.memory.write16($address, $value)
    };
    ($run:ident, write 32, $address:expr, $value:expr) => {
        $run.state.memory.write32($address, $value)
    };
    ($run:ident, write 64, $address:expr, $value:expr) => {
        $run.state.memory.write64($address, $value)
    };
}

macro_rules! load {
    ($run:ident, $bits:tt, offset) => {{
        concrete!($run, $run.i.a);
        load!($run, $bits, at $run.at.get($run.i.a).wrapping_add($run.i.signed()))
    }};
    ($run:ident, $bits:tt, indexed) => {{
        concrete!($run, $run.i.a, $run.i.b);
        load!($run, $bits, at indexed($run.at.get($run.i.a), $run.at.get($run.i.b), $run.i))
    }};
    ($run:ident, $bits:tt, absolute) => {
        load!($run, $bits, at $run.i.wide())
    };
    ($run:ident, $bits:tt, at $address:expr) => {
        match access!($run, read $bits, $address) {
            Some(value) => {
                $run.at.set($run.i.dst, value);
                next!($run, 1)
            }
            None => leave!($run, load),
        }
    };
}

macro_rules! store {
    ($run:ident, $bits:tt, offset) => {{
        concrete!($run, $run.i.a, $run.i.b);
        let address = $run.at.get($run.i.a).wrapping_add($run.i.signed_dst());
        store!($run, $bits, $run.at.get($run.i.b) => address)
    }};
    ($run:ident, $bits:tt, indexed) => {{
        concrete!($run, $run.i.a, $run.i.b, $run.i.dst);
        let address = indexed($run.at.get($run.i.a), $run.at.get($run.i.b), $run.i);
        store!($run, $bits, $run.at.get($run.i.dst) => address)
    }};
    ($run:ident, $bits:tt, absolute) => {{
        concrete!($run, $run.i.dst);
        let address = $run.i.wide();
        store!($run, $bits, $run.at.get($run.i.dst) => address)
    }};
    ($run:ident, $bits:tt, $value:expr => $address:ident) => {{
        if access!($run, write $bits, $address, $value) {
            next!($run, 1)
        }
        leave!($run, store)
    }};
}

macro_rules! store_immediate {
    ($run:ident, $bits:tt) => {{
        concrete!($run, $run.i.a);
        let address = $run.at.get($run.i.a).wrapping_add($run.i.signed_dst());
        store!($run, $bits, u64::from($run.i.b) => address)
    }};
}

macro_rules! load_bits {
    ($run:ident,) => {{
        concrete!($run, $run.i.a);
        leave!($run, load)
    }};
}

macro_rules! store_bytes {
    ($run:ident,) => {{
        concrete!($run, $run.i.a, $run.i.b);
        leave!($run, store)
    }};
}

// Floats.

macro_rules! float {
    ($run:ident, $format:ident, $op:tt) => {
        binary!($run, |a, b| ($format::from_word(a) $op $format::from_word(b)).to_word())
    };
}

macro_rules! float_compare {
    ($run:ident, $format:ident) => {
        binary!($run, |a, b| {
            let order = $format::from_word(a).partial_cmp(&$format::from_word(b));
            u64::from($run.i.x & order_bit(order) != 0)
        })
    };
}

macro_rules! float_to_int {
    ($run:ident, $format:ident, $convert:ident) => {
        unary!($run, |a| $convert(
            f64::from($format::from_word(a)),
            width!($run, x)
        ))
    };
}

macro_rules! int_to_float {
    ($run:ident, signed, $format:ident) => {
        unary!($run, |a| (word64::sext(a, width!($run, x)) as $format)
            .to_word())
    };
    ($run:ident, unsigned, $format:ident) => {
        unary!($run, |a| (a as $format).to_word())
    };
}

macro_rules! float_to_float {
    ($run:ident, $from:ident, $to:ident) => {
        unary!($run, |a| ($from::from_word(a) as $to).to_word())
    };
}

// What is always done outside.

macro_rules! alloca {
    ($run:ident,) => {
        leave_with!($run, alloca($run.i))
    };
}

macro_rules! alloca_many {
    ($run:ident,) => {
        leave!($run, alloca_many)
    };
}

macro_rules! call {
    ($run:ident,) => {
        leave!($run, call)
    };
}

macro_rules! call_indirect {
    ($run:ident,) => {
        leave!($run, call_indirect)
    };
}

macro_rules! call_native {
    ($run:ident,) => {
        leave!($run, call_native)
    };
}

macro_rules! resume {
    ($run:ident,) => {
        leave!($run, resume)
    };
}

macro_rules! unreachable {
    ($run:ident,) => {
        fail!($run, unreachable())
    };
}

macro_rules! slow {
    ($run:ident,) => {
        leave!($run, rare)
    };
}
