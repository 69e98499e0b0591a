//! Reading and writing coefficient files.

use super::{Key, Record};
use crate::args::Layout;
use crate::error::{Failure, Outcome};
use crate::files::npz::Content;
use crate::files::{Format, atomic, npy, npz};
use crate::samples::{SampleType, Samples};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Coefficients as a file holds them.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// One array per band. Bands that are absent or have no elements are zero.
    Bands(BTreeMap<Key, Samples>),
    /// All bands in one array.
    Packed(Layout, Samples),
}

/// A coefficient file.
#[derive(Clone, Debug, PartialEq)]
pub struct CoefficientFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it remembers.
    pub record: Record,
    /// The coefficients.
    pub stored: Stored,
}

impl CoefficientFile {
    /// Reads a file whose coefficients are arranged as `layout` says, or else as the file itself
    /// says, or else as its members' names tell.
    pub fn read(path: &Path, layout: Option<Layout>) -> Outcome<Self> {
        match Format::expecting(path, &Format::COEFFICIENTS)? {
            Format::Npz => Self::from_members(path, npz::read(path)?, layout),
            Format::Npy => {
                let layout = layout.filter(|layout| *layout != Layout::Bands).ok_or_else(|| {
                    let message = "a .npy file holds one array; expected --layout mallat or mixed with it, or a .npz file";
                    Failure::of_field(path, "--layout", message)
                })?;
                let stored = Stored::Packed(layout, npy::read(path)?);
                Ok(Self { path: path.to_owned(), record: Record::default(), stored })
            }
            other => {
                let message = format!("{other} files hold no coefficients; expected .npz");
                Err(Failure::of_field(path, "name", message))
            }
        }
    }

    fn from_members(
        path: &Path,
        mut members: BTreeMap<String, Content>,
        layout: Option<Layout>,
    ) -> Outcome<Self> {
        let record = Record::take(path, &mut members)?;
        if let (Some(given), Some(stored)) = (layout, record.layout)
            && given != stored
        {
            let message =
                format!("{} was given, but the file says {}", given.name(), stored.name());
            return Err(Failure::of_field(path, "--layout", message));
        }
        let mut numbers = BTreeMap::new();
        for (name, content) in members {
            let Content::Samples(samples) = content else {
                return Err(Failure::of_field(path, name, "holds text; expected numbers"));
            };
            numbers.insert(name, samples);
        }
        let packed =
            [Layout::Mallat, Layout::Mixed].map(|layout| (layout, numbers.remove(layout.name())));
        let layout = layout.or(record.layout).or_else(|| {
            // Bands if there are any, else whichever packed array there is.
            let only =
                || packed.iter().find(|(_, array)| array.is_some()).map(|(layout, _)| *layout);
            if numbers.is_empty() { only() } else { None }
        });
        let stored = match layout {
            None | Some(Layout::Bands) => Stored::Bands(bands(path, numbers)?),
            Some(layout) => {
                let array =
                    packed.into_iter().find_map(|(name, array)| array.filter(|_| name == layout));
                let array = array.ok_or_else(|| {
                    let name = layout.name();
                    Failure::of_field(path, name, "the array of this layout is missing")
                })?;
                Stored::Packed(layout, array)
            }
        };
        Ok(Self { path: path.to_owned(), record, stored })
    }

    /// The highest level that a band's name mentions: 1 if none does.
    pub fn highest_level(&self) -> usize {
        match &self.stored {
            Stored::Bands(bands) => bands.keys().filter_map(|key| key.level).max().unwrap_or(1),
            Stored::Packed(..) => 1,
        }
    }

    /// Number of transformed axes as the bands' names tell it.
    pub fn key_axes(&self) -> Option<usize> {
        match &self.stored {
            Stored::Bands(bands) => bands.keys().next().map(Key::axes),
            Stored::Packed(..) => None,
        }
    }

    /// Number of axes of the arrays.
    pub fn dimensions(&self) -> usize {
        match &self.stored {
            Stored::Bands(bands) => reference_band(bands).map_or(0, |(_, band)| band.shape().len()),
            Stored::Packed(_, array) => array.shape().len(),
        }
    }

    /// One element type for all coefficients: float64 if any array is, or if floats and integers
    /// meet; else the widest.
    pub fn kind(&self) -> SampleType {
        let kinds: Vec<SampleType> = match &self.stored {
            Stored::Bands(bands) => bands.values().map(Samples::kind).collect(),
            Stored::Packed(_, array) => vec![array.kind()],
        };
        let floats = kinds.iter().filter(|kind| kind.is_float()).count();
        if floats > 0 && floats < kinds.len() {
            return SampleType::F64;
        }
        kinds.into_iter().max_by_key(|kind| kind.bytes()).unwrap_or(SampleType::F64)
    }
}

/// Keeps the bands that hold anything, checks that they belong together.
fn bands(path: &Path, numbers: BTreeMap<String, Samples>) -> Outcome<BTreeMap<Key, Samples>> {
    let mut bands = BTreeMap::new();
    for (name, samples) in numbers {
        let key: Key = name.parse().map_err(|()| {
            let message = "is no band; expected names such as a, d1 (1-D), aa, ad1, da1, dd1 (2-D), aaa, aad1 (3-D)";
            Failure::of_field(path, name.clone(), message)
        })?;
        bands.insert(key, samples);
    }
    let Some((first, array)) = reference_band(&bands) else {
        let message = "no coefficients; expected arrays named a, d1, … or aa, ad1, da1, dd1, …";
        return Err(Failure::of_field(path, "members", message));
    };
    let (axes, dimensions) = (first.axes(), array.shape().len());
    for (key, samples) in &bands {
        if key.axes() != axes {
            let message =
                format!("{first} has {axes} transformed axes, but {key} has {}", key.axes());
            return Err(Failure::of_field(path, key.to_string(), message));
        }
        let found = samples.shape().len();
        if found != dimensions && !samples.is_empty() {
            let message = format!("{first} has {dimensions} axes, but {key} has {found}");
            return Err(Failure::of_field(path, key.to_string(), message));
        }
    }
    Ok(bands)
}

/// The first band that holds anything, or else the first: what the others are compared with.
fn reference_band(bands: &BTreeMap<Key, Samples>) -> Option<(&Key, &Samples)> {
    bands.iter().find(|(_, band)| !band.is_empty()).or_else(|| bands.first_key_value())
}

/// The array that every layout but bands is written as.
pub fn write_packed(path: &Path, record: &Record, layout: Layout, array: &Samples) -> Outcome<()> {
    match Format::of(path)? {
        Format::Npy => atomic::write(path, |writer| npy::write_array(writer, array)),
        _ => {
            let record = record.members()?;
            let members = record.iter().map(|(name, samples)| (*name, samples));
            npz::write(path, [(layout.name(), array)].into_iter().chain(members))
        }
    }
}

/// Writes bands and record.
pub fn write_bands(path: &Path, record: &Record, bands: &[(String, Samples)]) -> Outcome<()> {
    let record = record.members()?;
    let bands = bands.iter().map(|(name, samples)| (name.as_str(), samples));
    npz::write(path, bands.chain(record.iter().map(|(name, samples)| (*name, samples))))
}

/// Refuses before any work is done what cannot be written.
pub fn check_output(path: &Path, layout: Layout) -> Outcome<()> {
    atomic::check_target(path)?;
    let possible = match layout {
        Layout::Bands => &[Format::Npz][..],
        Layout::Mallat | Layout::Mixed => &Format::COEFFICIENTS,
    };
    match (Format::expecting(path, possible)?, layout) {
        (Format::Npz, _) | (Format::Npy, Layout::Mallat | Layout::Mixed) => Ok(()),
        (Format::Npy, Layout::Bands) => {
            let message = "a .npy file holds one array, but there is one per band; expected a name ending in .npz, or --layout mallat or mixed";
            Err(Failure::of_field(path, "output", message))
        }
        (other, _) => {
            let message =
                format!("{other} files hold no coefficients; expected a name ending in .npz");
            Err(Failure::of_field(path, "output", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::ArrayD;

    fn array(shape: &[usize]) -> Samples {
        Samples::F64(ArrayD::zeros(shape))
    }

    fn read(members: &[(&str, Samples)], layout: Option<Layout>) -> Outcome<CoefficientFile> {
        let folder = tempfile::tempdir().map_err(Failure::plain)?;
        let path = folder.path().join("x.npz");
        npz::write(&path, members.iter().map(|(name, samples)| (*name, samples)))?;
        CoefficientFile::read(&path, layout)
    }

    fn layout(file: &CoefficientFile) -> Layout {
        match &file.stored {
            Stored::Bands(_) => Layout::Bands,
            Stored::Packed(layout, _) => *layout,
        }
    }

    #[test]
    fn members_tell_the_layout() {
        let file = read(&[("a", array(&[4])), ("d1", array(&[4])), ("mallat", array(&[8]))], None)
            .unwrap();
        assert_eq!(
            (layout(&file), file.highest_level(), file.key_axes()),
            (Layout::Bands, 1, Some(1))
        );
        let file = read(&[("mixed", array(&[8]))], None).unwrap();
        assert_eq!((layout(&file), file.dimensions()), (Layout::Mixed, 1));
        let both = [("a", array(&[4])), ("d3", array(&[4])), ("mixed", array(&[8]))];
        assert_eq!(layout(&read(&both, Some(Layout::Mixed)).unwrap()), Layout::Mixed);
        assert_eq!(read(&both, None).unwrap().highest_level(), 3);
        assert!(read(&both, Some(Layout::Mallat)).unwrap_err().to_string().contains("mallat"));
    }

    #[test]
    fn bands_must_belong_together() {
        for members in [
            vec![("a", array(&[4])), ("ad1", array(&[4, 4]))],
            vec![("a", array(&[4])), ("d1", array(&[1, 4]))],
            vec![("a", array(&[4])), ("d_1", array(&[4]))],
            vec![],
        ] {
            assert!(read(&members, None).is_err());
        }
    }

    #[test]
    fn element_types_are_promoted() {
        let single = Samples::F32(ArrayD::zeros(vec![4]));
        let whole = Samples::I16(ArrayD::zeros(vec![4]));
        let kind = |a: &Samples, d: &Samples| {
            read(&[("a", a.clone()), ("d1", d.clone())], None).unwrap().kind()
        };
        assert_eq!(kind(&single, &array(&[4])), SampleType::F64);
        assert_eq!(kind(&single, &single), SampleType::F32);
        assert_eq!(kind(&single, &whole), SampleType::F64);
        assert_eq!(kind(&whole, &Samples::I32(ArrayD::zeros(vec![4]))), SampleType::I32);
    }
}
