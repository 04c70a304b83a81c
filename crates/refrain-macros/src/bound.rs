//! `#[refrain(max_len = N)]` on a parameter or a field.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Result, Type};

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

/// An expression for any value of a type by this name. What is wrong with the type is shown at the type.
pub fn any(ty: &Type, name: &TokenStream, bound: Option<&Expr>) -> TokenStream {
    match bound {
        Some(most) => quote_spanned!(ty.span()=> ::refrain::Bounded::bounded(&#name, #most)),
        None => quote_spanned!(ty.span()=> ::refrain::Symbolic::symbolic(&#name)),
    }
}
