//! Contraction by intervals: shows that atoms about floats cannot hold together, without circuits.
//!
//! Every float in the atoms has a [`Range`]. Operators narrow what they give by their operands and their operands by
//! what they give; atoms narrow what they compare. What no range is left for is impossible. Where that decides nothing,
//! ranges of the inputs are halved and the halves looked at one after the other, as far as a count of evaluations goes.

mod formula;
mod range;
#[cfg(test)]
mod tests;

use refrain_term::{FloatOp, Rounding, Term, Terms};

use formula::{Formula, Kind, Node};
use range::Range;

/// So often do operators and atoms narrow all ranges before these are halved.
const ROUNDS: usize = 6;

/// Ranges within this are halved as numbers.
const MODERATE: f64 = 1e15;

/// Ranges that have become smaller than this, in proportion, are not halved.
const LEAST_SHARE: f64 = 1e-9;

/// How much is tried, in evaluations of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Ranges are narrowed once.
    Once,
    /// They are halved too.
    Halving,
}

impl Effort {
    fn evaluations(self) -> usize {
        match self {
            Effort::Once => 1 << 13,
            Effort::Halving => 1 << 16,
        }
    }
}

/// No value is left for some float.
struct Empty;

/// Which of some atoms cannot hold together, by their places; nothing if that is not seen.
pub fn refute(terms: &Terms, atoms: &[Term], effort: Effort) -> Option<Vec<usize>> {
    let (nodes, formulas) = formula::compile(terms, atoms)?;
    let mut contractor = Contractor {
        ranges: nodes.iter().map(|node| node.range).collect(),
        used: vec![false; formulas.len()],
        nodes,
        formulas,
        changed: false,
        left: effort.evaluations(),
    };
    let is_refuted = contractor.contract().is_err()
        || effort == Effort::Halving && contractor.is_refuted_by_halves();
    is_refuted.then(|| {
        let used = contractor.used.iter().enumerate();
        used.filter(|(_, used)| **used).map(|(at, _)| at).collect()
    })
}

struct Contractor {
    /// Operands before what is made of them.
    nodes: Vec<Node>,
    /// By atom.
    formulas: Vec<Formula>,
    /// By node.
    ranges: Vec<Range>,
    /// By atom: whether it has narrowed anything. Without the others all would have gone the same way.
    used: Vec<bool>,
    changed: bool,
    left: usize,
}

impl Contractor {
    /// Narrows all ranges by one another, until that changes little.
    fn contract(&mut self) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            self.changed = false;
            for node in 0..self.nodes.len() {
                let range = self.forward(node);
                self.narrow(node, range)?;
            }
            let formulas = std::mem::take(&mut self.formulas);
            let mut outcome = Ok(());
            for (atom, formula) in formulas.iter().enumerate() {
                let before = std::mem::take(&mut self.changed);
                outcome = self.assume(formula, true);
                self.used[atom] |= self.changed || outcome.is_err();
                self.changed |= before;
                if outcome.is_err() {
                    break;
                }
            }
            self.formulas = formulas;
            outcome?;
            for node in (0..self.nodes.len()).rev() {
                self.backward(node)?;
            }
            if !self.changed || self.left == 0 {
                break;
            }
        }
        Ok(())
    }

    fn narrow(&mut self, node: usize, range: Range) -> Result<(), Empty> {
        let before = self.ranges[node];
        let mut after = before.intersection(range);
        if after.is_empty() {
            return Err(Empty);
        }
        if !after.has_numbers() {
            after = Range::only_nan();
        }
        self.changed |= after != before;
        self.ranges[node] = after;
        Ok(())
    }

    /// What a node is by its operands.
    fn forward(&mut self, node: usize) -> Range {
        self.left = self.left.saturating_sub(1);
        let Node {
            kind,
            places,
            range,
        } = &self.nodes[node];
        let at = |operand: &usize| self.ranges[*operand];
        match kind {
            Kind::Leaf => *range,
            Kind::Negated(a) => at(a).negated(),
            Kind::Magnitude(a) => at(a).magnitude(),
            Kind::Choice(condition, then, other) => match self.truth(condition) {
                Some(true) => at(then),
                Some(false) => at(other),
                None => at(then).hull(at(other)),
            },
            Kind::Converted(mode, a) => self.nodes[*a].places.converted(*places, *mode, at(a)),
            Kind::Operator(op, mode, operands) => {
                let mut ranges = [Range::only_nan(); 3];
                for (range, operand) in ranges.iter_mut().zip(operands) {
                    *range = at(operand);
                }
                places.forward(*op, *mode, &ranges[..operands.len()])
            }
        }
    }

    /// Narrows the operands of a node by what it is.
    fn backward(&mut self, node: usize) -> Result<(), Empty> {
        let result = self.ranges[node];
        let Node { kind, places, .. } = &self.nodes[node];
        let places = *places;
        match kind {
            Kind::Leaf => Ok(()),
            &Kind::Negated(a) => self.narrow(a, result.negated()),
            &Kind::Magnitude(a) => {
                // Where the sign is known, so is the lower end.
                let a_range = self.ranges[a];
                let range = match (a_range.low >= 0, a_range.high <= 0) {
                    (true, false) => result,
                    (false, true) => result.negated(),
                    _ => result.hull(result.negated()),
                };
                self.narrow(a, range)
            }
            Kind::Choice(condition, then, other) => {
                let (then, other) = (*then, *other);
                match self.truth(condition) {
                    Some(true) => self.narrow(then, result),
                    Some(false) => self.narrow(other, result),
                    None => Ok(()),
                }
            }
            _ if result.nan || !result.has_numbers() => Ok(()),
            &Kind::Converted(_, a) => {
                let to = self.nodes[a].places;
                let exact = places.wider(result);
                let range = places.converted(to, Some(Rounding::NearestEven), exact);
                self.narrow(a, to.wider(range))
            }
            Kind::Operator(op, _, operands) => {
                let op = *op;
                if matches!(op, FloatOp::Function(_)) {
                    return Ok(());
                }
                let operands = operands.clone();
                for (at, &operand) in operands.iter().enumerate() {
                    self.left = self.left.saturating_sub(1);
                    // What is no number gives none.
                    let mut ranges = [Range::only_nan(); 3];
                    for (range, &operand) in ranges.iter_mut().zip(&operands) {
                        *range = self.ranges[operand];
                        range.nan = false;
                        if !range.has_numbers() {
                            return Err(Empty);
                        }
                    }
                    let range = places.backward(op, at, &ranges[..operands.len()], result);
                    self.narrow(operand, range)?;
                }
                Ok(())
            }
        }
    }

    /// Whether a formula holds for all values in the ranges, or for none.
    fn truth(&self, formula: &Formula) -> Option<bool> {
        let at = |node: &usize| self.ranges[*node];
        match formula {
            Formula::Opaque => None,
            Formula::Not(formula) => self.truth(formula).map(|truth| !truth),
            Formula::And(all) => {
                let mut truth = Some(true);
                for formula in all {
                    match self.truth(formula) {
                        Some(false) => return Some(false),
                        None => truth = None,
                        Some(true) => {}
                    }
                }
                truth
            }
            Formula::Compare(op, a, b) => {
                let (a, b) = (at(a), at(b));
                let (always, never) = match op {
                    FloatOp::Lt => (a.high < b.low, a.low >= b.high),
                    FloatOp::Le => (a.high <= b.low, a.low > b.high),
                    _ => (
                        a.low == a.high && b.low == b.high && a.low == b.low,
                        a.high < b.low || b.high < a.low,
                    ),
                };
                let have_numbers = a.has_numbers() && b.has_numbers();
                match (have_numbers, a.nan || b.nan) {
                    (false, _) => Some(false),
                    _ if never => Some(false),
                    (_, false) if always => Some(true),
                    _ => None,
                }
            }
            Formula::Same(a, b) => {
                let both = at(a).intersection(at(b));
                both.is_empty().then_some(false)
            }
            Formula::Above(a, bound) => {
                let a_range = at(a).magnitude();
                match (a_range.has_numbers(), a_range.nan) {
                    (true, false) if a_range.high <= *bound => Some(false),
                    (true, _) if a_range.low > *bound => Some(true),
                    (false, _) if *bound <= self.nodes[*a].places.infinity() => Some(true),
                    _ => None,
                }
            }
            Formula::Magnitude(a, place) => {
                let is_nan = *place > self.nodes[*a].places.infinity();
                let is_possible = match is_nan {
                    true => at(a).nan,
                    false => at(a).magnitude().has(*place),
                };
                (!is_possible).then_some(false)
            }
            Formula::Negative(a) => {
                let a = at(a);
                match (a.nan, a.high < 0, a.low > 0) {
                    (false, true, _) => Some(true),
                    (false, _, true) => Some(false),
                    _ => None,
                }
            }
        }
    }

    /// Narrows ranges to where a formula holds, or does not.
    fn assume(&mut self, formula: &Formula, holds: bool) -> Result<(), Empty> {
        self.left = self.left.saturating_sub(1);
        match formula {
            Formula::Opaque => Ok(()),
            Formula::Not(formula) => self.assume(formula, !holds),
            Formula::And(all) if holds => all
                .iter()
                .try_for_each(|formula| self.assume(formula, true)),
            Formula::And(all) => {
                // One of them is false; which, is seen if all others are true.
                let mut open = None;
                for formula in all {
                    match self.truth(formula) {
                        Some(false) => return Ok(()),
                        Some(true) => {}
                        None if open.is_some() => return Ok(()),
                        None => open = Some(formula),
                    }
                }
                open.map_or(Err(Empty), |formula| self.assume(formula, false))
            }
            &Formula::Compare(op, a, b) => self.assume_comparison(op, a, b, holds),
            &Formula::Same(a, b) if holds => {
                self.narrow(a, self.ranges[b])?;
                self.narrow(b, self.ranges[a])
            }
            &Formula::Above(a, bound) => {
                let infinity = self.nodes[a].places.infinity();
                let range = self.ranges[a];
                let within = Range::between(-bound.min(infinity), bound.min(infinity));
                match holds {
                    // NaN's magnitude is above infinity's.
                    true if bound >= infinity => self.narrow(a, Range::only_nan()),
                    true if range.low >= -bound => {
                        let above = Range::between(bound + 1, infinity);
                        self.narrow(a, Range { nan: true, ..above })
                    }
                    true if range.high <= bound => {
                        let below = Range::between(-infinity, -bound - 1);
                        self.narrow(a, Range { nan: true, ..below })
                    }
                    true => Ok(()),
                    false if bound <= infinity => self.narrow(a, within),
                    false => Ok(()),
                }
            }
            &Formula::Magnitude(a, place) if place > self.nodes[a].places.infinity() => match holds
            {
                true => self.narrow(a, Range::only_nan()),
                false => Ok(()),
            },
            &Formula::Magnitude(a, place) if holds => self.narrow(a, Range::between(-place, place)),
            &Formula::Magnitude(a, place) => {
                let Range { low, high, nan } = self.ranges[a];
                if low > high {
                    return Ok(());
                }
                let low = low + i128::from(low.abs() == place);
                let high = high - i128::from(high.abs() == place);
                self.narrow(a, Range { low, high, nan })
            }
            &Formula::Negative(a) => {
                let infinity = self.nodes[a].places.infinity();
                // Zeros and NaN may have either sign.
                let (low, high) = if holds { (-infinity, 0) } else { (0, infinity) };
                self.narrow(
                    a,
                    Range {
                        low,
                        high,
                        nan: true,
                    },
                )
            }
            Formula::Same(..) => Ok(()),
        }
    }

    fn assume_comparison(
        &mut self,
        op: FloatOp,
        a: usize,
        b: usize,
        holds: bool,
    ) -> Result<(), Empty> {
        let (x, y) = (self.ranges[a], self.ranges[b]);
        let numbers = |low, high| Range::between(low, high);
        if holds {
            if !x.has_numbers() || !y.has_numbers() {
                return Err(Empty);
            }
            let (below, above) = match op {
                FloatOp::Lt => (
                    numbers(i128::MIN, y.high - 1),
                    numbers(x.low + 1, i128::MAX),
                ),
                FloatOp::Le => (numbers(i128::MIN, y.high), numbers(x.low, i128::MAX)),
                _ => (numbers(y.low, y.high), numbers(x.low, x.high)),
            };
            self.narrow(a, below)?;
            return self.narrow(b, above);
        }
        if x.nan || y.nan {
            return Ok(());
        }
        match op {
            // Not less is greater or equal.
            FloatOp::Lt => self.assume_comparison(FloatOp::Le, b, a, true),
            FloatOp::Le => self.assume_comparison(FloatOp::Lt, b, a, true),
            _ => {
                for (one, other) in [(a, y), (b, x)] {
                    if other.low == other.high {
                        let Range { low, high, .. } = self.ranges[one];
                        let low = low + i128::from(low == other.low);
                        let high = high - i128::from(high == other.low);
                        self.narrow(one, numbers(low, high))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether nothing is left in either half of a range, or in parts of these.
    fn is_refuted_by_halves(&mut self) -> bool {
        let whole = self.ranges.clone();
        let mut open = vec![whole.clone()];
        while let Some(ranges) = open.pop() {
            let Some((node, halves)) = self.halves(&whole, &ranges) else {
                return false;
            };
            for half in halves {
                if self.left == 0 {
                    return false;
                }
                self.ranges.clone_from(&ranges);
                self.ranges[node] = half;
                if self.contract().is_ok() {
                    open.push(self.ranges.clone());
                }
            }
        }
        true
    }

    /// The widest range of an input, in proportion to what it was at first, in two parts.
    fn halves(&self, whole: &[Range], ranges: &[Range]) -> Option<(usize, [Range; 2])> {
        let mut widest: Option<(f64, usize, [Range; 2])> = None;
        for (node, (whole, &range)) in whole.iter().zip(ranges).enumerate() {
            if self.nodes[node].kind != Kind::Leaf {
                continue;
            }
            if range.nan && range.has_numbers() {
                let numbers = Range {
                    nan: false,
                    ..range
                };
                return Some((node, [numbers, Range::only_nan()]));
            }
            if range.low >= range.high {
                continue;
            }
            let places = self.nodes[node].places;
            let (low, high) = (places.value(range.low), places.value(range.high));
            let (start, end) = (places.value(whole.low), places.value(whole.high));
            // Moderate numbers are halved as numbers, others by their places.
            let (share, middle) = if start.abs().max(end.abs()) < MODERATE {
                let middle = places.nearest(low + (high - low) / 2.0);
                ((high - low) / (end - start), middle)
            } else {
                let width = |range: Range| range.high as f64 - range.low as f64;
                let middle = range.low + (range.high / 2 - range.low / 2);
                (width(range) / width(*whole), middle)
            };
            let middle = middle.clamp(range.low, range.high - 1);
            if share > widest.as_ref().map_or(LEAST_SHARE, |widest| widest.0) {
                let halves = [(range.low, middle), (middle + 1, range.high)];
                let halves = halves.map(|(low, high)| Range::between(low, high));
                widest = Some((share, node, halves));
            }
        }
        widest.map(|(_, node, halves)| (node, halves))
    }
}
