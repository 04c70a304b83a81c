//! Thin archives (`ar rcT`), which name their files instead of holding them: what reads bitcode is given an archive with
//! the files in it.

use crate::CompileError;
use std::path::{Path, PathBuf};

const WHOLE: &[u8] = b"!<arch>\n";
const THIN: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;

/// An archive, and the files that are in it.
pub(crate) struct Filled {
    pub bytes: Vec<u8>,
    pub files: Vec<PathBuf>,
}

/// A thin archive with its files. `None`: it is another kind of file.
pub(crate) fn filled(path: &Path, bytes: &[u8]) -> Result<Option<Filled>, CompileError> {
    if !bytes.starts_with(THIN) {
        return Ok(None);
    }
    let malformed = || CompileError::BadArchive(path.into());
    let names = names(bytes).ok_or_else(malformed)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut whole, mut files) = (WHOLE.to_vec(), Vec::new());
    for name in names {
        let file = folder.join(&name);
        let data = crate::read(&file)?;
        let (long, size) = (format!("#1/{}", name.len()), name.len() + data.len());
        // Name, time, owner, group, mode, size.
        let header = format!("{long:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        whole.extend(header.bytes());
        whole.extend(name.bytes());
        whole.extend(data);
        whole.resize(whole.len().next_multiple_of(2), b'\n');
        files.push(file);
    }
    Ok(Some(Filled {
        bytes: whole,
        files,
    }))
}

/// The names of the files, as they are in the archive. `None`: it is malformed.
fn names(bytes: &[u8]) -> Option<Vec<String>> {
    let (mut names, mut table) = (Vec::new(), &[][..]);
    let mut at = THIN.len();
    while at < bytes.len() {
        let header = bytes.get(at..at.checked_add(HEADER)?)?;
        let text = |field: &[u8]| Some(str::from_utf8(field).ok()?.trim_end().to_string());
        let (field, size) = (text(&header[..16])?, text(&header[48..58])?);
        at += HEADER;
        if matches!(field.as_str(), "/" | "//" | "/SYM64/") {
            // Only what the archive says itself follows its header.
            let size: usize = size.parse().ok()?;
            let data = bytes.get(at..at.checked_add(size)?)?;
            if field == "//" {
                table = data;
            }
            at += size.next_multiple_of(2);
            continue;
        }
        let name = match field.strip_prefix('/') {
            Some(offset) => {
                let rest = table.get(offset.parse::<usize>().ok()?..)?;
                let end = rest.windows(2).position(|end| end == b"/\n")?;
                String::from_utf8_lossy(&rest[..end]).into_owned()
            }
            None => field.trim_end_matches('/').to_string(),
        };
        names.push(name);
    }
    Some(names)
}
