//! The code of a program in the words of a tree that knows it.

use refrain_machine::{CodePiece, Machine, Point};
use refrain_memo::{CodeUnit, NamedPoint, SymbolId, Tree, UnitId};
use rustc_hash::FxHashMap;

/// What blocks and functions are in one tree. None: the tree does not have them.
#[derive(Default)]
pub(crate) struct KnownCode {
    units: FxHashMap<CodePiece, Option<UnitId>>,
    symbols: FxHashMap<u32, Option<SymbolId>>,
}

impl KnownCode {
    pub fn unit<M: Machine>(
        &mut self,
        tree: &Tree,
        machine: &M,
        piece: CodePiece,
    ) -> Option<UnitId> {
        *self.units.entry(piece).or_insert_with(|| {
            let unit = machine.code(piece);
            tree.find_unit(CodeUnit {
                symbol: tree.find_symbol(&unit.symbol)?,
                block: Some(unit.block),
                hash: unit.hash,
                part: unit.part.number(),
            })
        })
    }

    /// Whether a piece is in a set.
    pub fn is_in<M: Machine>(
        &mut self,
        tree: &Tree,
        machine: &M,
        piece: CodePiece,
        known: &[UnitId],
    ) -> bool {
        let unit = self.unit(tree, machine, piece);
        unit.is_some_and(|unit| known.binary_search(&unit).is_ok())
    }

    /// Whether what ran is this set.
    pub fn is_same<M: Machine>(
        &mut self,
        tree: &Tree,
        machine: &M,
        ran: &[CodePiece],
        known: &[UnitId],
    ) -> bool {
        let units = ran.iter().map(|&piece| self.unit(tree, machine, piece));
        let Some(mut units) = units.collect::<Option<Vec<UnitId>>>() else {
            return false;
        };
        units.sort_unstable();
        units.dedup();
        units == known
    }

    pub fn point<M: Machine>(
        &mut self,
        tree: &Tree,
        machine: &M,
        point: Point,
    ) -> Option<NamedPoint> {
        let symbol = self.symbols.entry(point.function);
        let symbol = symbol.or_insert_with(|| tree.find_symbol(&machine.describe(point).symbol));
        Some(NamedPoint {
            symbol: (*symbol)?,
            block: point.block,
            instruction: point.instruction,
        })
    }
}
