//! C and C++ that is edited somewhere else.

use super::build::{CLANGS, assert_same, compile, known, known_of, load};

/// The pieces of a program, in an order that any other may take the place of.
const HEAD: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <assert.h>
struct item { int kind; const char *name; struct item *next; double weight; };
struct flags { unsigned a : 3, b : 5; unsigned char rest[6]; };
union word { int i; float f; char bytes[4]; };
extern struct item first, second;
extern int *anonymous, *another;
int classify(int); const char *name_of(int); int walk(struct item *); int count(int); double average(int, ...);
int looked_up(unsigned); int shared(struct flags *, union word *); int checked(int *, int); int compared(const char *);
int called(int (*)(int), int); long sum_of(const int *, int); int apart(int); int jumps(int);
"#;

const PIECES: [&str; 15] = [
    r#"struct item first = {1, "first", &second, 0.5}, second = {2, "second", &first, 1.5};"#,
    r#"int *anonymous = &(int){41}, *another = &(int){41};"#,
    r#"int classify(int x) {
        switch (x) { case 1: return 5; case 2: puts("two"); return 9; case 77: return 3; }
        return x < 0 ? -1 : 0;
    }"#,
    r#"const char *name_of(int kind) {
        static const char *const names[] = {"none", "one", "two", "many"};
        if (kind < 0) return "negative";
        return kind < 3 ? names[kind] : "many";
    }"#,
    r#"int walk(struct item *item) {
        int length = 0;
        for (struct item *at = item; at && length < 10; at = at->next) {
            printf("%s %f\n", at->name, at->weight); length++;
        }
        return length + (item == &first);
    }"#,
    r#"int count(int by) {
        static int calls;
        { static int calls; calls += 2; by += calls; }
        { static int calls; calls += 3; by += calls; }
        calls += by;
        return calls;
    }"#,
    r#"double average(int n, ...) {
        va_list list; va_start(list, n);
        double all = 0;
        for (int i = 0; i < n; i++) all += va_arg(list, double);
        va_end(list);
        return n ? all / n : 0;
    }"#,
    r#"static int table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    int looked_up(unsigned x) { if (x >= 8) return -1; table[x]++; return table[x]; }"#,
    r#"int shared(struct flags *flags, union word *word) {
        struct flags copy = *flags;
        copy.b = word->i & 31; word->f += 1.5f;
        memset(copy.rest, word->bytes[1], sizeof copy.rest);
        return copy.a + copy.b + copy.rest[3];
    }"#,
    r#"int checked(int *at, int size) {
        assert(size > 0 && "a size"); assert(at[0]); return at[size - 1] % at[0];
    }"#,
    r#"int compared(const char *text) {
        if (strcmp(text, "abc") == 0) return 1; return strlen(text) > 3 ? atoi(text) : 2;
    }"#,
    r#"static int helper(int x) { return x * x + 1; }
    int called(int (*f)(int), int x) { if (x > 100) f = helper; return f(x) + helper(x); }"#,
    r#"long sum_of(const int *at, int n) {
        long s = 0; for (int i = 0; i < n; i++) s += at[i] ^ (long)i << 3; return s;
    }"#,
    r#"int apart(int x) { int a[4] = {9, 8, 7, 6}; a[x & 3] += *anonymous; return a[(x + 1) & 3] + *another; }"#,
    r#"int jumps(int x) {
        static void *const ways[] = {&&one, &&two, &&out};
        goto *ways[(unsigned)x % 3];
    one: x += 2; goto *ways[2];
    two: printf("two\n");
    out: return x;
    }"#,
];

const MAIN: &str = r#"
int main(int argc, char **argv) {
    int numbers[] = {3, 4, argc};
    struct flags flags = {1, 2, {0}};
    union word word = {.i = argc};
    return classify(argc) + !name_of(argc) + walk(&first) + count(1) + (int)average(2, 1.0, 2.0) + looked_up(argc)
        + shared(&flags, &word) + checked(numbers, 3) + compared(argv[0]) + called(classify, argc)
        + (int)sum_of(numbers, 3) + apart(argc) + jumps(argc);
}
"#;

fn program(pieces: &[&str]) -> String {
    let pieces: Vec<&str> = [HEAD].into_iter().chain(pieces.iter().copied()).collect();
    format!("{}\n{MAIN}", pieces.join("\n"))
}

/// Programs in which everything that the first has is there, untouched.
fn edits() -> Vec<(&'static str, String)> {
    let plain = program(&PIECES);
    let inserted = r#"
        static char *made_up[] = {"made", "up", "first"};
        static int before(int x) {
            static int calls = 7; puts("before"); printf("%s %d\n", made_up[x & 1], x); return calls += x;
        }
        int use_before(int x) { int t[] = {5, 6, 7}; return before(x) + t[x & 1] + *(int *)(void *)&(int){3}; }
        struct extra { char c; long l; } extra = {'x', 9};"#;
    let mut reversed = PIECES;
    reversed.reverse();
    let mut behind = PIECES.to_vec();
    behind.push(inserted);
    let mut before = vec![inserted];
    before.extend(PIECES);
    let mut between = PIECES.to_vec();
    between.insert(5, inserted);
    vec![
        ("nothing", plain.clone()),
        (
            "comments",
            format!("// one\n/* two\n   three */\n\n{plain}"),
        ),
        (
            "an include",
            format!("#include <math.h>\n#include <ctype.h>\n#include <errno.h>\n{plain}"),
        ),
        (
            "a global",
            format!(
                "int a_global = 5; char a_text[] = \"text\"; static struct {{ int a, b; }} pair = {{1, 2}}; void *used = &pair;\n{plain}"
            ),
        ),
        (
            "a string",
            format!("const char *a_string = \"a string\", *another_string = \"another\";\n{plain}"),
        ),
        ("a function before", program(&before)),
        ("a function between", program(&between)),
        ("a function behind", program(&behind)),
        ("another order", program(&reversed)),
    ]
}

#[test]
fn edits_elsewhere_leave_functions_alone() {
    for clang in CLANGS {
        for level in ["-O0", "-O1"] {
            let plain = known_of(&compile(clang, level, "program.c", &program(&PIECES)));
            for debug in ["", " -g"] {
                for (what, text) in edits() {
                    let options = format!("{level}{debug}");
                    let after = known_of(&compile(clang, &options, "program.c", &text));
                    let what = format!("{what} with {clang} {options}");
                    // Code is the same with and without debug information.
                    assert_same(&plain, &after, &[], &what);
                }
            }
        }
    }
}

/// Two halves of a program, each with functions and variables of the same name that nobody else sees.
const HALVES: [&str; 2] = [
    r#"#include <stdio.h>
    static int state = 1;
    static int helper(int x) { return x + state; }
    static int alike(int x) { return x ? x * 2 : printf("alike\n"); }
    int other(int x);
    __attribute__((weak)) int weakly(void) { return 1; }
    int main(int argc, char **argv) { return helper(argc) + alike(argc) + other(argc) + weakly(); }"#,
    r#"#include <stdio.h>
    static int state = 2;
    static int helper(int x) { return x ^ state; }
    static int alike(int x) { return x ? x * 2 : printf("alike\n"); }
    int other(int x) { return helper(x) - alike(x); }"#,
];

#[test]
fn the_order_of_modules_does_not_matter() {
    for clang in CLANGS {
        for options in ["-O0 -fno-inline", "-O1 -fno-inline"] {
            let one = compile(clang, options, "one.c", HALVES[0]);
            let two = compile(clang, options, "two.c", HALVES[1]);
            let first = known(&load(&[("a.bc", &one), ("b.bc", &two)]).0);
            let again = known(&load(&[("a.bc", &one), ("b.bc", &two)]).0);
            let turned = known(&load(&[("b.bc", &two), ("a.bc", &one)]).0);
            assert_eq!(first, again);
            assert_eq!(first, turned);
            let helpers = ["helper@one.c", "helper@two.c"].map(|symbol| first[symbol].hash);
            assert_ne!(helpers[0], helpers[1], "{clang} {options}");
            let alike = ["alike@one.c", "alike@two.c"].map(|symbol| first[symbol].hash);
            assert_eq!(alike[0], alike[1], "{clang} {options}");
        }
    }
}

const CPP: &str = r#"
struct base { virtual ~base() {} virtual int f(int x) { return x; } int z; base(int z) : z(z) {} };
struct derived : base { derived() : base(3) {} int f(int x) override { if (x > 3) throw x; return x + z; } };
extern "C" int opaque(int);
static int seed(int x) { return opaque(x) * 3; }
int started = seed(2);
derived global;
template <class F> int apply(F f, int x) { return x > 10 ? f(x) : f(x + 1); }
namespace { struct hidden { int v; int get() { static int calls = seed(4); return v + calls++; } }; }
int catches(base &b, int x) {
    hidden h{x}; try { return b.f(x) + h.get(); } catch (int i) { return i; } catch (...) { return 0; }
}
int lambdas(int x) {
    auto twice = [x](int y) { return x * y; }; return apply(twice, 3) + apply([](int y) { return y - 7; }, x);
}
int main(int argc, char **) { return catches(global, argc) + lambdas(argc) + started; }
"#;

#[test]
fn numbered_functions_are_known_by_their_code() {
    for clang in CLANGS {
        for level in ["-O0", "-O0 -g", "-O1 -fno-inline"] {
            let options = format!("{level} -x c++ -std=c++17");
            let plain = known_of(&compile(clang, &options, "program.cpp", CPP));
            let numbered = plain.keys().filter(|symbol| symbol.contains('#')).count();
            assert!(numbered >= 2, "{clang} {level}: {:?}", plain.keys());
            let before = r#"
                extern "C" int puts(const char *);
                static int early(int x) { puts("early"); return x - 1; }
                int sooner = early(5), later = early(sooner);
                int with_lambda(int x) {
                    auto add = [x](int y) { return x + y; }; return add(early(x)) + [](int z) { return z ^ 9; }(x);
                }"#;
            let edited = format!("{before}\n{CPP}");
            let after = known_of(&compile(clang, &options, "program.cpp", &edited));
            // This one calls all the others at start, and is another where there are more.
            assert_same(
                &plain,
                &after,
                &["_GLOBAL__sub_I_program.cpp"],
                &format!("{clang} {level}"),
            );
        }
    }
}
