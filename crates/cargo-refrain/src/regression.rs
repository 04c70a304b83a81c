//! A test for each failure, that calls the property with the input it fails for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::property::Property;
use crate::show::Inputs;

/// The test of a property's failure of this number.
pub fn test(property: &Property, inputs: &Inputs, number: usize) -> String {
    let function = property.function();
    let arguments: Vec<&str> = inputs.arguments.iter().map(|(_, value)| &**value).collect();
    let mut call = format!("{function}({})", arguments.join(", "));
    if property.returns {
        call.push_str(".unwrap()");
    }
    if !inputs.asked.is_empty() {
        let asked = inputs.asked.iter();
        let asked = asked.map(|input| format!("({:?}, &{:?})", input.name, input.bytes));
        let asked: Vec<String> = asked.collect();
        call = format!("refrain::with_inputs(&[{}], || {call})", asked.join(", "));
    }
    let mut text = "#[test]\n".to_string();
    // Writing to a string does not fail.
    if let Some(expected) = &property.expected {
        let _ = writeln!(text, "#[should_panic(expected = {expected:?})]");
    } else if property.should_panic {
        text.push_str("#[should_panic]\n");
    }
    let _ = write!(
        text,
        "fn {function}_regression_{number}() {{\n    {call};\n}}\n"
    );
    text
}

/// Tests by the crate and the module that they belong to.
pub type ByModule = BTreeMap<(String, String), Vec<String>>;

/// Writes tests, to be included where their properties are: to the file itself if that is one module, and otherwise
/// to a file for each module beside it. Says what is where.
pub fn write(file: &Path, tests: &ByModule) -> Result<Vec<String>, Error> {
    let mut said = Vec::new();
    let mut put = |path: &Path, tests: &[String], place: Option<&str>| {
        let mut text = "// What `cargo refrain test` has found".to_string();
        if let Some(place) = place {
            let _ = write!(text, "; include!(…) it in {place}");
            said.push(format!(
                "{} tests for {place} in {}",
                tests.len(),
                path.display()
            ));
        }
        let text = format!("{text}.\n\n{}", tests.join("\n"));
        std::fs::write(path, text).map_err(Error::file(path))
    };
    if tests.is_empty() {
        put(file, &[], None)?;
    }
    for ((package, module), list) in tests {
        let place = [package.as_str(), module].join("::");
        let place = place.trim_end_matches(':');
        let path = match tests.len() {
            1 => file.to_path_buf(),
            _ => beside(file, &place.replace("::", ".")),
        };
        put(&path, list, Some(place))?;
    }
    Ok(said)
}

/// `found.rs` and `shop.tests` make `found.shop.tests.rs`.
fn beside(file: &Path, part: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}.{part}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_machine::InputValue;

    #[test]
    fn a_test_calls_the_property_with_its_input() {
        let property = Property {
            name: "tests::prop".into(),
            returns: true,
            ..Property::default()
        };
        let mut inputs = Inputs {
            arguments: vec![("x".into(), "3".into()), ("y".into(), "Some('a')".into())],
            asked: Vec::new(),
        };
        let plain = "#[test]\nfn prop_regression_1() {\n    prop(3, Some('a')).unwrap();\n}\n";
        assert_eq!(test(&property, &inputs, 1), plain);
        inputs.asked.push(InputValue::object("any", [1, 2]));
        let asked = "refrain::with_inputs(&[(\"any\", &[1, 2])], || prop(3, Some('a')).unwrap());";
        assert!(test(&property, &inputs, 1).contains(asked));
    }

    #[test]
    fn modules_have_files_of_their_own() {
        let path = beside(Path::new("a/found.rs"), "shop.tests");
        assert_eq!(path, Path::new("a/found.shop.tests.rs"));
    }
}
