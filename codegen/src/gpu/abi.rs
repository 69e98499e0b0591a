//! The parameters of every launch: the three buffers' addresses, then jobs as 64-bit words.
//!
//! The CUDA text declares `struct Job` from [`job_fields`]; the host packs the same words with
//! [`Job::words`]. Both follow this file and nothing else.

use super::mapping::Alignment;
use super::program::Buffer;
use super::stretch::Rim;
use super::strip::Inside;
use waveloom_wavelets::extension::ExtensionKind;
use waveloom_wavelets::geometry::Span;

/// Batch dimensions that a job can have outside its lanes: before, and between, the transformed axes.
pub const OUTERS: usize = 3;

/// An array seen by a job: where it begins and how many elements apart neighbours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Which buffer, and the first element's index in it.
    pub buffer: Buffer,
    /// First element.
    pub offset: i64,
    /// Stride of each batch dimension.
    pub outer: [i64; OUTERS],
    /// Stride of each transformed axis.
    pub axes: [i64; 3],
}

/// One axis of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobAxis {
    /// Frame positions of the signal.
    pub signal: Span,
    /// Indices of the approximation.
    pub low: Span,
    /// Indices of the detail.
    pub high: Span,
    /// Frame positions of the interleaved bands.
    pub bands: Span,
    /// Output pairs.
    pub pairs: Span,
    /// How the input goes on beyond its ends.
    pub extension: ExtensionKind,
    /// Blocks along this axis.
    pub tiles: i64,
    /// Output pairs of a block along this axis: where a kernel may walk any distance, this one.
    pub tile: i64,
}

/// One transform of all lines of one array along the kernel's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The signal side.
    pub signal: View,
    /// The bands, one per channel.
    pub bands: Vec<View>,
    /// Geometry per axis.
    pub axes: Vec<JobAxis>,
    /// Extents of the batch dimensions (1 where unused).
    pub outer: [i64; OUTERS],
    /// Extent of the contiguous batch dimension inside the axes.
    pub lanes: i64,
    /// Blocks along the lanes.
    pub lane_tiles: i64,
    /// Lanes of a block.
    pub lane_tile: i64,
    /// Whether the job is cut into strips, whose blocks are numbered over all jobs of a launch.
    pub strips: bool,
    /// Of strips whose kernel has several functions: which blocks are inside their arrays.
    pub inside: Option<Inside>,
    /// Of walks along lines: what these leave out.
    pub rim: Option<Rim>,
}

impl Job {
    /// Number of blocks.
    pub fn blocks(&self) -> i64 {
        let tiles: i64 = self.axes.iter().map(|axis| axis.tiles).product();
        tiles * self.lane_tiles * self.outer.iter().product::<i64>()
    }

    /// Where, along the last axis, all rows are aligned for accesses of a lane that has so many pairs and
    /// moves at most so many elements at once; `None` if rows differ in that.
    pub fn alignment(&self, pairs: i64, elements: i64) -> Option<Alignment> {
        let last = self.axes.last()?;
        self.alignment_from(last.low.start, pairs, elements)
    }

    /// The same seen from a pair where lanes begin, which approximations need not.
    pub fn alignment_from(&self, anchor: i64, pairs: i64, elements: i64) -> Option<Alignment> {
        let last = self.axes.last()?;
        let axes = self.axes.len();
        let view = |view: &View, unit: i64| {
            let outers = self.outer.iter().zip(&view.outer);
            let mut steps = outers.filter(|(extent, _)| **extent > 1).map(|(_, stride)| *stride);
            let rows = view.axes[..axes - 1].iter().all(|stride| stride % unit == 0);
            view.offset % unit == 0 && steps.all(|stride| stride % unit == 0) && rows
        };
        let (samples, coefficients) = (elements.min(2 * pairs), elements.min(pairs));
        if !view(&self.signal, samples) || !self.bands.iter().all(|band| view(band, coefficients)) {
            return None;
        }
        let nearest = |late: i64, unit: i64| {
            let late = late.rem_euclid(unit);
            (if 2 * late > unit { late - unit } else { late }) as i32
        };
        Some(Alignment {
            signal: nearest(last.signal.start - 2 * anchor, samples),
            bands: [last.low, last.high].map(|band| nearest(band.start - anchor, coefficients)),
            deeper: [[0; 2]; 2],
        })
    }

    /// The words of `struct Job`.
    pub fn words(&self) -> Vec<i64> {
        let mut words = Vec::new();
        let axes = self.axes.len();
        let mut view = |view: &View| {
            words.extend([view.buffer.code(), view.offset]);
            words.extend(view.outer);
            words.extend(&view.axes[..axes]);
        };
        view(&self.signal);
        self.bands.iter().for_each(&mut view);
        for axis in &self.axes {
            for span in [axis.signal, axis.low, axis.high, axis.bands, axis.pairs] {
                words.extend([span.start, span.len as i64]);
            }
            words.extend([extension_code(axis.extension), axis.tiles, axis.tile]);
        }
        words.extend(self.outer);
        words.extend([self.lanes, self.lane_tiles, self.lane_tile]);
        words.push(self.blocks());
        words
    }
}

/// Names of the words of `struct Job` for a kernel of `axes` axes.
pub fn job_fields(axes: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut view = |name: &str| {
        names.push(format!("{name}_buffer"));
        names.push(format!("{name}_offset"));
        names.extend((0..OUTERS).map(|outer| format!("{name}_outer{outer}")));
        names.extend((0..axes).map(|axis| format!("{name}_stride{axis}")));
    };
    view("signal");
    for channel in 0..1 << axes {
        view(&format!("band{channel}"));
    }
    for axis in 0..axes {
        for span in ["signal", "low", "high", "bands", "pairs"] {
            names.push(format!("{span}_start{axis}"));
            names.push(format!("{span}_len{axis}"));
        }
        names.push(format!("extension{axis}"));
        names.push(format!("tiles{axis}"));
        names.push(format!("tile{axis}"));
    }
    names.extend((0..OUTERS).map(|outer| format!("outer{outer}")));
    names.extend(["lanes", "lane_tiles", "lane_tile", "blocks"].map(str::to_owned));
    names
}

/// The number by which the text knows an extension.
pub(crate) fn extension_code(kind: ExtensionKind) -> i64 {
    match kind {
        ExtensionKind::Zero => 0,
        ExtensionKind::Constant => 1,
        ExtensionKind::Symmetric => 2,
        ExtensionKind::Reflect => 3,
        ExtensionKind::Periodic => 4,
        ExtensionKind::Smooth => 5,
        ExtensionKind::Antisymmetric => 6,
        ExtensionKind::Antireflect => 7,
        ExtensionKind::PeriodicEven => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_fields_agree() {
        for axes in 1..=3 {
            let view = View { buffer: Buffer::Signal, offset: 0, outer: [0; 3], axes: [1; 3] };
            let span = Span { start: 0, len: 1 };
            let axis = JobAxis {
                signal: span,
                low: span,
                high: span,
                bands: span,
                pairs: span,
                extension: ExtensionKind::Zero,
                tiles: 1,
                tile: 1,
            };
            let job = Job {
                signal: view,
                bands: vec![view; 1 << axes],
                axes: vec![axis; axes],
                outer: [1; 3],
                lanes: 1,
                lane_tiles: 1,
                lane_tile: 1,
                strips: false,
                inside: None,
                rim: None,
            };
            assert_eq!(job.words().len(), job_fields(axes).len());
        }
    }
}
