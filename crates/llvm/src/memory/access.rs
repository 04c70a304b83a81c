//! Loads and stores at concrete addresses, for whatever the translation cache does not know.

use super::body::Body;
use super::data::{Data, PAGE};
use super::overlay::Cell;
use super::report::Fault;
use super::table::{Entry, State};
use super::tlb::{self, PAGE as MAPPED};
use super::{Memory, Value, image, space};
use refrain_term::{Term, Terms};
use std::rc::Rc;

impl Memory {
    /// The object and the offset of an access in bounds.
    #[inline]
    pub(super) fn check(&self, address: u64, bytes: u64) -> Result<(u32, u64), Fault> {
        if let Some((id, entry)) = self.find(address) {
            let offset = address.wrapping_sub(entry.base(id));
            if entry.state == State::Live && offset <= entry.size && entry.size - offset >= bytes {
                return Ok((id, offset));
            }
        }
        Err(self.fault(address, bytes))
    }

    #[inline]
    pub(super) fn check_write(&self, address: u64, bytes: u64) -> Result<(u32, u64), Fault> {
        let (id, offset) = self.check(address, bytes)?;
        let entry = self.table.entry(id);
        if entry.read_only {
            return Err(Fault::ReadOnly {
                address,
                object: entry.info(id),
            });
        }
        if self.held >= self.options.resident {
            return Err(Fault::Exhausted { address });
        }
        Ok((id, offset))
    }

    /// Whether so many bytes more are too many.
    #[inline]
    pub(super) fn is_exhausted_by(&self, bytes: u64) -> bool {
        self.held.saturating_add(bytes) > self.options.resident
    }

    /// What is wrong with an access.
    #[cold]
    #[inline(never)]
    fn fault(&self, address: u64, bytes: u64) -> Fault {
        let beside = |&(id, entry): &(u32, &Entry)| {
            let past = address.wrapping_sub(entry.base(id) + entry.size);
            past < MAPPED
        };
        let beside_fixed = self.table.fixed().find(beside);
        if let Some((id, entry)) = beside_fixed.or_else(|| self.find(address)) {
            let object = entry.info(id);
            return match entry.state {
                State::Freed => Fault::UseAfterFree { address, object },
                _ => Fault::OutOfBounds {
                    address,
                    bytes,
                    object,
                },
            };
        }
        if address < space::SLOT {
            return Fault::Null { address };
        }
        if space::is_code(address) {
            return Fault::Function { address };
        }
        // Used slots are together: behind them, the last object is the nearest. Far away no object is to blame.
        let distance = (address >> space::SLOT_BITS).saturating_sub(self.fresh as u64);
        let last = (self.fresh as u64 - 1) << space::SLOT_BITS;
        let nearest = self.find(last).filter(|_| distance < 256);
        Fault::Wild {
            address,
            nearest: nearest.map(|(id, entry)| entry.info(id)),
        }
    }

    /// The contents of an object, unshared in a range so that they can be written. Forgets the image.
    pub(super) fn prepare(&mut self, id: u32, offset: u64, len: u64) -> &mut Body {
        let entry = self.table.entry_mut(id);
        let (base, size) = (entry.base(id), entry.size);
        let body = entry.body.as_mut().expect("a live object with bytes");
        if Rc::get_mut(body).is_none() {
            if matches!(body.data, Data::Flat(_)) {
                self.tlb.flush(base, size, true);
                self.own += size;
            }
            *body = Rc::new((**body).clone());
        }
        let body = Rc::get_mut(body).expect("just copied");
        body.image.clear();
        if len > 0 {
            let (tlb, own) = (&mut self.tlb, &mut self.own);
            let new = body.data.unshare(offset, len, |page| {
                *own += PAGE;
                tlb.flush(base + page, PAGE, true)
            });
            self.held += new * PAGE;
        }
        body
    }

    /// Enters the page of an address in bounds into the translation cache. For writes, the page must have been
    /// prepared, and its object must not be read-only.
    #[inline]
    pub(super) fn map(&mut self, id: u32, address: u64, write: bool) {
        let entry = self.table.entry(id);
        let base = entry.base(id);
        let page = address & !(MAPPED - 1);
        let mut low = page.max(base) - base;
        let mut high = (page + MAPPED - base).min(entry.size);
        let body = entry.body();
        if let Data::Paged { .. } = body.data {
            // A fixed object may start anywhere in a page of addresses.
            let of_data = (address - base) / PAGE * PAGE;
            (low, high) = (low.max(of_data), high.min(of_data + PAGE));
        }
        let Some((low, high)) = body.plain_run(address - base, low, high) else {
            return;
        };
        let (start, len) = (base + low, high - low);
        match body.data.host(low) {
            // SAFETY: the run is concrete and initialised, and in one page of the data. The caller has prepared it for
            // writes: it is unshared, without an image.
            Some(host) => unsafe {
                if write {
                    self.tlb.map_write(start, host, len);
                } else {
                    self.tlb.map_read(start, host, len);
                }
            },
            // SAFETY: the page of zeros is as long as any run, and stays.
            None => unsafe { self.tlb.map_read(start, tlb::zero_page(), len) },
        }
    }

    /// Loads an integer of 1 to 8 bytes (or a symbolic value of any width).
    #[inline(never)]
    pub fn load(&mut self, terms: &mut Terms, address: u64, bytes: u32) -> Result<Value, Fault> {
        let (id, offset) = self.check(address, bytes as u64)?;
        if self.has_gap(id, offset, offset + bytes as u64) {
            self.mark_gaps(terms, id, offset, offset + bytes as u64);
        }
        let entry = self.table.entry(id);
        let body = entry.body();
        let value = if bytes <= 8 && body.overlay.is_none() {
            Value::Concrete(body.data.read(offset, bytes as u64))
        } else {
            assemble(terms, body, entry.size, offset, bytes)
        };
        self.map(id, address, false);
        Ok(value)
    }

    /// Stores an integer of 1 to 8 bytes (or a symbolic value of any width).
    #[inline(never)]
    pub fn store(
        &mut self,
        terms: &mut Terms,
        address: u64,
        bytes: u32,
        value: Value,
    ) -> Result<(), Fault> {
        let (id, offset) = self.check_write(address, bytes as u64)?;
        let (len, end) = (bytes as u64, offset + bytes as u64);
        match value {
            Value::Symbolic(term) if terms.small_value(term).is_none() => {
                debug_assert_eq!(terms.width(term), 8 * bytes);
                self.tlb.flush(address, len, true);
                let size = self.table.entry(id).size;
                let body = self.prepare(id, offset, 0);
                body.fill_gaps(offset, end);
                let overlay = body.overlay_mut(terms, size);
                overlay.set_parts(offset, len, term, 0);
                overlay.drop_covered_base();
            }
            value => {
                let value = match value {
                    Value::Concrete(value) => value,
                    Value::Symbolic(term) => terms.small_value(term).expect("a constant"),
                };
                let word = value.to_le_bytes();
                let body = self.prepare(id, offset, len);
                body.data
                    .write(offset, &word[..word.len().min(bytes as usize)]);
                for at in 8..len {
                    body.data.write(offset + at, &[0]);
                }
                body.settle(offset, end);
                self.map(id, address, true);
            }
        }
        Ok(())
    }
}

/// The value of so many bytes of an object that may be symbolic.
pub(super) fn assemble(
    terms: &mut Terms,
    body: &Body,
    size: u64,
    offset: u64,
    bytes: u32,
) -> Value {
    let end = offset + bytes as u64;
    if bytes <= 8 && body.first_symbolic(offset, end).is_none() {
        return Value::Concrete(body.data.read(offset, bytes as u64));
    }
    let overlay = body.overlay(terms);
    let cell = |at: u64| overlay.map_or(Cell::Below, |overlay| overlay.get(at));
    let base = overlay.and_then(|overlay| overlay.base);
    let mut result: Option<Term> = None;
    let mut at = offset;
    while at < end {
        let first = cell(at);
        let mut next = at + 1;
        let piece = match (first, base) {
            (Cell::Part { term, index }, _) => {
                // Neighbouring bytes of one term are cut out together.
                while next < end
                    && cell(next)
                        == (Cell::Part {
                            term,
                            index: index + (next - at) as u16,
                        })
                {
                    next += 1;
                }
                let low = 8 * index as u32;
                terms.extract(term, low + 8 * (next - at) as u32 - 1, low)
            }
            (Cell::Below, Some(array)) => {
                let index = terms.bv(image::index_width(size), at);
                terms.select(array, index)
            }
            _ => {
                while next < end && next - at < 8 && cell(next) == first {
                    next += 1;
                }
                terms.bv(8 * (next - at) as u32, body.data.read(at, next - at))
            }
        };
        result = Some(match result {
            Some(low) => terms.concat(piece, low),
            None => piece,
        });
        at = next;
    }
    Value::of(terms, result.expect("at least one byte"))
}
