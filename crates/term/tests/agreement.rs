//! Different ways to the same value: column evaluation, substitution before evaluation, and single evaluation
//! of random terms agree; so do two arenas with different histories on a term's structural hash.

mod common;

use common::*;
use refrain_term::{
    ArrayValue, Assignment, Batch, Bits, Bv, Evaluator, FuncId, Input, Op, Rational, Sort,
    Substitution, Support, Term, Terms, Value, VarId, eval, free_symbols, substitute,
};
use rustc_hash::FxHashMap;

const BYTES: Sort = Sort::Array {
    index: 32,
    element: 8,
};
const FEW: Sort = Sort::Array {
    index: 2,
    element: 8,
};
const WIDE: Sort = Sort::Array {
    index: 70,
    element: 100,
};

/// On both sides of what columns of words and of pairs of words hold.
const WIDTHS: [u32; 14] = [1, 2, 8, 12, 16, 32, 40, 64, 65, 70, 100, 127, 128, 130];

/// A random DAG over all operators.
struct Dag {
    rng: Rng,
    terms: Terms,
    vars: Vec<VarId>,
    funcs: Vec<(FuncId, Vec<Sort>, Sort)>,
    made: FxHashMap<Sort, Vec<Term>>,
}

impl Dag {
    fn new(seed: u64, functions: bool) -> Dag {
        let mut terms = Terms::new();
        let mut made: FxHashMap<Sort, Vec<Term>> = FxHashMap::default();
        let mut vars = Vec::new();
        let others = [Sort::Bool, Sort::Int, Sort::Real, BYTES, FEW, WIDE];
        for sort in WIDTHS.map(Sort::BitVec).into_iter().chain(others) {
            for number in 0..2 {
                let term = terms.var(&format!("v{number}"), sort);
                let Op::Var(var) = terms.op(term) else {
                    unreachable!()
                };
                vars.push(var);
                made.entry(sort).or_default().push(term);
            }
        }
        let mut funcs = Vec::new();
        if functions {
            let signatures = [
                (vec![Sort::BitVec(2), Sort::Bool], Sort::BitVec(8)),
                (vec![FEW], Sort::Bool),
                (vec![Sort::BitVec(1)], Sort::BitVec(100)),
                (vec![Sort::BitVec(2)], FEW),
                (vec![Sort::Int, Sort::Bool], Sort::Real),
                (vec![Sort::Real], Sort::Int),
            ];
            for (place, (args, result)) in signatures.into_iter().enumerate() {
                let func = terms.func(&format!("f{place}"), &args, result);
                funcs.push((func, args, result));
            }
        }
        Dag {
            rng: Rng::new(seed),
            terms,
            vars,
            funcs,
            made,
        }
    }

    fn any(&mut self, sort: Sort) -> Term {
        if let Sort::BitVec(width) = sort
            && self.rng.chance(25)
        {
            let value = self.rng.bv(width);
            return self.terms.constant(value);
        }
        if sort.is_number() && self.rng.chance(25) {
            let value = self.rng.value(sort);
            return self.terms.of_value(&value);
        }
        *self.rng.pick(&self.made[&sort])
    }

    fn sort(&mut self) -> Sort {
        let often = [8, 8, 32].map(Sort::BitVec);
        *self
            .rng
            .pick(&[&WIDTHS.map(Sort::BitVec)[..], &often].concat())
    }

    fn grow(&mut self) -> Term {
        let made = if self.rng.chance(25) {
            self.grow_number()
        } else {
            self.grow_bits()
        };
        if !self.terms.is_value(made) {
            self.made
                .entry(self.terms.sort(made))
                .or_default()
                .push(made);
        }
        made
    }

    fn grow_number(&mut self) -> Term {
        let sort = *self.rng.pick(&[Sort::Int, Sort::Real]);
        let (a, b) = (self.any(sort), self.any(sort));
        let condition = self.any(Sort::Bool);
        let terms = &mut self.terms;
        match self.rng.below(11) {
            0 => terms.add(a, b),
            1 => terms.sub(a, b),
            2 => terms.mul(a, b),
            3 => terms.div(a, b),
            4 if sort == Sort::Int => terms.modulo(a, b),
            5 => terms.abs(a),
            6 | 7 => terms.le(a, b),
            8 => terms.lt(a, b),
            9 => terms.eq(a, b),
            _ => terms.ite(condition, a, b),
        }
    }

    fn grow_bits(&mut self) -> Term {
        let sort = self.sort();
        let Sort::BitVec(width) = sort else {
            unreachable!()
        };
        let (a, b) = (self.any(sort), self.any(sort));
        let array_sort = *self.rng.pick(&[BYTES, BYTES, FEW, WIDE]);
        let Sort::Array { index, element } = array_sort else {
            unreachable!()
        };
        let array = self.any(array_sort);
        let (at, value) = (
            self.any(Sort::BitVec(index)),
            self.any(Sort::BitVec(element)),
        );
        let condition = self.any(Sort::Bool);
        let terms = &mut self.terms;
        match self.rng.below(30) {
            0 => terms.bv_and(a, b),
            1 => terms.bv_or(a, b),
            2 => terms.bv_xor(a, b),
            3 => terms.bv_not(a),
            4 => terms.bv_add(a, b),
            5 => terms.bv_sub(a, b),
            6 => terms.bv_mul(a, b),
            7 => terms.bv_udiv(a, b),
            8 => terms.bv_urem(a, b),
            9 => terms.bv_shl(a, b),
            10 => terms.bv_lshr(a, b),
            11 => terms.bv_ashr(a, b),
            12 => terms.bv_ult(a, b),
            13 => terms.bv_slt(a, b),
            14 => terms.eq(a, b),
            15 => terms.ite(condition, a, b),
            16 => {
                let high = self.rng.range(0, width - 1);
                let low = self.rng.range(0, high);
                terms.extract(a, high, low)
            }
            17 => terms.concat(a, b),
            18 => terms.sign_extend(a, self.rng.range(1, 60)),
            19..22 => terms.select(array, at),
            22 | 23 => terms.store(array, at, value),
            24 => {
                let count = self.rng.below(20);
                let cells = (0..count)
                    .map(|_| (self.rng.bv(index), self.rng.bv(element)))
                    .collect();
                terms.table(array, cells)
            }
            25 => terms.const_array(index, value),
            26 => {
                let other = *self.rng.pick(&self.made[&array_sort]);
                terms.ite(condition, array, other)
            }
            27 => {
                let other = *self.rng.pick(&self.made[&Sort::Bool]);
                terms.and(&[condition, other])
            }
            28 => terms.not(condition),
            _ if self.funcs.is_empty() => terms.bv_add(a, b),
            _ if self.rng.chance(30) => {
                let other = *self.rng.pick(&self.made[&FEW]);
                let array = *self.rng.pick(&self.made[&FEW]);
                terms.eq(array, other)
            }
            _ => {
                let (func, args, _) = self.rng.pick(&self.funcs).clone();
                let args: Vec<Term> = args.iter().map(|&sort| self.any(sort)).collect();
                self.terms.apply(func, &args)
            }
        }
    }

    fn assignment(&mut self) -> Assignment {
        let mut assignment = self.rng.assignment(&self.terms, &self.vars);
        for (func, args, result) in self.funcs.clone() {
            if self.rng.chance(90) {
                assignment.set_func(func, self.rng.func(&args, result));
            }
        }
        assignment
    }

    fn bools(&self) -> Vec<Term> {
        self.made[&Sort::Bool].clone()
    }
}

#[test]
fn columns_agree_with_single_evaluation() {
    for seed in 0..40 {
        let mut dag = Dag::new(seed, seed % 2 == 1);
        for _ in 0..150 {
            dag.grow();
        }
        // Beyond one block, and not a multiple of the word.
        let n = if seed < 3 {
            1100
        } else {
            1 + dag.rng.below(70)
        };
        let assignments: Vec<Assignment> = (0..n).map(|_| dag.assignment()).collect();
        let atoms = dag.bools();
        let small: Vec<Term> = dag
            .made
            .iter()
            .filter(|(sort, _)| sort.width().is_some_and(|width| width <= 64))
            .flat_map(|(_, terms)| terms[terms.len().saturating_sub(4)..].to_vec())
            .collect();
        let numbers: Vec<Term> = [Sort::Int, Sort::Real]
            .iter()
            .flat_map(|sort| dag.made[sort].iter().rev().take(4).copied())
            .collect();
        let mut batch = Batch::from_assignments(&assignments);
        let found = batch.eval(&dag.terms, &atoms);
        let values: Vec<Vec<u64>> = small
            .iter()
            .map(|&term| batch.values(&dag.terms, term))
            .collect();
        let number_values: Vec<Vec<Rational>> = numbers
            .iter()
            .map(|&term| batch.numbers(&dag.terms, term))
            .collect();
        let mut evaluator = Evaluator::new();
        for (lane, assignment) in assignments.iter().enumerate() {
            evaluator.forget();
            for (atom, bits) in atoms.iter().zip(&found) {
                assert_eq!(
                    bits.get(lane),
                    evaluator.bool(&dag.terms, assignment, *atom),
                    "seed {seed} {atom:?}"
                );
            }
            for (term, column) in small.iter().zip(&values) {
                assert_eq!(
                    column[lane],
                    evaluator.small(&dag.terms, assignment, *term),
                    "seed {seed} {term:?}"
                );
            }
            for (term, column) in numbers.iter().zip(&number_values) {
                assert_eq!(
                    column[lane],
                    *evaluator.number(&dag.terms, assignment, *term),
                    "seed {seed} {term:?}"
                );
            }
        }
    }
}

/// One base assignment, and columns set over it.
#[test]
fn set_columns_agree_with_single_evaluation() {
    for seed in 100..130 {
        let mut dag = Dag::new(seed, seed % 2 == 1);
        for _ in 0..150 {
            dag.grow();
        }
        let n = 1 + dag.rng.below(100);
        let base = dag.assignment();
        let mut batch = Batch::new(n, base.clone());
        let atoms = dag.bools();
        // Columns that have been read must not outlive what is set afterwards.
        if seed % 3 == 0 {
            batch.eval(&dag.terms, &atoms);
        }
        let mut lanes = vec![base; n];
        for var in dag.vars.clone() {
            if !dag.rng.chance(40) {
                continue;
            }
            match dag.terms.var_decl(var).sort {
                Sort::Bool => {
                    let mut column = Bits::new(n);
                    for (lane, assignment) in lanes.iter_mut().enumerate() {
                        column.set(lane, dag.rng.chance(50));
                        assignment.set(var, column.get(lane));
                    }
                    batch.set_bool(var, &column);
                }
                Sort::BitVec(width) => {
                    let column: Vec<Bv> = (0..n).map(|_| dag.rng.bv(width)).collect();
                    for (assignment, value) in lanes.iter_mut().zip(&column) {
                        assignment.set(var, value.clone());
                    }
                    if width <= 64 {
                        batch.set_bv(var, column.iter().map(|value| value.words()[0]).collect());
                    } else {
                        batch.set_wide(var, column);
                    }
                }
                Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
                    unreachable!("below the surface")
                }
                sort @ Sort::Array {
                    index,
                    element: element @ ..=64,
                } => {
                    for _ in 0..dag.rng.below(4) {
                        let at = dag.rng.bv(index);
                        let column: Vec<u64> =
                            (0..n).map(|_| dag.rng.bv(element).words()[0]).collect();
                        for (assignment, &value) in lanes.iter_mut().zip(&column) {
                            assignment.set_cell(var, at.clone(), Bv::new(element, value), sort);
                        }
                        batch.set_cell(var, at, column);
                    }
                }
                Sort::Array { .. } => {}
                sort @ (Sort::Int | Sort::Real) => {
                    let column: Vec<Value> = (0..n).map(|_| dag.rng.value(sort)).collect();
                    for (assignment, value) in lanes.iter_mut().zip(&column) {
                        assignment.set(var, value.clone());
                    }
                    let numbers = column.iter().filter_map(Value::as_number);
                    batch.set_number(var, numbers.cloned().collect());
                }
            }
        }
        let found = batch.eval(&dag.terms, &atoms);
        for (lane, assignment) in lanes.iter().enumerate() {
            for (atom, bits) in atoms.iter().zip(&found) {
                assert_eq!(
                    Value::Bool(bits.get(lane)),
                    eval(&dag.terms, *atom, assignment),
                    "seed {seed} {atom:?}"
                );
            }
        }
    }
}

/// The value of a term after substitution is the value of the term where the symbols have the replacements' values.
#[test]
fn substitution_commutes_with_evaluation() {
    for seed in 200..240 {
        let mut dag = Dag::new(seed, false);
        for _ in 0..60 {
            dag.grow();
        }
        let mut replacements: FxHashMap<Term, Term> = FxHashMap::default();
        for var in dag.vars.clone() {
            let term = dag.terms.var_term(var);
            let sort = dag.terms.sort(term);
            match dag.rng.below(3) {
                0 => {
                    let value = dag.rng.value(sort);
                    let constant = dag.terms.of_value(&value);
                    replacements.insert(term, constant);
                }
                1 => {
                    let other = *dag.rng.pick(&dag.made[&sort]);
                    replacements.insert(term, other);
                }
                _ => {}
            }
        }
        let roots: Vec<Term> = dag
            .made
            .values()
            .flat_map(|terms| terms.iter().rev().take(3).copied())
            .collect();
        let mut reused = Substitution::new(replacements.clone());
        for _ in 0..3 {
            let assignment = dag.assignment();
            let mut inner = assignment.clone();
            for (&from, &to) in &replacements {
                let Op::Var(var) = dag.terms.op(from) else {
                    unreachable!()
                };
                inner.set(var, eval(&dag.terms, to, &assignment));
            }
            for &root in &roots {
                let replaced = substitute(&mut dag.terms, root, &replacements);
                assert_eq!(reused.apply(&mut dag.terms, root), replaced);
                assert_eq!(
                    eval(&dag.terms, replaced, &assignment),
                    eval(&dag.terms, root, &inner),
                    "seed {seed}"
                );
            }
        }
    }
}

/// Changing what a term does not depend on does not change its value.
#[test]
fn inputs_are_all_that_matters() {
    for seed in 300..330 {
        let mut dag = Dag::new(seed, seed % 2 == 1);
        for _ in 0..80 {
            dag.grow();
        }
        let roots: Vec<Term> = dag
            .made
            .values()
            .flat_map(|terms| terms.iter().rev().take(4).copied())
            .collect();
        let mut support = Support::new();
        for root in roots {
            let inputs = support.inputs(&dag.terms, root);
            assert!(inputs.is_sorted());
            let (vars, funcs) = free_symbols(&dag.terms, &[root]);
            let symbols = inputs.iter().filter_map(|&input| match input {
                Input::Symbol(term) => Some(term),
                input => input.array(&dag.terms),
            });
            let mut symbols: Vec<Term> = symbols.collect();
            symbols.sort_unstable();
            symbols.dedup();
            let mut wanted: Vec<Term> = vars.iter().map(|&var| dag.terms.var_term(var)).collect();
            wanted.sort_unstable();
            assert_eq!(symbols, wanted);
            assert_eq!(
                inputs
                    .iter()
                    .filter(|input| matches!(input, Input::Func(_)))
                    .count(),
                funcs.len()
            );

            let (first, mut second) = (dag.assignment(), dag.assignment());
            for &input in inputs.iter() {
                let var = |term: Term| match dag.terms.op(term) {
                    Op::Var(var) => var,
                    _ => unreachable!("a symbol"),
                };
                match input {
                    Input::Symbol(term) | Input::Array(term) => {
                        let value = eval(&dag.terms, term, &first);
                        second.set(var(term), value);
                    }
                    Input::Cell(read) => {
                        let Value::Bv(value) = eval(&dag.terms, read, &first) else {
                            unreachable!()
                        };
                        let array = dag.terms.arg(read, 0);
                        let index = dag
                            .terms
                            .value(dag.terms.arg(read, 1))
                            .expect("a constant")
                            .clone();
                        second.set_cell(var(array), index, value, dag.terms.sort(array));
                    }
                    Input::Func(func) => {
                        let result = dag.terms.func_decl(func).result;
                        let value = first.func(func).cloned();
                        second.set_func(
                            func,
                            value.unwrap_or_else(|| {
                                refrain_term::FuncValue::new(Value::zero(result))
                            }),
                        );
                    }
                }
            }
            assert_eq!(
                eval(&dag.terms, root, &first),
                eval(&dag.terms, root, &second),
                "seed {seed} {root:?}"
            );
        }
    }
}

/// The same constructor calls give the same structure, whatever the arena held before.
#[test]
fn structural_hash_does_not_depend_on_history() {
    for seed in 400..420 {
        let mut plain = Dag::new(seed, true);
        let mut other = Dag::new(seed, true);
        // Another history: symbols declared in another order, and many of the same constants and terms built already.
        let mut terms = Terms::new();
        for number in (0..2).rev() {
            for width in [100, 8, 64, 1] {
                let x = terms.var(&format!("v{number}"), Sort::BitVec(width));
                let one = terms.bv(width, 1);
                let sum = terms.bv_add(one, x);
                let product = terms.bv_mul(sum, x);
                terms.eq(product, x);
            }
        }
        for (sort, made) in &mut other.made {
            for (number, term) in made.iter_mut().enumerate() {
                *term = terms.var(&format!("v{number}"), *sort);
            }
        }
        for (func, args, result) in other.funcs.iter_mut().rev() {
            let name = &other.terms.func_decl(*func).name;
            *func = terms.func(name, args, *result);
        }
        other.terms = terms;
        for _ in 0..200 {
            let (a, b) = (plain.grow(), other.grow());
            assert_eq!(
                plain.terms.structural_hash(a),
                other.terms.structural_hash(b),
                "seed {seed}"
            );
            let (a, b) = (
                refrain_term::print(&plain.terms, a),
                refrain_term::print(&other.terms, b),
            );
            assert_eq!(a, b, "seed {seed}");
        }
    }
}

/// Different terms of one arena have different hashes.
#[test]
fn structural_hashes_differ() {
    let mut dag = Dag::new(500, true);
    for _ in 0..2000 {
        dag.grow();
    }
    let mut hashes: Vec<u64> = dag
        .terms
        .iter()
        .map(|term| dag.terms.structural_hash(term))
        .collect();
    let before = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), before);
}

#[test]
fn missing_symbols_are_zero() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(8));
    let wide = terms.var("wide", Sort::BitVec(100));
    let a = terms.var("a", BYTES);
    let p = terms.var("p", Sort::Bool);
    let f = terms.func("f", &[Sort::BitVec(8)], BYTES);
    let fx = terms.apply(f, &[x]);
    let index = terms.zero_extend(x, 24);
    let (read, read_fx) = (terms.select(a, index), terms.select(fx, index));
    let nothing = Assignment::new();
    let zero = Value::Bv(Bv::zero(8));
    for term in [x, read, read_fx] {
        assert_eq!(eval(&terms, term, &nothing), zero);
    }
    assert_eq!(eval(&terms, wide, &nothing), Value::Bv(Bv::zero(100)));
    assert_eq!(eval(&terms, p, &nothing), Value::Bool(false));
    for sort in [Sort::Int, Sort::Real] {
        let number = terms.var("number", sort);
        assert_eq!(eval(&terms, number, &nothing), Value::zero(sort));
    }
    assert_eq!(
        eval(&terms, a, &nothing),
        Value::Array(ArrayValue::new(32, 8))
    );
    assert_eq!(
        eval(&terms, fx, &nothing),
        Value::Array(ArrayValue::new(32, 8))
    );
}

#[test]
fn bits() {
    let mut rng = Rng::new(7);
    for len in [0, 1, 63, 64, 65, 200] {
        let mut bits = Bits::new(len);
        let wanted: Vec<bool> = (0..len).map(|_| rng.chance(30)).collect();
        for (place, &value) in wanted.iter().enumerate() {
            bits.set(place, true);
            bits.set(place, value);
        }
        let set: Vec<usize> = (0..len).filter(|&place| wanted[place]).collect();
        assert_eq!(bits.iter().collect::<Vec<_>>(), set);
        assert_eq!(
            (bits.count(), bits.first()),
            (set.len(), set.first().copied())
        );
        assert_eq!(
            (bits.any(), bits.all()),
            (!set.is_empty(), set.len() == len)
        );
        assert!(Bits::ones(len).all());
        let mut both = Bits::ones(len);
        both.intersect(&bits);
        assert_eq!(both, bits);
    }
}

/// No value that a term has is missing from those that it may have, and small terms have few.
#[test]
fn possible_values_are_all_there() {
    let mut told = 0;
    for seed in 200..260 {
        let mut dag = Dag::new(seed, false);
        for _ in 0..150 {
            dag.grow();
        }
        let small: Vec<Term> = dag
            .made
            .iter()
            .filter(|(sort, _)| sort.width().is_some_and(|width| width <= 64))
            .flat_map(|(_, terms)| terms.clone())
            .collect();
        let possible: Vec<Option<Vec<u64>>> = small
            .iter()
            .map(|&term| dag.terms.possible_values(term, 8, &|_| None))
            .collect();
        told += possible.iter().flatten().count();
        let mut evaluator = Evaluator::new();
        for _ in 0..30 {
            let assignment = dag.assignment();
            evaluator.forget();
            for (&term, possible) in small.iter().zip(&possible) {
                if let Some(possible) = possible {
                    let value = evaluator.small(&dag.terms, &assignment, term);
                    assert!(possible.contains(&value), "seed {seed} {term:?}");
                }
            }
        }
    }
    assert!(told > 500, "{told}");
}
