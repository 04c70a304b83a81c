//! What a comparison becomes says the same of every point.

use super::*;

struct Random(u64);

impl Random {
    fn within(&mut self, limit: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % (2 * limit as u64 + 1)) as i64 - limit
    }

    fn number(&mut self) -> Rational {
        Rational::new(self.within(8), self.within(2) + 3)
    }
}

/// `constant + Σ coefficient * variable` at a point, which has values for the first variables.
fn at(constant: &Rational, terms: &[(Var, Rational)], point: &[Rational]) -> Rational {
    let mut sum = constant.clone();
    for (var, coefficient) in terms {
        sum.add_mul(coefficient, &point[var.index()]);
    }
    sum
}

/// Whether a comparison holds at a point.
fn holds(simplex: &Simplex, comparison: &Comparison, point: &[Rational]) -> bool {
    let (var, relation, number, negated) = match comparison {
        Comparison::Known(holds) => return *holds,
        Comparison::Atom(var, relation, number, negated) => (*var, relation, number, *negated),
    };
    let own = [(var, Rational::ONE)];
    let sum = simplex.definition(var).map_or(&own[..], |sum| sum);
    let value = at(&Rational::ZERO, sum, point);
    assert!(!simplex.is_integer(var) || value.is_integer());
    assert!(!simplex.is_integer(var) || number.is_integer(), "rounded");
    negated
        != match relation {
            Relation::AtMost => value <= *number,
            Relation::Below => value < *number,
            Relation::Equal => value == *number,
        }
}

#[test]
fn comparisons_mean_what_they_were_made_from() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut known, mut atoms_made) = (0, 0);
    for round in 0..600 {
        let integer = round % 2 == 0;
        let (mut simplex, mut atoms) = (Simplex::default(), Atoms::default());
        let vars = [(); 3].map(|()| simplex.new_var(integer));
        let mut form = Form {
            constant: random.number(),
            terms: Vec::new(),
        };
        for var in vars.into_iter().take((random.within(1) + 2) as usize) {
            let coefficient = match round % 3 {
                0 => random.number(),
                _ => Rational::from(2 * random.within(3)),
            };
            form.add(&coefficient, var);
        }
        let made = [
            (atoms.at_most_zero(&mut simplex, &form, false), "<="),
            (atoms.at_most_zero(&mut simplex, &form, true), "<"),
            (atoms.equals_zero(&mut simplex, &form), "="),
        ];
        for (comparison, relation) in made {
            match comparison {
                Comparison::Known(_) => known += 1,
                Comparison::Atom(..) => atoms_made += 1,
            }
            for _ in 0..40 {
                let point = [(); 3].map(|()| match integer {
                    true => Rational::from(random.within(4)),
                    false => random.number(),
                });
                let order = at(&form.constant, &form.terms, &point).cmp(&Rational::ZERO);
                let expected = match relation {
                    "<=" => order.is_le(),
                    "<" => order.is_lt(),
                    _ => order.is_eq(),
                };
                let given = holds(&simplex, &comparison, &point);
                assert_eq!(given, expected, "{form:?} {relation} 0 at {point:?}");
            }
        }
    }
    assert!(known > 50 && atoms_made > 500, "{known}, {atoms_made}");
}

#[test]
fn multiples_of_a_sum_are_one_variable() {
    let (mut simplex, mut atoms) = (Simplex::default(), Atoms::default());
    let (x, y) = (simplex.new_var(true), simplex.new_var(true));
    let mut form = Form::from(x);
    form.add(&Rational::from(-2), y);
    let mut variables = Vec::new();
    for factor in [Rational::ONE, Rational::from(-3), Rational::new(2, 5)] {
        match atoms.equals_zero(&mut simplex, &form.times(&factor)) {
            Comparison::Atom(var, Relation::Equal, number, false) => {
                assert!(number.is_zero());
                variables.push(var);
            }
            _ => panic!("an equation"),
        }
    }
    variables.dedup();
    assert_eq!(variables.len(), 1);
    assert!(simplex.is_integer(variables[0]));
}

/// The literals of an atom exclude each other, and leave nothing out.
#[test]
fn an_atom_and_its_negation_split_the_line() {
    let lit = refrain_sat::Var::from_index(0).positive();
    let three = Rational::from(3);
    let halves: Vec<Rational> = (0..12).map(|i| Rational::new(i, 2)).collect();
    for relation in [Relation::AtMost, Relation::Below, Relation::Equal] {
        for integer in [true, false] {
            if integer && relation == Relation::Below {
                continue;
            }
            let mut simplex = Simplex::default();
            let var = simplex.new_var(integer);
            let atom = Atom {
                var,
                relation,
                number: three.clone(),
                lit,
            };
            let allowed = |holds: bool, value: &Rational| {
                let value = Delta::from(value.clone());
                let bounds = atom.bounds(holds, integer).into_iter().flatten();
                bounds.into_iter().all(|(side, bound)| match side {
                    Side::Lower => value >= bound,
                    Side::Upper => value <= bound,
                })
            };
            for value in halves.iter().filter(|v| !integer || v.is_integer()) {
                let expected = match relation {
                    Relation::AtMost => *value <= three,
                    Relation::Below => *value < three,
                    Relation::Equal => *value == three,
                };
                assert_eq!(allowed(true, value), expected);
                // What differs is not bounded.
                let negated = relation == Relation::Equal || !expected;
                assert_eq!(allowed(false, value), negated);
            }
        }
    }
}
