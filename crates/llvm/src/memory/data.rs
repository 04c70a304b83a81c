//! The concrete bytes of an object: one buffer, or pages that exist once they are touched.
//!
//! Up to 64 KiB an object is one buffer. Beyond, it is pages of 64 KiB in groups of 256, each level shared by `Rc`
//! between forked states and absent while it is all zero: a gigabyte costs what is touched, and a write after a fork
//! copies one page.

use super::buffer::Buffer;
use std::ptr::NonNull;
use std::rc::Rc;

pub(super) const FLAT: u64 = 1 << 16;
pub(super) const PAGE: u64 = 1 << 16;
const GROUP: usize = 256;

#[derive(Clone)]
pub(super) struct Group([Option<Rc<Buffer>>; GROUP]);

#[derive(Clone)]
pub(super) enum Data {
    Flat(Buffer),
    Paged {
        groups: Vec<Option<Rc<Group>>>,
        /// How many pages exist.
        resident: u64,
    },
}

fn split(offset: u64) -> (usize, usize, usize) {
    let page = (offset / PAGE) as usize;
    (page / GROUP, page % GROUP, (offset % PAGE) as usize)
}

impl Data {
    pub fn paged(size: u64) -> Data {
        Data::Paged {
            groups: vec![None; size.div_ceil(PAGE * GROUP as u64) as usize],
            resident: 0,
        }
    }

    /// Host bytes behind it, shared or not.
    pub fn held(&self) -> u64 {
        match self {
            Data::Flat(buffer) => buffer.len() as u64,
            Data::Paged { groups, resident } => {
                let groups = groups.len() * size_of::<Option<Rc<Group>>>();
                resident * PAGE + groups as u64
            }
        }
    }

    fn page(&self, offset: u64) -> Option<&Rc<Buffer>> {
        let Data::Paged { groups, .. } = self else {
            unreachable!("pages of a flat object")
        };
        let (group, page, _) = split(offset);
        groups[group].as_ref()?.0[page].as_ref()
    }

    /// The bytes from `offset` on that lie together, at most `len`; `None` if they are all zero and do not exist.
    pub fn segment(&self, offset: u64, len: u64) -> (u64, Option<&[u8]>) {
        match self {
            Data::Flat(buffer) => {
                let at = offset as usize;
                (len, Some(&buffer.bytes()[at..at + len as usize]))
            }
            Data::Paged { .. } => {
                let at = (offset % PAGE) as usize;
                let len = len.min(PAGE - at as u64);
                let bytes = self.page(offset);
                (len, bytes.map(|page| &page.bytes()[at..at + len as usize]))
            }
        }
    }

    /// How many bytes of the pages that a range touches exist.
    pub fn resident(&self, offset: u64, len: u64) -> u64 {
        match self {
            Data::Flat(_) => len,
            Data::Paged { groups, resident } => {
                // Few pages of a large object exist: those are counted at once.
                let (first, _, _) = split(offset);
                let (last, _, _) = split(offset + len.max(1) - 1);
                let whole = first == 0 && last + 1 == groups.len();
                let pages = if whole {
                    *resident
                } else {
                    let pages = |group: &Group| group.0.iter().flatten().count() as u64;
                    let touched = groups[first..=last].iter().flatten();
                    touched.map(|group| pages(group)).sum()
                };
                pages * PAGE
            }
        }
    }

    /// The bytes from `offset` on that lie together, at most `len`. They must exist and be unshared.
    pub fn segment_mut(&mut self, offset: u64, len: u64) -> &mut [u8] {
        match self {
            Data::Flat(buffer) => {
                let at = offset as usize;
                &mut buffer.bytes_mut()[at..at + len as usize]
            }
            Data::Paged { groups, .. } => {
                let (group, page, at) = split(offset);
                let len = len.min(PAGE - at as u64) as usize;
                let buffer = groups[group]
                    .as_mut()
                    .and_then(Rc::get_mut)
                    .and_then(|group| group.0[page].as_mut())
                    .and_then(Rc::get_mut)
                    .expect("a prepared page");
                &mut buffer.bytes_mut()[at..at + len]
            }
        }
    }

    /// Where the byte at `offset` lies; `None` for a page that does not exist.
    #[inline]
    pub fn host(&self, offset: u64) -> Option<NonNull<u8>> {
        let (buffer, at) = match self {
            Data::Flat(buffer) => (buffer, offset as usize),
            Data::Paged { .. } => (&**self.page(offset)?, (offset % PAGE) as usize),
        };
        debug_assert!(at < buffer.len());
        // The bound holds; without it the pointer is wrong but making it is not unsafe.
        NonNull::new(buffer.host().as_ptr().wrapping_add(at))
    }

    /// Makes the pages of a range exist and be unshared. Tells of the offset of each page that moved, and how many
    /// are new.
    pub fn unshare(&mut self, offset: u64, len: u64, mut moved: impl FnMut(u64)) -> u64 {
        let Data::Paged { groups, resident } = self else {
            return 0;
        };
        let mut new = 0;
        let (first, last) = (offset / PAGE, (offset + len.max(1) - 1) / PAGE);
        for number in first..=last {
            let (group, page, _) = split(number * PAGE);
            let group =
                groups[group].get_or_insert_with(|| Rc::new(Group([const { None }; GROUP])));
            let slot = &mut Rc::make_mut(group).0[page];
            match slot {
                None => {
                    *slot = Some(Rc::new(Buffer::zeroed(PAGE as usize)));
                    new += 1;
                    moved(number * PAGE);
                }
                Some(page) => {
                    if Rc::get_mut(page).is_none() {
                        moved(number * PAGE);
                        *page = Rc::new((**page).clone());
                    }
                }
            }
        }
        *resident += new;
        new
    }

    /// Lets go of a whole page, which reads as zero then. Whether it existed.
    pub fn discard(&mut self, offset: u64) -> bool {
        let Data::Paged { groups, resident } = self else {
            unreachable!("pages of a flat object")
        };
        let (group, page, _) = split(offset);
        match &mut groups[group] {
            Some(group) if group.0[page].is_some() => {
                Rc::make_mut(group).0[page] = None;
                *resident -= 1;
                true
            }
            _ => false,
        }
    }

    /// Up to eight bytes as an integer.
    #[inline]
    pub fn read(&self, offset: u64, bytes: u64) -> u64 {
        let mut word = [0; 8];
        self.read_into(offset, &mut word[..bytes as usize]);
        u64::from_le_bytes(word)
    }

    pub fn read_into(&self, offset: u64, out: &mut [u8]) {
        let mut done = 0;
        while done < out.len() {
            let (len, bytes) = self.segment(offset + done as u64, (out.len() - done) as u64);
            let out = &mut out[done..done + len as usize];
            match bytes {
                Some(bytes) => out.copy_from_slice(bytes),
                None => out.fill(0),
            }
            done += len as usize;
        }
    }

    /// Writes to prepared bytes.
    #[inline]
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let to = self.segment_mut(offset + done as u64, (bytes.len() - done) as u64);
            let len = to.len();
            to.copy_from_slice(&bytes[done..done + len]);
            done += len;
        }
    }

    /// Calls with each byte that is not zero, in order.
    pub fn for_each_non_zero(&self, size: u64, mut visit: impl FnMut(u64, u8)) {
        let mut offset = 0;
        while offset < size {
            if let Data::Paged { groups, .. } = self
                && groups[split(offset).0].is_none()
            {
                offset = (offset / (PAGE * GROUP as u64) + 1) * PAGE * GROUP as u64;
                continue;
            }
            let (len, bytes) = self.segment(offset, size - offset);
            for (at, &byte) in bytes.into_iter().flatten().enumerate() {
                if byte != 0 {
                    visit(offset + at as u64, byte);
                }
            }
            offset += len;
        }
    }
}
