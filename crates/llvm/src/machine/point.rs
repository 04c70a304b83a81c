//! Where a state is, as something that lasts: by block and instruction of the source, with hashes of the code.

use refrain_machine::{CodePoint, Point};

use super::Machine;
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
}
