//! The parameter of transforms, and how a block finds its tile in it.

use super::writer::Writer;
use crate::gpu::{Mapping, OUTERS, job_fields, jobs};

/// `struct Job{axes}` and `struct Jobs{axes}`.
pub(super) fn declare(writer: &mut Writer, axes: usize) {
    writer.line(format!("// One transform along {axes} axes: views and geometry."));
    writer.line(format!("struct Job{axes} {{"));
    for field in job_fields(axes) {
        writer.line(format!("long long {field};"));
    }
    writer.line("};");
    writer.line("");
    writer.line(format!("struct Jobs{axes} {{"));
    writer.line(format!("Job{axes} job[{}];", jobs(axes)));
    writer.line("};");
    writer.line("");
}

/// Numbers blocks so that those at the ends of an axis, which have more to do, are the first: nothing
/// should wait for them at the end.
fn ends_first(writer: &mut Writer, axis: usize) {
    writer.line("// Blocks at both ends of the last axis come first.");
    writer
        .line(format!("const long long ends_across = job.tiles{axis} < 2 ? job.tiles{axis} : 2;"));
    writer.line(format!("const long long beside = job.blocks / job.lane_tiles / job.tiles{axis};"));
    writer.line("long long number_across;");
    writer.line("if (rest < ends_across * beside) {");
    writer.line(format!("number_across = rest % ends_across == 0 ? 0 : job.tiles{axis} - 1;"));
    writer.line("rest /= ends_across;");
    writer.line("} else {");
    writer.line("rest -= ends_across * beside;");
    writer.line(format!("const long long others = job.tiles{axis} - ends_across;"));
    writer.line("number_across = 1 + rest % others;");
    writer.line("rest /= others;");
    writer.line("}");
}

/// Finds the block's tile: `first{axis}` is its first output pair, `lane0` its first lane; `signal`
/// and `band{c}` point at the batch element.
pub(super) fn locate(writer: &mut Writer, axes: usize, mapping: &Mapping) {
    let strips = mapping.groups > 0;
    let part = |count: &str| match strips {
        true => format!("rest % job.{count}"),
        false => format!("(long long)(rest % (unsigned)job.{count})"),
    };
    let next = |count: &str| match strips {
        true => format!("rest /= job.{count};"),
        false => format!("rest /= (unsigned)job.{count};"),
    };
    if strips {
        writer.line("// The blocks of all jobs are numbered one after the other.");
        writer.line("long long rest = blockIdx.x;");
        writer.line("int number = 0;");
        writer.line(format!(
            "while (number < {} && rest >= jobs.job[number].blocks) rest -= jobs.job[number++].blocks;",
            jobs(axes) - 1
        ));
        writer.line(format!("const Job{axes}& job = jobs.job[number];"));
        writer.line("if (rest >= job.blocks) return;");
        writer.line("const long long lane0 = rest % job.lane_tiles * job.lane_tile;");
    } else {
        writer.line(format!("const Job{axes}& job = jobs.job[blockIdx.y];"));
        writer.line("if (blockIdx.x >= job.blocks) return;");
        // A job has fewer than 2^31 blocks, and short divisions are much shorter than long ones.
        writer.line("unsigned rest = blockIdx.x;");
        let number = part("lane_tiles");
        writer.line(format!("const long long lane0 = {number} * {};", mapping.lanes));
    }
    writer.line(next("lane_tiles"));
    if strips {
        ends_first(writer, axes - 1);
    }
    for axis in (0..axes).rev() {
        let tile = match strips {
            true => format!("job.tile{axis}"),
            false => mapping.tile[axis].to_string(),
        };
        let number = match strips && axis + 1 == axes {
            true => "number_across".to_owned(),
            false => part(&format!("tiles{axis}")),
        };
        writer.line(format!(
            "const long long first{axis} = job.pairs_start{axis} + {number} * {tile};"
        ));
        if !(strips && axis + 1 == axes) {
            writer.line(next(&format!("tiles{axis}")));
        }
    }
    for outer in (0..OUTERS).rev() {
        let count = format!("outer{outer}");
        writer.line(format!("const long long outer{outer} = {};", part(&count)));
        writer.line(next(&count));
    }
    base(writer, "signal", "");
    for channel in 0..1 << axes {
        base(writer, &format!("band{channel}"), "");
    }
}

/// The jobs of a launch after the first as further levels of it: `job_2`, `job_3`, whose bands are
/// those of the same batch element.
pub(super) fn deeper(writer: &mut Writer, axes: usize, level: usize) {
    writer.line(format!("const Job{axes}& job_{level} = jobs.job[{}];", level - 1));
    for channel in 0..1 << axes {
        base(writer, &format!("band{channel}"), &format!("_{level}"));
    }
}

/// An array's first element in the batch element.
fn base(writer: &mut Writer, name: &str, suffix: &str) {
    let job = format!("job{suffix}");
    let offsets: Vec<String> =
        (0..OUTERS).map(|o| format!("outer{o} * {job}.{name}_outer{o}")).collect();
    writer.line(format!(
        "value* const {name}{suffix} = chosen(b0, b1, b2, {job}.{name}_buffer) + {job}.{name}_offset + {};",
        offsets.join(" + ")
    ));
}
