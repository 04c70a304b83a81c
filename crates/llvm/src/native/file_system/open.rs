//! Open files and the descriptors that name them.

use super::{
    Content, FileSystem, HostFile, MOST_DESCRIPTORS, Node, O_ACCMODE, O_CREAT, O_DIRECTORY, O_EXCL,
    O_RDONLY, O_RDWR, O_TMPFILE, O_TRUNC, O_WRONLY, Open, Target, device, empty_file,
};
use crate::native::errno;

impl FileSystem {
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

    pub(super) fn descriptor(&mut self, open: usize, from: usize) -> Result<i32, i32> {
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
}
