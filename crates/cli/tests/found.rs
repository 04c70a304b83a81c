//! Scripts that once went wrong, found by the fuzzer and shrunk. Each check has its answer in the script, from an
//! independent solver; refrain compares.

use std::path::Path;
use std::process::Command;

#[test]
fn what_once_went_wrong_stays_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let scripts = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut count = 0;
    for script in scripts {
        let script = script.expect("a script").path();
        let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
            .env("REFRAIN_STORE", "none")
            .args(["smt", "--check-models", "--max-time", "60"])
            .arg(&script)
            .output()
            .expect("refrain starts");
        let answers = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {output:?}", script.display());
        assert!(
            !answers.contains("unknown"),
            "{}: {answers}",
            script.display()
        );
        count += 1;
    }
    assert!(count > 0, "no scripts");
}
