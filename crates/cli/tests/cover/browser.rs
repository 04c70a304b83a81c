//! The pages in a browser, from disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::REFRAIN;
use crate::scene::kinds;

/// Chromium with a profile of its own; what it prints.
fn chromium(folder: &Path, page: &Path, what: &[&str]) -> String {
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .arg("--disable-dev-shm-usage")
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(["--window-size=1200,900"])
        .args(what)
        .arg(format!("file://{}", page.display()))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("chromium; `cargo xtask install` gets it");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn dom(folder: &Path, page: &str) -> String {
    chromium(folder, &folder.join("html").join(page), &["--dump-dom"])
}

/// A picture of so many pixels that is not all of one colour.
fn is_a_picture(folder: &Path, page: &str) {
    let picture = folder.join("page.png");
    let screenshot = format!("--screenshot={}", picture.display());
    chromium(folder, &folder.join("html").join(page), &[&screenshot]);
    let png = fs::read(&picture).expect("a picture");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{page}");
    let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!((number(16), number(20)), (1200, 900));
    // An empty page of this size is a few thousand bytes.
    assert!(png.len() > 15_000, "{page}: {}", png.len());
}

#[test]
fn pages_open_from_disk() {
    let scene = kinds();
    let folder = scene.folder.path();
    scene.covered(&["--html", "html"]);
    let index = dom(folder, "index.html");
    for part in [
        "<title>Coverage of kinds.c</title>",
        "<a href=\"tests.html\">7 tests</a>",
        "<a href=\"file-1-kinds.c.html\">kinds.c</a>",
        "<div class=\"value\">86.2%</div>",
        "25/29",
    ] {
        assert!(index.contains(part), "{part}\n{index}");
    }
    let source = dom(folder, "file-1-kinds.c.html");
    for part in [
        "<tr class=\"missed\" id=\"L13\">",
        "<tr class=\"run\" id=\"L9\">",
        "<tr class=\"half\" id=\"L45\">",
        "way 1: never, way 2: 4 tests",
        "#include &lt;assert.h&gt;",
    ] {
        assert!(source.contains(part), "{part}\n{source}");
    }
    let tests = dom(folder, "tests.html");
    let only = "<a href=\"file-1-kinds.c.html#L37\">37–39</a>";
    assert!(tests.contains(only), "{tests}");
    for page in ["index.html", "file-1-kinds.c.html"] {
        is_a_picture(folder, page);
    }
}

/// A run of our own has a timeline, which is drawn.
#[test]
fn a_run_is_covered_and_drawn() {
    let scene = kinds();
    let folder = scene.folder.path();
    let refrain = |arguments: &[&str]| {
        let output = Command::new(REFRAIN)
            .args(arguments)
            .current_dir(folder)
            .env("REFRAIN_STORE", "none")
            .stdin(Stdio::null())
            .output()
            .expect("refrain starts");
        (output.status.code(), output)
    };
    let (status, output) = refrain(&["run", "--out", "explored", "kinds.c"]);
    assert_eq!(status, Some(1), "{output:?}");
    let (status, output) = refrain(&["cover", "explored", "--html", "html"]);
    assert_eq!(status, Some(0), "{output:?}");
    let index = dom(folder, "index.html");
    assert_eq!(index.matches("<svg").count(), 2);
    assert!(index.contains("class=\"series second\" d=\"M"), "{index}");
}

/// A program can be called anything, and its source can say anything.
#[test]
fn nothing_of_the_program_is_executed() {
    let text = "#include <klee/klee.h>\n// <script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">\nint main(void) { char x; klee_make_symbolic(&x, 1, \"x\"); return 0; }\n";
    let tests = [("x", vec![0], crate::scene::exit(0))];
    let name = "a&<b>'\"#?% \u{fc}.c";
    let scene = crate::scene::Scene::new(name, text, &tests, Default::default());
    let folder = scene.folder.path();
    scene.covered(&["--html", "html"]);
    let pages = fs::read_dir(folder.join("html")).expect("a folder");
    let mut names: Vec<String> = pages
        .flatten()
        .map(|page| page.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["file-1-a__b________.c.html", "index.html", "tests.html"]
    );
    for page in &names {
        let dom = dom(folder, page);
        assert!(!dom.contains("<title>owned"), "{dom}");
        assert!(!dom.contains("<script") && !dom.contains("<img"), "{dom}");
    }
}
