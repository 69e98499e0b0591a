//! Writing a position's outputs to global memory.

use super::value::{pair_type, value_type};
use super::writer::Writer;
use crate::gpu::Proved;
use crate::kernel::Side;

/// Stores `out{c}` at pair `k{axis}`, whatever of it exists.
pub(super) fn store(writer: &mut Writer, proved: &Proved, lane: &str) {
    match proved.kernel().operation.output() {
        Side::Bands if proved.mapping().interleaved => interleaved(writer, proved, lane),
        Side::Bands => bands(writer, proved, lane),
        Side::Signal => signal(writer, proved, lane),
    }
}

fn stride(proved: &Proved, array: &str, axis: usize) -> String {
    if proved.mapping().contiguous && axis + 1 == proved.kernel().axes {
        "1".to_owned()
    } else {
        format!("job.{array}_stride{axis}")
    }
}

fn bands(writer: &mut Writer, proved: &Proved, lane: &str) {
    let axes = proved.kernel().axes;
    for axis in 0..axes {
        for span in ["low", "high"] {
            writer
                .line(format!("const long long {span}{axis} = k{axis} - job.{span}_start{axis};"));
            writer.line(format!(
                "const bool has_{span}{axis} = {span}{axis} >= 0 && {span}{axis} < job.{span}_len{axis};"
            ));
        }
    }
    let value = value_type(proved.kernel().element);
    for channel in 0..1 << axes {
        let span = |axis: usize| {
            if (channel >> (axes - 1 - axis)) & 1 == 0 { "low" } else { "high" }
        };
        let guard: Vec<String> =
            (0..axes).map(|axis| format!("has_{}{axis}", span(axis))).collect();
        let address: Vec<String> = (0..axes)
            .map(|axis| {
                let stride = stride(proved, &format!("band{channel}"), axis);
                format!("{}{axis} * {stride}", span(axis))
            })
            .collect();
        writer.line(format!(
            "if ({}) band{channel}[{} + {lane}] = ({value})out{channel};",
            guard.join(" && "),
            address.join(" + ")
        ));
    }
}

/// All bands of a pair, interleaved as another launch reads them: every one exists.
fn interleaved(writer: &mut Writer, proved: &Proved, lane: &str) {
    let axes = proved.kernel().axes;
    let value = value_type(proved.kernel().element);
    let pair = pair_type(proved.kernel().element);
    for axis in 0..axes {
        writer.line(format!("const long long low{axis} = k{axis} - job.low_start{axis};"));
    }
    let address = |channel: usize| {
        let terms = (0..axes).map(|axis| format!("low{axis} * job.band{channel}_stride{axis}"));
        format!("band{channel} + {} + {lane}", terms.collect::<Vec<String>>().join(" + "))
    };
    for row in 0..1_usize << (axes - 1) {
        let (even, odd) = (2 * row, 2 * row + 1);
        writer.line("{");
        writer.line(format!("value* const to = {};", address(even)));
        if proved.mapping().contiguous {
            writer.line(format!("if ((unsigned long long)to % sizeof({pair}) == 0) {{"));
            writer.line(format!(
                "*({pair}*)to = make_{pair}(({value})out{even}, ({value})out{odd});"
            ));
            writer.line("} else {");
            writer.line(format!("to[0] = ({value})out{even};"));
            writer.line(format!("to[1] = ({value})out{odd};"));
            writer.line("}");
        } else {
            writer.line(format!("*to = ({value})out{even};"));
            writer.line(format!("*({}) = ({value})out{odd};", address(odd)));
        }
        writer.line("}");
    }
}

fn signal(writer: &mut Writer, proved: &Proved, lane: &str) {
    let axes = proved.kernel().axes;
    for axis in 0..axes {
        writer.line(format!("const long long x{axis} = 2 * k{axis} - job.signal_start{axis};"));
        writer.line(format!(
            "const bool has_even{axis} = x{axis} >= 0 && x{axis} < job.signal_len{axis};"
        ));
        writer.line(format!(
            "const bool has_odd{axis} = x{axis} + 1 >= 0 && x{axis} + 1 < job.signal_len{axis};"
        ));
    }
    let value = value_type(proved.kernel().element);
    let pair = pair_type(proved.kernel().element);
    let last = axes - 1;
    // Rows of outputs: all phases of the leading axes; the last axis gives even and odd neighbours.
    for row in 0..1_usize << last {
        let phase = |axis: usize| (row >> (last - 1 - axis)) & 1;
        let guard: Vec<String> = (0..last)
            .map(|axis| format!("has_{}{axis}", if phase(axis) == 0 { "even" } else { "odd" }))
            .collect();
        if !guard.is_empty() {
            writer.line(format!("if ({}) {{", guard.join(" && ")));
        } else {
            writer.line("{");
        }
        let address: Vec<String> = (0..axes)
            .map(|axis| {
                let phase = if axis < last { phase(axis) } else { 0 };
                format!("(x{axis} + {phase}) * {}", stride(proved, "signal", axis))
            })
            .collect();
        let (even, odd) = (2 * row, 2 * row + 1);
        let one = stride(proved, "signal", last);
        writer.line(format!("value* const to = signal + {} + {lane};", address.join(" + ")));
        if one == "1" {
            writer.line(format!(
                "if (has_even{last} && has_odd{last} && (unsigned long long)to % sizeof({pair}) == 0) {{"
            ));
            writer.line(format!(
                "*({pair}*)to = make_{pair}(({value})out{even}, ({value})out{odd});"
            ));
            writer.line("} else {");
        } else {
            writer.line("{");
        }
        writer.line(format!("if (has_even{last}) to[0] = ({value})out{even};"));
        writer.line(format!("if (has_odd{last}) to[{one}] = ({value})out{odd};"));
        writer.line("}");
        writer.line("}");
    }
}
