// inputs: a=0..15 b=0..15
// paths: 5
// Options and results: `?`, combinators, and an unwrap that some inputs do not survive. Every path has its own status.
unsafe extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

#[inline(never)]
fn halved(x: i32) -> Option<i32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[inline(never)]
fn checked(a: i32, b: i32) -> Result<i32, i32> {
    let half = halved(a).ok_or(10)?;
    if half < b {
        return Err(11);
    }
    Ok(half - b)
}

fn main() {
    let (a, b) = unsafe {
        (
            klee_range(0, 16, c"a".as_ptr().cast()),
            klee_range(0, 16, c"b".as_ptr().cast()),
        )
    };
    let status = match checked(a, b) {
        Ok(rest) if rest > 3 => 12,
        Ok(rest) => {
            let quarter = halved(rest).unwrap();
            assert!(quarter < 2);
            13
        }
        Err(code) => code,
    };
    std::process::exit(status);
}
