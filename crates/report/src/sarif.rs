//! SARIF 2.1.0, which code hosts and editors show beside the code.
//!
//! Every error is there once. Its fingerprint follows from kind, message, file and function, and from its number
//! among those that are alike in these, but not from lines: it stays when code above it moves.

use std::collections::HashMap;
use std::path::Path;

use refrain_machine::{ErrorKind, Place};
use refrain_results::{Source, hex, text};
use serde_json::{Value, json};

use crate::sites::{Site, sites, without_digits};
use crate::{ReportError, Results, kinds, places, words};

pub fn sarif(results: &Results) -> Result<Vec<u8>, ReportError> {
    let sites = sites(results);
    let mut kinds: Vec<ErrorKind> = sites.iter().map(|site| site.fault.kind).collect();
    kinds.sort_unstable_by_key(|kind| kind.name());
    kinds.dedup();
    let mut alike = HashMap::new();
    let found: Vec<Value> = sites
        .iter()
        .map(|site| result(results, site, &kinds, &mut alike))
        .collect();
    let mut driver = json!({
        "name": "Refrain",
        "rules": kinds.iter().map(|&kind| rule(kind)).collect::<Value>(),
    });
    if !results.run.version.is_empty() {
        driver["version"] = results.run.version.clone().into();
    }
    // A directory's address ends in a slash.
    let root = places::address(&results.root.join("x"));
    let root = root.trim_end_matches('x');
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "originalUriBaseIds": { "SRCROOT": { "uri": root } },
            "invocations": [{
                "executionSuccessful": true,
                "startTimeUtc": results.created_text(),
                "toolExecutionNotifications": notifications(results),
            }],
            "results": found,
        }],
    });
    let text = serde_json::to_vec_pretty(&document);
    let mut text = text.map_err(|error| ReportError::Format(error.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

fn rule(kind: ErrorKind) -> Value {
    let about = kinds::about(kind);
    let full = format!("{}. The input that comes with it leads there.", about.short);
    let mut tags = vec!["correctness".to_string()];
    if let Some(weakness) = about.weakness {
        tags.push("security".into());
        tags.push(format!("external/cwe/cwe-{weakness:03}"));
    }
    json!({
        "id": kinds::id(kind),
        "name": kind.name(),
        "shortDescription": { "text": about.short },
        "fullDescription": { "text": full },
        "help": { "text": about.help },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": tags, "precision": "very-high" },
    })
}

fn result<'a>(
    results: &Results,
    site: &Site<'a>,
    kinds: &[ErrorKind],
    alike: &mut HashMap<String, usize>,
) -> Value {
    let (fault, test, root) = (site.fault, site.test, &results.root);
    let id = kinds::id(fault.kind);
    let rule = kinds.iter().position(|&kind| kind == fault.kind);
    let mut message = words::headline(fault);
    for line in fault.details() {
        message += &format!("\n{line}");
    }
    if !test.inputs.is_empty() {
        message += &format!("\nInput: {}", words::inputs(test));
    }
    let place = fault.place().cloned().unwrap_or_default();
    let program = results.run.program.to_string_lossy();
    let file = if place.file.is_empty() {
        &program
    } else {
        place.file.as_str()
    };
    let site_text = [
        id.as_str(),
        &without_digits(words::message(fault)),
        &places::shown(root, Path::new(file)),
        &place.function,
    ]
    .join("\0");
    let number = alike.entry(site_text.clone()).or_insert(0);
    *number += 1;
    let fingerprint = Source::hash_of(format!("{site_text}\0{number}").as_bytes());
    let inputs = test.inputs.iter().map(|input| {
        json!({ "name": input.name, "bytes": hex(&input.bytes), "text": text(&input.bytes) })
    });
    // Over the integers an error may be none of the machine's.
    let level = if results.run.arithmetic == "integers" {
        "warning"
    } else {
        "error"
    };
    let mut result = json!({
        "ruleId": id,
        "level": level,
        "message": { "text": message },
        "locations": [location(results, &place)],
        "partialFingerprints": { "refrainSite/v1": fingerprint },
        "occurrenceCount": site.times,
        "properties": {
            "test": test.name(),
            "inputs": inputs.collect::<Value>(),
        },
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    let related: Vec<Value> = fault
        .related()
        .into_iter()
        .map(|(what, place)| {
            let mut location = location(results, place);
            location["message"] = json!({ "text": what });
            location
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if !fault.stack.is_empty() {
        let located = |place: &Place| json!({ "location": location(results, place) });
        let (shown, more) = words::frames(&fault.stack);
        let frames: Value = shown.iter().map(located).collect();
        let steps: Value = shown.iter().rev().map(located).collect();
        let text = match more {
            0 => "Call stack".to_string(),
            more => format!("Call stack; {more} outer calls are left out"),
        };
        result["stacks"] = json!([{ "message": { "text": text }, "frames": frames }]);
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

/// A place as far as it is known; where no file is, it is the program's.
fn location(results: &Results, place: &Place) -> Value {
    let path = match place.file.as_str() {
        "" => &results.run.program,
        file => Path::new(file),
    };
    let artifact = match places::below(&results.root, path) {
        Some(path) => json!({ "uri": places::reference(&path), "uriBaseId": "SRCROOT" }),
        None if path.is_absolute() => json!({ "uri": places::address(path) }),
        None => json!({ "uri": places::reference(path) }),
    };
    let mut physical = json!({ "artifactLocation": artifact });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
        if place.column > 0 {
            physical["region"]["startColumn"] = place.column.into();
        }
    }
    let mut location = json!({ "physicalLocation": physical });
    if !place.function.is_empty() {
        let function = json!({ "fullyQualifiedName": place.function, "kind": "function" });
        location["logicalLocations"] = json!([function]);
        location["message"] = json!({ "text": format!("in {}", place.function) });
    }
    location
}

/// What was not explored.
fn notifications(results: &Results) -> Value {
    let note = |text: String| json!({ "level": "note", "message": { "text": text } });
    let left = results.left.iter().flatten();
    let left = left.map(|left| note(format!("{} places left open: {}", left.paths, left.cause)));
    let damage = results.damage.iter().cloned().map(note);
    let cut = results
        .stats
        .is_none()
        .then(|| note("The run was ended before its time.".into()));
    left.chain(damage).chain(cut).collect()
}
