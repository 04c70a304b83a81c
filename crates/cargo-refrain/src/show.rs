//! The inputs of a failure as Rust. The program itself knows how to write its values: it is run once more, with this
//! input, in a function that makes the inputs of the property and writes them out.

use std::path::Path;

use refrain_machine::InputValue;
use refrain_results::{OutputDirectory, Test};

use crate::error::Error;
use crate::explore::Refrain;
use crate::property::Property;

/// What a property was called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// By name: an expression.
    pub arguments: Vec<(String, String)>,
    /// What the property asked for itself, by `refrain::any`.
    pub asked: Vec<InputValue>,
}

impl Inputs {
    /// Those of a test of a property, which are also kept in a directory.
    pub fn of(
        refrain: &Refrain,
        program: &Path,
        property: &Property,
        (results, test): (&OutputDirectory, u32),
        out: &Path,
    ) -> Result<Inputs, Error> {
        let options = "--mode concolic --max-paths 1 --tests all --input";
        let mut options: Vec<String> = options.split(' ').map(String::from).collect();
        options.push(format!("{}:{test}", results.path().display()));
        let inputs = results.tests()?.read(test)?.inputs;
        let shown = match out.exists() {
            true => OutputDirectory::open(out)?,
            false => refrain.explore(program, &property.show, &options, out)?,
        };
        let shown = shown.tests()?;
        let shown = match shown.numbers().first() {
            Some(&number) => shown.read(number)?,
            None => Test::default(),
        };
        let written = String::from_utf8_lossy(&shown.stdout);
        let argument = |line: &str| {
            let (name, expression) = line.split_once('\t')?;
            Some((name.to_string(), expression.to_string()))
        };
        let is_argument =
            |input: &InputValue| shown.inputs.iter().any(|made| made.name == input.name);
        Ok(Inputs {
            arguments: written.lines().filter_map(argument).collect(),
            asked: inputs
                .into_iter()
                .filter(|input| !is_argument(input))
                .collect(),
        })
    }
}
