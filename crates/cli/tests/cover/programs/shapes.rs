// The tests give shape as 0, 1, 2 and 9. Behind a line with code: how many of them run it, and how many go each way.
unsafe extern "C" {
    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const std::ffi::c_char);
}

enum Shape {
    Square(u32),
    Circle,
    Other,
}

fn read(byte: u8) -> Shape { //= 4
    match byte { //= 4 [1, 1, 2]
        0 => Shape::Square(3), //= 1
        1 => Shape::Circle, //= 1
        _ => Shape::Other, //= 2
    }
} //= 4

// Two instances are one function here.
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T { //= 2
    if a > b { //= 2 [1, 1]
        a //= 1
    } else {
        b //= 1
    }
} //= 2

fn never(size: u32) -> u32 { //= 0
    size / 2 //= 0
} //= 0

fn main() { //= 4
    let mut byte = 0u8; //= 4
    unsafe { klee_make_symbolic(&mut byte, 1, c"shape".as_ptr()) }; //= 4
    let size = match read(byte) { //= 4 [1, 1, 2]
        Shape::Square(side) => larger(side, 2), //= 1
        Shape::Circle => u32::from(larger(1u8, 2u8)), //= 1
        Shape::Other => panic!("no shape"), //= 2
    };
    let twice = |size: u32| { //= 2
        size + size //= 2 [0, 2]
    }; //= 2
    if twice(size) > 100 { //= 2 [0, 2]
        never(size); //= 0
    }
} //= 2
