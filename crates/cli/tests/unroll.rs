//! `--max-unroll`: under a bound, exactly those paths come to their ends which natively stay within it; what goes
//! further is one boundary for each place where it does.
//!
//! The programs say themselves where a loop is entered and where input decides to go around it. Natively they count
//! that, on every input there is; when explored, they do not.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{run, tests_in};
use serde_json::Value;

/// Natively: takes the bound, and prints for all values of x and y the choices on their path up to its end, or up to
/// the first iteration beyond the bound. Loops are numbered; those of a function, for each of its activations.
const FRAME: &str = r#"
#ifdef NATIVE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf next;
static int bound;
static char path[4096];
static int length;
static int level, counts[64][8];
static void finish(const char *how) { printf("%s %s\n", how, path); longjmp(next, 1); }
static int choose(int condition) { path[length++] = condition ? '1' : '0'; return condition; }
static void enter(int loop) { counts[level][loop] = 0; }
static void count(int loop) { if (++counts[level][loop] > bound) finish("beyond"); }
static int stay(int loop, int condition) { if (choose(condition)) count(loop); return condition; }
#define CALL(call) (level++, call, level--)
#else
#include <assert.h>
void klee_make_symbolic(void *, unsigned long, const char *);
#define choose(condition) (condition)
#define enter(loop) ((void)0)
#define count(loop) ((void)0)
#define stay(loop, condition) (condition)
#define CALL(call) (call)
#endif
static void program(unsigned char x, unsigned char y);
int main(int argc, char **argv) {
#ifdef NATIVE
  bound = atoi(argv[1]);
  for (volatile int input = 0; input < 64; input++) {
    if (setjmp(next)) continue;
    memset(path, 0, sizeof path);
    length = level = 0;
    printf("%d %d ", input / 8, input % 8);
    program(input / 8, input % 8);
    finish("end");
  }
#else
  unsigned char x, y;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&y, 1, "y");
  program(x & 7, y & 7);
#endif
  return 0;
}
"#;

/// Name and body; what its loops are is said beside them.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "one",
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           for (enter(0); stay(0, i < x); i++) {}
           if (choose(y == 3)) i = 0;
         }",
    ),
    (
        "nested",
        // The inner loop starts anew in each iteration of the outer one.
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           for (enter(0); stay(0, i < x); i++) {
             int j = 0;
             for (enter(1); stay(1, j < y); j++) {}
           }
         }",
    ),
    (
        "concrete_around",
        // The outer loop goes around whatever the input is, and the inner one ends concretely at times.
        "static void program(unsigned char x, unsigned char y) {
           for (int i = 0; i < 5; i++) {
             int j = 0;
             enter(0);
             while (j < i && stay(0, j < x)) { if (j == 2) break; j++; }
           }
         }",
    ),
    (
        "concrete_with_choices",
        // Input decides something in each iteration, but not whether there is another.
        "static void program(unsigned char x, unsigned char y) {
           int bits = 0;
           for (int i = 0; i < 6; i++) if (choose(x >> i & 1)) bits++;
         }",
    ),
    (
        "asserting",
        // A failed assertion is no way out of a loop that has another.
        "static void program(unsigned char x, unsigned char y) {
           for (int i = 0; i < 6; i++) {
#ifndef NATIVE
             assert(x + i < 100);
#endif
           }
           int i = 0;
           for (enter(0); stay(0, i < y); i++) {}
         }",
    ),
    (
        "two_ways_out",
        // Two branches of one iteration count once. The second is seen only where the first stays.
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           for (enter(0); stay(0, i < x); i++) if (choose(i == y)) break;
         }",
    ),
    (
        "tested_at_the_end",
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           enter(0);
           do i++; while (stay(0, i < x));
         }",
    ),
    (
        "called",
        // Each activation of a function counts for itself.
        "static int length(unsigned char n) {
           int i = 0;
           for (enter(0); stay(0, i < n); i++) {}
           return i;
         }
         static void program(unsigned char x, unsigned char y) {
           for (int i = 0; i < 3; i++) CALL(length(x));
           int i = 0;
           for (enter(1); stay(1, i < y); i++) CALL(length(x));
         }",
    ),
    (
        "recursive",
        // Recursion is no loop; the loop of each level is one of its own.
        "static void down(int n, unsigned char x, unsigned char y) {
           int i = 0;
           for (enter(0); stay(0, i < y); i++) {}
           if (choose(n < x)) CALL(down(n + 1, x, y));
         }
         static void program(unsigned char x, unsigned char y) { CALL(down(0, x, y)); }",
    ),
    (
        "out_of_two",
        // What leaves both loops counts for both: once for each iteration of either.
        "static void program(unsigned char x, unsigned char y) {
           int n = 0;
           enter(0);
           for (;;) {
             int first = 1;
             enter(1);
             for (int j = 0; j < 3; j++) {
               if (choose(n == x)) return;
               count(1);
               if (first) count(0);
               first = 0;
               n++;
             }
           }
         }",
    ),
    (
        "by_goto",
        // One loop with two ways into it.
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           enter(0);
           if (choose(y == 1)) goto middle;
         top:
           i++;
         middle:
           i++;
           if (stay(0, i < x)) goto top;
         }",
    ),
    (
        "by_switch",
        "static void program(unsigned char x, unsigned char y) {
           int i = 0;
           enter(0);
           for (;;) {
             switch (x - i) {
             case 0: choose(0); choose(0); return;
             case 1: choose(0); choose(1); i = x; break;
             default: choose(1); i += 2; break;
             }
             count(0);
           }
         }",
    ),
];

/// What native runs say, by the values of x and y: how they end, and their choices.
type Oracle = BTreeMap<(u64, u64), (bool, String)>;

fn oracle(native: &Path, bound: u32) -> Oracle {
    let run = Command::new(native).arg(bound.to_string()).output();
    let run = run.expect("the native program runs");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    let number = |word: Option<&str>| word.and_then(|word| word.parse().ok()).expect("a number");
    let read = |line: &str| {
        let mut words = line.split(' ');
        let (x, y) = (number(words.next()), number(words.next()));
        let has_ended = words.next() == Some("end");
        let path = words.next().unwrap_or_default().to_owned();
        ((x, y), (has_ended, path))
    };
    let oracle: Oracle = said.lines().map(read).collect();
    assert_eq!(oracle.len(), 64, "{said}");
    oracle
}

/// The value of an input of a test, which is a byte.
fn value(test: &Value, name: &str) -> u64 {
    let inputs = test["inputs"].as_array().expect("inputs");
    let found = inputs.iter().find(|input| input["name"] == name);
    let bytes = found.and_then(|input| input["bytes"].as_str());
    bytes.map_or(0, |bytes| {
        u64::from_str_radix(bytes, 16).expect("hexadecimal") & 7
    })
}

/// A program, natively and as bitcode.
fn build(folder: &Path, name: &str, body: &str) -> [PathBuf; 2] {
    let clang = refrain_testing::program("clang");
    let source = folder.join(format!("{name}.c"));
    fs::write(&source, format!("{FRAME}{body}")).expect("a file");
    let outputs = [folder.join(name), folder.join(format!("{name}.bc"))];
    for (output, flags) in outputs
        .iter()
        .zip([&["-DNATIVE"][..], &["-emit-llvm", "-c"]])
    {
        let done = Command::new(&clang)
            .args(["-w", "-O0"])
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(output)
            .status();
        assert!(done.expect("clang runs").success(), "{name}");
    }
    outputs
}

#[test]
fn what_stays_within_the_bound_is_explored_and_the_rest_is_a_boundary() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let searches = ["interleaved", "dfs", "bfs", "random-path", "cover-new"];
    let (mut cut, mut whole) = (0, 0);
    for (index, (name, body)) in PROGRAMS.iter().enumerate() {
        let [native, bitcode] = build(folder.path(), name, body);
        for bound in [0, 1, 2, 4, 7] {
            let oracle = oracle(&native, bound);
            let all: BTreeSet<&(bool, String)> = oracle.values().collect();
            for mode in ["fork", "concolic"] {
                let search = searches[(index + bound as usize) % searches.len()];
                let jobs = if (index + bound as usize) % 3 == 2 {
                    "2"
                } else {
                    "1"
                };
                let what = format!("{name}, bound {bound}, {mode}, {search}, {jobs} workers");
                let out = folder.path().join(format!("{name}-{bound}-{mode}"));
                let (out_text, bound_text) = (out.to_str().expect("UTF-8"), bound.to_string());
                let limits = [
                    "--max-unroll",
                    &bound_text,
                    "--mode",
                    mode,
                    "--search",
                    search,
                ];
                let rest = ["--jobs", jobs, "--tests", "all", "--out", out_text];
                let program = [bitcode.to_str().expect("UTF-8")];
                let found = run(&[&["run"][..], &limits, &rest, &program].concat());
                let said = String::from_utf8_lossy(&found.stderr);
                assert!(matches!(found.status.code(), Some(0 | 3)), "{what}: {said}");
                let mut seen = BTreeSet::new();
                for test in tests_in(&out) {
                    let expected = &oracle[&(value(&test, "x"), value(&test, "y"))];
                    let outcome = &test["outcome"];
                    match outcome["kind"].as_str() {
                        Some("exit") => assert!(expected.0, "{what}: {test}"),
                        _ => {
                            assert_eq!(outcome["cause"]["kind"], "unroll", "{what}: {test}");
                            assert!(!expected.0, "{what}: {test}");
                        }
                    }
                    assert!(seen.insert(expected), "{what}: {expected:?} twice");
                }
                assert_eq!(seen, all, "{what}");
                let beyond = all.iter().filter(|(has_ended, _)| !has_ended).count();
                let boundary = fs::read(out.join("boundary.json")).expect("a file");
                let boundary: Value = serde_json::from_slice(&boundary).expect("JSON");
                let counts = boundary.as_array().expect("a list").iter();
                let unrolled = counts.filter(|each| each["cause"]["kind"] == "unroll");
                let paths: u64 = unrolled.filter_map(|each| each["paths"].as_u64()).sum();
                assert_eq!(paths, beyond as u64, "{what}: {boundary}");
                if beyond > 0 {
                    assert!(said.contains("more iterations of a loop"), "{what}: {said}");
                    cut += 1;
                } else {
                    whole += 1;
                }
            }
        }
    }
    assert!(cut > 40 && whole > 20, "{cut} {whole}");
}
