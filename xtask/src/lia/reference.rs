//! z3 as a live process: the reference that says which branches are feasible while scripts are generated.

use super::symbolic::Formula;
use super::walk::Oracle;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const MILLISECONDS_PER_CHECK: u32 = 5000;

pub struct Reference {
    process: Child,
    commands: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Reference {
    pub fn start() -> Result<Self> {
        let mut process = Command::new("z3")
            .args(["-in", &format!("-t:{MILLISECONDS_PER_CHECK}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start z3 (`cargo xtask install` installs it)")?;
        let commands = process.stdin.take().context("no pipe to z3")?;
        let answers = process.stdout.take().context("no pipe from z3")?;
        Ok(Reference {
            process,
            commands: BufWriter::new(commands),
            answers: BufReader::new(answers),
        })
    }

    fn check(&mut self) -> Result<Option<bool>> {
        writeln!(self.commands, "(check-sat)")?;
        self.commands.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        match answer.trim_end() {
            "sat" => Ok(Some(true)),
            "unsat" => Ok(Some(false)),
            "unknown" | "timeout" => Ok(None),
            other => bail!("z3 answers `{other}` to a check of the reference walk"),
        }
    }
}

impl Oracle for Reference {
    fn prepare(&mut self, script: &str) -> Result<()> {
        Ok(self.commands.write_all(script.as_bytes())?)
    }

    fn enter(&mut self, condition: &Formula) -> Result<Option<bool>> {
        writeln!(self.commands, "(push 1)\n(assert {condition})")?;
        self.check()
    }

    fn leave(&mut self) -> Result<()> {
        Ok(writeln!(self.commands, "(pop 1)")?)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
