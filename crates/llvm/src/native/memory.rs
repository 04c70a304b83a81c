//! Memory: the heap, and moving bytes.

use refrain_machine::Ask;

use super::{Call, Flow, NativeFn, errno};
use crate::machine::{ErrorKind, Halt, demangle};
use crate::memory::{Kind, Origin, Site, Value};

pub const TABLE: &[(&str, NativeFn)] = &[
    ("malloc", malloc),
    ("calloc", calloc),
    ("realloc", realloc),
    ("reallocarray", reallocarray),
    ("free", free),
    ("cfree", free),
    ("aligned_alloc", aligned_alloc),
    ("memalign", aligned_alloc),
    ("valloc", valloc),
    ("posix_memalign", posix_memalign),
    ("malloc_usable_size", usable_size),
    ("memcpy", memcpy),
    ("memmove", memcpy),
    ("memset", memset),
    ("__refrain_load_relative", load_relative),
    ("__memcpy_chk", memcpy),
    ("__memmove_chk", memcpy),
    ("__memset_chk", memset),
];

/// More than this cannot be had at once, as on a machine with that much memory. Less is there once it is touched.
const MOST_BYTES: u64 = 1 << 40;

impl Call<'_> {
    /// A new object of the heap; null where there is no room.
    pub fn allocate(&mut self, size: u64, align: u64) -> u64 {
        if size > MOST_BYTES {
            return 0;
        }
        let (name, site) = self.allocator();
        let origin = Origin {
            kind: Kind::Heap,
            name,
            site,
        };
        self.state
            .memory
            .allocate(size, align.max(16), origin)
            .unwrap_or(0)
    }

    /// The function that the program called to get memory, and where: `strdup` rather than the `malloc` in it.
    fn allocator(&self) -> (u32, Site) {
        let linked = &self.machine.linked;
        let mut name = None;
        for frame in self.state.frames.iter().rev() {
            let site = Site {
                function: frame.function,
                pc: frame.pc,
            };
            let function = &linked.functions[frame.function as usize];
            if !linked.is_library(function.module) {
                let name =
                    name.map_or_else(|| self.name.to_string(), |name: &str| plain_name(name));
                return (linked.intern(&name), site);
            }
            name = Some(&function.name);
        }
        (linked.intern(self.name), self.state.site())
    }

    /// An argument as a size; none if there cannot be so much.
    fn size(&mut self, index: usize) -> Result<Option<u64>, Halt> {
        let size = self.arg(index);
        self.machine.size(self.terms, self.state, size, MOST_BYTES)
    }

    /// The product of two arguments as a size.
    fn product(&mut self, count: usize, size: usize) -> Result<Option<u64>, Halt> {
        // One of them is a number first. Whatever that is, the other one may be anything if it is zero.
        let (count, size) = match (self.arg(count), self.arg(size)) {
            (Value::Concrete(count), size) => (size, count),
            (count, Value::Concrete(size)) => (count, size),
            (count, size) => {
                let size = self.machine.size(self.terms, self.state, size, u64::MAX)?;
                (count, size.unwrap_or(0))
            }
        };
        let most = MOST_BYTES.checked_div(size).unwrap_or(u64::MAX);
        let count = self.machine.size(self.terms, self.state, count, most)?;
        Ok(count.map(|count| count * size))
    }

    /// An argument as a pointer to free: null, an object of the heap, or what is none of these, which is one path.
    fn pointer_to_free(&mut self, index: usize) -> Result<u64, Halt> {
        let pointer = match self.arg(index) {
            Value::Concrete(address) => return Ok(address),
            Value::Symbolic(term) => self.machine.widen(self.terms, term, 64),
        };
        self.machine.note_layout();
        let objects = self.state.memory.heap_objects();
        let addresses: Vec<u64> = objects.map(|object| object.base).chain([0]).collect();
        let mut known = Vec::with_capacity(addresses.len());
        for address in addresses {
            let address = self.terms.bv(64, address);
            known.push(self.terms.eq(pointer, address));
        }
        let is_known = self.terms.or(&known);
        if self.machine.decide(self.terms, self.state, is_known)? {
            return self.machine.one_of_few(self.terms, self.state, pointer);
        }
        self.machine
            .ask(self.terms, self.state, Ask::Witness(pointer))
    }

    pub fn release(&mut self, address: u64) -> Result<(), Halt> {
        let site = self.state.site();
        if address == 0 {
            return Ok(());
        }
        self.state
            .memory
            .free(address, site)
            .map_err(|fault| self.fault(fault, 0, true))
    }
}

/// A function's name without its parameters.
fn plain_name(name: &str) -> String {
    let name = demangle(name);
    name.split('(').next().unwrap_or(&name).to_string()
}

/// Memory of a size that may be more than any number; null, and the reason, where there is no room.
fn obtain(call: &mut Call<'_>, size: Option<u64>, align: u64) -> u64 {
    let address = size.map_or(0, |size| call.allocate(size, align));
    if address == 0 {
        call.set_errno(errno::ENOMEM);
    }
    address
}

fn malloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let size = call.size(0)?;
    Ok(Flow::value(obtain(call, size, 16)))
}

fn calloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let bytes = call.product(0, 1)?;
    let address = obtain(call, bytes, 16);
    if let Some(bytes) = bytes.filter(|_| address != 0)
        && call.machine.linked.options.check_uninitialised
    {
        fill(call, address, Value::Concrete(0), bytes)?;
    }
    Ok(Flow::value(address))
}

fn fill(call: &mut Call<'_>, address: u64, byte: Value, len: u64) -> Result<(), Halt> {
    call.state
        .memory
        .fill(call.terms, address, byte, len)
        .map_err(|fault| call.machine.fault(call.state, fault, len, true))
}

fn resize(call: &mut Call<'_>, old: u64, size: Option<u64>) -> Result<Flow, Halt> {
    if old == 0 {
        return Ok(Flow::value(obtain(call, size, 16)));
    }
    let object = call.state.memory.object_at(old);
    let Some(object) = object.filter(|object| {
        object.base == old && object.freed.is_none() && object.origin.kind == Kind::Heap
    }) else {
        // As `free` would say.
        call.release(old)?;
        return Ok(Flow::value(0));
    };
    if size == Some(0) {
        call.release(old)?;
        return Ok(Flow::value(0));
    }
    let new = obtain(call, size, 16);
    let Some(size) = size.filter(|_| new != 0) else {
        return Ok(Flow::value(0));
    };
    let kept = object.size.min(size);
    call.state
        .memory
        .copy(call.terms, new, old, kept)
        .map_err(|fault| call.machine.fault(call.state, fault, kept, false))?;
    call.release(old)?;
    Ok(Flow::value(new))
}

fn realloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (old, size) = (call.pointer_to_free(0)?, call.size(1)?);
    resize(call, old, size)
}

fn reallocarray(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (old, size) = (call.pointer_to_free(0)?, call.product(1, 2)?);
    resize(call, old, size)
}

fn free(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let address = call.pointer_to_free(0)?;
    call.release(address)?;
    Ok(Flow::void())
}

fn aligned_alloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (align, size) = (call.number(0)?, call.size(1)?);
    if !align.is_power_of_two() {
        call.set_errno(errno::EINVAL);
        return Ok(Flow::value(0));
    }
    Ok(Flow::value(obtain(call, size, align)))
}

fn valloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let size = call.size(0)?;
    Ok(Flow::value(obtain(call, size, 4096)))
}

fn posix_memalign(call: &mut Call<'_>) -> Result<Flow, Halt> {
    // All is known before anything is allocated.
    let (place, align, size) = (call.number(0)?, call.number(1)?, call.size(2)?);
    if !align.is_power_of_two() || align < 8 {
        return Ok(call.signed(i64::from(errno::EINVAL)));
    }
    let address = size.map_or(0, |size| call.allocate(size, align));
    if address == 0 {
        return Ok(call.signed(i64::from(errno::ENOMEM)));
    }
    call.machine.write(
        call.terms,
        call.state,
        Value::Concrete(place),
        8,
        Value::Concrete(address),
    )?;
    Ok(Flow::value(0))
}

fn usable_size(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let address = call.number(0)?;
    let object = call.state.memory.object_at(address);
    Ok(Flow::value(object.map_or(0, |object| object.size)))
}

/// How many bytes an argument says, of which an object has room for so many at most. All that are more are one path.
fn length(call: &mut Call<'_>, index: usize, room: u64) -> Result<u64, Halt> {
    let term = match call.arg(index) {
        Value::Concrete(len) => return Ok(len),
        Value::Symbolic(term) => call.machine.widen(call.terms, term, 64),
    };
    let room = call.terms.bv(64, room);
    let fits = call.terms.bv_ule(term, room);
    match call.machine.decide(call.terms, call.state, fits)? {
        true => call
            .machine
            .fixed(call.terms, call.state, Value::Symbolic(term)),
        false => call.machine.ask(call.terms, call.state, Ask::Witness(term)),
    }
}

/// An argument as the place of so many bytes. What misses an object is one path; within one, each place is.
fn place(call: &mut Call<'_>, index: usize, bytes: u64, write: bool) -> Result<u64, Halt> {
    let address = match call.arg(index) {
        Value::Concrete(address) => return Ok(address),
        Value::Symbolic(term) => call.machine.widen(call.terms, term, 64),
    };
    let (machine, terms) = (&mut *call.machine, &mut *call.terms);
    let (base, offset) = machine.resolve(terms, call.state, address, bytes, write)?;
    let offset = machine.value_of(terms, offset);
    Ok(base + machine.fixed(call.terms, call.state, offset)?)
}

/// Whether the third argument is zero: then the pointers, which come first, do not matter. If those are numbers, it need
/// not be known.
fn is_nothing(call: &mut Call<'_>, pointers: usize) -> Result<bool, Halt> {
    let is_symbolic = |index| matches!(call.arg(index), Value::Symbolic(_));
    let has_symbolic_place = (0..pointers).any(is_symbolic);
    match call.arg(2) {
        Value::Concrete(len) => Ok(len == 0),
        Value::Symbolic(term) if has_symbolic_place => {
            let term = call.machine.widen(call.terms, term, 64);
            let zero = call.terms.bv(64, 0);
            let is_zero = call.terms.eq(term, zero);
            call.machine.decide(call.terms, call.state, is_zero)
        }
        Value::Symbolic(_) => Ok(false),
    }
}

/// The bytes that an argument says for certain.
fn at_least(call: &Call<'_>, index: usize) -> u64 {
    match call.arg(index) {
        Value::Concrete(len) => len,
        Value::Symbolic(_) => 1,
    }
}

/// How many bytes there are from an address to the end of its object; none at all if it is not in one.
fn room(call: &Call<'_>, address: u64) -> u64 {
    let object = call.state.memory.object_at(address);
    let object = object.filter(|object| object.freed.is_none());
    object.map_or(0, |object| {
        let offset = address.wrapping_sub(object.base);
        object.size.saturating_sub(offset)
    })
}

fn memcpy(call: &mut Call<'_>) -> Result<Flow, Halt> {
    if is_nothing(call, 2)? {
        return Ok(Flow::Return(vec![call.arg(0)]));
    }
    let bytes = at_least(call, 2);
    let (to, from) = (place(call, 0, bytes, true)?, place(call, 1, bytes, false)?);
    let most = room(call, to).min(room(call, from));
    let len = length(call, 2, most)?;
    if len == 0 {
        return Ok(Flow::value(to));
    }
    if len > MOST_BYTES {
        return Err(call.error(
            ErrorKind::OutOfBoundsWrite,
            format!("a copy of {len} bytes"),
        ));
    }
    if let Err(fault) = call.state.memory.copy(call.terms, to, from, len) {
        // Which side is at fault, the address says.
        let write = !call.state.memory.contains(to, len);
        return Err(call.fault(fault, len, write));
    }
    Ok(Flow::value(to))
}

/// `llvm.load.relative`: a base and a 32-bit distance read from a table, where objects lie further apart than that.
fn load_relative(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (base, offset) = (call.number(0)?, call.arg(1));
    let place = call.machine.sum(call.terms, Value::Concrete(base), offset);
    let distance = call.machine.read(call.terms, call.state, place, 4)?;
    let distance = call.machine.fixed(call.terms, call.state, distance)? as i32;
    let sum = base.wrapping_add(distance as i64 as u64);
    Ok(Flow::value(call.machine.linked.distant(sum)))
}

fn memset(call: &mut Call<'_>) -> Result<Flow, Halt> {
    if is_nothing(call, 1)? {
        return Ok(Flow::Return(vec![call.arg(0)]));
    }
    let bytes = at_least(call, 2);
    let to = place(call, 0, bytes, true)?;
    let most = room(call, to);
    let len = length(call, 2, most)?;
    if len == 0 {
        return Ok(Flow::value(to));
    }
    let byte = match call.arg(1) {
        Value::Concrete(byte) => Value::Concrete(byte & 0xff),
        symbolic => {
            // Exactly eight bits: a condition, say, is narrower.
            let byte = call.machine.term(call.terms, symbolic, 8);
            call.machine.value_of(call.terms, byte)
        }
    };
    if len > MOST_BYTES {
        return Err(call.error(ErrorKind::OutOfBoundsWrite, format!("setting {len} bytes")));
    }
    fill(call, to, byte, len)?;
    Ok(Flow::value(to))
}
