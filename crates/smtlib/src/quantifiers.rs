//! Quantifiers: expanded where they range over few values, otherwise abstracted.
//!
//! Everything is said of `exists`; `forall` is the negation of one. A variable is eliminated where a conjunct equates it
//! with a term, and enumerated where its sort or conjuncts leave it few values. What cannot be eliminated stands as an
//! application of a new predicate to the variables around it. Where such a predicate is asserted, constants that no
//! script can name witness it; where it is denied, all that is known is that unsatisfiability does not depend on it.

use refrain_term::{
    Bv, FuncId, Op, Rational, Sort, Substitution, Term, Terms, free_vars, reachable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coded::datatypes::Datatypes;
use crate::surface::sort_below;

/// A bound variable, below the surface, and its sort above.
pub type Bound = (Term, Sort);

/// So many instances, at most, are made of one quantifier.
const MOST_INSTANCES: usize = 1 << 12;

/// And so many terms.
const MOST_TERMS: usize = 1 << 21;

/// Data of more elements are not enumerated: each element has axioms of its own.
const MOST_ELEMENTS: u64 = 64;

/// A quantifier that was not expanded: its predicate holds if, for the variables around it, some values of its own make
/// the body true.
struct Abstraction {
    vars: Vec<Bound>,
    /// The variables around it, which its predicate is applied to.
    around: Vec<Term>,
    body: Term,
}

/// The quantifiers of a session that were not expanded.
#[derive(Default)]
pub struct Quantifiers {
    list: Vec<Abstraction>,
    by_predicate: FxHashMap<FuncId, usize>,
    /// Predicates that have no arguments are symbols.
    by_symbol: FxHashMap<Term, usize>,
    known: FxHashMap<(Vec<Term>, Term), Term>,
}

/// The symbol that stands for a variable bound at this depth. No script can write this name.
pub fn bound_symbol(terms: &mut Terms, depth: usize, sort: Sort) -> Term {
    terms.var(&format!(r"\\{depth} {sort}"), sort_below(sort))
}

/// Whether a symbol stands for something bound, by a quantifier or as a parameter.
fn is_bound(terms: &Terms, term: Term) -> bool {
    let Op::Var(var) = terms.op(term) else {
        return false;
    };
    let name = terms.var_decl(var).name.as_bytes();
    match name {
        [b'\\', b'\\', next, ..] => next.is_ascii_digit(),
        [b'\\', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

impl Quantifiers {
    /// Whether every quantifier so far was expanded.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The formula that quantifies these variables.
    pub fn quantify(
        &mut self,
        terms: &mut Terms,
        datatypes: &Datatypes,
        universal: bool,
        vars: &[Bound],
        body: Term,
    ) -> Term {
        let body = if universal { terms.not(body) } else { body };
        let exists = self.exists(terms, datatypes, vars, body);
        if universal { terms.not(exists) } else { exists }
    }

    fn exists(
        &mut self,
        terms: &mut Terms,
        datatypes: &Datatypes,
        vars: &[Bound],
        body: Term,
    ) -> Term {
        let mut budget = Budget {
            instances: MOST_INSTANCES,
            terms: MOST_TERMS,
        };
        match eliminate(terms, datatypes, vars, body, &mut budget) {
            Some(result) => result,
            None => self.abstracted(terms, vars, body),
        }
    }

    /// The predicate that stands for a quantifier.
    fn abstracted(&mut self, terms: &mut Terms, vars: &[Bound], body: Term) -> Term {
        let own: Vec<Term> = vars.iter().map(|&(var, _)| var).collect();
        if let Some(&known) = self.known.get(&(own.clone(), body)) {
            return known;
        }
        let around: Vec<Term> = free_vars(terms, body)
            .into_iter()
            .map(|var| terms.var_term(var))
            .filter(|&var| is_bound(terms, var) && !own.contains(&var))
            .collect();
        let place = self.list.len();
        let name = format!(r"\\exists {place}");
        let predicate = if around.is_empty() {
            let symbol = terms.var(&name, Sort::Bool);
            self.by_symbol.insert(symbol, place);
            symbol
        } else {
            let sorts: Vec<Sort> = around.iter().map(|&var| terms.sort(var)).collect();
            let func = terms.func(&name, &sorts, Sort::Bool);
            self.by_predicate.insert(func, place);
            terms.apply(func, &around)
        };
        self.list.push(Abstraction {
            vars: vars.to_vec(),
            around,
            body,
        });
        self.known.insert((own, body), predicate);
        predicate
    }

    /// Whether a term depends on a quantifier that was not expanded. What its predicate is in a model says nothing about
    /// the quantifier.
    pub fn are_in(&self, terms: &Terms, term: Term) -> bool {
        let is_one = |&part: &Term| self.place_of(terms, part).is_some();
        !self.is_empty() && reachable(terms, &[term]).iter().any(is_one)
    }

    fn place_of(&self, terms: &Terms, term: Term) -> Option<usize> {
        match terms.op(term) {
            Op::Var(_) => self.by_symbol.get(&term).copied(),
            Op::Apply(func) => self.by_predicate.get(&func).copied(),
            _ => None,
        }
    }

    /// What has to be asserted beside a formula for the quantifiers in it, and whether that says all.
    pub fn witnesses(&self, terms: &mut Terms, formula: Term) -> Witnesses {
        let mut witnesses = Witnesses::default();
        let mut done = FxHashSet::default();
        let mut formulas = vec![formula];
        while let Some(formula) = formulas.pop() {
            for (term, polarity) in self.occurrences(terms, formula) {
                if polarity.negative {
                    witnesses.is_incomplete = true;
                }
                if polarity.positive && done.insert(term) {
                    let place = self.place_of(terms, term).expect("a predicate");
                    let body = self.witnessed(terms, place, term, &mut witnesses.symbols);
                    formulas.push(body);
                    witnesses.formulas.push(terms.implies(term, body));
                }
            }
        }
        witnesses
    }

    /// The body that a predicate stands for, of constants or functions of what it is applied to.
    fn witnessed(
        &self,
        terms: &mut Terms,
        place: usize,
        predicate: Term,
        symbols: &mut Vec<Skolem>,
    ) -> Term {
        let abstraction = &self.list[place];
        let args = terms.args(predicate).to_vec();
        let mut replacements: Vec<(Term, Term)> = Vec::new();
        replacements.extend(abstraction.around.iter().copied().zip(args.iter().copied()));
        for (at, &(var, sort)) in abstraction.vars.iter().enumerate() {
            let name = format!(r"\\witness {place} {at}");
            let below = sort_below(sort);
            let witness = if args.is_empty() {
                let symbol = terms.var(&name, below);
                symbols.push(Skolem::Symbol(symbol, sort));
                symbol
            } else {
                let sorts: Vec<Sort> = args.iter().map(|&arg| terms.sort(arg)).collect();
                let func = terms.func(&name, &sorts, below);
                symbols.push(Skolem::Function(func, sorts, sort));
                terms.apply(func, &args)
            };
            replacements.push((var, witness));
        }
        Substitution::new(replacements).apply(terms, abstraction.body)
    }

    /// The predicates in a formula, with the polarities in which they occur.
    fn occurrences(&self, terms: &Terms, formula: Term) -> Vec<(Term, Polarity)> {
        // Users come before their operands.
        let mut parts = reachable(terms, &[formula]);
        parts.reverse();
        let mut polarities: FxHashMap<Term, Polarity> = FxHashMap::default();
        let positive = Polarity {
            positive: true,
            negative: false,
        };
        polarities.insert(formula, positive);
        let mut found = Vec::new();
        for term in parts {
            let Some(&polarity) = polarities.get(&term) else {
                continue;
            };
            if self.place_of(terms, term).is_some() {
                found.push((term, polarity));
            }
            let both = Polarity {
                positive: true,
                negative: true,
            };
            for (place, &arg) in terms.args(term).iter().enumerate() {
                let inner = match terms.op(term) {
                    Op::Not => polarity.flipped(),
                    Op::And => polarity,
                    Op::Ite if place > 0 => polarity,
                    _ => both,
                };
                polarities.entry(arg).or_default().add(inner);
            }
        }
        found
    }
}

/// A name that no script can write, with the sort that its values have above the surface.
pub enum Skolem {
    Symbol(Term, Sort),
    Function(FuncId, Vec<Sort>, Sort),
}

#[derive(Default)]
pub struct Witnesses {
    pub formulas: Vec<Term>,
    pub symbols: Vec<Skolem>,
    /// A quantifier is denied: what satisfies all this may still be no model.
    pub is_incomplete: bool,
}

#[derive(Clone, Copy, Default)]
struct Polarity {
    positive: bool,
    negative: bool,
}

impl Polarity {
    fn flipped(self) -> Polarity {
        Polarity {
            positive: self.negative,
            negative: self.positive,
        }
    }

    fn add(&mut self, other: Polarity) {
        self.positive |= other.positive;
        self.negative |= other.negative;
    }
}

struct Budget {
    instances: usize,
    terms: usize,
}

impl Budget {
    /// Takes what an instance costs, if it is there.
    fn spend(&mut self, size: usize) -> Option<()> {
        self.instances = self.instances.checked_sub(1)?;
        self.terms = self.terms.checked_sub(size)?;
        Some(())
    }
}

/// The conjuncts of a formula.
fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    match terms.op(formula) {
        Op::And => terms.args(formula).to_vec(),
        _ => vec![formula],
    }
}

/// The formula that some values of these variables make the body true, without them; `None` if there is none to be had.
fn eliminate(
    terms: &mut Terms,
    datatypes: &Datatypes,
    vars: &[Bound],
    body: Term,
    budget: &mut Budget,
) -> Option<Term> {
    // Of a disjunction each part by itself.
    if terms.op(body) == Op::Not && terms.op(terms.arg(body, 0)) == Op::And {
        let parts = terms.args(terms.arg(body, 0)).to_vec();
        let mut results = Vec::new();
        for part in parts {
            let part = terms.not(part);
            results.push(eliminate(terms, datatypes, vars, part, budget)?);
        }
        return Some(terms.or(&results));
    }
    let free: FxHashSet<Term> = free_vars(terms, body)
        .into_iter()
        .map(|var| terms.var_term(var))
        .collect();
    let vars: Vec<Bound> = vars
        .iter()
        .copied()
        .filter(|(var, _)| free.contains(var))
        .collect();
    if vars.is_empty() {
        return Some(body);
    }
    let conjuncts = conjuncts(terms, body);
    for (place, &(var, _)) in vars.iter().enumerate() {
        if let Some(value) = conjuncts
            .iter()
            .find_map(|&conjunct| solved(terms, conjunct, var))
        {
            let body = Substitution::new([(var, value)]).apply(terms, body);
            let mut rest = vars.clone();
            rest.remove(place);
            return eliminate(terms, datatypes, &rest, body, budget);
        }
    }
    let mut ranges: Vec<(usize, Vec<Term>)> = Vec::new();
    for (place, &var) in vars.iter().enumerate() {
        if let Some(values) = few_values(terms, datatypes, var, &conjuncts) {
            ranges.push((place, values));
        }
    }
    let (place, values) = ranges.into_iter().min_by_key(|(_, values)| values.len())?;
    let (var, _) = vars[place];
    let mut rest = vars.clone();
    rest.remove(place);
    let size = reachable(terms, &[body]).len();
    let mut results = Vec::new();
    for value in values {
        budget.spend(size)?;
        let instance = Substitution::new([(var, value)]).apply(terms, body);
        let result = eliminate(terms, datatypes, &rest, instance, budget)?;
        if result == Term::TRUE {
            return Some(result);
        }
        results.push(result);
    }
    Some(terms.or(&results))
}

/// The term that a conjunct equates a variable with.
fn solved(terms: &Terms, conjunct: Term, var: Term) -> Option<Term> {
    let (a, b) = match terms.equated(conjunct) {
        Some(pair) => pair,
        None if terms.op(conjunct) == Op::Eq => (terms.arg(conjunct, 0), terms.arg(conjunct, 1)),
        None => return None,
    };
    let value = if a == var {
        b
    } else if b == var {
        a
    } else {
        return None;
    };
    let mentions = reachable(terms, &[value]).contains(&var);
    (!mentions).then_some(value)
}

/// All values that a variable can have where these conjuncts hold, if they are few.
fn few_values(
    terms: &mut Terms,
    datatypes: &Datatypes,
    (var, sort): Bound,
    conjuncts: &[Term],
) -> Option<Vec<Term>> {
    match terms.sort(var) {
        _ if matches!(sort, Sort::Coded(_)) => datatypes.all_elements(terms, sort, MOST_ELEMENTS),
        Sort::Bool => Some(vec![Term::TRUE, Term::FALSE]),
        Sort::Int => {
            let (mut low, mut high) = (None::<Rational>, None::<Rational>);
            for &conjunct in conjuncts {
                narrow_integer(terms, var, conjunct, &mut low, &mut high);
            }
            let (low, high) = (low?, high?);
            let count = &high - &low;
            if count > Rational::from(MOST_INSTANCES as i64) {
                return None;
            }
            let mut values = Vec::new();
            let mut value = low;
            while value <= high {
                values.push(terms.number(Sort::Int, value.clone()));
                value = &value + &Rational::ONE;
            }
            Some(values)
        }
        Sort::BitVec(width) => {
            let mut range = BitRange::all(width);
            for &conjunct in conjuncts {
                range.narrow(terms, var, conjunct);
            }
            range.values(terms)
        }
        Sort::Array { index, element } => few_arrays(terms, index, element),
        _ => None,
    }
}

/// All arrays of these widths, if they are few.
fn few_arrays(terms: &mut Terms, index: u32, element: u32) -> Option<Vec<Term>> {
    let cells = 1u32.checked_shl(index)?;
    let bits = cells.checked_mul(element)?;
    let count = 1u64.checked_shl(bits)?;
    if count > MOST_INSTANCES as u64 {
        return None;
    }
    let zero = terms.constant(Bv::zero(element));
    let base = terms.const_array(index, zero);
    let values = (0..count).map(|contents| {
        let cell = |at: u32| {
            let value = Bv::new(element, contents >> (at * element));
            (Bv::new(index, at.into()), value)
        };
        terms.table(base, (0..cells).map(cell).collect())
    });
    Some(values.collect())
}

/// Takes a bound of an integer from a conjunct.
fn narrow_integer(
    terms: &Terms,
    var: Term,
    conjunct: Term,
    low: &mut Option<Rational>,
    high: &mut Option<Rational>,
) {
    let (negated, atom) = match terms.op(conjunct) {
        Op::Not => (true, terms.arg(conjunct, 0)),
        _ => (false, conjunct),
    };
    if terms.op(atom) != Op::Le || terms.arg(atom, 0) != var {
        return;
    }
    let Some(limit) = terms.number_value(terms.arg(atom, 1)) else {
        return;
    };
    if negated {
        let limit = limit + &Rational::ONE;
        if low.as_ref().is_none_or(|low| *low < limit) {
            *low = Some(limit);
        }
    } else if high.as_ref().is_none_or(|high| limit < high) {
        *high = Some(limit.clone());
    }
}

/// What a bit-vector can be, read without and with a sign.
struct BitRange {
    width: u32,
    unsigned: (Bv, Bv),
    signed: (Bv, Bv),
}

impl BitRange {
    fn all(width: u32) -> BitRange {
        BitRange {
            width,
            unsigned: (Bv::zero(width), Bv::ones(width)),
            signed: (Bv::min_signed(width), Bv::max_signed(width)),
        }
    }

    /// Takes a bound from a conjunct.
    fn narrow(&mut self, terms: &Terms, var: Term, conjunct: Term) {
        let (negated, atom) = match terms.op(conjunct) {
            Op::Not => (true, terms.arg(conjunct, 0)),
            _ => (false, conjunct),
        };
        let args = terms.args(atom);
        let one = Bv::one(self.width);
        match terms.op(atom) {
            op @ (Op::BvUlt | Op::BvSlt) => {
                let is_signed = op == Op::BvSlt;
                let less = |a: &Bv, b: &Bv| if is_signed { a.slt(b) } else { a.ult(b) };
                let (low, high) = match is_signed {
                    true => (&mut self.signed.0, &mut self.signed.1),
                    false => (&mut self.unsigned.0, &mut self.unsigned.1),
                };
                // `var < limit`, or `limit < var`; denied, the other way round and with equality.
                let (limit, is_upper) = if args[0] == var {
                    (terms.value(args[1]), !negated)
                } else if args[1] == var {
                    (terms.value(args[0]), negated)
                } else {
                    return;
                };
                let Some(limit) = limit else { return };
                if is_upper {
                    let last = if negated {
                        limit.clone()
                    } else {
                        limit.sub(&one)
                    };
                    // Nothing is below the least.
                    if (negated || less(&last, limit)) && less(&last, high) {
                        *high = last;
                    }
                } else {
                    let first = if negated {
                        limit.clone()
                    } else {
                        limit.add(&one)
                    };
                    if (negated || less(limit, &first)) && less(low, &first) {
                        *low = first;
                    }
                }
            }
            // The high bits are known; of one bit, it is enough to know what it is not.
            Op::Eq => {
                let (value, part) = match terms.value(args[0]) {
                    Some(value) => (value, args[1]),
                    None => match terms.value(args[1]) {
                        Some(value) => (value, args[0]),
                        None => return,
                    },
                };
                let Op::Extract { lo } = terms.op(part) else {
                    return;
                };
                if terms.arg(part, 0) != var || lo + value.width() != self.width || lo == 0 {
                    return;
                }
                let value = match (negated, value.width()) {
                    (false, _) => value.clone(),
                    (true, 1) => value.not(),
                    (true, _) => return,
                };
                let low = value.concat(&Bv::zero(lo));
                let high = value.concat(&Bv::ones(lo));
                if self.unsigned.0.ult(&low) {
                    self.unsigned.0 = low;
                }
                if high.ult(&self.unsigned.1) {
                    self.unsigned.1 = high;
                }
            }
            _ => {}
        }
    }

    /// Where one range has numbers of one sign only, its bounds are the other's too.
    fn share(&mut self) {
        let both = [&self.unsigned, &self.signed].map(|(low, high)| low.sign() == high.sign());
        let [unsigned, signed] = [self.unsigned.clone(), self.signed.clone()];
        if both[0] {
            narrow(&mut self.signed, unsigned, Bv::slt);
        }
        if both[1] {
            narrow(&mut self.unsigned, signed, Bv::ult);
        }
    }

    /// The values, if they are few.
    fn values(&mut self, terms: &mut Terms) -> Option<Vec<Term>> {
        self.share();
        let ranges = [(&self.unsigned, false), (&self.signed, true)];
        let mut best: Option<(u64, &Bv)> = None;
        for ((low, high), is_signed) in ranges {
            let is_empty = if is_signed {
                high.slt(low)
            } else {
                high.ult(low)
            };
            if is_empty {
                return Some(Vec::new());
            }
            let Some(count) = high.sub(low).small() else {
                continue;
            };
            if count < MOST_INSTANCES as u64 && best.is_none_or(|(least, _)| count < least) {
                best = Some((count, low));
            }
        }
        let (count, low) = best?;
        let values = (0..=count).map(|step| {
            let value = low.add(&Bv::new(self.width, step));
            terms.constant(value)
        });
        Some(values.collect())
    }
}

/// The part of a range that is within another.
fn narrow((low, high): &mut (Bv, Bv), (first, last): (Bv, Bv), less: fn(&Bv, &Bv) -> bool) {
    if less(low, &first) {
        *low = first;
    }
    if less(&last, high) {
        *high = last;
    }
}
