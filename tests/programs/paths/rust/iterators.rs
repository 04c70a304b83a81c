// inputs: n=0..6 x=0..7
// paths: 10
// Chains of iterators over a length that is input: found at 1, 3 or 5, or not found with one of seven lengths.
unsafe extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

#[inline(never)]
fn visited(number: i32) -> i32 {
    std::hint::black_box(number)
}

fn main() {
    let (n, x) = unsafe {
        (
            klee_range(0, 7, c"n".as_ptr().cast()),
            klee_range(0, 8, c"x".as_ptr().cast()),
        )
    };
    let found = (0..n)
        .map(visited)
        .filter(|number| number % 2 == 1)
        .find(|number| *number == x);
    std::process::exit(if found.is_some() { 1 } else { 0 });
}
