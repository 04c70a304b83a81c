//! Elimination of unconstrained terms.
//!
//! An input that occurs once in all of a slice can have any value, and so can what an invertible operator makes of it:
//! `x + t` is anything, whatever `t` is, and so are `7 * x`, `x = t` and the product of two such terms. The largest
//! such terms become new symbols before anything is encoded; when these have values, the inputs are given those that
//! lead there, by inverting one operator after the other. Comparisons and divisions have side conditions: `x <u t` is
//! whatever one likes unless `t` is zero. (Bruttomesso, "RTL Verification: From SAT to SMT(BV)", 2008; Brummayer,
//! "Efficient SMT Solvers for Bit-Vectors and the Extensional Theory of Arrays", 2009.)
//!
//! It is done for one query: another one may use the input again. It pays where it saves a multiplier, a divider
//! or a shifter; elsewhere slices stay as they are, and what is encoded of them serves later queries.

use refrain_path::solution::{Datum, Solution};
use refrain_path::{InputId, Path};
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::Component;

/// Slices of more terms are not looked through.
const MOST_TERMS: usize = 50_000;

/// Finds out whether a slice has something to eliminate.
#[derive(Default)]
pub struct Eliminator {
    /// By term: whether there is something in it that is dear to encode, once that was asked for.
    dear: Vec<Option<bool>>,
}

/// A slice whose unconstrained terms are symbols.
pub struct Elimination {
    /// What the slice's atoms become, in their order.
    pub roots: Vec<Term>,
    removed: Vec<Removed>,
    ways: FxHashMap<Term, Way>,
}

/// A term that is no longer there.
struct Removed {
    term: Term,
    /// The symbol that its value comes from.
    symbol: Term,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// Its value is that of the symbol.
    Same,
    /// A comparison with a term, which cannot be true where that is the limit.
    Unless { free: usize, limit: Limit },
    /// A remainder or quotient, if that can be the symbol's value, and zero otherwise.
    Divided { largest: Largest },
    /// An even multiple: its low bits are zero.
    Multiple { zeros: u32 },
}

#[derive(Clone, Copy)]
enum Limit {
    Zero,
    Ones,
    SmallestSigned,
    LargestSigned,
}

#[derive(Clone, Copy)]
enum Largest {
    /// Of a remainder: below the divisor, if that is not zero.
    BelowDivisor,
    /// Of a quotient by a constant.
    Quotient,
}

/// How a term that can have any value gets one.
#[derive(Clone, Copy)]
enum Way {
    /// It is an input.
    Input,
    /// By this operand, given the others.
    By(usize),
    /// By all of its operands.
    All,
    /// By this branch of an ite, and its condition.
    Branch(usize),
}

impl Eliminator {
    /// A slice without its unconstrained terms, where that makes it cheaper to encode.
    pub fn eliminate(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        component: &Component,
    ) -> Option<Elimination> {
        let atoms = component.atoms.iter();
        let roots: Vec<Term> = atoms.map(|&atom| path.atoms.get(atom).term).collect();
        let is_dear = |&root: &Term| self.is_dear(terms, root);
        if !roots.iter().any(is_dear) {
            return None;
        }
        let inputs = free_inputs(path, component);
        let slice = Slice::new(terms, &roots, inputs)?;
        if slice.is_fully_used() {
            return None;
        }
        let elimination = slice.eliminate(terms, &roots);
        let saves = !elimination.removed.is_empty()
            && count_dear(terms, &elimination.roots) < count_dear(terms, &roots);
        saves.then_some(elimination)
    }

    /// Whether there is a multiplier, divider or shifter in a term.
    fn is_dear(&mut self, terms: &Terms, root: Term) -> bool {
        self.dear.resize(terms.len(), None);
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.dear[term.index()].is_some() {
                stack.pop();
                continue;
            }
            let operands = terms.args(term).iter();
            let mut known = is_dear(terms, term);
            let before = stack.len();
            for &operand in operands {
                match self.dear[operand.index()] {
                    Some(dear) => known |= dear,
                    None => stack.push(operand),
                }
            }
            if known || stack.len() == before {
                stack.truncate(before - 1);
                self.dear[term.index()] = Some(known);
            }
        }
        self.dear[root.index()] == Some(true)
    }
}

fn is_dear(terms: &Terms, term: Term) -> bool {
    match terms.op(term) {
        Op::BvMul => !terms.is_value(terms.arg(term, 0)),
        Op::BvUdiv | Op::BvUrem | Op::BvShl | Op::BvLshr | Op::BvAshr => true,
        _ => false,
    }
}

fn count_dear(terms: &Terms, roots: &[Term]) -> usize {
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut count = 0;
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            count += usize::from(is_dear(terms, term));
            stack.extend_from_slice(terms.args(term));
        }
    }
    count
}

/// The inputs of a slice that are independent of all others: not the cells of an array that is used as a whole.
fn free_inputs(path: &Path, component: &Component) -> FxHashSet<Term> {
    let inputs = &path.atoms.inputs;
    let is_independent = |&&input: &&InputId| {
        let whole = inputs.whole_of(input);
        whole.is_none_or(|whole| component.inputs.binary_search(&whole).is_err())
    };
    let independent = component.inputs.iter().filter(is_independent);
    independent
        .filter_map(|&input| inputs.term(input))
        .collect()
}

/// All terms of a slice.
struct Slice {
    inputs: FxHashSet<Term>,
    /// In ascending order: operands before users.
    terms: Vec<Term>,
    /// How often a term is an operand or an atom.
    uses: FxHashMap<Term, u32>,
}

impl Slice {
    /// Nothing if there is more in it than truth values and bit-vectors.
    fn new(terms: &Terms, roots: &[Term], inputs: FxHashSet<Term>) -> Option<Slice> {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut all = Vec::new();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            let count = uses.entry(term).or_default();
            *count += 1;
            if *count > 1 {
                continue;
            }
            let is_plain = matches!(terms.sort(term), Sort::Bool | Sort::BitVec(_));
            let is_open = matches!(
                terms.op(term),
                Op::Apply(_) | Op::Select | Op::Float { .. } | Op::Le | Op::Lt
            );
            if !is_plain || all.len() > MOST_TERMS || is_open && !inputs.contains(&term) {
                return None;
            }
            all.push(term);
            if !inputs.contains(&term) {
                stack.extend_from_slice(terms.args(term));
            }
        }
        all.sort_unstable();
        Some(Slice {
            inputs,
            terms: all,
            uses,
        })
    }

    /// Whether every input occurs more than once.
    fn is_fully_used(&self) -> bool {
        let occurs_again = |input: &Term| self.uses.get(input).is_none_or(|&uses| uses > 1);
        self.inputs.iter().all(occurs_again)
    }

    fn eliminate(&self, terms: &mut Terms, roots: &[Term]) -> Elimination {
        let mut ways: FxHashMap<Term, Way> = FxHashMap::default();
        let mut news: FxHashMap<Term, Term> = FxHashMap::default();
        let mut removed: Vec<Removed> = Vec::new();
        let mut symbols: FxHashMap<Term, Removed> = FxHashMap::default();
        for &term in &self.terms {
            let free = |place: usize| {
                let operand = terms.arg(term, place);
                self.uses[&operand] == 1 && ways.contains_key(&operand)
            };
            let way = match self.inputs.contains(&term) {
                true => (self.uses[&term] == 1).then_some(Way::Input),
                false => way(terms, term, &free),
            };
            if let Some(way) = way {
                ways.insert(term, way);
                continue;
            }
            // What is free below has found its largest term.
            let how = match self.inputs.contains(&term) {
                true => None,
                false => condition(terms, term, &free),
            };
            let operands: Vec<Term> = match self.inputs.contains(&term) {
                true => Vec::new(),
                false => terms.args(term).to_vec(),
            };
            let is_removed = |place: usize| match how {
                None => false,
                Some(How::Unless { free, .. }) => place == free,
                Some(How::Multiple { .. }) => place == 1,
                Some(_) => place == 0,
            };
            let mut rebuilt = Vec::with_capacity(operands.len());
            for (place, &operand) in operands.iter().enumerate() {
                if is_removed(place) {
                    rebuilt.push(operand);
                    continue;
                }
                rebuilt.push(renewed(terms, &ways, &mut news, &mut symbols, operand));
            }
            let new = match how {
                Some(how) => {
                    let symbol = symbol(terms, term, width_of(terms, term, how));
                    removed.push(Removed { term, symbol, how });
                    under_condition(terms, term, symbol, how, &rebuilt)
                }
                None if rebuilt == operands => term,
                None => terms.rebuild(term, &rebuilt),
            };
            news.insert(term, new);
        }
        let roots = roots
            .iter()
            .map(|&root| renewed(terms, &ways, &mut news, &mut symbols, root))
            .collect();
        removed.extend(symbols.into_values());
        // Operands before users: what a term is given depends on what its other operands are.
        removed.sort_unstable_by_key(|removed| removed.term);
        Elimination {
            roots,
            removed,
            ways,
        }
    }
}

/// What an operand or atom becomes: a symbol, if it can be anything.
fn renewed(
    terms: &mut Terms,
    ways: &FxHashMap<Term, Way>,
    news: &mut FxHashMap<Term, Term>,
    symbols: &mut FxHashMap<Term, Removed>,
    term: Term,
) -> Term {
    if let Some(&new) = news.get(&term) {
        return new;
    }
    match ways.get(&term) {
        // An input that is free stays what it is.
        None | Some(Way::Input) => term,
        Some(_) => {
            let new = symbol(terms, term, terms.sort(term).width());
            news.insert(term, new);
            let how = How::Same;
            symbols.insert(
                term,
                Removed {
                    term,
                    symbol: new,
                    how,
                },
            );
            new
        }
    }
}

/// A symbol in place of a term: a bit-vector of this width, or a truth value. A backslash cannot occur in a symbol
/// that anyone else declares.
fn symbol(terms: &mut Terms, term: Term, width: Option<u32>) -> Term {
    let name = format!("\\unconstrained {}", term.index());
    terms.var(&name, width.map_or(Sort::Bool, Sort::BitVec))
}

/// The width of the symbol in place of a term.
fn width_of(terms: &Terms, term: Term, how: How) -> Option<u32> {
    let width = terms.sort(term).width()?;
    Some(match how {
        How::Multiple { zeros } => width - zeros,
        _ => width,
    })
}

/// How a term can have any value, given which operands can and occur nowhere else.
fn way(terms: &Terms, term: Term, free: &dyn Fn(usize) -> bool) -> Option<Way> {
    let count = terms.args(term).len();
    let any = || (0..count).find(|&place| free(place)).map(Way::By);
    let all = || (0..count).all(free).then_some(Way::All);
    match terms.op(term) {
        Op::Not | Op::BvNot | Op::Extract { .. } | Op::BvXor | Op::BvAdd => any(),
        Op::Eq => any(),
        Op::Ite => match (free(0), free(1), free(2)) {
            (_, true, true) => Some(Way::All),
            (true, true, _) => Some(Way::Branch(1)),
            (true, _, true) => Some(Way::Branch(2)),
            _ => None,
        },
        Op::BvMul => match terms.value(terms.arg(term, 0)) {
            Some(factor) if factor.bit(0) => free(1).then_some(Way::By(1)),
            Some(_) => None,
            None => all(),
        },
        Op::And
        | Op::BvAnd
        | Op::BvOr
        | Op::Concat
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::BvUlt
        | Op::BvSlt => all().filter(|_| count > 0),
        _ => None,
    }
}

/// How a term can have any value but for a condition.
fn condition(terms: &Terms, term: Term, free: &dyn Fn(usize) -> bool) -> Option<How> {
    let unless = |limits: [Limit; 2]| {
        let place = (0..2).find(|&place| free(place))?;
        Some(How::Unless {
            free: place,
            limit: limits[place],
        })
    };
    match terms.op(term) {
        Op::BvUlt => unless([Limit::Zero, Limit::Ones]),
        Op::BvSlt => unless([Limit::SmallestSigned, Limit::LargestSigned]),
        Op::BvUrem if free(0) => Some(How::Divided {
            largest: Largest::BelowDivisor,
        }),
        Op::BvUdiv if free(0) => {
            let divisor = terms.value(terms.arg(term, 1))?;
            (!divisor.is_zero()).then_some(How::Divided {
                largest: Largest::Quotient,
            })
        }
        Op::BvMul if free(1) => {
            let factor = terms.value(terms.arg(term, 0))?;
            let zeros = factor.trailing_zeros();
            (zeros < factor.width()).then_some(How::Multiple { zeros })
        }
        _ => None,
    }
}

impl Limit {
    fn value(self, width: u32) -> Bv {
        match self {
            Limit::Zero => Bv::zero(width),
            Limit::Ones => Bv::ones(width),
            Limit::SmallestSigned => Bv::min_signed(width),
            Limit::LargestSigned => Bv::max_signed(width),
        }
    }
}

/// What a term is, given the symbol for what can be anything in it, and its operands.
fn under_condition(
    terms: &mut Terms,
    term: Term,
    symbol: Term,
    how: How,
    operands: &[Term],
) -> Term {
    match how {
        How::Same => symbol,
        How::Unless { free, limit } => {
            let other = operands[1 - free];
            let limit = terms.constant(limit.value(terms.width(other)));
            let is_limit = terms.eq(limit, other);
            let possible = terms.not(is_limit);
            terms.and2(symbol, possible)
        }
        How::Divided { largest } => {
            let width = terms.width(term);
            let zero = terms.bv(width, 0);
            let possible = match largest {
                Largest::BelowDivisor => {
                    let divisor = operands[1];
                    let (below, by_zero) = (terms.bv_ult(symbol, divisor), terms.eq(zero, divisor));
                    terms.or2(below, by_zero)
                }
                Largest::Quotient => {
                    let ones = terms.constant(Bv::ones(width));
                    let largest = terms.bv_udiv(ones, operands[1]);
                    terms.bv_ule(symbol, largest)
                }
            };
            terms.ite(possible, symbol, zero)
        }
        How::Multiple { zeros } => {
            let zeros = terms.bv(zeros, 0);
            terms.concat(symbol, zeros)
        }
    }
}

impl Elimination {
    /// The terms that symbols stand for.
    pub fn replaced(&self) -> impl Iterator<Item = (Term, Term)> {
        let same = |removed: &&Removed| matches!(removed.how, How::Same);
        let removed = self.removed.iter().filter(same);
        removed.map(|removed| (removed.term, removed.symbol))
    }

    /// Gives the inputs that are no longer there values in the model, given those of the symbols.
    pub fn complete(&self, terms: &Terms, path: &mut Path, value: impl Fn(Term) -> Option<Bv>) {
        let mut completion = Completion {
            terms,
            ways: &self.ways,
            assignment: path.model.assignment().as_ref().clone(),
            evaluator: Evaluator::new(),
            values: Vec::new(),
        };
        for removed in &self.removed {
            let symbol = match (value(removed.symbol), terms.sort(removed.symbol).width()) {
                (Some(value), _) => value,
                (None, width) => Bv::zero(width.unwrap_or(1)),
            };
            completion.assign_removed(removed, symbol);
        }
        let (mut words, mut others) = (Vec::new(), Vec::new());
        let inputs = &path.atoms.inputs;
        for (term, value) in completion.values {
            let Some(input) = inputs.find_term(term) else {
                continue;
            };
            match value.small() {
                Some(word) if inputs.place(input).is_word() => words.push((input, word)),
                _ => others.push((input, Datum::Value(Value::Bv(value)))),
            }
        }
        let (words, others) = (words.into(), others.into());
        path.model
            .adopt(inputs, &Solution { words, others }, |_| true);
    }
}

/// Values for the inputs that are no longer there. Nothing is evaluated before all inputs that it depends on have
/// theirs, so what the evaluator remembers stays true.
struct Completion<'a> {
    terms: &'a Terms,
    ways: &'a FxHashMap<Term, Way>,
    assignment: Assignment,
    evaluator: Evaluator,
    values: Vec<(Term, Bv)>,
}

impl Completion<'_> {
    /// The value of a term; a truth value is one bit.
    fn value(&mut self, term: Term) -> Bv {
        match self.evaluator.value(self.terms, &self.assignment, term) {
            Value::Bool(truth) => Bv::new(1, u64::from(truth)),
            Value::Bv(value) => value,
            _ => unreachable!("a truth value or a bit-vector"),
        }
    }

    fn operand(&mut self, term: Term, place: usize) -> Bv {
        self.value(self.terms.arg(term, place))
    }

    /// Gives a term that is no longer there the value that its symbol stands for.
    fn assign_removed(&mut self, removed: &Removed, symbol: Bv) {
        let term = removed.term;
        match removed.how {
            How::Same => self.assign(term, symbol),
            How::Unless { free, limit } => {
                let other = self.operand(term, 1 - free);
                let width = other.width();
                let is_true = symbol.is_one() && other != limit.value(width);
                // Nothing is less than the limit on the left, or greater on the right: it is the best there is.
                let value = match is_true {
                    true => limit.value(width),
                    false => other,
                };
                self.assign(self.terms.arg(term, free), value);
            }
            How::Divided { largest } => {
                let divisor = self.operand(term, 1);
                let zero = Bv::zero(symbol.width());
                let dividend = match largest {
                    Largest::BelowDivisor if divisor.is_zero() || symbol.ult(&divisor) => symbol,
                    Largest::BelowDivisor => zero,
                    Largest::Quotient => {
                        let largest = Bv::ones(symbol.width()).udiv(&divisor);
                        match largest.ult(&symbol) {
                            true => zero,
                            false => symbol.mul(&divisor),
                        }
                    }
                };
                self.assign(self.terms.arg(term, 0), dividend);
            }
            How::Multiple { zeros } => {
                let factor = self.operand(term, 0);
                let odd = factor.extract(factor.width() - 1, zeros);
                let inverse = odd.inverse().expect("odd without its zeros");
                let value = symbol.mul(&inverse).zero_extend(zeros);
                self.assign(self.terms.arg(term, 1), value);
            }
        }
    }

    /// Gives a term that can have any value this one.
    fn assign(&mut self, term: Term, value: Bv) {
        let mut stack = vec![(term, value)];
        while let Some((term, value)) = stack.pop() {
            match self.ways[&term] {
                Way::Input => self.set_input(term, value),
                Way::By(place) => {
                    let operand = self.inverted(term, place, &value);
                    stack.push((self.terms.arg(term, place), operand));
                }
                Way::Branch(place) => {
                    let chooses_first = Bv::new(1, u64::from(place == 1));
                    stack.push((self.terms.arg(term, 0), chooses_first));
                    stack.push((self.terms.arg(term, place), value));
                    // The other branch may have inputs of its own that do not matter.
                }
                Way::All => {
                    let values = all_operands(self.terms, term, value);
                    let operands = self.terms.args(term).iter().copied();
                    // The condition of an ite whose branches are the same need not be free.
                    let given = operands.zip(values);
                    stack.extend(given.filter_map(|(operand, value)| Some((operand, value?))));
                }
            }
        }
    }

    fn set_input(&mut self, term: Term, value: Bv) {
        let terms = self.terms;
        match terms.op(term) {
            Op::Var(var) => {
                let given = match terms.sort(term) {
                    Sort::Bool => Value::Bool(value.is_one()),
                    _ => Value::Bv(value.clone()),
                };
                self.assignment.set(var, given);
            }
            Op::Select => {
                let (array, index) = (terms.arg(term, 0), terms.arg(term, 1));
                let index = terms.value(index).expect("a cell has a constant index");
                let var = symbol_of(terms, array);
                let sort = terms.sort(array);
                self.assignment
                    .set_cell(var, index.clone(), value.clone(), sort);
            }
            _ => unreachable!("an input"),
        }
        self.values.push((term, value));
    }

    /// The value that an operand must have for its term to have this one.
    fn inverted(&mut self, term: Term, place: usize, value: &Bv) -> Bv {
        let terms = self.terms;
        let count = terms.args(term).len();
        match terms.op(term) {
            Op::Not | Op::BvNot => value.not(),
            Op::Extract { lo } => {
                let width = terms.width(terms.arg(term, 0));
                let above = width - lo - value.width();
                let mut whole = value.clone();
                if above > 0 {
                    whole = whole.zero_extend(above);
                }
                match lo {
                    0 => whole,
                    _ => whole.concat(&Bv::zero(lo)),
                }
            }
            Op::Eq => {
                let other = self.operand(term, 1 - place);
                match value.is_one() {
                    true => other,
                    false => other.not(),
                }
            }
            Op::BvXor => {
                let other = self.operand(term, 1 - place);
                value.xor(&other)
            }
            Op::BvAdd => {
                let others = (0..count).filter(|&other| other != place);
                others.fold(value.clone(), |rest, other| {
                    let other = self.operand(term, other);
                    rest.sub(&other)
                })
            }
            Op::BvMul => {
                let factor = self.operand(term, 0);
                value.mul(&factor.inverse().expect("an odd factor"))
            }
            _ => unreachable!("an operator that is inverted"),
        }
    }
}

/// Values of all operands that give a term this one; none for an operand that does not matter.
fn all_operands(terms: &Terms, term: Term, value: Bv) -> Vec<Option<Bv>> {
    let count = terms.args(term).len();
    let width = terms.sort(terms.arg(term, 0)).width().unwrap_or(1);
    match terms.op(term) {
        Op::And => vec![Some(value); count],
        Op::BvAnd | Op::BvOr => vec![Some(value.clone()), Some(value)],
        Op::Ite => vec![None, Some(value.clone()), Some(value)],
        Op::BvMul | Op::BvUdiv => vec![Some(value), Some(Bv::one(width))],
        // By zero the remainder is the dividend.
        Op::BvUrem | Op::BvShl | Op::BvLshr | Op::BvAshr => {
            vec![Some(value), Some(Bv::zero(width))]
        }
        Op::Concat => {
            let split = terms.width(terms.arg(term, 1));
            let top = value.width() - 1;
            vec![
                Some(value.extract(top, split)),
                Some(value.extract(split - 1, 0)),
            ]
        }
        // 0 < 1, or 0 < 0, both unsigned and, but for one bit, signed.
        Op::BvUlt => vec![Some(Bv::zero(width)), Some(resized(&value, width))],
        Op::BvSlt => match value.is_one() {
            true => vec![Some(Bv::ones(width)), Some(Bv::zero(width))],
            false => vec![Some(Bv::zero(width)), Some(Bv::zero(width))],
        },
        _ => unreachable!("an operator whose operands are all free"),
    }
}

/// One bit, extended by zeros.
fn resized(bit: &Bv, width: u32) -> Bv {
    match width {
        1 => bit.clone(),
        _ => bit.zero_extend(width - 1),
    }
}

fn symbol_of(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        _ => unreachable!("a symbol"),
    }
}
