//! README and guide show what really comes out, and the examples answer what their comments say.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and guide, by name.
fn pages() -> Vec<(PathBuf, String)> {
    let guide = std::fs::read_dir(root().join("docs/src")).expect("the guide");
    let guide = guide.map(|entry| entry.expect("an entry").path());
    let pages = std::iter::once(root().join("README.md")).chain(guide);
    let pages = pages.filter(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages
        .map(|page| {
            let text = std::fs::read_to_string(&page).expect("a page");
            (page, text)
        })
        .collect()
}

/// What a page shows behind a command, up to the next one or the end of the block; nothing if it shows no output. The
/// command is `refrain`, or what stands for it where nothing is installed.
fn shown_after<'a>(page: &'a str, arguments: &str) -> Option<&'a str> {
    let written = ["refrain", "cargo run --release --"]
        .map(|command| page.split_once(&format!("\n$ {command} {arguments}\n")));
    let (_, after) = written.into_iter().flatten().next()?;
    let ends = ["```", "$ "].map(|end| after.find(end).unwrap_or(after.len()));
    let shown = &after[..ends[0].min(ends[1])];
    (!shown.is_empty()).then_some(shown)
}

/// Without what differs from run to run, the seconds, and from build to build: how many queries were solved depends on
/// where the library's variables lie.
fn timeless(text: &str) -> String {
    let uncounted: Vec<&str> = { text.split(" solved") }
        .map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()))
        .collect();
    let text = uncounted.join(" solved");
    let mut parts = text.split(" in ");
    let mut timeless = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_time = rest.len() < part.len() && rest.starts_with(" s");
        timeless += " in ";
        timeless += if is_time { rest } else { part };
    }
    timeless
}

/// Whether output is what a page shows; a line `…` stands for any lines.
fn is_shown(said: &str, shown: &str) -> bool {
    let mut parts = shown.split("…\n");
    let Some(mut rest) = parts.next().and_then(|first| said.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn lines_that_are_left_out_may_be_any() {
    assert!(is_shown("a\nb\n", "a\nb\n"));
    assert!(is_shown("a\nb\nc\nd\n", "a\n…\nd\n"));
    assert!(is_shown("a\nb\nc\nd\n", "…\nc\nd\n"));
    assert!(!is_shown("a\nb\n", "a\n"));
    assert!(!is_shown("a\nb\n", "b\n"));
    assert!(!is_shown("a\nb\nc\n", "a\n…\nb\n"));
}

/// The examples as they are seen from the repository, in a folder where results may be left. What a command says is what
/// every page shows that has it, and some page does.
#[test]
fn commands_say_what_readme_and_guide_show() {
    let place = tempfile::tempdir().expect("a temporary folder");
    for name in [
        "explore/percent.rs",
        "explore/packet.c",
        "explore/sort.c",
        "programs/fields.c",
        "run/words.c",
        "smt/midpoint.smt2",
    ] {
        let copy = place.path().join("examples").join(name);
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        std::fs::copy(root().join("examples").join(name), copy).expect("a copy");
    }
    // As `sed` does it there.
    let packet = std::fs::read_to_string(root().join("examples/explore/packet.c"));
    let mended =
        { packet.expect("an example") }.replace("at[1] == 3)", "at[1] == 3 && end - at > 2)");
    std::fs::write(place.path().join("packet.c"), mended).expect("a file");
    let pages = pages();
    for arguments in [
        "run --out percent examples/explore/percent.rs",
        "replay percent",
        "cover percent",
        "cover percent --html report",
        "run --cflags=-DMISTAKE --out sorted examples/explore/sort.c",
        "run --max-depth 36 --out packet examples/explore/packet.c",
        "diff --out mended packet packet.c",
        "run --sym-arg 1 --sym-stdin 0..2 --out fields examples/programs/fields.c",
        "show fields --test 3",
        "run examples/run/words.c",
        "smt examples/smt/midpoint.smt2",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
            .args(arguments.split(' '))
            .current_dir(place.path())
            .env("REFRAIN_STORE", "none")
            .env_remove("RUST_BACKTRACE")
            .output()
            .expect("refrain starts");
        let said = [output.stdout, output.stderr].concat();
        let said = timeless(&String::from_utf8(said).expect("text"));
        let mut shown_by = 0;
        for (page, text) in &pages {
            let Some(shown) = shown_after(text, arguments) else {
                continue;
            };
            shown_by += 1;
            let (shown, page) = (timeless(shown), page.display());
            assert!(
                is_shown(&said, &shown),
                "{page} shows behind `{arguments}`:\n{shown}\nand it says:\n{said}"
            );
        }
        assert!(shown_by > 0, "no page shows what `{arguments}` says");
    }
}

#[test]
fn the_path_example_answers() {
    let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .env("REFRAIN_STORE", "none")
        .args(["smt", "examples/smt/path.smt2"])
        .current_dir(root())
        .output()
        .expect("refrain starts");
    assert!(output.status.success(), "{output:?}");
    let answers = String::from_utf8(output.stdout).expect("text");
    let verdicts: Vec<&str> = answers
        .lines()
        .filter(|line| line.ends_with("sat"))
        .collect();
    assert_eq!(verdicts, ["sat", "sat", "unsat", "sat"]);
}
