//! The running example of Memoise, and solver calls that its tables report.
//!
//! A node of the paper's trie is a conditional with a choice, so it is an edge of the memo tree; what leads to the root
//! is n1. With one exception: the paper's tool asks its solver at every conditional. Here, a condition that the path
//! condition has already, as it stands or negated, is implied, and is no question of the tree: it is noted at the next
//! one, and does not count as a branch. In figure 3 that is the first round of the loop, whose condition is the
//! negation of the one at line 3: n6 is unsatisfiable and n7 is implied. So the paper's bound 3 is 2 here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use refrain_explore::workers::Outcome;
use refrain_explore::{Limits, Memo};
use refrain_machine::Machine as _;
use refrain_memo::{Below, Edge, Edges, Ending, Header, Tree};

use super::{bitcode, explore, load, open};

/// A program of the study, one of its versions.
fn program(name: &str, mutant: u32) -> Vec<u8> {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/study/memoise");
    let text = std::fs::read_to_string(folder.join(name).with_extension("c")).expect("a program");
    let text = format!("#define MUTANT {mutant}\n{text}");
    bitcode(&text, "-O0").expect("a program that compiles")
}

fn to_depth(depth: u32) -> Limits {
    Limits {
        depth,
        ..Limits::default()
    }
}

fn fresh(bitcode: &[u8], directory: &FilePath, depth: u32) -> Outcome {
    let tree = Tree::create(directory, Header::default()).expect("a directory");
    explore(
        bitcode,
        Memo::resume(tree).expect("a tree"),
        to_depth(depth),
    )
}

fn deepen(bitcode: &[u8], directory: &FilePath, depth: u32) -> Outcome {
    let memo = Memo::resume(open(directory)).expect("a tree");
    explore(bitcode, memo, to_depth(depth))
}

/// The choices on the way to a node of the paper: `t` where the condition holds.
type Place = String;

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Conditional,
    Exit,
    Unsatisfiable,
    Boundary,
}

/// The tree as the paper draws it, and where in it each edge ends.
fn figure(tree: &Tree) -> (BTreeMap<Place, Kind>, BTreeMap<Edge, Place>) {
    let mut nodes = BTreeMap::new();
    let mut ends = BTreeMap::new();
    let mut stack = vec![(Edge::ROOT, Place::new())];
    while let Some((edge, mut place)) = stack.pop() {
        let below = tree.below(edge);
        let (kind, implied) = match &below {
            Below::Node(node) => (Kind::Conditional, tree.question(*node).implied),
            Below::Leaf(leaf) => match leaf.ending {
                Ending::Exit(_) => (Kind::Exit, leaf.implied),
                Ending::Boundary(_) => (Kind::Boundary, leaf.implied),
                other => panic!("{other:?}"),
            },
            Below::Infeasible { .. } => (Kind::Unsatisfiable, &[][..]),
            other => panic!("{other:?}"),
        };
        for &choice in implied {
            nodes.insert(place.clone(), Kind::Conditional);
            nodes.insert(after(&place, 1 - choice), Kind::Unsatisfiable);
            place = after(&place, choice);
        }
        if let Below::Node(node) = below {
            for edge in tree.edges(node) {
                stack.push((edge, after(&place, edge.alternative())));
            }
        }
        ends.insert(edge, place.clone());
        nodes.insert(place, kind);
    }
    (nodes, ends)
}

fn after(place: &str, choice: u32) -> Place {
    format!("{place}{}", ["f", "t"][choice as usize])
}

/// Figure 3.
const FIGURE: [(&str, &str, Kind); 9] = [
    ("n1", "", Kind::Conditional),
    ("n2", "t", Kind::Conditional),
    ("n3", "tt", Kind::Exit),
    ("n4", "tf", Kind::Exit),
    ("n5", "f", Kind::Conditional),
    ("n6", "ff", Kind::Unsatisfiable),
    ("n7", "ft", Kind::Conditional),
    ("n8", "ftf", Kind::Exit),
    ("n9", "ftt", Kind::Boundary),
];

/// Which nodes of the figure some edges end at.
fn named(tree: &Tree, edges: &Edges) -> BTreeSet<&'static str> {
    let (_, ends) = figure(tree);
    let places: BTreeSet<&str> = tree.edges_in(edges).map(|edge| &*ends[&edge]).collect();
    let named = FIGURE.iter().filter(|(_, place, _)| places.contains(place));
    named.map(|(name, ..)| *name).collect()
}

#[test]
fn the_running_example() {
    let compute = program("compute", 0);
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let [old, whole] = folders.each_ref().map(|folder| folder.path());
    fresh(&compute, old, 2);
    let tree = open(old);
    let expected = FIGURE.map(|(_, place, kind)| (place.to_string(), kind));
    assert_eq!(figure(&tree).0, expected.into());

    // Section IV-A3: line 6 returns delta.
    let changed = load(&program("compute", 1));
    let impact = tree.impact(|symbol, block| changed.code_hash(symbol, block?));
    assert_eq!(named(&tree, &impact.edges), ["n3"].into());
    let ways = tree.enabled(|edge| tree.is_in(edge, &impact.edges));
    assert_eq!(named(&tree, &ways), ["n1", "n2", "n3"].into());
    let same = load(&compute);
    assert!(
        tree.impact(|symbol, block| same.code_hash(symbol, block?))
            .edges
            .is_empty()
    );

    // Section IV-A1: of two choices at n1 and two at n7 one each is finished, and nobody is asked about the other.
    assert_eq!(named(&tree, &tree.open_edges()), ["n1", "n7", "n9"].into());
    drop(tree);
    let deepened = deepen(&compute, old, 3).stats;
    let regular = fresh(&compute, whole, 3).stats;
    assert_eq!((deepened.by_memo, deepened.finished), (4, 2));
    assert_eq!((deepened.paths, regular.paths), (2, 5));
    assert_eq!(figure(&open(old)).0, figure(&open(whole)).0);
    assert_eq!(figure(&open(old)).0.len(), FIGURE.len() + 2);
}

/// What the paper's tool would have called its solver for.
fn queries(outcome: &Outcome) -> u64 {
    let stats = &outcome.stats;
    let by_layers: u64 = stats
        .effort
        .answered_by
        .iter()
        .map(|(_, count)| count)
        .sum();
    by_layers + stats.by_model + stats.by_partial_solution
}

/// Tables III-(c) and, for the regular run, III-(b). The paper's bounds also count what is no branch.
#[test]
fn the_published_calls() {
    let loops = program("loop2", 0);
    let folder = tempfile::tempdir().expect("a directory");
    assert_eq!(queries(&fresh(&loops, folder.path(), 38)), 1482);
    assert_eq!(queries(&deepen(&loops, folder.path(), 58)), 3414 - 1482);
    let folder = tempfile::tempdir().expect("a directory");
    assert_eq!(
        queries(&fresh(&program("bank", 0), folder.path(), 12)),
        8190
    );
}
