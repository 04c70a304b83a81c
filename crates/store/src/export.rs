//! Entries as JSON, one a line, for other tools and for curious people.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Map, Value};

use crate::record::Record;
use crate::usage::Usage;
use crate::{Store, StoreError};

/// Says in words what an entry (key, value) is.
pub type Show<'a> = &'a dyn Fn(&[u8], &[u8]) -> Option<String>;

impl Store {
    /// Writes all entries: `key`, `value` and `index` in hexadecimal, `cost` (microseconds), `uses`, `stored` and
    /// `last_use` (Unix time), and `text` if `show` has something to say. Returns how many there are.
    pub fn export(&self, out: &mut dyn Write, show: Option<Show>) -> Result<u64, StoreError> {
        let failed = |source: io::Error| StoreError::Output { source };
        let snapshot = self.snapshot()?;
        let mut count = 0;
        for (id, record) in snapshot.records() {
            let usage = snapshot.usage(id).unwrap_or_default();
            let text = show.and_then(|show| show(record.key(), record.value()));
            writeln!(out, "{}", line(&record, &usage, text)).map_err(failed)?;
            count += 1;
        }
        out.flush().map_err(failed)?;
        Ok(count)
    }
}

fn line(record: &Record, usage: &Usage, text: Option<String>) -> Value {
    let index: Vec<Value> = record.index().map(hexadecimal).collect();
    let mut line = Map::new();
    line.insert("key".into(), hexadecimal(record.key()));
    line.insert("value".into(), hexadecimal(record.value()));
    line.insert("index".into(), index.into());
    line.insert("cost".into(), record.cost.into());
    line.insert("uses".into(), usage.uses.into());
    line.insert("stored".into(), record.stored.into());
    line.insert("last_use".into(), usage.last.into());
    if let Some(text) = text {
        line.insert("text".into(), text.into());
    }
    Value::Object(line)
}

fn hexadecimal(bytes: &[u8]) -> Value {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Value::String(text)
}
