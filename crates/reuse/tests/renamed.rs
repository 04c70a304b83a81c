//! Implication across names: what was found out about some things answers questions about others.

#[path = "lasting/common.rs"]
mod common;

use std::sync::Arc;

use common::{Folder, Random, Session};
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::solution::SolutionId;
use refrain_reuse::canon::Canonizer;
use refrain_reuse::preset::Trie;
use refrain_reuse::renamed::{Reading, Renamed, Renaming, rename};
use refrain_reuse::{AnsweredBy, Layers, SharedAnswers};
use refrain_solver::{CheckResult, Limits, Query, Solver, Verdict};
use refrain_store::Store;
use refrain_term::{Rational, Sort, Term, Terms, Value, eval};

/// The layers of GreenTrie without the tries: what is implied is implied across names.
fn renaming() -> Layers {
    let mut layers = Layers::preset("greentrie").expect("a preset");
    layers.trie = Trie::Off;
    layers
}

fn implied(session: &Session) -> [u64; 2] {
    let stats = session.chain.chain_stats();
    [AnsweredBy::ImpliedUnsat, AnsweredBy::ImpliedSat].map(|by| stats.answered_by(by))
}

/// Atoms about some symbols.
type Build = fn(&mut Terms, &[Term]) -> Vec<Term>;

/// What is known, and a question that it answers if it is renamed.
struct Case {
    name: &'static str,
    sort: Sort,
    known: Build,
    asked: Build,
    verdict: Verdict,
}

fn at_most(terms: &mut Terms, term: Term, limit: i64) -> Term {
    let limit = terms.int(limit);
    terms.le(term, limit)
}

fn at_least(terms: &mut Terms, term: Term, limit: i64) -> Term {
    let limit = terms.int(limit);
    terms.ge(term, limit)
}

fn below(terms: &mut Terms, term: Term, limit: u64) -> Term {
    let limit = terms.bv(terms.width(term), limit);
    terms.bv_ult(term, limit)
}

fn above(terms: &mut Terms, term: Term, limit: u64) -> Term {
    let limit = terms.bv(terms.width(term), limit);
    terms.bv_ult(limit, term)
}

const CASES: &[Case] = &[
    // The examples of the paper's introduction, about other names.
    Case {
        name: "x > 0 and a > -1",
        sort: Sort::Int,
        known: |terms, s| vec![at_least(terms, s[0], 1)],
        asked: |terms, s| vec![at_least(terms, s[3], 0)],
        verdict: Verdict::Sat,
    },
    Case {
        name: "a core of sums, and what implies it among others",
        sort: Sort::Int,
        known: |terms, s| {
            let sum = terms.add(s[0], s[1]);
            vec![
                at_most(terms, sum, 4),
                at_least(terms, s[0], 3),
                at_least(terms, s[1], 3),
            ]
        },
        asked: |terms, s| {
            let (sum, other) = (terms.add(s[2], s[3]), terms.sub(s[2], s[1]));
            vec![
                at_least(terms, s[3], 7),
                at_most(terms, other, 100),
                at_most(terms, sum, 3),
                at_least(terms, s[2], 5),
            ]
        },
        verdict: Verdict::Unsat,
    },
    Case {
        name: "a difference, whose names come in the other order",
        sort: Sort::Int,
        known: |terms, s| {
            let difference = terms.sub(s[0], s[1]);
            vec![
                at_most(terms, difference, 3),
                at_least(terms, s[0], 10),
                at_most(terms, s[1], 5),
            ]
        },
        asked: |terms, s| {
            let difference = terms.sub(s[3], s[2]);
            vec![
                at_most(terms, difference, 2),
                at_least(terms, s[3], 11),
                at_most(terms, s[2], 5),
            ]
        },
        verdict: Verdict::Unsat,
    },
    Case {
        name: "a part of a set that has a solution",
        sort: Sort::Int,
        known: |terms, s| {
            let three = terms.int(3);
            let triple = terms.mul(three, s[0]);
            let sum = terms.add(triple, s[1]);
            let difference = terms.sub(s[1], s[2]);
            vec![
                at_most(terms, sum, 2),
                at_least(terms, s[1], 4),
                at_least(terms, difference, 8),
            ]
        },
        asked: |terms, s| {
            let three = terms.int(3);
            let triple = terms.mul(three, s[3]);
            let sum = terms.add(triple, s[2]);
            vec![at_most(terms, sum, 5), at_least(terms, s[2], 2)]
        },
        verdict: Verdict::Sat,
    },
    Case {
        name: "machine integers: a core",
        sort: Sort::BitVec(16),
        known: |terms, s| {
            let product = terms.bv_mul(s[0], s[1]);
            vec![
                above(terms, product, 400),
                below(terms, s[0], 20),
                below(terms, s[1], 20),
            ]
        },
        asked: |terms, s| {
            let product = terms.bv_mul(s[3], s[2]);
            vec![
                below(terms, s[2], 15),
                above(terms, product, 500),
                below(terms, s[3], 20),
            ]
        },
        verdict: Verdict::Unsat,
    },
    Case {
        name: "machine integers: a solution, and a difference the other way round",
        sort: Sort::BitVec(16),
        known: |terms, s| {
            let difference = terms.bv_sub(s[0], s[1]);
            vec![below(terms, difference, 9), above(terms, s[1], 30)]
        },
        asked: |terms, s| {
            let difference = terms.bv_sub(s[3], s[2]);
            vec![below(terms, difference, 10), above(terms, s[2], 30)]
        },
        verdict: Verdict::Sat,
    },
    Case {
        name: "bytes: a cycle, which can be read in three ways",
        sort: Sort::BitVec(8),
        known: |terms, s| {
            vec![
                terms.bv_ult(s[0], s[1]),
                terms.bv_ult(s[1], s[2]),
                terms.bv_ult(s[2], s[0]),
            ]
        },
        asked: |terms, s| {
            vec![
                terms.bv_ult(s[3], s[1]),
                terms.bv_ult(s[2], s[3]),
                terms.bv_ult(s[0], s[1]),
                terms.bv_ult(s[1], s[2]),
            ]
        },
        verdict: Verdict::Unsat,
    },
    Case {
        name: "bytes: symmetric, with limits that tell them apart",
        sort: Sort::BitVec(8),
        known: |terms, s| {
            let all = terms.bv_sum(&s[..3]);
            vec![
                below(terms, all, 3),
                above(terms, s[0], 200),
                below(terms, s[1], 100),
                below(terms, s[2], 50),
            ]
        },
        asked: |terms, s| {
            let all = terms.bv_sum(&[s[3], s[1], s[2]]);
            vec![
                below(terms, s[2], 60),
                above(terms, s[3], 150),
                below(terms, all, 3),
                below(terms, s[1], 100),
            ]
        },
        verdict: Verdict::Sat,
    },
];

/// Symbols of a sort, declared in some order.
fn symbols(terms: &mut Terms, sort: Sort, prefix: &str, is_reversed: bool) -> Vec<Term> {
    let name = |place: usize| format!("{prefix}{place}");
    if is_reversed {
        for place in (0..4).rev() {
            terms.var(&name(place), sort);
        }
    }
    (0..4).map(|place| terms.var(&name(place), sort)).collect()
}

fn ask(session: &mut Session, atoms: &[Term]) -> Verdict {
    session.push();
    for &atom in atoms {
        session.assert(atom);
    }
    let verdict = session.check(&[]);
    session.pop();
    verdict
}

#[test]
fn what_is_implied_under_other_names_is_not_asked() {
    for case in CASES {
        for is_reversed in [false, true] {
            let mut session = Session::new(case.name, renaming(), None);
            let own = symbols(&mut session.terms, case.sort, "own", false);
            let other = symbols(&mut session.terms, case.sort, "other", is_reversed);
            let known = (case.known)(&mut session.terms, &own);
            assert_eq!(ask(&mut session, &known), case.verdict, "{}", case.name);
            assert_eq!(session.solver_calls(), 1, "{}", case.name);
            for symbols in [&own, &other] {
                let asked = (case.asked)(&mut session.terms, symbols);
                assert_eq!(ask(&mut session, &asked), case.verdict, "{}", case.name);
            }
            assert_eq!(session.solver_calls(), 1, "{}", case.name);
            let [unsat, sat] = implied(&session);
            assert!(unsat + sat >= 1, "{}: {unsat} and {sat}", case.name);
        }
    }
}

/// What is known came from another program, which had other names and declared them in another order.
#[test]
fn what_another_program_has_stored_is_not_asked() {
    for case in CASES {
        for is_reversed in [false, true] {
            let folder = Folder::new();
            let store = folder.store();
            let in_program = |prefix: &str, is_reversed: bool, build: Build| {
                let mut session = Session::new(case.name, renaming(), Some(&store));
                let symbols = symbols(&mut session.terms, case.sort, prefix, is_reversed);
                let atoms = build(&mut session.terms, &symbols);
                assert_eq!(ask(&mut session, &atoms), case.verdict, "{}", case.name);
                store.flush().expect("there is room");
                session.solver_calls()
            };
            assert_eq!(in_program("own", false, case.known), 1, "{}", case.name);
            let calls = in_program("other", is_reversed, case.asked);
            assert_eq!(calls, 0, "{}", case.name);
        }
    }
}

/// What is known was found by another thread, which has terms of its own.
#[test]
fn what_another_thread_has_found_is_not_asked() {
    for case in CASES {
        let shared = Arc::<SharedAnswers>::default();
        let in_thread = |prefix: &str, build: Build| {
            let mut session = Session::new(case.name, renaming(), None);
            session.chain.share_with(shared.clone());
            let symbols = symbols(&mut session.terms, case.sort, prefix, false);
            let atoms = build(&mut session.terms, &symbols);
            assert_eq!(ask(&mut session, &atoms), case.verdict, "{}", case.name);
            session.solver_calls()
        };
        assert_eq!(in_thread("own", case.known), 1, "{}", case.name);
        assert_eq!(in_thread("other", case.asked), 0, "{}", case.name);
    }
}

/// The layer can be left out, and then the solver is asked.
#[test]
fn without_renaming_the_solver_is_asked() {
    for case in CASES {
        let mut layers = renaming();
        assert!(layers.without("renaming"));
        let mut session = Session::new(case.name, layers, None);
        let own = symbols(&mut session.terms, case.sort, "own", false);
        let other = symbols(&mut session.terms, case.sort, "other", false);
        for (build, symbols) in [(case.known, &own), (case.asked, &other)] {
            let atoms = build(&mut session.terms, symbols);
            assert_eq!(ask(&mut session, &atoms), case.verdict, "{}", case.name);
        }
        assert_eq!(session.solver_calls(), 2, "{}", case.name);
    }
}

/// Cells of arrays are inputs like others, but not where the array is used as a whole.
#[test]
fn cells_and_whole_arrays() {
    let table = Sort::Array {
        index: 8,
        element: 8,
    };
    let mut session = Session::new("cells", renaming(), None);
    let terms = &mut session.terms;
    let (a, b) = (terms.var("a", table), terms.var("b", table));
    let (i, j) = (
        terms.var("i", Sort::BitVec(8)),
        terms.var("j", Sort::BitVec(8)),
    );
    let cell = |terms: &mut Terms, array, at| {
        let at = terms.bv(8, at);
        terms.select(array, at)
    };
    let product = |terms: &mut Terms, x, y, low, high| {
        let product = terms.bv_mul(x, y);
        vec![
            above(terms, product, 200),
            below(terms, x, low),
            below(terms, y, high),
        ]
    };
    let (a0, a1, b3, b7) = (
        cell(terms, a, 0),
        cell(terms, a, 1),
        cell(terms, b, 3),
        cell(terms, b, 7),
    );
    let known = product(terms, a0, a1, 10, 20);
    let asked = product(terms, b7, b3, 9, 18);
    // i * i = 9, i < 16, a[i] = 5 and a[3] = 7 have no solution; with a[2] = 7 they have.
    let read = |terms: &mut Terms, array, index: Term, at: u64| {
        let (element, cell) = (terms.select(array, index), cell(terms, array, at));
        let [five, seven, nine] = [5, 7, 9].map(|value| terms.bv(8, value));
        let square = terms.bv_mul(index, index);
        vec![
            terms.eq(element, five),
            terms.eq(square, nine),
            below(terms, index, 16),
            terms.eq(cell, seven),
        ]
    };
    let conflict = read(terms, a, i, 3);
    let fits = read(terms, b, j, 2);
    let conflict_again = read(terms, b, j, 3);
    assert_eq!(ask(&mut session, &known), Verdict::Unsat);
    assert_eq!(ask(&mut session, &asked), Verdict::Unsat);
    assert_eq!(session.solver_calls(), 1);
    assert_eq!(ask(&mut session, &conflict), Verdict::Unsat);
    assert_eq!(ask(&mut session, &fits), Verdict::Sat);
    assert_eq!(ask(&mut session, &conflict_again), Verdict::Unsat);
}

/// How many symbols random questions are about, and of which values.
const POOL: usize = 6;
const WIDTH: u32 = 3;
const BOX: i64 = 3;

/// What random questions are about: words of few bits, or integers in a box.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Words,
    Integers,
}

/// What an atom compares with a constant.
#[derive(Clone, Debug)]
enum Left {
    /// Coefficients by symbol.
    Sum(Vec<(usize, i64)>),
    Product(usize, usize),
    /// One if the first is less than the second, else zero.
    Less(usize, usize),
}

#[derive(Clone, Debug)]
struct Atom {
    left: Left,
    op: char,
    right: i64,
}

impl Numbers {
    fn sort(self) -> Sort {
        match self {
            Numbers::Words => Sort::BitVec(WIDTH),
            Numbers::Integers => Sort::Int,
        }
    }

    fn values(self) -> std::ops::Range<i64> {
        match self {
            Numbers::Words => 0..1 << WIDTH,
            Numbers::Integers => -BOX..BOX + 1,
        }
    }

    /// The value of a number: words go round.
    fn normal(self, value: i64) -> i64 {
        match self {
            Numbers::Words => value.rem_euclid(1 << WIDTH),
            Numbers::Integers => value,
        }
    }

    fn constant(self, terms: &mut Terms, value: i64) -> Term {
        match self {
            Numbers::Words => terms.bv(WIDTH, self.normal(value) as u64),
            Numbers::Integers => terms.int(value),
        }
    }

    /// A random atom about some symbols, of few forms.
    fn atom(self, random: &mut Random, symbols: &[usize]) -> Atom {
        let (x, y) = (symbols[0], symbols[1]);
        let z = symbols[2 % symbols.len()];
        let forms = if self == Numbers::Words { 8 } else { 6 };
        let left = match random.below(forms) {
            0 => Left::Sum(vec![(x, 1)]),
            1 => Left::Sum(vec![(y, 1)]),
            2 => Left::Sum(vec![(x, 1), (y, 1)]),
            3 => Left::Sum(vec![(x, 1), (y, -1)]),
            4 => Left::Sum(vec![(y, 2), (z, -1)]),
            5 => Left::Sum(vec![(z, 1), (x, -1)]),
            6 => Left::Product(x, y),
            _ => Left::Less(y, z),
        };
        let left = match left {
            Left::Sum(parts) if parts.len() == 2 && parts[0].0 == parts[1].0 => {
                Left::Sum(vec![(parts[0].0, 1)])
            }
            Left::Less(a, b) if a == b => Left::Sum(vec![(a, 1)]),
            left => left,
        };
        let right = match (self, &left) {
            (_, Left::Less(..)) => random.below(2) as i64,
            (Numbers::Words, _) => 1 + random.below((1 << WIDTH) - 2) as i64,
            (Numbers::Integers, _) => random.below(9) as i64 - 4,
        };
        let op = match left {
            Left::Less(..) => '=',
            _ => random.pick(&['=', '<', '>', '<', '>', '<', '>', '≠']),
        };
        Atom { left, op, right }
    }

    fn holds(self, atom: &Atom, values: &[i64; POOL]) -> bool {
        let left = match &atom.left {
            Left::Sum(parts) => parts.iter().map(|&(s, factor)| factor * values[s]).sum(),
            Left::Product(a, b) => values[*a] * values[*b],
            Left::Less(a, b) => i64::from(values[*a] < values[*b]),
        };
        let left = self.normal(left);
        match atom.op {
            '=' => left == atom.right,
            '≠' => left != atom.right,
            '<' => left < atom.right,
            _ => left > atom.right,
        }
    }

    fn term(self, terms: &mut Terms, atom: &Atom, symbols: &[Term]) -> Term {
        let left = match &atom.left {
            Left::Less(a, b) => {
                let less = terms.bv_ult(symbols[*a], symbols[*b]);
                return if atom.right == 1 {
                    less
                } else {
                    terms.not(less)
                };
            }
            Left::Product(a, b) => terms.bv_mul(symbols[*a], symbols[*b]),
            Left::Sum(parts) => {
                let mut addends = Vec::new();
                for &(symbol, factor) in parts {
                    let factor = self.constant(terms, factor);
                    addends.push(match self {
                        Numbers::Words => terms.bv_mul(factor, symbols[symbol]),
                        Numbers::Integers => terms.mul(factor, symbols[symbol]),
                    });
                }
                match self {
                    Numbers::Words => terms.bv_sum(&addends),
                    Numbers::Integers => terms.sum(&addends),
                }
            }
        };
        let right = self.constant(terms, atom.right);
        match (self, atom.op) {
            (_, '=') => terms.eq(left, right),
            (_, '≠') => {
                let equal = terms.eq(left, right);
                terms.not(equal)
            }
            (Numbers::Words, '<') => terms.bv_ult(left, right),
            (Numbers::Words, _) => terms.bv_ult(right, left),
            (Numbers::Integers, '<') => terms.lt(left, right),
            (Numbers::Integers, _) => terms.gt(left, right),
        }
    }

    /// Whether some values satisfy all atoms: all are tried.
    fn is_satisfiable(self, atoms: &[&Atom], symbols: &[usize]) -> bool {
        let range = self.values();
        let count = (range.end - range.start).pow(symbols.len() as u32);
        (0..count).any(|mut number| {
            let mut values = [0; POOL];
            for &symbol in symbols {
                values[symbol] = range.start + number % (range.end - range.start);
                number /= range.end - range.start;
            }
            atoms.iter().all(|atom| self.holds(atom, &values))
        })
    }

    /// Some symbols, each once.
    fn symbols(random: &mut Random, count: usize) -> Vec<usize> {
        let mut symbols: Vec<usize> = Vec::new();
        while symbols.len() < count {
            let symbol = random.below(POOL as u64) as usize;
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        symbols
    }

    /// A random set of atoms about a few symbols; integers are kept in their box.
    fn question(self, random: &mut Random) -> Question {
        let count = 2 + random.below(2) as usize;
        let symbols = Self::symbols(random, count);
        let count = 2 + random.below(5);
        let mut atoms: Vec<Atom> = (0..count).map(|_| self.atom(random, &symbols)).collect();
        if self == Numbers::Integers {
            for &symbol in &symbols {
                for (op, right) in [('<', BOX + 1), ('>', -BOX - 1)] {
                    let left = Left::Sum(vec![(symbol, 1)]);
                    atoms.push(Atom { left, op, right });
                }
            }
        }
        Question { atoms, symbols }
    }

    /// A question about other symbols, with other constants here and there, and an atom more or less.
    fn variation(self, random: &mut Random, of: &Question) -> Question {
        let symbols = Self::symbols(random, of.symbols.len());
        let other = |symbol: usize| {
            let place = of.symbols.iter().position(|&own| own == symbol);
            symbols[place.expect("one of its symbols")]
        };
        let mut atoms = of.atoms.clone();
        for atom in &mut atoms {
            match &mut atom.left {
                Left::Sum(parts) => parts.iter_mut().for_each(|part| part.0 = other(part.0)),
                Left::Product(a, b) | Left::Less(a, b) => (*a, *b) = (other(*a), other(*b)),
            }
            let is_limit = self == Numbers::Integers && atom.right.abs() == BOX + 1;
            if matches!(atom.op, '<' | '>') && !is_limit && random.below(3) == 0 {
                let right = atom.right + random.pick(&[-1, 1]);
                atom.right = right.clamp(self.values().start, self.values().end - 1);
            }
        }
        let own = match self {
            Numbers::Words => atoms.len(),
            Numbers::Integers => atoms.len() - 2 * symbols.len(),
        };
        match random.below(3) {
            0 => atoms.insert(0, self.atom(random, &symbols)),
            1 if own > 1 => {
                atoms.remove(random.below(own as u64) as usize);
            }
            _ => {}
        }
        Question { atoms, symbols }
    }
}

/// Atoms, and the symbols that they are about.
#[derive(Debug)]
struct Question {
    atoms: Vec<Atom>,
    symbols: Vec<usize>,
}

/// Random questions in one session, each held against all assignments; how many were implied, by verdict.
fn interrogate(numbers: Numbers, layers: Layers, store: Option<&Store>, seed: u64) -> [u64; 2] {
    let mut random = Random::new(seed);
    let mut session = Session::new("random", layers, store);
    // Which symbol comes before which differs from session to session.
    let first = random.below(POOL as u64) as usize;
    for place in 0..POOL {
        let name = format!("s{}", (first + 5 * place) % POOL);
        session.terms.var(&name, numbers.sort());
    }
    let symbols: Vec<Term> = (0..POOL)
        .map(|place| session.terms.var(&format!("s{place}"), numbers.sort()))
        .collect();
    let mut questions: Vec<Question> = Vec::new();
    for _ in 0..QUESTIONS {
        let question = match random.below(4) {
            1.. if !questions.is_empty() => {
                let place = random.below(questions.len() as u64) as usize;
                numbers.variation(&mut random, &questions[place])
            }
            _ => numbers.question(&mut random),
        };
        let Question {
            atoms,
            symbols: about,
        } = &question;
        let terms: Vec<Term> = atoms
            .iter()
            .map(|atom| numbers.term(&mut session.terms, atom, &symbols))
            .collect();
        session.push();
        for &term in &terms {
            session.assert(term);
        }
        let limits = Limits::default();
        let query = Query::new(&[], &limits).with_core();
        let outcome = session.chain.check(&mut session.terms, &query);
        let all: Vec<&Atom> = atoms.iter().collect();
        let told = session.told(&terms);
        match outcome.result {
            CheckResult::Sat(model) => {
                let mut values = [0; POOL];
                for &symbol in about {
                    values[symbol] = number(&eval(&session.terms, symbols[symbol], &model));
                }
                let mut all = all.iter();
                assert!(all.all(|atom| numbers.holds(atom, &values)), "{told}");
            }
            CheckResult::Unsat(conflict) => {
                assert!(!numbers.is_satisfiable(&all, about), "{told}");
                let conflict = conflict.formulas.expect("a chain knows its sources");
                let few: Vec<&Atom> = atoms
                    .iter()
                    .zip(&terms)
                    .filter(|(_, term)| conflict.contains(term))
                    .map(|(atom, _)| atom)
                    .collect();
                assert!(!numbers.is_satisfiable(&few, about), "{told}: {few:?}");
            }
            CheckResult::Unknown(reason) => panic!("{reason}: {told}"),
        }
        session.pop();
        questions.push(question);
    }
    if let Some(store) = store {
        store.flush().expect("there is room");
    }
    implied(&session)
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Bv(value) => value.small().expect("few bits") as i64,
        Value::Int(value) => Rational::to_i64(value).expect("a small integer"),
        _ => panic!("{value:?} is no number"),
    }
}

/// Random questions of a session.
const QUESTIONS: u64 = 150;

/// Every answer is held against all assignments, and many answers are implied across names, of either kind.
#[test]
fn random_questions_against_all_assignments() {
    for numbers in [Numbers::Words, Numbers::Integers] {
        let sessions = refrain_testing::effort(40, 2_000);
        let mut total = [0; 2];
        for seed in 1..=sessions {
            let mut layers = renaming();
            // Without reduction sets have several atoms about one subject.
            layers.reduce = seed % 4 != 0;
            let [unsat, sat] = interrogate(numbers, layers, None, seed);
            total = [total[0] + unsat, total[1] + sat];
        }
        println!("of {} answers, implied: {total:?}", sessions * QUESTIONS);
        for count in total {
            assert!(80 * count > sessions * QUESTIONS, "{total:?}");
        }
    }
}

/// The same with every layer, and from a store that others have filled.
#[test]
fn random_questions_on_one_store() {
    for numbers in [Numbers::Words, Numbers::Integers] {
        let mut total = [0; 2];
        for seed in 1..=refrain_testing::effort(6, 300) {
            let folder = Folder::new();
            let store = folder.store();
            for session in 0..3 {
                let layers = match session {
                    2 => Layers::preset("full").expect("a preset"),
                    _ => renaming(),
                };
                let seed = 100 * seed + session;
                let [unsat, sat] = interrogate(numbers, layers, Some(&store), seed);
                total = [total[0] + unsat, total[1] + sat];
            }
        }
        println!("implied: {total:?}");
        assert!(total.iter().all(|&count| count > 40), "{total:?}");
    }
}

/// What the search finds is a renaming, and it finds one if there is one that keeps different inputs apart.
#[test]
fn renamings_are_found_if_there_are_any() {
    for numbers in [Numbers::Words, Numbers::Integers] {
        let mut random = Random::new(5);
        let mut found = [[0; 2]; 2];
        for _ in 0..refrain_testing::effort(400, 20_000) {
            let mut world = Matching::new(numbers, &mut random);
            let stored = numbers.question(&mut random);
            let query = match random.below(3) {
                0 => numbers.question(&mut random),
                _ => numbers.variation(&mut random, &stored),
            };
            let (known, asked) = (world.set(&stored), world.set(&query));
            // Where all atoms are true or false there is nothing to be renamed.
            if known.is_empty() || asked.is_empty() {
                continue;
            }
            let (core, solution) = world.look_up(&known, &asked);
            let expected = [(&known, &asked), (&asked, &known)].map(|(of, within)| {
                let mut renamings = world.renamings(of, within).into_iter();
                renamings.any(|renaming| world.is_implied(of, within, &renaming))
            });
            for (found, expected) in [core, solution].into_iter().zip(expected) {
                assert!(found || !expected, "{stored:?} {query:?}");
            }
            for (counts, is_found) in found.iter_mut().zip(expected) {
                counts[usize::from(is_found)] += 1;
            }
        }
        println!("missing and found: {found:?}");
        assert!(found.iter().flatten().all(|&count| count > 40), "{found:?}");
    }
}

/// Atoms, and what looks for renamings between sets of them.
struct Matching {
    numbers: Numbers,
    terms: Terms,
    symbols: Vec<Term>,
    atoms: AtomTable,
    canonizer: Canonizer,
}

impl Matching {
    fn new(numbers: Numbers, random: &mut Random) -> Matching {
        let mut terms = Terms::new();
        let order = Numbers::symbols(random, POOL);
        for place in order {
            terms.var(&format!("s{place}"), numbers.sort());
        }
        let symbols = (0..POOL).map(|place| terms.var(&format!("s{place}"), numbers.sort()));
        let symbols = symbols.collect();
        Matching {
            numbers,
            terms,
            symbols,
            atoms: AtomTable::default(),
            canonizer: Canonizer::new(),
        }
    }

    /// The atoms of a question that are neither true nor false.
    fn set(&mut self, question: &Question) -> Vec<AtomId> {
        let mut set = Vec::new();
        for atom in &question.atoms {
            let term = self.numbers.term(&mut self.terms, atom, &self.symbols);
            if !self.terms.is_value(term) {
                set.push(self.atoms.id(&self.terms, term));
            }
        }
        set.sort_unstable();
        set.dedup();
        self.atoms.know(&mut self.terms, &set);
        set
    }

    /// Whether a set is found as a core of another, and as one with a solution of it.
    fn look_up(&mut self, known: &[AtomId], asked: &[AtomId]) -> (bool, bool) {
        let mut renamed = Renamed::default();
        renamed.add_core(&self.atoms, known);
        renamed.add_solved(&self.atoms, known, SolutionId(0));
        let mut reading = Reading {
            terms: &self.terms,
            atoms: &self.atoms,
            canonizer: &mut self.canonizer,
        };
        let core = renamed.find_core(&mut reading, asked);
        let solution = renamed.find_solution(&mut reading, asked);
        if let Some((_, renaming)) = &core {
            assert!(self.is_implied(known, asked, renaming));
        }
        if let Some((_, renaming)) = &solution {
            assert!(self.is_implied(asked, known, renaming));
        }
        (core.is_some(), solution.is_some())
    }

    /// All ways to put inputs of one set, each once, in place of those of another.
    fn renamings(&self, of: &[AtomId], within: &[AtomId]) -> Vec<Renaming> {
        let (from, to) = (self.atoms.inputs_of(of), self.atoms.inputs_of(within));
        let mut all: Vec<Renaming> = vec![Vec::new()];
        for input in from {
            let longer = all.iter().flat_map(|renaming| {
                let free = to
                    .iter()
                    .filter(|&&other| renaming.iter().all(|&(_, used)| used != other));
                free.map(move |&other| [&renaming[..], &[(input, other)]].concat())
            });
            all = longer.collect();
        }
        all
    }

    /// Whether each atom of a set, renamed, is implied by an atom of another.
    fn is_implied(&mut self, set: &[AtomId], by: &[AtomId], renaming: &Renaming) -> bool {
        let Some(renamed) = rename(&mut self.terms, &mut self.atoms, set, renaming) else {
            return false;
        };
        self.atoms.know(&mut self.terms, &renamed);
        renamed.iter().all(|&atom| {
            let target = self.atoms.restriction(atom);
            by.iter()
                .any(|&other| self.atoms.restriction(other).implies(target))
        })
    }
}
