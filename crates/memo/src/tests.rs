//! Logs whose checksums are right and whose contents are not: reading them ends in a tree that can be used, or in an
//! error.

use std::path::Path;

use refrain_testing::{Random, count};

use crate::log::{LogFile, LogReader, path_of};
use crate::{
    AskKind, Boundary, CodeUnit, Counts, Edge, Ending, Header, Leaf, LogWriter, MemoError,
    NamedPoint, Question, Reading, Tree,
};

/// Every kind of record.
fn write(writer: &mut LogWriter, random: &mut Random, records: usize, left: &mut Vec<Edge>) {
    let symbol = writer.symbol("main");
    let point = NamedPoint {
        symbol,
        block: 1,
        instruction: 2,
    };
    let mut nodes = Vec::new();
    for _ in 0..records {
        let hash = random.below(3);
        let block = Some(random.below(3));
        let units = [writer.unit(CodeUnit {
            symbol,
            block,
            hash,
            part: random.below(3),
        })];
        let implied = [random.below(2), 300];
        let question = Question {
            point,
            kind: random.pick(&[
                AskKind::Choose(2),
                AskKind::Choose(20),
                AskKind::Fix,
                AskKind::Assume,
            ]),
            value: random.coin().then_some(&[1, 2, 3]),
            implied: &implied[random.below(3)..],
            ran: &units,
            hash: random.next(),
        };
        let boundary = Boundary {
            cause: random.pick(&["", "time"]),
            stack: &[point, point],
        };
        let input: Option<&[u8]> =
            random.pick(&[None, Some(&[1; 9]), Some(&[1, 1, 1, 1, 2, 1, 1, 1])]);
        let at = random.below(left.len());
        match random.below(10) {
            0 => writer.infeasible(left[at], random.pick(&[None, Some(&[1])])),
            1 => writer.unknown(left[at], "conflicts"),
            2 => writer.open(left[at], &boundary, input),
            3 => writer.summary(left[at], &Counts::default(), &units, &[1, 2], input),
            4 if !nodes.is_empty() => {
                let (node, kind) = random.pick(&nodes);
                writer.ask_anew(node, &Question { kind, ..question });
            }
            5 => {
                let ending = random.pick(&[
                    Ending::Exit(Some(-1)),
                    Ending::Error("null"),
                    Ending::Boundary(boundary),
                ]);
                let leaf = Leaf {
                    ending,
                    implied: &implied,
                    ran: &units,
                    test: random.coin().then_some(7),
                };
                writer.leaf(left[at], &leaf, input);
            }
            _ => {
                let node = writer.node(left.swap_remove(at), &question);
                nodes.push((node, question.kind));
                left.extend(
                    (0..question.kind.alternatives()).map(|alternative| node.edge(alternative)),
                );
            }
        }
        if random.one_in(20) {
            writer.flush();
        }
    }
}

/// Reads a log and writes it with other contents, and the checksums that these have.
fn forge(path: &Path, change: impl Fn(usize, &mut Vec<u8>)) {
    let mut log = LogReader::open(path).expect("a log");
    let mut blocks = Vec::new();
    while let Some(block) = log.next().expect("a block") {
        blocks.push(block.to_vec());
    }
    std::fs::remove_file(path).expect("a log");
    let mut forged = LogFile::create(path, &log.head).expect("a log");
    for (number, mut block) in blocks.into_iter().enumerate() {
        change(number, &mut block);
        forged.append(&block).expect("room");
    }
}

fn two_workers(directory: &Path, random: &mut Random) {
    let header = Header::default();
    let recording = Tree::create(directory, header)
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut writers = [
        recording.writer().expect("a log"),
        recording.writer().expect("a log"),
    ];
    let mut left = vec![Edge::ROOT];
    for _ in 0..6 {
        write(&mut writers[random.below(2)], random, 20, &mut left);
    }
}

/// Does all that can be done with a tree.
fn use_all_of(tree: Tree) {
    let mut edges = vec![Edge::ROOT];
    let subtrees = tree.subtrees();
    while let Some(edge) = edges.pop() {
        tree.input(edge);
        tree.count(edge, &subtrees);
        assert_eq!(tree.path_to(edge).last(), Some(&edge));
        if let crate::Below::Node(node) = tree.below(edge) {
            tree.symbol(tree.question(node).point.symbol);
            edges.extend(tree.edges(node));
        }
    }
    let open = tree.open_edges();
    assert!(tree.edges_in(&open).count() <= open.len());
    tree.impact(|_, block| block.map(u64::from));
    tree.split(3, |edge| tree.below(edge).is_open());
    // What a forged log says of questions need not fit together.
    tree.compress().expect("a smaller tree");
}

#[test]
fn forged_logs_do_no_harm() {
    let (mut refused, mut read) = (0, 0);
    for seed in 0..count("MEMO_FORGED", 600, 50_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        two_workers(folder.path(), &mut random);
        let path = path_of(folder.path(), 1 + random.below(2));
        let wanted = random.below(4);
        let noise = random.clone();
        forge(&path, |number, block| {
            let mut random = noise.clone();
            if number != wanted || block.is_empty() {
                return;
            }
            for _ in 0..1 + random.below(3) {
                let at = random.below(block.len());
                match random.below(5) {
                    0 => block.truncate(at),
                    1 => block.insert(at, random.below(256) as u8),
                    2 => block[at] = block[at].wrapping_add(1),
                    3 => block[at] ^= 0x80,
                    _ => block[at] = random.below(256) as u8,
                }
                if block.is_empty() {
                    return;
                }
            }
        });
        match Tree::open(folder.path(), Reading::Strict) {
            Ok(tree) => {
                assert!(tree.bytes() < 1 << 20, "{} bytes", tree.bytes());
                read += 1;
                use_all_of(tree);
            }
            Err(MemoError::Damaged { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(
        refused > 100 && read > 100,
        "{refused} refused, {read} read"
    );
}

/// Nothing is reserved for what is only claimed to be there.
#[test]
fn no_count_is_believed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let header = Header::default();
    let recording = Tree::create(folder.path(), header)
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut writer = recording.writer().expect("a log");
    writer.unknown(Edge::ROOT, "time");
    writer.finish().expect("a whole log");
    drop(recording);
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    // A text, a blob, a set and a list of so many elements; a question with so many alternatives.
    for table in [0u8, 1, 3, 4, 5] {
        let path = path_of(folder.path(), 1);
        forge(&path, |_, block| {
            *block = vec![6, 0, 0, 0, 0, 0, 0, 0, 0, 0, table];
            block.extend(huge);
        });
        let opened = Tree::open(folder.path(), Reading::Strict);
        assert!(
            matches!(opened, Err(MemoError::Damaged { .. })),
            "table {table}"
        );
    }
    let names = [0, 1, b'f', 4, 0, 3, 0];
    let question = [&[6, 0, 1, 1, 0][..], &huge, &[0, 0, 0]].concat();
    let path = path_of(folder.path(), 1);
    forge(&path, |_, block| {
        let definitions = [&names[..], &question].concat();
        *block = vec![definitions.len() as u8, 1, 1, 1, 4, 1, 0, 0, 0, 0];
        block.extend(definitions);
        block.extend([0, 0, 0, 1, 2, 3, 4, 0]);
    });
    let opened = Tree::open(folder.path(), Reading::Strict);
    let Err(MemoError::Damaged { what, .. }) = opened else {
        panic!("it is believed");
    };
    assert_eq!(what, "bytes are missing");
}
