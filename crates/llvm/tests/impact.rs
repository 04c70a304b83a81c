//! What hashes of code are for: a run of an edited program does the same as before, if all code that ran before is
//! there unchanged. Programs and edits of them are followed side by side, run by run.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "tracing/input.rs"]
mod input;
mod support;

use std::collections::BTreeMap;

use input::Input;
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, Start, State};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::{Answer, Ask, CodePiece, CodePoint, Machine as _, Stop};
use refrain_term::{Evaluator, Terms};
use support::compile;

/// A program that is executed.
struct Version {
    machine: Machine,
    terms: Terms,
    state: State,
    input: Input,
}

/// What a run comes to, as far as it is the same wherever things lie.
#[derive(Debug, PartialEq)]
struct Outcome {
    stop: String,
    /// Where it asks, by name.
    at: (String, u32, u32),
    answer: Option<Answer>,
    instructions: u64,
    written: Vec<u8>,
}

impl Version {
    fn new(texts: &[(&str, String)], level: &str, arguments: &[&str]) -> Version {
        let files: Vec<(&str, Vec<u8>)> = texts
            .iter()
            .map(|(name, text)| (*name, compile::bitcode_of(&compile::clang(), text, level)))
            .collect();
        let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
        let program = assemble(files, &[]).expect("a program").program;
        let (mut machine, state) = Machine::new(program, Options::default(), Box::new(Detached))
            .expect("a program that fits");
        let arguments = arguments.iter().map(|arg| arg.as_bytes().to_vec());
        let arguments: Vec<Vec<u8>> = arguments.collect();
        let start = Start::Main {
            entry: "main".into(),
            world: refrain_machine::World::given(&arguments, &[]),
        };
        machine.set_start(state, start).expect("a main function");
        machine.trace_code(true);
        let mut terms = Terms::new();
        let state = machine.begin(&mut terms);
        Version {
            machine,
            terms,
            state,
            input: Input::new(0),
        }
    }

    fn start(&mut self, seed: u64) {
        self.terms = Terms::new();
        self.state = self.machine.begin(&mut self.terms);
        self.input = Input::new(seed);
    }

    /// Runs to the next question, and answers it.
    fn run(&mut self) -> (Outcome, bool) {
        let stop = self
            .machine
            .run(&mut self.terms, &mut self.state, 10_000_000);
        let (mut answer, mut at) = (None, (String::new(), 0, 0));
        let stop = match stop {
            Stop::Ask(ask) => {
                let CodePoint {
                    symbol,
                    block,
                    instruction,
                    ..
                } = self.machine.describe(self.machine.point(&self.state));
                at = (symbol, block, instruction);
                let given = self.input.answer(&mut self.terms, &ask);
                self.machine.answer(&mut self.state, &given);
                let is_value = matches!(ask, Ask::Fix(_) | Ask::Witness(_) | Ask::Sample(_));
                answer = Some(given);
                match ask {
                    Ask::Choose(conditions) => format!("choose of {}", conditions.len()),
                    _ if is_value => "value".to_string(),
                    _ => "assume".to_string(),
                }
            }
            Stop::OutOfFuel => "out of fuel".to_string(),
            Stop::End(End::Error(fault)) => format!("error {:?}", fault.kind),
            Stop::End(end) => format!("end {end:?}"),
        };
        let is_over = answer.is_none();
        let mut evaluator = Evaluator::new();
        let outcome = Outcome {
            stop,
            at,
            answer,
            instructions: self.machine.instructions(&self.state),
            written: self.state.written(1, |term| {
                evaluator.small(&self.terms, &self.input.bytes, term)
            }),
        };
        (outcome, is_over)
    }

    /// The first block of the last run that another version has not, or has otherwise.
    fn first_change(
        &mut self,
        other: &Version,
        known: &mut BTreeMap<CodePiece, bool>,
    ) -> Option<CodePiece> {
        let mut ran = self.machine.take_ran().to_vec().into_iter();
        ran.find(|&block| {
            *known.entry(block).or_insert_with(|| {
                let unit = self.machine.code(block);
                assert_eq!(
                    self.machine.code_hash(&unit.symbol, unit.block),
                    Some(unit.hash)
                );
                other.machine.code_hash(&unit.symbol, unit.block) != Some(unit.hash)
            })
        })
    }
}

#[derive(Default, Debug)]
struct Compared {
    /// Runs that the edit does not touch, paths of which it touches no run, and those that it touches.
    runs: usize,
    whole: usize,
    touched: usize,
}

/// Follows inputs in both versions for as long as nothing of what ran has changed.
fn compare(before: &mut Version, after: &mut Version, seeds: u64, what: &str) -> Compared {
    const MOST: usize = 400;
    let mut compared = Compared::default();
    let mut known = BTreeMap::new();
    for seed in 0..seeds {
        before.start(seed);
        after.start(seed);
        for run in 0.. {
            let (expected, is_over) = before.run();
            if before.first_change(after, &mut known).is_some() {
                compared.touched += 1;
                break;
            }
            let (found, _) = after.run();
            assert_eq!(found, expected, "{what}, seed {seed}, run {run}");
            compared.runs += 1;
            if is_over || run == MOST {
                compared.whole += 1;
                break;
            }
        }
    }
    compared
}

const HEAD: &str = r#"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *, unsigned long, const char *);
struct entry { const char *name; int (*run)(int); struct entry *next; };
union word { void *pointer; uintptr_t number; };
int scale(int x); int outside(int x);
"#;

/// Pieces that an edit replaces, removes, or changes the order of. Most run for some inputs only.
const PIECES: &[&str] = &[
    "static unsigned char x[12];",
    "static int counter = 3; static int limit = 40; int spare;",
    "static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};",
    "static const char *const words[4] = {\"zero\", \"one\", \"two\", \"many\"};",
    "static int one(int a) { return a + 1; }",
    "static int two(int a) { if (a > 5) return a * 2; return a - 2; }",
    "static struct entry second = {.name = \"second\", .run = two}, first = {.name = \"first\", .run = one, .next = &second};",
    "static int walk(int a) { for (struct entry *e = &first; e; e = e->next) a = e->run(a); return a; }",
    "static int looked_up(unsigned i) { if (i < 8) return table[i]; return -1; }",
    "static int in_order(void) { int own; return (void *)&counter < (void *)table ? 1 : (void *)&own < (void *)x; }",
    "static int as_number(void *p) { return (int)((uintptr_t)p >> 4) & 255; }",
    "static int as_word(void *p) { union word w; w.pointer = p; return (int)(w.number >> 24) & 255; }",
    "static int copied(void *p) { uintptr_t n; memcpy(&n, &p, sizeof n); return (int)(n >> 24) & 255; }",
    "static void shown(void *p) { printf(\"%p\\n\", p); }",
    "static int apart(const char *end, const char *start) { return (int)(end - start); }",
    "static int deep(int n) { int own = n; if (n > 2) own += deep(n - 1); if (x[n & 3] == 7) own++; return own; }",
    "static int kept(int a) { int b = a + 1; int c = b * 2; if (a == 1000) { scale(c); } return b + c; }",
    "static jmp_buf back;",
    "static int jumps(int a) { if (a > 3) longjmp(back, a); return a; }",
    "static int lands(int a) { int way = setjmp(back); if (way) return way + 1; return jumps(a); }",
    "static int unused_one(int a) { printf(\"unused %d\\n\", a); return a; }",
    "static int heap(int n) { char *a = malloc(n + 1), *b = malloc(8); int r = as_number(b) & 1; free(a); free(b); return r; }",
    "int scale(int a) { if (a == 77) abort(); return a * 3; }",
    "__attribute__((constructor)) static void early(void) { counter = 4; }",
];

const MAIN: &str = r#"
int main(int argc, char **argv) {
    klee_make_symbolic(x, sizeof x, "x");
    int sum = argc;
    switch (x[0] % 16) {
    case 0: sum += walk(x[1]); break;
    case 1: sum += looked_up(x[1]); break;
    case 2: sum += in_order(); break;
    case 3: sum += as_number(&counter); break;
    case 4: sum += as_word(x); break;
    case 5: sum += copied(&limit); break;
    case 6: shown(x); break;
    case 7: sum += apart((char *)x + 5, (char *)x); break;
    case 8: sum += deep(x[1] & 7); break;
    case 9: sum += kept(x[1]); break;
    case 10: sum += lands(x[1] & 7); break;
    case 11: sum += heap(x[1] & 3); break;
    case 12: sum += scale(x[1]) + outside(x[2]); break;
    case 13: sum += table[x[1] & 7]; puts(words[x[2] & 3]); break;
    case 14: if (x[1] == 200) sum += unused_one(1); counter += x[1]; break;
    default: if (sum == 1000) puts("never"); sum += counter + spare;
    }
    if (sum > limit) puts("more");
    printf("%d\n", sum);
    return sum & 1;
}
"#;

/// The other file.
const OUTSIDE: &str = r#"
static int helper(int a) { if (a > 9) return a / 3; return a; }
int scale(int); int spare_two = 5;
int outside(int a) { return helper(a) + (a == 4 ? scale(a) : 0); }
"#;

fn texts(head: &str, pieces: &[String], main: &str, outside: &str) -> Vec<(&'static str, String)> {
    let text = format!("{head}\n{}\n{main}", pieces.join("\n"));
    vec![("main.bc", text), ("outside.bc", outside.to_string())]
}

fn pieces() -> Vec<String> {
    PIECES.iter().map(|piece| piece.to_string()).collect()
}

/// What is replaced by what, anywhere.
const REPLACED: &[(&str, &str)] = &[
    ("a + 1; }", "a + 2; }"),
    ("a > 5", "a > 6"),
    ("return a - 2", "return a - 3"),
    ("{3, 1, 4, 1", "{3, 1, 4, 2"),
    ("\"two\"", "\"toe\""),
    (".run = one, .next = &second", ".run = two, .next = &second"),
    (".run = two}", ".run = one}"),
    (
        "struct entry { const char *name;",
        "struct entry { long extra; const char *name;",
    ),
    ("limit = 40", "limit = 41"),
    ("counter = 4; }", "counter = 5; }"),
    (
        "__attribute__((constructor)) static void early",
        "__attribute__((used)) static void early",
    ),
    ("counter = 3;", "counter = 3; static int added = 9;"),
    (
        "static unsigned char x[12]",
        "char front[40] = \"front\"; static unsigned char x[12]",
    ),
    ("static unsigned char x[12]", "static unsigned char x[13]"),
    ("n > 2", "n > 3"),
    ("scale(c);", "scale(c); printf(\"%p\", &c);"),
    ("scale(c);", "shown(&b);"),
    ("a > 3) longjmp", "a > 4) longjmp"),
    ("unused %d", "really unused %d"),
    ("\"never\"", "\"never ever\""),
    ("malloc(n + 1)", "malloc(n + 2)"),
    ("a * 3; }", "a * 4; }"),
    ("a == 77", "a == 78"),
    ("a > 9", "a > 8"),
    ("a / 3", "a / 4"),
    (
        "static int helper",
        "int other(int a) { return a; }\nstatic int helper",
    ),
    ("static int helper(int a)", "int helper(int a)"),
    (
        "int spare_two = 5;",
        "int spare_two = 5, spare_three = 6; const char *spare_text = \"spare\";",
    ),
    // The function of another file gives way to one of the same name.
    (
        "int scale(int); int spare_two",
        "static int scale(int a) { return a + 100; } int spare_two",
    ),
    (
        "int spare;",
        "int spare; int helper(int a) { return a + 50; }",
    ),
    // The runtime's functions give way to the program's.
    (
        "int spare;",
        "int spare; int puts(const char *s) { printf(\"<%s>\\n\", s); return 0; }",
    ),
    (
        "int spare;",
        "int spare; void *malloc(unsigned long n) { static char all[64]; return all; } void free(void *p) {}",
    ),
    (
        "int spare;",
        "int spare; void *memcpy(void *to, const void *from, unsigned long n) { return to; }",
    ),
    ("int spare;", "static int spare = 7;"),
    (
        "int argc, char **argv",
        "int argc, char **argv, char **envp",
    ),
    ("int argc, char **argv", "void"),
    ("int sum = argc", "int sum = argc + 1"),
    ("sum & 1", "sum & 3"),
];

fn replaced(from: &str, to: &str) -> Vec<(&'static str, String)> {
    let (mut head, mut main) = (HEAD.replace(from, to), MAIN.replace(from, to));
    let outside = OUTSIDE.replace(from, to);
    let pieces: Vec<String> = pieces()
        .iter()
        .map(|piece| piece.replace(from, to))
        .collect();
    if to == "void" {
        main = main.replace("int sum = argc", "int sum = 1");
        head += "\n";
    }
    texts(&head, &pieces, &main, &outside)
}

const SEEDS: u64 = 64;

#[test]
fn what_did_not_run_changes_nothing() {
    for level in ["-O0", "-O1 -fno-inline", "-O2"] {
        let plain = texts(HEAD, &pieces(), MAIN, OUTSIDE);
        let mut before = Version::new(&plain, level, &["program"]);
        let mut again = Version::new(&plain, level, &["program"]);
        let same = compare(&mut before, &mut again, SEEDS, "the same");
        assert_eq!((same.whole as u64, same.touched), (SEEDS, 0), "{level}");
        let (mut whole, mut touched) = (0, 0);
        for (from, to) in REPLACED {
            let edited = replaced(from, to);
            assert_ne!(edited, plain, "{from} is nowhere");
            let mut after = Version::new(&edited, level, &["program"]);
            let what = format!("{from} is {to} with {level}");
            let compared = compare(&mut before, &mut after, SEEDS, &what);
            (whole, touched) = (whole + compared.whole, touched + compared.touched);
        }
        assert!(whole > 500 && touched > 300, "{level}: {whole} {touched}");
    }
}

#[test]
fn functions_and_variables_may_move() {
    for level in ["-O0", "-O1"] {
        let plain = texts(HEAD, &pieces(), MAIN, OUTSIDE);
        let mut before = Version::new(&plain, level, &["program"]);
        let mut random = refrain_testing::Random::new(5);
        let declared: String = PIECES
            .iter()
            .filter(|piece| piece.starts_with("static int ") && piece.contains('{'))
            .filter_map(|piece| piece.split_once(" {").map(|(head, _)| format!("{head};\n")))
            .collect();
        let head = format!(
            "{HEAD}{declared} static unsigned char x[12]; static int counter, limit; static jmp_buf back;"
        );
        for round in 0..6 {
            // Those that need others in front of them stay.
            let mut moved = pieces();
            for at in (10..moved.len()).rev() {
                let other = 10 + random.below(at as u64 - 9) as usize;
                moved.swap(at, other);
            }
            let edited = texts(&head, &moved, MAIN, OUTSIDE);
            let mut after = Version::new(&edited, level, &["program"]);
            compare(
                &mut before,
                &mut after,
                SEEDS,
                &format!("order {round} with {level}"),
            );
        }
    }
}

#[test]
fn arguments_are_part_of_the_start() {
    let plain = texts(HEAD, &pieces(), MAIN, OUTSIDE);
    let mut before = Version::new(&plain, "-O0", &["program"]);
    let mut after = Version::new(&plain, "-O0", &["program", "more"]);
    let compared = compare(&mut before, &mut after, 8, "another argument");
    assert_eq!((compared.runs, compared.touched), (0, 8));
}
