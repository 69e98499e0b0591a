//! Checks that could not run because a tool is missing, and checks that ran on a sample.

use crate::conformance::Breadth;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Set to anything but `0`, this environment variable turns a skipped check into a failure.
pub const REQUIRE_TOOLCHAIN: &str = "WAVELOOM_REQUIRE_TOOLCHAIN";

/// A check that could not run, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("skipped: {check}: {reason}")]
pub struct Skipped {
    /// What would have been checked.
    pub check: String,
    /// What was missing, where it was looked for.
    pub reason: String,
}

impl Skipped {
    pub(crate) fn new(check: &str, reason: impl Into<String>) -> Self {
        Self { check: check.to_owned(), reason: reason.into() }
    }
}

/// What was found, or `None` after saying on standard error which check is skipped and why (also
/// when the test harness captures output).
///
/// # Panics
///
/// If [`REQUIRE_TOOLCHAIN`] is set and the tool is missing: this function serves tests alone.
pub fn available<T>(found: Result<T, Skipped>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(skipped) => {
            let required = std::env::var_os(REQUIRE_TOOLCHAIN).is_some_and(|value| value != "0");
            assert!(!required, "{REQUIRE_TOOLCHAIN} is set, but {skipped}");
            let _ = writeln!(std::io::stderr(), "{skipped}");
            None
        }
    }
}

/// Says on standard error that of a check only a part ran, and how all of it runs (also when the test harness captures
/// output); `part` says which. Says nothing where all of it ran.
pub fn sampled(breadth: Breadth, check: &str, part: &str) {
    if breadth == Breadth::Quick {
        let variable = Breadth::VARIABLE;
        let _ = writeln!(std::io::stderr(), "sampled: {check}: {part}; {variable}=broad runs all");
    }
}

/// A part of a check's list that takes long and shows what other parts show, too: nothing, which is said, unless all
/// runs. `part` names it.
///
/// # Panics
///
/// If [`Breadth::VARIABLE`] has no value it knows: this function serves tests alone.
pub fn unless_quick<T: Clone>(check: &str, part: &str, list: &[T]) -> Vec<T> {
    let breadth = Breadth::from_environment();
    assert!(breadth.is_ok(), "{breadth:?}");
    match breadth {
        Ok(Breadth::Quick) => {
            sampled(Breadth::Quick, check, &format!("without {part}"));
            Vec::new()
        }
        _ => list.to_vec(),
    }
}

/// Whether a run takes a text of a list of which quick runs take one in four; the text's content decides.
pub fn taken(breadth: Breadth, text: &str) -> bool {
    breadth == Breadth::Broad || content_byte(text).is_multiple_of(4)
}

/// A file name for a result that the parts determine: 24 hexadecimal digits.
pub(crate) fn content_key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(12).fold(String::new(), |mut key, byte| {
        // Writing to a string cannot fail.
        let _ = write!(key, "{byte:02x}");
        key
    })
}

/// A number that a text determines.
pub(crate) fn content_byte(text: &str) -> u8 {
    Sha256::digest(text.as_bytes()).first().copied().unwrap_or_default()
}

/// Cargo's target directory: where tools' results are kept between runs.
pub(crate) fn target_directory() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => PathBuf::from(directory),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
    }
}
