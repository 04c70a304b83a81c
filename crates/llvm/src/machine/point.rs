//! Where a state is, and which code ran, as something that lasts: by block and instruction of the source, with hashes of
//! the code.

use refrain_machine::{CodePiece, CodePoint, CodeUnit, Place, Point};

use super::distance::FRAMES;
use super::{Machine, State};
use crate::memory::Site;

impl Machine {
    /// The point that a place in the code belongs to. What a native function asks is asked by its call.
    pub fn point_of(&self, site: Site) -> Point {
        let is_known = (site.function as usize) < self.linked.functions.len();
        let code = is_known.then(|| self.linked.code(site.function).ok());
        let (block, instruction) = code.flatten().map_or((0, 0), |code| code.point(site.pc));
        Point {
            function: site.function,
            block,
            instruction,
        }
    }

    /// The points that a state's frames are at, innermost first, as far as distances look.
    pub(super) fn points_of(&self, state: &State, choice: Option<u32>) -> Vec<Point> {
        let mut points: Vec<Point> = { state.stack().take(FRAMES) }
            .map(|site| self.point_of(site))
            .collect();
        let choice = choice.or(state.answers.last().map(|&answer| answer as u32));
        // How many arguments there are is no branch of the code.
        let choice = choice.filter(|_| state.world.unstarted.is_none());
        if let Some(innermost) = points.first_mut()
            && let Some(to) = choice.and_then(|choice| self.answered(state.site(), choice))
        {
            (innermost.block, innermost.instruction) = (to, 0);
        }
        points
    }

    pub(super) fn point_by_name(
        &self,
        symbol: &str,
        block: u32,
        instruction: u32,
    ) -> Option<Point> {
        let function = self.linked.by_lasting_symbol(symbol)?;
        let code = self.linked.code(function).ok()?;
        ((block as usize) < code.blocks.len()).then_some(Point {
            function,
            block,
            instruction,
        })
    }

    /// Where in the code a point is.
    pub(super) fn site_of(&self, point: Point) -> Option<Site> {
        let function = point.function;
        self.linked.functions.get(function as usize)?;
        let code = self.linked.code(function).ok()?;
        let start = *code.blocks.get(point.block as usize)?;
        let pc = code.asking_at(point.block, point.instruction);
        let pc = pc.unwrap_or(start);
        Some(Site { function, pc })
    }

    /// What a point is called in every version of the program that has it.
    pub(super) fn code_point(&self, point: Point) -> CodePoint {
        let Point {
            function,
            block,
            instruction,
        } = point;
        if function as usize >= self.linked.functions.len() {
            return CodePoint::default();
        }
        let hashes = self.linked.fingerprint(function);
        let block_hash = hashes.blocks.get(block as usize);
        CodePoint {
            symbol: self.linked.lasting_symbol(function).to_string(),
            block,
            instruction,
            block_hash: block_hash.copied().unwrap_or(0),
            function_hash: hashes.function,
        }
    }

    /// Where in the source a point is, by what it is called: the innermost place first, then what that was inlined into.
    pub fn places_at(&self, symbol: &str, block: u32, instruction: u32) -> Vec<Place> {
        let function = self.linked.by_lasting_symbol(symbol);
        let code = function.and_then(|function| self.linked.code(function).ok());
        let (Some(function), Some(code)) = (function, code) else {
            return Vec::new();
        };
        let mut pcs = 0..code.instrs.len() as u32;
        let pc = pcs.find(|&pc| code.point(pc) == (block, instruction));
        pc.map_or_else(Vec::new, |pc| self.places(Site { function, pc }))
    }

    /// What a piece is called in every version of the program that has it.
    pub(super) fn code_unit(&self, piece: CodePiece) -> CodeUnit {
        let CodePiece {
            function,
            block,
            part,
        } = piece;
        let symbol = self.linked.lasting_symbol(function).to_string();
        let hash = match self.linked.functions.get(function as usize) {
            Some(_) => self.block_hash(function, block),
            None => self.hash_behind(block),
        };
        CodeUnit {
            symbol,
            block,
            hash: hash.unwrap_or(0),
            part,
        }
    }

    /// The hash of a block by what it is called. The runtime's functions are no part of the program.
    pub(super) fn hash_of_code(&self, symbol: &str, block: u32) -> Option<u64> {
        if symbol.is_empty() {
            return self.hash_behind(block);
        }
        self.block_hash(self.own_function(symbol)?, block)
    }

    /// A function of the program by its lasting symbol.
    pub(super) fn own_function(&self, symbol: &str) -> Option<u32> {
        let function = self.linked.by_lasting_symbol(symbol)?;
        let module = self.linked.functions[function as usize].module;
        (!self.linked.is_library(module)).then_some(function)
    }

    fn block_hash(&self, function: u32, block: u32) -> Option<u64> {
        let blocks = &self.linked.fingerprint(function).blocks;
        blocks.get(block as usize).copied()
    }

    /// The hash of what stands behind all blocks.
    fn hash_behind(&self, block: u32) -> Option<u64> {
        if block == CodePiece::START.block {
            Some(self.start_hash())
        } else if block == CodePiece::LAYOUT.block {
            Some(self.linked.layout_hash())
        } else {
            None
        }
    }
}
