//! Sorts as they are written: `Int`, `(_ BitVec 8)`, `(Array …)`, and names given by `declare-sort` and `define-sort`.
//!
//! Definitions are expanded as they are made. Reading uses a stack of its own; applications of sorts may nest as deep as
//! they like, up to a size.

use std::cell::Cell;
use std::rc::Rc;

use memchr::memmem;
use refrain_term::{Coded, Format, Sort, Term, Terms, quote_symbol};
use rustc_hash::FxHashMap;

use crate::arithmetic::coerced;
use crate::builtin::MAX_WIDTH;
use crate::bytes;
use crate::error::{Failure, Result};
use crate::floats;
use crate::lexer::{Kind, Lexer, Token};
use crate::read::{expect, index, symbol_bytes};
use crate::symbols::{Symbol, Symbols};

/// A sort that may mention the parameters of the definition it stands in.
#[derive(Clone, Debug)]
pub enum Shape {
    Known(Sort),
    Parameter(u32),
    Array(Rc<(Shape, Shape)>),
    /// A declared sort of sorts.
    Applied(Symbol, Rc<[Shape]>),
}

impl Shape {
    /// How many sorts it is written with.
    fn size(&self) -> usize {
        match self {
            Shape::Known(_) | Shape::Parameter(_) => 1,
            Shape::Array(sides) => 1 + sides.0.size() + sides.1.size(),
            Shape::Applied(_, args) => 1 + args.iter().map(Shape::size).sum::<usize>(),
        }
    }
}

#[derive(Clone, Debug)]
enum Definition {
    Body { parameters: u32, body: Shape },
    Declared { parameters: u32 },
}

impl Definition {
    fn parameters(&self) -> u32 {
        match *self {
            Definition::Body { parameters, .. } | Definition::Declared { parameters } => parameters,
        }
    }
}

/// How arrays over bit-vectors are represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Arrays {
    /// No array has been read yet.
    #[default]
    Undecided,
    /// As the solvers have them. They cannot be elements, indices or arguments.
    Native,
    /// As all other arrays.
    Coded,
}

/// The sorts that a script defined.
#[derive(Default)]
pub struct Sorts {
    defined: FxHashMap<Symbol, Definition>,
    /// In order of definition, to be taken back with their scope.
    order: Vec<Symbol>,
    arrays: Cell<Arrays>,
    /// Whether a coded sort has been read.
    any_coded: Cell<bool>,
}

/// Larger sorts than this are refused.
const MAX_SIZE: usize = 1000;

/// And those with longer texts.
const MAX_TEXT: usize = 1 << 14;

const TOO_LARGE: &str = "this sort is too large";

const NOT_ANY_MORE: &str = "arrays of bit-vectors were declared before: arrays of arrays and functions of arrays have to \
                            be declared first";

enum Head {
    Array,
    Defined(Symbol),
}

struct Frame {
    head: Head,
    at: usize,
    args: usize,
}

impl Sorts {
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Takes back the definitions since a mark; whether there were any.
    pub fn undefine(&mut self, mark: usize) -> bool {
        let any = self.order.len() > mark;
        for symbol in self.order.drain(mark..) {
            self.defined.remove(&symbol);
        }
        any
    }

    /// The definitions since a mark are for good.
    pub fn keep(&mut self, mark: usize) {
        self.order.truncate(mark);
    }

    /// Whether a name is free for a new definition. A script that is not about numbers may have an `Int` of its own.
    pub fn is_free(&self, name: &[u8], symbol: Symbol) -> bool {
        !matches!(name, b"Bool" | b"BitVec" | b"Array") && !self.defined.contains_key(&symbol)
    }

    /// Whether a name is a sort's, the script's or the theories'.
    pub fn knows(&self, name: &[u8], symbol: Symbol) -> bool {
        let theories: [&[u8]; 11] = [
            b"Bool",
            b"Int",
            b"Real",
            b"BitVec",
            b"Array",
            b"RoundingMode",
            b"FloatingPoint",
            b"Float16",
            b"Float32",
            b"Float64",
            b"Float128",
        ];
        theories.contains(&name) || self.defined.contains_key(&symbol)
    }

    pub fn define(&mut self, symbol: Symbol, parameters: usize, body: Shape, global: bool) {
        let parameters = parameters as u32;
        self.insert(symbol, Definition::Body { parameters, body }, global);
    }

    /// A sort of which nothing is known, made of so many others.
    pub fn declare(&mut self, symbol: Symbol, parameters: u32, global: bool) {
        self.any_coded.set(true);
        self.insert(symbol, Definition::Declared { parameters }, global);
    }

    fn insert(&mut self, symbol: Symbol, definition: Definition, global: bool) {
        self.defined.insert(symbol, definition);
        if !global {
            self.order.push(symbol);
        }
    }

    /// Whether a coded sort has been read.
    pub fn any_coded(&self) -> bool {
        self.any_coded.get()
    }

    /// Arrays over bit-vectors shall be able to be elements, indices and arguments. Fails if it is too late for that.
    pub fn code_arrays(&self) -> std::result::Result<(), &'static str> {
        if self.arrays.get() == Arrays::Native {
            return Err(NOT_ANY_MORE);
        }
        self.arrays.set(Arrays::Coded);
        Ok(())
    }

    /// Whether no array has been read yet.
    pub fn are_arrays_undecided(&self) -> bool {
        self.arrays.get() == Arrays::Undecided
    }

    /// As if no array had been read yet.
    pub fn forget_arrays(&self) {
        self.arrays.set(Arrays::Undecided);
    }

    fn array(&self, index: Sort, element: Sort) -> std::result::Result<Sort, &'static str> {
        if is_array(index) || is_array(element) {
            let is_native = |sort: Sort| matches!(sort, Sort::Array { .. });
            if self.are_arrays_undecided() || is_native(index) || is_native(element) {
                self.code_arrays()?;
            }
            if index.to_string().len() + element.to_string().len() > MAX_TEXT {
                return Err(TOO_LARGE);
            }
        }
        Ok(match (index, element) {
            (Sort::BitVec(index), Sort::BitVec(element)) if self.arrays.get() != Arrays::Coded => {
                self.arrays.set(Arrays::Native);
                Sort::Array { index, element }
            }
            _ => {
                self.any_coded.set(true);
                Sort::Coded(Coded::array(index, element))
            }
        })
    }

    /// Reads a sort without parameters.
    pub fn read(&self, lexer: &mut Lexer, symbols: &mut Symbols) -> Result<Sort> {
        let at = lexer.position();
        match self.read_shape(lexer, symbols, &[])? {
            Shape::Known(sort) => Ok(sort),
            _ => Err(Failure::new(at, "a sort without parameters is needed")),
        }
    }

    /// Reads a sort in which some symbols are parameters.
    pub fn read_shape(
        &self,
        lexer: &mut Lexer,
        symbols: &mut Symbols,
        parameters: &[Symbol],
    ) -> Result<Shape> {
        let was_undecided = self.are_arrays_undecided();
        let again = lexer.fork();
        match self.try_shape(lexer, symbols, parameters) {
            // Arrays in the sort were taken for what they are by themselves.
            Err(failure) if was_undecided && failure.message == NOT_ANY_MORE => {
                self.arrays.set(Arrays::Coded);
                *lexer = again;
                self.try_shape(lexer, symbols, parameters)
            }
            result => result,
        }
    }

    fn try_shape(
        &self,
        lexer: &mut Lexer,
        symbols: &mut Symbols,
        parameters: &[Symbol],
    ) -> Result<Shape> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut args: Vec<Shape> = Vec::new();
        loop {
            let token = lexer.next_token()?;
            let shape = match token.kind {
                Kind::Symbol | Kind::Quoted => self.named(lexer, token, symbols, parameters)?,
                Kind::Open => {
                    let head = lexer.next_token()?;
                    let name = symbol_bytes(lexer, head, "a sort")?;
                    if head.kind == Kind::Symbol && name == b"_" {
                        read_indexed(lexer)?
                    } else {
                        let head = match name {
                            b"Array" => Head::Array,
                            _ => Head::Defined(self.find(lexer, head, symbols)?),
                        };
                        frames.push(Frame {
                            head,
                            at: token.at,
                            args: args.len(),
                        });
                        continue;
                    }
                }
                Kind::Close if !frames.is_empty() => {
                    let frame = frames.pop().expect("checked");
                    let shape = self.applied(&frame, &args[frame.args..], symbols)?;
                    args.truncate(frame.args);
                    shape
                }
                _ => return Err(Failure::new(token.at, "a sort is needed here")),
            };
            if frames.is_empty() {
                return Ok(shape);
            }
            args.push(shape);
        }
    }

    fn find(&self, lexer: &Lexer, token: Token, symbols: &mut Symbols) -> Result<Symbol> {
        let name = lexer.bytes(token);
        let symbol = symbols.intern(name);
        if self.defined.contains_key(&symbol) {
            return Ok(symbol);
        }
        let name = bytes::text(name);
        let why = match &*name {
            "String" | "RegLan" | "Seq" | "List" | "Set" => " is not supported",
            "FloatingPoint" => " needs two numerals: (_ FloatingPoint 8 24)",
            "Bool" | "Int" | "Real" | "BitVec" => " takes no arguments of this kind",
            "Array" => " needs the sorts of its index and its elements",
            _ => "",
        };
        if why.is_empty() {
            return Err(Failure::new(token.at, format!("unknown sort '{name}'")));
        }
        Err(Failure::new(token.at, format!("sort '{name}'{why}")))
    }

    fn named(
        &self,
        lexer: &Lexer,
        token: Token,
        symbols: &mut Symbols,
        parameters: &[Symbol],
    ) -> Result<Shape> {
        let name = lexer.bytes(token);
        let symbol = symbols.intern(name);
        if let Some(parameter) = parameters.iter().position(|&p| p == symbol) {
            return Ok(Shape::Parameter(parameter as u32));
        }
        let known = match name {
            b"Bool" => Some(Sort::Bool),
            b"Int" => Some(Sort::Int),
            b"Real" => Some(Sort::Real),
            b"RoundingMode" => Some(Sort::RoundingMode),
            b"Float16" => Some(Sort::Float(Format::HALF)),
            b"Float32" => Some(Sort::Float(Format::SINGLE)),
            b"Float64" => Some(Sort::Float(Format::DOUBLE)),
            b"Float128" => Some(Sort::Float(Format::QUAD)),
            _ => None,
        };
        if let Some(sort) = known.filter(|_| !self.defined.contains_key(&symbol)) {
            return Ok(Shape::Known(sort));
        }
        let symbol = self.find(lexer, token, symbols)?;
        self.applied(
            &Frame {
                head: Head::Defined(symbol),
                at: token.at,
                args: 0,
            },
            &[],
            symbols,
        )
    }

    fn applied(&self, frame: &Frame, args: &[Shape], symbols: &Symbols) -> Result<Shape> {
        let shape = match frame.head {
            Head::Array => {
                let [index, element] = args else {
                    return Err(Failure::new(
                        frame.at,
                        format!("'Array' takes 2 sorts, {} given", args.len()),
                    ));
                };
                self.array_of(index.clone(), element.clone())
            }
            Head::Defined(symbol) => {
                let definition = &self.defined[&symbol];
                if definition.parameters() as usize != args.len() {
                    let (name, wanted) = (symbols.name(symbol), definition.parameters());
                    let message =
                        format!("sort '{name}' takes {wanted} sorts, {} given", args.len());
                    return Err(Failure::new(frame.at, message));
                }
                match definition {
                    Definition::Body { body, .. } => self.instance(body, args, symbols),
                    Definition::Declared { .. } => declared(symbol, args, symbols),
                }
            }
        };
        let shape = shape.map_err(|message| Failure::new(frame.at, message))?;
        if shape.size() > MAX_SIZE {
            return Err(Failure::new(frame.at, TOO_LARGE));
        }
        Ok(shape)
    }

    fn array_of(&self, index: Shape, element: Shape) -> std::result::Result<Shape, &'static str> {
        match (&index, &element) {
            (&Shape::Known(index), &Shape::Known(element)) => {
                self.array(index, element).map(Shape::Known)
            }
            _ => Ok(Shape::Array(Rc::new((index, element)))),
        }
    }

    /// The body of a definition with these sorts for its parameters.
    fn instance(
        &self,
        body: &Shape,
        args: &[Shape],
        symbols: &Symbols,
    ) -> std::result::Result<Shape, &'static str> {
        match body {
            Shape::Known(sort) => Ok(Shape::Known(*sort)),
            Shape::Parameter(p) => Ok(args[*p as usize].clone()),
            Shape::Array(sides) => {
                let index = self.instance(&sides.0, args, symbols)?;
                let element = self.instance(&sides.1, args, symbols)?;
                self.array_of(index, element)
            }
            Shape::Applied(symbol, inner) => {
                let inner = inner
                    .iter()
                    .map(|shape| self.instance(shape, args, symbols))
                    .collect::<std::result::Result<Vec<Shape>, _>>()?;
                declared(*symbol, &inner, symbols)
            }
        }
    }
}

/// A declared sort of these sorts.
fn declared(
    symbol: Symbol,
    args: &[Shape],
    symbols: &Symbols,
) -> std::result::Result<Shape, &'static str> {
    let mut text = quote_symbol(&symbols.name(symbol));
    for arg in args {
        let Shape::Known(sort) = arg else {
            return Ok(Shape::Applied(symbol, args.into()));
        };
        text += &format!(" {sort}");
        if text.len() > MAX_TEXT {
            return Err(TOO_LARGE);
        }
    }
    if !args.is_empty() {
        text = format!("({text})");
    }
    Ok(Shape::Known(Sort::Coded(Coded::named(text))))
}

/// Whether a script has arrays within sorts that are not made of bit-vectors alone: within arrays and data, and as
/// arguments and results of functions. It is only looked through, so it may seem so where it is not.
pub fn mentions_arrays_within(script: &[u8]) -> bool {
    if memmem::find(script, ARRAY).is_none() {
        return false;
    }
    let mut arrays = ArraySorts::default();
    for command in commands(script, b"define-sort") {
        let mut parts = command.splitn(2, u8::is_ascii_whitespace);
        if let (Some(name), Some(rest)) = (parts.next(), parts.next())
            && arrays.are_in(rest)
        {
            arrays.names.push(name);
        }
    }
    let is_within_array = memmem::find_iter(script, ARRAY).any(|start| {
        let text = &script[start..];
        arrays.are_in(&text[1..enclosed(text)])
    });
    let is_of_function = |command: &[u8]| {
        let Some(open) = memchr::memchr(b'(', command) else {
            return false;
        };
        let (args, result) = command[open..].split_at(enclosed(&command[open..]));
        let has_args = args
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count()
            > 2;
        has_args && (arrays.are_in(args) || arrays.are_in(result))
    };
    is_within_array
        || commands(script, b"declare-fun").any(is_of_function)
        || commands(script, b"declare-datatype").any(|command| arrays.are_in(command))
}

const ARRAY: &[u8] = b"(Array";

/// The names that a script has for arrays.
#[derive(Default)]
struct ArraySorts<'s> {
    names: Vec<&'s [u8]>,
}

impl ArraySorts<'_> {
    fn are_in(&self, text: &[u8]) -> bool {
        let ends = |byte: Option<&u8>| {
            byte.is_none_or(|byte| byte.is_ascii_whitespace() || b"()".contains(byte))
        };
        let mut names = self.names.iter();
        memmem::find(text, ARRAY).is_some()
            || names.any(|name| {
                memmem::find_iter(text, name).any(|at| {
                    let before = at.checked_sub(1).and_then(|before| text.get(before));
                    ends(before) && ends(text.get(at + name.len()))
                })
            })
    }
}

/// What follows this word in each command that seems to begin with it, or with a longer one.
fn commands<'s>(script: &'s [u8], word: &'s [u8]) -> impl Iterator<Item = &'s [u8]> {
    memmem::find_iter(script, word).map(move |at| {
        let begin = at.saturating_sub(1);
        let text = &script[begin..begin + enclosed(&script[begin..])];
        text.get(1 + word.len()..).unwrap_or_default().trim_ascii()
    })
}

/// How long a text is, up to the parenthesis that closes the first one.
fn enclosed(text: &[u8]) -> usize {
    let mut depth = 0usize;
    for at in memchr::memchr2_iter(b'(', b')', text) {
        match text[at] {
            b'(' => depth += 1,
            _ if depth <= 1 => return at + 1,
            _ => depth -= 1,
        }
    }
    text.len()
}

/// Whether these are arrays, however they are represented.
pub fn is_array(sort: Sort) -> bool {
    match sort {
        Sort::Array { .. } => true,
        Sort::Coded(coded) => coded.sides().is_some(),
        _ => false,
    }
}

/// A sort as messages speak of one of its terms.
pub fn with_article(sort: Sort) -> String {
    match sort {
        Sort::Int => format!("an {sort}"),
        _ => format!("a {sort}"),
    }
}

/// The term at this place, as one of the sort that is needed there.
pub fn of_sort(terms: &mut Terms, at: usize, term: Term, wanted: Sort) -> Result<Term> {
    let term = coerced(terms, term, wanted);
    match terms.sort(term) {
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

/// The rest of `(_ BitVec n)` or `(_ FloatingPoint n m)`.
fn read_indexed(lexer: &mut Lexer) -> Result<Shape> {
    let name = lexer.next_token()?;
    if name.kind == Kind::Symbol && lexer.bytes(name) == b"FloatingPoint" {
        let (exponent, significand) = (index(lexer)?, index(lexer)?);
        let format = floats::format(exponent, significand);
        let format = format.map_err(|message| Failure::new(name.at, message))?;
        expect(lexer, Kind::Close, "')'")?;
        return Ok(Shape::Known(Sort::Float(format)));
    }
    if name.kind != Kind::Symbol || lexer.bytes(name) != b"BitVec" {
        let name_text = bytes::text(lexer.bytes(name)).into_owned();
        return Err(Failure::new(
            name.at,
            format!("unknown indexed sort '{name_text}'"),
        ));
    }
    let at = lexer.position();
    let width = index(lexer)?;
    if width == 0 {
        return Err(Failure::new(
            at,
            "the width of a bit-vector must be greater than zero",
        ));
    }
    if width > MAX_WIDTH {
        return Err(Failure::new(
            at,
            format!("bit-vectors have at most {MAX_WIDTH} bits"),
        ));
    }
    expect(lexer, Kind::Close, "')'")?;
    Ok(Shape::Known(Sort::BitVec(width)))
}
