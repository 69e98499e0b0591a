//! The parameter of transforms, and how a block finds its tile in it.

use super::writer::Writer;
use crate::gpu::{Mapping, OUTERS, Strip, job_fields, jobs, part_fields};

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

/// The ending of the names of the structures of parts.
fn of_axes(axes: usize) -> &'static str {
    if axes == 3 { "3" } else { "" }
}

/// The structure that tells which blocks are inside.
pub(super) fn parts_type(axes: usize) -> String {
    format!("Parts{}", of_axes(axes))
}

/// `struct Parts`: strips (or blocks, as they are numbered) that may touch an end, and those that do not.
pub(super) fn declare_parts(writer: &mut Writer, axes: usize) {
    let of = of_axes(axes);
    writer.line(match axes {
        3 => "// A job's blocks that may touch an end, those that do not, and which tiles these are: along the",
        _ => "// A job's strips that may touch an end, those that do not, and which tiles and strips (of several levels: blocks) these are: along the",
    });
    writer.line("// walk, and beside it. Tiles at an end are walked in pieces.");
    writer.line(format!("struct Part{of} {{"));
    writer.line(format!("long long {};", part_fields(axes).join(", ")));
    writer.line("};");
    writer.line("");
    writer.line(format!("struct Parts{of} {{"));
    writer.line("long long apart;");
    writer.line(format!("Part{of} part[{}];", jobs(axes)));
    writer.line("};");
    writer.line("");
}

/// The same as [`locate`] for a function that runs one part of a launch, as `ENDS` says: finds the strip, or the block, as
/// they are numbered.
pub(super) fn locate_part(writer: &mut Writer, axes: usize, strip: &Strip) {
    let of = of_axes(axes);
    let three = axes == 3;
    let (strips, numbered) = (strip.abreast(), strip.numbered());
    let (times, warp) = match strips {
        1 => (String::new(), ""),
        _ => (format!(" * {strips}"), " + warp"),
    };
    let all = if numbered { "strips" } else { "blocks" };
    // Of several levels, strips at an end may be numbered although others are not.
    let single = strip.abreast_at_ends();
    let apart = single != strips;
    let times = if apart { format!(" * {single}") } else { times };
    writer.line(format!("// The part's {all} of all jobs are numbered one after the other."));
    match apart {
        true => {
            writer.line("// At ends, strips are.");
            writer.line(format!("unsigned rest = ENDS ? blockIdx.x{times} + __shfl_sync(0xffffffffu, threadIdx.x >> 5, 0) : blockIdx.x;"));
        }
        false => writer.line(format!("unsigned rest = blockIdx.x{times}{warp};")),
    }
    writer.line("int number = 0;");
    let last = jobs(axes) - 1;
    writer.line(format!("const auto parts_of = [&](const Part{of}& part) {{ return (unsigned)(ENDS ? part.ends : part.inside); }};"));
    writer.line(format!(
        "while (number < {last} && rest >= parts_of(parts.part[number])) rest -= parts_of(parts.part[number++]);"
    ));
    writer.line(format!("const Job{axes}& job = jobs.job[number];"));
    writer.line(format!("const Part{of}& part = parts.part[number];"));
    writer.line("if (rest >= parts_of(part)) return;");
    let (tile, beside) = match axes {
        1 => ("lane_tile".to_owned(), "lane_tiles".to_owned()),
        _ => (format!("tile{}", axes - 1), format!("tiles{}", axes - 1)),
    };
    writer.line(match three {
        true => "// The tile along the walk, beside it, and along the middle axis.",
        false if numbered => "// The tile along the walk, and the strip beside it.",
        false => "// The tile along the walk, and beside it.",
    });
    writer.line(match three {
        true => "unsigned down, beside, middle, piece = 0;",
        false => "unsigned down, beside, piece = 0;",
    });
    writer.line("long long walk = job.tile0;");
    let beside_inside = match apart {
        true => format!(
            "ENDS ? (unsigned)part.tiles1 : ((unsigned)part.tiles1 + {}) / {single}",
            single - 1
        ),
        false => "(unsigned)part.tiles1".to_owned(),
    };
    writer.line(format!(
        "const unsigned inside0 = (unsigned)part.tiles0, inside1 = {beside_inside};"
    ));
    if three {
        writer.line("const unsigned inside2 = (unsigned)part.tiles2;");
    }
    writer.line("if (ENDS) {");
    if strip.between > 0 {
        writer.line("// Walks that make rows beforehand come first.");
        writer.line("rest = parts_of(part) - 1 - rest;");
    }
    writer.line(format!(
        "const unsigned all0 = (unsigned)job.tiles0, others = (unsigned)job.{beside}{times} - inside1;"
    ));
    writer.line("const unsigned border = all0 * others + (all0 - inside0) * inside1;");
    writer.line("const unsigned pieces = (unsigned)part.pieces;");
    writer.line("piece = rest % pieces;");
    writer.line("rest /= pieces;");
    writer.line("walk = part.walk;");
    if three {
        locate_middle(writer);
    } else {
        writer.line("unsigned at = rest % border;");
        writer.line("rest /= border;");
        locate_border(writer);
    }
    writer.line("} else {");
    if three {
        writer.line("middle = (unsigned)part.first2 + rest % inside2;");
        writer.line("rest /= inside2;");
    }
    writer.line("const unsigned at = rest % (inside0 * inside1);");
    writer.line("rest /= inside0 * inside1;");
    writer.line("down = (unsigned)part.first0 + at / inside1;");
    match apart {
        true => writer.line(format!("beside = (unsigned)part.first1 + at % inside1 * {single};")),
        false => writer.line("beside = (unsigned)part.first1 + at % inside1;"),
    }
    writer.line("}");
    writer.line(
        "const long long first0 = job.pairs_start0 + (long long)down * job.tile0 + piece * walk;",
    );
    writer.line("if (walk > job.tile0 - piece * walk) walk = job.tile0 - piece * walk;");
    let extent = if numbered || apart { strip.useful().to_string() } else { format!("job.{tile}") };
    match axes {
        1 => writer.line(format!("const long long lane0 = (long long)beside * {extent};")),
        _ => {
            let axis = axes - 1;
            writer.line(format!("const long long first{axis} = job.pairs_start{axis} + (long long)beside * {extent};"));
        }
    }
    if three {
        writer.line("const long long first1 = job.pairs_start1 + (long long)middle * job.tile1;");
    }
    let outers: Vec<String> = (0..OUTERS).map(|outer| format!("outer{outer} = 0")).collect();
    writer.line(format!("unsigned {};", outers.join(", ")));
    writer.line("if (rest > 0) {");
    for outer in (0..OUTERS).rev() {
        writer.line(format!("outer{outer} = rest % (unsigned)job.outer{outer};"));
        if outer > 0 {
            writer.line(format!("rest /= (unsigned)job.outer{outer};"));
        }
    }
    writer.line("}");
    base(writer, "signal", "");
    for channel in 0..1 << axes {
        base(writer, &format!("band{channel}"), "");
    }
}

/// Which tile at an end the strip (or block) `at` of those around the ones inside is along the walk, and which one it is
/// beside it.
fn locate_border(writer: &mut Writer) {
    writer.line("if (at < all0 * others) {");
    writer.line("down = at / others;");
    writer.line("beside = at % others;");
    writer.line("if (beside >= (unsigned)part.first1) beside += inside1;");
    writer.line("} else {");
    writer.line("at -= all0 * others;");
    writer.line("down = at / inside1;");
    writer.line("beside = (unsigned)part.first1 + at % inside1;");
    writer.line("if (down >= (unsigned)part.first0) down += inside0;");
    writer.line("}");
}

/// The same with three axes: along the middle one, whole tiles at its ends come first.
fn locate_middle(writer: &mut Writer) {
    writer.line(
        "const unsigned across = (unsigned)job.tiles2, slabs = (unsigned)job.tiles1 - inside2;",
    );
    writer.line("const unsigned slab = all0 * across, ends = slab * slabs + border * inside2;");
    writer.line("unsigned at = rest % ends;");
    writer.line("rest /= ends;");
    writer.line("if (at < slab * slabs) {");
    writer.line("middle = at % slabs;");
    writer.line("at /= slabs;");
    writer.line("if (middle >= (unsigned)part.first2) middle += inside2;");
    writer.line("down = at / across;");
    writer.line("beside = at % across;");
    writer.line("} else {");
    writer.line("at -= slab * slabs;");
    writer.line("middle = (unsigned)part.first2 + at % inside2;");
    writer.line("at /= inside2;");
    locate_border(writer);
    writer.line("}");
}

/// The jobs of a launch after the first as further levels of it: `job_2`, `job_3`, whose bands are
/// those of the same batch element.
pub(super) fn deeper(writer: &mut Writer, axes: usize, level: usize) {
    writer.line(format!("const Job{axes}& job_{level} = jobs.job[{}];", level - 1));
    for channel in 0..1 << axes {
        base(writer, &format!("band{channel}"), &format!("_{level}"));
    }
}

/// Where a batch element is, by its number: `outer0` and others.
pub(super) fn batch(writer: &mut Writer, number: &str) {
    writer.line(format!("unsigned line = {number};"));
    for outer in (0..OUTERS).rev() {
        writer.line(format!(
            "const unsigned outer{outer} = line % (unsigned)jobs.job[0].outer{outer};"
        ));
        if outer > 0 {
            writer.line(format!("line /= (unsigned)jobs.job[0].outer{outer};"));
        }
    }
}

/// The arrays of `job`: `signal` and `band{c}` point at the batch element.
pub(super) fn bases(writer: &mut Writer, axes: usize) {
    base(writer, "signal", "");
    for channel in 0..1 << axes {
        base(writer, &format!("band{channel}"), "");
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
