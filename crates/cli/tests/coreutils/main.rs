//! Ten programs of GNU coreutils, built by `refrain cc` from the sources that `cargo xtask install` gets: on concrete
//! command lines they do what the native programs do, and every test of an exploration replays on those.
//!
//! What the wrapper links is a native program as well: clang's code, which nobody has changed. So each is held against
//! itself. `cargo xtask corpus coreutils` does the same with all programs and with a build that is clang's alone.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const REFRAIN: &str = env!("CARGO_BIN_EXE_refrain");

const PROGRAMS: [&str; 10] = [
    "basename", "cat", "cut", "echo", "fold", "head", "printf", "tr", "uniq", "wc",
];

/// What each is run on: the text, the program and its arguments.
const CASES: [(&str, &str); 32] = [
    ("", "basename /usr/lib/thing.so .so"),
    ("", "basename -a a/b c/ /"),
    ("", "basename"),
    ("one\ntwo\n", "cat -n - words"),
    ("a\tb\u{1}\n\n\n\nc", "cat -A -s"),
    ("", "cat none"),
    ("a:b:c\nd\n", "cut -d : -f 2-"),
    ("abcdef\n", "cut -c 1,3-4 --complement"),
    ("", "cut -f 0"),
    ("", "echo -e a\\tb\\0101\\x41 c"),
    ("", "echo -n -E a\\n --help"),
    ("", "echo"),
    ("the quick brown fox\n", "fold -s -w 7"),
    ("a\tb\u{8}c\n", "fold -w 3"),
    ("", "fold -w x"),
    ("1\n2\n3\n4\n", "head -n 2 - words"),
    ("1\n2\n3\n4\n", "head -c -3"),
    ("", "head -n 1Q"),
    ("", "printf %05d|%s|%x|%5.2f|%c\\n 42 abc 255 3.14159 xyz"),
    ("", "printf %d\\n 0x1f 017 'a 12x"),
    ("", "printf %q\\n it's"),
    ("", "printf %*d|%-4s|\\n 5 42 ab"),
    ("Some Text 123\n", "tr a-z A-Z"),
    ("aabbcc  dd\n", "tr -s a-c"),
    ("x1y2\n", "tr -cd [:digit:]"),
    ("", "tr z-a x"),
    ("a\na\nB\nb\nc\n", "uniq -c"),
    ("a\na\nB\nb\nc\n", "uniq -i -d"),
    ("x 1\ny 1\nz 2\n", "uniq -f 1"),
    ("a b\nc\n", "wc - words"),
    ("tab\there\n", "wc -L -c -m"),
    ("", "wc none words"),
];

/// The folder that the programs are in. They are built again when the wrapper has changed.
fn built() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let sources = target.parent().unwrap_or(target).join("corpus/sources");
    let archive = fs::read_dir(&sources).ok().and_then(|entries| {
        let mut paths = entries.flatten().map(|entry| entry.path());
        paths.find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("coreutils_9.1") && name.ends_with(".orig.tar.xz")
        })
    });
    let archive = archive.unwrap_or_else(|| {
        let sources = sources.display();
        panic!("no sources of coreutils 9.1 in {sources}; `cargo xtask install` gets them")
    });
    let folder = target.join("coreutils");
    let stamp = folder.join("refrain-stamp");
    let wrapper = wrapper_hash();
    if fs::read_to_string(&stamp).is_ok_and(|built| built == wrapper) {
        return folder.join("src");
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let unpack = Command::new("tar")
        .arg("xf")
        .arg(&archive)
        .args(["--strip-components=1", "-C"])
        .arg(&folder)
        .status();
    assert!(unpack.expect("tar").success());
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coreutils/config.site");
    let goals: Vec<String> = PROGRAMS.iter().map(|name| format!("src/{name}")).collect();
    let goals = goals.join(" ");
    fs::write(
        folder.join("ten.mk"),
        format!("include Makefile\nten: $(BUILT_SOURCES)\n\t$(MAKE) {goals}\n"),
    )
    .expect("a file");
    let script = "./configure CC=clang --disable-nls --without-openssl --without-libgmp \
                  --disable-dependency-tracking && make -j2 -f ten.mk ten CC=\"$WRAPPER\" CFLAGS='-g -O1'";
    let make = Command::new("sh")
        .args(["-c", script])
        .current_dir(&folder)
        .env("CONFIG_SITE", site)
        .env("FORCE_UNSAFE_CONFIGURE", "1")
        .env("WRAPPER", format!("{REFRAIN} cc"))
        .env_remove("MAKEFLAGS")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        make.status.success(),
        "{}\n{}",
        text(&make.stdout),
        text(&make.stderr)
    );
    fs::write(&stamp, wrapper).expect("a file");
    folder.join("src")
}

/// Of all that the wrapper's crate is made of.
fn wrapper_hash() -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../compile")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).expect("a file").hash(&mut hasher);
    }
    format!("{:x}", hasher.finish())
}

/// Runs a command to its end, with a text on standard input: a pipe, as in the machine.
fn finished(command: &mut Command, at: &Path, input: &str) -> Output {
    let mut child = command
        .current_dir(at)
        .env("LC_ALL", "C")
        .env("REFRAIN_STORE", "none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program");
    // It need not be read.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn programs_do_what_they_do_natively_and_tests_replay() {
    let programs = built();
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("words"), "one two\nthree\n").expect("a file");
    for (input, line) in CASES {
        let mut words = line.split(' ');
        let program = programs.join(words.next().expect("a program"));
        let arguments: Vec<&str> = words.collect();
        let native = finished(Command::new(&program).args(&arguments), at, input);
        let mut ours = Command::new(REFRAIN);
        ours.args(["run", "--quiet"]).arg(&program).args(&arguments);
        let ours = finished(&mut ours, at, input);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let seen = |output: &Output| {
            let status = output.status.code();
            (status, text(&output.stdout), text(&output.stderr))
        };
        assert_eq!(seen(&ours), seen(&native), "{line}");
    }
    for name in PROGRAMS {
        explored_and_replayed(&programs.join(name), at, name);
    }
}

/// So many paths of a program, in the order of their discovery, and each test on the program itself.
fn explored_and_replayed(program: &Path, at: &Path, name: &str) {
    let paths = refrain_testing::effort("40", "5000");
    let out = at.join("out").join(name);
    fs::create_dir_all(at.join("out")).expect("a folder");
    let place = at.join("above/place");
    fs::create_dir_all(&place).expect("a folder");
    let mut run = Command::new(REFRAIN);
    run.args(["run", "--quiet", "--tests", "all", "--max-paths", paths])
        .args(["--sym-args", "0", "2", "4", "--sym-stdin", "8"])
        .args(["--sym-files", "1", "8", "--out"])
        .arg(&out)
        .arg(program);
    let ran = finished(&mut run, &place, "");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{name}: {said}");
    let mut replay = Command::new(REFRAIN);
    replay.arg("replay").arg(&out).arg("--binary").arg(program);
    let replayed = finished(&mut replay, &place, "");
    let said = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert_eq!(replayed.status.code(), Some(0), "{name}: {said}");
    assert!(
        said.contains(&format!("{paths} tests: {paths} the same")),
        "{name}: {said}"
    );
}
