//! `refrain smt` with earlier answers, as its users see it: a store that cannot be used costs a warning and nothing
//! else, and every combination of layers gives the same answers.
#![cfg(unix)]

mod common;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use common::REFRAIN;
use refrain_reuse::{LAYERS, Layers, PRESETS};
use refrain_testing::{Mount, Random, Reachable, is_root};
use serde_json::Value;
use tempfile::TempDir;

/// A script that goes along random paths: so many checks, about few symbols.
fn script(seed: u64, checks: u32) -> String {
    let mut random = Random::new(seed);
    let mut text = "(set-logic ALL)\n".to_owned();
    for name in ["x", "y", "z"] {
        let _ = writeln!(text, "(declare-const {name} (_ BitVec 16))");
        let _ = writeln!(text, "(declare-const i{name} Int)");
    }
    text += "(declare-const a (Array (_ BitVec 8) (_ BitVec 16)))\n";
    let mut levels = 0;
    for _ in 0..checks {
        while levels > 0 && random.below(5) < 2 {
            text += "(pop 1)\n";
            levels -= 1;
        }
        let mut name = || ["x", "y", "z"][random.below(3) as usize];
        let (a, b, c) = (name(), name(), name());
        let bound = random.below(6) * 50;
        let cell = random.below(3);
        let atom = match random.below(5) {
            0 => format!("(bvult (bvmul {a} {b}) (_ bv{bound} 16))"),
            1 => format!("(= (bvadd {a} {b} {c}) (_ bv{bound} 16))"),
            2 => format!("(<= (+ i{a} (* 2 i{b})) {bound})"),
            3 => format!("(= (- i{a} i{b}) {})", bound / 50),
            _ => format!("(bvult (select a (_ bv{cell} 8)) {a})"),
        };
        let atom = match random.below(2) {
            0 => format!("(not {atom})"),
            _ => atom,
        };
        let _ = writeln!(text, "(push 1)\n(assert {atom})\n(check-sat)");
        levels += 1;
        // Paths that are too long cannot hold, and have nothing to tell.
        if levels > 8 {
            text += "(pop 4)\n";
            levels -= 4;
        }
    }
    text
}

/// The presets whose answers can be kept in a store.
const KEEPING: [&str; 5] = ["green", "klee", "greentrie", "pscache", "full"];

/// The layers that a preset has.
fn layers_of(preset: &str) -> Vec<&'static str> {
    let all = Layers::preset(preset).expect("there is such a preset");
    let has = |layer: &&&str| {
        let mut fewer = all.clone();
        fewer.without(layer) && fewer != all
    };
    LAYERS.iter().filter(has).copied().collect()
}

/// A folder with a script in it.
struct Place {
    folder: TempDir,
    script: PathBuf,
}

impl Place {
    fn new(seed: u64, checks: u32) -> Place {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("script.smt2");
        fs::write(&path, script(seed, checks)).expect("it can be written");
        Place {
            script: path,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `refrain smt` on the script.
    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        self.command_of(Path::new(REFRAIN), arguments)
    }

    fn command_of<S: AsRef<OsStr>>(&self, refrain: &Path, arguments: &[S]) -> Command {
        let mut command = Command::new(refrain);
        command.arg("smt").args(arguments).arg(&self.script);
        command.stdin(Stdio::null()).env_remove("REFRAIN_STORE");
        // Nobody's cache is touched.
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Done {
        Done::of(&mut self.command(arguments))
    }

    fn with_store(&self, store: &Path, arguments: &[&str]) -> Done {
        let mut all = vec![OsStr::new("--store"), store.as_os_str()];
        all.extend(arguments.iter().map(OsStr::new));
        self.run(&all)
    }

    /// The answers of a solver that is asked each question anew.
    fn answers(&self) -> String {
        let done = self.run(&["--reuse", "baseline", "--store", "none"]);
        assert_eq!((done.status, done.complained.as_str()), (Some(0), ""));
        assert!(done.said.contains("unsat") && !done.said.contains("unknown"));
        done.said
    }

    /// What a run counted.
    fn counted(&self, store: &Path, arguments: &[&str]) -> (Done, Value) {
        let stats = self.path("stats.json");
        let mut all = vec!["--stats", stats.to_str().expect("UTF-8")];
        all.extend(arguments);
        let done = self.with_store(store, &all);
        let stats = fs::read(stats).expect("statistics are written");
        (done, serde_json::from_slice(&stats).expect("JSON"))
    }
}

/// What a command did.
#[derive(Debug)]
struct Done {
    status: Option<i32>,
    said: String,
    complained: String,
}

impl Done {
    fn of(command: &mut Command) -> Done {
        let output = command.output().expect("the binary runs");
        let done = Done {
            status: output.status.code(),
            said: String::from_utf8_lossy(&output.stdout).into_owned(),
            complained: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!done.complained.contains("panicked"), "{done:?}");
        done
    }

    /// All went well. A preset that makes no difference on the native solver may say so.
    fn is(&self, answers: &str) {
        let mut notes = self.complained.lines();
        assert!(
            notes.all(|note| note.ends_with("it names terms for solver processes")),
            "{self:?}"
        );
        assert_eq!(self.status, Some(0), "{self:?}");
        assert_eq!(self.said, answers);
    }

    /// All went well but for the store.
    fn is_with_warning(&self, answers: &str, warning: &str) {
        assert_eq!(self.status, Some(0), "{self:?}");
        assert_eq!(self.said, answers);
        let complained = &self.complained;
        assert!(complained.contains("warning: "), "{complained}");
        assert!(complained.contains(warning), "{warning}: {complained}");
    }
}

fn verify(store: &Path) -> Done {
    let mut command = Command::new(REFRAIN);
    command.args(["store", "verify"]).arg(store);
    Done::of(command.stdin(Stdio::null()))
}

/// The file with the entries.
fn data(store: &Path) -> PathBuf {
    let folders = fs::read_dir(store).expect("a store").map(Result::unwrap);
    let mut folders = folders.map(|entry| entry.path());
    folders
        .find_map(|path| Some(path.join("data.mdb")).filter(|file| file.exists()))
        .expect("a store has a file")
}

#[test]
fn the_second_run_asks_the_solver_nothing() {
    for seed in 1..=3 {
        let place = Place::new(seed, 150);
        let answers = place.answers();
        let store = place.path("store");
        let (done, first) = place.counted(&store, &[]);
        done.is(&answers);
        assert!(first["solver"]["calls"].as_u64() > Some(0), "{first}");
        assert!(
            first["store"]["entries_written"].as_u64() > Some(0),
            "{first}"
        );
        let (done, second) = place.counted(&store, &[]);
        done.is(&answers);
        assert_eq!(second["solver"]["calls"], 0, "seed {seed}: {second}");
        assert!(second["store"]["hits"].as_u64() > Some(0), "{second}");
        let checked = verify(&store);
        assert_eq!(checked.status, Some(0), "{checked:?}");
    }
}

#[test]
fn a_store_is_kept_where_it_is_wanted_and_nowhere_else() {
    let place = Place::new(4, 30);
    let answers = place.answers();
    let names = || {
        let entries = fs::read_dir(place.folder.path()).expect("the test's folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    place.run(&["--store", "none"]).is(&answers);
    let mut command = place.command(&["--reuse", "full"]);
    Done::of(command.env("REFRAIN_STORE", "none")).is(&answers);
    // Who has neither canonical forms nor sets keeps nothing.
    place.run(&["--reuse", "caching"]).is(&answers);
    place.run(&["--without", "canonize"]).is(&answers);
    assert_eq!(names(), ["script.smt2"]);
    let by_variable = place.path("by-variable");
    let mut command = place.command::<&str>(&[]);
    Done::of(command.env("REFRAIN_STORE", &by_variable)).is(&answers);
    assert_eq!(names(), ["by-variable", "script.smt2"]);
    // The argument has the last word.
    let mut command = place.command(&["--store", "none"]);
    Done::of(command.env("REFRAIN_STORE", place.path("other"))).is(&answers);
    assert_eq!(names(), ["by-variable", "script.smt2"]);
    place.run::<&str>(&[]).is(&answers);
    assert_eq!(names(), ["by-variable", "cache", "script.smt2"]);
    assert!(data(&place.path("cache/refrain/store")).exists());
}

#[test]
fn a_place_that_cannot_be_a_store_costs_a_warning() {
    let place = Place::new(5, 40);
    let answers = place.answers();
    // A file where a folder would have to be.
    let below = place.script.join("store");
    place
        .with_store(&below, &[])
        .is_with_warning(&answers, "going on without a store");
    let foreign = place.path("notes.txt");
    fs::write(&foreign, "not a store").unwrap();
    place
        .with_store(&foreign, &[])
        .is_with_warning(&answers, "going on without a store");
    assert_eq!(fs::read(&foreign).unwrap(), b"not a store");
    let folder = place.path("letters");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("data.mdb"), "Dear").unwrap();
    let done = place.with_store(&folder, &[]);
    assert_eq!((done.status, &done.said), (Some(0), &answers), "{done:?}");
    assert_eq!(fs::read(folder.join("data.mdb")).unwrap(), b"Dear");
}

#[test]
fn a_damaged_store_costs_a_warning_and_no_wrong_answer() {
    let place = Place::new(6, 120);
    let answers = place.answers();
    let store = place.path("store");
    place.with_store(&store, &[]).is(&answers);
    let sound = fs::read(data(&store)).unwrap();
    let mut random = Random::new(77);
    for round in 0..12 {
        let mut bytes = sound.clone();
        match round % 4 {
            0 => bytes.truncate(random.below(bytes.len() as u64) as usize),
            1 => bytes[..8192].fill(0),
            2 => {
                for _ in 0..50 {
                    let at = random.below(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << random.below(8);
                }
            }
            _ => {
                let at = random.below(bytes.len() as u64 - 4096) as usize;
                bytes[at..at + 4096].fill(random.below(256) as u8);
            }
        }
        fs::write(data(&store), &bytes).unwrap();
        let done = place.with_store(&store, &[]);
        assert_eq!((done.status, &done.said), (Some(0), &answers), "{done:?}");
        if round % 4 < 2 {
            assert!(done.complained.contains("warning: "), "{done:?}");
        }
        let _ = fs::remove_dir_all(&store);
        place.with_store(&store, &[]).is(&answers);
    }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn without_permission_the_run_goes_on() {
    let refrain = Reachable::copy(Path::new(REFRAIN));
    let place = Place::new(7, 40);
    let answers = place.answers();
    let store = place.path("store");
    place.with_store(&store, &[]).is(&answers);
    let elsewhere = tempfile::tempdir().unwrap();
    allow(elsewhere.path(), 0o777);
    let stats = elsewhere.path().join("stats.json");
    let run = |store: &Path| {
        let (store, stats) = (store.as_os_str(), stats.as_os_str());
        let arguments = [OsStr::new("--store"), store, OsStr::new("--stats"), stats];
        let mut command = place.command_of(&refrain.program, &arguments);
        if is_root() {
            command.uid(65534).gid(65534);
        }
        Done::of(&mut command)
    };
    let inner = data(&store).parent().unwrap().to_owned();
    let folders = [&inner, &store, &place.folder.path().to_owned()];
    for entry in fs::read_dir(&inner).unwrap() {
        allow(&entry.unwrap().path(), 0o444);
    }
    for folder in folders {
        allow(folder, 0o555);
    }
    // What can be read but not written.
    let done = run(&store);
    done.is_with_warning(&answers, "permission");
    done.is_with_warning(&answers, "answers are looked up there, none are kept");
    let counted = fs::read(&stats).expect("statistics are written");
    let counted: Value = serde_json::from_slice(&counted).expect("JSON");
    assert_eq!(counted["solver"]["calls"], 0, "{counted}");
    assert_eq!(counted["store"]["entries_written"], 0, "{counted}");
    // Where nothing can be begun.
    run(&place.path("new")).is_with_warning(&answers, "permission");
    // What cannot be read.
    allow(&store, 0o000);
    run(&store).is_with_warning(&answers, "permission");
    for folder in folders.into_iter().rev() {
        allow(folder, 0o755);
    }
}

#[test]
fn a_full_disk_costs_a_warning() {
    let place = Place::new(8, 1_500);
    let answers = place.answers();
    let Some(mount) = Mount::new(place.path("small"), "64k") else {
        return;
    };
    // Full on the way.
    let store = mount.0.join("store");
    let warning = "the disk is full";
    place
        .with_store(&store, &[])
        .is_with_warning(&answers, warning);
    let checked = verify(&store);
    assert_eq!(checked.status, Some(0), "{checked:?}");
    place
        .with_store(&store, &["--recheck"])
        .is_with_warning(&answers, warning);
    // Full from the beginning.
    fs::remove_dir_all(&store).unwrap();
    let _ = fs::write(mount.0.join("filler"), vec![0; 1 << 20]);
    let done = place.with_store(&store, &[]);
    done.is_with_warning(&answers, "");
}

#[test]
fn a_store_cut_short_under_a_run_costs_a_warning() {
    let place = Place::new(14, 300);
    let answers = place.answers();
    let store = place.path("store");
    place.with_store(&store, &[]).is(&answers);
    let sound = fs::read(data(&store)).unwrap();
    let script = fs::read_to_string(&place.script).unwrap();
    let (first, rest) = script.split_at(script.len() / 2);
    let asked = first.matches("(check-sat)").count();
    let half = sound.len() as u64 / 2;
    for kept in [0, 100, 4096, 8192, half, half + 1000] {
        fs::write(data(&store), &sound).unwrap();
        let mut command = Command::new(REFRAIN);
        command.args(["smt", "--store"]).arg(&store);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut input = session.stdin.take().unwrap();
        input.write_all(first.as_bytes()).unwrap();
        input.flush().unwrap();
        let mut output = BufReader::new(session.stdout.take().unwrap());
        let mut said = String::new();
        for _ in 0..asked {
            output.read_line(&mut said).unwrap();
        }
        let file = fs::File::options().write(true).open(data(&store)).unwrap();
        file.set_len(kept).unwrap();
        input.write_all(rest.as_bytes()).unwrap();
        drop(input);
        output.read_to_string(&mut said).unwrap();
        let done = session.wait_with_output().unwrap();
        let done = Done {
            status: done.status.code(),
            complained: String::from_utf8_lossy(&done.stderr).into_owned(),
            said,
        };
        done.is_with_warning(&answers, "going on without it");
        assert_eq!(done.complained.lines().count(), 1, "{done:?}");
    }
}

#[test]
fn two_processes_share_a_store() {
    let places = [Place::new(9, 200), Place::new(10, 200)];
    let answers = [places[0].answers(), places[1].answers()];
    let store = places[0].path("store");
    for _ in 0..4 {
        thread::scope(|scope| {
            for (place, answers) in places.iter().zip(&answers) {
                for _ in 0..2 {
                    let store = &store;
                    scope.spawn(move || place.with_store(store, &[]).is(answers));
                }
            }
        });
    }
    for (place, answers) in places.iter().zip(&answers) {
        let (done, stats) = place.counted(&store, &[]);
        done.is(answers);
        assert_eq!(stats["solver"]["calls"], 0, "{stats}");
    }
    let checked = verify(&store);
    assert_eq!(checked.status, Some(0), "{checked:?}");
}

#[test]
fn what_is_solved_again_agrees() {
    for seed in 11..=13 {
        let place = Place::new(seed, 100);
        let answers = place.answers();
        let store = place.path("store");
        for _ in 0..2 {
            place.with_store(&store, &["--recheck"]).is(&answers);
        }
        for preset in PRESETS {
            let place_of_answers = if KEEPING.contains(preset) {
                store.as_os_str()
            } else {
                OsStr::new("none")
            };
            let words = ["--recheck", "--reuse", preset, "--store"].map(OsStr::new);
            let done = place.run(&[&words[..], &[place_of_answers]].concat());
            assert_eq!(done.said, answers, "{preset}");
            assert_eq!(done.status, Some(0), "{preset}");
            let has_remark = done.complained.contains("nothing is solved again");
            assert_eq!(has_remark, preset.starts_with("stack"), "{done:?}");
        }
    }
}

#[test]
fn a_killed_run_leaves_a_sound_store() {
    let place = Place::new(14, 3_000);
    let answers = place.answers();
    let store = place.path("store");
    let mut random = Random::new(5);
    for _ in 0..15 {
        let mut command = place.command(&[OsStr::new("--store"), store.as_os_str()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child: Child = command.spawn().expect("the binary runs");
        thread::sleep(Duration::from_millis(20 + random.below(600)));
        // The signal that nobody can catch.
        let _ = child.kill();
        child.wait().expect("it has ended");
        if store.exists() {
            let checked = verify(&store);
            assert_eq!(checked.status, Some(0), "{checked:?}");
        }
    }
    place.with_store(&store, &["--recheck"]).is(&answers);
    let (done, stats) = place.counted(&store, &[]);
    done.is(&answers);
    assert_eq!(stats["solver"]["calls"], 0, "{stats}");
}

#[test]
fn every_preset_and_every_layer_can_be_chosen() {
    let place = Place::new(15, 80);
    let answers = place.answers();
    let store = place.path("store");
    for preset in PRESETS {
        let reuse = ["--reuse", preset];
        place.run(&reuse).is(&answers);
        if KEEPING.contains(preset) {
            place.with_store(&store, &reuse).is(&answers);
        }
        let layers = layers_of(preset);
        for layer in &layers {
            place
                .run(&[&reuse[..], &["--without", layer]].concat())
                .is(&answers);
            if KEEPING.contains(preset) && *layer != "canonize" {
                let arguments = [&reuse[..], &["--without", layer]].concat();
                place.with_store(&store, &arguments).is(&answers);
            }
        }
        let without: Vec<&str> = layers
            .iter()
            .flat_map(|layer| ["--without", layer])
            .collect();
        place.run(&[&reuse[..], &without].concat()).is(&answers);
    }
}

/// The settings of the partial-solution cache, over which its authors swept.
#[test]
fn partial_solutions_and_kept_ones_can_be_counted_out() {
    let place = Place::new(17, 120);
    let answers = place.answers();
    let none = Path::new("none");
    for kp in ["1", "10", "50"] {
        for ks in ["1", "10", "50"] {
            for preset in ["pscache", "full"] {
                let arguments = ["--reuse", preset, "--kp", kp, "--ks", ks];
                let (done, stats) = place.counted(none, &arguments);
                done.is(&answers);
                let solver = &stats["solver"];
                let calls = solver["calls"].as_u64().expect("a number");
                let collected = solver["partial_solutions"].as_u64().expect("a number");
                let most: u64 = kp.parse().expect("a number");
                assert!(collected <= most * calls, "{arguments:?}: {stats}");
            }
        }
    }
    let (done, _) = place.counted(none, &["--reuse", "klee", "--ks", "3", "--recheck"]);
    done.is(&answers);
}

#[test]
fn answers_are_the_same_with_hardly_any_memory_for_them() {
    let place = Place::new(19, 150);
    let answers = place.answers();
    let none = Path::new("none");
    for (memory, is_enough) in [("2GB", true), ("20KB", false)] {
        let (done, stats) = place.counted(none, &["--reuse-memory", memory, "--recheck"]);
        done.is(&answers);
        let evicted = stats["reuse"]["evicted"].as_u64().expect("a number");
        assert_eq!(evicted == 0, is_enough, "{memory}: {stats}");
    }
}

#[test]
fn a_second_run_by_name_asks_next_to_nothing() {
    for preset in ["klee", "pscache"] {
        let place = Place::new(18, 150);
        let answers = place.answers();
        let store = place.path("store");
        let (done, first) = place.counted(&store, &["--reuse", preset]);
        done.is(&answers);
        let (done, second) = place.counted(&store, &["--reuse", preset]);
        done.is(&answers);
        let calls = |stats: &Value| stats["solver"]["calls"].as_u64().expect("a number");
        assert!(calls(&first) > 20, "{preset}: {first}");
        assert!(20 * calls(&second) < calls(&first), "{preset}: {second}");
        place
            .with_store(&store, &["--reuse", preset, "--recheck"])
            .is(&answers);
        assert_eq!(verify(&store).status, Some(0), "{preset}");
    }
}

#[test]
fn nonsense_is_refused() {
    let place = Place::new(16, 5);
    for arguments in [
        &["--reuse", "everything"][..],
        &["--reuse", ""],
        &["--reuse", "FULL"],
        &["--without", "nothing"],
        &["--without", "model,slice"],
        &["--without", ""],
        &["--recheck=maybe"],
        &["--kp", "0"],
        &["--ks", "many"],
        &["--reuse-memory", "much"],
    ] {
        let done = place.run(arguments);
        assert_eq!(done.status, Some(2), "{arguments:?}: {done:?}");
        assert_eq!(done.said, "", "{arguments:?}");
        assert!(done.complained.starts_with("error: "), "{done:?}");
    }
    for (preset, switch) in [("stack", "--kp"), ("klee", "--kp"), ("green", "--ks")] {
        let done = place.run(&["--reuse", preset, switch, "5"]);
        assert_eq!((done.status, done.said.as_str()), (Some(2), ""), "{done:?}");
        let why = format!("refrain: {switch} is about");
        assert!(done.complained.starts_with(&why), "{done:?}");
    }
    let done = place.run(&["--reuse", "everything"]);
    assert!(done.complained.contains("greentrie"), "{done:?}");
    let done = place.run(&["--without", "everything"]);
    assert!(done.complained.contains("quick-test"), "{done:?}");
}

#[test]
fn a_definition_beside_something_else_is_kept_out_of_the_store() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let store = folder.path().join("store");
    let declarations = "(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 16))
(declare-const z (_ BitVec 16))\n";
    let mixed = "(assert (and (= (bvmul y z) #x0003) (= x #x05)))\n";
    let doubled = "(assert (= (bvmul (bvadd y y) z) #x000e))\n(check-sat)\n";
    let run = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let mut command = Command::new(REFRAIN);
        command.args(["smt", "--store"]).arg(&store).arg(path);
        Done::of(command.stdin(Stdio::null()))
    };
    run("first.smt2", &format!("{declarations}{mixed}{doubled}")).is("unsat\n");
    run("second.smt2", &format!("{declarations}{doubled}")).is("sat\n");
}
