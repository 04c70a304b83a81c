//! Threads that run one after the other: a new one runs to its end before the
//! one that created it goes on.
//!
//! That is a schedule a program must reckon with.  What would wait for a
//! thread that has not gone on yet ends the path, for this schedule has no
//! more to say.

use crate::errno::{__errno_location, EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, ESRCH, set};
use crate::native::{__refrain_unsupported, free, malloc};
use core::ffi::{c_int, c_uint, c_ulong, c_void};
use core::ptr::{null, null_mut};

unsafe extern "C" {
    /// Sets a thread's variables aside and gives a new one its own: those of
    /// the program, and `len` bytes of `block`, which become zero.  The new
    /// thread gets `arg`.  What was set aside is at the result.
    fn __refrain_thread_enter(block: *mut c_void, len: usize, arg: *mut c_void) -> *mut c_void;
    /// Puts back what `__refrain_thread_enter` has set aside.
    fn __refrain_thread_leave(block: *mut c_void, len: usize, saved: *mut c_void);
    /// Ends the path if a function would have to be unwound on the way out to
    /// where `place` was filled, or out of all there are if it is null.
    fn __refrain_thread_unwinds(place: *mut u64);
    /// `setjmp` and `longjmp`, by names that are no program's.
    fn __refrain_set_jump(place: *mut u64) -> c_int;
    fn __refrain_long_jump(place: *mut u64, value: c_int) -> !;
    fn getpid() -> c_int;
    fn clock_nanosleep(
        clock: c_int,
        flags: c_int,
        until: *const c_void,
        left: *mut c_void,
    ) -> c_int;
}

/// What the C++ library looks at before it counts references atomically.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __libc_single_threaded: u8 = 1;

/// Names this program among shared objects; there are no others.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static __dso_handle: u64 = 0;

/// What each thread has of its own.  Of a new one all is zero.
pub struct Local {
    /// Null for the first thread.
    thread: *mut Thread,
    /// Destructors of the thread's variables.
    pub handlers: *mut crate::exit::Node,
    cleanups: *mut Cleanup,
    values: [Specific; KEYS],
}

pub static mut LOCAL: Local = Local {
    thread: null_mut(),
    handlers: null_mut(),
    cleanups: null_mut(),
    values: [Specific {
        time: 0,
        value: null(),
    }; KEYS],
};

/// A thread other than the first, until it is joined.
struct Thread {
    number: c_ulong,
    /// Where `pthread_exit` goes.
    start: u64,
    result: *mut c_void,
    ended: bool,
    detached: bool,
    next: *mut Thread,
}

/// The threads that can be joined or still run.
static mut THREADS: *mut Thread = null_mut();
static mut CREATED: c_ulong = 0;

const FIRST: c_ulong = 1;

unsafe fn current() -> c_ulong {
    if LOCAL.thread.is_null() {
        FIRST
    } else {
        (*LOCAL.thread).number
    }
}

/// Ends the path: a thread waits for what another one has yet to do.
macro_rules! waits {
    ($what:literal) => {
        __refrain_unsupported(
            concat!($what, ": the thread it waits for has not run yet\0")
                .as_ptr()
                .cast(),
        )
    };
}

const TIMED_OUT: c_int = 110;

/// Lets the time of a wait run out that nobody ends.
unsafe fn time_out(clock: c_int, until: *const c_void) -> c_int {
    const ABSOLUTE: c_int = 1;
    let slept = clock_nanosleep(clock, ABSOLUTE, until, null_mut());
    if slept == EINVAL { EINVAL } else { TIMED_OUT }
}

/// The fields the static initialisers of `pthread.h` set are where it has them.
#[repr(C)]
pub struct Mutex {
    locked: c_int,
    count: c_uint,
    owner: c_int,
    users: c_uint,
    kind: c_int,
}

const RECURSIVE: c_int = 1;
const ERRORCHECK: c_int = 2;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_init(mutex: *mut Mutex, attributes: *const c_int) -> c_int {
    // All of the type's 40 bytes, of which these are the first.
    crate::native::memset(mutex.cast(), 0, 40);
    (*mutex).kind = if attributes.is_null() {
        0
    } else {
        *attributes & 3
    };
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut Mutex) -> c_int {
    if (*mutex).locked != 0 { EBUSY } else { 0 }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: *mut Mutex) -> c_int {
    let own = current() as c_int;
    if (*mutex).locked != 0 {
        if (*mutex).kind & 3 != RECURSIVE || (*mutex).owner != own {
            return EBUSY;
        }
        (*mutex).count += 1;
        return 0;
    }
    (*mutex).locked = 1;
    (*mutex).owner = own;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *mut Mutex) -> c_int {
    if pthread_mutex_trylock(mutex) == 0 {
        return 0;
    }
    if (*mutex).owner != current() as c_int {
        waits!("pthread_mutex_lock");
    }
    if (*mutex).kind & 3 == ERRORCHECK {
        return EDEADLK;
    }
    __refrain_unsupported(c"pthread_mutex_lock of a mutex already locked: a deadlock".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_timedlock(mutex: *mut Mutex, until: *const c_void) -> c_int {
    if pthread_mutex_trylock(mutex) == 0 {
        0
    } else if (*mutex).kind & 3 == ERRORCHECK && (*mutex).owner == current() as c_int {
        EDEADLK
    } else {
        time_out(0, until)
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut Mutex) -> c_int {
    if (*mutex).locked == 0 {
        return if (*mutex).kind & 3 == 0 { 0 } else { EPERM };
    }
    let checks = matches!((*mutex).kind & 3, RECURSIVE | ERRORCHECK);
    if checks && (*mutex).owner != current() as c_int {
        return EPERM;
    }
    if (*mutex).count > 0 {
        (*mutex).count -= 1;
    } else {
        (*mutex).locked = 0;
        (*mutex).owner = 0;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_settype(attributes: *mut c_int, kind: c_int) -> c_int {
    if !(0..4).contains(&kind) {
        return EINVAL;
    }
    *attributes = kind;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_gettype(
    attributes: *const c_int,
    kind: *mut c_int,
) -> c_int {
    *kind = *attributes;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_wait(_condition: *mut c_void, _mutex: *mut Mutex) -> c_int {
    waits!("pthread_cond_wait")
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut c_int,
    _mutex: *mut Mutex,
    until: *const c_void,
) -> c_int {
    time_out(*condition, until)
}

#[repr(C)]
pub struct RwLock {
    readers: c_uint,
    /// The thread that writes; 0 for none.
    writer: c_uint,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_init(
    lock: *mut RwLock,
    _attributes: *const c_void,
) -> c_int {
    crate::native::memset(lock.cast(), 0, 56);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_destroy(_lock: *mut RwLock) -> c_int {
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_tryrdlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 {
        return EBUSY;
    }
    (*lock).readers += 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_rdlock(lock: *mut RwLock) -> c_int {
    if pthread_rwlock_tryrdlock(lock) == 0 {
        return 0;
    }
    if (*lock).writer == current() as c_uint {
        return EDEADLK;
    }
    waits!("pthread_rwlock_rdlock")
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_trywrlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 || (*lock).readers != 0 {
        return EBUSY;
    }
    (*lock).writer = current() as c_uint;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_wrlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer == current() as c_uint {
        return EDEADLK;
    }
    if pthread_rwlock_trywrlock(lock) == 0 {
        return 0;
    }
    waits!("pthread_rwlock_wrlock")
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 {
        (*lock).writer = 0;
    } else if (*lock).readers != 0 {
        (*lock).readers -= 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_init(lock: *mut c_int, _shared: c_int) -> c_int {
    *lock = 0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_destroy(_lock: *mut c_int) -> c_int {
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_trylock(lock: *mut c_int) -> c_int {
    if *lock != 0 {
        return EBUSY;
    }
    *lock = 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_lock(lock: *mut c_int) -> c_int {
    if pthread_spin_trylock(lock) == 0 {
        return 0;
    }
    waits!("pthread_spin_lock")
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
    *lock = 0;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_once(control: *mut c_int, f: unsafe extern "C" fn()) -> c_int {
    const RUNS: c_int = 1;
    const DONE: c_int = 2;
    if *control == 0 {
        *control = RUNS;
        f();
        *control = DONE;
    } else if *control == RUNS {
        waits!("pthread_once");
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn call_once(control: *mut c_int, f: unsafe extern "C" fn()) {
    pthread_once(control, f);
}

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
pub unsafe extern "C" fn __refrain_thread_run(
    f: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    arg: *mut c_void,
) -> *mut c_void {
    if __refrain_set_jump(&raw mut (*LOCAL.thread).start) == 0 {
        f(arg)
    } else {
        (*LOCAL.thread).result
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_ulong,
    attributes: *const Attributes,
    f: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    arg: *mut c_void,
) -> c_int {
    let new = malloc(size_of::<Thread>()).cast::<Thread>();
    if new.is_null() {
        return EAGAIN;
    }
    CREATED += 1;
    new.write(Thread {
        number: FIRST + CREATED,
        start: 0,
        result: null_mut(),
        ended: false,
        detached: !attributes.is_null() && (*attributes).detached != 0,
        next: THREADS,
    });
    THREADS = new;
    *thread = (*new).number;
    __libc_single_threaded = 0;
    let error = *__errno_location();
    set(0);
    let local = (&raw mut LOCAL).cast();
    let saved = __refrain_thread_enter(local, size_of::<Local>(), arg);
    LOCAL.thread = new;
    let result = __refrain_thread_run(f, arg);
    end_thread();
    __refrain_thread_leave(local, size_of::<Local>(), saved);
    set(error);
    (*new).result = result;
    (*new).ended = true;
    if (*new).detached {
        forget(new);
    }
    0
}

/// Runs what is to run when a thread ends.
unsafe fn end_thread() {
    const ROUNDS: c_int = 4;
    crate::exit::run(&raw mut LOCAL.handlers, 0);
    let mut round = 0;
    while round < ROUNDS && destroy_values() {
        round += 1;
    }
}

/// The thread of a number; null if there is none, or it is the first.
unsafe fn find_thread(number: c_ulong) -> *mut Thread {
    let mut thread = THREADS;
    while !thread.is_null() && (*thread).number != number {
        thread = (*thread).next;
    }
    thread
}

unsafe fn forget(thread: *mut Thread) {
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
    if thread.is_null() && number != FIRST {
        return ESRCH;
    }
    if !thread.is_null() && (*thread).detached {
        return EINVAL;
    }
    if thread.is_null() || !(*thread).ended {
        waits!("pthread_join");
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
        return if number == FIRST { 0 } else { ESRCH };
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
        // The last thread to end ends the program; the others have.
        end_thread();
        crate::exit::exit(0);
    }
    __refrain_long_jump(place, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    if !LOCAL.thread.is_null() {
        (*LOCAL.thread).result = result;
    }
    __pthread_unwind_next(null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_atfork(
    _prepare: *const c_void,
    _parent: *const c_void,
    _child: *const c_void,
) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sched_yield() -> c_int {
    0
}

type Destructor = unsafe extern "C" fn(*mut c_void);

#[derive(Clone, Copy)]
struct Key {
    /// How often it was created and deleted: odd while it is in use.
    time: usize,
    destructor: Option<Destructor>,
}

/// What a thread keeps for a key.
#[derive(Clone, Copy)]
struct Specific {
    /// That of the key when it was set: a key created since has no value.
    time: usize,
    value: *const c_void,
}

const KEYS: usize = 1024;
static mut ALL_KEYS: [Key; KEYS] = [Key {
    time: 0,
    destructor: None,
}; KEYS];
/// Keys from here on were never in use.
static mut USED_KEYS: usize = 0;

unsafe fn key(index: c_uint) -> *mut Key {
    let at = (&raw mut ALL_KEYS).cast::<Key>().add(index as usize % KEYS);
    if (index as usize) < KEYS && (*at).time % 2 == 1 {
        at
    } else {
        null_mut()
    }
}

unsafe fn specific(index: usize) -> *mut Specific {
    (&raw mut LOCAL.values).cast::<Specific>().add(index)
}

/// Calls the destructors of the values that the thread has; whether there was one.
unsafe fn destroy_values() -> bool {
    let mut any = false;
    let mut i = 0;
    while i < USED_KEYS {
        let key = key(i as c_uint);
        let own = specific(i);
        if !key.is_null() && (*own).time == (*key).time && !(*own).value.is_null() {
            let value = (*own).value.cast_mut();
            (*own).value = null();
            if let Some(destructor) = (*key).destructor {
                any = true;
                destructor(value);
            }
        }
        i += 1;
    }
    any
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_key_create(
    index: *mut c_uint,
    destructor: Option<Destructor>,
) -> c_int {
    let mut i = 0;
    while i < KEYS {
        let at = (&raw mut ALL_KEYS).cast::<Key>().add(i);
        if (*at).time % 2 == 0 {
            (*at).time += 1;
            (*at).destructor = destructor;
            if i >= USED_KEYS {
                USED_KEYS = i + 1;
            }
            *index = i as c_uint;
            return 0;
        }
        i += 1;
    }
    EAGAIN
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_key_delete(index: c_uint) -> c_int {
    let at = key(index);
    if at.is_null() {
        return EINVAL;
    }
    (*at).time += 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getspecific(index: c_uint) -> *mut c_void {
    let at = key(index);
    if at.is_null() {
        return null_mut();
    }
    let own = specific(index as usize);
    if (*own).time == (*at).time {
        (*own).value.cast_mut()
    } else {
        null_mut()
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setspecific(index: c_uint, value: *const c_void) -> c_int {
    let at = key(index);
    if at.is_null() {
        return EINVAL;
    }
    specific(index as usize).write(Specific {
        time: (*at).time,
        value,
    });
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut c_uint,
    _attributes: *const c_void,
    count: c_uint,
) -> c_int {
    if count == 0 {
        return EINVAL;
    }
    *barrier = count;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_destroy(_barrier: *mut c_uint) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_wait(barrier: *mut c_uint) -> c_int {
    if *barrier == 1 {
        // The serial thread.
        return -1;
    }
    waits!("pthread_barrier_wait")
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_init(semaphore: *mut c_uint, _shared: c_int, value: c_uint) -> c_int {
    if value > c_int::MAX as c_uint {
        set(EINVAL);
        return -1;
    }
    *semaphore = value;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_destroy(_semaphore: *mut c_uint) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_post(semaphore: *mut c_uint) -> c_int {
    *semaphore += 1;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_trywait(semaphore: *mut c_uint) -> c_int {
    if *semaphore == 0 {
        set(EAGAIN);
        return -1;
    }
    *semaphore -= 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_wait(semaphore: *mut c_uint) -> c_int {
    if sem_trywait(semaphore) == 0 {
        return 0;
    }
    waits!("sem_wait")
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_getvalue(semaphore: *mut c_uint, value: *mut c_int) -> c_int {
    *value = *semaphore as c_int;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_init(
    condition: *mut c_int,
    attributes: *const c_int,
) -> c_int {
    // Zero but for its clock, as the static initialiser has it.
    crate::native::memset(condition.cast(), 0, 48);
    if !attributes.is_null() {
        *condition = *attributes;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_condattr_init(attributes: *mut c_int) -> c_int {
    *attributes = 0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_condattr_setclock(attributes: *mut c_int, clock: c_int) -> c_int {
    if !(0..2).contains(&clock) {
        return EINVAL;
    }
    *attributes = clock;
    0
}

/// What is kept of the attributes of a thread.
#[repr(C)]
pub struct Attributes {
    detached: c_int,
    /// 0 is the usual size.
    stack: usize,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_init(attributes: *mut Attributes) -> c_int {
    // All of the type's 56 bytes, of which these are the first.
    crate::native::memset(attributes.cast(), 0, 56);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_setdetachstate(
    attributes: *mut Attributes,
    detached: c_int,
) -> c_int {
    if !(0..2).contains(&detached) {
        return EINVAL;
    }
    (*attributes).detached = detached;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_getdetachstate(
    attributes: *const Attributes,
    detached: *mut c_int,
) -> c_int {
    *detached = (*attributes).detached;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_setstacksize(
    attributes: *mut Attributes,
    size: usize,
) -> c_int {
    const LEAST: usize = 16384;
    if size < LEAST {
        return EINVAL;
    }
    (*attributes).stack = size;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_init(attributes: *mut c_int) -> c_int {
    *attributes = 0;
    0
}

// Calls that have nothing to do.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_destroy(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_signal(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_broadcast(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_destroy(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_condattr_destroy(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlockattr_init(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlockattr_destroy(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_destroy(_object: *mut c_void) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_setpshared(
    _object: *mut c_void,
    _value: c_int,
) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_setprotocol(
    _object: *mut c_void,
    _value: c_int,
) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutexattr_setrobust(_object: *mut c_void, _value: c_int) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_condattr_setpshared(_object: *mut c_void, _value: c_int) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlockattr_setkind_np(
    _object: *mut c_void,
    _value: c_int,
) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_setscope(_object: *mut c_void, _value: c_int) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_setinheritsched(
    _object: *mut c_void,
    _value: c_int,
) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setcancelstate(_state: c_int, old: *mut c_int) -> c_int {
    if !old.is_null() {
        *old = 0;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setcanceltype(_kind: c_int, old: *mut c_int) -> c_int {
    if !old.is_null() {
        *old = 0;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_testcancel() {}

// A thread's stack, as a program that looks for guard pages sees it: nothing of the program's is near.

const STACK_START: usize = 0x7fff_ff00_0000;
const STACK_SIZE: usize = 8 << 20;
const PAGE: usize = 4096;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getattr_np(_thread: c_ulong, attributes: *mut c_void) -> c_int {
    crate::native::memset(attributes, 0, 56);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_getstack(
    _attributes: *const c_void,
    start: *mut usize,
    size: *mut usize,
) -> c_int {
    *start = STACK_START;
    *size = STACK_SIZE;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_getstacksize(
    attributes: *const Attributes,
    size: *mut usize,
) -> c_int {
    *size = match (*attributes).stack {
        0 => STACK_SIZE,
        size => size,
    };
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_getguardsize(
    _attributes: *const c_void,
    size: *mut usize,
) -> c_int {
    *size = PAGE;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setname_np(_thread: c_ulong, _name: *const u8) -> c_int {
    0
}
