//! What changes names: files, directories and links that come and go.

use super::directory::Directory;
use super::inode::{Body, SEARCH, WRITE};
use super::walk::{Follow, Found, Last};
use super::{Content, FileSystem, ROOT, S_IFIFO, S_IFMT, S_IFREG, S_IFSOCK, USER};
use crate::native::{Host, errno};

/// How `renameat2` is to deal with what has the new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rename {
    Replace,
    /// It must not be there.
    New,
    /// It gets the old name.
    Exchange,
}

const STICKY: u32 = 0o1000;
const SET_GROUP: u32 = 0o2000;

impl FileSystem {
    /// The directory that a descriptor or the program is in, as a path.
    pub fn path_of(&self, mut node: usize) -> Result<Vec<u8>, i32> {
        let mut parts = Vec::new();
        while node != ROOT {
            let parent = self.parent_of(node);
            let above = self.inode(parent).directory().ok_or(errno::ENOENT)?;
            let mut entries = above.entries.iter();
            let name = entries.find(|(_, entry)| entry.node() == Some(node));
            parts.push(name.ok_or(errno::ENOENT)?.0.clone());
            node = parent;
        }
        let mut path = Vec::new();
        for part in parts.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(part);
        }
        if path.is_empty() {
            path.push(b'/');
        }
        Ok(path)
    }

    pub fn current_directory(&self) -> Result<Vec<u8>, i32> {
        self.path_of(self.directory)
    }

    /// The absolute path of a file, without links.
    pub fn real_path(&mut self, path: &[u8], host: &mut dyn Host) -> Result<Vec<u8>, i32> {
        let found = self.walk(super::AT_FDCWD, path, Follow::Links, host)?;
        let node = found.there()?;
        if self.inode(node).directory().is_some() {
            return self.path_of(node);
        }
        let mut path = self.path_of(found.parent)?;
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(&found.name);
        Ok(path)
    }

    /// That a name can be made in a directory.
    fn check_new(&self, found: &Found) -> Result<(), i32> {
        if found.node.is_some() || found.last != Last::Name {
            return Err(errno::EEXIST);
        }
        let parent = self.inode(found.parent);
        if !matches!(parent.body, Body::Directory(_)) || parent.links == 0 {
            return Err(errno::ENOENT);
        }
        parent.check(WRITE | SEARCH)
    }

    /// That a name can be taken out of its directory.
    fn check_removal(&self, found: &Found, node: usize) -> Result<(), i32> {
        let parent = self.inode(found.parent);
        if !matches!(parent.body, Body::Directory(_)) {
            return Err(errno::EPERM);
        }
        parent.check(WRITE | SEARCH)?;
        let owners = [parent.user, self.inode(node).user];
        match parent.mode & STICKY != 0 && !owners.contains(&USER) {
            true => Err(errno::EPERM),
            false => Ok(()),
        }
    }

    /// Makes something new under a name that was found to be free.
    pub(super) fn make(&mut self, found: &Found, body: Body, mode: u32) -> Result<usize, i32> {
        self.check_new(found)?;
        let node = self.add_node(body, mode, USER);
        let parent = self.inode(found.parent);
        // Who made a directory so wants its group in all of it.
        if parent.mode & SET_GROUP != 0 {
            let group = parent.group;
            let inode = self.inode_mut(node);
            inode.group = group;
            if inode.is_directory() {
                inode.mode |= SET_GROUP;
            }
        }
        self.enter(found.parent, &found.name, node);
        self.stamp_modified(found.parent);
        Ok(node)
    }

    pub fn make_directory(
        &mut self,
        at: i32,
        path: &[u8],
        mode: u32,
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let found = self.walk(at, path, Follow::Entry, host)?;
        let mode = mode & 0o1777 & !self.mask;
        let body = Body::Directory(Directory::new(found.parent, None));
        self.make(&found, body, mode).map(drop)
    }

    pub fn make_link(
        &mut self,
        target: &[u8],
        at: i32,
        path: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        if target.is_empty() {
            return Err(errno::ENOENT);
        }
        if target.len() >= super::MOST_PATH {
            return Err(errno::ENAMETOOLONG);
        }
        let found = self.walk(at, path, Follow::Entry, host)?;
        self.check_slash(&found)?;
        self.make(&found, Body::Link(target.to_vec()), 0o777)
            .map(drop)
    }

    /// What is no directory cannot get a name with a slash behind it.
    fn check_slash(&self, found: &Found) -> Result<(), i32> {
        match found.has_slash && found.node.is_none() {
            true => Err(errno::ENOENT),
            false => Ok(()),
        }
    }

    /// A file, a pipe or a socket; devices are for root.
    pub fn make_node(
        &mut self,
        at: i32,
        path: &[u8],
        mode: u32,
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let found = self.walk(at, path, Follow::Entry, host)?;
        self.check_slash(&found)?;
        let body = match mode & S_IFMT {
            _ if found.node.is_some() => return Err(errno::EEXIST),
            0 | S_IFREG => Body::file(Content::default()),
            S_IFIFO => Body::Pipe(Content::default()),
            S_IFSOCK => Body::Socket(Content::default()),
            _ => return Err(errno::EPERM),
        };
        let mode = mode & 0o7777 & !self.mask;
        self.make(&found, body, mode).map(drop)
    }

    /// Another name for what is there.
    pub fn link(
        &mut self,
        (from_at, from): (i32, &[u8]),
        (to_at, to): (i32, &[u8]),
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let node = self.find(from_at, from, follow, host)?;
        self.link_node(node, to_at, to, host)
    }

    /// Another name, or the first one, for what is open.
    pub fn link_descriptor(
        &mut self,
        descriptor: i32,
        at: i32,
        path: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let node = self.get(descriptor)?.node;
        self.link_node(node, at, path, host)
    }

    fn link_node(
        &mut self,
        node: usize,
        at: i32,
        path: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let found = self.walk(at, path, Follow::Entry, host)?;
        self.check_slash(&found)?;
        self.check_new(&found)?;
        let inode = self.inode(node);
        if inode.is_directory()
            || !matches!(inode.body, Body::File(_) | Body::Link(_) | Body::Pipe(_))
        {
            return Err(errno::EPERM);
        }
        self.inode_mut(node).links += 1;
        self.enter(found.parent, &found.name, node);
        self.stamp_changed(node);
        self.stamp_modified(found.parent);
        Ok(())
    }

    pub fn read_link(&mut self, at: i32, path: &[u8], host: &mut dyn Host) -> Result<Vec<u8>, i32> {
        let node = self.find(at, path, Follow::NotTheLast, host)?;
        let Body::Link(target) = &self.inode(node).body else {
            return Err(errno::EINVAL);
        };
        Ok(target.clone())
    }

    pub fn unlink(&mut self, at: i32, path: &[u8], host: &mut dyn Host) -> Result<(), i32> {
        let found = self.walk(at, path, Follow::Entry, host)?;
        if found.last != Last::Name {
            return Err(errno::EISDIR);
        }
        let node = found.there()?;
        if found.has_slash {
            return Err(match self.inode(node).is_directory() {
                true => errno::EISDIR,
                false => errno::ENOTDIR,
            });
        }
        self.check_removal(&found, node)?;
        if self.inode(node).is_directory() {
            return Err(errno::EISDIR);
        }
        self.take_out(&found, node);
        Ok(())
    }

    /// Takes a name away, and what it led to if that was the last one and nobody has it open.
    fn take_out(&mut self, found: &Found, node: usize) {
        self.forget(found.parent, &found.name);
        self.stamp_modified(found.parent);
        self.lose_name(node);
    }

    fn lose_name(&mut self, node: usize) {
        self.inode_mut(node).links -= 1;
        self.stamp_changed(node);
        self.collect(node);
    }

    /// Lets go of what nothing leads to any more.
    pub(super) fn collect(&mut self, node: usize) {
        let is_open = self
            .open
            .iter()
            .flatten()
            .any(|open| open.node == node || open.peer == Some(node));
        let is_mapped = self.mappings.iter().any(|mapping| mapping.node == node);
        let is_plain = !self.inode(node).is_directory();
        if self.inode(node).links == 0 && !is_open && !is_mapped && is_plain {
            self.inode_mut(node).body = Body::Gone;
        }
    }

    fn check_empty(&mut self, directory: usize, host: &mut dyn Host) -> Result<(), i32> {
        match self.children(directory, host)?.is_empty() {
            true => Ok(()),
            false => Err(errno::ENOTEMPTY),
        }
    }

    pub fn remove_directory(
        &mut self,
        at: i32,
        path: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let found = self.walk(at, path, Follow::Entry, host)?;
        match found.last {
            Last::Name => {}
            Last::Dot => return Err(errno::EINVAL),
            Last::DotDot => return Err(errno::ENOTEMPTY),
            Last::Root => return Err(errno::EBUSY),
        }
        let node = found.there()?;
        self.check_removal(&found, node)?;
        if !matches!(self.inode(node).body, Body::Directory(_)) {
            return Err(errno::ENOTDIR);
        }
        self.check_empty(node, host)?;
        self.take_out(&found, node);
        Ok(())
    }

    pub fn change_directory(
        &mut self,
        at: i32,
        path: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let node = self.find(at, path, Follow::Links, host)?;
        self.go_to(node)
    }

    pub fn change_to_descriptor(&mut self, descriptor: i32) -> Result<(), i32> {
        let node = self.open_directory(descriptor)?;
        self.go_to(node)
    }

    fn go_to(&mut self, node: usize) -> Result<(), i32> {
        let inode = self.inode(node);
        if !inode.is_directory() {
            return Err(errno::ENOTDIR);
        }
        inode.check(SEARCH)?;
        self.directory = node;
        Ok(())
    }

    pub fn rename(
        &mut self,
        (from_at, from): (i32, &[u8]),
        (to_at, to): (i32, &[u8]),
        how: Rename,
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        let from = self.walk(from_at, from, Follow::Entry, host)?;
        let to = self.walk(to_at, to, Follow::Entry, host)?;
        if from.last != Last::Name {
            return Err(errno::EBUSY);
        }
        if to.last != Last::Name {
            return Err(match how {
                Rename::New => errno::EEXIST,
                _ => errno::EBUSY,
            });
        }
        let node = from.there()?;
        if how == Rename::New && to.node.is_some() {
            return Err(errno::EEXIST);
        }
        if how == Rename::Exchange && to.node.is_none() {
            return Err(errno::ENOENT);
        }
        let is_directory = self.inode(node).is_directory();
        let becomes_directory = match (how, to.node) {
            (Rename::Exchange, Some(other)) => self.inode(other).is_directory(),
            _ => is_directory,
        };
        if !is_directory && from.has_slash
            || !becomes_directory && how == Rename::Exchange && to.has_slash
        {
            return Err(errno::ENOTDIR);
        }
        if !is_directory && to.has_slash && how != Rename::Exchange {
            return Err(errno::ENOTDIR);
        }
        // Nothing goes into itself.
        if is_directory && self.is_within(to.parent, node) {
            return Err(errno::EINVAL);
        }
        if let Some(other) = to.node {
            let other_holds =
                self.inode(other).is_directory() && self.is_within(from.parent, other);
            if other_holds {
                return Err(match how {
                    Rename::Exchange => errno::EINVAL,
                    _ => errno::ENOTEMPTY,
                });
            }
        }
        if to.node == Some(node) {
            return Ok(());
        }
        self.check_removal(&from, node)?;
        match to.node {
            None => self.check_new(&to)?,
            Some(other) => {
                self.check_removal(&to, other)?;
                match (is_directory, self.inode(other).is_directory()) {
                    _ if how == Rename::Exchange => {}
                    (true, false) => return Err(errno::ENOTDIR),
                    (false, true) => return Err(errno::EISDIR),
                    _ => {}
                }
            }
        }
        // A directory that moves has another `..`.
        if is_directory && from.parent != to.parent {
            self.inode(node).check(WRITE)?;
        }
        if let (Some(other), Rename::Exchange) = (to.node, how) {
            self.enter(from.parent, &from.name, other);
            self.enter(to.parent, &to.name, node);
            self.stamp_changed(other);
        } else {
            if let Some(other) = to.node {
                if is_directory {
                    self.check_empty(other, host)?;
                }
                self.lose_name(other);
            }
            self.forget(from.parent, &from.name);
            self.enter(to.parent, &to.name, node);
        }
        self.stamp_changed(node);
        self.stamp_modified(from.parent);
        self.stamp_modified(to.parent);
        Ok(())
    }

    /// Whether a directory is another one or somewhere in it.
    fn is_within(&self, mut directory: usize, other: usize) -> bool {
        loop {
            if directory == other {
                return true;
            }
            if directory == ROOT {
                return false;
            }
            directory = self.parent_of(directory);
        }
    }
}
