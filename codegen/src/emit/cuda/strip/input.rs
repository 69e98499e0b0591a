//! Rows on their way into registers.

use super::super::writer::Writer;
use super::{Emitter, Strip};
use crate::kernel::Side;

/// One array that is read, and the row of a pair that it gives.
struct Input {
    /// Its variable.
    name: String,
    /// The array.
    array: String,
    /// Row of the pair.
    row: usize,
    /// Its side, for bands.
    side: usize,
}

impl Emitter<'_> {
    fn inputs(&self) -> Vec<Input> {
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
            Side::Signal => Strip::COLUMNS,
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

    pub(super) fn sources(&self, writer: &mut Writer) {
        let (groups, loaded) = (self.groups(), self.loaded());
        let shifted = self.strip.across.is_some();
        let inputs = self.inputs();
        for input in &inputs {
            let Input { name, array, row, side } = input;
            let column = match (self.crossed(), self.input()) {
                (None, _) => "column".to_owned(),
                (Some(axis), Side::Signal) => format!("2 * from{axis} - job.signal_start{axis}"),
                (Some(axis), Side::Bands) => {
                    format!("from{axis} - {}", self.span(axis, *side).0)
                }
            };
            let (stride, rows, line) = match &self.strip.along {
                Some(_) => (
                    format!("job.{array}_stride0"),
                    self.span(0, *row).1,
                    self.line(0, *row),
                ),
                None => ("0".to_owned(), "1".to_owned(), "{0, 1, 1, 0}".to_owned()),
            };
            writer.line(format!("Source<{groups}, {loaded}, {shifted}> {name} = {{"));
            writer.line(format!("{array}, {stride}, {column}, {rows}, {line}, {{}}"));
            writer.line("};");
        }
        // Columns: one rule for the signal, one for each side of bands.
        let sides = if self.input() == Side::Bands { self.sides() } else { 1 };
        let inner: Vec<String> = inputs
            .iter()
            .map(|input| {
                let len = match self.crossed() {
                    Some(axis) => self.span(axis, input.side).1,
                    None => "job.lanes".to_owned(),
                };
                format!("{}.inner({len})", input.name)
            })
            .collect();
        let sums: Vec<String> = match &self.strip.along {
            None => Vec::new(),
            Some(_) => inputs
                .iter()
                .map(|input| {
                    let (first, last) =
                        (self.row(input, Some("start")), self.row(input, Some("stop")));
                    format!(" || {}.sums({first}, {last})", input.name)
                })
                .collect(),
        };
        writer.line("// Strips at the ends gather their columns one by one.");
        writer.line(format!("const bool gathered = !({}){};", inner.join(" && "), sums.concat()));
        for side in 0..sides {
            writer.line(format!("Gather<{}> columns{side};", groups * loaded));
        }
        writer.line("if (gathered) {");
        for side in 0..sides {
            let column = match inputs.iter().find(|input| input.side == side) {
                Some(input) => format!("{}.column", input.name),
                None => "0".to_owned(),
            };
            match self.crossed() {
                Some(axis) => {
                    writer.line(format!("const Line line{side} = {};", self.line(axis, side)));
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
                    writer.line(format!(
                        "find_columns<{groups}, {loaded}>(columns{side}, line{side}, {column}, {}, {}, lane);",
                        index(&first),
                        index(&end)
                    ));
                }
                None => writer.line(format!(
                    "find_columns<{groups}, {loaded}>(columns{side}, job.lanes, {column}, lane);"
                )),
            }
        }
        writer.line("}");
    }

    pub(super) fn load(&self, writer: &mut Writer, t: Option<&str>) {
        for input in self.inputs() {
            let row = self.row(&input, t);
            writer.line(format!("{}.load({row}, lane, gathered, columns{});", input.name, input.side));
        }
    }

    pub(super) fn take(&self, writer: &mut Writer, t: Option<&str>) {
        let (groups, loaded) = (self.groups(), self.loaded());
        for input in self.inputs() {
            let row = self.row(&input, t);
            let (name, side) = (&input.name, input.side);
            let plane = Self::plane(input.row, side);
            if self.input() == Side::Bands || self.sides() == 1 {
                writer.line(format!("{name}.take({row}, lane, gathered, columns{side}, {plane});"));
                continue;
            }
            let items = self.items();
            writer.line("{");
            writer.line(format!("{} x[{}];", self.work(), groups * loaded));
            writer.line(format!("{name}.take({row}, lane, gathered, columns{side}, x);"));
            writer.line("#pragma unroll");
            writer.line(format!("for (int i = 0; i < {}; ++i) {{", groups * items));
            for c in 0..2 {
                writer.line(format!("{}[i] = x[2 * i + {c}];", Self::plane(input.row, c)));
            }
            writer.line("}");
            writer.line("}");
        }
    }
}
