//! The exchange format of Test-Comp for test suites: `metadata.xml` and a file for each test, for TestCov and its like.
//!
//! Inputs are in the order in which the program asks for them. Numbers are decimal, by the type that
//! `__VERIFIER_nondet_…` names, or else signed; anything that has not the size of a number is `0x` and its bytes in
//! the order of memory.

use quick_xml::events::BytesText;
use refrain_machine::InputValue;
use refrain_results::{Outcome, Test, hex};
use sha2::{Digest, Sha256};

use crate::xml::{self, clean};
use crate::{ReportError, Results, Tree, places};

const METADATA: &str = "test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
    \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\"";
const TESTCASE: &str = "testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
    \"https://sosy-lab.org/test-format/testcase-1.1.dtd\"";

pub fn testcomp(results: &Results) -> Result<Tree, ReportError> {
    let mut tree = Tree::from([("metadata.xml".to_string(), metadata(results)?)]);
    for test in &results.tests {
        tree.insert(format!("{}.xml", test.name()), testcase(test)?);
    }
    Ok(tree)
}

fn metadata(results: &Results) -> Result<Vec<u8>, ReportError> {
    let run = &results.run;
    let ending = run.program.extension().unwrap_or_default();
    let language = match ending.to_str() {
        Some("rs") => "Rust",
        Some("cc" | "cpp" | "cxx" | "C") => "C++",
        _ => "C",
    };
    // Of the file as it is now; one that is gone has none.
    let hash =
        std::fs::read(&run.program).map_or(String::new(), |bytes| hex(&Sha256::digest(bytes)));
    let is_narrow = run.cflags.iter().any(|flag| flag == "-m32");
    let entry = if run.entry.is_empty() {
        "main"
    } else {
        &run.entry
    };
    let goal = format!("COVER( init({entry}()), FQL(COVER EDGES(@DECISIONEDGE)) )");
    let elements = [
        ("sourcecodelang", language.to_string()),
        ("producer", format!("Refrain {}", run.version)),
        ("specification", goal),
        ("programfile", places::shown(&results.root, &run.program)),
        ("programhash", hash),
        ("entryfunction", entry.to_string()),
        (
            "architecture",
            if is_narrow { "32bit" } else { "64bit" }.to_string(),
        ),
        ("creationtime", results.created_text()),
    ];
    let mut document = xml::document(Some(METADATA))?;
    let root = document.create_element("test-metadata");
    xml::write(root.write_inner_content(|writer| {
        for (name, text) in &elements {
            let text = clean(text);
            writer
                .create_element(*name)
                .write_text_content(BytesText::new(&text))?;
        }
        Ok(())
    }))?;
    Ok(xml::finish(document))
}

fn testcase(test: &Test) -> Result<Vec<u8>, ReportError> {
    let mut document = xml::document(Some(TESTCASE))?;
    let mut root = document.create_element("testcase");
    if matches!(test.outcome, Outcome::Error(_)) {
        root = root.with_attribute(("coversError", "true"));
    }
    if test.inputs.is_empty() {
        xml::write(root.write_empty())?;
        return Ok(xml::finish(document));
    }
    xml::write(root.write_inner_content(|writer| {
        for input in &test.inputs {
            let (ty, value) = value(input);
            let name = clean(&input.name);
            writer
                .create_element("input")
                .with_attributes([("variable", name.as_str()), ("type", ty.as_str())])
                .write_text_content(BytesText::new(&value))?;
        }
        Ok(())
    }))?;
    Ok(xml::finish(document))
}

/// The type of an input, and its value.
fn value(input: &InputValue) -> (String, String) {
    let number = match input.number() {
        Some(number) => number,
        None => {
            let ty = format!("unsigned char[{}]", input.bytes.len());
            return (ty, format!("0x{}", hex(&input.bytes)));
        }
    };
    let bits = 8 * input.bytes.len() as u32;
    let unsigned = number as u64 & (u64::MAX >> (64 - bits));
    let ty = nondet_type(&input.name);
    let value = match (ty, bits) {
        (Some("bool" | "_Bool"), _) => u8::from(number != 0).to_string(),
        (Some("float"), 32) => f32::from_bits(unsigned as u32).to_string(),
        (Some("double"), 64) => f64::from_bits(unsigned).to_string(),
        (Some(ty), _) if is_unsigned(ty) => unsigned.to_string(),
        _ => number.to_string(),
    };
    let ty = ty.map_or_else(|| format!("int{bits}_t"), c_type);
    (ty, value)
}

/// `uint` of `nondet_uint` and of `nondet_uint_2`, the second one.
fn nondet_type(name: &str) -> Option<&str> {
    let name = name.strip_prefix("nondet_")?;
    match name.rsplit_once('_') {
        Some((first, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => Some(first),
        _ => Some(name),
    }
}

fn is_unsigned(ty: &str) -> bool {
    let unsigned = [
        "size_t",
        "sector_t",
        "pthread_t",
        "charp",
        "pchar",
        "pointer",
        "const_char_pointer",
    ];
    // uint, ulong, u32, U8, unsigned_char
    ty.starts_with(['u', 'U']) || unsigned.contains(&ty)
}

/// As C writes it.
fn c_type(ty: &str) -> String {
    let known = match ty {
        "schar" => "signed char",
        "uchar" | "unsigned_char" => "unsigned char",
        "ushort" => "unsigned short",
        "uint" | "unsigned" | "unsigned_int" => "unsigned int",
        "ulong" => "unsigned long",
        "longlong" => "long long",
        "ulonglong" => "unsigned long long",
        "charp" | "pchar" => "char *",
        "pointer" => "void *",
        "const_char_pointer" => "const char *",
        other => other,
    };
    clean(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_types() {
        let shown = |name: &str, bytes: &[u8]| {
            let (ty, value) = value(&InputValue::object(name, bytes));
            format!("{ty}: {value}")
        };
        assert_eq!(shown("nondet_int", &[0xff; 4]), "int: -1");
        assert_eq!(
            shown("nondet_uint_12", &[0xff; 4]),
            "unsigned int: 4294967295"
        );
        assert_eq!(shown("nondet_uchar", &[0xfe]), "unsigned char: 254");
        assert_eq!(shown("nondet_bool", &[7]), "bool: 1");
        assert_eq!(shown("nondet_double", &1.5f64.to_le_bytes()), "double: 1.5");
        assert_eq!(
            shown("nondet_ulong", &[0xff; 8]),
            "unsigned long: 18446744073709551615"
        );
        assert_eq!(shown("x", &[0xff; 2]), "int16_t: -1");
        assert_eq!(shown("text", b"abc"), "unsigned char[3]: 0x616263");
        assert_eq!(shown("none", b""), "unsigned char[0]: 0x");
    }
}
