//! Text that may stand in XML, and documents of it.

use std::io::Cursor;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::ReportError;

pub type Document = Writer<Cursor<Vec<u8>>>;

/// The text with characters that XML does not have written as escapes.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            '\u{0}'..'\u{20}' | '\u{7f}'..'\u{a0}' | '\u{fffe}' | '\u{ffff}' => {
                clean.extend(c.escape_default());
            }
            c => clean.push(c),
        }
    }
    clean
}

/// A document with its first lines written.
pub fn document(doctype: Option<&str>) -> Result<Document, ReportError> {
    let mut document = Writer::new_with_indent(Cursor::new(Vec::new()), b' ', 2);
    let standalone = doctype.map(|_| "no");
    write(document.write_event(Event::Decl(BytesDecl::new(
        "1.0",
        Some("UTF-8"),
        standalone,
    ))))?;
    if let Some(doctype) = doctype {
        write(document.write_event(Event::DocType(BytesText::from_escaped(doctype))))?;
    }
    Ok(document)
}

/// The bytes of a finished document.
pub fn finish(document: Document) -> Vec<u8> {
    let mut bytes = document.into_inner().into_inner();
    bytes.push(b'\n');
    bytes
}

/// Writing to memory fails for no reason that there could be a remedy for.
pub fn write<T>(written: std::io::Result<T>) -> Result<(), ReportError> {
    written
        .map(drop)
        .map_err(|error| ReportError::Format(error.to_string()))
}
