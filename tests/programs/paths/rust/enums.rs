// inputs: tag=0..7 x=0..15
// paths: 8
// Enumerations with and without content, matched by pattern, range and guard. Every path has its own status.
unsafe extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

enum Shape {
    Nothing,
    Circle(i32),
    Box { width: i32, height: i32 },
}

#[inline(never)]
fn shape(tag: i32, x: i32) -> Shape {
    match tag {
        0 | 7 => Shape::Nothing,
        1..=3 => Shape::Circle(x),
        _ => Shape::Box {
            width: x,
            height: tag,
        },
    }
}

#[inline(never)]
fn status(shape: &Shape) -> i32 {
    match *shape {
        Shape::Nothing => 1,
        Shape::Circle(0) => 2,
        Shape::Circle(radius) if radius > 9 => 3,
        Shape::Circle(_) => 4,
        Shape::Box { width, height } if width == height => 5,
        Shape::Box { width: 10.., .. } => 6,
        Shape::Box { height: 4, .. } => 7,
        Shape::Box { .. } => 8,
    }
}

#[inline(never)]
fn end<const STATUS: i32>() -> ! {
    std::process::exit(STATUS)
}

/// Every status is a way of its own.
fn leave(status: i32) -> ! {
    match status {
        1 => end::<1>(),
        2 => end::<2>(),
        3 => end::<3>(),
        4 => end::<4>(),
        5 => end::<5>(),
        6 => end::<6>(),
        7 => end::<7>(),
        _ => end::<8>(),
    }
}

fn main() {
    let (tag, x) = unsafe {
        (
            klee_range(0, 8, c"tag".as_ptr().cast()),
            klee_range(0, 16, c"x".as_ptr().cast()),
        )
    };
    leave(status(&shape(tag, x)));
}
