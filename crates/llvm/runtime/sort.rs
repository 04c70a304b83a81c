//! Sorting and searching of arrays: a stable merge sort that makes the
//! comparisons the GNU C library 2.36 makes, in the same order.

use crate::native::{free, malloc, memcpy};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;
type CompareWith = unsafe extern "C" fn(*const c_void, *const c_void, *mut c_void) -> c_int;

/// A comparison with the argument `qsort_r` passes on, or without.
#[derive(Clone, Copy)]
enum Order {
    Plain(Compare),
    With(CompareWith, *mut c_void),
}

impl Order {
    #[inline(always)]
    unsafe fn compare(self, a: *const u8, b: *const u8) -> c_int {
        match self {
            Order::Plain(f) => f(a.cast(), b.cast()),
            Order::With(f, arg) => f(a.cast(), b.cast(), arg),
        }
    }
}

/// Sorts `count` elements at `base`; `spare` has room for all of them.
unsafe fn merge_sort(base: *mut u8, count: usize, size: usize, spare: *mut u8, order: Order) {
    if count <= 1 {
        return;
    }
    let half = count / 2;
    let second = base.add(half * size);
    merge_sort(base, half, size, spare, order);
    merge_sort(second, count - half, size, spare, order);
    let (mut a, mut left) = (base, half);
    let (mut b, mut right) = (second, count - half);
    let mut to = spare;
    while left > 0 && right > 0 {
        if order.compare(a, b) <= 0 {
            memcpy(to.cast(), a.cast(), size);
            a = a.add(size);
            left -= 1;
        } else {
            memcpy(to.cast(), b.cast(), size);
            b = b.add(size);
            right -= 1;
        }
        to = to.add(size);
    }
    if left > 0 {
        memcpy(to.cast(), a.cast(), left * size);
    }
    // What is left of the second half is already in its place.
    memcpy(base.cast(), spare.cast(), (count - right) * size);
}

/// For want of memory: stable, in place, slow.
unsafe fn insertion_sort(base: *mut u8, count: usize, size: usize, order: Order) {
    let mut i = 1;
    while i < count {
        let mut j = i;
        while j > 0 {
            let (a, b) = (base.add((j - 1) * size), base.add(j * size));
            if order.compare(a, b) <= 0 {
                break;
            }
            let mut k = 0;
            while k < size {
                let byte = *a.add(k);
                *a.add(k) = *b.add(k);
                *b.add(k) = byte;
                k += 1;
            }
            j -= 1;
        }
        i += 1;
    }
}

const SMALL: usize = 1024;

unsafe fn sort(base: *mut u8, count: usize, size: usize, order: Order) {
    let total = count.wrapping_mul(size);
    if total < SMALL {
        let mut spare = core::mem::MaybeUninit::<[u8; SMALL]>::uninit();
        merge_sort(base, count, size, spare.as_mut_ptr().cast(), order);
        return;
    }
    let spare = malloc(total).cast::<u8>();
    if spare.is_null() {
        insertion_sort(base, count, size, order);
    } else {
        merge_sort(base, count, size, spare, order);
        free(spare.cast());
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn qsort(base: *mut c_void, count: usize, size: usize, compare: Compare) {
    sort(base.cast(), count, size, Order::Plain(compare));
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn qsort_r(
    base: *mut c_void,
    count: usize,
    size: usize,
    compare: CompareWith,
    arg: *mut c_void,
) {
    sort(base.cast(), count, size, Order::With(compare, arg));
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bsearch(
    key: *const c_void,
    base: *const c_void,
    count: usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let base = base.cast::<u8>();
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        let at = base.add(middle * size);
        let order = compare(key, at.cast());
        if order < 0 {
            high = middle;
        } else if order > 0 {
            low = middle + 1;
        } else {
            return at.cast_mut().cast();
        }
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lfind(
    key: *const c_void,
    base: *const c_void,
    count: *mut usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let mut at = base.cast::<u8>();
    let mut left = *count;
    while left > 0 {
        if compare(key, at.cast()) == 0 {
            return at.cast_mut().cast();
        }
        at = at.add(size);
        left -= 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lsearch(
    key: *const c_void,
    base: *mut c_void,
    count: *mut usize,
    size: usize,
    compare: Compare,
) -> *mut c_void {
    let found = lfind(key, base, count, size, compare);
    if !found.is_null() {
        return found;
    }
    let end = base.cast::<u8>().add(*count * size);
    memcpy(end.cast(), key, size);
    *count += 1;
    end.cast()
}
