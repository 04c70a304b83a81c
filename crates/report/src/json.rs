//! Everything of a run as one JSON document.

use refrain_machine::Place;
use refrain_results::{Boundary, Outcome, Run};
use serde::Serialize;
use serde_json::{Value, json};

use crate::sites::{Site, sites};
use crate::{ReportError, Results};

/// What a reader needs to know before it reads.
const FORMAT: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    run: &'a Run,
    /// Whether everything was written that a run writes at its end.
    complete: bool,
    errors: Vec<Value>,
    tests: Vec<Value>,
    left_open: &'a [Boundary],
    /// What could not be read of the results.
    damage: &'a [String],
    stats: &'a Option<Value>,
}

pub fn json(results: &Results) -> Result<Vec<u8>, ReportError> {
    let failed = |error: serde_json::Error| ReportError::Format(error.to_string());
    let tests = results.tests.iter().map(|test| {
        let mut value: Value = serde_json::from_str(&test.to_json())?;
        if let Outcome::Error(fault) = &test.outcome {
            value["outcome"]["stack"] = stack(&fault.stack);
        }
        Ok(value)
    });
    let document = Document {
        format: FORMAT,
        run: &results.run,
        complete: results.stats.is_some() && results.left.is_some(),
        errors: sites(results).iter().map(error).collect(),
        tests: tests.collect::<Result<_, _>>().map_err(failed)?,
        left_open: results.left.as_deref().unwrap_or_default(),
        damage: &results.damage,
        stats: &results.stats,
    };
    let mut text = serde_json::to_vec_pretty(&document).map_err(failed)?;
    text.push(b'\n');
    Ok(text)
}

fn error(site: &Site) -> Value {
    let fault = site.fault;
    json!({
        "error": fault.kind,
        "message": fault.message,
        "place": fault.place().map(place),
        "stack": stack(&fault.stack),
        "details": fault.details(),
        "test": site.test.number,
        "times": site.times,
    })
}

fn stack(places: &[Place]) -> Value {
    places.iter().map(place).collect()
}

/// What is not known is left out.
fn place(place: &Place) -> Value {
    let mut value = json!({ "function": place.function });
    if !place.file.is_empty() {
        value["file"] = place.file.clone().into();
    }
    for (name, number) in [("line", place.line), ("column", place.column)] {
        if number > 0 {
            value[name] = number.into();
        }
    }
    value
}
