//! Which inputs a program has: variables, each with a list of values.
//!
//! As declared: `n=0..7 d=-2147483648,-1,3..5 s[4]='a','b',0`. An array is that many variables, `s[0]` and so on.

use std::fmt::Write as _;

pub struct Variable {
    pub name: String,
    pub values: Vec<i64>,
}

/// The inputs are numbered: the last variable changes fastest.
pub struct Domain {
    variables: Vec<Variable>,
}

impl Domain {
    pub fn parse(text: &str) -> Result<Domain, String> {
        let mut variables = Vec::new();
        for word in text.split_whitespace() {
            let (name, set) = word.split_once('=').ok_or("an input without values")?;
            let values = values(set)?;
            let Some((array, rest)) = name.split_once('[') else {
                variables.push(Variable {
                    name: name.to_string(),
                    values,
                });
                continue;
            };
            let count = rest.strip_suffix(']').and_then(|count| count.parse().ok());
            let count: usize = count.ok_or_else(|| format!("the length of {array}"))?;
            variables.extend((0..count).map(|index| Variable {
                name: format!("{array}[{index}]"),
                values: values.clone(),
            }));
        }
        Ok(Domain { variables })
    }

    /// How many inputs there are.
    pub fn size(&self) -> usize {
        self.variables.iter().map(|v| v.values.len()).product()
    }

    /// As the native runtime reads it.
    pub fn to_lines(&self) -> String {
        let mut text = String::new();
        for variable in &self.variables {
            let _ = write!(text, "{} {}", variable.name, variable.values.len());
            for value in &variable.values {
                let _ = write!(text, " {value}");
            }
            text.push('\n');
        }
        text
    }

    /// The number of an input, given by the bytes of what a path has read. What it has not read makes no difference.
    pub fn position(&self, read: &[(String, Vec<u8>)]) -> Result<usize, String> {
        let mut chosen = vec![0; self.variables.len()];
        for (name, bytes) in read {
            let own: Vec<usize> = (0..self.variables.len())
                .filter(|&index| is_of(&self.variables[index].name, name))
                .collect();
            if own.is_empty() || bytes.is_empty() || !bytes.len().is_multiple_of(own.len()) {
                return Err(format!("no input {name} of {} bytes", bytes.len()));
            }
            for (&index, bytes) in own.iter().zip(bytes.chunks(bytes.len() / own.len())) {
                let variable = &self.variables[index];
                let position = variable.values.iter().position(|&v| is_in(v, bytes));
                chosen[index] = position.ok_or_else(|| {
                    format!("{} is none of its values: {bytes:02x?}", variable.name)
                })?;
            }
        }
        let digits = self.variables.iter().zip(chosen);
        Ok(digits.fold(0, |sum, (variable, digit)| {
            sum * variable.values.len() + digit
        }))
    }

    /// An input in words.
    pub fn describe(&self, mut position: usize) -> String {
        let mut words = Vec::new();
        for variable in self.variables.iter().rev() {
            let count = variable.values.len();
            words.push(format!(
                "{}={}",
                variable.name,
                variable.values[position % count]
            ));
            position /= count;
        }
        words.reverse();
        words.join(" ")
    }
}

/// Whether a variable is this input or an element of it.
fn is_of(variable: &str, input: &str) -> bool {
    variable
        .strip_prefix(input)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

/// Whether these bytes, the lowest first, are the value.
fn is_in(value: i64, bytes: &[u8]) -> bool {
    let byte = |index: usize| (value >> (8 * index).min(63)) as u8;
    bytes.iter().enumerate().all(|(i, &b)| b == byte(i))
}

fn values(set: &str) -> Result<Vec<i64>, String> {
    let mut values = Vec::new();
    for item in set.split(',') {
        match item.split_once("..") {
            Some((low, high)) => values.extend(value(low)?..=value(high)?),
            None => values.push(value(item)?),
        }
    }
    Ok(values)
}

fn value(text: &str) -> Result<i64, String> {
    let character = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''))
        .and_then(|text| text.chars().next());
    match character {
        Some(character) => Ok(i64::from(u32::from(character))),
        None => text.parse().map_err(|_| format!("a value: {text}")),
    }
}

#[test]
fn inputs_are_numbered() {
    let domain = Domain::parse("a=-1..1 s[2]='x',0 w=-2147483648,5").expect("a domain");
    assert_eq!(domain.size(), 3 * 4 * 2);
    let read = |a: u8, s: [u8; 2], w: i32| {
        [
            ("s".to_string(), s.to_vec()),
            ("a".to_string(), vec![a]),
            ("w".to_string(), w.to_le_bytes().to_vec()),
        ]
    };
    let position = |a, s, w| domain.position(&read(a, s, w));
    assert_eq!(position(255, [b'x', b'x'], i32::MIN), Ok(0));
    assert_eq!(position(1, [0, b'x'], 5), Ok(2 * 8 + 4 + 1));
    assert!(position(2, [0, 0], 5).is_err());
    assert!(position(1, [0, 1], 5).is_err());
    assert!(position(1, [0, 0], 6).is_err());
    assert_eq!(domain.position(&[]), Ok(0));
    assert!(domain.position(&[("b".to_string(), vec![0])]).is_err());
    assert_eq!(
        domain.describe(2 * 8 + 4 + 1),
        "a=1 s[0]=0 s[1]=120 w=5",
        "the same order"
    );
}
