//! Functions that read one input value, inside the line or beyond its ends.

use super::writer::Writer;
use crate::kernel::Side;

/// The function's name.
pub(super) fn name(axes: usize, side: Side) -> String {
    match side {
        Side::Signal => format!("fetch_signal{axes}"),
        Side::Bands => format!("fetch_bands{axes}"),
    }
}

/// A value of the input side at pair indices `k`, for channel `c` (a constant after
/// inlining), lane `lane`; anywhere, extended by the job's rule.
pub(super) fn declare(writer: &mut Writer, axes: usize, side: Side) {
    let indices: Vec<String> = (0..axes).map(|axis| format!("long long k{axis}")).collect();
    writer.line("// One input value at pair k of channel c, extended beyond the ends.");
    writer.line(format!(
        "__device__ inline work {}(const Job{axes}& job, const value* const* planes, int c, {}, long long lane) {{",
        name(axes, side),
        indices.join(", ")
    ));
    for axis in 0..axes {
        let bit = axes - 1 - axis;
        writer.line(format!("const int phase{axis} = (c >> {bit}) & 1;"));
        match side {
            Side::Signal => writer.line(format!(
                "const Extended e{axis} = extended(job.extension{axis}, 2 * k{axis} + phase{axis} - job.signal_start{axis}, job.signal_len{axis});"
            )),
            Side::Bands => writer.line(format!(
                "const Extended e{axis} = extended(job.extension{axis}, 2 * k{axis} + phase{axis} - job.bands_start{axis}, job.bands_len{axis});"
            )),
        }
    }
    writer.line("work sum = 0;");
    for axis in 0..axes {
        writer.line("#pragma unroll");
        writer.line(format!("for (int t{axis} = 0; t{axis} < 4; ++t{axis}) {{"));
        writer.line(format!("if (e{axis}.weight[t{axis}] == 0) continue;"));
    }
    let weight: Vec<String> = (0..axes).map(|axis| format!("e{axis}.weight[t{axis}]")).collect();
    match side {
        Side::Signal => {
            let offsets: Vec<String> = (0..axes)
                .map(|axis| format!("e{axis}.index[t{axis}] * job.signal_stride{axis}"))
                .collect();
            writer.line(format!(
                "const value* const at = planes[0] + {} + lane;",
                offsets.join(" + ")
            ));
        }
        Side::Bands => {
            // Every rule keeps the parity of interleaved bands: a band is extended by itself.
            writer.line("const value* at = planes[c] + lane;");
            writer.line("switch (c) {");
            for channel in 0..1 << axes {
                let offsets: Vec<String> = (0..axes)
                    .map(|axis| {
                        let phase = (channel >> (axes - 1 - axis)) & 1;
                        let span = if phase == 0 { "low" } else { "high" };
                        format!(
                            "((e{axis}.index[t{axis}] + job.bands_start{axis} - {phase}) / 2 - job.{span}_start{axis}) * job.band{channel}_stride{axis}"
                        )
                    })
                    .collect();
                writer.line(format!("case {channel}: at += {}; break;", offsets.join(" + ")));
            }
            writer.line("}");
        }
    }
    writer.line(format!("sum += (work)({}) * *at;", weight.join(" * ")));
    for _ in 0..axes {
        writer.line("}");
    }
    writer.line("return sum;");
    writer.line("}");
    writer.line("");
}
