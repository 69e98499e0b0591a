//! Errors, collected: everything that is wrong is reported at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// A collector of errors, each at the tokens to blame.
#[derive(Default)]
pub struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// Notes an error at `tokens`.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Notes a parser's error.
    pub fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether nothing was noted.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// All errors as `compile_error!`s.
    pub fn into_tokens(self) -> TokenStream {
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}
