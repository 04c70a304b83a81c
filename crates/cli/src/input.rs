//! Reading scripts: plain, or compressed with zstd, which is told by the first bytes and not by the name.

use std::fs;
use std::io::Read;
use std::path::Path;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The script in a file, or why there is none.
pub fn read_script(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if bytes.starts_with(&ZSTD_MAGIC) {
        return decompress(&bytes)
            .map_err(|error| format!("{}: damaged zstd data: {error}", path.display()));
    }
    if path.extension().is_some_and(|extension| extension == "zst") {
        return Err(format!("{}: no zstd data", path.display()));
    }
    Ok(bytes)
}

/// The frames of a zstd file, one after the other.
fn decompress(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut rest = bytes;
    let mut script = Vec::new();
    while !rest.is_empty() {
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest)
            .map_err(|error| error.to_string())?;
        decoder
            .read_to_end(&mut script)
            .map_err(|error| error.to_string())?;
    }
    Ok(script)
}
