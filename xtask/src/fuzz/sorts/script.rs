//! Scripts: commands, and what holds at each check.

use super::tree::{Node, Shape, Sort, Words};
use std::fmt::Write;

#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    pub args: Vec<Sort>,
    pub result: Sort,
    /// Its sorts are written with the names that the script defines.
    pub aliased: bool,
}

/// The sort that scripts define: arrays with integers as indices.
pub const ALIAS: &str = "(define-sort From (X) (Array Int X))";

fn aliased(sort: &Sort) -> String {
    match sort {
        Sort::Array(index, element) if **index == Sort::Int => {
            format!("(From {})", aliased(element))
        }
        Sort::Array(index, element) => format!("(Array {} {})", aliased(index), aliased(element)),
        _ => sort.to_string(),
    }
}

#[derive(Clone, Debug)]
pub enum Command {
    /// Sorts and datatypes, as they are written.
    Sorts(String),
    Declare(Signature),
    /// The parameters with their sorts, the result and the body.
    Define(String, Vec<(String, Sort)>, Node),
    Assert(Node, Option<String>),
    Push,
    Pop,
    /// Assumptions, and terms whose values are asked for where it is satisfiable.
    Check(Vec<Node>, Vec<Node>),
}

#[derive(Clone, Debug, Default)]
pub struct Script {
    pub commands: Vec<Command>,
}

/// What a check is about.
#[derive(Clone, Default)]
pub struct Situation {
    pub sorts: Vec<String>,
    pub declared: Vec<Signature>,
    pub defined: Vec<Command>,
    pub asserted: Vec<(Node, Option<String>)>,
    pub assumed: Vec<Node>,
    pub values: Vec<Node>,
}

pub const PREAMBLE: &str = "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n\
     (set-option :produce-unsat-assumptions true)\n(set-logic ALL)\n";

impl Command {
    pub fn text(&self, words: Words) -> String {
        match self {
            Command::Sorts(text) => format!("{text}\n"),
            Command::Declare(signature) => {
                let written = |sort: &Sort| match signature.aliased {
                    true => aliased(sort),
                    false => sort.to_string(),
                };
                let args: Vec<String> = signature.args.iter().map(written).collect();
                let (args, result) = (args.join(" "), written(&signature.result));
                format!("(declare-fun {} ({args}) {result})\n", signature.name)
            }
            Command::Define(name, parameters, body) => {
                let mut text = format!("(define-fun {name} (");
                for (parameter, sort) in parameters {
                    let _ = write!(text, "({parameter} {sort})");
                }
                let _ = writeln!(text, ") {} {})", body.sort, body.text(words));
                text
            }
            Command::Assert(node, None) => format!("(assert {})\n", node.text(words)),
            Command::Assert(node, Some(name)) => {
                format!("(assert (! {} :named {name}))\n", node.text(words))
            }
            Command::Push => "(push 1)\n".to_string(),
            Command::Pop => "(pop 1)\n".to_string(),
            Command::Check(assumed, _) if assumed.is_empty() => "(check-sat)\n".to_string(),
            Command::Check(assumed, _) => {
                let texts: Vec<String> = assumed.iter().map(|node| node.text(words)).collect();
                format!("(check-sat-assuming ({}))\n", texts.join(" "))
            }
        }
    }

    /// The terms in it.
    pub fn terms(&mut self) -> Vec<&mut Node> {
        match self {
            Command::Define(_, _, node) | Command::Assert(node, _) => vec![node],
            Command::Check(assumed, values) => assumed.iter_mut().chain(values).collect(),
            _ => Vec::new(),
        }
    }
}

impl Script {
    pub fn size(&self) -> usize {
        let size = |command: &Command| {
            let mut command = command.clone();
            let terms = command.terms();
            1 + terms.iter().map(|node| node.size()).sum::<usize>()
        };
        self.commands.iter().map(size).sum()
    }

    /// The script as it can be given to a solver, what is asked after checks included.
    pub fn text(&self) -> String {
        let mut text = PREAMBLE.to_string();
        for command in &self.commands {
            text.push_str(&command.text(Words::New));
            if let Command::Check(_, values) = command
                && !values.is_empty()
            {
                let _ = writeln!(text, "{}", get_values(values));
            }
        }
        text
    }

    /// What each check is about; `None` if more is popped than was pushed.
    pub fn situations(&self) -> Option<Vec<Situation>> {
        let mut situations = Vec::new();
        let mut levels: Vec<Situation> = Vec::new();
        let mut now = Situation::default();
        for command in &self.commands {
            match command {
                Command::Sorts(text) => now.sorts.push(text.clone()),
                Command::Declare(signature) => now.declared.push(signature.clone()),
                Command::Define(..) => now.defined.push(command.clone()),
                Command::Assert(node, name) => now.asserted.push((node.clone(), name.clone())),
                Command::Push => levels.push(now.clone()),
                Command::Pop => now = levels.pop()?,
                Command::Check(assumed, values) => {
                    let (assumed, values) = (assumed.clone(), values.clone());
                    situations.push(Situation {
                        assumed,
                        values,
                        ..now.clone()
                    });
                }
            }
        }
        Some(situations)
    }
}

pub fn get_values(values: &[Node]) -> String {
    let texts: Vec<String> = values.iter().map(|node| node.text(Words::New)).collect();
    format!("(get-value ({}))", texts.join(" "))
}

impl Situation {
    /// The whole of it in the words of other solvers.
    pub fn text(&self) -> String {
        let mut text = self.head();
        for signature in &self.declared {
            text.push_str(&Command::Declare(signature.clone()).text(Words::Old));
        }
        for definition in &self.defined {
            text.push_str(&definition.text(Words::Old));
        }
        for node in self.formulas() {
            let _ = writeln!(text, "(assert {})", node.text(Words::Old));
        }
        text
    }

    /// The same with symbols for constant arrays over few indices, of which it is said what they hold at every index:
    /// z3 takes them for larger than they are, and cvc5 knows no chains of writes between two of them.
    pub fn without_constant_arrays(&self) -> Situation {
        let mut other = self.clone();
        let mut told = Vec::new();
        for (node, _) in &mut other.asserted {
            name_constant_arrays(node, &mut other.declared, &mut told);
        }
        for definition in &mut other.defined {
            // What is defined may be about its parameters.
            if let Command::Define(_, parameters, body) = definition
                && parameters.is_empty()
            {
                name_constant_arrays(body, &mut other.declared, &mut told);
            }
        }
        other
            .asserted
            .extend(told.into_iter().map(|node| (node, None)));
        other
    }

    /// The sorts.
    pub fn head(&self) -> String {
        let mut text = String::new();
        for sorts in &self.sorts {
            let _ = writeln!(text, "{sorts}");
        }
        text
    }

    /// All that is asserted and assumed.
    pub fn formulas(&self) -> impl Iterator<Item = &Node> {
        let asserted = self.asserted.iter().map(|(node, _)| node);
        asserted.chain(&self.assumed)
    }
}

/// Replaces constant arrays over few indices by symbols. Those within something that binds names stay.
fn name_constant_arrays(node: &mut Node, declared: &mut Vec<Signature>, told: &mut Vec<Node>) {
    let Shape::Plain(head) = &node.shape else {
        return;
    };
    let is_constant = head.starts_with("(as const");
    for arg in &mut node.args {
        name_constant_arrays(arg, declared, told);
    }
    let Sort::Array(index, element) = &node.sort else {
        return;
    };
    if !is_constant {
        return;
    }
    let Some(indices) = elements(index, declared, told) else {
        return;
    };
    let symbol = fresh(&node.sort, declared);
    for at in indices {
        let held = Node::new((**element).clone(), "select", [symbol.clone(), at]);
        told.push(held.equals(node.args[0].clone()));
    }
    *node = symbol;
}

/// All elements of a sort, if they are few. Arrays are symbols, each with what it holds told.
fn elements(sort: &Sort, declared: &mut Vec<Signature>, told: &mut Vec<Node>) -> Option<Vec<Node>> {
    let leaf = |text: String| Node::leaf(sort.clone(), text);
    match sort {
        Sort::Bool => Some(["false", "true"].map(|truth| leaf(truth.into())).into()),
        Sort::Bv(bits @ ..=4) => {
            let width = *bits as usize;
            let values = (0..1 << bits).map(|value| leaf(format!("#b{value:0width$b}")));
            Some(values.collect())
        }
        Sort::Array(index, element) => {
            let held = elements(element, declared, told)?;
            let places = elements(index, declared, told)?;
            let count = held.len().checked_pow(places.len() as u32)?;
            if count > MOST_ARRAYS {
                return None;
            }
            let mut arrays = Vec::new();
            for mut which in 0..count {
                let symbol = fresh(sort, declared);
                for at in &places {
                    let read = [symbol.clone(), at.clone()];
                    let read = Node::new((**element).clone(), "select", read);
                    told.push(read.equals(held[which % held.len()].clone()));
                    which /= held.len();
                }
                arrays.push(symbol);
            }
            Some(arrays)
        }
        _ => None,
    }
}

/// More arrays are not told one by one.
const MOST_ARRAYS: usize = 16;

/// A symbol of a sort that no script has.
fn fresh(sort: &Sort, declared: &mut Vec<Signature>) -> Node {
    let symbol = Node::leaf(sort.clone(), format!("filled!{}", declared.len()));
    declared.push(Signature {
        name: symbol.text(Words::Old),
        args: Vec::new(),
        result: sort.clone(),
        aliased: false,
    });
    symbol
}
