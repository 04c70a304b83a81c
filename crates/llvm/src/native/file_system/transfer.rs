//! Reading, writing, and where in a file that happens.

use std::rc::Rc;

use super::{Content, FileSystem, HostFile, MOST_BYTES, Node, O_APPEND, Open, Target};
use crate::native::errno;

impl FileSystem {
    /// Reads what a node has, from a place or from where the last read ended.
    pub fn read(
        &mut self,
        descriptor: i32,
        len: usize,
        place: Option<u64>,
    ) -> Result<Content, i32> {
        let open = self.get(descriptor)?.clone();
        let Target::Node(index) = open.target else {
            return Err(errno::EINVAL);
        };
        if !open.reads() {
            return Err(errno::EBADF);
        }
        if let Node::Pipe(held) = &*self.nodes[index] {
            if place.is_some() {
                return Err(errno::ESPIPE);
            }
            let piece = held.slice(0, len);
            if piece.is_empty() && len > 0 && self.has_writer(index) {
                // Only this very program could fill it.
                return Err(errno::EAGAIN);
            }
            let rest = held.slice(piece.len(), held.len());
            self.nodes[index] = Rc::new(Node::Pipe(rest));
            return Ok(piece);
        }
        let Node::File { content, .. } = &*self.nodes[index] else {
            return Err(errno::EISDIR);
        };
        let at = place.unwrap_or(open.offset);
        let piece = content.slice(usize::try_from(at).unwrap_or(usize::MAX), len);
        if place.is_none() {
            self.get_mut(descriptor)?.offset += piece.len() as u64;
        }
        Ok(piece)
    }

    /// Writes to a node.
    pub fn write(
        &mut self,
        descriptor: i32,
        piece: &Content,
        place: Option<u64>,
    ) -> Result<u64, i32> {
        let open = self.get(descriptor)?.clone();
        let Target::Node(index) = open.target else {
            return Err(errno::EINVAL);
        };
        if !open.writes() {
            return Err(errno::EBADF);
        }
        let has_reader = self.has_end(index, Open::reads);
        let end = match Rc::make_mut(&mut self.nodes[index]) {
            Node::Directory => return Err(errno::EBADF),
            Node::Pipe(_) if place.is_some() => return Err(errno::ESPIPE),
            Node::Pipe(_) if !has_reader => return Err(errno::EPIPE),
            Node::Pipe(held) => {
                held.append(piece);
                return Ok(piece.len() as u64);
            }
            Node::File { content, .. } => {
                let at = if open.flags & O_APPEND != 0 {
                    content.len() as u64
                } else {
                    place.unwrap_or(open.offset)
                };
                let end = at.checked_add(piece.len() as u64);
                let end = end.filter(|&end| end <= MOST_BYTES).ok_or(errno::EFBIG)?;
                if !piece.is_empty() {
                    content.put(at as usize, piece);
                }
                end
            }
        };
        if place.is_none() {
            self.get_mut(descriptor)?.offset = end;
        }
        Ok(piece.len() as u64)
    }

    pub fn seek(&mut self, descriptor: i32, offset: i64, whence: i32) -> Result<u64, i32> {
        let open = self.get(descriptor)?;
        let end = match open.target {
            Target::Input | Target::Output(_) => return Err(errno::ESPIPE),
            Target::Null | Target::Zero | Target::Random => return Ok(0),
            Target::Node(node) => match &*self.nodes[node] {
                Node::Pipe(_) => return Err(errno::ESPIPE),
                Node::Directory => 0,
                Node::File { content, .. } => content.len() as i64,
            },
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
        self.get_mut(descriptor)?.offset = at;
        Ok(at)
    }

    pub fn truncate(&mut self, descriptor: i32, len: i64) -> Result<(), i32> {
        let open = self.get(descriptor)?;
        let len = u64::try_from(len).map_err(|_| errno::EINVAL)?;
        match open.target {
            Target::Node(node) if open.writes() => self.truncate_node(node, len),
            _ => Err(errno::EINVAL),
        }
    }

    pub fn truncate_path(&mut self, path: &[u8], len: i64, host: HostFile<'_>) -> Result<(), i32> {
        let len = u64::try_from(len).map_err(|_| errno::EINVAL)?;
        let node = self.find(path, host)?;
        self.truncate_node(node, len)
    }

    pub(super) fn truncate_node(&mut self, node: usize, len: u64) -> Result<(), i32> {
        match Rc::make_mut(&mut self.nodes[node]) {
            Node::Directory => Err(errno::EISDIR),
            Node::Pipe(_) => Err(errno::EINVAL),
            Node::File {
                read_only: true, ..
            } => Err(errno::EACCES),
            Node::File { .. } if len > MOST_BYTES => Err(errno::EFBIG),
            Node::File { content, .. } => {
                content.set_len(len as usize);
                Ok(())
            }
        }
    }

    fn has_end(&self, node: usize, end: fn(&Open) -> bool) -> bool {
        let mut open = self.open.iter().flatten();
        open.any(|open| open.target == Target::Node(node) && end(open))
    }

    fn has_writer(&self, node: usize) -> bool {
        self.has_end(node, Open::writes)
    }
}
