//! What each layer costs or gains: everything, against everything but one layer.
//!
//! Everything is measured a second time, too: how much that differs from the first is how little a difference means.

use crate::error::Result;
use crate::figures::{FAILED, NOTHING, geometric_mean, milliseconds, range, ratio};
use crate::lab::{Lab, Subject, Trial};
use crate::measurement::Measurement;
use crate::table::Table;

use super::{FULL, Options};

/// Differences are small here, so runs are repeated more often.
const ROUNDS: u32 = 3;

/// A layer may make no script slower than this.
const LIMIT: f64 = 1.05;

/// What the second measurement of everything is called.
const CONTROL: &str = "nothing, again";

/// What marks a layer that does, and one of which that cannot be told.
const FLAG: &str = "COSTS MORE THAN 5%";
const NOISE: &str = "(noise)";

pub fn run(lab: &mut Lab, subjects: &[Subject], options: &Options) -> Result<()> {
    // What is switched off: nothing, nothing once more, then each layer.
    let mut variants: Vec<Option<&str>> = vec![None, None];
    variants.extend(options.layers.iter().map(|layer| Some(layer.as_str())));
    let layers: Vec<&str> = { variants[1..].iter() }
        .map(|layer| layer.unwrap_or(CONTROL))
        .collect();
    let mut ratios: Vec<Vec<Ratio>> = layers.iter().map(|_| Vec::new()).collect();
    for subject in subjects {
        let what = format!("layers: {}", subject.name);
        let rounds = options.rounds.saturating_mul(ROUNDS);
        let measured = lab.in_turn(&what, rounds, variants.len(), |lab, place, round| {
            let trial = Trial {
                without: variants[place],
                ..Trial::new("layers", FULL, round)
            };
            lab.measure(subject, &trial)
        })?;
        let Some((full, without)) = measured.split_first() else {
            continue;
        };
        lab.publish(table(subject, &layers, full, without))?;
        for (ratios, without) in ratios.iter_mut().zip(without) {
            if let (Some(full), Some(without)) = (full, without) {
                ratios.push(Ratio {
                    value: full.total / without.total,
                    noise: noise(Some(full), &measured[1]),
                    script: subject.name.clone(),
                });
            }
        }
    }
    lab.publish(summary(&layers, &ratios))
}

/// Time with all layers against time without one, on one script.
struct Ratio {
    value: f64,
    /// How far the two measurements of everything are apart.
    noise: f64,
    script: String,
}

/// By how much, as a ratio above 1, two measurements of the same differ.
fn noise(one: Option<&Measurement>, other: &Option<Measurement>) -> f64 {
    match (one, other) {
        (Some(one), Some(other)) => {
            let ratio = one.total / other.total;
            ratio.max(1.0 / ratio)
        }
        _ => 1.0,
    }
}

fn table(
    subject: &Subject,
    layers: &[&str],
    full: &Option<Measurement>,
    without: &[Option<Measurement>],
) -> Table {
    let checks = subject.answers.len();
    let mut table = Table::new(
        format!("Layers on {} ({checks} checks)", subject.name),
        &["without", ">ms", ">full/without", ">calls", ""],
    );
    let noise = noise(full.as_ref(), without.first().unwrap_or(&None));
    let names = ["nothing"].iter().chain(layers);
    for (name, run) in names.zip([full].into_iter().chain(without)) {
        let Some(run) = run else {
            table.row([(*name).to_owned(), FAILED.to_owned()]);
            continue;
        };
        let against = full.as_ref().map(|full| full.total / run.total);
        let flagged = against.map_or("", |ratio| flag(name, ratio, noise));
        table.row([
            (*name).to_owned(),
            milliseconds(run.total),
            against.map_or(NOTHING.to_owned(), ratio),
            run.calls.to_string(),
            flagged.to_owned(),
        ]);
    }
    table
}

fn flag(layer: &str, ratio: f64, noise: f64) -> &'static str {
    if layer == CONTROL || ratio <= LIMIT {
        ""
    } else if ratio <= noise {
        NOISE
    } else {
        FLAG
    }
}

fn summary(layers: &[&str], ratios: &[Vec<Ratio>]) -> Table {
    let mut table = Table::new(
        "Layers on all scripts",
        &[
            "layer",
            ">mean full/without",
            ">best",
            ">worst",
            "worst on",
            "",
        ],
    );
    for (layer, ratios) in layers.iter().zip(ratios) {
        let figures: Vec<f64> = ratios.iter().map(|ratio| ratio.value).collect();
        let (Some(mean), Some((best, _))) = (geometric_mean(&figures), range(&figures)) else {
            table.row([(*layer).to_owned(), FAILED.to_owned()]);
            continue;
        };
        let worst = ratios.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        let mut row = vec![(*layer).to_owned(), ratio(mean), ratio(best)];
        if let Some(worst) = worst {
            row.push(ratio(worst.value));
            row.push(worst.script.clone());
            row.push(flag(layer, worst.value, worst.noise).to_owned());
        }
        table.row(row);
    }
    table.remark(
        "Time with all layers against time without this one: below 1 the layer gains, above 1 it costs. Means are geometric.",
    );
    table.remark(format!(
        "Where nothing is switched off, both are the same, and all difference is noise; what lies within is marked {NOISE}."
    ));
    table
}
