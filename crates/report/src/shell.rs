//! Worlds of tests as a shell has them: words, files and standard input.

use std::fmt::Write;
use std::path::Path;

use refrain_machine::Surroundings;

/// A word of a command line, for bash and other shells with `$'…'`, whatever bytes but zero are in it.
pub fn word(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./+,:@%".contains(byte);
    let text = str::from_utf8(bytes).ok();
    let text = text.filter(|text| !text.chars().any(char::is_control));
    match text {
        Some(text) if !text.is_empty() && bytes.iter().all(is_plain) => text.to_string(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        None => {
            let mut word = String::from("$'");
            for &byte in bytes {
                match byte {
                    b'\'' | b'\\' => word.extend(['\\', char::from(byte)]),
                    b'\n' => word.push_str("\\n"),
                    b'\t' => word.push_str("\\t"),
                    0x20..0x7f => word.push(char::from(byte)),
                    // Writing to a string does not fail.
                    _ => {
                        let _ = write!(word, "\\{byte:03o}");
                    }
                }
            }
            word + "'"
        }
    }
}

/// A command that writes these bytes to standard output.
pub fn printf(bytes: &[u8]) -> String {
    let mut format = String::new();
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b'%' => format.push_str("%%"),
            b'\\' => format.push_str("\\\\"),
            b'\n' => format.push_str("\\n"),
            b'-' if index == 0 => format.push_str("\\055"),
            b'\'' | 0..0x20 | 0x7f.. => {
                let _ = write!(format, "\\{byte:03o}");
            }
            _ => format.push(char::from(byte)),
        }
    }
    format!("printf '{format}'")
}

/// Commands that make the files of a world in the current directory.
pub fn files(surroundings: &Surroundings) -> Vec<String> {
    let mut commands = Vec::new();
    for (name, contents) in &surroundings.files {
        let at = name.iter().rposition(|&byte| byte == b'/');
        if let Some(at) = at.filter(|&at| at > 0) {
            commands.push(format!("mkdir -p {}", path(&name[..at])));
        }
        commands.push(format!("{} > {}", printf(contents), path(name)));
    }
    commands
}

/// A word that names a file and is no switch.
fn path(name: &[u8]) -> String {
    match name.first() {
        Some(b'-') => word(&[b"./", name].concat()),
        _ => word(name),
    }
}

/// One line that runs a program in a world, to be pasted.
pub fn command(surroundings: &Surroundings) -> String {
    let mut commands = files(surroundings);
    let mut words: Vec<String> = Vec::new();
    for variable in &surroundings.environment {
        let at = variable.iter().position(|&byte| byte == b'=');
        let (name, value) = variable.split_at(at.map_or(variable.len(), |at| at + 1));
        words.push(format!("{}{}", String::from_utf8_lossy(name), word(value)));
    }
    let mut args = surroundings.args.iter();
    words.extend(args.next().map(|program| word(&program_word(program))));
    words.extend(args.map(|arg| word(arg)));
    let words = words.join(" ");
    // Where nothing is given the program has nothing to read, either.
    commands.push(match surroundings.stdin.is_empty() {
        true => format!("{words} < /dev/null"),
        false => format!("{} | {words}", printf(&surroundings.stdin)),
    });
    commands.join("; ")
}

/// What a program is run by: that of a source has its name without the ending.
fn program_word(program: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(program);
    let path = Path::new(&*text);
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let is_source = matches!(
        &*ending,
        "c" | "cc" | "cpp" | "cxx" | "C" | "rs" | "bc" | "ll"
    );
    let text = match is_source {
        true => path.with_extension("").to_string_lossy().into_owned(),
        false => text.into_owned(),
    };
    match text.contains('/') {
        true => text.into_bytes(),
        false => format!("./{text}").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn bash(script: &str) -> Vec<u8> {
        let ran = Command::new("bash").args(["-c", script]).output();
        ran.expect("bash").stdout
    }

    /// All bytes, alone and together.
    fn samples() -> Vec<Vec<u8>> {
        let mut samples: Vec<Vec<u8>> = (1..=255).map(|byte| vec![byte]).collect();
        samples.push((1..=255).collect());
        samples.extend(
            [
                "",
                "-n",
                "-",
                "a b",
                "it's",
                "\\n",
                "%s%%",
                "ü\u{301}",
                "$x`y`\"",
                "1\n\n",
            ]
            .map(Vec::from),
        );
        samples.push(b"'\xff\\'\n".to_vec());
        samples
    }

    #[test]
    fn words_are_what_they_stand_for() {
        let samples = samples();
        let words: Vec<String> = samples.iter().map(|sample| word(sample)).collect();
        let found = bash(&format!("printf '%s\\0' {}", words.join(" ")));
        let found: Vec<&[u8]> = found.split(|&byte| byte == 0).collect();
        assert_eq!(found.len(), samples.len() + 1);
        for (sample, found) in samples.iter().zip(found) {
            assert_eq!(sample, found, "{}", word(sample));
        }
    }

    #[test]
    fn printf_writes_all_bytes() {
        let all: Vec<u8> = (0..=255).chain(*b"7 \x009").collect();
        for shell in ["bash", "sh"] {
            for sample in samples().iter().chain([&all]) {
                let ran = Command::new(shell).args(["-c", &printf(sample)]).output();
                assert_eq!(ran.expect("a shell").stdout, *sample, "{}", printf(sample));
            }
        }
    }
}
