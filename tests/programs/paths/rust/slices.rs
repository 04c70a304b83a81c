// inputs: i=0..9 n=0..5
// paths: 6
// Indices and ranges of slices that are checked: the two panics are paths like others. Every other path has its own status.
unsafe extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

static TABLE: [u8; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

#[inline(never)]
fn at(table: &[u8], i: usize) -> u8 {
    table[i]
}

#[inline(never)]
fn end<const STATUS: i32>() -> ! {
    std::process::exit(STATUS)
}

/// Every status is a way of its own.
fn leave(status: i32) -> ! {
    match status {
        2 => end::<2>(),
        3 => end::<3>(),
        _ => end::<4>(),
    }
}

fn main() {
    let (i, n) = unsafe {
        (
            klee_range(0, 10, c"i".as_ptr().cast()) as usize,
            klee_range(0, 6, c"n".as_ptr().cast()) as usize,
        )
    };
    let value = at(&TABLE, i);
    if value == 9 {
        std::process::exit(1);
    }
    let part = &TABLE[n..4];
    let status = match part {
        [] => 2,
        [.., last] if *last == value => 3,
        _ => 4,
    };
    leave(status);
}
