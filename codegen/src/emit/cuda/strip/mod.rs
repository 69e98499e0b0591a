//! A strip kernel as one CUDA function: load rows ahead, transform across lanes and along the walk,
//! store.

mod across;
mod along;
mod input;
mod output;

use super::writer::Writer;
use super::{job, value::work_type};
use crate::gpu::{Proved, Strip};
use crate::kernel::{Operation, Side};

/// Writes the function and what it calls.
pub(super) fn function(writer: &mut Writer, name: &str, proved: &Proved, strip: &Strip) {
    let emitter = Emitter { proved, strip, name };
    if let Some(across) = &strip.across {
        emitter.across(writer, across);
        writer.line("");
    }
    if let Some(along) = &strip.along {
        emitter.along(writer, along);
        writer.line("");
    }
    emitter.kernel(writer);
}

struct Emitter<'a> {
    proved: &'a Proved,
    strip: &'a Strip,
    name: &'a str,
}

impl Emitter<'_> {
    fn operation(&self) -> Operation {
        self.proved.kernel().operation
    }

    fn axes(&self) -> usize {
        self.proved.kernel().axes
    }

    fn groups(&self) -> usize {
        self.strip.groups
    }

    fn work(&self) -> &'static str {
        work_type(self.proved.kernel().element)
    }

    /// The axis that the strip crosses.
    fn crossed(&self) -> Option<usize> {
        self.strip.across.as_ref().map(|_| self.axes() - 1)
    }

    /// Rows of a pair: two along a walk.
    fn rows(&self) -> usize {
        if self.strip.along.is_some() { 2 } else { 1 }
    }

    /// Planes that lie side by side in a row: two across lanes.
    fn sides(&self) -> usize {
        if self.strip.across.is_some() { 2 } else { 1 }
    }

    /// Values of a lane in one group and plane.
    fn items(&self) -> usize {
        self.strip.columns() / self.sides()
    }

    /// The channel of row `r` and side `c`.
    fn channel(&self, r: usize, c: usize) -> usize {
        r * self.sides() + c
    }

    fn plane(r: usize, c: usize) -> String {
        format!("p{r}{c}")
    }

    fn planes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let sides = self.sides();
        (0..self.rows()).flat_map(move |r| (0..sides).map(move |c| (r, c)))
    }

    fn kernel(&self, writer: &mut Writer) {
        self.fill(writer);
        writer.line("");
        let (mapping, axes) = (self.proved.mapping(), self.axes());
        let bounds = match mapping.resident {
            0 => format!("{}", mapping.threads),
            blocks => format!("{}, {blocks}", mapping.threads),
        };
        writer.line(format!("extern \"C\" __global__ void __launch_bounds__({bounds})"));
        writer.line(format!(
            "{}(value* b0, value* b1, value* b2, const __grid_constant__ Jobs{axes} jobs) {{",
            self.name
        ));
        writer.line("// Of every warp: rows on their way, and where columns beyond the ends come from.");
        let (warps, bytes) = (self.strip.warps, self.proved.info().shared_bytes / self.strip.warps);
        writer.line(format!("alignas(16) __shared__ char memory[{warps}][{bytes}];"));
        job::locate(writer, axes, mapping);
        writer.line("const int lane = threadIdx.x & 31;");
        writer.line("const int warp = threadIdx.x >> 5;");
        self.place(writer);
        let Some(along) = &self.strip.along else {
            self.sources(writer);
            self.whole(writer);
            self.registers(writer);
            writer.line("if (flat) {");
            self.load_directly(writer);
            self.take(writer, true);
            writer.line("} else {");
            writer.line("const int slot = 0;");
            self.load(writer, None, "slot");
            writer.line("__syncwarp();");
            writer.line("close_copies();");
            writer.line("await_copies<0>();");
            self.take(writer, false);
            writer.line("}");
            self.cross(writer);
            self.store(writer, "0");
            writer.line("}");
            return;
        };
        let pipeline = &along.pipeline;
        writer.line("// Rows of output pairs first0 .. end0; the walk begins earlier.");
        writer.line("const long long last0 = job.pairs_start0 + job.pairs_len0;");
        writer.line(
            "const long long end0 = first0 + job.tile0 < last0 ? first0 + job.tile0 : last0;",
        );
        let early = i64::from(pipeline.delay) - pipeline.warm() as i64;
        writer.line(format!("const long long start = first0 + {early};"));
        writer.line(format!("const long long stop = end0 + {};", pipeline.delay));
        self.sources(writer);
        self.whole(writer);
        let ahead = self.strip.depth - 1;
        writer.line(format!("for (int n = 0; n < {ahead}; ++n) {{"));
        writer.line("if (start + n < stop) {");
        self.load(writer, Some("start + n"), "n");
        writer.line("}");
        writer.line("close_copies();");
        writer.line("}");
        self.windows(writer);
        writer.line("int slot = 0;");
        writer.line("for (long long t = start; t < stop; ++t) {");
        writer.line(format!("const int free = slot == 0 ? {ahead} : slot - 1;"));
        writer.line("__syncwarp();");
        writer.line(format!("if (t + {ahead} < stop) {{"));
        self.load(writer, Some(&format!("t + {ahead}")), "free");
        writer.line("}");
        writer.line("close_copies();");
        writer.line(format!("await_copies<{ahead}>();"));
        writer.line("__syncwarp();");
        self.registers(writer);
        self.take(writer, false);
        writer.line(format!("slot = slot == {ahead} ? 0 : slot + 1;"));
        self.transform(
            writer,
            &format!("const long long k = t - {};\nif (k < first0) continue;", pipeline.delay),
        );
        self.store(writer, "k");
        writer.line("}");
        writer.line("}");
    }

    fn windows(&self, writer: &mut Writer) {
        for c in 0..self.sides() {
            writer.line(format!("Along_{} along{c};", self.name));
            writer.line(format!("along{c}.clear();"));
        }
    }

    /// Both directions; `skip` leaves an iteration whose outputs are not wanted.
    fn transform(&self, writer: &mut Writer, skip: &str) {
        if self.strip.across_first {
            self.cross(writer);
        }
        for c in 0..self.sides() {
            let (low, high) = (Self::plane(0, c), Self::plane(1, c));
            writer.line(format!("along{c}.step({low}, {high});"));
        }
        // Shuffles may follow: the whole warp goes on or leaves out.
        writer.lines(skip.lines());
        if !self.strip.across_first {
            self.cross(writer);
        }
    }

    /// Where the warp's strip begins.
    fn place(&self, writer: &mut Writer) {
        match self.crossed() {
            Some(axis) => {
                let (first, pairs) = (self.strip.first_lane() * self.items(), self.items());
                let slack = self.proved.slack(axis);
                let useful = self.strip.useful();
                writer.line(format!(
                    "long long k{axis} = first{axis} + warp * {useful} - {};",
                    first as i64 + slack
                ));
                if self.strip.shifted() {
                    writer.line("// The strip's first pair, such that bands are aligned like their rows.");
                    writer.line(format!(
                        "k{axis} += wrapped(job.low_start{axis} - k{axis}, {pairs});"
                    ));
                }
                let shift = self.strip.across.as_ref().map_or(0, |across| across.shift);
                writer.line(format!("const long long from{axis} = k{axis} - {shift};"));
                writer.line(format!(
                    "if (k{axis} + {first} >= job.pairs_start{axis} + job.pairs_len{axis}) return;"
                ));
            }
            None => {
                writer.line(format!(
                    "const long long column = lane0 + warp * {};",
                    self.strip.useful()
                ));
                writer.line("if (column >= job.lanes) return;");
            }
        }
    }

    fn registers(&self, writer: &mut Writer) {
        let count = self.groups() * self.items();
        let all: Vec<String> =
            self.planes().map(|(r, c)| format!("{}[{count}]", Self::plane(r, c))).collect();
        writer.line(format!("{} {};", self.work(), all.join(", ")));
    }

    /// The transform across the lanes, row by row.
    fn cross(&self, writer: &mut Writer) {
        if self.strip.across.is_none() {
            return;
        }
        for r in 0..self.rows() {
            let (even, odd) = (Self::plane(r, 0), Self::plane(r, 1));
            writer.line(format!("across_{}({even}, {odd}, lane);", self.name));
        }
    }

    fn input(&self) -> Side {
        self.operation().input()
    }
}
