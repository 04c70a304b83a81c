//! Which switches a preset has: one that would have no effect is refused, or said to have none.

use std::path::Path;

use refrain_reuse::{LAYERS, Layers};
use refrain_solver::select;

use crate::asking::Asking;

/// What can be asked of a preset. The guide has the table (`docs/src/solver.md`), and a test compares.
struct Switches {
    /// Its answers can be kept between runs.
    store: bool,
    /// It reuses answers, which can be solved again.
    recheck: bool,
    /// The layers that it has, and so can do without.
    without: Vec<&'static str>,
}

impl Switches {
    fn of(preset: &str) -> Option<Switches> {
        let layers = Layers::preset(preset)?;
        let has = |layer: &str| {
            let mut fewer = layers.clone();
            fewer.without(layer) && fewer != layers
        };
        Some(Switches {
            store: layers.canonize || matches!(preset, "klee" | "pscache"),
            recheck: !layers.is_nothing(),
            without: LAYERS.iter().copied().filter(|layer| has(layer)).collect(),
        })
    }
}

impl Asking {
    /// Refuses what cannot be done; says what there is nothing to do for. A store is one that was asked for.
    pub fn check_switches(&self, store: Option<&Path>) -> Result<Option<String>, String> {
        let preset = &self.reuse;
        let Some(switches) = Switches::of(preset) else {
            return Err(format!("no preset {preset}"));
        };
        let has = |layer: &&'static str| switches.without.contains(layer);
        if let Some(layer) = self.without.iter().find(|layer| !has(layer)) {
            let layers = match &switches.without[..] {
                [] => "none that can be left out".to_owned(),
                layers => layers.join(", "),
            };
            return Err(format!(
                "--without {layer}: the preset {preset} has no such layer; its layers: {layers}"
            ));
        }
        if let Some(path) = store.filter(|&path| path != Path::new("none")) {
            let path = path.display();
            if !switches.store {
                return Err(format!(
                    "--store {path}: the preset {preset} keeps no answers between runs; \
                     choose another --reuse, or --store none"
                ));
            }
            if self.without.contains(&"canonize") {
                return Err(format!(
                    "--store {path}: answers are kept by canonical form, and --without canonize \
                     leaves that out; --store none goes with it"
                ));
            }
        }
        let solvers = select::names(&self.solver).map_err(|error| error.to_string())?;
        if let (Some(_), [only]) = (self.handoff, &solvers[..]) {
            return Err(format!(
                "--handoff: {only} is the only solver; with --solver {only},z3 there is one to hand over to"
            ));
        }
        if self.reuse_memory.is_some() && !switches.recheck {
            return Err(format!(
                "--reuse-memory: the preset {preset} remembers no answers"
            ));
        }
        if self.recheck && !switches.recheck {
            return Ok(Some(format!(
                "--recheck: the preset {preset} reuses no answers, nothing is solved again"
            )));
        }
        Ok(None)
    }

    /// Refuses to collect partial solutions where no solver gives any.
    pub fn check_partial_solutions(&self) -> Result<(), String> {
        let solvers = select::names(&self.solver).map_err(|error| error.to_string())?;
        if solvers.iter().any(|solver| solver == "native") {
            return Ok(());
        }
        Err(format!(
            "--partial-solutions: only the native solver gives any, not {}",
            solvers.join(", ")
        ))
    }
}
