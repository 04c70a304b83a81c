//! Bounded depth-first exploration with an assertion stack (technique "stack" of the HVC 2014 study): at each
//! decision, for either outcome: push, assert it, check, go deeper if it is feasible, pop. A walk is given up after
//! some checks and another one starts, at another entry method and with other outcomes first: depth-first search
//! alone would see nothing but the lowest decisions of one path. What a solver was told is recorded as a script.

use super::execute::{Decision, State};
use super::program::Program;
use super::symbolic::{Formula, Value};
use crate::random::Rng;
use anyhow::Result;
use std::fmt::Write as _;

/// Who knows which paths are feasible.
pub trait Oracle {
    /// Declarations and what is known of the inputs, in SMT-LIB.
    fn prepare(&mut self, script: &str) -> Result<()>;
    /// Adds a condition to the path's and says whether the path is still feasible; none if that took too long.
    fn enter(&mut self, condition: &Formula) -> Result<Option<bool>>;
    /// Takes the last condition back.
    fn leave(&mut self) -> Result<()>;
}

pub struct Bounds {
    pub decisions: usize,
    pub checks: usize,
    /// Are inputs confined to an interval, as those of tools with bounded integers are?
    pub confine_inputs: bool,
}

/// The script of a walk, with the values of the inputs at each end of a path; none if the program has too few
/// decisions.
pub fn record(
    program: &Program,
    bounds: Bounds,
    rng: &mut Rng,
    oracle: &mut dyn Oracle,
) -> Result<Option<String>> {
    let opening = declarations(program, bounds.confine_inputs);
    oracle.prepare(&opening)?;
    let mut walk = Walk {
        program,
        bounds,
        rng,
        oracle,
        script: opening,
        checks: 0,
        give_up_at: 0,
        inputs: String::new(),
    };
    // No more walks than checks: an entry method may have no decision at all.
    for _ in 0..walk.bounds.checks {
        walk.start()?;
    }
    let is_long_enough = walk.checks == walk.bounds.checks;
    Ok(is_long_enough.then_some(walk.script))
}

/// The same script without the values.
pub fn without_values(script: &str) -> String {
    script
        .lines()
        .filter(|line| !line.starts_with("(get-value"))
        .flat_map(|line| [line, "\n"])
        .collect()
}

struct Walk<'a> {
    program: &'a Program,
    bounds: Bounds,
    rng: &'a mut Rng,
    oracle: &'a mut dyn Oracle,
    script: String,
    checks: usize,
    give_up_at: usize,
    /// The inputs of this walk, separated by spaces.
    inputs: String,
}

impl<'a> Walk<'a> {
    fn start(&mut self) -> Result<()> {
        let program = self.program;
        let entry = *self.rng.pick(&program.entries);
        let parameters = parameters(program.methods[entry].parameters);
        let fields = fields(program.fields);
        self.inputs = [parameters.as_slice(), fields.as_slice()]
            .concat()
            .join(" ");
        let patience = self.bounds.decisions * self.rng.between(2, 8) as usize;
        self.give_up_at = self.bounds.checks.min(self.checks + patience);
        let state = State::new(program, entry, inputs(&parameters), inputs(&fields));
        self.explore(state, 0)
    }

    fn explore(&mut self, state: State<'a>, depth: usize) -> Result<()> {
        let decision = if depth < self.bounds.decisions {
            state.advance()
        } else {
            None
        };
        let Some(decision) = decision else {
            self.end_of_path(depth);
            return Ok(());
        };
        for (condition, next) in self.outcomes(decision) {
            if self.checks >= self.give_up_at {
                break;
            }
            let Some(is_feasible) = self.oracle.enter(&condition)? else {
                self.oracle.leave()?;
                continue;
            };
            self.record_check(&condition, is_feasible);
            if is_feasible {
                self.explore(next, depth + 1)?;
            }
            self.script.push_str("(pop 1)\n");
            self.oracle.leave()?;
        }
        Ok(())
    }

    /// Both outcomes of a decision, in random order.
    fn outcomes(&mut self, decision: Decision<'a>) -> [(Formula, State<'a>); 2] {
        let mut outcomes = [
            (decision.condition.clone(), decision.holds),
            (decision.condition.negated(), decision.fails),
        ];
        if self.rng.percent(50) {
            outcomes.reverse();
        }
        outcomes
    }

    fn record_check(&mut self, condition: &Formula, is_feasible: bool) {
        self.checks += 1;
        let status = if is_feasible { "sat" } else { "unsat" };
        let _ = writeln!(
            self.script,
            "(push 1)\n(assert {condition})\n(set-info :status {status})\n(check-sat)"
        );
    }

    /// Here a tool generates a test.
    fn end_of_path(&mut self, depth: usize) {
        if depth > 0 {
            let _ = writeln!(self.script, "(get-value ({}))", self.inputs);
        }
    }
}

fn parameters(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("p{place}")).collect()
}

fn fields(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("f{place}")).collect()
}

fn inputs(names: &[String]) -> Vec<Value> {
    names.iter().map(|name| Value::input(name)).collect()
}

fn declarations(program: &Program, confine_inputs: bool) -> String {
    let entries = program.entries.iter();
    let most_parameters = entries
        .map(|&entry| program.methods[entry].parameters)
        .max();
    let mut text = String::from("(set-option :produce-models true)\n(set-logic QF_LIA)\n");
    let mut names = parameters(most_parameters.unwrap_or(0));
    names.extend(fields(program.fields));
    for name in &names {
        let _ = writeln!(text, "(declare-fun {name} () Int)");
    }
    if confine_inputs {
        for name in &names {
            let _ = writeln!(
                text,
                "(assert (>= {name} (- 100000)))\n(assert (<= {name} 100000))"
            );
        }
    }
    text
}
