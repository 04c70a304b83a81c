//! Edited programs, followed by the memo trees of their originals: the tree is in the end that of a run on the edited
//! program from the beginning.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "memo/published.rs"]
mod published;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};

use refrain_explore::certify::Recheck;
use refrain_explore::memo::{Again, Guide, Heuristic};
use refrain_explore::workers::Outcome;
use refrain_explore::{Certificate, CertifyOptions, Limits, Memo, StopReason, certify};
use refrain_machine::{Goal, Machine as _};
use refrain_memo::{AskKind, Below, Edge, Header, Reading, Tree};
use refrain_testing::edits::{self, Language};
use refrain_testing::{Random, count};
use support::recorded::{self, bitcode, load, make_solver};

fn programs() -> Vec<PathBuf> {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/paths/c");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    programs.sort();
    programs
}

fn limits() -> Limits {
    Limits {
        instructions: 50_000,
        paths: 2_000,
        ..Limits::default()
    }
}

fn explore(bitcode: &[u8], memo: Memo, limits: Limits) -> Outcome {
    recorded::explore(bitcode, Some(memo), limits)
}

fn open(directory: &FilePath) -> Tree {
    Tree::open(directory, Reading::Strict).expect("a tree")
}

/// That the tree is that of the program; with a solver, that what is infeasible is.
fn certified(bitcode: &[u8], directory: &FilePath, by_solver: bool, what: &str) -> Certificate {
    let mut solver = make_solver();
    let options = CertifyOptions {
        recheck: by_solver.then(|| Recheck {
            solver: &mut *solver,
            limits: Default::default(),
        }),
        ..CertifyOptions::default()
    };
    let certificate = certify(&mut load(bitcode), &open(directory), options);
    certificate.unwrap_or_else(|error| panic!("{what}: {error}"))
}

fn fresh(bitcode: &[u8], directory: &FilePath) -> Outcome {
    let tree = Tree::create(directory, Header::default()).expect("a directory");
    explore(bitcode, Memo::resume(tree).expect("a tree"), limits())
}

fn regress(bitcode: &[u8], directory: &FilePath) -> Outcome {
    let machine = load(bitcode);
    let memo = Memo::regress(open(directory), |symbol, block| {
        machine.code_hash(symbol, block)
    });
    explore(bitcode, memo.expect("a tree"), limits())
}

/// The published example of guided search (Memoise, figure 6): what is hard to cover needs many calls of one function.
const ACCOUNT: &str = r#"
void klee_make_symbolic(void *, unsigned long, const char *);
static int balance = 100, withdrawals;
static int failed;
__attribute__((noinline)) void hard(void) { failed++; }
__attribute__((noinline)) void deposit(unsigned char amount) { if (amount > 9) balance += amount; else failed++; }
__attribute__((noinline)) void withdraw(unsigned char amount) {
    if (amount > balance) { failed++; return; }
    if (withdrawals == 5) hard();
    balance -= amount;
    withdrawals++;
}
int main(void) {
    unsigned char calls[2][9];
    klee_make_symbolic(calls, sizeof calls, "calls");
    for (int i = 0; i < 9; i++)
        if (calls[0][i]) deposit(calls[1][i]);
        else withdraw(calls[1][i]);
    return failed;
}
"#;

#[test]
fn a_guide_leads_to_what_is_hard_to_cover() {
    let bitcode = bitcode(ACCOUNT, "-O0").expect("a program");
    let within = |depth| Limits {
        depth,
        ..Limits::default()
    };
    // Without a guide, with either.
    let mut found = Vec::new();
    for heuristic in [
        None,
        Some(Heuristic::Reachability),
        Some(Heuristic::Counter),
    ] {
        let folder = tempfile::tempdir().expect("a directory");
        let tree = Tree::create(folder.path(), Header::default()).expect("a directory");
        explore(&bitcode, Memo::resume(tree).expect("a tree"), within(8));
        let tree = open(folder.path());
        let mut machine = load(&bitcode);
        machine.set_target("hard").expect("a function");
        let guide = heuristic.map(|which| Guide::new(&tree, &mut machine, which, Goal::Target));
        assert!(!machine.is_target_covered());
        let goes_on = |edge| guide.as_ref().is_none_or(|guide| guide.goes_on(edge));
        let again = Again {
            goes_on: &|edge, _| goes_on(edge),
            ..Again::default()
        };
        let chosen = tree
            .every_edge()
            .filter(|&edge| tree.below(edge).is_open() && goes_on(edge));
        let chosen = chosen.count();
        let memo = Memo::new(tree, &again).expect("a tree");
        let outcome = explore(&bitcode, memo, within(12));
        Guide::new(
            &open(folder.path()),
            &mut machine,
            Heuristic::Reachability,
            Goal::Target,
        );
        assert!(machine.is_target_covered(), "{heuristic:?}");
        found.push((chosen, outcome.stats.instructions));
    }
    let [all, reachable, counted] = found[..] else {
        panic!("three runs");
    };
    assert!(reachable <= all, "{found:?}");
    assert!(counted.0 * 10 < all.0 && counted.1 * 2 < all.1, "{found:?}");
}

/// All paths: the answers on the way, and how they end.
type Paths = BTreeMap<String, String>;

/// None: values were chosen, which are those of the input at hand.
fn paths(tree: &Tree) -> Option<Paths> {
    let mut paths = Paths::new();
    let mut stack = vec![(Edge::ROOT, String::new())];
    while let Some((edge, way)) = stack.pop() {
        match tree.below(edge) {
            Below::Node(node) => {
                let question = tree.question(node);
                if matches!(
                    question.kind,
                    AskKind::Fix | AskKind::Sample | AskKind::Witness
                ) {
                    return None;
                }
                let way = format!("{way}{:?}{:?}", question.implied, question.kind);
                for edge in tree.edges(node) {
                    stack.push((edge, format!("{way}.{} ", edge.alternative())));
                }
            }
            Below::Leaf(leaf) => {
                let end = format!("{:?}", leaf.ending);
                let is_new = paths.insert(format!("{way}{:?}", leaf.implied), end);
                assert_eq!(is_new, None, "twice");
            }
            Below::Infeasible { .. } => {}
            other => panic!("{other:?} is left"),
        }
    }
    Some(paths)
}

#[test]
fn after_an_edit_the_tree_is_that_of_the_edited_program() {
    let edits = count("REFRAIN_EDITS", 1, 20);
    let (mut compared, mut again, mut from_start) = (0, 0, 0);
    for (number, program) in (0..).zip(programs()) {
        let text = std::fs::read_to_string(&program).expect("a text");
        for edit in 0..edits {
            let mut random = Random::new(number * 1_000 + edit);
            let level = random.pick(&["-O0", "-O1", "-O2"]);
            let new = edits::edited(&text, Language::C, &mut random);
            let what = format!("{} {level}, edit {edit}", program.display());
            let (Some(before), Some(after)) = (bitcode(&text, level), bitcode(&new, level)) else {
                continue;
            };
            let folders = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
            let [old, whole] = folders.each_ref().map(|folder| folder.path());
            let outcomes = [fresh(&before, old), fresh(&after, whole)];
            if outcomes
                .iter()
                .any(|outcome| outcome.reason != StopReason::Done)
            {
                continue;
            }
            let outcome = regress(&after, old);
            assert_eq!(outcome.reason, StopReason::Done, "{what}");
            from_start += outcomes[1].stats.instructions;
            again += outcome.stats.instructions;
            let (Some(found), Some(expected)) = (paths(&open(old)), paths(&open(whole))) else {
                continue;
            };
            compared += 1;
            assert_eq!(found, expected, "{what}");
            certified(&after, old, false, &what);
            let outcome = regress(&after, old);
            let boundaries = outcome.stats.boundaries;
            assert!(outcome.stats.instructions == 0 || boundaries > 0, "{what}");
        }
    }
    assert!(
        compared > 20 && again < from_start,
        "{compared}: {again} of {from_start}"
    );
}

/// Limits that end paths in every way.
fn small_limits() -> Vec<Limits> {
    let small = [
        |limits: &mut Limits| limits.instructions = 300,
        |limits: &mut Limits| limits.depth = 3,
        |limits: &mut Limits| limits.unroll = 1,
        |limits: &mut Limits| limits.forks = 5,
        |limits: &mut Limits| limits.paths = 4,
    ];
    let with = |set: fn(&mut Limits)| {
        let mut limits = limits();
        set(&mut limits);
        limits
    };
    small.map(with).to_vec()
}

#[test]
fn every_tree_is_certified() {
    let (mut cores, mut causes) = ([0; 2], BTreeSet::new());
    for (program, limit) in programs()
        .into_iter()
        .zip(small_limits().into_iter().cycle())
    {
        let text = std::fs::read_to_string(&program).expect("a text");
        let bitcode = bitcode(&text, "-O0").expect("a program");
        let folder = tempfile::tempdir().expect("a directory");
        let tree = Tree::create(folder.path(), Header::default()).expect("a directory");
        let memo = Memo::resume(tree).expect("a tree");
        let outcome = explore(&bitcode, memo, limit);
        let what = program.display().to_string();
        let certificate = certified(&bitcode, folder.path(), false, &what);
        let left: u64 = certificate.boundaries.values().sum();
        assert_eq!(left, outcome.stats.boundaries, "{what}");
        causes.extend(certificate.boundaries.into_keys());

        // What was cut goes on.
        let memo = Memo::resume(open(folder.path())).expect("a tree");
        explore(&bitcode, memo, limits());
        let certificate = certified(&bitcode, folder.path(), false, &what);
        let tree = open(folder.path());
        let counts = tree.count(Edge::ROOT, &tree.subtrees());
        assert_eq!(certificate.nodes, counts.nodes, "{what}");
        assert_eq!(
            certificate.paths,
            counts.leaves() - counts.boundaries,
            "{what}"
        );
        let rechecked = certified(&bitcode, folder.path(), true, &what);
        assert_eq!(
            rechecked.rechecked,
            certificate.trusted.len() as u64,
            "{what}"
        );
        let has_core =
            |&&edge: &&Edge| matches!(tree.below(edge), Below::Infeasible { core: Some(_) });
        let with_core = certificate.trusted.iter().filter(has_core).count();
        assert_eq!(rechecked.by_core, with_core as u64, "{what}");
        cores[0] += certificate.trusted.len() - with_core;
        cores[1] += with_core;
    }
    assert!(causes.len() >= 5, "{causes:?}");
    assert!(cores[1] > 10 * cores[0], "{cores:?}");
}
