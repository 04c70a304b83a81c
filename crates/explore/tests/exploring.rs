//! Exploring small random programs of a toy machine, against brute force: every way to explore finds every path once
//! and no other.

#[path = "exploring/certify.rs"]
mod certify;
#[path = "exploring/memo.rs"]
mod memo;
#[path = "../../memo/tests/support/mod.rs"]
mod model;
#[path = "exploring/multiplex.rs"]
mod multiplex;
#[path = "support/tree.rs"]
mod tree;
#[path = "exploring/unroll.rs"]
mod unroll;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use refrain_explore::listener::{Asked, Decided, Feasibility};
use refrain_explore::search::SEARCHES;
use refrain_explore::workers::{self, Kit, Outcome, Parts};
use refrain_explore::{
    Limits, Listener, Mode, Options, Path, PlaceId, RecordedValues, Search, StopReason, Trail,
};
use refrain_machine::{
    Answer, Ask, Cause, CodePiece, CodePoint, CodeUnit, End, ExitStatus, Goal, InputId, InputTable,
    InputValue, Machine, Point, Role, Stop,
};
use refrain_reuse::{Chain, Count, Layers, PRESETS};
use refrain_solver::{Solver, select};
use refrain_term::{Evaluator, Term, Terms};
use refrain_testing::Random;

/// What a toy program does at one of its points.
#[derive(Clone, Debug)]
enum Instruction {
    /// Goes on at one of two points: a·x + b·y < c, on bytes.
    Less([u64; 3], usize, usize),
    /// Goes on at one of two points: the register is below x mod 8. The first is the way around a loop.
    Below(usize, usize),
    /// Goes on at one of several points, by x mod 4.
    Switch([usize; 4]),
    /// Has to know y mod 4, and leaves it in the register.
    Fix,
    /// The same, by representative values; there are no more than that many.
    Sample,
    /// Goes on if a·x + b·y < c, on bytes.
    Assume([u64; 3]),
    /// Leaves a value that x may have in the register, if that matters to nobody.
    Witness,
    /// Adds to the register, and goes on.
    Add(u64),
    End,
}

#[derive(Clone)]
struct Program(Vec<Instruction>);

impl Program {
    fn random(seed: u64) -> Program {
        let mut random = Random::new(seed);
        let mut below = |end: u64| random.below(end);
        let count = 14;
        let mut instructions = Vec::new();
        for at in 0..count {
            // Always forward: programs end.
            let mut later = || at + 1 + below((count - at) as u64) as usize;
            let (a, b) = (later(), later());
            let targets = [later(), later(), later(), later()];
            instructions.push(match below(10) {
                0..=3 => Instruction::Less([below(5), below(5), below(256)], a, b),
                4 => Instruction::Switch(targets),
                5 => Instruction::Fix,
                6 => Instruction::Witness,
                7 => Instruction::Sample,
                8 => Instruction::Assume([below(5), below(5), 64 + below(192)]),
                _ => Instruction::Add(below(9)),
            });
        }
        instructions.push(Instruction::End);
        Program(instructions)
    }

    /// Where an instruction leads to, by choice.
    fn next(&self, at: usize) -> Vec<usize> {
        match &self.0[at] {
            Instruction::Less(_, then, other) => vec![*then, *other],
            Instruction::Below(around, out) => vec![*around, *out],
            Instruction::Switch(targets) => targets.to_vec(),
            Instruction::End => Vec::new(),
            _ => vec![at + 1],
        }
    }

    /// What inputs do: the decisions they take, with where they take them, and the status they end with. Nothing if
    /// an assumption excludes them.
    fn run(&self, x: u64, y: u64) -> Option<(Vec<(usize, u64)>, u64)> {
        let (mut at, mut register, mut points) = (0, 0u64, Vec::new());
        loop {
            let (way, next) = match &self.0[at] {
                Instruction::Less([a, b, c], then, other) => {
                    let sum = (a * x + b * y) % 256;
                    if sum < *c { (0, *then) } else { (1, *other) }
                }
                Instruction::Below(around, out) => {
                    if register < x % 8 {
                        (0, *around)
                    } else {
                        (1, *out)
                    }
                }
                Instruction::Switch(targets) => (x % 4, targets[(x % 4) as usize]),
                Instruction::Fix | Instruction::Sample => {
                    register += y % 4;
                    (y % 4, at + 1)
                }
                Instruction::Assume([a, b, c]) => {
                    if (a * x + b * y) % 256 >= *c {
                        return None;
                    }
                    (0, at + 1)
                }
                Instruction::Witness => (0, at + 1),
                Instruction::Add(value) => {
                    register += value;
                    (0, at + 1)
                }
                Instruction::End => return Some((points, register)),
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
    /// How often it went around a loop.
    around: u32,
}

struct Toy<'a> {
    program: &'a Program,
    traces: bool,
    /// What was executed since it was taken. Every instruction is a block.
    ran: Vec<CodePiece>,
    is_taken: bool,
    inputs: InputTable,
    /// Points that were never run before, and how many of them nobody was told of.
    covered: BTreeSet<usize>,
    newly_covered: u64,
}

impl<'a> Toy<'a> {
    fn new(program: &'a Program) -> Toy<'a> {
        Toy {
            program,
            traces: true,
            ran: Vec::new(),
            is_taken: false,
            inputs: InputTable::new(),
            covered: BTreeSet::new(),
            newly_covered: 0,
        }
    }

    fn ids(&mut self, terms: &mut Terms) -> [InputId; 2] {
        ["x", "y"].map(|name| self.inputs.declare(terms, name, Role::Object, 8, 1))
    }

    fn terms(&mut self, terms: &mut Terms) -> (Term, Term) {
        let [x, y] = self.ids(terms).map(|id| self.inputs.elements(id)[0]);
        (x, y)
    }

    fn less(terms: &mut Terms, factors: [u64; 3], x: Term, y: Term) -> Term {
        let [a, b, c] = factors.map(|value| terms.bv(8, value));
        let (ax, by) = (terms.bv_mul(a, x), terms.bv_mul(b, y));
        let sum = terms.bv_add(ax, by);
        terms.bv_ult(sum, c)
    }

    fn low_bits(terms: &mut Terms, term: Term) -> Term {
        let mask = terms.bv(8, 3);
        terms.bv_and(term, mask)
    }
}

impl Machine for Toy<'_> {
    type State = State;

    fn begin(&mut self, _terms: &mut Terms) -> State {
        self.inputs = InputTable::new();
        State {
            at: 0,
            register: 0,
            points: Vec::new(),
            answer: None,
            steps: 0,
            around: 0,
        }
    }

    fn inputs(&self) -> &InputTable {
        &self.inputs
    }

    fn inputs_mut(&mut self) -> &mut InputTable {
        &mut self.inputs
    }

    fn inputs_of(&self, _state: &State) -> Vec<(InputId, u32)> {
        Vec::new()
    }

    fn run(&mut self, terms: &mut Terms, state: &mut State, fuel: u64) -> Stop {
        let (x, y) = self.terms(terms);
        let limit = state.steps.saturating_add(fuel);
        if std::mem::take(&mut self.is_taken) {
            self.ran.clear();
        }
        loop {
            if state.steps >= limit {
                return Stop::OutOfFuel;
            }
            let block = block(state.at);
            if self.traces && !self.ran.contains(&block) {
                self.ran.push(block);
            }
            self.newly_covered += u64::from(self.covered.insert(state.at));
            let answer = state.answer.take();
            let (way, next) = match (&self.program.0[state.at], answer) {
                (Instruction::End, _) => {
                    return Stop::End(End::Exit(ExitStatus::Known(state.register as i32)));
                }
                (Instruction::Assume(factors), None) => {
                    return Stop::Ask(Ask::Assume(Toy::less(terms, *factors, x, y)));
                }
                (Instruction::Assume(_), Some(0)) => (0, state.at + 1),
                (Instruction::Assume(_), Some(_)) => return Stop::End(End::Silent),
                (Instruction::Sample, None) => {
                    return Stop::Ask(Ask::Sample(Toy::low_bits(terms, y)));
                }
                (Instruction::Less(factors, ..), None) => {
                    let less = Toy::less(terms, *factors, x, y);
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
                (Instruction::Below(..), None) => {
                    let (mask, register) = (terms.bv(8, 7), terms.bv(8, state.register));
                    let low = terms.bv_and(x, mask);
                    let below = terms.bv_ult(register, low);
                    let not = terms.not(below);
                    return Stop::Ask(Ask::Choose(vec![below, not]));
                }
                (Instruction::Below(around, out), Some(way)) => {
                    (way, [*around, *out][way as usize])
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
                (Instruction::Fix | Instruction::Sample, Some(value)) => {
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

    fn answer(&mut self, state: &mut State, answer: &Answer) {
        state.answer = answer.word();
        let is_loop = matches!(self.program.0[state.at], Instruction::Below(..));
        state.around += u32::from(is_loop && state.answer == Some(0));
    }

    fn unrolled(&self, state: &State) -> u32 {
        state.around
    }

    fn fork(&mut self, state: &mut State) -> State {
        state.clone()
    }

    fn point(&self, state: &State) -> Point {
        Point {
            function: 0,
            block: 0,
            instruction: state.at as u32,
        }
    }

    fn stack(&self, state: &State, choice: Option<u32>) -> Vec<Point> {
        let next = choice.map(|choice| self.program.next(state.at)[choice as usize]);
        vec![Point {
            instruction: next.unwrap_or(state.at) as u32,
            ..self.point(state)
        }]
    }

    fn find_point(&self, symbol: &str, block: u32, instruction: u32) -> Option<Point> {
        (symbol == "toy").then_some(Point {
            function: 0,
            block,
            instruction,
        })
    }

    fn distance_of(&mut self, stack: &[Point], choice: Option<u32>, goal: Goal) -> Option<u32> {
        assert_eq!(goal, Goal::Uncovered);
        let at = stack[0].instruction as usize;
        let mut reached = vec![choice.map_or(at, |choice| self.program.next(at)[choice as usize])];
        let is_new = |at: &usize| !self.covered.contains(at);
        for distance in 0..self.program.0.len() as u32 {
            if reached.iter().any(is_new) {
                return Some(distance);
            }
            let next = reached.iter().flat_map(|&at| self.program.next(at));
            reached = next.collect::<BTreeSet<usize>>().into_iter().collect();
        }
        None
    }

    fn cover_code(&mut self, unit: &CodeUnit) {
        if self.code_hash(&unit.symbol, unit.block) == Some(unit.hash) {
            self.covered.insert(unit.block as usize);
        }
    }

    fn describe(&self, point: Point) -> CodePoint {
        CodePoint {
            symbol: "toy".into(),
            instruction: point.instruction,
            ..CodePoint::default()
        }
    }

    fn instructions(&self, state: &State) -> u64 {
        state.steps
    }

    fn trace_code(&mut self, on: bool) {
        self.traces = on;
    }

    fn take_ran(&mut self) -> &[CodePiece] {
        match std::mem::replace(&mut self.is_taken, true) {
            true => &[],
            false => &self.ran,
        }
    }

    fn code(&self, piece: CodePiece) -> CodeUnit {
        let symbol = "toy".to_string();
        let hash = self.code_hash(&symbol, piece.block);
        CodeUnit {
            symbol,
            block: piece.block,
            hash: hash.unwrap_or(0),
            part: piece.part,
        }
    }

    fn code_hash(&self, symbol: &str, block: u32) -> Option<u64> {
        let instruction = self.program.0.get(block as usize)?;
        let mut hasher = DefaultHasher::new();
        format!("{symbol} {instruction:?}").hash(&mut hasher);
        Some(hasher.finish())
    }

    fn newly_covered(&mut self) -> u64 {
        std::mem::take(&mut self.newly_covered)
    }
}

/// The block of the instruction at a point.
fn block(at: usize) -> CodePiece {
    CodePiece::block(0, at as u32)
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
    silent: usize,
    left: Vec<(Vec<u64>, Cause)>,
    asked: usize,
    /// Questions, and how many decisions of each are final.
    places: BTreeMap<PlaceId, (usize, usize)>,
    /// The decisions that led to each question that was told.
    told: BTreeSet<Vec<(usize, u64)>>,
}

impl Found {
    /// That what ran is told, and no more: what lies between the last question that was told and where the state is.
    fn check_ran(&self, state: &State, ran: &[CodePiece]) {
        let points = &state.points[..];
        let mut prefixes = (0..=points.len()).rev();
        let last = prefixes.find(|&len| self.told.contains(&points[..len]));
        let since = points[last.unwrap_or(0)..].iter().map(|&(at, _)| at);
        let expected: BTreeSet<CodePiece> = since.chain([state.at]).map(block).collect();
        let ran: BTreeSet<CodePiece> = ran.iter().copied().collect();
        assert_eq!(ran, expected, "from {last:?} of {points:?} to {}", state.at);
    }
}

struct Watcher<'a> {
    found: &'a Mutex<Found>,
}

impl<'p> Listener<Toy<'p>> for Watcher<'_> {
    fn asked(&mut self, asked: &Asked<'_, Toy<'p>>) {
        assert!(asked.decisions > 0);
        let mut found = self.found.lock().unwrap();
        found.check_ran(asked.state, asked.ran);
        found.told.insert(asked.state.points.clone());
        let before = found.places.insert(asked.place, (asked.decisions, 0));
        assert!(before.is_none(), "a question is told once");
    }

    fn decided(&mut self, decided: &Decided<'_, Toy<'p>>) {
        let mut found = self.found.lock().unwrap();
        let by_solver = [Feasibility::Feasible, Feasibility::Infeasible];
        found.asked += usize::from(by_solver.contains(decided.feasibility));
        let (decisions, count) = found
            .places
            .get_mut(&decided.place)
            .expect("told of before it is decided");
        if *decided.feasibility != Feasibility::Deferred {
            *count += 1;
        }
        assert!(count <= decisions, "each decision is final once");
    }

    fn end(&mut self, path: Path<'_, Toy<'p>>, end: &End) -> ControlFlow<(), Option<u32>> {
        let mut found = self.found.lock().unwrap();
        found.check_ran(path.state, path.ran);
        let status = match end {
            End::Exit(ExitStatus::Known(status)) => *status,
            // An assumption that holds for no input.
            End::Silent => {
                found.silent += 1;
                if path.is_new {
                    found
                        .new
                        .extend(path.state.points.iter().map(|&(at, _)| at));
                }
                return ControlFlow::Continue(None);
            }
            end => panic!("no other end: {end:?}"),
        };
        let (x, y) = path.machine.terms(path.terms);
        let mut evaluator = Evaluator::new();
        for condition in path.trail.path_condition() {
            assert!(evaluator.bool(path.terms, path.input, condition));
        }
        let mut value = |term| evaluator.small(path.terms, path.input, term);
        let (x, y) = (value(x), value(y));
        let points = path.state.points.clone();
        if path.is_new {
            found.new.extend(points.iter().map(|&(at, _)| at));
        }
        found.ends.push((points, status as u64, x, y));
        ControlFlow::Continue(None)
    }

    fn boundary(
        &mut self,
        trail: &Trail,
        cause: &Cause,
        path: Option<Path<'_, Toy<'p>>>,
    ) -> ControlFlow<(), Option<u32>> {
        let mut found = self.found.lock().unwrap();
        if path.is_some() {
            found.unfinished += 1;
            return ControlFlow::Continue(None);
        }
        let decisions = trail.decisions().into_iter();
        let words = decisions.filter_map(|decision| decision.answer()?.word());
        found.left.push((words.collect(), cause.clone()));
        ControlFlow::Continue(None)
    }
}

struct Worker<'a, L> {
    toy: Toy<'a>,
    make: Box<dyn Fn() -> Box<dyn Solver> + 'a>,
    listener: L,
}

impl<'a, L: Listener<Toy<'a>>> Kit for Worker<'a, L> {
    type Machine = Toy<'a>;
    type Listener = L;

    fn parts(&mut self) -> Parts<'_, Toy<'a>, L> {
        Parts {
            machine: &mut self.toy,
            make_solver: &*self.make,
            listener: &mut self.listener,
        }
    }
}

fn explore(program: &Program, jobs: usize, preset: &str, options: Options) -> (Found, Outcome) {
    let found = Mutex::new(Found::default());
    let outcome = explore_for(program, jobs, preset, options, || Watcher { found: &found });
    (found.into_inner().unwrap(), outcome)
}

fn explore_for<'a, L: Listener<Toy<'a>>>(
    program: &'a Program,
    jobs: usize,
    preset: &str,
    mut options: Options,
    listener: impl Fn() -> L + Sync,
) -> Outcome {
    let layers = Layers::preset(preset).unwrap();
    options.trust_model = layers.model;
    options.partial_solutions = layers.partial_solutions.map(Count::most);
    let outcome = workers::explore(jobs, &options, |_| {
        let layers = layers.clone();
        Ok(Worker {
            toy: Toy::new(program),
            make: Box::new(move || {
                let solver = select::from_spec("native", &select::Options::default()).unwrap();
                let checker = select::from_spec("native", &select::Options::default()).unwrap();
                Chain::before(solver, layers.clone(), None, Some(checker))
            }),
            listener: listener(),
        })
    });
    outcome.unwrap()
}

fn brute_force(program: &Program) -> BTreeSet<(Vec<(usize, u64)>, u64)> {
    let inputs = (0..256).flat_map(|x| (0..256).map(move |y| (x, y)));
    inputs.filter_map(|(x, y)| program.run(x, y)).collect()
}

/// That exactly the paths of the program were found, each once, by an input that takes it; and that those which are
/// said to run new code run all there is.
fn check(program: &Program, found: &Found, what: &str) {
    let mut seen = BTreeSet::new();
    for (points, status, x, y) in &found.ends {
        assert_eq!(
            program.run(*x, *y),
            Some((points.clone(), *status)),
            "{what}"
        );
        assert!(seen.insert((points.clone(), *status)), "twice: {what}");
    }
    assert_eq!(seen, brute_force(program), "{what}");
    assert!(found.left.is_empty() && found.unfinished == 0, "{what}");
    let points = seen.iter().flat_map(|(points, _)| points);
    let all: BTreeSet<usize> = points.map(|&(at, _)| at).collect();
    assert!(found.new.is_superset(&all), "{what}");
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
        assert_eq!(
            outcome.stats.paths as usize,
            found.ends.len() + found.silent
        );
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
            assert!(found.ends.len() + found.silent == 3 || found.ends.len() == all);
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
            assert_eq!(found.ends.len() + found.silent, 1);
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
            anew += outcome.stats.restarts;
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
        first_input: vec![InputValue::object("x", [250])],
        ..Options::default()
    };
    let (found, _) = explore(&program, 1, "full", options);
    assert_eq!(found.ends[0].0, [(0, 1), (1, 1)]);
    assert_eq!(found.ends[0].2, 250);
}

/// Whatever the mode and the search, and however many: each is executed to its end before anything else is.
#[test]
fn all_inputs_that_are_given_are_followed_first() {
    let question = |step: usize| Instruction::Less([1, 0, 5 * (step as u64 + 1)], 40, step + 1);
    let questions = (0..40).map(question);
    let program = Program(questions.chain([Instruction::End]).collect());
    let given: Vec<u8> = (0..28).map(|seed| seed * 7 + 3).collect();
    let inputs: Vec<Vec<InputValue>> = given
        .iter()
        .map(|&value| vec![InputValue::object("x", [value])])
        .collect();
    for mode in [Mode::Fork, Mode::Concolic] {
        for search in [Search::Dfs, Search::RandomState, Search::Interleaved] {
            let options = Options {
                mode,
                search,
                first_input: inputs[0].clone(),
                more_inputs: inputs[1..].to_vec(),
                ..Options::default()
            };
            let (found, _) = explore(&program, 1, "full", options);
            let first = found
                .ends
                .iter()
                .take(given.len())
                .map(|end| end.2 as u8 / 5);
            let first: BTreeSet<u8> = first.collect();
            let expected: BTreeSet<u8> = given.iter().map(|value| value / 5).collect();
            assert_eq!(first, expected, "{mode:?}, {search:?}");
            check(&program, &found, &format!("{mode:?}, {search:?}"));
        }
    }
}

#[test]
fn few_values_of_many_have_their_paths_and_all_others_are_one_boundary() {
    struct Sizes {
        inputs: InputTable,
    }
    impl Machine for Sizes {
        type State = Option<u64>;

        fn begin(&mut self, _terms: &mut Terms) -> Option<u64> {
            self.inputs = InputTable::new();
            None
        }

        fn inputs(&self) -> &InputTable {
            &self.inputs
        }

        fn inputs_mut(&mut self) -> &mut InputTable {
            &mut self.inputs
        }

        fn inputs_of(&self, _state: &Option<u64>) -> Vec<(InputId, u32)> {
            Vec::new()
        }

        fn run(&mut self, terms: &mut Terms, state: &mut Option<u64>, _fuel: u64) -> Stop {
            let id = self.inputs.declare(terms, "n", Role::Object, 64, 1);
            let n = self.inputs.elements(id)[0];
            // 1000 ≤ 7·(n mod 2^32) < 2^20, in steps of 7.
            match *state {
                Some(status) => Stop::End(End::Exit(ExitStatus::Known(status as i32))),
                None => {
                    let low = terms.extract(n, 31, 0);
                    let low = terms.zero_extend(low, 32);
                    let (seven, least, end) =
                        (terms.bv(64, 7), terms.bv(64, 1000), terms.bv(64, 1 << 20));
                    let size = terms.bv_mul(low, seven);
                    let (from, to) = (terms.bv_ule(least, size), terms.bv_ult(size, end));
                    let within = terms.and2(from, to);
                    let other = terms.bv(64, 5);
                    let size = terms.ite(within, size, other);
                    Stop::Ask(Ask::Sample(size))
                }
            }
        }

        fn answer(&mut self, state: &mut Option<u64>, answer: &Answer) {
            *state = answer.word();
        }

        fn fork(&mut self, state: &mut Option<u64>) -> Option<u64> {
            *state
        }

        fn point(&self, _state: &Option<u64>) -> Point {
            Point::default()
        }

        fn describe(&self, _point: Point) -> CodePoint {
            CodePoint::default()
        }

        fn instructions(&self, _state: &Option<u64>) -> u64 {
            0
        }
    }

    struct Ends(Vec<i32>, Vec<Cause>);

    impl Listener<Sizes> for Ends {
        fn end(&mut self, _path: Path<'_, Sizes>, end: &End) -> ControlFlow<(), Option<u32>> {
            if let End::Exit(ExitStatus::Known(status)) = end {
                self.0.push(*status);
            }
            ControlFlow::Continue(None)
        }

        fn boundary(
            &mut self,
            _trail: &Trail,
            cause: &Cause,
            _path: Option<Path<'_, Sizes>>,
        ) -> ControlFlow<(), Option<u32>> {
            self.1.push(cause.clone());
            ControlFlow::Continue(None)
        }
    }

    struct Kit<'a>(Sizes, &'a mut Ends);

    impl<'a> workers::Kit for Kit<'a> {
        type Machine = Sizes;
        type Listener = Ends;

        fn parts(&mut self) -> Parts<'_, Sizes, Ends> {
            Parts {
                machine: &mut self.0,
                make_solver: &|| select::from_spec("native", &select::Options::default()).unwrap(),
                listener: self.1,
            }
        }
    }

    for mode in [Mode::Fork, Mode::Concolic] {
        let options = Options {
            mode,
            search: Search::Dfs,
            ..Options::default()
        };
        let mut ends = Ends(Vec::new(), Vec::new());
        let inputs = InputTable::new();
        workers::explore_alone(&options, Kit(Sizes { inputs }, &mut ends)).unwrap();
        let Ends(mut sizes, causes) = ends;
        sizes.sort_unstable();
        // The one at hand, which is also the least of all, the next one, a larger one, the greatest.
        assert_eq!(sizes.len(), 4, "{sizes:?}");
        assert_eq!((sizes[0], sizes[1]), (5, 1001));
        assert!(
            sizes[2] % 7 == 0 && sizes[3] == (1 << 20) / 7 * 7,
            "{sizes:?}"
        );
        assert_eq!(causes, [Cause::OtherValues]);
    }
}

#[test]
fn at_a_branch_at_most_one_question_is_asked() {
    for seed in 0..20 {
        let program = Program::random(seed);
        // Of several choices one is asked about after the other, and an assumption is no branch.
        let binary = |instruction: &Instruction| {
            !matches!(instruction, Instruction::Switch(_) | Instruction::Assume(_))
        };
        if !program.0.iter().all(binary) {
            continue;
        }
        let (found, outcome) = explore(&program, 1, "full", Options::default());
        assert!(found.asked as u64 <= outcome.stats.branches);
        let (found, outcome) = explore(&program, 1, "baseline", Options::default());
        assert_eq!(found.asked as u64, 2 * outcome.stats.branches);
    }
}

/// The tree that the events of a run say there is.
fn tree_of(program: &Program, jobs: usize, preset: &str, options: Options) -> tree::Tree {
    let tree = Mutex::new(tree::Tree::default());
    explore_for(program, jobs, preset, options, || tree::Builder {
        tree: &tree,
    });
    let tree = tree.into_inner().unwrap();
    tree.check();
    tree
}

#[test]
fn events_say_the_whole_tree_and_following_it_gives_the_same() {
    for seed in 0..20 {
        let program = Program::random(seed);
        for mode in [Mode::Fork, Mode::Concolic] {
            let first = PRESETS[seed as usize % PRESETS.len()];
            let options = Options {
                mode,
                seed,
                ..Options::default()
            };
            let tree = tree_of(&program, 1, first, options.clone());
            let is_seen =
                |leaf: &&tree::Leaf| !matches!(leaf, tree::Leaf::End(end) if end == "Silent");
            let ends = tree.leaves.values().filter(is_seen).count();
            assert_eq!(ends, brute_force(&program).len());
            let values: Arc<dyn RecordedValues> = Arc::new(tree.values());
            for &preset in PRESETS {
                let options = Options {
                    recorded: Some(values.clone()),
                    search: SEARCHES[seed as usize % SEARCHES.len()].1,
                    ..options.clone()
                };
                let jobs = 1 + (seed as usize + preset.len()) % 2;
                let again = tree_of(&program, jobs, preset, options);
                assert_eq!(again, tree, "program {seed}, {mode:?}, {first}, {preset}");
            }
        }
    }
}
