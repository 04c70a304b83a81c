//! Exploring small random programs of a toy machine, against brute force: every way to explore finds every path once
//! and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use refrain_explore::listener::{Branch, Decided, How, Left};
use refrain_explore::search::SEARCHES;
use refrain_explore::trail::PlaceId;
use refrain_explore::workers::{self, Kit, Outcome, Parts};
use refrain_explore::{
    Ask, End, Limits, Listener, Machine, Mode, Options, Path, Point, Search, Stop, StopReason,
    Trail,
};
use refrain_reuse::{Chain, Layers, PRESETS};
use refrain_solver::{Solver, select};
use refrain_term::{Evaluator, Sort, Term, Terms};

/// What a toy program does at one of its points.
#[derive(Clone, Debug)]
enum Instruction {
    /// Goes on at one of two points: a·x + b·y < c, on bytes.
    Less([u64; 3], usize, usize),
    /// Goes on at one of several points, by x mod 4.
    Switch([usize; 4]),
    /// Has to know y mod 4, and leaves it in the register.
    Fix,
    /// Leaves a value that x may have in the register, if that matters to nobody.
    Witness,
    /// Adds to the register, and goes on.
    Add(u64),
    End,
}

struct Program(Vec<Instruction>);

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

impl Program {
    fn random(seed: u64) -> Program {
        let mut state = mix(seed + 1);
        let mut below = |end: u64| {
            state = mix(state.wrapping_add(0x1234_5678_9abc_def1));
            state % end
        };
        let count = 14;
        let mut instructions = Vec::new();
        for at in 0..count {
            // Always forward: programs end.
            let mut later = || at + 1 + below((count - at) as u64) as usize;
            let (a, b) = (later(), later());
            let targets = [later(), later(), later(), later()];
            instructions.push(match below(8) {
                0..=3 => Instruction::Less([below(5), below(5), below(256)], a, b),
                4 => Instruction::Switch(targets),
                5 => Instruction::Fix,
                6 => Instruction::Witness,
                _ => Instruction::Add(below(9)),
            });
        }
        instructions.push(Instruction::End);
        Program(instructions)
    }

    /// What inputs do: the decisions they take, with where they take them, and the status they end with.
    fn run(&self, x: u64, y: u64) -> (Vec<(usize, u64)>, u64) {
        let (mut at, mut register, mut points) = (0, 0u64, Vec::new());
        loop {
            let (way, next) = match &self.0[at] {
                Instruction::Less([a, b, c], then, other) => {
                    let sum = (a * x + b * y) % 256;
                    if sum < *c { (0, *then) } else { (1, *other) }
                }
                Instruction::Switch(targets) => (x % 4, targets[(x % 4) as usize]),
                Instruction::Fix => {
                    register += y % 4;
                    (y % 4, at + 1)
                }
                Instruction::Witness => (0, at + 1),
                Instruction::Add(value) => {
                    register += value;
                    (0, at + 1)
                }
                Instruction::End => return (points, register),
            };
            points.push((at, way));
            at = next;
        }
    }
}

#[derive(Clone)]
struct State {
    at: usize,
    register: u64,
    points: Vec<(usize, u64)>,
    answer: Option<u64>,
    steps: u64,
}

struct Toy<'a> {
    program: &'a Program,
    ran: Vec<u32>,
    /// Points that were never run before, and how many of them nobody was told of.
    covered: BTreeSet<usize>,
    newly_covered: u64,
}

impl Toy<'_> {
    fn inputs(terms: &mut Terms) -> (Term, Term) {
        let x = terms.var("x[0]", Sort::BitVec(8));
        let y = terms.var("y[0]", Sort::BitVec(8));
        (x, y)
    }

    fn low_bits(terms: &mut Terms, term: Term) -> Term {
        let mask = terms.bv(8, 3);
        terms.bv_and(term, mask)
    }
}

impl Machine for Toy<'_> {
    type State = State;
    type End = (Vec<(usize, u64)>, u64);

    fn run(&mut self, terms: &mut Terms, state: &mut State, fuel: u64) -> Stop<Self::End> {
        let (x, y) = Toy::inputs(terms);
        let limit = state.steps.saturating_add(fuel);
        self.ran = vec![state.at as u32];
        loop {
            if state.steps >= limit {
                return Stop::OutOfFuel;
            }
            self.newly_covered += u64::from(self.covered.insert(state.at));
            let answer = state.answer.take();
            let (way, next) = match (&self.program.0[state.at], answer) {
                (Instruction::End, _) => {
                    return Stop::End((state.points.clone(), state.register));
                }
                (Instruction::Less([a, b, c], ..), None) => {
                    let factors = [*a, *b, *c].map(|value| terms.bv(8, value));
                    let (ax, by) = (terms.bv_mul(factors[0], x), terms.bv_mul(factors[1], y));
                    let sum = terms.bv_add(ax, by);
                    let less = terms.bv_ult(sum, factors[2]);
                    match terms.not(less) {
                        Term::FALSE => state.answer = Some(0),
                        Term::TRUE => state.answer = Some(1),
                        not => return Stop::Ask(Ask::Choose(vec![less, not])),
                    }
                    continue;
                }
                (Instruction::Less(_, then, other), Some(way)) => {
                    (way, [*then, *other][way as usize])
                }
                (Instruction::Switch(_), None) => {
                    let low = Toy::low_bits(terms, x);
                    let ways = (0..4).map(|value| {
                        let value = terms.bv(8, value);
                        terms.eq(low, value)
                    });
                    return Stop::Ask(Ask::Choose(ways.collect()));
                }
                (Instruction::Switch(targets), Some(way)) => (way, targets[way as usize]),
                (Instruction::Fix, None) => {
                    return Stop::Ask(Ask::Fix(Toy::low_bits(terms, y)));
                }
                (Instruction::Fix, Some(value)) => {
                    state.register += value;
                    (value, state.at + 1)
                }
                (Instruction::Witness, None) => return Stop::Ask(Ask::Witness(x)),
                (Instruction::Witness, Some(_)) => (0, state.at + 1),
                (Instruction::Add(value), _) => {
                    state.register += value;
                    (0, state.at + 1)
                }
            };
            state.points.push((state.at, way));
            state.at = next;
            state.steps += 1;
        }
    }

    fn answer(&mut self, state: &mut State, answer: u64) {
        state.answer = Some(answer);
    }

    fn fork(&mut self, state: &mut State) -> State {
        state.clone()
    }

    fn point(&self, state: &State) -> Point {
        Point {
            function: 0,
            offset: state.at as u32,
        }
    }

    fn instructions(&self, state: &State) -> u64 {
        state.steps
    }

    fn ran(&self) -> &[u32] {
        &self.ran
    }

    fn newly_covered(&mut self) -> u64 {
        std::mem::take(&mut self.newly_covered)
    }
}

/// The decisions of a path, its status, and the x and y that take it.
type Ended = (Vec<(usize, u64)>, u64, u64, u64);

/// What was found: by path, an input; and what was left open.
#[derive(Default)]
struct Found {
    ends: Vec<Ended>,
    /// The points of those that ran what had not run before.
    new: BTreeSet<usize>,
    unfinished: usize,
    left: Vec<(Vec<u64>, Left)>,
    asked: usize,
    /// Questions, and how many ways of each have been decided.
    places: BTreeMap<PlaceId, (usize, usize)>,
}

struct Watcher<'a> {
    found: &'a Mutex<Found>,
}

impl<'p> Listener<Toy<'p>> for Watcher<'_> {
    fn branch(&mut self, branch: &Branch<'_>) {
        assert!(branch.ways > 1 && !branch.ran.is_empty());
        let mut found = self.found.lock().unwrap();
        let before = found.places.insert(branch.place, (branch.ways, 0));
        assert!(before.is_none(), "a question is told once");
    }

    fn decided(&mut self, decided: &Decided<'_>) {
        let mut found = self.found.lock().unwrap();
        found.asked += usize::from(matches!(decided.how, How::Feasible | How::Infeasible));
        let (ways, count) = found
            .places
            .get_mut(&decided.place)
            .expect("told of before it is decided");
        if *decided.how != How::Open {
            *count += 1;
        }
        assert!(count <= ways, "each way is decided once");
    }

    fn end(&mut self, path: Path<'_, Toy<'p>>) -> ControlFlow<()> {
        let mut found = self.found.lock().unwrap();
        let End::Machine((points, status)) = path.end else {
            found.unfinished += 1;
            return ControlFlow::Continue(());
        };
        let (x, y) = Toy::inputs(path.terms);
        let mut evaluator = Evaluator::new();
        for condition in path.trail.all_conditions() {
            assert!(evaluator.bool(path.terms, path.input, condition));
        }
        let mut value = |term| evaluator.small(path.terms, path.input, term);
        let (x, y) = (value(x), value(y));
        found.ends.push((points.clone(), *status, x, y));
        if path.is_new {
            found.new.extend(points.iter().map(|&(at, _)| at));
        }
        ControlFlow::Continue(())
    }

    fn boundary(&mut self, trail: &Trail, why: &Left) {
        let decisions = trail.decisions().into_iter();
        let decisions = decisions.filter_map(|decision| decision.answer()).collect();
        self.found
            .lock()
            .unwrap()
            .left
            .push((decisions, why.clone()));
    }
}

type Begin<'a> = Box<dyn FnMut(&mut Toy<'a>, &mut Terms) -> State + 'a>;

struct Worker<'a> {
    toy: Toy<'a>,
    begin: Begin<'a>,
    make: Box<dyn Fn() -> Box<dyn Solver> + 'a>,
    watcher: Watcher<'a>,
}

impl<'a> Kit for Worker<'a> {
    type Machine = Toy<'a>;
    type Listener = Watcher<'a>;

    fn parts(&mut self) -> Parts<'_, Toy<'a>, Watcher<'a>> {
        Parts {
            machine: &mut self.toy,
            begin: &mut *self.begin,
            make_solver: &*self.make,
            listener: &mut self.watcher,
        }
    }
}

fn explore(program: &Program, jobs: usize, preset: &str, mut options: Options) -> (Found, Outcome) {
    let found = Mutex::new(Found::default());
    let layers = Layers::preset(preset).unwrap();
    options.trust_model = layers.model;
    options.partial_solutions = layers.partial_solutions;
    let outcome = workers::explore(jobs, &options, |_| {
        let layers = layers.clone();
        Ok(Worker {
            toy: Toy {
                program,
                ran: Vec::new(),
                covered: BTreeSet::new(),
                newly_covered: 0,
            },
            begin: Box::new(|_, _| State {
                at: 0,
                register: 0,
                points: Vec::new(),
                answer: None,
                steps: 0,
            }),
            make: Box::new(move || {
                let solver = select::from_spec("native", &select::Options::default()).unwrap();
                let checker = select::from_spec("native", &select::Options::default()).unwrap();
                Chain::before(solver, layers.clone(), None, Some(checker))
            }),
            watcher: Watcher { found: &found },
        })
    });
    (found.into_inner().unwrap(), outcome.unwrap())
}

fn brute_force(program: &Program) -> BTreeSet<(Vec<(usize, u64)>, u64)> {
    let inputs = (0..256).flat_map(|x| (0..256).map(move |y| (x, y)));
    inputs.map(|(x, y)| program.run(x, y)).collect()
}

/// That exactly the paths of the program were found, each once, by an input that takes it; and that those which are
/// said to run new code run all there is.
fn check(program: &Program, found: &Found, what: &str) {
    let mut seen = BTreeSet::new();
    for (points, status, x, y) in &found.ends {
        assert_eq!(&program.run(*x, *y), &(points.clone(), *status), "{what}");
        assert!(seen.insert((points.clone(), *status)), "twice: {what}");
    }
    assert_eq!(seen, brute_force(program), "{what}");
    assert!(found.left.is_empty() && found.unfinished == 0, "{what}");
    let points = seen.iter().flat_map(|(points, _)| points);
    let all: BTreeSet<usize> = points.map(|&(at, _)| at).collect();
    assert_eq!(found.new, all, "{what}");
}

#[test]
fn every_way_to_explore_finds_every_path_once() {
    for seed in 0..20 {
        let program = Program::random(seed);
        for (index, &(name, search)) in SEARCHES.iter().enumerate() {
            for mode in [Mode::Fork, Mode::Concolic] {
                let preset = PRESETS[(seed as usize + index) % PRESETS.len()];
                let options = Options {
                    mode,
                    search,
                    seed,
                    ..Options::default()
                };
                let (found, outcome) = explore(&program, 1, preset, options);
                let what = format!("program {seed}, {mode:?}, {name}, {preset}");
                check(&program, &found, &what);
                assert_eq!(outcome.reason, StopReason::Done);
            }
        }
    }
}

#[test]
fn several_workers_find_the_same() {
    for seed in 0..60 {
        let program = Program::random(seed);
        let mode = [Mode::Fork, Mode::Concolic][seed as usize % 2];
        let options = Options {
            mode,
            search: SEARCHES[seed as usize % SEARCHES.len()].1,
            ..Options::default()
        };
        let (found, outcome) = explore(&program, 3, "full", options);
        check(&program, &found, &format!("program {seed}, {mode:?}"));
        assert_eq!(outcome.stats.paths as usize, found.ends.len());
    }
}

#[test]
fn the_same_seed_goes_the_same_way() {
    for seed in 0..10 {
        let program = Program::random(seed);
        for mode in [Mode::Fork, Mode::Concolic] {
            let options = Options {
                mode,
                seed,
                ..Options::default()
            };
            let (first, _) = explore(&program, 1, "full", options.clone());
            let (second, _) = explore(&program, 1, "full", options);
            assert_eq!(first.ends, second.ends);
        }
    }
}

#[test]
fn what_a_limit_cuts_off_is_left_open() {
    for seed in 0..40 {
        let program = Program::random(seed);
        let all = brute_force(&program).len();
        for mode in [Mode::Fork, Mode::Concolic] {
            let with = |limits: Limits| {
                let options = Options {
                    mode,
                    search: Search::Bfs,
                    limits,
                    ..Options::default()
                };
                explore(&program, 1, "full", options)
            };
            let (found, outcome) = with(Limits {
                paths: 3,
                ..Limits::default()
            });
            assert_eq!(found.ends.len(), all.min(3));
            if all > 3 {
                assert_eq!(outcome.reason, StopReason::Paths);
                assert!(!found.left.is_empty());
            }
            let (found, _) = with(Limits {
                depth: 2,
                ..Limits::default()
            });
            assert!(found.ends.len() + found.unfinished <= 16);
            assert!(all <= 16 || found.unfinished > 0);
            let (found, outcome) = with(Limits {
                forks: 0,
                ..Limits::default()
            });
            assert_eq!(found.ends.len(), 1);
            assert_eq!(outcome.stats.forks, 0);
            assert!(all == 1 || !found.left.is_empty());
            let (found, _) = with(Limits {
                instructions: 1,
                ..Limits::default()
            });
            assert!(found.ends.is_empty() || all == 1);
        }
    }
}

/// More than there may be, but for every so many-th time it is asked: what was let go has helped then.
fn scarce<const EVERY: u64>() -> u64 {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    match ASKED.fetch_add(1, Ordering::Relaxed) % EVERY {
        0 => 0,
        _ => u64::MAX,
    }
}

#[test]
fn with_little_memory_everything_is_found_all_the_same() {
    let (mut aside, mut anew) = (0, 0);
    for seed in 0..30 {
        let program = Program::random(seed);
        let measures: [fn() -> u64; 2] = [scarce::<2>, scarce::<3>];
        for (mode, measure) in [Mode::Fork, Mode::Concolic].into_iter().zip(measures) {
            let options = Options {
                mode,
                search: SEARCHES[seed as usize % SEARCHES.len()].1,
                limits: Limits {
                    memory: Some(1 << 40),
                    measure,
                    ..Limits::default()
                },
                ..Options::default()
            };
            let (found, outcome) = explore(&program, 1, "full", options);
            let is_short = outcome.stats.dropped > 0 || found.unfinished > 0;
            if !is_short {
                check(&program, &found, &format!("program {seed}, {mode:?}"));
            }
            assert_eq!(outcome.stats.dropped, found.left.len() as u64);
            aside += outcome.stats.executed_again;
            anew += outcome.stats.starts_anew;
        }
    }
    assert!(aside > 0 && anew > 0, "{aside} {anew}");
}

#[test]
fn a_first_input_is_followed_first() {
    let program = Program(vec![
        Instruction::Less([1, 0, 100], 2, 1),
        Instruction::Less([1, 0, 200], 2, 2),
        Instruction::End,
    ]);
    let options = Options {
        mode: Mode::Concolic,
        first_input: vec![("x".into(), vec![250])],
        ..Options::default()
    };
    let (found, _) = explore(&program, 1, "full", options);
    assert_eq!(found.ends[0].0, [(0, 1), (1, 1)]);
    assert_eq!(found.ends[0].2, 250);
}

#[test]
fn at_a_branch_at_most_one_question_is_asked() {
    for seed in 0..20 {
        let program = Program::random(seed);
        let binary = |instruction: &Instruction| !matches!(instruction, Instruction::Switch(_));
        if !program.0.iter().all(binary) {
            continue;
        }
        let (found, outcome) = explore(&program, 1, "full", Options::default());
        assert!(found.asked as u64 <= outcome.stats.branches);
        let (found, outcome) = explore(&program, 1, "baseline", Options::default());
        assert_eq!(found.asked as u64, 2 * outcome.stats.branches);
    }
}
