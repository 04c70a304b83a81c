//! Entries in words, for people.

use std::fmt::Write;

use refrain_term::{Terms, print, print_value};

use super::named::form_of;
use super::record::{Kept, Record, SlotName, SlotValue};
use crate::canon::{SlotSort, SlotTerm, instantiate, slot_sorts};

/// Says what an entry of a store is: the question over the names that it had when it was kept, and the answer.
pub fn show(key: &[u8], value: &[u8]) -> Option<String> {
    let key = form_of(key)?;
    let record = Record::decode(key, value)?;
    let mut terms = Terms::new();
    let names: Vec<String> = record.names.iter().map(name).collect();
    let slots = slot_sorts(key)?.into_iter().zip(&names);
    let slots: Vec<SlotTerm> = slots
        .map(|(sort, name)| match sort {
            SlotSort::Plain(sort) => SlotTerm::Term(terms.var(name, sort)),
            SlotSort::Func { args, result } => SlotTerm::Func(terms.func(name, &args, result)),
        })
        .collect();
    let atoms = instantiate(&mut terms, key, &slots)?;
    let text = |&position: &u32| Some(print(&terms, *atoms.get(position as usize)?));
    Some(match &record.answer {
        Kept::Unsat(core) => {
            let core: Option<Vec<String>> = core.iter().map(text).collect();
            let all = atoms.len();
            let core = core?;
            format!("unsat by {} of {all}: {}", core.len(), core.join(" "))
        }
        Kept::Sat(values) => {
            let all: Vec<String> = atoms.iter().map(|&atom| print(&terms, atom)).collect();
            let values = names.iter().zip(values).map(|(name, value)| match value {
                SlotValue::Plain(value) => format!("{name} = {}", print_value(value)),
                SlotValue::Func(value) => format!("{name} = {} …", print_value(value.default())),
            });
            let values: Vec<String> = values.collect();
            format!("sat: {} with {}", all.join(" "), values.join(", "))
        }
    })
}

/// What an entry says cannot hold, as a script that asks it; nothing for an entry that is no such answer. Symbols are
/// numbered: what they were called does not tell slots apart.
pub fn refuted_question(key: &[u8], value: &[u8]) -> Option<String> {
    let key = form_of(key)?;
    let Kept::Unsat(core) = Record::decode(key, value)?.answer else {
        return None;
    };
    let mut terms = Terms::new();
    let mut script = String::new();
    let mut slots: Vec<SlotTerm> = Vec::new();
    for (place, sort) in slot_sorts(key)?.into_iter().enumerate() {
        let name = format!("s{place}");
        slots.push(match sort {
            SlotSort::Plain(sort) => {
                let _ = writeln!(script, "(declare-const {name} {sort})");
                SlotTerm::Term(terms.var(&name, sort))
            }
            SlotSort::Func { args, result } => {
                let sorts: Vec<String> = args.iter().map(ToString::to_string).collect();
                let _ = writeln!(
                    script,
                    "(declare-fun {name} ({}) {result})",
                    sorts.join(" ")
                );
                SlotTerm::Func(terms.func(&name, &args, result))
            }
        });
    }
    let atoms = instantiate(&mut terms, key, &slots)?;
    for position in core {
        script.push_str("(assert ");
        script.push_str(&print(&terms, *atoms.get(position as usize)?));
        script.push_str(")\n");
    }
    script.push_str("(check-sat)\n");
    Some(script)
}

fn name(name: &SlotName) -> String {
    match name {
        SlotName::Symbol(name) => name.to_string(),
        SlotName::Cell(array, index) => match index.small() {
            Some(index) => format!("{array}[{index}]"),
            None => format!("{array}[{index:?}]"),
        },
    }
}

/// What entries are called whose values begin with this byte.
pub fn kind(first: Option<u8>) -> Option<&'static str> {
    match first {
        Some(super::record::SAT) => Some("sat"),
        Some(super::record::UNSAT) => Some("unsat"),
        _ => None,
    }
}
