//! Numbers as source text: the only place where a coefficient is rounded.

use crate::kernel::Element;

/// The shortest decimal text that reads back as `value` rounded once to the element type, without a
/// suffix. Integers are printed as integers; a float always has a point or an exponent. The text is
/// valid in Rust and, with the suffix that the language asks for, in CUDA C++.
///
/// ```
/// use waveloom_codegen::Element;
/// use waveloom_codegen::emit::literal;
///
/// assert_eq!(literal::text(Element::F64, 0.1), "0.1");
/// assert_eq!(literal::text(Element::F32, -1.586134342059924), "-1.5861343");
/// assert_eq!(literal::text(Element::F64, 2.0), "2.0");
/// assert_eq!(literal::text(Element::I32, -9.0), "-9");
/// ```
pub fn text(element: Element, value: f64) -> String {
    match element {
        Element::F64 => format!("{value:?}"),
        Element::F32 => format!("{:?}", value as f32),
        Element::I16 | Element::I32 | Element::I64 => format!("{}", value as i64),
    }
}

/// `value` rounded once to the element type, as an `f64`.
pub fn rounded(element: Element, value: f64) -> f64 {
    match element {
        Element::F32 => f64::from(value as f32),
        Element::F64 => value,
        Element::I16 | Element::I32 | Element::I64 => value.trunc(),
    }
}
