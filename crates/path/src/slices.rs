//! Slices: the atoms of a path that share inputs, transitively.
//!
//! Groups of inputs are kept along the path: an atom that is put on merges those it touches, one that is taken off
//! splits them again, so a check pays for what is new (the study of HVC'14 calls this *cachingOpt*, and finding the
//! groups from scratch for each query *caching*).
//!
//! A cell of an array is an input of its own as long as nothing on the path uses the array as a whole.

use crate::atoms::{AtomId, AtomTable};
use crate::inputs::{InputId, InputTable};

/// Which slice of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slice {
    All,
    /// The atoms of a group of inputs.
    Group(u32),
    /// The atom at this place, which depends on nothing.
    Alone(u32),
}

type Node = u32;

/// Groups of inputs, merged as atoms come and split as they go. The nodes are the inputs, by number.
#[derive(Default)]
pub struct Slices {
    /// By node: the one above it, or itself.
    parents: Vec<Node>,
    groups: Vec<Group>,
    /// The atoms put on, each with the one after it in its group.
    atoms: Vec<Member>,
    /// What each atom changed, to be taken back.
    log: Vec<Change>,
    /// By family: how many atoms on the path use the array as a whole.
    wholes: Vec<u32>,
    /// By set of inputs: how many atoms on the path have just these. The first of them has merged them.
    present: Vec<u32>,
}

/// Of a root: what is below it.
#[derive(Clone, Copy)]
struct Group {
    size: u32,
    /// The atoms, as a list.
    head: u32,
    tail: u32,
    /// The sum of the atoms' hashes.
    key: u128,
}

struct Member {
    atom: AtomId,
    next: u32,
    /// How long the log was before it.
    mark: usize,
}

const NONE: u32 = u32::MAX;

enum Change {
    /// The root `lower` went under another, whose list ended at `tail` before.
    Merged { lower: Node, tail: u32 },
    /// An atom joined a group whose list ended at `tail` before.
    Joined { root: Node, tail: u32 },
    /// An array is used as a whole once more.
    Whole(u32),
}

impl Slices {
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    #[inline]
    fn cover(&mut self, table: &AtomTable) {
        if self.parents.len() < table.inputs.len() || self.present.len() < table.input_sets() {
            self.grow(&table.inputs);
            self.present.resize(table.input_sets(), 0);
        }
    }

    fn grow(&mut self, inputs: &InputTable) {
        for node in self.parents.len() as u32..inputs.len() as u32 {
            self.parents.push(node);
            self.groups.push(Group {
                size: 1,
                head: NONE,
                tail: NONE,
                key: 0,
            });
        }
        self.wholes.resize(inputs.families(), 0);
    }

    #[inline]
    fn root(&self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    fn merge(&mut self, a: Node, b: Node) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (upper, lower) = if self.groups[a as usize].size >= self.groups[b as usize].size {
            (a, b)
        } else {
            (b, a)
        };
        let Group {
            size,
            head,
            tail: last,
            key,
        } = self.groups[lower as usize];
        let group = &mut self.groups[upper as usize];
        let tail = group.tail;
        group.size += size;
        if head != NONE {
            group.key = group.key.wrapping_add(key);
            group.tail = last;
            match tail {
                NONE => group.head = head,
                tail => self.atoms[tail as usize].next = head,
            }
        }
        self.parents[lower as usize] = upper;
        self.log.push(Change::Merged { lower, tail });
    }

    /// Puts an atom on.
    pub fn push(&mut self, table: &AtomTable, atom: AtomId) {
        self.cover(table);
        let place = self.atoms.len() as u32;
        self.atoms.push(Member {
            atom,
            next: NONE,
            mark: self.log.len(),
        });
        let inputs = &table.get(atom).inputs;
        let Some(&InputId(first)) = inputs.first() else {
            return;
        };
        let present = &mut self.present[table.get(atom).input_set as usize];
        *present += 1;
        if *present == 1 {
            for &input in inputs {
                self.merge_family(&table.inputs, input);
                self.merge(first, input.0);
            }
        }
        let root = self.root(first);
        let group = &mut self.groups[root as usize];
        let tail = group.tail;
        group.key = group.key.wrapping_add(table.get(atom).hash);
        group.tail = place;
        match tail {
            NONE => group.head = place,
            last => self.atoms[last as usize].next = place,
        }
        self.log.push(Change::Joined { root, tail });
    }

    /// An array used as a whole ties its cells together.
    fn merge_family(&mut self, inputs: &InputTable, input: InputId) {
        let Some(family) = inputs.family_of(input) else {
            return;
        };
        let members = inputs.family(family);
        let wholes = &mut self.wholes[family as usize];
        match members.whole {
            Some(whole) if whole == input => {
                *wholes += 1;
                let is_first = *wholes == 1;
                self.log.push(Change::Whole(family));
                if is_first {
                    for cell in &members.cells {
                        self.merge(whole.0, cell.0);
                    }
                }
            }
            Some(whole) if *wholes > 0 => self.merge(whole.0, input.0),
            _ => {}
        }
    }

    /// Takes the last atom off.
    pub fn pop(&mut self, table: &AtomTable) {
        let last = self.atoms.pop().expect("an atom was put on");
        let atom = table.get(last.atom);
        if !atom.inputs.is_empty() {
            self.present[atom.input_set as usize] -= 1;
        }
        while self.log.len() > last.mark {
            match self.log.pop().expect("longer than the mark") {
                Change::Merged { lower, tail } => {
                    let upper = self.parents[lower as usize];
                    self.parents[lower as usize] = lower;
                    let Group { size, key, .. } = self.groups[lower as usize];
                    let group = &mut self.groups[upper as usize];
                    group.size -= size;
                    group.key = group.key.wrapping_sub(key);
                    self.cut(upper, tail);
                }
                Change::Joined { root, tail } => {
                    let group = &mut self.groups[root as usize];
                    group.key = group.key.wrapping_sub(atom.hash);
                    self.cut(root, tail);
                }
                Change::Whole(family) => self.wholes[family as usize] -= 1,
            }
        }
    }

    /// Ends a group's list after `tail` again.
    fn cut(&mut self, root: Node, tail: u32) {
        let group = &mut self.groups[root as usize];
        group.tail = tail;
        match tail {
            NONE => group.head = NONE,
            last => self.atoms[last as usize].next = NONE,
        }
    }

    /// Takes all atoms off but the first.
    pub fn truncate(&mut self, table: &AtomTable, kept: usize) {
        while self.atoms.len() > kept {
            self.pop(table);
        }
    }

    /// The group that an atom on the path is in; none for an atom without inputs, which is alone.
    #[inline]
    pub fn group(&self, table: &AtomTable, atom: AtomId) -> Option<u32> {
        let &InputId(first) = table.get(atom).inputs.first()?;
        Some(self.root(first))
    }

    /// Whether an input belongs to a group.
    #[inline]
    pub fn is_in(&self, input: InputId, group: u32) -> bool {
        (input.index() < self.parents.len()) && self.root(input.0) == group
    }

    /// The key of the atoms of a group.
    #[inline]
    pub fn key(&self, group: u32) -> u128 {
        self.groups[group as usize].key
    }

    /// The atoms of a group, by place on the path, ascending.
    pub fn places(&self, group: u32) -> Vec<u32> {
        let mut places = Vec::new();
        let mut at = self.groups[group as usize].head;
        while at != NONE {
            places.push(at);
            at = self.atoms[at as usize].next;
        }
        places.sort_unstable();
        places
    }
}
