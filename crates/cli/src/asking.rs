//! Who answers questions: the solver, and what is reused before it is asked.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use refrain_reuse::{Chain, LAYERS, Layers, MOST_REMEMBERED, PRESETS, SharedAnswers};
use refrain_solver::{Solver, select};
use refrain_store::Store;

/// The most solutions that can be asked for.
const MOST: usize = 1_000_000;

#[derive(Args, Clone)]
pub struct Asking {
    /// The solver: native, z3, cvc5, yices, bitwuzla, smtlib:COMMAND, or several of them separated by commas
    #[arg(long, default_value = "native", value_name = "SPEC")]
    pub solver: String,

    /// What is reused before the solver is asked: baseline, caching, caching-opt, stack, stack-opt, green, klee,
    /// greentrie, pscache or full. stack-opt differs from stack in what solver processes are sent: on the native
    /// solver they are the same
    #[arg(long, default_value = "full", value_name = "PRESET", value_parser = preset)]
    pub reuse: String,

    /// Leave out a layer of the preset: facts, model, repair, slice, reduce, exact, canonize, sets, implication,
    /// renaming, quick-test, partial-solutions or gates
    #[arg(long, value_name = "LAYER", value_parser = layer)]
    pub without: Vec<&'static str>,

    /// Partial solutions that each call of the solver is asked for [default: as many as pay]
    #[arg(long, value_name = "N", value_parser = count)]
    pub kp: Option<usize>,

    /// Solutions that are kept for each set of constraints, to be tried on others [default: 1 for klee,
    /// else as many as pay]
    #[arg(long, value_name = "N", value_parser = count)]
    pub ks: Option<usize>,

    /// The most memory that the answers of a session, or of a worker, may take: 300MB, 2GB. Of more, those that were of
    /// use least recently are forgotten [default: 1GiB; all workers together no more than a quarter of --max-memory]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub reuse_memory: Option<u64>,

    /// Solve every answer that was reused again, and compare; a difference ends the run
    #[arg(long)]
    pub recheck: bool,

    /// How long the first of several solvers has before the others are asked too
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub handoff: Option<Duration>,
}

impl Asking {
    pub fn layers(&self) -> Result<Layers, String> {
        let mut layers = Layers::preset(&self.reuse).unwrap_or_else(|| unreachable!("checked"));
        layers.fix_counts(self.kp, self.ks)?;
        for layer in &self.without {
            layers.without(layer);
        }
        Ok(layers)
    }

    /// Whether a solver is a process of its own.
    pub fn has_processes(&self) -> bool {
        self.solver.split(',').any(|name| name.trim() != "native")
    }

    /// What is to be said of a preset that makes no difference to these solvers.
    pub fn note(&self) -> Option<&'static str> {
        (self.reuse == "stack-opt" && !self.has_processes()).then_some(
            "on the native solver stack-opt is the same as stack: it names terms for solver processes",
        )
    }

    /// The solver with everything in front of it; answers come from a store, and from other workers. The share is
    /// what there is memory for unless somebody has said.
    pub fn solver(
        &self,
        layers: Layers,
        store: Option<Store>,
        shared: Option<Arc<SharedAnswers>>,
        share: Option<u64>,
    ) -> Result<Box<dyn Solver>, String> {
        let mut options = select::Options {
            name_assigned: layers.name_assigned,
            ..select::Options::default()
        };
        if let Some(handoff) = self.handoff {
            options.handoff = handoff;
        }
        let make = || select::from_spec(&self.solver, &options).map_err(|error| error.to_string());
        let checker = self.recheck.then(make).transpose()?;
        let solver = make()?;
        if layers.is_nothing() {
            return Ok(solver);
        }
        let mut chain = Chain::new(solver, layers);
        chain.keep_in(store);
        chain.check_by(checker);
        if let Some(shared) = shared {
            chain.share_with(shared);
        }
        let share = share.map(|share| share.min(MOST_REMEMBERED as u64));
        if let Some(bytes) = self.reuse_memory.or(share) {
            chain.limit_memory(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(Box::new(chain))
    }
}

fn preset(name: &str) -> Result<String, String> {
    match Layers::preset(name) {
        Some(_) => Ok(name.to_string()),
        None => Err(format!("no such preset; there are {}", PRESETS.join(", "))),
    }
}

fn layer(name: &str) -> Result<&'static str, String> {
    let known = LAYERS.iter().copied().find(|&layer| layer == name);
    known.ok_or_else(|| format!("no such layer; there are {}", LAYERS.join(", ")))
}

/// How many of something; none is what `--without` says.
pub fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("not a number from 1 to {MOST}")),
    }
}

/// Bytes, with a unit or without.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        "KIB" => 1 << 10,
        "MIB" => 1 << 20,
        "GIB" => 1 << 30,
        _ => return Err("not a size: 300MB, 2GB".into()),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "not a size: 300MB, 2GB".to_string())?;
    number
        .checked_mul(unit)
        .ok_or_else(|| "more than there can be".into())
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(value).map_err(|_| "not a length of time".to_owned())
}
