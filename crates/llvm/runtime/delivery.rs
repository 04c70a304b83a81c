//! Signals on their way: one is delivered at once, or waits until its thread
//! no longer blocks it.  Only the program itself sends any.

// Handlers and other threads change what a loop waits for.
#![allow(clippy::while_immutable_condition)]

use crate::errno::{self, EAGAIN, EINTR, EINVAL, ESRCH};
use crate::native::{__refrain_long_jump, __refrain_raise, __refrain_unsupported, abort, getuid};
use crate::schedule::{self, Thread, Time, running, wait_for, wait_until, wake};
use crate::signal::{DEFAULT, IGNORE, SIGABRT, Set, action, valid};
use core::ffi::{CStr, c_int, c_ulong, c_void};
use core::ptr::null_mut;

unsafe extern "C" {
    fn getpid() -> c_int;
}

const SA_SIGINFO: c_int = 4;
const SA_NODEFER: c_int = 0x4000_0000;
const SA_RESETHAND: c_int = 0x8000_0000_u32 as c_int;

/// How a signal was sent: to the process, or to one of its threads.
const BY_KILL: c_int = 0;
const BY_THREAD: c_int = -6;

/// Sent to the process while all of its threads block them.  Who waits for a
/// signal waits for this.
static mut PENDING: c_ulong = 0;

pub const fn bit(signal: c_int) -> c_ulong {
    1 << ((signal - 1) & 63)
}

/// SIGKILL and SIGSTOP cannot be blocked, and two the C library keeps for itself.
const NEVER_BLOCKED: c_ulong = bit(9) | bit(19) | bit(32) | bit(33);

/// `siginfo_t`
#[repr(C)]
pub struct Info {
    signal: c_int,
    error: c_int,
    code: c_int,
    unused: c_int,
    process: c_int,
    user: c_int,
    rest: [u64; 13],
}

unsafe fn info(signal: c_int, code: c_int) -> Info {
    Info {
        signal,
        error: 0,
        code,
        unused: 0,
        process: getpid(),
        user: getuid() as c_int,
        rest: [0; 13],
    }
}

/// What the running thread blocks.
pub unsafe fn blocked() -> c_ulong {
    (*running()).blocked
}

/// The running thread blocks these from now on; what it got meanwhile and no
/// longer blocks is delivered.
pub unsafe fn block(signals: c_ulong) {
    (*running()).blocked = signals & !NEVER_BLOCKED;
    deliver_pending();
}

unsafe fn pending() -> c_ulong {
    (*running()).pending | PENDING
}

/// Takes the first of some signals that are pending; how it was sent.
unsafe fn take(from: c_ulong) -> (c_int, c_int) {
    let own = running();
    let to_thread = from & (*own).pending;
    let set = if to_thread != 0 { to_thread } else { from };
    let signal = set.trailing_zeros() as c_int + 1;
    if to_thread != 0 {
        (*own).pending &= !bit(signal);
        (signal, BY_THREAD)
    } else {
        PENDING &= !bit(signal);
        (signal, BY_KILL)
    }
}

pub unsafe fn deliver_pending() {
    loop {
        let ready = pending() & !blocked();
        if ready == 0 {
            return;
        }
        let (signal, code) = take(ready);
        deliver(signal, code);
    }
}

/// Nobody gets a signal that is ignored from now on.
pub unsafe fn discard(signal: c_int) {
    PENDING &= !bit(signal);
    let mut thread = schedule::after(null_mut());
    while !thread.is_null() {
        (*thread).pending &= !bit(signal);
        thread = schedule::after(thread);
    }
}

unsafe fn deliver(signal: c_int, code: c_int) -> c_int {
    let at = action(signal);
    let (handler, flags) = ((*at).handler, (*at).flags);
    if handler == IGNORE {
        return 0;
    }
    if handler == DEFAULT {
        if signal == SIGABRT {
            abort();
        }
        return __refrain_raise(signal);
    }
    let mut blocks = *(&raw const (*at).mask).cast::<c_ulong>();
    if flags & SA_NODEFER == 0 {
        blocks |= bit(signal);
    }
    if flags & SA_RESETHAND != 0 {
        (*at).handler = DEFAULT;
    }
    let own = running();
    let before = (*own).blocked;
    (*own).handled += 1;
    // Others that have come with it interrupt its handler before it does anything.
    block(before | blocks);
    if flags & SA_SIGINFO != 0 {
        let mut info = info(signal, code);
        let f = core::mem::transmute::<
            *const c_void,
            unsafe extern "C" fn(c_int, *mut Info, *mut c_void),
        >(handler);
        f(signal, &raw mut info, null_mut());
    } else {
        let f = core::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int)>(handler);
        f(signal);
    }
    (*own).blocked = before;
    0
}

/// Sends a signal to a thread.
pub unsafe fn send(thread: *mut Thread, signal: c_int) -> c_int {
    send_by(thread, signal, BY_THREAD)
}

unsafe fn send_by(thread: *mut Thread, signal: c_int, code: c_int) -> c_int {
    if (*thread).blocked & bit(signal) == 0 {
        let handler = (*action(signal)).handler;
        if thread == running() || handler == IGNORE || handler == DEFAULT {
            let result = deliver(signal, code);
            // What came meanwhile was blocked by the handler.
            deliver_pending();
            return result;
        }
        let waits_for = (*thread).waits_for;
        if !waits_for.is_null() && waits_for != (&raw const PENDING).cast() {
            __refrain_unsupported(c"a signal for a thread that waits for something else".as_ptr());
        }
    }
    (*thread).pending |= bit(signal);
    wake((&raw const PENDING).cast(), usize::MAX);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn raise(signal: c_int) -> c_int {
    if signal == 0 {
        return 0;
    }
    if !valid(signal) {
        return -1;
    }
    send(running(), signal)
}

/// `kill` of the process itself.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_kill(signal: c_int) -> c_int {
    if signal == 0 {
        return 0;
    }
    if !valid(signal) {
        return -1;
    }
    let mut thread = running();
    if (*thread).blocked & bit(signal) != 0 {
        thread = schedule::after(null_mut());
    }
    while !thread.is_null() {
        if !(*thread).ended && (*thread).blocked & bit(signal) == 0 {
            return send_by(thread, signal, BY_KILL);
        }
        thread = schedule::after(thread);
    }
    PENDING |= bit(signal);
    wake((&raw const PENDING).cast(), usize::MAX);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_kill(number: c_ulong, signal: c_int) -> c_int {
    let thread = schedule::find_thread(number);
    if thread.is_null() {
        return ESRCH;
    }
    if signal == 0 {
        return 0;
    }
    if !(1..=64).contains(&signal) {
        return EINVAL;
    }
    if !(*thread).ended {
        send(thread, signal);
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigpending(set: *mut Set) -> c_int {
    let signals = pending() & blocked();
    crate::signal::fill(set, 0);
    *set.cast::<c_ulong>() = signals;
    0
}

// Waiting.

unsafe fn wait(nobody: &CStr) {
    if schedule::is_alone() {
        __refrain_unsupported(nobody.as_ptr());
    }
    wait_for((&raw const PENDING).cast());
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigwait(set: *const Set, signal: *mut c_int) -> c_int {
    let wanted = *set.cast::<c_ulong>();
    while pending() & wanted == 0 {
        wait(c"sigwait: a wait for a signal that nobody sends");
    }
    *signal = take(pending() & wanted).0;
    0
}

/// Waits until a time at most, if there is one.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigtimedwait(set: *const Set, to: *mut Info, span: *const Time) -> c_int {
    let wanted = *set.cast::<c_ulong>();
    let handled = (*running()).handled;
    if !span.is_null() && !(*span).is_valid() {
        errno::set(EINVAL);
        return -1;
    }
    let until = if span.is_null() {
        Time::ZERO
    } else {
        Time::after(*span)
    };
    while pending() & wanted == 0 {
        if span.is_null() {
            wait(c"sigwaitinfo: a wait for a signal that nobody sends");
        } else if wait_until((&raw const PENDING).cast(), schedule::MONOTONIC, until) {
            errno::set(EAGAIN);
            return -1;
        }
        if (*running()).handled != handled && pending() & wanted == 0 {
            errno::set(EINTR);
            return -1;
        }
    }
    let (signal, _) = take(pending() & wanted);
    if !to.is_null() {
        // The GNU C library says so of both.
        to.write(info(signal, BY_KILL));
    }
    signal
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigwaitinfo(set: *const Set, to: *mut Info) -> c_int {
    sigtimedwait(set, to, core::ptr::null())
}

/// Blocks only these signals until a handler has run.
unsafe fn suspend(signals: c_ulong, nobody: &CStr) -> c_int {
    let own = running();
    let (before, handled) = ((*own).blocked, (*own).handled);
    block(signals);
    while (*own).handled == handled {
        wait(nobody);
    }
    block(before);
    errno::set(EINTR);
    -1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigsuspend(set: *const Set) -> c_int {
    suspend(
        *set.cast::<c_ulong>(),
        c"sigsuspend: a wait for a signal that nobody sends",
    )
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pause() -> c_int {
    suspend(blocked(), c"pause: a wait for a signal that nobody sends")
}

// What `sigsetjmp` keeps behind the place it comes back to, as `setjmp.h` lays it out.

#[repr(C)]
pub struct Jump {
    place: [u64; 8],
    is_mask_saved: c_int,
    mask: Set,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_save_mask(jump: *mut Jump) -> c_int {
    (*jump).is_mask_saved = 1;
    crate::signal::fill(&raw mut (*jump).mask, 0);
    *(&raw mut (*jump).mask).cast::<c_ulong>() = blocked();
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_restore_mask(jump: *mut Jump, value: c_int) -> ! {
    block(*(&raw const (*jump).mask).cast::<c_ulong>());
    __refrain_long_jump(jump.cast(), value)
}
