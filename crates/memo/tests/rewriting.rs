//! Trees written anew: compacted, compressed, united.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use refrain_memo::{Edge, Input, MemoError, Tree, merge};
use refrain_testing::{Random, count};
use support::*;

fn logs(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name());
    let names = entries.map(|name| name.to_string_lossy().into_owned());
    let mut logs: Vec<String> = names.filter(|name| name.ends_with(".log")).collect();
    logs.sort();
    logs
}

/// Another run goes on at edges, and leaves no boundaries.
fn go_on(tree: &Tree, at: &[Edge], random: &mut Random) {
    let recording = tree.record().expect("nobody else uses it");
    let mut writer = recording.writer().expect("a log");
    let mut left = Vec::new();
    let mut go = |edge: Edge, mut said: Said| {
        if let Said::Leaf { end, .. } = &mut said
            && matches!(end, End::Boundary(..))
        {
            *end = End::Silent;
        }
        write(&mut writer, edge, &said)
    };
    // Inputs lead to where it starts.
    for &edge in at {
        let said = if random.coin() {
            any_node(random)
        } else {
            any_leaf(random)
        };
        left.extend(go(edge, said));
    }
    while let Some(edge) = left.pop() {
        let said = if random.percent(20) {
            any_node(random)
        } else {
            any_end(random)
        };
        left.extend(go(edge, said));
    }
    writer.finish().expect("a whole log");
}

#[test]
fn compacting_changes_nothing() {
    for seed in 0..count("MEMO_TREES", 40, 1_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (tree, _) = any_tree(folder.path(), &mut random, 100);
        let edges: Vec<Edge> = places(&tree)
            .into_values()
            .filter(|_| random.one_in(9))
            .collect();
        go_on(&tree, &edges, &mut random);
        let before = model(&open(folder.path()));
        let tree = open(folder.path()).compact().expect("a tree");
        assert_same(&model(&tree), &before, &format!("seed {seed}"));
        assert_eq!(logs(folder.path()), ["0003.log"]);
        assert_same(
            &model(&open(folder.path())),
            &before,
            &format!("seed {seed}"),
        );
        // It is a tree as any other.
        go_on(
            &tree,
            &tree.split(1, |edge| tree.below(edge).is_open())[0],
            &mut random,
        );
        let tree = open(folder.path());
        assert_eq!(tree.lost(), 0);
        let before = model(&tree);
        assert_same(
            &model(&tree.compact().expect("a tree")),
            &before,
            &format!("seed {seed}"),
        );
    }
}

#[test]
fn what_is_compressed_can_be_deepened() {
    for seed in 0..count("MEMO_TREES", 60, 2_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (tree, before) = any_tree(folder.path(), &mut random, 200);
        // Enough is finished.
        let edges = places(&tree)
            .into_iter()
            .filter(|(place, _)| is_open(&before, place));
        let edges: Vec<Edge> = edges
            .map(|(_, edge)| edge)
            .filter(|_| !random.one_in(5))
            .collect();
        let recording = tree.record().expect("nobody else uses it");
        let mut writer = recording.writer().expect("a log");
        for edge in edges {
            let mut leaf = any_leaf(&mut random);
            if let Said::Leaf { end, .. } = &mut leaf {
                *end = End::Exit(Some(1));
            }
            write(&mut writer, edge, &leaf);
        }
        writer.finish().expect("a whole log");
        drop(recording);
        let tree = open(folder.path());
        let before = model(&tree);
        let counts = tree.count(Edge::ROOT, &tree.subtrees());
        let inputs: BTreeMap<Place, Option<Input>> = places(&tree)
            .into_iter()
            .map(|(place, edge)| (place, tree.input(edge)))
            .collect();
        let tree = tree.compress().expect("a tree");
        let after = model(&tree);
        let open: Vec<Place> = all_places(&before)
            .into_iter()
            .filter(|place| is_open(&before, place))
            .collect();
        for (place, said) in &before {
            let is_kept = open.iter().any(|open| open.starts_with(place));
            let is_below =
                |summary: &Place| place.len() > summary.len() && place.starts_with(summary);
            match after.get(place) {
                Some(Said::Summary { counts, ran, tests }) => {
                    assert!(!is_kept && matches!(said, Said::Node { .. }), "{place:?}");
                    let below = || {
                        before
                            .iter()
                            .filter(|(below, _)| below.starts_with(place))
                            .map(|(_, said)| said)
                    };
                    let code: BTreeSet<Unit> =
                        below().filter_map(Said::ran).flatten().cloned().collect();
                    assert_eq!(ran, &code);
                    let mut expected: Vec<u32> = below()
                        .filter_map(|said| match said {
                            Said::Leaf { test, .. } => *test,
                            _ => None,
                        })
                        .collect();
                    expected.sort_unstable();
                    assert_eq!(tests, &expected);
                    let nodes = below()
                        .filter(|said| matches!(said, Said::Node { .. }))
                        .count();
                    let leaves = below()
                        .filter(|said| matches!(said, Said::Leaf { .. }))
                        .count();
                    let infeasible = below()
                        .filter(|said| matches!(said, Said::Infeasible(_)))
                        .count();
                    let found = (counts.nodes, counts.leaves(), counts.infeasible);
                    assert_eq!(found, (nodes as u64, leaves as u64, infeasible as u64));
                    assert_eq!((counts.boundaries, counts.open), (0, 0));
                }
                Some(other) => assert_eq!(other, said, "{place:?}"),
                None => {
                    let mut summaries = after
                        .iter()
                        .filter(|(_, said)| matches!(said, Said::Summary { .. }));
                    assert!(
                        !is_kept && summaries.any(|(summary, _)| is_below(summary)),
                        "{place:?}"
                    );
                }
            }
        }
        assert_eq!(tree.count(Edge::ROOT, &tree.subtrees()), counts);
        let is_still_open = |place: &Place| is_open(&after, place);
        assert!(
            all_places(&after)
                .into_iter()
                .filter(is_still_open)
                .eq(open),
            "seed {seed}"
        );
        for (place, edge) in places(&tree) {
            assert_eq!(
                tree.input(edge).is_some(),
                inputs[&place].is_some(),
                "{place:?}"
            );
        }
        // Twice is once.
        let again = tree.compress().expect("a tree");
        assert_same(&model(&again), &after, &format!("seed {seed}"));
    }
}

/// Whatever a crash has left of rewriting is no part of the tree.
#[test]
fn leftovers_of_rewriting_are_ignored() {
    let mut random = Random::new(1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (tree, before) = any_tree(folder.path(), &mut random, 200);
    let old = fs::read(folder.path().join("0001.log")).expect("a log");
    // Before the new log had its name.
    fs::write(folder.path().join(".whole"), &old[..old.len() / 2]).expect("a file");
    assert_same(&model(&open(folder.path())), &before, "before");
    let tree = tree.compact().expect("a tree");
    assert_same(&model(&tree), &before, "written");
    // Before the old log was removed; it may be anything by then.
    for leftover in [&old[..], &old[..50], b"something else"] {
        fs::write(folder.path().join("0001.log"), leftover).expect("a file");
        assert_same(&model(&open(folder.path())), &before, "after");
    }
    drop(tree);
    open(folder.path()).compact().expect("a tree");
    assert_eq!(logs(folder.path()), ["0003.log"]);
}

/// Parts of a tree are explored in directories of their own.
#[test]
fn parts_are_united() {
    for seed in 0..count("MEMO_TREES", 40, 1_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let base = folder.path().join("base");
        let (tree, _) = any_tree(&base, &mut random, 80);
        let parts = 1 + random.below(3usize);
        let mut expected = model(&tree);
        let mut trees = Vec::new();
        for part in 0..parts {
            let directory = folder.path().join(format!("part{part}"));
            fs::create_dir(&directory).expect("a folder");
            for name in ["header", "0001.log"] {
                fs::copy(base.join(name), directory.join(name)).expect("a copy");
            }
            let tree = open(&directory);
            let own = tree
                .split(parts, |edge| tree.below(edge).is_open())
                .swap_remove(part);
            let own_places: Vec<Place> = places(&tree)
                .into_iter()
                .filter(|(_, edge)| own.contains(edge))
                .map(|(place, _)| place)
                .collect();
            go_on(&tree, &own, &mut random);
            let mut tree = open(&directory);
            for (place, said) in model(&tree) {
                if own_places.iter().any(|own| place.starts_with(own)) {
                    expected.insert(place, said);
                }
            }
            if random.coin() {
                tree = tree.compact().expect("a tree");
            }
            trees.push(tree);
        }
        let trees: Vec<&Tree> = trees.iter().collect();
        let united =
            merge(&folder.path().join("united"), &trees, &mut |_, test| test).expect("a tree");
        assert_same(&model(&united), &expected, &format!("seed {seed}"));
    }
}

#[test]
fn what_has_nothing_in_common_is_not_united() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut random = Random::new(1);
    let (a, _) = any_tree(&folder.path().join("a"), &mut random, 50);
    let (b, _) = any_tree(&folder.path().join("b"), &mut random, 50);
    let united = merge(&folder.path().join("c"), &[&a, &b], &mut |_, test| test);
    assert!(matches!(united, Err(MemoError::Contradiction { .. })));
    let other = Tree::create(
        &folder.path().join("other"),
        refrain_memo::Header::default(),
    )
    .expect("a tree");
    let united = merge(&folder.path().join("d"), &[&a, &other], &mut |_, test| test);
    assert!(matches!(united, Err(MemoError::OtherHeader { .. })));
    let nothing = merge(&folder.path().join("e"), &[], &mut |_, test| test).expect("nothing");
    assert_same(&model(&nothing), &Model::new(), "nothing");
}
