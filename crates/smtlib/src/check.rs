//! Checks, and what can be asked after one: models, values, cores.

use refrain_solver::{CheckResult, Reason};
use refrain_term::{
    Assignment, Evaluator, FuncValue, Op, Sort, Term, Value, print, print_value, quote_symbol,
};

use rustc_hash::FxHashSet;

use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer};
use crate::read::{expect, unexpected};
use crate::session::{Declared, DeclaredAs, Session};

/// The last check, while nothing has changed since.
pub(crate) struct LastCheck {
    pub result: CheckResult,
    /// The assumptions of `check-sat-assuming`, as they were written.
    assumptions: Vec<(Term, Box<[u8]>)>,
}

/// A term in a list, where it begins, and how it is written.
type Listed = (usize, Term, Box<[u8]>);

impl Session {
    pub(crate) fn check_sat(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        self.check(close.at, Vec::new())
    }

    /// The standard has literals here; any formula will do.
    pub(crate) fn check_sat_assuming(&mut self, lexer: &mut Lexer) -> Result<()> {
        let listed = self.term_list(lexer)?;
        let close = expect(lexer, Kind::Close, "')'")?;
        for &(at, term, _) in &listed {
            self.of_sort(at, term, Sort::Bool)?;
        }
        self.check(
            close.at,
            listed
                .into_iter()
                .map(|(_, term, text)| (term, text))
                .collect(),
        )
    }

    /// `(t …)`: each term with its place and its text.
    fn term_list(&mut self, lexer: &mut Lexer) -> Result<Vec<Listed>> {
        let open = lexer.next_token()?;
        if open.kind != Kind::Open {
            return Err(unexpected(lexer, open, "'(' and terms"));
        }
        let mut listed = Vec::new();
        while lexer.fork().next_token()?.kind != Kind::Close {
            let (at, term) = self.read_term(lexer)?;
            self.reader.named.clear();
            listed.push((at, term, lexer.slice(at, lexer.position()).into()));
        }
        lexer.next_token()?;
        Ok(listed)
    }

    fn check(&mut self, at: usize, assumptions: Vec<(Term, Box<[u8]>)>) -> Result<()> {
        self.started = true;
        self.last_check = None;
        let expected = self.expected.take();
        let assumed: Vec<Term> = self
            .named
            .iter()
            .map(|&(_, term)| term)
            .chain(assumptions.iter().map(|&(term, _)| term))
            .collect();
        let result = match self.refusals.reason() {
            Some(reason) => {
                self.stats.not_asked += 1;
                CheckResult::Unknown(reason)
            }
            None => self.ask(&assumed).result,
        };
        let mut check = LastCheck {
            result,
            assumptions,
        };
        let answer = match &check.result {
            CheckResult::Sat(_) => "sat",
            CheckResult::Unsat(_) => "unsat",
            CheckResult::Unknown(_) => "unknown",
        };
        if self.config.check_models
            && let CheckResult::Sat(model) = &check.result
            && let Some(wrong) = self.find_violated(model, &assumed)
        {
            self.outcome.wrong_models += 1;
            let mut formula = print(&self.terms, wrong);
            if let Some((cut, _)) = formula.char_indices().nth(400) {
                formula.truncate(cut);
            }
            let reason = Reason::Failed("the model does not satisfy the assertions".to_owned());
            check.result = CheckResult::Unknown(reason);
            self.last_check = Some(check);
            let message = format!("internal error: the solver's model does not satisfy {formula}");
            return Err(Failure::new(at, message));
        }
        self.output.answer(answer);
        self.output.flush();
        if let CheckResult::Unknown(Reason::Failed(why)) = &check.result {
            self.output
                .diagnostic(format_args!("; the solver failed: {why}"));
        }
        if let CheckResult::Unknown(Reason::Disagreement(both)) = &check.result {
            self.outcome.disagreements += 1;
            self.output.diagnostic(format_args!("error: {both}"));
        }
        let differs = match (expected, &check.result) {
            (Some(expected), CheckResult::Sat(_)) => !expected,
            (Some(expected), CheckResult::Unsat(_)) => expected,
            _ => false,
        };
        if differs && self.config.check_status {
            self.outcome.status_mismatches += 1;
            let announced = if answer == "sat" { "unsat" } else { "sat" };
            let number = self.stats.checks + self.stats.not_asked;
            self.output.diagnostic(format_args!(
                "error: check {number} is {answer}, its :status is {announced}"
            ));
        }
        self.last_check = Some(check);
        Ok(())
    }

    /// Whether the last check found that answers cannot be relied on: nothing is to be asked after that.
    pub(crate) fn disagrees(&self) -> bool {
        let answer = self.last_check.as_ref().map(|check| &check.result);
        matches!(answer, Some(CheckResult::Unknown(Reason::Disagreement(_))))
    }

    /// An assertion or assumption that a model does not satisfy.
    fn find_violated(&self, model: &Assignment, assumed: &[Term]) -> Option<Term> {
        let mut evaluator = Evaluator::new();
        let mut all = self.assertions.iter().chain(assumed).copied();
        all.find(|&formula| !evaluator.bool(&self.terms, model, formula))
    }

    /// The last check's model.
    fn model(&self, at: usize) -> Result<&Assignment> {
        if !self.options.produce_models {
            let message = "models are not kept, use command (set-option :produce-models true)";
            return Err(Failure::new(at, message));
        }
        match self.last_check.as_ref().map(|check| &check.result) {
            Some(CheckResult::Sat(model)) => Ok(model),
            _ => Err(Failure::new(at, "model is not available")),
        }
    }

    pub(crate) fn get_model(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        let model = self.model(close.at)?;
        let mut text = String::from("(\n");
        for declared in self.declared_now() {
            let name = quote_symbol(self.reader.symbols.name(declared.symbol));
            match declared.what {
                DeclaredAs::Constant(term) => {
                    let Op::Var(var) = self.terms.op(term) else {
                        continue;
                    };
                    let sort = self.terms.sort(term);
                    let value = model
                        .get(var)
                        .map_or_else(|| print_value(&Value::zero(sort)), print_value);
                    text += &format!("  (define-fun {name} () {sort}\n    {value})\n");
                }
                DeclaredAs::Function(func) => {
                    let result = self.terms.func_decl(func).result;
                    let zero = FuncValue::new(Value::zero(result));
                    let value = model.func(func).unwrap_or(&zero);
                    text +=
                        &define_function(&name, &self.terms.func_decl(func).args, result, value);
                }
            }
        }
        text.push(')');
        self.output.answer(text);
        Ok(())
    }

    /// What is declared, in the order of the script. What was declared again, or defined, after `reset-assertions` is
    /// there as it is now.
    pub(crate) fn declared_now(&self) -> Vec<Declared> {
        let mut seen = FxHashSet::default();
        let mut now: Vec<Declared> = self
            .declared
            .iter()
            .rev()
            .filter(|declared| {
                let meaning = self.reader.symbols.meaning(declared.symbol);
                declared.what.is(meaning) && seen.insert(declared.symbol)
            })
            .copied()
            .collect();
        now.reverse();
        now
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
        let model = self.model(at)?;
        let mut evaluator = Evaluator::new();
        let pairs: Vec<String> = listed
            .iter()
            .map(|(_, term, text)| {
                let value = evaluator.value(&self.terms, model, *term);
                format!(
                    "({} {})",
                    String::from_utf8_lossy(text),
                    print_value(&value)
                )
            })
            .collect();
        self.output.answer(format_args!("({})", pairs.join("\n ")));
        Ok(())
    }

    pub(crate) fn get_assignment(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        let model = self.model(close.at)?;
        let mut evaluator = Evaluator::new();
        let pairs: Vec<String> = self
            .labels
            .iter()
            .map(|&(symbol, term)| {
                let value = evaluator.bool(&self.terms, model, term);
                format!(
                    "({} {value})",
                    quote_symbol(self.reader.symbols.name(symbol))
                )
            })
            .collect();
        self.output.answer(format_args!("({})", pairs.join(" ")));
        Ok(())
    }

    /// The last check's core.
    fn core(&self, at: usize) -> Result<&[Term]> {
        match self.last_check.as_ref().map(|check| &check.result) {
            Some(CheckResult::Unsat(conflict)) => Ok(&conflict.core),
            _ => Err(Failure::new(at, "unsat core is not available")),
        }
    }

    pub(crate) fn get_unsat_core(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_unsat_cores {
            let message = "unsat core construction is not enabled, use command (set-option :produce-unsat-cores true)";
            return Err(Failure::new(close.at, message));
        }
        let mut core: FxHashSet<Term> = self.core(close.at)?.iter().copied().collect();
        let mut names = Vec::new();
        for &(symbol, term) in &self.named {
            // Of several names for one formula, one is enough.
            if core.remove(&term) {
                names.push(quote_symbol(self.reader.symbols.name(symbol)));
            }
        }
        self.output.answer(format_args!("({})", names.join(" ")));
        Ok(())
    }

    pub(crate) fn get_unsat_assumptions(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_unsat_assumptions {
            let message = "unsat assumptions construction is not enabled, use command \
                           (set-option :produce-unsat-assumptions true)";
            return Err(Failure::new(close.at, message));
        }
        let mut core: FxHashSet<Term> = self.core(close.at)?.iter().copied().collect();
        let Some(check) = &self.last_check else {
            return Ok(());
        };
        let mut texts = Vec::new();
        for (term, text) in &check.assumptions {
            // One that was assumed twice is said once.
            if core.remove(term) {
                texts.push(String::from_utf8_lossy(text));
            }
        }
        self.output.answer(format_args!("({})", texts.join(" ")));
        Ok(())
    }
}

fn define_function(name: &str, args: &[Sort], result: Sort, value: &FuncValue) -> String {
    let parameters: Vec<String> = args
        .iter()
        .enumerate()
        .map(|(i, sort)| format!("(x!{i} {sort})"))
        .collect();
    let mut entries: Vec<(Vec<String>, String)> = value
        .entries()
        .filter(|&(_, result)| result != value.default())
        .map(|(args, result)| (args.iter().map(print_value).collect(), print_value(result)))
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
    text += &print_value(value.default());
    text.extend(std::iter::repeat_n(')', entries.len()));
    text.push_str(")\n");
    text
}
