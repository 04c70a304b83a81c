//! The tree of what is still to be explored: questions with their choices, down to pending states. What is finished is
//! cut off.

use fastrand::Rng;
use refrain_term::{Assignment, Evaluator, Term, Terms};

use super::search::Id;
use super::surplus::{MOST_IN_ALL, Surplus, SurplusInput};

/// Names a node, as long as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

const CUT: u32 = u32::MAX;

enum Kind {
    /// A state is running there.
    Running,
    Pending(Id),
    Split {
        conditions: Box<[Term]>,
        /// By choice; those cut off are [`CUT`].
        children: Box<[u32]>,
    },
    Free,
}

struct Node {
    parent: u32,
    kind: Kind,
    surplus: Surplus,
}

/// Where an input leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Pending(Id, NodeId),
    Running(NodeId),
}

#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Where paths start: the start of the program, or a state that was executed again.
    roots: Vec<u32>,
    /// Nodes with surplus inputs whose state has gone on to a question since.
    passed: Vec<u32>,
    /// How many surplus inputs there are in all.
    surplus: usize,
}

impl Tree {
    pub fn new() -> Tree {
        Tree::default()
    }

    /// A root where a state is running.
    pub fn add_root(&mut self) -> NodeId {
        let root = self.add(CUT);
        self.roots.push(root);
        NodeId(root)
    }

    fn add(&mut self, parent: u32) -> u32 {
        let node = Node {
            parent,
            kind: Kind::Running,
            surplus: Surplus::default(),
        };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        }
    }

    /// A running state asked a question; a node for each choice, to be made pending or cut off.
    pub fn split(&mut self, node: NodeId, conditions: &[Term]) -> Vec<NodeId> {
        let children: Vec<u32> = conditions.iter().map(|_| self.add(node.0)).collect();
        let ids = children.iter().map(|&child| NodeId(child)).collect();
        self.nodes[node.0 as usize].kind = Kind::Split {
            conditions: conditions.into(),
            children: children.into(),
        };
        if !self.nodes[node.0 as usize].surplus.inputs().is_empty() {
            self.passed.push(node.0);
        }
        ids
    }

    pub fn wait(&mut self, node: NodeId, id: Id) {
        self.nodes[node.0 as usize].kind = Kind::Pending(id);
    }

    pub fn run(&mut self, node: NodeId) {
        self.nodes[node.0 as usize].kind = Kind::Running;
    }

    /// Nothing is left to do there.
    pub fn cut(&mut self, node: NodeId) {
        let mut at = node.0;
        loop {
            let parent = self.nodes[at as usize].parent;
            self.take_surplus(NodeId(at));
            self.nodes[at as usize].kind = Kind::Free;
            self.free.push(at);
            if parent == CUT {
                self.roots.retain(|&root| root != at);
                return;
            }
            let Kind::Split { children, .. } = &mut self.nodes[parent as usize].kind else {
                return;
            };
            if let Some(slot) = children.iter_mut().find(|child| **child == at) {
                *slot = CUT;
            }
            if children.iter().any(|&child| child != CUT) {
                return;
            }
            at = parent;
        }
    }

    /// Something that is pending, by taking one of the choices that are left with equal chances at each question.
    pub fn random(&self, random: &mut Rng) -> Option<Id> {
        let mut at = match &self.roots[..] {
            [] => return None,
            [only] => *only,
            several => several[random.usize(..several.len())],
        };
        loop {
            match &self.nodes[at as usize].kind {
                Kind::Pending(id) => return Some(*id),
                Kind::Running | Kind::Free => return None,
                Kind::Split { children, .. } => {
                    let left = children.iter().filter(|&&child| child != CUT);
                    let count = left.clone().count();
                    let nth = if count == 1 { 0 } else { random.usize(..count) };
                    at = *left.clone().nth(nth)?;
                }
            }
        }
    }

    /// Where paths start.
    pub fn roots(&self) -> Vec<NodeId> {
        self.roots.iter().map(|&root| NodeId(root)).collect()
    }

    /// Where an input leads to that gets to a node, unless everything there is finished. Whether it gets to the node is
    /// not looked at.
    pub fn follow(
        &self,
        from: NodeId,
        terms: &Terms,
        evaluator: &mut Evaluator,
        input: &Assignment,
    ) -> Option<Leaf> {
        let mut at = from.0;
        loop {
            match &self.nodes[at as usize].kind {
                Kind::Pending(id) => return Some(Leaf::Pending(*id, NodeId(at))),
                Kind::Running => return Some(Leaf::Running(NodeId(at))),
                Kind::Free => return None,
                Kind::Split {
                    conditions,
                    children,
                } => {
                    let choice = conditions
                        .iter()
                        .position(|&condition| evaluator.bool(terms, input, condition))?;
                    at = children[choice];
                    if at == CUT {
                        return None;
                    }
                }
            }
        }
    }

    // Surplus inputs.

    /// Keeps an input with the place that it leads to, unless there are enough. Whether it was kept.
    pub fn keep(&mut self, node: NodeId, input: SurplusInput) -> bool {
        let is_kept = self.surplus < MOST_IN_ALL && self.nodes[node.0 as usize].surplus.keep(input);
        self.surplus += usize::from(is_kept);
        is_kept
    }

    pub fn surplus(&self, node: NodeId) -> &[SurplusInput] {
        self.nodes[node.0 as usize].surplus.inputs()
    }

    pub fn take_surplus(&mut self, node: NodeId) -> Vec<SurplusInput> {
        let taken = self.nodes[node.0 as usize].surplus.take();
        self.surplus -= taken.len();
        if !taken.is_empty() {
            self.passed.retain(|&passed| passed != node.0);
        }
        taken
    }

    /// One of the places whose surplus inputs can be led on, the first that was passed.
    pub fn next_passed(&mut self) -> Option<NodeId> {
        self.passed.first().map(|&node| NodeId(node))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use refrain_term::Sort;

    #[test]
    fn inputs_lead_to_what_is_pending_and_nowhere_else() {
        let mut terms = Terms::new();
        let (a, b) = (terms.var("a", Sort::Bool), terms.var("b", Sort::Bool));
        let (not_a, not_b) = (terms.not(a), terms.not(b));
        let mut tree = Tree::new();
        let root = tree.add_root();
        let first = tree.split(root, &[a, not_a]);
        tree.wait(first[1], 7);
        let second = tree.split(first[0], &[b, not_b]);
        tree.wait(second[0], 8);
        let mut input = Assignment::new();
        let follow = |tree: &Tree, input: &Assignment| {
            tree.follow(root, &terms, &mut Evaluator::new(), input)
        };
        assert_eq!(follow(&tree, &input), Some(Leaf::Pending(7, first[1])));
        let var = |term| refrain_term::free_vars(&terms, term)[0];
        input.set(var(a), true);
        assert_eq!(follow(&tree, &input), Some(Leaf::Running(second[1])));
        input.set(var(b), true);
        assert_eq!(follow(&tree, &input), Some(Leaf::Pending(8, second[0])));
        tree.cut(second[1]);
        tree.cut(second[0]);
        assert_eq!(follow(&tree, &input), None);
        assert_eq!(tree.random(&mut Rng::with_seed(1)), Some(7));
        tree.cut(first[1]);
        assert_eq!(tree.random(&mut Rng::with_seed(1)), None);
    }

    #[test]
    fn surplus_inputs_go_when_nothing_is_left_at_their_place() {
        let mut tree = Tree::new();
        let root = tree.add_root();
        let base = Arc::new(Assignment::new());
        let input = || SurplusInput::new(&base, Assignment::new(), 0);
        assert!(tree.keep(root, input()));
        assert!(!tree.keep(root, input()), "it is there");
        assert_eq!(tree.next_passed(), None);
        let choices = tree.split(root, &[Term::TRUE, Term::FALSE]);
        assert_eq!(tree.next_passed(), Some(root));
        assert!(tree.keep(choices[1], input()));
        tree.cut(choices[0]);
        assert_eq!((tree.next_passed(), tree.surplus), (Some(root), 2));
        tree.cut(choices[1]);
        assert_eq!((tree.next_passed(), tree.surplus), (None, 0));
    }

    #[test]
    fn every_choice_has_its_chance() {
        let mut tree = Tree::new();
        let root = tree.add_root();
        let choices = tree.split(root, &[Term::TRUE, Term::TRUE, Term::TRUE]);
        for (id, &choice) in choices.iter().enumerate() {
            tree.wait(choice, id as Id);
        }
        let mut random = Rng::with_seed(3);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[tree.random(&mut random).unwrap() as usize] += 1;
        }
        assert!(
            counts.iter().all(|&count| (800..1200).contains(&count)),
            "{counts:?}"
        );
    }
}
