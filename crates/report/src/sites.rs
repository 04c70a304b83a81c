//! Errors, once a site: the same mistake is found on many paths.

use std::collections::BTreeMap;

use refrain_machine::Fault;
use refrain_results::{Outcome, Test};

use crate::Results;

/// One mistake of the program.
pub struct Site<'a> {
    pub fault: &'a Fault,
    /// The first test that finds it.
    pub test: &'a Test,
    /// How many do.
    pub times: usize,
}

/// All errors, in the order of their places, which does not depend on the order in which they were found.
pub fn sites(results: &Results) -> Vec<Site<'_>> {
    let mut sites: BTreeMap<_, Site> = BTreeMap::new();
    for test in &results.tests {
        let Outcome::Error(fault) = &test.outcome else {
            continue;
        };
        let place = fault.place();
        let place = place.map(|place| (&place.file, place.line, place.column, &place.function));
        let key = (place, fault.kind, without_digits(&fault.message));
        let site = Site {
            fault,
            test,
            times: 0,
        };
        sites.entry(key).or_insert(site).times += 1;
    }
    sites.into_values().collect()
}

/// Numbers in a message are those of one input, or lines that move.
pub fn without_digits(message: &str) -> String {
    message.replace(|c: char| c.is_ascii_digit(), "")
}
