//! The behaviours of all paths against those of the native program on every input that there is.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use crate::programs::{FILES, OPTIONS, READER};
use crate::scene::{Behaviour, Scene};

/// What a program does on every world, by calling its `main` again and again in one process. `worlds` is C code that
/// calls `one(argc, argv, stdin, length)` for each.
fn natively(program: &str, worlds: &str) -> BTreeSet<Behaviour> {
    let scene = Scene::new(&format!(
        r#"
#define main program_main
{program}
#undef main
#include <stdint.h>
#include <sys/wait.h>
static unsigned char seen[1 << 16][64];
static int kinds;
static int program_in_world(int argc, char **argv) {{
    return {call};
}}
static void one(int argc, char **argv, const char *text, size_t length) {{
    int ends[2], output[2], status;
    if (pipe(ends) || pipe(output)) _exit(99);
    if (write(ends[1], text, length) != (ssize_t)length) _exit(99);
    close(ends[1]);
    argv[argc] = 0;
    pid_t child = vfork_or_fork();
    if (child == 0) {{
        dup2(ends[0], 0);
        dup2(output[1], 1);
        close(output[0]), close(output[1]), close(ends[0]);
        int status = program_in_world(argc, argv);
        fflush(stdout);
        _exit(status);
    }}
    close(ends[0]), close(output[1]);
    unsigned char found[64] = {{0}};
    size_t at = 1;
    for (ssize_t got; (got = read(output[0], found + at, sizeof found - at - 1)) > 0;) at += got;
    close(output[0]);
    waitpid(child, &status, 0);
    found[0] = WEXITSTATUS(status) + 1;
    for (int i = 0; i < kinds; i++) if (!memcmp(seen[i], found, sizeof found)) return;
    memcpy(seen[kinds++], found, sizeof found);
    printf("%d ", WEXITSTATUS(status));
    for (size_t i = 1; found[i]; i++) printf("%02x", found[i]);
    puts("");
    fflush(stdout);
}}
int main(void) {{
    char name[] = "prog.c", a[8] = {{0}}, b[8] = {{0}}, text[8] = {{0}}, *argv[4] = {{name, a, b, 0}};
    setvbuf(stdout, 0, _IOFBF, 1 << 16);
    {worlds}
    return 0;
}}
"#,
        program = program.replace(
            "#include <stdio.h>",
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
             #include <sys/types.h>\n#define vfork_or_fork fork"
        ),
        call = match program.contains("main(void)") {
            true => "program_main()",
            false => "program_main(argc, argv)",
        }
    ));
    scene.compile(&["-O1"]);
    let ran = Command::new(scene.path("prog"))
        .current_dir(scene.path(""))
        .output()
        .expect("it runs");
    assert!(ran.status.success(), "{ran:?}");
    let lines = String::from_utf8(ran.stdout).expect("text");
    let behaviour = |line: &str| {
        let (status, text) = line.split_once(' ').expect("two parts");
        let text = refrain_results::unhex(text).expect("hexadecimal");
        (status.parse().expect("a number"), text)
    };
    lines.lines().map(behaviour).collect()
}

/// Bytes that stand for all: those that the programs know, those next to them, and some others.
fn bytes() -> Vec<u8> {
    let mut bytes: BTreeSet<u8> = [0, 1, 9, 10, 31, 32, 47, 57, 58, 127, 128, 255].into();
    for known in b"-lw#!09Axv" {
        bytes.extend([known - 1, *known, known + 1]);
    }
    bytes.into_iter().collect()
}

fn list(bytes: &[u8]) -> String {
    let mut text = String::from("static const unsigned char all[] = {");
    for byte in bytes {
        let _ = write!(text, "{byte},");
    }
    text + "}; int n = sizeof all;"
}

/// Every way to explore finds the same.
const WAYS: [&[&str]; 5] = [
    &[],
    &["--mode", "concolic"],
    &["--jobs", "3"],
    &["--search", "dfs", "--reuse", "baseline"],
    &["--mode", "concolic", "--search", "cover-new", "--seed", "7"],
];

fn explored(program: &str, world: &[&str], expected: &BTreeSet<Behaviour>) {
    for (number, way) in WAYS.iter().enumerate() {
        let scene = Scene::new(program);
        let words: Vec<&str> = { world.iter().chain(*way).copied() }
            .chain(["--complete", "prog.c"])
            .collect();
        scene.explore("out", &words);
        assert_eq!(scene.behaviours("out"), *expected, "{words:?}");
        if number == 0 {
            let certified = scene.refrain(&["certify", "out", "--recheck"]);
            assert!(certified.status.success(), "{certified:?}");
        }
    }
}

#[test]
fn arguments() {
    let worlds = format!(
        "{} one(1, argv, \"\", 0); \
         for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ \
             a[0] = all[i], a[1] = all[j]; argv[1] = a; one(2, argv, \"\", 0); }} \
         for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ \
             if (!strchr(\"-lwA\", all[i] ? all[i] : 'Z')) continue; \
             a[0] = all[i], a[1] = all[j]; \
             for (int k = 0; k < n; k++) for (int l = 0; l < n; l++) {{ \
                 if (!strchr(\"-lwA\", all[k] ? all[k] : 'Z') || !strchr(\"lwAx\", all[l])) continue; \
                 b[0] = all[k], b[1] = all[l]; argv[2] = b; one(3, argv, \"\", 0); }} }}",
        list(&bytes())
    );
    let expected = natively(OPTIONS, &worlds);
    assert!(expected.len() > 10, "{expected:?}");
    explored(OPTIONS, &["--sym-args", "0", "2", "2"], &expected);
}

#[test]
fn standard_input() {
    let worlds = format!(
        "{} one(1, argv, text, 0); \
         for (int i = 0; i < n; i++) {{ text[0] = all[i]; one(1, argv, text, 1); \
             for (int j = 0; j < n; j++) {{ text[1] = all[j]; one(1, argv, text, 2); }} }}",
        list(&bytes())
    );
    let expected = natively(READER, &worlds);
    assert_eq!(expected.len(), 7, "{expected:?}");
    explored(READER, &["--sym-stdin", "0..2"], &expected);
    // Of two bytes, nothing ends early.
    let whole = expected
        .iter()
        .filter(|(status, text)| *status != 1 && text != b"half\n");
    explored(READER, &["--sym-stdin", "2"], &whole.cloned().collect());
}

/// What `argp` makes of two words.
#[test]
fn arguments_by_argp() {
    let program = r#"
#include <stdio.h>
#include <argp.h>
static const struct argp_option options[] = {
    {"list", 'l', 0, 0, "", 0}, {"word", 'w', "N", 0, "", 0}, {"x", 'x', "M", OPTION_ARG_OPTIONAL, "", 0}, {0}};
static int lists, words, others, args, length;
static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case 'l': lists++; break;
    case 'w': words++; length += arg[0] != 0; break;
    case 'x': others += arg ? 2 : 1; break;
    case ARGP_KEY_ARG: args++; return state->arg_num > 0 && arg[0] == '-' ? ARGP_ERR_UNKNOWN : 0;
    case ARGP_KEY_NO_ARGS: args = 9; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}
int main(int argc, char **argv) {
    struct argp argp = {options, parse, 0, 0, 0, 0, 0};
    int error = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_EXIT, 0, 0);
    printf("%d: %d %d %d %d %d\n", error, lists, words, others, args, length);
    return 0;
}
"#;
    let worlds = format!(
        "{} one(1, argv, \"\", 0); \
         for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ \
             a[0] = all[i], a[1] = all[j]; argv[1] = a; one(2, argv, \"\", 0); \
             if (!strchr(\"-xA\", a[0] ? a[0] : 'Z') || !strchr(\"-lwxAV?\", a[1])) continue; \
             for (int k = 0; k < n; k++) for (int l = 0; l < n; l++) {{ \
                 if (!strchr(\"-A\", all[k]) || !strchr(\"-lwxAV?\", all[l])) continue; \
                 b[0] = all[k], b[1] = all[l]; argv[2] = b; one(3, argv, \"\", 0); }} }}",
        list(&[0, b'-', b'l', b'w', b'x', b'A', b'V', b'?', b'=', 200])
    );
    let expected = natively(program, &worlds);
    assert_eq!(expected.len(), 16, "{expected:?}");
    let scene = Scene::new(program);
    scene.explore(
        "out",
        &["--sym-args", "0", "2", "2", "--complete", "prog.c"],
    );
    assert_eq!(scene.behaviours("out"), expected);
}

/// What a shell makes of three characters.
#[test]
fn words_of_a_shell() {
    const SPECIAL: &[u8] = b"\0 \t\n'\"\\$`{}()[].<|~*:=#a/\x80";
    let program = r#"
#include <stdio.h>
#include <wordexp.h>
int main(int argc, char **argv) {
    wordexp_t words;
    if (argc < 2) return 3;
    setenv("HOME", "/h", 1);
    mkdir("empty", 0700), chdir("empty");
    int error = wordexp(argv[1], &words, WRDE_NOCMD), length = 0;
    for (size_t i = 0; !error && i < words.we_wordc; i++) length += strlen(words.we_wordv[i]);
    printf("%d %d %d\n", error, error ? 0 : (int)words.we_wordc, length);
    return 0;
}
"#;
    let program = program.replace("<stdio.h>\n", "<stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n");
    let worlds = format!(
        "{} for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) {{ \
             if (!strchr(\"'\\\"\\\\$~. \", all[i] ? all[i] : 'Z') && (j > 6 && k > 6)) continue; \
             a[0] = all[i], a[1] = all[j], a[2] = all[k]; argv[1] = a; \
             if (strstr(a, \"$$\") || strstr(a, \"$#\") || strstr(a, \"$*\")) continue; \
             one(2, argv, \"\", 0); }}",
        list(SPECIAL)
    );
    let mut expected = natively(&program, &worlds);
    // On a few texts the host's function crashes: nothing is written.
    expected.retain(|(_, text)| !text.is_empty());
    assert!(expected.len() > 10, "{expected:?}");
    let scene = Scene::new(&program);
    // Other names than `a` are not set either; `$1` and the like are the program's arguments, which are left out.
    scene.explore("out", &["--sym-arg", "3", "--max-time", "20", "prog.c"]);
    let missing: Vec<_> = expected.difference(&scene.exits("out")).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
    let invented = |test: &refrain_results::Test| match test.outcome {
        // What is in the host's root is none of this.
        refrain_results::Outcome::Exit { status, .. } if !test.args[1].starts_with(b"/") => {
            !expected.contains(&(status & 0xff, test.stdout.clone()))
        }
        _ => false,
    };
    let invented: Vec<_> = scene.tests("out").into_iter().filter(invented).collect();
    assert!(invented.is_empty(), "{invented:?}");
}

/// Names of standard input lead to it.
#[test]
fn standard_input_by_name() {
    for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        let program = READER.replace(
            "int c = getchar();",
            &format!("if (!freopen(\"{name}\", \"r\", stdin)) return 6;\n    int c = getchar();"),
        );
        let worlds = format!(
            "{} one(1, argv, text, 0); \
             for (int i = 0; i < n; i++) {{ text[0] = all[i]; one(1, argv, text, 1); \
                 if (all[i] == '#') for (int j = 0; j < n; j++) {{ text[1] = all[j]; one(1, argv, text, 2); }} }}",
            list(&bytes())
        );
        let expected = natively(&program, &worlds);
        assert_eq!(expected.len(), 7, "{expected:?}");
        let scene = Scene::new(&program);
        scene.explore("out", &["--sym-stdin", "0..2", "--complete", "prog.c"]);
        assert_eq!(scene.behaviours("out"), expected, "{name}");
    }
}

#[test]
fn files_and_environment() {
    let worlds = format!(
        "{} for (int set = 0; set < 2; set++) for (int size = 0; size < 3; size++) \
         for (int i = 0; i < (size ? n : 1); i++) for (int j = 0; j < (size > 1 ? n : 1); j++) \
         for (int named = 0; named < 3; named++) {{ \
             if (named && (i || j)) continue; \
             setenv(\"MODE\", set ? \"v\" : \"w\", 1); \
             FILE *file = fopen(\"A\", \"w\"); text[0] = all[i], text[1] = all[j]; \
             fwrite(text, 1, size, file); fclose(file); \
             strcpy(a, named == 0 ? \"A\" : named == 1 ? \"B\" : \"\"); argv[1] = a; \
             one(2, argv, \"\", 0); }}",
        list(&bytes())
    );
    let expected = natively(FILES, &worlds);
    assert!(expected.len() >= 10, "{expected:?}");
    let world = [
        "--sym-arg",
        "1",
        "--sym-file",
        "A=0..2",
        "--sym-env",
        "MODE=1",
    ];
    explored(FILES, &world, &expected);
}

/// Lengths are asked about when the program looks, and no earlier.
#[test]
fn what_is_not_looked_at_makes_no_paths() {
    let text = r#"
#include <stdio.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    close(open("A", O_RDONLY));
    if (isatty(0)) return 3;
    return argc > 1 && argv[1][0] == 'x' ? getchar() == EOF : 0;
}"#;
    let scene = Scene::new(text);
    let words = [
        "--sym-arg",
        "1",
        "--sym-stdin",
        "0..5",
        "--sym-files",
        "2",
        "0..9",
        "prog.c",
    ];
    scene.explore("out", &words);
    // One without an x, and with it one for each of no bytes and some: getchar reads all that there is.
    assert_eq!(scene.tests("out").len(), 1 + 6);
}
