//! ELF files, as far as bitcode within them is concerned: their sections, what a dynamic one needs, and how a section
//! is added to a file that a compiler or a linker has just written.
//!
//! Files come from anywhere: whatever an offset says, nothing outside of the file is read. Only 64-bit little-endian
//! files are understood.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Where compilers and linkers put bitcode. It is not loaded: linkers join the sections of all objects that they
/// take into a program, and `strip` leaves them.
pub const BITCODE: &str = ".llvmbc";

const HEADER: usize = 64;
const ENTRY: usize = 64;
const PROGBITS: u32 = 1;
const SYMBOLS: u32 = 2;
const DYNAMIC: u32 = 6;
const NOBITS: u32 = 8;
const DYNAMIC_SYMBOLS: u32 = 11;
/// Of symbols: neither local nor weak.
const GLOBAL: u8 = 1;
/// The number of sections, or of the one with their names, is in section 0.
const ESCAPE: u64 = 0xffff;
/// More than any table of sections has.
const TOO_LARGE: u64 = 1 << 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Object,
    Program,
    /// A shared library, or a program that can be anywhere.
    Dynamic,
}

/// A file that is open, its sections read.
pub struct Elf {
    file: File,
    len: u64,
    header: [u8; HEADER],
    entries: Vec<[u8; ENTRY]>,
    names_at: usize,
    names: Vec<u8>,
}

fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(word)
}

fn put(bytes: &mut [u8], at: usize, size: usize, value: u64) {
    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// The string that starts somewhere in a table of them.
fn text(table: &[u8], at: u64) -> String {
    let rest = usize::try_from(at).ok().and_then(|at| table.get(at..));
    let bytes = rest.and_then(|rest| rest.split(|&byte| byte == 0).next());
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

impl Elf {
    /// `None`: it is not there, or no ELF file with sections.
    pub fn read(path: &Path) -> Option<Elf> {
        Elf::of(File::open(path).ok()?)
    }

    /// To be written too.
    fn edit(path: &Path) -> Option<Elf> {
        Elf::of(File::options().read(true).write(true).open(path).ok()?)
    }

    fn of(file: File) -> Option<Elf> {
        let data = file.metadata().ok()?;
        let mut header = [0; HEADER];
        if !data.is_file() || file.read_exact_at(&mut header, 0).is_err() {
            return None;
        }
        if !header.starts_with(b"\x7fELF\x02\x01") || number(&header, 0x3a, 2) != ENTRY as u64 {
            return None;
        }
        let mut elf = Elf {
            file,
            len: data.len(),
            header,
            entries: Vec::new(),
            names_at: 0,
            names: Vec::new(),
        };
        let (table, count) = (number(&header, 0x28, 8), number(&header, 0x3c, 2));
        let first = elf.bytes(table, ENTRY as u64)?;
        let count = match count {
            0 => number(&first, 0x20, 8),
            count => count,
        };
        let names_at = match number(&header, 0x3e, 2) {
            ESCAPE => number(&first, 0x28, 4),
            names_at => names_at,
        };
        let size = { count.checked_mul(ENTRY as u64) }.filter(|&size| size < TOO_LARGE)?;
        let table = elf.bytes(table, size)?;
        let entries = table.chunks_exact(ENTRY).map(|entry| {
            let mut own = [0; ENTRY];
            own.copy_from_slice(entry);
            own
        });
        elf.entries = entries.collect();
        elf.names_at = usize::try_from(names_at).ok()?;
        elf.names = elf.contents(elf.names_at)?;
        Some(elf)
    }

    fn bytes(&self, at: u64, size: u64) -> Option<Vec<u8>> {
        if at.checked_add(size)? > self.len {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    fn contents(&self, index: usize) -> Option<Vec<u8>> {
        let entry = self.entries.get(index)?;
        if number(entry, 4, 4) == u64::from(NOBITS) {
            return None;
        }
        self.bytes(number(entry, 0x18, 8), number(entry, 0x20, 8))
    }

    fn find(&self, name: &str) -> Option<usize> {
        let is_it = |entry: &[u8; ENTRY]| text(&self.names, number(entry, 0, 4)) == name;
        self.entries.iter().position(is_it)
    }

    fn of_type(&self, kind: u32) -> Option<usize> {
        let is_it = |entry: &[u8; ENTRY]| number(entry, 4, 4) == u64::from(kind);
        self.entries.iter().position(is_it)
    }

    pub fn kind(&self) -> Option<Type> {
        match number(&self.header, 0x10, 2) {
            1 => Some(Type::Object),
            2 => Some(Type::Program),
            3 => Some(Type::Dynamic),
            _ => None,
        }
    }

    pub fn section(&self, name: &str) -> Option<Vec<u8>> {
        self.contents(self.find(name)?)
    }

    /// The bitcode that was kept; a marker in its place is none.
    pub fn bitcode(&self) -> Option<Vec<u8>> {
        { self.section(BITCODE) }.filter(|bytes| bytes.starts_with(b"BC\xc0\xde"))
    }

    /// What is written for the dynamic linker.
    pub fn dynamic(&self) -> Dynamic {
        let mut dynamic = Dynamic::default();
        let Some(index) = self.of_type(DYNAMIC) else {
            return dynamic;
        };
        let strings = self.contents(number(&self.entries[index], 0x28, 4) as usize);
        let (entries, strings) = (
            self.contents(index).unwrap_or_default(),
            strings.unwrap_or_default(),
        );
        for entry in entries.chunks_exact(16) {
            let value = text(&strings, number(entry, 8, 8));
            match number(entry, 0, 8) {
                0 => break,
                1 => dynamic.needed.push(value),
                14 => dynamic.name = Some(value),
                15 | 29 => dynamic.search = value.split(':').map(String::from).collect(),
                _ => {}
            }
        }
        dynamic
    }

    /// The names that a dynamic file defines for others.
    pub fn exports(&self) -> BTreeSet<String> {
        self.global_definitions(DYNAMIC_SYMBOLS)
    }

    /// The names that an object defines for others.
    pub fn definitions(&self) -> BTreeSet<String> {
        self.global_definitions(SYMBOLS)
    }

    fn global_definitions(&self, table: u32) -> BTreeSet<String> {
        let defined = |symbol: &Symbol| symbol.binding != 0 && symbol.section != 0;
        let symbols = self.symbols(table);
        let names = symbols.into_iter().filter(defined);
        names.map(|symbol| symbol.name).collect()
    }

    /// The names that an object needs.
    pub fn needs(&self) -> BTreeSet<String> {
        let symbols = self.symbols(SYMBOLS).into_iter();
        let needed = symbols.filter(|symbol| symbol.binding == GLOBAL && symbol.section == 0);
        needed.map(|symbol| symbol.name).collect()
    }

    /// All names of a program that it defines, or takes from shared libraries.
    pub fn knows(&self) -> BTreeSet<String> {
        // Linkers make names local that are hidden.
        let own = self.symbols(SYMBOLS).into_iter();
        let defined = own.filter(|symbol| symbol.section != 0);
        let all = defined.chain(self.symbols(DYNAMIC_SYMBOLS));
        all.map(|symbol| symbol.name).collect()
    }

    fn symbols(&self, table: u32) -> Vec<Symbol> {
        let Some(index) = self.of_type(table) else {
            return Vec::new();
        };
        let strings = self.contents(number(&self.entries[index], 0x28, 4) as usize);
        let (symbols, strings) = (
            self.contents(index).unwrap_or_default(),
            strings.unwrap_or_default(),
        );
        let symbol = |bytes: &[u8]| Symbol {
            name: text(&strings, number(bytes, 0, 4)),
            binding: bytes[4] >> 4,
            section: number(bytes, 6, 2),
        };
        symbols.chunks_exact(24).map(symbol).collect()
    }
}

struct Symbol {
    name: String,
    binding: u8,
    /// Where it is defined; in none if it is 0.
    section: u64,
}

/// Of a program or a shared library.
#[derive(Debug, Default, PartialEq)]
pub struct Dynamic {
    /// The names of the shared libraries it is linked with.
    pub needed: Vec<String>,
    /// Its own.
    pub name: Option<String>,
    /// Where it says that libraries are to be looked for.
    pub search: Vec<String>,
}

/// Puts `bytes` into a section of a file: it becomes one with `join` of what the section has so far and the bytes.
/// The file grows at its end, and gets its new table of sections last: whoever is killed meanwhile leaves the file as
/// it was. `false`: it is no file that has sections.
pub fn put_section(
    path: &Path,
    name: &str,
    join: impl FnOnce(Option<Vec<u8>>) -> Vec<u8>,
) -> io::Result<bool> {
    let Some(elf) = Elf::edit(path) else {
        return Ok(false);
    };
    let found = elf.find(name);
    let bytes = join(found.and_then(|index| elf.contents(index)));
    let Elf {
        file,
        len,
        mut header,
        mut entries,
        names_at,
        mut names,
    } = elf;
    let mut added = Vec::new();
    let mut place = |bytes: &[u8]| {
        let at = len + added.len() as u64;
        let padding = at.next_multiple_of(16) - at;
        added.resize(added.len() + padding as usize, 0);
        added.extend_from_slice(bytes);
        at + padding
    };
    let at = place(&bytes);
    let index = match found {
        Some(index) => index,
        None => {
            let mut entry = [0; ENTRY];
            put(&mut entry, 0, 4, names.len() as u64);
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            let names_place = place(&names);
            put(&mut entries[names_at], 0x18, 8, names_place);
            put(&mut entries[names_at], 0x20, 8, names.len() as u64);
            entries.push(entry);
            entries.len() - 1
        }
    };
    let entry = &mut entries[index];
    put(entry, 4, 4, u64::from(PROGBITS));
    put(entry, 8, 8, 0);
    put(entry, 0x18, 8, at);
    put(entry, 0x20, 8, bytes.len() as u64);
    put(entry, 0x30, 8, 1);
    // The number of sections is in the header where it fits.
    let count = entries.len() as u64;
    if count >= 0xff00 {
        put(&mut entries[0], 0x20, 8, count);
        put(&mut header, 0x3c, 2, 0);
    } else {
        put(&mut header, 0x3c, 2, count);
    }
    let table = place(entries.as_flattened());
    put(&mut header, 0x28, 8, table);
    file.write_all_at(&added, len)?;
    file.write_all_at(&header, 0)?;
    Ok(true)
}

/// The files of bitcode that were put behind each other. `None`: something in there is none.
pub fn split_bitcode(joined: &[u8]) -> Option<Vec<&[u8]>> {
    let mut files = Vec::new();
    let mut rest = joined;
    loop {
        // Linkers may fill up with zeros.
        while let Some((&[0, 0, 0, 0], after)) = rest.split_first_chunk() {
            rest = after;
        }
        if rest.iter().all(|&byte| byte == 0) {
            return Some(files);
        }
        if !rest.starts_with(b"BC\xc0\xde") {
            return None;
        }
        // Behind the magic number come blocks, each with its length in words behind a word of its own.
        let mut at = 4;
        while rest.len() > at && !rest[at..].starts_with(b"BC\xc0\xde") {
            let head = rest.get(at..at + 8)?;
            if head[0] & 3 != 1 {
                break;
            }
            let words = number(head, 4, 4) as usize;
            at = words.checked_mul(4)?.checked_add(at + 8)?;
        }
        let (file, after) = rest.split_at_checked(at)?;
        files.push(file);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitcode_is_split_where_it_was_joined() {
        let file = |words: u32| {
            let mut bytes = b"BC\xc0\xde\x35\x14\0\0".to_vec();
            bytes.extend(words.to_le_bytes());
            // What looks like the start of another one is inside.
            for _ in 0..words {
                bytes.extend(b"BC\xc0\xde");
            }
            bytes
        };
        let (first, second) = (file(2), file(5));
        let joined = [&first[..], &second, &[0; 8]].concat();
        assert_eq!(split_bitcode(&joined), Some(vec![&first[..], &second]));
        assert_eq!(split_bitcode(&[]), Some(vec![]));
        assert_eq!(split_bitcode(b"ELF?"), None);
        assert_eq!(split_bitcode(&first[..16]), None);
    }
}
