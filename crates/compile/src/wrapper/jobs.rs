//! What clang would do with some arguments, as it says itself (`-###`): which sources it would compile to objects, and
//! what it would link. So no flag need be understood here, and response files, `-x` and standard input are what they
//! are to clang.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The compilations and the link that a command stands for.
#[derive(Debug, Default, PartialEq)]
pub struct Jobs {
    pub compilations: Vec<Compilation>,
    pub link: Option<Link>,
}

/// A source that becomes an object.
#[derive(Debug, PartialEq)]
pub struct Compilation {
    /// The command that writes its bitcode to standard output.
    pub bitcode: Vec<OsString>,
    pub reads_input: bool,
    /// A file that goes when the command is done, if something is linked.
    pub object: PathBuf,
}

/// The arguments of the linker.
#[derive(Debug, PartialEq)]
pub struct Link(Vec<OsString>);

/// Flags that make more than one compilation of a source, or files beside the object: not for the bitcode.
const DRIVER_DROPS: [&str; 9] = [
    "-save-temps",
    "--save-temps",
    "-fembed-bitcode",
    "-fno-integrated-as",
    "-no-integrated-as",
    "-via-file-asm",
    "-gsplit-dwarf",
    "-g0",
    "-ggdb0",
];

/// The same of the compiler proper: files beside the object, and what is put into the code to measure or check it.
const DROPS: [&str; 25] = [
    "-sys-header-deps",
    "-module-file-deps",
    "-fno-module-file-deps",
    "-MP",
    "-MG",
    "-MV",
    "-H",
    "-pg",
    "-stats-file=",
    "-ftime-trace",
    "-coverage-notes-file=",
    "-coverage-data-file=",
    "-femit-coverage-",
    "-fprofile-",
    "-fcoverage-mapping",
    "-ftest-coverage",
    "-fsanitize",
    "-fno-sanitize",
    "-fxray-",
    "-fembed-bitcode",
    "-foptimization-record",
    "-header-include-format=",
    "-Werror",
    "-pedantic-errors",
    "-print-stats",
];
const DROPS_WITH_A_WORD: [&str; 13] = [
    "-o",
    "-dependency-file",
    "-dependency-dot",
    "-MT",
    "-header-include-file",
    "-serialize-diagnostic-file",
    "-opt-record-file",
    "-opt-record-passes",
    "-opt-record-format",
    "-split-dwarf-file",
    "-split-dwarf-output",
    "-coverage-notes-file",
    "-coverage-data-file",
];

/// Asks a clang. `None`: these arguments are an error, or stand for nothing that is compiled or linked.
pub fn ask(mut clang: Command, arguments: &[OsString]) -> Option<Jobs> {
    let arguments = expanded(arguments, 0)?;
    clang.args(["-###", "-Qunused-arguments", "-g"]);
    clang.args(arguments.iter().filter(|word| {
        let word = word.as_bytes();
        !(DRIVER_DROPS.iter()).any(|flag| word.starts_with(flag.as_bytes()))
    }));
    let said = clang.stdin(Stdio::null()).output().ok()?;
    { said.status.success() }.then(|| Jobs::of(&said.stderr))
}

/// With the contents of response files in their place. `None`: one of them is part of itself.
fn expanded(arguments: &[OsString], depth: usize) -> Option<Vec<OsString>> {
    const DEEPEST: usize = 16;
    let mut words = Vec::new();
    for argument in arguments {
        let path = argument.as_bytes().strip_prefix(b"@");
        match path.and_then(|path| std::fs::read(OsStr::from_bytes(path)).ok()) {
            Some(_) if depth == DEEPEST => return None,
            Some(text) => words.extend(expanded(&response(&text), depth + 1)?),
            None => words.push(argument.clone()),
        }
    }
    Some(words)
}

/// The words of a response file: quoted as for a shell, but a backslash always escapes.
fn response(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (byte, Some(open)) if byte == open => quote = None,
            (byte, Some(_)) => word.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (byte, None) if byte.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (byte, None) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

impl Jobs {
    /// From what `-###` has printed: a line for each job, its words in quotes.
    fn of(printed: &[u8]) -> Jobs {
        let mut jobs = Jobs::default();
        let mut rest = printed;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
            let (words, after) = match rest.strip_prefix(b" \"") {
                Some(_) => quoted(rest),
                None => (Vec::new(), &rest[at + 1..]),
            };
            rest = after;
            match words.get(1) {
                Some(word) if word == "-cc1" => jobs.compilations.extend(compilation(&words)),
                Some(word) if word == "-cc1as" => {}
                Some(_) => jobs.link = Some(Link(words[1..].to_vec())),
                None => {}
            }
        }
        jobs
    }
}

/// The words of a line, and what follows it.
fn quoted(text: &[u8]) -> (Vec<OsString>, &[u8]) {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut bytes = text.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (byte, &mut word) {
            (b'"', Some(_)) => words.extend(word.take().map(OsString::from_vec)),
            (b'"', None) => word = Some(Vec::new()),
            (b'\\', Some(word)) => word.extend(bytes.next().map(|(_, byte)| byte)),
            (byte, Some(word)) => word.push(byte),
            (b'\n', None) => return (words, &text[at + 1..]),
            (_, None) => {}
        }
    }
    (words, &[])
}

/// A job of the compiler proper, if it makes an object that can be run.
fn compilation(words: &[OsString]) -> Option<Compilation> {
    let value = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)
    };
    let is_ours = { value("-triple")?.as_bytes() }.starts_with(b"x86_64");
    let makes_object = words.iter().any(|word| word == "-emit-obj");
    if !is_ours || !makes_object {
        return None;
    }
    let mut bitcode = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let bytes = word.as_bytes();
        if DROPS_WITH_A_WORD.iter().any(|flag| word == flag) {
            rest.next();
        } else if word == "-emit-obj" {
            bitcode.extend(["-emit-llvm-bc", "-w", "-o", "-"].map(OsString::from));
        } else if !DROPS.iter().any(|flag| bytes.starts_with(flag.as_bytes())) {
            bitcode.push(word.clone());
        }
    }
    Some(Compilation {
        reads_input: words.last().is_some_and(|word| word == "-"),
        object: value("-o")?.into(),
        bitcode,
    })
}

impl Link {
    fn has(&self, flags: &[&str]) -> bool {
        self.0
            .iter()
            .any(|word| flags.iter().any(|flag| word == flag))
    }

    /// Objects become an object.
    pub fn is_partial(&self) -> bool {
        self.has(&["-r", "--relocatable", "-Ur", "-i"])
    }

    /// For the processors whose programs are run.
    pub fn is_ours(&self) -> bool {
        self.has(&["elf_x86_64"])
    }

    pub fn output(&self) -> PathBuf {
        let at = self.0.iter().position(|word| word == "-o");
        let named = at.and_then(|at| self.0.get(at + 1));
        named.map_or_else(|| "a.out".into(), PathBuf::from)
    }

    /// Whether an object of a compilation comes before all other files that the user has named.
    pub fn begins_with(&self, compilations: &[Compilation]) -> bool {
        let is_own = |word: &OsString| {
            let bytes = word.as_bytes();
            let is_crt = word
                .to_string_lossy()
                .rsplit('/')
                .next()
                .is_some_and(|name| {
                    name.ends_with(".o") && (name.starts_with("crt") || name.contains("crt1."))
                });
            !is_crt
                && !bytes.starts_with(b"-")
                && [&b".o"[..], b".a"].iter().any(|end| bytes.ends_with(end))
        };
        let first = self.0.iter().find(|word| is_own(word));
        first.is_some_and(|first| compilations.iter().any(|of| of.object == *first))
    }

    /// Where shared libraries may be that are linked: those named, and for `-lname` all that could be meant.
    pub fn shared_libraries(&self) -> Vec<PathBuf> {
        let values = |flag: &'static str| {
            let mut words = self.0.iter();
            std::iter::from_fn(move || {
                loop {
                    let word = words.next()?;
                    match word.as_bytes().strip_prefix(flag.as_bytes()) {
                        Some(b"") => return words.next().cloned(),
                        Some(value) => return Some(OsStr::from_bytes(value).to_os_string()),
                        None => {}
                    }
                }
            })
        };
        let folders: Vec<PathBuf> = values("-L").map(PathBuf::from).collect();
        let mut files = Vec::new();
        for name in values("-l") {
            let name = name.to_string_lossy();
            let file = match name.strip_prefix(':') {
                Some(file) => file.to_string(),
                None => format!("lib{name}.so"),
            };
            files.extend(folders.iter().map(|folder| folder.join(&file)));
        }
        let is_named = |word: &&OsString| {
            let name = word.to_string_lossy();
            !name.starts_with('-') && (name.ends_with(".so") || name.contains(".so."))
        };
        files.extend(self.0.iter().filter(is_named).map(PathBuf::from));
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_as_clang_prints_them() {
        let printed = b"clang version 14\nTarget: x\n (in-process)\n \"/c\" \"-cc1\" \"-triple\" \"x86_64-linux\" \
            \"-emit-obj\" \"-D\" \"A=\\\"q\\\" \\$x\ny\" \"-dependency-file\" \"a.d\" \"-MT\" \"a.o\" \"-o\" \"/tmp/a.o\" \
            \"-x\" \"c\" \"-\"\n \"/ld\" \"-r\" \"-o\" \"p\" \"/lib/crt1.o\" \"/tmp/a.o\" \"-Lx\" \"-L\" \"y\" \"-lm\" \
            \"z/libq.so.1\"\n";
        let jobs = Jobs::of(printed);
        let words = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
        let mut bitcode = words("/c -cc1 -triple x86_64-linux -emit-llvm-bc -w -o - -D");
        bitcode.push("A=\"q\" $x\ny".into());
        bitcode.extend(words("-x c -"));
        let compilation = Compilation {
            bitcode,
            reads_input: true,
            object: "/tmp/a.o".into(),
        };
        assert_eq!(jobs.compilations, [compilation]);
        let link = jobs.link.expect("a link");
        assert!(link.is_partial() && !link.is_ours());
        assert!(link.begins_with(&jobs.compilations));
        assert_eq!(link.output(), PathBuf::from("p"));
        let libraries = ["x/libm.so", "y/libm.so", "z/libq.so.1"].map(PathBuf::from);
        assert_eq!(link.shared_libraries(), libraries);
    }

    #[test]
    fn only_objects_of_this_processor_have_bitcode() {
        for line in [
            " \"/c\" \"-cc1\" \"-triple\" \"i386-linux\" \"-emit-obj\" \"-o\" \"a.o\" \"a.c\"\n",
            " \"/c\" \"-cc1\" \"-triple\" \"x86_64-linux\" \"-emit-llvm-bc\" \"-o\" \"a.o\" \"a.c\"\n",
            " \"/c\" \"-cc1as\" \"-triple\" \"x86_64-linux\" \"-o\" \"a.o\" \"a.s\"\n",
        ] {
            assert_eq!(Jobs::of(line.as_bytes()), Jobs::default(), "{line}");
        }
    }

    #[test]
    fn response_files_are_words() {
        let words = response(b"-O2 '-DX=a b'\n\"c\\\"d\" e\\ f ''");
        assert_eq!(words, ["-O2", "-DX=a b", "c\"d", "e f", ""]);
    }
}
