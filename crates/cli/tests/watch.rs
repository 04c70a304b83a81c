//! `refrain watch`: what it says after each save, and what is in the output directory then.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use common::{REFRAIN, tests_in};

/// The longest that any answer takes, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// Three paths; `LIMIT` is in a header.
const PROGRAM: &str = "#include <klee/klee.h>
#include \"limit.h\"
static int f(int x) {
    if (x > LIMIT)
        return 1;
    if (x == 7)
        return 2;
    return 3;
}
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, \"x\");
    return f(x);
}
";
const HEADER: &str = "#define LIMIT 100\n";

/// A program in a folder of its own, that is watched from there.
struct Watch {
    folder: TempDir,
    child: Child,
    lines: Receiver<String>,
    /// All that was said.
    said: Vec<String>,
}

impl Watch {
    fn new(switches: &[&str], program: &str) -> Watch {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("prog.c"), program).expect("a file");
        fs::write(folder.path().join("limit.h"), HEADER).expect("a file");
        Watch::of(folder, switches, "prog.c")
    }

    fn of(folder: TempDir, switches: &[&str], program: &str) -> Watch {
        let mut command = Command::new(REFRAIN);
        command.arg("watch").args(switches).arg(program);
        command.current_dir(folder.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let (sender, lines) = mpsc::channel();
        tell(child.stdout.take().expect("a pipe"), sender.clone());
        tell(child.stderr.take().expect("a pipe"), sender);
        let said = Vec::new();
        Watch {
            folder,
            child,
            lines,
            said,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn save(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// As many editors do.
    fn save_by_rename(&self, name: &str, text: &str) {
        self.save("prog.c~new", text);
        fs::rename(self.path(name), self.path("prog.c~")).expect("a file");
        fs::rename(self.path("prog.c~new"), self.path(name)).expect("a file");
    }

    /// Waits until a line has this text; all lines until then, since the last time. Those of the other stream may come
    /// a little later.
    fn until(&mut self, text: &str) -> String {
        let mut said = String::new();
        let mut patience = PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(patience) {
            self.said.push(line.clone());
            said += &line;
            said.push('\n');
            if line.contains(text) {
                patience = Duration::from_millis(500);
            }
        }
        assert!(
            said.contains(text),
            "no {text:?} in {said:?} after {:#?}",
            self.said
        );
        said
    }

    /// Waits until a version is explored.
    fn until_under_way(&self, directory: &str) {
        let timeline = self.path(directory).join("timeline.csv");
        let started = Instant::now();
        while !fs::read_to_string(&timeline).is_ok_and(|text| text.lines().count() > 2) {
            assert!(started.elapsed() < PATIENCE, "nothing in {directory}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The first exploration is over.
    fn begin(&mut self) -> String {
        self.until(" tests: ")
    }

    fn stats(&self, directory: &str) -> Value {
        let text = fs::read(self.path(directory).join("stats.json")).expect("statistics");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// Ctrl-C.
    fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).expect("it is there");
    }

    /// Ends it with Ctrl-C: what was said after that, and all files of the folder.
    fn end(mut self) -> (String, Vec<String>) {
        self.interrupt();
        let status = self.child.wait().expect("it ends");
        let said: Vec<String> = self.lines.iter().collect();
        assert_eq!(status.code(), Some(0), "{said:?}");
        (said.join("\n"), names(self.folder.path()))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tell(pipe: impl Read + Send + 'static, sender: Sender<String>) {
    std::thread::spawn(move || {
        let lines = BufReader::new(pipe).lines().map_while(Result::ok);
        for line in lines {
            let _ = sender.send(line);
        }
    });
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What `refrain run` finds in the same folder.
fn fresh(watch: &Watch, name: &str) -> Value {
    let mut command = Command::new(REFRAIN);
    command.args(["run", "--quiet", "--out", name, "prog.c"]);
    let output = command.current_dir(watch.folder.path()).output();
    output.expect("it runs");
    watch.stats(name)["paths"].clone()
}

#[test]
fn saves_are_answered_with_what_has_changed() {
    let mut watch = Watch::new(&[], PROGRAM);
    let said = watch.begin();
    assert!(said.contains("paths: 3 in "), "{said}");

    // An edit: an error is new.
    let wrong = PROGRAM.replace("return 2;", "return 2 / (x - 7);");
    watch.save("prog.c", &wrong);
    let said = watch.until("answer: ");
    assert!(said.contains("division by zero"), "{said}");
    assert!(
        said.contains("refrain replay ./refrain-out/1 --test"),
        "{said}"
    );
    assert!(
        said.contains("paths: 3: 2 as before, 0 with another end, 1 new; 1 gone"),
        "{said}"
    );
    assert!(
        said.contains("errors: 1 new, 0 fixed, 0 as before"),
        "{said}"
    );
    assert!(
        said.contains("covered: 100% of branches (4 of 4)"),
        "{said}"
    );
    let errors = watch.stats("refrain-last")["paths"]["error"].as_u64();
    assert_eq!(errors, Some(1));
    assert_eq!(
        watch.stats("refrain-last")["paths"],
        fresh(&watch, "fresh-1")
    );

    // It does not compile: the results stand, also when it is saved again.
    watch.save("prog.c", &PROGRAM.replace("return 2;", "return two;"));
    let said = watch.until("error: use of undeclared identifier");
    assert!(!said.contains("answer: "), "{said}");
    let errors = watch.stats("refrain-last")["paths"]["error"].as_u64();
    assert_eq!(errors, Some(1));

    // Mended, by an editor that renames.
    watch.save_by_rename("prog.c", PROGRAM);
    let said = watch.until("answer: ");
    assert!(said.contains("fixed: division by zero in f at "), "{said}");
    assert!(
        said.contains("errors: 0 new, 1 fixed, 0 as before"),
        "{said}"
    );

    // The same once more, to the file that has the name now; and what changes no code.
    watch.save_by_rename("prog.c", PROGRAM);
    watch.until("the same code, ");

    // A header that is included: a path is gone.
    watch.save("limit.h", "#define LIMIT 5\n");
    let said = watch.until("answer: ");
    assert!(said.contains("paths: 2: "), "{said}");
    assert!(
        said.contains("covered: 75% of branches (3 of 4), 100% before"),
        "{said}"
    );
    assert_eq!(
        watch.stats("refrain-last")["paths"],
        fresh(&watch, "fresh-2")
    );

    // One directory, whole.
    assert_eq!(names(&watch.path("refrain-out")), ["1"]);
    assert_eq!(tests_in(&watch.path("refrain-last")).len(), 2);
    let (said, names) = watch.end();
    assert_eq!(said, "");
    let files = [
        "fresh-1",
        "fresh-2",
        "limit.h",
        "prog.c",
        "prog.c~",
        "refrain-last",
        "refrain-out",
    ];
    assert_eq!(names, files);
}

/// However often it is saved, the tree stays small.
#[test]
fn many_versions_do_not_pile_up() {
    let mut watch = Watch::new(&[], PROGRAM);
    watch.begin();
    for limit in 0..20 {
        watch.save("limit.h", &format!("#define LIMIT {limit}\n"));
        watch.until("answer: ");
    }
    let logs = names(&watch.path("refrain-last/tree"));
    let logs = logs.iter().filter(|name| name.ends_with(".log")).count();
    assert!((2..=17).contains(&logs), "{logs}");
    assert_eq!(watch.stats("refrain-last")["paths"], fresh(&watch, "fresh"));
}

/// A header that is not there yet mends what includes it.
#[test]
fn what_does_not_compile_at_first_is_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("a file");
    let mut watch = Watch::of(folder, &["--out", "results"], "prog.c");
    watch.until("'limit.h' file not found");
    watch.save("limit.h", HEADER);
    let said = watch.begin();
    assert!(said.contains("paths: 3 in "), "{said}");
    watch.save("limit.h", "#define LIMIT 5\n");
    watch.until("answer: ");
    assert_eq!(watch.end().1, ["limit.h", "prog.c", "results"]);
}

/// Results of another entry function, or of other parameters, cannot be followed.
#[test]
fn what_cannot_be_followed_is_explored_from_the_start() {
    let program = "int f(int x) { if (x > 3) return 1; return 2; }\n";
    let mut watch = Watch::new(&["--entry", "f"], program);
    watch.begin();
    watch.save(
        "prog.c",
        "int f(int x, char y) { if (x > 3) return 1; if (y > 3) return 2; return 3; }\n",
    );
    let said = watch.begin();
    assert!(said.contains("explored from the start: "), "{said}");
    assert!(said.contains("paths: 3 in "), "{said}");
    // Nothing can be done with a program that has no such function: the results stand.
    watch.save("prog.c", "int g(int x) { return x > 3; }\n");
    watch.until("refrain: no function f");
    assert_eq!(watch.stats("refrain-last")["paths"]["completed"], 3);
    assert_eq!(names(&watch.path("refrain-out")), ["1"]);
}

/// Paths without end.
const ENDLESS: &str = "#include <klee/klee.h>
int main(void) {
    unsigned sum = 0;
    for (;;) {
        unsigned char x;
        klee_make_symbolic(&x, sizeof x, \"x\");
        if (x == 0)
            return sum == 5;
        sum += x > 9;
    }
}
";

#[test]
fn a_save_stops_exploring_and_ctrl_c_ends_it_with_what_was_found() {
    let mut watch = Watch::new(&["--max-memory", "2GB"], ENDLESS);
    watch.until_under_way("refrain-last");
    watch.save("prog.c", &ENDLESS.replace("== 5", "== 6"));
    watch.until("stopped: interrupted");
    let first = watch.stats("refrain-last")["paths"]["completed"].as_u64();
    assert!(first > Some(0), "{first:?}");

    // The second version goes on, until there is one that ends.
    watch.save(
        "prog.c",
        &ENDLESS.replace("for (;;)", "for (int i = 0; i < 3; i++)"),
    );
    let said = watch.until("answer: ");
    assert!(said.contains("errors: 0 new"), "{said}");
    // x == 0 at once, after one, and after two others, or never, and the sums of what is above nine.
    let paths = watch.stats("refrain-last")["paths"].clone();
    assert_eq!(paths, fresh(&watch, "fresh"));

    // Without end again, and interrupted: it can be gone on with.
    watch.save("prog.c", ENDLESS);
    watch.until_under_way("refrain-out/.1.next");
    let folder = watch.path("refrain-out");
    watch.interrupt();
    let said = watch.until("stopped: interrupted");
    assert!(said.contains("answer: "), "{said}");
    assert_eq!(names(&folder), ["1"]);
    let completed = watch.stats("refrain-last")["paths"]["completed"].as_u64();
    assert!(completed > paths["completed"].as_u64(), "{completed:?}");
    let mut command = Command::new(REFRAIN);
    command.args(["resume", "refrain-last", "--max-time", "1"]);
    let resumed = command.current_dir(watch.folder.path()).output();
    let said = String::from_utf8(resumed.expect("it runs").stderr).expect("UTF-8");
    assert!(said.contains("of them known before"), "{said}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let output = common::run(&["watch", "/nowhere/prog.c"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said, "refrain: /nowhere/prog.c does not exist\n");
}
