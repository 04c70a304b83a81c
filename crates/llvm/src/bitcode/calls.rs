//! Calls and what comes of them: invokes, landing pads, and the funclets of another system.

use super::Result;
use super::codes::function as code;
use super::function::{Frame, Ops};
use super::module::{Declaration, Reader};
use crate::ir::{
    Call, Callee, Clause, ConstId, ConstKind, Constant, FCmpPredicate, InstKind, Operand, Type,
    TypeId,
};

/// Only says what an optimizer found out.
const CALL_TAIL: u32 = 0;
const CALL_EXPLICIT_TYPE: u32 = 15;
const CALL_FAST_MATH: u32 = 17;
const INVOKE_EXPLICIT_TYPE: u32 = 13;

impl Reader<'_> {
    pub fn read_call(&mut self, frame: &mut Frame, record: u32, ops: &mut Ops) -> Result<()> {
        let attributes = self.op(ops)?;
        let flags = self.op(ops)?;
        let mut said = flags & !(1 << CALL_TAIL);
        let mut targets = Vec::new();
        match record {
            code::INVOKE => {
                targets.push(self.block_op(frame, ops)?);
                targets.push(self.block_op(frame, ops)?);
            }
            code::CALLBR => {
                targets.push(self.block_op(frame, ops)?);
                for _ in 0..self.op(ops)? {
                    targets.push(self.block_op(frame, ops)?);
                }
            }
            _ => {
                if flags >> CALL_FAST_MATH & 1 != 0 {
                    said |= self.op(ops)? << 20;
                }
            }
        }
        frame.say(&[said]);
        let explicit = if record == code::INVOKE {
            INVOKE_EXPLICIT_TYPE
        } else {
            CALL_EXPLICIT_TYPE
        };
        let explicit = if flags >> explicit & 1 != 0 {
            Some(self.ty_op(ops)?)
        } else {
            None
        };
        let (callee, callee_ty) = self.value(frame, ops)?;
        let ty = match explicit {
            Some(ty) => ty,
            None => self.pointee(callee_ty)?,
        };
        let call = self.read_arguments(frame, ops, attributes, callee, ty)?;
        let Type::Function { result, .. } = *self.module.types.get(ty) else {
            return Err(self.bad("a call of no function type"));
        };
        let kind = match record {
            code::INVOKE => InstKind::Invoke {
                call,
                normal: targets[0],
                unwind: targets[1],
            },
            code::CALLBR => InstKind::CallBr {
                call,
                normal: targets[0],
                indirect: targets.split_off(1),
            },
            _ => InstKind::Call(call),
        };
        self.emit(frame, kind, Some(result))
    }

    fn read_arguments(
        &mut self,
        frame: &mut Frame,
        ops: &mut Ops,
        attributes: u64,
        callee: Operand,
        ty: TypeId,
    ) -> Result<Call> {
        let Type::Function {
            params, variadic, ..
        } = self.module.types.get(ty)
        else {
            return Err(self.bad("a call of no function type"));
        };
        if ops.left() < params.len() {
            return Err(self.bad("too few arguments"));
        }
        let (mut tys, variadic) = (params.clone(), *variadic);
        let mut args = Vec::new();
        let mut metadata = Vec::new();
        for &param in &tys {
            match self.module.types.get(param) {
                Type::Metadata => {
                    let op = self.op(ops)?;
                    metadata.push(u64::from(self.number(frame, op)));
                    args.push(Operand::Const(self.standing_for(param)));
                }
                Type::Label => {
                    self.op(ops)?;
                    args.push(Operand::Const(self.standing_for(param)));
                }
                _ => args.push(self.value_of(frame, ops, param)?),
            }
        }
        if !variadic && ops.left() > 0 {
            return Err(self.bad("too many arguments"));
        }
        while ops.left() > 0 {
            let (arg, ty) = self.value(frame, ops)?;
            args.push(arg);
            tys.push(ty);
        }
        let by_value = self.by_value_arguments(attributes, &tys)?;
        let callee = self.callee(frame, callee, &metadata)?;
        let predicate = metadata
            .iter()
            .find_map(|&number| FCmpPredicate::named(self.metadata.text(number)?));
        Ok(Call {
            callee,
            ty,
            args,
            by_value,
            predicate,
        })
    }

    fn callee(&mut self, frame: &Frame, callee: Operand, metadata: &[u64]) -> Result<Callee> {
        let Operand::Const(id) = callee else {
            return Ok(Callee::Value(callee));
        };
        match &self.module.constants[id.0 as usize].kind {
            ConstKind::InlineAsm(asm) => {
                let asm = asm.clone();
                self.expand((asm.text.len() + asm.constraints.len()) as u64)?;
                return Ok(Callee::Asm(asm));
            }
            ConstKind::Symbol(symbol) => {
                if let [value, variable, ..] = *metadata
                    && let Some((local, name)) = self.declared_local(frame, value, variable)
                {
                    self.declarations.push(Declaration {
                        function: frame.symbol,
                        callee: *symbol,
                        local,
                        name,
                        is_parameter: self.metadata.parameter(variable).is_some(),
                    });
                }
            }
            _ => {}
        }
        Ok(Callee::Value(callee))
    }

    /// The constant that stands for an argument that is no value.
    fn standing_for(&mut self, ty: TypeId) -> ConstId {
        let constants = &mut self.module.constants;
        *self.metadata_argument.entry(ty.0).or_insert_with(|| {
            constants.push(Constant {
                ty,
                kind: ConstKind::Undef,
            });
            ConstId(constants.len() as u32 - 1)
        })
    }

    pub fn read_landing_pad(
        &mut self,
        frame: &mut Frame,
        record: u32,
        ops: &mut Ops,
    ) -> Result<()> {
        let ty = self.ty_op(ops)?;
        if record == code::LANDINGPAD_OLD {
            // The personality, of before it was the function's.
            self.value(frame, ops)?;
        }
        let cleanup = self.op(ops)? != 0;
        let count = self.op(ops)?;
        let mut clauses = Vec::new();
        for _ in 0..count {
            let filter = self.op(ops)? != 0;
            let (value, _) = self.value(frame, ops)?;
            clauses.push(if filter {
                Clause::Filter(value)
            } else {
                Clause::Catch(value)
            });
        }
        self.emit(frame, InstKind::LandingPad { cleanup, clauses }, Some(ty))
    }

    /// Funclets are read for their place in the numbering of values only.
    pub fn read_funclet(&mut self, frame: &mut Frame, record: u32) -> Result<()> {
        let token = self.token();
        let (name, result, ends) = match record {
            code::CLEANUPRET => ("cleanupret", None, true),
            code::CATCHRET => ("catchret", None, true),
            code::CATCHSWITCH => ("catchswitch", Some(token), true),
            code::CATCHPAD => ("catchpad", Some(token), false),
            _ => ("cleanuppad", Some(token), false),
        };
        self.emit(frame, InstKind::Unsupported(name), result)?;
        if ends {
            self.emit(frame, InstKind::Unreachable, None)?;
        }
        Ok(())
    }
}
