//! Programs that take their input from a test: the same sources, natively, with `runtime/replay.c` in place of the engine.
//!
//! Two things come out of one compilation. The compiler is told to call a function in every block (`-fsanitize-coverage`); the bitcode that it
//! writes is the program's, with these calls, and the native program is made of that very bitcode. A machine that runs the bitcode and the native
//! program can then be compared block by block. What a compiler cannot be told to do so is built without.
//!
//! A function other than `main` is called by a small driver, which is written here and makes the parameters out of inputs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kind::Kind;
use crate::session::Session;
use crate::{
    Built, CompileError, Language, Module, Options, clang, classify, languages, read, rustc,
};

/// A function to be called in place of `main`.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// As the linker knows it.
    pub symbol: String,
    pub parameters: Vec<EntryParameter>,
}

/// A parameter of it: an integer of so many bits, or a pointer. Without a buffer, a pointer is null.
#[derive(Clone, Debug, Default)]
pub struct EntryParameter {
    pub name: String,
    pub bits: u32,
    pub pointer: bool,
    pub buffer: Option<u64>,
}

/// The function of the driver that calls the [`Entry`].
pub const DRIVER: &str = "refrain_replay_entry";

/// A program to be replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The bitcode of the files, of the driver if there is an entry, and of the C++ runtime if there is C++.
    pub built: Built,
    /// How many of the modules are the program's own.
    pub files: usize,
    /// The blocks that run are told, natively and in the bitcode.
    pub traced: bool,
}

/// The compiler is told to trace blocks. A C++ library that is partly in the program is not: the machine has another one.
const TRACING: &str = "-fsanitize-coverage=trace-pc-guard,bb,no-prune";
const NOT_TRACED: &str = "fun:_ZSt*\nfun:_ZNSt*\nfun:_ZNKSt*\nfun:_ZN9__gnu_cxx*\nfun:_ZNK9__gnu_cxx*\n\
    fun:_ZTv*St*\nfun:_ZTh*St*\nfun:__clang_call_terminate\n";

const RUST_TRACING: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
    "-Cllvm-args=-sanitizer-coverage-prune-blocks=0",
];

const CHECKING: [&str; 4] = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-fno-common",
];

/// Builds the program for replaying.
pub fn replay(
    inputs: &[PathBuf],
    options: &Options,
    entry: Option<&Entry>,
    output: &Path,
) -> Result<Replay, CompileError> {
    let kinds = classify(inputs)?;
    let languages = languages(&kinds);
    let mut session = Session::new(options)?;
    let session = &mut session;
    let is_rust = languages.contains(&Language::Rust);
    let runtime = c_object(session, "runtime/replay.c", &["-O1"])?;
    let mut objects = vec![runtime];
    let mut driver_bitcode = None;
    if let Some(entry) = entry {
        let source = session.output("c");
        std::fs::write(&source, driver(entry)).map_err(CompileError::Temporary)?;
        objects.push(c_object(session, &source, &["-O0"])?);
        // Without a clang, the machine is the one who goes without.
        driver_bitcode = clang::driver_bitcode(session, &source).ok();
    }
    let (mut modules, traced) = match (inputs, is_rust) {
        ([input], true) => rust(session, input, &objects, output)?,
        (_, true) => return Err(CompileError::MixedRust),
        _ => clang_program(session, inputs, &kinds, entry, &objects, output)?,
    };
    if let Some(bytes) = driver_bitcode {
        modules.push(Module {
            name: "refrain/driver".to_string(),
            bytes,
        });
    }
    let files = modules.len();
    if languages.contains(&Language::Cxx) {
        modules.push(clang::cxx_runtime(session)?);
    }
    Ok(Replay {
        built: session.take(modules, languages),
        files,
        traced,
    })
}

/// Builds the native program with the checks that clang has for memory and for undefined behaviour. An error where this clang cannot.
pub fn replay_checked(
    inputs: &[PathBuf],
    options: &Options,
    entry: Option<&Entry>,
    output: &Path,
) -> Result<Built, CompileError> {
    let kinds = classify(inputs)?;
    let languages = languages(&kinds);
    if languages.contains(&Language::Rust) {
        return Err(CompileError::NotChecked {
            reason: "the checks are for C and C++",
        });
    }
    if !kinds.iter().all(|kind| matches!(kind, Kind::Source(_))) {
        return Err(CompileError::NotChecked {
            reason: "not all files are sources",
        });
    }
    let mut session = Session::new(options)?;
    let session = &mut session;
    let mut objects = Vec::new();
    for (path, kind) in inputs.iter().zip(&kinds) {
        let Kind::Source(language) = kind else {
            continue;
        };
        let object = session.output("o");
        let mut command = clang::compile(session, *language)?;
        command
            .args(CHECKING)
            .arg("-c")
            .arg(path)
            .arg("-o")
            .arg(&object);
        session.run(command, &object)?;
        expose(session, entry, &object);
        objects.push(object);
    }
    objects.push(c_object(
        session,
        "runtime/replay.c",
        &["-O1", "-DREFRAIN_NO_TRACE"],
    )?);
    if let Some(entry) = entry {
        let source = session.output("c");
        std::fs::write(&source, driver(entry)).map_err(CompileError::Temporary)?;
        objects.push(c_object(session, &source, &["-O0"])?);
    }
    clang::link(session, linker(&kinds), &objects, &CHECKING, output)?;
    Ok(session.take(Vec::new(), languages))
}

fn linker(kinds: &[Kind]) -> Language {
    let is_cxx = kinds.contains(&Kind::Source(Language::Cxx));
    if is_cxx { Language::Cxx } else { Language::C }
}

/// A C file of our own as an object file. Any C compiler will do.
fn c_object(
    session: &mut Session,
    source: impl AsRef<Path>,
    flags: &[&str],
) -> Result<PathBuf, CompileError> {
    let output = session.output("o");
    let mut command = clang::any_c(session)?;
    command
        .args(flags)
        .args(["-w", "-fPIC", "-c"])
        .arg(source.as_ref())
        .arg("-o")
        .arg(&output)
        .current_dir(session.directory());
    session.run(command, &output)?;
    Ok(output)
}

/// All of rustc's work at once: bitcode and program.
fn rust(
    session: &mut Session,
    source: &Path,
    objects: &[PathBuf],
    output: &Path,
) -> Result<(Vec<Module>, bool), CompileError> {
    let traced = rustc::replay(session, source, objects, &RUST_TRACING, output);
    let (bytes, traced) = match traced {
        Ok(bytes) => (bytes, true),
        Err(_) => (rustc::replay(session, source, objects, &[], output)?, false),
    };
    let module = Module {
        name: source.display().to_string(),
        bytes,
    };
    Ok((vec![module], traced))
}

fn clang_program(
    session: &mut Session,
    inputs: &[PathBuf],
    kinds: &[Kind],
    entry: Option<&Entry>,
    more: &[PathBuf],
    output: &Path,
) -> Result<(Vec<Module>, bool), CompileError> {
    let untraced = session.output("ignore");
    std::fs::write(&untraced, NOT_TRACED).map_err(CompileError::Temporary)?;
    let (mut modules, mut objects, mut traced) = (Vec::new(), Vec::new(), false);
    for (path, kind) in inputs.iter().zip(kinds) {
        let name = path.display().to_string();
        let is_archive = path.extension().is_some_and(|ending| ending == "a");
        if *kind == Kind::Binary && (is_archive || !clang::is_bitcode(path)?) {
            objects.push(path.clone());
            modules.push(Module {
                name,
                bytes: read(path)?,
            });
            continue;
        }
        // Compilers have known the list under two names; the last attempt is without tracing.
        let ignore = |option: &str| format!("-fsanitize-coverage-{option}={}", untraced.display());
        let attempts: &[&[String]] = &match kind {
            Kind::Source(Language::Cxx) => [
                &[TRACING.to_string(), ignore("ignorelist")][..],
                &[TRACING.to_string(), ignore("blocklist")],
                &[],
            ],
            _ => [&[TRACING.to_string()][..], &[TRACING.to_string()], &[]],
        };
        let mut built = None;
        for flags in attempts {
            let bitcode = session.output("bc");
            match instrumented(session, path, *kind, flags, &bitcode) {
                Ok(()) => {
                    traced |= !flags.is_empty();
                    built = Some(bitcode);
                    break;
                }
                // The last one's reasons have nothing to do with tracing.
                Err(error) if flags.is_empty() => return Err(error),
                Err(_) => {}
            }
        }
        let Some(bitcode) = built else { continue };
        let language = match kind {
            Kind::Source(language) => *language,
            _ => Language::C,
        };
        let object = clang::object(session, language, &bitcode)?;
        expose(session, entry, &object);
        objects.push(object);
        modules.push(Module {
            name,
            bytes: read(&bitcode)?,
        });
    }
    objects.extend_from_slice(more);
    clang::link(session, linker(kinds), &objects, &[], output)?;
    Ok((modules, traced))
}

fn instrumented(
    session: &mut Session,
    path: &Path,
    kind: Kind,
    flags: &[String],
    output: &Path,
) -> Result<(), CompileError> {
    match kind {
        Kind::Source(language) => {
            let mut command = clang::compile(session, language)?;
            command.args(flags);
            command
                .args(["-c", "-emit-llvm"])
                .arg(path)
                .arg("-o")
                .arg(output);
            session.run(command, output)
        }
        _ => clang::from_ir(session, path, flags, output),
    }
}

/// A function that only its own file can see is shown to the driver too. Where that fails, linking says that it is not there.
fn expose(session: &mut Session, entry: Option<&Entry>, object: &Path) {
    let Some(entry) = entry else { return };
    let environment = &session.options.environment;
    let tool = environment
        .find("objcopy")
        .or_else(|| environment.find("llvm-objcopy"))
        .or_else(|| {
            let newest = environment.versions("llvm-objcopy").into_iter().next();
            newest.map(|(_, path)| path)
        });
    if let Some(tool) = tool {
        let mut command = Command::new(tool);
        command
            .arg(format!("--globalize-symbol={}", entry.symbol))
            .arg(object);
        let _ = session.run(command, object);
    }
}

/// The C source of the driver. It starts before `main` is entered and never gets there: the program may have one, or not.
fn driver(entry: &Entry) -> String {
    let mut text = String::from(
        "void klee_make_symbolic(void *, unsigned long, const char *);\n\
         void *malloc(unsigned long);\nvoid exit(int);\n",
    );
    let kind = |parameter: &EntryParameter| match (parameter.pointer, parameter.bits) {
        (true, _) => "void *",
        (_, 0..=8) => "unsigned char",
        (_, 9..=16) => "unsigned short",
        (_, 17..=32) => "unsigned int",
        _ => "unsigned long",
    };
    let kinds: Vec<&str> = entry.parameters.iter().map(kind).collect();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "extern void refrain_target({}) __asm__({});",
        if kinds.is_empty() {
            "void".to_string()
        } else {
            kinds.join(", ")
        },
        literal(&entry.symbol)
    );
    let _ = writeln!(text, "void {DRIVER}(void) {{");
    for (index, parameter) in entry.parameters.iter().enumerate() {
        let name = literal(&parameter.name);
        let _ = match (parameter.pointer, parameter.buffer) {
            (true, Some(size)) => writeln!(
                text,
                "  void *p{index} = malloc({size}ul);\n  klee_make_symbolic(p{index}, {size}ul, {name});"
            ),
            (true, None) => writeln!(text, "  void *p{index} = 0;"),
            _ => writeln!(
                text,
                "  unsigned long p{index} = 0;\n  klee_make_symbolic(&p{index}, {}, {name});",
                parameter.bits.div_ceil(8).clamp(1, 8)
            ),
        };
    }
    let arguments: Vec<String> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| format!("({kind})p{index}"))
        .collect();
    let _ = writeln!(text, "  refrain_target({});", arguments.join(", "));
    text + "  exit(0);\n}\n#ifndef REFRAIN_BITCODE\n"
        + "__attribute__((constructor)) static void start(void) { "
        + DRIVER
        + "(); }\n__attribute__((weak)) int main(void) { return 0; }\n#endif\n"
}

/// A C string, whatever is in it.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'$' | b' ' => {
                literal.push(char::from(byte));
            }
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_a_string() {
        assert_eq!(literal("a_1"), "\"a_1\"");
        assert_eq!(literal("\"\\\n?ü"), r#""\042\134\012\077\303\274""#);
    }

    #[test]
    fn a_driver_makes_every_parameter() {
        let parameter = |name: &str, bits, pointer, buffer| EntryParameter {
            name: name.into(),
            bits,
            pointer,
            buffer,
        };
        let text = driver(&Entry {
            symbol: "f".into(),
            parameters: vec![
                parameter("n", 32, false, None),
                parameter("p", 64, true, Some(16)),
                parameter("q", 64, true, None),
            ],
        });
        for line in [
            "extern void refrain_target(unsigned int, void *, void *) __asm__(\"f\");",
            "  klee_make_symbolic(&p0, 4, \"n\");",
            "  void *p1 = malloc(16ul);",
            "  void *p2 = 0;",
            "  refrain_target((unsigned int)p0, (void *)p1, (void *)p2);",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
