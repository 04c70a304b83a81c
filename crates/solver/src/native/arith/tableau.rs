//! The tableau: rows that define basic variables as sums of the others, sparse in both directions.
//!
//! A row says `basic = Σ coefficient * variable` over variables that are not basic. For every variable it is known
//! which rows have it, and where: a change of its value, and an entry that vanishes, cost as much as they touch, however
//! long rows and columns are. Exact rationals all through: rows are what conflicts are read off, and they must be right.

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
    /// By entry: its place in the column of its variable.
    places: Vec<u32>,
}

/// An entry, as a column knows it: where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub row: RowId,
    place: u32,
}

impl Row {
    /// Looks through the row: for those who have only a variable.
    pub fn coefficient(&self, var: Var) -> Option<&Rational> {
        let entry = self.entries.iter().find(|(other, _)| *other == var);
        entry.map(|(_, coefficient)| coefficient)
    }
}

#[derive(Default)]
pub struct Tableau {
    rows: Vec<Row>,
    /// By variable: the entries that it has.
    columns: Vec<Vec<Use>>,
    /// By variable: its place in the row being changed, plus one.
    scratch: Vec<u32>,
    /// How many entries have been looked at to change rows.
    pub touched: u64,
}

impl Tableau {
    pub fn grow(&mut self) {
        self.columns.push(Vec::new());
        self.scratch.push(0);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub fn row(&self, id: RowId) -> &Row {
        &self.rows[id.index()]
    }

    #[inline]
    pub fn column(&self, var: Var) -> &[Use] {
        &self.columns[var.index()]
    }

    /// What a variable is multiplied with in a row of its column.
    #[inline]
    pub fn coefficient(&self, entry: Use) -> &Rational {
        &self.row(entry.row).entries[entry.place as usize].1
    }

    /// Adds the row `basic = Σ entries`; no entry is basic or occurs twice.
    pub fn add(&mut self, basic: Var, entries: Vec<(Var, Rational)>) -> RowId {
        let row = RowId(self.rows.len() as u32);
        let mut places = Vec::with_capacity(entries.len());
        for (place, (var, _)) in entries.iter().enumerate() {
            let place = place as u32;
            places.push(join(&mut self.columns[var.index()], Use { row, place }));
        }
        self.rows.push(Row {
            basic,
            entries,
            places,
        });
        row
    }

    /// Takes a row out. The last row moves to its place; returns the variable that is basic there.
    pub fn remove(&mut self, id: RowId) -> Option<Var> {
        let row = &mut self.rows[id.index()];
        let entries = std::mem::take(&mut row.entries);
        let places = std::mem::take(&mut row.places);
        for ((var, _), place) in entries.iter().zip(places) {
            self.leave(*var, place);
        }
        self.rows.swap_remove(id.index());
        let moved = self.rows.get(id.index())?;
        for ((var, _), &place) in moved.entries.iter().zip(&moved.places) {
            self.columns[var.index()][place as usize].row = id;
        }
        Some(moved.basic)
    }

    /// Takes an entry off the column of its variable, whose last one moves to its place.
    fn leave(&mut self, var: Var, place: u32) {
        let column = &mut self.columns[var.index()];
        column.swap_remove(place as usize);
        if let Some(moved) = column.get(place as usize) {
            self.rows[moved.row.index()].places[moved.place as usize] = place;
        }
    }

    /// Makes `entering` the basic variable of the row, and eliminates it from the others.
    pub fn pivot(&mut self, id: RowId, entering: Var) {
        let mut row = std::mem::take(&mut self.rows[id.index()].entries);
        let leaving = std::mem::replace(&mut self.rows[id.index()].basic, entering);
        let place = row.iter().position(|(var, _)| *var == entering);
        let place = place.expect("the entering variable is in the row");
        // leaving = … + c * entering  becomes  entering = leaving / c - … / c.
        let inverse = row[place].1.inverse();
        if !inverse.is_minus_one() {
            let factor = -&inverse;
            for (_, coefficient) in &mut row {
                *coefficient = &*coefficient * &factor;
            }
        }
        row[place] = (leaving, inverse);
        let entry = Use {
            row: id,
            place: place as u32,
        };
        self.rows[id.index()].places[place] = join(&mut self.columns[leaving.index()], entry);
        let users = std::mem::take(&mut self.columns[entering.index()]);
        for user in users {
            if user.row != id {
                self.substitute(user, &row);
            }
        }
        self.rows[id.index()].entries = row;
    }

    /// Replaces a variable in a row by the sum that it is equal to. Its own column is the caller's.
    fn substitute(&mut self, entry: Use, sum: &[(Var, Rational)]) {
        let id = entry.row;
        let row = &mut self.rows[id.index()];
        let mut entries = std::mem::take(&mut row.entries);
        let mut places = std::mem::take(&mut row.places);
        self.touched += (entries.len() + sum.len()) as u64;
        for (place, (var, _)) in entries.iter().enumerate() {
            self.scratch[var.index()] = place as u32 + 1;
        }
        let at = entry.place as usize;
        let factor = std::mem::take(&mut entries[at].1);
        let mut vanished = false;
        for (other, coefficient) in sum {
            match self.scratch[other.index()] {
                0 => {
                    let place = entries.len() as u32;
                    entries.push((*other, &factor * coefficient));
                    let column = &mut self.columns[other.index()];
                    places.push(join(column, Use { row: id, place }));
                }
                place => {
                    let entry = &mut entries[place as usize - 1].1;
                    entry.add_mul(&factor, coefficient);
                    vanished |= entry.is_zero();
                }
            }
        }
        for (entry, _) in &entries {
            self.scratch[entry.index()] = 0;
        }
        entries.swap_remove(at);
        places.swap_remove(at);
        self.follow(&entries, &places, at);
        if vanished {
            let mut kept = 0;
            for from in 0..entries.len() {
                if entries[from].1.is_zero() {
                    // Never another entry of this row: a column has each row once.
                    self.leave(entries[from].0, places[from]);
                    continue;
                }
                if kept < from {
                    entries.swap(kept, from);
                    places.swap(kept, from);
                    self.follow(&entries, &places, kept);
                }
                kept += 1;
            }
            entries.truncate(kept);
            places.truncate(kept);
        }
        let row = &mut self.rows[id.index()];
        (row.entries, row.places) = (entries, places);
    }

    /// Tells the column of an entry where in its row that is now.
    #[inline]
    fn follow(&mut self, entries: &[(Var, Rational)], places: &[u32], at: usize) {
        if let Some((var, _)) = entries.get(at) {
            self.columns[var.index()][places[at] as usize].place = at as u32;
        }
    }

    /// Debugging: columns mirror rows, and no basic variable is an entry.
    #[cfg(test)]
    pub fn check(&self) {
        let mut count = 0;
        for id in (0..self.rows.len() as u32).map(RowId) {
            let row = self.row(id);
            assert_eq!(row.entries.len(), row.places.len());
            for (place, (var, coefficient)) in row.entries.iter().enumerate() {
                assert!(!coefficient.is_zero());
                let expected = Use {
                    row: id,
                    place: place as u32,
                };
                assert_eq!(self.column(*var)[row.places[place] as usize], expected);
                assert!(self.rows.iter().all(|row| row.basic != *var));
                count += 1;
            }
        }
        assert_eq!(count, self.columns.iter().map(Vec::len).sum::<usize>());
        assert!(self.scratch.iter().all(|&place| place == 0));
    }
}

/// Puts an entry into a column; its place there.
fn join(column: &mut Vec<Use>, entry: Use) -> u32 {
    column.push(entry);
    column.len() as u32 - 1
}
