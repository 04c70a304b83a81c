//! Inputs, values, conditions and ends as the tree keeps them.

use refrain_machine::{End, ExitStatus, InputValue, Role};
use refrain_memo::Ending;
use refrain_term::{Bv, Term, Terms, Value};

/// Inputs as bytes: how many, and for each its role, bits, name and elements.
pub fn input_bytes(values: &[InputValue]) -> Vec<u8> {
    let mut bytes = Vec::new();
    number(&mut bytes, values.len() as u64);
    for value in values {
        let place = Role::ALL.iter().position(|&role| role == value.role);
        bytes.push(place.unwrap_or_default() as u8);
        number(&mut bytes, value.element_bits.into());
        text(&mut bytes, value.name.as_bytes());
        text(&mut bytes, &value.bytes);
    }
    bytes
}

/// The inputs that bytes stand for. None: they stand for none.
pub fn input_of(bytes: &[u8]) -> Option<Vec<InputValue>> {
    let mut reader = Reader(bytes);
    let count = reader.number()?;
    // What is left has at least four bytes for each.
    let mut values = Vec::with_capacity((count as usize).min(bytes.len() / 4));
    for _ in 0..count {
        let role = *Role::ALL.get(usize::from(reader.byte()?))?;
        let value = InputValue {
            role,
            element_bits: u32::try_from(reader.number()?).ok()?,
            name: String::from_utf8(reader.text()?.to_vec()).ok()?,
            bytes: reader.text()?.to_vec(),
            float_bits: 0,
        };
        let element = value.element_bits.div_ceil(8) as usize;
        if element == 0 || !value.bytes.len().is_multiple_of(element) {
            return None;
        }
        values.push(value);
    }
    reader.0.is_empty().then_some(values)
}

/// A value as bytes, if it is one that machines are answered with.
pub fn value_bytes(value: &Value) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match value {
        Value::Bool(value) => bytes.extend([0, u8::from(*value)]),
        Value::Bv(value) => {
            number(&mut bytes, value.width().into());
            let length = value.width().div_ceil(8) as usize;
            let words = value.words().iter().flat_map(|word| word.to_le_bytes());
            bytes.extend(words.take(length));
        }
        _ => return None,
    }
    Some(bytes)
}

/// The value that bytes stand for.
pub fn value_of(bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader(bytes);
    let width = u32::try_from(reader.number()?).ok()?;
    if width == 0 {
        return match reader.0 {
            [value @ (0 | 1)] => Some(Value::Bool(*value == 1)),
            _ => None,
        };
    }
    if reader.0.len() != width.div_ceil(8) as usize {
        return None;
    }
    let words = reader.0.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    Some(Value::Bv(Bv::from_words(width, words.collect())))
}

/// A hash of the conditions of a question, in order, and of the value that was chosen.
pub fn question_hash(terms: &Terms, conditions: &[Term], value: Option<&[u8]>) -> u64 {
    let conditions = conditions.iter().map(|&term| terms.structural_hash(term));
    let value = value.into_iter().flatten().map(|&byte| u64::from(byte));
    conditions.chain(value).fold(0, |hash: u64, own| {
        (hash.rotate_left(5) ^ own).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// How a path ends. What has no text of its own gets it in `text`.
pub fn ending<'a>(end: &'a End, text: &'a mut String) -> Ending<'a> {
    match end {
        End::Exit(ExitStatus::Known(status)) => Ending::Exit(Some(*status)),
        End::Exit(ExitStatus::Symbolic(_)) => Ending::Exit(None),
        End::Silent => Ending::Silent,
        End::Error(fault) => {
            *text = match fault.message.as_str() {
                "" => fault.kind.name().to_string(),
                message => format!("{}: {message}", fault.kind.name()),
            };
            Ending::Error(text)
        }
        End::Unsupported(what) => {
            *text = what.to_string();
            Ending::Unsupported(text)
        }
        End::Internal(what) => Ending::Unsupported(what),
    }
}

pub(super) fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn text(bytes: &mut Vec<u8>, text: &[u8]) {
    number(bytes, text.len() as u64);
    bytes.extend(text);
}

pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_read_back() {
        let parameter = InputValue {
            name: "größe".into(),
            role: Role::Parameter,
            element_bits: 300,
            bytes: (0..190).collect(),
            float_bits: 0,
        };
        let values = vec![InputValue::object("x", [1, 2, 3]), parameter];
        let bytes = input_bytes(&values);
        assert_eq!(input_of(&bytes), Some(values));
        assert_eq!(input_of(&input_bytes(&[])), Some(Vec::new()));
        for length in 0..bytes.len() {
            assert_eq!(input_of(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn values_read_back() {
        let wide = Bv::from_words(130, vec![1, u64::MAX, 3]);
        let values = [
            Value::Bool(false),
            Value::Bool(true),
            Value::Bv(Bv::new(1, 1)),
            Value::Bv(Bv::new(64, u64::MAX)),
            Value::Bv(wide),
        ];
        for value in values {
            let bytes = value_bytes(&value).expect("such values are bytes");
            assert_eq!(value_of(&bytes), Some(value));
            assert_eq!(value_of(&bytes[1..]), None);
        }
        assert_eq!(value_bytes(&Value::zero(refrain_term::Sort::Int)), None);
    }
}
