//! What a file name with symbolic bytes can be.

/// A text of which some bytes are known. It may end at each that is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameShape(Vec<Option<u8>>);

impl NameShape {
    pub fn new(bytes: impl IntoIterator<Item = Option<u8>>) -> NameShape {
        NameShape(bytes.into_iter().collect())
    }

    /// Whether the text can begin with this name, and a slash or its end be behind it.
    pub fn fits(&self, name: &[u8]) -> bool {
        let can_be = |at: usize, wanted: u8| self.0[at].is_none_or(|known| known == wanted);
        let behind = self.0.get(name.len());
        name.len() <= self.0.len()
            && name.iter().enumerate().all(|(at, &byte)| can_be(at, byte))
            && behind.is_none_or(|behind| behind.is_none_or(|byte| byte == b'/'))
    }

    /// As bytes: two for each of the text.
    pub fn encoded(&self) -> Vec<u8> {
        let pair = |byte: &Option<u8>| byte.map_or([b'?', b'?'], |byte| [b'=', byte]);
        self.0.iter().flat_map(pair).collect()
    }

    pub fn decoded(bytes: &[u8]) -> NameShape {
        NameShape::new(
            bytes
                .chunks_exact(2)
                .map(|pair| (pair[0] == b'=').then_some(pair[1])),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all texts of three bytes over a few letters.
    #[test]
    fn names_fit_that_some_text_begins_with() {
        const LETTERS: [u8; 4] = [0, b'/', b'a', b'b'];
        let texts = || {
            let each = LETTERS.iter();
            each.flat_map(|&a| {
                LETTERS
                    .iter()
                    .flat_map(move |&b| LETTERS.map(|c| [a, b, c]))
            })
        };
        let shapes = [
            [None, None, None],
            [Some(b'a'), None, None],
            [None, Some(b'b'), None],
            [None, Some(b'/'), Some(b'a')],
            [Some(b'a'), None, Some(b'b')],
        ];
        let names = [
            &b""[..],
            b"a",
            b"b",
            b"ab",
            b"ba",
            b"bb",
            b"aab",
            b"bab",
            b"aaaa",
        ];
        for bytes in shapes {
            let shape = NameShape::new(bytes);
            assert_eq!(NameShape::decoded(&shape.encoded()), shape);
            for name in names {
                let is_of = |text: &[u8; 3]| {
                    let mut pairs = text.iter().zip(bytes);
                    pairs.all(|(&byte, known)| known.is_none_or(|known| known == byte))
                };
                let begins = |text: &[u8; 3]| {
                    let end = text.iter().position(|&byte| byte == 0).unwrap_or(3);
                    let behind = text.get(name.len()).copied().unwrap_or(0);
                    name.len() <= end && text.starts_with(name) && matches!(behind, 0 | b'/')
                };
                let some = texts().any(|text| is_of(&text) && begins(&text));
                assert_eq!(shape.fits(name), some, "{bytes:?} {name:?}");
            }
        }
    }
}
