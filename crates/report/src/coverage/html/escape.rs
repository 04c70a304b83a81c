//! Text that is shown as it is, whatever is in it.

/// For text and for attributes in quotes. What cannot be seen, or changes the order in which the rest is read, is
/// written out.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' => escaped.push('\t'),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.extend(letter.escape_unicode());
            }
            _ if letter.is_control() => escaped.extend(letter.escape_default()),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_special_is_written_out() {
        assert_eq!(escape("a<b>&\"'\tü"), "a&lt;b&gt;&amp;&quot;&#39;\tü");
        assert_eq!(
            escape("\u{0}\u{1b}\r\u{202e}x"),
            "\\u{0}\\u{1b}\\r\\u{202e}x"
        );
    }
}
