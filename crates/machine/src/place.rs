//! Lines of a program, also as text and back.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A line of a program. Line 0: the program does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Place {
    /// `f at a.c:3:5`, or `f` where there is no line.
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.function)?;
        if self.line != 0 || !self.file.is_empty() {
            write!(formatter, " at {}:{}:{}", self.file, self.line, self.column)?;
        }
        Ok(())
    }
}

impl Place {
    /// What [`Display`](fmt::Display) has written; anything else is a function's name.
    pub fn parse(text: &str) -> Place {
        let parsed = || {
            let (function, at) = text.rsplit_once(" at ")?;
            let (rest, column) = at.rsplit_once(':')?;
            let (file, line) = rest.rsplit_once(':')?;
            Some(Place {
                function: function.to_string(),
                file: file.to_string(),
                line: line.parse().ok()?,
                column: column.parse().ok()?,
            })
        };
        parsed().unwrap_or_else(|| Place {
            function: text.to_string(),
            ..Place::default()
        })
    }
}

/// Whether a file is one of the C library's or compilers' headers, of Rust's standard library or of what that is
/// built with.
pub fn is_system_file(path: &str) -> bool {
    const FOLDERS: [&str; 5] = [
        "/usr/include/",
        "/usr/local/include/",
        "/usr/lib",
        "/rustc/",
        "/rust/deps/",
    ];
    const PARTS: [&str; 3] = ["/lib/rustlib/", "/.rustup/toolchains/", "/include/c++/"];
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        || PARTS.iter().any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back() {
        for place in [
            Place {
                function: "f".into(),
                file: "a b:c.c".into(),
                line: 3,
                column: 5,
            },
            Place {
                function: "<T as at>::g at".into(),
                file: "/x/y.rs".into(),
                line: 1,
                column: 0,
            },
            Place {
                function: "main".into(),
                ..Place::default()
            },
        ] {
            assert_eq!(Place::parse(&place.to_string()), place);
        }
    }
}
