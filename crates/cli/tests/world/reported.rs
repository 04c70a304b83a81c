//! What inputs and errors are called.

use std::collections::BTreeSet;

use refrain_results::Outcome;

use crate::scene::{Scene, said};

/// Names of the source, also where code is optimised.
#[test]
fn parameters_have_their_names_in_optimised_code() {
    let text = "int parse(const char *text, int length, long unused) {\n\
                int sum = 0; for (int i = 0; i < length && i < 4; i++) sum += text[i] == 'x'; return sum > 2; }\n";
    for level in ["-O0", "-O1", "-O2"] {
        let scene = Scene::new(text);
        let flags = format!("--cflags={level}");
        scene.explore(
            "out",
            &["--entry", "parse", "--buffer", "text=4", &flags, "prog.c"],
        );
        let names: BTreeSet<String> = { scene.tests("out").into_iter() }
            .flat_map(|test| test.inputs)
            .map(|input| input.name)
            .collect();
        assert_eq!(
            names,
            ["length", "text", "unused"].map(String::from).into(),
            "{level}"
        );
        let (text, status) = said(&scene.refrain(&["replay", "out"]));
        assert_eq!(status, 0, "{level}: {text}");
    }
}

/// One test for an error, however many inputs its message shows.
#[test]
fn an_error_that_quotes_its_input_is_one() {
    let scene = Scene::new("");
    scene.write(
        "prog.rs",
        r#"
unsafe extern "C" {
    fn klee_make_symbolic(place: *mut u8, bytes: usize, name: *const i8);
}
fn main() {
    let mut x = [0u8; 1];
    unsafe { klee_make_symbolic(x.as_mut_ptr(), 1, c"x".as_ptr()) };
    for (number, name) in ["one", "two", "three", "four"].iter().enumerate() {
        if x[0] as usize == number {
            let parsed: Result<u8, String> = Err(format!("unexpected {name}: {name:?}"));
            parsed.unwrap();
        }
    }
    if x[0] == 9 {
        panic!("another");
    }
}
"#,
    );
    let (text, status) = said(&scene.refrain(&["run", "--out", "out", "prog.rs"]));
    assert_eq!(status, 1, "{text}");
    let is_error = |test: &&refrain_results::Test| matches!(test.outcome, Outcome::Error(_));
    let tests = scene.tests("out");
    assert_eq!(tests.iter().filter(is_error).count(), 2, "{text}");
    assert!(text.contains("5 with an error"), "{text}");
}
