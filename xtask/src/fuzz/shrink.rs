//! Making a failing session small: fewer scripts, then fewer commands, then smaller terms, as long as
//! the same kind of fault remains.

use super::ast::{self, Node, Notation, Op, Rounding, Sort, T, rebuild};
use super::script::{Command, Script};
use num_bigint::BigInt;
use num_traits::Signed;
use std::borrow::{Borrow, BorrowMut};
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// `S` is a script, perhaps with what it takes to run it.
pub struct Shrinker<S, F: FnMut(&[S]) -> bool> {
    /// Does this session still show the fault in its last script?
    fails: F,
    deadline: Instant,
    scripts: PhantomData<S>,
}

impl<S: Clone + BorrowMut<Script>, F: FnMut(&[S]) -> bool> Shrinker<S, F> {
    pub fn new(budget: Duration, fails: F) -> Self {
        Shrinker {
            fails,
            deadline: Instant::now() + budget,
            scripts: PhantomData,
        }
    }

    /// A smaller session; `None` if the fault does not come back at all.
    pub fn shrink(mut self, session: &[S]) -> Option<Vec<S>> {
        let last = session.last()?.clone();
        let mut session = if self.still_fails(std::slice::from_ref(&last)) {
            vec![last]
        } else if self.still_fails(session) {
            session.to_vec()
        } else {
            return None;
        };
        self.drop_items(
            &mut session,
            |session| session.len() - 1,
            |session, range| {
                session.drain(range);
                true
            },
        );
        loop {
            let before = weight(&session);
            // Commands before terms: each that goes makes every later attempt cheaper.
            for index in (0..session.len()).rev() {
                self.drop_items(
                    &mut session,
                    |session| session[index].borrow().commands.len(),
                    |session, range| {
                        session[index].borrow_mut().commands.drain(range);
                        session[index].borrow().situations().is_ok()
                    },
                );
            }
            for index in 0..session.len() {
                self.shrink_terms(&mut session, index);
            }
            if weight(&session) >= before || self.out_of_time() {
                return Some(session);
            }
        }
    }

    fn out_of_time(&self) -> bool {
        Instant::now() > self.deadline
    }

    fn still_fails(&mut self, session: &[S]) -> bool {
        session
            .iter()
            .all(|script| script.borrow().situations().is_ok())
            && (self.fails)(session)
    }

    /// Delta debugging: drops ranges of items, half of them at first, single ones at last.
    fn drop_items(
        &mut self,
        session: &mut Vec<S>,
        count: impl Fn(&[S]) -> usize,
        remove: impl Fn(&mut Vec<S>, std::ops::Range<usize>) -> bool,
    ) {
        let mut length = count(session).div_ceil(2);
        while length > 0 {
            let mut end = count(session);
            while end > 0 && !self.out_of_time() {
                let start = end.saturating_sub(length);
                let mut candidate = session.clone();
                if remove(&mut candidate, start..end) && self.still_fails(&candidate) {
                    *session = candidate;
                }
                end = start;
            }
            length /= 2;
        }
    }

    fn shrink_terms(&mut self, session: &mut [S], index: usize) {
        for place in 0..session[index].borrow().commands.len() {
            let mut slot = 0;
            while slot < session[index].borrow().commands[place].terms().len() {
                self.shrink_term(session, index, place, slot);
                slot += 1;
            }
            self.drop_details(session, index, place);
        }
    }

    fn shrink_term(&mut self, session: &mut [S], index: usize, place: usize, slot: usize) {
        'smaller: loop {
            let term = session[index].borrow().commands[place].terms()[slot].clone();
            let mut candidates = smaller(&term);
            candidates.extend(with_other_leaves(&term, session[index].borrow()));
            candidates.sort_by_key(|term| term.size);
            for candidate in candidates {
                if self.out_of_time() {
                    return;
                }
                let mut trial = session.to_vec();
                replace(
                    &mut trial[index].borrow_mut().commands[place],
                    slot,
                    candidate,
                );
                if self.still_fails(&trial) {
                    session.clone_from_slice(&trial);
                    continue 'smaller;
                }
            }
            return;
        }
    }

    /// Single assumptions, and names.
    fn drop_details(&mut self, session: &mut [S], index: usize, place: usize) {
        let mut variants = Vec::new();
        match &session[index].borrow().commands[place] {
            Command::Assert {
                term,
                name: Some(_),
            } => variants.push(Command::Assert {
                term: term.clone(),
                name: None,
            }),
            Command::Check {
                assuming: Some(terms),
                probe,
            } => {
                for skip in 0..terms.len() {
                    let mut rest = terms.clone();
                    rest.remove(skip);
                    variants.push(Command::Check {
                        assuming: Some(rest),
                        probe: *probe,
                    });
                }
                variants.push(Command::Check {
                    assuming: None,
                    probe: *probe,
                });
            }
            _ => {}
        }
        for variant in variants {
            let mut trial = session.to_vec();
            trial[index].borrow_mut().commands[place] = variant;
            if !self.out_of_time() && self.still_fails(&trial) {
                session.clone_from_slice(&trial);
                return self.drop_details(session, index, place);
            }
        }
    }
}

fn weight<S: Borrow<Script>>(session: &[S]) -> usize {
    let commands = session.iter().flat_map(|script| &script.borrow().commands);
    commands
        .map(|command| 1 + command.terms().iter().map(|term| term.size).sum::<usize>())
        .sum()
}

fn replace(command: &mut Command, slot: usize, term: T) {
    match command {
        Command::Define { body, .. } => *body = term,
        Command::Assert { term: asserted, .. } => *asserted = term,
        Command::Check {
            assuming: Some(terms),
            ..
        } => terms[slot] = term,
        _ => unreachable!("only commands with terms have slots"),
    }
}

/// The arguments that may become others. What `fp.to_real` is applied to has to stay a literal.
fn parts(term: &T) -> impl Iterator<Item = (usize, &T)> {
    let fixed = term.node == Node::Op(Op::FpToReal);
    term.args.iter().enumerate().filter(move |_| !fixed)
}

/// The term with one compound subterm replaced by a symbol of the script.
fn with_other_leaves(term: &T, script: &Script) -> Vec<T> {
    let mut candidates = Vec::new();
    if term.size > 1 {
        for command in &script.commands {
            if let Command::Declare {
                name,
                parameters,
                result,
            } = command
                && parameters.is_empty()
                && *result == term.sort
            {
                candidates.push(ast::symbol(name, *result));
            }
        }
    }
    for (place, arg) in parts(term) {
        for other in with_other_leaves(arg, script) {
            let mut args = term.args.clone();
            args[place] = other;
            candidates.push(rebuild(term, args));
        }
    }
    candidates
}

/// Terms of the same sort with one subterm replaced by one of its own parts or by a constant.
fn smaller(term: &T) -> Vec<T> {
    let mut candidates = Vec::new();
    if term.size > 1 {
        match term.sort {
            Sort::Bool => candidates.extend([ast::boolean(true), ast::boolean(false)]),
            Sort::Bv(width) => candidates.extend([ast::bv(0, width), ast::bv(1, width)]),
            Sort::Int => candidates.extend([ast::int(0), ast::int(1)]),
            Sort::Real => candidates.extend([0, 1].map(whole_real)),
            Sort::Float(exponent, significand) => {
                let one = ((1 << (exponent - 1)) - 1) << (significand - 1);
                candidates.extend([0, one].map(|bits| ast::float(bits, exponent, significand)));
            }
            Sort::Rounding => candidates.push(ast::rounding(Rounding::NearestEven, false)),
            Sort::Array(..) => {}
        }
    }
    candidates.extend(smaller_number(term));
    for arg in &term.args {
        if arg.sort == term.sort {
            candidates.push(arg.clone());
        }
        // A grandchild may fit where no child does: (= (bvadd p q) r) under a Boolean.
        candidates.extend(
            arg.args
                .iter()
                .filter(|inner| inner.sort == term.sort)
                .cloned(),
        );
    }
    for (place, arg) in parts(term) {
        for smaller_arg in smaller(arg) {
            let mut args = term.args.clone();
            args[place] = smaller_arg;
            candidates.push(rebuild(term, args));
        }
    }
    if let Node::Op(
        op @ (Op::And
        | Op::Or
        | Op::Add
        | Op::Distinct
        | Op::BvAdd
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor),
    ) = term.node
        && term.args.len() > 2
    {
        for skip in 0..term.args.len() {
            let mut args = term.args.clone();
            args.remove(skip);
            candidates.push(ast::op(op, args));
        }
    }
    candidates
}

fn whole_real(value: i64) -> T {
    ast::real(BigInt::from(value).into(), Notation::Decimal)
}

/// Constants nearer to zero, and positive ones for negative ones: a number is a leaf, but a large one is
/// hard to read.
fn smaller_number(term: &T) -> Vec<T> {
    match &term.node {
        Node::Int(value) => nearer_to_zero(value).into_iter().map(ast::int).collect(),
        Node::Real(value, notation) if value.is_integer() => nearer_to_zero(value.numer())
            .into_iter()
            .map(|nearer| ast::real(nearer.into(), *notation))
            .collect(),
        Node::Real(value, notation) => vec![ast::real(value.trunc(), *notation)],
        _ => Vec::new(),
    }
}

fn nearer_to_zero(value: &BigInt) -> Vec<BigInt> {
    let size = value.abs();
    let mut nearer: Vec<BigInt> = [0, 1, 2, 10].map(BigInt::from).to_vec();
    nearer.extend([value / 1_000_000_007, value / 2, value - value.signum()]);
    nearer.retain(|candidate| candidate.abs() < size);
    if value.is_negative() {
        nearer.push(size);
    }
    nearer
}
