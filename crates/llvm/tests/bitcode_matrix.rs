//! The reader on what compilers write: every version and level of optimization, compared with what LLVM's own
//! disassembler shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use refrain_llvm::bitcode::{ReadError, read_file, read_module};
use refrain_llvm::ir::*;
use refrain_llvm::link::{Resolved, link};

const CLANGS: [u32; 3] = [14, 16, 19];

const C_SOURCE: &str = r#"#include <stdarg.h>
struct big { long x[8]; };
struct mixed { int a; char b[13]; double d; };
static int counter;
int tentative;
extern int maybe __attribute__((weak));
__thread int own;
static const char *names[] = {"a", "bc", "def"};
int sum(struct big b, struct mixed *s) {
    int total = 0;
    for (int i = 0; i < 8; i++) total += b.x[i];
    return total + s->a + s->b[3];
}
long double longer(long double x) { return x * 1.5L; }
int variadic(int n, ...) {
    va_list list; va_start(list, n);
    int total = 0;
    while (n--) total += va_arg(list, int);
    va_end(list);
    return total;
}
int cases(int x) {
    switch (x) { case 1: return 5; case 2: return 9; case 77: return counter++; case 1000: return -1; default: return 0; }
}
void *computed(int x) {
    static void *table[] = {&&a, &&b, &&c};
    goto *table[x];
a: return names;
b: counter = 3;
c: return &counter;
}
int atomics(int *p, int v) {
    int expected = 3;
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST) + __atomic_load_n(p, __ATOMIC_ACQUIRE) + expected;
}
__int128 wide(__int128 a) { return a * (((__int128)1 << 100) - 7); }
typedef int vec __attribute__((vector_size(16)));
vec vectors(vec a, vec b) { return __builtin_shufflevector(a, b, 0, 5, 2, 7) * a + (a < b) * 3; }
int assembly(int a) { int r; __asm__ volatile("addl %1,%0" : "=r"(r) : "r"(a), "0"(1)); return r; }
int (*pointer)(int) = cases;
__attribute__((weak)) int weakly(void) { return 1; }
extern int other(int) __attribute__((alias("cases")));
float floats(float a, double b) { return -a < b ? (float)(unsigned)a : (float)(long)b; }
extern int elsewhere(struct big);
int main(int argc, char **argv) {
    struct big b = {{1, 2, 3}};
    struct mixed s = {1, "hi", 2.0};
    return elsewhere(b) + sum(b, &s) + variadic(3, 1, 2, 3) + pointer(argc) + weakly() + other(2) + own + (&maybe != 0);
}
"#;

const CPP_SOURCE: &str = r#"#include <exception>
#include <new>
struct base { virtual ~base() {} virtual int f() { return 1; } int z = 0; };
struct derived : virtual base { int f() override { return 2; } };
struct error : std::exception { int code; error(int c) : code(c) {} };
int thrower(int x) { if (x > 3) throw error(x); if (x > 2) throw 5; return x; }
int catcher(int x) {
    base local;
    try { return thrower(x) + local.f(); }
    catch (const error &e) { return e.code; }
    catch (int i) { return i; }
}
void never() noexcept { thrower(9); }
inline int initialized() { static int q = thrower(1); return q; }
template <class T> T twice(T a) { return a + a; }
int global = thrower(2);
int main() { base *b = new derived; int r = catcher(1) + initialized() + twice(3) + twice(2L) + b->f(); delete b; return r; }
"#;

const RUST_SOURCE: &str = r#"
use std::collections::BTreeMap;
#[inline(never)]
fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
fn parse(s: &str) -> Result<i32, std::num::ParseIntError> { s.trim().parse::<i32>() }
#[unsafe(no_mangle)]
pub extern "C" fn exported(value: i32) -> i32 { value.wrapping_mul(3) }
fn main() {
    let mut map: BTreeMap<String, u64> = BTreeMap::new();
    for argument in std::env::args() { map.insert(argument.clone(), fib(argument.len() as u64)); }
    let shown: Vec<_> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
    println!("{shown:?} {:?}", parse("12"));
    let result = std::panic::catch_unwind(|| { if shown.len() > 100 { panic!("too many") } 3 });
    std::process::exit(result.unwrap_or(1) + exported(0));
}
"#;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let directory = std::env::temp_dir().join(format!("refrain-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        Scratch(directory)
    }

    fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; `cargo xtask install` gets it"));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {message}"
    );
}

fn compile(clang: u32, options: &[&str], source: &Path, output: &Path) {
    let mut arguments = vec!["-c", "-emit-llvm", "-w"];
    arguments.extend(options);
    arguments.extend([source.to_str().unwrap(), "-o", output.to_str().unwrap()]);
    run(&format!("clang-{clang}"), &arguments);
}

fn read(path: &Path) -> Module {
    read_module(path.to_str().unwrap(), &fs::read(path).unwrap())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// How many blocks and instructions every defined function has.
type Counts = BTreeMap<String, (usize, usize)>;

fn counts_of(module: &Module) -> Counts {
    let bodies = module
        .symbols
        .iter()
        .filter_map(|symbol| match &symbol.kind {
            SymbolKind::Function(function) => function
                .body
                .as_ref()
                .map(|body| (symbol.name.clone(), body)),
            _ => None,
        });
    bodies
        .map(|(name, body)| {
            let insts = body.blocks.iter().map(|block| block.insts.len()).sum();
            (name, (body.blocks.len(), insts))
        })
        .collect()
}

/// The same, from LLVM assembly.
fn counts_in(text: &str) -> Counts {
    let mut counts = Counts::new();
    let mut current: Option<(String, usize, usize)> = None;
    let mut in_switch = false;
    for line in text.lines() {
        if line.starts_with("define ") {
            let name = line.split_once('@').unwrap().1;
            let name = match name.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap().0,
                None => name.split_once('(').unwrap().0,
            };
            current = Some((name.to_string(), 0, 0));
            continue;
        }
        let Some((name, blocks, insts)) = &mut current else {
            continue;
        };
        let code = line.trim_start();
        if line.starts_with('}') {
            counts.insert(name.clone(), (*blocks, *insts));
            current = None;
        } else if code.is_empty() || code.starts_with(';') || code.starts_with("#dbg_") {
        } else if !line.starts_with(' ') {
            *blocks += 1;
        } else if in_switch {
            in_switch = !code.starts_with(']');
        } else if line.starts_with("  ") && !line.starts_with("   ") {
            // The first block has no label where it has no name.
            *blocks = (*blocks).max(1);
            *insts += 1;
            in_switch = code.starts_with("switch ") && code.trim_end().ends_with('[');
        }
    }
    counts
}

fn disassembled(clang: u32, path: &Path) -> String {
    let output = Command::new(format!("llvm-dis-{clang}"))
        .arg(path)
        .args(["-o", "-"])
        .output()
        .expect("llvm-dis; `cargo xtask install` gets it");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compares a file with what the disassembler of its compiler says.
fn compare(clang: u32, path: &Path) -> Module {
    let module = read(path);
    let expected = counts_in(&disassembled(clang, path));
    assert!(!expected.is_empty());
    assert_eq!(counts_of(&module), expected, "{}", path.display());
    module
}

fn symbol<'m>(module: &'m Module, name: &str) -> &'m Symbol {
    let found = module.symbols.iter().find(|symbol| symbol.name == name);
    found.unwrap_or_else(|| panic!("{}: no symbol `{name}`", module.name))
}

fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    match &symbol(module, name).kind {
        SymbolKind::Function(function) => function,
        other => panic!("`{name}` is {other:?}"),
    }
}

fn body<'m>(module: &'m Module, name: &str) -> &'m Body {
    function(module, name).body.as_ref().unwrap()
}

fn insts(body: &Body) -> impl Iterator<Item = &Inst> {
    body.blocks.iter().flat_map(|block| &block.insts)
}

fn line_of(source: &str, part: &str) -> u32 {
    1 + source.lines().position(|line| line.contains(part)).unwrap() as u32
}

/// Every combination of optimization and debug information.
fn options() -> Vec<(String, Vec<&'static str>)> {
    let mut all = Vec::new();
    for level in ["-O0", "-O1", "-O2"] {
        all.push((level.to_string(), vec![level]));
        all.push((format!("{level}-g"), vec![level, "-g"]));
    }
    all
}

#[test]
fn c_of_every_compiler() {
    let scratch = Scratch::new("matrix-c");
    let source = scratch.file("source.c", C_SOURCE);
    for clang in CLANGS {
        for (name, options) in options() {
            let output = scratch.0.join(format!("c-{clang}{name}.bc"));
            compile(clang, &options, &source, &output);
            let module = compare(clang, &output);
            check_c(&module, options.contains(&"-O0"), options.contains(&"-g"));
        }
    }
}

fn check_c(module: &Module, plain: bool, debug: bool) {
    assert!(module.source_file.ends_with("source.c"));
    assert!(module.triple.contains("x86_64") || module.triple.contains("aarch64"));
    let linkages = [
        ("main", Linkage::External),
        ("weakly", Linkage::WeakAny),
        ("maybe", Linkage::ExternWeak),
        ("counter", Linkage::Internal),
        ("elsewhere", Linkage::External),
        ("other", Linkage::External),
    ];
    for (name, linkage) in linkages {
        assert_eq!(symbol(module, name).linkage, linkage, "{name}");
    }
    assert!(symbol(module, "elsewhere").is_declaration());
    assert!(matches!(symbol(module, "other").kind, SymbolKind::Alias(_)));
    let SymbolKind::Variable(own) = &symbol(module, "own").kind else {
        panic!();
    };
    assert!(own.thread_local && !own.constant);

    // The structure goes by value, and says so on both sides.
    let by_value = function(module, "sum").params[0]
        .by_value
        .expect("`sum` takes its structure by value");
    assert_eq!(module.layout.size(&module.types, by_value), 64);
    let calls = insts(body(module, "main")).filter_map(|inst| match &inst.kind {
        InstKind::Call(call) => Some(call),
        _ => None,
    });
    let passed: Vec<&Call> = calls
        .filter(|call| call.by_value.first().is_some_and(Option::is_some))
        .collect();
    assert!(!passed.is_empty());

    let has = |name: &str, wanted: fn(&InstKind) -> bool| {
        insts(body(module, name)).any(|inst| wanted(&inst.kind))
    };
    assert!(has("atomics", |kind| matches!(
        kind,
        InstKind::CmpXchg { .. }
    )));
    assert!(has("atomics", |kind| matches!(
        kind,
        InstKind::AtomicRmw { op: RmwOp::Add, .. }
    )));
    assert!(has("atomics", |kind| matches!(kind, InstKind::Fence)));
    assert!(has("assembly", |kind| {
        matches!(kind, InstKind::Call(Call { callee: Callee::Asm(asm), .. }) if asm.text.contains("addl") && asm.side_effects)
    }));
    assert!(has(
        "computed",
        |kind| matches!(kind, InstKind::IndirectBr { targets, .. } if targets.len() == 3)
    ));
    if plain {
        let switch =
            |kind: &InstKind| matches!(kind, InstKind::Switch { cases, .. } if cases.len() == 4);
        assert!(has("cases", switch));
        assert!(has(
            "sum",
            |kind| matches!(kind, InstKind::Binary { wrap, .. } if wrap.no_signed)
        ));
        assert!(has(
            "vectors",
            |kind| matches!(kind, InstKind::Shuffle { mask, .. } if *mask == [0, 5, 2, 7])
        ));
    }
    // 2^100 - 7, of 128 bits.
    let factor = [(-7i64) as u64, (1 << 36) - 1];
    assert!(
        module
            .constants
            .iter()
            .any(|constant| matches!(&constant.kind, ConstKind::Wide(words) if *words == factor))
    );
    // 1.5 in the format with an explicit leading bit.
    let extended = 0x3fff_c000_0000_0000_0000;
    assert!(
        module.constants.iter().any(|constant| {
            matches!(constant.kind, ConstKind::Float(bits) if bits == extended)
                && *module.types.get(constant.ty) == Type::X86Fp80
        }) || !module.triple.contains("x86_64")
    );
    assert!(
        module
            .constants
            .iter()
            .any(|constant| matches!(&constant.kind, ConstKind::Data(data) if data == b"def\0"))
    );
    if debug {
        check_c_debug(module, plain);
    }
}

fn check_c_debug(module: &Module, plain: bool) {
    let scope = function(module, "variadic")
        .debug
        .expect("`variadic` has a scope");
    let scope = &module.debug.scopes[scope.0 as usize];
    assert_eq!(scope.name, "variadic");
    assert!(scope.file.ends_with("/source.c"), "{}", scope.file);
    assert_eq!(scope.line, line_of(C_SOURCE, "int variadic"));
    let fence = insts(body(module, "atomics"))
        .find(|inst| matches!(inst.kind, InstKind::Fence))
        .unwrap();
    let location = module.debug.locations[fence.loc.0 as usize];
    assert_eq!(location.line, line_of(C_SOURCE, "__atomic_thread_fence"));
    let scope = &module.debug.scopes[location.scope.unwrap().0 as usize];
    assert_eq!(
        (scope.name.as_str(), location.inlined_at),
        ("atomics", LocId(0))
    );
    if plain {
        let names: Vec<&str> = body(module, "sum")
            .variables
            .iter()
            .map(|(_, name)| name.as_str())
            .collect();
        for name in ["s", "total", "i"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
    }
}

#[test]
fn cpp_of_every_compiler() {
    let scratch = Scratch::new("matrix-cpp");
    let source = scratch.file("source.cpp", CPP_SOURCE);
    for clang in CLANGS {
        for (name, options) in options() {
            let output = scratch.0.join(format!("cpp-{clang}{name}.bc"));
            compile(clang, &options, &source, &output);
            let module = compare(clang, &output);
            let catcher = symbol(&module, "_Z7catcheri");
            let SymbolKind::Function(function) = &catcher.kind else {
                panic!();
            };
            let personality = &module.constants[function.personality.unwrap().0 as usize];
            let named =
                |id: &SymbolId| module.symbols[id.0 as usize].name == "__gxx_personality_v0";
            let is_it = match &personality.kind {
                ConstKind::Symbol(id) => named(id),
                // Typed pointers need a cast.
                ConstKind::Cast { value, .. } => {
                    matches!(&module.constants[value.0 as usize].kind, ConstKind::Symbol(id) if named(id))
                }
                _ => false,
            };
            assert!(is_it);
            let kinds: Vec<&InstKind> = insts(function.body.as_ref().unwrap())
                .map(|inst| &inst.kind)
                .collect();
            assert!(
                kinds
                    .iter()
                    .any(|kind| matches!(kind, InstKind::Invoke { .. }))
                    || !options.contains(&"-O0")
            );
            let catches = |kind: &&&InstKind| matches!(kind, InstKind::LandingPad { clauses, .. } if clauses.len() >= 2);
            assert!(kinds.iter().find(catches).is_some() || !options.contains(&"-O0"));
            let table = symbol(&module, "_ZTV7derived");
            assert_eq!(
                (table.linkage, table.comdat.as_deref()),
                (Linkage::LinkOnceOdr, Some("_ZTV7derived"))
            );
            assert_eq!(
                symbol(&module, "llvm.global_ctors").linkage,
                Linkage::Appending
            );
        }
    }
}

#[test]
fn rust_at_every_level() {
    let scratch = Scratch::new("matrix-rust");
    let source = scratch.file("source.rs", RUST_SOURCE);
    let source = source.to_str().unwrap();
    for level in ["0", "1", "2", "3"] {
        for debug in [false, true] {
            let name = format!("rust{level}{debug}");
            let base = scratch.0.join(&name);
            let level = format!("-Copt-level={level}");
            let mut arguments = vec![
                "--edition=2024",
                "--emit=llvm-bc,llvm-ir",
                "-Ccodegen-units=1",
                &level,
                source,
            ];
            if debug {
                arguments.push("-g");
            }
            arguments.extend(["-o", base.to_str().unwrap()]);
            run("rustc", &arguments);
            let module = read(&base.with_extension("bc"));
            let text = fs::read_to_string(base.with_extension("ll")).unwrap();
            assert_eq!(counts_of(&module), counts_in(&text), "{name}");
            let exported = function(&module, "exported");
            assert_eq!(symbol(&module, "exported").linkage, Linkage::External);
            if debug {
                let scope = &module.debug.scopes[exported.debug.unwrap().0 as usize];
                assert_eq!(
                    (scope.name.as_str(), scope.line),
                    ("exported", line_of(RUST_SOURCE, "fn exported"))
                );
            }
            if debug && level.ends_with('0') {
                let names = &body(&module, "exported").variables;
                assert!(names.iter().any(|(_, name)| name == "value"), "{names:?}");
            }
            if debug && level.ends_with('3') {
                let inlined = |location: &&Location| {
                    location.inlined_at != LocId(0) && location.scope.is_some()
                };
                assert!(module.debug.locations.iter().find(inlined).is_some());
            }
        }
    }
}

#[test]
fn rust_with_all_of_its_library() {
    let scratch = Scratch::new("matrix-lto");
    let source = scratch.file("source.rs", RUST_SOURCE);
    let base = scratch.0.join("whole");
    let options = [
        "-Clto=fat",
        "-Cpanic=abort",
        "-Ccodegen-units=1",
        "-Copt-level=2",
    ];
    let mut arguments = vec![
        "--edition=2024",
        "--emit=llvm-bc,llvm-ir,link",
        source.to_str().unwrap(),
    ];
    arguments.extend(options);
    arguments.extend(["-o", base.to_str().unwrap()]);
    run("rustc", &arguments);
    let module = read(&base.with_extension("bc"));
    let text = fs::read_to_string(base.with_extension("ll")).unwrap();
    let counts = counts_of(&module);
    assert!(counts.len() > 100);
    assert_eq!(counts, counts_in(&text));
}

#[test]
fn modules_are_joined_by_name() {
    let scratch = Scratch::new("matrix-link");
    let first = scratch.file("first.c", "int shared(int); static int own(void) { return 1; } int main(void) { return shared(own()); }");
    let second = scratch.file(
        "second.c",
        "static int own(void) { return 2; } int shared(int x) { return x + own(); }",
    );
    for clang in CLANGS {
        let outputs = [scratch.0.join("first.bc"), scratch.0.join("second.bc")];
        compile(clang, &["-O0"], &first, &outputs[0]);
        compile(clang, &["-O0"], &second, &outputs[1]);
        let program = link(outputs.iter().map(|path| read(path)).collect()).unwrap();
        let place = |module: usize, name: &str| {
            let symbols = &program.modules[module].symbols;
            SymbolId(
                symbols
                    .iter()
                    .position(|symbol| symbol.name == name)
                    .unwrap() as u32,
            )
        };
        let shared = Resolved::Defined {
            module: 1,
            symbol: place(1, "shared"),
        };
        assert_eq!(program.resolve(0, place(0, "shared")), shared);
        for module in 0..2 {
            let own = Resolved::Defined {
                module,
                symbol: place(module, "own"),
            };
            assert_eq!(program.resolve(module, place(module, "own")), own);
        }
        assert_eq!(program.find("main"), Some((0, place(0, "main"))));
        let twice = link(vec![read(&outputs[1]), read(&outputs[1])])
            .unwrap_err()
            .to_string();
        assert!(
            twice.contains("`shared`") && twice.contains("second.bc"),
            "{twice}"
        );
    }
}

#[test]
fn archives_and_objects_with_bitcode() {
    let scratch = Scratch::new("matrix-archive");
    let source = scratch.file(
        "a_rather_long_name_of_a_file.c",
        "int shared(int x) { return x; }",
    );
    let clang = CLANGS[0];
    let member = source.with_extension("o");
    compile(clang, &["-O1"], &source, &member);
    let object = scratch.0.join("machine.o");
    let carrier = scratch.0.join("carrier.o");
    let compiler = format!("clang-{clang}");
    run(
        &compiler,
        &[
            "-c",
            source.to_str().unwrap(),
            "-o",
            object.to_str().unwrap(),
        ],
    );
    let embed = [
        "-c",
        "-fembed-bitcode",
        source.to_str().unwrap(),
        "-o",
        carrier.to_str().unwrap(),
    ];
    run(&compiler, &embed);

    let contents = read_file("carrier.o", &fs::read(&carrier).unwrap()).unwrap();
    assert!(!symbol(&contents.modules[0], "shared").is_declaration());
    let error = read_file("machine.o", &fs::read(&object).unwrap()).unwrap_err();
    assert!(
        matches!(&error, ReadError::NotBitcode { what, .. } if what.contains("-emit-llvm")),
        "{error}"
    );

    let archive = scratch.0.join("lib.a");
    let files = [&member, &object, &carrier].map(|path| path.to_str().unwrap());
    run(
        "ar",
        &[
            "rcS",
            archive.to_str().unwrap(),
            files[0],
            files[1],
            files[2],
        ],
    );
    let contents = read_file("lib.a", &fs::read(&archive).unwrap()).unwrap();
    let names: Vec<&str> = contents
        .modules
        .iter()
        .map(|module| module.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["lib.a(a_rather_long_name_of_a_file.o)", "lib.a(carrier.o)"]
    );
    assert!(contents.archive);
    assert_eq!(contents.notes, ["lib.a(machine.o): no bitcode, left out"]);
}

#[test]
fn what_is_no_bitcode_is_named() {
    let cases: [(&[u8], &str); 7] = [
        (b"", "empty"),
        (b"; ModuleID = 'x'\ntarget triple = \"x\"\n", "llvm-as"),
        (
            b"#include <stdio.h>\nint main(void) {}\n",
            "clang -c -emit-llvm",
        ),
        (b"fn main() {}\n", "rustc --emit=llvm-bc"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0", "-emit-llvm"),
        (b"!<thin>\nx", "thin archive"),
        (b"\x01\x02\0\x03", "some other kind"),
    ];
    for (bytes, expected) in cases {
        let error = read_file("file", bytes).unwrap_err().to_string();
        assert!(
            error.starts_with("file: ") && error.contains(expected),
            "{error}"
        );
    }
}
