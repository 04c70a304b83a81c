//! A test as JSON. It is written by hand, since thousands are written and this is a third of the time of doing it
//! through values.

use std::fmt::Write;

use serde_json::Value;

use crate::escape::{escaped, hex, text, unhex};
use crate::{Fault, Input, Outcome, Place, Test};

impl Test {
    /// The test, readable, with everything in it.
    pub fn to_json(&self) -> String {
        let mut json = String::with_capacity(512);
        self.encode_json(&mut json);
        json
    }

    pub(crate) fn encode_json(&self, json: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(json, "{{ \"test\": {},\n  \"outcome\": ", self.number);
        outcome(json, &self.outcome);
        json.push_str(",\n  \"inputs\": [");
        for (index, input) in self.inputs.iter().enumerate() {
            json.push_str(if index == 0 {
                "\n    {\"name\":"
            } else {
                ",\n    {\"name\":"
            });
            string(json, &input.name);
            let _ = write!(json, ",\"bytes\":\"{}\"", hex(&input.bytes));
            if let Some(number) = input.number() {
                let _ = write!(json, ",\"number\":{number}");
            }
            json.push_str(",\"text\":");
            string(json, &text(&input.bytes));
            json.push('}');
        }
        json.push_str("],\n  \"args\": [");
        for (index, arg) in self.args.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            string(json, &escaped(arg));
        }
        json.push(']');
        if self.args.iter().any(|arg| str::from_utf8(arg).is_err()) {
            json.push_str(", \"args_hex\": [");
            for (index, arg) in self.args.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(json, "{comma}\"{}\"", hex(arg));
            }
            json.push(']');
        }
        for (name, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let _ = write!(json, ",\n  \"{name}\": ");
            match str::from_utf8(bytes) {
                Ok(text) => string(json, text),
                Err(_) => {
                    string(json, &escaped(bytes));
                    let _ = write!(json, ", \"{name}_hex\": \"{}\"", hex(bytes));
                }
            }
        }
        let _ = write!(
            json,
            ",\n  \"instructions\": {}, \"decisions\": [",
            self.instructions
        );
        for (index, decision) in self.decisions.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(json, "{comma}{decision}");
        }
        let _ = writeln!(json, "], \"new_coverage\": {} }}", self.new_coverage);
    }

    /// The error says what is wrong.
    pub fn from_json(json: &[u8]) -> Result<Test, String> {
        let value: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let list = |name: &str| value[name].as_array().map_or(&[][..], Vec::as_slice);
        let inputs = list("inputs").iter().map(|input| {
            let name = input["name"].as_str().ok_or("an input has no name")?;
            let bytes = input["bytes"].as_str().and_then(unhex);
            Ok(Input {
                name: name.to_string(),
                bytes: bytes.ok_or_else(|| format!("the bytes of {name} are no hexadecimal"))?,
            })
        });
        let inputs = inputs.collect::<Result<_, String>>()?;
        let from_hex = |value: &Value| {
            value
                .as_str()
                .and_then(unhex)
                .ok_or("no hexadecimal where it must be")
        };
        let mut args = Vec::new();
        for arg in list("args_hex") {
            args.push(from_hex(arg)?);
        }
        if args.is_empty() {
            for arg in list("args") {
                args.push(arg.as_str().ok_or("an argument is no text")?.into());
            }
        }
        let stream = |name: &str| -> Result<Vec<u8>, String> {
            match &value[format!("{name}_hex")] {
                Value::Null => Ok(value[name].as_str().unwrap_or_default().into()),
                exact => Ok(from_hex(exact)?),
            }
        };
        let decisions = list("decisions")
            .iter()
            .map(|decision| decision.as_u64().ok_or("a decision is no number"));
        Ok(Test {
            number: small(&value["test"]).ok_or("it has no number")?,
            inputs,
            args,
            outcome: read_outcome(&value["outcome"])?,
            stdout: stream("stdout")?,
            stderr: stream("stderr")?,
            instructions: value["instructions"].as_u64().unwrap_or(0),
            decisions: decisions.collect::<Result<_, _>>()?,
            new_coverage: value["new_coverage"].as_bool().unwrap_or(false),
        })
    }
}

fn outcome(json: &mut String, outcome: &Outcome) {
    match outcome {
        Outcome::Exit { status } => {
            let _ = write!(json, "{{\"kind\":\"exit\",\"status\":{status}}}");
        }
        Outcome::Unfinished { why } => {
            json.push_str("{\"kind\":\"unfinished\",\"why\":");
            string(json, why);
            json.push('}');
        }
        Outcome::Error(fault) => {
            json.push_str("{\"kind\":\"error\",\"error\":");
            string(json, &fault.error);
            json.push_str(",\"message\":");
            string(json, &fault.message);
            if let Some(place) = &fault.place {
                json.push_str(",\"file\":");
                string(json, &place.file);
                let _ = write!(
                    json,
                    ",\"line\":{},\"column\":{},\"function\":",
                    place.line, place.column
                );
                string(json, &place.function);
            }
            let lists = [
                (
                    "stack",
                    fault.stack.iter().map(Place::to_string).collect::<Vec<_>>(),
                ),
                ("details", fault.details.clone()),
                (
                    "related",
                    fault
                        .related
                        .iter()
                        .map(|(what, place)| format!("{what}: {place}"))
                        .collect(),
                ),
            ];
            for (name, lines) in lists {
                let _ = write!(json, ",\"{name}\":[");
                for (index, line) in lines.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    string(json, line);
                }
                json.push(']');
            }
            json.push('}');
        }
    }
}

fn read_outcome(value: &Value) -> Result<Outcome, String> {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
    let lines = |name: &str| {
        let lines = value[name].as_array().map_or(&[][..], Vec::as_slice);
        lines.iter().filter_map(Value::as_str)
    };
    match value["kind"].as_str() {
        Some("exit") => {
            let status = value["status"].as_i64();
            let status = status.and_then(|status| i32::try_from(status).ok());
            Ok(Outcome::Exit {
                status: status.ok_or("an exit has no status")?,
            })
        }
        Some("unfinished") => Ok(Outcome::Unfinished { why: text("why") }),
        Some("error") => {
            let place = value["line"].as_u64().map(|_| Place {
                function: text("function"),
                file: text("file"),
                line: small(&value["line"]).unwrap_or(0),
                column: small(&value["column"]).unwrap_or(0),
            });
            Ok(Outcome::Error(Fault {
                error: text("error"),
                message: text("message"),
                place,
                stack: lines("stack").map(Place::parse).collect(),
                details: lines("details").map(String::from).collect(),
                related: lines("related")
                    .filter_map(|line| line.split_once(": "))
                    .map(|(what, place)| (what.to_string(), Place::parse(place)))
                    .collect(),
            }))
        }
        _ => Err("its outcome is none that is known".into()),
    }
}

fn small(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok())
}

/// A string in quotes.
fn string(json: &mut String, text: &str) {
    json.push('"');
    let mut plain = 0;
    for (index, byte) in text.bytes().enumerate() {
        let special = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\t' => "\\t",
            b'\r' => "\\r",
            0..0x20 | 0x7f => "",
            _ => continue,
        };
        json.push_str(&text[plain..index]);
        plain = index + 1;
        if special.is_empty() {
            let _ = write!(json, "\\u{byte:04x}");
        } else {
            json.push_str(special);
        }
    }
    json.push_str(&text[plain..]);
    json.push('"');
}
