//! The contents of an object, and the pool that recycles those of small ones.

use super::buffer::Buffer;
use super::data::{Data, FLAT};
use super::gaps::Gaps;
use super::overlay::Overlay;
use refrain_term::{Kept, Term, Terms};
use std::rc::Rc;

#[derive(Clone)]
pub(super) struct Body {
    pub data: Data,
    /// Absent if every byte is in the data.
    pub overlay: Option<Box<Overlay>>,
    /// Absent if every byte is initialised.
    pub gaps: Option<Box<Gaps>>,
    /// The contents as an array term, until the next write. States that share the body share it too, and a body that
    /// is there before the program starts outlives the terms.
    pub image: Kept<Term>,
}

impl Body {
    fn new(size: u64) -> Body {
        let data = if size <= FLAT {
            let capacity = match class(size) {
                Some(class) => capacity(class),
                None => size,
            };
            Data::Flat(Buffer::zeroed(capacity as usize))
        } else {
            Data::paged(size)
        };
        Body {
            data,
            overlay: None,
            gaps: None,
            image: Kept::nothing(),
        }
    }

    /// Whether every byte is concrete and initialised.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.overlay.is_none() && self.gaps.is_none()
    }

    /// The first byte of a range that is no number: symbolic, or never written.
    pub fn first_symbolic(&self, from: u64, to: u64) -> Option<u64> {
        let overlay = self.overlay.as_ref();
        let symbolic = overlay.and_then(|overlay| overlay.first_symbolic(from, to));
        let gap = self.gaps.as_ref().and_then(|gaps| gaps.first(from, to));
        let unwritten = gap.map(|(start, _)| start);
        symbolic.into_iter().chain(unwritten).min()
    }

    /// The offsets of bytes that were written, in ascending order.
    pub fn written(&self, size: u64) -> impl Iterator<Item = u64> {
        let mut at = 0;
        std::iter::from_fn(move || {
            at = self.gaps.as_ref().map_or(at, |gaps| gaps.end(at)) + 1;
            (at <= size).then_some(at - 1)
        })
    }

    /// Some run of concrete and initialised bytes around `at`, inside `low..high`, if `at` is one.
    #[inline]
    pub fn plain_run(&self, at: u64, low: u64, high: u64) -> Option<(u64, u64)> {
        let (mut low, mut high) = (low, high);
        if let Some(gaps) = &self.gaps {
            (low, high) = gaps.run(at, low, high)?;
        }
        if let Some(overlay) = &self.overlay {
            (low, high) = overlay.run(at, low, high)?;
        }
        Some((low, high))
    }

    /// The bytes of a range are in the data, and initialised, from now on.
    #[inline]
    pub fn settle(&mut self, from: u64, to: u64) {
        if let Some(overlay) = &mut self.overlay {
            overlay.set_buffer(from, to);
            if overlay.is_plain() {
                self.overlay = None;
            }
        }
        self.fill_gaps(from, to);
    }

    /// The bytes of a range are initialised from now on.
    #[inline]
    pub fn fill_gaps(&mut self, from: u64, to: u64) {
        if let Some(gaps) = &mut self.gaps {
            gaps.remove(from, to);
            if gaps.is_empty() {
                self.gaps = None;
            }
        }
    }

    /// What is symbolic, to be changed to terms of this arena.
    pub fn overlay_mut(&mut self, terms: &Terms, size: u64) -> &mut Overlay {
        let overlay = self
            .overlay
            .get_or_insert_with(|| Box::new(Overlay::new(size)));
        overlay.arena.check(terms);
        overlay
    }

    /// What is symbolic, to be read with the arena of its terms.
    #[inline]
    pub fn overlay(&self, terms: &Terms) -> Option<&Overlay> {
        let overlay = self.overlay.as_deref()?;
        overlay.arena.check(terms);
        Some(overlay)
    }
}

const CLASSES: usize = 9;
const SMALLEST: u64 = 16;
/// How many bodies of one class wait for reuse.
const KEPT: usize = 64;

/// Sizes up to 4096 are rounded up to a power of two, so that a buffer fits the next object.
#[inline]
fn class(size: u64) -> Option<usize> {
    let class = size.max(SMALLEST).next_power_of_two().trailing_zeros() as usize - 4;
    (class < CLASSES).then_some(class)
}

fn capacity(class: usize) -> u64 {
    SMALLEST << class
}

/// How many host bytes a new object takes before anything of it is touched.
#[inline]
pub(super) fn held_at_first(size: u64) -> u64 {
    if size <= FLAT { size } else { 0 }
}

/// Bodies of released small objects. Stack frames come and go by the million.
#[derive(Default)]
pub(super) struct Pool {
    classes: [Vec<Rc<Body>>; CLASSES],
}

impl Pool {
    /// A body of zeros that nobody else has.
    #[inline]
    pub fn take(&mut self, size: u64) -> Rc<Body> {
        if size <= capacity(CLASSES - 1)
            && let Some(class) = class(size)
            && let Some(mut body) = self.classes[class].pop()
        {
            if let Some(Body {
                data: Data::Flat(buffer),
                ..
            }) = Rc::get_mut(&mut body)
            {
                buffer.bytes_mut()[..size as usize].fill(0);
            }
            return body;
        }
        Rc::new(Body::new(size))
    }

    /// Takes back the body of an object of this size.
    #[inline]
    pub fn give(&mut self, size: u64, mut body: Rc<Body>) {
        if size > capacity(CLASSES - 1) {
            return;
        }
        if let Some(class) = class(size)
            && self.classes[class].len() < KEPT
            && let Some(unshared) = Rc::get_mut(&mut body)
        {
            unshared.overlay = None;
            unshared.gaps = None;
            unshared.image.clear();
            self.classes[class].push(body);
        }
    }
}
