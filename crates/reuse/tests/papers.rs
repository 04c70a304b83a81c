//! The examples of the papers that the presets come from.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use refrain_reuse::{AnsweredBy, Chain, Layers};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Limits, Outcome, Query, Solver, Stats, Verdict};
use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms, print};

/// What solvers were asked, in order: the formulas in force, as text.
type Log = Rc<RefCell<Vec<Vec<String>>>>;

/// A solver that notes what it is asked. With a script it gives the answers of the script: models, and partial
/// solutions.
struct Noting {
    inner: Native,
    log: Log,
    formulas: Vec<Term>,
    scopes: Vec<usize>,
    script: Vec<Scripted>,
    answered: usize,
}

/// A model, and the partial solutions on the way to it.
#[derive(Clone, Default)]
struct Scripted {
    model: Assignment,
    partial: Vec<Assignment>,
}

impl Noting {
    fn new(log: &Log, script: Vec<Scripted>) -> Noting {
        Noting {
            inner: Native::new(),
            log: log.clone(),
            formulas: Vec::new(),
            scopes: Vec::new(),
            script,
            answered: 0,
        }
    }
}

impl Solver for Noting {
    fn name(&self) -> &str {
        "noting"
    }

    fn push(&mut self) {
        self.scopes.push(self.formulas.len());
        self.inner.push();
    }

    fn pop(&mut self, levels: usize) {
        for _ in 0..levels {
            let length = self.scopes.pop().expect("a level");
            self.formulas.truncate(length);
        }
        self.inner.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.formulas.push(formula);
        self.inner.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let asked = self.formulas.iter().chain(query.assumptions);
        let asked = asked.map(|&formula| print(terms, formula)).collect();
        self.log.borrow_mut().push(asked);
        self.answered += 1;
        let mut outcome = self.inner.check(terms, query);
        if let Some(scripted) = self.script.get(self.answered - 1) {
            if let CheckResult::Sat(model) = &mut outcome.result {
                *model = Arc::new(scripted.model.clone());
            }
            outcome.partial_solutions = scripted.partial.iter().cloned().map(Into::into).collect();
        }
        outcome
    }

    fn reset(&mut self) {
        self.formulas.clear();
        self.scopes.clear();
        self.inner.reset();
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

/// Explores a path of branch conditions depth first, as a tree of queries: each is a list of conditions, the last of
/// them new.
fn explore(chain: &mut Chain, terms: &mut Terms, queries: &[Vec<Term>]) -> Vec<Verdict> {
    let mut depth = 0;
    let mut on_stack: Vec<Term> = Vec::new();
    let mut verdicts = Vec::new();
    for query in queries {
        let shared = on_stack
            .iter()
            .zip(query)
            .take_while(|(a, b)| a == b)
            .count();
        chain.pop(depth - shared);
        on_stack.truncate(shared);
        for &condition in &query[shared..] {
            chain.push();
            chain.assert(terms, condition);
            on_stack.push(condition);
        }
        depth = on_stack.len();
        verdicts.push(
            chain
                .check(terms, &Query::new(&[], &Limits::default()))
                .verdict(),
        );
    }
    verdicts
}

/// The queries of `step` in "A Study of Incremental Solving" (HVC 2014), figure 2.
fn queries_of_step(terms: &mut Terms) -> Vec<Vec<Term>> {
    let (a, b) = (terms.var("a", Sort::Int), terms.var("b", Sort::Int));
    let (zero, one) = (terms.int(0), terms.int(1));
    let negative = terms.lt(a, zero);
    let sum = terms.add(a, b);
    let small_sum = terms.lt(sum, one);
    let small = terms.lt(b, one);
    let not = |terms: &mut Terms, term| terms.not(term);
    let (not_negative, large_sum, large) = (
        not(terms, negative),
        not(terms, small_sum),
        not(terms, small),
    );
    vec![
        vec![negative],
        vec![negative, small_sum],
        vec![negative, large_sum],
        vec![not_negative],
        vec![not_negative, small],
        vec![not_negative, large],
    ]
}

/// What the solver is asked about `step` under a preset.
fn asked_for_step(preset: &str) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let mut terms = Terms::new();
    let queries = queries_of_step(&mut terms);
    let log = Log::default();
    let layers = Layers::preset(preset).expect("a preset");
    let mut chain = Chain::new(Box::new(Noting::new(&log, Vec::new())), layers);
    let verdicts = explore(&mut chain, &mut terms, &queries);
    assert_eq!(verdicts, vec![Verdict::Sat; 6], "{preset}");
    let text = queries
        .iter()
        .map(|query| query.iter().map(|&term| print(&terms, term)).collect())
        .collect();
    (log.take(), text)
}

#[test]
fn incremental_study_baseline_and_stack_ask_everything() {
    for preset in ["baseline", "stack"] {
        let (asked, queries) = asked_for_step(preset);
        assert_eq!(asked, queries, "{preset}");
    }
}

#[test]
fn incremental_study_caching_asks_only_dependent_atoms_it_has_not_asked_before() {
    for preset in ["caching", "caching-opt"] {
        let (asked, queries) = asked_for_step(preset);
        let last = |query: usize| vec![queries[query][1].clone()];
        let expected = vec![
            queries[0].clone(),
            queries[1].clone(),
            queries[2].clone(),
            queries[3].clone(),
            last(4),
            last(5),
        ];
        assert_eq!(asked, expected, "{preset}");
    }
}

#[test]
fn incremental_study_the_full_chain_asks_less() {
    let (asked, _) = asked_for_step("full");
    assert!(asked.len() < 5, "{asked:?}");
}

/// The six path conditions of the example in "Partial Solution Based Constraint Solving Cache" (FSE 2024), section 2,
/// over signed bytes.
fn six_constraints(terms: &mut Terms) -> Vec<Vec<Term>> {
    let (x, y) = (
        terms.var("x", Sort::BitVec(8)),
        terms.var("y", Sort::BitVec(8)),
    );
    let at_least = |terms: &mut Terms, value, bound| {
        let bound = terms.bv(8, bound);
        let below = terms.bv_slt(value, bound);
        terms.not(below)
    };
    let two = terms.bv(8, 2);
    let (double_x, double_y) = (terms.bv_mul(two, x), terms.bv_mul(two, y));
    let sum = terms.bv_add(x, y);
    let (left, right) = (terms.bv_sub(double_y, x), terms.bv_sub(double_x, y));
    let a = at_least(terms, sum, 10);
    let b = at_least(terms, left, 5);
    let c = at_least(terms, right, 15);
    let (not_a, not_b, not_c) = (terms.not(a), terms.not(b), terms.not(c));
    vec![
        vec![a],
        vec![a, b],
        vec![a, b, c],
        vec![a, b, not_c],
        vec![a, not_b],
        vec![not_a],
    ]
}

fn bytes(terms: &mut Terms, values: (u64, u64)) -> Assignment {
    let mut assignment = Assignment::new();
    for (name, value) in [("x", values.0), ("y", values.1)] {
        let term = terms.var(name, Sort::BitVec(8));
        let Op::Var(var) = terms.op(term) else {
            unreachable!("a symbol")
        };
        assignment.set(var, Bv::new(8, value));
    }
    assignment
}

/// How many calls the solver gets under a preset, if it finds the solutions that the paper reports, one for each call.
fn calls_for_six(preset: &str, solutions: &[(u64, u64)], partial: &[(u64, u64)]) -> (usize, Chain) {
    let mut terms = Terms::new();
    let queries = six_constraints(&mut terms);
    let mut script: Vec<Scripted> = solutions
        .iter()
        .map(|&values| Scripted {
            model: bytes(&mut terms, values),
            partial: Vec::new(),
        })
        .collect();
    script[1].partial = partial
        .iter()
        .map(|&values| bytes(&mut terms, values))
        .collect();
    let log = Log::default();
    let mut layers = Layers::preset(preset).expect("a preset");
    // What the solver says is part of the example: nothing else may find a solution.
    layers.without("repair");
    let mut chain = Chain::new(Box::new(Noting::new(&log, script)), layers);
    let verdicts = explore(&mut chain, &mut terms, &queries);
    assert_eq!(verdicts, vec![Verdict::Sat; 6], "{preset}");
    let calls = log.borrow().len();
    (calls, chain)
}

#[test]
fn partial_solution_cache_plain_solving_takes_six_calls() {
    let solutions = [(10, 0), (26, 17), (26, 17), (7, 31), (10, 0), (0, 9)];
    assert_eq!(calls_for_six("baseline", &solutions, &[]).0, 6);
    assert_eq!(calls_for_six("stack", &solutions, &[]).0, 6);
}

#[test]
fn partial_solution_cache_subsets_and_supersets_save_two() {
    let solutions = [(10, 0), (26, 17), (7, 31), (0, 9)];
    assert_eq!(calls_for_six("klee", &solutions, &[]).0, 4);
}

#[test]
fn partial_solution_cache_partial_solutions_save_four() {
    let solutions = [(10, 0), (26, 17)];
    let partial = [(4, 64), (0, 0), (58, 81)];
    for preset in ["pscache", "full"] {
        let (calls, chain) = calls_for_six(preset, &solutions, &partial);
        assert!(calls <= 2, "{preset}: {calls}");
        assert!(
            chain.chain_stats().answered_by(AnsweredBy::QuickTest) >= 2,
            "{preset}"
        );
    }
}

/// Which constraint is answered by what, as section 2.3 tells it: the third by the solution of the second, the fourth by
/// a partial solution, the fifth by the solution of the first, the sixth by strict reuse.
#[test]
fn partial_solution_cache_each_constraint_is_answered_as_in_the_paper() {
    let solutions = [(10, 0), (26, 17)];
    let partial = [(4, 64), (0, 0), (58, 81)];
    let (calls, chain) = calls_for_six("pscache", &solutions, &partial);
    assert_eq!(calls, 2);
    let by = |layer| chain.chain_stats().answered_by(layer);
    assert_eq!(by(AnsweredBy::Solver), 2);
    assert_eq!(by(AnsweredBy::Model), 1);
    assert_eq!(by(AnsweredBy::QuickTest), 2);
    assert_eq!(by(AnsweredBy::Exact), 1);
}
