//! Ending the program: handlers, then streams, then the machine.

use crate::native::{_exit, malloc};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

#[derive(Clone, Copy)]
enum Handler {
    Plain(unsafe extern "C" fn()),
    /// From `__cxa_atexit`.
    With(unsafe extern "C" fn(*mut c_void), *mut c_void),
    /// From `on_exit`.
    Status(unsafe extern "C" fn(c_int, *mut c_void), *mut c_void),
}

pub struct Node {
    handler: Handler,
    /// The shared object a handler belongs to, for `__cxa_finalize`.
    owner: *mut c_void,
    done: bool,
    next: *mut Node,
}

/// A stack of handlers: one registered while they run is the next to run.
static mut HANDLERS: *mut Node = null_mut();
static mut QUICK_HANDLERS: *mut Node = null_mut();

unsafe fn push(list: *mut *mut Node, handler: Handler, owner: *mut c_void) -> c_int {
    let node = malloc(size_of::<Node>()).cast::<Node>();
    if node.is_null() {
        return -1;
    }
    node.write(Node {
        handler,
        owner,
        done: false,
        next: *list,
    });
    *list = node;
    0
}

unsafe fn call(handler: Handler, status: c_int) {
    match handler {
        Handler::Plain(f) => f(),
        Handler::With(f, arg) => f(arg),
        Handler::Status(f, arg) => f(status, arg),
    }
}

pub unsafe fn run(list: *mut *mut Node, status: c_int) {
    while !(*list).is_null() {
        let node = *list;
        *list = (*node).next;
        if !(*node).done {
            call((*node).handler, status);
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn atexit(f: unsafe extern "C" fn()) -> c_int {
    push(&raw mut HANDLERS, Handler::Plain(f), null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_atexit(
    f: unsafe extern "C" fn(*mut c_void),
    arg: *mut c_void,
    owner: *mut c_void,
) -> c_int {
    push(&raw mut HANDLERS, Handler::With(f, arg), owner)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_thread_atexit_impl(
    f: unsafe extern "C" fn(*mut c_void),
    arg: *mut c_void,
    owner: *mut c_void,
) -> c_int {
    push(
        &raw mut crate::schedule::LOCAL.handlers,
        Handler::With(f, arg),
        owner,
    )
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_thread_atexit(
    f: unsafe extern "C" fn(*mut c_void),
    arg: *mut c_void,
    owner: *mut c_void,
) -> c_int {
    push(
        &raw mut crate::schedule::LOCAL.handlers,
        Handler::With(f, arg),
        owner,
    )
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_finalize(owner: *mut c_void) {
    let mut node = HANDLERS;
    while !node.is_null() {
        let finalized = matches!((*node).handler, Handler::With(..))
            && (owner.is_null() || (*node).owner == owner);
        if finalized && !(*node).done {
            (*node).done = true;
            call((*node).handler, 0);
            // The handler may have registered others: begin again at the top.
            node = HANDLERS;
        } else {
            node = (*node).next;
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn on_exit(
    f: unsafe extern "C" fn(c_int, *mut c_void),
    arg: *mut c_void,
) -> c_int {
    push(&raw mut HANDLERS, Handler::Status(f, arg), null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn at_quick_exit(f: unsafe extern "C" fn()) -> c_int {
    push(&raw mut QUICK_HANDLERS, Handler::Plain(f), null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __cxa_at_quick_exit(
    f: unsafe extern "C" fn(*mut c_void),
    owner: *mut c_void,
) -> c_int {
    push(&raw mut QUICK_HANDLERS, Handler::With(f, null_mut()), owner)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn exit(status: c_int) -> ! {
    run(&raw mut crate::schedule::LOCAL.handlers, status);
    run(&raw mut HANDLERS, status);
    crate::stdio::__refrain_flush_all();
    _exit(status)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn quick_exit(status: c_int) -> ! {
    run(&raw mut QUICK_HANDLERS, status);
    _exit(status)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}
