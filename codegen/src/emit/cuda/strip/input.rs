//! Rows on their way into registers.

use super::super::writer::Writer;
use super::Emitter;
use crate::kernel::Side;

/// One array that is read, and the row of a pair that it gives.
pub(super) struct Input {
    /// Its variable.
    pub(super) name: String,
    /// The array.
    pub(super) array: String,
    /// Row of the pair.
    row: usize,
    /// Its side, for bands.
    side: usize,
}

impl Emitter<'_> {
    pub(super) fn inputs(&self) -> Vec<Input> {
        let band = |(row, side): (usize, usize)| Input {
            name: format!("in{row}{side}"),
            array: format!("band{}", self.channel(row, side)),
            row,
            side,
        };
        let signal = |row: usize| Input {
            name: format!("in{row}"),
            array: "signal".to_owned(),
            row,
            side: 0,
        };
        match self.input() {
            Side::Signal => (0..self.rows()).map(signal).collect(),
            Side::Bands => self.planes().map(band).collect(),
        }
    }

    /// Elements of a lane in one group of an input's row.
    fn loaded(&self) -> usize {
        match self.input() {
            Side::Signal => self.strip.columns(),
            Side::Bands => self.items(),
        }
    }

    /// `{start, len}` of a side's span along an axis.
    fn span(&self, axis: usize, side: usize) -> (String, String) {
        let name = match (self.input(), side) {
            (Side::Signal, _) => "signal",
            (Side::Bands, 0) => "low",
            (Side::Bands, _) => "high",
        };
        (format!("job.{name}_start{axis}"), format!("job.{name}_len{axis}"))
    }

    /// How a side goes on along an axis.
    fn line(&self, axis: usize, side: usize) -> String {
        match self.input() {
            Side::Signal => format!("{{job.extension{axis}, job.signal_len{axis}, 1, 0}}"),
            Side::Bands => {
                let (start, _) = self.span(axis, side);
                format!(
                    "{{job.extension{axis}, job.bands_len{axis}, 2, 2 * {start} + {side} - job.bands_start{axis}}}"
                )
            }
        }
    }

    /// The index of an input's row at pair `t`, which arrives late by the schedule's lag.
    fn row(&self, input: &Input, t: Option<&str>) -> String {
        let (Some(t), Some(along)) = (t, &self.strip.along) else { return "0".to_owned() };
        let lag = along.pipeline.streams[input.row].lag;
        let (start, _) = self.span(0, input.row);
        match self.input() {
            Side::Signal => format!("2 * ({t} - {lag}) + {} - {start}", input.row),
            Side::Bands => format!("{t} - {lag} - {start}"),
        }
    }

    /// A function that fills a slot with a row that touches an end of its array.
    pub(super) fn fill(&self, writer: &mut Writer) {
        let (axes, count) = (self.axes(), self.strip.lanes() * self.loaded());
        writer.line("// Which columns any output needs, and how the line across goes on beyond its ends.");
        writer.line(format!(
            "__device__ inline Across across_line_{}(const Job{axes}& job, int side) {{",
            self.name
        ));
        let sides = if self.input() == Side::Bands { self.sides() } else { 1 };
        for side in 0..sides {
            let (line, len, first, end) = match self.crossed() {
                // Lanes go on to the last one; beyond, nothing is needed.
                None => (
                    "{0, job.lanes, 1, 0}".to_owned(),
                    "job.lanes".to_owned(),
                    "0".to_owned(),
                    "job.lanes".to_owned(),
                ),
                Some(axis) => {
                    let halo = self.proved.kernel().halo;
                    let first = format!("job.pairs_start{axis} - {}", halo.before[axis]);
                    let end = format!(
                        "job.pairs_start{axis} + job.pairs_len{axis} + {}",
                        halo.after[axis]
                    );
                    let index = |pair: &str| match self.input() {
                        Side::Signal => format!("2 * ({pair}) - job.signal_start{axis}"),
                        Side::Bands => format!("{pair} - {}", self.span(axis, side).0),
                    };
                    let len = self.span(axis, side).1;
                    (self.line(axis, side), len, index(&first), index(&end))
                }
            };
            let guard = if side + 1 < sides { "if (side == 0) " } else { "" };
            writer.line(format!("{guard}return {{{line}, {len}, {first}, {end}}};"));
        }
        writer.line("}");
        writer.line("");
        writer.line("// Row j of an input that touches an end, into a slot.");
        writer.line(format!(
            "__device__ __noinline__ void fill_{}(const Job{axes}& job, value* to, const value* array, long long stride, int row, int side, long long j, long long column, const Beyond* table, int lane) {{",
            self.name
        ));
        let line = |row: usize| match self.strip.along {
            Some(_) => (self.line(0, row), self.span(0, row).1),
            None => ("{0, 1, 1, 0}".to_owned(), "1".to_owned()),
        };
        let (line0, count0) = line(0);
        writer.line(format!("Line along = {line0};"));
        writer.line(format!("long long count = {count0};"));
        if self.input() == Side::Bands && self.rows() == 2 {
            let (line1, count1) = line(1);
            writer.line("if (row == 1) {");
            writer.line(format!("along = {line1};"));
            writer.line(format!("count = {count1};"));
            writer.line("}");
        }
        writer.line(format!("const Across across = across_line_{}(job, side);", self.name));
        writer.line(format!(
            "fill_row<{count}>(to, array, stride, count, along, j, column, table, across, lane);"
        ));
        writer.line("}");
    }

    /// The arrays as the strip sees them, and whether it touches their ends.
    pub(super) fn sources(&self, writer: &mut Writer) {
        let (groups, loaded) = (self.groups(), self.loaded());
        let shifted = self.strip.shifted();
        let inputs = self.inputs();
        for Input { name, array, row, side } in &inputs {
            let column = match (self.crossed(), self.input()) {
                (None, _) => "column".to_owned(),
                (Some(axis), Side::Signal) => format!("2 * from{axis} - job.signal_start{axis}"),
                (Some(axis), Side::Bands) => {
                    format!("from{axis} - {}", self.span(axis, *side).0)
                }
            };
            let (stride, rows) = match &self.strip.along {
                Some(_) => (format!("job.{array}_stride0"), self.span(0, *row).1),
                None => ("0".to_owned(), "1".to_owned()),
            };
            writer.line(format!(
                "const Rows rows_{name} = {{{array}, {stride}, {column}, {rows}}};"
            ));
        }
        let inside: Vec<String> = inputs
            .iter()
            .map(|input| {
                let len = match self.crossed() {
                    Some(axis) => self.span(axis, input.side).1,
                    None => "job.lanes".to_owned(),
                };
                format!("inside<{groups}, {loaded}, {shifted}>(rows_{}, {len})", input.name)
            })
            .collect();
        writer.line("// Flat: no column needs an extension.");
        writer.line(format!("const bool flat = {};", inside.join(" && ")));
        let depth = self.strip.depth.max(1);
        let row = depth * self.strip.lanes() * loaded;
        let ring = inputs.len() * row;
        writer.line("value* const ring = (value*)memory[warp];");
        writer.line(format!("Beyond* const tables = (Beyond*)(ring + {ring});"));
        writer.line("if (!flat) {");
        let sides = if self.input() == Side::Bands { self.sides() } else { 1 };
        for side in 0..sides {
            writer.line(format!("const Across across{side} = across_line_{}(job, {side});", self.name));
            writer.line(format!(
                "find_columns(tables + {side} * 2 * BEYOND, across{side}, lane);"
            ));
        }
        writer.line("}");
        for (index, input) in inputs.iter().enumerate() {
            let name = &input.name;
            let first = self.row(input, Some("start"));
            writer.line(format!(
                "Ring<{groups}, {loaded}, {shifted}, {depth}> {name}(ring + {}, {} + ({first}) * rows_{name}.stride + rows_{name}.column, {});",
                index * row,
                input.array,
                if self.strip.along.is_some() { self.input_step(input) } else { "0".to_owned() }
            ));
        }
    }

    /// Elements between the rows of two pairs.
    fn input_step(&self, input: &Input) -> String {
        let twice = if self.input() == Side::Signal { "2 * " } else { "" };
        format!("{twice}job.{}_stride0", input.array)
    }

    /// Rows of pair `t` on their way to a slot of the ring.
    pub(super) fn load(&self, writer: &mut Writer, t: Option<&str>, slot: &str) {
        for input in self.inputs() {
            let Input { name, row: r, side, .. } = &input;
            let row = self.row(&input, t);
            writer.line("{");
            writer.line(format!("const long long j = {row};"));
            writer.line(format!("if (flat && j >= 0 && j < rows_{name}.count) {{"));
            writer.line(format!(
                "{name}.load(rows_{name}.array + j * rows_{name}.stride + rows_{name}.column, lane, {slot});"
            ));
            writer.line("} else {");
            writer.line(format!("const long long behind = {name}.behind(rows_{name}, j);"));
            writer.line(format!(
                "fill_{}(job, {name}.row({slot}), rows_{name}.array, rows_{name}.stride, {r}, {side}, j, rows_{name}.column - behind, tables + {side} * 2 * BEYOND, lane);",
                self.name
            ));
            writer.line("}");
            writer.line("}");
        }
    }

    /// Without a walk, rows that need no extension go straight to registers.
    pub(super) fn load_directly(&self, writer: &mut Writer) {
        let (groups, loaded, shifted) = (self.groups(), self.loaded(), self.strip.shifted());
        for input in self.inputs() {
            let name = &input.name;
            writer.line(format!("Arrival<{groups}, {loaded}, {shifted}> {name}_direct;"));
            writer.line(format!(
                "{name}_direct.load(rows_{name}.array + rows_{name}.column, lane);"
            ));
        }
    }

    /// Rows into planes.
    pub(super) fn take(&self, writer: &mut Writer, directly: bool) {
        let (groups, loaded) = (self.groups(), self.loaded());
        for input in self.inputs() {
            let Input { name, side, row: r, .. } = &input;
            let taken = |x: &str| match directly {
                true => format!("{name}_direct.take(lane, {x});"),
                false => format!("{name}.take(lane, slot, {x});"),
            };
            let plane = Self::plane(*r, *side);
            if self.input() == Side::Bands || self.sides() == 1 {
                writer.line(taken(&plane));
                continue;
            }
            writer.line("{");
            writer.line(format!("{} x[{}];", self.work(), groups * loaded));
            writer.line(taken("x"));
            writer.line("#pragma unroll");
            writer.line(format!("for (int i = 0; i < {}; ++i) {{", groups * self.items()));
            for c in 0..2 {
                writer.line(format!("{}[i] = x[2 * i + {c}];", Self::plane(*r, c)));
            }
            writer.line("}");
            writer.line("}");
        }
    }
}
