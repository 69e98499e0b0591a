//! The one maker of names in generated text.
//!
//! | name | what |
//! |---|---|
//! | `p0`, `p1`, … | the planes |
//! | `q0`, `q1`, … | a plane's second buffer, where a segment may not overwrite it in place |
//! | `v0`, `v1`, … | the nodes of a graph |
//! | `predict_0`, `update_1`, … | segments, by kind and position |
//!
//! Names that come from users or from the catalogue pass through [`identifier`] or [`type_name`].

use crate::dag::NodeId;
use crate::kernel::{Operation, Segment};
use waveloom_wavelets::scheme::FactorKind;

/// Words that may not be used as an identifier in Rust or in CUDA C++.
const RESERVED: &[&str] = &[
    "Self",
    "abstract",
    "alignas",
    "alignof",
    "and",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "crate",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "let",
    "long",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "xor",
    "yield",
];

/// A lower-case identifier made of `text`: letters, digits and underscores only, never a reserved
/// word of Rust or CUDA C++, never empty, never beginning with a digit or with a name of this
/// module's table.
///
/// ```
/// use waveloom_codegen::emit::names::identifier;
///
/// assert_eq!(identifier("bior4.4"), "bior4_4");
/// assert_eq!(identifier("My wavelet"), "my_wavelet");
/// assert_eq!(identifier("9/7"), "w9_7");
/// assert_eq!(identifier("union"), "union_");
/// ```
pub fn identifier(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            name.push(character.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    let numbered = name.strip_prefix(['p', 'q', 'v']).is_some_and(is_number);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || numbered {
        return format!("w{name}");
    }
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// A type name made of `text`, in camel case. Points between digits are kept apart with a `p`, so
/// that `bior1.35` and `bior13.5` stay two names.
///
/// ```
/// use waveloom_codegen::emit::names::type_name;
///
/// assert_eq!(type_name("bior4.4"), "Bior4p4");
/// assert_eq!(type_name("my-wavelet"), "MyWavelet");
/// assert_eq!(type_name("9/7 m"), "W9_7M");
/// ```
pub fn type_name(text: &str) -> String {
    let mut name = String::new();
    let mut start = true;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next_digit = characters.peek().is_some_and(char::is_ascii_digit);
        let after_digit = name.ends_with(|c: char| c.is_ascii_digit());
        if character.is_ascii_alphanumeric() {
            name.push(if start { character.to_ascii_uppercase() } else { character });
            start = false;
        } else if after_digit && next_digit {
            name.push(if character == '.' { 'p' } else { '_' });
        } else {
            start = true;
        }
    }
    let digit_first = name.starts_with(|c: char| c.is_ascii_digit());
    if name.is_empty() || digit_first || name == "Self" { format!("W{name}") } else { name }
}

/// The name of a plane.
pub fn plane(index: usize) -> String {
    format!("p{index}")
}

/// The name of a plane's second buffer.
pub fn spare(index: usize) -> String {
    format!("q{index}")
}

/// The name of a node.
pub fn value(id: NodeId) -> String {
    format!("v{}", id.index())
}

/// The name of an operation.
pub fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Forward => "forward",
        Operation::Inverse => "inverse",
        Operation::AdjointForward => "adjoint",
        Operation::AdjointInverse => "adjoint_of_inverse",
    }
}

/// What a factor is, in one word.
pub fn factor_kind(kind: FactorKind) -> &'static str {
    match kind {
        FactorKind::Convolution => "convolution",
        FactorKind::Predict => "predict",
        FactorKind::Update => "update",
        FactorKind::Constant => "constant",
        FactorKind::Butterfly => "butterfly",
        FactorKind::Exchange => "exchange",
        FactorKind::Scaling => "scaling",
    }
}

/// The name of segment `index`: what its first step is, and its number.
pub fn segment(segment: &Segment, index: usize) -> String {
    let kind = segment.steps.first().map_or("empty", |step| factor_kind(step.kind));
    format!("{kind}_{index}")
}

/// The name of a band: one letter per axis, axis 0 first, and the level where there is a detail.
///
/// ```
/// use waveloom_codegen::emit::names::band;
///
/// assert_eq!((band(0, 2, 3), band(1, 2, 3)), ("aa".to_owned(), "ad3".to_owned()));
/// ```
pub fn band(channel: usize, axes: usize, level: usize) -> String {
    let letter = |axis: usize| if channel >> (axes - 1 - axis) & 1 == 1 { 'd' } else { 'a' };
    let letters: String = (0..axes).map(letter).collect();
    if channel == 0 { letters } else { format!("{letters}{level}") }
}
