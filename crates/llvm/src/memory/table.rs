//! The object table: an entry for each slot, in shared chunks, and one for each object at an address that the program
//! chose.
//!
//! Forking clones the vector of chunks; a write to an entry copies its chunk if another state still has it. What
//! reports need stays in the entry when the object is gone; the contents are behind `body`.

use super::body::Body;
use super::report::{Kind, ObjectInfo, Origin, Site};
use super::space::SLOT_BITS;
use std::rc::Rc;

const CHUNK: usize = 256;

/// Marks the id of an object that is not in a slot of its own.
const FIXED: u32 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Never,
    Live,
    Freed,
    /// A further slot of the object whose id is in `link`.
    Tail,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub size: u64,
    /// Absent from freed objects and empty ones.
    pub body: Option<Rc<Body>>,
    pub site: Site,
    pub freed: Site,
    pub name: u32,
    /// Where the object starts in the slot; the low half of the address of a fixed object.
    pub place: u32,
    /// Freed: the next one in the queue. Tail: the first slot. Fixed: the high half of its address.
    pub link: u32,
    pub state: State,
    pub kind: Kind,
    pub read_only: bool,
}

pub(super) const NEVER: Entry = Entry {
    size: 0,
    body: None,
    site: Site { function: 0, pc: 0 },
    freed: Site { function: 0, pc: 0 },
    name: 0,
    place: 0,
    link: 0,
    state: State::Never,
    kind: Kind::Runtime,
    read_only: false,
};

impl Entry {
    #[inline]
    pub fn base(&self, id: u32) -> u64 {
        if id & FIXED != 0 {
            return (self.link as u64) << 32 | self.place as u64;
        }
        ((id as u64) << SLOT_BITS) + self.place as u64
    }

    /// The contents of an object that has some.
    #[inline]
    pub fn body(&self) -> &Rc<Body> {
        self.body.as_ref().expect("a live object with bytes")
    }

    pub fn info(&self, id: u32) -> ObjectInfo {
        ObjectInfo {
            id,
            base: self.base(id),
            size: self.size,
            origin: Origin {
                kind: self.kind,
                name: self.name,
                site: self.site,
            },
            freed: (self.state == State::Freed).then_some(self.freed),
            read_only: self.read_only,
        }
    }
}

#[derive(Clone)]
struct Chunk([Entry; CHUNK]);

#[derive(Clone, Default)]
pub(super) struct Table {
    chunks: Vec<Rc<Chunk>>,
    /// Objects at addresses that the program chose: few, if any.
    fixed: Vec<Entry>,
}

impl Table {
    /// Makes room for slots below `end`.
    pub fn reserve(&mut self, end: u32) {
        let chunks = (end as usize).div_ceil(CHUNK);
        if self.chunks.len() < chunks {
            // One chunk for all: it is copied where it is written.
            let unused = Rc::new(Chunk([NEVER; CHUNK]));
            self.chunks.resize(chunks, unused);
        }
    }

    /// Makes slots the further ones of an object. Whole chunks of them are one: the size of an object costs next to
    /// nothing.
    pub fn set_tails(&mut self, slots: std::ops::Range<u32>, of: u32) {
        const TAIL: Entry = Entry {
            state: State::Tail,
            ..NEVER
        };
        let mut shared = None;
        let mut at = slots.start;
        while at < slots.end {
            let (chunk, next) = (at as usize / CHUNK, (at / CHUNK as u32 + 1) * CHUNK as u32);
            if (at as usize).is_multiple_of(CHUNK) && next <= slots.end {
                let tails = shared.get_or_insert_with(|| {
                    let mut tails = Chunk([TAIL; CHUNK]);
                    tails.0.iter_mut().for_each(|tail| tail.link = of);
                    Rc::new(tails)
                });
                self.chunks[chunk] = tails.clone();
                at = next;
            } else {
                *self.entry_mut(at) = Entry { link: of, ..TAIL };
                at += 1;
            }
        }
    }

    /// Adds an object that has no slot of its own.
    pub fn add_fixed(&mut self, address: u64, entry: Entry) {
        self.fixed.push(Entry {
            place: address as u32,
            link: (address >> 32) as u32,
            ..entry
        });
    }

    /// The objects at addresses that the program chose.
    pub fn fixed(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let entries = self.fixed.iter().enumerate();
        entries.map(|(index, entry)| (FIXED | index as u32, entry))
    }

    #[inline]
    pub fn has_fixed(&self) -> bool {
        !self.fixed.is_empty()
    }

    #[inline]
    pub fn entry(&self, id: u32) -> &Entry {
        if id & FIXED != 0 {
            return &self.fixed[(id ^ FIXED) as usize];
        }
        &self.chunks[id as usize / CHUNK].0[id as usize % CHUNK]
    }

    #[inline]
    pub fn entry_mut(&mut self, id: u32) -> &mut Entry {
        if id & FIXED != 0 {
            return &mut self.fixed[(id ^ FIXED) as usize];
        }
        let chunk = Rc::make_mut(&mut self.chunks[id as usize / CHUNK]);
        &mut chunk.0[id as usize % CHUNK]
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let entries = self.chunks.iter().flat_map(|chunk| chunk.0.iter());
        entries.enumerate().map(|(id, entry)| (id as u32, entry))
    }

    /// Host bytes of a table that shares most of its chunks.
    pub fn own(&self) -> u64 {
        (self.chunks.len() * size_of::<Rc<Chunk>>() + size_of::<Chunk>()) as u64
    }

    /// Host bytes of the table itself.
    pub fn held(&self) -> u64 {
        (self.chunks.len() * (size_of::<Chunk>() + size_of::<Rc<Chunk>>())) as u64
    }
}

/// Freed slots in the order of their freeing, linked through the table: forking costs nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct Queue {
    first: u32,
    last: u32,
    len: u32,
}

impl Queue {
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub fn push(&mut self, table: &mut Table, id: u32) {
        if self.len == 0 {
            self.first = id;
        } else {
            table.entry_mut(self.last).link = id;
        }
        self.last = id;
        self.len += 1;
    }

    #[inline]
    pub fn pop(&mut self, table: &Table) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let id = self.first;
        self.first = table.entry(id).link;
        self.len -= 1;
        Some(id)
    }
}
