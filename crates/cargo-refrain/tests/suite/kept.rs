//! What is known from the last time: said again without exploring, gone on with, or explored from after an edit. What
//! is said is what exploring from the start would say.

use crate::common::{Project, Said, cargo_refrain, repository, said};

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A project, with results in its own folder, and a `refrain` that writes down what it is called for.
struct Kept {
    project: Project,
    commands: PathBuf,
    program: PathBuf,
}

impl Kept {
    fn new(project: Project) -> Kept {
        let folder = project.path.join("bin");
        std::fs::create_dir(&folder).expect("a folder");
        let program = folder.join("cargo-refrain");
        std::fs::copy(cargo_refrain(), &program).expect("a copy");
        let commands = folder.join("commands");
        let kept = Kept {
            project,
            commands,
            program,
        };
        kept.install("");
        kept
    }

    /// Writes the script that stands for `refrain`; a comment makes it another.
    fn install(&self, comment: &str) {
        let real = Path::new(cargo_refrain()).with_file_name("refrain");
        let script = format!(
            "#!/bin/sh\n# {comment}\necho \"$1\" >> {:?}\nexec {:?} \"$@\"\n",
            self.commands, real
        );
        let fake = self.program.with_file_name("refrain");
        std::fs::write(&fake, script).expect("a file");
        std::fs::set_permissions(&fake, PermissionsExt::from_mode(0o755)).expect("a program");
    }

    /// What is said, and the commands that were called for it.
    fn test(&self, words: &[&str]) -> (Said, Vec<String>) {
        let _ = std::fs::remove_file(&self.commands);
        let mut command = self.project.command(&self.program.display().to_string());
        command.args(["refrain", "test"]).args(words);
        let said = said(&mut command);
        let commands = std::fs::read_to_string(&self.commands).unwrap_or_default();
        let mut commands: Vec<String> = commands.lines().map(String::from).collect();
        commands.sort();
        commands.dedup();
        (said, commands)
    }
}

/// What is said of each property, and its failures, without what may be another input, or is about how it was found.
fn judged(said: &Said) -> Vec<String> {
    let is_told = |line: &&str| {
        (line.starts_with("test ") && line.contains(" ... "))
            || line.starts_with("panic: ")
            || line.starts_with("  in ")
            || line.contains("fn ")
    };
    let lines = said.stdout.lines().filter(is_told);
    lines.map(|line| line.replace(", unchanged", "")).collect()
}

#[test]
fn what_is_known_is_not_explored_again() {
    let kept = Kept::new(Project::copy(&repository().join("examples/crate")));
    let (first, commands) = kept.test(&["--fresh", "--emit-tests", "src/first.rs"]);
    assert_eq!(first.status, 101, "{first:?}");
    assert_eq!(commands, ["run"]);

    // Nothing has changed.
    let (again, commands) = kept.test(&["--emit-tests", "src/again.rs"]);
    assert_eq!(commands, Vec::<String>::new(), "{again:?}");
    assert_eq!(again.status, 101);
    assert_eq!(judged(&again), judged(&first));
    let digits = again.of("tests::digits_make_the_number");
    assert_eq!(digits, "ok (6 paths, unchanged)");
    let tests = |file: &str| std::fs::read_to_string(kept.project.path.join(file)).expect("tests");
    assert_eq!(tests("src/again.rs"), tests("src/first.rs"));

    // One mistake is mended, and another one made: what changed is explored, and the same is said as from the start.
    kept.project.change("src/lib.rs", |text| {
        text.replace("(low + high) / 2", "low + (high - low) / 2")
            .replace("year.is_multiple_of(4) &&", "year.is_multiple_of(8) &&")
    });
    let (edited, commands) = kept.test(&["--emit-tests", "src/edited.rs"]);
    assert_eq!(commands, ["diff", "run"], "{edited:?}");
    assert!(
        edited
            .of("tests::the_middle_is_between")
            .starts_with("ok (")
    );
    let (fresh, commands) = kept.test(&["--fresh", "--emit-tests", "src/fresh.rs"]);
    assert_eq!(commands, ["run"], "{fresh:?}");
    assert_eq!(judged(&edited), judged(&fresh));
    assert_eq!(edited.status, fresh.status);
    // The tests that were written fail as well.
    kept.project.change("src/lib.rs", |text| {
        let end = text.rfind('}').expect("the module ends");
        format!("{}    include!(\"edited.rs\");\n}}\n", &text[..end])
    });
    let native = kept.project.test(&["regression"]);
    assert!(native.stdout.contains(" 0 passed; "), "{native:?}");

    // Another version of the command counts as nothing known, whatever it would find.
    let (_, commands) = kept.test(&[]);
    assert_eq!(commands, ["diff", "run"]);
    kept.install("another");
    let (other, commands) = kept.test(&[]);
    assert_eq!(commands, ["resume", "run"], "{other:?}");
    let digits = other.of("tests::digits_make_the_number");
    assert_eq!(digits, "ok (6 paths)");
}

#[test]
fn what_took_too_long_goes_on() {
    let kept = Kept::new(Project::of_tests("house"));
    let words = ["-p", "till", "steps", "--max-time"];
    let paths = |said: &Said| {
        let line = said.of("steps_come_to_an_end");
        assert!(line.starts_with("incomplete ("), "{line}");
        let paths = line.split("; ").find_map(|part| part.split_once(" path"));
        let paths = paths.expect("paths").0.parse::<u64>();
        paths.expect("a number")
    };
    let (first, commands) = kept.test(&[&words[..], &["1", "--fresh"]].concat());
    assert_eq!(commands, ["run"]);
    let (second, commands) = kept.test(&[&words[..], &["3"]].concat());
    assert_eq!(commands, ["resume"]);
    assert!(paths(&second) > paths(&first), "{first:?} {second:?}");
}

/// Results that are damaged, or of a property that is gone.
#[test]
fn what_cannot_be_used_is_explored_anew() {
    let kept = Kept::new(Project::of_tests("house"));
    let words = ["-p", "price"];
    let (first, _) = kept.test(&[&words[..], &["--fresh"]].concat());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
    let results = target.join("refrain/results/price");
    let labels = results.join("tests.labels_are_short");
    std::fs::write(labels.join("boundary.json"), "[").expect("a file");
    std::fs::write(labels.join("tree/header"), "nonsense").expect("a file");
    let (again, commands) = kept.test(&words);
    assert_eq!(commands, ["resume", "run"], "{again:?}");
    assert_eq!(judged(&again), judged(&first));

    kept.project.change("price/src/lib.rs", |text| {
        text.replace("labels_are_short", "labels_are_not_long")
    });
    let (renamed, _) = kept.test(&words);
    assert!(renamed.of("tests::labels_are_not_long").starts_with("ok ("));
    assert!(!labels.exists());
}
