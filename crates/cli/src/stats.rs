//! The statistics file: one JSON object whose keys are the same for every command.

use std::fs;
use std::path::Path;
use std::time::Duration;

use refrain_smtlib::Statistics;
use refrain_solver::{Effort, Stats};
use serde_json::{Map, Value, json};

use crate::run::{Counts, Record};

/// What a run of `refrain smt` counted; what it has none of is zero.
pub fn of_session(stats: &Statistics, efforts: &[Effort], total: Duration) -> Value {
    let mut answered_by = Map::new();
    for layer in LAYERS {
        let counts = efforts.iter().flat_map(|effort| &effort.answered_by);
        let count: u64 = counts
            .filter(|(name, _)| name == layer)
            .map(|(_, count)| count)
            .sum();
        answered_by.insert((*layer).to_owned(), count.into());
    }
    let mut layers = Map::new();
    for (name, took) in efforts.iter().flat_map(|effort| &effort.layers) {
        let before = layers.get(*name).and_then(Value::as_f64).unwrap_or(0.0);
        layers.insert((*name).to_owned(), (before + took.as_secs_f64()).into());
    }
    let seconds = |time: fn(&Effort) -> Duration| -> f64 {
        efforts.iter().map(time).sum::<Duration>().as_secs_f64()
    };
    let calls = |count: fn(&Stats) -> u64| -> u64 {
        efforts.iter().map(|effort| count(&effort.solver)).sum()
    };
    json!({
        "paths": { "completed": 0, "error": 0, "killed": 0 },
        "instructions": 0,
        "coverage": { "blocks": 0, "branches": 0 },
        "queries": { "total": stats.checks, "answered_by": answered_by },
        "solver": {
            "calls": calls(|solver| solver.checks),
            "sat": calls(|solver| solver.sat),
            "unsat": calls(|solver| solver.unsat),
            "unknown": calls(|solver| solver.unknown),
            "partial_solutions": calls(|solver| solver.partial_solutions),
        },
        "time": {
            "total": total.as_secs_f64(),
            "execute": 0.0,
            "build": stats.build.as_secs_f64(),
            "lookup": seconds(|effort| effort.lookup),
            "solve": seconds(|effort| effort.solve),
            "store": seconds(|effort| effort.store),
            "layers": layers,
        },
        "store": {
            "hits": efforts.iter().map(|effort| effort.store_hits).sum::<u64>(),
            "entries_written": efforts.iter().map(|effort| effort.store_written).sum::<u64>(),
        },
        "reuse": { "evicted": efforts.iter().map(|effort| effort.evicted).sum::<u64>() },
        "memory": { "peak_bytes": peak_memory() },
    })
}

/// What exploring a program counted.
pub fn of_exploring(record: &Record, stats: &refrain_explore::Stats) -> Value {
    let session = Statistics {
        checks: stats
            .effort
            .answered_by
            .iter()
            .map(|(_, count)| count)
            .sum::<u64>()
            + stats.by_model
            + stats.by_partial_solution,
        ..Statistics::default()
    };
    let mut json = of_session(&session, std::slice::from_ref(&stats.effort), stats.total);
    let counts = &record.counts;
    json["paths"] = json!({
        "completed": Counts::get(&counts.completed),
        "error": Counts::get(&counts.errors),
        "killed": Counts::get(&counts.killed),
        "silent": Counts::get(&counts.silent),
    });
    let coverage = record.coverage();
    json["coverage"] = json!({
        "blocks": coverage.blocks.0,
        "branches": coverage.branches.0,
        "blocks_total": coverage.blocks.1,
        "branches_total": coverage.branches.1,
    });
    json["instructions"] = stats.instructions.into();
    let by_model = json["queries"]["answered_by"]["model"]
        .as_u64()
        .unwrap_or(0);
    json["queries"]["answered_by"]["model"] = (by_model + stats.by_model).into();
    json["queries"]["answered_by"]["partial_solution"] = stats.by_partial_solution.into();
    let execute = stats.execute.saturating_sub(stats.build);
    json["time"]["execute"] = execute.as_secs_f64().into();
    json["time"]["build"] = stats.build.as_secs_f64().into();
    json["explore"] = json!({
        "branches": stats.branches,
        "forks": stats.forks,
        "most_pending": stats.most_pending,
        "boundaries": stats.boundaries,
        "dropped": stats.dropped,
        "evicted": stats.evicted,
        "executed_again": stats.executed_again,
        "restarts": stats.restarts,
        "partial_solutions_tried": stats.tried_partial_solutions,
        "inputs_kept": stats.kept_inputs,
        "by_kept_input": stats.by_surplus_input,
        "errors": record.errors(),
    });
    json["memo"] = json!({
        "paths_kept": record.kept,
        "by_memo": stats.by_memo,
        "finished": stats.finished,
        "questions_changed": stats.changed,
    });
    json
}

/// Where an answer can come from.
const LAYERS: &[&str] = &[
    "fold",
    "model",
    "reduce",
    "exact",
    "subset",
    "superset",
    "implied_sat",
    "implied_unsat",
    "quick_test",
    "memo",
    "solver",
];

pub fn write(path: &Path, stats: &Value) -> Result<(), String> {
    fs::write(path, format!("{stats:#}\n")).map_err(|error| format!("{}: {error}", path.display()))
}

/// The most memory this process has had, where the system tells.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| {
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
    });
    kilobytes.unwrap_or(0) * 1024
}
