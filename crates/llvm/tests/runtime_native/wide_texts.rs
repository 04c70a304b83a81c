//! Wide strings.

use super::*;

/// A terminated string of up to six characters.
fn wide_text(rng: &mut Rng) -> Vec<c_int> {
    let mut s: Vec<c_int> = (0..rng.below(7))
        .map(|_| rng.pick(&[97, 98, 65, 0x80, 0x20ac, -5]))
        .collect();
    s.push(0);
    s
}

#[test]
fn wide_strings_are_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(12);
    for _ in 0..20000 {
        let (a, b) = (wide_text(&mut rng), wide_text(&mut rng));
        let (p, q) = (a.as_ptr(), b.as_ptr());
        let n = rng.below(7);
        let c = rng.pick(&[97, 0, 0x80]);
        unsafe {
            assert_eq!(wide_strings::wcslen(p), host::wcslen(p));
            assert_eq!(wide_strings::wcsnlen(p, n), host::wcsnlen(p, n));
            assert_eq!(
                wide_strings::wcscmp(p, q),
                host::wcscmp(p, q).signum(),
                "{a:?} {b:?}"
            );
            assert_eq!(
                wide_strings::wcsncmp(p, q, n),
                host::wcsncmp(p, q, n).signum()
            );
            assert_eq!(
                wide_strings::wcscasecmp(p, q),
                host::wcscasecmp(p, q).signum(),
                "{a:?} {b:?}"
            );
            assert_eq!(
                wide_strings::wcsncasecmp(p, q, n),
                host::wcsncasecmp(p, q, n).signum(),
                "{a:?} {b:?} {n}"
            );
            assert_eq!(wide_strings::wcschr(p, c), host::wcschr(p, c));
            assert_eq!(wide_strings::wcschrnul(p, c), host::wcschrnul(p, c));
            assert_eq!(wide_strings::wcspbrk(p, q), host::wcspbrk(p, q));
            assert_eq!(wide_strings::wcsrchr(p, c), host::wcsrchr(p, c));
            assert_eq!(wide_strings::wcsstr(p, q), host::wcsstr(p, q));
            assert_eq!(wide_strings::wcsspn(p, q), host::wcsspn(p, q));
            assert_eq!(wide_strings::wcscspn(p, q), host::wcscspn(p, q));
            let m = n.min(a.len()).min(b.len());
            assert_eq!(
                wide_strings::wmemcmp(p, q, m),
                host::wmemcmp(p, q, m).signum()
            );
            assert_eq!(wide_strings::wmemchr(p, c, m), host::wmemchr(p, c, m));
            let (mut x, mut y) = ([9u8; 12], [9u8; 12]);
            let ours = wide::wcstombs(x.as_mut_ptr(), p, n);
            assert_eq!(ours, host::wcstombs(y.as_mut_ptr(), p, n), "{a:?} {n}");
            if ours != usize::MAX {
                assert_eq!(x, y);
            }
            assert_eq!(
                wide::wcstombs(null_mut(), p, 0),
                host::wcstombs(null_mut(), p, 0)
            );
            let s = rng.text(b"abc\x80", 6);
            let (mut x, mut y) = ([9; 12], [9; 12]);
            let ours = wide::mbstowcs(x.as_mut_ptr(), s.as_ptr(), n);
            assert_eq!(
                ours,
                host::mbstowcs(y.as_mut_ptr(), s.as_ptr(), n),
                "{s:?} {n}"
            );
            if ours != usize::MAX {
                assert_eq!(x, y);
            }
            let (mut x, mut y) = ([9; 12], [9; 12]);
            let (mut from, mut their_from) = (s.as_ptr(), s.as_ptr());
            let (mut state, mut their_state) = ([0u64; 2], [0u64; 2]);
            let bytes = rng.below(8);
            let to_null = rng.below(4) == 0;
            let (to, their_to) = if to_null {
                (null_mut(), null_mut())
            } else {
                (x.as_mut_ptr(), y.as_mut_ptr())
            };
            let ours = wide::mbsnrtowcs(to, &mut from, bytes, n, state.as_mut_ptr().cast());
            let theirs = host::mbsnrtowcs(
                their_to,
                &mut their_from,
                bytes,
                n,
                their_state.as_mut_ptr().cast(),
            );
            assert_eq!((ours, from), (theirs, their_from), "{s:?} {bytes} {n}");
            if ours != usize::MAX {
                assert_eq!(x, y);
            }
        }
    }
    for c in 0..=255u8 {
        unsafe {
            let (mut x, mut y) = (-3, -3);
            let mut state = [0u64; 2];
            let ours = wide::mbrtowc(&mut x, &c, 1, null_mut());
            let theirs = host::mbrtowc(&mut y, &c, 1, state.as_mut_ptr().cast());
            assert_eq!((ours, x), (theirs, y), "{c}");
            assert_eq!(wide::mbtowc(&mut x, &c, 1), host::mbtowc(&mut y, &c, 1));
            let (mut x, mut y) = ([0u8; 8], [0u8; 8]);
            let mut state = [0u64; 2];
            let ours = wide::wcrtomb(x.as_mut_ptr(), c as c_int, null_mut());
            let theirs = host::wcrtomb(y.as_mut_ptr(), c as c_int, state.as_mut_ptr().cast());
            assert_eq!((ours, x), (theirs, y), "{c}");
            let ours = wide::wctomb(x.as_mut_ptr(), c as c_int);
            assert_eq!(ours, host::wctomb(y.as_mut_ptr(), c as c_int));
        }
    }
    for s in ["", " -12x", "0x1f", "99999999999999999999"] {
        let s: Vec<c_int> = s.bytes().map(c_int::from).chain([0]).collect();
        let (mut x, mut y) = (null_mut(), null_mut());
        unsafe {
            assert_eq!(
                wide_numbers::wcstol(s.as_ptr(), &mut x, 0),
                host::wcstol(s.as_ptr(), &mut y, 0)
            );
        }
        assert_eq!(x, y);
    }
}

#[test]
fn wide_strings_are_copied_and_cut_like_the_hosts() {
    let mut rng = Rng::new(13);
    for _ in 0..20000 {
        let (a, b) = (wide_text(&mut rng), wide_text(&mut rng));
        let q = b.as_ptr();
        let n = rng.below(9);
        let mut start = [9; 16];
        start[..a.len()].copy_from_slice(&a);
        macro_rules! same {
            ($to:ident => $ours:expr, $theirs:expr) => {{
                let (mut x, mut y) = (start, start);
                let (ours, theirs) = unsafe {
                    let $to = x.as_mut_ptr();
                    let ours = $ours.offset_from($to);
                    let $to = y.as_mut_ptr();
                    (ours, $theirs.offset_from($to))
                };
                assert_eq!((ours, x), (theirs, y), "{a:?} {b:?} {n}");
            }};
        }
        same!(to => wide_strings::wcpcpy(to, q), host::wcpcpy(to, q));
        same!(to => wide_strings::wcpncpy(to, q, n), host::wcpncpy(to, q, n));
        same!(to => wide_strings::wcsncpy(to, q, n), host::wcsncpy(to, q, n));
        same!(to => wide_strings::wcscat(to, q), host::wcscat(to, q));
        same!(to => wide_strings::wcsncat(to, q, n), host::wcsncat(to, q, n));
        same!(to => to.add(wide_strings::wcsxfrm(to, q, n)), to.add(host::wcsxfrm(to, q, n)));
        // Cuts the same text again and again, until both say that nothing is left.
        let (mut x, mut y) = (a.clone(), a.clone());
        let (mut save, mut their_save) = (null_mut(), null_mut());
        let (mut at, mut their_at) = (x.as_mut_ptr(), y.as_mut_ptr());
        loop {
            let (ours, theirs) = unsafe {
                (
                    wide_strings::wcstok(at, q, &mut save),
                    host::wcstok(their_at, q, &mut their_save),
                )
            };
            assert_eq!(x, y, "{a:?} {b:?}");
            assert_eq!(ours.is_null(), theirs.is_null(), "{a:?} {b:?}");
            if ours.is_null() {
                break;
            }
            unsafe {
                assert_eq!(
                    ours.offset_from(x.as_ptr()),
                    theirs.offset_from(y.as_ptr()),
                    "{a:?} {b:?}"
                );
            }
            (at, their_at) = (null_mut(), null_mut());
        }
    }
}
