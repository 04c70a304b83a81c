//! Names: which path leads to which node, and directories.

use std::collections::BTreeMap;

use super::{Content, FileSystem, HostFile, MOST_NAME, Node, Stat, Target, parent};
use crate::native::errno;

impl FileSystem {
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
    pub(super) fn find(&mut self, path: &[u8], host: HostFile<'_>) -> Result<usize, i32> {
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
    pub(super) fn check_parent(&self, name: &[u8]) -> Result<(), i32> {
        match self.names.get(parent(name)) {
            Some(&above) if matches!(*self.nodes[above], Node::Directory) => Ok(()),
            Some(_) => Err(errno::ENOTDIR),
            None => Err(errno::ENOENT),
        }
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
