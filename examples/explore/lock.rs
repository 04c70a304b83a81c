//! A state machine: the lock of a safe, which five presses of keys must never open but by its code.
//!
//! Every press is symbolic; paths are ways through the states. One of them opens the safe without the code: look at
//! the presses in the report, in their order, and at which state forgets what it knew.

unsafe extern "C" {
    fn klee_make_symbolic(at: *mut u8, size: usize, name: *const u8);
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Locked,
    /// So many digits of the code were right.
    Matching(u8),
    /// Three times wrong: only the service key helps.
    Blocked,
    Open,
}

const CODE: [u8; 3] = [7, 2, 9];
const CLEAR: u8 = 10;
const SERVICE: u8 = 11;

struct Lock {
    state: State,
    mistakes: u8,
}

impl Lock {
    fn press(&mut self, key: u8) {
        self.state = match (self.state, key) {
            (State::Open, CLEAR) => State::Locked,
            (State::Open, _) => State::Open,
            (State::Blocked, SERVICE) => {
                self.mistakes = 0;
                // The mistake: it was to be Locked.
                State::Matching(2)
            }
            (State::Blocked, _) => State::Blocked,
            (_, CLEAR) => State::Locked,
            (State::Locked, key) => self.next(0, key),
            (State::Matching(right), key) => self.next(right, key),
        };
    }

    fn next(&mut self, right: u8, key: u8) -> State {
        if key == CODE[right as usize] {
            if right == 2 { State::Open } else { State::Matching(right + 1) }
        } else {
            self.mistakes += 1;
            if self.mistakes == 3 { State::Blocked } else { State::Locked }
        }
    }
}

fn main() {
    let mut presses = [0u8; 5];
    unsafe { klee_make_symbolic(presses.as_mut_ptr(), presses.len(), c"presses".as_ptr().cast()) };
    let mut lock = Lock { state: State::Locked, mistakes: 0 };
    for press in presses {
        lock.press(press);
    }
    let knows_code = presses.windows(3).any(|three| three == CODE);
    assert!(lock.state != State::Open || knows_code, "open without the code");
}
