//! Tiles in registers: rows by shuffles, turned through shared memory, columns by shuffles.

use super::body::{Lanes, statements};
use super::tile::Emitter as Tiles;
use super::value::{pair_type, work_type};
use super::writer::Writer;
use super::{fetch, job, store};
use crate::dag::Place;
use crate::gpu::{Across, AcrossStage, Proved, Shifted, Turned};
use crate::kernel::Side;

/// Writes the transforms of rows and columns, then the kernel.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved, turned: &Turned) {
    let emitter = Emitter { proved, turned, name };
    emitter.line(writer, "across", &turned.across, 1);
    emitter.line(writer, "along", &turned.along, turned.columns());
    emitter.kernel(writer);
}

struct Emitter<'a> {
    proved: &'a Proved,
    turned: &'a Turned,
    name: &'a str,
}

/// A register of another lane.
fn received(read: &Shifted) -> String {
    let side = if read.lanes < 0 { "l" } else { "r" };
    format!("p{}_{}_{side}{}", read.plane, read.pair, read.lanes.abs())
}

impl Emitter<'_> {
    fn work(&self) -> &'static str {
        work_type(self.proved.kernel().element)
    }

    /// One line over lanes `step` apart, in place: planes become bands, or bands planes.
    fn line(&self, writer: &mut Writer, direction: &str, line: &Across, step: usize) {
        let (work, pairs) = (self.work(), line.pairs);
        writer.line(format!(
            "__device__ inline void {direction}_{}({work} (&p0)[{pairs}], {work} (&p1)[{pairs}], int lane) {{",
            self.name
        ));
        for stage in &line.stages {
            self.stage(writer, stage, step);
        }
        writer.line("}");
        writer.line("");
    }

    fn stage(&self, writer: &mut Writer, stage: &AcrossStage, step: usize) {
        let work = self.work();
        writer.line("{");
        for read in stage.exchanged() {
            // A column within one lane has no neighbours: what is beyond is halo.
            let value = match step >= 32 {
                true => "0".to_owned(),
                false => format!(
                    "__shfl_sync(0xffffffffu, p{}[{}], (lane + {}) & 31)",
                    read.plane,
                    read.pair,
                    i64::from(read.lanes) * step as i64
                ),
            };
            writer.line(format!("const {work} {} = {value};", received(&read)));
        }
        let leaf = |place: &Place| {
            let read = stage.register(place);
            match read.lanes {
                0 => format!("p{}[{}]", read.plane, read.pair),
                _ => received(&read),
            }
        };
        let (lines, stores) = statements(&stage.dag, Lanes::Any, &leaf);
        writer.lines(lines);
        for (place, value) in stores {
            let (plane, pair) = stage.target(&place);
            writer.line(format!("p{plane}[{pair}] = {value};"));
        }
        writer.line("}");
    }

    fn kernel(&self, writer: &mut Writer) {
        let (mapping, turned) = (self.proved.mapping(), self.turned);
        let (work, rows) = (self.work(), turned.rows_each());
        writer.line(format!(
            "extern \"C\" __global__ void __launch_bounds__({}, 1)",
            mapping.threads
        ));
        writer.line(format!(
            "{}(value* b0, value* b1, value* b2, const __grid_constant__ Jobs2 jobs) {{",
            self.name
        ));
        if turned.turned {
            writer.line(format!("__shared__ value tile[{}][{}];", turned.rows, turned.pitch()));
        }
        job::locate(writer, 2, mapping);
        writer.line("const int lane = threadIdx.x % 32;");
        writer.line("const int warp = threadIdx.x / 32;");
        let own =
            if turned.turned { String::new() } else { format!(" + warp * {}", turned.useful[0]) };
        let base = |axis: usize, shift: i32| shift + turned.first[axis] as i32;
        writer.line("// The first pair of the tile, halo included.");
        writer.line(format!(
            "const long long base0 = first0{own} - {};",
            base(0, turned.along.shift)
        ));
        writer.line(format!("const long long base1 = first1 - {};", base(1, turned.across.shift)));
        writer.line("// Rows of a thread: even and odd columns.");
        writer.line(format!("{work} p0[{rows}][1], p1[{rows}][1];"));
        let first_row = if turned.turned { format!("warp * {rows}") } else { "0".to_owned() };
        writer.line(format!("const int row0 = {first_row};"));
        self.load(writer);
        match turned.turned {
            true => self.turn(writer),
            false => self.within(writer),
        }
        writer.line("}");
    }

    fn rows_loop(&self, writer: &mut Writer) {
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {}; ++i) {{", self.turned.rows_each()));
    }

    /// Every row of a thread from global memory.
    fn load(&self, writer: &mut Writer) {
        let high = self.turned.rows / 2;
        let side = self.proved.kernel().operation.input();
        let mut conditions = Vec::new();
        for (axis, pairs) in [(0, high), (1, 32)] {
            match side {
                Side::Signal => conditions.extend([
                    format!("2 * base{axis} >= job.signal_start{axis}"),
                    format!(
                        "2 * (base{axis} + {pairs}) <= job.signal_start{axis} + job.signal_len{axis}"
                    ),
                ]),
                Side::Bands => {
                    for span in ["low", "high"] {
                        conditions.extend([
                            format!("base{axis} >= job.{span}_start{axis}"),
                            format!(
                                "base{axis} + {pairs} <= job.{span}_start{axis} + job.{span}_len{axis}"
                            ),
                        ]);
                    }
                }
            }
        }
        writer.line(format!("if ({}) {{", conditions.join(" && ")));
        self.rows_loop(writer);
        writer.line("const int row = row0 + i;");
        match side {
            Side::Signal => {
                let pair = pair_type(self.proved.kernel().element);
                writer.line("const value* const at = signal + (2 * base0 + row - job.signal_start0) * job.signal_stride0 + 2 * (base1 + lane) - job.signal_start1;");
                writer.line(format!("if ((unsigned long long)at % sizeof({pair}) == 0) {{"));
                writer.line(format!("const {pair} both = *(const {pair}*)at;"));
                writer.line("p0[i][0] = both.x;");
                writer.line("p1[i][0] = both.y;");
                writer.line("} else {");
                writer.line("p0[i][0] = at[0];");
                writer.line("p1[i][0] = at[1];");
                writer.line("}");
            }
            Side::Bands => {
                writer.line("const long long k0 = base0 + row / 2;");
                writer.line("const long long k1 = base1 + lane;");
                writer.line("if (row % 2 == 0) {");
                for (phase, span) in [(0, "low"), (1, "high")] {
                    for (plane, across) in [(0, "low"), (1, "high")] {
                        let band = 2 * phase + plane;
                        writer.line(format!(
                            "p{plane}[i][0] = band{band}[(k0 - job.{span}_start0) * job.band{band}_stride0 + k1 - job.{across}_start1];"
                        ));
                    }
                    writer.line(if phase == 0 { "} else {" } else { "}" });
                }
            }
        }
        writer.line("}");
        writer.line("} else {");
        self.edge(writer);
        writer.line("}");
    }

    /// The same where the tile reaches beyond the input: a rolled loop, and zeros where no output needs
    /// a value.
    fn edge(&self, writer: &mut Writer) {
        let (work, rows) = (self.work(), self.turned.rows_each());
        let tiles = Tiles { proved: self.proved, axes: 2 };
        writer.line(format!("{work} edge[{}];", 2 * rows));
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int i = 0; i < {}; ++i) {{", 2 * rows));
        writer.line("const long long k0 = base0 + (row0 + i / 2) / 2;");
        writer.line("const long long k1 = base1 + lane;");
        writer.line("const int c = (row0 + i / 2) % 2 * 2 + i % 2;");
        let halo = self.proved.storage();
        let mut conditions = Vec::new();
        for axis in 0..2 {
            let (before, after) = (halo.before[axis], halo.after[axis]);
            conditions.push(format!("k{axis} >= job.pairs_start{axis} - {before}"));
            conditions
                .push(format!("k{axis} < job.pairs_start{axis} + job.pairs_len{axis} + {after}"));
        }
        tiles.from(writer);
        let value = format!(
            "{}(reread(job), from, c, k0, k1, lane0)",
            fetch::name(2, self.proved.kernel().operation.input())
        );
        writer.line(format!("edge[i] = {} ? {value} : 0;", conditions.join(" && ")));
        writer.line("}");
        self.rows_loop(writer);
        writer.line("p0[i][0] = edge[2 * i];");
        writer.line("p1[i][0] = edge[2 * i + 1];");
        writer.line("}");
    }

    fn across(&self, writer: &mut Writer) {
        self.rows_loop(writer);
        writer.line(format!("across_{}(p0[i], p1[i], lane);", self.name));
        writer.line("}");
    }

    /// Rows between registers and the tile in shared memory.
    fn exchange_rows(&self, writer: &mut Writer, to_tile: bool) {
        self.rows_loop(writer);
        for plane in 0..2 {
            let (register, place) =
                (format!("p{plane}[i][0]"), format!("tile[row0 + i][{} + lane]", 32 * plane));
            writer.line(match to_tile {
                true => format!("{place} = (value){register};"),
                false => format!("{register} = {place};"),
            });
        }
        writer.line("}");
    }

    /// A tile that changes hands: even columns stand before odd ones.
    fn turn(&self, writer: &mut Writer) {
        let turned = self.turned;
        if turned.across_first {
            self.across(writer);
        }
        self.exchange_rows(writer, true);
        writer.line("__syncthreads();");
        writer.line("");
        self.columns(writer);
        writer.line("__syncthreads();");
        if !turned.across_first {
            writer.line("");
            self.exchange_rows(writer, false);
            self.across(writer);
            self.exchange_rows(writer, true);
            writer.line("__syncthreads();");
        }
        writer.line("");
        let [high, wide] = turned.useful;
        writer.line(format!(
            "for (int i = threadIdx.x; i < {}; i += {}) {{",
            high * wide,
            self.proved.mapping().threads
        ));
        writer.line(format!("const int t0 = i / {wide};"));
        writer.line(format!("const int t1 = i % {wide};"));
        for axis in 0..2 {
            writer.line(format!("const long long k{axis} = first{axis} + t{axis};"));
            writer.line(format!(
                "if (k{axis} >= job.pairs_start{axis} + job.pairs_len{axis}) continue;"
            ));
        }
        for channel in 0..4 {
            writer.line(format!(
                "const {} out{channel} = tile[2 * (t0 + {}) + {}][{} + t1 + {}];",
                self.work(),
                turned.first[0],
                channel / 2,
                32 * (channel % 2),
                turned.first[1]
            ));
        }
        store::store(writer, self.proved, "lane0");
        writer.line("}");
    }

    /// Columns of the tile in shared memory: a lane has a run of pairs.
    fn columns(&self, writer: &mut Writer) {
        let (pairs, columns) = (self.turned.along.pairs, self.turned.columns());
        writer.line("// A lane's run of pairs of one column.");
        writer.line("{");
        writer.line(format!("const int column = warp * {columns} + lane % {columns};"));
        writer.line(format!("const int pair0 = lane / {columns} * {pairs};"));
        let place = |phase: usize| format!("tile[2 * (pair0 + i) + {phase}][column]");
        self.along_places(writer, &place, "(value)");
        writer.line("}");
    }

    /// Pairs from their places (even and odd rows of pair `i`) to registers, transformed, and back.
    fn along_places(&self, writer: &mut Writer, place: &dyn Fn(usize) -> String, stored_as: &str) {
        let (work, pairs) = (self.work(), self.turned.along.pairs);
        writer.line(format!("{work} q0[{pairs}], q1[{pairs}];"));
        for load in [true, false] {
            if !load {
                writer.line(format!("along_{}(q0, q1, lane);", self.name));
            }
            writer.line("#pragma unroll");
            writer.line(format!("for (int i = 0; i < {pairs}; ++i) {{"));
            for phase in 0..2 {
                let place = place(phase);
                writer.line(match load {
                    true => format!("q{phase}[i] = {place};"),
                    false => format!("{place} = {stored_as}q{phase}[i];"),
                });
            }
            writer.line("}");
        }
    }

    /// A tile that stays in its lanes' registers.
    fn within(&self, writer: &mut Writer) {
        let turned = self.turned;
        let work = self.work();
        if turned.across_first {
            self.across(writer);
        }
        for plane in 0..2 {
            writer.line("{");
            let place = |phase: usize| format!("p{plane}[2 * i + {phase}][0]");
            self.along_places(writer, &place, "");
            writer.line("}");
        }
        if !turned.across_first {
            self.across(writer);
        }
        let ([high, wide], [above, left]) = (turned.useful, turned.first);
        writer.line(format!("const long long k1 = base1 + {} + lane;", turned.across.shift));
        writer.line(format!(
            "if (lane < {left} || lane >= {} || k1 >= job.pairs_start1 + job.pairs_len1) return;",
            left + wide
        ));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = {above}; i < {}; ++i) {{", above + high));
        writer.line(format!("const long long k0 = base0 + {} + i;", turned.along.shift));
        writer.line("if (k0 >= job.pairs_start0 + job.pairs_len0) return;");
        for channel in 0..4 {
            writer.line(format!(
                "const {work} out{channel} = p{}[2 * i + {}][0];",
                channel % 2,
                channel / 2
            ));
        }
        store::store(writer, self.proved, "lane0");
        writer.line("}");
    }
}
