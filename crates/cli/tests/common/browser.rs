//! Chromium without a window, driven by its DevTools protocol over a pipe: pages are opened, clicked and typed into.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest that anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    process: Child,
    to: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    /// Exceptions, and whatever else the page's console says.
    complaints: Vec<Value>,
    /// Its profile.
    _folder: tempfile::TempDir,
}

impl Browser {
    /// A page from disk, loaded.
    pub fn open(page: &Path) -> Browser {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // It reads commands from descriptor 3 and answers on 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .args(["sh", "--remote-debugging-pipe", "--headless"])
            .args(["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync"])
            .arg("--window-size=1400,900")
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let to = process.stdin.take().expect("a pipe");
        let from = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for message in from.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            process,
            to,
            messages,
            calls: 0,
            session: None,
            complaints: Vec::new(),
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let url = format!("file://{}", page.display());
        browser.call("Page.navigate", json!({ "url": url }));
        browser.until("document.readyState === 'complete' && location.protocol === 'file:'");
        browser
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut call = json!({ "id": self.calls, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            call["sessionId"] = json!(session);
        }
        let sent = self.to.write_all(format!("{call}\0").as_bytes());
        sent.expect("chromium reads; `cargo xtask install` gets it");
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|_| panic!("no answer to {method}"));
            if message["id"] == json!(self.calls) {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            let event = message["method"].as_str().unwrap_or_default();
            if matches!(
                event,
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded"
            ) {
                self.complaints.push(message["params"].clone());
            }
        }
    }

    /// The value of an expression.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let found = self.call("Runtime.evaluate", parameters);
        assert!(found["exceptionDetails"].is_null(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    #[track_caller]
    pub fn text(&mut self, selector: &str) -> String {
        let found = self.value(&format!(
            "document.querySelector({}).innerText",
            json!(selector)
        ));
        found.as_str().expect("text").to_owned()
    }

    /// How many elements there are.
    #[track_caller]
    pub fn count(&mut self, selector: &str) -> u64 {
        let found = self.value(&format!(
            "document.querySelectorAll({}).length",
            json!(selector)
        ));
        found.as_u64().expect("a number")
    }

    /// The colour of an element in red, green and blue, as the page computes it.
    #[track_caller]
    pub fn style(&mut self, selector: &str, property: &str) -> String {
        let element = format!("document.querySelector({})", json!(selector));
        let style = format!(
            "getComputedStyle({element}).getPropertyValue({})",
            json!(property)
        );
        self.value(&style).as_str().expect("text").to_owned()
    }

    /// Waits for something to be true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        let started = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(started.elapsed() < PATIENCE, "{expression}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses and releases the mouse in the middle of an element, which must be what is there.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{
                const element = document.querySelector({});
                if (!element) return null;
                const box = element.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                return element.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
            }})()",
            json!(selector)
        ));
        assert!(!place.is_null(), "{selector} is not in sight");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// A key by its name, as `ArrowDown`, `Enter`, `e`.
    pub fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.len() == 1 => key,
            _ => "",
        };
        let code = if key == "Enter" { 13 } else { 0 };
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code }),
        );
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key }),
        );
    }

    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// The page went through all of it without an exception, a refused resource or a message.
    #[track_caller]
    pub fn close(mut self) {
        self.value("0");
        assert_eq!(self.complaints, Vec::<Value>::new());
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
