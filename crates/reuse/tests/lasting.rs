//! Answers that last: what one run finds out serves the next one, under other names too, and nothing that a store may
//! hold makes an answer wrong.

#[path = "lasting/common.rs"]
mod common;

use common::{Folder, Gait, Naming, Random, Session, TABLE, WIDE_TABLE, World, walk};
use refrain_reuse::lasting::{Kept, Record, SlotName, SlotValue};
use refrain_reuse::{LAYERS, Layers};
use refrain_solver::Verdict;
use refrain_store::{Entry, Store};
use refrain_term::{Bv, Rational, Sort, Term, Terms, Value};

fn full() -> Layers {
    Layers::preset("full").expect("a preset")
}

/// The same, whatever the clock says.
fn steady() -> Layers {
    let mut layers = full();
    layers.without("gates");
    layers
}

/// A walk in an arena of its own: its verdicts, and how often the solver was asked.
fn run(
    store: &Store,
    layers: Layers,
    naming: Naming,
    gait: Gait,
    seed: u64,
) -> (Vec<Verdict>, u64) {
    let mut session = Session::new("a run", layers, Some(store));
    let world = World::new(&mut session.terms, naming);
    let verdicts = walk(&mut session, &world, gait, seed, 80);
    let calls = session.solver_calls();
    drop(session);
    store.flush().expect("there is room");
    (verdicts, calls)
}

/// What the store has is never solved again, and all that took a search is in the store. What the model at hand or a
/// value beside it has settled in the first run is not, and whether that is tried in the second depends on what paid
/// until then: 1 in 200 of these paths asks once.
#[test]
fn the_second_run_along_a_path_asks_the_solver_next_to_nothing() {
    for layers in [full(), steady()] {
        let (mut first_calls, mut second_calls) = (0, 0);
        for seed in 1..=40 {
            let folder = Folder::new();
            let store = folder.store();
            let (first, calls) = run(&store, layers.clone(), Naming::Own, Gait::Steps, seed);
            assert!(calls > 0, "seed {seed}");
            first_calls += calls;
            let (second, calls) = run(&store, layers.clone(), Naming::Own, Gait::Steps, seed);
            assert_eq!(first, second, "seed {seed}");
            second_calls += calls;
        }
        assert!(
            second_calls <= 1 && first_calls > 100,
            "{second_calls} of {first_calls} calls are left"
        );
    }
}

/// The presets that know a set again by its names only.
const BY_NAME: [&str; 2] = ["klee", "pscache"];

#[test]
fn presets_without_canonical_forms_find_their_answers_again() {
    for preset in BY_NAME {
        let layers = Layers::preset(preset).expect("a preset");
        for gait in [Gait::Steps, Gait::Leaps] {
            let (mut first_calls, mut second_calls, mut other_calls) = (0, 0, 0);
            for seed in 1..=20 {
                let folder = Folder::new();
                let store = folder.store();
                let (first, calls) = run(&store, layers.clone(), Naming::Own, gait, seed);
                first_calls += calls;
                let (second, calls) = run(&store, layers.clone(), Naming::Own, gait, seed);
                second_calls += calls;
                assert_eq!(first, second, "{preset}, seed {seed}");
                let (other, calls) = run(&store, layers.clone(), Naming::Other, gait, seed);
                other_calls += calls;
                assert_eq!(first, other, "{preset}, seed {seed}");
                assert!(store.verify().expect("it can be read").is_sound());
            }
            println!("{preset}: {first_calls}, {second_calls}, {other_calls}");
            assert!(
                50 * second_calls < first_calls,
                "{preset}: {second_calls} of {first_calls} calls are left"
            );
            // Whatever is named otherwise is something else.
            assert!(2 * other_calls > first_calls, "{preset}: {other_calls}");
        }
    }
}

#[test]
fn the_second_run_of_anything_asks_next_to_nothing() {
    let (mut first_calls, mut second_calls) = (0, 0);
    for seed in 1..=30 {
        let folder = Folder::new();
        let store = folder.store();
        let (first, calls) = run(&store, full(), Naming::Own, Gait::Leaps, seed);
        first_calls += calls;
        let (second, calls) = run(&store, full(), Naming::Own, Gait::Leaps, seed);
        second_calls += calls;
        assert_eq!(first, second, "seed {seed}");
    }
    assert!(
        100 * second_calls < first_calls,
        "{second_calls} of {first_calls} calls are left"
    );
}

#[test]
fn names_and_the_order_of_declarations_hardly_matter() {
    for gait in [Gait::Steps, Gait::Leaps] {
        let (mut first_calls, mut second_calls) = (0, 0);
        for seed in 1..=20 {
            let folder = Folder::new();
            let store = folder.store();
            let (first, calls) = run(&store, steady(), Naming::Own, gait, seed);
            first_calls += calls;
            let (second, calls) = run(&store, steady(), Naming::Other, gait, seed);
            second_calls += calls;
            assert_eq!(first, second, "seed {seed}");
        }
        println!("{second_calls} of {first_calls} calls are left");
        assert!(
            5 * second_calls < first_calls,
            "{second_calls} of {first_calls} calls are left"
        );
    }
}

#[test]
fn runs_with_other_layers_share_a_store() {
    for seed in 1..=4 {
        let folder = Folder::new();
        let store = folder.store();
        let mut random = Random::new(seed);
        let (first, _) = run(&store, full(), Naming::Own, Gait::Leaps, seed);
        for &layer in LAYERS {
            let mut layers = full();
            assert!(layers.without(layer));
            let naming = random.pick(&[Naming::Own, Naming::Other]);
            // Another walk in between leaves answers to other questions about the same symbols.
            let other = 100 + random.below(4);
            run(&store, layers.clone(), naming, Gait::Leaps, other);
            let (again, _) = run(&store, layers, naming, Gait::Leaps, seed);
            assert_eq!(first, again, "without {layer}, seed {seed}");
        }
        for preset in ["green", "greentrie", "klee", "pscache"] {
            let layers = Layers::preset(preset).expect("a preset");
            let (again, _) = run(&store, layers, Naming::Own, Gait::Leaps, seed);
            assert_eq!(first, again, "{preset}, seed {seed}");
        }
        assert!(store.verify().expect("it can be read").is_sound());
    }
}

/// All entries of a store, with what they are listed under.
fn entries(store: &Store) -> Vec<Entry> {
    let snapshot = store.snapshot().expect("it can be read");
    let rows: Vec<_> = snapshot.range(b"", b"").collect();
    snapshot
        .entries()
        .map(|found| {
            let mut entry = Entry::new(found.key, found.value);
            for (key, _) in rows.iter().filter(|(_, id)| *id == found.id) {
                entry = entry.under(key.as_slice());
            }
            entry
        })
        .collect()
}

const UNSAT: u8 = 0;

/// Another value for an entry, which says nothing wrong of what cannot hold.
fn spoiled(random: &mut Random, entry: &Entry, all: &[Entry]) -> Vec<u8> {
    let value = &entry.value;
    let record = Record::decode(&entry.key, value).expect("as it was written");
    let is_sat = value[0] != UNSAT;
    match random.below(7) {
        // Cut short.
        0 => value[..random.below(value.len() as u64) as usize].to_vec(),
        1 => [value, &[7][..]].concat(),
        2 => vec![random.below(256) as u8 | 2; 1 + random.below(40) as usize],
        3 => {
            let mut value = value.clone();
            let place = 1 + random.below(value.len() as u64 - 1) as usize;
            // Positions in an answer that is unsat decide what the conflict is: they are left.
            if is_sat {
                value[place] ^= 1 << random.below(8);
            }
            value
        }
        // The solution of something else.
        4 => {
            let others = all.iter().filter(|other| other.value[0] != UNSAT);
            let others: Vec<&Entry> = others.collect();
            random.pick(&others).value.clone()
        }
        // Positions that there are not.
        5 => {
            let answer = Kept::Unsat(vec![0, 1_000, u32::MAX]);
            let record = Record { answer, ..record };
            record.encode().expect("it is small")
        }
        // The names of others.
        _ => {
            let name = |random: &mut Random| match random.below(3) {
                0 => SlotName::Symbol("nobody".into()),
                1 => SlotName::Cell("b0".into(), Bv::new(8, 1)),
                _ => SlotName::Symbol((*random.pick(&["i0", "w1", "a0", "f", "b1"])).into()),
            };
            let names = record.names.iter().map(|_| name(random)).collect();
            let record = Record { names, ..record };
            record.encode().expect("it is small")
        }
    }
}

#[test]
fn a_store_with_wrong_values_makes_no_answer_wrong() {
    for seed in 1..=12 {
        let folder = Folder::new();
        let store = folder.store();
        let gait = [Gait::Steps, Gait::Leaps][seed as usize % 2];
        let mut layers = steady();
        // What repairs settle is not kept.
        layers.without("repair");
        let (first, _) = run(&store, layers, Naming::Own, gait, seed);
        let mut random = Random::new(seed);
        let all = entries(&store);
        assert!(all.len() > 10);
        for entry in &all {
            let mut entry = entry.clone();
            entry.value = spoiled(&mut random, &entry, &all);
            // Only what cannot hold is listed under the subjects of such.
            if entry.value.first() == Some(&UNSAT) {
                entry.index.retain(|key| key[0] == b'u');
            }
            store.put(entry).expect("it is small");
        }
        store.flush().expect("there is room");
        let (again, calls) = run(&store, steady(), Naming::Own, gait, seed);
        assert_eq!(first, again, "seed {seed}");
        assert!(calls > 0, "seed {seed}");
    }
}

/// A formula over symbols of an arena.
type Build = fn(&mut Terms) -> Term;

/// A question in a session of its own: how often its solver was asked, and how often the store knew.
fn ask(store: &Store, questions: &[Build]) -> (Verdict, u64, u64) {
    let mut layers = steady();
    // What is not in the store is to be asked.
    layers.without("repair");
    let mut session = Session::new("a question", layers, Some(store));
    session.push();
    for question in questions {
        let formula = question(&mut session.terms);
        session.assert(formula);
    }
    let verdict = session.check(&[]);
    store.flush().expect("there is room");
    (verdict, session.solver_calls(), session.store_hits())
}

#[test]
fn positions_that_there_are_not_are_a_miss() {
    let square: Build = |terms| {
        let x = terms.var("x", Sort::BitVec(16));
        let (square, three) = (terms.bv_mul(x, x), terms.bv(16, 9));
        terms.eq(square, three)
    };
    let limit: Build = |terms| {
        let (x, ten) = (terms.var("x", Sort::BitVec(16)), terms.bv(16, 10));
        terms.bv_ult(x, ten)
    };
    let folder = Folder::new();
    let store = folder.store();
    assert_eq!(ask(&store, &[square, limit]).0, Verdict::Sat);
    for positions in [vec![2], vec![0, 7], vec![u32::MAX], vec![]] {
        for entry in entries(&store) {
            let record = Record::decode(&entry.key, &entry.value).expect("as it was written");
            let answer = Kept::Unsat(positions.clone());
            let value = Record { answer, ..record }.encode().expect("it is small");
            store.put(Entry { value, ..entry }).expect("it is small");
        }
        store.flush().expect("there is room");
        let (verdict, calls, _) = ask(&store, &[square, limit]);
        assert_eq!((verdict, calls), (Verdict::Sat, 1), "{positions:?}");
    }
}

#[test]
fn a_solution_of_another_question_is_tried_and_not_believed() {
    let folder = Folder::new();
    let store = folder.store();
    let question: [Build; 2] = [
        |terms| {
            let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
            let three = terms.int(3);
            let sum = terms.add(x, y);
            terms.eq(sum, three)
        },
        |terms| {
            let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
            terms.lt(x, y)
        },
    ];
    assert_eq!(ask(&store, &question).0, Verdict::Sat);
    for entry in entries(&store) {
        let record = Record::decode(&entry.key, &entry.value).expect("as it was written");
        let value = SlotValue::Plain(Value::Int(Rational::from(700)));
        let answer = Kept::Sat(vec![value; record.names.len()]);
        let value = Record { answer, ..record }.encode().expect("it is small");
        store.put(Entry { value, ..entry }).expect("it is small");
    }
    store.flush().expect("there is room");
    let (verdict, calls, _) = ask(&store, &question);
    assert_eq!((verdict, calls), (Verdict::Sat, 1));
}

/// Asks twice: the first time the solver is asked, the second time the store knows.
fn kept(questions: &[Build], expected: Verdict) {
    let folder = Folder::new();
    let store = folder.store();
    let (verdict, calls, hits) = ask(&store, questions);
    assert_eq!((verdict, hits), (expected.clone(), 0));
    assert!(calls > 0);
    let (verdict, calls, hits) = ask(&store, questions);
    assert_eq!((verdict, calls), (expected, 0));
    assert!(hits > 0);
}

fn cell(terms: &mut Terms, array: &str, sort: Sort, index: u64) -> Term {
    let (array, index) = (terms.var(array, sort), terms.bv(8, index));
    terms.select(array, index)
}

#[test]
fn a_conflict_of_all_atoms_serves_larger_questions_of_later_runs() {
    fn product(terms: &mut Terms) -> (Term, Term, Term) {
        let (x, y) = (
            terms.var("x", Sort::BitVec(16)),
            terms.var("y", Sort::BitVec(16)),
        );
        (x, y, terms.bv_mul(x, y))
    }
    let odd: Build = |terms| {
        let (_, _, product) = product(terms);
        let three = terms.bv(16, 3);
        terms.eq(product, three)
    };
    let other: Build = |terms| {
        let (x, y, _) = product(terms);
        let double = terms.bv_add(x, x);
        let (product, value) = (terms.bv_mul(double, y), terms.bv(16, 14));
        terms.eq(product, value)
    };
    let more: Build = |terms| {
        let (x, y, _) = product(terms);
        let (sum, limit) = (terms.bv_add(x, y), terms.bv(16, 0x1000));
        terms.bv_ult(sum, limit)
    };
    let folder = Folder::new();
    let store = folder.store();
    let (verdict, calls, _) = ask(&store, &[odd, other]);
    assert_eq!((verdict, calls), (Verdict::Unsat, 1));
    let (verdict, calls, _) = ask(&store, &[odd, more, other]);
    assert_eq!((verdict, calls), (Verdict::Unsat, 0));
}

#[test]
fn cells_are_kept() {
    let product: Build = |terms| {
        let (a, b) = (cell(terms, "a", TABLE, 3), cell(terms, "a", TABLE, 200));
        let (product, value) = (terms.bv_mul(a, b), terms.bv(8, 91));
        terms.eq(product, value)
    };
    let order: Build = |terms| {
        let (a, b) = (cell(terms, "a", TABLE, 3), cell(terms, "a", TABLE, 200));
        terms.bv_ult(a, b)
    };
    let even: Build = |terms| {
        let a = cell(terms, "a", TABLE, 3);
        let (bit, zero) = (terms.extract(a, 0, 0), terms.bv(1, 0));
        terms.eq(bit, zero)
    };
    kept(&[product, order], Verdict::Sat);
    kept(&[product, order, even], Verdict::Unsat);
}

#[test]
fn whole_arrays_are_kept() {
    let written: Build = |terms| {
        let (a, b) = (terms.var("a", TABLE), terms.var("b", TABLE));
        let (at, five) = (terms.var("at", Sort::BitVec(8)), terms.bv(8, 5));
        let written = terms.store(a, at, five);
        terms.eq(written, b)
    };
    let differs: Build = |terms| {
        let (a, b) = (cell(terms, "a", TABLE, 9), cell(terms, "b", TABLE, 9));
        let same = terms.eq(a, b);
        terms.not(same)
    };
    let elsewhere: Build = |terms| {
        let (at, nine) = (terms.var("at", Sort::BitVec(8)), terms.bv(8, 9));
        let same = terms.eq(at, nine);
        terms.not(same)
    };
    kept(&[differs, written], Verdict::Sat);
    kept(&[differs, written, elsewhere], Verdict::Unsat);
}

#[test]
fn functions_are_kept() {
    fn applied(terms: &mut Terms, name: &str) -> Term {
        let func = terms.func("f", &[Sort::BitVec(8), Sort::Bool], Sort::BitVec(8));
        let (x, p) = (terms.var(name, Sort::BitVec(8)), terms.var("p", Sort::Bool));
        terms.apply(func, &[x, p])
    }
    let below: Build = |terms| {
        let (x, y) = (applied(terms, "x"), applied(terms, "y"));
        terms.bv_ult(x, y)
    };
    let same: Build = |terms| {
        let (x, y) = (
            terms.var("x", Sort::BitVec(8)),
            terms.var("y", Sort::BitVec(8)),
        );
        let (mask, x) = (terms.bv(8, 0xfe), terms.bv_xor(x, y));
        let (none, x) = (terms.bv(8, 0), terms.bv_and(x, mask));
        terms.eq(x, none)
    };
    let last: Build = |terms| {
        let (x, y) = (
            terms.var("x", Sort::BitVec(8)),
            terms.var("y", Sort::BitVec(8)),
        );
        let (x, y) = (terms.extract(x, 0, 0), terms.extract(y, 0, 0));
        terms.eq(x, y)
    };
    kept(&[below, same], Verdict::Sat);
    kept(&[below, same, last], Verdict::Unsat);
}

#[test]
fn wide_words_are_kept() {
    let sum: Build = |terms| {
        let x = terms.var("x", Sort::BitVec(100));
        let y = cell(terms, "a", WIDE_TABLE, 1);
        let y = terms.zero_extend(y, 28);
        let (sum, value) = (terms.bv_add(x, y), terms.bv(100, 77));
        terms.eq(sum, value)
    };
    let large: Build = |terms| {
        let x = terms.var("x", Sort::BitVec(100));
        let top = terms.extract(x, 99, 72);
        let zero = terms.bv(28, 0);
        let is_small = terms.eq(top, zero);
        terms.not(is_small)
    };
    let small: Build = |terms| {
        let (x, limit) = (cell(terms, "a", WIDE_TABLE, 1), terms.bv(72, 70));
        terms.bv_ult(x, limit)
    };
    kept(&[large, sum], Verdict::Sat);
    kept(&[large, sum, small], Verdict::Unsat);
}

#[test]
fn reals_are_kept() {
    fn number(terms: &mut Terms, numerator: i64, denominator: i64) -> Term {
        terms.number(Sort::Real, Rational::new(numerator, denominator))
    }
    let above: Build = |terms| {
        let (x, y) = (terms.var("x", Sort::Real), terms.var("y", Sort::Real));
        let (sum, third) = (terms.add(x, y), number(terms, 1, 3));
        terms.lt(third, sum)
    };
    let below: Build = |terms| {
        let (x, half) = (terms.var("x", Sort::Real), number(terms, 1, 6));
        terms.lt(x, half)
    };
    let also: Build = |terms| {
        let (y, half) = (terms.var("y", Sort::Real), number(terms, 1, 6));
        terms.le(y, half)
    };
    let close: Build = |terms| {
        let (y, limit) = (terms.var("y", Sort::Real), number(terms, 1, 5));
        terms.lt(y, limit)
    };
    kept(&[above, below, close], Verdict::Sat);
    kept(&[above, below, also], Verdict::Unsat);
}

/// A session without store, with definitions at its base.
fn session() -> Session {
    Session::new("definitions", steady(), None)
}

fn word(session: &mut Session, name: &str) -> Term {
    session.terms.var(name, Sort::BitVec(16))
}

#[test]
fn a_definition_is_part_of_the_conflict_it_leads_to() {
    let mut session = session();
    let (x, y, z) = (
        word(&mut session, "x"),
        word(&mut session, "y"),
        word(&mut session, "z"),
    );
    let terms = &mut session.terms;
    let three = terms.bv(16, 3);
    let next = terms.bv_add(y, three);
    let first = terms.eq(x, next);
    let double = terms.bv_mul(x, x);
    let second = terms.eq(z, double);
    let eight = terms.bv(16, 8);
    let hard = terms.eq(z, eight);
    let square = terms.bv_mul(y, y);
    let other = terms.eq(square, eight);
    session.assert(first);
    session.assert(second);
    assert_eq!(session.check(&[]), Verdict::Sat);
    session.push();
    session.assert(hard);
    assert_eq!(session.check(&[]), Verdict::Unsat);
    assert_eq!(session.check(&[other]), Verdict::Unsat);
    session.pop();
    assert_eq!(session.check(&[hard]), Verdict::Unsat);
    assert_eq!(session.check(&[]), Verdict::Sat);
}

#[test]
fn a_definition_beside_something_else_in_one_assertion_leaves_no_wrong_answer() {
    let folder = Folder::new();
    let store = folder.store();
    let mut session = Session::new("a mixed assertion", steady(), Some(&store));
    let (x, y, z) = (
        word(&mut session, "x"),
        word(&mut session, "y"),
        word(&mut session, "z"),
    );
    let terms = &mut session.terms;
    let [three, five, even] = [3, 5, 14].map(|value| terms.bv(16, value));
    let definition = terms.eq(x, five);
    let product = terms.bv_mul(y, z);
    let odd = terms.eq(product, three);
    let both = terms.and2(odd, definition);
    let double = terms.bv_add(y, y);
    let product = terms.bv_mul(double, z);
    let doubled = terms.eq(product, even);
    session.assert(both);
    assert_eq!(session.check(&[]), Verdict::Sat);
    session.push();
    session.assert(doubled);
    assert_eq!(session.check(&[]), Verdict::Unsat);
    session.reset();
    session.assert(doubled);
    assert_eq!(session.check(&[]), Verdict::Sat);
    drop(session);
    store.flush().expect("there is room");
    let later: Build = |terms| {
        let (y, z) = (
            terms.var("y", Sort::BitVec(16)),
            terms.var("z", Sort::BitVec(16)),
        );
        let even = terms.bv(16, 14);
        let double = terms.bv_add(y, y);
        let product = terms.bv_mul(double, z);
        terms.eq(product, even)
    };
    assert_eq!(ask(&store, &[later]).0, Verdict::Sat);
}

#[test]
fn a_table_defined_cell_by_cell_is_part_of_its_conflicts() {
    let mut session = session();
    let table = session.terms.var("t", TABLE);
    let index = session.terms.var("i", Sort::BitVec(8));
    for at in 0..8 {
        let terms = &mut session.terms;
        let (place, value) = (terms.bv(8, at), terms.bv(8, 10 * at));
        let cell = terms.select(table, place);
        let definition = terms.eq(cell, value);
        session.assert(definition);
    }
    let terms = &mut session.terms;
    let eight = terms.bv(8, 8);
    let inside = terms.bv_ult(index, eight);
    let read = terms.select(table, index);
    let [forty, odd] = [40, 41].map(|value| terms.bv(8, value));
    let (found, missed) = (terms.eq(read, forty), terms.eq(read, odd));
    session.push();
    session.assert(inside);
    assert_eq!(session.check(&[found]), Verdict::Sat);
    assert_eq!(session.check(&[missed]), Verdict::Unsat);
    session.pop();
    assert_eq!(session.check(&[missed]), Verdict::Sat);
    // Without the table, anything may be there.
    session.reset();
    session.assert(inside);
    assert_eq!(session.check(&[missed]), Verdict::Sat);
    assert_eq!(session.check(&[found]), Verdict::Sat);
}

#[test]
fn what_was_seen_before_is_defined_no_more() {
    let mut session = session();
    let (x, y) = (word(&mut session, "x"), word(&mut session, "y"));
    let terms = &mut session.terms;
    let [five, six] = [5, 6].map(|value| terms.bv(16, value));
    let is_five = terms.eq(x, five);
    let is_six = terms.eq(x, six);
    let square = terms.bv_mul(x, y);
    let odd = terms.eq(square, five);
    session.push();
    session.assert(odd);
    session.assert(is_five);
    assert_eq!(session.check(&[]), Verdict::Sat);
    session.pop();
    // The same formula again, for good now; then what it rules out.
    session.assert(is_five);
    assert_eq!(session.check(&[odd]), Verdict::Sat);
    assert_eq!(session.check(&[is_six]), Verdict::Unsat);
    session.push();
    session.assert(odd);
    assert_eq!(session.check(&[is_six]), Verdict::Unsat);
    session.pop();
    session.reset();
    session.assert(is_six);
    assert_eq!(session.check(&[odd]), Verdict::Unsat);
    assert_eq!(session.check(&[is_five]), Verdict::Unsat);
    assert_eq!(session.check(&[is_six]), Verdict::Sat);
}

#[test]
fn an_assumption_at_the_base_defines_nothing() {
    let mut session = session();
    let (x, y) = (word(&mut session, "x"), word(&mut session, "y"));
    let terms = &mut session.terms;
    let [five, six] = [5, 6].map(|value| terms.bv(16, value));
    let (is_five, is_six) = (terms.eq(x, five), terms.eq(x, six));
    let same = terms.eq(x, y);
    let (y_five, y_six) = (terms.eq(y, five), terms.eq(y, six));
    assert_eq!(session.check(&[is_five]), Verdict::Sat);
    assert_eq!(session.check(&[is_six]), Verdict::Sat);
    assert_eq!(session.check(&[same, y_five, is_six]), Verdict::Unsat);
    session.assert(same);
    assert_eq!(session.check(&[y_five, is_six]), Verdict::Unsat);
    assert_eq!(session.check(&[y_six, is_six]), Verdict::Sat);
    session.assert(y_five);
    assert_eq!(session.check(&[is_six]), Verdict::Unsat);
    assert_eq!(session.check(&[is_five]), Verdict::Sat);
}

#[test]
fn definitions_in_random_sessions_with_resets() {
    for seed in 200..=260 {
        let mut session = session();
        let world = World::new(&mut session.terms, Naming::Own);
        walk(&mut session, &world, Gait::Leaps, seed, 60);
    }
}

#[test]
fn a_conflict_is_kept_where_an_assertion_is_about_several_things() {
    let mut session = session();
    let (x, y) = (word(&mut session, "x"), word(&mut session, "y"));
    let terms = &mut session.terms;
    let [three, seven, nine] = [3, 7, 9].map(|value| terms.bv(16, value));
    let square = terms.bv_mul(x, x);
    let impossible = terms.eq(square, three);
    let (above, far_above) = (terms.bv_ult(seven, y), terms.bv_ult(nine, y));
    let both = terms.and2(impossible, above);
    session.push();
    session.assert(far_above);
    assert_eq!(session.check(&[]), Verdict::Sat);
    session.push();
    session.assert(both);
    assert_eq!(session.check(&[]), Verdict::Unsat);
    let calls = session.solver_calls();
    session.pop();
    assert_eq!(session.check(&[both]), Verdict::Unsat);
    assert_eq!(session.check(&[impossible]), Verdict::Unsat);
    assert_eq!(session.solver_calls(), calls);
}
