//! The world of a whole program: the arguments it is started with, its environment, its standard input, its files; and
//! which bytes of them are inputs.
//!
//! A [`World`] is what the user has asked for. A machine makes the inputs that it names; a test has values for them, and
//! [`World::realise`] says which concrete world ([`Surroundings`]) they stand for. Names are KLEE's where it has some:
//! `n_args`, `arg00`, `stdin`, `A-data`.

use std::convert::Infallible;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{InputValue, Role};

/// What a program is started with, and finds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct World {
    /// The program's own name first.
    pub args: Vec<Argument>,
    pub environment: Vec<Named>,
    /// Standard input is a pipe with these contents; none: an empty one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Contents>,
    /// In the working directory of the program, unless their names are absolute.
    pub files: Vec<Named>,
}

/// One word of the command line, or some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Argument {
    Given(Bytes),
    /// What is given, and so many symbolic bytes behind it. A zero among them ends the argument.
    Symbolic {
        given: Bytes,
        bytes: u32,
    },
    /// At least and at most so many arguments of symbolic bytes.
    Several {
        least: u32,
        most: u32,
        bytes: u32,
    },
}

/// A file, or a variable of the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    pub name: Bytes,
    pub contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contents {
    Given(Bytes),
    /// Symbolic bytes, at least and at most so many.
    Symbolic {
        least: u32,
        most: u32,
    },
    /// What the user has given on standard input. It is read when the program first wants it.
    Piped,
}

impl Contents {
    pub fn is_symbolic(&self) -> bool {
        matches!(self, Contents::Symbolic { .. })
    }
}

/// Bytes that are text, most of the time: as JSON they are a string if that is possible, else a list of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(pub Vec<u8>);

impl<T: Into<Vec<u8>>> From<T> for Bytes {
    fn from(bytes: T) -> Bytes {
        Bytes(bytes.into())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

impl<'d> Deserialize<'d> for Bytes {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Bytes, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Text(text) => text.into(),
            Form::Bytes(bytes) => Bytes(bytes),
        })
    }
}

/// An argument as a machine puts it into memory: what is given, and an input of so many bytes behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentShape {
    pub given: Vec<u8>,
    pub input: Option<(String, u32)>,
}

/// A number that inputs choose: of arguments, or of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// That of the input, which has [`Number::BYTES`] bytes.
    pub name: String,
    pub role: Role,
    /// What is less counts as this, and what is more as the other.
    pub least: u32,
    pub most: u32,
}

impl Number {
    /// An input that is a number has as many bytes as an `int`.
    pub const BYTES: u32 = 4;

    /// The number that bytes choose.
    fn of(&self, bytes: &[u8]) -> u32 {
        let mut word = [0; Self::BYTES as usize];
        let len = bytes.len().min(word.len());
        word[..len].copy_from_slice(&bytes[..len]);
        u32::from_le_bytes(word).clamp(self.least, self.most)
    }
}

/// A concrete world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The program's own name first.
    pub args: Vec<Vec<u8>>,
    /// `NAME=value`
    pub environment: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    /// Names and contents.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
}

impl World {
    /// A world in which there is nothing but arguments and an environment of `NAME=value`.
    pub fn given(args: &[Vec<u8>], environment: &[Vec<u8>]) -> World {
        let surroundings = Surroundings {
            args: args.to_vec(),
            environment: environment.to_vec(),
            ..Surroundings::default()
        };
        World {
            stdin: None,
            ..surroundings.into()
        }
    }

    /// Whether anything of it is an input.
    pub fn is_symbolic(&self) -> bool {
        let mut named = self.environment.iter().chain(&self.files);
        self.args
            .iter()
            .any(|arg| !matches!(arg, Argument::Given(_)))
            || self.stdin.iter().any(Contents::is_symbolic)
            || named.any(|named| named.contents.is_symbolic())
    }

    /// How many arguments there may be is for inputs to choose, in so many places.
    pub fn argument_counts(&self) -> Vec<Number> {
        let several = self.args.iter().filter_map(|arg| match *arg {
            Argument::Several { least, most, .. } if least < most => Some((least, most)),
            _ => None,
        });
        let number = |(index, (least, most))| Number {
            name: match index {
                0 => "n_args".into(),
                index => format!("n_args_{}", index + 1),
            },
            role: Role::Count,
            least,
            most,
        };
        several.enumerate().map(number).collect()
    }

    /// The arguments, if so many are chosen, in the order of [`World::argument_counts`].
    pub fn arguments<E>(
        &self,
        mut chosen: impl FnMut(&Number) -> Result<u32, E>,
    ) -> Result<Vec<ArgumentShape>, E> {
        let counts = self.argument_counts();
        let mut counts = counts.iter();
        let mut symbolic = 0;
        let mut shapes = Vec::new();
        for arg in &self.args {
            let (given, times, bytes) = match arg {
                Argument::Given(given) => {
                    let given = given.0.clone();
                    shapes.push(ArgumentShape { given, input: None });
                    continue;
                }
                Argument::Symbolic { given, bytes } => (given.0.as_slice(), 1, *bytes),
                Argument::Several { least, most, bytes } if least == most => {
                    (&[][..], *least, *bytes)
                }
                Argument::Several { least, bytes, .. } => {
                    let times = counts.next().map_or(Ok(*least), &mut chosen)?;
                    (&[][..], times, *bytes)
                }
            };
            for _ in 0..times {
                shapes.push(ArgumentShape {
                    given: given.to_vec(),
                    input: Some((format!("arg{symbolic:02}"), bytes)),
                });
                symbolic += 1;
            }
        }
        Ok(shapes)
    }

    /// What the input of a file is called.
    pub fn file_input(name: &[u8]) -> String {
        format!("{}-data", String::from_utf8_lossy(name))
    }

    /// What the input of a variable of the environment is called.
    pub fn variable_input(name: &[u8]) -> String {
        format!("env-{}", String::from_utf8_lossy(name))
    }

    /// The length of an input, if that is for inputs to choose.
    pub fn length_of(input: &str, contents: &Contents) -> Option<Number> {
        match *contents {
            Contents::Symbolic { least, most } if least < most => Some(Number {
                name: format!("{input}-size"),
                role: Role::Length,
                least,
                most,
            }),
            _ => None,
        }
    }

    /// The concrete world that values of its inputs stand for. An input that has none is zeros. What is piped is for
    /// whoever keeps it to fill in.
    pub fn realise(&self, inputs: &[InputValue]) -> Surroundings {
        let value = |name: &str, role: Role| {
            let mut same = inputs.iter();
            let found = same.find(|input| input.role == role && input.name == name);
            found.map_or(&[][..], |input| &input.bytes)
        };
        let contents = |contents: &Contents, name: &str, role: Role| match contents {
            Contents::Given(bytes) => bytes.0.clone(),
            Contents::Piped => Vec::new(),
            Contents::Symbolic { most, .. } => {
                let mut bytes = value(name, role).to_vec();
                let length = match World::length_of(name, contents) {
                    Some(length) => length.of(value(&length.name, length.role)),
                    None => *most,
                };
                bytes.resize(length as usize, 0);
                bytes
            }
        };
        let chosen =
            |number: &Number| Ok::<u32, Infallible>(number.of(value(&number.name, number.role)));
        let Ok(shapes) = self.arguments(chosen);
        let argument = |shape: ArgumentShape| {
            let mut bytes = shape.given;
            if let Some((name, most)) = shape.input {
                let symbolic = value(&name, Role::Argument);
                let symbolic = &symbolic[..symbolic.len().min(most as usize)];
                bytes.extend_from_slice(until_zero(symbolic));
            }
            bytes
        };
        Surroundings {
            args: shapes.into_iter().map(argument).collect(),
            environment: { self.environment.iter() }
                .map(|variable| {
                    let input = World::variable_input(&variable.name.0);
                    let value = contents(&variable.contents, &input, Role::Environment);
                    [&variable.name.0, &b"="[..], until_zero(&value)].concat()
                })
                .collect(),
            stdin: { self.stdin.as_ref() }
                .map_or_else(Vec::new, |stdin| contents(stdin, "stdin", Role::Stdin)),
            files: { self.files.iter() }
                .map(|file| {
                    let input = World::file_input(&file.name.0);
                    let bytes = contents(&file.contents, &input, Role::File);
                    (file.name.0.clone(), bytes)
                })
                .collect(),
        }
    }

    /// The world that a test is of, as far as its arguments and inputs tell.
    pub fn of_test(args: &[Vec<u8>], inputs: &[InputValue]) -> World {
        let mut world = World::given(args, &[]);
        for input in inputs {
            let most = input.bytes.len() as u32;
            let length = format!("{}-size", input.name);
            let is_chosen =
                { inputs.iter() }.any(|other| other.role == Role::Length && other.name == length);
            let least = if is_chosen { 0 } else { most };
            let contents = Contents::Symbolic { least, most };
            let named = |name: Option<&str>| Named {
                name: name.unwrap_or(&input.name).into(),
                contents: contents.clone(),
            };
            match input.role {
                Role::Stdin => world.stdin = Some(contents),
                Role::File => world.files.push(named(input.name.strip_suffix("-data"))),
                Role::Environment => {
                    let variable = named(input.name.strip_prefix("env-"));
                    world.environment.push(variable);
                }
                Role::Object
                | Role::Parameter
                | Role::Failure
                | Role::Argument
                | Role::Count
                | Role::Length => {}
            }
        }
        world
    }

    /// The role of the input that this world has under a name, for tests that do not say.
    pub fn role_of(&self, name: &str) -> Option<Role> {
        let is_number = |number: &Number| number.name == name;
        if self.argument_counts().iter().any(is_number) {
            return Some(Role::Count);
        }
        let Ok(shapes) = self.arguments(|number| Ok::<u32, Infallible>(number.most));
        let mut shapes = shapes.into_iter().filter_map(|shape| shape.input);
        if shapes.any(|(input, _)| input == name) {
            return Some(Role::Argument);
        }
        let of = |input: String, contents: &Contents, role: Role| {
            let length = World::length_of(&input, contents);
            if length.as_ref().is_some_and(is_number) {
                Some(Role::Length)
            } else {
                (input == name && contents.is_symbolic()).then_some(role)
            }
        };
        let stdin = { self.stdin.iter() }.find_map(|stdin| of("stdin".into(), stdin, Role::Stdin));
        let mut files = { self.files.iter() }
            .map(|file| (World::file_input(&file.name.0), &file.contents, Role::File));
        let mut variables = self.environment.iter().map(|variable| {
            let input = World::variable_input(&variable.name.0);
            (input, &variable.contents, Role::Environment)
        });
        stdin
            .or_else(|| files.find_map(|(input, contents, role)| of(input, contents, role)))
            .or_else(|| variables.find_map(|(input, contents, role)| of(input, contents, role)))
    }
}

impl From<Surroundings> for World {
    fn from(surroundings: Surroundings) -> World {
        let named = |name: &[u8], contents: &[u8]| Named {
            name: name.into(),
            contents: Contents::Given(contents.into()),
        };
        let variable = |text: &Vec<u8>| {
            let at = text.iter().position(|&byte| byte == b'=');
            let (name, value) = text.split_at(at.unwrap_or(text.len()));
            named(name, value.get(1..).unwrap_or_default())
        };
        World {
            args: { surroundings.args.iter() }
                .map(|arg| Argument::Given(arg.as_slice().into()))
                .collect(),
            environment: surroundings.environment.iter().map(variable).collect(),
            stdin: Some(Contents::Given(surroundings.stdin.into())),
            files: { surroundings.files.iter() }
                .map(|(name, contents)| named(name, contents))
                .collect(),
        }
    }
}

/// A string of C: what is in front of the first zero.
fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}
