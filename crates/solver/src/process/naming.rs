//! What a program knows by name, on which level of its assertion stack; and printing for it.
//!
//! Terms share subterms, within an assertion and from one assertion to the next. A subterm that is used a second time is given
//! a name with `define-fun`, so everything is sent at most twice, however it is shared. Names also break deep
//! nesting, which not every program's parser survives, and name what a model is asked for: the arguments of
//! functions, and the indices of arrays.
//!
//! Symbols go by their number (`v3`, `f0`), not by the names they have here: those may be reserved words over there, may
//! need quoting, or may be taken twice at different sorts.

use std::fmt::Write;

use refrain_term::{FuncId, Op, Sort, Term, Terms, write_number};
use rustc_hash::{FxHashMap, FxHashSet};

/// Unnamed nesting gets no deeper than this.
const DEEPEST: u32 = 64;
/// So many cells of a table are written in one expression.
const CELLS: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Sent as a part of something else.
    Seen,
    Named,
}

/// Backtracks with the program's levels: what is declared on a level is gone when it is popped.
#[derive(Default)]
pub(super) struct Naming {
    known: FxHashMap<Term, Known>,
    functions: FxHashSet<FuncId>,
    trail: Vec<Undo>,
    levels: Vec<usize>,
    comments: bool,
}

enum Undo {
    Term(Term, Option<Known>),
    Function(FuncId),
}

impl Naming {
    /// With `comments`, a declaration is preceded by a comment with the symbol's own name.
    pub fn new(comments: bool) -> Naming {
        Naming {
            comments,
            ..Naming::default()
        }
    }

    pub fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    pub fn pop(&mut self, levels: usize) {
        for _ in 0..levels {
            let Some(start) = self.levels.pop() else {
                return;
            };
            for undo in self.trail.drain(start..).rev() {
                match undo {
                    Undo::Term(term, Some(before)) => self.known.insert(term, before),
                    Undo::Term(term, None) => self.known.remove(&term),
                    Undo::Function(function) => {
                        self.functions.remove(&function);
                        None
                    }
                };
            }
        }
    }

    /// Writes the declarations and definitions that `term` needs, and returns `term` itself as an expression.
    pub fn define(&mut self, terms: &Terms, term: Term, out: &mut String) -> String {
        let unknown = self.unknown(terms, term);
        let names = self.choose_names(terms, &unknown);
        for &node in &unknown {
            self.declare(terms, node, out);
            if names.contains(&node) {
                self.define_one(terms, node, out);
            } else if !is_leaf(terms, node) {
                self.note(node, Known::Seen);
            }
        }
        let mut text = String::new();
        self.print(terms, term, &mut text);
        text
    }

    /// A term that [`Naming::define`] has named, or a leaf: as it is referred to.
    pub fn name(&self, terms: &Terms, term: Term) -> Option<String> {
        (self.is_named(term) || terms.is_value(term)).then(|| {
            let mut text = String::new();
            self.print(terms, term, &mut text);
            text
        })
    }

    fn is_named(&self, term: Term) -> bool {
        self.known.get(&term) == Some(&Known::Named)
    }

    fn note(&mut self, term: Term, known: Known) {
        let before = self.known.insert(term, known);
        self.trail.push(Undo::Term(term, before));
    }

    /// The terms below and including `term` that have no name yet, operands before users.
    fn unknown(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let mut found = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !terms.is_value(term) && !self.is_named(term) && found.insert(term) {
                stack.extend_from_slice(terms.args(term));
            }
        }
        let mut found: Vec<Term> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// Which of these terms to name.
    fn choose_names(&self, terms: &Terms, unknown: &[Term]) -> FxHashSet<Term> {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut asked_for = FxHashSet::default();
        for &term in unknown {
            let args = terms.args(term);
            for &arg in args {
                *uses.entry(arg).or_default() += 1;
            }
            match terms.op(term) {
                Op::Apply(_) => {
                    asked_for.insert(term);
                    asked_for.extend(args);
                }
                Op::Select | Op::Store => {
                    asked_for.insert(args[1]);
                }
                _ => {}
            }
        }
        let mut names = FxHashSet::default();
        let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
        for &term in unknown {
            if is_leaf(terms, term) {
                continue;
            }
            let shared =
                uses.get(&term).is_some_and(|&uses| uses > 1) || self.known.contains_key(&term);
            let below = terms
                .args(term)
                .iter()
                .filter_map(|arg| depths.get(arg))
                .max();
            let depth = below.map_or(0, |below| below + 1);
            let table = matches!(terms.op(term), Op::Table(_));
            if shared || table || asked_for.contains(&term) || depth >= DEEPEST {
                names.insert(term);
            } else {
                depths.insert(term, depth);
            }
        }
        names
    }

    /// Declares the symbol or function at the top of `term`.
    fn declare(&mut self, terms: &Terms, term: Term, out: &mut String) {
        let (name, own_name, args, result): (_, _, &[Sort], _) = match terms.op(term) {
            Op::Var(var) => {
                self.note(term, Known::Named);
                let decl = terms.var_decl(var);
                (format!("v{}", var.index()), &decl.name, &[], decl.sort)
            }
            Op::Apply(function) if self.functions.insert(function) => {
                self.trail.push(Undo::Function(function));
                let decl = terms.func_decl(function);
                (
                    format!("f{}", function.index()),
                    &decl.name,
                    &decl.args,
                    decl.result,
                )
            }
            _ => return,
        };
        if self.comments {
            push(out, format_args!("; {name} is {own_name:?}\n"));
        }
        push(out, format_args!("(declare-fun {name} ("));
        for (position, sort) in args.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            push(out, format_args!("{space}{sort}"));
        }
        push(out, format_args!(") {result})\n"));
    }

    fn define_one(&mut self, terms: &Terms, term: Term, out: &mut String) {
        let (name, sort) = (term.index(), terms.sort(term));
        if let Op::Table(table) = terms.op(term) {
            let mut base = String::new();
            self.print(terms, terms.arg(term, 0), &mut base);
            let chunks = terms.cells(table).chunks(CELLS);
            let last = chunks.len().saturating_sub(1);
            for (number, cells) in chunks.enumerate() {
                let part = if number == last {
                    format!("t{name}")
                } else {
                    format!("t{name}.{number}")
                };
                push(
                    out,
                    format_args!(
                        "(define-fun {part} () {sort} {}{base}",
                        "(store ".repeat(cells.len())
                    ),
                );
                for (index, element) in cells {
                    push(out, format_args!(" {index} {element})"));
                }
                out.push_str(")\n");
                base = part;
            }
        } else {
            push(out, format_args!("(define-fun t{name} () {sort} "));
            self.print(terms, term, out);
            out.push_str(")\n");
        }
        self.note(term, Known::Named);
    }

    /// A term by its name, or else by its operator, and its operands likewise.
    fn print(&self, terms: &Terms, term: Term, out: &mut String) {
        enum Piece {
            Term(Term),
            Text(&'static str),
        }
        let mut pieces = vec![Piece::Term(term)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Term(term) if is_leaf(terms, term) => leaf(terms, term, out),
                Piece::Term(term) if self.is_named(term) => {
                    push(out, format_args!("t{}", term.index()))
                }
                Piece::Term(term) => {
                    let args = terms.args(term);
                    // A sum of more than two is written as sums of two.
                    let sums = if terms.op(term) == Op::BvAdd {
                        args.len() - 1
                    } else {
                        1
                    };
                    for _ in 0..sums {
                        operator(terms, term, out);
                    }
                    for (position, &arg) in args.iter().enumerate().rev() {
                        let last = position + 1 == args.len();
                        if last || sums > 1 && position > 0 {
                            pieces.push(Piece::Text(")"));
                        }
                        pieces.push(Piece::Term(arg));
                        pieces.push(Piece::Text(" "));
                    }
                }
            }
        }
    }
}

fn is_leaf(terms: &Terms, term: Term) -> bool {
    terms.is_value(term) || matches!(terms.op(term), Op::Var(_))
}

fn leaf(terms: &Terms, term: Term, out: &mut String) {
    match terms.op(term) {
        Op::True => out.push_str("true"),
        Op::False => out.push_str("false"),
        Op::Const(value) => push(out, format_args!("{}", terms.const_value(value))),
        Op::Number(value) => write_number(out, terms.sort(term), terms.number_of(value)),
        Op::Var(var) => push(out, format_args!("v{}", var.index())),
        op => unreachable!("{op:?} is no leaf"),
    }
}

/// The opening of an application.
fn operator(terms: &Terms, term: Term, out: &mut String) {
    let name = match terms.op(term) {
        Op::True | Op::False | Op::Const(_) | Op::Number(_) | Op::Var(_) => {
            unreachable!("a leaf")
        }
        Op::Table(_) => unreachable!("a table is always named"),
        Op::Apply(function) => return push(out, format_args!("(f{}", function.index())),
        Op::Extract { lo } => {
            return push(
                out,
                format_args!("((_ extract {} {lo})", lo + terms.width(term) - 1),
            );
        }
        Op::SignExtend => {
            let by = terms.width(term) - terms.width(terms.arg(term, 0));
            return push(out, format_args!("((_ sign_extend {by})"));
        }
        Op::ConstArray => return push(out, format_args!("((as const {})", terms.sort(term))),
        Op::Not => "(not",
        Op::And => "(and",
        Op::Eq => "(=",
        Op::Ite => "(ite",
        Op::BvNot => "(bvnot",
        Op::BvAnd => "(bvand",
        Op::BvOr => "(bvor",
        Op::BvXor => "(bvxor",
        Op::BvAdd => "(bvadd",
        Op::BvMul => "(bvmul",
        Op::BvUdiv => "(bvudiv",
        Op::BvUrem => "(bvurem",
        Op::BvShl => "(bvshl",
        Op::BvLshr => "(bvlshr",
        Op::BvAshr => "(bvashr",
        Op::Concat => "(concat",
        Op::BvUlt => "(bvult",
        Op::BvSlt => "(bvslt",
        Op::Select => "(select",
        Op::Store => "(store",
        Op::Add => "(+",
        Op::Mul => "(*",
        Op::Div if terms.sort(term) == Sort::Int => "(div",
        Op::Div => "(/",
        Op::Le => "(<=",
        Op::Lt => "(<",
    };
    out.push_str(name);
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}
