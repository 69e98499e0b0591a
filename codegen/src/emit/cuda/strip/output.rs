//! Finished rows on their way out of registers.

use super::super::writer::Writer;
use super::{Emitter, Strip};
use crate::kernel::Side;

impl Emitter<'_> {
    /// Stores the outputs of row pair `k`.
    pub(super) fn store(&self, writer: &mut Writer, k: Option<&str>) {
        match self.operation().output() {
            Side::Bands => self.store_bands(writer, k),
            Side::Signal => self.store_signal(writer, k),
        }
    }

    fn put(&self, writer: &mut Writer, items: usize, row: &str, column: &str, len: &str, x: &str) {
        let (groups, shifted) = (self.groups(), self.strip.across.is_some());
        let (first, end) = (self.strip.first_lane(), self.strip.end_lane());
        writer.line(format!(
            "put<{groups}, {items}, {first}, {end}, {shifted}>({row}, {column}, {len}, lane, {x});"
        ));
    }

    fn store_bands(&self, writer: &mut Writer, k: Option<&str>) {
        let span = |side: usize| if side == 0 { "low" } else { "high" };
        for r in 0..self.rows() {
            if let Some(k) = k {
                let row = span(r);
                writer.line("{");
                writer.line(format!("const long long row = {k} - job.{row}_start0;"));
                writer.line(format!("if (row >= 0 && row < job.{row}_len0) {{"));
            }
            for c in 0..self.sides() {
                let band = format!("band{}", self.channel(r, c));
                let row = match k {
                    Some(_) => format!("{band} + row * job.{band}_stride0"),
                    None => band,
                };
                let (column, len) = match self.crossed() {
                    Some(axis) => (
                        format!("k{axis} - job.{}_start{axis}", span(c)),
                        format!("job.{}_len{axis}", span(c)),
                    ),
                    None => ("column".to_owned(), "job.lanes".to_owned()),
                };
                self.put(writer, self.items(), &row, &column, &len, &Self::plane(r, c));
            }
            if k.is_some() {
                writer.line("}");
                writer.line("}");
            }
        }
    }

    fn store_signal(&self, writer: &mut Writer, k: Option<&str>) {
        let count = self.groups() * Strip::COLUMNS;
        for r in 0..self.rows() {
            writer.line("{");
            if let Some(k) = k {
                writer.line(format!("const long long row = 2 * {k} + {r} - job.signal_start0;"));
                writer.line("if (row >= 0 && row < job.signal_len0) {");
            }
            let row = match k {
                Some(_) => "signal + row * job.signal_stride0",
                None => "signal",
            };
            match self.crossed() {
                None => {
                    let plane = Self::plane(r, 0);
                    self.put(writer, Strip::COLUMNS, row, "column", "job.lanes", &plane);
                }
                Some(axis) => {
                    writer.line(format!("{} x[{count}];", self.work()));
                    writer.line("#pragma unroll");
                    writer.line(format!("for (int i = 0; i < {}; ++i) {{", count / 2));
                    for c in 0..2 {
                        writer.line(format!("x[2 * i + {c}] = {}[i];", Self::plane(r, c)));
                    }
                    writer.line("}");
                    let column = format!("2 * k{axis} - job.signal_start{axis}");
                    let len = format!("job.signal_len{axis}");
                    self.put(writer, Strip::COLUMNS, row, &column, &len, "x");
                }
            }
            if k.is_some() {
                writer.line("}");
            }
            writer.line("}");
        }
    }
}
