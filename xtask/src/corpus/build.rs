//! The projects, from the sources of Debian packages, built by a compiler that is named: what comes out stays in
//! `target/corpus/NAME/refrain` and `.../native`.

use crate::install::is_on_path;
use crate::workspace::run;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A source package, how it is built by a shell in which `$CC` is the compiler, and where its programs are then.
pub struct Project {
    pub name: &'static str,
    build: &'static str,
    /// The folders that programs are in.
    pub programs: &'static [&'static str],
    /// Programs that the build itself needs.
    tools: &'static [&'static str],
}

pub const PROJECTS: [Project; 7] = [
    Project {
        name: "coreutils",
        // With its own arithmetic and checksums, in place of libraries that have no bitcode.
        build: "./configure CC=\"$CC\" --disable-nls --without-openssl --without-libgmp && make",
        programs: &["src"],
        tools: &[],
    },
    Project {
        name: "busybox",
        // Its `tc` is not for the kernel's headers of today.
        build: "make defconfig && sed -i 's/CONFIG_TC=y/# CONFIG_TC is not set/' .config && \
                make CC=\"$CC\" HOSTCC=clang",
        programs: &["."],
        tools: &[],
    },
    Project {
        name: "lua5.4",
        build: "make -C src CC=\"$CC\" linux",
        programs: &["src"],
        tools: &[],
    },
    Project {
        name: "sqlite3",
        build: "./configure CC=\"$CC\" --disable-tcl && make sqlite3",
        programs: &["."],
        tools: &["tclsh"],
    },
    Project {
        name: "zlib",
        build: "CC=\"$CC\" ./configure && make",
        programs: &["."],
        tools: &[],
    },
    Project {
        name: "gzip",
        build: "./configure CC=\"$CC\" && make",
        programs: &["."],
        tools: &[],
    },
    Project {
        name: "bc",
        build: "./configure CC=\"$CC\" && make MAKEINFO=true",
        programs: &["bc", "dc"],
        tools: &["ed", "bison", "flex"],
    },
];

impl Project {
    /// Builds it from nothing. Beside it are then the log, and how many seconds it took: that is written last.
    pub fn build(&self, archive: &Path, place: &Path, compiler: &str) -> Result<()> {
        let _ = fs::remove_dir_all(place);
        let _ = fs::remove_file(place.with_extension("time"));
        fs::create_dir_all(place)?;
        let mut unpack = Command::new("tar");
        unpack
            .args(["xf"])
            .arg(archive)
            .args(["--strip-components=1", "-C"]);
        run(unpack.arg(place))?;
        let log = place.with_extension("log");
        let output = fs::File::create(&log)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let started = Instant::now();
        let status = Command::new("sh")
            .args(["-c", self.build])
            .current_dir(place)
            .env("CC", compiler)
            .env("FORCE_UNSAFE_CONFIGURE", "1")
            // What programs say of the time they were built at.
            .env("SOURCE_DATE_EPOCH", "0")
            .env("MAKEFLAGS", format!("-j{threads}"))
            .stdin(Stdio::null())
            .stderr(output.try_clone()?)
            .stdout(output)
            .status()?;
        if !status.success() {
            bail!(
                "{} does not build with {compiler}: see {}",
                self.name,
                log.display()
            );
        }
        let seconds = started.elapsed().as_secs_f64();
        let time = place.with_extension("time");
        fs::write(&time, format!("{seconds:.1}\n"))
            .with_context(|| format!("cannot write {}", time.display()))
    }

    /// The tools of its build that are not on this machine.
    pub fn missing_tools(&self) -> Vec<&'static str> {
        let tools = self.tools.iter().copied();
        tools.filter(|tool| !is_on_path(tool)).collect()
    }

    pub fn is_built(&self, place: &Path) -> bool {
        self.took(place).is_ok()
    }

    /// How many seconds the build took.
    pub fn took(&self, place: &Path) -> Result<f64> {
        let time = fs::read_to_string(place.with_extension("time"))
            .with_context(|| format!("{} is not built", self.name))?;
        let seconds = time.split_whitespace().next().unwrap_or_default();
        seconds.parse().context("not a number of seconds")
    }

    /// How many programs there are, and how much bitcode is in them. A program without any is an error.
    pub fn bitcode(&self, place: &Path) -> Result<(usize, usize)> {
        use std::os::unix::fs::PermissionsExt;
        let (mut programs, mut bytes) = (0, 0);
        let mut entries = Vec::new();
        for folder in self.programs {
            let folder = place.join(folder);
            let read = fs::read_dir(&folder);
            entries.extend(read.with_context(|| format!("no {}", folder.display()))?);
        }
        for entry in entries.into_iter().flatten() {
            let data = entry.metadata()?;
            if !data.is_file() || data.permissions().mode() & 0o111 == 0 {
                continue;
            }
            let contents = fs::read(entry.path())?;
            if !contents.starts_with(b"\x7fELF") {
                continue;
            }
            let size = bitcode(&entry.path())?;
            if size == 0 {
                bail!("{} has no bitcode", entry.path().display());
            }
            programs += 1;
            bytes += size;
        }
        if programs == 0 {
            bail!("{} has built no programs", self.name);
        }
        Ok((programs, bytes))
    }
}

/// The size of the section for bitcode, as `readelf` sees it.
fn bitcode(program: &Path) -> Result<usize> {
    let mut readelf = Command::new("readelf");
    let said = readelf.args(["-SW"]).arg(program).output();
    let said = said.context("cannot start readelf")?.stdout;
    let text = String::from_utf8_lossy(&said).into_owned();
    let line = text.lines().find(|line| line.contains(" .llvmbc "));
    // Behind the name come type, address, offset and size.
    let size = line.and_then(|line| {
        let words = line.split(" .llvmbc ").nth(1)?;
        usize::from_str_radix(words.split_whitespace().nth(3)?, 16).ok()
    });
    Ok(size.unwrap_or(0))
}

/// Debian's packages, by an index of its own: the machine's need not have sources, nor other releases.
pub struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// Sources of packages.
    pub fn sources(folder: &Path) -> Result<Packages> {
        Packages::new(folder, "deb-src", "bookworm")
    }

    /// Packages of a release, to be unpacked.
    pub fn of(release: &str, folder: &Path) -> Result<Packages> {
        Packages::new(folder, "deb", release)
    }

    fn new(folder: &Path, types: &str, suite: &str) -> Result<Packages> {
        for part in ["lists/partial", "cache/archives/partial", "parts"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let list = format!(
            "Types: {types}\nURIs: {}\nSuites: {suite}\nComponents: main\n\
             Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n",
            debian_archive()?
        );
        fs::write(folder.join("parts/debian.sources"), list)?;
        Ok(Packages {
            folder: folder.to_path_buf(),
        })
    }

    fn apt(&self) -> Command {
        let mut apt = Command::new("apt-get");
        let set = |name: &str, part: &str| format!("{name}={}", self.folder.join(part).display());
        for option in [
            "Dir::Etc::SourceList=/dev/null".to_string(),
            "APT::Sandbox::User=root".to_string(),
            set("Dir::Etc::SourceParts", "parts"),
            set("Dir::State::Lists", "lists"),
            set("Dir::Cache", "cache"),
        ] {
            apt.arg("-o").arg(option);
        }
        apt.current_dir(&self.folder);
        apt
    }

    /// Unpacks packages into `root`.
    pub fn unpack(&self, packages: &[&str], root: &Path) -> Result<()> {
        run(self.apt().args(["-qq", "update"]))?;
        run(self.apt().args(["-qq", "download"]).args(packages))?;
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "deb") {
                run(Command::new("dpkg-deb").arg("-x").arg(path).arg(root))?;
            }
        }
        Ok(())
    }

    /// The original sources of a package, without what Debian changes.
    pub fn archive(&self, package: &str) -> Result<PathBuf> {
        let find = || -> Option<PathBuf> {
            let entries = fs::read_dir(&self.folder).ok()?.flatten();
            let mut files = entries.map(|entry| entry.path());
            files.find(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(&format!("{package}_"))
                    && name.contains(".orig.tar.")
                    && !name.ends_with(".asc")
            })
        };
        if find().is_none() {
            println!("fetching the sources of {package}");
            run(self.apt().args(["-qq", "update"]))?;
            run(self
                .apt()
                .args(["-qq", "source", "--download-only", package]))?;
        }
        find().with_context(|| format!("{package} has no original sources"))
    }
}

/// Where this machine gets the packages of its own release from.
fn debian_archive() -> Result<String> {
    let system = fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?;
    let mut lines = system.lines();
    let release = lines
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .context("/etc/os-release names no release of Debian")?;
    let targets = Command::new("apt-get")
        .args(["indextargets", "--no-release-info", "--format"])
        .args(["$(RELEASE) $(REPO_URI)", "Created-By: Packages"])
        .output()
        .context("cannot start apt-get")?;
    let targets = String::from_utf8_lossy(&targets.stdout).into_owned();
    let of_release = |line: &str| {
        let (of, place) = line.split_once(' ')?;
        (of == release).then(|| place.to_string())
    };
    let mut found = targets.lines().filter_map(of_release);
    found
        .next()
        .with_context(|| format!("apt-get knows no source of packages of {release}"))
}
