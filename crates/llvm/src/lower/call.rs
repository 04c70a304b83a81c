//! Calls: of functions, of what the machine itself provides, and of intrinsics.

use super::arith::part;
use super::promote::callee_name;
use super::shape::{Class, Shape};
use super::{Lowered, Lowerer};
use crate::code::{Arg, ArgClass, CallSite, Clause, Edge, LandingPad, Op, Slow, Src};
use crate::ir::{self, BlockId, Call, Callee, ConstKind, InstKind, LocalId, Operand, Type, TypeId};
use crate::load::Callable;

impl Lowerer<'_> {
    pub(super) fn call(&mut self, result: Option<LocalId>, call: &Call) -> Lowered<()> {
        if let Callee::Asm(asm) = &call.callee {
            return self.inline_asm(result, asm, &call.args);
        }
        if let Some(name) = callee_name(self.module, call)
            && name.starts_with("llvm.")
        {
            let name = name.to_string();
            return self.intrinsic(result, &name, call);
        }
        self.plain_call(result, call)
    }

    fn plain_call(&mut self, result: Option<LocalId>, call: &Call) -> Lowered<()> {
        let Callee::Value(callee) = &call.callee else {
            return Err("inline assembly that may unwind".into());
        };
        let mut site = self.call_site(call)?;
        site.is_ignored = result.is_none_or(|local| self.uses.of_local(local).is_empty());
        let known = match callee {
            Operand::Const(id) => self.known_callee(*id),
            Operand::Local(_) => None,
        };
        let address = match known {
            Some(_) => 0,
            None => {
                let word = self.word(*callee)?;
                self.reg(word)
            }
        };
        let dst = if site.results > 0 {
            self.result(result)?
        } else {
            0
        };
        let index = self.code.calls.len() as u32;
        self.code.calls.push(site);
        self.calls = true;
        self.code.sites.push((self.pc(), self.index));
        match known {
            Some((function, Callable::Code)) => self.emit(Op::Call, 0, dst, function, index),
            Some((function, Callable::Native)) => {
                self.emit(Op::CallNative, 0, dst, function, index)
            }
            None => self.emit(Op::CallIndirect, 0, dst, address, index),
        };
        Ok(())
    }

    fn known_callee(&self, id: ir::ConstId) -> Option<(u32, Callable)> {
        match &self.module.constants[id.0 as usize].kind {
            ConstKind::Symbol(symbol) => self.linked.callable(self.module_index, *symbol),
            ConstKind::Cast { value, .. } => self.known_callee(*value),
            _ => None,
        }
    }

    fn call_site(&mut self, call: &Call) -> Lowered<CallSite> {
        let Type::Function {
            result,
            params,
            variadic,
        } = self.module.types.get(call.ty)
        else {
            return Err("a call of something that is no function".into());
        };
        let (result, fixed, variadic) = (*result, params.len(), *variadic);
        let mut args = Vec::new();
        for (index, &operand) in call.args.iter().enumerate() {
            let words = self.words(operand)?;
            let by_value = call.by_value.get(index).copied().flatten();
            let class = self.class(self.operand_type(operand), by_value)?;
            let layout = match class {
                ArgClass::Aggregate { .. } => self.operand_shape(operand)?.word_layout(),
                _ => Vec::new(),
            };
            args.push(Arg {
                words,
                class,
                layout,
            });
        }
        let shape = self.shape(result)?;
        Ok(CallSite {
            args,
            fixed,
            variadic,
            results: shape.words,
            result: if shape.words == 0 {
                None
            } else {
                Some(self.class(result, None)?)
            },
            is_ignored: false,
        })
    }

    fn class(&self, ty: TypeId, by_value: Option<ir::ByValueArg>) -> Lowered<ArgClass> {
        let (types, layout) = (&self.module.types, &self.module.layout);
        if let Some(ir::ByValueArg { ty, align }) = by_value {
            let align = if align == 0 {
                layout.align(types, ty)
            } else {
                align
            };
            let size = layout.size(types, ty);
            return Ok(ArgClass::ByValue { size, align });
        }
        Ok(match self.shape(ty)?.leaves[..] {
            [leaf] => match leaf.class {
                Class::Float(format) => ArgClass::Float(format),
                _ => ArgClass::Int(leaf.bits),
            },
            _ => ArgClass::Aggregate {
                size: layout.size(types, ty),
            },
        })
    }

    pub(super) fn invoke(
        &mut self,
        result: Option<LocalId>,
        call: &Call,
        normal: BlockId,
        unwind: BlockId,
    ) -> Lowered<()> {
        let is_intrinsic =
            callee_name(self.module, call).is_some_and(|name| name.starts_with("llvm."));
        if is_intrinsic || matches!(call.callee, Callee::Asm(_)) {
            self.call(result, call)?;
        } else {
            self.plain_call(result, call)?;
            let pc = self.pc() - 1;
            // The moves of the edge to the pad come right behind the call, jumped over on the way on.
            let over = self.emit(Op::Jump, 0, 0, 0, 0);
            let pad_pc = self.pc();
            self.emit_edge(unwind);
            self.code.instrs[over].dst = self.pc();
            self.block_constants.clear();
            let pad = self.pad(pad_pc, unwind)?;
            self.code.pads.push((pc, pad));
            if self.is_only_next(normal) {
                self.emit_moves(self.current, normal);
                self.edge(over, Edge::TAKEN, normal, false);
                return Ok(());
            }
        }
        self.jump_to(normal);
        Ok(())
    }

    fn pad(&mut self, pc: u32, unwind: BlockId) -> Lowered<LandingPad> {
        let body = self.body;
        let insts = &body.blocks[unwind.0 as usize].insts;
        let pad = insts.iter().find_map(|inst| match &inst.kind {
            InstKind::LandingPad { cleanup, clauses } => Some((*cleanup, clauses)),
            _ => None,
        });
        let Some((cleanup, clauses)) = pad else {
            return Err("an unwinding edge without a landing pad".into());
        };
        let mut read = Vec::new();
        for clause in clauses {
            match clause {
                ir::Clause::Catch(Operand::Const(id)) => {
                    read.push(Clause::Catch(self.constants.word(*id)?))
                }
                ir::Clause::Filter(Operand::Const(id)) => {
                    read.push(Clause::Filter(self.constants.words(*id)?))
                }
                _ => return Err("a landing pad of no constants".into()),
            }
        }
        Ok(LandingPad {
            pc,
            cleanup,
            clauses: read,
        })
    }

    pub(super) fn landing_pad(&mut self, result: Option<LocalId>) -> Lowered<()> {
        let words = match result {
            Some(local) => self.shape(self.type_of(local))?.words,
            None => 0,
        };
        if words != 2 {
            return Err("a landing pad of an unusual type".into());
        }
        let dst = self.result(result)?;
        self.slow(Slow::LandingPad { dst });
        Ok(())
    }

    pub(super) fn resume(&mut self, value: Operand) -> Lowered<()> {
        let word = self.word(value)?;
        let reg = self.reg(word);
        self.emit_counted(Op::Resume, 0, reg, 0);
        // Where nobody catches it, and the program's own last words return.
        self.emit(Op::Unreachable, 0, 0, 0, 0);
        Ok(())
    }

    /// The scalars of an argument, each with its words.
    pub(super) fn lanes(&mut self, operand: Operand) -> Lowered<(Shape, Vec<Vec<Src>>)> {
        let shape = self.operand_shape(operand)?;
        let words = self.words(operand)?;
        let lanes = shape.leaves.iter().map(|leaf| part(&words, leaf)).collect();
        Ok((shape, lanes))
    }
}
