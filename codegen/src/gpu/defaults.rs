//! The strategy where nothing was tuned and none is given, by architecture.
//!
//! Strips are the fastest that there is on every card; what depends on the architecture is how far
//! ahead of its work a walk loads. A ring of rows is worth as much shared memory as leaves room for the
//! warps that a multiprocessor needs, and beyond two pairs of rows only where copies into it are
//! asynchronous.

use super::mapping::{DEEP_DEPTH, DEPTH, Strategy};
use crate::kernel::Element;

/// An architecture, as far as defaults depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Compute capability, as 90 for 9.0.
    pub capability: u32,
    /// Its name.
    pub name: &'static str,
    /// Shared memory of a multiprocessor, in KiB.
    pub shared_kib: usize,
    /// Whether copies into shared memory are asynchronous.
    pub asynchronous: bool,
}

/// Warps that a multiprocessor shall hold.
const WARPS: usize = 12;

/// Columns of a strip: 32 lanes of four pairs.
const COLUMNS: usize = 256;

/// Pairs of rows that a ring has at least: one at work, one on its way.
const LEAST: usize = 2;

impl Architecture {
    /// Those that defaults are made for, by rising capability.
    pub const KNOWN: [Self; 7] = [
        Self { capability: 75, name: "Turing", shared_kib: 64, asynchronous: false },
        Self { capability: 80, name: "Ampere", shared_kib: 164, asynchronous: true },
        Self { capability: 86, name: "Ampere", shared_kib: 100, asynchronous: true },
        Self { capability: 89, name: "Ada", shared_kib: 100, asynchronous: true },
        Self { capability: 90, name: "Hopper", shared_kib: 228, asynchronous: true },
        Self { capability: 100, name: "Blackwell", shared_kib: 228, asynchronous: true },
        Self { capability: 120, name: "Blackwell", shared_kib: 100, asynchronous: true },
    ];

    /// The one of a card: the newest that is not newer, or the oldest.
    pub fn of(capability: u32) -> Self {
        let known = Self::KNOWN.iter().rev().find(|known| known.capability <= capability);
        known.copied().unwrap_or(Self::KNOWN[0])
    }

    /// The strategy for values of a type: strips, and the depth of their ring where there is no room for
    /// any that is chosen.
    ///
    /// ```
    /// use waveloom_codegen::gpu::Architecture;
    /// use waveloom_codegen::Element;
    ///
    /// let hopper = Architecture::of(90).strategy(Element::F32);
    /// assert_eq!(hopper.to_string(), "--strategy stream");
    /// let turing = Architecture::of(75).strategy(Element::F32);
    /// assert_eq!(turing.to_string(), "--strategy stream --depth 2");
    /// ```
    pub fn strategy(&self, element: Element) -> Strategy {
        let pair_of_rows = 2 * COLUMNS * element.bytes();
        let room = self.shared_kib * 1024 / WARPS / pair_of_rows;
        let most = if self.asynchronous { DEPTH as usize } else { LEAST };
        let depth = match self.asynchronous && room >= DEEP_DEPTH as usize {
            true => None,
            false => Some(room.clamp(LEAST, most) as u32),
        };
        Strategy { depth, ..Strategy::STREAM }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_architecture_has_its_strategy() {
        let depths = |element: Element| {
            Architecture::KNOWN.map(|known| known.strategy(element).depth.unwrap_or(0))
        };
        // 0: as deep as a strip chooses.
        assert_eq!(depths(Element::F32), [2, 0, 3, 3, 0, 0, 3]);
        // Rows of 8-byte values are twice as long.
        assert_eq!(depths(Element::F64), [2, 3, 2, 2, 3, 3, 2]);
        assert_eq!(depths(Element::I16), [2, 0, 0, 0, 0, 0, 0]);
        for known in Architecture::KNOWN {
            let strategy = known.strategy(Element::F32);
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
    }

    #[test]
    fn cards_in_between_take_what_is_not_newer() {
        for (capability, expected) in
            [(70, 75), (75, 75), (87, 86), (90, 90), (101, 100), (103, 100), (121, 120)]
        {
            assert_eq!(Architecture::of(capability).capability, expected);
        }
    }
}
