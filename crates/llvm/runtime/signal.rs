//! Sets of signals, and what is to happen with each: handlers are recorded and
//! given back.  `delivery` calls them.

use crate::delivery::{block, blocked, discard, send};
use crate::errno::{self, EINVAL};
use crate::native::memcpy;
use core::ffi::{c_int, c_ulong, c_void};

/// `sigset_t`: a bit a signal, from 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Set([c_ulong; 16]);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: *const c_void,
    pub mask: Set,
    pub flags: c_int,
    restorer: usize,
}

const SIGNALS: c_int = 65;
pub const SIGABRT: c_int = 6;
// Handlers that are no functions.
pub const DEFAULT: *const c_void = core::ptr::null();
pub const IGNORE: *const c_void = core::ptr::without_provenance(1);
const ERROR: *const c_void = core::ptr::without_provenance(usize::MAX);
const SA_RESTART: c_int = 0x1000_0000;

static mut ACTIONS: [Action; SIGNALS as usize] = [Action {
    handler: DEFAULT,
    mask: Set([0; 16]),
    flags: 0,
    restorer: 0,
}; SIGNALS as usize];

pub unsafe fn valid(signal: c_int) -> bool {
    let ok = signal > 0 && signal < SIGNALS;
    if !ok {
        errno::set(EINVAL);
    }
    ok
}

pub unsafe fn action(signal: c_int) -> *mut Action {
    (&raw mut ACTIONS).cast::<Action>().add(signal as usize)
}

pub unsafe fn fill(set: *mut Set, word: c_ulong) {
    let words = set.cast::<c_ulong>();
    let mut i = 0;
    while i < 16 {
        *words.add(i) = word;
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigemptyset(set: *mut Set) -> c_int {
    fill(set, 0);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigfillset(set: *mut Set) -> c_int {
    fill(set, c_ulong::MAX);
    // The two the C library keeps for itself.
    *set.cast::<c_ulong>() &= !(3 << 31);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigaddset(set: *mut Set, signal: c_int) -> c_int {
    if !valid(signal) {
        return -1;
    }
    *set.cast::<c_ulong>() |= 1 << ((signal - 1) & 63);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigdelset(set: *mut Set, signal: c_int) -> c_int {
    if !valid(signal) {
        return -1;
    }
    *set.cast::<c_ulong>() &= !(1 << ((signal - 1) & 63));
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigismember(set: *const Set, signal: c_int) -> c_int {
    if !valid(signal) {
        return -1;
    }
    (*set.cast::<c_ulong>() >> ((signal - 1) & 63) & 1) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigisemptyset(set: *const Set) -> c_int {
    (*set.cast::<c_ulong>() == 0) as c_int
}

/// What is ignored from now on is not delivered later.
unsafe fn discard_ignored(signal: c_int) {
    const SIGCHLD: c_int = 17;
    const SIGCONT: c_int = 18;
    const SIGURG: c_int = 23;
    const SIGWINCH: c_int = 28;
    let handler = (*action(signal)).handler;
    let tells_only = matches!(signal, SIGCHLD | SIGCONT | SIGURG | SIGWINCH);
    if handler == IGNORE || (handler == DEFAULT && tells_only) {
        discard(signal);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SIGKILL and SIGSTOP cannot be caught.
    if !valid(signal) || (!new.is_null() && (signal == 9 || signal == 19)) {
        errno::set(EINVAL);
        return -1;
    }
    // Through a copy: the two may be the same.
    let previous = *action(signal);
    if !new.is_null() {
        memcpy(action(signal).cast(), new.cast(), size_of::<Action>());
        discard_ignored(signal);
    }
    if !old.is_null() {
        memcpy(
            old.cast(),
            (&raw const previous).cast(),
            size_of::<Action>(),
        );
    }
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn signal(signal: c_int, handler: *const c_void) -> *const c_void {
    if !valid(signal) || signal == 9 || signal == 19 {
        errno::set(EINVAL);
        return ERROR;
    }
    let at = action(signal);
    let previous = (*at).handler;
    (*at).handler = handler;
    (*at).flags = SA_RESTART;
    sigemptyset(&raw mut (*at).mask);
    discard_ignored(signal);
    previous
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bsd_signal(number: c_int, handler: *const c_void) -> *const c_void {
    signal(number, handler)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigprocmask(how: c_int, set: *const Set, old: *mut Set) -> c_int {
    let previous = blocked();
    // Through a copy: the two may be the same.
    let mut wanted = previous;
    if !set.is_null() {
        let new = *set.cast::<c_ulong>();
        wanted = match how {
            0 => previous | new,
            1 => previous & !new,
            2 => new,
            _ => {
                errno::set(EINVAL);
                return -1;
            }
        };
    }
    if !old.is_null() {
        fill(old, 0);
        *old.cast::<c_ulong>() = previous;
    }
    if wanted != previous {
        block(wanted);
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_sigmask(how: c_int, set: *const Set, old: *mut Set) -> c_int {
    if sigprocmask(how, set, old) < 0 {
        EINVAL
    } else {
        0
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn siginterrupt(_signal: c_int, _interrupt: c_int) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigaltstack(_new: *const c_void, _old: *mut c_void) -> c_int {
    0
}

// The ends of the range left to programs.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __libc_current_sigrtmin() -> c_int {
    34
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __libc_current_sigrtmax() -> c_int {
    64
}

/// What `write` does after nobody was there to read: the signal, and if the
/// program goes on after that, the error.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_broken_pipe() -> isize {
    const SIGPIPE: c_int = 13;
    const EPIPE: c_int = 32;
    send(crate::schedule::running(), SIGPIPE);
    errno::set(EPIPE);
    -1
}
