//! A division by zero.
fn ratio(a: i32, b: i32) -> i32 {
    a / b
}

fn main() {
    println!("{}", ratio(6, std::hint::black_box(3)));
    println!("{}", ratio(6, std::hint::black_box(0)));
}
