//! Edited scripts after their originals: how much a cache of the same questions still answers, and how much
//! everything does.

use std::path::PathBuf;

use crate::edit::Editor;
use crate::error::{Result, StudyError};
use crate::figures::{FAILED, NOTHING, mean, percent, range};
use crate::lab::{Lab, StoreUse, Subject, Trial};
use crate::random::Random;
use crate::script::Script;
use crate::table::Table;

use super::{EXACT, FULL, Options};

/// What is compared, and what tables call it.
const CACHES: [(&str, &str); 2] = [(EXACT, "exact match"), (FULL, "full")];

pub fn run(
    lab: &mut Lab,
    subjects: &[Subject],
    scripts: &[Script],
    options: &Options,
) -> Result<()> {
    let mut table = Table::new(
        format!("Hit rates on {} variants of each script", options.edits),
        &[
            "script",
            "reuse",
            ">checks",
            ">no store",
            ">range",
            ">after the original",
            ">range",
        ],
    );
    let mut all: [Rates; 2] = Default::default();
    let mut edits = Edits::default();
    for (subject, script) in subjects.iter().zip(scripts) {
        let rates = one_script(lab, subject, script, options, &mut edits)?;
        for ((rates, (_, name)), all) in rates.iter().zip(CACHES).zip(&mut all) {
            table.row(row(&subject.name, name, rates));
            all.checks.extend(mean(&rates.checks));
            all.alone.extend(mean(&rates.alone));
            all.after.extend(mean(&rates.after));
        }
    }
    if subjects.len() > 1 {
        for (rates, (_, name)) in all.iter().zip(CACHES) {
            table.row(row("mean of all", name, rates));
        }
    }
    table.remark("The hit rate is the share of checks that cost no solver call: 1 - calls/checks. Exact match is the preset green.");
    if let Some(line) = edits.describe() {
        table.remark(line);
    }
    lab.publish(table)
}

/// The figures of one cache on the variants of a script.
#[derive(Default)]
struct Rates {
    checks: Vec<f64>,
    /// Without store.
    alone: Vec<f64>,
    /// With what the original has stored.
    after: Vec<f64>,
}

/// How much was edited.
#[derive(Default)]
struct Edits {
    variants: usize,
    changed: usize,
    dropped: usize,
    added: usize,
    answers: usize,
    /// Answers that are not those of the original.
    answers_changed: usize,
}

impl Edits {
    fn describe(&self) -> Option<String> {
        let each = |count: usize| count as f64 / self.variants as f64;
        (self.variants > 0).then(|| {
            format!(
                "A variant has {:.1} constants changed, {:.1} assertions dropped and {:.1} added, on average; {} of the answers change.",
                each(self.changed),
                each(self.dropped),
                each(self.added),
                percent(self.answers_changed as f64 / self.answers.max(1) as f64)
            )
        })
    }
}

fn row(script: &str, cache: &str, rates: &Rates) -> Vec<String> {
    let checks = mean(&rates.checks).map_or(FAILED.to_owned(), |checks| format!("{checks:.0}"));
    let mut row = vec![script.to_owned(), cache.to_owned(), checks];
    for rates in [&rates.alone, &rates.after] {
        row.push(mean(rates).map_or(NOTHING.to_owned(), percent));
        let shown = |(low, high)| format!("{} to {}", percent(low), percent(high));
        row.push(range(rates).map_or(NOTHING.to_owned(), shown));
    }
    row
}

fn one_script(
    lab: &mut Lab,
    subject: &Subject,
    script: &Script,
    options: &Options,
    edits: &mut Edits,
) -> Result<[Rates; 2]> {
    let mut rates: [Rates; 2] = Default::default();
    let wrong = |what| StudyError::Script {
        name: script.name.clone(),
        what,
    };
    let editor = Editor::new(&script.text).map_err(wrong)?;
    let mut stores: Vec<PathBuf> = Vec::new();
    for (preset, _) in CACHES {
        let store = lab.fresh_store();
        let original = Trial {
            store: StoreUse::At(&store, "new"),
            ..Trial::new("edits", preset, 0)
        };
        let measured = lab.measure(subject, &original)?;
        stores.push(store);
        if measured.is_none() {
            return Ok(rates);
        }
    }
    for number in 1..=options.edits {
        lab.progress(&format!(
            "edits: {}, {number} of {}",
            script.name, options.edits
        ));
        let mut random = Random::for_part(options.seed, &script.name, number.into());
        let variant = editor.variant(&mut random);
        edits.variants += 1;
        edits.changed += variant.changed;
        edits.dropped += variant.dropped;
        edits.added += variant.added;
        let edited = match lab.subject(&script.name, "edited.smt2", &variant.text)? {
            Ok(edited) => edited,
            Err(failure) => {
                lab.problem(format!("edits: {}, edit {number}: {failure}", script.name));
                continue;
            }
        };
        let pairs = subject.answers.iter().zip(&edited.answers);
        edits.answers += edited.answers.len();
        edits.answers_changed += pairs.filter(|(before, after)| before != after).count();
        for ((rates, (preset, _)), store) in rates.iter_mut().zip(CACHES).zip(&stores) {
            let trial = |store| Trial {
                store,
                edit: Some(number),
                ..Trial::new("edits", preset, 0)
            };
            let alone = lab.measure(&edited, &trial(StoreUse::None))?;
            let copy = lab.copy_of_store(store)?;
            let after = lab.measure(&edited, &trial(StoreUse::At(&copy, "original")))?;
            lab.remove_store(&copy);
            if let (Some(alone), Some(after)) = (alone, after) {
                rates.checks.push(after.checks as f64);
                rates.alone.push(alone.hit_rate());
                rates.after.push(after.hit_rate());
            }
        }
    }
    for store in &stores {
        lab.remove_store(store);
    }
    Ok(rates)
}
