//! Coverage that the tests of all formats share: small enough to see what should come out.

use super::{Branch, Coverage, File, Function, Moment, TestRun};

pub fn small() -> Coverage {
    let source = "int f(int x) {\n\tif (x < 1 && x > \"a\"[0])\n    return 1;\n  return 2;\n}\n";
    Coverage {
        name: "a&b".into(),
        files: vec![
            File {
                path: "/work/src/a.c".into(),
                name: "src/a.c".into(),
                source: Some(source.into()),
                lines: [(1, 2), (2, 2), (3, 0), (4, 1)].into(),
                branches: vec![
                    Branch {
                        line: 2,
                        column: 8,
                        outcomes: vec![1, 2],
                    },
                    Branch {
                        line: 2,
                        column: 15,
                        outcomes: vec![0, 1],
                    },
                ],
                functions: vec![
                    Function {
                        name: "f(int, char)".into(),
                        line: 1,
                        tests: 2,
                    },
                    Function {
                        name: "f(int, char)".into(),
                        line: 9,
                        tests: 0,
                    },
                ],
            },
            File {
                path: "/work/b<&>.h".into(),
                name: "b<&>.h".into(),
                lines: [(7, 2)].into(),
                ..File::default()
            },
        ],
        tests: vec![
            TestRun {
                number: 1,
                outcome: "exit with 0".into(),
                lines: vec![(0, 1), (0, 2), (0, 4), (1, 7)],
                branches: 3,
                functions: 1,
            },
            TestRun {
                number: 2,
                outcome: "panic: <b>".into(),
                lines: vec![(0, 1), (0, 2), (1, 7)],
                branches: 1,
                functions: 1,
            },
        ],
        timeline: vec![
            Moment {
                seconds: 0.0,
                paths: 0,
                blocks: 1,
                branches: 0,
            },
            Moment {
                seconds: 0.5,
                paths: 2,
                blocks: 9,
                branches: 3,
            },
        ],
    }
}
