//! The solver under test: a process, the scripts it is given, and what it answers. Models are evaluated on
//! the spot; cores are read here and checked again by an oracle.

use super::arithmetic;
use super::ast::{self, Node, Op, T, not, op, subterms};
use super::evaluate::{Function, Gap, Model, Value, evaluate};
use super::floats;
use super::oracle::{Answer, Process, Silence};
use super::plain::in_plain_words;
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

pub struct Observation {
    pub answer: Answer,
    /// After `sat`: what became of the model.
    pub model: ModelCheck,
    /// After `unsat`: the assertions and assumptions that are said to be unsatisfiable by themselves.
    pub core: Option<Vec<T>>,
}

/// A model that was not found wrong.
pub enum ModelCheck {
    /// It makes everything asserted and assumed true.
    Holds,
    /// It depends on what it takes division by zero to be, which solvers do not print: these terms, its
    /// values among them, must be satisfiable together.
    LeftToOracle(Vec<T>),
    /// There is none, or it is in words of z3's own.
    Unread,
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
    pub fn run(
        &mut self,
        script: &Script,
        situations: &[Situation],
    ) -> (Vec<Observation>, Option<Finding>) {
        let mut observations = Vec::new();
        let outcome = self.run_commands(script, situations, &mut observations);
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
            let (mut model, mut core) = (ModelCheck::Unread, None);
            match answer {
                Answer::Sat => model = self.check_model(situation)?,
                Answer::Unsat => core = self.core(script, assuming.as_deref(), situation)?,
                Answer::Unknown => {}
            }
            observations.push(Observation {
                answer,
                model,
                core,
            });
        }
        text.push_str("(echo \"done\")\n");
        let reply = self.ask(&text)?;
        if reply.trim_matches('"') != "done" {
            return Err((Kind::Protocol, format!("at the end of the script: {reply}")));
        }
        Ok(())
    }

    /// Ends the process as its user would; a fault that only then shows.
    pub fn finish(self) -> Option<Finding> {
        let check = self.history.last().map_or(0, Script::checks);
        let (kind, detail) = match self.process.finish(Instant::now() + self.tested.limit) {
            Ok(()) => return None,
            Err(Silence::Late) => (Kind::Late, "the process does not end".to_string()),
            Err(Silence::Ended(words)) => (Kind::Protocol, format!("the process ended, {words}")),
        };
        Some(Finding {
            kind,
            check: check.saturating_sub(1),
            detail,
        })
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

    fn check_model(&mut self, situation: &Situation) -> Result<ModelCheck, (Kind, String)> {
        let model = match situation.probe {
            Probe::Values => self.values(&questions(situation), Model::default()),
            Probe::Model => self
                .model_by_definitions()
                .and_then(|model| self.values(&choices(situation), model)),
        };
        let model = match model {
            // z3 leaves what does not matter unvalued.
            Err((Kind::Model, _)) if self.tested.plain => return Ok(ModelCheck::Unread),
            model => model?,
        };
        let mut verdict = ModelCheck::Holds;
        for term in situation.demands() {
            match evaluate(term, &model) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return Err((Kind::Model, format!("the model makes this false: {term}"))),
                Err(why) if why.is_division_by_zero() => {
                    verdict = ModelCheck::LeftToOracle(Vec::new());
                }
                Err(_) if self.tested.plain => return Ok(ModelCheck::Unread),
                Err(why) => return Err((Kind::Model, format!("{why}, in {term}"))),
            }
        }
        if let ModelCheck::LeftToOracle(terms) = &mut verdict {
            terms.extend(situation.demands().cloned());
            terms.extend(equations(situation, &model));
        }
        Ok(verdict)
    }

    /// The model with what `get-value` says of symbols, of applications and of results that the standard
    /// leaves open. Values of other terms are held against it.
    fn values(&mut self, queries: &[T], mut model: Model) -> Result<Model, (Kind, String)> {
        let wrong = |detail: String| (Kind::Model, detail);
        if queries.is_empty() {
            return Ok(model);
        }
        let mut text = String::from("(get-value (");
        for term in queries {
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
        for (query, pair) in queries.iter().zip(pairs) {
            let [_, value] = pair.list().map_err(wrong)? else {
                return Err(wrong(format!("not a pair: {pair}")));
            };
            let value = sexpr::value(value, query.sort).map_err(wrong)?;
            if let Node::Symbol(name) = &query.node {
                model.symbols.insert(name.clone(), value);
                continue;
            }
            match evaluate(query, &model) {
                // Its arguments have values, so that it is a point of its own function that is missing.
                Err(Gap::Point { function, args, .. }) if is_learnt(query, &function) => {
                    let value = match query.node {
                        Node::Op(operator) => {
                            floats::open_choice(operator, query.args[1].sort, &value)
                        }
                        _ => Some(value),
                    };
                    let value = value.ok_or_else(|| wrong(format!("it cannot be: {pair}")))?;
                    let table = model
                        .functions
                        .entry(function)
                        .or_insert_with(|| Function::Table(Vec::new()));
                    let Function::Table(table) = table else {
                        unreachable!("a function that is defined has values everywhere")
                    };
                    table.push((args, value));
                }
                Err(why) if why.is_division_by_zero() => {}
                Err(why) => return Err(wrong(why.to_string())),
                Ok(own) if own != value => {
                    return Err(wrong(format!(
                        "its own model contradicts this value: {pair}"
                    )));
                }
                Ok(_) => {}
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
                    let value =
                        evaluate(body, &Model::default()).map_err(|why| wrong(why.to_string()))?;
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

/// Is this a query by which the function's value becomes known?
fn is_learnt(query: &T, function: &str) -> bool {
    match &query.node {
        Node::Apply(name) => name == function,
        Node::Op(operator) => {
            floats::leaves_open(*operator)
                && floats::open_function(*operator, query.args[1].sort).0 == function
        }
        _ => false,
    }
}

/// Terms whose value the standard may leave open: a model does not print what it takes them to be.
fn choices(situation: &Situation) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut choices = Vec::new();
    for term in situation.demands() {
        subterms(term, &mut |term| {
            let open = matches!(term.node, Node::Op(operator) if floats::leaves_open(operator));
            if open && seen.insert(term.to_string()) {
                choices.push(term.clone());
            }
        });
    }
    choices
}

/// What to ask `get-value` for: symbols first, then applications and `choices` (inner ones first), so that each can be
/// evaluated from those before it; then array reads and a few whole assertions.
fn questions(situation: &Situation) -> Vec<T> {
    let mut queries: Vec<T> = Vec::new();
    for declaration in &situation.declarations {
        if declaration.parameters.is_empty() {
            queries.push(ast::symbol(&declaration.name, declaration.result));
        }
    }
    let terms: Vec<&T> = situation.demands().collect();
    let mut seen = HashSet::new();
    let mut reads = Vec::new();
    for term in &terms {
        subterms(term, &mut |term| match term.node {
            Node::Apply(_) if seen.insert(term.to_string()) => queries.push(term.clone()),
            Node::Op(operator)
                if floats::leaves_open(operator) && seen.insert(term.to_string()) =>
            {
                queries.push(term.clone())
            }
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

/// What the model says of symbols and of applications, as terms. What itself depends on a division by zero
/// is left out.
fn equations(situation: &Situation, model: &Model) -> Vec<T> {
    let mut subjects: Vec<T> = situation
        .declarations
        .iter()
        .filter(|declaration| declaration.parameters.is_empty())
        .map(|declaration| ast::symbol(&declaration.name, declaration.result))
        .collect();
    for term in situation.demands() {
        subterms(term, &mut |term| {
            if let Node::Apply(_) = term.node {
                subjects.push(term.clone());
            }
        });
    }
    subjects
        .into_iter()
        .filter_map(|subject| match evaluate(&subject, model).ok()? {
            Value::Bool(true) => Some(subject),
            Value::Bool(false) => Some(not(subject)),
            value => Some(op(Op::Eq, [subject, arithmetic::literal(&value)?])),
        })
        .collect()
}
