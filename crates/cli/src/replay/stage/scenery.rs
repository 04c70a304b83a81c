//! The files that confined programs see: the host's, under their own names, and what a program changes is its own and
//! gone when it has ended.
//!
//! Over each directory of the host lies an overlay, whose upper side is in memory. A file system that has others mounted
//! in it cannot be overlaid as a whole: its directory is made anew, and each of its entries is shown by itself. What no
//! overlay can lie over is shown as it is, and cannot be written. Of `/dev` there is what the machine has.
//!
//! After a test everything is as it was: an overlay whose upper side has changed is made anew.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use refrain_llvm::native::file_system::USER;
use refrain_llvm::native::kernel::START_SECONDS;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use super::Set;
use super::confine::checked;

/// The most that the changes of one test may take.
const ROOM: &str = "size=2g,mode=755";

/// How often the host's files are looked at before one that is missing is an error.
const ATTEMPTS: usize = 4;

/// The machine's.
const DEVICES: [&str; 6] = ["full", "null", "random", "tty", "urandom", "zero"];
const STREAMS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

pub struct Scenery {
    set: Set,
    /// Where everything is in memory, and in it the root that programs see.
    place: PathBuf,
    root: PathBuf,
    layers: Vec<Layer>,
    /// What the root has of itself.
    bare: Contents,
    /// Where something is mounted on the host.
    mounted: Vec<PathBuf>,
}

/// An overlay.
struct Layer {
    /// The directory of the host below it.
    lower: PathBuf,
    /// Where it is mounted.
    at: PathBuf,
    /// Its own place in memory.
    place: PathBuf,
    /// What is in its upper side when no program has run, and when that was last changed.
    clean: Contents,
    changed: (i64, i64),
    /// Something else is mounted in it.
    has_others: bool,
}

/// Names, and what of them a program can change without the names: mode, owner, size, and when it was last written.
type Contents = BTreeMap<PathBuf, (u32, u32, u64, (i64, i64))>;

impl Scenery {
    pub fn build(set: &Set) -> io::Result<Scenery> {
        let place = set.folder.join("stage");
        if !place.is_dir() {
            fs::create_dir(&place)?;
        }
        let mut scenery = Scenery {
            set: set.clone(),
            root: place.join("root"),
            place,
            layers: Vec::new(),
            bare: Contents::new(),
            mounted: mount_points()?,
        };
        scenery.raise_anew()?;
        Ok(scenery)
    }

    /// Shows everything. What other processes remove while it is looked at makes it begin once more.
    fn raise_anew(&mut self) -> io::Result<()> {
        for _ in 1..ATTEMPTS {
            match self.raise() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    unmount(&self.place)?;
                    self.layers.clear();
                }
                other => return other,
            }
        }
        self.raise()
    }

    /// What programs have as their root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a path of a program's is.
    pub fn inside(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn raise(&mut self) -> io::Result<()> {
        mount(
            Some("tmpfs"),
            Path::new("tmpfs"),
            &self.place,
            0,
            Some(ROOM.into()),
        )?;
        self.show(Path::new("/"))?;
        let set = self.set.clone();
        if let Some(below) = &set.below {
            let lower = match below.as_os_str().is_empty() {
                true => self.place.join("empty"),
                false => below.clone(),
            };
            fs::create_dir_all(self.place.join("empty"))?;
            let at = self.inside(&set.start);
            fs::create_dir_all(&at)?;
            self.overlay(&lower, at)?;
        } else {
            let start = self.inside(&set.start);
            fs::create_dir_all(&start)?;
            if !self.layers.iter().any(|layer| start.starts_with(&layer.at)) {
                mount(None, &start, &start, libc::MS_BIND, None)?;
            }
        }
        if set.is_shared {
            let at = self.inside(&set.folder);
            mount(None, &set.folder, &at, libc::MS_BIND, None)?;
        }
        let others: Vec<PathBuf> = [&set.start, &set.folder]
            .map(|path| self.inside(path))
            .into();
        for layer in &mut self.layers {
            let is_in = |path: &PathBuf| path.starts_with(&layer.at) && *path != layer.at;
            layer.has_others =
                (set.below.is_some() && is_in(&others[0])) || (set.is_shared && is_in(&others[1]));
            layer.clean = contents(&layer.upper())?;
            layer.changed = changed(&layer.upper())?;
        }
        self.bare = contents(&self.root)?;
        // The machine's root belongs to somebody else.
        set_attributes(&self.root, libc::MOUNT_ATTR_RDONLY, false)
    }

    /// Puts everything back as it was.
    pub fn restore(&mut self) -> io::Result<()> {
        let mut is_bare = contents(&self.root)? == self.bare;
        for index in 0..self.layers.len() {
            let layer = &mut self.layers[index];
            if layer.is_clean()? {
                continue;
            }
            if layer.has_others {
                is_bare = false;
                break;
            }
            unmount(&layer.at)?;
            fs::remove_dir_all(&layer.place)?;
            layer.raise(&self.set)?;
            layer.clean = contents(&layer.upper())?;
            layer.changed = changed(&layer.upper())?;
        }
        if !is_bare {
            unmount(&self.place)?;
            self.layers.clear();
            self.raise_anew()?;
        }
        Ok(())
    }

    /// Shows a path of the host as it is there.
    fn show(&mut self, path: &Path) -> io::Result<()> {
        let at = self.inside(path);
        match path.as_os_str().as_bytes() {
            b"/dev" => return self.show_devices(&at),
            b"/proc" | b"/sys" => {
                fs::create_dir(&at)?;
                return show_as_it_is(path, &at);
            }
            _ => {}
        }
        let found = fs::symlink_metadata(path)?;
        if found.is_symlink() {
            return link(&fs::read_link(path)?, &at, found.modified()?);
        }
        if !found.is_dir() {
            fs::write(&at, "")?;
            return show_as_it_is(path, &at);
        }
        let is_below = |point: &PathBuf| point.starts_with(path) && point != path;
        if !self.mounted.iter().any(is_below) {
            fs::create_dir(&at)?;
            return match self.overlay(path, at.clone()) {
                // There programs are to write.
                Err(error) if self.set.below.is_none() && self.set.start.starts_with(path) => {
                    let text = format!("no overlay can lie over {}: {error}", path.display());
                    Err(io::Error::other(text))
                }
                Err(_) => show_as_it_is(path, &at),
                Ok(()) => Ok(()),
            };
        }
        make_directory(&at, &found)?;
        // One can be written and another not.
        mount(None, &at, &at, libc::MS_BIND, None)?;
        for entry in fs::read_dir(path)? {
            let entry = entry?.path();
            match self.show(&entry) {
                Err(error) if self.set.start.starts_with(&entry) => return Err(error),
                // What cannot be shown is not there.
                _ => {}
            }
        }
        // The machine has a root of its own.
        match path.parent() {
            Some(_) => set_times_like(path, &at),
            None => set_times(&at, machine_start()),
        }
    }

    fn show_devices(&self, at: &Path) -> io::Result<()> {
        fs::create_dir(at)?;
        for name in DEVICES {
            let (from, to) = (Path::new("/dev").join(name), at.join(name));
            fs::write(&to, "")?;
            if mount(None, &from, &to, libc::MS_BIND, None).is_err() {
                fs::remove_file(&to)?;
            }
        }
        for (name, target) in STREAMS {
            link(Path::new(target), &at.join(name), machine_start())?;
        }
        set_times(at, machine_start())
    }

    fn overlay(&mut self, lower: &Path, at: PathBuf) -> io::Result<()> {
        let layer = Layer {
            lower: lower.to_path_buf(),
            at,
            place: self.place.join(format!("layer{}", self.layers.len())),
            clean: Contents::new(),
            changed: (0, 0),
            has_others: false,
        };
        layer.raise(&self.set)?;
        self.layers.push(layer);
        Ok(())
    }
}

impl Layer {
    fn upper(&self) -> PathBuf {
        self.place.join("upper")
    }

    fn raise(&self, set: &Set) -> io::Result<()> {
        let (upper, work) = (self.upper(), self.place.join("work"));
        fs::create_dir_all(&work)?;
        make_like(&self.lower, &upper)?;
        // Where a test's files are to be, so that to place them changes nothing else.
        if set.below.is_none()
            && let Ok(rest) = set.start.strip_prefix(&self.lower)
        {
            self.make_way(&rest.join("file"))?;
        }
        for hidden in &set.hidden {
            if let Ok(rest) = hidden.strip_prefix(&self.lower)
                && !rest.as_os_str().is_empty()
                && fs::symlink_metadata(hidden).is_ok()
            {
                self.make_way(rest)?;
                white_out(&upper.join(rest))?;
            }
        }
        for path in contents(&upper)?.keys() {
            let rest = path.strip_prefix(&upper).unwrap_or(path);
            let lower = self.lower.join(rest);
            if path.is_dir() && lower.is_dir() {
                set_times_like(&lower, path)?;
            }
        }
        let mut options = OsString::from("userxattr");
        for (name, path) in [
            (",lowerdir=", &self.lower),
            (",upperdir=", &upper),
            (",workdir=", &work),
        ] {
            options.push(name);
            options.push(escaped(path));
        }
        mount(
            Some("overlay"),
            Path::new("overlay"),
            &self.at,
            0,
            Some(options),
        )
    }

    /// Makes the directories on the way to a path, as they are in the layer below.
    fn make_way(&self, path: &Path) -> io::Result<()> {
        let mut way: Vec<&Path> = path.ancestors().skip(1).collect();
        way.reverse();
        for part in way {
            let (lower, upper) = (self.lower.join(part), self.upper().join(part));
            if !lower.is_dir() {
                return Ok(());
            }
            make_like(&lower, &upper)?;
        }
        Ok(())
    }

    fn is_clean(&self) -> io::Result<bool> {
        let upper = self.upper();
        if self.clean.len() == 1 {
            return Ok(changed(&upper)? == self.changed);
        }
        Ok(contents(&upper)? == self.clean)
    }
}

/// Makes a directory that is like one of the host's, unless there is one.
fn make_like(lower: &Path, upper: &Path) -> io::Result<()> {
    if !upper.is_dir() {
        make_directory(upper, &fs::metadata(lower)?)?;
    }
    Ok(())
}

/// Gives a directory the times of another.
fn set_times_like(like: &Path, path: &Path) -> io::Result<()> {
    set_times(path, fs::metadata(like)?.modified()?)
}

/// When something was last read, and changed. A link is not followed.
pub fn set_times(path: &Path, time: SystemTime) -> io::Result<()> {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = Timespec {
        tv_sec: since.as_secs() as i64,
        tv_nsec: i64::from(since.subsec_nanos()),
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn link(target: &Path, at: &Path, time: SystemTime) -> io::Result<()> {
    symlink(target, at)?;
    set_times(at, time)
}

/// When programs start in the machine.
pub fn machine_start() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(START_SECONDS)
}

/// A directory that the user may do with what he may do with another, to whomever that belongs.
fn make_directory(path: &Path, like: &fs::Metadata) -> io::Result<()> {
    let mode = like.mode() & 0o7777;
    let mode = match like.uid() == USER {
        true => mode,
        false => mode & 0o7077 | (mode & 0o7) << 6,
    };
    DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// What a directory has in it, on the same file system, and itself.
fn contents(directory: &Path) -> io::Result<Contents> {
    let found = fs::symlink_metadata(directory)?;
    let mut all = Contents::new();
    let mut rest = vec![(directory.to_path_buf(), found.clone())];
    while let Some((path, metadata)) = rest.pop() {
        if metadata.dev() != found.dev() {
            continue;
        }
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                rest.push((entry.path(), entry.metadata()?));
            }
        }
        // The size of a directory changes with what a test places there.
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        let time = (metadata.mtime(), metadata.mtime_nsec());
        all.insert(path, (metadata.mode(), metadata.uid(), size, time));
    }
    Ok(all)
}

/// When a directory was last changed.
fn changed(directory: &Path) -> io::Result<(i64, i64)> {
    let found = fs::metadata(directory)?;
    Ok((found.ctime(), found.ctime_nsec()))
}

/// Where something is mounted.
fn mount_points() -> io::Result<Vec<PathBuf>> {
    let text = fs::read("/proc/self/mountinfo")?;
    let lines = text.split(|&byte| byte == b'\n');
    let points = lines.filter_map(|line| line.split(|&byte| byte == b' ').nth(4));
    Ok(points
        .map(|point| PathBuf::from(OsString::from_vec(unescaped(point))))
        .collect())
}

/// `\040` is a space.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((&first, others)) = rest.split_first() {
        let digits = rest
            .get(1..4)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match byte {
            Some(byte) if first == b'\\' => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            _ => {
                bytes.push(first);
                rest = others;
            }
        }
    }
    bytes
}

/// For the options of an overlay.
fn escaped(path: &Path) -> OsString {
    let mut bytes = Vec::new();
    for &byte in path.as_os_str().as_bytes() {
        if matches!(byte, b':' | b',' | b'\\') {
            bytes.push(b'\\');
        }
        bytes.push(byte);
    }
    OsString::from_vec(bytes)
}

fn text(path: impl AsRef<std::ffi::OsStr>) -> io::Result<CString> {
    Ok(CString::new(path.as_ref().as_bytes())?)
}

/// By these signs an overlay knows what is gone.
fn white_out(path: &Path) -> io::Result<()> {
    let path = text(path)?;
    // SAFETY: the path is a string.
    checked(unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR, 0) })?;
    Ok(())
}

fn mount(
    kind: Option<&str>,
    from: &Path,
    to: &Path,
    flags: libc::c_ulong,
    options: Option<OsString>,
) -> io::Result<()> {
    let (kind, source, target) = (kind.map(text).transpose()?, text(from)?, text(to)?);
    let options = options.map(text).transpose()?;
    let pointer =
        |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
    let (kind, options) = (pointer(&kind), pointer(&options));
    // SAFETY: these are strings, or null where that means nothing.
    let mounted = unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind,
            flags,
            options.cast(),
        )
    };
    checked(mounted).map_err(|error| {
        let text = format!(
            "cannot mount {} at {}: {error}",
            from.display(),
            to.display()
        );
        io::Error::new(error.kind(), text)
    })?;
    Ok(())
}

fn unmount(at: &Path) -> io::Result<()> {
    let at = text(at)?;
    // SAFETY: the path is a string.
    checked(unsafe { libc::umount2(at.as_ptr(), libc::MNT_DETACH) })?;
    Ok(())
}

/// Shows a path of the host with all that is mounted in it, to be read only. Its devices are none.
fn show_as_it_is(path: &Path, at: &Path) -> io::Result<()> {
    mount(None, path, at, libc::MS_BIND | libc::MS_REC, None)?;
    set_attributes(at, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV, true)
}

/// Of a mount, or of all in it as well.
fn set_attributes(at: &Path, attributes: u64, is_recursive: bool) -> io::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let at = text(at)?;
    let flags = if is_recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a string, and the attributes are as long as is said.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            at.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(result as libc::c_int)?;
    Ok(())
}
