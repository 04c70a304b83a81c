//! Inputs, each as what differs from the one before it: neighbours in the tree have most bytes in common. Every so
//! often one stands for itself, so that any can be had without going far back. On disk and in memory they are the same
//! bytes.
//!
//! An input is its length, and a bit that says whether it stands for itself; then, up to that length, in turn the
//! number of bytes that are as before, and how many differ, with these bytes.

use crate::varint::{Cursor, Nonsense, Sense, push};

/// How far it may be to one that stands for itself.
const FAR: u32 = 32;

/// Fewer equal bytes than this are not worth two numbers.
const WORTH: usize = 3;

/// Writes inputs of one log.
#[derive(Default)]
pub(crate) struct InputEncoder {
    before: Vec<u8>,
    count: u32,
}

impl InputEncoder {
    pub fn encode(&mut self, bytes: &mut Vec<u8>, input: &[u8]) {
        let is_first = self.count.is_multiple_of(FAR);
        self.count += 1;
        if is_first {
            self.before.clear();
        }
        push(bytes, (input.len() as u64) << 1 | u64::from(is_first));
        let before = &self.before;
        let is_same = |at: usize| before.get(at) == Some(&input[at]);
        let run = |from: usize, same: bool| {
            let run = (from..input.len()).take_while(|&at| is_same(at) == same);
            run.count()
        };
        let mut at = 0;
        while at < input.len() {
            let equal = run(at, true);
            push(bytes, equal as u64);
            at += equal;
            let start = at;
            while at < input.len() {
                at += run(at, false);
                let equal = run(at, true);
                if equal >= WORTH || at + equal == input.len() {
                    break;
                }
                at += equal;
            }
            if start < input.len() {
                push(bytes, (at - start) as u64);
                bytes.extend_from_slice(&input[start..at]);
            }
        }
        self.before.clear();
        self.before.extend_from_slice(input);
    }
}

/// Looks at the inputs of one log, without making them.
pub(crate) struct InputScanner {
    /// The length of the one before.
    len: usize,
    far: u32,
}

impl InputScanner {
    /// The first one is to stand for itself.
    pub fn new() -> InputScanner {
        InputScanner { len: 0, far: FAR }
    }

    /// The bytes that the next input takes.
    pub fn scan<'a>(&mut self, cursor: &mut Cursor<'a>) -> Sense<&'a [u8]> {
        let all = cursor.0;
        let head = cursor.number()?;
        let len = usize::try_from(head >> 1).map_err(|_| Nonsense("an input is too long"))?;
        if head & 1 == 1 {
            (self.len, self.far) = (0, 0);
        }
        self.far += 1;
        if self.far > FAR {
            return Err(Nonsense("an input hangs on too many others"));
        }
        let mut at = 0;
        while at < len {
            let equal = cursor.number()?;
            if equal > (self.len.min(len).saturating_sub(at)) as u64 {
                return Err(Nonsense("an input has bytes of no other"));
            }
            at += equal as usize;
            if at < len {
                let different = cursor.count()?;
                if different == 0 || different > len - at {
                    return Err(Nonsense("an input has another length"));
                }
                cursor.bytes(different)?;
                at += different;
            }
        }
        self.len = len;
        Ok(&all[..all.len() - cursor.0.len()])
    }
}

/// All inputs of a tree.
#[derive(Default)]
pub(crate) struct Inputs {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl Inputs {
    /// Adds one that was scanned; none if there is no room.
    pub fn add(&mut self, bytes: &[u8]) -> Option<u32> {
        let start = u32::try_from(self.bytes.len()).ok()?;
        let id = u32::try_from(self.starts.len()).ok()?;
        self.starts.push(start);
        self.bytes.extend_from_slice(bytes);
        Some(id)
    }

    pub fn get(&self, id: u32) -> Vec<u8> {
        let mut first = id;
        while first > 0 && !self.stands_for_itself(first) {
            first -= 1;
        }
        let mut input = Vec::new();
        for id in first..=id {
            // It was scanned, so it makes sense.
            let changed = self.change(id, &mut input);
            debug_assert_eq!(changed, Ok(()));
        }
        input
    }

    fn cursor(&self, id: u32) -> Cursor<'_> {
        Cursor(&self.bytes[self.starts[id as usize] as usize..])
    }

    fn stands_for_itself(&self, id: u32) -> bool {
        self.cursor(id).number().is_ok_and(|head| head & 1 == 1)
    }

    fn change(&self, id: u32, input: &mut Vec<u8>) -> Sense<()> {
        let mut cursor = self.cursor(id);
        let len = (cursor.number()? >> 1) as usize;
        let mut at = 0;
        while at < len {
            at += cursor.number()? as usize;
            if at < len {
                let different = cursor.count()?;
                let bytes = cursor.bytes(different)?;
                input.resize(input.len().max(at + different), 0);
                input[at..at + different].copy_from_slice(bytes);
                at += different;
            }
        }
        input.truncate(len);
        Ok(())
    }

    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_testing::Random;

    #[test]
    fn inputs_read_back() {
        let mut random = Random::new(1);
        let mut input: Vec<u8> = Vec::new();
        let (mut encoder, mut bytes, mut all) = (InputEncoder::default(), Vec::new(), Vec::new());
        for _ in 0..1000 {
            match random.below(5) {
                0 => input.truncate(random.below(input.len() + 1)),
                1 => input.extend((0..random.below(40)).map(|_| 7)),
                _ => {
                    for _ in 0..random.below(5) {
                        if !input.is_empty() {
                            let at = random.below(input.len());
                            input[at] = random.below(4) as u8;
                        }
                    }
                }
            }
            encoder.encode(&mut bytes, &input);
            all.push(input.clone());
        }
        let (mut inputs, mut scanner) = (Inputs::default(), InputScanner::new());
        let mut cursor = Cursor(&bytes);
        while !cursor.is_at_end() {
            let scanned = scanner.scan(&mut cursor).expect("an input");
            inputs.add(scanned).expect("room");
        }
        assert_eq!(inputs.starts.len(), all.len());
        for (id, input) in (0..).zip(&all) {
            assert_eq!(&inputs.get(id), input);
        }
    }

    #[test]
    fn neighbours_are_small() {
        let (mut encoder, mut bytes) = (InputEncoder::default(), Vec::new());
        encoder.encode(&mut bytes, &[1; 100]);
        bytes.clear();
        let mut input = [1; 100];
        input[50] = 2;
        encoder.encode(&mut bytes, &input);
        assert_eq!(bytes, [0xc8, 1, 50, 1, 2, 49]);
    }
}
