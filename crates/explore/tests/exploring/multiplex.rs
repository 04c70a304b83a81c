//! Partial solutions as inputs, with a solver that says which ones it went through: those that lead to the same place
//! are all executed in the end, without another query.

use super::*;

use refrain_solver::{Outcome as CheckOutcome, Query, Reason, Stats as SolverStats};
use refrain_term::{Assignment, free_vars};

/// What a scripted solver does at a check, by how many there were before.
type Script = Arc<dyn Fn(usize) -> Says + Send + Sync>;

/// What it answers, and the partial solutions that it says it went through: values of x and y.
#[derive(Default)]
pub struct Says {
    pub refuses: Option<Reason>,
    pub partial_solutions: Vec<(u64, u64)>,
}

/// A solver that follows a script. Its answers, where it gives some, are those of another.
struct Scripted {
    inner: Box<dyn Solver>,
    script: Script,
    /// Checks of this solver and of those before it.
    checks: Arc<AtomicU64>,
}

impl Solver for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self, levels: usize) {
        self.inner.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.inner.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> CheckOutcome {
        let before = self.checks.fetch_add(1, Ordering::Relaxed);
        let says = (self.script)(before as usize);
        let mut outcome = match says.refuses {
            Some(reason) => CheckOutcome::unknown(reason),
            None => self.inner.check(terms, query),
        };
        let [x, y] = ["x[0]", "y[0]"].map(|name| {
            let term = terms.var(name, refrain_term::Sort::BitVec(8));
            free_vars(terms, term)[0]
        });
        let assignment = |(a, b)| {
            let mut assignment = Assignment::new();
            assignment.set(x, refrain_term::Bv::new(8, a));
            assignment.set(y, refrain_term::Bv::new(8, b));
            assignment
        };
        let partial = says.partial_solutions.into_iter();
        outcome.partial_solutions = partial.map(|values| assignment(values).into()).collect();
        outcome
    }

    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.inner.suggest(terms, model);
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}

pub fn explore_scripted(
    program: &Program,
    jobs: usize,
    options: Options,
    script: impl Fn(usize) -> Says + Send + Sync + 'static,
) -> (Found, Outcome) {
    let found = Mutex::new(Found::default());
    let (script, checks): (Script, _) = (Arc::new(script), Arc::new(AtomicU64::new(0)));
    let options = Options {
        mode: Mode::Concolic,
        partial_solutions: Some(64),
        ..options
    };
    let outcome = workers::explore(jobs, &options, |_| {
        let (script, checks) = (script.clone(), checks.clone());
        Ok(Worker {
            toy: Toy::new(program),
            make: Box::new(move || -> Box<dyn Solver> {
                Box::new(Scripted {
                    inner: select::from_spec("native", &select::Options::default()).unwrap(),
                    script: script.clone(),
                    checks: checks.clone(),
                })
            }),
            listener: Watcher { found: &found },
        })
    });
    (found.into_inner().unwrap(), outcome.unwrap())
}

/// Gives these partial solutions at the first check, and none later.
fn at_first(partial_solutions: &[(u64, u64)]) -> impl Fn(usize) -> Says + Send + Sync + 'static {
    let partial_solutions = partial_solutions.to_vec();
    move |checks| Says {
        refuses: None,
        partial_solutions: match checks {
            0 => partial_solutions.clone(),
            _ => Vec::new(),
        },
    }
}

/// Four paths: x < 100 or not, and then y < 100 or not.
fn two_by_two() -> Program {
    Program(vec![
        Instruction::Less([1, 0, 100], 1, 2),
        Instruction::Less([0, 1, 100], 3, 3),
        Instruction::Less([0, 1, 100], 3, 3),
        Instruction::End,
    ])
}

fn searching(search: Search) -> Options {
    Options {
        search,
        ..Options::default()
    }
}

#[test]
fn an_input_into_the_place_that_is_run_parts_from_its_path_later() {
    let program = two_by_two();
    // The first query is for x ≥ 100, which both satisfy; its own solution leaves y as it was.
    let script = at_first(&[(200, 5), (200, 200)]);
    let (found, outcome) = explore_scripted(&program, 1, searching(Search::Bfs), script);
    check(&program, &found, "two by two");
    // The other is for x < 100 and y ≥ 100.
    assert_eq!(found.asked, 2);
    assert_eq!(outcome.stats.kept_inputs, 2);
    assert_eq!(outcome.stats.by_partial_solution, 1);
    assert_eq!(outcome.stats.by_surplus_input, 1);
    let last = found
        .ends
        .iter()
        .find(|(_, _, x, y)| (*x, *y) == (200, 200));
    assert!(last.is_some(), "{:?}", found.ends);
}

#[test]
fn the_second_input_that_reaches_a_pending_place_parts_from_the_first_later() {
    let program = two_by_two();
    // The first query is for x < 100 and y ≥ 100: both lead to x ≥ 100, and there is nothing left to ask.
    let script = at_first(&[(200, 5), (210, 200), (210, 200)]);
    let (found, outcome) = explore_scripted(&program, 1, searching(Search::Dfs), script);
    check(&program, &found, "two by two");
    assert_eq!(found.asked, 1);
    assert_eq!(outcome.stats.kept_inputs, 1, "the same input is kept once");
    assert_eq!(outcome.stats.by_partial_solution, 2);
    assert_eq!(outcome.stats.by_surplus_input, 1);
}

#[test]
fn an_assumption_holds_for_an_input_that_was_kept() {
    let program = Program(vec![
        Instruction::Less([1, 0, 100], 3, 1),
        Instruction::Assume([1, 1, 50]),
        Instruction::Less([0, 1, 70], 3, 3),
        Instruction::End,
    ]);
    // x ≥ 100 is asked about; its solution leaves y at 0, so that the assumption does not hold for it.
    let script = at_first(&[(200, 20), (200, 60), (200, 80)]);
    let (found, outcome) = explore_scripted(&program, 1, searching(Search::Bfs), script);
    check(&program, &found, "an assumption");
    assert_eq!(found.asked, 1);
    assert_eq!(outcome.stats.by_partial_solution, 2);
}

#[test]
fn a_query_that_is_given_up_is_answered_by_what_it_went_through() {
    let program = two_by_two();
    for reason in [Reason::Conflicts, Reason::Incomplete("hard".into())] {
        let script = move |checks| Says {
            refuses: (checks == 0).then(|| reason.clone()),
            partial_solutions: match checks {
                0 => vec![(150, 3)],
                _ => Vec::new(),
            },
        };
        let (found, outcome) = explore_scripted(&program, 1, searching(Search::Bfs), script);
        check(&program, &found, "given up");
        assert_eq!(outcome.stats.by_partial_solution, 1);
        assert_eq!(found.asked, 2);
    }
}

#[test]
fn a_deferred_query_is_settled_by_what_another_went_through() {
    let program = two_by_two();
    // x ≥ 100 meets too many conflicts, then x < 100 and y ≥ 100 is asked about.
    let script = |checks| Says {
        refuses: (checks == 0).then_some(Reason::Conflicts),
        partial_solutions: match checks {
            1 => vec![(150, 3), (150, 103)],
            _ => Vec::new(),
        },
    };
    let (found, outcome) = explore_scripted(&program, 1, searching(Search::Bfs), script);
    check(&program, &found, "deferred");
    assert_eq!(outcome.stats.by_partial_solution, 2);
    assert_eq!(found.asked, 1);
}

/// Numbers that look random.
fn random_inputs(seed: u64, count: u64) -> Vec<(u64, u64)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut byte = || u64::from(random.u8(..));
    (0..count).map(|_| (byte(), byte())).collect()
}

/// How many inputs are kept with a place.
const KEPT: u64 = 16;

#[test]
fn every_partial_solution_is_executed_although_nothing_else_is_answered() {
    let mut kept = 0;
    for seed in 0..300 {
        let program = Program::random(seed);
        let inputs = random_inputs(seed, KEPT);
        let solutions = inputs.clone();
        // The first query is refused, too.
        let script = move |checks| Says {
            refuses: Some(Reason::Incomplete("refused".into())),
            partial_solutions: match checks {
                0 => solutions.clone(),
                _ => Vec::new(),
            },
        };
        let measures: [fn() -> u64; 3] = [|| 0, scarce::<5>, scarce::<7>];
        for (measure, search) in measures
            .into_iter()
            .zip(SEARCHES.iter().cycle().skip(seed as usize))
        {
            let options = Options {
                seed,
                limits: Limits {
                    memory: Some(1 << 40),
                    measure,
                    ..Limits::default()
                },
                ..searching(search.1)
            };
            let (found, outcome) = explore_scripted(&program, 1, options, script.clone());
            if outcome.stats.dropped > 0 || found.unfinished > 0 {
                continue;
            }
            let mut expected: BTreeSet<_> = program.run(0, 0).into_iter().collect();
            let asked = outcome.stats.tried_partial_solutions > 0;
            if asked {
                expected.extend(inputs.iter().filter_map(|&(x, y)| program.run(x, y)));
            }
            let ends = found.ends.iter();
            let seen: BTreeSet<_> = ends
                .map(|(points, status, ..)| (points.clone(), *status))
                .collect();
            assert_eq!(seen.len(), found.ends.len(), "program {seed}: a path twice");
            assert_eq!(seen, expected, "program {seed}, {}", search.0);
            kept += outcome.stats.by_surplus_input;
        }
    }
    assert!(kept > 100, "{kept}");
}

#[test]
fn many_partial_solutions_change_nothing_of_what_is_found() {
    let (mut opened, mut by_surplus) = (0, 0);
    for seed in 0..60 {
        let program = Program::random(seed);
        let (name, search) = SEARCHES[seed as usize % SEARCHES.len()];
        let script = move |checks| Says {
            refuses: None,
            partial_solutions: random_inputs(seed << 32 | checks as u64, checks as u64 % 40),
        };
        for jobs in [1, 3] {
            let options = Options {
                seed,
                ..searching(search)
            };
            let (found, outcome) = explore_scripted(&program, jobs, options.clone(), script);
            check(&program, &found, &format!("program {seed}, {name}, {jobs}"));
            opened += outcome.stats.by_partial_solution;
            by_surplus += outcome.stats.by_surplus_input;
            if jobs == 1 {
                let (again, _) = explore_scripted(&program, jobs, options, script);
                assert_eq!(found.ends, again.ends, "the same seed goes the same way");
            }
        }
    }
    assert!(opened > 100 && by_surplus > 20, "{opened} {by_surplus}");
}
