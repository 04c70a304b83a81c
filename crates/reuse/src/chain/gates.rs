//! The layers that take their time: each is watched, and rests where it costs more than it saves.

use std::time::Instant;

use super::Chain;
use crate::gate::Gate;
use crate::stats::Layer;
use refrain_path::work::{Kind, Work};

/// A gate for each of the layers.
pub(super) struct Gates([Gate; Layer::ALL.len()]);

impl Gates {
    /// Gates that close where it is due, or never.
    pub fn new(may_close: bool) -> Gates {
        Gates(Layer::ALL.map(|layer| match layer {
            // What it mends is found again as soon as it is asked again.
            Layer::Repair => Gate::new(may_close, 1, 32),
            // It is cheap, and what a set comes to decides what it is kept as, which must not depend on what was
            // asked before.
            Layer::Reduce => Gate::new(false, 1, 32),
            // Forms and sets serve later questions too; solutions that do not fit leave nothing behind.
            Layer::Canonize => Gate::new(may_close, 2, 32),
            Layer::Sets | Layer::Renaming | Layer::Fetch => Gate::new(may_close, 3, 32),
            Layer::QuickTest => Gate::new(may_close, 1, 8),
        }))
    }

    pub fn is_resting(&self, layer: Layer) -> bool {
        self.0[layer as usize].is_resting()
    }

    pub fn of(&mut self, layer: Layer) -> &mut Gate {
        &mut self.0[layer as usize]
    }
}

impl Chain {
    /// What a layer says, unless it rests.
    pub(super) fn try_layer<T>(
        &mut self,
        layer: Layer,
        look_up: impl FnOnce(&mut Chain) -> Option<T>,
    ) -> Option<T> {
        if !self.gates.of(layer).is_open() {
            return None;
        }
        let before = self.work();
        let started = Instant::now();
        let found = look_up(self);
        self.stats.took(layer, started.elapsed());
        self.path.work.note(Kind::LookUp, 1);
        let cost = self.work().units() - before.units();
        let solving = self.stats.mean_solving();
        self.gates.of(layer).note(found.is_some(), cost, solving);
        found
    }

    /// All that has been done so far, except by a solver with a count of its own.
    pub fn work(&self) -> Work {
        let mut work = self.path.work;
        work.note(Kind::Canonized, self.lasting.canonized() as usize);
        let efforts = [
            self.memory.unsat.effort(),
            self.memory.sat.effort(),
            self.memory.renamed.effort(),
        ];
        for (visits, comparisons) in efforts {
            work.note(Kind::Visit, visits as usize);
            work.note(Kind::Comparison, comparisons as usize);
        }
        work
    }
}
