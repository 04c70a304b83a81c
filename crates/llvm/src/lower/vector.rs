//! Parts of vectors and structures: mostly only names for words that are there.

use super::shape::{Shape, at_path};
use super::{Lowered, Lowerer};
use crate::code::{Slow, Src};
use crate::ir::{LocalId, Operand};

impl Lowerer<'_> {
    pub(super) fn extract_value(
        &mut self,
        result: Option<LocalId>,
        aggregate: Operand,
        path: &[u32],
    ) -> Lowered<()> {
        let (ty, before) = at_path(self.module, self.operand_type(aggregate), path)?;
        let words = self.shape(ty)?.words;
        let all = self.words(aggregate)?;
        let part = all
            .get(before as usize..(before + words) as usize)
            .ok_or("a path out of its value")?
            .to_vec();
        self.alias(result, part);
        Ok(())
    }

    pub(super) fn insert_value(
        &mut self,
        result: Option<LocalId>,
        aggregate: Operand,
        value: Operand,
        path: &[u32],
    ) -> Lowered<()> {
        let (_, before) = at_path(self.module, self.operand_type(aggregate), path)?;
        let mut words = self.words(aggregate)?;
        let value = self.words(value)?;
        let place = words.get_mut(before as usize..before as usize + value.len());
        place
            .ok_or("a path out of its value")?
            .copy_from_slice(&value);
        self.alias(result, words);
        Ok(())
    }

    pub(super) fn extract_element(
        &mut self,
        result: Option<LocalId>,
        vector: Operand,
        index: Operand,
    ) -> Lowered<()> {
        let shape = self.operand_shape(vector)?;
        let lanes = self.words(vector)?;
        let words = shape.words / shape.leaves.len().max(1) as u32;
        match self.word(index)? {
            Src::Const(index) => {
                let from = (index as usize).saturating_mul(words as usize);
                let lane = lanes.get(from..from.saturating_add(words as usize));
                let lane =
                    lane.map_or_else(|| vec![Src::Const(0); words as usize], <[Src]>::to_vec);
                self.alias(result, lane);
            }
            index => {
                let dst = self.result(result)?;
                self.slow(Slow::ExtractLane {
                    lanes,
                    words,
                    index,
                    dst,
                });
            }
        }
        Ok(())
    }

    pub(super) fn insert_element(
        &mut self,
        result: Option<LocalId>,
        vector: Operand,
        value: Operand,
        index: Operand,
    ) -> Lowered<()> {
        let mut lanes = self.words(vector)?;
        let value = self.words(value)?;
        match self.word(index)? {
            Src::Const(index) => {
                let from = (index as usize).saturating_mul(value.len());
                if let Some(place) = lanes.get_mut(from..from.saturating_add(value.len())) {
                    place.copy_from_slice(&value);
                }
                self.alias(result, lanes);
            }
            index => {
                let dst = self.result(result)?;
                let words = value.len() as u32;
                self.slow(Slow::InsertLane {
                    lanes,
                    words,
                    index,
                    value,
                    dst,
                });
            }
        }
        Ok(())
    }

    pub(super) fn shuffle(
        &mut self,
        result: Option<LocalId>,
        a: Operand,
        b: Operand,
        mask: &[i32],
    ) -> Lowered<()> {
        let shape = self.operand_shape(a)?;
        let words = (shape.words / shape.leaves.len().max(1) as u32) as usize;
        let mut both = self.words(a)?;
        both.extend(self.words(b)?);
        let lanes = mask.iter().flat_map(|&index| {
            let from = usize::try_from(index).ok().map(|index| index * words);
            let lane = from.and_then(|from| both.get(from..from + words));
            lane.map_or_else(|| vec![Src::Const(0); words], <[Src]>::to_vec)
        });
        let lanes = lanes.collect();
        self.alias(result, lanes);
        Ok(())
    }

    /// The same bits in scalars of another shape.
    pub(super) fn repack(&mut self, from: &Shape, words: &[Src], to: &Shape, dst: u32) {
        let cut = |shape: &Shape| -> Vec<(u32, u32)> {
            let parts = shape.leaves.iter().flat_map(|leaf| {
                (0..leaf.words())
                    .map(move |word| (leaf.word + word, (leaf.bits - word * 64).min(64)))
            });
            parts.collect()
        };
        let from = cut(from)
            .into_iter()
            .map(|(word, bits)| (words[word as usize], bits))
            .collect();
        let to = cut(to)
            .into_iter()
            .map(|(word, bits)| (dst + word, bits))
            .collect();
        self.slow(Slow::Repack { from, to });
    }
}
