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
        let all = |writer: &mut Writer, name: &str, conditions: &[String]| {
            writer.line(format!("const bool {name} ="));
            let last = conditions.len().saturating_sub(1);
            for (index, condition) in conditions.iter().enumerate() {
                writer.line(format!("    {condition}{}", if index == last { ";" } else { " &&" }));
            }
        };
        let mut columns = Vec::new();
        let mut rows = vec!["flat".to_owned()];
        let mut sums = Vec::new();
        for input in &inputs {
            let name = &input.name;
            let len = match self.crossed() {
                Some(axis) => self.span(axis, input.side).1,
                None => "job.lanes".to_owned(),
            };
            columns.push(format!("inside<{groups}, {loaded}, {shifted}>(rows_{name}, {len})"));
            if self.strip.along.is_some() {
                let end = self.row(input, Some("stop"));
                // The last pair of a signal's rows ends one before the next pair's row.
                let less = if self.input() == Side::Signal { " - 1" } else { "" };
                let first = self.row(input, Some("start"));
                let among = format!("{first} >= 0 && {end}{less} <= rows_{name}.count");
                sums.push(format!("!({among})"));
                rows.push(among);
            }
        }
        if self.strip.along.is_some() {
            let kind = "job.extension0";
            columns.push(format!(
                "!(({kind} == 5 || {kind} == 7) && ({}))",
                sums.join(" || ")
            ));
        }
        writer.line("// Flat: columns need no extension. (Rows that are sums of others are summed column by column.)");
        all(writer, "flat", &columns);
        let mut conditions = rows;
        let (first_lane, end_lane) = (self.strip.first_lane(), self.strip.end_lane());
        conditions.extend(self.outputs().iter().map(|output| {
            let (column, len) = self.output_column(output);
            let (first, rows) = self.output_row(output, "first0");
            let end = match &self.strip.along {
                Some(_) => {
                    let less = if self.operation().output() == Side::Signal { " - 1" } else { "" };
                    format!("{}{less}", self.output_row(output, "end0").0)
                }
                None => "1".to_owned(),
            };
            // Lanes that are not shifted store no more than their own.
            let end_lane = if shifted { end_lane } else { end_lane - 1 };
            format!(
                "fits<{}, {first_lane}, {end_lane}>({column}, {len}, {first}, {end}, {rows})",
                self.stored()
            )
        }));
        writer.line("// Plain: rows need none either, and all outputs exist.");
        all(writer, "plain", &conditions);
    }

    /// Tables for strips that touch an end; rows on their way for the others.
    pub(super) fn arrivals(&self, writer: &mut Writer, plain: bool) {
        let (groups, loaded) = (self.groups(), self.loaded());
        let shifted = self.strip.shifted();
        let inputs = self.inputs();
        if plain {
            let depth = self.strip.depth;
            let row = depth * groups * 32 * loaded;
            for (index, input) in inputs.iter().enumerate() {
                let name = &input.name;
                writer.line(match depth {
                    0 => format!("Arrival<{groups}, {loaded}, {shifted}> {name};"),
                    _ => format!(
                        "Ring<{groups}, {loaded}, {shifted}, {depth}> {name}(ring + {}, at_{name}, {});",
                        index * row,
                        self.input_step(input)
                    ),
                });
            }
            return;
        }
        if self.strip.along.is_some() {
            let rows = if self.input() == Side::Bands { 2 } else { 1 };
            for row in 0..rows {
                writer.line(format!("const Line line{row} = {};", self.line(0, row)));
            }
        } else {
            writer.line("const Line line0 = {0, 1, 1, 0};");
        }
        // Columns: one rule for the signal, one for each side of bands.
        let sides = if self.input() == Side::Bands { self.sides() } else { 1 };
        for input in &inputs {
            writer.line(format!("EdgeArrival<{groups}, {loaded}, {shifted}> {};", input.name));
        }
        for side in 0..sides {
            let column = match inputs.iter().find(|input| input.side == side) {
                Some(input) => format!("rows_{}.column", input.name),
                None => "0".to_owned(),
            };
            writer.line(format!("Gather<{}> columns{side};", groups * loaded));
            let Some(axis) = self.crossed() else {
                writer.line(format!(
                    "if (!flat) find_columns<{groups}, {loaded}>(columns{side}, job.lanes, {column}, lane);"
                ));
                continue;
            };
            let halo = self.proved.kernel().halo;
            let first = format!("job.pairs_start{axis} - {}", halo.before[axis]);
            let end =
                format!("job.pairs_start{axis} + job.pairs_len{axis} + {}", halo.after[axis]);
            let index = |pair: &str| match self.input() {
                Side::Signal => format!("2 * ({pair}) - job.signal_start{axis}"),
                Side::Bands => format!("{pair} - {}", self.span(axis, side).0),
            };
            writer.line(format!("const Line across{side} = {};", self.line(axis, side)));
            writer.line(format!(
                "if (!flat) find_columns<{groups}, {loaded}>(columns{side}, across{side}, {column}, {}, {}, lane);",
                index(&first),
                index(&end)
            ));
        }
    }

    /// Elements between the rows of two pairs.
    pub(super) fn input_step(&self, input: &Input) -> String {
        let twice = if self.input() == Side::Signal { "2 * " } else { "" };
        format!("{twice}job.{}_stride0", input.array)
    }

    /// The index of an input's row at pair `t`.
    pub(super) fn input_row(&self, input: &Input, t: Option<&str>) -> String {
        self.row(input, t)
    }

    /// Loads the rows at the inputs' pointers, to a slot of a ring where there is one.
    pub(super) fn load(&self, writer: &mut Writer, slot: &str) {
        for input in self.inputs() {
            let name = &input.name;
            writer.line(format!("{name}.load(at_{name}, lane{slot});"));
        }
    }

    /// Loads the rows of pair `t` in a strip that touches an end.
    pub(super) fn load_edge(&self, writer: &mut Writer, t: Option<&str>) {
        for input in self.inputs() {
            let (name, side, line) = (&input.name, input.side, self.edge_line(&input));
            let row = self.row(&input, t);
            writer.line(format!(
                "{name}.load(rows_{name}, line{line}, {row}, lane, flat, columns{side});"
            ));
        }
    }

    /// Which of the lines along the walk an input's rows are on.
    fn edge_line(&self, input: &Input) -> usize {
        if self.input() == Side::Bands && self.rows() == 2 { input.row } else { 0 }
    }

    /// Moves the inputs' pointers on to the next pair of rows.
    pub(super) fn follow(&self, writer: &mut Writer) {
        for input in self.inputs() {
            writer.line(format!("at_{} += {};", input.name, self.input_step(&input)));
        }
    }

    /// Rows into planes: those that were loaded, or (at the ends) those of pair `t`.
    pub(super) fn take(&self, writer: &mut Writer, t: Option<&str>, plain: bool) {
        let (groups, loaded) = (self.groups(), self.loaded());
        for input in self.inputs() {
            let Input { name, side, row: r, .. } = &input;
            let taken = |x: &str| match plain {
                true if self.strip.depth > 0 => format!("{name}.take(lane, slot, {x});"),
                true => format!("{name}.take(lane, {x});"),
                false => {
                    let row = self.row(&input, t);
                    let line = self.edge_line(&input);
                    format!(
                        "{name}.take(rows_{name}, line{line}, {row}, lane, flat, columns{side}, {x});"
                    )
                }
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
