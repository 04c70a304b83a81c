//! Open files and the descriptors that name them.

use std::rc::Rc;

use super::inode::{Body, Device, READ, WRITE};
use super::walk::{Follow, Last};
use super::{
    Content, Descriptor, FileSystem, MOST_DESCRIPTORS, O_ACCMODE, O_APPEND, O_CLOEXEC, O_CREAT,
    O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_PATH, O_RDONLY, O_RDWR, O_TMPFILE, O_TRUNC,
    O_WRONLY, Open, USER,
};
use crate::native::{Host, errno};

/// What `fcntl` tells of the flags that a file was opened with.
const KEPT_FLAGS: i32 = !(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | 0o400);
/// What `fcntl` changes of them.
const CHANGEABLE: i32 = O_APPEND | O_NONBLOCK | 0o60_000 | 0o1_000_000;

impl FileSystem {
    pub fn open(
        &mut self,
        at: i32,
        path: &[u8],
        flags: i32,
        mode: u32,
        host: &mut dyn Host,
    ) -> Result<i32, i32> {
        if self.free_descriptor(0).is_none() {
            return Err(errno::EMFILE);
        }
        let writes = flags & O_ACCMODE != O_RDONLY;
        if flags & O_TMPFILE == O_TMPFILE {
            if !writes {
                return Err(errno::EINVAL);
            }
            let node = self.find(at, path, Follow::Links, host)?;
            if !self.inode(node).is_directory() {
                return Err(errno::ENOTDIR);
            }
            self.inode(node).check(WRITE | super::inode::SEARCH)?;
            return self.temporary(mode);
        }
        let creates = flags & O_CREAT != 0 && flags & O_PATH == 0;
        let is_new = creates && flags & O_EXCL != 0;
        let stays = is_new || flags & O_NOFOLLOW != 0;
        let follow = match (creates, stays) {
            (true, true) => Follow::Entry,
            (true, false) => Follow::Making,
            (false, true) => Follow::NotTheLast,
            (false, false) => Follow::Links,
        };
        let found = self.walk(at, path, follow, host)?;
        if creates {
            match found.last {
                Last::Name if found.has_slash => return Err(errno::EISDIR),
                Last::Name => {}
                _ if is_new => return Err(errno::EEXIST),
                _ => return Err(errno::EISDIR),
            }
        }
        let Some(node) = found.node else {
            if !creates {
                return Err(errno::ENOENT);
            }
            let mode = mode & 0o7777 & !self.mask;
            let node = self.make(&found, Body::file(Content::default()), mode)?;
            return self.add_open(node, flags, &self.told_path(found.parent, &found.name));
        };
        if is_new {
            return Err(errno::EEXIST);
        }
        let path = match self.inode(node).directory() {
            Some(_) => self.path_of(node).unwrap_or_default(),
            None => self.told_path(found.parent, &found.name),
        };
        let inode = self.inode(node);
        if flags & O_DIRECTORY != 0 && !inode.is_directory() {
            return Err(errno::ENOTDIR);
        }
        if flags & O_PATH != 0 {
            return self.add_open(node, flags, &path);
        }
        // Even of what has nothing to cut off.
        let asks_to_write = writes || flags & O_TRUNC != 0;
        match inode.body {
            Body::Link(_) => return Err(errno::ELOOP),
            Body::Directory(_) | Body::Descriptors if asks_to_write || creates => {
                return Err(errno::EISDIR);
            }
            Body::Socket(_) | Body::Device(Device::Terminal | Device::Foreign) => {
                return Err(errno::ENXIO);
            }
            _ => {}
        }
        let truncates = flags & O_TRUNC != 0 && matches!(inode.body, Body::File(_));
        let reading = if flags & O_ACCMODE == O_WRONLY {
            0
        } else {
            READ
        };
        let writing = if asks_to_write { WRITE } else { 0 };
        inode.check(reading | writing)?;
        // One without a name, which `/dev/stdin` may lead to, has its other end already.
        if inode.is_pipe() && inode.links > 0 {
            self.check_other_end(node, flags)?;
        }
        if truncates {
            self.truncate_node(node, 0)?;
        } else {
            self.load(node, host)?;
        }
        self.add_open(node, flags, &path)
    }

    /// Opening a pipe by its name waits for whoever opens the other end.
    fn check_other_end(&self, node: usize, flags: i32) -> Result<(), i32> {
        let waits = flags & O_NONBLOCK == 0;
        match flags & O_ACCMODE {
            O_RDONLY if waits && !self.has_writer(node) => Err(errno::WAITS_FOR_EVER),
            O_WRONLY if !self.has_reader(node) => Err(match waits {
                true => errno::WAITS_FOR_EVER,
                false => errno::ENXIO,
            }),
            _ => Ok(()),
        }
    }

    fn told_path(&self, parent: usize, name: &[u8]) -> Vec<u8> {
        let mut path = self.path_of(parent).unwrap_or_default();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// A file without a name, open for reading and writing.
    pub fn temporary(&mut self, mode: u32) -> Result<i32, i32> {
        let mode = mode & 0o7777 & !self.mask;
        let node = self.add_node(Body::file(Content::default()), mode, USER);
        self.inode_mut(node).links = 0;
        let text = format!("/tmp/#{} (deleted)", self.inode_number(node));
        self.add_open(node, O_RDWR, text.as_bytes())
    }

    /// Does something for which the mask for new files does not count.
    pub fn mask_nothing<T>(&mut self, action: impl FnOnce(&mut FileSystem) -> T) -> T {
        let mask = std::mem::take(&mut self.mask);
        let result = action(self);
        self.mask = mask;
        result
    }

    pub fn is_pipe(&self, descriptor: i32) -> bool {
        self.get(descriptor)
            .is_ok_and(|open| self.inode(open.node).is_pipe())
    }

    /// Six characters that no temporary name had before.
    pub fn unique(&mut self) -> [u8; 6] {
        self.temporary += 1;
        let mut text = [b'0'; 6];
        let mut number = self.temporary;
        for place in text.iter_mut().rev() {
            *place = b'0' + (number % 10) as u8;
            number /= 10;
        }
        text
    }

    pub fn pipe(&mut self, flags: i32) -> Result<(i32, i32), i32> {
        let node = self.add_node(Body::Pipe(Content::default()), 0o600, USER);
        self.inode_mut(node).links = 0;
        let text = format!("pipe:[{}]", self.inode_number(node));
        let read = self.add_open(node, O_RDONLY | flags, text.as_bytes())?;
        let write = self.add_open(node, O_WRONLY | flags, text.as_bytes());
        if write.is_err() {
            self.close(read)?;
        }
        Ok((read, write?))
    }

    /// Two descriptors, each of which reads what is written to the other.
    pub fn socket_pair(&mut self, flags: i32) -> Result<(i32, i32), i32> {
        let nodes = [(); 2].map(|()| {
            let node = self.add_node(Body::Socket(Content::default()), 0o777, USER);
            self.inode_mut(node).links = 0;
            node
        });
        let mut made = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            let text = format!("socket:[{}]", self.inode_number(node));
            match self.add_open(node, O_RDWR | flags, text.as_bytes()) {
                Ok(descriptor) => made.push(descriptor),
                Err(error) => {
                    for descriptor in made {
                        self.close(descriptor)?;
                    }
                    return Err(error);
                }
            }
            self.get_mut(made[at])?.peer = Some(nodes[1 - at]);
        }
        Ok((made[0], made[1]))
    }

    pub fn close(&mut self, descriptor: i32) -> Result<(), i32> {
        let open = self.index(descriptor)?;
        self.descriptors[descriptor as usize] = None;
        let is_shared = { self.descriptors.iter().flatten() }.any(|known| known.open == open);
        if !is_shared && let Some(closed) = self.open[open].take() {
            self.drain(closed.node);
            self.collect(closed.node);
        }
        Ok(())
    }

    /// What nobody has read is lost when the last one closes a pipe.
    fn drain(&mut self, node: usize) {
        let is_open =
            { self.open.iter().flatten() }.any(|open| open.node == node || open.peer == Some(node));
        if is_open {
            return;
        }
        if let Body::Pipe(held) | Body::Socket(held) = &mut self.inode_mut(node).body {
            *held = Content::default();
        }
    }

    pub fn duplicate(&mut self, descriptor: i32, from: i32, closes: bool) -> Result<i32, i32> {
        let open = self.index(descriptor)?;
        if from < 0 || from as usize >= MOST_DESCRIPTORS {
            return Err(errno::EINVAL);
        }
        self.descriptor(open, from as usize, closes)
    }

    pub fn duplicate_to(&mut self, descriptor: i32, to: i32, closes: bool) -> Result<i32, i32> {
        let open = self.index(descriptor)?;
        if to < 0 || to as usize >= MOST_DESCRIPTORS {
            return Err(errno::EBADF);
        }
        if descriptor != to {
            // One that is not open needs no closing.
            let _ = self.close(to);
            self.descriptor(open, to as usize, closes)?;
        }
        Ok(to)
    }

    fn free_descriptor(&self, from: usize) -> Option<usize> {
        let mut at = from;
        while self.descriptors.get(at).is_some_and(Option::is_some) {
            at += 1;
        }
        Some(at).filter(|&at| at < MOST_DESCRIPTORS)
    }

    fn descriptor(&mut self, open: usize, from: usize, closes: bool) -> Result<i32, i32> {
        let at = self.free_descriptor(from).ok_or(errno::EMFILE)?;
        if self.descriptors.len() <= at {
            self.descriptors.resize(at + 1, None);
        }
        self.descriptors[at] = Some(Descriptor {
            open,
            closes_on_exec: closes,
        });
        Ok(at as i32)
    }

    pub(super) fn add_open(&mut self, node: usize, flags: i32, path: &[u8]) -> Result<i32, i32> {
        let open = Some(Open {
            node,
            offset: 0,
            flags: flags & KEPT_FLAGS,
            listing: None,
            peer: None,
            path: Rc::from(path),
        });
        let free = self.open.iter().position(Option::is_none);
        let at = free.unwrap_or(self.open.len());
        let descriptor = self.descriptor(at, 0, flags & O_CLOEXEC != 0)?;
        match free {
            Some(at) => self.open[at] = open,
            None => self.open.push(open),
        }
        Ok(descriptor)
    }

    fn index(&self, descriptor: i32) -> Result<usize, i32> {
        let at = usize::try_from(descriptor).map_err(|_| errno::EBADF)?;
        let known = self.descriptors.get(at).copied().flatten();
        Ok(known.ok_or(errno::EBADF)?.open)
    }

    pub fn get(&self, descriptor: i32) -> Result<&Open, i32> {
        self.open[self.index(descriptor)?]
            .as_ref()
            .ok_or(errno::EBADF)
    }

    pub(super) fn get_mut(&mut self, descriptor: i32) -> Result<&mut Open, i32> {
        let index = self.index(descriptor)?;
        self.open[index].as_mut().ok_or(errno::EBADF)
    }

    pub fn set_flags(&mut self, descriptor: i32, flags: i32) -> Result<(), i32> {
        let open = self.get_mut(descriptor)?;
        open.flags = open.flags & !CHANGEABLE | flags & CHANGEABLE;
        Ok(())
    }

    pub fn closes_on_exec(&mut self, descriptor: i32) -> Result<&mut bool, i32> {
        self.index(descriptor)?;
        match &mut self.descriptors[descriptor as usize] {
            Some(known) => Ok(&mut known.closes_on_exec),
            None => Err(errno::EBADF),
        }
    }

    /// The node of a descriptor whose number is written as a name.
    pub(super) fn descriptor_named(&self, name: &[u8]) -> Option<usize> {
        Some(self.get(written_number(name)?).ok()?.node)
    }

    /// What a descriptor whose number is written as a name was opened as.
    pub(super) fn descriptor_path(&self, name: &[u8]) -> Option<Rc<[u8]>> {
        Some(self.get(written_number(name)?).ok()?.path.clone())
    }
}

/// A number as Linux writes it: without leading zeros.
fn written_number(name: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(name).ok()?;
    let number: i32 = text.parse().ok()?;
    Some(number).filter(|number| number.to_string() == text)
}
