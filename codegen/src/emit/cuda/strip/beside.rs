//! Strips along three axes: of every slice a lane holds a block of rows, which it transforms by itself.

use super::super::body::{Lanes, statements};
use super::super::value::literal;
use super::super::writer::Writer;
use super::Emitter;
use super::ends::line_of;
use super::input::{Input, moved};
use super::output::Output;
use super::round::ROUND;
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

    /// The first row of an input's slice that a warp loads: of its own block, or where warps have a ring in common, of
    /// its share.
    pub(super) fn input_line(&self, input: &Input) -> Option<String> {
        let beside = self.strip.beside.as_ref()?;
        let run = beside.runs.get(input.run)?;
        let (start, _) = self.span(1, input.run);
        let pair = if self.input() == Side::Signal { "2 * k1" } else { "k1" };
        let mut line = moved(pair, i64::from(run.first));
        if self.strip.joint() {
            let (share, step) = (self.strip.brought(beside, run), beside.step());
            let (sign, by) = if share < step { ("-", step - share) } else { ("+", share - step) };
            line = format!("{line} {sign} warp * {by}");
        }
        Some(format!("{line} - {start}"))
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
        if !self.strip.joint() {
            writer.line("if (k1 >= job.pairs_start1 + job.pairs_len1) return;");
        }
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
            let Some(run) = beside.runs.get(input.run) else { continue };
            let (rows, stride) = (run.count, self.stride_of(&input.array, 1));
            let (warps, warp) = match self.strip.joint() {
                true => (self.strip.warps, "warp"),
                false => (1, "0"),
            };
            writer.line(format!(
                "Block<{rows}, {loaded}, {size}, {depth}, {warps}, {}> {}(ring + {used}, {stride}, {warp});",
                beside.step(),
                input.name
            ));
            used += depth * self.strip.held(beside, run) * loaded * self.strip.lanes();
        }
    }

    /// The gains of the rows of a plane of slice `r`, before the transforms or after them.
    fn scale_block(&self, writer: &mut Writer, (r, c): (usize, usize), taken: bool, before: bool) {
        let (Some(beside), gains) = (&self.strip.beside, &self.strip.gains) else { return };
        let gains = if before { &gains.before } else { &gains.after };
        let (element, items) = (self.proved.kernel().element, self.items());
        let rows = if taken { beside.read() } else { beside.made() };
        let side = |row: usize| if taken { beside.side(row) } else { row / beside.pairs };
        let plane = self.block(r, c, taken);
        for row in 0..rows {
            let gain = gains[4 * r + 2 * side(row) + c];
            if gain == 1.0 {
                continue;
            }
            for item in row * items..(row + 1) * items {
                writer.line(format!("{plane}[{item}] *= {};", literal(element, gain)));
            }
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
                        "{}.template take<{}>(reader, slot, {plane});",
                        input.name,
                        before * items
                    ));
                    continue;
                }
                let count = beside.read() * items;
                writer.line("{");
                writer.line(format!("{} x[{}];", self.work(), 2 * count));
                writer.line(format!("{}.template take<0>(reader, slot, x);", input.name));
                writer.line("#pragma unroll");
                writer.line(format!("for (int i = 0; i < {count}; ++i) {{"));
                for (c, plane) in [planes.0, planes.1].into_iter().enumerate() {
                    writer.line(format!("{plane}[i] = x[2 * i + {}];", self.parity(c)));
                }
                writer.line("}");
                writer.line("}");
            }
            for c in 0..self.sides() {
                self.scale_block(writer, (r, c), true, true);
            }
            if beside.first {
                self.rows_of_blocks(writer, r);
            }
        }
    }

    /// Loads, with three axes, by the first lanes alone: on others nothing depends.
    pub(super) fn lanes_read(
        &self,
        writer: &mut Writer,
        lanes: &str,
        write: impl FnOnce(&mut Writer),
    ) {
        if self.strip.beside.is_none() || lanes == self.strip.lanes().to_string() {
            return write(writer);
        }
        writer.line(format!("if (lane < {lanes}) {{"));
        write(writer);
        writer.line("}");
    }

    /// Lanes for which nothing is loaded take what the last one takes.
    pub(super) fn reader(&self, writer: &mut Writer) {
        if self.strip.beside.is_none() {
            return;
        }
        let read = self.strip.lanes_read();
        let inside = match read == self.strip.lanes() {
            true => "lane".to_owned(),
            false => format!("(lane < {read} ? lane : {})", read - 1),
        };
        let reader = match (self.goes_up(), self.wraps()) {
            (true, _) => inside,
            (_, true) => format!(
                "ENDS > WRAPPED ? lane : {ROUND} ? (lane < lanes ? lane : lanes - 1) : {inside}"
            ),
            (_, false) => format!("ENDS ? lane : {inside}"),
        };
        writer.line(format!("const int reader = {reader};"));
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
        for plane in self.planes() {
            self.scale_block(writer, plane, false, false);
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
            let before = match self.strip.joint() {
                true => format!("warp * {rows}"),
                false => "0".to_owned(),
            };
            self.one_of(
                writer,
                |writer| {
                    writer.line(format!("const Target& target = ends.target[{index}];"));
                    writer.line(format!("if ({n} >= target.begin && {n} < target.end) {{"));
                    writer.line(format!(
                        "put_block_ends<{shape}>({name}, {stride}, target, ends.shelf[{index}], {before}, lane, {x});"
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
        let (sides, runs) = (self.sides_read().len(), beside.runs.len());
        format!("Blocks<{sides}, {runs}, {sources}, {targets}, {}>", self.strip.most_rows(beside))
    }

    /// What a strip at an end finds out once.
    pub(super) fn fill_blocks(&self, writer: &mut Writer, beside: &Beside) {
        let (joint, warps) = (self.strip.joint(), self.strip.sharers());
        writer.line(format!("if ({}) {{", self.knows_ends()));
        if joint {
            writer.line("// The first warp finds it for all.");
            writer.line("if (warp == 0) {");
        }
        self.fill_axes(writer, beside);
        if joint {
            writer.line("}");
        }
        let barrier = if joint { "__syncthreads();" } else { "__syncwarp();" };
        let thread = if joint { "warp * 32 + lane" } else { "lane" };
        writer.line(barrier);
        writer.line(format!("ends.find_rows<{}>({thread});", 32 * warps));
        writer.line(barrier);
        writer.line("}");
    }

    /// A lane for everything that is found out.
    fn fill_axes(&self, writer: &mut Writer, beside: &Beside) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        writer.line("// A lane each finds how slices of a pair, columns of a side and rows of a run go on, what the sources are,");
        writer.line("// and what the targets hold.");
        writer.line(
            "long long kind = 0, len = 1, step = 1, offset = 0, elements = 1, first = 0, end = 1;",
        );
        writer.line("Axis* axis = 0;");
        writer.line("switch (lane) {");
        let mut lane = 0;
        let mut case = |writer: &mut Writer| {
            writer.line(format!("case {lane}:"));
            lane += 1;
        };
        for row in 0..self.rows() {
            let Some(input) = inputs.iter().find(|input| input.row == row) else { continue };
            case(writer);
            writer.line(format!("axis = &ends.rows[{row}];"));
            line_of(writer, &self.rows_of(input));
            writer.line("break;");
        }
        for side in self.sides_read() {
            case(writer);
            writer.line(format!("axis = &ends.columns[{side}];"));
            line_of(writer, &self.line_of_job(2, side));
            writer.line("break;");
        }
        for run in 0..beside.runs.len() {
            let line = inputs.iter().find(|input| input.run == run);
            let Some(line) = line.and_then(|input| self.input_line(input)) else { continue };
            case(writer);
            writer.line(format!("axis = &ends.lines[{run}].axis;"));
            writer.line(format!("ends.lines[{run}].first = {line};"));
            line_of(writer, &self.line_of_job(1, run));
            writer.line("break;");
        }
        for (index, input) in inputs.iter().enumerate() {
            let (array, stride) = (&input.array, self.stride_of(&input.array, 0));
            let column = self.input_column(input);
            case(writer);
            writer.line(format!("ends.source[{index}] = Slice{{{array}, {stride}, {column}}};"));
            writer.line("break;");
        }
        for (index, output) in outputs.iter().enumerate() {
            let ([begin, end], (from, to)) =
                (self.iterations_of(output), self.columns_of_job(output));
            case(writer);
            writer.line(format!(
                "ends.target[{index}] = Target{{{begin}, {end}, clamped({from}), clamped({to})}};"
            ));
            let [low, high] = self.rows_of_job(output);
            writer.line(format!("ends.shelf[{index}] = Shelf{{clamped({low}), clamped({high})}};"));
            writer.line("break;");
        }
        writer.line("}");
        writer.line("if (axis) fill(axis, kind, len, step, offset, elements, first, end);");
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
