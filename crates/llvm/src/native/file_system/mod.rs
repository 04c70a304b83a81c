//! The files of one path, in memory: names, contents whose bytes may be symbolic, and what descriptors are open.
//!
//! Nothing here writes to the host. What the host shows ([`Seen`]) is looked up, listed and read when the program first
//! asks for it, and is the path's own from then on: what the program writes, renames or removes, it does to this copy.
//! `/dev` and `/proc` are never the host's.
//!
//! The program is user and group [`USER`]; the files of whoever runs the machine are that user's. Modes are enforced as
//! for any user who is not root.

mod attributes;
mod content;
mod directory;
mod host;
mod inode;
mod mapping;
mod names;
mod open;
mod shape;
mod sized;
#[cfg(test)]
mod tests;
mod transfer;
mod walk;

use std::collections::BTreeMap;
use std::rc::Rc;

pub use self::attributes::{SetTime, Times};
pub use self::content::Content;
pub use self::host::{HostEntry, HostKind, Seen};
pub use self::inode::{Device, Stat, Stream, Time};
pub use self::mapping::Mapping;
pub use self::names::Rename;
pub use self::shape::NameShape;
pub use self::transfer::Way;
pub use self::walk::Follow;

use self::directory::{Directory, Entry, Listing};
use self::inode::{Body, Inode};

pub const AT_FDCWD: i32 = -100;

pub const O_ACCMODE: i32 = 3;
pub const O_RDONLY: i32 = 0;
pub const O_WRONLY: i32 = 1;
pub const O_RDWR: i32 = 2;
pub const O_CREAT: i32 = 0o100;
pub const O_EXCL: i32 = 0o200;
pub const O_TRUNC: i32 = 0o1000;
pub const O_APPEND: i32 = 0o2000;
pub const O_NONBLOCK: i32 = 0o4000;
pub const O_DIRECTORY: i32 = 0o200_000;
pub const O_NOFOLLOW: i32 = 0o400_000;
pub const O_CLOEXEC: i32 = 0o2_000_000;
pub const O_PATH: i32 = 0o10_000_000;
pub const O_TMPFILE: i32 = 0o20_200_000;

pub const S_IFMT: u32 = 0o170_000;
pub const S_IFIFO: u32 = 0o010_000;
pub const S_IFCHR: u32 = 0o020_000;
pub const S_IFDIR: u32 = 0o040_000;
pub const S_IFREG: u32 = 0o100_000;
pub const S_IFLNK: u32 = 0o120_000;
pub const S_IFSOCK: u32 = 0o140_000;

/// The number of the program's user and of its group.
pub const USER: u32 = 1000;

/// More descriptors than this are not to be had.
pub const MOST_DESCRIPTORS: usize = 1024;
/// No file grows beyond this.
const MOST_BYTES: u64 = 1 << 30;
const MOST_PATH: usize = 4096;
/// No part of a path is longer.
pub const MOST_NAME: usize = 255;
/// What a pipe holds at most.
const PIPE_BYTES: usize = 65536;
/// Where a program is that sees no directory of the host.
pub const HOME: &[u8] = b"/home/user";

/// An open file; descriptors made by `dup` share one.
#[derive(Clone, Debug)]
pub struct Open {
    pub node: usize,
    pub offset: u64,
    pub flags: i32,
    /// For a directory: what is in it, as of the first look since it was opened or rewound.
    listing: Option<Rc<Listing>>,
    /// Where writes go, for one end of a pair of sockets.
    peer: Option<usize>,
    /// What it was called when it was opened.
    path: Rc<[u8]>,
}

impl Open {
    pub fn reads(&self) -> bool {
        self.flags & O_ACCMODE != O_WRONLY && self.flags & O_PATH == 0
    }

    pub fn writes(&self) -> bool {
        self.flags & O_ACCMODE != O_RDONLY && self.flags & O_PATH == 0
    }
}

#[derive(Clone, Copy, Debug)]
struct Descriptor {
    open: usize,
    closes_on_exec: bool,
}

#[derive(Clone, Debug)]
pub struct FileSystem {
    nodes: Vec<Rc<Inode>>,
    /// Open files; descriptors made by `dup` share one.
    open: Vec<Option<Open>>,
    descriptors: Vec<Option<Descriptor>>,
    /// The node of the current directory.
    directory: usize,
    /// Files of the host that have several names, by device and number.
    linked: BTreeMap<(u64, u64), usize>,
    /// Files that are shared with memory.
    mappings: Vec<Mapping>,
    /// How many temporary names there were.
    temporary: u64,
    /// The bits that new files do not get.
    pub mask: u32,
    /// The time that what happens now happens at.
    pub now: Time,
    /// Something got a new time: a moment has passed.
    pub has_stamped: bool,
}

const ROOT: usize = 0;

impl Default for FileSystem {
    fn default() -> FileSystem {
        FileSystem::new(Seen::Nothing)
    }
}

impl FileSystem {
    pub fn new(seen: Seen) -> FileSystem {
        let backing = |path: &[u8]| Some(Rc::from(path));
        let root = match seen {
            Seen::All { .. } => Directory::new(ROOT, backing(b"/")),
            Seen::Nothing | Seen::Below => Directory::new(ROOT, None),
        };
        let mut files = FileSystem {
            nodes: Vec::new(),
            open: Vec::new(),
            descriptors: Vec::new(),
            directory: ROOT,
            linked: BTreeMap::new(),
            mappings: Vec::new(),
            temporary: 0,
            mask: 0o022,
            now: Time::START,
            has_stamped: false,
        };
        files.add_node(Body::Directory(root), 0o755, 0);
        files.add_devices();
        match &seen {
            // Its working directory is found when something is first looked up.
            Seen::All { .. } => {}
            Seen::Nothing | Seen::Below => {
                let tmp = files.directory_at(b"/tmp");
                files.inode_mut(tmp).mode = 0o1777;
                let home = files.directory_at(HOME);
                files.directory = home;
                files.inode_mut(home).user = USER;
                files.inode_mut(home).group = USER;
            }
        }
        if let Seen::Below = seen {
            let home = files.directory;
            files.directory_mut(home).back(Rc::from(&b""[..]));
        }
        files
    }

    /// What the machine itself has under `/dev` and `/proc`, and the standard streams.
    fn add_devices(&mut self) {
        let dev = self.directory_at(b"/dev");
        let own = self.directory_at(b"/proc/self");
        for (name, device) in Device::NAMED {
            let node = self.add_node(Body::Device(*device), 0o666, 0);
            self.enter(dev, name, node);
        }
        let descriptors = self.add_node(Body::Descriptors, 0o500, USER);
        self.enter(own, b"fd", descriptors);
        for (name, target) in [
            (&b"fd"[..], &b"/proc/self/fd"[..]),
            (b"stdin", b"/proc/self/fd/0"),
            (b"stdout", b"/proc/self/fd/1"),
            (b"stderr", b"/proc/self/fd/2"),
        ] {
            let node = self.add_node(Body::Link(target.to_vec()), 0o777, 0);
            self.enter(dev, name, node);
        }
        for (stream, flags) in [
            (Stream::Input, O_RDONLY),
            (Stream::Output(1), O_WRONLY),
            (Stream::Output(2), O_WRONLY),
        ] {
            let node = self.add_node(Body::Stream(stream), 0o600, USER);
            let text = format!("pipe:[{}]", self.inode_number(node));
            // As many as there are at the start always fit.
            let _ = self.add_open(node, flags, text.as_bytes());
        }
    }

    fn add_node(&mut self, body: Body, mode: u32, user: u32) -> usize {
        self.nodes.push(Rc::new(Inode {
            body,
            mode,
            user,
            group: user,
            links: 1,
            times: [self.now; 3],
        }));
        self.nodes.len() - 1
    }

    fn inode(&self, node: usize) -> &Inode {
        &self.nodes[node]
    }

    fn inode_mut(&mut self, node: usize) -> &mut Inode {
        Rc::make_mut(&mut self.nodes[node])
    }

    /// The directory of a plain absolute path, made as root's where it is not there: for what exists from the start.
    fn directory_at(&mut self, path: &[u8]) -> usize {
        let mut at = ROOT;
        for part in path.split(|&byte| byte == b'/') {
            if part.is_empty() {
                continue;
            }
            let known = match self.inode(at).entry(part) {
                Some(&Entry::Node(node)) => Some(node),
                _ => None,
            };
            at = known.unwrap_or_else(|| {
                let body = Body::Directory(Directory::new(at, None));
                let node = self.add_node(body, 0o755, 0);
                self.enter(at, part, node);
                node
            });
        }
        at
    }

    /// A file that is there from the start and that the program may change. It hides what the host has of that name;
    /// directories that are not there yet are made.
    pub fn add_file(&mut self, path: &[u8], content: Content) {
        let start = match path.first() {
            Some(b'/') => ROOT,
            _ => self.directory,
        };
        let mut parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
        parts.retain(|part| !part.is_empty() && *part != b".");
        let Some(name) = parts.pop() else {
            return;
        };
        let mut at = start;
        for part in parts {
            at = match self.inode(at).entry(part) {
                _ if part == b".." => self.parent_of(at),
                Some(&Entry::Node(node)) if self.inode(node).is_directory() => node,
                _ => {
                    let body = Body::Directory(Directory::new(at, None));
                    let node = self.add_node(body, 0o755, USER);
                    self.enter(at, part, node);
                    node
                }
            };
        }
        let node = self.add_node(Body::file(content), 0o644, USER);
        self.enter(at, name, node);
    }

    /// Standard input is a pipe with this content, and not the host's.
    pub fn set_input(&mut self, content: Content) {
        let node = self.add_node(Body::Pipe(content), 0o600, USER);
        self.inode_mut(node).links = 0;
        if let Some(Some(open)) = self.open.get_mut(0) {
            open.node = node;
            open.offset = 0;
        }
    }
}
