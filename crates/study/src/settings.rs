//! Switches that only some of the presets take.

use std::collections::BTreeMap;

/// By preset: switches with their values, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Settings(pub BTreeMap<String, Vec<String>>);

impl Settings {
    pub fn of(&self, preset: &str) -> &[String] {
        self.0.get(preset).map_or(&[], Vec::as_slice)
    }
}
