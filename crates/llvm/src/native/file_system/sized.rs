//! Contents that become known while the program runs.

use std::rc::Rc;

use super::{Content, FileSystem, Node, Target};

impl FileSystem {
    /// What a descriptor has open, if that is in memory.
    pub fn node_of(&self, descriptor: i32) -> Option<usize> {
        match self.get(descriptor).ok()?.target {
            Target::Node(node) => Some(node),
            _ => None,
        }
    }

    /// The file of a name, if it is in memory.
    pub fn node_named(&self, path: &[u8]) -> Option<usize> {
        self.names.get(&self.absolute(path)).copied()
    }

    /// The contents that something had from the start.
    pub fn fill(&mut self, node: usize, contents: Content) {
        if let Node::File { content, .. } | Node::Pipe(content) =
            Rc::make_mut(&mut self.nodes[node])
        {
            *content = contents;
        }
    }

    /// What is behind so many bytes was never there.
    pub fn shorten(&mut self, node: usize, len: usize) {
        match Rc::make_mut(&mut self.nodes[node]) {
            Node::File { content, .. } | Node::Pipe(content) if content.len() > len => {
                content.set_len(len);
            }
            _ => {}
        }
    }
}
