//! Native programs in the world that the machine showed: what they see is the same, what they change is gone with them,
//! and nothing of it reaches the host.

use std::process::Command;

use crate::scene::{Scene, said};

/// Explores a program with one symbolic byte as its argument, and replays all tests on the native program.
fn replayed(scene: &Scene) -> (String, i32) {
    scene.explore(
        "out",
        &["--sym-arg", "1", "--sym-files", "1", "2", "prog.c"],
    );
    scene.compile(&[]);
    said(&scene.refrain(&["replay", "out", "--binary", "prog"]))
}

fn all_same(scene: &Scene, least: usize) {
    let (text, status) = replayed(scene);
    let tests = scene.tests("out").len();
    assert!(tests >= least, "{tests} tests");
    let same = format!("{tests} tests: {tests} the same, 0 differ\n");
    assert_eq!((text.as_str(), status), (same.as_str(), 0));
}

#[test]
fn clocks_numbers_and_names_are_the_machines() {
    let scene = Scene::new(
        r#"
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char name[4096];
    unsigned random;
    struct timespec fine, sleep_for = {5000, 1};
    struct timeval coarse;
    struct utsname system;
    struct stat file;
    printf("%s %d %d %d %d\n", getcwd(name, sizeof name), getpid(), getppid(), getuid(), getgid());
    printf("%ld\n", (long)time(0));
    clock_gettime(CLOCK_REALTIME, &fine);
    printf("%ld.%09ld\n", (long)fine.tv_sec, fine.tv_nsec);
    nanosleep(&sleep_for, 0);
    gettimeofday(&coarse, 0);
    printf("%ld.%06ld\n", (long)coarse.tv_sec, (long)coarse.tv_usec);
    clock_gettime(CLOCK_MONOTONIC, &fine);
    printf("%ld.%09ld\n", (long)fine.tv_sec, fine.tv_nsec);
    getrandom(&random, sizeof random, 0);
    uname(&system);
    stat("A", &file);
    printf("%u %s %s %ld %o\n", random, system.nodename, system.release, (long)file.st_mtime, file.st_mode);
    if (argv[1][0] == 'x') return 1;
    return 0;
}"#,
    );
    all_same(&scene, 2);
}

#[test]
fn what_a_test_changes_is_gone_for_the_next() {
    let scene = Scene::new(
        r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static void made(const char *name) {
    printf("%s %d\n", name, close(open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)));
}
int main(int argc, char **argv) {
    struct stat here;
    stat(".", &here);
    printf("%o %d\n", here.st_mode, unlink("kept"));
    made("new");
    made("A.new");
    made("/tmp/refrain-test-of-a-stage");
    made("/refrain-test-of-a-stage");
    printf("%d %d\n", mkdir("folder", 0), chmod(".", 0701));
    printf("%d\n", rename("A", "B"));
    switch (argv[1][0]) {
    case 'a': return 1;
    case 'b': return 2;
    case 'c': return 3;
    default: return 0;
    }
}"#,
    );
    scene.write("kept", "text");
    all_same(&scene, 4);
    assert_eq!(std::fs::read(scene.path("kept")).expect("a file"), b"text");
    for name in ["new", "A.new", "folder", "A", "B"] {
        assert!(!scene.path(name).exists(), "{name}");
    }
    for name in ["/tmp/refrain-test-of-a-stage", "/refrain-test-of-a-stage"] {
        assert!(!std::path::Path::new(name).exists(), "{name}");
    }
}

#[test]
fn signals_reach_nobody_else() {
    let mut other = Command::new("sleep").arg("60").spawn().expect("a process");
    let text = format!(
        "#include <signal.h>\n#include <unistd.h>\nint main(int argc, char **argv) {{\n\
         kill({}, SIGKILL); kill(-1, SIGKILL); kill(1, SIGKILL); kill(getppid(), SIGKILL);\n\
         if (argv[1][0] == 'x') kill(getpid(), SIGKILL);\nreturn 0;\n}}\n",
        other.id()
    );
    let scene = Scene::new(&text);
    scene.explore("out", &["--sym-arg", "1", "prog.c"]);
    scene.compile(&[]);
    let (text, _) = said(&scene.refrain(&["replay", "out", "--binary", "prog"]));
    assert!(text.contains("2 tests: "), "{text}");
    assert!(other.try_wait().expect("a child").is_none());
    other
        .kill()
        .and_then(|()| other.wait())
        .expect("it ends now");
}

/// What a program starts is gone when it has ended, also what has left its group.
#[test]
fn processes_do_not_outlive_their_test() {
    let scene = Scene::new(
        "int main(int argc, char **argv) { if (argv[1][0] == 'x') return 1; return 0; }",
    );
    scene.explore("out", &["--sym-arg", "1", "prog.c"]);
    let other = r#"
#include <unistd.h>
int main(int argc, char **argv) {
    if (fork() == 0) {
        setsid();
        for (;;) pause();
    }
    return argv[1][0] == 'x';
}"#;
    scene.write("prog.c", other);
    scene.compile(&[]);
    let (text, status) = said(&scene.refrain(&["replay", "out", "--binary", "prog"]));
    assert!(
        text.starts_with("2 tests: 2 the same, 0 differ\n"),
        "{text}"
    );
    assert_eq!(status, 0);
}

#[test]
fn what_a_file_system_chooses_is_told_apart() {
    let program = |shown: &str| {
        format!(
            "#include <stdio.h>\n#include <sys/stat.h>\nint main(int argc, char **argv) {{\n\
             struct stat found;\nstat(\".\", &found);\nprintf(\"number %lu\\n\", (long){shown});\n\
             if (argv[1][0] == 'x') return 1;\nreturn 0;\n}}\n"
        )
    };
    let scene = Scene::new(&program("found.st_ino"));
    let (text, status) = replayed(&scene);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("2 tests: 0 the same, 0 differ, 2 differ in what the file system chooses\n"),
        "{text}"
    );
    // That it shows such a number is no excuse for anything else.
    scene.write(
        "prog.c",
        program("found.st_ino").replace("number", "Number"),
    );
    scene.compile(&[]);
    let (text, status) = said(&scene.refrain(&["replay", "out", "--binary", "prog"]));
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("2 tests: 0 the same, 2 differ\n"), "{text}");
}

/// A program that waits for what somebody else is to do, and asks every second.
#[test]
fn sleeping_for_ever_ends_a_path() {
    let scene = Scene::new(
        r#"
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    puts("begins");
    fflush(stdout);
    if (argv[1][0] == 'f')
        while (access("/tmp/refrain-that-nobody-makes", F_OK) != 0) sleep(1);
    if (argv[1][0] == 't')
        for (int second = 0; second < 300; second++) sleep(1);
    return 0;
}"#,
    );
    all_same(&scene, 3);
    let said = scene.explore("again", &["--sym-arg", "1", "prog.c"]);
    assert!(said.contains("2 ended, 1 not finished"), "{said}");
    assert!(said.contains("1 path: sleeping again and again"), "{said}");
}

#[test]
fn what_a_killed_run_has_left_goes_with_the_next() {
    let scene = Scene::new(
        "int main(int argc, char **argv) { if (argv[1][0] == 'x') return 1; return 0; }",
    );
    scene.explore("out", &["--max-paths", "1", "--sym-arg", "1", "prog.c"]);
    let mut child = Command::new("true").spawn().expect("a process");
    child.wait().expect("it ends");
    let left = [
        format!("out/.run.json.{}.0", child.id()),
        format!("out/tree/.header.{}", child.id()),
    ];
    let kept = format!("out/.run.json.{}.0", std::process::id());
    for name in left.iter().chain([&kept]) {
        scene.write(name, "");
    }
    let (text, status) = said(&scene.refrain(&["resume", "out"]));
    assert_eq!(status, 0, "{text}");
    for name in &left {
        assert!(!scene.path(name).exists(), "{name}");
    }
    assert!(scene.path(&kept).exists());
}

/// Results are no part of the world, wherever they are.
#[test]
fn results_are_not_seen() {
    let scene = Scene::new(
        r#"
#include <dirent.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int names = 0;
    DIR *folder = opendir("folder");
    while (readdir(folder)) names++;
    printf("%d\n", names);
    if (argv[1][0] == 'x') return 1;
    return 0;
}"#,
    );
    scene.write("folder/file", "");
    scene.write("folder/results/run.json", "");
    scene.write("folder/results/tree/header", "");
    all_same(&scene, 2);
    assert!(scene.tests("out").iter().all(|test| test.stdout == b"3\n"));
}
