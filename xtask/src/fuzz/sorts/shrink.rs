//! Making a failing script small: fewer commands, then terms replaced by their subterms or by literals, as long as the
//! same kind of fault remains.

use super::script::{Command, Script};
use super::tree::{Node, Sort};
use std::time::Instant;

pub struct Shrinker<F: FnMut(&Script) -> bool> {
    pub fails: F,
    pub deadline: Instant,
}

impl<F: FnMut(&Script) -> bool> Shrinker<F> {
    pub fn shrink(mut self, mut script: Script) -> Script {
        loop {
            let before = script.size();
            self.drop_commands(&mut script);
            self.shrink_terms(&mut script);
            if script.size() >= before || Instant::now() > self.deadline {
                return script;
            }
        }
    }

    fn is_smaller(&mut self, script: &mut Script, candidate: Script) -> bool {
        let is_it = Instant::now() < self.deadline
            && candidate.situations().is_some()
            && (self.fails)(&candidate);
        if is_it {
            *script = candidate;
        }
        is_it
    }

    fn drop_commands(&mut self, script: &mut Script) {
        let mut length = script.commands.len().div_ceil(2);
        while length > 0 {
            let mut end = script.commands.len();
            while end > 0 {
                let start = end.saturating_sub(length);
                let mut candidate = script.clone();
                candidate.commands.drain(start..end);
                self.is_smaller(script, candidate);
                end = start.min(script.commands.len());
            }
            length /= 2;
        }
        // A level goes with both of its ends.
        let mut place = 0;
        while place < script.commands.len() {
            let mut candidate = script.clone();
            if let Some(end) = end_of_level(&candidate.commands, place) {
                candidate.commands.remove(end);
                candidate.commands.remove(place);
                if self.is_smaller(script, candidate) {
                    continue;
                }
            }
            place += 1;
        }
        for place in 0..script.commands.len() {
            for lighter in lighter(&script.commands[place]) {
                let mut candidate = script.clone();
                candidate.commands[place] = lighter;
                self.is_smaller(script, candidate);
            }
        }
    }

    fn shrink_terms(&mut self, script: &mut Script) {
        for place in 0..script.commands.len() {
            let mut slot = 0;
            while slot < script.commands[place].terms().len() {
                'smaller: loop {
                    let mut command = script.commands[place].clone();
                    let term = command.terms()[slot].clone();
                    for candidate in candidates(&term) {
                        let mut smaller = script.clone();
                        *smaller.commands[place].terms()[slot] = candidate;
                        if self.is_smaller(script, smaller) {
                            continue 'smaller;
                        }
                    }
                    break;
                }
                slot += 1;
            }
        }
    }
}

/// Where the level that begins here ends.
fn end_of_level(commands: &[Command], place: usize) -> Option<usize> {
    if !matches!(commands[place], Command::Push) {
        return None;
    }
    let mut depth = 0;
    for (at, command) in commands.iter().enumerate().skip(place) {
        match command {
            Command::Push => depth += 1,
            Command::Pop => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The command with a part less.
fn lighter(command: &Command) -> Vec<Command> {
    match command {
        Command::Assert(node, Some(_)) => vec![Command::Assert(node.clone(), None)],
        Command::Check(assumed, values) => {
            let mut lighter = Vec::new();
            for place in 0..values.len() {
                let mut values = values.clone();
                values.remove(place);
                lighter.push(Command::Check(assumed.clone(), values));
            }
            for place in 0..assumed.len() {
                let mut assumed = assumed.clone();
                assumed.remove(place);
                lighter.push(Command::Check(assumed, values.clone()));
            }
            lighter
        }
        _ => Vec::new(),
    }
}

/// The terms that have a subterm replaced by one of its own of the same sort, or by a literal; the smallest first.
fn candidates(term: &Node) -> Vec<Node> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    collect(term, term, &mut path, &mut found);
    found.sort_by_key(Node::size);
    found
}

fn collect(root: &Node, node: &Node, path: &mut Vec<usize>, found: &mut Vec<Node>) {
    let mut inner = Vec::new();
    for arg in &node.args {
        descendants(arg, &node.sort, &mut inner);
    }
    if node.size() > 1 {
        let literals: &[&str] = match node.sort {
            Sort::Bool => &["true", "false"],
            Sort::Int => &["0", "1"],
            Sort::Real => &["0.0"],
            _ => &[],
        };
        inner.extend(
            literals
                .iter()
                .map(|text| Node::leaf(node.sort.clone(), *text)),
        );
    }
    for arg in 0..node.args.len() {
        let is_list =
            ["and", "or", "distinct"].map(|head| super::tree::Shape::Plain(head.to_string()));
        if is_list.contains(&node.shape) && node.args.len() > 2 {
            let mut fewer = node.clone();
            fewer.args.remove(arg);
            inner.push(fewer);
        }
    }
    for replacement in inner {
        let mut whole = root.clone();
        let mut at = &mut whole;
        for &step in path.iter() {
            at = &mut at.args[step];
        }
        *at = replacement;
        found.push(whole);
    }
    for (place, arg) in node.args.iter().enumerate() {
        path.push(place);
        collect(root, arg, path, found);
        path.pop();
    }
}

fn descendants(node: &Node, sort: &Sort, found: &mut Vec<Node>) {
    if node.sort == *sort {
        found.push(node.clone());
    }
    for arg in &node.args {
        descendants(arg, sort, found);
    }
}
