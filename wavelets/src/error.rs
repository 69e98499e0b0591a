//! Errors of this crate, one type per stage.

pub use crate::extension::UnknownMode;
pub use crate::geometry::GeometryError;
