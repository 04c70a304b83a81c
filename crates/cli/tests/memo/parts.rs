//! What a run leaves open, divided into directories of their own and put together again.

use std::path::Path;

use crate::common::run;
use crate::going_on::{Folder, said};
use crate::results::{Results, json, replays};

/// Paths that have come to an end of their own.
pub fn ended(directory: &Path) -> u64 {
    let paths = &json(directory, "stats.json")["paths"];
    let ends = ["completed", "error", "silent"].map(|end| paths[end].as_u64().expect("a number"));
    ends.iter().sum()
}

#[test]
fn parts_are_explored_apart_and_put_together() {
    let folder = Folder::new();
    folder.explore("whole", &[]);
    folder.explore("cut", &["--max-paths=9"]);
    let known = ended(&folder.at("cut"));
    let (cut, parts, all) = (folder.text("cut"), folder.text("parts"), folder.text("all"));
    let output = run(&["tree", "split", &cut, "3", "--out", &parts]);
    assert!(output.status.success(), "{}", said(&output));
    let mut found = 0;
    for part in ["parts/1", "parts/2", "parts/3"] {
        // What is left for the next time is still of this part.
        folder.command("resume", part, &["--max-paths=3"]);
        folder.command("resume", part, &["--max-paths=none"]);
        let new = ended(&folder.at(part)) - known;
        assert!(new > 0, "{part}");
        found += new;
    }
    // Nothing is explored by two of them.
    assert_eq!(known + found, ended(&folder.at("whole")));
    let directories = ["1", "2", "3"].map(|part| folder.text(&format!("parts/{part}")));
    let mut arguments = vec!["tree", "merge", &all];
    arguments.extend(directories.iter().map(String::as_str));
    let output = run(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    folder.command("resume", "all", &[]);
    assert_eq!(json(&folder.at("all"), "stats.json")["instructions"], 0);
    assert_eq!(
        Results::of(&folder.at("all")),
        Results::of(&folder.at("whole"))
    );
    replays(&folder.at("all")).expect("put together");
    let output = run(&["certify", &all]);
    assert!(output.status.success(), "{}", said(&output));
}
