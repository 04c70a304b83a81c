//! What names stand for at this point of a script, and reading terms in which they stand for it.

use refrain_term::{FuncId, Sort, Term, Terms};
use rustc_hash::FxHashSet;

use crate::error::{Failure, Result};
use crate::floats;
use crate::lexer::{Kind, Lexer};
use crate::macros::{Macro, parameter};
use crate::memo::{self, Memo};
use crate::parser::TermReader;
use crate::read::{expect, new_symbol, unexpected};
use crate::sorts::of_sort;
use crate::symbols::{Meaning, Symbol};

/// A symbol that models have a value for.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    pub symbol: Symbol,
    pub what: DeclaredAs,
}

#[derive(Clone, Copy)]
pub(crate) enum DeclaredAs {
    Constant(Term),
    Function(FuncId),
    /// A function some of whose sorts are bit-vectors below the surface: what it is there, and as it is known.
    Above(FuncId, u32),
}

impl DeclaredAs {
    /// Whether a symbol of this meaning is what was declared.
    fn is(self, meaning: Meaning) -> bool {
        match (self, meaning) {
            (DeclaredAs::Constant(declared), Meaning::Term(term)) => declared == term,
            (DeclaredAs::Function(declared), Meaning::Function(func)) => declared == func,
            (DeclaredAs::Above(_, declared), Meaning::Macro(known)) => declared == known,
            _ => false,
        }
    }
}

/// Formulas that a script named, with `:named`.
pub(crate) type Labels = Vec<(Symbol, Term)>;

/// A point to go back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    symbols: usize,
    sorts: usize,
    declared: usize,
}

/// Symbols, sorts and defined functions.
pub(crate) struct Declarations {
    reader: TermReader,
    declared: Vec<Declared>,
    /// At most so many of them have been declared again.
    outdated: usize,
    memo: Memo,
    /// What is declared outlives its level, and the assertions.
    is_global: bool,
}

impl Declarations {
    pub fn new() -> Declarations {
        Declarations {
            reader: TermReader::new(),
            declared: Vec::new(),
            outdated: 0,
            memo: Memo::new(),
            is_global: false,
        }
    }

    pub fn is_global(&self) -> bool {
        self.is_global
    }

    pub fn set_global(&mut self, is_global: bool) {
        self.is_global = is_global;
    }

    /// From here on numerals are of this sort.
    pub fn set_numerals(&mut self, sort: Sort) {
        self.reader.numerals = sort;
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        self.reader.symbols.name(symbol)
    }

    /// Whether a name stands for anything, be it a sort.
    pub fn knows(&mut self, name: &[u8]) -> bool {
        let symbol = self.reader.symbols.intern(name);
        !matches!(self.reader.symbols.meaning(symbol), Meaning::Unknown)
            || self.reader.sorts.knows(name, symbol)
    }

    /// The sorts of a function that is defined, or known as if it were.
    pub fn signature(&self, terms: &Terms, known: u32) -> (&[Sort], Sort) {
        let function = &self.reader.macros[known as usize];
        (&function.parameters, function.result(terms))
    }

    // Going back.

    pub fn mark(&self) -> Mark {
        Mark {
            symbols: self.reader.symbols.mark(),
            sorts: self.reader.sorts.mark(),
            declared: self.declared.len(),
        }
    }

    /// Takes back what was declared since a mark, unless that is for good.
    pub fn undo(&mut self, mark: Mark) {
        self.reader.symbols.undeclare(mark.symbols);
        if self.reader.sorts.undefine(mark.sorts) {
            self.memo.forget();
        }
        if !self.is_global {
            self.declared.truncate(mark.declared);
        }
    }

    /// After `reset-assertions` everything may be declared again, unless declarations are for good.
    pub fn begin_anew(&mut self) {
        if self.outdated > self.declared.len() / 2 {
            self.declared = self.now();
            self.outdated = 0;
        }
        if !self.is_global {
            self.reader.symbols.new_era();
            self.reader.sorts.undefine(0);
            self.memo.forget();
        }
    }

    /// What is declared, in the order of the script. What was declared again, or defined, after `reset-assertions` is
    /// there as it is now.
    pub fn now(&self) -> Vec<Declared> {
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

    // Terms.

    /// A term and where it begins.
    pub fn read_term(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<(usize, Term)> {
        let at = lexer.fork().next_token()?.at;
        Ok((at, self.reader.read(terms, lexer)?))
    }

    /// A term, where its place is of no interest.
    #[inline]
    pub fn read(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Term> {
        self.reader.read(terms, lexer)
    }

    /// Whether the last term gave names to parts of itself, and that of the whole, if it has one.
    #[inline]
    pub fn names_of_last_term(&self) -> (bool, Option<Symbol>) {
        (!self.reader.named.is_empty(), self.reader.outermost_name)
    }

    /// The names that the last term gave to parts of itself hold from here on; those of formulas are given back.
    pub fn keep_names(&mut self, terms: &Terms) -> Labels {
        let mut named = std::mem::take(&mut self.reader.named);
        for &(symbol, term) in &named {
            let symbols = &mut self.reader.symbols;
            symbols.declare(symbol, Meaning::Term(term), self.is_global);
        }
        named.retain(|&(_, term)| terms.sort(term) == Sort::Bool);
        named
    }

    /// The text of an assertion that may have been read before: the rest of the line, where that is worth a look.
    pub fn text_to_recall<'a>(&mut self, lexer: &Lexer<'a>) -> Option<memo::Key<'a>> {
        if self.memo.is_retired() {
            return None;
        }
        if self.reader.symbols.take_changed() {
            self.memo.forget();
        }
        self.memo.key(lexer.rest_of_line(memo::LONGEST))
    }

    /// The formula that a text was read as.
    pub fn recall(&mut self, text: memo::Key) -> Option<Term> {
        self.memo.find(text)
    }

    /// The formula that a text is, for the next time.
    pub fn remember(&mut self, text: memo::Key, formula: Term) {
        self.memo.insert(text, formula);
    }

    /// A text was more, or less, than one assertion.
    pub fn not_one_assertion(&mut self) {
        self.memo.no_match();
    }

    // Declarations and definitions: commands, from what follows their name to their closing parenthesis. Each gives
    // back the formulas that were named in it.

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

    pub fn declare_const(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let symbol = self.fresh_symbol(lexer)?;
        let sort = self.read_sort(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        self.declare(terms, symbol, &[], sort);
        Ok(Labels::new())
    }

    pub fn declare_fun(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
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
                "functions are over Bool, bit-vectors, floats and numbers; arrays are not supported here",
            ));
        }
        self.declare(terms, symbol, &args, result);
        Ok(Labels::new())
    }

    fn declare(&mut self, terms: &mut Terms, symbol: Symbol, args: &[Sort], result: Sort) {
        let name = self.reader.symbols.name(symbol);
        let (what, meaning) = if args.is_empty() {
            let term = floats::symbol(terms, name, result);
            (DeclaredAs::Constant(term), Meaning::Term(term))
        } else if args
            .iter()
            .chain([&result])
            .any(|sort| sort.surface_width().is_some())
        {
            let below: Vec<Sort> = args.iter().map(|&sort| floats::sort_below(sort)).collect();
            let func = terms.func(name, &below, floats::sort_below(result));
            let parameters = args.iter().enumerate();
            let arguments: Vec<Term> = parameters
                .map(|(place, &sort)| {
                    let parameter = parameter(terms, place, sort);
                    floats::argument_below(terms, parameter)
                })
                .collect();
            let applied = terms.apply(func, &arguments);
            let body = floats::result_above(terms, result, applied);
            let known = self.reader.macros.len() as u32;
            self.reader
                .macros
                .push(Macro::new(terms, args.to_vec(), body));
            (DeclaredAs::Above(func, known), Meaning::Macro(known))
        } else {
            let func = terms.func(name, args, result);
            (DeclaredAs::Function(func), Meaning::Function(func))
        };
        self.give_meaning(symbol, meaning);
        self.declared.push(Declared { symbol, what });
    }

    fn give_meaning(&mut self, symbol: Symbol, meaning: Meaning) {
        if !matches!(self.reader.symbols.meaning(symbol), Meaning::Unknown) {
            self.outdated += 1;
        }
        self.reader.symbols.declare(symbol, meaning, self.is_global);
    }

    pub fn define_const(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let symbol = self.fresh_symbol(lexer)?;
        let sort = self.read_sort(lexer)?;
        let (at, body) = self.read_term(terms, lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        let body = of_sort(terms, at, body, sort)?;
        Ok(self.define(terms, symbol, Meaning::Term(body)))
    }

    pub fn define_fun(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let symbol = self.fresh_symbol(lexer)?;
        let parameters = self.read_parameters(lexer)?;
        let result = self.read_sort(lexer)?;
        for (index, &(symbol, sort)) in parameters.iter().enumerate() {
            let term = parameter(terms, index, sort);
            self.reader.symbols.shadow(symbol, Meaning::Term(term));
        }
        self.reader.naming_allowed = parameters.is_empty();
        let body = self.read_term(terms, lexer);
        self.reader.naming_allowed = true;
        self.reader.symbols.unshadow_all();
        let (at, body) = body?;
        expect(lexer, Kind::Close, "')'")?;
        let body = of_sort(terms, at, body, result)?;
        let meaning = if parameters.is_empty() {
            terms.note_assigned(body);
            Meaning::Term(body)
        } else {
            let sorts = parameters.iter().map(|&(_, sort)| sort).collect();
            self.reader.macros.push(Macro::new(terms, sorts, body));
            Meaning::Macro(self.reader.macros.len() as u32 - 1)
        };
        Ok(self.define(terms, symbol, meaning))
    }

    /// The parameters of a function that is being defined: `((x S) …)`.
    fn read_parameters(&mut self, lexer: &mut Lexer) -> Result<Vec<(Symbol, Sort)>> {
        expect(lexer, Kind::Open, "'(' and parameters")?;
        let mut parameters: Vec<(Symbol, Sort)> = Vec::new();
        let group = self.reader.symbols.new_let();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Open => {}
                Kind::Close => return Ok(parameters),
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
    }

    fn define(&mut self, terms: &Terms, symbol: Symbol, meaning: Meaning) -> Labels {
        let labels = self.keep_names(terms);
        self.give_meaning(symbol, meaning);
        labels
    }

    pub fn define_sort(&mut self, _: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
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
        let TermReader { sorts, symbols, .. } = &mut self.reader;
        let body = sorts.read_shape(lexer, symbols, &parameters)?;
        expect(lexer, Kind::Close, "')'")?;
        // The script's own `Int` may have taken the place of the theory's.
        self.memo.forget();
        sorts.define(symbol, parameters.len(), body, self.is_global);
        Ok(Labels::new())
    }
}
