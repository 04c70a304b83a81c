//! The generators: the same seed gives the same program and script, scripts are balanced, conditions
//! are linear, and exactly one outcome of each decision agrees with given inputs.

use super::program::Program;
use super::symbolic::Formula;
use super::walk::{self, Bounds, Oracle};
use super::{grammar, systems};
use crate::random::Rng;
use anyhow::Result;

/// Feasible is the path that one assignment of the inputs takes.
struct OneAssignment {
    path: Vec<bool>,
}

fn input(name: &str) -> i64 {
    name.bytes().map(i64::from).sum::<i64>() * 37 % 211 - 100
}

impl Oracle for OneAssignment {
    fn prepare(&mut self, _: &str) -> Result<()> {
        Ok(())
    }

    fn enter(&mut self, condition: &Formula) -> Result<Option<bool>> {
        self.path.push(condition.evaluate(&input));
        Ok(Some(self.path.iter().all(|&holds| holds)))
    }

    fn leave(&mut self) -> Result<()> {
        self.path.pop();
        Ok(())
    }
}

fn program(seed: u64) -> Program {
    grammar::program(2000, &mut Rng::for_script(seed, 0))
}

fn script(seed: u64) -> String {
    let bounds = Bounds {
        decisions: 30,
        checks: 200,
        confine_inputs: seed.is_multiple_of(2),
    };
    let mut oracle = OneAssignment { path: Vec::new() };
    walk::record(
        &program(seed),
        bounds,
        &mut Rng::for_script(seed, 1),
        &mut oracle,
    )
    .expect("this oracle does not fail")
    .expect("the program has decisions")
}

#[test]
fn a_seed_names_a_program_and_a_script() {
    assert_eq!(program(1).to_string(), program(1).to_string());
    assert_ne!(program(1).to_string(), program(2).to_string());
    assert_eq!(script(1), script(1));
    assert_ne!(script(1), script(2));
}

#[test]
fn programs_have_the_size_asked_for_as_printed() {
    for seed in 0..5 {
        let program = program(seed);
        let counted: usize = program.methods.iter().map(|method| method.lines()).sum();
        assert_eq!(counted, program.to_string().lines().count());
        assert!((2000..2100).contains(&counted), "{counted} lines");
    }
}

#[test]
fn scripts_are_balanced_and_of_the_length_asked_for() {
    for seed in 0..5 {
        let script = script(seed);
        let mut depth = 0;
        let mut deepest = 0;
        for line in script.lines() {
            match line {
                "(push 1)" => depth += 1,
                "(pop 1)" => depth -= 1,
                _ => {}
            }
            assert!(depth >= 0);
            deepest = deepest.max(depth);
        }
        assert_eq!(depth, 0);
        // The last decision's other outcome is infeasible, so it is one push deeper than the path.
        assert!((10..=30).contains(&deepest), "{deepest} deep");
        let checks = |text: &str| text.matches("(check-sat)").count();
        assert_eq!(checks(&script), 200);
        let plain = walk::without_values(&script);
        assert_eq!(checks(&plain), 200);
        assert!(script.contains("(get-value (") && !plain.contains("(get-value"));
    }
}

/// With the inputs fixed, one outcome of a decision is feasible and the other is not. Walks that are given up
/// leave a few decisions with one outcome seen.
#[test]
fn the_outcomes_of_a_decision_exclude_each_other() {
    for seed in 0..5 {
        let script = script(seed);
        let sat = script.matches(":status sat").count();
        let unsat = script.matches(":status unsat").count();
        assert!(sat.abs_diff(unsat) <= 30, "{sat} sat, {unsat} unsat");
    }
}

#[test]
fn every_condition_is_linear() {
    let mut rng = Rng::for_script(1, 0);
    let mut texts: Vec<String> = (0..5).map(script).collect();
    for (_, generate) in systems::KINDS {
        let assertions = generate(&mut rng).into_iter();
        texts.extend(assertions.map(|assertion| format!("(assert {assertion})")));
    }
    for text in &texts {
        for line in text.lines().filter(|line| line.starts_with("(assert ")) {
            let mut words = tokens(line).into_iter().peekable();
            assert!(!mentions_input(&mut words), "a command is no value: {line}");
            assert_eq!(words.next(), None, "{line}");
        }
    }
}

fn tokens(line: &str) -> Vec<String> {
    line.replace('(', " ( ")
        .replace(')', " ) ")
        .split_whitespace()
        .map(str::to_string)
        .collect()
}

/// Reads one expression; says whether it depends on an input. Panics at a product of two inputs' values or a division
/// by one.
fn mentions_input(words: &mut std::iter::Peekable<std::vec::IntoIter<String>>) -> bool {
    let word = words.next().expect("an expression");
    if word != "(" {
        return word.starts_with(['p', 'f', 'x']) && word != "false";
    }
    let operator = words.next().expect("an operator");
    let mut operands = Vec::new();
    while words.peek().is_some_and(|word| word != ")") {
        operands.push(mentions_input(words));
    }
    assert_eq!(words.next().as_deref(), Some(")"));
    let dependent = operands.iter().filter(|&&depends| depends).count();
    match operator.as_str() {
        "*" => assert!(operands.len() == 2 && dependent <= 1),
        "div" | "mod" => assert!(operands.len() == 2 && !operands[1]),
        "+" | "-" | "<" | "<=" | ">" | ">=" | "=" | "and" | "or" | "not" => {}
        "assert" => return false,
        other => panic!("`{other}` is not linear arithmetic"),
    }
    dependent > 0
}
