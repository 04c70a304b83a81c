//! How a stage is spoken to: messages of byte strings over a socket.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// More than this is no message of ours.
const MOST: u64 = 1 << 32;

pub fn send(mut stream: &UnixStream, parts: &[&[u8]]) -> io::Result<()> {
    let mut bytes = (parts.len() as u64).to_le_bytes().to_vec();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let whole = [&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat();
    stream.write_all(&whole)
}

/// The next message; none if there will not be one.
pub fn receive(mut stream: &UnixStream) -> io::Result<Option<Parts>> {
    let mut len = [0; 8];
    match stream.read_exact(&mut len) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        result => result?,
    }
    let len = u64::from_le_bytes(len);
    if len > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; len as usize];
    stream.read_exact(&mut bytes)?;
    let mut parts = Parts { bytes, at: 0 };
    parts.number()?;
    Ok(Some(parts))
}

/// The parts of a message, from the first on.
pub struct Parts {
    bytes: Vec<u8>,
    at: usize,
}

impl Parts {
    fn number(&mut self) -> io::Result<u64> {
        let bytes = self.bytes.get(self.at..self.at + 8);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        self.at += 8;
        bytes
            .map(u64::from_le_bytes)
            .ok_or(io::ErrorKind::InvalidData.into())
    }

    pub fn next(&mut self) -> io::Result<&[u8]> {
        let len = self.number()? as usize;
        let from = self.at;
        self.at = from.saturating_add(len);
        let part = self.bytes.get(from..self.at);
        part.ok_or(io::ErrorKind::InvalidData.into())
    }

    /// A number in digits.
    pub fn next_number(&mut self) -> io::Result<i64> {
        let digits = std::str::from_utf8(self.next()?).ok();
        let number = digits.and_then(|digits| digits.parse().ok());
        number.ok_or(io::ErrorKind::InvalidData.into())
    }

    /// As many as the next part says.
    pub fn next_list(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let count = self.next_number()?;
        (0..count)
            .map(|_| self.next().map(<[u8]>::to_vec))
            .collect()
    }
}
