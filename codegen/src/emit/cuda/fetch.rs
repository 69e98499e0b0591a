//! Functions that read one input value, inside the line or beyond its ends.
//!
//! They loop over the terms of an extension, and stand inside loops themselves: only blocks at the
//! ends of a line use them, while the compilers' time grows with every copy. They are inlined, since
//! a call would have every value that is alive written to memory.

use super::writer::Writer;
use crate::kernel::Side;

/// The function's name.
pub(super) fn name(axes: usize, side: Side) -> String {
    match side {
        Side::Signal => format!("fetch_signal{axes}"),
        Side::Bands => format!("fetch_bands{axes}"),
    }
}

/// A value of the input side at pair indices `k`, for channel `c`, whose array begins at `from`,
/// lane `lane`; anywhere, extended by the job's rule.
pub(super) fn declare(writer: &mut Writer, axes: usize, side: Side) {
    let indices: Vec<String> = (0..axes).map(|axis| format!("long long k{axis}")).collect();
    writer.line("// One input value at pair k of channel c, extended beyond the ends.");
    writer.line(format!(
        "__device__ __forceinline__ work {}(const Job{axes}& job, const value* from, int c, {}, long long lane) {{",
        name(axes, side),
        indices.join(", ")
    ));
    let line = match side {
        Side::Signal => "signal",
        Side::Bands => "bands",
    };
    for axis in 0..axes {
        let bit = axes - 1 - axis;
        writer.line(format!("const int phase{axis} = (c >> {bit}) & 1;"));
        writer.line(format!(
            "const long long i{axis} = 2 * k{axis} + phase{axis} - job.{line}_start{axis};"
        ));
    }
    for axis in 0..axes {
        match side {
            Side::Signal => {
                writer.line(format!("const long long stride{axis} = job.signal_stride{axis};"));
            }
            Side::Bands => {
                let strides = (0..1 << axes).map(|c| format!("job.band{c}_stride{axis}"));
                writer.line(format!("const long long stride{axis} = {};", chosen(strides)));
                // A coefficient's place among the interleaved ones becomes its place in its band.
                writer.line(format!(
                    "const long long shift{axis} = job.bands_start{axis} - phase{axis} - 2 * (phase{axis} ? job.high_start{axis} : job.low_start{axis});"
                ));
            }
        }
    }
    writer.line("work sum = 0;");
    for axis in 0..axes {
        writer.line("#pragma unroll 1");
        writer.line(format!(
            "for (int term{axis} = 0; term{axis} < terms(job.extension{axis}); ++term{axis}) {{"
        ));
        writer.line(format!(
            "const Term t{axis} = extended(job.extension{axis}, i{axis}, job.{line}_len{axis}, term{axis});"
        ));
        writer.line(format!("if (t{axis}.weight == 0) continue;"));
    }
    let weight: Vec<String> = (0..axes).map(|axis| format!("t{axis}.weight")).collect();
    let offsets: Vec<String> = (0..axes)
        .map(|axis| match side {
            Side::Signal => format!("t{axis}.index * stride{axis}"),
            // Every rule keeps the parity of interleaved bands: a band is extended by itself.
            Side::Bands => format!("(t{axis}.index + shift{axis}) / 2 * stride{axis}"),
        })
        .collect();
    writer.line(format!(
        "sum += (work)({}) * from[{} + lane];",
        weight.join(" * "),
        offsets.join(" + ")
    ));
    for _ in 0..axes {
        writer.line("}");
    }
    writer.line("return sum;");
    writer.line("}");
    writer.line("");
}

/// The `c`-th of some expressions.
pub(super) fn chosen(all: impl DoubleEndedIterator<Item = String>) -> String {
    let mut all = all.enumerate().collect::<Vec<_>>().into_iter().rev();
    let last = all.next().map(|(_, last)| last).unwrap_or_default();
    all.fold(last, |rest, (index, one)| format!("c == {index} ? {one} : {rest}"))
}
