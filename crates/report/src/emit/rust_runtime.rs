//! What stands in the place of the engine when a Rust program is tested.

pub use refrain_machine::abi::rust::{NAMES, code};

/// The inputs of the test that this process runs, and the functions that hand them out.
pub const INPUTS: &str = r#"/// What the program is given, by name, in the process of one test.
static INPUTS: std::sync::Mutex<Vec<(&str, &[u8])>> = std::sync::Mutex::new(Vec::new());

/// The bytes of the next input that is to be called so.
#[allow(dead_code)]
fn take(wanted: &str, size: usize) -> &'static [u8] {
    let name = name(wanted);
    let inputs = INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = inputs.iter().find(|(other, bytes)| *other == name && bytes.len() == size);
    let bytes = found.map(|(_, bytes)| *bytes);
    bytes.unwrap_or_else(|| panic!("the program takes other inputs than the test has: {name}, {size} bytes"))
}

#[allow(dead_code)]
unsafe fn name_of(name: *const std::ffi::c_char) -> String {
    match name.is_null() || unsafe { *name } == 0 {
        true => "unnamed".into(),
        false => unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned(),
    }
}

#[allow(dead_code)]
fn int(bytes: &[u8]) -> i32 {
    bytes.try_into().map_or(0, i32::from_ne_bytes)
}
"#;

/// Runs the whole program in a process of its own, which is the test again.
pub const CHECK: &str = r#"/// How a test ends.
#[allow(dead_code)]
enum End {
    Exits(i32),
    Panics(&'static str),
    /// By a signal.
    Dies,
    /// With any status but that of a panic.
    Ends,
}

/// Programs may end their process, and tests share theirs: so each is run in one of its own.
fn check(test: &str, inputs: &[(&'static str, &'static [u8])], end: End) {
    if std::env::var_os("REFRAIN_TEST").is_some() {
        INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend_from_slice(inputs);
        run();
    }
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    let output = std::process::Command::new(std::env::current_exe().expect("the tests have a file"))
        .args([&format!("{module}::{test}"), "--exact", "--include-ignored", "--nocapture", "--test-threads=1"])
        .env("REFRAIN_TEST", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the tests can be started again");
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code();
    match end {
        End::Exits(expected) => assert_eq!(status, Some(expected & 0xff), "{said}"),
        End::Panics(message) => assert!(status == Some(101) && said.contains(message), "{status:?}: {said}"),
        End::Dies => assert_eq!(status, None, "{said}"),
        End::Ends => assert!(status.is_some_and(|status| status != 101), "{said}"),
    }
}
"#;

/// The program's `main`, and then the end of the process.
pub const RUN_PLAIN: &str = "fn run() -> ! {
    super::main();
    std::process::exit(0)
}
";

/// The same for one that returns something.
pub const RUN_RESULT: &str = r#"fn run() -> ! {
    let code = format!("{:?}", std::process::Termination::report(super::main()));
    let is_same = |status: &u8| format!("{:?}", std::process::ExitCode::from(*status)) == code;
    std::process::exit((0..=255).find(is_same).map_or(1, i32::from))
}
"#;
