//! A theory to test with: literals that stand for `x - y <= bound` over integers. Such constraints contradict
//! each other if and only if they form a cycle of negative length, which Bellman and Ford's algorithm finds.
//! What the theory says, when, and how well it explains it, is left to chance. It also checks that it is called
//! as it was promised to be.

use refrain_sat::{Completion, Lemmas, Lit, Theory, TrailView, Var};

use super::Rng;

/// `x - y <= bound`.
#[derive(Clone, Copy, Debug)]
pub struct Atom {
    pub x: usize,
    pub y: usize,
    pub bound: i32,
}

impl Atom {
    pub fn random(rng: &mut Rng, ints: usize) -> Atom {
        Atom {
            x: rng.below(ints),
            y: rng.below(ints),
            bound: rng.below(7) as i32 - 3,
        }
    }

    fn negated(self) -> Atom {
        Atom {
            x: self.y,
            y: self.x,
            bound: -self.bound - 1,
        }
    }
}

/// How often the theory does something: one call in so many, never if 0.
#[derive(Clone, Copy, Default)]
pub struct Habits {
    /// Looks for a contradiction before the assignment is complete.
    pub look_early: usize,
    /// Looks for literals that follow.
    pub imply: usize,
    /// Says something that is true and of no use.
    pub noise: usize,
    /// Makes explanations longer than they need to be.
    pub pad: usize,
    /// Has the search decide on something new.
    pub split: usize,
    pub give_up: usize,
}

impl Habits {
    pub fn random(rng: &mut Rng) -> Habits {
        let mut often = |least: usize| match rng.below(3) {
            0 => 0,
            _ => least + rng.below(4),
        };
        Habits {
            look_early: often(1),
            imply: often(1),
            noise: often(2),
            pad: often(2),
            split: often(2),
            give_up: if often(1) == 2 { 20 } else { 0 },
        }
    }
}

pub struct Difference {
    /// What each variable stands for, if anything.
    atoms: Vec<Option<Atom>>,
    habits: Habits,
    rng: Rng,
    splits_left: usize,
    /// The trail as the last call showed it.
    last: Vec<Lit>,
    /// What this query must assign.
    must_assign: Vec<Var>,
    /// The trail that was accepted in this query.
    pub accepted: Option<Vec<Lit>>,
    pub gave_up: bool,
    /// The lemmas that are for good.
    pub for_good: Vec<Vec<Lit>>,
    pub kept: usize,
    pub calls: usize,
}

impl Difference {
    pub fn new(atoms: Vec<Option<Atom>>, habits: Habits, rng: Rng) -> Difference {
        Difference {
            atoms,
            habits,
            rng,
            splits_left: 4,
            last: Vec::new(),
            must_assign: Vec::new(),
            accepted: None,
            gave_up: false,
            for_good: Vec::new(),
            kept: 0,
            calls: 0,
        }
    }

    /// Starts a query that asks for some variables.
    pub fn begin(&mut self, asked: &[Var]) {
        self.must_assign = asked.to_vec();
        self.accepted = None;
        self.gave_up = false;
    }

    pub fn must_assign(&self) -> &[Var] {
        &self.must_assign
    }

    fn constraint(&self, lit: Lit) -> Option<Atom> {
        let atom = (*self.atoms.get(lit.var().index())?)?;
        Some(if lit.is_negative() {
            atom.negated()
        } else {
            atom
        })
    }

    /// Literals among `lits` that contradict each other.
    pub fn contradiction(&self, lits: &[Lit]) -> Option<Vec<Lit>> {
        let edges: Vec<(Atom, Lit)> = lits
            .iter()
            .filter_map(|&lit| Some((self.constraint(lit)?, lit)))
            .collect();
        negative_cycle(&edges)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        one_in > 0 && self.rng.below(one_in) == 0
    }

    fn check_call(&mut self, trail: &TrailView<'_>, kept: usize) {
        let now = trail.trail();
        assert!(kept <= now.len() && kept <= self.last.len());
        assert_eq!(now[..kept], self.last[..kept], "the kept part changed");
        assert!(now.iter().all(|&lit| trail.value(lit) == Some(true)));
        assert!(now.iter().all(|&lit| trail.value(!lit) == Some(false)));
        self.calls += 1;
        self.kept += kept;
        self.last = now.to_vec();
    }

    fn keep(&mut self, lemmas: &mut Lemmas, clause: &[Lit]) {
        lemmas.keep(clause);
        self.for_good.push(clause.to_vec());
    }

    fn say(&mut self, lemmas: &mut Lemmas, clause: &[Lit]) {
        if self.rng.coin() {
            self.keep(lemmas, clause);
        } else {
            lemmas.learn(clause);
        }
    }

    /// Says that some true literals, and perhaps one that is not true, contradict each other.
    fn explain(&mut self, lemmas: &mut Lemmas, cycle: &[Lit]) {
        let mut clause: Vec<Lit> = cycle.iter().map(|&lit| !lit).collect();
        while !self.last.is_empty() && self.chance(self.habits.pad) {
            let some_true = self.last[self.rng.below(self.last.len())];
            clause.push(!some_true);
        }
        self.say(lemmas, &clause);
    }

    /// Says why the trail is contradictory, if it is; in two ways sometimes.
    fn object(&mut self, lemmas: &mut Lemmas) -> bool {
        let mut lits = self.last.clone();
        let Some(cycle) = self.contradiction(&lits) else {
            return false;
        };
        self.explain(lemmas, &cycle);
        if self.rng.coin() {
            lits.reverse();
            let other = self.contradiction(&lits).expect("still contradictory");
            self.explain(lemmas, &other);
        }
        true
    }

    /// Says why a literal follows from the trail, if one that is picked does.
    fn imply(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let lit = self.rng.lit(self.atoms.len());
        let mut lits = self.last.clone();
        lits.push(!lit);
        if trail.value(lit).is_none()
            && let Some(cycle) = self.contradiction(&lits)
        {
            self.explain(lemmas, &cycle);
        }
    }

    /// Says something true about literals that are picked without a look at the trail.
    fn babble(&mut self, lemmas: &mut Lemmas) {
        let vars = self.atoms.len();
        let lits: Vec<Lit> = (0..6).map(|_| self.rng.lit(vars)).collect();
        if let Some(cycle) = self.contradiction(&lits) {
            let mut clause: Vec<Lit> = cycle.iter().map(|&lit| !lit).collect();
            while self.chance(self.habits.pad) {
                clause.push(self.rng.lit(vars));
            }
            self.say(lemmas, &clause);
        }
        lemmas.set_phase(Var::from_index(self.rng.below(vars)), self.rng.coin());
    }

    fn new_var(&mut self, lemmas: &mut Lemmas, atom: Option<Atom>) -> Lit {
        let var = lemmas.new_var();
        if self.atoms.len() <= var.index() {
            self.atoms.resize(var.index() + 1, None);
        }
        self.atoms[var.index()] = atom;
        self.must_assign.push(var);
        var.positive()
    }

    /// Asks for a choice that the assignment leaves open.
    fn split(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) -> bool {
        let old = Var::from_index(self.rng.below(self.atoms.len()));
        let exists = trail.trail().iter().any(|lit| lit.var() >= old);
        if self.rng.coin() && exists && trail.value(old.positive()).is_none() {
            lemmas.decide(old);
            self.must_assign.push(old);
            return true;
        }
        if self.splits_left == 0 {
            return false;
        }
        self.splits_left -= 1;
        let below = Atom::random(&mut self.rng, 5);
        match self.rng.below(3) {
            0 => {
                self.new_var(lemmas, Some(below));
            }
            1 => {
                let at_most = self.new_var(lemmas, Some(below));
                let above = self.new_var(lemmas, Some(below.negated()));
                self.keep(lemmas, &[at_most, above]);
                self.keep(lemmas, &[!at_most, !above]);
            }
            _ => {
                let [a, b] = [(); 2].map(|()| self.last[self.rng.below(self.last.len())]);
                let both = self.new_var(lemmas, None);
                self.keep(lemmas, &[!both, a]);
                self.keep(lemmas, &[!both, b]);
                self.keep(lemmas, &[both, !a, !b]);
            }
        }
        true
    }
}

impl Theory for Difference {
    fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) {
        let before = self.last.len();
        self.check_call(trail, kept);
        assert!(kept < before.max(self.last.len()), "nothing is new");
        if self.chance(self.habits.noise) {
            self.babble(lemmas);
        }
        if self.chance(self.habits.look_early) && self.object(lemmas) {
            return;
        }
        while self.chance(self.habits.imply) && self.rng.below(4) > 0 {
            self.imply(trail, lemmas);
        }
    }

    fn complete(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> Completion {
        self.check_call(trail, kept);
        for var in &self.must_assign {
            assert!(trail.value(var.positive()).is_some(), "{var:?} is open");
        }
        if self.chance(self.habits.give_up) {
            self.gave_up = true;
            return Completion::GiveUp;
        }
        if self.chance(self.habits.noise) {
            self.babble(lemmas);
        }
        if self.object(lemmas) {
            return Completion::Refine;
        }
        if !self.last.is_empty() && self.chance(self.habits.split) && self.split(trail, lemmas) {
            return Completion::Refine;
        }
        self.accepted = Some(self.last.clone());
        Completion::Accept
    }
}

/// Bellman and Ford: the literals on a cycle of negative length.
fn negative_cycle(edges: &[(Atom, Lit)]) -> Option<Vec<Lit>> {
    let ints = edges.iter().map(|(atom, _)| atom.x.max(atom.y) + 1).max()?;
    let mut distance = vec![0; ints];
    let mut by: Vec<Option<usize>> = vec![None; ints];
    let mut last_changed = None;
    for _ in 0..=ints {
        last_changed = None;
        for (index, (atom, _)) in edges.iter().enumerate() {
            let through = distance[atom.y] + atom.bound;
            if through < distance[atom.x] {
                distance[atom.x] = through;
                by[atom.x] = Some(index);
                last_changed = Some(atom.x);
            }
        }
        last_changed?;
    }
    let back = |at: usize| edges[by[at].expect("was changed")].0.y;
    let start = (0..ints).fold(last_changed?, |at, _| back(at));
    let mut cycle = Vec::new();
    let mut at = start;
    loop {
        cycle.push(edges[by[at].expect("on the cycle")].1);
        at = back(at);
        if at == start {
            return Some(cycle);
        }
    }
}
