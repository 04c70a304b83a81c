//! A solver that tries everything: too slow for anything but tests, too simple to be wrong.
//!
//! It enumerates the bits of the symbols, the cells of arrays it sees read or written at all indices, and the entries
//! of functions, up to a bound on the number of bits; beyond it answers `unknown`. Of integers it tries a few around
//! zero, of reals their halves; what none of these solves is `unknown` too.

#![allow(dead_code)]

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use refrain_smtlib::{Config, Output, Session};
use refrain_solver::{CheckResult, Conflict, Outcome, Query, Reason, Solver, Stats};
use refrain_term::{
    Assignment, Bv, Evaluator, FuncId, Rational, Sort, Term, Terms, Value, VarId, free_symbols,
};

const MAX_BITS: u32 = 18;

#[derive(Default)]
pub struct BruteForce {
    assertions: Vec<Term>,
    levels: Vec<usize>,
    assumptions: Vec<Term>,
    stats: Stats,
}

/// Something with a few bits of its own.
enum Slot {
    Var(VarId, Sort),
    Cell(VarId, Sort, Bv),
    Entry(FuncId, Sort, Vec<Value>),
}

fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(width) => width,
        Sort::Array { element, .. } => element,
        Sort::Int | Sort::Real => 4,
        Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
            unreachable!("symbols have their bits below the surface")
        }
    }
}

fn value(sort: Sort, bits: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits == 1),
        Sort::Int => Value::Int(Rational::from(small_number(bits))),
        Sort::Real => Value::Real(Rational::new(small_number(bits), 2)),
        sort => Value::Bv(Bv::new(width(sort), bits)),
    }
}

/// From zero up, and then the negative ones.
fn small_number(bits: u64) -> i64 {
    let bits = bits as i64;
    if bits < 8 { bits } else { bits - 16 }
}

/// Whether the slots are all there is to try.
fn is_complete(slots: &[Slot]) -> bool {
    !slots.iter().any(|slot| match slot {
        Slot::Var(_, sort) | Slot::Cell(_, sort, _) => sort.is_number(),
        Slot::Entry(_, sort, args) => {
            sort.is_number() || args.iter().any(|arg| arg.sort().is_number())
        }
    })
}

/// The slots of all free symbols, and how many bits they have.
fn slots(terms: &Terms, roots: &[Term]) -> Option<(Vec<Slot>, u32)> {
    let (vars, funcs) = free_symbols(terms, roots);
    let (mut slots, mut bits) = (Vec::new(), 0);
    for var in vars {
        let sort = terms.var_decl(var).sort;
        match sort {
            Sort::Array { index, element } => {
                if index > 3 {
                    return None;
                }
                for i in 0..1 << index {
                    slots.push(Slot::Cell(var, sort, Bv::new(index, i)));
                    bits += element;
                }
            }
            _ => {
                slots.push(Slot::Var(var, sort));
                bits += width(sort);
            }
        }
    }
    for func in funcs {
        let decl = terms.func_decl(func);
        let inputs: u32 = decl.args.iter().map(|&sort| width(sort)).sum();
        if inputs > 4 {
            return None;
        }
        for combination in 0..1u64 << inputs {
            let mut rest = combination;
            let args = decl.args.iter().map(|&sort| {
                let bits = rest & ((1 << width(sort)) - 1);
                rest >>= width(sort);
                value(sort, bits)
            });
            slots.push(Slot::Entry(func, decl.result, args.collect()));
            bits += width(decl.result);
        }
    }
    (bits <= MAX_BITS).then_some((slots, bits))
}

fn assignment(slots: &[Slot], mut bits: u64) -> Assignment {
    let mut result = Assignment::new();
    let mut take = |sort: Sort| {
        let low = bits & ((1 << width(sort)) - 1);
        bits >>= width(sort);
        low
    };
    for slot in slots {
        match slot {
            Slot::Var(var, sort) => result.set(*var, value(*sort, take(*sort))),
            Slot::Cell(var, sort, index) => {
                result.set_cell(
                    *var,
                    index.clone(),
                    Bv::new(width(*sort), take(*sort)),
                    *sort,
                );
            }
            Slot::Entry(func, sort, args) => {
                let entry = value(*sort, take(*sort));
                result.func_mut(*func, *sort).set(args.clone(), entry);
            }
        }
    }
    result
}

/// A satisfying assignment, none, or that there are too many to try.
fn search(terms: &Terms, formulas: &[Term]) -> Result<Option<Assignment>, Reason> {
    if formulas.contains(&Term::FALSE) {
        return Ok(None);
    }
    let Some((slots, bits)) = slots(terms, formulas) else {
        return Err(Reason::Incomplete("too many bits to try".into()));
    };
    let mut evaluator = Evaluator::new();
    for bits in 0..1u64 << bits {
        let candidate = assignment(&slots, bits);
        evaluator.forget();
        if formulas
            .iter()
            .all(|&formula| evaluator.bool(terms, &candidate, formula))
        {
            return Ok(Some(candidate));
        }
    }
    if is_complete(&slots) {
        return Ok(None);
    }
    Err(Reason::Incomplete("too many numbers to try".into()))
}

impl Solver for BruteForce {
    fn name(&self) -> &str {
        "brute-force"
    }

    fn push(&mut self) {
        self.levels.push(self.assertions.len());
    }

    fn pop(&mut self, levels: usize) {
        for _ in 0..levels {
            self.assertions
                .truncate(self.levels.pop().expect("as many pops as pushes"));
        }
    }

    fn assert(&mut self, _: &mut Terms, formula: Term) {
        self.assertions.push(formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let result = match query.limits.exceeded() {
            Some(reason) => CheckResult::Unknown(reason),
            None => {
                let all = [&self.assertions, query.assumptions].concat();
                match search(terms, &all) {
                    Err(reason) => CheckResult::Unknown(reason),
                    Ok(Some(model)) => CheckResult::Sat(Arc::new(model)),
                    Ok(None) if query.wants.core => CheckResult::Unsat(Conflict {
                        core: minimal_core(terms, &self.assertions, query.assumptions),
                        formulas: None,
                    }),
                    Ok(None) => CheckResult::Unsat(Conflict::of_all(query.assumptions)),
                }
            }
        };
        self.stats.record(&result.verdict());
        result.into()
    }

    fn reset(&mut self) {
        *self = BruteForce::default();
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

/// Assumptions none of which can be left out.
fn minimal_core(terms: &Terms, assertions: &[Term], assumptions: &[Term]) -> Vec<Term> {
    let mut core = assumptions.to_vec();
    core.dedup();
    let mut place = 0;
    while place < core.len() {
        let mut fewer = core.clone();
        fewer.remove(place);
        match search(terms, &[assertions, &fewer].concat()) {
            Ok(None) => core = fewer,
            _ => place += 1,
        }
    }
    core
}

/// A writer whose text can be looked at later.
#[derive(Clone, Default)]
pub struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    pub fn bytes(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session over the brute-force solver, and its two channels.
pub fn session() -> (Session, Shared, Shared) {
    session_over(Box::new(BruteForce::default()))
}

pub fn session_over(solver: Box<dyn Solver>) -> (Session, Shared, Shared) {
    let (regular, diagnostic) = (Shared::default(), Shared::default());
    let output = Output::new(Box::new(regular.clone()), Box::new(diagnostic.clone()));
    let config = Config {
        check_models: true,
        ..Config::default()
    };
    (Session::new(solver, config, output), regular, diagnostic)
}
