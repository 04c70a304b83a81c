//! One script through the solver under test and the oracles, and the judgement of what came back:
//! equal answers, models that evaluate to true, cores that are unsat again.

use super::ast::{self, Node, Op, T, in_plain_words, subterms};
use super::evaluate::{Function, Model, Value, evaluate};
use super::oracle::{Answer, Oracle, Peer, Process, Silence};
use super::script::{Command, Probe, Script, Situation};
use super::sexpr::{self, Sexp};
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Every way a script can show a fault of the solver under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Another answer than an oracle's.
    Answer,
    /// A model that does not satisfy what was asserted, or cannot be read.
    Model,
    /// A core that is no subset, or not unsat.
    Core,
    /// An error message, a crash, or words that are no answer.
    Protocol,
    /// No answer in time where an oracle has one.
    Late,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: Kind,
    /// Which check of the script, from 0.
    pub check: usize,
    pub detail: String,
}

#[derive(Default, Debug)]
pub struct Tally {
    pub scripts: u64,
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub late: u64,
    /// Checks that no oracle decided.
    pub skipped: u64,
    /// Checks that two oracles decided.
    pub twice_confirmed: u64,
    pub models: u64,
    pub cores: u64,
    /// Checks on which the oracles contradict each other, one of them agreeing with the solver under
    /// test: a fault of the other (cvc5 1.0.3 has some with constant arrays over few indices).
    pub disputes: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.scripts += other.scripts;
        self.checks += other.checks;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.late += other.late;
        self.skipped += other.skipped;
        self.twice_confirmed += other.twice_confirmed;
        self.models += other.models;
        self.cores += other.cores;
        self.disputes.extend(other.disputes.iter().cloned());
    }
}

struct Observation {
    answer: Answer,
    /// After `unsat`: the assertions and assumptions that are said to be unsatisfiable by themselves.
    core: Option<Vec<T>>,
}

/// How the solver under test is started and spoken to.
#[derive(Clone)]
pub struct Tested {
    pub command: Vec<String>,
    /// It speaks z3's dialect: older operators only, no logic set.
    pub plain: bool,
    pub limit: Duration,
}

/// The solver under test with a live process and the scripts this process has seen.
pub struct Session {
    tested: Tested,
    process: Process,
    pub history: Vec<Script>,
    pub alive: bool,
}

impl Session {
    pub fn start(tested: &Tested) -> Result<Session> {
        let process = Process::start(&tested.command)?;
        Ok(Session {
            tested: tested.clone(),
            process,
            history: Vec::new(),
            alive: true,
        })
    }

    /// Runs a script up to its end or its first fault.
    fn run(
        &mut self,
        script: &Script,
        situations: &[Situation],
        tally: &mut Tally,
    ) -> (Vec<Observation>, Option<Finding>) {
        let mut observations = Vec::new();
        let outcome = self.run_commands(script, situations, &mut observations, tally);
        self.history.push(script.clone());
        let finding = outcome.err().map(|(kind, detail)| {
            self.alive = false;
            Finding {
                kind,
                check: observations.len().min(situations.len().saturating_sub(1)),
                detail,
            }
        });
        (observations, finding)
    }

    fn run_commands(
        &mut self,
        script: &Script,
        situations: &[Situation],
        observations: &mut Vec<Observation>,
        tally: &mut Tally,
    ) -> Result<(), (Kind, String)> {
        let mut text = if self.history.is_empty() {
            String::new()
        } else {
            "(reset)\n".to_string()
        };
        text.push_str(&script.preamble(!self.tested.plain));
        if self.tested.plain {
            text.push_str("(set-option :model.completion true)\n");
        }
        let mut situations = situations.iter();
        for command in &script.commands {
            text.push_str(&command.text(self.tested.plain));
            text.push('\n');
            let Command::Check { assuming, .. } = command else {
                continue;
            };
            let situation = situations.next().expect("a situation for every check");
            let reply = self.ask(&std::mem::take(&mut text))?;
            let answer = Answer::parse(&reply)
                .ok_or_else(|| (Kind::Protocol, format!("answered {reply}")))?;
            let mut core = None;
            match answer {
                Answer::Sat => {
                    self.check_model(situation)?;
                    tally.models += 1;
                }
                Answer::Unsat => core = self.core(script, assuming.as_deref(), situation)?,
                Answer::Unknown => {}
            }
            observations.push(Observation { answer, core });
        }
        text.push_str("(echo \"done\")\n");
        let reply = self.ask(&text)?;
        if reply.trim_matches('"') != "done" {
            return Err((Kind::Protocol, format!("at the end of the script: {reply}")));
        }
        Ok(())
    }

    fn ask(&mut self, text: &str) -> Result<String, (Kind, String)> {
        let deadline = Instant::now() + self.tested.limit;
        let reply = self
            .process
            .send(text)
            .and_then(|()| self.process.answer(deadline));
        reply.map_err(|silence| match silence {
            Silence::Late => (Kind::Late, format!("no answer in {:?}", self.tested.limit)),
            Silence::Ended(words) => (Kind::Protocol, format!("the process ended, {words}")),
        })
    }

    fn check_model(&mut self, situation: &Situation) -> Result<(), (Kind, String)> {
        let model = match situation.probe {
            Probe::Values => self.model_by_values(situation),
            Probe::Model => self.model_by_definitions(),
        };
        let model = match model {
            // z3 leaves what does not matter unvalued.
            Err((Kind::Model, _)) if self.tested.plain => return Ok(()),
            model => model?,
        };
        let demands = situation
            .assertions
            .iter()
            .map(|(term, _)| term)
            .chain(situation.assumptions.iter().flatten());
        for term in demands {
            match evaluate(term, &model) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return Err((Kind::Model, format!("the model makes this false: {term}"))),
                Err(_) if self.tested.plain => {}
                Err(why) => return Err((Kind::Model, format!("{why}, in {term}"))),
            }
        }
        Ok(())
    }

    /// A model from `get-value` of every symbol and every application, held against `get-value` of
    /// array reads and of a few assertions.
    fn model_by_values(&mut self, situation: &Situation) -> Result<Model, (Kind, String)> {
        let wrong = |detail: String| (Kind::Model, detail);
        let queries = questions(situation);
        if queries.is_empty() {
            return Ok(Model::default());
        }
        let mut text = String::from("(get-value (");
        for term in &queries {
            let _ = if self.tested.plain {
                write!(text, "{} ", in_plain_words(term))
            } else {
                write!(text, "{term} ")
            };
        }
        text.push_str("))\n");
        let reply = self.ask(&text)?;
        let reply = Sexp::parse(&reply).map_err(wrong)?;
        let pairs = reply.list().map_err(wrong)?;
        if pairs.len() != queries.len() {
            return Err(wrong(format!(
                "{} values were asked for, the answer is {reply}",
                queries.len()
            )));
        }
        let mut model = Model::default();
        for (query, pair) in queries.iter().zip(pairs) {
            let [_, value] = pair.list().map_err(wrong)? else {
                return Err(wrong(format!("not a pair: {pair}")));
            };
            let value = sexpr::value(value, query.sort).map_err(wrong)?;
            match &query.node {
                Node::Symbol(name) => {
                    model.symbols.insert(name.clone(), value);
                }
                Node::Apply(name) => {
                    let point = query
                        .args
                        .iter()
                        .map(|arg| evaluate(arg, &model).map(|value| value.bits()));
                    let point = point.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
                    let function = model
                        .functions
                        .entry(name.clone())
                        .or_insert_with(|| Function::Table(HashMap::new()));
                    let Function::Table(table) = function else {
                        unreachable!("only tables are put here")
                    };
                    let before = table.insert(point.clone(), value.clone());
                    if before.is_some_and(|before| before != value) {
                        return Err(wrong(format!(
                            "two values for {name} at {point:?}: {query}"
                        )));
                    }
                }
                _ => {
                    if evaluate(query, &model).map_err(wrong)? != value {
                        return Err(wrong(format!(
                            "its own model contradicts this value: {pair}"
                        )));
                    }
                }
            }
        }
        Ok(model)
    }

    fn model_by_definitions(&mut self) -> Result<Model, (Kind, String)> {
        let wrong = |detail: String| (Kind::Model, detail);
        let reply = self.ask("(get-model)\n")?;
        let reply = Sexp::parse(&reply).map_err(wrong)?;
        let mut model = Model::default();
        for item in reply.list().map_err(wrong)? {
            let (name, function) = sexpr::definition(item).map_err(wrong)?;
            match &function {
                Function::Body(parameters, body) if parameters.is_empty() => {
                    let value = evaluate(body, &Model::default()).map_err(wrong)?;
                    model.symbols.insert(name, value);
                }
                _ => {
                    model.functions.insert(name, function);
                }
            }
        }
        Ok(model)
    }

    /// What the solver says is enough for `unsat`, as terms; `None` where it was not asked.
    fn core(
        &mut self,
        script: &Script,
        assuming: Option<&[T]>,
        situation: &Situation,
    ) -> Result<Option<Vec<T>>, (Kind, String)> {
        let wrong = |detail: String| (Kind::Core, detail);
        if let (Some(asked), Some(expanded)) = (assuming, &situation.assumptions) {
            let reply = self.ask("(get-unsat-assumptions)\n")?;
            let reply = Sexp::parse(&reply).map_err(wrong)?;
            let mut by_text = HashMap::new();
            for (term, meaning) in asked.iter().zip(expanded) {
                let text = if self.tested.plain {
                    in_plain_words(term).to_string()
                } else {
                    term.to_string()
                };
                by_text.insert(Sexp::parse(&text).map_err(wrong)?.to_string(), meaning);
            }
            let mut core: Vec<T> = situation
                .assertions
                .iter()
                .map(|(term, _)| term.clone())
                .collect();
            for item in reply.list().map_err(wrong)? {
                match by_text.get(&item.to_string()) {
                    Some(meaning) => core.push((*meaning).clone()),
                    // z3 prints assumptions in its own words.
                    None if self.tested.plain => return Ok(None),
                    None => return Err(wrong(format!("{item} was not assumed"))),
                }
            }
            return Ok(Some(core));
        }
        if !script.unsat_cores {
            return Ok(None);
        }
        let reply = self.ask("(get-unsat-core)\n")?;
        let reply = Sexp::parse(&reply).map_err(wrong)?;
        let mut chosen = HashSet::new();
        for item in reply.list().map_err(wrong)? {
            let name = item
                .atom()
                .ok_or_else(|| wrong(format!("{item} is not a name")))?;
            if !situation
                .assertions
                .iter()
                .any(|(_, given)| given.as_deref() == Some(name))
            {
                return Err(wrong(format!("{name} names no assertion in force")));
            }
            chosen.insert(name.to_string());
        }
        let in_core =
            |name: &Option<String>| name.as_ref().is_none_or(|name| chosen.contains(name));
        Ok(Some(
            situation
                .assertions
                .iter()
                .filter(|(_, name)| in_core(name))
                .map(|(term, _)| term.clone())
                .collect(),
        ))
    }
}

/// What to ask `get-value` for: symbols first, then applications (inner ones first), so that each can be
/// evaluated from those before it; then array reads and a few whole assertions.
fn questions(situation: &Situation) -> Vec<T> {
    let mut queries: Vec<T> = Vec::new();
    for declaration in &situation.declarations {
        if declaration.parameters.is_empty() {
            queries.push(ast::symbol(&declaration.name, declaration.result));
        }
    }
    let terms: Vec<&T> = situation
        .assertions
        .iter()
        .map(|(term, _)| term)
        .chain(situation.assumptions.iter().flatten())
        .collect();
    let mut seen = HashSet::new();
    let mut reads = Vec::new();
    for term in &terms {
        subterms(term, &mut |term| match term.node {
            Node::Apply(_) if seen.insert(term.to_string()) => queries.push(term.clone()),
            Node::Op(Op::Select) if reads.len() < 12 && seen.insert(term.to_string()) => {
                reads.push(term.clone())
            }
            _ => {}
        });
    }
    queries.extend(reads);
    queries.extend(
        terms
            .iter()
            .rev()
            .filter(|term| term.size < 40)
            .take(2)
            .map(|term| (*term).clone()),
    );
    queries
}

/// The oracles of one worker: z3, and one more for each script.
pub struct Jury {
    pub oracles: Vec<Oracle>,
    turn: usize,
}

impl Jury {
    pub fn new(peers: &[Peer]) -> Jury {
        Jury {
            oracles: peers.iter().map(|&peer| Oracle::new(peer)).collect(),
            turn: 0,
        }
    }

    /// z3 if it is among the peers, and the next of the others that knows all the script's words.
    fn seats(&mut self, script: &Script) -> Vec<usize> {
        let constant_arrays = script.has_constant_arrays();
        let able = |peer: Peer| !constant_arrays || peer.knows_constant_arrays();
        let mut seats: Vec<usize> = (0..self.oracles.len())
            .filter(|&i| self.oracles[i].peer == Peer::Z3)
            .collect();
        let others: Vec<usize> = (0..self.oracles.len())
            .filter(|&i| self.oracles[i].peer != Peer::Z3 && able(self.oracles[i].peer))
            .collect();
        if !others.is_empty() {
            self.turn += 1;
            seats.push(others[self.turn % others.len()]);
        }
        seats
    }
}

/// Runs the script everywhere and compares. The first fault found is returned.
pub fn examine(
    script: &Script,
    session: &mut Session,
    jury: &mut Jury,
    tally: &mut Tally,
) -> Result<Option<Finding>> {
    let situations = script
        .situations()
        .map_err(|why| anyhow::anyhow!("the generated script is wrong: {why}"))?;
    tally.scripts += 1;
    let (observations, fault) = session.run(script, &situations, tally);

    let main = script
        .for_oracle()
        .map_err(|why| anyhow::anyhow!("the generated script is wrong: {why}"))?;
    let mut recheck = String::new();
    let mut rechecked = Vec::new();
    for (index, observation) in observations.iter().enumerate() {
        if let Some(core) = &observation.core {
            recheck.push_str("(push 1)\n");
            for term in core {
                let _ = writeln!(recheck, "(assert {})", in_plain_words(term));
            }
            recheck.push_str("(check-sat)\n(pop 1)\n");
            rechecked.push(index);
        }
    }
    let seats = jury.seats(script);
    for (place, &seat) in seats.iter().enumerate() {
        let text = if place == 0 {
            format!("{main}{recheck}")
        } else {
            main.clone()
        };
        jury.oracles[seat].begin(&text)?;
    }
    let mut verdicts: Vec<(Peer, Vec<Answer>)> = Vec::new();
    for (place, &seat) in seats.iter().enumerate() {
        let expected = situations.len() + if place == 0 { rechecked.len() } else { 0 };
        let oracle = &mut jury.oracles[seat];
        verdicts.push((oracle.peer, oracle.collect(expected)));
    }

    let mut finding = None;
    for (check, observation) in observations.iter().enumerate() {
        tally.checks += 1;
        match observation.answer {
            Answer::Sat => tally.sat += 1,
            Answer::Unsat => tally.unsat += 1,
            Answer::Unknown => tally.unknown += 1,
        }
        let decided: Vec<(Peer, Answer)> = verdicts
            .iter()
            .map(|(peer, answers)| (*peer, answers[check]))
            .filter(|(_, answer)| *answer != Answer::Unknown)
            .collect();
        match decided.len() {
            0 => tally.skipped += 1,
            1 => {}
            _ => tally.twice_confirmed += 1,
        }
        let against = decided
            .iter()
            .filter(|(_, answer)| *answer != observation.answer)
            .count();
        if observation.answer == Answer::Unknown || against == 0 {
            continue;
        }
        let others: Vec<String> = decided
            .iter()
            .map(|(peer, answer)| format!("{} {answer}", peer.name()))
            .collect();
        let detail = format!("under test {}, {}", observation.answer, others.join(", "));
        if against < decided.len() {
            tally.disputes.push(detail);
        } else if finding.is_none() {
            finding = Some(Finding {
                kind: Kind::Answer,
                check,
                detail,
            });
        }
    }
    if let Some((_, answers)) = verdicts.first() {
        for (&check, answer) in rechecked.iter().zip(&answers[situations.len()..]) {
            match answer {
                Answer::Unsat => tally.cores += 1,
                Answer::Unknown => {}
                Answer::Sat if finding.is_none() => {
                    let detail = "the core is satisfiable".to_string();
                    finding = Some(Finding {
                        kind: Kind::Core,
                        check,
                        detail,
                    });
                }
                Answer::Sat => {}
            }
        }
    }
    if let Some(fault) = fault {
        let decided = |(_, answers): &(Peer, Vec<Answer>)| {
            answers
                .get(fault.check)
                .is_some_and(|answer| *answer != Answer::Unknown)
        };
        if fault.kind != Kind::Late {
            finding = finding.or(Some(fault));
        } else {
            tally.late += 1;
            // What is hard for everyone is not held against the solver under test.
            if verdicts.iter().any(decided) {
                finding = finding.or(Some(fault));
            }
        }
    }
    Ok(finding)
}
