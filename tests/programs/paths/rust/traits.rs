// inputs: which=0..2 x=0..15
// paths: 6
// Calls through trait objects and generic functions. Every path has its own status.
unsafe extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

trait Rule {
    fn accepts(&self, x: i32) -> bool;
}

struct Below(i32);
struct Multiple(i32);
struct Both<A, B>(A, B);

impl Rule for Below {
    #[inline(never)]
    fn accepts(&self, x: i32) -> bool {
        x < self.0
    }
}

impl Rule for Multiple {
    #[inline(never)]
    fn accepts(&self, x: i32) -> bool {
        x % self.0 == 0
    }
}

impl<A: Rule, B: Rule> Rule for Both<A, B> {
    #[inline(never)]
    fn accepts(&self, x: i32) -> bool {
        self.0.accepts(x) & self.1.accepts(x)
    }
}

#[inline(never)]
fn end<const STATUS: i32>() -> ! {
    std::process::exit(STATUS)
}

/// Every status is a way of its own.
fn leave(status: i32) -> ! {
    match status {
        0 => end::<0>(),
        1 => end::<1>(),
        2 => end::<2>(),
        3 => end::<3>(),
        4 => end::<4>(),
        _ => end::<5>(),
    }
}

fn main() {
    let (which, x) = unsafe {
        (
            klee_range(0, 3, c"which".as_ptr().cast()),
            klee_range(0, 16, c"x".as_ptr().cast()),
        )
    };
    let rule: Box<dyn Rule> = match which {
        0 => Box::new(Below(5)),
        1 => Box::new(Multiple(7)),
        _ => Box::new(Both(Below(9), Multiple(4))),
    };
    let accepted = rule.accepts(x);
    leave(which * 2 + i32::from(accepted));
}
