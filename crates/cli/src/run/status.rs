//! A line on a terminal that says how far it is. On a pipe there is none.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::show;

/// How often the clock on it ticks.
const TICK: Duration = Duration::from_millis(200);

pub struct Status(ProgressBar);

/// What it says.
pub struct Standing {
    pub paths: u64,
    pub pending: usize,
    /// Covered and there.
    pub branches: (u64, u64),
    /// Questions, and how many of them a solver answered.
    pub questions: u64,
    pub solved: u64,
    pub bytes: u64,
}

impl Status {
    /// Nothing is shown where nobody would see it, or wants to.
    pub fn new(quiet: bool) -> Status {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if !bar.is_hidden() {
            let style = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message("starting");
            bar.enable_steady_tick(TICK);
        }
        Status(bar)
    }

    pub fn update(&self, now: &Standing) {
        if !self.0.is_hidden() {
            self.0.set_message(now.line());
        }
    }

    /// Shows something above the line.
    pub fn show_above(&self, text: &str) {
        self.0.suspend(|| show(text));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Standing {
    fn line(&self) -> String {
        let (covered, all) = self.branches;
        let mut parts = vec![
            format!("{} paths", self.paths),
            format!("{} pending", self.pending),
            format!("{}% of branches", percent(covered, all)),
            format!("{} questions", self.questions),
        ];
        if self.questions > 0 {
            let spared = self.questions.saturating_sub(self.solved);
            parts.push(format!("{}% not solved", percent(spared, self.questions)));
        }
        parts.push(format!("{} MB", self.bytes / 1_000_000));
        parts.join(", ")
    }
}

/// Rounded down: only everything is 100%.
pub fn percent(part: u64, whole: u64) -> u64 {
    (100 * part).checked_div(whole).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_where_it_stands() {
        let standing = Standing {
            paths: 12,
            pending: 3,
            branches: (7, 8),
            questions: 100,
            solved: 1,
            bytes: 45_600_000,
        };
        assert_eq!(
            standing.line(),
            "12 paths, 3 pending, 87% of branches, 100 questions, 99% not solved, 45 MB"
        );
    }
}
