//! The commands that declare datatypes.

use refrain_term::{Coded, Rational, Sort, Term, Terms};

use super::datatypes::{Constructor, Datatype};
use crate::bytes;
use crate::declarations::{Declarations, Labels};
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer};
use crate::macros::{Macro, parameter};
use crate::read::{expect, index, unexpected};
use crate::surface::{above, below, canonical_below};
use crate::symbols::{Meaning, Symbol};

/// A constructor as it is written: its name, and those of its fields with their sorts.
struct Written {
    symbol: Symbol,
    fields: Vec<(Symbol, Sort)>,
}

impl Declarations {
    /// `(declare-datatype T (c …))`.
    pub fn declare_datatype(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let mark = self.reader.sorts.mark();
        let result = self.read_datatype(terms, lexer);
        self.end_sorts(mark, result)
    }

    /// `(declare-datatypes ((T 0) …) ((c …) …))`, or as it was once written, `(declare-datatypes () ((T c …) …))`.
    pub fn declare_datatypes(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Labels> {
        let mark = self.reader.sorts.mark();
        let result = self.read_datatypes(terms, lexer);
        self.end_sorts(mark, result)
    }

    /// The sorts since a mark stay, or go where a command had no effect.
    fn end_sorts(&mut self, mark: usize, result: Result<()>) -> Result<Labels> {
        match result {
            Ok(()) if self.is_global() => self.reader.sorts.keep(mark),
            Ok(()) => {}
            Err(failure) => {
                self.reader.sorts.undefine(mark);
                return Err(failure);
            }
        }
        Ok(Labels::new())
    }

    fn read_datatype(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<()> {
        let at = lexer.position();
        let symbol = self.new_datatype(lexer)?;
        expect(lexer, Kind::Open, "'(' and constructors")?;
        let constructors = self.read_constructors(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        self.add_datatypes(terms, at, vec![(symbol, constructors)])
    }

    fn read_datatypes(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<()> {
        let at = lexer.position();
        expect(lexer, Kind::Open, "'(' and sorts")?;
        let mut symbols = Vec::new();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Close => break,
                Kind::Open => {}
                _ => {
                    return Err(unexpected(
                        lexer,
                        token,
                        "a sort and its number of parameters",
                    ));
                }
            }
            symbols.push(self.new_datatype(lexer)?);
            if index(lexer)? != 0 {
                return Err(Failure::new(token.at, PARAMETERS));
            }
            expect(lexer, Kind::Close, "')'")?;
        }
        expect(lexer, Kind::Open, "'(' and datatypes")?;
        let is_old = symbols.is_empty();
        if is_old {
            // The names of all come first, so that one may use another.
            let mut ahead = lexer.fork();
            while ahead.next_token()?.kind == Kind::Open {
                symbols.push(self.new_datatype(&mut ahead)?);
                while ahead.fork().next_token()?.kind != Kind::Close {
                    crate::read::skip_expression(&mut ahead)?;
                }
                ahead.next_token()?;
            }
        }
        let mut declared = Vec::new();
        for symbol in symbols {
            expect(lexer, Kind::Open, "'(' and constructors")?;
            if is_old {
                lexer.next_token()?;
            }
            declared.push((symbol, self.read_constructors(lexer)?));
        }
        expect(lexer, Kind::Close, "')'")?;
        expect(lexer, Kind::Close, "')'")?;
        self.add_datatypes(terms, at, declared)
    }

    /// The name of a datatype: from here on there is a sort of that name.
    fn new_datatype(&mut self, lexer: &mut Lexer) -> Result<Symbol> {
        let symbol = self.fresh_sort(lexer)?;
        self.memo.forget();
        self.reader.sorts.declare(symbol, 0, false);
        Ok(symbol)
    }

    /// Constructors, up to the parenthesis that ends them.
    fn read_constructors(&mut self, lexer: &mut Lexer) -> Result<Vec<Written>> {
        let mut constructors = Vec::new();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Close if !constructors.is_empty() => return Ok(constructors),
                Kind::Symbol | Kind::Quoted if lexer.bytes(token) == b"par" => {
                    return Err(Failure::new(token.at, PARAMETERS));
                }
                Kind::Symbol | Kind::Quoted => {
                    let symbol = self.fresh_name(token.at, lexer.bytes(token))?;
                    constructors.push(Written {
                        symbol,
                        fields: Vec::new(),
                    });
                }
                Kind::Open => {
                    let symbol = self.fresh_symbol(lexer)?;
                    let fields = self.read_fields(lexer)?;
                    constructors.push(Written { symbol, fields });
                }
                _ => return Err(unexpected(lexer, token, "a constructor")),
            }
        }
    }

    fn read_fields(&mut self, lexer: &mut Lexer) -> Result<Vec<(Symbol, Sort)>> {
        let mut fields = Vec::new();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Close => return Ok(fields),
                Kind::Open => {}
                _ => return Err(unexpected(lexer, token, "a selector and its sort")),
            }
            let selector = self.fresh_symbol(lexer)?;
            fields.push((selector, self.read_sort(lexer)?));
            expect(lexer, Kind::Close, "')'")?;
        }
    }

    /// Declares datatypes that have been read.
    fn add_datatypes(
        &mut self,
        terms: &mut Terms,
        at: usize,
        declared: Vec<(Symbol, Vec<Written>)>,
    ) -> Result<()> {
        let sort_of = |symbols: &crate::symbols::Symbols, symbol: Symbol| {
            Coded::named(refrain_term::quote_symbol(&symbols.name(symbol)))
        };
        let symbols = &self.reader.symbols;
        let coded: Vec<Coded> = declared.iter().map(|(s, _)| sort_of(symbols, *s)).collect();
        let mut names = rustc_hash::FxHashSet::default();
        for (_, constructors) in &declared {
            for written in constructors {
                let fields = written.fields.iter().map(|(selector, _)| *selector);
                for symbol in fields.chain([written.symbol]) {
                    if !names.insert(symbol) {
                        let name = symbols.name(symbol);
                        let message = format!("'{name}' is there twice");
                        return Err(Failure::new(at, message));
                    }
                }
            }
        }
        if is_recursive(&coded, &declared) {
            return Err(Failure::new(at, "recursive datatypes are not supported"));
        }
        for ((_, constructors), sort) in declared.into_iter().zip(coded) {
            self.add_datatype(terms, sort, constructors);
        }
        Ok(())
    }

    fn add_datatype(&mut self, terms: &mut Terms, coded: Coded, written: Vec<Written>) {
        let sort = Sort::Coded(coded);
        let mut constructors = Vec::new();
        for constructor in &written {
            let name = |symbol: Symbol| Box::from(&*self.reader.symbols.name(symbol));
            let fields = constructor.fields.iter();
            let fields = fields.map(|&(selector, sort)| (name(selector), sort));
            let (fields, name) = (fields.collect(), name(constructor.symbol));
            constructors.push(Constructor::new(terms, coded, &name, fields));
        }
        let datatype = Datatype::new(terms, coded, constructors);
        let mut tests = Vec::new();
        for (place, (constructor, written)) in
            datatype.constructors.iter().zip(&written).enumerate()
        {
            let element = parameter(terms, 0, sort);
            for (field, &(selector, of)) in constructor.fields.iter().zip(&written.fields) {
                let selected = terms.apply(field.selector, &[below(terms, element)]);
                let body = above(terms, of, selected);
                self.signatures.note_function(field.selector, &[sort], of);
                self.define_macro(terms, selector, vec![sort], body);
            }
            let sorts: Vec<Sort> = constructor.fields.iter().map(|field| field.sort).collect();
            let args = sorts.iter().enumerate();
            let args: Vec<Term> = args
                .map(|(at, &sort)| {
                    let argument = parameter(terms, at, sort);
                    canonical_below(terms, argument)
                })
                .collect();
            let made = constructor.build(terms, &args);
            match constructor.function() {
                Some(func) => self.signatures.note_function(func, &sorts, sort),
                None => self.signatures.note_symbol(made, sort),
            }
            let made = terms.surface(sort, made);
            if sorts.is_empty() {
                self.give_meaning(written.symbol, Meaning::Term(made));
            } else {
                self.define_macro(terms, written.symbol, sorts, made);
            }
            let tag = terms.apply(datatype.tag, &[below(terms, element)]);
            let place = terms.number(Sort::Int, Rational::from(place as i64));
            let is_made = terms.eq(tag, place);
            let test = [b"is-", self.reader.symbols.bytes(written.symbol)].concat();
            let test = self.reader.symbols.intern(&test);
            let macros = &mut self.reader.macros;
            macros.push(Macro::new(terms, vec![sort], is_made));
            let known = macros.len() as u32 - 1;
            if self.reader.symbols.is_free(test) {
                self.give_meaning(test, Meaning::Macro(known));
            }
            tests.push((written.symbol, known));
        }
        self.reader.datatypes.add(datatype, &tests);
    }

    fn define_macro(&mut self, terms: &mut Terms, symbol: Symbol, sorts: Vec<Sort>, body: Term) {
        self.reader.macros.push(Macro::new(terms, sorts, body));
        let known = self.reader.macros.len() as u32 - 1;
        self.give_meaning(symbol, Meaning::Macro(known));
    }

    /// A symbol that is about to be declared, of this name.
    fn fresh_name(&mut self, at: usize, name: &[u8]) -> Result<Symbol> {
        let symbol = self.reader.symbols.intern(name);
        if !self.reader.symbols.is_free(symbol) {
            let name = bytes::text(name);
            return Err(Failure::new(at, format!("'{name}' is already declared")));
        }
        Ok(symbol)
    }
}

const PARAMETERS: &str = "datatypes with parameters are not supported";

/// Whether an element of one of these sorts can hold one of the same sort, directly or in what it holds.
fn is_recursive(coded: &[Coded], declared: &[(Symbol, Vec<Written>)]) -> bool {
    // Which of the sorts each of them mentions.
    let mentioned: Vec<Vec<usize>> = declared
        .iter()
        .map(|(_, constructors)| {
            let fields = constructors.iter().flat_map(|written| &written.fields);
            let mut stack: Vec<Sort> = fields.map(|&(_, sort)| sort).collect();
            let mut found = Vec::new();
            while let Some(sort) = stack.pop() {
                let Sort::Coded(sort) = sort else { continue };
                if let Some((index, element)) = sort.sides() {
                    stack.extend([index, element]);
                }
                found.extend(coded.iter().position(|&other| other == sort));
            }
            found
        })
        .collect();
    (0..coded.len()).any(|start| {
        let mut seen = vec![false; coded.len()];
        let mut stack = mentioned[start].clone();
        while let Some(at) = stack.pop() {
            if at == start {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(&mentioned[at]);
            }
        }
        false
    })
}
