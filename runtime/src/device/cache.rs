//! Compiled code kept on disk between runs.
//!
//! One file an image, named by the hash of everything that determines it. Files are written under
//! a temporary name and renamed, so that other processes see a whole file or none; each file
//! carries a hash of its content. The cache only ever saves time: whatever goes wrong with it is
//! reported through `tracing` and the text is compiled anew.

use super::nvrtc::{Image, ImageKind, Target};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// This environment variable names the cache's directory; empty, it switches the cache off.
pub const CACHE_DIRECTORY: &str = "WAVELOOM_CACHE_DIR";

/// What a file begins with. The number grows with the format.
const MAGIC: &[u8; 16] = b"waveloom image 1";

/// Everything that determines an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey<'a> {
    /// The text.
    pub source: &'a str,
    /// What it is compiled for, and thereby the options.
    pub target: Target,
    /// The compiler's version.
    pub compiler: (i32, i32),
    /// The driver's version.
    pub driver: u32,
}

impl CacheKey<'_> {
    /// A name for the image: 64 hexadecimal digits.
    pub fn name(&self) -> String {
        let mut hash = Sha256::new();
        let mut put = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        put(MAGIC);
        put(env!("CARGO_PKG_VERSION").as_bytes());
        put(self.source.as_bytes());
        for option in self.target.options() {
            put(option.as_bytes());
        }
        put(format!("{}.{}", self.compiler.0, self.compiler.1).as_bytes());
        put(self.driver.to_string().as_bytes());
        hexadecimal(&hash.finalize())
    }
}

/// A directory of images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCache {
    directory: Option<PathBuf>,
}

impl DiskCache {
    /// In the directory that [`CACHE_DIRECTORY`] names, else `waveloom` in the user's cache
    /// directory (`$XDG_CACHE_HOME`, `~/.cache`; on Windows `%LOCALAPPDATA%`). Without any of these
    /// there is no cache.
    pub fn from_environment() -> Self {
        Self { directory: directory(|name| std::env::var_os(name)) }
    }

    /// In a given directory, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()) }
    }

    /// Keeps nothing.
    pub fn off() -> Self {
        Self { directory: None }
    }

    /// Where images are kept.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The image kept under `key`, if there is a sound one.
    pub fn load(&self, key: &CacheKey<'_>) -> Option<Image> {
        let bytes = self.read(&key.name())?;
        let image = decode(&bytes);
        if image.is_none() {
            self.broken(&key.name(), "no sound image");
        }
        image
    }

    /// The bytes of a file, if there is one that can be read.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.directory.as_ref()?.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cannot read the kernel cache");
                None
            }
        }
    }

    /// Reports a file that is not what its name says.
    pub(crate) fn broken(&self, name: &str, reason: &str) {
        let Some(directory) = &self.directory else { return };
        let path = directory.join(name);
        tracing::warn!(path = %path.display(), reason, "broken file in the kernel cache: ignored");
    }

    /// Writes a file, whole or not at all, and says where; `None` without a cache.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let path = directory.join(name);
        write(directory, &path, bytes)?;
        Ok(Some(path))
    }

    /// Keeps an image. Failure is reported and otherwise without consequence.
    pub fn store(&self, key: &CacheKey<'_>, image: &Image) {
        if let Err(error) = self.write(&key.name(), &encode(image)) {
            tracing::warn!(name = key.name(), %error, "cannot write the kernel cache");
        }
    }

    /// Forgets what is kept under `key`, for images that turned out not to load.
    pub fn remove(&self, key: &CacheKey<'_>) {
        let Some(directory) = &self.directory else { return };
        let path = directory.join(key.name());
        if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), %error, "cannot clean the kernel cache");
        }
    }
}

fn write(directory: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.flush()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = variable(CACHE_DIRECTORY) {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else {
        // The specification says that relative paths are to be ignored.
        set("XDG_CACHE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("waveloom"))
}

/// Magic, kind, hash of the code, code.
fn encode(image: &Image) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(match image.kind {
        ImageKind::Ptx => 0,
        ImageKind::Cubin => 1,
    });
    bytes.extend_from_slice(&Sha256::digest(&image.bytes));
    bytes.extend_from_slice(&image.bytes);
    bytes
}

fn decode(bytes: &[u8]) -> Option<Image> {
    let (kind, rest) = bytes.strip_prefix(MAGIC)?.split_first()?;
    let kind = match kind {
        0 => ImageKind::Ptx,
        1 => ImageKind::Cubin,
        _ => return None,
    };
    let (hash, code) = rest.split_at_checked(32)?;
    (Sha256::digest(code).as_slice() == hash).then(|| Image { kind, bytes: code.to_vec() })
}

/// Two digits a byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn key(source: &str) -> CacheKey<'_> {
        CacheKey { source, target: Target::Cubin(90), compiler: (13, 0), driver: 13000 }
    }

    fn image(fill: u8) -> Image {
        Image { kind: ImageKind::Cubin, bytes: vec![fill; 10_000] }
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let base = key("text");
        let names: BTreeSet<String> = [
            base,
            key("text "),
            CacheKey { target: Target::Ptx(90), ..base },
            CacheKey { target: Target::Cubin(80), ..base },
            CacheKey { compiler: (13, 1), ..base },
            CacheKey { compiler: (12, 0), ..base },
            CacheKey { driver: 13010, ..base },
        ]
        .iter()
        .map(CacheKey::name)
        .collect();
        assert_eq!(names.len(), 7);
        assert_eq!(base.name(), key("text").name());
        assert!(names.iter().all(|name| name.len() == 64));
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path().join("not/there/yet"));
        assert_eq!(cache.load(&key("a")), None);
        cache.store(&key("a"), &image(1));
        let ptx = Image { kind: ImageKind::Ptx, bytes: b"ptx".to_vec() };
        cache.store(&key("b"), &ptx);
        assert_eq!(cache.load(&key("a")), Some(image(1)));
        assert_eq!(cache.load(&key("b")), Some(ptx));
        assert_eq!(cache.load(&key("c")), None);
        cache.store(&key("a"), &image(2));
        assert_eq!(cache.load(&key("a")), Some(image(2)));
        cache.remove(&key("a"));
        cache.remove(&key("a"));
        assert_eq!(cache.load(&key("a")), None);
        // No temporary file is left behind.
        let left = std::fs::read_dir(cache.directory().unwrap()).unwrap().count();
        assert_eq!(left, 1);
    }

    #[test]
    fn broken_files_are_ignored_and_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path());
        let path = directory.path().join(key("a").name());
        let sound = encode(&image(7));
        let mut flipped = sound.clone();
        flipped[5000] ^= 1;
        let mut odd_kind = sound.clone();
        odd_kind[MAGIC.len()] = 9;
        for broken in
            [&[][..], &MAGIC[..], &sound[..sound.len() - 1], &sound[..20], &flipped, &odd_kind]
        {
            std::fs::write(&path, broken).unwrap();
            assert_eq!(cache.load(&key("a")), None, "{} bytes", broken.len());
        }
        cache.store(&key("a"), &image(7));
        assert_eq!(cache.load(&key("a")), Some(image(7)));
    }

    #[test]
    fn an_unusable_directory_is_no_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "in the way").unwrap();
        let cache = DiskCache::at(file.join("below"));
        cache.store(&key("a"), &image(1));
        assert_eq!(cache.load(&key("a")), None);
        cache.remove(&key("a"));
        let off = DiskCache::off();
        off.store(&key("a"), &image(1));
        assert_eq!(off.load(&key("a")), None);
    }

    /// Writers and readers of the same file at once: every read finds a whole image or none.
    #[test]
    fn concurrent_use_is_atomic() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path());
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    for _ in 0..50 {
                        cache.store(&key("a"), &image(writer));
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    let path = directory.path().join(key("a").name());
                    for _ in 0..200 {
                        // Not through `load`, which would hide a torn file.
                        if let Ok(bytes) = std::fs::read(&path) {
                            assert!(decode(&bytes).is_some(), "a torn file");
                        }
                    }
                });
            }
        });
        assert!(cache.load(&key("a")).is_some());
    }

    #[test]
    fn where_the_cache_is() {
        let with = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, OsString)> =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), value.into())).collect();
            directory(move |name| {
                pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            })
        };
        assert_eq!(with(&[(CACHE_DIRECTORY, "/c"), ("HOME", "/h")]), Some(PathBuf::from("/c")));
        assert_eq!(with(&[(CACHE_DIRECTORY, ""), ("HOME", "/h")]), None, "switched off");
        assert_eq!(with(&[]), None);
        if !cfg!(windows) {
            let home = Some(PathBuf::from("/h/.cache/waveloom"));
            assert_eq!(with(&[("HOME", "/h")]), home);
            assert_eq!(with(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), home);
            let xdg = with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]);
            assert_eq!(xdg, Some(PathBuf::from("/x/waveloom")));
        }
    }
}
