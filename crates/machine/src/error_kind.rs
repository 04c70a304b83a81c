//! What can be wrong with a program.

use serde::{Deserialize, Serialize};

/// Declares the kinds, each with the name that reports have for it and with why it is an error.
macro_rules! error_kinds {
    ($($kind:ident: $name:literal, $explanation:literal;)*) => {
        /// What is wrong with a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ErrorKind {
            $(#[doc = $explanation] #[serde(rename = $name)] $kind,)*
        }

        impl ErrorKind {
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$kind),*];

            /// The name in reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $name,)*
                }
            }

            /// Why it is an error, in a line.
            pub fn explanation(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $explanation,)*
                }
            }
        }
    };
}

error_kinds! {
    OutOfBoundsRead: "out-of-bounds read",
        "memory is read that belongs to no part of the object";
    OutOfBoundsWrite: "out-of-bounds write",
        "memory is written that belongs to no part of the object";
    UseAfterFree: "use after free",
        "the object was freed before";
    UseAfterReturn: "use after return",
        "the function that the object belonged to has returned";
    NullDereference: "null dereference",
        "the pointer is null, or a few bytes beside null";
    WildRead: "wild pointer read",
        "the pointer points to no object";
    WildWrite: "wild pointer write",
        "the pointer points to no object";
    WriteToReadOnly: "write to read-only memory",
        "the object is a constant";
    UninitialisedRead: "uninitialised read",
        "nothing was written there before it is read";
    DoubleFree: "double free",
        "the object was freed before";
    BadFree: "invalid free",
        "only what malloc, new and the like returned can be freed, by the pointer they returned";
    DivisionByZero: "division by zero",
        "the divisor is zero";
    DivisionOverflow: "division overflow",
        "the least integer divided by -1 does not fit";
    SignedOverflow: "signed overflow",
        "the result does not fit, and signed overflow is undefined";
    NotANumber: "not a number",
        "the result is NaN, and no operand is";
    InfiniteResult: "infinite result",
        "the result is an infinity, and no operand is";
    FloatDivisionByZero: "float division by zero",
        "the divisor is zero";
    FloatToInteger: "float-to-integer overflow",
        "the integer type does not have the number, and the conversion is undefined";
    Assertion: "assertion failure",
        "a condition that the program relies on does not hold";
    Abort: "abort",
        "the program ends itself abnormally";
    Panic: "panic",
        "the program panics";
    Unreachable: "unreachable code",
        "the compiler was promised that this is never reached";
    NullCall: "call of a null function",
        "the pointer to the function is null";
    BadCall: "call of no function",
        "the pointer points to no function";
    BadJump: "jump to nowhere",
        "the function that called setjmp has returned, or none was called";
    ShiftTooFar: "shift too far",
        "a shift by as many bits as there are, or more, is undefined";
    UncaughtException: "uncaught exception",
        "no function on the stack catches it";
    StackOverflow: "stack overflow",
        "the recursion goes deeper than any stack";
    OutOfMemory: "out of memory",
        "the program asks for more memory than there is";
    Trap: "trap",
        "the program runs into an instruction that ends it";
    ImpossibleAssumption: "impossible assumption",
        "no input of the path satisfies what the program assumes";
    BadGoto: "computed goto to no label",
        "the address is that of no label of the function";
}

impl ErrorKind {
    /// The kind that reports name so.
    pub fn named(name: &str) -> Option<ErrorKind> {
        let mut kinds = ErrorKind::ALL.iter().copied();
        kinds.find(|kind| kind.name() == name)
    }
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
