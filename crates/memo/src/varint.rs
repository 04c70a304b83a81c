//! Numbers as few bytes: seven bits a byte, the lowest first.

/// What was read makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nonsense(pub &'static str);

pub(crate) type Sense<T> = Result<T, Nonsense>;

pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small differences in either direction are small numbers.
pub(crate) fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads from the start of some bytes on.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> Sense<u8> {
        let (&byte, rest) = self.0.split_first().ok_or(Nonsense("bytes are missing"))?;
        self.0 = rest;
        Ok(byte)
    }

    pub fn bytes(&mut self, len: usize) -> Sense<&'a [u8]> {
        let split = self.0.split_at_checked(len);
        let (bytes, rest) = split.ok_or(Nonsense("bytes are missing"))?;
        self.0 = rest;
        Ok(bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Sense<[u8; N]> {
        let split = self.0.split_first_chunk();
        let (array, rest) = split.ok_or(Nonsense("bytes are missing"))?;
        self.0 = rest;
        Ok(*array)
    }

    pub fn number(&mut self) -> Sense<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Nonsense("a number is too long"))
    }

    pub fn u32(&mut self) -> Sense<u32> {
        u32::try_from(self.number()?).map_err(|_| Nonsense("a number is too large"))
    }

    /// The length of something of which each element takes a byte here at least.
    pub fn count(&mut self) -> Sense<usize> {
        let count = self.number()?;
        match count <= self.0.len() as u64 {
            true => Ok(count as usize),
            false => Err(Nonsense("bytes are missing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            push(&mut bytes, number);
        }
        let mut cursor = Cursor(&bytes);
        for number in numbers {
            assert_eq!(cursor.number(), Ok(number));
        }
        assert!(cursor.is_at_end() && cursor.number().is_err());
        for difference in [0, 1, -1, 2, i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(difference)), difference);
        }
        assert_eq!(zigzag(-1), 1);
    }

    #[test]
    fn what_is_no_number_is_an_error() {
        assert!(Cursor(&[0x80; 20]).number().is_err());
        assert!(Cursor(&[0xff, 0xff, 0xff, 0xff, 0x1f]).u32().is_err());
        assert!(Cursor(&[9, 1, 2]).count().is_err());
    }
}
