//! `cargo xtask crash-smt`: several `refrain smt` on one store, killed at any moment. The store must be sound after
//! every round, and whatever was answered before a kill must be what a process without memory answers. In the end
//! every script is run against what the killed left behind.

use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[derive(clap::Args, Clone)]
pub struct Options {
    #[arg(long, default_value_t = 100)]
    pub rounds: u64,
    /// Processes on the store at once.
    #[arg(long, default_value_t = 4)]
    pub processes: usize,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Milliseconds after which, at the latest, the next process of a round is killed.
    #[arg(long, default_value_t = 150)]
    pub patience: u32,
}

/// New scripts of a round.
const NEW_SCRIPTS: usize = 2;

/// Of a hundred rounds, how many begin with a new store: its first moments are the most delicate.
const NEW_STORES: u32 = 3;

pub fn run(options: Options) -> Result<()> {
    let directory = std::env::temp_dir().join(format!("refrain-crash-{}", std::process::id()));
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let started = Instant::now();
    let mut test = CrashTest {
        refrain: workspace::refrain_binary()?,
        rng: Rng::for_script(options.seed, 0),
        options,
        store: directory.join("store"),
        directory,
        scripts: Vec::new(),
        tally: Tally::default(),
    };
    let result = test.run().and_then(|()| test.conclude());
    let kept = test.directory.display();
    result.with_context(|| format!("everything is kept in {kept}"))?;
    let Tally {
        cut,
        silent,
        answers,
        new_stores,
    } = test.tally;
    println!(
        "{} rounds in {:.0} s: {cut} processes killed ({silent} before their first answer), {answers} answers before that, all right; \
         the store was begun {new_stores} times and sound after every round",
        test.options.rounds,
        started.elapsed().as_secs_f64(),
    );
    std::fs::remove_dir_all(&test.directory).context("cannot remove the directory")
}

struct Script {
    text: String,
    file: PathBuf,
    /// What a process without memory answers to its checks.
    verdicts: Vec<String>,
}

#[derive(Default)]
struct Tally {
    cut: u64,
    silent: u64,
    answers: u64,
    new_stores: u64,
}

struct CrashTest {
    options: Options,
    refrain: PathBuf,
    directory: PathBuf,
    store: PathBuf,
    rng: Rng,
    scripts: Vec<Script>,
    tally: Tally,
}

impl CrashTest {
    fn run(&mut self) -> Result<()> {
        let examples = workspace::root().join("examples").join("smt");
        for entry in std::fs::read_dir(&examples).context("no examples")? {
            let text = std::fs::read_to_string(entry?.path()).context("cannot read an example")?;
            self.add(text)?;
        }
        let rounds = self.options.rounds;
        for round in 0..rounds {
            // The last store lives long enough to have something to tell.
            let is_new = round < rounds * 4 / 5 && self.rng.percent(NEW_STORES);
            if is_new && self.store.exists() {
                std::fs::remove_dir_all(&self.store).context("cannot remove the store")?;
            }
            self.tally.new_stores += u64::from(!self.store.exists());
            self.round(round)
                .with_context(|| format!("round {round} of seed {}", self.options.seed))?;
            if (round + 1).is_multiple_of(50) {
                let (cut, answers) = (self.tally.cut, self.tally.answers);
                println!(
                    "{} rounds, {cut} killed, {answers} answers; {}",
                    round + 1,
                    self.verify()?
                );
            }
        }
        Ok(())
    }

    fn add(&mut self, text: String) -> Result<()> {
        let number = self.scripts.len();
        let file = self.directory.join(format!("{number}.smt2"));
        std::fs::write(&file, &text).context("cannot write a script")?;
        let mut command = Command::new(&self.refrain);
        command.args(["smt", "--reuse", "stack", "--store", "none"]);
        let answered = output(command.arg(&file))?;
        let verdicts: Vec<String> = verdicts(&answered).map(str::to_owned).collect();
        self.scripts.push(Script {
            text,
            file,
            verdicts,
        });
        Ok(())
    }

    /// Lets processes work on the store for a moment, kills them one by one, and looks at what they said and left.
    fn round(&mut self, round: u64) -> Result<()> {
        for place in 0..NEW_SCRIPTS {
            let number = round * NEW_SCRIPTS as u64 + place as u64;
            self.add(generated(&mut Rng::for_script(self.options.seed, number)))?;
        }
        let mut running = Vec::new();
        for _ in 0..self.options.processes {
            running.push(self.start()?);
        }
        for process in &mut running {
            let pause = self.rng.below(self.options.patience as usize * 1000);
            std::thread::sleep(Duration::from_micros(pause as u64));
            process.child.kill().context("cannot kill a process")?;
        }
        for process in running {
            self.examine(process)?;
        }
        self.verify().map(drop)
    }

    fn start(&mut self) -> Result<Running> {
        let mut command = Command::new(&self.refrain);
        command.args(["smt", "--check-models", "--store"]);
        command.arg(&self.store);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start refrain")?;
        let mut input = child.stdin.take().context("no input")?;
        let output = reader(child.stdout.take().context("no output")?);
        let errors = reader(child.stderr.take().context("no errors")?);
        // More scripts than anyone gets through, mostly those of this round.
        let count = self.scripts.len();
        let asked: Vec<usize> = (0..200)
            .map(|_| match self.rng.percent(70) {
                true => count - 1 - self.rng.below(NEW_SCRIPTS.min(count)),
                false => self.rng.below(count),
            })
            .collect();
        let texts: Vec<String> = asked
            .iter()
            .map(|&script| self.scripts[script].text.clone())
            .collect();
        let mut rng = Rng::for_script(self.rng.next(), 0);
        std::thread::spawn(move || {
            // Whoever was killed reads no more: that is the end of it.
            let _ = texts
                .iter()
                .try_for_each(|text| feed(&mut input, text, &mut rng));
        });
        Ok(Running {
            child,
            output,
            errors,
            asked,
        })
    }

    /// Compares what a killed process has said with what it should have.
    fn examine(&mut self, mut process: Running) -> Result<()> {
        process
            .child
            .wait()
            .context("cannot wait for a killed process")?;
        let said = join(process.output)?;
        let errors = join(process.errors)?;
        ensure!(errors.is_empty(), "it complained: {errors}");
        // The last line may be cut: then it was not said.
        let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
        ensure!(
            !whole.contains("(error"),
            "a command was answered with an error:\n{whole}"
        );
        let expected = process.asked.iter().flat_map(|&script| {
            self.scripts[script]
                .verdicts
                .iter()
                .map(move |v| (script, v))
        });
        let mut answers = 0;
        for (given, (script, expected)) in verdicts(whole).zip(expected) {
            ensure!(
                given == expected,
                "{}: answer {answers} of the session is {given}, and {expected} without reuse",
                self.scripts[script].file.display()
            );
            answers += 1;
        }
        self.tally.cut += 1;
        self.tally.silent += u64::from(answers == 0);
        self.tally.answers += answers;
        Ok(())
    }

    /// What the store has to say of itself, if it is sound or not begun yet.
    fn verify(&self) -> Result<String> {
        if !self.store.exists() {
            return Ok("no store yet".to_owned());
        }
        let mut command = Command::new(&self.refrain);
        command.args(["store", "verify"]).arg(&self.store);
        let said = output(&mut command)?;
        let about = said
            .rsplit_once(": ")
            .map_or(said.as_str(), |(_, about)| about);
        Ok(about.trim().to_owned())
    }

    /// Every script without a store, with a new one, and with the one that is left.
    fn conclude(&self) -> Result<()> {
        let new = self.directory.join("new");
        let without = self.calls(Path::new("none"))?;
        let with_new = self.calls(&new)?;
        let with_left = self.calls(&self.store)?;
        println!(
            "solver calls of all {} scripts: {without} without a store, {with_new} with a new one, {with_left} with the one that is left",
            self.scripts.len()
        );
        println!("{}", self.verify()?);
        ensure!(
            with_left < with_new,
            "what the killed left behind saves no solver call"
        );
        Ok(())
    }

    /// Runs all scripts, compares their answers, and counts the calls of the solver.
    fn calls(&self, store: &Path) -> Result<u64> {
        let stats = self.directory.join("stats.json");
        let mut command = Command::new(&self.refrain);
        command
            .args(["smt", "--check-models", "--store"])
            .arg(store);
        command.arg("--stats").arg(&stats);
        command.args(self.scripts.iter().map(|script| &script.file));
        let said = output(&mut command)?;
        let expected = self.scripts.iter().flat_map(|script| &script.verdicts);
        ensure!(
            verdicts(&said).eq(expected),
            "answers with the store {} differ from those without reuse",
            store.display()
        );
        let text = std::fs::read_to_string(&stats).context("no statistics")?;
        let stats: serde_json::Value = serde_json::from_str(&text).context("bad statistics")?;
        let calls = stats["solver"]["calls"].as_u64();
        calls.context("the statistics do not count the solver's calls")
    }
}

struct Running {
    child: Child,
    output: JoinHandle<std::io::Result<String>>,
    errors: JoinHandle<std::io::Result<String>>,
    /// The scripts it was sent, in order.
    asked: Vec<usize>,
}

fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<std::io::Result<String>> {
    std::thread::spawn(move || {
        let mut said = String::new();
        pipe.read_to_string(&mut said).map(|_| said)
    })
}

fn join(reader: JoinHandle<std::io::Result<String>>) -> Result<String> {
    match reader.join() {
        Ok(said) => said.context("cannot read what a process said"),
        Err(_) => bail!("a thread panicked"),
    }
}

/// Sends a script as a user would, a command now and a command then.
fn feed(input: &mut impl Write, text: &str, rng: &mut Rng) -> std::io::Result<()> {
    for line in text.lines() {
        if line.starts_with("(check") && rng.percent(30) {
            std::thread::sleep(Duration::from_micros(rng.below(4000) as u64));
        }
        writeln!(input, "{line}")?;
    }
    writeln!(input, "(reset)")?;
    input.flush()
}

/// What a command says that must do well.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start refrain")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success() && errors.is_empty(),
        "refrain failed ({}): {errors}",
        output.status
    );
    String::from_utf8(output.stdout).context("not text")
}

fn verdicts(said: &str) -> impl Iterator<Item = &str> {
    said.lines()
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown"))
}

/// A path, branch by branch, over few variables and constants, so that scripts ask similar things.
fn generated(rng: &mut Rng) -> String {
    let mut script = String::from("(set-logic ALL)\n");
    for name in ["a", "b", "c", "d"] {
        let _ = writeln!(script, "(declare-const {name} (_ BitVec 10))");
    }
    for name in ["i", "j", "k"] {
        let _ = writeln!(script, "(declare-const {name} Int)");
    }
    let mut depth = 0;
    for _ in 0..rng.between(15, 40) {
        let condition = condition(rng);
        let _ = writeln!(script, "(check-sat-assuming ((not {condition})))");
        let _ = writeln!(script, "(push 1)\n(assert {condition})\n(check-sat)");
        depth += 1;
        while depth > 0 && (depth > 8 || rng.percent(35)) {
            script.push_str("(pop 1)\n");
            depth -= 1;
        }
    }
    script
}

fn condition(rng: &mut Rng) -> String {
    let bits = ["a", "b", "c", "d"];
    let numbers = ["i", "j", "k"];
    let (a, b) = (*rng.pick(&bits), *rng.pick(&bits));
    let (i, j) = (*rng.pick(&numbers), *rng.pick(&numbers));
    let bv = format!("(_ bv{} 10)", rng.below(12) * 85 + rng.below(3));
    let number = rng.below(9) as i64 * 5 - 20;
    let number = match number < 0 {
        true => format!("(- {})", -number),
        false => number.to_string(),
    };
    match rng.below(9) {
        0 => format!("(bvult {a} {bv})"),
        1 => format!("(= (bvadd {a} (bvmul (_ bv3 10) {b})) {bv})"),
        2 => format!("(bvsle (bvmul {a} {b}) {bv})"),
        3 => format!("(= (bvand {a} {b}) {bv})"),
        4 => format!("(bvult (bvurem {a} (_ bv7 10)) (bvxor {b} {bv}))"),
        5 => format!("(<= (+ {i} (* 2 {j})) {number})"),
        6 => format!("(= (- (* 3 {i}) {j}) {number})"),
        7 => format!("(< {i} (+ {j} {number}))"),
        _ => format!("(= {i} {number})"),
    }
}
