//! Parameter attributes: the few that decide what a call does.

use rustc_hash::FxHashMap;

use super::Result;
use super::codes::{attribute as code, block};
use super::module::Reader;
use crate::ir::{ByValueArg, ParamAttrs, Type, TypeId};

/// What one group says of one parameter.
#[derive(Clone, Copy, Default)]
struct Group {
    /// 0 is the result, the first parameter is 1.
    position: u32,
    by_value: Option<ByValue>,
    struct_return: Option<ByValue>,
    /// In bytes; 0 is the type's own.
    align: u64,
    sign_extend: bool,
    zero_extend: bool,
}

#[derive(Clone, Copy)]
enum ByValue {
    /// Of before the attribute had a type: what the parameter points to.
    Pointee,
    Type(u64),
}

#[derive(Default)]
pub(super) struct Attributes {
    groups: FxHashMap<u64, Group>,
    lists: Vec<Vec<u64>>,
}

impl Reader<'_> {
    pub fn read_attribute_groups(&mut self) -> Result<()> {
        self.records(block::PARAMATTR_GROUP, |reader, record| {
            if let (code::GROUP_ENTRY, [id, position, attributes @ ..]) =
                (record.code, &record.ops[..])
                && let Some(group) = read_group(*position as u32, attributes)
            {
                reader.attributes.groups.insert(*id, group);
            }
            Ok(())
        })
    }

    pub fn read_attribute_lists(&mut self) -> Result<()> {
        self.records(block::PARAMATTR, |reader, record| {
            // Lists that say nothing of interest still have a number.
            let groups = &reader.attributes.groups;
            let known = record
                .ops
                .iter()
                .copied()
                .filter(|id| groups.contains_key(id));
            let list = if record.code == code::ENTRY {
                known.collect()
            } else {
                Vec::new()
            };
            reader.attributes.lists.push(list);
            Ok(())
        })
    }

    fn groups_of(&self, list: u64) -> impl Iterator<Item = Group> {
        let list = usize::try_from(list)
            .ok()
            .and_then(|list| list.checked_sub(1));
        let list = list.and_then(|list| self.attributes.lists.get(list));
        list.into_iter()
            .flatten()
            .filter_map(|id| self.attributes.groups.get(id).copied())
    }

    fn by_value_type(&self, by_value: ByValue, param: TypeId) -> Result<TypeId> {
        match by_value {
            ByValue::Type(id) => self.ty(id),
            ByValue::Pointee => self.pointee(param),
        }
    }

    /// What an attribute list (numbered from 1; 0 is none) says of a function's parameters.
    pub fn parameter_attributes(&self, list: u64, ty: TypeId) -> Result<Vec<ParamAttrs>> {
        let Type::Function { params, .. } = self.module.types.get(ty) else {
            return Ok(Vec::new());
        };
        let mut attrs = vec![ParamAttrs::default(); params.len()];
        for group in self.groups_of(list) {
            let index = (group.position as usize).wrapping_sub(1);
            let Some(attrs) = attrs.get_mut(index) else {
                continue;
            };
            attrs.align = attrs.align.max(group.align);
            attrs.sign_extend |= group.sign_extend;
            attrs.zero_extend |= group.zero_extend;
            if let Some(result) = group.struct_return {
                attrs.struct_return = Some(self.by_value_type(result, params[index])?);
            }
            if let Some(by_value) = group.by_value {
                attrs.by_value = Some(self.by_value_type(by_value, params[index])?);
            }
        }
        Ok(attrs)
    }

    /// What a call's arguments that are passed by value are; empty where none is.
    pub fn by_value_arguments(
        &self,
        list: u64,
        args: &[TypeId],
    ) -> Result<Vec<Option<ByValueArg>>> {
        let mut by_values = Vec::new();
        for group in self.groups_of(list) {
            let index = (group.position as usize).wrapping_sub(1);
            if let (Some(by_value), Some(&arg)) = (group.by_value, args.get(index)) {
                by_values.resize(args.len(), None);
                by_values[index] = Some(ByValueArg {
                    ty: self.by_value_type(by_value, arg)?,
                    align: group.align,
                });
            }
        }
        Ok(by_values)
    }
}

/// None where nothing in it is of interest. A kind of attribute that is not known ends the group: its length is not
/// known either.
fn read_group(position: u32, attributes: &[u64]) -> Option<Group> {
    let mut group = Group {
        position,
        ..Group::default()
    };
    let mut rest = attributes.iter().copied();
    while let Some(form) = rest.next() {
        match form {
            // A kind alone, and a kind with a number.
            0 | 1 => {
                let kind = rest.next();
                match kind {
                    Some(code::KIND_BYVAL) => group.by_value = Some(ByValue::Pointee),
                    Some(code::KIND_SRET) => group.struct_return = Some(ByValue::Pointee),
                    Some(code::KIND_SEXT) => group.sign_extend = true,
                    Some(code::KIND_ZEXT) => group.zero_extend = true,
                    _ => {}
                }
                if form == 1 {
                    let value = rest.next();
                    if kind == Some(code::KIND_ALIGN) {
                        group.align = value.filter(|value| value.is_power_of_two()).unwrap_or(0);
                    }
                }
            }
            // A name, and a name with a value: strings that end with zero.
            3 | 4 => {
                for _ in 3..=form {
                    rest.find(|&byte| byte == 0);
                }
            }
            // A kind that takes a type, without and with it.
            5 | 6 => {
                let kind = rest.next();
                let ty = if form == 6 { rest.next() } else { None };
                if kind == Some(code::KIND_BYVAL) {
                    group.by_value = Some(ty.map_or(ByValue::Pointee, ByValue::Type));
                }
                if kind == Some(code::KIND_SRET) {
                    group.struct_return = Some(ty.map_or(ByValue::Pointee, ByValue::Type));
                }
            }
            // A range, and a list of ranges.
            7 => {
                rest.next();
                let bits = rest.next().unwrap_or(0);
                skip_range(&mut rest, bits);
            }
            8 => {
                rest.next();
                let count = rest.next().unwrap_or(0);
                let bits = rest.next().unwrap_or(0);
                for _ in 0..count.min(attributes.len() as u64) {
                    skip_range(&mut rest, bits);
                }
            }
            _ => break,
        }
    }
    let says_something = group.by_value.is_some()
        || group.struct_return.is_some()
        || group.align > 1
        || group.sign_extend
        || group.zero_extend;
    says_something.then_some(group)
}

fn skip_range(rest: &mut impl Iterator<Item = u64>, bits: u64) {
    let words = if bits > 64 {
        let counts = rest.next().unwrap_or(0);
        (counts & 0xffff_ffff) + (counts >> 32)
    } else {
        2
    };
    for _ in 0..words {
        if rest.next().is_none() {
            break;
        }
    }
}
