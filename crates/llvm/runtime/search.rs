//! `search.h`: the binary tree, not balanced, the queue, and the hash table.

use crate::errno::{self, EINVAL, ENOMEM, ESRCH};
use crate::native::{free, malloc, memset};
use crate::string::{strcmp, strlen};
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::null_mut;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// The key comes first: a program reads it through the node's address.
#[repr(C)]
pub struct Node {
    key: *const c_void,
    left: *mut Node,
    right: *mut Node,
}

/// The link to the node of `key`, or the empty one where it would be.
unsafe fn find_link(key: *const c_void, root: *mut *mut Node, compare: Compare) -> *mut *mut Node {
    let mut link = root;
    while !(*link).is_null() {
        let order = compare(key, (**link).key);
        if order == 0 {
            break;
        }
        link = if order < 0 {
            &raw mut (**link).left
        } else {
            &raw mut (**link).right
        };
    }
    link
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tsearch(
    key: *const c_void,
    root: *mut *mut Node,
    compare: Compare,
) -> *mut Node {
    if root.is_null() {
        return null_mut();
    }
    let link = find_link(key, root, compare);
    if (*link).is_null() {
        let node = malloc(size_of::<Node>()).cast::<Node>();
        if !node.is_null() {
            node.write(Node {
                key,
                left: null_mut(),
                right: null_mut(),
            });
            *link = node;
        }
    }
    *link
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tfind(
    key: *const c_void,
    root: *const *mut Node,
    compare: Compare,
) -> *mut Node {
    if root.is_null() {
        return null_mut();
    }
    *find_link(key, root.cast_mut(), compare)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tdelete(
    key: *const c_void,
    root: *mut *mut Node,
    compare: Compare,
) -> *mut Node {
    if root.is_null() {
        return null_mut();
    }
    let mut parent = *root;
    let mut link = root;
    loop {
        let node = *link;
        if node.is_null() {
            return null_mut();
        }
        let order = compare(key, (*node).key);
        if order == 0 {
            break;
        }
        parent = node;
        link = if order < 0 {
            &raw mut (*node).left
        } else {
            &raw mut (*node).right
        };
    }
    let node = *link;
    if (*node).left.is_null() {
        *link = (*node).right;
    } else if (*node).right.is_null() {
        *link = (*node).left;
    } else {
        // The next in order takes its place.
        let mut next = &raw mut (*node).right;
        while !(**next).left.is_null() {
            next = &raw mut (**next).left;
        }
        let heir = *next;
        *next = (*heir).right;
        (*heir).left = (*node).left;
        (*heir).right = (*node).right;
        *link = heir;
    }
    // Of a deleted root the answer is any pointer that is not null.
    let answer = if parent == node { root.cast() } else { parent };
    free(node.cast());
    answer
}

type Visit = unsafe extern "C" fn(*const Node, c_int, c_int);

unsafe fn walk(node: *const Node, visit: Visit, depth: c_int) {
    if (*node).left.is_null() && (*node).right.is_null() {
        visit(node, 3, depth);
        return;
    }
    visit(node, 0, depth);
    if !(*node).left.is_null() {
        walk((*node).left, visit, depth + 1);
    }
    visit(node, 1, depth);
    if !(*node).right.is_null() {
        walk((*node).right, visit, depth + 1);
    }
    visit(node, 2, depth);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn twalk(root: *const Node, visit: Visit) {
    if !root.is_null() {
        walk(root, visit, 0);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tdestroy(root: *mut Node, drop: unsafe extern "C" fn(*mut c_void)) {
    if root.is_null() {
        return;
    }
    tdestroy((*root).left, drop);
    tdestroy((*root).right, drop);
    drop((*root).key.cast_mut());
    free(root.cast());
}

/// How `insque` sees an element.
#[repr(C)]
pub struct Element {
    next: *mut Element,
    previous: *mut Element,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn insque(element: *mut Element, after: *mut Element) {
    if after.is_null() {
        (*element).next = null_mut();
        (*element).previous = null_mut();
        return;
    }
    let next = (*after).next;
    (*element).next = next;
    (*element).previous = after;
    (*after).next = element;
    if !next.is_null() {
        (*next).previous = element;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn remque(element: *mut Element) {
    let (next, previous) = ((*element).next, (*element).previous);
    if !next.is_null() {
        (*next).previous = previous;
    }
    if !previous.is_null() {
        (*previous).next = next;
    }
}

// The hash table, which has as many places as it is made for, or a few more.

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ENTRY {
    key: *mut u8,
    data: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Slot {
    used: c_uint,
    entry: ENTRY,
}

#[repr(C)]
pub struct hsearch_data {
    table: *mut Slot,
    size: c_uint,
    filled: c_uint,
}

static mut TABLE: hsearch_data = hsearch_data {
    table: null_mut(),
    size: 0,
    filled: 0,
};

fn is_prime(number: c_uint) -> bool {
    let mut by = 3u32;
    while by as u64 * by as u64 <= number as u64 {
        if number.is_multiple_of(by | 1) {
            return false;
        }
        by += 2;
    }
    true
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hcreate_r(count: usize, table: *mut hsearch_data) -> c_int {
    if table.is_null() {
        errno::set(EINVAL);
        return 0;
    }
    if !(*table).table.is_null() {
        return 0;
    }
    let mut size = if count < 3 { 3 } else { count } as c_uint | 1;
    while !is_prime(size) {
        size += 2;
    }
    let bytes = (size as usize + 1) * size_of::<Slot>();
    let slots = malloc(bytes).cast::<Slot>();
    if slots.is_null() {
        errno::set(ENOMEM);
        return 0;
    }
    memset(slots.cast(), 0, bytes);
    *table = hsearch_data {
        table: slots,
        size,
        filled: 0,
    };
    1
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hdestroy_r(table: *mut hsearch_data) {
    free((*table).table.cast());
    (*table).table = null_mut();
}

/// Finds a key; with `action` 1 it is entered where it is not there.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hsearch_r(
    item: ENTRY,
    action: c_int,
    result: *mut *mut ENTRY,
    table: *mut hsearch_data,
) -> c_int {
    let len = strlen(item.key);
    let mut hash = len as c_uint;
    let mut left = len;
    while left > 0 {
        left -= 1;
        hash = (hash << 4).wrapping_add(*item.key.add(left) as c_uint);
    }
    hash |= (hash == 0) as c_uint;
    let size = (*table).size;
    if size < 3 {
        // There is no table.
        errno::set(ESRCH);
        *result = null_mut();
        return 0;
    }
    let mut at = hash % size + 1;
    let step = 1 + at % (size - 2);
    let first = at;
    loop {
        let slot = (*table).table.add(at as usize);
        if (*slot).used == 0 {
            break;
        }
        if (*slot).used == hash && strcmp(item.key, (*slot).entry.key) == 0 {
            *result = &raw mut (*slot).entry;
            return 1;
        }
        at = if at <= step {
            size + at - step
        } else {
            at - step
        };
        if at == first {
            break;
        }
    }
    if action == 1 && (*table).filled < size {
        let slot = (*table).table.add(at as usize);
        (*slot).used = hash;
        (*slot).entry = item;
        (*table).filled += 1;
        *result = &raw mut (*slot).entry;
        return 1;
    }
    errno::set(if action == 1 { ENOMEM } else { ESRCH });
    *result = null_mut();
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hcreate(count: usize) -> c_int {
    hcreate_r(count, &raw mut TABLE)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hdestroy() {
    hdestroy_r(&raw mut TABLE);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hsearch(item: ENTRY, action: c_int) -> *mut ENTRY {
    let mut result = null_mut();
    hsearch_r(item, action, &raw mut result, &raw mut TABLE);
    result
}
