//! `#[derive(refrain::Symbolic)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Error, Expr, Fields, Ident, Result, Type, parse_quote};

use crate::bound;

pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut item: DeriveInput = syn::parse2(item)?;
    for parameter in item.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::refrain::Symbolic));
    }
    let (any, arms) = match &item.data {
        Data::Struct(data) => {
            let shape = Shape::of(&data.fields)?;
            let any = shape.any(&quote!(Self), &quote!(__name));
            let arm = shape.arm(&quote!(Self), &item.ident.to_string());
            (any, vec![arm])
        }
        Data::Enum(data) if data.variants.is_empty() => {
            let what = "an enum without variants has no values";
            return Err(Error::new_spanned(&item.ident, what));
        }
        Data::Enum(data) => {
            let count = data.variants.len() as u32;
            let (mut ways, mut arms) = (Vec::new(), Vec::new());
            for (index, variant) in (0u32..).zip(&data.variants) {
                let ident = &variant.ident;
                let shape = Shape::of(&variant.fields)?;
                let any = shape.any(&quote!(Self::#ident), &quote!(__name));
                // The last arm takes the rest, of which there is nothing.
                let pattern = if index + 1 == count {
                    quote!(_)
                } else {
                    quote!(#index)
                };
                ways.push(quote!(#pattern => #any,));
                let text = format!("{}::{}", item.ident, ident.unraw());
                arms.push(shape.arm(&quote!(Self::#ident), &text));
            }
            let any = if count == 1 {
                quote!(match 0u32 { #(#ways)* })
            } else {
                quote!(match ::refrain::property::variant(__name, #count) { #(#ways)* })
            };
            (any, arms)
        }
        Data::Union(data) => {
            let what = "a union cannot be symbolic: which of its fields is valid is not known";
            return Err(Error::new_spanned(data.union_token, what));
        }
    };
    let ident = &item.ident;
    let (generics, types, conditions) = item.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::refrain::Symbolic for #ident #types #conditions {
            fn symbolic(__name: &::refrain::Name) -> Self {
                #any
            }

            fn expression(&self, __out: &mut ::std::string::String) {
                match self {
                    #(#arms)*
                }
            }
        }
    })
}

/// The fields of a struct or of a variant.
struct Shape {
    kind: Kind,
    fields: Vec<Field>,
}

#[derive(PartialEq)]
enum Kind {
    Named,
    Tuple,
    Unit,
}

struct Field {
    /// Its name, or its number.
    text: String,
    ident: Option<Ident>,
    ty: Type,
    bound: Option<Expr>,
}

impl Shape {
    fn of(fields: &Fields) -> Result<Shape> {
        let kind = match fields {
            Fields::Named(_) => Kind::Named,
            Fields::Unnamed(_) => Kind::Tuple,
            Fields::Unit => Kind::Unit,
        };
        let fields = fields.iter().enumerate().map(|(index, field)| {
            let text = match &field.ident {
                Some(ident) => ident.unraw().to_string(),
                None => index.to_string(),
            };
            Ok(Field {
                text,
                ident: field.ident.clone(),
                ty: field.ty.clone(),
                bound: bound::of(&field.attrs)?,
            })
        });
        let fields = fields.collect::<Result<_>>()?;
        Ok(Shape { kind, fields })
    }

    /// Any value.
    fn any(&self, constructor: &TokenStream, name: &TokenStream) -> TokenStream {
        let fields = self.fields.iter().map(|field| {
            let text = &field.text;
            let any = bound::any(&field.ty, &quote!(#name.field(#text)), field.bound.as_ref());
            match &field.ident {
                Some(ident) => quote!(#ident: #any),
                None => any,
            }
        });
        match self.kind {
            Kind::Named => quote!(#constructor { #(#fields),* }),
            Kind::Tuple => quote!(#constructor(#(#fields),*)),
            Kind::Unit => quote!(#constructor),
        }
    }

    /// An arm of a match that writes a value as Rust.
    fn arm(&self, constructor: &TokenStream, text: &str) -> TokenStream {
        let bindings: Vec<Ident> = (0..self.fields.len())
            .map(|index| format_ident!("__field{index}"))
            .collect();
        let pattern = match self.kind {
            Kind::Named => {
                let idents = self.fields.iter().map(|field| &field.ident);
                quote!(#constructor { #(#idents: #bindings),* })
            }
            Kind::Tuple => quote!(#constructor(#(#bindings),*)),
            Kind::Unit => quote!(#constructor),
        };
        let (open, close) = match self.kind {
            Kind::Named => (" { ", " }"),
            Kind::Tuple => ("(", ")"),
            Kind::Unit => ("", ""),
        };
        let writes =
            self.fields
                .iter()
                .zip(&bindings)
                .enumerate()
                .map(|(index, (field, binding))| {
                    let mut before = if index > 0 {
                        ", ".to_string()
                    } else {
                        String::new()
                    };
                    if self.kind == Kind::Named {
                        before += &format!("{}: ", field.text);
                    }
                    let write = match &field.bound {
                        Some(_) => quote!(::refrain::Bounded::expression),
                        None => quote!(::refrain::Symbolic::expression),
                    };
                    quote! {
                        __out.push_str(#before);
                        #write(#binding, __out);
                    }
                });
        quote! {
            #pattern => {
                __out.push_str(#text);
                __out.push_str(#open);
                #(#writes)*
                __out.push_str(#close);
            }
        }
    }
}
