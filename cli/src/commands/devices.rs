//! `waveloom devices`

use crate::console::Console;
use crate::error::End;

/// Lists what can compute.
pub fn run(console: &mut Console<'_>) -> Result<(), End> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if threads == 1 { "" } else { "s" };
    console.line(format!(
        "cpu      {}, {threads} thread{plural}{}",
        std::env::consts::ARCH,
        features()
    ))?;
    Ok(())
}

/// Instruction sets that matter here.
fn features() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(target_arch = "aarch64")]
    let found = [("neon", std::arch::is_aarch64_feature_detected!("neon"))];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let found: [(&str, bool); 0] = [];
    let names: Vec<&str> =
        found.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    if names.is_empty() { String::new() } else { format!(", {}", names.join(" ")) }
}
