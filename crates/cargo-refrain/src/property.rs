//! The properties of a program, found by their symbols: `refrain:test:FLAGS:PATH` and `refrain:show:FLAGS:PATH`.

use std::path::Path;

use refrain_llvm::bitcode;
use refrain_results::Run;

use crate::error::Error;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// The crate that it is in.
    pub package: String,
    /// The path without the crate, as `cargo test` names tests: `tests::prop`.
    pub name: String,
    /// The function that calls it with symbolic inputs.
    pub test: String,
    /// The function that says what the inputs are.
    pub show: String,
    pub is_ignored: bool,
    pub should_panic: bool,
    /// What a panic that should be says.
    pub expected: Option<String>,
    /// It returns a `Result`.
    pub returns: bool,
}

impl Property {
    fn of_symbol(symbol: &str) -> Option<Property> {
        let rest = symbol.strip_prefix("refrain:test:")?;
        let (flags, path) = rest.split_once(':')?;
        let (package, name) = path.split_once("::")?;
        let flags: Vec<&str> = flags.split(',').collect();
        let has = |flag| flags.contains(&flag);
        let expected = flags.iter().find_map(|flag| flag.strip_prefix("expected="));
        let expected = expected.and_then(refrain_results::unhex);
        Some(Property {
            package: package.to_string(),
            name: name.to_string(),
            test: symbol.to_string(),
            show: format!("refrain:show:{rest}"),
            is_ignored: has("ignore"),
            should_panic: has("should_panic"),
            expected: expected.map(|text| String::from_utf8_lossy(&text).into_owned()),
            returns: has("result"),
        })
    }

    /// The module that it is in; empty for the root of the crate.
    pub fn module(&self) -> &str {
        self.name.rsplit_once("::").map_or("", |(module, _)| module)
    }

    /// The name of the function.
    pub fn function(&self) -> &str {
        self.name
            .rsplit_once("::")
            .map_or(&self.name, |(_, function)| function)
    }
}

/// The properties of a program, by name, and the digest of its code.
pub fn of_program(path: &Path) -> Result<(Vec<Property>, String), Error> {
    let bytes = std::fs::read(path).map_err(Error::file(path))?;
    let modules = bitcode::read_file_bytes(&path.display().to_string(), &bytes)?;
    let symbols = modules.iter().flat_map(|module| &module.symbols);
    let mut properties: Vec<Property> = symbols
        .filter(|symbol| !symbol.is_declaration())
        .filter_map(|symbol| Property::of_symbol(&symbol.name))
        .collect();
    properties.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((properties, Run::digest_of([bytes.as_slice()])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_say_what_a_property_is() {
        let symbol = "refrain:test:should_panic,expected=6f683a,result:shop::a::tests::prop";
        let property = Property::of_symbol(symbol).expect("a property");
        assert_eq!(property.name, "a::tests::prop");
        assert_eq!(property.module(), "a::tests");
        assert_eq!(property.function(), "prop");
        assert_eq!(property.expected.as_deref(), Some("oh:"));
        assert!(property.should_panic && property.returns && !property.is_ignored);
        let plain = Property::of_symbol("refrain:test::shop::prop").expect("a property");
        assert_eq!((plain.module(), plain.function()), ("", "prop"));
        assert_eq!(Property::of_symbol("refrain:show::shop::prop"), None);
        assert_eq!(Property::of_symbol("_ZN4shop4propE"), None);
    }
}
