//! `cargo xtask fuzz-llvm`: random C programs of csmith, natively and in the machine. A program prints a checksum of
//! its global variables; what the machine prints and its exit status must be the same at every level of optimisation.

use crate::campaign::{self, Campaign, Limits};
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(clap::Args, Clone)]
pub struct Options {
    /// How many programs.
    #[arg(long, default_value_t = 500)]
    pub programs: u64,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The first program's number: with the seed, it names a program.
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Levels of optimisation of the bitcode.
    #[arg(long, value_delimiter = ',', default_value = "0,2")]
    pub opt: Vec<String>,
    /// The compiler of both.
    #[arg(long, default_value = "clang")]
    pub clang: String,
    /// The command under test [default: the release build of `refrain run`].
    #[arg(long, value_name = "CMD")]
    pub refrain: Option<String>,
    /// Seconds the command under test has for one program; later is a skip.
    #[arg(long, default_value_t = 60)]
    pub limit: u64,
    /// Where failing programs are kept [default: fuzz-llvm-failures in the target directory].
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Programs at once [default: one a core].
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Stop after this many failing programs.
    #[arg(long, default_value_t = 10)]
    pub max_failures: u64,
}

/// Seconds a native program has: csmith's may run forever.
const NATIVE_LIMIT: Duration = Duration::from_secs(5);

/// Seconds csmith or a compiler has.
const TOOL_LIMIT: Duration = Duration::from_secs(60);

/// Where the headers of csmith's programs are.
const HEADERS: [&str; 3] = [
    "/usr/include/csmith",
    "/usr/local/include/csmith",
    "/usr/include/csmith-2.3.0",
];

enum Verdict {
    Passed,
    Skipped(&'static str),
    Failed(String),
}

struct ProgramFuzzer {
    options: Options,
    refrain: Vec<String>,
    headers: &'static str,
    keep: PathBuf,
    directory: PathBuf,
    campaign: Campaign,
    passed: AtomicU64,
    skipped: AtomicU64,
    /// One line at a time.
    screen: Mutex<()>,
}

pub fn run(options: Options) -> Result<()> {
    let refrain = match &options.refrain {
        Some(command) => command.split_whitespace().map(str::to_string).collect(),
        None => vec![
            workspace::refrain_binary()?.display().to_string(),
            "run".to_string(),
        ],
    };
    let headers = HEADERS
        .into_iter()
        .find(|path| Path::new(path).join("csmith.h").exists())
        .context("no csmith.h here; `cargo xtask install` installs csmith and its headers")?;
    let directory = std::env::temp_dir().join(format!("refrain-fuzz-llvm-{}", std::process::id()));
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let jobs = campaign::jobs(options.jobs);
    println!(
        "fuzz-llvm: {} on {} programs at -O{}, seed {}, {jobs} at once",
        refrain.join(" "),
        options.programs,
        options.opt.join(" and -O"),
        options.seed
    );
    let limits = Limits {
        duration: Duration::MAX,
        checks: None,
        cases: Some(options.programs),
        failures: options.max_failures,
    };
    let fuzzer = ProgramFuzzer {
        refrain,
        headers,
        keep: options
            .keep
            .clone()
            .unwrap_or_else(|| workspace::target().join("fuzz-llvm-failures")),
        directory,
        campaign: Campaign::new(options.first, limits),
        passed: AtomicU64::new(0),
        skipped: AtomicU64::new(0),
        screen: Mutex::new(()),
        options,
    };
    let worked = fuzzer.campaign.run(jobs, |_| fuzzer.work());
    let removed = std::fs::remove_dir_all(&fuzzer.directory);
    worked?;
    removed.context("cannot remove the temporary directory")?;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let failed = fuzzer.campaign.failures();
    println!(
        "{} passed, {failed} failed, {} skipped in {:.0} s",
        count(&fuzzer.passed),
        count(&fuzzer.skipped),
        fuzzer.campaign.seconds()
    );
    if failed > 0 {
        bail!("programs that differ are kept in {}", fuzzer.keep.display());
    }
    let passed = count(&fuzzer.passed);
    if passed < fuzzer.options.programs / 2 {
        bail!("only {passed} programs were compared: the machine is too slow, or csmith's are");
    }
    Ok(())
}

impl ProgramFuzzer {
    fn work(&self) -> Result<()> {
        while let Some(number) = self.campaign.next_case() {
            let directory = self.directory.join(number.to_string());
            std::fs::create_dir_all(&directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
            let verdict = self.examine(number, &directory)?;
            match verdict {
                Verdict::Passed => _ = self.passed.fetch_add(1, Ordering::Relaxed),
                Verdict::Skipped(why) => {
                    self.skipped.fetch_add(1, Ordering::Relaxed);
                    self.say(&format!("program {number}: skipped, {why}"));
                }
                Verdict::Failed(detail) => {
                    self.campaign.add_failure();
                    self.keep(number, &directory, &detail)?;
                }
            }
            std::fs::remove_dir_all(&directory).context("cannot remove a program's directory")?;
        }
        Ok(())
    }

    fn examine(&self, number: u64, directory: &Path) -> Result<Verdict> {
        let source = directory.join("program.c");
        let mut rng = Rng::for_script(self.options.seed, number);
        let generated = run_limited(&mut self.csmith(&mut rng, &source), directory, TOOL_LIMIT)?;
        if generated.is_none_or(|run| run.status != Some(0)) {
            return Ok(Verdict::Skipped("csmith did not finish"));
        }
        for level in &self.options.opt {
            let bitcode = directory.join(format!("program-O{level}.bc"));
            let mut compile = self.compile(level, &source, &bitcode);
            compile.args(["-c", "-emit-llvm", "-g"]);
            if level == "0" {
                compile.args(["-Xclang", "-disable-O0-optnone"]);
            }
            match run_limited(&mut compile, directory, TOOL_LIMIT)? {
                Some(run) if run.status == Some(0) => {}
                Some(run) => bail!("{} failed: {}", self.options.clang, run.stderr),
                None => return Ok(Verdict::Skipped("the compilation takes too long")),
            }
            // Natively from the same bitcode: a program whose meaning depends on the optimiser is no difference.
            let native = directory.join("native");
            let mut compile = self.compile("0", &bitcode, &native);
            compile.arg("-lm");
            match run_limited(&mut compile, directory, TOOL_LIMIT)? {
                Some(run) if run.status == Some(0) => {}
                Some(run) => bail!("{} failed: {}", self.options.clang, run.stderr),
                None => return Ok(Verdict::Skipped("the native compilation takes too long")),
            }
            let Some(expected) = run_limited(&mut Command::new(&native), directory, NATIVE_LIMIT)?
            else {
                return Ok(Verdict::Skipped("it runs too long natively"));
            };
            let mut tested = Command::new(&self.refrain[0]);
            tested.args(&self.refrain[1..]).arg(&bitcode);
            let limit = Duration::from_secs(self.options.limit);
            let Some(found) = run_limited(&mut tested, directory, limit)? else {
                return Ok(Verdict::Skipped("the machine takes too long"));
            };
            if found.stdout != expected.stdout || found.status != expected.status {
                return Ok(Verdict::Failed(format!(
                    "at -O{level}: natively {}, in the machine {}\n{}",
                    expected.describe(),
                    found.describe(),
                    found.stderr
                )));
            }
        }
        Ok(Verdict::Passed)
    }

    /// Programs of a size that a machine gets through in seconds, a third of them with floats.
    fn csmith(&self, rng: &mut Rng, source: &Path) -> Command {
        let mut command = Command::new("csmith");
        command.args(["--seed", &(rng.next() >> 33).to_string()]);
        command.args(["--max-funcs", &rng.between(2, 6).to_string()]);
        command.args(["--max-block-depth", &rng.between(2, 4).to_string()]);
        command.args(["--max-block-size", &rng.between(2, 4).to_string()]);
        command.args(["--max-expr-complexity", &rng.between(4, 10).to_string()]);
        command.args(["--max-array-dim", "3", "--max-array-len-per-dim", "6"]);
        command.arg("--concise");
        if rng.percent(33) {
            command.arg("--float");
        }
        if rng.percent(50) {
            command.arg("--no-volatiles");
        }
        command.arg("--output").arg(source);
        // It leaves a file about the platform where it runs.
        command.current_dir(source.parent().unwrap_or(Path::new(".")));
        command
    }

    fn compile(&self, level: &str, source: &Path, output: &Path) -> Command {
        let mut command = Command::new(&self.options.clang);
        command
            .arg(format!("-O{level}"))
            .args(["-w", "-I", self.headers])
            .arg(source)
            .arg("-o")
            .arg(output);
        command
    }

    fn keep(&self, number: u64, directory: &Path, detail: &str) -> Result<()> {
        let name = format!("{}-{number}", self.options.seed);
        let kept = self.keep.join(&name);
        std::fs::create_dir_all(&kept)
            .with_context(|| format!("cannot create {}", kept.display()))?;
        for entry in std::fs::read_dir(directory).context("cannot list a program's files")? {
            let path = entry?.path();
            let is_wanted = path
                .extension()
                .is_some_and(|ending| ending == "c" || ending == "bc");
            if let (true, Some(file)) = (is_wanted, path.file_name()) {
                std::fs::copy(&path, kept.join(file)).context("cannot keep a program")?;
            }
        }
        std::fs::write(kept.join("difference.txt"), detail).context("cannot keep a program")?;
        self.say(&format!(
            "program {number} differs {}; kept in {}",
            detail.lines().next().unwrap_or_default(),
            kept.display()
        ));
        Ok(())
    }

    fn say(&self, line: &str) {
        let _one = self.screen.lock();
        eprintln!("{line}");
    }
}

struct Run {
    status: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

impl Run {
    fn describe(&self) -> String {
        let status = match self.status {
            Some(status) => format!("status {status}"),
            None => "a signal".to_string(),
        };
        let stdout = String::from_utf8_lossy(&self.stdout);
        format!("{:?} and {status}", stdout.trim_end())
    }
}

/// Runs a command to its end, or kills it and answers nothing.
fn run_limited(command: &mut Command, directory: &Path, limit: Duration) -> Result<Option<Run>> {
    let (out, err) = (directory.join("stdout"), directory.join("stderr"));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&out).context("cannot write a program's output")?)
        .stderr(File::create(&err).context("cannot write a program's output")?)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for a program")? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().context("cannot kill a program")?;
            child.wait().context("cannot wait for a program")?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let stderr = std::fs::read(&err).context("cannot read a program's output")?;
    Ok(Some(Run {
        status: status.code(),
        stdout: std::fs::read(&out).context("cannot read a program's output")?,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }))
}
