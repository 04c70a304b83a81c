//! What there is to know about each kind of error, beyond its name: what to do about it.

use refrain_machine::ErrorKind;

pub struct About {
    pub short: &'static str,
    pub help: &'static str,
    /// Its number in the Common Weakness Enumeration, where it has one.
    pub weakness: Option<u32>,
}

pub fn about(kind: ErrorKind) -> About {
    let (weakness, short, help) = match kind {
        ErrorKind::OutOfBoundsRead => (
            Some(125),
            "Memory is read outside of an object",
            "Check the index or the length before the read.",
        ),
        ErrorKind::OutOfBoundsWrite => (
            Some(787),
            "Memory is written outside of an object",
            "Check the index or the length before the write.",
        ),
        ErrorKind::UseAfterFree => (
            Some(416),
            "Memory is used after it was freed",
            "Free it after its last use, and forget the pointer.",
        ),
        ErrorKind::UseAfterReturn => (
            Some(562),
            "A local variable is used after its function has returned",
            "Return a copy, or let the caller bring the memory.",
        ),
        ErrorKind::NullDereference => (
            Some(476),
            "Memory is accessed through a null pointer",
            "Check the pointer first, or make sure that it is never null.",
        ),
        ErrorKind::WildRead => (
            Some(125),
            "Memory is read where there is no object",
            "Follow the pointer back to where its value was calculated.",
        ),
        ErrorKind::WildWrite => (
            Some(787),
            "Memory is written where there is no object",
            "Follow the pointer back to where its value was calculated.",
        ),
        ErrorKind::WriteToReadOnly => (Some(787), "A constant is written to", "Write to a copy."),
        ErrorKind::UninitialisedRead => (
            Some(457),
            "A value is used that was never written",
            "Give the variable a value where it is declared.",
        ),
        ErrorKind::DoubleFree => (
            Some(415),
            "Memory is freed twice",
            "Let one place own the memory, and forget the pointer after it was freed.",
        ),
        ErrorKind::BadFree => (
            Some(590),
            "Something is freed that was not allocated",
            "Free only what malloc and its like have returned.",
        ),
        ErrorKind::DivisionByZero => (
            Some(369),
            "A number is divided by zero",
            "Check the divisor first.",
        ),
        ErrorKind::DivisionOverflow => (
            Some(190),
            "The least integer is divided by -1",
            "Exclude this pair, or use a wider type.",
        ),
        ErrorKind::SignedOverflow => (
            Some(190),
            "A signed calculation leaves the range of its type",
            "Check the range first, or use a wider or an unsigned type.",
        ),
        ErrorKind::NotANumber => (
            Some(682),
            "A calculation gives NaN",
            "Check the operands first: 0/0, a root of a negative number, a difference of infinities give NaN.",
        ),
        ErrorKind::InfiniteResult => (
            Some(682),
            "A calculation with finite numbers gives an infinity",
            "Check the range of the operands first, or use a wider type.",
        ),
        ErrorKind::FloatDivisionByZero => (
            Some(369),
            "A floating-point number is divided by zero",
            "Check the divisor first.",
        ),
        ErrorKind::FloatToInteger => (
            Some(681),
            "A floating-point number is converted to an integer type that does not have it",
            "Check the range first; NaN is in none.",
        ),
        ErrorKind::Assertion => (
            Some(617),
            "An assertion does not hold",
            "Either the program or the assertion is wrong: run the input to see which.",
        ),
        ErrorKind::Abort => (
            Some(617),
            "The program aborts",
            "Handle the case in another way if the input is legitimate.",
        ),
        ErrorKind::Panic => (
            Some(248),
            "The program panics",
            "Handle the case with a result, or make sure that it cannot happen.",
        ),
        ErrorKind::Unreachable => (
            Some(758),
            "Code is reached that the compiler was promised is unreachable",
            "The promise is wrong for this input: handle the case.",
        ),
        ErrorKind::NullCall => (
            Some(476),
            "A null function pointer is called",
            "Check the pointer first, or make sure that it is set.",
        ),
        ErrorKind::BadCall => (
            Some(843),
            "Something is called that is no function of this type",
            "Follow the pointer back to where its value was calculated.",
        ),
        ErrorKind::BadJump => (
            Some(758),
            "longjmp leads to a function that has returned",
            "Call longjmp only while the function that called setjmp still runs.",
        ),
        ErrorKind::ShiftTooFar => (
            Some(758),
            "A number is shifted by as many bits as it has, or more",
            "Check the distance first.",
        ),
        ErrorKind::UncaughtException => (
            Some(248),
            "An exception is thrown that nobody catches",
            "Catch it, or make sure that it is not thrown.",
        ),
        ErrorKind::StackOverflow => (
            Some(674),
            "Calls nest without an end",
            "Bound the depth of the recursion.",
        ),
        ErrorKind::OutOfMemory => (
            Some(789),
            "More memory is asked for than there is",
            "Bound sizes that depend on input.",
        ),
        ErrorKind::Trap => (
            Some(617),
            "The program reaches a trap instruction",
            "Handle the case that the trap stands for.",
        ),
        ErrorKind::ImpossibleAssumption => (
            None,
            "No input satisfies what the program assumes",
            "Look for assumptions that contradict each other: what follows them is never explored.",
        ),
        ErrorKind::BadGoto => (
            Some(758),
            "A computed goto leads to no label",
            "Check the label's number first.",
        ),
    };
    About {
        short,
        help,
        weakness,
    }
}

/// `out-of-bounds-read`
pub fn id(kind: ErrorKind) -> String {
    kind.name().replace(' ', "-")
}
