//! Arrays: reads pass over writes that cannot matter.

use crate::{Bv, Op, Sort, Term, Terms};

/// A read passes over at most this many writes when it is built; the solver goes on where needed.
const MAX_PASSED_WRITES: usize = 4096;

/// So many writes of constants are a table, and over a table so many for each of its cells: each table has all cells.
const MIN_TABLE: usize = 8;
const CELLS_PER_WRITE: usize = 2;

impl Terms {
    /// Whether two indices surely differ: different constants, or the same term plus different constants.
    fn surely_differ(&mut self, a: Term, b: Term) -> bool {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return x != y;
        }
        self.eq(a, b) == Term::FALSE
    }

    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let Sort::Array { element, .. } = self.sort(array) else {
            panic!("select from a {}", self.sort(array))
        };
        let mut array = array;
        for _ in 0..MAX_PASSED_WRITES {
            match self.op(array) {
                Op::Store => {
                    let at = self.arg(array, 1);
                    if at == index {
                        self.fired("select-store-hit");
                        return self.arg(array, 2);
                    }
                    if !self.surely_differ(at, index) {
                        break;
                    }
                    self.fired("select-store-miss");
                    array = self.arg(array, 0);
                }
                Op::ConstArray => {
                    self.fired("select-const-array");
                    return self.arg(array, 0);
                }
                Op::Table(id) => {
                    let Some(value) = self.value(index) else {
                        break;
                    };
                    if let Some(cell) = self.cell(id, value).cloned() {
                        self.fired("select-table-hit");
                        return self.constant(cell);
                    }
                    self.fired("select-table-miss");
                    array = self.arg(array, 0);
                }
                _ => break,
            }
        }
        let array = self.as_table(array);
        self.intern(Op::Select, Sort::BitVec(element), &[array, index])
    }

    /// Constant cells written one by one, as a table: what is read from it is looked up, not decided write by write.
    fn as_table(&mut self, array: Term) -> Term {
        let mut cells = Vec::new();
        let mut base = array;
        while self.op(base) == Op::Store {
            if let Some(&table) = self.tables.get(&base) {
                base = table;
                break;
            }
            let (index, element) = (self.arg(base, 1), self.arg(base, 2));
            let (Some(index), Some(element)) = (self.value(index), self.value(element)) else {
                break;
            };
            cells.push((index.clone(), element.clone()));
            base = self.arg(base, 0);
        }
        if cells.is_empty() {
            return base;
        }
        let enough = match self.op(base) {
            Op::Table(id) => self.cells(id).len() / CELLS_PER_WRITE,
            _ => MIN_TABLE,
        };
        if cells.len() < enough {
            return array;
        }
        self.fired("select-table");
        cells.reverse();
        let table = self.table(base, cells);
        self.tables.insert(array, table);
        table
    }

    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let sort = self.sort(array);
        if self.op(element) == Op::Select && self.args(element) == [array, index] {
            self.fired("store-same");
            return array;
        }
        let mut array = array;
        if self.op(array) == Op::Store && self.arg(array, 1) == index {
            self.fired("store-store");
            array = self.arg(array, 0);
        }
        self.intern(Op::Store, sort, &[array, index, element])
    }

    /// The array with every element equal to `element`.
    pub fn const_array(&mut self, index_width: u32, element: Term) -> Term {
        let sort = Sort::Array {
            index: index_width,
            element: self.width(element),
        };
        self.intern(Op::ConstArray, sort, &[element])
    }

    /// `base` with constant cells written over it. Of several cells with one index the last counts.
    pub fn table(&mut self, base: Term, mut cells: Vec<(Bv, Bv)>) -> Term {
        let mut base = base;
        if let Op::Table(id) = self.op(base) {
            self.fired("table-table");
            let mut all = self.cells(id).to_vec();
            all.append(&mut cells);
            cells = all;
            base = self.arg(base, 0);
        }
        // A stable sort keeps later cells behind earlier ones of the same index; keep the last of each.
        cells.sort_by(|(i, _), (j, _)| j.cmp(i));
        cells.reverse();
        let mut unique: Vec<(Bv, Bv)> = Vec::with_capacity(cells.len());
        for cell in cells {
            match unique.last() {
                Some((index, _)) if *index == cell.0 => {}
                _ => unique.push(cell),
            }
        }
        if unique.is_empty() {
            return base;
        }
        let sort = self.sort(base);
        let id = self.table_id(unique.into());
        self.intern(Op::Table(id), sort, &[base])
    }
}
