//! What tuning found, and its file.
//!
//! A file is a JSON object that repeats the key, so that whoever looks into the directory can read it,
//! and so that a file that stands under a wrong name is noticed. Like compiled kernels it only ever
//! saves time: whatever is wrong with it is reported through `tracing` and otherwise ignored.

use super::key::TuningKey;
use crate::device::DiskCache;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use waveloom_codegen::gpu::Strategy;

/// Grows with the format of files.
const FORMAT: u32 = 1;

/// The best strategy for a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// For what it is the best.
    pub key: TuningKey,
    /// The strategy; it prints as options of the command line.
    pub strategy: Strategy,
    /// Time of forward and of inverse, as multiples of a copy of the signal.
    pub copies: [f64; 2],
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    key: TuningKey,
    strategy: String,
    copies: [f64; 2],
}

impl Finding {
    /// What is kept for a key, if there is a sound file.
    pub fn load(cache: &DiskCache, key: &TuningKey) -> Option<Self> {
        let name = key.file_name();
        let bytes = cache.read(&name)?;
        match decode(&bytes, key) {
            Ok(finding) => Some(finding),
            Err(reason) => {
                cache.broken(&name, &reason);
                None
            }
        }
    }

    /// Keeps the finding in place of an older one, whole or not at all, and says where; `None` where
    /// nothing is kept at all.
    ///
    /// # Errors
    /// A directory that cannot be made or written.
    pub fn store(&self, cache: &DiskCache) -> io::Result<Option<PathBuf>> {
        let stored = Stored {
            format: FORMAT,
            key: self.key.clone(),
            strategy: self.strategy.to_string(),
            copies: self.copies,
        };
        let mut text = serde_json::to_string_pretty(&stored).map_err(io::Error::other)?;
        text.push('\n');
        cache.write(&self.key.file_name(), text.as_bytes())
    }
}

fn decode(bytes: &[u8], key: &TuningKey) -> Result<Finding, String> {
    let stored: Stored = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if stored.format != FORMAT {
        return Err(format!("expected format {FORMAT}, got {}", stored.format));
    }
    if stored.key != *key {
        return Err(format!("expected the key {key:?}, got {:?}", stored.key));
    }
    let strategy = stored.strategy.parse::<Strategy>().map_err(|error| error.to_string())?;
    Ok(Finding { key: stored.key, strategy, copies: stored.copies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waveloom_codegen::Element;
    use waveloom_wavelets::{SchemeKind, catalogue};

    fn finding() -> Finding {
        let wavelet = catalogue::wavelet("bior4.4").unwrap();
        let scheme = SchemeKind::SeparableLifting;
        let key = TuningKey::new("card", &wavelet, scheme, &[512, 512], &[0, 1], Element::F32);
        let strategy = Strategy { threads: Some(64), rows: Some(16), ..Strategy::STREAM };
        Finding { key, strategy, copies: [1.25, 1.125] }
    }

    #[test]
    fn files_can_be_read_by_people() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path().join("not/there/yet"));
        let finding = finding();
        let path = finding.store(&cache).unwrap().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for part in [
            "\"format\": 1",
            "\"strategy\": \"--strategy stream --block 64 --rows 16\"",
            "\"scheme\": \"separable-lifting\"",
            "\"shape\": \"2^9* 2^9*\"",
            "\"device\": \"card\"",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let newer = Finding { strategy: Strategy::SHARED, ..finding.clone() };
        newer.store(&cache).unwrap();
        assert_eq!(Finding::load(&cache, &finding.key), Some(newer));
        // No temporary file is left behind.
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert_eq!(finding.store(&DiskCache::off()).unwrap(), None);
        assert_eq!(Finding::load(&DiskCache::off(), &finding.key), None);
    }

    #[test]
    fn broken_files_are_ignored_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path());
        let finding = finding();
        let path = finding.store(&cache).unwrap().unwrap();
        let sound = std::fs::read_to_string(&path).unwrap();
        for (broken, part) in [
            (String::new(), "EOF"),
            (sound[..sound.len() / 2].to_owned(), "EOF"),
            (sound.replace("\"format\": 1", "\"format\": 2"), "format 1"),
            (sound.replace("\"card\"", "\"other\""), "other"),
            (sound.replace("stream", "magic"), "magic"),
            (sound.replace("--rows 16", "--rows many"), "many"),
            (sound.replace("\"copies\"", "\"times\""), "times"),
        ] {
            let reason = decode(broken.as_bytes(), &finding.key).unwrap_err();
            assert!(reason.contains(part), "{reason}");
            std::fs::write(&path, &broken).unwrap();
            assert_eq!(Finding::load(&cache, &finding.key), None, "{broken}");
        }
        std::fs::write(&path, [0xff, 0, 0x80]).unwrap();
        assert_eq!(Finding::load(&cache, &finding.key), None);
        finding.store(&cache).unwrap();
        assert_eq!(Finding::load(&cache, &finding.key), Some(finding));
    }

    #[test]
    fn an_unusable_directory_is_told_to_whoever_stores() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "in the way").unwrap();
        let cache = DiskCache::at(file.join("below"));
        assert!(finding().store(&cache).is_err());
        assert_eq!(Finding::load(&cache, &finding().key), None);
    }
}
