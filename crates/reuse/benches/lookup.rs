//! What a look-up takes, by the number of stored entries: median and 99th percentile, in microseconds.
//!
//! The sets are path conditions of a made-up program that reads records of bytes and of integers: a machine of branch
//! sites, each of which compares an input, or a sum of neighbouring ones, with a constant. A satisfiable set is the
//! path of a random input, or a part of it, kept with that input. What is stored as unsatisfiable is a few atoms of a
//! path and a check that no path has; whether they really are in conflict makes no difference to a look-up. The tries
//! and the answers in memory have as many entries as the column says, the store on disk as many in all, half of them
//! satisfiable.
//!
//! Questions that hit are stored sets as they are, under other names, cut down, extended, or with other constants;
//! those that miss are other paths of the same program. The tries may visit as many nodes as in a check, or search to
//! the end. Everything is asked twice, and the second time counts; `mean` and, of the first time, the median `first`
//! are those of the last size.
//!
//! `cargo bench -p refrain-reuse --bench lookup -- 10000` goes up to that size only.

use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::solution::SolutionId;
use refrain_reuse::answers::{Answer, Answers};
use refrain_reuse::canon::Canonical;
use refrain_reuse::lasting::{
    IndexKey, Kept, Lasting, Record, SharedAnswers, SlotName, SlotValue, under_core,
    under_solution, validity,
};
use refrain_reuse::ltrie::{Effort, Found, SatTrie, UnsatTrie};
use refrain_store::{Entry, Options, Store};
use refrain_term::{Bv, Input, Op, Rational, Sort, Term, Terms, Value};
use refrain_testing::Random;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Questions of a kind.
const QUERIES: usize = 2_000;

/// Inputs of a record, and records that the program reads; beyond these there are as many that it does not.
const RECORD: usize = 24;
const RECORDS: usize = 12;

/// Branch sites of the program.
const SITES: usize = 300;

/// How many entries are written to the store at a time.
const BATCH: usize = 10_000;

/// The most entries that a check fetches under one subject.
const PER_SUBJECT: usize = 16;

/// What a look-up in a trie may cost in a check, by the same atoms and by implication.
const PLAIN: Effort = Effort {
    implication: false,
    visits: 1_000,
};
const BOUNDED: Effort = Effort {
    implication: true,
    ..PLAIN
};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Values {
    Exactly(i64),
    Not(i64),
    UpTo(i64),
    From(i64),
}

impl Values {
    fn stronger(self) -> Values {
        match self {
            Values::Not(a) => Values::From(a + 1),
            Values::UpTo(a) => Values::UpTo(a - 1),
            Values::From(a) => Values::From(a + 1),
            exactly => exactly,
        }
    }

    fn weaker(self) -> Values {
        match self {
            Values::Exactly(a) => Values::Not(255 - a),
            Values::UpTo(a) => Values::UpTo(a + 1),
            Values::From(a) => Values::From(a - 1),
            not => not,
        }
    }
}

/// The sum of so many inputs from a place on, and what it may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Restricted {
    place: usize,
    count: usize,
    values: Values,
}

fn is_byte(place: usize) -> bool {
    (place / RECORD).is_multiple_of(2)
}

#[derive(Default)]
struct World {
    terms: Terms,
    atoms: AtomTable,
    ids: FxHashMap<Restricted, AtomId>,
    about: FxHashMap<AtomId, Restricted>,
}

impl World {
    fn atom(&mut self, restricted: Restricted) -> AtomId {
        if let Some(&id) = self.ids.get(&restricted) {
            return id;
        }
        let term = self.term(restricted);
        let id = self.atoms.id(&self.terms, term);
        self.atoms.know(&mut self.terms, &[id]);
        self.ids.insert(restricted, id);
        self.about.insert(id, restricted);
        id
    }

    fn term(&mut self, restricted: Restricted) -> Term {
        let Restricted {
            place,
            count,
            values,
        } = restricted;
        let terms = &mut self.terms;
        let (Values::Exactly(a) | Values::Not(a) | Values::UpTo(a) | Values::From(a)) = values;
        let (sum, constant) = if is_byte(place) {
            let inputs: Vec<Term> = (place..place + count)
                .map(|place| terms.var(&format!("input{place}"), Sort::BitVec(8)))
                .collect();
            (terms.bv_sum(&inputs), terms.bv(8, a as u64))
        } else {
            let inputs: Vec<Term> = (place..place + count)
                .map(|place| terms.var(&format!("input{place}"), Sort::Int))
                .collect();
            (terms.sum(&inputs), terms.int(a))
        };
        match (values, is_byte(place)) {
            (Values::Exactly(_), _) => terms.eq(sum, constant),
            (Values::Not(_), _) => {
                let equal = terms.eq(sum, constant);
                terms.not(equal)
            }
            (Values::UpTo(_), true) => terms.bv_ule(sum, constant),
            (Values::UpTo(_), false) => terms.le(sum, constant),
            (Values::From(_), true) => terms.bv_uge(sum, constant),
            (Values::From(_), false) => terms.ge(sum, constant),
        }
    }

    fn changed(&mut self, set: &[AtomId], change: impl Fn(Restricted) -> Restricted) -> Set {
        let mut changed = Set::new();
        for atom in set {
            let restricted = change(self.about[atom]);
            push_new(&mut changed, self.atom(restricted));
        }
        changed
    }

    /// The set as another record of the same kind would have it.
    fn renamed(&mut self, set: &[AtomId]) -> Set {
        self.changed(set, |restricted| Restricted {
            place: (restricted.place + 2 * RECORD) % (RECORDS * RECORD),
            ..restricted
        })
    }

    fn name(&self, slot: Input) -> (Box<str>, usize) {
        let Input::Symbol(symbol) = slot else {
            unreachable!("there are no arrays or functions");
        };
        let Op::Var(var) = self.terms.op(symbol) else {
            unreachable!("inputs are symbols");
        };
        let name = self.terms.var_decl(var).name.clone();
        let place = name.trim_start_matches("input").parse().expect("a number");
        (name, place)
    }
}

/// Atoms in the order of the path, each once.
type Set = Vec<AtomId>;

fn push_new(set: &mut Set, atom: AtomId) {
    if !set.contains(&atom) {
        set.push(atom);
    }
}

fn scramble(seed: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize
}

struct Program {
    world: World,
    random: Random,
    /// The first of the records that it reads.
    first_record: usize,
}

/// A path, and the input that takes it.
struct Run {
    path: Set,
    record: usize,
    input: [i64; RECORD],
}

impl Program {
    /// Reads a random record for some branches.
    fn run(&mut self, branches: usize) -> Run {
        let record = self.first_record + self.random.below(RECORDS);
        let mut input = [0; RECORD].map(|_: i64| self.random.below(256) as i64);
        let mut is_tested = [false; RECORD];
        let (mut site, mut place) = (self.random.below(8), 0);
        let mut path = Set::new();
        for _ in 0..branches {
            let traits = scramble(site);
            let count = [1, 1, 1, 1, 2, 4][traits / 8 % 6];
            let constant = (traits / 64 % 250) as i64 + 2;
            let is_equation = (traits / 32_768).is_multiple_of(2);
            // A random input is hardly ever equal to anything: half of those not looked at before are.
            let cells = place..place + count;
            let is_fresh = !is_tested[cells.clone()].contains(&true);
            if is_equation && is_fresh && self.random.below(2) == 0 {
                let others: i64 = input[cells.clone()][1..].iter().sum();
                input[place] = wrapped(record, constant - others);
            }
            is_tested[cells.clone()].fill(true);
            let sum = wrapped(record, input[cells].iter().sum());
            let taken = if is_equation {
                sum == constant
            } else {
                sum <= constant
            };
            let values = match (is_equation, taken) {
                (true, true) => Values::Exactly(constant),
                (true, false) => Values::Not(constant),
                (false, true) => Values::UpTo(constant),
                (false, false) => Values::From(constant + 1),
            };
            let atom = self.world.atom(Restricted {
                place: record * RECORD + place,
                count,
                values,
            });
            push_new(&mut path, atom);
            site = scramble(site * 2 + usize::from(taken)) % SITES;
            place = (place + usize::from(traits % 8 < 5)).min(RECORD - 4);
        }
        Run {
            path,
            record,
            input,
        }
    }

    /// Some atoms of a path, in order.
    fn some(&mut self, path: &[AtomId], of_ten: usize) -> Set {
        let mut some = path.to_vec();
        some.retain(|_| self.random.below(10) < of_ten);
        if some.is_empty() {
            some.push(path[0]);
        }
        some
    }

    fn sat_set(&mut self) -> Run {
        let branches = 6 + self.random.below(25);
        let mut run = self.run(branches);
        if self.random.below(2) == 0 {
            run.path = self.some(&run.path, 7);
        }
        run
    }

    /// A path that a check ends, and the few atoms of it that are in conflict.
    fn unsat_set(&mut self) -> (Set, Set) {
        let branches = 6 + self.random.below(25);
        let Run {
            mut path, record, ..
        } = self.run(branches);
        let constant = 2 + self.random.below(250) as i64;
        let values = match self.random.below(4) {
            0 => Values::UpTo(constant),
            _ => Values::Exactly(constant),
        };
        let check = self.world.atom(Restricted {
            place: record * RECORD + self.random.below(RECORD - 4),
            count: 3,
            values,
        });
        let mut core = Set::new();
        for _ in 0..2 + self.random.below(5) {
            push_new(&mut core, path[self.random.below(path.len())]);
        }
        push_new(&mut core, check);
        push_new(&mut path, check);
        (path, core)
    }

    /// Paths that are not stored, most likely.
    fn fresh(&mut self) -> Vec<Set> {
        (0..QUERIES).map(|_| self.sat_set().path).collect()
    }
}

/// Bytes are added as bytes.
fn wrapped(record: usize, sum: i64) -> i64 {
    if is_byte(record * RECORD) {
        sum & 0xff
    } else {
        sum
    }
}

/// So many of all that pass by, each with the same chance.
struct Sample<T> {
    items: Vec<T>,
    seen: usize,
}

impl<T> Sample<T> {
    fn new() -> Sample<T> {
        Sample {
            items: Vec::new(),
            seen: 0,
        }
    }

    fn offer(&mut self, random: &mut Random, item: T) {
        self.seen += 1;
        if self.items.len() < QUERIES {
            return self.items.push(item);
        }
        let place = random.below(self.seen);
        if place < QUERIES {
            self.items[place] = item;
        }
    }
}

struct Stored {
    answers: Answers,
    unsat: UnsatTrie,
    sat: SatTrie,
    store: Store,
    /// Finds the canonical forms of what is put into the store.
    forms: Lasting,
    in_store: [usize; 2],
    /// The hashes of their keys.
    keys: FxHashSet<u64>,
    queued: usize,
    sat_sample: Sample<Set>,
    unsat_sample: Sample<(Set, Set)>,
    store_sample: Sample<Set>,
}

impl Stored {
    fn new(store: Store) -> Stored {
        Stored {
            answers: Answers::default(),
            unsat: UnsatTrie::default(),
            sat: SatTrie::new(),
            store,
            forms: Lasting::default(),
            in_store: [0; 2],
            keys: FxHashSet::default(),
            queued: 0,
            sat_sample: Sample::new(),
            unsat_sample: Sample::new(),
            store_sample: Sample::new(),
        }
    }

    fn grow(&mut self, program: &mut Program, size: usize) {
        let started = Instant::now();
        for _ in 0..3 * size {
            if self.sat.len() >= size && self.answers.len() >= size {
                break;
            }
            let run = program.sat_set();
            let id = self.sat_sample.seen as u32;
            self.sat.insert(&program.world.atoms, &run.path, id);
            let key = program.world.atoms.key(run.path.iter().copied());
            self.answers.insert(key, Answer::Sat(SolutionId(id)));
            if self.in_store[0] < size / 2 {
                self.put_sat(program, &run);
            }
            self.sat_sample.offer(&mut program.random, run.path);
        }
        for _ in 0..3 * size {
            if self.unsat.len() >= size {
                break;
            }
            let (path, core) = program.unsat_set();
            self.unsat.insert(&program.world.atoms, &core);
            if self.in_store[1] < size / 2 {
                self.put_unsat(program, &core);
            }
            self.unsat_sample.offer(&mut program.random, (path, core));
        }
        self.store.flush().expect("room");
        let info = self.store.info().expect("information");
        println!(
            "{size}: in memory {} answers, {} satisfiable sets of {} bytes, {} unsatisfiable ones of {}; on disk {} entries, {} MB; \
             {} atoms; {:.1} s",
            self.answers.len(),
            self.sat.len(),
            self.sat.bytes() / self.sat.len(),
            self.unsat.len(),
            self.unsat.bytes() / self.unsat.len(),
            info.entries,
            info.file_bytes >> 20,
            program.world.atoms.len(),
            started.elapsed().as_secs_f64()
        );
    }

    fn put_sat(&mut self, program: &mut Program, run: &Run) {
        let world = &program.world;
        let newest = *run.path.last().expect("an atom");
        let index = under_solution(&world.terms, &world.atoms, &run.path, newest);
        let Some(canonical) = self.forms.canonize(&world.terms, &world.atoms, &run.path) else {
            return;
        };
        let value = |&slot: &Input| {
            let (_, place) = world.name(slot);
            let value = run.input[place % RECORD];
            SlotValue::Plain(if is_byte(place) {
                Value::Bv(Bv::new(8, value as u64))
            } else {
                Value::Int(Rational::from(value))
            })
        };
        let answer = Kept::Sat(canonical.slots.iter().map(value).collect());
        if !self.put(world, canonical, answer, index) {
            return;
        }
        self.in_store[0] += 1;
        self.store_sample
            .offer(&mut program.random, run.path.clone());
    }

    fn put_unsat(&mut self, program: &mut Program, core: &Set) {
        let world = &program.world;
        let index = under_core(&world.terms, &world.atoms, core);
        let Some(canonical) = self.forms.canonize(&world.terms, &world.atoms, core) else {
            return;
        };
        let answer = Kept::Unsat((0..canonical.order.len() as u32).collect());
        if !self.put(world, canonical, answer, index) {
            return;
        }
        self.in_store[1] += 1;
        self.store_sample.offer(&mut program.random, core.clone());
    }

    /// Puts an entry into the store, unless it is there.
    fn put(
        &mut self,
        world: &World,
        canonical: Canonical,
        answer: Kept,
        index: impl IntoIterator<Item = IndexKey>,
    ) -> bool {
        let mut hasher = FxHasher::default();
        canonical.key.hash(&mut hasher);
        if !self.keys.insert(hasher.finish()) {
            return false;
        }
        let names = canonical.slots.iter();
        let names = names.map(|&slot| SlotName::Symbol(world.name(slot).0));
        let record = Record {
            answer,
            names: names.collect(),
        };
        let value = record.encode().expect("it is small");
        let mut entry = Entry::new(canonical.key, value).costing(500);
        for key in index {
            entry = entry.under(key);
        }
        self.store.put(entry).expect("it fits");
        self.queued += 1;
        if self.queued == BATCH {
            self.store.flush().expect("room");
            self.queued = 0;
        }
        true
    }
}

/// What one kind of look-up took at one size, in nanoseconds.
struct Figures {
    first: u64,
    mean: u64,
    median: u64,
    high: u64,
    hits: usize,
    gave_up: usize,
    queries: usize,
}

enum Outcome {
    Hit,
    Miss,
    GaveUp,
}

impl<T> From<Option<T>> for Outcome {
    fn from(found: Option<T>) -> Outcome {
        match found {
            Some(_) => Outcome::Hit,
            None => Outcome::Miss,
        }
    }
}

impl<T> From<Found<T>> for Outcome {
    fn from(found: Found<T>) -> Outcome {
        match found {
            Found::Hit(_) => Outcome::Hit,
            Found::Miss => Outcome::Miss,
            Found::GaveUp => Outcome::GaveUp,
        }
    }
}

/// The table: a row for each kind of look-up, with the figures at each size.
#[derive(Default)]
struct Table {
    rows: Vec<(&'static str, Vec<Figures>)>,
}

impl Table {
    fn measure<Q, O: Into<Outcome>>(
        &mut self,
        name: &'static str,
        queries: &[Q],
        mut ask: impl FnMut(&Q) -> O,
    ) {
        self.measure_prepared(name, queries, || (), |(), query| ask(query));
    }

    /// Measures with something that is made new for each question.
    fn measure_prepared<Q, P, O: Into<Outcome>>(
        &mut self,
        name: &'static str,
        queries: &[Q],
        mut prepare: impl FnMut() -> P,
        mut ask: impl FnMut(&mut P, &Q) -> O,
    ) {
        if queries.is_empty() {
            return;
        }
        let mut pass = || {
            let (mut hits, mut gave_up) = (0, 0);
            let mut times: Vec<u64> = Vec::with_capacity(queries.len());
            for query in queries {
                let mut prepared = prepare();
                let start = Instant::now();
                let found = black_box(ask(&mut prepared, black_box(query)));
                times.push(start.elapsed().as_nanos() as u64);
                match found.into() {
                    Outcome::Hit => hits += 1,
                    Outcome::Miss => {}
                    Outcome::GaveUp => gave_up += 1,
                }
            }
            times.sort_unstable();
            (times, hits, gave_up)
        };
        let (first, ..) = pass();
        let (times, hits, gave_up) = pass();
        let figures = Figures {
            first: first[first.len() / 2],
            mean: times.iter().sum::<u64>() / times.len() as u64,
            median: times[times.len() / 2],
            high: times[times.len() * 99 / 100],
            hits,
            gave_up,
            queries: queries.len(),
        };
        match self.rows.iter_mut().find(|(row, _)| *row == name) {
            Some((_, all)) => all.push(figures),
            None => self.rows.push((name, vec![figures])),
        }
    }

    fn print(&self, sizes: &[usize]) {
        let microseconds = |time: u64| time as f64 / 1000.0;
        print!("\n{:34}", "microseconds");
        for size in sizes {
            print!(" {size:>17}");
        }
        println!(
            " {:>9} {:>9} {:>6} {:>8}",
            "mean", "first", "hits", "gave up"
        );
        print!("{:34}", "");
        for _ in sizes {
            print!(" {:>8} {:>8}", "median", "99 %");
        }
        println!();
        for (name, all) in &self.rows {
            print!("{name:34}");
            for figures in all {
                let (median, high) = (microseconds(figures.median), microseconds(figures.high));
                print!(" {median:8.2} {high:8.1}");
            }
            if let Some(last) = all.last() {
                let percent = |count| 100.0 * count as f64 / last.queries as f64;
                println!(
                    " {:9.2} {:9.2} {:5.1}% {:7.1}%",
                    microseconds(last.mean),
                    microseconds(last.first),
                    percent(last.hits),
                    percent(last.gave_up)
                );
            }
        }
    }
}

fn in_memory(table: &mut Table, program: &mut Program, stored: &mut Stored) {
    let fresh = program.fresh();
    let atoms = &program.world.atoms;
    let key = |set: &Set| atoms.key(set.iter().copied());
    let misses = retained(fresh, |set| !stored.answers.contains(key(set)));
    let hits = &stored.sat_sample.items;
    table.measure("exact, hit", hits, |set| stored.answers.get(key(set)));
    table.measure("exact, miss", &misses, |set| stored.answers.get(key(set)));
}

fn by_canonical_form(table: &mut Table, program: &mut Program, stored: &Stored) {
    let known = stored.store_sample.items.iter();
    let hits: Vec<Set> = known.map(|set| program.world.renamed(set)).collect();
    let fresh = program.fresh();
    let (terms, atoms) = (&program.world.terms, &program.world.atoms);
    let mut lasting = Lasting::with_store(Some(stored.store.clone()));
    let forms = |lasting: &mut Lasting, sets: &[Set]| -> Vec<Canonical> {
        let forms = sets.iter().map(|set| lasting.canonize(terms, atoms, set));
        forms.flatten().collect()
    };
    let misses = retained(fresh, |set| {
        let form = lasting.canonize(terms, atoms, set);
        form.is_some_and(|form| lasting.get(&form).is_none())
    });
    let hit_forms = forms(&mut lasting, &hits);
    let miss_forms = forms(&mut lasting, &misses);
    table.measure("canonize", &hits, |set| lasting.canonize(terms, atoms, set));
    table.measure("store, hit", &hit_forms, |form| lasting.get(form));
    table.measure("store, miss", &miss_forms, |form| lasting.get(form));
    in_other_threads(table, &mut lasting, &hit_forms, &miss_forms);
    for (name, sets) in [
        ("canonize and store, hit", &hits),
        ("canonize and store, miss", &misses),
    ] {
        table.measure(name, sets, |set| {
            let form = lasting.canonize(terms, atoms, set)?;
            lasting.get(&form)
        });
    }
}

/// Answers that another thread has put in, while that one goes on looking them up and putting in more.
fn in_other_threads(
    table: &mut Table,
    known: &mut Lasting,
    hits: &[Canonical],
    misses: &[Canonical],
) {
    let records: Vec<(Canonical, Record)> = hits
        .iter()
        .filter_map(|form| Some((form.clone(), known.get(form)?)))
        .collect();
    let shared = Arc::new(SharedAnswers::default());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (ready, wait) = mpsc::channel();
        let (shared_there, is_over_there) = (shared.clone(), &is_over);
        scope.spawn(move || {
            let mut lasting = Lasting::default();
            lasting.share_with(shared_there);
            for (form, record) in &records {
                lasting.put(form, record, &[], Duration::ZERO);
            }
            ready.send(()).expect("somebody waits");
            let mut other = 0u64;
            while !is_over_there.load(Ordering::Relaxed) {
                for (form, record) in &records {
                    other += 1;
                    let mut more = form.clone();
                    more.key.extend_from_slice(&other.to_le_bytes());
                    black_box(lasting.get(&more));
                    if other.is_multiple_of(16) {
                        lasting.put(&more, record, &[], Duration::ZERO);
                    }
                }
            }
        });
        wait.recv().expect("it is put in");
        let mut lasting = Lasting::default();
        lasting.share_with(shared);
        table.measure("another thread's, hit", hits, |form| lasting.get(form));
        table.measure("another thread's, miss", misses, |form| lasting.get(form));
        is_over.store(true, Ordering::Relaxed);
    });
}

fn by_subset(table: &mut Table, program: &mut Program, stored: &mut Stored) {
    let sample = &stored.unsat_sample.items;
    let paths: Vec<Set> = sample.iter().map(|(path, _)| path.clone()).collect();
    let implied: Vec<Set> = paths
        .iter()
        .map(|path| {
            program.world.changed(path, |restricted| Restricted {
                values: restricted.values.stronger(),
                ..restricted
            })
        })
        .collect();
    // A path with a check that ends another one.
    let mut others: Vec<Set> = program.fresh();
    for (other, path) in others.iter_mut().zip(&paths) {
        other.extend(path.last());
    }
    let atoms = &program.world.atoms;
    let trie = &mut stored.unsat;
    let misses = retained(others, |set| {
        matches!(trie.find_subset(atoms, set, Effort::FULL), Found::Miss)
    });
    for (name, sets, effort) in [
        ("unsat subset, hit", &paths, PLAIN),
        ("unsat subset, miss", &misses, PLAIN),
        ("implied unsat, hit", &implied, BOUNDED),
        ("implied unsat, hit by subset", &paths, BOUNDED),
        ("implied unsat, miss", &misses, BOUNDED),
        ("implied unsat, hit, to the end", &implied, Effort::FULL),
        ("implied unsat, miss, to the end", &misses, Effort::FULL),
    ] {
        table.measure(name, sets, |set| trie.find_subset(atoms, set, effort));
    }
}

fn by_superset(table: &mut Table, program: &mut Program, stored: &mut Stored) {
    let sample = &stored.sat_sample.items;
    let parts: Vec<Set> = sample.iter().map(|set| program.some(set, 7)).collect();
    let implied: Vec<Set> = parts
        .iter()
        .map(|set| {
            program.world.changed(set, |restricted| Restricted {
                values: restricted.values.weaker(),
                ..restricted
            })
        })
        .collect();
    let fresh = program.fresh();
    let atoms = &program.world.atoms;
    let trie = &mut stored.sat;
    let misses = retained(fresh, |set| {
        matches!(trie.find_superset(atoms, set, Effort::FULL), Found::Miss)
    });
    for (name, sets, effort) in [
        ("sat superset, hit", &parts, PLAIN),
        ("sat superset, miss", &misses, PLAIN),
        ("implied sat, hit", &implied, BOUNDED),
        ("implied sat, hit by superset", &parts, BOUNDED),
        ("implied sat, miss", &misses, BOUNDED),
        ("implied sat, hit, to the end", &implied, Effort::FULL),
        ("implied sat, miss, to the end", &misses, Effort::FULL),
    ] {
        table.measure(name, sets, |set| trie.find_superset(atoms, set, effort));
    }
}

fn by_subject(table: &mut Table, program: &mut Program, stored: &Stored) {
    let store = &stored.store;
    let parts: Vec<Set> = program.fresh();
    program.first_record += RECORDS;
    let elsewhere: Vec<Set> = program.fresh();
    program.first_record -= RECORDS;
    let World { terms, atoms, .. } = &mut program.world;
    let keys = |sets: &[Set]| -> Vec<IndexKey> {
        let keys = sets.iter().filter_map(|set| {
            let newest = *set.last()?;
            under_solution(terms, atoms, set, newest).pop()
        });
        keys.collect()
    };
    let (known, unknown) = (keys(&parts), keys(&elsewhere));
    for (name, keys) in [("a subject, hit", &known), ("a subject, miss", &unknown)] {
        table.measure(name, keys, |key| {
            let snapshot = store.glimpse().expect("a snapshot");
            let found = snapshot.find(key).take(PER_SUBJECT);
            let bytes: usize = found.map(|found| found.value.len()).sum();
            (bytes > 0).then_some(bytes)
        });
    }
    let mut fetch = |lasting: &mut Lasting, set: &Set| {
        let newest = *set.last()?;
        let found = lasting.fetch(terms, atoms, set, newest);
        (!found.is_empty()).then_some(found)
    };
    let new_run = || Lasting::with_store(Some(store.clone()));
    table.measure_prepared(
        "all subjects of a set, new run",
        &parts,
        new_run,
        &mut fetch,
    );
    let (mut lasting, mut asked) = (new_run(), 0);
    table.measure("all subjects of a set, in a run", &parts, |set| {
        if asked == parts.len() {
            lasting = new_run();
        }
        asked += 1;
        fetch(&mut lasting, set)
    });
    table.measure_prepared(
        "all subjects of a set, miss",
        &elsewhere,
        new_run,
        &mut fetch,
    );
}

/// Those that are such, of which there must be some.
fn retained(mut sets: Vec<Set>, is_such: impl FnMut(&Set) -> bool) -> Vec<Set> {
    sets.retain(is_such);
    assert!(!sets.is_empty());
    sets
}

fn main() {
    let most = std::env::args().find_map(|argument| argument.parse().ok());
    let most = most.unwrap_or(usize::MAX);
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&size| size <= most).collect();
    let directory = tempfile::tempdir().expect("a directory");
    let options = Options {
        max_bytes: 16 << 30,
        ..Options::new(validity())
    };
    let store = Store::open(&directory.path().join("store"), &options).expect("a store");
    let mut program = Program {
        world: World::default(),
        random: Random::new(88_172_645_463_325_252),
        first_record: 0,
    };
    let mut stored = Stored::new(store);
    let mut table = Table::default();
    let started = Instant::now();
    println!(
        "a program of {SITES} branches over {} inputs, {QUERIES} questions of each kind",
        RECORD * RECORDS
    );
    for &size in &sizes {
        stored.grow(&mut program, size);
        in_memory(&mut table, &mut program, &mut stored);
        by_canonical_form(&mut table, &mut program, &stored);
        by_subset(&mut table, &mut program, &mut stored);
        by_superset(&mut table, &mut program, &mut stored);
        by_subject(&mut table, &mut program, &stored);
    }
    table.print(&sizes);
    println!("\n{:.0} s in all", started.elapsed().as_secs_f64());
}
