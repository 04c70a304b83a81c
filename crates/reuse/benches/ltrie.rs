//! Look-ups in the L-Trie against the number of stored sets: median and 99th percentile, in nanoseconds.
//!
//! The sets are those of a made-up program: a machine of branch sites that each compare a byte of the input, or a sum
//! of bytes, with a constant, and step on through the input. A satisfiable set is a path or a slice of one, an
//! unsatisfiable set a few atoms of a path and a branch that cannot be taken. Queries are such sets as they are,
//! extended, cut down, or with other constants; or fresh paths of the same program, which miss; or paths about inputs
//! that nothing stored is about. `cold` is the median of the first pass, in which atoms may never have been asked
//! for. Each table begins with the search that follows a path, compared with a search from scratch for each of its
//! prefixes.
//!
//! `cargo bench -p refrain-reuse --bench ltrie -- 10000` runs one size only.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use refrain_reuse::ltrie::{AtomId, Atoms, Effort, Found, SatTrie, SubjectId, UnsatTrie};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Values {
    Within(i32, i32),
    Not(i32),
}

impl Values {
    fn are_within(self, other: Values) -> bool {
        match (self, other) {
            (Values::Within(a, b), Values::Within(c, d)) => c <= a && b <= d,
            (Values::Within(a, b), Values::Not(c)) => c < a || b < c,
            (Values::Not(_), Values::Within(..)) => false,
            (Values::Not(a), Values::Not(b)) => a == b,
        }
    }

    fn stronger(self) -> Values {
        match self {
            Values::Within(a, b) if b - a > 1 && a > 0 => Values::Within(a + 1, b),
            Values::Within(a, b) if b - a > 1 => Values::Within(a, b - 1),
            Values::Not(a) => Values::Within(a + 1, 255),
            point => point,
        }
    }

    fn weaker(self) -> Values {
        match self {
            Values::Within(a, b) if a == b => Values::Not(255 - a),
            Values::Within(0, b) => Values::Within(0, b + 1),
            Values::Within(a, b) => Values::Within(a - 1, b),
            not => not,
        }
    }
}

#[derive(Default)]
struct World {
    atoms: Vec<(u32, Values)>,
    ids: HashMap<(u32, Values), AtomId>,
    subjects: HashMap<(usize, usize), u32>,
}

impl Atoms for World {
    fn subject(&self, atom: AtomId) -> SubjectId {
        SubjectId(self.atoms[atom.0 as usize].0)
    }

    fn implies(&self, a: AtomId, b: AtomId) -> bool {
        self.atoms[a.0 as usize]
            .1
            .are_within(self.atoms[b.0 as usize].1)
    }

    fn rank(&self, atom: AtomId) -> u64 {
        u64::from(self.atoms[atom.0 as usize].0) << 32 | u64::from(atom.0)
    }
}

impl World {
    fn atom(&mut self, subject: u32, values: Values) -> AtomId {
        *self.ids.entry((subject, values)).or_insert_with(|| {
            self.atoms.push((subject, values));
            AtomId(self.atoms.len() as u32 - 1)
        })
    }

    fn changed(&mut self, atom: AtomId, change: impl Fn(Values) -> Values) -> AtomId {
        let (subject, values) = self.atoms[atom.0 as usize];
        self.atom(subject, change(values))
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }
}

fn scramble(seed: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize
}

/// The program: sites that test, and sizes.
struct Program {
    world: World,
    random: Random,
    sites: usize,
    /// Keeps the inputs of different programs apart.
    offset: usize,
}

impl Program {
    /// Runs the machine for some branches, each way with equal chance.
    fn path(&mut self, branches: usize) -> Vec<AtomId> {
        let (mut site, mut position) = (0, 0);
        let mut path = Vec::with_capacity(branches);
        for _ in 0..branches {
            let traits = scramble(site);
            let taken = self.random.below(2) == 0;
            path.push(self.branch(traits, position, taken));
            site = scramble(site * 2 + usize::from(taken)) % self.sites;
            position += usize::from(traits % 8 < 5);
        }
        path
    }

    fn branch(&mut self, traits: usize, position: usize, taken: bool) -> AtomId {
        let terms = [1, 1, 1, 1, 2, 4][traits / 8 % 6];
        let count = self.world.subjects.len() as u32;
        let subject = (self.offset + position, terms);
        let subject = *self.world.subjects.entry(subject).or_insert(count);
        let constant = (traits / 64 % 254) as i32;
        let values = match (traits / 32_768 % 2, taken) {
            (0, true) => Values::Within(constant, constant),
            (0, false) => Values::Not(constant),
            (_, true) => Values::Within(0, constant),
            (_, false) => Values::Within(constant + 1, 255),
        };
        self.world.atom(subject, values)
    }

    /// Some atoms of a path, in order.
    fn some(&mut self, path: &[AtomId], of_ten: usize) -> Vec<AtomId> {
        let mut some = path.to_vec();
        some.retain(|_| self.random.below(10) < of_ten);
        if some.is_empty() {
            some.push(path[0]);
        }
        some
    }

    fn sat_set(&mut self) -> Vec<AtomId> {
        let branches = 3 + self.random.below(28);
        let path = self.path(branches);
        match self.random.below(2) {
            0 => path,
            _ => self.some(&path, 6),
        }
    }

    /// A branch that the program does not take: a check whose constant depends on more than the site.
    fn infeasible_branch(&mut self) -> AtomId {
        let position = self.random.below(20);
        let constant = self.random.below(255) * 64;
        let kind = usize::from(self.random.below(4) == 0) * 32_768;
        self.branch(constant + kind + 32, position + 500, true)
    }

    /// A path that ends at an infeasible branch.
    fn infeasible_path(&mut self, branches: usize) -> Vec<AtomId> {
        let mut path = self.path(branches);
        path.push(self.infeasible_branch());
        path
    }

    /// An infeasible path, and the few atoms of it that are in conflict.
    fn unsat_set(&mut self) -> (Vec<AtomId>, Vec<AtomId>) {
        let branches = 6 + self.random.below(25);
        let path = self.infeasible_path(branches);
        let length = 3 + self.random.below(5);
        let mut core: Vec<AtomId> = (1..length)
            .map(|_| path[self.random.below(branches)])
            .collect();
        core.extend(path.last());
        (path, core)
    }

    fn changed(&mut self, set: &[AtomId], change: fn(Values) -> Values) -> Vec<AtomId> {
        let world = &mut self.world;
        set.iter()
            .map(|&atom| world.changed(atom, change))
            .collect()
    }
}

const QUERIES: usize = 2000;

struct Line {
    name: &'static str,
    cold: u64,
    median: u64,
    high: u64,
    hits: usize,
    gave_up: usize,
}

fn measure<T>(
    name: &'static str,
    queries: &[Vec<AtomId>],
    mut ask: impl FnMut(&[AtomId]) -> Found<T>,
) -> Line {
    let mut pass = || {
        let (mut hits, mut gave_up) = (0, 0);
        let mut times: Vec<u64> = Vec::with_capacity(queries.len());
        for query in queries {
            let start = Instant::now();
            let found = black_box(ask(black_box(query)));
            times.push(start.elapsed().as_nanos() as u64);
            hits += usize::from(matches!(found, Found::Hit(_)));
            gave_up += usize::from(matches!(found, Found::GaveUp));
        }
        times.sort_unstable();
        (times, hits, gave_up)
    };
    let (cold, ..) = pass();
    let (times, hits, gave_up) = pass();
    Line {
        name,
        cold: cold[cold.len() / 2],
        median: times[times.len() / 2],
        high: times[times.len() * 99 / 100],
        hits,
        gave_up,
    }
}

/// Every so many-th of the sets put in.
fn keep_sample<T>(sample: &mut Vec<T>, index: usize, size: usize, item: T) {
    if index.is_multiple_of((size / QUERIES).max(1)) && sample.len() < QUERIES {
        sample.push(item);
    }
}

fn unsat_lines(program: &mut Program, size: usize) -> (Vec<Line>, String) {
    let mut trie = UnsatTrie::default();
    let mut sample = Vec::new();
    let mut spent = 0;
    for index in 0..size * 3 {
        let (path, core) = program.unsat_set();
        let start = Instant::now();
        trie.insert(&program.world, &core);
        spent += start.elapsed().as_nanos();
        keep_sample(&mut sample, index, size, (path, core));
        if trie.len() == size {
            break;
        }
    }
    let about = format!(
        "{} unsat sets, {} bytes each, {} ns to insert",
        trie.len(),
        trie.bytes() / trie.len(),
        spent / trie.len() as u128
    );
    let cores: Vec<_> = sample.iter().map(|(_, core)| core.clone()).collect();
    let paths: Vec<_> = sample.iter().map(|(path, _)| path.clone()).collect();
    let implied: Vec<_> = paths
        .iter()
        .map(|path| program.changed(path, Values::stronger))
        .collect();
    let fresh: Vec<_> = (0..QUERIES).map(|_| program.path(20)).collect();
    program.offset = 1000;
    let far: Vec<_> = (0..QUERIES).map(|_| program.path(20)).collect();
    program.offset = 0;
    let world = &program.world;
    let mut lines = Vec::new();
    for (name, queries, effort) in [
        ("exact unsat", &cores, Effort::PLAIN),
        ("plain unsat subset", &paths, Effort::PLAIN),
        ("unsat subset", &paths, Effort::FULL),
        ("implied unsat subset", &implied, Effort::FULL),
        ("plain unsat miss", &fresh, Effort::PLAIN),
        ("unsat miss", &fresh, Effort::FULL),
        ("unsat miss, far", &far, Effort::FULL),
    ] {
        lines.push(measure(name, queries, |query| {
            trie.find_subset(world, query, effort)
        }));
    }
    (lines, about)
}

fn sat_lines(program: &mut Program, size: usize) -> (Vec<Line>, String) {
    let mut trie = SatTrie::new();
    let mut sample = Vec::new();
    let mut spent = 0;
    for index in 0..size * 3 {
        let set = program.sat_set();
        let start = Instant::now();
        trie.insert(&program.world, &set, index as u32);
        spent += start.elapsed().as_nanos();
        keep_sample(&mut sample, index, size, set);
        if trie.len() == size {
            break;
        }
    }
    let about = format!(
        "{} sat sets, {} bytes each, {} ns to insert",
        trie.len(),
        trie.bytes() / trie.len(),
        spent / trie.len() as u128
    );
    let parts: Vec<_> = sample.iter().map(|set| program.some(set, 7)).collect();
    let implied: Vec<_> = parts
        .iter()
        .map(|set| program.changed(set, Values::weaker))
        .collect();
    let fresh: Vec<_> = (0..QUERIES)
        .map(|_| {
            let path = program.path(20);
            program.some(&path, 5)
        })
        .collect();
    let fresh = misses(fresh, |query| {
        trie.find_superset(&program.world, query, Effort::FULL)
            .hit()
            .is_none()
    });
    program.offset = 1000;
    let far: Vec<_> = (0..QUERIES).map(|_| program.path(20)).collect();
    program.offset = 0;
    let world = &program.world;
    let bounded = Effort {
        implication: true,
        visits: 1000,
    };
    let mut lines = Vec::new();
    for (name, queries, effort) in [
        ("exact sat", &sample, Effort::PLAIN),
        ("plain sat superset", &parts, Effort::PLAIN),
        ("sat superset", &parts, Effort::FULL),
        ("implied sat superset", &implied, Effort::FULL),
        ("the same, 1000 visits", &implied, bounded),
        ("plain sat miss", &fresh, Effort::PLAIN),
        ("sat miss", &fresh, Effort::FULL),
        ("the same, 1000 visits", &fresh, bounded),
        ("sat miss, far", &far, Effort::FULL),
    ] {
        lines.push(measure(name, queries, |query| {
            trie.find_superset(world, query, effort)
        }));
    }
    (lines, about)
}

fn misses(
    mut queries: Vec<Vec<AtomId>>,
    is_miss: impl FnMut(&Vec<AtomId>) -> bool,
) -> Vec<Vec<AtomId>> {
    let all = queries.clone();
    queries.retain(is_miss);
    if queries.is_empty() { all } else { queries }
}

fn main() {
    let only: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    for sites in [20, 300] {
        for size in [1_000, 10_000, 100_000, 1_000_000] {
            if !only.is_empty() && !only.contains(&size) {
                continue;
            }
            let mut program = Program {
                world: World::default(),
                random: Random(88_172_645_463_325_252),
                sites,
                offset: 0,
            };
            println!("\n{size} sets, a program of {sites} branches");
            let (unsat, about_unsat) = unsat_lines(&mut program, size);
            let (sat, about_sat) = sat_lines(&mut program, size);
            let world = &program.world;
            println!("{about_unsat}\n{about_sat}");
            println!(
                "{} subjects, {} atoms",
                world.subjects.len(),
                world.atoms.len()
            );
            println!(
                "{:<24} {:>9} {:>9} {:>9} {:>7} {:>7}",
                "", "cold", "median", "99 %", "hits", "gave up"
            );
            for line in unsat.into_iter().chain(sat) {
                println!(
                    "{:<24} {:>9} {:>9} {:>9} {:>7} {:>7}",
                    line.name, line.cold, line.median, line.high, line.hits, line.gave_up
                );
            }
        }
    }
}
