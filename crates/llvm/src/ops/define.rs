//! How rows become an enumeration and functions.

/// Makes [`IntOp`](super::IntOp) and its meanings of rows.
macro_rules! int_operations {
    ($(
        $(#[$doc:meta])*
        $op:ident ( $($arg:ident),+ ) -> $outcome:ident {
            source: $source:expr,
            words: |$w:ident| $words:expr,
            terms: |$t:ident| $terms:expr,
            $(swapped: $swapped:ident,)?
            $(negated: $negated:ident,)?
            $(overflow_of: $value:ident,)?
            $(width_step: $step:literal,)?
            $(errors: [$($condition:ident($($operand:ident),+) => $error:ident),+],)?
            $(checks: [$($check:ident => $checked:ident),+],)?
        }
    )+) => {
        /// An operation on integers.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum IntOp {
            $($(#[$doc])* $op,)+
        }

        impl IntOp {
            pub const ALL: &[IntOp] = &[$(IntOp::$op),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $(IntOp::$op => stringify!($op),)+
                }
            }

            pub const fn source(self) -> Source {
                match self {
                    $(IntOp::$op => $source,)+
                }
            }

            /// How many operands it has.
            pub const fn operands(self) -> usize {
                match self {
                    $(IntOp::$op => [$(stringify!($arg)),+].len(),)+
                }
            }

            pub const fn outcome(self) -> Outcome {
                match self {
                    $(IntOp::$op => Outcome::$outcome,)+
                }
            }

            /// The operation that gives the same with its two operands exchanged.
            pub const fn swapped(self) -> Option<IntOp> {
                match self {
                    $(IntOp::$op => int_operations!(@option $($swapped)?),)+
                }
            }

            /// The operation that gives the other bit.
            pub const fn negated(self) -> Option<IntOp> {
                match self {
                    $(IntOp::$op => int_operations!(@option $($negated)?),)+
                }
            }

            /// The calculation whose overflow this is.
            pub const fn overflow_of(self) -> Option<IntOp> {
                match self {
                    $(IntOp::$op => int_operations!(@option $($value)?),)+
                }
            }

            /// Its widths are multiples of this.
            pub const fn width_step(self) -> u32 {
                let step = match self {
                    $(IntOp::$op => 1 $(* $step)?,)+
                };
                step
            }

            /// Conditions under which it is an error.
            pub const fn errors(self) -> &'static [(IntOp, ArithmeticError)] {
                match self {
                    $(IntOp::$op => &[$($((IntOp::$condition, ArithmeticError::$error)),+)?],)+
                }
            }

            /// Conditions under which it is undefined, which is an error if that is asked for.
            pub const fn checks(self) -> &'static [(IntOp, ArithmeticError)] {
                match self {
                    $(IntOp::$op => &[$($((IntOp::$check, ArithmeticError::$checked)),+)?],)+
                }
            }

            /// Its meaning on words of at most 64 bits.
            #[allow(clippy::useless_conversion, unused_variables)]
            pub fn word64(self, args: Operands<u64>, width: u32) -> u64 {
                match self {
                    $(IntOp::$op => {
                        let [$($arg,)+ ..] = args;
                        u64::from(word64::$op($($arg,)+ width))
                    })+
                }
            }

            /// Its meaning on words of at most 128 bits.
            #[allow(clippy::useless_conversion, unused_variables)]
            pub fn word128(self, args: Operands<u128>, width: u32) -> u128 {
                match self {
                    $(IntOp::$op => {
                        let [$($arg,)+ ..] = args;
                        u128::from(word128::$op($($arg,)+ width))
                    })+
                }
            }

            /// Why it is an error on words of at most 64 bits, if it is one.
            pub fn error64(self, args: Operands<u64>, width: u32) -> Option<ArithmeticError> {
                match self {
                    $(IntOp::$op => {
                        let [$($arg,)+ ..] = args;
                        error64::$op($($arg,)+ width)
                    })+
                }
            }

            /// The term of its result on terms of one width.
            #[allow(unused_variables)]
            pub fn term(self, terms: &mut Terms, args: Operands<Term>) -> Term {
                match self {
                    $(IntOp::$op => {
                        let [$($arg,)+ ..] = args;
                        let $t = terms;
                        $terms
                    })+
                }
            }
        }

        /// Meanings on words of at most 64 bits, by the operation's name.
        #[allow(non_snake_case, unused_variables)]
        pub mod word64 {
            $crate::ops::define::word_helpers!(u64, i64);

            $(
                #[inline(always)]
                pub fn $op($($arg: Word,)+ $w: u32) -> $outcome {
                    $words
                }
            )+
        }

        /// The same text on words of at most 128 bits.
        #[allow(non_snake_case, unused_variables)]
        pub mod word128 {
            $crate::ops::define::word_helpers!(u128, i128);

            $(
                pub fn $op($($arg: Word,)+ $w: u32) -> $outcome {
                    $words
                }
            )+
        }

        /// Why an operation on words of at most 64 bits is an error, if it is one.
        #[allow(non_snake_case, unused_variables)]
        pub mod error64 {
            use super::word64;
            use crate::ops::ArithmeticError;

            $(
                #[inline(always)]
                pub fn $op($($arg: u64,)+ width: u32) -> Option<ArithmeticError> {
                    $($(
                        if word64::$condition($($operand,)+ width) {
                            return Some(ArithmeticError::$error);
                        }
                    )+)?
                    None
                }
            )+
        }
    };
    (@option) => { None };
    (@option $op:ident) => { Some(IntOp::$op) };
}

/// What the meanings on words of one size are written with.
macro_rules! word_helpers {
    ($word:ty, $signed:ty) => {
        type Word = $word;
        type Signed = $signed;
        type Bit = bool;

        /// The low bits of a word.
        #[inline(always)]
        pub fn mask(width: u32) -> Word {
            if width >= Word::BITS {
                !0
            } else {
                !(!0 << width)
            }
        }

        /// A value of `width` bits as a signed number.
        #[inline(always)]
        pub fn sext(value: Word, width: u32) -> Signed {
            let shift = Word::BITS - width.clamp(1, Word::BITS);
            ((value << shift) as Signed) >> shift
        }

        /// The greatest signed number.
        #[inline(always)]
        fn most(width: u32) -> Signed {
            (mask(width) >> 1) as Signed
        }
    };
}

pub(super) use {int_operations, word_helpers};
