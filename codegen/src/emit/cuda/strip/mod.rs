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
        Strip::COLUMNS / self.sides()
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

    /// The variables that a walk is given, with their types.
    fn arguments(&self) -> Vec<(String, String)> {
        let axes = self.axes();
        let mut all = vec![(format!("const Job{axes}&"), "job".to_owned())];
        all.push(("value* const".to_owned(), "signal".to_owned()));
        for channel in 0..1 << axes {
            all.push(("value* const".to_owned(), format!("band{channel}")));
        }
        for inputs in self.inputs() {
            all.push(("const Rows&".to_owned(), format!("rows_{}", inputs.name)));
        }
        all.push(("const int".to_owned(), "lane".to_owned()));
        let mut index = |name: String| all.push(("const long long".to_owned(), name));
        match self.crossed() {
            Some(axis) => index(format!("k{axis}")),
            None => index("column".to_owned()),
        }
        if self.strip.along.is_some() {
            for name in ["first0", "start", "stop"] {
                index(name.to_owned());
            }
        }
        all
    }

    fn kernel(&self, writer: &mut Writer) {
        for plain in [true, false] {
            self.walk(writer, plain);
            writer.line("");
        }
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
        job::locate(writer, axes, mapping);
        writer.line("const int lane = threadIdx.x & 31;");
        writer.line("const int warp = threadIdx.x >> 5;");
        self.place(writer);
        if let Some(along) = &self.strip.along {
            let pipeline = &along.pipeline;
            writer.line("// Rows of output pairs first0 .. end0; the walk begins earlier.");
            writer.line("const long long last0 = job.pairs_start0 + job.pairs_len0;");
            writer.line(
                "const long long end0 = first0 + job.tile0 < last0 ? first0 + job.tile0 : last0;",
            );
            let early = i64::from(pipeline.delay) - pipeline.warm() as i64;
            writer.line(format!("const long long start = first0 + {early};"));
            writer.line(format!("const long long stop = end0 + {};", pipeline.delay));
        }
        self.sources(writer);
        let names: Vec<String> = self.arguments().into_iter().map(|(_, name)| name).collect();
        let names = names.join(", ");
        writer.line("if (plain) {");
        writer.line(format!("plain_{}({names});", self.name));
        writer.line("} else {");
        writer.line(format!("edge_{}({names});", self.name));
        writer.line("}");
        writer.line("}");
    }

    /// One strip: with rows loaded ahead where nothing is extended, or gathered at the ends.
    fn walk(&self, writer: &mut Writer, plain: bool) {
        let arguments: Vec<String> =
            self.arguments().into_iter().map(|(kind, name)| format!("{kind} {name}")).collect();
        let (kind, inline) = if plain { ("plain", "inline") } else { ("edge", "__noinline__") };
        writer.line(format!(
            "__device__ {inline} void {kind}_{}({}) {{",
            self.name,
            arguments.join(", ")
        ));
        self.arrivals(writer, plain);
        let Some(along) = &self.strip.along else {
            if plain {
                self.load(writer, None);
            }
            self.registers(writer);
            self.take(writer, None, plain);
            self.cross(writer);
            self.store(writer, None);
            writer.line("}");
            return;
        };
        for c in 0..self.sides() {
            writer.line(format!("Along_{} along{c};", self.name));
            writer.line(format!("along{c}.clear();"));
        }
        if plain {
            self.load(writer, Some("start"));
        }
        writer.line("for (long long t = start; t < stop; ++t) {");
        self.registers(writer);
        self.take(writer, Some("t"), plain);
        if plain {
            writer.line("if (t + 1 < stop) {");
            self.load(writer, Some("t + 1"));
            writer.line("}");
        }
        if self.strip.across_first {
            self.cross(writer);
        }
        for c in 0..self.sides() {
            let (low, high) = (Self::plane(0, c), Self::plane(1, c));
            writer.line(format!("along{c}.step({low}, {high});"));
        }
        writer.line(format!("const long long k = t - {};", along.pipeline.delay));
        writer.line("if (k < first0) continue;");
        if !self.strip.across_first {
            self.cross(writer);
        }
        self.store(writer, Some("k"));
        writer.line("}");
        writer.line("}");
    }

    /// Where the warp's strip begins.
    fn place(&self, writer: &mut Writer) {
        match self.crossed() {
            Some(axis) => {
                let (first, pairs) = (self.strip.first_lane() * self.items(), self.items());
                let slack = self.proved.slack(axis);
                let useful = self.strip.useful();
                writer.line("// The strip's first pair, such that bands are aligned like their rows.");
                writer.line(format!(
                    "long long k{axis} = first{axis} + warp * {useful} - {};",
                    first as i64 + slack
                ));
                writer.line(format!(
                    "k{axis} += wrapped(job.low_start{axis} - k{axis}, {pairs});"
                ));
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
