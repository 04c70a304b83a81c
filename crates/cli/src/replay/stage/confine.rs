//! Native programs that can do no harm. A test may well be `rm -r /etc` or `kill -9 -1`: what is only a path in the
//! machine would be done by the native program.
//!
//! A confined program sees the files of the host, and what it changes is its own (`scenery`); it has no network and no
//! rights beyond its user's, and knows no processes but those that it starts; signals reach nobody but itself and its
//! group. That takes namespaces (user, mounts, network, messages, processes) and a filter of system calls. It is the
//! machine's user and process: its numbers are the same.

use std::io;

use libc::{c_int, c_long, pid_t};
use refrain_llvm::native::file_system::USER;
use refrain_llvm::native::kernel::PROCESS;

use super::kernel::ANSWERED;
use super::vary::VARIED;

/// Whose turn it is after [`enter`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What was confined has come to its end.
    Outside,
    Inside,
}

pub fn checked(result: c_int) -> io::Result<c_int> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Goes on in a process that is confined, and that has the rights to arrange the world in there. There are no threads.
pub fn enter() -> io::Result<Place> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let namespaces = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWPID;
    // SAFETY: nothing is shared with other threads: there are none.
    checked(unsafe { libc::unshare(namespaces) })?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{USER} {} 1", user.as_raw()))?;
    std::fs::write("/proc/self/gid_map", format!("{USER} {} 1", group.as_raw()))?;
    // The first process in there ends when its child does, and everything else with it.
    if let Some(first) = fork(None)? {
        wait_for(first);
        return Ok(Place::Outside);
    }
    if let Some(stage) = fork(Some(PROCESS - 1))? {
        wait_for(stage);
        std::process::exit(0);
    }
    // Nothing that is mounted here is seen outside.
    let (none, flags) = (std::ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
    // SAFETY: the path is a string, and the rest means nothing here.
    checked(unsafe { libc::mount(none, c"/".as_ptr(), none, flags, none.cast()) })?;
    Ok(Place::Inside)
}

/// Waits for a child, and for what has lost its parent.
fn wait_for(child: pid_t) {
    loop {
        // SAFETY: the status may be thrown away.
        let ended = unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) };
        let is_interrupted = io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
        if ended == child || (ended == -1 && !is_interrupted) {
            return;
        }
    }
}

/// The child's number, or none in the child. It may be chosen by whoever has the rights.
pub fn fork(number: Option<u32>) -> io::Result<Option<pid_t>> {
    let numbers = number.map(|number| number as pid_t);
    // SAFETY: all zeros say that nothing is wanted.
    let mut wanted: libc::clone_args = unsafe { std::mem::zeroed() };
    wanted.exit_signal = libc::SIGCHLD as u64;
    if let Some(number) = &numbers {
        wanted.set_tid = &raw const *number as u64;
        wanted.set_tid_size = 1;
    }
    // SAFETY: what is wanted is as long as is said. There are no other threads, whose locks a child would inherit.
    let child = unsafe { libc::syscall(libc::SYS_clone3, &raw const wanted, size_of_val(&wanted)) };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        child => Ok(Some(child as pid_t)),
    }
}

/// From here on, other processes than this one and its group are not there for signals, and whoever traces this one answers
/// what the machine's kernel would; if it is varied, also what the file system says.
pub fn filter_calls(is_varied: bool) -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    // Where things are in `seccomp_data`.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const FIRST_ARGUMENT: u32 = 16;
    const X86_64: u32 = 0xc000_003e;
    const SIGNALS: [c_long; 6] = [
        libc::SYS_kill,
        libc::SYS_tgkill,
        libc::SYS_tkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_pidfd_send_signal,
    ];
    /// Of these the first argument is a process, or a group.
    const NAMING: usize = 2;
    const STEPS: usize = 3 + SIGNALS.len() + ANSWERED.len() + VARIED.len() + 8;
    let step = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    // SAFETY: it cannot fail.
    let own = unsafe { libc::getpid() };
    // Nothing is allocated: this is a child that has yet to become its program.
    let mut program = [step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0); STEPS];
    let calls = SIGNALS.len() + ANSWERED.len() + VARIED.len();
    let (whom, refuse, allow, answer) = (4 + calls, STEPS - 3, STEPS - 2, STEPS - 1);
    let distance = |from: usize, to: usize| (to - from - 1) as u8;
    program[0] = step(LOAD, ARCHITECTURE, 0, 0);
    program[1] = step(EQUAL, X86_64, 0, distance(1, refuse));
    program[2] = step(LOAD, NUMBER, 0, 0);
    let traced = SIGNALS.len() + ANSWERED.len();
    for (index, &call) in SIGNALS.iter().chain(&ANSWERED).chain(&VARIED).enumerate() {
        let to = match index {
            index if index < NAMING => whom,
            index if index < SIGNALS.len() => refuse,
            index if index < traced || is_varied => answer,
            _ => allow,
        };
        let at = 3 + index;
        program[at] = step(EQUAL, call as u32, distance(at, to), 0);
    }
    program[whom - 1] = step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0);
    program[whom] = step(LOAD, FIRST_ARGUMENT, 0, 0);
    for (index, own) in [own as u32, own.wrapping_neg() as u32, 0]
        .into_iter()
        .enumerate()
    {
        let at = whom + 1 + index;
        program[at] = step(EQUAL, own, distance(at, allow), 0);
    }
    program[refuse] = step(RETURN, libc::SECCOMP_RET_ERRNO | libc::ESRCH as u32, 0, 0);
    program[allow] = step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0);
    program[answer] = step(RETURN, libc::SECCOMP_RET_TRACE, 0, 0);
    let program = libc::sock_fprog {
        len: STEPS as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the program is as long as is said, and is only read.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        let mode = libc::SECCOMP_MODE_FILTER;
        checked(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program))?;
    }
    Ok(())
}
