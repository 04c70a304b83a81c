//! The checker's encoding is what the checker is trusted for: every operator against an evaluator of this test, on all
//! values of small widths. Values of constants follow by folding; values of symbols by the clauses, which the SAT
//! engine solves.

use refrain_proof::{Encoder, Ground, Lit, Script, Term};
use refrain_sat::{Cdcl, Engine, Outcome, Query};

/// The operators of two vectors of one width.
const PAIRS: &[&str] = &[
    "bvand",
    "bvor",
    "bvxor",
    "bvnand",
    "bvnor",
    "bvxnor",
    "bvcomp",
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvult",
    "bvule",
    "bvugt",
    "bvuge",
    "bvslt",
    "bvsle",
    "bvsgt",
    "bvsge",
    "bvuaddo",
    "bvsaddo",
    "bvumulo",
    "bvsmulo",
    "bvusubo",
    "bvssubo",
    "bvsdivo",
    "ext_rotate_left",
    "ext_rotate_right",
    "concat",
    "=",
    "distinct",
];

/// Those of one.
const SINGLES: &[&str] = &[
    "bvnot",
    "bvneg",
    "bvnego",
    "bvredor",
    "bvredand",
    "(_ zero_extend 2)",
    "(_ sign_extend 2)",
    "(_ rotate_left 1)",
    "(_ rotate_right 2)",
    "(_ repeat 3)",
    "(_ extract 0 0)",
];

fn signed(value: i64, width: u32) -> i64 {
    if value >> (width - 1) & 1 == 1 {
        value - (1 << width)
    } else {
        value
    }
}

/// What the standard says.
fn meaning(op: &str, width: u32, a: i64, b: i64) -> i64 {
    let mask = (1i64 << width) - 1;
    let (x, y) = (signed(a, width), signed(b, width));
    let outside = |value: i64| !(-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&value);
    let w = i64::from(width);
    let rotated = |by: i64| (a << by | a >> (w - by)) & mask;
    match op {
        "bvand" => a & b,
        "bvor" => a | b,
        "bvxor" => a ^ b,
        "bvnand" => !(a & b) & mask,
        "bvnor" => !(a | b) & mask,
        "bvxnor" => !(a ^ b) & mask,
        "bvcomp" | "=" => i64::from(a == b),
        "distinct" => i64::from(a != b),
        "bvadd" => (a + b) & mask,
        "bvsub" => (a - b) & mask,
        "bvmul" => (a * b) & mask,
        "bvudiv" => {
            if b == 0 {
                mask
            } else {
                a / b
            }
        }
        "bvurem" => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        "bvsdiv" if b == 0 => {
            if x < 0 {
                1
            } else {
                mask
            }
        }
        "bvsdiv" => (x / y) & mask,
        "bvsrem" => {
            if b == 0 {
                a
            } else {
                (x % y) & mask
            }
        }
        "bvsmod" => {
            if b == 0 {
                a
            } else {
                (x - y * x.div_euclid(y) + if y < 0 && x.rem_euclid(y) != 0 { y } else { 0 }) & mask
            }
        }
        "bvshl" => {
            if b >= w {
                0
            } else {
                (a << b) & mask
            }
        }
        "bvlshr" => {
            if b >= w {
                0
            } else {
                a >> b
            }
        }
        "bvashr" => (x >> b.min(w)) & mask,
        "bvult" => i64::from(a < b),
        "bvule" => i64::from(a <= b),
        "bvugt" => i64::from(a > b),
        "bvuge" => i64::from(a >= b),
        "bvslt" => i64::from(x < y),
        "bvsle" => i64::from(x <= y),
        "bvsgt" => i64::from(x > y),
        "bvsge" => i64::from(x >= y),
        "bvuaddo" => i64::from(a + b > mask),
        "bvsaddo" => i64::from(outside(x + y)),
        "bvumulo" => i64::from(a * b > mask),
        "bvsmulo" => i64::from(outside(x * y)),
        "bvusubo" => i64::from(a < b),
        "bvssubo" => i64::from(outside(x - y)),
        "bvsdivo" => i64::from(y == -1 && outside(-x)),
        "ext_rotate_left" => rotated(b % w),
        "ext_rotate_right" => rotated((w - b % w) % w),
        "concat" => a << width | b,
        "bvnot" => !a & mask,
        "bvneg" => -a & mask,
        "bvnego" => i64::from(outside(-x)),
        "bvredor" => i64::from(a != 0),
        "bvredand" => i64::from(a == mask),
        "(_ zero_extend 2)" => a,
        "(_ sign_extend 2)" => x & (mask << 2 | 3),
        "(_ rotate_left 1)" => rotated(1 % w),
        "(_ rotate_right 2)" => rotated((w - 2 % w) % w),
        "(_ repeat 3)" => (a << width | a) << width | a,
        "(_ extract 0 0)" => a & 1,
        _ => unreachable!("{op}"),
    }
}

/// The term that a script's only assertion says is equal to itself.
fn subject(script: &str) -> (Ground, Term) {
    let problem = Script::problem_of(script.as_bytes(), 1).expect("a check");
    let formula = *problem.assertions[0]
        .as_ref()
        .unwrap_or_else(|why| panic!("{script}: {why}"));
    let term = problem.terms.args(formula)[0];
    (Ground::new(problem.terms), term)
}

fn number(bits: impl Iterator<Item = bool>) -> i64 {
    bits.enumerate()
        .map(|(place, bit)| i64::from(bit) << place)
        .sum()
}

#[test]
fn constants_fold_to_what_the_standard_says() {
    for width in 1..=4u32 {
        for a in 0..1i64 << width {
            for b in 0..1i64 << width {
                for (ops, arity) in [(PAIRS, 2), (SINGLES, 1)] {
                    if arity == 1 && b > 0 {
                        continue;
                    }
                    for op in ops {
                        let args = match arity {
                            1 => format!("(_ bv{a} {width})"),
                            _ => format!("(_ bv{a} {width}) (_ bv{b} {width})"),
                        };
                        let script =
                            format!("(assert (= ({op} {args}) ({op} {args}))) (check-sat)");
                        let (mut ground, term) = subject(&script);
                        let Ground { terms, encoder } = &mut ground;
                        let bits = encoder.bits(terms, term).expect("small");
                        assert!(bits.iter().all(|bit| bit.abs() == 1), "{script}");
                        let value = number(bits.iter().map(|&bit| bit == 1));
                        assert_eq!(value, meaning(op, width, a, b), "{op} {width} {a} {b}");
                    }
                }
            }
        }
    }
}

fn lit(lit: Lit) -> refrain_sat::Lit {
    let var = refrain_sat::Var::from_index(lit.unsigned_abs() as usize - 1);
    refrain_sat::Lit::new(var, lit < 0)
}

/// An engine with the clauses of an encoding.
fn engine(encoder: &Encoder) -> Cdcl {
    let mut engine = Cdcl::new();
    for _ in 0..encoder.gates.vars() {
        engine.new_var();
    }
    let clauses = &encoder.gates.clauses;
    for place in 0..clauses.len() {
        let clause: Vec<_> = clauses.get(place).iter().map(|&l| lit(l)).collect();
        engine.add_clause(&clause);
    }
    engine
}

#[test]
fn clauses_say_what_the_standard_says() {
    for width in 1..=3u32 {
        for (ops, arity) in [(PAIRS, 2), (SINGLES, 1)] {
            for op in ops {
                let args = if arity == 1 { "x" } else { "x y" };
                let script = format!(
                    "(declare-const x (_ BitVec {width})) (declare-const y (_ BitVec {width}))
                     (assert (= ({op} {args}) ({op} {args}))) (check-sat)"
                );
                let (mut ground, term) = subject(&script);
                let inputs: Vec<Term> = (0..2).filter_map(|n| ground.terms.get(n)).collect();
                let Ground { terms, encoder } = &mut ground;
                let x = encoder.bits(terms, inputs[0]).expect("small").to_vec();
                let y = encoder.bits(terms, inputs[1]).expect("small").to_vec();
                let result = encoder.bits(terms, term).expect("small").to_vec();
                let mut engine = engine(encoder);
                for a in 0..1i64 << width {
                    for b in 0..1i64 << width {
                        let assume = |bits: &[Lit], value: i64| {
                            let bits = bits.iter().enumerate();
                            let signed = bits.map(|(place, &bit)| {
                                if value >> place & 1 == 1 {
                                    lit(bit)
                                } else {
                                    !lit(bit)
                                }
                            });
                            signed.collect::<Vec<_>>()
                        };
                        let inputs = [assume(&x, a), assume(&y, b)].concat();
                        assert_eq!(
                            engine.solve(Query::new(&inputs)),
                            Outcome::Sat,
                            "{op} {a} {b}"
                        );
                        let value =
                            number(result.iter().map(|&l| engine.value(lit(l)) == Some(true)));
                        assert_eq!(value, meaning(op, width, a, b), "{op} {width} {a} {b}");
                        // No other result is possible.
                        for (place, &bit) in result.iter().enumerate() {
                            let other = if value >> place & 1 == 1 {
                                !lit(bit)
                            } else {
                                lit(bit)
                            };
                            let query = [&inputs[..], &[other]].concat();
                            assert_eq!(
                                engine.solve(Query::new(&query)),
                                Outcome::Unsat,
                                "{op} {a} {b}"
                            );
                        }
                    }
                }
            }
        }
    }
}
