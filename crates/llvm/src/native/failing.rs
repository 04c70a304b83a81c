//! System calls that fail although nothing is wrong with them, as they may on any machine: the disk is full, or broken.
//!
//! Up to so many do on one path. Whether a call fails is an input of one byte, named after the call: a path that goes on
//! after a failure has a test like any other, and the machine fails the same calls when it runs that test.

use refrain_machine::Role;

use super::{Call, Flow, NativeFn, errno};
use crate::machine::{Halt, State};

/// What a call that fails returns.
#[derive(Clone, Copy)]
enum Answer {
    MinusOne,
    Null,
}

/// Calls that may fail, and why they do.
const CALLS: &[(&[&str], i32, Answer)] = &[
    (
        &["read", "pread", "pread64", "readv", "preadv"],
        errno::EIO,
        Answer::MinusOne,
    ),
    (
        &[
            "write",
            "pwrite",
            "pwrite64",
            "writev",
            "pwritev",
            "sendfile",
            "copy_file_range",
        ],
        errno::ENOSPC,
        Answer::MinusOne,
    ),
    (
        &["close", "fsync", "fdatasync", "msync"],
        errno::EIO,
        Answer::MinusOne,
    ),
    (
        &[
            "__refrain_open",
            "open",
            "open64",
            "openat",
            "openat64",
            "creat",
            "creat64",
            "pipe",
            "pipe2",
            "dup",
        ],
        errno::EMFILE,
        Answer::MinusOne,
    ),
    (
        &[
            "mkdir",
            "mkdirat",
            "rename",
            "renameat",
            "link",
            "linkat",
            "symlink",
            "symlinkat",
            "mkstemp",
        ],
        errno::ENOSPC,
        Answer::MinusOne,
    ),
    (
        &[
            "unlink",
            "unlinkat",
            "rmdir",
            "lseek",
            "lseek64",
            "ftruncate",
            "ftruncate64",
            "truncate",
        ],
        errno::EIO,
        Answer::MinusOne,
    ),
    (
        &[
            "stat",
            "stat64",
            "lstat",
            "lstat64",
            "fstat",
            "fstat64",
            "fstatat",
            "fstatat64",
            "statx",
        ],
        errno::EIO,
        Answer::MinusOne,
    ),
    (
        &[
            "chmod",
            "fchmod",
            "fchmodat",
            "chown",
            "fchown",
            "fchownat",
            "utimensat",
            "futimens",
        ],
        errno::EIO,
        Answer::MinusOne,
    ),
    (
        &["chdir", "fchdir", "access", "faccessat"],
        errno::EIO,
        Answer::MinusOne,
    ),
    (&["mmap", "mmap64"], errno::ENOMEM, Answer::MinusOne),
    (&["getcwd"], errno::ENOENT, Answer::Null),
    (&["opendir", "fdopendir"], errno::EMFILE, Answer::Null),
];

fn failure(name: &str) -> Option<(i32, Answer)> {
    let known = CALLS.iter().find(|(names, ..)| names.contains(&name))?;
    Some((known.1, known.2))
}

/// Calls a function that may fail instead, if the path still has a failure left.
pub(crate) fn call(native: NativeFn, call: &mut Call<'_>) -> Result<Flow, Halt> {
    let Some((error, result)) = failure(call.name) else {
        return native(call);
    };
    let name = format!("fail {}", call.name.trim_start_matches("__refrain_"));
    let input = call
        .machine
        .new_input(call.terms, call.state, &name, Role::Failure, 1)
        .map_err(|why| call.unsupported(why.to_string()))?;
    let zero = call.terms.bv(8, 0);
    let succeeds = call.terms.eq(input.bytes[0], zero);
    if call.machine.decide(call.terms, call.state, succeeds)? {
        let flow = native(call);
        // A call that asks is repeated, and gets the same input then.
        if !matches!(flow, Err(Halt::Ask(_))) {
            input.add_to(call.state);
        }
        return flow;
    }
    input.add_to(call.state);
    call.state.world.failures_left -= 1;
    Ok(match result {
        Answer::MinusOne => call.fail(error),
        Answer::Null => call.settle_pointer(Err(error)),
    })
}

impl State {
    /// So many system calls may fail on every path from here on.
    pub fn allow_failures(&mut self, most: u32) {
        self.world.failures_left = most;
    }
}
