//! The reader on files that are broken, and the machine on what it still reads: whatever the bytes, there is an
//! answer, in time, and no panic.
//!
//! Valid bitcode is made with `rustc`, and with three versions of `clang`, then changed by a generator with a fixed
//! seed: first the bytes, then, where a file still reads, what it says. Every mutant that reads is linked and loaded,
//! all of its functions are lowered, and some are run. `REFRAIN_MUTANTS` sets how many mutants are made,
//! `REFRAIN_FIRST_MUTANT` where they start, `REFRAIN_MUTANT` makes one alone by its number and keeps it, and
//! `REFRAIN_MUTATION_SEEDS` names a directory of more files to start from.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use refrain_llvm::bitcode::read_file;
use refrain_llvm::ir::{
    BinaryOp, Callee, ConstId, ConstKind, FCmpPredicate, ICmpPredicate, InstKind, Linkage, Module,
    Operand, RmwOp, SymbolKind, Type,
};
use refrain_llvm::link::{Program, link};
use refrain_llvm::load::{FloatChecks, FunctionKind, Options};
use refrain_llvm::machine::Machine;
use refrain_llvm::native::Detached;
use refrain_llvm::program;
use refrain_machine::{Answer, Ask, Machine as _, Stop};
use refrain_term::{Bv, Term, Terms};
use refrain_testing::Random;

const SOURCE: &str = r#"
#![crate_type = "lib"]
#[derive(Clone, Copy)]
pub struct Pair { a: u32, b: [u64; 3] }
pub static TABLE: [&str; 3] = ["one", "two", "three"];
#[unsafe(no_mangle)]
pub fn choose(value: u32, pair: Pair) -> u64 {
    match value {
        0 => pair.b[0],
        7 => u64::from(pair.a),
        90 => TABLE[value as usize % 3].len() as u64,
        _ => pair.b.iter().sum(),
    }
}
#[unsafe(no_mangle)]
pub fn floats(values: &[f64]) -> f64 {
    values.iter().fold(0.5, |sum, value| sum * 1.25 + value.abs())
}
#[unsafe(no_mangle)]
pub fn wide(a: u128, b: u128) -> Option<u128> {
    a.checked_mul(b ^ 0x1234_5678_9abc_def0_1234_5678)
}
#[unsafe(no_mangle)]
pub fn drops(items: Vec<String>) -> usize {
    items.iter().map(|item| item.len()).sum()
}
"#;

/// A little of everything that C has.
const C_SOURCE: &str = r#"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void klee_make_symbolic(void *, unsigned long, const char *);
struct pair { char tag; int numbers[5]; double weight; };
union both { unsigned bits; float value; };
struct flags { unsigned a : 3, b : 9; long long c : 40; };
static int squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };
static int (*handlers[2])(int, ...);
static struct pair start = { 'a', { 1, 2, 3 }, 0.5 };
static char *words[] = { "one", "two", 0 };
static jmp_buf back;
int sum(int count, ...) {
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    int total = 0;
    for (int i = 0; i < count; i++) total += va_arg(list, int);
    total += (int)va_arg(again, long);
    va_end(list);
    va_end(again);
    return total;
}
struct pair change(struct pair pair, long double by) {
    pair.weight *= by;
    pair.numbers[pair.tag & 3] ^= 5;
    return pair;
}
unsigned choose(unsigned value) {
    switch (value) {
        case 0: return 7;
        case 1: case 2: case 3: return value << 3;
        case 100: return value / 3;
        case 4096: return -value;
        default: return value % 10;
    }
}
int jump(int by, const char *text) {
    static void *const places[] = { &&up, &&down, &&out };
    int level = by;
    goto *places[*text++ % 3];
up: level++; goto *places[*text++ % 3];
down: level--; goto *places[*text++ % 3];
out: return level;
}
__int128 wide(__int128 a, unsigned __int128 b) { return (a * 3 - (__int128)b) / 7 ^ (a >> 65) ^ (b << 3); }
void add(int count, float *restrict to, const float *restrict from) {
    for (int i = 0; i < count; i++) to[i] = to[i] * 1.5f + from[i];
}
long total(long count, const unsigned char *bytes) {
    long result = 0;
    for (long i = 0; i < count; i++) result += bytes[i] > 9 ? bytes[i] : -3;
    return result;
}
int bits(unsigned value, struct flags flags) {
    int overflow = 0;
    int product = 0;
    overflow += __builtin_mul_overflow((int)value, 77, &product);
    return __builtin_popcount(value) + __builtin_ctz(value | 1) + __builtin_clzll(value | 1) + __builtin_bswap32(value) + overflow
        + product + flags.b + (int)flags.c;
}
typedef int four __attribute__((vector_size(16)));
typedef double pair_of __attribute__((vector_size(16)));
int lanes(int index, int *at) {
    four a = { at[0], index, 3, 4 }, b = a * 5 >> 1;
    a[index & 3] = b[(index + 1) & 3];
    pair_of c = { index, 0.5 };
    c = c * c - __builtin_convertvector(__builtin_shufflevector(a, b, 1, 6), pair_of);
    four mask = a > b, chosen = (a & mask) | (b & ~mask);
    return chosen[index & 3] + (int)c[1] + a[0];
}
long atomics(int by, long *at) {
    long old = __atomic_fetch_add(at, by, 5), expected = old;
    __atomic_compare_exchange_n(at, &expected, 7, 0, 5, 5);
    __atomic_fetch_nand((int *)at, by, 5);
    __atomic_fetch_max(at, 3, 5);
    return __atomic_exchange_n((char *)at, 1, 5) + old;
}
double floats(int by, const char *text) {
    long double far = (long double)by / 3 + text[0];
#if __clang_major__ > 14
    _Float16 small = (_Float16)far;
#else
    float small = far;
#endif
    double result = __builtin_sqrt(far) + __builtin_floor(small) + __builtin_fabs(by - 2.5) + __builtin_fma(by, 2.0, 0.25);
    return far > small ? result : (double)(unsigned)(float)result + (double)(__int128)far;
}
int symbolic(int limit, unsigned char *bytes) {
    unsigned char local[4];
    klee_make_symbolic(local, 4, "local");
    unsigned value = local[0] | local[1] << 8;
    int table[4] = { 1, limit, 3 };
    table[local[2] & 3] += 5;
    switch (value % 5) {
        case 0: value += table[local[3] & 3]; break;
        case 1: value *= local[2]; break;
        case 2: return (short)value >> 3;
    }
    return value > 77 ? (int)value / (local[3] + 1) : bytes[value & 3];
}
int leave(int depth) {
    if (depth == 0) longjmp(back, 3);
    return leave(depth - 1) + 1;
}
int main(int argc, char **argv) {
    char buffer[64];
    int room[argc + 3];
    memset(room, 0, sizeof room);
    handlers[0] = sum;
    handlers[1] = handlers[argc & 1] ? sum : 0;
    struct pair pair = change(start, 1.25L);
    float a[9] = { 1, 2, 3 }, b[9] = { 4, 5, 6 };
    add(9, a, b);
    union both both = { .value = a[2] };
    if (setjmp(back) == 0) leave(3);
    char *copy = malloc(32);
    memcpy(copy, words[argc & 1], 4);
    snprintf(buffer, sizeof buffer, "%d %s %5.2f %x", sum(3, 1, 2, 3), copy, pair.weight, both.bits);
    free(copy);
    write(1, buffer, 5);
    struct flags flags = { 1, 2, -3 };
    __int128 big = wide(argc, 5);
    for (int i = 0; i < 40; i++) room[i % (argc + 3)] += squares[i & 7] + (int)choose(i * i);
    return handlers[0](1, (int)big) + bits(room[1], flags) + jump(1, "abcdef") + (int)total(20, (unsigned char *)buffer)
        + lanes(argc, room) + (int)atomics(1, (long *)buffer) + (int)floats(argc, buffer) + symbolic(argc, (unsigned char *)room);
}
"#;

const CPP_SOURCE: &str = r#"
struct Base { virtual int value() const { return 1; } virtual ~Base() {} };
struct Derived : Base { int held; Derived(int n) : held(n) {} int value() const override { return held; } };
int thrower(int n) { if (n > 2) throw n; if (n < 0) throw Derived(n); return n; }
int catcher(int n) noexcept {
    Derived local(n);
    try { return thrower(local.value()); }
    catch (int caught) { return caught * 2; }
    catch (const Base &base) { return base.value(); }
    catch (...) { return -1; }
}
static int early = catcher(1);
int main(int argc, char **) { return catcher(argc + 2) + catcher(-argc) + early; }
"#;

struct Generator(Random);

impl Generator {
    /// The generator of one mutant, which does not depend on the others.
    fn of(number: u64) -> Generator {
        Generator(Random::new(number))
    }

    fn next(&mut self) -> u64 {
        self.0.next()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound.max(1))
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len())).copied()
    }

    /// A number as they go wrong.
    fn odd(&mut self) -> u64 {
        let near = 1u64 << self.below(64);
        match self.below(4) {
            0 => near,
            1 => near.wrapping_neg(),
            2 => near.wrapping_sub(1),
            _ => self.below(40) as u64,
        }
    }
}

fn scratch(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("refrain-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn rust_seeds(directory: &Path) -> Vec<Vec<u8>> {
    let source = directory.join("seed.rs");
    fs::write(&source, SOURCE).unwrap();
    let mut files = Vec::new();
    for (index, options) in [
        &["-Copt-level=0"][..],
        &["-Copt-level=0", "-g"],
        &["-Copt-level=2"],
    ]
    .iter()
    .enumerate()
    {
        let output = directory.join(format!("seed{index}.bc"));
        let status = Command::new("rustc")
            .args([
                "--edition=2024",
                "--emit=llvm-bc",
                "-Ccodegen-units=1",
                "-o",
            ])
            .arg(&output)
            .args(*options)
            .arg(&source)
            .status()
            .unwrap();
        assert!(status.success());
        files.push(fs::read(output).unwrap());
    }
    files
}

/// The versions of clang that `cargo xtask install` gets.
const CLANGS: [&str; 3] = ["clang-14", "clang-16", "clang-19"];

fn compile(clang: &str, level: &str, source: &Path, output: &Path) {
    let compiled = Command::new(clang)
        .args(["-w", "-emit-llvm", "-c", level, "-o"])
        .args([output, source])
        .output()
        .unwrap_or_else(|error| panic!("{clang}: {error}; `cargo xtask install` gets it"));
    let complaint = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{clang} {level}: {complaint}");
}

/// What the compilers make of C and C++.
fn clang_seeds(directory: &Path) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for clang in CLANGS {
        for (name, text) in [("seed.c", C_SOURCE), ("seed.cpp", CPP_SOURCE)] {
            let source = directory.join(name);
            fs::write(&source, text).unwrap();
            for level in ["-O0", "-O2"] {
                let output = directory.join("seed.bc");
                compile(clang, level, &source, &output);
                files.push(fs::read(output).unwrap());
            }
        }
    }
    files
}

fn seeds(directory: &Path) -> Vec<Vec<u8>> {
    let mut files = rust_seeds(directory);
    files.extend(clang_seeds(directory));
    if let Some(more) = std::env::var_os("REFRAIN_MUTATION_SEEDS") {
        for entry in fs::read_dir(more).unwrap() {
            files.push(fs::read(entry.unwrap().path()).unwrap());
        }
    }
    files
}

fn mutate(generator: &mut Generator, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[generator.below(seeds.len())].clone();
    // Most of a file is debug information and strings; a mutant that dies at once says little, so few changes are
    // made to each.
    for _ in 0..1 + generator.below(4) {
        let at = generator.below(bytes.len());
        match generator.below(8) {
            0..=2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << generator.below(8);
                }
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = generator.next() as u8;
                }
            }
            4 => {
                let word = [0, 1, u32::MAX, 0x8000_0000][generator.below(4)];
                let at = at & !3;
                if let Some(bytes) = bytes.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            }
            5 => {
                let from = &seeds[generator.below(seeds.len())];
                let start = generator.below(from.len()) & !3;
                let length = generator.below(256) & !3;
                let part = from.get(start..start + length).unwrap_or_default();
                let at = at & !3;
                if let Some(bytes) = bytes.get_mut(at..at + part.len()) {
                    bytes.copy_from_slice(part);
                }
            }
            6 => {
                let count = 4 * (1 + generator.below(8));
                let added: Vec<u8> = (0..count).map(|_| generator.next() as u8).collect();
                let at = at & !3;
                bytes.splice(at..at, added);
            }
            _ => {
                if generator.below(4) == 0 {
                    bytes.truncate(at);
                } else {
                    let end = (at + 4 * (1 + generator.below(8))).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
    }
    bytes
}

/// Functions that the machine does itself, one way or the other. A file may declare any of them with any type.
const KNOWN_NAMES: &[&str] = &[
    "llvm.memcpy.p0.p0.i64",
    "llvm.memset.p0.i64",
    "llvm.expect.i32",
    "llvm.objectsize.i64.p0",
    "llvm.va_start",
    "llvm.va_copy",
    "llvm.frameaddress.p0",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.eh.typeid.for",
    "llvm.ptrmask.p0.i64",
    "llvm.load.relative.i64",
    "llvm.fmuladd.f32",
    "llvm.fptosi.sat.i32.f32",
    "llvm.x86.sse2.pmovmskb.128",
    "llvm.masked.load.v4i32.p0",
    "llvm.masked.store.v4i32.p0",
    "llvm.masked.gather.v4i32.v4p0",
    "llvm.vector.reduce.add.v4i32",
    "llvm.vector.reduce.fadd.v4f32",
    "llvm.ctpop.i32",
    "llvm.ctlz.i32",
    "llvm.bswap.i32",
    "llvm.bitreverse.i8",
    "llvm.abs.i32",
    "llvm.fshl.i32",
    "llvm.umin.i32",
    "llvm.sadd.sat.i32",
    "llvm.ushl.sat.i32",
    "llvm.uadd.with.overflow.i32",
    "llvm.smul.with.overflow.i64",
    "llvm.scmp.i8.i32",
    "llvm.ucmp.i8.i128",
    "llvm.sqrt.f64",
    "llvm.pow.f64",
    "llvm.powi.f64.i32",
    "llvm.ldexp.f64.i32",
    "llvm.is.fpclass.f64",
    "llvm.trap",
    "llvm.threadlocal.address.p0",
    "llvm.lifetime.start.p0",
    "llvm.returnaddress",
    "llvm.no.such.thing",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "strcpy",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "printf",
    "snprintf",
    "sprintf",
    "puts",
    "putchar",
    "write",
    "read",
    "open",
    "exit",
    "abort",
    "_exit",
    "atexit",
    "setjmp",
    "_setjmp",
    "longjmp",
    "qsort",
    "bsearch",
    "strtol",
    "strtod",
    "atoi",
    "getenv",
    "time",
    "clock",
    "rand",
    "sin",
    "fmod",
    "floorl",
    "__assert_fail",
    "__cxa_throw",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_allocate_exception",
    "_Unwind_Resume",
    "_Unwind_RaiseException",
    "__cxa_rethrow",
    "__refrain_trap",
    "__refrain_exception_matches",
    "__refrain_terminate_uncaught",
    "environ",
    "main",
    "refrain_symbolic",
    "refrain_assume",
    "klee_make_symbolic",
    "klee_assume",
    "fopen",
    "fread",
    "fwrite",
    "fprintf",
    "fgets",
    "scanf",
    "sscanf",
    "getline",
    "memchr",
    "strchr",
    "strdup",
    "pthread_create",
    "pthread_mutex_lock",
    "signal",
    "raise",
    "mmap",
    "sbrk",
    "usleep",
];

/// Changes what a module says, in ways that the reader would not object to.
fn alter(generator: &mut Generator, module: &mut Module) {
    let constants: Vec<_> = (0..module.constants.len())
        .map(|index| (ConstId(index as u32), module.constants[index].ty))
        .collect();
    for _ in 0..1 + generator.below(8) {
        match generator.below(4) {
            0 => alter_constant(generator, module),
            1 => alter_symbol(generator, module),
            _ => alter_body(generator, module, &constants),
        }
    }
}

fn alter_constant(generator: &mut Generator, module: &mut Module) {
    let index = generator.below(module.constants.len());
    let Some(constant) = module.constants.get_mut(index) else {
        return;
    };
    let bits = match module.types.get(constant.ty) {
        Type::Int(bits) => *bits,
        _ => 0,
    };
    match &mut constant.kind {
        // Small numbers may be the fields of a structure.
        ConstKind::Int(value) if *value > 8 => {
            *value = generator.odd() & (u64::MAX >> (64 - bits.clamp(1, 64)))
        }
        ConstKind::Wide(words) => words[0] = generator.odd(),
        ConstKind::Float(bits) => {
            *bits =
                u128::from(generator.next()) << generator.below(65) | u128::from(generator.odd());
        }
        ConstKind::Data(bytes) => {
            let at = generator.below(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = generator.next() as u8;
            }
        }
        _ => {}
    }
}

fn alter_symbol(generator: &mut Generator, module: &mut Module) {
    let index = generator.below(module.symbols.len());
    let Some(symbol) = module.symbols.get_mut(index) else {
        return;
    };
    let is_declaration = symbol.is_declaration();
    match (&mut symbol.kind, generator.below(4)) {
        (SymbolKind::Function(_), 0..=2) if is_declaration => {
            symbol.name = generator.pick(KNOWN_NAMES).unwrap_or_default().into()
        }
        (SymbolKind::Function(_), 0) => {
            symbol.name = generator.pick(KNOWN_NAMES).unwrap_or_default().into()
        }
        (SymbolKind::Variable(variable), 0) => variable.align = 1 << generator.below(33),
        (SymbolKind::Variable(variable), 1) => variable.constant ^= true,
        (SymbolKind::Variable(_), 2) => {
            symbol.section = Some(".init_array".into());
            symbol.name = generator
                .pick(&[
                    "environ",
                    "llvm.global_ctors",
                    "llvm.global_dtors",
                    "stdout",
                ])
                .unwrap_or_default()
                .into();
        }
        _ => {
            use Linkage::*;
            let all = [
                External,
                AvailableExternally,
                WeakAny,
                Appending,
                Internal,
                ExternWeak,
                Common,
            ];
            symbol.linkage = generator.pick(&all).unwrap_or(External);
        }
    }
}

fn alter_body(
    generator: &mut Generator,
    module: &mut Module,
    constants: &[(ConstId, refrain_llvm::ir::TypeId)],
) {
    use BinaryOp::*;
    let defined: Vec<usize> = (0..module.symbols.len())
        .filter(|&index| matches!(&module.symbols[index].kind, SymbolKind::Function(function) if function.body.is_some()))
        .collect();
    let Some(chosen) = generator.pick(&defined) else {
        return;
    };
    let types = &module.types;
    let SymbolKind::Function(function) = &mut module.symbols[chosen].kind else {
        return;
    };
    let Some(body) = &mut function.body else {
        return;
    };
    let locals = &body.locals;
    // Another constant in place of an operand.
    let replace = |generator: &mut Generator, operand: &mut Operand| {
        let ty = match *operand {
            Operand::Local(local) => locals[local.0 as usize],
            Operand::Const(id) => module.constants[id.0 as usize].ty,
        };
        let fitting: Vec<ConstId> = constants
            .iter()
            .filter(|(_, other)| *other == ty)
            .map(|(id, _)| *id)
            .collect();
        if let Some(id) = generator.pick(&fitting) {
            *operand = Operand::Const(id);
        }
    };
    let block = generator.below(body.blocks.len());
    let insts = &mut body.blocks[block].insts;
    let at = generator.below(insts.len());
    let Some(inst) = insts.get_mut(at) else {
        return;
    };
    match &mut inst.kind {
        InstKind::Binary { op, a, b, .. } => match generator.below(3) {
            0 => replace(generator, a),
            1 => replace(generator, b),
            _ => {
                let floats = [FAdd, FSub, FMul, FDiv, FRem];
                let ints = [
                    Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
                ];
                let same = if floats.contains(op) {
                    &floats[..]
                } else {
                    &ints[..]
                };
                *op = generator.pick(same).unwrap_or(*op);
            }
        },
        InstKind::ICmp { predicate, b, .. } => {
            use ICmpPredicate::*;
            *predicate = generator
                .pick(&[Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle])
                .unwrap_or(Eq);
            if generator.chance(2) {
                replace(generator, b);
            }
        }
        InstKind::FCmp { predicate, .. } => *predicate = FCmpPredicate(generator.below(16) as u8),
        InstKind::AtomicRmw { op, value, .. } => {
            use RmwOp::*;
            let all = [
                Xchg, Sub, Nand, Max, Min, UMax, UMin, FAdd, FSub, FMax, UIncWrap, UDecWrap,
                USubCond, USubSat,
            ];
            *op = generator.pick(&all).unwrap_or(Xchg);
            replace(generator, value);
        }
        InstKind::Shuffle { mask, .. } => {
            let lanes = mask.len();
            let at = generator.below(lanes);
            mask[at] = generator.below(lanes) as i32 - 1;
        }
        InstKind::Alloca { align, count, .. } => {
            if generator.chance(2) {
                *align = 1 << generator.below(33);
            } else {
                replace(generator, count);
            }
        }
        InstKind::Gep { indices, .. } => {
            // The first steps over the whole; others may name fields.
            if let Some(index) = indices.first_mut() {
                replace(generator, index);
            }
        }
        InstKind::Call(call) | InstKind::Invoke { call, .. } => {
            let arg = generator.below(call.args.len());
            match generator.below(3) {
                0 => {
                    if let Some(arg) = call.args.get_mut(arg) {
                        replace(generator, arg);
                    }
                }
                1 => {
                    if let Callee::Value(callee) = &mut call.callee {
                        replace(generator, callee);
                    }
                }
                _ => {
                    let is_pointer = |operand: &Operand| match operand {
                        Operand::Local(local) => types.is_pointer(locals[local.0 as usize]),
                        Operand::Const(id) => types.is_pointer(module.constants[id.0 as usize].ty),
                    };
                    if call.args.get(arg).is_some_and(is_pointer)
                        && let Some((_, ty)) = generator.pick(constants)
                        && matches!(
                            types.get(ty),
                            Type::Int(_) | Type::Array { .. } | Type::Float
                        )
                    {
                        call.by_value.resize(call.args.len(), None);
                        call.by_value[arg] = Some(refrain_llvm::ir::ByValueArg { ty, align: 0 });
                    }
                }
            }
        }
        InstKind::Switch { value: operand, .. }
        | InstKind::Cast { value: operand, .. }
        | InstKind::Store { value: operand, .. }
        | InstKind::Load {
            pointer: operand, ..
        }
        | InstKind::Select {
            condition: operand, ..
        }
        | InstKind::CondBr {
            condition: operand, ..
        }
        | InstKind::ExtractElement { index: operand, .. }
        | InstKind::InsertElement { index: operand, .. }
        | InstKind::ExtractValue {
            aggregate: operand, ..
        }
        | InstKind::InsertValue {
            aggregate: operand, ..
        }
        | InstKind::IndirectBr {
            address: operand, ..
        }
        | InstKind::FNeg(operand)
        | InstKind::Freeze(operand)
        | InstKind::Resume(operand)
        | InstKind::VaArg { list: operand, .. }
        | InstKind::Ret(Some(operand)) => replace(generator, operand),
        _ => {}
    }
}

/// Loads a program, hashes and lowers all of it, and runs some of it.
fn run(generator: &mut Generator, program: Program, functions: usize) {
    let options = Options {
        check_overflow: generator.chance(4),
        check_uninitialised: generator.chance(4),
        keep_variables_in_memory: generator.chance(4),
        floats: FloatChecks {
            nan: generator.chance(4),
            infinity: generator.chance(4),
            division: generator.chance(4),
            to_integer: generator.chance(4),
        },
    };
    let Ok((mut machine, mut state)) = Machine::new(program, options, Box::new(Detached)) else {
        return;
    };
    let mut entries = Vec::new();
    for (index, function) in machine.linked().functions.iter().enumerate() {
        if function.module != 0 || !matches!(function.kind, FunctionKind::Code) {
            continue;
        }
        let hashes = machine.linked().fingerprint(index as u32);
        match machine.linked().code(index as u32) {
            Ok(code) => {
                assert_eq!(hashes.blocks.len(), code.blocks.len());
                entries.push(function.name.clone());
            }
            // Lowering is to know itself what it cannot do.
            Err(what) => assert!(!what.starts_with("bad "), "{}: {what}", function.name),
        }
    }
    entries.sort_by_key(|name| name != "main");
    // Inputs that a machine has made are terms of one arena.
    let mut terms = Terms::new();
    for name in entries.iter().take(functions) {
        let mut state = machine.fork(&mut state);
        if machine
            .start(
                &mut state,
                name,
                &[b"program".to_vec(), b"argument".to_vec()],
                &[],
            )
            .is_ok()
        {
            let mut answers = 0;
            while let Stop::Ask(ask) = machine.run(&mut terms, &mut state, 20_000)
                && answers < 20
            {
                answers += 1;
                let answer = match ask {
                    Ask::Choose(conditions) => {
                        let possible: Vec<usize> = (0..conditions.len())
                            .filter(|&at| conditions[at] != Term::FALSE)
                            .collect();
                        Answer::Choice(generator.pick(&possible).unwrap_or(0) as u32)
                    }
                    Ask::Assume(_) => Answer::Choice(generator.below(2) as u32),
                    Ask::Witness(term) | Ask::Fix(term) | Ask::Sample(term) => {
                        let width = terms.sort(term).width().unwrap_or(64);
                        let value = Bv::new(width, generator.below(256) as u64);
                        Answer::Value(value.into())
                    }
                };
                machine.answer(&mut state, &answer);
            }
        }
    }
}

/// Says whether the reader refused it.
fn try_mutant(number: u64, bytes: &[u8]) -> bool {
    let mut generator = Generator::of(number ^ 1 << 63);
    let mut contents = match read_file("mutant", bytes) {
        Ok(contents) => contents,
        Err(error) => {
            assert!(error.to_string().starts_with("mutant"));
            return true;
        }
    };
    if generator.chance(24) {
        // All of it, with the C library.
        if let Ok(assembled) = program::assemble([("mutant", bytes)], &[]) {
            run(&mut generator, assembled.program, 1);
        }
        return false;
    }
    for module in &mut contents.modules {
        if !generator.chance(4) {
            alter(&mut generator, module);
        }
    }
    match link(contents.modules) {
        Ok(program) => run(&mut generator, program, 12),
        Err(_) => return true,
    }
    false
}

#[test]
fn broken_files_are_errors() {
    let directory = scratch("mutations");
    let seeds = seeds(&directory);
    for seed in &seeds {
        read_file("seed", seed).unwrap();
    }
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|number| number.parse::<u64>().unwrap())
    };
    let count = refrain_testing::count("REFRAIN_MUTANTS", 3000, 100_000);
    let first = number("REFRAIN_FIRST_MUTANT").unwrap_or(0);
    let numbers = number("REFRAIN_MUTANT").map_or(first..first + count, |only| only..only + 1);
    let alone = numbers.end - numbers.start == 1;
    // A mutant that never ends is named by somebody else.
    let current = std::sync::Arc::new(AtomicU64::new(first));
    let watched = std::sync::Arc::downgrade(&current);
    std::thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        while let Some(current) = watched.upgrade() {
            let now = current.load(Ordering::Relaxed);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() > Duration::from_secs(60) {
                eprintln!("mutant {now} does not end");
                std::process::abort();
            }
            drop(current);
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    let mut refused = 0;
    let mut failed = Vec::new();
    for number in numbers {
        current.store(number, Ordering::Relaxed);
        let mut generator = Generator::of(number);
        let mutant = if generator.chance(3) {
            seeds[generator.below(seeds.len())].clone()
        } else {
            mutate(&mut generator, &seeds)
        };
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| try_mutant(number, &mutant))) {
            Ok(was_refused) => refused += u64::from(was_refused),
            Err(_) => failed.push(format!("mutant {number} panics")),
        }
        let taken = start.elapsed();
        if taken > Duration::from_secs(20) {
            failed.push(format!("mutant {number} takes {taken:?}"));
        }
        if alone {
            fs::write(directory.join("mutant.bc"), &mutant).unwrap();
            eprintln!("{}", directory.display());
        }
    }
    eprintln!("{refused} of {count} were refused");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    // Both happen often, or the mutants are of no use.
    assert!(
        alone || refused > count / 10 && refused < count,
        "{refused} of {count} were refused"
    );
    if !alone {
        fs::remove_dir_all(directory).unwrap();
    }
}

#[test]
fn every_truncation_is_an_error() {
    let directory = scratch("truncations");
    let seed = rust_seeds(&directory).swap_remove(2);
    let step = 1 + seed.len() / 4000;
    // Names come last; up to them something always is missing.
    for length in (0..seed.len() / 2).step_by(step) {
        assert!(
            read_file("cut", &seed[..length]).is_err(),
            "{length} bytes of {}",
            seed.len()
        );
    }
    fs::remove_dir_all(directory).unwrap();
}

/// Writes a bitstream without abbreviations.
#[derive(Default)]
struct Writer {
    bits: Vec<bool>,
    /// Where each open block's length is.
    open: Vec<usize>,
}

impl Writer {
    fn fixed(&mut self, value: u64, width: u32) {
        self.bits
            .extend((0..width).map(|bit| value >> bit & 1 == 1));
    }

    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        let length = self.bits.len().next_multiple_of(32);
        self.bits.resize(length, false);
    }

    /// Identifiers take three bits within blocks, two outside of all.
    fn id(&mut self, id: u64) {
        self.fixed(id, if self.open.is_empty() { 2 } else { 3 });
    }

    fn enter(&mut self, block: u64) {
        self.id(1);
        self.vbr(block, 8);
        self.vbr(3, 4);
        self.align();
        self.open.push(self.bits.len());
        self.fixed(0, 32);
    }

    fn end(&mut self) {
        self.id(0);
        self.align();
        let at = self.open.pop().unwrap();
        let words = (self.bits.len() - at) / 32 - 1;
        for bit in 0..32 {
            self.bits[at + bit] = words >> bit & 1 == 1;
        }
    }

    fn record(&mut self, code: u64, ops: &[u64]) {
        self.id(3);
        self.vbr(code, 6);
        self.vbr(ops.len() as u64, 6);
        for &op in ops {
            self.vbr(op, 6);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            bits.iter()
                .rev()
                .fold(0, |byte, &bit| byte << 1 | u8::from(bit))
        };
        self.bits.chunks(8).map(byte).collect()
    }
}

const MODULE: u64 = 8;
const FUNCTION: u64 = 12;
const SYMBOL_NAMES: u64 = 14;
const TYPES: u64 = 17;

/// A module with one function; `extra` adds to its body, `types` to its types (0 is i32, 1 the function's).
fn handmade(types: &dyn Fn(&mut Writer), extra: &dyn Fn(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.fixed(0xdec0_4342, 32);
    writer.enter(MODULE);
    writer.record(1, &[1]);
    writer.enter(TYPES);
    writer.record(7, &[32]);
    writer.record(21, &[0, 0, 0]);
    types(&mut writer);
    writer.end();
    writer.record(8, &[1, 0, 0, 0, 0, 0, 0, 0]);
    writer.enter(FUNCTION);
    writer.record(1, &[1]);
    extra(&mut writer);
    writer.record(10, &[1]);
    writer.end();
    writer.enter(SYMBOL_NAMES);
    writer.record(1, &[0, u64::from(b'o'), u64::from(b'l'), u64::from(b'd')]);
    writer.end();
    writer.end();
    writer.bytes()
}

#[test]
fn names_of_before_the_string_table() {
    let bytes = handmade(&|_| {}, &|_| {});
    let module = refrain_llvm::bitcode::read_module("old", &bytes).unwrap();
    assert_eq!(module.symbols[0].name, "old");
    assert!(!module.symbols[0].is_declaration());
}

#[test]
fn what_means_nothing_is_refused() {
    let refused = |types: &dyn Fn(&mut Writer), extra: &dyn Fn(&mut Writer), expected: &str| {
        let error = read_file("bad", &handmade(types, extra))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    let none = |_: &mut Writer| {};
    refused(&none, &|writer| writer.record(99, &[]), "bad record 99");
    refused(
        &none,
        &|writer| writer.record(15, &[]),
        "outside of every block",
    );
    refused(
        &none,
        &|writer| writer.record(2, &[1, 77, 0]),
        "a value that it never defines",
    );
    // An addition of its own result, and of a later one.
    refused(
        &none,
        &|writer| writer.record(2, &[1, 0, 0]),
        "may not be defined",
    );
    refused(&none, &|writer| writer.record(11, &[3]), "no block 3");
    refused(
        &none,
        &|writer| writer.record(20, &[1, 0, 0, 0]),
        "through no pointer",
    );
    refused(
        &|writer| writer.record(18, &[0, 2]),
        &none,
        "contains itself",
    );
    refused(
        &|writer| writer.record(11, &[3, 9]),
        &none,
        "there is no type 9",
    );
    refused(
        &|writer| writer.record(12, &[1 << 20, 0]),
        &none,
        "a vector of 1048576 elements",
    );
    refused(&|writer| writer.record(7, &[1 << 40]), &none, "bits");
    // Each structure holds the one before it twice.
    let doubling = |writer: &mut Writer| {
        for inner in 1..60 {
            writer.record(
                18,
                &[
                    0,
                    if inner == 1 { 0 } else { inner },
                    if inner == 1 { 0 } else { inner },
                ],
            );
        }
    };
    refused(&doubling, &none, "nested beyond reason");
    let deep = |writer: &mut Writer| {
        for inner in 1..1000 {
            writer.record(11, &[1, if inner == 1 { 0 } else { inner }]);
        }
    };
    refused(&deep, &none, "nested beyond reason");
}

/// What a program may ask for and no machine has.
const GREEDY: &[&str] = &[
    r#"#include <stdio.h>
    int main() { return printf("%2000000000d", 1); }"#,
    r#"#include <stdio.h>
    int main() { return printf("%.2000000000f %.2000000000d", 1.5, 3); }"#,
    r#"#include <stdio.h>
    int main() { char b[9]; return snprintf(b, 9, "%*d", 0x7fffffff, 1) + snprintf(b, 9, "%.*Lf", 0x7ffffff0, 1.5L); }"#,
    r#"#include <stdlib.h>
    #include <string.h>
    int main() { char *p = malloc(1ul << 39); memset(p, 1, 1ul << 39); return p[5]; }"#,
    r#"#include <stdlib.h>
    #include <string.h>
    int main() { char *p = calloc(1ul << 20, 1ul << 19); return strlen(p + 1) + memcmp(p, p + 4096, 1ul << 38); }"#,
    r#"#include <stdlib.h>
    #include <string.h>
    int main() { char *p = malloc(1ul << 39); memset(p, 0, 1ul << 38); memcpy(p + (1ul << 38), p, 1ul << 38); return p[1]; }"#,
    r#"#include <stdlib.h>
    int main() { char *p = malloc(1ul << 38); p[9] = 1; p = realloc(p, 1ul << 39); p[1ul << 38] = 1; return p[9]; }"#,
    r#"#include <stdlib.h>
    int main() { for (;;) { long *p = malloc(1ul << 20); p[7] = 1; } }"#,
    r#"#include <unistd.h>
    #include <stdlib.h>
    int main() { char *p = calloc(1ul << 39, 1); return write(1, p, 1ul << 38) + read(0, p, 1ul << 38); }"#,
    r#"char big[1ul << 39] = { 1 }; struct { int a; char b[1ul << 38]; int c; } more = { 1, { 0 }, 2 };
    int main() { return big[0] + more.c; }"#,
    r#"int main() { char here[1ul << 38]; here[5] = 1; return here[5]; }"#,
    r#"int f(int n); int g(int n) { return f(n) + f(n - 1); } int f(int n) { return n > 0 ? g(n - 1) : 1; } int main() { return f(100); }"#,
    r#"#include <setjmp.h>
    jmp_buf b; int main() { setjmp(b); longjmp(b, 1); }"#,
    r#"int main() { __int128 x = 5; again: switch (x) { case 5: goto again; case 6: return 1; } return 0; }"#,
    r#"#define A(n, m) static int n(void) { return m() + m(); }
    static int a(void) { return 1; } A(b, a) A(c, b) A(d, c) A(e, d) A(f, e) A(g, f) A(h, g) A(i, h) A(j, i) A(k, j) A(l, k) A(m, l) A(n, m)
    A(o, n) A(p, o) A(q, p) A(r, q) A(s, r) A(t, s) A(u, t) A(v, u) A(w, v) A(x, w) A(y, x) A(z, y) A(aa, z) A(bb, aa) A(cc, bb) A(dd, cc)
    A(ee, dd) A(ff, ee) A(gg, ff) A(hh, gg) A(ii, hh) int main() { return ii(); }"#,
];

#[test]
fn greedy_programs_end() {
    let directory = scratch("greedy");
    for (number, text) in GREEDY.iter().enumerate() {
        let (source, output) = (directory.join("greedy.c"), directory.join("greedy.bc"));
        fs::write(&source, text).unwrap();
        compile("clang-19", "-O0", &source, &output);
        let bytes = fs::read(&output).unwrap();
        let start = Instant::now();
        let program = program::assemble([("greedy", &bytes[..])], &[])
            .unwrap()
            .program;
        let (mut machine, mut state) =
            match Machine::new(program, Options::default(), Box::new(Detached)) {
                Ok(loaded) => loaded,
                // A variable bigger than all memory.
                Err(_) => continue,
            };
        machine.start(&mut state, "main", &[], &[]).unwrap();
        let stop = machine.run(&mut Terms::new(), &mut state, 200_000);
        let taken = start.elapsed();
        assert!(!matches!(stop, Stop::Ask(_)), "{text}: {stop:?}");
        assert!(
            taken < Duration::from_secs(20),
            "{number} takes {taken:?}: {text}"
        );
    }
    fs::remove_dir_all(directory).unwrap();
}
