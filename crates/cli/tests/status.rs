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

/// What the program lacks says nothing about the program.
#[test]
fn what_nobody_defines_is_2_and_named() {
    let source = |name: &str, text: &str| {
        let text = format!("namespace lib {{ extern int table[4]; int look(int); }}\n{text}");
        let text = format!("#include <klee/klee.h>\n{text}");
        file(&format!("status-missing-{name}.cpp"), text.as_bytes())
    };
    for (name, text, what) in [
        (
            "variable",
            "int main() { return lib::table[1]; }",
            "a use of the variable lib::table",
        ),
        (
            "written",
            "int main() { lib::table[3] = 1; return 0; }",
            "a use of the variable lib::table",
        ),
        (
            "function",
            "int main() { return lib::look(1); }",
            "a call of lib::look(int)",
        ),
    ] {
        let program = source(name, text);
        let output = run(&["run", program.to_str().expect("UTF-8")]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(what), "{said}");
        assert!(said.contains("used and not defined: lib::"), "{said}");
    }
    // Paths that do without it come to their ends.
    let text = "int main() { int n = klee_int(\"n\"); return n == 5 ? lib::table[n & 3] : 0; }";
    let program = source("partly", text);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let program = program.to_str().expect("UTF-8");
    let output = run(&["run", "--out", out.to_str().expect("UTF-8"), program]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("errors: none found"), "{said}");
    assert!(
        said.contains("given up: 1 path: a use of the variable lib::table"),
        "{said}"
    );
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

/// A program without symbolic input whose reader goes away ends as it does natively: by the signal.
#[test]
fn a_program_ends_when_nobody_reads_it() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    let text = "#include <stdio.h>\nint main(void) { for (;;) puts(\"y\"); }\n";
    let program = file("status-endless.c", text.as_bytes());
    let mut child = Command::new(common::REFRAIN)
        .arg("run")
        .arg(program)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut line = [0; 2];
    let mut output = child.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut output, &mut line).expect("a line");
    assert_eq!(&line, b"y\n");
    drop(output);
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(13), "{status}");
}
