//! Real projects, from the sources of Debian packages, built with `refrain cc` and with clang: nothing but the name of
//! the compiler may differ. What comes out stays in `target/corpus/NAME/refrain` and `.../native`, for whoever wants to
//! explore it.

use crate::workspace::{self, run};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is built, and how.
#[derive(Args)]
pub struct Options {
    /// The projects [default: all of them].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The command under test [default: the release build].
    #[arg(long, value_name = "PROGRAM")]
    refrain: Option<PathBuf>,
}

/// A source package, how it is built by a shell in which `$CC` is the compiler, and where its programs are then.
struct Project {
    name: &'static str,
    build: &'static str,
    programs: &'static str,
    /// Programs that the build itself needs.
    tools: &'static [&'static str],
}

const PROJECTS: [Project; 7] = [
    Project {
        name: "coreutils",
        build: "./configure CC=\"$CC\" --disable-nls && make",
        programs: "src",
        tools: &[],
    },
    Project {
        name: "busybox",
        // Its `tc` is not for the kernel's headers of today.
        build: "make defconfig && sed -i 's/CONFIG_TC=y/# CONFIG_TC is not set/' .config && \
                make CC=\"$CC\" HOSTCC=clang",
        programs: ".",
        tools: &[],
    },
    Project {
        name: "lua5.4",
        build: "make -C src CC=\"$CC\" linux",
        programs: "src",
        tools: &[],
    },
    Project {
        name: "sqlite3",
        build: "./configure CC=\"$CC\" --disable-tcl && make sqlite3",
        programs: ".",
        tools: &["tclsh"],
    },
    Project {
        name: "zlib",
        build: "CC=\"$CC\" ./configure && make",
        programs: ".",
        tools: &[],
    },
    Project {
        name: "gzip",
        build: "./configure CC=\"$CC\" && make",
        programs: ".",
        tools: &[],
    },
    Project {
        name: "bc",
        build: "./configure CC=\"$CC\" && make MAKEINFO=true",
        programs: "bc",
        tools: &["ed", "bison", "flex"],
    },
];

pub fn build(options: Options) -> Result<()> {
    for name in &options.names {
        if PROJECTS.iter().all(|project| project.name != name) {
            let known: Vec<&str> = PROJECTS.iter().map(|project| project.name).collect();
            bail!("no project {name}; there are {}", known.join(", "));
        }
    }
    let refrain = match options.refrain {
        Some(path) => path.canonicalize().context("--refrain")?,
        None => workspace::refrain_binary()?,
    };
    let folder = workspace::target().join("corpus");
    let sources = Sources::new(&folder.join("sources"))?;
    println!("project     programs  bitcode  elapsed  clang's");
    for project in &PROJECTS {
        if !options.names.is_empty() && options.names.iter().all(|name| name != project.name) {
            continue;
        }
        let archive = sources.archive(project.name)?;
        let place = folder.join(project.name);
        let compiler = format!("{} cc", refrain.display());
        let native = project.build(&archive, &place.join("native"), "clang")?;
        let kept = project.build(&archive, &place.join("refrain"), &compiler)?;
        let (programs, bytes) = project.programs(&place.join("refrain"))?;
        println!(
            "{:10}  {programs:8}  {:4.1} MB  {:5.0} s  {:5.0} s",
            project.name,
            bytes as f64 / 1e6,
            kept.as_secs_f64(),
            native.as_secs_f64()
        );
    }
    Ok(())
}

impl Project {
    fn build(&self, archive: &Path, place: &Path, compiler: &str) -> Result<Duration> {
        for tool in self.tools {
            let found = Command::new("which")
                .arg(tool)
                .stdout(Stdio::null())
                .status();
            if !found.is_ok_and(|status| status.success()) {
                bail!("{} is built with {tool}, which is not here", self.name);
            }
        }
        let _ = fs::remove_dir_all(place);
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
        Ok(started.elapsed())
    }

    /// How many programs there are, and how much bitcode is in them. A program without any is an error.
    fn programs(&self, place: &Path) -> Result<(usize, usize)> {
        use std::os::unix::fs::PermissionsExt;
        let (mut programs, mut bytes) = (0, 0);
        for entry in fs::read_dir(place.join(self.programs))?.flatten() {
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

/// Debian's source packages, by an index of its own: the machine's need not have sources.
struct Sources {
    folder: PathBuf,
}

impl Sources {
    fn new(folder: &Path) -> Result<Sources> {
        for part in ["lists/partial", "cache/archives/partial", "parts"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let list = "Types: deb-src\nURIs: http://deb.debian.org/debian\nSuites: bookworm\nComponents: main\n\
            Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n";
        fs::write(folder.join("parts/debian.sources"), list)?;
        let sources = Sources {
            folder: folder.to_path_buf(),
        };
        run(sources.apt().args(["-qq", "update"]))?;
        Ok(sources)
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

    /// The original sources of a package, without what Debian changes.
    fn archive(&self, package: &str) -> Result<PathBuf> {
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
            run(self
                .apt()
                .args(["-qq", "source", "--download-only", package]))?;
        }
        find().with_context(|| format!("{package} has no original sources"))
    }
}
