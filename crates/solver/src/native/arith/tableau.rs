//! The tableau: rows that define basic variables as sums of the others, sparse in both directions.
//!
//! A row says `basic = Σ coefficient * variable` over variables that are not basic. For every variable it is known
//! which rows have it. Exact rationals all through: rows are what conflicts are read off, and they must be right.

use refrain_term::Rational;

use super::simplex::Var;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowId(u32);

impl RowId {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

pub struct Row {
    pub basic: Var,
    pub entries: Vec<(Var, Rational)>,
}

impl Row {
    pub fn coefficient(&self, var: Var) -> Option<&Rational> {
        let entry = self.entries.iter().find(|(other, _)| *other == var);
        entry.map(|(_, coefficient)| coefficient)
    }
}

#[derive(Default)]
pub struct Tableau {
    rows: Vec<Row>,
    /// By variable: the rows that have it as an entry.
    columns: Vec<Vec<RowId>>,
    /// By variable: its place in the row being changed, plus one.
    places: Vec<u32>,
    /// How many entries have been looked at to change rows.
    pub touched: u64,
}

impl Tableau {
    pub fn grow(&mut self) {
        self.columns.push(Vec::new());
        self.places.push(0);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub fn row(&self, id: RowId) -> &Row {
        &self.rows[id.index()]
    }

    #[inline]
    pub fn column(&self, var: Var) -> &[RowId] {
        &self.columns[var.index()]
    }

    /// Adds the row `basic = Σ entries`; no entry is basic or occurs twice.
    pub fn add(&mut self, basic: Var, entries: Vec<(Var, Rational)>) -> RowId {
        let id = RowId(self.rows.len() as u32);
        for (var, _) in &entries {
            self.columns[var.index()].push(id);
        }
        self.rows.push(Row { basic, entries });
        id
    }

    /// Takes a row out. The last row moves to its place; returns the variable that is basic there.
    pub fn remove(&mut self, id: RowId) -> Option<Var> {
        let row = self.rows.swap_remove(id.index());
        for (var, _) in &row.entries {
            leave(&mut self.columns[var.index()], id);
        }
        let moved = self.rows.get(id.index())?;
        let old = RowId(self.rows.len() as u32);
        for (var, _) in &moved.entries {
            let column = &mut self.columns[var.index()];
            let place = column.iter().position(|&row| row == old);
            column[place.expect("columns mirror rows")] = id;
        }
        Some(moved.basic)
    }

    /// Makes `entering` the basic variable of the row, and eliminates it from the others.
    pub fn pivot(&mut self, id: RowId, entering: Var) {
        let mut row = std::mem::take(&mut self.rows[id.index()].entries);
        let leaving = std::mem::replace(&mut self.rows[id.index()].basic, entering);
        let place = row.iter().position(|(var, _)| *var == entering);
        let coefficient = &row[place.expect("the entering variable is in the row")].1;
        // leaving = … + c * entering  becomes  entering = leaving / c - … / c.
        let inverse = coefficient.inverse();
        if !inverse.is_minus_one() {
            let factor = -&inverse;
            for (_, coefficient) in &mut row {
                *coefficient = &*coefficient * &factor;
            }
        }
        row[place.expect("as above")] = (leaving, inverse);
        self.columns[leaving.index()].push(id);
        let users = std::mem::take(&mut self.columns[entering.index()]);
        for &user in &users {
            if user != id {
                self.substitute(user, entering, &row);
            }
        }
        self.rows[id.index()].entries = row;
    }

    /// Replaces `var` in a row by the sum that it is equal to. Its own column is the caller's.
    fn substitute(&mut self, id: RowId, var: Var, sum: &[(Var, Rational)]) {
        let (columns, places) = (&mut self.columns, &mut self.places);
        let entries = &mut self.rows[id.index()].entries;
        self.touched += (entries.len() + sum.len()) as u64;
        for (place, (entry, _)) in entries.iter().enumerate() {
            places[entry.index()] = place as u32 + 1;
        }
        let at = places[var.index()] as usize - 1;
        let factor = std::mem::take(&mut entries[at].1);
        let mut vanished = false;
        for (other, coefficient) in sum {
            match places[other.index()] {
                0 => {
                    entries.push((*other, &factor * coefficient));
                    columns[other.index()].push(id);
                }
                place => {
                    let entry = &mut entries[place as usize - 1].1;
                    entry.add_mul(&factor, coefficient);
                    vanished |= entry.is_zero();
                }
            }
        }
        for (entry, _) in entries.iter() {
            places[entry.index()] = 0;
        }
        entries.swap_remove(at);
        if vanished {
            entries.retain(|(entry, coefficient)| {
                if coefficient.is_zero() {
                    leave(&mut columns[entry.index()], id);
                }
                !coefficient.is_zero()
            });
        }
    }

    /// Debugging: columns mirror rows, and no basic variable is an entry.
    #[cfg(test)]
    pub fn check(&self) {
        let mut count = 0;
        for id in (0..self.rows.len() as u32).map(RowId) {
            let row = self.row(id);
            for (var, coefficient) in &row.entries {
                assert!(!coefficient.is_zero());
                assert!(self.column(*var).contains(&id));
                assert!(self.rows.iter().all(|row| row.basic != *var));
                count += 1;
            }
        }
        assert_eq!(count, self.columns.iter().map(Vec::len).sum::<usize>());
    }
}

fn leave(column: &mut Vec<RowId>, id: RowId) {
    let place = column.iter().position(|&row| row == id);
    column.swap_remove(place.expect("columns mirror rows"));
}
