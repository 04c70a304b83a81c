//! SMT-LIB 2.6 text of terms, values and models.
//!
//! A term is a DAG, its text a tree. Terms that are used more than once and have operands are bound by `let`, operands
//! before users, so that the text is linear in the number of terms. Operators that SMT-LIB defines for two operands
//! are nested, and what the arena keeps in its own form (disjunctions, tables) is written in SMT-LIB's.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::free_symbols;
use crate::{
    ArrayValue, Assignment, Bv, FloatOp, Format, FuncId, FuncValue, Op, Rational, Rounding, Sort,
    Term, Terms, Value, VarId,
};

/// Words that are no symbols unless quoted.
const RESERVED: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "forall",
    "HEXADECIMAL",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "true",
    "false",
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// A symbol as SMT-LIB reads it: as it stands if it is a simple symbol, between bars elsewhere.
///
/// Bars and backslashes cannot be written at all; they are replaced by `_`, so names that differ only there must be
/// told apart by whoever declares them.
pub fn quote_symbol(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let is_simple = !name.is_empty()
        && name.chars().all(simple)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED.contains(&name);
    if is_simple {
        return name.to_string();
    }
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('|');
    quoted.extend(
        name.chars()
            .map(|c| if c == '|' || c == '\\' { '_' } else { c }),
    );
    quoted.push('|');
    quoted
}

/// The text of a term.
pub fn print(terms: &Terms, term: Term) -> String {
    let mut out = String::new();
    write_term(&mut out, terms, term);
    out
}

/// Appends the text of a term.
pub fn write_term(out: &mut String, terms: &Terms, term: Term) {
    let mut printer = Printer {
        out,
        terms,
        names: FxHashMap::default(),
        tasks: Vec::new(),
    };
    let shared = shared_terms(terms, term);
    let prefix = let_prefix(terms, term, &shared);
    for &term in &shared {
        let name = format!("{prefix}{}", printer.names.len() + 1);
        let _ = write!(printer.out, "(let (({name} ");
        printer.write(term);
        printer.out.push_str(")) ");
        printer.names.insert(term, name);
    }
    printer.write(term);
    printer.out.extend(shared.iter().map(|_| ')'));
}

/// All terms below `root`, operands before users. The order is one of the text: ids have no part in it, so that terms
/// of two arenas which are the same have the same text.
fn operands_first(terms: &Terms, root: Term) -> Vec<Term> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(root, false)];
    while let Some((term, are_operands_done)) = stack.pop() {
        if are_operands_done {
            order.push(term);
        } else if seen.insert(term) {
            stack.push((term, true));
            let operands = terms.args(term).iter().rev();
            stack.extend(operands.map(|&operand| (operand, false)));
        }
    }
    order
}

/// The terms to bind by `let`: used more than once below `root`, and with operands. Operands come first.
fn shared_terms(terms: &Terms, root: Term) -> Vec<Term> {
    let all = operands_first(terms, root);
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for &term in &all {
        for &operand in terms.args(term) {
            *uses.entry(operand).or_default() += 1;
        }
    }
    let is_shared =
        |term: &Term| uses.get(term).is_some_and(|&uses| uses > 1) && !terms.args(*term).is_empty();
    all.into_iter().filter(is_shared).collect()
}

/// What the names of bound terms begin with: something that no symbol in the term begins with.
fn let_prefix(terms: &Terms, root: Term, shared: &[Term]) -> String {
    let mut prefix = String::from("?");
    if shared.is_empty() {
        return prefix;
    }
    let (vars, funcs) = free_symbols(terms, &[root]);
    let var_names = vars.iter().map(|&var| &terms.var_decl(var).name);
    let func_names = funcs.iter().map(|&func| &terms.func_decl(func).name);
    let names: Vec<&str> = var_names
        .chain(func_names)
        .map(|name| &**name)
        .filter(|n| n.starts_with('?'))
        .collect();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('?');
    }
    prefix
}

/// Something yet to be written.
enum Task {
    Text(&'static str),
    Term(Term),
    /// The negation of a term.
    Not(Term),
    /// The index and the element of a table's cell, and the end of its store.
    Cell(Term, usize),
    /// The float of a bit-vector.
    Float(Term, Format),
    /// The rounding mode of a code.
    Rounding(Term),
}

struct Printer<'a> {
    out: &'a mut String,
    terms: &'a Terms,
    /// The names of terms that are bound already.
    names: FxHashMap<Term, String>,
    tasks: Vec<Task>,
}

impl Printer<'_> {
    fn write(&mut self, term: Term) {
        self.tasks.push(Task::Term(term));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Text(text) => self.out.push_str(text),
                Task::Term(term) => self.begin(term),
                Task::Not(term) => self.negation(term),
                Task::Float(term, format) => self.float(term, format),
                Task::Rounding(term) => self.rounding(term),
                Task::Cell(table, place) => {
                    let Op::Table(id) = self.terms.op(table) else {
                        unreachable!("a table")
                    };
                    let (index, element) = &self.terms.cells(id)[place];
                    let _ = write!(self.out, " {index} {element})");
                }
            }
        }
    }

    /// Leaves a list of operands to be written, and the closing bracket after it.
    fn operands(&mut self, operands: impl DoubleEndedIterator<Item = Task>) {
        self.tasks.push(Task::Text(")"));
        for operand in operands.rev() {
            self.tasks.push(operand);
            self.tasks.push(Task::Text(" "));
        }
    }

    fn begin(&mut self, term: Term) {
        if let Some(name) = self.names.get(&term) {
            self.out.push_str(name);
            return;
        }
        let terms = self.terms;
        let args = terms.args(term);
        let simple = match terms.op(term) {
            Op::True => return self.out.push_str("true"),
            Op::False => return self.out.push_str("false"),
            Op::Const(id) => {
                let _ = write!(self.out, "{}", terms.const_value(id));
                return;
            }
            Op::Number(id) => {
                return write_number(self.out, terms.sort(term), terms.number_of(id));
            }
            Op::Var(id) => return self.out.push_str(&quote_symbol(&terms.var_decl(id).name)),
            Op::Not => return self.negation(args[0]),
            Op::Apply(func) => {
                self.out.push('(');
                self.out
                    .push_str(&quote_symbol(&terms.func_decl(func).name));
                return self.operands(args.iter().map(|&t| Task::Term(t)));
            }
            Op::Extract { lo } => {
                let _ = write!(self.out, "((_ extract {} {lo})", lo + terms.width(term) - 1);
                return self.operands(args.iter().map(|&t| Task::Term(t)));
            }
            Op::SignExtend => {
                let _ = write!(
                    self.out,
                    "((_ sign_extend {})",
                    terms.width(term) - terms.width(args[0])
                );
                return self.operands(args.iter().map(|&t| Task::Term(t)));
            }
            Op::ConstArray => {
                let _ = write!(self.out, "((as const {})", terms.sort(term));
                return self.operands(args.iter().map(|&t| Task::Term(t)));
            }
            Op::Table(id) => {
                let count = terms.cells(id).len();
                for _ in 0..count {
                    self.out.push_str("(store ");
                }
                self.tasks
                    .extend((0..count).rev().map(|place| Task::Cell(term, place)));
                self.tasks.push(Task::Term(args[0]));
                return;
            }
            Op::BvAdd => {
                // SMT-LIB's has two operands: ((a + b) + c).
                for _ in 1..args.len() {
                    self.out.push_str("(bvadd ");
                }
                for &operand in args[1..].iter().rev() {
                    self.tasks
                        .extend([Task::Text(")"), Task::Term(operand), Task::Text(" ")]);
                }
                self.tasks.push(Task::Term(args[0]));
                return;
            }
            Op::Float { op, .. } if op.gives_float() => {
                // SMT-LIB has no name for the bits of a float; this is the one that solvers know.
                self.out.push_str("(fp.to_ieee_bv ");
                self.tasks.push(Task::Text(")"));
                return self.float_operator(term);
            }
            Op::Float { .. } => return self.float_operator(term),
            Op::Surface => match terms.sort(term) {
                Sort::Float(format) => return self.float(args[0], format),
                Sort::RoundingMode => return self.rounding(args[0]),
                _ => {
                    self.tasks.push(Task::Term(args[0]));
                    return;
                }
            },
            Op::And => "and",
            Op::Eq => "=",
            Op::Ite => "ite",
            Op::BvNot => "bvnot",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::Concat => "concat",
            Op::BvUlt => "bvult",
            Op::BvSlt => "bvslt",
            Op::Select => "select",
            Op::Store => "store",
            Op::Add => "+",
            Op::Mul => "*",
            Op::ToReal => "to_real",
            Op::ToInt => "to_int",
            Op::Div if terms.sort(term) == Sort::Int => "div",
            Op::Div => "/",
            Op::Le => "<=",
            Op::Lt => "<",
        };
        self.out.push('(');
        self.out.push_str(simple);
        self.operands(args.iter().map(|&t| Task::Term(t)));
    }

    /// An operator on floats, as SMT-LIB has it.
    fn float_operator(&mut self, term: Term) {
        let terms = self.terms;
        let (op, format, _) = terms.float_op(term).expect("an operator on floats");
        self.out.push_str(&float_operator(terms, term));
        let task = |(place, &operand): (usize, &Term)| match place {
            0 if op.is_rounded() => Task::Rounding(operand),
            _ if op.takes_floats() => Task::Float(operand, format),
            _ => Task::Term(operand),
        };
        let tasks: Vec<Task> = terms.args(term).iter().enumerate().map(task).collect();
        self.operands(tasks.into_iter());
    }

    /// The float of some bits.
    fn float(&mut self, bits: Term, format: Format) {
        let terms = self.terms;
        if let Some(value) = terms.value(bits) {
            return self.out.push_str(&print_float(format, value));
        }
        if !self.names.contains_key(&bits) && terms.float_format(bits) == Some(format) {
            return self.float_operator(bits);
        }
        let _ = write!(
            self.out,
            "((_ to_fp {} {})",
            format.exponent, format.significand
        );
        self.operands([Task::Term(bits)].into_iter());
    }

    /// The rounding mode of a code.
    fn rounding(&mut self, code: Term) {
        if let Some(code) = self.terms.small_value(code) {
            return self.out.push_str(Rounding::of_code(code).name());
        }
        let (last, others) = Rounding::ALL.split_last().expect("some");
        self.tasks.extend(others.iter().map(|_| Task::Text(")")));
        self.tasks.push(Task::Text(last.name()));
        for rounding in others.iter().rev() {
            let then = match rounding {
                Rounding::NearestEven => " #b000) RNE ",
                Rounding::NearestAway => " #b001) RNA ",
                Rounding::Up => " #b010) RTP ",
                Rounding::Down => " #b011) RTN ",
                Rounding::ToZero => " #b100) RTZ ",
            };
            self.tasks
                .extend([Task::Text(then), Task::Term(code), Task::Text("(ite (= ")]);
        }
    }

    /// The negation of `term`: a conjunction becomes a disjunction, a negation its operand.
    fn negation(&mut self, term: Term) {
        let terms = self.terms;
        let args = terms.args(term);
        let named = self.names.contains_key(&term);
        match terms.op(term) {
            Op::Not if !named => self.begin(args[0]),
            Op::And if !named => {
                self.out.push_str("(or");
                self.operands(args.iter().map(|&t| Task::Not(t)));
            }
            _ => {
                self.out.push_str("(not");
                self.operands([Task::Term(term)].into_iter());
            }
        }
    }
}

/// The text of a value.
pub fn print_value(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Bv(value) => value.to_string(),
        Value::Array(array) => print_array(array),
        Value::Int(number) | Value::Real(number) => {
            let mut out = String::new();
            write_number(&mut out, value.sort(), number);
            out
        }
    }
}

/// How the application of an operator on floats begins.
pub fn float_operator(terms: &Terms, term: Term) -> String {
    let (op, format, (width, to)) = terms.float_op(term).expect("an operator on floats");
    let name = match op {
        FloatOp::Add => "fp.add",
        FloatOp::Mul => "fp.mul",
        FloatOp::Div => "fp.div",
        FloatOp::Fma => "fp.fma",
        FloatOp::Sqrt => "fp.sqrt",
        FloatOp::Rem => "fp.rem",
        FloatOp::RoundToIntegral => "fp.roundToIntegral",
        FloatOp::Eq => "fp.eq",
        FloatOp::Lt => "fp.lt",
        FloatOp::Le => "fp.leq",
        FloatOp::Convert | FloatOp::FromSigned => "to_fp",
        FloatOp::FromUnsigned => "to_fp_unsigned",
        FloatOp::ToSigned => "fp.to_sbv",
        FloatOp::ToUnsigned => "fp.to_ubv",
        FloatOp::Function(function) => function.name(),
    };
    let index = match op {
        FloatOp::Convert => Some(format!("{to} {}", width - to)),
        FloatOp::FromSigned | FloatOp::FromUnsigned => {
            Some(format!("{} {}", format.exponent, format.significand))
        }
        FloatOp::ToSigned | FloatOp::ToUnsigned => Some(width.to_string()),
        _ => None,
    };
    match index {
        Some(index) => format!("((_ {name} {index})"),
        None => format!("({name}"),
    }
}

/// The text of a value of some sort, which tells floats and rounding modes from bit-vectors.
pub fn print_value_of(sort: Sort, value: &Value) -> String {
    match (sort, value) {
        (Sort::Float(format), Value::Bv(bits)) => print_float(format, bits),
        (Sort::RoundingMode, Value::Bv(code)) => {
            let code = code.small().unwrap_or(u64::MAX);
            Rounding::of_code(code).name().to_string()
        }
        _ => print_value(value),
    }
}

/// The text of a float.
pub fn print_float(format: Format, bits: &Bv) -> String {
    let Format {
        exponent,
        significand,
    } = format;
    let magnitude = bits.extract(format.width() - 2, 0);
    let sign = if bits.sign() { "-" } else { "+" };
    if format.is_nan(bits) {
        return format!("(_ NaN {exponent} {significand})");
    }
    if magnitude.is_zero() {
        return format!("(_ {sign}zero {exponent} {significand})");
    }
    if magnitude == format.infinity(false).extract(format.width() - 2, 0) {
        return format!("(_ {sign}oo {exponent} {significand})");
    }
    let exponent = bits.extract(format.width() - 2, format.fraction());
    let fraction = bits.extract(format.fraction() - 1, 0);
    format!("(fp #b{} {exponent} {fraction})", u8::from(bits.sign()))
}

/// Appends the text of a number of sort Int or Real: numerals have no sign, and those of sort Real are decimals.
pub fn write_number(out: &mut String, sort: Sort, number: &Rational) {
    let magnitude = number.abs();
    let (numerator, denominator) = (magnitude.numerator(), magnitude.denominator());
    let text = match sort {
        Sort::Int => magnitude.to_string(),
        _ if magnitude.is_integer() => format!("{magnitude}.0"),
        _ => format!("(/ {numerator}.0 {denominator}.0)"),
    };
    if number.is_negative() {
        let _ = write!(out, "(- {text})");
    } else {
        out.push_str(&text);
    }
}

fn print_array(array: &ArrayValue) -> String {
    let cells = array.cells();
    let mut out = "(store ".repeat(cells.len());
    let _ = write!(out, "((as const {}) {})", array.sort(), array.default());
    for (index, element) in cells {
        let _ = write!(out, " {index} {element})");
    }
    out
}

/// `(define-fun x () … …)`: a symbol of a model.
pub fn define_var(terms: &Terms, var: VarId, value: &Value) -> String {
    let decl = terms.var_decl(var);
    format!(
        "(define-fun {} () {} {})",
        quote_symbol(&decl.name),
        decl.sort,
        print_value(value)
    )
}

/// `(define-fun f ((x!0 …)) … (ite … …))`: a function of a model.
pub fn define_func(terms: &Terms, func: FuncId, value: &FuncValue) -> String {
    let decl = terms.func_decl(func);
    let mut out = format!("(define-fun {} (", quote_symbol(&decl.name));
    for (place, sort) in decl.args.iter().enumerate() {
        let space = if place > 0 { " " } else { "" };
        let _ = write!(out, "{space}(x!{place} {sort})");
    }
    let _ = write!(out, ") {} ", decl.result);
    // Entries that say what the default says go; the order of the rest is that of their text.
    let entries = value
        .entries()
        .filter(|(_, result)| *result != value.default());
    let mut entries: Vec<(Vec<String>, String)> = entries
        .map(|(args, result)| (args.iter().map(print_value).collect(), print_value(result)))
        .collect();
    entries.sort_unstable();
    for (args, result) in &entries {
        out.push_str("(ite ");
        let equations = args
            .iter()
            .enumerate()
            .map(|(place, arg)| format!("(= x!{place} {arg})"));
        let equations: Vec<String> = equations.collect();
        match &equations[..] {
            [single] => out.push_str(single),
            several => {
                let _ = write!(out, "(and {})", several.join(" "));
            }
        }
        let _ = write!(out, " {result} ");
    }
    out.push_str(&print_value(value.default()));
    out.extend(entries.iter().map(|_| ')'));
    out.push(')');
    out
}

/// A model, as `get-model` answers.
pub fn print_model(terms: &Terms, model: &Assignment) -> String {
    let mut out = String::from("(\n");
    for (var, value) in model.iter() {
        let _ = writeln!(out, "  {}", define_var(terms, var, value));
    }
    for (func, value) in model.funcs() {
        let _ = writeln!(out, "  {}", define_func(terms, func, value));
    }
    out.push_str(")\n");
    out
}

/// `(declare-fun …)` for every symbol and function in the terms, one a line.
pub fn declarations(terms: &Terms, roots: &[Term]) -> String {
    let (vars, funcs) = free_symbols(terms, roots);
    let mut out = String::new();
    for var in vars {
        out.push_str(&declare_var(terms, var));
        out.push('\n');
    }
    for func in funcs {
        out.push_str(&declare_func(terms, func));
        out.push('\n');
    }
    out
}

pub fn declare_var(terms: &Terms, var: VarId) -> String {
    let decl = terms.var_decl(var);
    format!(
        "(declare-fun {} () {})",
        quote_symbol(&decl.name),
        decl.sort
    )
}

pub fn declare_func(terms: &Terms, func: FuncId) -> String {
    let decl = terms.func_decl(func);
    let args: Vec<String> = decl.args.iter().map(Sort::to_string).collect();
    format!(
        "(declare-fun {} ({}) {})",
        quote_symbol(&decl.name),
        args.join(" "),
        decl.result
    )
}
