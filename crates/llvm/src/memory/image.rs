//! Symbolic offsets: the contents of an object as an array term.
//!
//! Concrete bytes become one table over an array of zeros, symbolic bytes stores on top of it. The array is kept
//! until the next write. What nothing has written is a marker (`marker`): the array under the table. A write at a symbolic offset makes an array the contents of the object; what is written at
//! concrete offsets afterwards lies over it. Bounds are the caller's: it has the path condition.

use super::access::assemble;
use super::body::Body;
use super::overlay::{Cell, Overlay};
use super::{Memory, Value};
use refrain_term::{Bv, Term, Terms};

/// More concrete bytes over an array than this become a table instead of stores.
const STORES: usize = 32;

/// The width of indices into an object of this size.
pub(super) fn index_width(size: u64) -> u32 {
    (u64::BITS - size.saturating_sub(1).leading_zeros()).max(1)
}

/// The array that a body's bytes form; where nothing was written it is `unwritten`.
fn image(terms: &mut Terms, body: &Body, size: u64, unwritten: Option<Term>) -> Term {
    if let Some(image) = body.image.get(terms) {
        return image;
    }
    let width = index_width(size);
    let cell = |at: u64, byte: u8| (Bv::new(width, at), Bv::new(8, byte as u64));
    let overlay = body.overlay(terms);
    let mut cells = Vec::new();
    let is_below = |at: u64| overlay.is_none_or(|overlay| overlay.get(at) == Cell::Below);
    let base = overlay.and_then(|overlay| overlay.base);
    let mut array = match base.or(unwritten) {
        Some(array) if base.is_some() => {
            let overlay = overlay.expect("it has the base");
            overlay.for_each_set(0, size, |at, state| {
                if state == Cell::Buffer {
                    cells.push(cell(at, body.data.read(at, 1) as u8));
                }
            });
            array
        }
        Some(array) => {
            for at in body.written(size).filter(|&at| is_below(at)) {
                cells.push(cell(at, body.data.read(at, 1) as u8));
            }
            terms.table(array, std::mem::take(&mut cells))
        }
        None => {
            body.data.for_each_non_zero(size, |at, byte| {
                if is_below(at) {
                    cells.push(cell(at, byte));
                }
            });
            let zero = terms.bv(8, 0);
            let zeros = terms.const_array(width, zero);
            terms.table(zeros, std::mem::take(&mut cells))
        }
    };
    if cells.len() > STORES {
        array = terms.table(array, cells);
    } else {
        for (index, byte) in cells {
            let (index, byte) = (terms.constant(index), terms.constant(byte));
            array = terms.store(array, index, byte);
        }
    }
    let mut parts = Vec::new();
    if let Some(overlay) = overlay {
        overlay.for_each_set(0, size, |at, state| {
            if let Cell::Part { term, index } = state {
                parts.push((at, term, 8 * index as u32));
            }
        });
    }
    for (at, term, low) in parts {
        let byte = terms.extract(term, low + 7, low);
        let index = terms.bv(width, at);
        array = terms.store(array, index, byte);
    }
    body.image.set(terms, array);
    array
}

/// The index of byte `at` after a symbolic offset.
fn index(terms: &mut Terms, offset: Term, width: u32, at: u32) -> Term {
    let low = terms.extract(offset, width - 1, 0);
    if at == 0 {
        return low;
    }
    let step = terms.bv(width, at as u64);
    terms.bv_add(low, step)
}

impl Memory {
    /// The live object at `base` for an access at a symbolic offset.
    fn indexed(&self, base: u64) -> (u32, u64) {
        let (id, _) = self.check(base, 1).expect("a live object with bytes");
        (id, self.table.entry(id).size)
    }

    /// The contents of the object at `base` as an array of bytes.
    pub fn contents(&mut self, terms: &mut Terms, base: u64) -> Term {
        let (id, size) = self.indexed(base);
        let unwritten = self.mark_contents(terms, id, index_width(size));
        let entry = self.table.entry(id);
        // The next write must be noticed.
        self.tlb.flush(entry.base(id), size, false);
        image(terms, entry.body(), size, unwritten)
    }

    /// Loads at a 64-bit symbolic offset from the base of an object. The caller has asserted that it is in bounds.
    pub fn load_at(&mut self, terms: &mut Terms, base: u64, offset: Term, bytes: u32) -> Term {
        let (id, size) = self.indexed(base);
        if let Some(at) = terms.small_value(offset)
            && at <= size
            && bytes as u64 <= size - at
        {
            self.mark_gaps(terms, id, at, at + bytes as u64);
            let entry = self.table.entry(id);
            let value = assemble(terms, entry.body(), size, at, bytes);
            return value.term(terms, bytes);
        }
        let array = self.contents(terms, base);
        let width = index_width(size);
        let mut result = None;
        for at in 0..bytes {
            let index = index(terms, offset, width, at);
            let byte = terms.select(array, index);
            result = Some(match result {
                Some(low) => terms.concat(byte, low),
                None => byte,
            });
        }
        result.expect("at least one byte")
    }

    /// Stores at a 64-bit symbolic offset from the base of an object. The caller has asserted that it is in bounds
    /// and that the object may be written.
    pub fn store_at(
        &mut self,
        terms: &mut Terms,
        base: u64,
        offset: Term,
        bytes: u32,
        value: Value,
    ) {
        let (id, size) = self.indexed(base);
        let start = self.table.entry(id).base(id);
        if let Some(at) = terms.small_value(offset)
            && at <= size
            && bytes as u64 <= size - at
        {
            // A fault here is a read-only object, which the caller has excluded.
            let stored = self.store(terms, start + at, bytes, value);
            debug_assert!(stored.is_ok());
            return;
        }
        let mut array = self.contents(terms, base);
        let width = index_width(size);
        let value = value.term(terms, bytes);
        for at in 0..bytes {
            let index = index(terms, offset, width, at);
            let byte = terms.extract(value, 8 * at + 7, 8 * at);
            array = terms.store(array, index, byte);
        }
        self.tlb.flush(start, size, true);
        let body = self.prepare(id, 0, 0);
        // They are in the array.
        body.gaps = None;
        body.overlay = Some(Box::new(Overlay::over(terms, size, array)));
        body.image.set(terms, array);
    }
}
