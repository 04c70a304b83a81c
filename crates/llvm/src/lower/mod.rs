//! Lowering: a function of the intermediate language becomes register code, once, when it is first called.
//!
//! Every local gets words ([`Src`]), most of them slots of its own; a value that only renames another (a zero
//! extension, an element of a structure, a promoted variable) shares its words and costs nothing. Slots are never
//! reused, so a calculation may be put off to where it is used: address arithmetic folds into loads and stores,
//! comparisons into branches.

mod arith;
mod assembly;
mod call;
mod cast;
pub mod constant;
mod constrained;
mod float_checks;
mod flow;
mod intrinsic;
mod memory;
mod processor;
mod promote;
pub mod shape;
mod uses;
mod vector;
pub mod verify;

use std::cell::Cell;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::code::{Code, Instr, Op, Src};
use crate::ir::{BlockId, Body, InstKind, LocalId, Module, Operand, SymbolId, SymbolKind, TypeId};
use crate::load::Linked;
use constant::Constants;
use promote::Promotion;
pub(crate) use promote::callee_name;
use shape::{Leaf, Shape};
use uses::Uses;
pub(crate) use uses::{operands, successors};

/// Vectors and structures are looked at word by word, again and again. This is more than any function needs.
const MOST_WORK: u64 = 1 << 26;

/// Why a part of a function cannot be run; it ends a path only when that part is reached.
type Lowered<T> = Result<T, String>;

/// An address put together by the instruction that uses it.
#[derive(Clone, Copy, Debug)]
struct Address {
    base: Src,
    /// A register and what it is multiplied by.
    index: Option<(u32, u16)>,
    offset: i64,
}

pub struct Lowerer<'a> {
    linked: &'a Linked,
    module_index: usize,
    module: &'a Module,
    symbol: SymbolId,
    body: &'a Body,
    constants: Constants<'a>,
    code: Code,
    /// The words of every local that has been lowered, or has its place already.
    places: Vec<Option<Vec<Src>>>,
    addresses: HashMap<LocalId, Address, FxBuildHasher>,
    uses: Uses,
    promotion: Promotion,
    slots: u32,
    /// The local that a slot was made for.
    owners: HashMap<u32, LocalId, FxBuildHasher>,
    /// Constants that loops use, set once at entry.
    entry_constants: HashMap<u64, u32, FxBuildHasher>,
    /// Constants set in the block at hand.
    block_constants: HashMap<u64, u32, FxBuildHasher>,
    current: BlockId,
    /// Instructions of the source since the last one that counted.
    count: u32,
    /// Words of all the shapes that were looked at.
    work: Cell<u64>,
    block_pcs: Vec<u32>,
    /// Where `dst` is to become the start of a block.
    jumps: Vec<(usize, BlockId)>,
    table_jumps: Vec<(usize, BlockId)>,
    /// Moves of an edge that is entered by a taken branch: they come after the blocks.
    trampolines: Vec<(usize, BlockId, BlockId)>,
    /// The block at hand calls a function, which need not return.
    calls: bool,
    /// The instruction of the block at hand.
    index: u32,
    /// The same, as points are counted.
    number: u32,
    table_trampolines: Vec<(usize, BlockId, BlockId)>,
}

/// Lowers one function that has a body.
pub fn lower(linked: &Linked, module_index: usize, symbol: SymbolId) -> Result<Code, String> {
    let Some(module) = linked.program.modules.get(module_index) else {
        return Err("a function that the program does not define".into());
    };
    let SymbolKind::Function(function) = &module.symbols[symbol.0 as usize].kind else {
        return Err("not a function".into());
    };
    let Some(body) = &function.body else {
        return Err("a function without a body".into());
    };
    let uses = Uses::of(body);
    let promotion = Promotion::of(module, body, &uses, linked.options.keep_variables_in_memory);
    let mut lowerer = Lowerer {
        linked,
        module_index,
        module,
        symbol,
        body,
        constants: Constants {
            linked,
            module: module_index,
        },
        code: Code::default(),
        places: vec![None; body.locals.len()],
        addresses: HashMap::default(),
        uses,
        promotion,
        slots: 0,
        owners: HashMap::default(),
        entry_constants: HashMap::default(),
        block_constants: HashMap::default(),
        current: BlockId(0),
        count: 0,
        work: Cell::new(0),
        block_pcs: vec![0; body.blocks.len()],
        jumps: Vec::new(),
        table_jumps: Vec::new(),
        trampolines: Vec::new(),
        calls: false,
        index: 0,
        number: 0,
        table_trampolines: Vec::new(),
    };
    lowerer.function(function)?;
    verify::verify(&lowerer.code)?;
    Ok(lowerer.code)
}

/// The stack variables of a body that need no memory; sorted.
pub(crate) fn promoted(linked: &Linked, module: &Module, body: &Body) -> Vec<LocalId> {
    let keep = linked.options.keep_variables_in_memory;
    Promotion::of(module, body, &Uses::of(body), keep).locals()
}

impl<'a> Lowerer<'a> {
    fn function(&mut self, function: &crate::ir::Function) -> Lowered<()> {
        let crate::ir::Type::Function {
            params, variadic, ..
        } = self.module.types.get(function.ty)
        else {
            return Err("a function whose type is none".into());
        };
        self.code.variadic = *variadic;
        for index in 0..params.len() {
            let local = LocalId(index as u32);
            self.define(local)?;
            let shape = self.shape(self.type_of(local))?;
            self.code.param_bits.extend(shape.word_bits());
        }
        self.code.named = params.len() as u32;
        self.code.params = self.slots;
        self.place_promoted();
        self.place_phis()?;
        let body = self.body;
        for (index, block) in body.blocks.iter().enumerate() {
            let id = BlockId(index as u32);
            self.block(id, block)?;
        }
        self.finish();
        Ok(())
    }

    fn block(&mut self, id: BlockId, block: &'a crate::ir::Block) -> Lowered<()> {
        self.current = id;
        self.block_constants.clear();
        let pc = self.pc();
        self.block_pcs[id.0 as usize] = pc;
        self.code.blocks.push(pc);
        self.code.follows.push(false);
        self.calls = false;
        self.number = 0;
        for (index, inst) in block.insts.iter().enumerate() {
            self.index = index as u32;
            if !matches!(&inst.kind, InstKind::Call(call) if self.is_debug(call)) {
                self.count += 1;
            }
            let pc = self.pc();
            if self
                .code
                .locs
                .last()
                .is_none_or(|&(_, loc)| loc != inst.loc)
            {
                match self.code.locs.last_mut() {
                    Some(last) if last.0 == pc => last.1 = inst.loc,
                    _ => self.code.locs.push((pc, inst.loc)),
                }
            }
            if let Err(what) = self.inst(inst, index) {
                self.unsupported(inst.result, what);
                if inst.kind.is_terminator() {
                    self.emit(Op::Unreachable, 0, 0, 0, 0);
                }
            }
            self.count_point(pc, &inst.kind);
            if self.work.get() > MOST_WORK || self.slots > verify::MOST_SLOTS {
                return Err("a function with too many big values".into());
            }
        }
        Ok(())
    }

    /// Notes which code an instruction became.
    fn count_point(&mut self, start: u32, kind: &InstKind) {
        if start < self.pc() {
            self.code.insts.push((start, self.number));
            self.number += self.code.asking(start..self.pc()).max(1);
        } else if !crate::fingerprint::is_debug(self.module, kind) {
            self.number += 1;
        }
    }

    /// Ends the path here, and gives the result a place all the same, since code after it was lowered before it was
    /// known.
    fn unsupported(&mut self, result: Option<LocalId>, what: String) {
        let index = self.code.slow.len() as u32;
        self.code.slow.push(crate::code::Slow::Unsupported(what));
        self.emit(Op::Slow, 0, 0, index, 0);
        if let Some(result) = result
            && self.places[result.0 as usize].is_none()
        {
            let words = self
                .shape(self.type_of(result))
                .map_or(1, |shape| shape.words);
            self.places[result.0 as usize] = Some(vec![Src::Const(0); words as usize]);
        }
    }

    fn inst(&mut self, inst: &'a crate::ir::Inst, index: usize) -> Lowered<()> {
        let result = inst.result;
        match &inst.kind {
            InstKind::Binary { op, a, b, wrap } => self.binary(result, *op, *a, *b, *wrap),
            InstKind::FNeg(a) => self.float_negate(result, *a),
            InstKind::Cast { op, value } => self.cast(result, *op, *value),
            InstKind::ICmp { predicate, a, b } => self.compare(result, *predicate, *a, *b),
            InstKind::FCmp { predicate, a, b } => self.float_compare(result, *predicate, *a, *b),
            InstKind::Select {
                condition,
                then,
                other,
            } => self.select(result, *condition, *then, *other),
            InstKind::Freeze(a) => {
                let words = self.words(*a)?;
                self.alias(result, words);
                Ok(())
            }
            InstKind::ExtractElement { vector, index } => {
                self.extract_element(result, *vector, *index)
            }
            InstKind::InsertElement {
                vector,
                value,
                index,
            } => self.insert_element(result, *vector, *value, *index),
            InstKind::Shuffle { a, b, mask } => self.shuffle(result, *a, *b, mask),
            InstKind::ExtractValue { aggregate, path } => {
                self.extract_value(result, *aggregate, path)
            }
            InstKind::InsertValue {
                aggregate,
                value,
                path,
            } => self.insert_value(result, *aggregate, *value, path),
            // Placed before, set on the edges.
            InstKind::Phi(_) => Ok(()),
            InstKind::Alloca { ty, count, align } => self.alloca(result, *ty, *count, *align),
            InstKind::Load { pointer, ty } => self.load(result, *pointer, *ty, index),
            InstKind::Store { pointer, value } => self.store(*pointer, *value),
            InstKind::Gep {
                source,
                base,
                indices,
            } => self.gep(result, *source, *base, indices),
            InstKind::CmpXchg {
                pointer,
                expected,
                new,
            } => self.compare_exchange(result, *pointer, *expected, *new),
            InstKind::AtomicRmw { op, pointer, value } => {
                self.read_modify_write(result, *op, *pointer, *value)
            }
            InstKind::Fence => Ok(()),
            InstKind::VaArg { list, ty } => self.va_arg(result, *list, *ty),
            InstKind::Call(call) => self.call(result, call),
            InstKind::Invoke {
                call,
                normal,
                unwind,
            } => self.invoke(result, call, *normal, *unwind),
            InstKind::CallBr { .. } => Err("callbr".into()),
            InstKind::LandingPad { .. } => self.landing_pad(result),
            InstKind::Resume(value) => self.resume(*value),
            InstKind::Ret(value) => self.ret(*value),
            InstKind::Br(target) => {
                self.jump_to(*target);
                Ok(())
            }
            InstKind::CondBr {
                condition,
                then,
                other,
            } => self.branch(*condition, *then, *other),
            InstKind::Switch {
                value,
                default,
                cases,
            } => self.switch(*value, *default, cases),
            InstKind::IndirectBr { address, targets } => self.indirect_branch(*address, targets),
            InstKind::Unreachable => {
                self.emit_counted(Op::Unreachable, 0, 0, 0);
                Ok(())
            }
            InstKind::Unsupported(what) => Err((*what).to_string()),
        }
    }

    // Emitting.

    fn pc(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    fn emit(&mut self, op: Op, x: u16, dst: u32, a: u32, b: u32) -> usize {
        self.code.instrs.push(Instr::new(op, x, dst, a, b));
        self.code.instrs.len() - 1
    }

    /// Emits what ends a block and charges for it: `x` takes the count.
    fn emit_counted(&mut self, op: Op, dst: u32, a: u32, b: u32) -> usize {
        let count = self.take_count();
        self.emit(op, count, dst, a, b)
    }

    fn take_count(&mut self) -> u16 {
        let count = std::mem::take(&mut self.count);
        u16::try_from(count).unwrap_or_else(|_| {
            self.emit(Op::Count, 0, 0, count, 0);
            0
        })
    }

    /// Says that an instruction leads from the block at hand to another.
    fn edge(&mut self, at: usize, way: u32, to: BlockId, is_outcome: bool) {
        self.code.edges.push(crate::code::Edge {
            pc: at as u32,
            way,
            from: self.current.0,
            to: to.0,
            is_outcome,
        });
    }

    fn slow(&mut self, slow: crate::code::Slow) {
        let index = self.code.slow.len() as u32;
        self.code.slow.push(slow);
        self.emit(Op::Slow, 0, 0, index, 0);
    }

    // Places.

    fn new_slots(&mut self, words: u32) -> u32 {
        let first = self.slots;
        self.slots += words;
        first
    }

    fn shape(&self, ty: TypeId) -> Lowered<Shape> {
        let shape = Shape::of(self.module, ty)?;
        self.work.set(self.work.get() + u64::from(shape.words));
        Ok(shape)
    }

    fn type_of(&self, local: LocalId) -> TypeId {
        self.body.locals[local.0 as usize]
    }

    fn operand_type(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Local(local) => self.type_of(local),
            Operand::Const(id) => self.module.constants[id.0 as usize].ty,
        }
    }

    fn operand_shape(&self, operand: Operand) -> Lowered<Shape> {
        self.shape(self.operand_type(operand))
    }

    /// The one scalar that a type is.
    fn scalar(&self, ty: TypeId) -> Lowered<Leaf> {
        self.shape(ty)?
            .scalar()
            .ok_or_else(|| "an aggregate where a scalar belongs".to_string())
    }

    /// Gives a local fresh slots.
    fn define(&mut self, local: LocalId) -> Lowered<u32> {
        if let Some(Some(words)) = self.places.get(local.0 as usize)
            && let Some(Src::Reg(first)) = words.first()
        {
            return Ok(*first);
        }
        let words = self.shape(self.type_of(local))?.words;
        let first = self.new_slots(words);
        self.owners.insert(first, local);
        self.places[local.0 as usize] = Some((first..first + words).map(Src::Reg).collect());
        Ok(first)
    }

    fn result(&mut self, result: Option<LocalId>) -> Lowered<u32> {
        match result {
            Some(local) => self.define(local),
            None => Ok(self.new_slots(1)),
        }
    }

    /// Lets a local stand for words that are already there. A local whose slot was fixed before (see `flow`) is
    /// copied to.
    fn alias(&mut self, result: Option<LocalId>, words: Vec<Src>) {
        let Some(result) = result else { return };
        match self.places[result.0 as usize].clone() {
            None => self.places[result.0 as usize] = Some(words),
            Some(fixed) => self.move_words(&fixed, &words),
        }
    }

    /// Emits moves one after the other: the destinations must not be read by later ones.
    fn move_words(&mut self, to: &[Src], from: &[Src]) {
        for (&to, &from) in to.iter().zip(from) {
            if let Src::Reg(to) = to {
                self.set(to, from);
            }
        }
    }

    fn set(&mut self, to: u32, from: Src) {
        match from {
            Src::Reg(from) if from == to => {}
            Src::Reg(from) => {
                self.emit(Op::Mov, 0, to, from, 0);
            }
            Src::Const(value) => {
                self.emit(Op::Imm, 0, to, value as u32, (value >> 32) as u32);
            }
        }
    }

    /// The words of an operand. A put-off address is worked out now.
    fn words(&mut self, operand: Operand) -> Lowered<Vec<Src>> {
        match operand {
            Operand::Const(id) => Ok(self
                .constants
                .words(id)?
                .into_iter()
                .map(Src::Const)
                .collect()),
            Operand::Local(local) => {
                if let Some(words) = &self.places[local.0 as usize] {
                    return Ok(words.clone());
                }
                if let Some(&address) = self.addresses.get(&local) {
                    let dst = self.define(local)?;
                    self.materialise(address, dst);
                    // Put off again: the block that works it out need not dominate the next use.
                    return Ok(self.places[local.0 as usize].take().unwrap_or_default());
                }
                // Used before it is lowered: blocks out of order. Its slots are fixed now.
                self.define(local)?;
                Ok(self.places[local.0 as usize].clone().unwrap_or_default())
            }
        }
    }

    fn word(&mut self, operand: Operand) -> Lowered<Src> {
        Ok(self
            .words(operand)?
            .first()
            .copied()
            .unwrap_or(Src::Const(0)))
    }

    /// A register that holds the word.
    fn reg(&mut self, src: Src) -> u32 {
        match src {
            Src::Reg(reg) => reg,
            Src::Const(value) => self.constant_reg(value),
        }
    }

    fn constant_reg(&mut self, value: u64) -> u32 {
        if let Some(&reg) = self.entry_constants.get(&value) {
            return reg;
        }
        if self.uses.in_loop(self.current) {
            let reg = self.new_slots(1);
            self.entry_constants.insert(value, reg);
            return reg;
        }
        if let Some(&reg) = self.block_constants.get(&value) {
            return reg;
        }
        let reg = self.new_slots(1);
        self.block_constants.insert(value, reg);
        self.set(reg, Src::Const(value));
        reg
    }

    // The end.

    /// Adds what comes before and after the blocks, and fills in the targets of jumps.
    fn finish(&mut self) {
        self.emit_trampolines();
        for (index, block) in std::mem::take(&mut self.jumps) {
            self.code.instrs[index].dst = self.block_pcs[block.0 as usize];
        }
        let mut prologue: Vec<(u64, u32)> = self
            .entry_constants
            .iter()
            .map(|(&value, &reg)| (value, reg))
            .collect();
        prologue.extend(self.promotion.registers().map(|reg| (0, reg)));
        prologue.sort_unstable_by_key(|&(_, reg)| reg);
        let shift = prologue.len() as u32;
        let prologue = prologue
            .into_iter()
            .map(|(value, reg)| Instr::new(Op::Imm, 0, reg, value as u32, (value >> 32) as u32));
        let code = &mut self.code;
        for instr in &mut code.instrs {
            if instr.op.is_jump() {
                instr.dst += shift;
            }
        }
        code.instrs.splice(0..0, prologue);
        for table in &mut code.tables {
            table.default += shift;
            table.cases.iter_mut().for_each(|case| case.1 += shift);
            if let Some((_, targets)) = &mut table.dense {
                targets.iter_mut().for_each(|target| *target += shift);
            }
        }
        for (pc, pad) in &mut code.pads {
            *pc += shift;
            pad.pc += shift;
        }
        code.pads.sort_by_key(|&(pc, _)| pc);
        code.locs.iter_mut().for_each(|(pc, _)| *pc += shift);
        code.names.iter_mut().for_each(|(pc, _)| *pc += shift);
        code.floats.iter_mut().for_each(|(pc, _)| *pc += shift);
        code.pointers.iter_mut().for_each(|pc| *pc += shift);
        code.blocks.iter_mut().for_each(|pc| *pc += shift);
        code.trampolines.iter_mut().for_each(|(pc, _)| *pc += shift);
        code.sites.iter_mut().for_each(|(pc, _)| *pc += shift);
        code.insts.iter_mut().for_each(|(pc, _)| *pc += shift);
        for edge in &mut code.edges {
            edge.pc += shift;
            if code.instrs[edge.pc as usize].op == Op::Switch {
                edge.way += shift;
            }
        }
        code.edges.sort_unstable();
        code.slots = self.slots;
    }
}
