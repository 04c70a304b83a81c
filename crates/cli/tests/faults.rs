//! Planted faults, as users see them: a store in which every answer is false costs no wrong answer where evaluation
//! or a second solve can tell, and says so where they do.

mod common;

use std::path::{Path, PathBuf};

use common::{file, run};
use refrain_reuse::lasting::{Kept, Record, SlotValue, validity};
use refrain_store::{Entry, Options, Store};
use refrain_term::{Bv, Value};
use tempfile::TempDir;

/// Makes every answer in a store another one.
fn falsify(store: &Path, answer: impl Fn(&Record) -> Kept) {
    let store = Store::open(store, &Options::new(validity())).expect("it was begun");
    let snapshot = store.snapshot().expect("it can be read");
    let entries: Vec<Entry> = snapshot
        .entries()
        .map(|found| {
            let record = Record::decode(&found.key, &found.value).expect("as it was written");
            let answer = answer(&record);
            let value = Record { answer, ..record }.encode().expect("it is small");
            Entry::new(found.key, value)
        })
        .collect();
    assert!(!entries.is_empty());
    for entry in entries {
        store.put(entry).expect("it is small");
    }
    store.flush().expect("there is room");
}

fn no_conflict(_: &Record) -> Kept {
    Kept::Unsat(vec![0])
}

fn no_solution(record: &Record) -> Kept {
    let value = |_| SlotValue::Plain(Value::Bv(Bv::new(32, 4)));
    Kept::Sat(record.names.iter().map(value).collect())
}

/// What is run again and again on one store.
struct Scene {
    folder: TempDir,
    command: &'static str,
    input: PathBuf,
}

impl Scene {
    fn new(command: &'static str, name: &str, text: &str) -> Scene {
        Scene {
            folder: tempfile::tempdir().expect("a temporary folder"),
            command,
            input: file(name, text.as_bytes()),
        }
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Its status, and what it says on both streams.
    fn run(&self, switches: &[&str]) -> (Option<i32>, String, String) {
        let (store, input) = (self.store(), self.input.to_str().expect("UTF-8"));
        // What is in the store is to be looked up.
        let mut all = vec![self.command, "--without", "repair"];
        all.extend(["--store", store.to_str().expect("UTF-8")]);
        all.extend(switches);
        all.push(input);
        let output = run(&all);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (said, complained) = (text(&output.stdout), text(&output.stderr));
        (output.status.code(), said, complained)
    }
}

const SQUARE: &str = "(set-logic QF_BV)\n(declare-const x (_ BitVec 32))\n(push 1)\n\
                      (assert (= (bvmul x x) (_ bv9 32)))\n(check-sat)\n(check-sat)\n";

#[test]
fn a_script_is_answered_right_though_the_store_has_false_solutions() {
    let scene = Scene::new("smt", "solution.smt2", SQUARE);
    assert_eq!(scene.run(&[]).0, Some(0));
    falsify(&scene.store(), no_solution);
    let expected = (Some(0), "sat\nsat\n".to_owned(), String::new());
    assert_eq!(scene.run(&[]), expected);
    assert_eq!(scene.run(&["--recheck"]), expected);
}

#[test]
fn a_false_conflict_ends_a_script_that_is_rechecked() {
    let scene = Scene::new("smt", "conflict.smt2", SQUARE);
    assert_eq!(scene.run(&[]).0, Some(0));
    falsify(&scene.store(), no_conflict);
    let (status, said, complained) = scene.run(&["--recheck"]);
    assert_eq!(
        (status, said.as_str()),
        (Some(2), "unknown\n"),
        "{complained}"
    );
    assert_eq!(complained, "error: reused answer Unsat, solved again Sat\n");
}

const PROGRAM: &str = "#include <klee/klee.h>\nint main(void) { unsigned n = klee_int(\"n\");\n\
                       if (n * n == 9) return 1;\nreturn 0; }\n";

#[test]
fn a_false_conflict_ends_an_exploration_that_is_rechecked() {
    let scene = Scene::new("run", "conflict.c", PROGRAM);
    let out = |name: &str| {
        let path = scene.folder.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    };
    let (status, _, complained) = scene.run(&["--out", &out("first")]);
    assert_eq!(status, Some(0), "{complained}");
    falsify(&scene.store(), no_conflict);
    let (status, _, complained) = scene.run(&["--recheck", "--out", &out("second")]);
    assert_eq!(status, Some(2), "{complained}");
    assert!(
        complained.contains("reused answer Unsat, solved again Sat"),
        "{complained}"
    );
}
