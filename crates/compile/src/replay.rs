//! Programs that take their input from a test: the same sources, natively, with `runtime/replay.c` in place of the
//! engine.
//!
//! Two things come out of one compilation. The compiler is told to call a function in every block
//! (`-fsanitize-coverage`); the bitcode that it writes is the program's, with these calls, and the native program is
//! made of that very bitcode. A machine that runs the bitcode and the native program can then be compared block by
//! block. What a compiler cannot be told to do so is built without.
//!
//! A function other than `main` is called by a small driver, which is written here and makes the parameters out of
//! inputs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use refrain_machine::Parameter;

use crate::elf::Elf;
use crate::kind::Kind;
use crate::session::Session;
use crate::{
    Built, CompileError, Language, Module, Options, SharedLibrary, clang, classify, cxx, languages,
    linked, read, rustc,
};

/// A function to be called in place of `main`.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// As the linker knows it.
    pub symbol: String,
    pub parameters: Vec<Parameter>,
}

/// A program to be replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The bitcode of the files, and of the C++ runtime if there is C++.
    pub built: Built,
    /// The blocks that run are told, natively and in the bitcode.
    pub traced: bool,
}

/// The compiler is told to trace blocks. A C++ library that is partly in the program is not: the machine has another
/// one. Nor is what initialises variables: those of the library's templates natively are initialised by the library.
const TRACING: &str = "-fsanitize-coverage=trace-pc-guard,bb,no-prune";
const NOT_TRACED: &str = "fun:_ZSt*\nfun:_ZNS*\nfun:_ZNKS*\nfun:_ZZSt*\nfun:_ZZNS*\nfun:_ZZNKS*\n\
    fun:_ZN9__gnu_cxx*\nfun:_ZNK9__gnu_cxx*\nfun:_ZTv*_NS*\nfun:_ZTv*St*\nfun:_ZTh*_NS*\nfun:_ZTh*St*\n\
    fun:__clang_call_terminate\nfun:__cxx_global_var_init*\nfun:_GLOBAL__*\n";

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
    untraced: &[String],
    output: &Path,
) -> Result<Replay, CompileError> {
    let kinds = classify(inputs)?;
    let languages = languages(&kinds);
    let mut session = Session::new(options)?;
    let session = &mut session;
    let is_rust = languages.contains(&Language::Rust);
    let runtime = c_object(session, "runtime/replay.c", &["-O1"])?;
    let mut objects = vec![runtime];
    if let Some(entry) = entry {
        let source = session.output("c");
        std::fs::write(&source, driver(entry)).map_err(CompileError::Temporary)?;
        objects.push(c_object(session, &source, &["-O0"])?);
    }
    let (mut modules, mut shared, mut traced) = (Vec::new(), Vec::new(), false);
    match (inputs, is_rust) {
        ([input], true) => {
            (modules, traced) = rust(session, input, entry, &objects, output)?;
        }
        (_, true) => return Err(CompileError::MixedRust),
        _ => {
            let mut program = Parts::of(session, inputs, &kinds)?;
            for part in std::mem::take(&mut program.parts) {
                let (module, object, is_traced) = clang_part(session, part, entry, untraced)?;
                modules.push(module);
                program.objects.push(object);
                traced |= is_traced;
            }
            shared = std::mem::take(&mut program.shared);
            program.link(session, linker(&kinds), objects, output)?;
        }
    }
    let is_cxx = languages.contains(&Language::Cxx);
    if is_cxx {
        modules.push(cxx::core(session)?);
    }
    Ok(Replay {
        built: Built {
            runtime: usize::from(is_cxx),
            shared,
            ..session.take(modules, languages)
        },
        traced,
    })
}

/// Builds the native program with the checks that clang has for memory and for undefined behaviour. An error where
/// this clang cannot.
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
    let sanitizers = match &options.sanitizers[..] {
        [] => None,
        more => Some(format!("-fsanitize={}", more.join(","))),
    };
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
            .args(sanitizers.as_ref())
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
pub(crate) fn c_object(
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
    entry: Option<&Entry>,
    objects: &[PathBuf],
    output: &Path,
) -> Result<(Vec<Module>, bool), CompileError> {
    let linker = match entry {
        Some(entry) => exposing_linker(session, entry)?,
        None => None,
    };
    let linker = linker.as_deref();
    let traced = rustc::replay(session, source, objects, &RUST_TRACING, linker, output);
    let (bytes, traced) = match traced {
        Ok(bytes) => (bytes, true),
        Err(_) => (
            rustc::replay(session, source, objects, &[], linker, output)?,
            false,
        ),
    };
    let module = Module {
        name: source.display().to_string(),
        bytes,
    };
    Ok((vec![module], traced))
}

/// A file of a program: a source, bitcode, or what is linked as it is.
struct Part {
    name: String,
    path: PathBuf,
    kind: Kind,
}

/// What a program is built of natively. A program that was linked stands for its bitcode, and for the shared libraries
/// it is linked with, which are not built again.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    shared: Vec<SharedLibrary>,
    objects: Vec<PathBuf>,
    /// For the linker, behind all objects.
    libraries: Vec<OsString>,
}

impl Parts {
    fn of(
        session: &mut Session,
        inputs: &[PathBuf],
        kinds: &[Kind],
    ) -> Result<Parts, CompileError> {
        let mut parts = Parts::default();
        for (path, &kind) in inputs.iter().zip(kinds) {
            let linked = match kind {
                Kind::Binary => linked::read(path)?,
                _ => None,
            };
            let Some(linked) = linked else {
                parts.parts.push(Part {
                    name: path.display().to_string(),
                    path: path.clone(),
                    kind,
                });
                continue;
            };
            let named = linked.needed.iter().chain(&linked.lacking);
            let named = named.filter(|name| !name.starts_with("ld-"));
            parts
                .libraries
                .extend(named.map(|name| format!("-l:{name}").into()));
            for module in session.take_in(linked, &mut parts.shared) {
                let path = session.output("bc");
                std::fs::write(&path, module.bytes).map_err(CompileError::Temporary)?;
                parts.parts.push(Part {
                    name: module.name,
                    path,
                    kind,
                });
            }
        }
        for library in &parts.shared {
            let folder = library.path.parent().unwrap_or(Path::new("/"));
            let mut search = OsString::from("-Wl,-rpath,");
            search.push(folder);
            parts.libraries.push(library.path.clone().into());
            parts.libraries.push(search);
        }
        Ok(parts)
    }

    fn link(
        mut self,
        session: &mut Session,
        language: Language,
        more: Vec<PathBuf>,
        output: &Path,
    ) -> Result<(), CompileError> {
        self.objects.extend(more);
        let files = self.objects.into_iter().map(OsString::from);
        let files: Vec<OsString> = files.chain(self.libraries).collect();
        let linked = clang::link(session, language, &files, &[], output);
        let Err(error) = linked else {
            return Ok(());
        };
        // Bitcode does not say that it was C++.
        if clang::link(session, Language::Cxx, &files, &[], output).is_ok() {
            return Ok(());
        }
        // And a program may name functions that it never calls and nobody has: optimised, it is linked without them.
        let lenient = ["-Wl,--unresolved-symbols=ignore-all"];
        if clang::link(session, Language::Cxx, &files, &lenient, output).is_err() {
            return Err(error);
        }
        let objects = files.iter().filter_map(|file| Elf::read(Path::new(file)));
        let needed: BTreeSet<String> = objects.flat_map(|elf| elf.needs()).collect();
        let known = Elf::read(output).map(|elf| elf.knows()).unwrap_or_default();
        let source = session.output("c");
        std::fs::write(&source, stand_ins(&(&needed - &known))).map_err(CompileError::Temporary)?;
        let mut files = files;
        files.insert(0, c_object(session, &source, &["-O0"])?.into());
        clang::link(session, Language::Cxx, &files, &[], output).map_err(|_| error)
    }
}

/// The C source of functions in place of those that are nowhere: whoever calls one is told so.
fn stand_ins(absent: &BTreeSet<String>) -> String {
    let mut text = String::from(
        "long write(int, const void *, unsigned long);\nvoid _exit(int) __attribute__((noreturn));\n",
    );
    for (index, name) in absent.iter().enumerate() {
        let message = format!("refrain: {name} is not in the program\n");
        let (name, length) = (literal(name), message.len());
        let message = literal(&message);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "void absent{index}(void) __asm__({name});\n\
             void absent{index}(void) {{ write(2, {message}, {length}); _exit(127); }}"
        );
    }
    text
}

/// A part as the machine runs it, and as it is linked; whether its blocks are traced.
fn clang_part(
    session: &mut Session,
    part: Part,
    entry: Option<&Entry>,
    untraced: &[String],
) -> Result<(Module, PathBuf, bool), CompileError> {
    let Part { name, path, kind } = part;
    let is_archive = path.extension().is_some_and(|ending| ending == "a");
    if kind == Kind::Binary && (is_archive || !clang::is_bitcode(&path)?) {
        let bytes = read(&path)?;
        return Ok((Module { name, bytes }, path, false));
    }
    let names = untraced.iter().map(|name| format!("fun:{name}\n"));
    let list = NOT_TRACED.to_string() + &names.collect::<String>();
    let untraced = session.output("ignore");
    std::fs::write(&untraced, list).map_err(CompileError::Temporary)?;
    // Compilers have known the list under two names; the last attempt is without tracing.
    let ignore = |option: &str| format!("-fsanitize-coverage-{option}={}", untraced.display());
    let attempts: [&[String]; 3] = [
        &[TRACING.to_string(), ignore("ignorelist")],
        &[TRACING.to_string(), ignore("blocklist")],
        &[],
    ];
    let language = match kind {
        Kind::Source(language) => language,
        _ => Language::C,
    };
    let mut failed = CompileError::NoInput;
    for flags in attempts {
        let bitcode = session.output("bc");
        match instrumented(session, &path, kind, flags, &bitcode) {
            Ok(()) => {
                let object = clang::object(session, language, &bitcode)?;
                expose(session, entry, &object);
                let bytes = read(&bitcode)?;
                return Ok((Module { name, bytes }, object, !flags.is_empty()));
            }
            // The last one's reasons have nothing to do with tracing.
            Err(error) => failed = error,
        }
    }
    Err(failed)
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

/// A function that only its own file can see is shown to the driver too. Where that fails, linking says that it is
/// not there.
fn expose(session: &mut Session, entry: Option<&Entry>, object: &Path) {
    if let (Some(entry), Some(tool)) = (entry, objcopy(session)) {
        let mut command = Command::new(tool);
        command
            .arg(format!("--globalize-symbol={}", entry.symbol))
            .arg(object);
        let _ = session.run(command, object);
    }
}

fn objcopy(session: &Session) -> Option<PathBuf> {
    let environment = &session.options.environment;
    let newest = || environment.versions("llvm-objcopy").into_iter().next();
    environment
        .find("objcopy")
        .or_else(|| environment.find("llvm-objcopy"))
        .or_else(|| newest().map(|(_, path)| path))
}

/// The same for rustc, which links by itself: a linker that does it to the objects that it is given.
fn exposing_linker(session: &mut Session, entry: &Entry) -> Result<Option<PathBuf>, CompileError> {
    use std::os::unix::fs::PermissionsExt;
    let environment = &session.options.environment;
    let linker = environment.find("cc").or_else(|| environment.find("clang"));
    let (Some(tool), Some(linker)) = (objcopy(session), linker) else {
        return Ok(None);
    };
    let path = session.output("linker");
    let script = format!(
        "#!/bin/sh\nfor file; do case $file in *.rcgu.o) {} \"$file\";; esac; done\nexec {} \"$@\"\n",
        crate::join_words([
            tool.to_string_lossy().into_owned(),
            format!("--globalize-symbol={}", entry.symbol)
        ]),
        crate::join_words([linker.to_string_lossy()])
    );
    std::fs::write(&path, script)
        .and_then(|()| std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)))
        .map_err(CompileError::Temporary)?;
    Ok(Some(path))
}

/// The C source of the driver. It starts before `main` is entered and never gets there: the program may have one, or
/// not.
fn driver(entry: &Entry) -> String {
    let mut text = String::from(
        "void klee_make_symbolic(void *, unsigned long, const char *);\n\
         unsigned long refrain_input_size(const char *);\n\
         void *calloc(unsigned long, unsigned long);\nvoid *malloc(unsigned long);\nvoid exit(int);\n",
    );
    let (mut kinds, mut arguments, mut body) = (Vec::new(), Vec::new(), String::new());
    // Writing to a string does not fail.
    for (index, parameter) in entry.parameters.iter().enumerate() {
        let name = literal(&parameter.name);
        let size = parameter.buffer.unwrap_or(0);
        if parameter.sized {
            let _ = writeln!(
                body,
                "  unsigned long n{index} = refrain_input_size({name});\n  void *p{index} = malloc(n{index});\n  \
                 klee_make_symbolic(p{index}, n{index}, {name});"
            );
        } else if parameter.pointer {
            let _ = match parameter.buffer {
                Some(size) => writeln!(body, "  void *p{index} = calloc({size}ul, 1);"),
                None => writeln!(body, "  void *p{index} = 0;"),
            };
            if parameter.buffer.is_some() && !parameter.result {
                let _ = writeln!(body, "  klee_make_symbolic(p{index}, {size}ul, {name});");
            }
        } else {
            let _ = writeln!(
                body,
                "  {} p{index} = 0;\n  klee_make_symbolic(&p{index}, sizeof p{index}, {name});",
                number_type(parameter)
            );
        }
        if parameter.by_value {
            let _ = writeln!(text, "struct s{index} {{ char bytes[{}]; }};", size.max(1));
            kinds.push(format!("struct s{index}"));
            arguments.push(format!("*(struct s{index} *)p{index}"));
        } else if parameter.pointer {
            kinds.push("void *".to_string());
            arguments.push(format!("p{index}"));
        } else {
            kinds.push(number_type(parameter).to_string());
            // Any other byte than zero is true.
            let is_bool = parameter.bits == 1;
            arguments.push(format!("p{index}{}", if is_bool { " != 0" } else { "" }));
        }
        if let Some(elements) = parameter.slice {
            kinds.push("unsigned long".to_string());
            arguments.push(format!("{elements}ul"));
        }
        if parameter.sized {
            kinds.push("unsigned long".to_string());
            arguments.push(format!("n{index}"));
        }
    }
    if kinds.is_empty() {
        kinds.push("void".to_string());
    }
    let _ = writeln!(
        text,
        "extern void refrain_target({}) __asm__({});",
        kinds.join(", "),
        literal(&entry.symbol)
    );
    let arguments = arguments.join(", ");
    if entry.symbol == "LLVMFuzzerTestOneInput" {
        text += "__attribute__((weak)) int LLVMFuzzerInitialize(int *, char ***);\n";
        body = format!(
            "  static char name[] = \"LLVMFuzzerTestOneInput\", *words[] = {{name, 0}}, **argv = words;\n  \
             static int argc = 1;\n  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);\n{body}"
        );
    }
    let _ = writeln!(
        text,
        "__attribute__((constructor)) static void start(void) {{\n{body}  refrain_target({arguments});\n  exit(0);\n}}"
    );
    text + "__attribute__((weak)) int main(void) { return 0; }\n"
}

/// What a number is in C: as wide in memory as the input is.
fn number_type(parameter: &Parameter) -> &'static str {
    match (parameter.is_float, parameter.bits) {
        (true, 0..=32) => "float",
        (true, 33..=64) => "double",
        (true, _) => "long double",
        (false, 0..=8) => "unsigned char",
        (false, 9..=16) => "unsigned short",
        (false, 17..=32) => "unsigned int",
        (false, 33..=64) => "unsigned long",
        (false, _) => "unsigned __int128",
    }
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
        let number = |name: &str, bits| Parameter {
            name: name.into(),
            bits,
            ..Parameter::default()
        };
        let pointer = |name: &str, buffer| Parameter {
            pointer: true,
            buffer,
            ..number(name, 64)
        };
        let text = driver(&Entry {
            symbol: "f".into(),
            parameters: vec![
                Parameter {
                    result: true,
                    ..pointer("r", Some(24))
                },
                number("n", 32),
                Parameter {
                    slice: Some(4),
                    ..pointer("p", Some(16))
                },
                pointer("q", None),
                Parameter {
                    is_float: true,
                    ..number("d", 64)
                },
                number("b", 1),
                Parameter {
                    by_value: true,
                    ..pointer("s", Some(40))
                },
            ],
        });
        for line in [
            "extern void refrain_target(void *, unsigned int, void *, unsigned long, void *, double, unsigned char, struct s6) __asm__(\"f\");",
            "  klee_make_symbolic(&p1, sizeof p1, \"n\");",
            "  void *p2 = calloc(16ul, 1);",
            "  void *p3 = 0;",
            "  refrain_target(p0, p1, p2, 4ul, p3, p4, p5 != 0, *(struct s6 *)p6);",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("\"r\""), "{text}");
    }
}
