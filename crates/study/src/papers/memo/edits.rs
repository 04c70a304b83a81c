//! The examples for newcomers, each with edits of one line: early on every path, and late.

/// An example, with bounds for which there is something to do and an end to it.
pub struct Example {
    pub name: &'static str,
    pub options: &'static str,
    pub edits: &'static [Edit],
}

/// One line that becomes another.
pub struct Edit {
    pub what: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

pub const EXAMPLES: [Example; 5] = [
    Example {
        name: "packet",
        options: "--max-depth 44",
        edits: &[
            Edit {
                what: "the last return",
                from: "return state.names > 2 ? 7 : 0;",
                to: "return state.names > 3 ? 7 : 0;",
            },
            Edit {
                what: "a check of options",
                from: "if (at[0] == 3 && at[1] == 3)",
                to: "if (at[0] == 3 && at[1] == 3 && end - at > 2)",
            },
            Edit {
                what: "the first check",
                from: "header > FIXED + MOST",
                to: "header >= FIXED + MOST",
            },
        ],
    },
    Example {
        name: "image",
        options: "--max-depth 50",
        edits: &[
            Edit {
                what: "the last return",
                from: "return image.frames ? 0 : 5;",
                to: "return image.frames > 1 ? 0 : 5;",
            },
            Edit {
                what: "frames of a palette",
                from: "image->frames += 2;",
                to: "image->frames += 3;",
            },
            Edit {
                what: "the first check",
                from: "at[2] != 'M'",
                to: "at[2] != 'N'",
            },
        ],
    },
    Example {
        name: "checksum",
        options: "",
        edits: &[
            Edit {
                what: "a case of the last switch",
                from: "return amount % 97 == 1 ? 0 : 4;",
                to: "return amount % 97 == 2 ? 0 : 4;",
            },
            Edit {
                what: "the first sum",
                from: "two % 255 == at[1]",
                to: "two % 254 == at[1]",
            },
        ],
    },
    Example {
        name: "expression",
        options: "--cflags=-DSIZE=7",
        edits: &[
            Edit {
                what: "the last return",
                from: "return value == 42 ? 0 : 2;",
                to: "return value == 43 ? 0 : 2;",
            },
            Edit {
                what: "the check of an index",
                from: "index * index > 64",
                to: "index * index > 49",
            },
        ],
    },
    Example {
        name: "regex",
        options: "--cflags=-DSIZE=8",
        edits: &[
            Edit {
                what: "the end of a pattern",
                from: "return *text == '\\0';",
                to: "return *text == '!';",
            },
            Edit {
                what: "the first check",
                from: "if (re[0] == '^')",
                to: "if (re[0] == '!')",
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_edit_is_of_one_place() {
        for example in &EXAMPLES {
            let subject = catalogue::one(catalogue::examples(), example.name);
            for edit in example.edits {
                assert_eq!(subject.count(edit.from), 1, "{}", edit.from);
            }
        }
    }
}
