//! Arrays under a model. Every read is carried to the arrays that agree with its own at its index: those that equations
//! make equal, and those a store at another index apart. Where it meets another read of the same index with another
//! element, or the element of a constant array, the rules along both ways are added (Brummayer and Biere, "Lemmas on
//! Demand for the Extensional Theory of Arrays", JSAT 2009).

use dashu_int::UBig;
use refrain_proof::{Ground, Op, Rule, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::search::NotProved;
use crate::theory::{MAX_INSTANCES, Model, Theory, Value};

/// Two arrays that agree, but for an index in the case of a store.
#[derive(Clone, Copy)]
struct Edge {
    to: Term,
    /// The store that one of the two is, over the other.
    store: Option<Term>,
}

/// A read that has come to an array.
#[derive(Clone, Copy)]
struct Arrival {
    read: Term,
    from: Option<Term>,
}

impl Theory {
    pub fn check_arrays(&mut self, ground: &mut Ground, model: &Model) -> Result<(), NotProved> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let edges = self.edges(ground, model);
        let mut arrived: FxHashMap<(Term, Value), Arrival> = FxHashMap::default();
        let mut conflicts = Vec::new();
        for read in self.reads.clone() {
            let &[array, index] = ground.terms.args(read) else {
                continue;
            };
            let at = model.value(ground, index);
            let element = model.value(ground, read);
            let mut queue = vec![(array, None)];
            while let Some((array, from)) = queue.pop() {
                let arrival = Arrival { read, from };
                if let Some(&other) = arrived.get(&(array, at.clone())) {
                    if model.value(ground, other.read) != element {
                        conflicts.push((array, at.clone(), arrival, Some(other)));
                    }
                    continue;
                }
                arrived.insert((array, at.clone()), arrival);
                if *ground.terms.op(array) == Op::ConstArray
                    && model.value(ground, ground.terms.args(array)[0]) != element
                {
                    conflicts.push((array, at.clone(), arrival, None));
                }
                for edge in edges.get(&array).into_iter().flatten() {
                    let passes = edge
                        .store
                        .is_none_or(|store| model.value(ground, ground.terms.args(store)[1]) != at);
                    if passes {
                        queue.push((edge.to, Some(array)));
                    }
                }
            }
            if conflicts.len() > MAX_INSTANCES {
                break;
            }
        }
        let before = self.rules().len();
        for (array, at, arrival, other) in conflicts {
            self.follow(ground, &edges, &arrived, array, &at, arrival)?;
            let index = ground.terms.args(arrival.read)[1];
            match other {
                Some(other) => {
                    self.follow(ground, &edges, &arrived, array, &at, other)?;
                    let other_index = ground.terms.args(other.read)[1];
                    if index != other_index {
                        let (a, b) = (
                            self.read(ground, array, index)?,
                            self.read(ground, array, other_index)?,
                        );
                        self.apply(ground, Rule::Congruence(a, b))?;
                    }
                }
                None => {
                    self.apply(ground, Rule::Const { array, index })?;
                }
            }
        }
        if self.rules().len() == before {
            self.compare_constants(ground, model, &edges)?;
        }
        Ok(())
    }

    fn edges(&self, ground: &Ground, model: &Model) -> FxHashMap<Term, Vec<Edge>> {
        let mut edges: FxHashMap<Term, Vec<Edge>> = FxHashMap::default();
        let mut join = |a: Term, b: Term, store: Option<Term>| {
            edges.entry(a).or_default().push(Edge { to: b, store });
            edges.entry(b).or_default().push(Edge { to: a, store });
        };
        for &array in &self.arrays {
            if *ground.terms.op(array) == Op::Store {
                join(array, ground.terms.args(array)[0], Some(array));
            }
        }
        for &equation in &self.equations {
            if let &[a, b] = ground.terms.args(equation)
                && matches!(ground.terms.sort(a), Sort::Array(_))
                && model.holds(ground, equation)
            {
                join(a, b, None);
            }
        }
        edges
    }

    /// The element of an array, as a term.
    fn read(&mut self, ground: &mut Ground, array: Term, index: Term) -> Result<Term, NotProved> {
        self.apply(ground, Rule::Read { array, index })?;
        Ok(ground.terms.select(array, index))
    }

    /// Adds the rules along the way that a read took to an array.
    fn follow(
        &mut self,
        ground: &mut Ground,
        edges: &FxHashMap<Term, Vec<Edge>>,
        arrived: &FxHashMap<(Term, Value), Arrival>,
        array: Term,
        at: &Value,
        arrival: Arrival,
    ) -> Result<(), NotProved> {
        let index = ground.terms.args(arrival.read)[1];
        let (mut array, mut from) = (array, arrival.from);
        while let Some(last) = from {
            let ways = edges.get(&last).into_iter().flatten();
            // An equation is as good as a store, and any will do.
            let mut ways: Vec<&Edge> = ways.filter(|edge| edge.to == array).collect();
            ways.sort_by_key(|edge| edge.store.is_some());
            match ways.first().map(|edge| edge.store) {
                Some(Some(store)) => {
                    self.apply(ground, Rule::Row { store, index })?;
                }
                _ => {
                    let (a, b) = (
                        self.read(ground, last, index)?,
                        self.read(ground, array, index)?,
                    );
                    self.apply(ground, Rule::Congruence(a, b))?;
                }
            }
            array = last;
            from = arrived
                .get(&(last, at.clone()))
                .and_then(|arrival| arrival.from);
        }
        Ok(())
    }

    /// Constant arrays that agree but for stores have the same element, if there is an index that no store is at: one
    /// such index is read.
    fn compare_constants(
        &mut self,
        ground: &mut Ground,
        model: &Model,
        edges: &FxHashMap<Term, Vec<Edge>>,
    ) -> Result<(), NotProved> {
        let is_const = |ground: &Ground, array: Term| *ground.terms.op(array) == Op::ConstArray;
        let mut met: FxHashSet<Term> = FxHashSet::default();
        for array in self.arrays.clone() {
            if !is_const(ground, array) || !met.insert(array) {
                continue;
            }
            let element = model.value(ground, ground.terms.args(array)[0]);
            let mut taken: FxHashSet<Value> = FxHashSet::default();
            let (mut stack, mut differ) = (vec![array], false);
            while let Some(at) = stack.pop() {
                if is_const(ground, at) {
                    differ |= model.value(ground, ground.terms.args(at)[0]) != element;
                }
                for edge in edges.get(&at).into_iter().flatten() {
                    if let Some(store) = edge.store {
                        taken.insert(model.value(ground, ground.terms.args(store)[1]));
                    }
                    if met.insert(edge.to) {
                        stack.push(edge.to);
                    }
                }
            }
            let Sort::Array(sorts) = ground.terms.sort(array).clone() else {
                continue;
            };
            if let (true, &Sort::BitVec(width)) = (differ, &sorts.0) {
                self.read_elsewhere(ground, array, width, &taken)?;
            }
        }
        Ok(())
    }

    /// Reads an array at a constant index that is not among these values.
    fn read_elsewhere(
        &mut self,
        ground: &mut Ground,
        array: Term,
        width: u32,
        taken: &FxHashSet<Value>,
    ) -> Result<(), NotProved> {
        let indices = if width < 63 { 1u64 << width } else { u64::MAX };
        for index in 0..indices.min(taken.len() as u64 + 1) {
            let bits = (0..width).map(|place| place < 64 && index >> place & 1 == 1);
            if taken.contains(&Value::Bits(bits.collect())) {
                continue;
            }
            let value = UBig::from(index);
            self.apply(
                ground,
                Rule::Bits {
                    width,
                    value: value.clone(),
                },
            )?;
            let index = ground.terms.bits(width, value);
            let read = self.read(ground, array, index)?;
            self.apply(ground, Rule::Const { array, index })?;
            self.apply(ground, Rule::Encode(index))?;
            debug_assert!(
                ground.encoder.known(read).is_some() || !ground.terms.sort(read).has_bits()
            );
            return Ok(());
        }
        Ok(())
    }
}
