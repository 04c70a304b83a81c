//! Files as the machine has them against the host's: programs that print what each call returns, and random sequences of
//! calls, run natively in a fresh directory and in the machine in an empty world.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, Start, State};
use refrain_llvm::memory::Value;
use refrain_llvm::native::Detached;
use refrain_llvm::program;
use refrain_machine::{Answer, Ask, ExitStatus, Machine as _, Stop, World};
use refrain_term::{Assignment, Bv, Term, Terms, eval, free_vars};
use refrain_testing::effort;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

fn compile(source: &Path, output: &Path, flags: &[&str]) {
    let done = Command::new("clang")
        .args(["-O1", "-w", "-I"])
        .arg(folder())
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .expect("a compiler; `cargo xtask install` gets clang");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}: {said}", source.display());
}

/// What the native program writes, run by somebody who is not root, in an empty directory of his own.
fn natively(program: &Path, args: &[&str]) -> String {
    const SOMEBODY: u32 = 1000;
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = place.path().join("home");
    fs::create_dir(&home).unwrap();
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(&home)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    // Whether this is root, the owner of what it makes says.
    let is_root = fs::metadata(&home).unwrap().uid() == 0;
    if is_root {
        chown(&home, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
        command.uid(SOMEBODY).gid(SOMEBODY);
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    // What it left behind may be closed to its owner, too.
    if !is_root {
        let _ = Command::new("chmod")
            .args(["-R", "u+rwx"])
            .arg(&home)
            .output();
    }
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// A program in the machine, which is started anew for each run.
struct Loaded {
    machine: Machine,
    pristine: State,
}

impl Loaded {
    fn new(bitcode: &Path) -> Loaded {
        let bytes = fs::read(bitcode).unwrap();
        let program = program::assemble([("test", &bytes[..])], &[]).unwrap();
        let loaded = Machine::new(program.program, Options::default(), Box::new(Detached));
        let (machine, pristine) = loaded.unwrap();
        Loaded { machine, pristine }
    }

    /// What it writes if its symbolic input has these bytes, and what it was answered on the way.
    fn run(&mut self, args: &[&str], input: &[u8]) -> (String, Vec<u64>) {
        let args = { [&"test"].into_iter().chain(args) }.map(|arg| arg.as_bytes().to_vec());
        let args: Vec<Vec<u8>> = args.collect();
        let start = Start::Main {
            entry: "main".into(),
            world: World::given(&args, &[]),
        };
        let machine = &mut self.machine;
        let loaded = machine.fork(&mut self.pristine);
        machine.set_start(loaded, start).unwrap();
        let mut terms = Terms::new();
        let mut state = machine.begin(&mut terms);
        let value = |terms: &Terms, term: Term| {
            let mut assignment = Assignment::new();
            for var in free_vars(terms, term) {
                // `n[2]`
                let name = terms.var_decl(var).name.to_string();
                let index: usize = name[2..name.len() - 1].parse().unwrap();
                assignment.set(var, Bv::new(8, u64::from(input[index])));
            }
            match eval(terms, term, &assignment) {
                refrain_term::Value::Bool(value) => u64::from(value),
                value => value.as_bv().and_then(Bv::to_u64).unwrap(),
            }
        };
        let mut answers = Vec::new();
        let end = loop {
            match machine.run(&mut terms, &mut state, u64::MAX) {
                Stop::End(end) => break end,
                Stop::Ask(Ask::Choose(conditions)) => {
                    let holding: Vec<usize> = (0..conditions.len())
                        .filter(|&at| value(&terms, conditions[at]) == 1)
                        .collect();
                    assert_eq!(holding.len(), 1, "exactly one of the conditions holds");
                    answers.push(holding[0] as u64);
                    machine.answer(&mut state, &Answer::Choice(holding[0] as u32));
                }
                Stop::Ask(Ask::Fix(term) | Ask::Witness(term) | Ask::Sample(term)) => {
                    let width = terms.sort(term).width().unwrap_or(64);
                    let answer = value(&terms, term);
                    answers.push(answer);
                    machine.answer(&mut state, &Answer::Value(Bv::new(width, answer).into()));
                }
                stop => panic!("{stop:?}"),
            }
        };
        let bytes = { state.output.iter() }.flat_map(|output| &output.bytes);
        let text: Vec<u8> = bytes
            .map(|byte| match byte {
                Value::Concrete(byte) => *byte as u8,
                Value::Symbolic(term) => value(&terms, *term) as u8,
            })
            .collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(end, End::Exit(ExitStatus::Known(0)), "after: {text}");
        (text, answers)
    }
}

/// Runs a program whose three symbolic bytes are each of `alphabet`, as if they were given, against the native program
/// with these bytes. How many different paths there were.
fn against_brute_force(name: &str, operations: &[&str], alphabet: &[u8]) -> Vec<usize> {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (program, bitcode) = (place.path().join("program"), place.path().join("a.bc"));
    let source = folder().join(name);
    compile(&source, &program, &["-DNATIVE"]);
    compile(&source, &bitcode, &["-emit-llvm", "-c"]);
    let mut loaded = Loaded::new(&bitcode);
    let mut count = |operation: &&str| {
        let mut paths = BTreeSet::new();
        for at in 0..alphabet.len().pow(3) {
            let digit = |place: u32| alphabet[at / alphabet.len().pow(place) % alphabet.len()];
            let input = [digit(2), digit(1), digit(0)];
            let text: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            let native = natively(&program, &[operation, &text]);
            let (ours, answers) = loaded.run(&[operation], &input);
            assert_eq!(native, ours, "{operation} {}", input.escape_ascii());
            paths.insert(answers);
        }
        paths.len()
    };
    operations.iter().map(&mut count).collect()
}

/// The lines in which two texts differ.
fn differences(native: &str, ours: &str) -> String {
    let mut text = String::new();
    let (mut theirs, mut own) = (native.lines(), ours.lines());
    loop {
        match (theirs.next(), own.next()) {
            (None, None) => return text,
            (a, b) if a == b => {}
            (a, b) => writeln!(text, "native  {a:?}\nmachine {b:?}").unwrap(),
        }
    }
}

fn compare(name: &str) {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (program, bitcode) = (place.path().join("program"), place.path().join("a.bc"));
    let source = folder().join(name);
    compile(&source, &program, &[]);
    compile(&source, &bitcode, &["-emit-llvm", "-c"]);
    let (native, ours) = (
        natively(&program, &[]),
        Loaded::new(&bitcode).run(&[], &[]).0,
    );
    assert!(native.lines().count() > 20, "{native}");
    let different = differences(&native, &ours);
    assert!(different.is_empty(), "{name}:\n{different}");
}

#[test]
fn names_are_as_natively() {
    compare("names.c");
}

#[test]
fn contents_are_as_natively() {
    compare("contents.c");
}

#[test]
fn modes_owners_and_times_are_as_natively() {
    compare("modes.c");
}

#[test]
fn files_in_memory_are_as_natively() {
    compare("mapped.c");
}

/// A program that does so many calls, each chosen by the bytes of a generator, and prints what they return.
#[test]
fn random_calls_are_as_natively() {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (program, bitcode) = (place.path().join("program"), place.path().join("a.bc"));
    let source = folder().join("random.c");
    compile(&source, &program, &[]);
    compile(&source, &bitcode, &["-emit-llvm", "-c"]);
    let mut loaded = Loaded::new(&bitcode);
    let mut kinds = BTreeSet::new();
    for seed in 0..effort(40, 2000) {
        let seed = seed.to_string();
        let args = [seed.as_str(), "300"];
        let (native, ours) = (natively(&program, &args), loaded.run(&args, &[]).0);
        let different = differences(&native, &ours);
        assert!(different.is_empty(), "seed {seed}:\n{different}");
        let call = |line: &str| line.split(' ').nth(1).map(str::to_string);
        kinds.extend(native.lines().filter_map(call));
    }
    assert!(kinds.len() >= 25, "{kinds:?}");
}

#[test]
fn symbolic_names_are_compared_with_what_exists() {
    let (few, many): (&[u8], &[u8]) = match effort(0, 1) {
        0 => (b"\0/.a", b"\0/.ab"),
        _ => (b"\0/.abdlx\xff", b"\0/.abdlx\xff"),
    };
    let looking = ["s", "l", "u", "r", "d"];
    let mut paths = against_brute_force("symbolic_name.c", &looking, few);
    paths.extend(against_brute_force("symbolic_name.c", &["o"], many));
    // Names that are there and can be reached with three bytes, not one path for each value of the bytes.
    assert!(paths.iter().all(|&paths| paths < 40), "{paths:?} paths");
    against_brute_force("symbolic_name.c", &["m", "R"], few);
    against_brute_force("symbolic_name.c", &["c"], many);
}

#[test]
fn symbolic_contents_pass_through_files() {
    let paths = against_brute_force("symbolic_content.c", &[""], b"ab\0\xff");
    // Only the comparisons at the end are asked about.
    assert!(paths[0] <= 6, "{paths:?} paths");
}
