//! What `ptxas --verbose` says.

use std::fmt;

/// What one kernel uses on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread, in bytes: spills and indexed arrays.
    pub stack_bytes: u32,
    /// Bytes stored to local memory because registers ran out.
    pub spill_stores: u32,
    /// Bytes loaded back.
    pub spill_loads: u32,
    /// Static shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

impl Resources {
    /// Whether registers ran out.
    pub fn spills(&self) -> bool {
        self.spill_stores > 0 || self.spill_loads > 0
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} registers, {} bytes stack, {} bytes spill stores, {} bytes spill loads, {} \
             bytes static shared memory",
            self.kernel,
            self.registers,
            self.stack_bytes,
            self.spill_stores,
            self.spill_loads,
            self.shared_bytes
        )
    }
}

/// Reads a log; kernels sorted by name. Lines that say something else are passed over.
pub(super) fn parse(log: &str) -> Vec<Resources> {
    let mut all: Vec<Resources> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            all.push(Resources { kernel, ..Resources::default() });
        }
        let Some(kernel) = all.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            kernel.stack_bytes = number_before(line, " bytes stack frame");
            kernel.spill_stores = number_before(line, " bytes spill stores");
            kernel.spill_loads = number_before(line, " bytes spill loads");
        }
        if line.contains(" registers") {
            kernel.registers = number_before(line, " registers");
            kernel.shared_bytes = number_before(line, " bytes smem");
        }
    }
    all.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    all
}

/// The number that stands before `words`; 0 without.
fn number_before(line: &str, words: &str) -> u32 {
    let before = line.split_once(words).map_or("", |(before, _)| before);
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_two_kernels() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 8.000 ms
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";
        let all = parse(log);
        assert_eq!(all.len(), 2);
        assert_eq!(
            all[0],
            Resources { kernel: "first".into(), registers: 8, ..Default::default() }
        );
        let second = Resources {
            kernel: "second".into(),
            registers: 255,
            stack_bytes: 24,
            spill_stores: 16,
            spill_loads: 20,
            shared_bytes: 1024,
        };
        assert!(second.spills() && !all[0].spills());
        assert_eq!(all[1], second);
        assert!(parse("").is_empty());
    }
}
