//! Tests on the user's own program, as it is: a process for each, in the world of the test.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use refrain_machine::{Fault, Surroundings};
use refrain_results::{Outcome, Run, Test};

use super::compare::{self, Native};
use super::native::{Bench, Ended, Process, Site};
use super::stage::{VARIATIONS, Variation, explain};
use super::{Arguments, Verdict, check_all, open_bench};
use crate::selection::Selection;

/// Why a program cannot be put into a world natively.
pub fn unplaceable(surroundings: &Surroundings) -> Option<String> {
    let is_below = |name: &[u8]| {
        let mut parts = Path::new(OsStr::from_bytes(name)).components();
        parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    let mut names = surroundings.files.iter().map(|(name, _)| name);
    let name = names.find(|name| !is_below(name))?;
    let name = String::from_utf8_lossy(name);
    Some(format!(
        "the file {name} is not below the working directory"
    ))
}

/// Runs all tests on a program.
pub fn replay(
    program: &Path,
    run: &Run,
    site: &Site,
    tests: &Selection,
    arguments: &Arguments,
) -> Result<Vec<(u32, Verdict)>, String> {
    if !run.parameters.is_empty() || !matches!(run.entry.as_str(), "" | "main") {
        return Err(format!(
            "--binary: the run is of the function {}, and not of a whole program",
            run.entry
        ));
    }
    let program = std::fs::canonicalize(program)
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    // Where the linker is told to look is no part of the world. What is traced cannot look for leaks, nor does the machine.
    let libraries = std::env::var_os("LD_LIBRARY_PATH");
    let mut settings: Vec<(&OsStr, &OsStr)> = Vec::new();
    settings.extend(
        libraries
            .as_deref()
            .map(|path| (OsStr::new("LD_LIBRARY_PATH"), path)),
    );
    if has_leak_check(&program) {
        settings.push((OsStr::new("ASAN_OPTIONS"), OsStr::new("detect_leaks=0")));
    }
    let check = |bench: &mut Bench, test: &Test| {
        let surroundings = run.surroundings(test);
        let mut own = test
            .inputs
            .iter()
            .filter(|input| input.role.is_of_program());
        if let Some(input) = own.next() {
            let why = format!("the program makes {} symbolic itself", input.name);
            return Ok(Verdict::Unseen(why));
        }
        if let Some(call) = test.failing_call() {
            return Ok(Verdict::Unseen(format!("{call} fails")));
        }
        if let Some(why) = unplaceable(&surroundings) {
            return Ok(Verdict::Unseen(why));
        }
        // A path that did not come to its end may have none.
        let limit = match test.outcome {
            Outcome::Unfinished(_) => arguments.timeout / 20,
            Outcome::Exit { .. } | Outcome::Error(_) => arguments.timeout,
        };
        let run = |variation: Variation| {
            bench
                .run_in(&program, &surroundings, &settings, limit, variation)
                .map_err(|error| format!("cannot run {}: {error}", program.display()))
        };
        let ran = run(0)?;
        let verdict = judge(test, &ran);
        if !matches!(verdict, Verdict::Differs(_)) || !bench.can_vary() {
            return Ok(verdict);
        }
        let is_same_end = matches!(test.outcome, Outcome::Exit { status, .. } if compare::has_status(ran.ended, status));
        if !is_same_end {
            return Ok(verdict);
        }
        let mut varied = Vec::new();
        for variation in VARIATIONS {
            varied.push(run(variation)?.stdout);
        }
        Ok(match verdict {
            Verdict::Differs(ways) if explain(&ran.stdout, &varied, &test.stdout) => {
                Verdict::Chosen(ways)
            }
            verdict => verdict,
        })
    };
    check_all(tests, arguments.verbose, || open_bench(site), check)
}

/// Whether the address sanitizer is in a program.
fn has_leak_check(program: &Path) -> bool {
    let name = b"__asan_init";
    std::fs::read(program).is_ok_and(|bytes| bytes.windows(name.len()).any(|part| part == name))
}

fn judge(test: &Test, ran: &Process) -> Verdict {
    let mut ways = Vec::new();
    match &test.outcome {
        Outcome::Exit { status, .. } => {
            if !compare::has_status(ran.ended, *status) {
                let found = compare::ending(ran.ended);
                ways.push(format!("{found} instead of with {status}"));
            }
            if ran.stdout != test.stdout && ran.ended != Ended::TimedOut {
                ways.push(compare::outputs(&test.stdout, &ran.stdout));
            }
        }
        Outcome::Error(fault) => return judge_error(fault, ran),
        Outcome::Unfinished(_) => {
            let is_over = matches!(ran.ended, Ended::Exit(_));
            if is_over && !ran.stdout.starts_with(&test.stdout) {
                ways.push(compare::outputs(&test.stdout, &ran.stdout));
            }
        }
    }
    match ways.is_empty() {
        true => Verdict::Same,
        false => Verdict::Differs(ways),
    }
}

fn judge_error(fault: &Fault, ran: &Process) -> Verdict {
    if compare::has_died(ran.ended) || compare::is_reported(ran.ended, &ran.stderr) {
        return Verdict::Same;
    }
    let found = compare::ending(ran.ended);
    match compare::natively(fault.kind) {
        Native::Dies | Native::DiesOrReported => {
            Verdict::Differs(vec![format!("{found} instead of: {}", fault.kind)])
        }
        Native::Reported | Native::MayBeReported | Native::Contradicts | Native::Unseen => {
            Verdict::Unseen(format!("{}, and it {found}", fault.kind))
        }
    }
}
