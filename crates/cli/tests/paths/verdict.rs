//! What an exploration found against what there is to find.

use std::collections::HashMap;

use crate::corpus::Program;
use crate::explored::{Ending, Explored, Test};
use crate::oracle::{Oracle, Outcome};

const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;

/// Everything that is wrong; nothing if every path was found once and as it is.
pub fn problems(program: &Program, oracle: &Oracle, explored: &Explored) -> Vec<String> {
    let mut problems = Vec::new();
    let mut found: Vec<Vec<&Test>> = vec![Vec::new(); oracle.classes.len()];
    let mut by_input: HashMap<usize, &Test> = HashMap::new();
    for test in &explored.tests {
        match class(program, oracle, test) {
            Ok((input, class)) => {
                found[class].push(test);
                // An input has one path, however fine paths are.
                if let Some(other) = by_input.insert(input, test) {
                    let input = program.domain.describe(input);
                    let (other, test) = (&other.name, &test.name);
                    problems.push(format!("{other} and {test} have the same input: {input}"));
                }
            }
            Err(problem) => problems.push(format!("{}: {problem}", test.name)),
        }
    }
    for (class, tests) in oracle.classes.iter().zip(&found) {
        let example = program.domain.describe(class.example);
        if tests.is_empty() {
            problems.push(format!(
                "not found: {}, as with {example} ({} inputs)",
                class.outcome, class.size
            ));
        }
        if tests.len() > 1 && !program.finer {
            let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
            problems.push(format!(
                "found {} times: {}, as with {example}: {}",
                tests.len(),
                class.outcome,
                names.join(", ")
            ));
        }
    }
    let is_error = |outcome: Outcome| !matches!(outcome, Outcome::Exit(_));
    let errors = oracle.classes.iter().any(|class| is_error(class.outcome));
    let expected = i32::from(errors);
    if explored.status != Some(expected) {
        problems.push(format!(
            "status {:?} instead of {expected}; it said: {}",
            explored.status, explored.said
        ));
    }
    problems
}

/// The number of a test's input, and the path that it is of.
fn class(program: &Program, oracle: &Oracle, test: &Test) -> Result<(usize, usize), String> {
    if let Ending::Unfinished(why) = &test.ending {
        return Err(format!("unfinished: {why}"));
    }
    let position = program.domain.position(&test.inputs);
    let position = position.map_err(|error| format!("invented: {error}"))?;
    let input = program.domain.describe(position);
    let Some((class, outcome)) = oracle.of_input[position] else {
        return Err(format!("invented: an assumption excludes {input}"));
    };
    if !agree(outcome, &test.ending) {
        return Err(format!(
            "{:?} instead of {outcome} with {input}",
            test.ending
        ));
    }
    Ok((position, class))
}

/// Whether a native end and ours are the same thing.
fn agree(native: Outcome, ours: &Ending) -> bool {
    const MEMORY: [&str; 10] = [
        "out-of-bounds read",
        "out-of-bounds write",
        "use after free",
        "use after return",
        "null dereference",
        "wild pointer read",
        "wild pointer write",
        "write to read-only memory",
        "double free",
        "invalid free",
    ];
    match (native, ours) {
        // The system keeps the lowest byte.
        (Outcome::Exit(native), Ending::Exit(ours)) => native == ours & 255,
        (Outcome::Assertion, Ending::Error(error)) => error == "assertion failure",
        (Outcome::Memory, Ending::Error(error)) => {
            // Where nothing is there is no code, either.
            MEMORY.contains(&error.as_str()) || error == "call of a null function"
        }
        (Outcome::Signal(SIGABRT), Ending::Error(error)) => {
            ["abort", "panic", "uncaught exception"].contains(&error.as_str())
        }
        (Outcome::Signal(SIGFPE), Ending::Error(error)) => {
            ["division by zero", "division overflow"].contains(&error.as_str())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::oracle::Class;

    /// `a` from 0 to 3: 0 divides by zero, 1 and 2 are one path, 3 is excluded.
    fn subject(finer: bool) -> (Program, Oracle) {
        let program = Program {
            name: "example.c".to_string(),
            source: "example.c".into(),
            domain: Domain::parse("a=0..3").expect("a domain"),
            paths: 2,
            finer,
            sanitize: false,
        };
        let class = |outcome, example, size| Class {
            outcome,
            example,
            size,
        };
        let oracle = Oracle {
            classes: vec![
                class(Outcome::Signal(SIGFPE), 0, 1),
                class(Outcome::Exit(7), 1, 2),
            ],
            of_input: vec![
                Some((0, Outcome::Signal(SIGFPE))),
                Some((1, Outcome::Exit(7))),
                Some((1, Outcome::Exit(7))),
                None,
            ],
        };
        (program, oracle)
    }

    fn check(finer: bool, tests: &[(u8, Ending)]) -> String {
        let (program, oracle) = subject(finer);
        let test = |(a, ending): &(u8, Ending)| Test {
            name: format!("test {a}"),
            inputs: vec![("a".to_string(), vec![*a])],
            ending: ending.clone(),
        };
        let explored = Explored {
            tests: tests.iter().map(test).collect(),
            status: Some(1),
            said: String::new(),
        };
        problems(&program, &oracle, &explored).join("\n")
    }

    fn zero() -> (u8, Ending) {
        (0, Ending::Error("division by zero".to_string()))
    }

    #[test]
    fn what_is_right_is_accepted() {
        assert_eq!(check(false, &[zero(), (2, Ending::Exit(7))]), "");
        let finer = [zero(), (2, Ending::Exit(7)), (1, Ending::Exit(7))];
        assert_eq!(check(true, &finer), "");
    }

    #[test]
    fn an_input_has_one_path_however_fine() {
        let said = check(true, &[zero(), (2, Ending::Exit(7)), (2, Ending::Exit(7))]);
        assert_eq!(said, "test 2 and test 2 have the same input: a=2");
    }

    #[test]
    fn what_is_wrong_is_noticed() {
        let exit = |a| (a, Ending::Exit(7));
        let says = |tests: &[(u8, Ending)], part: &str| {
            let said = check(false, tests);
            assert!(said.contains(part), "{said}");
        };
        says(&[zero()], "not found: exit 7, as with a=1 (2 inputs)");
        says(&[zero(), exit(1), exit(2)], "found 2 times: exit 7");
        says(&[zero(), exit(1), exit(3)], "an assumption excludes a=3");
        says(&[zero(), exit(1), exit(4)], "a is none of its values");
        says(&[zero(), (1, Ending::Exit(0))], "instead of exit 7");
        says(
            &[(0, Ending::Error("panic".to_string())), exit(1)],
            "instead of signal 8",
        );
        let unfinished = (1, Ending::Unfinished("a limit".to_string()));
        says(&[zero(), exit(1), unfinished], "unfinished: a limit");
    }
}
