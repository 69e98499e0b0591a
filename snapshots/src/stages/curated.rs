//! The curated list, `goldens/cases.toml`.

use super::folder;
use serde::Deserialize;
use std::path::PathBuf;
use waveloom_wavelets::{Wavelet, catalogue};

/// A wavelet whose stages are kept as snapshots.
#[derive(Clone, Debug)]
pub struct Curated {
    /// Name of the snapshots' folder.
    pub name: String,
    /// The wavelet.
    pub wavelet: Wavelet,
    /// Numbers of axes whose schemes are shown.
    pub axes: Vec<usize>,
}

/// What is wrong with the list.
#[derive(Debug, thiserror::Error)]
pub enum CuratedError {
    /// A file that cannot be read.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Not the list's format.
    #[error("cases.toml: {0}")]
    Format(#[from] toml::de::Error),
    /// Not in the catalogue.
    #[error(transparent)]
    Unknown(#[from] catalogue::UnknownWavelet),
}

/// One entry as written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name of the snapshots' folder.
    pub name: String,
    /// Catalogue name.
    pub wavelet: String,
    /// Numbers of axes whose schemes are shown.
    pub axes: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    case: Vec<Entry>,
}

/// The entries of a list's text; unknown keys are errors.
pub fn parse(text: &str) -> Result<Vec<Entry>, CuratedError> {
    Ok(toml::from_str::<List>(text)?.case)
}

/// All curated wavelets.
pub fn curated() -> Result<Vec<Curated>, CuratedError> {
    let text = read(folder().join("cases.toml"))?;
    parse(&text)?.into_iter().map(Entry::load).collect()
}

fn read(path: PathBuf) -> Result<String, CuratedError> {
    std::fs::read_to_string(&path).map_err(|error| CuratedError::File { path, error })
}

impl Entry {
    fn load(self) -> Result<Curated, CuratedError> {
        let wavelet = catalogue::wavelet(&self.wavelet)?;
        Ok(Curated { name: self.name, wavelet, axes: self.axes })
    }
}
