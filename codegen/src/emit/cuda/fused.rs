//! Several levels in place: boxes in registers, then one value of every box in shared memory.

use super::body::{Lanes, statements};
use super::job;
use super::value::work_type;
use super::writer::Writer;
use crate::gpu::{Fused, Proved};
use crate::kernel::Side;

/// Writes the function that a position of a level is, then the kernel.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved, fused: &Fused) {
    let emitter = Emitter { proved, fused, name, axes: proved.kernel().axes };
    emitter.cell(writer);
    emitter.kernel(writer);
}

struct Emitter<'a> {
    proved: &'a Proved,
    fused: &'a Fused,
    name: &'a str,
    axes: usize,
}

impl Emitter<'_> {
    fn forward(&self) -> bool {
        self.proved.kernel().operation.input() == Side::Signal
    }

    fn channels(&self) -> usize {
        1 << self.axes
    }

    /// All channels of one position, in place.
    fn cell(&self, writer: &mut Writer) {
        let work = work_type(self.proved.kernel().element);
        let parameters: Vec<String> =
            (0..self.channels()).map(|channel| format!("{work}& c{channel}")).collect();
        writer.line("// One position of a level: its channels, in place.");
        writer.line(format!(
            "__device__ inline void cell_{}({}) {{",
            self.name,
            parameters.join(", ")
        ));
        let leaf = |place: &crate::dag::Place| format!("c{}", place.plane);
        let (lines, stores) = statements(&self.fused.cell, Lanes::Needed, &leaf);
        writer.lines(lines);
        // Every value is computed by now: nothing reads what is overwritten here.
        for (place, value) in stores {
            writer.line(format!("c{} = {value};", place.plane));
        }
        writer.line("}");
        writer.line("");
    }

    fn kernel(&self, writer: &mut Writer) {
        let (mapping, fused) = (self.proved.mapping(), self.fused);
        let (edge, work) = (fused.edge(), work_type(self.proved.kernel().element));
        writer.line(format!(
            "extern \"C\" __global__ void __launch_bounds__({}, 1)",
            mapping.threads
        ));
        writer.line(format!(
            "{}(value* b0, value* b1, value* b2, const __grid_constant__ Jobs{} jobs) {{",
            self.name, self.axes
        ));
        let shared = fused.levels > fused.own;
        if shared {
            writer.line(format!("__shared__ value left[{}];", mapping.threads));
        }
        job::locate(writer, self.axes, mapping);
        self.boxes(writer);
        let volume = edge.pow(self.axes as u32);
        writer.line(format!("{work} v[{}][{edge}] = {{}};", volume / edge));
        let (from, to) = if self.forward() { ("signal", "band0") } else { ("band0", "signal") };
        self.rows(writer, from, true);
        let own = |writer: &mut Writer| {
            let levels: Vec<u32> = match self.forward() {
                true => (0..fused.own).collect(),
                false => (0..fused.own).rev().collect(),
            };
            for level in levels {
                self.own_level(writer, level);
            }
        };
        if self.forward() {
            own(writer);
        }
        if shared {
            self.shared_levels(writer);
        }
        if !self.forward() {
            own(writer);
        }
        self.rows(writer, to, false);
        writer.line("}");
    }

    /// `t{axis}`: the thread's box in the block; `there`: whether the array has it; `x{axis}`: its
    /// first sample.
    fn boxes(&self, writer: &mut Writer) {
        let (lanes, boxes) = (self.proved.mapping().lanes, self.fused.boxes);
        writer.line(format!("const int lane = threadIdx.x % {lanes};"));
        let mut rest = format!("threadIdx.x / {lanes}");
        for axis in (0..self.axes).rev() {
            writer.line(format!("const int t{axis} = ({rest}) % {};", boxes[axis]));
            rest = format!("({rest}) / {}", boxes[axis]);
        }
        let mut there = vec!["lane0 + lane < job.lanes".to_owned()];
        let edge = self.fused.edge();
        for axis in 0..self.axes {
            writer.line(format!(
                "const long long x{axis} = 2 * (first{axis} - job.pairs_start{axis}) + t{axis} * {edge};"
            ));
            there.push(format!("x{axis} < job.signal_len{axis}"));
        }
        writer.line(format!("const bool there = {};", there.join(" && ")));
    }

    /// Loads or stores the box.
    fn rows(&self, writer: &mut Writer, array: &str, load: bool) {
        let (edge, last) = (self.fused.edge(), self.axes - 1);
        let stride = |axis: usize| match self.proved.mapping().contiguous && axis == last {
            true => "1".to_owned(),
            false => format!("job.{array}_stride{axis}"),
        };
        writer.line("if (there) {");
        let address: Vec<String> =
            (0..self.axes).map(|axis| format!("x{axis} * {}", stride(axis))).collect();
        let qualifier = if load { "const " } else { "" };
        writer.line(format!(
            "{qualifier}value* const at = {array} + {} + lane0 + lane;",
            address.join(" + ")
        ));
        // Row after row at the same alignment, or one by one.
        let mut aligned: Vec<String> =
            (0..last).map(|axis| format!("{} % {edge} == 0", stride(axis))).collect();
        aligned.push(format!("(unsigned long long)at % alignof(Row<{edge}>) == 0"));
        if !self.proved.mapping().contiguous {
            aligned = vec!["false".to_owned()];
        }
        writer.line(format!("const bool aligned = {};", aligned.join(" && ")));
        for row in 0..edge.pow(last as u32) {
            let mut offset: Vec<String> = Vec::new();
            let mut rest = row;
            for axis in (0..last).rev() {
                let step = rest % edge;
                rest /= edge;
                if step > 0 {
                    offset.push(format!("{step} * {}", stride(axis)));
                }
            }
            offset.push("at".to_owned());
            offset.reverse();
            let function = if load { "load_row" } else { "store_row" };
            writer.line(format!(
                "{function}<{edge}>({}, {}, aligned, v[{row}]);",
                offset.join(" + "),
                stride(last)
            ));
        }
        writer.line("}");
    }

    /// A level within the box; level 0 is the finest.
    fn own_level(&self, writer: &mut Writer, level: u32) {
        let (edge, step) = (self.fused.edge(), 1_usize << level);
        let per_axis = edge / (2 * step);
        for cell in 0..per_axis.pow(self.axes as u32) {
            let values: Vec<String> = (0..self.channels())
                .map(|channel| {
                    let mut rest = cell;
                    let mut position = vec![0; self.axes];
                    for (axis, place) in position.iter_mut().enumerate().rev() {
                        let phase = (channel >> (self.axes - 1 - axis)) & 1;
                        *place = (rest % per_axis) * 2 * step + phase * step;
                        rest /= per_axis;
                    }
                    let (row, column) = position.split_at(self.axes - 1);
                    let row = row.iter().fold(0, |row, place| row * edge + place);
                    format!("v[{row}][{}]", column.first().copied().unwrap_or(0))
                })
                .collect();
            writer.line(format!("cell_{}({});", self.name, values.join(", ")));
        }
    }

    /// The levels of one value of every box, `left`.
    fn shared_levels(&self, writer: &mut Writer) {
        let fused = self.fused;
        let work = work_type(self.proved.kernel().element);
        writer.line("");
        writer.line("// One value of every box is left.");
        writer.line("left[threadIdx.x] = (value)v[0][0];");
        let levels: Vec<u32> = match self.forward() {
            true => (0..fused.levels - fused.own).collect(),
            false => (0..fused.levels - fused.own).rev().collect(),
        };
        let lanes = self.proved.mapping().lanes as usize;
        for level in levels {
            let step = 1_usize << level;
            writer.line("__syncthreads();");
            let all: Vec<String> = (0..self.axes).map(|axis| format!("t{axis}")).collect();
            writer.line(format!("if ((({}) & {}) == 0) {{", all.join(" | "), 2 * step - 1));
            let places: Vec<String> = (0..self.channels())
                .map(|channel| {
                    let distance = (0..self.axes).fold(0, |distance, axis| {
                        let phase = (channel >> (self.axes - 1 - axis)) & 1;
                        distance * fused.boxes[axis] + phase * step
                    });
                    format!("left[threadIdx.x + {}]", distance * lanes)
                })
                .collect();
            for (channel, place) in places.iter().enumerate() {
                writer.line(format!("{work} c{channel} = {place};"));
            }
            let names: Vec<String> =
                (0..self.channels()).map(|channel| format!("c{channel}")).collect();
            writer.line(format!("cell_{}({});", self.name, names.join(", ")));
            for (channel, place) in places.iter().enumerate() {
                writer.line(format!("{place} = (value)c{channel};"));
            }
            writer.line("}");
        }
        writer.line("__syncthreads();");
        writer.line("v[0][0] = left[threadIdx.x];");
    }
}
