//! Under the tool: what is asked for is symbolic. The engine gives a name that is taken already a number.

use std::ffi::{CString, c_char};

unsafe extern "C" {
    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const c_char);
    fn klee_assume(condition: usize);
}

/// Numbers of so many bytes each, any of them.
pub(crate) fn fill(name: &str, bytes: &mut [u8], _width: usize) {
    if bytes.is_empty() {
        return;
    }
    let name = CString::new(name.replace('\0', "")).unwrap_or_default();
    // SAFETY: the engine writes so many bytes to this place.
    unsafe { klee_make_symbolic(bytes.as_mut_ptr(), bytes.len(), name.as_ptr()) };
}

/// A number of so many bytes for which the condition holds. The condition should have no branches, since each is a
/// path.
pub(crate) fn choose(
    name: &str,
    width: usize,
    is_valid: impl Fn(u64) -> bool,
    _draw: impl FnOnce(u64) -> u64,
) -> u64 {
    let mut bytes = [0; 8];
    fill(name, &mut bytes[..width], width);
    let number = u64::from_le_bytes(bytes);
    assume(is_valid(number));
    number
}

pub(crate) fn assume(condition: bool) {
    // SAFETY: it reads its argument and nothing else.
    unsafe { klee_assume(usize::from(condition)) };
}

/// Runs a function; under the tool its inputs are any, and not those that are given.
pub fn with_inputs<R>(_inputs: &[(&str, &[u8])], run: impl FnOnce() -> R) -> R {
    run()
}
