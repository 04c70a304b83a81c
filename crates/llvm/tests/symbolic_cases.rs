//! Programs that were once answered wrongly, each as small as it got.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use support::check::{Setup, check_text};
use support::{compile, render};

/// Runs a function `u64 f0(void)` over all compilers and levels.
fn holds(text: &str) {
    let clangs = compile::clangs();
    let in_c = format!(
        "{}{text}\nint main0(void) {{ result = f0(); return 0; }}\nu64 (*const functions[])(void) = {{ f0 }};\n",
        render::PRELUDE
    );
    let text = if text.starts_with(';') { text } else { &in_c };
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let mut wrong = Vec::new();
    for clang in &clangs {
        for level in ["-O0", "-O1", "-O2"] {
            let setup = Setup {
                clang,
                level,
                directory: directory.path(),
                inputs: 60,
                options: Default::default(),
            };
            match check_text(&setup, text, 1, 1) {
                Ok((count, failures)) => {
                    eprintln!("{} {level}: {count:?}", clang.display());
                    if (count.programs, count.incomplete) != (1, 0) {
                        wrong.push(format!("{} {level}: not checked", clang.display()));
                    }
                    wrong.extend(
                        failures.into_iter().map(|failure| {
                            format!("{} {level}: {}", clang.display(), failure.what)
                        }),
                    );
                }
                Err(error) => wrong.push(error),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A program from a file, for looking into what the random ones found.
#[test]
fn from_a_file() {
    if let Some(path) = std::env::var_os("REFRAIN_SYMBOLIC_CASE") {
        holds(&std::fs::read_to_string(path).expect("a readable file"));
    }
}

/// A variable was not set, because what was stored in another one shared its slot.
#[test]
fn a_widened_variable_is_stored_in_another() {
    holds(
        "static __attribute__((noinline)) i64 h(i64 a, u8 b) { return MAX(u16, b, b) - (i64)b; }
         u64 f0(void) { return h(0, in[0]) + h(0, 1); }",
    );
}

/// A constant of 128 bits of which only the low half is not zero was taken for a negative one.
#[test]
fn the_low_half_of_a_wide_number() {
    holds(
        "u64 f0(void) { i128 x = (u128)in[0] << 64 | WSDIV(in[1]); return (u64)(x >> (in[2] & 127)) ^ WSHIFT(in[0], WSDIV(in[1]), in[2]); }",
    );
}

/// The address of a structure passed by value was taken for null.
#[test]
fn a_structure_by_value_at_a_symbolic_address() {
    holds(
        "u64 f0(void) { struct S s[4] = { { 1 }, { 2, 3, 4 }, { .w = in[2] }, { 5 } }; return byval_(s[in[0] & 3], in[1]); }",
    );
    holds(
        "u64 f0(void) { struct S s[4] = { { 1 }, { 2 } }; s[in[0] & 3].c = 7; return byval_(s[1], in[1]); }",
    );
}

/// A condition was stored as it was, without a width.
#[test]
fn memory_is_set_to_a_condition() {
    holds(
        "u64 f0(void) { u8 a[16]; memset(a, in[0] > 4, 1 + (in[2] & 7)); a[15] = 3; return a[0] + a[in[1] & 0] * 3; }",
    );
    holds("u64 f0(void) { u8 a[16]; memset(a, in[0] & 15, 16); return a[in[1] & 15] + a[3]; }");
}
