//! Symbols in the place of bytes that nothing has written, where those are looked for.
//!
//! A range that was never written is a gap (`gaps`) until something reads it: it then becomes a symbol that stands for
//! no input, and can be told from those that do by its name. So uninitialised bytes go wherever their values go.

use super::Memory;
use super::report::ObjectInfo;
use refrain_term::{Op, Sort, Term, Terms};
use std::rc::Rc;

/// No input is called so.
const PREFIX: &str = "(uninitialised ";

/// Where an uninitialised value comes from: the place that was read, and its object at that time.
#[derive(Clone)]
pub(super) struct Marked {
    address: u64,
    object: ObjectInfo,
}

/// Which marker a term is.
pub fn marker_index(terms: &Terms, term: Term) -> Option<usize> {
    let Op::Var(var) = terms.op(term) else {
        return None;
    };
    let number = terms.var_decl(var).name.strip_prefix(PREFIX)?;
    number.strip_suffix(')')?.parse().ok()
}

impl Memory {
    /// The place that a marker of this memory stands for.
    pub fn marked(&self, index: usize) -> (u64, ObjectInfo) {
        let marked = &self.marked[index];
        (marked.address, marked.object.clone())
    }

    /// Another marker, for a value that depends on one.
    pub fn mark_again(&mut self, terms: &mut Terms, index: usize, bits: u32) -> Term {
        let marked = self.marked[index].clone();
        self.mark(terms, marked, Sort::BitVec(bits))
    }

    fn mark(&mut self, terms: &mut Terms, marked: Marked, sort: Sort) -> Term {
        let name = format!("{PREFIX}{})", self.marked.len());
        Rc::make_mut(&mut self.marked).push(marked);
        terms.var(&name, sort)
    }

    /// Whether a range in bounds has a byte that nothing has written.
    #[inline]
    pub(super) fn has_gap(&self, id: u32, from: u64, to: u64) -> bool {
        let body = &self.table.entry(id).body;
        let gaps = body.as_ref().and_then(|body| body.gaps.as_ref());
        gaps.is_some_and(|gaps| gaps.first(from, to).is_some())
    }

    /// An array that stands for what an object has in its gaps, if it has any.
    pub(super) fn mark_contents(&mut self, terms: &mut Terms, id: u32, width: u32) -> Option<Term> {
        let entry = self.table.entry(id);
        let (base, size) = (entry.base(id), entry.size);
        let body = entry.body();
        let (at, _) = body.gaps.as_ref()?.first(0, size)?;
        if body
            .overlay(terms)
            .is_some_and(|overlay| overlay.base.is_some())
        {
            // There is an array already.
            self.mark_gaps(terms, id, 0, size);
            return None;
        }
        if body.image.get(terms).is_some() {
            // The one at hand has a marker in it.
            return None;
        }
        let marked = Marked {
            address: base + at,
            object: entry.info(id),
        };
        let sort = Sort::Array {
            index: width,
            element: 8,
        };
        Some(self.mark(terms, marked, sort))
    }

    /// Puts markers into the gaps of a range.
    #[cold]
    pub(super) fn mark_gaps(&mut self, terms: &mut Terms, id: u32, from: u64, to: u64) {
        /// The most bytes of one marker.
        const WORD: u64 = 8;
        let entry = self.table.entry(id);
        let (base, size, object) = (entry.base(id), entry.size, entry.info(id));
        let mut at = from;
        loop {
            let gaps = self.table.entry(id).body().gaps.as_ref();
            let Some((start, end)) = gaps.and_then(|gaps| gaps.first(at, to)) else {
                return;
            };
            let end = end.min(start + WORD);
            let marked = Marked {
                address: base + start,
                object: object.clone(),
            };
            let sort = Sort::BitVec(8 * (end - start) as u32);
            let marker = self.mark(terms, marked, sort);
            self.tlb.flush(base + start, end - start, true);
            let body = self.prepare(id, start, 0);
            body.fill_gaps(start, end);
            let overlay = body.overlay_mut(terms, size);
            overlay.set_parts(start, end - start, marker, 0);
            overlay.drop_covered_base();
            at = end;
        }
    }
}
