//! The C++ runtime: the part of the C++ library that is no header, compiled by the user's clang against the user's
//! headers.
//!
//! It comes in parts, each on one idea (`runtime/cxx/`). Which of them a program needs is seen from the names that it
//! leaves undefined, so that a program without streams does not wait for streams. A part is compiled once: what came
//! out is kept in the user's cache, for as long as compiler, flags and all headers stay what they were.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::session::Session;
use crate::{CompileError, Module, clang, dependencies, read};

/// A file of the runtime that becomes one module.
pub(crate) struct Part {
    pub name: &'static str,
    text: &'static str,
    /// What the names of its functions and variables have in them, as the linker knows them.
    defines: &'static [&'static str],
    /// Parts that it cannot do without.
    needs: &'static [&'static str],
}

macro_rules! part {
    ($name:literal, $defines:expr, $needs:expr) => {
        Part {
            name: $name,
            text: include_str!(concat!("../runtime/cxx/", $name, ".cpp")),
            defines: &$defines,
            needs: &$needs,
        }
    };
}

/// What the names of streams and facets have in them.
const STREAMS: [&str; 19] = [
    "8ios_base",
    "9basic_ios",
    "basic_istream",
    "basic_ostream",
    "basic_iostream",
    "basic_streambuf",
    "__basic_file",
    "basic_filebuf",
    "_ZSt3cin",
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZSt4clog",
    "_ZNSi",
    "_ZNSo",
    "iostream_category",
    "ios_failure",
    "__istream_extract",
    "__copy_streambufs",
    "7getline",
];
const FACETS: [&str; 14] = [
    "6locale",
    "5ctype",
    "12ctype_byname",
    "7codecvt",
    "8numpunct",
    "7collate",
    "10moneypunct",
    "10money_base",
    "8messages",
    "timepunct",
    "__time_get_state",
    "10__num_base",
    "__convert_to_v",
    "__verify_grouping",
];
const INSTANCES: [&str; 12] = [
    "St", "_ZNSi", "_ZNSo", "_ZNSd", "_ZNKSi", "_ZNKSo", "_ZTVSi", "_ZTVSo", "_ZTVSd", "_ZTTSi",
    "_ZTTSo", "_ZTTSd",
];

/// A name is looked for in the first of them that may have it, and in the next one if it was not there.
const PARTS: [Part; 13] = [
    part!("core", ["__gxx_personality_v0", "_Znwm", "__cxa_throw"], []),
    part!(
        "wide",
        ["Iw", "_ZSt4wcin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"],
        ["streams", "locale"]
    ),
    part!(
        "encodings",
        ["__codecvt_utf", "7codecvtIDs", "7codecvtIDi"],
        ["locale"]
    ),
    part!("streams", STREAMS, ["locale"]),
    part!("locale", FACETS, ["streams"]),
    part!(
        "threads",
        [
            "6thread",
            "18condition_variable",
            "12future_error",
            "15future_category",
            "13__future_base",
            "__atomic_futex",
            "_Sp_locker",
            "__once_call",
            "__once_proxy",
            "__throw_future_error",
            "notify_all_at_thread_exit",
        ],
        []
    ),
    part!(
        "path",
        ["St10filesystem7__cxx114path", "16filesystem_error"],
        []
    ),
    part!("filesystem", ["10filesystem"], ["path"]),
    part!("numbers", ["8to_chars", "10from_chars"], []),
    part!("resources", ["13random_device", "3pmr"], []),
    part!("regex", ["regex_error"], []),
    part!("wide_instances", ["Iw"], ["wide"]),
    part!("instances", INSTANCES, ["streams"]),
];

macro_rules! included {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../runtime/cxx/", $name)))),*]
    };
}

/// What parts include beside the user's headers.
const SHARED: &[(&str, &str)] = included![
    "common.h",
    "extraction.h",
    "facets.h",
    "instances.h",
    "core/errors.h",
    "core/exceptions.h",
    "core/hashes.h",
    "core/lists.h",
    "core/memory.h",
    "core/names.h",
    "core/trees.h",
    "core/types.h",
    "filesystem/copies.h",
    "filesystem/directories.h",
    "filesystem/links.h",
    "filesystem/places.h",
];

/// Where files of the runtime are, within the temporary directory.
const FOLDER: &str = "runtime/cxx";

fn module_name(part: &Part) -> String {
    match part.name {
        "core" => "refrain/libstdc++".to_string(),
        name => format!("refrain/libstdc++/{name}"),
    }
}

/// Whether a name is one of the C++ library's.
fn is_of_library(name: &str) -> bool {
    // `S_` and `S0_` would refer back to something, and there is nothing yet.
    const STARTS: [&str; 12] = [
        "_ZS",
        "_ZNS",
        "_ZNKS",
        "_ZTVS",
        "_ZTIS",
        "_ZTTS",
        "_ZTVNS",
        "_ZTINS",
        "_ZTTNS",
        "_ZThn",
        "_ZTv0",
        "_ZN9__gnu_cxx",
    ];
    STARTS.iter().any(|start| name.starts_with(start))
}

/// The parts that may define some of these names, and what those need, but for modules that are there.
pub(crate) fn parts_for(undefined: &[&str], there: &[Module]) -> Vec<&'static Part> {
    let is_there = |part: &Part| there.iter().any(|module| module.name == module_name(part));
    let may_define = |part: &Part, name: &str| part.defines.iter().any(|text| name.contains(text));
    let is_core = |name: &str| may_define(&PARTS[0], name);
    let mut wanted = [false; PARTS.len()];
    for name in undefined
        .iter()
        .filter(|name| is_of_library(name) || is_core(name))
    {
        let first = PARTS
            .iter()
            .position(|part| !is_there(part) && may_define(part, name));
        if let Some(first) = first {
            wanted[first] = true;
        }
    }
    for number in 0..PARTS.len() {
        for (other, part) in PARTS.iter().enumerate() {
            if wanted[number] && PARTS[number].needs.contains(&part.name) {
                wanted[other] = true;
            }
        }
    }
    let parts = PARTS.iter().zip(wanted);
    let missing = parts.filter(|(part, wanted)| *wanted && !is_there(part));
    missing.map(|(part, _)| part).collect()
}

/// The part that every program of C++ gets.
pub(crate) fn core(session: &mut Session) -> Result<Module, CompileError> {
    module(session, &PARTS[0])
}

/// Compiles a part, or finds what was made of it earlier.
pub(crate) fn module(session: &mut Session, part: &Part) -> Result<Module, CompileError> {
    let name = module_name(part);
    let source = format!("{FOLDER}/{}.cpp", part.name);
    let mut command = clang::runtime_command(session, part.name == "core")?;
    let cache = session.options.environment.cache.as_ref();
    let place = cache.map(|cache| cache.join("refrain").join("cxx"));
    let kept = place.and_then(|place| Kept::of(&place, part, &command));
    if let Some(bytes) = kept.as_ref().and_then(Kept::read) {
        return Ok(Module { name, bytes });
    }
    session.put(&source, part.text)?;
    for (name, text) in SHARED {
        session.put(&format!("{FOLDER}/{name}"), text)?;
    }
    let output = session.output("bc");
    let rule = output.with_extension("d");
    command
        .args(clang::prefix_map(session))
        .args(["-MD", "-MF"])
        .arg(&rule)
        .args(["-c", "-emit-llvm", &source, "-o"])
        .arg(&output)
        // The name of the file is part of the bitcode, and not to change from run to run.
        .current_dir(session.directory());
    session.run(command, &output)?;
    let bytes = read(&output)?;
    if let Some(kept) = kept {
        let rule = std::fs::read(&rule).unwrap_or_default();
        let headers = dependencies::of_rule(&String::from_utf8_lossy(&rule));
        // A cache that cannot be written is none.
        let _ = kept.write(&bytes, headers);
    }
    Ok(Module { name, bytes })
}

/// Where the bitcode of a part is kept: under the hash of all that was said to the compiler, beside the list of the
/// headers that it read.
struct Kept {
    bitcode: PathBuf,
    headers: PathBuf,
}

impl Kept {
    fn of(place: &Path, part: &Part, command: &Command) -> Option<Kept> {
        let mut hash = (DefaultHasher::new(), DefaultHasher::new());
        hash.1.write_u8(1);
        let mut add = |bytes: &[u8]| {
            bytes.hash(&mut hash.0);
            bytes.hash(&mut hash.1);
        };
        add(part.name.as_bytes());
        add(part.text.as_bytes());
        for (_, text) in SHARED {
            add(text.as_bytes());
        }
        add(include_bytes!("../include/refrain/instantiate.h"));
        add(stamp(Path::new(command.get_program()))?.as_bytes());
        for word in command.get_args() {
            add(word.as_encoded_bytes());
        }
        for variable in ["CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX"] {
            add(std::env::var_os(variable)
                .unwrap_or_default()
                .as_encoded_bytes());
        }
        let name = format!("{:016x}{:016x}", hash.0.finish(), hash.1.finish());
        Some(Kept {
            bitcode: place.join(format!("{name}.bc")),
            headers: place.join(format!("{name}.headers")),
        })
    }

    /// What was kept, if all headers are what they were.
    fn read(&self) -> Option<Vec<u8>> {
        let list = std::fs::read_to_string(&self.headers).ok()?;
        let is_same = |line: &str| {
            let path = line.splitn(4, ' ').nth(3).unwrap_or_default();
            stamp(Path::new(path)).as_deref() == Some(line)
        };
        if list.is_empty() || !list.lines().all(is_same) {
            return None;
        }
        std::fs::read(&self.bitcode).ok()
    }

    fn write(
        &self,
        bytes: &[u8],
        headers: impl IntoIterator<Item = PathBuf>,
    ) -> std::io::Result<()> {
        let mut list = String::new();
        // Our own files are relative, and part of the hash.
        for header in headers.into_iter().filter(|header| header.is_absolute()) {
            match stamp(&header) {
                Some(stamp) => writeln!(list, "{stamp}").unwrap_or_default(),
                None => return Ok(()),
            }
        }
        // The list comes last: with it, both are whole.
        put(&self.bitcode, bytes)?;
        put(&self.headers, list.as_bytes())
    }
}

/// A file by its size, its time and its name.
fn stamp(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok()?;
    let (size, seconds, part) = (data.len(), data.mtime(), data.mtime_nsec());
    Some(format!("{size} {seconds} {part} {}", path.display()))
}

/// Writes a file that is there whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
