//! Where code can lead: the blocks of every function of the program, how long they are, and whom they call.
//!
//! Only the program's own functions are looked into; the runtime's are calls that return, and may call the functions
//! they are given.

use rustc_hash::FxHashMap;

use super::coverage::own_body;
use crate::ir::{Body, Call, Callee, ConstId, ConstKind, InstKind, Module, Operand, SymbolKind};
use crate::ir::{Type, TypeId};
use crate::load::Linked;
use crate::lower::{callee_name, operands, successors};

/// Whom a call may enter.
#[derive(Clone, Debug)]
pub enum Callees {
    Own(u32),
    /// Any function of this group (see [`Graph::groups`]).
    Group(u32),
    /// A function of the runtime is given these.
    Passed(Vec<u32>),
}

/// A call within a block.
#[derive(Clone, Debug)]
pub struct Site {
    /// Which instruction of the block it is.
    pub at: u32,
    pub callees: Callees,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    /// How many instructions the block has.
    pub length: u32,
    pub sites: Vec<Site>,
    pub successors: Vec<u32>,
    /// The successor that is entered when the last call throws.
    pub unwind: Option<u32>,
    pub returns: bool,
}

/// All functions, by number; those that are not the program's own have no nodes.
#[derive(Debug, Default)]
pub struct Graph {
    pub functions: Vec<Vec<Node>>,
    /// Functions that may be called through pointers, by what they take and give.
    pub groups: Vec<Vec<u32>>,
    /// By function: who calls it.
    pub callers: Vec<Vec<u32>>,
    /// By function: an exception or a long jump may lead into it.
    pub lands: Vec<bool>,
}

/// How many parameters, and whether there is a result: what even a careless caller gets right.
type Signature = (usize, bool);

fn signature(module: &Module, ty: TypeId) -> Signature {
    match module.types.get(ty) {
        Type::Function { result, params, .. } => (
            params.len(),
            matches!(module.types.get(*result), Type::Void),
        ),
        _ => (0, false),
    }
}

impl Graph {
    pub fn of(linked: &Linked) -> Graph {
        let mut graph = Graph::default();
        let mut numbers: FxHashMap<Signature, u32> = FxHashMap::default();
        for function in escaping(linked) {
            let entry = &linked.functions[function as usize];
            let module = &linked.program.modules[entry.module];
            if let SymbolKind::Function(ir) = &module.symbols[entry.symbol.0 as usize].kind {
                let next = numbers.len() as u32;
                let group = *numbers.entry(signature(module, ir.ty)).or_insert(next);
                graph.groups.resize_with(numbers.len(), Vec::new);
                graph.groups[group as usize].push(function);
            }
        }
        for function in 0..linked.functions.len() as u32 {
            let nodes = own_body(linked, function).map_or_else(Vec::new, |(module, body)| {
                nodes(linked, module, body, &numbers)
            });
            graph.functions.push(nodes);
            let lands = own_body(linked, function).is_some_and(|(module, body)| {
                let insts = body.blocks.iter().flat_map(|block| &block.insts);
                let module = &linked.program.modules[module];
                { insts }.any(|inst| is_landed_at(module, &inst.kind))
            });
            graph.lands.push(lands);
        }
        graph.callers = vec![Vec::new(); graph.functions.len()];
        for (caller, nodes) in graph.functions.iter().enumerate() {
            for site in nodes.iter().flat_map(|node| &node.sites) {
                for &callee in site.callees.functions(&graph.groups) {
                    let callers = &mut graph.callers[callee as usize];
                    if callers.last() != Some(&(caller as u32)) {
                        callers.push(caller as u32);
                    }
                }
            }
        }
        graph
    }
}

impl Callees {
    pub fn functions<'a>(&'a self, groups: &'a [Vec<u32>]) -> &'a [u32] {
        match self {
            Callees::Own(function) => std::slice::from_ref(function),
            Callees::Group(group) => groups.get(*group as usize).map_or(&[], Vec::as_slice),
            Callees::Passed(functions) => functions,
        }
    }
}

fn nodes(
    linked: &Linked,
    module: usize,
    body: &Body,
    groups: &FxHashMap<Signature, u32>,
) -> Vec<Node> {
    let blocks = body.blocks.iter().map(|block| {
        let mut node = Node {
            length: block.insts.len() as u32,
            ..Node::default()
        };
        for (at, inst) in block.insts.iter().enumerate() {
            let call = match &inst.kind {
                InstKind::Call(call)
                | InstKind::Invoke { call, .. }
                | InstKind::CallBr { call, .. } => call,
                _ => continue,
            };
            if let Some(callees) = callees(linked, module, call, groups) {
                let at = at as u32;
                node.sites.push(Site { at, callees });
            }
        }
        if let Some(end) = block.insts.last() {
            successors(&end.kind, |to| node.successors.push(to.0));
            node.successors.sort_unstable();
            node.successors.dedup();
            node.returns = matches!(end.kind, InstKind::Ret(_));
            if let InstKind::Invoke { unwind, normal, .. } = end.kind
                && unwind != normal
            {
                node.unwind = Some(unwind.0);
            }
        }
        node
    });
    blocks.collect()
}

fn is_landed_at(module: &Module, kind: &InstKind) -> bool {
    match kind {
        InstKind::Invoke { .. } => true,
        InstKind::Call(call) => {
            callee_name(module, call).is_some_and(|name| name.ends_with("setjmp"))
        }
        _ => false,
    }
}

/// The function that a constant is the address of.
fn function_of(linked: &Linked, module: usize, id: ConstId) -> Option<u32> {
    let mut id = id;
    // Casts of casts end somewhere.
    for _ in 0..8 {
        match linked.program.modules[module]
            .constants
            .get(id.0 as usize)?
            .kind
        {
            ConstKind::Symbol(symbol) => return linked.callable(module, symbol).map(|(f, _)| f),
            ConstKind::Cast { value, .. } => id = value,
            _ => return None,
        }
    }
    None
}

fn callees(
    linked: &Linked,
    module: usize,
    call: &Call,
    groups: &FxHashMap<Signature, u32>,
) -> Option<Callees> {
    let Callee::Value(callee) = &call.callee else {
        return None;
    };
    let known = match callee {
        Operand::Const(id) => function_of(linked, module, *id),
        Operand::Local(_) => {
            let signature = signature(&linked.program.modules[module], call.ty);
            return groups.get(&signature).copied().map(Callees::Group);
        }
    };
    if let Some(function) = known
        && own_body(linked, function).is_some()
    {
        return Some(Callees::Own(function));
    }
    let passed: Vec<u32> = call
        .args
        .iter()
        .filter_map(|arg| match arg {
            Operand::Const(id) => function_of(linked, module, *id),
            Operand::Local(_) => None,
        })
        .filter(|&function| own_body(linked, function).is_some())
        .collect();
    (!passed.is_empty()).then_some(Callees::Passed(passed))
}

/// The program's own functions whose addresses are taken; in order.
fn escaping(linked: &Linked) -> Vec<u32> {
    let mut escapes = vec![false; linked.functions.len()];
    for (index, module) in linked.program.modules.iter().enumerate() {
        if linked.is_library(index) {
            continue;
        }
        let mut take = |id: ConstId| {
            if let Some(function) = function_of(linked, index, id) {
                escapes[function as usize] = true;
            }
        };
        for constant in &module.constants {
            match &constant.kind {
                ConstKind::Aggregate(elements) => elements.iter().for_each(|&id| take(id)),
                ConstKind::Binary { a, b, .. } => [*a, *b].into_iter().for_each(&mut take),
                ConstKind::Select { then, other, .. } => {
                    [*then, *other].into_iter().for_each(&mut take);
                }
                _ => {}
            }
        }
        for symbol in &module.symbols {
            match &symbol.kind {
                SymbolKind::Variable(variable) => {
                    variable.initializer.into_iter().for_each(&mut take);
                }
                SymbolKind::Function(function) => {
                    let blocks = function.body.iter().flat_map(|body| &body.blocks);
                    for inst in blocks.flat_map(|block| &block.insts) {
                        let mut take_operand = |operand: Operand| {
                            if let Operand::Const(id) = operand {
                                take(id);
                            }
                        };
                        match &inst.kind {
                            InstKind::Phi(incoming) => {
                                incoming.iter().for_each(|&(from, _)| take_operand(from));
                            }
                            InstKind::Call(call)
                            | InstKind::Invoke { call, .. }
                            | InstKind::CallBr { call, .. } => {
                                call.args.iter().for_each(|&arg| take_operand(arg));
                            }
                            kind => operands(kind, take_operand),
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let functions = 0..linked.functions.len() as u32;
    functions
        .filter(|&function| escapes[function as usize] && own_body(linked, function).is_some())
        .collect()
}
