//! A property on random inputs, some hundred times. The same seed gives the same inputs.

use std::any::Any;
use std::panic::resume_unwind;

use super::Call;
use crate::source::{Case, Random, State, made, within};

/// Runs a property, and reports the input for which it fails.
pub fn check(path: &str, flags: &str, expected: Option<&str>, run: fn(Option<&mut Call>)) {
    let seed = setting("REFRAIN_SEED", 0);
    let cases = setting("REFRAIN_CASES", 256);
    let should_panic = flags.split(',').any(|flag| flag == "should_panic");
    let mut passed = 0;
    // An assumption that few inputs meet makes many attempts.
    let mut attempts = 0;
    while passed < cases && attempts < cases.saturating_mul(20) {
        let attempt = attempts;
        let random = || State::random(Random::new(seed, path, attempt));
        let outcome = within(random(), || run(None));
        let inputs = made();
        attempts += 1;
        let failure: Option<Box<dyn Any + Send>> = match outcome {
            Case::Skipped => continue,
            Case::Passed if should_panic => Some(Box::new("it did not panic")),
            Case::Passed => None,
            Case::Panicked(payload) if should_panic && is_expected(&*payload, expected) => None,
            Case::Panicked(payload) => Some(payload),
        };
        passed += 1;
        if let Some(payload) = failure {
            let mut call = Call::default();
            // The same inputs again, this time to look at them.
            within(random(), || run(Some(&mut call)));
            let arguments = made().len();
            report(path, flags, &call, &inputs[arguments..]);
            if should_panic {
                eprintln!("note: it should panic for every input");
            }
            eprintln!(
                "note: seed {seed}, case {passed}; REFRAIN_SEED and REFRAIN_CASES set others"
            );
            resume_unwind(payload);
        }
    }
    if passed == 0 && cases > 0 {
        eprintln!("note: none of {attempts} random inputs met the assumptions of {path}");
    }
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text:?}")),
        Err(_) => default,
    }
}

fn is_expected(payload: &(dyn Any + Send), expected: Option<&str>) -> bool {
    let Some(expected) = expected else {
        return true;
    };
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    message.is_some_and(|message| message.contains(expected))
}

/// The input of a failure, and a test of it to keep.
fn report(path: &str, flags: &str, call: &Call, rest: &[(String, Vec<u8>)]) {
    let name = path.rsplit("::").next().unwrap_or(path);
    eprintln!("\n{path} fails for this input:");
    for (name, expression) in &call.arguments {
        eprintln!("  {name} = {expression}");
    }
    for (name, bytes) in rest {
        eprintln!("  {name} = {bytes:?} (bytes)");
    }
    let arguments: Vec<&str> = call
        .arguments
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    let mut run = format!("{name}({})", arguments.join(", "));
    if flags.split(',').any(|flag| flag == "result") {
        run.push_str(".unwrap()");
    }
    eprintln!("as a test:");
    let should_panic = flags.split(',').any(|flag| flag == "should_panic");
    eprintln!(
        "  #[test]{}",
        if should_panic { " #[should_panic]" } else { "" }
    );
    eprintln!("  fn {name}_regression() {{");
    if rest.is_empty() {
        eprintln!("      {run};");
    } else {
        let given = rest
            .iter()
            .map(|(name, bytes)| format!("({name:?}, &{bytes:?})"));
        let given: Vec<String> = given.collect();
        eprintln!(
            "      refrain::with_inputs(&[{}], || {run});",
            given.join(", ")
        );
    }
    eprintln!("  }}");
}
