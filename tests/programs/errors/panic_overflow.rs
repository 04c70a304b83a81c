//! An addition that overflows.
fn add(a: u8, b: u8) -> u8 {
    a + b
}

fn main() {
    println!("{}", add(std::hint::black_box(100), 100));
    println!("{}", add(std::hint::black_box(200), 100));
}
