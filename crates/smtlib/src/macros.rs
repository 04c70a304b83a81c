//! Functions defined with parameters: a body, and the way to build it again from arguments.

use refrain_term::{Sort, Term, Terms, reachable};
use rustc_hash::FxHashMap;

use crate::surface::{below, sort_below};

/// A defined function.
pub struct Macro {
    pub parameters: Vec<Sort>,
    /// The terms of the body that depend on a parameter, operands first. Without any, the body itself.
    steps: Vec<Step>,
    body: Term,
}

struct Step {
    /// The term of the definition.
    term: Term,
    operands: Vec<Operand>,
}

#[derive(Clone, Copy)]
enum Operand {
    Fixed(Term),
    Argument(u32),
    Step(u32),
}

/// The symbol that stands for a parameter in a definition's body. No script can write this name.
pub fn parameter(terms: &mut Terms, index: usize, sort: Sort) -> Term {
    let name = format!("\\{index}");
    let below = terms.var(&name, sort_below(sort));
    match sort.below() {
        Some(_) => terms.surface(sort, below),
        None => below,
    }
}

impl Macro {
    /// The sort of what it gives.
    pub fn result(&self, terms: &Terms) -> Sort {
        terms.sort(self.body)
    }

    /// The function whose body mentions [`parameter`]s of these sorts.
    pub fn new(terms: &mut Terms, parameters: Vec<Sort>, body: Term) -> Macro {
        let mut known: FxHashMap<Term, Operand> = FxHashMap::default();
        for (index, &sort) in parameters.iter().enumerate() {
            let parameter = parameter(terms, index, sort);
            let parameter = below(terms, parameter);
            known.insert(parameter, Operand::Argument(index as u32));
        }
        let mut steps = Vec::new();
        for term in reachable(terms, &[body]) {
            let args = terms.args(term);
            if !args.iter().any(|arg| known.contains_key(arg)) {
                continue;
            }
            let operands = args
                .iter()
                .map(|&arg| known.get(&arg).copied().unwrap_or(Operand::Fixed(arg)))
                .collect();
            known.insert(term, Operand::Step(steps.len() as u32));
            steps.push(Step { term, operands });
        }
        Macro {
            parameters,
            steps,
            body,
        }
    }

    /// The function applied to arguments of the right sorts.
    pub fn instantiate(&self, terms: &mut Terms, arguments: &[Term]) -> Term {
        let mut built: Vec<Term> = Vec::with_capacity(self.steps.len());
        let mut operands: Vec<Term> = Vec::new();
        for step in &self.steps {
            operands.clear();
            operands.extend(step.operands.iter().map(|&operand| match operand {
                Operand::Fixed(term) => term,
                Operand::Argument(index) => below(terms, arguments[index as usize]),
                Operand::Step(index) => built[index as usize],
            }));
            built.push(terms.rebuild(step.term, &operands));
        }
        match built.last() {
            Some(&last) => last,
            // The body is a parameter, or depends on none.
            None => {
                let parameters = self.parameters.iter().enumerate();
                let place = parameters
                    .clone()
                    .position(|(i, &sort)| parameter(terms, i, sort) == self.body);
                place.map_or(self.body, |index| arguments[index])
            }
        }
    }
}
