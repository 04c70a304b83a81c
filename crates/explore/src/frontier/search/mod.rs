//! Searchers: what is explored next. All of them are seeded and go by nothing but what they are told, so that a run
//! can be repeated.

mod directed;
mod order;
mod weighted;

use fastrand::Rng;

use super::tree::Tree;
use refrain_machine::Goal;

use directed::Directed;
use order::{Queue, RandomState, Stack};
use weighted::Weighted;

/// Names something that is pending.
pub type Id = u32;

/// What searchers can look at.
pub trait View {
    fn tree(&self) -> &Tree;
    /// How far something pending is from a goal.
    fn distance(&mut self, id: Id, goal: Goal) -> Option<u32>;
    /// Grows whenever code runs for the first time.
    fn covered(&self) -> u64;
}

/// Chooses among what is pending.
pub trait Searcher {
    fn add(&mut self, id: Id, view: &mut dyn View);

    /// It is not pending any more.
    fn remove(&mut self, id: Id);

    /// One of those pending; there is one. It stays until it is removed.
    fn pick(&mut self, view: &mut dyn View) -> Id;

    /// Which of so many choices to go on with at once; none to pick again.
    fn go_on(&mut self, choices: usize) -> Option<usize>;

    /// About how many instructions a path may go on before something else is picked.
    fn slice(&self) -> u64 {
        20_000
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Dfs,
    Bfs,
    RandomState,
    RandomPath,
    CoverNew,
    Interleaved,
    Directed,
}

pub const SEARCHES: &[(&str, Search)] = &[
    ("dfs", Search::Dfs),
    ("bfs", Search::Bfs),
    ("random-state", Search::RandomState),
    ("random-path", Search::RandomPath),
    ("cover-new", Search::CoverNew),
    ("interleaved", Search::Interleaved),
    ("directed", Search::Directed),
];

impl Search {
    pub fn named(name: &str) -> Option<Search> {
        let found = SEARCHES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, search)| search)
    }

    pub fn name(self) -> &'static str {
        let found = SEARCHES.iter().find(|&&(_, known)| known == self);
        found.map_or("", |&(name, _)| name)
    }

    pub fn searcher(self, seed: u64) -> Box<dyn Searcher> {
        match self {
            Search::Dfs => Box::new(Stack::default()),
            Search::Bfs => Box::new(Queue::default()),
            Search::RandomState => Box::new(RandomState::new(seed)),
            Search::RandomPath => Box::new(RandomPath::new(seed)),
            Search::CoverNew => Box::new(Weighted::new(seed)),
            Search::Interleaved => Box::new(Interleaved {
                paths: RandomPath::new(seed),
                covering: Weighted::new(seed ^ 1),
                turn: 0,
            }),
            Search::Directed => Box::new(Directed::default()),
        }
    }
}

/// Goes down the tree from its root, taking each choice that is left with equal chances: what is near the root, and
/// few others with it, comes first.
struct RandomPath {
    random: Rng,
}

impl RandomPath {
    fn new(seed: u64) -> RandomPath {
        RandomPath {
            random: Rng::with_seed(seed),
        }
    }
}

impl Searcher for RandomPath {
    fn add(&mut self, _id: Id, _view: &mut dyn View) {}

    fn remove(&mut self, _id: Id) {}

    fn pick(&mut self, view: &mut dyn View) -> Id {
        let found = view.tree().random(&mut self.random);
        found.expect("everything that is pending is in the tree")
    }

    fn go_on(&mut self, choices: usize) -> Option<usize> {
        Some(self.random.usize(..choices))
    }
}

/// The two in turn.
struct Interleaved {
    paths: RandomPath,
    covering: Weighted,
    turn: u64,
}

impl Searcher for Interleaved {
    fn add(&mut self, id: Id, view: &mut dyn View) {
        self.covering.add(id, view);
    }

    fn remove(&mut self, id: Id) {
        self.covering.remove(id);
    }

    fn pick(&mut self, view: &mut dyn View) -> Id {
        self.turn += 1;
        match self.turn % 2 {
            0 => self.covering.pick(view),
            _ => self.paths.pick(view),
        }
    }

    fn go_on(&mut self, choices: usize) -> Option<usize> {
        self.paths.go_on(choices)
    }
}
