//! Which arena an id belongs to.
//!
//! A term is an index and means nothing without the arena that made it: in another one, the same index is another
//! term, perhaps of the same sort. Arenas come and go within a process, so each has an [`Epoch`] of its own.
//!
//! Whatever keeps terms is one of two kinds. What may outlive the arena keeps them in a [`Kept`], which gives them
//! back to that arena only. What belongs to one arena for its whole life has a [`OneArena`], which says so in debug
//! builds. There, ids know their arena as well ([`Tag`]), and an arena refuses those of others.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Terms;

/// An arena, among all that this process ever has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch(NonZeroU64);

impl Epoch {
    pub(crate) fn next() -> Epoch {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let next = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        Epoch(NonZeroU64::new(next).expect("fewer than 2^64 arenas"))
    }
}

/// Something made of terms, kept where it may outlive their arena. To any other arena it is not there.
#[derive(Clone, Default, Debug)]
pub struct Kept<T: Copy>(Cell<Option<(Epoch, T)>>);

impl<T: Copy> Kept<T> {
    pub const fn nothing() -> Kept<T> {
        Kept(Cell::new(None))
    }

    #[inline]
    pub fn get(&self, terms: &Terms) -> Option<T> {
        match self.0.get() {
            Some((epoch, kept)) if epoch == terms.epoch() => Some(kept),
            _ => None,
        }
    }

    /// Keeps something of this arena; what was kept before is gone.
    #[inline]
    pub fn set(&self, terms: &Terms, value: T) {
        self.0.set(Some((terms.epoch(), value)));
    }

    #[inline]
    pub fn clear(&self) {
        self.0.set(None);
    }
}

/// The arena that something belongs to: the first that it is shown. Nothing in release builds.
#[derive(Default, Debug)]
pub struct OneArena {
    /// Its epoch, or zero as long as it belongs to none.
    #[cfg(debug_assertions)]
    epoch: AtomicU64,
}

impl OneArena {
    pub const fn new() -> OneArena {
        OneArena {
            #[cfg(debug_assertions)]
            epoch: AtomicU64::new(0),
        }
    }

    /// To be called wherever the arena is given.
    ///
    /// # Panics
    /// In debug builds, if it is another one than before.
    #[inline(always)]
    #[track_caller]
    pub fn check(&self, _terms: &Terms) {
        #[cfg(debug_assertions)]
        {
            let epoch = _terms.epoch().0.get();
            let before = self.epoch.swap(epoch, Ordering::Relaxed);
            assert!(before == 0 || before == epoch, "terms of another arena");
        }
    }
}

/// A copy of what belongs to an arena belongs to it, too.
impl Clone for OneArena {
    fn clone(&self) -> OneArena {
        OneArena {
            #[cfg(debug_assertions)]
            epoch: AtomicU64::new(self.epoch.load(Ordering::Relaxed)),
        }
    }
}

/// The arena of an id, in debug builds. In release builds it is nothing, and all are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tag(#[cfg(debug_assertions)] u32);

impl Tag {
    /// Of ids that mean the same in every arena.
    pub const EVERY: Tag = Tag(
        #[cfg(debug_assertions)]
        0,
    );

    #[inline(always)]
    pub fn of(_epoch: Epoch) -> Tag {
        Tag(
            // One in 2^32 epochs looks like another: good enough to find mistakes.
            #[cfg(debug_assertions)]
            (_epoch.0.get() as u32).max(1),
        )
    }

    /// That an id may be used with an arena.
    #[inline(always)]
    pub fn check(self, _epoch: Epoch) {
        #[cfg(debug_assertions)]
        assert!(
            self == Tag::EVERY || self == Tag::of(_epoch),
            "a term of another arena"
        );
    }

    /// That two ids are of the same arena.
    #[cfg(debug_assertions)]
    pub fn check_same(self, other: Tag) {
        assert!(self == other, "symbols of two arenas");
    }
}

/// Left out, so that hash tables have the same order in all builds.
impl Hash for Tag {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}
