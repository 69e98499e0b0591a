//! What a strip reads.

use super::super::writer::Writer;
use super::Emitter;
use super::walk::operand;
use crate::kernel::Side;

/// One row of one array that is read for every pair.
pub(super) struct Input {
    /// Its variable.
    pub(super) name: String,
    /// The array.
    pub(super) array: String,
    /// Row of the pair.
    pub(super) row: usize,
    /// Its side, for bands.
    pub(super) side: usize,
    /// With three axes, which run of rows of a block, for bands.
    pub(super) run: usize,
}

impl Emitter<'_> {
    pub(super) fn inputs(&self) -> Vec<Input> {
        let band = |(row, side): (usize, usize)| Input {
            name: self.own(&format!("in{row}{side}")),
            array: self.own(&format!("band{}", self.channel(row, side))),
            row,
            side,
            run: 0,
        };
        let signal = |row: usize| Input {
            name: format!("in{row}"),
            array: "signal".to_owned(),
            row,
            side: 0,
            run: 0,
        };
        if self.strip.beside.is_some() && self.input() == Side::Bands {
            return self.blocks_of_bands();
        }
        match self.input() {
            // A level after the first has its signal from the one before.
            Side::Signal if self.level > 1 => Vec::new(),
            Side::Signal => (0..self.rows()).map(signal).collect(),
            Side::Bands => self.planes().filter(|place| self.in_memory(*place)).map(band).collect(),
        }
    }

    /// Whether a plane of bands is read from memory or written there: the approximations of a level
    /// that has a next one are not.
    pub(super) fn in_memory(&self, place: (usize, usize)) -> bool {
        place != (0, 0) || self.strip.deeper.is_none()
    }

    /// Elements of a lane in one group of an input's row.
    pub(super) fn loaded(&self) -> usize {
        match self.input() {
            Side::Signal => self.strip.columns(),
            Side::Bands => self.items(),
        }
    }

    /// `{start, len}` of a side's span along an axis.
    pub(super) fn span(&self, axis: usize, side: usize) -> (String, String) {
        let name = match (self.input(), side) {
            (Side::Signal, _) => "signal",
            (Side::Bands, 0) => "low",
            (Side::Bands, _) => "high",
        };
        let job = self.job();
        (format!("{job}.{name}_start{axis}"), format!("{job}.{name}_len{axis}"))
    }

    /// How a side goes on along an axis: rule, length, and where the side's elements stand in it.
    pub(super) fn line(&self, axis: usize, side: usize) -> Vec<String> {
        let job = self.job();
        match self.input() {
            Side::Signal => [
                format!("{job}.extension{axis}"),
                format!("{job}.signal_len{axis}"),
                "1".to_owned(),
                "0".to_owned(),
            ]
            .to_vec(),
            Side::Bands => {
                let (start, _) = self.span(axis, side);
                [
                    format!("{job}.extension{axis}"),
                    format!("{job}.bands_len{axis}"),
                    "2".to_owned(),
                    format!("2 * {start} + {side} - {job}.bands_start{axis}"),
                ]
                .to_vec()
            }
        }
    }

    /// The index of an input's row at pair `t`, which arrives late by the schedule's lag.
    pub(super) fn input_row(&self, input: &Input, t: &str) -> String {
        let Some(along) = &self.strip.along else { return "0".to_owned() };
        let lag = along.pipeline.streams[input.row].lag;
        let (start, _) = self.span(0, input.row);
        let pair = self.onward(t, -lag);
        match self.input() {
            Side::Signal => format!("2 * {} + {} - {start}", operand(&pair), input.row),
            Side::Bands => format!("{pair} - {start}"),
        }
    }

    /// The index of the strip's column 0 in an input's rows.
    pub(super) fn input_column(&self, input: &Input) -> String {
        let from = |axis: usize| self.own(&format!("from{axis}"));
        match (self.crossed(), self.input()) {
            (None, _) => "column".to_owned(),
            (Some(axis), Side::Signal) => format!(
                "{} - job.signal_start{axis}",
                moved(&format!("2 * {}", from(axis)), self.lead(Side::Signal, 0))
            ),
            (Some(axis), Side::Bands) => format!(
                "{} - {}",
                moved(&from(axis), self.lead(Side::Bands, input.side)),
                self.span(axis, input.side).0
            ),
        }
    }

    /// A row, as `bring` brings it into an array, into the planes of its pair.
    pub(super) fn place_planes(
        &self,
        writer: &mut Writer,
        input: &Input,
        bring: &dyn Fn(&str) -> Vec<String>,
    ) {
        if self.input() == Side::Bands || self.sides() == 1 {
            writer.lines(bring(&self.plane(input.row, input.side)));
            return;
        }
        let groups = self.groups();
        writer.line("{");
        writer.line(format!("{} x[{}];", self.work(), groups * self.loaded()));
        writer.lines(bring("x"));
        writer.line("#pragma unroll");
        writer.line(format!("for (int i = 0; i < {}; ++i) {{", groups * self.items()));
        for c in 0..2 {
            let element = self.parity(c);
            writer.line(format!("{}[i] = x[2 * i + {element}];", self.plane(input.row, c)));
        }
        writer.line("}");
        writer.line("}");
    }
}

/// `pair`, so many further on.
pub(super) fn moved(pair: &str, by: i64) -> String {
    match by {
        0 => pair.to_owned(),
        by if by < 0 => format!("{pair} - {}", -by),
        by => format!("{pair} + {by}"),
    }
}
