//! Sorted terms as text with structure: enough to write them down, and to make them smaller.

use std::fmt::Write;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Bool,
    Int,
    Real,
    Bv(u32),
    /// A sort that the script declares, applied to its parameters.
    Free(String),
    /// A datatype, by its place among those of the script.
    Data(usize, String),
    Array(Box<Sort>, Box<Sort>),
}

impl Sort {
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Box::new(index), Box::new(element))
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::Real => f.write_str("Real"),
            Sort::Bv(width) => write!(f, "(_ BitVec {width})"),
            Sort::Free(text) | Sort::Data(_, text) => f.write_str(text),
            Sort::Array(index, element) => write!(f, "(Array {index} {element})"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The head applied to the arguments; alone if there are none.
    Plain(String),
    /// `(let ((name first)) second)`.
    Let(String),
    /// `(forall ((x Int) …) first)`: the text up to the body.
    Quantifier(String),
    /// The first is matched; each other one belongs to a pattern.
    Match(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub sort: Sort,
    pub shape: Shape,
    pub args: Vec<Node>,
}

/// Whose words a script is written in: the standard's newest, or those that other solvers know.
#[derive(Clone, Copy, PartialEq)]
pub enum Words {
    New,
    Old,
}

impl Node {
    pub fn new(sort: Sort, head: impl Into<String>, args: impl Into<Vec<Node>>) -> Node {
        Node {
            sort,
            shape: Shape::Plain(head.into()),
            args: args.into(),
        }
    }

    pub fn leaf(sort: Sort, text: impl Into<String>) -> Node {
        Node::new(sort, text, [])
    }

    pub fn bool(head: impl Into<String>, args: impl Into<Vec<Node>>) -> Node {
        Node::new(Sort::Bool, head, args)
    }

    pub fn not(self) -> Node {
        Node::bool("not", [self])
    }

    pub fn equals(self, other: Node) -> Node {
        Node::bool("=", [self, other])
    }

    pub fn size(&self) -> usize {
        1 + self.args.iter().map(Node::size).sum::<usize>()
    }

    pub fn any(&self, test: &mut impl FnMut(&Node) -> bool) -> bool {
        test(self) || self.args.iter().any(|arg| arg.any(test))
    }

    pub fn text(&self, words: Words) -> String {
        let mut text = String::new();
        self.write(words, &mut text);
        text
    }

    fn write(&self, words: Words, out: &mut String) {
        match &self.shape {
            Shape::Plain(head) if words == Words::Old => self.write_old(head, out),
            Shape::Plain(head) => self.write_application(head, words, out),
            Shape::Let(name) => {
                let _ = write!(out, "(let (({name} ");
                self.args[0].write(words, out);
                out.push_str(")) ");
                self.args[1].write(words, out);
                out.push(')');
            }
            Shape::Quantifier(head) => {
                let _ = write!(out, "({head} ");
                self.args[0].write(words, out);
                out.push(')');
            }
            Shape::Match(patterns) => {
                out.push_str("(match ");
                self.args[0].write(words, out);
                out.push_str(" (");
                for (pattern, arm) in patterns.iter().zip(&self.args[1..]) {
                    let _ = write!(out, "({pattern} ");
                    arm.write(words, out);
                    out.push(')');
                }
                out.push_str("))");
            }
        }
    }

    fn write_application(&self, head: &str, words: Words, out: &mut String) {
        if self.args.is_empty() {
            out.push_str(head);
            return;
        }
        let _ = write!(out, "({head}");
        for arg in &self.args {
            out.push(' ');
            arg.write(words, out);
        }
        out.push(')');
    }

    /// z3 and cvc5 have older names for conversions, and none for that with a sign.
    fn write_old(&self, head: &str, out: &mut String) {
        match head {
            "ubv_to_int" => self.write_application("bv2nat", Words::Old, out),
            "sbv_to_int" => {
                let Sort::Bv(width) = self.args[0].sort else {
                    unreachable!("a bit-vector")
                };
                let zero = "0".repeat(width as usize);
                let modulus = 1u64 << width;
                out.push_str("(let ((signed! ");
                self.args[0].write(Words::Old, out);
                let _ = write!(
                    out,
                    ")) (ite (bvslt signed! #b{zero}) (- (bv2nat signed!) {modulus}) (bv2nat signed!)))"
                );
            }
            _ => match head.strip_prefix("(_ int_to_bv ") {
                Some(rest) => {
                    self.write_application(&format!("(_ int2bv {rest}"), Words::Old, out);
                }
                None => self.write_application(head, Words::Old, out),
            },
        }
    }
}
