//! Finished rows on their way out of registers.

use super::super::writer::Writer;
use super::Emitter;
use super::input::moved;
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
    /// With three axes, which channel of a block's rows, for bands.
    pub(super) run: usize,
}

impl Emitter<'_> {
    pub(super) fn outputs(&self) -> Vec<Output> {
        let output = self.operation().output();
        if self.strip.beside.is_some() && output == Side::Bands {
            return self.blocks_made();
        }
        match output {
            Side::Bands => self
                .planes()
                .filter(|place| self.in_memory(*place))
                .map(|(row, side)| Output {
                    name: self.own(&format!("out{row}{side}")),
                    array: self.own(&format!("band{}", self.channel(row, side))),
                    row,
                    side,
                    run: 0,
                })
                .collect(),
            // A level after the first leaves its signal to the one before.
            Side::Signal if self.level > 1 => Vec::new(),
            Side::Signal => (0..self.rows())
                .map(|row| Output {
                    name: format!("out{row}"),
                    array: "signal".to_owned(),
                    row,
                    side: 0,
                    run: 0,
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

    pub(super) fn output_span(&self, axis: usize, side: usize) -> (String, String) {
        let name = match (self.operation().output(), side) {
            (Side::Signal, _) => "signal",
            (Side::Bands, 0) => "low",
            (Side::Bands, _) => "high",
        };
        let job = self.job();
        (format!("{job}.{name}_start{axis}"), format!("{job}.{name}_len{axis}"))
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
            Side::Signal => {
                let first = moved(
                    &format!("2 * {}", self.own(&format!("k{axis}"))),
                    self.lead(Side::Signal, 0),
                );
                (format!("{first} - {start}"), len)
            }
            Side::Bands => {
                let pair =
                    moved(&self.own(&format!("k{axis}")), self.lead(Side::Bands, output.side));
                (format!("{pair} - {start}"), len)
            }
        }
    }

    /// The array that holds an output's row: its plane, or the planes of its pair side by side.
    pub(super) fn out_of_planes(&self, writer: &mut Writer, output: &Output) -> String {
        if self.operation().output() == Side::Bands || self.sides() == 1 {
            return self.plane(output.row, output.side);
        }
        let count = self.groups() * self.stored();
        writer.line(format!("{} x[{count}];", self.work()));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {}; ++i) {{", count / 2));
        for c in 0..2 {
            let element = self.parity(c);
            writer.line(format!("x[2 * i + {element}] = {}[i];", self.plane(output.row, c)));
        }
        writer.line("}");
        "x".to_owned()
    }
}
