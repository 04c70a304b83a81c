//! Constants written one by one are read as a table: the same cells, whatever was written twice, and below what.

use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms, Value, eval};
use refrain_testing::Random;

const WIDTH: u32 = 4;

/// What is read at a place.
fn read(terms: &Terms, symbol: Term, read: Term, at: u64) -> u64 {
    let Op::Var(var) = terms.op(symbol) else {
        unreachable!("a symbol")
    };
    let mut assignment = Assignment::new();
    assignment.set(var, Value::Bv(Bv::new(WIDTH, at)));
    match eval(terms, read, &assignment) {
        Value::Bv(value) => value.small().expect("a byte"),
        value => unreachable!("{value:?}"),
    }
}

#[test]
fn constants_written_one_by_one_are_a_table() {
    let mut tables = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let index = terms.var("i", Sort::BitVec(WIDTH));
        let byte = |random: &mut Random| random.next() % 256;
        let rest = byte(&mut random);
        let element = terms.bv(8, rest);
        let mut array = terms.const_array(WIDTH, element);
        let mut expected = [rest; 1 << WIDTH];
        for _ in 0..random.below(40) {
            let (at, value) = (random.next() % (1 << WIDTH), byte(&mut random));
            let (place, element) = (terms.bv(WIDTH, at), terms.bv(8, value));
            array = terms.store(array, place, element);
            expected[at as usize] = value;
            // Reads in between, whose tables are below later ones.
            if random.below(8) == 0 {
                let cell = terms.select(array, index);
                for at in 0..1 << WIDTH {
                    assert_eq!(read(&terms, index, cell, at), expected[at as usize]);
                }
            }
        }
        let cell = terms.select(array, index);
        for at in 0..1 << WIDTH {
            let found = read(&terms, index, cell, at);
            assert_eq!(found, expected[at as usize], "seed {seed}, at {at}");
        }
        let is_table = |array| matches!(terms.op(array), Op::Table(_));
        tables += usize::from(terms.op(cell) == Op::Select && is_table(terms.arg(cell, 0)));
    }
    assert!(tables > 100, "{tables}");
}

/// Reads between the writes make tables now and then: all of them together are not much larger than the last.
#[test]
fn tables_of_a_growing_array_have_few_cells() {
    let mut terms = Terms::new();
    let filled = terms.bv(8, 0);
    let mut array = terms.const_array(16, filled);
    let index = terms.var("i", Sort::BitVec(16));
    let (mut tables, mut cells) = (std::collections::HashSet::new(), 0);
    for k in 0..4_000 {
        let (at, value) = (terms.bv(16, 7 * k), terms.bv(8, k % 256));
        array = terms.store(array, at, value);
        let mut below = terms.select(array, index);
        while !terms.args(below).is_empty() {
            below = terms.arg(below, 0);
            if let Op::Table(id) = terms.op(below)
                && tables.insert(below)
            {
                cells += terms.cells(id).len();
            }
        }
    }
    assert!((2_000..16_000).contains(&cells), "{cells}");
}
