//! Every preset with every switch: what has no effect is refused, or said to have none; the guide's table says which.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use common::{file, run};
use refrain_reuse::{LAYERS, PRESETS};

/// A row of the guide's table.
#[derive(Debug)]
struct Row {
    layers: Vec<String>,
    store: bool,
    recheck: bool,
}

/// What the guide says that presets have.
fn table() -> BTreeMap<String, Row> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/solver.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    let names = |cell: &str| -> Vec<String> {
        let quoted = cell.split('`').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    };
    let head = "| preset | layers | `--store` | `--recheck` |";
    let rows = guide.lines().skip_while(|line| *line != head).skip(2);
    let mut table: BTreeMap<String, Row> = BTreeMap::new();
    for line in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, preset, layers, store, recheck, _] = cells[..] else {
            panic!("{line}");
        };
        let mut names_of_layers = names(layers);
        if layers.starts_with("all of these") {
            let others = table.values().flat_map(|row| row.layers.iter().cloned());
            names_of_layers.extend(others.collect::<Vec<_>>());
        }
        let row = Row {
            layers: names_of_layers,
            store: store == "yes",
            recheck: recheck == "yes",
        };
        let preset = names(preset).remove(0);
        assert!(table.insert(preset, row).is_none(), "{line}");
    }
    table
}

/// On something that takes no time.
fn smt(arguments: &[&str]) -> Output {
    // Written once: tests run at the same time.
    static SCRIPT: LazyLock<PathBuf> = LazyLock::new(|| file("switches.smt2", b"(check-sat)"));
    let script = SCRIPT.to_str().expect("UTF-8");
    run(&[&["smt"], arguments, &[script]].concat())
}

/// There is no such program: that is said after the switches are looked at.
const PROGRAM: &str = "/no/such/program.c";

fn run_program(arguments: &[&str]) -> Output {
    run(&[&["run"], arguments, &[PROGRAM]].concat())
}

/// That both commands take these switches, or refuse them with this in the message.
fn check(arguments: &[&str], refusal: Option<&str>) {
    let (solved, explored) = (smt(arguments), run_program(arguments));
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    match refusal {
        None => {
            assert_eq!(
                solved.status.code(),
                Some(0),
                "{arguments:?}: {}",
                said(&solved)
            );
            assert_eq!(solved.stdout, b"sat\n", "{arguments:?}");
            assert!(
                said(&explored).contains(PROGRAM),
                "{arguments:?}: {}",
                said(&explored)
            );
        }
        Some(refusal) => {
            for output in [&solved, &explored] {
                assert_eq!(
                    output.status.code(),
                    Some(2),
                    "{arguments:?}: {}",
                    said(output)
                );
                assert!(
                    said(output).contains(refusal),
                    "{arguments:?}: {}",
                    said(output)
                );
                assert!(
                    !said(output).contains(PROGRAM),
                    "{arguments:?}: {}",
                    said(output)
                );
            }
            assert_eq!(solved.stdout, b"", "{arguments:?}: nothing is run");
        }
    }
}

#[test]
fn presets_have_the_switches_that_the_guide_says() {
    let table = table();
    let folder = tempfile::tempdir().expect("a folder for the test");
    let store = folder.path().join("store");
    let store = store.to_str().expect("UTF-8");
    let (mut taken, mut refused) = (0, 0);
    let mut count = |refusal: Option<&str>| match refusal {
        None => taken += 1,
        Some(_) => refused += 1,
    };
    assert_eq!(table.len(), PRESETS.len());
    for &preset in PRESETS {
        let row = &table[preset];
        let reuse = ["--reuse", preset];
        check(&reuse, None);
        check(&[&reuse[..], &["--store", "none"]].concat(), None);
        let refusal = (!row.store).then_some("keeps no answers between runs");
        check(&[&reuse[..], &["--store", store]].concat(), refusal);
        count(refusal);
        for &layer in LAYERS {
            let without = [&reuse[..], &["--without", layer]].concat();
            let refusal =
                (!row.layers.iter().any(|name| name == layer)).then_some("has no such layer");
            check(&without, refusal);
            count(refusal);
            let refusal = match (refusal, row.store, layer) {
                (Some(refusal), ..) => Some(refusal),
                (None, false, _) => Some("keeps no answers between runs"),
                (None, true, "canonize") => Some("kept by canonical form"),
                (None, true, _) => None,
            };
            check(&[&without[..], &["--store", store]].concat(), refusal);
            count(refusal);
        }
        let refusal = (!row.recheck).then_some("remembers no answers");
        check(&[&reuse[..], &["--reuse-memory", "1MB"]].concat(), refusal);
        count(refusal);
        // Nothing to do is no mistake, but said.
        for output in [
            smt(&[&reuse[..], &["--recheck"]].concat()),
            run_program(&[&reuse[..], &["--recheck"]].concat()),
        ] {
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                said.contains("nothing is solved again"),
                !row.recheck,
                "{said}"
            );
            assert!(
                output.stdout == b"sat\n" || said.contains(PROGRAM),
                "{preset}: {said}"
            );
        }
    }
    assert!(
        taken > 40 && refused > 80,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn what_several_solvers_are_for_is_refused_with_one() {
    let refusal = Some("is the only solver");
    check(&["--handoff", "1"], refusal);
    check(&["--handoff", "1", "--solver", "native"], refusal);
    check(
        &["--handoff", "1", "--solver", "smtlib:sh -c 'a,b'"],
        refusal,
    );
    check(&["--handoff", "1", "--solver", "native,native"], None);
}

#[test]
fn partial_solutions_are_the_native_solver_s() {
    let stats = file("switches.json", b"");
    let stats = stats.to_str().expect("UTF-8");
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let collect = ["--partial-solutions", "5"];
    let refused = smt(&[&collect[..], &["--solver", "smtlib:cat", "--stats", stats]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("only the native solver"),
        "{}",
        said(&refused)
    );
    let uncounted = smt(&collect);
    assert_eq!(uncounted.status.code(), Some(2), "nobody would see them");
    assert!(said(&uncounted).contains("--stats"), "{}", said(&uncounted));
    let counted = smt(&[&collect[..], &["--stats", stats]].concat());
    assert_eq!(counted.status.code(), Some(0), "{}", said(&counted));
}
