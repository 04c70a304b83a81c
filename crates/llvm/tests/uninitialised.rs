//! `--check uninitialised`: uses of what nothing has written are errors, and nothing else is. Each case is a pair of
//! programs that differ in the use; MemorySanitizer is the oracle for both.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::process::Command;

use refrain_llvm::load::Options;
use support::explored::{HEADER, explore_with};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

struct Pair {
    name: &'static str,
    /// What both have.
    text: &'static str,
    bad: &'static str,
    good: &'static str,
    /// MemorySanitizer reports the bad one.
    has_oracle: bool,
}

const fn pair(
    name: &'static str,
    text: &'static str,
    bad: &'static str,
    good: &'static str,
) -> Pair {
    Pair {
        name,
        text,
        bad,
        good,
        has_oracle: true,
    }
}

/// What programs are made of: a use that no optimiser removes, and memory that it knows nothing about.
const COMMON: &str = "
    void *realloc(void *, unsigned long); unsigned long strlen(const char *);
    void *memmove(void *, const void *, unsigned long); int memcmp(const void *, const void *, unsigned long);
    long write(int, const void *, unsigned long); int printf(const char *, ...);
    int sprintf(char *, const char *, ...);
    __attribute__((noinline)) void seen(void) { __asm__ volatile(\"\"); result += 1; }
    __attribute__((noinline)) void *hidden(void *p) { __asm__ volatile(\"\" : \"+r\"(p)); return p; }
    __attribute__((noinline)) void *fresh(unsigned long size) { return hidden(malloc(size)); }
    volatile u64 sink;
";

const PAIRS: &[Pair] = &[
    pair(
        "a branch",
        "int main(void) { int *p = fresh(8); p[0] = 1;",
        "if (p[1] == 3) seen();",
        "if (p[0] == 3) seen();",
    ),
    pair(
        "a variable of the stack",
        "int main(void) { int a[4]; int *p = hidden(a); p[1] = 1;",
        "if (p[2] == 3) seen();",
        "if (p[1] == 3) seen();",
    ),
    pair(
        "a structure with padding, copied",
        "struct s { char c; int i; short h; };
         __attribute__((noinline)) void copy(struct s *to, struct s *from) { *to = *from; }
         int main(void) { struct s *a = fresh(sizeof *a), *b = fresh(sizeof *b); a->c = 1; a->h = 5; copy(b, a);",
        "if (b->i == 3) seen();",
        "if (b->c == 3 || b->h == 2) seen();",
    ),
    pair(
        "bit-fields",
        "struct s { unsigned a : 3, b : 7, c : 22; };
         int main(void) { struct s *s = fresh(sizeof *s); s->b = 99; struct s t = *s; struct s *u = hidden(&t);",
        "if (u->c == 1) seen();",
        "if (u->b == 99) seen(); u->c = 7; if (u->c == 8) seen();",
    ),
    pair(
        "a union",
        "union u { u32 i; u8 c[4]; }; int main(void) { union u *u = fresh(4); u->c[1] = 7;",
        "if (u->i == 0x700) seen();",
        "u->c[0] = u->c[3]; if (u->c[1] == 7) seen();",
    ),
    pair(
        "memcpy",
        "int main(void) { char *a = fresh(32), *b = fresh(32); memset(a, 1, 20); memcpy(b + 2, a, 30);",
        "if (b[22] == 1) seen();",
        "if (b[21] == 1) seen(); memmove(b, b + 2, 30); if (b[19] == 1) seen();",
    ),
    pair(
        "a loop that copies",
        "int main(void) { char *a = fresh(40), *b = fresh(40); a[3] = 1;
         for (int i = 0; i < 40; i++) b[i] = a[i];",
        "if (b[4] == 1) seen();",
        "if (b[3] == 1) seen();",
    ),
    pair(
        "realloc",
        "int main(void) { char *a = fresh(8); memset(a, 1, 8); a = hidden(realloc(a, 64));",
        "if (a[8] == 1) seen();",
        "if (a[7] == 1) seen();",
    ),
    pair(
        "a part of a word",
        "int main(void) { u8 *p = fresh(4); p[0] = 1; p[1] = 2; u32 w = *(u32 *)hidden(p);",
        "if (w & 0x10000) seen();",
        "if ((w & 0xffff) == 0x201) seen(); if ((u16)w == 5) seen(); if (w << 16 == 0x2010000) seen();",
    ),
    pair(
        "what is known decides",
        "int main(void) { u8 *p = fresh(4); p[0] = 1; u32 w = *(u32 *)hidden(p);",
        "if (w == 0x12345601) seen();",
        "if (w == 0x12345602) seen();",
    ),
    pair(
        "a calculation that is thrown away",
        "int main(void) { u32 *p = fresh(16); p[0] = 1; u32 sum = 0;
         for (int i = 0; i < 4; i++) sum = sum * 31 + (p[i] ^ sum >> 3);",
        "if (sum == 5) seen();",
        "sink = sum; p[1] = sum; p[1] = 4; if (p[1] == 5) seen();",
    ),
    pair(
        "an address",
        "u8 table[256]; int main(void) { u8 *p = fresh(2); p[0] = 1;",
        "sink = table[p[1]];",
        "sink = (u64)&table[p[1]]; sink = table[p[0]];",
    ),
    pair(
        "an address to write to",
        "static u8 table[256]; int main(void) { u8 *p = fresh(2); p[0] = 1; volatile u8 *t = hidden(table);",
        "t[p[1]] = 1;",
        "t[p[0]] = p[1];",
    ),
    pair(
        "output",
        "int main(void) { char *p = fresh(8); memset(p, 'a', 4);",
        "write(1, p, 5);",
        "write(1, p, 4);",
    ),
    pair(
        "a structure by value",
        "struct s { long a, b, c, d; };
         __attribute__((noinline)) int first(struct s s) { return s.a == 4; }
         __attribute__((noinline)) int third(struct s s) { return s.c == 4; }
         int main(void) { struct s *s = fresh(sizeof *s); s->a = 4;",
        "if (third(*s)) seen();",
        "if (first(*s)) seen();",
    ),
    pair(
        "a choice",
        "int main(void) { int *p = fresh(8); p[0] = 1; volatile int *c = hidden(fresh(4)); *c = 1;",
        "int x = *c ? p[1] : p[0]; if (x == 3) seen();",
        "int x = *c ? p[0] : p[1]; if (x == 3) seen();",
    ),
    pair(
        "strings",
        "int main(void) { char *p = fresh(8); p[0] = 'a'; p[1] = 'b';",
        "sink = strlen(p);",
        "p[2] = 0; sink = strlen(p);",
    ),
    pair(
        "a switch",
        "int main(void) { int *p = fresh(8); p[0] = 1; int x;",
        "x = p[1]; switch (x) { case 1: seen(); case 7: seen(); case 100: sink = 4; case 2000: seen(); }",
        "x = p[0]; switch (x) { case 1: seen(); case 7: seen(); case 100: sink = 4; case 2000: seen(); }",
    ),
    pair(
        "memcmp",
        "int main(void) { char *a = fresh(8), *b = fresh(8); memset(a, 1, 8); memset(b, 1, 4);",
        "if (memcmp(a, b, 8)) seen();",
        "if (memcmp(a, b, 4)) seen();",
    ),
    pair(
        "division",
        "int main(void) { u32 *p = fresh(8); p[0] = 3;",
        "sink = p[0] / p[1];",
        "sink = p[1] / p[0];",
    ),
    pair(
        "floats",
        "struct s { float f; double d; }; int main(void) { struct s *s = fresh(sizeof *s); s->f = 1; struct s t = *s;",
        "double x = s->d * 2 + s->f; if (x > 4) seen();",
        "double x = t.d * 2 + t.f; *(volatile double *)&sink = x; if (t.f > 4) seen();",
    ),
    pair(
        "a word that is shifted together",
        "int main(void) { u8 *p = fresh(4); p[0] = 1; p[2] = 2;",
        "u32 w = p[0] | p[1] << 8 | p[2] << 16; if (w == 0x20001) seen();",
        "u32 w = p[0] | p[1] << 8 | p[2] << 16; if ((u8)w == 1) seen(); if (w >> 16 == 2) seen();",
    ),
    pair(
        "comparison of what is known above",
        "int main(void) { u8 *p = fresh(4); p[3] = 1; p[2] = 0; p[1] = 0; u32 w = *(u32 *)hidden(p);",
        "if (w < 0x1000010) seen();",
        "if (w < 0x1000000) seen();",
    ),
    Pair {
        has_oracle: false,
        ..pair(
            "the exit status",
            "int main(void) { int *p = fresh(8); p[0] = 0;",
            "return p[1];",
            "return p[0];",
        )
    },
    Pair {
        has_oracle: false,
        ..pair(
            "formatted output",
            "int main(void) { int *p = fresh(8); p[0] = 0; char *text = fresh(40);",
            "printf(\"%d %d\\n\", p[0], p[1]);",
            "sprintf(text, \"%d\", p[0]); printf(\"%d %s\\n\", p[0], text);",
        )
    },
    // A carry: MemorySanitizer takes each bit of a sum for itself.
    Pair {
        has_oracle: false,
        ..pair(
            "a carry",
            "int main(void) { u8 *p = fresh(2); p[1] = 1; u16 w = *(u16 *)hidden(p);",
            "if ((u16)(w + 0x80) >> 8 == 1) seen();",
            "if ((u16)(w + 0x100) >> 8 == 2) seen();",
        )
    },
];

/// Names of one pair that others have too.
const OWN_NAMES: [&str; 7] = ["main", "s", "u", "copy", "first", "third", "table"];

/// A pair's program under names of its own.
fn renamed(text: &str, number: usize) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match rest.find(|c| !is_of_name(c)) {
            Some(0) => c.len_utf8(),
            end => end.unwrap_or(rest.len()),
        };
        renamed.push_str(&rest[..end]);
        if OWN_NAMES.contains(&&rest[..end]) {
            renamed.push_str(&format!("_{number}"));
        }
        rest = &rest[end..];
    }
    renamed
}

/// All pairs as one program: the bad ones have even numbers. `start` says which number runs.
fn all_pairs(start: &str) -> String {
    let mut text = COMMON.to_string();
    let mut calls = String::new();
    let cases = PAIRS
        .iter()
        .flat_map(|pair| [(pair, pair.bad), (pair, pair.good)]);
    for (number, (pair, rest)) in cases.enumerate() {
        let own = format!("{}\n{rest}\nreturn 0; }}\n", pair.text);
        let own = own.replace("int main", "__attribute__((noinline)) int main");
        text += &renamed(&own, number);
        calls += &format!("case {number}: return main_{number}();\n");
    }
    format!("{text}\n{start} {{ {calls} }} return 0; }}")
}

fn options() -> Options {
    Options {
        check_uninitialised: true,
        keep_variables_in_memory: true,
        ..Options::default()
    }
}

#[test]
fn uses_are_found_and_copies_are_silent() {
    let start = "int main(void) { u8 x; klee_make_symbolic(&x, 1, \"x\"); switch (x)";
    for level in LEVELS {
        let explored = explore_with(&all_pairs(start), level, 1, options());
        let mut wrong = Vec::new();
        for (index, pair) in PAIRS.iter().enumerate() {
            let paths = [2 * index as u8, 2 * index as u8 + 1].map(|x| explored.taken(&[x]));
            let found = paths.map(|path| path.error().or(path.exits().then_some("nothing")));
            if found != [Some("uninitialised read"), Some("nothing")] {
                wrong.push(format!("{} at {level}: {found:?}", pair.name));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn memory_sanitizer_agrees() {
    const REPORT: &str = "MemorySanitizer: use-of-uninitialized-value";
    let start = "int atoi(const char *); int main(int c, char **v) { switch (atoi(v[1]))";
    let clang = refrain_testing::program("clang-14");
    let directory = tempfile::tempdir().unwrap();
    let (source, binary) = (directory.path().join("p.c"), directory.path().join("p"));
    std::fs::write(&source, format!("{HEADER}{}", all_pairs(start))).unwrap();
    let flags = [
        "-fsanitize=memory",
        "-fno-builtin",
        "-w",
        "-O0",
        "-std=gnu2x",
    ];
    let mut compiling = Command::new(&clang);
    compiling.args(flags).arg(&source).arg("-o").arg(&binary);
    assert!(compiling.status().unwrap().success());
    let reports = |number: usize| {
        let output = Command::new(&binary).arg(number.to_string()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some(), "{said}");
        said.contains(REPORT)
    };
    for (index, pair) in PAIRS.iter().enumerate() {
        assert!(!reports(2 * index + 1), "{}", pair.name);
        if pair.has_oracle {
            assert!(reports(2 * index), "{}", pair.name);
        }
    }
}

/// Which inputs lead to a use, by trying all of them.
#[test]
fn what_is_used_may_depend_on_input() {
    let text = format!(
        "{COMMON}
        int main(void) {{
            u8 x; klee_make_symbolic(&x, 1, \"x\");
            u8 *p = fresh(8);
            for (int i = 0; i < (x & 7); i++) p[i] = i;
            u8 y = p[x >> 3 & 7];
            if ((y & (x & 64 ? 0 : 255)) == 3) seen();
            return 0;
        }}"
    );
    for level in LEVELS {
        let explored = explore_with(&text, level, 1, options());
        for x in 0..=255u8 {
            let (written, read) = (x & 7, x >> 3 & 7);
            let is_used = read >= written && x & 64 == 0;
            let expected = is_used.then_some("uninitialised read");
            assert_eq!(explored.taken(&[x]).error(), expected, "{x} at {level}");
            if !is_used {
                let seen = read == 3 && x & 64 == 0;
                assert_eq!(explored.result(&[x]), u64::from(seen), "{x} at {level}");
            }
        }
    }
}
