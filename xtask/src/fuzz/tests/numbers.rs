//! Numbers: the evaluator against values worked out by hand, notations, plain words, shrinking.

use crate::fuzz::ast::{Node, Notation, Op, Sort, T, int, op, real, subterms, symbol};
use crate::fuzz::evaluate::{Gap, Model, Value, evaluate};
use crate::fuzz::generate;
use crate::fuzz::plain::{for_oracle, in_plain_words};
use crate::fuzz::script::{Command, Probe, Script};
use crate::fuzz::sexpr::{self, Sexp};
use crate::fuzz::shrink::Shrinker;
use crate::fuzz::theory::{Family, Theory};
use crate::random::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use std::time::Duration;

fn big(text: &str) -> BigInt {
    text.parse().expect("a number")
}

fn ratio(above: i64, below: i64) -> BigRational {
    BigRational::new(above.into(), below.into())
}

fn decimal(value: BigRational) -> T {
    real(value, Notation::Decimal)
}

fn value_of(term: &T) -> Result<Value, Gap> {
    evaluate(term, &Model::default())
}

#[test]
fn division_is_euclidean_for_all_signs_and_sizes() {
    let huge = "340282366920938463463374607431768211456";
    let table = [
        ("7", "3", "2", "1"),
        ("7", "-3", "-2", "1"),
        ("-7", "3", "-3", "2"),
        ("-7", "-3", "3", "2"),
        ("6", "-3", "-2", "0"),
        ("-6", "3", "-2", "0"),
        ("-6", "-3", "2", "0"),
        ("0", "-5", "0", "0"),
        ("2", "5", "0", "2"),
        ("-2", "5", "-1", "3"),
        ("-2", "-5", "1", "3"),
        (huge, "18446744073709551617", "18446744073709551615", "1"),
        (
            "-340282366920938463463374607431768211456",
            "18446744073709551616",
            "-18446744073709551616",
            "0",
        ),
        ("-1", huge, "-1", "340282366920938463463374607431768211455"),
    ];
    for (dividend, divisor, quotient, rest) in table {
        let args = [int(big(dividend)), int(big(divisor))];
        let results = [Op::Div, Op::Mod].map(|operator| value_of(&op(operator, args.clone())));
        let expected = [quotient, rest].map(|text| Ok(Value::Int(big(text))));
        assert_eq!(results, expected, "{dividend} by {divisor}");
    }
}

#[test]
fn arithmetic_of_the_standard() {
    let three = [int(10), int(4), int(3)];
    assert_eq!(
        value_of(&op(Op::Sub, three.clone())),
        Ok(Value::Int(3.into()))
    );
    assert_eq!(
        value_of(&op(Op::Sub, [int(4)])),
        Ok(Value::Int((-4).into()))
    );
    assert_eq!(
        value_of(&op(Op::Mul, three.clone())),
        Ok(Value::Int(120.into()))
    );
    assert_eq!(value_of(&op(Op::Abs, [int(-4)])), Ok(Value::Int(4.into())));
    let truths = [
        (Op::Gt, true),
        (Op::Ge, true),
        (Op::Lt, false),
        (Op::Le, false),
        (Op::Distinct, true),
    ];
    for (operator, expected) in truths {
        let term = op(operator, three.clone());
        assert_eq!(value_of(&term), Ok(Value::Bool(expected)), "{term}");
    }
    for (subject, expected) in [(-6, true), (0, true), (7, false), (-7, false)] {
        let term = op(Op::Divisible(3), [int(subject)]);
        assert_eq!(value_of(&term), Ok(Value::Bool(expected)), "{term}");
    }
    let quotient = op(Op::Over, [decimal(ratio(1, 2)), decimal(ratio(-3, 1))]);
    assert_eq!(value_of(&quotient), Ok(Value::Real(ratio(-1, 6))));
}

#[test]
fn division_by_zero_has_no_value_unless_the_model_gives_one() {
    let term = op(Op::Div, [int(5), int(0)]);
    assert!(value_of(&term).is_err_and(|why| why.is_division_by_zero()));
    assert_eq!(for_oracle(&term).to_string(), "(div-by-zero 5)");
    let by = symbol("d", Sort::Int);
    let term = op(Op::Mod, [int(5), by]);
    assert_eq!(
        for_oracle(&term).to_string(),
        "(ite (= d 0) (mod-by-zero 5) (mod 5 d))"
    );
}

#[test]
fn all_notations_of_values_are_read() {
    let read =
        |text: &str, sort: Sort| sexpr::value(&Sexp::parse(text).expect("an expression"), sort);
    let whole = |value: i64| Ok(Value::Int(value.into()));
    assert_eq!(read("5", Sort::Int), whole(5));
    assert_eq!(read("(- 5)", Sort::Int), whole(-5));
    for (text, above, below) in [
        ("2.0", 2, 1),
        ("2", 2, 1),
        ("(- 2.50)", -5, 2),
        ("(/ 1.0 3.0)", 1, 3),
        ("(/ 1 3)", 1, 3),
        ("(- (/ 1 3))", -1, 3),
        ("(/ (- 1) 3)", -1, 3),
        ("(/ (- 1.0) 3.0)", -1, 3),
    ] {
        let expected = Ok(Value::Real(ratio(above, below)));
        assert_eq!(read(text, Sort::Real), expected, "{text}");
    }
    for (text, sort) in [
        ("2.0", Sort::Int),
        ("-5", Sort::Int),
        ("5.", Sort::Real),
        ("(/ 1 0)", Sort::Real),
        ("true", Sort::Int),
    ] {
        assert!(read(text, sort).is_err(), "{text}");
    }
}

#[test]
fn numbers_are_read_back_as_they_are_printed() {
    let mut rng = Rng::for_script(3, 3);
    for _ in 0..2000 {
        let above = (BigInt::from(rng.wide()) - BigInt::from(rng.wide())) >> rng.below(128);
        let below = *rng.pick(&[1, 1, 2, 3, 6, 8, 10, 1000]);
        let rational = BigRational::new(above.clone(), below.into());
        let terms = [
            int(above),
            real(rational.clone(), Notation::Decimal),
            real(rational, Notation::Numeral),
        ];
        for term in terms {
            let text = term.to_string();
            let read = sexpr::value(&Sexp::parse(&text).expect("an expression"), term.sort);
            assert_eq!(read.ok(), value_of(&term).ok(), "{text}");
        }
    }
}

/// Generated assertions mean the same in plain words, under values of which the script knows nothing.
#[test]
fn plain_words_mean_the_same() {
    let mut compared = 0;
    for number in 0..150 {
        let script = generate::script(Family::Lia, 9, number);
        if script.theory != Theory::Lia {
            continue;
        }
        let mut rng = Rng::for_script(4, number);
        for situation in script.situations().expect("well-formed") {
            let mut model = Model::default();
            for declaration in &situation.declarations {
                let value = match declaration.result {
                    Sort::Bool => Value::Bool(rng.percent(50)),
                    _ => Value::Int(BigInt::from(rng.below(50)) - 25),
                };
                model.symbols.insert(declaration.name.clone(), value);
            }
            for term in situation.demands() {
                let meaning = evaluate(term, &model);
                assert_eq!(meaning, evaluate(&in_plain_words(term), &model), "{term}");
                compared += u32::from(meaning.is_ok());
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn a_script_is_the_same_in_every_family() {
    for number in 0..50 {
        let script = generate::script(Family::All, 2, number);
        let alone = match script.theory {
            Theory::Bv => Family::Bv,
            Theory::Lra => Family::Lra,
            Theory::Idl => Family::Idl,
            Theory::Uf => Family::Uf,
            Theory::Fp => Family::Fp,
            _ => continue,
        };
        assert_eq!(script.text(), generate::script(alone, 2, number).text());
    }
}

/// A made-up fault: an assertion compares with a number of four digits or more.
fn faulty(session: &[Script]) -> bool {
    let mut found = false;
    let script = session.last().expect("a script");
    for term in script.commands.iter().flat_map(Command::terms) {
        subterms(term, &mut |term| {
            found |= term.node == Node::Op(Op::Le)
                && term
                    .args
                    .iter()
                    .any(|arg| matches!(&arg.node, Node::Int(value) if value.abs() >= 1000.into()));
        });
    }
    found
}

#[test]
fn numbers_shrink() {
    let huge = int(big("-123456789012345678901234567890"));
    let x = || symbol("x", Sort::Int);
    let sum = op(Op::Add, [x(), op(Op::Mul, [int(77), x()]), int(4)]);
    let declare = Command::Declare {
        name: "x".to_string(),
        parameters: Vec::new(),
        result: Sort::Int,
    };
    let assert = |term: T| Command::Assert { term, name: None };
    let harmless = assert(op(Op::Lt, [x(), int(3)]));
    let script = Script {
        theory: Theory::Lia,
        logic: "QF_LIA",
        unsat_cores: false,
        global_declarations: false,
        commands: vec![
            declare,
            harmless,
            assert(op(
                Op::Or,
                [op(Op::Le, [sum, huge]), op(Op::Gt, [x(), int(0)])],
            )),
            Command::Check {
                assuming: None,
                probe: Probe::Values,
            },
        ],
    };
    let shrinker = Shrinker::new(Duration::from_secs(60), faulty);
    let small = shrinker.shrink(&[script]).expect("it fails");
    let commands: Vec<String> = small[0]
        .commands
        .iter()
        .map(|command| command.text(false))
        .collect();
    assert_eq!(commands, ["(assert (<= 0 1000))"]);
}
