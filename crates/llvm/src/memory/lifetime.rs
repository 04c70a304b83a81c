//! Objects begin and end.
//!
//! Freed slots wait in a queue before they are used again, so that a stale pointer finds a freed object and not a
//! new one.

use super::report::{Fault, Kind, ObjectInfo, Origin, Site, Unplaceable};
use super::table::{Entry, NEVER, State};
use super::{Memory, body, gaps::Gaps, space};
use std::rc::Rc;

/// So many freed slots are not used again.
const QUARANTINE: u32 = 65_536;

/// So many freed runs of `1 << log` slots are not used again.
fn run_quarantine(log: usize) -> u32 {
    (QUARANTINE >> log).clamp(1, 64)
}

fn run_log(slots: u64) -> usize {
    slots.next_power_of_two().trailing_zeros() as usize
}

impl Memory {
    /// A new object of zeros; its address. None if memory is used up. Alignments count up to 2^20.
    pub fn allocate(&mut self, size: u64, align: u64, origin: Origin) -> Option<u64> {
        let live = self.live.checked_add(size)?;
        if live > self.options.limit || self.is_exhausted_by(body::held_at_first(size)) {
            return None;
        }
        let align = align.clamp(1, space::MAX_ALIGN).next_power_of_two();
        let (id, place) = if size <= space::SLOT / 2 {
            let id = self.take_slot()?;
            (id, space::place(id, size, align))
        } else {
            let place = space::place(0, size, align);
            let slots = space::slots(place, size)?;
            (self.take_run(slots)?, place)
        };
        let body = if size == 0 {
            None
        } else {
            let mut body = self.pool.take(size);
            self.held += body.data.held();
            self.own += body.data.held();
            if self.options.track_uninitialised && matches!(origin.kind, Kind::Stack | Kind::Heap) {
                let body = Rc::get_mut(&mut body).expect("a body from the pool");
                body.gaps = Some(Box::new(Gaps::all(size)));
            }
            Some(body)
        };
        self.live = live;
        let entry = self.table.entry_mut(id);
        *entry = Entry {
            size,
            body,
            site: origin.site,
            freed: Site::default(),
            name: origin.name,
            place,
            link: 0,
            state: State::Live,
            kind: origin.kind,
            read_only: false,
        };
        let base = entry.base(id);
        if size > 0 && size <= 4096 && !self.options.track_uninitialised {
            // It is about to be written.
            self.map(id, base, true);
        }
        Some(base)
    }

    /// A new object of zeros at an address that the program chooses. Nothing may be there yet.
    pub fn place_at(&mut self, address: u64, size: u64, origin: Origin) -> Result<(), Unplaceable> {
        let end = address.checked_add(size);
        let Some(end) = end.filter(|&end| address > 0 && size > 0 && end <= space::OBJECTS_END)
        else {
            return Err(Unplaceable::NoSuchPlace);
        };
        let first = address >> space::SLOT_BITS;
        let last = ((end - 1) >> space::SLOT_BITS).min(self.fresh as u64 - 1);
        let in_slots =
            (first..=last).filter_map(|slot| self.find_in_slot(slot << space::SLOT_BITS));
        let mut there = in_slots.chain(self.table.fixed());
        let overlaps = |&(id, entry): &(u32, &Entry)| {
            let base = entry.base(id);
            entry.state == State::Live && base < end && address < base + entry.size
        };
        if let Some((id, entry)) = there.find(overlaps) {
            return Err(Unplaceable::Overlap(entry.info(id)));
        }
        drop(there);
        let live = self.live.saturating_add(size);
        if live > self.options.limit || self.is_exhausted_by(body::held_at_first(size)) {
            return Err(Unplaceable::NoSuchPlace);
        }
        self.live = live;
        let body = self.pool.take(size);
        self.held += body.data.held();
        self.own += body.data.held();
        self.table.add_fixed(
            address,
            Entry {
                size,
                body: Some(body),
                site: origin.site,
                name: origin.name,
                state: State::Live,
                kind: origin.kind,
                ..NEVER
            },
        );
        // What lies in its slots now may have been found beside it.
        self.tlb.flush(address, size, true);
        Ok(())
    }

    /// Where objects at addresses that the program chose are, and how large.
    pub fn fixed(&self) -> impl Iterator<Item = (u64, u64)> {
        let fixed = self.table.fixed();
        fixed.map(|(id, entry)| (entry.base(id), entry.size))
    }

    /// The slot behind the first object in a range of slots that lies at an address of the program's choice.
    #[cold]
    fn behind_fixed(&self, slots: std::ops::Range<u64>) -> Option<u32> {
        let mut fixed = self.fixed().map(|(base, size)| {
            let end = base + size - 1;
            base >> space::SLOT_BITS..(end >> space::SLOT_BITS) + 1
        });
        let overlapping = fixed.find(|used| used.start < slots.end && slots.start < used.end);
        overlapping.map(|used| used.end as u32)
    }

    /// The next so many slots that were never used are free of what the program put there.
    #[inline]
    fn skip_fixed(&mut self, slots: u64) {
        while self.table.has_fixed()
            && let Some(behind) = self.behind_fixed(self.fresh as u64..self.fresh as u64 + slots)
        {
            self.fresh = behind;
            self.table.reserve(self.fresh);
        }
    }

    #[inline]
    fn take_slot(&mut self) -> Option<u32> {
        self.skip_fixed(1);
        if self.freed.len() <= QUARANTINE && self.fresh < space::SLOT_LIMIT {
            let id = self.fresh;
            self.fresh += 1;
            self.table.reserve(self.fresh);
            return Some(id);
        }
        loop {
            let id = self.freed.pop(&self.table)?;
            // One in which an object of the program's choice lies by now is not used again.
            if !self.table.has_fixed() || self.behind_fixed(id as u64..id as u64 + 1).is_none() {
                return Some(id);
            }
        }
    }

    /// The first of so many consecutive slots, rounded up to a power of two so that freed runs fit again.
    #[cold]
    fn take_run(&mut self, slots: u64) -> Option<u32> {
        let log = run_log(slots);
        let count = 1u64 << log;
        let waiting = self.freed_runs.get(log)?.len();
        self.skip_fixed(count);
        let fits = self.fresh as u64 + count <= space::SLOT_LIMIT as u64;
        let id = if waiting > run_quarantine(log) || !fits {
            loop {
                let id = self.freed_runs[log].pop(&self.table)?;
                let slots = id as u64..id as u64 + count;
                if !self.table.has_fixed() || self.behind_fixed(slots).is_none() {
                    break id;
                }
            }
        } else {
            let id = self.fresh;
            self.fresh += count as u32;
            self.table.reserve(self.fresh);
            id
        };
        self.table.set_tails(id + 1..id + count as u32, id);
        Some(id)
    }

    /// Frees a heap object by its address. The null pointer may be freed.
    pub fn free(&mut self, address: u64, site: Site) -> Result<(), Fault> {
        if address == 0 {
            return Ok(());
        }
        let Some((id, entry)) = self.find(address) else {
            return Err(Fault::BadFree {
                address,
                object: self.object_at(address),
            });
        };
        let exact = entry.base(id) == address && entry.kind == Kind::Heap;
        if !exact || entry.state != State::Live {
            let object = entry.info(id);
            return Err(if exact {
                Fault::DoubleFree { address, object }
            } else {
                Fault::BadFree {
                    address,
                    object: Some(object),
                }
            });
        }
        self.end(id, site);
        Ok(())
    }

    /// Ends an object of any kind, by its address. For the end of a stack frame.
    #[inline]
    pub fn release(&mut self, address: u64, site: Site) {
        if let Some((id, entry)) = self.find(address)
            && entry.state == State::Live
        {
            self.end(id, site);
        }
    }

    fn end(&mut self, id: u32, site: Site) {
        let entry = self.table.entry_mut(id);
        let (base, size, place) = (entry.base(id), entry.size, entry.place);
        entry.state = State::Freed;
        entry.freed = site;
        let body = entry.body.take();
        // Before anything else can happen to the bytes.
        self.tlb.flush(base, size, true);
        if let Some(body) = body {
            self.held -= body.data.held();
            self.own = self.own.saturating_sub(body.data.held());
            self.pool.give(size, body);
        }
        self.live -= size;
        if size <= space::SLOT / 2 {
            self.freed.push(&mut self.table, id);
        } else {
            let slots = space::slots(place, size).expect("the object exists");
            self.freed_runs[run_log(slots)].push(&mut self.table, id);
        }
    }

    /// Makes an object read-only. Any address in it will do.
    pub fn set_read_only(&mut self, address: u64) {
        let Some((id, entry)) = self.find(address) else {
            return;
        };
        let (base, size) = (entry.base(id), entry.size);
        self.table.entry_mut(id).read_only = true;
        self.tlb.flush(base, size, false);
    }

    /// The address of a function, by the caller's index.
    pub fn place_function(&mut self, index: u32) -> u64 {
        let functions = Rc::make_mut(&mut self.functions);
        let word = index as usize / 64;
        if functions.len() <= word {
            functions.resize(word + 1, 0);
        }
        functions[word] |= 1 << (index % 64);
        space::function_address(index)
    }

    /// Where functions begin: the first address, how far it is to the next, and how many there are.
    pub fn function_addresses(&self) -> (u64, u64, u64) {
        let last = self.functions.iter().rposition(|&word| word != 0);
        let count = last.map_or(0, |word| {
            64 * (word as u64 + 1) - u64::from(self.functions[word].leading_zeros())
        });
        (
            space::function_address(0),
            space::function_address(1) - space::function_address(0),
            count,
        )
    }

    /// The function that begins at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        let (index, exact) = space::function_index(address)?;
        let word = self.functions.get(index as usize / 64)?;
        (exact && word >> (index % 64) & 1 == 1).then_some(index)
    }

    /// The entry of the object that an address belongs to by its slot.
    #[inline]
    pub(super) fn find(&self, address: u64) -> Option<(u32, &Entry)> {
        if self.table.has_fixed()
            && let Some(found) = self.find_fixed(address)
        {
            return Some(found);
        }
        self.find_in_slot(address)
    }

    /// The object of the program's choice that an address lies in.
    #[cold]
    fn find_fixed(&self, address: u64) -> Option<(u32, &Entry)> {
        let is_in = |&(id, entry): &(u32, &Entry)| {
            let offset = address.wrapping_sub(entry.base(id));
            offset < entry.size
        };
        self.table.fixed().find(is_in)
    }

    #[inline]
    fn find_in_slot(&self, address: u64) -> Option<(u32, &Entry)> {
        let slot = address >> space::SLOT_BITS;
        if slot == 0 || slot >= self.fresh as u64 {
            return None;
        }
        let id = slot as u32;
        let entry = self.table.entry(id);
        match entry.state {
            State::Live | State::Freed => Some((id, entry)),
            State::Tail => Some((entry.link, self.table.entry(entry.link))),
            State::Never => None,
        }
    }

    /// The object, live or freed, whose slot an address is in.
    pub fn object_at(&self, address: u64) -> Option<ObjectInfo> {
        if let Some((id, entry)) = self.find(address) {
            return Some(entry.info(id));
        }
        let (index, _) = space::function_index(address)?;
        let base = space::function_address(index);
        self.function_at(base)?;
        Some(ObjectInfo {
            id: (base >> space::SLOT_BITS) as u32,
            base,
            size: 1,
            origin: Origin {
                kind: Kind::Function,
                name: 0,
                site: Site {
                    function: index,
                    pc: 0,
                },
            },
            freed: None,
            read_only: true,
        })
    }

    /// Whether so many bytes from an address on are in one live object.
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        let Some((id, entry)) = self.find(address) else {
            return false;
        };
        let offset = address.wrapping_sub(entry.base(id));
        entry.state == State::Live && offset <= entry.size && entry.size - offset >= bytes
    }

    /// Live heap objects, by address.
    pub fn heap_objects(&self) -> impl Iterator<Item = ObjectInfo> {
        let live = |entry: &Entry| entry.state == State::Live && entry.kind == Kind::Heap;
        let entries = self.table.iter().filter(move |(_, entry)| live(entry));
        entries.map(|(id, entry)| entry.info(id))
    }
}
