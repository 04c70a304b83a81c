//! `refrain run` against the native program: output and status of every program of `tests/programs`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use refrain_compile as compile;

fn corpus(language: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/programs")
        .join(language);
    let mut found: Vec<PathBuf> = fs::read_dir(&root)
        .expect("the corpus is in the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ["c", "cpp", "rs"].iter().any(|known| ending == *known))
        })
        .collect();
    found.sort();
    assert!(
        found.len() >= 15,
        "the corpus of {language} is not all there"
    );
    found
}

fn execute(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

/// What differs between the native program and the machine's run of it, under options of refrain's own.
fn difference(source: &Path, flags: &str, checks: &[&str], folder: &Path) -> Option<String> {
    let name = source.file_stem()?.to_string_lossy().to_string();
    let words: Vec<String> = flags.split_whitespace().map(str::to_string).collect();
    let is_rust = source.extension().is_some_and(|ending| ending == "rs");
    let mut options = compile::Options::default();
    if is_rust {
        options.rustflags = words;
    } else {
        options.cflags = words;
    }
    let binary = folder.join(format!("{name}-{}", flags.replace([' ', '/', '='], "")));
    if let Err(error) = compile::native(&[source.to_path_buf()], &options, &binary) {
        return Some(format!("{name} {flags}: the native compiler: {error}"));
    }
    let args = fs::read_to_string(source.with_extension("args")).unwrap_or_default();
    let args: Vec<&str> = args.split_whitespace().collect();
    let input = fs::read(source.with_extension("stdin")).unwrap_or_default();
    let mut native = Command::new(&binary);
    native.args(&args);
    let native = execute(native, &input);
    let mut run = Command::new(env!("CARGO_BIN_EXE_refrain"));
    run.arg("run").args(checks);
    if is_rust {
        run.arg(format!("--rustflags={flags}"));
    } else {
        run.arg(format!("--cflags={flags}"));
    }
    run.arg(source).args(&args);
    let ours = execute(run, &input);
    let same = ours.stdout == native.stdout && ours.status.code() == native.status.code();
    if same {
        return None;
    }
    let at = ours
        .stdout
        .iter()
        .zip(&native.stdout)
        .position(|(a, b)| a != b);
    Some(format!(
        "{name} {flags}: status {:?} instead of {:?}; output differs at {at:?} ({} and {} bytes)\n{}",
        ours.status.code(),
        native.status.code(),
        ours.stdout.len(),
        native.stdout.len(),
        String::from_utf8_lossy(&ours.stderr)
    ))
}

fn compare(language: &str, flags: &[&str], checks: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let work: Vec<(PathBuf, &str)> = corpus(language)
        .into_iter()
        .flat_map(|source| flags.iter().map(move |&flags| (source.clone(), flags)))
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((source, flags)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(failure) = difference(source, flags, checks, folder.path()) {
                        failures.lock().expect("no panic").push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(
        failures.is_empty(),
        "{} of {} differ:\n{}",
        failures.len(),
        work.len(),
        failures.join("\n")
    );
}

#[test]
fn c_programs_behave_as_natively() {
    compare("c", &["-O0", "-O2"], &[]);
}

#[test]
fn cpp_programs_behave_as_natively() {
    compare("cpp", &["-std=c++17 -O0", "-std=c++17 -O2"], &[]);
}

#[test]
fn rust_programs_behave_as_natively() {
    compare("rust", &["-Copt-level=1", "-Copt-level=3"], &[]);
}

/// Correct programs raise no error with everything looked for.
#[test]
fn all_checks_find_nothing_in_correct_programs() {
    let checks = ["--check", "overflow,uninitialised"];
    compare("c", &["-O0"], &checks);
    compare("cpp", &["-std=c++17 -O0"], &checks);
}

/// Threads run one after the other over one set of variables: one that would see another's is not run, rather than
/// run wrong.
#[test]
fn a_thread_local_variable_that_is_shared_ends_the_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("shared.c");
    let text = "#include <pthread.h>\n#include <stdio.h>\n\
        static __thread int mine = 1;\nstatic int *shared;\n\
        static void *look(void *a) { printf(\"%d\\n\", *shared); return a; }\n\
        int main(void) { pthread_t t; mine = 7; shared = &mine; pthread_create(&t, 0, look, 0); return pthread_join(t, 0); }\n";
    fs::write(&source, text).expect("a writable folder");
    let mut run = Command::new(env!("CARGO_BIN_EXE_refrain"));
    run.arg("run").arg(&source);
    let ours = execute(run, b"");
    assert_eq!(ours.status.code(), Some(2));
    assert!(ours.stdout.is_empty());
    let report = String::from_utf8_lossy(&ours.stderr).to_string();
    assert!(
        report.contains("the address of a thread-local variable of another"),
        "{report}"
    );
}
