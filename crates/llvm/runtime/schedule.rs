//! Threads, one of which runs: the others are ready, or wait for something.
//!
//! A new thread runs at once.  A thread goes on until it ends, yields, sleeps or
//! has to wait; then the one that has been ready for longest goes on.  A
//! program so has one order in which its threads run, and has it every time.
//! When all wait, time passes until the first of those whose time is limited
//! goes on; if there is none, the path ends.

// Other threads change what a loop waits for.
#![allow(clippy::while_immutable_condition)]

use crate::errno::{__errno_location, EAGAIN, EDEADLK, EINVAL, ESRCH, set};
use crate::native::{__refrain_long_jump, __refrain_unsupported, free, malloc};
use crate::thread_names::Name;
use core::ffi::{c_int, c_long, c_ulong, c_void};
use core::ptr::{null, null_mut};

unsafe extern "C" {
    /// Lets the thread `to` go on in the place of `from`; each has its own
    /// variables: those of the program, and `len` bytes of `block`, which are
    /// zero in a new one.  That one calls `__refrain_thread_begin`.  `arg` is
    /// what the other thread was given when it was created.
    fn __refrain_thread_switch(
        block: *mut c_void,
        len: usize,
        from: *mut Thread,
        to: *mut Thread,
        arg: *mut c_void,
    );
    /// The same for a thread that has ended: it does not come back.
    fn __refrain_thread_leave(
        block: *mut c_void,
        len: usize,
        to: *mut Thread,
        arg: *mut c_void,
    ) -> !;
    /// Ends the path if a function would have to be unwound on the way out to
    /// where `place` was filled, or out of all there are if it is null.
    fn __refrain_thread_unwinds(place: *mut u64);
    /// `setjmp`, by a name that is no program's.
    fn __refrain_set_jump(place: *mut u64) -> c_int;
    /// Lets time pass on a clock.
    fn __refrain_clock_sleep(
        clock: c_int,
        flags: c_int,
        time: *const Time,
        left: *mut Time,
    ) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
    fn getpid() -> c_int;
}

/// What the C++ library looks at before it counts references atomically.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __libc_single_threaded: u8 = 1;

/// Names this program among shared objects; there are no others.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static __dso_handle: u64 = 0;

/// `struct timespec`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    seconds: i64,
    nanoseconds: i64,
}

impl Time {
    pub const ZERO: Time = Time {
        seconds: 0,
        nanoseconds: 0,
    };

    /// The time on the monotonic clock when a span will be over.
    pub unsafe fn after(span: Time) -> Time {
        let mut until = Time::ZERO;
        clock_gettime(MONOTONIC, &raw mut until);
        until.add(span);
        until
    }

    fn add(&mut self, span: Time) {
        self.seconds = self.seconds.saturating_add(span.seconds);
        self.nanoseconds += span.nanoseconds;
        if self.nanoseconds >= SECOND {
            self.nanoseconds -= SECOND;
            self.seconds = self.seconds.saturating_add(1);
        }
    }

    pub fn is_valid(self) -> bool {
        self.seconds >= 0 && (0..SECOND).contains(&self.nanoseconds)
    }
}

const SECOND: i64 = 1_000_000_000;
pub const MONOTONIC: c_int = 1;
const ABSOLUTE: c_int = 1;
pub const TIMED_OUT: c_int = 110;

/// What each thread has of its own.  Of a new one all is zero.
pub struct Local {
    /// Null for the first thread.
    pub thread: *mut Thread,
    /// Destructors of the thread's variables.
    pub handlers: *mut crate::exit::Node,
    cleanups: *mut Cleanup,
    pub values: [crate::thread::Specific; crate::thread::KEYS],
}

pub static mut LOCAL: Local = Local {
    thread: null_mut(),
    handlers: null_mut(),
    cleanups: null_mut(),
    values: [crate::thread::Specific::NONE; crate::thread::KEYS],
};

type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// A thread, until it is joined.
#[repr(C)]
pub struct Thread {
    number: c_ulong,
    body: Option<Body>,
    arg: *mut c_void,
    /// Where `pthread_exit` goes.
    start: u64,
    result: *mut c_void,
    pub ended: bool,
    detached: bool,
    /// What it waits for; null while it does not wait.
    pub waits_for: *const c_void,
    /// Those that wait for the same go on in the order of these.
    turn: usize,
    /// The clock of a wait that ends by itself, and when; none is -1.
    clock: c_int,
    until: Time,
    timed_out: bool,
    /// The signals it blocks, those it got meanwhile, and how many it has handled.
    pub blocked: c_ulong,
    pub pending: c_ulong,
    pub handled: usize,
    pub name: Name,
    /// The one that is ready after it.
    ready: *mut Thread,
    next: *mut Thread,
}

const FIRST: c_ulong = 1;

static mut FIRST_THREAD: Thread = Thread {
    number: FIRST,
    body: None,
    arg: null_mut(),
    start: 0,
    result: null_mut(),
    ended: false,
    detached: false,
    waits_for: null(),
    turn: 0,
    clock: -1,
    until: Time {
        seconds: 0,
        nanoseconds: 0,
    },
    timed_out: false,
    blocked: 0,
    pending: 0,
    handled: 0,
    name: Name::NONE,
    ready: null_mut(),
    next: null_mut(),
};

/// The threads that can be joined or still run, but for the first.
static mut THREADS: *mut Thread = null_mut();
static mut CREATED: c_ulong = 0;
/// Those that could go on, the next one first.
static mut READY: *mut Thread = null_mut();
static mut TURNS: usize = 0;
/// How many wait.
static mut WAITING: usize = 0;

pub unsafe fn running() -> *mut Thread {
    if LOCAL.thread.is_null() {
        &raw mut FIRST_THREAD
    } else {
        LOCAL.thread
    }
}

pub unsafe fn current() -> c_ulong {
    (*running()).number
}

/// The one after a thread, of all there are; the first of them after null.
pub unsafe fn after(thread: *mut Thread) -> *mut Thread {
    if thread.is_null() {
        &raw mut FIRST_THREAD
    } else if thread == &raw mut FIRST_THREAD {
        THREADS
    } else {
        (*thread).next
    }
}

unsafe fn make_ready(thread: *mut Thread) {
    let mut place = &raw mut READY;
    while !(*place).is_null() {
        place = &raw mut (**place).ready;
    }
    (*thread).ready = null_mut();
    *place = thread;
}

/// The thread that goes on when this one cannot.
unsafe fn next_ready() -> *mut Thread {
    if READY.is_null() {
        pass_time();
    }
    let next = READY;
    READY = (*next).ready;
    next
}

/// Nobody can go on: lets time pass until one can.
#[cold]
unsafe fn pass_time() {
    let mut first: *mut Thread = null_mut();
    let mut thread = after(null_mut());
    while !thread.is_null() {
        let waits = !(*thread).waits_for.is_null() && (*thread).clock >= 0;
        if waits && (first.is_null() || is_before((*thread).until, (*first).until)) {
            first = thread;
        }
        thread = after(thread);
    }
    if first.is_null() {
        __refrain_unsupported(c"all threads wait for one another: a deadlock".as_ptr());
    }
    __refrain_clock_sleep(
        (*first).clock,
        ABSOLUTE,
        &raw const (*first).until,
        null_mut(),
    );
    (*first).timed_out = true;
    go_on(first);
}

fn is_before(one: Time, other: Time) -> bool {
    one.seconds < other.seconds
        || (one.seconds == other.seconds && one.nanoseconds < other.nanoseconds)
}

/// A thread waits no more.
unsafe fn go_on(thread: *mut Thread) {
    (*thread).waits_for = null();
    WAITING -= 1;
    make_ready(thread);
}

unsafe fn switch_to(next: *mut Thread) {
    let own = running();
    if next != own {
        let error = *__errno_location();
        let local = (&raw mut LOCAL).cast();
        __refrain_thread_switch(local, size_of::<Local>(), own, next, (*next).arg);
        set(error);
        if (*own).pending & !(*own).blocked != 0 {
            crate::delivery::deliver_pending();
        }
    }
}

/// Waits until somebody wakes those that wait for `what`.
pub unsafe fn wait_for(what: *const c_void) {
    let own = running();
    (*own).clock = -1;
    wait(own, what);
}

/// The same until a time at most; whether it is over.
pub unsafe fn wait_until(what: *const c_void, clock: c_int, until: Time) -> bool {
    let own = running();
    (*own).clock = clock;
    (*own).until = until;
    wait(own, what);
    (*own).timed_out
}

unsafe fn wait(own: *mut Thread, what: *const c_void) {
    TURNS += 1;
    (*own).turn = TURNS;
    (*own).waits_for = what;
    (*own).timed_out = false;
    WAITING += 1;
    let next = next_ready();
    switch_to(next);
}

/// Lets those go on that wait for `what`, but no more than `most`; how many there were.
pub unsafe fn wake(what: *const c_void, most: usize) -> usize {
    let mut woken = 0;
    while WAITING > 0 && woken < most {
        let mut first: *mut Thread = null_mut();
        let mut thread = after(null_mut());
        while !thread.is_null() {
            let waits = (*thread).waits_for == what;
            if waits && (first.is_null() || (*thread).turn < (*first).turn) {
                first = thread;
            }
            thread = after(thread);
        }
        if first.is_null() {
            break;
        }
        go_on(first);
        woken += 1;
    }
    woken
}

// Threads

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_self() -> c_ulong {
    current()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gettid() -> c_int {
    getpid() + (current() - FIRST) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_equal(a: c_ulong, b: c_ulong) -> c_int {
    (a == b) as c_int
}

/// Exceptions do not leave it, and `pthread_exit` returns from it.
#[inline(never)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_thread_run(f: Body, arg: *mut c_void) -> *mut c_void {
    if __refrain_set_jump(&raw mut (*LOCAL.thread).start) == 0 {
        f(arg)
    } else {
        (*LOCAL.thread).result
    }
}

/// All that a new thread does.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_thread_begin(thread: *mut Thread) {
    LOCAL.thread = thread;
    set(0);
    if let Some(body) = (*thread).body {
        (*thread).result = __refrain_thread_run(body, (*thread).arg);
    }
    end_thread();
    finish()
}

/// The thread is over: another one goes on, or the program ends with the last one.
unsafe fn finish() -> ! {
    let own = running();
    (*own).ended = true;
    wake(own.cast(), usize::MAX);
    if READY.is_null() && WAITING == 0 {
        crate::exit::exit(0);
    }
    let next = next_ready();
    if (*own).detached {
        forget(own);
    }
    __refrain_thread_leave(
        (&raw mut LOCAL).cast(),
        size_of::<Local>(),
        next,
        (*next).arg,
    )
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_ulong,
    attributes: *const crate::thread::Attributes,
    body: Body,
    arg: *mut c_void,
) -> c_int {
    let new = malloc(size_of::<Thread>()).cast::<Thread>();
    if new.is_null() {
        return EAGAIN;
    }
    CREATED += 1;
    new.write(Thread {
        number: FIRST + CREATED,
        body: Some(body),
        arg,
        start: 0,
        result: null_mut(),
        ended: false,
        detached: !attributes.is_null() && (*attributes).detached != 0,
        waits_for: null(),
        turn: 0,
        clock: -1,
        until: Time {
            seconds: 0,
            nanoseconds: 0,
        },
        timed_out: false,
        blocked: (*running()).blocked,
        pending: 0,
        handled: 0,
        name: (*running()).name,
        ready: null_mut(),
        next: THREADS,
    });
    THREADS = new;
    *thread = (*new).number;
    __libc_single_threaded = 0;
    // Its creator is the next one after it.
    let own = running();
    (*own).ready = READY;
    READY = own;
    switch_to(new);
    0
}

/// Runs what is to run when a thread ends.
unsafe fn end_thread() {
    const ROUNDS: c_int = 4;
    crate::exit::run(&raw mut LOCAL.handlers, 0);
    let mut round = 0;
    while round < ROUNDS && crate::thread::destroy_values() {
        round += 1;
    }
}

/// The thread of a number; null if there is none.
pub unsafe fn find_thread(number: c_ulong) -> *mut Thread {
    let mut thread = after(null_mut());
    while !thread.is_null() && (*thread).number != number {
        thread = after(thread);
    }
    thread
}

unsafe fn forget(thread: *mut Thread) {
    if thread == &raw mut FIRST_THREAD {
        return;
    }
    let mut place = &raw mut THREADS;
    while *place != thread {
        place = &raw mut (**place).next;
    }
    *place = (*thread).next;
    free(thread.cast());
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_join(number: c_ulong, result: *mut *mut c_void) -> c_int {
    if number == current() {
        return EDEADLK;
    }
    let thread = find_thread(number);
    if thread.is_null() {
        return ESRCH;
    }
    if (*thread).detached {
        return EINVAL;
    }
    while !(*thread).ended {
        wait_for(thread.cast());
    }
    if !result.is_null() {
        *result = (*thread).result;
    }
    forget(thread);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_detach(number: c_ulong) -> c_int {
    let thread = find_thread(number);
    if thread.is_null() {
        return ESRCH;
    }
    if (*thread).detached {
        return EINVAL;
    }
    (*thread).detached = true;
    if (*thread).ended {
        forget(thread);
    }
    0
}

/// What `pthread_cleanup_push` keeps in its function, as `pthread.h` lays it
/// out: where `pthread_exit` goes first.
#[repr(C)]
pub struct Cleanup {
    place: u64,
    unused: [u64; 8],
    outer: *mut Cleanup,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_register_cancel(cleanup: *mut Cleanup) {
    (*cleanup).outer = LOCAL.cleanups;
    LOCAL.cleanups = cleanup;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_unregister_cancel(cleanup: *mut Cleanup) {
    LOCAL.cleanups = (*cleanup).outer;
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __pthread_unwind_next(_cleanup: *mut Cleanup) -> ! {
    let cleanup = LOCAL.cleanups;
    let place = if !cleanup.is_null() {
        LOCAL.cleanups = (*cleanup).outer;
        &raw mut (*cleanup).place
    } else if !LOCAL.thread.is_null() {
        &raw mut (*LOCAL.thread).start
    } else {
        null_mut()
    };
    __refrain_thread_unwinds(place);
    if place.is_null() {
        // The last thread to end ends the program.
        end_thread();
        finish()
    }
    __refrain_long_jump(place, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    (*running()).result = result;
    __pthread_unwind_next(null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sched_yield() -> c_int {
    if !READY.is_null() {
        make_ready(running());
        let next = next_ready();
        switch_to(next);
    }
    0
}

// Sleeping: others go on meanwhile, where there are any.

/// Whether another thread could do anything before a time is over.
pub unsafe fn is_alone() -> bool {
    READY.is_null() && WAITING == 0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const Time,
    left: *mut Time,
) -> c_int {
    let span = *time;
    let mut until = span;
    if is_alone()
        || !span.is_valid()
        || (flags & ABSOLUTE == 0 && clock_gettime(clock, &raw mut until) != 0)
    {
        return __refrain_clock_sleep(clock, flags, time, left);
    }
    if flags & ABSOLUTE == 0 {
        until.add(span);
    }
    // Nobody wakes those that wait for what is theirs.
    wait_until((&raw const (*running()).until).cast(), clock, until);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nanosleep(time: *const Time, left: *mut Time) -> c_int {
    let error = clock_nanosleep(MONOTONIC, 0, time, left);
    if error != 0 {
        set(error);
        return -1;
    }
    if !left.is_null() {
        left.write(Time {
            seconds: 0,
            nanoseconds: 0,
        });
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn usleep(microseconds: u32) -> c_int {
    let time = Time {
        seconds: (microseconds / 1_000_000).into(),
        nanoseconds: i64::from(microseconds % 1_000_000) * 1000,
    };
    clock_nanosleep(MONOTONIC, 0, &raw const time, null_mut());
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sleep(seconds: u32) -> u32 {
    let time = Time {
        seconds: seconds.into(),
        nanoseconds: 0,
    };
    clock_nanosleep(MONOTONIC, 0, &raw const time, null_mut());
    0
}

/// Waits for a word in memory to change, as the system call does: `clock` is
/// -1 without a limit.  The result is that of `syscall`, which is a word.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_futex_wait(
    word: *const c_void,
    clock: c_int,
    seconds: i64,
    nanoseconds: i64,
) -> c_long {
    if clock < 0 {
        wait_for(word);
        return 0;
    }
    let until = Time {
        seconds,
        nanoseconds,
    };
    if wait_until(word, clock, until) {
        set(TIMED_OUT);
        return -1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_futex_wake(word: *const c_void, most: c_int) -> c_long {
    if most < 0 {
        return 0;
    }
    wake(word, most as usize) as c_long
}
