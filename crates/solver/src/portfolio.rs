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

use refrain_term::{Assignment, Term, Terms};

use crate::process::Process;
use crate::{Limits, Reason, Solver, Stats, Verdict};

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

    /// Works on the question until `until` at the latest. `None`: not finished.
    fn advance(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
        until: Instant,
    ) -> Option<Verdict> {
        match self {
            Member::Process(process) => process.poll(terms, limits, until),
            Member::Inside(solver) => {
                let deadline = limits
                    .deadline
                    .map_or(until, |deadline| deadline.min(until));
                let verdict = solver.check(
                    terms,
                    assumptions,
                    &Limits {
                        deadline: Some(deadline),
                        ..limits.clone()
                    },
                );
                let out_of_slice = verdict == Verdict::Unknown(Reason::Timeout)
                    && limits
                        .deadline
                        .is_none_or(|overall| Instant::now() < overall);
                (!out_of_slice).then_some(verdict)
            }
        }
    }

    fn work(&self) -> Option<u64> {
        match self {
            Member::Process(process) => process.work(),
            Member::Inside(solver) => solver.work(),
        }
    }

    fn begin(&mut self, terms: &mut Terms, assumptions: &[Term]) {
        if let Member::Process(process) = self {
            process.begin(terms, assumptions);
        }
    }

    fn cancel(&mut self) {
        if let Member::Process(process) = self {
            process.cancel();
        }
    }
}

pub struct Portfolio {
    name: String,
    /// The first is asked first.
    members: Vec<Member>,
    handoff: Duration,
    /// Who decided the last check.
    winner: Option<usize>,
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
            winner: None,
            stats: Stats::default(),
        }
    }

    fn race(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        let mut race = Race {
            answers: vec![None; self.members.len()],
        };
        self.members[0].begin(terms, assumptions);
        let handoff = Instant::now() + self.handoff;
        race.answers[0] = self.members[0].advance(terms, assumptions, limits, handoff);
        if !race.is_decided() && limits.exceeded().is_none() {
            for member in &mut self.members[1..] {
                member.begin(terms, assumptions);
            }
            self.run_together(&mut race, terms, assumptions, limits);
        }
        for member in &mut self.members {
            member.cancel();
        }
        let (winner, verdict) = race.result(&self.members, limits);
        self.winner = winner;
        verdict
    }

    /// Until someone decides, everyone has given up, or the limits are reached.
    fn run_together(
        &mut self,
        race: &mut Race,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) {
        let mut slice = FIRST_SLICE;
        while !race.is_over() && limits.exceeded().is_none() {
            let alone = race
                .answers
                .iter()
                .filter(|answer| answer.is_none())
                .count()
                == 1;
            for (place, member) in self.members.iter_mut().enumerate() {
                if race.answers[place].is_some() {
                    continue;
                }
                let turn = match member {
                    // A second answer is worth a look if it is there already: the two must agree.
                    Member::Process(_) if race.is_decided() => Duration::ZERO,
                    Member::Inside(_) if race.is_decided() => continue,
                    _ if alone => Duration::from_secs(3600),
                    Member::Process(_) => LOOK,
                    Member::Inside(_) => slice,
                };
                race.answers[place] =
                    member.advance(terms, assumptions, limits, Instant::now() + turn);
            }
            slice = (slice * 2).min(LONGEST_SLICE);
        }
    }
}

/// What the members have answered so far.
struct Race {
    answers: Vec<Option<Verdict>>,
}

impl Race {
    fn is_decided(&self) -> bool {
        self.answers
            .iter()
            .any(|answer| matches!(answer, Some(Verdict::Sat | Verdict::Unsat)))
    }

    fn is_over(&self) -> bool {
        self.is_decided() || self.answers.iter().all(Option::is_some)
    }

    /// The verdict, and who it is from.
    fn result(&self, members: &[Member], limits: &Limits) -> (Option<usize>, Verdict) {
        let who = |verdict: Verdict| {
            self.answers
                .iter()
                .position(|answer| answer.as_ref() == Some(&verdict))
        };
        match (who(Verdict::Sat), who(Verdict::Unsat)) {
            (Some(sat), Some(unsat)) => {
                let text = format!(
                    "{} says sat, {} says unsat",
                    members[sat].name(),
                    members[unsat].name()
                );
                (None, Verdict::Unknown(Reason::Failed(text)))
            }
            (Some(winner), None) => (Some(winner), Verdict::Sat),
            (None, Some(winner)) => (Some(winner), Verdict::Unsat),
            (None, None) => (None, Verdict::Unknown(self.why_undecided(limits))),
        }
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
                Verdict::Unknown(reason) => Some(reason),
                Verdict::Sat | Verdict::Unsat => None,
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

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.winner = None;
        let verdict = match limits.exceeded() {
            Some(reason) => Verdict::Unknown(reason),
            None => self.race(terms, assumptions, limits),
        };
        self.stats.record(&verdict);
        verdict
    }

    fn model(&mut self, terms: &mut Terms) -> Assignment {
        match self.winner {
            Some(winner) => self.members[winner].solver().model(terms),
            None => Assignment::new(),
        }
    }

    fn core(&mut self) -> Vec<Term> {
        match self.winner {
            Some(winner) => self.members[winner].solver().core(),
            None => Vec::new(),
        }
    }

    fn collect_partial_solutions(&mut self, limit: Option<usize>) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().collect_partial_solutions(limit));
    }

    /// Those of the first solver: it is the one that is always asked.
    fn partial_solutions(&mut self, terms: &mut Terms) -> Vec<Assignment> {
        self.members[0].solver().partial_solutions(terms)
    }

    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.members
            .iter_mut()
            .for_each(|member| member.solver().suggest(terms, model));
    }

    fn reset(&mut self) {
        self.winner = None;
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

    #[test]
    fn contradicting_answers_are_no_answer() {
        let member = |name| Member::from(Process::new(Backend::built_in(name).expect("built in")));
        let members = [member("z3"), member("cvc5"), member("yices")];
        let race = Race {
            answers: vec![Some(Verdict::Sat), Some(Verdict::Unsat), None],
        };
        let (winner, verdict) = race.result(&members, &Limits::default());
        assert_eq!(winner, None);
        assert_eq!(
            verdict,
            Verdict::Unknown(Reason::Failed("z3 says sat, cvc5 says unsat".to_owned()))
        );
    }
}
