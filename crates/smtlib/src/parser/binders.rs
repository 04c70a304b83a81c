//! What binds names: `let`, quantifiers and `match`.

use refrain_term::{FuncId, Rational, Sort, Term, Terms};

use super::{Head, TermReader};
use crate::bytes;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer, Token};
use crate::quantifiers;
use crate::read::{expect, new_symbol, unexpected};
use crate::sorts::with_article;
use crate::surface::{above, below};
use crate::symbols::Meaning;

impl TermReader {
    /// The variables of a quantifier.
    pub(super) fn open_quantifier(
        &mut self,
        terms: &mut Terms,
        lexer: &mut Lexer,
        open: Token,
        universal: bool,
    ) -> Result<()> {
        expect(lexer, Kind::Open, "'(' and variables")?;
        let mut bound = 0;
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Open => {}
                Kind::Close if bound > 0 => break,
                _ => return Err(unexpected(lexer, token, "a variable")),
            }
            let (_, name) = new_symbol(lexer)?;
            let sort = self.sorts.read(lexer, &mut self.symbols)?;
            expect(lexer, Kind::Close, "')'")?;
            let var = quantifiers::bound_symbol(terms, self.bound.len(), sort);
            self.bound.push((var, sort));
            let symbol = self.symbols.intern(name);
            let term = above(terms, sort, var);
            self.symbols.shadow(symbol, Meaning::Term(term));
            bound += 1;
        }
        let naming_allowed = std::mem::replace(&mut self.naming_allowed, false);
        let head = Head::Quantifier {
            universal,
            bound,
            naming_allowed,
        };
        self.push(head, open.at);
        Ok(())
    }

    /// The pattern of a case, from its parenthesis on: what it binds holds in the term that follows.
    pub(super) fn open_case(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<()> {
        let frame = self.frames.last().expect("the match's own");
        let scrutinee = self.args[frame.args];
        let Sort::Coded(sort) = terms.sort(scrutinee) else {
            return Err(Failure::new(frame.at, "'match' takes data"));
        };
        let token = lexer.next_token()?;
        let is_open = token.kind == Kind::Open;
        let (at, name) = match token.kind {
            Kind::Symbol | Kind::Quoted => (token.at, lexer.bytes(token)),
            Kind::Open => {
                let (token, name) = new_symbol(lexer)?;
                (token.at, name)
            }
            _ => return Err(unexpected(lexer, token, "a pattern")),
        };
        let symbol = self.symbols.intern(name);
        let constructor = self.datatypes.constructor(symbol);
        let constructor = constructor.filter(|(datatype, _)| datatype.sort == sort);
        let mut bound = Vec::new();
        let condition = match constructor {
            None if is_open => {
                let name = bytes::text(name);
                let message = format!("'{name}' is no constructor of {}", sort.text());
                return Err(Failure::new(at, message));
            }
            None => {
                bound.push((symbol, scrutinee));
                Term::TRUE
            }
            Some((datatype, which)) => {
                let element = below(terms, scrutinee);
                let fields = datatype.constructors[which].fields.iter();
                let fields: Vec<(Sort, FuncId)> =
                    fields.map(|field| (field.sort, field.selector)).collect();
                let tag = terms.apply(datatype.tag, &[element]);
                if is_open || !fields.is_empty() {
                    for (sort, selector) in fields {
                        let (_, name) = new_symbol(lexer)?;
                        let selected = terms.apply(selector, &[element]);
                        bound.push((self.symbols.intern(name), above(terms, sort, selected)));
                    }
                    expect(lexer, Kind::Close, "')' after the constructor's fields")?;
                }
                let which = terms.number(Sort::Int, Rational::from(which as i64));
                terms.eq(tag, which)
            }
        };
        self.args.push(condition);
        for &(name, term) in &bound {
            self.symbols.shadow(name, Meaning::Term(term));
        }
        let frame = self.frames.last_mut().expect("the match's own");
        frame.head = Head::Case { bound: bound.len() };
        Ok(())
    }

    /// The term of a match, all of whose cases are read.
    pub(super) fn matched(&mut self, terms: &mut Terms) -> Result<Term> {
        let frame = self.frames.pop().expect("the match's own");
        let args = &mut self.args[frame.args..];
        let cases: Vec<(Term, Term)> = args[1..].chunks(2).map(|case| (case[0], case[1])).collect();
        let Sort::Coded(sort) = terms.sort(args[0]) else {
            unreachable!("data, or there are no cases")
        };
        self.args.truncate(frame.args);
        let count = self
            .datatypes
            .of_sort(sort)
            .map_or(0, |datatype| datatype.constructors.len());
        let mut conditions: Vec<Term> = cases.iter().map(|&(condition, _)| condition).collect();
        conditions.sort_unstable();
        conditions.dedup();
        if conditions.len() < count && !conditions.contains(&Term::TRUE) {
            return Err(Failure::new(frame.at, "not every constructor has a case"));
        }
        let (&(_, last), first) = cases.split_last().expect("a case or more");
        let mut result = last;
        for &(condition, term) in first.iter().rev() {
            if terms.sort(term) != terms.sort(result) {
                let sorts = [term, result].map(|term| with_article(terms.sort(term)));
                let message = format!("one case is {}, another {}", sorts[0], sorts[1]);
                return Err(Failure::new(frame.at, message));
            }
            result = terms.ite(condition, term, result);
        }
        Ok(result)
    }

    /// The first binding of `(let (…`.
    pub(super) fn open_let(&mut self, lexer: &mut Lexer, open: Token) -> Result<()> {
        expect(lexer, Kind::Open, "'(' and bindings")?;
        let token = lexer.next_token()?;
        match token.kind {
            Kind::Open => {}
            // Not in the grammar, but written by tools and read by solvers.
            Kind::Close => {
                self.push(Head::Body { bound: 0 }, open.at);
                return Ok(());
            }
            _ => return Err(unexpected(lexer, token, "a binding")),
        }
        let group = self.symbols.new_let();
        self.push(
            Head::Binding {
                names: self.names.len(),
                group,
            },
            open.at,
        );
        self.open_binding(lexer, group)
    }

    pub(super) fn open_binding(&mut self, lexer: &mut Lexer, group: u64) -> Result<()> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.symbols.intern(name);
        if !self.symbols.claim(symbol, group) {
            let name = bytes::text(name);
            return Err(Failure::new(
                token.at,
                format!("'{name}' is bound twice in this let"),
            ));
        }
        self.names.push(symbol);
        Ok(())
    }

    /// All bindings of a `let` are read: now they hold.
    pub(super) fn bind(&mut self, names: usize) {
        let frame = self.frames.last_mut().expect("the let's own");
        let bound = self.names.len() - names;
        for (&name, &term) in self.names[names..].iter().zip(&self.args[frame.args..]) {
            self.symbols.shadow(name, Meaning::Term(term));
        }
        self.names.truncate(names);
        self.args.truncate(frame.args);
        frame.head = Head::Body { bound };
    }
}
