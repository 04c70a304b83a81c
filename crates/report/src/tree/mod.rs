//! The memo tree of a run, for people: its numbers ([`Shape`]), what it has that another has not ([`Difference`]), and
//! a page for a browser ([`page`]).
//!
//! What a tree does not know itself (where a point is in the source, whether code was edited since) is asked of a
//! [`Program`].

mod difference;
mod page;
mod program;
mod rows;
mod shape;

#[cfg(test)]
mod fixture;

pub use difference::Difference;
pub use page::{Side, page};
pub use program::{Program, Stranger};
pub use shape::Shape;

use refrain_memo::{Below, Boundary, Ending, Leaf};

/// What an end is, as the page colours it and numbers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Class {
    Node,
    Exit,
    Error,
    Unsupported,
    Silent,
    Boundary,
    Infeasible,
    Open,
    Unknown,
    Summary,
}

impl Class {
    const ALL: [Class; 10] = [
        Class::Node,
        Class::Exit,
        Class::Error,
        Class::Unsupported,
        Class::Silent,
        Class::Boundary,
        Class::Infeasible,
        Class::Open,
        Class::Unknown,
        Class::Summary,
    ];

    fn of(below: &Below) -> Class {
        match below {
            Below::Node(_) => Class::Node,
            Below::Leaf(leaf) => match leaf.ending {
                Ending::Exit(_) => Class::Exit,
                Ending::Error(_) => Class::Error,
                Ending::Unsupported(_) => Class::Unsupported,
                Ending::Silent => Class::Silent,
                Ending::Boundary(_) => Class::Boundary,
            },
            Below::Infeasible { .. } => Class::Infeasible,
            Below::Open(_) => Class::Open,
            Below::Unknown { .. } => Class::Unknown,
            Below::Summary(_) => Class::Summary,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Class::Node => "node",
            Class::Exit => "exit",
            Class::Error => "error",
            Class::Unsupported => "unsupported",
            Class::Silent => "silent",
            Class::Boundary => "boundary",
            Class::Infeasible => "infeasible",
            Class::Open => "open",
            Class::Unknown => "unknown",
            Class::Summary => "summary",
        }
    }
}

/// What an end says beyond its class: a status, an error, a cause.
fn words(below: &Below) -> String {
    let of_boundary = |boundary: &Boundary| boundary.cause.to_string();
    match below {
        Below::Leaf(Leaf { ending, .. }) => match ending {
            Ending::Exit(Some(status)) => status.to_string(),
            Ending::Exit(None) => "depends on input".into(),
            Ending::Error(text) | Ending::Unsupported(text) => text.to_string(),
            Ending::Silent => String::new(),
            Ending::Boundary(boundary) => of_boundary(boundary),
        },
        Below::Open(boundary) => of_boundary(boundary),
        Below::Unknown { reason } => reason.to_string(),
        Below::Node(_) | Below::Infeasible { .. } | Below::Summary(_) => String::new(),
    }
}

/// An end in short: `error: null pointer`, `exit 0`.
fn said(below: &Below) -> String {
    let (class, words) = (Class::of(below), words(below));
    match (class, words.as_str()) {
        (_, "") => class.name().into(),
        (Class::Exit, words) => format!("exit {words}"),
        (_, words) => format!("{}: {words}", class.name()),
    }
}
