//! Walks through made-up programs: the questions of a concolic executor.
//!
//! A program is a sequence of branches on its inputs; which branch comes next depends on the last decisions, so that
//! paths part and meet. It is run on random inputs, branch by branch. At each one the executor asks whether the other
//! side is feasible, then follows its input.

use std::fmt::Write;

use crate::random::Random;

/// How many inputs a program is run on, and how many branches long a run is.
const RUNS: usize = 40;
const BRANCHES: usize = 14;

/// How many of the last decisions matter for what comes next.
const MEMORY: usize = 2;

/// A program over bytes, in machine arithmetic.
pub fn bytes() -> String {
    walk(&Inputs {
        logic: "QF_BV",
        sort: "(_ BitVec 8)",
        count: 8,
        seed: 1,
        value: |random| random.below(256) as i64,
        branch: byte_branch,
    })
}

/// A program over integers.
pub fn integers() -> String {
    walk(&Inputs {
        logic: "QF_LIA",
        sort: "Int",
        count: 6,
        seed: 2,
        value: |random| random.below(201) as i64 - 100,
        branch: integer_branch,
    })
}

/// What the inputs of a program are.
struct Inputs {
    logic: &'static str,
    sort: &'static str,
    count: usize,
    seed: u64,
    value: fn(&mut Random) -> i64,
    branch: fn(&mut Random, &[i64]) -> Branch,
}

/// A branch: its condition as a term, and whether it holds for the input at hand.
struct Branch {
    condition: String,
    holds: bool,
}

fn byte_branch(random: &mut Random, inputs: &[i64]) -> Branch {
    let [one, other] = [0, 1].map(|_| random.below(inputs.len() as u64) as usize);
    let constant = random.below(256) as i64;
    let (left, value) = if random.below(3) == 0 {
        let sum = (inputs[one] + inputs[other]) % 256;
        (format!("(bvadd x{one} x{other})"), sum)
    } else {
        (format!("x{one}"), inputs[one])
    };
    let (relation, holds) = match random.below(5) {
        0 => ("=", value == constant),
        1 | 2 => ("bvult", value < constant),
        _ => ("bvule", value <= constant),
    };
    Branch {
        condition: format!("({relation} {left} #x{constant:02x})"),
        holds,
    }
}

fn integer_branch(random: &mut Random, inputs: &[i64]) -> Branch {
    let [one, other] = [0, 1].map(|_| random.below(inputs.len() as u64) as usize);
    let constant = random.below(150) as i64;
    let (left, value) = if random.below(3) == 0 {
        let factor = random.within(2, 4) as i64;
        let sum = inputs[one] + factor * inputs[other];
        (format!("(+ x{one} (* {factor} x{other}))"), sum)
    } else {
        (format!("x{one}"), inputs[one])
    };
    let (relation, holds) = match random.below(5) {
        0 => ("=", value == constant),
        1 | 2 => ("<", value < constant),
        _ => ("<=", value <= constant),
    };
    Branch {
        condition: format!("({relation} {left} {constant})"),
        holds,
    }
}

fn walk(inputs: &Inputs) -> String {
    let mut script = format!("(set-logic {})\n", inputs.logic);
    for input in 0..inputs.count {
        let _ = writeln!(script, "(declare-const x{input} {})", inputs.sort);
    }
    let mut random = Random::new(inputs.seed);
    for _ in 0..RUNS {
        let values: Vec<i64> = (0..inputs.count)
            .map(|_| (inputs.value)(&mut random))
            .collect();
        let mut decisions = 0;
        for depth in 0..BRANCHES {
            let place = (depth << MEMORY | decisions) as u64;
            let mut code = Random::for_part(inputs.seed, "branch", place);
            let branch = (inputs.branch)(&mut code, &values);
            let negated = format!("(not {})", branch.condition);
            let (taken, other) = if branch.holds {
                (&branch.condition, &negated)
            } else {
                (&negated, &branch.condition)
            };
            let _ = writeln!(script, "(push 1)\n(assert {other})\n(check-sat)\n(pop 1)");
            let _ = writeln!(script, "(push 1)\n(assert {taken})");
            decisions = (decisions << 1 | usize::from(branch.holds)) & ((1 << MEMORY) - 1);
        }
        let _ = writeln!(script, "(pop {BRANCHES})");
    }
    script
}
