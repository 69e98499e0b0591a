//! Which strips certainly lie inside all arrays of their job: these are a launch of their own.
//!
//! What a strip touches is bounded from its shape alone, generously where that costs nothing; a strip that
//! is taken for one at an end merely runs a function that can do ends, too.

use super::round::LONGEST;
use super::{Beside, Strip};
use crate::gpu::abi::{Job, JobAxis, View};
use crate::gpu::program::jobs;
use crate::kernel::{Margin, Side};
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::Span;

/// How far strips reach beyond their tiles and how far they may. First along the walk, in pairs of rows;
/// then beside it, in pairs across lanes, or in lanes where columns are the batch; last along the middle one of
/// three axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// What a tile touches before its first and after its last pair.
    pub reach: [[i64; 2]; 3],
    /// What exists in all arrays: first and one past the last.
    pub exists: [[i64; 2]; 3],
    /// Levels of a strip.
    pub levels: usize,
    /// Strips of a block's tile, side by side, that are numbered one by one: blocks of either part are made of any of
    /// them. One, where blocks are numbered.
    pub strips: i64,
    /// The same of those at an end, where blocks inside are numbered and may begin with any strip.
    pub strips_at_ends: i64,
    /// Whether lines begin anew beyond their ends and the strips' kernel makes use of that.
    pub wraps: bool,
    /// Whether the job is of tiles that are known to lie inside, all of them.
    pub everywhere: bool,
    /// Whether they may then run beside the launch before, which has awaited all that came earlier.
    pub beside: bool,
    /// Whether walks at ends are as long as others, because other launches keep the card busy.
    pub uncut: bool,
}

impl Inside {
    /// Along the walk and beside it: the first pair of a tile that lies inside all arrays, at least, and one past the last one.
    pub(in crate::gpu) fn bounds(&self) -> [[i64; 2]; 2] {
        [0, 1].map(|direction| {
            let ([before, after], [least, most]) = (self.reach[direction], self.exists[direction]);
            [least + before, most - after]
        })
    }
}

/// The place of an axis among the directions of [`Inside`].
fn direction(axis: usize, axes: usize) -> usize {
    match (axis, axes) {
        (0, _) => 0,
        (1, 3) => 2,
        _ => 1,
    }
}

/// Blocks of one launch in two parts: of strips that may touch an end, and of strips that do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Blocks of either part.
    pub blocks: [i64; 2],
    /// The words of `struct Parts`.
    pub words: Vec<i64>,
    /// What stands beyond the ends: the blocks at an end are for a function that knows nothing else.
    pub ends: Ends,
    /// Whether this function needs buffers that are aligned as blocks inside their arrays do.
    pub wraps: bool,
    /// Whether blocks inside may run beside the launch before although no block at an end has awaited what came earlier.
    pub beside: bool,
    /// Whether the function for blocks at an end can run all others, too.
    pub whole: bool,
}

/// What stands beyond the ends of all arrays of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// Copies of elements less than a line's length away, or nothing.
    Copies,
    /// Sums of such copies and of the elements at the ends.
    Sums,
    /// Copies or sums of elements that may be further away.
    Any,
}

/// Words of `struct Part`: strips (or blocks, as they are numbered) at ends and inside; the first tile inside and how many
/// there are along the walk, and the first strip (or block) and how many beside it; into how many pieces a tile at an end
/// is cut, and how far each walks. With three axes `first2` and `tiles2` follow: the middle one.
pub const PART_FIELDS: [&str; 8] =
    ["ends", "inside", "first0", "tiles0", "first1", "tiles1", "pieces", "walk"];

/// Those of a job along so many axes.
pub fn part_fields(axes: usize) -> Vec<&'static str> {
    let middle: &[&str] = if axes == 3 { &["first2", "tiles2"] } else { &[] };
    PART_FIELDS.iter().chain(middle).copied().collect()
}

/// The shortest line of which a lane's neighbouring elements stand beyond one end at most: these are at most so many.
const SUMMED: usize = 8; // `SHORTEST` in ends.cuh

/// The fewest pairs of rows of a piece of a tile at an end: these walks are slower than others, and should
/// not be waited for. At least [`PIECE_REACH`] times what a walk reads beyond its tile.
const PIECE: i64 = 16;

/// See [`PIECE`].
const PIECE_REACH: i64 = 2;

/// Walks at the ends are shorter where these are fewer blocks, which would leave schedulers idle, down to so many
/// pairs of rows.
const ENDS_BLOCKS: i64 = 528;
const LEAST_PIECE: i64 = 2;

/// Words of `struct Parts`: whether there are two, and for each job those of [`part_fields`].
pub const fn part_words(axes: usize) -> usize {
    let middle = if axes == 3 { 2 } else { 0 };
    1 + jobs(axes) * (PART_FIELDS.len() + middle)
}

/// Blocks of a launch of these jobs; if `apart`, of two launches.
pub fn parts(all: &[Job], apart: bool) -> Parts {
    let axes = all.first().map_or(1, |job| job.axes.len());
    // Of several levels in a strip, the first one's job knows.
    let mut known = all.iter().filter_map(|job| job.inside).peekable();
    let wraps = known.peek().is_some() && known.all(|inside| inside.wraps);
    // Blocks of volumes are alike where lines begin anew.
    let apart = apart && !(wraps && axes == 3);
    let first = all.iter().find_map(|job| job.inside);
    let [strips, single] = first.map_or([1; 2], |inside| [inside.strips, inside.strips_at_ends]);
    // Strips of what is numbered inside.
    let each = single / strips;
    let (mut ends, mut insides, mut words) = (0, 0, vec![i64::from(apart)]);
    for job in all {
        let interior = if apart { job.interior_in(single) } else { [[0; 2]; 3] };
        let [[first0, tiles0], [first1, tiles1], [first2, tiles2]] = interior;
        let others = tiles0 * tiles2 * job.outer.iter().product::<i64>();
        let inside = others * ((tiles1 + each - 1) / each);
        let tile = job.axes[0].tile.max(1);
        // Steps of next levels take two pairs.
        let reach: i64 = job.inside.map_or(0, |inside| inside.reach[0].iter().sum());
        let most = PIECE.max(PIECE_REACH * reach).min(tile);
        let at_ends = job.blocks() * single - others * tiles1;
        let few = at_ends / single * tile / ENDS_BLOCKS;
        let uncut = job.inside.is_some_and(|inside| inside.uncut);
        let piece = match job.inside.map_or(1, |inside| inside.levels) {
            _ if uncut => tile,
            1 => few.clamp(LEAST_PIECE.min(most), most),
            // What several levels read twice is more than what walks that end earlier are worth.
            _ => most,
        };
        // Where lines begin anew, walks at the ends are as fast as others.
        let pieces = if apart && !wraps { (tile / piece).max(1) } else { 1 };
        let walk = (tile + pieces - 1) / pieces;
        let walk = walk + walk % 2;
        let pieces = (tile + walk - 1) / walk;
        let at_ends = at_ends * pieces;
        words.extend([at_ends, inside]);
        words.extend([first0, tiles0, first1, tiles1, pieces, walk]);
        if axes == 3 {
            words.extend([first2, tiles2]);
        }
        (ends, insides) = (ends + at_ends, insides + inside);
    }
    words.resize(part_words(axes), 0);
    // Along three axes there is no function for anything else.
    let beyond = match axes == 3 || wraps {
        true => Ends::Copies,
        false => ends_of(all),
    };
    let beside = all.iter().any(|job| job.inside.is_some_and(|inside| inside.beside));
    let blocks = [(ends + single - 1) / single, (insides + strips - 1) / strips];
    Parts { blocks, words, ends: beyond, wraps, beside, whole: true }
}

/// What stands beyond the ends of all arrays of these jobs, as far as their strips reach.
pub(in crate::gpu) fn ends_of(all: &[Job]) -> Ends {
    let axes = all.first().map_or(1, |job| job.axes.len());
    let reach = |axis: usize| {
        let inside = all.iter().filter_map(|job| job.inside);
        inside.flat_map(|inside| inside.reach[direction(axis, axes)]).max().unwrap_or(0)
    };
    let reach: Vec<i64> = (0..axes).map(reach).collect();
    all.iter().map(|job| job.ends(&reach)).max().unwrap_or(Ends::Copies)
}

impl Job {
    /// Whether elements up to so many pairs (and the other of the last one) beyond the ends of every axis are copies
    /// of others, less than a line's length away, or nothing.
    pub(in crate::gpu) fn copies(&self, reach: &[i64]) -> bool {
        self.ends(reach) == Ends::Copies
    }

    /// What elements up to so many pairs (and the other of the last one) beyond the ends of every axis are.
    pub(in crate::gpu) fn ends(&self, reach: &[i64]) -> Ends {
        use ExtensionKind::{Antireflect, Antisymmetric, Smooth, Zero};
        if self.inside.is_some_and(|inside| inside.everywhere) {
            return Ends::Copies;
        }
        let of = |(axis, reach): (&JobAxis, &i64)| {
            // Pairs may stand beyond the ends themselves.
            let before = axis.signal.start.max(axis.bands.start) - 2 * axis.pairs.start;
            let after = 2 * axis.pairs.end() - axis.signal.end().min(axis.bands.end());
            let over = before.max(after).max(0);
            let (least, most) =
                (axis.signal.len.min(axis.bands.len), axis.signal.len.max(axis.bands.len));
            let near = 2 * (reach + 2) + over < least as i64 && most < LONGEST;
            match axis.extension {
                Zero => Ends::Copies,
                Smooth | Antisymmetric | Antireflect if near && least >= SUMMED => Ends::Sums,
                Smooth | Antisymmetric | Antireflect => Ends::Any,
                _ if near => Ends::Copies,
                _ => Ends::Any,
            }
        };
        self.axes.iter().zip(reach).map(of).max().unwrap_or(Ends::Copies)
    }

    /// The first tile that lies inside all arrays, and how many do, in every direction; beside the walk in strips, of which a
    /// tile has so many.
    fn interior_in(&self, strips: i64) -> [[i64; 2]; 3] {
        let nowhere = [[0; 2]; 3];
        let Some(inside) = &self.inside else { return nowhere };
        let tiles = |axis: &JobAxis| (axis.pairs.start, axis.pairs.end(), axis.tile, axis.tiles);
        let (beside, middle) = match self.axes.as_slice() {
            [_, middle, beside] => (tiles(beside), tiles(middle)),
            [_, beside] => (tiles(beside), (0, 1, 1, 1)),
            _ => ((0, self.lanes, self.lane_tile, self.lane_tiles), (0, 1, 1, 1)),
        };
        let walk = tiles(&self.axes[0]);
        let mut found = nowhere;
        for (direction, (start, end, tile, tiles)) in [walk, beside, middle].into_iter().enumerate()
        {
            let each = if direction == 1 { strips } else { 1 };
            let (tile, tiles) = ((tile / each).max(1), tiles * each);
            if inside.everywhere {
                found[direction] = [0, tiles];
                continue;
            }
            let [before, after] = inside.reach[direction];
            let [least, most] = inside.exists[direction];
            let (least, most) = (least.max(start), most.min(end));
            let first = ((least - start + before + tile - 1) / tile).clamp(0, tiles);
            let last = (most - start - after).div_euclid(tile).clamp(first, tiles);
            if last == first {
                return nowhere;
            }
            found[direction] = [first, last - first];
        }
        found
    }
}

impl Strip {
    /// What tells which blocks lie inside; `jobs` are the levels of the strip, finest first, cut already
    /// with this `anchor`. Nothing, for kernels that have one function for all.
    pub(in crate::gpu) fn inside_of(
        &self,
        jobs: &[Job],
        anchor: i64,
        bytes: usize,
    ) -> Option<Inside> {
        let job = jobs.first().filter(|_| self.parted())?;
        let nowhere = [0; 2];
        let mut exists = [[i64::MIN / 4, i64::MAX / 4]; 3];
        let mut offset = [0; 3];
        for (level, deeper) in jobs.iter().enumerate() {
            for (place, axis) in deeper.axes.iter().enumerate() {
                let direction = direction(place, deeper.axes.len());
                if level > 0 {
                    let finer = &jobs[level - 1].axes[place];
                    offset[direction] +=
                        (finer.low.start - axis.signal.start) << (level as u32 - 1);
                }
                let halves =
                    |span: Span| [(span.start + 1).div_euclid(2), span.end().div_euclid(2)];
                let whole = |span: Span| [span.start, span.end()];
                for [first, end] in
                    [halves(axis.signal), whole(axis.low), whole(axis.high), whole(axis.pairs)]
                {
                    let exists = &mut exists[direction];
                    exists[0] = exists[0].max((first << level) + offset[direction]);
                    exists[1] = exists[1].min((end << level) + offset[direction]);
                }
            }
        }
        if self.across.is_none() {
            exists[1] = if self.aligned(job, bytes) { [0, job.lanes] } else { nowhere };
        }
        let first = job.axes.last().map_or(0, |axis| axis.pairs.start);
        let early = self.early() as i64 - self.late(anchor, first);
        let middle = self.beside.as_ref().map_or([0; 2], Beside::reach);
        let reach = [self.reach_of_walk(), self.reach_beside(early), middle];
        Some(Inside {
            reach,
            exists,
            levels: jobs.len(),
            strips: self.abreast() as i64,
            strips_at_ends: self.abreast_at_ends() as i64,
            wraps: self.wraps,
            everywhere: false,
            beside: false,
            uncut: false,
        })
    }

    /// Pairs beyond the ends of every axis from which outputs are made, with three axes.
    pub(in crate::gpu) fn needed(&self, halo: &Margin) -> [i64; 3] {
        let most = |[before, after]: [i64; 2]| before.max(after).max(0);
        let middle = self.beside.as_ref().map_or([0; 2], Beside::reach);
        let across = [halo.before[2], halo.after[2]].map(i64::from);
        [most(self.reach_of_walk()), most(middle), most(across)]
    }

    /// Pairs of rows before and after a tile, whichever way it is walked.
    fn reach_of_walk(&self) -> [i64; 2] {
        let mut reach = self.reach_on_its_way();
        if let Some(upward) = &self.upward {
            let [after, before] = upward.reach_on_its_way();
            reach = [reach[0].max(before), reach[1].max(after)];
        }
        reach
    }

    /// Pairs of rows before a walk's first and after its last one of a tile.
    fn reach_on_its_way(&self) -> [i64; 2] {
        let Some(along) = &self.along else { return [0; 2] };
        // The next level of an inverse reads rows, too, of twice as many; that of a forward transform has its
        // rows from this one.
        let next = match (self.output, &self.deeper) {
            (Side::Signal, Some(deeper)) => deeper.reach_on_its_way().map(|pairs| 2 * (pairs + 1)),
            _ => [0; 2],
        };
        let (own, around) = (along.reach(), self.around());
        [0, 1].map(|side| (own[side] + around[side] as i64).max(0) + next[side])
    }

    /// Pairs across lanes before and after a tile, if strips begin so many before it.
    fn reach_beside(&self, early: i64) -> [i64; 2] {
        let Some(across) = &self.across else { return [0; 2] };
        let (pairs, shift) = (self.pairs as i64, i64::from(across.shift));
        let lead = match self.alignment {
            Some(alignment) => i64::from(alignment.most()),
            None if self.beside.is_some() => 0,
            // Rows are loaded from where they are aligned, and stored there.
            None => 2 * pairs + 2,
        };
        let next: i64 = self
            .levels()
            .enumerate()
            .skip(1)
            .filter_map(|(level, strip)| strip.across.as_ref().map(|next| (level, next)))
            .map(|(level, next)| i64::from(next.shift.abs()) << level)
            .sum();
        let spare = (self.lanes() - self.end_lane()) as i64;
        let levels = self.levels().count() as u32;
        let lead = (lead << (levels - 1)) + next;
        [
            self.first_lane() as i64 * pairs + early + shift.max(0) + lead,
            spare * pairs + (-shift).max(0) + lead,
        ]
    }

    /// Whether all rows of a job whose columns are the batch are aligned as far as accesses are wide.
    pub(super) fn aligned(&self, job: &Job, bytes: usize) -> bool {
        let unit = self.columns().min(16 / bytes.max(1)) as i64;
        let outers = |view: &View| {
            job.outer.iter().zip(view.outer).all(|(n, stride)| *n == 1 || stride % unit == 0)
        };
        let fits =
            |view: &View| view.offset % unit == 0 && view.axes[0] % unit == 0 && outers(view);
        fits(&job.signal) && job.bands.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ends, PART_FIELDS};
    use crate::gpu::{LaunchKind, ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    fn launches(name: &str, shape: &[usize], mode: Mode, levels: usize) -> Vec<LaunchKind> {
        let wavelet = catalogue::wavelet(name).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let mut all = Vec::new();
        for operation in [Operation::Forward, Operation::Inverse] {
            let request = ProgramRequest {
                wavelet: &wavelet,
                kind: wavelet.default_scheme(axes.len()),
                shape,
                axes: &axes,
                mode,
                origins: &[],
                levels,
                align_rows: None,
                element: Element::F32,
                operation,
                strategy: Strategy { deep: Some(2), ..Strategy::STREAM },
            };
            all.extend(program(&request).unwrap().launches);
        }
        all
    }

    #[test]
    fn parts_are_the_whole() {
        for (name, shape) in
            [("irr97", &[8192_usize, 8192][..]), ("db4", &[100, 3000]), ("haar", &[7, 5])]
        {
            for mode in [Mode::Periodization, Mode::Symmetric] {
                for launch in launches(name, shape, mode, 3) {
                    let Some(together) = launch.parts(false) else { continue };
                    let [all, _] = launch.grid().unwrap();
                    assert_eq!(together.blocks, [all, 0]);
                    let apart = launch.parts(true).unwrap();
                    // Tiles at an end are several blocks.
                    assert!(apart.blocks.iter().sum::<i64>() >= all, "{name} {mode}");
                    assert_eq!(apart.words.len(), together.words.len());
                }
            }
        }
    }

    /// Launches of frames are not cut into shorter walks, those of whole planes are.
    #[test]
    fn walks_of_frames_are_not_cut() {
        let all = launches("irr97", &[8192, 8192], Mode::Jpeg2000, 4);
        let pieces = |launch: &LaunchKind| {
            let words = launch.parts(true).unwrap().words;
            words[1 + PART_FIELDS.iter().position(|field| *field == "pieces").unwrap()]
        };
        let inside = |launch: &LaunchKind| match launch {
            LaunchKind::Transform { jobs, .. } => jobs.iter().find_map(|job| job.inside).unwrap(),
            _ => panic!("{launch:?}"),
        };
        assert_eq!(
            all.iter().filter(|launch| inside(launch).uncut).count(),
            4,
            "one a level, forward"
        );
        for launch in &all {
            let cut = !inside(launch).uncut && inside(launch).levels == 1;
            assert_eq!(pieces(launch) > 1, cut, "{launch:?}");
        }
    }

    #[test]
    fn ends_are_copies_or_sums_where_lines_are_long_enough() {
        for (mode, shape, ends) in [
            (Mode::Symmetric, [64, 300], Ends::Copies),
            (Mode::Smooth, [64, 300], Ends::Sums),
            (Mode::Antisymmetric, [64, 7], Ends::Any),
            (Mode::Reflect, [5, 300], Ends::Any),
        ] {
            let parts = launches("irr97", &shape, mode, 1).remove(0).parts(true).unwrap();
            assert_eq!(parts.ends, ends, "{mode} {shape:?}");
        }
    }

    /// Of several levels, too, tiles inside are walked up and down in turn.
    #[test]
    fn walks_of_several_levels_go_both_ways() {
        for name in ["irr97", "bior2.2"] {
            for launch in launches(name, &[1024, 1024], Mode::Periodization, 2) {
                let LaunchKind::Transform { jobs, .. } = &launch else { panic!("{launch:?}") };
                assert_eq!(jobs.len(), 2, "{name}");
                let words = launch.parts(true).unwrap().words;
                let tiles = words[1 + PART_FIELDS.iter().position(|f| *f == "tiles0").unwrap()];
                assert!(tiles > 2, "{name} {tiles}");
            }
        }
    }

    #[test]
    fn most_blocks_of_a_large_image_are_inside_and_all_where_nothing_is_read_beyond() {
        let first = |name: &str| launches(name, &[8192, 8192], Mode::Periodization, 1).remove(0);
        let [ends, inside] = first("irr97").parts(true).unwrap().blocks;
        assert!(ends > 0 && inside > 4 * ends, "{ends} {inside}");
        let [ends, inside] = first("haar").parts(true).unwrap().blocks;
        assert!(ends == 0 && inside > 0, "{ends} {inside}");
    }
}
