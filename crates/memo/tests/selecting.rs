//! What is to be executed again: the published example, and random trees against brute force.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use refrain_memo::{AskKind, Below, Counts, Edge, Edges, Ending, Tree};
use refrain_testing::{Random, count};
use support::*;

/// The places of a set of edges.
fn placed(tree: &Tree, edges: &Edges) -> BTreeSet<Place> {
    let places = places(tree).into_iter();
    let set: BTreeSet<Place> = places
        .filter(|(_, edge)| tree.is_in(*edge, edges))
        .map(|(place, _)| place)
        .collect();
    assert_eq!(set.len(), edges.len());
    let listed: BTreeSet<Place> = tree
        .edges_in(edges)
        .map(|edge| place_of(tree, edge))
        .collect();
    assert_eq!(listed, set);
    set
}

/// By the way back to the root.
fn place_of(tree: &Tree, edge: Edge) -> Place {
    let path = tree.path_to(edge);
    assert_eq!(path[0], Edge::ROOT);
    path[1..].iter().map(|edge| edge.alternative()).collect()
}

/// Figures 1 and 3 of Memoise: `compute` at bound 3. A unit is a line of the program, its hash whether it is as it was.
/// The nodes of the paper are edges here.
fn compute() -> (Model, BTreeMap<&'static str, Place>) {
    let code = |lines: &[u32]| {
        lines
            .iter()
            .map(|&line| ("compute".to_string(), Some(line), 0, 0))
            .collect()
    };
    let ask = |line: u32, ran: &[u32]| Said::Node {
        point: ("compute".into(), line, 0),
        kind: AskKind::Choose(2),
        value: None,
        implied: Vec::new(),
        ran: code(ran),
        hash: line.into(),
    };
    let leaf = |end: End, ran: &[u32], input: [u8; 3]| Said::Leaf {
        end,
        implied: Vec::new(),
        ran: code(ran),
        test: None,
        input: Some(input.to_vec()),
    };
    let exit = || End::Exit(Some(0));
    let depth = || End::Boundary("depth".into(), vec![("compute".into(), 11, 0)]);
    // Alternative 0: the condition holds.
    let model = Model::from([
        (vec![], ask(3, &[2, 3])),
        (vec![0], ask(5, &[4, 5])),
        (vec![0, 0], leaf(exit(), &[6], [0, 2, 1])),
        (vec![0, 1], leaf(exit(), &[8], [0, 1, 1])),
        (vec![1], ask(11, &[10, 11])),
        (vec![1, 0], ask(11, &[11, 12, 13])),
        (vec![1, 0, 0], leaf(depth(), &[11, 12, 13], [9, 1, 1])),
        (vec![1, 0, 1], leaf(exit(), &[15], [1, 1, 1])),
        (vec![1, 1], Said::Infeasible(None)),
    ]);
    let names = [
        ("n1", vec![]),
        ("n2", vec![0]),
        ("n3", vec![0, 0]),
        ("n4", vec![0, 1]),
        ("n5", vec![1]),
        ("n6", vec![1, 1]),
        ("n7", vec![1, 0]),
        ("n8", vec![1, 0, 1]),
        ("n9", vec![1, 0, 0]),
    ];
    (model, names.into())
}

#[test]
fn the_published_example() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recording = Tree::create(folder.path(), header())
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut writer = recording.writer().expect("a log");
    let (compute, names) = compute();
    let mut edges = BTreeMap::from([(vec![], Edge::ROOT)]);
    for (place, said) in &compute {
        for (alternative, edge) in (0..).zip(write(&mut writer, edges[place], said)) {
            edges.insert([&place[..], &[alternative]].concat(), edge);
        }
    }
    writer.finish().expect("a whole log");
    drop(recording);
    let tree = open(folder.path());
    assert_same(&model(&tree), &compute, "compute");
    let named = |edges: &Edges| -> Vec<&str> {
        let set = placed(&tree, edges);
        let names = names.iter().filter(|(_, place)| set.contains(*place));
        names.map(|(name, _)| *name).collect()
    };
    // Nine nodes: one is unsatisfiable, one a boundary.
    assert_eq!(places(&tree).len(), 9);
    let counts = tree.count(Edge::ROOT, &tree.subtrees());
    let expected = Counts {
        nodes: 4,
        exits: 3,
        boundaries: 1,
        infeasible: 1,
        ..Counts::default()
    };
    assert_eq!(counts, expected);
    // Iterative deepening (section IV-A1).
    assert_eq!(named(&tree.open_edges()), ["n1", "n5", "n7", "n9"]);
    let by_cause = |wanted: &str| {
        tree.enabled(|edge| match tree.below(edge) {
            Below::Leaf(leaf) => {
                matches!(leaf.ending, Ending::Boundary(boundary) if boundary.cause == wanted)
            }
            _ => false,
        })
    };
    assert_eq!(by_cause("depth"), tree.open_edges());
    assert!(by_cause("time").is_empty());
    // Line 6 returns delta (section IV-A3).
    let now = |line: u32| move |_: &str, block: Option<u32>| Some(u64::from(block == Some(line)));
    let impact = tree.impact(now(6));
    assert_eq!(named(&impact.edges), ["n3"]);
    assert_eq!(impact.units.len(), 1);
    assert_eq!(tree.unit(impact.units[0]).block, Some(6));
    let ways = tree.enabled(|edge| tree.is_in(edge, &impact.edges));
    assert_eq!(named(&ways), ["n1", "n2", "n3"]);
    // A change in code that never ran.
    assert!(tree.impact(now(7)).edges.is_empty());
    assert!(tree.impact(now(7)).units.is_empty());
    // A function that is gone.
    assert_eq!(named(&tree.impact(|_, _| None).edges).len(), 8);
}

#[test]
fn random_trees_against_brute_force() {
    for seed in 0..count("MEMO_TREES", 60, 2_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (tree, model) = any_tree(folder.path(), &mut random, 150);
        let all = places(&tree);
        assert_eq!(
            all.keys().cloned().collect::<BTreeSet<_>>(),
            all_places(&model)
        );
        for (place, &edge) in &all {
            assert_eq!(&place_of(&tree, edge), place);
        }
        // Ways to candidates.
        let candidates: BTreeSet<&Place> = all.keys().filter(|_| random.one_in(20)).collect();
        let by_edge: BTreeMap<Edge, &Place> =
            all.iter().map(|(place, &edge)| (edge, place)).collect();
        let enabled = tree.enabled(|edge| candidates.contains(by_edge[&edge]));
        let is_prefix = |place: &Place| {
            candidates
                .iter()
                .any(|candidate| candidate.starts_with(place))
        };
        let expected: BTreeSet<Place> = all
            .keys()
            .filter(|place| is_prefix(place))
            .cloned()
            .collect();
        assert_eq!(placed(&tree, &enabled), expected, "seed {seed}");
        // What is open.
        let open: BTreeSet<Place> = all
            .keys()
            .filter(|place| is_open(&model, place))
            .cloned()
            .collect();
        let leads_on = |place: &Place| open.iter().any(|open| open.starts_with(place));
        let expected: BTreeSet<Place> = all
            .keys()
            .filter(|place| leads_on(place))
            .cloned()
            .collect();
        assert_eq!(placed(&tree, &tree.open_edges()), expected, "seed {seed}");
        // A change.
        let changed: BTreeSet<Unit> = (0..3).map(|_| any_unit(&mut random)).collect();
        let is_changed = |unit: &Unit| {
            changed
                .iter()
                .any(|(symbol, block, ..)| (symbol, block) == (&unit.0, &unit.1))
        };
        let impact = tree.impact(|symbol, block| {
            let units = model.values().filter_map(Said::ran).flatten();
            // Blocks have one hash in a program; this one has those that ran, but for changes.
            let mut hashes = units
                .filter(|unit| unit.0 == symbol && unit.1 == block)
                .map(|unit| unit.2);
            let hash = hashes.next().expect("it ran");
            match changed
                .iter()
                .find(|unit| unit.0 == symbol && unit.1 == block)
            {
                Some((_, _, 0, _)) => None,
                Some(_) => Some(hash + 7),
                None => Some(hash),
            }
        });
        let first: BTreeMap<(&str, Option<u32>), u64> = {
            let units = model.values().filter_map(Said::ran).flatten();
            let mut first = BTreeMap::new();
            for (symbol, block, hash, _) in units {
                first.entry((symbol.as_str(), *block)).or_insert(*hash);
            }
            first
        };
        let is_impacted =
            |unit: &Unit| is_changed(unit) || first[&(unit.0.as_str(), unit.1)] != unit.2;
        let expected: BTreeSet<Place> = model
            .iter()
            .filter(|(_, said)| said.ran().is_some_and(|ran| ran.iter().any(is_impacted)))
            .map(|(place, _)| place.clone())
            .collect();
        assert_eq!(placed(&tree, &impact.edges), expected, "seed {seed}");
        let kept = tree.code_on(|edge| !tree.is_in(edge, &impact.edges));
        let kept: Vec<Unit> = kept.iter().map(|&unit| unit_of(&tree, unit)).collect();
        let others = model.iter().filter(|(place, _)| !expected.contains(*place));
        let code = others.filter_map(|(_, said)| said.ran()).flatten().cloned();
        let distinct: BTreeSet<Unit> = kept.iter().cloned().collect();
        assert_eq!((distinct.len(), &distinct), (kept.len(), &code.collect()));
        check_counts(&tree, &model);
        check_inputs(&tree, &model);
        check_split(&tree, &open, &mut random);
    }
}

/// Parts are of neighbours, and no heavier than their share and one candidate.
fn check_split(tree: &Tree, open: &BTreeSet<Place>, random: &mut Random) {
    let parts = 1 + random.below(5usize);
    let split = tree.split(parts, |edge| tree.below(edge).is_open());
    assert_eq!(split.len(), parts);
    let in_order: Vec<Place> = split
        .iter()
        .flatten()
        .map(|&edge| place_of(tree, edge))
        .collect();
    assert!(
        in_order.iter().eq(open.iter()),
        "all, once, in the order of the tree"
    );
    let subtrees = tree.subtrees();
    let weight = |edge: &Edge| match edge.node() {
        Some(node) => tree.count(tree.edge_to(node), &subtrees).nodes,
        None => 1,
    };
    let heaviest = split.iter().flatten().map(weight).max().unwrap_or(0);
    let total: u64 = split.iter().flatten().map(weight).sum();
    for part in &split {
        let sum: u64 = part.iter().map(weight).sum();
        assert!(
            sum <= total / parts as u64 + 1 + heaviest,
            "{sum} of {total} in {parts}"
        );
    }
}
