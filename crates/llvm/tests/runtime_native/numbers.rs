//! Numbers: read, divided, of addresses of networks, and random ones.

use super::*;

#[test]
fn network_addresses_are_read_and_shown_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(31);
    for _ in 0..refrain_testing::effort(60_000, 2_000_000) {
        let alphabet: &[u8] = rng.pick(&[
            &b"0123456789."[..],
            &b"0:1.fF"[..],
            &b"012..x 7a"[..],
            &b"::::0af129."[..],
        ]);
        let text = rng.text(alphabet, 20);
        let at = text.as_ptr();
        unsafe {
            let (mut a, mut b) = ([7u32; 4], [7u32; 4]);
            let what = String::from_utf8_lossy(&text).to_string();
            let ours = network::inet_aton(at, a.as_mut_ptr());
            assert_eq!(ours, host::inet_aton(at, b.as_mut_ptr()), "{what}");
            assert_eq!(a, b, "{what}");
            assert_eq!(network::inet_addr(at), host::inet_addr(at), "{what}");
            for family in [2, 10, 3] {
                let ours = network::inet_pton(family, at, a.as_mut_ptr().cast());
                let theirs = host::inet_pton(family, at, b.as_mut_ptr().cast());
                assert_eq!(ours, theirs, "{what}");
                assert_eq!(a, b, "{what}");
            }
        }
    }
    for _ in 0..20_000 {
        let mut address = [0u8; 16];
        for group in 0..8 {
            let value = rng.pick(&[0u16, 0, 0, 1, 0xffff, 0x1234, 0x0a00]);
            address[2 * group..][..2].copy_from_slice(&value.to_be_bytes());
        }
        let word = rng.next() as u32;
        unsafe {
            for family in [2, 10] {
                let room = rng.below(60) as u32;
                let (mut a, mut b) = ([0u8; 64], [0u8; 64]);
                let from = address.as_ptr().cast();
                let ours = network::inet_ntop(family, from, a.as_mut_ptr(), room);
                let theirs = host::inet_ntop(family, from, b.as_mut_ptr(), room);
                assert_eq!(ours.is_null(), theirs.is_null(), "{address:x?} {room}");
                if !ours.is_null() {
                    assert_eq!(text(a.as_ptr()), text(b.as_ptr()), "{address:x?}");
                }
            }
            assert_eq!(text(network::inet_ntoa(word)), text(host::inet_ntoa(word)));
            assert_eq!(network::inet_lnaof(word), host::inet_lnaof(word));
            assert_eq!(network::inet_netof(word), host::inet_netof(word));
            let net = word >> rng.pick(&[0, 8, 16, 25]);
            let (ours, theirs) = (
                network::inet_makeaddr(net, word),
                host::inet_makeaddr(net, word),
            );
            assert_eq!(ours, theirs, "{net:x} {word:x}");
            assert_eq!(network::htonl(word), word.to_be());
            assert_eq!(network::ntohs(word as u16), (word as u16).to_be());
        }
    }
}

#[test]
fn integers_are_read_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(6);
    let mut texts: Vec<Vec<u8>> = [
        "",
        "-",
        "+",
        "0",
        "-0",
        "0x",
        "0xg",
        "0x1",
        "-0X1f",
        "+017",
        "08",
        "0b1",
        "  12",
        "\t-7z",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "-18446744073709551616",
        "0xffffffffffffffff",
        "0x10000000000000000",
        "zzzzzzzzzzzzz",
        "ZZZZZZZZZZZZZZ",
        "1777777777777777777777",
        "2000000000000000000000",
        "--1",
        "+-1",
        " + 1",
        "999999999999999999999999999999999",
        "3w5e11264sgsf",
        "3w5e11264sgsg",
        "1y2p0ij32e8e7",
        "1y2p0ij32e8e8",
    ]
    .iter()
    .map(|s| [s.as_bytes(), b"\0"].concat())
    .collect();
    for _ in 0..4000 {
        let mut text = rng.text(b" \t+-0xX", 3);
        text.pop();
        text.extend(rng.text(b"0123456789abfzZ", 24));
        texts.push(text);
    }
    for s in &texts {
        for base in [0, 10, 16, 2, 8, 36, 7, 1, -1, 37] {
            macro_rules! same {
                ($($name:ident)*) => {$(unsafe {
                    let p = s.as_ptr();
                    let (mut x, mut y) = (null_mut::<u8>(), null_mut::<u8>());
                    *errno::__errno_location() = 0;
                    *host::__errno_location() = 0;
                    let ours = stdlib::$name(p, &mut x, base);
                    let theirs = host::$name(p, &mut y, base);
                    let error = *host::__errno_location();
                    assert_eq!(
                        (ours, offset(p, x), *errno::__errno_location()),
                        (theirs, offset(p, y), error),
                        "{}({:?}, {base})", stringify!($name), String::from_utf8_lossy(s)
                    );
                })*};
            }
            same!(strtol strtoll strtoul strtoull strtoimax strtoumax);
        }
        unsafe {
            assert_eq!(stdlib::atoi(s.as_ptr()), host::atoi(s.as_ptr()));
            // What C23 adds.
            let mut end = null_mut();
            let value = stdlib::__isoc23_strtol(c"0b101".as_ptr().cast(), &mut end, 0);
            assert_eq!((value, *end), (5, 0));
            assert_eq!(
                stdlib::__isoc23_strtol(c"0b2".as_ptr().cast(), &mut end, 2),
                0
            );
            assert_eq!(*end, b'b');
            assert_eq!(
                stdlib::__isoc23_strtoul(c"0b1".as_ptr().cast(), null_mut(), 16),
                0xb1
            );
        }
    }
}

#[test]
fn floating_numbers_are_read_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(7);
    let mut texts: Vec<Vec<u8>> = [
        "",
        ".",
        "-",
        "1",
        "-1.5",
        ".5",
        "5.",
        "1e5",
        "1e",
        "1e+",
        "1e+5",
        "1e-5x",
        "0x",
        "0x.",
        "0x1",
        "0x.8",
        "0x1p3",
        "0x1p",
        "0x1.8p-1",
        "inf",
        "-INF",
        "infinity",
        "infinit",
        "in",
        "nan",
        "-nan",
        "NaN(12_a)",
        "nan(",
        "nan(-)",
        "1e999",
        "-1e999",
        "1e-999",
        "0e-999",
        "0.000e5",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "3.4e38",
        "3.5e38",
        "1e-50",
        "  +3.25e2",
        "1..2",
        "1.2.3",
        "e5",
        "0x1e5",
        "1p5",
    ]
    .iter()
    .map(|s| [s.as_bytes(), b"\0"].concat())
    .collect();
    for _ in 0..20000 {
        texts.push(rng.text(b" +-.0123456789eExXpPinfat(", 9));
    }
    for s in &texts {
        unsafe {
            let p = s.as_ptr();
            let (mut x, mut y) = (null_mut::<u8>(), null_mut::<u8>());
            *errno::__errno_location() = 0;
            *host::__errno_location() = 0;
            let theirs = host::strtod(p, &mut y).to_bits();
            let error = *host::__errno_location();
            let ours = stdlib::strtod(p, &mut x).to_bits();
            assert_eq!(
                (ours, offset(p, x), *errno::__errno_location()),
                (theirs, offset(p, y), error),
                "{:?}",
                String::from_utf8_lossy(s)
            );
            *errno::__errno_location() = 0;
            *host::__errno_location() = 0;
            let theirs = host::strtof(p, &mut y).to_bits();
            let error = *host::__errno_location();
            let ours = stdlib::strtof(p, &mut x).to_bits();
            assert_eq!((ours, offset(p, x)), (theirs, offset(p, y)));
            // A tiny result that is exact is no error; ours cannot tell.
            if f32::from_bits(theirs).is_normal() || theirs << 1 == 0 {
                assert_eq!(*errno::__errno_location(), error);
            }
        }
    }
}

#[test]
fn division_truncates() {
    for (n, d) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5), (i32::MIN, 1)] {
        let r = unsafe { stdlib::div(n, d) };
        assert_eq!((r.quot, r.rem), (n / d, n % d));
        let (n, d) = (n as i64, d as i64);
        let r = unsafe { stdlib::ldiv(n, d) };
        assert_eq!((r.quot, r.rem), (n / d, n % d));
    }
    unsafe {
        assert_eq!(
            (stdlib::abs(-3), stdlib::llabs(-4), stdlib::labs(5)),
            (3, 4, 5)
        )
    };
}

#[test]
fn random_sequences_are_the_hosts() {
    let _alone = alone();
    unsafe {
        // Before any seed.
        for _ in 0..100 {
            assert_eq!(random::random(), host::random());
        }
        for _ in 0..20 {
            assert_eq!(random::lrand48(), host::lrand48());
        }
        for seed in [0, 1, 2, 42, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            random::srand(seed);
            host::srand(seed);
            for _ in 0..500 {
                assert_eq!(random::rand(), host::rand(), "seed {seed}");
            }
            random::srandom(seed);
            host::srandom(seed);
            for _ in 0..100 {
                assert_eq!(random::random(), host::random(), "seed {seed}");
            }
            let (mut x, mut y) = (seed, seed);
            for _ in 0..50 {
                assert_eq!(random::rand_r(&mut x), host::rand_r(&mut y));
            }
            assert_eq!(x, y);
            random::srand48(seed as c_long - 5);
            host::srand48(seed as c_long - 5);
            let mut x = [seed as u16, 7, 9];
            let mut y = x;
            for round in 0..200 {
                let (p, q) = (x.as_mut_ptr(), y.as_mut_ptr());
                assert_eq!(random::drand48().to_bits(), host::drand48().to_bits());
                assert_eq!(random::lrand48(), host::lrand48());
                assert_eq!(random::mrand48(), host::mrand48());
                assert_eq!(random::erand48(p).to_bits(), host::erand48(q).to_bits());
                assert_eq!(random::nrand48(p), host::nrand48(q));
                assert_eq!(random::jrand48(p), host::jrand48(q));
                assert_eq!(x, y);
                if round == 50 {
                    let old = random::seed48(x.as_mut_ptr());
                    let other = host::seed48(y.as_mut_ptr());
                    assert_eq!(*old.cast::<[u16; 3]>(), *other.cast::<[u16; 3]>());
                }
                if round == 100 {
                    let mut parameters = [1u16, 2, 3, 0xe66d, 0xdeec, 6, 12];
                    random::lcong48(parameters.as_mut_ptr());
                    host::lcong48(parameters.as_mut_ptr());
                }
            }
        }
    }
}
