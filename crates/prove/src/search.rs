//! The search for a refutation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use refrain_proof::{Fault, Ground, Lit, Problem, text};
use refrain_sat::{Cdcl, Completion, Engine, Lemmas, Outcome, Query, StopReason, TrailView};
use thiserror::Error;

use crate::theory::{Judgement, Theory};
use crate::trim::{self, Failure};

/// When to give up.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    pub deadline: Option<Instant>,
    pub stop: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    pub(crate) fn is_reached(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|at| Instant::now() >= at)
    }
}

/// A proof, and how much it took.
#[derive(Debug)]
pub struct Proof {
    pub text: String,
    /// Instances of rules.
    pub rules: usize,
    /// Derived clauses.
    pub steps: usize,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotProved {
    /// A part of the script that the rules say nothing about.
    #[error("{0}")]
    NotCovered(String),
    /// The assertions have a model: everything in them is covered, and they are no contradiction.
    #[error("the assertions are satisfiable")]
    Satisfiable,
    #[error("no proof within the limits")]
    Limit,
    #[error("the encoding is too large")]
    TooLarge,
    /// Something is wrong here.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<Fault> for NotProved {
    fn from(fault: Fault) -> NotProved {
        match fault {
            Fault::Outgrown(_) => NotProved::TooLarge,
            Fault::Wrong(what) => NotProved::Internal(what),
        }
    }
}

/// Clauses of a ground, in an engine.
struct Clausal {
    engine: Cdcl,
    added: usize,
}

fn engine_lit(lit: Lit) -> refrain_sat::Lit {
    let var = refrain_sat::Var::from_index(lit.unsigned_abs() as usize - 1);
    refrain_sat::Lit::new(var, lit < 0)
}

fn proof_lit(lit: refrain_sat::Lit) -> Lit {
    let var = lit.var().index() as Lit + 1;
    if lit.is_negative() { -var } else { var }
}

/// Looks at numbers while the engine searches, so that what cannot hold is known before everything is decided.
struct Watcher<'a> {
    theory: &'a mut Theory,
    ground: &'a mut Ground,
    limits: Limits<'a>,
    /// How many clauses the engine has.
    added: usize,
    failure: Option<NotProved>,
}

impl refrain_sat::Theory for Watcher<'_> {
    fn propagate(&mut self, trail: &TrailView<'_>, _: usize, lemmas: &mut Lemmas) {
        let value = |lit: Lit| trail.value(engine_lit(lit));
        if self.failure.is_none()
            && let Err(failure) = self.theory.look(self.ground, &value, &self.limits)
        {
            self.failure = Some(failure);
        }
        let clauses = &self.ground.encoder.gates.clauses;
        for place in self.added..clauses.len() {
            let clause = clauses.get(place).iter().map(|&lit| engine_lit(lit));
            lemmas.keep(&clause.collect::<Vec<_>>());
        }
        self.added = clauses.len();
    }

    fn complete(&mut self, _: &TrailView<'_>, _: usize, _: &mut Lemmas) -> Completion {
        Completion::Accept
    }
}

impl Clausal {
    fn new() -> Clausal {
        let mut engine = Cdcl::new();
        engine.trace_learning();
        Clausal { engine, added: 0 }
    }

    /// Adds what is new.
    fn follow(&mut self, ground: &Ground) {
        let gates = &ground.encoder.gates;
        while self.engine.num_vars() < gates.vars() as usize {
            self.engine.new_var();
        }
        for place in self.added..gates.clauses.len() {
            let clause: Vec<refrain_sat::Lit> = gates
                .clauses
                .get(place)
                .iter()
                .map(|&lit| engine_lit(lit))
                .collect();
            self.engine.add_clause(&clause);
        }
        self.added = gates.clauses.len();
    }
}

/// Looks for a proof that the assertions of a problem cannot hold together.
pub fn prove(problem: Problem, limits: Limits) -> Result<Proof, NotProved> {
    let mut ground = Ground::new(problem.terms);
    let mut used = Vec::new();
    let mut missing = None;
    for (place, assertion) in problem.assertions.iter().enumerate() {
        match assertion {
            Ok(formula) => {
                ground.assert(*formula)?;
                used.push(place + 1);
            }
            Err(why) => missing = missing.or_else(|| Some(why.to_string())),
        }
    }
    let mut theory = Theory::default();
    let mut clausal = Clausal::new();
    loop {
        theory.meet_new_terms(&mut ground)?;
        clausal.follow(&ground);
        let query = Query::default().within(refrain_sat::Limits {
            conflicts: None,
            deadline: limits.deadline,
            stop: limits.stop,
        });
        let mut watcher = Watcher {
            theory: &mut theory,
            added: clausal.added,
            ground: &mut ground,
            limits,
            failure: None,
        };
        let query = match watcher.theory.has_numbers() {
            true => query.with(&mut watcher),
            false => query,
        };
        let outcome = clausal.engine.solve(query);
        clausal.added = watcher.added;
        if let Some(failure) = watcher.failure {
            return Err(failure);
        }
        match outcome {
            Outcome::Unsat => break,
            Outcome::Sat => {}
            Outcome::Unknown(StopReason::Theory) => unreachable!("the engine has no theory"),
            Outcome::Unknown(_) => return Err(NotProved::Limit),
        }
        let engine = &clausal.engine;
        let model = |lit: Lit| engine.value(engine_lit(lit)).unwrap_or(false);
        match theory.judge(&mut ground, &model, &limits)? {
            Judgement::Excluded => {}
            Judgement::Limit => return Err(NotProved::Limit),
            Judgement::Gap(what) => return Err(NotProved::NotCovered(missing.unwrap_or(what))),
            Judgement::Model => {
                return Err(missing.map_or(NotProved::Satisfiable, NotProved::NotCovered));
            }
        }
    }
    let gates = &ground.encoder.gates;
    let learned: Vec<Vec<Lit>> = { clausal.engine.learned_clauses().iter() }
        .map(|clause| clause.iter().map(|&lit| proof_lit(lit)).collect())
        .collect();
    let learned = learned.iter().map(|clause| &clause[..]);
    let steps = trim::derivation(&gates.clauses, gates.vars(), learned, &limits);
    let steps = steps.map_err(|failure| match failure {
        Failure::Limit => NotProved::Limit,
        Failure::Gap => NotProved::Internal("a learned clause does not follow".into()),
    })?;
    let mut out = String::new();
    text::write_head(&mut out, problem.check, problem.digest, &used);
    for rule in theory.rules() {
        text::write_rule(&mut out, rule);
    }
    text::write_size(&mut out, gates.vars(), gates.clauses.len());
    for (place, step) in steps.iter().enumerate() {
        let number = (gates.clauses.len() + place + 1) as u64;
        text::write_clause(&mut out, number, &step.clause, &step.hints);
    }
    out.push_str(text::END);
    out.push('\n');
    Ok(Proof {
        text: out,
        rules: theory.rules().len(),
        steps: steps.len(),
    })
}
