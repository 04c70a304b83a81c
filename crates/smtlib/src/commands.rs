//! The commands. Each is read to its closing parenthesis before it has any effect: a command with an error in it does
//! nothing.

use refrain_term::{Sort, Term};

use crate::arithmetic::coerced;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer, Token};
use crate::macros::{Macro, parameter};
use crate::memo::{self, Memo};
use crate::read::{decimal, expect, new_symbol, symbol_bytes, unexpected};
use crate::session::{Declared, DeclaredAs, Scope, Session};
use crate::sorts::with_article;
use crate::symbols::{Meaning, Symbol};

/// The logics whose every script can be read.
const LOGICS: [&str; 17] = [
    "QF_BV", "QF_ABV", "QF_UFBV", "QF_AUFBV", "QF_LIA", "QF_IDL", "QF_NIA", "QF_UFLIA", "QF_UFIDL",
    "QF_UFNIA", "QF_LRA", "QF_RDL", "QF_NRA", "QF_UFLRA", "QF_UFRDL", "QF_UFNRA", "ALL",
];

/// Of these, those that have no integers: their numerals are real.
const REAL_LOGICS: [&str; 6] = [
    "QF_LRA", "QF_RDL", "QF_NRA", "QF_UFLRA", "QF_UFRDL", "QF_UFNRA",
];

/// More levels than this in one command are a mistake.
const MAX_LEVELS: u64 = 1 << 20;

impl Session {
    /// Runs the command whose parenthesis has been read; whether it ends the session.
    pub(crate) fn execute(&mut self, lexer: &mut Lexer) -> Result<bool> {
        let token = lexer.next_token()?;
        match symbol_bytes(lexer, token, "a command")? {
            b"assert" => self.assert(lexer)?,
            b"check-sat" => {
                self.check_sat(lexer)?;
                return Ok(self.disagrees());
            }
            b"check-sat-assuming" => {
                self.check_sat_assuming(lexer)?;
                return Ok(self.disagrees());
            }
            b"push" => self.push(lexer)?,
            b"pop" => self.pop(lexer)?,
            b"declare-const" => self.declare_const(lexer)?,
            b"declare-fun" => self.declare_fun(lexer)?,
            b"define-const" => self.define_const(lexer)?,
            b"define-fun" => self.define_fun(lexer)?,
            b"define-sort" => self.define_sort(lexer)?,
            b"set-info" => self.set_info(lexer)?,
            b"set-option" => self.set_option(lexer)?,
            b"set-logic" => self.set_logic(lexer)?,
            b"get-info" => return self.get_info(lexer).map(|()| false),
            b"get-option" => return self.get_option(lexer).map(|()| false),
            b"get-model" => return self.get_model(lexer).map(|()| false),
            b"get-value" => return self.get_value(lexer).map(|()| false),
            b"get-assignment" => return self.get_assignment(lexer).map(|()| false),
            b"get-unsat-core" => return self.get_unsat_core(lexer).map(|()| false),
            b"get-unsat-assumptions" => return self.get_unsat_assumptions(lexer).map(|()| false),
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
            name => {
                let name = String::from_utf8_lossy(name).into_owned();
                return Err(Failure::unsupported(token.at, name));
            }
        }
        self.succeed();
        Ok(false)
    }

    /// The answer of a command that has no other.
    fn succeed(&mut self) {
        if self.options.print_success {
            self.output.answer("success");
        }
    }

    /// Something changes: models and cores of the last check are gone.
    fn change(&mut self) {
        self.last_check = None;
        self.started = true;
    }

    // Declarations and definitions.

    fn set_logic(&mut self, lexer: &mut Lexer) -> Result<()> {
        let token = lexer.next_token()?;
        let name = String::from_utf8_lossy(symbol_bytes(lexer, token, "a logic")?).into_owned();
        expect(lexer, Kind::Close, "')'")?;
        if self.logic.is_some() {
            return Err(Failure::new(token.at, "the logic has already been set"));
        }
        if self.started {
            return Err(Failure::new(
                token.at,
                "the logic must be set before anything is declared or asserted",
            ));
        }
        if !LOGICS.contains(&&*name) {
            let known = LOGICS.join(", ");
            return Err(Failure::new(
                token.at,
                format!("logic {name} is not supported; known are {known}"),
            ));
        }
        if REAL_LOGICS.contains(&&*name) {
            self.reader.numerals = Sort::Real;
        }
        self.logic = Some(name);
        Ok(())
    }

    /// A symbol that is about to be declared.
    fn fresh_symbol(&mut self, lexer: &mut Lexer) -> Result<Symbol> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.reader.symbols.intern(name);
        if !self.reader.symbols.is_free(symbol) {
            let name = String::from_utf8_lossy(name);
            return Err(Failure::new(
                token.at,
                format!("'{name}' is already declared"),
            ));
        }
        Ok(symbol)
    }

    fn read_sort(&mut self, lexer: &mut Lexer) -> Result<Sort> {
        self.reader.sorts.read(lexer, &mut self.reader.symbols)
    }

    fn declare_const(&mut self, lexer: &mut Lexer) -> Result<()> {
        let symbol = self.fresh_symbol(lexer)?;
        let sort = self.read_sort(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        self.declare(symbol, &[], sort);
        Ok(())
    }

    fn declare_fun(&mut self, lexer: &mut Lexer) -> Result<()> {
        let symbol = self.fresh_symbol(lexer)?;
        expect(lexer, Kind::Open, "'(' and the sorts of arguments")?;
        let mut args = Vec::new();
        let at = loop {
            let next = lexer.fork().next_token()?;
            if next.kind == Kind::Close {
                lexer.next_token()?;
                break next.at;
            }
            args.push(self.read_sort(lexer)?);
        };
        let result = self.read_sort(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        if !args.is_empty() && (result.is_array() || args.iter().any(|sort| sort.is_array())) {
            return Err(Failure::new(
                at,
                "functions are over Bool, bit-vectors and numbers; arrays are not supported here",
            ));
        }
        self.declare(symbol, &args, result);
        Ok(())
    }

    fn declare(&mut self, symbol: Symbol, args: &[Sort], result: Sort) {
        self.started = true;
        let name = self.reader.symbols.name(symbol).to_owned();
        let (what, meaning) = if args.is_empty() {
            let term = self.terms.var(&name, result);
            (DeclaredAs::Constant(term), Meaning::Term(term))
        } else {
            let func = self.terms.func(&name, args, result);
            (DeclaredAs::Function(func), Meaning::Function(func))
        };
        self.give_meaning(symbol, meaning);
        self.declared.push(Declared { symbol, what });
    }

    fn give_meaning(&mut self, symbol: Symbol, meaning: Meaning) {
        if !matches!(self.reader.symbols.meaning(symbol), Meaning::Unknown) {
            self.outdated += 1;
        }
        self.reader
            .symbols
            .declare(symbol, meaning, self.options.global_declarations);
    }

    fn define_const(&mut self, lexer: &mut Lexer) -> Result<()> {
        let symbol = self.fresh_symbol(lexer)?;
        let sort = self.read_sort(lexer)?;
        let (at, body) = self.read_term(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        let body = self.of_sort(at, body, sort)?;
        self.define(symbol, Meaning::Term(body));
        Ok(())
    }

    fn define_fun(&mut self, lexer: &mut Lexer) -> Result<()> {
        let symbol = self.fresh_symbol(lexer)?;
        expect(lexer, Kind::Open, "'(' and parameters")?;
        let mut parameters: Vec<(Symbol, Sort)> = Vec::new();
        let group = self.reader.symbols.new_let();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Open => {}
                Kind::Close => break,
                _ => return Err(unexpected(lexer, token, "a parameter or ')'")),
            }
            let (token, name) = new_symbol(lexer)?;
            let parameter = self.reader.symbols.intern(name);
            if !self.reader.symbols.claim(parameter, group) {
                let name = String::from_utf8_lossy(name);
                return Err(Failure::new(
                    token.at,
                    format!("parameter '{name}' is there twice"),
                ));
            }
            parameters.push((parameter, self.read_sort(lexer)?));
            expect(lexer, Kind::Close, "')'")?;
        }
        let result = self.read_sort(lexer)?;
        for (index, &(symbol, sort)) in parameters.iter().enumerate() {
            let term = parameter(&mut self.terms, index, sort);
            self.reader.symbols.shadow(symbol, Meaning::Term(term));
        }
        self.reader.naming_allowed = parameters.is_empty();
        let body = self.read_term(lexer);
        self.reader.naming_allowed = true;
        self.reader.symbols.unshadow_all();
        let (at, body) = body?;
        expect(lexer, Kind::Close, "')'")?;
        let body = self.of_sort(at, body, result)?;
        let meaning = if parameters.is_empty() {
            self.terms.note_assigned(body);
            Meaning::Term(body)
        } else {
            let sorts = parameters.iter().map(|&(_, sort)| sort).collect();
            self.reader
                .macros
                .push(Macro::new(&mut self.terms, sorts, body));
            Meaning::Macro(self.reader.macros.len() as u32 - 1)
        };
        self.define(symbol, meaning);
        Ok(())
    }

    fn define(&mut self, symbol: Symbol, meaning: Meaning) {
        self.started = true;
        self.keep_names();
        self.give_meaning(symbol, meaning);
    }

    fn define_sort(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.reader.symbols.intern(name);
        if !self.reader.sorts.is_free(name, symbol) {
            let name = String::from_utf8_lossy(name);
            return Err(Failure::new(
                token.at,
                format!("sort '{name}' is already defined"),
            ));
        }
        expect(lexer, Kind::Open, "'(' and parameters")?;
        let mut parameters = Vec::new();
        loop {
            if lexer.fork().next_token()?.kind == Kind::Close {
                lexer.next_token()?;
                break;
            }
            let (_, name) = new_symbol(lexer)?;
            parameters.push(self.reader.symbols.intern(name));
        }
        let body = self
            .reader
            .sorts
            .read_shape(lexer, &mut self.reader.symbols, &parameters)?;
        expect(lexer, Kind::Close, "')'")?;
        self.started = true;
        // The script's own `Int` may have taken the place of the theory's.
        self.memo.forget();
        self.reader.sorts.define(
            symbol,
            parameters.len(),
            body,
            self.options.global_declarations,
        );
        Ok(())
    }

    // Terms in commands.

    /// A term and where it begins.
    pub(crate) fn read_term(&mut self, lexer: &mut Lexer) -> Result<(usize, Term)> {
        let at = lexer.fork().next_token()?.at;
        Ok((at, self.reader.read(&mut self.terms, lexer)?))
    }

    /// The term, as one of the sort that is needed where it stands.
    pub(crate) fn of_sort(&mut self, at: usize, term: Term, wanted: Sort) -> Result<Term> {
        let term = coerced(&mut self.terms, term, wanted);
        match self.terms.sort(term) {
            sort if sort == wanted => Ok(term),
            sort => Err(Failure::new(
                at,
                format!(
                    "this term is {}, not {}",
                    with_article(sort),
                    with_article(wanted)
                ),
            )),
        }
    }

    /// The names that the last term gave to parts of itself hold from here on.
    pub(crate) fn keep_names(&mut self) {
        for (symbol, term) in std::mem::take(&mut self.reader.named) {
            self.reader.symbols.declare(
                symbol,
                Meaning::Term(term),
                self.options.global_declarations,
            );
            if self.terms.sort(term) == Sort::Bool {
                self.labels.push((symbol, term));
            }
        }
    }

    // The assertion stack.

    fn assert(&mut self, lexer: &mut Lexer) -> Result<()> {
        if self.memo.is_retired() || self.options.produce_assertions {
            return self.read_assertion(lexer).map(|_| ());
        }
        if self.reader.symbols.take_changed() {
            self.memo.forget();
        }
        let start = lexer.position();
        let line = lexer.rest_of_line(memo::LONGEST);
        let Some(key) = self.memo.key(line) else {
            return self.read_assertion(lexer).map(|_| ());
        };
        if let Some(formula) = self.memo.find(key) {
            lexer.advance(line.len());
            self.assert_formula(formula, None);
            return Ok(());
        }
        let (formula, named) = self.read_assertion(lexer)?;
        if lexer.position() != start + line.len() {
            self.memo.no_match();
        } else if !named {
            self.memo.insert(key, formula);
        }
        Ok(())
    }

    /// Reads and asserts a formula; the formula, and whether anything in it is named.
    fn read_assertion(&mut self, lexer: &mut Lexer) -> Result<(Term, bool)> {
        let before = lexer.position();
        let formula = self.reader.read(&mut self.terms, lexer)?;
        let after = lexer.position();
        expect(lexer, Kind::Close, "')'")?;
        let start = || {
            Lexer::new(lexer.slice(0, after), before)
                .next_token()
                .map(|token| token.at)
        };
        if self.terms.sort(formula) != Sort::Bool {
            let sort = self.terms.sort(formula);
            return Err(Failure::new(
                start()?,
                format!(
                    "this term is {}; only a Bool can be asserted",
                    with_article(sort)
                ),
            ));
        }
        if self.options.produce_assertions {
            self.texts.push(lexer.slice(start()?, after).into());
        }
        let named = !self.reader.named.is_empty();
        let name = self.reader.outermost_name;
        if named {
            self.keep_names();
        }
        self.assert_formula(formula, name);
        Ok((formula, named))
    }

    fn assert_formula(&mut self, formula: Term, name: Option<Symbol>) {
        self.change();
        self.stats.assertions += 1;
        self.assertions.push(formula);
        match name {
            Some(name) if self.options.produce_unsat_cores => self.named.push((name, formula)),
            _ => self.solver.assert(&mut self.terms, formula),
        }
    }

    /// The number of levels of `(push n)` or `(pop n)`; one if there is none.
    fn levels(&self, lexer: &mut Lexer) -> Result<(Token, u64)> {
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
        let (_, levels) = self.levels(lexer)?;
        self.change();
        for _ in 0..levels {
            self.scopes.push(Scope {
                symbols: self.reader.symbols.mark(),
                sorts: self.reader.sorts.mark(),
                declared: self.declared.len(),
                assertions: self.assertions.len(),
                named: self.named.len(),
                labels: self.labels.len(),
                texts: self.texts.len(),
            });
            self.solver.push();
        }
        Ok(())
    }

    fn pop(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (token, levels) = self.levels(lexer)?;
        if levels > self.scopes.len() as u64 {
            let depth = self.scopes.len();
            return Err(Failure::new(
                token.at,
                format!("cannot pop {levels} levels, the stack has {depth}"),
            ));
        }
        self.pop_levels(levels as usize);
        Ok(())
    }

    fn pop_levels(&mut self, levels: usize) {
        self.change();
        let remaining = self.scopes.len() - levels;
        let Some(scope) = self.scopes.drain(remaining..).next() else {
            return;
        };
        self.reader.symbols.undeclare(scope.symbols);
        if self.reader.sorts.undefine(scope.sorts) {
            self.memo.forget();
        }
        if !self.options.global_declarations {
            self.declared.truncate(scope.declared);
        }
        self.assertions.truncate(scope.assertions);
        self.named.truncate(scope.named);
        self.labels.truncate(scope.labels);
        self.texts.truncate(scope.texts);
        self.solver.pop(levels);
    }

    fn get_assertions(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_assertions {
            let message =
                "assertions are not kept, use command (set-option :produce-assertions true)";
            return Err(Failure::new(close.at, message));
        }
        let texts: Vec<_> = self
            .texts
            .iter()
            .map(|text| String::from_utf8_lossy(text))
            .collect();
        self.output.answer(format_args!("({})", texts.join("\n ")));
        Ok(())
    }

    fn reset_assertions(&mut self) {
        self.pop_levels(self.scopes.len());
        self.assertions.clear();
        self.named.clear();
        self.labels.clear();
        self.texts.clear();
        self.last_check = None;
        if self.outdated > self.declared.len() / 2 {
            self.declared = self.declared_now();
            self.outdated = 0;
        }
        if !self.options.global_declarations {
            self.reader.symbols.new_era();
            self.reader.sorts.undefine(0);
            self.memo.forget();
        }
        self.solver.reset();
    }

    /// Everything but the arena starts over: its terms may be asked about again.
    fn reset(&mut self) {
        self.reset_assertions();
        self.reader = crate::parser::TermReader::new();
        self.memo = Memo::new();
        self.declared.clear();
        let print_success = self.options.print_success;
        self.options = crate::options::Options {
            print_success,
            ..Default::default()
        };
        self.logic = None;
        self.expected = None;
        self.started = false;
    }

    // The rest.

    fn echo(&mut self, lexer: &mut Lexer) -> Result<()> {
        let token = expect(lexer, Kind::Str, "a string")?;
        expect(lexer, Kind::Close, "')'")?;
        let text = String::from_utf8_lossy(lexer.bytes(token)).replace("\"\"", "\"");
        self.output.answer(text);
        Ok(())
    }

    /// Not in the standard: the term as it is after rewriting.
    fn simplify(&mut self, lexer: &mut Lexer) -> Result<()> {
        let (_, term) = self.read_term(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        self.reader.named.clear();
        let text = refrain_term::print(&self.terms, term);
        self.output.answer(text);
        Ok(())
    }
}
