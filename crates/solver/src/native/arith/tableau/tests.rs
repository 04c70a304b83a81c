//! Random pivots, with small numbers and with such as leave the machine words: what rows were added as still holds.

use super::*;
use crate::native::arith::simplex::Simplex;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Not zero, in either direction.
    fn number(&mut self, limit: u64, denominators: u64) -> Rational {
        let size = 1 + self.below(limit) as i64;
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        Rational::new(sign * size, 1 + self.below(denominators) as i64)
    }
}

/// A tableau, the sums that its rows were added as, and the values of all variables that are not basic.
struct Bench {
    tableau: Tableau,
    vars: Vec<Var>,
    symbols: usize,
    sums: Vec<Vec<Rational>>,
    values: Vec<Delta>,
    basic: Vec<Option<RowId>>,
}

impl Bench {
    fn new(random: &mut Random, limit: u64, denominators: u64) -> Bench {
        let (symbols, sums) = (4, 5);
        let mut simplex = Simplex::default();
        let vars: Vec<Var> = (0..symbols + sums)
            .map(|_| simplex.new_var(false))
            .collect();
        let mut tableau = Tableau::default();
        let mut values = Vec::new();
        for _ in &vars {
            tableau.grow();
            let infinitesimal = random.below(3) as i64 - 1;
            values.push(Delta::new(random.number(50, denominators), infinitesimal));
        }
        let sums = (0..sums)
            .map(|_| {
                let one = |_| match random.below(4) {
                    0 => Rational::ZERO,
                    _ => random.number(limit, denominators),
                };
                (0..symbols).map(one).collect()
            })
            .collect();
        Bench {
            tableau,
            basic: vec![None; vars.len()],
            vars,
            symbols,
            sums,
            values,
        }
    }

    /// Adds the row of a sum to the tableau as it is, whatever is basic there.
    fn add(&mut self, sum: usize) {
        let parts = (0..self.symbols).map(|symbol| {
            let part = match self.basic[symbol] {
                Some(row) => Part::Row(row),
                None => Part::Variable(self.vars[symbol], &self.values[symbol]),
            };
            (part, &self.sums[sum][symbol])
        });
        let row = self.tableau.add(self.vars[self.symbols + sum], parts);
        self.basic[self.symbols + sum] = Some(row);
    }

    fn pivot(&mut self, random: &mut Random) {
        let rows = self.tableau.rows.len() as u64;
        let id = RowId(random.below(rows) as u32);
        let row = self.tableau.row(id);
        if row.entries.is_empty() {
            return;
        }
        let entering = row.entries[random.below(row.entries.len() as u64) as usize].0;
        let leaving = row.basic;
        let to = Delta::new(random.number(50, 2), random.below(3) as i64 - 1);
        let from = self.values[entering.index()].clone();
        self.tableau.pivot(id, entering, &from, &to);
        self.values[leaving.index()] = to;
        self.basic[leaving.index()] = None;
        self.basic[entering.index()] = Some(id);
    }

    fn value(&self, var: usize) -> Delta {
        match self.basic[var] {
            Some(row) => self.tableau.row(row).value(),
            None => self.values[var].clone(),
        }
    }

    /// The sums among all values, and the totals of all rows, are what they are defined as.
    fn check(&self, added: usize) {
        self.tableau.check();
        for (sum, coefficients) in self.sums.iter().enumerate().take(added) {
            let mut value = Delta::default();
            for (symbol, coefficient) in coefficients.iter().enumerate() {
                value.add_mul(coefficient, &self.value(symbol));
            }
            assert_eq!(value, self.value(self.symbols + sum));
        }
        for row in &self.tableau.rows {
            let mut total = Delta::default();
            for (var, factor) in &row.entries {
                total.add_mul(factor, &self.values[var.index()]);
            }
            assert_eq!(total, row.total);
        }
    }
}

#[test]
fn sums_hold_after_any_pivots() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut outgrown = 0;
    for (limit, denominators) in [(3, 1), (20, 1), (9, 4), (1 << 40, 1), (1 << 40, 1000)] {
        for _ in 0..60 {
            let mut bench = Bench::new(&mut random, limit, denominators);
            for sum in 0..bench.sums.len() {
                bench.add(sum);
                bench.check(sum + 1);
                for _ in 0..3 {
                    bench.pivot(&mut random);
                    bench.check(sum + 1);
                }
            }
            let entries = bench.tableau.rows.iter().flat_map(|row| &row.entries);
            outgrown += entries
                .filter(|(_, factor)| factor.to_i64().is_none())
                .count();
        }
    }
    assert!(outgrown > 100, "numbers beyond machine words are met");
}

#[test]
fn rows_that_leave_are_taken_off_their_columns() {
    let mut random = Random(77);
    for _ in 0..200 {
        let mut bench = Bench::new(&mut random, 9, 1);
        for sum in 0..bench.sums.len() {
            bench.add(sum);
        }
        for _ in 0..random.below(6) {
            bench.pivot(&mut random);
        }
        while bench.tableau.len() > 0 {
            let row = RowId(random.below(bench.tableau.len() as u64) as u32);
            bench.tableau.remove(row);
            bench.tableau.check();
        }
    }
}
