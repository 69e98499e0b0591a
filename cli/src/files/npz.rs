//! NumPy archives: several named arrays in one zip file, stored or deflated.

use super::{atomic, npy};
use crate::error::{Failure, Outcome};
use crate::samples::Samples;
use crate::with_samples;
use ndarray_npy::NpzWriter;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

pub use super::npy::Content;

/// Deflate cannot shrink data further than this; an entry that claims more is damaged.
const LARGEST_RATIO: u64 = 1100;

/// Reads every array of an archive, by name (the ending `.npy` left out).
pub fn read(path: &Path) -> Outcome<BTreeMap<String, Content>> {
    let file = File::open(path).map_err(|error| Failure::unreadable(path, error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::of_file(path, "is a folder; expected a .npz file"));
    }
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| {
        Failure::of_file(path, format!("is not a complete .npz (zip) file: {}", explain(&error)))
    })?;
    let mut members = BTreeMap::new();
    for index in 0..archive.len() {
        let entry = archive
            .by_index(index)
            .map_err(|error| Failure::of_field(path, format!("member {index}"), explain(&error)))?;
        let Some(name) = entry.name().strip_suffix(".npy").map(str::to_owned) else {
            let message = "is not an array (its name does not end in .npy)";
            return Err(Failure::of_field(path, entry.name(), message));
        };
        let (size, packed) = (entry.size(), entry.compressed_size());
        if size / LARGEST_RATIO > packed {
            let message = format!("claims {size} bytes from {packed} compressed ones");
            return Err(Failure::of_field(path, name, message));
        }
        let content = npy::read_array(entry, size)
            .map_err(|problem| Failure::of_field(path, name.clone(), problem))?;
        if members.insert(name.clone(), content).is_some() {
            return Err(Failure::of_field(path, name, "occurs twice"));
        }
    }
    Ok(members)
}

/// Writes an archive of stored arrays, atomically and in the order given.
pub fn write<'a>(
    path: &Path,
    members: impl IntoIterator<Item = (&'a str, &'a Samples)>,
) -> Outcome<()> {
    atomic::write(path, |writer| {
        let mut archive = NpzWriter::new(writer);
        for (name, samples) in members {
            let added = with_samples!(samples, array => archive.add_array(name, array));
            added.map_err(|error| Failure::of_field(path, name, error))?;
        }
        archive.finish().map_err(Failure::plain)?;
        Ok(())
    })
}

fn explain(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(what) => what.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::ArrayD;

    #[test]
    fn archives_survive_a_round_trip_and_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npz");
        let (a, d) = (
            Samples::F64(ArrayD::from_elem(vec![3], 1.5)),
            Samples::I32(ArrayD::from_elem(vec![0, 2], 7)),
        );
        write(&path, [("a", &a), ("d1", &d)]).unwrap();
        let members = read(&path).unwrap();
        assert_eq!(members["a"], Content::Samples(a));
        assert_eq!(members["d1"], Content::Samples(d));

        let bytes = std::fs::read(&path).unwrap();
        for cut in (0..bytes.len()).step_by(7) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "cut at {cut}");
        }
    }
}
