//! What of its source a run executes, to the line: of small C programs, which say so themselves.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use refrain_llvm::load::Options;
use refrain_llvm::machine::{Item, Machine, Outline, State};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::{Machine as _, Stop};
use refrain_term::Terms;
use support::compile;

struct Program {
    machine: Machine,
    pristine: State,
    outline: Outline,
}

fn load(text: &str, level: &str) -> Option<Program> {
    let clang = compile::clang_or_skip()?;
    let bitcode = compile::bitcode_of(&clang, text, level);
    let program = assemble([("program.bc", &bitcode[..])], &[])
        .expect("a program")
        .program;
    let (machine, pristine) =
        Machine::new(program, Options::default(), Box::new(Detached)).expect("a program that fits");
    let outline = machine.outline(|path| path.ends_with("program.c"));
    Some(Program {
        machine,
        pristine,
        outline,
    })
}

impl Program {
    /// The items of one run with so many arguments.
    fn run(&mut self, arguments: usize) -> BTreeSet<Item> {
        self.machine.forget_coverage();
        let mut state = self.machine.fork(&mut self.pristine);
        let arguments = vec![b"x".to_vec(); arguments];
        let started = self.machine.start(&mut state, "main", &arguments, &[]);
        started.expect("a main function");
        let stop = self.machine.run(&mut Terms::new(), &mut state, 1_000_000);
        assert!(!matches!(stop, Stop::Ask(_)), "{stop:?}");
        let ran = self.machine.ran_items(&self.outline, &state);
        let items = ran
            .iter()
            .map(|&number| &self.outline.items[number as usize]);
        items.map(|(_, item)| item.clone()).collect()
    }

    /// Every line with code, and whether it ran.
    fn lines(&mut self, arguments: usize) -> BTreeMap<u32, bool> {
        let ran = self.run(arguments);
        let lines = self
            .outline
            .items
            .iter()
            .filter_map(|(_, item)| match item {
                Item::Line(line) => Some((*line, ran.contains(item))),
                _ => None,
            });
        lines.collect()
    }
}

/// Lines with `// ran` behind them have run, those with `// not` have code that has not, the others have none.
#[track_caller]
fn says_itself(text: &str) {
    let Some(mut program) = load(text, "-O0 -g") else {
        return;
    };
    let found = program.lines(1);
    for (number, line) in (1..).zip(text.lines()) {
        let expected = match line.split_once("//") {
            Some((_, " ran")) => Some(&true),
            Some((_, " not")) => Some(&false),
            _ => None,
        };
        assert_eq!(found.get(&number), expected, "{number}: {line}");
    }
}

#[test]
fn nothing_runs_behind_a_call_that_does_not_return() {
    says_itself(
        "void exit(int);
int sink;
void leave(int x) { // ran
    sink = 1; // ran
    exit(x); // ran
}
int main(int argc, char **argv) { // ran
    int unset;
    sink = 3; // ran
    leave(0); // ran
    sink = 4; // not
    return 0; // not
}",
    );
}

#[test]
fn what_was_run_to_its_end_before_has_run() {
    says_itself(
        "void abort(void);
int sink;
void touch(int x) { // ran
    if (x == 3) // ran
        abort(); // ran
} // ran
void step(int x) { // ran
    touch(x); // ran
    sink++; // ran
} // ran
int main(int argc, char **argv) { // ran
    for (int i = 0; i < 5; i++) // ran
        step(i); // ran
    return 0; // not
}",
    );
}

#[test]
fn an_error_ends_a_line() {
    says_itself(
        "int sink, zero;
int main(int argc, char **argv) { // ran
    sink = 1; // ran
    sink = argc / zero; // ran
    sink = 3; // not
    return 0; // not
}",
    );
}

#[test]
fn a_long_jump_leaves_functions_in_the_middle() {
    says_itself(
        "#include <setjmp.h>
jmp_buf place;
int sink;
void jump(void) { // ran
    longjmp(place, 1); // ran
}
void between(void) { // ran
    sink = 1; // ran
    jump(); // ran
    sink = 2; // not
} // not
int main(int argc, char **argv) { // ran
    if (setjmp(place) == 0) { // ran
        between(); // ran
        sink = 3; // not
    } // not
    sink = 4; // ran
    return 0; // ran
}",
    );
}

const WAYS: &str = "int sink;
static int pick(int x) {
    switch (x) {
    case 1: return 1;
    case 2: case 3: return 2;
    }
    return x > 4 || x == 0;
}
int main(int argc, char **argv) { return pick(argc); }";

/// Outcomes of branches: by line and way.
fn ways(items: &BTreeSet<Item>) -> Vec<(u32, u32)> {
    let ways = items.iter().filter_map(|item| match item {
        Item::Outcome { line, way, .. } => Some((*line, *way)),
        _ => None,
    });
    ways.collect()
}

#[test]
fn a_run_is_seen_by_itself() {
    let Some(mut program) = load(WAYS, "-O0 -g") else {
        return;
    };
    for _ in 0..2 {
        assert_eq!(ways(&program.run(1)), [(3, 0)]);
        assert_eq!(ways(&program.run(2)), [(3, 1)]);
        assert_eq!(ways(&program.run(3)), [(3, 1)]);
        // Not more than four, and then not zero.
        assert_eq!(ways(&program.run(4)), [(3, 2), (7, 1)]);
        assert_eq!(ways(&program.run(5)), [(3, 2), (7, 0)]);
    }
}

#[test]
fn two_machines_number_alike() {
    let Some(one) = load(WAYS, "-O0 -g") else {
        return;
    };
    let other = load(WAYS, "-O0 -g").expect("a compiler again");
    assert_eq!(one.outline.items, other.outline.items);
    let names: BTreeSet<&str> = one
        .outline
        .items
        .iter()
        .filter_map(|(_, item)| match item {
            Item::Function { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, BTreeSet::from(["main", "pick"]));
}

/// An optimizer makes one function of two; both are still there.
#[test]
fn inlined_functions_are_functions() {
    let Some(mut program) = load(WAYS, "-O2 -g") else {
        return;
    };
    let ran = program.run(5);
    for name in ["main", "pick"] {
        let is_it =
            |item: &Item| matches!(item, Item::Function { name: known, .. } if known == name);
        assert!(ran.iter().any(is_it), "{name} {ran:?}");
    }
}
