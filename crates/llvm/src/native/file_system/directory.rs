//! Directories: what is in them, and how that is read.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inode::{Body, READ, SEARCH};
use super::{FileSystem, NameShape, ROOT};
use crate::native::{Host, errno};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Node(usize),
    /// The host has something of this name.
    Host,
    /// Nothing, whatever the host has.
    Gone,
}

impl Entry {
    pub fn node(&self) -> Option<usize> {
        match self {
            Entry::Node(node) => Some(*node),
            Entry::Host | Entry::Gone => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub parent: usize,
    pub entries: BTreeMap<Vec<u8>, Entry>,
    /// The directory of the host that shows through.
    pub backing: Option<Rc<[u8]>>,
    /// All names that the host has are among the entries.
    pub is_listed: bool,
    /// How many directories are in it, as far as it says.
    pub directories: i64,
}

impl Directory {
    pub fn new(parent: usize, backing: Option<Rc<[u8]>>) -> Directory {
        Directory {
            parent,
            entries: BTreeMap::new(),
            is_listed: backing.is_none(),
            backing,
            directories: 0,
        }
    }

    pub fn back(&mut self, path: Rc<[u8]>) {
        self.backing = Some(path);
        self.is_listed = false;
    }
}

/// Names, what each leads to, and the kinds of these.
pub(super) type Listing = Vec<(Vec<u8>, u64, u32)>;

impl FileSystem {
    pub(super) fn directory_mut(&mut self, node: usize) -> &mut Directory {
        match &mut self.inode_mut(node).body {
            Body::Directory(directory) => directory,
            body => unreachable!("a directory, not {body:?}"),
        }
    }

    pub(super) fn parent_of(&self, node: usize) -> usize {
        let directory = self.inode(node).directory();
        directory.map_or(ROOT, |directory| directory.parent)
    }

    /// Gives a node a name.
    pub(super) fn enter(&mut self, directory: usize, name: &[u8], node: usize) {
        let change = self.counts(Some(node)) - self.counts(self.known_child(directory, name));
        let known = self.directory_mut(directory);
        known.directories += change;
        known.entries.insert(name.to_vec(), Entry::Node(node));
        if let Body::Directory(child) = &mut self.inode_mut(node).body {
            child.parent = directory;
        }
    }

    /// Takes a name away.
    pub(super) fn forget(&mut self, directory: usize, name: &[u8]) {
        let change = self.counts(self.known_child(directory, name));
        let known = self.directory_mut(directory);
        known.directories -= change;
        match known.backing {
            Some(_) => known.entries.insert(name.to_vec(), Entry::Gone),
            None => known.entries.remove(name),
        };
    }

    fn known_child(&self, directory: usize, name: &[u8]) -> Option<usize> {
        self.inode(directory).entry(name).and_then(Entry::node)
    }

    /// How much a child adds to the directories of its parent.
    fn counts(&self, node: Option<usize>) -> i64 {
        i64::from(node.is_some_and(|node| self.inode(node).is_directory()))
    }

    /// The names in a directory, sorted.
    pub fn children(&mut self, directory: usize, host: &mut dyn Host) -> Result<Vec<Vec<u8>>, i32> {
        if let Body::Descriptors = self.inode(directory).body {
            let open = { self.descriptors.iter().enumerate() }.filter(|(_, known)| known.is_some());
            return Ok(open.map(|(at, _)| at.to_string().into_bytes()).collect());
        }
        self.list_host(directory, host)?;
        let known = self.inode(directory).directory().ok_or(errno::ENOTDIR)?;
        let there = { known.entries.iter() }.filter(|(_, entry)| **entry != Entry::Gone);
        Ok(there.map(|(name, _)| name.clone()).collect())
    }

    /// Those of them that a text of a shape can begin with. Of the host no others are asked for.
    pub fn children_fitting(
        &mut self,
        directory: usize,
        shape: &NameShape,
        host: &mut dyn Host,
    ) -> Result<Vec<Vec<u8>>, i32> {
        let known = self.inode(directory).directory();
        let backing = known.filter(|known| !known.is_listed);
        let Some(backing) = backing.and_then(|known| known.backing.clone()) else {
            let mut names = self.children(directory, host)?;
            names.retain(|name| shape.fits(name));
            return Ok(names);
        };
        let names = host.list_fitting(&backing, shape)?;
        self.add_host_names(directory, names);
        let known = self.inode(directory).directory().ok_or(errno::ENOTDIR)?;
        let there = { known.entries.iter() }
            .filter(|(name, entry)| **entry != Entry::Gone && shape.fits(name));
        Ok(there.map(|(name, _)| name.clone()).collect())
    }

    fn list(&mut self, node: usize, host: &mut dyn Host) -> Result<Listing, i32> {
        let mut listing = Listing::new();
        for (name, node) in [(&b"."[..], node), (b"..", self.parent_of(node))] {
            listing.push((
                name.to_vec(),
                self.inode_number(node),
                self.inode(node).kind(),
            ));
        }
        for name in self.children(node, host)? {
            let child = match self.inode(node).body {
                Body::Descriptors => self.descriptor_named(&name),
                _ => self.look_up(node, &name, host)?,
            };
            // One that went since is not there.
            if let Some(child) = child {
                let is_link = matches!(self.inode(node).body, Body::Descriptors);
                let kind = match is_link {
                    true => super::S_IFLNK,
                    false => self.inode(child).kind(),
                };
                listing.push((name, self.inode_number(child), kind));
            }
        }
        Ok(listing)
    }

    /// The entry of an open directory at its position, which moves on: its name, its number and its kind.
    pub fn next_entry(
        &mut self,
        descriptor: i32,
        host: &mut dyn Host,
    ) -> Result<Option<(Vec<u8>, u64, u32)>, i32> {
        let open = self.get(descriptor)?;
        let (node, at) = (open.node, open.offset as usize);
        if !self.inode(node).is_directory() {
            return Err(errno::ENOTDIR);
        }
        let listing = match open.listing.clone() {
            Some(listing) => listing,
            // A directory that was removed has nothing in it any more.
            None if self.inode(node).links == 0 => Rc::default(),
            None => Rc::new(self.list(node, host)?),
        };
        let entry = listing.get(at).cloned();
        self.stamp_read(node);
        let open = self.get_mut(descriptor)?;
        open.listing = Some(listing);
        open.offset += u64::from(entry.is_some());
        Ok(entry)
    }

    /// Goes to a position that was told before; to the start, what is in the directory is looked at anew.
    pub fn seek_entry(&mut self, descriptor: i32, position: u64) {
        if let Ok(open) = self.get_mut(descriptor) {
            open.offset = position;
            if position == 0 {
                open.listing = None;
            }
        }
    }

    /// The node of an open directory.
    pub(super) fn open_directory(&self, descriptor: i32) -> Result<usize, i32> {
        let node = self.get(descriptor)?.node;
        match self.inode(node).is_directory() {
            true => Ok(node),
            false => Err(errno::ENOTDIR),
        }
    }

    /// That something can be looked up in a directory.
    pub fn check_search(&self, node: usize) -> Result<(), i32> {
        match self.inode(node).is_directory() {
            true => self.inode(node).check(SEARCH),
            false => Err(errno::ENOTDIR),
        }
    }

    /// That a descriptor can be read as a directory.
    pub fn check_directory(&self, descriptor: i32) -> Result<(), i32> {
        let node = self.open_directory(descriptor)?;
        self.inode(node).check(READ)
    }
}
