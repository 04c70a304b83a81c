//! Tests of what happens without rights, or without room.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Whether this is root, who has every permission: what must fail without one is then run as nobody.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.expect("id starts").stdout == b"0\n"
}

/// A copy of a program that everybody can run, wherever the original is; removed in the end.
pub struct Reachable {
    pub program: PathBuf,
    _folder: TempDir,
}

impl Reachable {
    pub fn copy(program: &Path) -> Reachable {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let everybody = || fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), everybody()).expect("our own folder");
        let copy = folder.path().join("program");
        fs::copy(program, &copy).expect("the program can be copied");
        fs::set_permissions(&copy, everybody()).expect("our own file");
        Reachable {
            program: copy,
            _folder: folder,
        }
    }
}

/// A small file system of its own.
pub struct Mount(pub PathBuf);

impl Mount {
    /// `None`: mounting is not allowed here, as in most containers and for most users. That is said, even where the
    /// output of tests that pass is not shown.
    pub fn new(path: PathBuf, size: &str) -> Option<Mount> {
        fs::create_dir(&path).expect("a new folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(&path)
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Mount(path));
        }
        let test = std::thread::current();
        let test = test.name().unwrap_or("a test");
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test}: a file system cannot be mounted here"
        );
        None
    }

    pub fn make_read_only(&self) {
        let remount = || {
            let mut mount = Command::new("mount");
            let output = mount.args(["-o", "remount,ro"]).arg(&self.0).output();
            output.is_ok_and(|output| output.status.success())
        };
        // A child that another test has just forked holds all open files until it runs its program.
        let patience = Instant::now() + Duration::from_secs(20);
        while !remount() {
            assert!(Instant::now() < patience, "the file system stays busy");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
