//! From input to output: parse, read the options, generate.

use crate::input::Input;
use crate::options::Options;
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Lit, Meta};
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
    let items = module.tokens();
    quote! {
        #watched
        #items
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
