//! A script through the solver under test and its peers. Answers are compared. What a model says becomes definitions,
//! with which z3 has to find the assertions satisfiable, and the values that were asked for what the terms are. Cores
//! have to be unsat again.

use super::super::oracle::{Answer, Silence};
use super::super::sexpr::Sexp;
use super::Tested;
use super::script::{Command, PREAMBLE, Script, Situation, get_values};
use super::solvers::{CVC5_PREAMBLE, LIMIT, Solver, Z3_PREAMBLE};
use super::tally::{Counts, Laggard};
use super::tree::{Node, Shape, Words};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Another answer than z3's or cvc5's.
    Answer,
    /// A model with which the assertions do not hold.
    Model,
    /// A value that the term does not have in the model.
    Value,
    /// A core that is no subset, or not unsat.
    Core,
    /// An error, a crash, or words that are no answer.
    Protocol,
    /// No answer, and no `unknown` either.
    Late,
}

pub struct Finding {
    pub kind: Kind,
    pub detail: String,
}

impl Finding {
    fn new(kind: Kind, detail: impl Into<String>) -> Finding {
        let detail = detail.into();
        Finding { kind, detail }
    }
}

/// What refrain says of values that models do not give: of quantifiers that are not expanded.
const NO_VALUE: &str = "the value depends on a quantifier";

type Judged<T = ()> = std::result::Result<T, Finding>;

/// A peer that decides a check faster than this shows that the check is not hard.
const QUICK: Duration = Duration::from_millis(100);
/// And it is slow to take longer than this.
const SLOW: Duration = Duration::from_secs(10);

pub struct Jury {
    tested: Tested,
    solver: Solver,
    z3: Solver,
    /// z3 for one question at a time.
    judge: Solver,
    cvc5: Solver,
    pub counts: Counts,
}

impl Jury {
    pub fn new(tested: &Tested) -> Jury {
        Jury {
            tested: tested.clone(),
            solver: Solver::new(&tested.command),
            z3: Solver::z3(),
            judge: Solver::z3(),
            cvc5: Solver::cvc5(),
            counts: Counts::default(),
        }
    }

    /// Starts the solver under test anew for the next script.
    pub fn forget(&mut self) {
        self.solver.stop();
    }

    /// Runs a script to its end or its first fault. `None`, too, for one that others do not understand.
    pub fn examine(&mut self, script: &Script, ask_cvc5: bool) -> Result<Option<Finding>> {
        let Some(situations) = script.situations() else {
            return Ok(None);
        };
        self.counts.scripts += 1;
        // z3 errs about datatypes of levels that are no more, and crashes on resets after any.
        let has_data = |command: &Command| matches!(command, Command::Sorts(text) if text.contains("declare-datatypes"));
        if script.commands.iter().any(has_data) {
            self.z3.stop();
        }
        let levels = script
            .commands
            .iter()
            .skip_while(|command| !matches!(command, Command::Push));
        let piecewise = { levels }.any(has_data);
        let mut answers = Vec::new();
        let mut text = PREAMBLE.to_string();
        if self.solver.is_running() {
            text.insert_str(0, "(reset)\n");
        }
        let reset = if self.z3.is_running() {
            "(reset)\n"
        } else {
            ""
        };
        let mut old_text = format!("{reset}{Z3_PREAMBLE}");
        for command in &script.commands {
            text.push_str(&command.text(Words::New));
            old_text.push_str(&command.text(Words::Old));
            if let Command::Check(..) = command {
                let situation = &situations[answers.len()];
                let z3_text = (!piecewise).then_some(&old_text[..]);
                match self.check(&text, z3_text, situation)? {
                    Ok(Some(answer)) => answers.push(answer),
                    Ok(None) => {
                        self.counts.not_understood += 1;
                        self.solver.stop();
                        return Ok(None);
                    }
                    Err(finding) => {
                        self.solver.stop();
                        self.z3.stop();
                        return Ok(Some(finding));
                    }
                }
                text.clear();
                old_text.clear();
            }
        }
        if !text.is_empty() {
            let _ = self.solver.send(&text)?;
        }
        if ask_cvc5 {
            return self.ask_cvc5(script, &situations, &answers);
        }
        Ok(None)
    }

    /// One check; `None` if z3 does not understand the script.
    fn check(
        &mut self,
        text: &str,
        z3_text: Option<&str>,
        situation: &Situation,
    ) -> Result<Judged<Option<Answer>>> {
        let start = Instant::now();
        let said = self.solver.ask(text, self.tested.limit)?;
        let took = start.elapsed();
        let start = Instant::now();
        let z3_answer = match self.ask_z3(z3_text, situation)? {
            Some(answer) => answer,
            None => return Ok(Ok(None)),
        };
        let z3_took = start.elapsed();
        let answer = match said {
            Ok(words) => match Answer::parse(&words) {
                Some(answer) => answer,
                None => return Ok(Err(Finding::new(Kind::Protocol, words))),
            },
            Err(Silence::Late) => {
                let detail = format!("z3: {z3_answer} in {:.1} s", z3_took.as_secs_f64());
                return Ok(Err(Finding::new(Kind::Late, detail)));
            }
            Err(Silence::Ended(words)) => return Ok(Err(Finding::new(Kind::Protocol, words))),
        };
        self.counts.count(answer);
        if z3_answer == Answer::Unknown {
            self.counts.undecided += 1;
        }
        let is_easy = z3_answer != Answer::Unknown && z3_took < QUICK;
        let mut reason = None;
        if answer == Answer::Unknown {
            let asked = self
                .solver
                .ask("(get-info :reason-unknown)\n", self.tested.limit)?;
            let said = asked.unwrap_or_else(|silence| format!("{silence:?}"));
            *self.counts.reasons.entry(said.clone()).or_default() += 1;
            reason = Some(said);
        } else if took > SLOW {
            reason = Some("slow".to_string());
        }
        if is_easy && let Some(reason) = reason {
            let detail = format!("z3: {z3_answer} in {:.0} ms", z3_took.as_secs_f64() * 1e3);
            self.counts.laggards.push(Laggard {
                reason,
                detail,
                seconds: took.as_secs_f64(),
                text: situation.text(),
            });
        }
        let judged = match answer {
            Answer::Sat => self.judge_model(situation)?,
            Answer::Unsat => self.judge_core(situation)?,
            Answer::Unknown => Ok(false),
        };
        if answer.contradicts(z3_answer) {
            // A model with which z3 itself finds the assertions satisfiable convicts z3.
            let confirmed = answer == Answer::Sat && matches!(judged, Ok(true));
            let third = self.cvc5.decide(CVC5_PREAMBLE, &situation.text())?;
            let text = situation.without_constant_arrays().text();
            let again = self.judge.decide(Z3_PREAMBLE, &text)?;
            let detail = format!(
                "{answer}, z3 says {z3_answer}, without constant arrays {again:?}, cvc5 {third:?}"
            );
            if confirmed || third == Ok(answer) || again == Ok(answer) && third != Ok(z3_answer) {
                self.counts
                    .disputes
                    .push(format!("; {detail}\n{}", situation.text()));
                return Ok(Ok(Some(answer)));
            }
            return Ok(Err(Finding::new(Kind::Answer, detail)));
        }
        Ok(judged.map(|_| Some(answer)))
    }

    /// What z3 says, of the script's next commands or of all that holds there; `None` if it does not understand, or
    /// will not hear the rest.
    fn ask_z3(&mut self, text: Option<&str>, situation: &Situation) -> Result<Option<Answer>> {
        let said = match text {
            None => self.judge.decide(Z3_PREAMBLE, &situation.text())?,
            Some(text) => match self.z3.ask(text, LIMIT)? {
                Ok(words) => Answer::parse(&words).ok_or(words),
                Err(_) => return Ok(None),
            },
        };
        Ok(said
            .inspect_err(|words| {
                self.counts.complaints.insert(words.clone());
                self.z3.stop();
            })
            .ok())
    }

    /// The whole script once more, through cvc5.
    fn ask_cvc5(
        &mut self,
        script: &Script,
        situations: &[Situation],
        answers: &[Answer],
    ) -> Result<Option<Finding>> {
        let mut text = format!("(reset)\n{CVC5_PREAMBLE}");
        for command in &script.commands {
            text.push_str(&command.text(Words::Old));
        }
        if self.cvc5.send(&text)?.is_err() {
            return Ok(None);
        }
        for (situation, &answer) in situations.iter().zip(answers) {
            let said = match self.cvc5.answer(LIMIT) {
                Ok(words) => Answer::parse(&words),
                Err(_) => None,
            };
            let Some(other) = said else {
                self.counts.cvc5_complained += 1;
                self.cvc5.stop();
                return Ok(None);
            };
            if other == answer && other != Answer::Unknown {
                self.counts.twice_confirmed += 1;
            }
            if answer.contradicts(other) {
                let third = self.judge.decide(Z3_PREAMBLE, &situation.text())?;
                let detail = format!("{answer}, cvc5 says {other}, z3 {third:?}");
                if third == Ok(answer) {
                    self.counts
                        .disputes
                        .push(format!("; {detail}\n{}", situation.text()));
                } else {
                    return Ok(Some(Finding::new(Kind::Answer, detail)));
                }
            }
        }
        Ok(None)
    }

    fn said(&mut self, command: &str) -> Result<Judged<Sexp>> {
        let limit = self.tested.limit;
        Ok(match self.solver.ask(&format!("{command}\n"), limit)? {
            Ok(words) => match Sexp::parse(&words) {
                Ok(sexp)
                    if sexp
                        .list()
                        .is_ok_and(|list| list.first().and_then(Sexp::atom) == Some("error")) =>
                {
                    Err(Finding::new(Kind::Protocol, format!("{command}: {words}")))
                }
                Ok(sexp) => Ok(sexp),
                Err(why) => Err(Finding::new(Kind::Protocol, format!("{command}: {why}"))),
            },
            Err(Silence::Late) => Err(Finding::new(Kind::Late, command)),
            Err(Silence::Ended(words)) => {
                Err(Finding::new(Kind::Protocol, format!("{command}: {words}")))
            }
        })
    }

    /// Whether z3 finds that the model is one; an error if it finds that it is not.
    fn judge_model(&mut self, situation: &Situation) -> Result<Judged<bool>> {
        let model = match self.said("(get-model)")? {
            Ok(model) => model,
            Err(finding) => return Ok(Err(finding)),
        };
        let mut values = Sexp::List(Vec::new());
        let mut asked = situation.values.as_slice();
        if !asked.is_empty() {
            values = match self.said(&get_values(asked))? {
                Ok(values) => values,
                Err(finding) if finding.detail.contains(NO_VALUE) => {
                    asked = &[];
                    values
                }
                // While a script is made smaller, terms lose their symbols.
                Err(_) if !self.are_terms(situation)? => return Ok(Ok(false)),
                Err(finding) => return Ok(Err(finding)),
            };
        }
        let mut universe = Universe::default();
        let text = match with_model(situation, &model, &mut universe) {
            Ok(text) => text,
            Err(why) => return Ok(Err(Finding::new(Kind::Model, format!("{why} in {model}")))),
        };
        let values: Vec<String> = match values.list() {
            Ok(pairs) if pairs.len() == asked.len() => pairs
                .iter()
                .map(|pair| match pair.list() {
                    Ok([_, value]) => universe.text(value),
                    _ => String::new(),
                })
                .collect(),
            _ => return Ok(Err(Finding::new(Kind::Value, format!("{values}")))),
        };
        let text = format!("{}{}{text}", situation.head(), universe.declarations());
        let texts = asked.iter().map(|node| node.text(Words::Old));
        let pairs: Vec<String> = texts
            .zip(&values)
            .map(|(term, value)| format!("(= {term} {value})"))
            .collect();
        let fixed = asked.iter().zip(&pairs);
        let fixed = fixed.filter(|(node, _)| is_fixed(node));
        let fixed: Vec<&str> = fixed.map(|(_, pair)| pair.as_str()).collect();
        let mut questions = vec![String::new()];
        if !pairs.is_empty() {
            questions.push(format!("(assert (and true {}))\n", pairs.join(" ")));
        }
        if !fixed.is_empty() {
            questions.push(format!("(assert (not (and true {})))\n", fixed.join(" ")));
        }
        let answers = match self.judge.decide_each(Z3_PREAMBLE, &text, &questions)? {
            Ok(answers) => answers,
            Err(words) => {
                let detail = format!("z3 says {words} of the model\n{text}");
                return Ok(Err(Finding::new(Kind::Model, detail)));
            }
        };
        let expected = [Answer::Sat, Answer::Sat, Answer::Unsat];
        for (place, (answer, expected)) in answers.into_iter().zip(expected).enumerate() {
            let kind = if place == 0 { Kind::Model } else { Kind::Value };
            if answer == Answer::Unknown {
                return Ok(Ok(false));
            }
            if answer != expected {
                let detail = format!(
                    "z3 says {answer} of the {kind:?}\n{text}{}",
                    questions[place]
                );
                return Ok(Err(Finding::new(kind, detail)));
            }
            match kind {
                Kind::Model => self.counts.models += 1,
                _ => self.counts.values += 1,
            }
        }
        Ok(Ok(true))
    }

    /// Whether z3 understands the terms that values are asked of.
    fn are_terms(&mut self, situation: &Situation) -> Result<bool> {
        let mut text = situation.text();
        for node in &situation.values {
            let node = node.text(Words::Old);
            let _ = writeln!(text, "(assert (= {node} {node}))");
        }
        Ok(self.judge.decide(Z3_PREAMBLE, &text)?.is_ok())
    }

    /// Whether cvc5 finds something unsat, or z3 does in other words.
    fn is_unsat_after_all(&mut self, situation: &Situation) -> Result<bool> {
        let text = situation.without_constant_arrays().text();
        Ok(
            self.cvc5.decide(CVC5_PREAMBLE, &situation.text())? == Ok(Answer::Unsat)
                || self.judge.decide(Z3_PREAMBLE, &text)? == Ok(Answer::Unsat),
        )
    }

    /// Whether z3 finds what is said to be unsat so; an error if it finds otherwise.
    fn judge_core(&mut self, situation: &Situation) -> Result<Judged<bool>> {
        let mut smaller = Vec::new();
        if situation.asserted.iter().any(|(_, name)| name.is_some()) {
            let core = match self.said("(get-unsat-core)")? {
                Ok(core) => core,
                Err(finding) => return Ok(Err(finding)),
            };
            let mut left = situation.clone();
            let said =
                BTreeSet::from_iter(core.list().unwrap_or_default().iter().map(Sexp::to_string));
            left.asserted
                .retain(|(_, name)| name.as_ref().is_none_or(|name| said.contains(name)));
            let known = situation
                .asserted
                .iter()
                .filter_map(|(_, name)| name.as_ref());
            if !said.is_subset(&known.cloned().collect()) {
                return Ok(Err(Finding::new(
                    Kind::Core,
                    format!("strange names in {core}"),
                )));
            }
            smaller.push((left, core));
        }
        if !situation.assumed.is_empty() {
            let core = match self.said("(get-unsat-assumptions)")? {
                Ok(core) => core,
                Err(finding) => return Ok(Err(finding)),
            };
            let mut left = situation.clone();
            let said =
                BTreeSet::from_iter(core.list().unwrap_or_default().iter().map(Sexp::to_string));
            left.assumed
                .retain(|node| said.contains(&node.text(Words::New)));
            let known = situation.assumed.iter().map(|node| node.text(Words::New));
            if !said.is_subset(&known.collect()) {
                return Ok(Err(Finding::new(
                    Kind::Core,
                    format!("strange assumptions in {core}"),
                )));
            }
            smaller.push((left, core));
        }
        for (left, core) in smaller {
            match self.judge.decide(Z3_PREAMBLE, &left.text())? {
                Ok(Answer::Unsat) => self.counts.cores += 1,
                Ok(Answer::Unknown) => {}
                Ok(Answer::Sat) if self.is_unsat_after_all(&left)? => {
                    self.counts.disputes.push(left.text());
                }
                answer => {
                    let detail = format!("z3 says {answer:?} of the core {core}");
                    return Ok(Err(Finding::new(Kind::Core, detail)));
                }
            }
        }
        Ok(Ok(true))
    }
}

/// The elements of declared sorts that a model speaks of: each becomes a symbol.
#[derive(Default)]
struct Universe {
    elements: BTreeMap<String, Vec<String>>,
}

impl Universe {
    /// The text with symbols for `(as @name Sort)`.
    fn text(&mut self, sexp: &Sexp) -> String {
        let mut out = String::new();
        self.write(sexp, &mut out);
        out
    }

    fn write(&mut self, sexp: &Sexp, out: &mut String) {
        let Sexp::List(items) = sexp else {
            let _ = write!(out, "{sexp}");
            return;
        };
        if let [Sexp::Atom(head), Sexp::Atom(name), sort] = items.as_slice()
            && head == "as"
            && name.starts_with('@')
        {
            let elements = self.elements.entry(sort.to_string()).or_default();
            if !elements.contains(name) {
                elements.push(name.clone());
            }
            let _ = write!(out, "|element {name}|");
            return;
        }
        out.push('(');
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                out.push(' ');
            }
            self.write(item, out);
        }
        out.push(')');
    }

    fn declarations(&self) -> String {
        let mut text = String::new();
        for (sort, elements) in &self.elements {
            for element in elements {
                let _ = writeln!(text, "(declare-fun |element {element}| () {sort})");
            }
            if elements.len() > 1 {
                let names: Vec<String> = elements
                    .iter()
                    .map(|name| format!("|element {name}|"))
                    .collect();
                let _ = writeln!(text, "(assert (distinct {}))", names.join(" "));
            }
        }
        text
    }
}

/// The situation with the model's definitions in the place of declarations.
fn with_model(
    situation: &Situation,
    model: &Sexp,
    universe: &mut Universe,
) -> std::result::Result<String, String> {
    let mut bodies = BTreeMap::new();
    for definition in model.list()? {
        let items = definition.list()?;
        let [Sexp::Atom(_), Sexp::Atom(name), ..] = items else {
            return Err(format!("not a definition: {definition}"));
        };
        bodies.insert(name.as_str(), definition);
    }
    let mut text = String::new();
    for signature in &situation.declared {
        let definition = bodies.get(signature.name.as_str());
        let definition = definition.ok_or_else(|| format!("{} is missing", signature.name))?;
        let _ = writeln!(text, "{}", universe.text(definition));
    }
    for definition in &situation.defined {
        text.push_str(&definition.text(Words::Old));
    }
    for node in situation.formulas() {
        let _ = writeln!(text, "(assert {})", node.text(Words::Old));
    }
    Ok(text)
}

/// Whether a model fixes the value of a term: it does not say what division by zero gives, nor what a selector gives
/// for the data of another constructor, and definitions may contain either.
fn is_fixed(node: &Node) -> bool {
    !node.any(&mut |node| match &node.shape {
        Shape::Plain(head) => {
            let is_defined = head
                .strip_prefix('m')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let divides = (head == "div" || head == "mod") && node.args[1].text(Words::Old) == "0";
            head.starts_with("sel") && head != "select" || is_defined || divides
        }
        Shape::Quantifier(_) => true,
        _ => false,
    })
}
