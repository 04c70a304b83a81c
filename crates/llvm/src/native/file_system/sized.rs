//! Contents that become known while the program runs.

use super::directory::Entry;
use super::inode::{Body, Data};
use super::{Content, FileSystem, ROOT};

impl FileSystem {
    /// What a descriptor has open.
    pub fn node_behind(&self, descriptor: i32) -> Option<usize> {
        Some(self.get(descriptor).ok()?.node)
    }

    /// The file that is there from the start under a name.
    pub fn node_named(&self, path: &[u8]) -> Option<usize> {
        let start = match path.first() {
            Some(b'/') => ROOT,
            _ => self.directory,
        };
        let mut parts = path.split(|&byte| byte == b'/');
        parts.try_fold(start, |at, part| match part {
            b"" | b"." => Some(at),
            b".." => Some(self.parent_of(at)),
            _ => match self.inode(at).entry(part) {
                Some(&Entry::Node(node)) => Some(node),
                _ => None,
            },
        })
    }

    /// The contents that something had from the start.
    pub fn fill(&mut self, node: usize, contents: Content) {
        match &mut self.inode_mut(node).body {
            Body::File(Data::Own(content)) | Body::Pipe(content) => *content = contents,
            _ => {}
        }
    }

    /// What is behind so many bytes was never there.
    pub fn shorten(&mut self, node: usize, len: usize) {
        match &mut self.inode_mut(node).body {
            Body::File(Data::Own(content)) | Body::Pipe(content) if content.len() > len => {
                content.set_len(len);
            }
            _ => {}
        }
    }
}
