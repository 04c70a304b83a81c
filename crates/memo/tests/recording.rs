//! Random trees, by several writers in several runs, killed at any byte: what is read back is what was written before.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use refrain_memo::{Edge, LogWriter, MemoError, Reading, Tree};
use refrain_testing::{Mount, Random, count};
use support::*;

/// A record, and when it is on disk.
struct Op {
    place: Place,
    said: Said,
    log: usize,
    /// Its log has this many bytes when the record is there; none: it is not written yet.
    size: Option<u64>,
    /// Another record of this run knew more already, unless that is lost.
    is_outdone: bool,
    /// What is below stays.
    is_asked_anew: bool,
}

struct Log {
    writer: LogWriter,
    path: PathBuf,
}

impl Log {
    fn size(&self) -> u64 {
        self.path.metadata().expect("a file").len()
    }
}

/// A run by some workers.
struct Run {
    logs: Vec<Log>,
    ops: Vec<Op>,
    /// Where something can be recorded.
    edges: BTreeMap<Place, Edge>,
    /// What this run has said: whether it knows the place, and whether it called it a boundary.
    said: BTreeMap<Place, (bool, bool)>,
    model: Model,
}

impl Run {
    fn note_flushed(&mut self, log: usize) {
        let size = self.logs[log].size();
        let mut ops = self.ops.iter_mut();
        while let Some(op) = ops.find(|op| op.log == log && op.size.is_none()) {
            op.size = Some(size);
        }
    }

    fn step(&mut self, random: &mut Random) {
        let log = random.below(self.logs.len());
        if random.one_in(12) {
            self.logs[log].writer.flush();
            self.note_flushed(log);
            return;
        }
        let places: Vec<&Place> = self.edges.keys().collect();
        let place = places[random.below(places.len())].clone();
        let edge = self.edges[&place];
        let before = self.said.get(&place).copied();
        let mut op = Op {
            place: place.clone(),
            said: any_node(random),
            log,
            size: None,
            is_outdone: false,
            is_asked_anew: false,
        };
        let is_node = matches!(self.model.get(&place), Some(Said::Node { .. }));
        let alternatives = |said: &Said| match said {
            Said::Node { kind, .. } => kind.alternatives(),
            _ => 0,
        };
        match before {
            // It is known, and somebody comes too late.
            Some((true, false)) if random.one_in(4) => {
                op.said = any_boundary(random);
                op.is_outdone = true;
            }
            Some((true, _)) => return,
            // Only known to be open.
            Some((false, _)) if random.one_in(4) => op.said = any_end(random),
            None if random.one_in(8) => op.said = any_boundary(random),
            None if is_node && random.coin() => {
                let Some(Said::Node { kind, .. }) = self.model.get(&place) else {
                    return;
                };
                let same = *kind;
                if let Said::Node { kind, .. } = &mut op.said {
                    *kind = same;
                }
                op.is_asked_anew = alternatives(&op.said) > 0;
                if !op.is_asked_anew {
                    return;
                }
            }
            _ if random.percent(35) => op.said = any_end(random),
            _ => {}
        }
        let size = self.logs[log].size();
        let writer = &mut self.logs[log].writer;
        if op.is_asked_anew {
            let node = self.edges[&[&place[..], &[0]].concat()]
                .node()
                .expect("a node");
            with_question(writer, &op.said, |writer, question| {
                writer.ask_anew(node, question)
            });
        } else {
            let below = write(writer, edge, &op.said);
            if !op.is_outdone {
                self.edges
                    .retain(|other, _| other == &place || !other.starts_with(&place));
                self.said
                    .retain(|other, _| other == &place || !other.starts_with(&place));
                for (alternative, edge) in (0..).zip(below) {
                    self.edges
                        .insert([&place[..], &[alternative]].concat(), edge);
                }
            }
        }
        // It was time for a block, before this record.
        if self.logs[log].size() > size {
            self.note_flushed(log);
        }
        let is_known = !matches!(op.said, Said::Open { .. } | Said::Unknown(_));
        let said = self.said.entry(place).or_default();
        *said = (said.0 || is_known, said.1 || !is_known || op.is_asked_anew);
        if !op.is_outdone {
            apply(&mut self.model, &op);
        }
        self.ops.push(op);
    }
}

fn apply(model: &mut Model, op: &Op) {
    if !op.is_asked_anew {
        cut(model, &op.place);
    }
    model.insert(op.place.clone(), op.said.clone());
}

/// What is left when logs have these sizes. A record is lost with the record of the node that it hangs on.
fn survived(before: &Model, ops: &[Op], sizes: &[u64]) -> Model {
    let mut model = before.clone();
    // By place: whether the record by which this run knows it is there.
    let mut is_there: BTreeMap<&Place, bool> = BTreeMap::new();
    for op in ops {
        let parent = op.place.split_last().map(|(_, parent)| parent.to_vec());
        let has_parent = parent.is_none_or(|parent| is_there.get(&parent).copied().unwrap_or(true));
        let is_written = op.size.is_some_and(|size| size <= sizes[op.log]);
        let survives = has_parent && is_written;
        if op.is_outdone {
            if survives && !is_there[&op.place] {
                apply(&mut model, op);
            }
            continue;
        }
        // What an earlier run knew below it is not what this run's records are about.
        if !op.is_asked_anew {
            is_there.retain(|place, _| !place.starts_with(&op.place));
        }
        is_there.insert(&op.place, survives || op.is_asked_anew);
        if survives {
            apply(&mut model, op);
        }
    }
    model
}

fn begin(directory: &Path, tree: &Tree, random: &mut Random) -> (Run, refrain_memo::Recording) {
    let recording = tree.record().expect("nobody else uses it");
    let mut logs = Vec::new();
    for _ in 0..1 + random.below(3) {
        let writer = recording.writer().expect("a log");
        let mut files: Vec<PathBuf> = fs::read_dir(directory)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
            .collect();
        files.sort();
        let path = files.pop().expect("its log");
        logs.push(Log { writer, path });
    }
    let run = Run {
        logs,
        ops: Vec::new(),
        edges: places(tree),
        said: BTreeMap::new(),
        model: model(tree),
    };
    (run, recording)
}

#[test]
fn what_was_flushed_is_read_back() {
    for seed in 0..count("MEMO_TREES", 150, 5_000) {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut tree = Tree::create(folder.path(), header()).expect("a new tree");
        for _ in 0..1 + random.below(4) {
            let before = model(&tree);
            let (mut run, recording) = begin(folder.path(), &tree, &mut random);
            for _ in 0..random.below(120) {
                run.step(&mut random);
            }
            let is_killed = random.coin();
            let Run {
                logs,
                ops,
                model: now,
                ..
            } = run;
            let (mut sizes, mut paths) = (Vec::new(), Vec::new());
            for log in logs {
                let flushed = log.size();
                log.writer.finish().expect("a whole log");
                // What is written when a process ends in peace is not there when it is killed.
                let size = match is_killed && random.coin() {
                    true => random.below(flushed + 1),
                    false if is_killed => flushed,
                    false => u64::MAX,
                };
                sizes.push(size);
                paths.push(log.path);
            }
            drop(recording);
            let expected = match is_killed {
                true => {
                    for (path, &size) in paths.iter().zip(&sizes) {
                        let file = fs::File::options().write(true).open(path).expect("a log");
                        file.set_len(size).expect("a shorter file");
                    }
                    survived(&before, &ops, &sizes)
                }
                false => now,
            };
            tree = Tree::open(folder.path(), Reading::Lenient).expect("a tree");
            assert_same(&model(&tree), &expected, &format!("seed {seed}"));
            check_counts(&tree, &expected);
            check_inputs(&tree, &expected);
            assert_eq!(
                tree.warnings().is_empty(),
                Tree::open(folder.path(), Reading::Strict).is_ok(),
                "seed {seed}"
            );
        }
        drop(tree.record().expect("nobody else uses it"));
        assert_eq!(
            model(&open(folder.path())),
            model(&tree),
            "mended: seed {seed}"
        );
    }
}

#[test]
fn one_run_at_a_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = Tree::create(folder.path(), header()).expect("a new tree");
    let again = Tree::create(folder.path(), header());
    assert!(matches!(again, Err(MemoError::Exists { .. })));
    let recording = tree.record().expect("nobody else uses it");
    assert!(matches!(tree.record(), Err(MemoError::InUse { .. })));
    let mut writer = recording.writer().expect("a log");
    writer.unknown(Edge::ROOT, "time");
    writer.finish().expect("a whole log");
    drop(recording);
    assert!(matches!(tree.record(), Err(MemoError::Changed { .. })));
    assert!(open(folder.path()).record().is_ok());
    let nowhere = Tree::open(&folder.path().join("nowhere"), Reading::Lenient);
    assert!(matches!(nowhere, Err(MemoError::Missing { .. })));
}

/// A disk that is full costs what comes after, and is told in the end.
#[test]
fn a_full_disk_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = Mount::new(folder.path().join("disk"), "64k") else {
        return;
    };
    let directory = disk.0.join("tree");
    let recording = Tree::create(&directory, header())
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut writer = recording.writer().expect("a log");
    let mut random = Random::new(1);
    let mut left = vec![Edge::ROOT];
    let mut written = 0;
    while writer.is_sound() {
        assert!(written < 100_000, "there is no end to the disk");
        let edge = left.swap_remove(0);
        left.extend(write(&mut writer, edge, &any_node(&mut random)));
        left.push(edge);
        written += 1;
        if written % 50 == 0 {
            writer.flush();
        }
    }
    write(&mut writer, Edge::ROOT, &any_leaf(&mut random));
    assert!(matches!(writer.finish(), Err(MemoError::Io { .. })));
    drop(recording);
    let tree = Tree::open(&directory, Reading::Lenient).expect("a tree");
    assert!(matches!(tree.root(), refrain_memo::Below::Node(_)));
}

#[test]
fn trees_and_writers_are_for_threads() {
    fn is_sync<T: Send + Sync>() {}
    fn is_send<T: Send>() {}
    is_sync::<Tree>();
    is_sync::<refrain_memo::Recording>();
    is_send::<LogWriter>();
}

/// Each worker goes on below what another one has recorded, and all at once.
#[test]
fn workers_record_side_by_side() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recording = Tree::create(folder.path(), header())
        .and_then(|tree| tree.record())
        .expect("a new tree");
    let mut first = recording.writer().expect("a log");
    let mut random = Random::new(1);
    let mut node = any_node(&mut random);
    if let Said::Node { kind, .. } = &mut node {
        *kind = refrain_memo::AskKind::Choose(4);
    }
    let edges = write(&mut first, Edge::ROOT, &node);
    std::thread::scope(|scope| {
        for (seed, edge) in (0..).zip(edges) {
            let (recording, node) = (&recording, &node);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                let mut writer = recording.writer().expect("a log");
                let mut left = vec![edge];
                for _ in 0..2_000 {
                    let edge = left.swap_remove(random.below(left.len()));
                    left.extend(write(&mut writer, edge, node));
                }
                writer.finish().expect("a whole log");
            });
        }
    });
    first.finish().expect("a whole log");
    let tree = open(folder.path());
    let counts = tree.count(Edge::ROOT, &tree.subtrees());
    assert_eq!((counts.nodes, counts.open), (8_001, 8_001 * 3 + 1));
    assert_eq!(tree.lost(), 0);
}
