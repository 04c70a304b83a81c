//! Equality with uninterpreted functions, beside the SAT engine: congruence closure.
//!
//! Numbers that are only compared by `=` and handed to functions need no simplex. They are nodes of an e-graph
//! (`egraph`, explained by its `forest`), which follows the trail (`follower`): a true equation merges two classes, a
//! false one and a predicate join the class of a truth value. What this implies becomes clauses, and what cannot be
//! becomes a conflict. A number that takes part in arithmetic too is a node with a variable of the simplex: its
//! equations are atoms of both, and `combine` tells arithmetic what else the e-graph has found equal. What arithmetic
//! makes equal is told by the check of candidates (`refine`), one equation at a time. Numbers that arithmetic does not
//! know get their values from their classes (`values`). What disjunctions imply is said beforehand (`abstraction`).
//!
//! All clauses are valid whatever is assumed.

mod abstraction;
mod combine;
mod egraph;
mod follower;
mod forest;
#[cfg(test)]
mod tests;
mod values;

use refrain_sat::{Lit, Var};
use refrain_term::{FuncId, Op, Rational, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

pub use abstraction::implied_equations;
pub use combine::Shared;
use egraph::{EGraph, Node};
use follower::Follower;
pub use follower::refuting;
pub use values::Values;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomId(u32);

impl AtomId {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal that says something of the e-graph.
struct Atom {
    /// True if it holds.
    lit: Lit,
    /// The truth value as a node.
    node: Node,
    /// The two sides of an equation.
    sides: Option<(Node, Node)>,
    /// Its place among those that no formula contains.
    aside: Option<usize>,
    /// Another atom of the same variable of the SAT engine.
    next: Option<AtomId>,
}

/// An equation that no formula contains: it counts in a query about both its sides.
#[derive(Clone, Copy)]
pub struct Aside {
    pub atom: AtomId,
    pub sides: (Term, Term),
    /// Whether it must be decided, and not only follows from what is.
    pub is_choice: bool,
}

/// What a query is about.
#[derive(Default)]
pub struct Scope {
    pub atoms: Vec<AtomId>,
    /// The numbers that have a node.
    pub numbers: Vec<Term>,
}

impl Scope {
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.numbers.is_empty()
    }
}

/// The e-graph of one encoding epoch, and what its literals are.
#[derive(Default)]
pub struct Congruence {
    graph: EGraph,
    nodes: FxHashMap<Term, Node>,
    functions: FxHashMap<FuncId, Node>,
    /// Numbers that functions are applied to.
    arguments: FxHashSet<Term>,
    /// Number constants that are nodes.
    constants: FxHashMap<Node, Rational>,
    atoms: Vec<Atom>,
    /// By index of the SAT variable: the first atom.
    by_sat: Vec<Option<AtomId>>,
    /// By node: the atom whose truth value it is.
    by_node: FxHashMap<Node, AtomId>,
    equations: FxHashMap<(Term, Term), AtomId>,
    /// By term: the terms that it is compared with.
    compared: FxHashMap<Term, Vec<Term>>,
    asides: Vec<Aside>,
    follower: Follower,
}

fn pair(a: Term, b: Term) -> (Term, Term) {
    (a.min(b), a.max(b))
}

impl Congruence {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn has_node(&self, term: Term) -> bool {
        self.nodes.contains_key(&term)
    }

    /// The node of a symbol, a constant, or whatever else has no parts here.
    pub fn add_leaf(&mut self, terms: &Terms, term: Term) {
        if self.has_node(term) {
            return;
        }
        self.undo_all();
        let node = match terms.op(term) {
            Op::True => Node::TRUE,
            Op::False => Node::FALSE,
            Op::Const(_) | Op::Number(_) => self.graph.constant(),
            _ => self.graph.leaf(),
        };
        if let Some(number) = terms.number_value(term) {
            self.constants.insert(node, number.clone());
        }
        self.nodes.insert(term, node);
    }

    /// The node of an application whose arguments have nodes.
    pub fn add_application(&mut self, terms: &Terms, term: Term) {
        let Op::Apply(function) = terms.op(term) else {
            unreachable!("an application")
        };
        self.undo_all();
        let graph = &mut self.graph;
        let function = self.functions.entry(function);
        let mut node = *function.or_insert_with(|| graph.leaf());
        for arg in terms.args(term) {
            if terms.sort(*arg).is_number() {
                self.arguments.insert(*arg);
            }
            node = self.graph.apply(node, self.nodes[arg]);
        }
        self.nodes.insert(term, node);
    }

    /// Says which literal a Boolean term is that has a node.
    pub fn add_truth(&mut self, term: Term, lit: Lit) {
        let node = self.nodes[&term];
        if node != Node::TRUE && node != Node::FALSE && !self.by_node.contains_key(&node) {
            self.add_atom(lit, node, None);
        }
    }

    fn add_atom(&mut self, lit: Lit, node: Node, sides: Option<(Node, Node)>) -> AtomId {
        let id = AtomId(self.atoms.len() as u32);
        let place = lit.var().index();
        if self.by_sat.len() <= place {
            self.by_sat.resize(place + 1, None);
        }
        let next = self.by_sat[place].replace(id);
        self.atoms.push(Atom {
            lit,
            node,
            sides,
            aside: None,
            next,
        });
        self.by_node.insert(node, id);
        id
    }

    /// The literal of an equation that has one.
    pub fn equation(&self, a: Term, b: Term) -> Option<Lit> {
        let atom = self.equations.get(&pair(a, b))?;
        Some(self.atoms[atom.index()].lit)
    }

    /// Makes a literal that of an equation. Both sides have nodes.
    pub fn add_equation(&mut self, a: Term, b: Term, lit: Lit) -> AtomId {
        let key = pair(a, b);
        if let Some(&known) = self.equations.get(&key) {
            return known;
        }
        self.undo_all();
        let sides = (self.nodes[&a], self.nodes[&b]);
        let node = self.graph.equation(sides.0, sides.1);
        let id = self.add_atom(lit, node, Some(sides));
        self.equations.insert(key, id);
        for (term, other) in [(a, b), (b, a)] {
            self.compared.entry(term).or_default().push(other);
        }
        id
    }

    /// Lets an equation count wherever both its sides do.
    pub fn set_aside(&mut self, a: Term, b: Term, is_choice: bool) {
        let Some(&atom) = self.equations.get(&pair(a, b)) else {
            return;
        };
        match self.atoms[atom.index()].aside {
            Some(place) => self.asides[place].is_choice |= is_choice,
            None => {
                self.atoms[atom.index()].aside = Some(self.asides.len());
                self.asides.push(Aside {
                    atom,
                    sides: (a, b),
                    is_choice,
                });
            }
        }
    }

    pub fn asides(&self) -> &[Aside] {
        &self.asides
    }

    /// The terms that a term is compared with.
    pub fn compared_with(&self, term: Term) -> &[Term] {
        self.compared.get(&term).map_or(&[], |others| others)
    }

    /// The atoms of a variable of the SAT engine.
    pub fn atoms_of(&self, var: Var) -> impl Iterator<Item = AtomId> + '_ {
        let first = self.by_sat.get(var.index()).copied().flatten();
        std::iter::successors(first, |atom| self.atoms[atom.index()].next)
    }

    pub fn var(&self, atom: AtomId) -> Var {
        self.atoms[atom.index()].lit.var()
    }
}

/// Whether applications of a function are nodes. Functions of bit-vectors alone are left to refinement.
pub fn is_node(terms: &Terms, function: FuncId) -> bool {
    let decl = terms.func_decl(function);
    decl.result.is_number() || decl.args.iter().any(|sort| sort.is_number())
}

/// The two sides of an equation between numbers without sums: symbols, applications, choices and constants.
pub fn plain_sides(terms: &Terms, equation: Term) -> Option<(Term, Term)> {
    let (a, b) = (terms.arg(equation, 0), terms.arg(equation, 1));
    let (constant, sum) = if terms.number_value(a).is_some() {
        (a, b)
    } else {
        (b, a)
    };
    if is_plain(terms, sum) {
        return Some((sum, constant));
    }
    if !terms.number_value(constant)?.is_zero() {
        return None;
    }
    match &terms.linear_form(sum) {
        (rest, parts) if rest.is_zero() => match &parts[..] {
            [(x, p), (y, q)]
                if p.is_one()
                    && *q == Rational::MINUS_ONE
                    && is_plain(terms, *x)
                    && is_plain(terms, *y) =>
            {
                Some((*x, *y))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_plain(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Var(_) | Op::Apply(_) | Op::Ite)
}
