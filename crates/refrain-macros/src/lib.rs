//! The macros of the crate `refrain`; see there.

mod bound;
mod derive;
mod property;

use proc_macro::TokenStream;

/// A property: a test with parameters, any values of which it must hold for.
///
/// As with `#[test]`, the function is there only in tests, panics to fail, and can return a `Result`;
/// `#[should_panic]` and `#[ignore]` are as usual. A parameter of a type without a fixed size says how long it may
/// get: `#[refrain(max_len = 4)] text: String`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    property::expand(arguments.into(), item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Any value of a struct or an enum is one of any values of its fields.
#[proc_macro_derive(Symbolic, attributes(refrain))]
pub fn symbolic(item: TokenStream) -> TokenStream {
    derive::expand(item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
