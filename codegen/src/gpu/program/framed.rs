//! Two levels in one launch of strips inside their arrays, whatever stands beyond the ends: there, every level extends
//! what it reads in its own way, so the frame around is made a level at a time.
//!
//! Forward, the finer level makes its frame and as much of the inside as the next level's frame reads, the next level
//! makes its frame, and the strips of both make the inside; an inverse does the same from the other end. Where the
//! finer level's frame and the strips overlap, both write the same details, and those of the strips, which come later, stay.

use super::super::strip::Strip;
use super::deep::{Deep, Tier};
use super::inside::{begin, tiles_inside};
use super::jobs::OutputSide;
use super::levels::{apart_from_ends, beyond, span};
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

/// Row pairs of a frame's walks, as measured beside the strips inside, which keep the card busy: shorter walks read more rows
/// twice, longer ones end late.
const PART_ROWS: i64 = 6;

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
        let Some(mut deep) = self.strips_of(&tiers[..2], false)? else { return Ok(None) };
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
        // The inside in pairs of the finer level.
        let job = &deep.jobs[0];
        let bytes = self.request.element.bytes();
        let Some(tiles) = tiles_inside(strip, &deep.jobs, halo, leads[0], bytes, width) else {
            return Ok(None);
        };
        let [rows, columns] = [0, 1].map(|axis| tiles[axis].len as i64 / job.axes[axis].tile);
        let lanes =
            [tiles[0], Span { start: begin(strip, &deep.jobs, tiles[1].start), ..tiles[1] }];
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
    pub(super) fn is_plane(&self, tiers: &[Tier]) -> bool {
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
    use super::{PART_ROWS, around_hole, rows_near, span};

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
}
