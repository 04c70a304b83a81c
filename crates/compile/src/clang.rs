//! C and C++: which clang, and what it is told. Any clang will do, since the bitcode that comes out is read by a reader
//! that knows all of its versions.

use crate::kind::Kind;
use crate::session::Session;
use crate::{CompileError, Language, read, words};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A compiler with the words that belong to its name (`ccache clang`, `clang --driver-mode=g++`).
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    program: PathBuf,
    words: Vec<String>,
}

impl Compiler {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words);
        command
    }

    /// Whether it is the program that runs now, be it behind `ccache` or under another name: asked what it is, it would
    /// ask itself.
    fn is_this_program(&self, environment: &crate::Environment) -> bool {
        let own = std::env::current_exe().and_then(|own| own.canonicalize());
        let is_own = |program: &Path| {
            let path = program.canonicalize().ok();
            program.ends_with("refrain") || path.is_some() && path == own.as_ref().ok().cloned()
        };
        let mut words = self.words.iter().filter_map(|word| environment.find(word));
        is_own(&self.program) || words.any(|program| is_own(&program))
    }

    fn is_clang(&self) -> bool {
        self.command()
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang"))
    }
}

pub(crate) fn bitcode(
    session: &mut Session,
    source: &Path,
    language: Language,
) -> Result<Vec<u8>, CompileError> {
    let output = session.output("bc");
    let rule = output.with_extension("d");
    let mut command = compile(session, language)?;
    command
        .args(["-c", "-emit-llvm", "-MMD", "-MF"])
        .arg(&rule)
        .arg(source)
        .arg("-o")
        .arg(&output);
    session.run(command, &output)?;
    session.depends_by(&rule);
    read(&output)
}

/// The compiler as parts of the C++ runtime are compiled: what decides how objects are laid out is taken from the
/// user's flags, the language's version is its own. With `as_the_user`, so is how well they are compiled; without, they
/// are optimised a little, since nobody steps through them.
pub(crate) fn runtime_command(
    session: &mut Session,
    as_the_user: bool,
) -> Result<Command, CompileError> {
    let compiler = find(session, Language::Cxx)?;
    let flags = flags(session, Language::Cxx)?;
    let mut command = compiler.command();
    if as_the_user {
        command
            .args(levels(session, &flags))
            .args(for_the_runtime(&flags));
    } else {
        let is_level = |flag: &String| flag.starts_with("-O") || flag.starts_with("-g");
        let layout = for_the_runtime(&flags);
        command
            .args(layout.iter().filter(|flag| !is_level(flag)))
            .args(["-O1", "-fno-vectorize", "-fno-slp-vectorize"]);
    }
    command
        .args(["-std=gnu++17", "-w", "-U_FORTIFY_SOURCE"])
        .args(["-include", "include/refrain/instantiate.h"]);
    Ok(command)
}

/// Textual bitcode is bound to versions: assemblers are tried from the newest to the oldest, which still knows typed
/// pointers. When all of them refuse, the newest one's reasons are the error.
pub(crate) fn assemble(session: &mut Session, source: &Path) -> Result<Vec<u8>, CompileError> {
    let environment = &session.options.environment;
    let mut assemblers: Vec<Command> = Vec::new();
    for path in by_version(environment, "llvm-as") {
        assemblers.push(Command::new(path));
    }
    if assemblers.is_empty() {
        for path in by_version(environment, "clang") {
            let mut command = Command::new(path);
            command.args([
                "-w",
                "-c",
                "-emit-llvm",
                "-Xclang",
                "-disable-llvm-passes",
                "-x",
                "ir",
            ]);
            assemblers.push(command);
        }
    }
    let mut first_error = None;
    for mut command in assemblers {
        let output = session.output("bc");
        command.arg(source).arg("-o").arg(&output);
        match session.run(command, &output) {
            Ok(()) => return read(&output),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(CompileError::NoCompiler {
        what: "LLVM assembly (.ll)",
        looked_for: "llvm-as, llvm-as-N, clang, clang-N".to_string(),
        install: "install LLVM's tools (Debian and Ubuntu: apt install llvm)",
    }))
}

/// Every file on its own, then all of them together.
pub(crate) fn native(
    session: &mut Session,
    inputs: &[PathBuf],
    kinds: &[Kind],
    output: &Path,
) -> Result<(), CompileError> {
    let mut objects = Vec::new();
    let mut linker = Language::C;
    for (path, kind) in inputs.iter().zip(kinds) {
        let object = session.output("o");
        let is_archive = path.extension().is_some_and(|ending| ending == "a");
        let mut command = match kind {
            Kind::Source(language) => {
                if *language == Language::Cxx {
                    linker = Language::Cxx;
                }
                compile(session, *language)?
            }
            Kind::Binary if !is_bitcode(path)? || is_archive => {
                objects.push(path.clone());
                continue;
            }
            Kind::Assembly | Kind::Binary => {
                let mut command = find(session, Language::C)?.command();
                command.args(["-w", "-x", "ir"]);
                command
            }
        };
        command.arg("-c").arg(path).arg("-o").arg(&object);
        session.run(command, &object)?;
        objects.push(object);
    }
    link(session, linker, &objects, &[], output)
}

/// Objects and archives become a program.
pub(crate) fn link(
    session: &mut Session,
    language: Language,
    objects: &[impl AsRef<OsStr>],
    more: &[&str],
    output: &Path,
) -> Result<(), CompileError> {
    let flags = flags(session, language)?;
    let mut command = find(session, language)?.command();
    command
        .args(&flags)
        .args(more)
        .arg("-Qunused-arguments")
        .args(objects);
    command.arg("-lm").arg("-o").arg(output);
    session.run(command, output)
}

/// Bitcode that a compiler has written becomes an object file. It is optimised already: its functions stay as they are.
pub(crate) fn object(
    session: &mut Session,
    language: Language,
    bitcode: &Path,
) -> Result<PathBuf, CompileError> {
    let flags = for_the_runtime(&flags(session, language)?);
    let output = session.output("o");
    let mut first_error = None;
    for mut command in readers_of_ir(session)? {
        command.args(["-w", "-fPIC"]).args(&flags);
        command.args(["-Qunused-arguments", "-Xclang", "-disable-llvm-passes"]);
        command.args(["-x", "ir", "-c"]);
        command.arg(bitcode).arg("-o").arg(&output);
        match session.run(command, &output) {
            Ok(()) => return Ok(output),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(CompileError::NoInput))
}

/// Bitcode or textual bitcode, with these flags on top, becomes bitcode.
pub(crate) fn from_ir(
    session: &mut Session,
    source: &Path,
    flags: &[String],
    output: &Path,
) -> Result<(), CompileError> {
    let mut first_error = None;
    for mut command in readers_of_ir(session)? {
        command.args(["-w", "-O0"]).args(flags);
        command.args(["-x", "ir", "-c", "-emit-llvm"]);
        command.arg(source).arg("-o").arg(output);
        match session.run(command, output) {
            Ok(()) => return Ok(()),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(CompileError::NoInput))
}

/// The usual clang, and then all others: one of them may be new enough to read what a newer one wrote.
fn readers_of_ir(session: &mut Session) -> Result<Vec<Command>, CompileError> {
    let mut commands = vec![find(session, Language::C)?.command()];
    let others = by_version(&session.options.environment, "clang");
    commands.extend(others.into_iter().map(Command::new));
    Ok(commands)
}

/// A compiler for C that need not be clang.
pub(crate) fn any_c(session: &mut Session) -> Result<Command, CompileError> {
    let clang = find(session, Language::C);
    let environment = &session.options.environment;
    let other = || environment.find("cc").or_else(|| environment.find("gcc"));
    match (clang, other()) {
        (Ok(clang), _) => Ok(clang.command()),
        (Err(_), Some(other)) => Ok(Command::new(other)),
        (Err(error), None) => Err(error),
    }
}

pub(crate) fn is_bitcode(path: &Path) -> Result<bool, CompileError> {
    let bytes = read(path)?;
    Ok(bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b"))
}

/// The compiler with all flags but those that say what is compiled to what.
pub(crate) fn compile(session: &mut Session, language: Language) -> Result<Command, CompileError> {
    let compiler = find(session, language)?;
    let flags = flags(session, language)?;
    let include = session.directory().join("include");
    let mut command = compiler.command();
    command
        .args(levels(session, &flags))
        .args(session.options.keep_float_operations.then_some(TRAPPING))
        .args(&flags)
        .arg("-I")
        .arg(&include);
    if language == Language::Cxx {
        command
            .arg("-include")
            .arg(include.join("refrain/instantiate.h"));
    }
    command
        .args(prefix_map(session))
        .args(["-U_FORTIFY_SOURCE", "-Qunused-arguments"]);
    Ok(command)
}

/// Whoever may look at exceptions of floats has none that the program did not raise.
const TRAPPING: &str = "-ffp-exception-behavior=maytrap";

/// The flags of the environment and those of the call, in this order.
fn flags(session: &Session, language: Language) -> Result<Vec<String>, CompileError> {
    let options = session.options;
    let (name, set) = match language {
        Language::Cxx => ("CXXFLAGS", &options.environment.cxxflags),
        _ => ("CFLAGS", &options.environment.cflags),
    };
    let mut flags = match set {
        Some(text) => words::split(name, text)?,
        None => Vec::new(),
    };
    flags.extend(options.cflags.iter().cloned());
    Ok(flags)
}

/// Optimisation and debug information, where the flags do not speak of them: nothing is optimised away that a report
/// would be about, and nothing is kept from being optimised later.
fn levels(session: &Session, flags: &[String]) -> Vec<String> {
    let mut levels = Vec::new();
    let named = flags.iter().rev().find(|flag| flag.starts_with("-O"));
    match (&session.options.opt_level, named) {
        (Some(level), _) => levels.push(format!("-O{level}")),
        (None, Some(_)) => {}
        (None, None) => levels.push("-O0".to_string()),
    }
    let level = levels.first().or(named);
    if level.is_some_and(|level| level == "-O0") {
        levels.extend(["-Xclang", "-disable-O0-optnone"].map(String::from));
    }
    if session.options.debug && !flags.iter().any(|flag| flag.starts_with("-g")) {
        levels.push("-g".to_string());
    }
    levels
}

/// Of the user's flags, those that two files must agree on.
fn for_the_runtime(flags: &[String]) -> Vec<String> {
    const PREFIXES: [&str; 10] = [
        "-m",
        "-O",
        "-g",
        "--target",
        "--sysroot",
        "--gcc-",
        "-stdlib",
        "-D_GLIBCXX",
        "-fshort-",
        "-funsigned-char",
    ];
    const WITH_A_WORD: [&str; 3] = ["-target", "-isysroot", "-isystem"];
    let mut kept = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        if WITH_A_WORD.contains(&word.as_str()) {
            kept.push(word.clone());
            kept.extend(words.next().cloned());
        } else if PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
            kept.push(word.clone());
        }
    }
    kept
}

/// The temporary directory has a new name in every run; debug information does not mention it.
pub(crate) fn prefix_map(session: &Session) -> [String; 1] {
    [format!(
        "-ffile-prefix-map={}=refrain",
        session.directory().display()
    )]
}

fn find(session: &mut Session, language: Language) -> Result<Compiler, CompileError> {
    let (compiler, note) = find_in(&session.options.environment, language)?;
    if let Some(note) = note {
        session.note(note);
    }
    Ok(compiler)
}

/// The compiler, and what the user should know about how it was chosen.
pub(crate) fn find_in(
    environment: &crate::Environment,
    language: Language,
) -> Result<(Compiler, Option<String>), CompileError> {
    let is_cxx = language == Language::Cxx;
    let (variable, set, base) = if is_cxx {
        ("CXX", &environment.cxx, "clang++")
    } else {
        ("CC", &environment.cc, "clang")
    };
    let mut note = None;
    if let Some(line) = set {
        match named(environment, variable, line)? {
            // `make CC="refrain cc"` hands it on to all that it starts.
            Some(compiler) if compiler.is_this_program(environment) => {}
            Some(compiler) if compiler.is_clang() => return Ok((compiler, None)),
            Some(_) => {
                note = Some(format!(
                    "{variable} is `{line}`, which is no clang; a clang is needed to make bitcode"
                ));
            }
            None => note = Some(format!("{variable} is `{line}`, which is not there")),
        }
    } else if is_cxx && let Some(compiler) = beside_cc(environment) {
        return Ok((compiler, None));
    }
    let plain = |program: PathBuf| Compiler {
        program,
        words: Vec::new(),
    };
    let numbered = |base: &str| {
        let newest = environment.versions(base).into_iter().next();
        newest.map(|(_, path)| path)
    };
    let as_cxx = |program: PathBuf| Compiler {
        program,
        words: vec!["--driver-mode=g++".to_string()],
    };
    let found = environment
        .find(base)
        .or_else(|| numbered(base))
        .map(plain)
        .or_else(|| {
            let clang = environment.find("clang").or_else(|| numbered("clang"));
            clang.filter(|_| is_cxx).map(as_cxx)
        });
    match (found, note) {
        (Some(compiler), note) => {
            let note = note.map(|note| format!("{note}: using {}", compiler.program.display()));
            Ok((compiler, note))
        }
        (None, note) => Err(CompileError::NoCompiler {
            what: if is_cxx { "C++" } else { "C" },
            looked_for: match note {
                Some(note) => format!("{base} and {base}-N; {note}"),
                None => format!("{variable}, {base} and {base}-N"),
            },
            install: "install clang (Debian and Ubuntu: apt install clang; Fedora: dnf install clang; \
                      Arch: pacman -S clang), or name one in CC and CXX",
        }),
    }
}

/// The compiler that a variable names.
fn named(
    environment: &crate::Environment,
    variable: &str,
    line: &str,
) -> Result<Option<Compiler>, CompileError> {
    let mut words = words::split(variable, line)?.into_iter();
    Ok(words
        .next()
        .and_then(|program| environment.find(&program))
        .map(|program| Compiler {
            program,
            words: words.collect(),
        }))
}

/// For C++ with only CC set to some clang: the clang++ of the same version.
fn beside_cc(environment: &crate::Environment) -> Option<Compiler> {
    let line = environment.cc.as_deref()?;
    let mut compiler = named(environment, "CC", line).ok()??;
    let file = compiler.program.file_name()?.to_str()?;
    if !file.starts_with("clang") || compiler.is_this_program(environment) || !compiler.is_clang() {
        return None;
    }
    let sibling = compiler
        .program
        .with_file_name(file.replacen("clang", "clang++", 1));
    if sibling.exists() {
        compiler.program = sibling;
    } else {
        compiler.words.push("--driver-mode=g++".to_string());
    }
    Some(compiler)
}

/// All programs of this name with and without a version, the newest first.
fn by_version(environment: &crate::Environment, name: &str) -> Vec<PathBuf> {
    let mut found = environment.versions(name);
    if let Some(plain) = environment.find(name) {
        let same =
            |(_, path): &(u32, PathBuf)| path.canonicalize().ok() == plain.canonicalize().ok();
        if !found.iter().any(same) {
            found.push((version(&plain).unwrap_or(0), plain));
            found.sort_by_key(|found| std::cmp::Reverse(found.0));
        }
    }
    found.into_iter().map(|(_, path)| path).collect()
}

fn version(program: &Path) -> Option<u32> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = text.split_once("version ")?;
    rest.split(|character: char| !character.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}
