//! A line on a terminal that says how far it is. On a pipe there is none.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use console::Term;

use crate::show;

/// How often the clock on it ticks.
const TICK: Duration = Duration::from_millis(250);

/// Room for what the terminal shows of a key, such as ^C, behind the line.
const MARGIN: usize = 4;

/// To the start of the line, which is emptied.
const CLEAR: &str = "\r\x1b[K";

#[derive(Default)]
pub struct Status {
    screen: Option<Arc<Screen>>,
    ticking: Mutex<Option<JoinHandle<()>>>,
}

struct Screen {
    term: Term,
    started: Instant,
    line: Mutex<Line>,
    is_over: Condvar,
}

#[derive(Default)]
struct Line {
    text: String,
    is_over: bool,
}

/// What it says.
pub struct Standing {
    pub paths: u64,
    pub pending: usize,
    /// Covered and there.
    pub branches: (u64, u64),
    /// Queries, and how many of them a solver answered.
    pub queries: u64,
    pub solved: u64,
    pub bytes: u64,
}

impl Status {
    /// Nothing is shown where nobody would see it, or wants to.
    pub fn new(quiet: bool) -> Status {
        let term = Term::stderr();
        if quiet || !term.is_term() {
            return Status::default();
        }
        let screen = Arc::new(Screen {
            term,
            started: Instant::now(),
            line: Mutex::default(),
            is_over: Condvar::new(),
        });
        let ticker = screen.clone();
        let ticking = std::thread::Builder::new().spawn(move || ticker.tick());
        Status {
            screen: Some(screen),
            ticking: Mutex::new(ticking.ok()),
        }
    }

    pub fn update(&self, now: &Standing) {
        if let Some(screen) = &self.screen {
            let mut line = screen.line();
            line.text = now.line();
            screen.draw(&line);
        }
    }

    /// Shows something above the line.
    pub fn show_above(&self, text: &str) {
        let Some(screen) = &self.screen else {
            return show(text);
        };
        let line = screen.line();
        show(CLEAR);
        show(text);
        screen.draw(&line);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        let Some(screen) = &self.screen else {
            return;
        };
        screen.line().is_over = true;
        screen.is_over.notify_all();
        let mut ticking = self.ticking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ticker) = ticking.take() {
            // It has nothing to say if it died.
            let _ = ticker.join();
            show(CLEAR);
        }
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Screen {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the clock go on, also while a question takes long.
    fn tick(&self) {
        let mut line = self.line();
        while !line.is_over {
            self.draw(&line);
            let waited = self.is_over.wait_timeout(line, TICK);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn draw(&self, line: &Line) {
        let seconds = self.started.elapsed().as_secs();
        let text = format!("{}:{:02}  {}", seconds / 60, seconds % 60, line.text);
        let width = usize::from(self.term.size().1).saturating_sub(MARGIN);
        show(&format!(
            "{CLEAR}{}",
            console::truncate_str(&text, width, "…")
        ));
    }
}

impl Standing {
    fn line(&self) -> String {
        let (covered, all) = self.branches;
        let mut parts = vec![
            format!("{} paths", self.paths),
            format!("{} pending", self.pending),
            format!("{}% of branches", percent(covered, all)),
            format!("{} queries", self.queries),
        ];
        if self.queries > 0 {
            let avoided = self.queries.saturating_sub(self.solved);
            parts.push(format!("{}% not solved", percent(avoided, self.queries)));
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
            queries: 100,
            solved: 1,
            bytes: 45_600_000,
        };
        assert_eq!(
            standing.line(),
            "12 paths, 3 pending, 87% of branches, 100 queries, 99% not solved, 45 MB"
        );
    }
}
