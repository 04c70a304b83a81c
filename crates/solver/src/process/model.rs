//! The model a program found, as an assignment.
//!
//! Asked for with `get-value`, of symbols and of what functions were applied to, all of which have names. Array
//! values come as `store` chains over a constant array; a program that prints arrays in some form of its own is asked
//! for the cells that the assertions mention instead.

use refrain_term::{ArrayValue, Assignment, Bv, Op, Rational, Sort, Term, Terms, Value, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::naming::Naming;
use super::sexp::{NodeId, Sexp};
use crate::Reason;

/// How deep signs, fractions and conversions of one number nest at most.
const DEEPEST_NUMBER: u32 = 8;

/// Sends a command and returns the answer.
pub(super) type Ask<'a> = &'a mut dyn FnMut(String) -> Result<String, Reason>;

/// The values of all symbols and functions in `formulas`, as far as these depend on them.
pub(super) fn fetch(
    terms: &Terms,
    formulas: &[Term],
    naming: &Naming,
    ask: Ask,
) -> Result<Assignment, Reason> {
    let nodes = reachable(terms, formulas);
    let mut values = Values {
        terms,
        naming,
        known: FxHashMap::default(),
    };
    let (arrays, scalars): (Vec<Term>, Vec<Term>) = wanted(terms, &nodes)
        .into_iter()
        .partition(|&term| terms.sort(term).is_array());
    if let Some(&unreadable) = values.get(&scalars, ask)?.first() {
        return Err(match terms.sort(unreadable) {
            // A root, most likely.
            Sort::Real => Reason::Incomplete("its model has a number that is not rational".into()),
            sort => failed(&format!("a value of sort {sort} cannot be read")),
        });
    }
    for array in values.get(&arrays, ask)? {
        values.get_cells(array, &nodes, ask)?;
    }
    Ok(values.assignment(&nodes))
}

/// What is asked for: symbols, applications of functions, and their arguments.
fn wanted(terms: &Terms, nodes: &[Term]) -> Vec<Term> {
    let mut wanted = FxHashSet::default();
    for &node in nodes {
        match terms.op(node) {
            Op::Var(_) => {
                wanted.insert(node);
            }
            Op::Apply(_) => {
                wanted.insert(node);
                wanted.extend(terms.args(node));
            }
            _ => {}
        }
    }
    let mut wanted: Vec<Term> = wanted
        .into_iter()
        .filter(|&term| !terms.is_value(term))
        .collect();
    wanted.sort_unstable();
    wanted
}

struct Values<'a> {
    terms: &'a Terms,
    naming: &'a Naming,
    known: FxHashMap<Term, Value>,
}

impl Values<'_> {
    /// Asks for the values of terms that have names; returns those whose values could not be read.
    fn get(&mut self, wanted: &[Term], ask: Ask) -> Result<Vec<Term>, Reason> {
        let names: Vec<String> = wanted
            .iter()
            .map(|&term| self.name(term))
            .collect::<Result<_, _>>()?;
        let sorts: Vec<Sort> = wanted.iter().map(|&term| self.terms.sort(term)).collect();
        let found = get_values(&names, &sorts, ask)?;
        let mut unreadable = Vec::new();
        for (&term, value) in wanted.iter().zip(found) {
            match value {
                Some(value) => {
                    self.known.insert(term, value);
                }
                None => unreadable.push(term),
            }
        }
        Ok(unreadable)
    }

    /// Asks for the cells of one array at every index that occurs.
    fn get_cells(&mut self, array: Term, nodes: &[Term], ask: Ask) -> Result<(), Reason> {
        let Sort::Array {
            index: index_width,
            element,
        } = self.terms.sort(array)
        else {
            return Ok(());
        };
        let mut indices: Vec<Term> = nodes
            .iter()
            .filter(|&&node| matches!(self.terms.op(node), Op::Select | Op::Store))
            .map(|&node| self.terms.arg(node, 1))
            .filter(|&index| self.terms.width(index) == index_width)
            .collect();
        indices.sort_unstable();
        indices.dedup();
        let name = self.name(array)?;
        let mut names = Vec::new();
        let mut sorts = Vec::new();
        for &index in &indices {
            let index = self.name(index)?;
            names.push(format!("(select {name} {index})"));
            sorts.push(Sort::BitVec(element));
            names.push(index);
            sorts.push(Sort::BitVec(index_width));
        }
        let mut value = ArrayValue::new(index_width, element);
        let mut found = get_values(&names, &sorts, ask)?.into_iter();
        while let (Some(element), Some(index)) = (found.next(), found.next()) {
            let (Some(Value::Bv(element)), Some(Value::Bv(index))) = (element, index) else {
                return Err(failed("an array cell cannot be read"));
            };
            value.set(index, element);
        }
        self.known.insert(array, value.into());
        Ok(())
    }

    fn name(&self, term: Term) -> Result<String, Reason> {
        self.naming
            .name(self.terms, term)
            .ok_or_else(|| failed("a value was wanted of a term without a name"))
    }

    fn value(&self, term: Term) -> Value {
        match self.terms.op(term) {
            Op::True => Value::Bool(true),
            Op::Const(value) => Value::Bv(self.terms.const_value(value).clone()),
            Op::Number(id) => {
                Value::number(self.terms.sort(term), self.terms.number_of(id).clone())
            }
            _ => self
                .known
                .get(&term)
                .cloned()
                .unwrap_or_else(|| Value::zero(self.terms.sort(term))),
        }
    }

    fn assignment(&self, nodes: &[Term]) -> Assignment {
        let mut assignment = Assignment::new();
        for &node in nodes {
            match self.terms.op(node) {
                Op::Var(var) => assignment.set(var, self.value(node)),
                Op::Apply(function) => {
                    let args: Vec<Value> = self
                        .terms
                        .args(node)
                        .iter()
                        .map(|&arg| self.value(arg))
                        .collect();
                    assignment
                        .func_mut(function, self.terms.sort(node))
                        .set(args, self.value(node));
                }
                _ => {}
            }
        }
        assignment
    }
}

/// The values of expressions; `None` for a value that is not of its sort or not in a form known here.
fn get_values(names: &[String], sorts: &[Sort], ask: Ask) -> Result<Vec<Option<Value>>, Reason> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let answer = ask(format!("(get-value ({}))\n", names.join(" ")))?;
    let nonsense = || failed(&format!("it answered {} to get-value", shortened(&answer)));
    let (sexp, root) = Sexp::parse(&answer).ok_or_else(nonsense)?;
    let pairs = sexp
        .list(root)
        .filter(|pairs| pairs.len() == names.len())
        .ok_or_else(nonsense)?;
    let mut values = Vec::with_capacity(pairs.len());
    for (&pair, &sort) in pairs.iter().zip(sorts) {
        let &[_, value] = sexp.list(pair).ok_or_else(nonsense)? else {
            return Err(nonsense());
        };
        values.push(
            ValueReader {
                sexp: &sexp,
                bound: FxHashMap::default(),
            }
            .value(value, sort),
        );
    }
    Ok(values)
}

/// Reads one value, in which `let` may name parts.
struct ValueReader<'s, 'a> {
    sexp: &'s Sexp<'a>,
    bound: FxHashMap<&'a str, NodeId>,
}

impl ValueReader<'_, '_> {
    fn value(&mut self, node: NodeId, sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => match self.sexp.atom(self.resolved(node)?)? {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Sort::BitVec(width) => self.bits(node, width).map(Value::Bv),
            Sort::Array { index, element } => self.array(node, index, element).map(Value::Array),
            Sort::Int => self
                .number(node, DEEPEST_NUMBER)
                .filter(Rational::is_integer)
                .map(Value::Int),
            Sort::Real => self.number(node, DEEPEST_NUMBER).map(Value::Real),
            Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => None,
        }
    }

    /// What a node stands for once `let` is out of the way.
    fn resolved(&mut self, mut node: NodeId) -> Option<NodeId> {
        // No sensible nest of names is longer; a name bound to itself would be.
        for _ in 0..100_000 {
            if let Some(atom) = self.sexp.atom(node) {
                match self.bound.get(atom) {
                    Some(&named) => node = named,
                    None => return Some(node),
                }
            } else {
                let list = self.sexp.list(node)?;
                let &[head, bindings, body] = list else {
                    return Some(node);
                };
                if self.sexp.atom(head) != Some("let") {
                    return Some(node);
                }
                for &binding in self.sexp.list(bindings)? {
                    let &[name, value] = self.sexp.list(binding)? else {
                        return None;
                    };
                    self.bound.insert(self.sexp.atom(name)?, value);
                }
                node = body;
            }
        }
        None
    }

    /// `#x…`, `#b…` or `(_ bv… …)`.
    fn bits(&mut self, node: NodeId, width: u32) -> Option<Bv> {
        let node = self.resolved(node)?;
        if let Some(list) = self.sexp.list(node) {
            let &[underscore, value, of_width] = list else {
                return None;
            };
            let value = self.sexp.atom(value)?.strip_prefix("bv")?;
            let same = self.sexp.atom(underscore)? == "_"
                && self.sexp.atom(of_width)?.parse() == Ok(width);
            return same.then(|| Bv::parse(width, value, 10)).flatten();
        }
        let atom = self.sexp.atom(node)?;
        let (digits, radix, bits) = match (atom.strip_prefix("#x"), atom.strip_prefix("#b")) {
            (Some(digits), _) => (digits, 16, 4),
            (_, Some(digits)) => (digits, 2, 1),
            _ => return None,
        };
        (digits.len() * bits == width as usize)
            .then(|| Bv::parse(width, digits, radix))
            .flatten()
    }

    /// `5`, `2.5`, `(- 5)`, `(/ 1 3)`, `(to_real 5)`, and these in each other as far as programs write them.
    fn number(&mut self, node: NodeId, depth: u32) -> Option<Rational> {
        let depth = depth.checked_sub(1)?;
        let node = self.resolved(node)?;
        if let Some(atom) = self.sexp.atom(node) {
            return Rational::parse(atom);
        }
        match *self.sexp.list(node)? {
            [head, a] => match self.sexp.atom(head)? {
                "-" => Some(-self.number(a, depth)?),
                "to_real" => self.number(a, depth),
                _ => None,
            },
            [head, a, b] if self.sexp.atom(head) == Some("/") => {
                let (a, b) = (self.number(a, depth)?, self.number(b, depth)?);
                (!b.is_zero()).then(|| &a / &b)
            }
            _ => None,
        }
    }

    /// Writes over a constant array. The outermost write counts.
    fn array(&mut self, node: NodeId, index_width: u32, element_width: u32) -> Option<ArrayValue> {
        let mut written = Vec::new();
        let mut node = self.resolved(node)?;
        let mut array = loop {
            match *self.sexp.list(node)? {
                [head, below, index, element] if self.sexp.atom(head) == Some("store") => {
                    written.push((
                        self.bits(index, index_width)?,
                        self.bits(element, element_width)?,
                    ));
                    node = self.resolved(below)?;
                }
                [head, element] => {
                    let &[as_word, constant, _] = self.sexp.list(head)? else {
                        return None;
                    };
                    if (self.sexp.atom(as_word), self.sexp.atom(constant))
                        != (Some("as"), Some("const"))
                    {
                        return None;
                    }
                    break ArrayValue::filled(index_width, self.bits(element, element_width)?);
                }
                _ => return None,
            }
        };
        for (index, element) in written.into_iter().rev() {
            array.set(index, element);
        }
        Some(array)
    }
}

pub(super) fn failed(what: &str) -> Reason {
    Reason::Failed(what.to_owned())
}

/// Enough of an answer to recognize it by.
pub(super) fn shortened(answer: &str) -> String {
    const LONGEST: usize = 200;
    let mut text: String = answer.chars().take(LONGEST).collect();
    if text.len() < answer.len() {
        text.push('…');
    }
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, sort: Sort) -> Option<Value> {
        let (sexp, root) = Sexp::parse(text).expect("an expression");
        ValueReader {
            sexp: &sexp,
            bound: FxHashMap::default(),
        }
        .value(root, sort)
    }

    #[test]
    fn values_are_read() {
        let bv = |width, value| Some(Value::Bv(Bv::new(width, value)));
        assert_eq!(read("#x2a", Sort::BitVec(8)), bv(8, 42));
        assert_eq!(read("#b101", Sort::BitVec(3)), bv(3, 5));
        assert_eq!(read("(_ bv42 8)", Sort::BitVec(8)), bv(8, 42));
        assert_eq!(read("(let ((a #x2a)) a)", Sort::BitVec(8)), bv(8, 42));
        assert_eq!(read("true", Sort::Bool), Some(Value::Bool(true)));
    }

    #[test]
    fn numbers_are_read() {
        let int = |value| Some(Value::Int(Rational::from(value)));
        assert_eq!(read("5", Sort::Int), int(5));
        assert_eq!(read("(- 5)", Sort::Int), int(-5));
        assert_eq!(read("(let ((a 5)) (- a))", Sort::Int), int(-5));
        let real = |a, b| Some(Value::Real(Rational::new(a, b)));
        assert_eq!(read("5", Sort::Real), real(5, 1));
        assert_eq!(read("2.5", Sort::Real), real(5, 2));
        assert_eq!(read("(to_real 5)", Sort::Real), real(5, 1));
        assert_eq!(read("(/ 1.0 3.0)", Sort::Real), real(1, 3));
        for minus_a_third in ["(- (/ 1.0 3.0))", "(/ (- 1) 3)", "(/ (to_real (- 1)) 3)"] {
            assert_eq!(read(minus_a_third, Sort::Real), real(-1, 3));
        }
        let big = "123456789012345678901234567890";
        assert_eq!(
            read(big, Sort::Int),
            Rational::parse(big).map(Value::Int),
            "numbers are of any size"
        );
        for text in ["2.5", "(/ 1 2)", "-5", "(+ 1 1)", "x", "(- 1 1)", "#x05"] {
            assert_eq!(read(text, Sort::Int), None, "{text}");
        }
        for text in ["(/ 1 0)", "(root-obj (+ (^ x 2) (- 2)) 1)", "1.4?", "()"] {
            assert_eq!(read(text, Sort::Real), None, "{text}");
        }
        let deep = format!("{}1{}", "(- ".repeat(100_000), ")".repeat(100_000));
        assert_eq!(read(&deep, Sort::Real), None);
    }

    #[test]
    fn what_is_no_value_of_the_sort_is_refused() {
        for text in [
            "#x2",
            "#x2aa",
            "(_ bv42 9)",
            "#xzz",
            "true",
            "(bvadd #x01 #x01)",
            "(let ((a a)) a)",
            "()",
        ] {
            assert_eq!(read(text, Sort::BitVec(8)), None, "{text}");
        }
        assert_eq!(
            read(
                "(_ as-array f)",
                Sort::Array {
                    index: 8,
                    element: 8
                }
            ),
            None
        );
        assert_eq!(
            read(
                "(lambda ((x (_ BitVec 8))) #x00)",
                Sort::Array {
                    index: 8,
                    element: 8
                }
            ),
            None
        );
    }

    #[test]
    fn the_outermost_write_counts() {
        let text = "(let ((a (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02))) (store a #x01 #x03))";
        let mut expected = ArrayValue::filled(8, Bv::new(8, 7));
        expected.set(Bv::new(8, 1), Bv::new(8, 3));
        assert_eq!(
            read(
                text,
                Sort::Array {
                    index: 8,
                    element: 8
                }
            ),
            Some(Value::Array(expected))
        );
    }
}
