//! What a file system says that is its own to choose: the numbers of files, the links, sizes and blocks of directories,
//! when something about a file was changed, how its owner is called, and in which order a directory has its names. A
//! program that prints it prints something else on each file system, and in the machine.
//!
//! To see which programs do, a program is run again, twice, and told something else each time.

use std::io;

use libc::{c_long, pid_t, user_regs_struct};

use super::kernel::{read, registers_of, write};

/// The calls whose answers are varied.
pub const VARIED: [c_long; 6] = [
    libc::SYS_stat,
    libc::SYS_fstat,
    libc::SYS_lstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_getdents64,
];

/// Whether a call is one of these.
pub fn is_varied(call: &user_regs_struct) -> bool {
    VARIED.contains(&(call.orig_rax as c_long))
}

/// What is added to numbers; 0 varies nothing.
pub type Variation = u32;

/// Their sums are of different lengths.
pub const VARIATIONS: [Variation; 2] = [7777, 77_777_777];

/// Changes what a call has answered.
pub fn vary(process: pid_t, call: &user_regs_struct, variation: Variation) -> io::Result<()> {
    let answer = registers_of(process)?.rax as i64;
    if answer < 0 {
        return Ok(());
    }
    let (at, len) = match call.orig_rax as c_long {
        libc::SYS_getdents64 => (call.rsi, answer as usize),
        libc::SYS_statx => (call.r8, STATX.size),
        libc::SYS_newfstatat => (call.rdx, STAT.size),
        _ => (call.rsi, STAT.size),
    };
    let mut bytes = vec![0; len];
    if read(process, at, &mut bytes) != len {
        return Ok(());
    }
    let bytes = match call.orig_rax as c_long {
        libc::SYS_getdents64 => reversed(&bytes),
        libc::SYS_statx => STATX.varied(bytes, variation.into()),
        _ => STAT.varied(bytes, variation.into()),
    };
    write(process, at, &bytes).map_err(io::Error::from_raw_os_error)
}

/// Where numbers are, and of how many bytes.
struct Layout {
    size: usize,
    mode: (usize, usize),
    links: (usize, usize),
    owners: [(usize, usize); 2],
    number: (usize, usize),
    length: (usize, usize),
    blocks: (usize, usize),
    changed: (usize, usize),
}

const STAT: Layout = Layout {
    size: 144,
    mode: (24, 4),
    links: (16, 8),
    owners: [(28, 4), (32, 4)],
    number: (8, 8),
    length: (48, 8),
    blocks: (64, 8),
    changed: (104, 8),
};

const STATX: Layout = Layout {
    size: 256,
    mode: (28, 2),
    links: (16, 4),
    owners: [(20, 4), (24, 4)],
    number: (32, 8),
    length: (40, 8),
    blocks: (48, 8),
    changed: (96, 8),
};

impl Layout {
    fn varied(&self, mut bytes: Vec<u8>, more: u64) -> Vec<u8> {
        let mode = change(&mut bytes, self.mode, |mode| mode) as u32;
        let is_directory = mode & libc::S_IFMT == libc::S_IFDIR;
        change(&mut bytes, self.number, |number| number + more);
        change(&mut bytes, self.blocks, |blocks| blocks + more);
        // What was changed last was now changed first.
        change(&mut bytes, self.changed, |time| {
            (3_000_000_000 + more).wrapping_sub(time)
        });
        for owner in self.owners {
            change(&mut bytes, owner, |owner| owner + more);
        }
        if is_directory {
            change(&mut bytes, self.links, |links| links + more);
            change(&mut bytes, self.length, |length| length + more);
        }
        bytes
    }
}

/// Changes a number; which it was.
fn change(bytes: &mut [u8], (at, len): (usize, usize), new: impl Fn(u64) -> u64) -> u64 {
    let mut word = [0; 8];
    word[..len].copy_from_slice(&bytes[at..at + len]);
    let number = u64::from_le_bytes(word);
    bytes[at..at + len].copy_from_slice(&new(number).to_le_bytes()[..len]);
    number
}

/// Entries of a directory, the last first.
fn reversed(bytes: &[u8]) -> Vec<u8> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while rest.len() > 18 {
        let len = usize::from(u16::from_le_bytes([rest[16], rest[17]]));
        let Some((entry, others)) = rest.split_at_checked(len).filter(|_| len > 0) else {
            break;
        };
        entries.push(entry);
        rest = others;
    }
    entries.push(rest);
    entries.into_iter().rev().flatten().copied().collect()
}

/// Whether an output differs from a native one in nothing but what a file system chooses: in words that are others when
/// it chooses otherwise, or in the order of all words.
pub fn explain(native: &[u8], varied: &[Vec<u8>], output: &[u8]) -> bool {
    let (native, output) = (words(native), words(output));
    let varied: Vec<Vec<&[u8]>> = varied.iter().map(|varied| words(varied)).collect();
    let count = |words: &[&[u8]], word: &[u8]| {
        let after = words.partition_point(|other| *other <= word);
        after - words.partition_point(|other| *other < word)
    };
    let is_free = |word: &[u8]| {
        let kept = varied.iter().map(|varied| count(varied, word)).min();
        let lost = |kept: usize| count(&native, word).saturating_sub(kept);
        lost(count(&output, word)) <= lost(kept.unwrap_or(usize::MAX))
    };
    native.len() == output.len() && native.iter().all(|word| is_free(word))
}

/// Sorted.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let words = text.split(is_between).filter(|word| !word.is_empty());
    let mut words: Vec<&[u8]> = words.collect();
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_vary_are_explained() {
        let native = b"total 4\ndrwx 1 me 60 A\n-rw 1 me 8 B\n";
        let varied = b"total 44\ndrwx 21 8777 7837 A\n-rw 1 8777 8 B\n".to_vec();
        let is_explained = |output: &[u8]| explain(native, std::slice::from_ref(&varied), output);
        assert!(is_explained(
            b"total 12\ndrwx 2 user 4096 A\n-rw 1 user 8 B\n"
        ));
        assert!(!is_explained(
            b"total 12\ndrwx 2 user 4096 A\n-rw 1 user 9 B\n"
        ));
        assert!(!is_explained(b"total 12\ndrwx 2 user 4096 A\n"));
        let reversed = [b"b\na\n".to_vec()];
        assert!(explain(b"a\nb\n", &reversed, b"b\na\n"));
        assert!(!explain(b"a\nb\n", &reversed, b"b\nc\n"));
    }
}
