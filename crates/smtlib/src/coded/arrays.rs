//! The functions of coded arrays, below the surface: an array is an integer, and what it holds a function has.

use refrain_term::{Coded, FuncId, Op, Sort, Term, Terms};

use crate::surface::{canonical_below, sort_below, symbol};

/// What a function of coded arrays does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Array, index.
    Select,
    /// Array, index, element.
    Store,
    /// The array with one element everywhere.
    Constant,
    /// An index at which two arrays differ, if they do.
    Difference,
}

impl Role {
    const ALL: [Role; 4] = [Role::Select, Role::Store, Role::Constant, Role::Difference];

    /// No script can write a name that begins like this.
    fn prefix(self) -> &'static str {
        match self {
            Role::Select => r"\\select ",
            Role::Store => r"\\store ",
            Role::Constant => r"\\const ",
            Role::Difference => r"\\diff ",
        }
    }
}

/// The function of this role for arrays of a sort.
pub fn function(terms: &mut Terms, role: Role, arrays: Coded) -> FuncId {
    let (index, element) = arrays.sides().expect("arrays");
    let (index, element) = (sort_below(index), sort_below(element));
    let name = format!("{}{}", role.prefix(), arrays.text());
    match role {
        Role::Select => terms.func(&name, &[Sort::Int, index], element),
        Role::Store => terms.func(&name, &[Sort::Int, index, element], Sort::Int),
        Role::Constant => terms.func(&name, &[element], Sort::Int),
        Role::Difference => terms.func(&name, &[Sort::Int, Sort::Int], index),
    }
}

/// What a function does for which arrays, if it is one of these.
pub fn role(terms: &Terms, func: FuncId) -> Option<(Role, Coded)> {
    let name = &terms.func_decl(func).name;
    Role::ALL.into_iter().find_map(|role| {
        let text = name.strip_prefix(role.prefix())?;
        Some((role, Coded::named(text.to_owned())))
    })
}

/// The parts of an application of the function of this role.
fn parts(terms: &Terms, func: FuncId, term: Term) -> Option<&[Term]> {
    (terms.op(term) == Op::Apply(func)).then(|| terms.args(term))
}

/// The element of an array at an index.
pub fn select(terms: &mut Terms, arrays: Coded, mut array: Term, index: Term) -> Term {
    let store = function(terms, Role::Store, arrays);
    while let Some(&[inner, at, element]) = parts(terms, store, array) {
        if at == index {
            return element;
        }
        if !(terms.is_value(at) && terms.is_value(index)) {
            break;
        }
        array = inner;
    }
    let constant = function(terms, Role::Constant, arrays);
    if let Some(&[element]) = parts(terms, constant, array) {
        return element;
    }
    let select = function(terms, Role::Select, arrays);
    terms.apply(select, &[array, index])
}

/// An array with another element at an index.
pub fn store(terms: &mut Terms, arrays: Coded, array: Term, index: Term, element: Term) -> Term {
    let store = function(terms, Role::Store, arrays);
    terms.apply(store, &[array, index, element])
}

/// The array with one element everywhere.
pub fn constant(terms: &mut Terms, arrays: Coded, element: Term) -> Term {
    let constant = function(terms, Role::Constant, arrays);
    terms.apply(constant, &[element])
}

/// The index of these arrays that is none of those written at.
pub fn other_index_of(terms: &mut Terms, arrays: Coded) -> Term {
    let (index, _) = arrays.sides().expect("arrays");
    other_index(terms, index)
}

/// An index that is none of those written at.
pub fn other_index(terms: &mut Terms, index: Sort) -> Term {
    let other = symbol(terms, &format!(r"\\other {index}"), index);
    canonical_below(terms, other)
}
