//! What `refrain tree` prints, and what it makes of trees on disk.

use std::fs;

use refrain_memo::{Edge, Header, Tree};
use serde_json::Value;

use crate::scene::{SHOP, Scene, made_up, open, shop};

#[test]
fn a_tree_has_numbers() {
    let scene = shop();
    let text = scene.says(&["out"]);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("on disk"))
        .collect();
    let expected = [
        "nodes       30, 9 deep",
        "paths       11: 9 exit, 2 end in an error",
        "            2 assertion failure: amount != 7",
        "infeasible  20, 19 with a core",
        "open        0",
        "unknown     0",
        "questions   1 assume, 29 choose, 0 choices implied",
        "most nodes  15 at main 2:4",
        "            9 at main 6:2",
    ];
    assert_eq!(lines[..expected.len()], expected);
    let json: Value = serde_json::from_str(&scene.says(&["out", "--as", "json"])).expect("JSON");
    assert_eq!(json["nodes"], 30);
    assert_eq!(json["paths"]["error"], 2);
    // The tree itself may be named, too.
    assert_eq!(scene.says(&["out/tree"]), text);
}

#[test]
fn what_a_run_leaves_open_has_its_cause_and_is_divided() {
    let scene = shop();
    scene.explore("cut", "shop.c", 5);
    let json: Value = serde_json::from_str(&scene.says(&["cut", "--as", "json"])).expect("JSON");
    let open = json["open"].as_object().expect("causes");
    let causes: Vec<&String> = open.keys().collect();
    let cause = "more branches than a path may have";
    assert_eq!(causes, [cause]);
    let count = open[cause].as_u64().expect("a number");
    let parts = scene.says(&["split", "cut", "2", "--as", "json"]);
    let parts: Vec<Vec<Vec<u32>>> = serde_json::from_str(&parts).expect("JSON");
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|part| !part.is_empty()));
    assert_eq!(parts.concat().len() as u64, count);
    // Every way leads from the root to something that is open.
    let tree = self::open(&scene.path("cut/tree"));
    for way in parts.concat() {
        let end = way
            .iter()
            .fold(Edge::ROOT, |edge, &answer| match tree.below(edge) {
                refrain_memo::Below::Node(node) => node.edge(answer),
                other => panic!("{way:?}: {other:?}"),
            });
        assert!(tree.below(end).is_open(), "{way:?}");
    }
    let text = scene.says(&["split", "cut", "2"]);
    assert!(
        text.starts_with(&format!("part 1: {} open\n  0 ", parts[0].len())),
        "{text}"
    );
}

#[test]
fn trees_are_united_and_written_anew() {
    let scene = shop();
    scene.explore("cut", "shop.c", 5);
    scene.says(&["merge", "all", "cut", "out"]);
    let same = scene.says(&["all", "--against", "out"]);
    assert!(
        same.contains("changed     0\nonly here   0\nonly there  0\n"),
        "{same}"
    );
    // It is an output directory with a program.
    scene.says(&["all", "--html", "all.html"]);
    let page = fs::read_to_string(scene.path("all.html")).expect("a page");
    assert!(page.contains("Memo tree of shop.c"));
    let before = scene.says(&["all"]);
    let numbers = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("on disk"));
        lines.map(str::to_owned).collect()
    };
    scene.says(&["compact", "all"]);
    assert_eq!(numbers(&scene.says(&["all"])), numbers(&before));
    let said = scene.says(&["compress", "all"]);
    assert!(said.starts_with("all/tree: "), "{said}");
    let short = scene.says(&["all"]);
    assert!(
        short.contains("nodes       30, 0 deep\n") && short.contains("summaries   1\n"),
        "{short}"
    );
    let same = scene.says(&["all", "--against", "out"]);
    assert!(
        same.contains("changed     0\nonly here   0\nonly there  0\n"),
        "{same}"
    );
}

#[test]
fn an_edit_is_a_difference() {
    let scene = shop();
    let edited = SHOP.replace("return paid < due", "return 3");
    fs::write(scene.path("edited.c"), edited).expect("a file");
    scene.explore("edited", "edited.c", u32::MAX);
    let text = scene.says(&["edited", "--against", "out"]);
    let expected = "\
same        52
changed     9
  9         exit depends on input -> exit 3
only here   0
only there  0
";
    assert_eq!(text, expected);
    let json = scene.says(&["edited", "--against", "out", "--as", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["difference"]["same"], 52);
}

#[test]
fn trouble_has_a_status() {
    let scene = Scene::new();
    made_up(&scene.path("whole"), 100);
    made_up(&scene.path("torn"), 100);
    let log = scene.path("torn/0001.log");
    let bytes = fs::read(&log).expect("a log");
    fs::write(&log, &bytes[..bytes.len() - 1]).expect("a log");
    let other = Header([("entry".into(), "f".into())].into());
    Tree::create(&scene.path("other"), other).expect("a tree");
    let cases: [(&[&str], i32, &str); 8] = [
        (&["torn"], 1, "ends within a block"),
        (&["nowhere"], 2, "nowhere: there is no tree"),
        (&[], 2, "required"),
        (&["split", "whole", "0"], 2, "0"),
        (&["merge", "torn", "whole"], 2, "torn"),
        (&["merge", "new", "whole"], 0, ""),
        (
            &["merge", "more", "whole", "other"],
            2,
            "the trees have different headers",
        ),
        (&["whole", "--html", "no/where.html"], 2, "no/where.html"),
    ];
    for (arguments, status, complaint) in cases {
        let output = scene.tree(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(complaint), "{arguments:?}: {said}");
    }
}
