//! The shape of the bitcode: what it needs, and what it calls.

use super::*;

/// The name after the first `@` of a line that defines, declares or calls; one with a `$` is quoted.
fn name(line: &str) -> Option<&str> {
    let rest = &line[line.find('@')? + 1..];
    let name = rest.split(['(', ' ', ',']).next()?;
    Some(name.trim_matches('"'))
}

#[test]
fn the_bitcode_needs_only_what_the_machine_supplies() {
    assert_eq!(&BITCODE[..4], b"BC\xc0\xde");
    let supplied: BTreeSet<&str> = "__refrain_parse_ld malloc realloc free memcpy memmove memset read write lseek \
        close unlink rmdir time abort _exit __chk_fail __refrain_open __refrain_tmpfile \
        __refrain_parse_f64 __refrain_parse_f32 __refrain_raise __refrain_unsupported __refrain_division_by_zero \
        __refrain_division_overflow __refrain_set_jump \
        __refrain_long_jump __refrain_thread_switch __refrain_thread_leave __refrain_thread_unwinds getpid \
        __refrain_clock_sleep clock_gettime __refrain_is_symbolic __refrain_compared_len __refrain_compare opendir \
        readdir closedir stat lstat mktemp dup2 chdir fchdir getuid"
        .split_whitespace()
        .collect();
    let mut declared = BTreeSet::new();
    for line in LISTING.lines() {
        if line.starts_with("declare") {
            declared.insert(name(line).unwrap());
        }
        assert!(!line.contains(" alias "), "{line}");
        assert!(
            !(line.starts_with('@') && line.contains(" external ")),
            "{line}"
        );
    }
    let foreign: Vec<_> = declared
        .iter()
        .filter(|name| !supplied.contains(*name) && !name.starts_with("llvm."))
        .collect();
    assert!(foreign.is_empty(), "undefined: {foreign:?}");
}

#[test]
fn the_bitcode_calls_nothing_a_program_may_replace() {
    let exported: BTreeSet<&str> = LISTING
        .lines()
        .filter(|line| line.starts_with("define") && !line.starts_with("define internal"))
        .map(|line| name(line).unwrap())
        .collect();
    assert!(exported.len() > 450, "{}", exported.len());
    for needed in [
        "strlen",
        "qsort",
        "strtod",
        "exit",
        "fwrite",
        "getopt_long",
        "strftime",
    ] {
        assert!(exported.contains(needed), "{needed}");
    }
    let mut inside = "";
    for line in LISTING.lines() {
        if line.starts_with("define") {
            inside = name(line).unwrap();
        } else if line.contains("call ") && line.contains('@') {
            let called = name(line).unwrap();
            let private = called.starts_with("__refrain_") || called == inside;
            assert!(
                private || !exported.contains(called),
                "{inside} calls {called}"
            );
            // A loop must not have become a call of itself.
            assert!(called != inside || inside == "tdestroy" || inside.starts_with("_ZN"));
        }
    }
}
