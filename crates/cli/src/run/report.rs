//! What is wrong with a program that is simply run, in words.

use refrain_machine::{Fault, Place, Unsupported};

use crate::diagnostic::{Diagnostic, has_colours};

/// A stack without the frames of Rust's own library, unless there are no others.
pub fn shown_stack(places: &[Place]) -> Vec<Place> {
    let is_own = |place: &&Place| !place.file.starts_with("/rustc/");
    let stack: Vec<Place> = places.iter().filter(is_own).cloned().collect();
    match stack.is_empty() {
        true => places.to_vec(),
        false => stack,
    }
}

pub fn describe(fault: &Fault) -> String {
    let fault = Fault {
        stack: shown_stack(&fault.stack),
        ..fault.clone()
    };
    let diagnostic = Diagnostic {
        fault: &fault,
        inputs: &[],
        command: None,
        test: None,
    };
    diagnostic.render(has_colours())
}

pub fn describe_unsupported(what: &Unsupported) -> String {
    let mut lines = vec![format!("cannot go on: {}", what.what)];
    let stack = shown_stack(&what.stack);
    lines.extend(stack.iter().map(|place| format!("  in {place}")));
    lines.join("\n")
}
