//! Function bodies: the block, its values, and the instructions that compute and branch.
//!
//! A function's values are numbered behind the module's: arguments, its own constants, then the results of its
//! instructions. Operands are written as the distance from the next result, so one of a later instruction wraps
//! around; where nothing else says its type the record does.

use super::Result;
use super::bitstream::{Entry, Record};
use super::codes::{block, function as code};
use super::constants::int_constant;
use super::constexpr::{binary_op, cast_op, float_predicate, int_predicate};
use super::module::Reader;
use crate::ir::{
    BinaryOp, Block, BlockId, Body, ConstId, ConstKind, Constant, Inst, InstKind, LocId, LocalId,
    Operand, SymbolId, SymbolKind, Type, TypeId, Wrap,
};

/// A case of a switch may be a range of numbers in one form of the record; ranges of more are refused.
const MAX_RANGE: u64 = 1 << 12;
const SWITCH_WITH_RANGES: u64 = 0x4b5;

/// A function whose body is being read.
pub(super) struct Frame {
    pub symbol: SymbolId,
    /// How many of the values are the module's.
    first: u32,
    arguments: u32,
    constants: Vec<ConstId>,
    /// The number that the next result gets.
    pub next_value: u32,
    pub locals: Vec<TypeId>,
    declared_blocks: u32,
    blocks: Vec<Block>,
    current: Vec<Inst>,
    /// Results that were used before they were defined, and the type they then were said to have.
    forward: Vec<(LocalId, TypeId)>,
    variables: Vec<(LocalId, String)>,
    parameters: Vec<(LocalId, String)>,
    last_location: LocId,
    /// Of the next instruction.
    flags: u32,
    started: bool,
}

impl Frame {
    /// The instruction that was read last.
    fn last(&mut self) -> Option<&mut Inst> {
        if self.current.is_empty() {
            self.blocks
                .last_mut()
                .and_then(|block| block.insts.last_mut())
        } else {
            self.current.last_mut()
        }
    }

    /// What the next instruction says besides, in numbers of few bits each.
    pub fn say(&mut self, said: &[u64]) {
        let pack = |flags: u32, &op: &u64| flags.rotate_left(5) ^ op as u32;
        self.flags = said.iter().fold(self.flags, pack);
    }
}

/// The operands of a record, one after the other.
pub(super) struct Ops<'r> {
    ops: &'r [u64],
    at: usize,
}

impl<'r> Ops<'r> {
    pub fn left(&self) -> usize {
        self.ops.len() - self.at
    }

    pub fn rest(&self) -> &'r [u64] {
        &self.ops[self.at..]
    }
}

impl Reader<'_> {
    pub fn op(&self, ops: &mut Ops) -> Result<u64> {
        let op = ops
            .ops
            .get(ops.at)
            .copied()
            .ok_or_else(|| self.bad("too few operands"))?;
        ops.at += 1;
        Ok(op)
    }

    pub fn ty_op(&self, ops: &mut Ops) -> Result<TypeId> {
        let id = self.op(ops)?;
        self.ty(id)
    }

    pub fn block_op(&self, frame: &Frame, ops: &mut Ops) -> Result<BlockId> {
        let id = self.op(ops)?;
        match u32::try_from(id) {
            Ok(id) if id < frame.declared_blocks => Ok(BlockId(id)),
            _ => Err(self.bad(format!("no block {id}"))),
        }
    }

    /// What a value's number means.
    fn operand(&self, frame: &Frame, number: u32) -> Operand {
        let Some(own) = number.checked_sub(frame.first) else {
            return self.used(self.values[number as usize]);
        };
        let Some(beyond) = own.checked_sub(frame.arguments) else {
            return Operand::Local(LocalId(own));
        };
        match frame.constants.get(beyond as usize) {
            Some(&id) => self.used(id),
            None => Operand::Local(LocalId(own - frame.constants.len() as u32)),
        }
    }

    fn used(&self, id: ConstId) -> Operand {
        if let Some(selection) = &self.selection {
            selection.used.borrow_mut().push(id);
        }
        Operand::Const(id)
    }

    pub fn type_of(&self, frame: &Frame, operand: Operand) -> TypeId {
        match operand {
            Operand::Const(id) => self.module.constants[id.0 as usize].ty,
            Operand::Local(id) => frame.locals[id.0 as usize],
        }
    }

    pub fn number(&self, frame: &Frame, op: u64) -> u32 {
        if self.version >= 1 {
            frame.next_value.wrapping_sub(op as u32)
        } else {
            op as u32
        }
    }

    /// A value and its type.
    pub fn value(&self, frame: &mut Frame, ops: &mut Ops) -> Result<(Operand, TypeId)> {
        let number = self.number(frame, self.op(ops)?);
        if number < frame.next_value {
            let operand = self.operand(frame, number);
            return Ok((operand, self.type_of(frame, operand)));
        }
        let ty = self.ty_op(ops)?;
        Ok((self.forward(frame, number, ty), ty))
    }

    /// A value whose type is known.
    pub fn value_of(&self, frame: &mut Frame, ops: &mut Ops, ty: TypeId) -> Result<Operand> {
        let number = self.number(frame, self.op(ops)?);
        Ok(self.numbered(frame, number, ty))
    }

    pub fn numbered(&self, frame: &mut Frame, number: u32, ty: TypeId) -> Operand {
        if number < frame.next_value {
            self.operand(frame, number)
        } else {
            self.forward(frame, number, ty)
        }
    }

    fn forward(&self, frame: &mut Frame, number: u32, ty: TypeId) -> Operand {
        let operand = self.operand(frame, number);
        if let Operand::Local(local) = operand {
            frame.forward.push((local, ty));
        }
        operand
    }

    /// Adds an instruction; `ty` is the type of its result.
    pub fn emit(&self, frame: &mut Frame, kind: InstKind, ty: Option<TypeId>) -> Result<()> {
        if frame.blocks.len() >= frame.declared_blocks as usize {
            return Err(self.bad("an instruction outside of every block"));
        }
        let result = match ty {
            Some(ty) if !matches!(self.module.types.get(ty), Type::Void) => {
                let local = LocalId(frame.locals.len() as u32);
                frame.locals.push(ty);
                frame.next_value += 1;
                Some(local)
            }
            _ => None,
        };
        let ends = kind.is_terminator();
        frame.current.push(Inst {
            result,
            kind,
            loc: LocId(0),
            flags: std::mem::take(&mut frame.flags),
        });
        frame.started = true;
        if ends {
            frame.blocks.push(Block {
                insts: std::mem::take(&mut frame.current),
            });
        }
        Ok(())
    }

    pub fn read_function(&mut self) -> Result<()> {
        let Some(symbol) = self.awaiting_bodies.pop_front() else {
            return Err(self.bad("a body of no function"));
        };
        let params = match &self.module.symbols[symbol.0 as usize].kind {
            SymbolKind::Function(function) => match self.module.types.get(function.ty) {
                Type::Function { params, .. } => params.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        self.expand(params.len() as u64 * 4)?;
        let first = self.values.len() as u32;
        let mut frame = Frame {
            symbol,
            first,
            arguments: params.len() as u32,
            constants: Vec::new(),
            next_value: first + params.len() as u32,
            locals: params,
            declared_blocks: 0,
            blocks: Vec::new(),
            current: Vec::new(),
            forward: Vec::new(),
            variables: Vec::new(),
            parameters: Vec::new(),
            last_location: LocId(0),
            flags: 0,
            started: false,
        };
        self.metadata.enter_function();
        self.enter(block::FUNCTION)?;
        let mut record = Record::default();
        loop {
            match self.next(&mut record)? {
                Entry::EndBlock => break,
                Entry::Block(block::CONSTANTS) => {
                    if frame.started {
                        return Err(self.bad("constants behind instructions"));
                    }
                    let constants = self.read_constants(frame.arguments, &frame.constants)?;
                    frame.next_value += constants.len() as u32;
                    frame.constants.extend(constants);
                }
                Entry::Block(block::METADATA) => self.read_metadata()?,
                Entry::Block(block::METADATA_ATTACHMENT) => self.read_attachments(symbol)?,
                Entry::Block(_) => self.skip()?,
                Entry::Record => {
                    let mut ops = Ops {
                        ops: &record.ops,
                        at: 0,
                    };
                    self.read_instruction(&mut frame, record.code, &mut ops)?;
                }
            }
        }
        self.metadata.leave_function();
        self.finish_function(frame)
    }

    fn finish_function(&mut self, frame: Frame) -> Result<()> {
        let name = &self.module.symbols[frame.symbol.0 as usize].name;
        if frame.blocks.len() != frame.declared_blocks as usize
            || !frame.current.is_empty()
            || frame.blocks.is_empty()
        {
            return Err(self.invalid(format!("function `{name}` ends within a block")));
        }
        for &(local, ty) in &frame.forward {
            match frame.locals.get(local.0 as usize) {
                Some(&actual) if super::validate::same_type(&self.module.types, actual, ty) => {}
                Some(_) => {
                    let what = format!(
                        "function `{name}`: local {} has another type where it is used",
                        local.0
                    );
                    return Err(self.invalid(what));
                }
                None => {
                    return Err(self.invalid(format!(
                        "function `{name}` uses a value that it never defines"
                    )));
                }
            }
        }
        if let SymbolKind::Function(function) =
            &mut self.module.symbols[frame.symbol.0 as usize].kind
        {
            function.body = Some(Body {
                locals: frame.locals,
                blocks: frame.blocks,
                variables: frame.variables,
                parameters: frame.parameters,
            });
        }
        Ok(())
    }

    fn read_instruction(&mut self, frame: &mut Frame, record: u32, ops: &mut Ops) -> Result<()> {
        match record {
            code::DECLAREBLOCKS => {
                let count = self.op(ops)?;
                // Each block takes some bits to end, so a count of more than there are is a lie.
                if count == 0 || count > self.stream.bits_left() || frame.declared_blocks != 0 {
                    return Err(self.bad(format!("{count} blocks")));
                }
                frame.declared_blocks =
                    u32::try_from(count).map_err(|_| self.bad("too many blocks"))?;
                Ok(())
            }
            code::DEBUG_LOC => {
                let location = self.metadata.location(ops.rest());
                frame.last_location = location;
                if let Some(inst) = frame.last() {
                    inst.loc = location;
                }
                Ok(())
            }
            code::DEBUG_LOC_AGAIN => {
                let location = frame.last_location;
                if let Some(inst) = frame.last() {
                    inst.loc = location;
                }
                Ok(())
            }
            code::DEBUG_RECORD_DECLARE => {
                if let [_, variable, _, value, ..] = *ops.rest()
                    && let Some((local, name)) = self.declared_local(frame, value, variable)
                {
                    frame.variables.push((local, name));
                }
                Ok(())
            }
            code::DEBUG_RECORD_VALUE => {
                if let [_, variable, _, value, ..] = *ops.rest()
                    && let Some((local, _)) = self.declared_local(frame, value, variable)
                {
                    self.note_parameter(frame, local, variable);
                }
                Ok(())
            }
            code::DEBUG_RECORD_VALUE_SIMPLE => {
                if let [_, variable, _, value, ..] = *ops.rest() {
                    let own = self.number(frame, value).checked_sub(frame.first);
                    if let Some(own) = own.filter(|&own| own < frame.arguments) {
                        self.note_parameter(frame, LocalId(own), variable);
                    }
                }
                Ok(())
            }
            // Operand bundles add to calls what only optimizers and other systems read; the rest says where values
            // of variables are and who takes the addresses of blocks.
            code::OPERAND_BUNDLE
            | code::BLOCKADDR_USERS
            | code::DEBUG_RECORD_ASSIGN
            | code::DEBUG_RECORD_LABEL
            | code::DEBUG_RECORD_DECLARE_VALUE => Ok(()),

            code::UNOP => {
                let (value, ty) = self.value(frame, ops)?;
                let op = self.op(ops)?;
                frame.say(ops.rest());
                match op {
                    0 => self.emit(frame, InstKind::FNeg(value), Some(ty)),
                    _ => Err(self.bad("an unknown operation")),
                }
            }
            code::BINOP => self.read_binary(frame, ops),
            code::CAST => {
                let (value, _) = self.value(frame, ops)?;
                let ty = self.ty_op(ops)?;
                let op = cast_op(self.op(ops)?).ok_or_else(|| self.bad("an unknown cast"))?;
                frame.say(ops.rest());
                self.emit(frame, InstKind::Cast { op, value }, Some(ty))
            }
            code::CMP | code::CMP2 => self.read_compare(frame, ops),
            code::SELECT => {
                let (then, ty) = self.value(frame, ops)?;
                let other = self.value_of(frame, ops, ty)?;
                let bit = self.bit();
                let condition = self.value_of(frame, ops, bit)?;
                frame.say(ops.rest());
                let kind = InstKind::Select {
                    condition,
                    then,
                    other,
                };
                self.emit(frame, kind, Some(ty))
            }
            code::VSELECT => {
                let (then, ty) = self.value(frame, ops)?;
                let other = self.value_of(frame, ops, ty)?;
                let (condition, _) = self.value(frame, ops)?;
                frame.say(ops.rest());
                let kind = InstKind::Select {
                    condition,
                    then,
                    other,
                };
                self.emit(frame, kind, Some(ty))
            }
            code::FREEZE => {
                let (value, ty) = self.value(frame, ops)?;
                self.emit(frame, InstKind::Freeze(value), Some(ty))
            }
            code::EXTRACTELT => {
                let (vector, ty) = self.value(frame, ops)?;
                let (index, _) = self.value(frame, ops)?;
                let (element, ..) = self.vector_parts(ty)?;
                self.emit(
                    frame,
                    InstKind::ExtractElement { vector, index },
                    Some(element),
                )
            }
            code::INSERTELT => {
                let (vector, ty) = self.value(frame, ops)?;
                let (element, ..) = self.vector_parts(ty)?;
                let value = self.value_of(frame, ops, element)?;
                let (index, _) = self.value(frame, ops)?;
                self.emit(
                    frame,
                    InstKind::InsertElement {
                        vector,
                        value,
                        index,
                    },
                    Some(ty),
                )
            }
            code::SHUFFLEVEC => {
                let (a, ty) = self.value(frame, ops)?;
                let b = self.value_of(frame, ops, ty)?;
                let (element, _, scalable) = self.vector_parts(ty)?;
                let (Operand::Const(mask), _) = self.value(frame, ops)? else {
                    return Err(self.bad("a mask that is not constant"));
                };
                let mask = self.mask(mask)?;
                let ty = self.vector_of(element, mask.len() as u64, scalable);
                self.emit(frame, InstKind::Shuffle { a, b, mask }, Some(ty))
            }
            code::EXTRACTVAL => {
                let (aggregate, ty) = self.value(frame, ops)?;
                let (path, ty) = self.path(ops.rest(), ty)?;
                self.emit(frame, InstKind::ExtractValue { aggregate, path }, Some(ty))
            }
            code::INSERTVAL => {
                let (aggregate, ty) = self.value(frame, ops)?;
                let (value, _) = self.value(frame, ops)?;
                let (path, _) = self.path(ops.rest(), ty)?;
                let kind = InstKind::InsertValue {
                    aggregate,
                    value,
                    path,
                };
                self.emit(frame, kind, Some(ty))
            }
            code::PHI => self.read_phi(frame, ops),

            code::RET => {
                let value = if ops.left() == 0 {
                    None
                } else {
                    Some(self.value(frame, ops)?.0)
                };
                self.emit(frame, InstKind::Ret(value), None)
            }
            code::BR => {
                let then = self.block_op(frame, ops)?;
                if ops.left() == 0 {
                    return self.emit(frame, InstKind::Br(then), None);
                }
                let other = self.block_op(frame, ops)?;
                let bit = self.bit();
                let condition = self.value_of(frame, ops, bit)?;
                let kind = InstKind::CondBr {
                    condition,
                    then,
                    other,
                };
                self.emit(frame, kind, None)
            }
            code::SWITCH => self.read_switch(frame, ops),
            code::INDIRECTBR => {
                let ty = self.ty_op(ops)?;
                let address = self.value_of(frame, ops, ty)?;
                let mut targets = Vec::new();
                while ops.left() > 0 {
                    targets.push(self.block_op(frame, ops)?);
                }
                self.emit(frame, InstKind::IndirectBr { address, targets }, None)
            }
            code::UNREACHABLE => self.emit(frame, InstKind::Unreachable, None),
            code::RESUME => {
                let (value, _) = self.value(frame, ops)?;
                self.emit(frame, InstKind::Resume(value), None)
            }
            code::CALL | code::INVOKE | code::CALLBR => self.read_call(frame, record, ops),
            code::LANDINGPAD | code::LANDINGPAD_OLD => self.read_landing_pad(frame, record, ops),
            code::CLEANUPRET
            | code::CATCHRET
            | code::CATCHPAD
            | code::CLEANUPPAD
            | code::CATCHSWITCH => self.read_funclet(frame, record),
            _ => self.read_memory(frame, record, ops),
        }
    }

    /// A local is the value of a variable: if both are parameters, that is what it is called. What is inlined says so of
    /// its own parameters later.
    fn note_parameter(&self, frame: &mut Frame, local: LocalId, variable: u64) {
        let is_known = frame.parameters.iter().any(|&(known, _)| known == local);
        if local.0 < frame.arguments
            && !is_known
            && let Some(name) = self.metadata.parameter(variable)
        {
            frame.parameters.push((local, name));
        }
    }

    /// The local and the name of a variable, where metadata says that the one holds the other's address.
    pub fn declared_local(
        &self,
        frame: &Frame,
        value: u64,
        variable: u64,
    ) -> Option<(LocalId, String)> {
        let (value, name) = self.metadata.declared(value, variable)?;
        let number = u32::try_from(value).ok()?;
        match self.operand(frame, number) {
            Operand::Local(local) if (local.0 as usize) < frame.locals.len() => Some((local, name)),
            _ => None,
        }
    }

    pub fn vector_parts(&self, ty: TypeId) -> Result<(TypeId, u64, bool)> {
        match *self.module.types.get(ty) {
            Type::Vector {
                element,
                len,
                scalable,
            } => Ok((element, len, scalable)),
            _ => Err(self.bad("not a vector")),
        }
    }

    fn scalar(&self, ty: TypeId) -> TypeId {
        match self.module.types.get(ty) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        }
    }

    fn read_binary(&mut self, frame: &mut Frame, ops: &mut Ops) -> Result<()> {
        let (a, ty) = self.value(frame, ops)?;
        let b = self.value_of(frame, ops, ty)?;
        let float = self.module.types.is_float(self.scalar(ty));
        let op = binary_op(self.op(ops)?, float).ok_or_else(|| self.bad("an unknown operation"))?;
        let flags = ops.rest().first().copied().unwrap_or(0);
        frame.say(ops.rest());
        let wrap = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => Wrap {
                no_unsigned: flags & 1 != 0,
                no_signed: flags & 2 != 0,
            },
            _ => Wrap::default(),
        };
        self.emit(frame, InstKind::Binary { op, a, b, wrap }, Some(ty))
    }

    fn read_compare(&mut self, frame: &mut Frame, ops: &mut Ops) -> Result<()> {
        let (a, ty) = self.value(frame, ops)?;
        let b = self.value_of(frame, ops, ty)?;
        let code = self.op(ops)?;
        frame.say(ops.rest());
        let kind = if self.module.types.is_float(self.scalar(ty)) {
            float_predicate(code).map(|predicate| InstKind::FCmp { predicate, a, b })
        } else {
            int_predicate(code).map(|predicate| InstKind::ICmp { predicate, a, b })
        };
        let kind = kind.ok_or_else(|| self.bad("an unknown comparison"))?;
        let bit = self.bit();
        let result = match *self.module.types.get(ty) {
            Type::Vector { len, scalable, .. } => self.vector_of(bit, len, scalable),
            _ => bit,
        };
        self.emit(frame, kind, Some(result))
    }

    /// The path into an aggregate, and the type at its end.
    fn path(&self, ops: &[u64], mut ty: TypeId) -> Result<(Vec<u32>, TypeId)> {
        let mut path = Vec::new();
        for &op in ops {
            let next = match self.module.types.get(ty) {
                Type::Struct { fields, .. } => usize::try_from(op)
                    .ok()
                    .and_then(|index| fields.get(index))
                    .copied(),
                Type::Array { element, len } => (op < *len).then_some(*element),
                _ => None,
            };
            ty = next.ok_or_else(|| self.bad("a path that leads out of the aggregate"))?;
            path.push(u32::try_from(op).map_err(|_| self.bad("an index too large"))?);
        }
        if path.is_empty() {
            return Err(self.bad("an empty path"));
        }
        Ok((path, ty))
    }

    fn read_phi(&mut self, frame: &mut Frame, ops: &mut Ops) -> Result<()> {
        let ty = self.ty_op(ops)?;
        let mut incoming = Vec::new();
        // An odd one at the end is flags.
        while ops.left() >= 2 {
            let op = self.op(ops)?;
            let number = if self.version >= 1 {
                frame
                    .next_value
                    .wrapping_sub(super::constants::signed(op) as u32)
            } else {
                op as u32
            };
            let value = self.numbered(frame, number, ty);
            incoming.push((value, self.block_op(frame, ops)?));
        }
        frame.say(ops.rest());
        self.emit(frame, InstKind::Phi(incoming), Some(ty))
    }

    fn read_switch(&mut self, frame: &mut Frame, ops: &mut Ops) -> Result<()> {
        let ranges = ops
            .rest()
            .first()
            .is_some_and(|&op| op >> 16 == SWITCH_WITH_RANGES);
        if ranges {
            self.op(ops)?;
        }
        let ty = self.ty_op(ops)?;
        let value = self.value_of(frame, ops, ty)?;
        let default = self.block_op(frame, ops)?;
        let mut cases = Vec::new();
        if ranges {
            self.read_range_cases(frame, ops, ty, &mut cases)?;
        } else {
            while ops.left() > 0 {
                let number = u32::try_from(self.op(ops)?).unwrap_or(u32::MAX);
                if number >= frame.next_value {
                    return Err(self.bad("a case that is not defined yet"));
                }
                let Operand::Const(case) = self.operand(frame, number) else {
                    return Err(self.bad("a case that is not constant"));
                };
                cases.push((case, self.block_op(frame, ops)?));
            }
        }
        let kind = InstKind::Switch {
            value,
            default,
            cases,
        };
        self.emit(frame, kind, None)
    }

    /// The cases of the form of the record that has ranges of numbers, which was written for a short time only.
    fn read_range_cases(
        &mut self,
        frame: &Frame,
        ops: &mut Ops,
        ty: TypeId,
        cases: &mut Vec<(ConstId, BlockId)>,
    ) -> Result<()> {
        let Type::Int(bits @ 1..=64) = *self.module.types.get(ty) else {
            return Err(self.bad("ranges of wide numbers"));
        };
        for _ in 0..self.op(ops)? {
            let mut numbers = Vec::new();
            for _ in 0..self.op(ops)? {
                let single = self.op(ops)? != 0;
                let ConstKind::Int(low) = int_constant(bits, &[self.op(ops)?]) else {
                    continue;
                };
                let mut high = low;
                if !single && let ConstKind::Int(value) = int_constant(bits, &[self.op(ops)?]) {
                    high = value;
                }
                if high < low || high - low > MAX_RANGE {
                    return Err(self.bad("a range of too many cases"));
                }
                self.expand((high - low) * 64)?;
                numbers.extend(low..=high);
            }
            let target = self.block_op(frame, ops)?;
            for number in numbers {
                let id = ConstId(self.module.constants.len() as u32);
                let kind = ConstKind::Int(number);
                self.module.constants.push(Constant { ty, kind });
                cases.push((id, target));
            }
        }
        Ok(())
    }
}
