//! The e-graph against a naive closure: classes, what is implied, explanations and conflicts, and undoing.

use refrain_sat::{Lit, Var};

use super::egraph::{EGraph, Mark, Node, Shape};

/// A merge that was asked for: two nodes, and the literal that says so.
type Given = (Node, Node, Lit);

/// Classes by repeating all rules until nothing changes.
struct Naive {
    class: Vec<usize>,
}

impl Naive {
    fn close(graph: &Random, given: &[Given]) -> Naive {
        let mut naive = Naive {
            class: (0..graph.shapes.len()).collect(),
        };
        for (a, b, _) in given {
            naive.unite(*a, *b);
        }
        loop {
            let before = naive.class.clone();
            for (place, &shape) in graph.shapes.iter().enumerate() {
                naive.apply_rules(graph, graph.nodes[place], shape);
            }
            if naive.class == before {
                return naive;
            }
        }
    }

    fn apply_rules(&mut self, graph: &Random, node: Node, shape: Shape) {
        if let Shape::Equation(a, b) = shape {
            let different = self.constant(graph, a).zip(self.constant(graph, b));
            if self.same(a, b) {
                self.unite(node, Node::TRUE);
            } else if different.is_some_and(|(x, y)| x != y) {
                self.unite(node, Node::FALSE);
            }
        }
        for (place, &other) in graph.shapes.iter().enumerate() {
            let congruent = match (shape, other) {
                (Shape::Apply(f, a), Shape::Apply(g, b)) => self.same(f, g) && self.same(a, b),
                (Shape::Equation(a, b), Shape::Equation(c, d)) => {
                    self.same(a, c) && self.same(b, d) || self.same(a, d) && self.same(b, c)
                }
                _ => false,
            };
            if congruent {
                self.unite(node, graph.nodes[place]);
            }
        }
    }

    fn same(&self, a: Node, b: Node) -> bool {
        self.class[a.index()] == self.class[b.index()]
    }

    fn unite(&mut self, a: Node, b: Node) {
        let (x, y) = (self.class[a.index()], self.class[b.index()]);
        for class in &mut self.class {
            if *class == y {
                *class = x;
            }
        }
    }

    fn constant(&self, graph: &Random, node: Node) -> Option<Node> {
        let mut constants = graph.constants.iter().copied();
        constants.find(|&constant| self.same(constant, node))
    }

    /// Whether two constants are in one class.
    fn is_refuted(&self, graph: &Random) -> bool {
        let constants = &graph.constants;
        constants.iter().enumerate().any(|(place, &a)| {
            let others = &constants[..place];
            others.iter().any(|&b| self.same(a, b))
        })
    }
}

/// A random e-graph without merges.
struct Random {
    graph: EGraph,
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    constants: Vec<Node>,
    functions: Vec<Node>,
}

impl Random {
    fn new(rng: &mut fastrand::Rng) -> Random {
        let mut random = Random {
            graph: EGraph::default(),
            nodes: vec![Node::TRUE, Node::FALSE],
            shapes: vec![Shape::Leaf, Shape::Leaf],
            constants: vec![Node::TRUE, Node::FALSE],
            functions: Vec::new(),
        };
        for _ in 0..rng.usize(1..4) {
            let function = random.graph.leaf();
            random.functions.push(function);
            random.note(function);
        }
        let mut numbers = Vec::new();
        for _ in 0..rng.usize(2..7) {
            let leaf = random.graph.leaf();
            numbers.push(leaf);
            random.note(leaf);
        }
        for _ in 0..rng.usize(0..3) {
            let constant = random.graph.constant();
            numbers.push(constant);
            random.constants.push(constant);
            random.note(constant);
        }
        for _ in 0..rng.usize(0..25) {
            let mut pick = || numbers[rng.usize(0..numbers.len())];
            let (a, b, c) = (pick(), pick(), pick());
            let function = random.functions[rng.usize(0..random.functions.len())];
            match rng.u32(0..3) {
                // Terms fold equations between constants.
                0 if a != b && !(random.is_constant(a) && random.is_constant(b)) => {
                    let node = random.graph.equation(a, b);
                    random.note(node);
                }
                1 => {
                    let partial = random.graph.apply(function, b);
                    random.note(partial);
                    let node = random.graph.apply(partial, c);
                    random.note(node);
                    numbers.push(node);
                }
                _ => {
                    let node = random.graph.apply(function, a);
                    random.note(node);
                    numbers.push(node);
                }
            }
        }
        random
    }

    fn note(&mut self, node: Node) {
        if node.index() == self.nodes.len() {
            self.nodes.push(node);
            self.shapes.push(self.graph.shape(node));
        }
    }

    fn is_constant(&self, node: Node) -> bool {
        self.constants.contains(&node)
    }

    /// Two nodes that may be merged: not functions, and truth values only with equations.
    fn pair(&self, rng: &mut fastrand::Rng) -> (Node, Node) {
        loop {
            let mut pick = || self.nodes[rng.usize(0..self.nodes.len())];
            let (a, b) = (pick(), pick());
            let is_truth = |node: Node| {
                node == Node::TRUE
                    || node == Node::FALSE
                    || matches!(self.graph.shape(node), Shape::Equation(..))
            };
            if is_truth(a) == is_truth(b)
                && !self.functions.contains(&a)
                && !self.functions.contains(&b)
            {
                return (a, b);
            }
        }
    }

    fn check(&mut self, given: &[Given], naive: &Naive, rng: &mut fastrand::Rng) {
        for place in 0..self.nodes.len() {
            for other in 0..place {
                let (a, b) = (self.nodes[place], self.nodes[other]);
                assert_eq!(self.graph.are_equal(a, b), naive.same(a, b), "{a:?} {b:?}");
            }
        }
        for &node in &self.nodes {
            let is_truth = node == Node::TRUE || node == Node::FALSE;
            let known = naive.same(node, Node::TRUE) || naive.same(node, Node::FALSE);
            let told = self.graph.implied().contains(&node);
            assert_eq!(told, known && !is_truth, "{node:?}");
        }
        for _ in 0..8 {
            let (a, b) = self.pair(rng);
            if self.graph.are_equal(a, b) {
                let reasons = self.graph.explain(a, b);
                let alone = Naive::close(self, &chosen(given, &reasons));
                assert!(alone.same(a, b), "{a:?} {b:?} do not follow");
            }
        }
    }
}

/// The merges of some literals.
fn chosen(given: &[Given], reasons: &[Lit]) -> Vec<Given> {
    for reason in reasons {
        assert!(given.iter().any(|(_, _, lit)| lit == reason), "not given");
    }
    let is_reason = |(_, _, lit): &&Given| reasons.contains(lit);
    given.iter().filter(is_reason).copied().collect()
}

fn literal(number: usize) -> Lit {
    Var::from_index(number).positive()
}

/// Merges at random, goes back at random, and compares after each step.
fn walk(seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut random = Random::new(&mut rng);
    let mut given: Vec<Given> = Vec::new();
    let mut marks: Vec<Mark> = Vec::new();
    for step in 0..30 {
        if !marks.is_empty() && rng.u32(0..4) == 0 {
            let kept = rng.usize(0..marks.len());
            random.graph.undo_to(marks[kept]);
            marks.truncate(kept);
            given.truncate(kept);
        } else {
            let (a, b) = random.pair(&mut rng);
            let lit = literal(step);
            let mark = random.graph.mark();
            given.push((a, b, lit));
            if let Err(conflict) = random.graph.merge(a, b, lit) {
                let alone = Naive::close(&random, &chosen(&given, &conflict));
                assert!(alone.is_refuted(&random), "a conflict that is none");
                random.graph.undo_to(mark);
                given.pop();
            } else {
                marks.push(mark);
            }
        }
        let naive = Naive::close(&random, &given);
        assert!(!naive.is_refuted(&random), "a conflict was missed");
        random.check(&given, &naive, &mut rng);
    }
}

#[test]
fn classes_are_those_of_a_naive_closure() {
    for seed in 0..2000 {
        walk(seed);
    }
}

#[test]
fn cycles_of_a_function_meet() {
    let mut graph = EGraph::default();
    let (function, start) = (graph.leaf(), graph.leaf());
    let mut chain = vec![start];
    for place in 0..500 {
        chain.push(graph.apply(function, chain[place]));
    }
    graph
        .merge(chain[300], start, literal(0))
        .expect("consistent");
    assert!(!graph.are_equal(chain[100], start));
    graph
        .merge(chain[500], start, literal(1))
        .expect("consistent");
    assert!(graph.are_equal(chain[100], start));
    assert!(!graph.are_equal(chain[1], start));
    let mut reasons = graph.explain(chain[100], start);
    reasons.sort_unstable();
    reasons.dedup();
    assert_eq!(reasons, [literal(0), literal(1)]);
}
