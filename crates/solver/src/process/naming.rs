//! What a program knows by name, on which level of its assertion stack; and printing for it.
//!
//! Terms share subterms, within an assertion and from one assertion to the next. A subterm that is used a second time
//! is given a name with `define-fun`, so everything is sent at most twice, however it is shared. Names also break deep
//! nesting, which not every program's parser survives, and name what a model is asked for: the arguments of functions,
//! and the indices of arrays. With `assignments`, what the program has assigned is named too, [before](Naming::foresee)
//! the levels that need it, so that the names outlive them.
//!
//! Symbols go by their number (`v3`, `f0`), not by the names they have here: those may be reserved words over there,
//! may need quoting, or may be taken twice at different sorts.

use std::fmt::Write;

use refrain_term::print::{float_operator, print_float};
use refrain_term::{Format, FuncId, Op, Rounding, Sort, Term, Terms, write_number};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assignments::{Assignments, Constant};

/// Unnamed nesting gets no deeper than this.
const DEEPEST: u32 = 64;
/// With more definitions than this in force, none is made for others to come: those of low levels stay for long, and
/// z3 goes through all of them for every model.
const MOST_FORESEEN: usize = 500;
/// So many cells of a table are written in one expression.
const CELLS: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Sent, or about to be, without a name. All that it needs to be written is declared and defined.
    Seen,
    Named,
}

/// Backtracks with the program's levels: what is declared on a level is gone when it is popped.
#[derive(Default)]
pub(super) struct Naming {
    known: FxHashMap<Term, Known>,
    functions: FxHashSet<FuncId>,
    /// How many names in force are of definitions.
    definitions: usize,
    trail: Vec<Undo>,
    levels: Vec<usize>,
    /// Names what the program has named.
    assignments: Option<Assignments>,
    comments: bool,
}

enum Undo {
    Term(Term, Option<Known>),
    Function(FuncId),
    Definition,
}

impl Naming {
    /// With `name_assigned`, what the program has assigned is named; with `comments`, a declaration is preceded by a
    /// comment with the symbol's own name.
    pub fn new(name_assigned: bool, comments: bool) -> Naming {
        Naming {
            assignments: name_assigned.then(Assignments::default),
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
                    Undo::Term(term, Some(before)) => {
                        self.known.insert(term, before);
                    }
                    Undo::Term(term, None) => {
                        self.known.remove(&term);
                    }
                    Undo::Function(function) => {
                        self.functions.remove(&function);
                    }
                    Undo::Definition => self.definitions -= 1,
                }
            }
        }
    }

    /// Whether assigned terms are named, so that [`Naming::foresee`] does something.
    pub fn foresees(&self) -> bool {
        self.assignments.is_some()
    }

    /// Defines the assigned terms that formulas of higher levels will need, on the level that is the highest now. They
    /// outlive the levels that are pushed for these formulas.
    pub fn foresee(&mut self, terms: &Terms, coming: &[Term], out: &mut String) {
        if self.foresees() && self.definitions < MOST_FORESEEN {
            let mut coming = self.unknown(terms, coming);
            coming.retain(|&term| terms.is_assigned(term));
            self.introduce(terms, &coming, out);
        }
    }

    /// Writes the declarations and definitions that `term` needs, and returns `term` itself as an expression.
    pub fn define(&mut self, terms: &Terms, term: Term, out: &mut String) -> String {
        self.introduce(terms, &[term], out);
        let mut text = String::new();
        self.print(terms, term, &mut text);
        text
    }

    fn introduce(&mut self, terms: &Terms, roots: &[Term], out: &mut String) {
        let unknown = self.unknown(terms, roots);
        let names = self.choose_names(terms, &unknown);
        for &node in &unknown {
            self.declare(terms, node, out);
            if names.contains(&node) {
                self.define_one(terms, node, out);
            } else if !is_leaf(terms, node) {
                self.note(node, Known::Seen);
            }
        }
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

    /// The terms below and including `roots` that have no name yet, operands before users.
    fn unknown(&mut self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        if let Some(assignments) = &mut self.assignments {
            assignments.meet(terms);
        }
        let mut met = FxHashSet::default();
        let mut found = Vec::new();
        let roots = roots.iter().rev();
        let mut stack: Vec<(Term, bool)> = roots.map(|&root| (root, false)).collect();
        while let Some((term, is_ready)) = stack.pop() {
            if is_ready {
                found.push(term);
            } else if !terms.is_value(term) && !self.is_named(term) && met.insert(term) {
                if let Some(assignments) = &mut self.assignments {
                    assignments.split(terms, term);
                }
                stack.push((term, true));
                let operands = self.operands(terms, term).into_iter().rev();
                stack.extend(operands.map(|operand| (operand, false)));
            }
        }
        if self.assignments.is_none() {
            // Nobody's operands come later than they do; and so the text does not depend on the order of the roots.
            found.sort_unstable();
        }
        found
    }

    /// What a term is written with.
    fn operands(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let split = self.assignments.as_ref();
        match split.and_then(|assignments| assignments.known_split(term)) {
            Some(split) => [&[split.assigned], &split.rest[..]].concat(),
            None => terms.args(term).to_vec(),
        }
    }

    /// Which of these terms to name.
    fn choose_names(&self, terms: &Terms, unknown: &[Term]) -> FxHashSet<Term> {
        let mut wanted = self.used_again(terms, unknown);
        if self.assignments.is_some() {
            wanted.extend(unknown.iter().filter(|&&term| terms.is_assigned(term)));
        }
        let needed = needed_names(terms, unknown);
        let mut names = FxHashSet::default();
        // Of terms without names: how deep they nest.
        let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
        for &term in unknown {
            if is_leaf(terms, term) {
                continue;
            }
            let operands = self.operands(terms, term);
            let below = operands.iter().filter_map(|operand| depths.get(operand));
            let depth = below.map(|&depth| depth + 1).max().unwrap_or(0);
            if wanted.contains(&term) || needed.contains(&term) || depth >= DEEPEST {
                names.insert(term);
            } else {
                depths.insert(term, depth);
            }
        }
        names
    }

    /// Those of these terms that are used more than once, counting what has been sent on the levels in force.
    fn used_again(&self, terms: &Terms, unknown: &[Term]) -> FxHashSet<Term> {
        let mut used = FxHashSet::default();
        let operands = unknown.iter().flat_map(|&term| self.operands(terms, term));
        let mut again: FxHashSet<Term> = operands.filter(|&arg| !used.insert(arg)).collect();
        let sent = |term: &&Term| self.known.contains_key(term);
        again.extend(unknown.iter().filter(sent));
        again
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
        } else if let Some(format) = terms.float_format(term) {
            // The standard has no function from floats to their bits: they are bits of this float.
            let nan = format.nan();
            let Format {
                exponent,
                significand,
            } = format;
            let float = Sort::Float(format);
            push(out, format_args!("(define-fun x{name} () {float} "));
            self.print(terms, term, out);
            push(
                out,
                format_args!(
                    ")\n(declare-fun t{name} () {sort})\n\
                     (assert (= ((_ to_fp {exponent} {significand}) t{name}) x{name}))\n\
                     (assert (=> (fp.isNaN x{name}) (= t{name} {nan})))\n"
                ),
            );
        } else {
            push(out, format_args!("(define-fun t{name} () {sort} "));
            self.print(terms, term, out);
            out.push_str(")\n");
        }
        self.definitions += 1;
        self.trail.push(Undo::Definition);
        self.note(term, Known::Named);
    }

    /// A term by its name, or else by its operator, and its operands likewise.
    fn print(&self, terms: &Terms, term: Term, out: &mut String) {
        enum Piece<'a> {
            Term(Term),
            Constant(&'a Constant),
            Text(&'static str),
            Float(Term, Format),
            Rounding(Term),
        }
        let mut pieces = vec![Piece::Term(term)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Constant(Constant::Bits(value)) => push(out, format_args!("{value}")),
                Piece::Constant(Constant::Number(sort, value)) => write_number(out, *sort, value),
                Piece::Term(term) if is_leaf(terms, term) => leaf(terms, term, out),
                Piece::Term(term) if self.is_named(term) => {
                    push(out, format_args!("t{}", term.index()))
                }
                Piece::Float(term, format) => {
                    if let Some(value) = terms.value(term) {
                        out.push_str(&print_float(format, value));
                    } else if terms.float_format(term) == Some(format) && self.is_named(term) {
                        push(out, format_args!("x{}", term.index()));
                    } else {
                        let Format {
                            exponent,
                            significand,
                        } = format;
                        push(out, format_args!("((_ to_fp {exponent} {significand}) "));
                        pieces.extend([Piece::Text(")"), Piece::Term(term)]);
                    }
                }
                Piece::Rounding(code) => match terms.small_value(code) {
                    Some(code) => out.push_str(Rounding::of_code(code).name()),
                    None => {
                        let ends = Rounding::ALL[1..].iter().map(|_| Piece::Text(")"));
                        pieces.extend(ends);
                        pieces.push(Piece::Text(Rounding::ToZero.name()));
                        let choices = [
                            " #b011) RTN ",
                            " #b010) RTP ",
                            " #b001) RNA ",
                            " #b000) RNE ",
                        ];
                        for choice in choices {
                            let test = [Piece::Text(choice), Piece::Term(code)];
                            pieces.extend(test);
                            pieces.push(Piece::Text("(ite (= "));
                        }
                    }
                },
                Piece::Term(term) => {
                    let float = terms.float_op(term);
                    let piece = |(place, operand): (usize, Term)| match float {
                        Some((op, ..)) if op.is_rounded() && place == 0 => Piece::Rounding(operand),
                        Some((op, format, _)) if op.takes_floats() => Piece::Float(operand, format),
                        _ => Piece::Term(operand),
                    };
                    let operands = self
                        .operands(terms, term)
                        .into_iter()
                        .enumerate()
                        .map(piece);
                    let split = self.assignments.as_ref();
                    let split = split.and_then(|assignments| assignments.known_split(term));
                    let constant = split.and_then(|split| split.constant.as_ref());
                    let operands = operands.chain(constant.map(Piece::Constant));
                    let operands: Vec<Piece> = operands.collect();
                    let count = operands.len();
                    // A sum of more than two is written as sums of two.
                    let sums = if terms.op(term) == Op::BvAdd {
                        count - 1
                    } else {
                        1
                    };
                    for _ in 0..sums {
                        operator(terms, term, out);
                    }
                    for (position, operand) in operands.into_iter().enumerate().rev() {
                        let last = position + 1 == count;
                        if last || sums > 1 && position > 0 {
                            pieces.push(Piece::Text(")"));
                        }
                        pieces.push(operand);
                        pieces.push(Piece::Text(" "));
                    }
                }
            }
        }
    }
}

/// Tables, and what a model is asked for.
fn needed_names(terms: &Terms, unknown: &[Term]) -> FxHashSet<Term> {
    let mut needed = FxHashSet::default();
    for &term in unknown {
        let args = terms.args(term);
        match terms.op(term) {
            Op::Apply(_) => {
                needed.insert(term);
                needed.extend(args);
            }
            Op::Select | Op::Store => {
                needed.insert(args[1]);
            }
            Op::Table(_) => {
                needed.insert(term);
            }
            Op::Float { op, .. } if op.gives_float() => {
                needed.insert(term);
            }
            _ => {}
        }
    }
    needed
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
        Op::ToReal => "(to_real",
        Op::ToInt => "(to_int",
        Op::Div if terms.sort(term) == Sort::Int => "(div",
        Op::Div => "(/",
        Op::Le => "(<=",
        Op::Lt => "(<",
        Op::Float { .. } => return out.push_str(&float_operator(terms, term)),
        Op::Surface => unreachable!("below the surface"),
    };
    out.push_str(name);
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}
