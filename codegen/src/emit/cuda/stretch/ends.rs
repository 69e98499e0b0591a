//! What walks leave out of a line: level after level, on a desk in shared memory where inputs are laid, extended.

use super::super::body::{Lanes, statements};
use super::super::job;
use super::super::value::literal;
use super::super::writer::Writer;
use super::Emitter;
use crate::dag::Place;
use crate::gpu::{DESK_PAIRS, RIM_FIELDS, Sums, jobs};
use crate::kernel::{Element, Side};

/// The structure that tells what walks leave out.
pub(in super::super) fn declare(writer: &mut Writer) {
    writer.line("// Pairs of a level: all, those in the middle of which nothing is left, and those of which walks write each channel.");
    writer.line("struct Rim {");
    writer.line(format!("long long {};", RIM_FIELDS.join(", ")));
    writer.line("};");
    writer.line("");
    writer.line("struct Rims {");
    writer.line(format!("Rim rim[{}];", jobs(1)));
    writer.line("};");
    writer.line("");
}

impl Emitter<'_> {
    /// A line's ends, level after level.
    pub(super) fn ends(&self, writer: &mut Writer) {
        let (levels, threads) = (self.count(), self.proved.mapping().threads);
        let [first, last] = self.stretch.reach;
        job::batch(writer, "blockIdx.x");
        writer.line("#pragma unroll 1");
        writer.line(format!("for (int n = 0; n < {levels}; ++n) {{"));
        writer.line(match self.stretch.output {
            Side::Bands => "const int level = n;".to_owned(),
            Side::Signal => format!("const int level = {} - n;", levels - 1),
        });
        writer.line("const Job1& job = jobs.job[level];");
        writer.line("const Rim& rim = rims.rim[level];");
        job::bases(writer, 1);
        writer.line("// Before the pairs that are left alone, and behind them.");
        writer.line("#pragma unroll 1");
        writer.line("for (int side = 0; side < 2; ++side) {");
        writer.line("const long long begin = side == 0 ? rim.first : rim.hole + rim.skipped;");
        writer.line("const long long end = side == 0 ? rim.hole : rim.first + rim.count;");
        writer.line("#pragma unroll 1");
        writer.line(format!("for (long long k = begin; k < end; k += {DESK_PAIRS}) {{"));
        writer.line(format!(
            "const int pairs = end - k < {DESK_PAIRS} ? (int)(end - k) : {DESK_PAIRS};"
        ));
        writer.line(format!(
            "for (int i = threadIdx.x; i < 2 * (pairs + {}); i += {threads}) {{",
            last - first
        ));
        let at = match first {
            0 => "k + (i >> 1)".to_owned(),
            first => format!("k + (i >> 1) - {}", -first),
        };
        writer.line(match self.stretch.output {
            Side::Bands => format!("desk[i] = fetch_signal1(job, signal, i & 1, {at}, 0);"),
            Side::Signal => {
                format!("desk[i] = fetch_bands1(job, i & 1 ? band1 : band0, i & 1, {at}, 0);")
            }
        });
        writer.line("}");
        writer.line("__syncthreads();");
        writer.line(format!("for (int i = threadIdx.x; i < pairs; i += {threads}) {{"));
        self.outputs_of_pair(writer);
        writer.line("}");
        writer.line("__syncthreads();");
        writer.line("}");
        writer.line("}");
        writer.line("}");
    }

    /// The outputs of pair `k + i`, whatever of them exists and walks do not write.
    fn outputs_of_pair(&self, writer: &mut Writer) {
        let store = self.proved.store();
        let [first, _] = self.stretch.reach;
        let place = |plane: usize, offset: i32| {
            format!("desk[2 * i + {}]", 2 * (offset - first) + plane as i32)
        };
        let work = self.work();
        match Sums::of(store) {
            Some(sums) => {
                let element = self.proved.kernel().element;
                writer.line(format!("{work} y0 = 0, y1 = 0;"));
                for group in &sums.groups {
                    for (offset, weights) in &group.terms {
                        for (slot, weight) in group.stores.iter().zip(weights) {
                            let channel = store.stores()[*slot].place.plane;
                            let (weight, read) =
                                (literal(element, *weight), place(group.plane, offset[0]));
                            writer.line(match element {
                                Element::F32 => {
                                    format!("y{channel} = fmaf({weight}, {read}, y{channel});")
                                }
                                Element::F64 => {
                                    format!("y{channel} = fma({weight}, {read}, y{channel});")
                                }
                                _ => format!("y{channel} += {weight} * {read};"),
                            });
                        }
                    }
                }
            }
            None => {
                let leaf = |at: &Place| place(at.plane, at.offset[0]);
                let (lines, stores) = statements(store, Lanes::Needed, &leaf);
                writer.lines(lines);
                for (at, value) in stores {
                    writer.line(format!("const {work} y{} = {value};", at.plane));
                }
            }
        }
        for channel in 0..2 {
            let (array, index, span) = match (self.stretch.output, channel) {
                (Side::Bands, 0) => ("band0", "k + i - job.low_start0".to_owned(), "low"),
                (Side::Bands, _) => ("band1", "k + i - job.high_start0".to_owned(), "high"),
                (Side::Signal, c) => {
                    ("signal", format!("2 * (k + i) + {c} - job.signal_start0"), "signal")
                }
            };
            writer.line(format!("const long long at{channel} = {index};"));
            writer.line(format!(
                "const bool walked{channel} = exists_in(k + i, rim.first{channel}, rim.count{channel});"
            ));
            writer.line(format!(
                "if (!walked{channel} && exists_in(at{channel}, 0, job.{span}_len0)) {array}[at{channel}] = (value)y{channel};"
            ));
        }
    }
}
