//! A format whose bytes may be symbolic: what input leaves open of the text between directives stays open. Only where a
//! directive or the end may be, and what a directive says, is asked.

use crate::machine::Halt;
use crate::memory::Value;
use crate::native::Call;

/// The text of a format. Where it is symbolic, `bytes` has a letter that means nothing.
pub(super) struct FormatText {
    pub bytes: Vec<u8>,
    /// By place.
    symbolic: Vec<(usize, Value)>,
}

impl From<Vec<u8>> for FormatText {
    fn from(bytes: Vec<u8>) -> FormatText {
        FormatText {
            bytes,
            symbolic: Vec::new(),
        }
    }
}

impl FormatText {
    /// The format at an address.
    pub fn read(call: &mut Call<'_>, address: u64) -> Result<FormatText, Halt> {
        let len = call.state.memory.concrete_len_to_nul(address);
        if let Ok(Some(_)) = len {
            return call.string(address).map(FormatText::from);
        }
        let mut text = FormatText::from(Vec::new());
        let mut in_directive = false;
        loop {
            let at = Value::Concrete(address + text.bytes.len() as u64);
            let value = call.machine.read(call.terms, call.state, at, 1)?;
            let byte = match value {
                Value::Concrete(byte) => Some(byte as u8),
                Value::Symbolic(_) if in_directive => {
                    Some(call.machine.fixed(call.terms, call.state, value)? as u8)
                }
                Value::Symbolic(term) => {
                    let [zero, percent] = [0, u64::from(b'%')].map(|byte| {
                        let byte = call.terms.bv(8, byte);
                        call.terms.eq(term, byte)
                    });
                    let either = call.terms.or(&[zero, percent]);
                    let neither = call.terms.not(either);
                    let conditions = vec![neither, percent, zero];
                    match call.machine.choose(call.terms, call.state, conditions)? {
                        0 => None,
                        1 => Some(b'%'),
                        _ => Some(0),
                    }
                }
            };
            match byte {
                Some(0) => return Ok(text),
                Some(byte) => {
                    in_directive = match in_directive {
                        true => goes_on(byte),
                        false => byte == b'%',
                    };
                    text.bytes.push(byte);
                }
                None => {
                    text.symbolic.push((text.bytes.len(), value));
                    text.bytes.push(b'?');
                }
            }
        }
    }

    /// A part of it, as it is.
    pub fn values(&self, part: &[u8]) -> Vec<Value> {
        let start = part.as_ptr() as usize - self.bytes.as_ptr() as usize;
        let concrete = part.iter().map(|&byte| Value::Concrete(u64::from(byte)));
        let mut values: Vec<Value> = concrete.collect();
        for &(place, value) in &self.symbolic {
            if let Some(byte) = place.checked_sub(start).and_then(|at| values.get_mut(at)) {
                *byte = value;
            }
        }
        values
    }
}

/// Whether a directive goes on behind a byte of it: flags, numbers and lengths.
fn goes_on(byte: u8) -> bool {
    b"-+ #0123456789'I*$.hlqLjzt".contains(&byte)
}
