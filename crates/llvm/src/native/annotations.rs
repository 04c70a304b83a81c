//! What a program says to the engine: inputs that are symbolic, assumptions, and where it must not come.
//!
//! The names are those of KLEE and of the software verification competition, so that programs for those run as they
//! are.

use std::rc::Rc;

use refrain_machine::{Ask, Role, join_bytes};
use refrain_term::{Sort, Term};

use super::file_system::Content;
use super::{Call, Flow, NativeFn};
use crate::code::{ArgClass, Format};
use crate::machine::{End, ErrorKind, Halt, NewInput};
use crate::memory::{Kind, Origin, Unplaceable, Value};

pub const TABLE: &[(&str, NativeFn)] = &[
    ("klee_make_symbolic", make_symbolic),
    ("klee_assume", assume),
    ("klee_range", range),
    ("klee_int", integer),
    ("klee_choose", choose),
    ("klee_is_symbolic", is_symbolic),
    ("klee_is_replay", zero),
    ("klee_prefer_cex", prefer),
    ("klee_posix_prefer_cex", prefer),
    ("klee_mark_global", nothing),
    ("klee_open_merge", nothing),
    ("klee_close_merge", nothing),
    ("klee_merge", nothing),
    ("klee_set_forking", set_forking),
    ("klee_alias_function", alias_function),
    ("klee_get_value_i8", possible_value),
    ("klee_get_value_i16", possible_value),
    ("klee_get_value_i32", possible_value),
    ("klee_get_value_i64", possible_value),
    ("klee_get_value_u8", possible_value),
    ("klee_get_value_u16", possible_value),
    ("klee_get_value_u32", possible_value),
    ("klee_get_value_u64", possible_value),
    ("klee_get_valuel", possible_value),
    ("klee_get_valuell", possible_value),
    ("klee_get_valuef", possible_value),
    ("klee_get_valued", possible_value),
    ("klee_get_value_f", possible_value),
    ("klee_get_value_d", possible_value),
    ("klee_get_value_ptr", possible_value),
    ("klee_silent_exit", silent),
    ("klee_abort", abort),
    ("klee_report_error", report),
    ("klee_warning", warning),
    ("klee_warning_once", warning),
    ("klee_print_expr", print_term),
    ("klee_print_range", print_term),
    ("klee_stack_trace", stack_trace),
    ("klee_get_obj_size", object_size),
    ("klee_check_memory_access", check_access),
    ("klee_define_fixed_object", fixed_object),
    ("klee_get_errno", error_number),
    ("__VERIFIER_nondet_bool", nondet_bool),
    ("__VERIFIER_nondet__Bool", nondet_bool),
    ("__VERIFIER_nondet_char", nondet),
    ("__VERIFIER_nondet_schar", nondet),
    ("__VERIFIER_nondet_uchar", nondet),
    ("__VERIFIER_nondet_unsigned_char", nondet),
    ("__VERIFIER_nondet_short", nondet),
    ("__VERIFIER_nondet_ushort", nondet),
    ("__VERIFIER_nondet_int", nondet),
    ("__VERIFIER_nondet_uint", nondet),
    ("__VERIFIER_nondet_unsigned", nondet),
    ("__VERIFIER_nondet_unsigned_int", nondet),
    ("__VERIFIER_nondet_long", nondet),
    ("__VERIFIER_nondet_ulong", nondet),
    ("__VERIFIER_nondet_longlong", nondet),
    ("__VERIFIER_nondet_ulonglong", nondet),
    ("__VERIFIER_nondet_int8", nondet),
    ("__VERIFIER_nondet_uint8", nondet),
    ("__VERIFIER_nondet_int16", nondet),
    ("__VERIFIER_nondet_uint16", nondet),
    ("__VERIFIER_nondet_int32", nondet),
    ("__VERIFIER_nondet_uint32", nondet),
    ("__VERIFIER_nondet_int64", nondet),
    ("__VERIFIER_nondet_uint64", nondet),
    ("__VERIFIER_nondet_u8", nondet),
    ("__VERIFIER_nondet_u16", nondet),
    ("__VERIFIER_nondet_u32", nondet),
    ("__VERIFIER_nondet_u64", nondet),
    ("__VERIFIER_nondet_S8", nondet),
    ("__VERIFIER_nondet_U8", nondet),
    ("__VERIFIER_nondet_U16", nondet),
    ("__VERIFIER_nondet_U32", nondet),
    ("__VERIFIER_nondet_size_t", nondet),
    ("__VERIFIER_nondet_ptrdiff_t", nondet),
    ("__VERIFIER_nondet_loff_t", nondet),
    ("__VERIFIER_nondet_sector_t", nondet),
    ("__VERIFIER_nondet_pthread_t", nondet),
    ("__VERIFIER_nondet_time_t", nondet),
    ("__VERIFIER_nondet_charp", nondet),
    ("__VERIFIER_nondet_pchar", nondet),
    ("__VERIFIER_nondet_pointer", nondet),
    ("__VERIFIER_nondet_const_char_pointer", nondet),
    ("__VERIFIER_nondet_float", nondet),
    ("__VERIFIER_nondet_double", nondet),
    ("__VERIFIER_nondet_memory", nondet_memory),
    ("__VERIFIER_assume", assume_or_end),
    ("__VERIFIER_assert", assert),
    ("__VERIFIER_error", reached_error),
    ("__VERIFIER_atomic_begin", nothing),
    ("__VERIFIER_atomic_end", nothing),
    ("reach_error", reached_error),
];

impl Call<'_> {
    /// An input of so many bytes that nothing is known of, unless it is given. It is not the state's before it is added.
    fn fresh(&mut self, name: &str, bytes: u64) -> Result<NewInput, Halt> {
        let made = self
            .machine
            .new_input(self.terms, self.state, name, Role::Object, bytes);
        made.map_err(|why| self.unsupported(why.to_string()))
    }

    /// A term as a result: a number where it is one.
    fn result(&self, term: Term) -> Flow {
        Flow::Return(vec![self.machine.value_of(self.terms, term)])
    }

    /// The bytes of an input as one number, the first one lowest.
    fn joined(&mut self, input: &NewInput) -> Option<Term> {
        join_bytes(self.terms, &input.bytes)
    }

    /// Whether a value is not zero.
    fn is_true(&mut self, value: Value) -> Term {
        match value {
            Value::Concrete(value) => Term::bool(value != 0),
            Value::Symbolic(term) if self.terms.sort(term) == Sort::Bool => term,
            Value::Symbolic(term) => {
                let zero = self.terms.bv(self.terms.width(term), 0);
                let is_zero = self.terms.eq(term, zero);
                self.terms.not(is_zero)
            }
        }
    }

    /// Whether inputs satisfy a condition; the path goes on with those.
    fn satisfies(&mut self, condition: Term) -> Result<bool, Halt> {
        Ok(match condition {
            Term::TRUE => true,
            Term::FALSE => false,
            condition => {
                let holds = self
                    .machine
                    .ask(self.terms, self.state, Ask::Assume(condition))?
                    == 0;
                if holds {
                    self.state.facts.tell(condition);
                }
                holds
            }
        })
    }

    /// Goes on only with inputs for which a condition holds. It is an error if there are none, unless other paths pass
    /// here: `a && b` is two branches, and a constant on one of them.
    fn require(&mut self, condition: Term) -> Result<(), Halt> {
        if !self.satisfies(condition)? {
            return Err(self.error(ErrorKind::ImpossibleAssumption, ""));
        }
        self.machine.pass(self.state.site());
        Ok(())
    }

    /// The text that an argument points to.
    fn text(&mut self, index: usize) -> Result<String, Halt> {
        match self.number(index)? {
            0 => Ok(String::new()),
            address => Ok(String::from_utf8_lossy(&self.string(address)?).into_owned()),
        }
    }

    /// A name for an input: as the program gives it.
    fn input_name(&mut self, index: usize) -> Result<String, Halt> {
        let name = self.text(index)?;
        Ok(if name.is_empty() {
            "unnamed".to_string()
        } else {
            name
        })
    }

    /// Says something on standard error.
    fn say(&mut self, text: &str) {
        self.output_content(2, &Content::from(text.as_bytes()));
    }

    /// How many bits the caller takes as the result.
    fn result_bits(&self) -> u32 {
        match self.site.result {
            Some(ArgClass::Int(bits)) => bits.clamp(1, 64),
            Some(ArgClass::Float(Format::Single)) => 32,
            _ => 64,
        }
    }
}

fn zero(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(0))
}

/// What the program would like of an input of this path, if there is a choice.
fn prefer(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = call.arg(1);
    let condition = call.is_true(value);
    if condition != Term::TRUE && condition != Term::FALSE {
        Rc::make_mut(&mut call.state.world.preferences).push(condition);
    }
    Ok(Flow::void())
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}

/// From here on the path does not fork, or forks again.
fn set_forking(call: &mut Call<'_>) -> Result<Flow, Halt> {
    call.state.world.stays_whole = call.number(0)? as u32 == 0;
    Ok(Flow::void())
}

/// From here on, who calls one function calls another. A function can be given back to itself.
fn alias_function(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (name, other) = (call.text(0)?, call.text(1)?);
    let linked = call.machine.linked.clone();
    let Some(to) = linked.find(&other) else {
        let what = format!("klee_alias_function: there is no function {other}");
        return Err(call.error(ErrorKind::Assertion, what));
    };
    // What the program does not name, it does not call.
    if let Some(from) = linked.find(&name) {
        let stands_for = call.state.world.stands_for.get_or_insert_default();
        let stands_for = Rc::make_mut(stands_for);
        match from == to {
            true => stands_for.remove(&from),
            false => stands_for.insert(from, to),
        };
    }
    Ok(Flow::void())
}

fn fill(call: &mut Call<'_>, address: u64, bytes: u64, name: &str) -> Result<Flow, Halt> {
    if !call.state.memory.contains(address, bytes) {
        // For the report: of nothing more than this access.
        call.gather(address, bytes)?;
    }
    let input = call.fresh(name, bytes)?;
    if let Some(bits) = call.machine.floats_at(call.state, address) {
        input.are_floats(call.machine, bits);
    }
    for (offset, &term) in input.bytes.iter().enumerate() {
        let place = Value::Concrete(address + offset as u64);
        let value = call.machine.value_of(call.terms, term);
        call.machine
            .write(call.terms, call.state, place, 1, value)?;
    }
    input.add_to(call.state);
    Ok(Flow::void())
}

fn make_symbolic(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (address, bytes) = (call.number(0)?, call.number(1)?);
    let name = call.input_name(2)?;
    fill(call, address, bytes, &name)
}

fn nondet_memory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (address, bytes) = (call.number(0)?, call.number(1)?);
    fill(call, address, bytes, "nondet_memory")
}

fn assume(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = call.arg(0);
    let condition = call.is_true(value);
    call.require(condition)?;
    Ok(Flow::void())
}

/// In the software verification competition an assumption that cannot hold is a way to end a path, and no mistake.
fn assume_or_end(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = call.arg(0);
    let condition = call.is_true(value);
    match call.satisfies(condition)? {
        true => Ok(Flow::void()),
        false => Err(Halt::End(End::Silent)),
    }
}

/// A number from one bound to below another.
fn range(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (low, high) = (call.int(0)?, call.int(1)?);
    let name = call.input_name(2)?;
    if low >= high {
        return Err(call.error(
            ErrorKind::Assertion,
            "klee_range without a number in its range",
        ));
    }
    let input = call.fresh(&name, 4)?;
    let Some(value) = call.joined(&input) else {
        return Ok(call.signed(0));
    };
    let bound = |call: &mut Call<'_>, bound: i32| call.terms.bv(32, u64::from(bound as u32));
    let (low, high) = (bound(call, low), bound(call, high));
    let (from, to) = (
        call.terms.bv_sle(low, value),
        call.terms.bv_slt(value, high),
    );
    let condition = call.terms.and2(from, to);
    call.require(condition)?;
    input.add_to(call.state);
    Ok(call.result(value))
}

fn integer(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let name = call.input_name(0)?;
    number(call, &name, 4)
}

/// A symbolic number of so many bytes.
fn number(call: &mut Call<'_>, name: &str, bytes: u64) -> Result<Flow, Halt> {
    let input = call.fresh(name, bytes)?;
    if let Some(ArgClass::Float(format)) = call.site.result {
        input.are_floats(call.machine, format.bits());
    }
    let value = call
        .joined(&input)
        .map_or(Flow::value(0), |term| call.result(term));
    input.add_to(call.state);
    Ok(value)
}

fn choose(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let count = call.number(0)?;
    if count == 0 {
        return Err(call.error(ErrorKind::Assertion, "klee_choose of nothing"));
    }
    let input = call.fresh("klee_choose", 8)?;
    let Some(value) = call.joined(&input) else {
        return Ok(call.signed(0));
    };
    let count = call.terms.bv(64, count);
    let condition = call.terms.bv_ult(value, count);
    call.require(condition)?;
    input.add_to(call.state);
    Ok(call.result(value))
}

fn is_symbolic(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let is_symbolic = matches!(call.arg(0), Value::Symbolic(_));
    Ok(call.signed(i64::from(is_symbolic)))
}

/// A value that is possible; the path does not keep to it.
fn possible_value(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = match call.arg(0) {
        Value::Concrete(value) => value,
        Value::Symbolic(term) => {
            call.machine.note_layout();
            call.machine
                .ask(call.terms, call.state, Ask::Witness(term))?
        }
    };
    Ok(Flow::value(value & u64::MAX >> (64 - call.result_bits())))
}

fn silent(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(Halt::End(End::Silent))
}

fn abort(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(call.error(ErrorKind::Abort, ""))
}

fn report(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (file, line, message) = (call.text(0)?, call.int(1)?, call.text(2)?);
    Err(call.error(ErrorKind::Assertion, format!("{file}:{line}: {message}")))
}

fn warning(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let message = call.text(0)?;
    let is_new = !call.state.world.warned.contains(&message);
    if is_new || call.name == "klee_warning" {
        call.say(&format!("warning: {message}\n"));
    }
    if is_new {
        Rc::make_mut(&mut call.state.world.warned).insert(message);
    }
    Ok(Flow::void())
}

fn print_term(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let message = call.text(0)?;
    call.machine.note_layout();
    let value = match call.arg(1) {
        Value::Concrete(value) => value.to_string(),
        Value::Symbolic(term) => refrain_term::print::print(call.terms, term),
    };
    call.say(&format!("{message}: {value}\n"));
    Ok(Flow::void())
}

fn stack_trace(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mut text = String::new();
    for place in call.machine.trace(call.state) {
        text += &format!("{} at {}:{}\n", place.function, place.file, place.line);
    }
    call.say(&text);
    Ok(Flow::void())
}

fn object_size(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let address = call.number(0)?;
    let object = call.state.memory.object_at(address);
    Ok(Flow::value(object.map_or(0, |object| object.size)))
}

fn check_access(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let bytes = call.number(1)?;
    match call.arg(0) {
        Value::Concrete(address) => {
            if !call.state.memory.contains(address, bytes) {
                call.gather(address, bytes)?;
            }
        }
        Value::Symbolic(term) => {
            let address = call.machine.widen(call.terms, term, 64);
            call.machine
                .resolve(call.terms, call.state, address, bytes, false)?;
        }
    }
    Ok(Flow::void())
}

/// Memory at an address that the program chooses, as that of a device.
fn fixed_object(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (address, size) = (call.number(0)?, call.number(1)?);
    call.machine.note_layout();
    let origin = Origin {
        kind: Kind::Global,
        name: call.machine.linked.intern(call.name),
        site: call.state.site(),
    };
    let why = match call.state.memory.place_at(address, size, origin) {
        Ok(()) => return Ok(Flow::void()),
        Err(Unplaceable::NoSuchPlace) => "nothing can be there".to_string(),
        Err(Unplaceable::Overlap(object)) => {
            let name = call.machine.linked.string(object.origin.name);
            let name = if name.is_empty() { "an object" } else { &name };
            format!("{name} of {} bytes is there", object.size)
        }
    };
    let what = format!("{size} bytes at {address:#x}: {why}");
    Err(call.error(ErrorKind::Assertion, format!("{} of {what}", call.name)))
}

fn error_number(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let Some(address) = call.machine.linked.address_of("__refrain_errno") else {
        return Ok(call.signed(0));
    };
    let value = call
        .machine
        .read(call.terms, call.state, Value::Concrete(address), 4)?;
    Ok(Flow::Return(vec![value]))
}

/// The name of an input that a function makes: its own, without the prefix.
fn nondet_name(call: &Call<'_>) -> String {
    call.name.trim_start_matches("__VERIFIER_").to_string()
}

/// A value of the result's type, whatever the function is called.
fn nondet(call: &mut Call<'_>) -> Result<Flow, Halt> {
    if call.result_bits() == 1 {
        return nondet_bool(call);
    }
    let name = nondet_name(call);
    let bytes = u64::from(call.result_bits().div_ceil(8));
    number(call, &name, bytes)
}

/// Any byte but zero is true, as a replay that converts the byte would have it.
fn nondet_bool(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let name = nondet_name(call);
    let input = call.fresh(&name, 1)?;
    let value = call.machine.value_of(call.terms, input.bytes[0]);
    let condition = call.is_true(value);
    input.add_to(call.state);
    Ok(call.result(condition))
}

fn assert(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = call.arg(0);
    let condition = call.is_true(value);
    match call.machine.decide(call.terms, call.state, condition)? {
        true => Ok(Flow::void()),
        false => Err(call.error(ErrorKind::Assertion, "")),
    }
}

fn reached_error(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(call.error(ErrorKind::Assertion, format!("{} was called", call.name)))
}
