//! Variables, functions and aliases: the symbols of a module.

use super::Result;
use super::codes::module as code;
use super::module::{Reader, Reference, Role, text};
use crate::ir::{
    ConstId, ConstKind, Constant, Function, Linkage, ParamAttrs, Symbol, SymbolId, SymbolKind,
    Type, TypeId, Variable,
};

/// A name as the linker sees it: the mark that keeps a compiler from decorating it is dropped.
pub(super) fn plain_name(name: String) -> String {
    match name.strip_prefix('\u{1}') {
        Some(plain) => plain.to_string(),
        None => name,
    }
}

fn linkage(code: u64) -> Linkage {
    match code {
        1 | 16 => Linkage::WeakAny,
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        4 | 18 => Linkage::LinkOnceAny,
        7 => Linkage::ExternWeak,
        8 => Linkage::Common,
        9 | 13 | 14 => Linkage::Private,
        10 | 17 => Linkage::WeakOdr,
        11 | 19 => Linkage::LinkOnceOdr,
        12 => Linkage::AvailableExternally,
        _ => Linkage::External,
    }
}

/// The codes of before groups were said, which meant a group of the symbol alone.
fn has_implicit_group(linkage: u64) -> bool {
    matches!(linkage, 1 | 4 | 10 | 11)
}

impl Reader<'_> {
    /// The name at the front of a record, and the rest. Empty where names are in a block of their own.
    fn name<'r>(&mut self, ops: &'r [u64]) -> Result<(String, &'r [u64])> {
        if self.version < 2 {
            return Ok((String::new(), ops));
        }
        let [offset, size, rest @ ..] = ops else {
            return Err(self.bad("no name"));
        };
        let range = usize::try_from(*offset)
            .ok()
            .zip(usize::try_from(*size).ok());
        let bytes =
            range.and_then(|(start, size)| self.strtab.get(start..start.checked_add(size)?));
        let bytes = bytes.ok_or_else(|| self.bad("a name outside of the string table"))?;
        // Names may share their place in the table.
        self.expand(bytes.len() as u64)?;
        Ok((String::from_utf8_lossy(bytes).into_owned(), rest))
    }

    pub fn read_comdat(&mut self, ops: &[u64]) -> Result<()> {
        let (name, rest) = self.name(ops)?;
        let name = if self.version >= 2 {
            name
        } else {
            let [_, size, chars @ ..] = rest else {
                return Err(self.bad("a group without a name"));
            };
            let size = usize::try_from(*size).ok();
            let chars = size.and_then(|size| chars.get(..size));
            text(chars.ok_or_else(|| self.bad("a group's name that is cut off"))?)
        };
        self.comdats.push(name);
        Ok(())
    }

    fn comdat(&mut self, number: Option<&u64>, linkage: u64, name: &str) -> Result<Option<String>> {
        match number {
            Some(0) => Ok(None),
            Some(&number) => {
                let index = usize::try_from(number).ok().map(|number| number - 1);
                let comdat = index.and_then(|index| self.comdats.get(index));
                let comdat = comdat.ok_or_else(|| self.bad(format!("no group {number}")))?;
                let comdat = comdat.clone();
                self.expand(comdat.len() as u64)?;
                Ok(Some(comdat))
            }
            // Where the name comes later, the empty one stands for it.
            None => Ok(has_implicit_group(linkage).then(|| name.to_string())),
        }
    }

    fn section(&mut self, number: u64) -> Result<Option<String>> {
        match usize::try_from(number) {
            Ok(0) => Ok(None),
            Ok(number) if number <= self.sections.len() => {
                let section = self.sections[number - 1].clone();
                self.expand(section.len() as u64)?;
                Ok(Some(section))
            }
            _ => Err(self.bad(format!("no section {number}"))),
        }
    }

    pub fn alignment(&self, exponent: u64) -> Result<u64> {
        match exponent {
            0 => Ok(0),
            1..=33 => Ok(1 << (exponent - 1)),
            _ => Err(self.bad(format!("an alignment of 2^{}", exponent - 1))),
        }
    }

    /// Adds a symbol and the value that is its address.
    fn add_symbol(&mut self, symbol: Symbol, pointee: TypeId, space: u32) -> SymbolId {
        let id = SymbolId(self.module.symbols.len() as u32);
        self.module.symbols.push(symbol);
        let ty = self.pointer_to(pointee, space);
        self.values
            .push(ConstId(self.module.constants.len() as u32));
        self.module.constants.push(Constant {
            ty,
            kind: ConstKind::Symbol(id),
        });
        id
    }

    pub fn read_variable(&mut self, ops: &[u64]) -> Result<()> {
        let (name, rest) = self.name(ops)?;
        let [ty, flags, initializer, linkage_code, align, section, ..] = *rest else {
            return Err(self.bad("too few operands"));
        };
        let mut ty = self.ty(ty)?;
        let mut space = (flags >> 2) as u32;
        if flags & 2 == 0 {
            space = match self.module.types.get(ty) {
                Type::Pointer { space, .. } => *space,
                _ => 0,
            };
            ty = self.pointee(ty)?;
        }
        let symbol = Symbol {
            comdat: self.comdat(rest.get(11), linkage_code, &name)?,
            name: plain_name(name),
            linkage: linkage(linkage_code),
            section: self.section(section)?,
            kind: SymbolKind::Variable(Variable {
                ty,
                constant: flags & 1 != 0,
                thread_local: rest.get(7).is_some_and(|&mode| mode != 0),
                initializer: None,
                align: self.alignment(align)?,
            }),
        };
        let symbol = self.add_symbol(symbol, ty, space);
        if let Some(value) = initializer.checked_sub(1) {
            self.references.push(Reference {
                symbol,
                role: Role::Initializer,
                value,
            });
        }
        Ok(())
    }

    pub fn read_declaration(&mut self, ops: &[u64]) -> Result<()> {
        let (name, rest) = self.name(ops)?;
        let [
            ty,
            _convention,
            declared,
            linkage_code,
            attributes,
            _align,
            section,
            ..,
        ] = *rest
        else {
            return Err(self.bad("too few operands"));
        };
        let mut ty = self.ty(ty)?;
        if self.module.types.is_pointer(ty) {
            ty = self.pointee(ty)?;
        }
        let Type::Function { params, .. } = self.module.types.get(ty) else {
            return Err(self.bad("a function that has no function type"));
        };
        self.expand(params.len() as u64 * size_of::<ParamAttrs>() as u64)?;
        let symbol = Symbol {
            comdat: self.comdat(rest.get(12), linkage_code, &name)?,
            name: plain_name(name),
            linkage: linkage(linkage_code),
            section: self.section(section)?,
            kind: SymbolKind::Function(Function {
                ty,
                params: self.parameter_attributes(attributes, ty)?,
                personality: None,
                body: None,
                debug: None,
            }),
        };
        let space = rest.get(16).map_or(0, |&space| space as u32);
        let symbol = self.add_symbol(symbol, ty, space);
        if declared == 0 {
            self.awaiting_bodies.push_back(symbol);
        }
        if let Some(value) = rest
            .get(14)
            .and_then(|personality| personality.checked_sub(1))
        {
            self.references.push(Reference {
                symbol,
                role: Role::Personality,
                value,
            });
        }
        Ok(())
    }

    pub fn read_alias(&mut self, record: u32, ops: &[u64]) -> Result<()> {
        let (name, rest) = self.name(ops)?;
        let (ty, space, value, linkage_code) = match (record, rest) {
            (code::ALIAS_OLD, &[pointer, value, linkage, ..]) => {
                let pointer = self.ty(pointer)?;
                (self.pointee(pointer)?, 0, value, linkage)
            }
            (code::ALIAS | code::IFUNC, &[ty, space, value, linkage, ..]) => {
                (self.ty(ty)?, space as u32, value, linkage)
            }
            _ => return Err(self.bad("too few operands")),
        };
        // The target is filled in when all values are known.
        let target = ConstId(0);
        let symbol = Symbol {
            name: plain_name(name),
            linkage: linkage(linkage_code),
            comdat: None,
            section: None,
            kind: if record == code::IFUNC {
                SymbolKind::Ifunc(target)
            } else {
                SymbolKind::Alias(target)
            },
        };
        let symbol = self.add_symbol(symbol, ty, space);
        self.references.push(Reference {
            symbol,
            role: Role::Target,
            value,
        });
        Ok(())
    }
}
