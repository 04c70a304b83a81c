//! Each thing once: ids instead of copies.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// An id, and whether the thing is new.
pub(crate) struct Interned {
    pub id: u32,
    pub is_new: bool,
}

/// Slices, one behind the other.
pub(crate) struct Slices<T> {
    items: Vec<T>,
    ends: Vec<usize>,
    ids: HashTable<u32>,
}

impl<T> Default for Slices<T> {
    fn default() -> Slices<T> {
        Slices {
            items: Vec::new(),
            ends: Vec::new(),
            ids: HashTable::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Slices<T> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, id: u32) -> &[T] {
        slice(&self.items, &self.ends, id)
    }

    pub fn find(&self, wanted: &[T]) -> Option<u32> {
        let (items, ends) = (&self.items, &self.ends);
        let is_wanted = |&id: &u32| slice(items, ends, id) == wanted;
        self.ids.find(hash(wanted), is_wanted).copied()
    }

    pub fn intern(&mut self, wanted: &[T]) -> Interned {
        if let Some(id) = self.find(wanted) {
            return Interned { id, is_new: false };
        }
        let id = self.ends.len() as u32;
        self.items.extend_from_slice(wanted);
        self.ends.push(self.items.len());
        let (items, ends) = (&self.items, &self.ends);
        let rehash = |&id: &u32| hash(slice(items, ends, id));
        self.ids.insert_unique(hash(wanted), id, rehash);
        Interned { id, is_new: true }
    }

    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.capacity() * 8 + self.ids.capacity() * 5
    }
}

fn slice<'a, T>(items: &'a [T], ends: &[usize], id: u32) -> &'a [T] {
    let id = id as usize;
    let start = id.checked_sub(1).map_or(0, |before| ends[before]);
    &items[start..ends[id]]
}

/// Rows of a table.
pub(crate) struct Rows<T> {
    rows: Vec<T>,
    ids: HashTable<u32>,
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows {
            rows: Vec::new(),
            ids: HashTable::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Rows<T> {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn get(&self, id: u32) -> T {
        self.rows[id as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.rows.iter()
    }

    pub fn find(&self, row: &T) -> Option<u32> {
        let is_wanted = |&id: &u32| self.rows[id as usize] == *row;
        self.ids.find(hash(row), is_wanted).copied()
    }

    pub fn intern(&mut self, row: T) -> Interned {
        if let Some(id) = self.find(&row) {
            return Interned { id, is_new: false };
        }
        let id = self.rows.len() as u32;
        self.rows.push(row);
        let rows = &self.rows;
        self.ids
            .insert_unique(hash(&row), id, |&id| hash(&rows[id as usize]));
        Interned { id, is_new: true }
    }

    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<T>() + self.ids.capacity() * 5
    }
}

fn hash<T: Hash + ?Sized>(thing: &T) -> u64 {
    FxBuildHasher.hash_one(thing)
}
