//! What has run, and how far it is to what has not: blocks, branches, lines and distances of small C programs.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use refrain_explore::paths::{self, Bounds};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, State};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::ExitStatus;
use refrain_machine::{Answer, Ask, Goal, Machine as _, Stop};
use refrain_solver::native::Native as Solver;
use refrain_term::{Evaluator, Terms};
use support::compile;

fn load(text: &str, level: &str) -> (Machine, State) {
    let clang = compile::clang();
    let bitcode = compile::bitcode_of(&clang, text, level);
    let program = assemble([("program.bc", &bitcode[..])], &[])
        .expect("a program")
        .program;
    let (mut machine, mut state) =
        Machine::new(program, Options::default(), Box::new(Detached)).expect("a program that fits");
    machine
        .start(&mut state, "main", &[b"program".to_vec()], &[])
        .expect("a main function");
    (machine, state)
}

/// Runs to the end, with these answers to questions.
fn run(machine: &mut Machine, terms: &mut Terms, state: &mut State, answers: &[u32]) -> End {
    let mut answers = answers.iter();
    loop {
        match machine.run(terms, state, 1_000_000) {
            Stop::End(end) => return end,
            Stop::Ask(Ask::Choose(_)) => {
                let answer = answers.next().expect("an answer to every question");
                machine.answer(state, &Answer::Choice(*answer));
            }
            other => panic!("{other:?}"),
        }
    }
}

const BRANCHES: &str = "
int sink;
int never(int x) { if (x) return 1; return 2; }
int twice(int x) { if (x > 10) sink++; else sink--; return sink; }
int main(void) { twice(1); twice(20); if (sink == 100) never(3); return 0; }
";

#[test]
fn blocks_and_outcomes_are_counted() {
    let (mut machine, mut state) = load(BRANCHES, "-O0");
    let before = machine.coverage();
    assert_eq!((before.blocks.0, before.branches), (0, (0, 6)));
    let end = run(&mut machine, &mut Terms::new(), &mut state, &[]);
    assert_eq!(end, End::Exit(ExitStatus::Known(0)));
    let after = machine.coverage();
    // Of `never` nothing ran, and neither did the block that calls it.
    assert_eq!(after.blocks, (6, 11));
    assert_eq!(after.branches, (3, 6));
    assert_eq!(machine.newly_covered() as usize, machine.marks().len());
    assert_eq!(machine.newly_covered(), 0);
}

#[test]
fn what_ran_again_is_nothing_new() {
    let (mut machine, mut state) = load(BRANCHES, "-O0");
    let mut terms = Terms::new();
    let mut again = machine.fork(&mut state);
    run(&mut machine, &mut terms, &mut state, &[]);
    assert!(machine.newly_covered() > 0);
    let first = machine.coverage();
    let instructions = machine.instructions(&state);
    run(&mut machine, &mut terms, &mut again, &[]);
    assert_eq!(machine.newly_covered(), 0);
    assert_eq!(machine.coverage(), first);
    assert_eq!(machine.instructions(&again), instructions);
}

#[test]
fn marks_go_from_machine_to_machine() {
    let (mut machine, mut state) = load(BRANCHES, "-O0");
    run(&mut machine, &mut Terms::new(), &mut state, &[]);
    let (mut other, mut state) = load(BRANCHES, "-O0");
    other.cover(machine.marks());
    assert_eq!(other.coverage(), machine.coverage());
    run(&mut other, &mut Terms::new(), &mut state, &[]);
    assert_eq!(other.newly_covered(), 0);
}

/// Two versions of a program: what the first ran counts in the second where it is the same, and nowhere else.
#[test]
fn what_another_version_ran_is_covered_where_it_is_the_same() {
    let text = "
void klee_assume(unsigned long);
int sink;
int twice(int x) { if (x > 10) sink++; else sink--; return sink; }
int main(int argc, char **argv) { klee_assume(argc); twice(1); twice(20); if (sink == 100) return 3; return 0; }
";
    let edited = text
        .replace("sink++", "sink += 2")
        .replace("sink == 100", "sink != 100");
    let (mut before, mut state) = load(text, "-O0");
    before.trace_code(true);
    run(&mut before, &mut Terms::new(), &mut state, &[]);
    let ran = before.take_ran().to_vec();
    let tell = |machine: &mut Machine| {
        for &piece in &ran {
            machine.cover_code(&before.code(piece));
        }
    };
    let (mut same, _) = load(text, "-O0");
    tell(&mut same);
    assert_eq!(same.covered(), before.covered());
    assert_eq!(same.passed_assumptions().count(), 1);
    // In `twice`, the block of the first case is another; in `main`, the first block.
    let (mut after, mut state) = load(&edited, "-O0");
    tell(&mut after);
    let told = after.coverage();
    assert_eq!((told.blocks, told.branches), ((5, 8), (2, 4)));
    assert_eq!(after.passed_assumptions().count(), 0);
    let distance =
        |after: &mut Machine, state: &State| after.distance(state, None, Goal::Uncovered);
    assert!(distance(&mut after, &state).is_some());
    run(&mut after, &mut Terms::new(), &mut state, &[]);
    // `main`, its way to the end, the block in `twice` though the way there is known, and the way out of it.
    assert_eq!(after.newly_covered(), 5);
    let (mut fresh, mut state) = load(&edited, "-O0");
    run(&mut fresh, &mut Terms::new(), &mut state, &[]);
    let (found, alone) = (after.coverage(), fresh.coverage());
    // The earlier version also ran what follows if `sink` is not 100.
    assert_eq!(
        (found.blocks.0, found.branches.0),
        (alone.blocks.0 + 1, alone.branches.0)
    );
}

const SWITCH: &str = "
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, \"x\");
    switch (x) {
    case 1: case 2: return 5;
    case 3: return 6;
    case 4: return 7;
    case 5: return 8;
    default: return 0;
    }
}
";

#[test]
fn a_switch_has_an_outcome_for_each_place_it_leads_to() {
    for level in ["-O0", "-O1 -fno-jump-tables"] {
        let (mut machine, state) = load(SWITCH, level);
        if machine.coverage().branches.1 != 5 {
            // An optimizer has made a table of it.
            assert_ne!(level, "-O0");
            continue;
        }
        let mut seen = Vec::new();
        paths::explore(
            &mut machine,
            &mut Terms::new(),
            &mut Solver::default(),
            state,
            &Bounds::default(),
            |_, _, path| {
                seen.push(path.end);
                true
            },
        );
        assert_eq!(seen.len(), 5);
        assert_eq!(machine.coverage().branches, (5, 5));
        let coverage = machine.coverage();
        assert_eq!(coverage.blocks.0, coverage.blocks.1);
    }
}

#[test]
fn concrete_switches_are_seen_too() {
    let text = "
        int go(int x) { switch (x) { case 1: case 2: return 5; case 3: return 6; case 4: return 7; default: return 0; } }
        int main(int argc, char **argv) { return go(argc) + go(argc + 1) + go(argc + 3) - 17; }";
    let (mut machine, mut state) = load(text, "-O0");
    let end = run(&mut machine, &mut Terms::new(), &mut state, &[]);
    assert_eq!(end, End::Exit(ExitStatus::Known(0)));
    assert_eq!(machine.coverage().branches, (2, 4));
}

/// What comes after a call that never returns has not run.
#[test]
fn a_call_that_ends_the_program_covers_nothing_after_it() {
    let text = "
        void exit(int);
        int sink;
        void leave(int x) { if (x) exit(0); sink = 1; }
        int main(int argc, char **argv) { for (int i = 0; i < 1; i++) { leave(argc); } sink = 2; return 1; }";
    let (mut machine, mut state) = load(text, "-O0 -g");
    let end = run(&mut machine, &mut Terms::new(), &mut state, &[]);
    assert_eq!(end, End::Exit(ExitStatus::Known(0)));
    let coverage = machine.coverage();
    assert_eq!(coverage.branches, (2, 4));
    assert_eq!(coverage.blocks, (5, 8));
}

#[test]
fn lines_have_run_or_not() {
    let text = "int sink;
int main(int argc, char **argv) {
    if (argc > 5)
        sink = 1;
    else
        sink = 2;
    return 0;
}";
    let (mut machine, mut state) = load(text, "-O0 -g");
    run(&mut machine, &mut Terms::new(), &mut state, &[]);
    let lines = machine.lines();
    let (file, lines) = lines.iter().next().expect("a file");
    assert!(file.ends_with("program.c"), "{file}");
    assert_eq!(lines.get(&3), Some(&true));
    assert_eq!(lines.get(&4), Some(&false));
    assert_eq!(lines.get(&6), Some(&true));
}

const FAR: &str = "
void klee_make_symbolic(void *, unsigned long, const char *);
int sink;
int deep(int x) { if (x == 7) { sink = 1;
    sink = 2; } return x; }
int near(int x) { return x + 1; }
int main(void) {
    int x;
    klee_make_symbolic(&x, 4, \"x\");
    if (x > 0) {
        deep(x);
    } else {
        near(x);
        near(x);
        near(x);
    }
    return 0;
}
";

#[test]
fn distances_shrink_on_the_way_to_a_target() {
    let (mut machine, mut state) = load(FAR, "-O0 -g");
    let mut terms = Terms::new();
    assert!(machine.set_target("program.c:99").is_err());
    assert!(machine.set_target("other.c:5").is_err());
    assert!(machine.set_target("nothing").is_err());
    assert_eq!(machine.distance(&state, None, Goal::Target), None);
    machine.set_target("program.c:5").expect("a line with code");
    let start = machine.distance(&state, None, Goal::Target).expect("a way");
    assert!(matches!(
        machine.run(&mut terms, &mut state, 1_000_000),
        Stop::Ask(_)
    ));
    let at_branch = machine.distance(&state, None, Goal::Target).expect("a way");
    assert!(at_branch < start, "{at_branch} {start}");
    // The branch is to `else` first.
    let mut other = machine.fork(&mut state);
    for (state, answer) in [(&mut state, 0), (&mut other, 1)] {
        machine.answer(state, &Answer::Choice(answer));
        // No further than over the branch.
        assert!(!matches!(
            machine.run(&mut terms, state, 1),
            Stop::End(End::Error(_))
        ));
    }
    let ways = [
        machine.distance(&state, None, Goal::Target),
        machine.distance(&other, None, Goal::Target),
    ];
    let found: Vec<u32> = ways.into_iter().flatten().collect();
    assert_eq!(found.len(), 1, "{ways:?}");
    assert!(found[0] < at_branch);
    assert!(!machine.is_target_covered());
}

#[test]
fn a_function_can_be_the_target() {
    let (mut machine, state) = load(FAR, "-O0");
    machine.set_target("deep").expect("a function");
    let deep = machine.distance(&state, None, Goal::Target).expect("a way");
    machine.set_target("near").expect("a function");
    let near = machine.distance(&state, None, Goal::Target).expect("a way");
    assert!(deep > 3 && near > 3, "{deep} {near}");
    assert!(machine.set_target("program.c:3").is_err());
}

#[test]
fn what_is_all_covered_is_nowhere_near() {
    let (mut machine, state) = load(FAR, "-O0");
    assert!(machine.distance(&state, None, Goal::Uncovered).is_some());
    let mut terms = Terms::new();
    let mut waiting = Vec::new();
    let mut state = state;
    // Past the first question, where both ways lead to what has not run.
    machine.run(&mut terms, &mut state, 1_000_000);
    assert!(machine.distance(&state, None, Goal::Uncovered).is_some());
    waiting.push(machine.fork(&mut state));
    let kept = machine.fork(&mut state);
    paths::explore(
        &mut machine,
        &mut terms,
        &mut Solver::default(),
        state,
        &Bounds::default(),
        |_, _, _| true,
    );
    let coverage = machine.coverage();
    assert_eq!(coverage.blocks.0, coverage.blocks.1);
    assert_eq!(coverage.branches.0, coverage.branches.1);
    for state in waiting.iter().chain([&kept]) {
        // Answers may be of before for a while.
        let mut last = Some(0);
        for _ in 0..100 {
            last = machine.distance(state, None, Goal::Uncovered);
        }
        assert_eq!(last, None);
    }
}

/// Through a pointer, and through a function of the library that is given one.
#[test]
fn calls_through_pointers_lead_somewhere() {
    let text = "
        void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
        int sink;
        int compare(const void *a, const void *b) { return sink; }
        int handler(int x) { return x + 1; }
        int (*table[])(int) = {handler};
        int main(int argc, char **argv) {
            int numbers[3] = {3, 1, 2};
            table[argc - 1](argc);
            qsort(numbers, 3, 4, compare);
            return 0;
        }";
    let (mut machine, state) = load(text, "-O0");
    for name in ["handler", "compare"] {
        machine.set_target(name).expect("a function");
        assert!(
            machine.distance(&state, None, Goal::Target).is_some(),
            "{name}"
        );
    }
}

#[test]
fn a_state_weighs_what_is_its_own() {
    let text = "
        void *malloc(unsigned long); void *memset(void *, int, unsigned long);
        void klee_make_symbolic(void *, unsigned long, const char *);
        int main(void) {
            int x;
            memset(malloc(1 << 20), 1, 1 << 20);
            klee_make_symbolic(&x, 4, \"x\");
            if (x) return 1;
            return 0;
        }";
    let (mut machine, mut state) = load(text, "-O0");
    assert!(matches!(
        machine.run(&mut Terms::new(), &mut state, 1_000_000),
        Stop::Ask(_)
    ));
    let alone = machine.weight(&state);
    assert!(alone > 1 << 20, "{alone}");
    let mut other = machine.fork(&mut state);
    machine.park(&mut other);
    let both = machine.weight(&state) + machine.weight(&other);
    assert!(both < alone + (1 << 18), "{both} {alone}");
}

/// What is printed does not decide which way a path goes.
#[test]
fn printing_a_number_leaves_it_open() {
    let text = "
        typedef struct FILE FILE; extern FILE *stdout, *stderr;
        int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int puts(const char *);
        int sprintf(char *, const char *, ...);
        void klee_make_symbolic(void *, unsigned long, const char *);
        int main(void) {
            int x; char y;
            klee_make_symbolic(&x, 4, \"x\");
            klee_make_symbolic(&y, 1, \"y\");
            printf(\"<%d|%5u|%-4hhd|%#x> \", x, x & 7, y, x);
            fprintf(stderr, \"%ld\\n\", (long)x * x);
            puts(\"end\");
            if (x < 0) return 1;
            return 0;
        }";
    let (mut machine, state) = load(text, "-O0");
    machine.print_later(true);
    let mut terms = Terms::new();
    let mut texts = Vec::new();
    paths::explore(
        &mut machine,
        &mut terms,
        &mut Solver::default(),
        state,
        &Bounds::default(),
        |machine, terms, path| {
            let mut evaluator = Evaluator::new();
            let bytes = |name: &str| -> Vec<u8> {
                let mut inputs = path
                    .state
                    .inputs
                    .iter()
                    .map(|(id, length)| machine.inputs().value(terms, &path.input, id, length));
                inputs
                    .find(|input| input.name == name)
                    .expect("an input")
                    .bytes
            };
            let x = i32::from_le_bytes(bytes("x").try_into().expect("four bytes"));
            let y = bytes("y")[0] as i8;
            let mut written = |descriptor| {
                path.state
                    .written(descriptor, |term| evaluator.small(terms, &path.input, term))
            };
            let hexadecimal = if x == 0 {
                "0".into()
            } else {
                format!("{x:#x}")
            };
            let expected = format!("<{x}|{:5}|{y:<4}|{hexadecimal}> end\n", x & 7);
            assert_eq!(String::from_utf8_lossy(&written(1)), expected);
            let square = i64::from(x) * i64::from(x);
            assert_eq!(String::from_utf8_lossy(&written(2)), format!("{square}\n"));
            texts.push(expected);
            true
        },
    );
    assert_eq!(texts.len(), 2, "{texts:?}");
}
