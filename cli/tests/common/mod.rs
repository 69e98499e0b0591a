//! A folder of small files, and the binary run in it.

#![allow(dead_code, reason = "every test file uses its own part")]

use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{
    NpzReader, NpzWriter, ReadNpyExt, ReadableElement, WritableElement, WriteNpyExt,
};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary folder.
pub struct Folder(TempDir);

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn npy<T: WritableElement>(&self, name: &str, array: &ArrayD<T>) {
        array.write_npy(File::create(self.path(name)).unwrap()).unwrap();
    }

    pub fn read_npy<T: ReadableElement>(&self, name: &str) -> ArrayD<T> {
        ArrayD::read_npy(File::open(self.path(name)).unwrap()).unwrap()
    }

    pub fn npz<T: WritableElement>(&self, name: &str, members: &[(&str, ArrayD<T>)]) {
        let mut writer = NpzWriter::new_compressed(File::create(self.path(name)).unwrap());
        for (member, array) in members {
            writer.add_array(*member, array).unwrap();
        }
        writer.finish().unwrap();
    }

    pub fn read_npz<T: ReadableElement>(&self, name: &str, member: &str) -> ArrayD<T> {
        let mut reader = NpzReader::new(File::open(self.path(name)).unwrap()).unwrap();
        reader.by_name(member).unwrap()
    }

    /// The shape of a floating-point member.
    pub fn shape_in_npz(&self, name: &str, member: &str) -> Vec<usize> {
        let mut reader = NpzReader::new(File::open(self.path(name)).unwrap()).unwrap();
        let double: Result<ArrayD<f64>, _> = reader.by_name(member);
        match double {
            Ok(array) => array.shape().to_vec(),
            Err(_) => self.read_npz::<f32>(name, member).shape().to_vec(),
        }
    }

    /// Names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the binary in the folder with the words of `line`.
    pub fn run(&self, line: &str) -> Ended {
        run_in(self.0.path(), line.split_whitespace())
    }

    /// Runs a command that must succeed, with nothing but notes on standard error.
    pub fn ok(&self, line: &str) -> String {
        let ended = self.run(line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
        let notes = ended.stderr.lines().all(|line| line.starts_with("note: "));
        assert!(notes, "{line}: {}", ended.stderr);
        ended.stdout
    }

    /// Runs a command that must succeed; what it notes on standard error.
    pub fn notes(&self, line: &str) -> String {
        let ended = self.run(line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
        ended.stderr
    }

    /// Runs a command that must be refused: exit code 2, one line on standard error (but for notes), which
    /// contains every part, and nothing new in the folder.
    pub fn refused(&self, line: &str, parts: &[&str]) {
        let before = self.names();
        let ended = self.run(line);
        assert_eq!(ended.code, Some(2), "{line}: {ended:?}");
        let lines = ended.stderr.lines();
        let errors: Vec<&str> = lines.filter(|line| !line.starts_with("note: ")).collect();
        assert_eq!(errors.len(), 1, "{line}: {}", ended.stderr);
        assert!(errors[0].starts_with("error: "), "{line}: {}", ended.stderr);
        assert!(ended.stderr.ends_with('\n'));
        for part in parts {
            assert!(ended.stderr.contains(part), "{line}: '{part}' is not in: {}", ended.stderr);
        }
        assert_eq!(self.names(), before, "{line} left something behind");
    }
}

fn run_in<'a>(folder: &Path, words: impl Iterator<Item = &'a str>) -> Ended {
    let output = binary().current_dir(folder).args(words).output().unwrap();
    ended(&output)
}

pub fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_waveloom"))
}

pub fn ended(output: &Output) -> Ended {
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}

/// An array of the given shape, filled in C order.
pub fn array<T: Clone>(shape: &[usize], value: impl Fn(usize) -> T) -> ArrayD<T> {
    let count = shape.iter().product();
    ArrayD::from_shape_vec(IxDyn(shape), (0..count).map(value).collect()).unwrap()
}

/// A one-dimensional array.
pub fn line<T: Clone>(values: &[T]) -> ArrayD<T> {
    ArrayD::from_shape_vec(IxDyn(&[values.len()]), values.to_vec()).unwrap()
}

/// Values that look random and need no generator.
pub fn noise(shape: &[usize]) -> ArrayD<f64> {
    array(shape, |i| ((i * 7919 + 17) % 1013) as f64 / 506.5 - 1.0)
}

/// Largest difference; the shapes must agree.
pub fn distance(a: &ArrayD<f64>, b: &ArrayD<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// Asserts that a one-dimensional array has these values, to within the six digits they are
/// printed with.
pub fn assert_close(array: &ArrayD<f64>, expected: &[f64]) {
    assert_eq!(array.len(), expected.len(), "{array}");
    for (found, wanted) in array.iter().zip(expected) {
        assert!((found - wanted).abs() < 1e-6, "{array} is not {expected:?}");
    }
}
