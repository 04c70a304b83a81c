//! The programs and what their first lines declare.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::Domain;

/// A program of the corpus.
pub struct Program {
    /// The file's name.
    pub name: String,
    pub source: PathBuf,
    pub domain: Domain,
    /// How many paths there are.
    pub paths: usize,
    /// Whether more paths than these are right, too: where something decides that the native trace does not show.
    pub finer: bool,
    /// Whether the native program needs the address sanitizer to notice what is wrong.
    pub sanitize: bool,
}

/// Where the corpus is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/paths")
}

/// All programs, or those that `REFRAIN_PATHS_ONLY` leaves.
pub fn selected() -> Vec<Program> {
    let mut programs = all();
    if let Ok(part) = std::env::var("REFRAIN_PATHS_ONLY") {
        programs.retain(|program| program.name.contains(&part));
    }
    programs
}

/// All programs, in a fixed order.
pub fn all() -> Vec<Program> {
    let mut sources: Vec<PathBuf> = ["c", "cpp", "rust"]
        .iter()
        .flat_map(|language| fs::read_dir(root().join(language)).expect("the corpus"))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    sources.sort();
    sources
        .into_iter()
        .map(|source| read(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display())))
        .collect()
}

fn read(source: &Path) -> Result<Program, String> {
    let text = fs::read_to_string(source).map_err(|error| error.to_string())?;
    let header: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("// "))
        .collect();
    let declared = |key: &str| {
        header
            .iter()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    };
    let inputs = declared("inputs").ok_or("no inputs are declared")?;
    let paths = declared("paths").ok_or("no number of paths is declared")?;
    Ok(Program {
        name: source
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        source: source.to_path_buf(),
        domain: Domain::parse(inputs)?,
        paths: paths.parse().map_err(|_| "a number of paths")?,
        finer: declared("finer").is_some_and(|value| value.starts_with("yes")),
        sanitize: declared("sanitize").is_some_and(|value| value == "address"),
    })
}
