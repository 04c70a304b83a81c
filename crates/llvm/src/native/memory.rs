//! Memory: the heap, and moving bytes.

use super::{Call, Flow, NativeFn};
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

/// More than this cannot be had, as on a machine with that much memory.
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

fn malloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let size = call.number(0)?;
    Ok(Flow::value(call.allocate(size, 16)))
}

fn calloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (count, size) = (call.number(0)?, call.number(1)?);
    let Some(bytes) = count.checked_mul(size) else {
        return Ok(Flow::value(0));
    };
    let address = call.allocate(bytes, 16);
    if address != 0 && call.machine.linked.options.check_uninitialised {
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

fn resize(call: &mut Call<'_>, old: u64, size: u64) -> Result<Flow, Halt> {
    if old == 0 {
        return Ok(Flow::value(call.allocate(size, 16)));
    }
    let object = call.state.memory.object_at(old);
    let Some(object) = object.filter(|object| {
        object.base == old && object.freed.is_none() && object.origin.kind == Kind::Heap
    }) else {
        // As `free` would say.
        call.release(old)?;
        return Ok(Flow::value(0));
    };
    if size == 0 {
        call.release(old)?;
        return Ok(Flow::value(0));
    }
    let new = call.allocate(size, 16);
    if new == 0 {
        return Ok(Flow::value(0));
    }
    let kept = object.size.min(size);
    call.state
        .memory
        .copy(call.terms, new, old, kept)
        .map_err(|fault| call.machine.fault(call.state, fault, kept, false))?;
    call.release(old)?;
    Ok(Flow::value(new))
}

fn realloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (old, size) = (call.number(0)?, call.number(1)?);
    resize(call, old, size)
}

fn reallocarray(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (old, count, size) = (call.number(0)?, call.number(1)?, call.number(2)?);
    match count.checked_mul(size) {
        Some(bytes) => resize(call, old, bytes),
        None => Ok(Flow::value(0)),
    }
}

fn free(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let address = call.number(0)?;
    call.release(address)?;
    Ok(Flow::void())
}

fn aligned_alloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (align, size) = (call.number(0)?, call.number(1)?);
    if !align.is_power_of_two() {
        return Ok(Flow::value(0));
    }
    Ok(Flow::value(call.allocate(size, align)))
}

fn valloc(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let size = call.number(0)?;
    Ok(Flow::value(call.allocate(size, 4096)))
}

fn posix_memalign(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const EINVAL: u64 = 22;
    const ENOMEM: u64 = 12;
    // All is known before anything is allocated.
    let (place, align, size) = (call.number(0)?, call.number(1)?, call.number(2)?);
    if !align.is_power_of_two() || align < 8 {
        return Ok(Flow::value(EINVAL));
    }
    let address = call.allocate(size, align);
    if address == 0 {
        return Ok(Flow::value(ENOMEM));
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

fn memcpy(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let len = call.number(2)?;
    if len == 0 {
        return Ok(Flow::Return(vec![call.arg(0)]));
    }
    let (to, from) = (call.number(0)?, call.number(1)?);
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
    let distance = call.machine.fixed(call.state, distance)? as i32;
    let sum = base.wrapping_add(distance as i64 as u64);
    Ok(Flow::value(call.machine.linked.distant(sum)))
}

fn memset(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let len = call.number(2)?;
    if len == 0 {
        return Ok(Flow::Return(vec![call.arg(0)]));
    }
    let to = call.number(0)?;
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
