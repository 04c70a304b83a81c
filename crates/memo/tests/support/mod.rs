//! Trees as plain maps, from the alternatives that lead to a place to what is there: what tests write, and what they
//! read back.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use refrain_memo::{
    AskKind, Below, Boundary, CodeUnit, Counts, Edge, Ending, Header, Input, Leaf, LogWriter,
    NamedPoint, Question, Reading, Tree, UnitId,
};
use refrain_testing::Random;

/// The alternatives from the root.
pub type Place = Vec<u32>;
pub type Model = BTreeMap<Place, Said>;

/// Symbol, block, instruction.
pub type Point = (String, u32, u32);
/// Symbol, block, hash.
/// Its symbol, block, hash and part.
pub type Unit = (String, Option<u32>, u64, u64);

/// What is at a place. Places of which nothing is said are not in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Node {
        point: Point,
        kind: AskKind,
        value: Option<Vec<u8>>,
        implied: Vec<u32>,
        ran: BTreeSet<Unit>,
        hash: u64,
    },
    Leaf {
        end: End,
        implied: Vec<u32>,
        ran: BTreeSet<Unit>,
        test: Option<u32>,
        input: Option<Vec<u8>>,
    },
    Infeasible(Option<Vec<u8>>),
    Open {
        cause: String,
        stack: Vec<Point>,
        input: Option<Vec<u8>>,
    },
    Unknown(String),
    Summary {
        counts: Counts,
        ran: BTreeSet<Unit>,
        tests: Vec<u32>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Exit(Option<i32>),
    Error(String),
    Unsupported(String),
    Silent,
    Boundary(String, Vec<Point>),
}

impl Said {
    pub fn is_open(&self) -> bool {
        match self {
            Said::Open { .. } | Said::Unknown(_) => true,
            Said::Leaf { end, .. } => matches!(end, End::Boundary(..)),
            Said::Node { .. } | Said::Infeasible(_) | Said::Summary { .. } => false,
        }
    }

    pub fn ran(&self) -> Option<&BTreeSet<Unit>> {
        match self {
            Said::Node { ran, .. } | Said::Leaf { ran, .. } | Said::Summary { ran, .. } => {
                Some(ran)
            }
            _ => None,
        }
    }
}

pub fn header() -> Header {
    Header(
        [
            ("entry".into(), "main".into()),
            ("checks".into(), "all".into()),
        ]
        .into(),
    )
}

// Reading.

fn points(tree: &Tree, stack: &[NamedPoint]) -> Vec<Point> {
    stack.iter().map(|point| named(tree, *point)).collect()
}

fn named(tree: &Tree, point: NamedPoint) -> Point {
    (
        tree.symbol(point.symbol).to_string(),
        point.block,
        point.instruction,
    )
}

fn units(tree: &Tree, ran: &[UnitId]) -> BTreeSet<Unit> {
    ran.iter().map(|&unit| unit_of(tree, unit)).collect()
}

pub fn unit_of(tree: &Tree, unit: UnitId) -> Unit {
    let CodeUnit {
        symbol,
        block,
        hash,
        part,
    } = tree.unit(unit);
    (tree.symbol(symbol).to_string(), block, hash, part)
}

fn bytes(tree: &Tree, edge: Edge) -> Option<Vec<u8>> {
    match tree.input(edge) {
        Some(Input::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

/// What a tree says at an edge.
pub fn said(tree: &Tree, edge: Edge) -> Said {
    match tree.below(edge) {
        Below::Node(node) => {
            let question = tree.question(node);
            Said::Node {
                point: named(tree, question.point),
                kind: question.kind,
                value: question.value.map(<[u8]>::to_vec),
                implied: question.implied.to_vec(),
                ran: units(tree, question.ran),
                hash: question.hash,
            }
        }
        Below::Leaf(leaf) => Said::Leaf {
            end: match leaf.ending {
                Ending::Exit(status) => End::Exit(status),
                Ending::Error(text) => End::Error(text.into()),
                Ending::Unsupported(text) => End::Unsupported(text.into()),
                Ending::Silent => End::Silent,
                Ending::Boundary(boundary) => {
                    End::Boundary(boundary.cause.into(), points(tree, boundary.stack))
                }
            },
            implied: leaf.implied.to_vec(),
            ran: units(tree, leaf.ran),
            test: leaf.test,
            input: bytes(tree, edge),
        },
        Below::Infeasible { core } => Said::Infeasible(core.map(<[u8]>::to_vec)),
        Below::Open(boundary) => Said::Open {
            cause: boundary.cause.into(),
            stack: points(tree, boundary.stack),
            input: bytes(tree, edge),
        },
        Below::Unknown { reason } => Said::Unknown(reason.into()),
        Below::Summary(summary) => Said::Summary {
            counts: summary.counts,
            ran: units(tree, summary.ran),
            tests: summary.tests.to_vec(),
        },
    }
}

fn nothing() -> Said {
    Said::Open {
        cause: String::new(),
        stack: Vec::new(),
        input: None,
    }
}

/// Every place of a tree with its edge, open ones of which nothing is said among them.
pub fn places(tree: &Tree) -> BTreeMap<Place, Edge> {
    let mut places = BTreeMap::new();
    let mut left = vec![(Vec::new(), Edge::ROOT)];
    while let Some((place, edge)) = left.pop() {
        if let Below::Node(node) = tree.below(edge) {
            for edge in tree.edges(node) {
                let mut below = place.clone();
                below.push(edge.alternative());
                left.push((below, edge));
            }
        }
        places.insert(place, edge);
    }
    places
}

/// A tree as a map, by going through all of it.
pub fn model(tree: &Tree) -> Model {
    let places = places(tree).into_iter();
    let said = places.map(|(place, edge)| (place, said(tree, edge)));
    said.filter(|(_, said)| *said != nothing()).collect()
}

#[track_caller]
pub fn assert_same(read: &Model, expected: &Model, what: &str) {
    let places: BTreeSet<&Place> = read.keys().chain(expected.keys()).collect();
    for place in places {
        assert_eq!(read.get(place), expected.get(place), "{what}: {place:?}");
    }
}

/// All places of a model, open ones of which nothing is said among them.
pub fn all_places(model: &Model) -> BTreeSet<Place> {
    let mut places = BTreeSet::from([Vec::new()]);
    for (place, said) in model {
        if let Said::Node { kind, .. } = said {
            places.extend(
                (0..kind.alternatives()).map(|alternative| [&place[..], &[alternative]].concat()),
            );
        }
    }
    places
}

pub fn is_open(model: &Model, place: &Place) -> bool {
    model.get(place).is_none_or(Said::is_open)
}

/// Removes everything below a place.
pub fn cut(model: &mut Model, place: &Place) {
    model.retain(|other, _| !(other.len() > place.len() && other.starts_with(place)));
}

/// Counts of every subtree, and what is open in it.
pub fn check_counts(tree: &Tree, model: &Model) {
    let (subtrees, open) = (tree.subtrees(), tree.open_edges());
    let mut leading_on = 0;
    let all = places(tree);
    for (place, &edge) in &all {
        let mut counts = Counts::default();
        for below in all.keys().filter(|below| below.starts_with(place)) {
            *match model.get(below) {
                Some(Said::Node { .. }) => &mut counts.nodes,
                Some(Said::Leaf { end, .. }) => match end {
                    End::Exit(_) => &mut counts.exits,
                    End::Error(_) => &mut counts.errors,
                    End::Unsupported(_) => &mut counts.unsupported,
                    End::Silent => &mut counts.silent,
                    End::Boundary(..) => &mut counts.boundaries,
                },
                Some(Said::Infeasible(_)) => &mut counts.infeasible,
                _ => &mut counts.open,
            } += 1;
        }
        assert_eq!(tree.count(edge, &subtrees), counts, "{place:?}");
        let is_open = counts.open + counts.boundaries > 0;
        assert_eq!(tree.is_in(edge, &open), is_open, "{place:?}");
        leading_on += usize::from(is_open);
    }
    // Nothing that was replaced is among them.
    assert_eq!(open.len(), leading_on);
    assert_eq!(tree.edges_in(&open).count(), leading_on);
}

/// Every edge has an input if anything below it has.
pub fn check_inputs(tree: &Tree, model: &Model) {
    for (place, edge) in places(tree) {
        let below = model
            .range(place.clone()..)
            .take_while(|(below, _)| below.starts_with(&place));
        let mut inputs: Vec<Input> = Vec::new();
        for (_, said) in below {
            match said {
                Said::Leaf {
                    input: Some(input), ..
                }
                | Said::Open {
                    input: Some(input), ..
                } => {
                    inputs.push(Input::Bytes(input.clone()));
                }
                Said::Leaf {
                    test: Some(test), ..
                } => inputs.push(Input::Test(*test)),
                _ => {}
            }
        }
        match tree.input(edge) {
            Some(input) => assert!(inputs.contains(&input), "{place:?}"),
            None => assert!(inputs.is_empty(), "{place:?}"),
        }
    }
}

pub fn open(directory: &Path) -> Tree {
    Tree::open(directory, Reading::Strict).expect("a whole tree")
}

// Writing.

fn point_of(writer: &mut LogWriter, (symbol, block, instruction): &Point) -> NamedPoint {
    NamedPoint {
        symbol: writer.symbol(symbol),
        block: *block,
        instruction: *instruction,
    }
}

fn units_of(writer: &mut LogWriter, ran: &BTreeSet<Unit>) -> Vec<UnitId> {
    let mut units = Vec::new();
    for (symbol, block, hash, part) in ran {
        let symbol = writer.symbol(symbol);
        let (block, hash, part) = (*block, *hash, *part);
        units.push(writer.unit(CodeUnit {
            symbol,
            block,
            hash,
            part,
        }));
    }
    // A set, in any order.
    units.reverse();
    units
}

fn stack_of(writer: &mut LogWriter, stack: &[Point]) -> Vec<NamedPoint> {
    stack.iter().map(|point| point_of(writer, point)).collect()
}

/// Records what is said at an edge; the edges below it.
pub fn write(writer: &mut LogWriter, edge: Edge, said: &Said) -> Vec<Edge> {
    match said {
        Said::Node { kind, .. } => {
            let node = with_question(writer, said, |writer, question| writer.node(edge, question));
            return (0..kind.alternatives())
                .map(|alternative| node.edge(alternative))
                .collect();
        }
        Said::Leaf {
            end,
            implied,
            ran,
            test,
            input,
        } => {
            let ran = units_of(writer, ran);
            let stack;
            let leaf = Leaf {
                ending: match end {
                    End::Exit(status) => Ending::Exit(*status),
                    End::Error(text) => Ending::Error(text),
                    End::Unsupported(text) => Ending::Unsupported(text),
                    End::Silent => Ending::Silent,
                    End::Boundary(cause, points) => {
                        stack = stack_of(writer, points);
                        Ending::Boundary(Boundary {
                            cause,
                            stack: &stack,
                        })
                    }
                },
                implied,
                ran: &ran,
                test: *test,
            };
            writer.leaf(edge, &leaf, input.as_deref());
        }
        Said::Infeasible(core) => writer.infeasible(edge, core.as_deref()),
        Said::Open {
            cause,
            stack,
            input,
        } => {
            let stack = stack_of(writer, stack);
            writer.open(
                edge,
                &Boundary {
                    cause,
                    stack: &stack,
                },
                input.as_deref(),
            );
        }
        Said::Unknown(reason) => writer.unknown(edge, reason),
        Said::Summary { .. } => panic!("only rewriting makes summaries"),
    }
    Vec::new()
}

pub fn with_question<T>(
    writer: &mut LogWriter,
    said: &Said,
    then: impl FnOnce(&mut LogWriter, &Question) -> T,
) -> T {
    let Said::Node {
        point,
        kind,
        value,
        implied,
        ran,
        hash,
    } = said
    else {
        panic!("no question");
    };
    let question = Question {
        point: point_of(writer, point),
        kind: *kind,
        value: value.as_deref(),
        implied,
        ran: &units_of(writer, ran),
        hash: *hash,
    };
    then(writer, &question)
}

// Anything.

fn any_bytes(random: &mut Random, most: usize) -> Vec<u8> {
    (0..random.below(most))
        .map(|_| random.below(4) as u8)
        .collect()
}

fn any_point(random: &mut Random) -> Point {
    (any_symbol(random), random.below(4), random.below(3))
}

fn any_symbol(random: &mut Random) -> String {
    random
        .pick(&["main", "parse", "größe", "_ZN4core3fmt", ""])
        .into()
}

pub fn any_unit(random: &mut Random) -> Unit {
    let block = random.coin().then(|| random.below(4));
    let part = random.pick(&[0, 1, 300, u64::MAX]);
    (any_symbol(random), block, random.below(2), part)
}

fn any_ran(random: &mut Random) -> BTreeSet<Unit> {
    (0..random.below(4)).map(|_| any_unit(random)).collect()
}

fn any_list(random: &mut Random) -> Vec<u32> {
    match random.below(3) {
        0 => (0..random.below(5)).map(|_| random.below(300)).collect(),
        _ => Vec::new(),
    }
}

fn any_input(random: &mut Random) -> Option<Vec<u8>> {
    random.coin().then(|| any_bytes(random, 40))
}

pub fn any_node(random: &mut Random) -> Said {
    let kind = match random.below(8) {
        0 => AskKind::Assume,
        1 => AskKind::Witness,
        2 => AskKind::Fix,
        3 => AskKind::Sample,
        4 => AskKind::Choose(random.below(40)),
        _ => AskKind::Choose(2),
    };
    Said::Node {
        point: any_point(random),
        kind,
        value: random.one_in(3).then(|| any_bytes(random, 9)),
        implied: any_list(random),
        ran: any_ran(random),
        hash: random.next(),
    }
}

pub fn any_boundary(random: &mut Random) -> Said {
    match random.below(3) {
        0 => Said::Unknown("conflicts".into()),
        _ => Said::Open {
            cause: random.pick(&["time", "forks"]).into(),
            stack: (0..random.below(3)).map(|_| any_point(random)).collect(),
            input: any_input(random),
        },
    }
}

/// Anything that is no node.
pub fn any_end(random: &mut Random) -> Said {
    match random.below(6) {
        0 => Said::Infeasible(random.one_in(4).then(|| any_bytes(random, 5))),
        1 => Said::Infeasible(None),
        _ => any_leaf(random),
    }
}

pub fn any_leaf(random: &mut Random) -> Said {
    let end = match random.below(7) {
        0 => End::Exit(None),
        1 => End::Exit(Some(random.within(200) as i32)),
        2 => End::Error("null pointer".into()),
        3 => End::Unsupported("inline assembly".into()),
        4 => End::Silent,
        _ => {
            let stack = (0..random.below(4)).map(|_| any_point(random)).collect();
            End::Boundary(random.pick(&["depth", "time"]).into(), stack)
        }
    };
    Said::Leaf {
        end,
        implied: any_list(random),
        ran: any_ran(random),
        test: random.coin().then(|| random.below(100_000)),
        input: any_input(random),
    }
}

/// A tree of so many records, by one writer.
pub fn any_tree(directory: &Path, random: &mut Random, records: usize) -> (Tree, Model) {
    let recording = Tree::create(directory, header())
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut writer = recording.writer().expect("a log");
    let mut model = Model::new();
    let mut left = vec![(Vec::new(), Edge::ROOT)];
    for _ in 0..records {
        if left.is_empty() {
            break;
        }
        let (place, edge): (Place, Edge) = left.swap_remove(random.below(left.len()));
        // It does not end too soon.
        let is_node = left.len() < 4 || random.percent(40);
        let said = match is_node {
            true => any_node(random),
            false if random.one_in(8) => any_boundary(random),
            false => any_end(random),
        };
        for (alternative, edge) in (0..).zip(write(&mut writer, edge, &said)) {
            left.push(([&place[..], &[alternative]].concat(), edge));
        }
        model.insert(place, said);
    }
    writer.finish().expect("a whole log");
    drop(recording);
    (open(directory), model)
}
