//! Files and descriptors, as the program calls them; [`super::file_system`] is what they do.

mod copying;
mod directories;
mod elsewhere;
mod mapping;
mod names;
mod open;
mod path;
mod ready;
mod status;
mod system;
mod transfer;

use std::rc::Rc;

use self::path::{Path, Want};
use super::file_system::{Content, FileSystem, Time};
use super::kernel::{LOOK, Sleeps};
use super::{Call, Flow, Host, NativeFn, errno};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLES: &[&[(&str, NativeFn)]] = &[
    copying::TABLE,
    directories::TABLE,
    elsewhere::TABLE,
    mapping::TABLE,
    names::TABLE,
    open::TABLE,
    ready::TABLE,
    status::TABLE,
    system::TABLE,
    transfer::TABLE,
];

/// No call reads or writes more at once.
const MOST_BYTES: u64 = 0x7fff_f000;

impl Call<'_> {
    pub(super) fn files(&mut self) -> &mut FileSystem {
        Rc::make_mut(&mut self.state.world.files)
    }

    /// Does something with files, now. What memory shares with them is the same before and after.
    fn act<T>(
        &mut self,
        action: impl FnOnce(&mut FileSystem, &mut dyn Host) -> Result<T, i32>,
    ) -> Result<Result<T, i32>, Halt> {
        let is_mapped = self.files().has_mappings();
        if is_mapped {
            self.write_mapped()?;
        }
        let now = Time::after_start(self.state.world.clock);
        let files = Rc::make_mut(&mut self.state.world.files);
        files.now = now;
        let result = action(files, &mut *self.machine.host);
        if std::mem::take(&mut self.files().has_stamped) {
            self.state.world.pass(LOOK);
            self.state.world.sleeps = Sleeps::default();
            if is_mapped {
                self.read_mapped()?;
            }
        }
        match result {
            Err(errno::WAITS_FOR_EVER) => {
                let what = format!(
                    "a call of {} that waits for what only the program itself could do",
                    self.name
                );
                Err(self.unsupported(what))
            }
            result => Ok(result),
        }
    }

    /// The same with a path.
    fn act_on<T>(
        &mut self,
        path: Path,
        action: impl FnOnce(&mut FileSystem, (i32, &[u8]), &mut dyn Host) -> Result<T, i32>,
    ) -> Result<Result<T, i32>, Halt> {
        let (at, path) = path;
        self.act(|files, host| action(files, (at, &path), host))
    }

    /// Bytes of memory as they are.
    pub(super) fn gather(&mut self, address: u64, len: u64) -> Result<Content, Halt> {
        let mut content = Content::default();
        let concrete = self
            .state
            .memory
            .concrete_bytes(address, len, &mut content.bytes)
            .map_err(|fault| self.fault(fault, len, false))?;
        if !concrete {
            content.bytes.clear();
            for offset in 0..len {
                let at = Value::Concrete(address + offset);
                content.push(self.machine.read(self.terms, self.state, at, 1)?);
            }
        }
        Ok(content)
    }

    /// Puts bytes into memory as they are.
    pub(super) fn scatter(&mut self, address: u64, content: &Content) -> Result<(), Halt> {
        self.write_bytes(address, &content.bytes)?;
        for (&offset, &term) in &content.terms {
            let at = Value::Concrete(address + offset as u64);
            let value = Value::Symbolic(term);
            self.machine.write(self.terms, self.state, at, 1, value)?;
        }
        Ok(())
    }

    fn settle_nothing(&mut self, result: Result<(), i32>) -> Result<Flow, Halt> {
        Ok(self.settle(result.map(|()| 0)))
    }

    fn settle_descriptor(&mut self, result: Result<i32, i32>) -> Result<Flow, Halt> {
        Ok(self.settle(result.map(|descriptor| descriptor as u64)))
    }

    fn words_at(&mut self, address: u64, count: usize) -> Result<Vec<u64>, Halt> {
        let bytes = self.bytes(address, 8 * count as u64)?;
        let word = |chunk: &[u8]| {
            chunk
                .iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        };
        Ok(bytes.chunks(8).map(word).collect())
    }

    /// Hands text to the program: into its buffer, or a new one where it has none.
    fn give_text(&mut self, buffer: u64, text: &[u8]) -> Result<Flow, Halt> {
        let mut text = text.to_vec();
        text.push(0);
        let to = match buffer {
            0 => self.allocate(text.len() as u64, 16),
            _ => buffer,
        };
        if to == 0 {
            return Ok(self.settle_pointer(Err(errno::ENOMEM)));
        }
        self.write_bytes(to, &text)?;
        Ok(Flow::value(to))
    }
}

/// Little-endian words, as a structure of C has them.
#[derive(Default)]
struct Layout(Vec<u8>);

impl Layout {
    fn u16(mut self, value: u16) -> Layout {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn u32(mut self, value: u32) -> Layout {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Layout {
        self.0.extend(value.to_le_bytes());
        self
    }
}

/// What cannot be passed by a call that does nothing but look whether a descriptor is open.
fn check_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| ());
    call.settle_nothing(known)
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}
