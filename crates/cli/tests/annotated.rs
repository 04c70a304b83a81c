//! What annotations of a program come to in a run: forking off and on, functions in the place of others, memory at
//! addresses of the program's choice, sizes that depend on input, and thousands of inputs.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Explores a program; what the run left behind, as JSON.
fn explored(folder: &Path, source: &str) -> serde_json::Value {
    fs::write(folder.join("program.c"), source).expect("a program");
    let refrain = |arguments: &[&str]| {
        let mut command = Command::new(common::REFRAIN);
        command.env("REFRAIN_STORE", "none").args(arguments);
        let output = command.current_dir(folder).output();
        output.expect("refrain starts")
    };
    refrain(&["run", "--tests", "all", "--out", "out", "program.c"]);
    let report = refrain(&["report", "out", "--as", "json"]);
    serde_json::from_slice(&report.stdout).expect("a report")
}

/// Bytes by name, in order.
type Inputs = Vec<(String, Vec<u8>)>;

/// The tests of a run: the bytes of the inputs by name, and the status.
fn tests(report: &serde_json::Value) -> Vec<(Inputs, i64)> {
    let tests = report["tests"].as_array().expect("tests").iter();
    tests
        .map(|test| {
            let inputs = test["inputs"].as_array().expect("inputs").iter();
            let inputs = inputs.map(|input| {
                let hex = input["bytes"].as_str().expect("bytes");
                let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a byte");
                let name = input["name"].as_str().expect("a name").to_string();
                (name, (0..hex.len()).step_by(2).map(byte).collect())
            });
            let status = test["outcome"]["status"].as_i64().expect("a status");
            (inputs.collect(), status)
        })
        .collect()
}

#[test]
fn forking_is_switched_off_and_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char a, b, c;
    klee_make_symbolic(&a, 1, "a");
    klee_make_symbolic(&b, 1, "b");
    klee_make_symbolic(&c, 1, "c");
    int seen = 0;
    if (a > 5) seen |= 1;
    klee_set_forking(0);
    if (b > 5) seen |= 2;
    if (b & 1) seen |= 4;
    switch (b >> 1 & 3) {
    case 0: seen |= 8; break;
    case 1: seen |= 16; break;
    }
    klee_set_forking(1);
    if (c == 7) seen |= 32;
    return seen;
}
"#;
    let report = explored(folder.path(), source);
    let tests = tests(&report);
    // Two ways before, one in between, two after.
    let mut ways: Vec<(bool, bool)> = Vec::new();
    for (inputs, status) in &tests {
        let byte = |name: &str| {
            let found = inputs.iter().find(|(input, _)| input == name);
            i64::from(found.expect("an input").1[0])
        };
        let (a, b, c) = (byte("a"), byte("b"), byte("c"));
        let middle = [8, 16, 0, 0][(b >> 1 & 3) as usize];
        let expected = i64::from(a > 5)
            | i64::from(b > 5) << 1
            | (b & 1) << 2
            | middle
            | i64::from(c == 7) << 5;
        assert_eq!(*status, expected, "{inputs:?}");
        ways.push((a > 5, c == 7));
    }
    ways.sort_unstable();
    let both = [(false, false), (false, true), (true, false), (true, true)];
    assert_eq!(ways, both);
    let left = report["left_open"].as_array().expect("what was left");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["why"], "the program switched forking off");
    // On either side of the first branch: one way of each of the two, and two of the switch.
    assert_eq!(left[0]["paths"], 8);
}

#[test]
fn a_function_is_called_in_the_place_of_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int original(int x) { return x + 1; }
int other(int x) { return x * 2; }
size_t my_strlen(const char *text) { return text[0]; }
void *my_malloc(size_t size) { return (void *)(size + 1); }
int main(int argc, char **argv) {
    int (*pointer)(int) = original;
    char *volatile text = "abc";
    printf("%d %d %d\n", original(10), pointer(10), (int)strlen(text));
    klee_alias_function("original", "other");
    klee_alias_function("strlen", "my_strlen");
    klee_alias_function("malloc", "my_malloc");
    klee_alias_function("nobody calls this", "other");
    printf("%d %d %d %d %d\n", original(10), pointer(10), other(10), (int)strlen(text), (int)(long)malloc(6));
    klee_alias_function("original", "original");
    klee_alias_function("other", "original");
    printf("%d %d %d\n", original(10), pointer(10), other(10));
    if (argc > 1) klee_alias_function("original", "nowhere");
    return 0;
}
"#;
    fs::write(folder.path().join("program.c"), source).expect("a program");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(common::REFRAIN);
        command.args(["run", "program.c"]).args(arguments);
        command
            .current_dir(folder.path())
            .output()
            .expect("it starts")
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said, "11 11 3\n20 20 20 97 7\n11 11 11\n");
    let output = run(&["--", "more"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("there is no function nowhere"), "{said}");
}

#[test]
fn what_is_there_already_is_not_overlapped() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |place: &str| {
        let source = format!(
            "#include <klee/klee.h>\nstatic int there[4];\nint main(void) {{\n    char c;\n    \
             klee_make_symbolic(&c, 1, \"c\");\n    klee_define_fixed_object((void *)0x1000, 16);\n    \
             klee_define_fixed_object({place}, 8);\n    return there[0];\n}}\n"
        );
        let out = folder.path().join("out");
        if out.exists() {
            fs::remove_dir_all(out).expect("the folder is ours");
        }
        explored(folder.path(), &source)
    };
    for (place, message) in [
        ("(char *)there + 8", "there of 16 bytes is there"),
        (
            "(void *)0xff9",
            "klee_define_fixed_object of 16 bytes is there",
        ),
        ("(void *)0", "nothing can be there"),
        ("(void *)-8", "nothing can be there"),
        ("(void *)main", "nothing can be there"),
    ] {
        let report = program(place);
        let errors = report["errors"].as_array().expect("errors");
        assert_eq!(errors.len(), 1, "{place}");
        let said = errors[0]["message"].as_str().expect("a message");
        assert!(said.contains(message), "{place}: {said}");
        assert_eq!(errors[0]["place"]["line"], 7, "{place}");
    }
    for place in ["(void *)0x1010", "(void *)0xff8", "(void *)0x7000000000"] {
        let report = program(place);
        assert_eq!(
            report["errors"].as_array().map(Vec::len),
            Some(0),
            "{place}"
        );
        assert_eq!(tests(&report).len(), 1);
    }
}

/// The names of thousands of inputs are as quickly found as that of one, and all of them are in the test.
#[test]
fn thousands_of_inputs_have_a_name_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
int __VERIFIER_nondet_int(void);
int main(void) {
    int sum = 0;
    for (int i = 0; i < 5000; i++) sum += __VERIFIER_nondet_int();
    if (sum == 77) return 1;
    return 0;
}
"#;
    let report = explored(folder.path(), source);
    for (inputs, status) in tests(&report) {
        assert_eq!(inputs.len(), 5000);
        let names: BTreeSet<&String> = inputs.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 5000);
        assert_eq!(inputs[0].0, "nondet_int");
        assert_eq!(inputs[4999].0, "nondet_int_5000");
        let value = |bytes: &Vec<u8>| i32::from_le_bytes(bytes[..].try_into().expect("an int"));
        let sum = inputs
            .iter()
            .fold(0i32, |sum, (_, bytes)| sum.wrapping_add(value(bytes)));
        assert_eq!(status, i64::from(sum == 77));
    }
}

/// Of a size that may be nearly anything, a few are tried: what no allocator has room for, the least, the greatest. The
/// others are one boundary.
#[test]
fn a_size_that_may_be_anything_is_a_few_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    size_t n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n > 2);
    char *memory = malloc(n);
    if (!memory) return 1;
    memory[n - 1] = 7;
    memory[2] = 8;
    return memory[n - 1] == (n == 3 ? 8 : 7) ? 2 : 3;
}
"#;
    let report = explored(folder.path(), source);
    let mut sizes = Vec::new();
    for test in report["tests"].as_array().expect("tests") {
        if test["outcome"]["kind"] != "exit" {
            continue;
        }
        let bytes = test["inputs"][0]["bytes"].as_str().expect("bytes");
        let size = u64::from_str_radix(bytes, 16)
            .expect("a number")
            .swap_bytes();
        let status = test["outcome"]["status"].as_i64().expect("a status");
        // More than a terabyte is not to be had.
        assert_eq!(status, if size > 1 << 40 { 1 } else { 2 }, "{size}");
        sizes.push(size);
    }
    sizes.sort_unstable();
    assert!((4..20).contains(&sizes.len()), "{sizes:?}");
    assert!(
        sizes.contains(&3) && sizes.contains(&(1 << 40)),
        "{sizes:?}"
    );
    assert!(sizes.last() > Some(&(1 << 40)), "{sizes:?}");
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(0));
    let left = report["left_open"].as_array().expect("what was left");
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["cause"]["kind"], "other-values");
    assert_eq!(left[0]["paths"], 1);
}

/// A pointer that may be anything: each object of the heap, null, and one error for all the rest.
#[test]
fn a_pointer_to_free_that_may_be_anything_is_a_few_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    void *pointer, *first = malloc(4), *second = malloc(400000), *third = malloc(4);
    klee_make_symbolic(&pointer, sizeof pointer, "pointer");
    free(third);
    free(pointer);
    if (pointer == first) return 1;
    if (pointer == second) return 2;
    if (pointer == NULL) return 3;
    return 4;
}
"#;
    let report = explored(folder.path(), source);
    let tests = report["tests"].as_array().expect("tests");
    let mut statuses: Vec<Option<i64>> = tests
        .iter()
        .map(|test| test["outcome"]["status"].as_i64())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [None, Some(1), Some(2), Some(3)]);
    let errors = report["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1);
    let kind = errors[0]["error"].as_str();
    assert!(
        matches!(kind, Some("invalid free" | "double free")),
        "{kind:?}"
    );
    assert_eq!(errors[0]["place"]["line"], 8);
    assert_eq!(report["left_open"].as_array().map(Vec::len), Some(0));
}

/// A pointer to a function that may be anything: those that are called, and one error each for null and for no function.
#[test]
fn a_pointer_that_is_called_is_a_path_a_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
int main(void) {
    int (*pointer)(void);
    klee_make_symbolic(&pointer, sizeof pointer, "pointer");
    klee_assume((pointer == one) | (pointer == two) | ((uintptr_t)pointer < 1000000));
    return pointer();
}
"#;
    let report = explored(folder.path(), source);
    let tests = report["tests"].as_array().expect("tests");
    let mut statuses: Vec<Option<i64>> = tests
        .iter()
        .map(|test| test["outcome"]["status"].as_i64())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [None, None, Some(1), Some(2)]);
    let errors = report["errors"].as_array().expect("errors").iter();
    let kinds: BTreeSet<&str> = errors.filter_map(|error| error["error"].as_str()).collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["call of a null function", "call of no function"])
    );
}

/// A harness that assumes what cannot be checks nothing, and says so; one that branches on the way there does not.
#[test]
fn an_assumption_that_no_path_passes_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = r#"
#include <klee/klee.h>
int main(void) {
    int x = klee_int("x");
    if (x > 5) {
        klee_assume(x < 3);
        return 1;
    }
    klee_assume(x > 0 && x < 4);
    return 2;
}
"#;
    let report = explored(folder.path(), source);
    let errors = report["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["error"], "impossible assumption");
    assert_eq!(errors[0]["place"]["line"], 6);
}
