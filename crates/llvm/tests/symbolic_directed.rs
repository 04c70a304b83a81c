//! What the machine does with symbolic values, one feature at a time.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::cmp::Ordering;

use refrain_llvm::load::Options;
use support::explored::{explore, explore_with};
use support::random::Random;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// Explores at every level.
macro_rules! at_every_level {
    ($text:expr, $bytes:expr, |$explored:ident, $level:ident| $check:block) => {
        for $level in LEVELS {
            let $explored = explore($text, $level, $bytes);
            $check
        }
    };
}

/// What instructions compute is known as assigned: names on solver processes come from there.
#[test]
fn what_a_program_computes_is_assigned() {
    let text = "
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\");
            u32 product = x[0] * 5u, total = product + x[1];
            if (total % 7 == 3) result = 1;
            return 0;
        }";
    at_every_level!(text, 2, |explored, level| {
        assert_eq!(explored.paths.len(), 2);
        // Of 11 and 4: the product, the total, and what is left of it.
        for value in [55, 59, 3] {
            let computed = explored.assigned(&[11, 4]);
            assert!(
                computed.contains(&value),
                "{value} in {computed:?}, {level}"
            );
        }
    });
}

#[test]
fn a_table_is_read_at_a_symbolic_index() {
    let text = "
        #define R(n) (u16)((n) * 7919 % 1000), (u16)(((n) + 1) * 7919 % 1000), (u16)(((n) + 2) * 7919 % 1000), (u16)(((n) + 3) * 7919 % 1000)
        #define R16(n) R(n), R((n) + 4), R((n) + 8), R((n) + 12)
        #define R64(n) R16(n), R16((n) + 16), R16((n) + 32), R16((n) + 48)
        static const u16 table[256] = { R64(0), R64(64), R64(128), R64(192) };
        int main(void) { u8 x; klee_make_symbolic(&x, 1, \"x\"); result = table[x]; return 0; }";
    at_every_level!(text, 1, |explored, _level| {
        assert_eq!(explored.paths.len(), 1);
        for x in 0..=255u8 {
            assert_eq!(explored.result(&[x]), u64::from(x) * 7919 % 1000);
        }
    });
}

#[test]
fn a_write_at_a_symbolic_index_is_seen() {
    let text = "
        int main(void) {
            u8 x[3]; klee_make_symbolic(x, 3, \"x\");
            u8 a[16]; for (int k = 0; k < 16; k++) a[k] = k;
            a[x[0] & 15] = x[2]; a[5] = 77; a[x[1] & 15] += 1;
            result = (u32)a[3] << 24 | a[5] << 16 | a[x[0] & 15] << 8 | a[x[1] & 15];
            return 0;
        }";
    at_every_level!(text, 3, |explored, _level| {
        assert_eq!(explored.paths.len(), 1);
        for x in 0..16u8 {
            for y in 0..16u8 {
                let mut a: Vec<u8> = (0..16).collect();
                a[usize::from(x)] = 200;
                a[5] = 77;
                a[usize::from(y)] += 1;
                let expected = [a[3], a[5], a[usize::from(x)], a[usize::from(y)]];
                assert_eq!(
                    explored.result(&[x | 16, y | 128, 200]),
                    u64::from(u32::from_be_bytes(expected)),
                    "{x} {y}"
                );
            }
        }
    });
}

#[test]
fn overlapping_accesses_of_several_widths() {
    let text = "
        int main(void) {
            u8 x[4]; klee_make_symbolic(x, 4, \"x\");
            u8 a[32]; for (int k = 0; k < 32; k++) a[k] = k * 7;
            u32 word = 0xa1b2c3d4 ^ x[3]; u16 half; u64 wide;
            memcpy(a + (x[0] & 15), &word, 4);
            memcpy(&half, a + (x[1] & 15), 2);
            a[8] = x[2];
            memcpy(&wide, a + 4, 8);
            result = wide ^ (u64)half << 48;
            return 0;
        }";
    at_every_level!(text, 4, |explored, _level| {
        for round in 0..256u32 {
            let (x, y, z, w) = (round as u8 & 15, (round >> 4) as u8 & 15, 99, 17);
            let mut a: Vec<u8> = (0..32u8).map(|k| k.wrapping_mul(7)).collect();
            a[usize::from(x)..][..4]
                .copy_from_slice(&(0xa1b2_c3d4u32 ^ u32::from(w)).to_le_bytes());
            let half = u16::from_le_bytes([a[usize::from(y)], a[usize::from(y) + 1]]);
            a[8] = z;
            let wide = u64::from_le_bytes(a[4..12].try_into().expect("eight bytes"));
            assert_eq!(
                explored.result(&[x, y, z, w]),
                wide ^ u64::from(half) << 48,
                "{x} {y}"
            );
        }
    });
}

#[test]
fn a_pointer_to_one_of_several_objects() {
    let text = "
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\"); klee_assume(x[0] < 4);
            u32 *p[4]; for (int k = 0; k < 4; k++) { p[k] = malloc(8 + 4 * k); p[k][0] = 100 * k; p[k][1] = k; }
            p[x[0]][x[1] & 1] += 5;
            for (int k = 0; k < 4; k++) result = result * 1000 + p[k][0] * 2 + p[k][1];
            return 0;
        }";
    at_every_level!(text, 2, |explored, _level| {
        assert_eq!(explored.exits(), 4);
        assert!(explored.errors().is_empty());
        for x in 0..4u8 {
            for y in 0..2u8 {
                let mut expected = 0u64;
                for k in 0..4 {
                    let hit = |index: u8| {
                        if u64::from(x) == k && index == y {
                            5
                        } else {
                            0
                        }
                    };
                    expected = expected * 1000 + (100 * k + hit(0)) * 2 + k + hit(1);
                }
                assert_eq!(explored.result(&[x, y]), expected);
            }
        }
    });
}

#[test]
fn a_pointer_to_one_of_many_objects() {
    let text = "
        int main(void) {
            u8 x; klee_make_symbolic(&x, 1, \"x\"); klee_assume(x < 100);
            u8 *p[100]; for (int k = 0; k < 100; k++) { p[k] = malloc(1); *p[k] = k ^ 85; }
            result = *p[x];
            return 0;
        }";
    at_every_level!(text, 1, |explored, _level| {
        assert!(explored.errors().is_empty(), "{:?}", explored.errors());
        for x in 0..100u8 {
            assert_eq!(explored.result(&[x]), u64::from(x ^ 85));
        }
    });
}

#[test]
fn out_of_bounds_by_a_symbolic_index() {
    for (access, error) in [
        ("result = a[x];", "out-of-bounds read"),
        ("a[x] = 1;", "out-of-bounds write"),
    ] {
        let text = format!(
            "int main(void) {{ i8 x; volatile int a[10] = {{ 0 }}; klee_make_symbolic(&x, 1, \"x\"); {access} return 0; }}"
        );
        at_every_level!(&text, 1, |explored, level| {
            assert_eq!(explored.paths.len(), 2, "{level}");
            assert_eq!(explored.exits(), 1);
            assert_eq!(explored.errors(), [error]);
            for x in 0..=255u8 {
                assert_eq!(explored.taken(&[x]).exits(), x < 10, "{x}");
            }
            for path in &explored.paths {
                assert_eq!(path.exits(), path.model[0] < 10);
            }
        });
    }
}

#[test]
fn a_switch_forks_by_target() {
    let text = "
        volatile int sink;
        int main(void) {
            u8 x; klee_make_symbolic(&x, 1, \"x\");
            switch (x) {
            case 1: case 3: case 5: case 7: case 9: case 100: case 120: sink = 1; result = 1; break;
            case 2: case 4: case 6: case 8: sink = 2; result = 2; break;
            default: sink = 3; result = 3;
            }
            return 0;
        }";
    let explored = explore(text, "-O0", 1);
    assert_eq!(explored.paths.len(), 3);
    for x in 0..=255u8 {
        let expected = match x {
            1 | 3 | 5 | 7 | 9 | 100 | 120 => 1,
            2 | 4 | 6 | 8 => 2,
            _ => 3,
        };
        assert_eq!(explored.result(&[x]), expected);
    }
}

#[test]
fn a_select_does_not_fork() {
    let text = "int main(void) { u8 x[3]; klee_make_symbolic(x, 3, \"x\"); result = x[0] > 5 ? x[1] : x[2]; return 0; }";
    let explored = explore(text, "-O2", 3);
    assert_eq!(explored.paths.len(), 1);
    assert_eq!(explored.result(&[6, 10, 20]), 10);
    assert_eq!(explored.result(&[5, 10, 20]), 20);
}

#[test]
fn bytes_that_are_copied_stay_symbolic() {
    let text = "
        int main(void) {
            u8 x[8], a[32], b[32]; klee_make_symbolic(x, 8, \"x\");
            memset(a, x[0] == 3, 32); memcpy(a + 3, x, 8); memcpy(b, a, 32); memset(b + 9, x[7], 2);
            memcpy(&result, b + 3, 8);
            result ^= (u64)b[31] << 60;
            return 0;
        }";
    at_every_level!(text, 8, |explored, _level| {
        assert_eq!(explored.paths.len(), 1);
        assert_eq!(
            explored.result(&[1, 2, 3, 4, 5, 6, 7, 8]),
            0x0808_0605_0403_0201
        );
        assert_eq!(
            explored.result(&[3, 2, 3, 4, 5, 6, 7, 8]),
            0x0808_0605_0403_0203 ^ 1 << 60
        );
    });
}

#[test]
fn an_object_of_symbolic_size() {
    let text = "
        int main(void) {
            u8 x; klee_make_symbolic(&x, 1, \"x\");
            unsigned n = (x & 3) + 1;
            volatile u8 *p = malloc(n); p[n - 1] = 7; p[2] = 9; result = p[n - 1];
            return 0;
        }";
    at_every_level!(text, 1, |explored, _level| {
        for x in 0..=255u8 {
            let path = explored.taken(&[x]);
            match x & 3 {
                0 | 1 => assert_eq!(path.error(), Some("out-of-bounds write")),
                2 => assert_eq!(explored.result(&[x]), 9),
                _ => assert_eq!(explored.result(&[x]), 7),
            }
        }
    });
}

#[test]
fn a_symbolic_function_pointer() {
    let text = "
        static __attribute__((noinline)) u64 f(u64 a) { return a + 1; }
        static __attribute__((noinline)) u64 g(u64 a) { return a * 2; }
        u64 (*volatile table[4])(u64) = { f, g, f, 0 };
        int main(void) { u8 x[2]; klee_make_symbolic(x, 2, \"x\"); result = table[x[0] & 3](x[1]); return 0; }";
    at_every_level!(text, 2, |explored, _level| {
        // Equal pointers share their path.
        assert_eq!(explored.exits(), 2);
        assert_eq!(explored.paths.len(), 3);
        for x in 0..=255u8 {
            match x & 3 {
                0 | 2 => assert_eq!(explored.result(&[x, 9]), 10),
                1 => assert_eq!(explored.result(&[x, 9]), 18),
                _ => assert!(explored.taken(&[x, 9]).error().is_some()),
            }
        }
    });
}

#[test]
fn the_bits_of_a_float_may_be_symbolic() {
    let text = "
        int main(void) {
            u8 x[4]; klee_make_symbolic(x, 4, \"x\");
            float f, g[2]; memcpy(&f, x, 4); g[1] = -f; g[0] = f; u32 bits[2]; memcpy(bits, g, 8);
            result = (u64)bits[1] << 32 | bits[0];
            return 0;
        }";
    at_every_level!(text, 4, |explored, _level| {
        assert_eq!(explored.result(&[1, 2, 3, 4]), 0x8403_0201_0403_0201);
    });
}

#[test]
fn loops_over_symbolic_bytes_are_vectors() {
    let text = "
        int main(void) {
            u8 x[32]; klee_make_symbolic(x, 32, \"x\");
            u32 sum = 0, big = 0; u8 most = 0, all = 0; i16 y[32];
            for (int k = 0; k < 32; k++) { sum += x[k] * 3u; most = x[k] > most ? x[k] : most; all ^= x[k] << 1; big += (i8)x[k] < -5; }
            for (int k = 0; k < 32; k++) y[k] = (i16)((i8)x[k] * 100 >> 3);
            for (int k = 0; k < 32; k++) sum += y[k];
            result = sum ^ (u64)most << 32 ^ (u64)all << 40 ^ (u64)big << 48;
            return 0;
        }";
    let explored = explore(text, "-O2", 32);
    assert_eq!(explored.paths.len(), 1, "no loop forks");
    let mut random = Random::new(7);
    for _ in 0..40 {
        let x: Vec<u8> = (0..32).map(|_| random.byte()).collect();
        let mut sum: u32 = x.iter().map(|&x| u32::from(x) * 3).sum();
        for &x in &x {
            sum = sum.wrapping_add(i32::from(((i32::from(x as i8) * 100) >> 3) as i16) as u32);
        }
        let most = u64::from(x.iter().copied().max().unwrap_or(0));
        let all = u64::from(x.iter().fold(0, |all, &x| all ^ x << 1));
        let big = x.iter().filter(|&&x| (x as i8) < -5).count() as u64;
        assert_eq!(
            explored.result(&x),
            u64::from(sum) ^ most << 32 ^ all << 40 ^ big << 48
        );
    }
}

#[test]
fn integers_of_128_bits() {
    let text = "
        int main(void) {
            u64 x[2]; klee_make_symbolic(x, 16, \"x\");
            unsigned __int128 a = (unsigned __int128)x[0] * x[1];
            __int128 b = (__int128)(i64)x[0] * (i64)x[1] >> (x[1] & 127);
            result = (u64)(a >> 64) ^ (u64)b ^ (u64)((a + x[0]) >> 17) ^ (u64)(b < 0) << 63 ^ (u64)(a / 1000003);
            return 0;
        }";
    at_every_level!(text, 16, |explored, _level| {
        let mut random = Random::new(8);
        for _ in 0..40 {
            let bytes: Vec<u8> = (0..16).map(|_| random.byte()).collect();
            let word =
                |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            let (x, y) = (word(0), word(8));
            let a = u128::from(x) * u128::from(y);
            let b = (i128::from(x as i64) * i128::from(y as i64)) >> (y & 127);
            let expected = (a >> 64) as u64
                ^ b as u64
                ^ (a.wrapping_add(u128::from(x)) >> 17) as u64
                ^ u64::from(b < 0) << 63
                ^ (a / 1_000_003) as u64;
            assert_eq!(explored.result(&bytes), expected);
        }
    });
}

#[test]
fn bit_fields() {
    let text = "
        struct fields { unsigned a : 3; int b : 5; u64 c : 40; _Bool d : 1; unsigned e : 13; };
        int main(void) {
            u8 x[4]; klee_make_symbolic(x, 4, \"x\");
            struct fields f = { 0 }; f.a = x[0]; f.b = x[1]; f.c = (u64)x[2] << 33 | x[3]; f.d = x[3] & 1; f.e = x[0] * x[1];
            f.b += f.a; f.c ^= f.e;
            result = f.a ^ (u64)(i64)f.b << 8 ^ f.c << 16 ^ (u64)f.d << 60;
            return 0;
        }";
    at_every_level!(text, 4, |explored, _level| {
        let mut random = Random::new(9);
        for _ in 0..100 {
            let x: Vec<u8> = (0..4).map(|_| random.byte()).collect();
            let signed5 = |value: i64| value << 59 >> 59;
            let a = u64::from(x[0] & 7);
            let b = signed5(signed5(i64::from(x[1])) + a as i64);
            let e = (u64::from(x[0]) * u64::from(x[1])) & 0x1fff;
            let c = (u64::from(x[2]) << 33 | u64::from(x[3])) & ((1 << 40) - 1) ^ e;
            assert_eq!(
                explored.result(&x),
                a ^ (b as u64) << 8 ^ c << 16 ^ u64::from(x[3] & 1) << 60
            );
        }
    });
}

#[test]
fn assumptions_hold() {
    let text = "
        int main(void) {
            u8 x; klee_make_symbolic(&x, 1, \"x\");
            klee_assume(x < 10); klee_assume(x != 4);
            result = x > 20 ? 1 : x > 5 ? 2 : 3;
            if (x > 7) { klee_assume(x < 3); result = 9; }
            return 0;
        }";
    at_every_level!(text, 1, |explored, _level| {
        assert!(explored.errors().is_empty() || explored.paths.iter().any(|path| path.exits()));
        for x in 0..=255u8 {
            let exits = explored.all_taken(&[x]).iter().any(|path| path.exits());
            assert_eq!(exits, x <= 7 && x != 4, "{x}");
            if exits {
                assert_eq!(explored.result(&[x]), if x > 5 { 2 } else { 3 });
            }
        }
    });
}

#[test]
fn a_structure_by_value_from_a_symbolic_address() {
    let text = "
        struct big { u64 a, b, c; };
        static __attribute__((noinline)) u64 sum(struct big s) { s.a += 1; return s.a * 10000 + s.b * 100 + s.c; }
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\");
            struct big s[4] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } };
            s[x[1] & 3].b = 50;
            result = sum(s[x[0] & 3]) + s[x[0] & 3].a;
            return 0;
        }";
    at_every_level!(text, 2, |explored, _level| {
        for x in 0..4u8 {
            for y in 0..4u8 {
                let k = u64::from(x);
                let b = if x == y { 50 } else { 3 * k + 2 };
                let expected = (3 * k + 2) * 10_000 + b * 100 + 3 * k + 3 + 3 * k + 1;
                assert_eq!(explored.result(&[x, y]), expected, "{x} {y}");
            }
        }
    });
}

#[test]
fn a_structure_is_returned_to_a_symbolic_address() {
    let text = "
        struct big { u64 a, b, c; };
        static __attribute__((noinline)) struct big make(u64 a) { struct big s = { a, a + 1, a + 2 }; return s; }
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\");
            struct big s[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
            s[x[0] & 1] = make(x[1]);
            result = s[0].a * 1000 + s[1].c;
            return 0;
        }";
    at_every_level!(text, 2, |explored, _level| {
        assert_eq!(explored.result(&[0, 50]), 50_006);
        assert_eq!(explored.result(&[1, 50]), 1052);
    });
}

#[test]
fn variable_arguments_may_be_symbolic() {
    let text = "
        struct big { u64 a, b, c; };
        static __attribute__((noinline)) u64 sum(int n, ...) {
            __builtin_va_list l; __builtin_va_start(l, n); u64 s = 0;
            s += __builtin_va_arg(l, int); s += __builtin_va_arg(l, u64) * 3; struct big b = __builtin_va_arg(l, struct big); s += b.c;
            __builtin_va_end(l); return s;
        }
        int main(void) {
            u8 x[3]; klee_make_symbolic(x, 3, \"x\");
            struct big s[2] = { { 1, 2, 3 }, { 4, 5, x[2] } };
            result = sum(3, (i8)x[0], (u64)x[1] << 40, s[1]);
            return 0;
        }";
    at_every_level!(text, 3, |explored, _level| {
        assert_eq!(explored.result(&[0xff, 2, 77]), (6u64 << 40) + 76);
    });
}

#[test]
fn the_exit_status_may_be_symbolic() {
    let text = "int main(void) { u8 x; klee_make_symbolic(&x, 1, \"x\"); return x & 3; }";
    at_every_level!(text, 1, |explored, _level| {
        assert_eq!(explored.paths.len(), 1);
        for x in 0..=255u8 {
            assert_eq!(explored.status(&[x]), Some(u64::from(x & 3)));
        }
    });
}

#[test]
fn a_string_is_found() {
    let text = "
        int main(void) {
            char x[6]; klee_make_symbolic(x, 6, \"x\"); x[5] = 0;
            result = strcmp(x, \"open!\") == 0;
            return 0;
        }";
    at_every_level!(text, 6, |explored, _level| {
        assert_eq!(explored.result(b"open!x"), 1);
        assert_eq!(explored.result(b"open?x"), 0);
        assert_eq!(explored.result(b"ope\0!x"), 0);
    });
}

#[test]
fn divisions_fail_exactly_where_they_must() {
    let text = "
        int main(void) {
            i32 x[2]; klee_make_symbolic(x, 8, \"x\");
            klee_assume(x[1] >= -2); klee_assume(x[1] <= 1);
            volatile i32 a = x[0], b = x[1];
            result = (u32)(a / b) ^ (u64)(u32)(a % b) << 32;
            return 0;
        }";
    at_every_level!(text, 8, |explored, _level| {
        for a in [0, 1, -1, 5, i32::MIN, i32::MIN + 1, i32::MAX] {
            for b in -2..=1 {
                let input: Vec<u8> = [a, b]
                    .iter()
                    .flat_map(|value: &i32| value.to_le_bytes())
                    .collect();
                match a.checked_div(b) {
                    Some(quotient) => assert_eq!(
                        explored.result(&input),
                        u64::from(quotient as u32) ^ u64::from((a % b) as u32) << 32
                    ),
                    None if b == 0 => {
                        assert_eq!(explored.taken(&input).error(), Some("division by zero"))
                    }
                    None => assert_eq!(explored.taken(&input).error(), Some("division overflow")),
                }
            }
        }
    });
}

#[test]
fn an_assumed_pointer_is_not_followed_for_ever() {
    let text = "
        u32 global = 5;
        int main(void) {
            u64 x; klee_make_symbolic(&x, 8, \"x\");
            result = *(volatile u32 *)x;
            return 0;
        }";
    let explored = explore(text, "-O1", 8);
    assert!(
        explored.paths.len() < 1000,
        "{} paths",
        explored.paths.len()
    );
    // Null is among the errors.
    assert!(explored.taken(&[0; 8]).error().is_some());
}

#[test]
fn overflow_is_found_exactly_where_it_is() {
    type Operation = fn(i32, i32) -> Option<i32>;
    let operations: [(&str, Operation); 4] = [
        ("a + b", i32::checked_add),
        ("a - b", i32::checked_sub),
        ("a * (b & 7)", |a, b| a.checked_mul(b & 7)),
        ("-a ^ b", |a, b| Some(a.checked_neg()? ^ b)),
    ];
    for (expression, expected) in operations {
        let text = format!(
            "int main(void) {{ i32 x[2]; klee_make_symbolic(x, 8, \"x\"); i32 a = x[0], b = x[1]; result = (u32)({expression}); return 0; }}"
        );
        let options = Options {
            check_overflow: true,
            ..Options::default()
        };
        let explored = explore_with(&text, "-O0 -fno-wrapv", 8, options);
        for a in [0, 1, -1, 1 << 28, i32::MIN, i32::MIN + 1, i32::MAX] {
            for b in [0, 1, -1, 7, i32::MIN, i32::MAX] {
                let input: Vec<u8> = [a, b]
                    .iter()
                    .flat_map(|value: &i32| value.to_le_bytes())
                    .collect();
                match expected(a, b) {
                    Some(value) => assert_eq!(
                        explored.result(&input),
                        u64::from(value as u32),
                        "{expression} {a} {b}"
                    ),
                    None => assert_eq!(
                        explored.taken(&input).error(),
                        Some("signed overflow"),
                        "{expression} {a} {b}"
                    ),
                }
            }
        }
    }
}

#[test]
fn what_was_not_written_is_not_used_symbolically() {
    let text = "
        int main(void) {
            u8 x; klee_make_symbolic(&x, 1, \"x\");
            volatile u8 a[4]; a[0] = 1; a[1] = 2; if (x & 4) a[2] = 3;
            u8 taken = x & 2 ? a[2] : a[x & 1];
            result = taken; if (taken == 9) klee_make_symbolic(&x, 1, \"y\");
            return 0;
        }";
    let options = Options {
        check_uninitialised: true,
        ..Options::default()
    };
    // Optimisation makes one index of the two.
    for level in LEVELS {
        let explored = explore_with(text, level, 1, options.clone());
        for x in 0..8u8 {
            match x {
                2 | 3 => assert_eq!(
                    explored.taken(&[x]).error(),
                    Some("uninitialised read"),
                    "{x} at {level}"
                ),
                6 | 7 => assert_eq!(explored.result(&[x]), 3),
                _ => assert_eq!(explored.result(&[x]), u64::from(x & 1) + 1),
            }
        }
    }
}

/// A pointer that is loaded is one of few: a path for each, however it was chosen.
#[test]
fn pointers_that_input_chooses_are_followed() {
    let text = "
        struct node { u8 value; struct node *child[2]; };
        static struct node leaves[4] = { { 10 }, { 20 }, { 30 }, { 40 } };
        static struct node inner[2] = { { 1, { &leaves[0], &leaves[1] } }, { 2, { &leaves[2], &leaves[3] } } };
        static struct node root = { 0, { &inner[0], &inner[1] } };
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\");
            struct node *at = &root;
            for (int i = 0; i < 2; i++) at = at->child[x[i] > 99];
            at->value += 5;
            result = leaves[0].value | leaves[1].value << 8 | leaves[2].value << 16 | (u32)leaves[3].value << 24;
            return 0;
        }";
    at_every_level!(text, 2, |explored, level| {
        assert_eq!(explored.paths.len(), 4, "{level}");
        for x in [0, 99, 100, 255u8] {
            for y in [0, 99, 100, 255u8] {
                let mut values = [10, 20, 30, 40u8];
                values[2 * usize::from(x > 99) + usize::from(y > 99)] += 5;
                let expected = u64::from(u32::from_le_bytes(values));
                assert_eq!(explored.result(&[x, y]), expected, "{x} {y} {level}");
            }
        }
    });
}

/// Pointers that are stored at few places, and found there again.
#[test]
fn lists_in_a_small_table_are_followed() {
    let text = "
        struct item { u8 key; struct item *next; };
        static struct item items[3], *table[4];
        int main(void) {
            u8 x[3]; klee_make_symbolic(x, 3, \"x\");
            u32 seen = 0;
            for (int i = 0; i < 3; i++) {
                u8 place = x[i] >> 3 & 3;
                struct item *item;
                for (item = table[place]; item && item->key != x[i]; item = item->next)
                    seen += 1;
                if (item) { seen += 16; continue; }
                items[i].key = x[i];
                items[i].next = table[place];
                table[place] = &items[i];
            }
            result = seen;
            return 0;
        }";
    at_every_level!(text, 3, |explored, level| {
        let bytes = [0, 1, 8, 9, 16, 31, 32, 255u8];
        for x in bytes {
            for y in bytes {
                for z in bytes {
                    let (mut lists, mut seen) = (vec![Vec::new(); 4], 0);
                    for key in [x, y, z] {
                        let list: &mut Vec<u8> = &mut lists[usize::from(key >> 3 & 3)];
                        match list.iter().rev().position(|&known| known == key) {
                            Some(passed) => seen += 16 + passed as u64,
                            None => {
                                seen += list.len() as u64;
                                list.push(key);
                            }
                        }
                    }
                    assert_eq!(explored.result(&[x, y, z]), seen, "{x} {y} {z} {level}");
                }
            }
        }
    });
}

/// Once a path has decided what an index is, or what it is not until one value is left, it is no longer symbolic.
#[test]
fn what_a_path_has_decided_is_a_number() {
    let text = "
        static struct { u32 count; u8 of[8]; } kinds[4];
        int main(void) {
            u8 x[2]; klee_make_symbolic(x, 2, \"x\");
            u32 kind = x[0] >> 1 & 3;
            if (kind == 0) return 0;
            if (kind == 3) return 0;
            if (kind == 1) result = 100; else result = 200;
            for (int i = 0; i < 20; i++) kinds[kind].of[kinds[kind].count++ & 7] = x[1];
            result += kinds[kind].count + kinds[kind].of[3] + kinds[2].count;
            return 0;
        }";
    at_every_level!(text, 2, |explored, level| {
        for x in 0..8u8 {
            let kind = x >> 1 & 3;
            let expected = match kind {
                1 => 100 + 20 + 7,
                2 => 200 + 20 + 7 + 20,
                _ => 0,
            };
            assert_eq!(explored.result(&[x, 7]), expected, "{x} {level}");
        }
        // No question is asked about the table.
        assert!(explored.paths.len() <= 4, "{level}");
    });
}

/// Stores at few places that overlap one another.
#[test]
fn a_word_is_stored_at_one_of_few_places() {
    let text = "
        int main(void) {
            u8 x[3]; klee_make_symbolic(x, 3, \"x\");
            u8 a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
            u16 word = x[1] | x[2] << 8;
            *(u16 *)(a + (x[0] & 3)) = word;
            *(u16 *)(a + (x[0] >> 2 & 3)) += 1;
            u32 low; __builtin_memcpy(&low, a, 4);
            result = low ^ a[4] << 8;
            return 0;
        }";
    at_every_level!(text, 3, |explored, level| {
        assert_eq!(explored.paths.len(), 1, "{level}");
        for x in 0..16u8 {
            for word in [0x0000u16, 0x00ff, 0xffff, 0x1234] {
                let mut a = [1, 2, 3, 4, 5, 6, 7, 8u8];
                let [low, high] = word.to_le_bytes();
                let (first, second) = (usize::from(x & 3), usize::from(x >> 2 & 3));
                a[first..first + 2].copy_from_slice(&[low, high]);
                let sum = u16::from_le_bytes([a[second], a[second + 1]]).wrapping_add(1);
                a[second..second + 2].copy_from_slice(&sum.to_le_bytes());
                let expected = u32::from_le_bytes([a[0], a[1], a[2], a[3]]) ^ u32::from(a[4]) << 8;
                let found = explored.result(&[x, low, high]);
                assert_eq!(found, u64::from(expected), "{x} {word:x} {level}");
            }
        }
    });
}

/// Two symbolic strings are compared at once, whichever ends first.
#[test]
fn symbolic_strings_are_compared_at_once() {
    let text = "
        int strcmp(const char *, const char *);
        int strncmp(const char *, const char *, unsigned long);
        int main(void) {
            u8 x[4]; klee_make_symbolic(x, 4, \"x\");
            char a[3] = { x[0], x[1] }, b[3] = { x[2], x[3] };
            int whole = strcmp(a, b), part = strncmp(a, b, 1);
            result = (whole < 0 ? 1 : whole > 0 ? 2 : 0) | (part < 0 ? 1 : part > 0 ? 2 : 0) << 2;
            return 0;
        }";
    at_every_level!(text, 4, |explored, level| {
        assert!(
            explored.paths.len() <= 9,
            "{} at {level}",
            explored.paths.len()
        );
        let sign = |order| match order {
            Ordering::Less => 1,
            Ordering::Equal => 0,
            Ordering::Greater => 2u64,
        };
        let bytes = [0, 1, 97, 128, 255u8];
        let end = |s: &[u8]| s.iter().position(|&c| c == 0).unwrap_or(s.len());
        for (a0, a1) in bytes.iter().flat_map(|a| bytes.map(|b| (*a, b))) {
            for (b0, b1) in bytes.iter().flat_map(|a| bytes.map(|b| (*a, b))) {
                let (a, b) = ([a0, a1], [b0, b1]);
                let whole = a[..end(&a)].cmp(&b[..end(&b)]);
                let expected = sign(whole) | sign(a0.cmp(&b0)) << 2;
                assert_eq!(
                    explored.result(&[a0, a1, b0, b1]),
                    expected,
                    "{a:?} {b:?} {level}"
                );
            }
        }
    });
}
