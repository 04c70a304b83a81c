//! Files that hold bitcode within them: archives, and object files with a section of it.

use super::{FileContents, ReadError, Result, is_bitcode, read_bitcode};

const ARCHIVE: &[u8] = b"!<arch>\n";
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
const ELF: &[u8] = b"\x7fELF";
const HEADER: usize = 60;

fn refused(name: &str, what: impl Into<String>) -> ReadError {
    ReadError::NotBitcode {
        file: name.into(),
        what: what.into(),
    }
}

/// Reads a file that is not itself bitcode.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<FileContents> {
    if bytes.starts_with(ARCHIVE) {
        return read_archive(name, bytes);
    }
    if bytes.starts_with(THIN_ARCHIVE) {
        return Err(refused(
            name,
            "a thin archive, which only names its members: give the members themselves",
        ));
    }
    if bytes.starts_with(ELF) {
        return match embedded(bytes) {
            Some(bitcode) => Ok(FileContents {
                modules: read_bitcode(name, bitcode)?,
                ..FileContents::default()
            }),
            None => Err(refused(
                name,
                "machine code without bitcode: compile it with `refrain cc`, or with -emit-llvm",
            )),
        };
    }
    Err(refused(name, format!("not bitcode: {}", looks_like(bytes))))
}

fn looks_like(bytes: &[u8]) -> &'static str {
    let start = &bytes[..bytes.len().min(4096)];
    let has = |needle: &str| {
        start
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
    };
    if bytes.is_empty() {
        "the file is empty"
    } else if bytes.starts_with(b"MZ") {
        "it looks like a Windows program"
    } else if matches!(
        bytes.first_chunk(),
        Some([0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe])
    ) {
        "it looks like a Mach-O file"
    } else if start.contains(&0) {
        "it looks like data of some other kind"
    } else if has("; ModuleID")
        || has("source_filename = ")
        || has("define ") && has("target triple")
    {
        "it looks like textual LLVM assembly: assemble it with llvm-as"
    } else if has("#include") || has("int main") {
        "it looks like C or C++ source: compile it with clang -c -emit-llvm"
    } else if has("fn main") {
        "it looks like Rust source: compile it with rustc --emit=llvm-bc"
    } else {
        "it looks like text"
    }
}

fn trimmed(field: &[u8]) -> &str {
    std::str::from_utf8(field)
        .unwrap_or_default()
        .trim_end_matches([' ', '\0'])
}

fn read_archive(name: &str, bytes: &[u8]) -> Result<FileContents> {
    let mut contents = FileContents {
        archive: true,
        ..FileContents::default()
    };
    let mut long_names: &[u8] = &[];
    let mut at = ARCHIVE.len();
    while at < bytes.len() {
        let header_at = at;
        let cut = || {
            refused(
                name,
                format!("an archive that is cut off at byte {header_at}"),
            )
        };
        let header = bytes.get(at..at + HEADER).ok_or_else(cut)?;
        if &header[58..60] != b"`\n" {
            return Err(refused(
                name,
                format!("an archive that is malformed at byte {at}"),
            ));
        }
        let size: usize = trimmed(&header[48..58]).parse().map_err(|_| {
            refused(
                name,
                format!("an archive member without a size at byte {at}"),
            )
        })?;
        let start = at + HEADER;
        let mut data = start
            .checked_add(size)
            .and_then(|end| bytes.get(start..end))
            .ok_or_else(cut)?;
        let field = trimmed(&header[..16]);
        // Members start at even offsets.
        at = start + size + size % 2;
        let member = if field == "//" {
            long_names = data;
            continue;
        } else if field == "/" || field == "/SYM64/" || field.starts_with("__.SYMDEF") {
            continue;
        } else if let Some(length) = field.strip_prefix("#1/") {
            // BSD keeps a long name in front of the data.
            let split = length
                .parse()
                .ok()
                .and_then(|length| data.split_at_checked(length));
            let (long, rest) = split.ok_or_else(cut)?;
            data = rest;
            trimmed(long).to_string()
        } else if let Some(offset) = field.strip_prefix('/') {
            let long = offset
                .parse()
                .ok()
                .and_then(|offset: usize| long_names.get(offset..));
            let long = long.ok_or_else(cut)?;
            let end = long
                .iter()
                .position(|&byte| byte == b'\n')
                .unwrap_or(long.len());
            String::from_utf8_lossy(&long[..end])
                .trim_end_matches('/')
                .to_string()
        } else {
            field.trim_end_matches('/').to_string()
        };
        if member.starts_with("__.SYMDEF") {
            continue;
        }
        let shown = format!("{name}({member})");
        let bitcode = if is_bitcode(data) {
            Some(data)
        } else {
            embedded(data)
        };
        match bitcode {
            Some(bitcode) => contents.modules.extend(read_bitcode(&shown, bitcode)?),
            None => contents
                .notes
                .push(format!("{shown}: no bitcode, left out")),
        }
    }
    if contents.modules.is_empty() {
        return Err(refused(
            name,
            format!(
                "an archive without bitcode ({} members without): compile with -emit-llvm",
                contents.notes.len()
            ),
        ));
    }
    Ok(contents)
}

/// The bitcode in a section of an object file.
fn embedded(bytes: &[u8]) -> Option<&[u8]> {
    // Only 64-bit little-endian files are of use.
    if !bytes.starts_with(ELF) || bytes.get(4) != Some(&2) || bytes.get(5) != Some(&1) {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<usize> {
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
        usize::try_from(u64::from_le_bytes(word)).ok()
    };
    let table = number(0x28, 8)?;
    let entry = number(0x3a, 2)?;
    // Numbers that do not fit are in the first entry.
    let count = match number(0x3c, 2)? {
        0 => number(table.checked_add(0x20)?, 8)?,
        count => count,
    };
    let names = match number(0x3e, 2)? {
        0xffff => number(table.checked_add(0x28)?, 4)?,
        names => names,
    };
    let section = |index: usize| -> Option<(usize, &[u8])> {
        let at = table.checked_add(index.checked_mul(entry)?)?;
        let offset = number(at.checked_add(0x18)?, 8)?;
        let size = number(at.checked_add(0x20)?, 8)?;
        Some((
            number(at, 4)?,
            bytes.get(offset..offset.checked_add(size)?)?,
        ))
    };
    let (_, strings) = section(names)?;
    (0..count).find_map(|index| {
        let (name, data) = section(index)?;
        let name = strings.get(name..)?;
        let is_it = name.starts_with(b".llvmbc\0") && is_bitcode(data);
        is_it.then_some(data)
    })
}
