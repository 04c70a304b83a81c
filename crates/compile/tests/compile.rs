//! Real compilers on the programs of `tests/programs`, and everything that can be wrong with an input.

use refrain_compile::{CompileError, Environment, Language, Options, to_bitcode};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// The options of a user whose environment sets nothing but the search path.
fn plain() -> Options {
    Options {
        environment: Environment {
            path: std::env::var_os("PATH"),
            ..Environment::default()
        },
        ..Options::default()
    }
}

fn sources(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(programs().join(folder))
        .expect("the folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no programs in {folder}");
    found
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde")
}

fn written(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("a file in the temporary directory");
    path
}

fn error(path: &Path) -> CompileError {
    to_bitcode(&[path.to_path_buf()], &plain()).expect_err("an error")
}

#[test]
fn c_becomes_bitcode() {
    let path = programs().join("c/sorting.c");
    let built = to_bitcode(&[path], &plain()).expect("bitcode");
    assert_eq!(built.modules.len(), 1);
    assert!(is_bitcode(&built.modules[0].bytes));
    assert_eq!(
        built.languages.into_iter().collect::<Vec<_>>(),
        [Language::C]
    );
    assert!(
        built.commands[0].contains("-O0 -Xclang -disable-O0-optnone -g"),
        "{:?}",
        built.commands
    );
    assert_eq!(built.messages, "");
    assert!(built.notes.is_empty());
}

#[test]
fn flags_override_defaults_and_come_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = written(
        directory.path(),
        "flags.c",
        "#if X != 2 || Y != 3\n#error wrong\n#endif\nint main(void) { return X; }\n",
    );
    let mut options = plain();
    options.environment.cflags = Some("-DX=1 -DY='3' -O2".to_string());
    options.cflags = vec!["-UX".to_string(), "-DX=2".to_string(), "-g1".to_string()];
    let built = to_bitcode(&[source], &options).expect("bitcode");
    assert!(!built.commands[0].contains("-O0"), "{:?}", built.commands);
    assert!(!built.commands[0].contains(" -g "), "{:?}", built.commands);
}

#[test]
fn warnings_are_handed_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = written(
        directory.path(),
        "w.c",
        "int main(void) { int x; return 1 / 0; }\n",
    );
    let built = to_bitcode(&[source], &plain()).expect("bitcode");
    assert!(
        built.messages.contains("division by zero"),
        "{}",
        built.messages
    );
}

#[test]
fn headers_are_found_from_c_and_cxx() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "#include <assert.h>\n#include <klee/klee.h>\n#include <refrain.h>\nint main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); \
                klee_assume(x > 3); refrain_assume(refrain_between(1, 2, \"y\") == 1); klee_assert(x > 2); assert(x); return klee_range(0, 5, \"z\"); }\n";
    for name in ["h.c", "h.cpp"] {
        let source = written(directory.path(), name, text);
        let mut options = plain();
        options.cflags = ["-Wall", "-Wextra", "-Werror"].map(String::from).to_vec();
        to_bitcode(&[source], &options).expect("bitcode");
    }
}

#[test]
fn cxx_brings_its_runtime_and_is_the_same_every_time() {
    let path = programs().join("cpp/strings.cpp");
    let mut options = plain();
    options.cflags = vec!["-std=c++17".to_string()];
    let inputs = [path];
    let built = to_bitcode(&inputs, &options).expect("bitcode");
    assert_eq!(built.modules.len(), 2);
    assert!(built.modules.iter().all(|module| is_bitcode(&module.bytes)));
    let again = to_bitcode(&inputs, &options).expect("bitcode");
    for (one, other) in built.modules.iter().zip(&again.modules) {
        assert!(one.bytes == other.bytes, "{} differs", one.name);
    }
}

#[test]
fn a_gcc_is_passed_over_with_a_note() {
    let mut options = plain();
    options.environment.cc = Some("gcc -m64".to_string());
    let path = programs().join("c/unions.c");
    let built = to_bitcode(&[path], &options).expect("bitcode");
    assert_eq!(built.notes.len(), 1);
    assert!(built.notes[0].contains("gcc"), "{:?}", built.notes);
}

#[test]
fn all_clangs_compile_the_runtime() {
    for version in refrain_testing::effort(&[14, 19][..], &[14, 16, 19]) {
        let name = format!("clang-{version}");
        refrain_testing::program(&name);
        let mut options = plain();
        options.environment.cc = Some(name);
        for standard in refrain_testing::effort(&["gnu++20"][..], &["c++11", "c++17"]) {
            options.cflags = vec![format!("-std={standard}")];
            let names = [
                "_Znwm",
                "_ZSt5wcout",
                "_ZNSt6thread4joinEv",
                "_ZNSt10filesystem6statusERKNS_7__cxx114pathE",
                "_ZSt8to_charsPcS_d",
                "_ZNSt13random_device7_M_finiEv",
                "_ZNSt11regex_errorD1Ev",
            ];
            let built = refrain_compile::cxx_runtime(&names, &[], &options);
            let built = built.expect("the runtime");
            assert_eq!(built.messages, "");
            assert_eq!((built.modules.len(), built.commands.len()), (10, 10));
            let compiler = format!("clang++-{version}");
            for command in &built.commands {
                assert!(command.contains(&compiler), "{command}");
            }
        }
    }
}

#[test]
fn rust_becomes_one_module_with_its_library() {
    let path = programs().join("rust/exits.rs");
    let built = to_bitcode(&[path], &plain()).expect("bitcode");
    let bytes = &built.modules[0].bytes;
    assert!(is_bitcode(bytes));
    // The part that prints is nobody's but the library's.
    assert!(bytes.len() > 500_000, "{} bytes", bytes.len());
    assert_eq!(built.messages, "");
}

#[test]
fn bitcode_and_assembly_pass_through() {
    let directory = tempfile::tempdir().expect("a directory");
    let built = to_bitcode(&[programs().join("c/unions.c")], &plain()).expect("bitcode");
    let bitcode = written(directory.path(), "x.bc", &built.modules[0].bytes);
    let unnamed = written(directory.path(), "unnamed", &built.modules[0].bytes);
    let assembly = written(
        directory.path(),
        "x.ll",
        "define i32 @main() {\n  ret i32 0\n}\n",
    );
    let typed = written(directory.path(), "typed.ll", "@p = global i8* null\n");
    let again = to_bitcode(&[bitcode, unnamed, assembly, typed], &plain()).expect("bitcode");
    assert_eq!(again.modules[0].bytes, built.modules[0].bytes);
    assert_eq!(again.modules[1].bytes, built.modules[0].bytes);
    assert!(
        again.modules[2..]
            .iter()
            .all(|module| is_bitcode(&module.bytes))
    );
    assert!(again.languages.is_empty());
}

#[test]
fn every_mistake_has_its_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    assert!(matches!(
        to_bitcode(&[], &plain()),
        Err(CompileError::NoInput)
    ));
    assert!(matches!(
        error(&at.join("none.c")),
        CompileError::Missing { .. }
    ));
    assert!(matches!(error(at), CompileError::Directory { .. }));
    assert!(matches!(
        error(&written(at, "empty.c", "")),
        CompileError::Empty { .. }
    ));
    assert!(matches!(
        error(&written(at, "text.txt", "words")),
        CompileError::Unknown { .. }
    ));
    let failed = error(&written(
        at,
        "bad.c",
        "int main(void) { return nothing; }\n",
    ));
    assert!(matches!(failed, CompileError::Failed { .. }));
    let text = failed.to_string();
    assert!(
        text.contains("undeclared identifier 'nothing'") && text.contains("exit status: 1"),
        "{text}"
    );
    let failed = error(&written(at, "bad.rs", "fn main() { nothing() }\n"));
    assert!(failed.to_string().contains("E0425"), "{failed}");
    let failed = error(&written(at, "bad.ll", "define nonsense\n"));
    assert!(matches!(failed, CompileError::Failed { .. }));

    let mut options = plain();
    options.environment.path = Some(at.as_os_str().to_owned());
    for (name, hint) in [
        ("c/unions.c", "apt install clang"),
        ("cpp/rtti.cpp", "apt install clang"),
        ("rust/exits.rs", "rustup"),
    ] {
        let missing = to_bitcode(&[programs().join(name)], &options).expect_err("no compiler");
        assert!(matches!(missing, CompileError::NoCompiler { .. }));
        assert!(missing.to_string().contains(hint), "{missing}");
    }
    let mut options = plain();
    options.environment.cflags = Some("-DX='".to_string());
    let quoted = to_bitcode(&[programs().join("c/unions.c")], &options).expect_err("a bad quote");
    assert!(matches!(quoted, CompileError::Words { .. }));
}

#[test]
fn nothing_stays_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut options = plain();
    options.work_dir = Some(directory.path().to_path_buf());
    to_bitcode(&[programs().join("c/unions.c")], &options).expect("bitcode");
    assert_eq!(
        std::fs::read_dir(directory.path())
            .expect("the directory")
            .count(),
        0
    );
}

struct Run {
    status: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Runs a native program with the input and the arguments that lie beside its source.
fn run(program: &Path, source: &Path) -> Run {
    let arguments = std::fs::read_to_string(source.with_extension("args")).unwrap_or_default();
    let input = match std::fs::File::open(source.with_extension("stdin")) {
        Ok(file) => Stdio::from(file),
        Err(_) => Stdio::null(),
    };
    let output = Command::new(program)
        .args(arguments.split_whitespace())
        .stdin(input)
        .output()
        .expect("the program runs");
    Run {
        status: output.status.code(),
        stdout: output.stdout,
        stderr: output.stderr,
    }
}

/// The C++ runtime in place of libstdc++: the programs are linked against it, and against a stand-in for the machine's
/// unwinder, and must not notice.
#[test]
fn the_cxx_runtime_does_what_the_library_does() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prefix = here.join("include/refrain/instantiate.h");
    let compile = |source: &Path, object: &Path| {
        let flags = [
            "-std=gnu++17",
            "-g",
            "-w",
            "-c",
            "-DREFRAIN_NATIVE_UNWINDER",
        ];
        let status = Command::new("clang++")
            .args(flags)
            .arg("-include")
            .arg(&prefix)
            .arg(source)
            .arg("-o")
            .arg(object)
            .status()
            .expect("clang++");
        assert!(status.success(), "{}", source.display());
    };
    let mut runtime = vec![at.join("unwinder.o")];
    compile(&here.join("tests/unwinder.cpp"), &runtime[0]);
    for part in std::fs::read_dir(here.join("runtime/cxx")).expect("the runtime") {
        let part = part.expect("a file").path();
        // Programs have instances of their own, by the header in front of them.
        if part.to_string_lossy().ends_with("instances.cpp") {
            continue;
        }
        if part.extension().is_some_and(|ending| ending == "cpp") {
            let name = part.file_stem().expect("a name").to_string_lossy();
            runtime.push(at.join(format!("runtime-{name}.o")));
            compile(&part, &runtime[runtime.len() - 1]);
        }
    }
    let mut options = plain();
    options.cflags = vec!["-std=c++17".to_string()];
    let mut all = sources("cpp", "cpp");
    all.push(programs().join("errors/uncaught.cpp"));
    all.push(programs().join("errors/noexcept_throw.cpp"));
    all.push(programs().join("errors/pure_virtual.cpp"));
    for source in all {
        let library = at.join("library");
        refrain_compile::native(std::slice::from_ref(&source), &options, &library)
            .expect("a program");
        let (object, program) = (at.join("object.o"), at.join("program"));
        compile(&source, &object);
        // The C driver does not link libstdc++: what the runtime lacks is an error here.
        let status = Command::new("clang")
            .arg(&object)
            .args(&runtime)
            .args(["-lgcc_s", "-lm", "-o"])
            .arg(&program)
            .status()
            .expect("clang");
        assert!(status.success(), "{}", source.display());
        let (expected, found) = (run(&library, &source), run(&program, &source));
        let name = source.display();
        assert_eq!(
            String::from_utf8_lossy(&found.stdout),
            String::from_utf8_lossy(&expected.stdout),
            "{name}"
        );
        assert_eq!(
            String::from_utf8_lossy(&found.stderr),
            String::from_utf8_lossy(&expected.stderr),
            "{name}"
        );
        assert_eq!(found.status, expected.status, "{name}");
    }
}
