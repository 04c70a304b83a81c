//! What a study is about if nobody says otherwise: the examples for newcomers, and walks through made-up programs,
//! which are long enough for reuse to matter.

use crate::script::Script;
use crate::walk;

/// The scripts that come with the program.
pub fn bundled() -> Vec<Script> {
    let script = |name: &str, text: &[u8]| Script {
        name: name.to_owned(),
        text: text.to_vec(),
    };
    vec![
        script(
            "midpoint",
            include_bytes!("../../../examples/smt/midpoint.smt2"),
        ),
        script("path", include_bytes!("../../../examples/smt/path.smt2")),
        script("walk-bytes", walk::bytes().as_bytes()),
        script("walk-integers", walk::integers().as_bytes()),
    ]
}
