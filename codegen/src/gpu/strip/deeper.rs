//! Several levels in one strip: a level's approximations stay in the registers of the lanes that made
//! them and are the next level's signal.
//!
//! A lane of `P` pairs leaves `P` approximations of a row, which are `P / 2` pairs of the next level; two
//! rows that follow each other are its pair of rows. So the next level steps at every second iteration
//! of the walk, with half as many pairs, and needs nothing from memory but what inverses read of its
//! details.

use super::{Along, Strip, StripError, Way};
use crate::gpu::program::MappedKernel;
use crate::kernel::Side;

/// How a walk of a forward transform hands approximations down to the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descent {
    /// Rows of pairs that the walk makes before its tile, and after it, for the next level.
    pub before: usize,
    /// See `before`.
    pub after: usize,
    /// The first of these rows that the next level reads, counted from the first made.
    pub first: i32,
    /// Rows from the one that is held to the one with which a step begins; odd.
    pub distance: i32,
    /// Whether the row with which a step begins is the even one of a pair.
    pub even_last: bool,
    /// Steps of the next level before its first outputs.
    pub warm: usize,
}

/// How a walk of an inverse transform takes approximations from the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rise {
    /// Steps of the next level before its first outputs.
    pub warm: usize,
    /// Iterations of the walk before its own warm-up.
    pub before: usize,
    /// Pairs of rows in the next level's ring.
    pub depth: usize,
}

impl Strip {
    /// All levels: every level's outputs are right in the lanes whose inputs are, without its halo.
    pub(super) fn nested(mapped: &MappedKernel, way: Way) -> Result<Self, StripError> {
        let mapping = &mapped.mapping;
        let mut alignments = vec![mapping.alignment];
        for _ in 1..mapping.levels {
            let next = alignments.last().copied().flatten().map(|finer| finer.next());
            alignments.push(next);
        }
        let forward = mapped.kernel.operation.input() == Side::Signal;
        let mut order: Vec<usize> = (0..alignments.len()).collect();
        if !forward {
            order.reverse();
        }
        let mut right = (0, mapping.groups as usize * super::WARP as usize);
        let mut made: Vec<Option<Self>> = vec![None; alignments.len()];
        for level in order {
            let pairs = mapping.pairs as usize >> level;
            let strip = Self::level(mapped, pairs, alignments[level], right, way)?;
            right = strip.across.as_ref().map_or(right, |a| (a.first_lane, a.end_lane));
            made[level] = Some(strip);
        }
        let finest = made.first().and_then(Option::as_ref);
        let unit = finest.map_or(1, |strip| strip.whole_sectors(mapped, &mut right));
        let mut whole: Option<Self> = None;
        for mut strip in made.into_iter().rev().flatten() {
            if let Some(across) = &mut strip.across {
                (across.first_lane, across.end_lane) = right;
            }
            strip.unit = unit;
            strip.onset = mapping.sectors.unwrap_or(0) as usize % unit;
            strip.deeper = whole.map(Box::new);
            strip.share_rings(forward);
            whole = Some(strip);
        }
        whole.ok_or(StripError::Shape { mapping: Box::new(*mapping) })
    }

    /// What the next level's ring has to hold: nothing when its signal comes from registers, else half as
    /// many rows ahead.
    fn share_rings(&mut self, forward: bool) {
        let ahead = self.depth.saturating_sub(1);
        if let Some(deeper) = &mut self.deeper {
            deeper.depth = match (forward, &deeper.along) {
                (true, _) | (_, None) => 0,
                (false, Some(_)) => ahead / 2 + 1,
            };
        }
    }

    fn walks(&self) -> Option<(&Along, &Along)> {
        Some((self.along.as_ref()?, self.deeper.as_ref()?.along.as_ref()?))
    }

    /// Rows from the first one of a pair of the next level, on the walk's way, to its even (plane 0) or odd one.
    fn place_of(&self, plane: usize) -> i32 {
        i32::from((plane == 1) != (self.way == Way::Up))
    }

    /// How approximations get to the next level, in a walk of a forward transform.
    pub fn descent(&self) -> Option<Descent> {
        let (_, next) = self.walks().filter(|_| self.output == Side::Bands)?;
        let pipeline = &next.pipeline;
        let warm = pipeline.warm();
        // The rows of pair t that a step needs, counted from the first one of pair t on the walk's way.
        let row = |plane: usize| self.place_of(plane) - 2 * pipeline.streams[plane].lag;
        let rows = [row(0), row(1)];
        let (first, last) = (rows[0].min(rows[1]), rows[0].max(rows[1]));
        let earliest = 2 * (pipeline.delay - warm as i32) + first;
        let before = (-earliest).max(0);
        Some(Descent {
            before: before.unsigned_abs() as usize,
            after: (2 * pipeline.delay - 1 + last).max(0).unsigned_abs() as usize,
            first: earliest + before,
            distance: last - first,
            even_last: rows[0] > rows[1],
            warm,
        })
    }

    /// How approximations come from the next level, in a walk of an inverse transform.
    pub fn rise(&self) -> Option<Rise> {
        let (own, next) = self.walks().filter(|_| self.output == Side::Signal)?;
        let warm = next.pipeline.warm();
        // The first approximation that is read is the first row of a pair.
        let early = own.pipeline.delay - own.pipeline.warm() as i32 - own.pipeline.streams[0].lag;
        let before = 2 * warm + early.rem_euclid(2).unsigned_abs() as usize;
        let depth = self.deeper.as_ref().map_or(0, |deeper| deeper.depth);
        Some(Rise { warm, before, depth })
    }
}
