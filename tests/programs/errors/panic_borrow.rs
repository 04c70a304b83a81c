//! A second mutable borrow.
use std::cell::RefCell;

fn main() {
    let values = RefCell::new(vec![1]);
    let first = values.borrow();
    values.borrow_mut().push(first[0]);
    println!("{values:?}");
}
