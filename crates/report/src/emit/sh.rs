//! Tests of a whole program as a script: the program as it is, in the world of each test.

use std::fmt::Write;

use refrain_results::{Outcome, Test};

use super::{Options, chosen, command, is_deadly, promise};
use crate::{ReportError, Results, places, shell, words};

pub fn sh(results: &Results, options: &Options) -> Result<String, ReportError> {
    let run = &results.run;
    let refuse = |why: String| Err(ReportError::Emit(why));
    if !(run.entry.is_empty() || run.entry == "main") {
        return refuse(format!(
            "the run is of the function {}: --as c and --as rust write tests of functions",
            run.entry
        ));
    }
    let tests = chosen(results, options);
    let mut inputs = tests.iter().flat_map(|test| &test.inputs);
    if let Some(own) = inputs.find(|input| input.role.is_of_program()) {
        return refuse(format!(
            "the program makes {} symbolic itself, which a script cannot give it: --as c and --as rust do",
            own.name
        ));
    }
    let mut script = header(results, options, tests.len());
    script += RUNNER;
    for test in &tests {
        script += &case(results, options, test);
    }
    script += SUMMARY;
    Ok(script)
}

fn header(results: &Results, options: &Options, tests: usize) -> String {
    let run = &results.run;
    let program = places::shown(&results.root, &run.program);
    let script = places::shown(&results.root, &options.file);
    let plural = if tests == 1 { "" } else { "s" };
    let ending = run.program.extension().unwrap_or_default();
    // Of a source, the program is what a compiler makes of it by its name.
    let is_source = ["c", "cc", "cpp", "cxx", "C", "rs", "bc", "ll"]
        .iter()
        .any(|source| ending == *source);
    let default = match is_source {
        true => run.program.with_extension(""),
        false => run.program.clone(),
    };
    let lines = [
        format!(
            "{tests} test{plural} of {program}, written by Refrain {}.",
            run.version
        ),
        String::new(),
        format!("    {} [PROGRAM]", command(["bash", script.as_str()])),
        String::new(),
        promise(results, options),
    ];
    let plain = |c: char| if c.is_control() { '?' } else { c };
    let mut text = String::from("#!/usr/bin/env bash\n");
    for line in lines {
        let line: String = line.chars().map(plain).collect();
        text += format!("# {line}").trim_end();
        text.push('\n');
    }
    let default = default.to_string_lossy();
    text + &format!("\nprogram=${{1:-{}}}\n", shell::word(default.as_bytes()))
}

/// Runs one test in an empty directory: `begin`, files, input and expected output, then `run NAME END ARGV0 ARGS`.
const RUNNER: &str = r#"case $program in */*) ;; *) program=./$program ;; esac
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
[ -x "$program" ] || { echo "there is no program $program" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
count=0 failed=0 skipped=0

begin() {
    rm -rf "$work/place" && mkdir "$work/place" && cd "$work/place" || exit 2
    : > ../stdin
    : > ../expected
    variables=()
}

# END is a status; dies; may-die, of an error that a process can survive; or ends, with any status.
run() {
    local name=$1 end=$2 argv0=$3 status why=
    shift 3
    count=$((count + 1))
    {
        cat ../stdin | (
            ulimit -t 60
            if [ ${#variables[@]} = 0 ]; then exec -c -a "$argv0" "$program" "$@"; fi
            for variable in $(compgen -e); do unset "$variable"; done
            export "${variables[@]}"
            exec -a "$argv0" "$program" "$@"
        ) > ../stdout 2> ../stderr
        status=$?
    } 2> /dev/null # bash would say how it died
    case $end in
    ends) [ $status -le 128 ] || why="it dies, with status $status" ;;
    dies) [ $status -gt 128 ] || [ $status = 101 ] || why="it ends with status $status, and does not die" ;;
    may-die)
        if [ $status -le 128 ] && ! grep -q 'ERROR: AddressSanitizer\|runtime error: ' ../stderr; then
            skipped=$((skipped + 1))
            echo "$name: skipped, since the error does not show"
        fi ;;
    *)
        [ $status = "$end" ] || why="it ends with status $status instead of $end"
        cmp -s ../stdout ../expected || why="${why:+$why; }it writes something else" ;;
    esac
    if [ -n "$why" ]; then
        failed=$((failed + 1))
        echo "$name: FAILED: $why"
    fi
}
"#;

const SUMMARY: &str = r#"
echo "$count tests: $((count - failed - skipped)) passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
"#;

fn case(results: &Results, options: &Options, test: &Test) -> String {
    let surroundings = results.run.surroundings(test);
    let mut text = String::from("\n");
    if let Outcome::Error(fault) = &test.outcome {
        let plain = |c: char| if c.is_control() { '?' } else { c };
        let headline: String = words::headline(fault).chars().map(plain).collect();
        text += format!("# {headline}").trim_end();
        text.push('\n');
    }
    text += "begin\n";
    for command in shell::files(&surroundings) {
        text += &command;
        text.push('\n');
    }
    // Writing to a string does not fail.
    if !surroundings.stdin.is_empty() {
        let _ = writeln!(text, "{} > ../stdin", shell::printf(&surroundings.stdin));
    }
    if !surroundings.environment.is_empty() {
        let variables = surroundings.environment.iter();
        let variables: Vec<String> = variables.map(|variable| shell::word(variable)).collect();
        let _ = writeln!(text, "variables=({})", variables.join(" "));
    }
    let end = match &test.outcome {
        Outcome::Exit { status, .. } => (status & 0xff).to_string(),
        Outcome::Error(_) if options.errors_only => "ends".into(),
        Outcome::Error(fault) if is_deadly(fault) => "dies".into(),
        Outcome::Error(_) | Outcome::Unfinished(_) => "may-die".into(),
    };
    if matches!(test.outcome, Outcome::Exit { .. }) && !test.stdout.is_empty() {
        let _ = writeln!(text, "{} > ../expected", shell::printf(&test.stdout));
    }
    let args: Vec<String> = surroundings
        .args
        .iter()
        .map(|arg| shell::word(arg))
        .collect();
    let _ = writeln!(text, "run {} {end} {}", test.name(), args.join(" "));
    text
}
