//! Options of command lines.

use super::*;

struct Line {
    words: Vec<Vec<u8>>,
    pointers: Vec<*mut u8>,
}

impl Line {
    fn new(words: &[&str]) -> Line {
        let mut words: Vec<Vec<u8>> = words
            .iter()
            .map(|word| [word.as_bytes(), b"\0"].concat())
            .collect();
        let mut pointers: Vec<*mut u8> = words.iter_mut().map(|word| word.as_mut_ptr()).collect();
        pointers.push(null_mut());
        Line { words, pointers }
    }

    fn order(&self) -> Vec<String> {
        let all = &self.pointers[..self.words.len()];
        all.iter()
            .map(|&p| String::from_utf8_lossy(unsafe { text(p) }.unwrap()).into())
            .collect()
    }
}

#[test]
fn options_are_taken_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(11);
    static mut FLAG: c_int = 0;
    let option = |name: &'static CStr, has_arg, flag, val| getopt::LongOption {
        name: name.as_ptr().cast(),
        has_arg,
        flag,
        val,
    };
    let longs = [
        option(c"alpha", 0, null_mut(), 300),
        option(c"alpine", 1, null_mut(), 301),
        option(c"beta", 2, null_mut(), 302),
        option(c"flag", 0, &raw mut FLAG, 303),
        option(c"b", 1, null_mut(), 304),
        // Either is meant by what both begin with.
        option(c"gamma", 0, null_mut(), 305),
        option(c"gamut", 0, null_mut(), 305),
        getopt::LongOption {
            name: null(),
            has_arg: 0,
            flag: null_mut(),
            val: 0,
        },
    ];
    let words = [
        "-a",
        "-b",
        "-bx",
        "-ab",
        "-c",
        "-cx",
        "--",
        "-",
        "x",
        "y",
        "--alpha",
        "--alp",
        "--alpi",
        "--alpine=3",
        "--beta",
        "--beta=4",
        "--alpha=5",
        "--flag",
        "--none",
        "-x",
        "-alpha",
        "-beta",
        "-abx",
        "--b",
        "--al",
        "-:",
        "-fl",
        "--be=",
        "--ga",
        "-gam",
        "--gamu",
    ];
    for _ in 0..40000 {
        let kind = rng.below(3);
        let options = rng.pick(&[c"ab:c::", c"+ab:c::", c"-ab:c::", c":ab:c::", c"abc"]);
        let mut line = vec!["prog"];
        for _ in 0..rng.below(7) {
            line.push(rng.pick(&words));
        }
        let (mut ours, mut theirs) = (Line::new(&line), Line::new(&line));
        let argc = line.len() as c_int;
        unsafe {
            // What is said about errors, caught in memory.
            let (mut said, mut said_len) = (null_mut(), 0);
            let (mut told, mut told_len) = (null_mut(), 0);
            let (our_stderr, their_stderr) = (stdio::stderr, host::stderr);
            let (sink, other) = (
                stdio::open_memstream(&mut said, &mut said_len),
                host::open_memstream(&mut told, &mut told_len),
            );
            getopt::optind = 0;
            host::optind = 0;
            let (mut ours_log, mut theirs_log) = (Vec::new(), Vec::new());
            for step in 0..20 {
                let (mut x, mut y) = (-7, -7);
                let (p, q) = (ours.pointers.as_mut_ptr(), theirs.pointers.as_mut_ptr());
                let (o, l) = (options.as_ptr().cast(), longs.as_ptr());
                stdio::stderr = sink;
                host::stderr = other;
                FLAG = 0;
                let code = match kind {
                    0 => getopt::getopt(argc, p, o),
                    1 => getopt::getopt_long(argc, p, o, l, &mut x),
                    _ => getopt::getopt_long_only(argc, p, o, l, &mut x),
                };
                let flag = (&raw mut FLAG).replace(0);
                let expected = match kind {
                    0 => host::getopt(argc, q, o),
                    1 => host::getopt_long(argc, q, o, l, &mut y),
                    _ => host::getopt_long_only(argc, q, o, l, &mut y),
                };
                stdio::stderr = our_stderr;
                host::stderr = their_stderr;
                let rejected = |code| code == b'?' as c_int || code == b':' as c_int;
                ours_log.push((
                    code,
                    getopt::optind,
                    text(getopt::optarg).map(<[u8]>::to_vec),
                    if rejected(code) { getopt::optopt } else { 0 },
                    (x, flag),
                    ours.order(),
                ));
                theirs_log.push((
                    expected,
                    host::optind,
                    text(host::optarg).map(<[u8]>::to_vec),
                    if rejected(expected) { host::optopt } else { 0 },
                    (y, FLAG),
                    theirs.order(),
                ));
                assert_eq!(
                    ours_log[step], theirs_log[step],
                    "{kind} {options:?} {line:?} step {step}"
                );
                if code == -1 {
                    break;
                }
            }
            stdio::fclose(sink);
            host::fclose(other);
            assert_eq!(
                text(said).map(String::from_utf8_lossy),
                text(told).map(String::from_utf8_lossy),
                "{kind} {options:?} {line:?}"
            );
            native::free(said.cast());
            native::free(told.cast());
        }
    }
}
