//! The files of one path, in memory: names, contents whose bytes may be symbolic, and what descriptors are open.
//!
//! Nothing here touches the host. A file of the host is there to be read if the host hands it out, and never written.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use refrain_term::Term;

use super::errno;
use crate::memory::Value;

/// Bytes of which some are terms of eight bits.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Content {
    /// Zero where there is a term.
    pub bytes: Vec<u8>,
    pub terms: BTreeMap<usize, Term>,
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Content {
        Content {
            bytes: bytes.to_vec(),
            terms: BTreeMap::new(),
        }
    }
}

impl Content {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn push(&mut self, value: Value) {
        match value {
            Value::Concrete(byte) => self.bytes.push(byte as u8),
            Value::Symbolic(term) => {
                self.terms.insert(self.bytes.len(), term);
                self.bytes.push(0);
            }
        }
    }

    pub fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self
            .bytes
            .iter()
            .map(|&byte| Value::Concrete(u64::from(byte)))
            .collect();
        for (&at, &term) in &self.terms {
            values[at] = Value::Symbolic(term);
        }
        values
    }

    /// Up to so many bytes; fewer at the end.
    pub fn slice(&self, at: usize, len: usize) -> Content {
        let at = at.min(self.len());
        let end = at.saturating_add(len).min(self.len());
        let terms = self.terms.range(at..end);
        Content {
            bytes: self.bytes[at..end].to_vec(),
            terms: terms.map(|(&index, &term)| (index - at, term)).collect(),
        }
    }

    /// Overwrites from a place on; what lies between the end and the place becomes zero.
    pub fn put(&mut self, at: usize, piece: &Content) {
        let end = at + piece.len();
        if self.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&piece.bytes);
        let old: Vec<usize> = self.terms.range(at..end).map(|(&index, _)| index).collect();
        for index in old {
            self.terms.remove(&index);
        }
        let new = piece.terms.iter().map(|(&index, &term)| (at + index, term));
        self.terms.extend(new);
    }

    pub fn append(&mut self, piece: &Content) {
        self.put(self.len(), piece);
    }

    pub fn set_len(&mut self, len: usize) {
        self.bytes.resize(len, 0);
        self.terms.split_off(&len);
    }
}

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

    /// Standard input is this, and not the host's.
    pub fn set_input(&mut self, content: Content) {
        let node = self.add_node(Node::File {
            content,
            read_only: false,
        });
        self.open[0] = Some(Open {
            target: Target::Node(node),
            offset: 0,
            flags: O_RDONLY,
        });
    }

    pub fn directory(&self) -> &[u8] {
        &self.directory
    }

    /// A path from the root on, without `.`, `..` and doubled slashes.
    pub fn absolute(&self, path: &[u8]) -> Vec<u8> {
        let mut parts: Vec<&[u8]> = Vec::new();
        let start: &[u8] = match path.first() {
            Some(b'/') => b"",
            _ => &self.directory,
        };
        for part in start
            .split(|&byte| byte == b'/')
            .chain(path.split(|&byte| byte == b'/'))
        {
            match part {
                b"" | b"." => {}
                b".." => {
                    parts.pop();
                }
                _ => parts.push(part),
            }
        }
        let mut name = Vec::new();
        for part in parts {
            name.push(b'/');
            name.extend_from_slice(part);
        }
        if name.is_empty() {
            name.push(b'/');
        }
        name
    }

    /// The path that a path means relative to an open directory.
    pub fn at(&self, descriptor: i32, path: &[u8]) -> Result<Vec<u8>, i32> {
        const AT_FDCWD: i32 = -100;
        if descriptor == AT_FDCWD || path.first() == Some(&b'/') {
            return Ok(path.to_vec());
        }
        let Target::Node(node) = self.get(descriptor)?.target else {
            return Err(errno::ENOTDIR);
        };
        if !matches!(*self.nodes[node], Node::Directory) {
            return Err(errno::ENOTDIR);
        }
        let name = self.names.iter().find(|&(_, &index)| index == node);
        let mut name = name.map(|(name, _)| name.clone()).ok_or(errno::ENOENT)?;
        name.push(b'/');
        name.extend_from_slice(path);
        Ok(name)
    }

    /// The node of a path; a file that only the host has becomes one.
    fn find(&mut self, path: &[u8], host: HostFile<'_>) -> Result<usize, i32> {
        if path.is_empty() {
            return Err(errno::ENOENT);
        }
        if path.len() >= MOST_NAME {
            return Err(errno::ENAMETOOLONG);
        }
        let name = self.absolute(path);
        if let Some(&node) = self.names.get(&name) {
            let is_file = !matches!(*self.nodes[node], Node::Directory);
            return match path.last() {
                Some(b'/') if is_file => Err(errno::ENOTDIR),
                _ => Ok(node),
            };
        }
        let above = self.names.get(parent(&name));
        if above.is_some_and(|&above| !matches!(*self.nodes[above], Node::Directory)) {
            return Err(errno::ENOTDIR);
        }
        if self.removed.contains(&name) {
            return Err(errno::ENOENT);
        }
        // As long as the program is where it was started, the host knows the path by the program's own words.
        let moved = self.directory != b"/";
        let content = host(if moved { &name } else { path }).ok_or(errno::ENOENT)?;
        let content = Content {
            bytes: content,
            terms: BTreeMap::new(),
        };
        let read_only = true;
        Ok(self.add(name, Node::File { content, read_only }))
    }

    /// The directory that a new name would be in must be there.
    fn check_parent(&self, name: &[u8]) -> Result<(), i32> {
        match self.names.get(parent(name)) {
            Some(&above) if matches!(*self.nodes[above], Node::Directory) => Ok(()),
            Some(_) => Err(errno::ENOTDIR),
            None => Err(errno::ENOENT),
        }
    }

    fn descriptor(&mut self, open: usize, from: usize) -> Result<i32, i32> {
        let mut at = from;
        while self.descriptors.get(at).is_some_and(Option::is_some) {
            at += 1;
        }
        if at >= MOST_DESCRIPTORS {
            return Err(errno::EMFILE);
        }
        if self.descriptors.len() <= at {
            self.descriptors.resize(at + 1, None);
        }
        self.descriptors[at] = Some(open);
        Ok(at as i32)
    }

    fn add_open(&mut self, target: Target, flags: i32) -> Result<i32, i32> {
        let open = Some(Open {
            target,
            offset: 0,
            flags,
        });
        let free = self.open.iter().position(Option::is_none);
        let at = free.unwrap_or(self.open.len());
        let descriptor = self.descriptor(at, 0)?;
        match free {
            Some(at) => self.open[at] = open,
            None => self.open.push(open),
        }
        Ok(descriptor)
    }

    pub fn open(&mut self, path: &[u8], flags: i32, host: HostFile<'_>) -> Result<i32, i32> {
        if flags & O_TMPFILE == O_TMPFILE {
            return self.temporary();
        }
        let name = self.absolute(path);
        if let Some(target) = device(&name) {
            return self.add_open(target, flags);
        }
        let writes = flags & O_ACCMODE != O_RDONLY;
        match self.find(path, host) {
            Ok(_) if flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL => Err(errno::EEXIST),
            Ok(node) => {
                match &*self.nodes[node] {
                    Node::Directory if writes || flags & O_CREAT != 0 => return Err(errno::EISDIR),
                    Node::File { .. } | Node::Pipe(_) if flags & O_DIRECTORY == O_DIRECTORY => {
                        return Err(errno::ENOTDIR);
                    }
                    // The host's file stays as it is: a new one takes its name.
                    Node::File {
                        read_only: true, ..
                    } if writes && flags & O_TRUNC != 0 => {
                        let node = self.add(name, empty_file());
                        return self.add_open(Target::Node(node), flags);
                    }
                    Node::File {
                        read_only: true, ..
                    } if writes => return Err(errno::EACCES),
                    _ => {}
                }
                let descriptor = self.add_open(Target::Node(node), flags)?;
                if writes && flags & O_TRUNC != 0 {
                    self.truncate_node(node, 0)?;
                }
                Ok(descriptor)
            }
            Err(errno::ENOENT) if flags & O_CREAT != 0 && !path.is_empty() => {
                if path.last() == Some(&b'/') {
                    return Err(errno::EISDIR);
                }
                self.check_parent(&name)?;
                let node = self.add_node(empty_file());
                let descriptor = self.add_open(Target::Node(node), flags)?;
                self.names.insert(name, node);
                Ok(descriptor)
            }
            Err(error) => Err(error),
        }
    }

    /// A file without a name, open for reading and writing.
    pub fn temporary(&mut self) -> Result<i32, i32> {
        let node = self.add_node(empty_file());
        self.add_open(Target::Node(node), O_RDWR)
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

    pub fn pipe(&mut self) -> Result<(i32, i32), i32> {
        let node = self.add_node(Node::Pipe(Content::default()));
        let read = self.add_open(Target::Node(node), O_RDONLY)?;
        let write = self.add_open(Target::Node(node), O_WRONLY);
        if write.is_err() {
            self.close(read)?;
        }
        Ok((read, write?))
    }

    pub fn close(&mut self, descriptor: i32) -> Result<(), i32> {
        let open = self.index(descriptor)?;
        self.descriptors[descriptor as usize] = None;
        if !self.descriptors.contains(&Some(open)) {
            self.open[open] = None;
        }
        Ok(())
    }

    pub fn duplicate(&mut self, descriptor: i32, from: i32) -> Result<i32, i32> {
        let open = self.index(descriptor)?;
        if from < 0 || from as usize >= MOST_DESCRIPTORS {
            return Err(errno::EINVAL);
        }
        self.descriptor(open, from as usize)
    }

    pub fn duplicate_to(&mut self, descriptor: i32, to: i32) -> Result<i32, i32> {
        let open = self.index(descriptor)?;
        if to < 0 || to as usize >= MOST_DESCRIPTORS {
            return Err(errno::EBADF);
        }
        if descriptor != to {
            // One that is not open needs no closing.
            let _ = self.close(to);
            if self.descriptors.len() <= to as usize {
                self.descriptors.resize(to as usize + 1, None);
            }
            self.descriptors[to as usize] = Some(open);
        }
        Ok(to)
    }

    fn index(&self, descriptor: i32) -> Result<usize, i32> {
        let at = usize::try_from(descriptor).map_err(|_| errno::EBADF)?;
        self.descriptors
            .get(at)
            .copied()
            .flatten()
            .ok_or(errno::EBADF)
    }

    pub fn get(&self, descriptor: i32) -> Result<&Open, i32> {
        self.open[self.index(descriptor)?]
            .as_ref()
            .ok_or(errno::EBADF)
    }

    pub fn get_mut(&mut self, descriptor: i32) -> Result<&mut Open, i32> {
        let index = self.index(descriptor)?;
        self.open[index].as_mut().ok_or(errno::EBADF)
    }

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

    fn has_end(&self, node: usize, end: fn(&Open) -> bool) -> bool {
        let mut open = self.open.iter().flatten();
        open.any(|open| open.target == Target::Node(node) && end(open))
    }

    fn has_writer(&self, node: usize) -> bool {
        self.has_end(node, Open::writes)
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

    fn truncate_node(&mut self, node: usize, len: u64) -> Result<(), i32> {
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

    pub fn unlink(&mut self, path: &[u8], host: HostFile<'_>) -> Result<(), i32> {
        let node = self.find(path, host)?;
        match *self.nodes[node] {
            Node::Directory => return Err(errno::EISDIR),
            Node::File {
                read_only: true, ..
            } => return Err(errno::EACCES),
            _ => {}
        }
        self.forget(path);
        Ok(())
    }

    fn forget(&mut self, path: &[u8]) {
        let name = self.absolute(path);
        self.names.remove(&name);
        self.removed.insert(name);
    }

    /// The names in a directory, sorted.
    fn children(&self, name: &[u8]) -> Vec<Vec<u8>> {
        let mut prefix = name.to_vec();
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        let inside = self
            .names
            .keys()
            .filter_map(|name| name.strip_prefix(&prefix[..]));
        let direct = inside.filter(|rest| !rest.is_empty() && !rest.contains(&b'/'));
        direct.map(<[u8]>::to_vec).collect()
    }

    pub fn make_directory(&mut self, path: &[u8], host: HostFile<'_>) -> Result<(), i32> {
        match self.find(path, host) {
            Ok(_) => Err(errno::EEXIST),
            Err(errno::ENOENT) if !path.is_empty() => {
                let name = self.absolute(path);
                self.check_parent(&name)?;
                self.add(name, Node::Directory);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    pub fn remove_directory(&mut self, path: &[u8], host: HostFile<'_>) -> Result<(), i32> {
        let node = self.find(path, host)?;
        if !matches!(*self.nodes[node], Node::Directory) {
            return Err(errno::ENOTDIR);
        }
        let name = self.absolute(path);
        if !self.children(&name).is_empty() {
            return Err(errno::ENOTEMPTY);
        }
        if name == b"/" || name == self.directory {
            return Err(errno::EBUSY);
        }
        self.forget(path);
        Ok(())
    }

    pub fn change_directory(&mut self, path: &[u8], host: HostFile<'_>) -> Result<(), i32> {
        let node = self.find(path, host)?;
        if !matches!(*self.nodes[node], Node::Directory) {
            return Err(errno::ENOTDIR);
        }
        self.directory = self.absolute(path);
        Ok(())
    }

    pub fn rename(&mut self, from: &[u8], to: &[u8], host: HostFile<'_>) -> Result<(), i32> {
        let node = self.find(from, host)?;
        if let Node::File {
            read_only: true, ..
        } = *self.nodes[node]
        {
            return Err(errno::EACCES);
        }
        let is_directory = matches!(*self.nodes[node], Node::Directory);
        let (from, name) = (self.absolute(from), self.absolute(to));
        self.check_parent(&name)?;
        if let Some(&old) = self.names.get(&name) {
            match (is_directory, &*self.nodes[old]) {
                _ if old == node => return Ok(()),
                (true, Node::Directory) if !self.children(&name).is_empty() => {
                    return Err(errno::ENOTEMPTY);
                }
                (true, Node::Directory) => {}
                (true, _) => return Err(errno::ENOTDIR),
                (false, Node::Directory) => return Err(errno::EISDIR),
                (false, _) => {}
            }
        }
        let mut below = from.clone();
        below.push(b'/');
        if is_directory && name.starts_with(&below) {
            return Err(errno::EINVAL);
        }
        let moved: Vec<Vec<u8>> = self
            .names
            .keys()
            .filter(|&known| *known == from || (is_directory && known.starts_with(&below)))
            .cloned()
            .collect();
        for old in moved {
            if let Some(node) = self.names.remove(&old) {
                let mut new = name.clone();
                new.extend_from_slice(&old[from.len()..]);
                self.names.insert(new, node);
            }
            self.removed.insert(old);
        }
        Ok(())
    }

    /// The entry of an open directory at its position, which moves on: its name and what it is.
    pub fn next_entry(&mut self, descriptor: i32) -> Result<Option<(Vec<u8>, Stat)>, i32> {
        let open = self.get(descriptor)?;
        let Target::Node(node) = open.target else {
            return Err(errno::ENOTDIR);
        };
        if !matches!(*self.nodes[node], Node::Directory) {
            return Err(errno::ENOTDIR);
        }
        let at = open.offset as usize;
        let name = self.names.iter().find(|&(_, &index)| index == node);
        let Some((name, _)) = name else {
            return Ok(None);
        };
        let name = name.clone();
        let (entry, full) = match at {
            0 => (b".".to_vec(), name),
            1 => (b"..".to_vec(), parent(&name).to_vec()),
            _ => match self.children(&name).into_iter().nth(at - 2) {
                Some(child) => {
                    let mut full = name;
                    full.push(b'/');
                    full.extend_from_slice(&child);
                    (child, self.absolute(&full))
                }
                None => return Ok(None),
            },
        };
        let node = self.names.get(&full).copied().unwrap_or(node);
        self.get_mut(descriptor)?.offset += 1;
        Ok(Some((entry, self.stat_target(Target::Node(node)))))
    }
}

fn empty_file() -> Node {
    Node::File {
        content: Content::default(),
        read_only: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn text(bytes: &[u8]) -> Content {
        Content::from(bytes)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut files = FileSystem::default();
        assert_eq!(files.open(b"a", O_RDONLY, &mut nothing), Err(errno::ENOENT));
        let a = files.open(b"a", O_RDWR | O_CREAT, &mut nothing).unwrap();
        assert_eq!(a, 3);
        assert_eq!(files.write(a, &text(b"hello"), None), Ok(5));
        assert_eq!(files.seek(a, 1, 0), Ok(1));
        assert_eq!(files.read(a, 3, None).unwrap().bytes, b"ell");
        assert_eq!(files.read(a, 9, None).unwrap().bytes, b"o");
        assert!(files.read(a, 9, None).unwrap().is_empty());
        assert_eq!(files.write(a, &text(b"J"), Some(0)), Ok(1));
        assert_eq!(files.stat(a).unwrap().size, 5);
        assert_eq!(files.seek(a, -1, 0), Err(errno::EINVAL));
        let again = files.open(b"/./x/../a", O_RDONLY, &mut nothing).unwrap();
        assert_eq!(files.read(again, 9, None).unwrap().bytes, b"Jello");
        assert_eq!(files.write(again, &text(b"x"), None), Err(errno::EBADF));
        assert_eq!(files.truncate(a, 2), Ok(()));
        assert_eq!(files.seek(a, 4, 0), Ok(4));
        assert_eq!(files.write(a, &text(b"!"), None), Ok(1));
        assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"Je\0\0!");
        assert_eq!(files.unlink(b"a", &mut nothing), Ok(()));
        assert_eq!(files.unlink(b"a", &mut nothing), Err(errno::ENOENT));
        // What is open stays.
        assert_eq!(files.read(a, 9, Some(0)).unwrap().len(), 5);
        assert_eq!(files.close(a), Ok(()));
        assert_eq!(files.close(a), Err(errno::EBADF));
    }

    #[test]
    fn copies_share_their_place_and_forks_do_not() {
        let mut files = FileSystem::default();
        let a = files.open(b"a", O_RDWR | O_CREAT, &mut nothing).unwrap();
        files.write(a, &text(b"abcd"), None).unwrap();
        files.seek(a, 0, 0).unwrap();
        let b = files.duplicate(a, 10).unwrap();
        assert_eq!(b, 10);
        let mut fork = files.clone();
        assert_eq!(files.read(a, 2, None).unwrap().bytes, b"ab");
        assert_eq!(files.read(b, 2, None).unwrap().bytes, b"cd");
        fork.write(a, &text(b"X"), None).unwrap();
        assert_eq!(fork.read(a, 9, None).unwrap().bytes, b"bcd");
        assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"abcd");
        assert_eq!(files.duplicate_to(a, 1), Ok(1));
        assert_eq!(files.close(a), Ok(()));
        assert_eq!(files.write(1, &text(b"!"), None), Ok(1));
    }

    #[test]
    fn the_host_is_read_and_never_written() {
        let mut files = FileSystem::default();
        let mut host = |path: &[u8]| (path == b"in.txt").then(|| b"host".to_vec());
        let a = files.open(b"in.txt", O_RDONLY, &mut host).unwrap();
        assert_eq!(files.read(a, 9, None).unwrap().bytes, b"host");
        assert_eq!(files.open(b"in.txt", O_RDWR, &mut host), Err(errno::EACCES));
        assert_eq!(files.unlink(b"in.txt", &mut host), Err(errno::EACCES));
        let flags = O_WRONLY | O_CREAT | O_TRUNC;
        let b = files.open(b"in.txt", flags, &mut host).unwrap();
        files.write(b, &text(b"own"), None).unwrap();
        assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"host");
        let c = files.open(b"in.txt", O_RDONLY, &mut host).unwrap();
        assert_eq!(files.read(c, 9, None).unwrap().bytes, b"own");
        assert_eq!(files.unlink(b"in.txt", &mut host), Ok(()));
        assert_eq!(
            files.open(b"in.txt", O_RDONLY, &mut host),
            Err(errno::ENOENT)
        );
    }

    #[test]
    fn directories_hold_what_is_in_them() {
        let mut files = FileSystem::default();
        let create = O_WRONLY | O_CREAT;
        assert_eq!(files.open(b"d/a", create, &mut nothing), Err(errno::ENOENT));
        assert_eq!(files.make_directory(b"d", &mut nothing), Ok(()));
        assert_eq!(files.make_directory(b"d", &mut nothing), Err(errno::EEXIST));
        files.open(b"d/a", create, &mut nothing).unwrap();
        assert_eq!(
            files.open(b"d/a/b", create, &mut nothing),
            Err(errno::ENOTDIR)
        );
        assert_eq!(
            files.remove_directory(b"d", &mut nothing),
            Err(errno::ENOTEMPTY)
        );
        assert_eq!(files.rename(b"d", b"/tmp/e", &mut nothing), Ok(()));
        assert!(files.stat_path(b"d/a", &mut nothing).is_err());
        assert_eq!(
            files.stat_path(b"/tmp/e/a", &mut nothing).unwrap().mode,
            S_IFREG | 0o644
        );
        let d = files.open(b"/tmp/e", O_DIRECTORY, &mut nothing).unwrap();
        let mut names = Vec::new();
        while let Some((name, _)) = files.next_entry(d).unwrap() {
            names.push(String::from_utf8(name).unwrap());
        }
        assert_eq!(names, [".", "..", "a"]);
        assert_eq!(files.at(d, b"a"), Ok(b"/tmp/e/a".to_vec()));
        assert_eq!(files.change_directory(b"/tmp/e", &mut nothing), Ok(()));
        assert!(files.stat_path(b"a", &mut nothing).is_ok());
        assert_eq!(files.unlink(b"a", &mut nothing), Ok(()));
        assert_eq!(
            files.remove_directory(b"/tmp/e", &mut nothing),
            Err(errno::EBUSY)
        );
    }

    #[test]
    fn a_pipe_gives_what_it_was_given() {
        let mut files = FileSystem::default();
        let (read, write) = files.pipe().unwrap();
        assert_eq!(files.write(write, &text(b"abc"), None), Ok(3));
        assert_eq!(files.read(read, 2, None).unwrap().bytes, b"ab");
        assert_eq!(files.read(read, 2, None).unwrap().bytes, b"c");
        assert_eq!(files.read(read, 2, None), Err(errno::EAGAIN));
        files.close(write).unwrap();
        assert!(files.read(read, 2, None).unwrap().is_empty());
        assert_eq!(files.seek(read, 0, 0), Err(errno::ESPIPE));
    }

    #[test]
    fn terms_stay_where_they_are_put() {
        let mut content = text(b"abcdef");
        let mut piece = Content::default();
        piece.push(Value::Concrete(1));
        piece.push(Value::Symbolic(Term::FALSE));
        content.put(2, &piece);
        assert_eq!(content.slice(3, 9).terms.len(), 1);
        assert_eq!(content.values()[3], Value::Symbolic(Term::FALSE));
        content.put(3, &text(b"x"));
        assert!(content.terms.is_empty());
        content.put(5, &piece);
        content.set_len(6);
        assert!(content.terms.is_empty());
        assert_eq!(content.len(), 6);
    }
}
