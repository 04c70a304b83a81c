//! Terms of any depth and any sharing: nothing recurses, and text is linear in the number of terms.

mod common;

use refrain_term::{
    Assignment, Batch, Bv, Evaluator, Op, Rational, Sort, Substitution, Support, Term, Terms,
    Value, VarId, eval, print,
};
use rustc_hash::FxHashMap;

const DEPTH: usize = if cfg!(debug_assertions) {
    300_000
} else {
    1_000_000
};

fn var_id(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}

fn assert_balanced(text: &str) {
    let mut open = 0i64;
    for c in text.chars() {
        open += i64::from(c == '(') - i64::from(c == ')');
        assert!(open >= 0);
    }
    assert_eq!(open, 0);
}

/// `f(… f(x) …)`, by a constructor that no rule takes apart.
fn chain(
    terms: &mut Terms,
    x: Term,
    depth: usize,
    mut step: impl FnMut(&mut Terms, Term, usize) -> Term,
) -> Term {
    (0..depth).fold(x, |term, number| step(terms, term, number))
}

fn exercise(terms: &mut Terms, x: Term, deep: Term) {
    let mut assignment = Assignment::new();
    assignment.set(var_id(terms, x), Bv::new(32, 5));
    let before = eval(terms, deep, &assignment);
    let text = print(terms, deep);
    assert_balanced(&text);
    assert!(text.len() >= DEPTH);
    let mut support = Support::new();
    assert!(support.inputs(terms, deep).len() <= 2);
    assert_eq!(
        refrain_term::free_vars(terms, deep).first(),
        Some(&var_id(terms, x))
    );
    // Renaming, and back: the very same term.
    let y = terms.var("y", Sort::BitVec(32));
    let there = refrain_term::substitute(terms, deep, &FxHashMap::from_iter([(x, y)]));
    assert_ne!(there, deep);
    assert_ne!(terms.structural_hash(there), terms.structural_hash(deep));
    assert_eq!(Substitution::new([(y, x)]).apply(terms, there), deep);
    let mut renamed = Assignment::new();
    renamed.set(var_id(terms, y), Bv::new(32, 5));
    assert_eq!(eval(terms, there, &renamed), before);
    // Constants fold all the way up.
    let five = terms.bv(32, 5);
    let folded = Substitution::new([(x, five)]).apply(terms, deep);
    assert_eq!(terms.value(folded), before.as_bv());
    let values = Batch::from_assignments(&[assignment, Assignment::new()]).values(terms, deep);
    assert_eq!(Some(values[0]), before.as_bv().and_then(Bv::small));
}

#[test]
fn deep_chains() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(32));
    let deep = chain(&mut terms, x, DEPTH, |terms, term, number| {
        let k = terms.bv(32, number as u64 % 1000 + 3);
        if number % 2 == 0 {
            terms.bv_urem(k, term)
        } else {
            terms.bv_udiv(k, term)
        }
    });
    exercise(&mut terms, x, deep);
}

#[test]
fn deep_sums() {
    let depth = DEPTH / 10;
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(32));
    let deep = chain(&mut terms, x, depth, |terms, term, number| {
        let k = terms.bv(32, number as u64 % 1000);
        let other = terms.bv_xor(k, term);
        terms.bv_add(other, term)
    });
    let x_value = |value: u64| {
        (0..depth).fold(value, |value, number| {
            ((number as u64 % 1000) ^ value).wrapping_add(value) & 0xffff_ffff
        })
    };
    let mut assignment = Assignment::new();
    assignment.set(var_id(&terms, x), Bv::new(32, 77));
    assert_eq!(
        Evaluator::new().small(&terms, &assignment, deep),
        x_value(77)
    );
    assert_balanced(&print(&terms, deep));
}

#[test]
fn deep_formulas() {
    let mut terms = Terms::new();
    let vars: Vec<Term> = (0..DEPTH)
        .map(|number| terms.var(&format!("p{number}"), Sort::Bool))
        .collect();
    let deep = chain(&mut terms, Term::TRUE, DEPTH, |terms, term, number| {
        if number % 2 == 0 {
            terms.and2(vars[number], term)
        } else {
            terms.or2(vars[number], term)
        }
    });
    assert_balanced(&print(&terms, deep));
    // As many inputs as terms: memory must stay linear, at every node.
    let mut support = Support::new();
    assert_eq!(support.inputs(&terms, deep).len(), DEPTH);
    assert!(support.small_inputs(&terms, deep).is_none());
    let mut assignment = Assignment::new();
    for (number, &var) in vars.iter().enumerate() {
        assignment.set(var_id(&terms, var), number % 2 == 0);
    }
    assert!(Evaluator::new().bool(&terms, &assignment, deep));
    assert!(!Evaluator::new().bool(&terms, &Assignment::new(), deep));
}

/// 100,000 writes: reads, equality and printing go down them without recursion.
#[test]
fn deep_stores() {
    let writes = 100_000u64;
    let mut terms = Terms::new();
    let sort = Sort::Array {
        index: 32,
        element: 8,
    };
    let a = terms.var("a", sort);
    let x = terms.var("x", Sort::BitVec(32));
    let deep = chain(&mut terms, a, writes as usize, |terms, array, number| {
        let k = terms.bv(32, 3 * number as u64);
        let index = terms.bv_mul(x, k);
        let element = terms.bv(8, number as u64);
        terms.store(array, index, element)
    });
    let y = terms.var("y", Sort::BitVec(32));
    let read = terms.select(deep, y);
    let mut assignment = Assignment::new();
    assignment.set(var_id(&terms, x), Bv::one(32));
    assignment.set_cell(var_id(&terms, a), Bv::new(32, 4), Bv::new(8, 44), sort);
    let mut evaluator = Evaluator::new();
    let lanes: Vec<(u64, u64)> = vec![
        (0, 0),
        (3 * (writes - 1), (writes - 1) % 256),
        (4, 44),
        (5, 0),
        (300, 100),
    ];
    for &(index, element) in &lanes {
        evaluator.forget();
        assignment.set(var_id(&terms, y), Bv::new(32, index));
        assert_eq!(evaluator.small(&terms, &assignment, read), element);
    }
    let mut batch = Batch::new(lanes.len(), assignment.clone());
    batch.set_bv(
        var_id(&terms, y),
        lanes.iter().map(|&(index, _)| index).collect(),
    );
    assert_eq!(
        batch.values(&terms, read),
        lanes
            .iter()
            .map(|&(_, element)| element)
            .collect::<Vec<_>>()
    );
    let b = terms.var("b", sort);
    let same = terms.eq(deep, b);
    assert!(!evaluator.bool(&terms, &assignment, same));
    let whole = eval(&terms, deep, &assignment);
    assert_eq!(
        whole.as_array().expect("an array").len() as u64,
        writes - writes.div_ceil(256) + 1
    );
    assignment.set(var_id(&terms, b), whole);
    evaluator.forget();
    assert!(evaluator.bool(&terms, &assignment, same));
    assert_balanced(&print(&terms, deep));
}

/// x * x, again and again, and x + x: trees of 2^10,000 nodes.
#[test]
fn shared_terms_print_in_linear_size() {
    let depth = 10_000;
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(32));
    let deep = chain(&mut terms, x, depth, |terms, term, _| {
        terms.bv_mul(term, term)
    });
    let text = print(&terms, deep);
    assert_balanced(&text);
    assert!(text.len() < 100 * depth, "{} bytes", text.len());
    let doubled = chain(&mut terms, x, depth, |terms, term, _| {
        terms.bv_add(term, term)
    });
    assert!(print(&terms, doubled).len() < 100 * depth);
    let mut assignment = Assignment::new();
    assignment.set(var_id(&terms, x), Bv::new(32, 3));
    assert_eq!(
        eval(&terms, doubled, &assignment).as_bv(),
        Some(&Bv::zero(32))
    );
    let product = (0..depth).fold(3u32, |value, _| value.wrapping_mul(value));
    assert_eq!(
        eval(&terms, deep, &assignment).as_bv(),
        Some(&Bv::new(32, product.into()))
    );
}

/// 100,000 additions, choices and divisions of integers, with a comparison at every step.
#[test]
fn deep_arithmetic() {
    let depth = 100_000;
    let mut terms = Terms::new();
    let symbols: Vec<Term> = (0..97)
        .map(|number| terms.var(&format!("x{number}"), Sort::Int))
        .collect();
    let x = symbols[0];
    let mut last = Term::TRUE;
    let deep = chain(&mut terms, x, depth, |terms, term, number| {
        let other = symbols[number * 7 % symbols.len()];
        let zero = terms.int(0);
        last = terms.le(term, zero);
        match number % 10 {
            0 => {
                let negated = terms.neg(term);
                terms.ite(last, negated, term)
            }
            1 => {
                let divisor = terms.int(3);
                terms.div(term, divisor)
            }
            2 => terms.sub(other, term),
            _ => terms.add(term, other),
        }
    });
    let wanted = (0..depth as i64).fold(0i64, |value, number| match number % 10 {
        0 => value.abs(),
        1 => value.div_euclid(3),
        2 => number * 7 % 97 - value,
        _ => value + number * 7 % 97,
    });
    let wanted = Rational::from(wanted);
    let mut assignment = Assignment::new();
    for (number, &symbol) in symbols.iter().enumerate() {
        assignment.set(
            var_id(&terms, symbol),
            Value::Int(Rational::from(number as i64)),
        );
    }
    assert_eq!(eval(&terms, deep, &assignment), Value::Int(wanted.clone()));
    let mut batch = Batch::from_assignments(&[assignment.clone(), Assignment::new()]);
    assert_eq!(batch.numbers(&terms, deep)[0], wanted);
    let holds = batch.eval(&terms, &[last])[0].get(0);
    assert_eq!(eval(&terms, last, &assignment), Value::Bool(holds));
    let text = print(&terms, deep);
    assert_balanced(&text);
    assert_eq!(Support::new().inputs(&terms, deep).len(), symbols.len());
    assert!(terms.len() < 20 * depth, "{} terms", terms.len());
    // Constants fold all the way up.
    let constants: Vec<(Term, Term)> = symbols
        .iter()
        .enumerate()
        .map(|(number, &symbol)| (symbol, terms.int(number as i64)))
        .collect();
    let folded = Substitution::new(constants).apply(&mut terms, deep);
    assert_eq!(terms.number_value(folded), Some(&wanted));
}

/// One long sum, addend by addend.
#[test]
fn deep_chain_of_additions() {
    let depth = 100_000;
    let mut terms = Terms::new();
    let symbols: Vec<Term> = (0..depth)
        .map(|number| terms.var(&format!("x{number}"), Sort::Real))
        .collect();
    let sum = chain(&mut terms, symbols[0], depth - 1, |terms, term, number| {
        terms.add(term, symbols[number + 1])
    });
    let mut assignment = Assignment::new();
    for &symbol in &symbols {
        assignment.set(var_id(&terms, symbol), Value::Real(Rational::new(1, 2)));
    }
    let half = Value::Real(Rational::new(depth as i64, 2));
    assert_eq!(eval(&terms, sum, &assignment), half);
    let at_once = terms.sum(&symbols);
    assert_eq!(terms.args(at_once).len(), depth);
    assert_eq!(eval(&terms, at_once, &assignment), half);
    assert_balanced(&print(&terms, sum));
}
