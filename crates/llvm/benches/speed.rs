//! How fast concrete code runs: the machine, LLVM's own interpreter and the native program, on the same bitcode in
//! one run.
//!
//! `cargo bench -p refrain-llvm --bench speed`. Needs clang; `lli` is left out where it is not installed. Each of the
//! three does as many rounds as take it a fair while, and is compared by instructions of the bitcode a second (the
//! native program's are those that the machine counts for the same rounds).

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine};
use refrain_llvm::native::Detached;
use refrain_llvm::program;
use refrain_machine::ExitStatus;
use refrain_machine::{Machine as _, Stop};
use refrain_term::Terms;

/// Name, rounds for the machine and natively, rounds for `lli`.
const PROGRAMS: [(&str, u64, u64); 5] = [
    ("crc", 100, 5),
    ("sort", 40, 2),
    ("hashmap", 2_000_000, 200_000),
    ("matrix", 40, 2),
    ("json", 500, 20),
];

fn main() {
    let Some(clang) = newest("clang") else {
        println!("no clang: nothing to compile the programs with");
        return;
    };
    let lli = newest("lli");
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!(
        "{:<14}{:>14}{:>12}{:>12}{:>12}{:>14}{:>12}",
        "", "instructions", "M/s", "lli M/s", "native M/s", "against lli", "to native"
    );
    let mut slowest = f64::INFINITY;
    let mut product = 1.0;
    let mut count = 0;
    for (name, rounds, lli_rounds) in PROGRAMS {
        for level in ["-O0", "-O2"] {
            let module = compile(&clang, name, level, rounds, folder.path(), true);
            let (instructions, ours) = run(&module);
            let binary = compile(&clang, name, level, rounds, folder.path(), false);
            let native = time(Command::new(&binary)).expect("the native program runs");
            let rate =
                |instructions: u64, time: Duration| instructions as f64 / time.as_secs_f64() / 1e6;
            let speed = rate(instructions, ours);
            let peer = lli.as_ref().and_then(|lli| {
                let module = compile(&clang, name, level, lli_rounds, folder.path(), true);
                let (instructions, _) = run(&module);
                let mut command = Command::new(lli);
                // Without the first it compiles all the same.
                command
                    .args(["-jit-kind=mcjit", "-force-interpreter"])
                    .arg(&module);
                Some(rate(instructions, time(command)?))
            });
            slowest = slowest.min(speed);
            product *= speed;
            count += 1;
            println!(
                "{:<14}{:>14}{:>12.0}{:>12}{:>12.0}{:>14}{:>12}",
                format!("{name} {level}"),
                instructions,
                speed,
                peer.map_or("-".into(), |peer| format!("{peer:.1}")),
                rate(instructions, native),
                peer.map_or("-".into(), |peer| format!("{:.0}x", speed / peer)),
                format!("{:.1}x", ours.as_secs_f64() / native.as_secs_f64()),
            );
        }
    }
    let mean = f64::powf(product, 1.0 / f64::from(count));
    println!("geometric mean {mean:.0} million instructions a second; the slowest {slowest:.0}");
}

fn newest(tool: &str) -> Option<String> {
    let names = [tool.to_string()]
        .into_iter()
        .chain((13..24).rev().map(|version| format!("{tool}-{version}")));
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
}

fn compile(
    clang: &str,
    name: &str,
    level: &str,
    rounds: u64,
    folder: &Path,
    bitcode: bool,
) -> std::path::PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("benches/programs")
        .join(name)
        .with_extension("c");
    let output = folder.join(format!(
        "{name}{level}-{rounds}{}",
        if bitcode { ".bc" } else { "" }
    ));
    let mut command = Command::new(clang);
    command.arg(level).arg(format!("-DROUNDS={rounds}"));
    if bitcode {
        command.args(["-c", "-emit-llvm"]);
    }
    let done = command.arg(source).arg("-o").arg(&output).status();
    assert!(
        done.is_ok_and(|status| status.success()),
        "{clang} cannot compile {name}"
    );
    output
}

/// How many instructions ran, and how long they took: the best of three.
fn run(module: &Path) -> (u64, Duration) {
    let bytes = std::fs::read(module).expect("what was just written");
    let mut best = Duration::MAX;
    let mut instructions = 0;
    for _ in 0..3 {
        let assembled = program::assemble([("program", bytes.as_slice())], &[]).expect("a program");
        let (mut machine, mut state) =
            Machine::new(assembled.program, Options::default(), Box::new(Detached))
                .expect("a machine");
        machine
            .start(&mut state, "main", &[b"program".to_vec()], &[])
            .expect("a main function");
        let mut terms = Terms::new();
        let started = Instant::now();
        let stop = machine.run(&mut terms, &mut state, u64::MAX);
        best = best.min(started.elapsed());
        assert!(
            matches!(stop, Stop::End(End::Exit(ExitStatus::Known(0)))),
            "{stop:?}"
        );
        instructions = state.instructions;
    }
    (instructions, best)
}

/// The best of three; nothing if it fails: LLVM's interpreter does not know every instruction.
fn time(mut command: Command) -> Option<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        let output = command.output().expect("the program starts");
        best = best.min(started.elapsed());
        if !output.status.success() {
            return None;
        }
        // A slow one is not run again.
        if best > Duration::from_secs(2) {
            break;
        }
    }
    Some(best)
}
