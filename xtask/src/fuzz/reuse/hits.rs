//! Which layer answered how many checks, summed over the statistics files of a run.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Every way a check can be answered that a run must have seen.
pub const LAYERS: &[&str] = &[
    "fold",
    "model",
    "reduce",
    "exact",
    "subset",
    "superset",
    "implied_sat",
    "implied_unsat",
    "quick_test",
    "solver",
];
const STORE: &str = "store";

#[derive(Default)]
pub struct Hits {
    by_group: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Hits {
    /// Adds the statistics file that a process has left.
    pub fn read(&mut self, group: &str, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("no statistics in {}", path.display()))?;
        let stats: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", path.display()))?;
        self.count(group, &stats);
        Ok(())
    }

    pub fn count(&mut self, group: &str, stats: &Value) {
        let counts = self.by_group.entry(group.to_string()).or_default();
        let layers = stats["queries"]["answered_by"].as_object();
        for (layer, count) in layers.into_iter().flatten() {
            *counts.entry(layer.clone()).or_default() += count.as_u64().unwrap_or(0);
        }
        if let Some(count) = stats[STORE]["hits"].as_u64() {
            *counts.entry(STORE.to_string()).or_default() += count;
        }
    }

    pub fn add(&mut self, other: &Hits) {
        for (group, counts) in &other.by_group {
            let sums = self.by_group.entry(group.clone()).or_default();
            for (layer, count) in counts {
                *sums.entry(layer.clone()).or_default() += count;
            }
        }
    }

    fn total(&self) -> BTreeMap<String, u64> {
        let mut total = BTreeMap::new();
        for (layer, count) in self.by_group.values().flatten() {
            *total.entry(layer.clone()).or_default() += count;
        }
        total
    }

    /// Layers that answered nothing; the store only if statistics speak of it.
    pub fn missing(&self) -> Vec<String> {
        let total = self.total();
        let store = total.contains_key(STORE).then_some(STORE);
        let names = LAYERS.iter().copied().chain(store);
        names
            .filter(|&layer| total.get(layer).is_none_or(|&count| count == 0))
            .map(str::to_string)
            .collect()
    }

    pub fn print(&self) {
        let total = self.total();
        let mut columns: Vec<&str> = LAYERS.to_vec();
        let others = total.iter().filter(|(_, count)| **count > 0);
        columns.extend(
            others
                .map(|(layer, _)| layer.as_str())
                .filter(|layer| !LAYERS.contains(layer)),
        );
        let line = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>14}")).collect();
            println!("{name:<26}{cells}");
        };
        line("hits", columns.iter().map(ToString::to_string).collect());
        let row = |counts: &BTreeMap<String, u64>| -> Vec<String> {
            let cell = |&layer: &&str| counts.get(layer).copied().unwrap_or(0).to_string();
            columns.iter().map(cell).collect()
        };
        for (group, counts) in &self.by_group {
            line(group, row(counts));
        }
        line("all", row(&total));
    }
}
