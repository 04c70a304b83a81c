//! What leads out of the process: other processes, and the network. A path ends where it would.

use crate::machine::Halt;
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("fork", other_process),
    ("vfork", other_process),
    ("_Fork", other_process),
    ("__fork", other_process),
    ("clone", other_process),
    ("execve", other_process),
    ("execv", other_process),
    ("execvp", other_process),
    ("execvpe", other_process),
    ("execl", other_process),
    ("execlp", other_process),
    ("execle", other_process),
    ("execveat", other_process),
    ("fexecve", other_process),
    ("system", system),
    ("popen", other_process),
    ("posix_spawn", other_process),
    ("posix_spawnp", other_process),
    ("daemon", other_process),
    ("ptrace", other_process),
    ("forkpty", other_process),
    ("openpty", other_process),
    ("socket", network),
    ("gethostbyname", network),
    ("gethostbyname2", network),
    ("gethostbyname_r", network),
    ("gethostbyaddr", network),
    ("getaddrinfo", network),
    ("getnameinfo", network),
    ("res_query", network),
    ("res_search", network),
    ("shutdown", no_socket),
    ("connect", no_socket),
    ("bind", no_socket),
    ("listen", no_socket),
    ("accept", no_socket),
    ("accept4", no_socket),
    ("send", no_socket),
    ("sendto", no_socket),
    ("sendmsg", no_socket),
    ("recv", no_socket),
    ("recvfrom", no_socket),
    ("recvmsg", no_socket),
    ("getsockname", no_socket),
    ("getpeername", no_socket),
    ("getsockopt", no_socket),
    ("setsockopt", no_socket),
];

fn other_process(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let what = format!("{}: another process, which is not modelled", call.name);
    Err(call.unsupported(what))
}

fn system(call: &mut Call<'_>) -> Result<Flow, Halt> {
    match call.number(0)? {
        // There is a shell.
        0 => Ok(call.signed(1)),
        _ => other_process(call),
    }
}

fn network(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let what = format!("{}: the network, which is not modelled", call.name);
    Err(call.unsupported(what))
}

/// What is open is no socket; the ends of a pair are for `read` and `write` alone.
fn no_socket(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    if call.files().is_pipe(descriptor) {
        return network(call);
    }
    let known = call.files().get(descriptor).map(|_| 0);
    Ok(call.settle(known.and(Err(errno::ENOTSOCK))))
}
