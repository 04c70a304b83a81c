//! Instances of the axioms of coded arrays and datatypes, for the terms that assertions contain.
//!
//! Arrays, after the reduction of their theory to that of equality: what was written is read there, and elsewhere what
//! was there before, at every index of the arrays that are connected with a write; arrays that differ do so at some
//! index; a constant array has its element at every index, and at one that is none of those written at. Datatypes: a
//! term is one of its constructors applied to what its selectors give. These are finitely many, and enough: what
//! satisfies them extends to arrays and data. Where they are too many, some are left out, and what satisfies the others
//! may be no model.
//!
//! Whatever is known of terms is forgotten with the level on which it was found.

use std::hash::Hash;

use refrain_term::{Coded, FuncId, Op, Rational, Sort, Term, Terms, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arrays::{self, Role};
use super::datatypes::Datatypes;
use crate::surface::{above, canonical_below};

/// The sorts that symbols and functions have above the surface, where some are coded.
#[derive(Default)]
pub struct Signatures {
    symbols: FxHashMap<Term, Sort>,
    functions: FxHashMap<FuncId, (Box<[Sort]>, Sort)>,
}

impl Signatures {
    /// Notes what a symbol, as it is below, is above.
    pub fn note_symbol(&mut self, below: Term, sort: Sort) {
        if let Sort::Coded(_) = sort {
            self.symbols.insert(below, sort);
        } else if !self.symbols.is_empty() {
            self.symbols.remove(&below);
        }
    }

    pub fn note_function(&mut self, func: FuncId, args: &[Sort], result: Sort) {
        let mut sorts = args.iter().chain([&result]);
        if sorts.any(|sort| matches!(sort, Sort::Coded(_))) {
            self.functions.insert(func, (args.into(), result));
        } else if !self.functions.is_empty() {
            self.functions.remove(&func);
        }
    }

    /// The sorts of a function's arguments and result, if some are coded.
    pub fn function(&self, func: FuncId) -> Option<(&[Sort], Sort)> {
        let (args, result) = self.functions.get(&func)?;
        Some((args, *result))
    }

    /// The coded sort that a term below has above, given what the functions of arrays do.
    pub fn sort_of(
        &self,
        terms: &Terms,
        mut term: Term,
        mut role: impl FnMut(FuncId) -> Option<(Role, Coded)>,
    ) -> Option<Coded> {
        let sort = loop {
            match terms.op(term) {
                Op::Ite => term = terms.arg(term, 1),
                Op::Var(_) => break *self.symbols.get(&term)?,
                Op::Apply(func) => {
                    break match role(func) {
                        Some((Role::Store | Role::Constant, arrays)) => Sort::Coded(arrays),
                        Some((role, arrays)) => {
                            let (index, element) = arrays.sides()?;
                            if role == Role::Select { element } else { index }
                        }
                        None => self.functions.get(&func)?.1,
                    };
                }
                _ => return None,
            }
        };
        match sort {
            Sort::Coded(coded) => Some(coded),
            _ => None,
        }
    }
}

/// Something that axioms are about.
#[derive(Clone, Copy)]
enum Fact {
    /// What a function gives is an array.
    Result(FuncId, Term),
    /// An index at which an array is read or written.
    Index(Coded, Term, Term),
    Store(Coded, Term),
    Constant(Coded, Term),
    /// Two arrays are one where something holds, or always.
    Connected(Term, Term),
    /// Two arrays are compared.
    Compared(Coded, Term, Term),
    /// An array is an argument, or an index: those at one place are compared with each other.
    Key(Coded, Place, Term),
    /// A term of a datatype.
    Data(Coded, Term),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Argument(FuncId, usize),
    IndexOf(Coded),
}

/// The axioms that have been instantiated, by what they are about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Instance {
    Written(Term),
    Kept(Term, Term),
    Filled(Term, Term),
    Witness(Term, Term),
    Other(Sort, Term),
    Data(Term),
}

/// A set that forgets what was added last.
struct Growing<T> {
    set: FxHashSet<T>,
    order: Vec<T>,
}

impl<T: Copy + Eq + Hash> Growing<T> {
    fn new() -> Growing<T> {
        Growing {
            set: FxHashSet::default(),
            order: Vec::new(),
        }
    }

    fn insert(&mut self, element: T) -> bool {
        let is_new = self.set.insert(element);
        if is_new {
            self.order.push(element);
        }
        is_new
    }

    fn truncate(&mut self, len: usize) {
        for element in self.order.drain(len..) {
            self.set.remove(&element);
        }
    }
}

struct Mark {
    facts: usize,
    seen: usize,
    held: usize,
    done: usize,
    incomplete: Option<&'static str>,
}

/// Which axioms the assertions need.
pub struct Axioms {
    /// Formulas that have not been looked at.
    pending: Vec<Term>,
    facts: Vec<Fact>,
    /// How many facts have been used.
    used: usize,
    seen: Growing<Term>,
    /// Equations that are asserted as such.
    held: Growing<Term>,
    done: Growing<Instance>,
    marks: Vec<Mark>,
    /// Why what satisfies all axioms may still be no model.
    incomplete: Option<&'static str>,
    roles: FxHashMap<FuncId, Option<(Role, Coded)>>,
}

/// Indices of sorts with no more elements than this are enumerated.
const FEW: u64 = 32;

/// Instances, at most. Arrays of data that have arrays, all of which are compared with each other, may need millions.
const MOST: usize = 20_000;

/// Why some queries about arrays within data are not decided.
const TOO_MANY: &str = "arrays that are compared with too many others";

/// Why some queries about constant arrays are not decided.
const FINITE_INDICES: &str = "constant arrays over a finite sort";

impl Axioms {
    pub fn new() -> Axioms {
        Axioms {
            pending: Vec::new(),
            facts: Vec::new(),
            used: 0,
            seen: Growing::new(),
            held: Growing::new(),
            done: Growing::new(),
            marks: Vec::new(),
            incomplete: None,
            roles: FxHashMap::default(),
        }
    }

    /// Begins a level. Nothing is pending.
    pub fn push(&mut self) {
        self.marks.push(Mark {
            facts: self.facts.len(),
            seen: self.seen.order.len(),
            held: self.held.order.len(),
            done: self.done.order.len(),
            incomplete: self.incomplete,
        });
    }

    pub fn pop(&mut self, levels: usize) {
        let left = self.marks.len() - levels;
        if let Some(mark) = self.marks.drain(left..).next() {
            self.pending.clear();
            self.facts.truncate(mark.facts);
            self.used = self.used.min(mark.facts);
            self.seen.truncate(mark.seen);
            self.held.truncate(mark.held);
            self.done.truncate(mark.done);
            self.incomplete = mark.incomplete;
        }
    }

    /// A formula is asserted.
    pub fn assert(&mut self, terms: &Terms, formula: Term) {
        self.pending.push(formula);
        let conjuncts = match terms.op(formula) {
            Op::And => terms.args(formula),
            _ => std::slice::from_ref(&formula),
        };
        for &conjunct in conjuncts {
            if terms.op(conjunct) == Op::Eq {
                self.held.insert(conjunct);
            }
        }
    }

    /// A formula is about to be assumed.
    pub fn assume(&mut self, formula: Term) {
        self.pending.push(formula);
    }

    /// Which arrays may be one. Whatever satisfies the axioms may take others for one by chance, which they are not.
    pub fn classes(&self) -> Classes {
        self.connected()
    }

    /// The terms that assertions and axioms contain.
    pub fn seen(&self) -> &[Term] {
        &self.seen.order
    }

    /// Why what satisfies all axioms may still be no model, if so.
    pub fn incomplete(&self) -> Option<&'static str> {
        self.incomplete
    }

    /// What satisfies all axioms may still be no model.
    pub fn miss(&mut self, why: &'static str) {
        self.incomplete = Some(why);
    }

    /// The axioms that are needed and not yet asserted.
    pub fn instances(
        &mut self,
        terms: &mut Terms,
        signatures: &mut Signatures,
        datatypes: &Datatypes,
    ) -> Vec<Term> {
        let mut instances = Vec::new();
        loop {
            let pending = std::mem::take(&mut self.pending);
            for term in reachable(terms, &pending) {
                if self.seen.insert(term) {
                    self.look_at(terms, signatures, datatypes, term);
                }
            }
            if self.used == self.facts.len() {
                return instances;
            }
            self.used = self.facts.len();
            let mut new = Vec::new();
            self.instantiate_arrays(terms, signatures, datatypes, &mut new);
            self.instantiate_data(terms, datatypes, &mut new);
            self.pending.extend_from_slice(&new);
            instances.extend(new);
        }
    }

    /// Notes an instance, and says whether it is to be made: once, and as long as they are not too many.
    fn begin(&mut self, instance: Instance) -> bool {
        if self.done.set.contains(&instance) {
            return false;
        }
        if self.done.order.len() >= MOST {
            self.miss(TOO_MANY);
            return false;
        }
        self.done.insert(instance)
    }

    fn role(&mut self, terms: &Terms, func: FuncId) -> Option<(Role, Coded)> {
        *self
            .roles
            .entry(func)
            .or_insert_with(|| arrays::role(terms, func))
    }

    /// The coded sort that a term below has above.
    fn sort_of(&mut self, terms: &Terms, signatures: &Signatures, term: Term) -> Option<Coded> {
        signatures.sort_of(terms, term, |func| self.role(terms, func))
    }

    fn look_at(
        &mut self,
        terms: &Terms,
        signatures: &Signatures,
        datatypes: &Datatypes,
        term: Term,
    ) {
        if let Some((a, b)) = terms.equated(term) {
            if let Some(sort) = self.sort_of(terms, signatures, a)
                && sort.sides().is_some()
            {
                self.facts.push(Fact::Compared(sort, a, b));
            }
            return;
        }
        let (Op::Var(_) | Op::Apply(_) | Op::Ite) = terms.op(term) else {
            return;
        };
        if let Op::Apply(func) = terms.op(term) {
            self.look_at_application(terms, signatures, func, term);
        }
        let Some(sort) = self.sort_of(terms, signatures, term) else {
            return;
        };
        let is_ite = terms.op(term) == Op::Ite;
        if sort.sides().is_some() {
            match terms.op(term) {
                Op::Ite => {
                    for branch in [1, 2] {
                        let branch = terms.arg(term, branch);
                        self.facts.push(Fact::Connected(term, branch));
                    }
                }
                Op::Apply(func) => match self.role(terms, func) {
                    Some((Role::Store | Role::Constant, _)) => {}
                    _ => self.facts.push(Fact::Result(func, term)),
                },
                _ => {}
            }
        } else if !is_ite && datatypes.of_sort(sort).is_some() {
            self.facts.push(Fact::Data(sort, term));
        }
    }

    fn look_at_application(
        &mut self,
        terms: &Terms,
        signatures: &Signatures,
        func: FuncId,
        term: Term,
    ) {
        let args = terms.args(term);
        let key = |place: Place, sort: Sort, term: Term| match sort {
            Sort::Coded(coded) if coded.sides().is_some() => Some(Fact::Key(coded, place, term)),
            _ => None,
        };
        match self.role(terms, func) {
            Some((role @ (Role::Select | Role::Store), sort)) => {
                self.facts.push(Fact::Index(sort, args[0], args[1]));
                if role == Role::Store {
                    self.facts.push(Fact::Store(sort, term));
                    self.facts.push(Fact::Connected(term, args[0]));
                }
                let (index, _) = sort.sides().expect("arrays");
                self.facts.extend(key(Place::IndexOf(sort), index, args[1]));
            }
            Some((Role::Constant, sort)) => self.facts.push(Fact::Constant(sort, term)),
            Some((Role::Difference, _)) => {}
            None => {
                let Some((sorts, _)) = signatures.functions.get(&func) else {
                    return;
                };
                for (place, (&sort, &arg)) in sorts.iter().zip(args).enumerate() {
                    let place = Place::Argument(func, place);
                    self.facts.extend(key(place, sort, arg));
                }
            }
        }
    }

    /// Which arrays may be one, each by its representative.
    fn connected(&self) -> Classes {
        let mut classes = Classes::default();
        // What a function gives for one argument it gives for an equal one.
        let mut results: FxHashMap<FuncId, Term> = FxHashMap::default();
        for fact in &self.facts {
            match *fact {
                Fact::Result(func, term) => {
                    let other = *results.entry(func).or_insert(term);
                    classes.unite(other, term);
                }
                Fact::Connected(a, b) | Fact::Compared(_, a, b) => classes.unite(a, b),
                _ => {}
            }
        }
        classes
    }

    fn instantiate_arrays(
        &mut self,
        terms: &mut Terms,
        signatures: &mut Signatures,
        datatypes: &Datatypes,
        new: &mut Vec<Term>,
    ) {
        self.compare_keys();
        let mut classes = self.connected();
        let mut parts: Parts = Parts::default();
        for fact in &self.facts {
            match *fact {
                Fact::Index(sort, array, index) => {
                    let part = parts.part(sort, classes.find(array));
                    if part.known.insert(index) {
                        part.indices.push(index);
                    }
                }
                Fact::Store(sort, store) => {
                    parts.part(sort, classes.find(store)).stores.push(store);
                }
                Fact::Constant(sort, array) => {
                    parts.part(sort, classes.find(array)).constants.push(array);
                }
                Fact::Compared(sort, a, b) => {
                    parts.part(sort, classes.find(a)).pairs.push((a, b));
                }
                _ => {}
            }
        }
        for (sort, mut part) in parts.list {
            self.witness_differences(terms, sort, &mut part, new);
            let signatures = &mut *signatures;
            self.add_other_indices(terms, signatures, datatypes, sort, &mut part, new);
            self.follow_writes(terms, sort, &part, new);
        }
    }

    /// Compares the arrays at one place with each other.
    fn compare_keys(&mut self) {
        let mut places: FxHashMap<Place, Vec<Term>> = FxHashMap::default();
        let mut pairs = Vec::new();
        let mut are_too_many = false;
        for fact in &self.facts {
            let Fact::Key(sort, place, term) = *fact else {
                continue;
            };
            let others = places.entry(place).or_default();
            if others.contains(&term) {
                continue;
            }
            for &other in others.iter() {
                let pair = Instance::Witness(other.min(term), other.max(term));
                if self.done.set.contains(&pair) {
                    continue;
                }
                are_too_many |= pairs.len() == MOST;
                if !are_too_many {
                    pairs.push(Fact::Compared(sort, other, term));
                }
            }
            others.push(term);
        }
        if are_too_many {
            self.miss(TOO_MANY);
        }
        self.facts.append(&mut pairs);
        self.used = self.facts.len();
    }

    /// Arrays that differ do so at some index.
    fn witness_differences(
        &mut self,
        terms: &mut Terms,
        sort: Coded,
        part: &mut Part,
        new: &mut Vec<Term>,
    ) {
        let (index_sort, _) = sort.sides().expect("arrays");
        for &(a, b) in &part.pairs {
            let (a, b) = (a.min(b), a.max(b));
            let equal = terms.eq(a, b);
            if self.held.set.contains(&equal) {
                continue;
            }
            let difference = arrays::function(terms, Role::Difference, sort);
            let index = terms.apply(difference, &[a, b]);
            let index = above(terms, index_sort, index);
            let index = canonical_below(terms, index);
            if part.known.insert(index) {
                part.indices.push(index);
            }
            if !self.begin(Instance::Witness(a, b)) {
                continue;
            }
            let same_there = self.same_at(terms, sort, a, b, index);
            let differ_there = terms.not(same_there);
            new.push(terms.or(&[equal, differ_there]));
        }
    }

    /// Constant arrays say something of every index: of all, where they are few, or of one that is not written at.
    fn add_other_indices(
        &mut self,
        terms: &mut Terms,
        signatures: &mut Signatures,
        datatypes: &Datatypes,
        sort: Coded,
        part: &mut Part,
        new: &mut Vec<Term>,
    ) {
        if part.constants.is_empty() {
            return;
        }
        let (index_sort, _) = sort.sides().expect("arrays");
        if let Some(all) = datatypes.all_elements(terms, index_sort, FEW) {
            for index in all {
                if part.known.insert(index) {
                    part.indices.push(index);
                }
            }
            return;
        }
        let other = arrays::other_index(terms, index_sort);
        signatures.note_symbol(other, index_sort);
        if part.known.insert(other) {
            part.indices.push(other);
        }
        // One index is beside all those written at in any array, as long as there are more.
        let room = datatypes.count(index_sort);
        for &store in &part.stores {
            let index = terms.arg(store, 1);
            let written = Instance::Other(index_sort, index);
            if self.done.set.contains(&written) {
                continue;
            }
            let avoided = self.done.order.iter().filter(|done| match done {
                Instance::Other(sort, _) => *sort == index_sort,
                _ => false,
            });
            if avoided.count() as u64 + 1 >= room {
                self.miss(FINITE_INDICES);
                continue;
            }
            if !self.begin(written) {
                continue;
            }
            let [other, index] = [other, index].map(|below| above(terms, index_sort, below));
            let equal = terms.eq(other, index);
            new.push(terms.not(equal));
        }
    }

    /// What was written is there, everything else as before; constant arrays have one element.
    fn follow_writes(&mut self, terms: &mut Terms, sort: Coded, part: &Part, new: &mut Vec<Term>) {
        let (_, element_sort) = sort.sides().expect("arrays");
        let equal = |terms: &mut Terms, a: Term, b: Term| {
            let (a, b) = (above(terms, element_sort, a), above(terms, element_sort, b));
            terms.eq(a, b)
        };
        let select = arrays::function(terms, Role::Select, sort);
        for &store in &part.stores {
            let [array, at, element] = [0, 1, 2].map(|place| terms.arg(store, place));
            if self.begin(Instance::Written(store)) {
                let read = terms.apply(select, &[store, at]);
                new.push(equal(terms, read, element));
            }
            for &index in &part.indices {
                if index == at || !self.begin(Instance::Kept(store, index)) {
                    continue;
                }
                let same_index = terms.eq(at, index);
                if same_index == Term::TRUE {
                    continue;
                }
                let after = terms.apply(select, &[store, index]);
                let before = terms.apply(select, &[array, index]);
                let same = equal(terms, after, before);
                new.push(terms.or(&[same_index, same]));
            }
        }
        for &array in &part.constants {
            let element = terms.arg(array, 0);
            for &index in &part.indices {
                if self.begin(Instance::Filled(array, index)) {
                    let read = terms.apply(select, &[array, index]);
                    new.push(equal(terms, read, element));
                }
            }
        }
    }

    /// Two arrays have the same element at an index.
    fn same_at(&self, terms: &mut Terms, sort: Coded, a: Term, b: Term, index: Term) -> Term {
        let (_, element_sort) = sort.sides().expect("arrays");
        let select = arrays::function(terms, Role::Select, sort);
        let [a, b] = [a, b].map(|array| {
            let element = terms.apply(select, &[array, index]);
            above(terms, element_sort, element)
        });
        terms.eq(a, b)
    }

    fn instantiate_data(&mut self, terms: &mut Terms, datatypes: &Datatypes, new: &mut Vec<Term>) {
        let facts = self.facts.iter();
        let data: Vec<(Coded, Term)> = facts
            .filter_map(|fact| match *fact {
                Fact::Data(sort, term) => Some((sort, term)),
                _ => None,
            })
            .collect();
        for (sort, term) in data {
            if !self.begin(Instance::Data(term)) {
                continue;
            }
            let Some(datatype) = datatypes.of_sort(sort) else {
                continue;
            };
            match datatype.constructor_of(terms, term) {
                Some((place, constructor)) => {
                    let tag = terms.apply(datatype.tag, &[term]);
                    let place = terms.number(Sort::Int, Rational::from(place as i64));
                    new.push(terms.eq(tag, place));
                    for (at, field) in constructor.fields.iter().enumerate() {
                        let given = terms.arg(term, at);
                        let selected = terms.apply(field.selector, &[term]);
                        let [given, selected] =
                            [given, selected].map(|below| above(terms, field.sort, below));
                        new.push(terms.eq(given, selected));
                    }
                }
                None => {
                    let mut choices = Vec::new();
                    for constructor in &datatype.constructors {
                        let built = constructor.rebuilt(terms, term);
                        choices.push(terms.eq(term, built));
                    }
                    new.push(terms.or(&choices));
                }
            }
        }
    }
}

/// Arrays of one sort that may be one, and what is known of them.
#[derive(Default)]
struct Part {
    indices: Vec<Term>,
    known: FxHashSet<Term>,
    stores: Vec<Term>,
    constants: Vec<Term>,
    pairs: Vec<(Term, Term)>,
}

#[derive(Default)]
struct Parts {
    list: Vec<(Coded, Part)>,
    places: FxHashMap<(Coded, Term), usize>,
}

impl Parts {
    fn part(&mut self, sort: Coded, representative: Term) -> &mut Part {
        let list = &mut self.list;
        let place = *self
            .places
            .entry((sort, representative))
            .or_insert_with(|| {
                list.push((sort, Part::default()));
                list.len() - 1
            });
        &mut list[place].1
    }
}

/// A partition of terms.
#[derive(Default)]
pub struct Classes {
    parents: FxHashMap<Term, Term>,
}

impl Classes {
    /// The term that stands for all that this one is with.
    pub fn find(&mut self, term: Term) -> Term {
        let mut root = term;
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        let mut term = term;
        while term != root {
            term = self.parents.insert(term, root).expect("not the root");
        }
        root
    }

    fn unite(&mut self, a: Term, b: Term) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents.insert(a, b);
        }
    }
}
