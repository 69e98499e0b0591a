//! The two small passes beside the transforms: folding an adjoint's margins back, and the single
//! samples of `jpeg2000`.

use super::abi::{View, extension_code};
use waveloom_wavelets::extension::ExtensionKind;

/// `to[j] = Σ_e w(e -> j) from[e]`: the transpose of an extension, as a gather. Element `e` of
/// `from` stands at index `first + step · e` of the extended sequence, element `j` of `to` at index
/// `to_first + step · j`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// The extended array.
    pub from: View,
    /// The array without its margins.
    pub to: View,
    /// Extents of the batch dimensions: the product of everything before the axis, and after it.
    pub outer: i64,
    /// Contiguous elements at one index of the axis.
    pub lanes: i64,
    /// Elements of `from` along the axis.
    pub from_len: i64,
    /// Elements of `to` along the axis.
    pub to_len: i64,
    /// Index of `from`'s first element.
    pub first: i64,
    /// Index of `to`'s first element.
    pub to_first: i64,
    /// 1 for signals, 2 for one band of an interleaved pair.
    pub step: i64,
    /// The rule.
    pub extension: ExtensionKind,
    /// Length of the sequence the rule extends.
    pub len: i64,
}

/// `to = from · gain`, or `from / gain` (floor division for integers).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Source.
    pub from: View,
    /// Destination.
    pub to: View,
    /// Batch extents before the axis (whose own extent is 1).
    pub outer: i64,
    /// Contiguous elements after it.
    pub lanes: i64,
    /// The factor.
    pub gain: f64,
    /// Divide instead of multiplying.
    pub divide: bool,
}

impl Fold {
    /// The words of `struct FoldJob`.
    pub fn words(&self) -> Vec<i64> {
        vec![
            self.from.buffer.code(),
            self.from.offset,
            self.to.buffer.code(),
            self.to.offset,
            self.from.outer[0],
            self.to.outer[0],
            self.from.axes[0],
            self.to.axes[0],
            self.lanes,
            self.outer,
            self.from_len,
            self.to_len,
            self.first,
            self.to_first,
            self.step,
            extension_code(self.extension),
            self.len,
        ]
    }

    /// Number of results.
    pub fn results(&self) -> i64 {
        self.outer * self.to_len * self.lanes
    }
}

impl Scale {
    /// The words of `struct ScaleJob`; the gain travels as its bits.
    pub fn words(&self) -> Vec<i64> {
        vec![
            self.from.buffer.code(),
            self.from.offset,
            self.to.buffer.code(),
            self.to.offset,
            self.from.outer[0],
            self.to.outer[0],
            self.lanes,
            self.outer,
            i64::from_ne_bytes(self.gain.to_ne_bytes()),
            i64::from(self.divide),
        ]
    }

    /// Number of results.
    pub fn results(&self) -> i64 {
        self.outer * self.lanes
    }
}
