//! What names stand for at this point of a script, and reading terms in which they stand for it.

use std::borrow::Cow;

use refrain_term::{FuncId, Sort, Term, Terms};
use rustc_hash::FxHashSet;

use crate::bytes;
use crate::coded::axioms::{Axioms, Signatures};
use crate::coded::datatypes::Datatypes;
use crate::coded::values::Script;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer};
use crate::macros::{Macro, parameter};
use crate::memo::{self, Memo};
use crate::parser::TermReader;
use crate::quantifiers::{Skolem, Witnesses};
use crate::read::{expect, index, new_symbol, unexpected};
use crate::sorts::{mentions_arrays_within, of_sort};
use crate::surface::{self, below};
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
    datatypes: usize,
    declared: usize,
}

/// Symbols, sorts and defined functions.
pub(crate) struct Declarations {
    pub(crate) reader: TermReader,
    declared: Vec<Declared>,
    /// At most so many of them have been declared again.
    outdated: usize,
    pub(crate) memo: Memo,
    pub(crate) signatures: Signatures,
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
            signatures: Signatures::default(),
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

    pub fn name(&self, symbol: Symbol) -> Cow<'_, str> {
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
            datatypes: self.reader.datatypes.len(),
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
            self.reader.datatypes.truncate(mark.datatypes);
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
            self.reader.datatypes.truncate(0);
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
    pub(crate) fn fresh_symbol(&mut self, lexer: &mut Lexer) -> Result<Symbol> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.reader.symbols.intern(name);
        if !self.reader.symbols.is_free(symbol) {
            let name = bytes::text(name);
            return Err(Failure::new(
                token.at,
                format!("'{name}' is already declared"),
            ));
        }
        Ok(symbol)
    }

    pub(crate) fn read_sort(&mut self, lexer: &mut Lexer) -> Result<Sort> {
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
        let again = lexer.fork();
        let was_undecided = self.reader.sorts.are_arrays_undecided();
        let (mut args, mut result) = self.read_signature(lexer)?;
        let is_native = |sort: &Sort| matches!(sort, Sort::Array { .. });
        if !args.is_empty() && (is_native(&result) || args.iter().any(is_native)) {
            if was_undecided {
                self.reader.sorts.forget_arrays();
            }
            let coded = self.reader.sorts.code_arrays();
            coded.map_err(|message| Failure::new(again.position(), message))?;
            (args, result) = self.read_signature(&mut again.fork())?;
        }
        self.declare(terms, symbol, &args, result);
        Ok(Labels::new())
    }

    /// The rest of a declaration: the sorts of arguments, and that of the result.
    fn read_signature(&mut self, lexer: &mut Lexer) -> Result<(Vec<Sort>, Sort)> {
        expect(lexer, Kind::Open, "'(' and the sorts of arguments")?;
        let mut args = Vec::new();
        while lexer.fork().next_token()?.kind != Kind::Close {
            args.push(self.read_sort(lexer)?);
        }
        lexer.next_token()?;
        let result = self.read_sort(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        Ok((args, result))
    }

    fn declare(&mut self, terms: &mut Terms, symbol: Symbol, args: &[Sort], result: Sort) {
        let name = &*self.reader.symbols.name(symbol);
        let (what, meaning) = if args.is_empty() {
            let term = surface::symbol(terms, name, result);
            self.signatures.note_symbol(below(terms, term), result);
            (DeclaredAs::Constant(term), Meaning::Term(term))
        } else if args
            .iter()
            .chain([&result])
            .any(|sort| sort.below().is_some())
        {
            let below: Vec<Sort> = args.iter().map(|&sort| surface::sort_below(sort)).collect();
            let func = terms.func(name, &below, surface::sort_below(result));
            let parameters = args.iter().enumerate();
            let arguments: Vec<Term> = parameters
                .map(|(place, &sort)| {
                    let parameter = parameter(terms, place, sort);
                    surface::canonical_below(terms, parameter)
                })
                .collect();
            self.signatures.note_function(func, args, result);
            let applied = terms.apply(func, &arguments);
            let body = surface::above(terms, result, applied);
            let known = self.reader.macros.len() as u32;
            self.reader
                .macros
                .push(Macro::new(terms, args.to_vec(), body));
            (DeclaredAs::Above(func, known), Meaning::Macro(known))
        } else {
            let func = terms.func(name, args, result);
            self.signatures.note_function(func, args, result);
            (DeclaredAs::Function(func), Meaning::Function(func))
        };
        self.give_meaning(symbol, meaning);
        self.declared.push(Declared { symbol, what });
    }

    pub(crate) fn give_meaning(&mut self, symbol: Symbol, meaning: Meaning) {
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
        self.define_function(terms, lexer, false)
    }

    /// A function that might, but does not mention itself.
    pub fn define_fun_rec(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        self.define_function(terms, lexer, true)
    }

    fn define_function(
        &mut self,
        terms: &mut Terms,
        lexer: &mut Lexer,
        may_recur: bool,
    ) -> Result<Labels> {
        let symbol = self.fresh_symbol(lexer)?;
        let parameters = self.read_parameters(lexer)?;
        let result = self.read_sort(lexer)?;
        if may_recur {
            // Not what the name means in a theory.
            self.reader.symbols.shadow(symbol, Meaning::Unknown);
        }
        for (index, &(symbol, sort)) in parameters.iter().enumerate() {
            let term = parameter(terms, index, sort);
            self.reader.symbols.shadow(symbol, Meaning::Term(term));
        }
        self.reader.naming_allowed = parameters.is_empty();
        let body = self.read_term(terms, lexer);
        self.reader.naming_allowed = true;
        self.reader.symbols.unshadow_all();
        let (at, body) = body.map_err(|failure| {
            let unknown = format!("unknown function {}", self.reader.symbols.name(symbol));
            match may_recur && failure.message == unknown {
                true => Failure::new(failure.at, "recursive functions are not supported"),
                false => failure,
            }
        })?;
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
                let name = bytes::text(name);
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

    /// This whole script is to be read.
    pub fn expect_script(&mut self, script: &[u8]) {
        if mentions_arrays_within(script) {
            // Where that is too late, what needs it is refused.
            let _ = self.reader.sorts.code_arrays();
        }
    }

    /// Whether the script has sorts that are coded.
    pub fn any_coded(&self) -> bool {
        self.reader.sorts.any_coded()
    }

    /// What models are about, where assertions needed these axioms.
    pub fn script<'a>(&'a self, axioms: &'a Axioms) -> Script<'a> {
        Script {
            datatypes: self.datatypes(),
            signatures: &self.signatures,
            axioms,
            any_coded: self.any_coded(),
        }
    }

    /// What is known of coded sorts.
    pub fn coded(&mut self) -> (&mut Signatures, &Datatypes) {
        (&mut self.signatures, &self.reader.datatypes)
    }

    /// What has to be asserted beside a formula for the quantifiers in it, if there may be any.
    pub fn witnesses(&mut self, terms: &mut Terms, formula: Term) -> Option<Witnesses> {
        let quantifiers = &self.reader.quantifiers;
        if quantifiers.is_empty() {
            return None;
        }
        let witnesses = quantifiers.witnesses(terms, formula);
        for symbol in &witnesses.symbols {
            match symbol {
                Skolem::Symbol(symbol, sort) => self.signatures.note_symbol(*symbol, *sort),
                Skolem::Function(func, args, result) => {
                    self.signatures.note_function(*func, args, *result);
                }
            }
        }
        Some(witnesses)
    }

    /// Whether models say what a term is.
    pub fn have_values(&self, terms: &Terms, term: Term) -> bool {
        !self.reader.quantifiers.are_in(terms, term)
    }

    pub fn datatypes(&self) -> &Datatypes {
        &self.reader.datatypes
    }

    /// A symbol for a new sort.
    pub(crate) fn fresh_sort(&mut self, lexer: &mut Lexer) -> Result<Symbol> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.reader.symbols.intern(name);
        if !self.reader.sorts.is_free(name, symbol) {
            let name = bytes::text(name);
            return Err(Failure::new(
                token.at,
                format!("sort '{name}' is already defined"),
            ));
        }
        Ok(symbol)
    }

    pub fn declare_sort(&mut self, _: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let symbol = self.fresh_sort(lexer)?;
        // Scripts leave the numeral out where it is zero.
        let parameters = match lexer.fork().next_token()?.kind {
            Kind::Close => 0,
            _ => index(lexer)?,
        };
        expect(lexer, Kind::Close, "')'")?;
        // The script's own `Int` may have taken the place of the theory's.
        self.memo.forget();
        self.reader
            .sorts
            .declare(symbol, parameters, self.is_global);
        Ok(Labels::new())
    }

    pub fn define_sort(&mut self, _: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let symbol = self.fresh_sort(lexer)?;
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
