//! Sizes in bytes, as people write and read them.

/// Each 1024 times the one before.
const UNITS: [(char, &str); 4] = [('K', "KiB"), ('M', "MiB"), ('G', "GiB"), ('T', "TiB")];

/// Digits, and perhaps one of K, M, G, T: nothing else.
pub fn parse(text: &str) -> Result<u64, String> {
    let unit = text.chars().last().and_then(power);
    let digits = match unit {
        Some(_) => &text[..text.len() - 1],
        None => text,
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a size; write a number of bytes, or like 64K, 500M, 2G".to_owned());
    }
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(1 << (10 * unit.unwrap_or(0))))
        .ok_or_else(|| "too large".to_owned())
}

/// How often 1024 is multiplied with itself.
fn power(letter: char) -> Option<usize> {
    let letter = letter.to_ascii_uppercase();
    let at = UNITS.iter().position(|(known, _)| *known == letter);
    at.map(|at| at + 1)
}

/// In the largest unit of which there is at least one.
pub fn show(bytes: u64) -> String {
    let mut number = bytes as f64;
    let mut unit = None;
    for (_, name) in UNITS {
        // What would be rounded to 1024 is one of the next.
        if number < 1023.95 {
            break;
        }
        number /= 1024.0;
        unit = Some(name);
    }
    match unit {
        None => super::count(bytes, "byte", "bytes"),
        Some(unit) => format!("{number:.1} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_strictly() {
        let sizes = [
            ("0", 0),
            ("123", 123),
            ("64K", 64 << 10),
            ("500M", 500 << 20),
            ("2g", 2 << 30),
            ("16383T", 16383 << 40),
        ];
        for (text, size) in sizes {
            assert_eq!(parse(text), Ok(size), "{text}");
        }
        let nonsense = [
            "", "K", "-1", "+1", "1.5G", "1 G", " 1G", "1G ", "1GB", "1KiB", "0x10", "1e9", "ten",
            "1µ", "١K",
        ];
        for text in nonsense {
            assert!(parse(text).is_err(), "{text}");
        }
        for text in ["16777216T", "18446744073709551616", "99999999999999999999K"] {
            assert_eq!(parse(text), Err("too large".to_owned()), "{text}");
        }
    }

    #[test]
    fn sizes_are_short() {
        let sizes = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (1 << 30, "1.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(show(bytes), text);
        }
    }
}
