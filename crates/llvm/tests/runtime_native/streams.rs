//! Streams.

use super::*;

fn scratch(name: &str) -> CString {
    let path = std::env::temp_dir().join(format!("refrain-runtime-{}-{name}", std::process::id()));
    CString::new(path.to_str().unwrap()).unwrap()
}

fn contents(path: &CStr) -> Vec<u8> {
    std::fs::read(path.to_str().unwrap()).unwrap()
}

/// The same operations on a stream of ours and one of the host's.
fn compare_streams(rng: &mut Rng, f: *mut stdio::FILE, g: *mut c_void, what: &str) {
    let block: Vec<u8> = (0..9000).map(|i| (i % 251) as u8).collect();
    let mut writing = None;
    let mut log = Vec::new();
    for _ in 0..40 {
        let operation = rng.below(12);
        // A byte pushed back to a stream that cannot be read is the host's joke.
        if operation == 7 && what.starts_with("\"w\"") {
            continue;
        }
        let wants = match operation {
            0..=2 => Some(true),
            3..=7 => Some(false),
            _ => None,
        };
        unsafe {
            // C asks for a seek between writing and reading.
            if wants.is_some() && writing.is_some() && wants != writing {
                assert_eq!(
                    stdio::fseek(f, 0, 1),
                    host::fseek(g, 0, 1),
                    "{what} {log:?}"
                );
            }
            writing = wants.or(writing);
            let n = rng.pick(&[1, 5, 100, 4095, 4096, 4097, 9000]);
            let c = rng.pick(b"xyz\n") as c_int;
            let (mut x, mut y) = (vec![0u8; 9001], vec![0u8; 9001]);
            log.push((operation, n));
            let (ours, theirs): (i64, i64) = match operation {
                0 => (stdio::fputc(c, f) as i64, host::fputc(c, g) as i64),
                1 => (
                    stdio::fwrite(block.as_ptr().cast(), 1, n, f) as i64,
                    host::fwrite(block.as_ptr().cast(), 1, n, g) as i64,
                ),
                2 => {
                    let s = c"some\nlines\n".as_ptr().cast();
                    (
                        (stdio::fputs(s, f) >= 0) as i64,
                        (host::fputs(s, g) >= 0) as i64,
                    )
                }
                3 => (stdio::fgetc(f) as i64, host::fgetc(g) as i64),
                4 => (
                    stdio::fread(x.as_mut_ptr().cast(), 1, n, f) as i64,
                    host::fread(y.as_mut_ptr().cast(), 1, n, g) as i64,
                ),
                5 | 6 => (
                    !stdio::fgets(x.as_mut_ptr(), n as c_int, f).is_null() as i64,
                    !host::fgets(y.as_mut_ptr(), n as c_int, g).is_null() as i64,
                ),
                7 => {
                    // Pushed back and read again.
                    let pushed = (stdio::ungetc(c, f), host::ungetc(c, g));
                    assert_eq!(pushed.0, pushed.1);
                    (stdio::fgetc(f) as i64, host::fgetc(g) as i64)
                }
                8 => {
                    let whence = rng.pick(&[0, 0, 2, 1]);
                    let by = if whence == 0 {
                        n as c_long
                    } else {
                        -(rng.below(3) as c_long)
                    };
                    writing = None;
                    (
                        stdio::fseek(f, by, whence) as i64,
                        host::fseek(g, by, whence) as i64,
                    )
                }
                9 => (stdio::ftell(f), host::ftell(g)),
                // Which would do instead of a seek but for what the host makes of
                // a byte pushed back then.
                10 => (stdio::fflush(f) as i64, host::fflush(g) as i64),
                _ => {
                    stdio::clearerr(f);
                    host::clearerr(g);
                    (0, 0)
                }
            };
            assert_eq!(ours, theirs, "{what} {log:?}");
            assert_eq!(x, y, "{what} {log:?}");
            assert_eq!(stdio::feof(f) != 0, host::feof(g) != 0, "{what} {log:?}");
            assert_eq!(
                stdio::ferror(f) != 0,
                host::ferror(g) != 0,
                "{what} {log:?}"
            );
        }
    }
}

#[test]
fn streams_behave_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(13);
    let (ours, theirs) = (scratch("ours"), scratch("theirs"));
    for round in 0..600 {
        let mode = rng.pick(&[c"w+", c"r+", c"r", c"w", c"r+b"]);
        let start = vec![b"ab\n"[round % 3]; rng.pick(&[0, 10, 5000, 20000])];
        for path in [&ours, &theirs] {
            std::fs::write(path.to_str().unwrap(), &start).unwrap();
        }
        unsafe {
            let f = stdio::fopen(ours.as_ptr(), mode.as_ptr().cast());
            let g = host::fopen(theirs.as_ptr(), mode.as_ptr());
            assert!(!f.is_null() && !g.is_null());
            compare_streams(&mut rng, f, g, &format!("{mode:?} {}", start.len()));
            assert_eq!(stdio::fclose(f), host::fclose(g));
        }
        assert_eq!(contents(&ours), contents(&theirs), "{mode:?}");
    }
    unsafe {
        // Appending, lines, and modes that are none.
        std::fs::write(ours.to_str().unwrap(), "one\n\ntwo\nlast").unwrap();
        let f = stdio::fopen(ours.as_ptr(), c"r".as_ptr().cast());
        let g = host::fopen(ours.as_ptr(), c"r".as_ptr());
        let (mut x, mut y) = (null_mut(), null_mut());
        let (mut n, mut m) = (0, 0);
        loop {
            let read = stdio::getline(&mut x, &mut n, f);
            assert_eq!(read, host::getline(&mut y, &mut m, g));
            if read < 0 {
                break;
            }
            assert_eq!(text(x), text(y));
        }
        stdio::fclose(f);
        host::fclose(g);
        native::free(x.cast());
        native::free(y.cast());
        let f = stdio::fopen(ours.as_ptr(), c"a".as_ptr().cast());
        stdio::fputs(c"+".as_ptr().cast(), f);
        assert_eq!(stdio::ftell(f), 14);
        stdio::fclose(f);
        assert_eq!(contents(&ours), b"one\n\ntwo\nlast+");
        assert!(stdio::fopen(ours.as_ptr(), c"q".as_ptr().cast()).is_null());
        assert!(stdio::fopen(c"/nonexistent/x".as_ptr(), c"r".as_ptr().cast()).is_null());
        // Unbuffered and line-buffered streams are written at once.
        for buffering in [1, 2] {
            let f = stdio::fopen(ours.as_ptr(), c"w".as_ptr().cast());
            stdio::setvbuf(f, null_mut(), buffering, 0);
            stdio::fputs(c"now\n".as_ptr().cast(), f);
            assert_eq!(contents(&ours), b"now\n");
            stdio::fputc(b'!' as c_int, f);
            stdio::fclose(f);
            assert_eq!(contents(&ours), b"now\n!");
        }
        let f = stdio::fopen(ours.as_ptr(), c"w".as_ptr().cast());
        stdio::fputs(c"later".as_ptr().cast(), f);
        assert_eq!((contents(&ours).len(), stdio::__fpending(f)), (0, 5));
        assert_eq!(stdio::__refrain_flush_all(), 0);
        assert_eq!(contents(&ours), b"later");
        stdio::fclose(f);
        let f = stdio::tmpfile();
        assert_eq!(stdio::__refrain_stream_write(f, b"xy".as_ptr(), 2), 2);
        stdio::rewind(f);
        assert_eq!(stdio::__refrain_stream_getc(f), b'x' as c_int);
        assert_eq!(
            stdio::__refrain_stream_ungetc(b'q' as c_int, f),
            b'q' as c_int
        );
        assert_eq!(stdio::__refrain_stream_getc(f), b'q' as c_int);
        assert_eq!(stdio::__refrain_stream_getc(f), b'y' as c_int);
        assert_eq!(stdio::__refrain_stream_getc(f), -1);
        stdio::fclose(f);
        assert_eq!(stdio::remove(ours.as_ptr()), 0);
        assert_eq!(stdio::remove(theirs.as_ptr()), 0);
        // A stream in memory.
        let mut bytes = *b"hello\nworld\0";
        let f = stdio::fmemopen(bytes.as_mut_ptr(), 11, c"r".as_ptr().cast());
        let g = host::fmemopen(bytes.as_mut_ptr(), 11, c"r".as_ptr());
        for _ in 0..14 {
            assert_eq!(stdio::fgetc(f), host::fgetc(g));
        }
        stdio::fclose(f);
        host::fclose(g);
    }
}
