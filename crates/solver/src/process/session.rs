//! One run of a program: what it has been sent, and how to bring it in line with what is wanted.
//!
//! The owner's stack is a list that costs nothing to edit. Only when a question is asked does the program follow, by
//! the shortest way: levels that are the same stay, what has gone is popped, what is new is pushed. So levels that
//! were popped and pushed again unchanged are never seen by the program.
//!
//! Assumptions of which a core is wanted live on a level of their own above the stack, where literals that imply them
//! accumulate, so that what the program learns about them survives from question to question. All others are one more
//! level of the stack: if they are asserted next, they are there already.
//!
//! Names [across levels](Naming::foresee) are defined at the turning point: when what has gone is popped and nothing
//! is pushed yet, all that is about to be sent is looked through at once.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use refrain_term::{Epoch, Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::backend::Backend;
use super::model::{failed, shortened};
use super::naming::Naming;
use super::pipe::{Heard, Pipe};
use super::sexp::Sexp;
use crate::{Limits, Reason};

/// How often someone who may ask to stop is asked whether they do.
const STOP_CHECK: Duration = Duration::from_millis(5);
/// Literals of assumptions beyond this, when most are of earlier questions, are cleared away.
const MOST_LITERALS: usize = 1000;

pub(super) struct Session {
    pipe: Pipe,
    naming: Naming,
    /// The assertions of each level, as the program has them.
    sent: Vec<Vec<Term>>,
    /// The arena that they are of, once there are any.
    epoch: Option<Epoch>,
    /// On the level of the assumptions: the literal that stands for each of them.
    literals: Option<FxHashMap<Term, String>>,
    /// What the program was sent first.
    preamble: String,
    /// What the program has is not to be built on.
    outdated: bool,
    tee: Option<File>,
}

impl Session {
    pub fn start(
        backend: &Backend,
        preamble: String,
        name_assigned: bool,
        tee: Option<File>,
    ) -> io::Result<Session> {
        let naming = Naming::new(name_assigned, tee.is_some());
        let pipe = Pipe::start(backend)?;
        let mut session = Session {
            pipe,
            naming,
            sent: vec![Vec::new()],
            epoch: None,
            literals: None,
            preamble,
            outdated: false,
            tee,
        };
        session.send(session.preamble.clone());
        Ok(session)
    }

    /// Whether the program can be brought in line without starting from nothing: its lowest level cannot be popped, nor
    /// its logic be changed, and what it has is known by terms of one arena.
    pub fn can_follow(&self, terms: &Terms, wanted: &[Vec<Term>], preamble: &str) -> bool {
        !self.outdated
            && self.epoch.is_none_or(|epoch| epoch == terms.epoch())
            && self.preamble == preamble
            && wanted[0].starts_with(&self.sent[0])
    }

    /// Before the next question the program goes back to the start.
    pub fn outdate(&mut self) {
        self.outdated = true;
    }

    /// Back to the start, for programs that can.
    pub fn reset(&mut self, preamble: String) {
        self.naming = Naming::new(self.naming.foresees(), self.tee.is_some());
        self.sent = vec![Vec::new()];
        self.epoch = None;
        self.literals = None;
        self.outdated = false;
        self.send(format!("(reset)\n{preamble}"));
        self.preamble = preamble;
    }

    /// Sends a question. Only for a program that [can follow](Session::can_follow).
    pub fn begin(&mut self, terms: &Terms, wanted: &[Vec<Term>], assumptions: &[Term]) {
        self.epoch = Some(terms.epoch());
        let mut out = String::new();
        self.align(terms, wanted, assumptions, &mut out);
        if assumptions.is_empty() {
            out.push_str("(check-sat)\n");
        } else {
            self.assume(terms, assumptions, &mut out);
        }
        self.send(out);
    }

    fn align(
        &mut self,
        terms: &Terms,
        wanted: &[Vec<Term>],
        assumptions: &[Term],
        out: &mut String,
    ) {
        let same = self
            .sent
            .iter()
            .zip(wanted)
            .take_while(|(sent, wanted)| sent == wanted)
            .count();
        if same == self.sent.len() && same == wanted.len() {
            if self.literals.is_none() {
                self.naming.foresee(terms, assumptions, out);
            }
            return;
        }
        self.drop_assumed(out);
        let grows = same < wanted.len()
            && self
                .sent
                .get(same)
                .is_some_and(|sent| wanted[same].starts_with(sent));
        let kept = if grows { same + 1 } else { same };
        let surplus = self.sent.len() - kept;
        if surplus > 0 {
            self.pop(surplus, out);
            self.sent.truncate(kept);
        }
        if self.naming.foresees() {
            let coming = wanted.iter().enumerate().flat_map(|(level, formulas)| {
                let sent = self.sent.get(level).map_or(0, Vec::len);
                &formulas[sent..]
            });
            let coming: Vec<Term> = coming.chain(assumptions).copied().collect();
            self.naming.foresee(terms, &coming, out);
        }
        for (level, formulas) in wanted.iter().enumerate() {
            if level == self.sent.len() {
                self.push(out);
                self.sent.push(Vec::new());
            }
            for &formula in &formulas[self.sent[level].len()..] {
                self.assert(terms, formula, out);
                self.sent[level].push(formula);
            }
        }
    }

    fn assume(&mut self, terms: &Terms, assumptions: &[Term], out: &mut String) {
        let most = MOST_LITERALS.max(4 * assumptions.len());
        if self
            .literals
            .as_ref()
            .is_some_and(|literals| literals.len() > most)
        {
            self.drop_assumed(out);
        }
        let mut literals = match self.literals.take() {
            Some(literals) => literals,
            None => {
                self.push(out);
                FxHashMap::default()
            }
        };
        let mut question = String::from("(check-sat-assuming (");
        for &assumption in assumptions {
            let literal = literals
                .entry(assumption)
                .or_insert_with(|| self.literal(terms, assumption, out));
            question.push_str(literal);
            question.push(' ');
        }
        question.push_str("))\n");
        out.push_str(&question);
        self.literals = Some(literals);
    }

    /// A literal that implies the assumption; the assumption itself if it is one.
    fn literal(&mut self, terms: &Terms, assumption: Term, out: &mut String) -> String {
        let is_symbol = |term: Term| matches!(terms.op(term), Op::Var(_));
        if is_symbol(assumption) {
            return self.naming.define(terms, assumption, out);
        }
        if terms.op(assumption) == Op::Not && is_symbol(terms.arg(assumption, 0)) {
            let symbol = self.naming.define(terms, terms.arg(assumption, 0), out);
            return format!("(not {symbol})");
        }
        let expression = self.naming.define(terms, assumption, out);
        let literal = format!("a{}", assumption.index());
        let _ = writeln!(
            out,
            "(declare-fun {literal} () Bool)\n(assert (=> {literal} {expression}))"
        );
        literal
    }

    fn drop_assumed(&mut self, out: &mut String) {
        if self.literals.take().is_some() {
            self.pop(1, out);
        }
    }

    fn push(&mut self, out: &mut String) {
        out.push_str("(push 1)\n");
        self.naming.push();
    }

    fn pop(&mut self, levels: usize, out: &mut String) {
        let _ = writeln!(out, "(pop {levels})");
        self.naming.pop(levels);
    }

    fn assert(&mut self, terms: &Terms, formula: Term, out: &mut String) {
        let expression = self.naming.define(terms, formula, out);
        let _ = writeln!(out, "(assert {expression})");
    }

    fn send(&mut self, text: String) {
        // The replay file is for looking into problems; one that cannot be written to is given up.
        if let Some(file) = &mut self.tee
            && file.write_all(text.as_bytes()).is_err()
        {
            self.tee = None;
        }
        self.pipe.send(text);
    }

    /// The next answer, or `None` if `until` is given and there is none by then.
    pub fn hear(
        &mut self,
        limits: &Limits,
        until: Option<Instant>,
    ) -> Result<Option<String>, Reason> {
        loop {
            let stop_check = limits.stop.is_some().then(|| Instant::now() + STOP_CHECK);
            let step = [until, limits.deadline, stop_check].into_iter().flatten();
            match self.pipe.hear(step.min()) {
                Heard::Answer(answer) if answer == "success" => {}
                Heard::Answer(answer) => return Ok(Some(answer)),
                Heard::Ended(how) => return Err(Reason::Failed(format!("it {how}"))),
                Heard::Nothing => {
                    if let Some(reason) = limits.exceeded() {
                        return Err(reason);
                    }
                    if until.is_some_and(|until| Instant::now() >= until) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Sends a command and waits for its answer.
    fn ask(&mut self, text: String, limits: &Limits) -> Result<String, Reason> {
        self.send(text);
        loop {
            if let Some(answer) = self.hear(limits, None)? {
                return Ok(answer);
            }
        }
    }

    /// After sat: the values of what `formulas` depend on.
    pub fn model(
        &mut self,
        terms: &Terms,
        formulas: &[Term],
        limits: &Limits,
    ) -> Result<refrain_term::Assignment, Reason> {
        // The names are only read while the program is asked.
        let naming = std::mem::take(&mut self.naming);
        let model =
            super::model::fetch(terms, formulas, &naming, &mut |text| self.ask(text, limits));
        self.naming = naming;
        model
    }

    /// After unsat under assumptions: the places of those that the program says it needed.
    pub fn core(&mut self, assumptions: &[Term], limits: &Limits) -> Result<Vec<usize>, Reason> {
        let Some(literals) = &self.literals else {
            return Ok((0..assumptions.len()).collect());
        };
        let places: FxHashMap<String, usize> = assumptions
            .iter()
            .enumerate()
            .filter_map(|(place, assumption)| {
                literals
                    .get(assumption)
                    .map(|literal| (literal.clone(), place))
            })
            .collect();
        let answer = self.ask("(get-unsat-assumptions)\n".to_owned(), limits)?;
        let core = Sexp::parse(&answer).and_then(|(sexp, root)| {
            let symbol = |node| sexp.atom(node).map(|atom| atom.trim_matches('|'));
            let literal = |&node| match (symbol(node), sexp.list(node)) {
                (Some(atom), _) => Some(atom.to_owned()),
                (_, Some(&[not, atom])) if symbol(not) == Some("not") => {
                    Some(format!("(not {})", symbol(atom)?))
                }
                _ => None,
            };
            sexp.list(root)?
                .iter()
                .map(|node| places.get(&literal(node)?).copied())
                .collect::<Option<Vec<usize>>>()
        });
        core.ok_or_else(|| {
            failed(&format!(
                "it answered {} to get-unsat-assumptions",
                shortened(&answer)
            ))
        })
    }
}
