//! Inputs and values as bytes, as the tree keeps them.

use refrain_machine::{InputValue, Role};
use refrain_term::{Bv, Value};

/// Inputs as bytes: how many, and for each its role, bits, name and elements.
pub fn input_bytes(values: &[InputValue]) -> Vec<u8> {
    let mut bytes = Vec::new();
    number(&mut bytes, values.len() as u64);
    for value in values {
        bytes.push(match value.role {
            Role::Object => 0,
            Role::Parameter => 1,
        });
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
        let role = match reader.byte()? {
            0 => Role::Object,
            1 => Role::Parameter,
            _ => return None,
        };
        values.push(InputValue {
            role,
            element_bits: u32::try_from(reader.number()?).ok()?,
            name: String::from_utf8(reader.text()?.to_vec()).ok()?,
            bytes: reader.text()?.to_vec(),
        });
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

fn number(bytes: &mut Vec<u8>, mut number: u64) {
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

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
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
            bytes: (0..200).collect(),
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
