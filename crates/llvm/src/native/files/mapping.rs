//! Memory from the kernel: pages of zeros, and files in memory.

use super::MOST_BYTES as MOST_FILE_BYTES;
use crate::machine::Halt;
use crate::memory::{Kind, Origin};
use crate::native::file_system::{Content, Mapping};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("mmap", map),
    ("mmap64", map),
    ("munmap", unmap),
    ("mremap", remap),
    ("mprotect", zero),
    ("madvise", zero),
    ("posix_madvise", zero),
    ("msync", synchronise),
    ("mlock", zero),
    ("munlock", zero),
    ("mlockall", zero),
    ("munlockall", zero),
    ("mincore", unavailable),
];

const PAGE: u64 = 4096;
const MOST_BYTES: u64 = 1 << 40;

impl Call<'_> {
    /// What the program has stored into memory that it shares with files goes into these.
    pub(super) fn write_mapped(&mut self) -> Result<(), Halt> {
        let written = |mapping: &&Mapping| mapping.writes;
        let mappings: Vec<Mapping> = { self.files().mappings().iter() }
            .filter(written)
            .copied()
            .collect();
        for mapping in mappings {
            let len = self.files().mapped_bytes(&mapping).len() as u64;
            let content = self.gather(mapping.address, len)?;
            self.files().take_mapped(&mapping, &content);
        }
        Ok(())
    }

    /// What is in files goes into the memory that the program shares with them.
    pub(super) fn read_mapped(&mut self) -> Result<(), Halt> {
        for mapping in self.files().mappings().to_vec() {
            let content = self.files().mapped_bytes(&mapping);
            self.scatter(mapping.address, &content)?;
        }
        Ok(())
    }
}

fn zero(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(0))
}

fn unavailable(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::ENOSYS))
}

/// New pages of zeros. They are not the heap's: `free` does not take them.
fn pages(call: &mut Call<'_>, len: u64) -> Option<u64> {
    let len = len
        .checked_next_multiple_of(PAGE)
        .filter(|&len| len > 0 && len <= MOST_BYTES)?;
    let origin = Origin {
        kind: Kind::Runtime,
        name: call.machine.linked.intern("mmap"),
        site: call.state.site(),
    };
    call.state.memory.allocate(len, PAGE, origin)
}

fn map(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const WRITE: i32 = 2;
    const SHARED: i32 = 1;
    const KINDS: i32 = 3;
    const FIXED: i32 = 0x10_0010;
    const ANONYMOUS: i32 = 0x20;
    let (len, protection, flags) = (call.number(1)?, call.int(2)?, call.int(3)?);
    let (descriptor, offset) = (call.int(4)?, call.number(5)?);
    if len == 0 || flags & KINDS == 0 || offset % PAGE != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    if flags & FIXED != 0 {
        return Err(call.unsupported("memory at an address that the program chooses (MAP_FIXED)"));
    }
    let (shared, writes) = (flags & SHARED != 0, protection & WRITE != 0);
    let mut content = Content::default();
    let is_file = flags & ANONYMOUS == 0;
    if is_file {
        if shared {
            match call.files().shared_mapping(descriptor, len, offset) {
                Err(errno::ENOTSUP) => {
                    let what = "two shared mappings of one file that overlap in part (mmap)";
                    return Err(call.unsupported(what));
                }
                Err(error) => return Ok(call.fail(error)),
                Ok(Some(mapping)) if mapping.offset != offset => {
                    let what = "two shared mappings of one file at different places (mmap)";
                    return Err(call.unsupported(what));
                }
                Ok(Some(mapping)) => {
                    mapping.times += 1;
                    mapping.writes |= writes;
                    let address = mapping.address;
                    return Ok(Flow::value(address));
                }
                Ok(None) => {}
            }
        }
        let most = len.min(MOST_FILE_BYTES);
        let mapped =
            call.act(|files, _| files.mapped(descriptor, most, offset, (shared, writes)))?;
        content = match mapped {
            Ok(content) => content,
            Err(error) => return Ok(call.fail(error)),
        };
    }
    let Some(address) = pages(call, len) else {
        return Ok(call.fail(errno::ENOMEM));
    };
    call.scatter(address, &content)?;
    if is_file && shared {
        let part = (len, offset);
        if let Err(error) = call.files().add_mapping(descriptor, address, part, writes) {
            return Ok(call.fail(error));
        }
    }
    Ok(Flow::value(address))
}

/// The size of a mapping that begins at an address.
fn mapping(call: &Call<'_>, address: u64) -> Option<u64> {
    let object = call.state.memory.object_at(address)?;
    let is_mapping =
        object.base == address && object.freed.is_none() && object.origin.kind == Kind::Runtime;
    is_mapping.then_some(object.size)
}

/// A part of a mapping stays until all of it goes.
fn unmap(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (address, len) = (call.number(0)?, call.number(1)?);
    if address % PAGE != 0 || len == 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    if mapping(call, address).is_some_and(|size| size <= len.saturating_add(PAGE - 1)) {
        call.write_mapped()?;
        if call.files().remove_mapping(address) {
            let site = call.state.site();
            call.state.memory.release(address, site);
        }
    }
    Ok(call.signed(0))
}

fn synchronise(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let address = call.number(0)?;
    if address % PAGE != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let done = call.act(|_, _| Ok(0))?;
    Ok(call.settle(done))
}

fn remap(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const MAY_MOVE: i32 = 1;
    let (old, len, flags) = (call.number(0)?, call.number(2)?, call.int(3)?);
    let Some(size) = mapping(call, old) else {
        return Ok(call.fail(errno::EINVAL));
    };
    let is_shared = { call.files().mappings().iter() }.any(|mapping| mapping.address == old);
    if is_shared {
        return Err(call.unsupported("a shared mapping of a file that changes its size (mremap)"));
    }
    if len <= size && len > 0 {
        return Ok(Flow::value(old));
    }
    if flags & MAY_MOVE == 0 {
        return Ok(call.fail(errno::ENOMEM));
    }
    let Some(new) = pages(call, len) else {
        return Ok(call.fail(errno::ENOMEM));
    };
    call.state
        .memory
        .copy(call.terms, new, old, size)
        .map_err(|fault| call.machine.fault(call.state, fault, size, false))?;
    let site = call.state.site();
    call.state.memory.release(old, site);
    Ok(Flow::value(new))
}
