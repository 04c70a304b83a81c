//! Native programs that can do no harm. A test may well be `rm -r /etc` or `kill -9 -1`: what is only a path in the
//! machine would be done by the native program.
//!
//! A confined process sees the files of the host and can write none of them but those of its own folder; it has no
//! network and no rights beyond its user's; signals reach nobody but itself and its group. That takes namespaces (user,
//! mounts, network, messages), a read-only mount of everything, and a filter of system calls.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// All that the new process needs to know, made before it is forked: between fork and exec nothing may be allocated.
struct Confinement {
    folder: CString,
    place: CString,
    users: String,
    groups: String,
}

/// Confines the process that a command starts: it is in `place`, and can write only what is in `folder`.
pub fn confine(command: &mut Command, folder: &Path, place: &Path) -> io::Result<()> {
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let confinement = Confinement {
        folder: text(folder)?,
        place: text(place)?,
        users: format!("{0} {0} 1", user.as_raw()),
        groups: format!("{0} {0} 1", group.as_raw()),
    };
    // SAFETY: what is called there makes system calls only, on memory from before.
    unsafe { command.pre_exec(move || confinement.enter()) };
    Ok(())
}

/// Why processes cannot be confined here; none if they can.
pub fn obstacle() -> Option<io::Error> {
    let folder = match tempfile::Builder::new().prefix("refrain-").tempdir() {
        Ok(folder) => folder,
        Err(error) => return Some(error),
    };
    let mut command = Command::new("/proc/self/exe");
    command.arg("--version").stdout(Stdio::null());
    confine(&mut command, folder.path(), folder.path())
        .and_then(|()| command.status())
        .err()
}

fn checked(result: libc::c_int) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

impl Confinement {
    fn enter(&self) -> io::Result<()> {
        let namespaces = libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWNET
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        // SAFETY: nothing is shared with other threads: there are none after a fork.
        checked(unsafe { libc::unshare(namespaces) })?;
        write(c"/proc/self/setgroups", b"deny")?;
        write(c"/proc/self/uid_map", self.users.as_bytes())?;
        write(c"/proc/self/gid_map", self.groups.as_bytes())?;
        // Nothing that is mounted here is seen outside.
        mount(None, c"/", libc::MS_REC | libc::MS_PRIVATE)?;
        mount(Some(&self.folder), &self.folder, libc::MS_BIND)?;
        set_read_only(c"/", true)?;
        set_read_only(&self.folder, false)?;
        // The directory that the process is in already is that of the mount before.
        // SAFETY: the path is a string.
        checked(unsafe { libc::chdir(self.place.as_ptr()) })?;
        filter_signals()
    }
}

fn write(path: &std::ffi::CStr, text: &[u8]) -> io::Result<()> {
    // SAFETY: the path is a string, the text is as long as is said, and the descriptor is open.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        checked(file)?;
        let written = libc::write(file, text.as_ptr().cast(), text.len());
        let result = checked(written as libc::c_int);
        libc::close(file);
        result
    }
}

fn mount(
    from: Option<&std::ffi::CStr>,
    to: &std::ffi::CStr,
    flags: libc::c_ulong,
) -> io::Result<()> {
    let from = from.map_or(std::ptr::null(), std::ffi::CStr::as_ptr);
    let none = std::ptr::null();
    // SAFETY: these are strings, or null where that means nothing.
    checked(unsafe { libc::mount(from, to.as_ptr(), none, flags, none.cast()) })
}

/// Everything that is mounted below the root, or one mount alone to be written again.
fn set_read_only(mount: &std::ffi::CStr, is_on: bool) -> io::Result<()> {
    let bit = libc::MOUNT_ATTR_RDONLY;
    let attributes = libc::mount_attr {
        attr_set: if is_on { bit } else { 0 },
        attr_clr: if is_on { 0 } else { bit },
        propagation: 0,
        userns_fd: 0,
    };
    let flags = if is_on { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a string, and the attributes are as long as is said.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            mount.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(result as libc::c_int)
}

/// From here on, signals to other processes than this one and its group are refused.
fn filter_signals() -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    // Where things are in `seccomp_data`.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const FIRST_ARGUMENT: u32 = 16;
    const X86_64: u32 = 0xc000_003e;
    let step = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    let number = |call: libc::c_long| call as u32;
    // SAFETY: it cannot fail.
    let own = unsafe { libc::getpid() };
    let program = [
        step(LOAD, ARCHITECTURE, 0, 0),
        step(EQUAL, X86_64, 0, 12),
        step(LOAD, NUMBER, 0, 0),
        step(EQUAL, number(libc::SYS_kill), 6, 0),
        step(EQUAL, number(libc::SYS_tgkill), 5, 0),
        step(EQUAL, number(libc::SYS_tkill), 8, 0),
        step(EQUAL, number(libc::SYS_rt_sigqueueinfo), 7, 0),
        step(EQUAL, number(libc::SYS_rt_tgsigqueueinfo), 6, 0),
        step(EQUAL, number(libc::SYS_pidfd_send_signal), 5, 0),
        step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
        // To whom?
        step(LOAD, FIRST_ARGUMENT, 0, 0),
        step(EQUAL, own as u32, 3, 0),
        step(EQUAL, own.wrapping_neg() as u32, 2, 0),
        step(EQUAL, 0, 1, 0),
        step(RETURN, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0, 0),
        step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the program is as long as is said, and is only read.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        let mode = libc::SECCOMP_MODE_FILTER;
        checked(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, script: &str) -> std::process::Output {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).process_group(0);
        confine(&mut command, folder, folder).expect("paths without zeros");
        command.output().expect("processes can be confined")
    }

    #[test]
    fn only_the_own_folder_can_be_written() {
        let outside = tempfile::tempdir().expect("a folder");
        let folder = tempfile::tempdir().expect("a folder");
        let kept = outside.path().join("kept");
        std::fs::write(&kept, "text").expect("a file");
        let script = format!(
            "echo own > own; rm -rf {0}; echo more >> {0}/kept; cat {0}/kept",
            outside.path().display()
        );
        let output = run(folder.path(), &script);
        assert_eq!(output.stdout, b"text");
        assert_eq!(std::fs::read(&kept).expect("it is there"), b"text");
        let own = std::fs::read(folder.path().join("own"));
        assert_eq!(own.expect("it was written"), b"own\n");
    }

    #[test]
    fn signals_reach_the_process_itself_and_nobody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut other = Command::new("sleep").arg("60").spawn().expect("a process");
        let script = format!(
            "kill -9 {} || kill -9 -1 || echo refused; kill -9 $$",
            other.id()
        );
        let output = run(folder.path(), &script);
        assert_eq!(output.stdout, b"refused\n");
        let status = output.status;
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9)
        );
        assert!(other.try_wait().expect("a child").is_none());
        other
            .kill()
            .and_then(|()| other.wait())
            .expect("it ends now");
    }
}
