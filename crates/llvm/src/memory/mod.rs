//! The memory of the machine: objects in a 64-bit address space, with bytes that may be symbolic, copied on write
//! between forked states.
//!
//! An access first asks the translation cache (`tlb`); what it does not know goes through the object table
//! (`table`) to the contents (`body`): concrete bytes (`data`), symbolic ones (`overlay`) and uninitialised
//! ones (`gaps`, and `marker` once they are read). `lifetime` makes and ends objects, `access` loads and stores, `bulk` moves ranges, `image`
//! handles symbolic offsets through array terms.
//!
//! Everything is deterministic: the same calls give the same addresses.

mod access;
mod body;
mod buffer;
mod bulk;
mod data;
mod gaps;
mod image;
mod lifetime;
mod marker;
mod overlay;
mod report;
mod space;
mod table;
mod tlb;
mod value;

pub use marker::marker_index;
pub use report::{Fault, Kind, ObjectInfo, Origin, Site, Unplaceable};
pub use value::Value;

use body::Pool;
use std::rc::Rc;
use table::{Queue, Table};
use tlb::Tlb;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes of the stack and the heap that were never written are read as markers.
    pub track_uninitialised: bool,
    /// How many bytes live objects may have together, by their requested sizes. What is not touched costs nothing.
    pub limit: u64,
    /// How many bytes of the host the contents of live objects may take.
    pub resident: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            track_uninitialised: false,
            limit: 1 << 40,
            resident: 1 << 32,
        }
    }
}

/// One state's memory. Terms in it belong to one arena, which all forks of a memory share.
pub struct Memory {
    tlb: Tlb,
    table: Table,
    /// The first slot that was never used.
    fresh: u32,
    /// Freed single slots.
    freed: Queue,
    /// Freed runs of slots, by the logarithm of their length.
    freed_runs: [Queue; 24],
    pool: Pool,
    options: Options,
    /// Requested bytes of live objects.
    live: u64,
    /// Host bytes of live objects' data.
    held: u64,
    /// Host bytes that this memory has made or copied since it was forked, and its share of what was there before.
    own: u64,
    /// What markers stand for.
    marked: Rc<Vec<marker::Marked>>,
    /// A bit for each function that has an address.
    functions: Rc<Vec<u64>>,
    scratch: Vec<u8>,
}

impl Memory {
    pub fn new(options: Options) -> Memory {
        Memory {
            tlb: Tlb::new(),
            table: Table::default(),
            // Slot 0 is the null page.
            fresh: 1,
            freed: Queue::default(),
            freed_runs: [Queue::default(); 24],
            pool: Pool::default(),
            options,
            live: 0,
            held: 0,
            own: 0,
            marked: Rc::default(),
            functions: Rc::default(),
            scratch: Vec::new(),
        }
    }

    /// A second memory with the same contents. Everything is shared until one of the two writes to it.
    pub fn fork(&mut self) -> Memory {
        // What is read stays where it is until this memory itself moves it; writes must ask for a copy from now on.
        self.tlb.flush_writes();
        // What was one state's is two states' now.
        self.own /= 2;
        Memory {
            tlb: Tlb::new(),
            table: self.table.clone(),
            pool: Pool::default(),
            scratch: Vec::new(),
            functions: self.functions.clone(),
            marked: self.marked.clone(),
            ..*self
        }
    }

    /// Gives back what only a running state needs; it comes back by itself. For states that wait in a queue.
    pub fn park(&mut self) {
        self.tlb.drop_arrays();
        self.pool = Pool::default();
        self.scratch = Vec::new();
    }

    /// Host bytes that this memory reaches: contents and table, shared with other states or not.
    pub fn allocated_bytes(&self) -> u64 {
        self.held + self.table.held()
    }

    /// About how many host bytes are this memory's alone. Over all states, they add up to about what all hold.
    pub fn own_bytes(&self) -> u64 {
        self.own + self.table.own()
    }

    /// Host bytes of the contents of all memories of this thread together; what states share counts once.
    pub fn host_bytes() -> u64 {
        buffer::held()
    }

    /// Requested bytes of live objects.
    pub fn live_bytes(&self) -> u64 {
        self.live
    }

    #[inline(always)]
    pub fn read8(&self, address: u64) -> Option<u64> {
        self.tlb.read8(address)
    }

    #[inline(always)]
    pub fn read16(&self, address: u64) -> Option<u64> {
        self.tlb.read16(address)
    }

    #[inline(always)]
    pub fn read32(&self, address: u64) -> Option<u64> {
        self.tlb.read32(address)
    }

    #[inline(always)]
    pub fn read64(&self, address: u64) -> Option<u64> {
        self.tlb.read64(address)
    }

    #[inline(always)]
    pub fn write8(&mut self, address: u64, value: u64) -> bool {
        self.tlb.write8(address, value)
    }

    #[inline(always)]
    pub fn write16(&mut self, address: u64, value: u64) -> bool {
        self.tlb.write16(address, value)
    }

    #[inline(always)]
    pub fn write32(&mut self, address: u64, value: u64) -> bool {
        self.tlb.write32(address, value)
    }

    #[inline(always)]
    pub fn write64(&mut self, address: u64, value: u64) -> bool {
        self.tlb.write64(address, value)
    }
}
