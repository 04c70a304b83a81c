//! Pattern matching: ranges, guards, bindings, slices, nested enums, references, constants, labelled loops, let-else.
#[derive(Debug, Clone, PartialEq)] enum Expr { Num(f64), Var(String), Bin(Box<Expr>, char, Box<Expr>), Call { name: String, args: Vec<Expr> } }
use Expr::*;
fn eval(e: &Expr, x: f64) -> Result<f64, String> { Ok(match e { Num(n) => *n, Var(v) if v == "x" => x, Var(v) => return Err(format!("unknown {v}")), Bin(l, op @ ('+' | '-' | '*'), r) => { let (a, b) = (eval(l, x)?, eval(r, x)?); match op { '+' => a + b, '-' => a - b, _ => a * b } } Bin(l, '/', r) => match eval(r, x)? { 0.0 => return Err("division by zero".into()), d => eval(l, x)? / d }, Bin(_, op, _) => return Err(format!("operator {op}")), Call { name, args } => match (name.as_str(), &args[..]) { ("max", [a, b]) => eval(a, x)?.max(eval(b, x)?), ("sum", all @ [_, ..]) => all.iter().map(|a| eval(a, x)).sum::<Result<f64, _>>()?, ("zero", []) => 0.0, (n, a) => return Err(format!("{n}/{}", a.len())) } }) }
fn derive(e: &Expr) -> Expr { match e { Num(_) => Num(0.0), Var(_) => Num(1.0), Bin(l, op @ ('+' | '-'), r) => Bin(derive(l).into(), *op, derive(r).into()), Bin(l, '*', r) => Bin(Bin(derive(l).into(), '*', r.clone()).into(), '+', Bin(l.clone(), '*', derive(r).into()).into()), other => other.clone() } }
fn simplify(e: Expr) -> Expr { match e { Bin(l, op, r) => match (simplify(*l), op, simplify(*r)) { (Num(a), '+', Num(b)) => Num(a + b), (Num(a), '*', Num(b)) => Num(a * b), (Num(0.0), '*', _) | (_, '*', Num(0.0)) => Num(0.0), (Num(1.0), '*', e) | (e, '*', Num(1.0)) | (Num(0.0), '+', e) | (e, '+', Num(0.0)) => e, (l, op, r) => Bin(l.into(), op, r.into()) }, e => e } }
fn class(n: i64) -> &'static str { match n { i64::MIN..=-1 => "negative", 0 => "zero", 1 | 3 | 5 | 7 | 9 => "small odd", 2..=9 => "small", x if x % 100 == 0 => "round", _ => "large" } }
fn shape(v: &[u8]) -> String { match v { [] => "empty".into(), [x] => format!("one {x}"), [a, b] if a == b => "twins".into(), [first, .., last] if first == last => format!("bracketed {first}"), [0, rest @ ..] => format!("zero then {}", rest.len()), [_, middle @ .., _] => format!("middle {middle:?}") } }
const LIMIT: u32 = 10;
fn main() {
    let x = || Box::new(Var("x".into())); let num = |n| Box::new(Num(n));
    let poly = Bin(Bin(x(), '*', x()).into(), '+', Bin(num(3.0), '*', x()).into());
    println!("{:?} {:?} {:?}", eval(&poly, 2.0), simplify(derive(&poly)), eval(&simplify(derive(&poly)), 2.0));
    for e in [Call { name: "max".into(), args: vec![Num(1.0), Var("x".into())] }, Call { name: "sum".into(), args: vec![Num(1.0), Num(2.0)] }, Call { name: "sum".into(), args: vec![] }, Bin(x(), '/', num(0.0)), Var("y".into()), Bin(x(), '%', x())] { print!("{:?} ", eval(&e, 5.0)); }
    println!(); for n in [-5, 0, 3, 4, 100, 12345] { print!("{} ", class(n)); }
    println!(); for v in [&[][..], &[1], &[2, 2], &[3, 1, 3], &[0, 1, 2], &[1, 2, 3, 4]] { print!("{} | ", shape(v)); }
    let found = 'outer: loop { for a in 1u32.. { for b in 1..a { if a * a + b * b == 25 * 25 { break 'outer (a, b); } if a > 100 { break 'outer (0, 0); } } } }; println!("{found:?}");
    let ((a, mut b), [c, .., d]) = ((1, 2), [3, 4, 5, 6]); b += c; let ref r = b; let &s = r; println!("{a} {b} {c} {d} {s}");
    for n in [9, 10, 11] { print!("{} ", match n { LIMIT => "limit", n if n < LIMIT => "below", _ => "above" }); } let msg = Some("text"); if let Some(t @ ("text" | "other")) = msg && t.len() == 4 { println!("{t}"); }
    let mut stack = vec![1, 2, 3]; while let Some(top) = stack.pop() { if top == 2 { stack.push(20); continue; } print!("{top} "); } println!("{}", matches!(poly, Bin(ref l, '+', _) if matches!(**l, Bin(..))));
}
