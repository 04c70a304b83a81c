//! One input, which a path is followed with.

use refrain_machine::{Answer, Ask};
use refrain_term::{Assignment, Bv, Evaluator, Terms, free_symbols};
use refrain_testing::Random;

/// What a path goes with: every byte of input has a value that the seed gives it.
pub struct Input {
    pub random: Random,
    pub bytes: Assignment,
}

impl Input {
    pub fn new(seed: u64) -> Input {
        Input {
            random: Random::new(seed),
            bytes: Assignment::new(),
        }
    }

    pub fn answer(&mut self, terms: &mut Terms, ask: &Ask) -> Answer {
        let asked = match ask {
            Ask::Choose(conditions) => conditions.clone(),
            Ask::Assume(term) | Ask::Fix(term) | Ask::Witness(term) | Ask::Sample(term) => {
                vec![*term]
            }
        };
        for variable in free_symbols(terms, &asked).0 {
            if self.bytes.get(variable).is_none() {
                // Small numbers lead further, and text is mostly letters.
                let (small, any) = (self.random.below(16), self.random.below(256));
                let value = self.random.pick(&[small, any, 97]);
                let sort = terms.sort(terms.var_term(variable));
                let bits = sort.width().unwrap_or(8);
                self.bytes.set(variable, Bv::new(bits, value));
            }
        }
        let mut evaluator = Evaluator::new();
        match ask {
            Ask::Choose(conditions) => {
                let holds = |&condition: &_| evaluator.bool(terms, &self.bytes, condition);
                Answer::Choice(conditions.iter().position(holds).unwrap_or(0) as u32)
            }
            Ask::Assume(condition) => {
                Answer::Choice(u32::from(!evaluator.bool(terms, &self.bytes, *condition)))
            }
            Ask::Fix(term) | Ask::Witness(term) | Ask::Sample(term) => {
                Answer::Value(evaluator.value(terms, &self.bytes, *term))
            }
        }
    }
}
