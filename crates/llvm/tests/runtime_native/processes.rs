//! What belongs to a process: its environment, its end, locale, signals and locks.

use super::*;

#[test]
fn the_environment_can_be_changed() {
    let _alone = alone();
    let name = |s: &'static CStr| s.as_ptr().cast::<u8>();
    unsafe {
        let mut first = *b"A=1\0";
        let mut second = *b"AB=2\0";
        let mut start = [first.as_mut_ptr(), second.as_mut_ptr(), null_mut()];
        env::environ = start.as_mut_ptr();
        assert_eq!(text(env::getenv(name(c"A"))), Some(&b"1"[..]));
        assert_eq!(text(env::getenv(name(c"AB"))), Some(&b"2"[..]));
        assert_eq!(text(env::getenv(name(c"B"))), None);
        assert_eq!(text(env::getenv(name(c""))), None);
        let mut model = BTreeMap::from([("A".to_string(), 1), ("AB".to_string(), 2)]);
        let mut rng = Rng::new(14);
        for value in 0..3000 {
            let key = rng.pick(&["A", "AB", "B", "C", "CC", "D", "E", "FFFF"]);
            let c_key = CString::new(key).unwrap();
            let p = c_key.as_ptr().cast::<u8>();
            match rng.below(4) {
                0 => {
                    assert_eq!(env::unsetenv(p), 0);
                    model.remove(key);
                }
                1 => {
                    let entry = CString::new(format!("{key}={value}")).unwrap().into_raw();
                    assert_eq!(env::putenv(entry.cast()), 0);
                    model.insert(key.into(), value);
                }
                kind => {
                    let text = CString::new(value.to_string()).unwrap();
                    assert_eq!(env::setenv(p, text.as_ptr().cast(), kind as c_int - 2), 0);
                    if kind == 3 || !model.contains_key(key) {
                        model.insert(key.into(), value);
                    }
                }
            }
            let mut seen = BTreeMap::new();
            let mut at = env::environ;
            while !(*at).is_null() {
                let entry = String::from_utf8_lossy(text(*at).unwrap()).into_owned();
                let (key, value) = entry.split_once('=').unwrap();
                assert!(
                    seen.insert(key.to_string(), value.parse().unwrap())
                        .is_none()
                );
                at = at.add(1);
            }
            assert_eq!(seen, model);
        }
        assert_eq!(env::setenv(name(c"a=b"), name(c"x"), 1), -1);
        assert_eq!(env::unsetenv(name(c"")), -1);
        env::clearenv();
        assert!(env::getenv(name(c"A")).is_null());
        assert_eq!(env::setenv(name(c"A"), name(c"z"), 0), 0);
        assert_eq!(text(env::getenv(name(c"A"))), Some(&b"z"[..]));
        env::clearenv();
    }
}

unsafe extern "C" fn say_first() {
    stdio::puts(c"first".as_ptr().cast());
}

unsafe extern "C" fn say_late() {
    stdio::puts(c"late".as_ptr().cast());
}

unsafe extern "C" fn register_late() {
    exit::atexit(say_late);
    stdio::puts(c"registering".as_ptr().cast());
}

unsafe extern "C" fn say_argument(argument: *mut c_void) {
    stdio::puts(argument.cast());
}

unsafe extern "C" fn say_status(status: c_int, argument: *mut c_void) {
    stdio::fputc(b'0' as c_int + status, stdio::stdout);
    stdio::puts(argument.cast());
}

/// What a child that runs `f` writes to standard output, and its status.
unsafe fn in_child(f: unsafe fn()) -> (String, c_int) {
    let mut fds = [0; 2];
    assert_eq!(host::pipe(fds.as_mut_ptr()), 0);
    let pid = host::fork();
    if pid == 0 {
        host::dup2(fds[1], 1);
        f();
        native::_exit(99);
    }
    native::close(fds[1]);
    let mut output = Vec::new();
    let mut buffer = [0u8; 256];
    loop {
        let n = native::read(fds[0], buffer.as_mut_ptr().cast(), 256);
        if n <= 0 {
            break;
        }
        output.extend(&buffer[..n as usize]);
    }
    native::close(fds[0]);
    let mut status = 0;
    host::waitpid(pid, &mut status, 0);
    (String::from_utf8(output).unwrap(), status)
}

#[test]
fn exit_runs_what_was_registered_backwards_and_then_writes_out() {
    let _alone = alone();
    unsafe {
        let all = in_child(|| {
            exit::atexit(say_first);
            exit::__cxa_atexit(
                say_argument,
                c"argument".as_ptr().cast_mut().cast(),
                null_mut(),
            );
            exit::on_exit(say_status, c" status".as_ptr().cast_mut().cast());
            exit::atexit(register_late);
            stdio::puts(c"main".as_ptr().cast());
            exit::exit(3)
        });
        let lines = "main\nregistering\nlate\n3 status\nargument\nfirst\n";
        assert_eq!(all, (lines.to_string(), 3 << 8));
        let quick = in_child(|| {
            exit::atexit(say_first);
            exit::at_quick_exit(say_late);
            exit::quick_exit(4)
        });
        // Nothing is written out by `quick_exit`.
        assert_eq!(quick, (String::new(), 4 << 8));
        let finalized = in_child(|| {
            let owner = std::ptr::without_provenance_mut;
            for (number, word) in [(1, c"one"), (2, c"two"), (3, c"three")] {
                let word = word.as_ptr().cast_mut().cast();
                exit::__cxa_atexit(say_argument, word, owner(number));
            }
            exit::__cxa_finalize(owner(2));
            exit::exit(0)
        });
        assert_eq!(finalized, ("two\nthree\none\n".to_string(), 0));
    }
}

#[test]
fn the_locale_is_the_hosts_c() {
    unsafe {
        for item in (0x20000..0x20030).chain([14, 0x10000, 0x10001, 0x50000, 0x50001, 0x4000f]) {
            assert_eq!(
                text(locale::nl_langinfo(item)),
                text(host::nl_langinfo(item)),
                "{item:x}"
            );
        }
        let (x, y) = (
            locale::localeconv().cast::<u8>().cast_const(),
            host::localeconv(),
        );
        for i in 0..10 {
            let (x, y) = (*x.cast::<*const u8>().add(i), *y.cast::<*const u8>().add(i));
            assert_eq!(text(x), text(y), "{i}");
        }
        for i in 80..94 {
            assert_eq!(*x.add(i), *y.add(i), "{i}");
        }
        let known = |name: &'static CStr| text(locale::setlocale(6, name.as_ptr().cast()));
        assert_eq!(known(c""), Some(&b"C"[..]));
        assert_eq!(known(c"POSIX"), Some(&b"C"[..]));
        assert_eq!(known(c"de_DE"), None);
        assert_eq!(text(locale::setlocale(0, null())), Some(&b"C"[..]));
        assert!(!locale::newlocale(1, c"C".as_ptr().cast(), null_mut()).is_null());
    }
}

static mut RAISED: c_int = 0;

unsafe extern "C" fn note(signal: c_int) {
    RAISED = signal;
}

#[test]
fn signal_sets_are_the_hosts_and_handlers_are_kept() {
    let _alone = alone();
    let mut rng = Rng::new(15);
    unsafe {
        let (mut x, mut y) = ([1u64; 16], [1u64; 16]);
        let p = (&raw mut x).cast::<signal::Set>();
        for full in [false, true] {
            if full {
                signal::sigfillset(p);
                host::sigfillset(&mut y);
                // The host may fill only what the kernel knows.
                assert_eq!(x[0], y[0]);
            } else {
                signal::sigemptyset(p);
                host::sigemptyset(&mut y);
            }
            for _ in 0..200 {
                let n = rng.pick(&[1, 2, 6, 15, 31, 34, 64, 0, 65, -1]);
                if rng.below(2) == 0 {
                    assert_eq!(signal::sigaddset(p, n), host::sigaddset(&mut y, n), "{n}");
                } else {
                    assert_eq!(signal::sigdelset(p, n), host::sigdelset(&mut y, n), "{n}");
                }
                assert_eq!(x[0], y[0]);
                assert_eq!(signal::sigismember(p, n), host::sigismember(&y, n), "{n}");
            }
        }
        let handler = note as *const c_void;
        assert!(signal::signal(10, handler).is_null());
        assert_eq!(signal::signal(10, handler), handler);
        assert_eq!(delivery::raise(10), 0);
        assert_eq!((&raw const RAISED).read(), 10);
        assert_eq!(delivery::raise(12), 77);
        assert_eq!(signal::signal(9, handler) as isize, -1);
    }
}

#[test]
fn locks_of_one_thread_work() {
    unsafe {
        let mut mutex = [0u64; 5];
        let m = mutex.as_mut_ptr().cast::<thread::Mutex>();
        assert_eq!(thread::pthread_mutex_lock(m), 0);
        assert_eq!(thread::pthread_mutex_trylock(m), 16);
        assert_eq!(thread::pthread_mutex_unlock(m), 0);
        let recursive = 1;
        thread::pthread_mutex_init(m, &recursive);
        for _ in 0..3 {
            assert_eq!(thread::pthread_mutex_lock(m), 0);
        }
        for _ in 0..3 {
            assert_eq!(thread::pthread_mutex_destroy(m), 16);
            assert_eq!(thread::pthread_mutex_unlock(m), 0);
        }
        assert_eq!(thread::pthread_mutex_destroy(m), 0);
        let mut key = 0;
        assert_eq!(thread::pthread_key_create(&mut key, None), 0);
        assert_eq!(
            thread::pthread_setspecific(key, std::ptr::without_provenance(5)),
            0
        );
        assert_eq!(thread::pthread_getspecific(key) as usize, 5);
        assert_eq!(thread::pthread_key_delete(key), 0);
        assert_eq!(thread::pthread_setspecific(key, null()), 22);
        assert_eq!(thread::pthread_setspecific(5000, null()), 22);
    }
}

#[test]
fn fortified_functions_do_what_the_plain_ones_do() {
    unsafe {
        let mut to = [0u8; 8];
        let p = to.as_mut_ptr();
        fortify::__strcpy_chk(p, c"abc".as_ptr().cast(), 8);
        fortify::__strcat_chk(p, c"de".as_ptr().cast(), 8);
        fortify::__strncat_chk(p, c"fghi".as_ptr().cast(), 2, 8);
        assert_eq!(&to, b"abcdefg\0");
        fortify::__memset_chk(p.cast(), 1, 3, 8);
        assert_eq!(
            fortify::__mempcpy_chk(p.add(1), b"z".as_ptr(), 1, 7),
            p.add(2)
        );
        assert_eq!(&to, b"\x01z\x01defg\0");
    }
    // One byte more than there is room for ends the program.
    let _alone = alone();
    unsafe {
        let (_, status) = in_child(|| {
            let mut to = [0u8; 4];
            fortify::__strcpy_chk(to.as_mut_ptr(), c"abc".as_ptr().cast(), 4);
            native::_exit(if to == *b"abc\0" { 5 } else { 6 })
        });
        assert_eq!(status, 5 << 8);
        let (_, status) = in_child(|| {
            native::close(2);
            let mut to = [0u8; 4];
            fortify::__strcpy_chk(to.as_mut_ptr(), c"abcd".as_ptr().cast(), 4);
        });
        assert_eq!(status & 127, 6, "killed by SIGABRT");
    }
}
