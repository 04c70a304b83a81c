//! On a terminal, which tmux is: progress shows, and Ctrl-C ends it with results.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::REFRAIN;

/// A program that is not explored in any time anybody has.
const ENDLESS: &str = r#"
#include <klee/klee.h>

int main(void) {
    unsigned char bytes[64];
    unsigned odd = 0;
    klee_make_symbolic(bytes, sizeof bytes, "bytes");
    for (unsigned i = 0; i < sizeof bytes; i++)
        if (bytes[i] & 1)
            odd++;
    return odd > 32;
}
"#;

/// A terminal of its own, gone with the test.
struct Terminal(String);

impl Terminal {
    fn start(name: &str, folder: &Path, line: &str) -> Terminal {
        let terminal = Terminal(format!("refrain-{name}-{}", std::process::id()));
        let size = ["-x", "120", "-y", "40"];
        let folder = folder.to_str().expect("UTF-8");
        let fixed = [
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            "main",
            "-c",
            folder,
        ];
        terminal.tmux(&[&fixed[..], &size, &["sh"]].concat());
        terminal.tmux(&["send-keys", line, "Enter"]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.0])
            .args(arguments)
            .output()
            .expect("tmux is installed");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the screen shows what it must.
    fn wait_for(&self, shows: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if shows(&screen) {
                return screen;
            }
            assert!(Instant::now() < deadline, "{screen}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn progress_shows_and_an_interrupt_keeps_the_results() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("endless.c"), ENDLESS).expect("a file");
    let line = format!("{REFRAIN} run --tests covering --out out endless.c; echo status $?");
    let terminal = Terminal::start("progress", folder.path(), &line);
    let progress = |screen: &str| screen.contains(" pending, ") && screen.contains("% of branches");
    let screen = terminal.wait_for(progress);
    assert!(
        screen.contains(" paths, ") && screen.contains(" MB"),
        "{screen}"
    );
    terminal.tmux(&["send-keys", "C-c"]);
    let screen = terminal.wait_for(|screen| screen.contains("status 130"));
    assert!(screen.contains("stopped: interrupted"), "{screen}");
    assert!(!screen.contains(" pending, "), "the line is gone: {screen}");
    for name in ["stats.json", "boundary.json", "tests.pack"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
}

#[test]
fn quiet_shows_no_progress() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("endless.c"), ENDLESS).expect("a file");
    let line = format!(
        "{REFRAIN} run -q --max-time 2 --tests covering --out out endless.c; echo status $?"
    );
    let terminal = Terminal::start("quiet", folder.path(), &line);
    let screen = terminal.wait_for(|screen| {
        assert!(!screen.contains(" pending, "), "{screen}");
        screen.contains("status 0")
    });
    assert!(!screen.contains("queries:"), "{screen}");
}
