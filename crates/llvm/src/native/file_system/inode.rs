//! What a name leads to: contents, who may do what with them, and when that was last done.

use super::directory::{Directory, Entry};
use super::{Content, FileSystem, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFREG, S_IFSOCK, USER};
use crate::native::{errno, kernel};
use std::rc::Rc;

/// Since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    pub seconds: i64,
    pub nanoseconds: u32,
}

impl Time {
    /// When programs start.
    pub const START: Time = Time {
        seconds: kernel::START_SECONDS as i64,
        nanoseconds: 0,
    };

    /// So many nanoseconds after programs start.
    pub fn after_start(nanoseconds: u64) -> Time {
        Time {
            seconds: Time::START.seconds + (nanoseconds / 1_000_000_000) as i64,
            nanoseconds: (nanoseconds % 1_000_000_000) as u32,
        }
    }
}

/// What the host reads or takes as the program goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Input,
    Output(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Null,
    Zero,
    Full,
    Random,
    /// A terminal that nobody has.
    Terminal,
    /// Something of the host's that is neither a file nor a directory nor a link.
    Foreign,
}

impl Device {
    pub(super) const NAMED: &[(&'static [u8], Device)] = &[
        (b"full", Device::Full),
        (b"null", Device::Null),
        (b"random", Device::Random),
        (b"tty", Device::Terminal),
        (b"urandom", Device::Random),
        (b"zero", Device::Zero),
    ];

    /// As Linux numbers it.
    fn number(self) -> u64 {
        let (major, minor) = match self {
            Device::Null => (1, 3),
            Device::Zero => (1, 5),
            Device::Full => (1, 7),
            Device::Random => (1, 9),
            Device::Terminal => (5, 0),
            Device::Foreign => (0, 0),
        };
        major << 8 | minor
    }
}

#[derive(Clone, Debug)]
pub(super) enum Data {
    Own(Content),
    /// The host's, not read yet: where it is there, and how long it is.
    Host(Rc<[u8]>, u64),
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    File(Data),
    Directory(Directory),
    /// `/proc/self/fd`.
    Descriptors,
    Link(Vec<u8>),
    Pipe(Content),
    /// As a pipe, for one direction of a pair of sockets.
    Socket(Content),
    Device(Device),
    Stream(Stream),
    /// Nothing leads here any more.
    Gone,
}

impl Body {
    pub fn file(content: Content) -> Body {
        Body::File(Data::Own(content))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Inode {
    pub body: Body,
    /// Without the kind.
    pub mode: u32,
    pub user: u32,
    pub group: u32,
    /// How many names it has.
    pub links: u32,
    /// Of access, of modification, of change.
    pub times: [Time; 3],
}

impl Inode {
    pub fn is_directory(&self) -> bool {
        matches!(self.body, Body::Directory(_) | Body::Descriptors)
    }

    /// Whether there can be nobody else at the other end: a pipe, or one direction of a pair of sockets.
    pub fn is_pipe(&self) -> bool {
        matches!(self.body, Body::Pipe(_) | Body::Socket(_))
    }

    pub fn directory(&self) -> Option<&Directory> {
        match &self.body {
            Body::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    pub fn entry(&self, name: &[u8]) -> Option<&Entry> {
        self.directory()?.entries.get(name)
    }

    pub fn kind(&self) -> u32 {
        match self.body {
            Body::File(_) | Body::Gone => S_IFREG,
            Body::Directory(_) | Body::Descriptors => S_IFDIR,
            Body::Link(_) => S_IFLNK,
            Body::Pipe(_) | Body::Stream(_) => S_IFIFO,
            Body::Socket(_) => S_IFSOCK,
            Body::Device(_) => S_IFCHR,
        }
    }

    pub fn size(&self) -> u64 {
        match &self.body {
            Body::File(Data::Own(content)) => content.len() as u64,
            Body::File(Data::Host(_, size)) => *size,
            Body::Directory(_) => 4096,
            Body::Link(target) => target.len() as u64,
            _ => 0,
        }
    }

    /// Whether the program's user may read (4), write (2), execute or search (1).
    pub fn may(&self, wanted: u32) -> bool {
        let shift = match (self.user == USER, self.group == USER) {
            (true, _) => 6,
            (false, true) => 3,
            (false, false) => 0,
        };
        self.mode >> shift & wanted == wanted
    }

    pub fn check(&self, wanted: u32) -> Result<(), i32> {
        match self.may(wanted) {
            true => Ok(()),
            false => Err(errno::EACCES),
        }
    }
}

pub const READ: u32 = 4;
pub const WRITE: u32 = 2;
pub const SEARCH: u32 = 1;

/// What `stat` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub inode: u64,
    /// With the kind.
    pub mode: u32,
    pub links: u64,
    pub user: u32,
    pub group: u32,
    /// The device that it is.
    pub device: u64,
    pub size: u64,
    /// Of access, of modification, of change.
    pub times: [Time; 3],
}

impl Stat {
    /// Of 512 bytes.
    pub fn blocks(&self) -> u64 {
        match self.mode & super::S_IFMT {
            S_IFREG | S_IFDIR => self.size.div_ceil(4096) * 8,
            _ => 0,
        }
    }
}

impl FileSystem {
    /// As the program sees it; zero is no number of a file.
    pub(super) fn inode_number(&self, node: usize) -> u64 {
        node as u64 + 2
    }

    pub(super) fn stat_node(&self, node: usize) -> Stat {
        let inode = self.inode(node);
        // The name of a directory, its own, and those that its children have for it.
        let links = match inode.directory() {
            Some(directory) => (2 + directory.directories).max(1) as u64,
            None => u64::from(inode.links),
        };
        Stat {
            inode: self.inode_number(node),
            mode: inode.kind() | inode.mode,
            links: match inode.links {
                // The one of a pipe that has no name.
                0 => u64::from(inode.is_pipe()),
                _ => links,
            },
            user: inode.user,
            group: inode.group,
            device: match inode.body {
                Body::Device(device) => device.number(),
                _ => 0,
            },
            size: inode.size(),
            times: inode.times,
        }
    }

    pub fn stat(&self, descriptor: i32) -> Result<Stat, i32> {
        Ok(self.stat_node(self.get(descriptor)?.node))
    }

    /// Its contents have changed now.
    pub(super) fn stamp_modified(&mut self, node: usize) {
        let now = self.stamp();
        self.inode_mut(node).times[1..].fill(now);
    }

    /// What is said about it has changed now.
    pub(super) fn stamp_changed(&mut self, node: usize) {
        let now = self.stamp();
        self.inode_mut(node).times[2] = now;
    }

    /// It was read now. As Linux does by default, that is noted once after a change.
    pub(super) fn stamp_read(&mut self, node: usize) {
        let [read, modified, changed] = self.inode(node).times;
        if read <= modified || read <= changed {
            let now = self.stamp();
            if now > read {
                self.inode_mut(node).times[0] = now;
            }
        }
    }

    fn stamp(&mut self) -> Time {
        self.has_stamped = true;
        self.now
    }
}
