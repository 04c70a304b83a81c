//! The judge where no other solver is to be trusted: all inputs are tried. Variables get their values one after
//! the other, and a condition is looked at as soon as it has all of its own; what the standard leaves open, and
//! what a function makes of its arguments, is tried as it is met.

use super::ast::{Node, Sort, T, mask, subterms};
use super::evaluate::{Function, Gap, Model, Value, evaluate};
use super::floats::Format;
use std::collections::{HashMap, HashSet};

/// Bits of input beyond which nothing is tried, and the nodes of terms that may be evaluated.
const MOST_BITS: u32 = 22;
const MOST_WORK: usize = 600_000;

/// A model of these conditions; `Some(None)` if none is, `None` if there are too many to try.
pub fn model(conditions: &[T]) -> Option<Option<Model>> {
    let mut search = Search::plan(conditions)?;
    search.variable(0)
}

struct Search {
    variables: Vec<(String, Sort)>,
    /// The conditions to look at when the first so many variables have values.
    conditions: Vec<Vec<T>>,
    model: Model,
    work: usize,
}

impl Search {
    fn plan(conditions: &[T]) -> Option<Search> {
        let mut open: Vec<(HashMap<String, Sort>, T)> = Vec::new();
        for condition in conditions {
            let mut symbols = HashMap::new();
            subterms(condition, &mut |term| {
                if let Node::Symbol(name) = &term.node {
                    symbols.insert(name.clone(), term.sort);
                }
            });
            open.push((symbols, condition.clone()));
        }
        let mut search = Search {
            variables: Vec::new(),
            conditions: vec![Vec::new()],
            model: Model::default(),
            work: 0,
        };
        let mut known: HashSet<String> = HashSet::new();
        let mut bits = 0;
        while !open.is_empty() {
            let missing = |symbols: &HashMap<String, Sort>| -> Option<u32> {
                symbols
                    .iter()
                    .filter(|(name, _)| !known.contains(*name))
                    .map(|(_, &sort)| bits_of(sort))
                    .sum()
            };
            let costs: Option<Vec<u32>> =
                open.iter().map(|(symbols, _)| missing(symbols)).collect();
            let costs = costs?;
            let (place, cost) = costs.iter().enumerate().min_by_key(|(_, cost)| **cost)?;
            bits += cost;
            if bits > MOST_BITS {
                return None;
            }
            let (symbols, condition) = open.swap_remove(place);
            let mut fresh: Vec<(String, Sort)> = symbols
                .into_iter()
                .filter(|(name, _)| !known.contains(name))
                .collect();
            fresh.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (name, sort) in fresh {
                known.insert(name.clone());
                search.variables.push((name, sort));
                search.conditions.push(Vec::new());
            }
            search.conditions.last_mut()?.push(condition);
        }
        for at_once in &mut search.conditions {
            at_once.sort_by_key(|condition| condition.size);
        }
        Some(search)
    }

    /// The conditions that wait for no more than this many variables, then the next variable.
    fn variable(&mut self, count: usize) -> Option<Option<Model>> {
        self.conditions_from(count, 0)
    }

    fn conditions_from(&mut self, count: usize, place: usize) -> Option<Option<Model>> {
        let Some(condition) = self.conditions[count].get(place).cloned() else {
            return self.next_variable(count);
        };
        self.work += condition.size;
        if self.work > MOST_WORK {
            return None;
        }
        match evaluate(&condition, &self.model) {
            Ok(Value::Bool(true)) => self.conditions_from(count, place + 1),
            Ok(_) => Some(None),
            Err(Gap::Point {
                function,
                args,
                result,
            }) => {
                for value in values(result)? {
                    self.table(&function).push((args.clone(), value));
                    let found = self.conditions_from(count, place);
                    self.table(&function).pop();
                    if !matches!(found, Some(None)) {
                        return found;
                    }
                }
                Some(None)
            }
            Err(Gap::Other(_)) => None,
        }
    }

    fn table(&mut self, function: &str) -> &mut Vec<(Vec<Value>, Value)> {
        let function = self
            .model
            .functions
            .entry(function.to_string())
            .or_insert_with(|| Function::Table(Vec::new()));
        match function {
            Function::Table(table) => table,
            _ => unreachable!("only tables are put here"),
        }
    }

    fn next_variable(&mut self, count: usize) -> Option<Option<Model>> {
        let Some((name, sort)) = self.variables.get(count).cloned() else {
            return Some(Some(self.model.clone()));
        };
        for value in values(sort)? {
            self.model.symbols.insert(name.clone(), value);
            let found = self.variable(count + 1);
            if !matches!(found, Some(None)) {
                return found;
            }
        }
        self.model.symbols.remove(&name);
        Some(None)
    }
}

fn bits_of(sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(1),
        Sort::Rounding => Some(3),
        Sort::Bv(_) | Sort::Float(..) => Some(sort.width()),
        Sort::Int | Sort::Real | Sort::Array(..) => None,
    }
}

/// Every value of a sort that has few.
fn values(sort: Sort) -> Option<Box<dyn Iterator<Item = Value>>> {
    let bits = bits_of(sort).filter(|&bits| bits <= MOST_BITS)?;
    Some(match sort {
        Sort::Bool => Box::new([false, true].into_iter().map(Value::Bool)),
        Sort::Rounding => Box::new((0..5).map(Value::Bv)),
        Sort::Float(..) => {
            let format = Format::of(sort);
            let one_form = move |bits: &u128| format.canonical(*bits) == *bits;
            Box::new((0..=mask(bits)).filter(one_form).map(Value::Bv))
        }
        _ => Box::new((0..=mask(bits)).map(Value::Bv)),
    })
}
