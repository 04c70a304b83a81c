//! Every question has a point of its own, and it is that of the instruction that asks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use refrain_llvm::ir::{
    BinaryOp, Body, Callee, ConstKind, Inst, InstKind, Module, Operand, SymbolKind,
};
use refrain_llvm::load::FunctionKind;
use refrain_llvm::machine::{Machine, State};
use refrain_llvm::memory::Site;
use refrain_machine::{Answer, Ask, Machine as _, Stop};
use refrain_term::{Assignment, Bv, Evaluator, Terms};
use refrain_testing::Random;

use super::build::{compile, compile_file, load};

const CLANG: &str = "clang-19";

/// The name of a called function, if it is known.
fn callee<'m>(module: &'m Module, kind: &InstKind) -> Option<&'m str> {
    let (InstKind::Call(call) | InstKind::Invoke { call, .. }) = kind else {
        return None;
    };
    let Callee::Value(Operand::Const(id)) = call.callee else {
        return None;
    };
    match module.constants[id.0 as usize].kind {
        ConstKind::Symbol(symbol) => Some(&module.symbols[symbol.0 as usize].name),
        _ => None,
    }
}

fn body_of(machine: &Machine, function: u32) -> (&Module, &Body) {
    let linked = machine.linked();
    let function = &linked.functions[function as usize];
    let module = &linked.program.modules[function.module];
    let SymbolKind::Function(code) = &module.symbols[function.symbol.0 as usize].kind else {
        panic!("{} is no function", function.name);
    };
    (module, code.body.as_ref().expect("a body"))
}

/// The instructions of a block that are not for debuggers.
fn instructions<'m>(module: &Module, body: &'m Body, block: u32) -> Vec<&'m Inst> {
    let is_code = |inst: &&Inst| {
        !callee(module, &inst.kind).is_some_and(|name| name.starts_with("llvm.dbg."))
    };
    let insts = body.blocks[block as usize].insts.iter();
    insts.filter(is_code).collect()
}

/// What asked, in words.
fn words(module: &Module, kind: &InstKind) -> Option<String> {
    Some(match kind {
        InstKind::CondBr { .. } => "branch".into(),
        InstKind::Switch { .. } => "switch".into(),
        InstKind::Load { .. } => "load".into(),
        InstKind::Store { .. } => "store".into(),
        InstKind::Alloca { .. } => "alloca".into(),
        InstKind::Ret(_) => "return".into(),
        InstKind::Binary {
            op: BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem,
            ..
        } => "division".into(),
        InstKind::Call(_) | InstKind::Invoke { .. } => {
            let name = callee(module, kind).unwrap_or("a pointer");
            format!("call of {name}")
        }
        _ => return None,
    })
}

/// Functions and program counters.
type Sites = BTreeSet<(u32, u32)>;

/// A state follows one input: a byte of it has the value that the seed gives it. Returns where it asked.
fn asked(machine: &mut Machine, terms: &mut Terms, pristine: &mut State, seed: u64) -> Sites {
    const MOST: usize = 400;
    let mut state = machine.fork(pristine);
    let started = machine.start(&mut state, "main", &[b"program".to_vec()], &[]);
    started.expect("a main function");
    let mut sites = BTreeSet::new();
    let mut random = Random::new(seed);
    let mut input = Assignment::new();
    for _ in 0..MOST {
        let Stop::Ask(ask) = machine.run(terms, &mut state, 1_000_000) else {
            break;
        };
        let Site { function, pc } = state.site();
        sites.insert((function, pc));
        let inputs = state.inputs.iter();
        for &byte in inputs.flat_map(|(id, _)| machine.inputs().elements(id)) {
            let refrain_term::Op::Var(byte) = terms.op(byte) else {
                continue;
            };
            if input.get(byte).is_none() {
                // Small numbers lead further, and text is mostly letters.
                let (small, short, any) = (random.below(16), random.below(128), random.below(256));
                let value = random.pick(&[small, short, any, 97]);
                input.set(byte, Bv::new(8, value));
            }
        }
        let mut evaluator = Evaluator::new();
        let answer = match ask {
            Ask::Choose(conditions) => {
                let holds = |&condition: &_| evaluator.bool(terms, &input, condition);
                Answer::Choice(conditions.iter().position(holds).unwrap_or(0) as u32)
            }
            Ask::Assume(condition) => {
                Answer::Choice(u32::from(!evaluator.bool(terms, &input, condition)))
            }
            Ask::Fix(term) | Ask::Witness(term) | Ask::Sample(term) => {
                Answer::Value(evaluator.value(terms, &input, term))
            }
        };
        machine.answer(&mut state, &answer);
    }
    sites
}

const QUESTIONS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *, unsigned long, const char *);
char *escaped;
static int table[64] = {3, 1, 4, 1, 5};
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int (*const both[32])(int) = {[0 ... 15] = one, [16 ... 31] = two};
int divided(int a, int b) { return 100 / a + (unsigned)a % (unsigned)b; }
int main(void) {
    unsigned char x[8]; char text[4];
    klee_make_symbolic(x, sizeof x, "x");
    klee_make_symbolic(text, sizeof text, "text");
    text[3] = 0;
    int sum = 0;
    if (x[0] > 3) { sum++; puts("more"); }
    if (x[0] > 3 && x[1] < 7) sum += 2;
    switch (x[2]) { case 1: sum += 3; break; case 2: sum--; break; case 9: sum += 10; }
    sum += table[x[3] & 63];
    table[x[4] & 63] = sum;
    sum += divided((signed char)x[5], x[6]);
    sum += both[x[7] & 31](sum);
    char *room = malloc(x[0]);
    printf("%d\n", sum);
    sum += strlen(text);
    char many[x[1] + 1];
    many[0] = sum;
    escaped = room;
    return sum + many[0];
}
"#;

#[test]
fn points_are_at_the_instructions_that_ask() {
    for options in ["-O0", "-O0 -g", "-O1"] {
        let bitcode = compile(CLANG, options, "program.c", QUESTIONS);
        let (mut machine, mut state) = load(&[("program.bc", &bitcode)]);
        let mut sites = BTreeSet::new();
        // One arena: states that come from one share what they know of unchanged objects.
        let mut terms = Terms::new();
        for seed in 0..40 {
            sites.extend(asked(&mut machine, &mut terms, &mut state, seed));
        }
        let mut askers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut points = BTreeSet::new();
        for (function, pc) in sites {
            let site = Site { function, pc };
            let point = machine.point_of(site);
            assert!(points.insert(point), "{options}: {point:?} twice");
            let code = machine.linked().code(site.function).expect("code that ran");
            assert!(code.can_ask(site.pc), "{:?}", code.instrs[site.pc as usize]);
            let (module, body) = body_of(&machine, site.function);
            let insts = instructions(module, body, point.block);
            let kind = &insts[point.instruction as usize].kind;
            let words = words(module, kind).unwrap_or_else(|| panic!("{options}: {kind:?} asks"));
            let described = machine.describe(point);
            assert_ne!(described.block_hash, 0);
            askers.entry(described.symbol).or_default().insert(words);
        }
        let by = |function: &str| askers.get(function).cloned().unwrap_or_default();
        let main = by("main");
        for wanted in [
            "branch",
            "switch",
            "load",
            "store",
            "call of a pointer",
            "call of malloc",
        ] {
            assert!(main.contains(wanted), "{options}: no {wanted} in {main:?}");
        }
        let divisions = match options {
            "-O1" => main,
            _ => by("divided"),
        };
        assert!(divisions.contains("division"), "{options}: {divisions:?}");
        assert!(by("strlen").contains("branch"), "{options}: {askers:?}");
    }
}

/// Where an instruction becomes several that ask: wide numbers, structures, vectors, atomics.
const ODD_QUESTIONS: &str = r#"
#include <stdarg.h>
void klee_make_symbolic(void *, unsigned long, const char *);
typedef int four __attribute__((vector_size(16)));
struct parts { long a, b; };
static struct parts all[64];
static struct parts part(struct parts *from, unsigned at) { return from[at & 63]; }
static int counters[256];
static int second(int n, ...) {
    va_list list; va_start(list, n); va_arg(list, int); int r = va_arg(list, int); va_end(list); return r;
}
int main(void) {
    unsigned char x[8];
    klee_make_symbolic(x, sizeof x, "x");
    __int128 wide = (__int128)x[0] << 70 | x[1];
    int sum = (int)(wide / ((__int128)x[2] + 1)) + (int)(wide % (x[3] | 1));
    four lanes = {1, 2, x[4], 4};
    sum += lanes[x[5] & 3];
    lanes[x[6] & 3] = sum;
    four *vectors = (four *)counters;
    vectors[x[7] & 31] += lanes;
    sum += __atomic_fetch_add(&counters[x[0] & 127], 3, __ATOMIC_SEQ_CST);
    int expected = 3;
    sum += __atomic_compare_exchange_n(&counters[x[1] & 127], &expected, x[2], 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    struct parts got = part(all, x[3]);
    all[x[4] & 63] = got;
    switch (wide) { case 1: sum++; break; case (__int128)1 << 70: sum += 2; }
    return sum + second(2, 1, x[5]) / (x[6] - 1) + (got.a == x[7]);
}
"#;

/// Follows some inputs of a program: every question is one that was expected, at a point of its own.
fn follow(what: &str, bitcode: &[u8], seeds: u64) -> usize {
    let (mut machine, mut state) = load(&[("program.bc", bitcode)]);
    let (mut terms, mut sites) = (Terms::new(), Sites::new());
    for seed in 0..seeds {
        sites.extend(asked(&mut machine, &mut terms, &mut state, seed));
    }
    let mut points = BTreeSet::new();
    for &(function, pc) in &sites {
        let code = machine.linked().code(function).expect("code that ran");
        let instr = code.instrs[pc as usize];
        assert!(code.can_ask(pc), "{what}: {instr:?} asks");
        let point = machine.point_of(Site { function, pc });
        assert!(points.insert(point), "{what}: {point:?} twice");
    }
    sites.len()
}

#[test]
fn questions_that_are_asked_have_points_of_their_own() {
    for level in ["-O0", "-O1", "-O2"] {
        let bitcode = compile(CLANG, level, "program.c", ODD_QUESTIONS);
        let count = follow(level, &bitcode, 40);
        assert!(count >= 8, "{level}: {count}");
        for file in files("examples/explore", &["c"]) {
            let (folder, name) = (file.parent().expect("a folder"), file.file_name());
            let options = with_headers(level);
            let bitcode = compile_file(CLANG, &options, folder, name.expect("a name"));
            let count = follow(&format!("{} {level}", file.display()), &bitcode, 4);
            assert!(count > 0, "{} {level}", file.display());
        }
    }
}

/// The points of all instructions of a program's functions that can ask are different.
fn check(what: &str, bitcode: &[u8], library: bool) -> usize {
    let (machine, _) = load(&[("program.bc", bitcode)]);
    let linked = machine.linked();
    let mut symbols = BTreeSet::new();
    let mut count = 0;
    for function in 0..linked.functions.len() as u32 {
        let entry = &linked.functions[function as usize];
        let is_code = matches!(entry.kind, FunctionKind::Code);
        if !is_code || linked.is_library(entry.module) != library {
            continue;
        }
        let symbol = linked.lasting_symbol(function);
        assert!(symbols.insert(symbol), "{what}: two functions {symbol}");
        let Ok(code) = linked.code(function) else {
            continue;
        };
        let mut points = BTreeSet::new();
        for pc in (0..code.instrs.len() as u32).filter(|&pc| code.can_ask(pc)) {
            let point = machine.point_of(Site { function, pc });
            assert!(points.insert(point), "{what}: {symbol} at {pc}: {point:?}");
        }
        // What lies in no block's own code is before or behind it.
        let (_, body) = body_of(&machine, function);
        for pc in 0..code.instrs.len() as u32 {
            let point = machine.point_of(Site { function, pc });
            assert!((point.block as usize) < body.blocks.len());
        }
        count += points.len();
    }
    count
}

fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = std::fs::read_dir(&folder).expect("programs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    let is_wanted = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| endings.contains(&ending))
    };
    files.retain(is_wanted);
    files.sort();
    files
}

/// Options for C, with the headers of our own.
fn with_headers(level: &str) -> String {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compile/include");
    format!("{level} -I{}", include.display())
}

const FOLDERS: [&str; 7] = [
    "tests/programs/c",
    "tests/programs/cpp",
    "tests/programs/rust",
    "tests/programs/errors",
    "tests/programs/paths",
    "examples/explore",
    "examples/run",
];

#[test]
fn questions_of_programs_have_points_of_their_own() {
    let mut count = 0;
    for folder in FOLDERS {
        let sources = [("c", CLANG), ("cpp", CLANG), ("rs", "rustc")];
        for (ending, compiler) in sources {
            let files = files(folder, &[ending]);
            if files.is_empty() {
                continue;
            }
            let options = match ending {
                "c" => vec![with_headers("-O0"), with_headers("-O1")],
                "cpp" => vec![with_headers("-O1 -std=c++17")],
                _ => vec!["-Copt-level=1 -Coverflow-checks=on -Awarnings".to_string()],
            };
            for file in files {
                let (folder, name) = (file.parent().expect("a folder"), file.file_name());
                for options in &options {
                    let bitcode = compile_file(compiler, options, folder, name.expect("a name"));
                    count += check(&format!("{} {options}", file.display()), &bitcode, false);
                }
            }
        }
    }
    assert!(count > 1000, "{count} points");
}

#[test]
fn questions_of_the_library_have_points_of_their_own() {
    let bitcode = compile(CLANG, "-O0", "program.c", QUESTIONS);
    assert!(check("the library", &bitcode, true) > 1000);
}
