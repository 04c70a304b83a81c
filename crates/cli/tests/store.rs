//! `refrain store` as its users see it: what it says, its exit status, and what it leaves alone.
#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::REFRAIN;
use refrain_store::{Entry, Options, Store};
use refrain_testing::{Mount, Reachable, is_root};
use serde_json::Value;
use tempfile::TempDir;

/// As the command has it: entries of others are not seen.
fn open(path: &Path) -> Store {
    Store::open(path, &Options::new(refrain_reuse::lasting::validity()))
        .expect("a store can be begun")
}

/// An entry of one of two kinds.
fn entry(at: u32) -> Entry {
    let mut value = vec![at as u8 % 2];
    value.extend(format!("value {at}").bytes().cycle().take(100));
    Entry::new(format!("key {at}"), value)
        .under((at % 7).to_be_bytes())
        .costing(1000)
}

/// A folder, and in it a store with so many entries.
fn filled(entries: u32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("store");
    fill(&path, 0..entries);
    (folder, path)
}

fn fill(path: &Path, entries: std::ops::Range<u32>) {
    let store = open(path);
    for at in entries {
        store.put(entry(at)).expect("it is small");
    }
    store.flush().expect("there is room");
}

fn command(arguments: &[&str], paths: &[&Path]) -> Command {
    command_of(Path::new(REFRAIN), arguments, paths)
}

fn command_of(refrain: &Path, arguments: &[&str], paths: &[&Path]) -> Command {
    let mut command = Command::new(refrain);
    command.arg("store").args(arguments).args(paths);
    command.stdin(Stdio::null());
    command.env_remove("REFRAIN_STORE");
    command
}

/// What a command did.
#[derive(Debug)]
struct Done {
    status: Option<i32>,
    said: String,
    complained: String,
}

impl Done {
    fn of(output: &Output) -> Done {
        let done = Done {
            status: output.status.code(),
            said: String::from_utf8_lossy(&output.stdout).into_owned(),
            complained: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!done.complained.contains("panicked"), "{done:?}");
        done
    }

    /// All went well, and this is part of what was said.
    fn expect(&self, part: &str) {
        assert_eq!(self.status, Some(0), "{self:?}");
        assert_eq!(self.complained, "", "{self:?}");
        assert!(self.said.contains(part), "{part}: {self:?}");
    }

    /// It went wrong, and this is part of the complaint.
    fn refuse(&self, status: i32, part: &str) {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(self.complained.starts_with("refrain: "), "{self:?}");
        assert!(self.complained.contains(part), "{part}: {self:?}");
    }
}

fn run(arguments: &[&str], paths: &[&Path]) -> Done {
    let output = command(arguments, paths).output();
    Done::of(&output.expect("the binary runs"))
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it can be read");
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The file with the entries.
fn data(store: &Path) -> PathBuf {
    let answers = names(store);
    let answers = answers.iter().find(|name| name.starts_with("answers-"));
    store.join(answers.expect("a store")).join("data.mdb")
}

/// The ways to look at a store, none of which begins one.
const READING: [&[&str]; 3] = [&["info"], &["verify"], &["export"]];
/// Those that take the store as their last argument, and begin none.
const ALL: [&[&str]; 7] = [
    &["info"],
    &["info", "--json"],
    &["verify"],
    &["export"],
    &["gc"],
    &["gc", "--compact"],
    &["clear"],
];

#[test]
fn info_tells_what_is_there() {
    let (_folder, path) = filled(31);
    {
        let store = open(&path);
        let id = store.get(b"key 3").unwrap().id;
        store.touch([id, id, id]);
    }
    let done = run(&["info"], &[&path]);
    done.expect(&format!("store     {}\n", path.display()));
    for part in [
        "format    1\n",
        "validity  refrain ",
        "entries   31\n",
        "unsat   16 entries: ",
        "sat     15 entries: ",
        "3 hits, found in 0.015 s\n",
        "index     31 rows\n",
        "hits      3\n",
        " on disk, at most 1.0 GiB\n",
    ] {
        done.expect(part);
    }
    let done = run(&["info", "--json"], &[&path]);
    done.expect("{");
    let found: Value = serde_json::from_str(&done.said).expect("one object");
    assert_eq!(found["path"], path.to_str().unwrap());
    assert_eq!(found["format"], 1);
    let validity = String::from_utf8(refrain_reuse::lasting::validity()).unwrap();
    assert_eq!(found["validity"], validity);
    assert_eq!(found["entries"], 31);
    assert_eq!(found["index_rows"], 31);
    assert_eq!(found["hits"], 3);
    assert_eq!(found["max_bytes"], 1 << 30);
    assert_eq!(found["kinds"][1]["kind"], "sat");
    assert_eq!(found["kinds"][1]["entries"], 15);
    assert_eq!(found["kinds"][1]["hits"], 3);
    assert_eq!(found["kinds"][1]["cost"], 15_000);
    let size = |name: &str| found[name].as_u64().expect("a number");
    assert!(size("used_bytes") > 3000 && size("used_bytes") <= size("file_bytes"));
    assert_eq!(size("file_bytes"), fs::metadata(data(&path)).unwrap().len());
}

#[test]
fn the_store_is_named_by_argument_variable_or_cache_directory() {
    let (folder, path) = filled(5);
    let cached = folder.path().join("cache/refrain/store");
    fill(&cached, 0..6);
    let run = |arguments: &[&str], variable: &str| {
        let mut command = command(arguments, &[]);
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        command.env("HOME", folder.path());
        if !variable.is_empty() {
            command.env("REFRAIN_STORE", variable);
        }
        Done::of(&command.output().expect("the binary runs"))
    };
    let path = path.to_str().unwrap();
    run(&["verify"], path).expect("sound: 5 entries");
    run(&["gc"], path).expect("removed 0 entries");
    if cfg!(target_os = "linux") {
        run(&["verify"], "").expect("sound: 6 entries");
        run(&["verify", path], "").expect("sound: 5 entries");
        run(&["clear"], "").expect("removed");
        run(&["verify"], "").refuse(2, "there is no store here");
    }
    for (arguments, variable) in [
        (&["info"][..], "none"),
        (&["info", "none"], path),
        (&["merge", path], "none"),
    ] {
        run(arguments, variable).refuse(2, "no store: name one");
    }
}

#[test]
fn a_merge_tells_what_was_new() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [path, theirs, foreign, begun] =
        ["store", "theirs", "foreign", "begun"].map(|name| folder.path().join(name));
    // Theirs is the older one, however long this takes: nothing is newer there.
    fill(&theirs, 60..160);
    fill(&path, 0..100);
    drop(Store::open(&foreign, &Options::new("another validity")));
    let into = ["merge", "--into", path.to_str().unwrap()];
    let done = run(&into, &[&theirs]);
    done.expect("theirs: 60 new, 40 known");
    run(&into, &[&theirs]).expect("theirs: 0 new, 100 known\n");
    run(&["verify"], &[&path]).expect("sound: 160 entries");
    run(&["verify"], &[&theirs]).expect("sound: 100 entries");
    let done = run(&into, &[&foreign]);
    done.expect("foreign: skipped: no answers of this validity\n");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let done = run(&into, &[&theirs, &foreign, &path, &link]);
    done.expect("theirs: 0 new, 100 known\n");
    done.expect("store: skipped: the store itself\n");
    done.expect("link: skipped: the store itself\n");
    done.expect("in all: 0 new, 100 known, 3 stores skipped\n");
    let into = ["merge", "--into", begun.to_str().unwrap()];
    // Nothing is begun for nothing.
    run(&into, &[&foreign]).expect("skipped");
    assert!(!begun.exists());
    let done = run(&into, &[&path, &folder.path().join("no such")]);
    done.refuse(2, "no such: there is no store here");
    assert!(!begun.exists());
    let done = run(&into, &[&path, &theirs]);
    done.expect("store: 160 new, 0 known\n");
    done.expect("in all: 160 new, 100 known, 0 stores skipped\n");
    run(&["verify"], &[&begun]).expect("sound: 160 entries");
}

#[test]
fn a_collection_brings_the_size_down() {
    let (_folder, path) = filled(2000);
    run(&["gc", "--max-size", "2G"], &[&path]).expect("removed 0 entries to stay within 2.0 GiB");
    run(&["gc"], &[&path]).expect("removed 0 entries to stay within 1.0 GiB");
    let done = run(&["gc", "--max-size", "64K"], &[&path]);
    done.expect("to stay within 64.0 KiB and 0 damaged rows; entries took ");
    let info = run(&["info", "--json"], &[&path]);
    let info: Value = serde_json::from_str(&info.said).expect("JSON");
    let left = info["entries"].as_u64().expect("a number");
    assert!((50..500).contains(&left), "{left}");
    done.expect(&format!(": removed {} entries", 2000 - left));
    let before = fs::metadata(data(&path)).unwrap().len();
    let done = run(&["gc", "--compact"], &[&path]);
    done.expect("\ncompacted: the file had ");
    assert!(fs::metadata(data(&path)).unwrap().len() < before / 2);
    run(&["verify"], &[&path]).expect(&format!("sound: {left} entries"));
    run(&["gc", "--max-size=0"], &[&path]).expect(&format!("removed {left} entries"));
    run(&["verify"], &[&path]).expect("sound: 0 entries");
}

#[test]
fn an_export_is_json_a_line() {
    let (folder, path) = filled(50);
    let done = run(&["export"], &[&path]);
    done.expect("");
    let found = lines(&done.said);
    assert_eq!(found.len(), 50);
    // "key 7"
    let found = found.iter().find(|line| line["key"] == "6b65792037");
    assert_eq!(found.expect("it is there")["cost"], 1000);
    let same = |arguments: &[&str]| assert_eq!(run(arguments, &[&path]).said, done.said);
    same(&["export", "--output", "-"]);
    same(&["export", "--output", "/dev/stdout"]);
    // A new file, one that is replaced, and one behind a link.
    let (file, link) = (folder.path().join("out.jsonl"), folder.path().join("link"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for target in [&file, &file, &link] {
        let arguments = ["export", "--output", target.to_str().unwrap()];
        run(&arguments, &[&path]).expect(": 50 entries written\n");
        assert_eq!(fs::read_to_string(&file).unwrap(), done.said);
        fs::write(&file, "old").unwrap();
    }
    assert!(link.is_symlink());
    let mut here = command(&["export", "--output", "here"], &[&path]);
    let output = here.current_dir(folder.path()).output();
    Done::of(&output.unwrap()).expect("here: 50 entries written\n");
    let left = ["here", "link", "out.jsonl", "store"];
    assert_eq!(names(folder.path()), left);
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().mode();
    fs::write(folder.path().join("plain"), "").unwrap();
    assert_eq!(mode("here"), mode("plain"));
}

#[test]
fn a_failed_export_leaves_no_file() {
    let (folder, path) = filled(20);
    let target = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(folder.path().join("file"), "old").unwrap();
    fs::create_dir(folder.path().join("directory")).unwrap();
    for output in [
        target("directory"),
        target("file/below"),
        target("nowhere/file"),
    ] {
        let done = run(&["export", "--output", &output], &[&path]);
        done.refuse(2, &format!("refrain: {output}: "));
        assert_eq!(done.said, "");
    }
    assert_eq!(names(folder.path()), ["directory", "file", "store"]);
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"old");
    if Path::new("/dev/full").exists() {
        let done = run(&["export", "--output", "/dev/full"], &[&path]);
        done.refuse(2, "/dev/full: No space left");
        for arguments in READING.into_iter().chain([&["gc"][..]]) {
            let mut command = command(arguments, &[&path]);
            command.stdout(File::options().write(true).open("/dev/full").unwrap());
            let done = Done::of(&command.output().unwrap());
            done.refuse(2, "standard output: No space left");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let (_folder, path) = filled(5000);
    for arguments in READING {
        let mut command = command(arguments, &[&path]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut output = child.stdout.take().expect("piped");
        if *arguments == ["export"] {
            output.read_exact(&mut [0; 100]).expect("there is more");
        }
        drop(output);
        let done = Done::of(&child.wait_with_output().unwrap());
        done.expect("");
    }
}

#[test]
fn clearing_removes_the_store_and_nothing_else() {
    let (folder, path) = filled(10);
    run(&["clear"], &[&path]).expect("store: removed\n");
    assert!(!path.exists());
    run(&["clear"], &[&path]).refuse(2, "there is no store here");
    fill(&path, 0..3);
    fs::write(path.join("mine.txt"), "mine").unwrap();
    run(&["clear"], &[&path]).expect("store: removed, but for the directory\n");
    assert_eq!(names(&path), ["mine.txt"]);
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn a_store_in_use_serves_all_commands() {
    let (folder, path) = filled(1000);
    let theirs = folder.path().join("theirs");
    fill(&theirs, 500..1500);
    let (store, other) = (open(&path), open(&theirs));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut at = 10_000;
            while !stop.load(Ordering::Relaxed) {
                at += 1;
                store.put(entry(at)).unwrap();
                store.flush().unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        });
        for _ in 0..5 {
            for arguments in READING {
                run(arguments, &[&path]).expect("");
            }
            run(&["gc"], &[&path]).expect("removed 0 entries");
            let into = ["merge", "--into", path.to_str().unwrap()];
            run(&into, &[&theirs]).expect(" known");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(store.verify().unwrap().is_sound());
    assert!(store.get(b"key 1499").is_some());
    let done = run(&["gc", "--compact"], &[&path]);
    done.refuse(2, "not compacted: ");
    assert!(done.complained.contains("in use by another process"));
    assert!(done.said.contains("removed 0 entries"));
    // The files stay for those who have them open; the entries go.
    let done = run(&["clear"], &[&path]);
    done.expect("store: in use: its entries are removed, its files stay\n");
    assert!(store.get(b"key 1").is_none());
    store.put(entry(1)).unwrap();
    store.flush().unwrap();
    run(&["verify"], &[&path]).expect("sound: 1 entry,");
    drop((store, other));
    run(&["clear"], &[&path]).expect("store: removed\n");
}

#[test]
fn what_another_version_uses_stays() {
    let (_folder, path) = filled(10);
    let other = Store::open(&path, &Options::new("another validity")).unwrap();
    other.put(Entry::new("key", "value")).unwrap();
    other.flush().unwrap();
    run(&["clear"], &[&path]).refuse(2, "in use by another process");
    assert!(other.get(b"key").is_some());
    for arguments in ALL.iter().filter(|arguments| arguments[0] != "clear") {
        run(arguments, &[&path]).refuse(2, "holds no answers of this validity");
    }
    drop(other);
    run(&["clear"], &[&path]).expect("removed");
}

#[test]
fn nothing_is_begun_where_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    for path in [&folder.path().join("missing"), &empty] {
        for arguments in ALL {
            run(arguments, &[path]).refuse(2, "there is no store here");
        }
    }
    assert_eq!(names(folder.path()), ["empty"]);
    assert_eq!(names(&empty).len(), 0);
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("file"), "text").unwrap();
    for (directory, file) in [
        ("other", "data.mdb"),
        ("marked", "REFRAIN-STORE.txt"),
        ("future", "REFRAIN-STORE.txt"),
    ] {
        fs::create_dir(path(directory)).unwrap();
        let text = match directory {
            "future" => "refrain store, format 17\n",
            _ => "shopping list",
        };
        fs::write(path(directory).join(file), text).unwrap();
    }
    let (_folder, store) = filled(3);
    let into_store = ["merge", "--into", store.to_str().unwrap()];
    for (name, complaint) in [
        ("file", "not a store: a file; it is left as it is"),
        ("other", "not a store: a directory with other files"),
        ("marked", "not a store: its marker is unreadable"),
        ("future", "written by a newer version (format 17"),
        ("file/below", "Not a directory"),
    ] {
        let path = path(name);
        for arguments in ALL {
            if (name, arguments[0]) != ("future", "clear") {
                run(arguments, &[&path]).refuse(2, complaint);
            }
        }
        run(&into_store, &[&path]).refuse(2, complaint);
        let into = ["merge", "--into", path.to_str().unwrap()];
        run(&into, &[&store]).refuse(2, complaint);
    }
    assert_eq!(fs::read(path("file")).unwrap(), b"text");
    assert_eq!(names(&path("other")), ["data.mdb"]);
    assert_eq!(names(&path("marked")), ["REFRAIN-STORE.txt"]);
    assert_eq!(names(&path("future")), ["REFRAIN-STORE.txt"]);
    run(&["clear"], &[&path("future")]).expect("removed");
}

/// Changes a value wherever it lies in the file.
fn damage_value(store: &Path, value: &[u8]) {
    let file = data(store);
    let mut bytes = fs::read(&file).unwrap();
    let places: Vec<usize> = (0..bytes.len() - value.len())
        .filter(|&at| bytes[at..].starts_with(value))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 0x20;
    }
    fs::write(&file, bytes).unwrap();
}

#[test]
fn a_damaged_entry_is_told_and_collected() {
    let (folder, path) = filled(40);
    damage_value(&path, b"value 13");
    let done = run(&["verify"], &[&path]);
    done.refuse(
        1,
        "store: damaged: 1 bad entry, 1 index row without entry, of 40 entries",
    );
    assert!(done.complained.contains("`refrain store gc` removes"));
    run(&["info"], &[&path]).refuse(1, "is damaged and left out");
    let done = run(&["export"], &[&path]);
    done.refuse(1, "is damaged and left out");
    assert_eq!(lines(&done.said).len(), 39);
    let copy = folder.path().join("copy");
    let done = run(&["merge", "--into", copy.to_str().unwrap()], &[&path]);
    done.refuse(1, "is damaged and left out");
    assert!(done.said.contains("39 new"));
    run(&["gc"], &[&path]).expect(" damaged row");
    run(&["verify"], &[&path]).expect("sound: 39 entries");
    run(&["verify"], &[&copy]).expect("sound: 39 entries");
}

/// Runs what a complaint tells people to run.
fn follow_the_advice(complaint: &str) -> Done {
    let advice = complaint.split('`').nth(1).expect("advice");
    let rest = advice.strip_prefix("refrain ").expect("this program");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("'{REFRAIN}' {rest}")]);
    Done::of(&shell.output().expect("there is a shell"))
}

#[test]
fn a_damaged_file_is_refused_and_the_advice_helps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("somebody's store");
    let (_folder, sound) = filled(3);
    let damages: [fn(&Path); 5] = [
        // Cut short, in the middle of a page and to nearly nothing.
        |file| cut(file, fs::metadata(file).unwrap().len() - 5000),
        |file| cut(file, 100),
        |file| fs::write(file, "text").unwrap(),
        |file| fs::write(file, vec![0xa5; 100_000]).unwrap(),
        |file| fs::write(file.with_file_name("validity"), "another").unwrap(),
    ];
    for damage in damages {
        fill(&path, 0..2000);
        damage(&data(&path));
        run(&["verify"], &[&path]).refuse(1, "the store is damaged: ");
        let into = ["merge", "--into", path.to_str().unwrap()];
        run(&into, &[&sound]).refuse(2, "the store is damaged: ");
        let into_sound = ["merge", "--into", sound.to_str().unwrap()];
        run(&into_sound, &[&path]).refuse(2, "the store is damaged: ");
        for arguments in ALL.iter().filter(|arguments| arguments[0] != "clear") {
            let status = if arguments[0] == "verify" { 1 } else { 2 };
            run(arguments, &[&path]).refuse(status, "the store is damaged: ");
        }
        let complaint = run(&["info"], &[&path]).complained;
        follow_the_advice(&complaint).expect("removed");
        assert!(!path.exists());
    }
    run(&["verify"], &[&sound]).expect("sound: 3 entries");
}

fn cut(file: &Path, length: u64) {
    let file = File::options().write(true).open(file).unwrap();
    file.set_len(length).unwrap();
}

#[test]
fn nonsense_is_refused() {
    let (folder, path) = filled(3);
    let store = path.to_str().unwrap();
    let nonsense: [&[&str]; 15] = [
        &[],
        &["tidy"],
        &["info", store, store],
        &["info", "--yaml", store],
        &["verify", "--json", store],
        &["merge"],
        &["merge", "--into", store],
        &["gc", store, "--max-size"],
        &["gc", store, "--max-size", "lots"],
        &["gc", store, "--max-size", "-1"],
        &["gc", store, "--max-size", "1.5G"],
        &["gc", store, "--max-size", "99999999999T"],
        &["export", store, "--output"],
        &["export", store, "--output", ""],
        &["clear", store, "--force"],
    ];
    for arguments in nonsense {
        let done = run(arguments, &[]);
        assert_eq!(done.status, Some(2), "{arguments:?}: {done:?}");
        assert_eq!(done.said, "", "{arguments:?}");
        assert!(!done.complained.is_empty(), "{arguments:?}");
    }
    let done = run(&["gc", store, "--max-size", "lots"], &[]);
    assert!(done.complained.contains("not a size"), "{done:?}");
    run(&["verify"], &[&path]).expect("sound: 3 entries");
    assert_eq!(names(folder.path()), ["store"]);
}

#[test]
fn every_command_has_help() {
    for name in ["info", "verify", "merge", "gc", "export", "clear"] {
        run(&["--help"], &[]).expect(&format!("\n  {name} "));
        run(&[name, "--help"], &[]).expect("$REFRAIN_STORE");
    }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn without_permission_it_says_so() {
    let refrain = Reachable::copy(Path::new(REFRAIN));
    let run = |arguments: &[&str], paths: &[&Path]| {
        let mut command = command_of(&refrain.program, arguments, paths);
        if is_root() {
            command.uid(65534).gid(65534);
        }
        Done::of(&command.output().expect("the binary runs"))
    };
    let (folder, path) = filled(10);
    allow(folder.path(), 0o755);
    let answers = data(&path).parent().unwrap().to_owned();
    // Nothing can be written to it.
    for file in names(&answers) {
        allow(&answers.join(file), 0o444);
    }
    let folders = [&answers, &path, &folder.path().to_owned()];
    for folder in folders {
        allow(folder, 0o555);
    }
    for arguments in ALL {
        let done = run(arguments, &[&path]);
        match READING.contains(&&arguments[..1]) {
            true => done.expect(""),
            false => done.refuse(2, "no permission"),
        }
    }
    run(&["verify"], &[&path]).expect("sound: 10 entries");
    let below = folder.path().join("below");
    let into = ["merge", "--into", below.to_str().unwrap()];
    run(&into, &[&path]).refuse(2, "no permission");
    // Nothing can be read.
    allow(&path, 0o000);
    for arguments in ALL {
        run(arguments, &[&path]).refuse(2, "no permission");
    }
    for folder in folders.into_iter().rev() {
        allow(folder, 0o755);
    }
    let (_other, readable) = filled(10);
    let output = folder.path().join("out").to_str().unwrap().to_owned();
    if is_root() {
        let all = readable.parent().unwrap();
        let status = Command::new("chmod")
            .args(["-R", "a+rwX"])
            .arg(all)
            .status();
        assert!(status.unwrap().success());
    } else {
        allow(folder.path(), 0o555);
    }
    let done = run(&["export", "--output", &output], &[&readable]);
    done.refuse(2, "out: permission denied");
    allow(folder.path(), 0o755);
    self::run(&["verify"], &[&path]).expect("sound: 10 entries");
}

#[test]
fn a_full_disk_is_told_and_can_be_cleared() {
    let (folder, large) = filled(8000);
    let Some(mount) = Mount::new(folder.path().join("small"), "1m") else {
        return;
    };
    let output = mount.0.join("out.jsonl");
    let done = run(&["export", "--output", output.to_str().unwrap()], &[&large]);
    done.refuse(2, "out.jsonl: No space left");
    assert_eq!(names(&mount.0).len(), 0);
    let small = mount.0.join("store");
    let into = ["merge", "--into", small.to_str().unwrap()];
    run(&into, &[&large]).refuse(2, "the disk is full");
    // What was written is sound, and can be looked at, compacted as far as there is room, and removed.
    run(&["verify"], &[&small]).expect("sound: ");
    run(&["info"], &[&small]).expect("entries ");
    let _ = fs::write(mount.0.join("filler"), vec![0; 1 << 20]);
    run(&["verify"], &[&small]).expect("sound: ");
    run(&["gc", "--compact"], &[&small]).refuse(2, "the disk is full");
    run(&["verify"], &[&small]).expect("sound: ");
    run(&["clear"], &[&small]).expect("removed");
    assert_eq!(names(&mount.0), ["filler"]);
}
