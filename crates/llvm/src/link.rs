//! Joins modules by the names of their symbols, as a linker does; the modules stay as they are.
//!
//! The rules are those of ELF: a strong definition beats common ones, those beat weak ones, two strong ones are an
//! error, and groups (`comdat`) are kept or dropped as a whole. Library modules come in only when they define
//! something that is missing, and never take a name away from the program. Of shared libraries everything comes in,
//! the program's names are before theirs, and what a library does not export is its own.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::ir::{Linkage, Module, Symbol, SymbolId, SymbolKind};

/// Why modules cannot be joined.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LinkError {
    #[error("`{name}` is defined twice: in {first} and in {second}")]
    Duplicate {
        name: String,
        first: String,
        second: String,
    },
}

/// What a symbol of a module stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resolved {
    /// A definition, an alias among them.
    Defined { module: usize, symbol: SymbolId },
    /// Nothing defines it. An undefined symbol of linkage [`Linkage::ExternWeak`] is null.
    Undefined,
}

/// Modules and what their symbols stand for.
#[derive(Debug, Default)]
pub struct Program {
    pub modules: Vec<Module>,
    /// By module and symbol.
    table: Vec<Vec<Resolved>>,
    /// The names that all modules see.
    global: Names,
    /// Those that only the modules of a shared library see.
    own: Vec<Names>,
    /// By module: its shared library.
    shared: Vec<Option<usize>>,
    /// Library modules that nothing has needed yet.
    library: Vec<Module>,
}

#[derive(Debug, Default)]
struct Names {
    definitions: FxHashMap<String, Definition>,
    /// The module that each group was taken from.
    groups: FxHashMap<String, usize>,
}

/// Where a module comes from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    Program,
    Library,
    /// Which, and what it exports.
    Shared(usize, &'a BTreeSet<String>),
}

#[derive(Clone, Copy, Debug)]
struct Definition {
    module: usize,
    symbol: SymbolId,
    strength: Strength,
}

/// Weakest first; of common definitions the larger one is stronger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    /// A copy of a definition that is elsewhere.
    Copy,
    Weak,
    Common(u64),
    Strong,
}

fn strength(module: &Module, symbol: &Symbol) -> Strength {
    match symbol.linkage {
        Linkage::AvailableExternally => Strength::Copy,
        Linkage::Common => Strength::Common(match &symbol.kind {
            SymbolKind::Variable(variable) => module.layout.size(&module.types, variable.ty),
            _ => 0,
        }),
        linkage if linkage.is_weak() => Strength::Weak,
        _ => Strength::Strong,
    }
}

/// Whether a definition takes part in linking by name.
fn is_global_definition(symbol: &Symbol) -> bool {
    !symbol.is_declaration()
        && !symbol.linkage.is_local()
        && symbol.linkage != Linkage::Appending
        && symbol.linkage != Linkage::ExternWeak
        && !symbol.name.is_empty()
}

/// Joins the modules of a program.
pub fn link(modules: Vec<Module>) -> Result<Program, LinkError> {
    let mut program = Program::default();
    for module in modules {
        program.add_module(module, Origin::Program)?;
    }
    program.resolve_all();
    Ok(program)
}

impl Program {
    /// What a symbol stands for.
    pub fn resolve(&self, module: usize, symbol: SymbolId) -> Resolved {
        self.table[module][symbol.0 as usize]
    }

    /// The definition of a name.
    pub fn find(&self, name: &str) -> Option<(usize, SymbolId)> {
        let definition = self.global.definitions.get(name)?;
        Some((definition.module, definition.symbol))
    }

    /// The definition of a name; a library module that has it comes in for it.
    pub fn require(&mut self, name: &str) -> Option<(usize, SymbolId)> {
        if self.find(name).is_none() {
            let defines = |module: &Module| {
                module
                    .symbols
                    .iter()
                    .any(|symbol| symbol.name == name && is_library_definition(symbol))
            };
            let index = self.library.iter().position(defines)?;
            let module = self.library.remove(index);
            self.add_library_module(module);
            self.pull();
            self.resolve_all();
        }
        self.find(name)
    }

    /// All names that modules, also those that have not come in yet, leave to others to define.
    pub fn declared(&self) -> FxHashSet<&str> {
        let modules = self.modules.iter().chain(&self.library);
        let symbols = modules.flat_map(|module| &module.symbols);
        let declared = symbols.filter(|symbol| symbol.is_declaration());
        declared.map(|symbol| symbol.name.as_str()).collect()
    }

    /// Adds modules that come in only where they define what is missing, now or when a later library needs it.
    pub fn add_library(&mut self, modules: Vec<Module>) {
        self.library.extend(modules);
        self.pull();
        self.resolve_all();
    }

    /// Adds all modules of a shared library, which defines these names for others.
    pub fn add_shared(&mut self, modules: Vec<Module>, exports: &BTreeSet<String>) {
        let library = self.own.len();
        self.own.push(Names::default());
        for module in modules {
            // They have been linked before, so there is nothing that could go wrong.
            let added = self.add_module(module, Origin::Shared(library, exports));
            debug_assert!(added.is_ok());
        }
        self.pull();
        self.resolve_all();
    }

    /// Which shared library a module is of, by their order.
    pub fn library_of(&self, module: usize) -> Option<usize> {
        self.shared.get(module).copied().flatten()
    }

    /// Names that are used and that nothing defines, weak ones left out; sorted.
    pub fn undefined(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .modules
            .iter()
            .zip(&self.shared)
            .flat_map(|(module, &shared)| self.missing(module, shared))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names that a module needs and that nothing defines.
    fn missing<'m>(
        &self,
        module: &'m Module,
        shared: Option<usize>,
    ) -> impl Iterator<Item = &'m str> {
        module
            .symbols
            .iter()
            .filter(|symbol| {
                symbol.is_declaration()
                    && !symbol.name.is_empty()
                    && symbol.linkage != Linkage::ExternWeak
                    && !symbol.name.starts_with("llvm.")
            })
            .map(|symbol| symbol.name.as_str())
            .filter(move |name| self.definition(name, shared).is_none())
    }

    /// What a name stands for in a module.
    fn definition(&self, name: &str, shared: Option<usize>) -> Option<&Definition> {
        let own = shared.and_then(|library| self.own[library].definitions.get(name));
        own.or_else(|| self.global.definitions.get(name))
    }

    fn add_module(&mut self, module: Module, origin: Origin) -> Result<(), LinkError> {
        let number = self.modules.len();
        let is_program = matches!(origin, Origin::Program);
        for (index, symbol) in module.symbols.iter().enumerate() {
            if !is_global_definition(symbol) {
                continue;
            }
            let (names, gives_way) = match origin {
                Origin::Program => (&mut self.global, false),
                Origin::Library => (&mut self.global, true),
                Origin::Shared(_, exports) if exports.contains(&symbol.name) => {
                    (&mut self.global, true)
                }
                Origin::Shared(library, _) => (&mut self.own[library], false),
            };
            if let Some(group) = &symbol.comdat {
                let owner = match names.groups.get(group) {
                    Some(&owner) => owner,
                    None => {
                        names.groups.insert(group.clone(), number);
                        number
                    }
                };
                if owner != number {
                    continue;
                }
            }
            let new = Definition {
                module: number,
                symbol: SymbolId(index as u32),
                strength: strength(&module, symbol),
            };
            match names.definitions.get_mut(&symbol.name) {
                None => {
                    names.definitions.insert(symbol.name.clone(), new);
                }
                Some(known) if gives_way && known.strength != Strength::Copy => {}
                Some(known)
                    if is_program
                        && new.strength == Strength::Strong
                        && known.strength == Strength::Strong =>
                {
                    return Err(LinkError::Duplicate {
                        name: symbol.name.clone(),
                        first: self
                            .modules
                            .get(known.module)
                            .map_or(&module.name, |first| &first.name)
                            .clone(),
                        second: module.name.clone(),
                    });
                }
                Some(known) if new.strength > known.strength => *known = new,
                Some(_) => {}
            }
        }
        self.modules.push(module);
        self.shared.push(match origin {
            Origin::Shared(library, _) => Some(library),
            _ => None,
        });
        Ok(())
    }

    fn add_library_module(&mut self, module: Module) {
        // A library never takes a name away, so there is nothing that could go wrong.
        let added = self.add_module(module, Origin::Library);
        debug_assert!(added.is_ok());
    }

    /// Takes in library modules until none of them defines anything that is missing.
    fn pull(&mut self) {
        // The first module of the library to define a name is the one to come in for it.
        let mut index: FxHashMap<&str, usize> = FxHashMap::default();
        for (number, module) in self.library.iter().enumerate() {
            for symbol in module
                .symbols
                .iter()
                .filter(|symbol| is_library_definition(symbol))
            {
                index.entry(&symbol.name).or_insert(number);
            }
        }
        let mut wanted = vec![false; self.library.len()];
        let mut order: Vec<usize> = Vec::new();
        let want = |name: &str, wanted: &mut [bool], order: &mut Vec<usize>| {
            if let Some(&number) = index.get(name)
                && !std::mem::replace(&mut wanted[number], true)
            {
                order.push(number);
            }
        };
        for (module, &shared) in self.modules.iter().zip(&self.shared) {
            for name in self.missing(module, shared) {
                want(name, &mut wanted, &mut order);
            }
        }
        let mut next = 0;
        while let Some(&number) = order.get(next) {
            next += 1;
            for name in self.missing(&self.library[number], None) {
                want(name, &mut wanted, &mut order);
            }
        }
        let mut pool: Vec<Option<Module>> = std::mem::take(&mut self.library)
            .into_iter()
            .map(Some)
            .collect();
        for number in order {
            if let Some(module) = pool[number].take() {
                self.add_library_module(module);
            }
        }
        self.library = pool.into_iter().flatten().collect();
    }

    fn resolve_all(&mut self) {
        let resolve = |module: usize, index: usize, symbol: &Symbol| {
            let own = Resolved::Defined {
                module,
                symbol: SymbolId(index as u32),
            };
            // A declaration of a local name is a mistake of its compiler's; it stays undefined.
            let stays = symbol.linkage.is_local()
                || symbol.linkage == Linkage::Appending
                || symbol.name.is_empty();
            match self.definition(&symbol.name, self.shared[module]) {
                _ if stays && symbol.is_declaration() => Resolved::Undefined,
                _ if stays => own,
                Some(definition) => Resolved::Defined {
                    module: definition.module,
                    symbol: definition.symbol,
                },
                None => Resolved::Undefined,
            }
        };
        let table = self.modules.iter().enumerate().map(|(number, module)| {
            let symbols = module.symbols.iter().enumerate();
            symbols
                .map(|(index, symbol)| resolve(number, index, symbol))
                .collect()
        });
        self.table = table.collect();
    }
}

/// Whether a library module comes in for this symbol.
fn is_library_definition(symbol: &Symbol) -> bool {
    is_global_definition(symbol) && symbol.linkage != Linkage::AvailableExternally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ConstId, ConstKind, Constant, Type, TypeId, Variable};

    fn variable(name: &str, linkage: Linkage, defined: bool, bits: u32) -> Symbol {
        Symbol {
            name: name.into(),
            linkage,
            comdat: None,
            section: None,
            kind: SymbolKind::Variable(Variable {
                ty: TypeId(if bits == 64 { 1 } else { 0 }),
                constant: false,
                thread_local: false,
                initializer: defined.then_some(ConstId(0)),
                align: 0,
            }),
        }
    }

    fn module(name: &str, symbols: Vec<Symbol>) -> Module {
        let mut module = Module {
            name: name.into(),
            symbols,
            ..Module::default()
        };
        let ty = module.types.push(Type::Int(32));
        module.types.push(Type::Int(64));
        module.constants.push(Constant {
            ty,
            kind: ConstKind::Zero,
        });
        module
    }

    fn defined(module: usize, symbol: u32) -> Resolved {
        Resolved::Defined {
            module,
            symbol: SymbolId(symbol),
        }
    }

    #[test]
    fn strong_beats_common_beats_weak_beats_a_copy() {
        let order = [
            Linkage::AvailableExternally,
            Linkage::WeakAny,
            Linkage::Common,
            Linkage::External,
        ];
        for weaker in 0..order.len() {
            for stronger in weaker + 1..order.len() {
                for flip in [false, true] {
                    let mut modules = vec![
                        module("a", vec![variable("x", order[weaker], true, 32)]),
                        module("b", vec![variable("x", order[stronger], true, 32)]),
                    ];
                    if flip {
                        modules.reverse();
                    }
                    let program = link(modules).unwrap();
                    let winner = usize::from(!flip);
                    assert_eq!(program.resolve(0, SymbolId(0)), defined(winner, 0));
                    assert_eq!(program.resolve(1, SymbolId(0)), defined(winner, 0));
                }
            }
        }
    }

    #[test]
    fn two_strong_definitions_are_an_error_that_names_both() {
        let error = link(vec![
            module("a.bc", vec![variable("x", Linkage::External, true, 32)]),
            module("b.bc", vec![variable("x", Linkage::External, true, 32)]),
        ])
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`x` is defined twice: in a.bc and in b.bc"
        );
    }

    #[test]
    fn what_a_shared_library_exports_gives_way_and_the_rest_is_its_own() {
        let names = ["both", "hidden"];
        let all = |defined: bool| {
            let symbols = names.map(|name| variable(name, Linkage::External, defined, 32));
            module("m", symbols.into())
        };
        let mut program = link(vec![all(true)]).unwrap();
        let exports = BTreeSet::from(["both".to_string()]);
        program.add_shared(vec![all(true), all(false)], &exports);
        let other = variable("late", Linkage::External, true, 32);
        let late = BTreeSet::from(["late".to_string()]);
        program.add_shared(vec![module("other", vec![other])], &late);
        for (user, hidden) in [(0, 0), (1, 1), (2, 1)] {
            assert_eq!(program.resolve(user, SymbolId(0)), defined(0, 0), "{user}");
            let own = defined(hidden, 1);
            assert_eq!(program.resolve(user, SymbolId(1)), own, "{user}");
        }
        assert_eq!(program.find("late"), Some((3, SymbolId(0))));
        let libraries: Vec<_> = (0..4).map(|module| program.library_of(module)).collect();
        assert_eq!(libraries, [None, Some(0), Some(0), Some(1)]);
        assert!(program.undefined().is_empty());
    }

    #[test]
    fn the_largest_common_one_wins() {
        let program = link(vec![
            module("a", vec![variable("x", Linkage::Common, true, 32)]),
            module("b", vec![variable("x", Linkage::Common, true, 64)]),
            module("c", vec![variable("x", Linkage::Common, true, 32)]),
        ])
        .unwrap();
        assert_eq!(program.find("x"), Some((1, SymbolId(0))));
    }

    #[test]
    fn local_and_appending_symbols_are_their_modules_own() {
        let symbols = || {
            vec![
                variable("x", Linkage::Internal, true, 32),
                variable("llvm.used", Linkage::Appending, true, 32),
                variable("", Linkage::Private, true, 32),
            ]
        };
        let program = link(vec![
            module("a", symbols()),
            module("b", symbols()),
            module("c", vec![variable("x", Linkage::External, false, 32)]),
        ])
        .unwrap();
        for number in 0..2 {
            for symbol in 0..3 {
                assert_eq!(
                    program.resolve(number, SymbolId(symbol)),
                    defined(number, symbol)
                );
            }
        }
        assert_eq!(program.resolve(2, SymbolId(0)), Resolved::Undefined);
        assert_eq!(program.undefined(), ["x"]);
    }

    #[test]
    fn a_group_is_taken_from_one_module_as_a_whole() {
        let grouped = |name: &str| Symbol {
            comdat: Some("g".into()),
            ..variable(name, Linkage::External, true, 32)
        };
        let program = link(vec![
            module("a", vec![grouped("x")]),
            module("b", vec![grouped("x"), grouped("y")]),
        ])
        .unwrap();
        assert_eq!(program.resolve(1, SymbolId(0)), defined(0, 0));
        assert_eq!(program.resolve(1, SymbolId(1)), Resolved::Undefined);
    }

    #[test]
    fn libraries_only_fill_what_is_missing() {
        let mut program = link(vec![module(
            "a",
            vec![
                variable("x", Linkage::External, true, 32),
                variable("y", Linkage::External, false, 32),
                variable("w", Linkage::ExternWeak, false, 32),
            ],
        )])
        .unwrap();
        program.add_library(vec![
            module("unused", vec![variable("w", Linkage::External, true, 32)]),
            module("deep", vec![variable("z", Linkage::External, true, 32)]),
            module(
                "used",
                vec![
                    variable("x", Linkage::External, true, 32),
                    variable("y", Linkage::External, true, 32),
                    variable("z", Linkage::External, false, 32),
                ],
            ),
        ]);
        let names: Vec<&str> = program
            .modules
            .iter()
            .map(|module| module.name.as_str())
            .collect();
        assert_eq!(names, ["a", "used", "deep"]);
        assert_eq!(program.resolve(0, SymbolId(0)), defined(0, 0));
        assert_eq!(program.resolve(0, SymbolId(1)), defined(1, 1));
        assert_eq!(program.resolve(0, SymbolId(2)), Resolved::Undefined);
        assert_eq!(program.resolve(1, SymbolId(0)), defined(0, 0));
        assert_eq!(program.resolve(1, SymbolId(2)), defined(2, 0));
        assert_eq!(program.require("w"), Some((3, SymbolId(0))));
        assert_eq!(program.resolve(0, SymbolId(2)), defined(3, 0));
        assert_eq!(program.require("nowhere"), None);
    }
}
