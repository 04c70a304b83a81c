//! Edges: the alternatives of nodes, and what leads to the root. Whatever a tree says, it says of an edge.

/// A node, for a tree and for whoever records what comes after it: as long as the tree is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// The log that has it; 0: the tree, as it was opened.
    pub(crate) log: u32,
    pub(crate) index: u32,
}

impl NodeId {
    pub(crate) fn of_tree(index: u32) -> NodeId {
        NodeId { log: 0, index }
    }

    pub fn edge(self, alternative: u32) -> Edge {
        Edge {
            node: Some(self),
            alternative,
        }
    }
}

/// An alternative of a node, or the edge that leads to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    node: Option<NodeId>,
    alternative: u32,
}

impl Edge {
    /// Leads to the root.
    pub const ROOT: Edge = Edge {
        node: None,
        alternative: 0,
    };

    /// Where it starts.
    pub fn node(self) -> Option<NodeId> {
        self.node
    }

    pub fn alternative(self) -> u32 {
        self.alternative
    }
}
