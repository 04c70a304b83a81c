//! The commands. Each is read to its closing parenthesis before it has any effect: a command with an error in it does
//! nothing.

use refrain_term::{Sort, Term, Terms};

use crate::bytes;
use crate::coded::axioms::Axioms;
use crate::declarations::{Declarations, Labels};
use crate::error::{Failure, Result};
use crate::levels::Levels;
use crate::lexer::{Kind, Lexer, Token};
use crate::options::Options;
use crate::read::{decimal, expect, symbol_bytes, unexpected};
use crate::session::Session;
use crate::sorts::with_article;
use crate::symbols::Symbol;

/// Whether the name of a logic stands for theories that are known here, and whether its numerals are real.
fn logic(name: &str) -> Option<bool> {
    if matches!(name, "ALL" | "QF_ALL" | "QF_BOOL" | "QF_AX" | "HORN") {
        return Some(false);
    }
    let mut rest = name.strip_prefix("QF_").unwrap_or(name);
    if rest.is_empty() {
        return None;
    }
    for theory in ["AX", "A", "UF", "DT", "BV", "FP"] {
        rest = rest.strip_prefix(theory).unwrap_or(rest);
    }
    let numbers = ["", "IDL", "LIA", "NIA", "LIRA", "NIRA", "RDL", "LRA", "NRA"];
    let place = numbers.iter().position(|&numbers| numbers == rest)?;
    Some(place >= 6)
}

/// More levels than this in one command are a mistake.
const MAX_LEVELS: u64 = 1 << 20;

/// Why what satisfies an abstraction of quantifiers may still be no model.
pub(crate) const QUANTIFIERS: &str = "quantifiers";

impl Session {
    /// Runs the command whose parenthesis has been read; whether it ends the session.
    pub(crate) fn execute(&mut self, lexer: &mut Lexer) -> Result<bool> {
        let token = lexer.next_token()?;
        match symbol_bytes(lexer, token, "a command")? {
            b"assert" => self.assert(lexer)?,
            b"check-sat" => {
                self.check_sat(lexer)?;
                return Ok(self.checks.disagrees());
            }
            b"check-sat-assuming" => {
                self.check_sat_assuming(lexer)?;
                return Ok(self.checks.disagrees());
            }
            b"check-sat-using" => {
                self.check_sat_using(lexer)?;
                return Ok(self.checks.disagrees());
            }
            b"push" => self.push(lexer)?,
            b"pop" => self.pop(lexer)?,
            b"declare-const" => self.declare(lexer, Declarations::declare_const)?,
            b"declare-fun" => self.declare(lexer, Declarations::declare_fun)?,
            b"define-const" => self.declare(lexer, Declarations::define_const)?,
            b"define-fun" => self.declare(lexer, Declarations::define_fun)?,
            b"define-fun-rec" => self.declare(lexer, Declarations::define_fun_rec)?,
            b"define-sort" => self.declare(lexer, Declarations::define_sort)?,
            b"declare-sort" => self.declare(lexer, Declarations::declare_sort)?,
            b"declare-datatype" => self.declare(lexer, Declarations::declare_datatype)?,
            b"declare-datatypes" => self.declare(lexer, Declarations::declare_datatypes)?,
            b"set-info" => self.set_info(lexer)?,
            b"set-option" => self.set_option(lexer)?,
            b"set-logic" => self.set_logic(lexer)?,
            b"get-info" => return self.get_info(lexer).map(|()| false),
            b"get-option" => return self.get_option(lexer).map(|()| false),
            b"get-model" => return self.get_model(lexer).map(|()| false),
            b"get-value" => return self.get_value(lexer).map(|()| false),
            b"eval" => return self.eval(lexer).map(|()| false),
            b"get-assignment" => return self.get_assignment(lexer).map(|()| false),
            b"get-unsat-core" => return self.get_unsat_core(lexer).map(|()| false),
            b"get-unsat-assumptions" => return self.get_unsat_assumptions(lexer).map(|()| false),
            b"get-proof" => return self.get_proof(lexer).map(|()| false),
            b"get-assertions" => return self.get_assertions(lexer).map(|()| false),
            b"simplify" => return self.simplify(lexer).map(|()| false),
            b"echo" => return self.echo(lexer).map(|()| false),
            b"reset" => {
                expect(lexer, Kind::Close, "')'")?;
                self.reset();
            }
            b"reset-assertions" => {
                expect(lexer, Kind::Close, "')'")?;
                self.reset_assertions();
            }
            b"exit" => {
                expect(lexer, Kind::Close, "')'")?;
                self.succeed();
                return Ok(true);
            }
            name @ (b"minimize" | b"maximize" | b"assert-soft" | b"get-objectives") => {
                let name = bytes::text(name);
                let message = format!("optimisation is not supported: no '{name}'");
                return Err(Failure::new(token.at, message));
            }
            name => {
                let name = bytes::text(name).into_owned();
                return Err(Failure::unsupported(token.at, name));
            }
        }
        self.succeed();
        Ok(false)
    }

    /// The answer of a command that has no other.
    fn succeed(&mut self) {
        if self.options.print_success {
            self.reports.answer("success");
        }
    }

    /// Something changes: models and cores of the last check are gone.
    fn change(&mut self) {
        self.checks.forget();
        self.options.started = true;
    }

    fn set_logic(&mut self, lexer: &mut Lexer) -> Result<()> {
        let token = lexer.next_token()?;
        let name = bytes::text(symbol_bytes(lexer, token, "a logic")?).into_owned();
        expect(lexer, Kind::Close, "')'")?;
        if self.options.logic.is_some() {
            return Err(Failure::new(token.at, "the logic has already been set"));
        }
        if self.options.started {
            return Err(Failure::new(
                token.at,
                "the logic must be set before anything is declared or asserted",
            ));
        }
        let Some(is_real) = logic(&name) else {
            return Err(Failure::new(
                token.at,
                format!(
                    "logic {name} is not supported; known are ALL and those of arrays (A), functions (UF), datatypes \
                     (DT), bit-vectors (BV), floats (FP) and numbers (IDL, RDL, LIA, LRA, LIRA, NIA, NRA, NIRA), as in \
                     QF_AUFBV"
                ),
            ));
        };
        if is_real {
            self.declarations.set_numerals(Sort::Real);
        }
        self.options.logic = Some(name);
        Ok(())
    }

    /// Declares or defines something.
    fn declare(
        &mut self,
        lexer: &mut Lexer,
        how: fn(&mut Declarations, &mut Terms, &mut Lexer) -> Result<Labels>,
    ) -> Result<()> {
        let labels = how(&mut self.declarations, &mut self.terms, lexer)?;
        self.levels.label(labels);
        self.options.started = true;
        Ok(())
    }

    // The assertion stack.

    fn assert(&mut self, lexer: &mut Lexer) -> Result<()> {
        let text = match self.options.produce_assertions {
            true => None,
            false => self.declarations.text_to_recall(lexer),
        };
        let Some(text) = text else {
            return self.read_assertion(lexer).map(|_| ());
        };
        if let Some(formula) = self.declarations.recall(text) {
            lexer.advance(text.len());
            self.assert_formula(formula, None);
            return Ok(());
        }
        let end = lexer.position() + text.len();
        let (formula, named) = self.read_assertion(lexer)?;
        if lexer.position() != end {
            self.declarations.not_one_assertion();
        } else if !named {
            self.declarations.remember(text, formula);
        }
        Ok(())
    }

    /// Reads and asserts a formula; the formula, and whether anything in it is named.
    fn read_assertion(&mut self, lexer: &mut Lexer) -> Result<(Term, bool)> {
        let before = lexer.position();
        let formula = self.declarations.read(&mut self.terms, lexer)?;
        let after = lexer.position();
        expect(lexer, Kind::Close, "')'")?;
        let start = || {
            Lexer::new(lexer.slice(0, after), before)
                .next_token()
                .map(|token| token.at)
        };
        let sort = self.terms.sort(formula);
        if sort != Sort::Bool {
            let sort = with_article(sort);
            let message = format!("this term is {sort}; only a Bool can be asserted");
            return Err(Failure::new(start()?, message));
        }
        if self.options.produce_assertions {
            self.levels.keep_text(lexer.slice(start()?, after));
        }
        let (named, name) = self.declarations.names_of_last_term();
        if named {
            self.levels.label(self.declarations.keep_names(&self.terms));
        }
        self.assert_formula(formula, name);
        Ok((formula, named))
    }

    fn assert_formula(&mut self, formula: Term, name: Option<Symbol>) {
        self.change();
        self.meter.stats.assertions += 1;
        self.levels.assert(formula);
        if !self.assert_witnesses(formula) {
            self.axioms.miss(QUANTIFIERS);
        }
        match name {
            Some(name) if self.options.produce_unsat_cores => {
                self.levels.assume_at_checks(name, formula);
                if self.declarations.any_coded() {
                    self.axioms.assume(formula);
                }
            }
            _ => {
                self.checks.assert(&mut self.terms, formula);
                if self.declarations.any_coded() {
                    self.axioms.assert(&self.terms, formula);
                }
            }
        }
    }

    /// Asserts what the quantifiers of a formula need beside it, and says whether that is all that they say.
    pub(crate) fn assert_witnesses(&mut self, formula: Term) -> bool {
        let Some(witnesses) = self.declarations.witnesses(&mut self.terms, formula) else {
            return true;
        };
        for formula in witnesses.formulas {
            self.checks.assert(&mut self.terms, formula);
            if self.declarations.any_coded() {
                self.axioms.assert(&self.terms, formula);
            }
        }
        !witnesses.is_incomplete
    }

    /// Asserts the axioms that are needed for what has been asserted.
    pub(crate) fn assert_axioms(&mut self) {
        let (signatures, datatypes) = self.declarations.coded();
        let axioms = self
            .axioms
            .instances(&mut self.terms, signatures, datatypes);
        for axiom in axioms {
            self.checks.assert(&mut self.terms, axiom);
        }
    }

    /// The number of levels of `(push n)` or `(pop n)`; one if there is none.
    fn read_levels(&self, lexer: &mut Lexer) -> Result<(Token, u64)> {
        let token = lexer.next_token()?;
        match token.kind {
            Kind::Close => Ok((token, 1)),
            Kind::Numeral => {
                let levels = decimal(lexer.bytes(token)).filter(|&levels| levels <= MAX_LEVELS);
                let levels =
                    levels.ok_or_else(|| Failure::new(token.at, "this is too many levels"))?;
                expect(lexer, Kind::Close, "')'")?;
                Ok((token, levels))
            }
            _ => Err(unexpected(lexer, token, "a numeral")),
        }
    }

    fn push(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (_, levels) = self.read_levels(lexer)?;
        self.change();
        self.assert_axioms();
        for _ in 0..levels {
            self.levels.push(self.declarations.mark());
            self.axioms.push();
            self.checks.push();
        }
        Ok(())
    }

    fn pop(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (token, levels) = self.read_levels(lexer)?;
        let depth = self.levels.depth();
        if levels > depth as u64 {
            return Err(Failure::new(
                token.at,
                format!("cannot pop {levels} levels, the stack has {depth}"),
            ));
        }
        let levels = levels as usize;
        self.change();
        if let Some(before) = self.levels.pop(levels) {
            self.declarations.undo(before);
            self.axioms.pop(levels);
            self.checks.pop(levels);
        }
        Ok(())
    }

    fn get_assertions(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_assertions {
            let message =
                "assertions are not kept, use command (set-option :produce-assertions true)";
            return Err(Failure::new(close.at, message));
        }
        let texts = self.levels.texts().iter();
        let texts: Vec<_> = texts.map(|text| bytes::text(text)).collect();
        self.reports.answer(format_args!("({})", texts.join("\n ")));
        Ok(())
    }

    fn reset_assertions(&mut self) {
        self.change();
        if let Some(before) = self.levels.clear() {
            self.declarations.undo(before);
        }
        self.declarations.begin_anew();
        self.axioms = Axioms::new();
        self.checks.reset();
    }

    /// Everything but the arena starts over: its terms may be asked about again.
    fn reset(&mut self) {
        self.checks.forget();
        self.checks.reset();
        self.levels = Levels::default();
        self.axioms = Axioms::new();
        self.declarations = Declarations::new();
        self.options = Options {
            print_success: self.options.print_success,
            ..Options::default()
        };
    }

    // The rest.

    fn echo(&mut self, lexer: &mut Lexer) -> Result<()> {
        let token = expect(lexer, Kind::Str, "a string")?;
        expect(lexer, Kind::Close, "')'")?;
        let text = bytes::text(lexer.bytes(token)).replace("\"\"", "\"");
        self.reports.answer(text);
        Ok(())
    }

    /// Not in the standard: the term as it is after rewriting.
    fn simplify(&mut self, lexer: &mut Lexer) -> Result<()> {
        let term = self.declarations.read(&mut self.terms, lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        self.reports.answer(refrain_term::print(&self.terms, term));
        Ok(())
    }
}
