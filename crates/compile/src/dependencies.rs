//! Which files were compiled, the included ones too, as compilers write it down: the first rule of a makefile.

use std::path::PathBuf;

/// What the first rule says that its target depends on. White space in a name is escaped.
pub(crate) fn of_rule(text: &str) -> Vec<PathBuf> {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let rule = text.lines().find_map(|line| line.split_once(": "));
    let mut files = Vec::new();
    let mut file = String::new();
    let mut rest = rule.map_or("", |(_, files)| files).chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => file.extend(rest.next()),
            (c, _) if c.is_whitespace() => files.extend(taken(&mut file)),
            (c, _) => file.push(c),
        }
    }
    files.extend(taken(&mut file));
    files
}

fn taken(file: &mut String) -> Option<PathBuf> {
    let file = std::mem::take(file);
    (!file.is_empty()).then(|| PathBuf::from(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_compilers_are_read() {
        let clang = "1.bc: a\\ b.c \\\n  include/c\\#.h d$$.h\n";
        let rustc = "# env-dep:X\n/t/p.d: p.rs q.rs\n\n/t/p: p.rs q.rs\n\np.rs:\nq.rs:\n";
        for (text, files) in [
            (clang, &["a b.c", "include/c#.h", "d$.h"][..]),
            (rustc, &["p.rs", "q.rs"]),
            ("1.bc:\n", &[]),
            ("", &[]),
        ] {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            assert_eq!(of_rule(text), files, "{text}");
        }
    }
}
