//! S-expressions as solvers print them: cutting a stream into expressions, and reading one.

/// Cuts bytes, as they arrive, into complete expressions.
#[derive(Default)]
pub(super) struct Splitter {
    text: Vec<u8>,
    depth: usize,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    /// Inside `"…"`. A doubled quote leaves and enters again, which comes to the same.
    String,
    /// Inside `|…|`.
    Quoted,
    /// From `;` to the end of the line.
    Comment,
}

impl Splitter {
    /// Takes one more byte; returns an expression that is complete with it.
    pub fn push(&mut self, byte: u8) -> Option<String> {
        match self.state {
            State::Comment => {
                if byte != b'\n' {
                    return None;
                }
                self.state = State::Plain;
            }
            State::String | State::Quoted => {
                let end = if self.state == State::String {
                    b'"'
                } else {
                    b'|'
                };
                self.text.push(byte);
                if byte == end {
                    self.state = State::Plain;
                }
                return None;
            }
            State::Plain => {}
        }
        match byte {
            b';' => {
                self.state = State::Comment;
                self.separate()
            }
            b'"' | b'|' => {
                self.state = if byte == b'"' {
                    State::String
                } else {
                    State::Quoted
                };
                self.text.push(byte);
                None
            }
            b'(' => {
                let before = if self.depth == 0 { self.take() } else { None };
                self.depth += 1;
                self.text.push(byte);
                before
            }
            b')' => {
                self.text.push(byte);
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 { self.take() } else { None }
            }
            byte if byte.is_ascii_whitespace() => self.separate(),
            byte => {
                self.text.push(byte);
                None
            }
        }
    }

    /// How much of an unfinished expression is held.
    pub fn pending(&self) -> usize {
        self.text.len()
    }

    /// The end of a token: the end of an expression if no list is open.
    fn separate(&mut self) -> Option<String> {
        if self.depth == 0 {
            return self.take();
        }
        if !self.text.ends_with(b" ") && !self.text.ends_with(b"(") {
            self.text.push(b' ');
        }
        None
    }

    /// What is held, complete or not.
    pub fn take(&mut self) -> Option<String> {
        self.depth = 0;
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned())
    }
}

/// An expression that was read. Nodes lie in one list, so that nesting of any depth is read, walked and dropped
/// without recursion: an array value is one `store` inside the other for each cell.
pub(super) struct Sexp<'a> {
    nodes: Vec<Node<'a>>,
}

enum Node<'a> {
    Atom(&'a str),
    List(Vec<NodeId>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(usize);

impl<'a> Sexp<'a> {
    /// Reads one expression; `None` if the text is not exactly one.
    pub fn parse(text: &'a str) -> Option<(Sexp<'a>, NodeId)> {
        let mut sexp = Sexp { nodes: Vec::new() };
        let mut open: Vec<Vec<NodeId>> = vec![Vec::new()];
        let mut rest = text.trim_ascii();
        while !rest.is_empty() {
            let length = token_length(rest)?;
            let (token, after) = rest.split_at(length);
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = open.pop()?;
                    let node = sexp.add(Node::List(list));
                    open.last_mut()?.push(node);
                }
                atom => {
                    let node = sexp.add(Node::Atom(atom));
                    open.last_mut()?.push(node);
                }
            }
            rest = after.trim_ascii_start();
        }
        match open.as_slice() {
            [only] if only.len() == 1 => {
                let root = only[0];
                Some((sexp, root))
            }
            _ => None,
        }
    }

    fn add(&mut self, node: Node<'a>) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    pub fn atom(&self, node: NodeId) -> Option<&'a str> {
        match self.nodes[node.0] {
            Node::Atom(atom) => Some(atom),
            Node::List(_) => None,
        }
    }

    pub fn list(&self, node: NodeId) -> Option<&[NodeId]> {
        match &self.nodes[node.0] {
            Node::Atom(_) => None,
            Node::List(list) => Some(list),
        }
    }
}

/// The length of the token that `text` starts with; `None` if it does not end.
fn token_length(text: &str) -> Option<usize> {
    let closing = |quote: char| text[1..].find(quote).map(|at| at + 2);
    match text.as_bytes()[0] {
        b'(' | b')' => Some(1),
        b'"' => closing('"'),
        b'|' => closing('|'),
        _ => {
            let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | '"' | '|');
            Some(text.find(ends).unwrap_or(text.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut splitter = Splitter::default();
        let mut found: Vec<String> = text
            .bytes()
            .filter_map(|byte| splitter.push(byte))
            .collect();
        found.extend(splitter.take());
        found
    }

    #[test]
    fn a_stream_is_cut_at_expressions() {
        let cut = |text, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
        cut("sat\nunsat\n", &["sat", "unsat"]);
        cut("sat(a b)", &["sat", "(a b)"]);
        cut(
            "((x #x05)\n   (|a )b| true))\n",
            &["((x #x05) (|a )b| true))"],
        );
        cut(
            "(error \"say \"\"(\"\" \")sat",
            &["(error \"say \"\"(\"\" \")", "sat"],
        );
        cut("; a comment (\nsat ; and more\n", &["sat"]);
        cut(")unsat", &[")", "unsat"]);
    }

    #[test]
    fn deep_nesting_is_read() {
        let depth = 200_000;
        let text = "(".repeat(depth) + &")".repeat(depth);
        let (sexp, root) = Sexp::parse(&text).expect("balanced");
        assert_eq!(sexp.list(root).map(<[NodeId]>::len), Some(1));
    }

    #[test]
    fn what_is_not_one_expression_is_refused() {
        for text in ["", "a b", "(a", "a)", "(a \"b)", "|a"] {
            assert!(Sexp::parse(text).is_none(), "{text}");
        }
    }
}
