//! The functions that are launched: one for all strips, or several of which each takes its own.

use super::super::writer::Writer;
use super::super::{COPIES, INSIDE, SUMS, job};
use super::Emitter;

impl Emitter<'_> {
    /// The kernel: one function for all strips, or several: for blocks that touch any end, or only ends of
    /// copies, or of sums near by, and for the others.
    pub(super) fn kernel(&self, writer: &mut Writer) {
        let (name, axes, mapping) = (&self.name, self.axes(), self.proved.mapping());
        let resident = mapping.resident.max(1);
        if !self.strip.parted() {
            self.global(writer, name, resident, "");
            self.shared(writer, false);
            self.warp_first(writer);
            job::locate(writer, axes, mapping);
            self.begin(writer);
            writer.line("const int own = warp, looking = warp;");
            self.inside(writer);
            let arguments = self.walk_call();
            writer.line("if (inside) {");
            writer.line(format!("walk_{name}<INSIDE>({arguments});"));
            writer.line("} else {");
            writer.line(format!("walk_{name}<ANY>({arguments});"));
            writer.line("}");
            writer.line("}");
            return;
        }
        writer.line("// A warp's strip of a block that may touch ends, or of one that does not.");
        writer.line("template <int ENDS>");
        let parts = job::parts_type(axes);
        writer.line(format!(
            "__device__ inline void strip_{name}(value* b0, value* b1, value* b2, const Jobs{axes}& jobs, const {parts}& parts) {{"
        ));
        self.shared(writer, true);
        self.warp_first(writer);
        job::locate_part(writer, axes, self.strip);
        self.begin(writer);
        writer.line(format!(
            "const int own = {} ? {} : 0, looking = ENDS == ANY ? warp : 0;",
            self.knows_ends(),
            self.number_of_ring()
        ));
        if self.strip.has_sums() {
            writer.line("const int summing = ENDS == SUMS ? warp : 0;");
        }
        self.walk_up(writer);
        writer.line("const int count = (int)(stop - start);");
        writer.line(format!("walk_{name}<ENDS>({});", self.walk_call()));
        writer.line("}");
        writer.line("");
        writer.line("// Strips that may touch an end; all, unless the others are left to the last function.");
        self.at_an_end(writer, name, 1, if self.strip.beside.is_none() { "ANY" } else { "COPIES" });
        if self.wraps() {
            writer
                .line("// The same where lines begin anew beyond their ends, and all is aligned.");
            let round = self.strip.resident_round(resident, self.proved.kernel().element.bytes());
            self.at_an_end(writer, &format!("{name}{COPIES}"), round, "WRAPPED");
        } else if self.strip.has_copies() {
            writer.line("// The same where beyond the ends stand copies of elements less than a line's length away, or");
            writer.line("// nothing.");
            self.at_an_end(writer, &format!("{name}{COPIES}"), resident, "COPIES");
        }
        if self.strip.has_sums() {
            writer.line("// The same where stand sums of such elements and of those at the ends.");
            self.at_an_end(writer, &format!("{name}{SUMS}"), resident, "SUMS");
        }
        writer.line("// Blocks that lie inside all their arrays: may run beside the others.");
        let inside = format!("{name}{INSIDE}");
        self.global(writer, &inside, resident, &format!(", const __grid_constant__ {parts} parts"));
        writer.line("begin_next();");
        writer.line(format!("strip_{name}<INSIDE>(b0, b1, b2, jobs, parts);"));
        writer.line("// What comes after this launch comes after the one beside it, too.");
        writer.line("if (blockIdx.x + 1 == gridDim.x) await_previous();");
        writer.line("}");
    }

    /// The opening of a function that is launched.
    fn global(&self, writer: &mut Writer, name: &str, resident: u32, more: &str) {
        let (axes, threads) = (self.axes(), self.proved.mapping().threads);
        writer
            .line(format!("extern \"C\" __global__ void __launch_bounds__({threads}, {resident})"));
        writer.line(format!(
            "{name}(value* b0, value* b1, value* b2, const __grid_constant__ Jobs{axes} jobs{more}) {{"
        ));
    }

    /// A function that is launched for blocks at an end.
    fn at_an_end(&self, writer: &mut Writer, name: &str, resident: u32, ends: &str) {
        let parts = job::parts_type(self.axes());
        self.global(writer, name, resident, &format!(", const __grid_constant__ {parts} parts"));
        writer.line(format!("strip_{}<{ends}>(b0, b1, b2, jobs, parts);", self.name));
        writer.line("}");
        writer.line("");
    }

    /// What a block's warps have in shared memory; of a kernel of several functions, what each of them
    /// needs.
    fn shared(&self, writer: &mut Writer, parted: bool) {
        let (warps, desk) = (self.strip.warps, self.strip.desk());
        let ring = match (self.strip.ring(), self.strip.ring_at_ends()) {
            (ring, ends) if ring == ends => ring.to_string(),
            (ring, ends) => format!("{} ? {ends} : {ring}", self.knows_ends()),
        };
        let rings = self.strip.rings();
        let only = |condition: &str, count: usize| match parted {
            true => format!("{condition} ? {count} : 1"),
            false => count.to_string(),
        };
        let (desks, ends) = (only("ENDS == ANY", warps), only(self.knows_ends(), rings));
        writer.line(format!("alignas(16) __shared__ value rings[{rings}][{ring}];"));
        writer.line(format!(
            "alignas(16) __shared__ work desks[{desks}][{}];",
            only("ENDS == ANY", desk)
        ));
        if self.strip.has_sums() {
            let summing = |count: usize| only("ENDS == SUMS", count);
            let (all, edges, lanes) = (summing(warps), self.strip.edges(), self.strip.lanes());
            writer.line(format!("__shared__ value edges[{all}][{}];", summing(edges)));
            let weights = format!("Weights<{}> weights", self.loaded());
            writer.line(format!("__shared__ {weights}[{all}][{}];", summing(lanes)));
        }
        self.shared_between(writer, &|count| only(self.knows_ends(), count));
        writer.line(format!("__shared__ {} ends[{ends}];", self.ends_type()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::source;
    use crate::gpu::{ProgramRequest, Strategy, program};
    use crate::kernel::{Element, Operation};
    use waveloom_wavelets::{Mode, catalogue};

    /// What the text says after the beginning of the function that finds a strip.
    fn found(levels: usize) -> String {
        let haar = catalogue::wavelet("haar").unwrap();
        let program = program(&ProgramRequest {
            wavelet: &haar,
            kind: haar.default_scheme(2),
            shape: &[4096, 4096],
            axes: &[0, 1],
            mode: Mode::Periodization,
            origins: &[],
            levels,
            align_rows: None,
            element: Element::F32,
            operation: Operation::Forward,
            strategy: Strategy::STREAM,
        })
        .unwrap();
        let text = source(Element::F32, &program.kernels, &[]).text;
        text.split_once("void strip_transform0(").unwrap().1.to_owned()
    }

    /// Strips are found by their warps; blocks of several levels before these part.
    #[test]
    fn warps_are_numbered_before_strips_are_found_and_after_blocks_are() {
        let place = |text: &str, line: &str| text.find(line).unwrap_or_else(|| panic!("no {line}"));
        let one = found(1);
        assert!(place(&one, "const int warp") < place(&one, "// The part's strips of all jobs"));
        let two = found(2);
        place(&two, "// The part's blocks of all jobs");
        assert!(place(&two, "const Job2& job_2") < place(&two, "const int warp"));
        assert!(place(&two, "const int warp") < place(&two, "long long k1"));
    }
}
