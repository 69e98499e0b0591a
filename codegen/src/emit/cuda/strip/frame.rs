//! The walk of frames: narrow strips along the ends.

use super::super::writer::Writer;
use super::{Argument, Emitter};
use crate::kernel::Side;

impl Emitter<'_> {
    pub(super) fn frame_arguments(&self) -> Vec<Argument> {
        let axes = self.axes();
        let mut all = vec![Argument::new(&format!("const Job{axes}&"), "job", "job")];
        let mut same = |kind: &str, name: String| {
            all.push(Argument::new(kind, &name, name.clone()));
        };
        same("value* const", "signal".to_owned());
        for channel in 0..1 << axes {
            same("value* const", format!("band{channel}"));
        }
        match self.crossed() {
            Some(axis) => {
                same("const long long", format!("k{axis}"));
                same("const long long", format!("from{axis}"));
            }
            None => same("const long long", "column".to_owned()),
        }
        if self.strip.along.is_some() {
            for name in ["first0", "start", "stop"] {
                same("const long long", name.to_owned());
            }
        }
        same("const int", "lane".to_owned());
        all
    }

    pub(super) fn frame(&self, writer: &mut Writer) {
        writer.line(
            "// A strip of a frame: columns and rows are extended, outputs are those that exist.",
        );
        self.opening(writer, "__noinline__ void ", self.frame_arguments());
        self.lines(writer);
        let Some(along) = &self.strip.along else {
            self.registers(writer);
            self.take_extended(writer, "0");
            self.cross(writer);
            self.store_existing(writer, "0");
            writer.line("}");
            return;
        };
        self.windows(writer);
        writer.line("for (long long t = start; t < stop; ++t) {");
        self.registers(writer);
        self.take_extended(writer, "t");
        writer.line(format!("const long long k = t - {};", along.pipeline.delay));
        self.transform(writer, "if (k < first0) continue;");
        self.store_existing(writer, "k");
        writer.line("}");
        writer.line("}");
    }

    /// Rows and columns of every input, and how they go on.
    fn lines(&self, writer: &mut Writer) {
        let inputs = self.inputs();
        let loaded = self.loaded();
        for input in &inputs {
            let (name, array) = (&input.name, &input.array);
            let (stride, rows) = match &self.strip.along {
                Some(_) => (format!("job.{array}_stride0"), self.span(0, input.row).1),
                None => ("0".to_owned(), "1".to_owned()),
            };
            writer.line(format!("const Rows rows_{name} = {{{array}, {stride}, {rows}}};"));
        }
        let bands = self.input() == Side::Bands;
        for row in 0..if bands { self.rows() } else { 1 } {
            let line = match self.strip.along {
                Some(_) => self.line(0, row),
                None => "{0, 1, 1, 0}".to_owned(),
            };
            writer.line(format!("const Line along_line{row} = {line};"));
        }
        for side in 0..if bands { self.sides() } else { 1 } {
            let column = match inputs.iter().find(|input| input.side == side) {
                Some(input) => self.input_column(input),
                None => "0".to_owned(),
            };
            let (line, first, end) = match self.crossed() {
                // Lanes go on to the last one; beyond, nothing is needed.
                None => ("{0, job.lanes, 1, 0}".to_owned(), "0".to_owned(), "job.lanes".to_owned()),
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
                    (self.line(axis, side), index(&first), index(&end))
                }
            };
            writer.line(format!("const Line across_line{side} = {line};"));
            writer.line(format!(
                "const Places<{loaded}> places{side}(across_line{side}, {column}, {first}, {end}, lane);"
            ));
        }
    }

    /// The rows of pair `t` into planes.
    fn take_extended(&self, writer: &mut Writer, t: &str) {
        let loaded = self.loaded();
        for input in self.inputs() {
            let row = self.input_row(&input, t);
            let (name, side) = (&input.name, input.side);
            let line = if self.input() == Side::Bands && self.rows() == 2 { input.row } else { 0 };
            let call = |x: &str| {
                format!(
                    "frame_row<{loaded}>(rows_{name}, along_line{line}, across_line{side}, {row}, places{side}, {x});"
                )
            };
            self.place_planes(writer, &input, &call);
        }
    }

    /// Stores what exists, and is the job's, of the rows of pair `k`.
    fn store_existing(&self, writer: &mut Writer, k: &str) {
        let items = self.stored();
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        for output in self.outputs() {
            writer.line("{");
            let x = self.out_of_planes(writer, &output);
            let (row, rows) = self.output_row(&output, k);
            let (column, len) = self.output_column(&output);
            let array = &output.array;
            writer.line(format!("const long long row = {row};"));
            writer.line(format!("const long long column0 = {column};"));
            let (from, to) = match self.crossed() {
                None => ("-column0".to_owned(), format!("{len} - column0")),
                Some(axis) => {
                    let ends = |pair: &str| match self.operation().output() {
                        Side::Signal => format!("2 * ({pair} - k{axis})"),
                        Side::Bands => format!("{pair} - k{axis}"),
                    };
                    let first = ends(&format!("job.pairs_start{axis}"));
                    let last = ends(&format!("(job.pairs_start{axis} + job.pairs_len{axis})"));
                    (
                        format!("larger(-column0, {first})"),
                        format!("smaller({len} - column0, {last})"),
                    )
                }
            };
            let at = match self.strip.along {
                Some(_) => format!("{array} + row * job.{array}_stride0 + column0"),
                None => format!("{array} + column0"),
            };
            writer.line(format!("if (row >= 0 && row < {rows}) {{"));
            writer.line(format!(
                "put_between<1, {items}, {first}, {end}>({at}, clamped({from}), clamped({to}), lane, {x});"
            ));
            writer.line("}");
            writer.line("}");
        }
    }
}
