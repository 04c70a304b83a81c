//! The tree of all paths, rebuilt from what a listener is told and from nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};

use refrain_explore::listener::{Asked, Decided, Feasibility, Implied};
use refrain_explore::{Decision, Listener, Path, PlaceId, RecordedValues, Trail};
use refrain_machine::{Cause, End, Machine, Point};
use refrain_term::Value;

/// What is known of a decision at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    Feasible,
    Infeasible,
    /// Unknown, deferred or not asked about.
    Open,
}

/// A question with its decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub point: Point,
    pub decisions: Vec<(Decision, Known)>,
}

/// Where paths end, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    End(String),
    Boundary(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub questions: BTreeMap<PlaceId, Question>,
    pub leaves: BTreeMap<PlaceId, Leaf>,
    /// By the place they lead to: the decisions of trails whose ends were told.
    trails: BTreeMap<PlaceId, Vec<Decision>>,
}

impl Tree {
    /// That everything told of hangs together: from the root, by decisions that are feasible, one comes to every
    /// question and every leaf, and to nothing else.
    pub fn check(&self) {
        let mut reached = BTreeSet::new();
        let mut left = vec![(PlaceId::ROOT, Vec::new())];
        while let Some((place, trail)) = left.pop() {
            assert!(reached.insert(place), "a place is reached once");
            if let Some(told) = self.trails.get(&place) {
                assert_eq!(&flat(told), &trail, "a trail is the way in the tree");
            }
            match (self.questions.get(&place), self.leaves.get(&place)) {
                (Some(question), None) => {
                    for (decision, known) in &question.decisions {
                        if *known == Known::Infeasible {
                            continue;
                        }
                        let mut trail = trail.clone();
                        trail.extend(flat(std::slice::from_ref(decision)));
                        left.push((decision.place(place), trail));
                    }
                }
                (None, Some(_)) => {}
                (Some(_), Some(Leaf::Boundary(_))) => {
                    // The question was asked, and the path was cut before it was answered.
                }
                (question, leaf) => panic!("{place}: {question:?} {leaf:?}"),
            }
        }
        for place in self.questions.keys().chain(self.leaves.keys()) {
            assert!(reached.contains(place), "{place} is not reached");
        }
    }

    /// The values that were chosen.
    pub fn values(&self) -> Values {
        let values = self.questions.iter().filter_map(|(place, question)| {
            let (decision, _) = question.decisions.first()?;
            Some((*place, decision.value()?.clone()))
        });
        Values(values.collect())
    }
}

/// Decisions one by one.
fn flat(decisions: &[Decision]) -> Vec<Decision> {
    let mut all = Vec::new();
    for decision in decisions {
        match decision {
            Decision::Implied(choices) => {
                all.extend(
                    choices
                        .iter()
                        .map(|&choice| Decision::Implied([choice].into())),
                );
            }
            decision => all.push(decision.clone()),
        }
    }
    all
}

/// Values that an earlier run chose, by place.
pub struct Values(BTreeMap<PlaceId, Value>);

impl RecordedValues for Values {
    fn value(&self, place: PlaceId) -> Option<Value> {
        self.0.get(&place).cloned()
    }
}

/// Builds the tree; several workers may share it.
pub struct Builder<'a> {
    pub tree: &'a Mutex<Tree>,
}

impl Builder<'_> {
    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap()
    }

    fn leaf(&self, trail: &Trail, leaf: Leaf) {
        let mut tree = self.tree();
        tree.trails.insert(trail.place(), trail.decisions());
        let before = tree.leaves.insert(trail.place(), leaf);
        assert!(before.is_none(), "a leaf is told once");
    }
}

impl<M: Machine> Listener<M> for Builder<'_> {
    fn asked(&mut self, asked: &Asked<'_, M>) {
        let question = Question {
            point: asked.point(),
            decisions: Vec::new(),
        };
        let before = self.tree().questions.insert(asked.place, question);
        assert!(before.is_none(), "a question is told once");
    }

    fn decided(&mut self, decided: &Decided<'_, M>) {
        let known = match decided.feasibility {
            Feasibility::Model
            | Feasibility::Feasible
            | Feasibility::PartialSolution
            | Feasibility::Remembered => {
                let input = decided.input.expect("an input takes what is feasible");
                input.values(decided.terms, decided.machine.inputs());
                Known::Feasible
            }
            Feasibility::Infeasible => Known::Infeasible,
            Feasibility::Finished => panic!("nothing is known from earlier runs"),
            Feasibility::Unknown(_) | Feasibility::Deferred | Feasibility::NotAsked(_) => {
                Known::Open
            }
        };
        let mut tree = self.tree();
        let question = tree
            .questions
            .get_mut(&decided.place)
            .expect("it is asked before it is decided");
        let decisions = &mut question.decisions;
        match decisions
            .iter_mut()
            .find(|(other, _)| other == decided.decision)
        {
            Some((_, before)) => {
                assert_eq!(*before, Known::Open, "only what is open is told again");
                *before = known;
            }
            None => decisions.push((decided.decision.clone(), known)),
        }
        // What the program assumes holds for no input: it goes on, and is told so.
        if *decided.decision == Decision::Assumed(true) && known == Known::Infeasible {
            decisions.push((Decision::Assumed(false), Known::Feasible));
        }
    }

    fn implied(&mut self, implied: &Implied<'_, M>) {
        let decision = Decision::Implied([implied.choice].into());
        let question = Question {
            point: implied.point(),
            decisions: vec![(decision, Known::Feasible)],
        };
        let before = self.tree().questions.insert(implied.place, question);
        assert!(before.is_none(), "a question is told once");
    }

    fn end(&mut self, path: Path<'_, M>, end: &End) -> ControlFlow<(), Option<u32>> {
        // Terms have other ids in other arenas.
        let end = match end {
            End::Exit(refrain_machine::ExitStatus::Symbolic(_)) => "exit".to_string(),
            end => format!("{end:?}"),
        };
        self.leaf(path.trail, Leaf::End(end));
        ControlFlow::Continue(None)
    }

    fn boundary(
        &mut self,
        trail: &Trail,
        cause: &Cause,
        _path: Option<Path<'_, M>>,
    ) -> ControlFlow<(), Option<u32>> {
        self.leaf(trail, Leaf::Boundary(cause.to_string()));
        ControlFlow::Continue(None)
    }
}
