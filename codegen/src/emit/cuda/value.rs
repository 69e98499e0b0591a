//! How values are written in CUDA C++.

use crate::kernel::Element;

/// The type of stored values.
pub(super) fn value_type(element: Element) -> &'static str {
    match element {
        Element::F32 => "float",
        Element::F64 => "double",
        Element::I16 => "short",
        Element::I32 => "int",
        Element::I64 => "long long",
    }
}

/// The type of intermediate values: C++ computes short integers as `int`.
pub(super) fn work_type(element: Element) -> &'static str {
    match element {
        Element::I16 => "int",
        other => value_type(other),
    }
}

/// The two-element vector type, for paired accesses.
pub(super) fn pair_type(element: Element) -> &'static str {
    match element {
        Element::F32 => "float2",
        Element::F64 => "double2",
        Element::I16 => "short2",
        Element::I32 => "int2",
        Element::I64 => "longlong2",
    }
}

/// A constant, rounded once to the element type and printed so that it reads back as the same value.
pub(super) fn literal(element: Element, value: f64) -> String {
    match element {
        Element::F32 => format!("{:?}f", value as f32),
        Element::F64 => format!("{value:?}"),
        Element::I64 => format!("{value:.0}LL"),
        Element::I16 | Element::I32 => format!("{value:.0}"),
    }
}
