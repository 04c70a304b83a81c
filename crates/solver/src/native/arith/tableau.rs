//! The tableau: rows that define basic variables as sums of the others, sparse in both directions, without fractions.
//!
//! A row says `scale * basic = Σ factor * variable` over variables that are not basic. Scale and factors are integers
//! without a common divisor, the scale is positive. So a pivot multiplies and adds integers, and takes the common
//! divisor of a whole row once, where rationals would take several for every entry. The value of the basic variable
//! is kept multiplied by the scale, too: as long as the other variables have integer values it is an integer, however
//! fractional the basic variable is.
//!
//! For every variable it is known which rows have it, and where: a change of its value, and an entry that vanishes,
//! cost as much as they touch, however long rows and columns are. Numbers are exact all through: rows are what
//! conflicts are read off, and they must be right.

use refrain_term::Rational;

use super::delta::Delta;
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
    /// What the basic variable is multiplied with: a positive integer.
    pub scale: Rational,
    /// The value of the basic variable, times the scale.
    pub total: Delta,
    /// Variables and their factors: integers that are not zero.
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
    /// What a variable is multiplied with. Looks through the row: for those who have only a variable.
    pub fn factor(&self, var: Var) -> Option<&Rational> {
        let entry = self.entries.iter().find(|(other, _)| *other == var);
        entry.map(|(_, factor)| factor)
    }

    /// The value of the basic variable.
    #[inline]
    pub fn value(&self) -> Delta {
        self.total.divided_by(&self.scale)
    }

    /// Whether the value of the basic variable is an integer.
    #[inline]
    pub fn is_integer(&self) -> bool {
        is_whole(&self.total, &self.scale)
    }

    /// Whether the value of the basic variable would be an integer if its total were another.
    #[inline]
    pub fn would_be_integer(&self, total: &Delta) -> bool {
        is_whole(total, &self.scale)
    }

    /// Takes the common divisor of scale and factors out.
    fn reduce(&mut self) {
        let mut divisor = self.scale.clone();
        for (_, factor) in &self.entries {
            if divisor.is_one() {
                return;
            }
            if !factor.is_multiple_of(&divisor) {
                divisor = divisor.gcd(factor);
            }
        }
        if !divisor.is_one() {
            self.scale.divide(&divisor);
            self.total.divide(&divisor);
            for (_, factor) in &mut self.entries {
                factor.divide(&divisor);
            }
        }
    }
}

fn is_whole(total: &Delta, scale: &Rational) -> bool {
    total.infinitesimal.is_zero()
        && total.standard.is_integer()
        && total.standard.is_multiple_of(scale)
}

/// What a new row is put together from: a variable that is not basic, and its value, or a row.
pub enum Part<'a> {
    Variable(Var, &'a Delta),
    Row(RowId),
}

#[derive(Default)]
pub struct Tableau {
    rows: Vec<Row>,
    /// By variable: the entries that it has.
    columns: Vec<Vec<Use>>,
    /// By variable: its place in the row at work, plus one.
    scratch: Vec<u32>,
    /// By entry of the pivot's row: the last substitution that has met its variable, which are counted.
    met: Vec<u64>,
    substitutions: u64,
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
    pub fn factor(&self, entry: Use) -> &Rational {
        &self.row(entry.row).entries[entry.place as usize].1
    }

    /// Adds `factor * by` to the total of a row in a column.
    #[inline]
    pub fn shift(&mut self, entry: Use, by: &Delta) {
        let row = &mut self.rows[entry.row.index()];
        row.total.add_mul(&row.entries[entry.place as usize].1, by);
    }

    /// Adds a row for `basic`, which is the sum of parts, each with a coefficient.
    pub fn add<'a>(
        &mut self,
        basic: Var,
        parts: impl Iterator<Item = (Part<'a>, &'a Rational)>,
    ) -> RowId {
        let id = RowId(self.rows.len() as u32);
        let mut row = Row {
            basic,
            scale: Rational::ONE,
            total: Delta::default(),
            entries: Vec::new(),
            places: Vec::new(),
        };
        for (part, coefficient) in parts {
            match part {
                Part::Variable(var, value) => {
                    let factor = common_scale(&mut row, coefficient, &Rational::ONE);
                    row.total.add_mul(&factor, value);
                    add_entry(
                        &mut row.entries,
                        &mut self.scratch,
                        var,
                        &factor,
                        &Rational::ONE,
                    );
                }
                Part::Row(other) => {
                    let other = &self.rows[other.index()];
                    let factor = common_scale(&mut row, coefficient, &other.scale);
                    row.total.add_mul(&factor, &other.total);
                    for (var, inner) in &other.entries {
                        add_entry(&mut row.entries, &mut self.scratch, *var, &factor, inner);
                    }
                }
            }
        }
        for (var, _) in &row.entries {
            self.scratch[var.index()] = 0;
        }
        row.entries.retain(|(_, factor)| !factor.is_zero());
        row.reduce();
        for (place, (var, _)) in row.entries.iter().enumerate() {
            let entry = Use {
                row: id,
                place: place as u32,
            };
            row.places.push(join(&mut self.columns[var.index()], entry));
        }
        self.rows.push(row);
        id
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

    /// Makes `entering`, whose value is `from`, the basic variable of the row, and eliminates it from the others.
    /// The variable that leaves has the value `to` from now on.
    pub fn pivot(&mut self, id: RowId, entering: Var, from: &Delta, to: &Delta) {
        let mut row = self.take_row(id);
        let place = row.entries.iter().position(|(var, _)| *var == entering);
        let place = place.expect("the entering variable is in the row");
        // scale * leaving = … + f * entering  becomes  f * entering = scale * leaving - …, or the negation of that.
        let leaving = std::mem::replace(&mut row.basic, entering);
        let factor = std::mem::take(&mut row.entries[place].1);
        row.total.add_mul(&-&factor, from);
        if factor.is_negative() {
            let scale = -&std::mem::replace(&mut row.scale, -&factor);
            row.total.add_mul(&scale, to);
            row.entries[place] = (leaving, scale);
        } else {
            for (_, other) in &mut row.entries {
                *other = -&*other;
            }
            let scale = std::mem::replace(&mut row.scale, factor);
            row.total.mul_add_mul(&Rational::MINUS_ONE, &scale, to);
            row.entries[place] = (leaving, scale);
        }
        let entry = Use {
            row: id,
            place: place as u32,
        };
        row.places[place] = join(&mut self.columns[leaving.index()], entry);
        // Entries that vanish from other rows move its own in their columns.
        self.rows[id.index()].places = std::mem::take(&mut row.places);

        let mut change = row.total.clone();
        change.add_mul(&-&row.scale, from);
        for (place, (var, _)) in row.entries.iter().enumerate() {
            self.scratch[var.index()] = place as u32 + 1;
        }
        if self.met.len() < row.entries.len() {
            self.met.resize(row.entries.len(), self.substitutions);
        }
        let mut users = std::mem::take(&mut self.columns[entering.index()]);
        for user in users.drain(..) {
            if user.row != id {
                self.substitute(user, &row, &change);
            }
        }
        self.columns[entering.index()] = users;
        for (var, _) in &row.entries {
            self.scratch[var.index()] = 0;
        }
        row.places = std::mem::take(&mut self.rows[id.index()].places);
        self.rows[id.index()] = row;
    }

    /// Takes a row out to work on it; another one is in its place until it is put back.
    fn take_row(&mut self, id: RowId) -> Row {
        let row = &mut self.rows[id.index()];
        let empty = Row {
            basic: row.basic,
            scale: Rational::ONE,
            total: Delta::default(),
            entries: Vec::new(),
            places: Vec::new(),
        };
        std::mem::replace(row, empty)
    }

    /// Replaces a variable in a row by what the row of the pivot says it is; `change` is by how much that is not what
    /// it was, times the scale. The variable's own column is the caller's.
    fn substitute(&mut self, user: Use, pivot: &Row, change: &Delta) {
        let id = user.row;
        let mut row = self.take_row(id);
        self.touched += (row.entries.len() + pivot.entries.len()) as u64;
        self.substitutions += 1;
        let at = user.place as usize;
        let (_, mut factor) = row.entries.swap_remove(at);
        row.places.swap_remove(at);
        self.follow(&row, at);
        // scale * basic = factor * entering + …, and pivot.scale * entering = …: both times what makes the entering
        // variable's factors the same.
        let mut own = Rational::ONE;
        if !pivot.scale.is_one() {
            let divisor = factor.gcd(&pivot.scale);
            own = pivot.scale.clone();
            own.divide(&divisor);
            factor.divide(&divisor);
        }
        let is_multiplied = !own.is_one();
        row.total.mul_add_mul(&own, &factor, change);
        let mut vanished = false;
        for (var, entry) in &mut row.entries {
            match self.scratch[var.index()] {
                0 if is_multiplied => *entry = &*entry * &own,
                0 => {}
                place => {
                    let place = place as usize - 1;
                    self.met[place] = self.substitutions;
                    entry.mul_add_mul(&own, &factor, &pivot.entries[place].1);
                    vanished |= entry.is_zero();
                }
            }
        }
        for ((var, inner), met) in pivot.entries.iter().zip(&self.met) {
            if *met != self.substitutions {
                let place = row.entries.len() as u32;
                row.entries.push((*var, &factor * inner));
                let column = &mut self.columns[var.index()];
                row.places.push(join(column, Use { row: id, place }));
            }
        }
        if vanished {
            self.drop_zeros(&mut row);
        }
        if is_multiplied {
            row.scale = &row.scale * &own;
        }
        row.reduce();
        self.rows[id.index()] = row;
    }

    /// Takes entries that are zero out of a row, and off their columns.
    fn drop_zeros(&mut self, row: &mut Row) {
        let mut kept = 0;
        for from in 0..row.entries.len() {
            if row.entries[from].1.is_zero() {
                // Never another entry of this row: a column has each row once.
                self.leave(row.entries[from].0, row.places[from]);
                continue;
            }
            if kept < from {
                row.entries.swap(kept, from);
                row.places.swap(kept, from);
                self.follow(row, kept);
            }
            kept += 1;
        }
        row.entries.truncate(kept);
        row.places.truncate(kept);
    }

    /// Tells the column of an entry where in its row that is now.
    #[inline]
    fn follow(&mut self, row: &Row, at: usize) {
        if let Some((var, _)) = row.entries.get(at) {
            self.columns[var.index()][row.places[at] as usize].place = at as u32;
        }
    }

    /// Debugging: columns mirror rows, and no basic variable is an entry.
    #[cfg(test)]
    pub fn check(&self) {
        let mut count = 0;
        for id in (0..self.rows.len() as u32).map(RowId) {
            let row = self.row(id);
            assert_eq!(row.entries.len(), row.places.len());
            assert!(row.scale.is_positive() && row.scale.is_integer());
            let mut divisor = row.scale.clone();
            for (place, (var, factor)) in row.entries.iter().enumerate() {
                assert!(!factor.is_zero() && factor.is_integer());
                divisor = divisor.gcd(factor);
                let expected = Use {
                    row: id,
                    place: place as u32,
                };
                assert_eq!(self.column(*var)[row.places[place] as usize], expected);
                assert!(self.rows.iter().all(|row| row.basic != *var));
                count += 1;
            }
            assert!(divisor.is_one(), "a row without a common divisor");
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

/// Brings a row and `coefficient / scale` to a common scale; what the numerator is then multiplied with.
fn common_scale(row: &mut Row, coefficient: &Rational, scale: &Rational) -> Rational {
    if scale.is_one() && coefficient.is_integer() {
        return coefficient * &row.scale;
    }
    let share = coefficient / scale;
    if !(&share * &row.scale).is_integer() {
        let wanted = row.scale.lcm(&share.denominator());
        let times = &wanted / &row.scale;
        row.scale = wanted;
        row.total
            .mul_add_mul(&times, &Rational::ZERO, &Delta::default());
        for (_, factor) in &mut row.entries {
            *factor = &*factor * &times;
        }
    }
    &share * &row.scale
}

/// Adds `factor * inner` to the entry of a variable; `places` says where each is, plus one.
fn add_entry(
    entries: &mut Vec<(Var, Rational)>,
    places: &mut [u32],
    var: Var,
    factor: &Rational,
    inner: &Rational,
) {
    match &mut places[var.index()] {
        0 => {
            entries.push((var, factor * inner));
            places[var.index()] = entries.len() as u32;
        }
        place => entries[*place as usize - 1].1.add_mul(factor, inner),
    }
}

#[cfg(test)]
mod tests;
