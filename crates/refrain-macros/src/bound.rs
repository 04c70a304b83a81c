//! `#[refrain(max_len = N)]` on a parameter or a field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Result};

/// The bound that the attributes give, if they do.
pub fn of(attributes: &[Attribute]) -> Result<Option<Expr>> {
    let mut bound = None;
    for attribute in attributes {
        if !attribute.path().is_ident("refrain") {
            continue;
        }
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("max_len") {
                bound = Some(meta.value()?.parse()?);
                return Ok(());
            }
            Err(meta.error("the only option is max_len: #[refrain(max_len = 4)]"))
        })?;
    }
    Ok(bound)
}

/// An expression for any value by this name.
pub fn any(name: &TokenStream, bound: Option<&Expr>) -> TokenStream {
    match bound {
        Some(most) => quote!(::refrain::Bounded::bounded(&#name, #most)),
        None => quote!(::refrain::Symbolic::symbolic(&#name)),
    }
}
