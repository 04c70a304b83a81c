//! Scripts: commands, what is in force at each check, and the text each solver is given.

use super::ast::{Definitions, Node, Op, Sort, T, expand, subterms};
use super::floats::Format;
use super::plain::{self, in_plain_words};
use super::theory::Theory;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

#[derive(Clone, Debug)]
pub enum Command {
    Declare {
        name: String,
        parameters: Vec<Sort>,
        result: Sort,
    },
    Define {
        name: String,
        parameters: Vec<(String, Sort)>,
        body: T,
    },
    Assert {
        term: T,
        name: Option<String>,
    },
    Push(u32),
    Pop(u32),
    Check {
        assuming: Option<Vec<T>>,
        probe: Probe,
    },
    ResetAssertions,
}

/// How the model behind a `sat` is fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    Values,
    Model,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub theory: Theory,
    pub logic: &'static str,
    pub unsat_cores: bool,
    /// Declarations outlive pop and reset-assertions.
    pub global_declarations: bool,
    pub commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: String,
    pub parameters: Vec<Sort>,
    pub result: Sort,
}

/// What is in force when a check is made; terms are expanded.
#[derive(Clone, Debug)]
pub struct Situation {
    pub assertions: Vec<(T, Option<String>)>,
    pub assumptions: Option<Vec<T>>,
    pub declarations: Vec<Declaration>,
    pub probe: Probe,
}

impl Situation {
    /// Everything that has to hold.
    pub fn demands(&self) -> impl Iterator<Item = &T> {
        let assumed = self.assumptions.iter().flatten();
        self.assertions.iter().map(|(term, _)| term).chain(assumed)
    }
}

#[derive(Default)]
struct Level {
    assertions: Vec<(T, Option<String>)>,
    declared: Vec<String>,
    defined: Vec<String>,
}

impl Script {
    pub fn checks(&self) -> usize {
        self.commands
            .iter()
            .filter(|command| matches!(command, Command::Check { .. }))
            .count()
    }

    /// Drops what comes after a check, counted from 0.
    pub fn cut_after(&mut self, check: usize) {
        let commands = self.commands.iter().enumerate();
        let mut checks = commands.filter(|(_, command)| matches!(command, Command::Check { .. }));
        if let Some((place, _)) = checks.nth(check) {
            self.commands.truncate(place + 1);
        }
    }

    /// Replays the commands; an error says which rule of the language the script breaks.
    pub fn situations(&self) -> Result<Vec<Situation>, String> {
        let mut levels = vec![Level::default()];
        let mut declarations: Vec<Declaration> = Vec::new();
        let mut definitions = Definitions::new();
        let mut situations = Vec::new();
        let leave = |levels: &mut Vec<Level>,
                     declarations: &mut Vec<Declaration>,
                     definitions: &mut Definitions| {
            let level = levels.pop().expect("a level to leave");
            if !self.global_declarations {
                declarations.retain(|declaration| !level.declared.contains(&declaration.name));
                definitions.retain(|name, _| !level.defined.contains(name));
            }
            for (_, name) in &level.assertions {
                name.as_ref().map(|name| definitions.remove(name));
            }
        };
        for command in &self.commands {
            let check = |term: &T, bound: &[(String, Sort)]| {
                well_scoped(term, &declarations, &definitions, bound)
            };
            match command {
                Command::Declare {
                    name,
                    parameters,
                    result,
                } => {
                    let declaration = Declaration {
                        name: name.clone(),
                        parameters: parameters.clone(),
                        result: *result,
                    };
                    declarations.push(declaration);
                    levels
                        .last_mut()
                        .expect("base level")
                        .declared
                        .push(name.clone());
                }
                Command::Define {
                    name,
                    parameters,
                    body,
                } => {
                    check(body, parameters)?;
                    let names = parameters.iter().map(|(name, _)| name.clone()).collect();
                    definitions.insert(name.clone(), (names, body.clone()));
                    levels
                        .last_mut()
                        .expect("base level")
                        .defined
                        .push(name.clone());
                }
                Command::Assert { term, name } => {
                    check(term, &[])?;
                    let expanded = expand(term, &definitions);
                    levels
                        .last_mut()
                        .expect("base level")
                        .assertions
                        .push((expanded, name.clone()));
                    if let Some(name) = name {
                        definitions.insert(name.clone(), (Vec::new(), term.clone()));
                    }
                }
                Command::Push(count) => levels.extend((0..*count).map(|_| Level::default())),
                Command::Pop(count) => {
                    if *count as usize >= levels.len() {
                        return Err("pop below the base level".to_string());
                    }
                    (0..*count)
                        .for_each(|_| leave(&mut levels, &mut declarations, &mut definitions));
                }
                Command::ResetAssertions => {
                    while !levels.is_empty() {
                        leave(&mut levels, &mut declarations, &mut definitions);
                    }
                    levels.push(Level::default());
                }
                Command::Check { assuming, probe } => {
                    for term in assuming.iter().flatten() {
                        check(term, &[])?;
                    }
                    let expanded = assuming.as_ref().map(|terms| {
                        terms
                            .iter()
                            .map(|term| expand(term, &definitions))
                            .collect()
                    });
                    situations.push(Situation {
                        assertions: levels
                            .iter()
                            .flat_map(|level| level.assertions.iter().cloned())
                            .collect(),
                        assumptions: expanded,
                        declarations: declarations.clone(),
                        probe: *probe,
                    });
                }
            }
        }
        Ok(situations)
    }

    /// Does a constant array occur? Not every oracle knows them.
    pub fn has_constant_arrays(&self) -> bool {
        self.uses(|operator| matches!(operator, Op::ConstArray(_)))
    }

    /// The formats of its floats.
    pub fn formats(&self) -> HashSet<Format> {
        let mut formats = HashSet::new();
        for term in self.commands.iter().flat_map(Command::terms) {
            subterms(term, &mut |term| {
                if let sort @ Sort::Float(..) = term.sort {
                    formats.insert(Format::of(sort));
                }
            });
        }
        formats
    }

    /// Does an operator occur that is none of the standard's?
    pub fn has_bits_of_floats(&self) -> bool {
        self.uses(|operator| operator == Op::FpToIeee)
    }

    fn uses(&self, wanted: impl Fn(Op) -> bool) -> bool {
        let mut found = false;
        for term in self.commands.iter().flat_map(Command::terms) {
            subterms(term, &mut |term| {
                found |= matches!(term.node, Node::Op(operator) if wanted(operator))
            });
        }
        found
    }

    pub fn count_operators(&self, counts: &mut BTreeMap<&'static str, u64>) {
        for term in self.commands.iter().flat_map(Command::terms) {
            subterms(term, &mut |term| {
                if let Node::Op(op) = term.node {
                    *counts.entry(op.name()).or_default() += 1;
                }
                if let Node::Let(_) = term.node {
                    *counts.entry("let").or_default() += 1;
                }
            });
        }
        for command in &self.commands {
            let feature = match command {
                Command::Declare { parameters, .. } if !parameters.is_empty() => {
                    "declare-fun with arguments"
                }
                Command::Declare { .. } => continue,
                Command::Define { .. } => "define-fun",
                Command::Assert { name: Some(_), .. } => ":named",
                Command::Assert { .. } => continue,
                Command::Push(_) => "push",
                Command::Pop(_) => "pop",
                Command::Check {
                    assuming: Some(_), ..
                } => "check-sat-assuming",
                Command::Check { .. } => continue,
                Command::ResetAssertions => "reset-assertions",
            };
            *counts.entry(feature).or_default() += 1;
        }
    }

    /// The options and the logic, as the solver under test gets them.
    pub fn preamble(&self, set_logic: bool) -> String {
        let mut text = String::from("(set-option :produce-models true)\n");
        if self.unsat_cores {
            text.push_str("(set-option :produce-unsat-cores true)\n");
        }
        text.push_str("(set-option :produce-unsat-assumptions true)\n");
        if self.global_declarations {
            text.push_str("(set-option :global-declarations true)\n");
        }
        if set_logic {
            let _ = writeln!(text, "(set-logic {})", self.logic);
        }
        text
    }

    /// The script as a file, for people and for replay.
    pub fn text(&self) -> String {
        let mut text = self.preamble(true);
        for command in &self.commands {
            text.push_str(&command.text(false));
            text.push('\n');
        }
        text
    }

    /// The script in words that every oracle knows, to be sent in one piece: all declarations first, one
    /// answer a check.
    pub fn for_oracle(&self) -> Result<String, String> {
        let mut text = self
            .theory
            .number_sort()
            .map_or_else(String::new, plain::zero_division_declarations);
        text.push_str(&plain::choice_declarations(
            self.commands.iter().flat_map(Command::terms),
        ));
        for command in &self.commands {
            if let Command::Declare { .. } = command {
                text.push_str(&command.text(false));
                text.push('\n');
            }
        }
        let mut situations = self.situations()?.into_iter();
        // Assertions in force so far, by level, as the oracle has them.
        let mut stack: Vec<Vec<T>> = vec![Vec::new()];
        text.push_str("(push 1)\n");
        let mut definitions = Definitions::new();
        for command in &self.commands {
            match command {
                Command::Declare { .. } => {}
                Command::Define {
                    name,
                    parameters,
                    body,
                } => {
                    let names = parameters.iter().map(|(name, _)| name.clone()).collect();
                    definitions.insert(name.clone(), (names, body.clone()));
                }
                Command::Assert { term, name } => {
                    let lowered = plain::for_oracle(&expand(term, &definitions));
                    let _ = writeln!(text, "(assert {lowered})");
                    stack.last_mut().expect("base level").push(lowered);
                    if let Some(name) = name {
                        definitions.insert(name.clone(), (Vec::new(), term.clone()));
                    }
                }
                Command::Push(count) => {
                    let _ = writeln!(text, "(push {count})");
                    stack.extend((0..*count).map(|_| Vec::new()));
                }
                Command::Pop(count) => {
                    let _ = writeln!(text, "(pop {count})");
                    stack.truncate(stack.len() - *count as usize);
                }
                Command::ResetAssertions => {
                    let _ = writeln!(text, "(pop {})\n(push 1)", stack.len());
                    stack = vec![Vec::new()];
                }
                Command::Check { .. } => {
                    let situation = situations.next().expect("a situation for every check");
                    let assumptions = situation.assumptions.unwrap_or_default();
                    if assumptions.is_empty() {
                        text.push_str("(check-sat)\n");
                    } else {
                        text.push_str("(push 1)\n");
                        for term in &assumptions {
                            let _ = writeln!(text, "(assert {})", plain::for_oracle(term));
                        }
                        text.push_str("(check-sat)\n(pop 1)\n");
                    }
                }
            }
        }
        let _ = writeln!(text, "(pop {})", stack.len());
        Ok(text)
    }
}

impl Command {
    pub fn terms(&self) -> Vec<&T> {
        match self {
            Command::Define { body, .. } => vec![body],
            Command::Assert { term, .. } => vec![term],
            Command::Check {
                assuming: Some(terms),
                ..
            } => terms.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The command in SMT-LIB; `plain` for a solver that lacks the newest operators.
    pub fn text(&self, plain: bool) -> String {
        let word = |term: &T| {
            if plain {
                in_plain_words(term).to_string()
            } else {
                term.to_string()
            }
        };
        match self {
            Command::Declare {
                name,
                parameters,
                result,
            } => {
                let parameters: Vec<String> = parameters.iter().map(Sort::to_string).collect();
                format!("(declare-fun {name} ({}) {result})", parameters.join(" "))
            }
            Command::Define {
                name,
                parameters,
                body,
            } => {
                let parameters: Vec<String> = parameters
                    .iter()
                    .map(|(n, s)| format!("({n} {s})"))
                    .collect();
                format!(
                    "(define-fun {name} ({}) {} {})",
                    parameters.join(" "),
                    body.sort,
                    word(body)
                )
            }
            Command::Assert { term, name: None } => format!("(assert {})", word(term)),
            Command::Assert {
                term,
                name: Some(name),
            } => format!("(assert (! {} :named {name}))", word(term)),
            Command::Push(count) => format!("(push {count})"),
            Command::Pop(count) => format!("(pop {count})"),
            Command::Check { assuming: None, .. } => "(check-sat)".to_string(),
            Command::Check {
                assuming: Some(terms),
                ..
            } => {
                let terms: Vec<String> = terms.iter().map(word).collect();
                format!("(check-sat-assuming ({}))", terms.join(" "))
            }
            Command::ResetAssertions => "(reset-assertions)".to_string(),
        }
    }
}

fn well_scoped(
    term: &T,
    declarations: &[Declaration],
    definitions: &Definitions,
    bound: &[(String, Sort)],
) -> Result<(), String> {
    let known: HashSet<&str> = declarations
        .iter()
        .map(|d| d.name.as_str())
        .chain(definitions.keys().map(String::as_str))
        .collect();
    let mut bound: HashMap<&str, u32> = bound.iter().map(|(name, _)| (name.as_str(), 1)).collect();
    walk(term, &known, &mut bound)
}

fn walk<'t>(
    term: &'t T,
    known: &HashSet<&str>,
    bound: &mut HashMap<&'t str, u32>,
) -> Result<(), String> {
    match &term.node {
        Node::Symbol(name) | Node::Apply(name)
            if !known.contains(name.as_str())
                && bound.get(name.as_str()).is_none_or(|&count| count == 0) =>
        {
            Err(format!("{name} is not in scope"))
        }
        Node::Let(names) => {
            for value in &term.args[..names.len()] {
                walk(value, known, bound)?;
            }
            for name in names {
                *bound.entry(name).or_default() += 1;
            }
            walk(&term.args[names.len()], known, bound)?;
            for name in names {
                *bound.entry(name).or_default() -= 1;
            }
            Ok(())
        }
        _ => term.args.iter().try_for_each(|arg| walk(arg, known, bound)),
    }
}
