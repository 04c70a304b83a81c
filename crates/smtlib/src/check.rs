//! Checks, and what can be asked after one: models, values, cores.

use refrain_solver::{CheckResult, Outcome, Reason};
use refrain_term::{
    Assignment, Evaluator, FuncValue, Sort, Term, Value, print, print_value_of, quote_symbol,
};

use rustc_hash::FxHashSet;

use crate::checks::Assumptions;
use crate::declarations::DeclaredAs;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer};
use crate::read::{expect, unexpected};
use crate::session::Session;
use crate::sorts::of_sort;

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
        let mut listed = Vec::new();
        while lexer.fork().next_token()?.kind != Kind::Close {
            let (at, term) = self.declarations.read_term(&mut self.terms, lexer)?;
            listed.push((at, term, lexer.slice(at, lexer.position()).into()));
        }
        lexer.next_token()?;
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
            None => self.ask(&assumed).result,
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
        let model = self.model(close.at)?;
        let mut evaluator = Evaluator::new();
        let mut text = String::from("(\n");
        for declared in self.declarations.now() {
            let name = quote_symbol(self.declarations.name(declared.symbol));
            match declared.what {
                DeclaredAs::Constant(term) => {
                    let sort = self.terms.sort(term);
                    let value = evaluator.value(&self.terms, model, term);
                    let value = print_value_of(sort, &value);
                    text += &format!("  (define-fun {name} () {sort}\n    {value})\n");
                }
                DeclaredAs::Function(func) => {
                    let decl = self.terms.func_decl(func);
                    let zero = FuncValue::new(Value::zero(decl.result));
                    let value = model.func(func).unwrap_or(&zero);
                    text += &define_function(&name, &decl.args, decl.result, value);
                }
                DeclaredAs::Above(func, known) => {
                    let zero = FuncValue::new(Value::zero(self.terms.func_decl(func).result));
                    let value = model.func(func).unwrap_or(&zero);
                    let (args, result) = self.declarations.signature(&self.terms, known);
                    text += &define_function(&name, args, result, value);
                }
            }
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
        let model = self.model(at)?;
        let mut evaluator = Evaluator::new();
        let pairs: Vec<String> = listed
            .iter()
            .map(|(_, term, text)| {
                let value = evaluator.value(&self.terms, model, *term);
                format!(
                    "({} {})",
                    String::from_utf8_lossy(text),
                    print_value_of(self.terms.sort(*term), &value)
                )
            })
            .collect();
        self.reports.answer(format_args!("({})", pairs.join("\n ")));
        Ok(())
    }

    pub(crate) fn get_assignment(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        let model = self.model(close.at)?;
        let mut evaluator = Evaluator::new();
        let pairs: Vec<String> = self
            .levels
            .labels()
            .iter()
            .map(|&(symbol, term)| {
                let value = evaluator.bool(&self.terms, model, term);
                format!("({} {value})", quote_symbol(self.declarations.name(symbol)))
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
                names.push(quote_symbol(self.declarations.name(symbol)));
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
                texts.push(String::from_utf8_lossy(text));
            }
        }
        self.reports.answer(format_args!("({})", texts.join(" ")));
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
        .map(|(values, value)| {
            let values = args.iter().zip(values.iter());
            let values = values.map(|(&sort, value)| print_value_of(sort, value));
            (values.collect(), print_value_of(result, value))
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
    text += &print_value_of(result, value.default());
    text.extend(std::iter::repeat_n(')', entries.len()));
    text.push_str(")\n");
    text
}
