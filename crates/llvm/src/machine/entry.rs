//! A function as the entry, called with parameters that are symbolic.
//!
//! Every scalar parameter is an input of its own, as `klee_make_symbolic` makes them; a pointer leads to a fresh
//! object of symbolic bytes of the size that the user says. Names are those of the source: without optimisation a
//! parameter is stored in the variable that debug information names, with it debug information names the value. Without
//! either they are `arg0`, `arg1` and so on.

use std::rc::Rc;

use refrain_machine::{Parameter, Role, World, join_bytes};
use refrain_term::Terms;

use super::target::named;
use super::{Machine, NewInput, StartError, State, demangle};
use crate::ir::{self, Body, InstKind, LocalId, Module, Operand, SymbolKind, Type, TypeId};
use crate::load::FunctionKind;
use crate::lower::shape::{Class, Shape};
use crate::memory::{Kind, Origin, Site, Value};

/// Where the debug information says that a parameter is kept.
#[derive(Clone, Debug, Default)]
struct Known {
    name: String,
    /// It is a part of the variable behind the first one.
    is_later_part: bool,
}

impl Machine {
    /// Gets a state ready to call a function of any type after everything that runs before it. Pointers lead to
    /// buffers of so many bytes, by the names of their parameters. A `main` of arguments is started with none.
    pub fn start_function(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        entry: &str,
        buffers: &[(String, u64)],
    ) -> Result<Vec<Parameter>, StartError> {
        state.arena.check(terms);
        let function = self.entry(entry)?;
        let world = World::given(&[entry.as_bytes().to_vec()], &[]);
        self.prepare(terms, state, function, &world)?;
        let found = &self.linked.functions[function as usize];
        let linked = self.linked.clone();
        let module = &linked.program.modules[found.module];
        let SymbolKind::Function(ir) = &module.symbols[found.symbol.0 as usize].kind else {
            return Err(StartError::NoBody(entry.into()));
        };
        let (Some(body), Type::Function { params, .. }) = (&ir.body, module.types.get(ir.ty))
        else {
            return Err(StartError::NoBody(entry.into()));
        };
        let known = names(body, params.len());
        let mut words: Vec<Value> = Vec::new();
        let mut parameters: Vec<Parameter> = Vec::new();
        for (index, (&ty, known)) in params.iter().zip(&known).enumerate() {
            let attrs = ir.params.get(index).copied().unwrap_or_default();
            let is_taken = |name: &str| parameters.iter().any(|other| other.name == name);
            let mut name = known.name.clone();
            let mut number = 1;
            while is_taken(&name) {
                number += 1;
                name = format!("{}_{number}", known.name);
            }
            // The length of the slice whose pointer came before.
            if known.is_later_part
                && let Some(before) = parameters.last_mut()
                && let Some(size) = before.buffer
                && before.name == known.name
                && matches!(module.types.get(ty), Type::Int(64))
            {
                let attrs = ir.params.get(index - 1).copied().unwrap_or_default();
                let element = element_size(module, body, LocalId(index as u32 - 1))
                    .unwrap_or(attrs.align)
                    .max(1);
                before.slice = Some(size / element);
                words.push(Value::Concrete(size / element));
                continue;
            }
            let parameter =
                self.parameter(terms, state, module, ty, attrs, name, buffers, &mut words)?;
            parameters.push(parameter);
        }
        for (name, _) in buffers {
            let is_there = parameters
                .iter()
                .any(|parameter| parameter.pointer && parameter.name == *name);
            if !is_there {
                let names = parameters.into_iter().map(|parameter| parameter.name);
                return Err(StartError::NoParameter {
                    name: name.clone(),
                    parameters: names.collect(),
                });
            }
        }
        state.parameters = Some(Rc::new(words));
        self.enter_first(state)?;
        Ok(parameters)
    }

    /// The symbol of the function that [`start_function`](Machine::start_function) starts.
    pub fn entry_symbol(&self, name: &str) -> Result<&str, StartError> {
        let function = self.entry(name)?;
        Ok(&self.linked.functions[function as usize].name)
    }

    /// The function that a name means.
    pub(super) fn entry(&self, name: &str) -> Result<u32, StartError> {
        match named(&self.linked, name)[..] {
            [] => match self.linked.find(name) {
                Some(function)
                    if !matches!(
                        self.linked.functions[function as usize].kind,
                        FunctionKind::Code
                    ) =>
                {
                    Err(StartError::NoBody(name.into()))
                }
                _ => Err(self.no_entry(name)),
            },
            [function] => Ok(function),
            ref several => {
                let name_of = |&function: &u32| {
                    let symbol = &self.linked.functions[function as usize].name;
                    let demangled = demangle(symbol);
                    // Instances of one generic function differ in their symbols only.
                    format!("{demangled} ({symbol})")
                };
                Err(StartError::Ambiguous {
                    name: name.into(),
                    candidates: several.iter().map(name_of).collect(),
                })
            }
        }
    }

    /// Whether the entry is a `main` that takes the arguments of the program, or nothing.
    pub fn is_plain_main(&self, entry: &str) -> bool {
        if entry != "main" {
            return false;
        }
        let Some(function) = self.linked.find(entry) else {
            return false;
        };
        let found = &self.linked.functions[function as usize];
        let Some(module) = self.linked.program.modules.get(found.module) else {
            return false;
        };
        let SymbolKind::Function(ir) = &module.symbols[found.symbol.0 as usize].kind else {
            return false;
        };
        let Type::Function { params, .. } = module.types.get(ir.ty) else {
            return false;
        };
        let kinds: Vec<&Type> = params.iter().map(|&ty| module.types.get(ty)).collect();
        matches!(
            kinds[..],
            [] | [Type::Int(32)]
                | [Type::Int(32), Type::Pointer { .. }]
                | [Type::Int(32), Type::Pointer { .. }, Type::Pointer { .. }]
        )
    }

    #[allow(clippy::too_many_arguments)]
    fn parameter(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        module: &Module,
        ty: TypeId,
        attrs: ir::ParamAttrs,
        name: String,
        buffers: &[(String, u64)],
        words: &mut Vec<Value>,
    ) -> Result<Parameter, StartError> {
        let size_of = |ty: TypeId| module.layout.size(&module.types, ty);
        let mut parameter = Parameter {
            name: name.clone(),
            bits: 64,
            is_float: false,
            pointer: false,
            buffer: None,
            slice: None,
            by_value: false,
            sized: false,
            result: false,
        };
        if let Type::Pointer { .. } = module.types.get(ty) {
            parameter.pointer = true;
            let size = if let Some(result) = attrs.struct_return {
                parameter.result = true;
                size_of(result)
            } else if let Some(copied) = attrs.by_value {
                parameter.by_value = true;
                size_of(copied)
            } else {
                let given = buffers.iter().find(|(buffer, _)| *buffer == name);
                given
                    .map(|&(_, size)| size)
                    .ok_or_else(|| StartError::NoBuffer(name.clone()))?
            };
            parameter.buffer = Some(size);
            let address = self.buffer(terms, state, &name, size, parameter.result)?;
            words.push(Value::Concrete(address));
            return Ok(parameter);
        }
        let shape =
            Shape::of(module, ty).map_err(|what| StartError::Parameter(name.clone(), what))?;
        if let Some(pointer) = shape
            .leaves
            .iter()
            .find(|leaf| leaf.class == Class::Pointer)
        {
            let what = format!("it has a pointer at byte {}", pointer.offset);
            return Err(StartError::Parameter(name, what));
        }
        if shape.packed || shape.has_packed {
            let what = "a vector of elements that are no whole bytes".to_string();
            return Err(StartError::Parameter(name, what));
        }
        parameter.bits = shape.leaves.iter().map(|leaf| leaf.bits).sum();
        parameter.is_float =
            matches!(&shape.leaves[..], [leaf] if matches!(leaf.class, Class::Float(_)));
        let input = self.parameter_input(terms, state, &name, shape.size.max(1))?;
        if parameter.is_float {
            input.are_floats(self, parameter.bits);
        }
        for leaf in &shape.leaves {
            for word in 0..leaf.words() {
                let bits = (leaf.bits - 64 * word).min(64);
                let from = (leaf.offset + 8 * u64::from(word)) as usize;
                let bytes = input
                    .bytes
                    .get(from..from + bits.div_ceil(8) as usize)
                    .unwrap_or_default();
                let Some(term) = join_bytes(terms, bytes) else {
                    continue;
                };
                let value = if bits == 1 {
                    // Any other byte than zero is true.
                    let zero = terms.bv(8, 0);
                    let is_zero = terms.eq(term, zero);
                    let is_set = terms.not(is_zero);
                    self.value_of(terms, is_set)
                } else {
                    let value = self.value_of(terms, term);
                    self.cut(terms, value, bits)
                };
                words.push(value);
            }
        }
        input.add_to(state);
        Ok(parameter)
    }

    fn parameter_input(
        &mut self,
        terms: &mut Terms,
        state: &State,
        name: &str,
        bytes: u64,
    ) -> Result<NewInput, StartError> {
        let input = self.new_input(terms, state, name, Role::Parameter, bytes);
        input.map_err(|why| StartError::Parameter(name.into(), why.to_string()))
    }

    /// Whether a function takes a pointer and a number as wide.
    pub(super) fn takes_bytes(&self, function: u32) -> bool {
        let found = &self.linked.functions[function as usize];
        let module = &self.linked.program.modules[found.module];
        let SymbolKind::Function(ir) = &module.symbols[found.symbol.0 as usize].kind else {
            return false;
        };
        let Type::Function { params, .. } = module.types.get(ir.ty) else {
            return false;
        };
        let kinds: Vec<&Type> = params.iter().map(|&ty| module.types.get(ty)).collect();
        matches!(kinds[..], [Type::Pointer { .. }, Type::Int(64)])
    }

    /// A new object, of symbolic bytes unless the callee is to fill it.
    pub(super) fn buffer(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        name: &str,
        size: u64,
        is_result: bool,
    ) -> Result<u64, StartError> {
        let origin = Origin {
            kind: Kind::Heap,
            name: self.linked.intern(name),
            site: Site::default(),
        };
        let address = state
            .memory
            .allocate(size, 16, origin)
            .ok_or(StartError::Memory)?;
        if is_result {
            return Ok(address);
        }
        let input = self.parameter_input(terms, state, name, size)?;
        for (at, &byte) in (address..).zip(&input.bytes) {
            let value = self.value_of(terms, byte);
            if state.memory.store(terms, at, 1, value).is_err() {
                return Err(StartError::Memory);
            }
        }
        input.add_to(state);
        Ok(address)
    }
}

/// The size of what a pointer is seen to point to many of. Without one, the alignment that is promised is a guess.
fn element_size(module: &Module, body: &Body, pointer: LocalId) -> Option<u64> {
    let insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.into_iter().find_map(|inst| match &inst.kind {
        InstKind::Gep {
            source,
            base: Operand::Local(base),
            indices,
        } if *base == pointer && matches!(indices[..], [Operand::Local(_)]) => {
            Some(module.layout.size(&module.types, *source))
        }
        _ => None,
    })
}

/// What the parameters are called.
fn names(body: &Body, count: usize) -> Vec<Known> {
    let variable = |local: LocalId| {
        let found = body
            .variables
            .binary_search_by_key(&local, |&(local, _)| local);
        found.ok().map(|index| body.variables[index].1.clone())
    };
    // Optimised code says which parameter of the source a parameter is, or is a part of.
    let parameter = |local: LocalId| {
        let mut named = body.parameters.iter();
        let found = named.find(|&&(parameter, _)| parameter == local);
        found.map(|(_, name)| name.clone())
    };
    let mut known: Vec<Known> = Vec::new();
    for index in 0..count {
        let local = LocalId(index as u32);
        let named = parameter(local);
        let before = known.last().map(|before| &before.name);
        known.push(Known {
            is_later_part: named.is_some() && named.as_ref() == before,
            name: { variable(local).or(named) }.unwrap_or_else(|| format!("arg{index}")),
        });
    }
    let insts = || body.blocks.iter().flat_map(|block| &block.insts);
    // A part of a variable is stored to an address within it.
    let base_of = |pointer: LocalId| {
        let mut made = insts().filter(|inst| inst.result == Some(pointer));
        match made.next().map(|inst| &inst.kind) {
            Some(InstKind::Gep {
                base: Operand::Local(base),
                ..
            }) => Some(*base),
            _ => None,
        }
    };
    let widened = |value: LocalId| {
        let mut made = insts().filter(|inst| inst.result == Some(value));
        match made.next().map(|inst| &inst.kind) {
            Some(InstKind::Cast {
                op: ir::CastOp::ZExt,
                value: Operand::Local(from),
            }) => Some(*from),
            _ => None,
        }
    };
    let mut is_named = vec![false; count];
    for inst in insts() {
        let InstKind::Store {
            pointer: Operand::Local(pointer),
            value: Operand::Local(value),
        } = inst.kind
        else {
            continue;
        };
        // A truth value is stored as a byte.
        let value = widened(value).unwrap_or(value);
        let index = value.0 as usize;
        if index >= count || is_named[index] {
            continue;
        }
        let whole = variable(pointer).map(|name| (name, false));
        let found = whole.or_else(|| Some((variable(base_of(pointer)?)?, true)));
        if let Some((name, is_part)) = found {
            is_named[index] = true;
            let is_later_part = is_part && index > 0 && known[index - 1].name == name;
            known[index] = Known {
                name,
                is_later_part,
            };
        }
    }
    known
}
