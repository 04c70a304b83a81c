//! Episodes are well formed and the same each time; statistics are summed; help is read.

use super::arrange::words_about;
use super::hits::{Hits, LAYERS};
use super::walk;
use super::world::Plan;
use crate::fuzz::theory::Theory;
use crate::random::Rng;
use serde_json::json;
use std::collections::BTreeMap;

#[test]
fn sessions_are_well_formed_reproducible_and_of_every_theory() {
    let mut theories = BTreeMap::new();
    for number in 0..60 {
        let session = || {
            let plan = Plan::draw(&mut Rng::for_script(3, number));
            walk::session(&plan, Rng::for_script(4, number))
        };
        let script = session();
        let situations = script.situations().expect("well-formed");
        assert!(situations.len() >= 100);
        assert_eq!(script.text(), session().text());
        *theories.entry(script.theory).or_insert(0) += 1;
    }
    for theory in [Theory::Bv, Theory::Lia, Theory::Lra, Theory::Mixed] {
        assert!(theories.contains_key(&theory), "no {}", theory.name());
    }
}

#[test]
fn a_layer_without_hits_is_missing() {
    let mut hits = Hits::default();
    let all: serde_json::Map<_, _> = LAYERS
        .iter()
        .map(|&layer| (layer.to_string(), json!(2)))
        .collect();
    hits.count("full", &json!({ "queries": { "answered_by": all } }));
    assert!(hits.missing().is_empty());
    // A store that is counted must be hit as well.
    hits.count("full", &json!({ "store": { "hits": 0 } }));
    assert_eq!(hits.missing(), ["store"]);

    let mut fewer = Hits::default();
    fewer.count(
        "green",
        &json!({ "queries": { "answered_by": { "fold": 1, "exact": 0 } } }),
    );
    assert!(fewer.missing().contains(&"exact".to_string()));
    assert!(!fewer.missing().contains(&"fold".to_string()));
    hits.add(&fewer);
    assert_eq!(hits.missing(), ["store"]);
}

#[test]
fn help_is_read_up_to_the_next_option() {
    let help = "      --reuse <PRESET>\n          What is reused: baseline, caching-opt or full\n\n          [default: full]\n\n      \
                --recheck\n          Solve again\n";
    let words = words_about(help, "--reuse");
    for preset in ["baseline", "caching-opt", "full"] {
        assert!(words.contains(&preset.to_string()), "{words:?}");
    }
    assert!(!words.contains(&"again".to_string()));
}
