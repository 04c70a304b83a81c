//! What it costs to record the memo tree of a run: the same exploration with a tree and without, in one process.
//!
//! `cargo bench -p refrain-llvm --bench recording`. Needs clang.

#[path = "../tests/support/compile.rs"]
#[allow(dead_code)]
mod compile;
#[path = "../tests/support/recorded.rs"]
mod recorded;

use std::path::Path;
use std::time::{Duration, Instant};

use refrain_explore::{Limits, Memo};
use refrain_memo::{Edge, Header, Reading, Tree};

/// Name and deepest path, so that all of them end.
const PROGRAMS: [(&str, u32); 7] = [
    ("triangle", u32::MAX),
    ("sort", u32::MAX),
    ("regex", u32::MAX),
    ("expression", u32::MAX),
    ("checksum", u32::MAX),
    ("packet", 40),
    ("image", 40),
];

const ROUNDS: usize = 7;

fn main() {
    println!(
        "{:<12}{:>10}{:>12}{:>12}{:>8}{:>10}{:>12}",
        "", "paths", "without ms", "with ms", "ratio", "nodes", "bytes each"
    );
    for (name, depth) in PROGRAMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
        let text =
            std::fs::read_to_string(path.join(name).with_extension("c")).expect("an example");
        let bitcode = recorded::bitcode(&text, "-O0").expect("a program");
        let (mut without, mut with) = (Duration::MAX, Duration::MAX);
        let (mut paths, mut tree) = (0, None);
        for _ in 0..ROUNDS {
            without = without.min(explore(&bitcode, None, depth).1);
            let folder = tempfile::tempdir().expect("a folder");
            let new = Tree::create(&folder.path().join("tree"), Header::default());
            let memo = Memo::resume(new.expect("a tree")).expect("a tree");
            let (count, time) = explore(&bitcode, Some(memo), depth);
            (with, paths) = (with.min(time), count);
            tree = Some(folder);
        }
        let last = tree.expect("some rounds");
        let folder = last.path().join("tree");
        let tree = Tree::open(&folder, Reading::Strict).expect("a tree");
        let nodes = tree.count(Edge::ROOT, &tree.subtrees()).nodes;
        println!(
            "{:<12}{:>10}{:>12.1}{:>12.1}{:>8.2}{:>10}{:>12.1}",
            name,
            paths,
            without.as_secs_f64() * 1e3,
            with.as_secs_f64() * 1e3,
            with.as_secs_f64() / without.as_secs_f64(),
            nodes,
            size(&folder) as f64 / nodes as f64
        );
    }
}

/// How many paths there are, and how long it took.
fn explore(bitcode: &[u8], memo: Option<Memo>, depth: u32) -> (u64, Duration) {
    let limits = Limits {
        depth,
        ..Limits::default()
    };
    let started = Instant::now();
    let outcome = recorded::explore(bitcode, memo, limits);
    (outcome.stats.paths, started.elapsed())
}

fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a folder");
    let sizes = files.map(|file| file.and_then(|file| file.metadata()).expect("a file").len());
    sizes.sum()
}
