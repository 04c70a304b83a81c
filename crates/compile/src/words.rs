//! Words of a command line, as a shell splits and quotes them; nothing is expanded.

use crate::CompileError;

/// The words of `text`, which is called `what` in an error.
pub fn split(what: &str, text: &str) -> Result<Vec<String>, CompileError> {
    let error = |reason| CompileError::Words {
        what: what.to_string(),
        reason,
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            character if character.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(quoted) => word.push(quoted),
                        None => return Err(error("a quote (') is not closed")),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('"') => break,
                        Some('\\') => match characters.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                            None => return Err(error("a quote (\") is not closed")),
                        },
                        Some(quoted) => word.push(quoted),
                        None => return Err(error("a quote (\") is not closed")),
                    }
                }
            }
            '\\' => match characters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(error("there is nothing behind the last \\")),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The opposite: a line that a shell splits into these words.
pub fn join<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quote(word.as_ref())).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let is_plain =
        |character: char| character.is_alphanumeric() || "-_=+./,:@%^".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_by_a_shell() {
        let words = |text: &str| split("test", text).unwrap();
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(words("  -O2\t-g \n"), ["-O2", "-g"]);
        assert_eq!(
            words(r#"-DX='a b' "-DY=\"q\"" z\ z"#),
            ["-DX=a b", "-DY=\"q\"", "z z"]
        );
        assert_eq!(words("'' a''b \"\\n\""), ["", "ab", "\\n"]);
        for open in ["'a", "\"a", "a\\", "\"a\\"] {
            assert!(split("test", open).is_err(), "{open}");
        }
    }

    #[test]
    fn what_is_joined_splits_into_the_same_words() {
        let words = ["a", "", "b c", "it's", "\"", "\\", "-DX='y'"];
        assert_eq!(split("test", &join(words)).unwrap(), words);
    }
}
