//! A definition written in place: the same keys as a definition file, as tokens.
//!
//! It is turned into the text of such a file, and problems, which name the field that they are about,
//! back into the tokens of that field.

use crate::input::{Field, Value};
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::ToTokens;
use waveloom_wavelets::definition::{DefinitionErrors, Problem};

/// A definition's text, and where each field stands in the macro's input.
pub struct InPlace {
    /// The text of a definition file.
    pub text: String,
    fields: Vec<(String, TokenStream)>,
}

impl InPlace {
    /// Writes the text of `fields`.
    pub fn new(fields: &[Field]) -> Self {
        let mut definition = Self { text: String::new(), fields: Vec::new() };
        for field in fields {
            let (key, path) = (key(field), key(field));
            definition.fields.push((path.clone(), field.key.to_token_stream()));
            definition.text.push_str(&format!("{key} = "));
            definition.value(&field.value, &path);
            definition.text.push('\n');
        }
        definition
    }

    /// Appends a value on the current line; everything nested goes into inline tables and arrays.
    fn value(&mut self, value: &Value, path: &str) {
        self.fields.push((path.to_owned(), value.to_token_stream()));
        match value {
            // A word is either true or false or something that the definition refuses; as a string
            // it is refused at its own place.
            Value::Word(word) if word == "true" || word == "false" => {
                self.text.push_str(&word.to_string());
            }
            Value::Word(word) => self.text.push_str(&quoted(&word.to_string())),
            Value::Text(text) => self.text.push_str(&quoted(&text.value())),
            Value::Number(number) if number.text.contains('/') => {
                self.text.push_str(&quoted(&number.text));
            }
            Value::Number(number) => self.text.push_str(&toml_number(&number.text)),
            Value::List(_, values) => {
                self.text.push('[');
                for (index, value) in values.iter().enumerate() {
                    self.value(value, &format!("{path}[{index}]"));
                    self.text.push_str(", ");
                }
                self.text.push(']');
            }
            Value::Table(_, fields) => {
                self.text.push_str("{ ");
                for (index, field) in fields.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    let inner = format!("{path}.{}", key(field));
                    self.fields.push((inner.clone(), field.key.to_token_stream()));
                    self.text.push_str(&format!("{separator}{} = ", key(field)));
                    self.value(&field.value, &inner);
                }
                self.text.push_str(" }");
            }
        }
    }

    /// Reports problems at the tokens of their fields; `whole` stands for those about no field.
    pub fn report(&self, errors: &DefinitionErrors, whole: &dyn ToTokens, report: &mut Report) {
        for problem in errors.problems() {
            match self.tokens_of(problem) {
                Some(tokens) => report.at(tokens, message(problem)),
                None => report.at(whole.to_token_stream(), message(problem)),
            }
        }
    }

    /// The tokens of the longest known prefix of the problem's field; of its value where the value is
    /// known, of its key where only that is (an unknown key).
    fn tokens_of(&self, problem: &Problem) -> Option<&TokenStream> {
        let mut path = problem.field.as_str();
        loop {
            // The key comes first; an unknown key is what is wrong with it.
            let unknown = problem.message.contains("unknown");
            let mut known = self.fields.iter().filter(|(known, _)| known == path);
            let found = if unknown { known.next() } else { known.next_back() };
            if let Some((_, tokens)) = found {
                return Some(tokens);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }
}

fn message(problem: &Problem) -> String {
    match problem.field.as_str() {
        "" => problem.message.clone(),
        field => format!("{field}: {}", problem.message),
    }
}

fn key(field: &Field) -> String {
    let text = field.key.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Rust writes `1.` and `1e3` where TOML wants digits after a point.
fn toml_number(text: &str) -> String {
    match text.strip_suffix('.') {
        Some(digits) => format!("{digits}.0"),
        None => text.replace(".e", ".0e"),
    }
}
