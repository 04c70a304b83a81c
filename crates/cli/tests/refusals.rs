//! What cannot be done is said, with what to do next: every message of ours beside what brings it about.

mod common;

use std::fs;
use std::process::{Command, Stdio};

use common::REFRAIN;

#[test]
fn every_refusal_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for (name, content) in [
        (
            "nomain.c",
            &b"int f(int x) { return x; }\nint g(char *text) { return *text; }\n"[..],
        ),
        ("main.c", b"int main(void) { return 0; }\n"),
        ("empty.c", b""),
        ("what.xyz", b"hello"),
        ("cut.bc", b"BC\xc0\xde\x35\x14\x00\x00\x05\x00\x00\x00"),
        ("test.json", b"{\"number\": 1,"),
        ("bad.toml", b"[run]\nmax-tim = 3\n"),
    ] {
        fs::write(here.join(name), content).expect("a file");
    }
    fs::create_dir(here.join("folder")).expect("a folder");
    fs::write(here.join("folder/file"), b"").expect("a file");
    let cases: &[(&str, &str)] = &[
        (
            "run nomain.c",
            "no function main in the program; --entry can name one of: f, g",
        ),
        (
            "run --entry h nomain.c",
            "no function h in the program; --entry can name one of: f, g",
        ),
        (
            "run --entry g nomain.c",
            "the parameter text is a pointer: say what it points to with --buffer text=SIZE",
        ),
        (
            "run --entry g --buffer text=3 --buffer txt=3 nomain.c",
            "there is no pointer parameter txt for a buffer; the parameters are: text",
        ),
        (
            "run --buffer text=3 main.c",
            "--buffer text is for a parameter of another function, named by --entry: what main gets are arguments, see --sym-args",
        ),
        ("run missing.c", "missing.c does not exist"),
        ("run empty.c", "empty.c is empty"),
        (
            "run folder",
            "folder is a directory; name the files of the program",
        ),
        (
            "run what.xyz",
            "what.xyz is nothing that can be compiled or run: not C (.c), C++ (.cc, .cpp, .cxx, .C, .c++), Rust (.rs), LLVM assembly (.ll), bitcode, an object file or an archive",
        ),
        (
            "run cut.bc",
            "cut.bc: malformed bitcode at bit 32 (top level block): the file ends within it",
        ),
        (
            "run --serach dfs main.c",
            "no option --serach; `refrain run --help` lists them",
        ),
        (
            "run --search directed nomain.c",
            "--search directed needs --to LOCATION",
        ),
        (
            "run --entry f --search directed --to nowhere nomain.c",
            "the program defines no function nowhere",
        ),
        (
            "run --entry f --out folder nomain.c",
            "folder is not empty; results go to a directory of their own",
        ),
        (
            "run --entry f --input test.json nomain.c",
            "test.json is no test: EOF while parsing a value at line 1 column 13",
        ),
        (
            "run --entry f --solver nosuch nomain.c",
            "\"nosuch\": no such solver; there are native, z3, cvc5, yices, bitwuzla and smtlib:COMMAND",
        ),
        (
            "--config bad.toml run main.c",
            "bad.toml: [run] has no switch max-tim; `refrain run --help` lists them",
        ),
        ("--config none.toml run main.c", "there is no none.toml"),
        (
            "--log =loud run main.c",
            "--log =loud: invalid filter directive; try --log info, or --log refrain::paths=debug",
        ),
        (
            "replay folder",
            "folder holds no results of a run: it has no run.json; name the directory that `refrain run` has written",
        ),
        (
            "cover folder",
            "folder holds no results of a run: it has no run.json; name the directory that `refrain run` has written",
        ),
        (
            "report folder --as sarif",
            "folder holds no results of a run: it has no run.json; name the directory that `refrain run` has written",
        ),
        (
            "show missing.json",
            "cannot read missing.json: No such file or directory (os error 2)",
        ),
    ];
    let mut wrong = Vec::new();
    for (line, wanted) in cases {
        let output = Command::new(REFRAIN)
            .args(line.split(' '))
            .current_dir(here)
            .env("REFRAIN_STORE", "none")
            .stdin(Stdio::null())
            .output()
            .expect("refrain runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = said.replace(&format!("{}/", here.display()), "");
        let wanted = format!("refrain: {wanted}\n");
        if output.status.code() != Some(2) || said != wanted {
            wrong.push(format!(
                "{line}: {:?}\n  said:   {said}  wanted: {wanted}",
                output.status.code()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_a_compiler_it_says_what_to_install() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(
        folder.path().join("main.c"),
        "int main(void) { return 0; }\n",
    )
    .expect("a file");
    fs::write(folder.path().join("main.rs"), "fn main() {}\n").expect("a file");
    for (name, wanted) in [("main.c", "apt install clang"), ("main.rs", "rustup")] {
        let output = Command::new(REFRAIN)
            .args(["run", name])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", "/nowhere")
            .output()
            .expect("refrain runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with("refrain: there is no compiler for ") && said.contains(wanted),
            "{said}"
        );
    }
}
