//! What is wrong with a program, in words.

use refrain_llvm::machine::{self, Error, Unsupported};
use refrain_results::{Fault, Place};

use crate::diagnostic::{Diagnostic, has_colours};

fn place(place: &machine::Place) -> Place {
    Place {
        function: place.function.clone(),
        file: place.file.clone(),
        line: place.line,
        column: place.column,
    }
}

/// The stack without the frames of Rust's own library, unless there are no others.
fn stack(places: &[machine::Place]) -> Vec<Place> {
    let own = |place: &&machine::Place| !place.file.starts_with("/rustc/");
    let stack: Vec<Place> = places.iter().filter(own).map(place).collect();
    if stack.is_empty() {
        return places.iter().map(place).collect();
    }
    stack
}

/// Where the program went wrong: the innermost frame that has a line of its own source. What a library function was
/// told to do is its caller's mistake, and two callers are two mistakes.
fn at_fault(stack: &[Place]) -> Option<&Place> {
    let has_line = |place: &&Place| place.line > 0;
    let own = |place: &&Place| has_line(place) && !machine::is_system_file(&place.file);
    let own = stack.iter().find(own);
    own.or_else(|| stack.iter().find(has_line))
        .or(stack.first())
}

/// An error of the machine, as it is kept and shown.
pub fn fault(error: &Error) -> Fault {
    let stack = stack(&error.trace);
    let mut details = Vec::new();
    let mut related = Vec::new();
    if let Some(object) = &error.object {
        let name = match object.name.as_str() {
            "" => String::new(),
            name => format!("{name}, "),
        };
        let kind = format!("{:?}", object.kind).to_lowercase();
        let bytes = error.access.map_or(0, |(_, bytes)| bytes);
        let miss = object.miss(bytes);
        details.push(format!(
            "object: {name}{} bytes, {kind}; {miss}",
            object.size
        ));
        for (what, places) in [
            ("allocated here", &object.allocated_at),
            ("freed here", &object.freed_at),
        ] {
            related.extend(places.first().map(|first| (what.into(), place(first))));
        }
    } else if let Some((address, _)) = error.access {
        details.push(format!("address: {address:#x}"));
    }
    Fault {
        error: error.kind.name().to_string(),
        message: error.message.clone(),
        place: at_fault(&stack).cloned(),
        stack,
        details,
        related,
    }
}

/// An error of a program that is simply run.
pub fn describe(error: &Error) -> String {
    let diagnostic = Diagnostic {
        fault: &fault(error),
        inputs: &[],
        test: None,
    };
    diagnostic.render(has_colours())
}

pub fn describe_unsupported(what: &Unsupported) -> String {
    let mut lines = vec![format!("cannot go on: {}", what.what)];
    lines.extend(
        stack(&what.trace)
            .iter()
            .map(|place| format!("  in {place}")),
    );
    lines.join("\n")
}
