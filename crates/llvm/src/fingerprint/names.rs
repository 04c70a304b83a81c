//! Which names last, and what else things are known by.
//!
//! Compilers number what has no name of its own: `.str.3`, `__cxx_global_var_init.1`, the third lambda of a file. Such
//! a number changes with what comes before, so these are known by what is left of the name and by their contents.
//! A Rust symbol ends in a hash that depends on how many `impl`s come before: where the path and the signature tell
//! a function from all others, it is known by those.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Node;
use crate::ir::{Symbol, SymbolKind};
use crate::load::{Function, FunctionKind, Linked};
use crate::native;

/// Functions that clang makes one of for each variable that needs it, numbered from the second on.
const NUMBERED: [&str; 2] = ["__cxx_global_var_init", "__cxx_global_array_dtor"];

/// The part of a name that lasts, where not all of it does.
pub(super) fn unnumbered(symbol: &Symbol) -> Option<String> {
    let name = symbol.name.as_str();
    if !symbol.linkage.is_local() {
        return None;
    }
    let (stem, was_cut) = without_numbers(name);
    let is_made_up = stem.is_empty() || stem.starts_with('.') || NUMBERED.contains(&stem);
    if let Some(stem) = without_lambda(stem)
        && rust_path(name).is_none()
    {
        return Some(stem);
    }
    // Nobody sees the name of a private variable, and compilers make them up.
    let is_private = symbol.linkage == crate::ir::Linkage::Private
        && matches!(symbol.kind, SymbolKind::Variable(_));
    if is_private {
        return Some(String::new());
    }
    (was_cut || is_made_up).then(|| stem.to_string())
}

/// Without `.1` and the like at the end.
fn without_numbers(name: &str) -> (&str, bool) {
    let mut stem = name;
    while let Some((rest, number)) = stem.rsplit_once('.')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        stem = rest;
    }
    (stem, stem.len() != name.len())
}

/// Types without a name, lambdas among them, are numbered by file: `4$_12` in a mangled name is the thirteenth.
fn without_lambda(name: &str) -> Option<String> {
    let at = name.find("$_")?;
    let is_digit = |c: char| c.is_ascii_digit();
    let behind = name[at + 2..].trim_start_matches(is_digit);
    let before = name[..at].trim_end_matches(is_digit);
    let is_numbered = before.len() < at && behind.len() < name.len() - at - 2;
    is_numbered.then(|| format!("{before}$_{behind}"))
}

/// What a mangled Rust name stands for, without the hash.
fn rust_path(name: &str) -> Option<String> {
    let is_legacy = || {
        let hash = name.strip_prefix("_ZN")?.strip_suffix('E')?;
        let hash = hash.get(hash.len().checked_sub(19)?..)?.strip_prefix("17h");
        hash.filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if !name.starts_with("_R") && is_legacy().is_none() {
        return None;
    }
    let path = rustc_demangle::try_demangle(name).ok()?;
    Some(format!("{path:#}"))
}

/// How many things have a name, and how many local ones of a file have it.
#[derive(Default)]
pub(super) struct Counts {
    names: FxHashMap<String, u32>,
    files: FxHashMap<(String, String), u32>,
}

impl Linked {
    fn counts(&self) -> &Counts {
        self.cache.names.get_or_init(|| {
            let mut counts = Counts::default();
            let provided = self.functions.iter().filter(|function| {
                // What the machine has, and what nobody has.
                self.program.modules.get(function.module).is_none()
            });
            for function in provided {
                *counts.names.entry(function.name.clone()).or_default() += 1;
            }
            for (index, module) in self.program.modules.iter().enumerate() {
                let defined = module
                    .symbols
                    .iter()
                    .filter(|symbol| !symbol.is_declaration());
                for symbol in defined {
                    *counts.names.entry(symbol.name.clone()).or_default() += 1;
                    if symbol.linkage.is_local() {
                        let file = self.file_of(index).to_string();
                        *counts.files.entry((symbol.name.clone(), file)).or_default() += 1;
                    }
                }
            }
            counts
        })
    }

    /// What the program has of its own although the runtime or the machine has it too, or asks for it; sorted.
    pub(crate) fn replaced_names(&self) -> Vec<&str> {
        let modules = || self.program.modules.iter().enumerate();
        let (library, own): (Vec<_>, Vec<_>) =
            modules().partition(|(index, _)| self.is_library(*index));
        let symbols = library.iter().flat_map(|(_, module)| &module.symbols);
        let left_out = library.iter().flat_map(|(_, module)| &module.left_out);
        let known: FxHashSet<&str> = { symbols.map(|symbol| &symbol.name) }
            .chain(left_out)
            .map(String::as_str)
            .collect();
        let symbols = own.iter().flat_map(|(_, module)| &module.symbols);
        let is_seen = |symbol: &&Symbol| !symbol.is_declaration() && !symbol.linkage.is_local();
        let names = symbols.filter(is_seen).map(|symbol| symbol.name.as_str());
        let is_known = |name: &&str| known.contains(name) || native::find(name).is_some();
        let mut names: Vec<&str> = names.filter(is_known).collect();
        names.sort_unstable();
        names
    }

    /// What tells a local symbol from others of the same name: its file, or where that is if there are several of it.
    pub(super) fn telling_file(&self, module: usize, symbol: &Symbol) -> Option<&str> {
        if !symbol.linkage.is_local() {
            return None;
        }
        let counts = self.counts();
        if counts
            .names
            .get(&symbol.name)
            .is_none_or(|&count| count < 2)
        {
            return None;
        }
        let file = self.file_of(module);
        let key = (symbol.name.clone(), file.to_string());
        match counts.files.get(&key) {
            Some(&count) if count > 1 => Some(self.path_of(module)),
            _ => Some(file),
        }
    }

    /// The symbol of a function that the program has the code of.
    fn symbol_of(&self, function: &Function) -> Option<&Symbol> {
        let module = self.program.modules.get(function.module)?;
        let symbol = module.symbols.get(function.symbol.0 as usize)?;
        matches!(function.kind, FunctionKind::Code).then_some(symbol)
    }

    /// By function: path and hash of the signature, where it has a path and not just a number.
    fn rust_functions(&self) -> Vec<Option<(String, u64)>> {
        let known = |function: &Function| {
            let symbol = self.symbol_of(function)?;
            let SymbolKind::Function(code) = &symbol.kind else {
                return None;
            };
            if unnumbered(symbol).is_some() {
                return None;
            }
            let signature = self.type_hash(function.module, code.ty);
            Some((rust_path(&symbol.name)?, signature))
        };
        self.functions.iter().map(known).collect()
    }

    /// What a function is known by to its callers, whose types have its signature.
    pub(super) fn callee(&self, function: u32) -> &str {
        let callees = self.cache.callees.get_or_init(|| {
            let paths = self.rust_functions();
            let mut counts: FxHashMap<&(String, u64), u32> = FxHashMap::default();
            for known in paths.iter().flatten() {
                *counts.entry(known).or_default() += 1;
            }
            let is_only = |known: &&(String, u64)| counts[known] == 1;
            let known_by = |(function, known): (&Function, &Option<(String, u64)>)| {
                if let Some((path, _)) = known.as_ref().filter(is_only) {
                    return Some(path.clone());
                }
                let file = self.telling_file(function.module, self.symbol_of(function)?)?;
                Some(format!("{}@{file}", function.name))
            };
            self.functions.iter().zip(&paths).map(known_by).collect()
        });
        let name = &self.functions[function as usize].name;
        callees[function as usize].as_ref().unwrap_or(name)
    }

    /// By function.
    pub(super) fn lasting_symbols(&self) -> Vec<String> {
        let mut paths: FxHashMap<&str, u32> = FxHashMap::default();
        let mut signatures: FxHashMap<(&str, u64), u32> = FxHashMap::default();
        let rust = self.rust_functions();
        for (path, signature) in rust.iter().flatten() {
            *paths.entry(path).or_default() += 1;
            *signatures.entry((path, *signature)).or_default() += 1;
        }
        let known_by = |(function, rust): (&Function, &Option<(String, u64)>)| {
            let name = function.name.as_str();
            let Some(symbol) = self.symbol_of(function) else {
                return name.to_string();
            };
            if let Some(stem) = unnumbered(symbol) {
                let node = Node {
                    module: function.module as u32,
                    symbol: function.symbol,
                };
                return format!("{stem}#{:016x}", self.contents_hash(node));
            }
            if let Some((path, signature)) = rust {
                if paths[path.as_str()] == 1 {
                    return path.clone();
                }
                if signatures[&(path.as_str(), *signature)] == 1 {
                    return format!("{path}#{signature:016x}");
                }
            }
            match self.telling_file(function.module, symbol) {
                Some(file) => format!("{name}@{file}"),
                None => name.to_string(),
            }
        };
        let mut symbols: Vec<String> = self.functions.iter().zip(&rust).map(known_by).collect();
        self.number_copies(&mut symbols);
        symbols
    }

    /// The file that a module was compiled from.
    fn path_of(&self, module: usize) -> &str {
        let module = &self.program.modules[module];
        match module.source_file.as_str() {
            "" => &module.name,
            path => path,
        }
    }

    /// The same without the folder.
    fn file_of(&self, module: usize) -> &str {
        let path = self.path_of(module);
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Tells apart what nothing else does: copies of the same code. Their order does not depend on that of modules,
    /// as far as those have different names.
    fn number_copies(&self, symbols: &mut [String]) {
        let mut by_symbol: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, symbol) in symbols.iter().enumerate() {
            by_symbol.entry(symbol).or_default().push(index);
        }
        let mut copies: Vec<Vec<usize>> = by_symbol
            .into_values()
            .filter(|same| same.len() > 1)
            .collect();
        for same in &mut copies {
            same.sort_by_key(|&index| {
                let function = &self.functions[index];
                let module = self.program.modules.get(function.module);
                let file = module.map(|module| (&module.source_file, &module.name));
                (file, function.symbol, index)
            });
        }
        for same in copies {
            for (number, index) in (2..).zip(same.into_iter().skip(1)) {
                symbols[index] += &format!("~{number}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Linkage, TypeId, Variable};

    fn stem(name: &str, linkage: Linkage, is_alias: bool) -> Option<String> {
        let variable = Variable {
            ty: TypeId(0),
            constant: true,
            thread_local: false,
            initializer: None,
            align: 0,
        };
        let kind = match is_alias {
            true => SymbolKind::Alias(crate::ir::ConstId(0)),
            false => SymbolKind::Variable(variable),
        };
        unnumbered(&Symbol {
            name: name.into(),
            linkage,
            comdat: None,
            section: None,
            kind,
        })
    }

    #[test]
    fn numbers_of_compilers_are_cut() {
        let internal = |name: &str| stem(name, Linkage::Internal, false);
        assert_eq!(internal("counter"), None);
        assert_eq!(internal("f.counter"), None);
        assert_eq!(internal("f.counter.12").as_deref(), Some("f.counter"));
        assert_eq!(internal("s.0.3").as_deref(), Some("s"));
        assert_eq!(internal("v1.2beta"), None);
        assert_eq!(
            internal(".compoundliteral").as_deref(),
            Some(".compoundliteral")
        );
        assert_eq!(internal("").as_deref(), Some(""));
        let init = "__cxx_global_var_init";
        assert_eq!(internal(init).as_deref(), Some(init));
        assert_eq!(internal(&format!("{init}.7")).as_deref(), Some(init));
        let lambda = Some("_ZZ4mainENK$_clEv".to_string());
        assert_eq!(internal("_ZZ4mainENK3$_0clEv"), lambda);
        assert_eq!(internal("_ZZ4mainENK4$_12clEv"), lambda);
        assert_eq!(internal("a$_b"), None);
        assert_eq!(stem("f.1", Linkage::External, false), None);
        assert_eq!(stem("f", Linkage::Private, true), None);
        assert_eq!(stem("table", Linkage::Private, false).as_deref(), Some(""));
    }

    #[test]
    fn rust_names_lose_their_hash() {
        let path = rust_path("_ZN1a1B3get17hd2f09ee87e9a846fE");
        assert_eq!(path.as_deref(), Some("a::B::get"));
        let path = rust_path("_RNvNtCsgEmfK2I1SDS_4core9panicking5panic");
        assert_eq!(path.as_deref(), Some("core::panicking::panic"));
        assert_eq!(rust_path("_ZN1a1bE"), None);
        assert_eq!(rust_path("_ZN1a1bEv"), None);
        assert_eq!(rust_path("main"), None);
        assert_eq!(rust_path("E"), None);
    }
}
