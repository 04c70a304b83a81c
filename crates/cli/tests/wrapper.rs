//! `refrain cc` breaks no build: objects are those of clang, whatever the flags, questions are answered by clang, and
//! the bitcode goes wherever the object goes.

mod common;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::REFRAIN;
use tempfile::TempDir;

/// Where the number is 7 and both functions do what they should, it aborts: found only if the whole program is there.
const MAIN: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int twice(int x);
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (twice(x) == 14)
        abort();
    return 0;
}
"#;
const TWICE: &str = "int twice(int x) { return x << 1; }\n";
const OTHER: &str = "int other(int x) { return x + 1; }\nint twice(int);\nint four(int x) { return twice(x) * 2; }\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let usual = [("main.c", MAIN), ("twice.c", TWICE), ("other.c", OTHER)];
    for (name, text) in usual.iter().chain(files) {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn command(at: &Path, words: &[&str]) -> Command {
    let (program, arguments) = match words {
        ["cc" | "c++", ..] => (REFRAIN, words),
        _ => (words[0], &words[1..]),
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(at)
        .env("REFRAIN_STORE", "none")
        .stdin(Stdio::null());
    command
}

/// Each line is a command; `cc` is the wrapper.
fn run(at: &Path, lines: &str) -> String {
    let mut said = String::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let done = command(at, &words).output().expect("a program");
        let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{line}: {stderr}");
        said += &stderr;
    }
    said
}

fn explored(at: &Path, program: &str) -> Output {
    let mut command = command(at, &[REFRAIN, "run", "--out", "found", program]);
    let done = command.output().expect("refrain");
    let _ = fs::remove_dir_all(at.join("found"));
    done
}

fn is_whole(at: &Path, program: &str) {
    let done = explored(at, program);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{program}: {said}");
    assert!(said.contains("abort"), "{program}: {said}");
}

fn files(at: &Path) -> Vec<String> {
    let entries = fs::read_dir(at).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn has_bitcode(object: &[u8]) -> bool {
    object.windows(4).any(|bytes| bytes == b"BC\xc0\xde")
}

/// The object but for its table of sections, which has moved to the end of the file.
fn without_table(object: &[u8], len: usize) -> Vec<u8> {
    let mut object = object[..len].to_vec();
    object[0x28..0x30].fill(0);
    object[0x3c..0x3e].fill(0);
    object
}

#[test]
fn objects_are_those_of_clang() {
    for flags in [
        "",
        "-O2 -g -pipe",
        "-ffunction-sections -fdata-sections",
        "-Wa,--noexecstack -Wa,-mrelax-relocations=no",
        "-mcmodel=medium -fPIC",
        "-fno-integrated-as",
        "-save-temps",
        "-save-temps=obj -O1",
        "-gsplit-dwarf -g",
        "-fprofile-instr-generate -fcoverage-mapping",
        "--coverage",
        "-fsanitize=address,undefined",
        "-fstack-protector-strong -D_FORTIFY_SOURCE=2 -O2 -fcf-protection",
        "-Wall -Werror -pedantic -std=c99",
        "-MD -MP",
        "-MMD -MF sub/deep.d -MT target",
        "-Wp,-MD,sub/wp.d",
        "-o sub/twice.o",
        "-fembed-bitcode",
        "-pg -ftime-report",
    ] {
        let (ours, theirs) = (folder(&[]), folder(&[]));
        // The name of the folder is in debug information.
        let map = |at: &Path| ["-ffile-prefix-map=", &at.to_string_lossy(), "=/x"].concat();
        for (at, compiler) in [(ours.path(), "cc"), (theirs.path(), "clang")] {
            fs::create_dir(at.join("sub")).expect("a folder");
            run(at, &format!("{compiler} {} -c twice.c {flags}", map(at)));
        }
        assert_eq!(files(ours.path()), files(theirs.path()), "{flags}");
        let name = if flags.contains("sub/twice.o") {
            "sub/twice.o"
        } else {
            "twice.o"
        };
        let read = |at: &Path| fs::read(at.join(name)).expect("an object");
        let (our, their) = (read(ours.path()), read(theirs.path()));
        assert!(has_bitcode(&our), "{flags}");
        // What an external assembler or a profile is told has the folder in it, whatever the flags.
        if !flags.contains("coverage")
            && !flags.contains("split-dwarf")
            && !flags.contains("save-temps")
        {
            let len = their.len();
            assert!(
                without_table(&our, len) == without_table(&their, len),
                "{flags}"
            );
        }
        for rule in ["twice.d", "sub/deep.d", "sub/wp.d"] {
            let text = |at: &Path| fs::read_to_string(at.join(rule)).ok();
            assert_eq!(text(ours.path()), text(theirs.path()), "{flags}");
        }
        is_linked_natively(ours.path(), name, flags);
    }
}

/// Whatever was added, linkers still read the object.
fn is_linked_natively(at: &Path, object: &str, flags: &str) {
    fs::write(
        at.join("native.c"),
        "int twice(int); int main(void) { return twice(4); }\n",
    )
    .expect("a file");
    let needs = ["-fsanitize", "coverage", "-pg", "-fprofile"];
    if needs.iter().any(|flag| flags.contains(flag)) {
        return;
    }
    run(at, &format!("clang native.c {object} -o native -no-pie"));
    let done = command(at, &["./native"]).status().expect("a program");
    assert_eq!(done.code(), Some(8), "{flags}");
}

#[test]
fn questions_and_other_ends_are_clangs() {
    let assembler = "\t.globl f\nf:\n\tret\n";
    for arguments in [
        "",
        "--version",
        "-dumpversion",
        "-dumpmachine",
        "-print-search-dirs",
        "-print-file-name=libc.so",
        "-v",
        "-E other.c",
        "-M other.c",
        "-MM other.c -MF rule",
        "-S other.c -o -",
        "-fsyntax-only other.c",
        "-c bare.s",
        "-c bare.S",
        "-flto -c other.c",
        "-flto=thin -c other.c",
        "-emit-llvm -c other.c",
        "-emit-llvm -S other.c",
        "-x c-header header.h -o header.pch",
        "-c missing.c",
        "-c bad.c",
        "-c other.c -fno-such-flag",
        "-c other.c -mno-such",
        "-c other.c -L/nowhere",
        "-c other.c -Werror -L/nowhere",
        "-c other.c bare.s",
        "undefined.c -o undefined",
        "-c other.c -o nowhere/other.o",
        "-c other.c twice.c -o both.o",
        "-lnosuchlibrary other.c",
        "-m32 -ffreestanding -c twice.c",
        "@missing",
    ] {
        let files_of = || {
            folder(&[
                ("bare.s", assembler),
                ("bare.S", assembler),
                ("header.h", "int f(int);\n"),
                ("bad.c", "int f( {\n"),
                (
                    "undefined.c",
                    "int nowhere(void); int main(void) { return nowhere(); }\n",
                ),
            ])
        };
        let (ours, theirs) = (files_of(), files_of());
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let our = command(ours.path(), &[&["cc"], &words[..]].concat())
            .output()
            .expect("refrain");
        let their = command(theirs.path(), &[&["clang"], &words[..]].concat())
            .output()
            .expect("clang");
        assert_eq!(our.status.code(), their.status.code(), "{arguments}");
        // Names of temporary files differ from call to call.
        let steady = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let lines = text.lines().filter(|line| !line.contains("/tmp/"));
            lines.map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(steady(&our.stdout), steady(&their.stdout), "{arguments}");
        assert_eq!(steady(&our.stderr), steady(&their.stderr), "{arguments}");
        assert_eq!(files(ours.path()), files(theirs.path()), "{arguments}");
    }
}

#[test]
fn bitcode_goes_where_objects_go() {
    for (program, lines) in [
        (
            "prog",
            "cc -c main.c\ncc -c twice.c\ncc main.o twice.o -o prog",
        ),
        ("a.out", "cc main.c twice.c"),
        ("prog", "cc -c main.c twice.c\ncc twice.o main.o -o prog"),
        // One in an archive that is not taken would define `twice` again.
        (
            "prog",
            "cc -c main.c twice.c other.c\nar rc l.a other.o twice.o\nranlib l.a\ncc main.o l.a -o prog",
        ),
        (
            "prog",
            "cc -c main.c twice.c\nar rcT thin.a main.o twice.o\ncc thin.a -o prog",
        ),
        (
            "prog",
            "cc -c main.c twice.c\nar rcs all.a main.o twice.o\ncc all.a -o prog",
        ),
        (
            "prog",
            "cc -c main.c twice.c\ncc -r main.o twice.o -o both.o\ncc both.o -o prog",
        ),
        (
            "prog",
            "cc -r -nostdlib main.c twice.c -o both.o\ncc both.o -o prog",
        ),
        (
            "prog",
            "cc -c main.c twice.c\nld -r main.o twice.o -o both.o\ncc both.o -o prog",
        ),
        ("prog", "cc -x c main.c twice.c -o prog"),
        (
            "prog",
            "cp main.c main.txt\ncc -xc main.txt -xnone twice.c -o prog",
        ),
        (
            "prog",
            "cc -c main.c -o tmp.o\nmv tmp.o main.o\ncp twice.c t.c\ncc -c t.c -o sub/t.o\ncc main.o sub/t.o -o prog",
        ),
        ("prog", "cc -g0 main.c twice.c -o prog -s\nstrip prog"),
        (
            "at/prog",
            "cc main.c twice.c -o prog\nstrip --strip-unneeded prog\ninstall -s -D prog at/prog\nrm prog main.c twice.c",
        ),
        (
            "prog",
            "cc -ffunction-sections main.c twice.c other.c -Wl,--gc-sections -o prog",
        ),
        ("prog", "cc -fuse-ld=gold main.c twice.c -o prog"),
        ("prog", "cc -static main.c twice.c -o prog"),
        ("prog", "cc -O2 -no-pie @words"),
        ("prog", "cc -O2 -MD -save-temps main.c twice.c -o prog"),
        (
            "prog",
            "cc -c -fembed-bitcode main.c twice.c\ncc main.o twice.o -o prog",
        ),
        (
            "prog",
            "cc -c -fno-integrated-as main.c twice.c\ncc main.o twice.o -o prog",
        ),
        (
            "prog",
            "cc -c -fsanitize=address,undefined main.c twice.c\ncc -fsanitize=address,undefined main.o twice.o -o prog",
        ),
    ] {
        let folder = folder(&[("words", "-DX='a b' main.c\n\"twice.c\" -o prog")]);
        fs::create_dir(folder.path().join("sub")).expect("a folder");
        let said = run(folder.path(), lines);
        assert_eq!(said, "", "{lines}");
        is_whole(folder.path(), program);
    }
}

#[test]
fn standard_input_is_a_source() {
    let folder = folder(&[]);
    let mut cc = command(
        folder.path(),
        &["cc", "-x", "c", "-", "-x", "none", "twice.c", "-o", "prog"],
    );
    let mut child = cc.stdin(Stdio::piped()).spawn().expect("refrain");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(MAIN.as_bytes()).expect("written");
    drop(pipe);
    assert!(child.wait().expect("an end").success());
    is_whole(folder.path(), "prog");
}

/// A shared library built by the wrapper is part of the program, wherever it is found; the program's names are before
/// the library's, and those that the library hides are its own.
#[test]
fn shared_libraries_are_part_of_the_program() {
    let library = "
        int base = 1;
        __attribute__((visibility(\"hidden\"))) int helper(int x) { return x + x; }
        int wrong(int x) { return x + 100; }
        __attribute__((constructor)) static void start(void) { base = 2; }
        int twice(int x) { return base == 2 && wrong(0) == 0 ? helper(x) : 0; }
    ";
    let main = MAIN.replace(
        "int main",
        "int helper(int x) { return x + 50; }\nint wrong(int x) { return x; }\nint main",
    );
    let main = main.replace("twice(x) == 14", "twice(x) == 14 && helper(0) == 50");
    let folder = folder(&[("lib.c", library), ("whole.c", &main)]);
    let at = folder.path();
    fs::create_dir(at.join("lib")).expect("a folder");
    let said = run(
        at,
        "cc -shared -fPIC lib.c -Wl,-soname,libtwice.so.1 -o lib/libtwice.so.1\n\
         ln -s libtwice.so.1 lib/libtwice.so\n\
         cc -c whole.c\n\
         cc whole.o -Llib -ltwice -o prog\n\
         cc whole.o lib/libtwice.so -Wl,-rpath,$ORIGIN/lib -o beside",
    );
    assert_eq!(said, "");
    is_whole(at, "prog");
    is_whole(at, "beside");
    run(at, "mkdir away\nmv lib away/lib\nmv beside away/beside");
    is_whole(at, "away/beside");
    let done = explored(at, "prog");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("libtwice.so.1 has no bitcode"), "{said}");
}

/// The native program for replaying is made of the bitcode, and of the same shared libraries.
#[test]
fn programs_are_replayed_block_by_block() {
    let main = MAIN.replace("abort();", "return half(x) + 1;");
    let main = main.replace("int main", "int half(int x);\nint main");
    let half = "int half(int x) { return x > 1000 ? 1 : x / 2; }\n";
    let folder = folder(&[("whole.c", &main), ("half.c", half)]);
    let at = folder.path();
    run(
        at,
        "cc -shared -fPIC half.c -o libhalf.so\n\
         cc -c whole.c twice.c\n\
         ar rcs l.a twice.o\n\
         cc whole.o l.a -L. -lhalf -lm -o prog",
    );
    let words = [REFRAIN, "run", "--tests", "all", "--out", "out", "prog"];
    let done = command(at, &words).output().expect("refrain");
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let done = command(at, &[REFRAIN, "replay", "out"])
        .output()
        .expect("refrain");
    let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(
        said.contains("the same, 0 differ") && !said.contains("not compared"),
        "{said}"
    );
}

/// What a configure script compiles can be removed by it, and makes nothing be said; a program's libraries that have
/// no bitcode are named.
#[test]
fn configure_sees_clang() {
    let folder = folder(&[(
        "conftest.c",
        "int twice(int); int main(void) { return twice(0); }\n",
    )]);
    let at = folder.path();
    run(at, "clang -shared -fPIC twice.c -o libtwice.so");
    let said = run(
        at,
        "cc -o conftest -g -O2 conftest.c -L. -ltwice -lm\ncc -c conftest.c\ncc -c conftest.c -o /dev/null",
    );
    assert_eq!(said, "");
    for name in files(at).iter().filter(|name| name.starts_with("conftest")) {
        fs::remove_file(at.join(name)).expect("a file");
    }
    assert_eq!(files(at), ["libtwice.so", "main.c", "other.c", "twice.c"]);
    let note = "refrain: libtwice.so has no bitcode: a call into it ends its path; \
                build that library with `refrain cc` too, and link it\n";
    assert_eq!(run(at, "cc main.c -L. -ltwice -lm -o prog"), note);
    let done = explored(at, "prog");
    assert!(String::from_utf8_lossy(&done.stderr).contains(note));
    assert_eq!(done.status.code(), Some(3));
    // A program that never calls into it runs as natively.
    let unused = "int twice(int); int main(int n, char **v) { return n > 1 ? twice(n) : 7; }\n";
    fs::write(at.join("unused.c"), unused).expect("a file");
    run(at, "cc unused.c -L. -ltwice -o unused");
    let quiet = |rest: &[&str]| {
        let words = [&[REFRAIN, "run", "--quiet", "./unused"], rest].concat();
        command(at, &words).output().expect("refrain")
    };
    let done = quiet(&[]);
    assert_eq!(
        (done.status.code(), done.stderr.as_slice()),
        (Some(7), &b""[..])
    );
    let done = quiet(&["more"]);
    assert!(String::from_utf8_lossy(&done.stderr).contains("a call of twice"));
    assert_eq!(done.status.code(), Some(2));
}

/// `make CC="…"` puts the wrapper into the environment of what it starts: it does not take itself for a compiler,
/// whatever it is called and whatever stands in front of it.
#[test]
fn the_wrapper_does_not_start_itself() {
    let folder = folder(&[]);
    let at = folder.path();
    std::os::unix::fs::symlink(REFRAIN, at.join("named-otherwise")).expect("a link");
    let script = "#!/bin/sh\nexec \"$@\"\n";
    fs::write(at.join("in-front"), script).expect("a file");
    run(at, "chmod +x in-front");
    for cc in [
        "./named-otherwise cc",
        "./in-front ./named-otherwise cc",
        "./in-front refrain cc",
    ] {
        let mut compile = command(
            at,
            &["./named-otherwise", "cc", "main.c", "twice.c", "-o", "prog"],
        );
        let done = compile.env("CC", cc).output().expect("refrain");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success() && said.is_empty(), "{cc}: {said}");
        is_whole(at, "prog");
    }
    let hidden = "#!/bin/sh\nexec ./named-otherwise cc \"$@\"\n";
    fs::write(at.join("hidden"), hidden).expect("a file");
    run(at, "chmod +x hidden");
    let mut compile = command(at, &["./hidden", "main.c", "twice.c", "-o", "prog"]);
    let done = compile.env("CC", "./hidden").output().expect("refrain");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    is_whole(at, "prog");
}

/// An archive that only names its files, in another folder.
#[test]
fn thin_archives_are_read() {
    let folder = folder(&[]);
    let at = folder.path();
    run(
        at,
        "mkdir -p sub\ncc -c main.c twice.c other.c\ncp twice.o sub/a-name-of-more-than-fifteen-letters.o\n\
         ar rcT sub/l.a other.o sub/a-name-of-more-than-fifteen-letters.o",
    );
    let words = [
        REFRAIN, "run", "--out", "found", "--with", "sub/l.a", "main.c",
    ];
    let done = command(at, &words).output().expect("refrain");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("abort"), "{said}");
    fs::remove_file(at.join("sub/a-name-of-more-than-fifteen-letters.o")).expect("a file");
    let done = command(at, &words).output().expect("refrain");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot read sub/a-name-of-more"), "{said}");
    fs::write(at.join("cut.a"), "!<thin>\n//").expect("a file");
    let said = explored(at, "cut.a").stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("cut.a is a thin archive that is cut off"),
        "{said}"
    );
}

/// Each program has the bitcode of what was linked into it, once.
#[test]
fn only_what_is_linked_is_kept() {
    let folder = folder(&[]);
    let at = folder.path();
    run(
        at,
        "cc -c main.c twice.c other.c\nar rcs l.a twice.o other.o\ncc main.o l.a -o prog",
    );
    let modules = |name: &str| {
        let bytes = fs::read(at.join(name)).expect("a file");
        bytes
            .windows(4)
            .filter(|bytes| bytes == b"BC\xc0\xde")
            .count()
    };
    assert_eq!(modules("main.o"), 1);
    assert_eq!(modules("prog"), 2);
}

#[test]
fn native_programs_without_bitcode_are_refused() {
    let folder = folder(&[("plain.c", "int main(void) { return 0; }\n")]);
    let at = folder.path();
    run(at, "clang plain.c -o plain");
    let done = explored(at, "plain");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("plain is a native program without bitcode: build it with `refrain cc`"),
        "{said}"
    );
}

/// Whoever is killed leaves no object, or a whole one.
#[test]
fn a_killed_compiler_leaves_nothing_half() {
    let lines = (0..3000).map(|index| format!("int f{index}(int x) {{ return x * {index}; }}\n"));
    let folder = folder(&[("long.c", &lines.collect::<String>())]);
    let at = folder.path();
    for delay in [20, 60, 120, 200, 300] {
        let mut child = command(at, &["cc", "-O2", "-c", "long.c"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("refrain");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        child.kill().expect("killed");
        // The compiler that it has started goes on, and ends when it likes: then nobody has the pipe any more.
        child.wait_with_output().expect("its end");
        let left = files(at);
        let expected = ["long.c", "main.c", "other.c", "twice.c"].map(OsStr::new);
        let others = left
            .iter()
            .filter(|name| !expected.contains(&OsStr::new(name)));
        for name in others {
            assert_eq!(name, "long.o");
            run(at, "ld -r long.o -o whole.o");
            fs::remove_file(at.join("whole.o")).expect("a file");
        }
    }
}

/// Without a place for headers that stays, each call makes its own and removes it.
#[test]
fn no_cache_directory_is_needed() {
    let folder = folder(&[]);
    let at = folder.path();
    fs::create_dir(at.join("tmp")).expect("a folder");
    for words in [&["cc", "main.c", "twice.c"][..], &["cc", "-E", "main.c"]] {
        let mut command = command(at, words);
        command.env_remove("HOME").env_remove("XDG_CACHE_HOME");
        let done = command
            .env("TMPDIR", at.join("tmp"))
            .output()
            .expect("refrain");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    assert_eq!(files(&at.join("tmp")), Vec::<String>::new());
    is_whole(at, "a.out");
}

#[test]
fn cxx_has_its_own_name() {
    let folder = folder(&[(
        "one.cc",
        "struct S { virtual int f() { return 1; } } s;\nint main() { return s.f() - 1; }\n",
    )]);
    let at = folder.path();
    run(at, "c++ -std=c++17 one.cc -o prog");
    assert!(has_bitcode(&fs::read(at.join("prog")).expect("a program")));
    assert!(
        command(at, &["./prog"])
            .status()
            .expect("a program")
            .success()
    );
}

/// `make CC="refrain cc"` hands the variable on to all that it starts, the wrapper among them.
#[test]
fn it_may_be_what_cc_names() {
    let at = folder(&[]);
    let own = format!("{REFRAIN} cc");
    for words in [
        &["cc", "main.c", "twice.c", "-o", "prog"][..],
        &["cc", "--version"],
        &[REFRAIN, "run", "--out", "own", "prog"],
    ] {
        let mut command = command(at.path(), words);
        let done = command.env("CC", &own).output().expect("a program");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            matches!(done.status.code(), Some(0 | 1)),
            "{words:?}: {said}"
        );
    }
    is_whole(at.path(), "prog");
}
