//! Exchange `global`: every thread reads its whole reach from global memory; and exchange `launch`,
//! which does so for one segment.

use super::body::{Lanes, statements};
use super::tile::Emitter;
use super::writer::Writer;
use super::{store, sums};
use crate::dag::Place;
use crate::kernel::Margin;

impl Emitter<'_> {
    /// The whole function.
    pub(super) fn global(&self, writer: &mut Writer, name: &str) {
        let mapping = self.proved.mapping();
        let reads: Vec<Place> = self.proved.store().leaves().collect();
        match self.proved.sums() {
            Some(_) => self.sum_tables(writer, name, &[0; 3]),
            None => sums::offsets(writer, self.axes, name, &reads),
        }
        self.signature(writer, name);
        self.interior(writer);
        let extent = self.proved.extent(&Margin::default());
        let count = extent.iter().product::<usize>() * mapping.lanes as usize;
        writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {}) {{", mapping.threads));
        self.split(writer, &extent);
        for axis in 0..self.axes {
            writer.line(format!("const long long k{axis} = first{axis} + p{axis};"));
        }
        writer.line("if (lane0 + lane >= job.lanes) continue;");
        for axis in 0..self.axes {
            writer.line(format!(
                "if (k{axis} >= job.pairs_start{axis} + job.pairs_len{axis}) continue;"
            ));
        }
        for channel in 0..self.planes() {
            writer.line(format!("work out{channel} = 0;"));
        }
        writer.line("if (interior) {");
        match self.proved.sums() {
            Some(sums) => self.interior_sums(writer, name, sums),
            None => {
                let indices: Vec<String> = (0..self.axes).map(|axis| format!("k{axis}")).collect();
                let leaf = |place: &Place| self.plain(place, &indices, "lane0 + lane");
                self.assign(writer, &leaf);
            }
        }
        writer.line("} else {");
        match self.proved.sums() {
            Some(sums) => self.edge_sums(writer, name, sums),
            None => {
                writer.line(format!("work edge[{}];", reads.len().max(1)));
                writer.line("#pragma unroll 1");
                writer.line(format!("for (int n = 0; n < {}; ++n) {{", reads.len()));
                writer.line(format!("const int c = {name}_reads[n][{}];", self.axes));
                self.from(writer);
                let value = self.fetch("c", &sums::moved(self.axes, name));
                writer.line(format!("edge[n] = {value};"));
                writer.line("}");
                let leaf = |place: &Place| {
                    let found = reads.iter().position(|read| read == place);
                    format!("edge[{}]", found.unwrap_or_default())
                };
                self.assign(writer, &leaf);
            }
        }
        writer.line("}");
        store::store(writer, self.proved, "lane0 + lane");
        writer.line("}");
        writer.line("}");
    }

    fn assign(&self, writer: &mut Writer, leaf: &dyn Fn(&Place) -> String) {
        // The planes between two launches hold more than is needed, far beyond the ends.
        let lanes = match self.proved.mapping().interleaved {
            true => Lanes::Any,
            false => Lanes::Needed,
        };
        let (lines, stores) = statements(self.proved.store(), lanes, leaf);
        writer.lines(lines);
        for (place, value) in stores {
            writer.line(format!("out{} = {value};", place.plane));
        }
    }
}
