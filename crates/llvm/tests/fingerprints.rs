//! Points and fingerprints: code that was not edited keeps them, and code that was edited does not.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "fingerprints/asking.rs"]
mod asking;
#[path = "fingerprints/build.rs"]
mod build;
#[path = "fingerprints/edited.rs"]
mod edited;
#[path = "fingerprints/elsewhere.rs"]
mod elsewhere;
#[path = "fingerprints/rust.rs"]
mod rust;
#[path = "fingerprints/shapes.rs"]
mod shapes;
#[path = "fingerprints/units.rs"]
mod units;
