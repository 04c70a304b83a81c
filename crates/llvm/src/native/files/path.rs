//! Names of files that the program gives, of which bytes may be symbolic.
//!
//! A symbolic name is not fixed byte by byte. Part by part it is compared with what exists: one question, with an
//! alternative for each name in the directory that the part can be, one for a part that is empty, and one for all
//! others. Those lead nowhere, whatever their bytes are, and a call that only looks for a file fails for all of them at
//! once. Where a call makes a file of such a name, a few of its values stand for the others, which are a boundary.

use refrain_machine::Ask;
use refrain_term::Term;

use crate::machine::Halt;
use crate::memory::Value;
use crate::native::file_system::{AT_FDCWD, Follow, MOST_NAME, NameShape};
use crate::native::{Call, errno};

/// What a call wants of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// What is there.
    Existing,
    /// It may be made.
    New,
}

/// A path that is to be followed from an open directory on.
pub(super) type Path = (i32, Vec<u8>);

/// What part of a path is next.
enum Part {
    /// This, and whether a slash is behind it or the path ends.
    Known(Vec<u8>, bool),
    /// No name that there is.
    Other,
    /// The same for a call that wants what exists: one that is not there stands for them.
    Missing(Vec<u8>),
}

impl Call<'_> {
    /// The path that an argument points to.
    pub(super) fn path(&mut self, index: usize, want: Want) -> Result<Path, Halt> {
        self.path_from(AT_FDCWD, index, want)
    }

    /// The path that two arguments stand for: an open directory, and a path from there on.
    pub(super) fn path_at(&mut self, index: usize, want: Want) -> Result<Path, Halt> {
        let directory = self.int(index)?;
        self.path_from(directory, index + 1, want)
    }

    fn path_from(&mut self, at: i32, index: usize, want: Want) -> Result<Path, Halt> {
        let address = self.number(index)?;
        let len = self
            .state
            .memory
            .concrete_len_to_nul(address)
            .map_err(|fault| self.fault(fault, 1, false))?;
        if let Some(len) = len {
            return Ok((at, self.bytes(address, len)?));
        }
        let text = self.name_bytes(address)?;
        self.symbolic_path(at, &text, want)
    }

    /// The bytes of a string up to the first that is surely its end, which is left out; or all that its object has, if
    /// one of them is the end on every path from here on.
    fn name_bytes(&mut self, address: u64) -> Result<Vec<Value>, Halt> {
        let mut text = Vec::new();
        loop {
            let at = Value::Concrete(address + text.len() as u64);
            match self.machine.read(self.terms, self.state, at, 1) {
                Ok(Value::Concrete(0)) => return Ok(text),
                Ok(value) => text.push(value),
                Err(Halt::End(end)) => {
                    return if self.ends_within(&text)? {
                        Ok(text)
                    } else {
                        Err(Halt::End(end))
                    };
                }
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Whether one of these bytes is a zero, which is asked.
    fn ends_within(&mut self, text: &[Value]) -> Result<bool, Halt> {
        let zero = self.terms.bv(8, 0);
        let mut ends = Vec::new();
        for &value in text {
            if let Value::Symbolic(byte) = value {
                ends.push(self.terms.eq(byte, zero));
            }
        }
        let some = self.terms.or(&ends);
        let none = self.terms.not(some);
        Ok(self
            .machine
            .choose(self.terms, self.state, vec![some, none])?
            == 0)
    }

    /// A text of which a few values stand for all.
    pub(super) fn sampled_string(&mut self, address: u64) -> Result<Vec<u8>, Halt> {
        let text = self.name_bytes(address)?;
        self.sampled(&text)
    }

    fn sampled(&mut self, text: &[Value]) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::with_capacity(text.len());
        for chunk in text.chunks(8) {
            let is_known = |value: &Value| matches!(value, Value::Concrete(_));
            let known = chunk.iter().all(is_known);
            let word = if known {
                let byte = |sum: u64, value: &Value| match value {
                    Value::Concrete(byte) => sum << 8 | byte & 0xff,
                    Value::Symbolic(_) => sum << 8,
                };
                chunk.iter().fold(0, byte)
            } else {
                let mut terms = chunk
                    .iter()
                    .map(|&value| self.machine.term(self.terms, value, 8));
                let terms: Vec<Term> = terms.by_ref().collect();
                let mut joined = terms[0];
                for &term in &terms[1..] {
                    joined = self.terms.concat(joined, term);
                }
                self.machine
                    .ask(self.terms, self.state, Ask::Sample(joined))?
            };
            let all = word.to_be_bytes();
            bytes.extend_from_slice(&all[8 - chunk.len()..]);
        }
        if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
            bytes.truncate(end);
        }
        Ok(bytes)
    }

    fn symbolic_path(&mut self, at: i32, text: &[Value], want: Want) -> Result<Path, Halt> {
        let mut path: Vec<u8> = Vec::new();
        let mut rest = text;
        loop {
            match self.next_part(at, &path, rest, want)? {
                Part::Known(part, has_slash) => {
                    rest = &rest[part.len()..];
                    path.extend(part);
                    if !has_slash {
                        return Ok((at, path));
                    }
                    rest = &rest[1..];
                    path.push(b'/');
                }
                Part::Other => {
                    path.extend(self.sampled(rest)?);
                    return Ok((at, path));
                }
                Part::Missing(name) => {
                    path.extend(name);
                    return Ok((at, path));
                }
            }
        }
    }

    /// The next part of a path whose beginning is known.
    fn next_part(
        &mut self,
        at: i32,
        path: &[u8],
        rest: &[Value],
        want: Want,
    ) -> Result<Part, Halt> {
        let is_separator = |value: &Value| *value == Value::Concrete(u64::from(b'/'));
        let end = rest.iter().position(is_separator).unwrap_or(rest.len());
        let known: Option<Vec<u8>> = rest[..end]
            .iter()
            .map(|value| match value {
                Value::Concrete(byte) => Some(*byte as u8),
                Value::Symbolic(_) => None,
            })
            .collect();
        if let Some(known) = known {
            return Ok(Part::Known(known, end < rest.len()));
        }
        if rest.len() > MOST_NAME {
            return Err(self.unsupported(format!(
                "a file name with symbolic bytes that may be longer than {MOST_NAME}"
            )));
        }
        // Where nothing can be looked up, nothing is there, and nothing can be made.
        let shape = NameShape::new(rest.iter().map(|value| match value {
            Value::Concrete(byte) => Some(*byte as u8),
            Value::Symbolic(_) => None,
        }));
        let (names, want) = match self.names_in(at, path, &shape)? {
            Some(names) => (names, want),
            None => (vec![Vec::new()], Want::Existing),
        };
        // No directory has a name like this.
        let missing = vec![b'?'; 60];
        // Everything that this part can be, and what is behind it.
        let mut parts = Vec::new();
        let mut conditions = Vec::new();
        for name in &names {
            for has_slash in [false, true] {
                let condition = self.is_part(rest, name, has_slash);
                if condition != Term::FALSE {
                    conditions.push(condition);
                    parts.push(Part::Known(name.clone(), has_slash));
                }
            }
        }
        let any = self.terms.or(&conditions);
        let none = self.terms.not(any);
        if want == Want::Existing {
            conditions.push(none);
            parts.push(Part::Missing(missing));
        } else {
            // At the end of the path it can be made; before a slash hardly ever.
            let has_slash = self.has_slash(rest);
            for is_directory in [self.terms.not(has_slash), has_slash] {
                conditions.push(self.terms.and(&[none, is_directory]));
                parts.push(Part::Other);
            }
        }
        let choice = self.machine.choose(self.terms, self.state, conditions)?;
        Ok(parts.swap_remove(choice))
    }

    /// The names that a part can be, behind a path that is known: those that are there, and those that always are. None
    /// where the path leads to no directory in which something can be looked up.
    fn names_in(
        &mut self,
        at: i32,
        path: &[u8],
        shape: &NameShape,
    ) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        let directory = match path {
            b"" => b".",
            _ => path,
        };
        let names = self.act(|files, host| {
            let node = files.node_of(at, Some(directory), Follow::Links, host)?;
            files.check_search(node)?;
            match files.children_fitting(node, shape, host) {
                Ok(names) => Ok(Some(names)),
                Err(errno::ENOTDIR) => Err(errno::ENOTDIR),
                Err(_) => Ok(None),
            }
        })?;
        match names {
            Ok(Some(mut names)) => {
                names.extend([&b""[..], b".", b".."].map(<[u8]>::to_vec));
                Ok(Some(names))
            }
            Ok(None) => Err(self.unsupported(
                "a symbolic file name in a directory of the host that cannot be listed",
            )),
            Err(_) => Ok(None),
        }
    }

    /// Whether a text begins with this name, and a slash or its end is behind it.
    fn is_part(&mut self, text: &[Value], name: &[u8], has_slash: bool) -> Term {
        if text.len() < name.len() {
            return Term::FALSE;
        }
        let behind = if has_slash { b'/' } else { 0 };
        let mut all = Vec::new();
        for (at, &wanted) in name.iter().chain([&behind]).enumerate() {
            let equal = match text.get(at) {
                // The end that is surely there.
                None => Term::bool(wanted == 0),
                Some(Value::Concrete(byte)) => Term::bool(*byte as u8 == wanted),
                Some(&Value::Symbolic(term)) => {
                    let constant = self.terms.bv(8, u64::from(wanted));
                    self.terms.eq(term, constant)
                }
            };
            if equal == Term::FALSE {
                return Term::FALSE;
            }
            all.push(equal);
        }
        self.terms.and(&all)
    }

    /// Whether there is a slash in a text before its end.
    fn has_slash(&mut self, text: &[Value]) -> Term {
        let mut found = Term::FALSE;
        for &value in text.iter().rev() {
            let byte = self.machine.term(self.terms, value, 8);
            let (slash, zero) = (self.terms.bv(8, u64::from(b'/')), self.terms.bv(8, 0));
            let (is_slash, is_end) = (self.terms.eq(byte, slash), self.terms.eq(byte, zero));
            let goes_on = self.terms.not(is_end);
            let later = self.terms.and(&[goes_on, found]);
            found = self.terms.or(&[is_slash, later]);
        }
        found
    }
}
