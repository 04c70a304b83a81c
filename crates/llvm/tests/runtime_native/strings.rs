//! Strings, bytes and characters.

use super::*;

const ALPHABET: &[u8] = b"aAbB/.z\x80\xff1";

#[test]
fn strings_are_compared_and_searched_like_the_hosts() {
    let mut rng = Rng::new(1);
    for _ in 0..20000 {
        let a = rng.text(ALPHABET, 8);
        let mut b = rng.text(ALPHABET, 4);
        if rng.below(3) == 0 {
            b = a.clone();
            let i = rng.below(b.len());
            b[i] = b[i].to_ascii_uppercase();
        }
        let n = rng.below(8);
        let c = rng.pick(b"aAz\x80\xff\0/") as c_int | rng.pick(&[0, 256, -256]);
        let (p, q) = (a.as_ptr(), b.as_ptr());
        macro_rules! same {
            ($name:ident, $result:ident => $view:expr, $($arg:expr),*) => {{
                let ours = { let $result = unsafe { string::$name($($arg),*) }; $view };
                let theirs = { let $result = unsafe { host::$name($($arg),*) }; $view };
                assert_eq!(ours, theirs, "{} {a:?} {b:?} {c} {n}", stringify!($name));
            }};
        }
        same!(strlen, r => r, p);
        same!(strnlen, r => r, p, n);
        same!(strcmp, r => r.signum(), p, q);
        same!(strcoll, r => r.signum(), p, q);
        same!(strncmp, r => r.signum(), p, q, n);
        same!(strcasecmp, r => r.signum(), p, q);
        same!(strncasecmp, r => r.signum(), p, q, n);
        same!(strchr, r => offset(p, r), p, c);
        same!(strrchr, r => offset(p, r), p, c);
        same!(strchrnul, r => offset(p, r), p, c);
        same!(index, r => offset(p, r), p, c);
        same!(rindex, r => offset(p, r), p, c);
        same!(rawmemchr, r => offset(p, r), p, 0);
        same!(strstr, r => offset(p, r), p, q);
        same!(strcasestr, r => offset(p, r), p, q);
        same!(strpbrk, r => offset(p, r), p, q);
        same!(strspn, r => r, p, q);
        same!(strcspn, r => r, p, q);
        let n = n.min(a.len());
        let m = n.min(b.len());
        same!(memchr, r => offset(p, r), p, c, n);
        same!(memrchr, r => offset(p, r), p, c, n);
        same!(memcmp, r => r.signum(), p, q, m);
        same!(memmem, r => offset(p, r), p, n, q, m);
        same!(basename, r => offset(p, r), p);
    }
}

#[test]
fn versions_are_ordered_like_the_hosts() {
    let mut rng = Rng::new(2);
    for _ in 0..50000 {
        let a = rng.text(b"0019a", 6);
        let b = rng.text(b"0019a", 6);
        let (p, q) = (a.as_ptr(), b.as_ptr());
        let (ours, theirs) = unsafe { (string::strverscmp(p, q), host::strverscmp(p, q)) };
        assert_eq!(ours.signum(), theirs.signum(), "{a:?} {b:?}");
    }
}

#[test]
fn strings_are_copied_like_the_hosts() {
    let mut rng = Rng::new(3);
    for _ in 0..20000 {
        let a = rng.text(ALPHABET, 8);
        let start = rng.text(ALPHABET, 8);
        let n = rng.below(12);
        let c = rng.pick(ALPHABET) as c_int;
        macro_rules! same {
            ($name:ident, $result:ident => $view:expr, $to:ident, $($arg:expr),*) => {{
                let mut ours = [0xee_u8; 40];
                ours[..start.len()].copy_from_slice(&start);
                let mut theirs = ours;
                let x = {
                    let $to = ours.as_mut_ptr();
                    let $result = unsafe { string::$name($($arg),*) };
                    $view
                };
                let y = {
                    let $to = theirs.as_mut_ptr();
                    let $result = unsafe { host::$name($($arg),*) };
                    $view
                };
                assert_eq!((x, ours), (y, theirs), "{} {start:?} {a:?} {n}", stringify!($name));
            }};
        }
        let s = a.as_ptr();
        same!(strcpy, r => offset(to, r), to, to, s);
        same!(stpcpy, r => offset(to, r), to, to, s);
        same!(strncpy, r => offset(to, r), to, to, s, n);
        same!(stpncpy, r => offset(to, r), to, to, s, n);
        same!(strcat, r => offset(to, r), to, to, s);
        same!(strncat, r => offset(to, r), to, to, s, n);
        same!(memccpy, r => offset(to, r), to, to, s, c, n.min(a.len()));
        same!(swab, r => r, to, s, to, (n & !1).min(a.len() & !1) as isize);
        if a.len() <= n {
            // Otherwise what is written is unspecified.
            same!(strxfrm, r => r, to, to, s, n);
        }
        unsafe {
            let copy = string::strndup(s, n);
            assert_eq!(text(copy).unwrap(), &a[..n.min(a.len() - 1)]);
            native::free(copy.cast());
            let copy = string::strdup(s);
            assert_eq!(text(copy), text(s));
            native::free(copy.cast());
        }
        // The host's library may be too old for these two.
        let mut to = [0xee_u8; 40];
        let len = a.len() - 1;
        assert_eq!(unsafe { string::strlcpy(to.as_mut_ptr(), s, n) }, len);
        if n > 0 {
            let kept = len.min(n - 1);
            assert_eq!((&to[..kept], to[kept]), (&a[..kept], 0));
        }
        assert!(to[n..].iter().all(|&b| b == 0xee));
        to[..start.len()].copy_from_slice(&start);
        let had = (start.len() - 1).min(n);
        assert_eq!(unsafe { string::strlcat(to.as_mut_ptr(), s, n) }, had + len);
        if had < n {
            let joined = [&start[..had], &a[..len]].concat();
            let kept = joined.len().min(n - 1);
            assert_eq!((&to[..kept], to[kept]), (&joined[..kept], 0));
        }
    }
}

#[test]
fn strings_are_cut_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(4);
    for _ in 0..20000 {
        let a = rng.text(b"ab,;", 10);
        let set = rng.text(b",;", 2);
        let q = set.as_ptr();
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut s, mut t) = (null_mut(), null_mut());
        let (mut first, mut other) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strtok_r(first, q, &mut s) });
            let y = offset(h, unsafe { host::strtok_r(other, q, &mut t) });
            assert_eq!((x, offset(p, s)), (y, offset(h, t)), "{a:?} {set:?}");
            (first, other) = (null_mut(), null_mut());
            if x.is_none() {
                break;
            }
        }
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut first, mut other) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strtok(first, q) });
            assert_eq!(x, offset(h, unsafe { host::strtok(other, q) }));
            (first, other) = (null_mut(), null_mut());
            if x.is_none() {
                break;
            }
        }
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut s, mut t) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strsep(&mut s, q) });
            let y = offset(h, unsafe { host::strsep(&mut t, q) });
            assert_eq!((x, offset(p, s)), (y, offset(h, t)), "{a:?} {set:?}");
            if x.is_none() {
                break;
            }
        }
        assert_eq!(ours, theirs);
    }
}

#[test]
fn paths_are_split_like_the_hosts() {
    let mut rng = Rng::new(5);
    for _ in 0..20000 {
        let a = rng.text(b"//a.", 7);
        let (mut x, mut y) = (a.clone(), a.clone());
        unsafe {
            let ours = text(string::__xpg_basename(x.as_mut_ptr()));
            assert_eq!(
                ours,
                text(host::__xpg_basename(y.as_mut_ptr())),
                "basename {a:?}"
            );
            let (mut x, mut y) = (a.clone(), a.clone());
            let ours = text(string::dirname(x.as_mut_ptr()));
            assert_eq!(ours, text(host::dirname(y.as_mut_ptr())), "dirname {a:?}");
        }
    }
    unsafe {
        assert_eq!(text(string::dirname(null_mut())), Some(&b"."[..]));
        assert_eq!(text(string::__xpg_basename(null_mut())), Some(&b"."[..]));
    }
}

#[test]
fn errors_and_signals_have_the_hosts_texts() {
    let _alone = alone();
    for n in (-3..140).chain([c_int::MIN, c_int::MAX]) {
        unsafe {
            assert_eq!(text(string::strerror(n)), text(host::strerror(n)));
            assert_eq!(text(string::strsignal(n)), text(host::strsignal(n)));
            for size in [1, 5, 12, 80] {
                let (mut x, mut y) = ([7u8; 80], [7u8; 80]);
                let ours = string::__xpg_strerror_r(n, x.as_mut_ptr(), size);
                let theirs = host::__xpg_strerror_r(n, y.as_mut_ptr(), size);
                assert_eq!(ours, theirs, "{n} {size}");
                assert_eq!(text(x.as_ptr()), text(y.as_ptr()), "{n} {size}");
                let ours = string::strerror_r(n, x.as_mut_ptr(), size);
                let theirs = host::strerror_r(n, y.as_mut_ptr(), size);
                assert_eq!(text(ours), text(theirs), "{n} {size}");
            }
        }
    }
}

#[test]
fn characters_are_classed_like_the_hosts() {
    for c in -128..256 {
        unsafe {
            let at = c as isize;
            let table = *ctype::__ctype_b_loc().cast::<*const u16>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_b_loc()).offset(at),
                "{c}"
            );
            let table = *ctype::__ctype_tolower_loc().cast::<*const c_int>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_tolower_loc()).offset(at),
                "{c}"
            );
            let table = *ctype::__ctype_toupper_loc().cast::<*const c_int>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_toupper_loc()).offset(at),
                "{c}"
            );
        }
    }
    macro_rules! same {
        ($module:ident $type:ty: $($name:ident)*) => {
            $(for c in -1..256 {
                let c = c as $type;
                // The compiler knows these names and would answer itself, if only
                // with some other true value.
                let theirs: unsafe extern "C" fn($type) -> _ = std::hint::black_box(host::$name);
                let (x, y) = unsafe { ($module::$name(c), theirs(c)) };
                assert_eq!(x, y, "{}({c})", stringify!($name));
            })*
        };
    }
    same!(ctype c_int: isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct
        isspace isupper isxdigit tolower toupper toascii);
    for c in -1..256 {
        assert_eq!(unsafe { ctype::isascii(c) != 0 }, unsafe {
            host::isascii(c) != 0
        });
        assert_eq!(unsafe { wide::iswalpha(c as u32) != 0 }, unsafe {
            host::iswalpha(c as u32) != 0
        });
        assert_eq!(unsafe { wide::iswpunct(c as u32) != 0 }, unsafe {
            host::iswpunct(c as u32) != 0
        });
        assert_eq!(unsafe { wide::iswspace(c as u32) != 0 }, unsafe {
            host::iswspace(c as u32) != 0
        });
    }
    same!(wide c_uint: towlower towupper wctob);
    same!(wide c_int: btowc);
}

#[test]
fn bits_are_found_like_the_hosts() {
    for shift in 0..64 {
        for value in [1i64 << shift, -1i64 << shift, 0] {
            unsafe {
                assert_eq!(string::ffsll(value), host::ffsll(value));
                assert_eq!(string::ffs(value as c_int), host::ffs(value as c_int));
            }
        }
    }
}
