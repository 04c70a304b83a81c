// inputs: a=0..255 d=0..3
// paths: 6
// Calculations that are checked: a sum, a product, a quotient. Each goes well or panics.
unsafe extern "C" {
    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const u8);
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

fn main() {
    let mut a = 0u8;
    unsafe { klee_make_symbolic(&mut a, 1, c"a".as_ptr().cast()) };
    let d = unsafe { klee_range(0, 4, c"d".as_ptr().cast()) } as u8;
    let status = match d {
        0 => {
            std::hint::black_box(a + 100);
            1
        }
        1 => {
            std::hint::black_box(a * 3);
            2
        }
        _ => {
            std::hint::black_box(200 / (a / 64));
            3
        }
    };
    std::process::exit(status);
}
