// The part that nothing has in nothing.
fn share(part: f64, whole: f64) -> f64 {
    part / whole
}

fn main() {
    let saturated = (f64::MAX as i32, f64::NAN as u8);
    println!("{saturated:?} {}", share(0.0, (std::env::args().count() - 1) as f64));
}
