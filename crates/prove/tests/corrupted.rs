//! Corrupted proofs are refused. A corruption that leaves a proof behind does not count: what is left is looked at by a
//! checker of this test, which searches for what follows instead of following hints, and knows the clauses from the
//! proof before it was corrupted.

mod common;

use std::collections::BTreeMap;

use common::{REFUTED, proof_of};
use refrain_testing::Random;

/// A proof of this file's, by lines.
struct Subject {
    script: &'static str,
    lines: Vec<String>,
}

fn subjects() -> Vec<Subject> {
    { REFUTED.iter() }
        .map(|&(_, script)| Subject {
            script,
            lines: proof_of(script, 1)
                .expect("a proof")
                .text
                .lines()
                .map(str::to_owned)
                .collect(),
        })
        .collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Where the derived clauses begin.
fn first_step(lines: &[String]) -> usize {
    1 + lines
        .iter()
        .position(|line| line.starts_with("cnf"))
        .expect("a size")
}

/// A word of a line as a number.
fn numbers(line: &str) -> Vec<i64> {
    line.split(' ')
        .map(|word| word.parse().expect("numbers only"))
        .collect()
}

fn words(numbers: &[i64]) -> String {
    let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
    words.join(" ")
}

/// One corruption, by its kind; nothing if the proof has no place for it.
fn corrupt(subject: &Subject, kind: usize, random: &mut Random) -> Option<Vec<String>> {
    let mut lines = subject.lines.clone();
    let first = first_step(&lines);
    let end = lines.len() - 1;
    let step = first + random.below(end - first);
    let rule = 3 + random.below((first - 4).max(1));
    let has_rules = first > 4;
    match kind {
        // A literal, or a hint, is another.
        0 => {
            let mut line = numbers(&lines[step]);
            let at = 1 + random.below(line.len() - 1);
            if line[at] == 0 {
                return None;
            }
            line[at] = match random.below(3) {
                0 => -line[at],
                1 => line[at] + 1,
                _ => line[at] - 1,
            };
            lines[step] = words(&line);
        }
        // A hint is gone.
        1 => {
            let mut line = numbers(&lines[step]);
            let zero = line.iter().position(|&n| n == 0)?;
            line.remove(zero + 1 + random.below(line.len() - zero - 2));
            lines[step] = words(&line);
        }
        // Two hints have changed places.
        2 => {
            let mut line = numbers(&lines[step]);
            let zero = line.iter().position(|&n| n == 0)?;
            let hints = line.len() - zero - 2;
            if hints < 2 {
                return None;
            }
            let at = zero + 1 + random.below(hints - 1);
            line.swap(at, at + 1);
            lines[step] = words(&line);
        }
        // A literal is gone.
        3 => {
            let mut line = numbers(&lines[step]);
            if line[1] == 0 {
                return None;
            }
            line.remove(1);
            lines[step] = words(&line);
        }
        // A line is gone.
        4 => {
            lines.remove(random.below(lines.len()));
        }
        // The rest is gone.
        5 => lines.truncate(random.below(lines.len())),
        // Two steps have changed places.
        6 => {
            if end - first < 2 {
                return None;
            }
            let at = first + random.below(end - first - 1);
            lines.swap(at, at + 1);
        }
        // A rule is gone, or there twice, or about another term, or its factor is another.
        7 if has_rules => {
            lines.remove(rule);
        }
        8 if has_rules => {
            let mut line: Vec<String> = lines[rule].split(' ').map(str::to_owned).collect();
            let at = 1 + random.below(line.len() - 1);
            let number: i64 = line[at].parse().ok()?;
            line[at] = (number + if random.below(2) == 0 { 1 } else { -1 }).to_string();
            lines[rule] = line.join(" ");
        }
        // An assertion is another, or gone.
        9 => {
            let mut line: Vec<String> = lines[2].split(' ').map(str::to_owned).collect();
            let at = 1 + random.below(line.len() - 1);
            line.remove(at);
            lines[2] = line.join(" ");
        }
        // The digest, the check or the size is another.
        10 => {
            let at = [1, first - 1][random.below(2usize)];
            let place = random.below(lines[at].len());
            let mut bytes = lines[at].clone().into_bytes();
            if !bytes[place].is_ascii_digit() {
                return None;
            }
            bytes[place] = b'0' + (bytes[place] - b'0' + 1 + random.below(9u8)) % 10;
            lines[at] = String::from_utf8(bytes).ok()?;
        }
        // A clause is said to be derived without hints.
        11 => {
            let mut line = numbers(&lines[step]);
            let zero = line.iter().position(|&n| n == 0)?;
            line.truncate(zero + 1);
            line.push(0);
            lines[step] = words(&line);
        }
        _ => return None,
    }
    (lines != subject.lines).then_some(lines)
}

/// Whether each step follows from the clauses before it by unit propagation, by whatever clauses, and the last is empty.
fn is_derivation(clauses: &BTreeMap<i64, Vec<i64>>, steps: &[String]) -> bool {
    let mut clauses = clauses.clone();
    let mut is_refuted = false;
    for step in steps {
        let line = numbers(step);
        let zero = line.iter().position(|&n| n == 0).expect("a clause ends");
        let clause = line[1..zero].to_vec();
        let mut facts: std::collections::BTreeSet<i64> = clause.iter().map(|lit| -lit).collect();
        let mut conflict = clause.iter().any(|lit| facts.contains(lit));
        loop {
            let before = facts.len();
            for lits in clauses.values() {
                if lits.iter().any(|lit| facts.contains(lit)) {
                    continue;
                }
                let mut open: Vec<i64> = lits
                    .iter()
                    .copied()
                    .filter(|lit| !facts.contains(&-lit))
                    .collect();
                open.dedup();
                match open[..] {
                    [] => conflict = true,
                    [unit] => drop(facts.insert(unit)),
                    _ => {}
                }
            }
            if conflict || facts.len() == before {
                break;
            }
        }
        if !conflict {
            return false;
        }
        is_refuted |= clause.is_empty();
        clauses.insert(line[0], clause);
    }
    is_refuted
}

#[test]
fn a_thousand_corrupted_proofs_are_refused() {
    let subjects = subjects();
    let mut random = Random::new(20);
    let mut refused = [0; 12];
    let mut still_proofs = 0;
    while refused.iter().sum::<u32>() < 1200 {
        let subject = &subjects[random.below(subjects.len())];
        let kind = random.below(12usize);
        let Some(lines) = corrupt(subject, kind, &mut random) else {
            continue;
        };
        let script = subject.script.as_bytes();
        match refrain_proof::check(script, text(&lines).as_bytes()) {
            Err(_) => refused[kind] += 1,
            Ok(_) => {
                // Then it is a proof all the same: its clauses are those of the proof before, and it derives the empty one.
                let part = |lines: &[String]| {
                    let parts = refrain_proof::propositional(script, text(lines).as_bytes());
                    parts.expect("a proof").remove(0).clauses
                };
                let (clauses, before) = (part(&lines), part(&subject.lines));
                assert_eq!(clauses.len(), before.len(), "{}", text(&lines));
                let clauses = (0..before.len()).map(|place| {
                    assert_eq!(clauses.get(place), before.get(place), "{}", text(&lines));
                    let clause = before.get(place).iter().map(|&lit| i64::from(lit));
                    (place as i64 + 1, clause.collect())
                });
                let first = first_step(&lines);
                let steps = &lines[first..lines.len() - 1];
                assert!(is_derivation(&clauses.collect(), steps), "{}", text(&lines));
                still_proofs += 1;
            }
        }
    }
    assert!(
        refused.iter().all(|&count| count > 20),
        "every kind is met: {refused:?}"
    );
    assert!(
        still_proofs < 200,
        "most corruptions break a proof: {still_proofs}"
    );
}

#[test]
fn whatever_the_bytes_there_is_no_panic() {
    let subjects = subjects();
    let mut random = Random::new(21);
    for _ in 0..refrain_testing::effort(4000, 100_000) {
        let subject = &subjects[random.below(subjects.len())];
        let mut bytes = text(&subject.lines).into_bytes();
        bytes.truncate(5000);
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes[at] = b"0123456789- \n:#"[random.below(15usize)],
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b'9'),
            }
        }
        let _ = refrain_proof::check(subject.script.as_bytes(), &bytes);
        let mut script = subject.script.as_bytes().to_vec();
        for _ in 0..1 + random.below(6) {
            let at = random.below(script.len());
            match random.below(3) {
                0 => script[at] = random.next() as u8,
                1 => script[at] = b"()|\"#;_ 0"[random.below(9usize)],
                _ => drop(script.remove(at)),
            }
        }
        let _ = refrain_proof::check(&script, text(&subject.lines).as_bytes());
        let _ = refrain_proof::Script::problem_of(&script, 1);
    }
}
