//! Seals: a tree that is as its last run left it has one that matches, and no other tree has.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use refrain_memo::{Edge, MemoError, Reading, Tree, merge};
use refrain_testing::Random;
use support::*;

/// A run that records a tree in several blocks, and seals it.
fn sealed(directory: &Path, random: &mut Random) -> Tree {
    let tree = Tree::create(directory, header()).expect("a new tree");
    let recording = tree.record().expect("nobody else uses it");
    let mut writer = recording.writer().expect("a log");
    let mut edges = vec![Edge::ROOT];
    for round in 0..40 {
        let edge = edges.swap_remove(random.below(edges.len()));
        let said = match edges.len() < 4 {
            true => any_node(random),
            false => any_end(random),
        };
        edges.extend(write(&mut writer, edge, &said));
        if round % 8 == 7 {
            writer.flush();
        }
    }
    assert!(
        matches!(recording.seal(), Err(MemoError::Unsealed { .. })),
        "a log is not finished"
    );
    writer.finish().expect("a whole log");
    recording.seal().expect("a whole tree");
    open(directory)
}

fn is_unsealed(tree: &Tree) -> bool {
    matches!(tree.check_seal(), Err(MemoError::Unsealed { .. }))
}

fn log(directory: &Path) -> PathBuf {
    directory.join("0001.log")
}

#[test]
fn what_is_cut_between_two_blocks_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = sealed(folder.path(), &mut Random::new(1));
    tree.check_seal().expect("it is as it was left");
    let bytes = fs::read(log(folder.path())).expect("a log");
    let mut whole = 0;
    for length in 0..bytes.len() {
        fs::write(log(folder.path()), &bytes[..length]).expect("a file");
        if let Ok(tree) = Tree::open(folder.path(), Reading::Strict) {
            whole += 1;
            let seal = tree.check_seal();
            assert!(matches!(seal, Err(MemoError::Damaged { .. })), "{length}");
        }
    }
    assert!(whole >= 5, "{whole}");
}

#[test]
fn every_flipped_bit_of_a_seal_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = sealed(folder.path(), &mut Random::new(2));
    let path = folder.path().join("seal");
    let bytes = fs::read(&path).expect("a seal");
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, changed).expect("a file");
        assert!(tree.check_seal().is_err(), "bit {bit}");
    }
    fs::remove_file(&path).expect("a file");
    assert!(is_unsealed(&tree));
}

#[test]
fn a_run_that_is_killed_leaves_no_seal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tree = sealed(folder.path(), &mut Random::new(3));
    let recording = tree.record().expect("nobody else uses it");
    assert!(is_unsealed(&tree));
    drop(recording.writer().expect("a log"));
    drop(recording);
    let tree = open(folder.path());
    assert!(is_unsealed(&tree));
    let recording = tree.record().expect("nobody else uses it");
    recording.seal().expect("a whole tree");
    tree.check_seal().expect("the next run has finished");
}

#[test]
fn rewriting_keeps_a_seal_and_makes_none() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let [one, two, both] = folders.each_ref().map(|folder| folder.path());
    let tree = sealed(one, &mut Random::new(4));
    let tree = tree.compact().expect("a tree");
    tree.check_seal().expect("it was sealed before");
    drop(tree.record().expect("nobody else uses it"));
    let tree = tree.compact().expect("a tree");
    assert!(is_unsealed(&tree));
    let other = sealed(two, &mut Random::new(4));
    let united = merge(&both.join("a"), &[&tree, &other], &mut |_, test| test).expect("a tree");
    assert!(is_unsealed(&united));
    let united = merge(&both.join("b"), &[&other, &other], &mut |_, test| test).expect("a tree");
    united.check_seal().expect("both were sealed");
}
