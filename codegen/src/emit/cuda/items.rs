//! CUDA inside Rust: a type that carries a text, and with it everything that plans need to run it.
//! The macro and build scripts write these items; the runtime does the rest.

use super::{CudaRequest, module};
use crate::gpu::ProgramError;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::str::FromStr;
use waveloom_wavelets::Mode;
use waveloom_wavelets::definition::{self, ExportError, Form};
use waveloom_wavelets::geometry::{Decomposition, GeometryError};

/// How the items name their wavelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// By a name of the catalogue.
    Catalogue,
    /// By the text of a definition file.
    Text(String),
    /// By a definition that is written anew, for a wavelet that came from elsewhere.
    Written,
}

/// A type to be written.
#[derive(Clone, Debug)]
pub struct ItemsRequest<'a> {
    /// The text.
    pub cuda: CudaRequest<'a>,
    /// Where the wavelet comes from.
    pub definition: Definition,
    /// Extension mode of plans, unless they are told another.
    pub mode: Mode,
    /// Number of levels of plans, unless they are told another.
    pub levels: usize,
    /// Name of the type.
    pub name: String,
    /// Documentation that comes before the generated one, one line each.
    pub docs: Vec<String>,
    /// Its visibility: `pub`, `pub(crate)`, or nothing.
    pub visibility: String,
}

/// Why items cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ItemsError {
    /// There is no such text.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The wavelet does not have the mode.
    #[error(transparent)]
    Mode(#[from] GeometryError),
    /// The wavelet cannot be written as a definition.
    #[error(transparent)]
    Definition(#[from] ExportError),
    /// Not a name that a Rust type can have, or not a visibility.
    #[error("'{name}' is not {expected}")]
    Name {
        /// What was given.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A strategy with shapes of its own.
    #[error("texts inside Rust take strategies by name, without shapes of their own")]
    Strategy,
}

/// Extent at which the mode is tried: even at every level that is.
const EXTENT: usize = 1024;

/// Writes the type.
///
/// # Errors
/// No such text, mode or name.
pub fn items(request: &ItemsRequest<'_>) -> Result<TokenStream, ItemsError> {
    let CudaRequest { wavelet, source, scheme, dims, element, strategy, .. } = &request.cuda;
    let lengths = vec![EXTENT; *dims];
    Decomposition::new(&wavelet.frame(), request.mode, &lengths, &[], request.levels.min(1))?;
    if strategy.name() == "unnamed"
        || crate::gpu::Strategy::named(strategy.name()) != Some(*strategy)
    {
        return Err(ItemsError::Strategy);
    }
    let text = module(&request.cuda)?.text;
    let name = syn::parse_str::<syn::Ident>(&request.name).map_err(|_| ItemsError::Name {
        name: request.name.clone(),
        expected: "the name of a type",
    })?;
    let visibility = syn::parse_str::<syn::Visibility>(&request.visibility).map_err(|_| {
        ItemsError::Name { name: request.visibility.clone(), expected: "a visibility" }
    })?;
    let definition = match &request.definition {
        Definition::Catalogue => quote!(::core::option::Option::None),
        Definition::Text(text) => {
            let text = literal(text);
            quote!(::core::option::Option::Some(#text))
        }
        Definition::Written => {
            let form = if wavelet.lifting().is_some() { Form::Lifting } else { Form::Taps };
            let text = literal(&definition::to_toml(wavelet, form)?);
            quote!(::core::option::Option::Some(#text))
        }
    };
    let (sample, kind) = (word(element.name()), word(&format!("{element:?}")));
    let (scheme_kind, mode) = (word(&format!("{scheme:?}")), word(&format!("{:?}", request.mode)));
    let (levels, strategy, wavelet_name) = (request.levels, strategy.name(), wavelet.name());
    let (options, source_text) = (&request.cuda.options, literal(&text));
    let mut docs = request.docs.clone();
    if !docs.is_empty() {
        docs.push(String::new());
    }
    docs.push(format!(
        " CUDA kernels of {dims}-D wavelet transforms of `{}` arrays with `{wavelet_name}`, scheme \
         `{scheme}`, strategy `{strategy}`.",
        element.name()
    ));
    Ok(quote! {
        #(#[doc = #docs])*
        #[derive(Clone, Copy, Debug)]
        #visibility struct #name;

        impl #name {
            /// The CUDA C++ text: forward and inverse and, unless the wavelet rounds, their adjoints.
            pub const SOURCE: &'static str = #source_text;

            /// The text with all that plans need to run it.
            pub fn kernels() -> &'static ::waveloom::device::Generated {
                static KERNELS: ::waveloom::device::Generated =
                    ::waveloom::device::Generated::new(::waveloom::device::GeneratedParts {
                        text: #name::SOURCE,
                        definition: #definition,
                        wavelet: #wavelet_name,
                        source: #source,
                        scheme: ::waveloom::wavelets::SchemeKind::#scheme_kind,
                        dims: #dims,
                        element: ::waveloom::codegen::Element::#kind,
                        strategy: #strategy,
                        options: #options,
                        mode: ::waveloom::wavelets::Mode::#mode,
                        levels: #levels,
                    });
                &KERNELS
            }

            /// Starts a plan for arrays of a shape: on the CPU, or with `.device(&card)` by this text
            /// on a card. Levels and mode may be set anew.
            ///
            /// # Errors
            /// The text was generated by another version of the generator.
            pub fn plan(
                shape: &[usize],
            ) -> ::core::result::Result<
                ::waveloom::PlanBuilder<'static, #sample>,
                ::waveloom::PlanError,
            > {
                Self::kernels().plan(shape)
            }
        }
    })
}

/// The items as the text of a file.
///
/// # Errors
/// Those of [`items`].
pub fn items_text(request: &ItemsRequest<'_>) -> Result<String, ItemsError> {
    let tokens = items(request)?;
    let file = syn::parse2::<syn::File>(tokens).map_err(|_| ItemsError::Name {
        name: request.name.clone(),
        expected: "the name of a type",
    })?;
    Ok(format!("// Generated by waveloom; do not edit.\n\n{}", prettyplease::unparse(&file)))
}

/// A raw string, which shows its lines.
fn literal(text: &str) -> TokenStream {
    let raw =
        (0..4).map(|count| "#".repeat(count)).find(|hashes| !text.contains(&format!("\"{hashes}")));
    let raw = raw.map(|hashes| format!("r{hashes}\"{text}\"{hashes}"));
    match raw.and_then(|raw| TokenStream::from_str(&raw).ok()) {
        Some(tokens) => tokens,
        None => quote::ToTokens::into_token_stream(Literal::string(text)),
    }
}

fn word(text: &str) -> proc_macro2::Ident {
    proc_macro2::Ident::new(text, proc_macro2::Span::call_site())
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_wavelets::catalogue;

    fn request(wavelet: &waveloom_wavelets::Wavelet) -> ItemsRequest<'_> {
        ItemsRequest {
            cuda: CudaRequest::new(wavelet, 2),
            definition: Definition::Catalogue,
            mode: wavelet.default_mode(),
            levels: 3,
            name: "OnCard".to_owned(),
            docs: vec![" Mine.".to_owned()],
            visibility: "pub(crate)".to_owned(),
        }
    }

    #[test]
    fn items_carry_the_text() {
        let wavelet = catalogue::wavelet("bior2.2").unwrap();
        let text = items_text(&request(&wavelet)).unwrap();
        let cuda = module(&request(&wavelet).cuda).unwrap().text;
        assert!(text.contains(&cuda), "the text stands as it is");
        assert!(text.contains("pub(crate) struct OnCard;"), "{text}");
        assert!(text.contains("levels: 3"), "{text}");
        assert_eq!(items_text(&request(&wavelet)).unwrap(), text);
        let written = ItemsRequest { definition: Definition::Written, ..request(&wavelet) };
        assert!(items_text(&written).unwrap().contains("steps ="));
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let wavelet = catalogue::wavelet("db4").unwrap();
        let bad = ItemsRequest { name: "1st".to_owned(), ..request(&wavelet) };
        assert!(matches!(items(&bad), Err(ItemsError::Name { .. })));
        let bad = ItemsRequest { mode: Mode::Jpeg2000, ..request(&wavelet) };
        assert!(matches!(items(&bad), Err(ItemsError::Mode(_))));
        let mut bad = request(&wavelet);
        bad.cuda.strategy.threads = Some(64);
        assert_eq!(items(&bad).unwrap_err(), ItemsError::Strategy);
    }
}
