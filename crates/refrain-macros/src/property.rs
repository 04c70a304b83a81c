//! `#[refrain::test]`: the function stays as it is, and beside it is one that makes its inputs and calls it. That one
//! also says what the inputs are, instead of the call, when it is asked to: it knows their types.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, Error, Expr, FnArg, ItemFn, Lit, LitStr, Meta, Pat, Result, ReturnType};

use crate::bound;

pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new_spanned(
            arguments,
            "#[refrain::test] takes no arguments",
        ));
    }
    let mut function: ItemFn = syn::parse2(item)?;
    supported(&function)?;
    let mut flags = Vec::new();
    let mut expected = None;
    let mut ignored = TokenStream::new();
    for attribute in std::mem::take(&mut function.attrs) {
        if attribute.path().is_ident("ignore") {
            flags.push("ignore".to_string());
            attribute.to_tokens(&mut ignored);
        } else if attribute.path().is_ident("should_panic") {
            flags.push("should_panic".to_string());
            expected = expected_message(&attribute)?;
        } else {
            function.attrs.push(attribute);
        }
    }
    if let Some(text) = &expected {
        let hex: String = text
            .value()
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        flags.push(format!("expected={hex}"));
    }
    if !matches!(function.sig.output, ReturnType::Default) {
        flags.push("result".to_string());
    }
    let (mut lets, mut shown, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (index, input) in function.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(parameter) = input else {
            return Err(Error::new_spanned(
                input,
                "a property is a function, not a method",
            ));
        };
        let most = bound::of(&parameter.attrs)?;
        parameter
            .attrs
            .retain(|attribute| !attribute.path().is_ident("refrain"));
        let name = match &*parameter.pat {
            Pat::Ident(pattern) => pattern.ident.unraw().to_string(),
            _ => format!("arg{index}"),
        };
        let value = format_ident!("__input{index}");
        let ty = &parameter.ty;
        let any = bound::any(ty, &quote!(::refrain::Name::new(#name)), most.as_ref());
        lets.push(quote!(let #value: #ty = #any;));
        let show = match most {
            Some(_) => quote!(bounded_argument),
            None => quote!(argument),
        };
        shown.push(quote!(__call.#show(#name, &#value);));
        values.push(value);
    }
    let name = &function.sig.ident;
    let text = name.unraw().to_string();
    let call = format_ident!("__refrain_{}", text, span = Span::call_site());
    let flags = flags.join(",");
    let expected = match expected {
        Some(text) => quote!((Some(#text))),
        None => quote!((None)),
    };
    Ok(quote! {
        #[cfg(test)]
        #function

        #[cfg(test)]
        #[doc(hidden)]
        #[allow(non_snake_case)]
        fn #call(__call: ::core::option::Option<&mut ::refrain::property::Call>) {
            #(#lets)*
            match __call {
                ::core::option::Option::Some(__call) => { #(#shown)* }
                ::core::option::Option::None => ::refrain::property::Outcome::check(#name(#(#values),*)),
            }
        }

        ::refrain::__property! { #name #text #call #flags #expected [#ignored] }
    })
}

fn supported(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(token) = &signature.asyncness {
        return Err(Error::new_spanned(token, "a property cannot be async"));
    }
    if !signature.generics.params.is_empty() {
        let what = "a property cannot be generic: its inputs have one type each";
        return Err(Error::new_spanned(&signature.generics, what));
    }
    for input in &signature.inputs {
        if let FnArg::Typed(parameter) = input
            && matches!(&*parameter.ty, syn::Type::Reference(_))
        {
            let what =
                "a parameter of a property is owned: take an array or a String and borrow it";
            return Err(Error::new_spanned(&parameter.ty, what));
        }
    }
    Ok(())
}

/// The text of `#[should_panic(expected = "…")]` or `#[should_panic = "…"]`.
fn expected_message(attribute: &Attribute) -> Result<Option<LitStr>> {
    match &attribute.meta {
        Meta::Path(_) => Ok(None),
        Meta::NameValue(value) => match &value.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Ok(Some(text.clone())),
                other => Err(Error::new_spanned(other, "expected a string")),
            },
            other => Err(Error::new_spanned(other, "expected a string")),
        },
        Meta::List(_) => {
            let mut expected = None;
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("expected") {
                    expected = Some(meta.value()?.parse()?);
                    return Ok(());
                }
                Err(meta.error("the only option is expected"))
            })?;
            Ok(expected)
        }
    }
}
