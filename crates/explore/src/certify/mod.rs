//! Certification: whether a memo tree is that of a program, without a solver (Memoise, section IV-B4).
//!
//! The program is executed again along the whole tree. Every question and every end is compared with what the tree says
//! of it, and every input is evaluated on the condition of its path. In the end the tree is complete up to its
//! boundaries: each alternative of each question leads on, is a boundary with its cause, or is infeasible. That an
//! alternative is infeasible is the only thing that is believed, unless a solver is there to decide it again.
//!
//! This is a loop of its own over machine and tree: it shares with the explorer how things are written down, and
//! nothing of how they are found out. Numbers are machine words: over the integers, what a condition is depends on
//! those that came before it, on whatever path.

mod alternatives;
mod asked;
mod error;
mod path;

use std::collections::BTreeMap;

use refrain_machine::{Answer, Ask, Cause, End, Machine, Stop};
use refrain_memo::{Below, Boundary, Edge, Ending, Input, Leaf, NodeId, Tree, UnitId};
use refrain_term::{Term, Terms};

use crate::memo::code::KnownCode;
use crate::memo::encode::{ending, input_of, question_hash};
use crate::ran::Ran;
use crate::trail::Decision;
pub use alternatives::Recheck;
use asked::{Asked, implied_choice};
pub use error::{CertifyError, Difference, Site};
use path::Path;

/// Instructions between two looks at what has run.
const SLICE: u64 = 1_000_000;

pub struct CertifyOptions<'a> {
    /// No path was followed further than this many instructions.
    pub instructions: u64,
    /// Decides again what is said to be infeasible.
    pub recheck: Option<Recheck<'a>>,
}

impl Default for CertifyOptions<'_> {
    fn default() -> Self {
        CertifyOptions {
            instructions: u64::MAX,
            recheck: None,
        }
    }
}

/// What is true of the program, if what is trusted is.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    /// Questions, each with all its alternatives.
    pub nodes: u64,
    /// Paths that were executed to their ends.
    pub paths: u64,
    /// Inputs that were found to take their paths.
    pub inputs: u64,
    /// How much is not explored, by cause.
    pub boundaries: BTreeMap<String, u64>,
    /// Alternatives that are infeasible as they stand.
    pub evident: u64,
    /// Alternatives that are infeasible because a solver said so again.
    pub rechecked: u64,
    /// Of these, alternatives that conflict with their cores alone.
    pub by_core: u64,
    /// Alternatives that are said to be infeasible.
    pub trusted: Vec<Edge>,
}

/// Executes a program again along a tree. An error is the first difference between them.
pub fn certify<M: Machine>(
    machine: &mut M,
    tree: &Tree,
    options: CertifyOptions<'_>,
) -> Result<Certificate, CertifyError> {
    tree.check_seal()?;
    machine.trace_code(true);
    let mut terms = Terms::new();
    let root = Running {
        state: machine.begin(&mut terms),
        edge: Edge::ROOT,
        depth: 0,
        taken: None,
        implied: Vec::new(),
        ran: Ran::default(),
    };
    let mut certifier = Certifier {
        options,
        machine,
        tree,
        terms,
        code: KnownCode::default(),
        path: Path::default(),
        pending: Vec::new(),
        certificate: Certificate::default(),
    };
    certifier.begin(root)?;
    while let Some(mut running) = certifier.pending.pop() {
        let followed = certifier.follow(&mut running);
        followed.map_err(|difference| certifier.refused(&running.state, difference))?;
    }
    Ok(certifier.certificate)
}

/// A state that goes along an edge.
struct Running<S> {
    state: S,
    edge: Edge,
    /// How long the path is up to the question before the edge.
    depth: usize,
    /// The decision that the edge is, and what it adds to the path condition.
    taken: Option<(Decision, Term)>,
    /// Choices since then that the path condition left alone.
    implied: Vec<u32>,
    /// Code that ran since then.
    ran: Ran,
}

/// What the tree says of the way along an edge.
struct Way<'a> {
    implied: &'a [u32],
    ran: &'a [UnitId],
}

/// What running a state led to.
enum Moment {
    /// It can go on.
    Between,
    Asks(Ask),
    Ends(End),
}

struct Certifier<'a, 'r, M: Machine> {
    machine: &'a mut M,
    tree: &'a Tree,
    options: CertifyOptions<'r>,
    terms: Terms,
    code: KnownCode,
    path: Path,
    pending: Vec<Running<M::State>>,
    certificate: Certificate,
}

impl<M: Machine> Certifier<'_, '_, M> {
    fn refused(&self, state: &M::State, difference: Difference) -> CertifyError {
        let site = Site {
            decisions: self.path.decisions().to_vec(),
            point: self.machine.describe(self.machine.point(state)),
        };
        match difference {
            Difference::Summary => CertifyError::Summary(site),
            difference => CertifyError::Refused { difference, site },
        }
    }

    fn begin(&mut self, root: Running<M::State>) -> Result<(), CertifyError> {
        match self.leads_on(Edge::ROOT, Term::TRUE) {
            Ok(true) => self.pending.push(root),
            Ok(false) if matches!(self.tree.root(), Below::Infeasible { .. }) => {
                return Err(self.refused(&root.state, Difference::NoWay));
            }
            Ok(false) => {}
            Err(difference) => return Err(self.refused(&root.state, difference)),
        }
        Ok(())
    }

    /// Follows an edge to the question or the end that the tree has there.
    fn follow(&mut self, running: &mut Running<M::State>) -> Result<(), Difference> {
        self.machine.take_ran();
        self.path.truncate(running.depth);
        if let Some((decision, condition)) = running.taken.take() {
            self.path.push(decision, condition);
        }
        match self.tree.below(running.edge) {
            Below::Node(node) => self.node(running, node),
            Below::Leaf(leaf) => self.leaf(running, &leaf),
            _ => unreachable!("only what leads on is followed"),
        }
    }

    // Running.

    /// Runs a state on, and shows that it is still on the way that the tree says, so that it cannot go astray for long.
    fn step(
        &mut self,
        running: &mut Running<M::State>,
        way: &Way<'_>,
        fuel: u64,
    ) -> Result<Moment, Difference> {
        let stop = self.machine.run(&mut self.terms, &mut running.state, fuel);
        match stop {
            Stop::End(end) => return Ok(Moment::Ends(end)),
            Stop::Ask(ask) => {
                let Some(choice) = implied_choice(&self.path, &ask) else {
                    return Ok(Moment::Asks(ask));
                };
                if way.implied.get(running.implied.len()) != Some(&choice) {
                    return Err(Difference::OtherImplied);
                }
                let answer = Answer::Choice(choice);
                self.machine.answer(&mut running.state, &answer);
                running.implied.push(choice);
            }
            Stop::OutOfFuel => {
                let ran = self.machine.take_ran().to_vec();
                running.ran.add(&ran);
                for piece in ran {
                    if !self.code.is_in(self.tree, self.machine, piece, way.ran) {
                        return Err(Difference::OtherCode);
                    }
                }
            }
        }
        match self.machine.instructions(&running.state) > self.options.instructions {
            true => Err(Difference::TooLong),
            false => Ok(Moment::Between),
        }
    }

    /// Runs to the next question or end.
    fn run(
        &mut self,
        running: &mut Running<M::State>,
        way: &Way<'_>,
    ) -> Result<Moment, Difference> {
        loop {
            match self.step(running, way, SLICE)? {
                Moment::Between => {}
                _ if running.implied != way.implied => return Err(Difference::OtherImplied),
                _ if !self.has_run(running, way) => return Err(Difference::OtherCode),
                moment => return Ok(moment),
            }
        }
    }

    fn has_run(&mut self, running: &mut Running<M::State>, way: &Way<'_>) -> bool {
        running.ran.add(self.machine.take_ran());
        let ran = running.ran.pieces();
        self.code.is_same(self.tree, self.machine, ran, way.ran)
    }

    // Questions.

    fn node(&mut self, running: &mut Running<M::State>, node: NodeId) -> Result<(), Difference> {
        let question = self.tree.question(node);
        let way = Way {
            implied: question.implied,
            ran: question.ran,
        };
        let Moment::Asks(ask) = self.run(running, &way)? else {
            return Err(Difference::Ends);
        };
        let point = self.machine.point(&running.state);
        if self.code.point(self.tree, self.machine, point) != Some(question.point) {
            return Err(Difference::OtherPoint);
        }
        let asked = Asked::new(&mut self.terms, &self.path, &ask, &question)?;
        if question_hash(&self.terms, &asked.conditions, question.value) != question.hash {
            return Err(Difference::OtherConditions);
        }
        self.certificate.nodes += 1;
        if !running.implied.is_empty() {
            let implied = Decision::Implied(running.implied.as_slice().into());
            self.path.push(implied, Term::TRUE);
        }
        match ask {
            Ask::Assume(condition) => self.assumption(running, node, condition),
            _ => self.alternatives(running, node, asked),
        }
    }

    // Ends.

    fn leaf(&mut self, running: &mut Running<M::State>, leaf: &Leaf<'_>) -> Result<(), Difference> {
        let way = Way {
            implied: leaf.implied,
            ran: leaf.ran,
        };
        if let Ending::Boundary(boundary) = leaf.ending {
            self.cut(running, &way, &boundary)?;
        } else {
            let Moment::Ends(end) = self.run(running, &way)? else {
                return Err(Difference::Asks);
            };
            let mut text = String::new();
            let found = ending(&end, &mut text);
            if found != leaf.ending {
                return Err(Difference::OtherEnd {
                    found: format!("{found:?}"),
                    said: format!("{:?}", leaf.ending),
                });
            }
            self.certificate.paths += 1;
        }
        self.check_input(running.edge, Term::TRUE)
    }

    /// Follows a path that was cut to where it was: at a question that is not answered, or somewhere before it.
    fn cut(
        &mut self,
        running: &mut Running<M::State>,
        way: &Way<'_>,
        boundary: &Boundary<'_>,
    ) -> Result<(), Difference> {
        if boundary.cause.is_empty() {
            return Err(Difference::Open(running.edge.alternative()));
        }
        let at_question = is_of_question(boundary.cause);
        loop {
            if !at_question && self.is_cut_here(running, way, boundary) {
                break;
            }
            match self.step(running, way, if at_question { SLICE } else { 1 })? {
                Moment::Between => {}
                Moment::Asks(_) if at_question && self.is_cut_here(running, way, boundary) => break,
                Moment::Asks(_) | Moment::Ends(_) => return Err(Difference::NeverThere),
            }
        }
        self.note_boundary(boundary.cause);
        Ok(())
    }

    fn is_cut_here(
        &mut self,
        running: &mut Running<M::State>,
        way: &Way<'_>,
        boundary: &Boundary<'_>,
    ) -> bool {
        let stack = self.machine.stack(&running.state, None).into_iter();
        let mut named = stack.map(|point| self.code.point(self.tree, self.machine, point));
        let mut claimed = boundary.stack.iter().map(|&point| Some(point));
        claimed.by_ref().all(|point| named.next() == Some(point))
            && named.next().is_none()
            && running.implied == way.implied
            && self.has_run(running, way)
    }

    /// That the input of an edge takes the path, and that one more condition holds.
    fn check_input(&mut self, edge: Edge, more: Term) -> Result<(), Difference> {
        let values = match self.tree.input(edge) {
            Some(Input::Bytes(bytes)) => input_of(&bytes),
            Some(Input::Test(_)) | None => None,
        };
        let values = values.ok_or(Difference::NoInput)?;
        let inputs = self.machine.inputs_mut();
        let input = inputs.assignment(&mut self.terms, &values);
        if !self.path.is_taken_by(&self.terms, &input, more) {
            return Err(Difference::OtherInput);
        }
        self.certificate.inputs += 1;
        Ok(())
    }
}

/// Whether a cause is one to leave a question unanswered. The others may cut a path anywhere.
fn is_of_question(cause: &str) -> bool {
    let causes = [Cause::Depth, Cause::OtherValues];
    causes.iter().any(|known| known.to_string() == cause)
}
