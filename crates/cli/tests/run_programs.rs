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

/// What the machine must find no fault with in a correct program.
const CHECKS: [&str; 2] = ["--check", "overflow,uninitialised"];

/// A program of the corpus, and how it is compiled and run.
struct Job {
    source: PathBuf,
    flags: &'static str,
    /// Whether it runs a second time, with everything looked for.
    checked: bool,
}

impl Job {
    /// What differs between the native program and the machine's runs of it.
    fn differences(&self, folder: &Path) -> Vec<String> {
        let name = self.source.file_stem().unwrap_or_default();
        let what = format!("{} {}", name.display(), self.flags);
        let built = self.build(&folder.join(what.replace([' ', '/', '='], "")));
        let (native, program, with) = match built {
            Ok(built) => built,
            Err(error) => return vec![format!("{what}: {error}")],
        };
        let args = fs::read_to_string(self.source.with_extension("args")).unwrap_or_default();
        let args: Vec<&str> = args.split_whitespace().collect();
        let input = fs::read(self.source.with_extension("stdin")).unwrap_or_default();
        let mut command = Command::new(&native);
        command.args(&args);
        let native = execute(command, &input);
        let runs = [&[][..], &CHECKS];
        let runs = &runs[..if self.checked { 2 } else { 1 }];
        let differences = runs.iter().filter_map(|checks| {
            let mut run = Command::new(env!("CARGO_BIN_EXE_refrain"));
            run.arg("run").args(*checks);
            for module in &with {
                run.arg("--with").arg(module);
            }
            run.arg(&program).args(&args);
            let ours = execute(run, &input);
            difference(&ours, &native).map(|how| format!("{what} {}: {how}", checks.join(" ")))
        });
        differences.collect()
    }

    /// The native program, and its bitcode for all of its runs.
    fn build(&self, stem: &Path) -> Result<(PathBuf, PathBuf, Vec<PathBuf>), String> {
        let words = self.flags.split_whitespace().map(str::to_string).collect();
        let mut options = compile::Options::default();
        match self.source.extension().is_some_and(|ending| ending == "rs") {
            true => options.rustflags = words,
            false => options.cflags = words,
        }
        let sources = std::slice::from_ref(&self.source);
        let native = stem.with_extension("native");
        compile::native(sources, &options, &native)
            .map_err(|error| format!("the native compiler: {error}"))?;
        let built = compile::to_bitcode(sources, &options)
            .map_err(|error| format!("the compiler: {error}"))?;
        let mut modules = Vec::new();
        for (number, module) in built.modules.iter().enumerate() {
            let path = stem.with_extension(format!("{number}.bc"));
            fs::write(&path, &module.bytes).map_err(|error| error.to_string())?;
            modules.push(path);
        }
        let program = modules.remove(0);
        Ok((native, program, modules))
    }
}

fn difference(ours: &Output, native: &Output) -> Option<String> {
    if ours.stdout == native.stdout && ours.status.code() == native.status.code() {
        return None;
    }
    let pairs = ours.stdout.iter().zip(&native.stdout);
    let at = pairs.into_iter().position(|(a, b)| a != b);
    Some(format!(
        "status {:?} instead of {:?}; output differs at {at:?} ({} and {} bytes)\n{}",
        ours.status.code(),
        native.status.code(),
        ours.stdout.len(),
        native.stdout.len(),
        String::from_utf8_lossy(&ours.stderr)
    ))
}

fn compare(jobs: Vec<Job>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = job.differences(folder.path());
                    failures.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(
        failures.is_empty(),
        "{} differ in {} programs:\n{}",
        failures.len(),
        jobs.len(),
        failures.join("\n")
    );
}

#[test]
fn c_programs_behave_as_natively() {
    let levels = [("-O0", true), ("-O2", false)];
    let jobs = corpus("c").into_iter().flat_map(|source| {
        levels.map(|(flags, checked)| Job {
            source: source.clone(),
            flags,
            checked,
        })
    });
    compare(jobs.collect());
}

/// One level for each program, both in a long run: the library's headers take long to compile.
#[test]
fn cpp_programs_behave_as_natively() {
    let levels = [("-std=c++17 -O0", true), ("-std=c++17 -O2", false)];
    let mut jobs = Vec::new();
    for (number, source) in corpus("cpp").into_iter().enumerate() {
        for (place, (flags, checked)) in levels.into_iter().enumerate() {
            if number % 2 == place || refrain_testing::is_long() {
                jobs.push(Job {
                    source: source.clone(),
                    flags,
                    checked,
                });
            }
        }
    }
    compare(jobs);
}

/// One level for each program, both in a long run: Rust's library is compiled with each.
#[test]
fn rust_programs_behave_as_natively() {
    let mut jobs = Vec::new();
    for (number, source) in corpus("rust").into_iter().enumerate() {
        for (place, flags) in ["-Copt-level=1", "-Copt-level=3"].into_iter().enumerate() {
            if number % 2 == place || refrain_testing::is_long() {
                jobs.push(Job {
                    source: source.clone(),
                    flags,
                    checked: false,
                });
            }
        }
    }
    compare(jobs);
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
