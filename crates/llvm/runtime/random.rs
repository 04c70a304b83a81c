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
