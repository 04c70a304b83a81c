//! What the host shows of its files: found when the program first asks, and the path's own from then on.

use std::rc::Rc;

use super::directory::{Directory, Entry};
use super::inode::{Body, Data, Device, Time};
use super::{Content, FileSystem, ROOT};
use crate::native::{Host, errno};

/// What of the host's files a program sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Nothing,
    /// All of them but `/dev` and `/proc`; the program is in this directory. Paths are absolute.
    All {
        directory: Vec<u8>,
    },
    /// One directory, whose content is that of the program's working directory. Paths are relative to it.
    Below,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostKind {
    File,
    Directory,
    Link(Vec<u8>),
    Other,
}

/// What the host says of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostEntry {
    pub kind: HostKind,
    /// Without the kind.
    pub mode: u32,
    pub user: u32,
    pub group: u32,
    pub links: u32,
    pub size: u64,
    /// Which file it is, whatever its names.
    pub identity: (u64, u64),
    /// Of access, of modification, of change.
    pub times: [Time; 3],
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_vec();
    if !path.is_empty() && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

impl FileSystem {
    /// Goes to the host's working directory, which has no links on the way; whoever is there already needs no permission.
    /// Where it cannot be found the program is at the root.
    pub fn begin(&mut self, seen: &Seen, host: &mut dyn Host) {
        let Seen::All { directory } = seen else {
            return;
        };
        let mut at = ROOT;
        let mut parts = directory.split(|&byte| byte == b'/');
        let is_there = parts.by_ref().filter(|part| !part.is_empty()).all(|part| {
            let found = self.look_up(at, part, host).ok().flatten();
            at = found.unwrap_or(at);
            found.is_some_and(|found| self.inode(found).is_directory())
        });
        if is_there {
            self.directory = at;
        }
    }

    /// What a directory has under a name.
    pub(super) fn look_up(
        &mut self,
        directory: usize,
        name: &[u8],
        host: &mut dyn Host,
    ) -> Result<Option<usize>, i32> {
        let Body::Directory(known) = &self.inode(directory).body else {
            return Ok(None);
        };
        let is_unknown = match known.entries.get(name) {
            Some(&Entry::Node(node)) => return Ok(Some(node)),
            Some(Entry::Gone) => return Ok(None),
            Some(Entry::Host) => true,
            None => !known.is_listed,
        };
        let Some(backing) = known.backing.clone().filter(|_| is_unknown) else {
            return Ok(None);
        };
        let path = join(&backing, name);
        let entry = match host.look(&path) {
            Ok(entry) => entry,
            Err(errno::ENOENT) => return Ok(None),
            Err(error) => return Err(error),
        };
        let node = self.add_host_node(directory, path, entry);
        self.directory_mut(directory)
            .entries
            .insert(name.to_vec(), Entry::Node(node));
        Ok(Some(node))
    }

    fn add_host_node(&mut self, parent: usize, path: Vec<u8>, entry: HostEntry) -> usize {
        let has_names = entry.links > 1 && entry.kind == HostKind::File;
        if let Some(&known) = self.linked.get(&entry.identity).filter(|_| has_names) {
            return known;
        }
        let path: Rc<[u8]> = Rc::from(path);
        let body = match entry.kind {
            HostKind::File => Body::File(Data::Host(path, entry.size)),
            HostKind::Directory => {
                let mut directory = Directory::new(parent, Some(path));
                directory.directories = i64::from(entry.links) - 2;
                Body::Directory(directory)
            }
            HostKind::Link(target) => Body::Link(target),
            HostKind::Other => Body::Device(Device::Foreign),
        };
        let is_directory = matches!(body, Body::Directory(_));
        let node = self.add_node(body, entry.mode & 0o7777, entry.user);
        let inode = self.inode_mut(node);
        inode.group = entry.group;
        inode.times = entry.times;
        inode.links = if is_directory { 1 } else { entry.links };
        if has_names {
            self.linked.insert(entry.identity, node);
        }
        node
    }

    /// Gets to know all names that the host has in a directory.
    pub(super) fn list_host(&mut self, directory: usize, host: &mut dyn Host) -> Result<(), i32> {
        let Body::Directory(known) = &self.inode(directory).body else {
            return Err(errno::ENOTDIR);
        };
        let Some(backing) = known.backing.clone().filter(|_| !known.is_listed) else {
            return Ok(());
        };
        let names = host.list(&backing)?;
        self.directory_mut(directory).is_listed = true;
        self.add_host_names(directory, names);
        Ok(())
    }

    /// Names that the host has in a directory, of which some may be known, or gone.
    pub(super) fn add_host_names(&mut self, directory: usize, names: Vec<Vec<u8>>) {
        let known = self.directory_mut(directory);
        for name in names {
            // The machine has its own.
            let is_hidden = directory == ROOT && matches!(&name[..], b"dev" | b"proc");
            if !is_hidden {
                known.entries.entry(name).or_insert(Entry::Host);
            }
        }
    }

    /// Reads a file of the host, if that has not happened.
    pub(super) fn load(&mut self, node: usize, host: &mut dyn Host) -> Result<(), i32> {
        let Body::File(Data::Host(path, _)) = &self.inode(node).body else {
            return Ok(());
        };
        let path = path.clone();
        let bytes = host.read_file(&path)?;
        if bytes.len() as u64 > super::MOST_BYTES {
            return Err(errno::EFBIG);
        }
        let content = Content {
            bytes,
            ..Content::default()
        };
        self.inode_mut(node).body = Body::file(content);
        Ok(())
    }
}
