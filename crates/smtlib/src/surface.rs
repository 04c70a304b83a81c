//! Terms as scripts have them and as they are below: floats and rounding modes are bit-vectors, elements of sorts that a
//! script declares are integers.

use refrain_term::{Rounding, Sort, Term, Terms};

/// A symbol of any sort.
pub fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let below = terms.var(name, sort_below(sort));
    above(terms, sort, below)
}

/// The sort that terms have below the surface.
pub fn sort_below(sort: Sort) -> Sort {
    sort.below().unwrap_or(sort)
}

/// What a term is below, be it there already.
pub fn below(terms: &Terms, term: Term) -> Term {
    match terms.sort(term).below() {
        Some(_) => terms.below_surface(term),
        None => term,
    }
}

/// A term below the surface, where each value has one form only.
pub fn canonical_below(terms: &mut Terms, term: Term) -> Term {
    let below = below(terms, term);
    match terms.sort(term) {
        Sort::Float(format) => terms.float_canonical(format, below),
        _ => below,
    }
}

/// What may be anything below, as a term of the sort that scripts know.
pub fn above(terms: &mut Terms, sort: Sort, below: Term) -> Term {
    match sort {
        // There are more codes than rounding modes.
        Sort::RoundingMode => {
            let last = terms.rounding(Rounding::ToZero);
            let is_beyond = terms.bv_ult(last, below);
            let code = terms.ite(is_beyond, last, below);
            terms.surface(sort, code)
        }
        _ if sort.below().is_some() => terms.surface(sort, below),
        _ => below,
    }
}
