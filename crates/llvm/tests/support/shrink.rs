//! Smaller functions that still fail.

use super::program::{Function, INTS, Kind, Node, U8};

/// Shrinks while the smaller function fails too.
pub fn shrink(
    function: &Function,
    mut fails: impl FnMut(&Function) -> bool,
    mut budget: usize,
) -> Function {
    let mut best = function.clone();
    loop {
        let mut smaller = candidates(&best);
        smaller.sort_by_key(size);
        let found = smaller
            .into_iter()
            .filter(|candidate| size(candidate) < size(&best))
            .find(|candidate| {
                if budget == 0 {
                    return false;
                }
                budget -= 1;
                fails(candidate)
            });
        match found {
            Some(found) => best = found,
            None => return best,
        }
    }
}

fn size(function: &Function) -> usize {
    let constants = |node: &Node| weight(node);
    constants(&function.body)
        + function.helpers.iter().map(constants).sum::<usize>()
        + function.vars.len()
}

/// Constants are simpler than inputs, small ones simpler than large ones.
fn weight(node: &Node) -> usize {
    let own = match node.kind {
        Kind::Const(_, 0 | 1) => 1,
        Kind::Const(..) => 2,
        Kind::In(..) | Kind::Var(_) | Kind::Parameter(_) => 3,
        Kind::Block => 0,
        Kind::If | Kind::Switch(_) | Kind::For | Kind::While => 5,
        _ => 4,
    };
    own + node.kids.iter().map(weight).sum::<usize>()
}

fn candidates(function: &Function) -> Vec<Function> {
    let mut all = Vec::new();
    for body in variants(&function.body) {
        all.push(Function {
            body,
            ..function.clone()
        });
    }
    for (index, helper) in function.helpers.iter().enumerate() {
        for variant in variants(helper) {
            let mut smaller = function.clone();
            smaller.helpers[index] = variant;
            all.push(smaller);
        }
    }
    let used = highest_var(&function.body) + 1;
    if used < function.vars.len() {
        let mut smaller = function.clone();
        smaller.vars.truncate(used);
        all.push(smaller);
    }
    all
}

fn highest_var(node: &Node) -> usize {
    let own = match node.kind {
        Kind::Var(var) | Kind::Set(var, _) => var,
        _ => 0,
    };
    node.kids.iter().map(highest_var).fold(own, usize::max)
}

/// Trees that differ in one place.
fn variants(node: &Node) -> Vec<Node> {
    let mut all = Vec::new();
    if node.is_statement() {
        all.push(Node::leaf(Kind::Block));
        all.extend(node.kids.iter().filter(|kid| kid.is_statement()).cloned());
    } else {
        for value in [0, 1] {
            all.push(Node::leaf(Kind::Const(INTS[5], value)));
        }
        if !matches!(node.kind, Kind::Parameter(_)) {
            all.push(Node::leaf(Kind::In(U8, 0)));
        }
        all.extend(node.kids.iter().cloned());
    }
    if node.kind == Kind::Block {
        for index in 0..node.kids.len() {
            let mut smaller = node.clone();
            smaller.kids.remove(index);
            all.push(smaller);
        }
    }
    for (index, kid) in node.kids.iter().enumerate() {
        for variant in variants(kid) {
            // Blocks stay where blocks are expected.
            if kid.kind == Kind::Block && variant.kind != Kind::Block {
                let mut smaller = node.clone();
                smaller.kids[index] = Node::new(Kind::Block, vec![variant]);
                all.push(smaller);
                continue;
            }
            let mut smaller = node.clone();
            smaller.kids[index] = variant;
            all.push(smaller);
        }
    }
    all
}
