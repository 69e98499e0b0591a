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
        self.plain(writer);
        writer.line("");
        self.edge(writer);
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
        if self.strip.depth > 0 {
            let (warps, ring) = (self.strip.warps, self.strip.ring());
            writer.line(format!("alignas(16) __shared__ value rings[{warps}][{ring}];"));
        }
        let names = |all: Vec<[String; 3]>| -> String {
            let all: Vec<String> = all.into_iter().map(|[_, _, value]| value).collect();
            all.join(", ")
        };
        writer.line("if (plain) {");
        writer.line(format!("plain_{}({});", self.name, names(self.plain_arguments())));
        writer.line("} else {");
        writer.line(format!("edge_{}({});", self.name, names(self.edge_arguments())));
        writer.line("}");
        writer.line("}");
    }

    /// Type, name and value of what a plain walk is given: where its rows begin.
    fn plain_arguments(&self) -> Vec<[String; 3]> {
        let argument = |kind: &str, name: &str, value: String| {
            [kind.to_owned(), name.to_owned(), value]
        };
        let axes = self.axes();
        let mut all = vec![argument(&format!("const Job{axes}&"), "job", "job".to_owned())];
        for input in self.inputs() {
            let row = self.input_row(&input, Some("start"));
            let name = &input.name;
            let at = format!("{} + ({row}) * rows_{name}.stride + rows_{name}.column", input.array);
            all.push(argument("const value*", &format!("at_{name}"), at));
        }
        for output in self.outputs() {
            let (row, _) = self.output_row(&output, "first0");
            let (column, _) = self.output_column(&output);
            let array = &output.array;
            let at = match self.strip.along {
                Some(_) => format!("{array} + ({row}) * job.{array}_stride0 + {column}"),
                None => format!("{array} + {column}"),
            };
            all.push(argument("value*", &output.name, at));
        }
        if self.strip.along.is_some() {
            all.push(argument("const int", "count", "(int)(stop - start)".to_owned()));
        }
        if self.strip.depth > 0 {
            all.push(argument("value*", "ring", "rings[warp]".to_owned()));
        }
        all.push(argument("const int", "lane", "lane".to_owned()));
        all
    }

    /// The walk of rows that arrive through a ring.
    fn through_ring(&self, writer: &mut Writer, warm: usize) {
        let depth = self.strip.depth;
        writer.line(format!("for (int n = 0; n < {}; ++n) {{", depth - 1));
        writer.line("if (n < count) {");
        self.load(writer, ", n");
        self.follow(writer);
        writer.line("}");
        writer.line("close_copies();");
        writer.line("}");
        self.windows(writer);
        writer.line("int slot = 0;");
        writer.line("for (int n = 0; n < count; ++n) {");
        writer.line(format!("const int free = slot == 0 ? {} : slot - 1;", depth - 1));
        writer.line(format!("if (n + {} < count) {{", depth - 1));
        self.load(writer, ", free");
        self.follow(writer);
        writer.line("}");
        writer.line("close_copies();");
        writer.line(format!("await_copies<{}>();", depth - 1));
        self.registers(writer);
        self.take(writer, None, true);
        writer.line(format!("slot = slot == {} ? 0 : slot + 1;", depth - 1));
        self.transform(writer, &format!("if (n < {warm}) continue;"));
        self.store(writer, None);
        self.leave(writer);
        writer.line("}");
        writer.line("}");
    }

    /// Moves the outputs' pointers on to the next pair of rows.
    fn leave(&self, writer: &mut Writer) {
        for output in self.outputs() {
            writer.line(format!("{} += {};", output.name, self.output_step(&output)));
        }
    }

    /// A strip where nothing is extended: rows are loaded ahead.
    fn plain(&self, writer: &mut Writer) {
        self.opening(writer, "inline void plain", self.plain_arguments());
        self.arrivals(writer, true);
        if let (Some(along), 1..) = (&self.strip.along, self.strip.depth) {
            return self.through_ring(writer, along.pipeline.warm());
        }
        self.load(writer, "");
        let Some(along) = &self.strip.along else {
            self.registers(writer);
            self.take(writer, None, true);
            self.cross(writer);
            self.store(writer, None);
            writer.line("}");
            return;
        };
        self.windows(writer);
        writer.line("for (int n = 0; n < count; ++n) {");
        self.registers(writer);
        self.take(writer, None, true);
        writer.line("if (n + 1 < count) {");
        self.follow(writer);
        self.load(writer, "");
        writer.line("}");
        self.transform(writer, &format!("if (n < {}) continue;", along.pipeline.warm()));
        self.store(writer, None);
        self.leave(writer);
        writer.line("}");
        writer.line("}");
    }

    /// Type, name and value of what a walk at the ends is given.
    fn edge_arguments(&self) -> Vec<[String; 3]> {
        let mut all: Vec<[String; 3]> = Vec::new();
        let mut add =
            |kind: &str, name: String| all.push([kind.to_owned(), name.clone(), name.clone()]);
        let axes = self.axes();
        add(&format!("const Job{axes}&"), "job".to_owned());
        match self.operation().output() {
            Side::Signal => add("value* const", "signal".to_owned()),
            Side::Bands => {
                for channel in 0..1 << axes {
                    add("value* const", format!("band{channel}"));
                }
            }
        }
        for input in self.inputs() {
            add("const Rows&", format!("rows_{}", input.name));
        }
        add("const int", "lane".to_owned());
        add("const bool", "flat".to_owned());
        match self.crossed() {
            Some(axis) => add("const long long", format!("k{axis}")),
            None => add("const long long", "column".to_owned()),
        }
        if self.strip.along.is_some() {
            for name in ["first0", "start", "stop"] {
                add("const long long", name.to_owned());
            }
        }
        all
    }

    /// A strip that touches the ends of its lines: columns and rows are gathered by their extension.
    fn edge(&self, writer: &mut Writer) {
        self.opening(writer, "__noinline__ void edge", self.edge_arguments());
        self.arrivals(writer, false);
        self.whole(writer);
        let Some(along) = &self.strip.along else {
            self.load_edge(writer, None);
            self.registers(writer);
            self.take(writer, None, false);
            self.cross(writer);
            self.store(writer, Some("0"));
            writer.line("}");
            return;
        };
        self.windows(writer);
        self.load_edge(writer, Some("start"));
        writer.line("for (long long t = start; t < stop; ++t) {");
        self.registers(writer);
        self.take(writer, Some("t"), false);
        writer.line("if (t + 1 < stop) {");
        self.load_edge(writer, Some("t + 1"));
        writer.line("}");
        let delay = along.pipeline.delay;
        self.transform(writer, &format!("const long long k = t - {delay};\nif (k < first0) continue;"));
        self.store(writer, Some("k"));
        writer.line("}");
        writer.line("}");
    }

    fn opening(&self, writer: &mut Writer, what: &str, arguments: Vec<[String; 3]>) {
        let arguments: Vec<String> =
            arguments.into_iter().map(|[kind, name, _]| format!("{kind} {name}")).collect();
        writer.line(format!("__device__ {what}_{}({}) {{", self.name, arguments.join(", ")));
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
