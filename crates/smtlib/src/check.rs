//! Checks, and what can be asked after one: models, values, cores.

use refrain_solver::{CheckResult, Outcome, Reason};
use refrain_term::{Assignment, Evaluator, FuncValue, Sort, Term, Value, print, quote_symbol};

use rustc_hash::FxHashSet;

use crate::bytes;
use crate::checks::Assumptions;
use crate::coded::values::Elements;
use crate::commands::QUANTIFIERS;
use crate::declarations::DeclaredAs;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer, Token};
use crate::read::{expect, skip_expression, unexpected};
use crate::session::Session;
use crate::sorts::of_sort;

/// A term in a list, where it begins, and how it is written.
type Listed = (usize, Term, Box<[u8]>);

impl Session {
    /// z3 takes assumptions here, too.
    pub(crate) fn check_sat(&mut self, lexer: &mut Lexer) -> Result<()> {
        let listed = self.terms_to_close(lexer)?;
        self.check_assuming(lexer, listed)
    }

    /// z3's check by a tactic. Which one, and its parameters, make no difference here.
    pub(crate) fn check_sat_using(&mut self, lexer: &mut Lexer) -> Result<()> {
        skip_expression(lexer)?;
        let close = skip_parameters(lexer)?;
        self.check(close.at, Vec::new())
    }

    /// The standard has literals here; any formula will do.
    pub(crate) fn check_sat_assuming(&mut self, lexer: &mut Lexer) -> Result<()> {
        let listed = self.term_list(lexer)?;
        self.check_assuming(lexer, listed)
    }

    fn check_assuming(&mut self, lexer: &mut Lexer, listed: Vec<Listed>) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        for &(at, term, _) in &listed {
            of_sort(&mut self.terms, at, term, Sort::Bool)?;
        }
        let listed = listed.into_iter();
        self.check(
            close.at,
            listed.map(|(_, term, text)| (term, text)).collect(),
        )
    }

    /// `(t …)`: each term with its place and its text.
    fn term_list(&mut self, lexer: &mut Lexer) -> Result<Vec<Listed>> {
        let open = lexer.next_token()?;
        if open.kind != Kind::Open {
            return Err(unexpected(lexer, open, "'(' and terms"));
        }
        let listed = self.terms_to_close(lexer)?;
        lexer.next_token()?;
        Ok(listed)
    }

    /// Terms up to a parenthesis, which is left.
    fn terms_to_close(&mut self, lexer: &mut Lexer) -> Result<Vec<Listed>> {
        let mut listed = Vec::new();
        while lexer.fork().next_token()?.kind != Kind::Close {
            let (at, term) = self.declarations.read_term(&mut self.terms, lexer)?;
            listed.push((at, term, lexer.slice(at, lexer.position()).into()));
        }
        Ok(listed)
    }

    fn check(&mut self, at: usize, assumptions: Assumptions) -> Result<()> {
        self.options.started = true;
        // A model that nobody holds can be changed in place.
        self.checks.forget();
        let announced = self.options.status.take();
        let assumed: Vec<Term> = { self.levels.named().iter().map(|&(_, term)| term) }
            .chain(assumptions.iter().map(|&(term, _)| term))
            .collect();
        let result = match self.levels.missing() {
            Some(reason) => {
                self.meter.stats.not_asked += 1;
                CheckResult::Unknown(reason)
            }
            None => {
                // Assumptions are those of this check alone.
                let mut are_complete = true;
                for (term, _) in &assumptions {
                    are_complete &= self.assert_witnesses(*term);
                }
                if self.declarations.any_coded() {
                    assumptions
                        .iter()
                        .for_each(|&(term, _)| self.axioms.assume(term));
                    self.assert_axioms();
                }
                let result = self.ask(&assumed).result;
                let is_sat = matches!(result, CheckResult::Sat(_));
                let incomplete = self.axioms.incomplete();
                let incomplete = incomplete.or((!are_complete).then_some(QUANTIFIERS));
                match (incomplete, self.levels.missing_objective()) {
                    (Some(why), _) if is_sat => {
                        CheckResult::Unknown(Reason::Incomplete(why.to_owned()))
                    }
                    (_, Some(reason)) if is_sat => CheckResult::Unknown(reason),
                    _ => result,
                }
            }
        };
        let all = self.levels.assertions().iter().chain(&assumed).copied();
        if let Some(wrong) = self.checks.violated(&self.terms, &result, all) {
            self.reports.wrong_model();
            let reason = Reason::Failed("the model does not satisfy the assertions".to_owned());
            self.checks.keep(CheckResult::Unknown(reason), assumptions);
            let mut formula = print(&self.terms, wrong);
            if let Some((cut, _)) = formula.char_indices().nth(400) {
                formula.truncate(cut);
            }
            let message = format!("internal error: the solver's model does not satisfy {formula}");
            return Err(Failure::new(at, message));
        }
        let answer = match &result {
            CheckResult::Sat(_) => "sat",
            CheckResult::Unsat(_) => "unsat",
            CheckResult::Unknown(_) => "unknown",
        };
        self.reports.answer(answer);
        self.reports.flush();
        match &result {
            CheckResult::Unknown(Reason::Failed(why)) => self.reports.solver_failed(why),
            CheckResult::Unknown(Reason::Disagreement(both)) => self.reports.disagreement(both),
            _ => {}
        }
        if let Some(announced) = self.checks.announced_otherwise(announced, &result) {
            let check = self.meter.stats.checks + self.meter.stats.not_asked;
            self.reports.status_mismatch(check, answer, announced);
        }
        self.proofs.checked(matches!(result, CheckResult::Unsat(_)));
        self.checks.keep(result, assumptions);
        Ok(())
    }

    fn ask(&mut self, assumed: &[Term]) -> Outcome {
        self.reports.flush();
        let started = self.meter.begin_solving();
        let outcome = self
            .checks
            .ask(&mut self.terms, assumed, &self.options, started);
        self.meter.count_check(&outcome);
        outcome
    }

    /// The last check's model.
    fn model(&self, at: usize) -> Result<&Assignment> {
        if !self.options.produce_models {
            let message = "models are not kept, use command (set-option :produce-models true)";
            return Err(Failure::new(at, message));
        }
        self.checks.model(at)
    }

    pub(crate) fn get_model(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        self.model(close.at)?;
        let mut text = String::from("(\n");
        let Session {
            declarations,
            checks,
            axioms,
            terms,
            ..
        } = self;
        let model = checks.model(close.at)?;
        let mut elements = Elements::new(terms, declarations.script(axioms), model);
        for declared in declarations.now() {
            let name = quote_symbol(&declarations.name(declared.symbol));
            let (func, args, result) = match declared.what {
                DeclaredAs::Constant(term) => {
                    let sort = elements.terms().sort(term);
                    let value = elements.value(term);
                    let value = elements.text(sort, &value);
                    text += &format!("  (define-fun {name} () {sort}\n    {value})\n");
                    continue;
                }
                DeclaredAs::Function(func) => {
                    let decl = elements.terms().func_decl(func);
                    (func, decl.args.to_vec(), decl.result)
                }
                DeclaredAs::Above(func, known) => {
                    let (args, result) = declarations.signature(elements.terms(), known);
                    (func, args.to_vec(), result)
                }
            };
            let zero = || FuncValue::new(Value::zero(result));
            let value = elements.function(func).cloned().unwrap_or_else(zero);
            text += &define_function(&mut elements, &name, &args, result, &value);
        }
        text.push(')');
        self.reports.answer(text);
        Ok(())
    }

    pub(crate) fn get_value(&mut self, lexer: &mut Lexer) -> Result<()> {
        let start = lexer.position();
        let listed = self.term_list(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        let at = Lexer::new(lexer.slice(0, lexer.end()), start)
            .next_token()?
            .at;
        if listed.is_empty() {
            return Err(Failure::new(at, "at least one term is needed"));
        }
        self.model(at)?;
        for &(at, term, _) in &listed {
            self.need_value(at, term)?;
        }
        let Session {
            declarations,
            checks,
            axioms,
            terms,
            ..
        } = self;
        let model = checks.model(at)?;
        let mut elements = Elements::new(terms, declarations.script(axioms), model);
        let pairs: Vec<String> = listed
            .iter()
            .map(|(_, term, text)| {
                let (sort, value) = (elements.terms().sort(*term), elements.value(*term));
                let value = elements.text(sort, &value);
                format!("({} {value})", bytes::text(text))
            })
            .collect();
        self.reports.answer(format_args!("({})", pairs.join("\n ")));
        Ok(())
    }

    /// The standard allows no quantifiers here; those that were expanded do no harm.
    fn need_value(&self, at: usize, term: Term) -> Result<()> {
        match self.declarations.have_values(&self.terms, term) {
            true => Ok(()),
            false => {
                let message =
                    "the value depends on a quantifier over more values than can be tried";
                Err(Failure::new(at, message))
            }
        }
    }

    /// z3's command for the value of one term.
    pub(crate) fn eval(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (at, term) = self.declarations.read_term(&mut self.terms, lexer)?;
        skip_parameters(lexer)?;
        self.model(at)?;
        self.need_value(at, term)?;
        let Session {
            declarations,
            checks,
            axioms,
            terms,
            ..
        } = self;
        let model = checks.model(at)?;
        let mut elements = Elements::new(terms, declarations.script(axioms), model);
        let (sort, value) = (elements.terms().sort(term), elements.value(term));
        let value = elements.text(sort, &value);
        self.reports.answer(value);
        Ok(())
    }

    pub(crate) fn get_assignment(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        let model = self.model(close.at)?;
        let mut evaluator = Evaluator::new();
        // What is asserted is true, whatever it depends on.
        let is_known = |term: Term| {
            self.declarations.have_values(&self.terms, term)
                || self.levels.assertions().contains(&term)
        };
        let labels = self.levels.labels().iter();
        let pairs: Vec<String> = labels
            .filter(|&&(_, term)| is_known(term))
            .map(|&(symbol, term)| {
                let value = evaluator.bool(&self.terms, model, term);
                format!(
                    "({} {value})",
                    quote_symbol(&self.declarations.name(symbol))
                )
            })
            .collect();
        self.reports.answer(format_args!("({})", pairs.join(" ")));
        Ok(())
    }

    pub(crate) fn get_unsat_core(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_unsat_cores {
            let message = "unsat core construction is not enabled, use command (set-option :produce-unsat-cores true)";
            return Err(Failure::new(close.at, message));
        }
        let (core, _) = self.checks.core(close.at)?;
        let mut core: FxHashSet<Term> = core.iter().copied().collect();
        let mut names = Vec::new();
        for &(symbol, term) in self.levels.named() {
            // Of several names for one formula, one is enough.
            if core.remove(&term) {
                names.push(quote_symbol(&self.declarations.name(symbol)));
            }
        }
        self.reports.answer(format_args!("({})", names.join(" ")));
        Ok(())
    }

    pub(crate) fn get_unsat_assumptions(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_unsat_assumptions {
            let message = "unsat assumptions construction is not enabled, use command \
                           (set-option :produce-unsat-assumptions true)";
            return Err(Failure::new(close.at, message));
        }
        let (core, assumptions) = self.checks.core(close.at)?;
        let mut core: FxHashSet<Term> = core.iter().copied().collect();
        let mut texts = Vec::new();
        for (term, text) in assumptions {
            // One that was assumed twice is said once.
            if core.remove(term) {
                texts.push(bytes::text(text));
            }
        }
        self.reports.answer(format_args!("({})", texts.join(" ")));
        Ok(())
    }
}

/// `:keyword value …` up to the parenthesis of a command.
fn skip_parameters(lexer: &mut Lexer) -> Result<Token> {
    loop {
        let token = lexer.next_token()?;
        match token.kind {
            Kind::Close => return Ok(token),
            Kind::Keyword => skip_expression(lexer)?,
            _ => return Err(unexpected(lexer, token, "a parameter or ')'")),
        };
    }
}

fn define_function(
    elements: &mut Elements,
    name: &str,
    args: &[Sort],
    result: Sort,
    value: &FuncValue,
) -> String {
    let parameters: Vec<String> = args
        .iter()
        .enumerate()
        .map(|(i, sort)| format!("(x!{i} {sort})"))
        .collect();
    let mut entries: Vec<(Vec<String>, String)> = value
        .entries()
        .filter(|&(_, result)| result != value.default())
        .map(|(values, value)| {
            let values = args.iter().zip(values.iter());
            let values = values.map(|(&sort, value)| elements.text(sort, value));
            (values.collect(), elements.text(result, value))
        })
        .collect();
    entries.sort_unstable();
    let mut text = format!(
        "  (define-fun {name} ({}) {result}\n    ",
        parameters.join(" ")
    );
    for (args, result) in &entries {
        let tests: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, arg)| format!("(= x!{i} {arg})"))
            .collect();
        let test = if let [test] = &tests[..] {
            test.clone()
        } else {
            format!("(and {})", tests.join(" "))
        };
        text += &format!("(ite {test} {result}\n    ");
    }
    text += &elements.text(result, value.default());
    text.extend(std::iter::repeat_n(')', entries.len()));
    text.push_str(")\n");
    text
}
