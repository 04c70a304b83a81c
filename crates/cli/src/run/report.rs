//! What is wrong with a program, in words.

use refrain_llvm::machine::{self, Error, Unsupported};
use refrain_llvm::memory;
use refrain_machine::{Access, ErrorKind, Fault, Object, ObjectKind, Place};

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

/// Both tables name the same kinds; a test compares them.
pub fn kind(kind: machine::ErrorKind) -> ErrorKind {
    ErrorKind::named(kind.name()).expect("a kind of both tables")
}

/// An error of the machine, as it is kept and shown.
pub fn fault(error: &Error) -> Fault {
    let object = error.object.as_ref().map(|object| Object {
        name: object.name.clone(),
        kind: match object.kind {
            memory::Kind::Global => ObjectKind::Global,
            memory::Kind::Stack => ObjectKind::Stack,
            memory::Kind::Heap => ObjectKind::Heap,
            memory::Kind::Function => ObjectKind::Function,
            memory::Kind::Runtime => ObjectKind::Runtime,
        },
        size: object.size,
        offset: object.offset,
        allocated_at: object.allocated_at.iter().map(place).collect(),
        freed_at: object.freed_at.iter().map(place).collect(),
    });
    let access = error.access;
    Fault {
        kind: kind(error.kind),
        message: error.message.clone(),
        stack: stack(&error.trace),
        object,
        access: access.map(|(address, bytes)| Access { address, bytes }),
        notes: Vec::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_machine_is_known() {
        for known in machine::ErrorKind::ALL {
            assert_eq!(kind(known).name(), known.name());
        }
    }
}
