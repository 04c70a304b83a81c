//! The numbers of a tree, its difference from another, and its page.

use std::path::Path;

use refrain_llvm::machine::demangle;
use refrain_report::Output;
use refrain_report::tree::{Difference, Program, Shape, Side, page};

use super::program::Built;
use super::{Arguments, Format, bytes_of, open};
use crate::report::print;

/// Names as the source has them: that needs no program.
struct Names;

impl Program for Names {
    fn name(&self, symbol: &str) -> String {
        demangle(symbol)
    }
}

pub fn run(arguments: &Arguments, directory: &Path) -> Result<u8, String> {
    let (tree, mut status) = open(directory)?;
    let other = match &arguments.against {
        None => None,
        Some(path) => {
            let (other, whole) = open(path)?;
            status = status.max(whole);
            Some((path, other))
        }
    };
    if let Some(path) = &arguments.html {
        let program = Built::load(directory, arguments.verbose);
        let here = Side {
            name: directory.display().to_string(),
            tree: &tree,
            program: &program,
        };
        let of_other = other.as_ref();
        let of_other =
            of_other.map(|(path, tree)| (path, tree, Built::load(path, arguments.verbose)));
        let there = of_other.as_ref().map(|(path, tree, program)| Side {
            name: path.display().to_string(),
            tree,
            program,
        });
        let text = page(&program.title(), &here, there.as_ref());
        let written = Output::Text(text.into_bytes()).write(path);
        written.map_err(|error| error.to_string())?;
        let is_doubtful = |program: &Built| u8::from(program.has_changed);
        status = status.max(is_doubtful(&program));
        status = status.max(
            of_other
                .as_ref()
                .map_or(0, |(.., other)| is_doubtful(other)),
        );
    }
    let shape = Shape::of(&tree, &Names, bytes_of(directory));
    let difference = other.map(|(_, other)| Difference::of(&tree, &other));
    let text = match arguments.format {
        Format::Json => {
            let mut json = shape.json();
            if let Some(difference) = &difference {
                json["difference"] = difference.json();
            }
            format!("{json:#}\n")
        }
        Format::Text => difference
            .as_ref()
            .map_or_else(|| shape.text(), Difference::text),
    };
    print(text.as_bytes())?;
    Ok(status)
}
