//! One script through the solver under test and the oracles, and the judgement of what came back:
//! equal answers, models that evaluate to true, cores that are unsat again. Of floats, where other solvers err
//! or there is none, an `unsat` with few inputs is judged by trying them all.

use super::ast::T;
use super::evaluate::Model;
use super::exhaust;
use super::oracle::{Answer, Oracle, Peer};
use super::plain;
use super::script::{Command, Probe, Script, Situation};
use super::session::{Finding, Kind, ModelCheck, Observation, Session, Tested};
use super::tally::Tally;
use super::theory::Theory;
use anyhow::Result;
use std::fmt::Write;
use std::time::Duration;

/// The oracles of one worker: z3, and one more for each script.
pub struct Jury {
    pub oracles: Vec<Oracle>,
    turn: usize,
}

impl Jury {
    pub fn new(peers: &[Peer]) -> Jury {
        Jury {
            oracles: peers.iter().map(|&peer| Oracle::new(peer)).collect(),
            turn: 0,
        }
    }

    /// z3 if it is among the peers, and the next of the others that knows all the script's words.
    fn seats(&mut self, script: &Script) -> Vec<usize> {
        let (mut seats, others): (Vec<usize>, Vec<usize>) = self
            .able(script)
            .into_iter()
            .partition(|&seat| self.oracles[seat].peer == Peer::Z3);
        if !others.is_empty() {
            self.turn += 1;
            seats.push(others[self.turn % others.len()]);
        }
        seats
    }

    fn able(&self, script: &Script) -> Vec<usize> {
        (0..self.oracles.len())
            .filter(|&seat| self.oracles[seat].peer.is_able(script))
            .collect()
    }

    /// Asks the oracles at these seats, all at once. What is to be decided again goes to the first one, and
    /// among numbers to all of them.
    fn ask(
        &mut self,
        theory: Theory,
        seats: &[usize],
        main: &Questions,
        more: &Questions,
    ) -> Result<Vec<(Peer, Vec<Answer>)>> {
        let again = |place: usize| place == 0 || theory != Theory::Bv;
        for (place, &seat) in seats.iter().enumerate() {
            let more = if again(place) { more.text.as_str() } else { "" };
            self.oracles[seat].begin(theory, &format!("{}{more}", main.text))?;
        }
        let collect = |(place, &seat): (usize, &usize)| {
            let oracle = &mut self.oracles[seat];
            let expected = main.count + if again(place) { more.count } else { 0 };
            (oracle.peer, oracle.collect(expected))
        };
        Ok(seats.iter().enumerate().map(collect).collect())
    }
}

/// Commands for an oracle, and how many answers they ask for.
#[derive(Default)]
struct Questions {
    text: String,
    count: usize,
}

impl Questions {
    fn are_these_satisfiable(&mut self, terms: &[T]) {
        self.text.push_str("(push 1)\n");
        for term in terms {
            let _ = writeln!(self.text, "(assert {})", plain::for_oracle(term));
        }
        self.text.push_str("(check-sat)\n(pop 1)\n");
        self.count += 1;
    }
}

/// Something the solver under test said that an oracle is to decide again.
struct Recheck {
    check: usize,
    expected: Answer,
}

/// Runs the script everywhere and compares. The first fault found is returned.
pub fn examine(
    script: &Script,
    session: &mut Session,
    jury: &mut Jury,
    tally: &mut Tally,
) -> Result<Option<Finding>> {
    let wrong = |why| anyhow::anyhow!("the generated script is wrong: {why}");
    let situations = script.situations().map_err(wrong)?;
    let main = Questions {
        text: script.for_oracle().map_err(wrong)?,
        count: situations.len(),
    };
    tally.of(script.theory).scripts += 1;
    let (mut observations, fault) = session.run(script, &situations);
    let (settled, mut finding) = try_all_inputs(script, &situations, &mut observations, tally);
    let (more, rechecks) = doubts(&observations);

    // In formats of which oracles know little, they are asked only for what nobody else can say.
    let odd = !script.formats().iter().all(|format| format.is_standard());
    let seats = match odd && settled.iter().all(|&settled| settled) {
        true => Vec::new(),
        false => jury.seats(script),
    };
    let mut verdicts = jury.ask(script.theory, &seats, &main, &more)?;
    let lone_dissent = (0..observations.len()).any(|check| {
        let decided = decided(&verdicts, check);
        decided.len() == 1 && observations[check].answer.contradicts(decided[0].1)
    });
    if lone_dissent && script.theory != Theory::Bv {
        let mut others = jury.able(script);
        others.retain(|seat| !seats.contains(seat));
        verdicts.extend(jury.ask(script.theory, &others, &main, &Questions::default())?);
    }

    for (check, observation) in observations.iter().enumerate() {
        let decided = decided(&verdicts, check);
        let counts = tally.of(script.theory);
        counts.count(observation.answer);
        counts.models += u64::from(matches!(observation.model, ModelCheck::Holds));
        counts.skipped += u64::from(decided.is_empty() && !settled[check]);
        counts.twice_confirmed += u64::from(decided.len() > 1);
        let confirm = || z3_has_a_model(script.theory, &situations[check]);
        match judge(
            observation,
            settled[check],
            &decided,
            script.theory,
            confirm,
        ) {
            Judgement::Agreed => {}
            Judgement::Dispute(detail) => tally.disputes.push(detail),
            Judgement::Fault(detail) => {
                finding = finding.or(Some(Finding {
                    kind: Kind::Answer,
                    check,
                    detail,
                }));
            }
        }
    }
    for (place, recheck) in rechecks.iter().enumerate() {
        let decided = decided(&verdicts, situations.len() + place);
        finding = finding.or(judge_again(recheck, &decided, script.theory, tally));
    }
    if let Some(fault) = fault {
        if fault.kind != Kind::Late {
            return Ok(finding.or(Some(fault)));
        }
        tally.of(script.theory).late += 1;
        // What is hard for everyone is not held against the solver under test.
        if !script.theory.is_undecidable() && !decided(&verdicts, fault.check).is_empty() {
            return Ok(finding.or(Some(fault)));
        }
    }
    Ok(finding)
}

/// Which checks the evaluator settles: models that hold, and each `unsat` of floats of which all inputs were
/// tried. A fault if one of them is a model. Cores are settled alike, and taken away.
fn try_all_inputs(
    script: &Script,
    situations: &[Situation],
    observations: &mut [Observation],
    tally: &mut Tally,
) -> (Vec<bool>, Option<Finding>) {
    let mut settled = Vec::new();
    let mut finding = None;
    let counts = tally.of(script.theory);
    let standard = script.formats().iter().all(|format| format.is_standard());
    for (check, observation) in observations.iter_mut().enumerate() {
        settled.push(matches!(observation.model, ModelCheck::Holds));
        if script.theory != Theory::Fp || observation.answer != Answer::Unsat {
            continue;
        }
        let found = |kind: Kind, what: &str, model: Model| Finding {
            kind,
            check,
            detail: format!("{what}, but this is a model: {:x?}", model.symbols),
        };
        let demands: Vec<T> = situations[check].demands().cloned().collect();
        match exhaust::model(&demands) {
            Some(Some(model)) => {
                finding = finding.or(Some(found(Kind::Answer, "unsat", model)));
            }
            Some(None) => {
                counts.exhausted += 1;
                settled[check] = true;
            }
            None => {}
        }
        match observation.core.as_deref().map(exhaust::model) {
            Some(Some(Some(model))) => {
                finding = finding.or(Some(found(Kind::Core, "a core", model)));
            }
            Some(Some(None)) => {
                counts.cores += 1;
                observation.core = None;
            }
            _ if !standard => observation.core = None,
            _ => {}
        }
    }
    (settled, finding)
}

/// Cores that should be unsat, and models that only an oracle can finish checking.
fn doubts(observations: &[Observation]) -> (Questions, Vec<Recheck>) {
    let mut questions = Questions::default();
    let mut rechecks = Vec::new();
    for (check, observation) in observations.iter().enumerate() {
        let (terms, expected) = match (&observation.core, &observation.model) {
            (Some(core), _) => (core, Answer::Unsat),
            (None, ModelCheck::LeftToOracle(terms)) => (terms, Answer::Sat),
            _ => continue,
        };
        questions.are_these_satisfiable(terms);
        rechecks.push(Recheck { check, expected });
    }
    (questions, rechecks)
}

/// What the oracles that have an answer say.
fn decided(verdicts: &[(Peer, Vec<Answer>)], check: usize) -> Vec<(Peer, Answer)> {
    verdicts
        .iter()
        .filter_map(|(peer, answers)| Some((*peer, *answers.get(check)?)))
        .filter(|(_, answer)| *answer != Answer::Unknown)
        .collect()
}

enum Judgement {
    Agreed,
    /// Oracles are wrong, or proof is wanting.
    Dispute(String),
    Fault(String),
}

/// Is the answer wrong? Among bit-vectors every oracle's word is taken. Among numbers and floats it takes two
/// oracles, or a model that the evaluator confirms, whichever side has it. What the evaluator settled, no oracle
/// disputes.
fn judge(
    observation: &Observation,
    settled: bool,
    decided: &[(Peer, Answer)],
    theory: Theory,
    oracle_has_a_model: impl FnOnce() -> bool,
) -> Judgement {
    let answer = observation.answer;
    let against = decided
        .iter()
        .filter(|(_, other)| answer.contradicts(*other))
        .count();
    if against == 0 {
        return Judgement::Agreed;
    }
    let others: Vec<String> = decided
        .iter()
        .map(|(peer, answer)| format!("{} {answer}", peer.name()))
        .collect();
    let detail = format!("under test {answer}, {}", others.join(", "));
    if against < decided.len() {
        return Judgement::Dispute(detail);
    }
    let proven = match answer {
        _ if theory == Theory::Bv => true,
        _ if settled => false,
        _ if against > 1 => true,
        Answer::Unsat => oracle_has_a_model(),
        _ => false,
    };
    if proven {
        Judgement::Fault(detail)
    } else {
        Judgement::Dispute(detail)
    }
}

/// Does z3 find values under which the evaluator agrees that everything holds?
fn z3_has_a_model(theory: Theory, situation: &Situation) -> bool {
    let declare = situation
        .declarations
        .iter()
        .map(|declaration| Command::Declare {
            name: declaration.name.clone(),
            parameters: declaration.parameters.clone(),
            result: declaration.result,
        });
    let assert = situation.demands().map(|term| Command::Assert {
        term: term.clone(),
        name: None,
    });
    let check = Command::Check {
        assuming: None,
        probe: Probe::Values,
    };
    let script = Script {
        theory,
        logic: "ALL",
        unsat_cores: false,
        global_declarations: false,
        commands: declare.chain(assert).chain([check]).collect(),
    };
    let z3 = Tested {
        command: ["z3", "-in"].map(str::to_string).to_vec(),
        plain: true,
        limit: Duration::from_secs(5),
    };
    let (Ok(mut session), Ok(situations)) = (Session::start(&z3), script.situations()) else {
        return false;
    };
    let (observations, _) = session.run(&script, &situations);
    matches!(observations.as_slice(), [only] if matches!(only.model, ModelCheck::Holds))
}

/// A core or a model that oracles were asked about again. One that none of them accepts is a fault.
fn judge_again(
    recheck: &Recheck,
    decided: &[(Peer, Answer)],
    theory: Theory,
    tally: &mut Tally,
) -> Option<Finding> {
    let (kind, detail) = match recheck.expected {
        Answer::Unsat => (Kind::Core, "the core is satisfiable"),
        _ => (Kind::Model, "no division by zero makes the model true"),
    };
    let accepted = decided
        .iter()
        .filter(|(_, answer)| *answer == recheck.expected)
        .count();
    if decided.is_empty() {
        return None;
    }
    // A lone solver may err about floats.
    if accepted == 0 && (theory != Theory::Fp || decided.len() > 1) {
        return Some(Finding {
            kind,
            check: recheck.check,
            detail: detail.to_string(),
        });
    }
    if accepted < decided.len() {
        tally.disputes.push(format!("{detail}, some oracles say"));
    } else if recheck.expected == Answer::Unsat {
        tally.of(theory).cores += 1;
    } else {
        tally.of(theory).models_left += 1;
    }
    None
}
