//! The scripts a study is about.

use std::path::Path;

/// An SMT-LIB script and what tables call it.
#[derive(Clone, Debug)]
pub struct Script {
    pub name: String,
    pub text: Vec<u8>,
}

impl Script {
    /// A script that was read from a file: it is called as the file is, without what such names end with.
    pub fn from_file(path: &Path, text: Vec<u8>) -> Script {
        let file = path.file_name().unwrap_or(path.as_os_str());
        let file = file.to_string_lossy();
        let name = file.strip_suffix(".zst").unwrap_or(&file);
        let name = name.strip_suffix(".smt2").unwrap_or(name);
        Script {
            name: name.to_owned(),
            text,
        }
    }
}

/// Gives scripts of the same name different ones: `a`, `a-2`.
pub fn tell_apart(scripts: &mut [Script]) {
    for place in 1..scripts.len() {
        let (before, rest) = scripts.split_at_mut(place);
        let script = &mut rest[0];
        let taken = |name: &str| before.iter().any(|other| other.name == name);
        if taken(&script.name) {
            let numbered = (2..).map(|number| format!("{}-{number}", script.name));
            script.name = { numbered }
                .find(|name| !taken(name))
                .unwrap_or_else(|| script.name.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_files_and_differ() {
        let paths = ["a/cat.smt2", "b/cat.smt2.zst", "cat-2", "c/cat.smt2"];
        let mut scripts: Vec<Script> = paths
            .iter()
            .map(|path| Script::from_file(Path::new(path), Vec::new()))
            .collect();
        tell_apart(&mut scripts);
        let names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
        assert_eq!(names, ["cat", "cat-2", "cat-2-2", "cat-3"]);
    }
}
