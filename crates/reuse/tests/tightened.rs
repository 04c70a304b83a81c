//! Sets that come to the same restrictions are one question, however they are written (GreenTrie, section 4).

#[path = "lasting/common.rs"]
mod common;

use common::{Folder, Session};
use refrain_reuse::{AnsweredBy, Layers};
use refrain_solver::Verdict;
use refrain_store::Store;
use refrain_term::{Sort, Term, Terms};

/// A set of atoms about two symbols.
type Build = fn(&mut Terms, Term, Term) -> Vec<Term>;

/// A sort, and sets of atoms that say the same about symbols of it.
struct Question {
    sort: Sort,
    verdict: Verdict,
    ways: &'static [Build],
}

fn not_equal(terms: &mut Terms, a: Term, b: Term) -> Term {
    let equal = terms.eq(a, b);
    terms.not(equal)
}

/// `x + y <= 3` in several ways.
const SUM: &[Build] = &[
    |terms, x, y| {
        let (sum, four) = (terms.add(x, y), terms.int(4));
        vec![terms.le(sum, four), not_equal(terms, sum, four)]
    },
    |terms, x, y| {
        let (sum, three) = (terms.add(y, x), terms.int(3));
        vec![terms.le(sum, three)]
    },
    |terms, x, y| {
        let (sum, limits) = (terms.add(x, y), [9, 6, 5, 4].map(|limit| terms.int(limit)));
        let mut atoms = vec![terms.lt(sum, limits[1]), terms.le(sum, limits[0])];
        atoms.push(not_equal(terms, sum, limits[2]));
        atoms.push(not_equal(terms, sum, limits[3]));
        atoms
    },
];

/// `x - y` is one, two or three, of machine integers.
const DIFFERENCE: &[Build] = &[
    |terms, x, y| {
        let (difference, [zero, four]) = (terms.bv_sub(x, y), [0, 4].map(|v| terms.bv(16, v)));
        vec![
            terms.bv_ult(difference, four),
            not_equal(terms, difference, zero),
        ]
    },
    |terms, x, y| {
        let (reverse, [low, high]) = (
            terms.bv_sub(y, x),
            [0xfffd, 0xffff].map(|v| terms.bv(16, v)),
        );
        let (below, above) = (terms.bv_ult(reverse, low), terms.bv_ult(high, reverse));
        vec![terms.not(below), terms.not(above)]
    },
];

/// A byte is a letter: one condition, or one bound after the other; beside another byte that is the same.
const LETTER: &[Build] = &[
    |terms, x, y| {
        let [bit, first, last] = [0x20, b'a'.into(), b'z'.into()].map(|v| terms.bv(8, v));
        let lower = terms.bv_or(x, bit);
        let (below, above) = (terms.bv_ult(lower, first), terms.bv_ult(last, lower));
        vec![terms.not(below), terms.not(above), terms.bv_ult(x, y)]
    },
    |terms, x, y| {
        let limits = [b'A', b'Z', b'a', b'z'].map(|limit| terms.bv(8, limit.into()));
        let within = |terms: &mut Terms, low, high| {
            let (below, above) = (terms.bv_ult(x, low), terms.bv_ult(high, x));
            let outside = terms.or2(below, above);
            terms.not(outside)
        };
        let (upper, lower) = (
            within(terms, limits[0], limits[1]),
            within(terms, limits[2], limits[3]),
        );
        vec![terms.bv_ult(x, y), terms.or2(upper, lower)]
    },
];

/// `x + y` is at most 3 and both are at least 2: no two of them say so. What is said of `x - y` does not matter.
const IMPOSSIBLE: &[Build] = &[
    |terms, x, y| {
        let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
        let [two, four, fifty] = [2, 4, 50].map(|value| terms.int(value));
        vec![
            terms.le(difference, fifty),
            terms.le(sum, four),
            terms.ge(x, two),
            not_equal(terms, sum, four),
            terms.ge(y, two),
        ]
    },
    |terms, x, y| {
        let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
        let [one, two, three, fifty] = [1, 2, 3, 50].map(|value| terms.int(value));
        vec![
            terms.le(difference, fifty),
            terms.ge(y, two),
            terms.le(sum, three),
            terms.ge(x, one),
            not_equal(terms, x, one),
        ]
    },
];

const QUESTIONS: &[Question] = &[
    Question {
        sort: Sort::Int,
        verdict: Verdict::Sat,
        ways: SUM,
    },
    Question {
        sort: Sort::BitVec(16),
        verdict: Verdict::Sat,
        ways: DIFFERENCE,
    },
    Question {
        sort: Sort::BitVec(8),
        verdict: Verdict::Sat,
        ways: LETTER,
    },
    Question {
        sort: Sort::Int,
        verdict: Verdict::Unsat,
        ways: IMPOSSIBLE,
    },
];

fn greentrie() -> Layers {
    let mut layers = Layers::preset("greentrie").expect("a preset");
    layers.without("sets");
    layers
}

/// Asks a question about symbols of these names; they are declared in the order of `declared`.
fn ask(
    session: &mut Session,
    sort: Sort,
    names: [&str; 2],
    declared: [usize; 2],
    way: Build,
) -> Verdict {
    for place in declared {
        session.terms.var(names[place], sort);
    }
    let [x, y] = names.map(|name| session.terms.var(name, sort));
    session.push();
    for atom in way(&mut session.terms, x, y) {
        session.assert(atom);
    }
    let verdict = session.check(&[]);
    session.pop();
    verdict
}

/// Whichever way comes first, the others are the same set of atoms after reduction.
#[test]
fn one_question_in_one_session() {
    for question in QUESTIONS {
        for &first in question.ways {
            let mut session = Session::new("one session", greentrie(), None);
            let names = ["x", "y"];
            let verdict = ask(&mut session, question.sort, names, [0, 1], first);
            assert_eq!(verdict, question.verdict);
            for &way in question.ways {
                let again = ask(&mut session, question.sort, names, [0, 1], way);
                assert_eq!(again, question.verdict);
            }
            assert_eq!(session.solver_calls(), 1);
            let stats = session.chain.chain_stats();
            let repeats = question.ways.len() as u64;
            assert_eq!(stats.answered_by(AnsweredBy::Exact), repeats);
        }
    }
}

fn in_a_process_of_its_own(store: &Store, question: &Question, other: bool, way: Build) -> u64 {
    let mut session = Session::new("of its own", greentrie(), Some(store));
    let (names, declared) = match other {
        false => (["x", "y"], [0, 1]),
        true => (["second", "first"], [1, 0]),
    };
    let verdict = ask(&mut session, question.sort, names, declared, way);
    assert_eq!(verdict, question.verdict);
    store.flush().expect("there is room");
    session.solver_calls()
}

/// The canonical form is that of what the atoms come to.
#[test]
fn one_question_under_other_names_and_in_a_store() {
    for question in QUESTIONS {
        for &first in question.ways {
            let folder = Folder::new();
            let store = folder.store();
            assert_eq!(in_a_process_of_its_own(&store, question, false, first), 1);
            for &way in question.ways {
                assert_eq!(in_a_process_of_its_own(&store, question, false, way), 0);
                assert_eq!(in_a_process_of_its_own(&store, question, true, way), 0);
            }
        }
    }
}

/// A core names the assertions that were asked, not those of the set that the answer comes from.
#[test]
fn cores_are_of_the_atoms_asked() {
    let [first, second] = IMPOSSIBLE else {
        panic!("two ways")
    };
    let mut layers = Layers::preset("full").expect("a preset");
    for layer in ["sets", "repair", "model"] {
        layers.without(layer);
    }
    let mut session = Session::new("cores", layers, None);
    assert_eq!(
        ask(&mut session, Sort::Int, ["x", "y"], [0, 1], *first),
        Verdict::Unsat
    );
    let [x, y] = ["x", "y"].map(|name| session.terms.var(name, Sort::Int));
    let atoms = second(&mut session.terms, x, y);
    session.push();
    let outcome = session.outcome(&atoms);
    let mut core = outcome.conflict().expect("unsat").core.clone();
    core.sort_unstable();
    let mut expected = atoms[1..].to_vec();
    expected.sort_unstable();
    assert_eq!(core, expected);
    assert_eq!(session.solver_calls(), 1);
}

/// A slice of so many atoms that nothing is found out about them, beside one that is reduced, and both cannot hold.
#[test]
fn beside_a_very_large_slice() {
    for layers in ["full", "greentrie"] {
        let mut layers = Layers::preset(layers).expect("a preset");
        layers.without("model");
        let mut session = Session::new("large", layers, None);
        let terms = &mut session.terms;
        let switches: Vec<Term> = (0..4_200)
            .map(|at| terms.var(&format!("p{at}"), Sort::Bool))
            .collect();
        let either: Vec<Term> = switches
            .windows(2)
            .map(|pair| terms.or2(pair[0], pair[1]))
            .collect();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Int));
        let ways = IMPOSSIBLE.iter().map(|way| way(terms, x, y));
        let ways: Vec<Vec<Term>> = ways.collect();
        for atom in either {
            session.assert(atom);
        }
        for way in ways {
            assert_eq!(session.check(&way[1..]), Verdict::Unsat);
            assert_eq!(session.check(&way[2..]), Verdict::Sat);
        }
    }
}
