//! What threads wait for one another with: mutexes, conditions, locks, barriers
//! and semaphores; and what a thread keeps for keys.  `schedule` says who goes
//! on meanwhile.

// Other threads change what a loop waits for.
#![allow(clippy::while_immutable_condition)]

use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, set};
use crate::native::__refrain_unsupported;
use crate::schedule::{LOCAL, TIMED_OUT, Time, current, wait_for, wait_until, wake};
use core::ffi::{c_int, c_uint, c_ulong, c_void};
use core::ptr::{null, null_mut};

const REALTIME: c_int = 0;

/// Tries until it succeeds, waiting for the next time that `what` is given free.
macro_rules! wait_while_busy {
    ($what:expr, $try:expr) => {
        loop {
            match $try {
                EBUSY => wait_for($what.cast()),
                result => return result,
            }
        }
    };
    ($what:expr, $try:expr, $clock:expr, $until:expr) => {
        loop {
            match $try {
                EBUSY if !is_valid($until) => return EINVAL,
                EBUSY if wait_until($what.cast(), $clock, *$until) => return TIMED_OUT,
                EBUSY => {}
                result => return result,
            }
        }
    };
}

unsafe fn is_valid(time: *const Time) -> bool {
    (*time).is_valid()
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

/// The same, where waiting for oneself is no use.
unsafe fn try_or_deadlock(mutex: *mut Mutex) -> c_int {
    let result = pthread_mutex_trylock(mutex);
    let is_own = (*mutex).owner == current() as c_int;
    if result == EBUSY && is_own && (*mutex).kind & 3 == ERRORCHECK {
        return EDEADLK;
    }
    result
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *mut Mutex) -> c_int {
    wait_while_busy!(mutex, {
        let result = try_or_deadlock(mutex);
        if result == EBUSY && (*mutex).owner == current() as c_int {
            __refrain_unsupported(
                c"pthread_mutex_lock of a mutex already locked: a deadlock".as_ptr(),
            );
        }
        result
    })
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut Mutex,
    clock: c_int,
    until: *const Time,
) -> c_int {
    wait_while_busy!(mutex, try_or_deadlock(mutex), clock, until)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_timedlock(mutex: *mut Mutex, until: *const Time) -> c_int {
    pthread_mutex_clocklock(mutex, REALTIME, until)
}

#[inline(always)]
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
        wake(mutex.cast(), 1);
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
pub unsafe extern "C" fn pthread_cond_wait(condition: *mut c_void, mutex: *mut Mutex) -> c_int {
    pthread_mutex_unlock(mutex);
    wait_for(condition);
    pthread_mutex_lock(mutex)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut c_int,
    mutex: *mut Mutex,
    clock: c_int,
    until: *const Time,
) -> c_int {
    if !is_valid(until) {
        return EINVAL;
    }
    pthread_mutex_unlock(mutex);
    let is_over = wait_until(condition.cast(), clock, *until);
    let locked = pthread_mutex_lock(mutex);
    match locked {
        0 if is_over => TIMED_OUT,
        result => result,
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut c_int,
    mutex: *mut Mutex,
    until: *const Time,
) -> c_int {
    pthread_cond_clockwait(condition, mutex, *condition, until)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_signal(condition: *mut c_void) -> c_int {
    wake(condition, 1);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: *mut c_void) -> c_int {
    wake(condition, usize::MAX);
    0
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

unsafe fn try_to_read(lock: *mut RwLock) -> c_int {
    if (*lock).writer == current() as c_uint {
        return EDEADLK;
    }
    pthread_rwlock_tryrdlock(lock)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_rdlock(lock: *mut RwLock) -> c_int {
    wait_while_busy!(lock, try_to_read(lock))
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_clockrdlock(
    lock: *mut RwLock,
    clock: c_int,
    until: *const Time,
) -> c_int {
    wait_while_busy!(lock, try_to_read(lock), clock, until)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_timedrdlock(
    lock: *mut RwLock,
    until: *const Time,
) -> c_int {
    pthread_rwlock_clockrdlock(lock, REALTIME, until)
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

unsafe fn try_to_write(lock: *mut RwLock) -> c_int {
    if (*lock).writer == current() as c_uint {
        return EDEADLK;
    }
    pthread_rwlock_trywrlock(lock)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_wrlock(lock: *mut RwLock) -> c_int {
    wait_while_busy!(lock, try_to_write(lock))
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_clockwrlock(
    lock: *mut RwLock,
    clock: c_int,
    until: *const Time,
) -> c_int {
    wait_while_busy!(lock, try_to_write(lock), clock, until)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_timedwrlock(
    lock: *mut RwLock,
    until: *const Time,
) -> c_int {
    pthread_rwlock_clockwrlock(lock, REALTIME, until)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 {
        (*lock).writer = 0;
    } else if (*lock).readers != 0 {
        (*lock).readers -= 1;
    }
    if (*lock).readers == 0 {
        wake(lock.cast(), usize::MAX);
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
    wait_while_busy!(lock, pthread_spin_trylock(lock))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
    *lock = 0;
    wake(lock.cast(), 1);
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_once(control: *mut c_int, f: unsafe extern "C" fn()) -> c_int {
    const RUNS: c_int = 1;
    const DONE: c_int = 2;
    while *control == RUNS {
        wait_for(control.cast());
    }
    if *control == 0 {
        *control = RUNS;
        f();
        *control = DONE;
        wake(control.cast(), usize::MAX);
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn call_once(control: *mut c_int, f: unsafe extern "C" fn()) {
    pthread_once(control, f);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_atfork(
    _prepare: *const c_void,
    _parent: *const c_void,
    _child: *const c_void,
) -> c_int {
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
pub struct Specific {
    /// That of the key when it was set: a key created since has no value.
    time: usize,
    value: *const c_void,
}

impl Specific {
    pub const NONE: Specific = Specific {
        time: 0,
        value: null(),
    };
}

pub const KEYS: usize = 1024;
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
pub unsafe fn destroy_values() -> bool {
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

/// The first of the 32 bytes that the type has.
#[repr(C)]
pub struct Barrier {
    count: c_uint,
    arrived: c_uint,
    /// How often it has opened.
    rounds: c_uint,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut Barrier,
    _attributes: *const c_void,
    count: c_uint,
) -> c_int {
    if count == 0 {
        return EINVAL;
    }
    barrier.write(Barrier {
        count,
        arrived: 0,
        rounds: 0,
    });
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_destroy(_barrier: *mut Barrier) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_barrier_wait(barrier: *mut Barrier) -> c_int {
    const SERIAL: c_int = -1;
    (*barrier).arrived += 1;
    if (*barrier).arrived == (*barrier).count {
        (*barrier).arrived = 0;
        (*barrier).rounds += 1;
        wake(barrier.cast(), usize::MAX);
        return SERIAL;
    }
    let round = (*barrier).rounds;
    while (*barrier).rounds == round {
        wait_for(barrier.cast());
    }
    0
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
    wake(semaphore.cast(), 1);
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
    while *semaphore == 0 {
        wait_for(semaphore.cast());
    }
    *semaphore -= 1;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_clockwait(
    semaphore: *mut c_uint,
    clock: c_int,
    until: *const Time,
) -> c_int {
    while *semaphore == 0 {
        if !is_valid(until) {
            set(EINVAL);
            return -1;
        }
        if wait_until(semaphore.cast(), clock, *until) {
            set(TIMED_OUT);
            return -1;
        }
    }
    *semaphore -= 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_timedwait(semaphore: *mut c_uint, until: *const Time) -> c_int {
    sem_clockwait(semaphore, REALTIME, until)
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
    pub detached: c_int,
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
