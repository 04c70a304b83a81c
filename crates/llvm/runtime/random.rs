//! Random numbers: the sequences of the GNU C library, so that a program seeded
//! alike behaves alike.

use core::ffi::{c_int, c_long, c_uint};

const DEGREE: usize = 31;
const SEPARATION: usize = 3;
/// Outputs thrown away after seeding.
const DISCARD: usize = DEGREE * 10;

/// The additive feedback generator behind `rand` and `random`.
struct Additive {
    state: [u32; DEGREE],
    front: usize,
    rear: usize,
}

const fn seeded(seed: u32) -> Additive {
    let mut state = [0u32; DEGREE];
    // A Lehmer generator fills the state; zero would stay zero.
    state[0] = if seed == 0 { 1 } else { seed };
    let mut word = state[0] as i32 as i64;
    let mut i = 1;
    while i < DEGREE {
        word = 16807 * word % 2147483647;
        if word < 0 {
            word += 2147483647;
        }
        state[i] = word as u32;
        i += 1;
    }
    let mut all = Additive {
        state,
        front: SEPARATION,
        rear: 0,
    };
    let mut n = 0;
    while n < DISCARD {
        all.state[all.front] = all.state[all.front].wrapping_add(all.state[all.rear]);
        all.front = if all.front == DEGREE - 1 {
            0
        } else {
            all.front + 1
        };
        all.rear = if all.rear == DEGREE - 1 {
            0
        } else {
            all.rear + 1
        };
        n += 1;
    }
    all
}

static mut ADDITIVE: Additive = seeded(1);

unsafe fn step(all: *mut Additive) -> u32 {
    let state = (&raw mut (*all).state).cast::<u32>();
    let (front, rear) = ((*all).front, (*all).rear);
    let word = (*state.add(front)).wrapping_add(*state.add(rear));
    *state.add(front) = word;
    (*all).front = if front == DEGREE - 1 { 0 } else { front + 1 };
    (*all).rear = if rear == DEGREE - 1 { 0 } else { rear + 1 };
    word >> 1
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srandom(seed: c_uint) {
    // What `seeded` computes, through pointers: an index the compiler cannot
    // bound would bring in the check of it.
    let all = &raw mut ADDITIVE;
    let state = (&raw mut (*all).state).cast::<u32>();
    let mut word = if seed == 0 { 1 } else { seed } as i32 as i64;
    *state = word as u32;
    let mut i = 1;
    while i < DEGREE {
        word = 16807 * word % 2147483647;
        if word < 0 {
            word += 2147483647;
        }
        *state.add(i) = word as u32;
        i += 1;
    }
    (*all).front = SEPARATION;
    (*all).rear = 0;
    let mut n = 0;
    while n < DISCARD {
        step(all);
        n += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn random() -> c_long {
    step(&raw mut ADDITIVE) as c_long
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srand(seed: c_uint) {
    srandom(seed);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rand() -> c_int {
    step(&raw mut ADDITIVE) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rand_r(seed: *mut c_uint) -> c_int {
    let mut next = *seed;
    let mut result = 0;
    let mut round = 0;
    while round < 3 {
        next = next.wrapping_mul(1103515245).wrapping_add(12345);
        let bits = next >> 16;
        result = if round == 0 {
            bits % 2048
        } else {
            (result << 10) ^ (bits % 1024)
        };
        round += 1;
    }
    *seed = next;
    result as c_int
}

/// The 48-bit congruential generator; its words are the least first.
struct Congruential {
    x: [u16; 3],
    old: [u16; 3],
    a: u64,
    c: u16,
}

const MULTIPLIER: u64 = 0x5deece66d;
const INCREMENT: u16 = 0xb;

static mut CONGRUENTIAL: Congruential = Congruential {
    x: [0; 3],
    old: [0; 3],
    a: MULTIPLIER,
    c: INCREMENT,
};

unsafe fn load(x: *const u16) -> u64 {
    *x as u64 | (*x.add(1) as u64) << 16 | (*x.add(2) as u64) << 32
}

unsafe fn store(x: *mut u16, value: u64) {
    *x = value as u16;
    *x.add(1) = (value >> 16) as u16;
    *x.add(2) = (value >> 32) as u16;
}

unsafe fn own() -> *mut u16 {
    (&raw mut CONGRUENTIAL.x).cast()
}

unsafe fn next48(x: *mut u16) -> u64 {
    let next = load(x)
        .wrapping_mul(CONGRUENTIAL.a)
        .wrapping_add(CONGRUENTIAL.c as u64)
        & 0xffff_ffff_ffff;
    store(x, next);
    next
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn erand48(x: *mut u16) -> f64 {
    // The 48 bits as the fraction of a number in [1, 2): exact, and no more
    // than a subtraction for the solver.
    f64::from_bits(0x3ff << 52 | next48(x) << 4) - 1.0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn drand48() -> f64 {
    erand48(own())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nrand48(x: *mut u16) -> c_long {
    (next48(x) >> 17) as c_long
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lrand48() -> c_long {
    nrand48(own())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn jrand48(x: *mut u16) -> c_long {
    (next48(x) >> 16) as i32 as c_long
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mrand48() -> c_long {
    jrand48(own())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srand48(seed: c_long) {
    store(own(), (seed as u32 as u64) << 16 | 0x330e);
    CONGRUENTIAL.a = MULTIPLIER;
    CONGRUENTIAL.c = INCREMENT;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn seed48(seed: *mut u16) -> *mut u16 {
    let old = (&raw mut CONGRUENTIAL.old).cast::<u16>();
    let value = load(seed);
    store(old, load(own()));
    store(own(), value);
    CONGRUENTIAL.a = MULTIPLIER;
    CONGRUENTIAL.c = INCREMENT;
    old
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lcong48(parameters: *mut u16) {
    store(own(), load(parameters));
    CONGRUENTIAL.a = load(parameters.add(3));
    CONGRUENTIAL.c = *parameters.add(6);
}

// The same, with the state where the program has it.

/// What `random_r` of the GNU C library keeps, in the program's memory.
#[repr(C)]
pub struct random_data {
    front: *mut i32,
    rear: *mut i32,
    state: *mut i32,
    kind: c_int,
    degree: c_int,
    separation: c_int,
    end: *mut i32,
}

/// For each kind: how much memory it takes at least, its degree and the distance of its two taps.
static KINDS: [(usize, c_int, c_int); 5] = [
    (8, 0, 0),
    (32, 7, 3),
    (64, 15, 1),
    (128, 31, 3),
    (256, 63, 1),
];

unsafe fn kind_of(index: usize) -> (usize, c_int, c_int) {
    *(&raw const KINDS)
        .cast::<(usize, c_int, c_int)>()
        .add(index)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn random_r(data: *mut random_data, result: *mut i32) -> c_int {
    if data.is_null() || result.is_null() {
        crate::errno::set(crate::errno::EINVAL);
        return -1;
    }
    let state = (*data).state;
    if (*data).kind == 0 {
        let word = (*state as u32).wrapping_mul(1103515245).wrapping_add(12345) & 0x7fff_ffff;
        *state = word as i32;
        *result = word as i32;
        return 0;
    }
    let (front, rear) = ((*data).front, (*data).rear);
    let word = (*front as u32).wrapping_add(*rear as u32);
    *front = word as i32;
    *result = (word >> 1) as i32;
    let next = front.add(1);
    if next >= (*data).end {
        (*data).front = state;
        (*data).rear = rear.add(1);
    } else {
        (*data).front = next;
        let next = rear.add(1);
        (*data).rear = if next >= (*data).end { state } else { next };
    }
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srandom_r(seed: c_uint, data: *mut random_data) -> c_int {
    if data.is_null() || (*data).kind < 0 || (*data).kind > 4 {
        return -1;
    }
    let state = (*data).state;
    let seed = if seed == 0 { 1 } else { seed };
    *state = seed as i32;
    if (*data).kind == 0 {
        return 0;
    }
    let mut word = seed as i32 as i64;
    let mut index = 1;
    while index < (*data).degree as usize {
        word = 16807 * word % 2147483647;
        if word < 0 {
            word += 2147483647;
        }
        *state.add(index) = word as i32;
        index += 1;
    }
    (*data).front = state.add((*data).separation as usize);
    (*data).rear = state;
    let mut left = (*data).degree * 10;
    while left > 0 {
        let mut thrown = 0;
        random_r(data, &raw mut thrown);
        left -= 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn initstate_r(
    seed: c_uint,
    memory: *mut u8,
    len: usize,
    data: *mut random_data,
) -> c_int {
    let mut kind = 5;
    while kind > 0 && len < kind_of(kind - 1).0 {
        kind -= 1;
    }
    if data.is_null() || kind == 0 {
        crate::errno::set(crate::errno::EINVAL);
        return -1;
    }
    let kind = kind - 1;
    let (_, degree, separation) = kind_of(kind);
    // The first word of the memory is the kind.
    let state = memory.cast::<i32>().add(1);
    (*data).kind = kind as c_int;
    (*data).degree = degree;
    (*data).separation = separation;
    (*data).state = state;
    (*data).end = state.add(degree as usize);
    srandom_r(seed, data);
    *state.sub(1) = kind as i32;
    if kind != 0 {
        let rear = ((*data).rear as usize - state as usize) / 4;
        *state.sub(1) = (rear * 5 + kind) as i32;
    }
    0
}

/// What the `_r` functions of the 48-bit generator keep.
#[repr(C)]
pub struct drand48_data {
    x: [u16; 3],
    old: [u16; 3],
    c: u16,
    is_set: u16,
    a: u64,
}

unsafe fn next_of(x: *mut u16, data: *mut drand48_data) -> u64 {
    if (*data).is_set == 0 {
        (*data).a = MULTIPLIER;
        (*data).c = INCREMENT;
        (*data).is_set = 1;
    }
    let next = load(x)
        .wrapping_mul((*data).a)
        .wrapping_add((*data).c as u64)
        & 0xffff_ffff_ffff;
    store(x, next);
    next
}

unsafe fn own_of(data: *mut drand48_data) -> *mut u16 {
    (&raw mut (*data).x).cast()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srand48_r(seed: c_long, data: *mut drand48_data) -> c_int {
    store(own_of(data), (seed as u32 as u64) << 16 | 0x330e);
    (*data).a = MULTIPLIER;
    (*data).c = INCREMENT;
    (*data).is_set = 1;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn drand48_r(data: *mut drand48_data, result: *mut f64) -> c_int {
    *result = f64::from_bits(0x3ff << 52 | next_of(own_of(data), data) << 4) - 1.0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lrand48_r(data: *mut drand48_data, result: *mut c_long) -> c_int {
    *result = (next_of(own_of(data), data) >> 17) as c_long;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mrand48_r(data: *mut drand48_data, result: *mut c_long) -> c_int {
    *result = (next_of(own_of(data), data) >> 16) as i32 as c_long;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn erand48_r(
    x: *mut u16,
    data: *mut drand48_data,
    result: *mut f64,
) -> c_int {
    *result = f64::from_bits(0x3ff << 52 | next_of(x, data) << 4) - 1.0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nrand48_r(
    x: *mut u16,
    data: *mut drand48_data,
    result: *mut c_long,
) -> c_int {
    *result = (next_of(x, data) >> 17) as c_long;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn jrand48_r(
    x: *mut u16,
    data: *mut drand48_data,
    result: *mut c_long,
) -> c_int {
    *result = (next_of(x, data) >> 16) as i32 as c_long;
    0
}
