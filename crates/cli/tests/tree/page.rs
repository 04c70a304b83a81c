//! The page in a browser: folded and unfolded, searched, with its source, by mouse and by keyboard.

use std::fs;

use refrain_memo::{AskKind, Below, Edge, Ending, Header, Leaf, NamedPoint, Question, Tree};
use serde_json::json;

use crate::common::browser::Browser;
use crate::scene::{SHOP, Scene, made_up, open, shop};

const CHOSEN: &str = ".row.chosen";
const AT: &str = ".line.at";

/// What is chosen, in short.
fn chosen(browser: &mut Browser) -> String {
    browser.text(".row.chosen .what")
}

/// How many nodes and boundaries of a tree are in a function.
fn rows_in(tree: &Tree, function: &str) -> usize {
    let mut points = Vec::new();
    let mut edges = vec![Edge::ROOT];
    while let Some(edge) = edges.pop() {
        match tree.below(edge) {
            Below::Node(node) => {
                points.push(tree.question(node).point);
                edges.extend(tree.edges(node));
            }
            Below::Leaf(leaf) => {
                if let Ending::Boundary(boundary) = leaf.ending {
                    points.extend(boundary.stack);
                }
            }
            _ => {}
        }
    }
    let is_in = |point: &&NamedPoint| tree.symbol(point.symbol) == function;
    points.iter().filter(is_in).count()
}

#[test]
fn a_tree_is_read_with_its_source() {
    let scene = shop();
    scene.says(&["out", "--html", "tree.html"]);
    let mut browser = Browser::open(&scene.path("tree.html"));
    assert_eq!(browser.value("document.title"), "Memo tree of shop.c");
    assert_eq!(browser.text("[data-legend=error]"), "error 2");
    assert_eq!(browser.text("[data-legend=infeasible]"), "infeasible 20");
    assert!(chosen(&mut browser).starts_with("klee_assume("));

    // A click on its triangle folds a node, another unfolds it.
    let fold = ".row:first-child .fold";
    browser.click(fold);
    assert_eq!(browser.count(".row"), 1);
    assert_eq!(browser.text(".row .badges b"), "2 errors");
    browser.click(fold);
    assert!(browser.count(".row") > 20);

    // The legend leads to the next of its kind, and the source goes along.
    browser.click("[data-legend=error]");
    assert_eq!(
        chosen(&mut browser),
        "error: assertion failure: amount != 7"
    );
    assert!(
        browser
            .text(AT)
            .contains("assert(amount != 7); /* seven */")
    );
    assert!(browser.text("#detail").contains("refrain show out --test"));
    let first = browser.text(CHOSEN);
    browser.press("e");
    assert_eq!(
        chosen(&mut browser),
        "error: assertion failure: amount != 7"
    );
    assert_ne!(browser.text(CHOSEN), first);

    // Up to the parent, whose lines are on the way.
    browser.press("ArrowLeft");
    assert_eq!(chosen(&mut browser), "assert(amount != 7); /* seven */");
    assert!(browser.count(".line.passed") >= 3);
    browser.click("#detail li button");
    assert!(chosen(&mut browser).starts_with("klee_assume("));

    // Search by the text of a line, by test, by what is not there.
    let search = |browser: &mut Browser, text: &str| {
        browser.press("Home");
        browser.press("/");
        browser.value("document.getElementById('query').select()");
        browser.write(text);
        browser.press("Enter");
        let found = browser.text("#found");
        browser.press("Escape");
        found
    };
    assert_eq!(search(&mut browser, "/* NEVER"), "1 of 9");
    assert!(browser.text(AT).contains("/* never */"));
    browser.press("n");
    assert_eq!(browser.text("#found"), "2 of 9");
    browser.press("p");
    assert_eq!(browser.text("#found"), "1 of 9");
    assert_eq!(search(&mut browser, "test 2"), "1 of 1");
    assert!(browser.text(CHOSEN).contains("test 2"));
    assert_eq!(search(&mut browser, "assertion"), "1 of 2");
    assert_eq!(search(&mut browser, "price"), "1 of 7");
    assert_eq!(search(&mut browser, "0:28"), "1 of 1");
    assert_eq!(search(&mut browser, "nowhere"), "no match");

    // What is folded is unfolded where a match is.
    browser.click("#fold");
    assert_eq!(browser.count(".row"), 1);
    assert_eq!(search(&mut browser, "seven"), "1 of 4");
    assert!(browser.text(CHOSEN).contains("seven"));

    browser.click("#unfold");
    browser.value("document.getElementById('tree').scrollTop = 0");
    browser.until("document.querySelector('.row').textContent.includes('start')");
    assert!(browser.count(".row.infeasible") > 3);
    browser.click("#hide");
    assert_eq!(browser.count(".row.infeasible"), 0);

    // Ends have colours, in the dark as well.
    let what = |class: &str| format!(".row.{class} .what");
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let colors = ["error", "exit", "node"].map(|class| browser.style(&what(class), "color"));
        let [error, exit, node] = &colors;
        assert!(error != exit && exit != node && error != node, "{colors:?}");
    }
    let dark = browser.style("body", "background-color");
    browser.prefer("light");
    assert_ne!(browser.style("body", "background-color"), dark);
    browser.close();
}

#[test]
fn two_runs_differ_in_colour() {
    let scene = shop();
    let edited = SHOP.replace("amount > 10", "amount > 12");
    let edited = edited.replace("return paid < due", "return 3");
    fs::write(scene.path("edited.c"), edited).expect("a file");
    scene.explore("edited", "edited.c", u32::MAX);
    scene.says(&["edited", "--against", "out", "--html", "tree.html"]);
    let mut browser = Browser::open(&scene.path("tree.html"));
    let mut colors = vec![browser.style(".row.same:not(.chosen)", "background-color")];
    for (mark, tag) in [
        ("here", "only in edited"),
        ("there", "only in out"),
        ("changed", "changed"),
    ] {
        browser.click(&format!("[data-legend={mark}]"));
        assert_eq!(browser.text(".row.chosen .tag"), tag);
        colors.push(browser.style(CHOSEN, "background-color"));
    }
    assert_eq!(chosen(&mut browser), "exit depends on input → exit 3");
    colors.sort();
    colors.dedup();
    assert_eq!(colors.len(), 4, "{colors:?}");
    // The next difference is another one.
    let before = browser.text("#detail");
    browser.press("d");
    assert_ne!(browser.text("#detail"), before);
    browser.close();
}

#[test]
fn code_that_was_edited_since_is_marked() {
    let scene = shop();
    fs::write(
        scene.path("shop.c"),
        SHOP.replace("return 2 * amount", "return 3 * amount"),
    )
    .expect("a file");
    let output = scene.tree(&["out", "--html", "tree.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("shop.c has changed since the run"));
    let mut browser = Browser::open(&scene.path("tree.html"));
    browser.click("[data-legend=edited]");
    assert_eq!(browser.text(".row.chosen .tag.edited"), "edited");
    // The call that returned there goes on with the loop.
    assert!(chosen(&mut browser).starts_with("if (amount > 5 * coin)"));
    browser.close();
}

#[test]
fn a_hundred_thousand_nodes_are_at_hand() {
    const MOST_ROWS: u64 = 120;
    let scene = Scene::new();
    made_up(&scene.path("tree"), 100_000);
    let output = scene.tree(&["tree", "--html", "tree.html"]);
    assert_eq!(output.status.code(), Some(0));
    let size = fs::metadata(scene.path("tree.html")).expect("a page").len();
    assert!(size < 10_000_000, "{size}");
    let mut browser = Browser::open(&scene.path("tree.html"));
    assert_eq!(browser.text("[data-legend=node]"), "node 100,000");
    assert!(browser.count(".row") <= MOST_ROWS);
    // The error is within something that is folded.
    assert_eq!(browser.count(".row.error"), 0);
    browser.click("[data-legend=error]");
    assert_eq!(chosen(&mut browser), "error: needle");
    // Levels are few, however deep a path is.
    assert!(browser.count(".row.chosen .guide") <= 17);
    browser.click("#unfold");
    assert!(browser.count(".row") <= MOST_ROWS);
    for at in ["0.5", "1"] {
        let tree = "document.getElementById('tree')";
        let before = browser.text("#rows");
        browser.value(&format!("{tree}.scrollTop = {at} * {tree}.scrollHeight"));
        let shown = format!(
            "document.getElementById('rows').innerText !== {}",
            json!(before)
        );
        browser.until(&shown);
        assert!(browser.count(".row") <= MOST_ROWS);
    }
    browser.press("/");
    browser.write("function_7");
    browser.press("Enter");
    let found = browser.text("#found").replace(',', "");
    let rows = rows_in(&open(&scene.path("tree")), "function_7");
    assert!(
        rows > 1000 && found.ends_with(&format!(" of {rows}")),
        "{found}"
    );
    // Nothing that people do takes as long as opening the page: it can be used at once.
    let slowest = browser.value(
        "(() => {
            const opened = performance.getEntriesByType('navigation')[0];
            const opening = opened.domComplete - opened.responseEnd;
            const actions = ['fold', 'unfold', 'fold', 'unfold'].map(id => {
                const started = performance.now();
                document.getElementById(id).click();
                document.getElementById('rows').getBoundingClientRect();
                return performance.now() - started;
            });
            return Math.max(...actions) / opening;
        })()",
    );
    assert!(slowest.as_f64().expect("a ratio") < 1.0, "{slowest}");
    browser.close();
}

/// Names and messages can be anything.
#[test]
fn nothing_of_the_program_is_executed() {
    const EVIL: &str = "</script><script>document.title = 'owned'</script>\
        <img src=x onerror=\"document.title='owned'\">";
    let scene = Scene::new();
    let tree = Tree::create(&scene.path("tree"), Header::default()).expect("a directory");
    let recording = tree.record().expect("a recording");
    let mut writer = recording.writer().expect("a log");
    let point = NamedPoint {
        symbol: writer.symbol(EVIL),
        block: 0,
        instruction: 0,
    };
    let question = Question {
        point,
        kind: AskKind::Fix,
        value: Some(b"<b>"),
        implied: &[],
        ran: &[],
        hash: 0,
    };
    let node = writer.node(Edge::ROOT, &question);
    let leaf = Leaf {
        ending: Ending::Error(EVIL),
        implied: &[],
        ran: &[],
        test: Some(1),
    };
    writer.leaf(node.edge(0), &leaf, None);
    writer.finish().expect("a whole log");
    assert_eq!(
        scene.tree(&["tree", "--html", "tree.html"]).status.code(),
        Some(0)
    );
    let mut browser = Browser::open(&scene.path("tree.html"));
    browser.press("e");
    assert_eq!(chosen(&mut browser), format!("error: {EVIL}"));
    assert_eq!(browser.value("document.title"), "Memo tree");
    assert_eq!(browser.count("img"), 0);
    assert_eq!(browser.count("script"), 2);
    browser.close();
}
