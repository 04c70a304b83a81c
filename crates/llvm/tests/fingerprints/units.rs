//! Pieces of code by name: which edits change the hash of which, and which do not.

use std::collections::BTreeSet;

use refrain_llvm::load::FunctionKind;
use refrain_llvm::machine::{Machine, Start};
use refrain_machine::{CodePiece, CodeUnit, Machine as _};

use super::build::{CLANGS, compile, load};

const MAIN: &str = r#"
extern int helper(int); extern int shared; extern int printf(const char *, ...); extern long strlen(const char *);
int first = 1; static int second = 2;
static int left_out(int a) { printf("left %d", a); return a; }
int subject(int a, int b) {
    int c = a + b;
    if (a > 3) { second += c; return c; }
    if (b == 1000) left_out(c);
    return helper(c) + shared + (int)strlen("text");
}
__attribute__((constructor)) static void early(void) { first = 3; }
int main(int argc, char **argv) { return subject(argc, first); }
"#;

const OTHER: &str = r#"
int shared = 7;
static int inner(int a) { return a + 1; }
int helper(int a) { return inner(a) * 2; }
"#;

fn machine(clang: &str, main: &str, other: &str) -> Machine {
    let main = compile(clang, "-O0", "main.c", main);
    let other = compile(clang, "-O0", "other.c", other);
    let (mut machine, state) = load(&[("main.bc", &main), ("other.bc", &other)]);
    let start = Start::Main {
        entry: "main".into(),
        world: refrain_machine::World::given(&[b"program".to_vec()], &[]),
    };
    machine.set_start(state, start).expect("a main function");
    machine
}

/// All pieces of a program, those that are no blocks among them.
fn units(machine: &Machine) -> BTreeSet<CodeUnit> {
    let linked = machine.linked();
    let mut units = BTreeSet::new();
    for function in 0..linked.functions.len() as u32 {
        let entry = &linked.functions[function as usize];
        let symbol = linked.lasting_symbol(function);
        if !matches!(entry.kind, FunctionKind::Code) || linked.is_library(entry.module) {
            assert_eq!(machine.code_hash(symbol, 0), None, "{symbol}");
            continue;
        }
        let blocks = linked.fingerprint(function).blocks.len() as u32;
        assert_eq!(machine.code_hash(symbol, blocks), None);
        units.extend((0..blocks).map(|block| machine.code(CodePiece::block(function, block))));
    }
    units.extend([CodePiece::START, CodePiece::LAYOUT].map(|block| machine.code(block)));
    for unit in &units {
        assert_eq!(machine.code_hash(&unit.symbol, unit.block), Some(unit.hash));
    }
    assert_eq!(machine.code_hash("nobody", 0), None);
    assert_eq!(machine.code_hash("", 2), None);
    units
}

const START: (&str, u32) = ("", 0);
const LAYOUT: (&str, u32) = ("", 1);

/// What is replaced in either file, by what, and the pieces of before that are gone or different then.
type Edit = (&'static str, &'static str, &'static [(&'static str, u32)]);

const EDITS: &[Edit] = &[
    ("a > 3", "a > 4", &[("subject", 0)]),
    ("second += c", "second -= c", &[("subject", 1)]),
    ("second = 2", "second = 5", &[("subject", 1)]),
    ("shared = 7", "shared = 8", &[("subject", 4)]),
    (
        "return inner(a) * 2",
        "return inner(a) * 3",
        &[("helper", 0)],
    ),
    // What moves, moves others.
    ("int first = 1;", "int first = 1; int more;", &[LAYOUT]),
    ("int shared = 7;", "int shared = 7; int more;", &[LAYOUT]),
    (
        "int shared = 7;",
        "int shared = 7; int more(void) { return 1; }",
        &[LAYOUT],
    ),
    ("\"left %d\"", "\"right %d\"", &[("left_out", 0), LAYOUT]),
    // A variable gets an address in code that need not run.
    (
        "left_out(c);",
        "left_out((long)&c);",
        &[("subject", 0), ("subject", 3)],
    ),
    // A parameter that is not used.
    (
        "int inner(int a)",
        "int inner(int a, ...)",
        &[("inner", 0), ("helper", 0)],
    ),
    // Who is called.
    (
        "extern int helper(int);",
        "static int helper(int a) { return a; }",
        &[("subject", 4), LAYOUT],
    ),
    (
        "int first = 1;",
        "int first = 1; static int inner(int a) { return a; }  int use(void) { return inner(1); }",
        &[("inner", 0), ("helper", 0), LAYOUT],
    ),
    (
        "int shared = 7;",
        "int shared = 7; long strlen(const char *s) { return 1; }",
        &[("subject", 4), START, LAYOUT],
    ),
    // A runtime's function that only others of the runtime call.
    (
        "int shared = 7;",
        "int shared = 7; int puts(const char *s) { return 1; }",
        &[START, LAYOUT],
    ),
    (
        "extern int shared;",
        "static int shared = 7;",
        &[("subject", 4), LAYOUT],
    ),
    // What happens before `main`.
    ("first = 3", "first = 4", &[("early", 0)]),
    (
        "__attribute__((constructor)) static void early",
        "__attribute__((used)) static void early",
        &[START, LAYOUT],
    ),
    ("int argc, char **argv)", "int argc)", &[("main", 0)]),
];

#[test]
fn edits_change_the_pieces_they_touch() {
    for clang in CLANGS {
        let plain = units(&machine(clang, MAIN, OTHER));
        for (from, to, touched) in EDITS {
            let (main, other) = (MAIN.replace(from, to), OTHER.replace(from, to));
            assert!((&main[..], &other[..]) != (MAIN, OTHER), "{from}");
            let edited = machine(clang, &main, &other);
            units(&edited);
            let is_other =
                |unit: &&CodeUnit| edited.code_hash(&unit.symbol, unit.block) != Some(unit.hash);
            let changed = plain.iter().filter(is_other);
            let changed: BTreeSet<(&str, u32)> = changed
                .map(|unit| (unit.symbol.as_str(), unit.block))
                .collect();
            let expected: BTreeSet<(&str, u32)> = touched.iter().copied().collect();
            assert_eq!(changed, expected, "{from} is {to} with {clang}");
        }
    }
}

/// Code that can tell where things lie says so when it runs; other code does not.
#[test]
fn runs_say_whether_the_layout_matters() {
    let body = |statement: &str| {
        format!(
            "
typedef unsigned long word; int printf(const char *, ...); void *malloc(word); void free(void *);
void *memcpy(void *, const void *, word); int puts(const char *); int memcmp(const void *, const void *, word);
int here, there; int *volatile p = &here, *volatile q = &there; word volatile number = 5;
struct pair {{ int *a; long b; }} pair; union {{ int *a; word b; }} both;
static const char *const names[] = {{\"a\", \"b\"}}; static word const placed = (word)&there;
int main(int argc, char **argv) {{ int local = argc; {statement}; return local; }}"
        )
    };
    let sees = [
        "local = (int)(word)p",
        "local = p < q",
        "local = p - q > 0",
        "p = (int *)number",
        "both.a = p; local = (int)both.b",
        "word copy; memcpy(&copy, (void *)&pair.a, sizeof copy); local = (int)copy",
        "printf(\"%p\", p)",
        "printf(\"%lx\", p)",
        "local = (int)placed",
        "void *const ways[] = {&&one, &&two}; goto *ways[argc & 1]; one: puts(names[0]); two: local++",
        "*(int *)(number << 40) = 1",
    ];
    let does_not = [
        "local = p == q",
        "local = *p + *q",
        "p = q",
        "int *own = malloc(8); *own = 3; local = *own; free(own)",
        "puts(names[argc & 1])",
        "printf(\"%s %d\", names[0], *p)",
        "local = p[0] + names[1][0]",
        "struct pair other = pair; pair = other; local = pair.a == 0",
        "p = (int *)8; local = p != 0",
        "local = memcmp(names[0], names[1], 1)",
    ];
    for level in ["-O0", "-O1"] {
        for (statement, expected) in sees
            .map(|text| (text, true))
            .into_iter()
            .chain(does_not.map(|text| (text, false)))
        {
            let bitcode = compile("clang-19", level, "program.c", &body(statement));
            let (mut machine, state) = load(&[("program.bc", &bitcode)]);
            let start = Start::Main {
                entry: "main".into(),
                world: refrain_machine::World::given(&[b"program".to_vec()], &[]),
            };
            machine.set_start(state, start).expect("a main function");
            machine.trace_code(true);
            let mut terms = refrain_term::Terms::new();
            let mut state = machine.begin(&mut terms);
            machine.run(&mut terms, &mut state, u64::MAX);
            let found = machine.take_ran().contains(&CodePiece::LAYOUT);
            assert_eq!(found, expected, "{statement} with {level}");
        }
    }
}
