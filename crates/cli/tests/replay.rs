//! `refrain replay` on output directories that are written by hand: tests that are right, and tests that are wrong in
//! one way each.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use refrain_machine::{ErrorKind, Fault, InputValue, Parameter};
use refrain_results::{Cause, KTest, Outcome, OutputDirectory, PACK, Run, Source, Test};

/// A program with an output directory beside it.
struct Scene {
    folder: tempfile::TempDir,
    source: PathBuf,
    run: Run,
    tests: Vec<Test>,
}

fn scene(name: &str, text: &str) -> Scene {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join(name);
    fs::write(&source, text).expect("a writable folder");
    let run = Run {
        program: source.clone(),
        entry: "main".into(),
        arithmetic: "machine".into(),
        sources: vec![Source {
            path: source.clone(),
            hash: Source::hash_of(text.as_bytes()),
        }],
        ..Run::default()
    };
    Scene {
        folder,
        source,
        run,
        tests: Vec::new(),
    }
}

fn exit(status: i32, stdout: &str) -> Test {
    Test {
        outcome: Outcome::exit(status),
        stdout: stdout.into(),
        ..Test::default()
    }
}

fn error(kind: &str) -> Test {
    let kind = ErrorKind::named(kind).expect("a kind of error");
    Test {
        outcome: Outcome::Error(Fault::new(kind, "")),
        ..Test::default()
    }
}

impl Scene {
    fn test(mut self, inputs: &[(&str, &[u8])], test: Test) -> Scene {
        let input = |&(name, bytes): &(&str, &[u8])| InputValue::object(name, bytes);
        let name = self.source.file_name().expect("a name").to_string_lossy();
        let args = if test.args.is_empty() {
            vec![name.as_bytes().to_vec()]
        } else {
            test.args.clone()
        };
        self.tests.push(Test {
            number: self.tests.len() as u32 + 1,
            inputs: inputs.iter().map(input).collect(),
            args,
            ..test
        });
        self
    }

    fn write(&self) -> PathBuf {
        let path = self.folder.path().join("out");
        let directory = OutputDirectory::create(&path).expect("a new directory");
        directory.write_run(&self.run).expect("it can be written");
        let writer = directory.test_writer().expect("a writer");
        for test in &self.tests {
            assert!(writer.write(test.clone()));
        }
        writer.finish().expect("all can be written");
        path
    }

    fn replay(&self) -> (i32, String) {
        let output = replay(&self.write(), &[]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap_or(-1), said)
    }
}

fn replay(directory: &Path, more: &[&str]) -> Output {
    Command::new(common::REFRAIN)
        .arg("replay")
        .args(more)
        .arg(directory)
        .stdin(Stdio::null())
        .output()
        .expect("refrain starts")
}

#[track_caller]
fn all_same(scene: &Scene) {
    let (status, said) = scene.replay();
    let count = scene.tests.len();
    let plural = if count == 1 { "" } else { "s" };
    let line = format!("{count} test{plural}: {count} the same, 0 differ\n");
    assert!(status == 0 && said.contains(&line), "{status}\n{said}");
    assert!(!said.contains("not compared"), "{said}");
}

/// Every test differs, the first of each pair from what the test says, with these words.
#[track_caller]
fn all_differ(scene: &Scene, words: &[&str]) {
    let (status, said) = scene.replay();
    assert_eq!(status, 1, "{said}");
    for (number, word) in words.iter().enumerate() {
        let start = format!("test{:06} differs: ", number + 1);
        let line = said.lines().find(|line| line.starts_with(&start));
        assert!(
            line.is_some_and(|line| line.contains(word)),
            "{word}: {line:?}\n{said}"
        );
    }
    assert!(
        said.contains(&format!("0 the same, {} differ", scene.tests.len())),
        "{said}"
    );
}

const CLASSIFY: &str = r#"
#include <klee/klee.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static int classify(int x) {
    if (x > 3 && x < 10) return 1;
    for (int i = 0; i < x; i++) if (i == 20) return 2;
    return 0;
}
int main(int argc, char **argv) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x != 1000);
    printf("%s %d\n", argv[0], classify(x));
    if (x == 77) abort();
    assert(x != 78);
    int zero = x - 79;
    if (zero == 0) printf("%d\n", 5 / zero);
    return x == 4 ? 300 : 0;
}
"#;

#[test]
fn right_tests_of_a_c_program_are_the_same() {
    let scene = scene("classify.c", CLASSIFY)
        .test(&[("x", &[5, 0, 0, 0])], exit(0, "classify.c 1\n"))
        .test(&[("x", &[4, 0, 0, 0])], exit(300, "classify.c 1\n"))
        .test(&[("x", &[255; 4])], exit(0, "classify.c 0\n"))
        .test(&[("x", &[77, 0, 0, 0])], error("abort"))
        .test(&[("x", &[78, 0, 0, 0])], error("assertion failure"))
        .test(&[("x", &[79, 0, 0, 0])], error("division by zero"))
        .test(
            &[("x", &[30, 0, 0, 0])],
            Test {
                outcome: Outcome::Unfinished(Cause::Instructions),
                stdout: b"classify".to_vec(),
                ..Test::default()
            },
        );
    all_same(&scene);
}

/// What is replayed starts where the run was, also where temporary files are.
#[test]
fn runs_among_temporary_files_are_replayed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, results) = (folder.path().join("a.c"), folder.path().join("out"));
    let text = "#include <klee/klee.h>\nint main(void) { char c; klee_make_symbolic(&c, 1, \"c\"); if (c == 7) return 1; return 0; }\n";
    fs::write(&source, text).expect("a writable folder");
    let run = |arguments: &[&str], path: &Path| {
        let mut command = Command::new(common::REFRAIN);
        command
            .current_dir(std::env::temp_dir())
            .env("REFRAIN_STORE", "none");
        let found = command.args(arguments).arg(path).output().expect("it runs");
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(0), "{arguments:?}: {said}");
        String::from_utf8_lossy(&found.stdout).into_owned() + &said
    };
    run(
        &[
            "run",
            "--tests",
            "all",
            "--out",
            results.to_str().expect("UTF-8"),
        ],
        &source,
    );
    let replayed = run(&["replay"], &results);
    assert!(replayed.contains("2 tests: 2 the same"), "{replayed}");
}

/// In the machine, whoever ends by a signal has the status that a shell gives for it.
#[test]
fn ends_by_signals_are_the_same() {
    let text = "#include <signal.h>\n#include <stdio.h>\nint main(void) {\n\
        printf(\"x\\n\"); fflush(stdout); raise(SIGTERM); return 0; }\n";
    all_same(&scene("ends.c", text).test(&[], exit(143, "x\n")));
    all_differ(
        &scene("ends.c", text).test(&[], exit(142, "x\n")),
        &["dies by signal 15 natively instead of with 142"],
    );
    // An error is none of the ends that a program has chosen.
    let text = "int main(void) { *(volatile int *)8 = 1; return 0; }\n";
    all_differ(
        &scene("errs.c", text).test(&[], exit(139, "")),
        &["SIGSEGV"],
    );
}

#[test]
fn wrong_tests_of_a_c_program_differ() {
    let scene = scene("classify.c", CLASSIFY)
        .test(&[("x", &[5, 0, 0, 0])], exit(3, "classify.c 1\n"))
        .test(&[("x", &[5, 0, 0, 0])], exit(0, "classify.c 2\n"))
        .test(&[("x", &[77, 0, 0, 0])], exit(0, "classify.c 2\n"))
        .test(&[("x", &[76, 0, 0, 0])], error("abort"))
        .test(&[("x", &[0xe8, 3, 0, 0])], exit(0, "classify.c 2\n"))
        .test(&[("y", &[5, 0, 0, 0])], exit(0, "classify.c 1\n"))
        .test(&[("x", &[5, 0])], exit(0, "classify.c 1\n"))
        .test(
            &[("x", &[30, 0, 0, 0])],
            Test {
                outcome: Outcome::Unfinished(Cause::Instructions),
                stdout: b"something else".to_vec(),
                ..Test::default()
            },
        );
    all_differ(
        &scene,
        &[
            "exits with 0 natively instead of with 3",
            "standard output differs after 11 bytes: \"1\\n\" instead of \"2\\n\"",
            "dies by SIGABRT natively instead of with 0",
            "exits with 0 natively instead of: abort",
            "an assumption does not hold",
            "there is no input x in the test",
            "the input x has 4 bytes, and 2 in the test",
            "standard output differs after 0 bytes",
        ],
    );
}

/// The program looks at something that the machine and the native platform do not agree on.
#[test]
fn a_branch_that_only_one_side_takes_is_found() {
    let text = r#"
        #include <klee/klee.h>
        #include <unistd.h>
        int main(void) {
            char x;
            klee_make_symbolic(&x, 1, "x");
            if (x == 1) {
                if (access("/proc/version", F_OK) != 0) x = 2; else x = 3;
            }
            return 0;
        }"#;
    let scene = scene("branch.c", text)
        .test(&[("x", &[1])], exit(0, ""))
        .test(&[("x", &[0])], exit(0, ""));
    let (status, said) = scene.replay();
    assert_eq!(status, 1, "{said}");
    let line =
        "test000001 differs: another branch is taken natively, after 2 blocks that are the same";
    assert!(said.contains(line), "{said}");
    assert!(said.contains("branch.c:8"), "{said}");
    assert!(said.contains("2 tests: 1 the same, 1 differ"), "{said}");
}

/// Every way of making an input, in the machine's order and under its names.
#[test]
fn all_kinds_of_inputs_are_found_again() {
    let text = r#"
        #include <klee/klee.h>
        #include <stdbool.h>
        #include <stdio.h>
        extern bool __VERIFIER_nondet_bool(void);
        extern char __VERIFIER_nondet_char(void);
        extern unsigned short __VERIFIER_nondet_ushort(void);
        extern int __VERIFIER_nondet_int(void);
        extern unsigned long __VERIFIER_nondet_ulong(void);
        extern void __VERIFIER_assume(int);
        int main(void) {
            char a[3], b[2];
            klee_make_symbolic(a, 3, "a");
            klee_make_symbolic(b, 2, "a");
            int r = klee_range(-5, 5, "");
            int i = klee_int("a_2");
            bool t = __VERIFIER_nondet_bool();
            char c = __VERIFIER_nondet_char();
            unsigned short s = __VERIFIER_nondet_ushort();
            int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
            unsigned long l = __VERIFIER_nondet_ulong();
            unsigned long k = klee_choose(10);
            __VERIFIER_assume(n < m);
            printf("%d %d %d %d %d %d %d %d %d %lu %lu\n", a[2], b[1], r, i, t, c, s, n, m, l, k);
            if (klee_is_replay() || klee_get_value_i32(n) != n) return 1;
            return t ? c < 0 : s > 1000;
        }"#;
    let scene = scene("inputs.c", text).test(
        &[
            ("a", &[1, 2, 3]),
            ("a_2", &[4, 5]),
            ("unnamed", &(-5_i32).to_le_bytes()),
            ("a_2_2", &[6, 0, 0, 0]),
            ("nondet_bool", &[0x80]),
            ("nondet_char", &[0xff]),
            ("nondet_ushort", &[0xff, 0xff]),
            ("nondet_int", &[0xf0, 0xff, 0xff, 0xff]),
            ("nondet_int_2", &[1, 0, 0, 0]),
            ("nondet_ulong", &[0xff; 8]),
            ("klee_choose", &[9, 0, 0, 0, 0, 0, 0, 0]),
        ],
        exit(1, "3 5 -5 6 1 -1 65535 -16 1 18446744073709551615 9\n"),
    );
    all_same(&scene);
}

/// The native program may survive these: clang's sanitizers see them.
#[test]
fn errors_of_memory_are_seen_by_sanitizers() {
    let text = r#"
        #include <klee/klee.h>
        #include <limits.h>
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
            unsigned char x;
            klee_make_symbolic(&x, 1, "x");
            int *p = malloc(16), sum = INT_MAX - 1;
            for (int i = 0; i < 4; i++) p[i] = i;
            if (x < 10) sum = p[x];
            else if (x == 10) free(p);
            else if (x == 11) p = 0;
            if (x >= 10 && x < 12) sum = *p;
            if (x == 20) sum += 5;
            return sum == 3;
        }"#;
    let mut right = scene("memory.c", text)
        .test(&[("x", &[4])], error("out-of-bounds read"))
        .test(&[("x", &[10])], error("use after free"))
        .test(&[("x", &[11])], error("null dereference"))
        .test(&[("x", &[3])], exit(1, ""));
    all_same(&right);
    // Overflow is an error only where it is looked for.
    right = scene("memory.c", text).test(&[("x", &[20])], error("signed overflow"));
    right.run.checks = vec!["overflow".into()];
    all_same(&right);
    let wrong = scene("memory.c", text)
        .test(&[("x", &[3])], error("out-of-bounds read"))
        .test(&[("x", &[4])], exit(0, ""));
    all_differ(
        &wrong,
        &[
            "no sanitizer reports: out-of-bounds read",
            "in the machine: out-of-bounds read",
        ],
    );
}

#[test]
fn what_shows_nowhere_counts_apart() {
    let text = r#"
        #include <klee/klee.h>
        #include <stdlib.h>
        int main(void) {
            char x;
            klee_make_symbolic(&x, 1, "x");
            int *p = malloc(4 * (x + 1));
            return *p;
        }"#;
    let mut scene =
        scene("uninitialised.c", text).test(&[("x", &[3])], error("uninitialised read"));
    scene.run.checks = vec!["uninitialised".into()];
    let (status, said) = scene.replay();
    assert_eq!(status, 0, "{said}");
    let line = "1 test: 0 the same, 0 differ, 1 cannot be checked natively";
    assert!(said.contains(line), "{said}");
}

#[test]
fn cxx_programs_are_replayed() {
    let text = r#"
        #include <klee/klee.h>
        #include <algorithm>
        #include <cstdio>
        #include <map>
        #include <stdexcept>
        #include <string>
        #include <vector>
        template <typename T> T largest(const std::vector<T> &all) {
            if (all.empty()) throw std::runtime_error("nothing");
            return *std::max_element(all.begin(), all.end(), [](T a, T b) { return a < b; });
        }
        int main() {
            unsigned char n;
            klee_make_symbolic(&n, 1, "n");
            std::vector<int> all;
            std::map<std::string, int> names;
            for (int i = 0; i < n; i++) {
                all.push_back(i * 7 % 5);
                names["name " + std::to_string(i % 3)] += i;
            }
            if (n == 200) largest(std::vector<long>());
            try {
                std::printf("%d\n", largest(all));
            } catch (const std::exception &error) {
                std::puts(error.what());
            }
            for (auto &[name, sum] : names) std::printf("%s %d\n", name.c_str(), sum);
        }"#;
    let mut right = scene("largest.cpp", text)
        .test(&[("n", &[0])], exit(0, "nothing\n"))
        .test(&[("n", &[4])], exit(0, "4\nname 0 3\nname 1 1\nname 2 2\n"))
        .test(&[("n", &[200])], error("uncaught exception"));
    right.run.cflags = vec!["-std=c++17".into()];
    all_same(&right);
    let mut wrong = scene("largest.cpp", text)
        .test(&[("n", &[1])], exit(0, "nothing\n"))
        .test(&[("n", &[200])], exit(0, "nothing\n"));
    wrong.run.cflags = vec!["-std=c++17".into(), "-O2".into()];
    all_differ(
        &wrong,
        &["standard output differs", "dies by SIGABRT natively"],
    );
}

/// The library's own variables are initialised by the library, natively.
#[test]
fn variables_of_library_templates_are_no_difference() {
    const SOURCE: &str = r#"
#include <klee/klee.h>
#include <locale>
static bool has(const std::locale &where) { return std::has_facet<std::numpunct<wchar_t>>(where); }
int main() {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    return x == 200 && has(std::locale());
}
"#;
    all_same(&scene("facets.cpp", SOURCE).test(&[("x", &[1])], exit(0, "")));
}

/// What nobody calls need not be there. Without optimisation it is asked for all the same.
#[test]
fn what_is_nowhere_is_missed_only_when_it_is_used() {
    const SOURCE: &str = r#"
#include <klee/klee.h>
int nowhere(int);
extern int absent;
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x == 1 && x * 0)
        return nowhere(x) + absent;
    if (x == 2)
        return nowhere(x);
    return x == 5;
}
"#;
    all_same(
        &scene("absent.c", SOURCE)
            .test(&[("x", &[1])], exit(0, ""))
            .test(&[("x", &[5])], exit(1, "")),
    );
    let called = scene("absent.c", SOURCE).test(&[("x", &[2])], exit(0, ""));
    all_differ(&called, &["exits with 127 natively instead of with 0"]);
}

#[test]
fn rust_programs_are_replayed() {
    let text = r#"
        use std::collections::HashMap;
        unsafe extern "C" {
            fn klee_make_symbolic(address: *mut u8, size: usize, name: *const std::ffi::c_char);
        }
        fn classify(x: u32) -> &'static str {
            if x < 10 { "small" } else if x % 2 == 0 { "even" } else { "odd" }
        }
        fn main() {
            let mut x = 0_u32;
            unsafe { klee_make_symbolic((&raw mut x).cast(), 4, c"x".as_ptr()) };
            let squares: HashMap<u32, u32> = (0..x % 7).map(|i| (i, i * i)).collect();
            let mut sum = 0;
            for (key, square) in &squares {
                if key % 2 == 0 { sum += square }
            }
            println!("{} {sum}", classify(x));
            assert!(x != 77, "seventy-seven");
            if x == 78 { std::process::exit(9) }
        }"#;
    let right = scene("classify.rs", text)
        .test(&[("x", &[5, 0, 0, 0])], exit(0, "small 20\n"))
        .test(&[("x", &[78, 0, 0, 0])], exit(9, "even 0\n"))
        .test(&[("x", &[77, 0, 0, 0])], error("panic"));
    all_same(&right);
    let wrong = scene("classify.rs", text)
        .test(&[("x", &[5, 0, 0, 0])], exit(0, "small 21\n"))
        .test(&[("x", &[76, 0, 0, 0])], error("panic"));
    all_differ(
        &wrong,
        &[
            "standard output differs after 7 bytes",
            "exits with 0 natively instead of: panic",
        ],
    );
}

#[test]
fn another_function_than_main_is_called_with_its_parameters() {
    let text = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int find(const char *text, unsigned short wanted, char from) {
            for (int i = from; i < 4; i++)
                if (text[i] == wanted) { printf("at %d\n", i); return i; }
            if (wanted == 300) abort();
            return -1;
        }
        int main(void) { puts("main"); return find("abc", 'b', 0); }"#;
    let parameter = |name: &str, bits, buffer: Option<u64>| Parameter {
        name: name.into(),
        bits,
        pointer: buffer.is_some(),
        buffer,
        ..Parameter::default()
    };
    for (text, name) in [
        (text.to_string(), "find.c"),
        (
            text.replace("int find(const", "static int find(const"),
            "static.c",
        ),
        (
            text.replace("int main(void)", "int other(void)"),
            "mainless.c",
        ),
    ] {
        let mut scene = scene(name, &text)
            .test(
                &[("text", b"wxyz"), ("wanted", b"y\0"), ("from", &[1])],
                exit(0, "at 2\n"),
            )
            .test(
                &[("text", b"wxyz"), ("wanted", &[44, 1]), ("from", &[1])],
                error("abort"),
            );
        scene.run.entry = "find".into();
        scene.run.parameters = vec![
            parameter("text", 64, Some(4)),
            parameter("wanted", 16, None),
            parameter("from", 8, None),
        ];
        let (status, said) = scene.replay();
        let line = "2 tests: 2 the same, 0 differ\n";
        assert!(status == 0 && said.contains(line), "{name}\n{said}");
        assert!(!said.contains("not compared"), "{name}\n{said}");
    }
}

#[test]
fn a_rust_function_is_called_with_its_parameters() {
    let text = r#"
        #[inline(never)]
        fn occurrences(bytes: &[u8], wanted: u8) -> usize {
            let found = bytes.iter().filter(|&&byte| byte == wanted).count();
            println!("{found}");
            assert!(found < 3, "too many");
            found
        }
        fn main() { std::process::exit(occurrences(b"main", std::env::args().count() as u8) as i32) }"#;
    let mut scene = scene("count.rs", text)
        .test(&[("bytes", b"abca"), ("wanted", b"a")], exit(0, "2\n"))
        .test(&[("bytes", b"aaaa"), ("wanted", b"a")], error("panic"));
    scene.run.entry = "occurrences".into();
    scene.run.rustflags = vec!["-Copt-level=0".into()];
    let parameter = |name: &str, bits| Parameter {
        name: name.into(),
        bits,
        ..Parameter::default()
    };
    scene.run.parameters = vec![
        Parameter {
            pointer: true,
            buffer: Some(4),
            slice: Some(4),
            ..parameter("bytes", 64)
        },
        parameter("wanted", 8),
    ];
    all_same(&scene);
}

/// Bitcode is instrumented as it is, and several files are one program.
#[test]
fn bitcode_is_replayed() {
    let text = "int half(int);\n#include <klee/klee.h>\nint main(void) { int x; klee_make_symbolic(&x, 4, \"x\"); return half(x); }\n";
    let mut scene = scene("main.c", text)
        .test(&[("x", &[9, 0, 0, 0])], exit(4, ""))
        .test(&[("x", &[1, 0, 0, 0])], exit(100, ""));
    let half = scene.folder.path().join("half.c");
    fs::write(
        &half,
        "int half(int x) { if (x < 2) return 100; return x / 2; }\n",
    )
    .expect("a file");
    let built = refrain_compile::to_bitcode(&[half], &refrain_compile::Options::default());
    let bitcode = scene.folder.path().join("half.bc");
    fs::write(&bitcode, &built.expect("clang is there").modules[0].bytes).expect("a file");
    scene.run.with = vec![bitcode];
    all_same(&scene);
}

#[test]
fn a_program_that_does_not_end_is_killed() {
    let text = "#include <klee/klee.h>\n#include <unistd.h>\n\
        int main(void) { char x; klee_make_symbolic(&x, 1, \"x\"); while (x) pause(); return 0; }\n";
    let scene = scene("endless.c", text).test(&[("x", &[1])], exit(0, ""));
    let output = replay(&scene.write(), &["--timeout", "0.5"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("does not end in time natively"), "{said}");
}

#[test]
fn numbers_without_bounds_are_an_excuse() {
    let mut scene =
        scene("classify.c", CLASSIFY).test(&[("x", &[5, 0, 0, 0])], exit(3, "classify.c 1\n"));
    scene.run.arithmetic = "integers".into();
    all_differ(&scene, &["overflow is not modelled: "]);
}

#[test]
fn what_cannot_be_replayed_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |path: &Path, word: &str| {
        let output = replay(path, &[]);
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{word}\n{said}");
    };
    refused(&folder.path().join("nowhere"), "cannot read");
    refused(folder.path(), "it has no run.json");
    fs::write(folder.path().join("run.json"), "{").expect("a file");
    refused(folder.path(), "is no description of a run");
    let broken = scene("broken.c", "int main(void) { return x; }\n");
    refused(&broken.write(), "cannot build the program natively");
    let scene =
        scene("classify.c", CLASSIFY).test(&[("x", &[5, 0, 0, 0])], exit(0, "classify.c 1\n"));
    let path = scene.write();
    let output = replay(&path, &["--test", "2"]);
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("out has no test 2"), "{said}");
    fs::remove_file(path.join(PACK)).expect("it is there");
    fs::create_dir(path.join(PACK)).expect("a folder");
    refused(&path, "cannot read");
}

/// Damage is told and costs one test; the others are replayed.
#[test]
fn a_damaged_test_is_told_and_the_others_are_replayed() {
    let scene = scene("classify.c", CLASSIFY)
        .test(&[("x", &[5, 0, 0, 0])], exit(0, "classify.c 1\n"))
        .test(&[("x", &[6, 0, 0, 0])], exit(0, "classify.c 1\n"))
        .test(&[("x", &[4, 0, 0, 0])], exit(300, "classify.c 1\n"));
    let path = scene.write();
    common::damage(&path, 2);
    let output = replay(&path, &[]);
    let said = String::from_utf8_lossy(&output.stdout).to_string();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "test000002 of ",
        "it is damaged: its checksum does not match",
        "3 tests: 2 the same, 0 differ, 1 cannot be read",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // A frame that is gone is a test that is gone.
    let bytes = fs::read(path.join(PACK)).expect("a file");
    fs::write(path.join(PACK), &bytes[1..]).expect("a file");
    let output = replay(&path, &[]);
    let said = String::from_utf8_lossy(&output.stdout).to_string()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("bytes from byte 0 are no test"), "{said}");
    assert!(said.contains("2 tests: 1 the same"), "{said}");
}

/// What no input satisfies is a contradiction natively too.
#[test]
fn an_impossible_assumption_is_one_natively() {
    let scene = scene("classify.c", CLASSIFY)
        .test(&[("x", &[0xe8, 3, 0, 0])], error("impossible assumption"));
    all_same(&scene);
}

#[test]
fn a_changed_source_is_told() {
    let scene =
        scene("classify.c", CLASSIFY).test(&[("x", &[5, 0, 0, 0])], exit(0, "classify.c 1\n"));
    let path = scene.write();
    fs::write(&scene.source, format!("{CLASSIFY}\n")).expect("a file");
    let output = replay(&path, &[]);
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(
        said.contains("classify.c has changed since the run"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn tests_are_shown() {
    let scene = scene("classify.c", CLASSIFY)
        .test(
            &[("x", &[0xfb, 0xff, 0xff, 0xff]), ("text", b"a\0\n")],
            exit(3, "line\n"),
        )
        .test(&[], error("trap"));
    let path = scene.write();
    let show = |arguments: &[&str]| {
        let mut command = Command::new(common::REFRAIN);
        let output = command
            .arg("show")
            .args(arguments)
            .current_dir(scene.folder.path())
            .output()
            .expect("refrain starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (status, shown, _) = show(&["out"]);
    assert_eq!(status, Some(0));
    for line in [
        "out:1",
        "  arguments: \"classify.c\"",
        "  exit: 3",
        "  x (4 bytes) = -5 or 4294967291 \"\\xfb\\xff\\xff\\xff\"",
        "  text (3 bytes) \"a\\x00\\n\"",
        "  standard output:",
        "    line",
        "out:2",
        "  error: trap",
        "  no inputs",
    ] {
        assert!(shown.lines().any(|found| found == line), "{line}\n{shown}");
    }
    for one in [&["out", "--test", "2"][..], &["out:2"]] {
        let (status, shown, _) = show(one);
        assert_eq!(status, Some(0));
        assert!(shown.starts_with("out:2\n"), "{shown}");
        assert!(shown.contains("\n  error: trap\n"), "{shown}");
        assert!(!shown.contains("out:1"), "{shown}");
    }

    // Files for other tools, and what was in them.
    assert_eq!(show(&["--ktest", "out", "--out", "klee/tests"]).0, Some(0));
    let ktest = scene.folder.path().join("klee/tests/test000001.ktest");
    let bytes = fs::read(&ktest).expect("a file");
    let test = KTest::decode(&bytes).expect("KLEE's format");
    assert_eq!(test.objects, scene.tests[0].inputs);
    assert_eq!(test.args, scene.tests[0].args);
    assert!(ktest.with_file_name("test000002.ktest").exists());
    let (_, shown, _) = show(&["klee/tests/test000001.ktest"]);
    assert!(
        shown.contains("  x (4 bytes) = -5") && !shown.contains("exit"),
        "{shown}"
    );
    assert_eq!(show(&["--ktest", "out", "--test", "2"]).0, Some(0));
    assert!(path.join("test000002.ktest").exists() && !path.join("test000001.ktest").exists());
    assert_eq!(show(&["--json", "out", "--out", "json"]).0, Some(0));
    let json = fs::read(scene.folder.path().join("json/test000001.json")).expect("a file");
    assert_eq!(Test::from_json(&json).as_ref(), Ok(&scene.tests[0]));
    let (_, shown, _) = show(&["--json", "out"]);
    let all = scene.tests.iter().map(Test::to_json).collect::<String>();
    assert_eq!(shown, all);
    let (_, converted, _) = show(&["json/test000001.json", "--ktest"]);
    assert_eq!(converted, "");
    let beside = scene.folder.path().join("json/test000001.ktest");
    assert_eq!(fs::read(beside).expect("a file"), bytes);

    fs::write(path.join("broken.ktest"), b"KTEST\0\0\0\x03\xff").expect("a file");
    for (arguments, expected, words) in [
        (
            &["out/broken.ktest"][..],
            2,
            "broken.ktest is no test: it ends within",
        ),
        (&["out:3"], 2, "there is no test 3 in out/tests.pack"),
        (&["out", "--test", "3"], 2, "out has no test 3"),
        (&["klee"], 2, "klee holds no results of a run"),
        (&["--out", "x", "out"], 2, "--out needs --ktest or --json"),
        (&["--ktest", "--json", "out"], 2, "cannot be used with"),
        (
            &["json/test000001.json", "--test", "1"],
            2,
            "--test 1 is of an output directory",
        ),
        (
            &["--ktest", "out", "--out", "classify.c"],
            2,
            "cannot create classify.c",
        ),
    ] {
        let (status, _, said) = show(arguments);
        assert_eq!(status, Some(expected), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    common::damage(&path, 1);
    let (status, shown, said) = show(&["out"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(shown.starts_with("out:2\n"), "{shown}");
    assert!(
        said.contains("test000001 of out/tests.pack cannot be read"),
        "{said}"
    );
}
