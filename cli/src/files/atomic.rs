//! Output files appear whole or not at all.

use crate::error::{Failure, Outcome};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Temporary files that are being written.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The exit code of a command that was interrupted, as shells have it for Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Has an interrupted or terminated process remove what it had not finished before it ends.
pub fn remove_unfinished_on_signals() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        // Held until the end, so that no further file is begun.
        let unfinished = unfinished();
        remove(&unfinished);
        std::process::exit(INTERRUPTED);
    })
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set of paths is as good as before, whatever happened to a thread that held it.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(files: &BTreeSet<PathBuf>) {
    for file in files {
        // One that has just got its final name is not there any more.
        let _ = fs::remove_file(file);
    }
}

/// A path among the unfinished files.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// A temporary file that counts as unfinished.
struct Unfinished {
    file: NamedTempFile,
    listed: Listed,
}

impl Unfinished {
    fn beside(target: &Path) -> std::io::Result<Self> {
        let mut unfinished = unfinished();
        let file = temporary_beside(target)?;
        let path = file.path().to_owned();
        unfinished.insert(path.clone());
        Ok(Self { file, listed: Listed(path) })
    }

    fn persist(self, target: &Path) -> std::io::Result<()> {
        let Self { file, listed } = self;
        let done = file.persist(target).map(drop).map_err(|error| error.error);
        drop(listed);
        done
    }
}

/// Refuses early what can never be written: a missing folder, a folder in the file's place.
pub fn check_target(path: &Path) -> Outcome<()> {
    if path.is_dir() {
        return Err(Failure::of_field(path, "output", "is a folder; expected a file name"));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        let message = format!("the folder '{}' does not exist", folder.display());
        return Err(Failure::of_field(path, "output", message));
    }
    Ok(())
}

/// Refuses an output that is the file which is read, by whatever name: what is there would be lost.
pub fn check_other(output: &Path, input: &Path, option: &str) -> Outcome<()> {
    let same = fs::canonicalize(output).ok().zip(fs::canonicalize(input).ok());
    match same.is_some_and(|(output, input)| output == input) {
        true => Err(Failure::of_field(
            output,
            option,
            "is the file that is read; expected another, so that nothing is lost",
        )),
        false => Ok(()),
    }
}

/// Writes `path` by way of a temporary file in the same folder, renamed when it is complete.
///
/// Devices and pipes, which cannot be replaced, are written to as they are.
pub fn write<F>(path: &Path, content: F) -> Outcome<()>
where
    F: FnOnce(&mut BufWriter<File>) -> Outcome<()>,
{
    check_target(path)?;
    let failed = |error: std::io::Error| Failure::of_field(path, "output", error);
    // A symbolic link stays one: the file that it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        return write_device(path, &target, content);
    }
    let mut temporary = Unfinished::beside(&target).map_err(failed)?;
    let handle = temporary.file.as_file().try_clone().map_err(failed)?;
    let mut writer = BufWriter::new(handle);
    content(&mut writer).map_err(|failure| failure.in_file(path))?;
    writer.flush().map_err(failed)?;
    temporary.file.flush().map_err(failed)?;
    temporary.persist(&target).map_err(failed)
}

/// Formats that seek are written in memory first: a device takes bytes in order.
fn write_device<F>(path: &Path, target: &Path, content: F) -> Outcome<()>
where
    F: FnOnce(&mut BufWriter<File>) -> Outcome<()>,
{
    let failed = |error: std::io::Error| Failure::of_field(path, "output", error);
    let mut scratch = tempfile::tempfile().map_err(failed)?;
    let mut writer = BufWriter::new(scratch.try_clone().map_err(failed)?);
    content(&mut writer).map_err(|failure| failure.in_file(path))?;
    writer.flush().map_err(failed)?;
    scratch.rewind().map_err(failed)?;
    let mut device = File::options().write(true).open(target).map_err(failed)?;
    std::io::copy(&mut scratch, &mut device).map_err(failed)?;
    Ok(())
}

fn temporary_beside(target: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".waveloom-");
    // The permissions of an ordinary new file; the process's mask is applied to them.
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    builder.tempfile_in(folder_of(target))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_writer_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        let failed = write(&path, |writer| {
            writer.write_all(b"half").unwrap();
            Err(Failure::plain("no more"))
        });
        assert!(failed.unwrap_err().to_string().contains("out.bin"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_old_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        fs::write(&path, b"old").unwrap();
        assert!(write(&path, |_| Err(Failure::plain("no"))).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write(&path, |writer| writer.write_all(b"new").map_err(Failure::plain)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn what_is_unfinished_can_be_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        write(&path, |writer| {
            writer.write_all(b"half").map_err(Failure::plain)?;
            let begun: BTreeSet<PathBuf> = unfinished()
                .iter()
                .filter(|file| file.starts_with(folder.path()))
                .cloned()
                .collect();
            assert_eq!(begun.len(), 1);
            remove(&begun);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            Ok(())
        })
        .unwrap_err();
        write(&path, |writer| writer.write_all(b"new").map_err(Failure::plain)).unwrap();
        assert!(!unfinished().iter().any(|file| file.starts_with(folder.path())));
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/out.bin");
        let error = write(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
        assert!(write(folder.path(), |_| Ok(())).is_err());
    }
}
