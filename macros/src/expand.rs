//! From input to output: parse, read the options, generate, wrap.

use crate::input::Input;
use crate::options::Options;
use crate::report::Report;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Expr, Lit, Meta, Visibility};
use waveloom_codegen::emit::names;
use waveloom_codegen::emit::rust::{module, problems};

/// The expansion, or everything that is wrong as `compile_error!`s.
pub fn expand(input: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let input: Input = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => {
            report.push(error);
            return report.into_tokens();
        }
    };
    let docs = docs(&input.attributes, &mut report);
    let options = Options::read(&input, &mut report);
    let Some(request) = options.request(docs) else { return report.into_tokens() };
    for problem in problems(&request) {
        options.blame(&problem, &mut report);
    }
    if !report.is_clean() {
        return report.into_tokens();
    }
    let module = match module(&request) {
        Ok(module) => module,
        Err(error) => {
            options.blame(&error, &mut report);
            return report.into_tokens();
        }
    };
    let file = options.origin.as_ref().and_then(|origin| origin.file.as_ref());
    let watched = file.map(|file| {
        let file = file.to_string_lossy();
        quote!(
            const _: &[u8] = include_bytes!(#file);
        )
    });
    wrap(&input, module.tokens(), &module.public, watched)
}

/// The items in a module of their own, their public names outside.
fn wrap(
    input: &Input,
    items: &TokenStream,
    public: &[String; 3],
    watched: Option<TokenStream>,
) -> TokenStream {
    let name = &input.name;
    let inner = format_ident!("__waveloom_{}", names::identifier(&name.to_string()));
    let visibility = &input.visibility;
    let [_, band, error] = public.each_ref().map(|public| Ident::new(public, name.span()));
    // A private type is still public within its module.
    let outside = match visibility {
        Visibility::Inherited => quote!(use),
        other => quote!(#other use),
    };
    quote! {
        #[allow(dead_code, unused_qualifications, clippy::all, clippy::pedantic)]
        mod #inner {
            #watched
            #items
        }
        #[allow(unused_imports)]
        #outside #inner::{#name, #band, #error};
    }
}

/// The documentation comments; other attributes have no place here.
fn docs(attributes: &[Attribute], report: &mut Report) -> Vec<String> {
    let mut docs = Vec::new();
    for attribute in attributes {
        let text = match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        match text {
            Some(text) => docs.push(text),
            None => report.at(attribute, "only documentation comments can stand here"),
        }
    }
    docs
}
