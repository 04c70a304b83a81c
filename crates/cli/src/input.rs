//! Reading scripts: plain, or compressed with zstd, which is told by the first bytes and not by the name.

use std::error::Error;
use std::fs;
use std::io::Read;
use std::path::Path;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The script in a file, or why there is none.
pub fn read_script(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if bytes.starts_with(&ZSTD_MAGIC) {
        return decompress(&bytes)
            .map_err(|_| format!("{}: the zstd data is damaged or cut short", path.display()));
    }
    if path.extension().is_some_and(|extension| extension == "zst") {
        return Err(format!("{}: no zstd data", path.display()));
    }
    Ok(bytes)
}

/// The frames of a zstd file, one after the other.
fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut rest = bytes;
    let mut script = Vec::new();
    while !rest.is_empty() {
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest)?;
        decoder.read_to_end(&mut script)?;
    }
    Ok(script)
}
