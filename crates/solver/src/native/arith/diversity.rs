//! Numbers that do not coincide without need.
//!
//! The simplex leaves many numbers at the same bound, or at zero. Where functions are applied to them, each coincidence
//! has to be decided: are they equal, or different? So a number that has the value of another one is moved, where
//! nothing else forbids it (de Moura and Bjørner, "Model-based theory combination", SMT 2007, call it mutation).

use refrain_term::Rational;
use rustc_hash::FxHashMap;

use super::Arith;
use super::atoms::Form;
use super::simplex::Var;

/// How far a number is moved, as the first that is free.
const STEPS: [i64; 6] = [1, -1, 2, -3, 5, -8];

/// So many moves are tried in one go.
const MOST_TRIES: u32 = 200;

impl Arith {
    /// Moves numbers apart that are the same and belong to different classes, where they can be moved. What bounds and
    /// differences say stays true. Returns whether any was moved.
    pub fn diversify<Class: PartialEq>(&mut self, numbers: &[(Class, &Form)]) -> bool {
        if !self.follower.products.is_empty() {
            return false;
        }
        let mut taken: FxHashMap<Rational, &Class> = FxHashMap::default();
        let mut tries = 0;
        let mut has_moved = false;
        for (class, form) in numbers {
            let mut value = self.standard(form);
            if taken.get(&value).is_some_and(|other| *other != class) {
                let is_free = |value: &Rational| !taken.contains_key(value);
                if let Some(moved) = self.move_form(form, is_free, &mut tries) {
                    value = moved;
                    has_moved = true;
                }
            }
            taken.entry(value).or_insert(class);
        }
        if has_moved {
            self.choose_delta();
        }
        has_moved
    }

    fn standard(&self, form: &Form) -> Rational {
        let mut value = form.constant.clone();
        for (var, coefficient) in &form.terms {
            value.add_mul(coefficient, &self.simplex.value(*var).standard);
        }
        value
    }

    /// Moves a form to a free value, by a variable that is not basic. Returns where it is then.
    fn move_form(
        &mut self,
        form: &Form,
        is_free: impl Fn(&Rational) -> bool,
        tries: &mut u32,
    ) -> Option<Rational> {
        for (var, _) in &form.terms {
            let movable: Vec<Var> = match self.simplex.row_of(*var) {
                Some(row) => row.entries.iter().map(|(entry, _)| *entry).collect(),
                None => vec![*var],
            };
            for var in movable {
                for step in STEPS.map(Rational::from) {
                    *tries += 1;
                    if *tries > MOST_TRIES {
                        return None;
                    }
                    if !self.simplex.allows_shift(var, &step) {
                        continue;
                    }
                    self.shift(var, &step);
                    let value = self.standard(form);
                    if is_free(&value) && self.differences_hold() {
                        return Some(value);
                    }
                    self.shift(var, &-&step);
                }
            }
        }
        None
    }

    fn shift(&mut self, var: Var, by: &Rational) {
        let mut value = self.simplex.value(var);
        value.standard += by;
        self.simplex.update(var, value);
    }
}
