//! A panic that the program asks for.
fn check(level: u32) {
    if level > 2 {
        panic!("level {level} is too high");
    }
}

fn main() {
    for level in 0..5 {
        check(std::hint::black_box(level));
    }
}
