//! Arithmetic on integers.

use super::{BADCHAR, Done, Expansion, SYNTAX, has};
use crate::ctype;
use crate::native::free;
use crate::stdlib::strtol;
use crate::string::write_decimal;
use core::ffi::c_int;
use core::ptr::null_mut;

impl Expansion {
    pub unsafe fn number(&mut self, value: i64) -> Done {
        let mut digits = [0u8; 24];
        let text = (&raw mut digits).cast::<u8>();
        let len = write_decimal(text, value);
        self.add_text(text, len)
    }

    /// `$((…))` and `$[…]`.
    pub unsafe fn arithmetic(
        &mut self,
        from: *const u8,
        end: *const u8,
        closes: &[u8],
    ) -> Result<*const u8, c_int> {
        let (open, brackets) = match closes.len() {
            1 => (b'[', b']'),
            _ => (b'(', b')'),
        };
        let close = Expansion::closing(from, end, open, brackets);
        let mut at = from;
        while at != close {
            if has(c"\n;{}".as_ptr().cast(), *at) {
                return Err(BADCHAR);
            }
            at = at.add(1);
        }
        let is_closed = close != end
            && (closes.len() == 1 || (close.add(1) != end && *close.add(1) == brackets));
        if !is_closed {
            return Err(SYNTAX);
        }
        let mut inner = Expansion::new(self.flags, self.ifs, true);
        inner.run(from, close.offset_from(from) as usize)?;
        let text = inner.text()?;
        inner.word.release();
        let mut at = text as *const u8;
        skip_space(&mut at);
        let value = if *at == 0 { Ok(0) } else { sum(&mut at) };
        skip_space(&mut at);
        let is_whole = *at == 0;
        free(text.cast());
        let value = value?;
        if !is_whole {
            return Err(SYNTAX);
        }
        self.number(value)?;
        Ok(close.add(closes.len()))
    }
}

unsafe fn skip_space(at: &mut *const u8) {
    while ctype::space(**at as c_int) {
        *at = at.add(1);
    }
}

unsafe fn sum(at: &mut *const u8) -> Result<i64, c_int> {
    let mut value = product(at)?;
    loop {
        skip_space(at);
        match **at {
            b'+' => {
                *at = at.add(1);
                value = value.wrapping_add(product(at)?);
            }
            b'-' => {
                *at = at.add(1);
                value = value.wrapping_sub(product(at)?);
            }
            _ => return Ok(value),
        }
    }
}

unsafe fn product(at: &mut *const u8) -> Result<i64, c_int> {
    let mut value = factor(at)?;
    loop {
        skip_space(at);
        match **at {
            b'*' => {
                *at = at.add(1);
                value = value.wrapping_mul(factor(at)?);
            }
            b'/' => {
                *at = at.add(1);
                match value.checked_div(factor(at)?) {
                    Some(quotient) => value = quotient,
                    None => return Err(SYNTAX),
                }
            }
            _ => return Ok(value),
        }
    }
}

unsafe fn factor(at: &mut *const u8) -> Result<i64, c_int> {
    skip_space(at);
    if **at == b'(' {
        *at = at.add(1);
        let value = sum(at)?;
        skip_space(at);
        if **at != b')' {
            return Err(SYNTAX);
        }
        *at = at.add(1);
        return Ok(value);
    }
    let mut end = null_mut::<u8>();
    let value = strtol(*at, &raw mut end, 0);
    if end.cast_const() == *at {
        return Err(SYNTAX);
    }
    *at = end;
    Ok(value)
}
