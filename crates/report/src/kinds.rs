//! The kinds of errors: what each is, and what to do about it.

/// What there is to know about a kind of error.
pub struct Kind {
    /// As results name it.
    pub name: &'static str,
    pub short: &'static str,
    pub help: &'static str,
    /// Its number in the Common Weakness Enumeration, where it has one.
    pub weakness: Option<u32>,
}

const fn kind(name: &'static str, weakness: u32, short: &'static str, help: &'static str) -> Kind {
    let weakness = if weakness == 0 { None } else { Some(weakness) };
    Kind {
        name,
        short,
        help,
        weakness,
    }
}

const KINDS: &[Kind] = &[
    kind(
        "out-of-bounds read",
        125,
        "Memory is read outside of an object",
        "Check the index or the length before the read.",
    ),
    kind(
        "out-of-bounds write",
        787,
        "Memory is written outside of an object",
        "Check the index or the length before the write.",
    ),
    kind(
        "use after free",
        416,
        "Memory is used after it was freed",
        "Free it after its last use, and forget the pointer.",
    ),
    kind(
        "use after return",
        562,
        "A local variable is used after its function has returned",
        "Return a copy, or let the caller bring the memory.",
    ),
    kind(
        "null dereference",
        476,
        "Memory is accessed through a null pointer",
        "Check the pointer first, or make sure that it is never null.",
    ),
    kind(
        "wild pointer read",
        125,
        "Memory is read where there is no object",
        "Follow the pointer back to where its value was calculated.",
    ),
    kind(
        "wild pointer write",
        787,
        "Memory is written where there is no object",
        "Follow the pointer back to where its value was calculated.",
    ),
    kind(
        "write to read-only memory",
        787,
        "A constant is written to",
        "Write to a copy.",
    ),
    kind(
        "uninitialised read",
        457,
        "A value is read that was never written",
        "Give the variable a value where it is declared.",
    ),
    kind(
        "double free",
        415,
        "Memory is freed twice",
        "Let one place own the memory, and forget the pointer after it was freed.",
    ),
    kind(
        "invalid free",
        590,
        "Something is freed that was not allocated",
        "Free only what malloc and its like have returned.",
    ),
    kind(
        "division by zero",
        369,
        "A number is divided by zero",
        "Check the divisor first.",
    ),
    kind(
        "division overflow",
        190,
        "The least integer is divided by -1",
        "Exclude this pair, or use a wider type.",
    ),
    kind(
        "signed overflow",
        190,
        "A signed calculation leaves the range of its type",
        "Check the range first, or use a wider or an unsigned type.",
    ),
    kind(
        "assertion failure",
        617,
        "An assertion does not hold",
        "Either the program or the assertion is wrong: run the input to see which.",
    ),
    kind(
        "abort",
        617,
        "The program aborts",
        "Handle the case in another way if the input is legitimate.",
    ),
    kind(
        "panic",
        248,
        "The program panics",
        "Handle the case with a result, or make sure that it cannot happen.",
    ),
    kind(
        "unreachable code",
        758,
        "Code is reached that the compiler was promised is unreachable",
        "The promise is wrong for this input: handle the case.",
    ),
    kind(
        "call of a null function",
        476,
        "A null function pointer is called",
        "Check the pointer first, or make sure that it is set.",
    ),
    kind(
        "call of no function",
        843,
        "Something is called that is no function of this type",
        "Follow the pointer back to where its value was calculated.",
    ),
    kind(
        "jump to nowhere",
        758,
        "longjmp returns to a function that is not active",
        "Call setjmp in a function that does not return before the jump.",
    ),
    kind(
        "computed goto to no label",
        758,
        "A computed goto leads to no label of its function",
        "Check the label's number first.",
    ),
    kind(
        "shift too far",
        758,
        "A number is shifted by as many bits as it has, or more",
        "Check the distance first.",
    ),
    kind(
        "uncaught exception",
        248,
        "An exception is thrown that nobody catches",
        "Catch it, or make sure that it is not thrown.",
    ),
    kind(
        "stack overflow",
        674,
        "Calls nest without an end",
        "Bound the depth of the recursion.",
    ),
    kind(
        "out of memory",
        789,
        "More memory is asked for than there is",
        "Bound sizes that depend on input.",
    ),
    kind(
        "trap",
        617,
        "The program reaches a trap instruction",
        "Handle the case that the trap stands for.",
    ),
];

/// A kind by the name that results give it.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// `out-of-bounds-read`
pub fn id(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let id: String = name.chars().map(plain).collect();
    match id.trim_matches('-') {
        "" => "error".into(),
        id => id.into(),
    }
}
