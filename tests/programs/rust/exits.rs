//! Exit codes: a status from main, destructors that run before it, panics that are caught nowhere else but avoided, arguments counted.
use std::process::ExitCode;
struct Last(u8);
impl Drop for Last {
    fn drop(&mut self) {
        println!("dropped {}", self.0);
    }
}
fn status(words: &[String]) -> u8 {
    words.iter().map(|w| w.len() as u8).fold(0, u8::wrapping_add)
}
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let _last = Last(args.len() as u8);
    for (i, arg) in args.iter().enumerate() {
        println!("{i} {arg} {}", arg.chars().rev().collect::<String>());
    }
    if args.is_empty() {
        std::process::exit(99);
    }
    ExitCode::from(status(&args))
}
