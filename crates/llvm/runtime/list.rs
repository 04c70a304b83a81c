//! An array that grows, for what this library itself keeps: without `core`'s
//! panics, and with a failed allocation as an answer.

use crate::native::{free, realloc};
use core::ptr::null_mut;

pub struct List<T> {
    items: *mut T,
    len: usize,
    room: usize,
}

impl<T: Copy> List<T> {
    pub const fn new() -> List<T> {
        List {
            items: null_mut(),
            len: 0,
            room: 0,
        }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> T {
        *self.items.add(index)
    }

    #[inline(always)]
    pub unsafe fn at(&self, index: usize) -> *mut T {
        self.items.add(index)
    }

    /// Adds an item; `false` without memory for it.
    pub unsafe fn push(&mut self, item: T) -> bool {
        if self.len == self.room {
            let room = if self.room == 0 { 8 } else { self.room * 2 };
            let items = realloc(self.items.cast(), room * size_of::<T>()).cast::<T>();
            if items.is_null() {
                return false;
            }
            self.items = items;
            self.room = room;
        }
        self.items.add(self.len).write(item);
        self.len += 1;
        true
    }

    pub unsafe fn pop(&mut self) -> T {
        self.len -= 1;
        self.get(self.len)
    }

    pub fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    pub unsafe fn release(&mut self) {
        free(self.items.cast());
        *self = List::new();
    }

    pub fn swap(&mut self, other: &mut List<T>) {
        (self.items, other.items) = (other.items, self.items);
        (self.len, other.len) = (other.len, self.len);
        (self.room, other.room) = (other.room, self.room);
    }
}
