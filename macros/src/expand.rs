//! From input to output: parse, read the options, generate.

use crate::input::Input;
use crate::options::{Options, Target};
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Lit, Meta};
use waveloom_codegen::emit::cuda::items;
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
    let items = match options.target {
        Target::Rust => rust(&options, docs, &mut report),
        Target::Cuda => cuda(&options, docs, &mut report),
    };
    let Some(items) = items.filter(|_| report.is_clean()) else { return report.into_tokens() };
    let file = options.origin.as_ref().and_then(|origin| origin.file.as_ref());
    let watched = file.map(|file| {
        let file = file.to_string_lossy();
        quote!(
            const _: &[u8] = include_bytes!(#file);
        )
    });
    quote! {
        #watched
        #items
    }
}

fn rust(options: &Options, docs: Vec<String>, report: &mut Report) -> Option<TokenStream> {
    let request = options.request(docs)?;
    for problem in problems(&request) {
        options.blame(&problem, report);
    }
    if !report.is_clean() {
        return None;
    }
    let module = module(&request).inspect_err(|error| options.blame(error, report)).ok()?;
    Some(module.tokens().clone())
}

fn cuda(options: &Options, docs: Vec<String>, report: &mut Report) -> Option<TokenStream> {
    let request = options.cuda(docs)?;
    items(&request).inspect_err(|error| options.blame_cuda(error, report)).ok()
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
