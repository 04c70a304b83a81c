//! An index out of bounds.
fn pick(values: &[u32], at: usize) -> u32 {
    values[at]
}

fn main() {
    let values = vec![1, 2, 3];
    println!("{}", pick(&values, 2));
    println!("{}", pick(&values, std::hint::black_box(3)));
}
