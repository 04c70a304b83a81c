//! Sorts as they are written: `Int`, `(_ BitVec 8)`, `(Array …)`, and names given by `define-sort`.
//!
//! Definitions are expanded as they are made, so a sort never nests: an array is over bit-vectors, or over parameters
//! that stand for some. Reading uses a stack of its own; applications of defined sorts may nest as deep as they like.

use refrain_term::{Format, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use crate::arithmetic::coerced;
use crate::builtin::MAX_WIDTH;
use crate::error::{Failure, Result};
use crate::floats;
use crate::lexer::{Kind, Lexer, Token};
use crate::read::{expect, index, symbol_bytes};
use crate::symbols::{Symbol, Symbols};

/// A sort that may mention the parameters of the definition it stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Known(Sort),
    Parameter(u32),
    Array(Side, Side),
}

/// The index or the element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Width(u32),
    Parameter(u32),
}

#[derive(Clone, Debug)]
struct Definition {
    parameters: u32,
    body: Shape,
}

/// The sorts that a script defined.
#[derive(Default)]
pub struct Sorts {
    defined: FxHashMap<Symbol, Definition>,
    /// In order of definition, to be taken back with their scope.
    order: Vec<Symbol>,
}

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
        self.defined.insert(
            symbol,
            Definition {
                parameters: parameters as u32,
                body,
            },
        );
        if !global {
            self.order.push(symbol);
        }
    }

    /// Reads a sort without parameters.
    pub fn read(&self, lexer: &mut Lexer, symbols: &mut Symbols) -> Result<Sort> {
        let at = lexer.position();
        match self.read_shape(lexer, symbols, &[])? {
            Shape::Known(sort) => Ok(sort),
            Shape::Parameter(_) | Shape::Array(..) => {
                Err(Failure::new(at, "a sort without parameters is needed"))
            }
        }
    }

    /// Reads a sort in which some symbols are parameters.
    pub fn read_shape(
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
        let name = String::from_utf8_lossy(name);
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
        match frame.head {
            Head::Array => {
                let &[index, element] = args else {
                    return Err(Failure::new(
                        frame.at,
                        format!("'Array' takes 2 sorts, {} given", args.len()),
                    ));
                };
                array(side(index, frame.at)?, side(element, frame.at)?)
            }
            Head::Defined(symbol) => {
                let definition = &self.defined[&symbol];
                if definition.parameters as usize != args.len() {
                    let (name, wanted) = (symbols.name(symbol), definition.parameters);
                    let message =
                        format!("sort '{name}' takes {wanted} sorts, {} given", args.len());
                    return Err(Failure::new(frame.at, message));
                }
                let instance = |s: Side| match s {
                    Side::Width(_) => Ok(s),
                    Side::Parameter(p) => side(args[p as usize], frame.at),
                };
                match definition.body {
                    Shape::Known(sort) => Ok(Shape::Known(sort)),
                    Shape::Parameter(p) => Ok(args[p as usize]),
                    Shape::Array(index, element) => array(instance(index)?, instance(element)?),
                }
            }
        }
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

fn array(index: Side, element: Side) -> Result<Shape> {
    Ok(match (index, element) {
        (Side::Width(index), Side::Width(element)) => Shape::Known(Sort::Array { index, element }),
        _ => Shape::Array(index, element),
    })
}

fn side(shape: Shape, at: usize) -> Result<Side> {
    match shape {
        Shape::Known(Sort::BitVec(width)) => Ok(Side::Width(width)),
        Shape::Parameter(p) => Ok(Side::Parameter(p)),
        Shape::Known(sort) => Err(Failure::new(
            at,
            format!("arrays are from bit-vectors to bit-vectors; {sort} is not supported here"),
        )),
        Shape::Array(..) => Err(Failure::new(at, "arrays of arrays are not supported")),
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
        let name_text = String::from_utf8_lossy(lexer.bytes(name)).into_owned();
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
