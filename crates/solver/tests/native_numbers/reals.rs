//! Reals, against elimination of variables.

use std::collections::HashSet;

use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Query, Solver, Verdict};
use refrain_term::{Rational, Sort, Term, Terms, Value, eval};

use super::common::{Random, ample, decide, real, tuning};
use super::fourier_motzkin::{Inequality, is_feasible};

/// A comparison of reals: `Σ factor * var` against a number, as a term and as inequalities.
enum Compared {
    Convex(Vec<Inequality>),
    /// Either of the two.
    Different(Inequality, Inequality),
}

fn real_comparison(random: &mut Random, terms: &mut Terms, vars: &[Term]) -> (Term, Compared) {
    let factors: Vec<Rational> = vars
        .iter()
        .map(|_| Rational::new(random.within(3), 1 + random.below(2) as i64))
        .collect();
    let limit = Rational::new(random.within(4), 1 + random.below(3) as i64);
    let addends: Vec<Term> = vars
        .iter()
        .zip(&factors)
        .map(|(&var, factor)| terms.num_scaled(factor, var))
        .collect();
    let sum = terms.sum(&addends);
    let number = terms.number(Sort::Real, limit.clone());
    let below = |strict| Inequality::at_most(&factors, &limit, strict);
    let above = |strict| Inequality::at_least(&factors, &limit, strict);
    match random.below(7) {
        0 => (
            terms.eq(sum, number),
            Compared::Convex(vec![below(false), above(false)]),
        ),
        1 | 2 => {
            let equal = terms.eq(sum, number);
            (
                terms.not(equal),
                Compared::Different(below(true), above(true)),
            )
        }
        3 => (terms.le(sum, number), Compared::Convex(vec![below(false)])),
        4 => (terms.lt(sum, number), Compared::Convex(vec![below(true)])),
        5 => (terms.ge(sum, number), Compared::Convex(vec![above(false)])),
        _ => (terms.gt(sum, number), Compared::Convex(vec![above(true)])),
    }
}

/// A convex set that no single hyperplane contains is not covered by finitely many of them: each that is excluded can
/// be looked at alone.
fn has_solution<'a>(compared: impl IntoIterator<Item = &'a Compared> + Clone) -> bool {
    let mut convex = Vec::new();
    for part in compared.clone() {
        if let Compared::Convex(inequalities) = part {
            convex.extend_from_slice(inequalities);
        }
    }
    is_feasible(&convex)
        && compared.into_iter().all(|part| match part {
            Compared::Convex(_) => true,
            Compared::Different(below, above) => [below, above].into_iter().any(|side| {
                let mut with = convex.clone();
                with.push(side.clone());
                is_feasible(&with)
            }),
        })
}

#[test]
fn random_systems_of_reals_agree_with_elimination() {
    let (mut sat, mut unsat, mut minimal) = (0, 0, 0);
    for seed in 1..=300 {
        let mut random = Random(seed * 0x0dd_ba11);
        let mut terms = Terms::new();
        let vars: Vec<Term> = (0..3)
            .map(|i| terms.var(&format!("r{i}"), Sort::Real))
            .collect();
        let mut solver = Native::with_tuning(tuning(seed));
        for _ in 0..6 {
            let count = 4 + random.below(6);
            let parts: Vec<(Term, Compared)> = (0..count)
                .map(|_| real_comparison(&mut random, &mut terms, &vars))
                .collect();
            let assumptions: Vec<Term> = parts.iter().map(|(term, _)| *term).collect();
            let expected = has_solution(parts.iter().map(|(_, compared)| compared));
            let limits = ample();
            let query = Query::new(&assumptions, &limits).with_core();
            match solver.check(&mut terms, &query).result {
                CheckResult::Sat(model) => {
                    sat += 1;
                    assert!(expected, "seed {seed}: sat");
                    for &formula in &assumptions {
                        assert_eq!(eval(&terms, formula, &model), Value::Bool(true));
                    }
                }
                CheckResult::Unsat(conflict) => {
                    unsat += 1;
                    assert!(!expected, "seed {seed}: unsat");
                    let core: HashSet<Term> = conflict.core.into_iter().collect();
                    let in_core = |left_out: Option<Term>| {
                        let parts = parts
                            .iter()
                            .filter(|(term, _)| core.contains(term) && Some(*term) != left_out);
                        parts.map(|(_, compared)| compared).collect::<Vec<_>>()
                    };
                    assert!(!has_solution(in_core(None)), "seed {seed}: core");
                    let is_convex = |part: &&Compared| matches!(part, Compared::Convex(_));
                    if in_core(None).iter().all(is_convex) {
                        minimal += 1;
                        for &term in &core {
                            assert!(has_solution(in_core(Some(term))), "seed {seed}: core");
                        }
                    }
                }
                CheckResult::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} sat, {unsat} unsat");
    assert!(minimal > 100, "{minimal} minimal cores");
}

#[test]
fn there_is_room_between_strict_bounds_however_close() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Real);
    let tiny = Rational::parse("1000000000000000000000000000000").expect("a number");
    let tiny = tiny.inverse();
    let (zero, limit) = (
        real(&mut terms, "0"),
        terms.number(Sort::Real, tiny.clone()),
    );
    let mut formulas = vec![terms.gt(x, zero), terms.lt(x, limit)];
    for step in 1..40 {
        let at = &tiny / &Rational::from(1i64 << step);
        let excluded = terms.number(Sort::Real, at);
        let equal = terms.eq(x, excluded);
        formulas.push(terms.not(equal));
    }
    assert_eq!(decide(&mut terms, &formulas), Verdict::Sat);
    let half = terms.number(Sort::Real, &tiny / &Rational::from(2));
    let (at_most, at_least) = (terms.le(x, half), terms.ge(x, half));
    formulas.extend([at_most, at_least]);
    assert_eq!(
        decide(&mut terms, &formulas),
        Verdict::Unsat,
        "all but the half"
    );
}

#[test]
fn strictness_alone_refutes() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.var(name, Sort::Real));
    let circle = [terms.lt(x, y), terms.lt(y, z), terms.le(z, x)];
    assert_eq!(decide(&mut terms, &circle), Verdict::Unsat);
    let weak = [terms.le(x, y), terms.le(y, z), terms.le(z, x)];
    assert_eq!(decide(&mut terms, &weak), Verdict::Sat);
    let equal = terms.eq(x, z);
    let different = terms.not(equal);
    assert_eq!(
        decide(&mut terms, &[&weak[..], &[different]].concat()),
        Verdict::Unsat
    );
    let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
    let (one, half) = (
        real(&mut terms, "1"),
        terms.number(Sort::Real, Rational::new(1, 2)),
    );
    // The only point of the weak ones is (1/2, 1/2).
    let zero = real(&mut terms, "0");
    let corner = [
        terms.ge(sum, one),
        terms.le(difference, zero),
        terms.le(y, half),
    ];
    assert_eq!(decide(&mut terms, &corner), Verdict::Sat);
    for (place, strict) in [
        terms.gt(sum, one),
        terms.lt(difference, zero),
        terms.lt(y, half),
    ]
    .into_iter()
    .enumerate()
    {
        let mut formulas = corner.to_vec();
        formulas[place] = strict;
        assert_eq!(decide(&mut terms, &formulas), Verdict::Unsat);
    }
}
