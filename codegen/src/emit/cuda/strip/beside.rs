//! Strips along three axes: of every slice a lane holds a block of rows, which it transforms by itself.

use super::super::body::{Lanes, statements};
use super::super::writer::Writer;
use super::Emitter;
use super::ends::line_of;
use super::input::Input;
use super::output::Output;
use crate::dag::Place;
use crate::gpu::Beside;
use crate::kernel::Side;

impl Emitter<'_> {
    /// The transform within a lane as a function.
    pub(super) fn beside(&self, writer: &mut Writer, beside: &Beside) {
        let (work, items) = (self.work(), self.items());
        let (read, made) = (beside.read() * items, beside.made() * items);
        writer.line("// Within a lane: rows of planes become those of bands, or rows of bands those of planes.");
        writer.line(format!(
            "__device__ inline void beside_{}(const {work} (&x)[{read}], {work} (&y)[{made}]) {{",
            self.name
        ));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {items}; ++i) {{"));
        let leaf = |place: &Place| format!("x[{} + i]", beside.source(place) * items);
        let (lines, stores) = statements(&beside.dag, Lanes::Any, &leaf);
        writer.lines(lines);
        for (place, value) in stores {
            writer.line(format!("y[{} + i] = {value};", beside.target(&place) * items));
        }
        writer.line("}");
        writer.line("}");
    }

    /// What is read of bands: of every one the same rows.
    pub(super) fn blocks_of_bands(&self) -> Vec<Input> {
        let blocks = self.blocks().map(|(row, run, side)| Input {
            name: format!("in{row}{run}{side}"),
            array: format!("band{}", 4 * row + 2 * run + side),
            row,
            side,
            run,
        });
        blocks.collect()
    }

    /// What is written of bands.
    pub(super) fn blocks_made(&self) -> Vec<Output> {
        let blocks = self.blocks().map(|(row, run, side)| Output {
            name: format!("out{row}{run}{side}"),
            array: format!("band{}", 4 * row + 2 * run + side),
            row,
            side,
            run,
        });
        blocks.collect()
    }

    /// Slice of a pair, channel of its rows, and channel of their columns.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        (0..8).map(|channel| (channel >> 2, channel >> 1 & 1, channel & 1))
    }

    /// The element of an array, in the row of a slice where a block begins.
    pub(super) fn on_line(&self, element: String, array: &str, line: Option<String>) -> String {
        match line {
            Some(line) => format!("{element} + ({line}) * {}", self.stride_of(array, 1)),
            None => element,
        }
    }

    /// The stride of an array along an axis. Bands that are as long along the axes behind it have the same one:
    /// a few strides fit the registers.
    pub(super) fn stride_of(&self, array: &str, axis: usize) -> String {
        let field = self.field(array);
        let shared = match (field.strip_prefix("band").map(str::parse::<usize>), axis) {
            (Some(Ok(channel)), 0) => format!("band{}", channel & 3),
            (Some(Ok(channel)), 1) => format!("band{}", channel & 1),
            _ => field.to_owned(),
        };
        format!("{}.{shared}_stride{axis}", self.job())
    }

    /// The first row of a block in an input's slice.
    pub(super) fn input_line(&self, input: &Input) -> Option<String> {
        let beside = self.strip.beside.as_ref()?;
        let first = i64::from(beside.runs.get(input.run)?.first);
        let (start, _) = self.span(1, input.run);
        Some(match self.input() {
            Side::Signal => format!("{} - {start}", super::input::moved("2 * k1", first)),
            Side::Bands => format!("{} - {start}", super::input::moved("k1", first)),
        })
    }

    /// The first row of a block in an output's slice.
    pub(super) fn output_line(&self, output: &Output) -> Option<String> {
        self.strip.beside.as_ref()?;
        let (start, _) = self.output_span(1, output.run);
        Some(match self.operation().output() {
            Side::Signal => format!("2 * k1 - {start}"),
            Side::Bands => format!("k1 - {start}"),
        })
    }

    /// Where the warp's block of rows begins: warps of a block stand beside each other.
    pub(super) fn place_block(&self, writer: &mut Writer, beside: &Beside) {
        writer.line(format!("const long long k1 = first1 + warp * {};", beside.pairs));
        writer.line("if (k1 >= job.pairs_start1 + job.pairs_len1) return;");
    }

    /// Planes before the transform of rows, and after it.
    pub(super) fn registers_of_blocks(&self, writer: &mut Writer, beside: &Beside) {
        for (before, rows) in [(true, beside.read()), (false, beside.made())] {
            let count = rows * self.items();
            let all: Vec<String> = self
                .planes()
                .map(|(r, c)| format!("{}[{count}]", self.block(r, c, before)))
                .collect();
            writer.line(format!("{} {};", self.work(), all.join(", ")));
        }
    }

    /// A plane of slice `r`, before or after the transform of rows.
    fn block(&self, r: usize, c: usize, before: bool) -> String {
        let name = if before { "q" } else { "p" };
        format!("{name}{r}{c}")
    }

    pub(super) fn size_of(&self, elements: usize) -> usize {
        let bytes = self.proved.kernel().element.bytes();
        match self.strip.alignment {
            Some(_) => elements.min(16 / bytes),
            None => 1,
        }
    }

    pub(super) fn rings_of_blocks(&self, writer: &mut Writer, beside: &Beside) {
        let (loaded, depth) = (self.loaded(), self.strip.depth);
        let (size, mut used) = (self.size_of(loaded), 0);
        for input in self.inputs() {
            let rows = beside.runs.get(input.run).map_or(0, |run| run.count);
            let stride = self.stride_of(&input.array, 1);
            writer.line(format!(
                "Block<{rows}, {loaded}, {size}, {depth}> {}(ring + {used}, {stride});",
                input.name
            ));
            used += depth * rows * loaded * self.strip.lanes();
        }
    }

    /// Blocks of a pair of slices into planes; where rows are transformed first, they are at once.
    pub(super) fn take_blocks(&self, writer: &mut Writer, beside: &Beside) {
        let items = self.items();
        for r in 0..self.rows() {
            for input in self.inputs().iter().filter(|input| input.row == r) {
                let before = beside.runs.iter().take(input.run).map(|run| run.count).sum::<usize>();
                let planes = (self.block(r, 0, true), self.block(r, 1, true));
                if self.input() == Side::Bands {
                    let plane = if input.side == 0 { planes.0 } else { planes.1 };
                    writer.line(format!(
                        "{}.template take<{}>(lane, slot, {plane});",
                        input.name,
                        before * items
                    ));
                    continue;
                }
                let count = beside.read() * items;
                writer.line("{");
                writer.line(format!("{} x[{}];", self.work(), 2 * count));
                writer.line(format!("{}.template take<0>(lane, slot, x);", input.name));
                writer.line("#pragma unroll");
                writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
                for (c, plane) in [planes.0, planes.1].into_iter().enumerate() {
                    writer.line(format!("{plane}[i] = x[2 * i + {}];", self.parity(c)));
                }
                writer.line("}");
                writer.line("}");
            }
            if beside.first {
                self.rows_of_blocks(writer, r);
            }
        }
    }

    /// The transform of the rows of slice `r`.
    fn rows_of_blocks(&self, writer: &mut Writer, r: usize) {
        for c in 0..self.sides() {
            let (from, to) = (self.block(r, c, true), self.block(r, c, false));
            writer.line(format!("beside_{}({from}, {to});", self.name));
        }
    }

    /// What is left to do of the three transforms.
    pub(super) fn transform_blocks(&self, writer: &mut Writer, beside: &Beside) {
        for second in [false, true] {
            let before = !beside.first && !second;
            if self.strip.across_first != second {
                for r in 0..self.rows() {
                    let (even, odd) = (self.block(r, 0, before), self.block(r, 1, before));
                    writer.line(format!("across_{}({even}, {odd}, lane);", self.name));
                }
            } else {
                for c in 0..self.sides() {
                    let (low, high) = (self.block(0, c, before), self.block(1, c, before));
                    writer.line(format!("along{c}.step({low}, {high});"));
                }
                writer.line("if (!wanted) return;");
            }
            if before {
                (0..self.rows()).for_each(|r| self.rows_of_blocks(writer, r));
            }
        }
    }

    /// Stores the blocks of iteration `n` at the outputs' pointers.
    pub(super) fn store_blocks(&self, writer: &mut Writer, beside: &Beside, n: &str) {
        let (items, stored, work) = (self.items(), self.stored(), self.work());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        let (size, pairs, made) = (self.size_of(stored), beside.pairs, beside.made());
        for (index, output) in self.outputs().iter().enumerate() {
            let name = &output.name;
            let stride = self.stride_of(&output.array, 1);
            writer.line("{");
            let (rows, begin, x) = match self.operation().output() {
                Side::Bands => {
                    (pairs, output.run * pairs * items, self.block(output.row, output.side, false))
                }
                Side::Signal => {
                    writer.line(format!("{work} x[{}];", made * stored));
                    writer.line("#pragma unroll");
                    writer.line(format!("for (int i = 0; i < {}; ++i) {{", made * items));
                    // Row 2 j + q of the signal is row j of channel q.
                    let each = pairs * items;
                    let row = format!(
                        "(i % {each} / {items} * 2 + i / {each}) * {stored} + i % {items} * 2"
                    );
                    for c in 0..2 {
                        let (plane, element) = (self.block(output.row, c, false), self.parity(c));
                        writer.line(format!("x[{row} + {element}] = {plane}[i];"));
                    }
                    writer.line("}");
                    (made, 0, "x".to_owned())
                }
            };
            let shape = format!("{rows}, {stored}, {size}, {first}, {end}, {begin}");
            self.one_of(
                writer,
                |writer| {
                    writer.line(format!("const Target& target = ends.target[{index}];"));
                    writer.line(format!("if ({n} >= target.begin && {n} < target.end) {{"));
                    writer.line(format!(
                        "put_block_ends<{shape}>({name}, {stride}, target, ends.shelf[{index}], lane, {x});"
                    ));
                    writer.line("}");
                },
                |writer| {
                    self.store_round(writer, output, n, |writer, vectors, lines| {
                        writer.line(format!(
                            "put_block_round<{rows}, {stored}, {size}, {begin}>({name}, {stride}, {vectors}, {lines}, lane, {x});"
                        ));
                    });
                },
                |writer| {
                    writer.line(format!("put_block<{shape}>({name}, {stride}, lane, {x});"));
                },
            );
            writer.line("}");
        }
    }

    /// The structure of what a strip at an end knows of its arrays.
    pub(super) fn blocks_type(&self, beside: &Beside) -> String {
        let (sources, targets) = (self.inputs().len(), self.outputs().len());
        format!("Blocks<{sources}, {targets}, {}>", self.strip.most_rows(beside))
    }

    /// What a strip at an end finds out once.
    pub(super) fn fill_blocks(&self, writer: &mut Writer, beside: &Beside) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let sources = inputs.len();
        writer.line(format!("if ({}) {{", self.knows_ends()));
        writer.line("// Lane 3 s + d finds how source s goes on in direction d, later ones what the targets hold.");
        writer.line(
            "long long kind = 0, len = 1, step = 1, offset = 0, elements = 1, first = 0, end = 1;",
        );
        writer.line("switch (lane) {");
        for (index, input) in inputs.iter().enumerate() {
            let array = &input.array;
            let [slices, lines] = [0, 1].map(|axis| self.stride_of(array, axis));
            let source = format!("ends.source[{index}]");
            writer.line(format!("case {}:", 3 * index));
            writer.line(format!("{source}.array = {array};"));
            writer.line(format!("{source}.stride = {slices};"));
            writer.line(format!("{source}.column = {};", self.input_column(input)));
            line_of(writer, &self.rows_of(input));
            writer.line("break;");
            writer.line(format!("case {}:", 3 * index + 1));
            line_of(writer, &self.line_of_job(2, input.side));
            writer.line("break;");
            writer.line(format!("case {}:", 3 * index + 2));
            let line = self.input_line(input).unwrap_or_default();
            writer.line(format!("ends.lines[{index}].first = {line};"));
            writer.line(format!("ends.lines[{index}].stride = {lines};"));
            line_of(writer, &self.line_of_job(1, input.run));
            writer.line("break;");
        }
        for (index, output) in outputs.iter().enumerate() {
            let ([begin, end], (from, to)) =
                (self.iterations_of(output), self.columns_of_job(output));
            writer.line(format!("case {}:", 3 * sources + index));
            writer.line(format!(
                "ends.target[{index}] = Target{{{begin}, {end}, clamped({from}), clamped({to})}};"
            ));
            let [low, high] = self.rows_of_job(output);
            writer.line(format!("ends.shelf[{index}] = Shelf{{clamped({low}), clamped({high})}};"));
            writer.line("break;");
        }
        writer.line("}");
        writer.line(format!("if (lane < {}) {{", 3 * sources));
        writer.line("Source& source = ends.source[lane / 3];");
        writer.line("Axis* const axis = lane % 3 == 0 ? &source.rows : lane % 3 == 1 ? &source.columns : &ends.lines[lane / 3].axis;");
        writer.line("fill(axis, kind, len, step, offset, elements, first, end);");
        writer.line("}");
        writer.line("__syncwarp();");
        writer.line("ends.find_rows(lane);");
        writer.line("__syncwarp();");
        writer.line("}");
        debug_assert_eq!(beside.runs.len(), if self.input() == Side::Signal { 1 } else { 2 });
    }

    /// First and one past the last of a block's rows that exist in an output and are the job's.
    pub(super) fn rows_of_job(&self, output: &Output) -> [String; 2] {
        let line = self.output_line(output).unwrap_or_default();
        let (_, len) = self.output_span(1, output.run);
        let job = self.job();
        let ends = |pair: &str| match self.operation().output() {
            Side::Signal => format!("2 * ({pair} - k1)"),
            Side::Bands => format!("{pair} - k1"),
        };
        let first = ends(&format!("{job}.pairs_start1"));
        let last = ends(&format!("({job}.pairs_start1 + {job}.pairs_len1)"));
        [format!("larger(-({line}), {first})"), format!("smaller({len} - ({line}), {last})")]
    }
}
