//! An assertion that compares.
fn double(n: u32) -> u32 {
    n * n
}

fn main() {
    assert_eq!(double(2), 4);
    assert_eq!(double(std::hint::black_box(3)), 6, "doubling three");
}
