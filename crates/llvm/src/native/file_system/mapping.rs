//! Files that are shared with memory (`MAP_SHARED`).
//!
//! Loads and stores of the program go to memory alone. Before a call reads the file, what memory has is put into it;
//! after a call has written the file, memory gets it. Nobody can tell that from one copy, because all shared mappings
//! of a file lie in the same memory.

use super::inode::{Body, Data, Device};
use super::{Content, FileSystem};
use crate::native::errno;

/// A part of a file that memory has as well.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub(super) node: usize,
    pub address: u64,
    pub len: u64,
    pub offset: u64,
    pub writes: bool,
    /// How often it was asked for and not given back.
    pub times: u32,
}

impl FileSystem {
    /// The bytes that a mapping of a file starts with.
    pub fn mapped(
        &mut self,
        descriptor: i32,
        len: u64,
        offset: u64,
        (shared, writes): (bool, bool),
    ) -> Result<Content, i32> {
        let open = self.get(descriptor)?;
        if !open.reads() || shared && writes && !open.writes() {
            return Err(errno::EACCES);
        }
        let node = open.node;
        match &self.inode(node).body {
            Body::File(Data::Own(content)) => {
                let at = usize::try_from(offset).unwrap_or(usize::MAX);
                let piece = content.slice(at, usize::try_from(len).unwrap_or(usize::MAX));
                self.stamp_read(node);
                Ok(piece)
            }
            Body::Device(Device::Zero) => Ok(Content::default()),
            _ => Err(errno::ENODEV),
        }
    }

    /// The mapping that has this part of a file already. An error if it has only some of it.
    pub fn shared_mapping(
        &mut self,
        descriptor: i32,
        len: u64,
        offset: u64,
    ) -> Result<Option<&mut Mapping>, i32> {
        let node = self.get(descriptor)?.node;
        let end = offset.saturating_add(len);
        let overlaps = |mapping: &&mut Mapping| {
            let theirs = mapping.offset..mapping.offset + mapping.len;
            mapping.node == node && theirs.start < end && offset < theirs.end
        };
        match self.mappings.iter_mut().find(overlaps) {
            Some(mapping) if mapping.offset <= offset && end <= mapping.offset + mapping.len => {
                Ok(Some(mapping))
            }
            Some(_) => Err(errno::ENOTSUP),
            None => Ok(None),
        }
    }

    pub fn add_mapping(
        &mut self,
        descriptor: i32,
        address: u64,
        (len, offset): (u64, u64),
        writes: bool,
    ) -> Result<(), i32> {
        let node = self.get(descriptor)?.node;
        self.mappings.push(Mapping {
            node,
            address,
            len,
            offset,
            writes,
            times: 1,
        });
        Ok(())
    }

    /// All of them, for the state to exchange contents with memory.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    pub fn has_mappings(&self) -> bool {
        !self.mappings.is_empty()
    }

    /// Gives one back. Whether it was the last of its memory.
    pub fn remove_mapping(&mut self, address: u64) -> bool {
        let Some(at) = { self.mappings.iter() }.position(|mapping| mapping.address == address)
        else {
            return true;
        };
        self.mappings[at].times -= 1;
        if self.mappings[at].times > 0 {
            return false;
        }
        let mapping = self.mappings.remove(at);
        self.collect(mapping.node);
        true
    }

    /// Of the bytes of a mapping, those that are in the file.
    pub fn mapped_bytes(&self, mapping: &Mapping) -> Content {
        match &self.inode(mapping.node).body {
            Body::File(Data::Own(content)) => {
                content.slice(mapping.offset as usize, mapping.len as usize)
            }
            _ => Content::default(),
        }
    }

    /// Memory has other bytes than the file: these. What lies behind the end of the file is nobody's.
    pub fn take_mapped(&mut self, mapping: &Mapping, bytes: &Content) {
        let is_same = self.mapped_bytes(mapping) == *bytes;
        if is_same {
            return;
        }
        if let Body::File(Data::Own(content)) = &mut self.inode_mut(mapping.node).body {
            content.put(mapping.offset as usize, bytes);
            self.stamp_modified(mapping.node);
        }
    }
}
