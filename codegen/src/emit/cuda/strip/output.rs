//! Finished rows on their way out of registers.

use super::super::writer::Writer;
use super::Emitter;
use crate::kernel::Side;

/// One row of one array that is written for every pair.
pub(super) struct Output {
    /// Its variable: where the strip begins in it.
    pub(super) name: String,
    /// The array.
    pub(super) array: String,
    /// Row of the pair.
    pub(super) row: usize,
    /// Its side, for bands.
    pub(super) side: usize,
}

impl Emitter<'_> {
    pub(super) fn outputs(&self) -> Vec<Output> {
        match self.operation().output() {
            Side::Bands => self
                .planes()
                .map(|(row, side)| Output {
                    name: format!("out{row}{side}"),
                    array: format!("band{}", self.channel(row, side)),
                    row,
                    side,
                })
                .collect(),
            Side::Signal => (0..self.rows())
                .map(|row| Output {
                    name: format!("out{row}"),
                    array: "signal".to_owned(),
                    row,
                    side: 0,
                })
                .collect(),
        }
    }

    /// Elements of a lane in one group of an output's row.
    pub(super) fn stored(&self) -> usize {
        match self.operation().output() {
            Side::Signal => self.strip.columns(),
            Side::Bands => self.items(),
        }
    }

    fn output_span(&self, axis: usize, side: usize) -> (String, String) {
        let name = match (self.operation().output(), side) {
            (Side::Signal, _) => "signal",
            (Side::Bands, 0) => "low",
            (Side::Bands, _) => "high",
        };
        (format!("job.{name}_start{axis}"), format!("job.{name}_len{axis}"))
    }

    /// The index of an output's row at pair `k`, and how many rows there are.
    pub(super) fn output_row(&self, output: &Output, k: &str) -> (String, String) {
        if self.strip.along.is_none() {
            return ("0".to_owned(), "1".to_owned());
        }
        let (start, len) = self.output_span(0, output.row);
        match self.operation().output() {
            Side::Signal => (format!("2 * {k} + {} - {start}", output.row), len),
            Side::Bands => (format!("{k} - {start}"), len),
        }
    }

    /// The index of the strip's column 0 in an output's row, and the row's length.
    pub(super) fn output_column(&self, output: &Output) -> (String, String) {
        let Some(axis) = self.crossed() else {
            return ("column".to_owned(), "job.lanes".to_owned());
        };
        let (start, len) = self.output_span(axis, output.side);
        match self.operation().output() {
            Side::Signal => (format!("2 * k{axis} - {start}"), len),
            Side::Bands => (format!("k{axis} - {start}"), len),
        }
    }

    /// Whether all columns of the outputs' rows exist.
    pub(super) fn whole(&self, writer: &mut Writer) {
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        let end = if self.strip.shifted() { end } else { end - 1 };
        for output in self.outputs() {
            let (column, len) = self.output_column(&output);
            writer.line(format!(
                "const bool whole_{} = fits<{}, {first}, {end}>({column}, {len}, 0, 1, 1);",
                output.name,
                self.stored()
            ));
        }
    }

    /// Elements between the rows of two pairs.
    pub(super) fn output_step(&self, output: &Output) -> String {
        let twice = if self.operation().output() == Side::Signal { "2 * " } else { "" };
        format!("{twice}job.{}_stride0", output.array)
    }

    /// Stores a pair of rows: wholly (`k` is `None`), or what exists of pair `k`.
    pub(super) fn store(&self, writer: &mut Writer, k: Option<&str>) {
        let (groups, items, shifted) =
            (self.groups(), self.stored(), self.strip.shifted());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for output in self.outputs() {
            writer.line("{");
            let x = match self.operation().output() {
                Side::Signal if self.sides() == 2 => {
                    let count = groups * items;
                    writer.line(format!("{} x[{count}];", self.work()));
                    writer.line("#pragma unroll");
                    writer.line(format!("for (int i = 0; i < {}; ++i) {{", count / 2));
                    for c in 0..2 {
                        writer.line(format!("x[2 * i + {c}] = {}[i];", Self::plane(output.row, c)));
                    }
                    writer.line("}");
                    "x".to_owned()
                }
                _ => Self::plane(output.row, output.side),
            };
            match k {
                None => writer.line(format!(
                    "put<{groups}, {items}, {first}, {end}, {shifted}>({}, lane, {x});",
                    output.name
                )),
                Some(k) => {
                    let (row, rows) = self.output_row(&output, k);
                    let (column, len) = self.output_column(&output);
                    let array = &output.array;
                    writer.line(format!("const long long row = {row};"));
                    let at = match self.strip.along {
                        Some(_) => format!("{array} + row * job.{array}_stride0"),
                        None => array.clone(),
                    };
                    writer.line(format!("if (row >= 0 && row < {rows}) {{"));
                    writer.line(format!("if (whole_{}) {{", output.name));
                    writer.line(format!(
                        "put<{groups}, {items}, {first}, {end}, {shifted}>({at} + {column}, lane, {x});"
                    ));
                    writer.line("} else {");
                    // Where others shift their stores, this one overlaps its right neighbour.
                    let end = end + usize::from(shifted);
                    writer.line(format!(
                        "put_existing<{groups}, {items}, {first}, {end}>({at}, {column}, {len}, lane, {x});"
                    ));
                    writer.line("}");
                    writer.line("}");
                }
            }
            writer.line("}");
        }
    }
}
