//! Which functions a C source calls and defines, as far as its text shows: no preprocessor, no types.

/// Whether a name occurs as a word.
pub fn mentions(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Whether a function is defined: its name, parameters in parentheses, and then a body.
pub fn defines(text: &str, name: &str) -> bool {
    words(text, name).any(|end| {
        let rest = text[end..].trim_start();
        let Some(inner) = rest.strip_prefix('(') else {
            return false;
        };
        let mut depth = 1;
        let close = inner.char_indices().find(|&(_, c)| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        close.is_some_and(|(at, _)| inner[at + 1..].trim_start().starts_with('{'))
    })
}

/// Where the occurrences of a word end.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).filter_map(move |(at, _)| {
        let end = at + name.len();
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[end..].chars().next().is_some_and(is_word);
        (!before && !after).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_calls() {
        let text = "void g(int (*f)(int)) { g(f); reach_error(); }\nint my_h(void);\nvoid h(void);";
        assert!(mentions(text, "reach_error") && !defines(text, "reach_error"));
        assert!(defines(text, "g") && !defines(text, "h") && !mentions(text, "my"));
        assert!(!defines("f", "f") && !defines("f(", "f"));
    }
}
