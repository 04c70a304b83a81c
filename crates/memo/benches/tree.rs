//! What a tree costs: to record, on disk, to open, in memory, to select from.
//!
//! `cargo bench -p refrain-memo [-- NODES...]`

use std::path::Path;
use std::time::{Duration, Instant};

use refrain_memo::{
    AskKind, Boundary, CodeUnit, Edge, Ending, Header, Leaf, LogWriter, NamedPoint, NodeId,
    Question, Reading, SymbolId, Tree, UnitId,
};
use refrain_testing::Random;

const FUNCTIONS: usize = 60;
const BRANCHES: usize = 400;
const INPUT: usize = 32;

/// A branch of a made-up program.
struct Branch {
    point: NamedPoint,
    kind: AskKind,
    /// By alternative: the next branch, and the code on the way there.
    next: Vec<(usize, Vec<UnitId>)>,
}

/// The hash of a block, in the version of the program that is recorded.
fn hash(symbol: &str, block: Option<u32>) -> u64 {
    let bytes = symbol.bytes().chain(block.unwrap_or(0).to_le_bytes());
    bytes.fold(1, |hash: u64, byte| {
        (hash ^ u64::from(byte))
            .wrapping_mul(0x0100_0000_01b3)
            .rotate_left(29)
    })
}

/// Branches that lead to branches, some of them back.
fn program(writer: &mut LogWriter, random: &mut Random) -> Vec<Branch> {
    let mut symbols: Vec<SymbolId> = Vec::new();
    let mut units: Vec<UnitId> = Vec::new();
    for index in 0..FUNCTIONS {
        let name = format!("_ZN7example6module{index}function{index}E");
        let symbol = writer.symbol(&name);
        symbols.push(symbol);
        for block in 0..20 {
            let (block, hash) = (Some(block), hash(&name, Some(block)));
            units.push(writer.unit(CodeUnit {
                symbol,
                block,
                hash,
                part: 0,
            }));
        }
    }
    let mut branches = Vec::new();
    for index in 0..BRANCHES {
        let kind = match index % 20 {
            0 => AskKind::Choose(6),
            1 => AskKind::Fix,
            2 => AskKind::Assume,
            _ => AskKind::Choose(2),
        };
        let mut next = Vec::new();
        for _ in 0..kind.alternatives() {
            let to = match random.one_in(8) {
                true => index - index % 8,
                false => (index + 1 + random.below(6)) % BRANCHES,
            };
            let first = index * units.len() / BRANCHES;
            let ran =
                (0..1 + random.below(5)).map(|_| units[(first + random.below(12)) % units.len()]);
            next.push((to, ran.collect()));
        }
        branches.push(Branch {
            point: NamedPoint {
                symbol: symbols[index * FUNCTIONS / BRANCHES],
                block: index as u32 % 20,
                instruction: random.below(12),
            },
            kind,
            next,
        });
    }
    branches
}

/// A record to come.
struct Step {
    /// The number of the node that the edge starts at.
    parent: Option<u32>,
    alternative: u32,
    branch: usize,
    /// The branch and the alternative that led there.
    came_by: (usize, usize),
    depth: u32,
    input: [u8; INPUT],
    then: Then,
}

enum Then {
    Pending,
    Node {
        hash: u64,
        infeasible: u64,
        value: u64,
    },
    End(u32),
}

/// Makes a tree up.
struct Exploration {
    random: Random,
    pending: Vec<Step>,
    nodes: u32,
}

impl Exploration {
    fn step(&mut self, branches: &[Branch]) -> Step {
        let random = &mut self.random;
        // Mostly depth first.
        let at = match random.one_in(50) {
            true => random.below(self.pending.len()),
            false => self.pending.len() - 1,
        };
        let mut step = self.pending.swap_remove(at);
        if !self.pending.is_empty() && (step.depth > 60 || random.one_in(12)) {
            step.then = Then::End(random.below(20));
            return step;
        }
        // A condition is about a few bytes of input: often the same on other paths, and often new.
        let hash = match random.percent(60) {
            true => (step.branch as u64 * 64 + u64::from(step.depth))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15),
            false => random.next(),
        };
        let branch = &branches[step.branch];
        let alternatives = branch.kind.alternatives();
        let certain = random.below(alternatives);
        let mut infeasible = 0;
        for alternative in 0..alternatives {
            if alternative != certain && random.percent(45) {
                infeasible |= 1 << alternative;
                continue;
            }
            let mut input = step.input;
            for _ in 0..random.below(3) {
                input[(step.depth as usize + random.below(4)) % INPUT] = random.below(256) as u8;
            }
            self.pending.push(Step {
                parent: Some(self.nodes),
                alternative,
                branch: branch.next[alternative as usize].0,
                came_by: (step.branch, alternative as usize),
                depth: step.depth + 1,
                input,
                then: Then::Pending,
            });
        }
        self.nodes += 1;
        let value = random.below(64);
        step.then = Then::Node {
            hash,
            infeasible,
            value,
        };
        step
    }
}

/// Records a tree of so many nodes; how long it took, without making it up.
fn record(directory: &Path, nodes: u32) -> Duration {
    let header = Header([("entry".into(), "main".into())].into());
    let recording = Tree::create(directory, header).and_then(|tree| tree.record());
    let mut writer = recording
        .and_then(|recording| recording.writer())
        .expect("a log");
    let mut random = Random::new(1);
    let branches = program(&mut writer, &mut random);
    let root = Step {
        parent: None,
        alternative: 0,
        branch: 0,
        came_by: (0, 0),
        depth: 0,
        input: [0; INPUT],
        then: Then::Pending,
    };
    let mut exploration = Exploration {
        random,
        pending: vec![root],
        nodes: 0,
    };
    let mut ids = Vec::new();
    let mut tests = 0;
    let mut took = Duration::ZERO;
    while exploration.nodes < nodes {
        let steps: Vec<Step> = (0..50_000).map(|_| exploration.step(&branches)).collect();
        let started = Instant::now();
        for step in &steps {
            write(&mut writer, &branches, step, &mut ids, &mut tests);
        }
        took += started.elapsed();
    }
    let started = Instant::now();
    writer.finish().expect("a whole log");
    took + started.elapsed()
}

fn write(
    writer: &mut LogWriter,
    branches: &[Branch],
    step: &Step,
    ids: &mut Vec<NodeId>,
    tests: &mut u32,
) {
    let ran = &branches[step.came_by.0].next[step.came_by.1].1;
    let implied: &[u32] = match step.branch % 5 {
        0 => &[1, 1, 0],
        1 => &[0],
        _ => &[],
    };
    let edge = step.parent.map_or(Edge::ROOT, |parent| {
        ids[parent as usize].edge(step.alternative)
    });
    let branch = &branches[step.branch];
    match step.then {
        Then::Pending => unreachable!("it has become something"),
        Then::End(which) => {
            *tests += 1;
            let ending = match which {
                0 => Ending::Error("null pointer"),
                1..4 => Ending::Boundary(Boundary {
                    cause: "depth",
                    stack: &[branch.point],
                }),
                _ => Ending::Exit(Some(0)),
            };
            let leaf = Leaf {
                ending,
                implied,
                ran,
                test: Some(*tests),
            };
            writer.leaf(edge, &leaf, Some(&step.input));
        }
        Then::Node {
            hash,
            infeasible,
            value,
        } => {
            let value = value.to_le_bytes();
            let question = Question {
                point: branch.point,
                kind: branch.kind,
                value: (branch.kind == AskKind::Fix).then_some(&value[..]),
                implied,
                ran,
                hash,
            };
            let node = writer.node(edge, &question);
            for alternative in 0..branch.kind.alternatives() {
                if infeasible >> alternative & 1 == 1 {
                    writer.infeasible(node.edge(alternative), None);
                }
            }
            ids.push(node);
        }
    }
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let made = what();
    (made, started.elapsed().as_secs_f64())
}

fn measure(wanted: u32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let took = record(folder.path(), wanted).as_secs_f64();
    let disk = |number: u32| {
        let log = folder.path().join(format!("{number:04}.log"));
        log.metadata().expect("a log").len() as f64
    };
    let (tree, opened) = timed(|| Tree::open(folder.path(), Reading::Strict).expect("a tree"));
    let memory = tree.bytes() as f64;
    let counts = tree.count(Edge::ROOT, &tree.subtrees());
    let (nodes, leaves) = (counts.nodes as f64, counts.leaves() as f64);
    println!(
        "{nodes} nodes, {leaves} leaves, {} infeasible, {} open",
        counts.infeasible, counts.open
    );
    println!(
        "  recorded in {took:.2} s: {:.1} million nodes and leaves a second",
        (nodes + leaves) / took / 1e6
    );
    println!(
        "  on disk: {:.1} bytes a node, {:.1} a node or leaf",
        disk(1) / nodes,
        disk(1) / (nodes + leaves)
    );
    println!(
        "  opened in {opened:.2} s; in memory: {:.1} bytes a node",
        memory / nodes
    );
    let (open, took) = timed(|| tree.open_edges());
    println!("  {} edges lead to what is open: {took:.2} s", open.len());
    let (impact, took) = timed(|| {
        tree.impact(|symbol, block| {
            let is_edited = symbol.contains("module7f") && block == Some(3);
            Some(hash(symbol, block) ^ u64::from(is_edited))
        })
    });
    println!(
        "  a block is edited: {} impacted edges: {took:.2} s",
        impact.edges.len()
    );
    let (parts, took) = timed(|| tree.split(8, |edge| tree.below(edge).is_open()));
    println!("  split in {}: {took:.2} s", parts.len());
    let (tree, took) = timed(|| tree.compress().expect("a smaller tree"));
    println!(
        "  compressed in {took:.2} s: {:.1} bytes a node on disk, {:.1} in memory",
        disk(2) / nodes,
        tree.bytes() as f64 / nodes
    );
}

fn main() {
    let sizes: Vec<u32> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    match sizes.is_empty() {
        true => [1_000_000, 10_000_000].into_iter().for_each(measure),
        false => sizes.into_iter().for_each(measure),
    }
}
