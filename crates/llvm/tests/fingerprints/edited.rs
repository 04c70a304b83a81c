//! C functions that are edited: exactly the blocks that were touched have other hashes.

use super::build::{CLANGS, assert_same, compile, has, known_of};

/// Every branch calls a function, so that the blocks are the same at every level.
const TEXT: &str = r#"
struct pair { int a; int b; };
struct node { int value; struct node *next; };
extern void sink(long); extern void drain(long); extern void last(void); extern int table_of(const int *, int);
extern int puts(const char *); extern void takes(void *);
extern struct node left, right;
int setting = 4;
static int counter = 3;
static const int table[4] = {1, 2, 3, 4};
static const char *const words[3] = {"zero", "one", "two"};
struct node left = {10, &right}, right = {20, &left};
__attribute__((noinline)) static int square(int x) { if (x == setting) last(); return x * x; }
int subject(int a, int b, struct pair *p) {
    if (a > 10) {
        sink(a + 7);
    } else if (b == 3) {
        drain(p->b);
    } else if (b == 4) {
        puts(words[a & 1]);
    } else if (b == 5) {
        takes(&left);
    } else if (b == 6) {
        sink(setting);
    } else if (b == 7) {
        sink(table_of(table, a));
    } else if (b == 8) {
        counter += a; sink(counter);
    } else {
        drain((unsigned)a / 3u);
    }
    last();
    return square(a);
}
int bystander(int a) { if (a) sink(table_of(0, 2) + square(a)); else puts("bystander"); return a; }
"#;

/// What is replaced, by what, and the blocks of `subject` that it is in.
type Edit = (&'static str, &'static str, &'static [usize]);

/// The blocks: 0 compares, 1 is the first branch, then a comparison and a branch in turn; 15 is the last branch.
const EDITS: &[Edit] = &[
    ("a > 10", "a > 11", &[0]),
    ("a > 10", "a >= 10", &[0]),
    ("sink(a + 7)", "sink(a + 8)", &[1]),
    ("sink(a + 7)", "sink(a - 7)", &[1]),
    ("sink(a + 7)", "sink(b + 7)", &[1]),
    ("sink(a + 7)", "sink((int)((unsigned)a + 7))", &[1]),
    ("sink(a + 7)", "drain(a + 7)", &[1]),
    ("sink(a + 7)", "sink((long)a + 7)", &[1]),
    ("b == 3", "b == 33", &[2]),
    ("b == 3", "a == 3", &[2]),
    (
        "struct pair { int a; int b; }",
        "struct pair { long a; int b; }",
        &[3],
    ),
    (
        "struct pair { int a; int b; }",
        "struct pair { int a; short b; }",
        &[3],
    ),
    ("drain(p->b)", "drain(p->a)", &[3]),
    ("drain(p->b)", "drain(*(volatile int *)&p->b)", &[3]),
    ("\"zero\"", "\"none\"", &[5]),
    ("\"two\"", "\"tow\"", &[5]),
    ("{20, &left}", "{21, &left}", &[7]),
    ("{20, &left}", "{20, &right}", &[7]),
    (
        "struct node { int value;",
        "struct node { unsigned short value;",
        &[7],
    ),
    ("takes(&left)", "takes(&right)", &[7]),
    ("takes(&left)", "takes(&left.next)", &[7]),
    ("int setting = 4", "int setting = 5", &[9]),
    ("{1, 2, 3, 4}", "{1, 2, 3, 5}", &[11]),
    ("static const int table", "static int table", &[11]),
    ("counter = 3", "counter = 2", &[13]),
    ("counter += a", "counter -= a", &[13]),
    ("(unsigned)a / 3u", "a / 3", &[14]),
    ("(unsigned)a / 3u", "(unsigned)a % 3u", &[14]),
];

#[test]
fn edits_change_the_blocks_they_touch() {
    for clang in CLANGS.into_iter().filter(|clang| has(clang)) {
        for options in ["-O0", "-O1 -fno-jump-tables"] {
            let plain = known_of(&compile(clang, options, "program.c", TEXT));
            for &(from, to, touched) in EDITS {
                let what = format!("{from} is {to} with {clang} {options}");
                assert_eq!(TEXT.matches(from).count(), 1, "{from}");
                let text = TEXT.replace(from, to);
                let after = known_of(&compile(clang, options, "program.c", &text));
                let others: &[&str] = match from {
                    // Also read by another function.
                    "int setting = 4" => &["subject", "square"],
                    _ => &["subject"],
                };
                assert_same(&plain, &after, others, &what);
                let (before, after) = (&plain["subject"], &after["subject"]);
                assert_ne!(before.hash, after.hash, "{what}");
                if options == "-O0" {
                    assert_eq!(before.blocks.len(), after.blocks.len(), "{what}");
                    let blocks = before.blocks.iter().zip(&after.blocks);
                    let changed: Vec<usize> = blocks
                        .enumerate()
                        .filter(|(_, (before, after))| before != after)
                        .map(|(block, _)| block)
                        .collect();
                    assert_eq!(changed, touched, "{what}");
                }
            }
        }
    }
}
