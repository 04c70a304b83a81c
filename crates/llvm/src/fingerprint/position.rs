//! Lines of the source that are part of the code: where an assertion or a panic stands. As debug information, they
//! change with every line above, and say nothing of what the code does.

use crate::ir::{
    Callee, ConstId, ConstKind, Linkage, Module, Operand, SymbolId, SymbolKind, Variable,
};
use crate::load::Linked;

/// Functions that end a path because a condition does not hold, and which of their arguments is the line.
const LINE_ARGUMENTS: [(&str, usize); 2] = [("__assert_fail", 2), ("__assert", 2)];

/// The argument that only says at which line of the source a call of the machine's own function stands.
pub(super) fn line_argument(linked: &Linked, module: usize, callee: &Callee) -> Option<usize> {
    let unit = &linked.program.modules[module];
    let Callee::Value(Operand::Const(id)) = callee else {
        return None;
    };
    let ConstKind::Symbol(symbol) = unit.constants[id.0 as usize].kind else {
        return None;
    };
    let name = unit.symbols[symbol.0 as usize].name.as_str();
    let (_, index) = LINE_ARGUMENTS.iter().find(|&&(known, _)| known == name)?;
    let (function, _) = linked.callable(module, symbol)?;
    linked.is_native(function).then_some(*index)
}

/// Where Rust code can panic, it refers to a constant with its file, line and column, for the message. The result is
/// the file, if a constant is one.
pub(super) fn location_file(module: &Module, symbol: SymbolId) -> Option<SymbolId> {
    let symbol = &module.symbols[symbol.0 as usize];
    let constant = |symbol: SymbolId| match &module.symbols[symbol.0 as usize].kind {
        SymbolKind::Variable(variable) if variable.constant => variable.initializer,
        _ => None,
    };
    let kind = |id: ConstId| &module.constants[id.0 as usize].kind;
    let SymbolKind::Variable(Variable {
        constant: true,
        initializer: Some(initializer),
        ..
    }) = symbol.kind
    else {
        return None;
    };
    if symbol.linkage != Linkage::Private || !symbol.name.starts_with("alloc_") {
        return None;
    }
    let ConstKind::Aggregate(fields) = kind(initializer) else {
        return None;
    };
    let [pointer, numbers] = fields[..] else {
        return None;
    };
    let (ConstKind::Symbol(file), ConstKind::Data(numbers)) = (kind(pointer), kind(numbers)) else {
        return None;
    };
    let text = match kind(constant(*file)?) {
        ConstKind::Aggregate(fields) => kind(*fields.first()?),
        text => text,
    };
    let ConstKind::Data(text) = text else {
        return None;
    };
    let path = text.strip_suffix(&[0]).unwrap_or(text);
    let (length, position) = numbers.split_first_chunk()?;
    let is_path = path.ends_with(b".rs") && u64::from_le_bytes(*length) == path.len() as u64;
    (is_path && position.len() == 8).then_some(*file)
}
