//! A read through a raw pointer out of bounds.
fn main() {
    let values = vec![1u32, 2, 3];
    let at = std::hint::black_box(5);
    let value = unsafe { *values.as_ptr().add(at) };
    println!("{value}");
}
