//! A value that is not there.
use std::collections::BTreeMap;

fn main() {
    let ages = BTreeMap::from([("ann", 30)]);
    println!("{}", ages.get("ann").unwrap());
    println!("{}", ages.get(std::hint::black_box("bob")).unwrap());
}
