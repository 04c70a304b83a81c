//! `--world` and `--max-fail`: what a program sees of the host, what it does to it (nothing), and calls that fail.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

fn refrain(place: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(args)
        .current_dir(place)
        .output()
        .expect("refrain starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out
}

/// The summary of a run says so many paths.
#[track_caller]
fn has_paths(output: &Output, count: usize) {
    succeeds(output);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains(&format!("paths: {count} in")), "{said}");
}

/// Everything below a directory, as far as a program could change it.
fn snapshot(place: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        let kept = fs::symlink_metadata(&path).unwrap();
        let what = match () {
            () if kept.is_symlink() => format!("-> {:?}", fs::read_link(&path).unwrap()),
            () if kept.is_dir() => {
                found.extend(snapshot(&path));
                "directory".into()
            }
            () => format!(
                "{:?} {:?}",
                text(&fs::read(&path).unwrap()),
                kept.modified().unwrap()
            ),
        };
        found.insert(name, format!("{what} {:?}", kept.permissions()));
    }
    found
}

/// Files of a host.
fn furnish(place: &Path) {
    fs::create_dir_all(place.join("d/deep")).unwrap();
    fs::write(place.join("in.txt"), "one\ntwo\n").unwrap();
    fs::write(place.join("d/x"), "in d").unwrap();
    fs::write(place.join("d/y"), "also").unwrap();
    symlink("d/x", place.join("link")).unwrap();
    fs::hard_link(place.join("in.txt"), place.join("same.txt")).unwrap();
}

const CHANGES: &str = r#"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void show(const char *path) {
  char b[100];
  FILE *f = fopen(path, "r");
  if (!f) { printf("%s: %s\n", path, strerror(errno)); return; }
  size_t n = fread(b, 1, 100, f);
  printf("%s: %zu '%.*s'\n", path, n, (int)n, b);
  fclose(f);
}
static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
static void list(const char *path) {
  DIR *d = opendir(path);
  char *names[50];
  int n = 0;
  struct dirent *e;
  if (!d) { printf("%s: %s\n", path, strerror(errno)); return; }
  while ((e = readdir(d))) names[n++] = strdup(e->d_name);
  qsort(names, n, sizeof *names, by_name);
  for (int i = 0; i < n; i++) printf("%s ", names[i]);
  printf("\n");
  closedir(d);
}
int main() {
  struct stat s;
  show("in.txt"); show("link"); show("d/x"); show("none"); list("."); list("d");
  stat("in.txt", &s); printf("%o %ld %d\n", s.st_mode, (long)s.st_size, (int)s.st_nlink);
  FILE *f = fopen("in.txt", "r+");
  if (!f) return 0;
  fputs("ONE", f); fclose(f);
  f = fopen("in.txt", "a"); fputs("three\n", f); fclose(f);
  show("in.txt"); show("same.txt");
  int g = open("link", O_RDWR); printf("%d\n", (int)pwrite(g, "IN", 2, 0)); show("d/x"); close(g);
  printf("%d %d %d\n", truncate("d/y", 2), rename("d/y", "d/deep/y"), unlink("same.txt")); show("d/deep/y"); show("same.txt");
  printf("%d %d\n", rename("d", "e"), rmdir("e/deep")); list("e"); list("e/deep"); show("link"); show("e/x");
  printf("%d %d\n", mkdir("d", 0755), chmod("in.txt", 0400)); list("d"); list(".");
  stat("in.txt", &s); printf("%o %d\n", s.st_mode, (int)s.st_nlink);
  return 0;
}
"#;

#[test]
fn a_program_changes_its_copy_as_natively_and_never_the_host() {
    let place = tempfile::tempdir().unwrap();
    let (native, host) = (place.path().join("native"), place.path().join("host"));
    fs::write(place.path().join("a.c"), CHANGES).unwrap();
    for folder in [&native, &host] {
        fs::create_dir(folder).unwrap();
        furnish(folder);
    }
    let built = Command::new("clang")
        .args(["-w", "a.c", "-o", "program"])
        .current_dir(place.path())
        .output()
        .expect("clang");
    succeeds(&built);
    let theirs = Command::new("../program")
        .current_dir(&native)
        .output()
        .unwrap();
    let theirs = succeeds(&theirs);
    let before = snapshot(&host);
    assert_eq!(succeeds(&refrain(&host, &["run", "../a.c"])), theirs);
    // The same directory, seen from elsewhere, and what is there otherwise.
    let elsewhere = succeeds(&refrain(place.path(), &["run", "a.c"]));
    assert!(
        elsewhere.starts_with("in.txt: No such file or directory\n"),
        "{elsewhere}"
    );
    let shown = refrain(place.path(), &["run", "--world", "./host", "a.c"]);
    assert_eq!(succeeds(&shown), theirs);
    assert_eq!(snapshot(&host), before);
    let empty = succeeds(&refrain(&host, &["run", "--world", "empty", "../a.c"]));
    assert!(
        empty.starts_with("in.txt: No such file or directory\n"),
        "{empty}"
    );
    let host_root = refrain(&host, &["run", "--world", ".", "../a.c"]);
    assert_eq!(succeeds(&host_root), theirs);
}

const LOOKS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
void klee_make_symbolic(void *, size_t, const char *);
int main() {
  char c;
  FILE *f = fopen("in.txt", "r");
  if (!f) return 9;
  int known = fgetc(f);
  klee_make_symbolic(&c, 1, "c");
  if (c == known) { printf("yes\n"); return 1; }
  if (fopen("more", "r")) return 2;
  f = fopen("in.txt", "w");
  fputc('x', f);
  return 0;
}
"#;

#[test]
fn what_was_seen_of_the_host_must_still_be_there() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    fs::write(here.join("a.c"), LOOKS).unwrap();
    fs::write(here.join("in.txt"), "q").unwrap();
    let run = refrain(here, &["run", "--tests", "all", "--out", "out", "a.c"]);
    has_paths(&run, 2);
    let replayed = succeeds(&refrain(here, &["replay", "out"]));
    assert!(replayed.contains("2 the same, 0 differ"), "{replayed}");
    succeeds(&refrain(here, &["certify", "out"]));
    succeeds(&refrain(here, &["resume", "out"]));
    succeeds(&refrain(here, &["diff", "out", "a.c", "--out", "same"]));
    let refuses = |args: &[&str], status: i32| {
        let done = refrain(here, args);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains("has changed since the run"), "{said}");
    };
    fs::write(here.join("in.txt"), "r").unwrap();
    refuses(&["resume", "out"], 2);
    refuses(&["diff", "out", "a.c", "--out", "other"], 2);
    // What the first run saw counts for the one that kept its paths.
    refuses(&["diff", "same", "a.c", "--out", "other"], 2);
    refuses(&["certify", "out"], 1);
    let replayed = refrain(here, &["replay", "out"]);
    assert!(text(&replayed.stderr).contains("in.txt has changed since the run"));
    fs::write(here.join("in.txt"), "q").unwrap();
    // A file that was not there.
    fs::write(here.join("more"), "").unwrap();
    refuses(&["resume", "out"], 2);
    fs::remove_file(here.join("more")).unwrap();
    succeeds(&refrain(here, &["resume", "out"]));
    // Elsewhere, other files have these names.
    let elsewhere = tempfile::tempdir().unwrap();
    let (out, source) = (here.join("out"), here.join("a.c"));
    let moved = ["diff", out.to_str().unwrap(), source.to_str().unwrap()];
    let moved = refrain(elsewhere.path(), &moved);
    assert_eq!(moved.status.code(), Some(2));
    assert!(
        text(&moved.stderr).contains("go there"),
        "{}",
        text(&moved.stderr)
    );
}

#[test]
fn a_directory_is_the_world_of_all_that_follows() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    fs::write(here.join("a.c"), LOOKS).unwrap();
    fs::create_dir(here.join("world")).unwrap();
    fs::write(here.join("world/in.txt"), "q").unwrap();
    let run = [
        "run", "--tests", "all", "--out", "out", "--world", "world", "a.c",
    ];
    succeeds(&refrain(here, &run));
    let replayed = succeeds(&refrain(here, &["replay", "out"]));
    assert!(replayed.contains("2 the same, 0 differ"), "{replayed}");
    succeeds(&refrain(here, &["certify", "out"]));
    succeeds(&refrain(here, &["resume", "out"]));
    let other = refrain(here, &["diff", "out", "a.c"]);
    succeeds(&other);
    assert_eq!(fs::read(here.join("world/in.txt")).unwrap(), b"q");
    // Without the file there is one path.
    let empty = [
        "run", "--tests", "all", "--out", "empty", "--world", "empty", "a.c",
    ];
    has_paths(&refrain(here, &empty), 1);
}

const FAILS: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void say(const char *s) { write(1, s, strlen(s)); }
int main() {
  char b[4];
  int f = open("/dev/zero", O_RDONLY);
  if (f < 0) return errno == EMFILE ? 10 : 99;
  ssize_t n = read(f, b, 4);
  if (n < 0) return errno == EIO ? 11 : 99;
  if (close(f)) return errno == EIO ? 12 : 99;
  return 0;
}
"#;

/// Of the names in a directory, only those count that a symbolic name can be.
#[test]
fn files_that_no_name_can_be_may_change() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    let program = "#include <fcntl.h>\n#include <unistd.h>\nint main(int argc, char **argv) { \
                   char name[] = \"a?\"; name[1] = argv[1][0]; int f = open(name, O_RDONLY); \
                   char c = 0; return f < 0 ? 1 : read(f, &c, 1) == 1 && c == 'x' ? 2 : 3; }";
    fs::write(here.join("a.c"), program).unwrap();
    fs::write(here.join("a1"), "x").unwrap();
    fs::write(here.join("a2"), "y").unwrap();
    let run = [
        "run",
        "--sym-arg",
        "1",
        "--tests",
        "all",
        "--out",
        "out",
        "a.c",
    ];
    let words = [&run[..], &["--max-paths", "2"]].concat();
    succeeds(&refrain(
        here,
        &[&words[..7], &words[8..], &words[7..8]].concat(),
    ));
    for other in ["b1", "a11", "other"] {
        fs::write(here.join(other), "z").unwrap();
    }
    let go_on = ["resume", "out", "--max-paths", "none"];
    succeeds(&refrain(here, &go_on));
    succeeds(&refrain(here, &["certify", "out"]));
    // No file, a1, a2, and a directory: a name of one letter, or with a slash behind it.
    let whole = refrain(here, &[&run[..6], &["whole", "a.c"]].concat());
    let paths = |results: &str| {
        let stats = fs::read(here.join(results).join("stats.json")).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
        stats["paths"]["completed"].as_u64().unwrap()
    };
    succeeds(&whole);
    assert_eq!(paths("out"), paths("whole"));
    fs::write(here.join("a3"), "x").unwrap();
    let refused = refrain(here, &["certify", "out"]);
    assert!(!refused.status.success());
    let said = text(&refused.stdout) + &text(&refused.stderr);
    assert!(said.contains("has changed since the run"), "{said}");
}

#[test]
fn calls_fail_up_to_so_many_times() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    fs::write(here.join("a.c"), FAILS).unwrap();
    let run = [
        "run",
        "--tests",
        "all",
        "--max-fail",
        "1",
        "--out",
        "out",
        "a.c",
    ];
    has_paths(&refrain(here, &run), 4);
    let mut ends = Vec::new();
    for number in 1..=4 {
        let test = refrain(here, &["show", "--json", &format!("out:{number}")]);
        let test: serde_json::Value = serde_json::from_slice(&test.stdout).unwrap();
        ends.push(test.to_string());
    }
    for status in ["10", "11", "12"] {
        let told = |end: &String| end.contains(&format!("\"status\":{status}"));
        assert!(ends.iter().any(told), "{status}: {ends:?}");
    }
    let replayed = succeeds(&refrain(here, &["replay", "out"]));
    assert!(
        replayed.contains("1 the same, 0 differ, 3 cannot be checked natively"),
        "{replayed}"
    );
    succeeds(&refrain(here, &["certify", "out"]));
    // In KLEE's words behind the program.
    for words in [&["--max-fail", "1"][..], &["--fd-fail"]] {
        let run = [
            "run",
            "--tests",
            "all",
            "--posix-runtime",
            "--out",
            "klee",
            "a.c",
        ];
        has_paths(&refrain(here, &[&run[..], words].concat()), 4);
        let replayed = succeeds(&refrain(here, &["replay", "klee"]));
        let same = "1 the same, 0 differ, 3 cannot be checked natively";
        assert!(replayed.contains(same), "{replayed}");
        fs::remove_dir_all(here.join("klee")).unwrap();
    }
    let twice = [
        "run",
        "--posix-runtime",
        "--max-fail",
        "1",
        "a.c",
        "--max-fail",
        "2",
    ];
    let twice = refrain(here, &twice);
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("--max-fail is given twice"));
    // None of five calls, each of them, each pair, and so on.
    fs::write(here.join("b.c"), "#include <unistd.h>\nint main() { char c; int n = 0; for (int i = 0; i < 5; i++) n += lseek(0, 0, 9) == 7; return n; }").unwrap();
    for (most, paths) in [("1", 1 + 5), ("2", 1 + 5 + 10), ("5", 32)] {
        let run = ["run", "--tests", "all", "--max-fail", most, "b.c"];
        has_paths(&refrain(here, &run), paths);
    }
}

#[test]
fn bad_use_is_one_line() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    fs::write(here.join("a.c"), "int main() { return 0; }").unwrap();
    let wrong = refrain(here, &["run", "--world", "nowhere", "a.c"]);
    assert_eq!(wrong.status.code(), Some(2));
    let said = text(&wrong.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("--world nowhere: not a directory"), "{said}");
}

#[test]
fn what_leads_out_of_the_process_is_named() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    for (name, call) in [
        ("fork", "fork()"),
        ("execvp", "execvp(\"ls\", 0)"),
        ("system", "system(\"true\")"),
        ("popen", "(long)popen(\"true\", \"r\")"),
        ("socket", "socket(2, 1, 0)"),
    ] {
        let source = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/socket.h>\nint main() {{ return {call}; }}"
        );
        fs::write(here.join("a.c"), source).unwrap();
        let run = refrain(here, &["run", "a.c"]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{name}: ")), "{said}");
    }
}
