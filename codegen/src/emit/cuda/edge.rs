//! Blocks that reach beyond the ends: rolled loops around `fetch`.

use super::fetch;
use super::tile::Emitter;
use super::writer::Writer;
use crate::kernel::Side;

impl Emitter<'_> {
    /// Fills every thread's places of the planes: position `i` of the region, then channel by
    /// channel.
    pub(super) fn edge_load(&self, writer: &mut Writer, storage: &[usize; 3]) {
        let mapping = self.proved.mapping();
        let count = storage.iter().product::<usize>() * mapping.lanes as usize;
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int i = threadIdx.x; i < {count}; i += {}) {{", mapping.threads));
        self.split(writer, storage);
        let indices = self.load_indices(writer);
        self.inside(writer);
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int c = 0; c < {}; ++c) {{", self.planes()));
        self.from(writer);
        let value = self.fetch("c", &indices);
        writer.line(format!("planes[c][i] = inside ? {value} : 0;"));
        writer.line("}");
        writer.line("}");
    }

    /// `from`: where the array of channel `c` begins.
    pub(super) fn from(&self, writer: &mut Writer) {
        let bands = (0..self.planes()).map(|channel| format!("band{channel}"));
        writer.line(match self.input() {
            Side::Signal => "const value* const from = signal;".to_owned(),
            Side::Bands => format!("const value* const from = {};", fetch::chosen(bands)),
        });
    }

    /// The value of a channel at pairs given by expressions.
    pub(super) fn fetch(&self, channel: &str, indices: &[String]) -> String {
        let name = fetch::name(self.axes, self.input());
        format!("{name}(reread(job), from, {channel}, {}, lane0 + lane)", indices.join(", "))
    }

    /// `inside`: the position `k{axis}` is one that some output needs. The rest of an edge block's
    /// region stays zero: extrapolating modes would make huge values of it for nothing.
    fn inside(&self, writer: &mut Writer) {
        let storage = self.proved.storage();
        let mut conditions = vec!["lane0 + lane < job.lanes".to_owned()];
        for axis in 0..self.axes {
            let (before, after) = (storage.before[axis], storage.after[axis]);
            conditions.push(format!("k{axis} >= job.pairs_start{axis} - {before}"));
            conditions
                .push(format!("k{axis} < job.pairs_start{axis} + job.pairs_len{axis} + {after}"));
        }
        writer.line(format!("const bool inside = {};", conditions.join(" && ")));
    }
}
