//! The curated list, `goldens/cases.toml`.

use super::folder;
use serde::Deserialize;
use std::path::PathBuf;
use waveloom_wavelets::definition::{self, DefinitionErrors};
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
    /// Whether source texts are shown with the code that is the same for all wavelets.
    pub support: bool,
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
    /// A case must name either a catalogue entry or a definition file.
    #[error("case '{name}': give either wavelet or definition")]
    Source {
        /// The case.
        name: String,
    },
    /// Not in the catalogue.
    #[error(transparent)]
    Unknown(#[from] catalogue::UnknownWavelet),
    /// A definition that is not valid.
    #[error("{path}: {errors}")]
    Definition {
        /// Which.
        path: PathBuf,
        /// Every problem.
        errors: DefinitionErrors,
    },
}

/// One entry as written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name of the snapshots' folder.
    pub name: String,
    /// Catalogue name, or else:
    pub wavelet: Option<String>,
    /// a definition file, relative to the list.
    pub definition: Option<PathBuf>,
    /// Numbers of axes whose schemes are shown.
    pub axes: Vec<usize>,
    /// See [`Curated::support`].
    #[serde(default)]
    pub support: bool,
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
        let wavelet = match (&self.wavelet, &self.definition) {
            (Some(name), None) => catalogue::wavelet(name)?,
            (None, Some(file)) => {
                let path = folder().join(file);
                let text = read(path.clone())?;
                definition::parse(&text, &self.name)
                    .map_err(|errors| CuratedError::Definition { path, errors })?
            }
            _ => return Err(CuratedError::Source { name: self.name }),
        };
        let Self { name, axes, support, .. } = self;
        Ok(Curated { name, wavelet, axes, support })
    }
}
