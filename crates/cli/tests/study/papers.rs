//! The experiments of the papers, a little of each: tables beside the published figures, plots, a page that can be
//! sorted; the same counts another time; going on where it was interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::browser::Browser;
use crate::common::{file, run};
use crate::{impostor, row, said, table, text};

fn study(arguments: &[&str]) -> Output {
    run(&[&["study"], arguments].concat())
}

/// A folder that is not there yet.
fn fresh(name: &str) -> std::path::PathBuf {
    let path = file("papers", b"").with_file_name(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn measurements(out: &Path) -> Vec<Value> {
    let json = fs::read_to_string(out.join("measurements.json")).expect("written");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    json["measurements"].as_array().expect("an array").clone()
}

/// A little of every experiment: everything that the report is made of.
#[test]
fn every_experiment_ends_in_tables_plots_and_a_page() {
    let out = fresh("smoke");
    let found = study(&["all", "--smoke", "--out", text(&out)]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let shown = said(&found.stdout);
    for title in [
        "Cost of a query and what is done in 0.5 s, native (figure 3)",
        "Where the time goes, native (figure 6)",
        "Reuse within one run (table 1): solver calls",
        "Versions of BinTree (table 4): solver calls",
        "Larger bounds (table I)",
        "The second run",
    ] {
        table(&shown, title);
    }
    let single = table(&shown, "Reuse within one run (table 1): solver calls");
    // What the paper has stands beside what was measured.
    let trityp = row(&single, "Trityp");
    assert_eq!(trityp[7..11], ["32", "28", "28", "28"]);
    let calls: Vec<u64> = trityp[..5]
        .iter()
        .map(|cell| cell.parse().expect("a number"))
        .collect();
    assert!(
        calls[4] <= calls[3] && calls[3] <= calls[1] && calls[1] <= calls[0],
        "{calls:?}"
    );

    let markdown = fs::read_to_string(out.join("report.md")).expect("written");
    for plot in markdown.lines().filter_map(|line| line.strip_prefix("![")) {
        let (_, name) = plot.split_once("](").expect("a link");
        let svg = fs::read_to_string(out.join(name.trim_end_matches(')'))).expect("beside it");
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{name}"
        );
    }
    let csv = fs::read_to_string(out.join("measurements.csv")).expect("written");
    assert_eq!(csv.lines().count(), measurements(&out).len() + 1);
    look_at(&out.join("report.html"));
}

/// The page in a browser: plots are there, and tables are sorted by a click.
fn look_at(page: &Path) {
    let mut browser = Browser::open(page);
    assert!(browser.count("figure svg") > 5);
    let visible = "[...document.querySelectorAll('figure svg')].every(svg => svg.getBoundingClientRect().width > 300)";
    assert_eq!(browser.value(visible), true);
    let outside = "document.querySelectorAll('[src], link, [href^=http]').length";
    assert_eq!(browser.value(outside), 0, "it is one file");
    // The column of calls without reuse, of the table that has it.
    browser.value("window.heads = [...document.querySelectorAll('th')]; window.head = heads.find(th => th.textContent === 'n0'); head.id = 'chosen'; 1");
    let column = "[...head.closest('table').tBodies[0].rows].map(row => Number(row.cells[head.cellIndex].textContent))";
    browser.value("head.scrollIntoView({ block: 'center' }); 1");
    for is_ascending in [true, false] {
        browser.click("#chosen");
        let numbers = browser.value(column);
        let numbers: Vec<f64> = { numbers.as_array().expect("a column").iter() }
            .map(|number| number.as_f64().expect("a number"))
            .collect();
        assert!(numbers.len() > 3);
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        if !is_ascending {
            sorted.reverse();
        }
        assert_eq!(numbers, sorted);
    }
    browser.close();
}

/// What was counted, by trial and step, where nothing is ended by the clock.
fn counts(out: &Path) -> BTreeMap<(String, String), Vec<u64>> {
    let names = [
        "paths.completed",
        "paths.error",
        "instructions",
        "queries.total",
        "solver.calls",
    ];
    let mut counts = BTreeMap::new();
    for run in measurements(out) {
        let text = |name: &str| run[name].as_str().expect("text").to_owned();
        let figures = names.map(|name| {
            run[name]
                .as_u64()
                .unwrap_or_else(|| panic!("no {name}: {run}"))
        });
        counts.insert((text("trial"), text("step")), figures.to_vec());
    }
    counts
}

#[test]
fn the_same_seed_counts_the_same() {
    let [one, other] = ["once", "twice"].map(|name| {
        let out = fresh(name);
        let part = [
            "reuse",
            "--smoke",
            "--part",
            "single",
            "--programs",
            "Trityp,TCAS,TreeMap-1,BinTree-1,BinomialHeap-1,MerArbiter",
            "--out",
            text(&out),
        ];
        let found = study(&part);
        assert_eq!(found.status.code(), Some(0), "{found:?}");
        counts(&out)
    });
    assert!(one.len() == 30, "{}", one.len());
    assert_eq!(one, other);
}

/// A study that was killed goes on with what it had, also where a line of its journal is cut.
#[test]
fn an_interrupted_study_is_resumed() {
    let out = fresh("resumed");
    let arguments = [
        "reuse",
        "--smoke",
        "--part",
        "single",
        "--programs",
        "Trityp,Euclid",
        "--out",
        text(&out),
    ];
    let found = study(&arguments);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let journal = out.join("journal.jsonl");
    let whole = fs::read_to_string(&journal).expect("kept");
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 11);
    // Three runs and a half are left, with a figure that no run would have.
    let marked = lines[1].replacen("\"solver.calls\":", "\"solver.calls\":1000000", 1);
    assert_ne!(marked, lines[1]);
    let cut = [lines[0], &marked, lines[2], lines[3]].join("\n") + "\n" + &lines[4][..20];
    fs::write(&journal, cut).expect("it can be written");
    let found = study(&arguments);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let runs = measurements(&out);
    assert_eq!(runs.len(), 10);
    let marked = |run: &&Value| {
        run["solver.calls"]
            .as_u64()
            .is_some_and(|calls| calls >= 1_000_000)
    };
    assert_eq!(
        runs.iter().filter(marked).count(),
        1,
        "what was kept is not measured again"
    );
    // With another seed it is another study.
    let found = study(&[&arguments[..], &["--seed", "7"]].concat());
    assert_eq!(found.status.code(), Some(2), "{found:?}");
    assert!(said(&found.stderr).contains("another setup"), "{found:?}");
    assert_eq!(measurements(&out).len(), 10, "nothing is lost");
}

/// From the tree of the version before, a run finds the same paths, and asks and executes no more than from nothing.
#[test]
fn memoized_execution_stands_beside_the_published_figures() {
    let out = fresh("memo");
    let found = study(&[
        "memo",
        "--rounds",
        "1",
        "--part",
        "regress",
        "--out",
        text(&out),
    ]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let shown = said(&found.stdout);
    let versions = table(&shown, "Other versions (table II)");
    assert!(
        versions
            .iter()
            .any(|line| line.ends_with("v2, 25   17103  12252  107")),
        "{shown}"
    );
    let runs = measurements(&out);
    // From nothing, and from a tree.
    let both = |(program, change): (&str, &str), name: &str| {
        ["regular", "regressed"].map(|run| {
            let labels = format!("program={program} change={change} run={run} ");
            let is_it = |row: &&Value| {
                row["trial"]
                    .as_str()
                    .is_some_and(|key| key.starts_with(&labels))
                    && row["step"] == "now"
            };
            let found = runs.iter().find(is_it).and_then(|row| row[name].as_u64());
            found.unwrap_or_else(|| panic!("no {name} of {labels}: {runs:?}"))
        })
    };
    let versions = [
        ("tcas", "version 6"),
        ("tcas", "version 25"),
        ("tcas", "version 30"),
        ("arbiter", "version 1, depth 14"),
        ("arbiter", "version 2, depth 14"),
    ];
    for version in versions {
        for name in ["explore.branches", "queries.total", "instructions"] {
            let [from_nothing, from_tree] = both(version, name);
            assert!(
                from_tree < from_nothing,
                "{version:?}: {name} {from_tree}, {from_nothing}"
            );
        }
    }
    for version in &versions[3..] {
        let [from_nothing, from_tree] = both(*version, "queries.total");
        assert!(
            from_tree * 10 < from_nothing,
            "{version:?}: {from_tree}, {from_nothing}"
        );
    }
}

#[test]
fn runs_that_fail_or_find_other_paths_are_reported() {
    let cheat = impostor(
        "papers-cheat",
        r#"case "$*" in
*"--reuse green "*) echo 'refrain: out of luck' >&2; exit 2;;
*"--reuse klee "*) shift; exec "$REFRAIN" run --max-paths 1 "$@";;
esac
exec "$REFRAIN" "$@""#,
    );
    let arguments = [
        "reuse",
        "--smoke",
        "--part",
        "single",
        "--programs",
        "Trityp",
        "--program",
        text(&cheat),
    ];
    let found = study(&arguments);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let complaint = said(&found.stderr);
    for expected in [
        "reuse single: Trityp, green, run: exit status 2: out of luck",
        "reuse single: Trityp, run: [1.0, 0.0,",
    ] {
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["dreams"], "dreams"),
        (
            &["reuse", "--part", "dreams"],
            "no part dreams, only single, versions, programs",
        ),
        (
            &["reuse", "--smoke", "--programs", "dreams"],
            "no program here is called dreams",
        ),
        (&["all", "--quick", "--smoke"], "--smoke"),
        (&["muse", "--max-time", "0"], "not a number of seconds"),
        (&["reuse", "--rounds", "0"], "0"),
        (
            &["peers", "--scripts", "no-such-script.smt2"],
            "no-such-script.smt2",
        ),
        (
            &["incremental", "--smoke", "--coreutils", "/no/such/folder"],
            "/no/such/folder",
        ),
        (
            &["reuse", "--smoke", "--program", "no-such-refrain"],
            "cannot start no-such-refrain",
        ),
        (
            &["reuse", "--smoke", "--out", "/dev/null/out"],
            "/dev/null/out",
        ),
    ];
    for (arguments, expected) in cases {
        let found = study(arguments);
        assert_eq!(found.status.code(), Some(2), "{arguments:?}: {found:?}");
        let complaint = said(&found.stderr);
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
    }
}
