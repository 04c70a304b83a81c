//! An error that was not expected.
fn main() {
    let number: i32 = std::hint::black_box("12x").parse().expect("a number");
    println!("{number}");
}
