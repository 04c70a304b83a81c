//! Types as hashes.

use super::hash_of;
use crate::ir::{Module, Type, TypeId};
use crate::load::Linked;

impl Linked {
    /// Of a type's layout and of what calculations do with it. Names are not in, nor what pointers point to.
    pub(super) fn type_hash(&self, module: usize, ty: TypeId) -> u64 {
        let known = |cache: &Vec<Vec<Option<u64>>>| *cache.get(module)?.get(ty.0 as usize)?;
        if let Some(hash) = known(&self.cache.types.borrow()) {
            return hash;
        }
        let Module { types, layout, .. } = &self.program.modules[module];
        let of = |ty: &TypeId| self.type_hash(module, *ty);
        let hash = match types.get(ty) {
            Type::Void => hash_of([0]),
            Type::Half => hash_of([1]),
            Type::BFloat => hash_of([2]),
            Type::Float => hash_of([3]),
            Type::Double => hash_of([4]),
            Type::X86Fp80 => hash_of([5, layout.align(types, ty)]),
            Type::Fp128 => hash_of([6, layout.align(types, ty)]),
            Type::PpcFp128 => hash_of([7, layout.align(types, ty)]),
            Type::Label => hash_of([8]),
            Type::Metadata => hash_of([9]),
            Type::Token => hash_of([10]),
            Type::X86Mmx => hash_of([11]),
            Type::X86Amx => hash_of([12]),
            Type::Int(bits) => hash_of([13, u64::from(*bits), layout.align(types, ty)]),
            Type::Pointer { pointee: _, space } => hash_of([14, u64::from(*space)]),
            Type::Struct {
                name: _,
                fields,
                packed,
            } => hash_of(
                [15, u64::from(*packed)]
                    .into_iter()
                    .chain(fields.iter().map(of)),
            ),
            Type::Opaque { name: _ } => hash_of([16]),
            Type::Array { element, len } => hash_of([17, of(element), *len]),
            Type::Vector {
                element,
                len,
                scalable,
            } => hash_of([
                18,
                of(element),
                *len,
                u64::from(*scalable),
                layout.align(types, ty),
            ]),
            Type::Function {
                result,
                params,
                variadic,
            } => hash_of(
                [19, u64::from(*variadic), of(result)]
                    .into_iter()
                    .chain(params.iter().map(of)),
            ),
            Type::TargetExt { name } => {
                hash_of([20].into_iter().chain(name.bytes().map(u64::from)))
            }
        };
        let mut cache = self.cache.types.borrow_mut();
        if cache.is_empty() {
            let modules = self.program.modules.iter();
            *cache = modules
                .map(|module| vec![None; module.types.len()])
                .collect();
        }
        cache[module][ty.0 as usize] = Some(hash);
        hash
    }
}
