//! The blocks that a run says it has executed, against the program's own account: run by run, between questions and
//! between arbitrary instructions.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "tracing/input.rs"]
mod input;
#[path = "tracing/oracle.rs"]
mod oracle;
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use input::Input;
use oracle::{Instrumented, MAP};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, Mark, Start, State};
use refrain_llvm::memory::Value;
use refrain_llvm::program::assemble;
use refrain_machine::{Answer, CodePiece, Goal, Machine as _, Part, Stop};
use refrain_term::{Sort, Terms};
use refrain_testing::{Random, count};
use support::{compile, program, render};

/// How often what happened, of all that was run.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    runs: usize,
    blocks: usize,
    /// Runs that came back to a call from before them.
    returns: usize,
    questions: usize,
}

impl std::ops::AddAssign for Seen {
    fn add_assign(&mut self, other: Seen) {
        self.runs += other.runs;
        self.blocks += other.blocks;
        self.returns += other.returns;
        self.questions += other.questions;
    }
}

/// Follows one input, and holds every run against the program's own account.
fn follow(
    program: &mut Instrumented,
    terms: &mut Terms,
    state: &mut State,
    input: &mut Input,
    fuel: impl Fn(&mut Random) -> u64,
    what: &str,
) -> (Seen, Option<End>) {
    const MOST: usize = 1000;
    let mut seen = Seen::default();
    let mut traces = 0;
    let (mut expected, mut waiting) = (BTreeSet::new(), BTreeSet::new());
    for run in 0..MOST {
        program.clear(state);
        waiting.extend(program.waiting(state));
        expected.extend(program.here(state));
        let stop = program.machine.run(terms, state, fuel(&mut input.random));
        expected.extend(program.ran(state));
        if !matches!(stop, Stop::End(_)) {
            expected.extend(program.here(state));
        }
        if let Stop::Ask(ask) = &stop {
            seen.questions += 1;
            let answer = input.answer(terms, ask);
            program.machine.answer(state, &answer);
        }
        if !matches!(stop, Stop::End(_)) && input.random.below(3) == 0 {
            // What comes next is part of the same trace.
            continue;
        }
        let mut expected = std::mem::take(&mut expected);
        expected.retain(|&block| program.is_own(block));
        let expected = program.with_falls(expected);
        let ran = program.machine.take_ran();
        let is_behind = |piece: &CodePiece| piece.function == CodePiece::START.function;
        let own = ran.iter().filter(|piece| !is_behind(piece));
        let blocks = own.map(|piece| CodePiece::block(piece.function, piece.block));
        let blocks: BTreeSet<CodePiece> = blocks.collect();
        let distinct: BTreeSet<CodePiece> = ran.iter().copied().collect();
        assert_eq!(distinct.len(), ran.len(), "{what}, run {run}: twice");
        assert_eq!(
            distinct.contains(&CodePiece::START),
            traces == 0,
            "{what}, run {run}"
        );
        let missing: Vec<&CodePiece> = expected.difference(&blocks).collect();
        assert!(
            missing.is_empty(),
            "{what}, run {run}: {missing:?} ran, and are not told"
        );
        // An invoke that returns stores nothing, nor does a call that goes on elsewhere.
        let mut waiting = program.with_falls(std::mem::take(&mut waiting));
        if let (Stop::OutOfFuel, Some(here)) = (&stop, program.here(state)) {
            // It may have stopped on the edge.
            let next = program.successors(here).iter().copied().collect();
            waiting.extend(program.with_falls(next));
        }
        let extra = blocks.difference(&expected);
        let extra: Vec<&CodePiece> = extra.filter(|block| !waiting.contains(block)).collect();
        assert!(
            extra.is_empty(),
            "{what}, run {run}: {extra:?} are told, and did not run"
        );
        program.pieces.extend(distinct);
        traces += 1;
        seen.runs += 1;
        seen.blocks += blocks.len();
        seen.returns += usize::from(blocks.intersection(&waiting).next().is_some());
        if let Stop::End(end) = stop {
            return (seen, Some(end));
        }
    }
    (seen, None)
}

const FUELS: [fn(&mut Random) -> u64; 3] = [
    |_| 1_000_000,
    |random| 1 + random.below(300),
    |random| 1 + random.below(8),
];

/// Follows some inputs of a program from its `main`, with runs of different lengths.
fn follow_all(bitcode: &[u8], libraries: &[(&str, &[u8])], seeds: u64, what: &str) -> Seen {
    let assembled = assemble([("program.bc", bitcode)], libraries).expect("a program");
    let (mut program, mut pristine) = Instrumented::new(assembled.program, Options::default());
    let (mut terms, mut seen) = (Terms::new(), Seen::default());
    for seed in 0..seeds {
        for (index, fuel) in FUELS.iter().enumerate() {
            let mut state = program.machine.fork(&mut pristine);
            let arguments = [b"program".to_vec()];
            let started = program.machine.start(&mut state, "main", &arguments, &[]);
            started.expect("a main function");
            let what = format!("{what}, seed {seed}, fuel {index}");
            let mut input = Input::new(seed);
            let (more, _) = follow(
                &mut program,
                &mut terms,
                &mut state,
                &mut input,
                fuel,
                &what,
            );
            seen += more;
        }
    }
    let assembled = assemble([("program.bc", bitcode)], libraries).expect("a program");
    let (again, _) = Instrumented::new(assembled.program, Options::default());
    check_coverage(program, again, what);
    seen
}

/// What has run covers, on a machine that has run nothing, exactly what it has covered on the one that has run it.
fn check_coverage(mut explored: Instrumented, mut other: Instrumented, what: &str) {
    for &piece in &explored.pieces {
        other.machine.cover_code(&explored.machine.code(piece));
    }
    let (explored, other) = (&mut explored.machine, &mut other.machine);
    assert_eq!(other.coverage(), explored.coverage(), "{what}");
    assert_eq!(other.covered(), explored.covered(), "{what}");
    let passed = |machine: &Machine| machine.passed_assumptions().collect::<BTreeSet<_>>();
    assert_eq!(passed(other), passed(explored), "{what}");
    let marks: BTreeSet<Mark> = explored.marks().iter().copied().collect();
    assert_eq!(
        other.covered().into_iter().collect::<BTreeSet<_>>(),
        marks,
        "{what}"
    );
    assert_eq!(other.newly_covered(), 0, "{what}");
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder, sorted.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join(folder)).expect("programs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

/// Compiles a file, with the map in front of it.
fn compiled(compiler: &str, options: &str, file: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a directory for the compiler");
    let (header, target) = (
        folder.path().join("map.h"),
        folder.path().join("program.bc"),
    );
    std::fs::write(&header, MAP).expect("a file for the compiler");
    let done = Command::new(refrain_testing::program(compiler))
        .current_dir(repository().join("crates/compile"))
        .args(["-emit-llvm", "-c", "-w", "-Iinclude", "-U_FORTIFY_SOURCE"])
        .args(options.split_whitespace())
        .arg("-include")
        .arg(&header)
        .arg(file)
        .arg("-o")
        .arg(&target)
        .output()
        .expect("a compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {said}", file.display());
    std::fs::read(target).expect("what the compiler wrote")
}

fn compiled_text(text: &str, options: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a directory for the compiler");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("a file for the compiler");
    compiled("clang-19", options, &file)
}

#[test]
fn programs_in_c() {
    let mut seen = Seen::default();
    for level in ["-O0", "-O1"] {
        for folder in [
            "tests/programs/c",
            "tests/programs/errors",
            "examples/explore",
        ] {
            for file in files(folder, "c") {
                let bitcode = compiled("clang-19", level, &file);
                let what = format!("{} {level}", file.display());
                seen += follow_all(&bitcode, &[], count("REFRAIN_TRACED_SEEDS", 1, 6), &what);
            }
        }
    }
    assert!(seen.runs > 30_000 && seen.returns > 10_000, "{seen:?}");
}

#[test]
fn programs_in_cpp() {
    let options = "-std=gnu++17 -include include/refrain/instantiate.h";
    let runtime = Path::new("runtime/cxx/core.cpp");
    let runtime = compiled("clang++-19", &format!("-O1 {options}"), runtime);
    let mut seen = Seen::default();
    for name in [
        "exceptions",
        "inheritance",
        "initialisation",
        "rtti",
        "interpreter",
    ] {
        let file = repository().join(format!("tests/programs/cpp/{name}.cpp"));
        for level in ["-O0", "-O1"] {
            let bitcode = compiled("clang++-19", &format!("{level} {options}"), &file);
            let libraries = [("refrain/libstdc++", &runtime[..])];
            seen += follow_all(&bitcode, &libraries, 1, &format!("{name} {level}"));
        }
    }
    assert!(seen.runs > 5_000 && seen.returns > 500, "{seen:?}");
}

#[test]
fn random_functions() {
    let files = count("REFRAIN_TRACED_FILES", 6, 100);
    let mut seen = Seen::default();
    for seed in 0..files {
        let functions: Vec<_> = (0..6)
            .map(|index| program::function(77_000 + seed * 10 + index))
            .collect();
        let text = format!("{MAP}\n{}", render::file(&functions));
        let level = ["-O0", "-O1", "-O2"][seed as usize % 3];
        let bitcode = compile::bitcode_of(&compile::clang(), &text, level);
        let assembled = assemble([("program.bc", &bitcode[..])], &[]).expect("a program");
        let (mut program, mut pristine) = Instrumented::new(assembled.program, Options::default());
        let mut terms = Terms::new();
        let place = program.machine.linked().address_of("in").expect("an input");
        for index in 0..8 {
            let byte = terms.var(&format!("in[{index}]"), Sort::BitVec(8));
            let stored = pristine
                .memory
                .store(&mut terms, place + index, 1, Value::Symbolic(byte));
            stored.expect("a place for the input");
        }
        for (index, path) in (0..functions.len()).flat_map(|index| (0..6).map(move |p| (index, p)))
        {
            let mut state = program.machine.fork(&mut pristine);
            let entry = format!("main{index}");
            let started = program
                .machine
                .start(&mut state, &entry, &[b"p".to_vec()], &[]);
            started.expect("a function");
            let (what, mut input) = (
                format!("file {seed}, {entry}, path {path}"),
                Input::new(path),
            );
            let fuel = FUELS[path as usize % 3];
            let (more, _) = follow(
                &mut program,
                &mut terms,
                &mut state,
                &mut input,
                fuel,
                &what,
            );
            seen += more;
        }
    }
    assert!(seen.questions > 300, "{seen:?}");
}

/// What leaves functions otherwise, asks in the middle of them, and comes back.
const DIRECTED: &str = r#"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
void klee_make_symbolic(void *, unsigned long, const char *);
void klee_assume(unsigned long);
static unsigned char x[16];
static jmp_buf back, other;
static int depth(int n) {
    int own = n + 1;
    if (n == 0) return x[0] > 3;
    own += depth(n - 1);
    if (x[n & 7] > 5) own++;
    own += depth(n / 2);
    return own;
}
static int odd(int n);
static int even(int n) { if (n == 0) return x[1] < 9; int r = odd(n - 1); return r + (x[2] == n); }
static int odd(int n) { if (n == 0) return x[3] < 9; int r = even(n - 1); return r - (x[4] == n); }
static void jumps(int n) {
    if (x[5] == n) longjmp(back, n + 1);
    if (n > 0) jumps(n - 1);
    if (x[6] > 100) longjmp(other, 7);
}
static int tries(void) {
    volatile int count = 0;
    int way = setjmp(back);
    count++;
    if (way == 0) {
        if (setjmp(other) == 0) jumps(5); else count += 10;
    } else if (way < 3) {
        count += 100;
        if (x[7] > 7) { klee_assume(x[7] != 8); klee_assume(x[7] != 97); count++; }
    } else {
        count += 1000;
    }
    return count;
}
static int switches(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        switch (x[i & 15] & 7) {
        case 0: sum += 1;
        case 1: sum += 2; break;
        case 2: { int y = sum * 3; { int z = y + 1; sum = z ^ y; } break; }
        case 3: continue;
        case 4: if (sum > 40) goto out; sum += depth(2); break;
        default: sum--;
        }
        sum += i;
    }
out:
    return sum;
}
static int compares(const void *a, const void *b) {
    int left = *(const unsigned char *)a, right = *(const unsigned char *)b;
    if (left < right) return -1;
    return left > right;
}
static void last(void) { if (x[8] == 1) x[9] = 2; else x[9] = 3; }
__attribute__((constructor)) static void first(void) { atexit(last); x[15] = 1; }
int main(void) {
    klee_make_symbolic(x, sizeof x, "x");
    int sum = depth(4) + even(5) + tries() + switches(9);
    unsigned char copy[4];
    memcpy(copy, x + 10, 4);
    qsort(copy, 4, 1, compares);
    sum += copy[0] / (x[14] - 3);
    return sum + (strcmp((char *)x, "aaa") == 0);
}
"#;

#[test]
fn questions_in_callees_and_jumps_out_of_them() {
    let mut seen = Seen::default();
    for level in ["-O0", "-O1 -fno-inline", "-O2"] {
        let bitcode = compiled_text(DIRECTED, level);
        let seeds = count("REFRAIN_TRACED_SEEDS", 12, 200);
        seen += follow_all(&bitcode, &[], seeds, &format!("directed {level}"));
    }
    assert!(seen.questions > 2000 && seen.returns > 2000, "{seen:?}");
}

/// Against coverage that starts anew with every run.
#[test]
fn every_run_says_how_blocks_were_left() {
    let mut seen = 0;
    for level in ["-O0", "-O1 -fno-inline", "-O2"] {
        let bitcode = compiled_text(DIRECTED, level);
        let assembled = assemble([("program.bc", &bitcode[..])], &[]).expect("a program");
        let (mut program, mut pristine) = Instrumented::new(assembled.program, Options::default());
        let (machine, mut terms) = (&mut program.machine, Terms::new());
        for seed in 0..count("REFRAIN_TRACED_SEEDS", 6, 100) {
            let (fuel, mut input) = (FUELS[seed as usize % 3], Input::new(seed));
            let mut state = machine.fork(&mut pristine);
            let started = machine.start(&mut state, "main", &[b"program".to_vec()], &[]);
            started.expect("a main function");
            loop {
                machine.forget_coverage();
                let stop = machine.run(&mut terms, &mut state, fuel(&mut input.random));
                let left = machine
                    .take_ran()
                    .iter()
                    .filter_map(|piece| match piece.part {
                        Part::Left(way) => Some((piece.function, piece.block, way)),
                        Part::Begun | Part::Passed(_) => None,
                    });
                let left: BTreeSet<(u32, u32, i32)> = left.collect();
                let edges = machine
                    .covered()
                    .into_iter()
                    .filter(|mark| mark.edge != Mark::ENTRY);
                let edges = edges.map(|mark| {
                    let code = machine.linked().code(mark.function).expect("it has run");
                    let edge = code.edges[mark.edge as usize];
                    (mark.function, edge.from, edge.to as i32 - edge.from as i32)
                });
                assert_eq!(left, edges.collect(), "{level}, seed {seed}");
                seen += left.len();
                match stop {
                    Stop::Ask(ask) => {
                        let answer = input.answer(&mut terms, &ask);
                        machine.answer(&mut state, &answer);
                    }
                    Stop::OutOfFuel => {}
                    Stop::End(_) => break,
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// Whatever a path reaches could be reached from the stacks on the way, by the choices that it took.
#[test]
fn stacks_lead_to_what_is_reached() {
    let (mut seen, mut reached, mut out_of_reach) = (0, 0, 0);
    for level in ["-O0", "-O1 -fno-inline", "-O2"] {
        let bitcode = compiled_text(DIRECTED, level);
        let assembled = assemble([("program.bc", &bitcode[..])], &[]).expect("a program");
        let (mut program, state) = Instrumented::new(assembled.program, Options::default());
        let (machine, mut terms) = (&mut program.machine, Terms::new());
        let start = Start::Main {
            entry: "main".into(),
            world: refrain_machine::World::given(&[b"program".to_vec()], &[]),
        };
        machine.set_start(state, start).expect("a main function");
        for (target, seed) in ["tries", "compares", "odd", "depth", "main"]
            .iter()
            .zip(0..)
        {
            let function = machine.linked().find(target);
            let (Some(function), Ok(())) = (function, machine.set_target(target)) else {
                continue;
            };
            let (mut state, mut input) = (machine.begin(&mut terms), Input::new(seed));
            // Since the target was reached last.
            let mut expected: Vec<(bool, String)> = Vec::new();
            loop {
                let stop = machine.run(&mut terms, &mut state, 20);
                if machine
                    .take_ran()
                    .iter()
                    .any(|piece| piece.function == function)
                {
                    reached += usize::from(!expected.is_empty());
                    for (may_reach, what) in expected.drain(..) {
                        assert!(may_reach, "{what}");
                    }
                }
                let choice = match stop {
                    Stop::Ask(ask) => {
                        let answer = input.answer(&mut terms, &ask);
                        let plain = machine.stack(&state, None);
                        machine.answer(&mut state, &answer);
                        match answer {
                            Answer::Choice(choice) => Some((plain, choice)),
                            Answer::Value(_) => None,
                        }
                    }
                    Stop::OutOfFuel => None,
                    Stop::End(_) => break,
                };
                let stack = machine.stack(&state, None);
                let named = stack.iter().map(|&point| {
                    let name = machine.describe(point);
                    machine.find_point(&name.symbol, name.block, name.instruction)
                });
                assert_eq!(named.collect::<Option<Vec<_>>>().as_ref(), Some(&stack));
                if stack.iter().any(|point| point.function == function) {
                    continue;
                }
                let may_reach = machine.distance_of(&stack, None, Goal::Target).is_some();
                if let Some((plain, choice)) = choice {
                    let by_choice = machine.distance_of(&plain, Some(choice), Goal::Target);
                    assert_eq!(by_choice.is_some(), may_reach, "{stack:?}, {choice}");
                }
                expected.push((may_reach, format!("{level}, {target}, {stack:?}")));
                (seen, out_of_reach) = (seen + 1, out_of_reach + usize::from(!may_reach));
            }
        }
    }
    assert!(
        reached > 10 && out_of_reach > 100,
        "{seen}: {reached}, {out_of_reach}"
    );
}

/// Runs from the start to the end, in one arena, and gives the blocks by function name.
fn blocks_of(program: &mut Instrumented, pristine: &mut State) -> BTreeSet<(String, u32)> {
    let mut state = program.machine.fork(pristine);
    let arguments = [b"program".to_vec()];
    let started = program.machine.start(&mut state, "main", &arguments, &[]);
    started.expect("a main function");
    let stop = program.machine.run(&mut Terms::new(), &mut state, u64::MAX);
    assert!(matches!(stop, Stop::End(End::Exit(_))), "{stop:?}");
    let ran = program.machine.take_ran().to_vec();
    ran.iter()
        .map(|&block| (program.machine.code(block).symbol, block.block))
        .collect()
}

#[test]
fn tracing_can_be_switched_and_leaves_coverage_alone() {
    let text = "
int sink;
int never(int x) { if (x) return 1; return 2; }
void *volatile shown = &sink;
int twice(int x) { for (int i = 0; i < 3; i++) { if (x > 10) sink++; else sink--; } return sink; }
int printf(const char *, ...);
int main(void) { printf(\"%p\", shown); twice(1); twice(20); switch (sink) { case 0: sink = 1; break; case 7: never(3); } return 0; }
";
    let bitcode = compiled_text(text, "-O0");
    let program = || {
        let assembled = assemble([("program.bc", &bitcode[..])], &[]).expect("a program");
        Instrumented::new(assembled.program, Options::default())
    };
    let (mut plain, mut state) = program();
    plain.machine.trace_code(false);
    assert!(blocks_of(&mut plain, &mut state).is_empty());
    assert!(blocks_of(&mut plain, &mut state).is_empty());
    let coverage = plain.machine.coverage();
    // What has been seen already is noted all the same.
    plain.machine.trace_code(true);
    let late = blocks_of(&mut plain, &mut state);
    let (mut traced, mut state) = program();
    let blocks = blocks_of(&mut traced, &mut state);
    assert_eq!(late, blocks);
    assert_eq!(blocks_of(&mut traced, &mut state), blocks);
    assert_eq!(traced.machine.coverage(), coverage);
    assert_eq!(plain.machine.coverage(), coverage);
    // Also what another machine has covered.
    let (mut told, mut state) = program();
    told.machine.cover(traced.machine.marks());
    assert_eq!(blocks_of(&mut told, &mut state), blocks);
    assert!(blocks.contains(&("twice".to_string(), 0)) && blocks.contains(&(String::new(), 0)));
    assert!(blocks.iter().all(|(symbol, _)| symbol != "never"));
}
