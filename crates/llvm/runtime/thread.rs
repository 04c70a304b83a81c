//! Threads for a program that has one: locks that are never contended, and no
//! second thread to be had.

use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, ESRCH, set};
use crate::native::__refrain_unsupported;
use core::ffi::{c_int, c_uint, c_ulong, c_void};
use core::ptr::{null, null_mut};

/// What the C++ library looks at before it counts references atomically.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static __libc_single_threaded: u8 = 1;

/// Names this program among shared objects; there are no others.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static __dso_handle: u64 = 0;

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
    if (*mutex).locked != 0 {
        if (*mutex).kind & 3 != RECURSIVE {
            return EBUSY;
        }
        (*mutex).count += 1;
        return 0;
    }
    (*mutex).locked = 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *mut Mutex) -> c_int {
    if pthread_mutex_trylock(mutex) == 0 {
        return 0;
    }
    if (*mutex).kind & 3 == ERRORCHECK {
        return EDEADLK;
    }
    __refrain_unsupported(c"pthread_mutex_lock of a mutex already locked: a deadlock".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_timedlock(
    mutex: *mut Mutex,
    _until: *const c_void,
) -> c_int {
    if pthread_mutex_trylock(mutex) == 0 {
        0
    } else {
        110
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut Mutex) -> c_int {
    if (*mutex).locked == 0 {
        return if (*mutex).kind & 3 == 0 { 0 } else { EPERM };
    }
    if (*mutex).count > 0 {
        (*mutex).count -= 1;
    } else {
        (*mutex).locked = 0;
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
    __refrain_unsupported(c"pthread_cond_wait with no other thread".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_timedwait(
    _condition: *mut c_void,
    _mutex: *mut Mutex,
    _until: *const c_void,
) -> c_int {
    // Nobody will signal: the time runs out.
    110
}

#[repr(C)]
pub struct RwLock {
    readers: c_uint,
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
        0
    } else {
        EDEADLK
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_trywrlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 || (*lock).readers != 0 {
        return EBUSY;
    }
    (*lock).writer = 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_rwlock_wrlock(lock: *mut RwLock) -> c_int {
    if (*lock).writer != 0 {
        return EDEADLK;
    }
    if pthread_rwlock_trywrlock(lock) == 0 {
        return 0;
    }
    __refrain_unsupported(c"pthread_rwlock_wrlock of a lock held for reading: a deadlock".as_ptr())
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
    __refrain_unsupported(c"pthread_spin_lock of a lock already locked: a deadlock".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
    *lock = 0;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_once(control: *mut c_int, f: unsafe extern "C" fn()) -> c_int {
    if *control == 0 {
        *control = 2;
        f();
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn call_once(control: *mut c_int, f: unsafe extern "C" fn()) {
    pthread_once(control, f);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_self() -> c_ulong {
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_equal(a: c_ulong, b: c_ulong) -> c_int {
    (a == b) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_create(
    _thread: *mut c_ulong,
    _attributes: *const c_void,
    _f: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    _arg: *mut c_void,
) -> c_int {
    // An error code would make programs give up that are in order.
    __refrain_unsupported(c"pthread_create: there is only one thread".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_join(thread: c_ulong, _result: *mut *mut c_void) -> c_int {
    if thread == 1 { EDEADLK } else { ESRCH }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_detach(thread: c_ulong) -> c_int {
    if thread == 1 { 0 } else { ESRCH }
}

/// The last thread to end ends the program.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_exit(_result: *mut c_void) -> ! {
    crate::exit::exit(0)
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

#[derive(Clone, Copy)]
struct Key {
    used: bool,
    value: *const c_void,
}

const KEYS: usize = 1024;
static mut SPECIFIC: [Key; KEYS] = [Key {
    used: false,
    value: null(),
}; KEYS];

unsafe fn key(index: c_uint) -> *mut Key {
    let at = (&raw mut SPECIFIC).cast::<Key>().add(index as usize % KEYS);
    if (index as usize) < KEYS && (*at).used {
        at
    } else {
        null_mut()
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_key_create(
    index: *mut c_uint,
    _destructor: *const c_void,
) -> c_int {
    let mut i = 0;
    while i < KEYS {
        let at = (&raw mut SPECIFIC).cast::<Key>().add(i);
        if !(*at).used {
            (*at).used = true;
            (*at).value = null();
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
    (*at).used = false;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getspecific(index: c_uint) -> *mut c_void {
    let at = key(index);
    if at.is_null() {
        null_mut()
    } else {
        (*at).value.cast_mut()
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setspecific(index: c_uint, value: *const c_void) -> c_int {
    let at = key(index);
    if at.is_null() {
        return EINVAL;
    }
    (*at).value = value;
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
    __refrain_unsupported(c"pthread_barrier_wait with no other thread".as_ptr())
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
    __refrain_unsupported(c"sem_wait with no other thread".as_ptr())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_getvalue(semaphore: *mut c_uint, value: *mut c_int) -> c_int {
    *value = *semaphore as c_int;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_init(
    condition: *mut c_void,
    _attributes: *const c_void,
) -> c_int {
    crate::native::memset(condition, 0, 48);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_attr_init(attributes: *mut c_void) -> c_int {
    crate::native::memset(attributes, 0, 56);
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
pub unsafe extern "C" fn pthread_condattr_init(_object: *mut c_void) -> c_int {
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
pub unsafe extern "C" fn pthread_condattr_setclock(_object: *mut c_void, _value: c_int) -> c_int {
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
pub unsafe extern "C" fn pthread_attr_setdetachstate(_object: *mut c_void, _value: c_int) -> c_int {
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
pub unsafe extern "C" fn pthread_attr_setstacksize(
    _attributes: *mut c_void,
    _size: usize,
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

// The one thread's stack, as a program that looks for guard pages sees it: nothing of the program's is near.

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
    _attributes: *const c_void,
    size: *mut usize,
) -> c_int {
    *size = STACK_SIZE;
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
