//! A parser of percentages with a mistake that no ordinary test finds. Look at the failing test's input: which three
//! characters are they?

use std::ffi::c_char;

unsafe extern "C" {
    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const c_char);
}

/// "7%" or "42%" as a share of 255.
fn share(text: &[u8]) -> Option<u8> {
    let digits = text.strip_suffix(b"%")?;
    let mut percent = 0u8;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        percent = percent * 10 + (digit - b'0');
    }
    Some((u32::from(percent) * 255 / 100) as u8)
}

fn main() {
    let mut text = [0u8; 4];
    unsafe { klee_make_symbolic(text.as_mut_ptr(), text.len(), c"text".as_ptr()) };
    if let Some(share) = share(&text) {
        std::process::exit(i32::from(share > 127));
    }
}
