//! `search.h`: the binary tree, not balanced, and the queue.

use crate::native::{free, malloc};
use core::ffi::{c_int, c_void};
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
