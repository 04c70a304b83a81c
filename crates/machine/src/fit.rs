//! The inputs that stand for a concrete world: the opposite of [`World::realise`].

use crate::{Argument, Contents, InputValue, Number, Role, Surroundings, World};

impl World {
    /// Inputs with which this world is that one. The error says what of it cannot be so.
    pub fn inputs_for(&self, wanted: &Surroundings) -> Result<Vec<InputValue>, String> {
        let mut inputs = Vec::new();
        self.fit_arguments(wanted, &mut inputs)?;
        if let Some(stdin) = &self.stdin {
            fit("stdin", Role::Stdin, stdin, &wanted.stdin, &mut inputs)?;
        }
        for (name, contents) in &wanted.files {
            let shown = String::from_utf8_lossy(name);
            let mut known = self.files.iter();
            let file = known.find(|file| file.name.0 == *name);
            let file = file.ok_or_else(|| format!("there is no symbolic file {shown}"))?;
            let input = World::file_input(name);
            fit(&input, Role::File, &file.contents, contents, &mut inputs)?;
        }
        for variable in &wanted.environment {
            let at = variable.iter().position(|&byte| byte == b'=');
            let (name, value) = variable.split_at(at.unwrap_or(variable.len()));
            let shown = String::from_utf8_lossy(name);
            let mut known = self.environment.iter();
            let found = known.find(|known| known.name.0 == name);
            let found = found.ok_or_else(|| format!("there is no symbolic variable {shown}"))?;
            let Contents::Symbolic { most, .. } = found.contents else {
                continue;
            };
            let value = value.get(1..).unwrap_or_default();
            let input = World::variable_input(name);
            inputs.push(padded(&input, Role::Environment, value, most)?);
        }
        Ok(inputs)
    }

    /// Matches arguments with what there can be; where several may be, as many as can.
    fn fit_arguments(
        &self,
        wanted: &Surroundings,
        inputs: &mut Vec<InputValue>,
    ) -> Result<(), String> {
        let least = |arg: &Argument| match arg {
            Argument::Several { least, .. } => *least as usize,
            _ => 1,
        };
        let least: usize = self.args.iter().map(least).sum();
        let words = &wanted.args;
        let Some(mut more) = words.len().checked_sub(least) else {
            return Err(format!("it has fewer than {} arguments", least - 1));
        };
        let mut counts = self.argument_counts().into_iter();
        let mut words = words.iter().enumerate();
        let mut symbolic = 0;
        for arg in &self.args {
            let (given, times, bytes) = match arg {
                Argument::Given(given) => {
                    let word = words.next();
                    // However the program is called.
                    if let Some((at, word)) = word
                        && at > 0
                        && *word != given.0
                    {
                        let word = String::from_utf8_lossy(word);
                        let given = String::from_utf8_lossy(&given.0);
                        return Err(format!("its argument {word:?} is {given:?} here"));
                    }
                    continue;
                }
                Argument::Symbolic { given, bytes } => (given.0.as_slice(), 1, *bytes),
                Argument::Several { least, most, bytes } => {
                    let further = more.min((most - least) as usize);
                    more -= further;
                    let times = *least as usize + further;
                    if least < most
                        && let Some(count) = counts.next()
                    {
                        inputs.push(number(&count, times as u32));
                    }
                    (&[][..], times, *bytes)
                }
            };
            for (_, word) in words.by_ref().take(times) {
                let Some(rest) = word.strip_prefix(given) else {
                    let (word, given) = (text(word), text(given));
                    return Err(format!("its argument {word:?} starts with {given:?} here"));
                };
                let name = format!("arg{symbolic:02}");
                inputs.push(padded(&name, Role::Argument, rest, bytes)?);
                symbolic += 1;
            }
        }
        match words.next() {
            Some((_, word)) => Err(format!("it has an argument too many, {:?}", text(word))),
            None => Ok(()),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn input(name: &str, role: Role, bytes: Vec<u8>) -> InputValue {
    InputValue {
        role,
        ..InputValue::object(name, bytes)
    }
}

fn number(number: &Number, value: u32) -> InputValue {
    input(&number.name, number.role, value.to_le_bytes().into())
}

/// A string, with zeros behind it up to a length.
fn padded(name: &str, role: Role, bytes: &[u8], most: u32) -> Result<InputValue, String> {
    if bytes.len() > most as usize {
        let count = bytes.len();
        return Err(format!("{name} has {count} bytes, and at most {most} here"));
    }
    let mut bytes = bytes.to_vec();
    bytes.resize(most as usize, 0);
    Ok(input(name, role, bytes))
}

/// Contents that may have a length of their own.
fn fit(
    name: &str,
    role: Role,
    contents: &Contents,
    bytes: &[u8],
    inputs: &mut Vec<InputValue>,
) -> Result<(), String> {
    let Contents::Symbolic { least, most } = *contents else {
        return Ok(());
    };
    let count = bytes.len();
    if count < least as usize {
        return Err(format!(
            "{name} has {count} bytes, and at least {least} here"
        ));
    }
    inputs.push(padded(name, role, bytes, most)?);
    inputs.extend(World::length_of(name, contents).map(|length| number(&length, count as u32)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    fn world() -> World {
        let symbolic = |least, most| Contents::Symbolic { least, most };
        let named = |name: &str, contents| Named {
            name: name.into(),
            contents,
        };
        let several = |least, most| Argument::Several {
            least,
            most,
            bytes: 2,
        };
        World {
            args: vec![
                Argument::Given("p".into()),
                several(0, 2),
                Argument::Given("-x".into()),
                Argument::Symbolic {
                    given: "--n=".into(),
                    bytes: 3,
                },
                several(1, 3),
            ],
            environment: vec![named("E", symbolic(4, 4))],
            stdin: Some(symbolic(0, 3)),
            files: vec![named("A", symbolic(2, 2)), named("d/b", symbolic(1, 4))],
        }
    }

    fn surroundings(args: &[&str]) -> Surroundings {
        Surroundings {
            args: args.iter().map(|arg| arg.as_bytes().to_vec()).collect(),
            environment: vec![b"E=ok".to_vec()],
            stdin: b"in".to_vec(),
            files: vec![
                (b"A".to_vec(), b"12".to_vec()),
                (b"d/b".to_vec(), b"\0b".to_vec()),
            ],
        }
    }

    #[test]
    fn what_fits_is_realised_again() {
        for args in [
            &["p", "-x", "--n=", "q"][..],
            &["p", "a", "-x", "--n=123", "q"],
            &["p", "a", "b", "-x", "--n=1", "q", "", "rs"],
        ] {
            let wanted = surroundings(args);
            let inputs = world().inputs_for(&wanted).expect("it fits");
            assert_eq!(world().realise(&inputs), wanted, "{args:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let why = |wanted: &Surroundings| world().inputs_for(wanted).expect_err("it does not");
        let args = |args: &[&str]| why(&surroundings(args));
        assert_eq!(args(&["p", "-x", "--n="]), "it has fewer than 3 arguments");
        assert_eq!(
            args(&["p", "-y", "--n=", "q"]),
            "its argument \"-y\" is \"-x\" here"
        );
        assert_eq!(
            args(&["p", "-x", "--m=", "q"]),
            "its argument \"--m=\" starts with \"--n=\" here"
        );
        assert_eq!(
            args(&["p", "-x", "--n=", "long"]),
            "arg01 has 4 bytes, and at most 2 here"
        );
        assert_eq!(
            args(&["p", "a", "b", "-x", "--n=", "1", "2", "3", "4"]),
            "it has an argument too many, \"4\""
        );
        let fine = surroundings(&["p", "-x", "--n=", "q"]);
        let mut wanted = fine.clone();
        wanted.stdin = b"long".to_vec();
        assert_eq!(why(&wanted), "stdin has 4 bytes, and at most 3 here");
        wanted.stdin.clear();
        wanted.files[0].1.pop();
        assert_eq!(why(&wanted), "A-data has 1 bytes, and at least 2 here");
        wanted.files[0].0 = b"B".to_vec();
        assert_eq!(why(&wanted), "there is no symbolic file B");
        wanted.files.clear();
        wanted.environment[0] = b"F=".to_vec();
        assert_eq!(why(&wanted), "there is no symbolic variable F");
    }
}
