//! The files of one path, in memory: names, contents whose bytes may be symbolic, and what descriptors are open.
//!
//! Nothing here touches the host. A file of the host is there to be read if the host hands it out, and never written.

mod content;
mod names;
mod open;
mod sized;
#[cfg(test)]
mod tests;
mod transfer;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use self::content::Content;

pub const O_ACCMODE: i32 = 3;
pub const O_RDONLY: i32 = 0;
pub const O_WRONLY: i32 = 1;
pub const O_RDWR: i32 = 2;
pub const O_CREAT: i32 = 0o100;
pub const O_EXCL: i32 = 0o200;
pub const O_TRUNC: i32 = 0o1000;
pub const O_APPEND: i32 = 0o2000;
pub const O_DIRECTORY: i32 = 0o200_000;
pub const O_TMPFILE: i32 = 0o20_200_000;

pub const S_IFIFO: u32 = 0o010_000;
pub const S_IFCHR: u32 = 0o020_000;
pub const S_IFDIR: u32 = 0o040_000;
pub const S_IFREG: u32 = 0o100_000;

/// More descriptors than this are not to be had.
pub const MOST_DESCRIPTORS: usize = 1024;
/// No file grows beyond this.
const MOST_BYTES: u64 = 1 << 30;
const MOST_NAME: usize = 4096;

#[derive(Clone, Debug)]
enum Node {
    File {
        content: Content,
        /// It is the host's.
        read_only: bool,
    },
    Directory,
    Pipe(Content),
}

/// What an open file leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The host's standard input.
    Input,
    /// The host's standard output or error.
    Output(i32),
    Null,
    Zero,
    Random,
    Node(usize),
}

#[derive(Clone, Debug)]
pub struct Open {
    pub target: Target,
    pub offset: u64,
    pub flags: i32,
}

impl Open {
    pub fn reads(&self) -> bool {
        self.flags & O_ACCMODE != O_WRONLY
    }

    pub fn writes(&self) -> bool {
        self.flags & O_ACCMODE != O_RDONLY
    }
}

/// What `stat` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub inode: u64,
    pub mode: u32,
    pub size: u64,
}

/// Hands out a file of the host, by the name that the program gave.
pub type HostFile<'a> = &'a mut dyn FnMut(&[u8]) -> Option<Vec<u8>>;

#[derive(Clone, Debug)]
pub struct FileSystem {
    nodes: Vec<Rc<Node>>,
    /// By absolute name.
    names: BTreeMap<Vec<u8>, usize>,
    /// Names that are gone, whatever the host has there.
    removed: BTreeSet<Vec<u8>>,
    /// Open files; descriptors made by `dup` share one.
    open: Vec<Option<Open>>,
    descriptors: Vec<Option<usize>>,
    directory: Vec<u8>,
    temporary: u64,
}

impl Default for FileSystem {
    fn default() -> FileSystem {
        let mut files = FileSystem {
            nodes: Vec::new(),
            names: BTreeMap::new(),
            removed: BTreeSet::new(),
            open: Vec::new(),
            descriptors: Vec::new(),
            directory: b"/".to_vec(),
            temporary: 0,
        };
        for name in [&b"/"[..], b"/dev", b"/tmp"] {
            files.add(name.to_vec(), Node::Directory);
        }
        for (target, flags) in [
            (Target::Input, O_RDONLY),
            (Target::Output(1), O_WRONLY),
            (Target::Output(2), O_WRONLY),
        ] {
            let open = Open {
                target,
                offset: 0,
                flags,
            };
            files.open.push(Some(open));
            files.descriptors.push(Some(files.open.len() - 1));
        }
        files
    }
}

impl FileSystem {
    fn add_node(&mut self, node: Node) -> usize {
        self.nodes.push(Rc::new(node));
        self.nodes.len() - 1
    }

    fn add(&mut self, name: Vec<u8>, node: Node) -> usize {
        let index = self.add_node(node);
        self.names.insert(name, index);
        index
    }

    /// A file that is there from the start and that the program may change.
    pub fn add_file(&mut self, path: &[u8], content: Content) {
        let name = self.absolute(path);
        let mut above = parent(&name).to_vec();
        while !self.names.contains_key(&above) {
            self.add(above.clone(), Node::Directory);
            above = parent(&above).to_vec();
        }
        let read_only = false;
        self.add(name, Node::File { content, read_only });
    }

    /// Standard input is a pipe with these contents, and not the host's.
    pub fn set_input(&mut self, content: Content) {
        let node = self.add_node(Node::Pipe(content));
        self.open[0] = Some(Open {
            target: Target::Node(node),
            offset: 0,
            flags: O_RDONLY,
        });
    }

    fn stat_target(&self, target: Target) -> Stat {
        let (inode, mode, size) = match target {
            Target::Input => (1, S_IFIFO | 0o600, 0),
            Target::Output(_) => (2, S_IFIFO | 0o600, 0),
            Target::Null => (3, S_IFCHR | 0o666, 0),
            Target::Zero => (4, S_IFCHR | 0o666, 0),
            Target::Random => (5, S_IFCHR | 0o666, 0),
            Target::Node(node) => {
                let (mode, size) = match &*self.nodes[node] {
                    Node::File { content, read_only } => {
                        let mode = if *read_only { 0o444 } else { 0o644 };
                        (S_IFREG | mode, content.len() as u64)
                    }
                    Node::Directory => (S_IFDIR | 0o755, 4096),
                    Node::Pipe(_) => (S_IFIFO | 0o600, 0),
                };
                (node as u64 + 16, mode, size)
            }
        };
        Stat { inode, mode, size }
    }

    pub fn stat(&self, descriptor: i32) -> Result<Stat, i32> {
        Ok(self.stat_target(self.get(descriptor)?.target))
    }

    pub fn stat_path(&mut self, path: &[u8], host: HostFile<'_>) -> Result<Stat, i32> {
        if let Some(target) = device(&self.absolute(path)) {
            return Ok(self.stat_target(target));
        }
        let node = self.find(path, host)?;
        Ok(self.stat_target(Target::Node(node)))
    }
}

fn parent(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|&byte| byte == b'/') {
        Some(0) | None => b"/",
        Some(at) => &name[..at],
    }
}

fn device(name: &[u8]) -> Option<Target> {
    Some(match name {
        b"/dev/null" => Target::Null,
        b"/dev/zero" => Target::Zero,
        b"/dev/random" | b"/dev/urandom" => Target::Random,
        b"/dev/stdin" => Target::Input,
        b"/dev/stdout" => Target::Output(1),
        b"/dev/stderr" => Target::Output(2),
        _ => return None,
    })
}

fn empty_file() -> Node {
    Node::File {
        content: Content::default(),
        read_only: false,
    }
}
