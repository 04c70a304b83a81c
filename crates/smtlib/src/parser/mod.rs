//! Terms: from tokens straight to the arena.
//!
//! No tree is built in between. What is open is on a stack of frames, the arguments that have been read are on a
//! stack of terms, so depth costs memory and nothing else. An application is built, and checked, when its parenthesis
//! closes.

mod binders;
mod literals;

use refrain_term::{FuncId, Sort, Term, Terms};

use crate::arithmetic::coerced;
use crate::builtin::{self, Builtin, MAX_WIDTH, Shape};
use crate::bytes;
use crate::coded::arrays;
use crate::coded::datatypes::Datatypes;
use crate::counting;
use crate::error::{Failure, Result};
use crate::floats::{self, Floats};
use crate::lexer::{Kind, Lexer, Token};
use crate::macros::Macro;
use crate::quantifiers::{Bound, Quantifiers};
use crate::read::{decimal, expect, index, new_symbol, skip_expression, unexpected};
use crate::sorts::{Sorts, is_array, with_article};
use crate::surface::{above, canonical_below};
use crate::symbols::{Meaning, Symbol, Symbols};
use literals::{binary, hexadecimal, large_decimal, number};

/// What is being read.
#[derive(Clone, Copy)]
enum Head {
    Builtin(&'static Builtin),
    /// With one or two numerals.
    Indexed(&'static Builtin, [u32; 2]),
    /// With the numerals from this place on.
    Counting(&'static Builtin, counting::Bound, usize),
    Function(FuncId),
    Macro(u32),
    /// `(as const …)`.
    ConstArray(Sort),
    /// `(! t …`: the term.
    Annotated,
    /// `(let ((x t`: the term of a binding.
    Binding {
        names: usize,
        group: u64,
    },
    /// `(let (…) t`: the body.
    Body {
        bound: usize,
    },
    /// `(forall (…) t`: the body.
    Quantifier {
        universal: bool,
        bound: usize,
        naming_allowed: bool,
    },
    /// `(match t`: the term whose cases follow.
    Scrutinee,
    /// `(match t ((p t) … (p t`: the term of a case. Of the arguments the first is the scrutinee; each case before has
    /// its condition and its term there.
    Case {
        bound: usize,
    },
}

struct Frame {
    head: Head,
    /// Where the parenthesis opened.
    at: usize,
    /// Where its arguments begin.
    args: usize,
}

/// Reads terms. The stacks keep their memory from term to term.
pub struct TermReader {
    pub symbols: Symbols,
    pub sorts: Sorts,
    pub macros: Vec<Macro>,
    pub datatypes: Datatypes,
    pub quantifiers: Quantifiers,
    /// The variables of the quantifiers that are open.
    bound: Vec<Bound>,
    /// What numerals are: Int, or Real in logics that have no integers.
    pub numerals: Sort,
    frames: Vec<Frame>,
    args: Vec<Term>,
    /// Of the bounds that are open.
    numerals_of_bounds: Vec<u64>,
    names: Vec<Symbol>,
    /// The terms named in the last term, by `:named`; the whole term's own name, if any, is the last.
    pub named: Vec<(Symbol, Term)>,
    /// The name of the last term as a whole.
    pub outermost_name: Option<Symbol>,
    /// Inside of a function with parameters nothing can be named.
    pub naming_allowed: bool,
}

impl TermReader {
    pub fn new() -> TermReader {
        TermReader {
            symbols: Symbols::new(),
            sorts: Sorts::default(),
            macros: Vec::new(),
            datatypes: Datatypes::default(),
            quantifiers: Quantifiers::default(),
            bound: Vec::new(),
            numerals: Sort::Int,
            frames: Vec::new(),
            args: Vec::new(),
            numerals_of_bounds: Vec::new(),
            names: Vec::new(),
            named: Vec::new(),
            outermost_name: None,
            naming_allowed: true,
        }
    }

    /// Reads one term.
    pub fn read(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Term> {
        self.named.clear();
        self.outermost_name = None;
        let result = self.read_term(terms, lexer);
        if result.is_err() {
            self.frames.clear();
            self.args.clear();
            self.numerals_of_bounds.clear();
            self.names.clear();
            self.bound.clear();
            self.naming_allowed = true;
            self.symbols.unshadow_all();
        }
        result
    }

    fn read_term(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Term> {
        loop {
            let token = lexer.next_token()?;
            let value = match token.kind {
                Kind::Symbol | Kind::Quoted => self.constant(terms, lexer, token)?,
                Kind::Open => match self.open(terms, lexer, token)? {
                    Some(value) => value,
                    None => continue,
                },
                Kind::Close => self.close(terms, lexer, token)?,
                Kind::Hex => hexadecimal(terms, lexer, token)?,
                Kind::Binary => binary(terms, lexer, token)?,
                Kind::Numeral => number(terms, lexer, token, self.numerals)?,
                Kind::Decimal => number(terms, lexer, token, Sort::Real)?,
                _ => return Err(not_a_term(lexer, token)),
            };
            if let Some(done) = self.deliver(terms, lexer, value)? {
                return Ok(done);
            }
        }
    }

    /// A symbol that stands for a term.
    #[inline]
    fn constant(&self, terms: &mut Terms, lexer: &Lexer, token: Token) -> Result<Term> {
        match self.symbols.lookup(lexer.bytes(token)) {
            Meaning::Term(term) => Ok(term),
            meaning => self.no_constant(terms, lexer, token, meaning),
        }
    }

    #[cold]
    fn no_constant(
        &self,
        terms: &mut Terms,
        lexer: &Lexer,
        token: Token,
        meaning: Meaning,
    ) -> Result<Term> {
        let name = lexer.bytes(token);
        let shown = bytes::text(name);
        match meaning {
            Meaning::Unknown => match self.named_just_now(name) {
                Some(term) => Ok(term),
                None => {
                    let hint = match shown.strip_prefix('-').filter(|_| is_negative(name)) {
                        Some(digits) => format!("; a negative number is written (- {digits})"),
                        None => String::new(),
                    };
                    Err(Failure::new(
                        token.at,
                        format!("unknown constant {shown}{hint}"),
                    ))
                }
            },
            Meaning::Builtin(builtin)
                if matches!(builtin.shape, Shape::Floats(Floats::Mode(_))) =>
            {
                builtin::apply(terms, builtin, [0; 2], &mut [])
                    .map_err(|message| Failure::new(token.at, message))
            }
            Meaning::Macro(index) if self.macros[index as usize].parameters.is_empty() => {
                unreachable!("a function without parameters is a constant")
            }
            _ => Err(Failure::new(
                token.at,
                format!("'{shown}' is a function, arguments expected"),
            )),
        }
    }

    /// The term that a `:named` earlier in the same command gave this name.
    fn named_just_now(&self, name: &[u8]) -> Option<Term> {
        self.named
            .iter()
            .find(|(symbol, _)| self.symbols.bytes(*symbol) == name)
            .map(|&(_, term)| term)
    }

    fn push(&mut self, head: Head, at: usize) {
        self.frames.push(Frame {
            head,
            at,
            args: self.args.len(),
        });
    }

    /// After a parenthesis: a whole constant such as `(_ bv1 8)`, or the head of what is now open.
    fn open(&mut self, terms: &mut Terms, lexer: &mut Lexer, open: Token) -> Result<Option<Term>> {
        let token = lexer.next_token()?;
        match token.kind {
            Kind::Symbol => {
                let name = lexer.bytes(token);
                match name {
                    b"_" => return self.indexed_constant(terms, lexer).map(Some),
                    b"let" => {
                        self.open_let(lexer, open)?;
                        return Ok(None);
                    }
                    b"!" => self.push(Head::Annotated, open.at),
                    b"as" => return self.ascribed_constant(terms, lexer).map(Some),
                    b"forall" | b"exists" => {
                        self.open_quantifier(terms, lexer, open, name == b"forall")?;
                    }
                    b"match" => self.push(Head::Scrutinee, open.at),
                    _ => self.open_function(lexer, open, token)?,
                }
            }
            Kind::Quoted => self.open_function(lexer, open, token)?,
            Kind::Open => self.open_qualified(terms, lexer, open)?,
            _ => return Err(unexpected(lexer, token, "a function")),
        }
        Ok(None)
    }

    #[inline]
    fn open_function(&mut self, lexer: &Lexer, open: Token, token: Token) -> Result<()> {
        let head = match self.symbols.lookup(lexer.bytes(token)) {
            Meaning::Builtin(builtin) if builtin.indices == 0 => Head::Builtin(builtin),
            Meaning::Function(func) => Head::Function(func),
            Meaning::Macro(index) => Head::Macro(index),
            meaning => {
                let name = bytes::text(lexer.bytes(token));
                let message = match meaning {
                    Meaning::Builtin(builtin) => {
                        let plural = if builtin.indices == 1 { "" } else { "s" };
                        format!(
                            "'{name}' needs {} numeral{plural}: (_ {name} …)",
                            builtin.indices
                        )
                    }
                    Meaning::Term(_) => format!("'{name}' is a constant, not a function"),
                    _ => format!("unknown function {name}"),
                };
                return Err(Failure::new(token.at, message));
            }
        };
        self.push(head, open.at);
        Ok(())
    }

    /// `((_ f i…)` or `((as const S)`.
    fn open_qualified(&mut self, terms: &Terms, lexer: &mut Lexer, open: Token) -> Result<()> {
        let token = lexer.next_token()?;
        let word = if token.kind == Kind::Symbol {
            lexer.bytes(token)
        } else {
            b""
        };
        match word {
            b"_" => {
                let token = lexer.next_token()?;
                let name = lexer.bytes(token);
                if name == b"is" {
                    return self.open_test(lexer, open);
                }
                let Meaning::Builtin(builtin) = self.symbols.lookup(name) else {
                    let name = bytes::text(name);
                    return Err(Failure::new(
                        token.at,
                        format!("unknown indexed function '{name}'"),
                    ));
                };
                if let Shape::Counting(bound) = builtin.shape {
                    return self.open_bound(lexer, open, builtin, bound);
                }
                let mut indices = [0; 2];
                for place in &mut indices[..builtin.indices] {
                    *place = index(lexer)?;
                }
                let close = lexer.next_token()?;
                if close.kind != Kind::Close {
                    let wanted = builtin.indices;
                    let message =
                        format!("'{}' takes {wanted} numerals and then ')'", builtin.name);
                    return Err(Failure::new(close.at, message));
                }
                self.push(Head::Indexed(builtin, indices), open.at);
                Ok(())
            }
            b"as" => {
                let token = lexer.next_token()?;
                if token.kind == Kind::Symbol && lexer.bytes(token) == b"const" {
                    let at = lexer.position();
                    let sort = self.sorts.read(lexer, &mut self.symbols)?;
                    if !is_array(sort) {
                        return Err(Failure::new(
                            at,
                            format!("'const' needs the sort of an array, not {sort}"),
                        ));
                    }
                    expect(lexer, Kind::Close, "')'")?;
                    self.push(Head::ConstArray(sort), open.at);
                    return Ok(());
                }
                let sort = self.sorts.read(lexer, &mut self.symbols)?;
                expect(lexer, Kind::Close, "')'")?;
                self.open_function(lexer, open, token)?;
                if let Some(&Frame {
                    head: Head::Function(func),
                    ..
                }) = self.frames.last()
                {
                    let result = terms.func_decl(func).result;
                    if result != sort {
                        return Err(Failure::new(
                            token.at,
                            format!("this function is to {result}, not to {sort}"),
                        ));
                    }
                }
                Ok(())
            }
            _ => Err(unexpected(lexer, token, "'_' or 'as'")),
        }
    }

    /// The numerals of `((_ pble k w …)` or `((_ at-most k)`.
    fn open_bound(
        &mut self,
        lexer: &mut Lexer,
        open: Token,
        builtin: &'static Builtin,
        bound: counting::Bound,
    ) -> Result<()> {
        let first = self.numerals_of_bounds.len();
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Numeral => {
                    let value = decimal(lexer.bytes(token));
                    let value =
                        value.ok_or_else(|| Failure::new(token.at, "this number is too large"))?;
                    self.numerals_of_bounds.push(value);
                }
                Kind::Close if self.numerals_of_bounds.len() > first => break,
                _ => return Err(unexpected(lexer, token, "a numeral")),
            }
        }
        self.push(Head::Counting(builtin, bound, first), open.at);
        Ok(())
    }

    /// The rest of `((_ is c)`.
    fn open_test(&mut self, lexer: &mut Lexer, open: Token) -> Result<()> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.symbols.intern(name);
        let Some(test) = self.datatypes.test(symbol) else {
            let name = bytes::text(name);
            return Err(Failure::new(
                token.at,
                format!("'{name}' is no constructor"),
            ));
        };
        expect(lexer, Kind::Close, "')'")?;
        self.push(Head::Macro(test), open.at);
        Ok(())
    }

    /// The rest of `(_ bvN w)`.
    #[inline]
    fn indexed_constant(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Term> {
        let token = lexer.next_token()?;
        let name = lexer.bytes(token);
        let digits = match name.strip_prefix(b"bv") {
            Some(digits) if token.kind == Kind::Symbol && digits.iter().all(u8::is_ascii_digit) => {
                digits
            }
            _ if token.kind == Kind::Symbol
                && matches!(name, b"+oo" | b"-oo" | b"+zero" | b"-zero" | b"NaN") =>
            {
                let (exponent, significand) = (index(lexer)?, index(lexer)?);
                let format = floats::format(exponent, significand)
                    .map_err(|message| Failure::new(token.at, message))?;
                expect(lexer, Kind::Close, "')'")?;
                return Ok(floats::constant(terms, name, format).expect("one of these names"));
            }
            _ => {
                return Err(Failure::new(
                    token.at,
                    "a term expected here; of indexed constants only (_ bvN w) and those of floats are known",
                ));
            }
        };
        let at = lexer.position();
        let width = index(lexer)?;
        if width == 0 || width > MAX_WIDTH {
            return Err(Failure::new(
                at,
                format!("the width of a bit-vector is from 1 to {MAX_WIDTH}"),
            ));
        }
        expect(lexer, Kind::Close, "')'")?;
        match decimal(digits) {
            Some(value) if width < 64 && value >> width != 0 => Err(Failure::new(
                token.at,
                format!("{value} does not fit in {width} bits"),
            )),
            Some(value) => Ok(terms.bv(width, value)),
            None => large_decimal(terms, token, digits, width),
        }
    }

    /// The rest of `(as c S)`.
    fn ascribed_constant(&mut self, terms: &mut Terms, lexer: &mut Lexer) -> Result<Term> {
        let token = lexer.next_token()?;
        if !matches!(token.kind, Kind::Symbol | Kind::Quoted) {
            return Err(unexpected(lexer, token, "a symbol"));
        }
        let term = self.constant(terms, lexer, token)?;
        let sort = self.sorts.read(lexer, &mut self.symbols)?;
        expect(lexer, Kind::Close, "')'")?;
        if terms.sort(term) != sort {
            return Err(Failure::new(
                token.at,
                format!(
                    "this is {}, not {}",
                    with_article(terms.sort(term)),
                    with_article(sort)
                ),
            ));
        }
        Ok(term)
    }

    /// A parenthesis closes where a term was expected: an application is complete.
    #[inline]
    fn close(&mut self, terms: &mut Terms, lexer: &Lexer, token: Token) -> Result<Term> {
        let Some(frame) = self.frames.last() else {
            return Err(unexpected(lexer, token, "a term"));
        };
        let args = &mut self.args[frame.args..];
        let built = match frame.head {
            Head::Builtin(builtin) => builtin::apply(terms, builtin, [0; 2], args),
            Head::Indexed(builtin, indices) => builtin::apply(terms, builtin, indices, args),
            Head::Counting(builtin, bound, first) => {
                let numerals = &self.numerals_of_bounds[first..];
                let built = counting::apply(terms, builtin, bound, numerals, args);
                self.numerals_of_bounds.truncate(first);
                built
            }
            Head::Function(func) => {
                coerce_arguments(terms, args, |terms, place| {
                    terms.func_decl(func).args.get(place).copied()
                });
                let wanted = &terms.func_decl(func).args;
                check_arguments(terms, wanted, args).map(|()| terms.apply(func, args))
            }
            Head::Macro(index) => {
                let function = &self.macros[index as usize];
                coerce_arguments(terms, args, |_, place| {
                    function.parameters.get(place).copied()
                });
                let checked = check_arguments(terms, &function.parameters, args);
                checked.map(|()| function.instantiate(terms, args))
            }
            Head::ConstArray(sort) => const_array(terms, sort, args),
            Head::Annotated
            | Head::Binding { .. }
            | Head::Body { .. }
            | Head::Quantifier { .. }
            | Head::Scrutinee
            | Head::Case { .. } => {
                return Err(unexpected(lexer, token, "a term"));
            }
        };
        let at = frame.at;
        self.args.truncate(frame.args);
        self.frames.pop();
        built.map_err(|message| Failure::new(at, message))
    }

    /// Hands a value to what is open around it; gives it back if nothing is.
    #[inline]
    fn deliver(
        &mut self,
        terms: &mut Terms,
        lexer: &mut Lexer,
        mut value: Term,
    ) -> Result<Option<Term>> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Ok(Some(value));
            };
            match frame.head {
                Head::Binding { names, group } => {
                    self.args.push(value);
                    terms.note_assigned(value);
                    expect(lexer, Kind::Close, "')'")?;
                    let token = lexer.next_token()?;
                    match token.kind {
                        Kind::Open => self.open_binding(lexer, group)?,
                        Kind::Close => self.bind(names),
                        _ => return Err(unexpected(lexer, token, "a binding or ')'")),
                    }
                    return Ok(None);
                }
                Head::Body { bound } => {
                    expect(lexer, Kind::Close, "')'")?;
                    self.symbols.unshadow(bound);
                    self.frames.pop();
                }
                Head::Annotated => {
                    self.attributes(lexer, value)?;
                    self.frames.pop();
                }
                Head::Quantifier {
                    universal,
                    bound,
                    naming_allowed,
                } => {
                    let at = frame.at;
                    expect(lexer, Kind::Close, "')'")?;
                    if terms.sort(value) != Sort::Bool {
                        let sort = with_article(terms.sort(value));
                        let message = format!("a quantifier takes a Bool, not {sort}");
                        return Err(Failure::new(at, message));
                    }
                    self.symbols.unshadow(bound);
                    self.naming_allowed = naming_allowed;
                    let vars = self.bound.split_off(self.bound.len() - bound);
                    let datatypes = &self.datatypes;
                    value = self
                        .quantifiers
                        .quantify(terms, datatypes, universal, &vars, value);
                    self.frames.pop();
                }
                Head::Scrutinee => {
                    self.args.push(value);
                    expect(lexer, Kind::Open, "'(' and cases")?;
                    expect(lexer, Kind::Open, "'(' and a case")?;
                    self.open_case(terms, lexer)?;
                    return Ok(None);
                }
                Head::Case { bound } => {
                    self.args.push(value);
                    expect(lexer, Kind::Close, "')'")?;
                    self.symbols.unshadow(bound);
                    let token = lexer.next_token()?;
                    match token.kind {
                        Kind::Open => {
                            self.open_case(terms, lexer)?;
                            return Ok(None);
                        }
                        Kind::Close => {
                            expect(lexer, Kind::Close, "')'")?;
                            value = self.matched(terms)?;
                        }
                        _ => return Err(unexpected(lexer, token, "a case or ')'")),
                    }
                }
                _ => {
                    self.args.push(value);
                    return Ok(None);
                }
            }
        }
    }

    /// The attributes of `(! t …)`, up to its parenthesis.
    fn attributes(&mut self, lexer: &mut Lexer, term: Term) -> Result<()> {
        let mut count = 0;
        loop {
            let token = lexer.next_token()?;
            match token.kind {
                Kind::Keyword if lexer.bytes(token) == b"named" => self.name(lexer, term)?,
                Kind::Keyword => {
                    if !matches!(
                        lexer.fork().next_token()?.kind,
                        Kind::Keyword | Kind::Close | Kind::End
                    ) {
                        skip_expression(lexer)?;
                    }
                }
                Kind::Close if count > 0 => return Ok(()),
                _ => return Err(unexpected(lexer, token, "an attribute")),
            }
            count += 1;
        }
    }

    fn name(&mut self, lexer: &mut Lexer, term: Term) -> Result<()> {
        let (token, name) = new_symbol(lexer)?;
        let symbol = self.symbols.intern(name);
        let shown = || bytes::text(name);
        if !self.naming_allowed {
            return Err(Failure::new(
                token.at,
                "a term that depends on parameters cannot be named",
            ));
        }
        if !self.symbols.is_free(symbol) || self.named.iter().any(|named| named.0 == symbol) {
            return Err(Failure::new(
                token.at,
                format!("'{}' is already declared", shown()),
            ));
        }
        self.named.push((symbol, term));
        if self.frames.len() == 1 {
            self.outermost_name = Some(symbol);
        }
        Ok(())
    }
}

/// Integer constants become real where the parameter is.
#[inline]
fn coerce_arguments(
    terms: &mut Terms,
    args: &mut [Term],
    wanted: impl Fn(&Terms, usize) -> Option<Sort>,
) {
    for (place, arg) in args.iter_mut().enumerate() {
        if let Some(sort) = wanted(terms, place) {
            *arg = coerced(terms, *arg, sort);
        }
    }
}

fn check_arguments(
    terms: &Terms,
    wanted: &[Sort],
    args: &[Term],
) -> std::result::Result<(), String> {
    if wanted.len() != args.len() {
        let plural = if wanted.len() == 1 { "" } else { "s" };
        return Err(format!(
            "this function takes {} argument{plural}, {} given",
            wanted.len(),
            args.len()
        ));
    }
    let mut pairs = wanted.iter().zip(args).enumerate();
    match pairs.find(|(_, (wanted, arg))| terms.sort(**arg) != **wanted) {
        None => Ok(()),
        Some((place, (&wanted, &arg))) => Err(format!(
            "argument {} is {} where {} is needed",
            place + 1,
            with_article(terms.sort(arg)),
            with_article(wanted)
        )),
    }
}

fn const_array(
    terms: &mut Terms,
    sort: Sort,
    args: &mut [Term],
) -> std::result::Result<Term, String> {
    match sort {
        Sort::Array { index, element } => {
            check_arguments(terms, &[Sort::BitVec(element)], args)?;
            Ok(terms.const_array(index, args[0]))
        }
        Sort::Coded(coded) => {
            let (_, element) = coded.sides().expect("an array");
            coerce_arguments(terms, args, |_, _| Some(element));
            check_arguments(terms, &[element], args)?;
            let element = canonical_below(terms, args[0]);
            let array = arrays::constant(terms, coded, element);
            Ok(above(terms, sort, array))
        }
        _ => unreachable!("arrays"),
    }
}

/// Whether a symbol looks like a number with a sign.
fn is_negative(name: &[u8]) -> bool {
    name.len() > 1 && name[1..].iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

#[cold]
fn not_a_term(lexer: &Lexer, token: Token) -> Box<Failure> {
    match token.kind {
        Kind::Str => Failure::new(token.at, "strings are not supported in terms"),
        _ => unexpected(lexer, token, "a term"),
    }
}
