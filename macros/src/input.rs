//! The shape of the input: `#[doc] vis struct Name; key: value, …`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Token, Visibility, braced, bracketed, token};

/// The whole input.
pub struct Input {
    pub attributes: Vec<Attribute>,
    pub visibility: Visibility,
    pub name: Ident,
    pub fields: Punctuated<Field, Token![,]>,
}

/// `key: value`.
pub struct Field {
    pub key: Ident,
    pub value: Value,
}

/// A value, as far as the grammar goes.
pub enum Value {
    /// `symmetric`, `f32`, `true`.
    Word(Ident),
    /// `"text"`.
    Text(syn::LitStr),
    /// `3`, `-0.5`, `-1/16`.
    Number(Number),
    /// `[a, b]`.
    List(Span, Vec<Value>),
    /// `{ key: value, … }`.
    Table(Span, Vec<Field>),
}

/// A number: sign, numerator, denominator, as they are written.
pub struct Number {
    tokens: proc_macro2::TokenStream,
    /// The text that a definition file has for it.
    pub text: String,
}

/// The delimiters of a list or table, for errors about the whole.
pub struct Span(proc_macro2::Span);

impl quote::ToTokens for Value {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        match self {
            Value::Word(word) => word.to_tokens(tokens),
            Value::Text(text) => text.to_tokens(tokens),
            Value::Number(number) => tokens.extend(number.tokens.clone()),
            Value::List(span, _) => {
                let mut group = proc_macro2::Group::new(
                    proc_macro2::Delimiter::Bracket,
                    proc_macro2::TokenStream::new(),
                );
                group.set_span(span.0);
                group.to_tokens(tokens);
            }
            Value::Table(span, _) => {
                let mut group = proc_macro2::Group::new(
                    proc_macro2::Delimiter::Brace,
                    proc_macro2::TokenStream::new(),
                );
                group.set_span(span.0);
                group.to_tokens(tokens);
            }
        }
    }
}

impl Parse for Input {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name = input.parse()?;
        input.parse::<Token![;]>()?;
        let fields = Punctuated::parse_terminated(input)?;
        Ok(Self { attributes, visibility, name, fields })
    }
}

impl Parse for Field {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        // Keys such as `final` are words that Rust reserves.
        let key = input.call(syn::ext::IdentExt::parse_any)?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
        } else {
            input.parse::<Token![:]>()?;
        }
        Ok(Self { key, value: input.parse()? })
    }
}

impl Parse for Value {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.peek(syn::LitStr) {
            return Ok(Value::Text(input.parse()?));
        }
        if input.peek(token::Bracket) {
            let inside;
            let bracket = bracketed!(inside in input);
            let values = Punctuated::<Value, Token![,]>::parse_terminated(&inside)?;
            return Ok(Value::List(Span(bracket.span.join()), values.into_iter().collect()));
        }
        if input.peek(token::Brace) {
            let inside;
            let brace = braced!(inside in input);
            let fields = Punctuated::<Field, Token![,]>::parse_terminated(&inside)?;
            return Ok(Value::Table(Span(brace.span.join()), fields.into_iter().collect()));
        }
        if input.peek(Token![-]) || input.peek(syn::LitInt) || input.peek(syn::LitFloat) {
            return Ok(Value::Number(input.parse()?));
        }
        if input.peek(syn::Lit) && !input.peek(syn::LitBool) {
            return Err(input.error("expected a word, a string, a number, `[…]` or `{…}`"));
        }
        let word = input.call(syn::ext::IdentExt::parse_any);
        let word = word.map_err(|error| {
            syn::Error::new(error.span(), "expected a word, a string, a number, `[…]` or `{…}`")
        });
        Ok(Value::Word(word?))
    }
}

impl Parse for Number {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut tokens = proc_macro2::TokenStream::new();
        let mut text = String::new();
        if input.peek(Token![-]) {
            quote::ToTokens::to_tokens(&input.parse::<Token![-]>()?, &mut tokens);
            text.push('-');
        }
        text.push_str(&digits(input, &mut tokens)?);
        if input.peek(Token![/]) {
            quote::ToTokens::to_tokens(&input.parse::<Token![/]>()?, &mut tokens);
            text.push('/');
            text.push_str(&digits(input, &mut tokens)?);
        }
        Ok(Self { tokens, text })
    }
}

/// An unsigned literal without suffix, as decimal text.
fn digits(input: ParseStream, tokens: &mut proc_macro2::TokenStream) -> syn::Result<String> {
    let literal: syn::Lit = input.parse()?;
    let (text, suffix) = match &literal {
        syn::Lit::Int(int) => (int.base10_digits().to_owned(), int.suffix().to_owned()),
        syn::Lit::Float(float) => (float.base10_digits().to_owned(), float.suffix().to_owned()),
        _ => return Err(syn::Error::new_spanned(literal, "expected a number")),
    };
    if !suffix.is_empty() {
        let message = format!("a number without the suffix '{suffix}' is expected here");
        return Err(syn::Error::new_spanned(literal, message));
    }
    quote::ToTokens::to_tokens(&literal, tokens);
    Ok(text)
}
