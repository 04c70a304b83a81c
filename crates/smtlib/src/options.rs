//! `set-option`, `get-option`, `set-info` and `get-info`.

use std::time::Duration;

use refrain_solver::Reason;

use crate::bytes;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer, Token};
use crate::read::{decimal, expect, skip_expression, unexpected};
use crate::session::Session;
use crate::z3;

/// What a script has set, and whether it still can.
pub(crate) struct Options {
    pub print_success: bool,
    pub produce_models: bool,
    pub produce_unsat_cores: bool,
    pub produce_unsat_assumptions: bool,
    pub produce_assignments: bool,
    pub produce_assertions: bool,
    pub produce_proofs: bool,
    pub timeout: Option<Duration>,
    /// How many conflicts a search of the native solver may meet; 0: any number.
    pub resource_limit: u64,
    /// These two are kept for `get-option` alone.
    pub random_seed: u64,
    pub verbosity: u64,
    pub logic: Option<String>,
    /// The answer that the script announced for the next check.
    pub status: Option<bool>,
    /// Something was declared, asserted or checked: the options of the start are fixed.
    pub started: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            print_success: false,
            produce_models: true,
            produce_unsat_cores: false,
            produce_unsat_assumptions: false,
            produce_assignments: false,
            produce_assertions: false,
            produce_proofs: false,
            timeout: None,
            resource_limit: 0,
            random_seed: 0,
            verbosity: 0,
            logic: None,
            status: None,
            started: false,
        }
    }
}

/// z3's "no timeout".
const NO_TIMEOUT: u64 = u32::MAX as u64;

impl Session {
    pub(crate) fn set_option(&mut self, lexer: &mut Lexer) -> Result<()> {
        let keyword = expect(lexer, Kind::Keyword, "a keyword")?;
        let value = lexer.fork().next_token()?;
        if matches!(value.kind, Kind::Close | Kind::End) {
            return Err(unexpected(lexer, value, "the option's value"));
        }
        skip_expression(lexer)?;
        expect(lexer, Kind::Close, "')'")?;
        let started = self.options.started;
        let at_start = |set: bool, now: bool| match started && set != now {
            true => Err(Failure::new(
                keyword.at,
                "this option can be set only before anything is declared or asserted",
            )),
            false => Ok(set),
        };
        let options = &mut self.options;
        match lexer.bytes(keyword) {
            b"print-success" => options.print_success = boolean(lexer, value)?,
            b"produce-models" => options.produce_models = boolean(lexer, value)?,
            b"produce-unsat-cores" => {
                options.produce_unsat_cores =
                    at_start(boolean(lexer, value)?, options.produce_unsat_cores)?;
            }
            b"produce-unsat-assumptions" => {
                options.produce_unsat_assumptions = boolean(lexer, value)?
            }
            b"produce-assignments" => options.produce_assignments = boolean(lexer, value)?,
            b"produce-assertions" | b"interactive-mode" => {
                options.produce_assertions =
                    at_start(boolean(lexer, value)?, options.produce_assertions)?;
            }
            b"produce-proofs" => {
                let set = at_start(boolean(lexer, value)?, options.produce_proofs)?;
                if set && !self.proofs.can_begin() {
                    return Err(Failure::new(
                        keyword.at,
                        "proofs can be switched on only where a session begins",
                    ));
                }
                options.produce_proofs = set;
            }
            b"global-declarations" => {
                let was_global = self.declarations.is_global();
                let is_global = at_start(boolean(lexer, value)?, was_global)?;
                self.declarations.set_global(is_global);
            }
            b"timeout" => {
                let milliseconds = numeral(lexer, value)?;
                options.timeout = (milliseconds != 0 && milliseconds < NO_TIMEOUT)
                    .then(|| Duration::from_millis(milliseconds));
            }
            b"reproducible-resource-limit" | b"rlimit" => {
                options.resource_limit = numeral(lexer, value)?
            }
            b"random-seed" => options.random_seed = numeral(lexer, value)?,
            b"verbosity" => options.verbosity = numeral(lexer, value)?,
            b"regular-output-channel" => {
                let name = string(lexer, value)?;
                let result = self.reports.channels().redirect_regular(&name);
                result.map_err(|error| {
                    Failure::new(value.at, format!("cannot write to {name}: {error}"))
                })?;
            }
            b"diagnostic-output-channel" => {
                let name = string(lexer, value)?;
                let result = self.reports.channels().redirect_diagnostic(&name);
                result.map_err(|error| {
                    Failure::new(value.at, format!("cannot write to {name}: {error}"))
                })?;
            }
            name => {
                let name = bytes::text(name);
                if !z3::is_parameter(&name) {
                    return Err(Failure::unsupported(keyword.at, format!(":{name}")));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn get_option(&mut self, lexer: &mut Lexer) -> Result<()> {
        let keyword = expect(lexer, Kind::Keyword, "a keyword")?;
        expect(lexer, Kind::Close, "')'")?;
        let options = &self.options;
        let value = match lexer.bytes(keyword) {
            b"print-success" => options.print_success.to_string(),
            b"produce-models" => options.produce_models.to_string(),
            b"produce-unsat-cores" => options.produce_unsat_cores.to_string(),
            b"produce-unsat-assumptions" => options.produce_unsat_assumptions.to_string(),
            b"produce-assignments" => options.produce_assignments.to_string(),
            b"produce-assertions" | b"interactive-mode" => options.produce_assertions.to_string(),
            b"produce-proofs" => options.produce_proofs.to_string(),
            b"global-declarations" => self.declarations.is_global().to_string(),
            b"timeout" => options
                .timeout
                .map_or(NO_TIMEOUT, |t| t.as_millis() as u64)
                .to_string(),
            b"reproducible-resource-limit" | b"rlimit" => options.resource_limit.to_string(),
            b"random-seed" => options.random_seed.to_string(),
            b"verbosity" => options.verbosity.to_string(),
            b"regular-output-channel" => quoted(self.reports.channels().regular_name()),
            b"diagnostic-output-channel" => quoted(self.reports.channels().diagnostic_name()),
            name => {
                return Err(Failure::unsupported(
                    keyword.at,
                    format!(":{}", bytes::text(name)),
                ));
            }
        };
        self.reports.answer(value);
        Ok(())
    }

    pub(crate) fn set_info(&mut self, lexer: &mut Lexer) -> Result<()> {
        let keyword = expect(lexer, Kind::Keyword, "a keyword")?;
        let value = lexer.next_token()?;
        match value.kind {
            Kind::Close => return Ok(()),
            Kind::Open => {
                *lexer = Lexer::new(lexer.slice(0, lexer.end()), value.at);
                skip_expression(lexer)?;
            }
            Kind::End => return Err(unexpected(lexer, value, "a value or ')'")),
            _ => {}
        }
        expect(lexer, Kind::Close, "')'")?;
        if lexer.bytes(keyword) == b"status" {
            self.options.status = match lexer.bytes(value) {
                b"sat" => Some(true),
                b"unsat" => Some(false),
                b"unknown" => None,
                _ => return Err(unexpected(lexer, value, "sat, unsat or unknown")),
            };
        }
        Ok(())
    }

    pub(crate) fn get_info(&mut self, lexer: &mut Lexer) -> Result<()> {
        let keyword = expect(lexer, Kind::Keyword, "a keyword")?;
        expect(lexer, Kind::Close, "')'")?;
        let value = match lexer.bytes(keyword) {
            b"name" => quoted("refrain"),
            b"version" => quoted(env!("CARGO_PKG_VERSION")),
            b"authors" => quoted("the Refrain developers"),
            b"error-behavior" => "continued-execution".to_owned(),
            b"assertion-stack-levels" => self.levels.depth().to_string(),
            b"reason-unknown" => {
                let reason = self.checks.reason_unknown();
                quoted(&reason.map(Reason::to_string).unwrap_or_default())
            }
            b"status" => match self.options.status {
                Some(true) => "sat".to_owned(),
                Some(false) => "unsat".to_owned(),
                None => "unknown".to_owned(),
            },
            b"all-statistics" => {
                let stats = &self.meter.stats;
                let text = format!(
                    "(:commands {}\n :assertions {}\n :checks {}\n :sat {}\n :unsat {}\n :unknown {}\n :terms {}\n :time-build {:.3}\n :time-solve {:.3})",
                    stats.commands,
                    stats.assertions,
                    stats.checks + stats.not_asked,
                    stats.sat,
                    stats.unsat,
                    stats.unknown + stats.not_asked,
                    self.terms.len(),
                    stats.build.as_secs_f64(),
                    stats.solve.as_secs_f64(),
                );
                self.reports.answer(text);
                return Ok(());
            }
            name => {
                return Err(Failure::unsupported(
                    keyword.at,
                    format!(":{}", bytes::text(name)),
                ));
            }
        };
        let name = bytes::text(lexer.bytes(keyword));
        self.reports.answer(format_args!("(:{name} {value})"));
        Ok(())
    }
}

fn boolean(lexer: &Lexer, value: Token) -> Result<bool> {
    match (value.kind, lexer.bytes(value)) {
        (Kind::Symbol, b"true") => Ok(true),
        (Kind::Symbol, b"false") => Ok(false),
        _ => Err(unexpected(lexer, value, "true or false")),
    }
}

fn numeral(lexer: &Lexer, value: Token) -> Result<u64> {
    if value.kind != Kind::Numeral {
        return Err(unexpected(lexer, value, "a numeral"));
    }
    decimal(lexer.bytes(value)).ok_or_else(|| Failure::new(value.at, "this number is too large"))
}

fn string(lexer: &Lexer, value: Token) -> Result<String> {
    if value.kind != Kind::Str {
        return Err(unexpected(lexer, value, "a string"));
    }
    let text = std::str::from_utf8(lexer.bytes(value));
    let text = text.map_err(|_| Failure::new(value.at, "this is not UTF-8"))?;
    Ok(text.replace("\"\"", "\""))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
