//! Exit statuses of `refrain run`, as the guide's table has them. That of an interrupt is tested on a terminal.

mod common;

use std::path::PathBuf;

use common::{file, run};

const HEADER: &str = "#include <assert.h>\n#include <klee/klee.h>\n";

fn program(name: &str, body: &str) -> PathBuf {
    let text =
        format!("{HEADER}int main(void) {{ int n = klee_int(\"n\");\n{body}\nreturn 0; }}\n");
    file(&format!("status-{name}.c"), text.as_bytes())
}

/// The status of a run, and what it says.
fn explore(switches: &[&str], name: &str, body: &str) -> (Option<i32>, String) {
    let program = program(name, body);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let mut arguments = vec!["run", "--out", out.to_str().expect("UTF-8")];
    arguments.extend(switches);
    arguments.push(program.to_str().expect("UTF-8"));
    let output = run(&arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn nothing_found_is_0_and_an_error_is_1() {
    let (status, said) = explore(&["--complete"], "sound", "if (n > 3) return 1;");
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = explore(&[], "wrong", "assert(n != 77);");
    assert_eq!(status, Some(1), "{said}");
}

#[test]
fn what_cannot_be_compiled_is_2() {
    let (status, said) = explore(&[], "broken", "this is not C");
    assert_eq!(status, Some(2), "{said}");
}

#[test]
fn no_path_to_its_end_is_3() {
    let (status, said) = explore(&["--max-instructions", "100"], "endless", "for (;;) n++;");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("no path came to an end"), "{said}");
}

#[test]
fn what_is_left_is_3_only_where_all_is_wanted() {
    let body = "for (int i = 0; i < n; i++) if (i == 9) return 1;";
    let (status, said) = explore(&["--max-depth", "4"], "deep", body);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("unexplored: "), "{said}");
    let (status, said) = explore(&["--max-depth", "4", "--complete"], "deeper", body);
    assert_eq!(status, Some(3), "{said}");
}

#[test]
fn an_error_counts_more_than_what_is_left() {
    let body = "assert(n != -5); for (int i = 0; i < n; i++) if (i == 9) return 1;";
    let (status, said) = explore(&["--max-depth", "4", "--complete"], "both", body);
    assert_eq!(status, Some(1), "{said}");
}

#[test]
fn an_assumption_that_nothing_satisfies_is_an_error() {
    let (status, said) = explore(&[], "impossible", "klee_assume(n > 3); klee_assume(n < 2);");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("error: impossible assumption"), "{said}");
}
