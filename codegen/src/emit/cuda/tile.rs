//! A mapped kernel as one CUDA function.
//!
//! With exchange `launch` the kernel is one segment of a larger one, and reads and writes like one
//! with exchange `global`. With exchange `shared`, a block loads its storage region into shared memory, runs the segments
//! over it with barriers between, and stores what the last one computes. With exchange `global`, the
//! whole kernel is one graph whose leaves are read from global memory. Blocks whose region lies
//! inside the input and the lanes take the plain path; the others read through `fetch`. The choice is
//! made once per block.

use super::body::{Lanes, statements};
use super::value::work_type;
use super::writer::Writer;
use super::{job, store};
use crate::dag::Place;
use crate::gpu::{Arrival, Proved, ProvedSegment};
use crate::kernel::{Exchange, Margin, Side};
use waveloom_wavelets::algebra::Exponent;

/// Writes the function.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved) {
    let emitter = Emitter { proved, axes: proved.kernel().axes };
    match (proved.mapping().is_global(), proved.mapping().own) {
        (true, _) => emitter.global(writer, name),
        (_, Arrival::Memory) => emitter.shared(writer, name),
        (_, Arrival::Registers) => emitter.trapezoid(writer, name),
    }
}

pub(super) struct Emitter<'a> {
    pub(super) proved: &'a Proved,
    pub(super) axes: usize,
}

impl Emitter<'_> {
    pub(super) fn signature(&self, writer: &mut Writer, name: &str) {
        let threads = self.proved.mapping().threads;
        // One block is enough: compilers shall not spill registers to have room for more.
        writer.line(format!("extern \"C\" __global__ void __launch_bounds__({threads}, 1)"));
        writer.line(format!(
            "{name}(value* b0, value* b1, value* b2, const __grid_constant__ Jobs{} jobs) {{",
            self.axes
        ));
        job::locate(writer, self.axes, self.proved.mapping());
    }

    pub(super) fn input(&self) -> Side {
        self.proved.kernel().operation.input()
    }

    pub(super) fn planes(&self) -> usize {
        self.proved.kernel().planes()
    }

    /// `interior`: all that the block reads is inside the input.
    pub(super) fn interior(&self, writer: &mut Writer) {
        let mapping = self.proved.mapping();
        let storage = self.proved.storage();
        let mut conditions = vec![format!("lane0 + {} <= job.lanes", mapping.lanes)];
        for axis in 0..self.axes {
            let (before, after) = (storage.before[axis], storage.after[axis]);
            let end = i64::from(mapping.tile[axis]) + i64::from(after);
            match self.input() {
                Side::Signal => conditions.extend([
                    format!("2 * (first{axis} - {before}) >= job.signal_start{axis}"),
                    format!(
                        "2 * (first{axis} + {end}) <= job.signal_start{axis} + job.signal_len{axis}"
                    ),
                ]),
                Side::Bands => {
                    for span in ["low", "high"] {
                        conditions.extend([
                            format!("first{axis} - {before} >= job.{span}_start{axis}"),
                            format!(
                                "first{axis} + {end} <= job.{span}_start{axis} + job.{span}_len{axis}"
                            ),
                        ]);
                    }
                }
            }
        }
        writer.line("const bool interior =");
        let last = conditions.len() - 1;
        for (index, condition) in conditions.iter().enumerate() {
            writer.line(format!("    {condition}{}", if index == last { ";" } else { " &&" }));
        }
    }

    pub(super) fn stride(&self, array: &str, axis: usize) -> String {
        // Bands that another launch left behind are every other sample.
        let samples = array == "signal" || self.proved.mapping().exchange != Exchange::Launch;
        if samples && self.proved.mapping().contiguous && axis + 1 == self.axes {
            "1".to_owned()
        } else {
            format!("job.{array}_stride{axis}")
        }
    }

    /// The plain address of channel `c` at pair `k + offset` (names of index variables given).
    pub(super) fn plain(&self, place: &Place, indices: &[String], lane: &str) -> String {
        let channel = place.plane;
        let mut terms = Vec::new();
        for (axis, index) in indices.iter().enumerate() {
            let phase = (channel >> (self.axes - 1 - axis)) & 1;
            let offset = place.offset[axis];
            let term = match self.input() {
                Side::Signal => format!(
                    "(2 * {index} - job.signal_start{axis} + {}) * {}",
                    2 * offset + phase as i32,
                    self.stride("signal", axis)
                ),
                Side::Bands => {
                    let span = if phase == 0 { "low" } else { "high" };
                    format!(
                        "({index} - job.{span}_start{axis} + {offset}) * {}",
                        self.stride(&format!("band{channel}"), axis)
                    )
                }
            };
            terms.push(term);
        }
        let array = match self.input() {
            Side::Signal => "signal".to_owned(),
            Side::Bands => format!("band{channel}"),
        };
        format!("{array}[{} + {lane}]", terms.join(" + "))
    }

    /// Splits `i` into lane and position of a region: `lane` and `p{axis}` (from 0).
    pub(super) fn split(&self, writer: &mut Writer, extent: &[usize; 3]) {
        let lanes = self.proved.mapping().lanes;
        let mut rest = "i".to_owned();
        if lanes > 1 {
            writer.line(format!("const int lane = i % {lanes};"));
            rest = format!("(i / {lanes})");
        } else {
            writer.line("const int lane = 0;");
        }
        for axis in (0..self.axes).rev() {
            if axis == 0 {
                writer.line(format!("const int p0 = {rest};"));
            } else {
                writer.line(format!("const int p{axis} = {rest} % {};", extent[axis]));
                rest = format!("({rest} / {})", extent[axis]);
            }
        }
    }

    fn shared(&self, writer: &mut Writer, name: &str) {
        let mapping = self.proved.mapping();
        let storage = self.proved.storage_extent();
        let size = storage.iter().product::<usize>() * mapping.lanes as usize;
        self.sum_tables(writer, name, &storage);
        self.signature(writer, name);
        writer.line(format!("__shared__ value planes[{}][{size}];", self.planes()));
        self.interior(writer);
        writer.line("");
        writer.line("// Load the tile and its halo, one plane per channel.");
        self.load(writer, &storage);
        writer.line("__syncthreads();");
        for (index, segment) in self.proved.segments().iter().enumerate() {
            writer.line("");
            writer.line(format!("// Segment {}.", index + 1));
            self.segment(writer, segment, &storage);
            writer.line("__syncthreads();");
        }
        writer.line("");
        writer.line("// Last segment, straight to global memory.");
        let extent = self.proved.extent(&Margin::default());
        let count = extent.iter().product::<usize>() * mapping.lanes as usize;
        writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {}) {{", mapping.threads));
        self.split(writer, &extent);
        writer.line("if (lane0 + lane >= job.lanes) continue;");
        self.place(writer, &Margin::default(), &storage);
        self.results(writer, name, &|place| self.plane(place, &storage));
        for axis in 0..self.axes {
            writer.line(format!("const long long k{axis} = first{axis} + p{axis};"));
        }
        store::store(writer, self.proved, "lane0 + lane");
        writer.line("}");
        writer.line("}");
    }

    /// `at`: index in a plane of the position `p{axis}` of a region.
    fn place(&self, writer: &mut Writer, region: &Margin, storage: &[usize; 3]) {
        let mut index = String::new();
        for (axis, extent) in storage.iter().enumerate().take(self.axes) {
            let shift = self.proved.storage().before[axis] - region.before[axis];
            let position = format!("(p{axis} + {shift})");
            index = match axis {
                0 => position,
                _ => format!("({index} * {extent} + {position})"),
            };
        }
        let lanes = self.proved.mapping().lanes;
        writer.line(match lanes {
            1 => format!("const int at = {index};"),
            _ => format!("const int at = {index} * {lanes} + lane;"),
        });
    }

    /// The shared value at an offset from `at`.
    pub(super) fn plane(&self, place: &Place, storage: &[usize; 3]) -> String {
        match self.distance(&place.offset, storage) {
            0 => format!("planes[{}][at]", place.plane),
            offset if offset < 0 => format!("planes[{}][at - {}]", place.plane, -offset),
            offset => format!("planes[{}][at + {offset}]", place.plane),
        }
    }

    /// How far apart in a plane two positions are.
    pub(super) fn distance(&self, step: &Exponent, storage: &[usize; 3]) -> i64 {
        let mut offset = 0_i64;
        for (extent, step) in storage.iter().zip(step).take(self.axes) {
            offset = offset * *extent as i64 + i64::from(*step);
        }
        offset * i64::from(self.proved.mapping().lanes)
    }

    fn load(&self, writer: &mut Writer, storage: &[usize; 3]) {
        let mapping = self.proved.mapping();
        let lanes = mapping.lanes as usize;
        let threads = mapping.threads;
        let before = self.proved.storage().before;
        writer.line("if (interior) {");
        match self.input() {
            Side::Signal => {
                // Sample by sample: neighbouring threads read neighbouring samples.
                let samples: [usize; 3] =
                    std::array::from_fn(|a| if a < self.axes { 2 * storage[a] } else { 1 });
                let count = samples.iter().product::<usize>() * lanes;
                writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {threads}) {{"));
                self.split(writer, &samples);
                let mut channel = Vec::new();
                let mut index = String::new();
                let mut address = Vec::new();
                for axis in 0..self.axes {
                    let bit = self.axes - 1 - axis;
                    channel.push(format!("(p{axis} & 1) << {bit}"));
                    let half = format!("(p{axis} >> 1)");
                    index = match axis {
                        0 => half,
                        _ => format!("({index} * {} + {half})", storage[axis]),
                    };
                    address.push(format!(
                        "(2 * (first{axis} - {}) - job.signal_start{axis} + p{axis}) * {}",
                        before[axis],
                        self.stride("signal", axis)
                    ));
                }
                writer.line(format!(
                    "planes[{}][{index} * {lanes} + lane] = signal[{} + lane0 + lane];",
                    channel.join(" | "),
                    address.join(" + ")
                ));
                writer.line("}");
            }
            Side::Bands => {
                let count = storage.iter().product::<usize>() * lanes;
                writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {threads}) {{"));
                self.split(writer, storage);
                let indices = self.load_indices(writer);
                for plane in 0..self.planes() {
                    let value =
                        self.plain(&Place { plane, offset: [0; 3] }, &indices, "lane0 + lane");
                    writer.line(format!("planes[{plane}][i] = {value};"));
                }
                writer.line("}");
            }
        }
        writer.line("} else {");
        self.edge_load(writer, storage);
        writer.line("}");
    }

    pub(super) fn load_indices(&self, writer: &mut Writer) -> Vec<String> {
        let before = self.proved.storage().before;
        (0..self.axes)
            .map(|axis| {
                let b = before[axis];
                writer.line(format!("const long long k{axis} = first{axis} - {b} + p{axis};"));
                format!("k{axis}")
            })
            .collect()
    }

    fn segment(&self, writer: &mut Writer, segment: &ProvedSegment, storage: &[usize; 3]) {
        let mapping = self.proved.mapping();
        let extent = self.proved.extent(&segment.region);
        let count = extent.iter().product::<usize>() * mapping.lanes as usize;
        let threads = mapping.threads as usize;
        let (lines, stores) =
            statements(&segment.dag, Lanes::Needed, &|place| self.plane(place, storage));
        if segment.in_place {
            writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {threads}) {{"));
            self.split(writer, &extent);
            self.place(writer, &segment.region, storage);
            writer.lines(lines);
            for (place, value) in stores {
                writer.line(format!("{} = {value};", self.plane(&place, storage)));
            }
            writer.line("}");
            return;
        }
        // Others still read what is about to be overwritten: keep the results until all have read.
        let items = count.div_ceil(threads);
        let work = work_type(self.proved.kernel().element);
        writer.line("{");
        for (slot, _) in stores.iter().enumerate() {
            writer.line(format!("{work} kept{slot}[{items}];"));
        }
        for phase in 0..2 {
            writer.line("#pragma unroll");
            writer.line(format!("for (int item = 0; item < {items}; ++item) {{"));
            writer.line(format!("const int i = threadIdx.x + item * {threads};"));
            writer.line(format!("if (i < {count}) {{"));
            self.split(writer, &extent);
            self.place(writer, &segment.region, storage);
            if phase == 0 {
                writer.lines(&lines);
            }
            for (slot, (place, value)) in stores.iter().enumerate() {
                writer.line(match phase {
                    0 => format!("kept{slot}[item] = {value};"),
                    _ => format!("{} = kept{slot}[item];", self.plane(place, storage)),
                });
            }
            writer.line("}");
            writer.line("}");
            if phase == 0 {
                writer.line("__syncthreads();");
            }
        }
        writer.line("}");
    }
}
