//! What a check takes when consecutive questions are about different paths: the median by what answered it, and all
//! together by check, in microseconds.
//!
//! A made-up program branches on bytes, and on sums of two of them, `DEPTH` times. Its paths are those of `LEAVES`
//! random inputs. A search jumps between them at random and asks of each whether it can also go one way at a branch
//! that it has not come to. The path is told as assumptions or as assertions on levels of which only those that
//! differ are exchanged; the path's own input is suggested, or not.
//!
//! The rows `settled` ask only what the suggested input satisfies.
//!
//! `cargo bench -p refrain-reuse --bench switching -- 20 settled` measures only the rows with that name, for that
//! share of branches about two bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_reuse::{AnsweredBy, Chain, Layers};
use refrain_solver::native::Native;
use refrain_solver::{Limits, Query, Solver};
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms};

const INPUTS: usize = 8;
const DEPTH: usize = 50;
const LEAVES: usize = 1_000;
const SITES: usize = 300;
const JUMPS: usize = 50_000;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }
}

struct Leaf {
    conditions: Vec<Term>,
    input: Arc<Assignment>,
}

/// The branches of the program, of which so many in a hundred are about two bytes, and some of its paths.
fn program(terms: &mut Terms, random: &mut Random, pairs: usize) -> (Vec<Term>, Vec<Leaf>) {
    let inputs: Vec<Term> = (0..INPUTS)
        .map(|i| terms.var(&format!("in{i}"), Sort::BitVec(8)))
        .collect();
    let mut site = || {
        let mut subject = inputs[random.below(INPUTS)];
        if random.below(100) < pairs {
            subject = terms.bv_add(subject, inputs[random.below(INPUTS)]);
        }
        let constant = terms.bv(8, random.below(256) as u64);
        match random.below(3) {
            0 => terms.eq(subject, constant),
            1 => terms.bv_ult(subject, constant),
            _ => terms.bv_slt(subject, constant),
        }
    };
    let sites: Vec<Term> = (0..SITES).map(|_| site()).collect();
    let leaves = (0..LEAVES).map(|_| {
        let mut input = Assignment::new();
        for &symbol in &inputs {
            let Op::Var(var) = terms.op(symbol) else {
                unreachable!("a symbol")
            };
            input.set(var, Bv::new(8, random.below(256) as u64));
        }
        let mut evaluator = Evaluator::new();
        let mut conditions = Vec::new();
        let mut at = 0;
        while conditions.len() < DEPTH {
            let taken = evaluator.bool(terms, &input, sites[at]);
            conditions.push(if taken {
                sites[at]
            } else {
                terms.not(sites[at])
            });
            at = (at * 2 + usize::from(taken) + conditions.len()) % SITES;
        }
        Leaf {
            conditions,
            input: Arc::new(input),
        }
    });
    let leaves = leaves.collect();
    (sites, leaves)
}

#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    levels: bool,
    suggest: bool,
    settled: bool,
}

fn main() {
    let way = |name, levels, suggest| Way {
        name,
        levels,
        suggest,
        settled: false,
    };
    let settled = |name, levels| Way {
        settled: true,
        ..way(name, levels, true)
    };
    let mut asked = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let only_pairs: Option<usize> = asked.next().and_then(|arg| arg.parse().ok());
    let only_way = asked.next();
    for pairs in [0, 20, 100] {
        if only_pairs.is_some_and(|only| only != pairs) {
            continue;
        }
        println!("branches about two bytes: {pairs} %");
        for way in [
            way("assumed", false, false),
            way("levels", true, false),
            way("assumed, suggested", false, true),
            way("levels, suggested", true, true),
            settled("assumed, settled", false),
            settled("levels, settled", true),
        ] {
            if only_way.as_ref().is_none_or(|only| way.name.contains(only)) {
                measure(pairs, way);
            }
        }
    }
}

fn measure(pairs: usize, way: Way) {
    let mut terms = Terms::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (sites, leaves) = program(&mut terms, &mut random, pairs);
    let layers = Layers::preset("full").expect("a preset");
    let mut chain = Chain::new(Box::new(Native::new()), layers);
    let mut asserted: Vec<Term> = Vec::new();
    let mut took = AnsweredBy::ALL.map(|_| Vec::<Duration>::new());
    let counts = |chain: &Chain| AnsweredBy::ALL.map(|by| chain.chain_stats().answered_by(by));
    let (mut verdicts, mut all) = ([0; 2], Duration::ZERO);
    for jump in 0..JUMPS {
        let leaf = &leaves[random.below(LEAVES)];
        let question = sites[random.below(SITES)];
        let holds = match way.settled {
            true => Evaluator::new().bool(&terms, &leaf.input, question),
            false => random.below(2) == 0,
        };
        let question = if holds { question } else { terms.not(question) };
        let depth = DEPTH / 2 + random.below(DEPTH / 2);
        let before = counts(&chain);
        let started = Instant::now();
        let conditions = &leaf.conditions[..depth];
        if way.suggest {
            chain.suggest(&terms, &leaf.input);
        }
        let outcome = if way.levels {
            let pairs = asserted.iter().zip(conditions);
            let common = pairs.take_while(|(a, b)| a == b).count();
            chain.pop(asserted.len() - common);
            asserted.truncate(common);
            for &condition in &conditions[common..] {
                chain.push();
                chain.assert(&mut terms, condition);
                asserted.push(condition);
            }
            chain.check(&mut terms, &Query::new(&[question], &Limits::default()))
        } else {
            let mut assumed = conditions.to_vec();
            assumed.push(question);
            chain.check(&mut terms, &Query::new(&assumed, &Limits::default()))
        };
        let time = started.elapsed();
        verdicts[usize::from(outcome.is_sat())] += 1;
        all += time;
        let after = counts(&chain);
        // The first half is what warms up.
        if jump >= JUMPS / 2 {
            let by = (0..before.len()).find(|&by| before[by] != after[by]);
            took[by.expect("something answered")].push(time);
        }
    }
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let each = micros(all) / JUMPS as f64;
    print!("  {:20} {each:6.2} a check;", way.name);
    for (by, mut times) in AnsweredBy::ALL.iter().zip(took) {
        times.sort_unstable();
        if let Some(&median) = times.get(times.len() / 2) {
            print!(" {} {:.2} (x{})", by.name(), micros(median), times.len());
        }
    }
    println!("; sat {}, unsat {}", verdicts[1], verdicts[0]);
}
