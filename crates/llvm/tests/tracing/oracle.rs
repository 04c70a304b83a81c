//! Programs that say themselves which of their blocks run: every block stores a byte where it begins, and again where
//! a call in it has returned.

use std::collections::{BTreeMap, BTreeSet};

use refrain_llvm::ir::{
    BlockId, Body, Callee, ConstId, ConstKind, Constant, Inst, InstKind, LocId, Module, Operand,
    SymbolId, SymbolKind, Type,
};
use refrain_llvm::link::Program;
use refrain_llvm::load::{FunctionKind, LIBRARY_PREFIX, Options};
use refrain_llvm::machine::{Machine, State};
use refrain_llvm::native::Detached;
use refrain_machine::{CodePiece, Machine as _};

/// What every program starts with: a byte for each block.
pub const MAP: &str = "unsigned char blocks_that_ran[16384] __attribute__((used));";
const BYTES: u64 = 16384;

/// A program with its own account of what runs.
pub struct Instrumented {
    pub machine: Machine,
    map: u64,
    /// What each byte stands for.
    blocks: Vec<CodePiece>,
    /// All that the machine has said to have run.
    pub pieces: BTreeSet<CodePiece>,
    /// Control falls from these into the next block: they have no other successor, it has no other predecessor, and
    /// nothing in them can keep control away.
    falls: BTreeSet<CodePiece>,
    successors: BTreeMap<CodePiece, Vec<CodePiece>>,
}

impl Instrumented {
    pub fn new(mut program: Program, options: Options) -> (Instrumented, State) {
        let is_own = |module: &&mut Module| !module.name.starts_with(LIBRARY_PREFIX);
        let mut offset = 0;
        let mut places = Vec::new();
        for module in program.modules.iter_mut().filter(is_own) {
            places.push(instrument(module, &mut offset));
        }
        let (mut machine, state) =
            Machine::new(program, options, Box::new(Detached)).expect("a program that fits");
        machine.trace_code(true);
        let linked = machine.linked();
        let map = linked.address_of("blocks_that_ran").expect("a map");
        let (mut blocks, mut falls) = (Vec::new(), BTreeSet::new());
        let mut next = BTreeMap::new();
        // Own modules come first.
        for (module, symbols) in places.into_iter().enumerate() {
            for (symbol, count) in symbols {
                let is_it = |function: &&refrain_llvm::load::Function| {
                    (function.module, function.symbol) == (module, symbol)
                        && matches!(function.kind, FunctionKind::Code)
                };
                let function = linked.functions.iter().position(|f| is_it(&f));
                let function = function.map_or(u32::MAX, |function| function as u32);
                let SymbolKind::Function(code) =
                    &linked.program.modules[module].symbols[symbol.0 as usize].kind
                else {
                    panic!("a function");
                };
                let body = code.body.as_ref().expect("a body");
                for block in 0..count {
                    let block = CodePiece::block(function, block);
                    blocks.push(block);
                    let end = body.blocks[block.block as usize].insts.last();
                    let to = end.map_or(Vec::new(), |end| successors(&end.kind));
                    let to = to.iter().map(|to| CodePiece {
                        block: to.0,
                        ..block
                    });
                    next.insert(block, to.collect());
                    if falls_through(&linked.program.modules[module], body, block.block) {
                        falls.insert(block);
                    }
                }
            }
        }
        let instrumented = Instrumented {
            machine,
            map,
            blocks,
            pieces: BTreeSet::new(),
            falls,
            successors: next,
        };
        (instrumented, state)
    }

    /// From here on, what runs is noted anew.
    pub fn clear(&self, state: &mut State) {
        state.memory.initialise(self.map, &[0; BYTES as usize]);
    }

    pub fn here(&self, state: &State) -> Option<CodePiece> {
        state.stack().next().map(|_| {
            let point = self.machine.point(state);
            CodePiece::block(point.function, point.block)
        })
    }

    /// The blocks in which calls wait for their return.
    pub fn waiting(&self, state: &State) -> BTreeSet<CodePiece> {
        let blocks = state.stack().skip(1).map(|site| {
            let point = self.machine.point_of(site);
            CodePiece::block(point.function, point.block)
        });
        blocks.collect()
    }

    /// The program's own blocks that ran since the map was cleared, by its own account.
    pub fn ran(&self, state: &mut State) -> BTreeSet<CodePiece> {
        let mut bytes = Vec::new();
        let is_concrete = state.memory.concrete_bytes(self.map, BYTES, &mut bytes);
        assert_eq!(is_concrete.ok(), Some(true));
        let ran = self
            .blocks
            .iter()
            .zip(&bytes)
            .filter(|(_, byte)| **byte != 0);
        ran.map(|(&block, _)| block).collect()
    }

    /// The blocks that can come right after one.
    pub fn successors(&self, block: CodePiece) -> &[CodePiece] {
        self.successors.get(&block).map_or(&[], Vec::as_slice)
    }

    pub fn is_own(&self, block: CodePiece) -> bool {
        let linked = self.machine.linked();
        let function = linked.functions.get(block.function as usize);
        function.is_some_and(|function| !linked.is_library(function.module))
    }

    /// With the blocks that control falls into.
    pub fn with_falls(&self, mut blocks: BTreeSet<CodePiece>) -> BTreeSet<CodePiece> {
        let mut waiting: Vec<CodePiece> = blocks.iter().copied().collect();
        while let Some(block) = waiting.pop() {
            let next = CodePiece {
                block: block.block + 1,
                ..block
            };
            if self.falls.contains(&block) && blocks.insert(next) {
                waiting.push(next);
            }
        }
        blocks
    }
}

fn successors(kind: &InstKind) -> Vec<BlockId> {
    match kind {
        InstKind::Br(to) => vec![*to],
        InstKind::CondBr { then, other, .. } => vec![*then, *other],
        InstKind::Switch { default, cases, .. } => {
            let targets = cases.iter().map(|&(_, to)| to);
            targets.chain([*default]).collect()
        }
        InstKind::IndirectBr { targets, .. } => targets.clone(),
        InstKind::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
        _ => Vec::new(),
    }
}

fn falls_through(module: &Module, body: &Body, block: u32) -> bool {
    let insts = &body.blocks[block as usize].insts;
    let end = &insts.last().expect("a terminator").kind;
    let next = BlockId(block + 1);
    let constant = |operand: Operand| match operand {
        Operand::Const(id) => match module.constants[id.0 as usize].kind {
            ConstKind::Int(value) => Some(value == 1),
            ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => Some(false),
            _ => None,
        },
        Operand::Local(_) => None,
    };
    let goes_there = match end {
        InstKind::Br(to) => *to == next,
        InstKind::CondBr {
            then,
            other,
            condition,
        } => match constant(*condition) {
            Some(true) => *then == next,
            Some(false) => *other == next,
            None => *then == next && *other == next,
        },
        _ => false,
    };
    let ends = body.blocks.iter().filter_map(|block| block.insts.last());
    let from = ends
        .flat_map(|end| successors(&end.kind))
        .filter(|to| *to == next);
    goes_there && from.count() == 1 && !insts.iter().any(|inst| is_call(module, &inst.kind))
}

/// A call of a function, rather than something that the compiler made up.
fn is_call(module: &Module, kind: &InstKind) -> bool {
    let InstKind::Call(call) = kind else {
        return false;
    };
    match &call.callee {
        Callee::Asm(_) => false,
        Callee::Value(Operand::Const(id)) => match module.constants[id.0 as usize].kind {
            ConstKind::Symbol(symbol) => {
                !module.symbols[symbol.0 as usize].name.starts_with("llvm.")
            }
            _ => true,
        },
        Callee::Value(_) => true,
    }
}

/// Adds the stores. The functions, in the order of their bytes, and how many blocks each has.
fn instrument(module: &mut Module, offset: &mut u64) -> Vec<(SymbolId, u32)> {
    let is_map = |symbol: &refrain_llvm::ir::Symbol| symbol.name == "blocks_that_ran";
    let Some(map) = module.symbols.iter().position(is_map) else {
        panic!("{} has no map", module.name);
    };
    let byte = module.types.intern(Type::Int(8));
    let long = module.types.intern(Type::Int(64));
    let pointer = module.types.push(Type::Pointer {
        pointee: None,
        space: 0,
    });
    let mut constants = std::mem::take(&mut module.constants);
    let mut add = |ty, kind| {
        constants.push(Constant { ty, kind });
        ConstId(constants.len() as u32 - 1)
    };
    let one = add(byte, ConstKind::Int(1));
    let base = add(pointer, ConstKind::Symbol(SymbolId(map as u32)));
    let mut places = Vec::new();
    for (index, symbol) in module.symbols.iter_mut().enumerate() {
        let SymbolKind::Function(function) = &mut symbol.kind else {
            continue;
        };
        let Some(body) = &mut function.body else {
            continue;
        };
        places.push((SymbolId(index as u32), body.blocks.len() as u32));
        for block in &mut body.blocks {
            let index = add(long, ConstKind::Int(*offset));
            *offset += 1;
            assert!(*offset <= BYTES, "too many blocks");
            let place = add(
                pointer,
                ConstKind::Gep {
                    source: byte,
                    base,
                    indices: vec![index],
                },
            );
            let store = Inst {
                result: None,
                kind: InstKind::Store {
                    pointer: Operand::Const(place),
                    value: Operand::Const(one),
                },
                loc: LocId(0),
                flags: 0,
            };
            let is_head =
                |inst: &Inst| matches!(inst.kind, InstKind::Phi(_) | InstKind::LandingPad { .. });
            let head = block.insts.iter().take_while(|inst| is_head(inst)).count();
            let mut insts: Vec<Inst> = Vec::new();
            for (at, inst) in block.insts.drain(..).enumerate() {
                if at == head {
                    insts.push(store.clone());
                }
                let is_call = matches!(inst.kind, InstKind::Call(_));
                insts.push(inst);
                if is_call {
                    insts.push(store.clone());
                }
            }
            block.insts = insts;
        }
    }
    module.constants = constants;
    places
}
