//! A session as a symbolic executor holds it: a program of few branches is walked again and again. Paths
//! grow, back up and flip their last branch; old paths are taken up with one branch changed; the same small
//! questions are asked about other variables and with other constants.

use super::world::{Plan, World, nudged, renamed};
use crate::fuzz::ast::{T, not};
use crate::fuzz::generate::{self, Generator};
use crate::fuzz::script::Script;
use crate::random::Rng;
use std::collections::HashMap;

const DEEPEST: u32 = 24;
const CHECKS: (u32, u32) = (200, 600);

/// A random session with this plan.
pub fn session(plan: &Plan, rng: Rng) -> Script {
    generate::laid_out(plan.theory(), rng, |generator| {
        Walk::begin(generator, plan).go_on();
    })
}

fn some_question(world: &World, rng: &mut Rng) -> Vec<T> {
    if rng.percent(25) {
        world.question(rng)
    } else {
        world.linked_question(rng)
    }
}

struct Walk<'g, 'p> {
    generator: &'g mut Generator,
    plan: &'p Plan,
    world: World<'p>,
    /// The branches of the program.
    branches: Vec<T>,
    /// Where in the program the path is.
    at: usize,
    /// Small sets of atoms that are asked about again and again.
    questions: Vec<Vec<T>>,
    /// What each level of the stack has asserted first.
    path: Vec<T>,
    old_paths: Vec<Vec<T>>,
    checks: u32,
}

impl<'g, 'p> Walk<'g, 'p> {
    fn begin(generator: &'g mut Generator, plan: &'p Plan) -> Walk<'g, 'p> {
        let world = World::declare(generator, plan);
        let count = generator.rng.between(8, 24);
        let branches = (0..count)
            .map(|_| world.condition(&mut generator.rng))
            .collect();
        let questions = (0..8)
            .map(|_| some_question(&world, &mut generator.rng))
            .collect();
        Walk {
            generator,
            plan,
            world,
            branches,
            at: 0,
            questions,
            path: Vec::new(),
            old_paths: Vec::new(),
            checks: 0,
        }
    }

    fn go_on(&mut self) {
        let checks = self.generator.rng.between(CHECKS.0, CHECKS.1);
        let by_assumptions = self.generator.rng.percent(30);
        while self.checks < checks {
            match self.generator.rng.weighted(&[36, 14, 8, 34, 7, 1]) {
                0 if self.generator.depth() < DEEPEST => self.branch(by_assumptions),
                1 => self.flip(),
                3 => self.ask_question(),
                4 => self.take_up_old_path(),
                5 => self.start_over(),
                _ => self.back_up(),
            }
        }
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.generator.rng
    }

    /// The next condition on the path, as the witness likes it or not.
    fn next_condition(&mut self) -> T {
        let count = self.branches.len();
        self.at = if self.rng().percent(60) {
            (self.at + 1) % count
        } else {
            self.rng().below(count)
        };
        let condition = self.branches[self.at].clone();
        let condition = if self.rng().percent(30) {
            self.variant(&condition)
        } else {
            condition
        };
        if self.rng().percent(60) {
            self.generator.bent(condition)
        } else {
            condition
        }
    }

    /// The condition about other variables, or with other constants.
    fn variant(&mut self, condition: &T) -> T {
        let rng = &mut self.generator.rng;
        if rng.percent(35) {
            renamed(condition, &self.world.exchange(rng))
        } else {
            nudged(condition, self.plan, 60, rng)
        }
    }

    fn enter(&mut self, condition: T) {
        self.generator.push(1);
        self.generator.assert(condition.clone());
        self.path.push(condition);
    }

    fn leave(&mut self, levels: u32) {
        if levels > 0 {
            self.generator.pop(levels);
            self.path.truncate(self.generator.depth() as usize);
        }
    }

    /// A check, after which the generator may have left levels that are probably unsat.
    fn check(&mut self) {
        self.checks += 1;
        self.generator.check();
        self.path.truncate(self.generator.depth() as usize);
    }

    fn assume(&mut self, terms: Vec<T>) {
        self.checks += 1;
        self.generator.check_assuming(terms);
    }

    fn branch(&mut self, by_assumptions: bool) {
        let condition = self.next_condition();
        if by_assumptions {
            self.assume(vec![not(condition.clone())]);
            self.assume(vec![condition.clone()]);
            if self.rng().percent(60) {
                self.enter(condition);
            }
        } else if self.rng().percent(50) {
            self.generator.push(1);
            self.generator.assert(not(condition.clone()));
            self.generator.check();
            self.checks += 1;
            if self.generator.depth() as usize > self.path.len() {
                self.generator.pop(1);
            }
            self.path.truncate(self.generator.depth() as usize);
            self.enter(condition);
            self.check();
        } else {
            self.enter(condition);
            self.check();
        }
    }

    fn some_levels(&mut self) -> u32 {
        match self.generator.depth() {
            0 => 0,
            _ if self.rng().percent(60) => 1,
            depth => self.rng().between(1, depth),
        }
    }

    fn back_up(&mut self) {
        self.remember_path();
        let levels = self.some_levels();
        self.leave(levels);
    }

    fn flip(&mut self) {
        let levels = self.some_levels();
        if levels == 0 {
            return;
        }
        self.remember_path();
        let flipped = not(self.path[self.path.len() - levels as usize].clone());
        self.leave(levels);
        self.enter(flipped);
        self.check();
    }

    fn remember_path(&mut self) {
        const KEPT: usize = 6;
        let path = self.path.clone();
        if self.old_paths.len() < KEPT {
            self.old_paths.push(path);
        } else {
            let place = self.rng().below(KEPT);
            self.old_paths[place] = path;
        }
    }

    /// A small question again: about other variables, with other constants, or in another order.
    fn ask_question(&mut self) {
        let place = self.generator.rng.below(self.questions.len());
        let mut question = self.questions[place].clone();
        if self.rng().percent(40) {
            let names = self.world.exchange(&mut self.generator.rng);
            question = question.iter().map(|atom| renamed(atom, &names)).collect();
        }
        if self.rng().percent(45) {
            let rng = &mut self.generator.rng;
            question = question
                .iter()
                .map(|atom| nudged(atom, self.plan, 40, rng))
                .collect();
        }
        if self.rng().percent(30) {
            question.reverse();
        }
        // More about the same variables: what was too much before still is.
        if self.rng().percent(45) {
            let other = self.generator.rng.below(self.questions.len());
            question.extend(self.questions[other].iter().cloned());
        }
        if self.rng().percent(20) {
            let gone = self.rng().below(question.len());
            question.remove(gone);
        }
        if self.rng().percent(10) {
            self.questions[place] = some_question(&self.world, &mut self.generator.rng);
        }
        if self.rng().percent(40) {
            self.remember_path();
            self.leave(self.generator.depth());
        }
        if self.rng().percent(50) {
            return self.assume(question);
        }
        self.generator.push(1);
        for atom in question {
            self.generator.assert(atom);
        }
        self.checks += 1;
        self.generator.check();
        if self.generator.depth() as usize > self.path.len() {
            self.generator.pop(1);
        }
        self.path.truncate(self.generator.depth() as usize);
    }

    /// Another state: a path of before, with one branch changed.
    fn take_up_old_path(&mut self) {
        if self.old_paths.is_empty() {
            return;
        }
        let place = self.generator.rng.below(self.old_paths.len());
        let mut path = self.old_paths[place].clone();
        self.remember_path();
        self.leave(self.generator.depth());
        if !path.is_empty() {
            let place = self.rng().below(path.len());
            path[place] = match self.rng().below(3) {
                0 => not(path[place].clone()),
                _ => self.variant(&path[place].clone()),
            };
        }
        for condition in path {
            self.enter(condition);
        }
        self.check();
    }

    /// Drops everything and begins again, with other names if the old ones are gone.
    fn start_over(&mut self) {
        self.generator.reset_assertions();
        self.path.clear();
        if self.generator.keeps_declarations() {
            return self.world.assert_base(self.generator);
        }
        let world = World::declare(self.generator, self.plan);
        let names = world.names_for(&self.world);
        self.world = world;
        let rename = |terms: &[T], names: &HashMap<String, String>| -> Vec<T> {
            terms.iter().map(|term| renamed(term, names)).collect()
        };
        self.branches = rename(&self.branches, &names);
        for terms in self.questions.iter_mut().chain(&mut self.old_paths) {
            *terms = rename(terms, &names);
        }
    }
}
