//! The check of a proof: its script is read and encoded again, its rules are applied, its clauses derived.

use crate::error::{Fault, Refusal};
use crate::gates::Clauses;
use crate::lrat::Lrat;
use crate::rules::Ground;
use crate::script::{Problem, Script};
use crate::text::{END, HEADER, Words, unexpected, write_clause, write_plain_clause};

/// What an accepted proof consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The check of the script that is proved to be unsatisfiable, from 1.
    pub check: u32,
    /// Instances of rules of the theories.
    pub rules: u64,
    /// Clauses of the encoding.
    pub clauses: u64,
    /// Derived clauses.
    pub steps: u64,
}

/// The propositional part of an accepted proof.
pub struct Propositional {
    pub vars: i32,
    pub clauses: Clauses,
    /// The derivation, in LRAT and in DRAT, which has no hints.
    pub lrat: String,
    pub drat: String,
}

/// Checks all proofs of a file against the script they are about.
pub fn check(script: &[u8], proofs: &[u8]) -> Result<Vec<Accepted>, Refusal> {
    each(proofs, |lines| {
        check_one(script, lines).map(|(accepted, _)| accepted)
    })
}

/// The propositional parts of all proofs of a file, which are checked on the way.
pub fn propositional(script: &[u8], proofs: &[u8]) -> Result<Vec<Propositional>, Refusal> {
    each(proofs, |lines| {
        check_one(script, lines).map(|(_, part)| part)
    })
}

/// Checks one proof of a problem at hand.
pub fn check_problem(problem: Problem, proof: &[u8]) -> Result<Accepted, Refusal> {
    let mut lines = Lines::of(proof);
    let accepted = lines.checked(|lines| {
        head(lines)?;
        body(lines, problem)
    })?;
    match lines.peek() {
        None => Ok(accepted.0),
        Some(line) => lines.checked(|_| Err(surplus(line))),
    }
}

fn each<T>(
    proofs: &[u8],
    mut one: impl FnMut(&mut Lines) -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    let mut lines = Lines::of(proofs);
    let mut all = Vec::new();
    while lines.peek().is_some() {
        all.push(one(&mut lines)?);
    }
    if all.is_empty() {
        return Err(Refusal::Empty);
    }
    Ok(all)
}

fn check_one(script: &[u8], lines: &mut Lines) -> Result<(Accepted, Propositional), Refusal> {
    lines.checked(|lines| {
        let (check, digest) = head(lines)?;
        let problem = Script::problem_of(script, check);
        let problem = problem.filter(|problem| problem.digest == digest);
        let other = || Fault::wrong("the proof is about another script");
        body(lines, problem.ok_or_else(other)?)
    })
}

/// What is wrong, or that nothing more comes.
enum Stop {
    Fault(Fault),
    Unfinished,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

struct Lines<'a> {
    rest: Option<&'a [u8]>,
    /// The number of the last line that was taken.
    number: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: Some(text),
            number: 0,
        }
    }

    fn checked<T>(
        &mut self,
        check: impl FnOnce(&mut Lines<'a>) -> Result<T, Stop>,
    ) -> Result<T, Refusal> {
        check(self).map_err(|stop| match stop {
            Stop::Unfinished => Refusal::Unfinished,
            Stop::Fault(fault) => Refusal::At {
                line: self.number,
                fault,
            },
        })
    }

    /// The next line that is not the empty end of the text.
    fn peek(&self) -> Option<&'a [u8]> {
        self.rest.filter(|rest| !rest.is_empty())
    }

    fn next(&mut self) -> Result<Words<'a>, Stop> {
        let rest = self.peek().ok_or(Stop::Unfinished)?;
        // A line that is not ended may have been longer.
        let end = rest
            .iter()
            .position(|&b| b == b'\n')
            .ok_or(Stop::Unfinished)?;
        self.rest = Some(&rest[end + 1..]);
        self.number += 1;
        Ok(Words::of(&rest[..end])?)
    }
}

fn surplus(line: &[u8]) -> Stop {
    unexpected(&String::from_utf8_lossy(&line[..line.len().min(40)])).into()
}

/// The first lines: which check of which script.
fn head(lines: &mut Lines) -> Result<(u32, u64), Stop> {
    let mut words = lines.next()?;
    let mut header = HEADER.split(' ');
    if words.word() != header.next() || words.word() != header.next() {
        return Err(Fault::wrong(format!("'{HEADER}' is needed here")).into());
    }
    words.end()?;
    let mut words = lines.next()?;
    match words.need()? {
        "check" => {}
        word => return Err(unexpected(word).into()),
    }
    let check = words.number()?;
    let digest = words.need()?;
    let digits = digest
        .strip_prefix("#x")
        .filter(|digits| digits.len() == 16);
    let digest = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let digest = digest.ok_or_else(|| Fault::wrong("the digest of the script is needed here"))?;
    words.end()?;
    if check == 0 {
        return Err(Fault::wrong("checks are numbered from 1").into());
    }
    Ok((check, digest))
}

/// Everything after that, to the end of the proof.
fn body(lines: &mut Lines, problem: Problem) -> Result<(Accepted, Propositional), Stop> {
    let mut ground = Ground::new(problem.terms);
    let mut words = lines.next()?;
    match words.need()? {
        "use" => {}
        word => return Err(unexpected(word).into()),
    }
    while let Some(word) = words.word() {
        let place: usize = word.parse().map_err(|_| unexpected(word))?;
        let assertion = place
            .checked_sub(1)
            .and_then(|place| problem.assertions.get(place));
        let formula = match assertion {
            Some(Ok(formula)) => *formula,
            Some(Err(why)) => return Err(Fault::wrong(why.to_string()).into()),
            None => return Err(Fault::wrong(format!("there is no assertion {place}")).into()),
        };
        ground.assert(formula)?;
    }
    let mut rules = 0;
    loop {
        let mut words = lines.next()?;
        let name = words.need()?;
        if name == "cnf" {
            let (vars, clauses): (i32, usize) = (words.number()?, words.number()?);
            words.end()?;
            let gates = &ground.encoder.gates;
            if vars != gates.vars() || clauses != gates.clauses.len() {
                return Err(Fault::wrong("the encoding has another size").into());
            }
            break;
        }
        let rule = words.rule(&ground.terms, name)?;
        ground.apply(&rule)?;
        rules += 1;
    }
    let gates = ground.encoder.gates;
    let mut lrat = Lrat::new(&gates.clauses, gates.vars());
    let (mut in_lrat, mut in_drat) = (String::new(), String::new());
    let mut steps = 0;
    loop {
        let mut words = lines.next()?;
        let first = words.need()?;
        if first == END {
            words.end()?;
            break;
        }
        let number: u64 = first.parse().map_err(|_| unexpected(first))?;
        let clause: Vec<i32> = words.list()?;
        let hints: Vec<u64> = words.list()?;
        words.end()?;
        lrat.derive(number, &clause, &hints)?;
        write_clause(&mut in_lrat, number, &clause, &hints);
        write_plain_clause(&mut in_drat, &clause);
        steps += 1;
    }
    if !lrat.is_refuted() {
        return Err(Stop::Unfinished);
    }
    let accepted = Accepted {
        check: problem.check,
        rules,
        clauses: gates.clauses.len() as u64,
        steps,
    };
    let part = Propositional {
        vars: gates.vars(),
        clauses: gates.clauses,
        lrat: in_lrat,
        drat: in_drat,
    };
    Ok((accepted, part))
}
