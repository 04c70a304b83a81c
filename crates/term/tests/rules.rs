//! Every constructor against its definition, on operands made to set off the rewriting rules.
//!
//! Terms are drawn from pools that feed on themselves: what one constructor gives is an operand of the next. After
//! every call the value of the new term, under several assignments, is compared with the operator's definition
//! applied to the values of its operands. At the end every rule that the source names must have applied.

mod common;

use std::collections::BTreeMap;

use common::*;
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value, VarId};

type BvOp = (
    &'static str,
    fn(&mut Terms, Term, Term) -> Term,
    fn(&Bv, &Bv) -> Bv,
);
const BV_OPS: &[BvOp] = &[
    ("bvand", Terms::bv_and, reference::bv_and),
    ("bvor", Terms::bv_or, reference::bv_or),
    ("bvxor", Terms::bv_xor, reference::bv_xor),
    ("bvnand", Terms::bv_nand, reference::bv_nand),
    ("bvnor", Terms::bv_nor, reference::bv_nor),
    ("bvxnor", Terms::bv_xnor, reference::bv_xnor),
    ("bvcomp", Terms::bv_comp, reference::bv_comp),
    ("bvadd", Terms::bv_add, reference::bv_add),
    ("bvsub", Terms::bv_sub, reference::bv_sub),
    ("bvmul", Terms::bv_mul, reference::bv_mul),
    ("bvudiv", Terms::bv_udiv, reference::bv_udiv),
    ("bvurem", Terms::bv_urem, reference::bv_urem),
    ("bvsdiv", Terms::bv_sdiv, reference::bv_sdiv),
    ("bvsrem", Terms::bv_srem, reference::bv_srem),
    ("bvsmod", Terms::bv_smod, reference::bv_smod),
    ("bvshl", Terms::bv_shl, reference::bv_shl),
    ("bvlshr", Terms::bv_lshr, reference::bv_lshr),
    ("bvashr", Terms::bv_ashr, reference::bv_ashr),
];

type Predicate = (
    &'static str,
    fn(&mut Terms, Term, Term) -> Term,
    fn(&Bv, &Bv) -> bool,
);
const PREDICATES: &[Predicate] = &[
    ("=", Terms::eq, reference::eq),
    ("bvult", Terms::bv_ult, reference::bv_ult),
    ("bvule", Terms::bv_ule, reference::bv_ule),
    ("bvugt", Terms::bv_ugt, reference::bv_ugt),
    ("bvuge", Terms::bv_uge, reference::bv_uge),
    ("bvslt", Terms::bv_slt, reference::bv_slt),
    ("bvsle", Terms::bv_sle, reference::bv_sle),
    ("bvsgt", Terms::bv_sgt, reference::bv_sgt),
    ("bvsge", Terms::bv_sge, reference::bv_sge),
    ("bvuaddo", Terms::bv_uaddo, reference::bv_uaddo),
    ("bvsaddo", Terms::bv_saddo, reference::bv_saddo),
    ("bvumulo", Terms::bv_umulo, reference::bv_umulo),
    ("bvsmulo", Terms::bv_smulo, reference::bv_smulo),
    ("bvusubo", Terms::bv_usubo, reference::bv_usubo),
    ("bvssubo", Terms::bv_ssubo, reference::bv_ssubo),
    ("bvsdivo", Terms::bv_sdivo, reference::bv_sdivo),
];

const WIDTHS: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 64, 65, 128];
const ARRAYS: &[Sort] = &[
    Sort::Array {
        index: 1,
        element: 3,
    },
    Sort::Array {
        index: 2,
        element: 8,
    },
    Sort::Array {
        index: 32,
        element: 8,
    },
    Sort::Array {
        index: 65,
        element: 128,
    },
];
const POOL: usize = 48;
const ASSIGNMENTS: usize = 10;

struct Round {
    rng: Rng,
    terms: Terms,
    pools: BTreeMap<Sort, Vec<Term>>,
    lanes: Vec<(Assignment, Evaluator)>,
}

impl Round {
    fn new(seed: u64) -> Round {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let mut pools: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
        let sorts = WIDTHS.iter().map(|&width| Sort::BitVec(width));
        let mut vars: Vec<VarId> = Vec::new();
        for sort in sorts.chain([Sort::Bool]).chain(ARRAYS.iter().copied()) {
            for number in 0..3 {
                let term = terms.var(&format!("v{number}"), sort);
                let Op::Var(var) = terms.op(term) else {
                    unreachable!()
                };
                vars.push(var);
                pools.entry(sort).or_default().push(term);
            }
        }
        let lanes = (0..ASSIGNMENTS)
            .map(|_| (rng.assignment(&terms, &vars), Evaluator::new()))
            .collect();
        Round {
            rng,
            terms,
            pools,
            lanes,
        }
    }

    fn values(&mut self, term: Term) -> Vec<Value> {
        let terms = &self.terms;
        self.lanes
            .iter_mut()
            .map(|(assignment, evaluator)| evaluator.value(terms, assignment, term))
            .collect()
    }

    fn bvs(&mut self, term: Term) -> Vec<Bv> {
        self.values(term)
            .into_iter()
            .map(|value| value.as_bv().expect("a bit-vector").clone())
            .collect()
    }

    fn bools(&mut self, term: Term) -> Vec<bool> {
        self.values(term)
            .into_iter()
            .map(|value| value.as_bool().expect("a Bool"))
            .collect()
    }

    /// Compares with the definition, and keeps the term as an operand for later.
    fn check(&mut self, what: &str, operands: &[Term], term: Term, wanted: Vec<Value>) {
        let found = self.values(term);
        if found != wanted {
            let texts: Vec<String> = operands
                .iter()
                .map(|&t| refrain_term::print(&self.terms, t))
                .collect();
            let text = refrain_term::print(&self.terms, term);
            panic!("{what} {texts:#?}\nbuilt as {text}\nis {found:?}\nnot {wanted:?}");
        }
        if self.terms.is_value(term) {
            // Constants are drawn anew; in a pool they would drive out everything else.
            return;
        }
        let pool = self.pools.entry(self.terms.sort(term)).or_default();
        if pool.len() < POOL {
            pool.push(term);
        } else {
            // The symbols at the front stay.
            let place = 3 + self.rng.below(POOL - 3);
            pool[place] = term;
        }
    }

    fn constant(&mut self, width: u32) -> Term {
        let value = self.rng.bv(width);
        self.terms.constant(value)
    }

    /// An operand of this sort: a constant, a symbol, or something built before.
    fn operand(&mut self, sort: Sort) -> Term {
        match (sort, self.rng.below(10)) {
            (Sort::BitVec(width), 0..3) => self.constant(width),
            (Sort::Bool, 0) => Term::bool(self.rng.chance(50)),
            (_, 3..5) => {
                let place = self.rng.below(3.min(self.pools[&sort].len()));
                self.pools[&sort][place]
            }
            _ => *self.rng.pick(&self.pools[&sort]),
        }
    }

    /// A second operand: often one that has to do with the first.
    fn partner(&mut self, a: Term) -> Term {
        let sort = self.terms.sort(a);
        match (sort, self.rng.below(16)) {
            (_, 0) => a,
            (Sort::BitVec(_), 1) => self.terms.bv_not(a),
            (Sort::Bool, 1) => self.terms.not(a),
            (Sort::BitVec(_), 2) => self.terms.bv_neg(a),
            // An operand of the first.
            (_, 3 | 4) => {
                let same: Vec<Term> = self
                    .terms
                    .args(a)
                    .iter()
                    .copied()
                    .filter(|&t| self.terms.sort(t) == sort)
                    .collect();
                if same.is_empty() {
                    self.operand(sort)
                } else {
                    *self.rng.pick(&same)
                }
            }
            (Sort::BitVec(width), 5) => {
                let constant = self.constant(width);
                self.terms.bv_add(a, constant)
            }
            // Something of the same operator.
            (_, 6 | 7) => {
                let op = std::mem::discriminant(&self.terms.op(a));
                let same = |t: &Term| std::mem::discriminant(&self.terms.op(*t)) == op;
                let same: Vec<Term> = self.pools[&sort].iter().copied().filter(same).collect();
                if same.is_empty() {
                    self.operand(sort)
                } else {
                    *self.rng.pick(&same)
                }
            }
            // The first, shifted.
            (Sort::BitVec(width), 8) if width > 1 => {
                let amount = self.rng.range(1, width - 1);
                let amount = self.terms.bv(width, u64::from(amount));
                match self.rng.chance(50) {
                    true => self.terms.bv_shl(a, amount),
                    false => self.terms.bv_lshr(a, amount),
                }
            }
            _ => self.operand(sort),
        }
    }

    fn width(&mut self) -> u32 {
        *self.rng.pick(WIDTHS)
    }

    fn pair(&mut self) -> (Term, Term) {
        let width = self.width();
        let a = self.operand(Sort::BitVec(width));
        let b = self.partner(a);
        if self.rng.chance(50) { (a, b) } else { (b, a) }
    }

    fn step(&mut self) {
        match self.rng.below(30) {
            27.. => self.division(),
            25..27 => self.ring(),
            20..25 => self.pattern(),
            0..5 => {
                let &(name, build, reference) = self.rng.pick(BV_OPS);
                let (a, b) = self.pair();
                let (x, y) = (self.bvs(a), self.bvs(b));
                let term = build(&mut self.terms, a, b);
                let wanted = x
                    .iter()
                    .zip(&y)
                    .map(|(x, y)| Value::Bv(reference(x, y)))
                    .collect();
                self.check(name, &[a, b], term, wanted);
            }
            5..9 => {
                let &(name, build, reference) = self.rng.pick(PREDICATES);
                let (a, b) = self.pair();
                let (x, y) = (self.bvs(a), self.bvs(b));
                let term = build(&mut self.terms, a, b);
                let wanted = x
                    .iter()
                    .zip(&y)
                    .map(|(x, y)| Value::Bool(reference(x, y)))
                    .collect();
                self.check(name, &[a, b], term, wanted);
            }
            9..12 => self.slice(),
            12..14 => self.unary(),
            14 => self.ite(),
            15..17 => self.boolean(),
            _ => self.array(),
        }
    }

    /// Operands that chance brings together too seldom: extensions of either kind, and an operation with a constant.
    fn pattern(&mut self) {
        let width = if self.rng.chance(70) {
            self.rng.range(4, 9)
        } else {
            *self.rng.pick(&[32, 64, 65, 128])
        };
        let shaped = |round: &mut Round| {
            let narrow = round.rng.range(1, 3);
            let x = round.pools[&Sort::BitVec(narrow)][round.rng.below(3)];
            let y = round.operand(Sort::BitVec(width));
            let c = if round.rng.chance(50) {
                let small = round.rng.next() % 32;
                round.terms.bv(width, small)
            } else {
                round.constant(width)
            };
            match round.rng.below(11) {
                0 => round.terms.sign_extend(x, width - narrow),
                1 => round.terms.zero_extend(x, width - narrow),
                2 => round.terms.bv_and(c, y),
                3 => round.terms.bv_or(c, y),
                4 => round.terms.bv_xor(c, y),
                5 => round.terms.bv_mul(c, y),
                6 => round.terms.bv_not(y),
                7 => {
                    let high = round.rng.range(1, width - 1);
                    let (cut, rest) = (
                        round.terms.extract(y, high - 1, 0),
                        round.terms.extract(c, width - 1, high),
                    );
                    if round.rng.chance(50) {
                        round.terms.concat(cut, rest)
                    } else {
                        round.terms.concat(rest, cut)
                    }
                }
                8 => {
                    let (cut, split) = (round.operand(Sort::BitVec(narrow)), width - narrow);
                    let rest = round.terms.extract(y, split - 1, 0);
                    round.terms.concat(cut, rest)
                }
                _ => c,
            }
        };
        let (a, b) = (shaped(self), shaped(self));
        let (x, y) = (self.bvs(a), self.bvs(b));
        if self.rng.chance(50) {
            let &(name, build, reference) = self.rng.pick(BV_OPS);
            let term = build(&mut self.terms, a, b);
            let wanted = x
                .iter()
                .zip(&y)
                .map(|(x, y)| Value::Bv(reference(x, y)))
                .collect();
            self.check(name, &[a, b], term, wanted);
        } else {
            let &(name, build, reference) = self.rng.pick(PREDICATES);
            let term = build(&mut self.terms, a, b);
            let wanted = x
                .iter()
                .zip(&y)
                .map(|(x, y)| Value::Bool(reference(x, y)))
                .collect();
            self.check(name, &[a, b], term, wanted);
        }
    }

    /// Sums of products written in two ways, and compared.
    fn ring(&mut self) {
        let width = self.width();
        let sort = Sort::BitVec(width);
        let [x, y, z] = [(); 3].map(|()| match self.rng.chance(80) {
            true => self.pools[&sort][self.rng.below(3)],
            false => self.operand(sort),
        });
        let terms = &mut self.terms;
        let (left, right) = match self.rng.below(9) {
            6 => {
                let (shifted, xy) = (terms.bv_shl(x, z), terms.bv_mul(x, y));
                (terms.bv_mul(shifted, y), terms.bv_shl(xy, z))
            }
            7 => {
                let is_less = terms.bv_ult(x, y);
                let chosen = terms.ite(is_less, x, y);
                let (xz, yz) = (terms.bv_mul(x, z), terms.bv_mul(y, z));
                (terms.bv_mul(chosen, z), terms.ite(is_less, xz, yz))
            }
            8 => {
                // Operands that use few of the bits, and a product of all that it needs.
                let (high, low) = (width.div_ceil(3), width / 3);
                let [x, y] = [x, y].map(|t| terms.extract(t, low.max(1) - 1, 0));
                let [a, b] = [x, y].map(|t| terms.zero_extend(t, high));
                let narrow = terms.bv_mul(a, b);
                let by = width - terms.width(narrow).min(width);
                let wide = [a, b].map(|t| terms.zero_extend(t, by));
                match by {
                    0 => (z, z),
                    _ => (
                        terms.bv_mul(wide[0], wide[1]),
                        terms.zero_extend(narrow, by),
                    ),
                }
            }
            0 => {
                let (xy, zy) = (terms.bv_mul(x, y), terms.bv_mul(z, y));
                (terms.bv_mul(xy, z), terms.bv_mul(x, zy))
            }
            1 => {
                let (sum, xz, yz) = (terms.bv_add(x, y), terms.bv_mul(x, z), terms.bv_mul(y, z));
                (terms.bv_mul(sum, z), terms.bv_add(xz, yz))
            }
            2 => {
                let (sum, difference) = (terms.bv_add(x, y), terms.bv_sub(x, y));
                let (xx, yy) = (terms.bv_mul(x, x), terms.bv_mul(y, y));
                (terms.bv_mul(sum, difference), terms.bv_sub(xx, yy))
            }
            3 => {
                let (quotient, remainder) = (terms.bv_udiv(x, y), terms.bv_urem(x, y));
                let product = terms.bv_mul(quotient, y);
                (terms.bv_add(product, remainder), x)
            }
            4 => {
                let by = terms.bv(width, self.rng.next() % u64::from(width));
                let (xy, shifted) = (terms.bv_mul(x, y), terms.bv_shl(y, by));
                (terms.bv_shl(xy, by), terms.bv_mul(shifted, x))
            }
            _ => {
                let (not, xy) = (terms.bv_not(x), terms.bv_mul(x, y));
                let (negated, product) = (terms.bv_neg(xy), terms.bv_mul(not, y));
                (terms.bv_add(product, y), negated)
            }
        };
        let (x, y) = (self.bvs(left), self.bvs(right));
        assert_eq!(x, y);
        let (more, other) = match self.rng.below(4) {
            0 => (self.terms.bv(width, 0), self.terms.bv(width, 0)),
            1 => (self.constant(width), self.constant(width)),
            2 => (z, self.constant(width)),
            _ => {
                let product = self.terms.bv_mul(z, z);
                (product, z)
            }
        };
        let doubled = self.rng.chance(20);
        let side = |terms: &mut Terms, side: Term, more: Term| {
            let sum = terms.bv_add(side, more);
            match doubled {
                true => terms.bv_add(sum, sum),
                false => sum,
            }
        };
        let (a, b) = (
            side(&mut self.terms, left, more),
            side(&mut self.terms, right, other),
        );
        let (x, y) = (self.bvs(a), self.bvs(b));
        let difference = self.terms.bv_sub(a, b);
        let subtract = |(x, y): (&Bv, &Bv)| Value::Bv(reference::bv_sub(x, y));
        let wanted = x.iter().zip(&y).map(subtract).collect();
        self.check("bvsub", &[a, b], difference, wanted);
        let &(name, build, reference) = self.rng.pick(PREDICATES);
        let term = build(&mut self.terms, a, b);
        let wanted = x
            .iter()
            .zip(&y)
            .map(|(x, y)| Value::Bool(reference(x, y)))
            .collect();
        self.check(name, &[a, b], term, wanted);
    }

    /// Divisions whose operands do not use all their bits, and comparisons with their results.
    fn division(&mut self) {
        let width = *self.rng.pick(&[6, 8, 9, 32, 64, 65]);
        let sort = Sort::BitVec(width);
        let narrow = self.rng.range(1, 3);
        let [x, y] = [(); 2].map(|()| {
            let symbol = self.pools[&Sort::BitVec(narrow)][self.rng.below(3)];
            let by = width - narrow;
            match self.rng.chance(70) {
                true => self.terms.zero_extend(symbol, by),
                false => self.terms.sign_extend(symbol, by),
            }
        });
        let z = self.operand(sort);
        let small = self.rng.next() % 12;
        let small = self.terms.bv(width, small);
        let operand = |round: &mut Round| match round.rng.below(12) {
            0 | 1 => x,
            2 => y,
            10 => round.terms.bv_urem(z, x),
            11 => round.terms.bv_urem(x, z),
            3 => z,
            4 => round.terms.bv_mul(x, y),
            5 => {
                let one = round.terms.bv(width, 1);
                round.terms.bv_shl(one, z)
            }
            6 => {
                let multiple = round.terms.bv_mul(small, x);
                round.terms.bv_add(multiple, y)
            }
            7 => {
                let other = round.terms.bv(width, round.rng.next() % 12);
                let (multiple, times) =
                    (round.terms.bv_mul(small, x), round.terms.bv_mul(other, y));
                round.terms.bv_add(multiple, times)
            }
            8 => round.constant(width),
            _ => small,
        };
        let (a, b) = (operand(self), operand(self));
        const DIVISIONS: &[&str] = &["bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvmul"];
        let name = *self.rng.pick(DIVISIONS);
        let find = |&&(other, ..): &&BvOp| other == name;
        let &(_, build, reference) = BV_OPS.iter().find(find).expect("an operator");
        let (v, w) = (self.bvs(a), self.bvs(b));
        let term = build(&mut self.terms, a, b);
        let apply = |(v, w): (&Bv, &Bv)| Value::Bv(reference(v, w));
        let wanted = v.iter().zip(&w).map(apply).collect();
        self.check(name, &[a, b], term, wanted);
        let other = match self.rng.below(4) {
            0 => a,
            1 => b,
            2 => small,
            _ => self.constant(width),
        };
        let (a, b) = match self.rng.chance(50) {
            true => (term, other),
            false => (other, term),
        };
        let (v, w) = (self.bvs(a), self.bvs(b));
        let &(name, build, reference) = self.rng.pick(PREDICATES);
        let term = build(&mut self.terms, a, b);
        let apply = |(v, w): (&Bv, &Bv)| Value::Bool(reference(v, w));
        let wanted = v.iter().zip(&w).map(apply).collect();
        self.check(name, &[a, b], term, wanted);
    }

    fn check_bv(&mut self, what: &str, a: Term, term: Term, reference: impl Fn(&Bv) -> Bv) {
        let wanted = self
            .bvs(a)
            .iter()
            .map(|value| Value::Bv(reference(value)))
            .collect();
        self.check(what, &[a], term, wanted);
    }

    fn unary(&mut self) {
        let width = self.width();
        let a = self.operand(Sort::BitVec(width));
        match self.rng.below(3) {
            0 => {
                let term = self.terms.bv_not(a);
                self.check_bv("bvnot", a, term, reference::bv_not);
            }
            1 => {
                let term = self.terms.bv_neg(a);
                self.check_bv("bvneg", a, term, reference::bv_neg);
            }
            _ => {
                let term = self.terms.bv_nego(a);
                let wanted = self
                    .bvs(a)
                    .iter()
                    .map(|value| Value::Bool(reference::bv_nego(value)))
                    .collect();
                self.check("bvnego", &[a], term, wanted);
            }
        }
    }

    fn slice(&mut self) {
        let width = self.width();
        let a = self.operand(Sort::BitVec(width));
        match self.rng.below(9) {
            0..3 => {
                let high = self.rng.range(0, width - 1);
                let low = if self.rng.chance(40) {
                    0
                } else {
                    self.rng.range(0, high)
                };
                let term = self.terms.extract(a, high, low);
                self.check_bv(&format!("extract {high} {low}"), a, term, |x| {
                    reference::extract(x, high, low)
                });
            }
            3..6 => {
                // Parts of one term, or anything, to a width that has a pool.
                let (high, low) = if width > 1 && self.rng.chance(25) {
                    let cut = self.rng.range(1, width - 1);
                    let bottom = self.rng.range(0, cut - 1);
                    (
                        self.terms.extract(a, width - 1, cut),
                        self.terms.extract(a, cut - 1, bottom),
                    )
                } else {
                    let wanted = self.width().max(2);
                    let split = self.rng.range(1, wanted - 1);
                    let part = |round: &mut Round, width: u32| {
                        if WIDTHS.contains(&width) && round.rng.chance(70) {
                            return round.operand(Sort::BitVec(width));
                        }
                        round.constant(width)
                    };
                    (part(self, wanted - split), part(self, split))
                };
                let (x, y) = (self.bvs(high), self.bvs(low));
                let term = self.terms.concat(high, low);
                let wanted = x
                    .iter()
                    .zip(&y)
                    .map(|(x, y)| Value::Bv(reference::concat(x, y)))
                    .collect();
                self.check("concat", &[high, low], term, wanted);
            }
            6 => {
                let to = WIDTHS
                    .iter()
                    .copied()
                    .filter(|&to| to >= width)
                    .collect::<Vec<_>>();
                let by = self.rng.pick(&to) - width;
                if self.rng.chance(30) {
                    let term = self.terms.zero_extend(a, by);
                    self.check_bv("zero_extend", a, term, |x| reference::zero_extend(x, by));
                } else {
                    let term = self.terms.sign_extend(a, by);
                    self.check_bv("sign_extend", a, term, |x| reference::sign_extend(x, by));
                }
            }
            7 => {
                let by = self.rng.range(0, 2 * width);
                let (left, right) = (
                    self.terms.rotate_left(a, by),
                    self.terms.rotate_right(a, by),
                );
                self.check_bv("rotate_left", a, left, |x| reference::rotate_left(x, by));
                self.check_bv("rotate_right", a, right, |x| reference::rotate_right(x, by));
            }
            _ => {
                let times = self.rng.range(1, 3);
                let term = self.terms.repeat(a, times);
                self.check_bv("repeat", a, term, |x| reference::repeat(x, times));
            }
        }
    }

    fn ite(&mut self) {
        let sort = match self.rng.below(10) {
            0..3 => Sort::Bool,
            3 => *self.rng.pick(ARRAYS),
            _ => Sort::BitVec(self.width()),
        };
        let condition = self.operand(Sort::Bool);
        let (then, other) = if sort == Sort::Bool && self.rng.chance(50) {
            let (x, y) = (self.partner(condition), self.operand(Sort::Bool));
            if self.rng.chance(50) { (x, y) } else { (y, x) }
        } else {
            let then = match sort {
                Sort::BitVec(width) if self.rng.chance(50) => self.constant(width),
                _ => self.operand(sort),
            };
            let other = match sort {
                Sort::BitVec(width) if self.rng.chance(50) => self.constant(width),
                _ => self.partner(then),
            };
            (then, other)
        };
        let (c, t, e) = (self.bools(condition), self.values(then), self.values(other));
        let term = self.terms.ite(condition, then, other);
        let wanted: Vec<Value> = (0..c.len())
            .map(|i| if c[i] { t[i].clone() } else { e[i].clone() })
            .collect();
        self.check("ite", &[condition, then, other], term, wanted.clone());
        // The same condition again, on one side.
        let nested = self.terms.ite(condition, term, other);
        self.check("ite", &[condition, term, other], nested, wanted.clone());
        let nested = self.terms.ite(condition, then, term);
        self.check("ite", &[condition, then, term], nested, wanted);
    }

    fn boolean(&mut self) {
        let count = if self.rng.chance(10) {
            self.rng.below(14)
        } else {
            self.rng.below(4)
        };
        let mut operands = Vec::new();
        for place in 0..count {
            let operand = if place > 0 && self.rng.chance(50) {
                let before = operands[self.rng.below(place)];
                self.partner(before)
            } else {
                self.operand(Sort::Bool)
            };
            operands.push(operand);
        }
        let columns: Vec<Vec<bool>> = operands.iter().map(|&t| self.bools(t)).collect();
        let wanted = |f: &dyn Fn(&[bool]) -> bool| -> Vec<Value> {
            let lane = |i: usize| {
                columns
                    .iter()
                    .map(|column| column[i])
                    .collect::<Vec<bool>>()
            };
            (0..ASSIGNMENTS).map(|i| Value::Bool(f(&lane(i)))).collect()
        };
        let (term, wanted, name) = match (self.rng.below(6), &operands[..]) {
            (0, _) => (
                self.terms.or(&operands),
                wanted(&|x| x.contains(&true)),
                "or",
            ),
            (1, &[a, b, ..]) => (self.terms.xor(a, b), wanted(&|x| x[0] != x[1]), "xor"),
            (2, &[a, b, ..]) => (self.terms.implies(a, b), wanted(&|x| !x[0] || x[1]), "=>"),
            (3, &[a, b, ..]) => (self.terms.eq(a, b), wanted(&|x| x[0] == x[1]), "iff"),
            (4, &[a, ..]) => (self.terms.not(a), wanted(&|x| !x[0]), "not"),
            (5, &[_, _]) => (
                self.terms.distinct(&operands),
                wanted(&|x| x[0] != x[1]),
                "distinct",
            ),
            _ => (
                self.terms.and(&operands),
                wanted(&|x| !x.contains(&false)),
                "and",
            ),
        };
        self.check(name, &operands, term, wanted);
    }

    fn array(&mut self) {
        let sort = *self.rng.pick(ARRAYS);
        let Sort::Array {
            index: index_width,
            element: element_width,
        } = sort
        else {
            unreachable!()
        };
        let array = self.operand(sort);
        let arrays = self.values(array);
        for width in [index_width, element_width] {
            assert!(WIDTHS.contains(&width));
        }
        let index = if matches!(self.terms.op(array), Op::Store) && self.rng.chance(40) {
            let written = self.terms.arg(array, 1);
            self.partner(written)
        } else if self.rng.chance(50) {
            let small = self.rng.next() % 3;
            self.terms.bv(index_width, small)
        } else {
            self.operand(Sort::BitVec(index_width))
        };
        let indices = self.bvs(index);
        match self.rng.below(7) {
            0..2 => {
                let term = self.terms.select(array, index);
                let read = |(array, index): (&Value, &Bv)| {
                    Value::Bv(array.as_array().expect("an array").get(index))
                };
                let wanted = arrays.iter().zip(&indices).map(read).collect();
                self.check("select", &[array, index], term, wanted);
            }
            2..4 => {
                let element = if self.rng.chance(15) {
                    self.terms.select(array, index)
                } else {
                    self.operand(Sort::BitVec(element_width))
                };
                let elements = self.bvs(element);
                let term = self.terms.store(array, index, element);
                let write = |((array, index), element): ((&Value, &Bv), &Bv)| {
                    let mut array = array.as_array().expect("an array").clone();
                    array.set(index.clone(), element.clone());
                    Value::Array(array)
                };
                let wanted = arrays
                    .iter()
                    .zip(&indices)
                    .zip(&elements)
                    .map(write)
                    .collect();
                self.check("store", &[array, index, element], term, wanted);
            }
            4 => {
                let count = self.rng.below(5);
                let cells: Vec<(Bv, Bv)> = (0..count)
                    .map(|_| {
                        (
                            Bv::new(index_width, self.rng.next() % 4),
                            self.rng.bv(element_width),
                        )
                    })
                    .collect();
                let term = self.terms.table(array, cells.clone());
                let write = |array: &Value| {
                    let mut array = array.as_array().expect("an array").clone();
                    for (index, element) in &cells {
                        array.set(index.clone(), element.clone());
                    }
                    Value::Array(array)
                };
                let wanted = arrays.iter().map(write).collect();
                self.check("table", &[array], term, wanted);
            }
            5 => {
                let element = self.operand(Sort::BitVec(element_width));
                let fill = |element: Bv| {
                    Value::Array(refrain_term::ArrayValue::filled(index_width, element))
                };
                let wanted = self.bvs(element).into_iter().map(fill).collect();
                let term = self.terms.const_array(index_width, element);
                self.check("const", &[element], term, wanted);
            }
            _ => {
                let other = self.partner(array);
                let others = self.values(other);
                let term = self.terms.eq(array, other);
                let wanted = arrays
                    .iter()
                    .zip(&others)
                    .map(|(x, y)| Value::Bool(x == y))
                    .collect();
                self.check("= of arrays", &[array, other], term, wanted);
            }
        }
    }
}

/// The sources of the rules about bit-vectors, arrays and truth values.
const SOURCES: &[&str] = &[
    include_str!("../src/build/array.rs"),
    include_str!("../src/build/bitwise.rs"),
    include_str!("../src/build/boolean.rs"),
    include_str!("../src/build/compare.rs"),
    include_str!("../src/build/derived.rs"),
    include_str!("../src/build/linear.rs"),
    include_str!("../src/build/product.rs"),
    include_str!("../src/build/ring.rs"),
    include_str!("../src/build/shift.rs"),
    include_str!("../src/build/slice.rs"),
];

#[test]
fn every_rule_is_an_equivalence_and_every_rule_applies() {
    let rounds = refrain_testing::count("REFRAIN_RULE_ROUNDS", 250, 5000);
    let mut applied: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 0..rounds {
        let mut round = Round::new(seed);
        for _ in 0..700 {
            round.step();
        }
        #[cfg(debug_assertions)]
        for (&rule, &count) in round.terms.rule_counts() {
            *applied.entry(rule).or_default() += count;
        }
    }
    if cfg!(debug_assertions) {
        let names = rule_names(SOURCES);
        assert!(names.len() > 100);
        assert_all_applied(&names, &applied);
    }
}
