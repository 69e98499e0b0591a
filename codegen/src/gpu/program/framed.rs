//! Two levels in one launch of strips inside their arrays, whatever stands beyond the ends: there, every level extends
//! what it reads in its own way, so the frame around is made a level at a time.
//!
//! Forward, the finer level makes its frame and as much of the inside as the next level's frame reads, the next level
//! makes its frame, and the strips of both make the inside; an inverse does the same from the other end. Where the
//! finer level's frame and the strips overlap, both write the same details, and those of the strips, which come later, stay.

use super::super::strip::Strip;
use super::deep::{Deep, Tier};
use super::jobs::OutputSide;
use super::levels::{anchor, apart_from_ends, beyond, span};
use super::passes::channel_of;
use super::{Array, Builder, ProgramError};
use crate::kernel::{Margin, Side};
use waveloom_wavelets::geometry::{AxisGeometry, Span};

/// Pairs of a level along the walk and across it.
pub(super) type Area = [Span; 2];

/// What is made a level at a time, of the finer level and of the next one.
pub(super) struct Frame {
    pub(super) levels: [Vec<Area>; 2],
}

/// The frame is at most this share of all pairs, unless two levels are asked for.
const SHARE: (i64, i64) = (1, 6);

/// Bytes that memory reads and writes at once: a strip that begins elsewhere shares them with its neighbour.
const BURST: usize = 64;

/// What a pair of a frame's strips is taken to cost beside one of the strips inside: it reads more rows twice.
const FRAME_COST: (i64, i64) = (5, 4);

/// Row pairs of a frame's walks, as measured beside the strips inside, which keep the card busy: shorter walks read more rows
/// twice, longer ones end late.
const PART_ROWS: i64 = 6;

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

impl Builder<'_> {
    /// Pairs of a strip of one level, of which the frame is made.
    fn frame_width(&mut self) -> Result<i64, ProgramError> {
        let order = self.order();
        let axes = self.request.axes;
        let forward = self.request.operation.input() == Side::Signal;
        let level = self.strips((axes[order[0]] < axes[order[1]]) != forward)?;
        Ok(self.kernels[level].strip().map_or(1, |strip| strip.useful() as i64))
    }

    /// Two levels in strips inside, if they are worth it.
    pub(super) fn framed(&mut self, tiers: &[Tier]) -> Result<Option<Deep>, ProgramError> {
        let operation = self.request.operation;
        let Some([finer, next]) = tiers.first_chunk() else { return Ok(None) };
        let asked = self.request.strategy.deep;
        if operation.is_adjoint() || asked.is_some_and(|deep| deep < 2) || !self.is_plane(tiers) {
            return Ok(None);
        }
        let Some(mut deep) = self.strips_of(&tiers[..2])? else { return Ok(None) };
        let width = self.frame_width()?;
        let proved = &self.kernels[deep.kernel];
        let Some(strip) = proved.strip() else { return Ok(None) };
        // Pairs by which a level's outputs begin later than its lanes do; where columns of several kinds differ in that,
        // what is inside would, too.
        let lead = |strip: &Strip| {
            let leads = strip.alignment.unwrap_or_default().leads(strip.output);
            (leads[0] == leads[1]).then_some(i64::from(leads[0]))
        };
        let leads = strip.levels().map(lead).collect::<Option<Vec<i64>>>();
        let Some(leads) = leads else { return Ok(None) };
        // Strips that begin with the first pair that they write stand where they did.
        if strip.leads().into_iter().any(|lead| i64::from(lead) > leads[0]) || leads[0] < 0 {
            return Ok(None);
        }
        let halo = proved.kernel().halo;
        let shift = strip.deeper.as_ref().and_then(|next| next.across.as_ref());
        let shift = shift.map_or(0, |across| i64::from(across.shift));
        // The inside in pairs of the finer level, in whole tiles, each of which begins where lanes are aligned, and
        // the first one where memory is written from at once, if it can.
        let job = &deep.jobs[0];
        let Some(inside) = job.inside else { return Ok(None) };
        let [walked, crossed] = [0, 1].map(|axis| &job.axes[axis]);
        let begin = |first: i64| {
            first - strip.early() as i64 + strip.late(anchor(&deep.jobs), crossed.pairs.start)
        };
        // Rows stand in whole pairs of them.
        let (rows, columns) = (walked.pairs, crossed.pairs);
        let burst = (BURST / self.request.element.bytes()).max(1) as i64;
        let (unit, start) = (strip.unit as i64, begin(columns.start));
        // The element that a pair's first output is, and how many it has there.
        let (place, each) = match operation.output() {
            Side::Bands => (job.bands[1].offset - crossed.high.start, 1),
            Side::Signal => (job.signal.offset - crossed.signal.start, 2),
        };
        let aligned = |units: &i64| (place + each * (start + leads[0] + units * unit)) % burst == 0;
        let (from, step) = match (0..burst).find(aligned) {
            Some(units) => (units * unit, ((burst / each).max(1) + unit - 1) / unit * unit),
            None => (0, unit),
        };
        // The frame of one level reaches as far into the inside as that of the other one reads.
        let into = |place: usize| 2 * i64::from(halo.before[place].max(halo.after[place]));
        let rows = Grid {
            pairs: rows,
            tile: walked.tile,
            from: rows.start,
            unit: 2,
            width: 1,
            into: into(0),
        };
        let all = Grid {
            pairs: columns,
            tile: crossed.tile,
            from: columns.start,
            unit,
            width,
            into: into(1),
        };
        let [down, across] = inside.bounds();
        let tiles = [
            rows.within(down),
            match all.within(across) {
                // Without a frame beside it.
                whole if whole.len == columns.len => whole,
                _ => Grid { from: columns.start + from, unit: step, ..all }.within(across),
            },
        ];
        let [rows, columns] = [0, 1].map(|axis| tiles[axis].len as i64 / job.axes[axis].tile);
        let lanes = [tiles[0], Span { start: begin(tiles[1].start), ..tiles[1] }];
        let inside = [lanes[0], Span { start: lanes[1].start + leads[0], ..lanes[1] }];
        let order = self.walked_first();
        let pairs = |tier: &Tier| order.map(|axis| tier.geometry[axis].pairs(operation.output()));
        let area = |area: &Area| area.iter().map(|span| span.len as i64).product::<i64>();
        let all = pairs(finer);
        let (part, whole) = SHARE;
        let around = area(&all) - area(&inside);
        if area(&inside) == 0 || (asked.is_none() && around * whole > area(&all) * part) {
            return Ok(None);
        }
        let margin = |place: usize| {
            let Margin { before, after } = halo;
            [i64::from(before[place]), i64::from(after[place])]
        };
        let geometry = |tier: &Tier, place: usize| -> AxisGeometry { tier.geometry[order[place]] };
        // Pair `k` of the finer level's approximations is position `k - late` of the next one's signal.
        let late =
            |place: usize| geometry(finer, place).low.start - geometry(next, place).signal.start;
        let holes: [Area; 2] = match operation.output() {
            Side::Bands => {
                let halved = |place: usize| {
                    let half = |k: i64| (k - late(place)).div_euclid(2);
                    let (start, end) = (half(lanes[place].start), half(lanes[place].end()));
                    let by = if place == 1 { shift + leads[1] } else { 0 };
                    Span { start: start + by, len: (end - start) as usize }
                };
                let coarse = [halved(0), halved(1)];
                // What the next level's frame does not read.
                let unread = |place: usize| {
                    let [before, after] = margin(place);
                    let start = 2 * (coarse[place].start + after) + late(place);
                    let end = 2 * (coarse[place].end() - before) + late(place);
                    let unread = [start.max(inside[place].start), end.min(inside[place].end())];
                    let [start, end] = match covers(&coarse, &pairs(next)) {
                        true => unread,
                        false => {
                            let input = geometry(next, place).signal;
                            let beyond = beyond(input, pairs(next)[place], [before, after]);
                            apart_from_ends(unread, all[place], beyond)
                        }
                    };
                    span(start, end)
                };
                for (axis, span) in deep.jobs[1].axes.iter_mut().zip(coarse) {
                    axis.pairs = span;
                }
                [[unread(0), unread(1)], coarse]
            }
            Side::Signal => {
                let unread = |place: usize| {
                    let [before, after] = margin(place);
                    let start = inside[place].start + after - late(place);
                    let end = inside[place].end() - before - late(place);
                    let unread = [(start + 1).div_euclid(2), end.div_euclid(2)];
                    let [start, end] = match covers(&inside, &all) {
                        true => unread,
                        false => {
                            let input = geometry(finer, place).bands();
                            let beyond = beyond(input, all[place], [before, after]);
                            apart_from_ends(unread, pairs(next)[place], beyond)
                        }
                    };
                    span(start, end)
                };
                [inside, [unread(0), unread(1)]]
            }
        };
        let job = &mut deep.jobs[0];
        for (axis, (span, count)) in
            job.axes.iter_mut().zip(inside.into_iter().zip([rows, columns]))
        {
            (axis.pairs, axis.tiles) = (span, count);
        }
        let areas = |tier: &Tier, hole: &Area| around_hole(&pairs(tier), hole);
        let levels = [areas(finer, &holes[0]), areas(next, &holes[1])];
        if let Some(inside) = &mut job.inside {
            inside.everywhere = true;
            // The second launch of a frame awaits the first one, and touches nothing that the inside does.
            inside.beside = levels.iter().all(|areas| !areas.is_empty());
        }
        deep.frame = Some(Frame { levels });
        Ok(Some(deep))
    }

    /// Whether these are two levels of planes, of which strips can walk both.
    fn is_plane(&self, tiers: &[Tier]) -> bool {
        let order = self.order();
        tiers[..2].iter().all(|tier| {
            order.len() == 2
                && self.crossing(&tier.geometry, &tier.signal, &order) == Some(0)
                && tier.geometry.iter().all(|axis| axis.single.is_none() && axis.signal.len > 0)
        })
    }

    /// The two transformed axes, the one that is walked first.
    fn walked_first(&self) -> [usize; 2] {
        let axes = self.request.axes;
        match axes {
            [first, second] if first > second => [1, 0],
            _ => [0, 1],
        }
    }

    /// The launches of the frame.
    pub(super) fn launch_frame(
        &mut self,
        frame: &Frame,
        tiers: &[Tier],
    ) -> Result<(), ProgramError> {
        let mut levels = [0, 1];
        if self.request.operation.output() == Side::Signal {
            levels.reverse();
        }
        let order = self.order();
        for level in levels {
            if frame.levels[level].is_empty() {
                continue;
            }
            let Tier { geometry, signal, bands } = &tiers[level];
            let quarters: Vec<Array> =
                (0..4).map(|letters| bands[channel_of(letters, &order, 2)].clone()).collect();
            let (axes, whole) = ([order[0], order[1]], std::slice::from_ref(signal));
            self.cross(axes, geometry, whole, &quarters, &frame.levels[level])?;
        }
        Ok(())
    }
}

/// Row pairs of a walk through a part of so many: walks are of one length, near what was measured.
pub(super) fn rows_of_part(strip: &Strip, pairs: i64) -> i64 {
    rows_near(PART_ROWS.max(strip.beyond() as i64), pairs)
}

/// The length of so many pairs of rows in walks of one, an even number near that.
fn rows_near(wanted: i64, pairs: i64) -> i64 {
    let walks = ((pairs + wanted / 2) / wanted).max(1);
    let rows = (pairs + walks - 1) / walks;
    rows + rows % 2
}

/// Whether a hole leaves nothing.
fn covers(hole: &Area, all: &Area) -> bool {
    hole.iter().zip(all).all(|(hole, all)| hole.start <= all.start && hole.end() >= all.end())
}

/// All pairs without those of a hole: above and below it, and beside it.
fn around_hole(all: &Area, hole: &Area) -> Vec<Area> {
    let [rows, columns] = *all;
    if hole.iter().any(|span| span.len == 0) {
        return vec![*all];
    }
    let areas = [
        [span(rows.start, hole[0].start), columns],
        [span(hole[0].end(), rows.end()), columns],
        [hole[0], span(columns.start, hole[1].start)],
        [hole[0], span(hole[1].end(), columns.end())],
    ];
    areas.into_iter().filter(|area| area.iter().all(|span| span.len > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Grid, PART_ROWS, around_hole, rows_near, span};

    #[test]
    fn a_frame_and_its_hole_are_the_whole() {
        let all = [span(-2, 9), span(0, 12)];
        for hole in [[span(1, 6), span(3, 9)], [span(-2, 9), span(4, 6)], [span(0, 0), span(1, 2)]]
        {
            let frame = around_hole(&all, &hole);
            for row in -2..9 {
                for column in 0..12 {
                    let within = |area: &[_; 2]| {
                        let [rows, columns] = *area;
                        let of = |span: waveloom_wavelets::geometry::Span, k| {
                            (span.start..span.end()).contains(&k)
                        };
                        of(rows, row) && of(columns, column)
                    };
                    let times = frame.iter().chain([&hole]).filter(|area| within(area)).count();
                    assert_eq!(times, 1, "{row} {column} {hole:?}");
                }
            }
        }
    }

    #[test]
    fn walks_of_a_part_are_of_one_length() {
        for beyond in [0, 4, 9] {
            let wanted = beyond.max(PART_ROWS);
            for pairs in [0, 1, 2, 7, 8, 9, 10, 100, 4056, i64::from(i32::MAX)] {
                let rows = rows_near(wanted, pairs);
                assert_eq!(rows % 2, 0, "{pairs}");
                if pairs > 0 {
                    let walks = (pairs + rows - 1) / rows;
                    assert!(rows >= 2 && walks * rows - pairs < rows, "{pairs} {rows}");
                    assert!(rows <= wanted + wanted / 2 + 2, "{pairs} {rows}");
                }
            }
        }
    }

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
