//! What memory tells about its objects: where they came from, and what went wrong with an access.

pub use refrain_machine::ObjectKind as Kind;

/// Code position, opaque to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Site {
    pub function: u32,
    pub pc: u32,
}

/// Who made an object. `name` is an id of the caller's strings, 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub kind: Kind,
    pub name: u32,
    pub site: Site,
}

/// An object, live or freed, as reports show it.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    pub id: u32,
    pub base: u64,
    pub size: u64,
    pub origin: Origin,
    pub freed: Option<Site>,
    pub read_only: bool,
}

/// Why an object cannot be where the program wants it.
#[derive(Clone, Debug)]
pub enum Unplaceable {
    /// Part of it is taken.
    Overlap(ObjectInfo),
    /// Null, code, or beyond the address space.
    NoSuchPlace,
}

/// An access that the program must not make.
#[derive(Clone, Debug)]
pub enum Fault {
    Null {
        address: u64,
    },
    /// There never was an object in that slot.
    Wild {
        address: u64,
        nearest: Option<ObjectInfo>,
    },
    OutOfBounds {
        address: u64,
        bytes: u64,
        object: ObjectInfo,
    },
    UseAfterFree {
        address: u64,
        object: ObjectInfo,
    },
    ReadOnly {
        address: u64,
        object: ObjectInfo,
    },
    BadFree {
        address: u64,
        object: Option<ObjectInfo>,
    },
    DoubleFree {
        address: u64,
        object: ObjectInfo,
    },
    /// A data access to code.
    Function {
        address: u64,
    },
    /// Nothing is wrong with the access; there is no room for what it would make exist.
    Exhausted {
        address: u64,
    },
}
