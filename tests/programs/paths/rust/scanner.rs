// inputs: s[3]='0','1','9','x'
// paths: 7
// Bytes to a number, with errors told apart.
unsafe extern "C" {
    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const u8);
    fn klee_assume(condition: usize);
}

#[derive(PartialEq)]
enum Failure {
    Digit,
    Large,
}

#[inline(never)]
fn number(text: &[u8]) -> Result<u8, Failure> {
    let mut value = 0u8;
    for byte in text {
        let digit = (*byte as char).to_digit(10).ok_or(Failure::Digit)?;
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(digit as u8))
            .ok_or(Failure::Large)?;
    }
    Ok(value)
}

#[inline(never)]
fn end<const STATUS: i32>() -> ! {
    std::process::exit(STATUS)
}

/// Every status is a way of its own.
fn leave(status: i32) -> ! {
    match status {
        1 => end::<1>(),
        2 => end::<2>(),
        3 => end::<3>(),
        4 => end::<4>(),
        _ => end::<5>(),
    }
}

fn main() {
    let mut s = [0u8; 3];
    unsafe { klee_make_symbolic(s.as_mut_ptr(), 3, c"s".as_ptr().cast()) };
    for byte in s {
        let known = (byte == b'0') | (byte == b'1') | (byte == b'9') | (byte == b'x');
        unsafe { klee_assume(usize::from(known)) };
    }
    leave(match number(&s) {
        Ok(0) => 1,
        Ok(1..=99) => 2,
        Ok(_) => 3,
        Err(Failure::Large) => 4,
        Err(Failure::Digit) => 5,
    });
}
