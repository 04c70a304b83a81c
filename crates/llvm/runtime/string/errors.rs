//! Errors and signals in words.

use super::copy::{stpcpy, strlcpy};
use super::write_decimal;
use crate::errno::{EINVAL, ERANGE};
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null;

static mut ERROR_TEXT: [u8; 48] = [0; 48];

static mut SIGNAL_TEXT: [u8; 48] = [0; 48];

/// The text of a known error, or null.
unsafe fn error_text(error: c_int) -> *const u8 {
    // 41 and 58 are holes in the numbering.
    if (error as u32) < ERRORS.len() as u32 && error != 41 && error != 58 {
        (*(&raw const ERRORS).cast::<&CStr>().add(error as usize))
            .as_ptr()
            .cast()
    } else {
        null()
    }
}

unsafe fn unknown(to: *mut u8, what: *const u8, number: c_int) {
    let end = stpcpy(to, what);
    let len = write_decimal(end, number as i64);
    *end.add(len) = 0;
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror(error: c_int) -> *mut u8 {
    let text = error_text(error);
    if !text.is_null() {
        return text.cast_mut();
    }
    let to = (&raw mut ERROR_TEXT).cast::<u8>();
    unknown(to, c"Unknown error ".as_ptr().cast(), error);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror_l(error: c_int, _locale: *mut c_void) -> *mut u8 {
    strerror(error)
}

/// GNU's `strerror_r`, which may leave the buffer alone.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strerror_r(error: c_int, buffer: *mut u8, size: usize) -> *mut u8 {
    let text = error_text(error);
    if !text.is_null() {
        return text.cast_mut();
    }
    strlcpy(buffer, strerror(error), size);
    buffer
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __xpg_strerror_r(error: c_int, buffer: *mut u8, size: usize) -> c_int {
    let known = !error_text(error).is_null();
    let fits = strlcpy(buffer, strerror(error), size) < size;
    if !known {
        EINVAL
    } else if !fits {
        ERANGE
    } else {
        0
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strsignal(signal: c_int) -> *mut u8 {
    if (1..32).contains(&signal) {
        return (*(&raw const SIGNALS).cast::<&CStr>().add(signal as usize))
            .as_ptr()
            .cast_mut()
            .cast();
    }
    let to = (&raw mut SIGNAL_TEXT).cast::<u8>();
    if (34..65).contains(&signal) {
        unknown(to, c"Real-time signal ".as_ptr().cast(), signal - 34);
    } else {
        unknown(to, c"Unknown signal ".as_ptr().cast(), signal);
    }
    to
}

static ERRORS: [&CStr; 134] = [
    c"Success",
    c"Operation not permitted",
    c"No such file or directory",
    c"No such process",
    c"Interrupted system call",
    c"Input/output error",
    c"No such device or address",
    c"Argument list too long",
    c"Exec format error",
    c"Bad file descriptor",
    c"No child processes",
    c"Resource temporarily unavailable",
    c"Cannot allocate memory",
    c"Permission denied",
    c"Bad address",
    c"Block device required",
    c"Device or resource busy",
    c"File exists",
    c"Invalid cross-device link",
    c"No such device",
    c"Not a directory",
    c"Is a directory",
    c"Invalid argument",
    c"Too many open files in system",
    c"Too many open files",
    c"Inappropriate ioctl for device",
    c"Text file busy",
    c"File too large",
    c"No space left on device",
    c"Illegal seek",
    c"Read-only file system",
    c"Too many links",
    c"Broken pipe",
    c"Numerical argument out of domain",
    c"Numerical result out of range",
    c"Resource deadlock avoided",
    c"File name too long",
    c"No locks available",
    c"Function not implemented",
    c"Directory not empty",
    c"Too many levels of symbolic links",
    c"Unknown error 41",
    c"No message of desired type",
    c"Identifier removed",
    c"Channel number out of range",
    c"Level 2 not synchronized",
    c"Level 3 halted",
    c"Level 3 reset",
    c"Link number out of range",
    c"Protocol driver not attached",
    c"No CSI structure available",
    c"Level 2 halted",
    c"Invalid exchange",
    c"Invalid request descriptor",
    c"Exchange full",
    c"No anode",
    c"Invalid request code",
    c"Invalid slot",
    c"Unknown error 58",
    c"Bad font file format",
    c"Device not a stream",
    c"No data available",
    c"Timer expired",
    c"Out of streams resources",
    c"Machine is not on the network",
    c"Package not installed",
    c"Object is remote",
    c"Link has been severed",
    c"Advertise error",
    c"Srmount error",
    c"Communication error on send",
    c"Protocol error",
    c"Multihop attempted",
    c"RFS specific error",
    c"Bad message",
    c"Value too large for defined data type",
    c"Name not unique on network",
    c"File descriptor in bad state",
    c"Remote address changed",
    c"Can not access a needed shared library",
    c"Accessing a corrupted shared library",
    c".lib section in a.out corrupted",
    c"Attempting to link in too many shared libraries",
    c"Cannot exec a shared library directly",
    c"Invalid or incomplete multibyte or wide character",
    c"Interrupted system call should be restarted",
    c"Streams pipe error",
    c"Too many users",
    c"Socket operation on non-socket",
    c"Destination address required",
    c"Message too long",
    c"Protocol wrong type for socket",
    c"Protocol not available",
    c"Protocol not supported",
    c"Socket type not supported",
    c"Operation not supported",
    c"Protocol family not supported",
    c"Address family not supported by protocol",
    c"Address already in use",
    c"Cannot assign requested address",
    c"Network is down",
    c"Network is unreachable",
    c"Network dropped connection on reset",
    c"Software caused connection abort",
    c"Connection reset by peer",
    c"No buffer space available",
    c"Transport endpoint is already connected",
    c"Transport endpoint is not connected",
    c"Cannot send after transport endpoint shutdown",
    c"Too many references: cannot splice",
    c"Connection timed out",
    c"Connection refused",
    c"Host is down",
    c"No route to host",
    c"Operation already in progress",
    c"Operation now in progress",
    c"Stale file handle",
    c"Structure needs cleaning",
    c"Not a XENIX named type file",
    c"No XENIX semaphores available",
    c"Is a named type file",
    c"Remote I/O error",
    c"Disk quota exceeded",
    c"No medium found",
    c"Wrong medium type",
    c"Operation canceled",
    c"Required key not available",
    c"Key has expired",
    c"Key has been revoked",
    c"Key was rejected by service",
    c"Owner died",
    c"State not recoverable",
    c"Operation not possible due to RF-kill",
    c"Memory page has hardware error",
];

static SIGNALS: [&CStr; 32] = [
    c"Unknown signal 0",
    c"Hangup",
    c"Interrupt",
    c"Quit",
    c"Illegal instruction",
    c"Trace/breakpoint trap",
    c"Aborted",
    c"Bus error",
    c"Floating point exception",
    c"Killed",
    c"User defined signal 1",
    c"Segmentation fault",
    c"User defined signal 2",
    c"Broken pipe",
    c"Alarm clock",
    c"Terminated",
    c"Stack fault",
    c"Child exited",
    c"Continued",
    c"Stopped (signal)",
    c"Stopped",
    c"Stopped (tty input)",
    c"Stopped (tty output)",
    c"Urgent I/O condition",
    c"CPU time limit exceeded",
    c"File size limit exceeded",
    c"Virtual timer expired",
    c"Profiling timer expired",
    c"Window changed",
    c"I/O possible",
    c"Power failure",
    c"Bad system call",
];
