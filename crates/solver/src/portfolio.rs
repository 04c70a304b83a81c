//! Several solvers for one question.
//!
//! The first solver is asked alone. Most questions are easy for it, and one solver at a time leaves the other cores to
//! other workers. A question that it has not decided after the hand-off time, or gives up on, goes to all the others
//! at once, while the first goes on; whoever decides first wins, and the rest are stopped.
//!
//! Processes run by themselves. Solvers inside this process run in turns on the calling thread, in slices of time
//! that grow.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_path::PartialSolution;
use refrain_term::{Assignment, Term, Terms};

use crate::process::Process;
use crate::{CheckResult, Limits, Outcome, Query, Reason, Solver, Stats};

/// The first slice of a solver inside this process, once others run beside it.
const FIRST_SLICE: Duration = Duration::from_millis(50);
/// No slice is longer: others that have answered wait for its end.
const LONGEST_SLICE: Duration = Duration::from_millis(500);
/// How long to wait for one process before looking at the next.
const LOOK: Duration = Duration::from_millis(2);

/// A solver of a portfolio.
pub enum Member {
    Process(Box<Process>),
    /// Runs on the calling thread.
    Inside(Box<dyn Solver>),
}

impl From<Process> for Member {
    fn from(process: Process) -> Member {
        Member::Process(Box::new(process))
    }
}

impl Member {
    fn solver(&mut self) -> &mut dyn Solver {
        match self {
            Member::Process(process) => process.as_mut(),
            Member::Inside(solver) => solver.as_mut(),
        }
    }

    fn name(&self) -> &str {
        match self {
            Member::Process(process) => process.name(),
            Member::Inside(solver) => solver.name(),
        }
    }

    /// Works on the question, if `until` is given until then at the latest.
    fn advance(&mut self, terms: &mut Terms, query: &Query<'_>, until: Option<Instant>) -> Turn {
        match self {
            Member::Process(process) => match process.poll(terms, query.limits, until) {
                Some(outcome) => Turn::Finished(outcome),
                None => Turn::Unfinished(Vec::new()),
            },
            Member::Inside(solver) => {
                let overall = query.limits.deadline;
                let limits = Limits {
                    deadline: [overall, until].into_iter().flatten().min(),
                    ..query.limits.clone()
                };
                let outcome = solver.check(
                    terms,
                    &Query {
                        limits: &limits,
                        ..*query
                    },
                );
                let out_of_slice = until.is_some()
                    && matches!(outcome.result, CheckResult::Unknown(Reason::Timeout))
                    && overall.is_none_or(|overall| Instant::now() < overall);
                match out_of_slice {
                    true => Turn::Unfinished(outcome.partial_solutions),
                    false => Turn::Finished(outcome),
                }
            }
        }
    }

    fn work(&self) -> Option<u64> {
        match self {
            Member::Process(process) => process.work(),
            Member::Inside(solver) => solver.work(),
        }
    }

    fn begin(&mut self, terms: &mut Terms, query: &Query<'_>) {
        if let Member::Process(process) = self {
            process.begin(terms, query.assumptions, query.wants);
        }
    }

    fn cancel(&mut self) {
        if let Member::Process(process) = self {
            process.cancel();
        }
    }
}

/// What came of some time for one member.
enum Turn {
    Finished(Outcome),
    /// With the partial solutions so far.
    Unfinished(Vec<PartialSolution>),
}

pub struct Portfolio {
    name: String,
    /// The first is asked first.
    members: Vec<Member>,
    handoff: Duration,
    stats: Stats,
}

impl Portfolio {
    /// Asks `first`, and `others` too once `first` has had `handoff` without deciding.
    pub fn new(first: Member, others: Vec<Member>, handoff: Duration) -> Portfolio {
        let mut members = vec![first];
        members.extend(others);
        let names: Vec<&str> = members.iter().map(Member::name).collect();
        Portfolio {
            name: names.join(","),
            members,
            handoff,
            stats: Stats::default(),
        }
    }

    fn race(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let mut race = Race::new(self.members.len());
        self.members[0].begin(terms, query);
        let handoff = Instant::now() + self.handoff;
        race.note(0, self.members[0].advance(terms, query, Some(handoff)));
        if !race.is_decided() && query.limits.exceeded().is_none() {
            for member in &mut self.members[1..] {
                member.begin(terms, query);
            }
            self.run_together(&mut race, terms, query);
        }
        for member in &mut self.members {
            member.cancel();
        }
        race.result(&self.members, query)
    }

    /// Until someone decides, everyone has given up, or the limits are reached.
    fn run_together(&mut self, race: &mut Race, terms: &mut Terms, query: &Query<'_>) {
        let mut slice = FIRST_SLICE;
        while !race.is_over() && query.limits.exceeded().is_none() {
            let alone = race.running() == 1;
            for (place, member) in self.members.iter_mut().enumerate() {
                if race.answers[place].is_some() {
                    continue;
                }
                let turn = match member {
                    // A second answer is worth a look if it is there already: the two must agree.
                    Member::Process(_) if race.is_decided() => Some(Duration::ZERO),
                    Member::Inside(_) if race.is_decided() => continue,
                    _ if alone => None,
                    Member::Process(_) => Some(LOOK),
                    Member::Inside(_) => Some(slice),
                };
                let until = turn.map(|turn| Instant::now() + turn);
                race.note(place, member.advance(terms, query, until));
            }
            slice = (slice * 2).min(LONGEST_SLICE);
        }
    }
}

/// What the members have answered so far.
struct Race {
    answers: Vec<Option<CheckResult>>,
    /// By member: what its search has gone through, finished or not.
    partial_solutions: Vec<Vec<PartialSolution>>,
}

impl Race {
    fn new(members: usize) -> Race {
        Race {
            answers: vec![None; members],
            partial_solutions: vec![Vec::new(); members],
        }
    }

    fn note(&mut self, place: usize, turn: Turn) {
        self.partial_solutions[place] = match turn {
            Turn::Finished(outcome) => {
                self.answers[place] = Some(outcome.result);
                outcome.partial_solutions
            }
            Turn::Unfinished(partial_solutions) => partial_solutions,
        };
    }

    fn running(&self) -> usize {
        self.answers
            .iter()
            .filter(|answer| answer.is_none())
            .count()
    }

    fn is_decided(&self) -> bool {
        self.answers
            .iter()
            .any(|answer| matches!(answer, Some(CheckResult::Sat(_) | CheckResult::Unsat(_))))
    }

    fn is_over(&self) -> bool {
        self.is_decided() || self.answers.iter().all(Option::is_some)
    }

    /// The answer of whoever decided, and the partial solutions of all.
    fn result(mut self, members: &[Member], query: &Query<'_>) -> Outcome {
        let mut partial_solutions: Vec<PartialSolution> =
            self.partial_solutions.drain(..).flatten().collect();
        partial_solutions.truncate(query.wants.partial_solutions);
        Outcome {
            result: self.who_decided(members, query.limits),
            partial_solutions,
        }
    }

    fn who_decided(mut self, members: &[Member], limits: &Limits) -> CheckResult {
        let who = |is_it: fn(&CheckResult) -> bool| {
            self.answers
                .iter()
                .position(|answer| answer.as_ref().is_some_and(is_it))
        };
        let sat = who(|answer| matches!(answer, CheckResult::Sat(_)));
        let unsat = who(|answer| matches!(answer, CheckResult::Unsat(_)));
        if let (Some(sat), Some(unsat)) = (sat, unsat) {
            return CheckResult::Unknown(Reason::Failed(format!(
                "{} says sat, {} says unsat",
                members[sat].name(),
                members[unsat].name()
            )));
        }
        sat.or(unsat)
            .and_then(|winner| self.answers[winner].take())
            .unwrap_or_else(|| CheckResult::Unknown(self.why_undecided(limits)))
    }

    fn why_undecided(&self, limits: &Limits) -> Reason {
        if let Some(reason) = limits.exceeded() {
            return reason;
        }
        let mut reasons = self
            .answers
            .iter()
            .flatten()
            .filter_map(|answer| match answer {
                CheckResult::Unknown(reason) => Some(reason),
                CheckResult::Sat(_) | CheckResult::Unsat(_) => None,
            });
        let Some(first) = reasons.next() else {
            return Reason::Timeout;
        };
        let others: Vec<&Reason> = reasons.collect();
        if others.iter().all(|&other| other == first) {
            return first.clone();
        }
        let texts: Vec<String> = std::iter::once(first)
            .chain(others)
            .map(Reason::to_string)
            .collect();
        Reason::Incomplete(texts.join("; "))
    }
}

impl Solver for Portfolio {
    fn name(&self) -> &str {
        &self.name
    }

    fn push(&mut self) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().push());
    }

    fn pop(&mut self, levels: usize) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().pop(levels));
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().assert(terms, formula));
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let outcome = match query.limits.exceeded() {
            Some(reason) => Outcome::unknown(reason),
            None => self.race(terms, query),
        };
        self.stats.record(&outcome.verdict());
        outcome
    }

    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().suggest(terms, model));
    }

    fn reset(&mut self) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().reset());
    }

    fn stats(&self) -> Stats {
        let of = |member: &Member| match member {
            Member::Process(process) => process.stats(),
            Member::Inside(solver) => solver.stats(),
        };
        let partial_solutions = self
            .members
            .iter()
            .map(|member| of(member).partial_solutions)
            .sum();
        Stats {
            partial_solutions,
            ..self.stats
        }
    }

    /// That of the first solver: the others are asked rarely, and which of them is first to answer is up to the clock.
    fn work(&self) -> Option<u64> {
        self.members[0].work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Backend;
    use crate::{Conflict, Verdict};

    #[test]
    fn contradicting_answers_are_no_answer() {
        let member = |name| Member::from(Process::new(Backend::built_in(name).expect("built in")));
        let members = [member("z3"), member("cvc5"), member("yices")];
        let mut race = Race::new(members.len());
        let sat = CheckResult::Sat(Arc::default());
        let unsat = CheckResult::Unsat(Conflict::of_all(&[]));
        race.note(0, Turn::Finished(sat.into()));
        race.note(1, Turn::Finished(unsat.into()));
        race.note(2, Turn::Unfinished(Vec::new()));
        let limits = Limits::default();
        let outcome = race.result(&members, &Query::new(&[], &limits));
        assert_eq!(
            outcome.verdict(),
            Verdict::Unknown(Reason::Failed("z3 says sat, cvc5 says unsat".to_owned()))
        );
    }
}
