//! Where the tiles inside begin, and how many there are, of planes whose frame is made by other launches.

use super::super::abi::Job;
use super::super::strip::Strip;
use super::levels::{anchor, span};
use crate::kernel::{Margin, Side};
use waveloom_wavelets::geometry::Span;

/// Bytes that memory reads and writes at once: a strip that begins elsewhere shares them with its neighbour.
const BURST: usize = 64;

/// What a pair of a frame's strips is taken to cost beside one of the strips inside: it reads more rows twice.
const FRAME_COST: (i64, i64) = (5, 4);

/// So many tiles fewer than fit are tried, at most: the frame may be no more strips for it.
const FEWER: i64 = 2;

/// Where the tiles inside may begin along one axis.
struct Grid {
    pairs: Span,
    tile: i64,
    /// Tiles begin a number of units from here.
    from: i64,
    unit: i64,
    /// Pairs of a strip of the frame, and those that it makes of the inside.
    width: i64,
    into: i64,
}

impl Grid {
    /// Whole tiles within bounds that leave the least to do all in all, about the middle if that is the same.
    fn within(&self, [least, most]: [i64; 2]) -> Span {
        let Self { pairs, tile, from, unit, width, into } = *self;
        let [tile, unit, width] = [tile, unit, width].map(|pairs| pairs.max(1));
        let first = (least.max(pairs.start) - from + unit - 1).div_euclid(unit);
        let most = most.min(pairs.end());
        let fit = (most - from - first * unit).max(0) / tile;
        let strips = |pairs: i64| (pairs + into + width - 1) / width;
        let spans = (0..=FEWER.min(fit - 1).max(0)).flat_map(|fewer| {
            let len = (fit - fewer) * tile;
            let last = (most - len - from).div_euclid(unit);
            (first..=last.max(first)).map(move |place| (from + place * unit, len))
        });
        let cost = |(start, len): &(i64, i64)| {
            let around = [start - pairs.start, pairs.end() - start - len];
            let (frame, inside) = FRAME_COST;
            let strips: i64 = around.iter().map(|pairs| strips(*pairs)).sum();
            (len * inside + strips * width * frame, (around[0] - around[1]).abs())
        };
        let best = spans.min_by_key(cost);
        best.map_or(span(pairs.start, pairs.start), |(start, len)| span(start, start + len))
    }
}

/// Where lanes begin of strips for pairs of the finer level from `first` on, which is a number of their units from all.
pub(super) fn begin(strip: &Strip, jobs: &[Job], first: i64) -> i64 {
    let all = jobs[0].axes[1].pairs.start;
    first - strip.early() as i64 + strip.late(anchor(jobs), all)
}

/// The inside of a plane in pairs of the finer level, along the walk and across it, in whole tiles: each begins where lanes are
/// aligned, and the first one where memory is written from at once, if it can. `lead` is by how many pairs outputs begin
/// later than lanes; elements have so many `bytes`, and strips of the frame are `width` pairs wide.
pub(super) fn tiles_inside(
    strip: &Strip,
    jobs: &[Job],
    halo: Margin,
    lead: i64,
    bytes: usize,
    width: i64,
) -> Option<[Span; 2]> {
    let job = &jobs[0];
    let [down, across] = job.inside?.bounds();
    // The frame of one level reaches as far into the inside as that of the other one reads.
    let grid = |axis: usize, unit: i64, width: i64| {
        let (pairs, tile) = (job.axes[axis].pairs, job.axes[axis].tile);
        let into = 2 * i64::from(halo.before[axis].max(halo.after[axis]));
        Grid { pairs, tile, from: pairs.start, unit, width, into }
    };
    // Rows stand in whole pairs of them.
    let rows = grid(0, 2, 1).within(down);
    let (all, unit) = (grid(1, strip.unit as i64, width), strip.unit as i64);
    let columns = match all.within(across) {
        // Without a frame beside it.
        whole if whole.len == all.pairs.len => whole,
        _ => {
            let crossed = &job.axes[1];
            // The element that a pair's first output is, and how many it has there.
            let (place, each) = match strip.output {
                Side::Bands => (job.bands[1].offset - crossed.high.start, 1),
                Side::Signal => (job.signal.offset - crossed.signal.start, 2),
            };
            let burst = (BURST / bytes).max(1) as i64;
            let first = begin(strip, jobs, all.pairs.start) + lead;
            let aligned = |units: &i64| (place + each * (first + units * unit)) % burst == 0;
            let (late, unit) = match (0..burst).find(aligned) {
                Some(units) => (units * unit, ((burst / each).max(1) + unit - 1) / unit * unit),
                None => (0, unit),
            };
            Grid { from: all.from + late, unit, ..all }.within(across)
        }
    };
    Some([rows, columns])
}

#[cfg(test)]
mod tests {
    use super::{Grid, span};

    #[test]
    fn tiles_inside_lie_within_their_bounds_where_they_may_begin() {
        let grid =
            |width| Grid { pairs: span(-4, 4092), tile: 232, from: 4, unit: 16, width, into: 8 };
        for bounds in [[-20, 4080], [12, 4084], [13, 300], [600, 700], [4092, 4092], [9, -9]] {
            for width in [1, 58] {
                let found = grid(width).within(bounds);
                assert_eq!(found.len % 232, 0, "{bounds:?}");
                if found.len == 0 {
                    assert!(bounds[1] - bounds[0].max(4) < 232 + 16, "{bounds:?}");
                    continue;
                }
                assert_eq!((found.start - 4).rem_euclid(16), 0, "{bounds:?}");
                assert!(bounds[0] <= found.start && found.end() <= bounds[1], "{bounds:?}");
            }
        }
        // All that fits, where nothing of a frame's strips is left over, and otherwise about the middle.
        let narrow = grid(1).within([12, 4084]);
        assert_eq!(narrow.len, 17 * 232);
        assert!(((narrow.start + 4) - (4092 - narrow.end())).abs() <= 16, "{narrow:?}");
        // One tile fewer, where the frame's strips have room for it.
        let grid = Grid { pairs: span(0, 1000), tile: 100, from: 0, unit: 1, width: 140, into: 0 };
        assert_eq!(grid.within([10, 990]).len, 800);
    }
}
