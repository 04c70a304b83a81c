//! The arguments of a formatted call: passed one by one, or as a `va_list`.

use super::load;
use crate::machine::{ErrorKind, Halt};
use crate::memory::Value;
use crate::native::Call;
use crate::native::format::Kind;

/// Where the format and its arguments are.
#[derive(Clone, Copy)]
pub(super) struct Given {
    /// The index of the format among the arguments; what it formats follows.
    pub(super) format: usize,
    /// What follows is a `va_list`.
    pub(super) list: bool,
    /// The format is made of wide characters, and so is what it makes.
    pub(super) is_wide: bool,
}

impl Given {
    pub(super) fn passed(format: usize) -> Given {
        Given {
            format,
            list: false,
            is_wide: false,
        }
    }

    pub(super) fn list(format: usize) -> Given {
        Given {
            list: true,
            ..Given::passed(format)
        }
    }

    pub(super) fn wide(self) -> Given {
        Given {
            is_wide: true,
            ..self
        }
    }
}

/// One argument as it was passed.
#[derive(Clone, Copy)]
pub(super) struct Passed {
    pub(super) low: Value,
    pub(super) high: Value,
}

/// A `va_list` of which arguments are taken.
pub(super) struct List {
    address: u64,
    general: u64,
    floating: u64,
    overflow: u64,
    save: u64,
}

impl List {
    /// Bytes of the areas for registers.
    pub(super) const GENERAL_END: u64 = 48;
    pub(super) const FLOATING_END: u64 = 176;

    fn open(call: &mut Call<'_>, address: u64) -> Result<List, Halt> {
        Ok(List {
            address,
            general: load(call, address, 4)?,
            floating: load(call, address + 4, 4)?,
            overflow: load(call, address + 8, 8)?,
            save: load(call, address + 16, 8)?,
        })
    }

    /// Where the next argument of a kind lies.
    fn next(&mut self, kind: Kind) -> u64 {
        let place = match kind {
            Kind::Int | Kind::Long if self.general < Self::GENERAL_END => {
                self.general += 8;
                return self.save.wrapping_add(self.general - 8);
            }
            Kind::Double if self.floating < Self::FLOATING_END => {
                self.floating += 16;
                return self.save.wrapping_add(self.floating - 16);
            }
            Kind::LongDouble => self.overflow.next_multiple_of(16),
            _ => self.overflow,
        };
        let bytes = if kind == Kind::LongDouble { 16 } else { 8 };
        self.overflow = place.wrapping_add(bytes);
        place
    }

    /// Tells the program what was taken.
    pub(super) fn close(&self, call: &mut Call<'_>) -> Result<(), Halt> {
        let mut bytes = (self.general as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&(self.floating as u32).to_le_bytes());
        bytes.extend_from_slice(&self.overflow.to_le_bytes());
        call.write_bytes(self.address, &bytes)
    }
}

/// Takes the arguments of these kinds.
pub(super) fn take(
    call: &mut Call<'_>,
    given: Given,
    kinds: &[Kind],
) -> Result<(Vec<Passed>, Option<List>), Halt> {
    let first = given.format + 1;
    let mut passed = Vec::with_capacity(kinds.len());
    if !given.list {
        for index in 0..kinds.len() {
            let words = call.words(first + index);
            let Some(&low) = words.first() else {
                let message = format!(
                    "{} is to format {} arguments and is given {index}",
                    call.name,
                    kinds.len()
                );
                return Err(call.error(ErrorKind::OutOfBoundsRead, message));
            };
            let high = words.get(1).copied().unwrap_or(Value::Concrete(0));
            passed.push(Passed { low, high });
        }
        return Ok((passed, None));
    }
    let address = call.number(first)?;
    let mut list = List::open(call, address)?;
    for &kind in kinds {
        let place = list.next(kind);
        let bytes = if kind == Kind::Int { 4 } else { 8 };
        let low = call
            .machine
            .read(call.terms, call.state, Value::Concrete(place), bytes)?;
        let mut high = Value::Concrete(0);
        if kind == Kind::LongDouble {
            high = call
                .machine
                .read(call.terms, call.state, Value::Concrete(place + 8), 2)?;
        }
        passed.push(Passed { low, high });
    }
    Ok((passed, Some(list)))
}
