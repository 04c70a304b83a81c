//! A test as JSON. It is written by hand, since thousands are written and this is a third of the time of doing it
//! through values.

use std::fmt::Write;

use refrain_machine::{ErrorKind, Fault, InputValue, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::escape::{escaped, hex, text, unhex};
use crate::{Cause, Outcome, Test};

/// The width of an element that does not say otherwise.
const BYTE: u32 = 8;

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
            let _ = write!(json, ",\"role\":\"{}\"", input.role.name());
            if input.element_bits != BYTE {
                let _ = write!(json, ",\"element_bits\":{}", input.element_bits);
            }
            if input.float_bits != 0 {
                let _ = write!(json, ",\"float_bits\":{}", input.float_bits);
            }
            let _ = write!(json, ",\"bytes\":\"{}\"", hex(&input.bytes));
            if let Some(number) = input.number() {
                let _ = write!(json, ",\"number\":{number}");
            }
            // JSON has no infinities and no NaN.
            if let Some(floats) = input.floats() {
                json.push_str(",\"floats\":[");
                for (index, (decimal, _)) in floats.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    let _ = write!(json, "{comma}\"{decimal}\"");
                }
                json.push(']');
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
        let inputs = list("inputs").iter().map(read_input);
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

fn read_input(value: &Value) -> Result<InputValue, String> {
    let name = value["name"].as_str().ok_or("an input has no name")?;
    let bytes = value["bytes"].as_str().and_then(unhex);
    let bytes = bytes.ok_or_else(|| format!("the bytes of {name} are no hexadecimal"))?;
    let role = match &value["role"] {
        Value::Null => Some(Role::default()),
        role => role.as_str().and_then(Role::named),
    };
    let element_bits = match &value["element_bits"] {
        Value::Null => Some(BYTE),
        bits => small(bits).filter(|&bits| bits > 0),
    };
    let element_bits = element_bits
        .ok_or_else(|| format!("the elements of {name} have a width that cannot be"))?;
    // An element that the bytes do not fill may be of any width: nothing is made of a claim.
    if !bytes
        .len()
        .is_multiple_of(element_bits.div_ceil(8) as usize)
    {
        return Err(format!(
            "the bytes of {name} are no elements of {element_bits} bits"
        ));
    }
    Ok(InputValue {
        name: name.to_string(),
        role: role.ok_or_else(|| format!("{name} has a role that is not known"))?,
        element_bits,
        float_bits: small(&value["float_bits"]).unwrap_or(0),
        bytes,
    })
}

fn outcome(json: &mut String, outcome: &Outcome) {
    match outcome {
        Outcome::Exit {
            status,
            depends_on_input,
        } => {
            let _ = write!(json, "{{\"kind\":\"exit\",\"status\":{status}");
            if *depends_on_input {
                json.push_str(",\"status_depends_on_input\":true");
            }
        }
        Outcome::Unfinished(cause) => {
            json.push_str("{\"kind\":\"unfinished\"");
            field(json, "cause", cause);
            field(json, "why", &cause.to_string());
        }
        Outcome::Error(fault) => {
            json.push_str("{\"kind\":\"error\"");
            error(json, fault);
        }
    }
    json.push('}');
}

/// The fields of an error, and the place that it is told for.
fn error(json: &mut String, fault: &Fault) {
    field(json, "error", &fault.kind);
    field(json, "message", &fault.message);
    if let Some(place) = fault.place() {
        field(json, "file", &place.file);
        field(json, "line", &place.line);
        field(json, "column", &place.column);
        field(json, "function", &place.function);
    }
    field(json, "stack", &fault.stack);
    if let Some(object) = &fault.object {
        field(json, "object", object);
    }
    if let Some(access) = &fault.access {
        field(json, "access", access);
    }
    if !fault.notes.is_empty() {
        field(json, "notes", &fault.notes);
    }
}

/// One more field of an object. Plain data has a JSON form: the error cannot be.
fn field(json: &mut String, name: &str, value: &impl Serialize) {
    let value = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    let _ = write!(json, ",\"{name}\":{value}");
}

fn read_outcome(value: &Value) -> Result<Outcome, String> {
    match value["kind"].as_str() {
        Some("exit") => {
            let status = value["status"].as_i64();
            let status = status.and_then(|status| i32::try_from(status).ok());
            Ok(Outcome::Exit {
                status: status.ok_or("an exit has no status")?,
                depends_on_input: read(value, "status_depends_on_input")?,
            })
        }
        Some("unfinished") => {
            let cause = Cause::deserialize(&value["cause"]);
            let cause = cause.map_err(|error| format!("why it was left is not known: {error}"))?;
            Ok(Outcome::Unfinished(cause))
        }
        Some("error") => {
            let name = value["error"].as_str().ok_or("an error has no kind")?;
            let kind = ErrorKind::named(name);
            Ok(Outcome::Error(Fault {
                kind: kind.ok_or_else(|| format!("there is no kind of error called {name:?}"))?,
                message: read(value, "message")?,
                stack: read(value, "stack")?,
                object: read(value, "object")?,
                access: read(value, "access")?,
                notes: read(value, "notes")?,
            }))
        }
        _ => Err("its outcome is none that is known".into()),
    }
}

/// A field, or its default where there is none.
fn read<T: for<'d> Deserialize<'d> + Default>(value: &Value, name: &str) -> Result<T, String> {
    match &value[name] {
        Value::Null => Ok(T::default()),
        found => T::deserialize(found).map_err(|error| format!("its {name}: {error}")),
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
