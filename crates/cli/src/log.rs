//! What happens inside, for those who ask (`--log`).
//!
//! Targets: `refrain::program` (what is compiled and read), `refrain::paths` (how each path ends),
//! `refrain::queries` (how each choice at a branch was decided), `refrain::limits` (what is left open and why).

use tracing_subscriber::EnvFilter;

pub const PROGRAM: &str = "refrain::program";
pub const PATHS: &str = "refrain::paths";
pub const QUERIES: &str = "refrain::queries";
pub const LIMITS: &str = "refrain::limits";

/// Logs from here on what a filter lets through.
pub fn start(filter: &str) -> Result<(), String> {
    let parsed = EnvFilter::builder().parse(filter);
    let filter = parsed.map_err(|error| {
        format!("--log {filter}: {error}; try --log info, or --log refrain::paths=debug")
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(crate::diagnostic::has_colours())
        .try_init()
        .map_err(|error| format!("--log: {error}"))
}
