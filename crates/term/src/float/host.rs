//! Functions of the host's mathematical library, found when they are first called.
//!
//! What the linker finds under these names may be Rust's own, which rounds some of them otherwise and sets no errors.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

/// Where the host's library is; without it, its functions are in the C library.
const LIBRARY: &CStr = c"libm.so.6";

/// A function of the library.
pub struct HostFunction {
    name: &'static str,
    address: OnceLock<usize>,
}

impl HostFunction {
    pub const fn new(name: &'static str) -> HostFunction {
        HostFunction {
            name,
            address: OnceLock::new(),
        }
    }

    /// Where it is: to be called as C declares it.
    ///
    /// # Panics
    /// If the library does not have it.
    pub fn address(&self) -> *const () {
        let address = *self.address.get_or_init(|| {
            let name = CString::new(self.name).unwrap_or_default();
            // SAFETY: both take strings that end with a zero; the library is never closed.
            let found = unsafe {
                let library = libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW);
                libc::dlsym(library, name.as_ptr())
            };
            found as usize
        });
        assert!(address != 0, "the host's library has no {:?}", self.name);
        address as *const ()
    }
}
