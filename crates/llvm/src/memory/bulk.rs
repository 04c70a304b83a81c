//! Ranges of bytes: copies, fills, and concrete strings for the runtime.

use super::data::{Data, PAGE};
use super::overlay::Cell;
use super::report::Fault;
use super::{Memory, Value, image};
use refrain_term::{Term, Terms};

/// What a copy moves besides bytes, at offsets from the start of its range.
#[derive(Default)]
struct Special {
    parts: Vec<(u64, Term, u16)>,
    /// Bytes that turned out to be concrete though they were not in the buffer.
    bytes: Vec<(u64, u8)>,
    gaps: Vec<(u64, u64)>,
}

impl Memory {
    /// Copies a range, which may overlap its target, with symbolic bytes and the state of initialisation.
    pub fn copy(&mut self, terms: &mut Terms, to: u64, from: u64, len: u64) -> Result<(), Fault> {
        if len == 0 {
            return Ok(());
        }
        let (source, source_offset) = self.check(from, len)?;
        let (target, offset) = self.check_write(to, len)?;
        let body = self.table.entry(source).body();
        if matches!(self.table.entry(target).body().data, Data::Paged { .. }) {
            // What does not exist in another object will not exist in the copy.
            let copied = match source == target {
                true => len,
                false => body.data.resident(source_offset, len),
            };
            if self.is_exhausted_by(copied) {
                return Err(Fault::Exhausted { address: to });
            }
        }
        let special = (!body.is_plain()).then(|| self.special(terms, source, source_offset, len));
        self.copy_bytes((target, offset), (source, source_offset), len);
        let size = self.table.entry(target).size;
        let body = self.prepare(target, offset, 0);
        if !body.is_plain() {
            body.settle(offset, offset + len);
        }
        let Some(special) = special else {
            return Ok(());
        };
        for &(at, byte) in &special.bytes {
            let body = self.prepare(target, offset + at, 1);
            body.data.write(offset + at, &[byte]);
        }
        self.tlb.flush(to, len, true);
        let body = self.prepare(target, offset, 0);
        if !special.parts.is_empty() {
            let overlay = body.overlay_mut(terms, size);
            for &(at, term, index) in &special.parts {
                overlay.set_parts(offset + at, 1, term, index);
            }
            overlay.drop_covered_base();
        }
        if !special.gaps.is_empty() {
            let gaps = body.gaps.get_or_insert_default();
            for &(start, end) in &special.gaps {
                gaps.insert(offset + start, offset + end);
            }
        }
        Ok(())
    }

    fn special(&self, terms: &mut Terms, id: u32, from: u64, len: u64) -> Special {
        let entry = self.table.entry(id);
        let body = entry.body();
        let mut special = Special::default();
        let to = from + len;
        if let Some(overlay) = body.overlay(terms) {
            if let Some(array) = overlay.base {
                let width = image::index_width(entry.size);
                for at in from..to {
                    match overlay.get(at) {
                        Cell::Buffer => {}
                        Cell::Part { term, index } => special.parts.push((at - from, term, index)),
                        Cell::Below => {
                            let index = terms.bv(width, at);
                            let byte = terms.select(array, index);
                            match terms.small_value(byte) {
                                Some(value) => special.bytes.push((at - from, value as u8)),
                                None => special.parts.push((at - from, byte, 0)),
                            }
                        }
                    }
                }
            } else {
                overlay.for_each_set(from, to, |at, cell| {
                    if let Cell::Part { term, index } = cell {
                        special.parts.push((at - from, term, index));
                    }
                });
            }
        }
        if let Some(gaps) = &body.gaps {
            let mut at = from;
            while let Some((start, end)) = gaps.first(at, to) {
                special.gaps.push((start - from, end - from));
                at = end;
            }
        }
        special
    }

    /// Moves what is in the buffers.
    fn copy_bytes(&mut self, (target, to): (u32, u64), (source, from): (u32, u64), len: u64) {
        if target != source {
            // Held by a second owner for the moment, so that the table can be written meanwhile.
            let source = self.table.entry(source).body().clone();
            let mut done = 0;
            while done < len {
                let left = (len - done).min(PAGE - (to + done) % PAGE);
                let (step, bytes) = source.data.segment(from + done, left);
                match bytes {
                    Some(bytes) => {
                        let body = self.prepare(target, to + done, step);
                        body.data.write(to + done, bytes);
                    }
                    None => self.fill_bytes(target, to + done, 0, step),
                }
                done += step;
            }
            return;
        }
        if let Data::Flat(buffer) = &mut self.prepare(target, to, 0).data {
            let from = from as usize;
            buffer
                .bytes_mut()
                .copy_within(from..from + len as usize, to as usize);
            return;
        }
        // In pieces through a buffer, from the end that does not overwrite what is still to be read.
        let mut piece = std::mem::take(&mut self.scratch);
        let mut done = 0;
        while done < len {
            let step = (len - done).min(PAGE);
            let at = if to > from { len - done - step } else { done };
            piece.resize(step as usize, 0);
            let body = self.prepare(target, to + at, step);
            body.data.read_into(from + at, &mut piece);
            body.data.write(to + at, &piece);
            done += step;
        }
        self.scratch = piece;
    }

    /// Fills what is in the buffers. Pages that become all zero are let go.
    fn fill_bytes(&mut self, id: u32, offset: u64, byte: u8, len: u64) {
        let flat = matches!(self.table.entry(id).body().data, Data::Flat(_));
        if flat {
            let body = self.prepare(id, offset, len);
            body.data.segment_mut(offset, len).fill(byte);
            return;
        }
        let base = self.table.entry(id).base(id);
        let mut done = 0;
        while done < len {
            let at = offset + done;
            let step = (len - done).min(PAGE - at % PAGE);
            let absent = self.table.entry(id).body().data.host(at).is_none();
            if byte == 0 && absent {
                // Reads as zero already.
            } else if byte == 0 && step == PAGE {
                self.tlb.flush(base + at, PAGE, true);
                if self.prepare(id, at, 0).data.discard(at) {
                    self.held -= PAGE;
                }
            } else {
                let body = self.prepare(id, at, step);
                body.data.segment_mut(at, step).fill(byte);
            }
            done += step;
        }
    }

    /// Sets every byte of a range.
    pub fn fill(&mut self, terms: &mut Terms, to: u64, byte: Value, len: u64) -> Result<(), Fault> {
        if len == 0 {
            return Ok(());
        }
        let (id, offset) = self.check_write(to, len)?;
        let byte = match byte {
            Value::Symbolic(term) => Value::of(terms, term),
            concrete => concrete,
        };
        let needed = match byte {
            Value::Concrete(0) => 0,
            Value::Concrete(_) => len,
            // A cell for each byte.
            Value::Symbolic(_) => len.saturating_mul(size_of::<Cell>() as u64),
        };
        if len > PAGE && self.is_exhausted_by(needed) {
            return Err(Fault::Exhausted { address: to });
        }
        match byte {
            Value::Concrete(byte) => {
                self.fill_bytes(id, offset, byte as u8, len);
                self.prepare(id, offset, 0).settle(offset, offset + len);
            }
            Value::Symbolic(term) => {
                self.tlb.flush(to, len, true);
                let size = self.table.entry(id).size;
                let body = self.prepare(id, offset, 0);
                body.fill_gaps(offset, offset + len);
                let overlay = body.overlay_mut(terms, size);
                overlay.set_all(offset, offset + len, term);
                overlay.drop_covered_base();
            }
        }
        Ok(())
    }

    /// Appends the bytes of a range; false, and nothing, if one is no number.
    pub fn concrete_bytes(
        &mut self,
        address: u64,
        len: u64,
        out: &mut Vec<u8>,
    ) -> Result<bool, Fault> {
        if len == 0 {
            return Ok(true);
        }
        let (id, offset) = self.check(address, len)?;
        if len > self.options.resident {
            return Err(Fault::Exhausted { address });
        }
        let body = self.table.entry(id).body();
        if body.first_symbolic(offset, offset + len).is_some() {
            return Ok(false);
        }
        let start = out.len();
        out.resize(start + len as usize, 0);
        body.data.read_into(offset, &mut out[start..]);
        Ok(true)
    }

    /// How many bytes come before the first zero byte; `None` if a byte that is no number comes earlier. A string that does
    /// not end in its object is a fault at the object's end.
    pub fn concrete_len_to_nul(&mut self, address: u64) -> Result<Option<u64>, Fault> {
        let (id, offset) = self.check(address, 1)?;
        let entry = self.table.entry(id);
        let (size, body) = (entry.size, entry.body());
        let concrete = body.first_symbolic(offset, size).unwrap_or(size);
        let mut at = offset;
        let mut nul = None;
        while at < concrete && nul.is_none() {
            let (len, bytes) = body.data.segment(at, concrete - at);
            nul = match bytes {
                Some(bytes) => bytes.iter().position(|&byte| byte == 0),
                None => Some(0),
            }
            .map(|i| at + i as u64);
            at += len;
        }
        match nul {
            Some(nul) => Ok(Some(nul - offset)),
            None if concrete < size => Ok(None),
            None => {
                let base = self.table.entry(id).base(id);
                Err(self.check(base + size, 1).expect_err("past the end"))
            }
        }
    }

    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if !bytes.is_empty() {
            let (id, offset) = self.check_write(address, bytes.len() as u64)?;
            self.write_at(id, offset, bytes);
        }
        Ok(())
    }

    /// Sets the contents that an object starts with, also of a read-only one. The range must be in an object.
    pub fn initialise(&mut self, address: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            let (id, offset) = self
                .check(address, bytes.len() as u64)
                .expect("initial contents inside an object");
            self.write_at(id, offset, bytes);
        }
    }

    fn write_at(&mut self, id: u32, offset: u64, bytes: &[u8]) {
        let len = bytes.len() as u64;
        let body = self.prepare(id, offset, len);
        body.data.write(offset, bytes);
        body.settle(offset, offset + len);
    }
}
