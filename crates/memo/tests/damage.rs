//! Files that are not what was written: found, with file and place, or a torn tail that costs no more than it must.

mod support;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use refrain_memo::{AskKind, Edge, MemoError, Reading, Tree};
use refrain_testing::{Random, count};
use support::*;

/// Two runs, the second one by two workers, each with some blocks.
fn tree(directory: &Path, random: &mut Random, records: usize) -> Model {
    drop(any_tree(directory, random, records));
    let tree = open(directory);
    let recording = tree.record().expect("nobody else uses it");
    let mut writers = [
        recording.writer().expect("a log"),
        recording.writer().expect("a log"),
    ];
    let mut left: Vec<Edge> = places(&tree)
        .into_values()
        .filter(|_| random.one_in(4))
        .collect();
    for _ in 0..records {
        let Some(edge) = left.pop() else { break };
        let said = if left.len() < 4 || random.coin() {
            any_node(random)
        } else {
            any_end(random)
        };
        let writer = &mut writers[random.below(2)];
        left.extend(write(writer, edge, &said));
        if random.one_in(8) {
            writer.flush();
        }
    }
    for writer in writers {
        writer.finish().expect("a whole log");
    }
    model(&open(directory))
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| !path.ends_with("lock")).collect();
    files.sort();
    files
}

/// Where the blocks of a whole log end: from the frames alone.
fn ends(log: &[u8]) -> Vec<usize> {
    let mut ends = vec![36];
    let mut at = 36;
    while at < log.len() {
        let len: [u8; 4] = log[at + 4..at + 8].try_into().expect("4 bytes");
        at += 28 + u32::from_le_bytes(len) as usize;
        ends.push(at);
    }
    ends
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "log")
}

#[test]
fn every_flipped_bit_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    tree(folder.path(), &mut Random::new(1), 6);
    let files = files(folder.path());
    assert_eq!(files.len(), 4);
    let mut torn = 0;
    for path in files {
        let bytes = fs::read(&path).expect("a file");
        let last = match is_log(&path) {
            true => ends(&bytes).into_iter().rev().nth(1).unwrap_or(0),
            false => bytes.len(),
        };
        let shortened = is_log(&path).then(|| {
            fs::write(&path, &bytes[..last]).expect("a file");
            let tree = Tree::open(folder.path(), Reading::Lenient);
            model(&tree.expect("a tree"))
        });
        fs::write(&path, &bytes).expect("a file");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        let put = |at: usize, byte: u8| file.write_all_at(&[byte], at as u64).expect("a byte");
        for bit in 0..bytes.len() * 8 {
            put(bit / 8, bytes[bit / 8] ^ 1 << (bit % 8));
            match Tree::open(folder.path(), Reading::Strict) {
                Err(
                    MemoError::Damaged { path: named, .. } | MemoError::Torn { path: named, .. },
                ) => {
                    assert!(
                        named == path || !is_log(&path),
                        "{}: bit {bit}",
                        path.display()
                    );
                }
                Err(MemoError::Version { .. }) => assert!(!is_log(&path)),
                Err(other) => panic!("{other}"),
                Ok(_) => panic!("{}: bit {bit} is not missed", path.display()),
            }
            // In the last block, what a kill does and what damage does look the same.
            if let Ok(tree) = Tree::open(folder.path(), Reading::Lenient) {
                assert!(bit / 8 >= last, "{}: bit {bit}", path.display());
                assert_eq!(tree.warnings().len(), 1);
                assert_same(
                    &model(&tree),
                    shortened.as_ref().expect("a log"),
                    "shortened",
                );
                torn += 1;
            }
            put(bit / 8, bytes[bit / 8]);
        }
    }
    assert!(torn > 100);
}

/// Bytes that are overwritten, zeroed, missing, doubled or foreign; blocks and files elsewhere.
#[test]
fn damage_of_any_kind_is_found() {
    let mut random = Random::new(4);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = tree(folder.path(), &mut random, 300);
    let files = files(folder.path());
    let logs: Vec<Vec<u8>> = files
        .iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect();
    let blocks = |log: usize| ends(&logs[log]).len() - 1;
    assert!(blocks(0) >= 1 && blocks(1) >= 5 && blocks(2) >= 5);
    for round in 0..count("MEMO_DAMAGE", 500, 50_000) {
        let at = random.below(files.len());
        let (path, bytes) = (&files[at], &logs[at]);
        let from = random.below(bytes.len());
        let most = [1, 40, 3_000][random.below(3)];
        let to = bytes.len().min(from + 1 + random.below(most));
        let noise: Vec<u8> = (0..to - from).map(|_| random.below(256) as u8).collect();
        let changed = match round % 8 {
            0 => [&bytes[..from], &noise, &bytes[to..]].concat(),
            1 => [&bytes[..from], &vec![0; to - from], &bytes[to..]].concat(),
            2 => [&bytes[..from], &bytes[to..]].concat(),
            3 => [&bytes[..to], &bytes[from..]].concat(),
            4 => [&bytes[..from], &noise, &bytes[from..]].concat(),
            5 => logs[random.below(logs.len())].clone(),
            _ if !is_log(path) => bytes[..from].to_vec(),
            // Whole blocks: one less, or in another place.
            6 => {
                let ends = ends(bytes);
                let cut = random.below(ends.len() - 1);
                [&bytes[..ends[cut]], &bytes[ends[cut + 1]..]].concat()
            }
            _ => {
                let ends = ends(bytes);
                let [a, b] = [random.below(ends.len() - 1), random.below(ends.len() - 1)];
                [
                    &bytes[..ends[a]],
                    &bytes[ends[b]..ends[b + 1]],
                    &bytes[ends[a]..],
                ]
                .concat()
            }
        };
        fs::write(path, &changed).expect("a file");
        if let Ok(tree) = Tree::open(folder.path(), Reading::Strict) {
            // Only the end of a log can be missing unnoticed: then the rest is as it was.
            let is_shorter = is_log(path) && bytes.starts_with(&changed);
            assert!(is_shorter || changed == *bytes, "round {round}");
            assert_eq!(changed == *bytes, model(&tree) == before, "round {round}");
        }
        if let Ok(tree) = Tree::open(folder.path(), Reading::Lenient) {
            let whole = match is_log(path) {
                true => ends(bytes)
                    .into_iter()
                    .filter(|&end| changed.get(..end) == bytes.get(..end))
                    .max(),
                false => None,
            };
            fs::write(path, &bytes[..whole.unwrap_or(bytes.len())]).expect("a file");
            let expected = Tree::open(folder.path(), Reading::Lenient).expect("a tree");
            // A log without even a head has nothing.
            if whole.is_some() || !is_log(path) {
                assert_same(&model(&tree), &model(&expected), &format!("round {round}"));
            }
        }
        fs::write(path, bytes).expect("a file");
    }
    assert_same(&model(&open(folder.path())), &before, "as it was");
}

#[test]
fn a_log_that_is_gone_is_missed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = tree(folder.path(), &mut Random::new(3), 40);
    for number in 1..=2 {
        let path = folder.path().join(format!("000{number}.log"));
        let aside = folder.path().join("aside");
        fs::rename(&path, &aside).expect("a file");
        for reading in [Reading::Strict, Reading::Lenient] {
            let opened = Tree::open(folder.path(), reading);
            assert!(matches!(opened, Err(MemoError::Damaged { .. })));
        }
        fs::rename(&aside, &path).expect("a file");
    }
    fs::write(folder.path().join("notes.txt"), "of no interest").expect("a file");
    fs::write(folder.path().join("4.log"), "of no interest").expect("a file");
    assert_same(&model(&open(folder.path())), &before, "as it was");
}

/// What hangs on a record that is lost is lost, and nothing else.
#[test]
fn a_subtree_goes_with_the_node_it_hangs_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recording = Tree::create(folder.path(), header())
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let [mut first, mut second] = [
        recording.writer().expect("a log"),
        recording.writer().expect("a log"),
    ];
    let mut random = Random::new(1);
    let mut ask = || {
        let mut node = any_node(&mut random);
        if let Said::Node { kind, .. } = &mut node {
            *kind = AskKind::Choose(2);
        }
        node
    };
    let root = write(&mut first, Edge::ROOT, &ask());
    first.flush();
    let lost = write(&mut first, root[0], &ask());
    let below = write(&mut second, lost[1], &ask());
    second.unknown(below[0], "time");
    second.unknown(root[1], "conflicts");
    second.finish().expect("a whole log");
    let log = folder.path().join("0001.log");
    let flushed = log.metadata().expect("a log").len();
    drop(first);
    let file = fs::File::options().write(true).open(&log).expect("a log");
    file.set_len(flushed).expect("a shorter file");
    drop(recording);
    let tree = open(folder.path());
    assert_eq!(tree.lost(), 1);
    let read = model(&tree);
    assert_eq!(read.len(), 2);
    assert_eq!(read[&vec![1]], Said::Unknown("conflicts".into()));
    let counts = tree.count(Edge::ROOT, &tree.subtrees());
    assert_eq!((counts.nodes, counts.open), (1, 2));
    assert_same(&model(&tree.compact().expect("a tree")), &read, "compacted");
    assert_eq!(open(folder.path()).lost(), 0);
}
