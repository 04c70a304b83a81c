//! Reading, writing, and where in a file that happens.

use super::inode::{Body, Data, Device, Stream};
use super::{Content, FileSystem, Follow, MOST_BYTES, O_APPEND, O_NONBLOCK, PIPE_BYTES};
use crate::native::{Host, errno};

/// What reading and writing must know of an open file before it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Stream(Stream),
    Device(Device),
    Inside,
}

impl FileSystem {
    /// What a descriptor leads to, as far as it is not in here.
    pub fn way(&self, descriptor: i32) -> Result<Way, i32> {
        Ok(match self.inode(self.get(descriptor)?.node).body {
            Body::Stream(stream) => Way::Stream(stream),
            Body::Device(device) => Way::Device(device),
            _ => Way::Inside,
        })
    }

    /// Reads what a node has, from a place or from where the last read ended.
    pub fn read(
        &mut self,
        descriptor: i32,
        len: usize,
        place: Option<u64>,
    ) -> Result<Content, i32> {
        let open = self.get(descriptor)?;
        let (node, offset, flags) = (open.node, open.offset, open.flags);
        let reads = open.reads();
        match &self.inode(node).body {
            Body::Pipe(_) | Body::Socket(_) if place.is_some() => Err(errno::ESPIPE),
            _ if !reads => Err(errno::EBADF),
            Body::Pipe(held) | Body::Socket(held) => {
                let piece = held.slice(0, len);
                if piece.is_empty() && len > 0 && self.has_writer(node) {
                    // Only this very program could fill it.
                    return Err(match flags & O_NONBLOCK {
                        0 => errno::WAITS_FOR_EVER,
                        _ => errno::EAGAIN,
                    });
                }
                if let Body::Pipe(held) | Body::Socket(held) = &mut self.inode_mut(node).body {
                    *held = held.slice(piece.len(), held.len());
                }
                Ok(piece)
            }
            Body::File(Data::Own(content)) => {
                let at = place.unwrap_or(offset);
                let piece = content.slice(usize::try_from(at).unwrap_or(usize::MAX), len);
                if place.is_none() {
                    self.get_mut(descriptor)?.offset += piece.len() as u64;
                }
                if len > 0 {
                    self.stamp_read(node);
                }
                Ok(piece)
            }
            Body::Directory(_) | Body::Descriptors => Err(errno::EISDIR),
            _ => Err(errno::EINVAL),
        }
    }

    /// Writes to a node.
    pub fn write(
        &mut self,
        descriptor: i32,
        piece: &Content,
        place: Option<u64>,
    ) -> Result<u64, i32> {
        let open = self.get(descriptor)?.clone();
        let node = open.peer.unwrap_or(open.node);
        if place.is_some() && self.inode(node).is_pipe() {
            return Err(errno::ESPIPE);
        }
        if !open.writes() {
            return Err(errno::EBADF);
        }
        let has_reader = self.has_reader(node);
        match &mut self.inode_mut(node).body {
            Body::Pipe(_) | Body::Socket(_) if !has_reader => Err(errno::EPIPE),
            Body::Pipe(held) | Body::Socket(held) => {
                let room = PIPE_BYTES.saturating_sub(held.len());
                let fits = piece.len() <= room;
                if open.flags & O_NONBLOCK == 0 && !fits {
                    return Err(errno::WAITS_FOR_EVER);
                }
                // Few bytes are written together or not at all.
                if !fits && (room == 0 || piece.len() <= 4096) {
                    return Err(errno::EAGAIN);
                }
                let piece = piece.slice(0, room);
                held.append(&piece);
                Ok(piece.len() as u64)
            }
            Body::File(Data::Own(content)) => {
                let at = if open.flags & O_APPEND != 0 {
                    content.len() as u64
                } else {
                    place.unwrap_or(open.offset)
                };
                let end = at.checked_add(piece.len() as u64);
                let end = end.filter(|&end| end <= MOST_BYTES).ok_or(errno::EFBIG)?;
                if piece.is_empty() {
                    return Ok(0);
                }
                content.put(at as usize, piece);
                if place.is_none() {
                    self.get_mut(descriptor)?.offset = end;
                }
                self.drop_set_ids(node);
                self.stamp_modified(node);
                Ok(piece.len() as u64)
            }
            _ => Err(errno::EINVAL),
        }
    }

    /// Who writes a program that runs as somebody else makes it an ordinary one.
    fn drop_set_ids(&mut self, node: usize) {
        const SET_USER: u32 = 0o4000;
        const SET_GROUP: u32 = 0o2000;
        const GROUP_EXECUTES: u32 = 0o10;
        let inode = self.inode_mut(node);
        inode.mode &= !SET_USER;
        if inode.mode & GROUP_EXECUTES != 0 {
            inode.mode &= !SET_GROUP;
        }
    }

    pub fn seek(&mut self, descriptor: i32, offset: i64, whence: i32) -> Result<u64, i32> {
        let open = self.get(descriptor)?;
        let inode = self.inode(open.node);
        let end = match &inode.body {
            _ if open.flags & super::O_PATH != 0 => return Err(errno::EBADF),
            Body::Stream(_) | Body::Pipe(_) | Body::Socket(_) => return Err(errno::ESPIPE),
            Body::Device(_) => return Ok(0),
            Body::Directory(_) | Body::Descriptors => i64::MAX,
            _ => inode.size() as i64,
        };
        let at = match whence {
            0 => Some(offset),
            1 => offset.checked_add(open.offset as i64),
            2 => offset.checked_add(end),
            // SEEK_DATA and SEEK_HOLE: no file has holes.
            3 | 4 if offset < 0 || offset >= end => return Err(errno::ENXIO),
            3 => Some(offset),
            4 => Some(end),
            _ => return Err(errno::EINVAL),
        };
        let at = at.ok_or(errno::EOVERFLOW)?;
        let at = u64::try_from(at).map_err(|_| errno::EINVAL)?;
        if inode.is_directory() {
            self.seek_entry(descriptor, at);
        } else {
            self.get_mut(descriptor)?.offset = at;
        }
        Ok(at)
    }

    pub fn truncate(&mut self, descriptor: i32, len: i64) -> Result<(), i32> {
        let open = self.get(descriptor)?;
        let len = u64::try_from(len).map_err(|_| errno::EINVAL)?;
        match open.writes() {
            true => self.truncate_node(open.node, len),
            false => Err(errno::EINVAL),
        }
    }

    pub fn truncate_path(&mut self, path: &[u8], len: i64, host: &mut dyn Host) -> Result<(), i32> {
        let len = u64::try_from(len).map_err(|_| errno::EINVAL)?;
        let node = self.find(super::AT_FDCWD, path, Follow::Links, host)?;
        match self.inode(node).body {
            Body::File(_) => self.inode(node).check(super::inode::WRITE)?,
            Body::Directory(_) | Body::Descriptors => return Err(errno::EISDIR),
            _ => return Err(errno::EINVAL),
        }
        if len > 0 {
            self.load(node, host)?;
        }
        self.truncate_node(node, len)
    }

    /// What is not read yet has no bytes from here on.
    pub(super) fn truncate_node(&mut self, node: usize, len: u64) -> Result<(), i32> {
        if len > MOST_BYTES {
            return Err(errno::EFBIG);
        }
        match &mut self.inode_mut(node).body {
            Body::File(Data::Own(content)) => content.set_len(len as usize),
            Body::File(data) => {
                let mut content = Content::default();
                content.set_len(len as usize);
                *data = Data::Own(content);
            }
            _ => return Err(errno::EINVAL),
        }
        self.drop_set_ids(node);
        self.stamp_modified(node);
        Ok(())
    }

    /// Makes room to a place, and up to it zeros.
    pub fn allocate(&mut self, descriptor: i32, end: u64, grows: bool) -> Result<(), i32> {
        let open = self.get(descriptor)?;
        let node = open.node;
        if !open.writes() {
            return Err(errno::EBADF);
        }
        match &self.inode(node).body {
            Body::File(Data::Own(content)) if end > content.len() as u64 && grows => {
                self.truncate_node(node, end)
            }
            Body::File(_) => Ok(()),
            Body::Pipe(_) | Body::Socket(_) | Body::Stream(_) => Err(errno::ESPIPE),
            _ => Err(errno::ENODEV),
        }
    }

    /// How many bytes can be read at once.
    pub fn waiting(&self, descriptor: i32) -> Result<u64, i32> {
        let open = self.get(descriptor)?;
        match &self.inode(open.node).body {
            Body::Pipe(held) | Body::Socket(held) => Ok(held.len() as u64),
            Body::File(Data::Own(content)) => {
                Ok((content.len() as u64).saturating_sub(open.offset))
            }
            Body::Stream(_) => Ok(0),
            _ => Err(errno::ENOTTY),
        }
    }

    /// Whether a read returns at once, whether a write does, and whether the other end is closed.
    pub fn readiness(&self, descriptor: i32) -> Result<(bool, bool, bool), i32> {
        let open = self.get(descriptor)?;
        let inode = self.inode(open.node);
        if !inode.is_pipe() {
            return Ok((true, true, false));
        }
        let held = |node: usize| match &self.inode(node).body {
            Body::Pipe(held) | Body::Socket(held) => held.len(),
            _ => 0,
        };
        let out = open.peer.unwrap_or(open.node);
        let has_writer = self.has_writer(open.node);
        let has_reader = self.has_reader(out);
        let reads = open.reads() && (held(open.node) > 0 || open.peer.is_some() && !has_writer);
        let writes = open.writes() && (held(out) < PIPE_BYTES || !has_reader);
        let is_alone = match open.reads() {
            true => !has_writer,
            false => !has_reader,
        };
        Ok((reads, writes, is_alone))
    }

    pub(super) fn has_reader(&self, node: usize) -> bool {
        let mut open = self.open.iter().flatten();
        open.any(|open| open.node == node && open.reads())
    }

    pub(super) fn has_writer(&self, node: usize) -> bool {
        let mut open = self.open.iter().flatten();
        open.any(|open| match open.peer {
            Some(peer) => peer == node,
            None => open.node == node && open.writes(),
        })
    }
}
