//! Comparing bytes at once: whether they are equal is one question, however many there are, and which is less is a
//! term. The library's own loops, which ask at every byte, are for what cannot be compared so.

use refrain_term::{Term, Terms};

use super::{Call, Flow, NativeFn};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__refrain_compared_len", compared_len),
    ("__refrain_compare", compare),
];

/// More bytes than this are compared one by one.
const MOST: u64 = 256;
/// What `compared_len` says of bytes that are to be compared one by one.
const ONE_BY_ONE: u64 = u64::MAX;

fn byte(call: &mut Call<'_>, address: u64) -> Result<Value, Halt> {
    call.machine
        .read(call.terms, call.state, Value::Concrete(address), 1)
}

/// How many bytes there are from an address to the end of its object.
fn room(call: &Call<'_>, address: u64) -> u64 {
    match call.state.memory.object_at(address) {
        Some(object) if object.freed.is_none() && address >= object.base => {
            object.size.saturating_sub(address - object.base)
        }
        _ => 0,
    }
}

/// How many bytes decide a comparison: at most so many, and of strings up to an end that is known. A loop would have
/// looked at no more than was needed; so all must be there, and nobody may want to know which were ever written.
fn compared_len(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (Value::Concrete(a), Value::Concrete(b), Value::Concrete(most)) =
        (call.arg(0), call.arg(1), call.arg(2))
    else {
        return Ok(Flow::value(ONE_BY_ONE));
    };
    if call.machine.linked.options.check_uninitialised {
        return Ok(Flow::value(ONE_BY_ONE));
    }
    let room = room(call, a).min(room(call, b));
    if call.number(3)? == 0 {
        let fits = most <= room.min(MOST);
        return Ok(Flow::value(if fits { most } else { ONE_BY_ONE }));
    }
    for index in 0..most.min(room).min(MOST) {
        match (byte(call, a + index)?, byte(call, b + index)?) {
            (Value::Concrete(0), _) | (_, Value::Concrete(0)) => return Ok(Flow::value(index + 1)),
            (Value::Concrete(x), Value::Concrete(y)) if x != y => {
                return Ok(Flow::value(index + 1));
            }
            _ => {}
        }
    }
    let fits = most <= room.min(MOST);
    Ok(Flow::value(if fits { most } else { ONE_BY_ONE }))
}

/// The difference of the first bytes that differ, as `memcmp` gives it, or as `strcmp` does: there nothing counts that
/// follows an end.
fn compare(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (a, b, len) = (call.number(0)?, call.number(1)?, call.number(2)?);
    let strings = call.number(3)? != 0;
    // Pairs of which one is symbolic, up to one that surely differs.
    let mut pairs = Vec::new();
    let mut surely = None;
    for index in 0..len {
        match (byte(call, a + index)?, byte(call, b + index)?) {
            (Value::Concrete(x), Value::Concrete(y)) if x == y => {}
            (Value::Concrete(x), Value::Concrete(y)) => {
                surely = Some((x as i32 - y as i32) as u32);
                break;
            }
            (x, y) => {
                let x = call.machine.term(call.terms, x, 8);
                let y = call.machine.term(call.terms, y, 8);
                pairs.push((x, y));
            }
        }
    }
    let equal: Vec<Term> = pairs.iter().map(|&(x, y)| call.terms.eq(x, y)).collect();
    // Whether both end with a pair, if they are equal up to there. A byte that is known to be none is no end.
    let zero = call.terms.bv(8, 0);
    let end = |terms: &mut Terms, &(x, y): &(Term, Term)| match strings && !terms.is_value(y) {
        true => terms.eq(x, zero),
        false => Term::FALSE,
    };
    let ends: Vec<Term> = pairs.iter().map(|pair| end(call.terms, pair)).collect();
    if surely.is_none() || ends.iter().any(|&end| end != Term::FALSE) {
        let mut all = Term::bool(surely.is_none());
        for (&same, &ends) in equal.iter().zip(&ends).rev() {
            let rest = call.terms.or2(ends, all);
            all = call.terms.and2(same, rest);
        }
        if call.machine.decide(call.terms, call.state, all)? {
            return Ok(Flow::value(0));
        }
    }
    let mut result = surely.map(|difference| call.terms.bv(32, u64::from(difference)));
    for (&(x, y), &same) in pairs.iter().zip(&equal).rev() {
        let (x, y) = (
            call.machine.widen(call.terms, x, 32),
            call.machine.widen(call.terms, y, 32),
        );
        let difference = call.terms.bv_sub(x, y);
        // Where all others are equal, the last pair differs.
        result = Some(match result {
            Some(rest) => call.terms.ite(same, rest, difference),
            None => difference,
        });
    }
    let value = match result {
        Some(term) => call.machine.value_of(call.terms, term),
        None => Value::Concrete(0),
    };
    Ok(Flow::Return(vec![value]))
}
