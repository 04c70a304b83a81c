//! The strings that `glob` and `wordexp` give to a program.

use crate::directory::release;
use crate::list::List;
use crate::native::{free, realloc};
use core::ptr::null_mut;

/// Places that the program wants left free, as many as `offset`; the strings; and a null.
#[repr(C)]
pub struct Vector {
    pub count: usize,
    pub strings: *mut *mut u8,
    pub offset: usize,
}

impl Vector {
    /// Takes over more strings. `false`: there is no memory for them, and they are gone.
    pub unsafe fn append(&mut self, more: &mut List<*mut u8>, offset: usize) -> bool {
        let (old, new) = (self.count, more.len());
        let room = (offset + old + new + 1) * size_of::<*mut u8>();
        let strings = realloc(self.strings.cast(), room).cast::<*mut u8>();
        if strings.is_null() {
            release(more);
            return false;
        }
        let mut index = 0;
        while old == 0 && index < offset {
            *strings.add(index) = null_mut();
            index += 1;
        }
        index = 0;
        while index < new {
            *strings.add(offset + old + index) = more.get(index);
            index += 1;
        }
        *strings.add(offset + old + new) = null_mut();
        more.release();
        self.strings = strings;
        self.count = old + new;
        true
    }

    pub unsafe fn free(&mut self) {
        if self.strings.is_null() {
            return;
        }
        let mut index = 0;
        while index < self.count {
            free((*self.strings.add(self.offset + index)).cast());
            index += 1;
        }
        free(self.strings.cast());
        self.strings = null_mut();
    }
}
