//! What is at the end of an edge, in four bytes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Nothing is known.
    Open,
    /// Nothing more is known.
    Infeasible,
    /// In the tree's table of the same name.
    Detail(u32),
    Node(u32),
    Leaf(u32),
    Summary(u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed(u32);

impl Packed {
    pub const OPEN: Packed = Packed(0);
    pub const INFEASIBLE: Packed = Packed(1);
    /// Every table has less rows than this.
    pub const MOST: u32 = (1 << 30) - 2;

    pub fn detail(id: u32) -> Packed {
        Packed(id + 2)
    }

    pub fn node(id: u32) -> Packed {
        Packed(1 << 30 | id)
    }

    pub fn leaf(id: u32) -> Packed {
        Packed(2 << 30 | id)
    }

    pub fn summary(id: u32) -> Packed {
        Packed(3 << 30 | id)
    }

    pub fn unpack(self) -> Slot {
        let id = self.0 & (u32::MAX >> 2);
        match self.0 >> 30 {
            0 => match id {
                0 => Slot::Open,
                1 => Slot::Infeasible,
                id => Slot::Detail(id - 2),
            },
            1 => Slot::Node(id),
            2 => Slot::Leaf(id),
            _ => Slot::Summary(id),
        }
    }
}
