//! Variables and literals. A literal is a variable with a sign, packed in 32 bits as
//! `2 * variable + sign`, so that both can index flat tables without a search.

use std::fmt;
use std::ops::Not;

/// A propositional variable, made by [`Engine::new_var`](crate::Engine::new_var).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The largest number of variables an engine can hold.
    pub const LIMIT: usize = (u32::MAX >> 1) as usize;

    /// The variable with the given number. Panics beyond [`Var::LIMIT`].
    #[inline]
    pub fn from_index(index: usize) -> Var {
        assert!(index < Var::LIMIT, "more variables than a literal can name");
        Var(index as u32)
    }

    /// The number of this variable: 0 for the first one made, then 1, 2, …
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that holds when this variable is true.
    #[inline]
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that holds when this variable is false.
    #[inline]
    pub fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal of `var`, negated if `negative`.
    #[inline]
    pub fn new(var: Var, negative: bool) -> Lit {
        Lit(var.0 << 1 | u32::from(negative))
    }

    /// The variable of this literal.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this literal is the negation of its variable.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// `2 * variable + sign`: an index for tables with one entry a literal.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) fn from_code(code: u32) -> Lit {
        Lit(code)
    }
}

impl Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<Var> for Lit {
    fn from(var: Var) -> Lit {
        var.positive()
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "!" } else { "" };
        write!(f, "{sign}v{}", self.0 >> 1)
    }
}
