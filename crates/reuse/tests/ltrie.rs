//! The L-Trie: the storing cases and examples of the paper, and random stores against brute force.

use std::collections::HashMap;

use refrain_reuse::ltrie::{
    AtomId, Atoms, Effort, EntryId, Found, Order, SatStored, SatTrie, SubjectId, UnsatStored,
    UnsatTrie,
};

/// Atoms "P is one of these values", with values from -16 to 15 as bits. Atoms are ranked by subject, then by their ids
/// scrambled, so that nothing can depend on how implication and order go together.
#[derive(Default)]
struct World {
    atoms: Vec<(u32, u32)>,
    ids: HashMap<(u32, u32), AtomId>,
}

impl Atoms for World {
    fn subject(&self, atom: AtomId) -> SubjectId {
        SubjectId(self.atoms[atom.0 as usize].0)
    }

    fn implies(&self, a: AtomId, b: AtomId) -> bool {
        let (a, b) = (self.atoms[a.0 as usize], self.atoms[b.0 as usize]);
        assert_eq!(a.0, b.0, "only atoms of one subject are compared");
        a.1 & !b.1 == 0
    }

    fn rank(&self, atom: AtomId) -> u64 {
        u64::from(self.atoms[atom.0 as usize].0) << 32 | u64::from(atom.0.wrapping_mul(0x9e37_79b1))
    }
}

impl World {
    fn atom(&mut self, subject: u32, values: u32) -> AtomId {
        *self.ids.entry((subject, values)).or_insert_with(|| {
            self.atoms.push((subject, values));
            AtomId(self.atoms.len() as u32 - 1)
        })
    }

    fn where_(&mut self, subject: u32, holds: impl Fn(i32) -> bool) -> AtomId {
        let values = (0..32)
            .filter(|&bit| holds(bit - 16))
            .map(|bit| 1u32 << bit);
        let values = values.fold(0, |all, bit| all | bit);
        self.atom(subject, values)
    }

    /// Whether each atom of the one set is implied by an atom of the other.
    fn is_logical_subset(&self, small: &[AtomId], large: &[AtomId], implication: bool) -> bool {
        small.iter().all(|&s| {
            large.iter().any(|&l| {
                l == s || (implication && self.subject(l) == self.subject(s) && self.implies(l, s))
            })
        })
    }

    fn sorted(&self, set: &[AtomId]) -> Vec<AtomId> {
        let mut set = set.to_vec();
        set.sort_by_key(|&atom| self.rank(atom));
        set.dedup();
        set
    }
}

/// Three atoms of three subjects, in the order of their ranks.
fn abc() -> (World, [AtomId; 4]) {
    let mut world = World::default();
    let atoms = [0, 1, 2, 3].map(|subject| world.where_(subject, |x| x > 0));
    (world, atoms)
}

fn unsat_sets(trie: &UnsatTrie) -> Vec<Vec<AtomId>> {
    let mut sets: Vec<_> = trie.entries().map(|entry| trie.set(entry)).collect();
    sets.sort();
    sets
}

fn sat_sets(trie: &SatTrie) -> Vec<(Vec<AtomId>, u32)> {
    let solved = |entry| (trie.set(entry), trie.solution(entry));
    let mut sets: Vec<_> = trie.entries().map(solved).collect();
    sets.sort();
    sets
}

#[test]
fn case_1a_a_leaf_is_reached_before_the_set_ends() {
    let (world, [a, b, c, d]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    assert!(matches!(unsat.insert(&world, &[a, b]), UnsatStored::New(_)));
    assert_eq!(unsat.insert(&world, &[a, b, c]), UnsatStored::Superfluous);
    assert_eq!(unsat_sets(&unsat), [vec![a, b]]);

    let mut sat = SatTrie::new();
    let SatStored::New(entry) = sat.insert(&world, &[a, b], 7) else {
        panic!("the store was empty");
    };
    assert_eq!(
        sat.insert(&world, &[a, b, c, d], 8),
        SatStored::Extended(entry, 7)
    );
    assert_eq!(sat_sets(&sat), [(vec![a, b, c, d], 8)]);
    assert_eq!(sat.len(), 1);
}

#[test]
fn case_1b_the_set_ends_before_a_leaf_is_reached() {
    let (world, [a, b, c, d]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    unsat.insert(&world, &[a, b, c]);
    unsat.insert(&world, &[a, b, d]);
    unsat.insert(&world, &[b, c]);
    let UnsatStored::Replaced(entry, dropped) = unsat.insert(&world, &[a, b]) else {
        panic!("it is a prefix of two sets");
    };
    assert_eq!(unsat.set(entry), [a, b]);
    assert_eq!(dropped.len(), 2);
    assert!(!dropped.iter().any(|&gone| unsat.contains(gone)));
    assert_eq!(unsat_sets(&unsat), [vec![a, b], vec![b, c]]);
    assert!(matches!(
        unsat.insert(&world, &[a]),
        UnsatStored::Replaced(..)
    ));
    assert_eq!(unsat_sets(&unsat), [vec![a], vec![b, c]]);
    assert_eq!(unsat.len(), 2);

    let mut sat = SatTrie::new();
    sat.insert(&world, &[a, b, c], 7);
    sat.insert(&world, &[a, b, d], 8);
    for prefix in [&[a, b][..], &[a], &[a, b, d]] {
        assert_eq!(sat.insert(&world, prefix, 9), SatStored::Superfluous);
    }
    assert_eq!(sat_sets(&sat), [(vec![a, b, c], 7), (vec![a, b, d], 8)]);
}

#[test]
fn case_1c_sets_that_part() {
    let (world, [a, b, c, d]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    let mut sat = SatTrie::new();
    for (solution, set) in [&[a, b, c][..], &[a, c, d], &[b, d], &[a, b, d]]
        .into_iter()
        .enumerate()
    {
        assert!(matches!(unsat.insert(&world, set), UnsatStored::New(_)));
        let stored = sat.insert(&world, set, solution as u32);
        assert!(matches!(stored, SatStored::New(_)));
    }
    let sets = [vec![a, b, c], vec![a, b, d], vec![a, c, d], vec![b, d]];
    assert_eq!(unsat_sets(&unsat), sets);
    let solved: Vec<_> = sets.into_iter().zip([0, 3, 1, 2]).collect();
    assert_eq!(sat_sets(&sat), solved);
}

#[test]
fn the_order_in_which_atoms_are_given_does_not_matter() {
    let (world, [a, b, c, _]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    unsat.insert(&world, &[c, a, b, a]);
    assert_eq!(unsat_sets(&unsat), [vec![a, b, c]]);
    let hit = unsat.find_subset(&world, &[b, c, a], Effort::PLAIN).hit();
    assert!(hit.is_some_and(|hit| hit.exact));
}

/// Fig. 2: v0+5>=0 ∧ v0+v1<=0 with the solution {v0:0, v1:-1}, beside others below the same first edge.
#[test]
fn the_store_of_figure_2() {
    let mut world = World::default();
    let (v0, sum, v1) = (0, 1, 2);
    let above = world.where_(v0, |x| x + 5 >= 0);
    let below = world.where_(sum, |x| x <= 0);
    let other = world.where_(sum, |x| x + 3 == 0);
    let third = world.where_(v1, |x| x != 2);
    let mut sat = SatTrie::new();
    sat.insert(&world, &[above, below], 2);
    sat.insert(&world, &[above, other, third], 3);
    sat.insert(&world, &[third], 4);

    let find = |sat: &mut SatTrie, query: &[AtomId], world: &World| {
        let hit = sat.find_superset(world, query, Effort::FULL).hit()?;
        Some((hit.solution, hit.exact))
    };
    assert_eq!(find(&mut sat, &[above, below], &world), Some((2, true)));
    let weaker = [
        world.where_(v0, |x| x + 6 >= 0),
        world.where_(sum, |x| x - 1 <= 0),
    ];
    assert!(matches!(
        find(&mut sat, &weaker, &world),
        Some((2 | 3, false))
    ));
    let stronger = [
        world.where_(v0, |x| x + 4 >= 0),
        world.where_(sum, |x| x <= 0),
    ];
    assert_eq!(find(&mut sat, &stronger, &world), None);
    let minus_four = world.where_(sum, |x| x != -4);
    assert_eq!(
        find(&mut sat, &[minus_four, third], &world),
        Some((3, false))
    );
    assert_eq!(
        find(&mut sat, &[minus_four, below, third], &world),
        Some((3, false))
    );
}

/// Section 2: {x≠0, x>-1, x<2} is a logical subset of {x>1, x<2}, which has fewer elements.
#[test]
fn a_logical_subset_may_be_larger() {
    let mut world = World::default();
    let small = [
        world.where_(0, |x| x != 0),
        world.where_(0, |x| x > -1),
        world.where_(0, |x| x < 2),
    ];
    let large = [world.where_(0, |x| x > 1), world.where_(0, |x| x < 2)];
    let mut sat = SatTrie::new();
    sat.insert(&world, &large, 1);
    let hit = sat.find_superset(&world, &small, Effort::FULL);
    assert!(hit.hit().is_some_and(|hit| !hit.exact));
    assert_eq!(
        sat.find_superset(&world, &small, Effort::PLAIN),
        Found::Miss
    );
    let mut unsat = UnsatTrie::new(Order::Rank);
    unsat.insert(&world, &small);
    let hit = unsat.find_subset(&world, &large, Effort::FULL);
    assert!(hit.hit().is_some_and(|hit| !hit.exact));
    assert_eq!(
        unsat.find_subset(&world, &large, Effort::PLAIN),
        Found::Miss
    );
}

/// The examples of the introduction.
#[test]
fn examples_of_the_introduction() {
    let mut world = World::default();
    let mut sat = SatTrie::new();
    let positive = world.where_(0, |x| x > 0);
    sat.insert(&world, &[positive], 1);
    let query = [world.where_(0, |x| x > -1)];
    let hit = sat.find_superset(&world, &query, Effort::FULL).hit();
    assert_eq!(hit.map(|hit| hit.solution), Some(1));

    let mut unsat = UnsatTrie::new(Order::Rank);
    let set = [world.where_(0, |x| x < 0), world.where_(0, |x| x > 1)];
    unsat.insert(&world, &set);
    let query = [world.where_(0, |x| x < -1), world.where_(0, |x| x > 2)];
    let hit = unsat.find_subset(&world, &query, Effort::FULL).hit();
    assert!(hit.is_some_and(|hit| !hit.exact && unsat.set(hit.entry) == world.sorted(&set)));
}

/// Matching from the right misses this: in the query's order the stored labels are the wrong way round.
#[test]
fn atoms_of_one_subject_may_be_implied_in_any_order() {
    for order in 0..24 {
        let mut world = World::default();
        let strong = [|x: i32| x > 5, |x: i32| x < 9];
        let weak = [|x: i32| x > 3, |x: i32| x < 11];
        let mut places: Vec<usize> = (0..4).collect();
        (0..4).fold(order, |left, at| {
            places.swap(at, at + left % (4 - at));
            left / (4 - at)
        });
        for place in places {
            world.where_(0, [strong, weak][place / 2][place % 2]);
        }
        let mut sat = SatTrie::new();
        let set = strong.map(|holds| world.where_(0, holds));
        let query = weak.map(|holds| world.where_(0, holds));
        sat.insert(&world, &set, 0);
        let hit = sat.find_superset(&world, &query, Effort::FULL).hit();
        assert!(hit.is_some_and(|hit| !hit.exact));
    }
}

#[test]
fn nothing_is_found_in_empty_stores_and_empty_queries_are_satisfiable() {
    let (world, [a, b, ..]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    let mut sat = SatTrie::new();
    for query in [&[][..], &[a, b]] {
        assert_eq!(unsat.find_subset(&world, query, Effort::FULL), Found::Miss);
        assert_eq!(sat.find_superset(&world, query, Effort::FULL), Found::Miss);
    }
    assert_eq!(unsat.insert(&world, &[]), UnsatStored::Superfluous);
    unsat.insert(&world, &[a]);
    sat.insert(&world, &[a], 3);
    assert_eq!(unsat.find_subset(&world, &[], Effort::FULL), Found::Miss);
    let hit = sat.find_superset(&world, &[], Effort::FULL).hit();
    assert_eq!(hit.map(|hit| hit.solution), Some(3));
}

#[test]
fn a_search_without_visits_gives_up() {
    let (world, [a, b, c, d]) = abc();
    let mut unsat = UnsatTrie::new(Order::Rank);
    let mut sat = SatTrie::new();
    unsat.insert(&world, &[a, b]);
    sat.insert(&world, &[a, b, c, d], 0);
    let none = Effort {
        implication: true,
        visits: 0,
    };
    assert_eq!(unsat.find_subset(&world, &[a, b], none), Found::GaveUp);
    assert_eq!(sat.find_superset(&world, &[b, d], none), Found::GaveUp);
}

#[test]
fn queries_of_more_atoms_than_are_followed_by_bits() {
    let mut world = World::default();
    let strong: Vec<_> = (0..300).map(|s| world.where_(s, |x| x > 5)).collect();
    let weak: Vec<_> = (0..300).map(|s| world.where_(s, |x| x > 4)).collect();
    let mut sat = SatTrie::new();
    for missing in 0..20 {
        let mut set = strong.clone();
        set.remove(299 - missing);
        sat.insert(&world, &set, missing as u32);
    }
    assert_eq!(sat.find_superset(&world, &weak, Effort::FULL), Found::Miss);
    assert_eq!(
        sat.find_superset(&world, &strong, Effort::PLAIN),
        Found::Miss
    );
    for (query, effort) in [(&weak, Effort::FULL), (&strong, Effort::PLAIN)] {
        for missing in 0..20 {
            let mut query = query.clone();
            query.remove(299 - missing);
            let hit = sat.find_superset(&world, &query, effort).hit();
            assert_eq!(hit.map(|hit| hit.solution), Some(missing as u32));
        }
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

    /// An interval, or all values but one.
    fn atom(&mut self, world: &mut World, subjects: usize) -> AtomId {
        let subject = self.below(subjects) as u32;
        let (a, b) = (self.below(8) as i32, self.below(8) as i32);
        match self.below(3) {
            0 => world.where_(subject, |x| x != a),
            1 => world.where_(subject, |x| x <= a),
            _ => world.where_(subject, |x| x >= a.min(b) && x <= a.max(b)),
        }
    }

    fn set(&mut self, world: &mut World, subjects: usize, longest: usize) -> Vec<AtomId> {
        let length = 1 + self.below(longest);
        (0..length).map(|_| self.atom(world, subjects)).collect()
    }
}

/// What a trie should hold: plain lists of sorted sets, with the storing rules said once more.
#[derive(Default)]
struct Lists {
    unsat: Vec<Vec<AtomId>>,
    sat: Vec<(Vec<AtomId>, u32)>,
}

impl Lists {
    fn insert_unsat(&mut self, set: Vec<AtomId>) {
        if !self.unsat.iter().any(|stored| set.starts_with(stored)) {
            self.unsat.retain(|stored| !stored.starts_with(&set));
            self.unsat.push(set);
        }
    }

    fn insert_sat(&mut self, set: Vec<AtomId>, solution: u32) {
        if !self.sat.iter().any(|(stored, _)| stored.starts_with(&set)) {
            self.sat.retain(|(stored, _)| !set.starts_with(stored));
            self.sat.push((set, solution));
        }
    }
}

struct Game {
    order: Order,
    world: World,
    /// What is stored as unsatisfiable, by what the store itself has said.
    entries: HashMap<EntryId, Vec<AtomId>>,
    random: Random,
    lists: Lists,
    unsat: UnsatTrie,
    sat: SatTrie,
    hits: usize,
    misses: usize,
}

impl Game {
    fn insert(&mut self, set: &[AtomId]) {
        let solution = self.random.below(1 << 20) as u32;
        let stored = self.unsat.insert(&self.world, set);
        self.sat.insert(&self.world, set, solution);
        let sorted = self.world.sorted(set);
        self.follow_report(&sorted, stored);
        match self.order {
            Order::Rank => self.lists.insert_unsat(sorted.clone()),
            Order::LatestFirst => self.lists.unsat = self.entries.values().cloned().collect(),
        }
        self.lists.insert_sat(sorted, solution);
        assert_eq!(self.unsat.len(), self.lists.unsat.len());
        assert_eq!(self.sat.len(), self.lists.sat.len());
    }

    /// Whatever the order is, sets go only where a subset of them is stored.
    fn follow_report(&mut self, set: &[AtomId], stored: UnsatStored) {
        let is_subset =
            |small: &[AtomId], large: &[AtomId]| small.iter().all(|a| large.contains(a));
        match stored {
            UnsatStored::New(entry) => {
                assert_eq!(self.entries.insert(entry, set.to_vec()), None);
            }
            UnsatStored::Replaced(entry, dropped) => {
                let mut former: Vec<_> = dropped.iter().map(|e| self.entries.remove(e)).collect();
                assert!(former.iter().all(Option::is_some));
                former.push(self.entries.insert(entry, set.to_vec()));
                assert!(former.iter().flatten().count() > 0);
                assert!(former.iter().flatten().all(|large| is_subset(set, large)));
            }
            UnsatStored::Superfluous => {
                assert!(self.entries.values().any(|small| is_subset(small, set)));
            }
        }
    }

    fn remove(&mut self) {
        let nth = self.random.below(self.unsat.len());
        let entry = self.unsat.entries().nth(nth).expect("counted");
        let set = self.world.sorted(&self.unsat.set(entry));
        assert!(self.unsat.remove(entry) && !self.unsat.remove(entry));
        assert_eq!(self.entries.remove(&entry).as_ref(), Some(&set));
        self.lists.unsat.retain(|stored| *stored != set);
        let nth = self.random.below(self.sat.len());
        let entry: EntryId = self.sat.entries().nth(nth).expect("counted");
        let set = self.sat.set(entry);
        assert!(self.sat.remove(entry) && !self.sat.remove(entry));
        self.lists.sat.retain(|(stored, _)| *stored != set);
    }

    fn compare_contents(&mut self) {
        self.lists.unsat.sort();
        self.lists.sat.sort();
        let mut sets = unsat_sets(&self.unsat);
        sets.iter_mut()
            .for_each(|set| *set = self.world.sorted(set));
        sets.sort();
        assert_eq!(sets, self.lists.unsat);
        assert_eq!(sat_sets(&self.sat), self.lists.sat);
    }

    fn ask_unsat(&mut self, query: &[AtomId], effort: Effort) {
        let (world, by) = (&self.world, effort.implication);
        let exists = |set: &Vec<AtomId>| world.is_logical_subset(set, query, by);
        match self.unsat.find_subset(world, query, effort) {
            Found::Hit(hit) => {
                let set = world.sorted(&self.unsat.set(hit.entry));
                assert!(self.lists.unsat.contains(&set));
                assert!(world.is_logical_subset(&set, query, by));
                assert_eq!(hit.exact, world.is_logical_subset(&set, query, false));
                self.hits += 1;
            }
            found => {
                assert_eq!(found, Found::Miss);
                assert!(!self.lists.unsat.iter().any(exists));
                self.misses += 1;
            }
        }
    }

    fn ask_sat(&mut self, query: &[AtomId], effort: Effort) {
        let (world, by) = (&self.world, effort.implication);
        let exists = |set: &[AtomId]| world.is_logical_subset(query, set, by);
        match self.sat.find_superset(world, query, effort) {
            Found::Hit(hit) => {
                let set = self.sat.set(hit.entry);
                assert!(exists(&set));
                assert_eq!(hit.exact, world.is_logical_subset(query, &set, false));
                assert!(self.lists.sat.contains(&(set, hit.solution)));
                self.hits += 1;
            }
            found => {
                assert_eq!(found, Found::Miss);
                assert!(!self.lists.sat.iter().any(|(set, _)| exists(set)));
                self.misses += 1;
            }
        }
    }
}

/// Subjects, the longest stored set, the longest query, rounds, and how many sets are kept.
fn play(
    order: Order,
    seed: u64,
    subjects: usize,
    longest: (usize, usize),
    rounds: usize,
    size: usize,
) {
    let mut game = Game {
        order,
        entries: HashMap::new(),
        world: World::default(),
        random: Random(seed),
        lists: Lists::default(),
        unsat: UnsatTrie::new(order),
        sat: SatTrie::new(),
        hits: 0,
        misses: 0,
    };
    for round in 0..rounds {
        let mut set = game.random.set(&mut game.world, subjects, longest.0);
        if game.random.below(2) == 0 && !game.lists.sat.is_empty() {
            // A neighbour of what is stored, so that prefixes are shared.
            let nth = game.random.below(game.lists.sat.len());
            let stored = &game.lists.sat[nth].0;
            set.extend_from_slice(&stored[..game.random.below(stored.len() + 1)]);
        }
        game.insert(&set);
        if game.unsat.len().min(game.sat.len()) > game.random.below(2 * size) {
            game.remove();
        }
        let mut query = game.random.set(&mut game.world, subjects, longest.1);
        if game.random.below(4) == 0 {
            query.extend(set);
        }
        for effort in [Effort::FULL, Effort::PLAIN] {
            game.ask_unsat(&query, effort);
            game.ask_sat(&query, effort);
        }
        if round % 64 == 0 {
            game.compare_contents();
        }
    }
    game.compare_contents();
    assert!(game.hits > rounds / 4, "{} hits", game.hits);
    assert!(game.misses > rounds / 4, "{} misses", game.misses);
}

#[test]
fn random_stores_against_brute_force() {
    for seed in 1..=8 {
        let order = [Order::Rank, Order::LatestFirst][seed as usize % 2];
        play(order, seed * 0x9e37_79b9, 4, (5, 4), 1500, 40);
        play(order, seed * 0x85eb_ca6b, 12, (8, 6), 1500, 200);
        play(order, seed * 0xc2b2_ae35, 40, (10, 20), 800, 400);
        play(order, seed * 0x27d4_eb2f, 2, (6, 8), 800, 20);
    }
}

#[test]
fn one_subject_with_many_labels() {
    play(Order::Rank, 77, 1, (4, 3), 3000, 60);
}

#[test]
fn memory_is_given_back_as_entries_are_removed() {
    let mut world = World::default();
    let mut random = Random(5);
    let (mut unsat, mut sat) = (UnsatTrie::new(Order::Rank), SatTrie::new());
    for _ in 0..30_000 {
        let set = random.set(&mut world, 30, 12);
        unsat.insert(&world, &set);
        sat.insert(&world, &set, 0);
        while unsat.len() > 500 {
            let entry = unsat.entries().next().expect("counted");
            unsat.remove(entry);
        }
        while sat.len() > 500 {
            let entry = sat.entries().next().expect("counted");
            sat.remove(entry);
        }
    }
    assert!(unsat.bytes() < 1 << 20, "{} bytes", unsat.bytes());
    assert!(sat.bytes() < 1 << 20, "{} bytes", sat.bytes());
}
