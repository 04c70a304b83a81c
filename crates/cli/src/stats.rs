//! The statistics file: one JSON object whose keys are the same for every command.

use std::fs;
use std::path::Path;
use std::time::Duration;

use refrain_smtlib::Statistics;
use serde_json::{Value, json};

/// What a run of `refrain smt` counted; what it has none of is zero.
pub fn of_session(stats: &Statistics, total: Duration) -> Value {
    json!({
        "paths": { "completed": 0, "error": 0, "killed": 0 },
        "instructions": 0,
        "coverage": { "blocks": 0, "branches": 0 },
        "queries": {
            "total": stats.checks,
            "answered_by": {
                "fold": 0, "model": 0, "reduce": 0, "exact": 0, "subset": 0, "superset": 0,
                "implied_sat": 0, "implied_unsat": 0, "quick_test": 0, "memo": 0,
                "solver": stats.checks,
            },
        },
        "solver": {
            "calls": stats.checks,
            "sat": stats.sat,
            "unsat": stats.unsat,
            "unknown": stats.unknown,
            "partial_solutions": stats.partial_solutions,
        },
        "time": {
            "total": total.as_secs_f64(),
            "execute": 0.0,
            "build": stats.build.as_secs_f64(),
            "lookup": 0.0,
            "solve": stats.solve.as_secs_f64(),
            "store": 0.0,
        },
        "memory": { "peak_bytes": peak_memory() },
    })
}

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
