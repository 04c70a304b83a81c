//! Every `unsat` of the repository's scripts has a proof that the checker accepts, but for those that use what is not
//! covered; and so has every `unsat` of random scripts.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::Shared;
use refrain_proof::Script;
use refrain_prove::{Limits, NotProved, prove};
use refrain_smtlib::{Config, Output, ProofCounts, Session};
use refrain_solver::native::Native;
use refrain_testing::{Random, effort};

/// What a session over the native solver makes of a script whose every `unsat` is to be proved.
struct Proved {
    counts: ProofCounts,
    answers: String,
    remarks: String,
    proofs: String,
}

fn proved(run: impl FnOnce(&mut Session)) -> Proved {
    let (regular, diagnostic, proofs) = (Shared::default(), Shared::default(), Shared::default());
    let output = Output::new(Box::new(regular.clone()), Box::new(diagnostic.clone()));
    let config = Config {
        max_time: Some(Duration::from_secs(3)),
        check_status: false,
        ..Config::default()
    };
    let mut session = Session::new(Box::new(Native::new()), config, output);
    session.prove_all(true, Some(Box::new(proofs.clone())));
    run(&mut session);
    let counts = session.proof_counts().expect("memory can be written");
    Proved {
        counts,
        answers: regular.text(),
        remarks: diagnostic.text(),
        proofs: proofs.text(),
    }
}

fn proved_script(script: &[u8]) -> Proved {
    proved(|session| session.run_script(script).expect("memory can be written"))
}

/// The scripts of a folder of the repository.
fn scripts(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut scripts: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "smt2")
        })
        .collect();
    scripts.sort();
    scripts
}

#[test]
fn the_scripts_of_the_repository_are_proved() {
    let mut total = ProofCounts::default();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for folder in [
        "crates/smtlib/tests/fixtures",
        "crates/cli/tests/found",
        "crates/reuse/tests/sent",
        "examples/smt",
    ] {
        for path in scripts(folder) {
            let script = fs::read(&path).expect("a readable script");
            let Proved {
                counts,
                remarks,
                proofs,
                ..
            } = proved_script(&script);
            assert_eq!(counts.refused, 0, "{}: {remarks}", path.display());
            if counts.proved > 0 {
                let accepted = refrain_proof::check(&script, proofs.as_bytes());
                let accepted = accepted.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
                assert_eq!(accepted.len() as u64, counts.proved);
            }
            for line in remarks.lines() {
                if let Some((_, why)) = line.split_once(" is not proved: ") {
                    *reasons.entry(why.to_owned()).or_default() += 1;
                }
            }
            total.add(counts);
        }
    }
    assert!(total.proved > 45, "{total:?}");
    // Floats, products, quantifiers, data and what z3 alone has are all that is missing.
    let known = |why: &str| {
        let of_z3 = [
            "'at-most'",
            "'bvsmul_",
            "'bvumul_",
            "'bvudiv_i'",
            "'equiv'",
            "'pble'",
        ];
        // Weights of z3's bounds may be of any size.
        let others = ["not linear", "the binder '", "an index that is too large"];
        let floats = [
            "Float",
            "'NaN'",
            "'fp",
            "RoundingMode",
            "'RN",
            "'+oo'",
            "'+zero'",
        ];
        let mut known = floats.iter().chain(&of_z3).chain(&others);
        known.any(|name| why.contains(name)) || why == "the sort 'D2' is not covered"
    };
    let unknown: Vec<_> = reasons.keys().filter(|why| !known(why)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert_eq!(reasons.values().sum::<u64>(), total.not_proved);
}

#[test]
fn a_stream_has_the_proofs_of_the_script() {
    for path in scripts("crates/smtlib/tests/fixtures") {
        let script = fs::read(&path).expect("a readable script");
        let whole = proved_script(&script);
        let stream = proved(|session| session.run_stream(&script[..]).expect("memory can be read"));
        assert_eq!(whole.proofs, stream.proofs, "{}", path.display());
    }
}

/// A random script of small widths, in which about half of the checks are `unsat`.
struct Writer {
    random: Random,
    out: String,
}

impl Writer {
    fn pick(&mut self, options: &[&str]) -> String {
        options[self.random.below(options.len())].to_owned()
    }

    fn vector(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.random.below(5) {
                0 => format!("#b{:03b}", self.random.below(8u32)),
                _ => self.pick(&["x", "y", "z"]),
            };
        }
        let deeper = depth - 1;
        match self.random.below(8) {
            0 => format!("(f {})", self.vector(deeper)),
            1 => format!("(select {} {})", self.array(deeper), self.vector(deeper)),
            2 => format!(
                "(ite {} {} {})",
                self.formula(deeper),
                self.vector(deeper),
                self.vector(deeper)
            ),
            3 => {
                let op = self.pick(&["bvnot", "bvneg", "(_ rotate_left 1)"]);
                format!("({op} {})", self.vector(deeper))
            }
            _ => {
                let op = self.pick(&[
                    "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvudiv", "bvurem",
                    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr",
                ]);
                format!("({op} {} {})", self.vector(deeper), self.vector(deeper))
            }
        }
    }

    fn array(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["a", "b"]);
        }
        let deeper = depth - 1;
        match self.random.below(5) {
            0 => format!(
                "((as const (Array (_ BitVec 3) (_ BitVec 3))) {})",
                self.vector(deeper)
            ),
            1 => format!(
                "(ite {} {} {})",
                self.formula(deeper),
                self.array(deeper),
                self.array(deeper)
            ),
            _ => {
                let (array, index) = (self.array(deeper), self.vector(deeper));
                format!("(store {array} {index} {})", self.vector(deeper))
            }
        }
    }

    fn integer(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.random.below(5u32).to_string(),
                _ => self.pick(&["i", "j"]),
            };
        }
        let deeper = depth - 1;
        match self.random.below(8) {
            0 => format!("(g {})", self.integer(deeper)),
            1 => format!(
                "(ite {} {} {})",
                self.formula(deeper),
                self.integer(deeper),
                self.integer(deeper)
            ),
            2 => format!(
                "(* {} {})",
                2 + self.random.below(3u32),
                self.integer(deeper)
            ),
            3 => {
                let op = self.pick(&["div", "mod"]);
                format!(
                    "({op} {} {})",
                    self.integer(deeper),
                    2 + self.random.below(3u32)
                )
            }
            4 => format!("(abs {})", self.integer(deeper)),
            _ => {
                let op = self.pick(&["+", "-"]);
                format!("({op} {} {})", self.integer(deeper), self.integer(deeper))
            }
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["p", "q", "(not p)", "(bvult x y)", "(= i j)"]);
        }
        let deeper = depth - 1;
        match self.random.below(9) {
            0 => format!("(= {} {})", self.array(deeper), self.array(deeper)),
            1 => format!("(not {})", self.formula(deeper)),
            2 => {
                let op = self.pick(&["and", "or", "xor", "=>", "="]);
                format!("({op} {} {})", self.formula(deeper), self.formula(deeper))
            }
            3 | 4 => {
                let op = self.pick(&["<=", "<", "=", "distinct"]);
                format!("({op} {} {})", self.integer(deeper), self.integer(deeper))
            }
            _ => {
                let op = self.pick(&[
                    "=", "distinct", "bvult", "bvsle", "bvsgt", "bvuge", "bvumulo", "bvssubo",
                ]);
                format!("({op} {} {})", self.vector(deeper), self.vector(deeper))
            }
        }
    }

    fn script(seed: u64) -> String {
        let mut writer = Writer {
            random: Random::new(seed),
            out: String::from(
                "(declare-const x (_ BitVec 3)) (declare-const y (_ BitVec 3)) (declare-const z (_ BitVec 3))
(declare-const a (Array (_ BitVec 3) (_ BitVec 3))) (declare-const b (Array (_ BitVec 3) (_ BitVec 3)))
(declare-fun f ((_ BitVec 3)) (_ BitVec 3)) (declare-const p Bool) (declare-const q Bool)
(declare-fun g (Int) Int) (declare-const i Int) (declare-const j Int)
(assert (<= (- 6) i 6)) (assert (<= (- 6) j 6))\n",
            ),
        };
        for _ in 0..8 {
            let formula = writer.formula(3);
            let _ = writeln!(writer.out, "(push 1) (assert {formula}) (check-sat)");
        }
        writer.out
    }
}

/// The prover starts from the checker's own encoding and rules: were one of them wrong, it would prove what is false.
#[test]
fn random_scripts_are_proved_where_they_are_unsatisfiable_and_nowhere_else() {
    let mut total = ProofCounts::default();
    let mut satisfiable = 0;
    for seed in 0..effort(120, 3000) {
        let script = Writer::script(seed);
        let found = proved_script(script.as_bytes());
        assert_eq!(found.counts.refused, 0, "{script}\n{}", found.remarks);
        assert_eq!(found.counts.not_proved, 0, "{script}\n{}", found.remarks);
        total.add(found.counts);
        for (place, answer) in found.answers.lines().enumerate() {
            if answer == "sat" {
                let check = place as u32 + 1;
                let problem = Script::problem_of(script.as_bytes(), check).expect("a check");
                let limits = Limits {
                    deadline: Some(Instant::now() + Duration::from_secs(20)),
                    stop: None,
                };
                let proof = prove(problem, limits).map(|proof| proof.text);
                assert_eq!(
                    proof,
                    Err(NotProved::Satisfiable),
                    "check {check} of {script}"
                );
                satisfiable += 1;
            }
        }
    }
    assert!(
        total.proved > 100 && satisfiable > 100,
        "{total:?}, {satisfiable}"
    );
}
