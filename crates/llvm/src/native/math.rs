//! `math.h` on numbers: the host's own functions, so that results are those of a native run to the last bit.
//!
//! A long double is passed to the host as the x86-64 ABI says: in memory, with the result on the x87 stack.

use std::ffi::{CString, c_int};

use refrain_term::float::HostFunction;

use super::{Call, Flow, NativeFn, exact};
use crate::code::Format as Kind;
use crate::machine::Halt;
use crate::memory::Value;

/// An x87 long double: the significand, then sign and exponent.
type Extended = [u64; 2];

/// A function of the host that takes long doubles; only its address is used.
type Code = unsafe extern "C" fn();

/// Everything by name.
pub const TABLES: &[&[(&str, NativeFn)]] = &[
    UNARY,
    BINARY,
    TERNARY,
    WITH_INT,
    WITH_LONG,
    INT_FIRST,
    TO_INT,
    TO_LONG,
    STORING_INT,
    STORING_FLOAT,
    COMPLEX,
    OTHERS,
];

/// The plain name of a function that is called by the name that `-ffast-math` once gave it.
pub fn plain_name(name: &str) -> Option<&str> {
    name.strip_prefix("__")?.strip_suffix("_finite")
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// Computes with the host and hands its error on, if there is one.
fn with_errno<T>(call: &mut Call<'_>, compute: impl FnOnce() -> T) -> Result<T, Halt> {
    // SAFETY: the host's error number belongs to this thread.
    let (value, error) = unsafe {
        *__errno_location() = 0;
        let value = compute();
        (value, *__errno_location())
    };
    if error != 0 {
        call.set_errno(error);
    }
    Ok(value)
}

/// The logarithm of the gamma function, whose sign goes to the program's `signgam`. The host's variable of that name
/// is one for all threads, so its functions that take a place for the sign compute.
fn log_gamma<F: Format>(
    call: &mut Call<'_>,
    compute: impl FnOnce(F, &mut c_int) -> F,
) -> Result<Flow, Halt> {
    let a = float(call, 0)?;
    let mut sign = 0;
    let value = with_errno(call, || compute(a, &mut sign))?;
    check(call, &[a], value)?;
    if let Some(address) = call.machine.linked.address_of("signgam") {
        // A program that calls this something else of its own is left alone.
        let _ = call.state.memory.write_bytes(address, &sign.to_le_bytes());
    }
    Ok(result(value))
}

fn word(call: &mut Call<'_>, value: Option<&Value>) -> Result<u64, Halt> {
    match value {
        None => Ok(0),
        Some(&value) => call.machine.float_word(call.terms, call.state, value),
    }
}

/// A format of floats as a program passes and stores it.
trait Format: Sized + Copy {
    const KIND: Kind;
    const BYTES: usize;
    fn from_words(words: [u64; 2]) -> Self;
    fn to_words(self) -> Vec<u64>;
}

impl Format for f64 {
    const KIND: Kind = Kind::Double;
    const BYTES: usize = 8;

    fn from_words(words: [u64; 2]) -> f64 {
        f64::from_bits(words[0])
    }

    fn to_words(self) -> Vec<u64> {
        vec![self.to_bits()]
    }
}

impl Format for f32 {
    const KIND: Kind = Kind::Single;
    const BYTES: usize = 4;

    fn from_words(words: [u64; 2]) -> f32 {
        f32::from_bits(words[0] as u32)
    }

    fn to_words(self) -> Vec<u64> {
        vec![u64::from(self.to_bits())]
    }
}

impl Format for Extended {
    const KIND: Kind = Kind::X87;
    const BYTES: usize = 10;

    fn from_words(words: [u64; 2]) -> Extended {
        words
    }

    fn to_words(self) -> Vec<u64> {
        self.to_vec()
    }
}

fn float<F: Format>(call: &mut Call<'_>, index: usize) -> Result<F, Halt> {
    let words = call.words(index);
    Ok(F::from_words([
        word(call, words.first())?,
        word(call, words.get(1))?,
    ]))
}

/// Computes with the host: the result is looked at before the program gets it.
fn computed<F: Format>(
    call: &mut Call<'_>,
    operands: &[F],
    compute: impl FnOnce() -> F,
) -> Result<Flow, Halt> {
    let value = with_errno(call, compute)?;
    check(call, operands, value)?;
    Ok(result(value))
}

fn check<F: Format, R: Format>(call: &mut Call<'_>, operands: &[F], value: R) -> Result<(), Halt> {
    let operands: Vec<(Kind, u128)> = operands.iter().copied().map(bits).collect();
    call.machine
        .check_numbers(call.state, &operands, bits(value))
}

fn bits<F: Format>(value: F) -> (Kind, u128) {
    let words = value.to_words();
    let high = words.get(1).map_or(0, |&high| u128::from(high));
    let mask = u128::MAX >> (128 - F::KIND.bits());
    (F::KIND, (u128::from(words[0]) | high << 64) & mask)
}

fn result<F: Format>(value: F) -> Flow {
    Flow::Return(value.to_words().into_iter().map(Value::Concrete).collect())
}

fn store<F: Format>(call: &mut Call<'_>, address: u64, value: F) -> Result<(), Halt> {
    let bytes: Vec<u8> = value
        .to_words()
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    call.write_bytes(address, &bytes[..F::BYTES])
}

fn unary<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F) -> F,
) -> Result<Flow, Halt> {
    if let Some(flow) = exact::apply(call, name, F::KIND)? {
        return Ok(flow);
    }
    let a = float(call, 0)?;
    computed(call, &[a], || compute(a))
}

fn binary<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F, F) -> F,
) -> Result<Flow, Halt> {
    if let Some(flow) = exact::apply(call, name, F::KIND)? {
        return Ok(flow);
    }
    let (a, b) = (float(call, 0)?, float(call, 1)?);
    computed(call, &[a, b], || compute(a, b))
}

fn ternary<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F, F, F) -> F,
) -> Result<Flow, Halt> {
    if let Some(flow) = exact::apply(call, name, F::KIND)? {
        return Ok(flow);
    }
    let (a, b, c) = (float(call, 0)?, float(call, 1)?, float(call, 2)?);
    computed(call, &[a, b, c], || compute(a, b, c))
}

/// A float, then an `int`.
fn with_int<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F, i32) -> F,
) -> Result<Flow, Halt> {
    with_long(call, name, |a, n| compute(a, n as i32))
}

/// A float, then a `long`.
fn with_long<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F, i64) -> F,
) -> Result<Flow, Halt> {
    if let Some(flow) = exact::apply(call, name, F::KIND)? {
        return Ok(flow);
    }
    let a = float(call, 0)?;
    let n = call.number(1)?;
    computed(call, &[a], || compute(a, n as i64))
}

/// An `int`, then a float.
fn int_first<F: Format>(
    call: &mut Call<'_>,
    _name: &str,
    compute: impl FnOnce(i32, F) -> F,
) -> Result<Flow, Halt> {
    let n = call.int(0)?;
    let a = float(call, 1)?;
    computed(call, &[a], || compute(n, a))
}

/// From a float to an integer; the bits beyond those of the result are zero.
fn to_integer<F: Format>(
    call: &mut Call<'_>,
    name: &str,
    compute: impl FnOnce(F) -> u64,
) -> Result<Flow, Halt> {
    if let Some(flow) = exact::apply(call, name, F::KIND)? {
        return Ok(flow);
    }
    let a = float(call, 0)?;
    Ok(Flow::value(with_errno(call, || compute(a))?))
}

/// One or two floats, then where a second result goes, which is an `int`.
fn storing_int<F: Format>(
    call: &mut Call<'_>,
    compute: impl FnOnce(F, F, &mut c_int) -> F,
) -> Result<Flow, Halt> {
    // With two floats, the pointer is the third argument.
    let pointer = call.site.args.len().clamp(2, 3) - 1;
    let a = float(call, 0)?;
    let b = if pointer == 2 { float(call, 1)? } else { a };
    let to = call.number(pointer)?;
    let mut second = 0;
    let first = with_errno(call, || compute(a, b, &mut second))?;
    check(call, &[a, b], first)?;
    call.write_bytes(to, &second.to_le_bytes())?;
    Ok(result(first))
}

/// Computes with long doubles on the host: up to three of them, then up to two other arguments.
#[cfg(target_arch = "x86_64")]
fn extended(code: Code, floats: [Extended; 3], words: [u64; 2]) -> Extended {
    let mut value: Extended = [0; 2];
    // SAFETY: the callee takes its long doubles from the stack, where all three lie, and leaves one on the x87 stack.
    // The stack is aligned on entry, and stays so.
    unsafe {
        std::arch::asm!(
            "sub rsp, 48",
            "movups xmm0, [r12]",
            "movups [rsp], xmm0",
            "movups xmm0, [r12 + 16]",
            "movups [rsp + 16], xmm0",
            "movups xmm0, [r12 + 32]",
            "movups [rsp + 32], xmm0",
            "call r14",
            "fstp tbyte ptr [r13]",
            "add rsp, 48",
            in("r12") floats.as_ptr(),
            in("r13") value.as_mut_ptr(),
            in("r14") code,
            inlateout("rdi") words[0] => _,
            inlateout("rsi") words[1] => _,
            clobber_abi("C"),
        );
    }
    value
}

/// The same for a function whose result is an integer.
#[cfg(target_arch = "x86_64")]
fn extended_to_integer(code: Code, a: Extended) -> u64 {
    let value: u64;
    // SAFETY: as above, but the result is in a register.
    unsafe {
        std::arch::asm!(
            "sub rsp, 16",
            "movups xmm0, [r12]",
            "movups [rsp], xmm0",
            "call r14",
            "add rsp, 16",
            in("r12") a.as_ptr(),
            in("r14") code,
            lateout("rax") value,
            clobber_abi("C"),
        );
    }
    value
}

// Elsewhere the host has no such format; a result that is no number says so.

#[cfg(not(target_arch = "x86_64"))]
fn extended(_code: Code, _floats: [Extended; 3], _words: [u64; 2]) -> Extended {
    [3 << 62, 0x7fff]
}

#[cfg(not(target_arch = "x86_64"))]
fn extended_to_integer(_code: Code, _a: Extended) -> u64 {
    0
}

const NONE: Extended = [0; 2];

/// A function of the host's library, as C declares it.
macro_rules! host_function {
    ($name:ident ($($argument:ident: $type:ty),*) -> $result:ty) => {
        |$($argument: $type),*| {
            static FUNCTION: HostFunction = HostFunction::new(stringify!($name));
            // SAFETY: the type is the one that C declares.
            let function: extern "C" fn($($type),*) -> $result =
                unsafe { std::mem::transmute(FUNCTION.address()) };
            function($($argument),*)
        }
    };
}

/// Declares functions of one shape by the names for doubles, floats and long doubles, and makes a table of them.
macro_rules! functions {
    ($table:ident, $host:ident, $shape:ident, $long:ident, $double:tt, $single:tt: $($d:ident $f:ident $l:ident,)*) => {
        mod $host {
            unsafe extern "C" {
                $(pub fn $l();)*
            }
        }
        const $table: &[(&str, NativeFn)] = &[$(
            (stringify!($d), |call| $shape::<f64>(call, stringify!($d), host_function!($d $double -> f64))),
            (stringify!($f), |call| $shape::<f32>(call, stringify!($f), host_function!($f $single -> f32))),
            (stringify!($l), |call| $long(call, $host::$l)),
        )*];
    };
}

fn long_unary(call: &mut Call<'_>, code: Code) -> Result<Flow, Halt> {
    unary(call, "", |a| extended(code, [a, NONE, NONE], [0; 2]))
}

fn long_binary(call: &mut Call<'_>, code: Code) -> Result<Flow, Halt> {
    binary(call, "", |a, b| extended(code, [a, b, NONE], [0; 2]))
}

fn long_ternary(call: &mut Call<'_>, code: Code) -> Result<Flow, Halt> {
    ternary(call, "", |a, b, c| extended(code, [a, b, c], [0; 2]))
}

fn long_with_integer(call: &mut Call<'_>, code: Code) -> Result<Flow, Halt> {
    with_long(call, "", |a, n| {
        extended(code, [a, NONE, NONE], [n as u64, 0])
    })
}

fn long_int_first(call: &mut Call<'_>, code: Code) -> Result<Flow, Halt> {
    int_first(call, "", |n, a| {
        extended(code, [a, NONE, NONE], [n as u64, 0])
    })
}

functions! { UNARY, unary_host, unary, long_unary, (a: f64), (a: f32):
    acos acosf acosl, acosh acoshf acoshl, asin asinf asinl, asinh asinhf asinhl, atan atanf atanl, atanh atanhf atanhl,
    cbrt cbrtf cbrtl, ceil ceilf ceill, cos cosf cosl, cosh coshf coshl, erf erff erfl, erfc erfcf erfcl, exp expf expl,
    exp2 exp2f exp2l, exp10 exp10f exp10l, expm1 expm1f expm1l, fabs fabsf fabsl, floor floorf floorl, j0 j0f j0l,
    j1 j1f j1l, log logf logl, log10 log10f log10l, log1p log1pf log1pl,
    log2 log2f log2l, logb logbf logbl, nearbyint nearbyintf nearbyintl, rint rintf rintl, round roundf roundl,
    roundeven roundevenf roundevenl, significand significandf significandl, sin sinf sinl, sinh sinhf sinhl,
    sqrt sqrtf sqrtl, tan tanf tanl, tanh tanhf tanhl, tgamma tgammaf tgammal, trunc truncf truncl, y0 y0f y0l, y1 y1f y1l,
}

functions! { BINARY, binary_host, binary, long_binary, (a: f64, b: f64), (a: f32, b: f32):
    atan2 atan2f atan2l, copysign copysignf copysignl, drem dremf dreml, fdim fdimf fdiml, fmax fmaxf fmaxl,
    fmin fminf fminl, fmod fmodf fmodl, hypot hypotf hypotl, nextafter nextafterf nextafterl, pow powf powl,
    remainder remainderf remainderl, scalb scalbf scalbl,
}

functions! { TERNARY, ternary_host, ternary, long_ternary, (a: f64, b: f64, c: f64), (a: f32, b: f32, c: f32):
    fma fmaf fmal,
}

functions! { WITH_INT, with_int_host, with_int, long_with_integer, (a: f64, n: i32), (a: f32, n: i32):
    ldexp ldexpf ldexpl, scalbn scalbnf scalbnl,
}

functions! { WITH_LONG, with_long_host, with_long, long_with_integer, (a: f64, n: i64), (a: f32, n: i64):
    scalbln scalblnf scalblnl,
}

functions! { INT_FIRST, int_first_host, int_first, long_int_first, (n: i32, a: f64), (n: i32, a: f32):
    jn jnf jnl, yn ynf ynl,
}

/// The same for functions from a float to an integer.
macro_rules! to_integers {
    ($table:ident, $host:ident, $type:ty: $($d:ident $f:ident $l:ident,)*) => {
        mod $host {
            unsafe extern "C" {
                $(
                    pub safe fn $d(a: f64) -> $type;
                    pub safe fn $f(a: f32) -> $type;
                    pub fn $l();
                )*
            }
        }
        const $table: &[(&str, NativeFn)] = &[$(
            (stringify!($d), |call| to_integer::<f64>(call, stringify!($d), |a| of_bits($host::$d(a) as u64, size_of::<$type>()))),
            (stringify!($f), |call| to_integer::<f32>(call, stringify!($f), |a| of_bits($host::$f(a) as u64, size_of::<$type>()))),
            (stringify!($l), |call| to_integer::<Extended>(call, stringify!($l), |a| of_bits(extended_to_integer($host::$l, a), size_of::<$type>()))),
        )*];
    };
}

/// The low bytes of an integer.
fn of_bits(value: u64, bytes: usize) -> u64 {
    value & u64::MAX >> (64 - 8 * bytes)
}

to_integers! { TO_INT, to_int_host, i32:
    ilogb ilogbf ilogbl, isnan isnanf isnanl, isinf isinff isinfl, finite finitef finitel,
    __isnan __isnanf __isnanl, __isinf __isinff __isinfl, __finite __finitef __finitel,
    __signbit __signbitf __signbitl, __fpclassify __fpclassifyf __fpclassifyl, __issignaling __issignalingf __issignalingl,
}

to_integers! { TO_LONG, to_long_host, i64:
    lrint lrintf lrintl, llrint llrintf llrintl, lround lroundf lroundl, llround llroundf llroundl,
}

mod storing_host {
    use super::c_int;

    unsafe extern "C" {
        pub safe fn frexp(a: f64, to: &mut c_int) -> f64;
        pub safe fn frexpf(a: f32, to: &mut c_int) -> f32;
        pub fn frexpl();
        pub safe fn lgamma_r(a: f64, to: &mut c_int) -> f64;
        pub safe fn lgammaf_r(a: f32, to: &mut c_int) -> f32;
        pub fn lgammal_r();
        pub safe fn remquo(a: f64, b: f64, to: &mut c_int) -> f64;
        pub safe fn remquof(a: f32, b: f32, to: &mut c_int) -> f32;
        pub fn remquol();
        pub safe fn modf(a: f64, to: &mut f64) -> f64;
        pub safe fn modff(a: f32, to: &mut f32) -> f32;
        pub fn modfl();
        pub safe fn sincos(a: f64, sin: &mut f64, cos: &mut f64);
        pub safe fn sincosf(a: f32, sin: &mut f32, cos: &mut f32);
        pub fn sinl();
        pub fn cosl();
        pub safe fn nextafter(a: f64, b: f64) -> f64;
        pub safe fn nextafterf(a: f32, b: f32) -> f32;
        pub fn nextafterl();
        pub fn nan(tag: *const std::ffi::c_char) -> f64;
        pub fn nanf(tag: *const std::ffi::c_char) -> f32;
    }
}

fn address<T>(place: &mut T) -> u64 {
    std::ptr::from_mut(place) as u64
}

const STORING_INT: &[(&str, NativeFn)] = &[
    ("frexp", |call| {
        storing_int::<f64>(call, |a, _, to| storing_host::frexp(a, to))
    }),
    ("frexpf", |call| {
        storing_int::<f32>(call, |a, _, to| storing_host::frexpf(a, to))
    }),
    ("frexpl", |call| {
        storing_int::<Extended>(call, |a, _, to| {
            extended(storing_host::frexpl, [a, NONE, NONE], [address(to), 0])
        })
    }),
    ("lgamma_r", |call| {
        storing_int::<f64>(call, |a, _, to| storing_host::lgamma_r(a, to))
    }),
    ("gamma_r", |call| {
        storing_int::<f64>(call, |a, _, to| storing_host::lgamma_r(a, to))
    }),
    ("lgammaf_r", |call| {
        storing_int::<f32>(call, |a, _, to| storing_host::lgammaf_r(a, to))
    }),
    ("lgammal_r", |call| {
        storing_int::<Extended>(call, |a, _, to| {
            extended(storing_host::lgammal_r, [a, NONE, NONE], [address(to), 0])
        })
    }),
    ("remquo", |call| {
        storing_int::<f64>(call, |a, b, to| storing_host::remquo(a, b, to))
    }),
    ("remquof", |call| {
        storing_int::<f32>(call, |a, b, to| storing_host::remquof(a, b, to))
    }),
    ("remquol", |call| {
        storing_int::<Extended>(call, |a, b, to| {
            extended(storing_host::remquol, [a, b, NONE], [address(to), 0])
        })
    }),
];

/// A float, then where a second result goes, which is a float as well.
fn storing_float<F: Format>(
    call: &mut Call<'_>,
    compute: impl FnOnce(F, &mut F) -> F,
) -> Result<Flow, Halt> {
    let a = float(call, 0)?;
    let to = call.number(1)?;
    let mut second = F::from_words([0; 2]);
    let first = with_errno(call, || compute(a, &mut second))?;
    store(call, to, second)?;
    Ok(result(first))
}

/// Two results, each with a place.
fn sine_and_cosine<F: Format>(
    call: &mut Call<'_>,
    compute: impl FnOnce(F) -> (F, F),
) -> Result<Flow, Halt> {
    let a = float(call, 0)?;
    let (sine_to, cosine_to) = (call.number(1)?, call.number(2)?);
    let (sine, cosine) = with_errno(call, || compute(a))?;
    check(call, &[a], sine)?;
    store(call, sine_to, sine)?;
    store(call, cosine_to, cosine)?;
    Ok(Flow::void())
}

const STORING_FLOAT: &[(&str, NativeFn)] = &[
    ("modf", |call| {
        storing_float::<f64>(call, |a, to| storing_host::modf(a, to))
    }),
    ("modff", |call| {
        storing_float::<f32>(call, |a, to| storing_host::modff(a, to))
    }),
    ("modfl", |call| {
        storing_float::<Extended>(call, |a, to| {
            extended(storing_host::modfl, [a, NONE, NONE], [address(to), 0])
        })
    }),
    ("sincos", |call| {
        sine_and_cosine::<f64>(call, |a| {
            let (mut sine, mut cosine) = (0.0, 0.0);
            storing_host::sincos(a, &mut sine, &mut cosine);
            (sine, cosine)
        })
    }),
    ("sincosf", |call| {
        sine_and_cosine::<f32>(call, |a| {
            let (mut sine, mut cosine) = (0.0, 0.0);
            storing_host::sincosf(a, &mut sine, &mut cosine);
            (sine, cosine)
        })
    }),
    ("sincosl", |call| {
        sine_and_cosine::<Extended>(call, |a| {
            let floats = [a, NONE, NONE];
            (
                extended(storing_host::sinl, floats, [0; 2]),
                extended(storing_host::cosl, floats, [0; 2]),
            )
        })
    }),
];

const OTHERS: &[(&str, NativeFn)] = &[
    ("lgamma", double_gamma),
    ("gamma", double_gamma),
    ("lgammaf", single_gamma),
    ("gammaf", single_gamma),
    ("lgammal", extended_gamma),
    ("gammal", extended_gamma),
    ("pow10", |call| {
        unary::<f64>(call, "exp10", host_function!(exp10 (a: f64) -> f64))
    }),
    ("pow10f", |call| {
        unary::<f32>(call, "exp10f", host_function!(exp10f (a: f32) -> f32))
    }),
    ("pow10l", |call| {
        unary::<Extended>(call, "", |a| {
            extended(unary_host::exp10l, [a, NONE, NONE], [0; 2])
        })
    }),
    ("nexttowardl", |call| {
        binary::<Extended>(call, "", |a, b| {
            extended(storing_host::nextafterl, [a, b, NONE], [0; 2])
        })
    }),
    ("nexttoward", |call| {
        toward(call, |a: f64, bound| match bound {
            Bound::Equal(b) => b,
            Bound::Above => storing_host::nextafter(a, f64::INFINITY),
            Bound::Below => storing_host::nextafter(a, f64::NEG_INFINITY),
            Bound::None => f64::NAN,
        })
    }),
    ("nexttowardf", |call| {
        toward(call, |a: f32, bound| match bound {
            Bound::Equal(b) => b as f32,
            Bound::Above => storing_host::nextafterf(a, f32::INFINITY),
            Bound::Below => storing_host::nextafterf(a, f32::NEG_INFINITY),
            Bound::None => f32::NAN,
        })
    }),
    ("nan", |call| {
        let tag = tag(call)?;
        // SAFETY: the text ends with a zero byte.
        Ok(result(unsafe { storing_host::nan(tag.as_ptr()) }))
    }),
    ("nanf", |call| {
        let tag = tag(call)?;
        // SAFETY: the text ends with a zero byte.
        Ok(result(unsafe { storing_host::nanf(tag.as_ptr()) }))
    }),
    ("nanl", |_| Ok(result::<Extended>([3 << 62, 0x7fff]))),
];

fn double_gamma(call: &mut Call<'_>) -> Result<Flow, Halt> {
    log_gamma::<f64>(call, |a, sign| storing_host::lgamma_r(a, sign))
}

fn single_gamma(call: &mut Call<'_>) -> Result<Flow, Halt> {
    log_gamma::<f32>(call, |a, sign| storing_host::lgammaf_r(a, sign))
}

fn extended_gamma(call: &mut Call<'_>) -> Result<Flow, Halt> {
    log_gamma::<Extended>(call, |a, sign| {
        extended(storing_host::lgammal_r, [a, NONE, NONE], [address(sign), 0])
    })
}

/// A complex number as C passes and returns it: the same as a structure of its two parts.
#[repr(C)]
#[derive(Clone, Copy)]
struct Complex<F> {
    real: F,
    imaginary: F,
}

/// The complex arguments of a call, of which each is two words, in however many arguments those come.
fn complex<F: Format, const COUNT: usize>(
    call: &mut Call<'_>,
) -> Result<[Complex<F>; COUNT], Halt> {
    let words: Vec<Value> = (0..call.site.args.len())
        .flat_map(|index| call.words(index))
        .collect();
    let mut part = |index: usize| Ok(F::from_words([word(call, words.get(index))?, 0]));
    let mut numbers = [Complex {
        real: F::from_words([0; 2]),
        imaginary: F::from_words([0; 2]),
    }; COUNT];
    for (index, number) in numbers.iter_mut().enumerate() {
        number.real = part(2 * index)?;
        number.imaginary = part(2 * index + 1)?;
    }
    Ok(numbers)
}

fn complex_result<F: Format>(
    call: &mut Call<'_>,
    operands: &[Complex<F>],
    value: Complex<F>,
) -> Result<Flow, Halt> {
    let operands = operands.iter().flat_map(|a| [a.real, a.imaginary]);
    let operands: Vec<F> = operands.collect();
    let parts = [value.real, value.imaginary];
    for part in parts {
        check(call, &operands, part)?;
    }
    let words = parts.into_iter().flat_map(F::to_words);
    Ok(Flow::Return(words.map(Value::Concrete).collect()))
}

/// Functions of one complex number: those with a real result, then those with a complex one.
macro_rules! complex_functions {
    ($($rd:ident $rf:ident,)*; $($d:ident $f:ident,)*) => {
        mod complex_host {
            use super::Complex;

            unsafe extern "C" {
                $(
                    pub safe fn $rd(a: Complex<f64>) -> f64;
                    pub safe fn $rf(a: Complex<f32>) -> f32;
                )*
                $(
                    pub safe fn $d(a: Complex<f64>) -> Complex<f64>;
                    pub safe fn $f(a: Complex<f32>) -> Complex<f32>;
                )*
                pub safe fn cpow(a: Complex<f64>, b: Complex<f64>) -> Complex<f64>;
                pub safe fn cpowf(a: Complex<f32>, b: Complex<f32>) -> Complex<f32>;
            }
        }
        const COMPLEX: &[(&str, NativeFn)] = &[
            $(
                (stringify!($rd), |call| {
                    let [a] = complex(call)?;
                    computed(call, &[a.real, a.imaginary], || complex_host::$rd(a))
                }),
                (stringify!($rf), |call| {
                    let [a] = complex(call)?;
                    computed(call, &[a.real, a.imaginary], || complex_host::$rf(a))
                }),
            )*
            $(
                (stringify!($d), |call| {
                    let [a] = complex(call)?;
                    let value = with_errno(call, || complex_host::$d(a))?;
                    complex_result(call, &[a], value)
                }),
                (stringify!($f), |call| {
                    let [a] = complex(call)?;
                    let value = with_errno(call, || complex_host::$f(a))?;
                    complex_result(call, &[a], value)
                }),
            )*
            ("cpow", |call| {
                let [a, b] = complex(call)?;
                let value = with_errno(call, || complex_host::cpow(a, b))?;
                complex_result(call, &[a, b], value)
            }),
            ("cpowf", |call| {
                let [a, b] = complex(call)?;
                let value = with_errno(call, || complex_host::cpowf(a, b))?;
                complex_result(call, &[a, b], value)
            }),
        ];
    };
}

complex_functions! {
    cabs cabsf, carg cargf, creal crealf, cimag cimagf,;
    cacos cacosf, cacosh cacoshf, casin casinf, casinh casinhf, catan catanf, catanh catanhf, ccos ccosf,
    ccosh ccoshf, cexp cexpf, clog clogf, conj conjf, cproj cprojf, csin csinf, csinh csinhf, csqrt csqrtf, ctan ctanf,
    ctanh ctanhf,
}

fn tag(call: &mut Call<'_>) -> Result<CString, Halt> {
    let address = call.number(0)?;
    let text = call.string(address)?;
    // The text of a C string has no zero byte.
    Ok(CString::new(text).unwrap_or_default())
}

/// Where a long double lies as seen from a narrower number.
enum Bound {
    /// There; the number as a double.
    Equal(f64),
    Above,
    Below,
    /// One of the two is no number.
    None,
}

/// The neighbour of a number in the direction of a long double.
fn toward<F: Format + Into<f64>>(
    call: &mut Call<'_>,
    compute: impl FnOnce(F, Bound) -> F,
) -> Result<Flow, Halt> {
    use rustc_apfloat::ieee::{Double, X87DoubleExtended};
    use rustc_apfloat::{Float, FloatConvert};
    use std::cmp::Ordering;
    let a: F = float(call, 0)?;
    let b: Extended = float(call, 1)?;
    let as_double: f64 = a.into();
    let mut loses = false;
    let from: X87DoubleExtended = Double::from_bits(u128::from(as_double.to_bits()))
        .convert(&mut loses)
        .value;
    let to = X87DoubleExtended::from_bits(u128::from(b[1] & 0xffff) << 64 | u128::from(b[0]));
    let bound = match to.partial_cmp(&from) {
        // Zero has the sign of the bound.
        Some(Ordering::Equal) if as_double == 0.0 => {
            Bound::Equal(if to.is_negative() { -0.0 } else { 0.0 })
        }
        Some(Ordering::Equal) => Bound::Equal(as_double),
        Some(Ordering::Greater) => Bound::Above,
        Some(Ordering::Less) => Bound::Below,
        None => Bound::None,
    };
    let value = with_errno(call, || compute(a, bound))?;
    if !to.is_infinite() && !to.is_nan() {
        check(call, &[a], value)?;
    }
    Ok(result(value))
}
